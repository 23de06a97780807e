/* Evidence of earlier nights about a metric: from a history to the judgment of nights. */
#include <math.h>

#include "regression/gate.h"
#include "regression/trend_nights.h"
#include "stats/rank_test.h"

#define LEAST_TOGETHER 6 /* metrics of an input, for "all of them" to mean anything */
#define POOL_MOST      512
#define MOST_TOGETHER  0.6 /* of them */
#define DEFAULT_K      3.0 /* noise_k that stands for the default limits */
#define DEFAULT_JUMP   4.2

AZ_VEC(struct az_baseline_estimates, az_baseline_estimates_vec);

static bool is_met(const struct az_gate_in *in, const struct az_metric *m)
{
    for (size_t i = 0; i < in->n_rules; i++)
        if (az_gate_applies(&in->rules[i], m))
            return true;
    return false;
}

/* Metrics of the past without holes; their number. */
static size_t values_of(const struct az_metric *m, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < m->values.n; i++)
        if (!isnan(m->values.v[i]))
            out[n++] = m->values.v[i];
    return n;
}

/* Every how manieth metric is checked: more do not change the result for all. */
static size_t every(const struct az_gate_in *in)
{
    return in->past ? (in->past->s.metrics.n + POOL_MOST - 1) / POOL_MOST : 1;
}

/* ---- errors by steps ---- */

static double steps_now(const struct az_gate_in *in, struct az_sv input)
{
    double steps = 0;

    for (size_t i = 0; in->cand && i < in->cand->claims.n; i++)
        if (az_sv_eq(in->cand->claims.v[i].input, input))
            steps += (double)in->cand->claims.v[i].side.steps;
    return steps > 0 ? steps : NAN;
}

/* What a single step of a metric scatters by, as part of its value: of all runs that have it, as
 * one alone is inexact. NaN: none does. now: that of the current run, 0: nothing. */
static double step_spread(const struct az_metric *m, double now)
{
    const size_t runs = m->spread_runs + (now > 0);

    return runs ? exp((m->spread + (now > 0 ? log(now) : 0)) / (double)runs) : NAN;
}

/* Standard errors of the past values of a metric by the steps of their nights, without holes. */
static void past_errors(const struct az_metric_past *p, const struct az_metric *m, double spread,
                        double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < m->values.n; i++)
        if (!isnan(m->values.v[i]))
            out[n++] = spread / sqrt(az_metric_past_steps_of(p, m->input, m->reps.v[i]));
}

/* ---- all metrics ---- */

static int read_baseline(const struct az_gate_in *in, const struct az_metric *m,
                         struct az_vec_f64 *v, struct az_baseline_estimates *out)
{
    const double spread = step_spread(m, 0);
    size_t n;
    int rc = AZ_OK;

    az_vec_reset(v);
    for (size_t k = 0; !rc && k < 2 * m->values.n; k++)
        rc = az_vec_push(v, NAN);
    if (rc)
        return rc;
    n = values_of(m, v->v);
    if (spread > 0)
        past_errors(in->past, m, spread, v->v + n);
    return az_baseline_estimate(v->v, spread > 0 ? v->v + n : NULL, n, out);
}

int az_gate_pool(const struct az_gate_in *in, struct az_baseline_others *out)
{
    const size_t stride = every(in) ? every(in) : 1;
    struct az_baseline_estimates_vec seen;
    struct az_vec_f64 v;
    int rc = AZ_OK;

    az_vec_init(&seen, NULL);
    az_vec_init(&v, NULL);
    for (size_t i = 0; !rc && in->past && i < in->past->s.metrics.n; i += stride) {
        const struct az_metric *m = &in->past->s.metrics.v[i];
        struct az_baseline_estimates one;
        if (!is_met(in, m) || m->values.n < 3)
            continue;
        rc = read_baseline(in, m, &v, &one);
        if (!rc)
            rc = az_vec_push(&seen, one);
    }
    if (!rc)
        rc = az_baseline_pool(seen.v, seen.n, out);
    az_vec_release(&seen);
    az_vec_release(&v);
    return rc;
}

/* ---- one metric ---- */

struct nights {
    double *v, *error;
    int64_t *time;
    bool *accepted, *failed;
    size_t *run; /* index of the run in the past */
    size_t n;    /* the newest one is the candidate */
};

