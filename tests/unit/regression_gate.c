/* Gates over small tables: every outcome, limits, what is missing, facts, steps, correction,
 * calibration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "regression/calibrate.h"
#include "regression/gate.h"
#include "regression/key_figures.h"

#define NONE (-1e9) /* an empty cell */

struct env {
    struct az_arena a;
    struct az_series base, cand;
    struct az_gate_rule rule[2];
    size_t n_rules;
    struct az_gate_verdict v;
};

static int setup(void **state)
{
    static struct env e;
    e = (struct env){ .n_rules = 1 };
    az_arena_init(&e.a, NULL);
    if (az_series_init(&e.base, &e.a) || az_series_init(&e.cand, &e.a))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        az_gate_rule_init(&e.rule[i]);
        e.rule[i].name = i ? AZ_SV("second") : AZ_SV("first");
        e.rule[i].table = AZ_SV("t");
        e.rule[i].column = AZ_SV("Time");
        e.rule[i].min_share = 0;
    }
    az_gate_verdict_init(&e.v, &e.a);
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

struct row {
    const char *key;
    double time;
};

/* A run of input `input`: table t with these rows. */
static void run_of(struct env *e, struct az_series *s, const char *input, const struct row *rows,
                   size_t n, const char *device)
{
    struct az_document d;
    struct az_selector *want;
    size_t n_want;
    az_document_init(&d, &e->a);
    struct az_table *t = az_table_new(&e->a, "t", "T", AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Time", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    for (size_t i = 0; i < n; i++) {
        az_put_text(t, az_sv_str(rows[i].key));
        if (rows[i].time > NONE)
            az_put_f64(t, rows[i].time);
        else
            az_put_empty(t);
    }
    assert_int_equal(az_document_add(&d, t), 0);
    if (device) {
        t = az_table_new(&e->a, "facts", "Facts", 0);
        az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_table_column(t, "Value", AZ_TEXT, AZ_UNIT_NONE, 0);
        az_put_text(t, AZ_SV("device 0"));
        az_put_text(t, az_sv_str(device));
        assert_int_equal(az_document_add(&d, t), 0);
    }
    want = az_gate_selectors(e->rule, e->n_rules, &e->a, &n_want);
    assert_non_null(want);
    assert_int_equal(az_series_add(s, az_sv_str(input), &d, NULL, want, n_want), 0);
    az_document_release(&d);
}

/* n runs of one row "k" around a value: value, value + step, ... */
static void runs_of(struct env *e, struct az_series *s, size_t n, double value, double step)
{
    for (size_t i = 0; i < n; i++) {
        struct row r = { "k", value + step * (double)i };
        run_of(e, s, "in", &r, 1, NULL);
    }
}

static const struct az_gate_result *judge(struct env *e)
{
    struct az_gate_in in = { .rules = e->rule,
                             .n_rules = e->n_rules,
                             .base = &e->base,
                             .cand = &e->cand,
                             .no_base = AZ_SV("no baseline") };
    if (e->base.inputs.n == 0)
        in.base = NULL;
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_true(e->v.results.n > 0);
    return &e->v.results.v[0];
}

/* The one result of base b and candidate c. */
static enum az_gate_status change(struct env *e, double b, double c)
{
    struct row rb = { "k", b }, rc = { "k", c };
    run_of(e, &e->base, "in", &rb, 1, NULL);
    run_of(e, &e->cand, "in", &rc, 1, NULL);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(e->v.results.n, 1);
    return x->status;
}

static void same_passes(void **state)
{
    struct env *e = *state;
    assert_int_equal(change(e, 5, 5), AZ_GATE_PASS);
    assert_int_equal(e->v.outcome, AZ_GATES_PASS);
    assert_true(e->v.results.v[0].delta == 0 && e->v.results.v[0].rel == 0);
}

static void at_the_limit_passes(void **state)
{
    struct env *e = *state;
    assert_int_equal(change(e, 1.1, 1.155),
                     AZ_GATE_PASS); /* 5 % in decimals, a rounding above in binary */
}

static void above_the_limit_fails(void **state)
{
    struct env *e = *state;
    assert_int_equal(change(e, 1.1, 1.15501), AZ_GATE_FAIL);
    assert_int_equal(e->v.outcome, AZ_GATES_FAIL);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_FAIL);
}

static void better_is_improved(void **state)
{
    assert_int_equal(change(*state, 100, 90), AZ_GATE_IMPROVED);
}

static void zero_to_zero(void **state) { assert_int_equal(change(*state, 0, 0), AZ_GATE_PASS); }

static void zero_to_more(void **state)
{
    struct env *e = *state;
    e->rule[0].abs = 2;
    e->rule[0].abs_given = true;
    assert_int_equal(change(e, 0, 2.5), AZ_GATE_FAIL);
    assert_true(isnan(e->v.results.v[0].rel));
}

