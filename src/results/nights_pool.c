/* What the figures of the same runs say to one another: how often single nights are odd, how alike
 * neighbours are, how large the noise is (docs/formulas-nightly.md 2). */
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "results/gate_stats.h"
#include "results/nights.h"

#define FIGURES   6   /* of fewer nothing is said of the noise */
#define ERROR     1.0 /* standard error of the logarithm of a noise, times sqrt n */
#define MOVED     1.5 /* standard errors by which the others move a noise at most */
#define BOUND     2.0 /* standard errors above that of differences, for the usual correlation */
#define OWN_ERROR 2.0 /* of a correlation by differences, times sqrt n */
#define OF_MEDIAN 1.2533
#define PULLS     1.5 /* standard errors by which one figure's correlation counts at most */
#define ROUNDS    5
#define HINGES    12  /* nights from which a change is looked for */
#define CHANGING  0.9 /* part of the squares that are of it */

bool az_nights_scale(const double *v, size_t n, double *y, double *scratch, double *unit)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < n; i++) {
        least = fmin(least, v[i]);
        most = fmax(most, fabs(v[i]));
        scratch[i] = fabs(v[i]);
    }
    const bool logs = least > 0 && least > most / 100;
    *unit = az_gate_median(scratch, n);
    if (!(*unit > 0))
        *unit = most > 0 ? most : 1;
    for (size_t i = 0; i < n; i++)
        y[i] = logs ? log(v[i] / *unit) : v[i] / *unit;
    return logs;
}

bool az_nights_changing(const double *y, size_t n)
{
    double mean = 0, all = 0, most = 0;

    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        all += (y[i] - mean) * (y[i] - mean);
    for (size_t h = 0; h < HINGES; h++) {
        const size_t at = h * n / HINGES;
        double x[2] = { 0, 0 }, xx[2] = { 0, 0 }, xy[2] = { 0, 0 };
        for (size_t i = at; i < n; i++) {
            const double step = 1, slope = (double)(i - at + 1);
            x[0] += step, xx[0] += step, xy[0] += y[i] - mean;
            x[1] += slope, xx[1] += slope * slope, xy[1] += slope * (y[i] - mean);
        }
        for (size_t k = 0; k < 2; k++) {
            const double free = xx[k] - x[k] * x[k] / (double)n;
            if (free > 1e-9 * xx[k])
                most = fmax(most, xy[k] * xy[k] / free);
        }
    }
    return most > CHANGING * all;
}

int az_nights_look(const double *v, size_t n, struct az_nights_seen *out)
{
    double *room = az_mem_alloc(NULL, n * (4 * sizeof *room + sizeof(bool)));

    *out = (struct az_nights_seen){ .n = n, .plain = NAN, .noise = NAN };
    if (!room)
        return AZ_ENOMEM;
    if (n >= 3) {
        double *y = room, *scratch = room + n, unit, noise;
        void *odd = room + 4 * n;
        (void)az_nights_scale(v, n, y, scratch, &unit);
        noise = az_nights_noise(y, n - 1, scratch, &out->correlation);
        out->spikes =
            (double)az_nights_clean(y, n, noise / sqrt(1 - fmax(0, out->correlation)), odd);
        out->plain = az_nights_plain(y, n - 1, scratch);
        if (!isnan(out->plain)) /* fmin would leave it out */
            out->plain = fmin(az_nights_changing(y, n - 1) ? out->correlation : 0.95, out->plain);
        if (noise > 0)
            out->noise = log(noise);
    }
    az_mem_free(NULL, room, n * (4 * sizeof *room + sizeof(bool)));
    return AZ_OK;
}

/* Noise: a common logarithm and what they differ by beyond their errors, both by quartiles. */
static void pool_noise(double *logs, size_t k, double nights, struct az_nights_others *out)
{
    if (k < FIGURES)
        return;
    const double low = az_percentile_f64(logs, k, 25), high = az_percentile_f64(logs, k, 75),
                 wide = (high - low) / 1.349, error = ERROR / sqrt(nights / (double)k);
    out->noise = az_percentile_f64(logs, k, 50);
    out->apart = sqrt(fmax(0, wide * wide - error * error));
    out->figures = k;
}

/* Huber's estimate of the correlation that n figures of so many nights each have: the mean, but
 * that none counts for more than PULLS standard errors. */
static double common(const double *rho, size_t n, double nights)
{
    double m = az_gate_median(rho, n);
    const double most = PULLS * sqrt(fmax(0, 1 - m * m) / fmax(1, nights));

    for (unsigned round = 0; round < ROUNDS; round++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += fmax(-most, fmin(most, rho[i] - m));
        m += sum / (double)n;
    }
    return m;
}

int az_nights_pool(const struct az_nights_seen *of, size_t n, struct az_nights_others *out)
{
    double *room = n ? az_mem_alloc(NULL, 3 * n * sizeof *room) : NULL, nights = 0;
    size_t k = 0, known = 0;
    double of_known = 0;

    *out = (struct az_nights_others){ .all = 0 };
    if (!n)
        return AZ_OK;
    if (!room)
        return AZ_ENOMEM;
    double *rho = room, *plain = room + n, *noise = room + 2 * n;
    for (size_t i = 0; i < n; i++) {
        out->spikes += of[i].spikes;
        out->all += (double)of[i].n;
        if (!isnan(of[i].plain)) {
            rho[known] = of[i].correlation;
            plain[known++] = of[i].plain;
            of_known += (double)of[i].n;
        }
        if (isnan(of[i].noise))
            continue;
        nights += (double)of[i].n;
        noise[k++] = of[i].noise;
    }
    if (known > 1)
        out->correlation = fmin(common(plain, known, of_known / (double)known),
                                az_gate_median(rho, known) +
                                    BOUND * OF_MEDIAN * OWN_ERROR / sqrt(1 + of_known / 2));
    pool_noise(noise, k, nights, out);
    az_mem_free(NULL, room, 3 * n * sizeof *room);
    return AZ_OK;
}

double az_nights_moderate(double noise, size_t n, const struct az_nights_others *others,
                          double *known)
{
    const double error = ERROR / sqrt((double)n);

    *known = (double)n;
    if (others->figures < FIGURES || !(noise > 0))
        return noise;
    /* figures of one run are not independent: half of them count */
    const double theirs = others->apart * others->apart +
                          2 * OF_MEDIAN * OF_MEDIAN * error * error / (double)others->figures,
                 own = error * error, part = own / (own + theirs),
                 move = part * (others->noise - log(noise));
    *known = (double)n / (1 - part);
    return noise * exp(fmax(-MOVED * error, fmin(MOVED * error, move)));
}
