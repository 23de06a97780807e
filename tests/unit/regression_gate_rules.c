/* Rules of the judgment of one metric, each alone: what the nights, the steps and the limits say
 * is given, and the outcome is wanted (docs/gates.md, docs/nightly.md). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/verdict_table.h"
#include "regression/gate.h"
#include "regression/key_figures.h"

struct env {
    struct az_arena a;
    struct az_gate_rule rule;
    struct az_gate_verdict v;
};

static int setup(void **state)
{
    static struct env e;
    e = (struct env){ .a = { .failed = false } };
    az_arena_init(&e.a, NULL);
    az_gate_rule_init(&e.rule);
    e.rule.name = AZ_SV("rule");
    e.rule.rel = 0.03;
    az_gate_verdict_init(&e.v, &e.a);
    *state = &e;
    return 0;
}

static int teardown(void **state)
{
    struct env *e = *state;
    az_gate_verdict_release(&e->v);
    az_arena_release(&e->a);
    return 0;
}

/* A metric of 100 ns that is now `now`, in a history of eleven nights that is quiet otherwise. */
static struct az_gate_result of(struct env *e, double now)
{
    struct az_gate_result x = { .rule = &e->rule,
                                .rule_name = e->rule.name,
                                .input = AZ_SV("in"),
                                .sheet = AZ_SV("t"),
                                .key = AZ_SV("{\"Name\":\"k\"}"),
                                .key_text = AZ_SV("k"),
                                .metric = AZ_SV("Time"),
                                .unit = AZ_SV("ns"),
                                .base = { .n = 1, .center = 100, .mad = 0 },
                                .cand = { .n = 1, .center = now, .mad = 0 },
                                .delta = now - 100,
                                .rel = now / 100 - 1,
                                .limit_abs = e->rule.abs,
                                .limit_rel = e->rule.rel,
                                .max = NAN,
                                .min = NAN,
                                .test = "none",
                                .u = NAN,
                                .p = NAN,
                                .p_better = NAN,
                                .effect = NAN,
                                .low = NAN,
                                .high = NAN,
                                .course = { .known = true,
                                            .kind = AZ_BASELINE_SAME,
                                            .runs = 11,
                                            .held = 1,
                                            .since = AZ_SV("run 9"),
                                            .before = 100,
                                            .level = 100,
                                            .noise = 0.005,
                                            .drift = NAN,
                                            .least = NAN,
                                            .least_run = NAN } };
    return x;
}

static void judged(struct env *e, struct az_gate_result *x, enum az_gate_status status,
                   enum az_gate_level level)
{
    assert_int_equal(az_gate_judge(x, &e->a), 0);
    assert_int_equal(x->status, status);
    assert_int_equal(x->level, level);
}

/* ---- limits ---- */

static void hard_limits(void **state)
{
    static const struct {
        double max, min, now;
        bool fails;
    } cases[] = { { 110, NAN, 110, false },
                  { 110, NAN, 110.5, true },
                  { NAN, 90, 90, false },
                  { NAN, 90, 89.5, true } };
    struct env *e = *state;
    e->rule.max = 1000; /* of limits alone */
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_gate_result x = of(e, cases[i].now);
        x.max = cases[i].max;
        x.min = cases[i].min;
        judged(e, &x, cases[i].fails ? AZ_GATE_FAIL : AZ_GATE_PASS,
               cases[i].fails ? AZ_LEVEL_FAIL : AZ_LEVEL_INFO);
    }
}

static void hard_limit_of_no_value(void **state)
{
    struct env *e = *state;
    e->rule.max = 110;
    struct az_gate_result x = of(e, NAN);
    x.max = 110;
    judged(e, &x, AZ_GATE_ERROR, AZ_LEVEL_INCONCLUSIVE);
}

/* ---- nights ---- */

static struct az_gate_result jumped(struct env *e, enum az_baseline_kind kind)
{
    struct az_gate_result x = of(e, 110);
    x.course.kind = kind;
    x.course.side = 1;
    return x;
}

