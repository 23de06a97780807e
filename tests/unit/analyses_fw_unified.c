/* The unified summary: which operations are taken, backward matching, call stacks; and what
 * overlaps what. */
#include "unit/analyses_fw.h"

static void arrow(struct fw_fix *f, char ph, int id, int tid, double ts)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"ph\":\"%c\",\"id\":%d,\"pid\":100,\"tid\":%d,\"ts\":%.3f,\"cat\":\"fwdbwd\","
             "\"name\":\"fwdbwd\"%s}",
             ph, id, tid, ts, ph == 'f' ? ",\"bp\":\"e\"" : "");
    raw(f, text);
}

/* An operator with a launch on a thread; three events. */
static void work(struct fw_fix *f, int tid, double ts, const char *name, const char *args,
                 double kernel_ts, double dur, const char *kernel_name, int correlation)
{
    char c[32];
    snprintf(c, sizeof c, "\"correlation\":%d", correlation);
    span(f, "cpu_op", 100, tid, ts, 10, name, args);
    span(f, "cuda_runtime", 100, tid, ts + 1, 3, "cudaLaunchKernel", c);
    kernel(f, 7, kernel_ts, dur, kernel_name, correlation);
}

static void modelled_operators(void **state)
{
    struct fw_fix *f = *state;
    work(f, 1, 100, "aten::mm", "\"Input Dims\":[[4,8],[8,16]],\"Sequence number\":7", 300, 10,
         "gemm_f", 61); /* 0 */
    span(f, "cpu_op", 100, 2, 1000, 100, "autograd::engine::evaluate_function: MmBackward0",
         "\"Sequence number\":7,\"Fwd thread id\":1");
    span(f, "cpu_op", 100, 2, 1005, 90, "MmBackward0", "\"Sequence number\":7,\"Fwd thread id\":1");
    work(f, 2, 1010, "aten::mm", "\"Input Dims\":[[8,4],[4,16]]", 1300, 12, "gemm_b1", 62);
    work(f, 2, 1050, "aten::mm", "\"Input Dims\":[[4,16],[16,8]]", 1320, 14, "gemm_b2", 63);
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    assert_int_equal(t->rows, 3);
    for (size_t i = 0; i < 3; i++) {
        is(f, "unified_perf_summary", i, "name", "aten::mm");
        is(f, "unified_perf_summary", i, "op category", "GEMM");
        is(f, "unified_perf_summary", i, "has_perf_model", "True");
    }
    near(num(f, "unified_perf_summary", 0, "Kernel Time (µs)_sum"), 14);
    near(num(f, "unified_perf_summary", 2, "Kernel Time (µs)_sum"), 10);
    near(num(f, "unified_perf_summary", 2, "ex_UID"), 0);
    near(num(f, "unified_perf_summary", 2, "Percentage (%)"), 10.0 / 36 * 100);
    near(num(f, "unified_perf_summary", 0, "total_duration_us"), 10); /* of the host event */
}

/* The sole main backward operator takes the forward's backward category: by arrows, else by
 * sequence number. */
static void backward(struct fw_fix *f, const char *seq, const char *other)
{
    const bool arrows = !*seq;
    if (other)
        span(f, "cpu_op", 100, 3, 50, 10, "aten::empty", other);
    work(f, 1, 100, "flash_attn::_flash_attn_forward", seq, 300, 10, "flash_fwd", 1);
    span(f, "cpu_op", 100, 2, 1000, 100, "autograd::engine::evaluate_function: CustomAttnBackward",
         seq);
    work(f, 2, 1010, "CustomAttnBackward", "", 1300, 25, "flash_bwd", 2);
    work(f, 2, 1050, "aten::sum", "", 1330, 5, "reduce_kernel", 3);
    if (arrows) {
        arrow(f, 's', 1, 1, 100);
        arrow(f, 'f', 1, 2, 1000);
    }
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    size_t b = row_of(t, "name", "CustomAttnBackward");
    assert_int_equal(t->rows, 3);
    is(f, "unified_perf_summary", b, "op category", "SDPA_bwd");
    is(f, "unified_perf_summary", row_of(t, "name", "flash_attn::_flash_attn_forward"),
       "op category", "SDPA_fwd");
    near(num(f, "unified_perf_summary", b, "Kernel Time (µs)_sum"), 25);
}
static void backward_by_arrows(void **state) { backward(*state, "", NULL); }
static void backward_by_sequence(void **state) { backward(*state, "\"Sequence number\":7", NULL); }
/* Numbers far from each other. */
static void backward_by_large_numbers(void **state)
{
    backward(*state, "\"Sequence number\":7000000000000", "\"Sequence number\":3");
}

