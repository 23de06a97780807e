/* The verdict: causes of gaps, findings that add up to the account, lines. */
#include <stdio.h>

#include "unit/analyses_job.h"

#include "analyses/verdict/report.h"
#include "document/claims.h"
#include "document/verdict_table.h"
#include "model/geometry.h"

#define US 1000

static struct az_line line_of(const struct fix *f, size_t row)
{
    return az_headline_line(az_headline_of(&f->doc), row);
}

static void judge(struct fix *f)
{
    f->opts.short_kernel_us = 10;
    f->opts.device_gap_us = 10;
    f->opts.launch_spacing_us = 100;
    make_job(f, 1);
    assert_int_equal(az_verdict_report(&f->job), 0);
    assert_non_null(az_headline_of(&f->doc));
}

/* Cause of the row of idle_causes with that call. */
static int cause_of(const struct fix *f, const char *cause, double ns)
{
    const struct az_table *t = az_document_table(&f->doc, "idle_causes");
    assert_non_null(t);
    for (size_t i = 0; i < t->rows; i++)
        if (az_sv_is(az_cell_text(az_table_at(t, i, (size_t)az_table_find(t, "Cause"))), cause))
            return number(f, "idle_causes", i, "Idle (ns)") == ns;
    return 0;
}

static const struct az_claim *claim(const struct fix *f, size_t i)
{
    const struct az_claims *c = f->doc.claims;
    assert_non_null(c);
    assert_true(i < c->n_findings);
    return &c->findings[i];
}

/* Gaps: the host was in a copy, waited for it, did something after a wait, loaded code. */
static void gaps_have_causes(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 10 * US, 100 * US, 1);
    add(t, AZ_CALL, "hipMemcpyWithStream", h, 50 * US, 500 * US, 2);
    add_copy(t, AZ_MEMCPY, "H2D", g, 400 * US, 490 * US, 2,
             (struct az_copy){ .bytes = 600000, .src = 0, .dst = 2 });
    add(t, AZ_CALL, "cudaLaunchKernel", h, 501 * US, 505 * US, 3);
    add(t, AZ_KERNEL, "gemm", g, 506 * US, 600 * US, 3);
    add(t, AZ_CALL, "cudaStreamSynchronize", h, 510 * US, 602 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 720 * US, 725 * US, 4);
    add(t, AZ_KERNEL, "gemm", g, 730 * US, 800 * US, 4);
    add(t, AZ_CALL, "cuModuleLoadData", h, 800 * US, 995 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 996 * US, 999 * US, 5);
    add(t, AZ_KERNEL, "gemm", g, 1000 * US, 1010 * US, 5);
    judge(f);
    assert_true(cause_of(f, "blocking_copy", 300 * US));
    assert_true(cause_of(f, "synchronization", 16 * US));
    assert_true(cause_of(f, "host_compute", 130 * US));
    assert_true(cause_of(f, "module_loading", 200 * US));
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_BLOCKING_COPY); /* most time first */
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_PIN_MEMORY);
    assert_int_equal(claim(f, 0)->saving_ns, 300 * US);
    assert_true(az_sv_is(claim(f, 0)->call, "hipMemcpyWithStream"));
    assert_int_equal(claim(f, 1)->cause, AZ_CAUSE_MODULE_LOADING);
    assert_true(az_sv_is(claim(f, 1)->call, "cuModuleLoadData"));
    assert_int_equal(claim(f, 2)->cause, AZ_CAUSE_HOST_COMPUTE);
    assert_int_equal(claim(f, 2)->advice, AZ_ADVICE_RECORD_STACKS);
    assert_int_equal(line_of(f, 0).kind, AZ_LINE_WHAT);
    assert_int_equal(line_of(f, 0).ns, 1000 * US);
    assert_int_equal(line_of(f, 1).kind, AZ_LINE_TIME);
    assert_true(az_sv_is(line_of(f, 2).rule, "idle"));
    assert_true(az_sv_is(line_of(f, 2).severity, "warning"));
}

/* Waits that return at once, with work of the host between them, are no cause of the gap; those
 * that are one after the other are. */
static void short_waits(struct fix *f, int64_t apart)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    for (int64_t k = 0; k < 4; k++)
        add(t, AZ_CALL, "cudaDeviceSynchronize", h, 99 * US + k * apart,
            99 * US + k * apart + 11 * US, 0);
    const int64_t at = 99 * US + 3 * apart + 15 * US;
    add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, at + 6 * US, at + 100 * US, 2);
    judge(f);
}

static void short_waits_apart_are_no_cause(void **state)
{
    short_waits(*state, 400 * US);
    assert_true(cause_of(*state, "host_compute", 1220 * US));
}

static void short_waits_in_a_row_are(void **state)
{
    short_waits(*state, 12 * US);
    assert_true(cause_of(*state, "synchronization", 56 * US));
}

/* Code is loaded, then there are so many calls. Returns the first line of a finding. */
static struct az_sv loads_and_calls(struct fix *f, const char *const *call, int calls)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < calls + 2; i++) {
        const int64_t at = i * 1000 * US;
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "gemm", g, at + 6 * US, at + 100 * US, (uint64_t)i + 1);
        if (i <= calls)
            add(t, AZ_CALL, i ? call[i - 1] : "cuModuleLoadData", h, at + 110 * US, at + 900 * US,
                0);
    }
    judge(f);
    return line_of(f, 2).text;
}

static struct az_sv loads_and_allocates(struct fix *f, int allocations)
{
    static const char *const call[] = { "cudaMalloc", "cudaMalloc", "cudaMalloc" };
    return loads_and_calls(f, call, allocations);
}

/* Code is loaded on each device: a long first launch on the second one loads. */
static void loads_on_each_device(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1);
    for (int i = 0; i < 4; i++) {
        const int64_t at = i * 3000 * US, length = i == 2 ? 2500 * US : 5 * US;
        const uint32_t g = stream_lane(t, 1, i / 2, 7);
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + length, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "gemm", g, at + length, at + length + 100 * US, (uint64_t)i + 1);
        if (i == 2) /* the second device waits for its first kernel since this one */
            add(t, AZ_KERNEL, "other", g, at - 20 * US, at - 10 * US, 99);
    }
    judge(f);
    assert_true(cause_of(f, "module_loading", 2510 * US));
}

static void first_use_is_one_line(void **state)
{
    const struct az_sv text = loads_and_allocates(*state, 1);
    assert_true(az_sv_find(text, AZ_SV("GPU idle during first use: 2 gaps, largest 906.0 us, in "
                                       "cudaMalloc, cuModuleLoadData. Load modules")) == 0);
}

/* One call of each finding is told; the other one has a third of the time. */
static void first_use_in_more_calls(void **state)
{
    static const char *const call[] = { "cudaMalloc", "cudaHostAlloc" };
    const struct az_sv text = loads_and_calls(*state, call, 2);
    assert_true(az_sv_find(text, AZ_SV("GPU idle during first use: 3 gaps, largest 906.0 us, "
                                       "mostly in ")) == 0);
}

