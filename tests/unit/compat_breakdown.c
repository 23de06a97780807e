/* Breakdowns of ranks: every formula against figures worked out by hand. Times in microseconds. */
#include "unit/analyses_fw.h"

#include "compat/hta/breakdown.h"
#include "facts/account.h"

/* Reduces the trace as rank 0 and finishes it alone. */
static void run_rank(struct fw_fix *f, const struct az_rank_analysis *a)
{
    const struct az_rank rank = { .rank = 0, .ticks_per_ns = 1 };
    const struct az_ranks ranks = { .v = &rank, .n = 1, .world_size = 1 };
    void *part = NULL;
    if (!f->ready)
        ready(f);
    assert_int_equal(a->reduce(&f->job, &f->arena, &part), 0);
    if (part)
        assert_int_equal(a->finish(&f->job, &ranks, &part), 0);
}

/* A launch on the host thread and its work. */
static void work(struct fw_fix *f, const char *cat, int stream, double call_ts, double ts,
                 double dur, const char *name, const char *more)
{
    static int correlation = 1000;
    call(f, call_ts, 2, "cudaLaunchKernel", ++correlation);
    device(f, cat, 0, stream, ts, dur, name, correlation, more);
}

static void kern(struct fw_fix *f, int stream, double call_ts, double ts, double dur,
                 const char *name)
{
    work(f, "kernel", stream, call_ts, ts, dur, name, "");
}

/* Row in which the two columns have these texts (numbers as written); fails if there is none. */
static size_t row2(const struct fw_fix *f, const char *id, const char *c1, const char *v1,
                   const char *c2, const char *v2)
{
    const struct az_table *t = table(f, id);
    char a[AZ_NUM_MAX], b[AZ_NUM_MAX];
    for (size_t i = 0; i < t->rows; i++)
        if (az_sv_is(az_cell_exact(cell(t, i, c1), a), v1) &&
            az_sv_is(az_cell_exact(cell(t, i, c2), b), v2))
            return i;
    fail_msg("no row with %s = %s, %s = %s in %s", c1, v1, c2, v2, id);
    return 0;
}

/* ---- overlap ---- */
static void sweep_of_three_sets(void **state)
{
    struct az_span c[] = { { 0, 10 }, { 20, 30 } }, n[] = { { 5, 25 } },
                   m[] = { { 8, 22 }, { 40, 40 } };
    const struct az_spans set[3] = { { .v = c, .n = 2 }, { .v = n, .n = 1 }, { .v = m, .n = 2 } };
    const struct az_spans none[3] = { { .n = 0 }, { .n = 0 }, { .n = 0 } };
    int64_t sum[8];
    (void)state;
    az_account_sweep(set, INT64_MIN, INT64_MAX, sum);
    /* [0,5) c, [5,8) cn, [8,10) cnm, [10,20) nm, [20,22) cnm, [22,25) cn, [25,30) c */
    const int64_t want[8] = { 0, 10, 0, 6, 0, 0, 10, 4 };
    for (int k = 0; k < 8; k++)
        assert_int_equal(sum[k], want[k]);
    az_account_sweep(none, INT64_MIN, INT64_MAX, sum);
    for (int k = 0; k < 8; k++)
        assert_int_equal(sum[k], 0);
}

static void device_time(void **state)
{
    struct fw_fix *f = *state;
    kern(f, 7, 50, 100, 10, "gemm");
    kern(f, 16, 52, 105, 20, "ncclDevKernel_AllReduce");
    work(f, "gpu_memcpy", 7, 54, 130, 2, "Memcpy DtoH (Device -> Pinned)", "");
    run_rank(f, &az_rank_analysis_breakdown);
    near(num(f, "temporal_breakdown", 0, "kernel_time(us)"), 32);
    near(num(f, "temporal_breakdown", 0, "idle_time(us)"), 5);
    near(num(f, "temporal_breakdown", 0, "compute_time(us)"), 10);
    near(num(f, "temporal_breakdown", 0, "non_compute_time(us)"), 17);
    near(num(f, "temporal_breakdown", 0, "idle_time_pctg"), 500.0 / 32);
    near(num(f, "temporal_breakdown", 0, "exposed_communication_time(us)"), 15);
    near(num(f, "comm_comp_overlap", 0, "comp_comm_overlap_pctg"), 25);
    near(num(f, "exposed_communication", 0, "hidden (us)"), 5);
    near(num(f, "exposed_communication", 0, "exposed (us)"), 15);
    is(f, "kernel_type_breakdown", 0, "kernel_type", "COMMUNICATION");
    near(num(f, "kernel_type_breakdown", 0, "sum"), 15);
    const size_t both = row_of(table(f, "kernel_type_breakdown"), "kernel_type",
                               "COMPUTATION overlapping COMMUNICATION");
    near(num(f, "kernel_type_breakdown", both, "sum"), 5);
    near(num(f, "kernel_type_breakdown", both, "percentage"), 500.0 / 27);
}

/* Communication is one thing for all tables, whatever the library is called; the user's patterns
 * count, too. */