static void zero_to_abs(void **state)
{
    struct env *e = *state;
    e->rule[0].abs = 2;
    e->rule[0].abs_given = true;
    assert_int_equal(change(e, 0, 2), AZ_GATE_PASS);
}

static void abs_and_rel(void **state)
{
    struct env *e = *state;
    e->rule[0].abs = 20;
    e->rule[0].abs_given = true;
    assert_int_equal(change(e, 100, 115), AZ_GATE_PASS);
}

static void abs_or_rel(void **state)
{
    struct env *e = *state;
    e->rule[0].abs = 2;
    e->rule[0].abs_given = true;
    e->rule[0].combine = AZ_SV("any");
    assert_int_equal(change(e, 100, 103), AZ_GATE_FAIL);
}

static void any_without_abs(void **state)
{
    struct env *e = *state;
    e->rule[0].combine = AZ_SV("any");
    assert_int_equal(change(e, 100, 103), AZ_GATE_PASS);
}

static void higher_is_better(void **state)
{
    struct env *e = *state;
    e->rule[0].better = AZ_SV("higher");
    assert_int_equal(change(e, 100, 90), AZ_GATE_FAIL);
    assert_true(fabs(e->v.results.v[0].delta - 10) < 1e-12);
}

static void any_change_is_worse(void **state)
{
    struct env *e = *state;
    e->rule[0].better = AZ_SV("equal");
    assert_int_equal(change(e, 100, 90), AZ_GATE_FAIL);
}

static void only_warns(void **state)
{
    struct env *e = *state;
    e->rule[0].severity = AZ_SV("warn");
    assert_int_equal(change(e, 100, 120), AZ_GATE_WARN);
    assert_int_equal(e->v.outcome, AZ_GATES_PASS);
    assert_int_equal(e->v.warnings, 1);
}

static void a_missing_value(void **state)
{
    struct env *e = *state;
    assert_int_equal(change(e, 100, NONE), AZ_GATE_ERROR);
    assert_int_equal(e->v.outcome, AZ_GATES_INCONCLUSIVE);
}

static void no_value_at_all(void **state)
{
    assert_int_equal(change(*state, NONE, NONE), AZ_GATE_PASS);
}

static void hard_limit_needs_no_baseline(void **state)
{
    struct env *e = *state;
    struct row r = { "k", 11 };
    e->rule[0].max = 10;
    run_of(e, &e->cand, "in", &r, 1, NULL);
    assert_int_equal(judge(e)->status, AZ_GATE_FAIL);
    assert_int_equal(e->v.outcome, AZ_GATES_FAIL); /* fail beats inconclusive */
    assert_int_equal(e->v.count[AZ_GATE_INCONCLUSIVE], 1);
}

static void no_baseline(void **state)
{
    struct env *e = *state;
    runs_of(e, &e->cand, 1, 5, 0);
    assert_int_equal(judge(e)->status, AZ_GATE_INCONCLUSIVE);
    assert_int_equal(e->v.outcome, AZ_GATES_INCONCLUSIVE);
    assert_int_equal(e->v.results.n, 1);
}

static void rows_new_and_removed(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "k", 5 }, { "gone", 7 } }, c[] = { { "k", 5 }, { "fresh", 7 } };
    run_of(e, &e->base, "in", b, 2, NULL);
    run_of(e, &e->cand, "in", c, 2, NULL);
    assert_int_equal(judge(e)->status, AZ_GATE_REMOVED);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_WARN);
    assert_int_equal(e->v.count[AZ_GATE_NEW], 1);
    assert_int_equal(e->v.count[AZ_GATE_PASS], 1);
    assert_int_equal(e->v.outcome, AZ_GATES_PASS);
}

static void new_rows_may_fail(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "k", 5 } }, c[] = { { "k", 5 }, { "fresh", 7 } };
    e->rule[0].on_new = AZ_SV("fail");
    run_of(e, &e->base, "in", b, 1, NULL);
    run_of(e, &e->cand, "in", c, 2, NULL);
    assert_int_equal(judge(e)->status, AZ_GATE_NEW);
    assert_int_equal(e->v.outcome, AZ_GATES_FAIL);
}

static void a_missing_input(void **state)
{
    struct env *e = *state;
    const struct row r = { "k", 5 };
    run_of(e, &e->base, "in", &r, 1, NULL);
    run_of(e, &e->base, "other", &r, 1, NULL);
    run_of(e, &e->cand, "in", &r, 1, NULL);
    assert_int_equal(judge(e)->status, AZ_GATE_INCONCLUSIVE);
    assert_true(az_sv_is(e->v.results.v[0].input, "other"));
    assert_int_equal(e->v.outcome, AZ_GATES_INCONCLUSIVE);
}

