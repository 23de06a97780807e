/* The trust checks of a trace (document/claims.h): what could make the metrics of its account
 * wrong, as counts and times, made once. Rules and thresholds: docs/verdict.md 4. */
#ifndef AZ_FACTS_TRUST_H
#define AZ_FACTS_TRUST_H

#include "document/claims.h"
#include "facts/lazy_cache.h"

struct az_trust {
    /* those that one trace can decide; the others are not_applicable */
    struct az_check_result check[AZ_CHECKS];
    /* ticks: median of the leads of linked events that start more than 1 us before their launch
     * call begins; 0: none does */
    int64_t lead_median;
    /* rows of ev[AZ_CALL], by start: launches whose device event is lost */
    const uint32_t *lost;
    size_t n_lost;
    /* the same for graph launches without device events */
    const uint32_t *bare;
    size_t n_bare;
    /* operations (az_op words) that begin a stream after a gap in which work launched before the
     * recording may have run */
    const uint32_t *early;
    size_t n_early;
    /* of kernel launches those that a graph capture recorded, which run nothing */
    int64_t captured, launches;
};
/* NULL on failure, the error is in *rc. */
const struct az_trust *az_job_trust(struct az_job *job, size_t trace, int *rc);

/* Does the launch call of a lost event begin in the gap, or between the launches of the events
 * around it? The host may be ahead of the device. Times in ticks; launches are rows of AZ_CALL,
 * AZ_NO_ROW where they are not recorded. */
bool az_trust_gap_has_lost(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                           int64_t gap_end, uint32_t launch_before, uint32_t launch_after);
/* The same for graph launches without device events. */
bool az_trust_gap_has_graph(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                            int64_t gap_end, uint32_t launch_before, uint32_t launch_after);
/* May work launched before the recording have run in the gap that `after` ends? */
bool az_trust_is_early(const struct az_trust *r, uint32_t after);

#endif