static void collectives_of_other_names(void **state)
{
    struct fw_fix *f = *state;
    option(f, "collective_patterns", "my_one=allreduce");
    kern(f, 7, 50, 100, 10, "void vllm::cross_device_reduce_1stage<x>");
    kern(f, 7, 52, 110, 5, "my_one_shot");
    kern(f, 7, 54, 120, 7, "gemm");
    kern(f, 16, 56, 130, 20, "ncclDevKernel_AllReduce");
    run_rank(f, &az_rank_analysis_breakdown);
    near(num(f, "temporal_breakdown", 0, "compute_time(us)"), 7);
    near(num(f, "temporal_breakdown", 0, "exposed_communication_time(us)"), 35);
}

static void kinds_by_name(void **state)
{
    static const struct {
        const char *name, *type;
    } names[] = { { "Memcpy DtoD", "MEMORY" }, { "hipMemset", "MEMORY" },
                  { "Context Sync", "OTHER" }, { "void my_dma_kernel()", "OTHER" },
                  { "void gemm()", "" },       { "", "" } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        assert_true(az_sv_is(az_hta_rule("kernel", az_sv_str(names[i].name)), names[i].type));
    assert_true(az_sv_is(az_hta_rule("call", AZ_SV("hipExtModuleLaunchKernel")), "launch"));
    assert_true(az_sv_is(az_hta_rule("call", AZ_SV("cudaLaunchKernel_v7000")), "launch"));
    assert_true(az_sv_is(az_hta_rule("call", AZ_SV("cudaLaunchKernelNot")), ""));
    assert_true(az_sv_is(az_hta_rule("call", AZ_SV("hipMemcpyWithStream")), "copy"));
    assert_true(az_sv_is(az_hta_rule("call", AZ_SV("cudaDeviceSynchronize")), "device_sync"));
}

/* ---- steps ---- */
static void two_steps(struct fw_fix *f)
{
    span(f, "user_annotation", 100, 1, 0, 100, "ProfilerStep#5", "");
    span(f, "user_annotation", 100, 1, 100, 100, "ProfilerStep#6", "");
    kern(f, 7, 50, 60, 10, "a");
    kern(f, 7, 99, 150, 10, "b"); /* launched in the first step, runs in the second */
    kern(f, 7, 100, 170, 10, "c");
    kernel(f, 7, 20, 10, "unlinked", 7);
}

static void last_step_is_dropped(void **state)
{
    struct fw_fix *f = *state;
    two_steps(f);
    run_rank(f, &az_rank_analysis_breakdown);
    near(num(f, "temporal_breakdown", 0, "operations"), 2);
    near(num(f, "temporal_breakdown", 0, "kernel_time(us)"), 100);
    near(covered(f, "device events excluded from rank breakdowns"), 2);
    assert_true(
        az_sv_is(table(f, "temporal_breakdown")->title, "Device time by rank, last step excluded"));
    near(num(f, "user_annotations", 0, "count"), 1); /* the dropped step itself is none of them */
}

static void last_step_is_kept(void **state)
{
    struct fw_fix *f = *state;
    option(f, "last_step", "keep");
    two_steps(f);
    run_rank(f, &az_rank_analysis_breakdown);
    near(num(f, "temporal_breakdown", 0, "operations"), 4);
    assert_true(az_sv_is(table(f, "temporal_breakdown")->title, "Device time by rank"));
    near(num(f, "temporal_breakdown", 0, "kernel_time(us)"), 160);
}

/* ---- names ---- */
static void small_kernels_are_others(void **state)
{
    struct fw_fix *f = *state;
    option(f, "breakdown_kernels", "2");
    option(f, "breakdown_ratio", "0.5");
    kern(f, 7, 0, 1000, 100, "first");
    kern(f, 7, 3, 1200, 50, "second");
    kern(f, 7, 6, 1300, 10, "third");
    kern(f, 7, 9, 1400, 20, "third");
    kern(f, 7, 12, 1500, 20, "fourth");
    run_rank(f,
             &az_rank_analysis_breakdown); /* running sums 100, 150, 180, 200: the median is 165 */
    const struct az_table *t = table(f, "kernel_breakdown");
    assert_int_equal(t->rows, 3);
    is(f, "kernel_breakdown", 0, "name", "first");
    is(f, "kernel_breakdown", 1, "name", "second");
    is(f, "kernel_breakdown", 2, "name", "others");
    near(num(f, "kernel_breakdown", 2, "sum (us)"), 50);
    near(num(f, "kernel_breakdown", 2, "min (us)"), 10); /* of kernels, not of names */
    near(num(f, "kernel_breakdown", 2, "max (us)"), 20);
    near(num(f, "kernel_breakdown", 2, "mean (us)"), 50.0 / 3);
    near(num(f, "kernel_breakdown", 2, "stddev"), sqrt(100.0 / 3)); /* 10, 20, 20 */
    near(num(f, "kernel_breakdown", 0, "stddev"), 0);
}

/* ---- idle ---- */
static void gaps(struct fw_fix *f)
{
    kern(f, 7, 90, 100, 10, "k1");
    kern(f, 7, 95, 115, 10, "k2");   /* gap 5, launched before: kernel_wait */
    kern(f, 7, 130, 140, 10, "k3");  /* gap 15, launched after: host_wait */
    kern(f, 7, 98, 180, 10, "k4");   /* gap 30: not short, other */
    kern(f, 7, 101, 200, 60, "k5");  /* gap 10: kernel_wait */
    kern(f, 7, 104, 250, 20, "k6");  /* gap -10: kernel_wait */
    kern(f, 9, 107, 300, 10, "one"); /* alone: only the row of `other` */
}

static void idle_causes(void **state)
{
    struct fw_fix *f = *state;
    gaps(f);
    run_rank(f, &az_rank_analysis_idle);
    assert_int_equal(table(f, "idle_time_breakdown")->rows, 4);
    const size_t host = row2(f, "idle_time_breakdown", "stream", "7", "idle_category", "host_wait");
    const size_t kernels =
        row2(f, "idle_time_breakdown", "stream", "7", "idle_category", "kernel_wait");
    const size_t other = row2(f, "idle_time_breakdown", "stream", "7", "idle_category", "other");
    near(num(f, "idle_time_breakdown", host, "idle_time"), 15);
    near(num(f, "idle_time_breakdown", kernels, "idle_time"), 5);
    near(num(f, "idle_time_breakdown", other, "idle_time"), 30);
    near(num(f, "idle_time_breakdown", other, "idle_time_ratio"), 0.6);
    near(num(f, "idle_interval_stats", kernels, "count"), 3);
    near(num(f, "idle_interval_stats", kernels, "min"), -10);
    near(num(f, "idle_interval_stats", kernels, "50%"), 5);
    near(num(f, "idle_interval_stats", kernels, "25%"), -2.5);
    const size_t alone = row2(f, "idle_time_breakdown", "stream", "9", "idle_category", "other");
    near(num(f, "idle_time_breakdown", alone, "idle_time"), 0);
    assert_int_equal(cell(table(f, "idle_time_breakdown"), alone, "idle_time_ratio")->type,
                     AZ_EMPTY);
}

static void idle_delay_is_an_option(void **state)
{
    struct fw_fix *f = *state;
    option(f, "consecutive_kernel_delay_ns", "30001");
    gaps(f);
    run_rank(f, &az_rank_analysis_idle);
    const size_t kernels =
        row2(f, "idle_time_breakdown", "stream", "7", "idle_category", "kernel_wait");
    near(num(f, "idle_time_breakdown", kernels, "idle_time"), 35);
}

/* ---- annotations ---- */
/* Those of the device first, then those of the host; each name with the time of its own side. */
static void annotations_of_both_sides(void **state)
{
    static const struct {
        const char *side, *name;
        double count, sum, most, least, deviation;
    } want[] = { { "device", "train", 2, 130, 100, 30, 0 },
                 { "device", "only there", 1, 40, 40, 40, 0 },
                 { "host", "train", 3, 60, 30, 10, 10 },
                 { "host", "only here", 1, 5, 5, 5, 0 } };
    struct fw_fix *f = *state;
    for (int i = 0; i < 3; i++)
        span(f, "user_annotation", 100, 1, 100 * i, 10 + 10 * i, "train", "");
    span(f, "user_annotation", 100, 1, 400, 5, "only here", "");
    device(f, "gpu_user_annotation", 0, 7, 20, 100, "train", 1, "");
    device(f, "gpu_user_annotation", 0, 7, 220, 30, "train", 2, "");
    device(f, "gpu_user_annotation", 0, 7, 300, 40, "only there", 3, "");
    kern(f, 7, 10, 30, 50, "a");
    run_rank(f, &az_rank_analysis_breakdown);
    const struct az_table *t = table(f, "user_annotations");
    assert_int_equal(t->rows, AZ_LENGTH(want));
    for (size_t i = 0; i < t->rows; i++) {
        is(f, "user_annotations", i, "side", want[i].side);
        is(f, "user_annotations", i, "name", want[i].name);
        near(num(f, "user_annotations", i, "count"), want[i].count);
        near(num(f, "user_annotations", i, "sum (us)"), want[i].sum);
        near(num(f, "user_annotations", i, "max (us)"), want[i].most);
        near(num(f, "user_annotations", i, "min (us)"), want[i].least);
        near(num(f, "user_annotations", i, "mean (us)"), want[i].sum / want[i].count);
        if (i == 2)
            near(num(f, "user_annotations", i, "stddev"), want[i].deviation);
        near(num(f, "user_annotations", i, "rank"), 0);
    }
}

/* ---- queues ---- */
static void queue_length(void **state)
{
    struct fw_fix *f = *state;
    option(f, "max_queue_length", "2");
    kern(f, 7, 10, 30, 10, "a");
    kern(f, 7, 20, 60, 50, "b"); /* lengths 1 from 10, 2 from 20, 1 from 30, 0 from 60 */
    kernel(f, 8, 65, 1, "not launched", 5);
    call(f, 70, 1, "cudaLaunchKernel", 6); /* launches nothing that is in the trace */
    run_rank(f, &az_rank_analysis_queue);
    near(num(f, "queue_length_summary", 0, "count"), 4);
    near(num(f, "queue_length_summary", 0, "mean"), 1);
    near(num(f, "queue_length_summary", 0, "std"), sqrt(2.0 / 3));
    near(num(f, "queue_length_summary", 0, "max"), 2);
    near(num(f, "queue_length_summary", 0, "mean_over_time"), 1.2); /* (10 + 2 x 10 + 30) / 50 */
    near(num(f, "queue_length_summary", 0, "empty (us)"), 0);
    near(num(f, "blocked_on_full_queue", 0, "duration_at_max_queue_length"), 10);
    near(num(f, "blocked_on_full_queue", 0, "relative_duration_at_max_queue_length"),
         0.1);                                                     /* of [10, 110) */
    const struct az_table *t = table(f, "queue_length_over_time"); /* 100 parts of 1 us */
    near(az_cell_number(cell(t, 0, "rank 0")), 1);
    near(az_cell_number(cell(t, 10, "rank 0")), 2);
    near(az_cell_number(cell(t, 49, "rank 0")), 1);
    near(az_cell_number(cell(t, 50, "rank 0")), 0);
}

static void graph_is_one_entry(void **state)
{
    struct fw_fix *f = *state;
    call(f, 10, 5, "cudaGraphLaunch", 50);
    kernel(f, 7, 20, 5, "a", 50);
    kernel(f, 7, 30, 5, "b", 50);
    kernel(f, 9, 25, 5, "c", 50);
    run_rank(f, &az_rank_analysis_queue);
    assert_int_equal(table(f, "queue_length_summary")->rows, 2); /* one a stream */
    near(num(f, "queue_length_summary", 0, "count"), 2);
    near(num(f, "queue_length_summary", 0, "mean_over_time"), 1);
}

/* ---- memory ---- */
static void bandwidths_add_up(void **state)
{
    struct fw_fix *f = *state;
    work(f, "gpu_memcpy", 7, 0, 100, 10, "Memcpy HtoD (Pinned -> Device)",
         "\"memory bandwidth (GB/s)\":5");
    work(f, "gpu_memcpy", 8, 3, 105, 10, "Memcpy HtoD (Pageable -> Device)", "\"bytes\":30000");
    work(f, "gpu_memset", 7, 6, 200, 0, "Memset (Device)",
         "\"bytes\":2000"); /* no time: a microsecond */
    work(f, "gpu_memset", 7, 9, 300, 4, "Memset (Device)", "");
    run_rank(f, &az_rank_analysis_memory);
    is(f, "memory_bw_summary", 0, "name", "Memcpy HtoD");
    near(num(f, "memory_bw_summary", 0, "count"), 3); /* 5, 5 + 3, 3 */
    near(num(f, "memory_bw_summary", 0, "mean"), 16.0 / 3);
    near(num(f, "memory_bw_summary", 0, "max"), 8);
    near(num(f, "memory_bw_summary", 0, "mean_over_time"), (5 * 5 + 8 * 5 + 3 * 5) / 15.0);
    near(num(f, "memory_bw_summary", 1, "count"), 1);
    near(num(f, "memory_bw_summary", 1, "max"), 2);
    near(num(f, "memory_bw_summary", 1, "without_rate"), 1);
    near(num(f, "memory_bw_summary", 1, "bytes"), 2000);
}

/* ---- launches ---- */
static void launch_figures(void **state)
{
    struct fw_fix *f = *state;
    option(f, "launch_details", "true");
    call(f, 0, 10, "cudaLaunchKernel", 1);
    kernel(f, 7, 15, 4, "short", 1); /* delay 5, shorter than its call */
    call(f, 20, 60, "cudaLaunchKernel", 2);
    kernel(f, 7, 70, 1, "early",
           2); /* starts before its call ends: delay 0; the call is an outlier, so not short */
    call(f, 90, 10, "cudaLaunchKernel", 3);
    kernel(f, 7, 300, 50, "late", 3); /* delay 200 */
    call(f, 110, 5, "hipModuleLaunchKernel", 4);
    kernel(f, 7, 400, 50, "other name", 4);
    call(f, 120, 5, "cudaGraphLaunch", 5);
    kernel(f, 7, 500, 1, "g1", 5);
    kernel(f, 7, 600, 1, "g2", 5);
    run_rank(f, &az_rank_analysis_launch);
    const size_t cuda = row_of(table(f, "launch_stats"), "name", "cudaLaunchKernel");
    near(num(f, "launch_stats", cuda, "count"), 3);
    near(num(f, "launch_stats", cuda, "cpu_duration_sum (us)"), 80);
    near(num(f, "launch_stats", cuda, "launch_delay_max (us)"), 200);
    near(num(f, "launch_stats", cuda, "launch_delay_median (us)"), 5);
    near(num(f, "launch_stats", cuda, "short_kernels"), 1);
    near(num(f, "launch_stats", cuda, "runtime_outliers"), 1);
    near(num(f, "launch_stats", cuda, "launch_delay_outliers"), 1);
    assert_int_equal(table(f, "launch_stats")->rows, 3);
    const size_t graph = row_of(table(f, "launch_stats"), "kind", "graph");
    near(num(f, "launch_stats", graph, "count"), 1);
    near(num(f, "cuda_kernel_launch_stats_describe", 0, "cpu_duration"), 4); /* without the graph */
    assert_int_equal(table(f, "cuda_kernel_launch_stats")->rows, 4);
    near(num(f, "cuda_kernel_launch_stats", 1, "correlation"), 2);
    near(num(f, "cuda_kernel_launch_stats", 1, "launch_delay"), 0);
}

/* ---- operators ---- */
static void launches_of_operators(void **state)
{
    struct fw_fix *f = *state;
    for (int i = 0; i < 2; i++) {
        const double t = 100 * i;
        op(f, t, 50, "aten::linear", "");
        call(f, t + 2, 3, "cudaLaunchKernel", 10 * i + 1);
        kernel(f, 7, t + 12, 3, "prepare", 10 * i + 1);
        op(f, t + 10, 20, "aten::mm", "");
        op(f, t + 11, 15, "my::inner", ""); /* no aten:: operator: passed over */
        call(f, t + 15, 3, "cudaLaunchKernel", 10 * i + 2);
        kernel(f, 7, t + 35, 10, "gemm", 10 * i + 2);
        call(f, t + 40, 3, "cudaLaunchKernel", 10 * i + 3);
        kernel(f, 7, t + 60, 5, "add", 10 * i + 3);
    }
    span(f, "cuda_runtime", 100, 2, 5, 2, "cudaLaunchKernel",
         "\"correlation\":90"); /* another thread: no operator */
    kernel(f, 7, 210, 1, "stray", 90);
    run_rank(f, &az_rank_analysis_ops);
    const struct az_table *t = table(f, "op_launches");
    assert_int_equal(t->rows, 2);
    const size_t mm = row_of(t, "op_name", "aten::mm"),
                 linear = row_of(t, "op_name", "aten::linear");
    is(f, "op_launches", linear, "kernel_sequence", "prepare -> add");
    is(f, "op_launches", mm, "kernel_sequence", "gemm");
    near(num(f, "op_launches", linear, "count"), 2);
    near(num(f, "op_launches", linear, "op_to_call_mean (us)"), 21);     /* 2 and 40 */
    near(num(f, "op_launches", linear, "call_to_kernel_mean (us)"), 15); /* 10 and 20 */
    near(num(f, "op_launches", linear, "gpu_time (us)"), 16);
    near(num(f, "op_launches", mm, "op_to_call_mean (us)"), 5);
    assert_false(has_table(f, "frequent_sequences"));
}

static void sequences_at_the_smallest_depth(void **state)
{
    struct fw_fix *f = *state;
    option(f, "sequence_op", "layer");
    option(f, "sequence_min_kernels", "2");
    for (int i = 0; i < 3; i++) {
        const double t = 100 * i;
        op(f, t, 50, "layer_forward", "");
        op(f, t + 1, 40, "layer_inner", ""); /* deeper: does not count */
        call(f, t + 2, 3, "cudaLaunchKernel", 10 * i + 1);
        kernel(f, 7, t + 60, 3, "a", 10 * i + 1);
        call(f, t + 6, 3, "cudaLaunchKernel", 10 * i + 2);
        kernel(f, 8, t + 55, 4, "b", 10 * i + 2); /* starts before a */
        if (i == 2)
            launch(f, t + 10, "aten::add", "", t + 70, 1, "c", 10 * i + 3);
    }
    op(f, 400, 20, "layer_short", "");
    call(f, 401, 3, "cudaLaunchKernel", 50);
    kernel(f, 7, 410, 1, "a", 50); /* one kernel: too few */
    run_rank(f, &az_rank_analysis_ops);
    const struct az_table *t = table(f, "frequent_sequences");
    assert_int_equal(t->rows, 2);
    is(f, "frequent_sequences", 0, "pattern", "layer_forward|b|a");
    near(num(f, "frequent_sequences", 0, "count"), 2);
    near(num(f, "frequent_sequences", 0, "GPU kernel duration (us)"), 14);
    near(num(f, "frequent_sequences", 0, "CPU op duration (us)"), 100);
    is(f, "frequent_sequences", 1, "pattern", "layer_forward|b|a|c");
}

/* ---- counters ---- */
static void counter_ranges(struct fw_fix *f)
{
    launch(f, 0, "aten::mm", "", 20, 5, "gemm", 1);
    launch(f, 100, "aten::add", "", 120, 5, "add", 2);
    span(f, "cuda_profiler_range", 0, 0, 20, 5, "first",
         "\"inst.sum\":12,\"dram\":1.5e3,\"note\":\"text\"");
    span(f, "cuda_profiler_range", 0, 0, 120, 5, "second", "\"inst.sum\":13,\"l2\":-1");
}

static void counters_by_order(void **state)
{
    struct fw_fix *f = *state;
    counter_ranges(f);
    run_rank(f, &az_rank_analysis_counters);
    assert_int_equal(table(f, "cupti_counters")->rows, 2);
    is(f, "cupti_counters", 0, "bottom_level_op", "aten::mm");
    is(f, "cupti_counters", 1, "kernel", "add");
    near(num(f, "cupti_counters", 0, "inst.sum"), 12);
    near(num(f, "cupti_counters", 0, "dram"), 1500);
    near(num(f, "cupti_counters", 1, "l2"), -1);
    assert_int_equal(cell(table(f, "cupti_counters"), 1, "dram")->type, AZ_EMPTY);
    assert_true(az_table_find(table(f, "cupti_counters"), "note") < 0);
}

static void counters_that_do_not_match(void **state)
{
    struct fw_fix *f = *state;
    counter_ranges(f);
    launch(f, 200, "aten::mul", "", 220, 5, "mul", 3);
    run_rank(f, &az_rank_analysis_counters);
    assert_int_equal(cell(table(f, "cupti_counters"), 0, "bottom_level_op")->type, AZ_EMPTY);
    near(num(f, "cupti_counters", 0, "inst.sum"), 12);
    near(covered(f, "cupti_counters without operators"), 2);
}

/* ---- critical path ---- */
static double bound(const struct fw_fix *f, const char *what)
{
    const struct az_table *t = table(f, "critical_path_summary");
    return num(f, "critical_path_summary", row_of(t, "bound_by", what), "duration (us)");
}

static void path_through_a_wait(void **state)
{
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    op(f, 0, 20, "aten::mm", "");
    call(f, 5, 3, "cudaLaunchKernel", 1);
    kernel(f, 7, 30, 100, "gemm", 1);
    call(f, 25, 115, "cudaDeviceSynchronize", 2);
    op(f, 150, 20, "aten::item", "");
    run_rank(f, &az_rank_analysis_critical_path);
    /* 5 of mm, 25 to the kernel, 100 of it, 0 to the end of the wait, 0 to the next operator, 20 of
     * it */
    near(bound(f, "cpu_bound"), 25);
    near(bound(f, "gpu_kernel_launch_overhead"), 25);
    near(bound(f, "gpu_compute_bound"), 100);
    assert_int_equal(table(f, "critical_path_summary")->rows, 3);
    const struct az_table *t = table(f, "critical_path");
    assert_int_equal(t->rows, 4);
    is(f, "critical_path", 0, "s_name", "aten::mm");
    is(f, "critical_path", 1, "type", "critical_path_kernel_launch_delay");
    near(num(f, "critical_path", 2, "stream"), 7);
    near(num(f, "critical_path", 2, "event_idx"), 2);
    is(f, "critical_path", 3, "s_name", "aten::item");
}

/* Two streams; the second waits for an event of the first. */
static void two_streams(struct fw_fix *f, const char *wait)
{
    option(f, "critical_path", "true");
    op(f, 0, 30, "aten::mm", "");
    call(f, 5, 1, "cudaLaunchKernel", 1);
    kernel(f, 7, 30, 100, "gemm", 1);
    call(f, 10, 1, "cudaEventRecord", 50);
    call(f, 15, 1, "cudaStreamWaitEvent", 51);
    raw(f, wait);
    call(f, 20, 1, "cudaLaunchKernel", 2);
    kernel(f, 9, 131, 69, "ncclDevKernel_AllReduce", 2);
    call(f, 24, 1, "cudaLaunchKernel", 3);
    kernel(f, 7, 132, 10, "small", 3);
    run_rank(f, &az_rank_analysis_critical_path);
}

static void path_through_an_event(void **state)
{
    struct fw_fix *f = *state;
    two_streams(
        f, "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
           "Event\",\"pid\":0,\"tid\":9,\"ts\":16,"
           "\"dur\":1,\"args\":{\"stream\":9,\"device\":0,\"correlation\":51,\"wait_on_stream\":7,"
           "\"wait_on_cuda_event_record_corr_id\":50}}");
    /* By its own launch 20 + 111 + 69; by the event 5 + 25 + 100 + 69, one less. */
    near(bound(f, "gpu_communication_bound"), 69);
    near(bound(f, "gpu_kernel_launch_overhead"), 111);
    near(bound(f, "cpu_bound"), 20);
}

static void a_shorter_launch_loses_to_the_event(void **state)
{
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    op(f, 0, 10, "aten::mm", "");
    call(f, 5, 1, "cudaLaunchKernel", 1);
    kernel(f, 7, 30, 100, "gemm", 1);
    call(f, 8, 1, "cudaEventRecord", 50);
    call(f, 12, 1, "cudaStreamWaitEvent",
         51); /* not in the operator: the time between does not count */
    span(f, "cuda_sync", 0, 9, 13, 1, "Stream Wait Event",
         "\"stream\":9,\"device\":0,\"correlation\":51,\"wait_on_stream\":7,\"wait_on_cuda_event_"
         "record_corr_id\":50");
    call(f, 20, 1, "cudaLaunchKernel", 2);
    kernel(f, 9, 131, 69, "ncclDevKernel_AllReduce", 2);
    run_rank(f, &az_rank_analysis_critical_path);
    near(bound(f, "cpu_bound"), 5);
    near(bound(f, "gpu_kernel_launch_overhead"), 25);
    near(bound(f, "gpu_compute_bound"), 100);
    near(bound(f, "gpu_communication_bound"), 69);
}

static void path_without_the_event(void **state)
{
    struct fw_fix *f = *state;
    two_streams(f, "{\"ph\":\"i\",\"name\":\"nothing\",\"ts\":1,\"pid\":0,\"tid\":0}");
    near(bound(f, "gpu_communication_bound"), 69);
    near(bound(f, "gpu_kernel_launch_overhead"), 111);
}

/* A node of a graph waits for the node that its arrow comes from: for its end, or, where clocks
 * differ and it starts before that, from its start. */
static void node_waits_for_node(struct fw_fix *f, int start)
{
    char arrow[256];
    option(f, "critical_path", "true");
    op(f, 0, 20, "aten::mm", "");
    call(f, 5, 3, "cudaGraphLaunch", 1);
    kernel(f, 7, 30, 100, "gemm", 1);
    kernel(f, 9, start, 200, "ncclDevKernel_AllReduce", 1);
    for (int end = 0; end < 2; end++) {
        snprintf(arrow, sizeof arrow,
                 "{\"ph\":\"%c\",\"id\":1099511627777,\"pid\":0,\"tid\":%d,\"ts\":%d,\"cat\":"
                 "\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"}",
                 end ? 'f' : 's', end ? 9 : 7, end ? start : 130);
        raw(f, arrow);
    }
    run_rank(f, &az_rank_analysis_critical_path);
    near(bound(f, "cpu_bound"), 5);
    near(bound(f, "gpu_kernel_launch_overhead"), 25);
}

