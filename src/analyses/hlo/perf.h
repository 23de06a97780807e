/* What an executed HLO operation did: FLOPs, bytes, and how it is known. Private to perf*.c. */
#ifndef AZ_ANALYSES_HLO_PERF_H
#define AZ_ANALYSES_HLO_PERF_H

#include "analyses/hlo/hlo_events.h"
#include "perf/hlo.h"

struct az_hlo_work {
    struct az_hlo_event first;
    const struct az_hlo_op *op; /* NULL: the program is not in the profile */
    uint64_t kernels;           /* events */
    uint64_t executions;        /* count of its kernel with the largest total time */
    int64_t ticks, most;        /* total; of that kernel */
    int64_t flops, bytes;       /* of one execution; -1: not known */
};
AZ_VEC(struct az_hlo_work, az_hlo_works);
/* Work of all operations of GPUs, in no order. window: ticks in which their kernels begin; NULL:
 * all of them count. */
int az_hlo_work(struct az_hlo *h, const struct az_span *window,
                struct az_hlo_works *out) AZ_MUST_USE;
/* FLOPs and bytes of one execution; -1: not known. */
void az_hlo_op_work(const struct az_hlo_op *op, int64_t *flops, int64_t *bytes);
/* Dimensions of its (first) product; false: it has none. */
bool az_hlo_op_gemm(const struct az_hlo_op *op, struct az_gemm *g);
static inline double az_hlo_work_us(const struct az_hlo_work *w)
{
    return (double)w->ticks / 1e6 / (double)(w->executions ? w->executions : 1);
}
/* "gemm", "conv", "fusion", an opcode. */
struct az_sv az_hlo_work_kind(const struct az_hlo_op *op);
struct az_sv az_hlo_work_params(struct az_arena *a, const struct az_hlo_op *op);
/* roofline.c */
/* Precision of the product an operation computes; empty where it computes nothing that is counted.
 */
struct az_sv az_hlo_precision(const struct az_hlo_work *w);
int az_hlo_roofline(struct az_hlo *h, const struct az_hlo_works *works) AZ_MUST_USE;

#endif
