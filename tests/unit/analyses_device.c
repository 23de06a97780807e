/* Device time: iterations against a tick-by-tick count, gaps, utilization, findings. */
#include "unit/analyses_job.h"

#include <math.h>

#define SPAN 1000

static void random_iterations_agree_with_ticks(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 30; round++) {
        void *s;
        setup(&s);
        struct fix *f = s;
        struct az_trace *t = &f->t[0];
        uint32_t h = host_lane(t, 1, 1),
                 g[4] = { stream_lane(t, 1, 0, 7), stream_lane(t, 1, 0, 8), stream_lane(t, 1, 1, 7),
                          stream_lane(t, 2, 1, 7) };
        static uint8_t busy[2][SPAN + 200]; /* bits: 1 compute, 2 nccl, 4 memory */
        static int64_t lo[2][4], hi[2][4];
        memset(busy, 0, sizeof busy);
        for (int i = 0; i < 4; i++) {
            add_range(t, "it", h, i * 200, i * 200 + 199, (uint64_t)i + 1, 0, false);
            for (int d = 0; d < 2; d++) {
                lo[d][i] = INT64_MAX;
                hi[d][i] = INT64_MIN;
            }
        }
        for (int i = 0; i < 60; i++) {
            int64_t call = rand() % 790, start = call + rand() % 150, end = start + rand() % 30;
            int lane = rand() % 4, kind = rand() % 4, device = lane / 2, it = (int)(call / 200);
            bool inside = (call + 5) / 200 == it && call + 5 <= it * 200 + 199 && lane != 3;
            if (lane !=
                3) /* lane 3 belongs to a process without calls, but keeps the device busy */
                add(t, AZ_CALL, "c", h, call, call + 5, (uint64_t)i + 1);
            if (kind == 0)
                add(t, AZ_KERNEL, "ncclKernel", g[lane], start, end, (uint64_t)i + 1);
            else if (kind == 1)
                add(t, AZ_MEMCPY, "copy", g[lane], start, end, (uint64_t)i + 1);
            else
                add(t, kind == 2 ? AZ_KERNEL : AZ_GRAPH, "gemm", g[lane], start, end,
                    (uint64_t)i + 1);
            for (int64_t x = start; x < end; x++)
                busy[device][x] |= kind == 0 ? 2 : kind == 1 ? 4 : 1;
            if (inside) {
                lo[device][it] = start < lo[device][it] ? start : lo[device][it];
                hi[device][it] = end > hi[device][it] ? end : hi[device][it];
            }
        }
        t->caps = AZ_CAP_RANGES | AZ_CAP_CALLS | AZ_CAP_TIMELINE;
        f->opts.nvtx_tag = AZ_SV("it");
        make_job(f, 1);
        assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
        const struct az_table *out = az_document_table(&f->doc, "device_iterations");
        assert_non_null(out);
        for (size_t r = 0; r < out->rows; r++) {
            int d = (int)cell(out, r, "Device")->i, it = (int)cell(out, r, "RangeId")->i - 1;
            int64_t n[8] = { 0 }, window = hi[d][it] - lo[d][it];
            for (int64_t x = lo[d][it]; x < hi[d][it]; x++)
                n[busy[d][x]]++;
            assert_int_equal(cell(out, r, "Window Start (ns)")->i, lo[d][it]);
            assert_int_equal(cell(out, r, "Window (ns)")->i, window);
            assert_int_equal(cell(out, r, "Compute (ns)")->i, n[1] + n[3] + n[5] + n[7]);
            assert_int_equal(cell(out, r, "NCCL (ns)")->i, n[2] + n[3] + n[6] + n[7]);
            assert_int_equal(cell(out, r, "Mem (ns)")->i, n[4] + n[5] + n[6] + n[7]);
            assert_int_equal(cell(out, r, "Compute and NCCL (ns)")->i, n[3] + n[7]);
            assert_int_equal(cell(out, r, "Exposed NCCL (ns)")->i, n[2] + n[6]);
            assert_int_equal(cell(out, r, "Exposed Mem (ns)")->i, n[4]);
            assert_int_equal(cell(out, r, "Idle (ns)")->i, n[0]);
            assert_int_equal(cell(out, r, "Compute (ns)")->i +
                                 cell(out, r, "Exposed NCCL (ns)")->i +
                                 cell(out, r, "Exposed Mem (ns)")->i + cell(out, r, "Idle (ns)")->i,
                             window);
        }
        assert_int_equal(teardown(&s), 0);
    }
}

