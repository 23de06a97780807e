/* The common model: columns, lanes, sealing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/trace.h"
#include "model/xtrace.h"

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

/* The event number i of a made-up file; every field says i. */
static struct az_event event(uint32_t i, int64_t start)
{
    return (struct az_event){
        .start = start,
        .end = start + i,
        .name = i % 5,
        .lane = i + 1,
        .side = i + 2,
        .uid = i,
        .corr = (uint64_t)i << 33,
        .node = (uint64_t)i * 7,
    };
}

/* A family that is none has no text: it may come from a file. */
static void families_of_hlo(void **state)
{
    (void)state;
    assert_string_equal(az_hlo_family_text(AZ_HLO_COLL_NONE), "");
    assert_string_equal(az_hlo_family_text(AZ_HLO_COLL_BROADCAST), "collective-broadcast");
    for (int f = AZ_HLO_COLL_BROADCAST + 1; f < AZ_HLO_COLL_BROADCAST + 9; f++)
        assert_string_equal(az_hlo_family_text((enum az_hlo_family)f), "");
}

static void starts_empty(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_trace t;
    az_mem_init(&m, 0);
    assert_int_equal(az_trace_init(&t, &m), 0);
    assert_int_equal(t.ticks_per_ns, 1);
    assert_int_equal(t.rank, -1);
    assert_false(t.sealed);
    assert_false(az_trace_has_activity(&t));
    assert_int_equal(az_trace_finalize(&t), 0);
    assert_true(t.sealed);
    az_trace_release(&t);
    assert_int_equal(m.used, 0);
    az_mem_init(&m, 100); /* nothing is allocated before there is an event */
    assert_int_equal(az_trace_init(&t, &m), 0);
    assert_int_equal(m.used, 0);
    az_trace_release(&t);
}

static void seals_stably(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct az_mem m;
    struct az_trace t;
    az_mem_init(&m, 0);
    assert_int_equal(az_trace_init(&t, &m), 0);
    az_trace_columns(&t, AZ_KERNEL, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(&t, AZ_CALL, AZ_COL_UID);
    t.relative = true; /* kernels may start there */
    uint64_t s = 1;
    for (uint32_t i = 0; i < N; i++) {
        /* few different starts, so ties are many; negative ones too */
        struct az_event e = event(i, (int64_t)(next_random(&s) % 2000) - 500);
        assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
        assert_int_equal(az_trace_add(&t, AZ_CALL, &e), 0);
        e = event(i, i); /* sorted already */
        assert_int_equal(az_trace_add(&t, AZ_HOST_OP, &e), 0);
    }
    assert_int_equal(az_trace_finalize(&t), 0);
    const struct az_events *ev = &t.ev[AZ_KERNEL];
    assert_int_equal(ev->n, N);
    assert_int_equal(ev->cap, N);
    for (uint32_t k = 0; k < N; k++) {
        const uint32_t i = ev->uid[k];
        const struct az_event want = event(i, ev->start[k]);
        assert_true(ev->end[k] == want.end && ev->name[k] == want.name && ev->lane[k] == want.lane);
        assert_true(ev->side[k] == want.side && ev->corr[k] == want.corr &&
                    ev->node[k] == want.node);
        if (k > 0)
            assert_true(ev->start[k - 1] < ev->start[k] ||
                        (ev->start[k - 1] == ev->start[k] && ev->uid[k - 1] < i));
        assert_true(t.ev[AZ_CALL].uid[k] == i && t.ev[AZ_CALL].end[k] == want.end);
        assert_true(t.ev[AZ_HOST_OP].start[k] == k && t.ev[AZ_HOST_OP].lane[k] == k + 1);
    }
    assert_null(t.ev[AZ_CALL].corr); /* columns not asked for are not there */
    assert_null(t.ev[AZ_HOST_OP].uid);
    assert_int_equal(az_trace_finalize(&t), 0); /* twice is once */
    az_trace_release(&t);
    assert_int_equal(m.used, 0);
}

static void columns_are_chosen_first(void **state)
{
    (void)state;
    struct az_trace t;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    const struct az_event e = event(3, 10);
    assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
    az_trace_columns(&t, AZ_KERNEL, AZ_COL_CORR); /* too late: would have holes */
    for (int i = 0; i < 1000; i++)
        assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
    assert_int_equal(t.ev[AZ_KERNEL].cols, 0);
    assert_null(t.ev[AZ_KERNEL].corr);
    az_trace_release(&t);
}

static void drops_times_out_of_range(void **state)
{
    (void)state;
    struct az_trace t;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    struct az_event e = { .start = -AZ_TIME_MAX, .end = AZ_TIME_MAX };
    assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
    assert_int_equal(t.ev[AZ_KERNEL].n, 1);
    assert_int_equal(t.drops.n, 0);
    const struct az_event out[] = { { .start = -AZ_TIME_MAX - 1, .end = 0 },
                                    { .start = 0, .end = AZ_TIME_MAX + 1 },
                                    { .start = INT64_MIN, .end = INT64_MAX },
                                    { .start = INT64_MAX, .end = INT64_MAX },
                                    { .start = INT64_MIN, .end = INT64_MIN } };
    for (size_t i = 0; i < AZ_LENGTH(out); i++)
        assert_int_equal(az_trace_add(&t, AZ_KERNEL, &out[i]), 0);
    assert_int_equal(t.ev[AZ_KERNEL].n, 1);
    assert_int_equal(t.drops.n, 1);
    assert_true(az_sv_is(t.drops.v[0].reason, "times out of range"));
    assert_int_equal(t.drops.v[0].count, 5);
    assert_true(t.drops.v[0].ticks == INT64_MAX);
    az_trace_release(&t);
}

static void refuses_negative_durations(void **state)
{
    (void)state;
    struct az_trace t;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    struct az_event e = { .start = 5, .end = 4 };
    assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), AZ_EFORMAT);
    assert_int_equal(t.ev[AZ_KERNEL].n, 0);
    e.end = 5;
    assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
    az_trace_release(&t);
}

