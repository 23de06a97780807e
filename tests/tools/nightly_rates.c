/* Error rates of the judgment of nights over seeded histories whose truth is known, next to other
 * methods (src/docs/nightly.md).
 *   nightly_rates HISTORIES NIGHTS [METHODS [CHANGES [SEED [MODEL]]]]
 * prints a line a noise model, change and method; NIGHTS 0: slow drifts, MODEL of them. A history
 * has FIGURES figures of one noise model.
 * Without a change each figure of each night is judged; with one only the first figure changes,
 * half way, and only it is judged, from then on. A night is an alarm where the figure is worse: one
 * night beyond LIMIT, or a level that held, by a quarter of it or more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

#define FIGURES 20
#define MOST    400
#define LIMIT   0.03
#define DRIFT   0.10
#define LATE    5
#define CHANGED 10 /* histories with a change for each without one */
#define TOLD    10 /* nights before one judged by what was told, and ages of a step */

static struct az_rng rng;

static double uniform(void)
{
    return ((double)az_rng_below(&rng, 1u << 31) + 0.5) / (double)(1u << 31);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- noise, of 1 % ---- */

static double white(double before, size_t night)
{
    (void)before, (void)night;
    return normal();
}
static double student(double before, size_t night) /* t(3) over sqrt 3, its standard deviation */
{
    const double a = normal(), b = normal(), c = normal();
    (void)before, (void)night;
    return normal() / sqrt((a * a + b * b + c * c) / 3) / sqrt(3);
}
static double ar(double before, double rho)
{
    return rho * before + sqrt(1 - rho * rho) * normal();
}
static double ar3(double before, size_t night) { return (void)night, ar(before, 0.3); }
static double ar5(double before, size_t night) { return (void)night, ar(before, 0.5); }
static double ar8(double before, size_t night) { return (void)night, ar(before, 0.8); }
static double news8(double before, size_t night) /* 1 % of news, 1.67 % in all */
{
    return (void)night, 0.8 * before + normal();
}
static double modes(double before, size_t night)
{
    (void)before, (void)night;
    return (uniform() < 0.5 ? -0.95 : 0.95) + 0.3 * normal();
}
static double rare_mode(double before, size_t night)
{
    (void)before, (void)night;
    return (uniform() < 0.2 ? 2 : -0.5) * 0.98 + 0.2 * normal();
}
static double outliers(double before, size_t night)
{
    (void)before, (void)night;
    const double x = normal();
    return uniform() < 0.01 ? x + (uniform() < 0.5 ? -1 : 1) * (8 + 20 * uniform()) : x;
}
static double weekly(double before, size_t night) /* two nights of seven are slower */
{
    (void)before;
    return (night % 7 < 2 ? 1.58 : -0.63) * 0.86 + 0.5 * normal();
}
static double uneven(double before, size_t night) /* quiet and noisy fortnights */
{
    (void)before;
    return (night / 14 % 2 ? 1.35 : 0.42) * normal();
}

/* ---- steps of a night ---- */

#define STEPS_MOST   64
#define SPREAD_LEAST 8 /* steps that say by what they scatter (results/key_figures.c) */

static size_t steps_same(size_t night) { return (void)night, 20; }
static size_t steps_random(size_t night) { return (void)night, 3 + az_rng_below(&rng, 58); }
static size_t steps_fall(size_t night) { return night < 20 ? 60 : 5; } /* and stay so */
static size_t steps_rise(size_t night) { return night < 20 ? 5 : 60; }
static size_t steps_jump(size_t night) /* for some nights each */
{
    static const size_t of[] = { 60, 6, 20, 3, 40, 10 };
    return of[night / 5 % 6];
}

static const struct model {
    const char *name;
    double (*next)(double before, size_t night);
    double rho, noise;             /* of a first order autoregression, and percent; 0: it is none */
    size_t (*steps)(size_t night); /* of a night; NULL: their scatter is not known */
    double between; /* part of the variance of a night of 20 steps that is not theirs */
} models[] = {
    { "white", white, 0, 0, NULL, 0 },
    { "two modes", modes, 0, 0, NULL, 0 },
    { "a rare mode", rare_mode, 0, 0, NULL, 0 },
    { "AR(1) 0.3", ar3, 0.3, 1, NULL, 0 },
    { "AR(1) 0.5", ar5, 0.5, 1, NULL, 0 },
    { "AR(1) 0.8", ar8, 0.8, 1, NULL, 0 },
    { "t(3)", student, 0, 0, NULL, 0 },
    { "1 % outlier nights", outliers, 0, 0, NULL, 0 },
    { "two slow nights a week", weekly, 0, 0, NULL, 0 },
    { "quiet and noisy fortnights", uneven, 0, 0, NULL, 0 },
    { "AR(1) 0.8, news of 1 %", news8, 0.8, 5 / 3.0, NULL, 0 },
    { "20 steps", white, 0, 0, steps_same, 0.5 },
    { "3 to 60 steps", white, 0, 0, steps_random, 0.5 },
    { "60 steps, then 5", white, 0, 0, steps_fall, 0.5 },
    { "5 steps, then 60", white, 0, 0, steps_rise, 0.5 },
    { "3 to 60 steps by five nights", white, 0, 0, steps_jump, 0.5 },
    { "20 steps, noise of theirs", white, 0, 0, steps_same, 0.05 },
    { "3 to 60 steps, noise of theirs", white, 0, 0, steps_random, 0.05 },
    { "3 to 60 steps by five nights, noise of theirs", white, 0, 0, steps_jump, 0.05 },
};
#define MODELS (sizeof models / sizeof *models)

/* ---- methods: is the newest of n nights an alarm? ---- */

struct night {
    const double *v;
    const double *error; /* standard error of each by its steps; NULL: not known */
    const bool *failed;
    const bool *kept; /* by this method: nights that did not fail */
    size_t n;
    const struct model *model;
    struct az_baseline_others others;
    bool odd; /* "run it again" */
};

static bool ours(struct night *t)
{
    const struct az_baseline_in in = { .v = t->v,
                                       .error = t->error,
                                       .n = t->n,
                                       .worse = 1,
                                       .drift_days = 30,
                                       .others = t->others,
                                       .seed = 1,
                                       .failed = t->failed };
    struct az_baseline o;
    bool alarm = false;

    if (t->n < 2)
        return false;
    if (az_baseline_judge(&in, &o))
        exit(1);
    const double tonight = t->v[t->n - 1] / o.center - 1;
    t->odd = o.kind == AZ_BASELINE_OUTLIER && o.side > 0 && tonight > LIMIT;
    if (o.kind == AZ_BASELINE_JUMP && o.side > 0)
        alarm = tonight > LIMIT;
    if (o.kind == AZ_BASELINE_STEP && o.side > 0)
        alarm = o.level / o.center - 1 > LIMIT / 4;
    if (o.drift && o.drifted > DRIFT * o.center)
        alarm = true;
    if (o.held || o.total > LIMIT * o.center)
        alarm = true;
    az_baseline_release(&o);
    return alarm;
}

/* The newest `most` nights that were kept, newest first. */
static size_t kept(const struct night *t, size_t most, double *out)
{
    size_t k = 0;
    for (size_t i = t->n - 1; i-- > 0 && k < most;)
        if (t->kept[i])
            out[k++] = t->v[i];
    return k;
}

static bool three_sigma(struct night *t)
{
    double b[30];
    const size_t k = kept(t, 30, b);
    if (k < 5)
        return false;
    const double m = az_gate_median(b, k), s = 1.4826 * az_gate_mad(b, k);
    return t->v[t->n - 1] - m > 3 * s;
}

static bool mann_whitney(struct night *t) /* 5 against the 20 before, p < 0.001 */
{
    struct az_mwu w;
    if (t->n < 25)
        return false;
    if (az_mann_whitney(t->v + t->n - 25, 20, t->v + t->n - 5, 5, AZ_TAIL_GREATER, &w))
        exit(1);
    return w.p < 0.001;
}

static bool last_good(struct night *t)
{
    double b[1];
    return kept(t, 1, b) && t->v[t->n - 1] / b[0] - 1 > LIMIT;
}

/* The step of so many nights in standard deviations of it, least squares of a level and a step with
 * the correlation and the noise that the history was made with. */
static double told_z(const struct night *t, size_t nights)
{
    const double rho = t->model->rho, q = 1 - rho, s = sqrt(1 - rho * rho);
    const size_t at = t->n - nights;
    double cc = 0, cs = 0, cy = 0, ss = 0, sy = 0;

    for (size_t i = 0; i < t->n; i++) {
        const double c = i ? q : s,
                     x = i < at   ? 0
                         : i > at ? q
                                  : 1,
                     y = (i ? t->v[i] - rho * t->v[i - 1] : s * t->v[i]) - c * 100;
        cc += c * c, cs += c * x, cy += c * y, ss += x * x, sy += x * y;
    }
    return (sy - cs * cy / cc) / sqrt(ss - cs * cs / cc) / s / t->model->noise;
}

/* What could be found at best, at two false alarms in 1,000: all known but the level, limits by the
 * age of the step. */
static bool told(struct night *t)
{
    static const double limit[TOLD] = { 4.2, 3.6, 3.6, 3.6, 3.0, 3.4, 3.8, 4.2, 4.6, 5.0 };

    for (size_t k = 1; t->n > TOLD && k <= TOLD && k < t->n; k++)
        if (told_z(t, k) > limit[k - 1])
            return true;
    return false;
}

static const struct method {
    const char *name;
    bool (*alarm)(struct night *t);
} methods[] = { { "nights", ours },
                { "3 sigma", three_sigma },
                { "Mann-Whitney 5 v 20", mann_whitney },
                { "last-good", last_good },
                { "all known but the level", told } };
#define METHODS (sizeof methods / sizeof *methods)

/* ---- histories ---- */

static const struct change {
    const char *name;
    double step, slope;
} changes[] = { { "none", 0, 0 },     { "+3 %", 0.03, 0 },         { "+5 %", 0.05, 0 },
                { "+10 %", 0.10, 0 }, { "+1 % a night", 0, 0.01 }, { "+2 % a night", 0, 0.02 } };
#define CHANGES (sizeof changes / sizeof *changes)

struct count {
    size_t nights, alarms, odd; /* figure-nights without a change */
    size_t histories, found, first, late[MOST];
    double squares; /* of the alarms of a history */
};

/* The median of so many steps, and their standard error of it, both in percent. */
static double median_of_steps(const struct model *m, size_t steps, double *spread)
{
    const double one = sqrt((1 - m->between) * 20) / 1.2533;
    double v[STEPS_MOST];

    for (size_t i = 0; i < steps; i++)
        v[i] = one * normal();
    *spread = steps < SPREAD_LEAST ? NAN : 1.2533 * 1.4826 * az_gate_mad(v, steps);
    return az_gate_median(v, steps);
}

/* spread: of single steps as each night has it, NaN: not known; steps: of each night. */
static void make(const struct model *m, const struct change *c, size_t nights, const size_t *steps,
                 double *v, double *spread)
{
    double x = 0;

    for (size_t i = 0; i < 56; i++)
        x = m->next(x, i);
    for (size_t i = 0; i < nights; i++) {
        const size_t half = nights / 2;
        x = m->next(x, i);
        v[i] = 100 * (1 + 0.01 * x);
        if (m->steps)
            v[i] = 100 + sqrt(m->between) * x + median_of_steps(m, steps[i], &spread[i]);
        if (i >= half)
            v[i] *= (1 + c->step) * pow(1 + c->slope, (double)(i - half + 1));
    }
}

/* Errors of n nights by their steps and the mean spread of these, as the gate has them. */
static void errors_of(const double *spread, const size_t *steps, size_t n, double *error)
{
    double sum = 0;
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (spread[i] > 0) {
            sum += log(spread[i]);
            known++;
        }
    for (size_t i = 0; i < n; i++)
        error[i] = known ? 0.01 * exp(sum / (double)known) / sqrt((double)steps[i]) : NAN;
}

/* What all figures of n nights say to one another. */
static void look(double v[FIGURES][MOST], double error[FIGURES][MOST], size_t n,
                 struct az_baseline_others *out)
{
    struct az_baseline_estimates one[FIGURES];

    for (size_t f = 0; f < FIGURES; f++)
        if (az_baseline_estimate(v[f], error ? error[f] : NULL, n, &one[f]))
            exit(1);
    if (az_baseline_pool(one, FIGURES, out))
        exit(1);
}

static void history(const struct model *m, const struct change *c, const struct method *how,
                    size_t nights, struct count *out)
{
    static double v[FIGURES][MOST];
    static double spread[FIGURES][MOST], error[FIGURES][MOST];
    static size_t steps[MOST];
    static bool keep[FIGURES][MOST], failed[FIGURES][MOST];
    struct az_baseline_others others = { .all = 0 };
    const size_t half = nights / 2;
    const bool changed = c->step > 0 || c->slope > 0;
    const size_t alarms = out->alarms;
    bool found = false;

    for (size_t i = 0; m->steps && i < nights; i++)
        steps[i] = m->steps(i);
    for (size_t f = 0; f < FIGURES; f++)
        make(m, f ? &(struct change){ .step = 0 } : c, nights, steps, v[f], spread[f]);
    for (size_t i = 0; changed && i < half; i++) {
        keep[0][i] = true;
        failed[0][i] = false;
    }
    out->histories++;
    for (size_t n = changed ? half + 1 : 1; n <= nights && !found; n++) {
        for (size_t f = 0; m->steps && f < FIGURES; f++)
            errors_of(spread[f], steps, n, error[f]);
        if (how->alarm == ours)
            look(v, m->steps ? error : NULL, n, &others);
        for (size_t f = 0; f < (changed ? 1 : FIGURES); f++) {
            struct night t = { v[f],      m->steps && how->alarm == ours ? error[f] : NULL,
                               failed[f], keep[f],
                               n,         m,
                               others,    false };
            const bool alarm = how->alarm(&t);
            keep[f][n - 1] = !alarm;
            failed[f][n - 1] = alarm;
            out->nights++;
            out->alarms += alarm;
            out->odd += t.odd && !alarm;
            if (!changed)
                continue;
            out->first += n - 1 == half && (alarm || t.odd);
            found = alarm;
            out->found += alarm;
            out->late[n - 1 - half] += alarm;
        }
    }
    const double own = (double)(out->alarms - alarms);
    out->squares += own * own;
}

/* Standard error of the false alarms in 1,000 figure-nights: those of a history come together. */
static double error_of(const struct count *k)
{
    const double n = (double)k->histories, mean = (double)k->alarms / n;

    return n > 1 ? 1000 * n / (double)k->nights * sqrt((k->squares / n - mean * mean) / (n - 1))
                 : 0;
}

static void report(const struct model *m, const struct change *c, const struct method *how,
                   const struct count *k)
{
    const bool changed = c->step > 0 || c->slope > 0;
    size_t sum = 0, five = 0, fifteen = 0, median = 0;

    for (size_t i = 0; i < MOST; i++) {
        sum += k->late[i];
        five += i < LATE ? k->late[i] : 0;
        fifteen += i < 15 ? k->late[i] : 0;
        if (2 * sum < k->histories)
            median = i + 1;
    }
    printf("%s|%s|%s|%.2f|%.2f", m->name, c->name, how->name,
           1000.0 * (double)k->alarms / (double)k->nights,
           1000.0 * (double)k->odd / (double)k->nights);
    const double h = 0.01 * (double)k->histories;
    if (changed)
        printf("|%.1f|%.1f|%.1f|%zu\n", (double)k->first / h, (double)five / h, (double)fifteen / h,
               median);
    else
        printf("|%.2f|||\n", error_of(k));
    (void)fflush(stdout);
}

/* ---- slow drift ---- */

#define SLOW_NIGHTS 150
#define BEFORE      1.5 /* limits that the sum of a drift may reach before the first alarm */

/* From the first night on (start 0), or after so many without. Judged: the first alarm comes in
 * time, and no night after it is green. */
static void slow(double slope, double noise, size_t start, size_t histories, size_t seed,
                 bool together)
{
    static double v[FIGURES][MOST];
    static bool failed[MOST];
    size_t in_time = 0, steady = 0, both = 0, odd = 0;

    for (size_t i = 0; i < histories; i++) {
        memset(failed, 0, sizeof failed);
        size_t first = 0, green = 0, nights = start + (size_t)(2 * BEFORE * LIMIT / slope) + 1;
        nights = nights > SLOW_NIGHTS ? SLOW_NIGHTS : nights;
        az_rng_init(&rng, 77 + 1000000 * (i + seed));
        for (size_t f = 0; f < FIGURES; f++)
            for (size_t n = 0; n < nights; n++)
                v[f][n] =
                    100 * (1 + noise * normal()) *
                    ((f && !together) || n < start ? 1 : pow(1 + slope, (double)(n - start + 1)));
        for (size_t n = start + 1; n <= nights; n++) {
            struct az_baseline_others others = { .all = 0 };
            look(v, NULL, n, &others);
            struct night t = { v[0], NULL, failed, NULL, n, &models[0], others, false };
            const bool alarm = ours(&t);
            failed[n - 1] = alarm;
            first = !first && alarm ? n : first;
            green += first && !alarm && !t.odd;
            odd += t.odd && !alarm;
        }
        const bool good = first && (double)(first - start) * slope <= BEFORE * LIMIT;
        in_time += good;
        steady += first && green == 0;
        both += good && green == 0;
    }
    const double h = 0.01 * (double)histories;
    printf("slow drift%s|%g|%g|%zu|%.1f|%.1f|%.1f|%.2f\n", together ? " of all" : "", 100 * slope,
           100 * noise, start, (double)in_time / h, (double)steady / h, (double)both / h,
           (double)odd / (double)histories);
    (void)fflush(stdout);
}

#define SLOW 18 /* slopes, noises and starts; of one figure, then of all */

static int slow_drifts(size_t histories, size_t seed, size_t only)
{
    static const double slopes[] = { 0.001, 0.002, 0.005 }, noises[] = { 0.003, 0.01 };
    static const size_t starts[] = { 0, 10, 30 };

    for (size_t i = 0; i < 2 * SLOW; i++)
        if (only >= 2 * SLOW || i == only)
            slow(slopes[i % SLOW / 6], noises[i / 3 % 2], starts[i % 3], histories, seed,
                 i >= SLOW);
    return 0;
}

static size_t number(int argc, char **argv, int i, size_t otherwise)
{
    return argc > i ? strtoul(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    const size_t histories = number(argc, argv, 1, 100), nights = number(argc, argv, 2, 60),
                 only = number(argc, argv, 3, METHODS), changed = number(argc, argv, 4, CHANGES),
                 seed = number(argc, argv, 5, 0), model = number(argc, argv, 6, MODELS);

    if (nights > MOST)
        return 2;
    if (nights == 0)
        return slow_drifts(histories, seed, number(argc, argv, 6, 2 * SLOW));
    for (size_t m = 0; m < MODELS; m++)
        for (size_t c = 0; c < CHANGES && c < changed; c++)
            for (size_t h = 0; h < METHODS && h < only && (model == MODELS || m == model); h++) {
                struct count k = { .nights = 0 };
                if (methods[h].alarm == told && !(models[m].rho > 0))
                    continue;
                for (size_t i = 0; i < histories * (c ? CHANGED : 1); i++) {
                    az_rng_init(&rng, 1000 * m + 100 * c + 1000000 * (i + seed));
                    history(&models[m], &changes[c], &methods[h], nights, &k);
                }
                report(&models[m], &changes[c], &methods[h], &k);
            }
    return 0;
}