static void a_node_after_its_node(void **state)
{
    struct fw_fix *f = *state;
    node_waits_for_node(f, 140);
    near(bound(f, "gpu_compute_bound"), 100);
    near(bound(f, "gpu_kernel_kernel_overhead"), 10);
    near(bound(f, "gpu_communication_bound"), 200);
}

static void a_node_before_the_end_of_its_node(void **state)
{
    struct fw_fix *f = *state;
    node_waits_for_node(f, 110);
    near(bound(f, "gpu_compute_bound"), 80);
    near(bound(f, "gpu_communication_bound"), 200);
}

static void kernels_behind_each_other(void **state)
{
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    op(f, 0, 20, "aten::mm", "");
    call(f, 5, 1, "cudaLaunchKernel", 1);
    kernel(f, 7, 10, 50, "a", 1);
    call(f, 8, 1, "cudaLaunchKernel", 2);
    kernel(f, 7, 63, 40, "b", 2); /* was waiting: 3 after a */
    call(f, 15, 1, "cudaLaunchKernel", 3);
    kernel(f, 7, 1603, 10, "c", 3); /* 1500 after b: its launch was */
    run_rank(f, &az_rank_analysis_critical_path);
    near(bound(f, "gpu_kernel_launch_overhead"), 1588);
    near(bound(f, "gpu_compute_bound"), 10);
    near(bound(f, "cpu_bound"), 15);
}