static void facts_differ(void **state)
{
    struct env *e = *state;
    const struct row b = { "k", 5 }, c = { "k", 50 };
    run_of(e, &e->base, "in", &b, 1, "A100");
    run_of(e, &e->cand, "in", &c, 1, "H100");
    const struct az_gate_result *x = judge(e);
    assert_int_equal(x->status, AZ_GATE_INCONCLUSIVE);
    assert_true(az_sv_find(x->text, AZ_SV("the devices differ: A100, then H100")) >= 0);
    assert_int_equal(e->v.results.n, 1); /* nothing is compared */
}

static void rules_that_meet_nothing(void **state)
{
    struct env *e = *state;
    e->rule[0].key = AZ_SV("absent*");
    runs_of(e, &e->base, 1, 5, 0);
    runs_of(e, &e->cand, 1, 5, 0);
    assert_int_equal(judge(e)->status, AZ_GATE_INCONCLUSIVE);
}

static void small_shares_are_skipped(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "big", 9999 }, { "small", 1 } },
                     c[] = { { "big", 9999 }, { "small", 2 } };
    e->rule[0].min_share = 0.001;
    run_of(e, &e->base, "in", b, 2, NULL);
    run_of(e, &e->cand, "in", c, 2, NULL);
    judge(e);
    assert_int_equal(e->v.count[AZ_GATE_SKIP], 1);
    assert_int_equal(e->v.count[AZ_GATE_PASS], 1);
}

/* ---- tests over runs ---- */

static void five_runs_tell(void **state)
{
    struct env *e = *state;
    runs_of(e, &e->base, 5, 100, 1);
    runs_of(e, &e->cand, 5, 110, 1);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(x->status, AZ_GATE_FAIL);
    assert_true(fabs(x->p - 1.0 / 252) < 1e-12 && x->effect == 1);
    assert_true(x->base.center == 102 && x->cand.center == 112);
}

static void four_runs_cannot(void **state)
{
    struct env *e = *state;
    runs_of(e, &e->base, 4, 100, 1);
    runs_of(e, &e->cand, 4, 110, 1);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(x->status, AZ_GATE_UNSTABLE);
    assert_true(az_sv_find(x->note, AZ_SV("4 and 4 runs cannot give p below 0.0143")) >= 0);
    assert_int_equal(e->v.outcome, AZ_GATES_PASS);
}

static void too_few_for_the_test_asked_for(void **state)
{
    struct env *e = *state;
    e->rule[0].test = AZ_SV("mannwhitney");
    runs_of(e, &e->base, 4, 100, 1);
    runs_of(e, &e->cand, 4, 110, 1);
    assert_int_equal(judge(e)->status, AZ_GATE_SKIP);
    assert_int_equal(e->v.warnings, 1);
}

static void three_runs_are_not_tested(void **state)
{
    struct env *e = *state;
    runs_of(e, &e->base, 3, 100, 1);
    runs_of(e, &e->cand, 3, 110, 1);
    assert_int_equal(judge(e)->status, AZ_GATE_FAIL);
    assert_string_equal(e->v.results.v[0].test, "none");
}

static void scattered_runs_are_unstable(void **state)
{
    struct env *e = *state;
    runs_of(e, &e->base, 6, 70, 12);
    runs_of(e, &e->cand, 6, 77, 12);
    assert_int_equal(judge(e)->status, AZ_GATE_UNSTABLE);
}

static void bootstrap_decides(void **state)
{
    struct env *e = *state;
    e->rule[0].test = AZ_SV("bootstrap");
    runs_of(e, &e->base, 6, 100, 0.1);
    runs_of(e, &e->cand, 6, 110, 0.1);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(x->status, AZ_GATE_FAIL);
    assert_true(x->low > 1.09 && x->high < 1.11);
}

static void bootstrap_holds_the_limit(void **state)
{
    struct env *e = *state;
    e->rule[0].test = AZ_SV("bootstrap");
    runs_of(e, &e->base, 6, 100, 3);
    runs_of(e, &e->cand, 6, 107, 3); /* the lower end is below 1.05 */
    assert_int_equal(judge(e)->status, AZ_GATE_UNSTABLE);
}

/* Earlier nights of the figure, a day apart, the newest yesterday. */
static void nights_of(struct env *e, struct az_metric_past *p, const double *v, size_t n)
{
    struct az_metric m = e->cand.metrics.v[0];
    size_t at;

    assert_int_equal(az_metric_past_init(p, &e->a), 0);
    p->now = (int64_t)(n + 1) * 86400;
    p->commit = AZ_SV("new");
    assert_int_equal(az_series_metric(&p->s, &m, &at), 0);
    for (size_t i = 0; i < n; i++) {
        struct az_metric_past_run r = { .id = (int64_t)i + 1,
                                        .time = (int64_t)(i + 1) * 86400,
                                        .created = AZ_SV("2026-01-01T00:00:00Z"),
                                        .commit = AZ_SV("old") };
        assert_int_equal(az_vec_push(&p->runs, r), 0);
        assert_int_equal(az_series_value(&p->s, at, v[i], (uint32_t)i), 0);
    }
}

