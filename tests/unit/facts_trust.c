/* The trust checks of a trace. */
#include "facts_job.h"

#include "facts/trust.h"

#define US 1000

struct host { /* one process: a thread and a stream */
    struct az_trace *t;
    uint32_t thread, stream;
    uint64_t corr;
};

static struct host host_of(struct fix *f)
{
    struct az_trace *t = &f->t[0];
    return (struct host){ t, host_lane(t, 1, 1), stream_lane(t, 1, 0, 7), 0 };
}

static uint64_t call(struct host *h, const char *name, int64_t at)
{
    add(h->t, AZ_CALL, name, h->thread, at, at + 5 * US, ++h->corr);
    return h->corr;
}

static void launch(struct host *h, int64_t at, int64_t start, int64_t end)
{
    add(h->t, AZ_KERNEL, "sgemm", h->stream, start, end, call(h, "cudaLaunchKernel", at));
}

static const struct az_trust *trust_of(struct fix *f)
{
    int rc;
    make_job(f, 1);
    const struct az_trust *r = az_job_trust(&f->job, 0, &rc);
    assert_non_null(r);
    return r;
}

static void is(const struct az_trust *r, enum az_check c, enum az_check_status status,
               int64_t count, int64_t of)
{
    assert_int_equal(r->check[c].status, status);
    assert_int_equal(r->check[c].count, count);
    assert_int_equal(r->check[c].of, of);
}

/* No kernel is recorded, though copies are: one launched before the last copy ended has run. */
static void no_kernel_is_recorded(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    const struct az_copy c = { .bytes = 1000, .src = 1, .dst = 2 };
    add_copy(h.t, AZ_MEMCPY, "H2D", h.stream, 10 * US, 20 * US, call(&h, "cudaMemcpy", 0), c);
    call(&h, "cudaLaunchKernel", 30 * US);
    add_copy(h.t, AZ_MEMCPY, "D2H", h.stream, 50 * US, 60 * US, call(&h, "cudaMemcpy", 40 * US), c);
    call(&h, "cudaLaunchKernel", 70 * US);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_FAIL, 1, 2);
    assert_int_equal(h.t->ev[AZ_CALL].start[r->lost[0]], 30 * US);
}

/* A lost event, a launch still queued at the end, a runtime call around a driver call, launches of
 * a capture, a host function, a fill. */
static void lost(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    call(&h, "cudaStreamBeginCapture", 1 * US);
    call(&h, "cudaLaunchKernel", 10 * US);
    call(&h, "cudaGraphLaunch", 20 * US);
    call(&h, "cudaStreamEndCapture", 30 * US);
    for (int i = 0; i < 30; i++)
        launch(&h, (100 + i * 20) * US, (110 + i * 20) * US, (120 + i * 20) * US);
    call(&h, "cudaLaunchKernel", 305 * US);
    call(&h, "cudaLaunchHostFunc", 306 * US);
    call(&h, "cudaMemsetAsync", 308 * US);
    add(h.t, AZ_CALL, "cudaLaunchKernelExC", h.thread, 411 * US, 415 * US, 900);
    add(h.t, AZ_CALL, "cuLaunchKernelEx", h.thread, 412 * US, 414 * US, 901);
    add(h.t, AZ_KERNEL, "sgemm", h.stream, 900 * US, 910 * US, 901);
    call(&h, "cudaLaunchKernel", 2000 * US);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_WARN, 1, 33);
    is(r, AZ_CHECK_UNLINKED_DEVICE_WORK, AZ_CHECK_PASS, 0, 31);
    is(r, AZ_CHECK_LAUNCH_ORDER, AZ_CHECK_PASS, 0, 31);
    is(r, AZ_CHECK_GRAPH_UNRECORDED, AZ_CHECK_NOT_APPLICABLE, 0, 0);
    is(r, AZ_CHECK_CORRELATION_COLLISIONS, AZ_CHECK_PASS, 0, 33);
    assert_true(r->captured == 2 && r->launches == 35);
    assert_int_equal(r->n_lost, 1);
    assert_int_equal(h.t->ev[AZ_CALL].start[r->lost[0]], 305 * US);
    assert_true(az_trust_gap_has_lost(r, h.t, 300 * US, 310 * US, AZ_NO_ROW, AZ_NO_ROW));
    assert_false(az_trust_gap_has_lost(r, h.t, 310 * US, 330 * US, AZ_NO_ROW, AZ_NO_ROW));
    assert_true(az_trust_gap_has_lost(r, h.t, 900 * US, 950 * US, r->lost[0] - 1, r->lost[0] + 1));
}

