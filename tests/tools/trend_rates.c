/* How a trend describes seeded histories whose truth is known (src/docs/nightly.md).
 *   trend_rates HISTORIES [SEED]
 * prints a line a noise and history: its name, percent of the histories described correctly, as
 * steps, as gradual changes, and as an unchanged level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

#define RUNS      60
#define STEP_NEAR 3   /* runs between a step and where it is found */
#define PART_NEAR 0.4 /* part of a gradual change by which its size may differ */

static struct az_rng rng;

static double uniform(void)
{
    return ((double)az_rng_below(&rng, 1u << 31) + 0.5) / (double)(1u << 31);
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- noise of standard deviation 1 ---- */

static double of_white(double before) { return (void)before, normal(); }

static double of_tails(double before) /* Student t with three degrees of freedom */
{
    const double a = normal(), b = normal(), c = normal();
    return (void)before, normal() / sqrt(a * a + b * b + c * c);
}

static double of_modes(double before)
{
    return (void)before, (uniform() < 0.5 ? -0.95 : 0.95) + 0.3 * normal();
}

static double of_neighbors(double before) { return 0.5 * before + sqrt(0.75) * normal(); }

static const struct noise {
    const char *name;
    double (*next)(double before);
    double size;
} noises[] = {
    { "white, 0.3%", of_white, 0.003 },      { "white, 1%", of_white, 0.01 },
    { "t(3), 1%", of_tails, 0.01 },          { "two modes, 1%", of_modes, 0.01 },
    { "AR(1) 0.5, 1%", of_neighbors, 0.01 },
};
#define NOISES (sizeof noises / sizeof *noises)

/* ---- histories ---- */

enum truth { UNCHANGED, STEP, GRADUAL };

struct drawn {
    double level[RUNS]; /* without noise */
    size_t at;          /* run of the newest change */
    double change;      /* of it, as part of the level before */
};

static size_t between(size_t low, size_t high) { return low + az_rng_below(&rng, high - low + 1); }

static void flat(struct drawn *d)
{
    for (size_t i = 0; i < RUNS; i++)
        d->level[i] = 1;
}

/* From a run on, times the factor. */
static void step_at(struct drawn *d, size_t at, double factor)
{
    for (size_t i = at; i < RUNS; i++)
        d->level[i] *= factor;
    d->at = at;
    d->change = factor - 1;
}

/* The same part of the level every run, from a run to another. */
static void slope_from(struct drawn *d, size_t from, size_t to, double part)
{
    for (size_t i = from; i < RUNS; i++)
        d->level[i] *= pow(1 + part, (double)((i < to ? i + 1 : to) - from));
    d->at = from;
    d->change = pow(1 + part, (double)(to - from)) - 1;
}

static void steady(struct drawn *d) { (void)d; }
static void one_odd(struct drawn *d) { d->level[between(10, RUNS - 2)] *= 1.12; }
static void step_3(struct drawn *d) { step_at(d, between(15, 50), 1.03); }
static void step_5(struct drawn *d) { step_at(d, between(15, 50), 1.05); }
static void step_10(struct drawn *d) { step_at(d, between(15, 50), 1.10); }
static void faster(struct drawn *d) { step_at(d, between(15, 50), 0.95); }
static void drift_1(struct drawn *d) { slope_from(d, between(5, 25), RUNS, 0.001); }
static void drift_2(struct drawn *d) { slope_from(d, between(5, 40), RUNS, 0.002); }
static void drift_4(struct drawn *d) { slope_from(d, between(5, 48), RUNS, 0.004); }
static void drift_10(struct drawn *d) { slope_from(d, between(5, 50), RUNS, 0.01); }
static void drift_ends(struct drawn *d)
{
    const size_t from = between(10, 25);
    slope_from(d, from, from + 15, 0.005);
}
static void recovery(struct drawn *d)
{
    step_at(d, between(12, 20), 1.08);
    step_at(d, between(30, 45), 1 / 1.08);
}
static void step_then_drift(struct drawn *d)
{
    step_at(d, between(12, 20), 1.08);
    slope_from(d, between(30, 40), RUNS, 0.004);
}
static void drift_then_step(struct drawn *d)
{
    slope_from(d, between(8, 12), 30, 0.004);
    step_at(d, between(38, 50), 1.06);
}
static void drift_then_back(struct drawn *d)
{
    const size_t from = between(8, 15);
    slope_from(d, from, 40, 0.004);
    step_at(d, 40, 1 / d->level[RUNS - 1]);
}
static void down_and_drift(struct drawn *d) /* as the example: a revert, then a drift */
{
    step_at(d, 17, 1.08);
    step_at(d, 24, 1 / 1.08);
    slope_from(d, between(31, 48), RUNS, 0.004);
}

static const struct kind {
    const char *name;
    void (*draw)(struct drawn *d);
    enum truth truth;
} kinds[] = {
    { "unchanged", steady, UNCHANGED },
    { "one run off by 12%", one_odd, UNCHANGED },
    { "step of 3%", step_3, STEP },
    { "step of 5%", step_5, STEP },
    { "step of 10%", step_10, STEP },
    { "step of -5%", faster, STEP },
    { "step of 8%, and back", recovery, STEP },
    { "drift, then a step of 6%", drift_then_step, STEP },
    { "drift, then back at once", drift_then_back, STEP },
    { "0.1% per run", drift_1, GRADUAL },
    { "0.2% per run", drift_2, GRADUAL },
    { "0.4% per run", drift_4, GRADUAL },
    { "1% per run", drift_10, GRADUAL },
    { "0.5% per run for 15 runs", drift_ends, GRADUAL },
    { "step of 8%, then 0.4% per run", step_then_drift, GRADUAL },
    { "step of 8%, back, then 0.4% per run", down_and_drift, GRADUAL },
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* ---- descriptions ---- */

static enum truth described(const struct az_baseline *o)
{
    return !o->changed ? UNCHANGED : o->gradual ? GRADUAL : STEP;
}

static bool is_right(const struct kind *k, const struct drawn *d, const struct az_baseline *o)
{
    const double change = o->changed_to / o->changed_from - 1;
    const ptrdiff_t off = (ptrdiff_t)o->changed - (ptrdiff_t)d->at;

    if (described(o) != k->truth)
        return false;
    if (k->truth == STEP)
        return labs(off) <= STEP_NEAR && change * d->change > 0;
    return k->truth == UNCHANGED || fabs(change - d->change) <= PART_NEAR * fabs(d->change);
}

static void rates(const struct noise *noise, const struct kind *k, size_t histories)
{
    size_t right = 0, as[3] = { 0 };

    for (size_t h = 0; h < histories; h++) {
        struct drawn d = { .at = 0 };
        struct az_baseline o;
        double v[RUNS], x = 0;
        flat(&d);
        k->draw(&d);
        for (size_t i = 0; i < RUNS; i++) {
            x = noise->next(x);
            v[i] = 100 * d.level[i] * (1 + noise->size * x);
        }
        const struct az_baseline_in in = {
            .v = v, .n = RUNS, .worse = 1, .seed = 1, .gradual = true
        };
        if (az_baseline_judge(&in, &o))
            exit(1);
        right += is_right(k, &d, &o);
        as[described(&o)]++;
        az_baseline_release(&o);
    }
    const double part = 100 / (double)histories;
    printf("%s|%s|%.1f|%.1f|%.1f|%.1f\n", noise->name, k->name, part * (double)right,
           part * (double)as[STEP], part * (double)as[GRADUAL], part * (double)as[UNCHANGED]);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    const size_t histories = argc > 1 ? strtoul(argv[1], NULL, 10) : 100,
                 seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    for (size_t n = 0; n < NOISES; n++)
        for (size_t k = 0; k < KINDS; k++) {
            az_rng_init(&rng, 1000003 * (seed + 1) + 1000 * n + k);
            rates(&noises[n], &kinds[k], histories);
        }
    return 0;
}
