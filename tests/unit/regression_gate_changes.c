/* Gates over results with claims: per step, what is comparable, steps as samples, tables that
 * vanish, what lasts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "regression/gate.h"
#include "regression/key_figures.h"

struct env {
    struct az_arena a;
    struct az_series base, cand;
    struct az_gate_rule rule;
    struct az_gate_verdict v;
    struct az_gate_in in;
};

static int setup(void **state)
{
    static struct env e;
    e = (struct env){ .base = { .arena = NULL } };
    az_arena_init(&e.a, NULL);
    if (az_series_init(&e.base, &e.a) || az_series_init(&e.cand, &e.a))
        return -1;
    az_gate_rule_init(&e.rule);
    e.rule.name = AZ_SV("rule");
    e.rule.table = AZ_SV("t");
    e.rule.column = AZ_SV("*");
    e.rule.min_share = 0;
    e.rule.rel = 0.01;
    az_gate_verdict_init(&e.v, &e.a);
    e.in = (struct az_gate_in){ .rules = &e.rule,
                                .n_rules = 1,
                                .base = &e.base,
                                .cand = &e.cand,
                                .no_base = AZ_SV("no baseline") };
    *state = &e;
    return 0;
}

static int teardown(void **state)
{
    struct env *e = *state;
    az_gate_verdict_release(&e->v);
    az_series_release(&e->base);
    az_series_release(&e->cand);
    az_arena_release(&e->a);
    return 0;
}

/* A result: its claims, and table t with a total, an average and a count. */
struct spec {
    int64_t steps, period; /* 0 steps: none are known; ns */
    const char *source, *device, *ranks, *missing, *failed, *warned;
    int64_t kernels;
    double total, avg, count;
    const double *periods; /* of table steps; NULL: none */
    size_t n_periods;
    const char *map, *excluded;
    bool no_table, other_table, rows_are_steps;
};

static struct spec a_run(int64_t steps, int64_t period)
{
    return (struct spec){ .steps = steps,
                          .period = period,
                          .source = "profiler_step",
                          .device = "H100",
                          .kernels = 100,
                          .total = (double)(period * (steps ? steps : 1)),
                          .avg = (double)period,
                          .count = (double)(10 * (steps ? steps : 1)) };
}

static struct az_table *table(struct env *e, const char *id, const char *key,
                              const char *const *columns, size_t n)
{
    struct az_table *t = az_table_new(&e->a, id, id, AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, key, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < n; i++)
        az_table_column(t, columns[i], strcmp(columns[i], "Text") == 0 ? AZ_TEXT : AZ_REAL,
                        strstr(columns[i], "ns")   ? AZ_UNIT_NS
                        : strstr(columns[i], "ms") ? AZ_UNIT_MS
                                                   : AZ_UNIT_COUNT,
                        AZ_LOWER_BETTER);
    return t;
}

static void fact(struct az_table *t, const char *name, double value, const char *text)
{
    if (!text && isnan(value))
        return;
    az_put_text(t, az_sv_str(name));
    if (isnan(value))
        az_put_empty(t);
    else
        az_put_f64(t, value);
    if (text)
        az_put_text(t, az_sv_str(text));
    else
        az_put_empty(t);
}

static void put_account(struct env *e, struct az_document *d, const struct spec *s)
{
    static const char *const columns[] = { "Span (ns)", "Computing (ns)", "Idle (ns)" };
    struct az_table *t = table(e, "account", "Scope", columns, 3);
    const double span = (double)(s->period * (s->steps ? s->steps : 1));
    const double of[] = { span, (double)s->period };
    for (size_t i = 0; i < (s->steps ? 2 : 1); i++) {
        az_put_text(t, i ? AZ_SV("step") : s->steps ? AZ_SV("steps") : AZ_SV("recording"));
        az_put_f64(t, of[i]);
        az_put_f64(t, of[i] * 0.8);
        az_put_f64(t, of[i] * 0.2);
    }
    assert_int_equal(az_document_add(d, t), 0);
}