/* The recording begins within a capture: its end says so. */
static void within_capture(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    for (int i = 0; i < 5; i++)
        call(&h, "hipLaunchKernel", (1 + i * 10) * US);
    call(&h, "hipStreamEndCapture", 60 * US);
    launch(&h, 100 * US, 110 * US, 120 * US);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_PASS, 0, 1);
    assert_true(r->captured == 5 && r->launches == 6);
}

/* The first kernel of a stream was launched long before it ran, and the device did nothing else in
 * the recording: with an event of another stream before it, and without the launch. */
static void earlier_work(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    const uint32_t other = stream_lane(h.t, 1, 0, 20);
    add(h.t, AZ_KERNEL, "fill", other, 10 * US, 12 * US, call(&h, "cudaLaunchKernel", 2 * US));
    launch(&h, 20 * US, 5000 * US, 5100 * US);
    launch(&h, 30 * US, 7000 * US, 7100 * US); /* behind the one before: its stream is known */
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_EARLIER_WORK, AZ_CHECK_FAIL, 1, 2);
    assert_int_equal(r->check[AZ_CHECK_EARLIER_WORK].time_ns, 4988 * US);
    assert_int_equal(r->n_early, 1);
    assert_true(az_trust_is_early(r, r->early[0]));
    assert_false(az_trust_is_early(r, az_op_word(AZ_KERNEL, 2)));
}

/* Streams that begin at once, one whose launch comes late, one that waits while the other runs. */
static void no_earlier_work(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    const uint32_t other = stream_lane(h.t, 1, 0, 20), third = stream_lane(h.t, 1, 0, 21);
    const uint64_t waits = call(&h, "cudaLaunchKernel", 2 * US);
    launch(&h, 10 * US, 20 * US, 3000 * US);
    add(h.t, AZ_KERNEL, "waits", other, 3010 * US, 3020 * US, waits);
    add(h.t, AZ_KERNEL, "late", third, 9000 * US, 9100 * US,
        call(&h, "cudaLaunchKernel", 8990 * US));
    f->opts.launch_spacing_us = 100;
    is(trust_of(f), AZ_CHECK_EARLIER_WORK, AZ_CHECK_PASS, 0, 3);
}

static void no_device_events(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    for (int i = 0; i < 5; i++)
        call(&h, "hipLaunchKernel", (1 + i * 10) * US);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_FAIL, 5, 5);
    is(r, AZ_CHECK_IMPOSSIBLE_TIMES, AZ_CHECK_NOT_APPLICABLE, 0, 0);
    is(r, AZ_CHECK_UNLINKED_DEVICE_WORK, AZ_CHECK_NOT_APPLICABLE, 0, 0);
}

static void without_calls(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    add(h.t, AZ_KERNEL, "mystery", h.stream, 10 * US, 20 * US, 0);
    add(h.t, AZ_KERNEL, "sgemm", h.stream, 20 * US, 60 * US, 0);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_NOT_APPLICABLE, 0, 0);
    is(r, AZ_CHECK_UNLINKED_DEVICE_WORK, AZ_CHECK_NOT_APPLICABLE, 0, 0);
    is(r, AZ_CHECK_LAUNCH_ORDER, AZ_CHECK_NOT_APPLICABLE, 0, 0);
    is(r, AZ_CHECK_UNKNOWN_KERNELS, AZ_CHECK_WARN, 1, 2);
    assert_int_equal(r->check[AZ_CHECK_UNKNOWN_KERNELS].time_ns, 10 * US);
}

/* Launches recorded only for some; migrations of pages have none. */
static void unlinked(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    for (int i = 0; i < 9; i++)
        launch(&h, (100 + i * 20) * US, (110 + i * 20) * US, (120 + i * 20) * US);
    add(h.t, AZ_KERNEL, "sgemm", h.stream, 10 * US, 20 * US, 999);
    add_copy(h.t, AZ_MEMCPY, "[CUDA Unified Memory memcpy HtoD]", h.stream, 30 * US, 31 * US, 0,
             (struct az_copy){ .bytes = 4096, .op = 11, .src = -1, .dst = -1, .migration = true });
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_UNLINKED_DEVICE_WORK, AZ_CHECK_WARN, 1, 10);
    assert_int_equal(r->check[AZ_CHECK_UNLINKED_DEVICE_WORK].time_ns, 10 * US);
}

/* A lead of 1 us is none; three of twenty are more than a tenth. */
static void leads(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    for (int i = 0; i < 20; i++) {
        const int64_t at = (1000 + i * 100) * US;
        launch(&h, at, i == 0 ? at - 1 * US : i <= 3 ? at - i * 10 * US : at + 10, at + 20 * US);
    }
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_LAUNCH_ORDER, AZ_CHECK_FAIL, 3, 20);
    assert_int_equal(r->check[AZ_CHECK_LAUNCH_ORDER].time_ns, 30 * US);
    assert_int_equal(r->lead_median, 20 * US);
}

