/* Steps: device work, length, period, a first step that warms up, scope, marks that are none, and
 * repeats that are blocks of a model. */
#include "unit/facts_job.h"

#include <stdio.h>

#include "facts/steps.h"
#include "model/xtrace.h"

#define STEPS 5

/* A step of two kernels of device 0 and one of device 1, launched in its mark. */
static void add_step(struct fix *f, int i, int64_t at, int64_t length, int64_t work)
{
    struct az_trace *t = &f->t[0];
    const uint32_t host = host_lane(t, 1, 10), other = host_lane(t, 1, 11);
    char name[32];
    snprintf(name, sizeof name, "iteration %d", i + 7);
    add(t, AZ_RANGE, name, host, at, at + length, 0);
    for (int k = 0; k < 3; k++) {
        const uint64_t corr = (uint64_t)(10 * i + k + 1);
        add(t, AZ_CALL, "cudaLaunchKernel", k == 1 ? other : host, at + 10 + k, at + 11 + k, corr);
        add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, k == 2, 7), work + 20 * k, work + 20 * k + 15,
            corr);
    }
}

static const struct az_steps *steps_of(struct fix *f)
{
    int rc;
    make_job(f, 1);
    const struct az_steps *s = az_job_steps(&f->job, 0, &rc);
    assert_non_null(s);
    return s;
}

/* Marks inside a range named as warm-up are no steps; of one with another meaning they are. */
static size_t steps_in(struct fix *f, const char *range)
{
    for (int i = 0; i < STEPS; i++)
        add_step(f, i, 1000 + 100 * i, 100, 1100 + 130 * i);
    add(&f->t[0], AZ_RANGE, range, host_lane(&f->t[0], 1, 10), 990, 1200, 0);
    return steps_of(f)->n;
}

static void steps_in_a_warm_up(void **state)
{
    struct fix *f = *state;
    assert_int_equal(steps_in(f, ":Warm-up"), STEPS - 2);
    int rc;
    assert_true(az_sv_is(az_job_steps(&f->job, 0, &rc)->v[0].name, "iteration 9"));
}

static void steps_of_another_warm_up(void **state)
{
    assert_int_equal(steps_in(*state, "lr_warmup"), STEPS);
}

static void steps_without_a_warm_up(void **state)
{
    assert_int_equal(steps_in(*state, "is_warmup: False"), STEPS);
}

/* A thread that launches nothing warms up what is its own. */
static void warm_up_of_another_thread(void **state)
{
    struct fix *f = *state;
    add(&f->t[0], AZ_RANGE, "cache warmup", host_lane(&f->t[0], 1, 99), 990, 1200, 0);
    assert_int_equal(steps_in(f, "epoch"), STEPS);
}

/* Where nothing but warm-up is marked, it is all there is. */
static void all_steps_in_a_warm_up(void **state)
{
    struct fix *f = *state;
    add(&f->t[0], AZ_RANGE, "warmup", host_lane(&f->t[0], 1, 10), 0, 9000, 0);
    assert_int_equal(steps_in(f, "epoch"), STEPS);
}

/* The host dispatches each 100 ticks, the device needs 130. */
static void host_runs_ahead(void **state)
{
    struct fix *f = *state;
    struct az_span scope;
    for (int i = 0; i < STEPS; i++)
        add_step(f, i, 1000 + 100 * i, 100, 1100 + 130 * i);
    const struct az_steps *s = steps_of(f);
    assert_string_equal(az_step_source_id(s->how), "named_range");
    assert_int_equal(s->n, STEPS);
    assert_true(az_sv_is(s->v[0].name, "iteration 7"));
    assert_int_equal(s->period, 130);
    assert_int_equal(az_step_period(s, 0), 130);
    assert_int_equal(az_step_period(s, STEPS - 1), -1);
    assert_int_equal(s->excluded, 0);
    assert_int_equal(s->v[1].work_start, 1230);
    assert_int_equal(s->v[1].work_end, 1230 + 55);
    assert_int_equal(s->v[1].length, 130);
    assert_int_equal(s->v[STEPS - 1].length, 100);
    assert_int_equal(s->scope.start, 1100);
    assert_int_equal(s->scope.end, 1100 + 130 * (STEPS - 1) + 55);
    assert_int_equal(s->n_devices, 2);
    assert_int_equal(az_job_steps_scope(&f->job, 0, (const uint8_t[]){ 0, 1 }, &scope), 0);
    assert_int_equal(scope.start, 1140);
    assert_int_equal(az_job_steps_scope(&f->job, 0, (const uint8_t[]){ 1, 0 }, &scope), 0);
    assert_int_equal(scope.end, 1100 + 130 * (STEPS - 1) + 35);
    assert_int_equal(s->marks, STEPS);
    assert_int_equal(s->empty_marks, 0);
}