static void later_use_is_not(void **state)
{
    const struct az_sv text = loads_and_allocates(*state, 3);
    assert_true(az_sv_find(text, AZ_SV("GPU idle during memory allocation: 3 gaps")) == 0);
}

/* A gap of 1 ms in which the thread is in calls of the operating system; `range`: around it. */
static void system_calls(struct fix *f, const char *name, int64_t length, const char *range)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    add(t, AZ_OSRT, "pthread_mutex_lock", h, 90 * US, 150 * US, 0);
    add(t, AZ_OSRT, name, h, 200 * US, 200 * US + length, 0);
    add(t, AZ_OSRT, name, h, 600 * US, 600 * US + length, 0);
    if (range)
        add(t, AZ_RANGE, range, h, 101 * US, 1090 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 1094 * US, 1098 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 1100 * US, 1200 * US, 2);
    judge(f);
}

/* Also in a range the call is what can be remedied. */
static void reading_in_a_range(void **state)
{
    system_calls(*state, "read", 250 * US, "preprocess");
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_HOST_RANGE);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_PREFETCH_DATA);
}

static void waiting_in_forward(void **state)
{
    system_calls(*state, "pthread_cond_wait", 250 * US, "forward");
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_HOST_RANGE);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_RECORD_STACKS);
}

/* The main thread waits all the time for the one that launches. */
static void other_threads_wait(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t main = host_lane(t, 1, 1), h = host_lane(t, 1, 2), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_OSRT, "poll", main, 0, 1200 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    add(t, AZ_RANGE, "tokenize", h, 101 * US, 1090 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 1094 * US, 1098 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 1100 * US, 1200 * US, 2);
    judge(f);
    assert_true(az_sv_is(claim(f, 0)->range, "tokenize"));
    assert_int_equal(claim(f, 0)->call.n, 0);
}

static void reading_fills_a_gap(void **state)
{
    system_calls(*state, "getc", 250 * US, NULL);
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_BLOCKING_CALL);
    assert_true(az_sv_is(claim(*state, 0)->call, "getc"));
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_PREFETCH_DATA);
    assert_true(az_sv_find(line_of(*state, 2).text, AZ_SV("Read ahead, on another thread")) > 0);
}

static void reading_fills_less_than_half(void **state)
{
    system_calls(*state, "getc", 249 * US, NULL);
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_HOST_COMPUTE);
    assert_int_equal(claim(*state, 0)->call.n, 0);
}

static void waiting_in_a_range(void **state)
{
    system_calls(*state, "nanosleep", 300 * US, "pause");
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_HOST_RANGE);
    assert_true(az_sv_is(claim(*state, 0)->call, "nanosleep"));
}

static void waiting_for_a_thread(void **state)
{
    system_calls(*state, "pthread_cond_wait", 300 * US, NULL);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_RECORD_STACKS);
}

static void sleeping_fills_a_gap(void **state)
{
    system_calls(*state, "nanosleep", 300 * US, NULL);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}

/* Kernels launched `spacing` apart, each for 5 us, in a range; `length` of a kernel. */
static void launches(struct fix *f, int n, int64_t spacing, int64_t length, int64_t ahead)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < n; i++) {
        const int64_t at = 10000 * US + i * spacing;
        add(t, AZ_CALL, "cudaLaunchKernel", h, at - ahead, at - ahead + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "add", g, at + 6 * US, at + 6 * US + length, (uint64_t)i + 1);
    }
    add(t, AZ_RANGE, ":forward", h, 0, 100000 * US, 0);
    judge(f);
}

static void close_launches_are_launch_bound(void **state)
{
    struct fix *f = *state;
    launches(f, 40, 90 * US, 10 * US, 0);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_LAUNCH_BOUND);
    assert_true(az_sv_is(claim(f, 0)->range, "forward")); /* named, but not the cause */
    assert_int_equal(claim(f, 0)->count, 39);
    assert_int_equal(claim(f, 0)->median_ns, 80 * US);
}

static void far_launches_are_not(void **state)
{
    struct fix *f = *state;
    launches(f, 40, 110 * US, 10 * US, 0);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_HOST_RANGE);
    /* the range is the model's forward pass */
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
}

static void queued_kernels_wait_for_the_device(void **state)
{
    struct fix *f = *state;
    launches(f, 40, 20 * US, 11 * US, 200 * US);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_DEVICE_GAP);
    assert_int_equal(claim(f, 0)->saving_ns, 39 * 9 * US);
}

static void queued_kernels_wait_for_others(void **state)
{
    struct fix *f = *state;
    launches(f, 40, 20 * US, 10 * US, 200 * US);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_DEPENDENCY);
    /* with one stream there is no other to wait for */
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("other processes on the device")) > 0);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("dependencies")) < 0);
}

static void queued_kernels_wait_for_a_stream(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add(t, AZ_KERNEL, "other", stream_lane(t, 1, 0, 8), 10000 * US, 10001 * US, 0);
    launches(f, 40, 20 * US, 10 * US, 200 * US);
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_CHECK_DEPENDENCIES);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("stream and event dependencies")) > 0);
}

/* The host launches as soon as the device is done, and waits: the kernel begins long after. */
static void a_wait_for_what_is_queued_is_no_cause(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < 10; i++) {
        const int64_t at = i * 10000 * US;
        add(t, AZ_CALL, "cuLaunchKernel", h, at, at + 8 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "gemm", g, at + 4000 * US, at + 9980 * US, (uint64_t)i + 1);
        add(t, AZ_CALL, "cuStreamSynchronize", h, at + 9 * US, at + 9985 * US, 0);
    }
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_DEPENDENCY);
    assert_int_equal(claim(f, 0)->count, 9);
}

/* The longest gap has another cause than the others, which are one finding. */
static void unlike_gaps_are_apart(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    static const int64_t gap[] = { 400 * US, 104 * US, 103 * US, 97 * US, 97 * US, 98 * US };
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    int64_t at = 1000 * US;
    for (size_t i = 0; i <= AZ_LENGTH(gap); i++) {
        add(t, AZ_CALL, "cudaLaunchKernel", h, at - 7 * US, at - 2 * US, i + 1);
        add(t, AZ_CALL, "cudaMalloc", h, at + 11 * US, at + 90 * US, 0);
        add(t, AZ_KERNEL, "add", g, at, at + 10 * US, i + 1);
        at += 10 * US + (i < AZ_LENGTH(gap) ? gap[i] : 0);
    }
    add(t, AZ_RANGE, "work", h, 0, 100000 * US, 0);
    judge(f);
    /* 79 us of allocation are half of all but the first gap */
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_ALLOCATION);
    assert_int_equal(claim(f, 0)->count, 5);
    assert_int_equal(claim(f, 0)->largest_ns, 104 * US);
    assert_int_equal(claim(f, 1)->cause, AZ_CAUSE_HOST_RANGE);
    assert_int_equal(claim(f, 1)->count, 1);
}

