/* Collectives between the devices of one recording: which become ranks, and when they do not. */
#include "unit/analyses_fw.h"

#include "analyses/collectives/waiting.h"

#define MOST 4

struct run {
    struct fw_fix *f; /* of the report; its arena keeps the parts */
    struct az_rank rank[MOST];
    struct az_ranks set;
    void *part[MOST];
    int64_t missing[MOST];
};

static int setup(void **state)
{
    struct run *r = calloc(1, sizeof *r);
    void *f = NULL;
    int rc = fw_setup(&f);
    r->f = f;
    r->set.v = r->rank;
    r->set.missing = r->missing;
    *state = r;
    return rc;
}

static int teardown(void **state)
{
    struct run *r = *state;
    void *f = r->f;
    free(r);
    return fw_teardown(&f);
}

static void reduce_rank(struct run *r, int64_t number, void (*events)(struct fw_fix *))
{
    void *state = NULL;
    struct fw_fix *f;
    assert_int_equal(fw_setup(&state), 0);
    f = state;
    events(f);
    ready(f);
    assert_int_equal(az_rank_analysis_collectives.reduce(&f->job, &r->f->arena, &r->part[r->set.n]),
                     0);
    r->rank[r->set.n++] = (struct az_rank){ .rank = number,
                                            .path = AZ_SV("t.json"),
                                            .host = AZ_SV(""),
                                            .world_size = f->trace.world_size,
                                            .ticks_per_ns = f->trace.ticks_per_ns };
    assert_int_equal(fw_teardown(&state), 0);
}

static void report(struct run *r)
{
    r->set.world_size = (int64_t)(r->set.n + r->set.n_missing);
    ready(r->f);
    assert_int_equal(az_rank_analysis_collectives.finish(&r->f->job, &r->set, r->part), 0);
    assert_int_equal(az_table_finish(r->f->job.findings), 0);
}

static void reduce_on(struct fw_fix *f, int dev, double start, double end, const char *more)
{
    device(f, "kernel", dev, 20, start, end - start, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 0,
           more);
}

/* Devices 4 and 6: the later one waits for nobody. A product runs at the same time as the first
 * all-reduce of device 4. */
static void two_devices(struct fw_fix *f)
{
    reduce_on(f, 6, 110, 130, "");
    reduce_on(f, 4, 100, 130, "");
    device(f, "kernel", 4, 7, 105, 10, "gemm", 0, "");
    reduce_on(f, 4, 220, 240, "");
    reduce_on(f, 6, 190, 240, "");
}

static void one_recording(void **state)
{
    struct run *r = *state;
    r->f->opts.compat = AZ_TOOL_ALL;
    reduce_rank(r, 0, two_devices);
    report(r);
    assert_int_equal(table(r->f, "nccl_implicit_sync")->rows, 2);
    for (size_t i = 0; i < 2; i++) {
        near(num(r->f, "nccl_implicit_sync", i, "n_present"), 2);
        near(num(r->f, "nccl_implicit_sync", i, "n_expected"), 2);
        near(num(r->f, "nccl_implicit_sync", i, "comm_latency"), 20);
        is(r->f, "nccl_implicit_sync", i, "status", "complete");
    }
    near(num(r->f, "nccl_implicit_sync", 0, "rank_4_wait_time"), 10); /* their own numbers */
    near(num(r->f, "nccl_implicit_sync", 0, "rank_6_wait_time"), 0);
    near(num(r->f, "nccl_implicit_sync", 0, "last arrival rank"), 6);
    near(num(r->f, "nccl_implicit_sync", 1, "last arrival rank"), 4);
    near(num(r->f, "nccl_exposure_ranks", 0, "rank"), 4);
    near(num(r->f, "nccl_exposure_ranks", 0, "comm_busy_ms"), 0.050);
    near(num(r->f, "nccl_exposure_ranks", 0, "exposed_comm_ms"), 0.040);
    near(num(r->f, "nccl_exposure_ranks", 0, "overlap (%)"), 20);
    near(num(r->f, "nccl_exposure_ranks", 1, "comm_busy_ms"), 0.070);
    near(num(r->f, "nccl_exposure_ranks", 1, "overlap (%)"), 0);
    assert_false(has_table(r->f, "clock_offsets")); /* one recording, one clock */
    is(r->f, "nccl_long", 0, "collective_id", "0");
    near(num(r->f, "nccl_long", 3, "node_id"), 0); /* whatever the devices' numbers */
    near(az_cell_number(cell(r->f->job.findings,
                             row_of(r->f->job.findings, "Rule", "devices_as_ranks"), "Count")),
         2);
}

/* The second recording's clock is 5 ms ahead. */
static void later(struct fw_fix *f)
{
    reduce_on(f, 0, 5115, 5130, "");
    reduce_on(f, 1, 5105, 5130, "");
    reduce_on(f, 1, 5230, 5240, "");
    reduce_on(f, 0, 5200, 5240, "");
}

