/* Clocks of the ranks, from ends of collectives, which come within microseconds of each other:
 * offset, drift and steps of each against the middle of all. Where collectives of several do not
 * join all ranks, ends of send and recv do. docs/formulas-collectives.md 3.1. */
#include "analyses/collectives/clock.h"
#include "base/pool.h"
#include "base/sort.h"

#include <math.h>

#define ROUNDS 64
#define FITS   24 /* rounds in which drifts are sought */
#define STRAIGHT                                                                                   \
    2 /* the first of them without steps: one step among few ranks bends the middle of all */
#define STILL_NS 100   /* a course that moves less has settled */
#define TELL_NS  20000 /* a smaller offset is not reported */
#define LEAST_NS 3000  /* ends scatter by less for other reasons: no shift */
#define SCATTER                                                                                    \
    16 /* collectives, from which their scatter is known: fewer shift by TELL_NS at least */
#define FAR_NS (INT64_C(1) << 59) /* clocks that are years apart stay so */
#define ENOUGH 64                 /* collectives of a clock, to estimate its drift and steps */
#define NEAR   15 /* differences to a neighbor, by which a clock is known at first */

/* ---- who is connected with whom ---- */
/* A rank that shares no collective with another has a clock of its own: offsets are within a
 * component. */
static void connect(const struct az_clocks *k, uint32_t *of)
{
    const struct az_coll_run *c = k->c;
    for (uint32_t r = 0; r < k->units; r++)
        of[r] = r;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *coll = &c->colls.v[x];
        const uint32_t n = az_coll_counts(k, coll) ? coll->n : 0;
        for (uint32_t i = 1; i < n; i++) {
            const uint32_t a = az_coll_root(of, az_coll_unit_at(k, coll, 0)),
                           b = az_coll_root(of, az_coll_unit_at(k, coll, i));
            of[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t r = 0; r < k->units; r++)
        of[r] = az_coll_root(of, r);
}

/* Is there less than ENOUGH for each of most units, and more to be had? */
static bool scarce(const struct az_clocks *k)
{
    const struct az_coll_run *c = k->c;
    size_t sync = 0;
    for (size_t x = 0; x < c->colls.n; x++)
        sync += (c->colls.v[x].flags & AZ_COLL_SYNC) && !(c->colls.v[x].flags & AZ_COLL_INCOMPLETE)
                    ? c->colls.v[x].n
                    : 0;
    return sync < ENOUGH * k->units;
}

/* ---- events that count ---- */
static int collect(struct az_clocks *k, struct az_arena *a)
{
    struct az_coll_run *c = k->c;
    size_t most = k->units > c->colls.n ? k->units : c->colls.n; /* of a cluster: one each */
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *coll = &c->colls.v[x];
        const uint32_t n = az_coll_counts(k, coll) ? coll->n : 0;
        most = coll->n > most ? coll->n : most;
        for (uint32_t i = 0; i < n; i++)
            k->first[az_coll_unit_at(k, coll, i) + 2]++;
    }
    for (size_t r = 0; r < k->units; r++) {
        most = k->first[r + 2] > most ? k->first[r + 2] : most;
        k->first[r + 2] += k->first[r + 1];
    }
    k->event = az_arena_array(a, k->first[k->units + 1] + 1, sizeof *k->event);
    k->scratch = az_arena_array(a, most + 1, sizeof *k->scratch);
    k->t = az_arena_array(a, most + 1, sizeof *k->t);
    k->y = az_arena_array(a, most + 1, sizeof *k->y);
    uint32_t *order = k->order = az_arena_array(a, most + 1, sizeof *order);
    uint32_t *g = az_arena_array(a, most + 1, sizeof *g);
    k->left = az_arena_array(a, most + 1, sizeof *k->left);
    if (!k->event || !k->scratch || !k->t || !k->y || !order || !g || !k->left)
        return az_arena_error(a);
    for (size_t x = 0; x < c->colls.n; x++) { /* leaves first[r] at the start of unit r */
        const struct az_coll_coll *coll = &c->colls.v[x];
        const uint32_t n = az_coll_counts(k, coll) ? coll->n : 0;
        for (uint32_t i = 0; i < n; i++)
            k->event[k->first[az_coll_unit_at(k, coll, i) + 1]++] = az_coll_member(c, coll, i);
    }
    for (size_t r = 0; r < k->units; r++) {
        const size_t n = k->first[r + 1] - k->first[r];
        uint32_t *v = k->event + k->first[r];
        for (size_t i = 0; i < n; i++) {
            g[i] = v[i];
            k->t[i] = az_coll_end_of(c, v[i]);
        }
        az_sort_order(k->t, n, order, c->job->mem);
        for (size_t i = 0; i < n; i++)
            v[i] = g[order[i]];
    }
    return 0;
}

