/* Noise parameters pooled over the metrics of the same runs: rate of outlier nights, correlation of
 * neighbors, size of the noise (docs/formulas-nightly.md 2). */
#include <math.h>
#include <string.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"
#include "stats/stats.h"

#define FIGURES       6   /* fewer do not show the noise */
#define ERROR         1.0 /* standard error of the logarithm of a noise, times sqrt n */
#define MOVED         1.5 /* standard errors by which the others move a noise at most */
#define BOUND         2.0 /* standard errors above that of differences, for the usual correlation */
#define OWN_ERROR     2.0 /* of a correlation by differences, times sqrt n */
#define OF_MEDIAN     1.2533
#define PULLS         1.5 /* standard errors by which one metric's correlation counts at most */
#define ROUNDS        5
#define HINGES        40   /* nights from which a change is searched */
#define CHANGES       3    /* that are searched one after another */
#define CHANGING      0.9  /* part of the squares that are of it */
#define CHANGING_MANY 0.98 /* so, of several */

bool az_baseline_scale(const double *v, size_t n, double *y, double *scratch, double *unit)
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

struct change {
    size_t from, to; /* of a level */
    bool slope;      /* from `from` on */
    double squares, size;
};

/* Squares that x removes of n values with mean 0: sums of x, of its squares, of x y. */
static void better(struct change *best, struct change c, size_t n, double x, double xx, double xy)
{
    const double free = xx - x * x / (double)n;
    if (!(free > 1e-9 * xx) || !(xy * xy / free > best->squares))
        return;
    c.squares = xy * xy / free;
    c.size = xy / free;
    *best = c;
}

static struct change best_change(const double *y, size_t n)
{
    struct change best = { .squares = 0 };

    for (size_t h = 0; h < HINGES; h++) {
        const size_t from = h * n / HINGES;
        double x = 0, xx = 0, xy = 0, sum = 0;
        size_t to = from;
        for (size_t k = h + 1; k <= HINGES; k++) { /* a level from here to there */
            for (; to < k * n / HINGES; to++)
                sum += y[to];
            const double m = (double)(to - from);
            better(&best, (struct change){ .from = from, .to = to }, n, m, m, sum);
        }
        for (size_t i = from; i < n; i++) {
            const double slope = (double)(i - from + 1);
            x += slope, xx += slope * slope, xy += slope * y[i];
        }
        better(&best, (struct change){ .from = from, .to = n, .slope = true }, n, x, xx, xy);
    }
    return best;
}

/* Subtracts the step, level or slope that explains y[0..n), of mean 0, best; its squares. */
static double take_change(double *y, size_t n)
{
    const struct change c = best_change(y, n);
    double mean = 0;

    for (size_t i = c.from; i < c.to; i++)
        y[i] -= c.slope ? c.size * (double)(i - c.from + 1) : c.size;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        y[i] -= mean;
    return c.squares;
}

bool az_baseline_is_changing(const double *y, size_t n, double *room)
{
    double mean = 0, all = 0, taken = 0;

    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        all += (y[i] - mean) * (y[i] - mean);
        room[i] = y[i] - mean;
    }
    /* several explain much of what wanders, too: they must explain nearly all */
    const double one = take_change(room, n);
    taken = one;
    for (size_t k = 1; k < CHANGES && n >= 3 * CHANGES; k++)
        taken += take_change(room, n);
    return one > CHANGING * all || taken > CHANGING_MANY * all;
}

int az_baseline_estimate(const double *v, const double *error, size_t n,
                         struct az_baseline_estimates *out)
{
    double *room = az_mem_alloc(NULL, n * (4 * sizeof *room + sizeof(bool)));