static struct az_sv figure_text(struct az_arena *a, const struct az_metric *m)
{
    return az_arena_printf(a, "%.*s / %.*s / %.*s / %.*s", AZ_SVF(m->input), AZ_SVF(m->sheet),
                           AZ_SVF(m->key_text), AZ_SVF(m->name));
}

static bool names(struct az_sv figure, const struct az_metric *m, struct az_arena *a)
{
    return az_metric_matches(figure, figure_text(a, m), m->key_text, a);
}

/* A change is accepted up to a run: the newest night of the metric that is not after it. */
static void mark_accepted(const struct az_metric_past *p, const struct az_metric *m,
                          struct nights *t, struct az_arena *a)
{
    for (size_t k = 0; k < p->accepted.n; k++) {
        const struct az_metric_past_accepted *x = &p->accepted.v[k];
        if (x->time > p->now || !names(x->figure, m, a))
            continue;
        for (size_t i = t->n - 1; i-- > 0;) {
            const struct az_metric_past_run *r = &p->runs.v[t->run[i]];
            if (r->time > x->time || (r->time == x->time && r->id > x->run))
                continue;
            t->accepted[i] = true;
            break;
        }
    }
}

static bool failed_in(const struct az_metric *m, uint32_t rep)
{
    for (size_t i = 0; i < m->failed.n; i++)
        if (m->failed.v[i] == rep)
            return true;
    return false;
}

static bool take_nights(const struct az_metric_past *p, const struct az_metric *m,
                        const struct az_metric *cand, struct az_arena *a, struct nights *t)
{
    const size_t most = m->values.n + 1;

    *t = (struct nights){ .v = az_arena_array(a, most, sizeof *t->v),
                          .error = az_arena_array(a, most, sizeof *t->error),
                          .time = az_arena_array(a, most, sizeof *t->time),
                          .accepted = az_arena_array(a, most, sizeof *t->accepted),
                          .failed = az_arena_array(a, most, sizeof *t->failed),
                          .run = az_arena_array(a, most, sizeof *t->run) };
    if (a->failed)
        return false;
    for (size_t i = 0; i < m->values.n; i++) {
        if (isnan(m->values.v[i]))
            continue;
        t->v[t->n] = m->values.v[i];
        t->run[t->n] = m->reps.v[i];
        t->time[t->n] = p->runs.v[m->reps.v[i]].time;
        t->failed[t->n] = failed_in(m, m->reps.v[i]);
        t->accepted[t->n++] = false;
    }
    t->v[t->n] = az_gate_center(cand->values.v, cand->values.n);
    t->run[t->n] = SIZE_MAX;
    t->time[t->n] = p->now;
    t->accepted[t->n++] = false;
    mark_accepted(p, m, t, a);
    /* what was accepted did not fail */
    for (size_t i = t->n; i-- > 0;)
        for (size_t k = 0; t->accepted[i] && k <= i; k++)
            t->failed[k] = false;
    return !a->failed;
}

static struct az_sv day_of(const struct az_metric_past_run *r)
{
    return az_sv_make(r->created.p, r->created.n > 10 ? 10 : r->created.n);
}

static struct az_sv run_text(const struct az_metric_past *p, const struct nights *t, size_t at,
                             struct az_arena *a)
{
    if (at >= t->n || t->run[at] == SIZE_MAX)
        return AZ_SV("this run");
    const struct az_metric_past_run *r = &p->runs.v[t->run[at]];
    return az_arena_printf(a, "run %lld of %.*s", (long long)r->id, AZ_SVF(day_of(r)));
}

/* A hash is truncated to its usual short form. */
static struct az_sv short_commit(struct az_sv c)
{
    bool hash = c.n > 12;
    for (size_t i = 0; hash && i < c.n; i++)
        hash = (c.p[i] >= '0' && c.p[i] <= '9') || (c.p[i] >= 'a' && c.p[i] <= 'f');
    return hash ? az_sv_make(c.p, 10) : c;
}

static struct az_sv commits_of(const struct az_metric_past *p, const struct nights *t, size_t at,
                               struct az_arena *a)
{
    struct az_sv to = p->commit, from = AZ_SV("");

