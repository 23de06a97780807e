/* Change points: the best split of a series, if it is one. */
#include <math.h>

#include "results/gate_stats.h"
#include "results/nights.h"

#define SIDE       2   /* nights a side at least */
#define LIMIT_Z    3.7 /* standardised difference of means; grows for short and correlated series */
#define SCREEN     0.8 /* of it, before the noise is known better */
#define LIMIT_P    4e-4
#define LIMIT_RUN  5e-5 /* chance of a run of nights of a mode that is known */
#define PERMUTED   199  /* and at most one of them as large: p <= 0.01 */
#define NEAR       60   /* nights on either side of a split that take part in the permutations */
#define FAR_WINDOW (2 * NEAR)

struct sums {
    const double *v, *raw; /* without odd nights, and with them */
    size_t n;
    double noise, rho;
};

/* Difference of the means of the two parts, in standard deviations of it. */
static double z_at(const struct sums *s, size_t at, const double *prefix)
{
    const double left = prefix[at] / (double)at,
                 right = (prefix[s->n] - prefix[at]) / (double)(s->n - at);
    const double variance =
        az_nights_mean_variance(at, s->rho) + az_nights_mean_variance(s->n - at, s->rho);

    return fabs(right - left) / (s->noise * sqrt(variance));
}

/* Noise by which a split is judged: the mean square of that from differences and of that about the
 * two levels, which is known better where nothing drifts. */
static double noise_about(const struct sums *s, size_t at, const double *prefix)
{
    const double left = prefix[at] / (double)at,
                 right = (prefix[s->n] - prefix[at]) / (double)(s->n - at);
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double d = fmin(fabs(s->v[i] - (i < at ? left : right)), 4 * s->noise);
        sum += d * d;
    }
    return sqrt((s->noise * s->noise + sum / (double)(s->n > 2 ? s->n - 2 : 1)) / 2);
}

static double limit_z(const struct sums *s) { return LIMIT_Z + az_nights_small(s->n, s->rho); }

/* Energy statistic of every split of x[0..n) for distances |x - y|, and the largest: n m / (n + m)
 * (2 E|X - Y| - E|X - X'| - E|Y - Y'|), Matteson and James (2014), equation 5 to 7, exponent 1.
 * Pairs inside the left part and across are kept up to date while the split moves. */
static double energy(const double *x, size_t n, size_t *at)
{
    double across = 0, left = 0, right = 0, best = -1;

    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            right += fabs(x[i] - x[k]);
    for (size_t i = 1; i < n; i++) {
        double to_left = 0, to_right = 0;
        for (size_t k = 0; k < i - 1; k++)
            to_left += fabs(x[i - 1] - x[k]);
        for (size_t k = i; k < n; k++)
            to_right += fabs(x[i - 1] - x[k]);
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

/* Blocks of neighbours change places as a whole where neighbours are alike. */
static void permute(const double *x, size_t n, size_t block, struct az_rng *r, double *out)
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

/* Is the statistic of x larger than that of all its permutations? */
static bool beats_permutations(const double *x, size_t n, double rho, uint64_t seed)
{
    const size_t block = (size_t)ceil((1 + rho) / (1 - rho) - 1e-9);
    double mixed[FAR_WINDOW];
    struct az_rng r;
    size_t at, as_large = 0;
    const double q = energy(x, n, &at);

    az_rng_init(&r, seed);
    for (unsigned i = 0; i < PERMUTED; i++) {
        permute(x, n, block, &r, mixed);
        if (energy(mixed, n, &at) >= q && ++as_large > 1)
            return false;
    }
    return true;
}

/* One-sided rank test of the two parts near the split; correlated nights count for fewer. */
static bool ranks_differ(const struct sums *s, size_t from, size_t at, size_t to, double *p)
{
    struct az_mwu t;

    *p = 1;
    if (az_mann_whitney(s->v + from, at - from, s->v + at, to - at, AZ_TAIL_TWO, &t))
        return false;
    *p = t.p;
    /* as few nights as cannot give a smaller p: all of one part beyond all of the other */
    const double floor = 2 * az_mann_whitney_floor(at - from, to - at);
    return t.p <= fmax(LIMIT_P, floor * 1.0001) || (floor > LIMIT_P && fabs(t.effect) >= 1);
}

/* Could the shorter part be a run of nights as they come up in the longer one now and then (a
 * second mode)? Nights that reach its level, half a deviation short of it, are a part f of the
 * longer part: a run of k has the chance f^k. */
static bool is_run(const struct sums *s, const double *prefix, size_t at)
{
    const bool left = at < s->n - at;
    const size_t k = left ? at : s->n - at, from = left ? at : 0, to = left ? s->n : at;
    const double level = left ? prefix[at] / (double)at : (prefix[s->n] - prefix[at]) / (double)k,
                 other = left ? (prefix[s->n] - prefix[at]) / (double)(s->n - at)
                              : prefix[at] / (double)at;
    const double way = level > other ? 1 : -1;
    double reach = 0.5;

    for (size_t i = from; i < to; i++)
        reach += way * (s->raw[i] - level) >= -s->noise / 2;
    return pow(reach / (double)(to - from + 1), (double)k) > LIMIT_RUN;
}

bool az_nights_split(const double *v, const double *raw, size_t n, double noise, double rho,
                     uint64_t seed, struct az_split *out)
{
    const struct sums s = { v, raw, n, noise, rho };
    double *prefix = az_mem_alloc(NULL, (n + 1) * sizeof *prefix), best = 0;
    size_t at = 0;
    bool found = false;

    if (!prefix)
        return false;
    prefix[0] = 0;
    for (size_t i = 0; i < n; i++)
        prefix[i + 1] = prefix[i] + v[i];
    for (size_t i = SIDE; i + SIDE <= n; i++) {
        const double z = z_at(&s, i, prefix);
        if (z > best) {
            best = z;
            at = i;
        }
    }
    if (at && best > SCREEN * limit_z(&s)) {
        const size_t from = at > NEAR ? at - NEAR : 0, to = at + NEAR < n ? at + NEAR : n;
        size_t inside = 0;
        (void)energy(v + from, to - from, &inside);
        if (inside)
            at = from + inside;
        out->at = at;
        out->z = z_at(&s, at, prefix) * noise / noise_about(&s, at, prefix);
        found = out->z > limit_z(&s) && !is_run(&s, prefix, at) &&
                ranks_differ(&s, from, at, to, &out->p) &&
                beats_permutations(v + from, to - from, rho, seed + at);
    }
    az_mem_free(NULL, prefix, (n + 1) * sizeof *prefix);
    return found;
}
