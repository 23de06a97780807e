/* Buckets of a log-linear histogram: lengths below AZ_BUCKETS_PER_OCTAVE have a bucket each, from
 * there on each doubling is divided into so many of equal width, so that a bucket's ends differ by
 * at most 3%. */
#ifndef AZ_STATS_LOG_BUCKETS_H
#define AZ_STATS_LOG_BUCKETS_H

#include <stdint.h>

enum { AZ_BUCKETS_PER_OCTAVE = 32, AZ_LOG_BUCKETS = 60 * AZ_BUCKETS_PER_OCTAVE };

/* The bucket of a length, below AZ_LOG_BUCKETS; negative lengths count as 0. */
static inline uint32_t az_log_bucket(int64_t length)
{
    const uint64_t x = length > 0 ? (uint64_t)length : 0;
    if (x < AZ_BUCKETS_PER_OCTAVE)
        return (uint32_t)x;
    const unsigned shift = 58 - (unsigned)__builtin_clzll(x); /* leaves six bits */
    return shift * AZ_BUCKETS_PER_OCTAVE + (uint32_t)(x >> shift);
}

/* The least length of a bucket. */
static inline int64_t az_log_bucket_start(uint32_t bucket)
{
    const unsigned octave = bucket / AZ_BUCKETS_PER_OCTAVE;
    return octave == 0
               ? bucket
               : (int64_t)(AZ_BUCKETS_PER_OCTAVE + bucket % AZ_BUCKETS_PER_OCTAVE) << (octave - 1);
}

#endif
