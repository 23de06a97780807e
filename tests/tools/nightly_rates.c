/* Error rates of the judgement of nights over seeded histories whose truth is known, beside other
 * methods (src/docs/nightly.md).
 *   nightly_rates HISTORIES NIGHTS [METHODS [CHANGES]]       prints a line a noise model, change
 * and method A history has FIGURES figures of one noise model; the first of them changes half way,
 * the others never. A night is an alarm where the figure is worse: one night beyond LIMIT, or a
 * level that held, by a quarter of it or more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "results/gate_stats.h"
#include "results/nights.h"

#define FIGURES 20
#define MOST    400
#define LIMIT   0.03
#define DRIFT   0.10
#define LATE    5

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

static double white(double before)
{
    (void)before;
    return normal();
}
static double student(double before) /* t(3) over sqrt 3, its standard deviation */
{
    const double a = normal(), b = normal(), c = normal();
    (void)before;
    return normal() / sqrt((a * a + b * b + c * c) / 3) / sqrt(3);
}
static double ar(double before) { return 0.8 * before + 0.6 * normal(); }
static double modes(double before)
{
    (void)before;
    return (uniform() < 0.5 ? -0.95 : 0.95) + 0.3 * normal();
}
static double rare_mode(double before)
{
    (void)before;
    return (uniform() < 0.2 ? 2 : -0.5) * 0.98 + 0.2 * normal();
}
static double outliers(double before)
{
    (void)before;
    const double x = normal();
    return uniform() < 0.01 ? x + (uniform() < 0.5 ? -1 : 1) * (8 + 20 * uniform()) : x;
}
static const struct model {
    const char *name;
    double (*next)(double before);
    double most; /* false alarms in 1,000 figure-nights */
} models[] = {
    { "white", white, 1 },  { "two modes", modes, 1 }, { "a rare mode", rare_mode, 1 },
    { "AR(1) 0.8", ar, 2 }, { "t(3)", student, 3 },    { "1 % outlier nights", outliers, 3 },
};
#define MODELS (sizeof models / sizeof *models)

/* ---- methods: is the newest of n nights an alarm? ---- */

struct night {
    const double *v;
    const bool *kept; /* by this method: nights that did not fail */
    size_t n;
    double spikes, all, rho; /* of the other figures */
    bool odd;                /* "run it again" */
};

static bool ours(struct night *t)
{
    const struct az_nights_in in = { .v = t->v,
                                     .n = t->n,
                                     .worse = 1,
                                     .drift_days = 30,
                                     .spikes = t->spikes,
                                     .all = t->all,
                                     .correlation = t->rho,
                                     .seed = 1 };
    struct az_nights o;
    bool alarm = false;

    if (t->n < 2)
        return false;
    if (az_nights_judge(&in, &o))
        exit(1);
    const double tonight = t->v[t->n - 1] / o.center - 1;
    t->odd = o.kind == AZ_NIGHTS_OUTLIER && o.side > 0 && tonight > LIMIT;
    if (o.kind == AZ_NIGHTS_JUMP && o.side > 0)
        alarm = tonight > LIMIT;
    if (o.kind == AZ_NIGHTS_STEP && o.side > 0)
        alarm = o.level / o.center - 1 > LIMIT / 4;
    if (o.drift && o.drifted > DRIFT * o.center)
        alarm = true;
    az_nights_release(&o);
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

static const struct method {
    const char *name;
    bool (*alarm)(struct night *t);
} methods[] = { { "nights", ours },
                { "3 sigma", three_sigma },
                { "Mann-Whitney 5 v 20", mann_whitney },
                { "last-good", last_good } };
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
};

static void make(const struct model *m, const struct change *c, size_t nights, double *v)
{
    double x = 0;

    for (size_t i = 0; i < 50; i++)
        x = m->next(x);
    for (size_t i = 0; i < nights; i++) {
        const size_t half = nights / 2;
        x = m->next(x);
        v[i] = 100 * (1 + 0.01 * x);
        if (i >= half)
            v[i] *= (1 + c->step) * pow(1 + c->slope, (double)(i - half + 1));
    }
}

static void history(const struct model *m, const struct change *c, const struct method *how,
                    size_t nights, struct count *out)
{
    static double v[FIGURES][MOST];
    static bool keep[FIGURES][MOST];
    double odd[FIGURES] = { 0 };
    const size_t half = nights / 2;
    const bool changed = c->step > 0 || c->slope > 0;
    bool found = false;

    for (size_t f = 0; f < FIGURES; f++)
        make(m, f ? &(struct change){ .step = 0 } : c, nights, v[f]);
    out->histories++;
    for (size_t n = 1; n <= nights; n++) {
        double all = 0, rho[FIGURES], sorted[FIGURES];
        for (size_t f = 0; f < FIGURES; f++) {
            if (az_nights_look(v[f], n, &odd[f], &rho[f]))
                exit(1);
            sorted[f] = rho[f];
            all += odd[f];
        }
        for (size_t f = 0; f < FIGURES; f++) {
            struct night t = { v[f],
                               keep[f],
                               n,
                               all - odd[f],
                               (double)((FIGURES - 1) * n),
                               az_gate_median(sorted, FIGURES),
                               false };
            const bool alarm = how->alarm(&t);
            keep[f][n - 1] = !alarm;
            if (f || !changed || n <= half) {
                out->nights++;
                out->alarms += alarm;
                out->odd += t.odd && !alarm;
            } else if (alarm && !found) {
                found = true;
                out->found++;
                out->late[n - 1 - half]++;
                out->first += n - 1 == half;
            }
        }
    }
}

static void report(const struct model *m, const struct change *c, const struct method *how,
                   size_t nights, const struct count *k)
{
    const bool changed = c->step > 0 || c->slope > 0;
    size_t sum = 0, five = 0, fifteen = 0, median = 0;

    (void)nights;
    for (size_t i = 0; i < MOST; i++) {
        sum += k->late[i];
        five += i < LATE ? k->late[i] : 0;
        fifteen += i < 15 ? k->late[i] : 0;
        if (2 * sum < k->found)
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
        printf("||||\n");
}

int main(int argc, char **argv)
{
    const size_t histories = argc > 1 ? strtoul(argv[1], NULL, 10) : 100,
                 nights = argc > 2 ? strtoul(argv[2], NULL, 10) : 60;
    const size_t only = argc > 3 ? strtoul(argv[3], NULL, 10) : METHODS,
                 changed = argc > 4 ? strtoul(argv[4], NULL, 10) : CHANGES;

    if (nights > MOST)
        return 2;
    for (size_t m = 0; m < MODELS; m++)
        for (size_t c = 0; c < CHANGES && c < changed; c++)
            for (size_t h = 0; h < METHODS && h < only; h++) {
                struct count k = { .nights = 0 };
                for (size_t i = 0; i < histories; i++) {
                    az_rng_init(&rng, 1000 * m + 100 * c + 1000000 * i);
                    history(&models[m], &changes[c], &methods[h], nights, &k);
                }
                report(&models[m], &changes[c], &methods[h], nights, &k);
            }
    return 0;
}
