/* The course of one clock against the others. Private to clock*.c and their tests. */
#ifndef AZ_ANALYSES_COLLECTIVES_CLOCK_H
#define AZ_ANALYSES_COLLECTIVES_CLOCK_H

#include "analyses/collectives/collectives.h"

#define AZ_COLL_MOST_PIECES 32
#define AZ_COLL_MOST_LEVELS 6

/* How far it is ahead: from `from` on, offset + drift (t - from), in ns; the first piece holds
 * before it, too. */
struct az_coll_piece {
    int64_t from;
    double offset, drift;
};
struct az_coll_track {
    struct az_coll_piece piece[AZ_COLL_MOST_PIECES];
    uint32_t n; /* 0: not known */
};

/* Difference; what cannot be a time any more is truncated. */
#define AZ_COLL_MOST_NS (INT64_C(1) << 61)
static inline int64_t az_coll_minus(int64_t a, int64_t b)
{
    int64_t d;
    if (__builtin_sub_overflow(a, b, &d))
        return a < b ? -AZ_COLL_MOST_NS : AZ_COLL_MOST_NS;
    return d > AZ_COLL_MOST_NS ? AZ_COLL_MOST_NS : d < -AZ_COLL_MOST_NS ? -AZ_COLL_MOST_NS : d;
}
/* Median, in whole ns; reorders v. */
int64_t az_coll_median(int64_t *v, size_t n);
static inline int64_t az_coll_piece_ahead(const struct az_coll_piece *p, int64_t t)
{
    return az_llround(p->offset +
                      (p->drift != 0 ? p->drift * (double)az_coll_minus(t, p->from) : 0));
}
int64_t az_coll_ahead_of_pieces(const struct az_coll_track *k, int64_t t);
/* ns that a clock is ahead at t. */
static inline int64_t az_coll_ahead(const struct az_coll_track *k, int64_t t)
{
    return k->n == 1 ? az_coll_piece_ahead(&k->piece[0], t) : az_coll_ahead_of_pieces(k, t);
}
/* Offset, drift and steps from n differences y at ascending times t: medians of bins, cut into as
 * few straight pieces as describe them. A drift or a step is taken only where it is far above the
 * scatter; steps false: no step. scratch: n. */
void az_coll_fit(const int64_t *t, const int64_t *y, size_t n, bool steps, int64_t *scratch,
                 struct az_coll_track *out);
/* Greatest median of what a bin of differences is off its track: what the track does not describe.
 */
int64_t az_coll_unfit(const int64_t *t, const int64_t *y, size_t n, int64_t *scratch,
                      const struct az_coll_track *k);

/* ---- all clocks ---- */
enum az_coll_course { AZ_COLL_OFFSET, AZ_COLL_DRIFT, AZ_COLL_STEPS };
/* What the end of an event follows from, of one rank: those of thousands of ranks are read in turn,
 * and parts are far apart. */
struct az_coll_ends {
    const unsigned char *start, *length;
    uint64_t start_mask, length_mask, base; /* base: with the shift of the rank */
    uint32_t start_bits, length_bits, first;
};
static inline uint64_t az_coll_bits(const unsigned char *v, uint64_t at, uint64_t mask)
{
    uint64_t x;
    memcpy(&x, v + (at >> 3), sizeof x);
    return (x >> (at & 7)) & mask;
}
static inline int64_t az_coll_ends_at(const struct az_coll_ends *e, uint32_t g)
{
    const uint64_t i = g - e->first;
    return (int64_t)(e->base + az_coll_bits(e->start, i * e->start_bits, e->start_mask) +
                     az_coll_bits(e->length, i * e->length_bits, e->length_mask));
}