static void put_facts(struct env *e, struct az_document *d, const struct spec *s)
{
    static const char *const columns[] = { "Value", "Text" };
    struct az_table *t = table(e, "verdict_facts", "Fact", columns, 2);
    fact(t, "kernels", (double)s->kernels, NULL);
    fact(t, "steps", s->steps ? (double)s->steps : NAN, NULL);
    fact(t, "step_source", NAN, s->steps ? s->source : NULL);
    fact(t, "device_name", NAN, s->device);
    fact(t, "ranks", NAN, s->ranks);
    fact(t, "missing_ranks", NAN, s->missing);
    fact(t, "excluded_step", NAN, s->excluded);
    assert_int_equal(az_document_add(d, t), 0);
    t = az_table_new(&e->a, "trust_checks", "Trust", AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "Check", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Status", AZ_TEXT, AZ_UNIT_NONE, 0);
    const char *const check[] = { s->failed, s->warned };
    for (size_t i = 0; i < 2; i++)
        if (check[i]) {
            az_put_text(t, az_sv_str(check[i]));
            az_put_text(t, i ? AZ_SV("warn") : AZ_SV("fail"));
        }
    assert_int_equal(az_document_add(d, t), 0);
    t = az_table_new(&e->a, "facts", "Facts", 0);
    az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("class map"));
    az_put_text(t, az_sv_str(s->map ? s->map : ""));
    assert_int_equal(az_document_add(d, t), 0);
}

static void put_steps(struct env *e, struct az_document *d, const struct spec *s)
{
    static const char *const columns[] = { "period_ms" };
    struct az_table *t = table(e, "steps", "step", columns, 1);
    for (size_t i = 0; i < s->n_periods; i++) {
        az_put_text(t, az_arena_printf(&e->a, "%zu", i));
        az_put_f64(t, s->periods[i] / 1e6);
    }
    assert_int_equal(az_document_add(d, t), 0);
}

static void add(struct env *e, struct az_series *out, const char *input, struct spec s)
{
    static const char *const columns[] = { "Total Time (ns)", "Avg (ns)", "Instances" };
    struct az_selector *want;
    struct az_document d;
    size_t n;
    az_document_init(&d, &e->a);
    put_account(e, &d, &s);
    put_facts(e, &d, &s);
    if (s.n_periods)
        put_steps(e, &d, &s);
    struct az_table *t =
        table(e, s.other_table ? "u" : "t", s.rows_are_steps ? "step" : "Name", columns, 3);
    az_put_text(t, AZ_SV("k"));
    az_put_f64(t, s.total);
    az_put_f64(t, s.avg);
    az_put_f64(t, s.count);
    if (s.no_table)
        az_table_free(t);
    else
        assert_int_equal(az_document_add(&d, t), 0);
    const struct az_vec_sv none = { .n = 0 };
    assert_int_equal(az_key_figures_choose(&d, &none, out->by_recording), 0);
    want = az_gate_selectors(&e->rule, 1, &e->a, &n);
    assert_non_null(want);
    assert_int_equal(az_series_add(out, az_sv_str(input), &d, NULL, want, n), 0);
    az_document_release(&d);
}

static enum az_gate_outcome judge(struct env *e)
{
    e->in.by_recording = e->cand.by_recording;
    assert_int_equal(az_gate_run(&e->in, &e->v), 0);
    return e->v.outcome;
}

static enum az_gate_outcome compare(struct env *e, struct spec a, struct spec b)
{
    add(e, &e->base, "in", a);
    add(e, &e->cand, "in", b);
    return judge(e);
}

static const struct az_gate_result *result(struct env *e, const char *metric)
{
    for (size_t i = 0; i < e->v.results.n; i++)
        if (az_sv_is(e->v.results.v[i].metric, metric))
            return &e->v.results.v[i];
    fail_msg("no result of %s", metric);
    return NULL;
}

static void is_refused(struct env *e, struct spec a, struct spec b, enum az_change_reason why)
{
    assert_int_equal(compare(e, a, b), AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.changes.n, 1);
    assert_int_equal(e->v.changes.v[0].change.reason, why);
    assert_false(e->v.changes.v[0].change.comparable);
    assert_int_equal(e->v.results.n, 1); /* nothing is judged */
    assert_true(az_sv_starts(e->v.results.v[0].text, AZ_SV("not comparable: ")));
}

/* ---- per step ---- */

static void sums_are_per_step(void **state)
{
    struct env *e = *state;
    assert_int_equal(compare(e, a_run(4, 100), a_run(8, 100)), AZ_GATES_PASS);
    assert_true(fabs(result(e, "Total Time (ns)")->cand.center - 100) < 1e-9);
    assert_true(fabs(result(e, "Instances")->cand.center - 10) < 1e-9);
    assert_true(fabs(result(e, "Avg (ns)")->cand.center - 100) < 1e-9); /* no sum */
    assert_true(az_sv_find(result(e, "Total Time (ns)")->text, AZ_SV("per step")) >= 0);
    assert_true(az_sv_find(result(e, "Avg (ns)")->text, AZ_SV("per step")) < 0);
    assert_true(e->v.changes.v[0].change.per_step);
    assert_true(fabs(e->v.changes.v[0].change.share) < 1e-9);
}