static void a_jump_fails(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = jumped(e, AZ_BASELINE_JUMP);
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
}
/* Idle time that a single step cannot have is no reason to fail. */
static void the_gap_of_a_single_step(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = of(e, 106);
    x.course.known = false;
    x.gap = 4;
    judged(e, &x, AZ_GATE_PASS, AZ_LEVEL_INFO);
    x = of(e, 106);
    x.course.known = false;
    x.gap = 2;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
}
static void an_outlier_is_run_again(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = jumped(e, AZ_BASELINE_OUTLIER);
    judged(e, &x, AZ_GATE_OUTLIER, AZ_LEVEL_INCONCLUSIVE);
    e->rule.severity = AZ_SV("warn");
    x = jumped(e, AZ_BASELINE_OUTLIER);
    judged(e, &x, AZ_GATE_OUTLIER, AZ_LEVEL_WARN);
}
static void severity_warns(void **state)
{
    struct env *e = *state;
    e->rule.severity = AZ_SV("warn");
    struct az_gate_result x = jumped(e, AZ_BASELINE_JUMP);
    judged(e, &x, AZ_GATE_WARN, AZ_LEVEL_WARN);
}

/* A level that held: the size against the limit and a quarter of it, by what change_point says. */
static void levels_that_held(void **state)
{
    static const struct {
        double level;
        const char *change_point;
        int side;
        enum az_gate_status status;
    } cases[] = { { 102, "fail", 1, AZ_GATE_FAIL },   { 102, "warn", 1, AZ_GATE_WARN },
                  { 102, "info", 1, AZ_GATE_PASS },   { 104, "info", 1, AZ_GATE_FAIL },
                  { 100.5, "fail", 1, AZ_GATE_PASS }, { 98, "fail", -1, AZ_GATE_PASS } };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_gate_result x = of(e, 101);
        x.course.kind = AZ_BASELINE_STEP;
        x.course.side = cases[i].side;
        x.course.level = cases[i].level;
        e->rule.change_point = az_sv_str(cases[i].change_point);
        assert_int_equal(az_gate_judge(&x, &e->a), 0);
        assert_int_equal(x.status, cases[i].status);
    }
}

/* What failed lasts, whether the night itself is beyond the limit or not. */
static void what_failed_lasts(void **state)
{
    struct env *e = *state;
    for (int beyond = 0; beyond < 2; beyond++) {
        struct az_gate_result x = of(e, beyond ? 103.5 : 101);
        judged(e, &x, beyond ? AZ_GATE_UNSTABLE : AZ_GATE_PASS,
               beyond ? AZ_LEVEL_WARN : AZ_LEVEL_INFO);
        x = of(e, beyond ? 103.5 : 101);
        x.course.lasts = true;
        judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
        assert_true(az_sv_find(x.text, AZ_SV("failed in the run before")) >= 0);
    }
}

static void a_drift_fails(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = of(e, 101);
    x.drift = true;
    x.course.drift = 0.12;
    x.course.drifts_at = AZ_SV("run 1");
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    assert_true(az_sv_find(x.text, AZ_SV("drift of +12% since run 1")) >= 0);
}

static void the_budget(void **state)
{
    static const struct {
        double budget, total;
        bool fails;
    } cases[] = { { AZ_GATE_UNSET, 0.029, false }, /* rel */
                  { AZ_GATE_UNSET, 0.031, true },
                  { 0.01, 0.011, true },
                  { 0.10, 0.09, false } };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_gate_result x = of(e, 101);
        e->rule.budget = cases[i].budget;
        x.course.total = cases[i].total;
        assert_int_equal(az_gate_judge(&x, &e->a), 0);
        assert_int_equal(x.status, cases[i].fails ? AZ_GATE_FAIL : AZ_GATE_PASS);
    }
}

/* ---- the limit that is printed ---- */

static void has_limit(const struct az_gate_result *x, const char *text, double percent)
{
    assert_true(az_sv_find(x->text, az_sv_str(text)) >= 0);
    assert_true(fabs(az_gate_limit_percent(x) - percent) < 1e-9);
}

/* The one that was exceeded, the same in text and tables. */
static void the_limit_that_decided(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = of(e, 102);
    x.course.kind = AZ_BASELINE_STEP;
    x.course.side = 1;
    x.course.level = 102;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "+2% (limit for steps 0.75%): step of +2% since", 0.75);
    x.course.level = 104;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(limit 3%)", 3);
    x = of(e, 101);
    x.course.lasts = true;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(below the limit 3%): failed in the run before", 3);
    x = of(e, 101);
    x.course.total = 0.2;
    e->rule.budget = 0.1;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(budget 10%): +20% since the last accepted level", 10);
    x = of(e, 101);
    x.drift = true;
    x.drift_rel = 0.08;
    x.course.drift = 0.12;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(limit for drift 8%): drift of +12%", 8);
}

