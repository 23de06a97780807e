/* The timeline: interval algebra, links, windows. */
#include "unit/analyses_fw.h"

/* Computation, a copy under it, a collective that overlaps half of it, a fill, an unlinked kernel
 * before all. */
static void basic(struct fw_fix *f, bool flows)
{
    names(f);
    f->head = AZ_SV("\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},");
    op(f, 1000, 100, "aten::linear", "");
    op(f, 1010, 50, "aten::addmm", "\"Input Dims\":[[8],[4,8],[8,8]]");
    call(f, 1020, 5, "cudaLaunchKernel", 11);
    kernel(f, 7, 1100, 40.5, "gemm_a", 11);
    if (flows) {
        raw(f, "{\"ph\":\"s\",\"id\":11,\"pid\":100,\"tid\":1,\"ts\":1020,\"cat\":\"ac2g\","
               "\"name\":\"ac2g\"}");
        raw(f, "{\"ph\":\"f\",\"id\":11,\"pid\":0,\"tid\":7,\"ts\":1100,\"cat\":\"ac2g\",\"name\":"
               "\"ac2g\",\"bp\":\"e\"}");
    }
    op(f, 1120, 20, "aten::copy_", "");
    call(f, 1125, 5, "cudaMemcpyAsync", 12);
    device(f, "gpu_memcpy", 0, 8, 1120, 50.25, "Memcpy HtoD (Pinned -> Device)", 12,
           "\"bytes\":128");
    op(f, 1150, 20, "record_param_comms", "");
    call(f, 1155, 5, "cudaLaunchKernelExC", 13);
    kernel(f, 9, 1130, 100, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 13);
    call(f, 1180, 2, "cudaMemsetAsync", 14);
    device(f, "gpu_memset", 0, 7, 1232, 1.5, "Memset (Device)", 14, "");
    op(f, 1200, 30, "conv_bn_fused", "");
    op(f, 1201, 20, "execute", "");
    span(f, "cuda_driver", 100, 1, 1205, 5, "cuLaunchKernel", "\"correlation\":15");
    kernel(f, 7, 1303.5, 8, "void at::native::vectorized_elementwise_kernel<4>", 15);
    kernel(f, 7, 900, 10, "stale_kernel", 999);
}

static void overlap_algebra(void **state)
{
    struct fw_fix *f = *state;
    basic(f, false);
    f->opts.compat = AZ_TOOL_TRACELENS; /* counts linked work only */
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "computation_time"), 0.0500);  /* 40.5 + 8 + 1.5 */
    near(ms(f, "exposed_comm_time"), 0.0895); /* 1140.5 .. 1230 */
    near(ms(f, "exposed_memcpy_time"), 0); /* 1120 .. 1170.25 is under computation and collective */
    near(ms(f, "busy_time"), 0.1395);
    near(ms(f, "idle_time"), 0.072);
    near(ms(f, "total_time"), 0.2115);
    near(ms(f, "total_comm_time"), 0.1);
    near(ms(f, "total_memcpy_time"), 0.05025);
    const struct az_table *t = table(f, "gpu_timeline");
    assert_int_equal(t->rows, 8);
    near(az_cell_number(cell(t, row_of(t, "type", "total_time"), "percent")), 100);
    near(az_cell_number(cell(t, row_of(t, "type", "idle_time"), "percent")), 0.072 / 0.2115 * 100);
    near(covered(f, "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)"),
         0);
}

static void arrows_change_nothing(void **state)
{
    struct fw_fix *f = *state;
    basic(f, true);
    f->opts.compat = AZ_TOOL_TRACELENS; /* counts linked work only */
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "busy_time"), 0.1395);
    near(ms(f, "total_time"), 0.2115);
}

static void unlinked_on_request(void **state)
{
    struct fw_fix *f = *state;
    basic(f, false);
    option(f, "include_unlinked_kernels", "true");
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "total_time"), 0.4115); /* from 900 on */
    near(ms(f, "idle_time"), 0.262);
    near(ms(f, "computation_time"), 0.060);
    near(ms(f, "busy_time"), 0.1495);
}

/* Zeros that are none: said, and not where the option counts the events. */
static void no_launch_recorded(void **state)
{
    struct fw_fix *f = *state;
    kernel(f, 7, 100, 5, "k", 1);
    kernel(f, 7, 110, 5, "k", 2);
    f->opts.compat = AZ_TOOL_TRACELENS; /* counts linked work only */
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "total_time"), 0);
    assert_int_equal(f->diag.warnings, 1);
}

