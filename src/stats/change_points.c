/* Change points: the best split of a series, if it is one. */
#include <math.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

#define SIDE        2   /* nights a side at least */
#define LIMIT_Z     3.4 /* standardized difference of means; grows for short series, */
#define LIMIT_RHO   -0.5
#define ALIKE_Z     2.75 /* where neighbors are correlated, with */
#define ALIKE_RHO   0.35
#define ALIKE_EARLY 0.6 /* more before the step is HELD_FROM nights old */
#define LIMIT_HELD  2.0 /* more for one of more nights than */
#define HELD_FROM   5
#define HELD_OVER   5.0
#define SCREEN      0.7 /* under the limit, before the noise is known better */
#define LIMIT_P     3e-3
#define NEVER       0.5  /* stands for nights that reached a level, where none did */
#define BUMP        3    /* nights of a level that changed back, at least */
#define BUMP_Z      4    /* there are more ways to be one */
#define LIMIT_RUN   1e-4 /* chance of a run of nights of a mode that is known */
#define FEW         14   /* nights, of which some have few orders: */
#define PLAIN       2    /* then so many times the limit is plain */
#define PERMUTED    199  /* and at most */
#define AS_LARGE    3    /* of them as large: p <= 0.02 */
#define CLIP        4    /* standard deviations by which one night counts at most */
#define ROUNDED     1e-12
#define NEAR        60 /* nights on either side of a split that are part of the permutations */
#define FAR_WINDOW  (2 * NEAR)

struct sums {
    const double *v, *raw; /* without outlier nights, and with them */
    const double *weight;  /* of each; NULL: all the same */
    size_t n;
    double noise, rho, known;
    double *prefix; /* sums of v, n + 1 of them */
    double *white;  /* so of v[i] - rho v[i - 1], without the first, by their weight */
    double *all;    /* so of the weights, with the first */
};

/* Two parts: the nights from `a` to before `b`, and the others. */
struct part {
    size_t a, b;
    double in, out;    /* means */
    double mean, step; /* least squares with correlated neighbors */
    double error;      /* of the step, in standard deviations of what is new in a night */
};

/* Least squares of a level and a step of it where neighbors are correlated (first order
 * autoregression): of what is new in a night, v[i] - rho v[i - 1], a lasting step is the whole in
 * its first night and 1 - rho in the others (Tsay, Journal of Forecasting 7, 1988, "level shift").
 * Means of the two parts where rho = 0. a >= 1. */
static struct part part_of(const struct sums *s, size_t a, size_t b)
{
    const double *w = s->white, *all = s->all;
    const double in = s->prefix[b] - s->prefix[a], q = 1 - s->rho, g = 1 - s->rho * s->rho,
                 first = all[a + 1] - all[a], more = all[b] - all[a + 1],
                 after = b < s->n ? all[b + 1] - all[b] : 0, back = b < s->n ? s->rho : 0;
    const double cc = g * all[1] + (all[s->n] - all[1]) * q * q,
                 cs = first * q + more * q * q - after * back * q,
                 ss = first + more * q * q + after * back * back, det = cc * ss - cs * cs;
    const double cy = g * all[1] * s->v[0] + q * w[s->n],
                 sy = w[a + 1] - w[a] + q * (w[b] - w[a + 1]) -
                      (b < s->n ? back * (w[b + 1] - w[b]) : 0);
    const double step = (cc * sy - cs * cy) / det;

    return (struct part){ .a = a,
                          .b = b,
                          .in = in / (double)(b - a),
                          .out = (s->prefix[s->n] - in) / (double)(s->n - (b - a)),
                          .mean = (cy - cs * step) / cc,
                          .step = step,
                          .error = sqrt(cc / det) };
}

/* The step in standard deviations of it, by this much of news in a night. */
static double z_score(const struct part *p, double news)
{
    return fabs(p->step) / (p->error * news);
}

static double weight_of(const struct sums *s, size_t i) { return s->weight ? s->weight[i] : 1; }

static double news_of(const struct sums *s) { return s->noise * sqrt(1 - s->rho * s->rho); }

/* The same by the mean square of the noise from differences and of that about the two levels, which
 * is known better where nothing drifts, each by the nights that it is known from. */
static double z_about(const struct sums *s, const struct part *p)
{
    const double news = news_of(s), most = CLIP * news;
    const double between = s->known / (s->known + (double)s->n);
    double sum = 0, before = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double u = s->v[i] - p->mean - (i >= p->a && i < p->b ? p->step : 0);
        const double d = i ? u - s->rho * before : u * sqrt(1 - s->rho * s->rho);
        sum += fmin(weight_of(s, i) * d * d, most * most);
        before = u;
    }
    return z_score(
        p, sqrt((between * news * news + (1 - between) * sum / (double)(s->n > 2 ? s->n - 2 : 1))));
}

static bool is_alike(const struct sums *s) { return s->rho > AZ_BASELINE_ALIKE; }

/* A step is examined each night again: where z has all information, as for normal noise of one
 * scale, the limit is lowest when it is HELD_FROM nights old, as earlier ones have less (O'Brien
 * and Fleming 1979). A long level is an alarm in each of its nights, and a step worth one is plain
 * by then: it must be surer. */
