/* Which rules meet which metrics, what is missing on a side, correction for many tests, counts and
 * order. */
#include "regression/gate.h"

#include <math.h>

#include "base/sort.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"

#define HOLM_ROWS 20 /* more tests than this in a sheet are corrected */

/* May an input of the candidate be compared? */
enum standing {
    COMPARABLE,
    NO_BASELINE,
    REFUSED,
    NO_EVIDENCE /* not even hard limits mean anything */
};

struct gate {
    const struct az_gate_in *in;
    struct az_gate_verdict *v;
    struct az_arena *a;
    enum standing *standing; /* of the candidate's inputs */
    struct az_baseline_others pools;
};

static bool is_word(struct az_sv s, const char *w) { return az_sv_is(s, w); }
static bool is_geomean(const struct az_gate_rule *r) { return az_gate_is_geomean(r); }

static int add_result(struct gate *g, const struct az_gate_result *x)
{
    return az_vec_push(&g->v->results, *x);
}

static enum az_gate_level level_of(struct az_sv w, enum az_gate_level fail)
{
    return is_word(w, "fail") ? fail : is_word(w, "warn") ? AZ_LEVEL_WARN : AZ_LEVEL_INFO;
}

/* A result about something larger than a metric: an input, a table, the run. */
static int add_whole(struct gate *g, const struct az_gate_rule *r, struct az_sv input,
                     struct az_sv sheet, enum az_gate_status status, enum az_gate_level level,
                     struct az_sv text)
{
    struct az_gate_result x = { .rule = r,
                                .input = input,
                                .sheet = sheet,
                                .key = AZ_SV(""),
                                .base = { .center = NAN, .mad = NAN },
                                .cand = { .center = NAN, .mad = NAN },
                                .delta = NAN,
                                .rel = NAN,
                                .limit_abs = NAN,
                                .limit_rel = NAN,
                                .used = { .rel = NAN, .abs = NAN },
                                .max = NAN,
                                .min = NAN,
                                .test = "none",
                                .u = NAN,
                                .p = NAN,
                                .p_better = NAN,
                                .effect = NAN,
                                .low = NAN,
                                .high = NAN,
                                .course = { .drift = NAN, .noise = NAN, .least = NAN },
                                .status = status,
                                .level = level,
                                .note = text,
                                .text = text };
    if (r)
        x.rule_name = r->name;
    if (!text.p)
        return az_arena_error(g->a);
    return add_result(g, &x);
}

/* ---- what must be equal ---- */

/* The fact for which an input of the two cannot be compared; NULL: none does. */
static const char *differing_fact(const struct gate *g, struct az_sv input, struct az_sv *was,
                                  struct az_sv *is)
{
    static const char *const names[] = { "device", "ranks", "class map" };
    const struct az_series *b = g->in->base, *c = g->in->cand;
    bool known = az_series_get_fact(b, input, "ranks").n && az_series_get_fact(c, input, "ranks").n;

    for (size_t i = 0; i < 3; i++) {
        *was = az_series_get_fact(b, input, names[i]);
        *is = az_series_get_fact(c, input, names[i]);
        bool either =
            i < 2 ? was->n && is->n : known; /* no class map is a fact; no device name is not */
        if (either && !az_sv_eq(*was, *is))
            return names[i];
    }
    return NULL;
}

static int refuse_input(struct gate *g, struct az_sv input, const char *fact, struct az_sv was,
                        struct az_sv is)
{
    struct az_sv text =
        az_arena_printf(g->a, "not comparable: the %s differs: '%.*s' in the baseline, '%.*s' now",
                        strcmp(fact, "ranks") == 0 ? "number of ranks" : fact,
                        AZ_SVF(az_sv_make(was.p, was.n > 200 ? 200 : was.n)),
                        AZ_SVF(az_sv_make(is.p, is.n > 200 ? 200 : is.n)));
    return add_whole(g, NULL, input, AZ_SV(""), AZ_GATE_INCONCLUSIVE, AZ_LEVEL_INCONCLUSIVE, text);
}

