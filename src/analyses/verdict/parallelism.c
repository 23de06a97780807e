/* low_parallelism: long kernels with so few blocks that at least half of the device cannot work on
 * them, nor on those that run at the same time (docs/verdict.md 3.4). */
#include <inttypes.h>
#include <math.h>

#include "analyses/rates.h"
#include "analyses/verdict/verdict.h"
#include "base/sort.h"
#include "facts/devices.h"
#include "facts/lazy_cache.h"
#include "model/geometry.h"

#define FINDINGS 16
#define AT_ONCE  128 /* kernels that a device runs at one time; more are taken to fill it */

struct few { /* kernels of one name */
    uint32_t name;
    double least, most; /* blocks of one */
    int64_t count, ticks;
    struct az_verdict_lengths lengths;
    double idle; /* ticks of the whole device that its units without a block would have been */
};
AZ_VEC(struct few, fews);

/* A kernel that runs. */
struct running {
    int64_t end;
    double blocks;  /* INFINITY: unknown */
    uint32_t place; /* of its name in `fews`; AZ_NO_ROW: it is none of those */
};
struct current {
    bool idle;    /* the device has no part in the account */
    int64_t at;   /* counted up to here */
    size_t moved; /* of `moves`: those before it ended before that */
    size_t n;
    struct running of[AT_ONCE];
};

struct occupancy {
    struct az_verdict *v;
    struct az_devices_of dev;
    struct current *current; /* by slot */
    double units;
    int64_t least;     /* ticks: shorter kernels may be bound by their start */
    uint8_t *computes; /* name -> 0: not known, 1: yes, 2: no */
    uint32_t *place;   /* name -> place in `fews` + 1 */
    struct fews fews;
    struct az_vec_u32 moves; /* copies that migrate pages of managed memory, by start */
};

static bool computes(struct occupancy *k, uint32_t name)
{
    if (!k->computes[name])
        k->computes[name] =
            az_part_of(k->v->job, k->v->trace, AZ_KERNEL, name) == AZ_PART_COMPUTE ? 1 : 2;
    return k->computes[name] == 1;
}

/* Ticks until `to` in which pages migrate to or from the device: kernels wait for them, however
 * many blocks they have. */
static int64_t migrating(const struct occupancy *k, struct current *c, int64_t to)
{
    const struct az_events *e = &k->v->t->ev[AZ_MEMCPY];
    const size_t slot = (size_t)(c - k->current), n = k->moves.n;
    int64_t sum = 0, from = c->at;

    while (c->moved < n && e->end[k->moves.v[c->moved]] <= from)
        c->moved++;
    for (size_t i = c->moved; i < n && e->start[k->moves.v[i]] < to; i++) {
        const uint32_t row = k->moves.v[i];
        const int64_t start = e->start[row] > from ? e->start[row] : from;
        const int64_t end = e->end[row] < to ? e->end[row] : to;
        if (k->dev.slot_of_lane.v[e->lane[row]] != slot || end <= start)
            continue;
        sum += end - start;
        from = end;
    }
    return sum;
}

/* Until `to` the kernels that run stay the same: the first of `fews` has the time of the units
 * without a block. */
static void count_until(struct occupancy *k, struct current *c, int64_t to)
{
    double blocks = 0;
    uint32_t place = AZ_NO_ROW;
    for (size_t i = 0; i < c->n; i++) {
        blocks += c->of[i].blocks;
        place = place == AZ_NO_ROW ? c->of[i].place : place;
    }
    if (place != AZ_NO_ROW && 2 * blocks <= k->units && to > c->at)
        k->fews.v[place].idle +=
            (double)(to - c->at - migrating(k, c, to)) * (1 - blocks / k->units);
    c->at = to;
}

/* Kernels that end by then are taken out. */
static void advance(struct occupancy *k, struct current *c, int64_t to)
{
    while (c->n) {
        size_t first = 0;
        for (size_t i = 1; i < c->n; i++)
            first = c->of[i].end < c->of[first].end ? i : first;
        if (c->of[first].end > to)
            break;
        count_until(k, c, c->of[first].end);
        memmove(&c->of[first], &c->of[first + 1], (--c->n - first) * sizeof *c->of);
    }
    count_until(k, c, to);
}

static void start(struct current *c, const struct running *r)
{
    if (c->n < AT_ONCE) {
        c->of[c->n++] = *r;
        return;
    }
    struct running *last = &c->of[AT_ONCE - 1];
    last->end = r->end > last->end ? r->end : last->end;
    last->blocks = INFINITY;
}

static int open_few(struct occupancy *k, size_t row, double blocks, uint32_t *place)
{
    const struct az_events *e = &k->v->t->ev[AZ_KERNEL];
    const uint32_t name = e->name[row];
    if (!k->place[name]) {
        const int rc =
            az_vec_push(&k->fews, ((struct few){ .name = name, .least = blocks, .most = blocks }));
        if (rc)
            return rc;
        k->place[name] = (uint32_t)k->fews.n;
    }
    struct few *f = &k->fews.v[k->place[name] - 1];
    f->least = fmin(f->least, blocks);
    f->most = fmax(f->most, blocks);
    f->count++;
    f->ticks += e->end[row] - e->start[row];
    az_verdict_lengths_add(&f->lengths, e->end[row] - e->start[row]);
    *place = k->place[name] - 1;
    return 0;
}