static void noise_of_earlier_nights(void **state)
{
    static const double v[] = { 100, 104, 97, 101, 95, 103, 99, 105, 98, 101 };
    struct env *e = *state;
    struct az_metric_past past;
    struct az_gate_in in = {
        .rules = e->rule, .n_rules = 1, .base = &e->base, .cand = &e->cand, .past = &past
    };
    runs_of(e, &e->base, 1, 100, 0);
    runs_of(e, &e->cand, 1, 110, 0);
    nights_of(e, &past, v, AZ_LENGTH(v));
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_UNSTABLE);
    assert_int_equal(e->v.results.v[0].base.n, 1);
    e->rule[0].noise_k = 0; /* noise does not count */
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_FAIL);
    e->rule[0].noise_k = 3;
    in.by_level = true; /* held against all nights of the level */
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].base.n, AZ_LENGTH(v));
    az_metric_past_release(&past);
}

/* Noise that is no part of the level, as that is 0, is not said. */
static void noise_about_nothing(void **state)
{
    static const double v[] = { -3, 3, -3, 3, -3, 3, -3, 3, -3, 3 };
    struct env *e = *state;
    struct az_metric_past past;
    struct az_gate_in in = {
        .rules = e->rule, .n_rules = 1, .base = &e->base, .cand = &e->cand, .past = &past
    };
    runs_of(e, &e->base, 1, 1, 0);
    runs_of(e, &e->cand, 1, 4, 0);
    nights_of(e, &past, v, AZ_LENGTH(v));
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_true(isnan(e->v.results.v[0].course.noise));
    assert_true(az_sv_eq(e->v.results.v[0].note, AZ_SV("within noise: 10 earlier runs")));
    az_metric_past_release(&past);
}

static void a_step_below_the_limit(void **state)
{
    double v[24];
    struct env *e = *state;
    struct az_metric_past past;
    struct az_gate_in in = { .rules = e->rule,
                             .n_rules = 1,
                             .base = &e->base,
                             .cand = &e->cand,
                             .past = &past,
                             .by_level = true };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        v[i] = (i < 18 ? 100 : 103) + 0.1 * (double)(i * 7 % 5);
    runs_of(e, &e->base, 1, 100, 0);
    runs_of(e, &e->cand, 1, 103.2, 0);
    nights_of(e, &past, v, AZ_LENGTH(v));
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_FAIL);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("since run 19 of 2026-01-01")) >= 0);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("7 runs")) >= 0);
    e->rule[0].change_point = AZ_SV("warn");
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_WARN);
    /* accepted: it is the level */
    struct az_metric_past_accepted x = { .run = 20, .time = 20 * 86400, .figure = AZ_SV("") };
    assert_int_equal(az_vec_push(&past.accepted, x), 0);
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_PASS);
    assert_true(e->v.results.v[0].base.center > 103);
    az_metric_past_release(&past);
}

/* A value of a night, or of the candidate (night n), by its place. */
static void put_value(struct env *e, struct az_series *s, const char *sheet, const char *key,
                      const char *name, double value, uint32_t night)
{
    size_t at;
    const struct az_sv text = az_sv_str(key);
    const struct az_metric m = { .input = AZ_SV("in"),
                                 .sheet = az_sv_str(sheet),
                                 .key = az_arena_printf(&e->a, "{\"k\":\"%.*s\"}", AZ_SVF(text)),
                                 .key_text = text,
                                 .name = az_sv_str(name),
                                 .unit = AZ_SV("ns"),
                                 .better = AZ_LOWER_BETTER,
                                 .share = NAN };
    assert_int_equal(az_series_metric(s, &m, &at), 0);
    assert_int_equal(az_series_value(s, at, value, night), 0);
}

/* A night of the part "gemm" and its kernels; a third one is too short to be listed. */
static void put_gemm(struct env *e, struct az_series *s, double factor, uint32_t night)
{
    put_value(e, s, AZ_KEY_PARTS, "gemm", AZ_KEY_WORK_TIME, 1e6 * factor, night);
    put_value(e, s, AZ_KEY_WORK, "a | gemm", AZ_KEY_WORK_TIME, 6e5 * factor, night);
    put_value(e, s, AZ_KEY_WORK, "b | gemm", AZ_KEY_WORK_TIME, 3e5 * factor, night);
    put_value(e, s, AZ_KEY_WORK, "a | gemm", AZ_KEY_WORK_CALL, 6e3 * factor, night);
    put_value(e, s, AZ_KEY_WORK, "b | gemm", AZ_KEY_WORK_CALL, 3e3 * factor, night);
}

