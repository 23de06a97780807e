/* How busy each device is over its time, in equal chunks. Private to the analyses. */
#ifndef AZ_ANALYSES_TIMELINE_UTILIZATION_H
#define AZ_ANALYSES_TIMELINE_UTILIZATION_H

#include "facts/devices.h"

struct az_util_chunk {        /* one, or several neighbors that are all below the threshold */
    int64_t start, end, busy; /* ticks */
    int64_t length;           /* ticks: without what is between the parts of a window */
    int64_t chunks;
    bool low;
};
AZ_VEC(struct az_util_chunk, az_util_chunks);

struct az_device_use {
    int64_t device, first, last, busy; /* ticks; busy is the union of its operations */
    int64_t length;                    /* ticks: of its chunks */
    struct az_util_chunks chunks;
};

/* Calls fn for each device of the trace, until one call fails, whose error it returns. A chunk is
 * low if less than low_util_percent of it is busy. The list is that of the call. */
int az_utilization_each(struct az_job *job, size_t trace,
                        int (*fn)(void *ctx, const struct az_device_use *u), void *ctx) AZ_MUST_USE;

#endif