/* Just over 1.5 x the median; the median of four is the mean of the two in the middle. */
static void first_step_warms_up(void **state)
{
    struct fix *f = *state;
    const int64_t length[STEPS] = { 155, 90, 100, 104, 110 };
    int64_t at = 1000;
    for (int i = 0; i < STEPS; i++) {
        add_step(f, i, at, length[i], at + 30);
        at += length[i];
    }
    const struct az_steps *s = steps_of(f);
    assert_int_equal(s->excluded, 1);
    assert_int_equal(s->warm_up, 155 - 102);
    assert_int_equal(s->period, 100);
    assert_int_equal(s->scope.start, 1000 + 155 + 30);
    assert_int_equal(s->n, STEPS);
}

static void first_step_is_equal(void **state)
{
    struct fix *f = *state;
    const int64_t length[STEPS] = { 153, 90, 100, 104, 110 };
    int64_t at = 1000;
    for (int i = 0; i < STEPS; i++) {
        add_step(f, i, at, length[i], at + 30);
        at += length[i];
    }
    assert_int_equal(steps_of(f)->excluded, 0);
}

/* Steps of a serving engine, one after the other; prefill of n requests or, if 0, decode. */
static const struct az_steps *engine_steps(struct fix *f, const int *prefill, const int64_t *length)
{
    struct az_trace *t = &f->t[0];
    const uint32_t host = host_lane(t, 1, 10);
    int64_t at = 1000;
    for (int i = 0; i < STEPS; i++) {
        char name[64];
        snprintf(name, sizeof name, "execute_context_%d(256)_generation_%d(8)", prefill[i],
                 prefill[i] ? 0 : 8);
        add(t, AZ_RANGE, name, host, at, at + length[i], 0);
        add(t, AZ_CALL, "cudaLaunchKernel", host, at + 10, at + 11, (uint64_t)i + 1);
        add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, 0, 7), at + 30, at + 60, (uint64_t)i + 1);
        at += length[i];
    }
    const struct az_steps *s = steps_of(f);
    assert_string_equal(az_step_source_id(s->how), "serving_mark");
    return s;
}

/* A prefill is longer than a decode step and no warm-up next to these. */
static void first_step_of_another_phase(void **state)
{
    const int prefill[STEPS] = { 1 };
    const int64_t length[STEPS] = { 300, 100, 100, 100, 100 };
    const struct az_steps *s = engine_steps(*state, prefill, length);
    assert_int_equal(s->excluded, 1);
    assert_int_equal(s->warm_up, 0);
    assert_true(az_sv_is(s->excluded_phase, "prefill"));
}

static void first_step_of_its_phase(void **state)
{
    const int prefill[STEPS] = { 1, 0, 1, 0, 1 };
    const int64_t length[STEPS] = { 300, 100, 290, 100, 310 };
    const struct az_steps *s = engine_steps(*state, prefill, length);
    assert_int_equal(s->excluded, 0);
    assert_true(az_sv_is(s->excluded_phase, ""));
}

