/* Kernels by launch, short kernels, collectives, kernels without a class. */
#include "unit/analyses_fw.h"

#include "analyses/verdict/report.h"
#include "document/claims.h"

static void kernel_summary(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 2; i++)
        launch(f, i * 100, "aten::mm", "", 1000 + i * 100, 10 + i * 4, "gemm_kernel", i + 1);
    op(f, 300, 50, "conv_bn_fused", ""); /* the owner is `execute`: it is not stepped over here */
    op(f, 301, 40, "execute", "");
    call(f, 305, 3, "cudaLaunchKernel", 3);
    kernel(f, 7, 1300, 8, "void at::native::vectorized_elementwise_kernel<4>", 3);
    call(f, 400, 3, "cudaGraphLaunch", 4);
    kernel(f, 7, 1400, 5, "k_in_graph", 4);
    kernel(f, 8, 1400, 5, "k_in_graph", 4); /* another stream, another row */
    call(f, 420, 3, "cudaLaunchKernel", 5);
    kernel(f, 7, 1500, 2, "plain", 5);
    kernel(f, 7, 500, 11, "stale", 99); /* unlinked */
    call(f, 430, 3, "cudaMemcpyAsync", 6);
    device(f, "gpu_memcpy", 0, 7, 1600, 1000, "Memcpy HtoD", 6, ""); /* no kernel */
    f->opts.compat = AZ_TOOL_TRACELENS; /* shares are of the time of linked work */
    run(f, &az_analysis_fw_kernels);
    const struct az_table *t = table(f, "kernel_summary");
    assert_int_equal(t->rows, 6);
    is(f, "kernel_summary", 0, "Kernel name", "gemm_kernel");
    is(f, "kernel_summary", 0, "Parent op category", "GEMM");
    is(f, "kernel_summary", 0, "Parent cpu_op", "aten::mm");
    is(f, "kernel_summary", 0, "kernel class", "GEMM-Generic");
    near(num(f, "kernel_summary", 0, "Kernel duration (µs)_sum"), 24);
    near(num(f, "kernel_summary", 0, "Kernel duration (µs)_count"), 2);
    near(num(f, "kernel_summary", 0, "Kernel duration (µs)_mean"), 12);
    near(num(f, "kernel_summary", 0, "Kernel duration (µs)_min"), 10);
    near(num(f, "kernel_summary", 0, "Kernel duration (µs)_max"), 14);
    near(num(f, "kernel_summary", 0, "Percent of kernels time (%)"), 24.0 / 55 * 100);
    near(num(f, "kernel_summary", 0, "Percent of total time (%)"),
         24.0 / 1600 * 100); /* 1000..2600, linked ones */
    is(f, "kernel_summary", 1, "Kernel name", "stale");
    assert_int_equal(cell(t, 1, "Parent op category")->type, AZ_EMPTY);
    assert_int_equal(cell(t, 1, "Parent cpu_op")->type, AZ_EMPTY);
    is(f, "kernel_summary", 2, "Parent cpu_op", "execute");
    is(f, "kernel_summary", 2, "kernel class", "Elementwise");
    is(f, "kernel_summary", 3, "Parent op category", "graph");
    is(f, "kernel_summary", 3, "Parent cpu_op", "cudaGraphLaunch");
    assert_int_equal(cell(t, 3, "Kernel stream")->i, 7); /* ties by the keys */
    assert_int_equal(cell(t, 4, "Kernel stream")->i, 8);
    is(f, "kernel_summary", 5, "Parent op category", "runtime");
}

static void no_kernel_summary(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 100, 10, "k", 1);
    option(f, "enable_kernel_summary", "false");
    run(f, &az_analysis_fw_kernels);
    assert_false(has_table(f, "kernel_summary"));
}

static void kernel_classes(struct fw_fix *f)
{
    static const char *const name[] = { "Comm-AllReduce", "GEMM-CUTLASS", "mine" };
    static const double time[] = { 0.030, 0.020, 0.010 };
    assert_int_equal(table(f, "kernel_class_summary")->rows, 3);
    for (size_t i = 0; i < 3; i++) {
        is(f, "kernel_class_summary", i, "kernel class", name[i]);
        near(num(f, "kernel_class_summary", i, "Kernel duration (ms)_sum"), time[i]);
        near(num(f, "kernel_class_summary", i, "Percentage (%)"), time[i] / 0.060 * 100);
    }
}