static int find_standings(struct gate *g)
{
    const struct az_vec_sv *inputs = &g->in->cand->inputs;
    struct az_sv was, is;

    g->standing = az_arena_array(g->a, inputs->n, sizeof *g->standing);
    for (size_t i = 0; g->standing && i < inputs->n; i++) {
        const struct az_gate_change *c = az_gate_change_of(g->v, inputs->v[i]);
        if (c && !c->change.comparable)
            g->standing[i] = c->evidence ? NO_EVIDENCE : REFUSED;
        else if (!g->in->base || !az_series_has_input(g->in->base, inputs->v[i]))
            g->standing[i] = NO_BASELINE;
        else
            g->standing[i] = differing_fact(g, inputs->v[i], &was, &is) ? REFUSED : COMPARABLE;
    }
    return g->standing ? 0 : az_arena_error(g->a);
}

static enum standing standing_of(const struct gate *g, struct az_sv input)
{
    const struct az_vec_sv *inputs = &g->in->cand->inputs;
    for (size_t i = 0; i < inputs->n; i++)
        if (az_sv_eq(inputs->v[i], input))
            return g->standing[i];
    return NO_BASELINE;
}

static bool has_limit(const struct az_gate_rule *r)
{
    return r->max < AZ_GATE_UNSET || r->min < AZ_GATE_UNSET;
}

/* ---- rows ---- */

/* Values that stand for the baseline of a metric: those of past nights where the level counts. */
static const struct az_metric *usual(const struct gate *g, const struct az_metric *m)
{
    const struct az_metric *p =
        g->in->by_level && g->in->past ? az_series_find(&g->in->past->s, m) : NULL;
    return p && p->values.n ? p : m;
}

/* The absolute limit of a rule that requires a part of the input's total: of the baseline's. */
static void limit_by_total(const struct gate *g, struct az_gate_result *x)
{
    const struct az_series *base = g->in->base;

    if (!base || !x->rule || !(x->rule->of_total > 0) || isnan(x->limit_abs))
        return;
    for (size_t i = 0; i < base->metrics.n; i++) {
        const struct az_metric *m = &base->metrics.v[i];
        if (!az_sv_eq(m->input, x->input) || !is_word(m->sheet, AZ_KEY_FIGURES) ||
            !is_word(m->key_text, AZ_KEY_TOTAL) || m->values.n == 0)
            continue;
        m = usual(g, m);
        const double total = az_gate_center(m->values.v, m->values.n);
        if (total > 0)
            x->limit_abs = x->rule->of_total * total;
        return;
    }
}

/* The nights of the level, stored as long as the verdict. */
static int keep_level(struct gate *g, const struct az_vec_f64 *level, struct az_metric *to)
{
    double *own = az_arena_array(g->a, level->n, sizeof *own);

    if (!own)
        return az_arena_error(g->a);
    memcpy(own, level->v, level->n * sizeof *own);
    to->values.v = own;
    to->values.n = level->n;
    return AZ_OK;
}

static int gate_metric(struct gate *g, const struct az_gate_rule *r, const struct az_metric *b,
                       const struct az_metric *c)
{
    struct az_gate_result x;
    struct az_gate_course course = { .drift = NAN, .noise = NAN, .least = NAN, .least_run = NAN };
    struct az_vec_f64 level;
    struct az_metric of_level;
    int rc = AZ_OK;

    az_vec_init(&level, NULL);
    if (c)
        rc = az_gate_course(g->in, &g->pools, r, c, g->a, &course, &level);
    if (!rc && g->in->by_level && level.n) {
        of_level = b ? *b : *c;
        rc = keep_level(g, &level, &of_level);
        b = &of_level;
    }
    az_vec_release(&level);
    if (!rc)
        rc = az_gate_measure(r, b, c, &x);
    if (rc)
        return rc;
    x.course = course;
    limit_by_total(g, &x);
    if (g->in->base)
        rc = az_gate_by_steps(az_series_claims_of(g->in->base, x.input),
                              az_series_claims_of(g->in->cand, x.input), &x, g->a);
    return rc ? rc : add_result(g, &x);
}