    if (at < t->n && t->run[at] != SIZE_MAX)
        to = p->runs.v[t->run[at]].commit;
    if (at > 0 && t->run[at - 1] != SIZE_MAX)
        from = p->runs.v[t->run[at - 1]].commit;
    if (!to.n || !from.n || az_sv_eq(from, to))
        return to.n && from.n ? short_commit(to) : AZ_SV("");
    return az_arena_printf(a, "%.*s..%.*s", AZ_SVF(short_commit(from)), AZ_SVF(short_commit(to)));
}

static int worse_of(const struct az_gate_rule *r, const struct az_metric *m)
{
    if (az_sv_is(r->better, "equal"))
        return 0;
    if (az_sv_is(r->better, "auto"))
        return m->better & AZ_HIGHER_BETTER ? -1 : 1;
    return az_sv_is(r->better, "higher") ? -1 : 1;
}

/* The search for levels leaves runs of a young level, or of the beginning of a slope, in the
 * accepted one, whose center hardly moves. A sentence that names the first of these runs does not
 * name a later one as accepted. */
static void leave_out_changed(struct az_baseline *o)
{
    const size_t end = o->gradual ? o->changed : o->at;
    size_t n = 0;

    while (n < o->n_base && o->base[n] < end)
        n++;
    if (o->kind != AZ_BASELINE_SAME && n > 0)
        o->n_base = n;
}

/* The runs of the accepted level. */
static int describe_level(const struct nights *t, const struct az_baseline *o, struct az_arena *a,
                          struct az_gate_course *c)
{
    size_t *run = az_arena_array(a, o->n_base, sizeof *run);

    for (size_t i = 0; run && i < o->n_base; i++)
        run[i] = t->run[o->base[i]];
    c->level_run = run;
    return a->failed ? az_arena_error(a) : AZ_OK;
}

static double relative_to(double x, double of) { return fabs(of) > 0 ? x / fabs(of) : NAN; }

static int describe(const struct az_metric_past *p, const struct nights *t,
                    const struct az_baseline *o, int worse, struct az_arena *a,
                    struct az_gate_course *c)
{
    const size_t at = o->at;

    *c = (struct az_gate_course){ .known = true,
                                  .kind = o->kind,
                                  .side = o->side,
                                  .runs = o->n_base,
                                  .held = t->n - at,
                                  .since = run_text(p, t, at, a),
                                  .commits = commits_of(p, t, at, a),
                                  .before = o->before,
                                  .level = o->level,
                                  .noise = relative_to(o->noise, o->center),
                                  .newest = relative_to(o->newest, o->center),
                                  .within = o->within,
                                  .correlation = o->correlation,
                                  .lasts = o->held,
                                  .total = relative_to(o->total, o->center),
                                  .drift = NAN,
                                  .drifts_at = AZ_SV(""),
                                  .least = relative_to(o->least, o->center),
                                  .least_run = relative_to(o->least_run, o->center) };
    if (o->kind == AZ_BASELINE_STEP && o->gradual) { /* no night, and no commit, began it */
        c->gradual = true;
        c->rise = relative_to(o->changed_to - o->changed_from, o->changed_from);
        c->held = t->n - o->changed;
        c->since = run_text(p, t, o->changed, a);
        c->commits = AZ_SV("");
    }
    if (o->drift) {
        c->drift = relative_to(worse ? o->drifted * worse : fabs(o->drifted), o->center);
        c->drifts_at = run_text(p, t, o->drift_at, a);
    }
    return describe_level(t, o, a, c);
}

int az_gate_course(const struct az_gate_in *in, const struct az_baseline_others *pools,
                   const struct az_gate_rule *r, const struct az_metric *cand, struct az_arena *a,
                   struct az_gate_course *out, struct az_vec_f64 *level)
{
    const struct az_metric *m = in->past ? az_series_find(&in->past->s, cand) : NULL;
    struct nights t;
    struct az_baseline o;
    int rc;