/* A fused convolution's backward pass records no shapes: its figures are the forward operator's,
 * found by sequence number. */
static void fused_convolution(void **state)
{
    struct fw_fix *f = *state;
    work(f, 1, 100, "ConvBias_",
         "\"Sequence number\":7,\"Input Dims\":[[2,3,8,8],[4,3,3,3],[4,1,1],[],[]],\"Input type\":"
         "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"Scalar\",\"Scalar\"],\"Concrete "
         "Inputs\":[\"\",\"\",\"\",\"1\",\"1\"]",
         300, 10, "conv_fprop", 1);
    span(f, "cpu_op", 100, 2, 1000, 100, "autograd::engine::evaluate_function: ConvBias_Backward",
         "\"Sequence number\":7");
    work(f, 2, 1010, "ConvBias_Backward", "", 1300, 25, "conv_dgrad", 2);
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    const size_t b = row_of(t, "name", "ConvBias_Backward"), fwd = row_of(t, "name", "ConvBias_");
    is(f, "unified_perf_summary", b, "op category", "CONV_bwd");
    /* padding 1, stride 1: output 8 x 8; 2 * N * K * H * W * C * R * S = 2 * 2 * 4 * 64 * 27 and
     * the bias */
    assert_true(num(f, "unified_perf_summary", fwd, "GFLOPS") > 2e-9 * 2 * 4 * 64 * 27 * 0.999);
    assert_true(num(f, "unified_perf_summary", b, "GFLOPS") >
                num(f, "unified_perf_summary", fwd, "GFLOPS") * 1.5);
    is(f, "unified_perf_summary", b, "has_perf_model", "True");
}

static void not_sole_backward(void **state)
{
    struct fw_fix *f = *state;
    work(f, 1, 100, "flash_attn::_flash_attn_forward", "\"Sequence number\":7", 300, 10,
         "flash_fwd", 1);
    span(f, "cpu_op", 100, 2, 1000, 100, "autograd::engine::evaluate_function: CustomAttnBackward",
         "\"Sequence number\":7");
    work(f, 2, 1010, "CustomAttnBackward", "", 1300, 25, "flash_bwd",
         2); /* two of the name: neither is the main one */
    work(f, 2, 1050, "CustomAttnBackward", "", 1330, 5, "flash_bwd", 3);
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    is(f, "unified_perf_summary", row_of(t, "name", "CustomAttnBackward"), "op category", "other");
}

