/* The course of one clock against the others. Private to clock*.c and their tests. */
#ifndef AZ_ANALYSES_COLLECTIVES_CLOCK_H
#define AZ_ANALYSES_COLLECTIVES_CLOCK_H

#include "analyses/collectives/collectives.h"

#define CR_MOST_PIECES 32
#define CR_MOST_LEVELS 6

/* How far it is ahead: from `from` on, offset + drift (t - from), in ns; the first piece holds before it, too. */
struct cr_piece {
    int64_t from;
    double offset, drift;
};
struct cr_track {
    struct cr_piece piece[CR_MOST_PIECES];
    uint32_t n; /* 0: not known */
};

/* Difference; what cannot be a time any more is cut. */
int64_t cr_minus(int64_t a, int64_t b);
/* Median, in whole ns; reorders v. */
int64_t cr_median(int64_t *v, size_t n);
/* ns that a clock is ahead at t. */
int64_t cr_ahead(const struct cr_track *k, int64_t t);
/* Offset, drift and steps from n differences y at ascending times t: medians of bins, cut into as few straight pieces
 * as describe them. A drift or a step is taken only where it is far above the scatter; steps false: no step. scratch:
 * n. */
void cr_fit(const int64_t *t, const int64_t *y, size_t n, bool steps, int64_t *scratch, struct cr_track *out);
/* Greatest median of what a bin of differences is off its track: what the track does not describe. */
int64_t cr_unfit(const int64_t *t, const int64_t *y, size_t n, int64_t *scratch, const struct cr_track *k);

/* ---- all clocks ---- */
struct clocks {
    struct cr *c;
    size_t units;                      /* recordings: devices of one have one clock */
    uint32_t *event;                   /* those that count, by unit and end */
    size_t *first;                     /* unit -> its first in `event`; units + 2 */
    struct cr_track *track;            /* by unit */
    int64_t *middle;                   /* by collective: median end, tracks taken away */
    int64_t *t, *y, *scratch;          /* of one unit, or one collective */
    uint32_t *component;               /* by unit: the least unit it is connected with */
    uint32_t *synced;                  /* the same, by collectives of more than two */
    uint32_t *order;                   /* scratch: of units, of a cluster's differences */
    int64_t *left;                     /* scratch */
    uint32_t *cluster[CR_MOST_LEVELS]; /* by unit: the least unit of its cluster */
    size_t levels;
    bool pairs;  /* send and recv connect what collectives do not */
    bool scarce; /* few collectives of which all wait for all: others count, too */
};

static inline uint32_t cr_unit_of(const struct cr *c, uint32_t g)
{
    return c->of ? (uint32_t)c->of[c->rank[g]] : c->rank[g];
}

static inline uint32_t cr_unit_at(const struct clocks *k, const struct cr_coll *x, uint32_t i)
{
    return cr_unit_of(k->c, cr_member(k->c, x, i));
}

static inline int64_t cr_end_of(const struct cr *c, uint32_t g) { return cr_event(c, g)->end + c->shift[c->rank[g]]; }

/* On the common clock, as far as it is known. */
static inline int64_t cr_true_end(const struct clocks *k, uint32_t g)
{
    const int64_t e = cr_end_of(k->c, g);
    return cr_minus(e, cr_ahead(&k->track[cr_unit_of(k->c, g)], e));
}

static inline int64_t cr_size(int64_t v) { return v < 0 ? -v : v; }

static inline uint32_t cr_root(uint32_t *of, uint32_t r)
{
    while (of[r] != r)
        r = of[r] = of[of[r]];
    return r;
}

/* Do ends of this collective tell clocks? */
bool cr_counts(const struct clocks *k, const struct cr_coll *x);
/* How far two courses differ, at most, at k->t. */
int64_t cr_apart(const struct clocks *k, size_t n, const struct cr_track *a, const struct cr_track *b);
enum cr_course { CR_OFFSET, CR_DRIFT, CR_STEPS };
/* Course through k->t, k->y. */
void cr_course(struct clocks *k, size_t n, enum cr_course how, struct cr_track *out);
/* Units whose ends are compared with each other most often, clusters of these, and so on. */
int cr_clusters(struct clocks *k, struct az_arena *a) AZ_MUST_USE;
/* Moves each cluster as one to where the ends of others want it. *moved: the farthest. */
int cr_settle_clusters(struct clocks *k, const uint32_t *of, enum cr_course how, int64_t *moved) AZ_MUST_USE;

#endif