/* Nested iterations, each of which has most of the work: their times and gaps are indexed. */
static void nested_iterations_agree_with_ticks(void **state)
{
    enum { OPS = 400, DEEP = 40, LENGTH = 20 * OPS + 40 };
    (void)state;
    srand(5);
    for (int round = 0; round < 6; round++) {
        void *s;
        setup(&s);
        struct fix *f = s;
        struct az_trace *t = &f->t[0];
        const uint32_t h = host_lane(t, 1, 1), own = stream_lane(t, 1, 0, 7),
                       other = stream_lane(t, 2, 0, 7);
        static uint8_t busy[LENGTH];
        static int64_t begin[DEEP], end[DEEP], start[OPS], stop[OPS];
        memset(busy, 0, sizeof busy);
        for (int i = 0; i < DEEP; i++) {
            begin[i] = i ? begin[i - 1] + 1 + rand() % 150 : 0;
            end[i] = i ? end[i - 1] - 1 - rand() % (round + 1) * 30 : LENGTH;
            add_range(t, "it", h, begin[i], end[i], (uint64_t)i + 1, 0, false);
        }
        for (int i = 0; i < OPS; i++) {
            start[i] = 20 * i + rand() % 9;
            stop[i] = start[i] + 1 + rand() % 19;
            add(t, AZ_CALL, "c", h, 20 * i, 20 * i + 2, (uint64_t)i + 1);
            add(t, AZ_KERNEL, "gemm", own, start[i], stop[i], (uint64_t)i + 1);
            if (i % 7 == 0) /* of a process without calls */
                add(t, AZ_KERNEL, "gemm", other, stop[i], stop[i] + 1, 0);
            for (int64_t x = start[i]; x < stop[i] + (i % 7 == 0); x++)
                busy[x] = 1;
        }
        t->caps = AZ_CAP_RANGES | AZ_CAP_CALLS | AZ_CAP_TIMELINE;
        f->opts.nvtx_tag = AZ_SV("it");
        make_job(f, 1);
        assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
        const struct az_table *out = az_document_table(&f->doc, "device_iterations");
        assert_int_equal(out->rows, DEEP);
        for (size_t r = 0; r < out->rows; r++) {
            const int it = (int)cell(out, r, "RangeId")->i - 1;
            int64_t lo = INT64_MAX, hi = 0, idle = 0, gaps = 0, most = 0, gap = 0;
            for (int i = 0; i < OPS; i++)
                if (20 * i >= begin[it] && 20 * i + 2 <= end[it]) {
                    lo = start[i] < lo ? start[i] : lo;
                    hi = stop[i] > hi ? stop[i] : hi;
                }
            for (int64_t x = lo; x < hi; x++) {
                gap = busy[x] ? 0 : gap + 1;
                gaps += gap == 1;
                most = gap > most ? gap : most;
                idle += !busy[x];
            }
            assert_int_equal(cell(out, r, "Window Start (ns)")->i, lo);
            assert_int_equal(cell(out, r, "Window (ns)")->i, hi - lo);
            assert_int_equal(cell(out, r, "Idle (ns)")->i, idle);
            assert_int_equal(cell(out, r, "Compute (ns)")->i, hi - lo - idle);
            assert_int_equal(cell(out, r, "Gaps")->i, gaps);
            assert_int_equal(cell(out, r, "Largest Gap (ns)")->i, most);
        }
        assert_int_equal(teardown(&s), 0);
    }
}

/* n iterations of 100: a kernel of 10 x (i + 1), then 5 of communication on the same stream. */
static void fill_iterations(struct az_trace *t, int n)
{
    uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < n; i++) {
        int64_t at = i * 100;
        add_range(t, "it", h, at, at + 50, (uint64_t)i + 1, 0, false);
        add(t, AZ_CALL, "cudaLaunchKernel", h, at + 1, at + 2, (uint64_t)i * 2 + 1);
        add(t, AZ_CALL, "cudaLaunchKernel", h, at + 3, at + 4, (uint64_t)i * 2 + 2);
        add(t, AZ_KERNEL, "gemm", g, at + 10, at + 10 + 10 * (i + 1), (uint64_t)i * 2 + 1);
        add(t, AZ_KERNEL, "ncclX", g, at + 60, at + 65, (uint64_t)i * 2 + 2);
    }
    t->caps = AZ_CAP_RANGES | AZ_CAP_CALLS | AZ_CAP_TIMELINE | AZ_CAP_PROJ | AZ_CAP_KERNEL_SUMS;
}