static void no_launch_needed(void **state)
{
    struct fw_fix *f = *state;
    kernel(f, 7, 100, 5, "k", 1);
    option(f, "include_unlinked_kernels", "true");
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "total_time"), 0.005);
    assert_int_equal(f->diag.warnings, 0);
}

static void micro_idle(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 10, "k", 1); /* gaps: 4, 5, 20 */
    launch(f, 20, "b", "", 114, 10, "k", 2);
    launch(f, 40, "c", "", 129, 10, "k", 3);
    launch(f, 60, "d", "", 159, 10, "k", 4);
    option(f, "micro_idle_thresh_us", "5");
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "micro_idle_time"), 0.004); /* strictly below the threshold */
    near(ms(f, "macro_idle_time"), 0.025);
    const struct az_table *t = table(f, "gpu_timeline");
    assert_int_equal(t->rows, 9);
    for (size_t i = 0; i < t->rows; i++)
        assert_false(az_sv_is(az_cell_text(cell(t, i, "type")), "idle_time"));
}

/* Integers: no rounding of doubles at 1.7e15 us. */
static void epoch_times_are_exact(void **state)
{
    struct fw_fix *f = *state;
    char text[512];
    const char *dur[] = { "2.037", "4.037", "12.074" };
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mul\",\"pid\":1,\"tid\":1,"
                 "\"ts\":17000000000%d0000.001,"
                 "\"dur\":50.5}",
                 i);
        raw(f, text);
        snprintf(text, sizeof text,
                 "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                 "\"tid\":1,"
                 "\"ts\":17000000000%d0005.002,\"dur\":3,\"args\":{\"correlation\":%d}}",
                 i, i + 1);
        raw(f, text);
        snprintf(text, sizeof text,
                 "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":"
                 "17000000000%d0020.003,"
                 "\"dur\":%s,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}",
                 i, dur[i], i + 1);
        raw(f, text);
    }
    run(f, &az_analysis_gpu_timeline);
    run(f, &az_analysis_fw_ops);
    near(ms(f, "computation_time"), 0.018148);
    near(ms(f, "total_time"), 20.012074);
    near(num(f, "ops_summary", 0, "total_direct_kernel_time_sum"), 18.148);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_max"), 12.074);
}

static void copies_that_are_kernels(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 10, "__amd_rocclr_copyBufferRectAligned.kd", 1);
    launch(f, 20, "b", "", 120, 20, "__amd_rocclr_fillBufferAligned",
           2); /* a fill is computation */
    launch(f, 40, "c", "", 150, 5, "MEMORY_COPY_DEVICE_TO_DEVICE", 3);
    launch(f, 60, "d", "", 160, 7, "my__amd_rocclr_copyBuffer", 4); /* not the whole name */
    launch(f, 80, "e", "", 170, 3, "vllm::cross_device_reduce_1stage<float, 8>", 5);
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "total_memcpy_time"), 0.015);
    near(ms(f, "computation_time"), 0.027);
    near(ms(f, "total_comm_time"), 0.003);
}

static void devices_apart(void **state)
{
    struct fw_fix *f = *state;
    call(f, 0, 2, "cudaLaunchKernel", 1);
    call(f, 5, 2, "cudaLaunchKernel", 2);
    call(f, 8, 2, "cudaLaunchKernel", 3);
    device(f, "kernel", 2, 7, 100, 30, "k", 1, "");
    device(f, "kernel", 0, 7, 110, 40, "k", 2, "");
    device(f, "kernel", 2, 7, 180, 20, "k", 3, "");
    run(f, &az_analysis_gpu_timeline);
    near(ms(f, "busy_time"), 0.045); /* the mean of 0.040 and 0.050 */
    const struct az_table *t = table(f, "gpu_timeline_by_device");
    assert_int_equal(t->rows, 16);
    assert_int_equal(cell(t, 0, "device")->i, 0);
    near(num(f, "gpu_timeline_by_device", 3, "time ms"), 0.040); /* busy_time of 0 */
    assert_int_equal(cell(t, 8, "device")->i, 2);
    near(num(f, "gpu_timeline_by_device", 11, "time ms"), 0.050);
    near(num(f, "gpu_timeline_by_device", 12, "time ms"), 0.050); /* idle 130..180 */
    const struct az_table *found = f->job.findings;
    assert_int_equal(cell(found, row_of(found, "Rule", "several_devices"), "Count")->i, 2);
}

