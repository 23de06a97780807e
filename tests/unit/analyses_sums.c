/* Sums by name, projection tables, launch and queue times. */
#include "unit/analyses_job.h"

#include <math.h>

#include "document/flame.h"

static void kernel_figures_and_order(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    uint32_t g = stream_lane(t, 1, 0, 7);
    static const int64_t d[] = { 10, 40, 20, 30 };
    for (size_t i = 0; i < 4; i++)
        add(t, AZ_KERNEL, "four", g, (int64_t)i * 100, (int64_t)i * 100 + d[i], 0);
    add(t, AZ_KERNEL, "tie_b", g, 1000, 1100,
        0); /* total 100 too, one instance: in front of four */
    add(t, AZ_KERNEL, "tie_a", g, 2000, 2100, 0);
    add(t, AZ_KERNEL, "nothing", g, 3000, 3000, 0);
    t->caps = AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE;
    make_job(f, 1);
    assert_int_equal(run_table(&f->job, "kern_sum"), 0);
    const struct az_table *k = az_document_table(&f->doc, "kern_sum");
    assert_int_equal(k->rows, 4);
    is_text(k, 0, "Name", "tie_a");
    is_text(k, 1, "Name", "tie_b");
    is_text(k, 2, "Name", "four");
    is_text(k, 3, "Name", "nothing");
    assert_true(number(f, "kern_sum", 2, "Avg (ns)") == 25.0);
    assert_true(number(f, "kern_sum", 2, "Med (ns)") == 25.0);
    assert_int_equal(cell(k, 2, "Min (ns)")->i, 10);
    assert_int_equal(cell(k, 2, "Max (ns)")->i, 40);
    assert_true(fabs(number(f, "kern_sum", 2, "StdDev (ns)") - 12.909944487358056) <
                1e-12); /* sample form */
    assert_true(number(f, "kern_sum", 0, "StdDev (ns)") == 0.0);
    assert_true(fabs(number(f, "kern_sum", 0, "Time (%)") - 100.0 / 3) < 1e-12);
    assert_true(fabs(number(f, "kern_sum", 2, "P95 (ns)") - 38.5) < 1e-12);
    is_text(k, 0, "Class", "others");
}

static void ranks_are_pooled_by_name(void **state)
{
    struct fix *f = *state;
    add(&f->t[0], AZ_KERNEL, "x", stream_lane(&f->t[0], 1, 0, 7), 0, 10, 0);
    add(&f->t[0], AZ_KERNEL, "y", stream_lane(&f->t[0], 1, 0, 7), 20, 25, 0);
    add(&f->t[1], AZ_KERNEL, "y", stream_lane(&f->t[1], 1, 0, 7), 0, 30,
        0); /* other name ids here */
    add(&f->t[1], AZ_KERNEL, "x", stream_lane(&f->t[1], 1, 0, 7), 40, 42, 0);
    make_job(f, 2);
    assert_int_equal(run_table(&f->job, "kern_sum"), 0);
    const struct az_table *k = az_document_table(&f->doc, "kern_sum");
    assert_int_equal(k->rows, 2);
    is_text(k, 0, "Name", "y");
    assert_int_equal(cell(k, 0, "Total Time (ns)")->i, 35);
    assert_int_equal(cell(k, 1, "Total Time (ns)")->i, 12);
    assert_int_equal(cell(k, 1, "Min (ns)")->i, 2);
}

static void given_sums_pass_through(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_sum s = { .name = name_of(t, "later"),
                        .total = 10,
                        .total_ns = 10,
                        .count = 4,
                        .avg = NAN,
                        .med = NAN,
                        .min = 1,
                        .max = 5,
                        .std = NAN };
    assert_int_equal(az_vec_push(&t->kernel_sums, s), 0);
    s.name = name_of(t, "bigger");
    s.total = s.total_ns = 30;
    assert_int_equal(az_vec_push(&t->kernel_sums, s), 0);
    make_job(f, 1);
    assert_int_equal(run_table(&f->job, "kern_sum"), 0);
    const struct az_table *k = az_document_table(&f->doc, "kern_sum");
    is_text(k, 0, "Name", "later"); /* the file's order */
    assert_true(number(f, "kern_sum", 0, "Avg (ns)") == 2.5);
    assert_true(number(f, "kern_sum", 0, "Time (%)") == 25.0);
    assert_int_equal(cell(k, 0, "Med (ns)")->type, AZ_EMPTY);
    assert_true(number(f, "kern_sum", 0, "Max (ns)") == 5.0);
}

