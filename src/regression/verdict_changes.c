/* What changed, as a picture: a row a result with its change, the interval of that where runs were
 * repeated, and the limit it was compared with, all in percent of the baseline and positive for
 * worse. */
#include <math.h>

#include "base/sort.h"
#include "document/record.h"
#include "regression/series.h"
#include "regression/verdict.h"
#include "stats/rank_test.h"

#define MOST      40   /* rows */
#define LEAST     12   /* what passed fills up to so many, nearest to its limit first */
#define RUNS      4    /* a side, for an interval */
#define RUNS_MOST 500  /* steps of long runs would need too much time */
#define ROUNDS    2000 /* resamples */
#define ALPHA     0.01
#define DRAWN     8 /* columns that the chart names */
#define LISTED(s)                                                                                  \
    ((s) == AZ_GATE_FAIL || (s) == AZ_GATE_WARN || (s) == AZ_GATE_UNSTABLE ||                      \
     (s) == AZ_GATE_IMPROVED || (s) == AZ_GATE_OUTLIER)

struct change {
    const struct az_gate_result *x;
    double percent, low, high, limit; /* NaN: none */
};

struct near {
    const struct az_gate_result *x;
    double part; /* of its limit */
};

/* The limit, percent; none where it is not this night's change that was beyond it. */
static double limit_of(const struct az_gate_result *x)
{
    const double limit = az_gate_limit_percent(x);
    const bool other = x->used.of != AZ_LIMIT_OF_CHANGE && !(100 * x->rel > limit);

    return other ? NAN : limit;
}

/* Against a hard limit the distance to it; the limit is at 0 then. */
static bool hard_limit_distance(const struct az_gate_result *x, struct change *c)
{
    const double v = x->cand.center;
    const bool over = v > x->max, under = v < x->min;

    if (!over && !under && !isnan(x->limit_rel))
        return false;
    if ((over || isnan(x->min)) && fabs(x->max) > 0)
        c->percent = 100 * (v - x->max) / fabs(x->max);
    else if (fabs(x->min) > 0)
        c->percent = 100 * (x->min - v) / fabs(x->min);
    if (isnan(c->percent))
        return false;
    c->limit = 0;
    return true;
}

/* Interval of the ratio of medians, by resampling; the seed is of the metric, so that it is the
 * same every time. */
static int interval(const struct az_gate_result *x, struct change *c)
{
    const uint64_t seed =
        az_gate_seed(x->key) ^ (az_gate_seed(x->metric) * 3) ^ (az_gate_seed(x->sheet) * 5);
    const double worse =
        (x->cand.center - x->base.center) * x->delta < 0 ? -1 : 1; /* -1: higher is better */
    double low = x->low, high = x->high;
    int rc = AZ_OK;

    const bool enough = x->base.n >= RUNS && x->cand.n >= RUNS,
               few = x->base.n <= RUNS_MOST && x->cand.n <= RUNS_MOST;

    if (!enough || isnan(c->percent) || (isnan(low) && !few))
        return AZ_OK;
    if (isnan(low))
        rc = az_bootstrap_ratio(x->base.values, x->base.n, x->cand.values, x->cand.n,
                                x->rule ? x->rule->alpha : ALPHA, ROUNDS, seed, &low, &high);
    if (rc)
        return rc == AZ_ERANGE ? AZ_OK : rc;
    low = 100 * worse * (low - 1);
    high = 100 * worse * (high - 1);
    c->low = fmin(low, high);
    c->high = fmax(low, high);
    return AZ_OK;
}

static int measure(const struct az_gate_result *x, struct change *c)
{
    *c = (struct change){ .x = x, .percent = NAN, .low = NAN, .high = NAN, .limit = NAN };
    if (hard_limit_distance(x, c))
        return AZ_OK;
    c->percent = 100 * x->rel;
    c->limit = limit_of(x);
    return interval(x, c);
}

static int nearest_first(const void *a, const void *b, void *ctx)
{
    const struct near *x = a, *y = b;
    (void)ctx;
    return x->part > y->part ? -1 : x->part < y->part;
}