static double limit_z(const struct sums *s, size_t nights)
{
    const double held = nights > HELD_FROM ? (double)(nights - HELD_FROM) / HELD_OVER : 0;
    const double least = is_alike(s)
                             ? ALIKE_Z + ALIKE_RHO * s->rho + (nights < HELD_FROM ? ALIKE_EARLY : 0)
                             : LIMIT_Z + LIMIT_RHO * s->rho;

    return least + LIMIT_HELD * fmin(1, held) + az_baseline_small(s->known, 0);
}

/* A night and the sum of its distances to all others, which no order changes. */
struct spot {
    double x, row;
};

static double rows_of(const double *x, size_t n, struct spot *out)
{
    double all = 0;

    for (size_t i = 0; i < n; i++)
        out[i] = (struct spot){ x[i], 0 };
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const double d = fabs(x[i] - x[k]);
            out[i].row += d;
            out[k].row += d;
            all += d;
        }
    return all;
}

/* Energy statistic of every split of p[0..n) for distances |x - y|, and the largest: n m / (n + m)
 * (2 E|X - Y| - E|X - X'| - E|Y - Y'|), Matteson and James (2014), equation 5 to 7, exponent 1.
 * Pairs inside the left part and across are updated while the split moves; right: all
 * pairs.
 */
static double energy(const struct spot *p, size_t n, double right, size_t *at)
{
    double across = 0, left = 0, best = -1;

    for (size_t i = 1; i < n; i++) {
        double to_left = 0;
        for (size_t k = 0; k < i - 1; k++)
            to_left += fabs(p[i - 1].x - p[k].x);
        const double to_right = p[i - 1].row - to_left;
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        if (i < SIDE || n - i < SIDE)
            continue;
        const double a = (double)i, b = (double)(n - i);
        const double e = 2 * across / (a * b) - 2 * left / (a * a) - 2 * right / (b * b),
                     q = a * b / (a + b) * e;
        if (q > best) {
            best = q;
            *at = i;
        }
    }
    return best;
}

/* Blocks of neighbors change places as a whole where neighbors are correlated. */
static void permute(const struct spot *x, size_t n, size_t block, struct az_rng *r,
                    struct spot *out)
{
    size_t order[FAR_WINDOW], blocks = (n + block - 1) / block, k = 0;