/* Of two limits the one that counts: both must be exceeded, or either. */
static void the_limit_of_two(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = jumped(e, AZ_BASELINE_JUMP);
    x.limit_abs = 6;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(limit 6%, 6 ns)", 6);
    x.limit_abs = 2;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(limit 3%)", 3);
    e->rule.combine = AZ_SV("any");
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    has_limit(&x, "(limit 2%, 2 ns)", 2);
}

static void hard_limits_have_units(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = of(e, 35.57);
    x.unit = AZ_SV("us");
    x.max = 10;
    judged(e, &x, AZ_GATE_FAIL, AZ_LEVEL_FAIL);
    assert_true(az_sv_find(x.text, AZ_SV("above the limit 10 us")) >= 0);
}

/* The picture has no limit where another change than that of the night was beyond it. */
static void the_limit_of_another_change(void **state)
{
    struct env *e = *state;
    struct az_document d;
    for (int held = 0; held < 2; held++) {
        struct az_gate_result x = of(e, 101);
        x.course.lasts = held;
        judged(e, &x, held ? AZ_GATE_FAIL : AZ_GATE_PASS, held ? AZ_LEVEL_FAIL : AZ_LEVEL_INFO);
        e->v.results.n = 0;
        assert_int_equal(az_vec_push(&e->v.results, x), 0);
        az_document_init(&d, &e->a);
        assert_int_equal(az_gate_verdict_changes(&e->v, &d), 0);
        const struct az_table *t = az_document_table(&d, "gate_changes");
        assert_true(az_sv_is(t->columns.v[4].name, "Limit (%)"));
        assert_int_equal(isnan(az_cell_number(az_table_at(t, 0, 4))), held);
        az_document_release(&d);
    }
}

/* ---- a single pair of runs ---- */

/* Parts without steps of their own: more than noise_k standard errors. */
static void parts_by_standard_errors(void **state)
{
    struct env *e = *state;
    for (int far = 0; far < 2; far++) {
        struct az_gate_result x = of(e, 110);
        x.course = (struct az_gate_course){ .drift = NAN };
        x.steps_noise = far ? 0.03 : 0.04;
        judged(e, &x, far ? AZ_GATE_FAIL : AZ_GATE_UNSTABLE, far ? AZ_LEVEL_FAIL : AZ_LEVEL_WARN);
    }
}

/* ---- tests ---- */

/* Steps of one run are not independent: they need a larger effect. */
static void effects(void **state)
{
    static const struct {
        const char *samples;
        double effect, p;
        bool fails;
    } cases[] = { { "runs", 0.4, 0.001, true },
                  { "runs", 0.2, 0.001, false },
                  { "runs", 0.4, 0.02, false },
                  { "steps", 0.4, 0.001, false },
                  { "steps", 0.6, 0.001, true } };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_gate_result x = of(e, 110);
        e->rule.samples = az_sv_str(cases[i].samples);
        x.test = "mannwhitney";
        x.effect = cases[i].effect;
        x.p = cases[i].p;
        assert_int_equal(az_gate_judge(&x, &e->a), 0);
        assert_int_equal(x.status, cases[i].fails ? AZ_GATE_FAIL : AZ_GATE_UNSTABLE);
    }
}
/* The lower end of the ratio must be above the limit, not above 1. */
static void bootstrap_ends(void **state)
{
    struct env *e = *state;
    for (int far = 0; far < 2; far++) {
        struct az_gate_result x = of(e, 110);
        x.test = "bootstrap";
        x.effect = 0.9;
        x.low = far ? 1.04 : 1.02;
        x.high = 1.2;
        assert_int_equal(az_gate_judge(&x, &e->a), 0);
        assert_int_equal(x.status, far ? AZ_GATE_FAIL : AZ_GATE_UNSTABLE);
    }
}

/* ---- a night as a whole ---- */

