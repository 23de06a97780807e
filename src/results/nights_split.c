/* Change points: the best split of a series, if it is one. */
#include <math.h>

#include "results/gate_stats.h"
#include "results/nights.h"

#define SIDE       2   /* nights a side at least */
#define LIMIT_Z    3.7 /* standardised difference of means; grows for short and correlated series */
#define SCREEN     0.8 /* of it, before the noise is known better */
#define LIMIT_P    4e-4
#define NEVER      0.5  /* stands for nights that reached a level, where none did */
#define BUMP       3    /* nights of a level that changed back, at least */
#define BUMP_Z     4    /* there are more ways to be one */
#define LIMIT_RUN  5e-5 /* chance of a run of nights of a mode that is known */
#define PERMUTED   199  /* and at most one of them as large: p <= 0.01 */
#define FEW_BLOCKS 12   /* have too few orders for that; */
#define PLAIN      1.5  /* of the limit, is plain without */
#define NEAR       60   /* nights on either side of a split that take part in the permutations */
#define FAR_WINDOW (2 * NEAR)

struct sums {
    const double *v, *raw; /* without odd nights, and with them */
    size_t n;
    double noise, rho;
    double *prefix; /* sums of v, n + 1 of them */
};

/* Two parts: the nights from `a` to before `b`, and the others. */
struct part {
    size_t a, b;
    double in, out; /* means */
};

static struct part part_of(const struct sums *s, size_t a, size_t b)
{
    const double in = s->prefix[b] - s->prefix[a];

    return (struct part){ a, b, in / (double)(b - a),
                          (s->prefix[s->n] - in) / (double)(s->n - (b - a)) };
}

/* Difference of the means, in standard deviations of it. */
static double z_of(const struct sums *s, const struct part *p)
{
    const size_t k = p->b - p->a;

    return fabs(p->in - p->out) / (s->noise * sqrt(az_nights_mean_variance(k, s->rho) +
                                                   az_nights_mean_variance(s->n - k, s->rho)));
}

/* The same by the mean square of the noise from differences and of that about the two levels, which
 * is known better where nothing drifts. */
static double z_about(const struct sums *s, const struct part *p)
{
    double sum = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double d =
            fmin(fabs(s->v[i] - (i >= p->a && i < p->b ? p->in : p->out)), 4 * s->noise);
        sum += d * d;
    }
    return z_of(s, p) * s->noise /
           sqrt((s->noise * s->noise + sum / (double)(s->n > 2 ? s->n - 2 : 1)) / 2);
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

/* Nights that change places together: as long as one says something of the next. */
static size_t block_of(double rho) { return (size_t)ceil((1 + rho) / (1 - rho) - 1e-9); }

/* Is the statistic of x larger than that of all its permutations? */
static bool beats_permutations(const double *x, size_t n, double rho, uint64_t seed)
{
    const size_t block = block_of(rho);
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

/* Rank test of the two parts; x holds the nights inside, then n - k outside. */
static bool ranks_differ(const double *x, size_t k, size_t n, double *p)
{
    struct az_mwu t;

    *p = 1;
    if (az_mann_whitney(x, k, x + k, n - k, AZ_TAIL_TWO, &t))
        return false;
    *p = t.p;
    /* as few nights as cannot give a smaller p: all of one part beyond all of the other */
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

/* The best split in two. */
static bool find_step(const struct sums *s, uint64_t seed, struct az_split *out)
{
    double best = 0;
    size_t at = 0, inside = 0;

    for (size_t i = SIDE; i + SIDE <= s->n; i++) {
        const struct part p = part_of(s, i, s->n);
        const double z = z_of(s, &p);
        if (z > best) {
            best = z;
            at = i;
        }
    }
    if (!at || best <= SCREEN * limit_z(s))
        return false;
    const size_t from = at > NEAR ? at - NEAR : 0, to = at + NEAR < s->n ? at + NEAR : s->n;
    (void)energy(s->v + from, to - from, &inside);
    if (inside)
        at = from + inside;
    const struct part p = part_of(s, at, s->n);
    out->at = at;
    out->to = s->n;
    out->z = z_about(s, &p);
    return out->z > limit_z(s) && !is_run(s, &p) &&
           ranks_differ(s->v + from, at - from, to - from, &out->p) &&
           (beats_permutations(s->v + from, to - from, s->rho, seed + at) ||
            (to - from < FEW_BLOCKS * block_of(s->rho) && out->z > PLAIN * limit_z(s)));
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
    if (a < SIDE || b >= s->n || b - a < BUMP || s->n - (b - a) < BUMP)
        return false;
    const struct part p = part_of(s, a, b);
    out->at = a;
    out->to = b;
    out->z = z_about(s, &p);
    if (!(out->z > limit_z(s) + BUMP_Z) || is_run(s, &p))
        return false;
    for (size_t i = a; i < b; i++)
        x[k++] = s->v[i];
    for (size_t i = 0; i < s->n; i++)
        if (i < a || i >= b)
            x[k++] = s->v[i];
    return ranks_differ(x, b - a, s->n, &out->p);
}

bool az_nights_split(const double *v, const double *raw, size_t n, double noise, double rho,
                     uint64_t seed, struct az_split *out)
{
    const size_t size = (2 * n + 1) * sizeof(double);
    double *room = az_mem_alloc(NULL, size);
    const struct sums s = { v, raw, n, noise, rho, room };
    bool found;

    if (!room)
        return false;
    room[0] = 0;
    for (size_t i = 0; i < n; i++)
        room[i + 1] = room[i] + v[i];
    found = find_step(&s, seed, out) || find_bump(&s, room + n + 1, out);
    az_mem_free(NULL, room, size);
    return found;
}