/* ---- from neighbor to neighbor ---- */
struct nearby {
    int64_t v[NEAR];
    size_t n;
};

/* What members of one collective that are not known yet are off one that is. */
static void compare(const struct az_clocks *k, const struct az_coll_coll *x, struct nearby *near)
{
    uint32_t known = 0;
    while (known < x->n && k->track[az_coll_unit_at(k, x, known)].n == 0)
        known++;
    for (uint32_t i = 0; known < x->n && i < x->n; i++) {
        const uint32_t u = az_coll_unit_at(k, x, i);
        if (k->track[u].n == 0 && near[u].n < NEAR)
            near[u].v[near[u].n++] =
                az_coll_minus(az_coll_end_of(k->c, az_coll_member(k->c, x, i)),
                              az_coll_true_end(k, az_coll_member(k->c, x, known)));
    }
}

/* A first guess, so that a long row of ranks need not settle from end to end. */
static int spread(struct az_clocks *k)
{
    struct az_coll_run *c = k->c;
    struct nearby *near = az_mem_alloc(c->job->mem, k->units * sizeof *near);
    if (!near)
        return az_mem_error(c->job->mem);
    for (size_t r = 0; r < k->units; r++)
        if (k->component[r] == r)
            k->track[r] = (struct az_coll_track){ .n = 1 };
    for (bool more = true; more;) {
        more = false;
        memset(near, 0, k->units * sizeof *near);
        for (size_t x = 0; x < c->colls.n; x++)
            if (az_coll_counts(k, &c->colls.v[x]))
                compare(k, &c->colls.v[x], near);
        for (size_t r = 0; r < k->units; r++) {
            if (near[r].n == 0)
                continue;
            k->track[r] = (struct az_coll_track){ .n = 1 };
            k->track[r].piece[0].offset = (double)az_coll_median(near[r].v, near[r].n);
            more = true;
        }
    }
    az_mem_free(c->job->mem, near, k->units * sizeof *near);
    return 0;
}

/* ---- threads ---- */
#define THREADS_FROM 4096 /* events */
#define THREADS_MOST 16

/* Units or collectives of which none needs what another one gets. */
struct split {
    const struct az_clocks *k;
    size_t n;
    void (*each)(struct az_clocks *k, size_t i);
};

static void run_part(void *ctx, unsigned part)
{
    const struct split *s = ctx;
    struct az_clocks own = *s->k;
    own.t = own.room + 3 * own.width * part;
    own.y = own.t + own.width;
    own.scratch = own.y + own.width;
    for (size_t i = s->n * part / own.parts; i < s->n * (part + 1) / own.parts; i++)
        s->each(&own, i);
}

static int for_each(struct az_clocks *k, size_t n, void (*each)(struct az_clocks *k, size_t i))
{
    struct split s = { k, n, each };
    if (k->room)
        return az_pool_split(k->parts, k->parts, run_part, &s);
    for (size_t i = 0; i < n; i++)
        each(k, i);
    return 0;
}

/* Buffers of the threads, and whether units are independent of each other within a round. */
static int make_room(struct az_clocks *k, struct az_arena *a)
{
    const struct az_coll_run *c = k->c;
    size_t width = 1;
    for (size_t r = 0; r < k->units; r++)
        width = k->first[r + 1] - k->first[r] > width ? k->first[r + 1] - k->first[r] : width;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *coll = &c->colls.v[x];
        width = coll->n > width ? coll->n : width;
        k->twos |= coll->n == 2 && az_coll_counts(k, coll);
    }
    k->width = width;
    k->parts = c->job->threads < THREADS_MOST ? c->job->threads : THREADS_MOST;
    if (k->parts < 2 || k->first[k->units] < THREADS_FROM)
        return 0;
    k->room = az_arena_array(a, 3 * width * k->parts, sizeof *k->room);
    return k->room ? 0 : az_arena_error(a);
}

