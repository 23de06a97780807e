/* Gaps of device work against a count of every tick: devices with several streams, work that
 * overlaps, windows of several parts, work next to them. */
#include "unit/facts_job.h"

#include "facts/idle.h"

enum { SPAN = 300, DEVICES = 2, ROUNDS = 400 };

struct ticks {
    const struct az_trace *t;
    uint8_t busy[DEVICES][SPAN], gap[DEVICES][SPAN];
    int64_t last_end[DEVICES];
    size_t n;
};

static int64_t device_of(const struct az_trace *t, uint32_t op)
{
    return t->lanes.v[t->ev[az_op_kind(op)].lane[az_op_row(op)]].device;
}

static int note_gap(void *ctx, const struct az_idle_gap *g)
{
    struct ticks *x = ctx;
    const struct az_events *before = &x->t->ev[az_op_kind(g->before)],
                           *after = &x->t->ev[az_op_kind(g->after)];
    const int64_t device = device_of(x->t, g->before);
    assert_int_equal(device, device_of(x->t, g->after));
    assert_true(g->start < g->end);
    assert_true(g->start >= x->last_end[device]);
    assert_true(before->end[az_op_row(g->before)] <= g->start);
    assert_true(after->start[az_op_row(g->after)] >= g->end);
    for (int64_t at = before->end[az_op_row(g->before)]; at < after->start[az_op_row(g->after)];
         at++)
        assert_false(x->busy[device][at]);
    for (int64_t at = g->start; at < g->end; at++)
        x->gap[device][at] = 1;
    x->last_end[device] = g->end;
    x->n++;
    return 0;
}

static int64_t below(int64_t n) { return rand() % n; }

/* Work of a device; its first start and last end are where gaps can be. */
static void add_work(struct fix *f, struct ticks *x, int64_t device, int64_t *first, int64_t *last)
{
    for (int i = 0, n = 1 + (int)below(12); i < n; i++) {
        const int64_t start = below(SPAN - 40), end = start + 1 + below(i % 3 ? 12 : 39);
        add(&f->t[0], i % 4 ? AZ_KERNEL : AZ_MEMSET, "work",
            stream_lane(&f->t[0], 1, device, 7 + (uint64_t)below(2)), start, end, 0);
        *first = start < *first ? start : *first;
        *last = end > *last ? end : *last;
        memset(&x->busy[device][start], 1, (size_t)(end - start));
    }
}

static int by_start(const void *a, const void *b)
{
    const struct az_other_work *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void mark(uint8_t ticks[SPAN], int64_t from, int64_t to)
{
    for (int64_t at = from < 0 ? 0 : from; at < to && at < SPAN; at++)
        ticks[at] = 1;
}

/* Parts of a window, and work outside of it that runs next to work of it. */
static void add_window(struct fix *f, const uint32_t *lane, uint8_t window[SPAN],
                       uint8_t other[DEVICES][SPAN])
{
    struct az_trace *t = &f->t[0];
    memset(window, 0, SPAN);
    for (int64_t at = below(60); at < SPAN - 60; at += below(60)) {
        const struct az_span s = { at, at + 1 + below(60) };
        assert_int_equal(az_vec_push(&t->window_work, s), 0);
        mark(window, s.start, s.end);
        at = s.end + 1;
    }
    for (int i = 0, n = (int)below(8); i < n; i++) {
        const int64_t device = below(DEVICES), start = below(SPAN - 40);
        const struct az_other_work w = { .start = start,
                                         .end = start + 1 + below(39),
                                         .lane = lane[device] };
        assert_int_equal(az_vec_push(&t->window_others, w), 0);
        mark(other[device], w.start, w.end);
    }
    if (t->window_others.n)
        qsort(t->window_others.v, t->window_others.n, sizeof *t->window_others.v, by_start);
}

static void gaps_are_ticks_without_work(void **state)
{
    size_t gaps = 0;
    (void)state;
    srand(5);
    for (int round = 0; round < ROUNDS; round++) {
        void *own;
        uint8_t window[SPAN], other[DEVICES][SPAN] = { { 0 } };
        int64_t first[DEVICES] = { SPAN, SPAN }, last[DEVICES] = { 0 };
        setup(&own);
        struct fix *f = own;
        struct ticks x = { .t = &f->t[0] };
        uint32_t lane[DEVICES];
        for (int64_t d = 0; d < DEVICES; d++)
            lane[d] = stream_lane(&f->t[0], 1, d, 7);
        for (int64_t d = 0; d < DEVICES; d++)
            add_work(f, &x, d, &first[d], &last[d]);
        make_job(f, 1);
        memset(window, 1, sizeof window);
        if (round % 2)
            add_window(f, lane, window, other);
        assert_int_equal(az_idle_gaps(&f->job, 0, note_gap, &x), 0);
        for (int64_t d = 0; d < DEVICES; d++)
            for (int64_t at = 0; at < SPAN; at++)
                assert_int_equal(x.gap[d][at], at >= first[d] && at < last[d] && !x.busy[d][at] &&
                                                   window[at] && !other[d][at]);
        gaps += x.n;
        assert_int_equal(teardown(&own), 0);
    }
    assert_true(gaps > ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_ticks_without_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
