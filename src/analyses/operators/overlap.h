/* Which device events ran at the same time as an operation's own, and for how long
 * (include_overlap_info; docs/formulas-pytorch.md 5.4). Two events overlap if they are of one
 * device but of different streams (or one stream is unknown), not launched under the same operator,
 * and share at least a microsecond. */
#ifndef AZ_ANALYSES_OPERATORS_OVERLAP_H
#define AZ_ANALYSES_OPERATORS_OVERLAP_H

#include "analyses/operators/details.h"

/* The pairs of a trace, both ways. */
struct az_overlaps {
    uint32_t *first;   /* gpu number -> first of its partners in `partner`; n_gpu + 1 entries */
    uint32_t *partner; /* gpu numbers */
    uint64_t left_out; /* events whose partners were not searched any more: there were too many
                          pairs */
};
/* Made on first use, kept in fw. NULL on failure, the error is in *rc. */
const struct az_overlaps *az_framework_overlaps(struct az_job *job, struct az_framework *fw,
                                                int *rc);

/* Per operation (a launcher, a row of the unified summary): what overlaps it. In the job's arena.
 */
struct az_overlap_ops {
    size_t n;
    uint32_t *names;             /* operation -> number of the list of overlapping names; 0: none */
    double *percent;             /* share of its own kernels' time that overlaps, 2 decimals */
    struct az_gpu_run *partners; /* distinct partners by start */
    struct az_intern texts;      /* number of a list -> its JSON text; 0 is the empty text */
    struct az_job *job;
    struct az_framework *fw;
};
/* own: the device events of each operation. To be released also after an error. */
int az_framework_overlap_ops(struct az_overlap_ops *o, struct az_job *job, struct az_framework *fw,
                             const struct az_gpu_run *own, size_t n) AZ_MUST_USE;
void az_framework_overlap_ops_release(struct az_overlap_ops *o);
static inline struct az_sv az_overlap_text(const struct az_overlap_ops *o, size_t op)
{
    return az_intern_text(&o->texts, o->names[op]);
}

/* Columns after the keys and after the kernel details, and their cells for the operations of one
 * row. */
void az_framework_overlap_columns(struct az_table *t);
int az_framework_put_overlap(struct az_overlap_ops *o, struct az_table *t, const uint32_t *op,
                             size_t n, struct az_framework_details *d) AZ_MUST_USE;

#endif