/* ---- settling ---- */
static int list_ends(struct az_clocks *k, struct az_arena *a)
{
    const struct az_coll_run *c = k->c;
    k->ends = az_arena_array(a, c->ranks->n + 1, sizeof *k->ends);
    k->piece = az_arena_array(a, k->units + 1, sizeof *k->piece);
    if (!k->ends || !k->piece)
        return az_arena_error(a);
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct az_coll_part *p = c->part[r];
        if (p)
            k->ends[r] = (struct az_coll_ends){
                .start = p->start.v,
                .length = p->length.v,
                .start_mask = p->start.mask,
                .length_mask = p->length.mask,
                .base = p->start.base + p->length.base + (uint64_t)c->shift[r],
                .start_bits = p->start.bits,
                .length_bits = p->length.bits,
                .first = c->base[r],
            };
    }
    return 0;
}

static void middle(struct az_clocks *k, size_t x)
{
    const struct az_coll_run *c = k->c;
    const struct az_coll_coll *coll = &c->colls.v[x];
    const uint32_t *member = c->member.v + coll->first;
    if (!az_coll_counts(k, coll))
        return;
    for (uint32_t i = 0; i < coll->n; i++) {
        const uint32_t r = c->rank[member[i]], unit = c->of ? (uint32_t)c->of[r] : r;
        const struct az_coll_piece *p = &k->piece[unit];
        const int64_t e = az_coll_ends_at(&k->ends[r], member[i]),
                      ahead = p->drift == 0     ? p->from
                              : isnan(p->drift) ? az_coll_ahead_of_pieces(&k->track[unit], e)
                                                : az_coll_piece_ahead(p, e);
        k->scratch[i] = az_coll_minus(e, ahead);
    }
    k->middle[x] = az_coll_median(k->scratch, coll->n);
}

static int middles(struct az_clocks *k)
{
    if (k->still)
        return 0;
    for (size_t u = 0; u < k->units; u++) {
        k->piece[u] = k->track[u].n ? k->track[u].piece[0] : (struct az_coll_piece){ .from = 0 };
        if (k->piece[u].drift == 0)
            k->piece[u].from = az_llround(k->piece[u].offset);
        if (k->track[u].n > 1)
            k->piece[u].drift = NAN;
    }
    return for_each(k, k->c->colls.n, middle);
}

/* When the other one of two ends, as far as its clock is known by now; of more, the middle that all
 * had. */
static int64_t others(const struct az_clocks *k, uint32_t g)
{
    const struct az_coll_coll *x = &k->c->colls.v[k->c->coll[g]];
    const uint32_t first = az_coll_member(k->c, x, 0);
    return x->n == 2 ? az_coll_true_end(k, first == g ? az_coll_member(k->c, x, 1) : first)
                     : k->middle[k->c->coll[g]];
}

/* Those of a unit that is one rank, where no collective of two counts. */
static size_t rank_differences(struct az_clocks *k, size_t r)
{
    const struct az_coll_run *c = k->c;
    const struct az_coll_part *p = c->part[r];
    const uint32_t *event = k->event + k->first[r];
    const size_t n = k->first[r + 1] - k->first[r];
    const int64_t shift = c->shift[r];
    for (size_t i = 0; i < n; i++) {
        k->t[i] = az_coll_part_end(p, event[i] - c->base[r]) + shift;
        k->y[i] = az_coll_minus(k->t[i], k->middle[c->coll[event[i]]]);
    }
    return n;
}

/* How much later than the others a unit ends, for each of its collectives; in t, y. */
static size_t differences(struct az_clocks *k, size_t r)
{
    size_t n = 0;
    if (!k->c->of && !k->twos)
        return rank_differences(k, r);
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++, n++) {
        k->t[n] = az_coll_end_of(k->c, k->event[i]);
        k->y[n] = az_coll_minus(k->t[n], others(k, k->event[i]));
    }
    return n;
}

/* Units by what their courses leave, most first: who steps comes before those that it would draw
 * along. */
static void misfit(struct az_clocks *k, size_t r)
{
    const size_t n = differences(k, r);
    k->left[r] = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t d =
            az_coll_size(az_coll_minus(k->y[i], az_coll_ahead(&k->track[r], k->t[i])));
        k->left[r] -= (d < FAR_NS ? d : FAR_NS) / (int64_t)n;
    }
}

