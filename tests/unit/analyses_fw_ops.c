/* Launchers by category, name and arguments; the call tree and links after them. */
#include "unit/analyses_fw.h"

#include "analyses/tree_hooks/tree_hook.h"

static void statistics(void **state)
{
    struct fw_fix *f = *state;
    static const char mul[] = "\"Input Dims\":[[2,2],[]],\"Input type\":[\"float\",\"float\"],"
                              "\"Input Strides\":[[1,1],[]],\"Concrete Inputs\":[\"\",\"2.\"]";
    names(f);                                                                     /* UIDs 0 to 2 */
    launch(f, 1000, "aten::mul", mul, 1020, 2, "void at::native::mul_kernel", 1); /* 3 */
    launch(f, 1100, "aten::mul", mul, 1120, 4, "void at::native::mul_kernel", 2); /* 6 */
    op(f, 1200, 50, "aten::mul", mul); /* 9: two kernels */
    call(f, 1205, 3, "cudaLaunchKernel", 3);
    kernel(f, 7, 1220, 9, "void at::native::mul_kernel", 3);
    call(f, 1210, 3, "cudaLaunchKernel", 4);
    kernel(f, 7, 1240, 3, "void at::native::reduce_kernel<512>", 4);
    launch(f, 2000, "my::b_op", "", 2020, 6, "kb", 5); /* 14 */
    launch(f, 2100, "my::a_op", "", 2120, 6, "ka", 6); /* 17 */
    run(f, &az_analysis_fw_ops);
    const struct az_table *all = table(f, "ops_all");
    assert_int_equal(all->rows, 3);
    is(f, "ops_all", 0, "name", "aten::mul");
    is(f, "ops_all", 0, "op category", "elementwise");
    is(f, "ops_all", 0, "process_name", "python");
    is(f, "ops_all", 0, "process_label", "CPU");
    is(f, "ops_all", 0, "thread_name", "thread 1 (python)");
    is(f, "ops_all", 0, "Input Dims", "[[2,2],[]]");
    is(f, "ops_all", 0, "Concrete Inputs", "[\"\",\"2.\"]");
    near(num(f, "ops_all", 0, "operation_count"), 3);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_mean"), 6);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_median"), 4);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_std"), 5.291502622129181);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_min"), 2);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_max"), 12);
    near(num(f, "ops_all", 0, "total_direct_kernel_time_sum"), 18);
    near(num(f, "ops_all", 0, "ex_UID"), 3);
    near(num(f, "ops_all", 0, "Percentage (%)"), 60);
    is(f, "ops_all", 1, "name", "my::b_op"); /* ties: by UID here, by name in ops_summary */
    is(f, "ops_all", 2, "name", "my::a_op");
    near(num(f, "ops_all", 2, "Cumulative Percentage (%)"), 100);
    assert_int_equal(cell(all, 1, "total_direct_kernel_time_std")->type, AZ_EMPTY); /* one value */
    assert_int_equal(cell(all, 1, "Input Dims")->type, AZ_EMPTY);
    is(f, "ops_summary", 0, "name", "aten::mul");
    is(f, "ops_summary", 1, "name", "my::a_op");
    is(f, "ops_summary", 2, "name", "my::b_op");
    is(f, "ops_summary", 0, "Categories", "[\"elementwise\"]");
    is(f, "ops_summary_by_category", 0, "op category", "elementwise");
    is(f, "ops_summary_by_category", 1, "op category", "other");
    near(num(f, "ops_summary_by_category", 1, "Count"), 2);
    near(num(f, "ops_summary_by_category", 1, "total_direct_kernel_time_ms"), 0.012);
}