/* Classes inside graph launches, the user's first. */
static void classes_of_graph_kernels(void **state)
{
    struct fw_fix *f = *state;
    call(f, 0, 3, "cudaGraphLaunch", 1);
    kernel(f, 7, 100, 30, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1);
    kernel(f, 7, 140, 20, "cutlass_80_tensorop_gemm", 1);
    kernel(f, 7, 170, 10, "my_special_gemm", 1);
    struct az_class_rule rule = { AZ_SV("Special"), AZ_SV("special"), AZ_SV("mine") };
    assert_int_equal(az_vec_push(&f->opts.classes, rule), 0);
    run(f, &az_analysis_fw_kernels);
    is(f, "kernel_summary", 0, "kernel class", "Comm-AllReduce");
    is(f, "kernel_summary", 1, "kernel class", "GEMM-CUTLASS");
    is(f, "kernel_summary", 2, "kernel class", "mine");
    kernel_classes(f);
}

/* ---- short kernels ---- */
static void short_kernels(void **state)
{
    struct fw_fix *f = *state;
    static const double dur[] = { 2, 4, 4.5, 5.999, 6, 20 }; /* threshold 6, strictly below */
    for (int i = 0; i < 6; i++)
        launch(f, i * 100, i < 3 ? "a" : "b", i < 3 ? "\"Input Dims\":[[2]]" : "", 1000 + i * 50,
               dur[i], "k", i + 1);
    kernel(f, 7, 2000, 3, "stranger", 99);
    option(f, "short_kernel_study", "true");
    option(f, "short_kernel_threshold_us", "6");
    option(f, "short_kernel_histogram_bins", "4");
    f->opts.compat = AZ_TOOL_TRACELENS; /* shares are of the time of linked work */
    run(f, &az_analysis_fw_short);
    const struct az_table *h = table(f, "short_kernels_histogram"),
                          *t = table(f, "short_kernels_all_details");
    static const double count[] = { 1, 1, 2,
                                    1 }; /* [2, 5.999] in four: 2 | 3 | 4 4.5 | 5.999 closed */
    assert_int_equal(h->rows, 4);
    for (size_t i = 0; i < 4; i++)
        near(num(f, "short_kernels_histogram", i, "count"), count[i]);
    near(num(f, "short_kernels_histogram", 0, "bin_start"), 2);
    near(num(f, "short_kernels_histogram", 3, "bin_end"), 5.999);
    assert_int_equal(t->rows, 3);
    near(num(f, "short_kernels_all_details", 0, "Short Kernel duration (µs) sum"), 10.5);
    is(f, "short_kernels_all_details", 0, "Parent cpu_op", "a");
    is(f, "short_kernels_all_details", 0, "Input dims", "[[2]]");
    near(num(f, "short_kernels_all_details", 0, "Short Kernel count"), 3);
    near(num(f, "short_kernels_all_details", 0, "Short Kernel duration (µs) mean"), 3.5);
    near(num(f, "short_kernels_all_details", 0, "Short Kernel duration (µs) percent of total time"),
         10.5 / 270 * 100);
    is(f, "short_kernels_all_details", 1, "Parent cpu_op", "b");
    assert_int_equal(cell(t, 1, "Input dims")->type, AZ_EMPTY);
    is(f, "short_kernels_all_details", 2, "Kernel name", "stranger"); /* kept, under empty keys */
    assert_int_equal(cell(t, 2, "Parent cpu_op")->type, AZ_EMPTY);
}

static void histogram_edges(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i <= 10;
         i++) /* every value on an edge: floor in integers, the last bin closed */
        launch(f, i * 100, "a", "", 1000 + i * 50, 1 + i * 0.08, "k", i + 1);
    option(f, "short_kernel_study", "true");
    option(f, "short_kernel_histogram_bins", "10");
    run(f, &az_analysis_fw_short);
    for (size_t i = 0; i < 10; i++)
        near(num(f, "short_kernels_histogram", i, "count"), i == 9 ? 2 : 1);
}

