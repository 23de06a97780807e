/* Limits from repeated runs. */
#include "regression/calibrate.h"

#include <math.h>

#include "base/sort.h"
#include "stats/rank_test.h"

#define LEAST_REL 0.001 /* metrics that did not move at all may still do so one day */

struct move {
    double rel, abs;
};
AZ_VEC(struct move, moves);

static int larger_rel_first(const void *x, const void *y, void *ctx)
{
    const struct move *a = x, *b = y;
    (void)ctx;
    return a->rel > b->rel ? -1 : a->rel < b->rel ? 1 : a->abs > b->abs ? -1 : a->abs < b->abs;
}

/* Up to two significant digits; what is there already stays. */
static double round_up(double x)
{
    if (!(x > 0))
        return 0;
    double unit = pow(10, floor(log10(x)) - 1), n = ceil(x / unit - 1e-9);
    return unit < 1 ? n / round(1 / unit) : n * unit;
}

/* The pair for moves sorted by rel, largest first: with limit rel of move i, the moves before it
 * must be within abs. */
static void choose(const struct moves *m, struct az_calibrated *out)
{
    double most_rel = m->v[0].rel, most_abs = 0, best = INFINITY, above = 0;

    for (size_t i = 0; i < m->n; i++)
        most_abs = fmax(most_abs, m->v[i].abs);
    out->worst_rel = most_rel;
    out->worst_abs = most_abs;
    for (size_t i = 0; i <= m->n; i++) {
        double rel = i < m->n ? m->v[i].rel : 0;
        double cost = (most_rel > 0 ? rel / most_rel : 0) + (most_abs > 0 ? above / most_abs : 0);
        if (cost < best) {
            best = cost;
            out->rel = rel;
            out->abs = above;
        }
        if (i < m->n)
            above = fmax(above, m->v[i].abs);
    }
    out->rel = fmax(round_up(out->rel), LEAST_REL);
    out->abs = round_up(out->abs);
}

static bool move_of(const struct az_metric *m, struct move *out)
{
    double lo = INFINITY, hi = -INFINITY, mid = az_gate_median(m->values.v, m->values.n);
    if (m->values.n < 2)
        return false;
    for (size_t i = 0; i < m->values.n; i++) {
        if (isnan(m->values.v[i]))
            return false;
        lo = fmin(lo, m->values.v[i]);
        hi = fmax(hi, m->values.v[i]);
    }
    out->abs = hi - lo;
    out->rel = fabs(mid) > 0 ? (hi - lo) / fabs(mid) : 0; /* moves about zero are limited by abs */
    return true;
}

static int calibrate_metric(const struct az_series *s, size_t first, struct az_calibrated_list *out)
{
    const struct az_metric *f = &s->metrics.v[first];
    struct az_calibrated c = { .sheet = f->sheet, .name = f->name, .unit = f->unit };
    struct moves m;
    double floor_abs = 0;
    int rc = 0;

    az_vec_init(&m, NULL);
    for (size_t i = first; !rc && i < s->metrics.n; i++) {
        const struct az_metric *x = &s->metrics.v[i];
        struct move mv;
        if (!az_sv_eq(x->sheet, f->sheet) || !az_sv_eq(x->name, f->name) || !move_of(x, &mv))
            continue;
        c.runs = x->values.n > c.runs ? x->values.n : c.runs;
        if (mv.abs > 0 && !(mv.rel > 0))
            floor_abs = fmax(floor_abs, mv.abs);
        rc = az_vec_push(&m, mv);
    }
    c.figures = m.n;
    az_sort_cmp(m.v, m.n, sizeof *m.v, larger_rel_first, NULL, NULL);
    if (!rc && m.n) {
        choose(&m, &c);
        c.abs = fmax(c.abs, round_up(floor_abs));
        rc = az_vec_push(out, c);
    }
    az_vec_release(&m);
    return rc;
}

int az_calibrate(const struct az_series *s, struct az_calibrated_list *out)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s->metrics.n; i++) {
        bool seen = false;
        for (size_t k = 0; k < out->n && !seen; k++)
            seen = az_sv_eq(out->v[k].sheet, s->metrics.v[i].sheet) &&
                   az_sv_eq(out->v[k].name, s->metrics.v[i].name);
        if (!seen)
            rc = calibrate_metric(s, i, out);
    }
    return rc;
}