static void first_step_of_its_phase_warms_up(void **state)
{
    const int prefill[STEPS] = { 1, 0, 1, 0, 1 };
    const int64_t length[STEPS] = { 600, 100, 290, 100, 310 };
    const struct az_steps *s = engine_steps(*state, prefill, length);
    assert_int_equal(s->excluded, 1);
    assert_int_equal(s->warm_up, 300);
    assert_true(az_sv_is(s->excluded_phase, ""));
}

/* One mark without work, one without length; the next one begins before a mark has ended. */
static void marks_that_are_none(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add_step(f, 0, 1000, 101, 1030);
    add_step(f, 1, 1100, 100, 1130);
    add(t, AZ_RANGE, "iteration 9", host_lane(t, 1, 10), 1200, 1300, 0);
    add(t, AZ_RANGE, "iteration 10", host_lane(t, 1, 10), 1300, 1300, 0);
    add_step(f, 4, 1400, 100, 1430);
    const struct az_steps *s = steps_of(f);
    assert_int_equal(s->n, 4);
    assert_int_equal(s->marks, 5);
    assert_int_equal(s->empty_marks, 2);
    assert_int_equal(s->v[0].mark_end, 1100);
    assert_int_equal(s->v[2].work_start, -1);
    assert_int_equal(s->v[2].start, s->v[2].end);
    assert_int_equal(s->v[2].length, 100);
    assert_int_equal(az_step_period(s, 1), 300);
    assert_int_equal(s->period, 200);
}

static void only_zero_marks(void **state)
{
    struct fix *f = *state;
    for (int i = 0; i < STEPS; i++)
        add_step(f, i, 1000 + 100 * i, 0, 1030 + 100 * i);
    const struct az_steps *s = steps_of(f);
    assert_int_equal(s->n, 0);
    assert_string_equal(az_step_source_id(s->how), "");
    assert_int_equal(s->marks, STEPS);
    assert_int_equal(s->empty_marks, STEPS);
}

/* Where nothing is linked the marks say how far steps are apart. */
static void nothing_linked(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    for (int i = 0; i < STEPS; i++) {
        const int64_t at = 1000 + 100 * i;
        add(t, AZ_RANGE, "train_step", host_lane(t, 1, 10), at, at + 90, 0);
        add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, 0, 7), at + 5 * i, at + 5 * i + 20, 0);
    }
    const struct az_steps *s = steps_of(f);
    assert_int_equal(s->n, STEPS);
    assert_int_equal(s->period, 100);
    assert_int_equal(s->v[2].work_start, 1210);
    assert_false(s->linked);
}

/* A profile of compiled programs with a line of steps for each device; marks of 20, one after the
 * other, each with a kernel. */
static const struct az_steps *device_lines(struct fix *f, const char *const *names,
                                           const int *devices, int n)
{
    struct az_trace *t = &f->t[0];
    uint32_t line[2];
    assert_int_equal(az_xtrace_init(t), 0);
    t->caps |= AZ_CAP_PROGRAMS;
    for (int i = 0; i < 2; i++) {
        const struct az_lane l = { .device_side = true, .tid = 100 + (uint64_t)i, .device = i };
        assert_int_equal(az_xtrace_lane(t, &l, AZ_XLANE_STEPS, &line[i]), 0);
    }
    for (int i = 0; i < n; i++) {
        const int64_t at = 1000 + 100 * i;
        add(t, AZ_GPU_RANGE, names[i], line[devices[i]], at, at + 20, 0);
        add(t, AZ_KERNEL, "gemm", stream_lane(t, 1, devices[i], 7), at, at + 15, 0);
        while (az_xtrace(t)->roles.n < t->lanes.n)
            assert_int_equal(az_vec_push(&az_xtrace(t)->roles, AZ_XLANE_WORK), 0);
    }
    return steps_of(f);
}

/* One mark on each device is one step of both: the distance of the devices is no period. */
static void a_step_of_two_devices(void **state)
{
    const struct az_steps *s =
        device_lines(*state, (const char *[]){ "0", "0" }, (const int[]){ 0, 1 }, 2);
    assert_int_equal(s->how, AZ_STEPS_DEVICE);
    assert_int_equal(s->n, 1);
    assert_int_equal(s->period, -1);
    assert_int_equal(s->v[0].mark_start, 1000);
    assert_int_equal(s->v[0].mark_end, 1120);
    assert_int_equal(s->scope.end, 1115);
}