/* Exposed parts add up to the account, an event that two share counting once. */
static void exposed_parts_add_up(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7), b = stream_lane(t, 1, 0, 8),
                   c = stream_lane(t, 1, 0, 9);
    add(t, AZ_KERNEL, "gemm", a, 0, 400 * US, 0);
    add(t, AZ_KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", b, 300 * US, 600 * US, 0);
    add(t, AZ_KERNEL, "ncclDevKernel_AllGather_RING_LL", c, 500 * US, 700 * US, 0);
    add_copy(t, AZ_MEMCPY, "H2D", a, 650 * US, 1000 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    judge(f);
    assert_true(found(f, "exposed_communication", "ncclDevKernel_AllReduce", "Recoverable (ns)") ==
                200 * US);
    assert_true(found(f, "exposed_communication", "ncclDevKernel_AllGather", "Recoverable (ns)") ==
                100 * US);
    assert_true(found(f, "exposed_copy", "H2D", "Recoverable (ns)") == 300 * US);
    assert_true(az_sv_find(line_of(f, 1).text,
                           AZ_SV("40.0% compute, 30.0% exposed communication, 30.0% exposed "
                                 "copies, 0.0% idle")) == 0);
}

/* All devices compute equally long, but one begins late each time: the others wait in their
 * collectives. Devices of one file may be of several ranks. */
static void last_at_the_collectives(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    for (uint32_t device = 0; device < 3; device++) {
        const uint32_t g = stream_lane(t, 1, device, 7);
        for (int i = 0; i < 5; i++) {
            const int64_t at = i * 1000 * US, late = device == 2 ? 300 * US : 0;
            add(t, AZ_KERNEL, "gemm", g, at + late, at + late + 400 * US, 0);
            add(t, AZ_KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", g, at + late + 500 * US,
                at + 900 * US, 0);
        }
    }
    judge(f);
    assert_true(az_sv_is(claim(f, 0)->rule, "device_imbalance"));
    assert_int_equal(claim(f, 0)->device, 2);
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_FIX_STRAGGLER);
    assert_int_equal(claim(f, 0)->saving_ns, 5 * 300 * US);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV("3 devices, 4.9 ms")) == 0);
}

/* Copies on the stream of the kernels take nine tenths: what there is to overlap them with is a
 * tenth. Fills have nothing to overlap with: without them their time is saved. The larger saving
 * is printed first, though the copies take longer. */
static void overlap_needs_compute(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add_copy(t, AZ_MEMCPY, "H2D", g, 0, 500 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 500 * US, 600 * US, 0);
    add_copy(t, AZ_MEMSET, "fill", g, 600 * US, 1000 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = -1, .dst = 2 });
    judge(f);
    assert_true(found(f, "exposed_copy", "H2D", "Recoverable (ns)") == 500 * US);
    assert_true(az_sv_is(line_of(f, 2).label, "40.0%"));
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("Avoid fills: clear")) > 0);
    assert_true(az_sv_is(line_of(f, 3).label, "10.0%"));
    assert_true(az_sv_find(line_of(f, 3).text,
                           AZ_SV("50.0% of the time; compute can overlap at most 10.0%. Start")) >
                0);
}

/* Next to no compute: only less copying saves time, which is said once. */
static void copies_without_compute(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add_copy(t, AZ_MEMCPY, "H2D", g, 0, 600 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 600 * US, 605 * US, 0);
    add_copy(t, AZ_MEMCPY, "D2H", g, 605 * US, 1000 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 2, .dst = 1 });
    judge(f);
    assert_true(az_sv_ends(
        line_of(f, 2).text,
        AZ_SV("; compute can overlap at most 0.3%. Copy less: keep data on the device")));
    assert_true(az_sv_is(line_of(f, 2).label, "60.0%"));
    assert_true(az_sv_find(line_of(f, 3).text, AZ_SV("Copy less")) < 0);
    assert_true(az_sv_is(line_of(f, 3).label, "39.5%"));
}

/* Compute that can overlap a twentieth of the copies is no remedy for them, though it is more than
 * a finding needs; that they are pageable is. */
static void copies_with_little_compute(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add_copy(t, AZ_MEMCPY, "H2D", g, 0, 600 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 600 * US, 650 * US, 0);
    add_copy(t, AZ_MEMCPY, "D2H", g, 650 * US, 1000 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 2, .dst = 1 });
    judge(f);
    const struct az_line l = line_of(f, 2);
    assert_true(az_sv_is(l.label, "60.0%"));
    assert_true(az_sv_ends(
        l.text, AZ_SV("; compute can overlap at most 3.2%. Copy less: keep data on the device")));
    assert_true(az_sv_is(line_of(f, 3).label, "35.0%"));
}

/* Many small lines that compute can overlap next to nothing of count together. */
static void copies_of_many_names_without_compute(void **state)
{
    static const char *const name[] = { "a", "b", "c", "d" };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < 4; i++)
        add_copy(t, AZ_MEMCPY, name[i], g, i * 80 * US, (i + 1) * 80 * US, 0,
                 (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 400 * US, 420 * US, 0);
    add(t, AZ_KERNEL, "gemm", g, 999 * US, 1000 * US, 0);
    judge(f);
    size_t whole = 0;
    for (size_t i = 0; i < az_headline_of(&f->doc)->rows; i++)
        whole += az_sv_is(line_of(f, i).label, "8.0%");
    assert_int_equal(whole, 4);
}

/* What hides a copy here is communication: all compute can overlap with it still. */
static void copies_next_to_communication(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add(t, AZ_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", stream_lane(t, 1, 0, 8), 0,
        400 * US, 0);
    add_copy(t, AZ_MEMCPY, "H2D", stream_lane(t, 1, 0, 9), 0, 700 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, 0, 7), 700 * US, 1000 * US, 0);
    judge(f);
    for (size_t i = 2; i < 4; i++)
        if (az_sv_is(line_of(f, i).rule, "exposed_copy")) {
            assert_true(az_sv_is(line_of(f, i).label, "30.0%"));
            assert_true(az_sv_find(line_of(f, i).text, AZ_SV("Start copies earlier")) > 0);
            return;
        }
    fail();
}

/* Compute of one device does not overlap with copies of another one. */
static void copies_where_another_device_computes(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 1, 7);
    add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, 0, 7), 0, 500 * US, 0);
    add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, 0, 7), 500 * US, 1000 * US, 0);
    add_copy(t, AZ_MEMCPY, "H2D", g, 0, 900 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 900 * US, 1000 * US, 0);
    judge(f);
    const struct az_line l = line_of(f, 2);
    assert_true(az_sv_is(l.label, "45.0%"));
    assert_true(az_sv_ends(
        l.text, AZ_SV("; compute can overlap at most 5.0%. Copy less: keep data on the device")));
}