static void rows_taken(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 100, "wrapper", ""); /* no kernels of its own, no model below: the leaves are taken */
    launch(f, 10, "leaf_a", "", 1000, 3, "ka", 1);
    launch(f, 30, "leaf_b", "", 1010, 4, "kb", 2);
    op(f, 200, 100, "mixed",
       ""); /* own kernels and a modeled child: only the child, the rest is synthetic */
    launch(f, 210, "aten::mm", "", 1020, 5, "gemm", 3);
    call(f, 230, 3, "cudaLaunchKernel", 4);
    kernel(f, 7, 1030, 6, "kc", 4);
    call(f, 240, 3, "cudaLaunchKernel", 5);
    kernel(f, 7, 1040, 7, "kc", 5);
    op(f, 400, 50, "c10d::allreduce_", ""); /* communication below: no row */
    call(f, 410, 3, "cudaLaunchKernel", 6);
    kernel(f, 9, 1050, 100, "ncclDevKernel_AllReduce", 6);
    call(f, 420, 3, "cudaLaunchKernel", 7);
    kernel(f, 7, 1060, 8, "bias", 7);
    op(f, 500, 50, "aten::linear", ""); /* outer and inner have no model, the inner is a leaf */
    kernel(f, 7, 900, 9, "unlinked", 77);
    run(f, &az_analysis_fw_ops);
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    assert_int_equal(t->rows, 5);
    near(num(f, "unified_perf_summary", row_of(t, "name", "leaf_a"), "Kernel Time (µs)_sum"), 3);
    near(num(f, "unified_perf_summary", row_of(t, "name", "leaf_b"), "Kernel Time (µs)_sum"), 4);
    near(num(f, "unified_perf_summary", row_of(t, "name", "aten::mm"), "Kernel Time (µs)_sum"), 5);
    size_t syn = row_of(t, "name", "mixed->kc (Synthetic Op)");
    near(num(f, "unified_perf_summary", syn, "Kernel Time (µs)_sum"), 13);
    near(num(f, "unified_perf_summary", syn, "operation_count"), 2);
    near(num(f, "unified_perf_summary", syn, "ex_UID"),
         f->trace.read); /* numbered on after the file's events */
    near(num(f, "unified_perf_summary", syn, "mean_duration_us"), 100); /* the owner's */
    is(f, "unified_perf_summary", syn, "has_perf_model", "False");
    row_of(t, "name", "c10d::allreduce_->bias (Synthetic Op)");
    near(covered(f, "unified_perf_summary kernel time - ops_all direct kernel time"), 0);
}

static void driver_launches_are_leaves(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 50, "my::op", "");
    span(f, "cuda_driver", 100, 1, 10, 5, "cuLaunchKernel", "\"correlation\":1");
    kernel(f, 7, 100, 5, "void at::native::elementwise_kernel", 1);
    run(f, &az_analysis_fw_unified);
    is(f, "unified_perf_summary", 0, "name", "my::op");
    is(f, "unified_perf_summary", 0, "op category", "elementwise");
}

static void rows_kept(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 4; i++) {
        char name[8] = { 'o', 'p', (char)('a' + i), 0 };
        launch(f, i * 100, name, "", 1000 + i * 20, i + 1, "k", i + 1);
    }
    static const char *const dims[] = {
        "\"Input Dims\":[[4,8],[8,2]],\"Input type\":[\"float\",\"float\"]",
        "\"Input Dims\":[[4,8],[8,4]],\"Input type\":[\"float\",\"float\"]"
    };
    for (int i = 0; i < 2; i++)
        launch(f, 500 + i * 100, "aten::mm", dims[i], 1200 + i * 20, 0, "gemm", i + 5);
    option(f, "topk_roofline_ops", "1");
    option(f, "include_overlap_info", "true");
    run(f, &az_analysis_fw_unified);
    run(f, &az_analysis_fw_families);
    assert_int_equal(table(f, "unified_perf_summary")->rows, 1); /* and tables of families */
    near(covered(f, "unified_perf_summary: rows skipped"), 5);
    assert_int_equal(table(f, "unified_perf_summary_kl_overlap")->rows, 6);
    assert_int_equal(table(f, "roofline")->rows, 0); /* on request */
    assert_int_equal(table(f, "GEMM")->rows, 1);
    is(f, "unified_perf_summary", 0, "name", "opd");
    near(num(f, "unified_perf_summary", 0, "Percentage (%)"), 40);
}

/* It is made where it is shown. */
static void roofline_on_request(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 2; i++)
        launch(f, 500 + i * 100, "aten::mm",
               i ? "\"Input Dims\":[[4,8],[8,2]],\"Input type\":[\"float\",\"float\"]"
                 : "\"Input Dims\":[[4,8],[8,4]],\"Input type\":[\"float\",\"float\"]",
               1200 + i * 20, 0, "gemm", i + 5);
    option(f, "compat", "all");
    run(f, &az_analysis_fw_unified);
    assert_int_equal(table(f, "roofline")->rows, 2);
}