/* n figures, `off` of which are off in this night; those that fail then. */
static size_t failed_of(struct env *e, size_t n, size_t off, size_t held)
{
    size_t fails = 0;
    e->v.results.n = 0;
    for (size_t i = 0; i < n; i++) {
        struct az_gate_result x = i < off ? jumped(e, AZ_BASELINE_JUMP) : of(e, 100);
        x.course.held = held;
        assert_int_equal(az_gate_judge(&x, &e->a), 0);
        assert_int_equal(az_vec_push(&e->v.results, x), 0);
    }
    az_gate_together(&e->v);
    for (size_t i = 0; i < n; i++)
        fails += e->v.results.v[i].status == AZ_GATE_FAIL;
    return fails;
}
static void most_are_off_together(void **state)
{
    struct env *e = *state;
    assert_int_equal(failed_of(e, 10, 6, 1), 0); /* rather the machine */
    assert_int_equal(failed_of(e, 10, 5, 1), 5); /* fewer than 60 % */
    assert_int_equal(failed_of(e, 5, 5, 1), 5);  /* of fewer than six nothing follows */
    assert_int_equal(failed_of(e, 10, 6, 2), 6); /* twice in succession is no night */
}

/* ---- causes ---- */

static void put(struct env *e, const char *sheet, const char *key, enum az_gate_status status)
{
    struct az_gate_result x = of(e, 110);
    x.sheet = az_sv_str(sheet);
    x.key_text = az_sv_str(key);
    x.status = status;
    x.level = status == AZ_GATE_FAIL ? AZ_LEVEL_FAIL : AZ_LEVEL_INFO;
    x.text = AZ_SV("text");
    assert_int_equal(az_vec_push(&e->v.results, x), 0);
}

/* Exposed copies are copies: one failure, where both parts fail in one run. */
static void copies_follow_exposed_copies(void **state)
{
    struct env *e = *state;
    put(e, AZ_KEY_PARTS, "copy", AZ_GATE_FAIL);
    put(e, AZ_KEY_PARTS, "exposed copies", AZ_GATE_FAIL);
    put(e, AZ_KEY_PARTS, "gemm", AZ_GATE_FAIL);
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_WARN);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("follows from exposed copies")) >= 0);
    assert_int_equal(e->v.results.v[1].level, AZ_LEVEL_FAIL);
    assert_int_equal(e->v.results.v[2].level, AZ_LEVEL_FAIL);
}

static void copies_alone_fail(void **state)
{
    struct env *e = *state;
    put(e, AZ_KEY_PARTS, "copy", AZ_GATE_FAIL);
    put(e, AZ_KEY_PARTS, "exposed copies", AZ_GATE_PASS);
    put(e, AZ_KEY_PARTS, "exposed copies", AZ_GATE_FAIL);
    e->v.results.v[2].input = AZ_SV("another run");
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_FAIL);
    assert_int_equal(e->v.results.v[2].level, AZ_LEVEL_FAIL);
}

/* Where a part fails the total follows, and what repeats it. */
static void the_total_follows(void **state)
{
    struct env *e = *state;
    put(e, AZ_KEY_FIGURES, AZ_KEY_TOTAL, AZ_GATE_FAIL);
    put(e, AZ_KEY_FIGURES, "busy", AZ_GATE_FAIL);
    put(e, AZ_KEY_PARTS, "gemm", AZ_GATE_FAIL);
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_WARN);
    assert_int_equal(e->v.results.v[1].level, AZ_LEVEL_WARN);
    assert_int_equal(e->v.results.v[2].level, AZ_LEVEL_FAIL);
    assert_true(az_sv_find(e->v.results.v[0].text, AZ_SV("follows from gemm")) >= 0);
}
/* A total that fails alone is no consequence. */
static void the_total_alone(void **state)
{
    struct env *e = *state;
    put(e, AZ_KEY_FIGURES, AZ_KEY_TOTAL, AZ_GATE_FAIL);
    put(e, AZ_KEY_PARTS, "gemm", AZ_GATE_PASS);
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    assert_int_equal(e->v.results.v[0].level, AZ_LEVEL_FAIL);
}
/* Where the total is better all the same a part that is worse only warns. */
static void a_better_total(void **state)
{
    struct env *e = *state;
    put(e, AZ_KEY_FIGURES, AZ_KEY_TOTAL, AZ_GATE_IMPROVED);
    put(e, AZ_KEY_PARTS, "gemm", AZ_GATE_FAIL);
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    assert_int_equal(e->v.results.v[1].level, AZ_LEVEL_WARN);
}

