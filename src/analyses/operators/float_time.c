#include "analyses/operators/float_time.h"

/* Differences of such numbers are exact, and, as numbers near one time are multiples of a power of
 * two, so are they in units unless times are below 2^33 us. */
static int64_t units_after(double base, double us)
{
    return (int64_t)((us - base) * AZ_FLOAT_UNITS);
}

int az_float_union(const struct az_framework *fw, struct az_gpu_run run, struct az_spans *spans,
                   int64_t *units)
{
    const double us = 1e3 * (double)fw->trace->ticks_per_ns;
    double base = 0;
    int rc = 0;
    az_vec_reset(spans);
    for (size_t i = 0; rc == 0 && i < run.n; i++) {
        const struct az_event e = az_gpu_event(fw->tree, run.gpu[i]);
        const double start = (double)e.start / us, end = start + (double)(e.end - e.start) / us;
        base = i ? base : start;
        rc = az_vec_push(spans,
                         ((struct az_span){ units_after(base, start), units_after(base, end) }));
    }
    if (rc == 0 && run.n > 1)
        az_spans_sort(spans);
    az_spans_union(spans);
    *units = az_spans_length(spans);
    return rc;
}