/* A rate that is next to nothing of the link is not 0% of it. */
static void slow_copies(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    assert_int_equal(
        az_vec_push(&t->devices, ((struct az_device){ .name = AZ_SV("NVIDIA A100-SXM4-80GB"),
                                                      .sm_count = 108,
                                                      .memory_bytes = 85e9 })),
        0);
    add_copy(t, AZ_MEMCPY, "D2D", g, 0, 500 * US, 0,
             (struct az_copy){ .bytes = 100000, .src = 2, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 500 * US, 1000 * US, 0);
    judge(f);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV(", below 1% of the memory bandwidth")) > 0 ||
                az_sv_find(line_of(f, 3).text, AZ_SV(", below 1% of the memory bandwidth")) > 0);
}

/* Communication of nearly all of the time: what there is to overlap it with is no remedy. */
static void communication_without_compute(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add(t, AZ_KERNEL, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", g, 0, 800 * US, 0);
    add(t, AZ_KERNEL, "gemm", g, 800 * US, 900 * US, 0);
    add(t, AZ_KERNEL, "gemm", g, 990 * US, 1000 * US, 0);
    judge(f);
    const struct az_line l = line_of(f, 2);
    assert_true(az_sv_is(l.label, "80.0%"));
    assert_true(az_sv_ends(l.text, AZ_SV("; compute can overlap at most 11.0%. Reduce the message "
                                         "size or the number of collectives; analyze all ranks "
                                         "together to find a late one")));
}

/* The second launch is slow: of another kernel it loads code, of the same one it does not. */
static void slow_second_launch(struct fix *f, const char *kernel)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "add", g, 10 * US, 20 * US, 1);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 30 * US, 300 * US, 2);
    add(t, AZ_KERNEL, kernel, g, 305 * US, 315 * US, 2);
    judge(f);
    assert_int_equal(claim(f, 0)->saving_ns, 285 * US);
}

static void a_first_launch_loads(void **state)
{
    slow_second_launch(*state, "mul");
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_MODULE_LOADING);
}

static void a_second_launch_loads_nothing(void **state)
{
    slow_second_launch(*state, "add");
    assert_int_equal(claim(*state, 0)->cause, AZ_CAUSE_BLOCKING_CALL);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
}

/* The first question about a kernel loads its code. */
static void a_question_loads(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "add", g, 10 * US, 20 * US, 1);
    add(t, AZ_CALL, "cudaOccupancyMaxActiveBlocksPerMultiprocessor", h, 30 * US, 300 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 301 * US, 304 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 305 * US, 315 * US, 2);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_MODULE_LOADING);
}

/* Launches within the spacing of continuous ones, but the host waits in between. */
static void launches_across_a_wait(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "add", g, 6 * US, 26 * US, 1);
    add(t, AZ_CALL, "cudaDeviceSynchronize", h, 8 * US, 28 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 88 * US, 92 * US, 2);
    add(t, AZ_KERNEL, "add", g, 93 * US, 99 * US, 2);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_SYNCHRONIZATION);
    assert_int_equal(claim(f, 0)->saving_ns, 67 * US);
}

/* Twenty kernels of one grid, the second ten 30% longer, each after a copy. */
static bool slows_down(struct fix *f, int64_t bytes_later, int64_t last)
{
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < 20; i++) {
        const int64_t at = i * 200 * US;
        add_copy(t, AZ_MEMCPY, "H2D", g, at, at + 10 * US, 0,
                 (struct az_copy){ .bytes = i < 10 ? 1000000 : bytes_later, .src = 1, .dst = 2 });
        add(t, AZ_KERNEL, "gemm", g, at + 20 * US,
            at + 20 * US +
                (i == 19  ? last
                 : i < 10 ? 100
                          : 130) *
                    US,
            0);
    }
    judge(f);
    for (size_t i = 0; i < f->doc.claims->n_findings; i++)
        if (az_sv_is(claim(f, i)->rule, "clock_drop"))
            return true;
    return false;
}

static void equal_work_slows_down(void **state) { assert_true(slows_down(*state, 1000000, 130)); }

static void a_sweep_of_sizes_does_not(void **state)
{
    assert_false(slows_down(*state, 2000000, 130));
}

/* After a kernel pages move to the host, which reads them at its own speed; before one to the
 * device, which waits for them. */
static void migrations(struct fix *f, const char *name, int64_t from, int64_t kernel)
{
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add(t, AZ_KERNEL, "gemm", g, kernel, kernel + 100 * US, 0);
    for (int i = 0; i < 10; i++)
        add_copy(
            t, AZ_MEMCPY, name, g, from + i * 300 * US, from + i * 300 * US + 8 * US, 0,
            (struct az_copy){ .bytes = 65536, .op = -1, .src = 4, .dst = 4, .migration = true });
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_PAGE_FAULT);
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_PREFETCH_MANAGED_MEMORY);
}

static void pages_that_the_host_accesses(void **state)
{
    struct fix *f = *state;
    migrations(f, "[CUDA Unified Memory memcpy DtoH]", 100 * US, 0);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("while the host accesses managed memory")) >
                0);
}

static void pages_that_the_device_accesses(void **state)
{
    struct fix *f = *state;
    migrations(f, "[CUDA Unified Memory memcpy HtoD]", 0, 3000 * US);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("while the host accesses")) < 0);
}

/* Of one step with device work there is no distance to the next; where most marks have none the
 * steps are no evidence. */
static void steps_without_device_work(struct fix *f, int marks)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    static const char *const names[] = { "ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3" };
    for (int i = 0; i < marks; i++)
        add(t, AZ_RANGE, names[i], h, i * 1000 * US, i * 1000 * US + 900 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 10 * US, 15 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 20 * US, 500 * US, 1);
    judge(f);
}

static void one_step_has_no_period(void **state)
{
    struct fix *f = *state;
    steps_without_device_work(f, 2);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV("2 steps (ProfilerStep), 480.0 us")) > 0);
}

static void most_marks_are_empty(void **state)
{
    struct fix *f = *state;
    steps_without_device_work(f, 3);
    assert_true(az_sv_find(line_of(f, 0).text,
                           AZ_SV("3 steps (ProfilerStep), not trustworthy, 480.0 us")) > 0);
}

/* No kernel could clear the buffer instead. */
static void a_fill_alone_is_none_to_avoid(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add_copy(t, AZ_MEMSET, "fill", stream_lane(t, 1, 0, 7), 0, 100 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = -1, .dst = 2 });
    judge(f);
    assert_int_equal(f->doc.claims->n_findings, 0);
}

/* Calls are recorded, but not that of the second kernel: recording calls is no advice. */
static void one_launch_is_missing(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 10 * US, 100 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 400 * US, 500 * US, 0);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_UNKNOWN);
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_NONE);
}

/* A fill before a capture is all that runs. */
static void captures_run_nothing(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "hipLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "fill_kernel", g, 10 * US, 20 * US, 1);
    add(t, AZ_CALL, "hipStreamBeginCapture", h, 30 * US, 31 * US, 2);
    for (int i = 0; i < 9; i++)
        add(t, AZ_CALL, "hipLaunchKernel", h, (40 + i) * US, (40 + i) * US + 500, 3 + i);
    add(t, AZ_CALL, "hipStreamEndCapture", h, 60 * US, 61 * US, 20);
    judge(f);
    assert_int_equal(line_of(f, 3).kind, AZ_LINE_NOTE);
    assert_true(
        az_sv_is(line_of(f, 3).text, "graph capture: 9 of 10 launch calls captured, not run"));
}