/* Wherever the budget ends, the trace stays whole and gives everything back. */
static void limits(void **state)
{
    (void)state;
    for (size_t limit = 70000; limit < 400000; limit += 7001) {
        struct az_mem m;
        struct az_trace t;
        az_mem_init(&m, limit);
        int err = az_trace_init(&t, &m);
        if (err == 0) {
            az_trace_columns(&t, AZ_KERNEL, AZ_COL_CORR | AZ_COL_UID);
            uint32_t i = 0;
            uint32_t id;
            for (; err == 0 && i < 100000; i++) {
                const struct az_event e = event(i, -(int64_t)i);
                const struct az_lane lane = { .device_side = true, .tid = i / 50 };
                err = az_trace_add(&t, AZ_KERNEL, &e);
                if (err == 0)
                    err = az_trace_lane(&t, &lane, &id);
                (void)az_trace_name(&t, az_sv_make((char *)&i, 3));
                err = err ? err : t.names.error;
            }
            for (uint32_t k = 0; k < t.ev[AZ_KERNEL].n; k++)
                assert_true(t.ev[AZ_KERNEL].uid[k] == k && t.ev[AZ_KERNEL].start[k] == -(int64_t)k);
            az_trace_release(&t);
        }
        assert_int_equal(err, AZ_ELIMIT);
        assert_int_equal(m.used, 0);
        assert_true(m.peak <= limit);
    }
    /* While sealing. */
    struct az_mem m;
    struct az_trace t;
    az_mem_init(&m, 0);
    assert_int_equal(az_trace_init(&t, &m), 0);
    for (uint32_t i = 0; i < 10000; i++) {
        const struct az_event e = event(i, -(int64_t)i);
        assert_int_equal(az_trace_add(&t, AZ_KERNEL, &e), 0);
    }
    m.limit = m.used + 50000;
    assert_int_equal(az_trace_finalize(&t), 0); /* sorted in place */
    assert_true(t.sealed);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(t.ev[AZ_KERNEL].start[i], (int64_t)i - 9999);
    az_trace_release(&t);
    assert_int_equal(m.used, 0);
}

