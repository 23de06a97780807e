/* The result of gates, first in their reports: passed or not, by how much the whole changed, and a
 * line for each failure. */
#include <math.h>

#include "base/human.h"
#include "document/verdict_table.h"
#include "regression/gate.h"
#include "regression/key_figures.h"
#include "regression/series.h"
#include "regression/verdict.h"

/* Standard errors of the difference that a change needs to be found nine times in ten at alpha
 * 0.01: 2.33 + 1.28. */
#define SEEN_BY_STEPS 3.61
#define SHOWN         5   /* failures with a line of their own */
#define FIRST_MOST    144 /* length of the first line: two of a narrow terminal */

/* What the first line leaves to the lines below it, where it would be too long: each with those
 * before it. */
enum shorter { WHOLE_LINE, WITHOUT_BASELINE, WITHOUT_REASON, WITHOUT_TOTAL, SHORTEST };

static bool is_bad(const struct az_gate_result *x)
{
    return x->level == AZ_LEVEL_FAIL || x->level == AZ_LEVEL_INCONCLUSIVE;
}

static const struct az_gate_result *total_of(const struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->results.n; i++)
        if (az_sv_is(v->results.v[i].sheet, AZ_KEY_FIGURES) && !v->results.v[i].drift &&
            az_sv_is(v->results.v[i].key_text, AZ_KEY_TOTAL))
            return &v->results.v[i];
    return NULL;
}

/* Of a metric, not of a table or an input as a whole, nor of a rule that matches none? */
static bool is_metric(const struct az_gate_result *x) { return x->metric.n > 0; }

static size_t count_metrics(const struct az_gate_verdict *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->results.n; i++)
        n += is_metric(&v->results.v[i]);
    return n;
}

/* Results of a level: of metrics, or of anything. */
static size_t count_level(const struct az_gate_verdict *v, enum az_gate_level level, bool metrics)
{
    size_t n = 0;

    for (size_t i = 0; i < v->results.n; i++)
        n += v->results.v[i].level == level && (!metrics || is_metric(&v->results.v[i]));
    return n;
}

static size_t count_bad(const struct az_gate_verdict *v)
{
    return count_level(v, AZ_LEVEL_FAIL, false) + count_level(v, AZ_LEVEL_INCONCLUSIVE, false);
}

/* " (outlier)": the status of all inconclusive results, where it is one and more exact. */
static struct az_sv undecided_status(const struct az_gate_verdict *v, struct az_arena *a)
{
    const struct az_gate_result *first = NULL;

    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        if (x->level != AZ_LEVEL_INCONCLUSIVE)
            continue;
        if (x->status == AZ_GATE_INCONCLUSIVE || (first && x->status != first->status))
            return AZ_SV("");
        first = x;
    }
    return first ? az_arena_printf(a, " (%s)", az_gate_status_text(first->status)) : AZ_SV("");
}

/* " against base.json" */
static struct az_sv against(const struct az_gate_verdict *v, struct az_arena *a, enum shorter by)
{
    return v->base_label.n && by < WITHOUT_BASELINE
               ? az_arena_printf(a, " against %.*s", AZ_SVF(v->base_label))
               : AZ_SV("");
}

/* "2 of 10 metrics failed, 1 inconclusive (outlier)". */
static struct az_sv how_many(const struct az_gate_verdict *v, struct az_arena *a)
{
    const size_t n = count_metrics(v), failed = count_level(v, AZ_LEVEL_FAIL, true),
                 other = count_level(v, AZ_LEVEL_FAIL, false) - failed,
                 undecided = count_level(v, AZ_LEVEL_INCONCLUSIVE, false);
    struct az_sv out = AZ_SV("");

    if (failed)
        out = az_arena_printf(a, "%zu of %zu metric%s failed", failed, n, n == 1 ? "" : "s");
    if (other)
        out =
            az_arena_printf(a, "%.*s%s%zu table%s or input%s failed", AZ_SVF(out),
                            out.n ? ", " : "", other, other == 1 ? "" : "s", other == 1 ? "" : "s");
    if (undecided)
        out = az_arena_printf(a, "%.*s%s%zu inconclusive%.*s", AZ_SVF(out), out.n ? ", " : "",
                              undecided, AZ_SVF(undecided_status(v, a)));
    return out;
}