static void sizes_without_bytes_are_left_out(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    uint32_t g = stream_lane(t, 1, 0, 7);
    add_copy(t, AZ_MEMCPY, "c", g, 0, 10, 0, (struct az_copy){ .bytes = 100 });
    add_copy(t, AZ_MEMCPY, "c", g, 20, 30, 0, (struct az_copy){ .bytes = -1 });
    add_copy(t, AZ_MEMSET, "s", g, 40, 90, 0, (struct az_copy){ .bytes = 5 });
    make_job(f, 1);
    assert_int_equal(run_table(&f->job, "mem_time_sum"), 0);
    assert_int_equal(run_table(&f->job, "mem_size_sum"), 0);
    is_text(az_document_table(&f->doc, "mem_time_sum"), 0, "Operation", "s");
    assert_true(number(f, "mem_time_sum", 1, "Count") == 2);
    is_text(az_document_table(&f->doc, "mem_size_sum"), 0, "Operation", "c");
    assert_true(number(f, "mem_size_sum", 0, "Count") == 1);
    assert_true(number(f, "mem_size_sum", 0, "Total (B)") == 100);
}

static void picoseconds_become_ns(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    t->ticks_per_ns = 1000;
    add(t, AZ_KERNEL, "k", stream_lane(t, 1, 0, 7), 0, 1500, 0);
    add(t, AZ_KERNEL, "k", stream_lane(t, 1, 0, 7), 5000, 7000, 0);
    make_job(f, 1);
    assert_int_equal(run_table(&f->job, "kern_sum"), 0);
    assert_true(number(f, "kern_sum", 0, "Total Time (ns)") == 4); /* 3.5, to nearest */
    assert_true(number(f, "kern_sum", 0, "Min (ns)") == 1.5);
    assert_true(number(f, "kern_sum", 0, "Avg (ns)") == 1.75);
}

/* Two ranges of one name (one inside the other), a graph launch with two kernels, an early kernel.
 */
static void fill_launches(struct az_trace *t)
{
    uint32_t h = host_lane(t, 1, 11), g = stream_lane(t, 1, 0, 7);
    add_range(t, "r", h, 0, 100, 1, 0, false);
    add_range(t, "r", h, 20, 60, 2, 0, false);
    add_range(t, "s", h, 20, 60, 3, 1, false);
    add(t, AZ_CALL, "launch", h, 5, 10, 1);
    add(t, AZ_CALL, "launch", h, 25, 30, 2);
    add(t, AZ_CALL, "graph", h, 40, 50, 3);
    add(t, AZ_CALL, "launch", h, 70, 80, 4);
    add(t, AZ_KERNEL, "k", g, 15, 25, 1); /* queued 5 */
    add(t, AZ_KERNEL, "k", g, 28, 48, 2); /* before its call returned: no queue time */
    add(t, AZ_KERNEL, "k", g, 50, 80, 3); /* queued 0 */
    add(t, AZ_KERNEL, "m", g, 81, 84, 3);
    add(t, AZ_KERNEL, "k", g, 90, 130, 4);
    t->caps = AZ_CAP_RANGES | AZ_CAP_CALLS | AZ_CAP_TIMELINE | AZ_CAP_PROJ;
}

static void kernels_count_in_every_range(void **state)
{
    struct fix *f = *state;
    fill_launches(&f->t[0]);
    make_job(f, 1);
    assert_int_equal(az_analysis_nvtx_kern_sum.run(&f->job), 0);
    const struct az_table *k = az_document_table(&f->doc, "nvtx_kern_sum");
    assert_int_equal(k->rows, 4);
    is_text(k, 0, "NVTX Range", "r"); /* k: all four in range 1, two of them in range 2 */
    is_text(k, 0, "Kernel Name", "k");
    assert_int_equal(cell(k, 0, "Kern Inst")->i, 6);
    assert_int_equal(cell(k, 0, "NVTX Inst")->i, 2);
    assert_int_equal(cell(k, 0, "Total Time (ns)")->i, 10 + 20 + 30 + 40 + 20 + 30);
    is_text(k, 1, "NVTX Range", "s");
    is_text(k, 1, "Style", "StartEnd");
    assert_int_equal(cell(k, 1, "TID")->i, 11);
    assert_int_equal(cell(k, 2, "NVTX Inst")->i, 2); /* m in both r */
}

/* Ranges that overlap each other, with more launches in them than are visited one by one: against
 * every pair of a range and a launch. */
enum { MANY = 2200, NAMES = 3 };
struct expected {
    int64_t ranges, kernels, total, least, most;
};

static uint64_t next_of(uint64_t *s) { return (*s = *s * 6364136223846793005u + 1) >> 33; }