static void summary_leaves_out_the_warm_up(void **state)
{
    struct fix *f = *state;
    fill_iterations(&f->t[0], 4);
    f->opts.nvtx_tag = AZ_SV("it");
    f->opts.warmup_iters = 1;
    make_job(f, 1);
    assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
    const struct az_table *s = az_document_table(&f->doc, "device_iterations_summary");
    assert_int_equal(s->rows, 10);
    is_text(s, 2, "Figure", "Compute");
    assert_int_equal(cell(s, 2, "Iterations")->i, 3);
    assert_true(number(f, "device_iterations_summary", 2, "Mean (ns)") == 30); /* 20, 30, 40 */
    assert_true(number(f, "device_iterations_summary", 2, "Min (ns)") == 20);
    assert_true(fabs(number(f, "device_iterations_summary", 2, "P95 (ns)") - 39) < 1e-12);
    assert_true(number(f, "device_iterations", 0, "To Next Window (ns)") == 45);
    assert_int_equal(
        cell(az_document_table(&f->doc, "device_iterations"), 3, "To Next Window (ns)")->type,
        AZ_EMPTY);
}

static void warm_up_longer_than_the_run(void **state)
{
    struct fix *f = *state;
    fill_iterations(&f->t[0], 2);
    f->opts.nvtx_tag = AZ_SV("it");
    f->opts.warmup_iters = 5;
    make_job(f, 1);
    assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
    assert_null(az_document_table(&f->doc, "device_iterations_summary"));
    assert_int_equal(f->diag.warnings, 1);
}

static void gaps_are_between_operations(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    uint32_t g = stream_lane(t, 1, 0, 7), g2 = stream_lane(t, 1, 0, 8),
             other = stream_lane(t, 2, 0, 7), h = host_lane(t, 1, 1);
    add(t, AZ_KERNEL, "long", g, 0, 10000, 0);
    add(t, AZ_KERNEL, "inside", g2, 100, 200, 0);
    add(t, AZ_KERNEL, "late", g2, 13000, 14000, 0);
    add(t, AZ_MEMCPY, "touch", g2, 14000, 15000, 0); /* no gap */
    add(t, AZ_OVERHEAD, "flush", h, 20000, 24000, 0);
    add(t, AZ_OVERHEAD, "after", h, 90000, 99000, 0); /* after the last operation */
    add(t, AZ_KERNEL, "end", g, 25500, 26000, 0);
    add(t, AZ_KERNEL, "alone", other, 500, 600, 0); /* another process: its own line of time */
    f->opts.gap_threshold_us = 1.5;
    make_job(f, 1);
    assert_int_equal(az_analysis_gpu_gaps.run(&f->job), 0);
    const struct az_table *gaps = az_document_table(&f->doc, "gpu_gaps");
    assert_int_equal(gaps->rows, 3);
    assert_int_equal(cell(gaps, 0, "Duration (ns)")->i, 5000); /* 15000 to the overhead at 20000 */
    is_text(gaps, 0, "Before", "touch");
    assert_int_equal(cell(gaps, 1, "Start (ns)")->i, 10000);
    is_text(gaps, 1, "Before", "long");
    is_text(gaps, 1, "After", "late");
    assert_int_equal(cell(gaps, 2, "Start (ns)")->i, 24000); /* exactly the threshold */
    assert_int_equal(az_document_table(&f->doc, "gpu_gaps_histogram")->rows, 3);
    assert_true(number(f, "gpu_gaps_histogram", 0, "From (ns)") == 1000);
    assert_true(number(f, "gpu_gaps_histogram", 2, "Gaps") == 1);
}

