/* The course of one clock: medians of whole numbers, differences that are no times any more, pieces
 * of a track, and courses that are known exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/collectives/clock.h"

static int64_t median(size_t n, const int64_t *of)
{
    int64_t v[64];
    memcpy(v, of, n * sizeof *v);
    return az_coll_median(v, n);
}

static void medians(void **state)
{
    (void)state;
    assert_int_equal(median(0, (const int64_t[]){ 7 }), 0);
    assert_int_equal(median(1, (const int64_t[]){ 7 }), 7);
    assert_int_equal(median(2, (const int64_t[]){ 9, 4 }), 6);    /* 6.5, towards the lower one */
    assert_int_equal(median(2, (const int64_t[]){ -9, -4 }), -7); /* -9 + 5/2 */
    assert_int_equal(median(2, (const int64_t[]){ INT64_MAX, INT64_MIN }),
                     INT64_MIN + AZ_COLL_MOST_NS / 2); /* their difference is cut */
    static const int64_t three[][3] = { { 1, 2, 30 }, { 1, 30, 2 }, { 2, 1, 30 },
                                        { 2, 30, 1 }, { 30, 1, 2 }, { 30, 2, 1 } };
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(median(3, three[i]), 2);
    assert_int_equal(median(4, (const int64_t[]){ 40, 10, 30, 20 }), 25);
    assert_int_equal(median(5, (const int64_t[]){ 5, 4, 3, 2, 1 }), 3);
    int64_t v[64], w[64];
    for (size_t i = 0; i < 26; i++) { /* 1 to 26: 13.5, towards the first one */
        v[i] = (int64_t)i + 1;
        w[i] = 26 - (int64_t)i;
    }
    w[1] = 1, w[25] = 25;
    assert_int_equal(median(26, v), 13);
    assert_int_equal(median(26, w), 14);
    for (size_t n = 22; n <= 40; n++) { /* sorted by hand up to 24 */
        for (size_t i = 0; i < n; i++)
            v[i] = (int64_t)(n - i) * 10;
        /* 10 to 10 n: the middle of an even number is a multiple of 5 */
        assert_int_equal(median(n, v), 5 * (int64_t)(n + 1));
    }
}

static void differences(void **state)
{
    (void)state;
    assert_int_equal(az_coll_minus(5, 7), -2);
    assert_int_equal(az_coll_minus(AZ_COLL_MOST_NS, 0), AZ_COLL_MOST_NS);
    assert_int_equal(az_coll_minus(AZ_COLL_MOST_NS, -1), AZ_COLL_MOST_NS);
    assert_int_equal(az_coll_minus(-AZ_COLL_MOST_NS, 1), -AZ_COLL_MOST_NS);
    assert_int_equal(az_coll_minus(1 - AZ_COLL_MOST_NS, 0), 1 - AZ_COLL_MOST_NS);
    assert_int_equal(az_coll_minus(INT64_MAX, INT64_MIN), AZ_COLL_MOST_NS);
    assert_int_equal(az_coll_minus(INT64_MIN, INT64_MAX), -AZ_COLL_MOST_NS);
}

static void pieces(void **state)
{
    (void)state;
    struct az_coll_track k = { .n = 0 };
    assert_int_equal(az_coll_ahead(&k, 5), 0);
    k = (struct az_coll_track){ .n = 3,
                                .piece = { { 100, 10, 0 }, { 200, 50, 0.5 }, { 300, -8, 0 } } };
    assert_int_equal(az_coll_ahead(&k, -1000), 10); /* before the first */
    assert_int_equal(az_coll_ahead(&k, 100), 10);
    assert_int_equal(az_coll_ahead(&k, 199), 10);
    assert_int_equal(az_coll_ahead(&k, 200), 50);
    assert_int_equal(az_coll_ahead(&k, 210), 55);
    assert_int_equal(az_coll_ahead(&k, 299), 100); /* 50 + 49.5 */
    assert_int_equal(az_coll_ahead(&k, 300), -8);
    assert_int_equal(az_coll_ahead(&k, 1000), -8);
    assert_int_equal(az_coll_size(-3), 3);
    assert_int_equal(az_coll_size(3), 3);
}

enum { MOST = 400 };
static int64_t t[MOST], y[MOST], scratch[MOST];

static void differences_at(size_t n, int64_t distance)
{
    for (size_t i = 0; i < n; i++)
        t[i] = 1000000 + (int64_t)i * distance;
}

