/* Clocks of the ranks, from ends of collectives, which come within microseconds of each other: offset, drift and steps
 * of each against the middle of all. Where collectives of several do not join all ranks, ends of send and recv do.
 * docs/formulas-collectives.md 3.1. */
#include "analyses/collectives/clock.h"
#include "analyses/collectives/collectives.h"
#include "base/sort.h"

#include <math.h>

#define ROUNDS   64
#define FITS     8     /* rounds in which drifts are sought */
#define STRAIGHT 2     /* the first of them without steps: one step among few ranks bends the middle of all */
#define LEAST_NS 20000 /* a smaller offset is not worth a shift */
#define FAR_NS   (INT64_C(1) << 59) /* clocks that are years apart stay so */
#define ENOUGH   64                 /* collectives of a clock, to tell its drift and steps */
#define NEAR     15                 /* differences to a neighbour, by which a clock is known at first */

struct clocks {
    struct cr *c;
    size_t units;             /* recordings: devices of one have one clock */
    uint32_t *event;          /* those that count, by unit and end */
    size_t *first;            /* unit -> its first in `event`; units + 2 */
    struct cr_track *track;   /* by unit */
    int64_t *middle;          /* by collective: median end, tracks taken away */
    int64_t *t, *y, *scratch; /* of one unit, or one collective */
    uint32_t *component;      /* by unit: the least unit it is connected with */
    uint32_t *synced;         /* the same, by collectives of more than two */
    bool pairs;               /* send and recv connect what collectives do not */
    bool scarce;              /* few collectives of which all wait for all: others count, too */
};

static uint32_t unit_of(const struct cr *c, uint32_t g) { return c->of ? (uint32_t)c->of[c->rank[g]] : c->rank[g]; }

static uint32_t unit_at(const struct clocks *k, const struct cr_coll *x, uint32_t i)
{
    return unit_of(k->c, cr_member(k->c, x, i));
}

/* Messages and all-to-all of own sizes end less together than others: they count where these are missing or few. */
static bool counts(const struct clocks *k, const struct cr_coll *x)
{
    if (x->flags & CR_PAIR)
        return x->n == 2 && (k->scarce || (k->pairs && k->synced[unit_at(k, x, 0)] != k->synced[unit_at(k, x, 1)]));
    if (x->flags & CR_INCOMPLETE)
        return false;
    return (x->flags & CR_SYNC) || (k->scarce && x->kind == AZ_COLL_ALLTOALLV && x->n > 1);
}

static int64_t end_of(const struct cr *c, uint32_t g) { return cr_event(c, g)->end + c->shift[c->rank[g]]; }

/* On the common clock, as far as it is known. */
static int64_t true_end(const struct clocks *k, uint32_t g)
{
    const int64_t e = end_of(k->c, g);
    return cr_minus(e, cr_ahead(&k->track[unit_of(k->c, g)], e));
}

/* ---- who is connected with whom ---- */
static uint32_t root(uint32_t *of, uint32_t r)
{
    while (of[r] != r)
        r = of[r] = of[of[r]];
    return r;
}

