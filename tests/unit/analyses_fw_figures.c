/* Figures of groups: each operation counts with the work of its own step, and rows that hold other
 * work stay apart. */
#include "unit/analyses_fw.h"

#define QUERY                                                                                      \
    "\"Input Dims\":[[4,8,64],[4,2,64],[4,2,64]],\"Input "                                         \
    "type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]"
#define PER_KEY (2.0 * 8 * 128) /* FLOPs of a pair of query and key: 2 * H_Q * (d_qk + d_v) */

/* Decode steps of one query length, each 10 us long on the device; context: sum of the lengths of
 * the keys, 0: the step has no annotation. */
static void steps(struct fw_fix *f, const int *context, int n)
{
    for (int i = 0; i < n; i++) {
        char label[128];
        snprintf(label, sizeof label,
                 "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk%dsqsq4sqsk%d)",
                 context[i], context[i]);
        if (context[i])
            span(f, "user_annotation", 100, 1, 1000 * i, 900, label, "");
        launch(f, 1000 * i + 10, "vllm::unified_attention_with_output", QUERY, 1000 * i + 100, 10,
               "paged", i + 1);
    }
}

static void each_step_counts(void **state)
{
    struct fw_fix *f = *state;
    static const int context[] = { 0, 1000, 2000, 4000 }; /* of the first nothing is known */
    steps(f, context, 4);
    option(f, "gpu_arch_platform", "H100-SXM5");
    run(f, &az_analysis_fw_unified);
    const char *id = "unified_perf_summary";
    assert_int_equal(table(f, id)->rows, 1);
    near(num(f, id, 0, "operation_count"), 4);
    near(num(f, id, 0, "GFLOPS"), PER_KEY * 1000 / 1e9); /* the first that is known */
    near(num(f, id, 0, "TFLOPS/s_min"), PER_KEY * 1000 / 10e-6 / 1e12);
    near(num(f, id, 0, "TFLOPS/s_median"), PER_KEY * 2000 / 10e-6 / 1e12);
    near(num(f, id, 0, "TFLOPS/s_max"), PER_KEY * 4000 / 10e-6 / 1e12);
    near(num(f, id, 0, "TFLOPS/s_mean"), PER_KEY * (7000.0 / 3) / 10e-6 / 1e12);
    /* (sq * (8 + 2) + (sk - sq) * 2) * 128 elements of 2 bytes */
    near(num(f, id, 0, "TB/s_max"), (4 * 10 + 3996 * 2) * 128 * 2.0 / 10e-6 / 1e12);
    near(num(f, id, 0, "Data Moved (MB)"), (4 * 10 + 996 * 2) * 256.0 / 1048576);
    is(f, id, 0, "Compute Spec", "matrix_bf16");
    is(f, id, 0, "Roofline Bound", "MEMORY_BOUND");
    near(num(f, id, 0, "Pct Roofline_max"), (4 * 10 + 3996 * 2) * 256.0 / 3350e9 / 10e-6 * 100);
    near(num(f, id, 0, "Pct Roofline_min"), (4 * 10 + 996 * 2) * 256.0 / 3350e9 / 10e-6 * 100);
}

static void other_work_is_another_row(void **state)
{
    struct fw_fix *f = *state;
    /* Equal sums of queries and keys, other products: one request of 4 and 100, or two of 2 and 50.
     */
    static const char *const label[] = {
        "execute_4_context_1(sq4sk100sqsq16sqsk400)_generation_0(sq0sk0sqsq0sqsk0)",
        "execute_4_context_2(sq4sk100sqsq8sqsk200)_generation_0(sq0sk0sqsq0sqsk0)"
    };
    for (int i = 0; i < 3; i++) {
        span(f, "user_annotation", 100, 1, 1000 * i, 900, label[i % 2], "");
        launch(f, 1000 * i + 10, "vllm::unified_attention_with_output", QUERY, 1000 * i + 100, 10,
               "paged", i + 1);
    }
    run(f, &az_analysis_fw_families);
    const char *id = "InferenceAttention_fwd";
    assert_int_equal(table(f, id)->rows, 2);
    near(num(f, id, 0, "name_count"), 2); /* most time first */
    near(num(f, id, 0, "param: c_sqsq"), 16);
    near(num(f, id, 0, "param: c_sqsk"), 400);
    near(num(f, id, 1, "param: c_sqsq"), 8);
    near(num(f, id, 1, "param: c_sqsk"), 200);
    near(num(f, id, 1, "param: g_sqsq"), 0);
    near(num(f, id, 1, "param: g_sqsk"), 0);
    near(num(f, id, 0, "TFLOPS/s_mean"), 8 * 128 * (2 * 400 - 16) / 10e-6 / 1e12);
    near(num(f, id, 1, "TFLOPS/s_mean"), 8 * 128 * (2 * 200 - 8) / 10e-6 / 1e12);
}