static int by_misfit(struct az_clocks *k, uint32_t *order)
{
    const int rc = for_each(k, k->units, misfit);
    if (rc == 0)
        az_sort_order(k->left, k->units, order, k->c->job->mem);
    return rc;
}

/* A new course of one unit; left: by how much it moved. */
static void settle_unit(struct az_clocks *k, size_t r)
{
    const size_t n = differences(k, r);
    struct az_coll_track new = { .n = 1 };
    k->left[r] = 0;
    if (n == 0)
        return;
    az_coll_course(k, n, k->how, &new);
    k->left[r] = az_coll_apart(k, n, &new, &k->track[r]);
    k->track[r] = new;
}

static int settle_units(struct az_clocks *k, int64_t *moved)
{
    int rc = middles(k);
    if (rc == 0)
        rc = k->twos ? by_misfit(k, k->order) : for_each(k, k->units, settle_unit);
    for (size_t i = 0; rc == 0 && i < k->units; i++) {
        const size_t r = k->twos ? k->order[i] : i;
        if (k->twos)
            settle_unit(k, r);
        *moved = k->left[r] > *moved ? k->left[r] : *moved;
    }
    return rc;
}

/* Offsets alone until they stay; then courses. */
static int settle(struct az_clocks *k)
{
    int fits = 0, rc = 0;
    for (int round = 0; rc == 0 && round < ROUNDS && fits < FITS; round++) {
        int64_t moved = 0;
        const enum az_coll_course how = !fits             ? AZ_COLL_OFFSET
                                        : fits > STRAIGHT ? AZ_COLL_STEPS
                                                          : AZ_COLL_DRIFT;
        k->how = how;
        rc = settle_units(k, &moved);
        for (size_t i = 0; rc == 0 && i < k->levels; i++) {
            rc = middles(k);
            if (rc == 0)
                rc = az_coll_settle_clusters(k, k->cluster[i], how, &moved);
        }
        if (fits > STRAIGHT && moved < STILL_NS)
            break;
        fits += fits || moved < STILL_NS || round == ROUNDS / 4;
        k->still = moved == 0;
        if (k->still && how == AZ_COLL_DRIFT) /* another such round would find the same */
            fits = STRAIGHT + 1;
    }
    k->still = false;
    return rc;
}

static int ascending(const void *a, const void *b, void *ctx)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

static int64_t middle_time(const struct az_clocks *k, size_t r)
{
    const size_t n = k->first[r + 1] - k->first[r];
    return n ? az_coll_end_of(k->c, k->event[k->first[r] + n / 2]) : 0;
}

/* The clock of most ranks is the right one: their middle offset (the lower one of an even number)
 * becomes 0; of two ranks that of the first. So does their middle drift. */
static void anchor(struct az_clocks *k)
{
    az_coll_chain(k, k->component);
    for (uint32_t of = 0; of < k->units; of++) {
        if (k->component[of] != of)
            continue;
        int64_t *v = k->scratch, *d = k->y;
        size_t n = 0;
        for (uint32_t r = of; r != AZ_NO_ROW; r = k->chain[r])
            if (k->track[r].n) {
                v[n] = az_coll_ahead(&k->track[r], middle_time(k, r));
                d[n++] = (int64_t)llround(k->track[r].piece[k->track[r].n / 2].drift * 1e12);
            }
        if (n > 2) {
            az_sort_cmp(v, n, sizeof *v, ascending, NULL, k->c->job->mem);
            az_sort_cmp(d, n, sizeof *d, ascending, NULL, k->c->job->mem);
        }
        const int64_t zero = n ? v[n > 2 ? (n - 1) / 2 : 0] : 0, at = middle_time(k, of);
        const double drift = n ? (double)d[n > 2 ? (n - 1) / 2 : 0] / 1e12 : 0;
        for (uint32_t r = of; r != AZ_NO_ROW; r = k->chain[r])
            for (uint32_t i = 0; i < k->track[r].n; i++) {
                struct az_coll_piece *p = &k->track[r].piece[i];
                p->offset -=
                    (double)zero + (drift != 0 ? drift * (double)az_coll_minus(p->from, at) : 0);
                p->drift -= drift;
            }
    }
}

