/* Scatter of a metric from night to night. */
#include <math.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"
#include "stats/stats.h"

#define QUARTILE_TO_SIGMA 0.8693 /* 1 over the upper quartile of |x|, x normal */
#define CLIP              2.0    /* Winsorized squares: so many deviations */
#define SLOPE_NIGHTS      5      /* on either side, for a slope */
#define SLOPE_ADDS        0.125  /* their removal adds so much to the correlation of white noise, */
#define SLOPE_LEAVES      0.77 /* and leaves so much of one; both by simulation, 30 to 60 nights */
#define HINGES            20   /* nights from which a drift may begin */
#define PLAIN_LEAST       7    /* nights from which the usual correlation is known */
#define ODD               5.0  /* a night that is so far off both neighbors is an outlier */

/* Part of a normal variance that is left of squares clipped at c deviations: P - 2 c phi(c) + c^2
 * (1
 * - P), P = P(|x| < c). */
static double clip_share(double c)
{
    const double p = erf(c / sqrt(2)), phi = exp(-c * c / 2) / sqrt(2 * 3.14159265358979323846);

    return p - 2 * c * phi + c * c * (1 - p);
}

/* Distances of d[0..k) from their median. */
static void distances(const double *d, size_t k, double *far)
{
    const double middle = az_gate_median(d, k);

    for (size_t i = 0; i < k; i++)
        far[i] = fabs(d[i] - middle);
}

/* A robust scale: upper quartile of k distances, which two modes do not split in half as they may
 * the median. far is put in another order. */
static double quartile_scale(double *far, size_t k)
{
    return QUARTILE_TO_SIGMA * az_percentile_f64(far, k, 75);
}

/* Root of the mean square of k distances clipped at `most`: Winsorized (Huber, proposal 2). few
 * values: the median uses one degree of freedom. */
static double clipped_scale(const double *far, size_t k, double most, double rough)
{
    double sum = 0;

    for (size_t i = 0; i < k; i++)
        sum += far[i] < most ? far[i] * far[i] : most * most;
    if (!(rough > 0))
        return 0;
    return sqrt(sum / (double)(k > 1 ? k - 1 : 1) / clip_share(most / rough));
}

static double scale_of(const double *d, size_t k, double *far)
{
    distances(d, k, far);
    const double rough = quartile_scale(far, k);
    return clipped_scale(far, k, CLIP * rough, rough);
}

/* A few values in order, one in or out at a time. */
struct window {
    double v[2 * SLOPE_NIGHTS + 1];
    size_t n;
};

static void window_add(struct window *w, double x)
{
    size_t k = w->n++;

    for (; k > 0 && w->v[k - 1] > x; k--)
        w->v[k] = w->v[k - 1];
    w->v[k] = x;
}

static void window_drop(struct window *w, double x)
{
    size_t k = 0;

    while (k + 1 < w->n && w->v[k] < x)
        k++;
    for (w->n--; k < w->n; k++)
        w->v[k] = w->v[k + 1];
}

/* Subtracts a slope that lasts some nights from the differences, so that it is no correlation. d:
 * differences; out: so many. */
static void without_slope(const double *d, size_t k, double *out)
{
    struct window w = { .n = 0 };

    for (size_t i = 0; i < SLOPE_NIGHTS && i < k; i++)
        window_add(&w, d[i]);
    for (size_t i = 0; i < k; i++) {
        if (i > SLOPE_NIGHTS)
            window_drop(&w, d[i - SLOPE_NIGHTS - 1]);
        if (i + SLOPE_NIGHTS < k)
            window_add(&w, d[i + SLOPE_NIGHTS]);
        const double low = w.v[(w.n - 1) / 2];
        out[i] = d[i] - (low + (w.v[w.n / 2] - low) / 2);
    }
}

/* Correlation of neighbors by the squared scales of differences two apart and one apart, clipped in
 * the same way. one: k differences without slopes; two: room for them. */
static double ratio_of(const double *one, double *two, size_t k, double *far)
{
    double far_two, most, left, right;

    for (size_t i = 0; i + 1 < k; i++)
        two[i] = one[i] + one[i + 1];
    distances(two, k - 1, far);
    far_two = quartile_scale(far, k - 1);
    most = CLIP * far_two;
    right = clipped_scale(far, k - 1, most, far_two);
    distances(one, k, far);
    left = quartile_scale(far, k);
    left = clipped_scale(far, k, most, left);
    if (!(left > 0))
        return 0;
    return right * right / (left * left) - 1;
}