static void kernel_details(void **state)
{
    struct fw_fix *f = *state;
    static const char tail[] = "_with_a_name_of_more_than_sixty_four_characters_in_all_that_is_cut";
    for (int i = 0; i < 2; i++) { /* launches of 2 and of 1 kernels: none of the three is lost */
        op(f, i * 100, 50, "my::op", "");
        for (int k = 0; k < 2 - i; k++) {
            call(f, i * 100 + 10 + k * 10, 3, "cudaLaunchKernel", i * 2 + k + 1);
            kernel(f, 7, 1000 + i * 100 + k * 20, i * 2 + k * 4 + 2, tail,
                   i * 2 + k + 1); /* 2, 6; 4 */
        }
    }
    run(f, &az_analysis_fw_ops);
    assert_int_equal(table(f, "ops_all")->rows, 1);
    is(f, "ops_all", 0, "kernel_details_summary",
       "[{\"name\":\"_with_a_name_of_more_than_sixty_four_characters_in_all_that_is_cut\","
       "\"stream\":7,\"count\":2,"
       "\"total_duration_us\":6,\"mean_duration_us\":3,\"median_duration_us\":3,\"std_dev_duration_"
       "us\":1,"
       "\"min_duration_us\":2,\"max_duration_us\":4},"
       "{\"name\":\"_with_a_name_of_more_than_sixty_four_characters_in_all_that_is_cut\","
       "\"stream\":7,\"count\":1,"
       "\"total_duration_us\":6,\"mean_duration_us\":6,\"median_duration_us\":6,\"std_dev_duration_"
       "us\":0,"
       "\"min_duration_us\":6,\"max_duration_us\":6}]");
    is(f, "ops_all", 0, "trunc_kernel_details",
       "[{\"name\":\"_with_a_name_of_more_than_sixty_four_characters_in_all_that_is_c...\","
       "\"stream\":7,"
       "\"mean_duration_us\":3.00},"
       "{\"name\":\"_with_a_name_of_more_than_sixty_four_characters_in_all_that_is_c...\","
       "\"stream\":7,"
       "\"mean_duration_us\":6.00}]");
}

/* Equal start with the child first in the file, bleeds of 0.4 and 5 us, a thread without operators.
 */
static void tree(void **state)
{
    struct fw_fix *f = *state;
    op(f, 100, 10, "child", "");
    op(f, 100, 50, "parent_same_start", "");
    call(f, 102, 3, "cudaLaunchKernel", 41);
    kernel(f, 7, 300, 1, "ka", 41);
    op(f, 1000, 100, "outer", "");
    op(f, 1010, 20, "sib", "");
    call(f, 1029.6, 5, "cudaLaunchKernel", 42); /* ends 4.6 us after sib: outer's */
    kernel(f, 7, 1300, 2, "kb", 42);
    op(f, 2000, 100, "outer2", "");
    op(f, 2010, 20, "sib2", "");
    call(f, 2025, 10, "cudaLaunchKernel", 43);
    kernel(f, 7, 2300, 4, "kc", 43);
    span(f, "cuda_runtime", 100, 2, 2050, 5, "cudaLaunchKernel", "\"correlation\":44");
    kernel(f, 7, 2400, 8, "kd", 44);
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_summary");
    assert_int_equal(t->rows, 4); /* none is dropped */
    is(f, "ops_summary", 0, "name", "cudaLaunchKernel");
    near(num(f, "ops_summary", 0, "total_direct_kernel_time_sum"), 8);
    is(f, "ops_summary", 1, "name", "outer2");
    near(num(f, "ops_summary", 1, "total_direct_kernel_time_sum"), 4);
    is(f, "ops_summary", 2, "name", "outer");
    near(num(f, "ops_summary", 2, "total_direct_kernel_time_sum"), 2);
    is(f, "ops_summary", 3, "name", "child");
    is(f, "ops_all", 0, "thread_name", "Unknown");
}

