/* Between the two halves of the rule `idle`: what gaps there are, and what is said of them. */
#ifndef AZ_ANALYSES_VERDICT_IDLE_H
#define AZ_ANALYSES_VERDICT_IDLE_H

#include "analyses/verdict/host.h"

struct az_vd_tally {
    int64_t count, ticks;
};
/* Next to the groups of v->part->idles. */
struct az_vd_idle_sums {
    struct az_vd *v;
    struct az_vd_host *host;         /* NULL: no calls are recorded */
    struct az_vd_tally bound, small; /* of the rules launch_bound, small_work */
};
int az_vd_idle_findings(struct az_vd_idle_sums *w) AZ_MUST_USE;

#endif
