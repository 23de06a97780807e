/* Does a worse level last? A figure that failed fails until its nights show that they are at the
 * accepted level again, and until then no night passes by luck; and what it lost in all since that
 * level has a limit of its own. */
#include <math.h>

#include "stats/gate_stats.h"
#include "stats/nights.h"

#define BACK_ODDS  4.6 /* logarithm of the odds at which a level is back: 100 to 1 */
#define GAP_Z      2.2 /* standard errors; levels that are nearer are one */
#define LEVEL_RUNS 5   /* nights that the worse level is known from at least */
#define HELD_MOST  10  /* nights; what is a level is found anew by then */
#define TOTAL_RUNS 6   /* nights of a slope at least */
#define TOTAL_Z    3.0 /* standard errors of it */

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] / (double)n;
    return sum;
}

bool az_nights_is_back(const struct az_nights_hold *h)
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
    const double bad = mean_of(h->v + first, last - first),
                 gap = h->worse ? (bad - h->center) * h->worse : fabs(bad - h->center),
                 way = bad > h->center ? 1 : -1, middle = (bad + h->center) / 2,
                 variance = h->noise * h->noise;
    double odds = 0;
    if (!(gap > GAP_Z * h->noise * sqrt(1 / (double)(last - first) + 1 / (double)h->n_center)))
        return true;
    /* the first night was chosen for being bad, and says nothing more */
    for (size_t i = from + 1; i <= last; i++)
        odds = fmax(0, odds - way * (h->v[i] - middle) * fabs(bad - h->center) / variance);
    return odds > BACK_ODDS;
}

double az_nights_total(const struct az_nights_hold *h, size_t from, double known)
{
    const double n = (double)(h->n - from), mean_x = (n - 1) / 2;
    double xy = 0, xx = 0, yy = 0;

    if (h->n - from < TOTAL_RUNS)
        return 0;
    const double mean = mean_of(h->v + from, h->n - from);
    for (size_t i = from; i < h->n; i++) {
        const double x = (double)(i - from) - mean_x, y = h->v[i] - mean;
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    /* what is no line scatters about it */
    const double slope = xy / xx, left = sqrt(fmax(0, yy - xy * slope) / (n - 2)),
                 z = fabs(slope) * sqrt(xx) / fmax(h->noise, left);
    return z > TOTAL_Z + az_nights_small(known, 0) ? slope * (n - 1) : 0;
}