    for (size_t i = 0; i < blocks; i++)
        order[i] = i;
    for (size_t i = blocks; i-- > 1;) {
        const size_t j = az_rng_below(r, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t i = 0; i < blocks; i++)
        for (size_t j = order[i] * block; j < n && j < (order[i] + 1) * block; j++)
            out[k++] = x[j];
}

/* Nights that change places together: as long as one predicts the next. */
static size_t block_of(double rho) { return (size_t)ceil((1 + rho) / (1 - rho) - 1e-9); }

/* Is the statistic of x larger than that of nearly all its permutations? */
static bool beats_permutations(const double *x, size_t n, double rho, uint64_t seed)
{
    const size_t block = block_of(rho);
    struct spot spots[FAR_WINDOW], mixed[FAR_WINDOW];
    struct az_rng r;
    size_t at, as_large = 0;
    /* the same nights in another order of sums are as large */
    const double all = rows_of(x, n, spots), q = (1 - ROUNDED) * energy(spots, n, all, &at);

    az_rng_init(&r, seed);
    for (unsigned i = 0; i < PERMUTED; i++) {
        permute(spots, n, block, &r, mixed);
        if (energy(mixed, n, all, &at) >= q && ++as_large > AS_LARGE)
            return false;
    }
    return true;
}

/* Are there so few orders of the nights that no permutation test can be sure? */
static bool few_orders(size_t k, size_t rest)
{
    return k + rest <= FEW && 2 * az_mann_whitney_floor(k, rest) > LIMIT_P;
}

/* Rank test of the two parts; x has the nights inside, then n - k outside. */
static bool ranks_differ(const double *x, size_t k, size_t n, double *p)
{
    struct az_mwu t;

    *p = 1;
    if (az_mann_whitney(x, k, x + k, n - k, AZ_TAIL_TWO, &t))
        return false;
    *p = t.p;
    /* so few nights that no smaller p is possible: all of one part beyond all of the other */
    const double floor = 2 * az_mann_whitney_floor(k, n - k);
    return t.p <= LIMIT_P || (floor > LIMIT_P && fabs(t.effect) >= 1);
}

/* Could the shorter part be a run of nights as they come up in the longer one now and then (a
 * second mode)? Nights that reach its level, half a deviation short of it, are a part f of the
 * longer part: a run of k has the chance f^k. */
static bool is_run(const struct sums *s, const struct part *p)
{
    const bool inside = 2 * (p->b - p->a) <= s->n; /* the shorter one */
    const size_t k = inside ? p->b - p->a : s->n - (p->b - p->a);
    const double level = inside ? p->in : p->out, way = (p->in > p->out) == inside ? 1 : -1;
    double reach = NEVER;

    for (size_t i = 0; i < s->n; i++)
        if ((i >= p->a && i < p->b) != inside)
            reach += way * (s->raw[i] - level) >= -s->noise / 2;
    return pow(reach / (double)(s->n - k + 1), (double)k) > LIMIT_RUN;
}

/* The split in two that is farthest above its limit, or nearest to it; 0: none is near. */
static size_t best_split(const struct sums *s)
{
    const double news = news_of(s);
    double best = -SCREEN;
    size_t at = 0;

    for (size_t i = SIDE; i + SIDE <= s->n; i++) {
        const struct part p = part_of(s, i, s->n);
        const double over = z_score(&p, news) - limit_z(s, s->n - i);
        if (over > best) {
            best = over;
            at = i;
        }
    }
    return at;
}

/* Is each night of the part as new as nights are? One that is far off is a jump of its own, not
 * what shows that the level was another before. */
static bool holds_alike(const struct sums *s, const struct part *p)
{
    const double most = CLIP * news_of(s);

    for (size_t i = p->a; i < p->b; i++) {
        const double before = s->v[i - 1] - p->mean - (i > p->a ? p->step : 0);
        if (fabs(s->v[i] - p->mean - p->step - s->rho * before) * sqrt(weight_of(s, i)) > most)
            return false;
    }
    return true;
}

/* A step of few nights where neighbors are correlated is tested by z, and by what is new in each of
 * them: ranks and orders of few nights, and how often single ones reached the level, are those of
 * independent nights. */
static bool find_step(const struct sums *s, uint64_t seed, struct az_split *out)
{
    size_t at = best_split(s), inside = 0;
    struct spot spots[FAR_WINDOW];

    if (!at)
        return false;
    const size_t from = at > NEAR ? at - NEAR : 0, to = at + NEAR < s->n ? at + NEAR : s->n;
    if (!is_alike(s)) /* else the first night locates it better than its distances do */
        (void)energy(spots, to - from, rows_of(s->v + from, to - from, spots), &inside);
    if (inside)
        at = from + inside;
    const struct part p = part_of(s, at, s->n);
    const double limit = limit_z(s, s->n - at);
    out->at = at;
    out->to = s->n;
    out->z = z_about(s, &p);
    out->p = NAN;
    if (!(out->z > limit))
        return false;
    if (is_alike(s) && s->n - at <= HELD_FROM)
        return holds_alike(s, &p);
    return !is_run(s, &p) && ranks_differ(s->v + from, at - from, to - from, &out->p) &&
           (is_alike(s) || (out->z > PLAIN * limit && few_orders(at - from, to - at)) ||
            beats_permutations(s->v + from, to - from, s->rho, seed + at));
}

/* A level that changed and changed back leaves no split in two: the ends of the sums about the mean
 * are where it did (circular segmentation, Olshen et al. 2004). x: n values of room. */
static bool find_bump(const struct sums *s, double *x, struct az_split *out)
{
    const double mean = s->prefix[s->n] / (double)s->n;
    size_t low = 0, high = 0, k = 0;

    for (size_t i = 1; i <= s->n; i++) {
        const double c = s->prefix[i] - mean * (double)i;
        low = c < s->prefix[low] - mean * (double)low ? i : low;
        high = c > s->prefix[high] - mean * (double)high ? i : high;
    }
    const size_t a = low < high ? low : high, b = low < high ? high : low;
    if (a < SIDE || b + SIDE > s->n || b - a < BUMP || s->n - (b - a) < BUMP)
        return false;
    const struct part p = part_of(s, a, b);
    out->at = a;
    out->to = b;
    out->z = z_about(s, &p);
    if (!(out->z > limit_z(s, 0) + BUMP_Z) || is_run(s, &p))
        return false;
    for (size_t i = a; i < b; i++)
        x[k++] = s->v[i];
    for (size_t i = 0; i < s->n; i++)
        if (i < a || i >= b)
            x[k++] = s->v[i];
    return ranks_differ(x, b - a, s->n, &out->p);
}

bool az_baseline_split(const struct az_baseline_series *of, uint64_t seed, struct az_split *out)
{
    const size_t n = of->n, size = (4 * n + 3) * sizeof(double);
    double *room = az_mem_alloc(NULL, size);
    if (!room)
        return false;
    const struct sums s = { .v = of->v,
                            .raw = of->raw,
                            .weight = of->weight,
                            .n = n,
                            .noise = of->noise,
                            .rho = of->correlation,
                            .known = of->known,
                            .prefix = room,
                            .white = room + n + 1,
                            .all = room + 2 * n + 2 };
    bool found;

    room[0] = s.white[0] = s.white[1] = s.all[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = weight_of(&s, i);
        room[i + 1] = room[i] + of->v[i];
        s.all[i + 1] = s.all[i] + w;
        if (i)
            s.white[i + 1] = s.white[i] + w * (of->v[i] - s.rho * of->v[i - 1]);
    }
    found = find_step(&s, seed, out) || find_bump(&s, room + 3 * n + 3, out);
    az_mem_free(NULL, room, size);
    return found;
}
