/* Sequences of one group's events that are matched with each other. Private to match*.c,
 * sequence.c, merge.c.
 */
#ifndef AZ_ANALYSES_COLLECTIVES_MATCH_H
#define AZ_ANALYSES_COLLECTIVES_MATCH_H

#include "analyses/collectives/collectives.h"

/* Events of one rank that are to be matched with those of others, in launch order, and what becomes
 * of them. */
struct az_coll_lane {
    size_t rank;
    const uint32_t *g;
    size_t n;
    uint32_t *at;  /* number of the collective, ascending; unique in the lane */
    uint32_t *sig; /* what must agree: kind, type, size */
};
AZ_VEC(struct az_coll_lane, az_coll_lanes);

struct az_coll_matching {
    struct az_coll_run *c;
    uint32_t *item; /* events by group; in it by rank and launch */
    size_t *first;  /* group -> its first in item; groups + 2 */
    uint32_t group;
    bool pair;
    struct az_coll_lanes lanes;
    struct az_map sigs;     /* hash of what must agree -> number */
    struct az_vec_u32 kind; /* number -> that of the same without size */
    struct az_arena room;   /* of one set of lanes */
    uint32_t n_at;          /* collectives numbered in `at` */
};
/* By their sequence numbers: fills `at` of each and n_at, and puts g into that order. *done false:
 * a rank has an event without a number or a number twice, or they are sends and recvs; then the
 * lanes are as they were. */
int az_coll_match_by_sequence(struct az_coll_matching *m, bool *done) AZ_MUST_USE;
/* By their order alone, if they are of the same kinds in the same order: fills `at` of each and
 * n_at. */
bool az_coll_match_by_ordinal(struct az_coll_matching *m);
/* Step by step, by the profiler's numbers. ordinal: the order of the whole would do; then only
 * where most events of one place belong to different steps. *done false: the lanes are as they
 * were. */
int az_coll_match_by_steps(struct az_coll_matching *m, bool ordinal, bool *done) AZ_MUST_USE;
/* Numbers the events of the lanes by an alignment of what they are: fills `at` of each, and n_at.
 */
int az_coll_match_by_alignment(struct az_coll_matching *m) AZ_MUST_USE;

#endif