static void a_shorter_recording_hides_nothing(void **state)
{
    struct env *e = *state;
    assert_int_equal(compare(e, a_run(5, 300), a_run(4, 360)), AZ_GATES_FAIL);
    assert_true(fabs(e->v.changes.v[0].change.share - 0.2) < 1e-9);
}

static void key_figures_are_per_step(void **state)
{
    struct env *e = *state;
    e->rule.table = AZ_SV("key_figures");
    assert_int_equal(compare(e, a_run(3, 300), a_run(9, 300)), AZ_GATES_PASS);
    assert_true(fabs(result(e, "Time (ns)")->base.center - 300) < 301);
    assert_int_equal(e->v.count[AZ_GATE_PASS], 2); /* total and busy; the median is the total */
}

static void whole_recordings_if_asked(void **state)
{
    struct env *e = *state;
    e->base.by_recording = e->cand.by_recording = true;
    assert_int_equal(compare(e, a_run(4, 100), a_run(8, 100)), AZ_GATES_FAIL);
    assert_false(e->v.changes.v[0].change.per_step);
    assert_true(fabs(result(e, "Total Time (ns)")->cand.center - 800) < 1e-9);
}

static void key_figures_of_recordings(void **state)
{
    struct env *e = *state;
    e->rule.table = AZ_SV("key_figures");
    e->base.by_recording = e->cand.by_recording = true;
    (void)compare(e, a_run(3, 300), a_run(3, 300));
    assert_true(fabs(result(e, "Time (ns)")->base.center - 900) < 1e-9 ||
                fabs(result(e, "Time (ns)")->base.center - 720) < 1e-9); /* total or busy */
}

/* Rows that are steps are no sums over them. */
static void rows_of_steps(void **state)
{
    struct env *e = *state;
    struct spec a = a_run(4, 100), b = a_run(8, 100);
    a.rows_are_steps = b.rows_are_steps = true;
    compare(e, a, b);
    assert_true(fabs(result(e, "Total Time (ns)")->base.center - 400) < 1e-9);
    assert_true(fabs(result(e, "Total Time (ns)")->cand.center - 800) < 1e-9);
}

/* ---- what is comparable ---- */

static void recordings_if_asked(void **state)
{
    struct env *e = *state;
    e->base.by_recording = e->cand.by_recording = true;
    (void)compare(e, a_run(4, 100), a_run(0, 400));
    assert_true(e->v.changes.v[0].change.comparable);
}
static void steps_on_the_other_side(void **state)
{
    is_refused(*state, a_run(0, 400), a_run(4, 100), AZ_CHANGE_STEPS_ON_ONE_SIDE);
}
static void ranks_that_the_baseline_lacks(void **state)
{
    struct spec a = a_run(4, 100), b = a_run(4, 100);
    a.ranks = "0 1 3";
    a.missing = "2";
    b.ranks = "0 1 2 3";
    is_refused(*state, a, b, AZ_CHANGE_MISSING_RANKS);
}
static void other_numbers_of_ranks(void **state)
{
    struct env *e = *state;
    add(e, &e->base, "in", a_run(4, 100));
    add(e, &e->cand, "in", a_run(4, 100));
    for (size_t i = 0; i < e->cand.facts.n; i++)
        if (az_sv_is(e->cand.facts.v[i].name, "ranks"))
            e->cand.facts.v[i].value = AZ_SV("4");
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.changes.v[0].change.reason, AZ_CHANGE_MISSING_RANKS);
}
/* Of several runs one that cannot be compared decides. */
static void one_run_of_several(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    add(e, &e->base, "in", b);
    add(e, &e->cand, "in", b);
    add(e, &e->cand, "in", b);
    b.failed = "truncated_input";
    add(e, &e->cand, "in", b);
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.changes.v[0].change.reason, AZ_CHANGE_TRUNCATED_INPUT);
}
/* A rule that meets nothing is a mistake, unless nobody wrote it. */
static void rules_that_meet_nothing(void **state)
{
    struct env *e = *state;
    e->rule.key = AZ_SV("nobody");
    assert_int_equal(compare(e, a_run(4, 100), a_run(4, 100)), AZ_GATES_INCONCLUSIVE);
    az_vec_reset(&e->v.results);
    az_vec_reset(&e->v.changes);
    e->rule.built_in = true;
    e->rule.on_missing = AZ_SV("info");
    assert_int_equal(judge(e), AZ_GATES_PASS);
    assert_int_equal(e->v.results.n, 0);
}
/* One iteration that a configuration names needs no words; a step that was recorded does. */
static void one_iteration(void **state)
{
    struct env *e = *state;
    struct spec s = a_run(1, 100);
    s.source = "num_of_iters";
    (void)compare(e, s, s);
    assert_false(result(e, "Total Time (ns)")->per_step);
}
static void one_step(void **state)
{
    struct env *e = *state;
    (void)compare(e, a_run(1, 100), a_run(1, 100));
    assert_true(result(e, "Total Time (ns)")->per_step);
}
/* A part of the time has a limit that is a part of the total, too: idle time is a fifth of it. */
static void part_of_the_total(void **state)
{
    struct env *e = *state;
    e->rule.table = AZ_SV("key_*");
    e->rule.of_total = 0.025;
    assert_int_equal(compare(e, a_run(4, 300), a_run(4, 306)), AZ_GATES_PASS);
    az_vec_reset(&e->v.results);
    az_vec_reset(&e->v.changes);
    e->rule.of_total = 0.001;
    assert_int_equal(judge(e), AZ_GATES_FAIL);
}
/* A table vanished while others of the input are there, and while another input has it. */
static void one_table_of_several_vanished(void **state)
{
    struct env *e = *state;
    struct spec none = a_run(4, 100);
    none.no_table = true;
    e->rule.table = AZ_SV("*");
    assert_int_equal(compare(e, a_run(4, 100), none), AZ_GATES_INCONCLUSIVE);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("the table 't' is missing")) >= 0);
}
static void a_table_of_one_input_vanished(void **state)
{
    struct env *e = *state;
    struct spec none = a_run(4, 100);
    none.no_table = true;
    add(e, &e->base, "in", a_run(4, 100));
    add(e, &e->base, "other", a_run(4, 100));
    add(e, &e->cand, "in", a_run(4, 100));
    add(e, &e->cand, "other", none);
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_true(az_sv_is(e->v.results.v[0].input, "other"));
}