/* Kernels of a cause have the baseline of the part, whatever the night before the step was, so that
 * they add up to its change; the verdict names that baseline. */
static void causes_add_up(void **state)
{
    struct env *e = *state;
    struct az_metric_past past;
    size_t at;
    struct az_gate_in in = { .rules = e->rule,
                             .n_rules = 1,
                             .base = &e->base,
                             .cand = &e->cand,
                             .past = &past,
                             .by_level = true };
    e->rule[0].table = AZ_SV(AZ_KEY_PARTS);
    e->rule[0].column = AZ_SV(AZ_KEY_WORK_TIME);
    put_value(e, &e->cand, "t", "k", "Time", 1, 0);
    nights_of(e, &past, NULL, 0);
    for (uint32_t i = 0; i < 24; i++) {
        const struct az_metric_past_run r = { .id = i + 1,
                                              .time = (i + 1) * 86400,
                                              .created = AZ_SV("2026-01-01") };
        assert_int_equal(az_vec_push(&past.runs, r), 0);
        put_gemm(e, &past.s, (i < 18 ? 1 : 1.2) + 0.001 * (i * 7 % 5) + (i == 17 ? 0.004 : 0), i);
    }
    past.now = 25 * 86400;
    put_gemm(e, &e->cand, 1.2, 0);
    put_gemm(e, &e->base, 1.2, 0);
    assert_int_equal(az_series_input(&e->cand, AZ_SV("in"), &at), 0);
    assert_int_equal(az_series_input(&e->base, AZ_SV("in"), &at), 0);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    const struct az_gate_result *x = &e->v.results.v[0];
    assert_int_equal(x->status, AZ_GATE_FAIL);
    assert_true(fabs(x->delta - 198e3) < 1); /* from the median of the level, 1.002 ms */
    assert_true(az_sv_find(x->cause, AZ_SV("a +118.8 us, b +59.4 us, others +19.8 us")) >= 0);
    assert_true(az_sv_starts(e->v.base_label, AZ_SV("the level of 18 runs up to run 18 of ")));
    assert_true(az_sv_is(e->v.base_id, "18"));
    az_metric_past_release(&past);
}

/* The baseline ends before the change, however young the new level is, or where a slope begins. */
static void baseline_ends_before_the_change(void **state)
{
    static const struct {
        uint32_t first; /* night of the change */
        double each;    /* 0: a step of 8% */
    } cases[] = { { 22, 0 }, { 23, 0 }, { 18, 0 }, { 18, 0.012 } };
    struct env *e = *state;
    e->rule[0].table = AZ_SV(AZ_KEY_PARTS);
    e->rule[0].column = AZ_SV(AZ_KEY_WORK_TIME);
    put_value(e, &e->cand, "t", "k", "Time", 1, 0);
    for (size_t k = 0; k < AZ_LENGTH(cases); k++) {
        const uint32_t first = cases[k].first;
        const double each = cases[k].each;
        struct az_metric_past past;
        struct az_gate_verdict v;
        struct az_series base, cand;
        size_t at;
        az_gate_verdict_init(&v, &e->a);
        assert_int_equal(az_series_init(&base, &e->a), 0);
        assert_int_equal(az_series_init(&cand, &e->a), 0);
        nights_of(e, &past, NULL, 0);
        for (uint32_t i = 0; i < 24; i++) {
            const double factor = i < first ? 1 : each > 0 ? 1 + each * (i - first + 1) : 1.08;
            const struct az_metric_past_run r = { .id = i + 1,
                                                  .time = (i + 1) * 86400,
                                                  .created = AZ_SV("2026-01-01") };
            assert_int_equal(az_vec_push(&past.runs, r), 0);
            put_gemm(e, &past.s, factor + 0.004 * (i * 7 % 5), i);
        }
        past.now = 25 * 86400;
        put_gemm(e, &cand, each > 0 ? 1 + each * (25 - first) : 1.08, 0);
        put_gemm(e, &base, 1.08, 0);
        assert_int_equal(az_series_input(&cand, AZ_SV("in"), &at), 0);
        assert_int_equal(az_series_input(&base, AZ_SV("in"), &at), 0);
        const struct az_gate_in in = { .rules = e->rule,
                                       .n_rules = 1,
                                       .base = &base,
                                       .cand = &cand,
                                       .past = &past,
                                       .by_level = true };
        assert_int_equal(az_gate_run(&in, &v), 0);
        const struct az_gate_course *c = &v.results.v[0].course;
        assert_int_equal(v.results.v[0].status, AZ_GATE_FAIL);
        assert_int_equal(c->gradual, each > 0);
        const int64_t newest = past.runs.v[c->level_run[c->runs - 1]].id;
        assert_in_range(newest, each > 0 ? first - 2 : first, first);
        az_gate_verdict_release(&v);
        az_series_release(&base);
        az_series_release(&cand);
        az_metric_past_release(&past);
    }
}