/* Is it known to be off by more than this? */
static bool off_by(const struct az_coll_clock *k, int64_t least)
{
    const int64_t far = k->furthest;
    return k->n && far > least && far / 3 >= k->iqr && (__int128)far > 3 * (__int128)k->iqr;
}

bool az_coll_clock_off(const struct az_coll_clock *k) { return off_by(k, TELL_NS); }

/* Of a recording's events that count, the collectives: several devices of it may be members of one.
 */
static size_t collectives_of(const struct az_clocks *k, size_t r)
{
    const struct az_coll_run *c = k->c;
    size_t n = 0;
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++) {
        const struct az_coll_coll *x = &c->colls.v[c->coll[k->event[i]]];
        uint32_t m = 0;
        while (c->of && m < x->n && az_coll_unit_at(k, x, m) != r)
            m++;
        n += !c->of || az_coll_member(c, x, m) == k->event[i];
    }
    return n;
}

/* What is known of one clock. */
static void describe(struct az_clocks *k, size_t r, struct az_coll_clock *out)
{
    const struct az_coll_track *track = &k->track[r];
    const size_t n = differences(k, r);
    if (n == 0)
        return;
    out->n = collectives_of(k, r);
    out->offset = az_coll_ahead(track, k->t[n / 2]);
    out->furthest = az_coll_size(out->offset);
    out->error = az_coll_unfit(k->t, k->y, n, k->scratch, track);
    out->drift = track->piece[track->n / 2].drift;
    out->steps = track->n - 1;
    out->by_pairs = k->pairs && k->synced[r] != k->component[r];
    for (size_t i = 0; i < n; i++) {
        const int64_t ahead = az_coll_size(az_coll_ahead(track, k->t[i]));
        out->furthest = ahead > out->furthest ? ahead : out->furthest;
        k->scratch[i] = az_coll_minus(k->y[i], az_coll_ahead(track, k->t[i]));
    }
    out->iqr =
        (int64_t)(az_percentile_i64(k->scratch, n, 75) - az_percentile_i64(k->scratch, n, 25));
    out->error = out->error < out->iqr / 2 ? out->iqr / 2 : out->error;
}

static int report(struct az_clocks *k)
{
    struct az_coll_run *c = k->c;
    const struct az_sv when = c->job->opts->align_clocks;
    size_t next = 0;
    for (size_t r = 0; r < k->units; r++) {
        struct az_coll_clock out = { 0 };
        describe(k, r, &out);
        const bool straight = k->track[r].n == 1 && k->track[r].piece[0].drift == 0;
        out.component = k->component[r];
        out.applied =
            out.n && out.furthest != 0 && out.furthest < FAR_NS &&
            (az_sv_is(when, "always") ||
             (!az_sv_is(when, "never") && off_by(&out, out.n < SCATTER ? TELL_NS : LEAST_NS)));
        if (out.applied && !straight) {
            struct az_coll_track *kept = az_arena_alloc(c->arena, sizeof *kept);
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

int az_coll_align_clocks(struct az_coll_run *c)
{
    struct az_clocks k = { .c = c, .units = c->traces->n };
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    k.first = az_arena_array(&a, k.units + 2, sizeof *k.first);
    k.track = az_arena_array(&a, k.units + 1, sizeof *k.track);
    k.middle = az_arena_array(&a, c->colls.n + 1, sizeof *k.middle);
    k.component = az_arena_array(&a, k.units + 1, sizeof *k.component);
    k.synced = az_arena_array(&a, k.units + 1, sizeof *k.synced);
    k.chain = az_arena_array(&a, k.units + 1, sizeof *k.chain);
    int rc = k.first && k.track && k.middle && k.component && k.synced && k.chain
                 ? 0
                 : az_arena_error(&a);
    if (rc == 0) {
        connect(&k, k.synced);
        k.pairs = true;
        k.scarce = scarce(&k);
        connect(&k, k.component);
        rc = collect(&k, &a);
    }
    if (rc == 0)
        rc = make_room(&k, &a);
    if (rc == 0)
        rc = list_ends(&k, &a);
    if (rc == 0)
        rc = az_coll_clusters(&k, &a);
    if (rc == 0)
        rc = spread(&k);
    if (rc == 0)
        rc = settle(&k);
    if (rc == 0)
        anchor(&k);
    if (rc == 0)
        rc = middles(&k);
    if (rc == 0)
        rc = report(&k);
    az_arena_release(&a);
    return rc;
}
