/* Nights of few steps and of many: the value of a night scatters by its steps and between nights,
 * and the first part falls with the number of steps, so that nights weigh differently
 * (docs/formulas-nightly.md 2). */
#include <math.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"
#include "stats/stats.h"

#define QUARTILE_TO_SIGMA 0.8693 /* 1 over the upper quartile of |x|, x normal */
#define EQUAL             1.25   /* errors within this ratio are equal */
#define LEAST             4      /* nights from which the scatter between nights is known, */
#define SURE              8      /* and from which it is known well */
#define ROUNDS            24     /* halvings of the interval that contains it */
#define WEIGHT_MOST       2.0    /* the scatter between nights is not known that well */
#define AROUND            7      /* nights on either side that predict a night */

/* Median error of the nights with a known error, used for the others; 0: none does. out: n
 * errors. */
static double fill_errors(const double *error, size_t n, double *out, double *room)
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (error[i] > 0)
            room[known++] = error[i];
    const double usual = known ? az_gate_median(room, known) : 0;
    for (size_t i = 0; i < n; i++)
        out[i] = error[i] > 0 ? error[i] : usual;
    return usual;
}

static bool are_equal(const double *s, size_t n)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < n; i++) {
        least = fmin(least, s[i]);
        most = fmax(most, s[i]);
    }
    return most <= EQUAL * least;
}

/* Scale of the differences of neighbors in standard deviations that they have by their errors and
 * this variance between nights. */
static double scale_with(const double *y, const double *s, size_t n, double between, double *room)
{
    for (size_t i = 0; i + 1 < n; i++)
        room[i] = fabs(y[i + 1] - y[i]) / sqrt(2 * between + s[i] * s[i] + s[i + 1] * s[i + 1]);
    return QUARTILE_TO_SIGMA * az_percentile_f64(room, n - 1, 75);
}

/* Variance between nights: that with which differences are as large as they should be; 0 where the
 * steps alone explain them. */
static double variance_between(const double *y, const double *s, size_t n, double *room)
{
    double low = 0, high = 0;

    if (n < LEAST || scale_with(y, s, n, 0, room) <= 1)
        return 0;
    for (size_t i = 0; i + 1 < n; i++)
        high = fmax(high, (y[i + 1] - y[i]) * (y[i + 1] - y[i]));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const double middle = (low + high) / 2;
        if (scale_with(y, s, n, middle, room) > 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Where night i should be: the weighted median of those around it. */
static double around(const double *y, const double *weight, size_t n, size_t i)
{
    double v[2 * AROUND], w[2 * AROUND], all = 0, sum = 0;
    const size_t from = i > AROUND ? i - AROUND : 0, to = i + AROUND < n ? i + AROUND + 1 : n;
    size_t k = 0;

    for (size_t j = from; j < to; j++) {
        if (j == i)
            continue;
        size_t at = k++;
        for (; at > 0 && v[at - 1] > y[j]; at--) {
            v[at] = v[at - 1];
            w[at] = w[at - 1];
        }
        v[at] = y[j];
        w[at] = weight[j];
        all += weight[j];
    }
    for (size_t j = 0; j < k; j++) {
        sum += w[j];
        if (2 * sum >= all)
            return v[j];
    }
    return y[i];
}

bool az_baseline_weigh(const double *y, const double *error, size_t n, double *weight,
                       double *scratch, double *usual)
{
    double *s = weight, *room = scratch;

    *usual = fill_errors(error, n, s, room);
    const bool same = !(*usual > 0) || n < 2 || are_equal(s, n);
    double between = same ? 0 : variance_between(y, s, n - 1, room);
    if (n - 1 < SURE) /* few nights do not show that there is none */
        between = fmax(between, *usual * *usual * (1 - (double)(n - 1) / SURE));
    for (size_t i = 0; i < n; i++)
        weight[i] =
            same ? 1 : fmin(WEIGHT_MOST, (between + *usual * *usual) / (between + s[i] * s[i]));
    return !same;
}

void az_baseline_even(const double *y, const double *weight, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        const double middle = around(y, weight, n, i);
        out[i] = middle + (y[i] - middle) * sqrt(weight[i]);
    }
}
