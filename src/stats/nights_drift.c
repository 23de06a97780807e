/* Drift: a slope over the newest nights (docs/formulas-nightly.md 5). */
#include <math.h>

#include "stats/nights.h"

#define SLOPE_Z    5.5
#define SLOPE_RUNS 8
#define BETTER     0.8 /* squares about a line, of those about the best step */

struct line {
    double slope, left, xx; /* left: squares about the line */
};

static struct line fit(const struct az_nights_series *s, size_t from)
{
    const double k = (double)(s->n - from);
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;

    for (size_t i = from; i < s->n; i++) {
        mx += s->day[i] / k;
        my += s->v[i] / k;
    }
    for (size_t i = from; i < s->n; i++) {
        const double x = s->day[i] - mx, y = s->v[i] - my;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    if (!(xx > 0))
        return (struct line){ 0, yy, 0 };
    return (struct line){ xy / xx, fmax(0, yy - xy * xy / xx), xx };
}

/* Squares about the best pair of levels. */
static double best_step(const struct az_nights_series *s, size_t from)
{
    double sum = 0, all = 0, squares = 0, best = INFINITY;
    const size_t k = s->n - from;

    for (size_t i = from; i < s->n; i++) {
        all += s->v[i];
        squares += s->v[i] * s->v[i];
    }
    for (size_t i = 1; i < k; i++) {
        sum += s->v[from + i - 1];
        const double rest = all - sum, left = (double)i, right = (double)(k - i);
        best = fmin(best, squares - sum * sum / left - rest * rest / right);
    }
    return best;
}

bool az_nights_drift(const struct az_nights_series *s, size_t from, double *slope)
{
    if (s->n - from < SLOPE_RUNS)
        return false;
    const struct line l = fit(s, from);
    const double inflate = sqrt((1 + s->correlation) / (1 - s->correlation)),
                 z = fabs(l.slope) * sqrt(l.xx) / (s->noise * inflate);
    *slope = l.slope;
    return z > SLOPE_Z + az_nights_small((double)(s->n - from), s->correlation) &&
           l.left < BETTER * best_step(s, from);
}