/* A rank that shares no collective with another has a clock of its own: offsets are within a component. */
static void connect(const struct clocks *k, uint32_t *of)
{
    const struct cr *c = k->c;
    for (uint32_t r = 0; r < k->units; r++)
        of[r] = r;
    for (size_t x = 0; x < c->colls.n; x++)
        for (uint32_t i = 1; counts(k, &c->colls.v[x]) && i < c->colls.v[x].n; i++) {
            const uint32_t a = root(of, unit_at(k, &c->colls.v[x], 0)), b = root(of, unit_at(k, &c->colls.v[x], i));
            of[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t r = 0; r < k->units; r++)
        of[r] = root(of, r);
}

/* Is there less than ENOUGH for each of most units, and more to be had? */
static bool scarce(const struct clocks *k)
{
    const struct cr *c = k->c;
    size_t sync = 0;
    for (size_t x = 0; x < c->colls.n; x++)
        sync += (c->colls.v[x].flags & CR_SYNC) && !(c->colls.v[x].flags & CR_INCOMPLETE) ? c->colls.v[x].n : 0;
    return sync < ENOUGH * k->units;
}

/* ---- events that count ---- */
static int collect(struct clocks *k, struct az_arena *a)
{
    struct cr *c = k->c;
    size_t most = k->units;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct cr_coll *coll = &c->colls.v[x];
        most = coll->n > most ? coll->n : most;
        for (uint32_t i = 0; counts(k, coll) && i < coll->n; i++)
            k->first[unit_at(k, coll, i) + 2]++;
    }
    for (size_t r = 0; r < k->units; r++) {
        most = k->first[r + 2] > most ? k->first[r + 2] : most;
        k->first[r + 2] += k->first[r + 1];
    }
    k->event = az_arena_array(a, k->first[k->units + 1] + 1, sizeof *k->event);
    k->scratch = az_arena_array(a, most + 1, sizeof *k->scratch);
    k->t = az_arena_array(a, most + 1, sizeof *k->t);
    k->y = az_arena_array(a, most + 1, sizeof *k->y);
    uint32_t *order = az_arena_array(a, most + 1, sizeof *order), *g = az_arena_array(a, most + 1, sizeof *g);
    if (!k->event || !k->scratch || !k->t || !k->y || !order || !g)
        return az_arena_error(a);
    for (size_t x = 0; x < c->colls.n; x++) { /* leaves first[r] at the start of unit r */
        const struct cr_coll *coll = &c->colls.v[x];
        for (uint32_t i = 0; counts(k, coll) && i < coll->n; i++)
            k->event[k->first[unit_at(k, coll, i) + 1]++] = cr_member(c, coll, i);
    }
    int rc = 0;
    for (size_t r = 0; rc == 0 && r < k->units; r++) {
        const size_t n = k->first[r + 1] - k->first[r];
        uint32_t *v = k->event + k->first[r];
        for (size_t i = 0; i < n; i++) {
            g[i] = v[i];
            k->t[i] = end_of(c, v[i]);
        }
        rc = az_sort_order(k->t, n, order, c->job->mem);
        for (size_t i = 0; rc == 0 && i < n; i++)
            v[i] = g[order[i]];
    }
    return rc;
}

/* ---- from neighbour to neighbour ---- */
struct nearby {
    int64_t v[NEAR];
    size_t n;
};

/* What members of one collective that are not known yet are off one that is. */
static void compare(const struct clocks *k, const struct cr_coll *x, struct nearby *near)
{
    uint32_t known = 0;
    while (known < x->n && k->track[unit_at(k, x, known)].n == 0)
        known++;
    for (uint32_t i = 0; known < x->n && i < x->n; i++) {
        const uint32_t u = unit_at(k, x, i);
        if (k->track[u].n == 0 && near[u].n < NEAR)
            near[u].v[near[u].n++] =
                cr_minus(end_of(k->c, cr_member(k->c, x, i)), true_end(k, cr_member(k->c, x, known)));
    }
}

/* A first guess, so that a long row of ranks need not settle from end to end. */
static int spread(struct clocks *k)
{
    struct cr *c = k->c;
    struct nearby *near = az_mem_alloc(c->job->mem, k->units * sizeof *near);
    if (!near)
        return az_mem_error(c->job->mem);
    for (size_t r = 0; r < k->units; r++)
        if (k->component[r] == r)
            k->track[r] = (struct cr_track){ .n = 1 };
    for (bool more = true; more;) {
        more = false;
        memset(near, 0, k->units * sizeof *near);
        for (size_t x = 0; x < c->colls.n; x++)
            if (counts(k, &c->colls.v[x]))
                compare(k, &c->colls.v[x], near);
        for (size_t r = 0; r < k->units; r++) {
            if (near[r].n == 0)
                continue;
            k->track[r] = (struct cr_track){ .n = 1 };
            k->track[r].piece[0].offset = (double)cr_median(near[r].v, near[r].n);
            more = true;
        }
    }
    az_mem_free(c->job->mem, near, k->units * sizeof *near);
    return 0;
}