static void nothing_stands_out(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < 50; i++)
        add(t, AZ_KERNEL, "gemm", g, i * 100 * US, i * 100 * US + 99900, 0);
    judge(f);
    assert_true(az_sv_is(line_of(f, 2).label, "Kernels"));
    assert_true(
        az_sv_is(line_of(f, 2).text, "gemm: 100.0% of kernel time, 50 calls, mean 99.9 us"));
    assert_int_equal(line_of(f, 3).kind, AZ_LINE_NOTE);
    assert_int_equal(line_of(f, 4).kind, AZ_LINE_TRUST);
}

/* A device of 100 units, and a kernel of so many blocks on it. */
static void add_blocks(struct az_trace *t, uint32_t lane, const char *name, int64_t start,
                       int64_t end, uint32_t blocks)
{
    struct az_event e = {
        .start = start, .end = end, .name = name_of(t, name), .lane = lane, .side = AZ_NO_ROW
    };
    const struct az_geometry g = { .grid = { blocks, 1, 1 }, .block = { 256, 1, 1 } };
    if (t->devices.n == 0)
        assert_int_equal(
            az_vec_push(&t->devices, ((struct az_device){ .name = AZ_SV("GPU"), .sm_count = 100 })),
            0);
    if (!az_geometry_read(t))
        az_geometry_column(t);
    assert_int_equal(az_geometries_put(&t->geometries, &g, &e.geo), 0);
    assert_int_equal(az_trace_add(t, AZ_KERNEL, &e), 0);
}

/* ns that the finding of a kernel saves; -1: none. */
static int64_t few_blocks(const struct fix *f, const char *kernel)
{
    for (size_t i = 0; i < f->doc.claims->n_findings; i++)
        if (az_sv_is(claim(f, i)->rule, "low_parallelism") &&
            az_sv_starts(claim(f, i)->subject, az_sv_str(kernel)))
            return claim(f, i)->saving_ns;
    return -1;
}

/* At most half of the units, from 60 us on. */
static void kernels_with_few_blocks(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add_blocks(t, g, "ten", 0, 200 * US, 10);
    add_blocks(t, g, "half", 200 * US, 260 * US, 50);
    add_blocks(t, g, "more", 260 * US, 360 * US, 51);
    add_blocks(t, g, "brief", 360 * US, 420 * US - 1, 1);
    add_blocks(t, g, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 420 * US, 520 * US, 4);
    judge(f);
    assert_int_equal(few_blocks(f, "ten"), 180 * US);
    assert_int_equal(few_blocks(f, "half"), 30 * US);
    assert_int_equal(few_blocks(f, "more"), -1);
    assert_int_equal(few_blocks(f, "brief"), -1);
    assert_int_equal(few_blocks(f, "nccl"), -1);
    assert_int_equal(claim(f, 0)->advice, AZ_ADVICE_MORE_BLOCKS);
    assert_true(az_sv_find(line_of(f, 2).text,
                           AZ_SV("ten, 10 blocks for 100 compute units, 200.0 us. Launch more")) >
                0);
}

/* Other kernels that run at the same time use the rest of the device. */
static void few_blocks_beside_others(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7), b = stream_lane(t, 1, 0, 8);
    add_blocks(t, b, "other", 0, 40 * US, 200);
    add_blocks(t, a, "few", 10 * US, 110 * US, 20); /* alone from 40 to 90, and from 95 */
    add_blocks(t, b, "other", 90 * US, 95 * US, 200);
    add_blocks(t, a, "few", 200 * US, 300 * US, 40);
    judge(f);
    assert_int_equal(few_blocks(f, "few"), 40 * US + 12 * US + 60 * US);
    assert_true(az_sv_find(claim(f, 0)->subject, AZ_SV("20 to 40 blocks for 100")) > 0);
}

/* Kernels of few blocks that run at the same time still leave most of the device without work. */
static void few_blocks_at_once(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7), b = stream_lane(t, 1, 0, 8);
    add_blocks(t, a, "first", 0, 200 * US, 10);
    add_blocks(t, b, "second", 100 * US, 300 * US, 30); /* 40 of 100 until 200 */
    add_blocks(t, a, "third", 250 * US, 350 * US, 30);  /* 60 until 300: more than half */
    judge(f);
    assert_int_equal(few_blocks(f, "first"), 90 * US + 60 * US);
    assert_int_equal(few_blocks(f, "second"), 35 * US);
    assert_int_equal(few_blocks(f, "third"), 35 * US);
}

/* A kernel that waits for pages would wait with more blocks, too; pages of another device, and
 * those that move at the same time, count once or not at all. */
static void few_blocks_that_wait_for_pages(void **state)
{
    static const struct {
        int device;
        int64_t from, to;
    } moves[] = { { 0, 0, 20 },    { 0, 90, 130 },  { 1, 110, 150 },
                  { 0, 120, 140 }, { 0, 125, 130 }, { 0, 290, 400 } };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7), b = stream_lane(t, 1, 1, 7);
    add_blocks(t, a, "few", 100 * US, 300 * US, 20);
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        add_copy(
            t, AZ_MEMCPY, "[CUDA Unified Memory memcpy HtoD]", moves[i].device ? b : a,
            moves[i].from * US, moves[i].to * US, 0,
            (struct az_copy){ .bytes = 65536, .op = -1, .src = 4, .dst = 4, .migration = true });
    judge(f);
    assert_int_equal(few_blocks(f, "few"), (200 - 40 - 10) * US * 8 / 10 / 2); /* of two devices */
}

/* Kernels whose short names are equal are told one by one. */
static void few_blocks_of_two_types(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7);
    add_blocks(t, a, "attend<float>(int)", 0, 200 * US, 10);
    add_blocks(t, a, "attend<double>(int)", 200 * US, 300 * US, 20);
    judge(f);
    assert_int_equal(claim(f, 0)->count, 1);
    assert_int_equal(claim(f, 0)->saving_ns, 180 * US);
    assert_int_equal(claim(f, 1)->saving_ns, 80 * US);
}

static void one_block_on_streams(struct fix *f, int64_t streams)
{
    struct az_trace *t = &f->t[0];
    for (int64_t i = 0; i < streams; i++)
        add_blocks(t, stream_lane(t, 1, 0, 7 + i), "one", 0, 100 * US, 1);
}

static void many_at_once(void **state)
{
    struct fix *f = *state;
    one_block_on_streams(f, 20);
    judge(f);
    assert_int_equal(few_blocks(f, "one"), 80 * US);
}

/* More at once than a device runs: they are taken to fill it. */
static void more_at_once_than_run(void **state)
{
    struct fix *f = *state;
    one_block_on_streams(f, 129);
    f->t[0].devices.v[0].sm_count = 1000;
    judge(f);
    assert_int_equal(few_blocks(f, "one"), -1);
}