/* Graph launches without events; of one the events are recorded, others are outside. */
static void graphs(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    call(&h, "cudaGraphLaunch", 1 * US);
    launch(&h, 90 * US, 100 * US, 200 * US);
    const uint64_t whole = call(&h, "cudaGraphLaunch", 150 * US);
    add(h.t, AZ_GRAPH, "1", h.stream, 210 * US, 300 * US, whole);
    call(&h, "cudaGraphLaunch", 250 * US);
    launch(&h, 260 * US, 500 * US, 600 * US);
    call(&h, "cudaGraphLaunch", 700 * US);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_GRAPH_UNRECORDED, AZ_CHECK_FAIL, 1, 2);
    assert_int_equal(r->check[AZ_CHECK_GRAPH_UNRECORDED].time_ns, 200 * US);
    is(r, AZ_CHECK_LOST_DEVICE_EVENTS, AZ_CHECK_PASS, 0, 2);
    assert_int_equal(r->n_bare, 1);
}

/* Two launches of a process with one number; a driver call inside its runtime call is no second
 * one, other calls and processes do not count. */
static void collisions(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    const uint32_t other = host_lane(h.t, 2, 1), thread = host_lane(h.t, 1, 2);
    launch(&h, 1 * US, 10 * US, 20 * US);
    add(h.t, AZ_CALL, "cudaLaunchKernel", h.thread, 30 * US, 40 * US, 7);
    add(h.t, AZ_CALL, "cuLaunchKernel", h.thread, 32 * US, 38 * US, 7);
    add(h.t, AZ_CALL, "cudaLaunchKernel", other, 30 * US, 40 * US, 7);
    add(h.t, AZ_CALL, "cudaLaunchKernel", h.thread, 50 * US, 55 * US, 9);
    add(h.t, AZ_CALL, "cudaLaunchKernel", thread, 51 * US, 56 * US, 9);
    add(h.t, AZ_CALL, "cudaStreamSynchronize", h.thread, 60 * US, 65 * US, 9);
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_CORRELATION_COLLISIONS, AZ_CHECK_FAIL, 2, 5);
}

static void read_counts(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    for (int i = 0; i < 40; i++)
        launch(&h, (100 + i * 20) * US, (110 + i * 20) * US, (120 + i * 20) * US);
    az_trace_impossible(h.t, AZ_KERNEL, 20, 10);
    az_trace_skipped_work(h.t, AZ_SV("/device:X"), 3, 7 * US);
    az_trace_skipped_work(h.t, AZ_SV("/device:X"), 3, 7 * US);
    h.t->truncated = true;
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_IMPOSSIBLE_TIMES, AZ_CHECK_WARN, 1, 41);
    is(r, AZ_CHECK_STREAM_OVERLAP, AZ_CHECK_PASS, 0, 40);
    is(r, AZ_CHECK_SKIPPED_DEVICE_WORK, AZ_CHECK_WARN, 1, 2);
    assert_int_equal(r->check[AZ_CHECK_SKIPPED_DEVICE_WORK].time_ns, 14 * US);
    is(r, AZ_CHECK_TRUNCATED_INPUT, AZ_CHECK_FAIL, 1, 1);
}

/* In one process of several it may be communication; a class of the user is known. */
static void unknown_in_a_world(void **state)
{
    struct fix *f = *state;
    struct host h = host_of(f);
    h.t->world_size = 8;
    add(h.t, AZ_KERNEL, "mystery", h.stream, 10 * US, 20 * US, 0);
    add(h.t, AZ_KERNEL, "own", h.stream, 20 * US, 25 * US, 0);
    add(h.t, AZ_KERNEL, "sgemm", h.stream, 30 * US, 50 * US, 0);
    rule(f, "own", "mine");
    const struct az_trust *r = trust_of(f);
    is(r, AZ_CHECK_UNKNOWN_KERNELS, AZ_CHECK_FAIL, 1, 3);
    assert_int_equal(r->check[AZ_CHECK_UNKNOWN_KERNELS].time_ns, 10 * US);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lost),
        TEST(no_kernel_is_recorded),
        TEST(within_capture),
        TEST(earlier_work),
        TEST(no_earlier_work),
        TEST(no_device_events),
        TEST(without_calls),
        TEST(unlinked),
        TEST(leads),
        TEST(graphs),
        TEST(collisions),
        TEST(read_counts),
        TEST(unknown_in_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
