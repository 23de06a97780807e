/* Is a measured commit like the good or like the bad one? (docs/formulas-nightly.md 6) */
#include "run/gates.h"

#include <math.h>
#include <stdio.h>

#include "base/human.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"
#include "stats/stats.h"

#define SURE      2.33 /* standard errors: wrong once in a hundred */
#define SEEN      1.28 /* of so many repetitions nine in ten are enough */
#define MOST      100  /* repetitions that somebody would wait for */
#define MAD_TO_SD 1.4826

struct side {
    const struct az_metric *m;
    double center;
    size_t n;
};

static struct side find_side(const struct az_gate_step *s, const char *input)
{
    for (size_t i = 0; i < s->cand.metrics.n; i++) {
        const struct az_metric *m = &s->cand.metrics.v[i];
        if (az_sv_is(m->input, input) && az_sv_is(m->key_text, s->f->plan->bisect) && m->values.n)
            return (struct side){ m, az_gate_center(m->values.v, m->values.n), m->values.n };
    }
    return (struct side){ NULL, NAN, 0 };
}

/* Standard deviation of one run: that of the repetitions about their own centers, and that of steps
 * within the runs, the larger. */
static double noise_of(const struct side *side, size_t n)
{
    double squares = 0, free = 0, within = 0;

    for (size_t i = 0; i < n; i++) {
        const struct az_vec_f64 *v = &side[i].m->values;
        const double mean = az_mean_f64(v->v, v->n);
        for (size_t k = 0; k < v->n; k++)
            squares += (v->v[k] - mean) * (v->v[k] - mean);
        free += (double)v->n - 1;
        within = fmax(within, side[i].m->within * fabs(side[i].center));
    }
    return fmax(free > 0 ? sqrt(squares / free) : 0, within);
}

static int put_sentence(struct az_gate_step *s, const struct side *side, double noise)
{
    const double g = side[0].center, b = side[1].center, x = side[2].center, apart = fabs(b - g);
    const double error = noise * sqrt(1 / (double)side[2].n + 0.25 / (double)side[0].n +
                                      0.25 / (double)side[1].n),
                 off = (x - (g + b) / 2) * (b > g ? 1 : -1);
    const double enough = ceil(pow((SURE + SEEN) * noise / (apart / 2), 2));
    struct az_vec_char *t = &s->f->text;
    char text[3][AZ_HUMAN_MAX];
    for (size_t i = 0; i < 3; i++)
        if (az_sv_is(side[2].m->unit, "ns"))
            az_human_time(llround(side[i].center), text[i]);
        else
            snprintf(text[i], sizeof text[i], "%.6g", side[i].center);
    int rc = az_text_printf(t, "%s: good %s, bad %s, this commit %s (%zu run%s, noise %.2g%%)\n",
                            s->f->plan->bisect, text[0], text[1], text[2], side[2].n,
                            side[2].n == 1 ? "" : "s", 100 * noise / fabs(x));
    if (rc)
        return rc;
    /* beyond either side there is nothing to decide: noise matters only between the two */
    const bool beyond = fabs(off) >= apart / 2;
    if (beyond || fabs(off) > SURE * error) {
        s->f->gate_failed = off > 0;
        return az_text_printf(t, "%s\n", off > 0 ? "bad" : "good");
    }
    s->f->failed = true;
    if (enough <= MOST)
        return az_text_printf(t,
                              "undecided: between them within the noise; %.0f repetitions "
                              "required, use --repeat %.0f\n",
                              fmax(enough, (double)side[2].n + 1),
                              fmax(enough, (double)side[2].n + 1));
    return az_text_printf(t,
                          "undecided: the two differ by %.2g%% and the noise of a run is %.2g%%; "
                          "%.0f repetitions required\n",
                          100 * apart / fabs(g), 100 * noise / fabs(x), enough);
}

int az_gate_bisect(struct az_gate_step *s)
{
    static const char *const names[] = { AZ_BISECT_GOOD, AZ_BISECT_BAD, AZ_BISECT_NEW };
    struct side side[3];
    double noise;

    for (size_t i = 0; i < 3; i++) {
        side[i] = find_side(s, names[i]);
        if (!side[i].m)
            return az_diag_fail(
                s->diag, AZ_EFORMAT, AZ_NOWHERE,
                "the %s run has no metric '%s'; use a key metric: total, busy, gemm, ...", names[i],
                s->f->plan->bisect);
    }
    if (!(fabs(side[1].center - side[0].center) > 0))
        return az_diag_fail(s->diag, AZ_EFORMAT, AZ_NOWHERE,
                            "the good and the bad run do not differ in '%s'", s->f->plan->bisect);
    noise = noise_of(side, 3);
    const double middle = (side[0].center + side[1].center) / 2;
    const bool beyond = fabs(side[2].center - middle) >= fabs(side[1].center - side[0].center) / 2;
    if (!beyond && !(noise > 0) && side[2].n == 1 && side[0].n == 1 && side[1].n == 1) {
        s->f->failed = true;
        return az_text_printf(
            &s->f->text, "undecided: unknown noise of single runs without steps; use --repeat 3\n");
    }
    return put_sentence(s, side, noise);
}