struct az_sv az_gate_place(struct az_arena *a, const struct az_gate_result *x, bool inputs)
{
    const bool key = az_sv_starts(x->sheet, AZ_SV("key_")); /* the name of the metric suffices */
    const struct az_sv part[] = { inputs ? x->input : AZ_SV(""), key ? AZ_SV("") : x->sheet,
                                  az_series_key_short(a, x->key_text),
                                  key ? AZ_SV("") : x->metric };
    struct az_sv out = AZ_SV("");

    for (size_t i = 0; i < AZ_LENGTH(part); i++)
        if (part[i].n)
            out =
                az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(out), out.n ? " / " : "", AZ_SVF(part[i]));
    return out;
}

/* The same with a colon. */
static struct az_sv place(struct az_arena *a, const struct az_gate_result *x, bool inputs)
{
    const struct az_sv out = az_gate_place(a, x, inputs);

    return out.n ? az_arena_printf(a, "%.*s: ", AZ_SVF(out)) : out;
}

/* How small a change can be seen: "noise of the total: 0.31% per run (24 runs); one run can
 * show a change of 1.7%, five runs 0.9%". */
static struct az_sv power(const struct az_gate_verdict *v, struct az_arena *a)
{
    const struct az_gate_result *x = total_of(v);

    if (!x && v->results.n == 1)
        x = &v->results.v[0];
    if (x && !x->course.known && x->steps_noise > 0)
        return az_arena_printf(a,
                               "noise between steps: this pair of runs can show a change of "
                               "%.2g%% of the %.*s",
                               100 * SEEN_BY_STEPS * x->steps_noise,
                               AZ_SVF(az_series_key_short(a, x->key_text)));
    if (!x || !(x->course.noise > 0) || isnan(x->course.least))
        return AZ_SV("");
    const struct az_gate_course *c = &x->course;
    const double one = 100 * c->least, five = 100 * c->least_run;
    const struct az_sv name = az_series_key_short(a, x->key_text);
    if (!c->known)
        return az_arena_printf(
            a,
            "noise between steps: %.2g%% of the %.*s; one pair of runs can show a "
            "change of %.2g%%",
            100 * c->noise, AZ_SVF(name), one);
    return az_arena_printf(
        a,
        "noise of the %.*s: %.2g%% per run%s (%zu run%s); one run can show a change of %.2g%%, "
        "five runs %.2g%%",
        AZ_SVF(name), 100 * c->noise, c->within ? " by its steps" : "", c->runs,
        c->runs == 1 ? "" : "s", one, five);
}

/* The result of a metric, with its reason or without. */
static struct az_sv text_of(const struct az_gate_result *x, enum shorter by)
{
    return by >= WITHOUT_REASON && x->change.n ? x->change : x->text;
}

/* "; total 100 -> 101 ms, +1%", nothing where the total is what failed or is not known. */
static struct az_sv whole(const struct az_gate_verdict *v, struct az_arena *a, enum shorter by)
{
    const struct az_gate_result *total = total_of(v);

    if (!total || is_bad(total) || by >= WITHOUT_TOTAL)
        return AZ_SV("");
    if (!(fabs(total->delta) > 0) && !isnan(total->delta))
        return AZ_SV("; the total is unchanged");
    return az_arena_printf(a, "; total %.*s", AZ_SVF(text_of(total, by)));
}

static struct az_sv time_text(struct az_arena *a, double ns)
{
    char text[AZ_HUMAN_MAX];

    (void)az_human_time((int64_t)fabs(ns), text);
    return az_arena_printf(a, "%s", text);
}

/* " gradually since run 17 of 2026-01-17 (commits a..b), 2 runs". */
static struct az_sv since_of(const struct az_gate_course *c, struct az_arena *a)
{
    return c->known && c->since.n ? az_arena_printf(a, "%s %.*s", c->gradual ? " gradually" : "",
                                                    AZ_SVF(az_gate_since(c, a)))
                                  : AZ_SV("");
}

/* " gradually since run 30": a slope has no commit, but a first run. */
static struct az_sv gradual_start(const struct az_gate_course *c, struct az_arena *a)
{
    const ptrdiff_t day = az_sv_find(c->since, AZ_SV(" of "));
    const struct az_sv run = az_sv_make(c->since.p, day < 0 ? c->since.n : (size_t)day);

    return c->known && c->gradual
               ? az_arena_printf(a, " gradually%s%.*s", run.n ? " since " : "", AZ_SVF(run))
               : AZ_SV("");
}

