/* One metric under one rule: metrics, test, judgment, and the line that explains it. */
#include "regression/gate.h"

#include <math.h>

#include "base/num.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"
#include "text/text_writer.h"

#define AUTO_RUNS      4 /* a side, for a test nobody requested by name */
#define ROUNDS         2000
#define STEPS_EFFECT   0.5  /* steps of one run are not independent */
#define STEP_PART      0.25 /* of a limit, for a lasting level to be worth a line */
#define BOOTSTRAP_RUNS 3
#define FEW_STEPS      1.5 /* times the usual scatter: a night has few steps */

/* ---- measure ---- */

static bool is_word(struct az_sv s, const char *w) { return az_sv_is(s, w); }

/* +1: larger is worse, -1: smaller is worse, 0: any change is. */
static int direction(const struct az_gate_rule *r, const struct az_metric *m)
{
    if (is_word(r->better, "equal"))
        return 0;
    if (is_word(r->better, "auto"))
        return m->better & AZ_HIGHER_BETTER ? -1 : 1;
    return is_word(r->better, "higher") ? -1 : 1;
}

static bool any_nan(const struct az_metric *m)
{
    for (size_t i = 0; i < m->values.n; i++)
        if (isnan(m->values.v[i]))
            return true;
    return m->values.n == 0;
}

static struct az_gate_side side_of(const struct az_metric *m)
{
    struct az_gate_side s = { .center = NAN, .mad = NAN };
    if (!m)
        return s;
    s.n = m->values.n;
    s.values = m->values.v;
    if (!any_nan(m)) {
        s.center = az_gate_center(s.values, s.n);
        s.mad = az_gate_mad(s.values, s.n);
    }
    return s;
}

static int rank_test(const struct az_gate_result *x, int dir, struct az_gate_result *out)
{
    enum az_tail worse = dir > 0 ? AZ_TAIL_GREATER : dir < 0 ? AZ_TAIL_LESS : AZ_TAIL_TWO;
    enum az_tail better = dir > 0 ? AZ_TAIL_LESS : dir < 0 ? AZ_TAIL_GREATER : AZ_TAIL_TWO;
    struct az_mwu t;
    int rc = az_mann_whitney(x->base.values, x->base.n, x->cand.values, x->cand.n, better, &t);
    if (rc)
        return rc;
    out->p_better = t.p;
    rc = az_mann_whitney(x->base.values, x->base.n, x->cand.values, x->cand.n, worse, &t);
    if (rc)
        return rc;
    out->test = "mannwhitney";
    out->p = t.p;
    out->u = t.u;
    out->effect = t.effect;
    return 0;
}

static int bootstrap(const struct az_gate_rule *r, const struct az_metric *m,
                     struct az_gate_result *x)
{
    uint64_t seed =
        az_gate_seed(m->key) ^ (az_gate_seed(m->name) * 3) ^ (az_gate_seed(m->sheet) * 5);
    struct az_mwu t;
    int rc = az_bootstrap_ratio(x->base.values, x->base.n, x->cand.values, x->cand.n, r->alpha,
                                ROUNDS, seed, &x->low, &x->high);
    if (rc == AZ_ERANGE) { /* there is no ratio to zero */
        x->note = AZ_SV("no bootstrap: the baseline is 0");
        x->low = x->high = NAN;
        return 0;
    }
    if (!rc)
        rc = az_mann_whitney(x->base.values, x->base.n, x->cand.values, x->cand.n, AZ_TAIL_TWO, &t);
    if (!rc) {
        x->test = "bootstrap";
        x->effect = t.effect;
    }
    return rc;
}

/* The test that the rule requests and the numbers of runs allow. x->status is SKIP if it requested
 * more. */
static int run_test(const struct az_gate_rule *r, const struct az_metric *cand, int dir,
                    struct az_gate_result *x)
{
    size_t least = x->base.n < x->cand.n ? x->base.n : x->cand.n;
    if (is_word(r->test, "auto") && least >= AUTO_RUNS)
        return rank_test(x, dir, x);
    if (is_word(r->test, "bootstrap")) {
        if (least >= BOOTSTRAP_RUNS)
            return bootstrap(r, cand, x);
        x->status = AZ_GATE_SKIP;
    }
    if (is_word(r->test, "mannwhitney")) {
        if (az_mann_whitney_floor(x->base.n, x->cand.n) <= r->alpha)
            return rank_test(x, dir, x);
        x->status = AZ_GATE_SKIP;
    }
    return 0;
}

