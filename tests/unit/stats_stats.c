/* Statistics against naive forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

/* The selection itself, to reach its fall-back. */
#define SELECT_T         int64_t
#define SELECT_NAME(x)   x##_here
#define SELECT_GAP(a, b) ((double)((b) - (a)))
#include "stats/select_impl.h"

static uint64_t next_random(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void empty_and_single(void **state)
{
    (void)state;
    struct az_stats s;
    az_stats_i64(NULL, 0, &s);
    assert_true(s.n == 0 && s.sum == 0 && s.min == 0 && s.max == 0);
    assert_true(isnan(s.mean) && isnan(s.median) && isnan(s.std));
    int64_t one[] = { -5 };
    az_stats_i64(one, 1, &s);
    assert_true(s.n == 1 && s.sum == -5 && s.min == -5 && s.max == -5 && s.mean == -5 &&
                s.median == -5);
    assert_true(isnan(s.std));
    assert_true(isnan(az_percentile_i64(NULL, 0, 50)));
    assert_true(isnan(az_percentile_f64(NULL, 0, 50)));
    assert_true(az_percentile_i64(one, 1, 99) == -5);
    assert_true(isnan(az_mean_f64(NULL, 0)));
    assert_true(isnan(az_std_f64(&(double){ 1 }, 1, 1)));
    assert_true(az_std_f64(&(double){ 1 }, 1, 0) == 0);
    assert_true(isnan(az_std_f64(NULL, 0, 0)));
}

static void known_figures(void **state)
{
    (void)state;
    struct az_stats s;
    int64_t v[] = { 9, 2, 5, 4, 12, 7, 8, 11, 9, 3, 7, 4, 12, 5, 4, 10, 9, 6, 9, 4 };
    az_stats_i64(v, 20, &s);
    assert_true(s.sum == 140 && s.min == 2 && s.max == 12 && s.mean == 7 && s.median == 7);
    assert_true(fabs(s.std - 3.0607876523260447) < 1e-15);
    int64_t even[] = { 4, 1, 3, 2 };
    az_stats_i64(even, 4, &s);
    assert_true(s.median == 2.5);
    double f[] = { 1, 2, 3, 4 };
    assert_true(az_mean_f64(f, 4) == 2.5);
    assert_true(az_std_f64(f, 4, 0) == sqrt(1.25));
    assert_true(az_std_f64(f, 4, 1) == sqrt(5.0 / 3));
    /* numpy.percentile([15, 20, 35, 40, 50], ...) */
    int64_t w[] = { 50, 15, 40, 20, 35 };
    assert_true(az_percentile_i64(w, 5, 40) == 29);
    assert_true(az_percentile_i64(w, 5, 0) == 15);
    assert_true(az_percentile_i64(w, 5, 100) == 50);
    assert_true(az_percentile_i64(w, 5, 50) == 35);
    assert_true(az_percentile_i64(w, 5, -3) == 15);
    assert_true(az_percentile_i64(w, 5, 300) == 50);
    assert_true(az_percentile_i64(w, 5, 25) == 20);
    double g[] = { 3, 1, 2 };
    assert_true(az_percentile_f64(g, 3, 75) == 2.5);
}

static void large_values(void **state)
{
    (void)state;
    struct az_stats s;
    int64_t v[] = { INT64_MAX, INT64_MAX, INT64_MAX };
    az_stats_i64(v, 3, &s);
    assert_true(s.sum == INT64_MAX); /* saturates; the mean does not */
    assert_true(s.mean == (double)INT64_MAX && s.median == (double)INT64_MAX);
    int64_t w[] = { INT64_MIN, INT64_MAX };
    az_stats_i64(w, 2, &s);
    assert_true(s.sum == -1 && s.median == -0.5 && s.mean == -0.5);
    assert_true(az_percentile_i64(w, 2, 0) == (double)INT64_MIN);
    assert_true(fabs(az_percentile_i64(w, 2, 50)) < 4096); /* the gap does not overflow */
    int64_t middle[2];
    az_middle_i64(w, 2, middle);
    assert_true(middle[0] == INT64_MIN && middle[1] == INT64_MAX);
    az_middle_i64(v, 3, middle);
    assert_true(middle[0] == INT64_MAX && middle[1] == INT64_MAX);
    int64_t x[] = { INT64_MIN, INT64_MIN };
    az_stats_i64(x, 2, &s);
    assert_true(s.sum == INT64_MIN && s.mean == (double)INT64_MIN && s.std == 0);
}

static void check_percentiles(int64_t *v, size_t n)
{
    static const double ps[] = { 0, 1, 5, 25, 33.3, 50, 75, 90, 95, 99, 99.9, 100 };
    int64_t *sorted = malloc(n * sizeof *sorted);
    double *f = malloc(n * sizeof *f);
    memcpy(sorted, v, n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        f[i] = (double)v[i];
    qsort(sorted, n, sizeof *sorted, by_value);
    for (size_t i = 0; i < AZ_LENGTH(ps); i++) {
        const double rank = (double)(n - 1) * (ps[i] / 100), t = rank - floor(rank);
        const size_t k = (size_t)rank;
        const double a = (double)sorted[k], b = (double)sorted[k + 1 < n ? k + 1 : k];
        const double want = t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
        assert_true(az_percentile_i64(v, n, ps[i]) == want);
        assert_true(az_percentile_f64(f, n, ps[i]) == want);
    }
    struct az_stats s;
    az_stats_i64(v, n, &s);
    assert_true(s.median == ((double)sorted[(n - 1) / 2] + (double)sorted[n / 2]) / 2);
    assert_true(s.min == sorted[0] && s.max == sorted[n - 1]);
    qsort(v, n, sizeof *v, by_value); /* the same values are still there */
    assert_memory_equal(v, sorted, n * sizeof *v);
    free(sorted);
    free(f);
}

static void percentiles_like_sorting(void **state)
{
    (void)state;
    uint64_t s = 23;
    static int64_t v[4000];
    for (size_t n = 1; n <= 4000; n = n * 2 + 1) {
        static const uint64_t ranges[] = { 1, 2, 10, 1000000 };
        for (size_t r = 0; r < 4; r++) {
            for (size_t i = 0; i < n; i++)
                v[i] = (int64_t)(next_random(&s) % ranges[r]) - 3;
            check_percentiles(v, n);
        }
        for (size_t i = 0; i < n; i++) /* organ pipe: bad for a median of three */
            v[i] = (int64_t)(i < n / 2 ? i : n - i);
        check_percentiles(v, n);
    }
}

/* Musser's list against the median of three, and the fall-back for what defeats it, which sorts. */
static void bad_lists_end(void **state)
{
    (void)state;
    enum { N = 1 << 16 };
    int64_t *v = malloc(N * sizeof *v);
    const int64_t k = N / 2;
    for (int64_t i = 1; i <= k; i++) {
        v[i - 1] = i % 2 ? i : k + i - 1;
        v[k + i - 1] = 2 * i;
    }
    int64_t *sorted = malloc(N * sizeof *sorted);
    memcpy(sorted, v, N * sizeof *v);
    qsort(sorted, N, sizeof *sorted, by_value);
    assert_true(percentile_here(v, N, 50) ==
                ((double)sorted[N / 2 - 1] + (double)sorted[N / 2]) / 2);
    uint64_t s = 41;
    for (size_t n = 0; n < 300; n++) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = v[i] = (int64_t)(next_random(&s) % (n + 1));
        heap_sort_here(v, n);
        qsort(sorted, n, sizeof *sorted, by_value);
        assert_memory_equal(v, sorted, n * sizeof *v);
    }
    free(v);
    free(sorted);
}

static void moments_of_parts(void **state)
{
    const double v[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    struct az_moments all = { 0 }, a = { 0 }, b = { 0 }, none = { 0 };
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        az_moments_add(&all, v[i]);
        az_moments_add(i < 3 ? &a : &b, v[i]);
    }
    az_moments_merge(&a, &b);
    assert_int_equal(a.n, 8);
    assert_true(fabs(a.mean - 31.0 / 8) < 1e-15);
    assert_true(fabs(a.m2 - all.m2) < 1e-12);
    assert_true(fabs(az_moments_std(&a, 1) - az_std_f64(v, 8, 1)) < 1e-14);
    assert_true(fabs(az_moments_std(&a, 0) - az_std_f64(v, 8, 0)) < 1e-14);
    az_moments_merge(&none, &a); /* into nothing, and nothing into it */
    assert_true(none.n == 8 && none.mean == a.mean && none.m2 == a.m2);
    az_moments_merge(&none, &(struct az_moments){ 0 });
    assert_true(none.n == 8 && none.mean == a.mean);
}

static void moments_of_equal_values(void **state)
{
    struct az_moments a = { 0 }, b = { 0 };
    (void)state;
    assert_true(isnan(az_moments_std(&a, 0)));
    for (int i = 0; i < 1000; i++) {
        az_moments_add(&a, 2.4223528732313e12);
        az_moments_add(&b, 2.4223528732313e12);
    }
    az_moments_merge(&a, &b);
    assert_true(az_moments_std(&a, 1) == 0); /* exactly */
    assert_true(a.mean == 2.4223528732313e12);
}

/* The same as of the row that is stood for. */
static void repeated(void **state)
{
    static const struct {
        size_t n;
        struct az_repeated v[4];
    } c[] = {
        { 0, { { 0 } } },
        { 2, { { 3, 0 }, { 5, 0 } } },
        { 1, { { -5, 1 } } },
        { 1, { { 7, 4 } } },
        { 2, { { 1, 1 }, { 2, 1 } } },
        { 2, { { 1, 2 }, { 4, 1 } } },
        { 2, { { 1, 1 }, { 4, 2 } } },
        { 2, { { 1, 2 }, { 4, 2 } } },
        { 4, { { -9, 0 }, { -3, 2 }, { 4, 3 }, { 90, 0 } } },
        { 4, { { -3, 1 }, { 0, 5 }, { 4, 0 }, { 8, 1 } } },
        { 2, { { INT64_MIN, 1 }, { INT64_MIN + 1, 1 } } },
        { 2, { { INT64_MAX - 1, 2 }, { INT64_MAX, 1 } } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct az_stats got, want;
        int64_t row[20];
        size_t n = 0;
        for (size_t k = 0; k < c[i].n; k++)
            for (uint32_t t = 0; t < c[i].v[k].times; t++)
                row[n++] = c[i].v[k].value;
        az_stats_repeated(c[i].v, c[i].n, &got);
        az_stats_i64(row, n, &want);
        assert_int_equal(got.n, want.n);
        assert_true(got.sum == want.sum && got.min == want.min && got.max == want.max);
        assert_true(isnan(want.mean) ? isnan(got.mean) : got.mean == want.mean);
        assert_true(isnan(want.median) ? isnan(got.median) : got.median == want.median);
        assert_true(isnan(want.std) ? isnan(got.std)
                                    : fabs(got.std - want.std) <= 1e-9 * fabs(want.std));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_parts),
        cmocka_unit_test(moments_of_equal_values),
        cmocka_unit_test(empty_and_single),
        cmocka_unit_test(repeated),
        cmocka_unit_test(known_figures),
        cmocka_unit_test(large_values),
        cmocka_unit_test(percentiles_like_sorting),
        cmocka_unit_test(bad_lists_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