static void steps_of_devices_in_turn(void **state)
{
    const struct az_steps *s = device_lines(*state, (const char *[]){ "0", "0", "1", "1", "2" },
                                            (const int[]){ 0, 1, 0, 1, 0 }, 5);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->period, 200);
    assert_int_equal(s->v[1].mark_end, 1320);
    assert_int_equal(s->v[2].mark_end, 1420);
}

/* Marks of another name, or of one device after those of the other, are steps of their own. */
static void devices_with_other_steps(void **state)
{
    assert_int_equal(
        device_lines(*state, (const char *[]){ "0", "1" }, (const int[]){ 0, 1 }, 2)->n, 2);
}
static void one_device_after_the_other(void **state)
{
    assert_int_equal(
        device_lines(*state, (const char *[]){ "0", "0", "0", "0" }, (const int[]){ 0, 1, 1, 1 }, 4)
            ->n,
        4);
}

/* Eight times the same kernels, the first time slowly, inside one range. */
static const struct az_steps *repeats(struct fix *f, const char *around)
{
    static const char *const names[] = {
        "qkv", "softmax", "proj", "norm", "up", "adam_multi_tensor"
    };
    struct az_trace *t = &f->t[0];
    const uint32_t host = host_lane(t, 1, 10);
    int64_t at = 1000;
    uint64_t corr = 1;
    for (int i = 0; i < 8; i++)
        for (size_t k = 0; k < AZ_LENGTH(names); k++, corr++) {
            add(t, AZ_CALL, "cudaLaunchKernel", host, at, at + 2, corr);
            add(t, AZ_KERNEL, names[k], stream_lane(t, 1, 0, 7), at + 5, at + 15, corr);
            at += i ? 20 : 60;
        }
    if (around)
        add(t, AZ_RANGE, around, host, 990, at, 0);
    return steps_of(f);
}

static void blocks_are_no_steps(void **state)
{
    const struct az_steps *s = repeats(*state, "Transformer.forward");
    assert_int_equal(s->n, 0);
    assert_int_equal(s->how, AZ_STEPS_NONE);
    assert_int_equal(s->repeats.n, 8);
    assert_int_equal(s->repeats.period, 120);
    assert_true(az_sv_is(s->repeats.inside, "Transformer.forward"));
}

static void a_loop_by_name(void **state)
{
    const struct az_steps *s = repeats(*state, "train_epoch");
    assert_string_equal(az_step_source_id(s->how), "kernel_pattern");
    assert_int_equal(s->n, 8);
    assert_true(s->in_loop);
    assert_int_equal(s->excluded, 1);
    assert_int_equal(s->period, 120);
    assert_int_equal(s->repeats.n, 0);
}

static void a_loop_in_nothing(void **state)
{
    const struct az_steps *s = repeats(*state, NULL);
    assert_int_equal(s->n, 8);
    assert_false(s->in_loop);
    assert_int_equal(s->excluded, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(host_runs_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_in_a_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_of_another_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_without_a_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(warm_up_of_another_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(all_steps_in_a_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(first_step_warms_up, setup, teardown),
        cmocka_unit_test_setup_teardown(first_step_is_equal, setup, teardown),
        cmocka_unit_test_setup_teardown(first_step_of_another_phase, setup, teardown),
        cmocka_unit_test_setup_teardown(first_step_of_its_phase, setup, teardown),
        cmocka_unit_test_setup_teardown(first_step_of_its_phase_warms_up, setup, teardown),
        cmocka_unit_test_setup_teardown(marks_that_are_none, setup, teardown),
        cmocka_unit_test_setup_teardown(only_zero_marks, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_linked, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_of_two_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_of_devices_in_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(devices_with_other_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(one_device_after_the_other, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_are_no_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(a_loop_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(a_loop_in_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