static void expect(const int64_t (*range)[2], const int64_t (*call)[3], struct expected *out)
{
    for (size_t r = 0; r < MANY; r++) {
        bool holds[NAMES] = { false };
        for (size_t i = 0; i < MANY; i++) {
            struct expected *x = &out[i % NAMES];
            if (call[i][0] < range[r][0] || call[i][1] > range[r][1])
                continue;
            holds[i % NAMES] = true;
            x->kernels++;
            x->total += call[i][2];
            x->least = x->least && x->least < call[i][2] ? x->least : call[i][2];
            x->most = x->most > call[i][2] ? x->most : call[i][2];
        }
        for (size_t k = 0; k < NAMES; k++)
            out[k].ranges += holds[k];
    }
}

static void many_ranges_that_overlap(void **state)
{
    static const char *const names[NAMES] = { "a", "b", "c" };
    static int64_t range[MANY][2], call[MANY][3];
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 11), g = stream_lane(t, 1, 0, 7);
    struct expected want[NAMES] = { { 0 } };
    uint64_t s = 7;
    for (size_t i = 0; i < MANY; i++) {
        const int64_t at = 10 * (int64_t)i + 1, length = 1 + (int64_t)(next_of(&s) % 25),
                      lasts = 1 + (int64_t)(next_of(&s) % 90);
        call[i][0] = at;
        call[i][1] = at + length;
        call[i][2] = lasts;
        add(t, AZ_CALL, "launch", h, at, at + length, i + 1);
        add(t, AZ_KERNEL, names[i % NAMES], g, 100 * (int64_t)(i + 1),
            100 * (int64_t)(i + 1) + lasts, i + 1);
    }
    for (size_t i = 0; i < MANY; i++) { /* many begin or end with a call */
        const size_t first = next_of(&s) % MANY, last = first + next_of(&s) % (MANY - first);
        range[i][0] = call[first][0] + (int64_t)(i % 3) - 1;
        range[i][1] = call[last][1] + (int64_t)(i / 3 % 3) - 1;
        range[i][1] = range[i][1] > range[i][0] ? range[i][1] : range[i][0];
        add_range(t, "r", h, range[i][0], range[i][1], i + 1, 1, false);
    }
    t->caps = AZ_CAP_RANGES | AZ_CAP_CALLS | AZ_CAP_TIMELINE | AZ_CAP_PROJ;
    expect(range, call, want);
    make_job(f, 1);
    assert_int_equal(az_analysis_nvtx_kern_sum.run(&f->job), 0);
    const struct az_table *k = az_document_table(&f->doc, "nvtx_kern_sum");
    assert_int_equal(k->rows, NAMES);
    int64_t visits = 0;
    for (size_t i = 0; i < NAMES; i++) {
        const struct expected *x = &want[*az_cell_text(cell(k, i, "Kernel Name")).p - 'a'];
        assert_int_equal(cell(k, i, "NVTX Inst")->i, x->ranges);
        assert_int_equal(cell(k, i, "Kern Inst")->i, x->kernels);
        assert_int_equal(cell(k, i, "Total Time (ns)")->i, x->total);
        assert_int_equal(cell(k, i, "Min (ns)")->i, x->least);
        assert_int_equal(cell(k, i, "Max (ns)")->i, x->most);
        visits += x->kernels;
    }
    assert_true(visits > 1000000);
}

static void projection_tables(void **state)
{
    struct fix *f = *state;
    fill_launches(&f->t[0]);
    make_job(f, 1);
    assert_int_equal(az_analysis_nvtx_gpu_proj_trace.run(&f->job), 0);
    assert_int_equal(az_analysis_nvtx_gpu_proj_sum.run(&f->job), 0);
    const struct az_table *p = az_document_table(&f->doc, "nvtx_gpu_proj_trace");
    assert_int_equal(p->rows, 3);
    is_text(p, 2, "RangeStack", ":1:2:3"); /* equal limits: the later in the file is inside */
    assert_int_equal(cell(p, 0, "ParentId")->type, AZ_EMPTY);
    assert_int_equal(cell(p, 1, "ParentId")->i, 1);
    assert_int_equal(cell(p, 0, "NumGPUOps")->i, 4);
    assert_int_equal(cell(p, 1, "NumGPUOps")->i, 2);
    assert_int_equal(cell(p, 1, "Projected Start (ns)")->i, 28);
    assert_int_equal(cell(p, 1, "Projected Duration (ns)")->i, 84 - 28);
    for (size_t c = 0; c < p->columns.n; c++) { /* by which rows are compared */
        const struct az_sv title = p->columns.v[c].name;
        const unsigned want = az_sv_is(title, "RangeId")                   ? AZ_KEY
                              : az_sv_is(title, "Projected Duration (ns)") ? AZ_LOWER_BETTER
                                                                           : 0;
        assert_int_equal(p->columns.v[c].flags & (AZ_KEY | AZ_LOWER_BETTER | AZ_HIGHER_BETTER),
                         want);
    }
    is_text(az_document_table(&f->doc, "nvtx_gpu_proj_sum"), 0, "Range", "r");
    assert_true(number(f, "nvtx_gpu_proj_sum", 0, "Total Proj Time (ns)") == 115 + 56);
    assert_true(number(f, "nvtx_gpu_proj_sum", 0, "Total Range Time (ns)") == 140);
    assert_true(number(f, "nvtx_gpu_proj_sum", 0, "Avg Range Lvl") == 0.5);
}

