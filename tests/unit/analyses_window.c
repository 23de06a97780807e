/* What facts make of a window: work next to it makes the device busy, time between its parts counts
 * nowhere, steps are whole, and each process has its own. */
#include "facts_job.h"

#include "analyses/timeline/utilization.h"
#include "facts/account.h"
#include "facts/idle.h"
#include "facts/regions.h"
#include "facts/steps.h"
#include "model/window.h"

static struct az_window window;

static void choose(struct fix *f, const char *range, const char *steps, const char *from,
                   const char *to)
{
    bool any;
    f->opts.range = az_sv_str(range);
    f->opts.steps = az_sv_str(steps);
    f->opts.from = az_sv_str(from);
    f->opts.to = az_sv_str(to);
    assert_int_equal(az_window_read(&f->opts, &window, &any, &f->diag), 0);
    assert_true(any);
    f->t[0].window = &window;
}

/* A call of a thread with its kernel. */
static void launched(struct az_trace *t, uint64_t pid, uint64_t tid, const char *name, int64_t at,
                     uint64_t stream, int64_t start, int64_t end)
{
    const uint64_t corr = t->ev[AZ_CALL].n + 1;
    add(t, AZ_CALL, "cudaLaunchKernel", host_lane(t, pid, tid), at, at + 10, corr);
    add(t, AZ_KERNEL, name, stream_lane(t, pid, 0, stream), start, end, corr);
}

static void range(struct az_trace *t, uint64_t pid, uint64_t tid, const char *name, int64_t start,
                  int64_t end)
{
    add_range(t, name, host_lane(t, pid, tid), start, end, t->ranges.n, 0, false);
}

static int add_gap(void *ctx, const struct az_idle_gap *gap)
{
    *(int64_t *)ctx += gap->end - gap->start;
    return 0;
}

/* Of the only device. */
static int copy_use(void *ctx, const struct az_device_use *u)
{
    *(struct az_device_use *)ctx = *u;
    return 0;
}

/* step 1: a kernel [2000, 2100), communication [2200, 2400), a kernel [2500, 2600). Launched
 * before: computation [1900, 2050) and [2250, 2450) on another stream, communication [2550, 2700)
 * on a third, and [100, 200). Busy from 2000 on: 2000 to 2100, 2200 to 2450, 2500 to 2600. */
static void next_to(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    range(t, 1, 1, "step 0", 0, 1000);
    range(t, 1, 1, "step 1", 1000, 1900);
    launched(t, 1, 1, "gemm", 10, 8, 1900, 2050);
    launched(t, 1, 1, "gemm", 20, 8, 2250, 2450);
    launched(t, 1, 1, "ncclDevKernel_Broadcast", 30, 9, 2550, 2700);
    launched(t, 1, 1, "gemm", 40, 8, 100, 200);
    launched(t, 1, 1, "relu", 1010, 7, 2000, 2100);
    launched(t, 1, 1, "ncclDevKernel_AllReduce_Sum_f32", 1020, 7, 2200, 2400);
    launched(t, 1, 1, "relu", 1030, 7, 2500, 2600);
    choose(f, "", "1", "", "");
    make_job(f, 1);
    assert_int_equal(t->ev[AZ_KERNEL].n, 3);
    assert_int_equal(t->window_others.n, 3);
    assert_int_equal(t->window_others.v[0].start, 2000);
    assert_int_equal(t->window_others.v[2].end, 2600);
    const struct az_accounts *a = az_job_accounts(&f->job, 0, AZ_ALL_WORK, &rc);
    assert_non_null(a);
    const struct az_account *all = &a->scoped[0].a;
    assert_int_equal(all->total, 600);
    assert_int_equal(all->idle, 150);
    assert_int_equal(all->compute, 100 + 200 + 100);
    assert_int_equal(all->exposed_comm, 50);
    assert_int_equal(a->all.events, 3);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_int_equal(r->n, 1);
    assert_int_equal(r->v[0].all.device, 400);
    assert_int_equal(r->v[0].idle, 150);
    assert_int_equal(r->v[0].all.exposed_comm, 50);
    int64_t gaps = 0;
    assert_int_equal(az_idle_gaps(&f->job, 0, add_gap, &gaps), 0);
    assert_int_equal(gaps, 150);
    struct az_device_use use = { 0 };
    assert_int_equal(az_utilization_each(&f->job, 0, copy_use, &use), 0);
    assert_int_equal(use.busy, 450);
}

