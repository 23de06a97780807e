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
#define SMALL_REST     0.01 /* of that change, which the others have then */

struct change {
    struct az_sv name;
    double ns;
};

struct rows {
    size_t fresh;         /* that were not there */
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

static bool is_communication(const struct az_gate_result *x)
{
    return az_sv_ends(x->key_text, AZ_SV("communication"));
}

/* Copies do not run at the clock of the kernels: they need not change with them. */
static bool is_computation(const struct az_gate_result *x)
{
    return is_work(x) && !az_sv_is(x->key_text, "copy");
}

static bool is_near(double rel, double mean) { return fabs(rel / mean - 1) <= TOGETHER_PART; }

/* Did all families of computation of the input, and this part, change by about the same ratio?
 * Copies that did count as one of them. */
static bool together(const struct az_gate_verdict *v, const struct az_gate_result *of)
{
    double sum = 0;
    size_t n = 0, near = 0;

    for (size_t i = 0; i < v->results.n; i++)
        if (is_computation(&v->results.v[i]) && az_sv_eq(v->results.v[i].input, of->input)) {
            sum += v->results.v[i].rel;
            n++;
        }
    const double mean = n ? sum / (double)n : 0;
    if (!(is_work(of) || is_communication(of)) || !(fabs(mean) > 0) || !is_near(of->rel, mean))
        return false;
    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        if (!is_work(x) || !az_sv_eq(x->input, of->input))
            continue;
        near += is_near(x->rel, mean);
        if (is_computation(x) && !is_near(x->rel, mean))
            return false;
    }
    return near >= TOGETHER_LEAST;
}

/* Median of a metric over the runs that a result is compared with; NaN: it had no value there. */
static double level_of(const struct az_metric *m, const struct az_gate_course *c,
                       struct az_arena *a)
{
    double *v = az_arena_array(a, m->values.n, sizeof *v);
    size_t n = 0;

    for (size_t i = 0, k = 0; v && i < m->values.n; i++) {
        while (k < c->runs && c->level_run[k] < m->reps.v[i])
            k++;
        if (k < c->runs && c->level_run[k] == m->reps.v[i] && !isnan(m->values.v[i]))
            v[n++] = m->values.v[i];
    }
    return n ? az_gate_center(v, n) : NAN;
}

/* Value of a metric on the side that a result is compared with. */
static double before_of(const struct az_gate_in *in, const struct az_metric *m,
                        const struct az_gate_result *x, struct az_arena *a)
{
    const bool level = in->by_level && in->past && x->course.known;
    const struct az_series *of = level ? &in->past->s : in->base;
    const struct az_metric *p = of ? az_series_find(of, m) : NULL;

    if (!p || !p->values.n)
        return NAN;
    return level ? level_of(p, &x->course, a) : az_gate_center(p->values.v, p->values.n);
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
                         struct az_sv part, struct az_arena *a, struct rows *r)
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
        const double t0 = name.n ? before_of(in, total, x, a) : NAN,
                     t1 = az_gate_center(total->values.v, total->values.n);
        if (!name.n)
            continue;
        r->fresh += isnan(t0) && total->share >= MATTERS;
        const double delta = t1 - (isnan(t0) ? 0 : t0);
        r->sum += delta;
        keep_largest(r->top, (struct change){ name, delta });
        const double a0 = call ? before_of(in, call, x, a) : NAN,
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

/* ": K1 +1.2 s, K2 +0.6 s, 3 others +0.1 s": the parts add up to the change of the whole. */
static struct az_sv largest(const struct rows *r, double whole, struct az_arena *a)
{
    struct az_sv out = AZ_SV("");
    double rest = whole;
    size_t shown = 0;

    for (; shown < TOP && r->top[shown].ns > WORTH * r->sum; shown++) {
        const struct az_sv name = az_series_key_short(a, r->top[shown].name);
        if (shown && az_sv_eq(name, az_series_key_short(a, r->top[0].name)))
            break; /* two of one short name are no more evidence than one */
        rest -= r->top[shown].ns;
        out = az_arena_printf(a, "%.*s%s%.*s %.*s", AZ_SVF(out), shown ? ", " : ": ", AZ_SVF(name),
                              AZ_SVF(signed_time(a, r->top[shown].ns)));
    }
    if (shown && fabs(rest) > SMALL_REST * whole)
        out = az_arena_printf(a, "%.*s, others %.*s", AZ_SVF(out), AZ_SVF(signed_time(a, rest)));
    return out;
}

/* " (operator aten::mm +60.1 us)", where one has most of the change. */
static struct az_sv operator_of(const struct az_gate_in *in, const struct az_gate_result *x,
                                double sum, struct az_arena *a)
{
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, AZ_SV("operator"), a, &r);
    if (!(r.top[0].ns > sum / 2) || r.top[0].ns > 2 * sum)
        return AZ_SV("");
    return az_arena_printf(a, " (operator %.*s %.*s)",
                           AZ_SVF(az_series_key_short(a, r.top[0].name)),
                           AZ_SVF(signed_time(a, r.top[0].ns)));
}

/* Ranks that wait for one another have a straggler; data that move for longer, the network. */
static const char *of_communication(const struct az_gate_in *in, const struct az_gate_result *x,
                                    struct az_arena *a)
{
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, AZ_SV("exposed"), a, &r);
    if (!(r.top[0].ns > r.sum / 2) || !(r.sum > 0) || r.top[0].ns < x->delta / 4)
        return "network or straggler: communication";
    return az_sv_is(r.top[0].name, "wait") ? "straggler: ranks wait longer for each other"
                                           : "network: transfers take longer";
}

static const char *class_text(const struct az_gate_in *in, const struct az_gate_verdict *v,
                              const struct az_gate_result *x, const struct rows *r,
                              struct az_arena *a)
{
    if (az_sv_is(x->key_text, "idle"))
        return "host: the device waits longer for work";
    if (az_sv_is(x->key_text, "exposed copies"))
        return "host: the device waits for copies";
    if (together(v, x))
        return fabs(r->calls) > fabs(r->slower) ? AZ_GATE_MORE_CALLS : AZ_GATE_HARDWARE;
    if (is_communication(x))
        return of_communication(in, x, a);
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
    const bool comm = is_communication(x), exposed = az_sv_starts(x->key_text, AZ_SV("exposed "));
    struct rows r = { .sum = 0 };

    look_at_rows(in, x, comm ? AZ_SV("communication") : x->key_text, a, &r);
    const char *text = class_text(in, v, x, &r, a);
    if (!*text || !(r.sum > 0) || !(is_work(x) || comm))
        return az_sv_str(text);
    /* kernels of exposed communication have its overlapped time, too */
    const struct az_sv rows = largest(&r, exposed ? r.sum : x->delta, a),
                       op = operator_of(in, x, r.sum, a);
    return az_arena_printf(a, "%s%s%.*s%.*s", text,
                           exposed && rows.n ? "; change of its kernels" : "", AZ_SVF(rows),
                           AZ_SVF(op));
}

const char *az_gate_common_cause(const struct az_gate_result *x)
{
    static const char *const common[] = { AZ_GATE_HARDWARE, AZ_GATE_MORE_CALLS };

    for (size_t i = 0; i < AZ_LENGTH(common); i++)
        if (az_sv_starts(x->cause, az_sv_str(common[i])))
            return common[i];
    return NULL;
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
