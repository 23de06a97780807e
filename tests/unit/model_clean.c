/* Impossible device events and overlap within a stream. */
#include "unit/analyses_trace.h"

#define US 1000

struct clean {
    struct az_mem mem;
    struct az_trace t;
    uint32_t stream, other;
};

static int setup(void **state)
{
    struct clean *c = calloc(1, sizeof *c);
    az_mem_init(&c->mem, 0);
    new_trace(&c->t, &c->mem);
    c->stream = stream_lane(&c->t, 1, 0, 7);
    c->other = stream_lane(&c->t, 1, 0, 8);
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    struct clean *c = *state;
    az_trace_release(&c->t);
    const size_t left = c->mem.used;
    free(c);
    return left == 0 ? 0 : -1;
}

static void kernel(struct clean *c, uint32_t lane, int64_t start, int64_t end, uint64_t corr)
{
    add(&c->t, AZ_KERNEL, "sgemm", lane, start, end, corr);
}

static const struct az_trace_quality *sealed(struct clean *c)
{
    assert_int_equal(az_trace_finalize(&c->t), 0);
    return &c->t.quality;
}

static void impossible(void **state)
{
    struct clean *c = *state;
    const int64_t epoch = (int64_t)1600000000 * 1000000000;
    kernel(c, c->stream, 0, 0, 1);
    kernel(c, c->stream, 0, 5 * US, 2);
    kernel(c, c->stream, -3, epoch, 3);
    kernel(c, c->stream, epoch, epoch + 5 * US, 4);
    add(&c->t, AZ_CALL, "cudaLaunchKernel", host_lane(&c->t, 1, 1), 0, 0,
        1); /* the host's is kept */
    const struct az_trace_quality *q = sealed(c);
    assert_int_equal(q->device_events, 4);
    assert_int_equal(q->impossible, 3);
    assert_int_equal(c->t.ev[AZ_KERNEL].n, 1);
    assert_int_equal(c->t.ev[AZ_KERNEL].corr[0], 4);
    assert_int_equal(c->t.ev[AZ_CALL].n, 1);
}

/* A clock that begins with the recording: its first event may start at 0. */
static void clock_from_zero(void **state)
{
    struct clean *c = *state;
    kernel(c, c->stream, 0, 5 * US, 1);
    kernel(c, c->stream, 0, 0, 2);
    kernel(c, c->stream, 6 * US, 9 * US, 3);
    const struct az_trace_quality *q = sealed(c);
    assert_int_equal(q->impossible, 1);
    assert_int_equal(c->t.ev[AZ_KERNEL].n, 2);
    assert_int_equal(c->t.ev[AZ_KERNEL].corr[0], 1);
}

static void relative(void **state)
{
    struct clean *c = *state;
    c->t.relative = true;
    kernel(c, c->stream, -5, 0, 1);
    kernel(c, c->stream, 0, 0, 2);
    assert_int_equal(sealed(c)->impossible, 0);
}

static void overlap(void **state)
{
    struct clean *c = *state;
    kernel(c, c->stream, 10 * US, 900 * US, 1); /* over the next three */
    kernel(c, c->stream, 20 * US, 30 * US, 2);
    kernel(c, c->other, 25 * US, 26 * US, 3);
    kernel(c, c->stream, 40 * US, 50 * US, 4);
    kernel(c, c->stream, 49 * US, 60 * US, 5); /* a dependent launch overlaps the next only */
    kernel(c, c->stream, 60 * US, 71 * US, 6); /* ends 1 us after the next: left alone */
    kernel(c, c->stream, 65 * US, 70 * US, 7);
    const struct az_trace_quality *q = sealed(c);
    assert_int_equal(q->clipped, 1);
    assert_int_equal(q->clipped_ticks, 880 * US);
    assert_int_equal(c->t.ev[AZ_KERNEL].end[0], 20 * US);
    assert_int_equal(c->t.ev[AZ_KERNEL].end[6], 70 * US);
}

/* Events that share their launch are nodes of a graph; copies may run beside kernels. */
static void concurrent(void **state)
{
    struct clean *c = *state;
    kernel(c, c->stream, 10 * US, 100 * US, 1);
    kernel(c, c->stream, 20 * US, 30 * US, 1);
    kernel(c, c->stream, 200 * US, 300 * US, 2);
    add(&c->t, AZ_MEMCPY, "copy", c->stream, 210 * US, 220 * US, 3);
    kernel(c, c->stream, 400 * US, 500 * US, 4);
    assert_int_equal(sealed(c)->clipped, 0);
    assert_int_equal(c->t.ev[AZ_KERNEL].end[0], 100 * US);
}

static void copies_in_order(void **state)
{
    struct clean *c = *state;
    c->t.in_order |= 1u << AZ_MEMCPY;
    kernel(c, c->stream, 200 * US, 300 * US, 2);
    add(&c->t, AZ_MEMCPY, "copy", c->stream, 210 * US, 220 * US, 3);
    assert_int_equal(sealed(c)->clipped, 1);
    assert_int_equal(c->t.ev[AZ_KERNEL].end[0], 210 * US);
}

/* Against every pair of events: random lanes and lengths. */
static void random_streams(void **state)
{
    enum { N = 400 };
    struct clean *c = *state;
    int64_t start[N], end[N];
    uint32_t lane[N];
    uint64_t s = 12345, clipped = 0;
    for (int i = 0; i < N; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        start[i] = (int64_t)(i * 7 + 1) * US;
        end[i] = start[i] + (int64_t)(s >> 33) % 12 * US;
        lane[i] = s >> 60 & 1 ? c->stream : c->other;
        kernel(c, lane[i], start[i], end[i], (uint64_t)i + 1);
    }
    for (int i = 0; i < N; i++) {
        bool over = false;
        for (int k = i + 1; k < N; k++)
            over |= lane[k] == lane[i] && end[i] > end[k] + US;
        clipped += over;
    }
    assert_true(clipped > 0);
    assert_int_equal(sealed(c)->clipped, clipped);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(impossible), TEST(clock_from_zero), TEST(relative),       TEST(overlap),
        TEST(concurrent), TEST(copies_in_order), TEST(random_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
