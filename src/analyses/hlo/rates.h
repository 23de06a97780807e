/* The work of a trace of compiled programs in all, and how much of it is faster than its device can
 * be. */
#ifndef AZ_ANALYSES_HLO_RATES_H
#define AZ_ANALYSES_HLO_RATES_H

#include "analyses/analysis.h"
#include "base/interval.h"

struct az_hlo_rates {
    double flops;           /* NaN: of no operation are they known */
    double peak;            /* FLOP/s, of the precision that does most of the work; NaN unknown */
    struct az_sv precision; /* that one; empty unknown */
    int64_t rated,
        rateable; /* ns: of operations with known FLOPs or bytes; of all but collectives */
    int64_t impossible, of; /* operations above a peak, of those with known work */
};
/* Work of the kernels of GPUs, by sets of equal kernels: what their operation computes and moves in
 * all, by their time. */
struct az_hlo_set_rate {
    double flops, bytes; /* per tick; NaN: not known */
};
struct az_hlo_set_rates {
    struct az_hlo_set_rate *v; /* from job->mem; az_hlo_set_rates_release */
    size_t n;
    const uint32_t *of; /* kernel of the trace -> its set; lives as long as the job */
    struct az_mem *mem;
};
/* Of one trace, which has AZ_CAP_PROGRAMS. What a fusion reads may be a part of its operands: its
 * bytes are not known. */
int az_hlo_set_rates(struct az_job *job, size_t trace, struct az_hlo_set_rates *out) AZ_MUST_USE;
void az_hlo_set_rates_release(struct az_hlo_set_rates *r);
/* Of all traces of the job, which have AZ_CAP_PROGRAMS; of what begins in the window (ticks). */
int az_hlo_rates(struct az_job *job, const struct az_span *window,
                 struct az_hlo_rates *out) AZ_MUST_USE;

#endif
