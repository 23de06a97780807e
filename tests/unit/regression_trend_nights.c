/* Marks of nights in a trend, once the nights after them are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "regression/trend_nights.h"

#define NIGHTS_MOST 16

/* A letter a night: '.' passed, 'f' failed, 'w' warned, 'o' outlier. The level is 100 +- 2. */
static void put_nights(struct az_trend_nights *n, const char *marks, const double *value)
{
    az_vec_init(n, NULL);
    for (size_t i = 0; marks[i]; i++) {
        const struct az_sv mark = marks[i] == 'f'   ? AZ_SV("fail")
                                  : marks[i] == 'w' ? AZ_SV("warn")
                                  : marks[i] == 'o' ? AZ_SV("outlier")
                                                    : AZ_SV("");
        const struct az_trend_night one = { .run = (int64_t)i + 1,
                                            .mark = mark,
                                            .value = value[i],
                                            .level = 100,
                                            .low = 98,
                                            .high = 102 };
        assert_int_equal(az_vec_push(n, one), 0);
    }
}

static void corrects(void **state)
{
    static const struct {
        const char *marks, *corrected;
        double value[NIGHTS_MOST];
        size_t recovered, first, last;
        double part;
    } cases[] = {
        /* one night, back in the next: an outlier */
        { "..f..", "..o..", { 100, 100, 112, 100, 100 }, 0, 0, 0, 0 },
        { "..w..", "..o..", { 100, 100, 88, 100, 100 }, 0, 0, 0, 0 },
        /* confirmed by those after it, and it ended */
        { ".offf..", ".ffff..", { 100, 108, 107, 108, 108, 100, 100 }, 1, 1, 4, 0.08 },
        { ".oow.", ".www.", { 100, 108, 108, 108, 100 }, 1, 1, 3, 0.08 },
        /* it goes on: nothing recovered */
        { ".off", ".fff", { 100, 108, 107, 108 }, 0, 0, 0, 0 },
        { "...f", "...f", { 100, 100, 100, 112 }, 0, 0, 0, 0 },
        /* the next night passed, but is no nearer to the level: accepted, or a drift */
        { ".ff..", ".ff..", { 100, 108, 108, 108, 108 }, 0, 0, 0, 0 },
        { ".f.f.", ".f.f.", { 100, 104, 104.5, 105, 105.5 }, 0, 0, 0, 0 },
        /* none failed: outliers */
        { ".oo.", ".oo.", { 100, 108, 108, 100 }, 0, 0, 0, 0 },
        /* the other side is no confirmation */
        { ".of.f", ".of.f", { 100, 88, 103, 103, 103 }, 0, 0, 0, 0 },
        /* a recovery that is not established yet fails, too, at the level */
        { ".fff.", ".off.", { 100, 112, 100.8, 100.5, 100 }, 0, 0, 0, 0 },
        { "....", "....", { 100, 108, 100, 100 }, 0, 0, 0, 0 },
        { "", "", { 0 }, 0, 0, 0, 0 },
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct az_trend_nights n, expected;
        struct az_trend_recoveries r;
        put_nights(&n, cases[c].marks, cases[c].value);
        put_nights(&expected, cases[c].corrected, cases[c].value);
        az_vec_init(&r, NULL);
        assert_int_equal(az_trend_correct_marks(&n, &r), 0);
        for (size_t i = 0; i < n.n; i++)
            assert_true(az_sv_eq(n.v[i].mark, expected.v[i].mark));
        assert_int_equal(r.n, cases[c].recovered);
        if (r.n) {
            assert_int_equal(r.v[0].first, cases[c].first);
            assert_int_equal(r.v[0].last, cases[c].last);
            assert_true(fabs(r.v[0].part - cases[c].part) < 1e-9);
        }
        az_vec_release(&r);
        az_vec_release(&n);
        az_vec_release(&expected);
    }
}

/* The first nights have no level: nothing is corrected. */
static void no_level(void **state)
{
    const double value[] = { 112, 100, 108, 108, 100 };
    struct az_trend_nights n;
    struct az_trend_recoveries r;

    (void)state;
    put_nights(&n, "f.of.", value);
    for (size_t i = 0; i < n.n; i++)
        n.v[i].level = n.v[i].low = n.v[i].high = NAN;
    az_vec_init(&r, NULL);
    assert_int_equal(az_trend_correct_marks(&n, &r), 0);
    assert_true(az_sv_is(n.v[0].mark, "fail"));
    assert_int_equal(r.n, 0);
    az_vec_release(&r);
    az_vec_release(&n);
}

/* Nights that passed, beyond the range: strictly, and only where there is one. */
static void outside(void **state)
{
    const double value[] = { 97.9, 98, 102, 102.1, 110, 110 };
    struct az_trend_nights n;

    (void)state;
    put_nights(&n, "....f.", value);
    n.v[5].low = n.v[5].high = NAN;
    az_trend_mark_outside(&n);
    for (size_t i = 0; i < n.n; i++)
        assert_int_equal(az_sv_is(n.v[i].mark, "outside range"), i == 0 || i == 3);
    assert_true(az_sv_is(n.v[4].mark, "fail"));
    az_vec_release(&n);
}

/* Beginnings are of one change where they differ by less than a quarter of it. */
static void one_change(void **state)
{
    (void)state;
    assert_true(az_trend_is_one_change(10, 10) && az_trend_is_one_change(10, 8));
    assert_false(az_trend_is_one_change(10, 7) || az_trend_is_one_change(8, 6));
    assert_true(az_trend_is_one_change(9, 7));
    assert_false(az_trend_is_one_change(8, 9)); /* the later one is given last */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrects),
        cmocka_unit_test(no_level),
        cmocka_unit_test(outside),
        cmocka_unit_test(one_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
