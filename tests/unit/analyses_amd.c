/* Tables of AMD-style dispatches on hand-made traces with known figures (docs/formats-rocprof.md
 * 6). */
#include "unit/analyses_job.h"

#include <math.h>

#include "model/dispatch.h"

static const char *const names[] = { "gemm_k", "reduce_k", "ncclDevKernel_AllReduce_Sum",
                                     "convert_k", "conv_k" };

static void dispatch_trace(struct fix *f, int i)
{
    struct az_trace *t = &f->t[i];
    az_trace_release(t);
    assert_int_equal(az_trace_init(t, &f->mem), 0);
    assert_int_equal(az_dispatches_init(t), 0);
    t->caps = AZ_CAP_DISPATCHES | AZ_CAP_TIMELINE | AZ_CAP_KERNEL_SUMS;
    f->opts.short_kernel_us = 10;
    f->opts.short_kernel_histogram_bins = 4;
    f->opts.topk_kernels = AZ_UNSET_I64;
    struct az_process p = { .pid = 1 };
    assert_int_equal(az_vec_push(&az_dispatches(t)->processes, p), 0);
}

static void kernel(struct az_trace *t, int name, int64_t agent, int64_t start, int64_t end)
{
    struct az_dispatches *d = az_dispatches(t);
    struct az_lane lane = {
        .device_side = true, .device = agent, .pid = 1, .proc = 1, .label = AZ_NO_ID
    };
    struct az_event e = { .start = start, .end = end, .side = (uint32_t)d->rows.n };
    struct az_dispatch row = { .id = d->rows.n + 1 };
    struct az_dispatch_shape s = { .grid = { 64, 1, 1 } };
    e.name = az_trace_name(t, az_sv_str(names[name]));
    s.whole = e.name;
    assert_int_equal(az_dispatch_shape(d, &s, &row.shape), 0);
    assert_int_equal(az_vec_push(&d->rows, row), 0);
    assert_int_equal(az_trace_lane(t, &lane, &e.lane), 0);
    assert_int_equal(az_trace_add(t, AZ_KERNEL, &e), 0);
}

static void copy_as(struct az_trace *t, const char *name, int src, int dst, int64_t start,
                    int64_t end, int64_t size)
{
    struct az_lane lane = {
        .device_side = true, .device = dst, .pid = 1, .proc = 1, .label = AZ_NO_ID
    };
    struct az_event e = { .start = start, .end = end, .side = (uint32_t)t->copies.n };
    struct az_copy c = { .bytes = size };
    struct az_route r = { src, dst };
    e.name = az_trace_name(t, az_sv_str(name));
    assert_int_equal(az_vec_push(&t->copies, c), 0);
    assert_int_equal(az_vec_push(&az_dispatches(t)->routes, r), 0);
    assert_int_equal(az_trace_lane(t, &lane, &e.lane), 0);
    assert_int_equal(az_trace_add(t, AZ_MEMCPY, &e), 0);
}

static void copy(struct az_trace *t, int src, int dst, int64_t start, int64_t end, int64_t size)
{
    copy_as(t, "MEMORY_COPY_DEVICE_TO_DEVICE", src, dst, start, end, size);
}

static void copy_named(struct az_trace *t, const char *name, int src, int dst, int64_t size)
{
    copy_as(t, name, src, dst, 1000, 2000, size);
}