/* 2.3 us are 2300 ns, although 2.3 * 1e3 is a little less. */
static void fraction_of_threshold(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 2.299, "k", 1);
    launch(f, 100, "a", "", 1100, 2.3, "k", 2);
    option(f, "short_kernel_study", "true");
    option(f, "short_kernel_threshold_us", "2.3");
    run(f, &az_analysis_fw_short);
    near(num(f, "short_kernels_all_details", 0, "Short Kernel count"), 1);
}

static void one_value(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 3; i++)
        launch(f, i * 100, "a", "", 1000 + i * 50, 4, "k", i + 1);
    option(f, "short_kernel_study", "true");
    option(f, "short_kernel_histogram_bins", "5");
    run(f, &az_analysis_fw_short);
    near(num(f, "short_kernels_histogram", 0, "bin_start"),
         3.5); /* half a microsecond to each side */
    near(num(f, "short_kernels_histogram", 4, "bin_end"), 4.5);
    near(num(f, "short_kernels_histogram", 2, "count"), 3);
}

static void short_order_and_limit(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "twice", "", 1000, 3, "k", 1);
    launch(f, 100, "twice", "", 1050, 3, "k", 2);
    launch(f, 200, "once", "", 1100, 6, "k", 3); /* equal sums: fewer first */
    launch(f, 300, "small", "", 1150, 1, "k", 4);
    option(f, "short_kernel_study", "true");
    option(f, "topk_short_kernels", "2");
    run(f, &az_analysis_fw_short);
    assert_int_equal(table(f, "short_kernels_all_details")->rows, 2);
    near(covered(f, "short_kernels_all_details: rows skipped"), 1);
    is(f, "short_kernels_all_details", 0, "Parent cpu_op", "once");
    is(f, "short_kernels_all_details", 1, "Parent cpu_op", "twice");
}

static void no_short_kernels(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 10, "k", 1); /* exactly the threshold */
    option(f, "short_kernel_study", "true");
    run(f, &az_analysis_fw_short);
    assert_int_equal(table(f, "short_kernels_histogram")->rows, 0);
    assert_int_equal(table(f, "short_kernels_all_details")->rows, 0);
}

/* ---- collectives ---- */
#define META                                                                                       \
    "\"Collective name\":\"allreduce\",\"In msg nelems\":1048576,\"Out msg "                       \
    "nelems\":1048576,\"Group size\":8,"                                                           \
    "\"dtype\":\"BFloat16\",\"In split size\":\"[]\",\"Out split size\":\"[]\",\"Process Group "   \
    "Name\":\"0\","                                                                                \
    "\"Process Group Description\":\"default_pg\",\"Process Group Ranks\":\"[0, 1]\""

static void collectives(void **state)
{
    struct fw_fix *f = *state;
    f->head = AZ_SV("\"distributedInfo\":{\"rank\":3,\"world_size\":8},");
    for (int i = 0; i < 3; i++) {
        call(f, i * 10, 3, "cudaLaunchKernel", i + 1);
        device(f, "kernel", 0, 9, 1000 + i * 200, 90 + i * 30,
               "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", i + 1,
               i == 1 ? META ",\"Seq\":5" : META); /* a sequence number does not split the row */
    }
    call(f, 50, 3, "cudaLaunchKernel", 4);
    kernel(f, 9, 1600, 40, "ncclDevKernel_AllGather_RING_LL",
           4); /* nothing recorded: inferred from the name */
    kernel(f, 9, 1700, 7, "ncclDevKernel_SendRecv", 99); /* unlinked ones count too */
    kernel(f, 9, 1800, 500, "gemm", 98);
    run(f, &az_analysis_fw_coll);
    const struct az_table *t = table(f, "coll_analysis");
    assert_int_equal(t->rows, 3);
    assert_int_equal(cell(t, 0, "rank")->i, 3);
    is(f, "coll_analysis", 0, "Collective name", "allreduce");
    is(f, "coll_analysis", 0, "Process Group Name", "0");
    is(f, "coll_analysis", 0, "Process Group Ranks", "[0, 1]");
    assert_int_equal(cell(t, 0, "Group size")->i, 8);
    near(num(f, "coll_analysis", 0, "In msg size (MB)_first"), 2);
    near(num(f, "coll_analysis", 0, "dur_sum"), 360);
    near(num(f, "coll_analysis", 0, "dur_mean"), 120);
    near(num(f, "coll_analysis", 0, "dur_std"), 30);
    near(num(f, "coll_analysis", 0, "dur_min"), 90);
    near(num(f, "coll_analysis", 0, "dur_max"), 150);
    near(num(f, "coll_analysis", 0, "operation_count"), 3);
    is(f, "coll_analysis", 1, "Collective name", "allgather");
    is(f, "coll_analysis", 1, "Process Group Name", "Unknown_Group");
    assert_int_equal(cell(t, 1, "dtype")->type, AZ_EMPTY);
    assert_int_equal(cell(t, 1, "In msg size (MB)_first")->type, AZ_EMPTY);
    assert_int_equal(cell(t, 1, "dur_std")->type, AZ_EMPTY);
    is(f, "coll_analysis", 2, "Collective name", "sendrecv");
}

