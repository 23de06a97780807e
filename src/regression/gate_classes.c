/* Of what class the cause of a failed key metric is, by what else changed; the evidence is reported
 * (docs/formulas-nightly.md 7). */
#include <math.h>

#include "base/human.h"
#include "regression/gate.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"

#define TOGETHER_LEAST 3   /* parts of work, for "all of them" */
#define TOGETHER_PART  0.3 /* by which their changes may differ from their mean */
#define COUNT_CHANGED  0.005
#define MATTERS        0.01 /* rows with this part of their table's time */
#define TOP            2    /* kernels that are named */
#define WORTH          0.2  /* of the change of all, for that */

struct change {
    struct az_sv name;
    double ns;
};

struct rows {
    size_t n, fresh;      /* fresh: that were not there */
    double calls, slower; /* time that more or fewer calls explain, and that slower ones do */
    double sum;
    struct change top[TOP];
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
static bool together(const struct az_gate_verdict *v, const struct az_gate_result *of)
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

/* Value of a metric in the last night before the change; NaN: it had none. */
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

/* "sm90_gemm | gemm" of the part "gemm": its name; empty: it is another's. */
static struct az_sv name_in(const struct az_metric *m, struct az_sv part)
{
    const struct az_sv sep = AZ_SV(" | ");

    if (m->key_text.n <= part.n + sep.n || !az_sv_ends(m->key_text, part))
        return AZ_SV("");
    const size_t n = m->key_text.n - part.n - sep.n;
    return az_sv_eq(az_sv_make(m->key_text.p + n, sep.n), sep) ? az_sv_make(m->key_text.p, n)
                                                               : AZ_SV("");
}

/* The largest changes to the worse stay in front. */
static void keep_largest(struct change *top, struct change x)
{
    for (size_t i = 0; i < TOP; i++)
        if (x.ns > top[i].ns) {
            const struct change t = top[i];
            top[i] = x;
            x = t;
        }
}

/* Kernels of a part, or operators: which are new, whether they run more often or longer, and which
 * changed most. */
static void look_at_rows(const struct az_gate_in *in, const struct az_gate_result *x,
                         struct az_sv part, size_t held, struct rows *r)
{
    const struct az_series *c = in->cand;

    for (size_t i = 0; i < c->metrics.n; i++) {
        const struct az_metric *total = &c->metrics.v[i];
        if (!az_sv_is(total->sheet, AZ_KEY_WORK) || !az_sv_eq(total->input, x->input) ||
            !az_sv_is(total->name, AZ_KEY_WORK_TIME))
            continue;
        const struct az_sv name = name_in(total, part);
        struct az_metric like = *total;
        like.name = AZ_SV(AZ_KEY_WORK_CALL);
        const struct az_metric *call = name.n ? az_series_find(c, &like) : NULL;
        const double t0 = name.n ? before_of(in, total, held) : NAN,
                     t1 = az_gate_center(total->values.v, total->values.n);
        if (!name.n)
            continue;
        r->fresh += isnan(t0) && total->share >= MATTERS;
        const double delta = t1 - (isnan(t0) ? 0 : t0);
        r->sum += delta;
        r->n++;
        keep_largest(r->top, (struct change){ name, delta });
        const double a0 = call ? before_of(in, call, held) : NAN,
                     a1 = call && call->values.n ? az_gate_center(call->values.v, call->values.n)
                                                 : NAN;
        if (!(a0 > 0) || !(a1 > 0) || !(t0 > 0))
            continue;
        const double calls = (t1 / a1) / (t0 / a0) - 1;
        r->calls += fabs(calls) > COUNT_CHANGED ? t0 * calls : 0;
        r->slower += t1 - t0 - t0 * calls;
    }
}

/* "+66.2 us". */
static struct az_sv signed_time(struct az_arena *a, double ns)
{
    char text[AZ_HUMAN_MAX];

    (void)az_human_time((int64_t)fabs(ns), text);
    return az_arena_printf(a, "%s%s", ns < 0 ? "-" : "+", text);
}

/* ": K1 +1.2 s, K2 +0.6 s, 3 others +0.1 s": the parts add up to the change of the kernels. */
static struct az_sv largest(const struct rows *r, struct az_arena *a)
{
    struct az_sv out = AZ_SV("");
    double rest = r->sum;
    size_t shown = 0;