static void slow_drift(void **state)
{
    double v[29];
    struct env *e = *state;
    struct az_metric_past past;
    struct az_gate_in in = { .rules = e->rule,
                             .n_rules = 1,
                             .base = &e->base,
                             .cand = &e->cand,
                             .past = &past,
                             .drift_rel = 0.10,
                             .drift_days = 30 };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        v[i] = 100 * pow(1.01, (double)i) + (double)(i * 7 % 5);
    runs_of(e, &e->base, 1, 134, 0); /* of yesterday */
    runs_of(e, &e->cand, 1, 135, 0);
    nights_of(e, &past, v, AZ_LENGTH(v));
    e->rule[0].change_point = AZ_SV("info");
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.results.v[0].status, AZ_GATE_FAIL);
    az_metric_past_release(&past);
}

/* A drift beyond drift_rel is a result of its own, unless a failure of the metric says it already.
 */
static void drift_is_said_once(void **state)
{
    double v[29];
    struct env *e = *state;
    struct az_metric_past past;
    struct az_gate_in in = { .rules = e->rule,
                             .n_rules = 1,
                             .base = &e->base,
                             .cand = &e->cand,
                             .past = &past,
                             .drift_rel = 0.10,
                             .drift_days = 30 };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        v[i] = 100 * pow(1.01, (double)i) + (double)(i * 7 % 5) / 10;
    runs_of(e, &e->base, 1, 134, 0);
    runs_of(e, &e->cand, 1, 135, 0);
    nights_of(e, &past, v, AZ_LENGTH(v));
    e->rule[0].rel = 10; /* nothing else fails */
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.outcome, AZ_GATES_FAIL);
    assert_true(az_sv_is(e->v.results.v[0].rule_name, "first (drift)"));
    assert_int_equal(e->v.results.n, 2);
    in.drift_rel = 0.5; /* it is less */
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.outcome, AZ_GATES_PASS);
    in.drift_rel = 0.10;
    e->rule[0].rel = 0.03; /* the budget says it */
    az_vec_reset(&e->v.results);
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_int_equal(e->v.outcome, AZ_GATES_FAIL);
    assert_int_equal(e->v.results.n, 1);
    az_metric_past_release(&past);
}

/* 21 rows of 5 v 5 runs: the smallest p, 1/252, is 1/12 after correction. */
static void many_rows_are_corrected(void **state)
{
    struct env *e = *state;
    static const char *const names = "abcdefghijklmnopqrstu";
    for (int side = 0; side < 2; side++)
        for (size_t run = 0; run < 5; run++) {
            struct row rows[21];
            for (size_t i = 0; i < 21; i++)
                rows[i] = (struct row){ &names[i], 100 + (double)run + (i == 20 && side ? 50 : 0) };
            run_of(e, side ? &e->cand : &e->base, "in", rows, 21, NULL);
        }
    assert_int_equal(judge(e)->status, AZ_GATE_UNSTABLE);
    assert_true(fabs(e->v.results.v[0].p - 21.0 / 252) < 1e-12);
    e->rule[0].correct = AZ_SV("none");
    az_vec_reset(&e->v.results);
    assert_int_equal(judge(e)->status, AZ_GATE_FAIL);
}

static void geometric_mean(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "x", 30 }, { "y", 10 } }, c[] = { { "x", 60 }, { "y", 10 } };
    e->rule[0].key = AZ_SV(AZ_GATE_GEOMEAN);
    run_of(e, &e->base, "in", b, 2, NULL);
    run_of(e, &e->cand, "in", c, 2, NULL);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(e->v.results.n, 1);
    assert_true(fabs(x->cand.center - pow(2, 0.75)) < 1e-12); /* shares 3/4 and 1/4 */
    assert_int_equal(x->status, AZ_GATE_FAIL);
}

/* ---- steps ---- */

static void steps_run(struct env *e, struct az_series *s, double first, double level)
{
    struct az_document d;
    struct az_selector *want;
    size_t n_want;
    az_document_init(&d, &e->a);
    struct az_table *t = az_table_new(&e->a, "t", "T", 0);
    az_table_column(t, "Step", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Time", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    for (int i = 0; i < 7; i++) {
        az_put_text(t, az_arena_printf(&e->a, "%d", i));
        az_put_f64(t, i ? level + i : first);
    }
    assert_int_equal(az_document_add(&d, t), 0);
    want = az_gate_selectors(e->rule, 1, &e->a, &n_want);
    assert_int_equal(az_series_add(s, AZ_SV("in"), &d, NULL, want, n_want), 0);
    az_document_release(&d);
}