static void low_chunks_merge(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    uint32_t a = stream_lane(t, 1, 3, 7), b = stream_lane(t, 1, 3, 8);
    add(t, AZ_KERNEL, "k", a, 1000, 1200, 0); /* chunks of 100 from 1000 to 2000 */
    add(t, AZ_KERNEL, "k", b, 1050, 1200, 0); /* overlap counts once */
    add(t, AZ_KERNEL, "k", a, 1340, 1350, 0);
    add(t, AZ_KERNEL, "k", a, 1950, 2000, 0); /* half of the last: not below 50 % */
    make_job(f, 1);
    assert_int_equal(az_analysis_gpu_utilization.run(&f->job), 0);
    const struct az_table *u = az_document_table(&f->doc, "gpu_utilization");
    assert_int_equal(u->rows, 4);
    assert_int_equal(cell(u, 2, "Chunks")->i, 7);
    assert_int_equal(cell(u, 2, "Duration (ns)")->i, 700);
    assert_true(fabs(number(f, "gpu_utilization", 2, "In Use (%)") - 10.0 / 7) < 1e-12);
    assert_true(number(f, "gpu_utilization", 0, "In Use (%)") == 100.0);
    assert_true(number(f, "gpu_utilization", 3, "In Use (%)") == 50.0);
    assert_false(cell(u, 3, "Low")->b);
    assert_int_equal(cell(u, 0, "Device")->i, 3);
}

static void findings_by_rule(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 9);
    fill_iterations(t, 4);
    add(t, AZ_CALL, "cudaMemcpyAsync", h, 401, 402, 101);
    add_copy(t, AZ_MEMCPY, "H2D", g, 410, 420, 101,
             (struct az_copy){ .bytes = 1, .src = 0, .dst = 2 });
    add(t, AZ_CALL, "cudaMemcpyAsync", h, 403, 404, 102); /* pinned: fine */
    add_copy(t, AZ_MEMCPY, "H2D", g, 421, 430, 102,
             (struct az_copy){ .bytes = 1, .src = 1, .dst = 2 });
    add(t, AZ_CALL, "cudaMemcpy", h, 405, 406, 103);
    add_copy(t, AZ_MEMCPY, "H2D", g, 431, 451, 103,
             (struct az_copy){ .bytes = 1, .src = 1, .dst = 2 });
    add(t, AZ_CALL, "cudaMemcpy", h, 407, 408, 104); /* device to device does not block */
    add_copy(t, AZ_MEMCPY, "D2D", g, 452, 462, 104,
             (struct az_copy){ .bytes = 1, .src = 2, .dst = 2 });
    add(t, AZ_CALL, "cudaMemset", h, 409, 410, 105);
    add_copy(t, AZ_MEMSET, "set", g, 463, 466, 105,
             (struct az_copy){ .bytes = 1, .src = -1, .dst = 1 });
    add(t, AZ_CALL, "cudaMemset", h, 411, 412, 106); /* of device memory */
    add_copy(t, AZ_MEMSET, "set", g, 467, 470, 106,
             (struct az_copy){ .bytes = 1, .src = -1, .dst = 2 });
    add(t, AZ_CALL, "cudaGraphLaunch", h, 413, 414, 107); /* its fills are no calls */
    add_copy(t, AZ_MEMSET, "set", g, 482, 485, 107,
             (struct az_copy){ .bytes = 1, .src = -1, .dst = -1 });
    for (int i = 0; i < 8; i++)
        add(t, AZ_CALL, "cudaStreamSynchronize", h, 500 + i * 50, 550 + i * 50, 0);
    add(t, AZ_GRAPH, "graph", g, 471, 481, 0);
    f->opts.nvtx_tag = AZ_SV("it");
    f->opts.iters = 3;
    make_job(f, 1);
    assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
    assert_int_equal(az_analysis_findings.run(&f->job), 0);
    assert_true(found(f, "memcpy_async", "H2D by cudaMemcpyAsync", "Count") == 1);
    assert_true(found(f, "memcpy_sync", "H2D by cudaMemcpy", "Time (ns)") == 20);
    assert_int_equal(finding(f, "memcpy_sync", "D2D"), -1);
    assert_true(found(f, "memset_sync", "set by cudaMemset", "Count") == 1);
    assert_int_equal(finding(f, "memset_sync", "set by cudaGraphLaunch"), -1);
    assert_true(found(f, "api_sync", "cudaStreamSynchronize", "Time (ns)") == 400);
    assert_true(finding(f, "api_sync", "cudaStreamSynchronize") >= 0);
    assert_true(found(f, "graph_hidden", "graph launches", "Count") == 1);
    assert_true(found(f, "mixed_stream", "device 0, stream 7", "Count") == 4);
    assert_int_equal(finding(f, "mixed_stream", "device 0, stream 9"), -1);
    assert_true(found(f, "exposed_nccl", "device 0", "Time (ns)") == 20);
    assert_true(found(f, "iteration_count", "it", "Count") == 4);
    assert_true(found(f, "outside_ranges", "operations outside", "Count") == 8);
}