/* Rows of the candidate under one rule. */
static int rule_candidates(struct gate *g, const struct az_gate_rule *r, size_t *hits)
{
    const struct az_series *c = g->in->cand;
    int rc = 0;

    for (size_t i = 0; !rc && i < c->metrics.n; i++) {
        const struct az_metric *m = &c->metrics.v[i];
        if (!az_gate_applies(r, m))
            continue;
        ++*hits;
        enum standing st = standing_of(g, m->input);
        if (st == COMPARABLE) {
            const struct az_metric *b = az_series_find(g->in->base, m);
            if (b || has_limit(r) || az_series_has_sheet(g->in->base, m->input, m->sheet))
                rc = gate_metric(g, r, b, m);
        } else if (has_limit(r) && st != NO_EVIDENCE) {
            rc = gate_metric(g, r, NULL, m);
        }
    }
    return rc;
}

/* Rows that only the baseline has, where the table is there. */
static int rule_removed(struct gate *g, const struct az_gate_rule *r, size_t *hits)
{
    const struct az_series *b = g->in->base;
    int rc = 0;

    for (size_t i = 0; !rc && b && i < b->metrics.n; i++) {
        const struct az_metric *m = &b->metrics.v[i];
        if (!az_gate_applies(r, m))
            continue;
        ++*hits;
        if (az_series_has_input(g->in->cand, m->input) && standing_of(g, m->input) == COMPARABLE &&
            az_series_has_sheet(g->in->cand, m->input, m->sheet) && !az_series_find(g->in->cand, m))
            rc = gate_metric(g, r, m, NULL);
    }
    return rc;
}

static bool is_optional(const struct az_gate_rule *r)
{
    return r->built_in && is_word(r->on_missing, "info");
}

/* Tables that one side lacks. */
static int rule_sheets(struct gate *g, const struct az_gate_rule *r)
{
    const struct az_series *b = g->in->base, *c = g->in->cand;
    int rc = 0;

    if (is_optional(r))
        return 0;

    for (size_t i = 0; !rc && b && i < b->sheets.n; i++) {
        const struct az_series_sheet *s = &b->sheets.v[i];
        if (az_sv_glob(r->input, s->input) && az_sv_glob(r->table, s->sheet) &&
            az_series_has_input(c, s->input) && !az_series_has_sheet(c, s->input, s->sheet) &&
            standing_of(g, s->input) == COMPARABLE)
            rc = add_whole(g, r, s->input, s->sheet, AZ_GATE_INCONCLUSIVE,
                           level_of(r->on_missing, AZ_LEVEL_INCONCLUSIVE),
                           az_arena_printf(g->a, "the table '%.*s' is missing", AZ_SVF(s->sheet)));
    }
    for (size_t i = 0; !rc && b && i < c->sheets.n; i++) {
        const struct az_series_sheet *s = &c->sheets.v[i];
        if (az_sv_glob(r->input, s->input) && az_sv_glob(r->table, s->sheet) &&
            standing_of(g, s->input) == COMPARABLE && !az_series_has_sheet(b, s->input, s->sheet))
            rc = add_whole(
                g, r, s->input, s->sheet, AZ_GATE_NEW, level_of(r->on_new, AZ_LEVEL_FAIL),
                az_arena_printf(g->a, "the table '%.*s' is not in the baseline", AZ_SVF(s->sheet)));
    }
    return rc;
}

/* ---- geometric mean of a sheet ---- */

struct mean {
    double sum, weight;
    size_t n;
};

