/* Numbers of host threads by lane. */
#include "unit/analyses_trace.h"

#include "facts/threads.h"

/* Two processes with a thread 5 each, the first of them twice; a stream has no host thread. */
static void in_order_of_first_lanes(void **state)
{
    static const uint32_t expected[] = { 0, 1, 2, 0, 3 };
    struct az_mem mem;
    struct az_trace t;
    struct az_arena arena;
    size_t n = 0;
    int rc = -1;
    (void)state;
    az_mem_init(&mem, 0);
    new_trace(&t, &mem);
    az_arena_init(&arena, &mem);
    const uint32_t first = host_lane(&t, 9, 5);
    (void)host_lane(&t, 8, 5);
    (void)host_lane(&t, 9, 4);
    struct az_lane again = t.lanes.v[first];
    uint32_t lane = AZ_NO_ID;
    again.context = 3; /* another lane of the same thread */
    again.device_side = false;
    assert_int_equal(az_trace_lane(&t, &again, &lane), 0);
    (void)stream_lane(&t, 9, 0, 5);
    assert_int_equal(t.lanes.n, AZ_LENGTH(expected));
    const uint32_t *of = az_threads_of_lanes(&t, &arena, &mem, &n, &rc);
    assert_non_null(of);
    assert_int_equal(rc, 0);
    assert_int_equal(n, 4);
    assert_memory_equal(of, expected, sizeof expected);
    az_arena_release(&arena);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

/* Streams with device work alone are one; one with a range has a number of its own. */
static void streams_without_host_events(void **state)
{
    static const uint32_t expected[] = { 0, 1, 0, 2, 0 };
    struct az_mem mem;
    struct az_trace t;
    struct az_arena arena;
    size_t n = 0;
    int rc = -1;
    (void)state;
    az_mem_init(&mem, 0);
    new_trace(&t, &mem);
    az_arena_init(&arena, &mem);
    add(&t, AZ_KERNEL, "k", stream_lane(&t, 9, 0, 5), 1, 2, 1);
    add(&t, AZ_CALL, "launch", host_lane(&t, 9, 5), 0, 1, 1);
    add(&t, AZ_MEMSET, "fill", stream_lane(&t, 9, 0, 6), 2, 3, 2);
    add(&t, AZ_RANGE, "range", stream_lane(&t, 9, 0, 7), 3, 4, 0);
    (void)stream_lane(&t, 8, 1, 5);
    assert_int_equal(az_trace_finalize(&t), 0);
    const uint32_t *of = az_threads_of_lanes(&t, &arena, &mem, &n, &rc);
    assert_non_null(of);
    assert_int_equal(n, 3);
    assert_memory_equal(of, expected, sizeof expected);
    az_arena_release(&arena);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

static void of_no_lane(void **state)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_arena arena;
    size_t n = 9;
    int rc = -1;
    (void)state;
    az_mem_init(&mem, 0);
    new_trace(&t, &mem);
    az_arena_init(&arena, &mem);
    (void)az_threads_of_lanes(&t, &arena, &mem, &n, &rc);
    assert_int_equal(rc, 0);
    assert_int_equal(n, 0);
    az_arena_release(&arena);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_order_of_first_lanes),
                                        cmocka_unit_test(streams_without_host_events),
                                        cmocka_unit_test(of_no_lane) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
