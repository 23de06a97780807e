/* Operators by group and parameters (docs/formulas-multirank.md 3.1, 3.2): what is kept of a rank.
 */
#ifndef AZ_COMPAT_TRACELENS_SHEETS_OPS_H
#define AZ_COMPAT_TRACELENS_SHEETS_OPS_H

#include "analyses/ranks/ranks.h"
#include "compat/tracelens/sheets_groups.h"
#include "compat/tracelens/sheets_text.h"
#include "perf/perf.h"
#include "stats/stats.h"

/* One (name, parameters) of a rank. Texts are ids of the part, AZ_NO_ID where there is none; times
 * ns. */
struct az_tracelens_op {
    uint32_t sheet, name, params; /* params: as JSON */
    const struct az_perf_param *param;
    unsigned n_params;
    double flops, bytes; /* of the first one */
    uint32_t dims, types, strides, concrete;
    int64_t uid;              /* of the first one */
    int64_t time, other_time; /* sums; other: without kernels that only move data */
    struct az_moments of_time, byte_rate, flop_rate, other_rate; /* ns; per second */
};
AZ_VEC(struct az_tracelens_op, az_tracelens_ops);

/* Its device events of one name that are the k-th of that name below an operation. */
struct az_tracelens_kernel {
    uint32_t op; /* row of the part */
    uint32_t name, occurrence;
    int64_t stream; /* of the first one; -1 unknown */
    int64_t sum, min, max;
    struct az_moments of;
};
AZ_VEC(struct az_tracelens_kernel, az_tracelens_kernels);

/* Operations of a sheet that have no estimate. */
struct az_tracelens_failed {
    uint64_t n;
    const char *why; /* of the first one, a constant */
};

struct az_tracelens_ops_part {
    struct az_tracelens_stored_texts texts;
    const struct az_tracelens_op *op;
    size_t n_ops;
    const struct az_tracelens_kernel *kernel; /* in order of appearance */
    size_t n_kernels;
    struct az_tracelens_failed failed[AZ_TRACELENS_GROUPS]; /* by sheet */
};
/* Both of the analysis `op_groups`. */
int az_tracelens_ops_reduce(struct az_job *job, struct az_arena *keep, void **part) AZ_MUST_USE;
extern const struct az_shape az_tracelens_ops_shape;
int az_tracelens_ops_finish(struct az_job *job, const struct az_ranks *ranks,
                            void *const *parts) AZ_MUST_USE;

#endif