static void path_of_an_annotation(void **state)
{
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    option(f, "critical_path_annotation", "forward");
    option(f, "critical_path_instance", "1");
    span(f, "user_annotation", 100, 1, 0, 100, "## forward ##", "");
    span(f, "user_annotation", 100, 1, 200, 100, "## forward ##", "");
    op(f, 10, 50, "aten::a", "");
    op(f, 210, 30, "aten::b", "");
    run_rank(f, &az_rank_analysis_critical_path);
    near(bound(f, "cpu_bound"), 30);
    near(num(f, "critical_path_summary", 0, "window (us)"), 100);
}

static void no_such_annotation(void **state)
{
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    option(f, "critical_path_annotation", "missing");
    op(f, 10, 50, "aten::a", "");
    run_rank(f, &az_rank_analysis_critical_path);
    assert_false(has_table(f, "critical_path"));
    near(covered(f, "critical path"), 0);
}

/* ---- stragglers: two ranks ---- */
static void rank_of(struct fw_fix *f, double late)
{
    for (int i = 1; i <= 2; i++) {
        const double t = 1000 * i;
        span(f, "user_annotation", 100, 1, t, 1000, i == 1 ? "ProfilerStep#1" : "ProfilerStep#2",
             "");
        kern(f, 16, t + 10, t + 100 + late, 500 - late, "ncclDevKernel_AllReduce");
        kern(f, 16, t + 20, t + 700, 100,
             "ncclDevKernel_AllGather"); /* always the same: not the one */
    }
    option(f, "last_step", "keep");
    ready(f);
}

