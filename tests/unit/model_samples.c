/* Samples of counters: order, windows, what holds when. */
#include "analyses_trace.h"

#include <math.h>

#include "model/append.h"

static int setup(void **state)
{
    struct az_trace *t = calloc(1, sizeof *t);
    *state = t;
    return t ? az_trace_init(t, NULL) : -1;
}

static int teardown(void **state)
{
    az_trace_release(*state);
    free(*state);
    return 0;
}

static struct az_sample_sum over(const struct az_trace *t, uint32_t counter, int64_t from,
                                 int64_t to)
{
    struct az_sample_sum sum = AZ_SAMPLE_SUM;
    uint32_t near = 0;
    az_sample_add(&t->samples, counter, from, to, &near, &sum);
    return sum;
}

static void a_sample_holds_to_the_next(void **state)
{
    struct az_trace *t = *state;
    const uint32_t clock = name_of(t, "clock"), power = name_of(t, "power");
    /* in any order, two counters mixed, two samples of one time: the later one of the file holds */
    assert_int_equal(az_trace_sample(t, clock, 0, 30, 4), 0);
    assert_int_equal(az_trace_sample(t, power, 0, 5, 100), 0);
    assert_int_equal(az_trace_sample(t, clock, 0, 10, 1), 0);
    assert_int_equal(az_trace_sample(t, clock, 0, 20, 9), 0);
    assert_int_equal(az_trace_sample(t, clock, 0, 20, 2), 0);
    assert_int_equal(az_trace_sample(t, clock, 1, 20, 7), 0);
    assert_int_equal(az_trace_sample(t, clock, 0, 1, NAN), 0);
    assert_int_equal(az_trace_sample(t, clock, 0, AZ_TIME_MAX + 1, 1), 0);
    assert_int_equal(az_trace_finalize(t), 0);
    assert_true(t->caps & AZ_CAP_SAMPLES);
    assert_int_equal(t->samples.counters.n, 3);
    assert_int_equal(t->samples.rows.n, 6);
    assert_int_equal(t->drops.v[0].count, 2);

    struct az_sample_sum s = over(t, 0, 0, 100);
    assert_int_equal(s.ticks, 20); /* 10 to 30; the last one has no length */
    assert_true(az_sample_mean(&s) == 1.5);
    s = over(t, 0, 15, 25);
    assert_true(az_sample_mean(&s) == 1.5 && s.least == 1 && s.most == 2);
    s = over(t, 0, 20, 30); /* the end of a window is not in it */
    assert_true(az_sample_mean(&s) == 2 && s.most == 2);
    s = over(t, 0, 22, 22);
    assert_true(s.ticks == 0 && s.most == 2 && isnan(az_sample_mean(&s)));
    s = over(t, 0, 31, 40);
    assert_true(s.ticks == 0 && isnan(s.most));
    s = over(t, 0, 0, 9);
    assert_true(s.ticks == 0 && isnan(s.most));
    s = over(t, 2, 0, 50);
    assert_true(s.ticks == 0 && s.most == 7);
}

static void windows_in_any_order(void **state)
{
    struct az_trace *t = *state;
    const uint32_t clock = name_of(t, "clock");
    uint32_t near = 0;
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(az_trace_sample(t, clock, -1, i * 10, (double)i), 0);
    assert_int_equal(az_trace_finalize(t), 0);
    for (int64_t i = 0; i < 3000; i++) {
        const int64_t at = i * 7919 % 9980;
        struct az_sample_sum sum = AZ_SAMPLE_SUM, alone;
        az_sample_add(&t->samples, 0, at, at + 10, &near, &sum);
        alone = over(t, 0, at, at + 10);
        assert_int_equal(sum.ticks, 10);
        assert_true(sum.area == alone.area);
        assert_true(sum.area == (double)(at / 10 * 10 + at % 10 * 1));
    }
}

/* Of the parts that one file is read in. */
static void samples_of_a_part(void **state)
{
    struct az_trace *t = *state, part;
    const uint32_t power = name_of(t, "power"), clock = name_of(t, "clock"), lane = 0;
    assert_int_not_equal(power, clock);
    const struct az_options o = { .gpus = 1 };
    assert_int_equal(az_trace_init(&part, NULL), 0);
    assert_int_equal(az_optrace_init(t, &o), 0);
    assert_int_equal(az_optrace_init(&part, &o), 0);
    const uint32_t of_part = name_of(&part, "clock");
    uint32_t name[8] = { 0 };
    assert_true(of_part < AZ_LENGTH(name));
    name[of_part] = clock;
    assert_int_equal(az_trace_sample(t, clock, 0, 10, 1), 0);
    assert_int_equal(az_trace_sample(&part, of_part, 0, 20, 3), 0);
    assert_int_equal(az_trace_sample(&part, of_part, 1, 20, 5), 0);
    assert_int_equal(
        az_optrace_append(t, &part, &(struct az_append){ .name = name, .lane = &lane }), 0);
    az_trace_release(&part);
    t->ext_ops->release(t); /* no call tree here */
    t->ext_ops = NULL;
    assert_int_equal(az_trace_finalize(t), 0);
    assert_int_equal(t->samples.counters.n, 2);
    assert_int_equal(t->samples.rows.n, 3);
    const struct az_sample_sum s = over(t, 0, 10, 25);
    assert_true(s.ticks == 10 && s.least == 1 && s.most == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sample_holds_to_the_next, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_in_any_order, setup, teardown),
        cmocka_unit_test_setup_teardown(samples_of_a_part, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