static void timeline(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    kernel(&f->t[0], 0, 1, 1000, 3000);
    kernel(&f->t[0], 0, 1, 3000, 4000); /* touching */
    kernel(&f->t[0], 2, 2, 3500, 5000);
    copy(&f->t[0], 1, 2, 4800, 6000, 600);
    copy(&f->t[0], 1, 7, 8000, 9000, 100); /* agent 7 ran nothing: the copy is its source's */
    az_dispatches(&f->t[0])->processes.v[0].init = 500;
    az_dispatches(&f->t[0])->processes.v[0].fini = 10500;
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_true(number(f, "gpu_timeline", 0, "time ms") == 0.01);
    assert_true(number(f, "gpu_timeline", 1, "time ms") == 0.004);
    assert_true(number(f, "gpu_timeline", 2, "time ms") == 0.0022);
    assert_true(number(f, "gpu_timeline", 3, "time ms") == 0.006);
    assert_true(number(f, "gpu_timeline", 4, "percent") == 40);
    const struct az_table *t = az_document_table(&f->doc, "gpu_timeline_by_agent");
    assert_int_equal(t->rows, 10); /* agents 1 and 2 */
    assert_true(number(f, "gpu_timeline_by_agent", 2, "time ms") ==
                0.001); /* agent 1: the copy to 7 */
    assert_true(number(f, "gpu_timeline_by_agent", 7, "time ms") == 0.0012); /* agent 2 */
    assert_true(number(f, "gpu_timeline_by_agent", 5, "time ms") == 0.01);   /* the same total */
    const struct az_table *o = az_document_table(&f->doc, "comm_overlap");
    assert_int_equal(o->rows, 1);
    assert_true(number(f, "comm_overlap", 0, "exposed ms") == 0.0015);
}