/* Steps in order; one inside another is none; events that reach into the next step, one step
 * without work. No launch is in any of them: their windows are the marks. */
static void steps(void **state)
{
    struct fw_fix *f = *state;
    static const struct {
        double ts, dur;
    } k[] = { { 105, 10 }, { 190, 20 }, { 215, 5 }, { 395, 10 } };
    for (int i = 0; i < 4; i++) {
        call(f, i * 10, 2, "cudaLaunchKernel", i + 1);
        kernel(f, 7, k[i].ts, k[i].dur, "k", i + 1);
    }
    span(f, "user_annotation", 100, 1, 100, 100, "ProfilerStep#1", "");
    span(f, "user_annotation", 100, 1, 200, 100, "ProfilerStep#2", "");
    span(f, "user_annotation", 100, 1, 210, 20, "ProfilerStep#22", "");
    span(f, "user_annotation", 100, 1, 300, 90, "ProfilerStep#3", "");
    span(f, "user_annotation", 100, 1, 390, 10, "ProfilerStep#4", "");
    span(f, "user_annotation", 100, 1, 50, 10, "Optimizer.step", "");
    run(f, &az_analysis_gpu_timeline);
    const struct az_table *t = table(f, "gpu_timeline_by_step");
    assert_int_equal(t->rows, 4 * 8);
    static const double busy[] = { 0.020, 0.015, 0, 0.005 }, total[] = { 0.1, 0.1, 0.09, 0.01 };
    for (size_t i = 0; i < 4; i++) {
        near(num(f, "gpu_timeline_by_step", i * 8 + 3, "time ms"), busy[i]);
        near(num(f, "gpu_timeline_by_step", i * 8 + 4, "time ms"), total[i] - busy[i]);
        near(num(f, "gpu_timeline_by_step", i * 8 + 5, "time ms"), total[i]);
    }
    is(f, "gpu_timeline_by_step", 16, "step", "ProfilerStep#3");
}

/* A step of a mark is the work launched in it, by any thread, up to the first work of the next. */
static void steps_by_launches(void **state)
{
    struct fw_fix *f = *state;
    static const struct {
        double call, ts, dur;
    } k[] = { { 110, 150, 40 }, { 150, 195, 30 }, { 210, 240, 20 }, { 250, 300, 50 } };
    span(f, "user_annotation", 100, 1, 100, 100, "ProfilerStep#7", "");
    span(f, "user_annotation", 100, 1, 200, 100, "ProfilerStep#8", "");
    span(f, "user_annotation", 100, 1, 300, 100, "ProfilerStep#9", "");
    for (int i = 0; i < 4; i++) {
        span(f, "cuda_runtime", 100, i % 2 ? 2 : 1, k[i].call, 2, "cudaLaunchKernel",
             i == 0   ? "\"correlation\":1"
             : i == 1 ? "\"correlation\":2"
             : i == 2 ? "\"correlation\":3"
                      : "\"correlation\":4");
        kernel(f, 7, k[i].ts, k[i].dur, "k", i + 1);
    }
    f->opts.compat = AZ_TOOL_TRACELENS; /* counts linked work only */
    run(f, &az_analysis_gpu_timeline);
    assert_int_equal(table(f, "gpu_timeline_by_step")->rows, 3 * 8); /* nothing ran in the third */
    near(num(f, "gpu_timeline_by_step", 5, "time ms"), 0.090);       /* 150..240 */
    near(num(f, "gpu_timeline_by_step", 3, "time ms"), 0.070);
    near(num(f, "gpu_timeline_by_step", 8 + 5, "time ms"), 0.110); /* 240..350 */
    near(num(f, "gpu_timeline_by_step", 8 + 3, "time ms"), 0.070);
}