static void steps_on_one_side(void **state)
{
    is_refused(*state, a_run(4, 100), a_run(0, 400), AZ_CHANGE_STEPS_ON_ONE_SIDE);
}
static void steps_of_other_sources(void **state)
{
    struct spec b = a_run(4, 100);
    b.source = "serving_mark";
    is_refused(*state, a_run(4, 100), b, AZ_CHANGE_STEPS_ON_ONE_SIDE);
}
static void recordings_of_other_length(void **state)
{
    struct spec b = a_run(0, 400);
    b.kernels = 103;
    is_refused(*state, a_run(0, 400), b, AZ_CHANGE_DIFFERENT_LENGTH);
}
static void recordings_of_one_length(void **state)
{
    struct spec b = a_run(0, 400);
    b.kernels = 101;
    assert_int_equal(compare(*state, a_run(0, 400), b), AZ_GATES_PASS);
}
static void truncated_candidate(void **state)
{
    struct spec b = a_run(4, 100);
    b.failed = "truncated_input";
    is_refused(*state, a_run(4, 100), b, AZ_CHANGE_TRUNCATED_INPUT);
    assert_false(az_gate_is_evidence(&((struct env *)*state)->v));
}
static void truncated_baseline(void **state)
{
    struct spec a = a_run(4, 100);
    a.failed = "truncated_input";
    is_refused(*state, a, a_run(4, 100), AZ_CHANGE_TRUNCATED_INPUT);
}
static void lost_events(void **state)
{
    struct spec b = a_run(4, 100);
    b.failed = "lost_device_events";
    is_refused(*state, a_run(4, 100), b, AZ_CHANGE_LOST_DEVICE_EVENTS);
}
static void a_warning_is_judged(void **state)
{
    struct spec b = a_run(4, 100);
    b.warned = "lost_device_events";
    assert_int_equal(compare(*state, a_run(4, 100), b), AZ_GATES_PASS);
}
static void missing_ranks(void **state)
{
    struct spec a = a_run(4, 100), b = a_run(4, 100);
    a.ranks = "0 1 2 3";
    b.ranks = "0 1 3";
    b.missing = "2";
    is_refused(*state, a, b, AZ_CHANGE_MISSING_RANKS);
}
static void another_device(void **state)
{
    struct spec b = a_run(4, 100);
    b.device = "H200";
    is_refused(*state, a_run(4, 100), b, AZ_CHANGE_DEVICE_DIFFERS);
    assert_true(az_gate_is_evidence(&((struct env *)*state)->v)); /* the first of its own */
}
static void another_class_map(void **state)
{
    struct env *e = *state;
    struct spec a = a_run(4, 100), b = a_run(4, 100);
    a.map = "gemm=a";
    b.map = "gemm=b";
    assert_int_equal(compare(e, a, b), AZ_GATES_INCONCLUSIVE);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("the class map differs")) >= 0);
}