/* What was recorded counts, not the kernel: an all-to-all is made of sends and receives. */
static void recorded_names_of_collectives(void **state)
{
    struct fw_fix *f = *state;
    call(f, 0, 3, "cudaLaunchKernel", 1);
    device(f, "kernel", 0, 9, 1000, 90, "ncclDevKernel_SendRecv", 1,
           "\"Collective name\":\"all_to_allv\",\"In msg nelems\":16,\"Group size\":8,"
           "\"dtype\":\"Float\",\"Process Group Name\":\"3\"");
    call(f, 10, 3, "cudaLaunchKernel", 2);
    device(f, "kernel", 0, 9, 1200, 40, "ncclDevKernel_SendRecv", 2,
           "\"In msg nelems\":16,\"Group size\":8"); /* without a name: by that of the kernel */
    run(f, &az_analysis_fw_coll);
    const struct az_table *t = table(f, "coll_analysis");
    assert_int_equal(t->rows, 2);
    is(f, "coll_analysis", row_of(t, "Process Group Name", "3"), "Collective name", "all_to_allv");
    is(f, "coll_analysis", row_of(t, "Collective name", "sendrecv"), "Process Group Name",
       "Unknown_Group");
}

static void collectives_without_any_metadata(void **state)
{
    struct fw_fix *f = *state;
    static const char *const name[] = {
        "ncclDevKernel_Generic(x)", "rcclReduceScatter",
        "nccl_Broadcast",           "vllm::cross_device_reduce_2stage<half>",
        "ncclKernel_AllToAll",      "ncclDevKernel_Reduce"
    };
    static const char *const want[] = { NULL,        "reduce_scatter", "broadcast",
                                        "allreduce", "all_to_all",     "reduce" };
    for (int i = 0; i < 6; i++)
        kernel(f, 9, 1000 + i * 200, 100 - i, name[i], i + 1);
    run(f, &az_analysis_fw_coll);
    const struct az_table *t = table(f, "coll_analysis");
    assert_int_equal(t->rows, 6);
    for (size_t i = 0; i < 6; i++) {
        is(f, "coll_analysis", i, "Process Group Name", "all"); /* no names at all, one stream */
        assert_int_equal(cell(t, i, "rank")->i, 0);
        if (want[i])
            is(f, "coll_analysis", i, "Collective name", want[i]);
        else
            assert_int_equal(cell(t, i, "Collective name")->type, AZ_EMPTY);
    }
}

static void no_collectives(void **state)
{
    struct fw_fix *f = *state;
    kernel(f, 9, 1000, 100, "ncclDevKernel_AllReduce", 1);
    option(f, "disable_coll_analysis", "true");
    run(f, &az_analysis_fw_coll);
    assert_false(has_table(f, "coll_analysis"));
}