static int look_at(struct occupancy *k, size_t row)
{
    const struct az_events *e = &k->v->t->ev[AZ_KERNEL];
    struct current *c = &k->current[k->dev.slot_of_lane.v[e->lane[row]]];
    const struct az_geometry *g = az_geometry_of(k->v->t, row);
    struct running r = { .end = e->end[row],
                         .blocks = g ? az_geometry_blocks(g) : INFINITY,
                         .place = AZ_NO_ROW };
    int rc = 0;
    advance(k, c, e->start[row]);
    if (e->end[row] - e->start[row] >= k->least && !c->idle && e->name[row] != AZ_NO_ID &&
        2 * r.blocks <= k->units && az_verdict_in_scope(k->v, e->start[row]) &&
        computes(k, e->name[row])) {
        rc = open_few(k, row, r.blocks, &r.place);
        r.end = r.end < k->v->window.end ? r.end : k->v->window.end;
    }
    start(c, &r);
    return rc;
}

static int find_moves(struct occupancy *k)
{
    const struct az_events *e = &k->v->t->ev[AZ_MEMCPY];
    int rc = 0;

    for (size_t i = 0; rc == 0 && e->side && i < e->n; i++)
        if (e->side[i] != AZ_NO_ROW && k->v->t->copies.v[e->side[i]].migration)
            rc = az_vec_push(&k->moves, (uint32_t)i);
    return rc;
}

static int look_at_all(struct occupancy *k)
{
    const struct az_events *e = &k->v->t->ev[AZ_KERNEL];
    int rc = 0;
    const struct az_counted *counted = az_job_counted(k->v->job, k->v->trace, AZ_ALL_WORK, &rc);
    const uint8_t *skip = counted ? counted->skip[AZ_KERNEL] : NULL;
    for (size_t i = 0; rc == 0 && i < e->n; i++) /* by start */
        if (!skip || !skip[i])
            rc = look_at(k, i);
    for (size_t i = 0; rc == 0 && i < k->dev.slots.n; i++)
        advance(k, &k->current[i], INT64_MAX);
    return rc;
}

static int most_idle(const void *x, const void *y, void *ctx)
{
    const struct few *a = x, *b = y;
    (void)ctx;
    if (a->idle != b->idle)
        return a->idle > b->idle ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* ", 8 blocks for 132 compute units" */
static struct az_sv blocks_text(const struct occupancy *k, const struct few *f)
{
    struct az_arena *a = k->v->job->arena;
    if (f->least < f->most)
        return az_arena_printf(a, ", %.0f to %.0f blocks for %.0f compute units", f->least, f->most,
                               k->units);
    return az_arena_printf(a, ", %.0f block%s for %.0f compute units", f->least,
                           f->least == 1 ? "" : "s", k->units);
}

static int report(struct occupancy *k)
{
    struct az_verdict *v = k->v;
    int rc = 0;
    az_sort_cmp(k->fews.v, k->fews.n, sizeof *k->fews.v, most_idle, NULL, v->job->mem);
    for (size_t i = 0; rc == 0 && i < k->fews.n && i < FINDINGS; i++) {
        const struct few *f = &k->fews.v[i];
        const struct az_sv name = az_trace_text(v->t, f->name);
        const struct az_verdict_found found = { .subject = az_verdict_short(name),
                                                .detail = blocks_text(k, f),
                                                .row = name,
                                                .count = f->count,
                                                .smallest = az_verdict_ns(v, f->lengths.least),
                                                .largest = az_verdict_ns(v, f->lengths.most),
                                                .ns = az_verdict_ns(v, f->ticks),
                                                .gain = az_verdict_ns(v, llround(f->idle)) };
        rc = az_verdict_add(v, "low_parallelism", &found);
    }
    return rc;
}

static int make_slots(struct occupancy *k)
{
    struct az_arena *a = k->v->job->arena;
    const struct az_accounts *accounts = k->v->accounts;
    const size_t names = k->v->t->names.text.n + 1;
    int rc = az_devices_make(&k->dev, k->v->t, AZ_BY_DEVICE, k->v->job->mem);
    if (rc)
        return rc;
    k->current = az_arena_array(a, k->dev.slots.n + 1, sizeof *k->current);
    k->computes = az_arena_array(a, names, sizeof *k->computes);
    k->place = az_arena_array(a, names, sizeof *k->place);
    if (!k->current || !k->computes || !k->place)
        return az_arena_error(a);
    for (size_t i = 0; i < k->dev.slots.n; i++) {
        const size_t at = az_accounts_device(accounts, k->dev.slots.v[i].device);
        k->current[i].idle = at < accounts->n_devices && accounts->idle[at];
        k->current[i].at = INT64_MIN;
    }
    return 0;
}

int az_verdict_find_parallelism(struct az_verdict *v)
{
    struct occupancy k = { .v = v,
                           .units = az_trace_device(v->t).units,
                           .least = (int64_t)AZ_LONG_KERNEL_NS * v->t->ticks_per_ns };
    if (!v->accounts || !(k.units > 0) || !az_geometry_read(v->t))
        return 0;
    az_vec_init(&k.fews, v->job->mem);
    az_vec_init(&k.moves, v->job->mem);
    int rc = make_slots(&k);
    if (rc == 0)
        rc = find_moves(&k);
    if (rc == 0)
        rc = look_at_all(&k);
    if (rc == 0)
        rc = report(&k);
    az_devices_release(&k.dev);
    az_vec_release(&k.fews);
    az_vec_release(&k.moves);
    return rc;
}
