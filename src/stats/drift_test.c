/* Drift: a slope over the newest nights (docs/formulas-nightly.md 5). */
#include <math.h>

#include "stats/baseline_stats.h"

#define SLOPE_Z    5.5
#define SLOPE_RUNS 8
#define BETTER     0.8 /* squares about a line, of those about the best step */

struct line {
    double slope, left, xx; /* left: squares about the line */
};

static double weight_of(const struct az_baseline_series *s, size_t i)
{
    return s->weight ? s->weight[i] : 1;
}

static struct line fit_line(const struct az_baseline_series *s, size_t from)
{
    double k = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;

    for (size_t i = from; i < s->n; i++)
        k += weight_of(s, i);
    for (size_t i = from; i < s->n; i++) {
        mx += weight_of(s, i) * s->day[i] / k;
        my += weight_of(s, i) * s->v[i] / k;
    }
    for (size_t i = from; i < s->n; i++) {
        const double x = s->day[i] - mx, y = s->v[i] - my, w = weight_of(s, i);
        xx += w * x * x;
        xy += w * x * y;
        yy += w * y * y;
    }
    if (!(xx > 0))
        return (struct line){ 0, yy, 0 };
    return (struct line){ xy / xx, fmax(0, yy - xy * xy / xx), xx };
}

/* Squares about the best pair of levels. */
static double best_step(const struct az_baseline_series *s, size_t from)
{
    double sum = 0, all = 0, squares = 0, best = INFINITY, left = 0, right = 0;

    for (size_t i = from; i < s->n; i++) {
        const double w = weight_of(s, i);
        right += w;
        all += w * s->v[i];
        squares += w * s->v[i] * s->v[i];
    }
    for (size_t i = from; i + 1 < s->n; i++) {
        const double w = weight_of(s, i);
        sum += w * s->v[i];
        left += w;
        right -= w;
        const double rest = all - sum;
        best = fmin(best, squares - sum * sum / left - rest * rest / right);
    }
    return best;
}

bool az_baseline_drift(const struct az_baseline_series *s, size_t from, double *slope)
{
    if (s->n - from < SLOPE_RUNS)
        return false;
    const struct line l = fit_line(s, from);
    const double inflate = sqrt((1 + s->correlation) / (1 - s->correlation)),
                 z = fabs(l.slope) * sqrt(l.xx) / (s->noise * inflate);
    *slope = l.slope;
    return z > SLOPE_Z + az_baseline_small((double)(s->n - from), s->correlation) &&
           l.left < BETTER * best_step(s, from);
}
