/* Kernels shorter than `short_kernel_threshold_us`. Private to the analyses. */
#ifndef AZ_ANALYSES_SHORT_H
#define AZ_ANALYSES_SHORT_H

#include "analyses/analysis.h"

/* A kernel of so many ticks or more is not short. */
int64_t az_short_limit(const struct az_job *job, int64_t ticks_per_ns);
/* Emits the table `id`: durations (ticks) of the short ones among n, in short_kernel_histogram_bins
 * equal bins over [min, max], the last one closed: bin = floor((x - min) * bins / (max - min)), in
 * integers. */
int az_short_histogram(struct az_job *job, const char *id, const int64_t *length, size_t n,
                       int64_t ticks_per_ns) AZ_MUST_USE;

#endif