static void several_recordings(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, two_devices);
    reduce_rank(r, 1, later);
    reduce_rank(r, 3, two_devices);
    r->missing[r->set.n_missing++] = 2;
    report(r);
    assert_int_equal(table(r->f, "nccl_implicit_sync")->rows, 2);
    near(num(r->f, "nccl_implicit_sync", 0, "n_present"), 6);
    near(num(r->f, "nccl_implicit_sync", 0, "n_expected"), 8);
    near(num(r->f, "nccl_implicit_sync", 0, "comm_latency"), 15);
    near(num(r->f, "nccl_implicit_sync", 0, "last arrival rank"),
         2); /* first device of the second */
    near(num(r->f, "nccl_implicit_sync", 0, "rank_7_wait_time"), 5);
    near(num(r->f, "nccl_implicit_sync", 1, "skew in start time"), 40);
    assert_int_equal(table(r->f, "clock_offsets")->rows, 6);
    for (size_t i = 0; i < 6; i++)
        near(num(r->f, "clock_offsets", i, "offset_us"), i / 2 == 1 ? 5000 : 0);
    near(num(r->f, "clock_offsets", 2, "collectives"), 2);
    is(r->f, "nccl_implicit_sync", 0, "status", "partial");
    const struct az_table *t = r->f->job.findings;
    assert_true(az_sv_is(az_cell_text(cell(t, row_of(t, "Rule", "partial_collectives"), "Subject")),
                         "6 of 8 ranks; missing: 4, 5"));
}

/* Device 9 is last in all of 36, without steps: enough for a verdict. */
static void late_device(struct fw_fix *f)
{
    for (int i = 0; i < 36; i++) {
        reduce_on(f, 3, 100 * i, 100 * i + 60, "");
        reduce_on(f, 9, 100 * i + 50, 100 * i + 60, "");
    }
}

/* The first of n that the others wait for; the verdict makes findings of them. */
static void first_late_is(struct run *r, size_t n, const char *subject)
{
    const struct az_coll_waits *w = az_coll_waits_of(&r->f->job);
    assert_non_null(w);
    assert_int_equal(w->late.n, n);
    assert_int_equal(w->late.v[0].kind, AZ_LATE_DEVICE);
    assert_true(az_sv_is(w->late.v[0].subject, subject));
}

static void straggler_by_its_name(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, late_device);
    report(r);
    first_late_is(r, 1, "device 9");
}

static void straggler_among_traces(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, late_device);
    reduce_rank(r, 1, late_device);
    r->f->opts.align_clocks = AZ_SV("never");
    report(r);
    first_late_is(r, 2, "rank 1 (device 9 of trace 0)");
}

static void named_groups(struct fw_fix *f)
{
    reduce_on(f, 0, 100, 130, "\"Process Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\"");
    reduce_on(f, 1, 100, 130, "\"Process Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\"");
}

static void rank_is_said(struct fw_fix *f)
{
    f->head = AZ_SV("\"distributedInfo\":{\"rank\":0,\"world_size\":2},");
    two_devices(f);
}

/* A trace that says who its collectives are among is one rank, whatever its devices. */
static void one_rank_by_its_word(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, named_groups);
    reduce_rank(r, 1, named_groups);
    report(r);
    near(num(r->f, "nccl_implicit_sync", 0, "n_expected"), 2);
    near(num(r->f, "nccl_long", 3, "rank"), 1);
    for (size_t i = 0; i < r->f->job.findings->rows; i++)
        assert_false(
            az_sv_is(az_cell_text(cell(r->f->job.findings, i, "Rule")), "devices_as_ranks"));
}

static void one_rank_of_a_world(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, rank_is_said);
    report(r);
    assert_false(has_table(r->f, "nccl_implicit_sync"));
    assert_int_equal(r->f->job.findings->rows, 0);
}

static void one_device(struct fw_fix *f)
{
    reduce_on(f, 0, 100, 130, "");
    reduce_on(f, 0, 220, 240, "");
}

static void set_groups(struct run *r, const char *groups)
{
    for (size_t i = 0; i < r->set.n; i++) {
        struct az_coll_part *p = r->part[i];
        for (size_t k = 0; k < p->n_what; k++)
            p->what[k].ranks = az_sv_str(groups);
    }
}

/* Replica groups have the numbers of devices over all traces. */
static void replica_groups(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, two_devices);
    reduce_rank(r, 1, two_devices);
    set_groups(r, "[[0,3],[1,2]]");
    report(r);
    assert_int_equal(table(r->f, "nccl_implicit_sync")->rows, 4);
    is(r->f, "process_groups", 0, "Process Group Ranks", "[0,3]");
    is(r->f, "process_groups", 1, "Process Group Ranks", "[1,2]");
    near(num(r->f, "nccl_implicit_sync", 0, "n_expected"), 2);
    near(num(r->f, "nccl_implicit_sync", 0, "skew in start time"), 10);
}

/* Where the first trace has fewer devices than the second these numbers are others. */
static void uneven_devices(void **state)
{
    struct run *r = *state;
    reduce_rank(r, 0, one_device);
    reduce_rank(r, 1, two_devices);
    set_groups(r, "[[0,2],[1]]");
    report(r);
    assert_int_equal(table(r->f, "nccl_implicit_sync")->rows, 2);
    near(num(r->f, "nccl_implicit_sync", 0, "n_present"), 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = { T(one_recording),         T(several_recordings),
                                        T(replica_groups),        T(uneven_devices),
                                        T(replica_groups),        T(uneven_devices),
                                        T(straggler_by_its_name), T(straggler_among_traces),
                                        T(one_rank_by_its_word),  T(one_rank_of_a_world) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
