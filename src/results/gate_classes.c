/* Of what class the cause of a failed key figure is, by what else changed; the evidence is said
 * (docs/formulas-nightly.md 7). */
#include <math.h>

#include "results/gate.h"
#include "results/gate_stats.h"
#include "results/key_figures.h"

#define TOGETHER_LEAST 3   /* parts of work, for "all of them" */
#define TOGETHER_PART  0.3 /* by which their changes may differ from their mean */
#define COUNT_CHANGED  0.005
#define MATTERS        0.01 /* rows with this part of their table's time */

struct rows {
    size_t gone, fresh;   /* kernels with one side only */
    double calls, slower; /* time that more or fewer calls explain, and that slower ones do */
};

static bool is_part(const struct az_gate_result *x)
{
    return az_sv_is(x->sheet, AZ_KEY_PARTS) && !x->drift && !isnan(x->rel);
}

static bool is_work(const struct az_gate_result *x)
{
    return is_part(x) && !az_sv_starts(x->key_text, AZ_SV("exposed ")) &&
           !az_sv_is(x->key_text, "idle") && !az_sv_is(x->key_text, "communication");
}

/* Did all families of work of the input change by about the same ratio? */
static bool together(const struct az_verdict *v, const struct az_gate_result *of)
{
    double sum = 0, worst = 0;
    size_t n = 0;

    for (size_t i = 0; i < v->results.n; i++)
        if (is_work(&v->results.v[i]) && az_sv_eq(v->results.v[i].input, of->input)) {
            sum += v->results.v[i].rel;
            n++;
        }
    if (n < TOGETHER_LEAST || !(fabs(sum) > 0))
        return false;
    for (size_t i = 0; i < v->results.n; i++)
        if (is_work(&v->results.v[i]) && az_sv_eq(v->results.v[i].input, of->input))
            worst = fmax(worst, fabs(v->results.v[i].rel * (double)n / sum - 1));
    return worst <= TOGETHER_PART;
}

/* Value of a figure in the last night before the change; NaN: it had none. */
static double before_of(const struct az_gate_in *in, const struct az_metric *m, size_t held)
{
    const struct az_metric *p = in->past ? az_series_find(&in->past->s, m) : NULL;
    const size_t night = in->past && in->past->runs.n >= held ? in->past->runs.n - held : 0;

    if (!in->past) {
        p = in->base ? az_series_find(in->base, m) : NULL;
        return p && p->values.n ? az_gate_center(p->values.v, p->values.n) : NAN;
    }
    for (size_t i = 0; p && i < p->values.n; i++)
        if (p->reps.v[i] == night)
            return p->values.v[i];
    return NAN;
}

/* Kernels of the input: which are new, and whether they run more often or longer. */
static void look_at_rows(const struct az_gate_in *in, const struct az_gate_result *x, size_t held,
                         struct rows *r)
{
    const struct az_series *c = in->cand;

    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct az_metric *total = &c->metrics.v[i];
        if (!az_sv_eq(total->input, x->input) || az_sv_starts(total->sheet, AZ_SV("key_")) ||
            !az_sv_starts(total->name, AZ_SV("Total Time")) || !(total->share >= MATTERS))
            continue;
        struct az_metric like = *total;
        like.name = AZ_SV("Avg (ns)");
        const struct az_metric *avg = az_series_find(c, &like);
        const double t0 = before_of(in, total, held),
                     t1 = az_gate_center(total->values.v, total->values.n);
        if (isnan(t0)) {
            r->fresh++;
            continue;
        }
        const double a0 = avg ? before_of(in, avg, held) : NAN,
                     a1 = avg && avg->values.n ? az_gate_center(avg->values.v, avg->values.n) : NAN;
        if (!(a0 > 0) || !(a1 > 0) || !(t0 > 0))
            continue;
        const double calls = (t1 / a1) / (t0 / a0) - 1;
        r->calls += fabs(calls) > COUNT_CHANGED ? t0 * calls : 0;
        r->slower += t1 - t0 - t0 * calls;
    }
}

static struct az_sv class_of(const struct az_gate_in *in, const struct az_verdict *v,
                             const struct az_gate_result *x)
{
    const size_t held = x->course.known && x->course.held ? x->course.held : 1;
    struct rows r = { 0, 0, 0, 0 };

    if (az_sv_is(x->key_text, "idle"))
        return AZ_SV("host: the device waits longer for work");
    if (az_sv_is(x->key_text, "exposed copies"))
        return AZ_SV("host: copies that no work hides");
    if (az_sv_is(x->key_text, "exposed communication") || az_sv_is(x->key_text, "communication"))
        return AZ_SV("network or a straggler: communication");
    if (together(v, x))
        return AZ_SV("hardware: all families of work changed by the same ratio");
    if (!is_work(x))
        return AZ_SV("");
    look_at_rows(in, x, held, &r);
    if (r.fresh)
        return AZ_SV("library: other kernels do the work");
    if (fabs(r.calls) > fabs(r.slower))
        return AZ_SV("method: kernels run more often");
    return fabs(r.slower) > 0 ? AZ_SV("kernel: as many calls, each slower") : AZ_SV("");
}

int az_gate_classes(const struct az_gate_in *in, struct az_verdict *v, struct az_arena *a)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        if (x->status != AZ_GATE_FAIL || !is_part(x))
            continue;
        x->cause = class_of(in, v, x);
        if (x->cause.n)
            x->text = az_arena_printf(a, "%.*s; %.*s", AZ_SVF(x->text), AZ_SVF(x->cause));
        if (!x->text.p)
            return az_arena_error(a);
    }
    return AZ_OK;
}
