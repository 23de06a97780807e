/* The plug points, each a const array in registry.c: the one place that lists them. */
#ifndef AZ_REGISTRY_H
#define AZ_REGISTRY_H

#include "analyses/analysis.h"
#include "analyses/ranks/ranks.h"
#include "analyses/tree_hooks/tree_hook.h"
#include "formats/format.h"
#include "reports/report.h"
#include "tables/sheet_set.h"

extern const struct az_format *const az_formats[];    /* NULL-terminated */
extern const struct az_analysis *const az_analyses[]; /* in report order, NULL-terminated */
/* Changes traces while they are sealed; ctx: struct az_hook_job. */
extern int (*const az_trace_hook)(struct az_trace *t, struct az_tree_edits *edits, void *ctx);
extern const struct az_rank_analysis
    *const az_rank_analyses[];                           /* in report order, NULL-terminated */
extern const struct az_report *const az_reports[];       /* NULL-terminated */
extern const struct az_sheet_set *const az_sheet_sets[]; /* of sheets_as, NULL-terminated */

const struct az_format *
az_format_find(struct az_sv name); /* by name or alias, without case; NULL */
const struct az_report *az_report_find(struct az_sv name);
/* Names of text and all reports, "text, csv, ..."; an empty text without memory. */
struct az_sv az_report_names(struct az_arena *a);

/* Recognizes a file by its first bytes (decompressed). 0 and *out, AZ_EFORMAT with a message if
 * none or two (a tie names both), AZ_EEMPTY for 0 bytes; AZ_EIO, AZ_ENOMEM: not checked. Opens
 * and closes the file: a pipe loses what was read. */
int az_format_probe(const char *path, const struct az_format **out, int *score,
                    struct az_diag *diag) AZ_MUST_USE;
/* The same of an unnamed file of a folder: a database counts as a profile only if one of its tables
 * is known, and never one that this program wrote. AZ_EFORMAT, too. */
int az_format_probe_found(const char *path, const struct az_format **out, int *score,
                          struct az_diag *diag) AZ_MUST_USE;
/* The choice alone, over any list of formats: the highest score wins, 0 is "not mine". */
int az_format_choose(const struct az_format *const *formats, struct az_sv head, struct az_sv path,
                     const struct az_format **out, int *score, struct az_diag *diag) AZ_MUST_USE;

#endif