static double or_nan(double limit) { return limit < AZ_GATE_UNSET ? limit : NAN; }

/* A rule of hard limits alone needs no baseline. */
static bool limits_only(const struct az_gate_rule *r)
{
    return (r->max < AZ_GATE_UNSET || r->min < AZ_GATE_UNSET) && !r->abs_given && !r->rel_given;
}

int az_gate_measure(const struct az_gate_rule *r, const struct az_metric *base,
                    const struct az_metric *cand, struct az_gate_result *x)
{
    const struct az_metric *m = cand ? cand : base;
    int dir = direction(r, m);
    double b, c;

    *x = (struct az_gate_result){ .rule = r,
                                  .rule_name = r->name,
                                  .input = m->input,
                                  .sheet = m->sheet,
                                  .key = m->key,
                                  .key_text = m->key_text,
                                  .metric = m->name,
                                  .unit = m->unit,
                                  .per_step = m->per_step,
                                  .median = m->median,
                                  .base = side_of(base),
                                  .cand = side_of(cand),
                                  .delta = NAN,
                                  .rel = NAN,
                                  .limit_abs = limits_only(r) ? NAN : r->abs,
                                  .limit_rel = limits_only(r) ? NAN : r->rel,
                                  .max = or_nan(r->max),
                                  .min = or_nan(r->min),
                                  .test = "none",
                                  .u = NAN,
                                  .p = NAN,
                                  .p_better = NAN,
                                  .effect = NAN,
                                  .low = NAN,
                                  .high = NAN };
    b = x->base.center;
    c = x->cand.center;
    if (!base || !cand || isnan(b) || isnan(c))
        return 0;
    x->delta = dir ? (c - b) * dir : fabs(c - b);
    x->rel = fabs(b) > 0 ? x->delta / fabs(b) : (fabs(x->delta) > 0 ? NAN : 0);
    double share = base->share; /* NaN: unknown, then never too small */
    if (share < r->min_share) {
        x->status = AZ_GATE_SKIP;
        x->note = AZ_SV("share too small");
        return 0;
    }
    return limits_only(r) ? 0 : run_test(r, cand, dir, x);
}

/* ---- a single pair of runs ---- */

static int part_of_key(struct az_sv key)
{
    static const char *const parts[AZ_STEP_PARTS] = { [AZ_STEP_TOTAL] = AZ_KEY_TOTAL,
                                                      [AZ_STEP_BUSY] = "busy",
                                                      [AZ_STEP_COMMUNICATION] =
                                                          "exposed communication",
                                                      [AZ_STEP_COPIES] = "exposed copies",
                                                      [AZ_STEP_IDLE] = "idle" };
    for (int i = 0; i < AZ_STEP_PARTS; i++)
        if (az_sv_is(key, parts[i]))
            return i;
    return -1;
}

/* Scatter of a metric by steps: its own, or that of the busy time, of which a family is a part. */
static double noise_of(const struct az_step_samples *s, int part)
{
    const double x = az_step_samples_scatter(s, part < 0 ? AZ_STEP_BUSY : (size_t)part, 2);
    return isnan(x) ? 0 : x;
}

int az_gate_by_steps(const struct az_series_claims *base, const struct az_series_claims *cand,
                     struct az_gate_result *x, struct az_arena *a)
{
    const int part = part_of_key(x->key_text);
    struct az_steps_test *t = az_arena_array(a, 1, sizeof *t);
    int rc = t ? AZ_OK : az_arena_error(a);

    if (rc || !base || !cand || !x->per_step || !az_sv_starts(x->sheet, AZ_SV("key_")) ||
        x->course.known || x->base.n != 1 || x->cand.n != 1 || isnan(x->delta) ||
        !is_word(x->rule->test, "auto"))
        return rc;
    if (part == AZ_STEP_TOTAL || part == AZ_STEP_IDLE)
        x->gap = (double)az_change_gap(&cand->side, &base->side);
    const double b = noise_of(&base->steps, part), c = noise_of(&cand->steps, part);
    x->steps_noise = sqrt(b * b + c * c);
    if (part < 0 || !az_steps_differ(&base->steps, &cand->steps, (size_t)part, t, &rc))
        return rc;
    x->steps = t;
    x->test = "steps";
    x->effect = t->effect;
    x->p = t->p_larger;
    x->p_better = t->p_smaller;
    return rc;
}