static void latest_rank_is_a_candidate(void **state)
{
    struct fw_fix *f = *state, *other;
    void *second = NULL;
    assert_int_equal(fw_setup(&second), 0);
    other = second;
    rank_of(f, 0);
    rank_of(other, 300);
    const struct az_rank rank[] = { { .rank = 4, .ticks_per_ns = 1 },
                                    { .rank = 6, .ticks_per_ns = 1 } };
    const struct az_ranks ranks = { .v = rank, .n = 2, .world_size = 8 };
    void *parts[2] = { NULL, NULL };
    assert_int_equal(az_rank_analysis_stragglers.reduce(&f->job, &f->arena, &parts[0]), 0);
    assert_int_equal(az_rank_analysis_stragglers.reduce(&other->job, &f->arena, &parts[1]), 0);
    option(f, "straggler_candidates", "1");
    assert_int_equal(az_rank_analysis_stragglers.finish(&f->job, &ranks, parts), 0);
    assert_int_equal(table(f, "straggler_candidates")->rows, 1);
    near(num(f, "straggler_candidates", 0, "rank"), 6);
    near(num(f, "straggler_candidates", 0, "times_among_last"), 2);
    is(f, "straggler_candidates", 0, "name", "ncclDevKernel_AllReduce");
    near(num(f, "straggler_candidates", 0, "duration_deviation"), 0.3 / sqrt(2));
    assert_int_equal(fw_teardown(&second), 0);
}