/* Everything slower by one ratio is one failure. */
static void one_slow_down(void **state)
{
    static const char *const parts[] = { "communication", "gemm", "softmax", "copy" };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        put(e, AZ_KEY_PARTS, parts[i], AZ_GATE_FAIL);
        struct az_gate_result *x = &e->v.results.v[i];
        x->rel = 0.1 + 0.005 * (double)(i % 2);
        x->delta = i == 1 ? 50 : 10;
    }
    struct az_series none;
    assert_int_equal(az_series_init(&none, &e->a), 0);
    struct az_gate_in in = { .cand = &none };
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        assert_true(az_sv_starts(e->v.results.v[i].cause, AZ_SV(AZ_GATE_HARDWARE)));
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        assert_int_equal(e->v.results.v[i].status, i == 1 ? AZ_GATE_FAIL : AZ_GATE_WARN);
    assert_true(az_sv_ends(e->v.results.v[0].text, AZ_SV("same cause as gemm")));
    az_series_release(&none);
}
/* Copies that did not change with the kernels do not matter; two families are too few without them.
 */
static void copies_apart(void **state)
{
    static const char *const parts[] = { "copy", "gemm", "softmax", "norm" };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        put(e, AZ_KEY_PARTS, parts[i], i ? AZ_GATE_FAIL : AZ_GATE_PASS);
        e->v.results.v[i].rel = i ? 0.1 : 0;
    }
    struct az_series none;
    assert_int_equal(az_series_init(&none, &e->a), 0);
    struct az_gate_in in = { .cand = &none };
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    for (size_t i = 1; i < AZ_LENGTH(parts); i++)
        assert_true(az_sv_starts(e->v.results.v[i].cause, AZ_SV(AZ_GATE_HARDWARE)));
    e->v.results.v[2].status = AZ_GATE_PASS;
    e->v.results.v[2].sheet = AZ_SV("t");
    e->v.results.v[1].text = AZ_SV("");
    e->v.results.v[1].cause = AZ_SV("");
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    assert_false(az_sv_starts(e->v.results.v[1].cause, AZ_SV(AZ_GATE_HARDWARE)));
    az_series_release(&none);
}
/* Communication that changed by another ratio has a cause of its own. */
static void communication_alone(void **state)
{
    static const char *const parts[] = { "communication", "gemm", "softmax", "elementwise" };
    struct env *e = *state;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        put(e, AZ_KEY_PARTS, parts[i], AZ_GATE_FAIL);
        e->v.results.v[i].rel = i ? 0.1 : 0.2;
    }
    struct az_series none;
    assert_int_equal(az_series_init(&none, &e->a), 0);
    struct az_gate_in in = { .cand = &none };
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    assert_true(az_sv_starts(e->v.results.v[0].cause, AZ_SV("network or straggler")));
    az_series_release(&none);
}

/* What explains half of the total or less is no reason that the total failed. */
static void a_total_in_part(void **state)
{
    struct env *e = *state;
    for (int more = 0; more < 2; more++) {
        e->v.results.n = 0;
        put(e, AZ_KEY_FIGURES, AZ_KEY_TOTAL, AZ_GATE_FAIL);
        put(e, AZ_KEY_PARTS, "gemm", AZ_GATE_FAIL);
        e->v.results.v[1].delta = 0.5 * e->v.results.v[0].delta + more;
        assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
        const struct az_gate_result *total = &e->v.results.v[0];
        assert_int_equal(total->level, AZ_LEVEL_WARN);
        assert_int_equal(az_sv_ends(total->text, AZ_SV(": follows from gemm")), more);
        assert_int_equal(az_sv_ends(total->text, AZ_SV(": follows in part from gemm")), !more);
    }
}

/* The first line of a night in which all parts and the total failed. */
static struct az_sv first_line_of(struct env *e, struct az_document *doc)
{
    static const char *const parts[] = { "gemm", "softmax", "norm" };
    struct az_series none;

    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        put(e, AZ_KEY_PARTS, parts[i], AZ_GATE_FAIL);
    put(e, AZ_KEY_FIGURES, AZ_KEY_TOTAL, AZ_GATE_FAIL);
    for (size_t i = 0; i < e->v.results.n; i++)
        e->v.results.v[i].course.commits = AZ_SV("a..b");
    e->v.outcome = AZ_GATES_FAIL;
    assert_int_equal(az_series_init(&none, &e->a), 0);
    struct az_gate_in in = { .cand = &none };
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    az_series_release(&none);
    az_document_init(doc, &e->a);
    assert_int_equal(az_gate_verdict_headline(&e->v, doc), 0);
    return az_headline_line(az_headline_of(doc), 0).text;
}
/* A slow-down of all kernels names neither one of them nor a commit as its cause, with a change of
 * the total and without. */