/* ---- decision ---- */

/* Strictly beyond a limit. Decimal values at the limit (1.1 and 1.155 at 5 %) are off by roundings
 * of the last place; those do not count as beyond. */
static bool beyond(double delta, double limit, const struct az_gate_result *x)
{
    double slack = 4 * DBL_EPSILON * fmax(fabs(x->base.center), fabs(x->cand.center));
    return delta - limit > slack;
}

/* Threshold of the rule, or a part of it, exceeded by this worsening (or improvement, with its sign
 * turned). */
static bool over_part(const struct az_gate_result *x, double delta, double part)
{
    const struct az_gate_rule *r = x->rule;
    bool abs = beyond(delta, part * (isnan(x->limit_abs) ? r->abs : x->limit_abs), x);
    bool rel = beyond(delta, part * r->rel * fabs(x->base.center), x) && beyond(delta, 0, x);
    if (is_word(r->combine, "any"))
        return (r->abs_given && abs) || rel;
    return abs && rel;
}

static bool is_over(const struct az_gate_result *x, double delta) { return over_part(x, delta, 1); }

static bool has_test(const struct az_gate_result *x) { return x->test[0] != 'n'; }

static bool significant(const struct az_gate_result *x, bool worse)
{
    const struct az_gate_rule *r = x->rule;
    double least = is_word(r->samples, "steps") ? fmax(r->effect, STEPS_EFFECT) : r->effect;
    bool up = isnan(x->cand.center) ? false : x->cand.center > x->base.center;

    if (!has_test(x))
        return true;
    if (x->steps) /* too few steps for a small p: all of one run beyond all of the other */
        return x->steps->floor <= r->alpha ? (worse ? x->p : x->p_better) <= r->alpha
                                           : fabs(x->effect) >= 1;
    if (fabs(x->effect) < least)
        return false;
    if (x->test[0] == 'm')
        return (worse ? x->p : x->p_better) <= r->alpha;
    return up ? x->low > 1 + r->rel : x->high < 1 - r->rel;
}

/* Without a test: is the change larger than what earlier nights scatter by? True where none are
 * known. */
static bool above_noise(struct az_gate_result *x, bool worse, struct az_arena *a)
{
    const struct az_gate_course *c = &x->course;

    if (has_test(x) || !(x->rule->noise_k > 0))
        return true;
    if (!c->known && fabs(x->rel) < x->rule->noise_k * x->steps_noise) {
        x->note = az_arena_printf(a, "within noise: %.2g%% between steps", 100 * x->steps_noise);
        return false;
    }
    if (!c->known)
        return true;
    if (c->kind != AZ_BASELINE_SAME && (worse ? c->side > 0 : c->side < 0))
        return true;
    const char *plural = c->runs == 1 ? "" : "s";
    const bool few = c->newest > FEW_STEPS * c->noise;
    x->note = isnan(c->noise) /* no part of a level of 0 */
                  ? az_arena_printf(a, "within noise: %zu earlier run%s", c->runs, plural)
                  : az_arena_printf(a, "within noise: %zu earlier run%s, %.2g%% per run%s%s",
                                    c->runs, plural, 100 * (few ? c->newest : c->noise),
                                    few ? " with so few steps" : "",
                                    c->within ? " (within the runs)" : "");
    return false;
}

static bool hits_limit(struct az_gate_result *x, struct az_arena *a)
{
    double c = x->cand.center;
    const bool above = c > x->max;
    if (!above && !(c < x->min))
        return false;
    x->note = az_arena_printf(a, "%s the limit %.*s", above ? "above" : "below",
                              AZ_SVF(az_gate_value_text(a, x, above ? x->max : x->min)));
    return true;
}

static enum az_gate_level level_of(struct az_sv w)
{
    return is_word(w, "fail") ? AZ_LEVEL_FAIL : is_word(w, "warn") ? AZ_LEVEL_WARN : AZ_LEVEL_INFO;
}

static void set_status(struct az_gate_result *x, enum az_gate_status s, enum az_gate_level l)
{
    x->status = s;
    x->level = l;
}

static void set_failed(struct az_gate_result *x)
{
    bool warn = is_word(x->rule->severity, "warn");
    set_status(x, warn ? AZ_GATE_WARN : AZ_GATE_FAIL, warn ? AZ_LEVEL_WARN : AZ_LEVEL_FAIL);
}