    *out = (struct az_baseline_estimates){ .n = n, .plain = NAN, .flat = NAN, .noise = NAN };
    if (!room)
        return AZ_ENOMEM;
    if (n >= 3) {
        double *y = room, *scratch = room + n, unit, noise, usual;
        void *odd = room + 4 * n;
        (void)az_baseline_scale(v, n, y, scratch, &unit);
        if (error && az_baseline_weigh(y, error, n, scratch, scratch + n, &usual)) {
            az_baseline_even(y, scratch, n, scratch + n);
            memcpy(y, scratch + n, n * sizeof *y);
        }
        noise = az_baseline_noise(y, n - 1, scratch, &out->correlation);
        out->spikes =
            (double)az_baseline_clean(y, NULL, n, noise / sqrt(1 - fmax(0, out->correlation)), odd);
        out->plain = az_baseline_plain(y, n - 1, scratch);
        out->flat = az_baseline_flat(y, n - 1, scratch);
        if (!isnan(out->plain)) /* fmin would leave it out */
            out->plain = fmin(az_baseline_is_changing(y, n - 1, scratch) ? out->correlation : 0.95,
                              out->plain);
        if (noise > 0)
            out->noise = log(noise);
    }
    az_mem_free(NULL, room, n * (4 * sizeof *room + sizeof(bool)));
    return AZ_OK;
}

/* Noise: a common logarithm and what they differ by beyond their errors, both by quartiles. */
static void pool_noise(double *logs, size_t k, double nights, struct az_baseline_others *out)
{
    if (k < FIGURES)
        return;
    const double low = az_percentile_f64(logs, k, 25), high = az_percentile_f64(logs, k, 75),
                 wide = (high - low) / 1.349, error = ERROR / sqrt(nights / (double)k);
    out->noise = az_percentile_f64(logs, k, 50);
    out->apart = sqrt(fmax(0, wide * wide - error * error));
    out->figures = k;
}

/* Huber's estimate of the correlation that n metrics of so many nights each have: the mean, but
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

int az_baseline_pool(const struct az_baseline_estimates *of, size_t n,
                     struct az_baseline_others *out)
{
    double *room = n ? az_mem_alloc(NULL, 4 * n * sizeof *room) : NULL, nights = 0;
    size_t k = 0, known = 0;
    double of_known = 0;

    *out = (struct az_baseline_others){ .all = 0 };
    if (!n)
        return AZ_OK;
    if (!room)
        return AZ_ENOMEM;
    double *rho = room, *plain = room + n, *noise = room + 2 * n, *flat = room + 3 * n;
    for (size_t i = 0; i < n; i++) {
        out->spikes += of[i].spikes;
        out->all += (double)of[i].n;
        if (!isnan(of[i].plain)) {
            rho[known] = of[i].correlation;
            flat[known] = of[i].flat;
            plain[known++] = of[i].plain;
            of_known += (double)of[i].n;
        }
        if (isnan(of[i].noise))
            continue;
        nights += (double)of[i].n;
        noise[k++] = of[i].noise;
    }
    if (known > 1)
        out->news = az_gate_median(rho, known);
    if (known > 1)
        out->flat = common(flat, known, of_known / (double)known);
    if (known > 1)
        out->correlation = fmin(common(plain, known, of_known / (double)known),
                                az_gate_median(rho, known) +
                                    BOUND * OF_MEDIAN * OWN_ERROR / sqrt(1 + of_known / 2));
    pool_noise(noise, k, nights, out);
    az_mem_free(NULL, room, 4 * n * sizeof *room);
    return AZ_OK;
}

double az_baseline_moderate(double noise, size_t n, const struct az_baseline_others *others,
                            double *known)
{
    const double error = ERROR / sqrt((double)n);

    *known = (double)n;
    if (others->figures < FIGURES || !(noise > 0))
        return noise;
    /* metrics of one run are not independent: half of them count */
    const double theirs = others->apart * others->apart +
                          2 * OF_MEDIAN * OF_MEDIAN * error * error / (double)others->figures,
                 own = error * error, part = own / (own + theirs),
                 move = part * (others->noise - log(noise));
    *known = (double)n / (1 - part);
    return noise * exp(fmax(-MOVED * error, fmin(MOVED * error, move)));
}