static void all_kernels_come_first(void **state)
{
    struct env *e = *state;
    struct az_document doc;
    const struct az_sv first = first_line_of(e, &doc),
                       all = AZ_SV(
                           "fail: all kernels slower by the same ratio: probably the machine or "
                           "clocks");
    assert_true(az_sv_starts(first, all));
    assert_true(az_sv_find(first, AZ_SV(", since run 9; total 100 ns -> 110 ns (+10.0%); ")) > 0);
    assert_true(az_sv_find(first, AZ_SV("a..b")) < 0);
    assert_true(az_sv_find(first, AZ_SV("gemm")) < 0);
    assert_true(az_sv_ends(e->v.results.v[3].text, AZ_SV(": same cause as gemm")));
    az_document_release(&doc);
    e->v.results.v[3].follows = AZ_SV("idle");
    az_document_init(&doc, &e->a);
    assert_int_equal(az_gate_verdict_headline(&e->v, &doc), 0);
    const struct az_sv other = az_headline_line(az_headline_of(&doc), 0).text;
    assert_true(az_sv_starts(other, all));
    assert_true(az_sv_find(other, AZ_SV("; gemm: ")) > 0);
    assert_true(az_sv_find(other, AZ_SV("a..b")) < 0);
    az_document_release(&doc);
}

/* A kernel of a part: its time and the time of each call. */
static void put_kernel(struct env *e, struct az_series *s, const char *part, double calls)
{
    const char *const names[] = { AZ_KEY_WORK_TIME, AZ_KEY_WORK_CALL };
    size_t at;

    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        const struct az_sv key = az_arena_printf(&e->a, "k | %s", part);
        const struct az_metric m = { .input = AZ_SV("in"),
                                     .sheet = AZ_SV(AZ_KEY_WORK),
                                     .key = key,
                                     .key_text = key,
                                     .name = az_sv_str(names[i]),
                                     .share = NAN };
        assert_int_equal(az_series_metric(s, &m, &at), 0);
        assert_int_equal(az_series_value(s, at, i ? 10 : 10 * calls, 0), 0);
    }
}
/* More calls of all kernels, of communication, too, are one failure, and not the machine's. */
static void all_kernels_more_often(void **state)
{
    static const char *const parts[] = { "communication", "gemm", "softmax", "norm" };
    struct env *e = *state;
    struct az_series base, cand;
    assert_int_equal(az_series_init(&base, &e->a), 0);
    assert_int_equal(az_series_init(&cand, &e->a), 0);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        put(e, AZ_KEY_PARTS, parts[i], AZ_GATE_FAIL);
        e->v.results.v[i].delta += i == 1;
        put_kernel(e, &base, parts[i], 100);
        put_kernel(e, &cand, parts[i], 110);
    }
    struct az_gate_in in = { .base = &base, .cand = &cand };
    assert_int_equal(az_gate_classes(&in, &e->v, &e->a), 0);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        assert_true(az_sv_starts(e->v.results.v[i].cause, AZ_SV(AZ_GATE_MORE_CALLS)));
    assert_int_equal(az_gate_causes(&e->v, &e->a), 0);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++)
        assert_int_equal(e->v.results.v[i].status, i == 1 ? AZ_GATE_FAIL : AZ_GATE_WARN);
    az_series_release(&base);
    az_series_release(&cand);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(hard_limits),
        T(hard_limit_of_no_value),
        T(a_jump_fails),
        T(the_gap_of_a_single_step),
        T(an_outlier_is_run_again),
        T(severity_warns),
        T(levels_that_held),
        T(what_failed_lasts),
        T(a_drift_fails),
        T(the_budget),
        T(parts_by_standard_errors),
        T(effects),
        T(bootstrap_ends),
        T(most_are_off_together),
        T(the_total_follows),
        T(copies_follow_exposed_copies),
        T(copies_alone_fail),
        T(the_total_alone),
        T(a_better_total),
        T(the_limit_that_decided),
        T(the_limit_of_two),
        T(hard_limits_have_units),
        T(the_limit_of_another_change),
        T(one_slow_down),
        T(copies_apart),
        T(communication_alone),
        T(a_total_in_part),
        T(all_kernels_come_first),
        T(all_kernels_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