/* The compiler's kernels are no names of the table of categories: those whose name and arguments
 * say their work have a model. */
static void compiled_kernels(void **state)
{
    struct fw_fix *f = *state;
    static const char args[] =
        "\"Input Dims\":[[64,64],[64,64],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"],"
        "\"Concrete Inputs\":[\"\",\"\",\"4096\"]";
    launch(f, 0, "triton_poi_fused_add_relu_0", args, 100, 3, "triton_poi_fused_add_relu_0", 1);
    launch(f, 50, "triton_poi_fused_add_1", "", 200, 2, "triton_poi_fused_add_1",
           2); /* nothing is known of it */
    run(f, &az_analysis_fw_unified);
    const char *id = "unified_perf_summary";
    near(num(f, id, 0, "GFLOPS"), 2 * 4096 / 1e9);
    is(f, id, 0, "op category", "triton");
    is(f, id, 0, "has_perf_model", "True");
    is(f, id, 1, "has_perf_model", "False");
    assert_int_equal(cell(table(f, id), 1, "GFLOPS")->type, AZ_EMPTY);
}

/* PyTorch 1.8 writes `Input dims`. */
static void old_name_of_shapes(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "aten::mm", "\"Input dims\":[[4,8],[8,16]],\"Input type\":[\"float\",\"float\"]",
           100, 10, "gemm", 1);
    run(f, &az_analysis_fw_unified);
    is(f, "unified_perf_summary", 0, "Input Dims", "[[4,8],[8,16]]");
    near(num(f, "unified_perf_summary", 0, "GFLOPS"), 2 * 4 * 8 * 16 / 1e9);
}

/* min(a, b) works by element: one result for each. */
static void smaller_of_two(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "aten::min", "\"Input Dims\":[[16,8],[8]],\"Input type\":[\"float\",\"double\"]",
           100, 10, "min", 1);
    run(f, &az_analysis_fw_families);
    near(num(f, "Reduce_fwd", 0, "param: num_input_elems"), 128);
    near(num(f, "Reduce_fwd", 0, "param: num_output_elems"), 128);
    near(num(f, "Reduce_fwd", 0, "GFLOPS_first"), 128 / 1e9);
    near(num(f, "Reduce_fwd", 0, "Data Moved (MB)_first"), (128 * 4 + 8 * 8 + 128 * 8) / 1048576.0);
}

/* Each operator has the time of its own kernels, those that overlap once. */
static void kernels_of_each_operator(void **state)
{
    struct fw_fix *f = *state;
    static const char args[] = "\"Input Dims\":[[4,8],[8,2]],\"Input type\":[\"float\",\"float\"]";
    for (int i = 0; i < 3; i++) {
        launch(f, i * 100, "aten::mm", args, 1000 + i * 100, 10, "gemm", 2 * i + 1);
        call(f, i * 100 + 5, 2, "cudaLaunchKernel", 2 * i + 2);
        kernel(f, 8, 1005 + i * 100, 10, "reduce", 2 * i + 2);
    }
    run(f, &az_analysis_fw_families);
    near(num(f, "GEMM", 0, "name_count"), 3);
    near(num(f, "GEMM", 0, "Kernel Time (\xc2\xb5s)_sum"), 45);
    near(num(f, "GEMM", 0, "Kernel Time (\xc2\xb5s)_max"), 15);
}

/* Operations whose arguments do not fit are counted, those that fit are not. */
static void arguments_that_do_not_fit(void **state)
{
    struct fw_fix *f = *state;
    static const char *const dims[] = { "[[4,8],[8,2]]", "[[4,8],[9,2]]", "[[4,8],[7,2]]" };
    for (int i = 0; i < 3; i++) {
        char args[100];
        (void)snprintf(args, sizeof args, "\"Input Dims\":%s,\"Input type\":[\"float\",\"float\"]",
                       dims[i]);
        launch(f, i * 100, "aten::mm", args, 1000 + i * 100, 10, "gemm", i + 1);
    }
    run(f, &az_analysis_fw_families);
    bool said = false;
    for (size_t i = 0; i < f->diag.list.n; i++)
        said |= az_sv_find(f->diag.list.v[i].text, AZ_SV("GEMM: 2 of 3 operations")) >= 0;
    assert_true(said);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_step_counts),
        TEST(other_work_is_another_row),
        TEST(compiled_kernels),
        TEST(old_name_of_shapes),
        TEST(smaller_of_two),
        TEST(kernels_of_each_operator),
        TEST(arguments_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