static void add_ratio(struct mean *m, const struct az_metric *b, const struct az_metric *c)
{
    double x = az_gate_center(b->values.v, b->values.n),
           y = az_gate_center(c->values.v, c->values.n);
    double w = isnan(b->share) ? 1 : b->share;
    if (!(x > 0) || !(y > 0) || !(w > 0))
        return;
    m->sum += w * log(y / x);
    m->weight += w;
    m->n++;
}

static bool same_place(const struct az_metric *x, const struct az_metric *y)
{
    return az_sv_eq(x->input, y->input) && az_sv_eq(x->sheet, y->sheet) &&
           az_sv_eq(x->name, y->name) && x->steps == y->steps;
}

static int add_mean(struct gate *g, const struct az_gate_rule *r, const struct az_metric *like,
                    const struct mean *m)
{
    double *v = az_arena_array(g->a, 2, sizeof *v);
    struct az_metric b = *like, c = *like;
    struct az_gate_result x;

    if (!v)
        return az_arena_error(g->a);
    v[0] = 1;
    v[1] = exp(m->sum / m->weight);
    b.key = c.key = AZ_SV("{\"#\":\"" AZ_GATE_GEOMEAN "\"}");
    b.key_text = c.key_text = AZ_SV(AZ_GATE_GEOMEAN);
    b.unit = c.unit = AZ_SV("ratio");
    b.share = c.share = NAN;
    b.values.v = v;
    c.values.v = v + 1;
    b.values.n = c.values.n = 1;
    int rc = az_gate_measure(r, &b, &c, &x);
    x.note = az_arena_printf(g->a, "geometric mean of %zu rows", m->n);
    return rc ? rc : add_result(g, &x);
}

static int rule_geomean(struct gate *g, const struct az_gate_rule *r, size_t *hits)
{
    const struct az_series *c = g->in->cand;
    bool *done = az_arena_array(g->a, c->metrics.n, sizeof *done);
    int rc = done ? 0 : az_arena_error(g->a);

    for (size_t i = 0; !rc && i < c->metrics.n; i++) {
        const struct az_metric *first = &c->metrics.v[i];
        struct mean m = { 0, 0, 0 };
        if (done[i] || !az_gate_applies(r, first))
            continue;
        ++*hits;
        for (size_t k = i; k < c->metrics.n; k++) {
            const struct az_metric *b;
            if (done[k] || !same_place(first, &c->metrics.v[k]))
                continue;
            done[k] = true;
            b = standing_of(g, first->input) == COMPARABLE
                    ? az_series_find(g->in->base, &c->metrics.v[k])
                    : NULL;
            if (b)
                add_ratio(&m, b, &c->metrics.v[k]);
        }
        if (m.weight > 0)
            rc = add_mean(g, r, first, &m);
    }
    return rc;
}

/* ---- rules ---- */

/* A rule without a match is reported only for inputs that were read. */
static bool all_evidence(const struct gate *g)
{
    for (size_t i = 0; i < g->v->changes.n; i++)
        if (g->v->changes.v[i].evidence)
            return false;
    return true;
}

static int one_rule(struct gate *g, const struct az_gate_rule *r)
{
    size_t hits = 0;
    int rc = is_geomean(r) ? rule_geomean(g, r, &hits) : rule_candidates(g, r, &hits);

    if (!rc && !is_geomean(r))
        rc = rule_removed(g, r, &hits);
    if (!rc)
        rc = rule_sheets(g, r);
    if (!rc && hits == 0 && !is_optional(r) && all_evidence(g))
        rc = add_whole(
            g, r, AZ_SV(""), AZ_SV(""), AZ_GATE_INCONCLUSIVE,
            level_of(r->on_missing, AZ_LEVEL_INCONCLUSIVE),
            g->in->cand->inputs.n
                ? az_arena_printf(
                      g->a, "the rule matches no metric: table '%.*s', key '%.*s', column '%.*s'",
                      AZ_SVF(r->table), AZ_SVF(r->key), AZ_SVF(r->column))
                : AZ_SV("no candidate: none of its inputs could be read"));
    return rc;
}