static void unread(struct az_series *s)
{
    struct az_series_claims c = { .input = AZ_SV("in"), .claimed = true, .unreadable = true };
    az_change_side_of(NULL, &c.side);
    assert_int_equal(az_series_claim(s, &c), 0);
}

static void unreadable_candidate(void **state)
{
    struct env *e = *state;
    add(e, &e->base, "in", a_run(4, 100));
    unread(&e->cand);
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.results.n, 1);
    assert_int_equal(e->v.changes.v[0].change.reason, AZ_CHANGE_UNREADABLE_INPUT);
    assert_true(az_sv_is(e->v.changes.v[0].text, "the candidate could not be read"));
}

static void unreadable_first_night(void **state)
{
    struct env *e = *state;
    unread(&e->cand);
    e->in.base = NULL;
    e->in.first = true;
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_false(e->v.first);
    assert_false(az_gate_is_evidence(&e->v));
}

static void truncated_first_night(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    b.failed = "truncated_input";
    add(e, &e->cand, "in", b);
    e->in.base = NULL;
    e->in.first = true;
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_false(e->v.first);
    assert_true(az_sv_is(e->v.changes.v[0].text, "the candidate is truncated"));
}

static void first_night(void **state)
{
    struct env *e = *state;
    add(e, &e->cand, "in", a_run(4, 100));
    e->in.base = NULL;
    e->in.first = true;
    assert_int_equal(judge(e), AZ_GATES_PASS);
    assert_true(e->v.first && az_gate_is_evidence(&e->v));
    const struct az_change *c = &e->v.changes.v[0].change;
    assert_true(c->comparable && isnan(c->share) && !c->has_parts);
    assert_int_equal(c->a_ns, 0);
    assert_int_equal(c->a_steps, 0);
}

/* A limit means nothing for half a recording; it does for another device. */
static void hard_limits_need_evidence(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    e->rule.max = 1;
    b.failed = "truncated_input";
    is_refused(e, a_run(4, 100), b, AZ_CHANGE_TRUNCATED_INPUT);
}
static void hard_limits_on_another_device(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    e->rule.max = 1;
    b.device = "H200";
    assert_int_equal(compare(e, a_run(4, 100), b), AZ_GATES_FAIL);
}

static void baseline_without_claims(void **state)
{
    struct env *e = *state;
    struct az_series_claims none = { .input = AZ_SV("in") };
    assert_int_equal(az_series_claim(&e->base, &none), 0);
    size_t at;
    assert_int_equal(az_series_input(&e->base, AZ_SV("in"), &at), 0);
    add(e, &e->cand, "in", a_run(4, 100));
    assert_int_equal(judge(e), AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.changes.v[0].change.reason, AZ_CHANGE_STEPS_ON_ONE_SIDE);
}

/* ---- tables ---- */

static void a_table_that_vanished(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    b.no_table = true;
    assert_int_equal(compare(e, a_run(4, 100), b), AZ_GATES_INCONCLUSIVE);
    assert_true(az_sv_is(e->v.results.v[0].text, "the table 't' is missing"));
}
static void a_table_that_may_vanish(void **state)
{
    struct env *e = *state;
    struct spec b = a_run(4, 100);
    b.no_table = true;
    e->rule.on_missing = AZ_SV("warn");
    assert_int_equal(compare(e, a_run(4, 100), b), AZ_GATES_PASS);
    assert_true(e->v.warnings > 0);
}
static void a_new_table(void **state)
{
    struct env *e = *state;
    struct spec a = a_run(4, 100);
    a.no_table = true;
    e->rule.on_new = AZ_SV("fail");
    assert_int_equal(compare(e, a, a_run(4, 100)), AZ_GATES_FAIL);
}

/* ---- a single pair of runs ---- */

static void with_steps(struct spec *s, const double *periods, size_t n)
{
    s->periods = periods;
    s->n_periods = n;
    s->steps = (int64_t)n;
}

static const struct az_gate_result *by_steps(struct env *e, const double *x, size_t n, int64_t of_x,
                                             const double *y, size_t m, int64_t of_y)
{
    struct spec a = a_run((int64_t)n, of_x), b = a_run((int64_t)m, of_y);
    with_steps(&a, x, n);
    with_steps(&b, y, m);
    e->rule.table = AZ_SV("key_figures");
    e->rule.key = AZ_SV("total");
    e->rule.rel = 0.03;
    (void)compare(e, a, b);
    const struct az_gate_result *r = result(e, "Time (ns)");
    assert_string_equal(r->test, "steps");
    return r;
}

