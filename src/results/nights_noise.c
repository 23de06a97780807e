/* How a figure scatters from night to night. */
#include <math.h>

#include "results/gate_stats.h"
#include "results/nights.h"

#define MAD_TO_SIGMA 1.4826
#define CLIP         2.0 /* Winsorised squares: Huber's proposal 2 with this constant ... */
#define CLIP_SHARE                                                                                 \
    0.9205             /* ... keeps this part of a normal variance: P - 2 c phi(c) + c^2 (1 - P) */
#define SLOPE_NIGHTS 5 /* on either side, for a slope */
#define ODD          5.0 /* a night that is so far off both neighbours is odd */

/* The larger of two robust scales about the median of d[0..k). */
static double scale_of(const double *d, size_t k)
{
    const double middle = az_gate_median(d, k), mad = MAD_TO_SIGMA * az_gate_mad(d, k);
    double sum = 0;

    for (size_t i = 0; i < k; i++) {
        const double x = fmin(fabs(d[i] - middle), CLIP * mad);
        sum += x * x;
    }
    /* few values: the median takes one degree of freedom */
    return fmax(mad, sqrt(sum / (double)(k > 1 ? k - 1 : 1) / CLIP_SHARE));
}

/* Takes a slope that holds for some nights from the differences, so that it is no correlation. d:
 * differences; out: so many. */
static void without_slope(const double *d, size_t k, double *out)
{
    for (size_t i = 0; i < k; i++) {
        const size_t from = i > SLOPE_NIGHTS ? i - SLOPE_NIGHTS : 0,
                     to = i + SLOPE_NIGHTS + 1 < k ? i + SLOPE_NIGHTS + 1 : k;
        out[i] = d[i] - az_gate_median(d + from, to - from);
    }
}

double az_nights_noise(const double *v, size_t n, double *scratch, double *correlation)
{
    double *d = scratch, *flat = scratch + n, one, two;

    *correlation = 0;
    if (n < 2)
        return 0;
    for (size_t i = 0; i + 1 < n; i++)
        d[i] = v[i + 1] - v[i];
    const double noise = scale_of(d, n - 1) / sqrt(2);
    if (n < 6 || !(noise > 0))
        return noise;
    without_slope(d, n - 1, flat);
    one = scale_of(flat, n - 1);
    for (size_t i = 0; i + 2 < n; i++)
        flat[i] += flat[i + 1];
    two = scale_of(flat, n - 2);
    if (one > 0)
        *correlation = fmax(-0.5, fmin(0.95, two * two / (one * one) - 1));
    return noise;
}

double az_nights_mean_variance(size_t k, double rho)
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

size_t az_nights_clean(double *v, size_t n, double noise, bool *odd)
{
    const double off = ODD * noise;
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        odd[i] = false;
    for (size_t i = 0; i + 1 < n && n >= 3 && noise > 0; i++) {
        const double left = i ? v[i] - v[i - 1] : v[i] - v[i + 2], right = v[i] - v[i + 1];
        if (!(left * right > 0 && fabs(left) > off && fabs(right) > off))
            continue;
        v[i] = i ? (v[i - 1] + v[i + 1]) / 2 : v[i + 1];
        odd[i] = true;
        count++;
    }
    return count;
}

double az_nights_small(size_t n, double rho)
{
    return 12 / fmax(1, (double)n * (1 - rho) / (1 + rho) - 1);
}