/* Inputs that are not comparable, first: nothing of them is tested. */
static int refuse_changes(struct gate *g)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < g->v->changes.n; i++) {
        const struct az_gate_change *x = &g->v->changes.v[i];
        const bool device = x->change.reason == AZ_CHANGE_DEVICE_DIFFERS && g->in->series.n;
        if (!x->change.comparable)
            rc = add_whole(g, NULL, x->change.input, AZ_SV(""), AZ_GATE_INCONCLUSIVE,
                           AZ_LEVEL_INCONCLUSIVE,
                           az_arena_printf(g->a, "not comparable: %.*s",
                                           AZ_SVF(device ? g->in->series : x->text)));
    }
    return rc;
}

/* Inputs as a whole. */
static int whole_inputs(struct gate *g)
{
    const struct az_series *b = g->in->base, *c = g->in->cand;
    enum az_gate_level missing = AZ_LEVEL_INFO, fresh = AZ_LEVEL_INFO;
    struct az_sv was, is;
    int rc = refuse_changes(g);

    if (!b && az_gate_is_evidence(g->v))
        return rc ? rc
                  : add_whole(g, NULL, AZ_SV(""), AZ_SV(""),
                              g->in->first ? AZ_GATE_NEW : AZ_GATE_INCONCLUSIVE,
                              g->in->first ? AZ_LEVEL_INFO : AZ_LEVEL_INCONCLUSIVE, g->in->no_base);
    for (size_t i = 0; !rc && b && i < b->inputs.n; i++) {
        for (size_t k = 0; k < g->in->n_rules; k++) {
            enum az_gate_level l = level_of(g->in->rules[k].on_missing, AZ_LEVEL_INCONCLUSIVE);
            if (az_sv_glob(g->in->rules[k].input, b->inputs.v[i]) && l > missing)
                missing = l;
        }
        if (!az_series_has_input(c, b->inputs.v[i]) && !az_gate_change_of(g->v, b->inputs.v[i]))
            rc = add_whole(g, NULL, b->inputs.v[i], AZ_SV(""), AZ_GATE_INCONCLUSIVE, missing,
                           az_arena_printf(g->a, "the input '%.*s' of the baseline is missing",
                                           AZ_SVF(b->inputs.v[i])));
    }
    for (size_t i = 0; !rc && b && i < c->inputs.n; i++) {
        for (size_t k = 0; k < g->in->n_rules; k++) {
            enum az_gate_level l = level_of(g->in->rules[k].on_new, AZ_LEVEL_FAIL);
            if (az_sv_glob(g->in->rules[k].input, c->inputs.v[i]) && l > fresh)
                fresh = l;
        }
        if (standing_of(g, c->inputs.v[i]) == NO_BASELINE)
            rc = add_whole(g, NULL, c->inputs.v[i], AZ_SV(""), AZ_GATE_NEW, fresh,
                           az_arena_printf(g->a, "the input '%.*s' is not in the baseline",
                                           AZ_SVF(c->inputs.v[i])));
        const struct az_gate_change *x = az_gate_change_of(g->v, c->inputs.v[i]);
        const char *fact = standing_of(g, c->inputs.v[i]) == REFUSED && (!x || x->change.comparable)
                               ? differing_fact(g, c->inputs.v[i], &was, &is)
                               : NULL;
        if (!rc && fact)
            rc = refuse_input(g, c->inputs.v[i], fact, was, is);
    }
    return rc;
}

