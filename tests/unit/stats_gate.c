/* Gate statistics against arithmetic by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/rank_test.h"

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)))) {
        print_error("got %.17g, wanted %.17g\n", got, want);
        fail();
    }
}

static void spread(void **state)
{
    const double v[] = { 5, 1, 9, 3 }, one[] = { 7 };
    double many[200];
    (void)state;
    near(az_gate_median(v, 4), 4);
    near(az_gate_median(v, 3), 5);
    near(az_gate_mad(v, 4), 2); /* 4: 1 3 5 1 -> 1 1 3 5 */
    near(az_gate_center(v, 2), 3);
    near(az_gate_center(v, 3), 5);
    near(az_gate_mad(one, 1), 0);
    assert_true(isnan(az_gate_median(v, 0)));
    for (size_t i = 0; i < 200; i++)
        many[i] = (double)((i * 7) % 200);
    near(az_gate_median(many, 200), 99.5);
    near(many[1], 7); /* not reordered */
}

static void ranks_exact(void **state)
{
    const double b[] = { 1, 2, 3 }, c[] = { 4, 5, 6 }, mid[] = { 1.5, 2.5, 9 };
    const double b5[] = { 1, 2, 3, 4, 5 }, c5[] = { 6, 7, 8, 9, 10 };
    struct az_mwu t;
    (void)state;
    assert_int_equal(az_mann_whitney(b, 3, c, 3, AZ_TAIL_GREATER, &t), 0);
    near(t.u, 9);
    near(t.p, 1.0 / 20); /* one order of C(6,3) */
    near(t.effect, 1);
    assert_true(t.exact);
    assert_int_equal(az_mann_whitney(b, 3, c, 3, AZ_TAIL_LESS, &t), 0);
    near(t.p, 1);
    assert_int_equal(az_mann_whitney(b, 3, c, 3, AZ_TAIL_TWO, &t), 0);
    near(t.p, 2.0 / 20);
    /* U = 6: 1.5 beats one, 2.5 two, 9 three. Orders by U: 9 8 7 7 6 6 6 ... -> 7 of 20 */
    assert_int_equal(az_mann_whitney(b, 3, mid, 3, AZ_TAIL_GREATER, &t), 0);
    near(t.u, 6);
    near(t.p, 7.0 / 20);
    near(t.effect, 12.0 / 9 - 1);
    assert_int_equal(az_mann_whitney(b5, 5, c5, 5, AZ_TAIL_GREATER, &t), 0);
    near(t.p, 1.0 / 252);
    near(az_mann_whitney_floor(5, 5), 1.0 / 252);
    near(az_mann_whitney_floor(4, 4), 1.0 / 70);
    near(az_mann_whitney_floor(1, 9), 0.1);
}

static void ranks_ties(void **state)
{
    const double b[] = { 1, 2 }, c[] = { 2, 3 }, same[] = { 4, 4, 4, 4 };
    struct az_mwu t;
    (void)state;
    /* U = 3.5, variance 4/12 (5 - 6/12) = 1.5, z = (3.5 - 2 - 0.5) / sqrt(1.5) */
    assert_int_equal(az_mann_whitney(b, 2, c, 2, AZ_TAIL_GREATER, &t), 0);
    near(t.u, 3.5);
    near(t.p, 0.5 * erfc(1 / sqrt(1.5) / sqrt(2)));
    assert_false(t.exact);
    assert_int_equal(az_mann_whitney(same, 4, same, 4, AZ_TAIL_GREATER, &t), 0);
    near(t.p, 1);
    near(t.effect, 0);
}

/* Long sides: 8 v 900 is counted, 9 v 900 approximated; both stay close. */
static void ranks_long(void **state)
{
    static double b[900], c[9];
    struct az_mwu exact, normal;
    (void)state;
    for (size_t i = 0; i < 900; i++)
        b[i] = (double)i;
    for (size_t i = 0; i < 9; i++)
        c[i] = 300.5 + (double)(i * 60);
    assert_int_equal(az_mann_whitney(b, 900, c, 8, AZ_TAIL_GREATER, &exact), 0);
    assert_true(exact.exact);
    assert_int_equal(az_mann_whitney(b, 900, c, 9, AZ_TAIL_GREATER, &normal), 0);
    assert_false(normal.exact);
    assert_true(exact.p > 0.2 && exact.p < 0.8 && fabs(exact.p - normal.p) < 0.2);
}

static void resampling(void **state)
{
    const double b[] = { 10, 10, 10 }, c[] = { 12, 12, 12, 12 }, zero[] = { 0, 0, 1 };
    const double x[] = { 99, 100, 101, 102, 98, 100 }, y[] = { 109, 111, 110, 108, 112, 110 };
    double low, high, low2, high2;
    (void)state;
    assert_int_equal(az_bootstrap_ratio(b, 3, c, 4, 0.01, 200, 1, &low, &high), 0);
    near(low, 1.2);
    near(high, 1.2);
    assert_int_equal(az_bootstrap_ratio(zero, 3, c, 4, 0.01, 200, 1, &low, &high), AZ_ERANGE);
    assert_int_equal(az_bootstrap_ratio(x, 6, y, 6, 0.01, 2000, 7, &low, &high), 0);
    assert_true(low > 1.05 && low < 1.1 && high > 1.1 && high < 1.15);
    assert_int_equal(az_bootstrap_ratio(x, 6, y, 6, 0.01, 2000, 7, &low2, &high2), 0);
    assert_true(low == low2 && high == high2);
    /* FNV-1a of "a", from its definition */
    assert_true(az_gate_seed(AZ_SV("a")) == UINT64_C(0xaf63dc4c8601ec8c));
}

static void holm(void **state)
{
    double p[] = { 0.01, 0.04, 0.03, 0.9 }, none[1] = { 0 };
    (void)state;
    assert_int_equal(az_holm(p, 4), 0);
    near(p[0], 0.04);
    near(p[2], 0.09);
    near(p[1], 0.09); /* 2 x 0.04 is below its predecessor */
    near(p[3], 0.9);
    assert_int_equal(az_holm(none, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread),     cmocka_unit_test(ranks_exact), cmocka_unit_test(ranks_ties),
        cmocka_unit_test(ranks_long), cmocka_unit_test(resampling),  cmocka_unit_test(holm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