struct az_sv az_gate_since(const struct az_gate_course *c, struct az_arena *a)
{
    const struct az_sv runs = c->held > 1 ? az_arena_printf(a, ", %zu runs", c->held) : AZ_SV("");

    return az_arena_printf(a, "since %.*s%s%.*s%s%.*s", AZ_SVF(c->since),
                           c->commits.n ? " (commits " : "", AZ_SVF(c->commits),
                           c->commits.n ? ")" : "", AZ_SVF(runs));
}

/* What was lost in all since the accepted level, in whatever steps, has a limit of its own. */
static bool judge_total(struct az_gate_result *x, struct az_arena *a)
{
    const struct az_gate_rule *r = x->rule;
    const double budget = r->budget < AZ_GATE_UNSET ? r->budget : r->rel,
                 ns = x->course.total * fabs(x->base.center);

    if (has_test(x) || !x->course.known || !(x->course.total > budget) ||
        !beyond(ns, x->limit_abs, x))
        return false;
    set_failed(x);
    x->used = (struct az_gate_limit){ AZ_LIMIT_OF_BUDGET, budget, x->limit_abs };
    x->note = az_arena_printf(a, "%+.2g%% since the last accepted level", 100 * x->course.total);
    return true;
}

/* A level that changed and lasted: beyond the limit it fails, below it as the rule defines. */
static bool judge_step(struct az_gate_result *x, struct az_arena *a)
{
    const struct az_gate_course *c = &x->course;
    const double size = fabs(c->level - c->before);
    const enum az_gate_level level = level_of(x->rule->change_point);

    if (!c->known || c->kind != AZ_BASELINE_STEP || c->side <= 0 || !over_part(x, size, STEP_PART))
        return false;
    const bool over = is_over(x, size);
    if (over || level == AZ_LEVEL_FAIL)
        set_failed(x);
    else if (judge_total(x, a))
        return true;
    else
        set_status(x, level == AZ_LEVEL_WARN ? AZ_GATE_WARN : AZ_GATE_PASS, level);
    if (!over)
        x->used = (struct az_gate_limit){ AZ_LIMIT_OF_STEPS, STEP_PART * x->limit_rel,
                                          STEP_PART * x->limit_abs };
    const double part = c->gradual ? c->rise : (c->level - c->before) / fabs(c->before);
    x->note = az_arena_printf(a, "%s of %+.2g%% %.*s", c->gradual ? "drift" : "step", 100 * part,
                              AZ_SVF(az_gate_since(c, a)));
    return true;
}

/* A metric that failed fails until it is back. */
static bool judge_held(struct az_gate_result *x)
{
    if (has_test(x) || !x->course.known || !x->course.lasts)
        return false;
    set_failed(x);
    if (!is_over(x, x->delta))
        x->used.of = AZ_LIMIT_NOT_REACHED;
    x->note = AZ_SV("failed in the run before, and is not back at the accepted level");
    return true;
}

/* One night is off. Where that happens now and then, and the night after is as before, only another
 * run can decide. */
static void judge_jump(struct az_gate_result *x, struct az_arena *a)
{
    const struct az_gate_course *c = &x->course;

    if (!has_test(x) && c->known && c->kind == AZ_BASELINE_OUTLIER) {
        const bool warn = is_word(x->rule->severity, "warn");
        set_status(x, AZ_GATE_OUTLIER, warn ? AZ_LEVEL_WARN : AZ_LEVEL_INCONCLUSIVE);
        x->note =
            AZ_SV("only this run so far, and the history has isolated outliers: run it again");
        return;
    }
    set_failed(x);
    if (!has_test(x) && c->known)
        x->note = az_gate_since(c, a);
}

