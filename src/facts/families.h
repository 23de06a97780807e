/* Device time by family of work (docs/account.md 5), for every format: kernels and operations by
 * their names, operations of a TPU by their HLO category, copies and fills by what they are. */
#ifndef AZ_FACTS_FAMILIES_H
#define AZ_FACTS_FAMILIES_H

#include "facts/account.h"

/* Are there cores of a TPU in the trace? Their operations are of the family of their category. */
bool az_has_tpu(const struct az_trace *t);

/* The family of an operation of a compiled program, from its stats. */
struct az_row_work {
    bool known; /* by its category; else by its name */
    enum az_family family;
    enum az_part part;
};
/* Of each row of az_xtrace.rows; NULL on failure, the error is in *rc. Of a trace with
 * AZ_CAP_PROGRAMS. */
const struct az_row_work *az_job_row_work(struct az_job *job, size_t trace, int *rc);

/* Duration of each kernel without what is inside it, ticks: operations of one core nest on its
 * lane, a child wholly inside its parent. Made once; NULL on failure, the error is in *rc. */
const int64_t *az_job_self_ticks(struct az_job *job, size_t trace, int *rc);

/* Family of each kernel of a trace by row, as the sums below count it; room for all kernels. Copies
 * are of AZ_FAMILY_COPY, fills of AZ_FAMILY_FILL, graphs of AZ_FAMILY_OTHER. */
int az_job_kernel_families(struct az_job *job, size_t trace, uint8_t *family) AZ_MUST_USE;

/* Adds operations that only their analysis can select, as it reports them: those of a report of
 * operations, whose devices are merged and whose rows options choose. Before az_job_families. */
int az_job_families_add(struct az_job *job, enum az_family family, int64_t count,
                        int64_t ns) AZ_MUST_USE;
/* One row a family that has events, by time (largest first), then in the order of the list;
 * `style` is the family. */
int az_job_families(struct az_job *job, struct az_name_sums *out) AZ_MUST_USE;

/* The same of one trace by device: devices in ascending order, families in the order of the list.
 * Rows that came summed have no device and are not among them. In the job's arena. */
struct az_family_time {
    int64_t device, count, ns;
    enum az_family family;
};
struct az_family_times {
    struct az_family_time *v;
    size_t n;
};
int az_job_families_by_device(struct az_job *job, size_t trace,
                              struct az_family_times *out) AZ_MUST_USE;

#endif