static void blocks_of_an_unknown_device(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add_blocks(t, stream_lane(t, 1, 0, 7), "one", 0, 100 * US, 1);
    t->devices.v[0].sm_count = 0;
    judge(f);
    assert_int_equal(few_blocks(f, "one"), -1);
}

/* Where no operators are recorded the names of kernels say what multiplies in 32 bits; that kernel
 * has nearly all of the time. */
static void products_in_32_bits(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    assert_int_equal(
        az_vec_push(&t->devices, ((struct az_device){ .name = AZ_SV("NVIDIA A100-SXM4-80GB"),
                                                      .sm_count = 108,
                                                      .memory_bytes = 85e9 })),
        0);
    add(t, AZ_KERNEL, "ampere_sgemm_128x64_tn", g, 0, 400 * US, 0);
    add(t, AZ_KERNEL, "ampere_sgemm_128x64_tn", g, 400 * US, 800 * US, 0);
    add(t, AZ_KERNEL, "sgemm_of_my_own", g, 800 * US, 900 * US, 0);
    add(t, AZ_KERNEL, "ampere_bf16_s16816gemm_bf16_128x64", g, 900 * US, 1000 * US, 0);
    judge(f);
    assert_true(az_sv_is(claim(f, 0)->rule, "precision"));
    assert_int_equal(claim(f, 0)->saving_ns, 700 * US); /* 19.5 of 156 TFLOP/s */
    assert_int_equal(claim(f, 0)->count, 2);
    for (size_t i = 1; i < f->doc.claims->n_findings; i++)
        assert_false(az_sv_is(claim(f, i)->rule, "precision"));
    assert_true(az_sv_is(line_of(f, 2).rule, "precision")); /* which names the kernel */
}

/* Steps that begin on the device so far apart, each with one kernel of 10 us. */
static void steps_apart(struct fix *f, const int64_t *apart, int n)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "ProfilerStep#%d", i);
        add(t, AZ_RANGE, name, h, at, at + apart[i] - US, 0);
        add(t, AZ_CALL, "cudaLaunchKernel", h, at + US, at + 2 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "gemm", g, at + 3 * US, at + 13 * US, (uint64_t)i + 1);
        at += apart[i];
    }
    judge(f);
}

static int64_t jitter(const struct fix *f)
{
    for (size_t i = 0; i < f->doc.claims->n_findings; i++)
        if (az_sv_is(claim(f, i)->rule, "step_jitter"))
            return claim(f, i)->saving_ns;
    return -1;
}

/* The last step has no next one: its time is unknown. */
static void the_last_step_is_not_uneven(void **state)
{
    static const int64_t apart[] = { 1000 * US, 1000 * US, 1000 * US, 1000 * US, 100 * US };
    steps_apart(*state, apart, AZ_LENGTH(apart));
    assert_int_equal(jitter(*state), -1);
}

static void steps_are_uneven(void **state)
{
    static const int64_t apart[] = { 1000 * US, 1500 * US, 1000 * US,
                                     1500 * US, 1500 * US, 1000 * US };
    steps_apart(*state, apart, AZ_LENGTH(apart));
    assert_int_equal(jitter(*state), 6 * 500 * US);
}

/* The screen names what makes the steps uneven, not that they are; the list is by saving all the
 * same. */
static void idle_time_makes_steps_uneven(void **state)
{
    static const int64_t apart[] = { 1000 * US, 2000 * US, 1000 * US,
                                     2000 * US, 2000 * US, 1000 * US };
    static const char *const work[] = { "a", "b", "c", "d", "e" };
    struct fix *f = *state;
    int64_t at = 0;
    for (size_t i = 0; i < AZ_LENGTH(work); at += apart[i++])
        add(&f->t[0], AZ_RANGE, work[i], host_lane(&f->t[0], 1, 1), at + 14 * US,
            at + apart[i] - 2 * US, 0);
    steps_apart(f, apart, AZ_LENGTH(apart));
    assert_true(az_sv_is(claim(f, 0)->rule, "step_jitter"));
    assert_int_equal(claim(f, 0)->saving_ns, 6 * 1000 * US);
    assert_int_equal(claim(f, 0)->part_of, 1);
    assert_true(az_sv_is(claim(f, 1)->rule, "idle"));
    assert_int_equal(claim(f, 1)->part_of, -1);
    assert_true(az_sv_find(line_of(f, 2).text, AZ_SV("GPU idle during a host range")) > 0);
}

/* Two of six steps take most of the time: the median says little. */
static void mean_of_unlike_steps(void **state)
{
    static const int64_t apart[] = { 1000 * US, 1000 * US, 9000 * US,
                                     1000 * US, 9000 * US, 1000 * US };
    struct fix *f = *state;
    steps_apart(f, apart, AZ_LENGTH(apart));
    assert_true(az_sv_find(line_of(f, 0).text,
                           AZ_SV("6 steps, median 1.0 ms, mean 3.5 ms (ProfilerStep)")) > 0);
}

/* Copies of sizes that differ have no typical one. */
static void sizes_of_copies(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    static const int64_t bytes[] = { 1000000, 4096, 2000001 };
    for (int i = 0; i < 3; i++)
        add_copy(t, AZ_MEMCPY, "H2D", g, i * 100 * US, i * 100 * US + 90 * US, 0,
                 (struct az_copy){ .bytes = bytes[i], .src = 1, .dst = 2 });
    add_copy(t, AZ_MEMCPY, "D2H", g, 400 * US, 490 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 2, .dst = 1 });
    add_copy(t, AZ_MEMCPY, "D2H", g, 500 * US, 590 * US, 0,
             (struct az_copy){ .bytes = 2000000, .src = 2, .dst = 1 });
    add(t, AZ_KERNEL, "gemm", g, 600 * US, 1000 * US, 0);
    judge(f);
    assert_true(az_sv_find(claim(f, 0)->subject, AZ_SV("H2D of 4.1 kB to 2.0 MB at 11.1 GB/s")) ==
                0);
    assert_true(az_sv_find(claim(f, 1)->subject, AZ_SV("D2H of 1.5 MB at 16.7 GB/s")) == 0);
}

/* Copies without a recorded size have a line of their own: the sizes, the rate and the calls of a
 * line are of the same copies. */