/* ---- nothing at all ---- */
static void nothing_to_say(void **state)
{
    static const struct az_rank_analysis *const all[] = {
        &az_rank_analysis_breakdown,  &az_rank_analysis_idle,     &az_rank_analysis_queue,
        &az_rank_analysis_memory,     &az_rank_analysis_launch,   &az_rank_analysis_ops,
        &az_rank_analysis_stragglers, &az_rank_analysis_counters, &az_rank_analysis_critical_path
    };
    struct fw_fix *f = *state;
    option(f, "critical_path", "true");
    option(f, "sequence_op", "x");
    option(f, "launch_details", "true");
    for (size_t i = 0; i < AZ_LENGTH(all); i++)
        run_rank(f, all[i]);
    assert_false(has_table(f, "kernel_breakdown"));
    assert_false(has_table(f, "critical_path"));
    assert_int_equal(cell(table(f, "temporal_breakdown"), 0, "idle_time_pctg")->type, AZ_EMPTY);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fw_setup, fw_teardown)

/* Lengths of the account in a part that come from a hostile file: they are added to those of other
 * ranks, so that a negative one, or what stands for an unknown time, is damage. */
static void lengths_in_a_part_are_checked(void **state)
{
    (void)state;
    const struct az_shape *part = az_rank_analysis_breakdown.shape, *shape = NULL;
    size_t at_once = 0;
    for (size_t i = 0; i < part->n; i++) {
        if (strcmp(part->field[i].name, "a") == 0)
            shape = part->field[i].of;
        if (strcmp(part->field[i].name, "at_once") == 0)
            at_once = part->field[i].at / sizeof(int64_t);
    }
    assert_non_null(shape);
    assert_int_equal(shape->size, sizeof(struct az_account));
    struct az_account a = { .compute = 5, .idle = 3, .total = 8, .first = INT64_MIN };
    assert_true(shape->valid(&a));
    int64_t *const length[] = {
        &a.compute, &a.comm,  &a.copies, &a.exposed_comm, &a.busy,
        &a.idle,    &a.total, &a.other,  &a.micro,        &a.exposed_copies
    };
    const int64_t wrong[] = { -1, INT64_MIN, INT64_MAX };
    for (size_t i = 0; i < AZ_LENGTH(length); i++) {
        const int64_t was = *length[i];
        for (size_t k = 0; k < AZ_LENGTH(wrong); k++) {
            *length[i] = wrong[k];
            assert_false(shape->valid(&a));
        }
        *length[i] = was;
    }
    assert_true(shape->valid(&a));
    int64_t *whole = calloc(part->size, 1); /* the part, with the times of combinations */
    assert_non_null(whole);
    assert_true(part->valid(whole));
    for (size_t i = 0; i < 8; i += 7)
        for (size_t k = 0; k < AZ_LENGTH(wrong); k++) {
            whole[at_once + i] = wrong[k];
            assert_false(part->valid(whole));
            whole[at_once + i] = 0;
        }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_of_three_sets),
        cmocka_unit_test(kinds_by_name),
        CASE(device_time),
        CASE(last_step_is_dropped),
        CASE(last_step_is_kept),
        CASE(collectives_of_other_names),
        CASE(small_kernels_are_others),
        CASE(idle_causes),
        CASE(idle_delay_is_an_option),
        CASE(annotations_of_both_sides),
        CASE(queue_length),
        CASE(graph_is_one_entry),
        CASE(bandwidths_add_up),
        CASE(launch_figures),
        CASE(launches_of_operators),
        CASE(sequences_at_the_smallest_depth),
        CASE(counters_by_order),
        CASE(counters_that_do_not_match),
        CASE(path_through_a_wait),
        CASE(path_through_an_event),
        CASE(a_shorter_launch_loses_to_the_event),
        CASE(path_without_the_event),
        CASE(a_node_after_its_node),
        CASE(a_node_before_the_end_of_its_node),
        CASE(kernels_behind_each_other),
        CASE(path_of_an_annotation),
        CASE(no_such_annotation),
        CASE(latest_rank_is_a_candidate),
        CASE(nothing_to_say),
        cmocka_unit_test(lengths_in_a_part_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