struct az_clocks {
    struct az_coll_run *c;
    struct az_coll_ends *ends;   /* by rank index */
    struct az_coll_piece *piece; /* of a track; without drift `from` is its offset, a drift of NaN:
                                    several pieces */
    size_t units;                /* recordings: devices of one have one clock */
    uint32_t *event;             /* those that count, by unit and end */
    size_t *first;               /* unit -> its first in `event`; units + 2 */
    struct az_coll_track *track; /* by unit */
    int64_t *middle;             /* by collective: median end, tracks taken away */
    int64_t *t, *y, *scratch;    /* of one unit, or one collective */
    uint32_t *component;         /* by unit: the least unit it is connected with */
    uint32_t *synced;            /* the same, by collectives of more than two */
    uint32_t *order;             /* scratch: of units, of a cluster's differences */
    uint32_t *chain;             /* unit -> the next one of its part; AZ_NO_ROW: the last */
    int64_t *left;               /* scratch */
    uint32_t *cluster[AZ_COLL_MOST_LEVELS]; /* by unit: the least unit of its cluster */
    size_t levels;
    int64_t *room; /* for t, y and scratch of each thread, `width` of each; NULL: one thread */
    size_t width;
    unsigned parts;
    enum az_coll_course how; /* of the round */
    bool still;              /* no course has moved since `middle` was made */
    bool twos;   /* collectives of two count: who settles first changes what the other sees */
    bool pairs;  /* send and recv connect what collectives do not */
    bool scarce; /* few collectives of which all wait for all: others count, too */
};

static inline uint32_t az_coll_unit_of(const struct az_coll_run *c, uint32_t g)
{
    return c->of ? (uint32_t)c->of[c->rank[g]] : c->rank[g];
}

static inline uint32_t az_coll_unit_at(const struct az_clocks *k, const struct az_coll_coll *x,
                                       uint32_t i)
{
    return az_coll_unit_of(k->c, az_coll_member(k->c, x, i));
}

static inline int64_t az_coll_end_of(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_file_end(c, g) + c->shift[c->rank[g]];
}

/* On the common clock, as far as it is known. */
static inline int64_t az_coll_true_end(const struct az_clocks *k, uint32_t g)
{
    const int64_t e = az_coll_end_of(k->c, g);
    return az_coll_minus(e, az_coll_ahead(&k->track[az_coll_unit_of(k->c, g)], e));
}

static inline int64_t az_coll_size(int64_t v) { return v < 0 ? -v : v; }

static inline uint32_t az_coll_root(uint32_t *of, uint32_t r)
{
    while (of[r] != r)
        r = of[r] = of[of[r]];
    return r;
}

/* Fills `chain` for a division of the units: of[unit] is the least one of its part. */
static inline void az_coll_chain(struct az_clocks *k, const uint32_t *of)
{

    for (uint32_t r = 0; r < k->units; r++)
        k->chain[r] = AZ_NO_ROW;
    for (uint32_t r = (uint32_t)k->units; r-- > 0;) {
        const uint32_t first = of[r];
        if (first == r)
            continue;
        k->chain[r] = k->chain[first]; /* the one that was put in before comes after it */
        k->chain[first] = r;
    }
}
/* Do ends of this collective compare clocks? */
bool az_coll_counts(const struct az_clocks *k, const struct az_coll_coll *x);
/* How far two courses differ, at most, at k->t; of 1 us and more any value of that. */
int64_t az_coll_apart(const struct az_clocks *k, size_t n, const struct az_coll_track *a,
                      const struct az_coll_track *b);
/* Course through k->t, k->y. */
void az_coll_course(struct az_clocks *k, size_t n, enum az_coll_course how,
                    struct az_coll_track *out);
/* Units whose ends are compared with each other most often, clusters of these, and so on. */
int az_coll_clusters(struct az_clocks *k, struct az_arena *a) AZ_MUST_USE;
/* Moves each cluster as a whole to fit the ends of the others. *moved: the farthest. */
int az_coll_settle_clusters(struct az_clocks *k, const uint32_t *of, enum az_coll_course how,
                            int64_t *moved) AZ_MUST_USE;

#endif