/* 4 steps with so many synchronizing calls, or a recording without steps. */
static ptrdiff_t found_of_waits(struct fix *f, int n, bool steps)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1);
    fill_iterations(t, 4);
    for (int i = 0; i < n; i++)
        add(t, AZ_CALL, i % 2 ? "cudaEventSynchronize" : "cudaStreamSynchronize", h, 500 + i * 10,
            505 + i * 10, 0);
    f->opts.nvtx_tag = steps ? AZ_SV("it") : AZ_SV("");
    f->opts.steps = steps ? AZ_SV("") : AZ_SV("none");
    make_job(f, 1);
    assert_int_equal(az_analysis_device_iterations.run(&f->job), 0);
    assert_int_equal(az_analysis_findings.run(&f->job), 0);
    return finding(f, "api_sync", "cudaStreamSynchronize");
}

static void one_synchronization_a_step_is_no_finding(void **state)
{
    static const struct {
        int n;
        bool steps, found;
    } cases[] = { { 5, true, false }, { 6, true, true }, { 1, false, false }, { 2, false, true } };
    assert_int_equal(teardown(state), 0);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        void *s;
        setup(&s);
        assert_int_equal(found_of_waits(s, cases[i].n, cases[i].steps) >= 0, cases[i].found);
        if (i + 1 == AZ_LENGTH(cases))
            *state = s;
        else
            assert_int_equal(teardown(&s), 0);
    }
}

static void count_of_iterations_and_gpus_is_fine(void **state)
{
    struct fix *f = *state;
    fill_iterations(&f->t[0], 4);
    f->opts.nvtx_tag = AZ_SV("it");
    f->opts.iters = 2;
    f->opts.gpus = 2;
    make_job(f, 1);
    assert_int_equal(az_analysis_findings.run(&f->job), 0);
    assert_int_equal(finding(f, "iteration_count", "it"), -1);
}

static void coverage_of_links_and_drops(void **state)
{
    struct fix *f = *state;
    fill_iterations(&f->t[0], 1);
    add(&f->t[0], AZ_KERNEL, "lost", stream_lane(&f->t[0], 1, 0, 7), 500, 515, 999);
    f->t[0].read = 12;
    f->t[0].kept = 9;
    az_trace_dropped(&f->t[0], AZ_DROP_LOST, "bad row", 3, 0);
    make_job(f, 1);
    assert_int_equal(az_analysis_coverage.run(&f->job), 0);
    const struct az_table *c = f->job.coverage;
    is_text(c, 0, "Item", "events read");
    assert_true(az_cell_number(cell(c, 0, "Value")) == 12);
    is_text(c, 2, "Item", "dropped: bad row");
    is_text(c, 4, "Item", "device time linked to calls");
    assert_true(az_cell_number(cell(c, 4, "Value")) == 15);
    is_text(c, 4, "Note", "50.00% of device time, by correlation ID");
    is_text(c, 5, "Note", "1 operations without a recorded call");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_iterations_agree_with_ticks),
        cmocka_unit_test(nested_iterations_agree_with_ticks),
        cmocka_unit_test_setup_teardown(summary_leaves_out_the_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(warm_up_longer_than_the_run, setup, teardown),
        cmocka_unit_test_setup_teardown(gaps_are_between_operations, setup, teardown),
        cmocka_unit_test_setup_teardown(low_chunks_merge, setup, teardown),
        cmocka_unit_test_setup_teardown(findings_by_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(one_synchronization_a_step_is_no_finding, setup, teardown),
        cmocka_unit_test_setup_teardown(count_of_iterations_and_gpus_is_fine, setup, teardown),
        cmocka_unit_test_setup_teardown(coverage_of_links_and_drops, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