static void graph_launch(void **state)
{
    struct fw_fix *f = *state;
    op(f, 10, 100, "Torch-Compiled Region: 0/0", "");
    call(f, 20, 30, "cudaGraphLaunch", 21);
    kernel(f, 7, 100, 10, "k1", 21);
    kernel(f, 8, 105, 10, "k2", 21);
    kernel(f, 7, 200, 5, "k3", 21);
    call(f, 120, 5, "cudaLaunchKernel", 22);
    kernel(f, 7, 210, 1, "k4", 22);
    run(f, &az_analysis_fw_ops);
    run(f, &az_analysis_gpu_timeline);
    run(f, &az_analysis_fw_unified);
    is(f, "ops_summary", 0, "name", "Torch-Compiled Region: 0/0");
    near(num(f, "ops_summary", 0, "total_direct_kernel_time_sum"), 20); /* a union, not 25 */
    is(f, "ops_summary", 1, "name", "cudaLaunchKernel");
    near(num(f, "ops_summary", 1, "total_direct_kernel_time_sum"), 1);
    near(ms(f, "busy_time"), 0.021);
    near(ms(f, "total_time"), 0.111);
    assert_int_equal(table(f, "unified_perf_summary")->rows, 2);
    near(num(f, "unified_perf_summary", 0, "Kernel Time (µs)_sum"), 20);
    is(f, "unified_perf_summary", 1, "name", "cudaLaunchKernel->k4 (Synthetic Op)");
    near(covered(f, "unified_perf_summary kernel time - ops_all direct kernel time"), 0);
}

static void who_is_the_launcher(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 100, "conv_bn_fused", ""); /* `execute` is stepped over, also twice */
    op(f, 1, 90, "execute", "");
    op(f, 2, 80, "execute", "");
    call(f, 10, 5, "cudaLaunchKernel", 1);
    kernel(f, 7, 1000, 3, "void at::native::unrolled_elementwise_kernel<x>", 1);
    op(f, 200, 50, "outer", ""); /* a call inside a call is its own launcher */
    call(f, 210, 20, "cudaLaunchKernelExC", 90);
    span(f, "cuda_driver", 100, 1, 212, 5, "cuLaunchKernelEx", "\"correlation\":2");
    kernel(f, 7, 1010, 4, "k", 2);
    op(f, 300, 20, "record_param_comms", ""); /* communication has no launcher */
    call(f, 305, 5, "cudaLaunchKernel", 3);
    kernel(f, 9, 1020, 50, "ncclDevKernel_Broadcast_RING_LL", 3);
    op(f, 400, 50, "parent", ""); /* direct and subtree differ */
    launch(f, 405, "leaf", "", 1100, 5, "k", 4);
    call(f, 430, 3, "cudaLaunchKernel", 5);
    kernel(f, 7, 1110, 6, "k", 5);
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_summary");
    assert_int_equal(t->rows, 4);
    size_t fused = row_of(t, "name", "conv_bn_fused"), parent = row_of(t, "name", "parent");
    near(num(f, "ops_summary", fused, "total_direct_kernel_time_sum"), 3);
    is(f, "ops_summary", fused, "Categories", "[\"elementwise\"]"); /* by its kernel's name */
    near(num(f, "ops_summary", row_of(t, "name", "cuLaunchKernelEx"),
             "total_direct_kernel_time_sum"),
         4);
    near(num(f, "ops_summary", parent, "total_direct_kernel_time_sum"), 6);
    near(num(f, "ops_summary", parent, "total_subtree_kernel_time_sum"), 11);
    near(num(f, "ops_summary", row_of(t, "name", "leaf"), "total_subtree_kernel_time_sum"), 5);
}

static void categories(void **state)
{
    struct fw_fix *f = *state;
    static const struct {
        const char *op, *kernel, *category;
    } c[] = { { "aten::mm", "void at::native::reduce_kernel",
                "GEMM" }, /* the operator's name first */
              { "triton_poi_fused_add_0", "x", "triton" },
              { "TorchInductor::triton", "x", "other" }, /* only at the beginning */
              { "my::op1", "void at::native::vectorized_elementwise_kernel", "elementwise" },
              { "my::op2", "void at::native::reduce_kernel<512>", "reduce" },
              { "my::op3", "void at::native::(anonymous namespace)::multi_tensor_apply_kernel",
                "multi_tensor_apply" },
              { "my::op4", "vectorized_elementwise_kernel", "other" },
              { "my::op5", "void at::native::elementwise_kernel_reduce", "elementwise" } };
    for (int i = 0; i < (int)AZ_LENGTH(c); i++)
        launch(f, i * 100, c[i].op, "", 10000 + i * 100, 100 - i, c[i].kernel, i + 1);
    op(f, 5000, 50, "my::op6", ""); /* the earliest kernel counts, not the first launched */
    call(f, 5005, 3, "cudaLaunchKernel", 50);
    kernel(f, 7, 20100, 1, "void at::native::elementwise", 50);
    call(f, 5015, 3, "cudaLaunchKernel", 51);
    kernel(f, 8, 20000, 1, "void at::native::reduce", 51);
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_all");
    for (size_t i = 0; i < AZ_LENGTH(c); i++)
        is(f, "ops_all", row_of(t, "name", c[i].op), "op category", c[i].category);
    is(f, "ops_all", row_of(t, "name", "my::op6"), "op category", "reduce");
}