static void copies_of_unknown_size(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    static const int64_t bytes[] = { 1000000, 0, 1000000, -1 };
    for (int i = 0; i < 4; i++)
        add_copy(t, AZ_MEMCPY, "H2D", g, i * 100 * US, i * 100 * US + (i % 2 ? 95 : 80) * US, 0,
                 (struct az_copy){ .bytes = bytes[i], .src = 1, .dst = 2 });
    add_copy(t, AZ_MEMCPY, "D2H", g, 400 * US, 490 * US, 0,
             (struct az_copy){ .bytes = 0, .src = 2, .dst = 1 });
    add(t, AZ_KERNEL, "gemm", g, 500 * US, 1000 * US, 0);
    judge(f);
    assert_true(az_sv_is(claim(f, 0)->subject, "H2D of unknown size"));
    assert_int_equal(claim(f, 0)->count, 2);
    assert_int_equal(claim(f, 0)->saving_ns, 190 * US);
    assert_true(az_sv_find(claim(f, 1)->subject, AZ_SV("H2D of 1.0 MB at 12.5 GB/s")) == 0);
    assert_int_equal(claim(f, 1)->count, 2);
    assert_int_equal(claim(f, 1)->largest_ns, 80 * US);
    assert_true(az_sv_is(claim(f, 2)->subject, "D2H"));
}

/* Two copies, of which the second takes `last`. */
static struct az_sv copy_line(struct fix *f, int kind, int64_t last)
{
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    add_copy(t, AZ_MEMCPY, "H2D", g, 0, 10 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = (int16_t)kind, .dst = 2 });
    add_copy(t, AZ_MEMCPY, "H2D", g, 20 * US, 20 * US + last, 0,
             (struct az_copy){ .bytes = 1000000, .src = (int16_t)kind, .dst = 2 });
    add(t, AZ_KERNEL, "gemm", g, 20 * US + last, 1000 * US, 0);
    judge(f);
    for (size_t i = 0; i < az_headline_of(&f->doc)->rows; i++)
        if (az_sv_is(line_of(f, i).rule, "exposed_copy"))
            return line_of(f, i).text;
    return AZ_SV("");
}

static void calls_of_unlike_lengths(void **state)
{
    assert_true(az_sv_find(copy_line(*state, 1, 100 * US),
                           AZ_SV("2 calls of 10.0 us to 100.0 us, mean 55.0 us")) > 0);
}

static void calls_of_like_lengths(void **state)
{
    assert_true(az_sv_find(copy_line(*state, 1, 99 * US), AZ_SV("2 calls, mean 54.5 us")) > 0);
}

/* What faster copies save is not known without the rate of the link; what overlap saves is. */
static void copies_over_an_unknown_link(void **state)
{
    assert_true(az_sv_find(copy_line(*state, 0, 50 * US), AZ_SV("link rate unknown")) > 0);
}

static void migrations_over_an_unknown_link(void **state)
{
    assert_true(az_sv_find(copy_line(*state, 4, 50 * US), AZ_SV("link rate unknown")) > 0);
}

static void pinned_copies_over_an_unknown_link(void **state)
{
    assert_true(az_sv_find(copy_line(*state, 1, 50 * US), AZ_SV("link rate unknown")) < 0);
}

/* The operator that waits is over when the gap begins. */
static void the_operator_that_waits(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    add(t, AZ_HOST_OP, "item", h, 8 * US, 103 * US, 0);
    add(t, AZ_CALL, "cudaStreamSynchronize", h, 10 * US, 102 * US, 0);
    add(t, AZ_HOST_OP, "next", h, 104 * US, 160 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 150 * US, 155 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 156 * US, 200 * US, 2);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_SYNCHRONIZATION);
    assert_true(az_sv_is(claim(f, 0)->operation, "item"));
}

/* An operator that ends where the wait begins does not wait. */
static void an_operator_before_the_wait(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_HOST_OP, "add", h, 0, 10 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 1 * US, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    add(t, AZ_CALL, "cudaStreamSynchronize", h, 10 * US, 102 * US, 0);
    add(t, AZ_HOST_OP, "next", h, 104 * US, 160 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 150 * US, 155 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 156 * US, 200 * US, 2);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_SYNCHRONIZATION);
    assert_true(az_sv_is(claim(f, 0)->operation, ""));
}

/* A frame that launches before and after short gaps is their overhead; work between launches is to
 * be moved. */
static void gaps_in(struct fix *f, const char *range, int n, int64_t from, int64_t to,
                    int64_t spacing)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < n; i++) {
        const int64_t at = 100 * US + i * spacing;
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "add", g, at + 6 * US, at + 16 * US, (uint64_t)i + 1);
        if (to > 0)
            add(t, AZ_RANGE, range, h, at + from, at + to, 0);
    }
    if (to == 0)
        add(t, AZ_RANGE, range, h, 0, 100 * US + n * spacing, 0);
    judge(f);
    assert_int_equal(claim(f, 0)->cause, AZ_CAUSE_HOST_RANGE);
}

static void gaps_in_a_range(struct fix *f, int64_t from, int64_t to, int64_t spacing)
{
    gaps_in(f, "work", 4, from, to, spacing);
}