static void no_process_times(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    kernel(&f->t[0], 0, 1, 1000, 3000);
    copy(&f->t[0], 1, 1, 5000, 6000, 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_true(number(f, "gpu_timeline", 0, "time ms") == 0.005);
}

static void copies_only(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    copy(&f->t[0], 0, 1, 5000, 6000, -1);
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_int_equal(az_document_table(&f->doc, "gpu_timeline")->rows, 5);
    assert_true(number(f, "gpu_timeline", 1, "time ms") == 0);
    assert_int_equal(run_all(&f->job, &az_analysis_amd_copies), 0);
    const struct az_table *t = az_document_table(&f->doc, "memory_copy_summary");
    assert_int_equal(cell(t, 0, "bytes")->type, AZ_EMPTY);
    assert_int_equal(cell(t, 0, "GB/s")->type, AZ_EMPTY);
}

/* Between two GPUs that ran nothing: the copy is its source's; from the host it is the GPU's. */
static void copies_between_idle_agents(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    copy(&f->t[0], 3, 1, 5000, 6000, -1);
    copy(&f->t[0], 0, 1, 7000, 7200, -1);
    static const struct az_agent agents[] = { { .proc = 1, .index = 0 },
                                              { .proc = 1, .index = 1, .gpu = true },
                                              { .proc = 1, .index = 3, .gpu = true } };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(az_vec_push(&az_dispatches(&f->t[0])->agents, agents[i]), 0);
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_int_equal(az_document_table(&f->doc, "gpu_timeline_by_agent")->rows, 10);
    assert_true(number(f, "gpu_timeline_by_agent", 2, "agent") == 1);
    assert_true(number(f, "gpu_timeline_by_agent", 2, "time ms") == 0.0002);
    assert_true(number(f, "gpu_timeline_by_agent", 7, "agent") == 3);
    assert_true(number(f, "gpu_timeline_by_agent", 7, "time ms") == 0.001);
}

/* Agents numbered within their type: a copy from GPU 1 to CPU 0 is not GPU 0's. */
static void hosts_and_gpus_of_one_number(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    kernel(&f->t[0], 0, 0, 1000, 1100);
    kernel(&f->t[0], 0, 1, 1000, 1100);
    copy_as(&f->t[0], "MEMORY_COPY_DEVICE_TO_HOST", 1, 0, 2000, 5000, 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_true(number(f, "gpu_timeline_by_agent", 2, "time ms") == 0);
    assert_true(number(f, "gpu_timeline_by_agent", 7, "agent") == 1);
    assert_true(number(f, "gpu_timeline_by_agent", 7, "time ms") == 0.003);
}

/* Copies of one size from either host to a GPU are one row; an agent that is not said is not a
 * number. */
static void copies_by_size(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    copy_named(&f->t[0], "MEMORY_COPY_HOST_TO_DEVICE", 0, 2, 4096);
    copy_named(&f->t[0], "MEMORY_COPY_HOST_TO_DEVICE", 1, 2, 4096);
    copy_named(&f->t[0], "MEMORY_COPY_DEVICE_TO_HOST", AZ_NO_AGENT, 0, 4096);
    make_job(f, 1);
    assert_int_equal(run_all(&f->job, &az_analysis_amd_copies), 0);
    const struct az_table *t = az_document_table(&f->doc, "memory_copy_by_copy_bytes");
    assert_int_equal(t->rows, 2);
    assert_true(az_sv_is(az_cell_text(cell(t, 0, "direction")), "d2h (GPU ?)"));
    assert_true(az_sv_is(az_cell_text(cell(t, 1, "direction")), "h2d (GPU 2)"));
    assert_true(number(f, "memory_copy_by_copy_bytes", 1, "count") == 2);
}

static void calls_that_came_summed(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    struct az_trace *t = &f->t[0];
    static const struct {
        const char *domain, *name;
        int64_t total;
    } rows[] = { { "HIP_API", "hipFree", 3000 },
                 { "HIP_API", "hipMalloc", 1000 },
                 { "DOMAIN", "HIP_API", 4000 } };
    for (size_t i = 0; i < 3; i++) {
        struct az_call_sum c = { .sum = { .count = 2,
                                          .total_ns = rows[i].total,
                                          .total = (double)rows[i].total,
                                          .avg = (double)rows[i].total / 2,
                                          .min = i ? NAN : 500,
                                          .max = NAN,
                                          .std = NAN,
                                          .med = NAN } };
        c.domain = az_trace_name(t, az_sv_str(rows[i].domain));
        c.sum.name = az_trace_name(t, az_sv_str(rows[i].name));
        assert_int_equal(az_vec_push(&az_dispatches(t)->call_sums, c), 0);
    }
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_call_sums.run(&f->job), 0);
    assert_int_equal(az_document_table(&f->doc, "api_stats")->rows, 3);
    assert_true(number(f, "api_stats", 0, "Total (µs)") == 3);
    assert_true(number(f, "api_stats", 0, "Percentage (%)") == 75);
    assert_true(number(f, "api_stats", 0, "Min (µs)") == 0.5);
    assert_true(number(f, "api_stats", 1, "Percentage (%)") == 25);
    assert_true(number(f, "api_stats", 2, "Percentage (%)") == 100); /* of its own domain */
    assert_true(number(f, "api_stats", 2, "Mean (µs)") == 2);
}

static void nothing_at_all(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    f->opts.short_kernel_study = f->opts.kernel_details = true;
    make_job(f, 1);
    const struct az_analysis *const all[] = {
        &az_analysis_amd_timeline, &az_analysis_amd_kernels,  &az_analysis_amd_details,
        &az_analysis_amd_short,    &az_analysis_amd_copies,   &az_analysis_amd_calls,
        &az_analysis_amd_ranges,   &az_analysis_amd_counters, &az_analysis_amd_activity,
        &az_analysis_amd_call_sums
    };
    for (size_t i = 0; i < AZ_LENGTH(all); i++)
        assert_int_equal(run_all(&f->job, all[i]), 0);
    static const char *const empty[] = {
        "gpu_timeline",   "kernel_summary",        "kernel_summary_by_category",
        "kernel_details", "short_kernels_summary", "short_kernel_histogram"
    };
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(az_document_table(&f->doc, empty[i])->rows, 0); /* titles only */
}

static void kernels(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    kernel(&f->t[0], 0, 1, 0, 4000);
    kernel(&f->t[0], 0, 1, 5000, 7000);
    kernel(&f->t[0], 3, 1, 8000, 10000);
    kernel(&f->t[0], 4, 1, 11000, 13000);
    kernel(&f->t[0], 2, 1, 20000, 30000);
    rule(f, "gemm", "mine");
    make_job(f, 1);
    assert_int_equal(run_all(&f->job, &az_analysis_amd_kernels), 0);
    const struct az_table *t = az_document_table(&f->doc, "kernel_summary");
    is_text(t, 0, "name", "ncclDevKernel_AllReduce_Sum");
    is_text(t, 0, "Category", "COMM"); /* before Reduction, though it holds "reduce" */
    assert_int_equal(cell(t, 0, "Std Kernel Time (µs)")->type, AZ_EMPTY);
    is_text(t, 1, "Category", "mine"); /* the user's map comes first */
    assert_true(number(f, "kernel_summary", 1, "Median Kernel Time (µs)") == 3);
    assert_true(fabs(number(f, "kernel_summary", 1, "Percentage (%)") - 30) < 1e-9);
    is_text(t, 2, "name", "conv_k"); /* equal totals: by name */
    is_text(t, 2, "Category", "Convolution");
    is_text(t, 3, "Category", "Other"); /* "convert" is no convolution */
    assert_true(number(f, "kernel_summary", 3, "Cumulative Percentage (%)") == 100);
    assert_int_equal(az_document_table(&f->doc, "kernel_summary_by_category")->rows, 4);
}

static void short_kernels(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    f->opts.short_kernel_study = true;
    kernel(&f->t[0], 0, 1, 0, 2000);
    kernel(&f->t[0], 0, 1, 3000, 9000);
    kernel(&f->t[0], 1, 1, 10000, 20000); /* exactly the threshold: not short */
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_short.run(&f->job), 0);
    assert_int_equal(az_document_table(&f->doc, "short_kernels_summary")->rows, 1);
    assert_true(number(f, "short_kernels_summary", 0, "Short Kernel duration (µs) mean") == 4);
    const struct az_table *h = az_document_table(&f->doc, "short_kernel_histogram");
    assert_int_equal(h->rows, 4);
    assert_true(number(f, "short_kernel_histogram", 0, "count") == 1);
    assert_true(number(f, "short_kernel_histogram", 3, "count") == 1); /* the last bin is closed */
    assert_true(number(f, "short_kernel_histogram", 3, "bin_end") == 6);
}