static void steps_that_all_are_slower(void **state)
{
    static const double x[] = { 100, 101, 99, 100, 102 }, y[] = { 110, 111, 109, 112, 110 };
    const struct az_gate_result *r = by_steps(*state, x, 5, 100, y, 5, 110);
    assert_int_equal(r->status, AZ_GATE_FAIL);
    assert_true(r->p < 0.01);
    assert_true(r->steps_noise > 0);
}
static void steps_that_overlap(void **state)
{
    static const double x[] = { 90, 120, 100, 95, 118 }, y[] = { 92, 121, 110, 96, 119 };
    const struct az_gate_result *r = by_steps(*state, x, 5, 100, y, 5, 110);
    assert_int_equal(r->status, AZ_GATE_UNSTABLE);
    assert_int_equal(((struct env *)*state)->v.outcome, AZ_GATES_PASS);
}
/* Steps decide of one run a side; of more the runs do. */
static void steps_of_several_runs(void **state)
{
    static const double x[] = { 100, 101, 99, 100, 102 };
    struct env *e = *state;
    struct spec s = a_run(5, 100);
    s.periods = x;
    s.n_periods = 5;
    e->rule.table = AZ_SV("key_figures");
    add(e, &e->base, "in", s);
    add(e, &e->base, "in", s);
    add(e, &e->cand, "in", s);
    judge(e);
    assert_null(result(e, "Time (ns)")->steps);
}
/* Three and three steps cannot give p below 0.05: all of one run beyond all of the other. */
static void few_steps(void **state)
{
    static const double x[] = { 100, 101, 99 }, y[] = { 110, 111, 109 };
    assert_int_equal(by_steps(*state, x, 3, 100, y, 3, 110)->status, AZ_GATE_FAIL);
}
static void few_steps_that_overlap(void **state)
{
    static const double x[] = { 100, 115, 99 }, y[] = { 110, 111, 109 };
    assert_int_equal(by_steps(*state, x, 3, 100, y, 3, 110)->status, AZ_GATE_UNSTABLE);
}
static void one_slow_step(void **state)
{
    static const double x[] = { 100, 100, 100, 100, 100 }, y[] = { 100, 100, 900, 100, 100 };
    assert_int_equal(by_steps(*state, x, 5, 100, y, 5, 100)->status, AZ_GATE_PASS);
}

static void steps_of(struct az_step_samples *s, int64_t rank, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct az_step_sample one = { .rank = rank, .part = { v[i] } };
        assert_int_equal(az_vec_push(s, one), 0);
    }
}

/* Ranks of different speed: by the ranks every step is slower, together they overlap. */
static void steps_within_ranks(void **state)
{
    static const double fast[] = { 100, 101, 102, 100.5 }, slow[] = { 200, 201, 202, 200.5 },
                        fast_b[] = { 104, 105, 106, 104.5 }, slow_b[] = { 208, 209, 210, 208.5 };
    struct az_step_samples a, b;
    struct az_steps_test t;
    int rc;
    (void)state;
    az_vec_init(&a, NULL);
    az_vec_init(&b, NULL);
    steps_of(&a, 0, fast, 4);
    steps_of(&a, 1, slow, 4);
    steps_of(&b, 0, fast_b, 4);
    steps_of(&b, 1, slow_b, 4);
    assert_true(az_steps_differ(&a, &b, AZ_STEP_TOTAL, &t, &rc) && rc == 0);
    assert_true(t.p_larger < 0.01 && t.p_smaller > 0.9 && t.effect > 0.999);
    assert_true(az_steps_differ(&a, &a, AZ_STEP_TOTAL, &t, &rc) && rc == 0);
    assert_true(t.p_larger > 0.4 && fabs(t.effect) < 1e-9);
    az_vec_release(&a);
    az_vec_release(&b);
}

/* ---- what lasts ---- */

