/* The dozen metrics by which a run is tested without rules (docs/gates.md). */
#ifndef AZ_REGRESSION_KEY_FIGURES_H
#define AZ_REGRESSION_KEY_FIGURES_H

#include "document/change.h"
#include "document/times.h"

#define AZ_KEY_LEAST_SHARE 0.02          /* of the busy time, for a family to be a metric */
#define AZ_KEY_FIGURES     "key_figures" /* total, busy, step median: Metric, Time (ns) */
#define AZ_KEY_PARTS       "key_parts"   /* parts of the total: idle, families, ...; the same */
#define AZ_KEY_MEMORY      "key_memory"  /* Metric, Size (bytes) */
#define AZ_KEY_WORK                                                                                \
    "work_by_name" /* what parts consist of: Part (a family, "operator", "exposed"), Name, ... */
#define AZ_KEY_WORK_TIME "Time (ns)"
#define AZ_KEY_WORK_CALL "Time of a call (ns)"
#define AZ_KEY_TOTAL     "total" /* metric that parts are compared with */

/* Adds these tables to a document; those without a row are not added. Not twice. 0 or an error.
 * Times are those of the median step where the steps are known, else of the scope. chosen: parts of
 * the time that earlier runs had as metrics: they remain metrics, however small, and others become
 * some from twice the share on. by_recording: the whole recording, whatever its steps. */
int az_key_figures_choose(struct az_document *doc, const struct az_vec_sv *chosen,
                          bool by_recording) AZ_MUST_USE;
/* The same in two steps, for the two sides of a comparison: the first adds every part that has time
 * and appends to `names` the parts that are metrics of this document, not copied; the second leaves
 * those of the list, which are the metrics of either side. */
int az_key_figures_begin(struct az_document *doc, const struct az_vec_sv *chosen, bool by_recording,
                         struct az_vec_sv *names) AZ_MUST_USE;
void az_key_parts_filter(struct az_document *doc, const struct az_vec_sv *names);
/* Adds the table of kernels and operators that causes are found in; the same. */
int az_key_work_add(struct az_document *doc, bool by_recording) AZ_MUST_USE;

/* The subject of key metrics are of: the account, and by what rows of tables are divided for it. */
struct az_key_basis {
    struct az_sum_of_time account;
    bool per_step;
    const struct az_table *work; /* device work of the median step by name; NULL: not known */
    double steps;                /* of the tables of the recording, for one; else 1 */
};
void az_key_basis_of(const struct az_document *doc, bool by_recording, struct az_key_basis *out);

#endif
