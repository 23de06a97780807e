/* Data quality and the gaps of device work. */
#include "unit/analyses_fw.h"

static size_t check(const struct fw_fix *f, const char *name)
{
    return row_of(table(f, "data_quality"), "Check", name);
}

static void quality(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 50, "k", 1);
    launch(f, 20, "b", "", 1040, 20, "k", 2); /* over a's end by 10 us, same stream: stays */
    launch(f, 40, "c", "", 1070, 30, "k", 3);
    launch(f, 50, "d", "", 1080, 5, "k", 7); /* wholly inside c, which ends at its start */
    call(f, 60, 3, "cudaGraphLaunch", 4);
    kernel(f, 8, 1000, 7, "g", 4); /* another stream: no overlap */
    kernel(f, 8, 1010, 8, "g", 4);
    kernel(f, 8, 1020, 0, "empty", 5);
    kernel(f, 8, 2000, 500, "endless", 6); /* longer than the 73 us the host was recorded */
    span(f, "cuda_runtime", 100, 1, 70, 3, "cudaLaunchKernel", "\"correlation\":77");
    raw(f, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"no_time\",\"pid\":0,\"tid\":7,\"ts\":5}");
    kernel(f, 7, -3, 9, "before the clock", 8);
    raw(f, "{\"ph\":\"Q\",\"name\":\"what\"}");
    raw(f, "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"half\",\"pid\":100,\"tid\":1,\"ts\":5}");
    raw(f, "{\"ph\":\"E\",\"pid\":100,\"tid\":1,\"ts\":6}");
    run(f, &az_analysis_fw_quality);
    size_t r = check(f, "overlaps on one stream");
    near(num(f, "data_quality", r, "Count"), 1);
    near(num(f, "data_quality", r, "Time (ns)"), 10000);
    near(num(f, "data_quality", r, "Share of device time (%)"), 10.0 / 600 * 100);
    r = check(f, "device events clipped at the next start");
    near(num(f, "data_quality", r, "Count"), 1);
    near(num(f, "data_quality", r, "Time (ns)"), 20000);
    near(num(f, "data_quality", r, "Share of device time (%)"), 20.0 / 600 * 100);
    r = check(f, "device events with invalid timestamps");
    near(num(f, "data_quality", r, "Count"), 1);
    near(num(f, "data_quality", r, "Time (ns)"), 9000);
    r = check(f, "device events longer than the recording");
    near(num(f, "data_quality", r, "Count"), 1);
    near(num(f, "data_quality", r, "Time (ns)"), 500000);
    near(num(f, "data_quality", check(f, "device events without duration"), "Count"), 1);
    r = check(f, "unlinked device events");
    near(num(f, "data_quality", r, "Count"), 2);
    near(num(f, "data_quality", r, "Time (ns)"), 500000);
    r = check(f, "graph-launched device events");
    near(num(f, "data_quality", r, "Count"), 2);
    near(num(f, "data_quality", r, "Time (ns)"), 15000);
    near(covered(f, "device time launched by graphs"), 15.0 / 600 * 100);
    near(covered(f, "device time not linked to a launch"), 500.0 / 600 * 100);
    near(covered(f, "kernel time in kernel class others"), 100);
    row_of(f->job.findings, "Subject", "overlapping events on one stream"); /* more than 1 % */
    row_of(f->job.findings, "Subject", "events that end after a later event on the same stream");
    row_of(f->job.findings, "Rule", "unlinked_device_events");
}

/* Launches of graphs whose kernels were not recorded: counted once a launch, and reported. */
static void bare_graphs(void **state)
{
    struct fw_fix *f = *state;
    call(f, 0, 10, "cudaGraphLaunch", 1);
    span(f, "cuda_driver", 100, 1, 2, 5, "cuGraphLaunch",
         "\"correlation\":2"); /* within it: the same launch */
    call(f, 20, 10, "cudaGraphLaunch", 3);
    span(f, "cuda_driver", 100, 1, 22, 5, "cuGraphLaunch", "\"correlation\":4");
    call(f, 40, 10, "hipGraphLaunch", 5);
    call(f, 60, 10, "cudaGraphInstantiate", 6);
    kernel(f, 7, 30, 5, "k", 4);
    kernel(f, 7, 36, 5, "k", 4);
    run(f, &az_analysis_fw_quality);
    near(num(f, "data_quality", check(f, "graph launches without device events"), "Count"), 2);
    near(covered(f, "graph launches without device events"), 2);
    const size_t r = row_of(f->job.findings, "Rule", "graph_unrecorded");
    assert_true(az_sv_is(az_cell_text(cell(f->job.findings, r, "Severity")), "error"));
    assert_true(
        az_sv_is(az_cell_text(cell(f->job.findings, r, "Subject")), "2 of 3 graph launches"));
    const size_t hidden = row_of(f->job.findings, "Rule", "graph_hidden"); /* one of two kernels */
    assert_int_equal(cell(f->job.findings, hidden, "Count")->i, 1);
}

static void clean(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 4; i++)
        launch(f, i * 100, "aten::mm", "", 1000 + i * 10, 10, "gemm",
               i + 1); /* one after the other, touching */
    run(f, &az_analysis_fw_quality);
    near(num(f, "data_quality", check(f, "overlaps on one stream"), "Count"), 0);
    assert_int_equal(f->job.findings->rows, 0);
    near(covered(f, "device time linked to a launch"), 100);
    near(covered(f, "kernel time in kernel class others"), 0);
}

static void bleeding_host_events(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 100, "parent", "");
    op(f, 50, 50.4, "child", ""); /* ends 400 ns late: cut, not dropped */
    call(f, 60, 3, "cudaLaunchKernel", 1);
    kernel(f, 7, 1000, 5, "k", 1);
    run(f, &az_analysis_fw_quality);
    size_t r = check(f, "host events clipped at the parent's end");
    near(num(f, "data_quality", r, "Count"), 1);
    near(num(f, "data_quality", r, "Time (ns)"), 400);
}

