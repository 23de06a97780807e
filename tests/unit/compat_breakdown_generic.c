/* Breakdowns of ranks whose traces are no framework's: hand-made device work and calls, joined by
 * correlation ids. */
#include "unit/analyses_job.h"

#include "compat/hta/breakdown.h"

/* Runs an analysis over the first n traces as ranks 0.. . */
static void run_ranks(struct fix *f, const struct az_rank_analysis *a, size_t n)
{
    struct az_rank rank[2];
    void *part[2] = { NULL, NULL };
    make_job(f, n);
    f->opts.max_queue_length = 1024;
    f->opts.consecutive_kernel_delay_ns = 30000;
    f->opts.runtime_cutoff_us = 50;
    f->opts.launch_delay_cutoff_us = 100;
    for (size_t i = 0; i < n; i++) {
        struct az_job job = f->job;
        job.traces = &f->views[i];
        job.n_traces = 1;
        rank[i] = (struct az_rank){ .rank = (int64_t)i, .ticks_per_ns = f->t[i].ticks_per_ns };
        assert_int_equal(a->reduce(&job, &f->arena, &part[i]), 0);
    }
    const struct az_ranks ranks = { .v = rank, .n = n, .world_size = (int64_t)n };
    assert_int_equal(a->finish(&f->job, &ranks, part), 0);
}

/* A kernel and the call that launched it, times in ticks. */
static void launched(struct az_trace *t, int64_t device, uint64_t stream, uint64_t corr,
                     int64_t call, int64_t start, int64_t end, const char *name)
{
    add(t, AZ_CALL, "cudaLaunchKernel", host_lane(t, 10, 1), call, call + 2000, corr);
    add(t, AZ_KERNEL, name, stream_lane(t, 10, device, stream), start, end, corr);
}

static void two_devices(struct az_trace *t, int64_t scale)
{
    t->ticks_per_ns = scale;
    launched(t, 0, 7, 1, 0, 10000 * scale, 20000 * scale, "gemm");
    launched(t, 0, 7, 2, 1000, 25000 * scale, 30000 * scale, "gemm");
    launched(t, 1, 7, 3, 2000, 15000 * scale, 18000 * scale, "ncclDevKernel_AllReduce");
}

static void time_of_ranks(void **state)
{
    struct fix *f = *state;
    two_devices(&f->t[0], 1);
    two_devices(&f->t[1], 1000); /* the same in picoseconds */
    run_ranks(f, &az_rank_analysis_breakdown, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(number(f, "temporal_breakdown", i, "kernel_time(us)") == 20);
        assert_true(number(f, "temporal_breakdown", i, "idle_time(us)") == 5);
        assert_true(number(f, "temporal_breakdown", i, "compute_time(us)") == 15);
        assert_true(number(f, "comm_comp_overlap", i, "comp_comm_overlap_pctg") == 100);
    }
    assert_true(number(f, "kernel_type_breakdown", 0, "sum") == 24); /* of both ranks */
}

/* Streams of one number on two devices are two streams. */
static void streams_of_devices(void **state)
{
    struct fix *f = *state;
    const struct az_table *t;
    two_devices(&f->t[0], 1);
    run_ranks(f, &az_rank_analysis_idle, 1);
    t = az_document_table(&f->doc, "idle_time_breakdown");
    assert_non_null(t);
    assert_int_equal(t->rows, 3); /* kernel_wait and other of device 0, other of device 1 */
    is_text(t, 0, "idle_category", "kernel_wait");
    assert_true(number(f, "idle_time_breakdown", 0, "idle_time") == 5);
    assert_true(number(f, "idle_time_breakdown", 2, "device") == 1);
}

static void queue_and_launches(void **state)
{
    struct fix *f = *state;
    two_devices(&f->t[0], 1);
    run_ranks(f, &az_rank_analysis_queue, 1);
    assert_int_equal(az_document_table(&f->doc, "queue_length_summary")->rows, 2);
    assert_true(number(f, "queue_length_summary", 0, "max") == 2);
}

static void launches(void **state)
{
    struct fix *f = *state;
    two_devices(&f->t[0], 1);
    run_ranks(f, &az_rank_analysis_launch, 1);
    assert_true(number(f, "launch_stats", 0, "count") == 3);
    assert_true(number(f, "launch_stats", 0, "launch_delay_max (us)") == 22); /* 25 less 1 and 2 */
}

/* A trace of device work alone: no calls, so no queue and no launches; gaps are not the host's. */
static void no_calls(void **state)
{
    struct fix *f = *state;
    add(&f->t[0], AZ_KERNEL, "a", stream_lane(&f->t[0], 10, 0, 7), 1000, 11000, 0);
    add(&f->t[0], AZ_KERNEL, "b", stream_lane(&f->t[0], 10, 0, 7), 51000, 61000, 0);
    run_ranks(f, &az_rank_analysis_idle, 1);
    is_text(az_document_table(&f->doc, "idle_time_breakdown"), 0, "idle_category", "other");
    assert_true(number(f, "idle_time_breakdown", 0, "idle_time") == 40);
}

/* n ranks that are all the first trace, one after the other. */
static void run_many(struct fix *f, const struct az_rank_analysis *a, size_t n)
{
    struct az_rank *rank = az_arena_array(&f->arena, n, sizeof *rank);
    void **part = az_arena_array(&f->arena, n, sizeof *part);
    make_job(f, 1);
    for (size_t i = 0; i < n; i++) {
        rank[i] = (struct az_rank){ .rank = (int64_t)i, .ticks_per_ns = 1 };
        assert_int_equal(a->reduce(&f->job, &f->arena, &part[i]), 0);
    }
    const struct az_ranks ranks = { .v = rank, .n = n, .world_size = (int64_t)n };
    assert_int_equal(a->finish(&f->job, &ranks, part), 0);
}

/* A column per rank, of the first 64; a line in the chart of the first 16. */
static void queues_of_many_ranks(void **state)
{
    (void)state;
    static const size_t count[] = { 1, 15, 16, 17, 63, 64, 65, 70 };
    for (size_t k = 0; k < AZ_LENGTH(count); k++) {
        void *own;
        setup(&own);
        struct fix *f = own;
        const size_t n = count[k], columns = n < 64 ? n : 64, lines = n < 16 ? n : 16;
        two_devices(&f->t[0], 1);
        run_many(f, &az_rank_analysis_queue, n);
        const struct az_table *t = az_document_table(&f->doc, "queue_length_over_time");
        assert_non_null(t);
        assert_int_equal(t->columns.n, 1 + columns);
        assert_int_equal(f->job.coverage->rows, n > columns);
        if (n > columns)
            assert_true(az_cell_number(cell(f->job.coverage, 0, "Value")) == (double)(n - columns));
        assert_int_equal(f->doc.charts.n, 1);
        assert_int_equal(f->doc.charts.v[0].y.n, lines);
        assert_int_equal(teardown(&own), 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(time_of_ranks), CASE(streams_of_devices), CASE(queue_and_launches),
        CASE(launches),      CASE(no_calls),           cmocka_unit_test(queues_of_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