static void a_range_around_launches(void **state)
{
    gaps_in_a_range(*state, 0, 0, 400 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
}

static void a_range_around_long_gaps(void **state)
{
    gaps_in_a_range(*state, 0, 0, 4000 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}

/* Work between launches in the code of a model: short gaps are overhead of launches. */
static void short_gaps_of_a_model(void **state)
{
    gaps_in(*state, "forward", 4, 20 * US, 390 * US, 400 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
}
static void long_gaps_of_a_model(void **state)
{
    gaps_in(*state, "forward", 4, 20 * US, 19990 * US, 20000 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}
static void a_long_gap_of_a_model(void **state)
{
    gaps_in(*state, "forward", 2, 20 * US, 19990 * US, 20000 * US);
    assert_int_equal(claim(*state, 0)->count, 1);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}

/* A framework opens a range in every step. */
static void gaps_of_a_framework(void **state)
{
    gaps_in(*state, "Optimizer.step#Adam.step", 4, 20 * US, 1990 * US, 2000 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
}
/* So does an operator, whose arguments in the name differ from call to call. */
static void gaps_of_an_operator(void **state)
{
    gaps_in(*state, ":aten::mm, seq = 7, op_id = 12, sizes = [[8, 8]]", 4, 20 * US, 1990 * US,
            2000 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_REDUCE_LAUNCH_OVERHEAD);
    assert_true(az_sv_is(claim(*state, 0)->range, "aten::mm"));
}
static void a_long_gap_of_a_framework(void **state)
{
    gaps_in(*state, "Optimizer.step#Adam.step", 2, 20 * US, 19990 * US, 20000 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}

/* Calls of one operator are one finding, whatever their arguments are. */
static void ranges_of_operators(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    static const char *const range[] = { ":aten::mm, op_id = 1, sizes = [[8]]",
                                         ":aten::mm, op_id = 2, sizes = [[9]]",
                                         ":aten::cat, op_id = 3, sizes = [[9]]",
                                         ":aten::mm, seq = 7, op_id = 4, sizes = [[8]]" };
    for (int i = 0; i < 5; i++) {
        const int64_t at = i * 1000 * US;
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "add", g, at + 6 * US, at + 106 * US, (uint64_t)i + 1);
        if (i < 4)
            add(t, AZ_RANGE, range[i], h, at + 200 * US, at + 990 * US, 0);
    }
    judge(f);
    assert_true(az_sv_is(claim(f, 0)->range, "aten::mm"));
    assert_int_equal(claim(f, 0)->count, 3);
    assert_true(az_sv_is(claim(f, 1)->range, "aten::cat"));
    assert_int_equal(claim(f, 1)->count, 1);
}

/* The blocks of a model, by the name that the program gave the range around them. */
static void repeats_have_the_name_of_their_range(void **state)
{
    static const char *const names[] = { "qkv", "softmax", "proj", "norm", "up", "down" };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    int64_t at = 1000;
    for (uint64_t i = 0; i < 8 * AZ_LENGTH(names); i++, at += 20) {
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 2, i + 1);
        add(t, AZ_KERNEL, names[i % AZ_LENGTH(names)], g, at + 5, at + 15, i + 1);
    }
    add_range(t, ":Transformer.forward", h, 990, at, 1, 0, false);
    judge(f);
    bool said = false;
    const size_t n = az_headline_of(&f->doc)->rows;
    for (size_t i = 0; i < n; i++)
        said |=
            az_sv_find(line_of(f, i).text, AZ_SV("inside Transformer.forward (not steps)")) >= 0;
    assert_true(said);
}

/* Ranges that differ in a counter are one line; each is a finding. */
static void ranges_of_layers(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    static const char *const range[] = { "load_layer_0", "load_layer_1", "load_layer_2", "save" };
    for (int i = 0; i < 5; i++) {
        const int64_t at = i * 1000 * US;
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "add", g, at + 6 * US, at + 106 * US, (uint64_t)i + 1);
        if (i < 4)
            add(t, AZ_RANGE, range[i], h, at + 200 * US, at + (i ? 950 : 990) * US, 0);
    }
    judge(f);
    assert_int_equal(claim(f, 1)->count, 1);
    assert_true(
        az_sv_find(line_of(f, 2).text, AZ_SV("3 gaps, largest 900.0 us, in load_layer_*. ")) > 0);
    assert_true(az_sv_find(line_of(f, 3).text, AZ_SV("1 gap of 900.0 us, in save")) > 0);
}

static void a_range_between_launches(void **state)
{
    gaps_in_a_range(*state, 20 * US, 390 * US, 400 * US);
    assert_int_equal(claim(*state, 0)->advice, AZ_ADVICE_MOVE_HOST_WORK);
}

/* Gaps of one cause: nine tenths of the time are in two of 20 ms. */
static void a_line_of_unlike_gaps(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    static const int64_t gap[] = { 20000, 300, 20000, 300, 0 };
    int64_t at = 0;
    for (int i = 0; i < 5; i++) {
        add(t, AZ_CALL, "cudaLaunchKernel", h, at, at + 5 * US, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "add", g, at + 6 * US, at + 16 * US, (uint64_t)i + 1);
        at += 10 * US + gap[i] * US;
    }
    judge(f);
    assert_true(az_sv_find(line_of(f, 2).text,
                           AZ_SV("2 gaps, median 20.0 ms, and 2 shorter. Record stacks")) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gaps_have_causes, setup, teardown),
        cmocka_unit_test_setup_teardown(short_waits_apart_are_no_cause, setup, teardown),
        cmocka_unit_test_setup_teardown(short_waits_in_a_row_are, setup, teardown),
        cmocka_unit_test_setup_teardown(first_use_is_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_on_each_device, setup, teardown),
        cmocka_unit_test_setup_teardown(first_use_in_more_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(later_use_is_not, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_fills_a_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_in_a_range, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_in_forward, setup, teardown),
        cmocka_unit_test_setup_teardown(other_threads_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_fills_less_than_half, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_in_a_range, setup, teardown),
        cmocka_unit_test_setup_teardown(waiting_for_a_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(sleeping_fills_a_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(close_launches_are_launch_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(far_launches_are_not, setup, teardown),
        cmocka_unit_test_setup_teardown(queued_kernels_wait_for_the_device, setup, teardown),
        cmocka_unit_test_setup_teardown(queued_kernels_wait_for_others, setup, teardown),
        cmocka_unit_test_setup_teardown(queued_kernels_wait_for_a_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wait_for_what_is_queued_is_no_cause, setup, teardown),
        cmocka_unit_test_setup_teardown(unlike_gaps_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(exposed_parts_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(last_at_the_collectives, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_without_compute, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_with_little_compute, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_of_many_names_without_compute, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_next_to_communication, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_where_another_device_computes, setup, teardown),
        cmocka_unit_test_setup_teardown(slow_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(communication_without_compute, setup, teardown),
        cmocka_unit_test_setup_teardown(a_first_launch_loads, setup, teardown),
        cmocka_unit_test_setup_teardown(a_second_launch_loads_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_question_loads, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_across_a_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_work_slows_down, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sweep_of_sizes_does_not, setup, teardown),
        cmocka_unit_test_setup_teardown(overlap_needs_compute, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_that_the_host_accesses, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_that_the_device_accesses, setup, teardown),
        cmocka_unit_test_setup_teardown(one_step_has_no_period, setup, teardown),
        cmocka_unit_test_setup_teardown(most_marks_are_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fill_alone_is_none_to_avoid, setup, teardown),
        cmocka_unit_test_setup_teardown(one_launch_is_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(captures_run_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_with_few_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(few_blocks_beside_others, setup, teardown),
        cmocka_unit_test_setup_teardown(few_blocks_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(few_blocks_that_wait_for_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(few_blocks_of_two_types, setup, teardown),
        cmocka_unit_test_setup_teardown(many_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(more_at_once_than_run, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_of_an_unknown_device, setup, teardown),
        cmocka_unit_test_setup_teardown(products_in_32_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_step_is_not_uneven, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_are_uneven, setup, teardown),
        cmocka_unit_test_setup_teardown(idle_time_makes_steps_uneven, setup, teardown),
        cmocka_unit_test_setup_teardown(mean_of_unlike_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_of_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_of_unknown_size, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_of_unlike_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_of_like_lengths, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_over_an_unknown_link, setup, teardown),
        cmocka_unit_test_setup_teardown(migrations_over_an_unknown_link, setup, teardown),
        cmocka_unit_test_setup_teardown(pinned_copies_over_an_unknown_link, setup, teardown),
        cmocka_unit_test_setup_teardown(the_operator_that_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(an_operator_before_the_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_around_launches, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_around_long_gaps, setup, teardown),
        cmocka_unit_test_setup_teardown(a_range_between_launches, setup, teardown),
        cmocka_unit_test_setup_teardown(short_gaps_of_a_model, setup, teardown),
        cmocka_unit_test_setup_teardown(long_gaps_of_a_model, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_gap_of_a_model, setup, teardown),
        cmocka_unit_test_setup_teardown(gaps_of_a_framework, setup, teardown),
        cmocka_unit_test_setup_teardown(gaps_of_an_operator, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_gap_of_a_framework, setup, teardown),
        cmocka_unit_test_setup_teardown(repeats_have_the_name_of_their_range, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_of_layers, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_of_operators, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_of_unlike_gaps, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_stands_out, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