    *out = (struct az_gate_course){ .drift = NAN, .least = NAN, .least_run = NAN, .noise = NAN };
    if (cand->within > 0) { /* two runs alone: the steps within them */
        out->within = true;
        out->noise = cand->within;
        out->least = AZ_GATE_SEEN * cand->within;
    }
    if (!m || !m->values.n || !cand->values.n ||
        isnan(az_gate_center(cand->values.v, cand->values.n)))
        return AZ_OK;
    if (!take_nights(in->past, m, cand, a, &t))
        return az_arena_error(a);
    if (t.n < 2)
        return AZ_OK;
    const double now = steps_now(in, cand->input),
                 spread = step_spread(m, cand->within * sqrt(now));
    if (spread > 0) {
        past_errors(in->past, m, spread, t.error);
        t.error[t.n - 1] = spread / sqrt(now);
    }
    const int worse = worse_of(r, cand);
    const struct az_baseline_in n = { .v = t.v,
                                      .n = t.n,
                                      .time = t.time,
                                      .accepted = t.accepted,
                                      .failed = t.failed,
                                      .within = fmax(m->within, cand->within),
                                      .error = spread > 0 ? t.error : NULL,
                                      .limit = r->noise_k * DEFAULT_JUMP / DEFAULT_K,
                                      .hold = (size_t)in->hold,
                                      .worse = worse,
                                      .drift_days = in->drift_rel > 0 ? in->drift_days : 0,
                                      .others = *pools,
                                      .seed = az_gate_seed(m->key) ^ az_gate_seed(m->name) * 3 ^
                                              az_gate_seed(m->sheet) * 5 };
    rc = az_baseline_judge(&n, &o);
    if (!rc)
        leave_out_changed(&o);
    for (size_t i = 0; !rc && i < o.n_base; i++)
        rc = az_vec_push(level, t.v[o.base[i]]);
    if (!rc)
        rc = describe(in->past, &t, &o, worse, a, out);
    az_baseline_release(&o);
    return rc;
}

/* ---- a night as a whole ---- */

int az_gate_name_level(const struct az_gate_in *in, struct az_gate_verdict *v)
{
    const struct az_gate_course *c = NULL;

    for (size_t i = 0; in->by_level && i < v->results.n && !c; i++)
        if (v->results.v[i].course.known && v->results.v[i].course.runs)
            c = &v->results.v[i].course;
    if (!c)
        return AZ_OK;
    const struct az_metric_past_run *r = &in->past->runs.v[c->level_run[c->runs - 1]];
    struct az_sv name =
        az_arena_printf(v->arena, "run %lld of %.*s%s%.*s", (long long)r->id, AZ_SVF(r->created),
                        r->commit.n ? " " : "", AZ_SVF(r->commit));
    if (c->runs > 1)
        name = az_arena_printf(v->arena, "the level of %zu runs up to %.*s", c->runs, AZ_SVF(name));
    v->base_id = az_arena_printf(v->arena, "%lld", (long long)r->id);
    v->base_label = name;
    return v->arena->failed ? az_arena_error(v->arena) : AZ_OK;
}

/* Of the gradual changes of its input to the same side that one is a part of, the earliest. */
static const struct az_gate_course *earliest_start(const struct az_gate_verdict *v,
                                                   const struct az_gate_result *x)
{
    const struct az_gate_course *first = &x->course;

    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_course *c = &v->results.v[i].course;
        if (c->gradual && c->side == x->course.side && c->held > first->held &&
            az_sv_eq(v->results.v[i].input, x->input) &&
            az_trend_is_one_change(c->held, x->course.held))
            first = c;
    }
    return first;
}

void az_gate_align_starts(struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_course *c = &v->results.v[i].course;
        if (!c->gradual)
            continue;
        const struct az_gate_course *first = earliest_start(v, &v->results.v[i]);
        c->since = first->since;
        c->held = first->held;
    }
}

void az_gate_together(struct az_gate_verdict *v)
{
    size_t known = 0, off = 0;

    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_course *c = &v->results.v[i].course;
        known += c->known && !v->results.v[i].drift;
        off += c->known && !v->results.v[i].drift && c->side > 0 &&
               (c->kind == AZ_BASELINE_JUMP || c->kind == AZ_BASELINE_OUTLIER);
    }
    if (known < LEAST_TOGETHER || (double)off < MOST_TOGETHER * (double)known)
        return;
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        if (x->status != AZ_GATE_FAIL || x->course.kind != AZ_BASELINE_JUMP || x->course.held > 1 ||
            x->drift)
            continue;
        x->status = AZ_GATE_OUTLIER;
        x->level = AZ_LEVEL_INCONCLUSIVE;
        x->note =
            AZ_SV("most metrics changed together, likely caused by the machine: run it again");
    }
}