/* Device work below the ranges that launched it, all of it once. */
static void ranges_are_drawn(void **state)
{
    struct fix *f = *state;
    fill_launches(&f->t[0]);
    f->t[0].caps |= AZ_CAP_LAUNCHES;
    make_job(f, 1);
    f->job.draw = 100;
    assert_int_equal(az_analysis_flame.run(&f->job), 0);
    const struct az_flame *flame = f->doc.flame;
    assert_non_null(flame);
    assert_int_equal(flame->nodes.v[0].total, 10 + 20 + 30 + 3 + 40);
    assert_int_equal(flame->nodes.v[0].count, 5);
    int64_t self = 0;
    for (size_t i = 1; i < flame->nodes.n; i++)
        self += flame->nodes.v[i].self;
    assert_int_equal(self, flame->nodes.v[0].total);
}

static void queue_times(void **state)
{
    struct fix *f = *state;
    fill_launches(&f->t[0]);
    make_job(f, 1);
    assert_int_equal(az_analysis_kern_exec_sum.run(&f->job), 0);
    const struct az_table *k = az_document_table(&f->doc, "kern_exec_sum");
    assert_int_equal(k->rows, 3);
    is_text(k, 0, "API Name", "launch");
    assert_int_equal(cell(k, 0, "Count")->i, 3);
    assert_int_equal(cell(k, 0, "QCount")->i, 2);
    assert_true(number(f, "kern_exec_sum", 0, "QAvg (ns)") == 7.5); /* 5 and 10 */
    assert_true(number(f, "kern_exec_sum", 0, "TMax (ns)") == 60);  /* 130 - 70 */
    assert_true(fabs(number(f, "kern_exec_sum", 0, "AAvg (ns)") - 20.0 / 3) < 1e-9);
    assert_true(number(f, "kern_exec_sum", 0, "KMin (ns)") == 10);
}

static void styles_are_apart(void **state)
{
    struct fix *f = *state;
    uint32_t h = host_lane(&f->t[0], 1, 1);
    add_range(&f->t[0], "r", h, 0, 10, 1, 0, false);
    add_range(&f->t[0], "r", h, 0, 30, 2, 1,
              true); /* one that ends on another thread counts here */
    make_job(f, 1);
    assert_int_equal(run_table(&f->job, "nvtx_sum"), 0);
    const struct az_table *t = az_document_table(&f->doc, "nvtx_sum");
    assert_int_equal(t->rows, 2);
    is_text(t, 0, "Style", "StartEnd");
    is_text(t, 1, "Style", "PushPop");
}

static void no_memory_is_an_error_and_leaks_nothing(void **state)
{
    struct fix *f = *state;
    static const struct az_analysis *const all[] = {
        &az_analysis_sums,           &az_analysis_kernels,           &az_analysis_nvtx_kern_sum,
        &az_analysis_kern_exec_sum,  &az_analysis_nvtx_gpu_proj_sum, &az_analysis_gpu_gaps,
        &az_analysis_gpu_utilization
    };
    fill_launches(&f->t[0]);
    make_job(f, 1);
    for (size_t i = 0; i < AZ_LENGTH(all); i++) {
        f->mem.limit = f->mem.used +
                       600; /* the arena's block may still have room: any outcome but a wrong one */
        int rc = run_all(&f->job, all[i]);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
    }
    f->mem.limit = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernel_figures_and_order, setup, teardown),
        cmocka_unit_test_setup_teardown(ranks_are_pooled_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(many_ranges_that_overlap, setup, teardown),
        cmocka_unit_test_setup_teardown(given_sums_pass_through, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_without_bytes_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(picoseconds_become_ns, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_count_in_every_range, setup, teardown),
        cmocka_unit_test_setup_teardown(projection_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_are_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(queue_times, setup, teardown),
        cmocka_unit_test_setup_teardown(styles_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_an_error_and_leaks_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