/* ---- settling ---- */
static void middles(struct clocks *k)
{
    const struct cr *c = k->c;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct cr_coll *coll = &c->colls.v[x];
        if (!counts(k, coll))
            continue;
        for (uint32_t i = 0; i < coll->n; i++)
            k->scratch[i] = true_end(k, cr_member(c, coll, i));
        k->middle[x] = cr_median(k->scratch, coll->n);
    }
}

/* How much later than the others' middle a unit ends, for each of its collectives; in t, y. */
static size_t differences(struct clocks *k, size_t r)
{
    size_t n = 0;
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++, n++) {
        k->t[n] = end_of(k->c, k->event[i]);
        k->y[n] = cr_minus(k->t[n], k->middle[k->c->coll[k->event[i]]]);
    }
    return n;
}

static bool same(const struct cr_track *a, const struct cr_track *b)
{
    bool equal = a->n == b->n;
    for (uint32_t i = 0; equal && i < a->n; i++)
        equal = a->piece[i].from == b->piece[i].from && llround(a->piece[i].offset) == llround(b->piece[i].offset) &&
                a->piece[i].drift == b->piece[i].drift;
    return equal;
}

/* Offsets alone until they stay; then courses. */
static void settle(struct clocks *k)
{
    int fits = 0;
    for (int round = 0; round < ROUNDS && fits < FITS; round++) {
        bool moved = false;
        middles(k);
        for (size_t r = 0; r < k->units; r++) {
            const size_t n = differences(k, r);
            struct cr_track new = { .n = 1 };
            if (n == 0)
                continue;
            if (fits)
                cr_fit(k->t, k->y, n, fits > STRAIGHT, k->scratch, &new);
            else
                new.piece[0].offset = (double)cr_median(k->y, n);
            moved |= !same(&new, &k->track[r]);
            k->track[r] = new;
        }
        if (fits > STRAIGHT && !moved)
            break;
        fits += fits || !moved || round == ROUNDS / 4;
    }
}

static int ascending(const void *a, const void *b, void *ctx)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

static int64_t middle_time(const struct clocks *k, size_t r)
{
    const size_t n = k->first[r + 1] - k->first[r];
    return n ? end_of(k->c, k->event[k->first[r] + n / 2]) : 0;
}

/* The clock of most ranks is the right one: their middle offset (the lower one of an even number) becomes 0; of two
 * ranks that of the first. So does their middle drift. */
static int anchor(struct clocks *k)
{
    int rc = 0;
    for (uint32_t of = 0; rc == 0 && of < k->units; of++) {
        int64_t *v = k->scratch, *d = k->y;
        size_t n = 0;
        for (size_t r = 0; r < k->units; r++)
            if (k->component[r] == of && k->track[r].n) {
                v[n] = cr_ahead(&k->track[r], middle_time(k, r));
                d[n++] = (int64_t)llround(k->track[r].piece[k->track[r].n / 2].drift * 1e12);
            }
        if (n > 2)
            rc = az_sort_cmp(v, n, sizeof *v, ascending, NULL, k->c->job->mem);
        if (rc == 0 && n > 2)
            rc = az_sort_cmp(d, n, sizeof *d, ascending, NULL, k->c->job->mem);
        const int64_t zero = n ? v[n > 2 ? (n - 1) / 2 : 0] : 0, at = middle_time(k, of);
        const double drift = n ? (double)d[n > 2 ? (n - 1) / 2 : 0] / 1e12 : 0;
        for (size_t r = 0; r < k->units; r++)
            for (uint32_t i = 0; k->component[r] == of && i < k->track[r].n; i++) {
                struct cr_piece *p = &k->track[r].piece[i];
                p->offset -= (double)zero + (drift != 0 ? drift * (double)cr_minus(p->from, at) : 0);
                p->drift -= drift;
            }
    }
    return rc;
}

bool cr_clock_off(const struct cr_clock *k)
{
    const int64_t far = k->furthest;
    return k->n && far > LEAST_NS && far / 3 >= k->iqr && (__int128)far > 3 * (__int128)k->iqr;
}