/* Rows of one operation are together, at the place that its whole time has. */
static void overlap_rows_follow_their_operation(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "my::first", "", 1000, 20, "a", 1);
    launch(f, 100, "my::first", "", 1100, 10, "a", 2);
    launch(f, 200, "my::second", "", 1200, 25, "b", 3);
    op(f, 300, 10, "my::beside", "");
    call(f, 301, 3, "cudaLaunchKernel", 4);
    kernel(f, 8, 1102, 5, "c", 4);
    option(f, "include_overlap_info", "true");
    run(f, &az_analysis_fw_unified);
    const char *id = "unified_perf_summary_kl_overlap";
    assert_int_equal(table(f, id)->rows, 4);
    is(f, id, 0, "name", "my::first");
    is(f, id, 1, "name", "my::first");
    is(f, id, 2, "name", "my::second");
    is(f, id, 3, "name", "my::beside");
}

static void call_stacks(void **state)
{
    struct fw_fix *f = *state;
    span(f, "python_function", 100, 1, 0, 500, "train.py(10): main", "\"Python id\":1");
    span(f, "python_function", 100, 1, 5, 480, "nn.Module: Linear_12", "\"Python id\":2");
    span(f, "python_function", 100, 1, 6, 470, "torch/nn/modules/module.py(1): _call_impl",
         "\"Python id\":3");
    span(f, "python_function", 100, 1, 7, 460, "model/layers.py(44): forward", "\"Python id\":4");
    span(f, "python_function", 100, 1, 8, 450, "<built-in function linear>", "\"Python id\":5");
    op(f, 10, 100, "aten::linear", "");
    launch(f, 20, "aten::addmm", "", 1000, 5, "gemm", 1);
    launch(f, 600, "alone", "", 1100, 2, "k__5x_2", 2);
    op(f, 700, 90, "aten::bmm", ""); /* two kernels by different ways, one of them twice */
    op(f, 701, 80, "prepare_1", "");
    launch(f, 702, "my::copy", "", 1200, 2, "copy", 3);
    launch(f, 720, "my::copy", "", 1210, 2, "copy", 4);
    call(f, 750, 3, "cudaLaunchKernel", 5);
    kernel(f, 7, 1220, 2, "gemm", 5);
    option(f, "include_call_stack", "true");
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    size_t r = row_of(t, "name", "aten::addmm"), alone = row_of(t, "name", "alone");
    is(f, "unified_perf_summary", r, "entry_point", "model/layers.py(44): forward");
    is(f, "unified_perf_summary", r, "call_stack_full",
       "[\"nn.Module: Linear\",\"torch/nn/modules/module.py(1): "
       "_call_impl\",\"model/layers.py(44): forward\","
       "\"aten::linear\",\"aten::addmm\",\"gemm\"]");
    is(f, "unified_perf_summary", alone, "entry_point", "Not found");
    is(f, "unified_perf_summary", alone, "call_stack_full", "[\"alone\",\"k__5x_2\"]");
    is(f, "unified_perf_summary", row_of(t, "name", "aten::bmm"), "call_stack_full",
       "[\"aten::bmm\",\"prepare\",[\"my::copy\",\"copy\"],[\"gemm\"]]");
}

static void by_module(void **state)
{
    struct fw_fix *f = *state;
    static const char *const modules[] = { "nn.Module: Attention_1", "nn.Module: Mlp_1",
                                           "nn.Module: Mlp_2" };
    span(f, "python_function", 100, 1, 0, 900, "nn.Module: Net_0", "\"Python id\":1");
    for (int i = 0; i < 3; i++) {
        span(f, "python_function", 100, 1, 100 * i + 10, 80, modules[i], "\"Python id\":2");
        launch(f, 100 * i + 20, "aten::mm", "", 1000 + 100 * i, 5 + i, "gemm", i + 1);
    }
    launch(f, 400, "aten::mm", "", 1400, 2, "gemm", 4);
    launch(f, 1000, "aten::mm", "", 1500, 1, "gemm", 5);
    option(f, "group_by_parent_module", "true");
    run(f, &az_analysis_fw_unified);
    const struct az_table *t = table(f, "unified_perf_summary");
    static const char *const parents[] = { "Mlp", "Attention", "Net", "root" }; /* by time */
    static const double times[] = { 13, 5, 2, 1 };
    assert_int_equal(t->rows, 4);
    for (size_t r = 0; r < 4; r++) {
        is(f, "unified_perf_summary", r, "parent_module", parents[r]);
        near(num(f, "unified_perf_summary", r, "Kernel Time (µs)_sum"), times[r]);
    }
    near(num(f, "unified_perf_summary", 0, "operation_count"), 2); /* both Mlp */
}