/* Nights of one metric without claims, the last `bad` of which failed. */
static void take_nights(struct env *e, struct az_metric_past *p, const double *v, size_t n,
                        size_t bad, double now)
{
    struct az_metric m = { .input = AZ_SV("in"),
                           .sheet = AZ_SV("t"),
                           .key = AZ_SV("{\"Name\":\"k\"}"),
                           .key_text = AZ_SV("k"),
                           .name = AZ_SV("Time"),
                           .unit = AZ_SV("ns"),
                           .better = AZ_LOWER_BETTER };
    struct az_series *const all[] = { &p->s, &e->base, &e->cand };
    size_t at;
    assert_int_equal(az_metric_past_init(p, &e->a), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(az_series_metric(all[i], &m, &at), 0);
        assert_int_equal(az_series_input(all[i], AZ_SV("in"), &at), 0);
        assert_int_equal(az_series_sheet(all[i], AZ_SV("in"), AZ_SV("t")), 0);
    }
    for (size_t i = 0; i < n; i++) {
        const struct az_metric_past_run r = { .id = (int64_t)i + 1,
                                              .time = 86400 * (int64_t)i,
                                              .created = AZ_SV("2026-01-01") };
        assert_int_equal(az_vec_push(&p->runs, r), 0);
        assert_int_equal(az_series_value(&p->s, 0, v[i], (uint32_t)i), 0);
        if (i + bad >= n)
            assert_int_equal(az_vec_push(&p->s.metrics.v[0].failed, (uint32_t)i), 0);
    }
    p->now = 86400 * (int64_t)n;
    assert_int_equal(az_series_value(&e->base, 0, v[n - 1], 0), 0);
    assert_int_equal(az_series_value(&e->cand, 0, now, 0), 0);
    e->in.past = p;
    e->in.by_level = true;
    e->rule.rel = 0.03;
}

static const struct az_gate_result *nights(struct env *e, struct az_metric_past *p, const double *v,
                                           size_t n, size_t bad, double now)
{
    take_nights(e, p, v, n, bad, now);
    assert_int_equal(az_gate_run(&e->in, &e->v), 0);
    return &e->v.results.v[0];
}

#define LEVEL 100, 100.4, 99.7, 100.1, 99.8, 100.3, 99.9, 100.2, 99.6, 100

