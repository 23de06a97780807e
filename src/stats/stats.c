/* Statistics: exact integer sums, selection, log histogram. */
#include "stats/stats.h"

#include <math.h>

#define SELECT_T         int64_t
#define SELECT_NAME(x)   x##_i64
#define SELECT_GAP(a, b) ((double)((__int128)(b) - (a)))
#include "stats/select_impl.h"
#undef SELECT_T
#undef SELECT_NAME
#undef SELECT_GAP
#define SELECT_T         double
#define SELECT_NAME(x)   x##_f64
#define SELECT_GAP(a, b) ((b) - (a))
#include "stats/select_impl.h"

void az_middle_i64(int64_t *v, size_t n, int64_t middle[2])
{
    const size_t k = (n - 1) / 2;
    select_i64(v, n, k);
    middle[0] = middle[1] = v[k];
    if (n % 2)
        return;
    int64_t next = v[k + 1];
    for (size_t i = k + 2; i < n; i++)
        next = v[i] < next ? v[i] : next;
    middle[1] = next;
}

/* The midpoint of the two central values for even n. n > 0. */
static double median_i64(int64_t *v, size_t n)
{
    int64_t m[2];
    az_middle_i64(v, n, m);
    return n % 2 ? (double)m[0] : (double)((__int128)m[0] + m[1]) / 2;
}

void az_stats_i64(int64_t *v, size_t n, struct az_stats *out)
{
    *out = (struct az_stats){ .n = n, .mean = NAN, .median = NAN, .std = NAN };
    if (n == 0)
        return;
    __int128 sum = 0;
    int64_t min = v[0], max = v[0];
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
        min = v[i] < min ? v[i] : min;
        max = v[i] > max ? v[i] : max;
    }
    out->sum = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
    out->min = min;
    out->max = max;
    out->mean = (double)sum / (double)n;
    if (n > 1) { /* before the selection, in the caller's order */
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            const double d = (double)v[i] - out->mean;
            squares += d * d;
        }
        out->std = sqrt(squares / (double)(n - 1));
    }
    out->median = median_i64(v, n);
}

/* The value at a place of the row that v[] stands for. */
static int64_t repeated_at(const struct az_repeated *v, size_t place)
{
    size_t before = 0, i = 0;
    while (before + v[i].times <= place)
        before += v[i++].times;
    return v[i].value;
}

void az_stats_repeated(const struct az_repeated *v, size_t n, struct az_stats *out)
{
    size_t all = 0, first = n, last = 0;
    __int128 sum = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        all += v[i].times;
        sum += (__int128)v[i].value * v[i].times;
        first = v[i].times && first == n ? i : first;
        last = v[i].times ? i : last;
    }
    *out = (struct az_stats){ .n = all, .mean = NAN, .median = NAN, .std = NAN };
    if (all == 0)
        return;
    out->sum = sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
    out->min = v[first].value;
    out->max = v[last].value;
    out->mean = (double)sum / (double)all;
    for (size_t i = 0; i < n; i++) {
        const double d = (double)v[i].value - out->mean;
        squares += v[i].times * (d * d);
    }
    if (all > 1)
        out->std = sqrt(squares / (double)(all - 1));
    const int64_t low = repeated_at(v, (all - 1) / 2), high = repeated_at(v, all / 2);
    out->median = all % 2 ? (double)low : (double)((__int128)low + high) / 2;
}

double az_percentile_i64(int64_t *v, size_t n, double p)
{
    return n ? percentile_i64(v, n, p) : NAN;
}

double az_percentile_f64(double *v, size_t n, double p)
{
    return n ? percentile_f64(v, n, p) : NAN;
}

double az_mean_f64(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return n ? sum / (double)n : NAN;
}

double az_std_f64(const double *v, size_t n, unsigned ddof)
{
    if (n <= ddof)
        return NAN;
    const double mean = az_mean_f64(v, n);
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    return sqrt(squares / (double)(n - ddof));
}

void az_moments_add(struct az_moments *m, double x)
{
    const double d = x - m->mean;
    m->n++;
    m->mean += d / (double)m->n;
    m->m2 += d * (x - m->mean);
}

void az_moments_merge(struct az_moments *into, const struct az_moments *from)
{
    const double a = (double)into->n, b = (double)from->n, d = from->mean - into->mean;
    if (from->n == 0)
        return;
    into->n += from->n;
    into->mean += a > 0 ? d * (b / (a + b)) : d;
    into->m2 += from->m2 + (a > 0 ? d * d * (a * b / (a + b)) : 0);
}

double az_moments_std(const struct az_moments *m, unsigned ddof)
{
    return m->n <= ddof ? NAN : sqrt(m->m2 / (double)(m->n - ddof));
}
