/* The critical path over ranks against brute force on random runs: its length is that of the
 * longest chain, which is the run; where its time goes is what a plain walk over all operations
 * says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/collectives/path.h"

enum { RANKS = 8, OPS = 14, RUNS = 1000 };

struct run {
    size_t ranks;
    struct az_coll_op op[RANKS][OPS]; /* by start */
    size_t n[RANKS], events[RANKS];
    uint32_t coll[RANKS][OPS]; /* of an operation; AZ_NO_ROW */
    size_t colls;
    int64_t begin, end;
    size_t last;
};

static uint64_t state;
static int64_t dice(int64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static void put(struct run *x, size_t r, int64_t start, int64_t end, uint32_t coll)
{
    if (x->n[r] == OPS)
        return;
    size_t i = x->n[r]++;
    for (; i > 0 && x->op[r][i - 1].start > start; i--) {
        x->op[r][i] = x->op[r][i - 1];
        x->coll[r][i] = x->coll[r][i - 1];
    }
    x->op[r][i] = (struct az_coll_op){ start, end, AZ_NO_ROW, (uint8_t)(1 + dice(4)),
                                       dice(5) ? start - dice(30) : INT64_MIN };
    x->coll[r][i] = coll;
}

/* Work on two streams, collectives of some ranks that end about together, pairs of which the sender
 * need not wait, gaps, operations without length. */
static void make(struct run *x)
{
    int64_t now[RANKS] = { 0 };
    memset(x, 0, sizeof *x);
    x->ranks = 2 + (size_t)dice(RANKS - 1);
    for (size_t r = 0; r < x->ranks; r++)
        now[r] = dice(50);
    for (int k = 0; k < 4; k++) {
        int64_t arrival = 0;
        for (size_t r = 0; r < x->ranks; r++)
            for (int64_t w = dice(3); w > 0; w--) {
                const int64_t start = now[r] + dice(15), length = dice(40);
                put(x, r, start, start + length, AZ_NO_ROW);
                now[r] = dice(3) ? start + length : start + length / 2; /* another stream */
            }
        const bool pair = dice(4) == 0;
        const size_t first = (size_t)dice((int64_t)x->ranks);
        int64_t at[RANKS];
        for (size_t r = 0; r < x->ranks; r++) {
            at[r] = pair      ? (r == first || r == (first + 1) % x->ranks ? now[r] + dice(9) : -1)
                    : dice(5) ? now[r] + dice(9)
                              : -1;
            arrival = at[r] > arrival ? at[r] : arrival;
        }
        const uint32_t coll = (uint32_t)x->colls++;
        for (size_t r = 0; r < x->ranks; r++) {
            const bool early = pair && r == first && dice(2);
            if (at[r] < 0)
                continue;
            const int64_t end = early ? at[r] + dice(5) : arrival + 5 + dice(4);
            put(x, r, at[r], end, coll);
            now[r] = dice(2) ? end : at[r] + dice(20); /* waited for, or work goes on beside it */
        }
    }
    x->begin = INT64_MAX;
    x->end = INT64_MIN;
    for (size_t r = 0; r < x->ranks; r++) {
        for (size_t i = 0; i < x->n[r]; i++) {
            struct az_coll_op *o = &x->op[r][i];
            if (x->coll[r][i] != AZ_NO_ROW)
                o->event = (uint32_t)x->events[r]++;
            x->begin = o->start < x->begin ? o->start : x->begin;
            if (o->end > x->end) {
                x->end = o->end;
                x->last = r;
            }
        }
    }
}

/* ---- brute force ---- */

/* Is a before b in the order of ends, as path_local.c has it? */
static bool earlier(const struct run *x, size_t r, size_t a, size_t b)
{
    const struct az_coll_op *p = &x->op[r][a], *q = &x->op[r][b];
    const bool pc = p->event != AZ_NO_ROW, qc = q->event != AZ_NO_ROW;
    if (p->end != q->end)
        return p->end < q->end;
    if (pc != qc)
        return qc;
    return p->start != q->start ? p->start < q->start : a < b;
}

static int64_t longest(const struct run *x, size_t r, int64_t t, size_t self, int deep);

/* Of all chains that end with an operation. */
static int64_t through(const struct run *x, size_t r, size_t i, int deep)
{
    const struct az_coll_op *o = &x->op[r][i];
    int64_t best = -1, arrived = o->start;
    if (o->event == AZ_NO_ROW)
        return longest(x, r, o->start, i, deep) + o->end - o->start;
    for (int pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < x->ranks; q++)
            for (size_t k = 0; k < x->n[q]; k++) {
                const int64_t s = x->op[q][k].start;
                if (x->coll[q][k] != x->coll[r][i] || s > o->end)
                    continue;
                arrived = pass == 0 && s > arrived ? s : arrived;
                /* who came earlier has waited until the last did: that counts nothing */
                const int64_t v = pass ? longest(x, q, s, k, deep) + o->end - arrived : -1;
                best = v > best ? v : best;
            }
    return best;
}

static int64_t memo[RANKS][OPS + 1];
static int64_t longest(const struct run *x, size_t r, int64_t t, size_t self, int deep)
{
    int64_t best = -1;
    if (deep > 400) /* round in circles of operations without length */
        return 0;
    if (self < OPS && memo[r][self] >= 0)
        return memo[r][self];
    for (size_t i = 0; i < x->n[r]; i++) {
        if (x->op[r][i].end > t || i == self || (self < OPS && !earlier(x, r, i, self)))
            continue;
        const int64_t v = through(x, r, i, deep + 1) + t - x->op[r][i].end;
        best = v > best ? v : best;
    }
    best = best < 0 ? t - x->begin : best;
    if (self < OPS)
        memo[r][self] = best;
    return best;
}

/* ---- a plain walk ---- */
static void walk(const struct run *x, struct az_coll_path *out)
{
    size_t r = x->last, self = OPS;
    int64_t t = x->end;
    for (int deep = 0; deep < 1000; deep++) {
        size_t p = OPS;
        for (size_t i = 0; i < x->n[r]; i++)
            if (x->op[r][i].end <= t && i != self && (self == OPS || earlier(x, r, i, self)) &&
                (p == OPS || earlier(x, r, p, i)))
                p = i;
        const int64_t from = p == OPS ? x->begin : x->op[r][p].end;
        int64_t asked = p == OPS || self == OPS ? from : x->op[r][self].launch;
        asked = asked < from ? from : asked > t ? t : asked; /* until then it was the host's */
        out->host += asked - from;
        out->idle += t - asked;
        out->by_rank[r] += t - from;
        t = from;
        if (p == OPS || t <= x->begin) /* what takes no time there is not on it */
            return;
        const struct az_coll_op *o = &x->op[r][p];
        self = p;
        if (o->event == AZ_NO_ROW) {
            out->family[o->family] += t - o->start;
            out->by_rank[r] += t - o->start;
            t = o->start;
            continue;
        }
        size_t q = r, k = p;
        for (size_t a = 0; a < x->ranks; a++)
            for (size_t i = 0; i < x->n[a]; i++) {
                const int64_t s = x->op[a][i].start, best = x->op[q][k].start;
                if (x->coll[a][i] == x->coll[r][p] && s <= o->end &&
                    (s > best || (s == best && a < q))) {
                    q = a;
                    k = i;
                }
            }
        out->transfer += t - x->op[q][k].start;
        out->hops++;
        t = x->op[q][k].start;
        r = q;
        self = k;
        if (t <= x->begin)
            return;
    }
}

/* ---- the path of the parts ---- */
static struct az_coll_lane_of lane;
static struct az_coll_busy alone; /* no other kernels */

static void path(const struct run *x, struct az_coll_path *out, struct az_arena *a)
{
    static struct az_coll_part part[RANKS];
    static struct az_coll_event ev[RANKS][OPS];
    static const struct az_coll_part *parts[RANKS];
    struct az_rank rank[RANKS];
    struct az_coll_clock clock[RANKS] = { { .offset = 0 } };
    int64_t shift[RANKS] = { 0 };
    uint32_t base[RANKS + 1] = { 0 };
    struct az_coll_run c = {
        .arena = a, .part = parts, .clock = clock, .shift = shift, .base = base
    };
    const struct az_ranks set = { .v = rank, .n = x->ranks, .world_size = (int64_t)x->ranks };
    struct az_arena scratch;

    az_arena_init(&scratch, NULL);
    c.ranks = c.traces = &set;
    az_vec_init(&c.colls, NULL);
    az_vec_init(&c.member, NULL);
    for (size_t r = 0; r < x->ranks; r++) {
        rank[r] = (struct az_rank){ .rank = (int64_t)r, .ticks_per_ns = 1 };
        part[r] = (struct az_coll_part){ .lane = &lane, .n_lanes = 1, .compute = &alone };
        parts[r] = &part[r];
        for (size_t i = 0; i < x->n[r]; i++)
            if (x->op[r][i].event != AZ_NO_ROW)
                ev[r][x->op[r][i].event] = (struct az_coll_event){ .start = x->op[r][i].start,
                                                                   .end = x->op[r][i].end,
                                                                   .launch = x->op[r][i].launch };
        base[r + 1] = base[r] + (uint32_t)x->events[r];
        assert_int_equal(az_coll_part_set_events(&part[r], ev[r], x->events[r], a, NULL), 0);
        assert_int_equal(az_coll_local_make(x->op[r], x->n[r], &part[r], &scratch, a, NULL), 0);
    }
    c.n = base[x->ranks];
    c.rank = az_arena_array(a, c.n + 1, sizeof *c.rank);
    assert_int_equal(az_packed_room(&c.group, c.n, 0, a), 0);
    c.coll = az_arena_array(a, c.n + 1, sizeof *c.coll);
    for (uint32_t k = 0; k < x->colls; k++) {
        struct az_coll_coll one = { .first = (uint32_t)c.member.n };
        for (size_t r = 0; r < x->ranks; r++)
            for (size_t i = 0; i < x->n[r]; i++) {
                if (x->coll[r][i] != k)
                    continue;
                const uint32_t g = base[r] + x->op[r][i].event;
                c.rank[g] = (uint32_t)r;
                c.coll[g] = k;
                one.n++;
                assert_int_equal(az_vec_push(&c.member, g), 0);
            }
        assert_int_equal(az_vec_push(&c.colls, one), 0);
    }
    az_coll_path_walk(&c, x->last, part[x->last].n_local - 1, out);
    az_vec_release(&c.colls);
    az_vec_release(&c.member);
    az_arena_release(&scratch);
}

static void equals_brute_force(void **unused)
{
    (void)unused;
    size_t hops = 0, idle = 0, host = 0;
    for (int run = 0; run < RUNS; run++) {
        static struct run x;
        struct az_arena a;
        int64_t ours[RANKS] = { 0 }, plain[RANKS] = { 0 }, groups[1] = { 0 };
        state = (uint64_t)run * 77777 + 1;
        make(&x);
        if (x.begin >= x.end)
            continue;
        az_arena_init(&a, NULL);
        struct az_coll_path p = {
            .begin = x.begin, .end = x.end, .by_rank = ours, .by_group = groups
        };
        struct az_coll_path w = { .begin = x.begin, .end = x.end, .by_rank = plain };
        path(&x, &p, &a);
        walk(&x, &w);
        memset(memo, -1, sizeof memo);
        assert_int_equal(p.length, longest(&x, x.last, x.end, OPS, 0));
        assert_int_equal(p.length, x.end - x.begin);
        assert_int_equal(p.idle, w.idle);
        assert_int_equal(p.host, w.host);
        assert_int_equal(p.transfer, w.transfer);
        assert_int_equal(groups[0], w.transfer);
        assert_int_equal(p.hops, w.hops);
        assert_memory_equal(p.family, w.family, sizeof p.family);
        assert_memory_equal(ours, plain, sizeof ours);
        hops += p.hops;
        idle += p.idle > 0;
        host += p.host > 0;
        az_arena_release(&a);
    }
    assert_true(hops > RUNS && idle > RUNS / 4 && host > RUNS / 4); /* the runs are not trivial */
}

/* Work that a step's begin cuts is told apart from what is before it. */
static void steps_cut_work(void **unused)
{
    (void)unused;
    struct az_arena a, scratch;
    const struct az_coll_op op[] = { { 0, 40, AZ_NO_ROW, 1, 0 },
                                     { 90, 130, AZ_NO_ROW, 2, 60 },
                                     { 150, 160, 0, 5, 140 },
                                     { 170, 200, AZ_NO_ROW, 3, 165 } };
    struct az_coll_event ev = { .start = 150, .end = 160, .launch = 140 };
    const struct az_coll_step step[] = { { 100, 180, 7 }, { 180, 220, 8 } };
    struct az_coll_part p = {
        .lane = &lane, .n_lanes = 1, .compute = &alone, .steps = step, .n_steps = 2
    };
    az_arena_init(&a, NULL);
    az_arena_init(&scratch, NULL);
    assert_int_equal(az_coll_part_set_events(&p, &ev, 1, &a, NULL), 0);
    assert_int_equal(az_coll_local_make(op, 4, &p, &scratch, &a, NULL), 0);
    assert_int_equal(p.n_local, 4);
    const struct az_coll_local one = az_coll_part_local(&p, 0), seven = az_coll_part_local(&p, 1),
                               eight = az_coll_part_local(&p, 2);
    assert_int_equal(one.from, 100); /* before the collective: to the begin of its step */
    assert_int_equal(one.event, AZ_NO_ROW);
    assert_int_equal(one.n, 2);
    assert_int_equal(az_coll_part_share(&p, one.first).ns, 30);
    assert_int_equal(az_coll_part_share(&p, one.first + 1).family, AZ_COLL_HOST);
    assert_int_equal(az_coll_part_share(&p, one.first + 1).ns,
                     10);             /* of 20, until its call began */
    assert_int_equal(seven.event, 0); /* before the end of step 7 */
    assert_int_equal(az_coll_part_share(&p, seven.first).ns, 10);
    assert_int_equal(az_coll_part_share(&p, seven.first + 1).family, AZ_COLL_HOST);
    assert_int_equal(az_coll_part_share(&p, seven.first + 1).ns, 5);
    assert_int_equal(eight.from, 180);
    assert_int_equal(az_coll_part_share(&p, eight.first).ns, 20);
    assert_int_equal(p.last, 200);
    az_arena_release(&scratch);
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(steps_cut_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