/* +2 % failed as a step; a night by luck within the limit does not pass. */
static void a_failed_level_lasts(void **state)
{
    static const double v[] = { LEVEL, 102, 102.3, 101.8, 102.2, 101.9 };
    struct az_metric_past p;
    const struct az_gate_result *r = nights(*state, &p, v, 15, 5, 101.2);
    assert_int_equal(r->status, AZ_GATE_FAIL);
    az_metric_past_release(&p);
}
static void a_failed_level_ends(void **state)
{
    static const double v[] = { LEVEL, 110, 110.3, 109.8, 110.2, 109.9 };
    struct az_metric_past p;
    const struct az_gate_result *r = nights(*state, &p, v, 15, 5, 100.1);
    assert_int_equal(r->status, AZ_GATE_PASS);
    az_metric_past_release(&p);
}
/* Of 20 steps in each night that scatter by 3 %: +5 % in a night of two steps is within noise. */
static void of_steps(struct env *e, int64_t steps, enum az_gate_status wanted)
{
    static const double v[] = { LEVEL, 100.1, 99.9, 100.2, 99.8, 100 };
    struct az_series_claims c = { .input = AZ_SV("in"), .side = { .steps = steps } };
    struct az_metric_past p;

    take_nights(e, &p, v, 15, 0, 105);
    for (uint32_t i = 0; i < 15; i++) {
        const struct az_metric_past_steps x = { AZ_SV("in"), i, 20 };
        assert_int_equal(az_vec_push(&p.steps, x), 0);
    }
    p.s.metrics.v[0].spread = 15 * log(0.03);
    p.s.metrics.v[0].spread_runs = 15;
    assert_int_equal(az_series_claim(&e->cand, &c), 0);
    assert_int_equal(az_gate_run(&e->in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, wanted);
    const bool few = az_sv_find(e->v.results.v[0].text, AZ_SV("with so few steps")) >= 0;
    assert_int_equal(few, steps == 2);
    az_metric_past_release(&p);
}
static void a_night_of_two_steps(void **state) { of_steps(*state, 2, AZ_GATE_UNSTABLE); }
static void a_night_of_twenty_steps(void **state) { of_steps(*state, 20, AZ_GATE_FAIL); }
static void a_failed_night_alone_does_not_last(void **state)
{
    static const double v[] = { LEVEL, 100.1, 99.9, 100.2, 99.8, 110 };
    struct az_metric_past p;
    const struct az_gate_result *r = nights(*state, &p, v, 15, 1, 100.1);
    assert_int_equal(r->status, AZ_GATE_PASS);
    az_metric_past_release(&p);
}
/* Half a percent a night, no step worth a word: the sum has a limit. */
static void the_sum_has_a_limit(void **state)
{
    double v[9];
    struct az_metric_past p;
    struct env *e = *state;
    for (size_t i = 0; i < 9; i++)
        v[i] = 100 + 0.5 * (double)i + (i % 2 ? 0.05 : -0.05);
    e->rule.change_point = AZ_SV("info");
    const struct az_gate_result *r = nights(e, &p, v, 9, 0, 104.5);
    assert_int_equal(r->status, AZ_GATE_FAIL);
    az_metric_past_release(&p);
}
static void the_sum_has_a_limit_of_its_own(void **state)
{
    double v[9];
    struct az_metric_past p;
    struct env *e = *state;
    for (size_t i = 0; i < 9; i++)
        v[i] = 100 + 0.25 * (double)i + (i % 2 ? 0.05 : -0.05);
    e->rule.change_point = AZ_SV("info");
    e->rule.budget = 0.01;
    const struct az_gate_result *r = nights(e, &p, v, 9, 0, 102.25);
    assert_int_equal(r->status, AZ_GATE_FAIL);
    assert_true(az_sv_find(r->text, AZ_SV("(budget 1%): +")) >= 0);
    az_metric_past_release(&p);
}

/* A result whose account is of one scope, without a median step: its time per step. */
static int64_t step_of(struct env *e, const char *scope, double span, double steps, double period)
{
    static const char *const times[] = { "Span (ns)", "Computing (ns)", "Idle (ns)" };
    static const char *const values[] = { "Value", "Text" };
    struct az_document d;
    struct az_change_side side;
    az_document_init(&d, &e->a);
    struct az_table *t = table(e, "account", "Scope", times, 3);
    az_put_text(t, az_sv_str(scope));
    az_put_f64(t, span);
    az_put_f64(t, span / 4);
    az_put_f64(t, span - span / 4);
    assert_int_equal(az_document_add(&d, t), 0);
    t = table(e, "verdict_facts", "Fact", values, 2);
    fact(t, "steps", steps, NULL);
    fact(t, "step_period_ns", period, NULL);
    assert_int_equal(az_document_add(&d, t), 0);
    az_change_side_of(&d, &side);
    assert_int_equal(side.step.computing + side.step.idle, side.step.span);
    assert_int_equal(side.step.computing, side.step.span / 4);
    az_document_release(&d);
    return side.step.span;
}

/* Two whole steps and most of a third in a window are no two long ones. */
static void steps_of_a_window(void **state)
{
    struct env *e = *state;
    assert_int_equal(step_of(e, "window", 3200, 2, 1200), 1200);
    assert_int_equal(step_of(e, "window", 2600, 2, 1200), 1300);
    assert_int_equal(step_of(e, "window", 2680, 2, 1200), 1200);
    assert_int_equal(step_of(e, "window", 1200, 2, 1200), 1200);
    assert_int_equal(step_of(e, "window", 3200, 2, NAN), 1600);
    assert_int_equal(step_of(e, "steps", 3200, 2, 1200), 1600);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(sums_are_per_step),
        T(a_shorter_recording_hides_nothing),
        T(key_figures_are_per_step),
        T(whole_recordings_if_asked),
        T(key_figures_of_recordings),
        T(rows_of_steps),
        T(recordings_if_asked),
        T(steps_on_one_side),
        T(steps_on_the_other_side),
        T(ranks_that_the_baseline_lacks),
        T(other_numbers_of_ranks),
        T(one_run_of_several),
        T(rules_that_meet_nothing),
        T(one_iteration),
        T(one_step),
        T(part_of_the_total),
        T(one_table_of_several_vanished),
        T(a_table_of_one_input_vanished),
        T(steps_of_several_runs),
        T(steps_of_other_sources),
        T(recordings_of_other_length),
        T(recordings_of_one_length),
        T(truncated_candidate),
        T(truncated_baseline),
        T(lost_events),
        T(a_warning_is_judged),
        T(missing_ranks),
        T(another_device),
        T(another_class_map),
        T(unreadable_candidate),
        T(unreadable_first_night),
        T(truncated_first_night),
        T(first_night),
        T(hard_limits_need_evidence),
        T(hard_limits_on_another_device),
        T(baseline_without_claims),
        T(a_table_that_vanished),
        T(a_table_that_may_vanish),
        T(a_new_table),
        T(steps_that_all_are_slower),
        T(steps_that_overlap),
        T(few_steps),
        T(few_steps_that_overlap),
        T(one_slow_step),
        T(steps_within_ranks),
        T(a_failed_level_lasts),
        T(a_failed_level_ends),
        T(a_failed_night_alone_does_not_last),
        T(a_night_of_two_steps),
        T(a_night_of_twenty_steps),
        T(the_sum_has_a_limit),
        T(the_sum_has_a_limit_of_its_own),
        T(steps_of_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
