/* FLOPs and bytes of regions. Private to the analyses of regions. */
#ifndef AZ_ANALYSES_REGIONS_REGION_RATES_H
#define AZ_ANALYSES_REGIONS_REGION_RATES_H

#include "facts/regions.h"

struct az_region_work {
    double flops, bytes; /* of the work whose FLOPs or bytes are known, inclusive */
    /* Ticks, inclusive: of what has FLOPs, or bytes where an operation has no FLOPs; of what has
     * bytes; of all that computes. */
    int64_t rated, moved, computing;
};
/* Rates by device time, ns; NaN where too little of what computes is known. `w` NULL: nothing is.
 */
void az_region_rates(const struct az_region_work *w, double ns, double *tflops, double *gbps);
/* For each region, by the models of operators (framework traces) or by what the profile has of an
 * operation (compiled programs). *work NULL: nothing is known; else of the caller, r->n of them
 * from job->mem. */
int az_regions_work(struct az_job *job, size_t trace, const struct az_regions *r,
                    struct az_region_work **work) AZ_MUST_USE;

#endif