static void lanes_are_told_apart(void **state)
{
    (void)state;
    struct az_trace t;
    uint32_t index;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    const struct az_lane base = {
        .pid = 1, .tid = 2, .device = 3, .context = 4, .proc = 5, .thread = 6, .label = 7
    };
    struct az_lane lane[9];
    for (size_t i = 0; i < 9; i++)
        lane[i] = base;
    lane[1].device_side = true;
    lane[2].pid = 9;
    lane[3].tid = 9;
    lane[4].device = -1;
    lane[5].context = 9;
    lane[6].proc = 9;
    lane[7].thread = 9;
    lane[8].label = AZ_NO_ID;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 9; i++) {
            struct az_lane copy;
            memset(&copy, round ? 0xaa : 0x55, sizeof copy); /* padding must not matter */
            copy.device_side = lane[i].device_side;
            copy.pid = lane[i].pid;
            copy.tid = lane[i].tid;
            copy.device = lane[i].device;
            copy.context = lane[i].context;
            copy.proc = lane[i].proc;
            copy.thread = lane[i].thread;
            copy.label = lane[i].label;
            assert_int_equal(az_trace_lane(&t, &copy, &index), 0);
            assert_int_equal(index, i);
        }
    }
    for (uint32_t i = 0; i < 5000; i++) {
        struct az_lane many = base;
        many.tid = 1000 + i;
        assert_int_equal(az_trace_lane(&t, &many, &index), 0);
        assert_int_equal(index, 9 + i);
    }
    assert_int_equal(t.lanes.n, 5009);
    assert_int_equal(t.lanes.v[4].device, -1);
    az_trace_release(&t);
}

static void counts_drops_and_keeps_facts(void **state)
{
    (void)state;
    struct az_trace t;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    char reason[] = "ends before it starts";
    az_trace_dropped(&t, AZ_DROP_LOST, reason, 2, 10);
    az_trace_dropped(&t, AZ_DROP_LOST, "no name", 1, INT64_MAX);
    memset(reason + 5, 'x', 3); /* the trace has its own copy */
    az_trace_dropped(&t, AZ_DROP_LOST, "ends before it starts", 3, 5);
    az_trace_dropped(&t, AZ_DROP_LOST, "no name", 1, 5);
    assert_int_equal(t.drops.n, 2);
    assert_int_equal(t.drops.v[0].count, 5);
    assert_int_equal(t.drops.v[0].ticks, 15);
    assert_true(t.drops.v[1].ticks == INT64_MAX);
    az_trace_fact(&t, "product", AZ_SV("2024.6"));
    az_trace_fact(&t, "schema", AZ_SV(""));
    assert_int_equal(t.facts.n, 2);
    assert_true(az_sv_is(t.facts.v[0].key, "product") && az_sv_is(t.facts.v[0].value, "2024.6"));
    assert_int_equal(az_trace_finalize(&t), 0);
    az_trace_release(&t);
}

static void knows_activity(void **state)
{
    (void)state;
    static const enum az_kind device[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    struct az_trace t;
    const struct az_event e = event(1, 0);
    for (unsigned k = 0; k < AZ_KIND_COUNT; k++) {
        bool want = false;
        for (size_t i = 0; i < 4; i++)
            want = want || device[i] == (enum az_kind)k;
        assert_int_equal(az_trace_init(&t, NULL), 0);
        assert_int_equal(az_trace_add(&t, (enum az_kind)k, &e), 0);
        assert_int_equal(az_trace_has_activity(&t), want);
        az_trace_release(&t);
        assert_string_not_equal(az_kind_text((enum az_kind)k), "unknown");
    }
    assert_int_equal(az_trace_init(&t, NULL), 0);
    assert_int_equal(az_vec_push(&t.kernel_sums, ((struct az_sum){ .count = 1 })), 0);
    assert_true(az_trace_has_activity(&t));
    az_trace_release(&t);
    assert_string_equal(az_kind_text(AZ_KIND_COUNT), "unknown");
    for (unsigned cap = AZ_CAP_KERNEL_SUMS; cap <= AZ_CAP_SAMPLES; cap <<= 1)
        assert_string_not_equal(az_cap_text(cap), "unknown");
    assert_string_equal(az_cap_text(0), "unknown");
}

/* Capabilities of traces with an event each of some kinds, and of device events that are linked or
 * not. */
static void facts_of_kinds(void **state)
{
    (void)state;
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_GRAPH, AZ_MEMCPY,  AZ_MEMSET,
                                          AZ_CALL,   AZ_RANGE, AZ_HOST_OP, AZ_OSRT };
    for (unsigned of = 0; of < 1u << (AZ_LENGTH(kinds) + 1); of++) {
        const bool ids = of >> AZ_LENGTH(kinds);
        struct az_trace t;
        const struct az_event e = event(1, 0);
        bool has[AZ_KIND_COUNT] = { false };
        assert_int_equal(az_trace_init(&t, NULL), 0);
        az_trace_columns(&t, AZ_CALL, ids ? AZ_COL_CORR : 0);
        for (size_t k = 0; k < AZ_LENGTH(kinds); k++) {
            has[kinds[k]] = of >> k & 1;
            if (has[kinds[k]])
                assert_int_equal(az_trace_add(&t, kinds[k], &e), 0);
        }
        const bool kernels = has[AZ_KERNEL] || has[AZ_GRAPH],
                   memory = has[AZ_MEMCPY] || has[AZ_MEMSET],
                   linked = (kernels || memory) && has[AZ_CALL] && ids;
        const unsigned want =
            (kernels ? AZ_CAP_KERNEL_SUMS : 0u) | (memory ? AZ_CAP_MEM : 0u) |
            (kernels || memory ? AZ_CAP_TIMELINE : 0u) | (has[AZ_CALL] ? AZ_CAP_CALLS : 0u) |
            (linked ? AZ_CAP_LAUNCHES : 0u) | (has[AZ_RANGE] ? AZ_CAP_RANGES : 0u) |
            (has[AZ_RANGE] && linked ? AZ_CAP_PROJ : 0u) |
            (has[AZ_HOST_OP] ? AZ_CAP_HOST_OPS : 0u) | (has[AZ_OSRT] ? AZ_CAP_OSRT : 0u);
        assert_int_equal(az_trace_facts(&t), want);
        az_trace_release(&t);
    }
}