/* ---- overlap ---- */
static void overlaps(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 100, "ka", 1); /* stream 7: 1000..1100 */
    op(f, 100, 10, "b", "");                   /* stream 8: 1050..1075 and 1080..1100.5 */
    call(f, 101, 2, "cudaLaunchKernel", 2);
    kernel(f, 8, 1050, 25, "kb", 2);
    call(f, 105, 2, "cudaLaunchKernel", 3);
    kernel(f, 8, 1080, 20.5, "kb2", 3);
    launch(f, 200, "a", "", 1100, 50, "ka", 4); /* shares 0.5 us with kb2: too little */
    op(f, 300, 10, "c", "");                    /* two streams under one operator do not overlap */
    call(f, 301, 2, "cudaLaunchKernel", 5);
    kernel(f, 7, 1200, 10, "kc", 5);
    call(f, 305, 2, "cudaLaunchKernel", 6);
    kernel(f, 8, 1200, 10, "kc2", 6);
    launch(f, 400, "d", "", 1300, 10, "kd", 7); /* other device: no */
    op(f, 500, 10, "e", "");
    call(f, 501, 2, "cudaLaunchKernel", 8);
    device(f, "kernel", 1, 8, 1300, 10, "ke", 8, "");
    launch(f, 600, "f", "", 1400, 10, "kf", 9); /* touch only; empty events never overlap */
    op(f, 700, 10, "g", "");
    call(f, 701, 2, "cudaLaunchKernel", 10);
    kernel(f, 8, 1410, 10, "kg", 10);
    call(f, 705, 2, "cudaLaunchKernel", 11);
    kernel(f, 9, 1405, 0, "kg0", 11);
    option(f, "include_overlap_info", "true");
    run(f, &az_analysis_fw_ops);
    run(f, &az_analysis_fw_unified);
    assert_int_equal(table(f, "ops_all")->rows, 7);
    static const char *const ids[] = { "ops_all_kl_overlap", "unified_perf_summary_kl_overlap" };
    for (size_t k = 0; k < 2; k++) {
        const struct az_table *t = table(f, ids[k]);
        assert_int_equal(t->rows, 8); /* `a` falls apart in two */
        is(f, ids[k], 0, "name",
           "a"); /* 100 + 50: the group is the longest, its parts stay together */
        is(f, ids[k], 0, "overlapping_kernel_names", "[\"kb\",\"kb2\"]");
        near(num(f, ids[k], 0, "overlap_pct_mean"), 45); /* 25 + 20 of 100 */
        near(num(f, ids[k], 0, "operation_count"), 1);
        is(f, ids[k], 1, "name", "a");
        assert_int_equal(cell(t, 1, "overlapping_kernel_names")->type, AZ_EMPTY);
        near(num(f, ids[k], 1, "overlap_pct_mean"), 0);
        size_t b = row_of(t, "name", "b");
        is(f, ids[k], b, "overlapping_kernel_names", "[\"ka\"]");
        near(num(f, ids[k], b, "overlap_pct_max"), 98.9); /* 45 of 45.5, 2 decimals */
        is(f, ids[k], b, "trunc_overlapping_kernels_details",
           "[{\"name\":\"ka\",\"stream\":7,\"mean_duration_us\":100.00}]");
        near(num(f, ids[k], t->rows - 1, "Cumulative Percentage (%)"), 100);
        static const char *const none[] = { "c", "d", "e", "f", "g" };
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(cell(t, row_of(t, "name", none[i]), "overlapping_kernel_names")->type,
                             AZ_EMPTY);
    }
    near(num(f, "ops_all_kl_overlap", 0, "total_direct_kernel_time_sum"), 100);
}