/* What passed, by how much of its limit it used up. */
static int add_passed(const struct az_gate_verdict *v, struct az_arena *a,
                      const struct az_gate_result **list, size_t *n)
{
    struct near *passed = az_arena_array(a, v->results.n + 1, sizeof *passed);
    size_t k = 0;
    int rc = passed ? AZ_OK : az_arena_error(a);

    for (size_t i = 0; !rc && i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        const double limit = limit_of(x);
        if (x->status == AZ_GATE_PASS && !isnan(x->rel) && limit > 0)
            passed[k++] = (struct near){ x, 100 * x->rel / limit };
    }
    if (!rc)
        az_sort_cmp(passed, k, sizeof *passed, nearest_first, NULL, NULL);
    for (size_t i = 0; !rc && i < k && *n < LEAST; i++)
        list[(*n)++] = passed[i].x;
    return rc;
}

struct change_row {
    struct az_sv figure, of;
    const struct az_gate_result *x;
    const struct change *change;
};
#define ROW struct change_row
AZ_TEXT_OF_RECORD(status, ROW, az_sv_str(az_gate_status_text(r->x->status)))
static const struct az_record_column columns[] = {
    { "Metric", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, figure) },
    { "Worse by (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_LOWER_BETTER | AZ_CHANGE,
      AZ_VIA(ROW, change, percent) },
    { "Low (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_VIA(ROW, change, low) },
    { "High (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_VIA(ROW, change, high) },
    { "Limit (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_VIA(ROW, change, limit) },
    { "Status", AZ_TEXT, .text = status },
    { "Of", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, of) },
    { "What", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, x, text) },
    { "Rule", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_VIA(ROW, x, rule_name) },
};

/* "kern_sum / Total (ns)"; of key metrics, whose table adds nothing to their name, "Time".
 */
static struct az_sv where_of(struct az_arena *a, const struct az_gate_result *x)
{
    const ptrdiff_t unit = az_sv_find(x->metric, AZ_SV(" ("));
    if (az_sv_starts(x->sheet, AZ_SV("key_")))
        return unit > 0 ? az_sv_make(x->metric.p, (size_t)unit) : x->metric;
    return az_arena_printf(a, "%.*s / %.*s", AZ_SVF(x->sheet), AZ_SVF(x->metric));
}

static void put_change(struct az_table *t, const struct change *c, bool inputs)
{
    const struct az_gate_result *x = c->x;
    const struct az_sv label = x->key_text.n ? az_series_key_label(t->arena, x->key) : x->metric;
    struct az_sv where = where_of(t->arena, x);

    if (inputs)
        where = az_arena_printf(t->arena, "%.*s / %.*s", AZ_SVF(x->input), AZ_SVF(where));
    if ((!where.p || !label.p) && !t->error)
        t->error = az_arena_error(t->arena);
    az_put_row(t, &(ROW){ label.n ? label : x->key_text, where, x, c });
}

static int chart(struct az_document *doc, const struct az_table *t)
{
    struct az_chart c = { .kind = AZ_CHART_LIMITS,
                          .table = t->id,
                          .title = t->title,
                          .x = AZ_SV("Metric"),
                          .y_title = AZ_SV("Worse by (%)") };
    int rc = AZ_OK;

    az_vec_init(&c.y, doc->mem);
    for (size_t i = 1; !rc && i < DRAWN; i++)
        rc = az_vec_push(&c.y, t->columns.v[i].name);
    if (!rc)
        return az_document_chart(doc, c);
    az_vec_release(&c.y);
    return rc;
}

int az_gate_verdict_changes(const struct az_gate_verdict *v, struct az_document *doc)
{
    const struct az_gate_result **list =
        az_arena_array(doc->arena, v->results.n + LEAST, sizeof *list);
    struct az_table *t;
    size_t n = 0;
    bool inputs = false;
    int rc = list ? AZ_OK : az_arena_error(doc->arena);

    for (size_t i = 0; !rc && i < v->results.n && n < MOST; i++)
        if (LISTED(v->results.v[i].status))
            list[n++] = &v->results.v[i];
    if (!rc)
        rc = add_passed(v, doc->arena, list, &n);
    if (rc || n == 0)
        return rc;
    for (size_t i = 1; i < n; i++)
        inputs |= !az_sv_eq(list[i]->input, list[0]->input);
    t = AZ_RECORD_TABLE(doc->arena, "gate_changes", "Changes relative to limits", 0, columns);
    if (!t)
        return az_arena_error(doc->arena);
    for (size_t i = 0; !rc && i < n; i++) {
        struct change c;
        rc = measure(list[i], &c);
        if (!rc)
            put_change(t, &c, inputs);
    }
    if (!rc)
        rc = az_document_add(doc, t);
    else
        az_table_free(t);
    return rc ? rc : chart(doc, t);
}
