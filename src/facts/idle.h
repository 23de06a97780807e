/* The gaps of device work: when a device had nothing to do, between which operations. Device by
 * device (streams together), work that counts only, so that the gaps of a device add up to the idle
 * time of its account (facts/account.h). */
#ifndef AZ_FACTS_IDLE_H
#define AZ_FACTS_IDLE_H

#include "facts/account.h"
#include "facts/devices.h"

struct az_idle_gap {
    int64_t start, end; /* ticks */
    uint32_t before,
        after;     /* az_op_code/az_op_row words of the last to end and the next to start */
    uint32_t slot; /* device, in the order of az_devices_make(AZ_BY_DEVICE) */
};
/* Calls `each` for every gap by its end; stops at an error, which it returns. */
typedef int az_idle_each(void *ctx, const struct az_idle_gap *gap);
int az_idle_gaps(struct az_job *job, size_t trace, az_idle_each *each, void *ctx) AZ_MUST_USE;
/* The same for a caller that has the devices of the trace (AZ_BY_DEVICE). */
int az_idle_gaps_of(struct az_job *job, size_t trace, const struct az_devices_of *devices,
                    az_idle_each *each, void *ctx) AZ_MUST_USE;

#endif