/* What the host did in each gap: was late, waited, had launched before; unknown without a launch.
 */
static void gaps(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 10, "ka", 1);
    launch(f, 120, "b", "", 140, 10, "kb", 2); /* gap 110..140: launched inside it */
    call(f, 152, 60, "cudaStreamSynchronize", 90);
    launch(f, 215, "c", "", 230, 10, "kc", 3); /* gap 150..230: the host waited 60 of it */
    launch(f, 226, "d", "", 250, 10, "kd", 4); /* gap 240..250: launched before it */
    kernel(f, 7, 265, 10, "ke", 99);           /* gap 260..265: unknown */
    call(f, 262, 1, "cudaMemcpyAsync", 91);
    run(f, &az_analysis_fw_gaps);
    const struct az_table *t = table(f, "idle_gaps");
    assert_int_equal(t->rows, 4);
    assert_int_equal(cell(t, 0, "Duration (ns)")->i, 80000);
    assert_int_equal(cell(t, 0, "Start (ns)")->i, 150000);
    is(f, "idle_gaps", 0, "Host", "waiting");
    is(f, "idle_gaps", 0, "Host call", "cudaStreamSynchronize");
    assert_int_equal(cell(t, 0, "Host op")->type, AZ_EMPTY); /* not c, which did not wait */
    is(f, "idle_gaps", 0, "Before", "kb");
    is(f, "idle_gaps", 0, "After", "kc");
    assert_int_equal(cell(t, 1, "Duration (ns)")->i, 30000);
    is(f, "idle_gaps", 1, "Host", "launching");
    is(f, "idle_gaps", 1, "Host call", "cudaLaunchKernel");
    is(f, "idle_gaps", 1, "Host op", "b");
    is(f, "idle_gaps", 2, "Host", "launched before");
    is(f, "idle_gaps", 3, "Host", "unknown");
    assert_int_equal(cell(t, 3, "Host call")->type, AZ_EMPTY);
}

/* Devices have gaps of their own; streams of one device fill each other's; a long event hides short
 * ones under it. */
static void gaps_by_device(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 5; i++)
        call(f, i * 10, 2, "cudaLaunchKernel", i + 1);
    device(f, "kernel", 0, 7, 100, 100, "long", 1, "");
    device(f, "kernel", 0, 8, 110, 10, "inside", 2, "");
    device(f, "kernel", 0, 8, 220, 10, "after", 3, "");
    device(f, "kernel", 1, 7, 105, 10, "x", 4, "");
    device(f, "kernel", 1, 7, 165, 10, "y", 5, "");
    run(f, &az_analysis_fw_gaps);
    const struct az_table *t = table(f, "idle_gaps");
    assert_int_equal(t->rows, 2);
    assert_int_equal(cell(t, 0, "Device")->i, 1);
    assert_int_equal(cell(t, 0, "Duration (ns)")->i, 50000);
    assert_int_equal(cell(t, 1, "Device")->i, 0);
    assert_int_equal(cell(t, 1, "Duration (ns)")->i, 20000);
    is(f, "idle_gaps", 1, "Before", "long");
}

static void many_gaps(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 70; i++)
        launch(f, i * 20, "a", "", 10000 + i * 100, 50 - i * 0.5, "k", i + 1);
    run(f, &az_analysis_fw_gaps);
    assert_int_equal(table(f, "idle_gaps")->rows, 50);
    near(covered(f, "idle_gaps: gaps omitted"), 19);
    near(num(f, "idle_gaps", 0, "Duration (ns)"),
         84000); /* longest first: 100 - (50 - 34) before the last */
}

/* The wait that counts is the one over most of the gap, however many short ones begin earlier. */
static void waits_among_many_calls(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 10, "ka", 1);
    op(f, 18, 204, "item", "");
    call(f, 20, 200, "cudaEventSynchronize", 80); /* begins before the gap and reaches into it */
    for (int i = 0; i < 30; i++)
        call(f, 225 + i * 2, 1, "cudaStreamSynchronize", 100 + i);
    launch(f, 295, "b", "", 300, 10, "kb", 2);
    run(f, &az_analysis_fw_gaps);
    is(f, "idle_gaps", 0, "Host", "waiting");
    is(f, "idle_gaps", 0, "Host call", "cudaEventSynchronize");
    is(f, "idle_gaps", 0, "Host op", "item");
}

/* Over the ranks of a run as in one trace. */
static void unlinked_events_of_ranks(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 50, "k", 1);
    kernel(f, 7, 200, 20, "k", 77);
    kernel(f, 7, 300, 30, "k", 78);
    ready(f);
    struct az_rank v[1] = { { .rank = 0, .path = AZ_SV("rank_0.json") } };
    const struct az_ranks ranks = { .v = v, .n = 1 };
    void *parts[1] = { NULL };
    assert_int_equal(az_rank_analysis_ranks.reduce(&f->job, &f->arena, &parts[0]), 0);
    f->job.n_traces = 0;
    assert_int_equal(az_rank_analysis_ranks.finish(&f->job, &ranks, parts), 0);
    const size_t r = row_of(f->job.findings, "Rule", "unlinked_device_events");
    near(az_cell_number(cell(f->job.findings, r, "Count")), 2);
    near(covered(f, "device time linked to a launch"), 50);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quality),
        TEST(clean),
        TEST(bleeding_host_events),
        TEST(gaps),
        TEST(gaps_by_device),
        TEST(many_gaps),
        TEST(waits_among_many_calls),
        TEST(bare_graphs),
        TEST(unlinked_events_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