/* A slope over the last weeks that is worse than the limit for drift is a result of its own. */
static int drift(struct gate *g)
{
    const size_t n = g->v->results.n;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < n && g->in->drift_rel > 0; i++) {
        struct az_gate_result x = g->v->results.v[i];
        if (!x.rule || !(x.course.drift > g->in->drift_rel))
            continue;
        x.rule_name = az_arena_printf(g->a, "%.*s (drift)", AZ_SVF(x.rule_name));
        x.drift = true;
        x.drift_rel = g->in->drift_rel;
        x.test = "none";
        x.p = x.p_better = x.effect = x.low = x.high = x.u = NAN;
        rc = x.rule_name.p ? add_result(g, &x) : az_arena_error(g->a);
    }
    return rc;
}

/* ---- many tests in one sheet ---- */

/* Results of one sheet, those of rules that require it, corrected together. */
static int correct_sheet(struct gate *g, const size_t *at, size_t n, double *p)
{
    struct az_gate_results *all = &g->v->results;

    if (n <= HOLM_ROWS)
        return 0;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++)
            p[i] = side ? all->v[at[i]].p_better : all->v[at[i]].p;
        int rc = az_holm(p, n);
        if (rc)
            return rc;
        for (size_t i = 0; i < n; i++)
            *(side ? &all->v[at[i]].p_better : &all->v[at[i]].p) = p[i];
    }
    return 0;
}

/* Number of each result's sheet, in order of first appearance; UINT32_MAX: not among the corrected.
 */
static int number_sheets(struct gate *g, struct az_intern *sheets, uint32_t *sheet)
{
    const struct az_gate_results *all = &g->v->results;
    struct az_vec_char key;
    int rc = 0;

    az_vec_init(&key, NULL);
    for (size_t i = 0; !rc && i < all->n; i++) {
        const struct az_gate_result *x = &all->v[i];
        sheet[i] = UINT32_MAX;
        if (!x->rule || isnan(x->p) || !is_word(x->rule->correct, "holm"))
            continue;
        az_vec_reset(&key);
        rc = az_text_printf(&key, "%zu:", x->input.n);
        if (!rc)
            rc = az_text_append(&key, x->input);
        if (!rc)
            rc = az_text_append(&key, x->sheet);
        if (!rc)
            rc = az_intern(sheets, az_text_view(&key), &sheet[i]);
    }
    az_vec_release(&key);
    return rc;
}

static int correct(struct gate *g)
{
    size_t n = g->v->results.n;
    size_t *at = az_arena_array(g->a, n, sizeof *at);
    double *p = az_arena_array(g->a, n, sizeof *p);
    uint32_t *sheet = az_arena_array(g->a, n, sizeof *sheet);
    struct az_intern sheets;
    az_intern_init(&sheets, g->a, NULL);

    int rc = at && p && sheet ? number_sheets(g, &sheets, sheet) : az_arena_error(g->a);
    for (uint32_t s = 0; !rc && s < sheets.text.n; s++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++)
            if (sheet[i] == s)
                at[k++] = i;
        rc = correct_sheet(g, at, k, p);
    }
    az_intern_release(&sheets);
    return rc;
}

/* ---- verdict ---- */

static int severity_rank(enum az_gate_status s)
{
    static const int order[AZ_GATE_STATUSES] = {
        [AZ_GATE_FAIL] = 0,    [AZ_GATE_OUTLIER] = 1, [AZ_GATE_INCONCLUSIVE] = 2,
        [AZ_GATE_ERROR] = 3,   [AZ_GATE_WARN] = 4,    [AZ_GATE_UNSTABLE] = 5,
        [AZ_GATE_REMOVED] = 6, [AZ_GATE_NEW] = 7,     [AZ_GATE_IMPROVED] = 8,
        [AZ_GATE_PASS] = 9,    [AZ_GATE_SKIP] = 10
    };
    return order[s];
}

static int cmp_double(double x, double y) { return x > y ? -1 : x < y; }