static void constant(void **state)
{
    (void)state;
    struct az_coll_track k;
    az_coll_fit(t, y, 0, true, scratch, &k);
    assert_int_equal(k.n, 0);
    for (size_t n = 1; n < 20; n++) { /* from 8 on in bins */
        differences_at(n, 1000000);
        for (size_t i = 0; i < n; i++)
            y[i] = -4200;
        az_coll_fit(t, y, n, true, scratch, &k);
        assert_int_equal(k.n, 1);
        assert_int_equal(k.piece[0].from, t[0]);
        assert_true(k.piece[0].offset == -4200 && k.piece[0].drift == 0);
        assert_int_equal(az_coll_unfit(t, y, n, scratch, &k), 0);
    }
    y[0] = y[1] = y[2] = 90; /* n = 19: the first bin of 4, of which 3 are off by 4290 */
    assert_int_equal(az_coll_unfit(t, y, 19, scratch, &k), 4290);
    y[0] = -8500;
    y[1] = y[2] = -8500;
    assert_int_equal(az_coll_unfit(t, y, 19, scratch, &k), 4300);
}

/* A straight line of a drift within what clocks have is found, and beyond that only so far. */
static void drifting(void **state)
{
    (void)state;
    struct az_coll_track k;
    differences_at(MOST, 10000000); /* 4 s */
    static const double drifts[] = { 30e-6, -30e-6, 99e-6 };
    for (size_t d = 0; d < 3; d++) {
        for (size_t i = 0; i < MOST; i++)
            y[i] = 500 + (int64_t)(drifts[d] * (double)(t[i] - t[0]));
        az_coll_fit(t, y, MOST, true, scratch, &k);
        assert_int_equal(k.n, 1);
        assert_float_equal(k.piece[0].drift, drifts[d], 1e-9);
        assert_float_equal(k.piece[0].offset, 500, 3);
        assert_true(az_coll_unfit(t, y, MOST, scratch, &k) < 10);
    }
    for (size_t i = 0; i < MOST; i++)
        y[i] = (int64_t)(300e-6 * (double)(t[i] - t[0]));
    az_coll_fit(t, y, MOST, false, scratch, &k);
    assert_int_equal(k.n, 1);
    assert_float_equal(k.piece[0].drift, 100e-6, 1e-12); /* the most that a clock drifts */
}

/* A step where the clock was set: the piece begins at the first difference after it, wherever in
 * its bin that is. */
static void stepping(void **state)
{
    (void)state;
    struct az_coll_track k;
    differences_at(MOST, 10000000);
    static const size_t at[] = { 98, 99, 100, 101, 200, 300, 341 };
    for (size_t c = 0; c < AZ_LENGTH(at); c++) {
        for (size_t i = 0; i < MOST; i++)
            y[i] = i < at[c] ? 700 : 900700;
        az_coll_fit(t, y, MOST, true, scratch, &k);
        if (at[c] % 100 <= 1) {
            assert_int_equal(k.n, 2);
            assert_int_equal(k.piece[1].from, t[at[c]]);
        }
        assert_int_equal(az_coll_ahead(&k, t[at[c] - 1]), 700);
        assert_int_equal(az_coll_ahead(&k, t[at[c]]), 900700);
        az_coll_fit(t, y, MOST, false, scratch, &k); /* steps are not asked for */
        assert_int_equal(k.n, 1);
    }
    for (size_t i = 0; i < MOST; i++)
        y[i] = i < 120 ? 0 : i < 280 ? -500000 : 250000;
    az_coll_fit(t, y, MOST, true, scratch, &k);
    assert_int_equal(k.n, 3);
    assert_int_equal(k.piece[1].from, t[120]);
    assert_int_equal(k.piece[2].from, t[280]);
    assert_int_equal(az_coll_ahead(&k, t[200]), -500000);
    assert_int_equal(az_coll_ahead(&k, t[399]), 250000);
}

static void roots(void **state)
{
    (void)state;
    uint32_t of[] = { 0, 0, 1, 2, 4, 4 }, chain[6];
    assert_int_equal(az_coll_root(of, 3), 0);
    assert_int_equal(az_coll_root(of, 5), 4);
    struct az_clocks k = { .units = 6, .chain = chain };
    const uint32_t part[] = { 0, 1, 0, 1, 0, 5 };
    az_coll_chain(&k, part);
    const uint32_t want[] = { 2, 3, 4, AZ_NO_ROW, AZ_NO_ROW, AZ_NO_ROW };
    assert_memory_equal(chain, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),  cmocka_unit_test(differences), cmocka_unit_test(pieces),
        cmocka_unit_test(constant), cmocka_unit_test(drifting),    cmocka_unit_test(stepping),
        cmocka_unit_test(roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
