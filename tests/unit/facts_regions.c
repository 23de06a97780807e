/* Regions: names, nesting, ranges that cross, idle time and exposed communication inside. */
#include <stdio.h>

#include "facts_job.h"

#include "classify/steps.h"
#include "facts/regions.h"

static void folds(void **state)
{
    static const char *const name[][2] = {
        { "layer.12", "layer.*" },
        { "iter 7", "iter *" },
        { "step[3]", "step[*]" },
        { "ProfilerStep#12", "ProfilerStep#*" },
        { "h.3.attn", "h.*.attn" },
        { "layer12", "layer*" },
        { "conv2d", "conv2d" },
        { "bf16_cast", "bf16_cast" },
        { "resnet50", "resnet50" },
        { "player12", "player12" },
        { "3d conv", "3d conv" },
        { "Microbatch4 of 8", "Microbatch* of *" },
        { "execute_1(512)", "execute_*(*)" },
        { "", "" },
    };
    char to[64];
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(name); i++) {
        const size_t n = az_region_fold(az_sv_str(name[i][0]), AZ_REGION_NVTX, to);
        assert_true(az_sv_is(az_sv_make(to, n), name[i][1]));
    }
    /* a serving engine writes sizes of the batch into every name */
    const size_t n = az_region_fold(AZ_SV("step[DECODE bs8 tok16 1k]"), AZ_REGION_ENGINE, to);
    assert_true(az_sv_is(az_sv_make(to, n), "step[DECODE bs* tok* *k]"));
}

/* Without the mark of the default domain and the arguments that emit_nvtx writes into names. */
static void given_names(void **state)
{
    static const char *const name[][2] = {
        { ":forward", "forward" },
        { "::x", "::x" },
        { ":", ":" },
        { ":aten::mm, op_id = 12, sizes = [[8, 8], [8, 8]], input_op_ids = [(1,0)]", "aten::mm" },
        { "aten::mm, seq = 7, op_id = 12", "aten::mm" },
        { "aten::mm, seq = 7, sizes = [[8, 8]]", "aten::mm" },
        { "autograd::engine::evaluate_function: MmBackward0, op_id = 3",
          "autograd::engine::evaluate_function: MmBackward0" },
        { "train, seq = 512", "train, seq = 512" },
        { "aten::cudnn_convolution, seq = 0", "aten::cudnn_convolution" },
        { ", op_id = 1", ", op_id = 1" },
        { "x, op_id = 1, seq = 2", "x" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(name); i++)
        assert_true(az_sv_is(az_range_plain_name(az_sv_str(name[i][0])), name[i][1]));
}

static void range(struct az_trace *t, const char *name, int64_t start, int64_t end)
{
    add_range(t, name, host_lane(t, 1, 1), start, end, t->ranges.n, 0, false);
}

/* A call of 10 ticks with its kernel, each on a stream of its own. */
static void launched(struct az_trace *t, const char *name, int64_t at, int64_t start, int64_t end,
                     uint64_t corr)
{
    add(t, AZ_CALL, "cudaLaunchKernel", host_lane(t, 1, 1), at, at + 10, corr);
    add(t, AZ_KERNEL, name, stream_lane(t, 1, 0, corr), start, end, corr);
}

static uint32_t find(struct fix *f, const struct az_regions *r, const char *path)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (az_sv_is(az_region_path(&f->job, r, i), path))
            return i;
    fail_msg("no region %s", path);
    return 0;
}

/* outer [0, 1000) with step 1 and step 2 in it; cross [900, 1200) is in none. Launches at 100, 400,
 * 950; 1300 is outside. */
static void launches(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    range(t, "outer", 0, 1000);
    range(t, "part 1", 50, 300);
    range(t, "part 2", 300, 600);
    range(t, "cross", 900, 9200);
    launched(t, "gemm", 100, 2000, 2100, 1);
    launched(t, "ncclDevKernel_AllReduce_Sum_f32", 400, 2150, 2450, 2);
    launched(t, "gemm", 950, 2400, 2500, 3);
    launched(t, "gemm", 9300, 9400, 9500, 4);
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_non_null(r);
    assert_int_equal(r->n, 3);
    const struct az_region *outer = &r->v[find(f, r, "outer")],
                           *part = &r->v[find(f, r, "outer / part *")],
                           *cross = &r->v[find(f, r, "cross")];
    assert_int_equal(part->instances, 2);
    assert_int_equal(part->own.device, 400);
    assert_int_equal(part->host, 550);
    assert_int_equal(part->idle, 0);
    assert_int_equal(outer->all.device, 400);
    assert_int_equal(outer->own.device, 0);
    assert_int_equal(outer->all.launches, 2);
    assert_int_equal(outer->host_own, 450);
    assert_int_equal(outer->idle, 50);
    assert_int_equal(outer->all.exposed_comm, 250);
    assert_int_equal(cross->own.device, 100);
    assert_int_equal(r->outside.device, 100);
    assert_int_equal(r->total.device, 600);
    assert_int_equal(r->of[AZ_KERNEL][3], AZ_NO_ID);
}

