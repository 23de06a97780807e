/* Collectives of compiled programs: instances over the ranks. Private to coll*.c and their
 * tests. */
#ifndef AZ_ANALYSES_HLO_COLL_H
#define AZ_ANALYSES_HLO_COLL_H

#include "analyses/hlo/hlo_events.h"

struct az_coll { /* one collective of a program, over all traces */
    uint32_t module,
        name; /* ids of az_hlo; name: the operation, or the kernel where there is none */
    struct az_hlo_event first;
    const struct az_hlo_op *op; /* NULL: not known */
};
AZ_VEC(struct az_coll, az_coll_rows);

struct az_coll_event { /* its run on one device */
    uint32_t coll, device, trace, group, k;
    int64_t start, ticks;
};
AZ_VEC(struct az_coll_event, az_coll_events);

struct az_coll_instance { /* one run of one group of ranks */
    uint32_t coll, k, group;
    size_t seen;           /* ranks in the profile */
    int64_t size;          /* ranks of the group */
    int64_t min, max;      /* ps */
    int64_t skew;          /* of the starts; only meaningful on a common clock */
    bool common_clock;     /* all in one trace */
    int64_t data, message; /* bytes of a rank's buffer, and of the message; -1: not known */
    double alg, bus;       /* GB/s (1e9); NaN: not known */
};
AZ_VEC(struct az_coll_instance, az_coll_instances);

struct az_colls {
    struct az_coll_rows which;
    struct az_coll_events events;
    struct az_coll_instances instances; /* by collective, k, group */
};
int az_colls_make(struct az_hlo *h, struct az_colls *c) AZ_MUST_USE;
void az_colls_release(struct az_colls *c); /* also after a failed make */

#endif
