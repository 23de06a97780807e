/* The classic block: kernel time per class, NCCL per collective, memory operations, NVTX ranges of
 * the iteration, with the arithmetic of the tool its users come from (docs/formats-nsight.md 1.2
 * to 1.5). Private to classic*.c. */
#ifndef AZ_COMPAT_NSYS_CLASSIC_H
#define AZ_COMPAT_NSYS_CLASSIC_H

#include "facts/lazy_cache.h"

struct az_classic_row {
    double per_iter, total; /* ms */
    int64_t inst_per_iter, instances;
    double per_iter_percent, total_percent; /* of all kernels but NCCL's */
    struct az_sv name;                      /* as long-lived as the job */
};
AZ_VEC(struct az_classic_row, az_classic_rows);

struct az_classic {
    double divisor; /* iterations x GPUs */
    double scale;   /* file time to ms */
    int64_t iters, gpus;
    bool iters_given; /* as an option */
    bool iters_known; /* as an option, or steps were found */
    struct az_classic_rows classes, nccl, memops;
    struct az_classic_row kernels, nccl_sum; /* totals */
    bool has_mem, has_nvtx;
    int64_t nvtx_count;
    double nvtx_total, nvtx_avg; /* ms */
    double hidden_avg, hidden_avg_pct, hidden_total,
        hidden_total_pct; /* the "non-hidden" estimate */
};

/* Tables with their text layout, preface and epilogue into the document. */
int az_classic_emit(struct az_job *job, const struct az_classic *c) AZ_MUST_USE;

#endif