static void deep(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    for (int i = 0; i < 100; i++)
        range(t, "in", i, 1000 - i);
    launched(t, "gemm", 500, 2000, 2100, 1);
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_non_null(r);
    assert_int_equal(r->n, 64);
    assert_int_equal(r->merged, 36);
    assert_int_equal(r->v[63].own.device, 100);
    assert_int_equal(r->v[0].all.device, 100);
}

/* Steps are marked on one thread; another one launches, which has no ranges, and a third in its
 * own. Another process launches at the same time. */
static void other_threads(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    range(t, "step 0", 0, 100);
    range(t, "step 1", 100, 200);
    add_range(t, "loader", host_lane(t, 1, 3), 0, 200, 9, 0, false);
    launched(t, "gemm", 10, 1000, 1100, 1);
    for (uint64_t i = 2; i < 6; i++) {
        const uint64_t pid = i == 5 ? 2 : 1, tid = i == 4 ? 3 : 2;
        add(t, AZ_CALL, "cudaLaunchKernel", host_lane(t, pid, tid), i == 3 ? 210 : 150, 220, i);
        add(t, AZ_KERNEL, "gemm", stream_lane(t, pid, 0, i), 1000, 1010, i);
    }
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_non_null(r);
    assert_int_equal(r->v[find(f, r, "step *")].own.device, 110);
    assert_int_equal(r->v[find(f, r, "loader")].own.device, 10);
    assert_int_equal(r->outside.device, 20);
}

/* Picoseconds of many regions, each rounded by itself, would be some ns less in all. */
static void picoseconds(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    int64_t own = 0, inside[64] = { 0 };
    t->ticks_per_ns = 1000;
    for (int64_t i = 0; i < 60; i++) { /* three in each: a, b, then outer itself */
        const int64_t at = i * 10000000;
        char name[3][8];
        for (int k = 0; k < 3; k++)
            snprintf(name[k], sizeof name[k], "%c%c", 'a' + (int)i / 3, "xab"[k]);
        if (i % 3 == 0)
            range(t, name[0], at, at + 30000000 - 1);
        if (i % 3 < 2)
            range(t, name[1 + i % 3], at + 1000000, at + 2000000);
        launched(t, "gemm", at + 1500000, at + 5000000, at + 5001400 + i % 2, (uint64_t)i + 1);
    }
    launched(t, "gemm", 700000000, 700001000, 700002490, 100);
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_non_null(r);
    assert_int_equal(r->n, 60);
    for (uint32_t i = 0; i < r->n; i++) {
        const struct az_region *x = &r->v[i];
        own += x->ns.own;
        assert_true(labs(x->ns.own * 1000 - x->own.device) < 1000);
        assert_true(labs(x->ns.device * 1000 - x->all.device) < 1000);
        inside[i] += x->ns.own;
        if (x->parent != AZ_NO_ID)
            inside[x->parent] += x->ns.device;
    }
    for (uint32_t i = 0; i < r->n; i++)
        assert_int_equal(r->v[i].ns.device, inside[i]);
    assert_int_equal(r->total.device, 60 * 1400 + 30 + 1490);
    assert_int_equal(own + az_ns(t, r->outside.device), az_ns(t, r->total.device));
}

static void none(void **state)
{
    struct fix *f = *state;
    int rc;
    launched(&f->t[0], "gemm", 500, 2000, 2100, 1);
    make_job(f, 1);
    const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
    assert_non_null(r);
    assert_int_equal(r->n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds),
        cmocka_unit_test(given_names),
        cmocka_unit_test_setup_teardown(launches, setup, teardown),
        cmocka_unit_test_setup_teardown(other_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(deep, setup, teardown),
        cmocka_unit_test_setup_teardown(picoseconds, setup, teardown),
        cmocka_unit_test_setup_teardown(none, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