static void recompute_apart(void **state)
{
    struct fw_fix *f = *state;
    span(f, "python_function", 100, 1, 0, 200, "torch/utils/checkpoint.py(1): backward",
         "\"Python id\":1");
    span(f, "python_function", 100, 1, 10, 50, "torch/utils/checkpoint.py(2): recompute_fn",
         "\"Python id\":2");
    launch(f, 20, "aten::relu", "", 300, 10, "relu_kernel", 1);
    launch(f, 100, "aten::relu", "", 350, 30, "relu_kernel", 2);
    option(f, "detect_recompute", "true");
    run(f, &az_analysis_gpu_timeline);
    run(f, &az_analysis_fw_ops);
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "gpu_timeline");
    assert_int_equal(t->rows, 16);
    is(f, "gpu_timeline", 0, "is_recompute", "False");
    near(num(f, "gpu_timeline", 3, "time ms"), 0.030);
    is(f, "gpu_timeline", 11, "is_recompute", "True");
    near(num(f, "gpu_timeline", 11, "time ms"), 0.010);
    near(num(f, "gpu_timeline", 13, "time ms"), 0.010); /* each block has its own total */
    static const char *const split[] = { "ops_summary_by_category", "ops_summary", "ops_all",
                                         "unified_perf_summary" };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(table(f, split[i])->rows, 2);
        is(f, split[i], 0, "is_recompute", "False");
        is(f, split[i], 1, "is_recompute", "True");
    }
    near(num(f, "ops_summary", 1, "total_direct_kernel_time_sum"), 10);
}

static void all(struct fw_fix *f)
{
    static const struct az_analysis *const list[] = {
        &az_analysis_gpu_timeline, &az_analysis_fw_ops,     &az_analysis_fw_unified,
        &az_analysis_fw_kernels,   &az_analysis_fw_short,   &az_analysis_fw_phases,
        &az_analysis_fw_coll,      &az_analysis_fw_quality, &az_analysis_fw_gaps,
        &az_analysis_unmatched
    };
    option(f, "short_kernel_study", "true");
    option(f, "inference_phase_analysis", "true");
    option(f, "include_overlap_info", "true");
    option(f, "include_call_stack", "true");
    option(f, "detect_recompute", "true");
    for (size_t i = 0; i < AZ_LENGTH(list); i++)
        run(f, list[i]);
}

static void no_events(void **state)
{
    struct fw_fix *f = *state;
    all(f);
    assert_false(az_trace_has_activity(&f->trace));
    near(ms(f, "total_time"), 0); /* a table of zeros, not nothing */
    assert_false(has_table(f, "ops_summary"));
    assert_true(has_table(f, "short_kernels_histogram"));
    assert_int_equal(table(f, "short_kernels_histogram")->rows, 0);
    assert_true(has_table(f, "data_quality"));
}

static void host_only(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 100, "aten::mm", "\"Input Dims\":[[4,4],[4,4]]");
    op(f, 10, 20, "aten::empty", "");
    call(f, 50, 5, "cudaDeviceSynchronize", 1);
    span(f, "user_annotation", 100, 1, 0, 200, "ProfilerStep#1", "");
    all(f);
    assert_false(az_trace_has_activity(&f->trace));
    near(ms(f, "total_time"), 0);
    assert_false(has_table(f, "ops_summary"));
    assert_false(has_table(f, "unified_perf_summary"));
    assert_false(has_table(f, "gpu_timeline_by_step")); /* without device work steps say nothing */
    assert_false(has_table(f, "idle_gaps"));
}

static void device_only(void **state)
{
    struct fw_fix *f = *state;
    call(f, 0, 3, "hipLaunchKernel", 1);
    call(f, 10, 3, "hipGraphLaunch", 2);
    kernel(f, 0, 100, 10, "void at::native::vectorized_elementwise_kernel<4>", 1);
    kernel(f, 0, 120, 5, "g1", 2);
    kernel(f, 0, 130, 5, "g2", 2);
    all(f);
    near(ms(f, "busy_time"), 0.020);
    assert_false(has_table(f, "ops_summary"));
    assert_false(has_table(f, "unified_perf_summary"));
    assert_false(has_table(f, "inference_phases"));
    near(covered(f, "operator tables skipped"), 2);
    const struct az_table *k = table(f, "kernel_summary");
    assert_int_equal(az_table_find(k, "Parent cpu_op"), -1);
    is(f, "kernel_summary", 0, "Parent op category", "runtime");
    is(f, "kernel_summary", 1, "Parent op category", "graph");
    assert_int_equal(az_table_find(table(f, "short_kernels_all_details"), "Parent cpu_op"), -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(overlap_algebra),
        TEST(arrows_change_nothing),
        TEST(unlinked_on_request),
        TEST(no_launch_recorded),
        TEST(no_launch_needed),
        TEST(micro_idle),
        TEST(epoch_times_are_exact),
        TEST(copies_that_are_kernels),
        TEST(devices_apart),
        TEST(steps),
        TEST(steps_by_launches),
        TEST(recompute_apart),
        TEST(no_events),
        TEST(host_only),
        TEST(device_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