/* Order by input, table, key, metric and rule. */
static int result_cmp(const struct az_gate_result *x, const struct az_gate_result *y)
{
    int c = az_sv_cmp(x->input, y->input);
    if (!c)
        c = az_sv_cmp(x->sheet, y->sheet);
    if (!c)
        c = az_sv_cmp(x->key, y->key);
    if (!c)
        c = az_sv_cmp(x->metric, y->metric);
    return c ? c : az_sv_cmp(x->rule_name, y->rule_name);
}

static int worst_first(const void *px, const void *py, void *ctx)
{
    const struct az_gate_result *x = px, *y = py;
    int c;
    (void)ctx;
    if (x->level != y->level)
        return x->level > y->level ? -1 : 1;
    if (x->status != y->status)
        return severity_rank(x->status) < severity_rank(y->status) ? -1 : 1;
    if (x->timed != y->timed)
        return x->timed ? -1 : 1;
    c = cmp_double(x->lost, y->lost);
    return c ? c : result_cmp(x, y);
}

/* A drift that a failure of the same metric reports already. */
static bool is_said(const struct gate *g, const struct az_gate_result *x, size_t before)
{
    for (size_t i = 0; x->drift && i < before; i++) {
        const struct az_gate_result *y = &g->v->results.v[i];
        if (y->level == AZ_LEVEL_FAIL && !y->drift && az_sv_eq(x->metric, y->metric) &&
            az_sv_eq(x->key, y->key) && az_sv_eq(x->sheet, y->sheet) &&
            az_sv_eq(x->input, y->input))
            return true;
    }
    return false;
}

static int judge_all(struct gate *g)
{
    struct az_gate_verdict *v = g->v;
    enum az_gate_level worst = AZ_LEVEL_INFO;
    size_t kept = 0;

    az_gate_align_starts(v);
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[kept];
        *x = v->results.v[i];
        /* a larger table was tested when it was found */
        int rc = x->metric.n ? az_gate_judge(x, g->a) : AZ_OK;
        if (rc)
            return rc;
        kept += !is_said(g, x, kept);
    }
    v->results.n = kept;
    az_gate_together(v);
    int rc = az_gate_classes(g->in, v, g->a);
    if (!rc)
        rc = az_gate_causes(v, g->a);
    if (rc)
        return rc;
    for (size_t i = 0; i < kept; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        v->count[x->status]++;
        v->warnings += x->level == AZ_LEVEL_WARN;
        worst = x->level > worst ? x->level : worst;
    }
    v->series = g->in->series;
    v->first = g->in->first && !g->in->base && worst < AZ_LEVEL_INCONCLUSIVE;
    for (size_t i = 0; v->first && i < g->in->cand->metrics.n; i++)
        if (is_word(g->in->cand->metrics.v[i].sheet, AZ_KEY_FIGURES))
            v->can_see = fmax(v->can_see, AZ_GATE_SEEN * g->in->cand->metrics.v[i].within);
    v->outcome = worst == AZ_LEVEL_FAIL           ? AZ_GATES_FAIL
                 : worst == AZ_LEVEL_INCONCLUSIVE ? AZ_GATES_INCONCLUSIVE
                                                  : AZ_GATES_PASS;
    az_sort_cmp(v->results.v, v->results.n, sizeof *v->results.v, worst_first, NULL, NULL);
    return az_gate_name_level(g->in, v);
}

int az_gate_run(const struct az_gate_in *in, struct az_gate_verdict *v)
{
    struct gate g = { .in = in, .v = v, .a = v->arena };
    int rc = az_gate_compare_inputs(in, v);

    if (!rc)
        rc = find_standings(&g);
    if (!rc)
        rc = az_gate_pool(in, &g.pools);
    if (!rc)
        rc = whole_inputs(&g);
    for (size_t i = 0; !rc && i < in->n_rules; i++)
        rc = one_rule(&g, &in->rules[i]);
    if (!rc)
        rc = drift(&g);
    if (!rc)
        rc = correct(&g);
    return rc ? rc : judge_all(&g);
}