static void steps_are_samples(void **state)
{
    struct env *e = *state;
    e->rule[0].samples = AZ_SV("steps");
    steps_run(e, &e->base, 900, 100);
    steps_run(e, &e->cand, 9000, 120);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(e->v.results.n, 1);
    assert_int_equal(x->base.n, 6); /* the first is skipped */
    assert_true(x->base.center == 103.5 && x->cand.center == 123.5);
    assert_int_equal(x->status, AZ_GATE_FAIL);
}

static void two_rules_and_order(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "x", 1e6 }, { "y", 1e9 } }, c[] = { { "x", 3e6 }, { "y", 1.1e9 } };
    e->n_rules = 2;
    e->rule[1].key = AZ_SV("x");
    run_of(e, &e->base, "in", b, 2, NULL);
    run_of(e, &e->cand, "in", c, 2, NULL);
    judge(e);
    assert_int_equal(e->v.results.n, 3);
    assert_true(az_sv_is(e->v.results.v[0].key_text, "y")); /* by time lost, not by percent */
    assert_true(az_sv_is(e->v.results.v[1].rule_name, "first"));
    assert_true(az_sv_is(e->v.results.v[2].rule_name, "second"));
    assert_true(az_sv_is(e->v.results.v[0].key, "{\"Name\":\"y\"}"));
}

static void equal_keys_are_numbered(void **state)
{
    struct env *e = *state;
    const struct row b[] = { { "x", 1 }, { "x", 2 } };
    run_of(e, &e->base, "in", b, 2, NULL);
    run_of(e, &e->cand, "in", b, 2, NULL);
    judge(e);
    assert_int_equal(e->v.count[AZ_GATE_PASS], 2);
    assert_true(
        az_sv_is(az_series_key_text(&e->a, AZ_SV("{\"#\":\"2\",\"Name\":\"x\",\"Z\":\"a\\\"b\"}")),
                 "x | a\"b #2"));
}

/* ---- the picture ---- */

static const struct az_table *picture(struct env *e, struct az_document *d)
{
    az_document_init(d, &e->a);
    assert_int_equal(az_gate_verdict_document(&e->v, d), 0);
    return az_document_table(d, "gate_changes");
}

static double at(const struct az_table *t, size_t row, const char *column)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0 && row < t->rows);
    return az_cell_number(az_table_at(t, row, (size_t)c));
}

static void picture_of_changes(void **state)
{
    struct env *e = *state;
    const struct row
        before[] = { { "7", 100 }, { "b", 100 }, { "near", 1000 }, { "far", 1000 }, { "zero", 0 } },
        after[] = { { "7", 120 }, { "b", 80 }, { "near", 1090 }, { "far", 1001 }, { "zero", 50 } };
    struct az_document d;
    e->rule[0].abs = 10; /* beyond 5 % for the first */
    e->rule[0].abs_given = true;
    e->rule[0].rel = 0.095;
    for (size_t i = 0; i < 4; i++) {
        run_of(e, &e->base, "in", before, 5, NULL);
        run_of(e, &e->cand, "in", after, 5, NULL);
    }
    e->rule[0].test = AZ_SV("none");
    (void)judge(e);
    const struct az_table *t = picture(e, &d);
    assert_non_null(t);
    assert_int_equal(t->rows, 5);
    size_t rank = 5;
    for (size_t r = 0; r < t->rows; r++) {
        const struct az_sv name = az_cell_text(az_table_at(t, r, 0));
        if (az_sv_is(name, "Name 7")) { /* a bare number says of what it is */
            rank = r;
            assert_true(fabs(at(t, r, "Worse by (%)") - 20) < 1e-9);
            assert_true(fabs(at(t, r, "Limit (%)") - 10) < 1e-9); /* 10 of 100, more than 9.5 % */
            assert_true(fabs(at(t, r, "Low (%)") - 20) < 1e-9 &&
                        fabs(at(t, r, "High (%)") - 20) < 1e-9);
        } else if (az_sv_is(name, "b")) {
            assert_true(fabs(at(t, r, "Worse by (%)") + 20) < 1e-9);
        } else if (az_sv_is(name, "zero")) { /* there is no percent of nothing */
            assert_true(isnan(at(t, r, "Worse by (%)")) && isnan(at(t, r, "Low (%)")));
        } else if (az_sv_is(name, "near")) {
            assert_true(fabs(at(t, r, "Limit (%)") - 9.5) < 1e-9);
            assert_int_equal(r, 3); /* after what changed, before what is farther from its limit */
        }
    }
    assert_true(rank < 5);
    assert_int_equal(d.charts.n, 1);
    assert_int_equal(d.charts.v[0].kind, AZ_CHART_LIMITS);
    assert_int_equal(d.charts.v[0].y.n, 7);
    az_document_release(&d);
}

