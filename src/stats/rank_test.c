/* Rank test, bootstrap, spread and steps (docs/formulas-compare.md 4.1, 4.2, 6). */
#include "stats/rank_test.h"

#include <math.h>

#include "base/sort.h"
#include "stats/stats.h"

#define EXACT_SIDE 8 /* exact if one side has at most so many values */
#define EXACT_PAIRS                                                                                \
    65536        /* and not more pairs than this: counting costs pairs times the longer side */
#define SMALL 64 /* values on the stack */

static int by_value(const void *x, const void *y, void *ctx)
{
    double a = *(const double *)x, b = *(const double *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* Insertion for the few runs there usually are; stable merge sort beyond. */
static void sort_values(double *v, size_t n)
{
    if (n > SMALL) {
        az_sort_cmp(v, n, sizeof *v, by_value, NULL, NULL);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double x = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

static double middle(const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

/* Median of |v[i] - about|, or of v with about = 0 and `absolute` false. */
static double median_about(const double *v, size_t n, double about, bool absolute)
{
    double few[SMALL], *w = n <= SMALL ? few : az_mem_alloc(NULL, n * sizeof *w), m = NAN;
    if (!w)
        return NAN;
    for (size_t i = 0; i < n; i++)
        w[i] = absolute ? fabs(v[i] - about) : v[i];
    if (w != few) { /* selection instead of sorting: long histories have many metrics */
        m = az_percentile_f64(w, n, 50);
    } else {
        sort_values(w, n);
        m = middle(w, n);
    }
    if (w != few)
        az_mem_free(NULL, w, n * sizeof *w);
    return m;
}

double az_gate_median(const double *v, size_t n) { return median_about(v, n, 0, false); }

double az_gate_center(const double *v, size_t n)
{
    return n >= 3 ? az_gate_median(v, n) : az_mean_f64(v, n);
}

double az_gate_mad(const double *v, size_t n)
{
    return median_about(v, n, az_gate_median(v, n), true);
}

/* ---- Mann-Whitney ---- */

/* Pairs and ties of two sorted vectors: u of c, and the sum of t^3 - t over groups of equal values.
 */
static double count_pairs(const double *b, size_t nb, const double *c, size_t nc, double *ties)
{
    double u = 0;
    size_t below = 0;

    *ties = 0;
    for (size_t i = 0, k = 0; i < nb || k < nc;) {
        double x = k >= nc || (i < nb && b[i] < c[k]) ? b[i] : c[k];
        size_t eb = 0, ec = 0;
        for (; i < nb && b[i] <= x; i++)
            eb++;
        for (; k < nc && c[k] <= x; k++)
            ec++;
        u += (double)ec * ((double)below + (double)eb / 2);
        below += eb;
        double t = (double)(eb + ec);
        *ties += t * t * t - t;
    }
    return u;
}

/* P(U >= u) by counting all orders. f[i] has the counts for i values of the shorter side and j of
 * the longer. */
static int exact_tail(size_t n, size_t m, double u, double *p)
{
    size_t width = n * m + 1, size = (n + 1) * width * sizeof(double);
    double *f = az_mem_alloc(NULL, size), all = 0, tail = 0;

    if (!f)
        return AZ_ENOMEM;
    memset(f, 0, size);
    for (size_t i = 0; i <= n; i++)
        f[i * width] = 1; /* j = 0 */
    for (size_t j = 1; j <= m; j++)
        for (size_t i = 1; i <= n; i++)
            for (size_t k = i * j + 1;
                 k-- > j;) /* f(i,j,k) = f(i-1,j,k-j) + f(i,j-1,k), in place from above */
                f[i * width + k] += f[(i - 1) * width + k - j];
    for (size_t k = 0; k < width; k++) {
        all += f[n * width + k];
        if ((double)k >= u)
            tail += f[n * width + k];
    }
    az_mem_free(NULL, f, size);
    *p = tail / all;
    return 0;
}

static double normal_tail(double u, size_t nb, size_t nc, double ties)
{
    double pairs = (double)nb * (double)nc, n = (double)(nb + nc);
    double variance = pairs / 12 * ((n + 1) - ties / (n * (n - 1)));
    if (!(variance > 0))
        return 1; /* all values are equal: no order at all */
    return 0.5 * erfc((u - pairs / 2 - 0.5) / sqrt(2 * variance));
}

static int tail_of(double u, size_t nb, size_t nc, double ties, bool exact, double *p)
{
    if (exact)
        return exact_tail(nb < nc ? nb : nc, nb < nc ? nc : nb, u, p);
    *p = normal_tail(u, nb, nc, ties);
    return 0;
}

static void sorted_copies(const double *b, size_t nb, const double *c, size_t nc, double *out)
{
    memcpy(out, b, nb * sizeof *b);
    memcpy(out + nb, c, nc * sizeof *c);
    sort_values(out, nb);
    sort_values(out + nb, nc);
}

int az_mann_whitney(const double *b, size_t nb, const double *c, size_t nc, enum az_tail tail,
                    struct az_mwu *out)
{
    size_t size = (nb + nc) * sizeof(double);
    double pairs = (double)nb * (double)nc, ties = 0, other = 0;
    double *v = az_mem_alloc(NULL, size);
    int rc = v ? 0 : AZ_ENOMEM;

    if (!rc) {
        sorted_copies(b, nb, c, nc, v);
        out->u = count_pairs(v, nb, v + nb, nc, &ties);
        out->effect = 2 * out->u / pairs - 1;
        out->exact = !(ties > 0) && (nb <= EXACT_SIDE || nc <= EXACT_SIDE) && pairs <= EXACT_PAIRS;
        double u = tail == AZ_TAIL_LESS ? pairs - out->u : out->u;
        if (tail == AZ_TAIL_TWO)
            u = fmax(u, pairs - u);
        rc = tail_of(u, nb, nc, ties, out->exact, &other);
        out->p = tail == AZ_TAIL_TWO ? fmin(1, 2 * other) : fmin(1, other);
    }
    if (v)
        az_mem_free(NULL, v, size);
    return rc;
}

double az_mann_whitney_floor(size_t nb, size_t nc)
{
    double p = 1;
    for (size_t i = 1; i <= nb; i++)
        p *= (double)i / (double)(nc + i);
    return p;
}

/* ---- bootstrap ---- */

static uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

void az_rng_init(struct az_rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        r->s[i] = z ^ (z >> 31);
    }
}

static uint64_t rng_next(struct az_rng *r)
{
    uint64_t out = rotate_left(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;
    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = rotate_left(r->s[3], 45);
    return out;
}

size_t az_rng_below(struct az_rng *r, size_t n)
{
    return (size_t)(((rng_next(r) >> 32) * (uint64_t)n) >> 32);
}

static void resample(struct az_rng *r, const double *v, size_t n, double *scratch, double *median)
{
    for (size_t i = 0; i < n; i++)
        scratch[i] = v[az_rng_below(r, n)];
    sort_values(scratch, n);
    *median = middle(scratch, n);
}

int az_bootstrap_ratio(const double *b, size_t nb, const double *c, size_t nc, double alpha,
                       unsigned rounds, uint64_t seed, double *low, double *high)
{
    size_t most = nb > nc ? nb : nc, size = (rounds + most) * sizeof(double);
    double *ratio = az_mem_alloc(NULL, size), mb = 0, mc = 0;
    struct az_rng r;
    int rc = ratio ? 0 : AZ_ENOMEM;

    az_rng_init(&r, seed);
    for (unsigned i = 0; !rc && i < rounds; i++) {
        resample(&r, b, nb, ratio + rounds, &mb);
        resample(&r, c, nc, ratio + rounds, &mc);
        if (!(fabs(mb) > 0))
            rc = AZ_ERANGE;
        ratio[i] = rc ? 0 : mc / mb;
    }
    if (!rc) {
        *low = az_percentile_f64(ratio, rounds, 100 * alpha);
        *high = az_percentile_f64(ratio, rounds, 100 * (1 - alpha));
    }
    if (ratio)
        az_mem_free(NULL, ratio, size);
    return rc;
}

uint64_t az_gate_seed(struct az_sv text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.n; i++)
        h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- many tests ---- */

struct ranked {
    double p;
    size_t at;
};

static int compare_p_values(const void *x, const void *y, void *ctx)
{
    const struct ranked *a = x, *b = y;
    (void)ctx;
    return a->p < b->p ? -1 : a->p > b->p;
}

int az_holm(double *p, size_t n)
{
    struct ranked *r = n ? az_mem_alloc(NULL, n * sizeof *r) : NULL;
    double worst = 0;

    if (n == 0)
        return 0;
    if (!r)
        return AZ_ENOMEM;
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){ p[i], i };
    az_sort_cmp(r, n, sizeof *r, compare_p_values, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fmin(1, r[i].p * (double)(n - i)));
        p[r[i].at] = worst;
    }
    az_mem_free(NULL, r, n * sizeof *r);
    return 0;
}