/* Correlation of neighbors of v[0..n), clipped, as it is measured; NaN: there is none. */
static double lag_one(const double *v, size_t n, double *far)
{
    const double middle = az_gate_median(v, n);
    double most, mean = 0, products = 0, squares = 0, before = 0;

    distances(v, n, far);
    most = 1.5 * CLIP * quartile_scale(far, n);
    for (size_t i = 0; i < n; i++) /* the median is that of one mode where there are two */
        mean += fmax(-most, fmin(most, v[i] - middle)) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double x = fmax(-most, fmin(most, v[i] - middle)) - mean;
        squares += x * x;
        products += before * x;
        before = x;
    }
    return n >= PLAIN_LEAST && squares > 0 ? products / squares : NAN;
}

double az_baseline_plain(const double *v, size_t n, double *far)
{
    return (lag_one(v, n, far) + 1 / (double)n) / (1 - 3 / (double)n);
}

/* Squares that a drift which begins at this night removes, about the mean; *size: a night. */
static double hinge_at(const double *v, size_t n, size_t from, double mean, double *size)
{
    double x = 0, xx = 0, xy = 0;

    for (size_t i = from; i < n; i++) {
        const double more = (double)(i - from + 1);
        x += more;
        xx += more * more;
        xy += more * (v[i] - mean);
    }
    const double free = xx - x * x / (double)n;
    *size = free > 1e-9 * xx ? xy / free : 0;
    return *size * xy;
}

double az_baseline_flat(const double *v, size_t n, double *far)
{
    double *left = far + n, mean = 0, best = 0, slope = 0, over = 0;
    size_t from = 0;

    for (size_t i = 0; i < n; i++)
        mean += v[i] / (double)n;
    for (size_t h = 0; h < HINGES; h++) {
        double size;
        const double squares = hinge_at(v, n, h * n / HINGES, mean, &size);
        if (squares > best) {
            best = squares;
            slope = size;
            from = h * n / HINGES;
        }
    }
    for (size_t i = from; i < n; i++)
        over += slope * (double)(i - from + 1) / (double)n;
    for (size_t i = 0; i < n; i++)
        left[i] = v[i] - mean + over - (i >= from ? slope * (double)(i - from + 1) : 0);
    return (lag_one(left, n, far) + 3 / (double)n) / (1 - 5 / (double)n);
}

double az_baseline_noise(const double *v, size_t n, double *scratch, double *correlation)
{
    double *d = scratch, *flat = scratch + n, *far = scratch + 2 * n;

    *correlation = 0;
    if (n < 2)
        return 0;
    for (size_t i = 0; i + 1 < n; i++)
        d[i] = v[i + 1] - v[i];
    const double noise = scale_of(d, n - 1, far) / sqrt(2);
    if (n < 6 || !(noise > 0))
        return noise;
    without_slope(d, n - 1, flat);
    const double ratio = (ratio_of(flat, d, n - 1, far) - SLOPE_ADDS) / SLOPE_LEAVES;
    /* no bound where the usual one is not known: fmin leaves NaN out */
    *correlation =
        fmax(-0.5, fmin(0.95, fmin(ratio, az_baseline_plain(v, n, far) + 1 / sqrt((double)n))));
    return noise;
}

double az_baseline_mean_variance(size_t k, double rho)
{
    double sum = 0, power = 1;

    for (size_t j = 1; j < k; j++) {
        power *= rho;
        if (power < 1e-6)
            break;
        sum += (1 - (double)j / (double)k) * power;
    }
    return (1 + 2 * sum) / (double)k;
}

/* By how much more than usual do two nights differ? */
static double wider(const double *weight, size_t i, size_t k)
{
    return weight ? sqrt((1 / weight[i] + 1 / weight[k]) / 2) : 1;
}

size_t az_baseline_clean(double *v, const double *weight, size_t n, double noise, bool *odd)
{
    const double off = ODD * noise;
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        odd[i] = false;
    for (size_t i = 0; i + 1 < n && n >= 3 && noise > 0; i++) {
        const size_t other = i ? i - 1 : 2;
        const double left = v[i] - v[other], right = v[i] - v[i + 1];
        if (!(left * right > 0 && fabs(left) > off * wider(weight, i, other) &&
              fabs(right) > off * wider(weight, i, i + 1)))
            continue;
        v[i] = i ? (v[i - 1] + v[i + 1]) / 2 : v[i + 1];
        odd[i] = true;
        count++;
    }
    return count;
}

double az_baseline_small(double n, double rho)
{
    return 12 / fmax(1, n * (1 - rho) / (1 + rho) - 1);
}