/* ---- kernels that the class map does not name ---- */
static void unmatched(void **state)
{
    struct fw_fix *f = *state;
    kernel(f, 7, 100, 10,
           "void at::native::(anonymous namespace)::softmax_kernel<4, float>(int, float*)", 1);
    kernel(f, 7, 120, 20,
           "void at::native::(anonymous namespace)::softmax_kernel<8, half>(int, half*)", 2);
    kernel(f, 7, 150, 40, "_ZN2ck6device11gemm_kernelIfLi4EEEvv", 3);
    kernel(f, 7, 200, 5, "plain_name", 4);
    kernel(f, 7, 210, 100, "mapped_one", 5);
    struct az_class_rule rule = { AZ_SV("mapped"), AZ_SV("mapped"), AZ_SV("mine") };
    assert_int_equal(az_vec_push(&f->opts.classes, rule), 0);
    run(f, &az_analysis_unmatched);
    const struct az_table *t = table(f, "unmatched_kernels");
    assert_int_equal(t->rows, 3);
    is(f, "unmatched_kernels", 0, "Key", "gemm_kernel");
    is(f, "unmatched_kernels", 0, "Suggested class", "GEMM-CK");
    is(f, "unmatched_kernels", 1, "Key", "softmax_kernel");
    assert_int_equal(cell(t, 1, "Time (ns)")->i, 30000);
    assert_int_equal(cell(t, 1, "Count")->i, 2);
    near(num(f, "unmatched_kernels", 1, "Share of kernel time (%)"), 30.0 / 175 * 100);
    is(f, "unmatched_kernels", 1, "Suggested class", "Softmax");
    is(f, "unmatched_kernels", 2, "Key", "plain_name");
    /* the name with the most time, though it is not the first */
    is(f, "unmatched_kernels", 1, "Example",
       "void at::native::(anonymous namespace)::softmax_kernel<8, half>(int, half*)");
}

#define SHAPES                                                                                     \
    "\"Input Dims\":[[1024,4096]],\"Input type\":[\"float\"],\"Input Strides\":[[4096,1]]"
#define ADDS "void at::native::vectorized_elementwise_kernel<4>"

static int64_t fusible(const struct fw_fix *f)
{
    int64_t n = 0;
    assert_non_null(f->doc.claims);
    for (size_t i = 0; i < f->doc.claims->n_findings; i++)
        if (az_sv_is(f->doc.claims->findings[i].rule, "fusible_chain"))
            n += f->doc.claims->findings[i].count;
    return n;
}

/* The kernels of one operator are no chain: its arguments are those of all of them together. */
static void kernels_of_one_operator_are_not_fusible(void **state)
{
    for (int own = 0; own < 2; own++) {
        struct fw_fix *f = *state;
        if (own) {
            launch(f, 0, "aten::mul", SHAPES, 100, 50, ADDS, 1);
            launch(f, 20, "aten::add", SHAPES, 150, 50, ADDS, 2);
        } else {
            op(f, 0, 30, "CompiledFunction", SHAPES);
            call(f, 1, 3, "cudaGraphLaunch", 1);
            kernel(f, 7, 100, 50, ADDS, 1);
            kernel(f, 7, 150, 50, ADDS, 1);
        }
        ready(f);
        assert_int_equal(az_verdict_report(&f->job), 0);
        assert_int_equal(fusible(f), own);
        if (!own) {
            assert_int_equal(fw_teardown(state), 0);
            assert_int_equal(fw_setup(state), 0);
        }
    }
}

/* What an operator only copies is no computation. */
static void copies_have_no_flops(void **state)
{
    for (int computes = 0; computes < 2; computes++) {
        struct fw_fix *f = *state;
        if (computes) {
            launch(f, 0, "aten::add", SHAPES, 100, 50, ADDS, 1);
        } else {
            op(f, 0, 30, "aten::copy_", SHAPES);
            call(f, 1, 3, "cudaMemcpyAsync", 1);
            device(f, "gpu_memcpy", 0, 7, 100, 50, "Memcpy HtoD (Pinned -> Device)", 1,
                   "\"bytes\":16777216");
        }
        ready(f);
        assert_int_equal(az_verdict_report(&f->job), 0);
        assert_int_equal(isnan(f->doc.claims->rates.flops_per_s) == 0, computes);
        if (!computes) {
            assert_int_equal(fw_teardown(state), 0);
            assert_int_equal(fw_setup(state), 0);
        }
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernel_summary),
        TEST(no_kernel_summary),
        TEST(classes_of_graph_kernels),
        TEST(short_kernels),
        TEST(histogram_edges),
        TEST(fraction_of_threshold),
        TEST(one_value),
        TEST(short_order_and_limit),
        TEST(no_short_kernels),
        TEST(collectives),
        TEST(recorded_names_of_collectives),
        TEST(collectives_without_any_metadata),
        TEST(no_collectives),
        TEST(unmatched),
        TEST(kernels_of_one_operator_are_not_fusible),
        TEST(copies_have_no_flops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