static void options_of_the_tables(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 5, "k", 1);
    launch(f, 100, "b", "", 1010, 7, "k", 2);
    op(f, 200, 50, "a", ""); /* a, with two kernels */
    call(f, 205, 3, "cudaLaunchKernel", 3);
    kernel(f, 7, 1020, 4, "k", 3);
    call(f, 215, 3, "cudaLaunchKernel", 4);
    kernel(f, 7, 1030, 2, "k", 4);
    launch(f, 300, "c", "", 1040, 2, "k", 5);
    option(f, "group_by_num_kernels", "true");
    option(f, "include_first_occurrence_time", "true");
    option(f, "topk_ops", "2");
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_all");
    assert_int_equal(t->rows, 2);
    is(f, "ops_all", 0, "name", "b");
    near(num(f, "ops_all", 0, "first_occurrence_time"), 100);
    near(num(f, "ops_all", 0, "Percentage (%)"), 35); /* of all, not of those shown */
    is(f, "ops_all", 1, "name", "a");
    near(num(f, "ops_all", 1, "num_kernels"), 2);
    near(num(f, "ops_all", 1, "first_occurrence_time"), 200);
    near(num(f, "ops_all", 1, "Cumulative Percentage (%)"), 65);
    near(covered(f, "ops_all: rows skipped"), 2);
    assert_int_equal(table(f, "ops_summary")->rows, 3); /* the table by arguments alone is cut */
    is(f, "ops_summary", 0, "name", "a");
    near(num(f, "ops_summary", 0, "total_direct_kernel_time_sum"), 11);
    near(num(f, "ops_summary", 0, "Percentage (%)"), 55);
    near(num(f, "ops_summary", 1, "Cumulative Percentage (%)"), 90);
}

/* Without group_by_num_kernels the two launches of `a` are one row; lanes of equal names are one
 * lane. */
static void lanes_of_equal_names(void **state)
{
    struct fw_fix *f = *state;
    for (int tid = 1; tid <= 3; tid++) {
        char text[256], args[64];
        snprintf(text, sizeof text,
                 "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":%d,\"ts\":0,\"args\":{"
                 "\"name\":\"%s\"}}",
                 tid, tid == 3 ? "other" : "worker");
        raw(f, text);
        span(f, "cpu_op", 100, tid, tid * 100, 10, "a", "");
        snprintf(args, sizeof args, "\"correlation\":%d", tid);
        span(f, "cuda_runtime", 100, tid, tid * 100 + 1, 3, "cudaLaunchKernel", args);
        kernel(f, 7, 1000 + tid * 10, tid, "k", tid);
    }
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_all");
    assert_int_equal(t->rows, 2);
    near(num(f, "ops_all", row_of(t, "thread_name", "worker"), "operation_count"), 2);
}

static void links_by_external_id_and_reused_ids(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 10, "first", "");
    call(f, 1, 3, "cudaLaunchKernel", 5);
    op(f, 500, 10, "second", "");
    call(f, 501, 3, "cudaLaunchKernel", 5); /* the id again, after a wrap */
    kernel(f, 7, 100, 10, "k", 5);
    kernel(f, 7, 600, 20, "k", 5);
    span(f, "cuda_sync", 0, 7, 590, 5, "Stream Sync", "\"correlation\":5"); /* no work */
    run(f, &az_analysis_fw_ops);
    const struct az_table *t = table(f, "ops_summary");
    assert_int_equal(t->rows, 2);
    near(num(f, "ops_summary", row_of(t, "name", "first"), "total_direct_kernel_time_sum"), 10);
    near(num(f, "ops_summary", row_of(t, "name", "second"), "total_direct_kernel_time_sum"), 20);
}