/* Two parts with work [100, 300) and [10100, 10300), of which 100 is idle in each. */
static void between(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    range(t, 1, 1, "all", 0, 20000);
    for (int i = 0; i < 2; i++) {
        const int64_t at = i * 10000;
        range(t, 1, 1, "part", at, at + 90);
        launched(t, 1, 1, "gemm", at, 7, at + 100, at + 150);
        launched(t, 1, 1, "gemm", at + 20, 7, at + 250, at + 300);
    }
    choose(f, "part", "", "", "");
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_int_equal(r->n, 2);
    assert_int_equal(r->v[0].idle, 200); /* of `all`, without the time between */
    assert_int_equal(r->v[1].idle, 200);
    struct az_device_use use = { 0 };
    assert_int_equal(az_utilization_each(&f->job, 0, copy_use, &use), 0);
    assert_int_equal(use.length, 400);
    assert_int_equal(use.busy, 200);
}

/* Another thread marks its own loop at the same time, less often, and first. */
static void busiest_thread(void **state)
{
    static const char *const name[] = { "step 0", "step 1", "step 2", "step 3" };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    range(t, 1, 9, "step 0", 0, 1500);
    range(t, 1, 9, "step 1", 1500, 4000);
    for (int i = 0; i < 4; i++) {
        range(t, 1, 1, name[i], 5 + i * 1000, 1005 + i * 1000);
        launched(t, 1, 1, name[i], 50 + i * 1000, 7, 100 + i * 1000, 200 + i * 1000);
    }
    choose(f, "", "1", "", "");
    make_job(f, 1);
    assert_int_equal(t->recorded_window.v[0].start, 1005);
    assert_int_equal(t->ev[AZ_KERNEL].n, 1);
    assert_int_equal(t->ev[AZ_KERNEL].start[0], 1100);
}

/* Process 2 is half a step late: its step 1 is not that of process 1. A third has no marks. */
static void own_process(void **state)
{
    static const char *const name[] = { "step 0", "step 1", "step 2" };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    for (int i = 0; i < 3; i++)
        for (uint64_t pid = 1; pid <= 2; pid++) {
            const int64_t at = i * 1000 + (pid == 2) * 500;
            range(t, pid, 1, name[i], at, at + 1000);
            launched(t, pid, 1, name[i], at + 10, 7, at + 100, at + 200);
            launched(t, pid, 1, name[i], at + 900, 7, at + 910, at + 950);
        }
    launched(t, 3, 1, "other", 2200, 7, 2200, 2300);
    choose(f, "", "1", "", "");
    make_job(f, 1);
    assert_int_equal(t->ev[AZ_KERNEL].n, 5);
    for (size_t i = 0; i < 4; i++)
        assert_true(
            az_sv_is(az_trace_text(t, t->ev[AZ_KERNEL].name[i]), i == 3 ? "other" : "step 1"));
    assert_int_equal(t->window_process.n, 2);
}

/* From the middle of step 0 to the middle of step 3: two whole steps. */
static void whole_steps(void **state)
{
    static const char *const name[] = { "step 0", "step 1", "step 2", "step 3" };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    for (int i = 0; i < 4; i++) {
        range(t, 1, 1, name[i], i * 1000, 1000 + i * 1000);
        launched(t, 1, 1, "gemm", 400 + i * 1000, 7, 700 + i * 1000, 800 + i * 1000);
    }
    choose(f, "", "", "300ns", "3500ns");
    make_job(f, 1);
    const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
    assert_int_equal(s->n, 2);
    assert_int_equal(s->v[0].number, 1);
    assert_int_equal(s->cut, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(next_to, setup, teardown),
        cmocka_unit_test_setup_teardown(between, setup, teardown),
        cmocka_unit_test_setup_teardown(busiest_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(own_process, setup, teardown),
        cmocka_unit_test_setup_teardown(whole_steps, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
