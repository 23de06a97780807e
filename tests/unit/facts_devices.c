/* Slots of devices, their order, and the lanes of each. */
#include "unit/analyses_trace.h"

#include "facts/devices.h"

/* Lanes in an order that is not that of the devices: 2, 1, host, 2 of another process, 1, idle. */
enum { SECOND, FIRST, HOST, SHARED, AGAIN, IDLE, LANES };

static void fill(struct az_trace *t)
{
    const uint32_t lane[LANES] = { stream_lane(t, 20, 2, 7), stream_lane(t, 20, 1, 7),
                                   host_lane(t, 20, 20),     stream_lane(t, 10, 2, 7),
                                   stream_lane(t, 20, 1, 8), stream_lane(t, 20, 0, 7) };
    add(t, AZ_CALL, "launch", lane[HOST], 1, 2, 1);
    add(t, AZ_KERNEL, "k", lane[SECOND], 3, 4, 1);
    add(t, AZ_KERNEL, "k", lane[FIRST], 5, 6, 2);
    add(t, AZ_KERNEL, "k", lane[SHARED], 7, 8, 3);
    add(t, AZ_MEMSET, "fill", lane[AGAIN], 9, 10, 4);
    assert_int_equal(az_trace_finalize(t), 0);
}

static void check(enum az_devices_by by, const struct az_device_slot *want, size_t n,
                  const uint32_t *of_lane)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_devices_of d;
    az_mem_init(&mem, 0);
    new_trace(&t, &mem);
    fill(&t);
    assert_int_equal(az_devices_make(&d, &t, by, &mem), 0);
    assert_int_equal(d.slots.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(d.slots.v[i].device, want[i].device);
        assert_int_equal(d.slots.v[i].pid, want[i].pid);
        assert_int_equal(d.slots.v[i].proc, want[i].proc);
    }
    assert_int_equal(d.slot_of_lane.n, LANES);
    for (size_t i = 0; i < LANES; i++)
        assert_int_equal(d.slot_of_lane.v[i], of_lane[i]);
    az_devices_release(&d);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

static void by_device(void **state)
{
    (void)state;
    check(AZ_BY_DEVICE, (const struct az_device_slot[]){ { 1, 20, 0 }, { 2, 20, 0 } }, 2,
          (const uint32_t[LANES]){ 1, 0, AZ_NO_ID, 1, 0, AZ_NO_ID });
}

static void by_process(void **state)
{
    (void)state;
    const uint64_t ten = (uint64_t)10 << 24, twenty = (uint64_t)20 << 24;
    check(AZ_BY_PROCESS,
          (const struct az_device_slot[]){ { 1, 20, twenty }, { 2, 10, ten }, { 2, 20, twenty } },
          3, (const uint32_t[LANES]){ 2, 0, AZ_NO_ID, 1, 0, AZ_NO_ID });
}

/* Lanes with work outside the window only: of the slot of their device, where it has one. */
static void others_of_a_window(void **state)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_devices_of d;
    uint32_t lane[6];
    (void)state;
    az_mem_init(&mem, 0);
    new_trace(&t, &mem);
    for (uint32_t i = 0; i < 3; i++) { /* devices 3, 2, 1 */
        lane[i] = stream_lane(&t, 20, 3 - i, 7);
        add(&t, AZ_KERNEL, "k", lane[i], i, i + 1, i);
    }
    lane[3] = stream_lane(&t, 20, 3, 8);
    lane[4] = stream_lane(&t, 20, 4, 7);
    lane[5] = stream_lane(&t, 10, 2, 7);
    for (uint32_t i = 3; i < 6; i++)
        assert_int_equal(
            az_vec_push(&t.window_others,
                        ((struct az_other_work){ .start = 9, .end = 10, .lane = lane[i] })),
            0);
    assert_int_equal(az_trace_finalize(&t), 0);
    assert_int_equal(az_devices_make(&d, &t, AZ_BY_DEVICE, &mem), 0);
    assert_int_equal(d.slots.n, 3);
    assert_int_equal(d.slot_of_lane.v[lane[3]], 2);
    assert_int_equal(d.slot_of_lane.v[lane[4]], AZ_NO_ID);
    assert_int_equal(d.slot_of_lane.v[lane[5]], 1);
    az_devices_release(&d);
    assert_int_equal(az_devices_make(&d, &t, AZ_BY_PROCESS, &mem), 0);
    assert_int_equal(d.slot_of_lane.v[lane[3]], 2);
    assert_int_equal(d.slot_of_lane.v[lane[5]], AZ_NO_ID); /* of another process */
    az_devices_release(&d);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

/* Spans that touch a window: those that end at its begin or start at its end count. */
static void spans_of_a_window(void **state)
{
    static struct az_span v[] = { { 10, 20 }, { 30, 40 }, { 50, 60 } };
    static const struct {
        int64_t lo, hi;
        size_t first, n;
    } c[] = { { 0, 9, 0, 0 },   { 0, 10, 0, 1 },  { 20, 20, 0, 1 },
              { 21, 29, 1, 0 }, { 20, 30, 0, 2 }, { 21, 50, 1, 2 },
              { 60, 99, 2, 1 }, { 61, 99, 3, 0 }, { 0, 99, 0, 3 } };
    const struct az_spans s = { .v = v, .n = AZ_LENGTH(v) };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const struct az_spans got = az_spans_window(&s, c[i].lo, c[i].hi);
        assert_int_equal(got.n, c[i].n);
        assert_ptr_equal(got.v, v + c[i].first);
    }
    assert_int_equal(az_spans_window(&(struct az_spans){ 0 }, 0, 9).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_device), cmocka_unit_test(by_process),
                                        cmocka_unit_test(others_of_a_window),
                                        cmocka_unit_test(spans_of_a_window) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