/* "; total 56.1 s -> 58.8 s (+4.9%)", without the values "; total +4.9%" */
static struct az_sv total_change(const struct az_gate_result *total, struct az_arena *a,
                                 enum shorter by)
{
    if (by >= WITHOUT_TOTAL)
        return az_arena_printf(a, "; total %+.1f%%", 100 * total->rel);
    return az_arena_printf(a, "; total %.*s -> %.*s (%+.1f%%)",
                           AZ_SVF(time_text(a, total->base.center)),
                           AZ_SVF(time_text(a, total->cand.center)), 100 * total->rel);
}

static bool is_hardware(const struct az_gate_result *x)
{
    return az_sv_starts(x->cause, AZ_SV(AZ_GATE_HARDWARE));
}

/* What all kernels have in common; empty: only the failed part changed so. */
static struct az_sv of_all(const struct az_gate_result *x)
{
    return is_hardware(x)
               ? AZ_SV("all kernels slower by the same ratio: probably the machine or clocks")
           : az_gate_common_cause(x) ? AZ_SV("all kernels run more often by the same ratio")
                                     : AZ_SV("");
}

/* The story of all kernels: no part of the time is its cause, nor a commit of slower hardware. */
static struct az_sv story_of_all(const struct az_gate_result *total,
                                 const struct az_gate_result *worst, struct az_arena *a,
                                 enum shorter by)
{
    struct az_gate_course c = worst->course;

    if (is_hardware(worst))
        c.commits = AZ_SV("");
    const struct az_sv since = by < WITHOUT_REASON ? since_of(&c, a) : gradual_start(&c, a);
    return az_arena_printf(a, "%.*s%s%.*s%.*s", AZ_SVF(of_all(worst)), since.n ? "," : "",
                           AZ_SVF(since), AZ_SVF(total_change(total, a, by)));
}

/* "gemm +2.6 s since run 17 of 2026-01-17 (commits a..b), 2 runs; kernel: as many calls, each
 * slower: K +2.4 s; total 56.1 s -> 58.8 s (+4.9%)": the metric that failed, and the change of the
 * whole that comes from it, which is no failure of its own. The total's own course may begin at
 * another run. Empty where the whole did not change, or not for that. */
static struct az_sv story(const struct az_gate_verdict *v, const struct az_gate_result *worst,
                          struct az_arena *a, enum shorter by)
{
    const struct az_gate_result *total = total_of(v);

    if (!total || !total->follows.n || !az_sv_eq(total->follows, worst->key_text) ||
        !az_sv_is(worst->sheet, AZ_KEY_PARTS) || !az_sv_eq(total->input, worst->input) ||
        !(worst->delta > 0) || isnan(total->rel))
        return AZ_SV("");
    if (of_all(worst).n)
        return story_of_all(total, worst, a, by);
    const struct az_sv since = since_of(&worst->course, a);
    const struct az_sv cause = by < WITHOUT_REASON ? worst->cause : AZ_SV("");
    return az_arena_printf(a, "%.*s +%.*s%.*s%s%.*s%.*s", AZ_SVF(worst->key_text),
                           AZ_SVF(time_text(a, worst->delta)), AZ_SVF(since),
                           !cause.n  ? ""
                           : since.n ? "; "
                                     : ", ",
                           AZ_SVF(cause), AZ_SVF(total_change(total, a, by)));
}

static struct az_sv first_run(const struct az_gate_verdict *v, struct az_arena *a)
{
    if (v->series.n)
        return az_arena_printf(a, "pass: first run of a new series, no baseline yet: %.*s",
                               AZ_SVF(v->series));
    return v->can_see > 0
               ? az_arena_printf(a,
                                 "pass: first run of this history, no baseline yet; its steps can "
                                 "show a change of %.2g%%",
                                 100 * v->can_see)
               : AZ_SV("pass: first run of this history, no baseline yet");
}

static struct az_sv first_line(const struct az_gate_verdict *v, struct az_arena *a, bool inputs,
                               enum shorter by)
{
    const struct az_gate_result *worst = v->results.n ? &v->results.v[0] : NULL;
    const struct az_sv base = against(v, a, by);
    const size_t n = count_metrics(v);

