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
/* Of all traces of the job, which have AZ_CAP_PROGRAMS; of what begins in the window (ticks). */
int az_hlo_rates(struct az_job *job, const struct az_span *window,
                 struct az_hlo_rates *out) AZ_MUST_USE;

#endif
