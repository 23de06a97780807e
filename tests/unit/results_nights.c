/* One figure night by night: noise, levels, odd nights, steps, drift. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/nights.h"

#define N 30

/* Noise of about 0.5 %, the same each time. */
static double wobble(size_t i) { return 0.5 * sin(12.9898 * (double)(i + 1) * (double)(i + 3)); }

static struct az_nights judged(const double *v, size_t n, const bool *accepted)
{
    const struct az_nights_in in = {
        .v = v, .n = n, .accepted = accepted, .worse = 1, .drift_days = 30, .seed = 1
    };
    struct az_nights out;

    assert_int_equal(az_nights_judge(&in, &out), 0);
    return out;
}

static void fill(double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] = 100 + wobble(i);
}

static void noise_is_of_differences(void **state)
{
    double v[N], scratch[2 * N], rho;
    (void)state;
    for (size_t i = 0; i < N; i++)
        v[i] = 10 + 3 * (double)i; /* a slope is no noise */
    assert_true(az_nights_noise(v, N, scratch, &rho) < 1e-9);
    fill(v, N);
    const double flat = az_nights_noise(v, N, scratch, &rho);
    for (size_t i = 15; i < N; i++)
        v[i] += 50; /* nor is a step */
    assert_true(fabs(az_nights_noise(v, N, scratch, &rho) / flat - 1) < 0.35);
}

static void variance_of_a_mean(void **state)
{
    (void)state;
    assert_true(fabs(az_nights_mean_variance(5, 0) - 0.2) < 1e-12);
    /* two neighbours: (1 + rho) / 2 */
    assert_true(fabs(az_nights_mean_variance(2, 0.8) - 0.9) < 1e-12);
}

static void a_quiet_history(void **state)
{
    double v[N];
    (void)state;
    fill(v, N);
    struct az_nights o = judged(v, N, NULL);
    assert_int_equal(o.kind, AZ_NIGHTS_SAME);
    assert_int_equal(o.n_base, N - 1);
    assert_true(fabs(o.center - 100) < 0.5 && !o.drift);
    assert_true(o.least > o.least_run && o.least_run > 0);
    az_nights_release(&o);
}

static void one_night(void **state)
{
    double v[N];
    (void)state;
    fill(v, N);
    v[N - 1] = 110;
    struct az_nights o = judged(v, N, NULL);
    assert_int_equal(o.kind, AZ_NIGHTS_JUMP);
    assert_int_equal(o.side, 1);
    az_nights_release(&o);
    v[10] = 111; /* it happened before, and was over the night after */
    o = judged(v, N, NULL);
    assert_int_equal(o.kind, AZ_NIGHTS_OUTLIER);
    az_nights_release(&o);
    v[N - 1] = 90; /* a lucky one is no level */
    o = judged(v, N, NULL);
    assert_int_equal(o.side, -1);
    assert_true(fabs(o.center - 100) < 0.5);
    az_nights_release(&o);
}

static void a_step(void **state)
{
    double v[N];
    bool accepted[N] = { false };
    (void)state;
    fill(v, N);
    for (size_t i = 22; i < N; i++)
        v[i] += 4;
    struct az_nights o = judged(v, N, accepted);
    assert_int_equal(o.kind, AZ_NIGHTS_STEP);
    assert_int_equal(o.at, 22);
    assert_true(fabs(o.center - 100) < 0.5 && fabs(o.level - 104) < 0.5);
    az_nights_release(&o);
    accepted[23] = true;
    o = judged(v, N, accepted);
    assert_int_equal(o.kind, AZ_NIGHTS_SAME);
    assert_true(fabs(o.center - 104) < 0.5);
    az_nights_release(&o);
    accepted[23] = false;
    v[N - 1] = 100; /* back where it was */
    o = judged(v, N, accepted);
    assert_int_equal(o.kind, AZ_NIGHTS_SAME);
    az_nights_release(&o);
}

static void better_is_the_level(void **state)
{
    double v[N];
    (void)state;
    fill(v, N);
    for (size_t i = 15; i < N; i++)
        v[i] -= 20;
    v[N - 1] = 100; /* as good as long ago is worse now */
    struct az_nights o = judged(v, N, NULL);
    assert_true(fabs(o.center - 80) < 0.5);
    assert_int_equal(o.kind, AZ_NIGHTS_JUMP);
    assert_int_equal(o.side, 1);
    az_nights_release(&o);
}

static void few_nights(void **state)
{
    const double two[] = { 100, 102 }, worse[] = { 100, 120 };
    (void)state;
    struct az_nights o = judged(two, 2, NULL);
    assert_int_equal(o.kind, AZ_NIGHTS_SAME);
    az_nights_release(&o);
    o = judged(worse, 2, NULL);
    assert_int_equal(o.kind, AZ_NIGHTS_JUMP);
    az_nights_release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_of_differences),
        cmocka_unit_test(variance_of_a_mean),
        cmocka_unit_test(a_quiet_history),
        cmocka_unit_test(one_night),
        cmocka_unit_test(a_step),
        cmocka_unit_test(better_is_the_level),
        cmocka_unit_test(few_nights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
