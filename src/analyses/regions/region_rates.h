/* FLOPs and bytes of regions. Private to the analyses of regions. */
#ifndef AZ_ANALYSES_REGIONS_REGION_RATES_H
#define AZ_ANALYSES_REGIONS_REGION_RATES_H

#include "facts/regions.h"

struct az_region_work {
    double flops, bytes;      /* of the work whose FLOPs or bytes are known, inclusive */
    int64_t rated, computing; /* ticks, inclusive: of that; of all that computes */
};
/* For each region, by the models of operators (framework traces) or by what the profile has of an
 * operation (compiled programs). *work NULL: nothing is known; else of the caller, r->n of them
 * from job->mem. */
int az_regions_work(struct az_job *job, size_t trace, const struct az_regions *r,
                    struct az_region_work **work) AZ_MUST_USE;

#endif
