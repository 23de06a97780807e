/* Whom the others wait for: shared by blocks.c, straggler_attrib.c and verdict.c. The model is
 * described in verdict.c. */
#ifndef AZ_ANALYSES_COLLECTIVES_STRAGGLER_ATTRIB_H
#define AZ_ANALYSES_COLLECTIVES_STRAGGLER_ATTRIB_H

#include <math.h>

#include "analyses/collectives/collectives.h"

enum { AZ_COLL_LEAST_BLOCKS = 3 }; /* of a verdict on a rank */

struct az_coll_blame {
    struct az_coll_run *c;
    struct az_arena *a;
    size_t ranks, blocks, merged; /* merged: steps in a block */
    int64_t *number;              /* of steps, ascending */
    size_t n_numbers;
    uint32_t *block;   /* by collective; AZ_NO_ROW: in none */
    double *exposed;   /* rank x block, ns */
    uint32_t *count;   /* rank x block: events, with what is imputed */
    uint32_t *imputed; /* rank x block */
    uint32_t *
        component; /* by rank: those it communicates with, however indirectly; AZ_NO_ROW: no part */
    uint32_t *class;                       /* by rank: of these, those with the same program */
    uint32_t *by_component, *of_component; /* ranks by component, ascending in each; component ->
                                              its first there */
    uint32_t *by_class, *of_class;         /* the same by class */
    bool *has_class; /* by rank: there are enough of these to compare it with */
    uint32_t *usual; /* by class: events in a block */
    double *caused;  /* by rank: that others wait longer in implicitly synchronizing collectives, ns
                        a block */
    uint32_t *synced; /* by rank: how many these are */
    double *lack;     /* rank x block: what it waits less than its peers; NaN: not known */
};

/* Cuts the run into blocks: number, n_numbers, blocks, merged, block. 0 blocks: there is too
 * little. */
int az_coll_blocks(struct az_coll_blame *m) AZ_MUST_USE;
/* Block of an event; AZ_NO_ROW. */
uint32_t az_coll_block_of(const struct az_coll_blame *m, uint32_t g);
/* Fills the rest but for the delays. */
int az_coll_lacks(struct az_coll_blame *m) AZ_MUST_USE;
/* Ranks that are compared with each other, r among them: of its class, or all it communicates with.
 */
static inline const uint32_t *az_coll_compared(const struct az_coll_blame *m, size_t r, size_t *n)
{
    const uint32_t *of = m->has_class[r] ? m->of_class : m->of_component,
                   set = m->has_class[r] ? m->class[r] : m->component[r];
    *n = of[set + 1] - of[set];
    return (m->has_class[r] ? m->by_class : m->by_component) + of[set];
}
/* Sorts; median of sorted values, NaN for none. */
int az_coll_sorted(const struct az_coll_blame *m, double *v, size_t n) AZ_MUST_USE;
static inline double az_coll_middle(const double *v, size_t n)
{
    return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : (double)NAN;
}

#endif