/* What reports of a profiler without events bring. */
static void facts_of_reports(void **state)
{
    (void)state;
    const struct az_event e = event(1, 0);
    for (unsigned of = 0; of < 32; of++) {
        struct az_trace t;
        assert_int_equal(az_trace_init(&t, NULL), 0);
        t.has_kernels = of & 1;
        t.has_mem = of & 2;
        t.has_nvtx = of & 4;
        t.classic = of & 8;
        if (of & 16)
            assert_int_equal(az_trace_add(&t, AZ_RANGE, &e), 0);
        const unsigned want = (of & 1 ? AZ_CAP_KERNEL_SUMS : 0u) | (of & 2 ? AZ_CAP_MEM : 0u) |
                              ((of & 20) == 4 ? AZ_CAP_PROJ : 0u) | (of & 8 ? AZ_CAP_CLASSIC : 0u) |
                              (of & 16 ? AZ_CAP_RANGES : 0u);
        assert_int_equal(az_trace_facts(&t), want);
        az_trace_release(&t);
    }
}

/* Device work of all kinds by start; of equal starts kernels come first, then copies, then fills.
 */
static void merges_device_work(void **state)
{
    static const struct {
        enum az_kind kind;
        int64_t start;
    } work[] = { { AZ_KERNEL, 1 }, { AZ_KERNEL, 2 }, { AZ_KERNEL, 5 },
                 { AZ_KERNEL, 5 }, { AZ_MEMCPY, 2 }, { AZ_MEMCPY, 5 },
                 { AZ_MEMSET, 5 }, { AZ_MEMSET, 7 }, { AZ_MEMSET, 8 } };
    static const struct {
        uint32_t n;
        enum az_kind kind;
    } runs[] = { { 1, AZ_KERNEL }, { 1, AZ_KERNEL }, { 1, AZ_MEMCPY }, { 1, AZ_KERNEL },
                 { 1, AZ_KERNEL }, { 1, AZ_MEMCPY }, { 3, AZ_MEMSET } };
    struct az_trace t;
    (void)state;
    assert_int_equal(az_trace_init(&t, NULL), 0);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        assert_int_equal(
            az_trace_add(&t, work[i].kind,
                         &(struct az_event){ .start = work[i].start, .end = work[i].start + 1 }),
            0);
    assert_int_equal(az_trace_finalize(&t), 0);
    assert_int_equal(t.runs.n, sizeof runs / sizeof *runs);
    for (size_t i = 0; i < t.runs.n; i++)
        assert_int_equal(t.runs.v[i], runs[i].n << 2 | runs[i].kind);
    az_trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(families_of_hlo),
        cmocka_unit_test(seals_stably),
        cmocka_unit_test(columns_are_chosen_first),
        cmocka_unit_test(drops_times_out_of_range),
        cmocka_unit_test(refuses_negative_durations),
        cmocka_unit_test(limits),
        cmocka_unit_test(lanes_are_told_apart),
        cmocka_unit_test(counts_drops_and_keeps_facts),
        cmocka_unit_test(knows_activity),
        cmocka_unit_test(facts_of_kinds),
        cmocka_unit_test(facts_of_reports),
        cmocka_unit_test(merges_device_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