static void details(void **state)
{
    struct fix *f = *state;
    dispatch_trace(f, 0);
    f->opts.kernel_details = true;
    f->opts.topk_kernels = 2;
    kernel(&f->t[0], 0, 1, 500, 1000);
    kernel(&f->t[0], 1, 1, 0, 500); /* as long, earlier */
    kernel(&f->t[0], 2, 1, 2000, 2100);
    make_job(f, 1);
    assert_int_equal(az_analysis_amd_details.run(&f->job), 0);
    const struct az_table *t = az_document_table(&f->doc, "kernel_details");
    assert_int_equal(t->rows, 2);
    is_text(t, 0, "name", "reduce_k");
}

static void two_ranks(void **state)
{
    struct fix *f = *state;
    for (int i = 0; i < 2; i++) {
        dispatch_trace(f, i);
        kernel(&f->t[i], i, 1, 1000, 2000);
        kernel(&f->t[i], 0, 1, 4000, 6000);
        f->t[i].rank = i + 5;
    }
    make_job(f, 2);
    assert_int_equal(az_analysis_amd_timeline.run(&f->job), 0);
    assert_int_equal(run_all(&f->job, &az_analysis_amd_kernels), 0);
    const struct az_table *t = az_document_table(&f->doc, "gpu_timeline_by_agent");
    assert_int_equal(t->rows, 10); /* agent 1 of each rank */
    assert_true(number(f, "gpu_timeline_by_agent", 9, "rank") == 6);
    assert_true(number(f, "kernel_summary", 0, "Count") == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timeline, setup, teardown),
        cmocka_unit_test_setup_teardown(no_process_times, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_only, setup, teardown),
        cmocka_unit_test_setup_teardown(hosts_and_gpus_of_one_number, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_by_size, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_between_idle_agents, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_at_all, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_that_came_summed, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(short_kernels, setup, teardown),
        cmocka_unit_test_setup_teardown(details, setup, teardown),
        cmocka_unit_test_setup_teardown(two_ranks, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