    if (v->outcome == AZ_GATES_PASS || !worst)
        return az_arena_printf(a, "%s: %zu metric%s%.*s%s%.*s", az_gate_verdict_text(v), n,
                               n == 1 ? "" : "s", AZ_SVF(base),
                               v->warnings ? ", with warnings" : "", AZ_SVF(whole(v, a, by)));
    if (worst->level == AZ_LEVEL_INCONCLUSIVE && !worst->rule && !worst->metric.n)
        return az_arena_printf(a, "%s: %.*s%.*s%s%.*s", az_gate_verdict_text(v),
                               AZ_SVF(place(a, worst, inputs)), AZ_SVF(worst->text),
                               base.n ? "; baseline " : "",
                               AZ_SVF(base.n ? v->base_label : AZ_SV("")));
    const struct az_sv course = story(v, worst, a, by);
    if (course.n)
        return az_arena_printf(a, "%s: %.*s%s%.*s; %.*s%.*s", az_gate_verdict_text(v),
                               AZ_SVF(inputs ? worst->input : AZ_SV("")), inputs ? " / " : "",
                               AZ_SVF(course), AZ_SVF(how_many(v, a)), AZ_SVF(base));
    const struct az_sv all = of_all(worst);
    return az_arena_printf(a, "%s: %.*s%s%.*s%.*s; %.*s%.*s%.*s", az_gate_verdict_text(v),
                           AZ_SVF(all), all.n ? "; " : "", AZ_SVF(place(a, worst, inputs)),
                           AZ_SVF(text_of(worst, all.n ? WITHOUT_REASON : by)),
                           AZ_SVF(how_many(v, a)), AZ_SVF(base), AZ_SVF(whole(v, a, by)));
}

static struct az_sv subject_of(const struct az_gate_verdict *v, struct az_arena *a, bool inputs)
{
    struct az_sv text = v->first ? first_run(v, a) : first_line(v, a, inputs, WHOLE_LINE);

    for (int by = WITHOUT_BASELINE; !v->first && by < SHORTEST && text.n > FIRST_MOST; by++)
        text = first_line(v, a, inputs, (enum shorter)by);
    return text;
}

static void put_failure(struct az_table *t, const struct az_gate_result *x, struct az_arena *a,
                        bool inputs)
{
    struct az_line line = { .kind = AZ_LINE_FINDING,
                            .severity = AZ_SV("error"),
                            .evidence = AZ_SV("gate_results"),
                            .row = x->key_text.n ? x->key_text : x->sheet,
                            .rule = x->rule_name,
                            .ns = -1,
                            .percent = 100 * x->rel };

    line.label = isnan(x->rel) ? az_sv_str(az_gate_status_text(x->status))
                               : az_arena_printf(a, "%+.1f%%", 100 * x->rel);
    line.text = az_arena_printf(a, "%.*s%.*s", AZ_SVF(place(a, x, inputs)), AZ_SVF(x->text));
    az_headline_put(t, &line);
}

static void put_line(struct az_table *t, enum az_line_kind kind, struct az_sv text)
{
    az_headline_put(t, &(struct az_line){ .kind = kind,
                                          .text = text,
                                          .evidence = AZ_SV("gate_results"),
                                          .ns = -1,
                                          .percent = (double)NAN });
}

int az_gate_verdict_headline(const struct az_gate_verdict *v, struct az_document *doc)
{
    struct az_arena *a = doc->arena;
    struct az_table *t = az_headline_table(a);
    const size_t bad = count_bad(v);
    size_t shown = 0;
    bool inputs = false;

    if (!t)
        return az_arena_error(a);
    for (size_t i = 1; i < v->results.n; i++)
        inputs |= !az_sv_eq(v->results.v[i].input, v->results.v[0].input);
    put_line(t, AZ_LINE_WHAT, subject_of(v, a, inputs));
    for (size_t i = 0; i < v->results.n && shown < SHOWN; i++)
        if (is_bad(&v->results.v[i])) {
            put_failure(t, &v->results.v[i], a, inputs);
            shown++;
        }
    if (bad > shown)
        put_line(t, AZ_LINE_NOTE, az_arena_printf(a, "and %zu more", bad - shown));
    const struct az_sv can = power(v, a);
    if (can.n)
        az_headline_put(t, &(struct az_line){ .kind = AZ_LINE_TRUST,
                                              .label = AZ_SV("noise"),
                                              .text = can,
                                              .evidence = AZ_SV("gate_results"),
                                              .ns = -1,
                                              .percent = (double)NAN });
    if (a->failed && !t->error)
        t->error = az_arena_error(a);
    return az_headline_add(doc, t);
}