    for (; shown < TOP && r->top[shown].ns > WORTH * r->sum; shown++) {
        const struct az_sv name = az_series_key_short(a, r->top[shown].name);
        if (shown && az_sv_eq(name, az_series_key_short(a, r->top[0].name)))
            break; /* two of one short name are no more evidence than one */
        rest -= r->top[shown].ns;
        out = az_arena_printf(a, "%.*s%s%.*s %.*s", AZ_SVF(out), shown ? ", " : ": ", AZ_SVF(name),
                              AZ_SVF(signed_time(a, r->top[shown].ns)));
    }
    if (shown && r->n > shown)
        out = az_arena_printf(a, "%.*s, %zu other%s %.*s", AZ_SVF(out), r->n - shown,
                              r->n - shown == 1 ? "" : "s", AZ_SVF(signed_time(a, rest)));
    return out;
}

/* " (operator aten::mm +60.1 us)", where one has most of the change. */
static struct az_sv operator_of(const struct az_gate_in *in, const struct az_gate_result *x,
                                size_t held, double sum, struct az_arena *a)
{
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, AZ_SV("operator"), held, &r);
    if (!(r.top[0].ns > sum / 2) || r.top[0].ns > 2 * sum)
        return AZ_SV("");
    return az_arena_printf(a, " (operator %.*s %.*s)",
                           AZ_SVF(az_series_key_short(a, r.top[0].name)),
                           AZ_SVF(signed_time(a, r.top[0].ns)));
}

/* Ranks that wait for one another have a straggler; data that move for longer, the network. */
static const char *of_communication(const struct az_gate_in *in, const struct az_gate_result *x,
                                    size_t held)
{
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, AZ_SV("exposed"), held, &r);
    if (!(r.top[0].ns > r.sum / 2) || !(r.sum > 0) || r.top[0].ns < x->delta / 4)
        return "network or straggler: communication";
    return az_sv_is(r.top[0].name, "wait") ? "straggler: ranks wait longer for each other"
                                           : "network: transfers take longer";
}

static const char *class_text(const struct az_gate_in *in, const struct az_gate_verdict *v,
                              const struct az_gate_result *x, const struct rows *r, size_t held)
{
    if (az_sv_is(x->key_text, "idle"))
        return "host: the device waits longer for work";
    if (az_sv_is(x->key_text, "exposed copies"))
        return "host: the device waits for copies";
    if (az_sv_is(x->key_text, "exposed communication") || az_sv_is(x->key_text, "communication"))
        return of_communication(in, x, held);
    if (together(v, x))
        return "hardware: all kernels changed by the same ratio";
    if (!is_work(x))
        return "";
    if (r->fresh && !az_sv_is(x->key_text, "copy"))
        return "library: different kernels for the same work";
    if (fabs(r->calls) > fabs(r->slower))
        return "method: kernels run more often";
    return fabs(r->slower) > 0 ? "kernel: same number of calls, each slower" : "";
}

static struct az_sv class_of(const struct az_gate_in *in, const struct az_gate_verdict *v,
                             const struct az_gate_result *x, struct az_arena *a)
{
    const size_t held = x->course.known && x->course.held ? x->course.held : 1;
    const bool comm = az_sv_ends(x->key_text, AZ_SV("communication"));
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, comm ? AZ_SV("communication") : x->key_text, held, &r);
    const char *text = class_text(in, v, x, &r, held);
    if (!*text || !(r.sum > 0) || !(is_work(x) || comm))
        return az_sv_str(text);
    const struct az_sv rows = largest(&r, a), op = operator_of(in, x, held, r.sum, a);
    return az_arena_printf(a, "%s%.*s%.*s", text, AZ_SVF(rows), AZ_SVF(op));
}

int az_gate_classes(const struct az_gate_in *in, struct az_gate_verdict *v, struct az_arena *a)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        if (x->status != AZ_GATE_FAIL || !is_part(x))
            continue;
        x->cause = class_of(in, v, x, a);
        if (x->cause.n)
            x->text = az_arena_printf(a, "%.*s; %.*s", AZ_SVF(x->text), AZ_SVF(x->cause));
        if (!x->text.p)
            return az_arena_error(a);
    }
    return AZ_OK;
}
