/* Steps or a gradual change (docs/formulas-nightly.md 5). The levels of a series are replaced by
 * ramps (a level, a slope, another level) where the sum of squares and a penalty per parameter
 * (Schwarz 1978) are smaller: dynamic programming over the ends of the levels. */
#include <math.h>

#include "stats/baseline_stats.h"

#define RAMP_RUNS   5   /* of a slope; a change within fewer is a step */
#define TRIES       48  /* ends of a slope that are tried, about */
#define RAMP_Z      4.2 /* standard errors of the change of a ramp */
#define FORM_Z      3.0 /* so, where levels differ, which shows a change already */
#define NO_RAMP     2.5 /* times the noise's square: what scatters so about a ramp is none */
#define LEVEL_COSTS 2   /* parameters: its size and its first night */
#define ENDS_COSTS  4   /* so, of a ramp that ends; */
#define OPEN_COSTS  3   /* of one that goes on */
#define RARER       3.0 /* twice the logarithm of the odds of a step before the series is seen */

/* Sums of v[0..i) by weight; x is the number of a night. */
struct sums {
    double w, y, yy, x, xx, xy;
};

struct series {
    const struct az_baseline_series *of;
    const struct sums *sum;
    double variance; /* of a night of weight 1, times what correlation adds to that of a mean */
    double penalty;  /* of a parameter */
    double least;    /* standard errors of the change of a ramp */
};

struct ramp {
    size_t from, to; /* last night of the first level, first night of the other */
    double level, change, cost;
};

static struct sums between(const struct series *s, size_t a, size_t b)
{
    const struct sums *p = &s->sum[a], *q = &s->sum[b];
    return (struct sums){ q->w - p->w, q->y - p->y,   q->yy - p->yy,
                          q->x - p->x, q->xx - p->xx, q->xy - p->xy };
}

static void add_up(const struct az_baseline_series *of, struct sums *sum)
{
    sum[0] = (struct sums){ .w = 0 };
    for (size_t i = 0; i < of->n; i++) {
        const double w = of->weight ? of->weight[i] : 1, x = (double)i, y = of->v[i] - of->v[0];
        sum[i + 1] =
            (struct sums){ sum[i].w + w,     sum[i].y + w * y,      sum[i].yy + w * y * y,
                           sum[i].x + w * x, sum[i].xx + w * x * x, sum[i].xy + w * x * y };
    }
}

/* Least squares of a level, and of a change of which a night has the part r: 0 up to `from`, 1 from
 * `to` on. false: the change is not significant, or the nights are not near the ramp. */
static bool fit_ramp(const struct series *s, size_t a, size_t b, struct ramp *out)
{
    const double begin = (double)out->from, length = (double)(out->to - out->from);
    const struct sums all = between(s, a, b),
                      slope = between(s, out->from, out->to < b ? out->to : b),
                      after = out->to < b ? between(s, out->to, b) : (struct sums){ .w = 0 };
    const double r = (slope.x - begin * slope.w) / length + after.w,
                 rr = (slope.xx - 2 * begin * slope.x + begin * begin * slope.w) /
                          (length * length) +
                      after.w,
                 ry = (slope.xy - begin * slope.y) / length + after.y, xx = rr - r * r / all.w,
                 xy = ry - r * all.y / all.w, yy = all.yy - all.y * all.y / all.w;

    if (!(xx > 0))
        return false;
    out->change = xy / xx;
    out->level = (all.y - out->change * r) / all.w + s->of->v[0];
    const bool ends = out->to + 1 < b || b < s->of->n;
    const double squares = fmax(0, yy - xy * xy / xx) / s->variance;
    out->cost = squares + s->penalty * (ends ? ENDS_COSTS : OPEN_COSTS) + RARER;
    return fabs(out->change) * sqrt(xx / s->variance) > s->least && squares < NO_RAMP * all.w;
}

/* The best of the ramps that begin and end at about these nights. */
static void try_ramps(const struct series *s, size_t a, size_t b, const size_t low[2],
                      const size_t high[2], size_t stride, struct ramp *best)
{
    for (size_t from = low[0]; from <= high[0]; from += stride)
        for (size_t to = high[1]; to >= low[1] && to >= from + RAMP_RUNS; to -= stride) {
            struct ramp r = { .from = from, .to = to };
            if (fit_ramp(s, a, b, &r) && r.cost < best->cost)
                *best = r;
            if (to < low[1] + stride)
                break;
        }
}

/* The best ramp of nights a to b; its cost is infinite where there is none. */
static struct ramp best_ramp(const struct series *s, size_t a, size_t b)
{
    const size_t stride = 1 + (b - a) / TRIES;
    struct ramp best = { .cost = INFINITY };

    if (b - a <= RAMP_RUNS)
        return best;
    try_ramps(s, a, b, (size_t[]){ a, a }, (size_t[]){ b - 1, b - 1 }, stride, &best);
    if (best.cost < INFINITY && stride > 1) {
        const size_t from = best.from, to = best.to;
        try_ramps(s, a, b, (size_t[]){ from < a + stride ? a : from - stride, to - stride },
                  (size_t[]){ from + stride, to + stride < b ? to + stride : b - 1 }, 1, &best);
    }
    return best;
}

static double level_cost(const struct series *s, size_t a, size_t b)
{
    const struct sums all = between(s, a, b);
    return fmax(0, all.yy - all.y * all.y / all.w) / s->variance + s->penalty * LEVEL_COSTS;
}

/* Levels that differ are a change already: only its form is left to be decided, by the costs. */
static double least_change(const struct series *s, size_t levels)
{
    return (levels > 1 ? FORM_Z : RAMP_Z) + az_baseline_small(s->of->known, 0);
}

/* Is the last piece of the cheapest series of levels and ramps a ramp? cost: segments + 1 values.
 */
static bool last_ramp(struct series *s, const size_t *cut, size_t segments, double *cost,
                      struct ramp *out)
{
    bool last = false;

    cost[0] = 0;
    for (size_t j = 1; j <= segments; j++) {
        cost[j] = cost[j - 1] + level_cost(s, cut[j - 1], cut[j]);
        last = false;
        for (size_t i = 0; i < j; i++) {
            s->least = least_change(s, j - i);
            const struct ramp r = best_ramp(s, cut[i], cut[j]);
            if (!(cost[i] + r.cost < cost[j]))
                continue;
            cost[j] = cost[i] + r.cost;
            *out = r;
            last = true;
        }
    }
    return last;
}

bool az_baseline_ramp(const struct az_baseline_series *of, const size_t *cut, size_t segments,
                      struct az_ramp *out)
{
    const size_t size = (of->n + 1) * sizeof(struct sums), costs = (segments + 1) * sizeof(double);
    struct sums *sum = az_mem_alloc(NULL, size);
    double *cost = az_mem_alloc(NULL, costs);
    struct series s = { .of = of,
                        .sum = sum,
                        .variance =
                            of->noise * of->noise * (1 + of->correlation) / (1 - of->correlation),
                        .penalty = log((double)of->n) };
    struct ramp r;
    bool found = false;

    if (sum && cost) {
        add_up(of, sum);
        found = last_ramp(&s, cut, segments, cost, &r);
    }
    if (found)
        *out = (struct az_ramp){ r.from + 1, r.to, r.level, r.level + r.change };
    if (sum)
        az_mem_free(NULL, sum, size);
    if (cost)
        az_mem_free(NULL, cost, costs);
    return found;
}