/* Rows of one kind by which kernels overlap them; figures over the launches of a row. */
static void overlap_statistics(void **state)
{
    struct fw_fix *f = *state;
    static const double part[] = { 2, 4, 6 };
    for (int i = 0; i < 3; i++) {
        launch(f, i * 100, "a", "", 1000 + i * 100, 10, "ka", i * 2 + 1);
        op(f, i * 100 + 50, 10, "comm", "");
        call(f, i * 100 + 51, 2, "cudaLaunchKernel", i * 2 + 2);
        kernel(f, 9, 1000 + i * 100, part[i], "ncclDevKernel_AllGather", i * 2 + 2);
    }
    kernel(f, 10, 1200, 50, "stranger", 99); /* unlinked: does not count */
    f->opts.compat = AZ_TOOL_TRACELENS;
    option(f, "include_overlap_info", "true");
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_all_kl_overlap");
    assert_int_equal(t->rows, 1); /* communication has no launcher */
    is(f, "ops_all_kl_overlap", 0, "overlapping_kernel_names", "[\"ncclDevKernel_AllGather\"]");
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_mean"), 40);
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_median"), 40);
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_std"), 20);
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_min"), 20);
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_max"), 60);
}

static void unlinked_overlap_on_request(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 10, "ka", 1);
    kernel(f, 10, 995, 50, "stranger", 99);
    option(f, "include_overlap_info", "true");
    option(f, "include_unlinked_kernels", "true");
    run(f, &az_analysis_fw_ops);
    is(f, "ops_all_kl_overlap", 0, "overlapping_kernel_names", "[\"stranger\"]");
    near(num(f, "ops_all_kl_overlap", 0, "overlap_pct_mean"), 100);
}

/* Two kernels of an operator, one after the other, at times that float64 keeps to 2^-10 us. */
static void rounded_times(struct fw_fix *f, unsigned compat, double wanted)
{
    const double at = 6520618855031.0;
    f->opts.compat = compat;
    op(f, at, 10, "aten::mm", "\"Input Dims\":[[4,8],[8,16]]");
    call(f, at + 1, 3, "cudaLaunchKernel", 5);
    kernel(f, 7, at + 20.205, 5.003, "gemm_a", 5);
    kernel(f, 7, at + 30.1, 4.679, "gemm_b", 5);
    run(f, &az_analysis_fw_unified);
    const double got = num(f, "unified_perf_summary", 0, "Kernel Time (µs)_sum");
    assert_true(fabs(got - wanted) < 1e-9);
    near(num(f, "unified_perf_summary", 0, "total_duration_us"), 10);
}

static void exact_kernel_time(void **state) { rounded_times(*state, AZ_TOOL_NSYS, 5.003 + 4.679); }

static void kernel_time_in_doubles(void **state)
{
    const volatile double a = 6520618855051.205, a_end = a + 5.003, b = 6520618855061.1,
                          b_end = b + 4.679;
    rounded_times(*state, AZ_TOOL_TRACELENS, (a_end - a) + (b_end - b));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exact_kernel_time),
        TEST(kernel_time_in_doubles),
        TEST(modelled_operators),
        TEST(backward_by_arrows),
        TEST(backward_by_sequence),
        TEST(backward_by_large_numbers),
        TEST(fused_convolution),
        TEST(not_sole_backward),
        TEST(rows_taken),
        TEST(driver_launches_are_leaves),
        TEST(rows_kept),
        TEST(roofline_on_request),
        TEST(call_stacks),
        TEST(overlap_rows_follow_their_operation),
        TEST(by_module),
        TEST(overlaps),
        TEST(overlap_statistics),
        TEST(unlinked_overlap_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
