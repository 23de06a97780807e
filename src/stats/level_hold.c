/* Does a worse level last? A metric that failed fails until its nights are at the accepted level
 * again, and until then no night passes by chance; its total loss since that level has a limit of
 * its own. */
#include <math.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

#define BACK_ODDS  4.6 /* logarithm of the odds at which a level is back: 100 to 1 */
#define GAP_Z      2.2 /* standard errors; levels that are nearer are one */
#define LEVEL_RUNS 5   /* nights that the worse level is known from at least */
#define HELD_MOST  10  /* nights; what is a level is found again by then */
#define TOTAL_RUNS 8   /* nights of a slope: of fewer the correlation is not known */
#define TOTAL_Z    2.9 /* standard errors of it, */
#define TOTAL_MORE 0.5 /* and more, the more nights it was examined */
#define NO_LINE    2.0 /* times the noise's square: what scatters so about a line is none */
#define TOTAL_LATE 12  /* nights: all of that */

static double weight_of(const struct az_level_hold *h, size_t i)
{
    return h->weight ? h->weight[i] : 1;
}

/* Weighted mean of v[from..to); *all: the weight of these nights. */
static double mean_of(const struct az_level_hold *h, size_t from, size_t to, double *all)
{
    double sum = 0;

    *all = 0;
    for (size_t i = from; i < to; i++)
        *all += weight_of(h, i);
    for (size_t i = from; i < to; i++)
        sum += weight_of(h, i) * h->v[i] / *all;
    return sum;
}

bool az_baseline_is_back(const struct az_level_hold *h)
{
    const size_t last = h->n - 1;
    size_t from = last;

    while (from > 0 && h->failed && h->failed[from - 1])
        from--;
    if (from == last || last - from > HELD_MOST)
        return true;
    size_t first = from;
    while (first > 0 && last - first < LEVEL_RUNS)
        first--;
    double of_bad;
    const double bad = mean_of(h, first, last, &of_bad),
                 gap = h->worse ? (bad - h->center) * h->worse : fabs(bad - h->center),
                 way = bad > h->center ? 1 : -1, middle = (bad + h->center) / 2,
                 variance = h->noise * h->noise;
    double odds = 0;
    if (!(gap > GAP_Z * h->noise * sqrt(1 / of_bad + 1 / h->of_center)))
        return true;
    /* the first night was chosen for being bad, and is no further evidence */
    for (size_t i = from + 1; i <= last; i++)
        odds = fmax(0, odds - way * weight_of(h, i) * (h->v[i] - middle) * fabs(bad - h->center) /
                                  variance);
    return odds > BACK_ODDS;
}

double az_baseline_total(const struct az_level_hold *h, size_t from, double known)
{
    const double n = (double)(h->n - from);
    double xy = 0, xx = 0, yy = 0, all, mean_x = 0;

    if (h->n - from < TOTAL_RUNS)
        return 0;
    const double mean = mean_of(h, from, h->n, &all);
    for (size_t i = from; i < h->n; i++)
        mean_x += weight_of(h, i) * (double)(i - from) / all;
    for (size_t i = from; i < h->n; i++) {
        const double x = (double)(i - from) - mean_x, y = h->v[i] - mean, w = weight_of(h, i);
        xy += w * x * y;
        xx += w * x * x;
        yy += w * y * y;
    }
    /* what is no line scatters about it; else the mean square of that and of the noise, each by the
     * nights that it is known from */
    const double slope = xy / xx, left = fmax(0, yy - xy * slope) / (n - 2),
                 one = h->noise * h->noise,
                 square = left > NO_LINE * one ? left : (known * one + n * left) / (known + n),
                 z = fabs(slope) * sqrt(xx / square);
    const double looked = fmin(1, (n - TOTAL_RUNS) / (TOTAL_LATE - TOTAL_RUNS));
    return z > TOTAL_Z + TOTAL_MORE * looked + az_baseline_small(known, 0) ? slope * (n - 1) : 0;
}