/* The right side is worse, also where higher is better; hard limits are the zero of their rows. */
static void picture_of_directions(void **state)
{
    struct env *e = *state;
    struct az_document d;
    e->rule[0].better = AZ_SV("higher");
    e->rule[0].test = AZ_SV("none");
    runs_of(e, &e->base, 4, 100, 1);
    runs_of(e, &e->cand, 4, 50, 1);
    (void)judge(e);
    const struct az_table *t = picture(e, &d);
    assert_true(at(t, 0, "Worse by (%)") > 45 && at(t, 0, "Low (%)") > 45 &&
                at(t, 0, "High (%)") > at(t, 0, "Low (%)"));
    az_document_release(&d);
    az_vec_reset(&e->v.results);
    e->rule[0].max = 40;
    (void)judge(e);
    t = picture(e, &d);
    assert_true(fabs(at(t, 0, "Worse by (%)") - 100 * (51.5 - 40) / 40) < 1e-9 &&
                at(t, 0, "Limit (%)") == 0);
    az_document_release(&d);
    az_vec_reset(&e->v.results);
    e->n_rules = 0;
    struct az_gate_in in = { .base = &e->base, .cand = &e->cand };
    assert_int_equal(az_gate_run(&in, &e->v), 0);
    assert_null(picture(e, &d)); /* without rules there is none */
    assert_int_equal(d.charts.n, 0);
    az_document_release(&d);
}

static void p_is_that_of_the_outcome(void **state)
{
    struct env *e = *state;
    struct az_document d;
    e->rule[0].abs = 3e5;
    e->rule[0].abs_given = true;
    runs_of(e, &e->base, 5, 8e6, 1000);
    runs_of(e, &e->cand, 5, 6e6, 1000);
    const struct az_gate_result *x = judge(e);
    assert_int_equal(x->status, AZ_GATE_IMPROVED);
    assert_true(az_sv_find(x->text, AZ_SV("p = 0.00397")) > 0);
    assert_true(az_sv_find(x->text, AZ_SV("(limit 5%;")) > 0); /* of 8 ms more than 0.3 ms */
    (void)picture(e, &d);
    assert_true(at(az_document_table(&d, "gate_results"), 0, "p") < 0.01);
    az_document_release(&d);
}

static void calibration(void **state)
{
    struct env *e = *state;
    struct az_calibrated_list l;
    /* moves: big 2 of 100 (2 %), small 0.3 of 1 (30 %): the pair that costs least is 2 % and 0.3 */
    for (int i = 0; i < 3; i++) {
        const struct row r[] = { { "big", 99.0 + i }, { "small", 1 + 0.15 * (i - 1) } };
        run_of(e, &e->cand, "in", r, 2, NULL);
    }
    az_vec_init(&l, NULL);
    assert_int_equal(az_calibrate(&e->cand, &l), 0);
    assert_int_equal(l.n, 1);
    assert_true(fabs(l.v[0].rel - 0.02) < 1e-12 && fabs(l.v[0].abs - 0.3) < 1e-12);
    assert_int_equal(l.v[0].runs, 3);
    az_vec_release(&l);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(same_passes),
        T(at_the_limit_passes),
        T(above_the_limit_fails),
        T(better_is_improved),
        T(zero_to_zero),
        T(zero_to_more),
        T(zero_to_abs),
        T(abs_and_rel),
        T(abs_or_rel),
        T(any_without_abs),
        T(higher_is_better),
        T(any_change_is_worse),
        T(only_warns),
        T(a_missing_value),
        T(no_value_at_all),
        T(hard_limit_needs_no_baseline),
        T(no_baseline),
        T(rows_new_and_removed),
        T(new_rows_may_fail),
        T(a_missing_input),
        T(facts_differ),
        T(rules_that_meet_nothing),
        T(small_shares_are_skipped),
        T(five_runs_tell),
        T(four_runs_cannot),
        T(too_few_for_the_test_asked_for),
        T(three_runs_are_not_tested),
        T(scattered_runs_are_unstable),
        T(bootstrap_decides),
        T(bootstrap_holds_the_limit),
        T(noise_of_earlier_nights),
        T(noise_about_nothing),
        T(a_step_below_the_limit),
        T(causes_add_up),
        T(baseline_ends_before_the_change),
        T(slow_drift),
        T(drift_is_said_once),
        T(many_rows_are_corrected),
        T(geometric_mean),
        T(steps_are_samples),
        T(two_rules_and_order),
        T(equal_keys_are_numbered),
        T(picture_of_changes),
        T(picture_of_directions),
        T(p_is_that_of_the_outcome),
        T(calibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
