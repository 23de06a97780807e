/* The lists of what is built in, and the search in them. A new format, analysis or report is one
 * row of the list of its room: formats/list.h, analyses/registry_list.h, reports/list.h. */
#include "registry.h"

#include "analyses/registry_list.h"
#include "compat/tracelens/sheet_sets.h"
#include "formats/list.h"
#include "formats/shared/unsupported_formats.h"
#include "reports/list.h"
#include "saved/load.h"

#define PROBE_BYTES 65536

#define AZ_FORMAT_ROW(name)   &az_format_##name,
#define AZ_ANALYSIS_ROW(name) &az_analysis_##name,
#define AZ_RANK_ROW(name)     &az_rank_analysis_##name,
#define AZ_REPORT_ROW(name)   &az_report_##name,

/* clang-format off */
const struct az_format *const az_formats[] = { AZ_FORMATS(AZ_FORMAT_ROW) NULL };

const struct az_analysis *const az_analyses[] = { AZ_ANALYSES(AZ_ANALYSIS_ROW) NULL };

int (*const az_trace_hook)(struct az_trace *t, struct az_tree_edits *edits, void *ctx) = az_framework_tree_hook;

/* Over the ranks of one run, in the order of their tables. */
const struct az_rank_analysis *const az_rank_analyses[] = { AZ_RANK_ANALYSES(AZ_RANK_ROW) NULL };

const struct az_report *const az_reports[] = { AZ_REPORTS(AZ_REPORT_ROW) NULL };

const struct az_sheet_set *const az_sheet_sets[] = { AZ_TRACELENS_SHEET_SETS NULL };
/* clang-format on */

const struct az_format *az_format_find(struct az_sv name)
{
    for (const struct az_format *const *f = az_formats; *f; f++) {
        if (az_sv_ieq(name, az_sv_str((*f)->name)))
            return *f;
        for (const char *const *alias = (*f)->aliases; alias && *alias; alias++)
            if (az_sv_ieq(name, az_sv_str(*alias)))
                return *f;
    }
    return NULL;
}

const struct az_report *az_report_find(struct az_sv name)
{
    for (const struct az_report *const *r = az_reports; *r; r++)
        if (az_sv_ieq(name, az_sv_str((*r)->name)))
            return *r;
    return NULL;
}

struct az_sv az_report_names(struct az_arena *a)
{
    struct az_sv out = AZ_SV("text");

    for (const struct az_report *const *r = az_reports; *r; r++)
        out = az_arena_printf(a, "%.*s, %s", AZ_SVF(out), (*r)->name);
    return out;
}

/* JSON, perhaps after comments, with a list of inputs. */
static bool is_configuration(struct az_sv head)
{
    const struct az_sv text = az_sv_trim(head);
    return (az_sv_starts(text, AZ_SV("{")) || az_sv_starts(text, AZ_SV("/"))) &&
           az_sv_find(text, AZ_SV("\"inputs\"")) >= 0;
}

int az_format_choose(const struct az_format *const *formats, struct az_sv head, struct az_sv path,
                     const struct az_format **out, int *score, struct az_diag *diag)
{
    const struct az_format *best = NULL, *tie = NULL;
    const char *foreign = az_foreign_name(path);
    int top = 0;

    foreign = foreign ? foreign : az_foreign(head);
    if (foreign)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(path), "%s", foreign);

    for (const struct az_format *const *f = formats; *f; f++) {
        int s = (*f)->probe ? (*f)->probe(head, path) : 0;
        if (s > top) {
            top = s;
            best = *f;
            tie = NULL;
        } else if (s > 0 && s == top && !tie) {
            tie = *f;
        }
    }
    if (head.n == 0 && !best)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path), "empty file (0 bytes)");
    if (!best && is_configuration(head))
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(path),
                            "is a configuration, not a profile; use --config=%.*s", AZ_SVF(path));
    if (!best)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(path),
                            "not a profile of a known format (see 'analyzer list'; a configuration "
                            "can name its \"format\")");
    if (tie)
        return az_diag_fail(
            diag, AZ_EFORMAT, AZ_AT_FILE(path),
            "may be '%s' or '%s' (name the right one as \"format\" in a configuration)", best->name,
            tie->name);
    *out = best;
    if (score)
        *score = top;
    return AZ_OK;
}

int az_format_probe(const char *path, const struct az_format **out, int *score,
                    struct az_diag *diag)
{
    struct az_diag said;
    struct az_source_opts o = { .window = PROBE_BYTES, .diag = &said };
    struct az_source *src = NULL;
    struct az_sv head = { "", 0 };
    const char *own;
    int rc;

    az_diag_init(&said);
    rc = az_source_open(&src, path, &o);
    if (rc == 0)
        rc = az_source_peek(src, PROBE_BYTES, &head);
    /* A file truncated in the middle is still recognized by its good start; its parser reports
     * where it breaks. Only what prevents the check is reported here. */
    if (rc && (head.n == 0 || rc == AZ_ENOMEM)) {
        az_diag_append(diag, &said);
        goto done;
    }
    own = az_saved_why_no_profile(path, head);
    rc = own ? az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)), "%s", own)
             : az_format_choose(az_formats, head, az_sv_str(path), out, score, diag);
done:
    az_source_close(src);
    az_diag_release(&said);
    return rc;
}

static bool knows_table(struct az_sv name)
{
    for (const struct az_format *const *f = az_formats; *f; f++)
        if ((*f)->knows_table && (*f)->knows_table(name))
            return true;
    return false;
}

int az_format_probe_found(const char *path, const struct az_format **out, int *score,
                          struct az_diag *diag)
{
    const struct az_format *found = NULL;
    const char *why = NULL;
    const int rc = az_format_probe(path, &found, score, diag);

    if (rc)
        return rc;
    if (found->knows_table)
        why = az_sqlite_alien(path, knows_table);
    if (why)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)), "%s", why);
    *out = found;
    return AZ_OK;
}