/* No launch has a correlation: by External id. */
static void links_without_correlations(void **state)
{
    struct fw_fix *f = *state;
    op(f, 0, 10, "a", "\"External id\":5");
    span(f, "cuda_runtime", 100, 1, 1, 3, "cudaLaunchKernel", "\"External id\":5");
    span(f, "kernel", 0, 7, 100, 10, "k", "\"External id\":5");
    run(f, &az_analysis_fw_ops);
    near(num(f, "ops_summary", row_of(table(f, "ops_summary"), "name", "a"),
             "total_direct_kernel_time_sum"),
         10);
}

/* The first launch call runs a host function and has none; the others link by correlation all the
 * same. */
static void host_function_first(struct fw_fix *f)
{
    span(f, "cuda_runtime", 100, 1, 0, 3, "cudaLaunchHostFunc", "");
    launch(f, 10, "a", "", 1000, 5, "k", 1);
    launch(f, 30, "b", "", 1010, 7, "k", 2);
    run(f, &az_analysis_fw_ops);
}

static void first_launch_without_correlation(void **state)
{
    struct fw_fix *f = *state;
    host_function_first(f);
    const struct az_table *t = table(f, "ops_summary");
    assert_int_equal(t->rows, 2);
    near(num(f, "ops_summary", row_of(t, "name", "a"), "total_direct_kernel_time_sum"), 5);
    near(num(f, "ops_summary", row_of(t, "name", "b"), "total_direct_kernel_time_sum"), 7);
}

static void first_launch_decides_for_flows(void **state)
{
    struct fw_fix *f = *state;
    option(f, "link_by", "flow");
    host_function_first(f);
    assert_false(has_table(f, "ops_summary"));
}

/* What becomes of a script is noted: it was examined, could not be loaded, or failed; the trace is
 * then as it was read. */
static void outcome_of_a_script(struct fw_fix *f, const char *text, bool unloaded, int failed)
{
    struct az_hook_job hook = { .opts = &f->opts, .diag = &f->diag };
    const struct az_sv path = az_path_join(&f->arena, f->dir, AZ_SV("script.lua"));
    FILE *out = fopen(path.p, "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    f->opts.extension_file = path;
    f->trace.hook = (struct az_trace_hook){ .run = az_framework_tree_hook, .ctx = &hook };
    launch(f, 1000, "aten::mul", "", 1020, 2, "mul_kernel", 1);
    ready(f);
    assert_true(hook.loaded);
    assert_int_equal(hook.unloaded, unloaded);
    assert_int_equal(hook.failed, failed);
    assert_int_equal(f->diag.errors, failed != 0);
    assert_int_equal(f->trace.ev[AZ_KERNEL].n, 1);
}

static void script_of_nothing(void **state)
{
    outcome_of_a_script(*state, "categories = {}\n", false, 0);
}
static void script_with_an_error(void **state)
{
    outcome_of_a_script(*state, "x = = 1\n", true, 0);
}
static void script_that_fails(void **state)
{
    outcome_of_a_script(*state, "function tree_postprocess(t) error('no') end\n", false,
                        AZ_ECONFIG);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(statistics),
        TEST(kernel_details),
        TEST(tree),
        TEST(graph_launch),
        TEST(who_is_the_launcher),
        TEST(categories),
        TEST(options_of_the_tables),
        TEST(lanes_of_equal_names),
        TEST(links_by_external_id_and_reused_ids),
        TEST(links_without_correlations),
        TEST(first_launch_without_correlation),
        TEST(first_launch_decides_for_flows),
        TEST(script_of_nothing),
        TEST(script_with_an_error),
        TEST(script_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