/* Of a recording's events that count, the collectives: several devices of it may be members of one. */
static size_t collectives_of(const struct clocks *k, size_t r)
{
    const struct cr *c = k->c;
    size_t n = 0;
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++) {
        const struct cr_coll *x = &c->colls.v[c->coll[k->event[i]]];
        uint32_t m = 0;
        while (c->of && m < x->n && unit_at(k, x, m) != r)
            m++;
        n += !c->of || cr_member(c, x, m) == k->event[i];
    }
    return n;
}

static int64_t size_of(int64_t v) { return v < 0 ? -v : v; }

/* What is known of one clock. */
static void describe(struct clocks *k, size_t r, struct cr_clock *out)
{
    const struct cr_track *track = &k->track[r];
    const size_t n = differences(k, r);
    if (n == 0)
        return;
    out->n = collectives_of(k, r);
    out->offset = cr_ahead(track, k->t[n / 2]);
    out->furthest = size_of(out->offset);
    out->error = cr_unfit(k->t, k->y, n, k->scratch, track);
    out->drift = track->piece[track->n / 2].drift;
    out->steps = track->n - 1;
    out->by_pairs = k->pairs && k->synced[r] != k->component[r];
    for (size_t i = 0; i < n; i++) {
        const int64_t ahead = size_of(cr_ahead(track, k->t[i]));
        out->furthest = ahead > out->furthest ? ahead : out->furthest;
        k->scratch[i] = cr_minus(k->y[i], cr_ahead(track, k->t[i]));
    }
    out->iqr = (int64_t)(az_percentile_i64(k->scratch, n, 75) - az_percentile_i64(k->scratch, n, 25));
    out->error = out->error < out->iqr / 2 ? out->iqr / 2 : out->error;
}

static int report(struct clocks *k)
{
    struct cr *c = k->c;
    const struct az_sv when = c->job->opts->align_clocks;
    size_t next = 0;
    for (size_t r = 0; r < k->units; r++) {
        struct cr_clock out = { 0 };
        describe(k, r, &out);
        const bool straight = k->track[r].n == 1 && k->track[r].piece[0].drift == 0;
        out.component = k->component[r];
        out.applied = out.n && out.furthest != 0 && out.furthest < FAR_NS &&
                      (az_sv_is(when, "always") || (!az_sv_is(when, "never") && cr_clock_off(&out)));
        if (out.applied && !straight) {
            struct cr_track *kept = az_arena_alloc(c->arena, sizeof *kept);
            if (!kept)
                return az_arena_error(c->arena);
            *kept = k->track[r];
            out.track = kept;
        }
        for (; next < c->ranks->n && (c->of ? c->of[next] : next) == r; next++) {
            c->clock[next] = out;
            if (out.applied && straight)
                c->shift[next] -= out.offset;
        }
    }
    return 0;
}

int cr_align_clocks(struct cr *c)
{
    struct clocks k = { .c = c, .units = c->traces->n };
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    k.first = az_arena_array(&a, k.units + 2, sizeof *k.first);
    k.track = az_arena_array(&a, k.units + 1, sizeof *k.track);
    k.middle = az_arena_array(&a, c->colls.n + 1, sizeof *k.middle);
    k.component = az_arena_array(&a, k.units + 1, sizeof *k.component);
    k.synced = az_arena_array(&a, k.units + 1, sizeof *k.synced);
    int rc = k.first && k.track && k.middle && k.component && k.synced ? 0 : az_arena_error(&a);
    if (rc == 0) {
        connect(&k, k.synced);
        k.pairs = true;
        k.scarce = scarce(&k);
        connect(&k, k.component);
        rc = collect(&k, &a);
    }
    if (rc == 0)
        rc = spread(&k);
    if (rc == 0) {
        settle(&k);
        rc = anchor(&k);
    }
    if (rc == 0) {
        middles(&k);
        rc = report(&k);
    }
    az_arena_release(&a);
    return rc;
}