/* Both sides are there. */
static void judge_change(struct az_gate_result *x, struct az_arena *a)
{
    if (x->drift) {
        set_failed(x);
        x->used = (struct az_gate_limit){ AZ_LIMIT_OF_DRIFT, x->drift_rel, NAN };
        x->note = az_arena_printf(a, "drift of %+.2g%% since %.*s", 100 * x->course.drift,
                                  AZ_SVF(x->course.drifts_at));
        return;
    }
    if (judge_step(x, a) || judge_total(x, a))
        return;
    if (is_over(x, x->delta) && !is_over(x, x->delta - x->gap)) {
        set_status(x, AZ_GATE_PASS, AZ_LEVEL_INFO);
        x->note = AZ_SV("a single step has no idle time after its last event");
        return;
    }
    if (is_over(x, x->delta)) {
        if (!significant(x, true)) {
            double floor = az_mann_whitney_floor(x->base.n, x->cand.n);
            x->note = x->steps ? AZ_SV("not significant by the steps of the two runs")
                               : AZ_SV("not significant");
            set_status(x, AZ_GATE_UNSTABLE, AZ_LEVEL_WARN);
            if (x->test[0] == 'm' && floor > x->rule->alpha)
                x->note = az_arena_printf(a,
                                          "not significant: %zu and %zu runs cannot give p below "
                                          "%.3g",
                                          x->base.n, x->cand.n, floor);
        } else if (!above_noise(x, true, a)) {
            if (!judge_held(x))
                set_status(x, AZ_GATE_UNSTABLE, AZ_LEVEL_WARN);
        } else {
            judge_jump(x, a);
        }
        return;
    }
    if (judge_held(x))
        return;
    if (!is_word(x->rule->better, "equal") && is_over(x, x->gap - x->delta) &&
        significant(x, false) && above_noise(x, false, a))
        set_status(x, AZ_GATE_IMPROVED, AZ_LEVEL_INFO);
    else
        set_status(x, AZ_GATE_PASS, AZ_LEVEL_INFO);
}

static void judge_missing(struct az_gate_result *x, struct az_arena *a)
{
    bool no_base = isnan(x->base.center), no_cand = isnan(x->cand.center);
    if (no_base && no_cand) {
        set_status(x, AZ_GATE_PASS, AZ_LEVEL_INFO);
        x->note = AZ_SV("no value on either side");
        return;
    }
    set_status(x, AZ_GATE_ERROR, AZ_LEVEL_INCONCLUSIVE);
    x->note = az_arena_printf(a, "the %s has no value", no_base ? "baseline" : "candidate");
}

/* A part of the time is a metric from some share on: one that is there on one side only, and below
 * the limit, may be just under that share on the other. */
static bool is_small_part(const struct az_gate_result *x)
{
    const double x_center = x->base.n ? x->base.center : x->cand.center;

    return x->rule->of_total > 0 && !isnan(x->limit_abs) && x_center <= x->limit_abs;
}

static void judge_status(struct az_gate_result *x, struct az_arena *a)
{
    const struct az_gate_rule *r = x->rule;
    bool skipped = x->status == AZ_GATE_SKIP;

    if (x->cand.n && hits_limit(x, a)) {
        set_failed(x);
    } else if (limits_only(r)) {
        if (x->cand.n && isnan(x->cand.center))
            judge_missing(x, a);
        else
            set_status(x, AZ_GATE_PASS, AZ_LEVEL_INFO);
    } else if ((!x->base.n || !x->cand.n) && is_small_part(x)) {
        set_status(x, AZ_GATE_SKIP, AZ_LEVEL_INFO);
        const char *side = x->cand.n ? "baseline" : "candidate";
        x->note = x->course.known
                      ? az_arena_printf(a, "too small a part of the %s to be compared", side)
                      : az_arena_printf(a, "below %g%% of the busy time of the %s, not compared",
                                        100 * AZ_KEY_LEAST_SHARE, side);
    } else if (!x->base.n) {
        set_status(x, AZ_GATE_NEW, level_of(r->on_new));
        x->note = AZ_SV("not in the baseline");
    } else if (!x->cand.n) {
        set_status(x, AZ_GATE_REMOVED, level_of(r->on_removed));
        x->note = AZ_SV("gone");
    } else if (skipped) {
        bool few = x->note.n == 0;
        if (few)
            x->note =
                az_arena_printf(a, "too few runs for a test: %zu and %zu", x->base.n, x->cand.n);
        set_status(x, AZ_GATE_SKIP, few ? AZ_LEVEL_WARN : AZ_LEVEL_INFO);
    } else if (isnan(x->base.center) || isnan(x->cand.center)) {
        judge_missing(x, a);
    } else {
        judge_change(x, a);
    }
}

int az_gate_judge(struct az_gate_result *x, struct az_arena *a)
{
    const double s = az_gate_seconds(x->unit);
    x->used = (struct az_gate_limit){ AZ_LIMIT_OF_CHANGE, x->limit_rel, x->limit_abs };
    judge_status(x, a);
    x->timed = s > 0;
    if (!isnan(x->delta))
        x->lost = s > 0 ? x->delta * s : isnan(x->rel) ? x->delta : x->rel;
    return az_gate_explain(x, a);
}
