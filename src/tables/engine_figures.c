/* Exact statistics of the rows: values are put in group order, never sorted as a whole. */
#include <math.h>

#include "base/num.h"
#include "stats/stats.h"
#include "tables/engine_group.h"

static int64_t value_of(const struct az_grouping *g, size_t v, const struct az_item *item)
{
    int64_t x;
    if (g->spec->values[v].of)
        return g->spec->values[v].of(&g->rows, item);
    if (g->spec->values[v].all) {
        g->spec->values[v].all(&g->rows, item, 1, &x);
        return x;
    }
    const struct az_events *ev = az_item_events(&g->rows, item);
    return ev->end[item->row] - ev->start[item->row];
}

/* Does a column need the values of a row together? */
static bool wants_order(const struct az_grouping *g, size_t v)
{
    for (size_t c = 0; c < g->n_columns; c++) {
        const enum az_figure f = g->column[c]->figure;
        if (g->column[c]->value == v &&
            (f == AZ_FIG_MEDIAN || (f >= AZ_FIG_STD && f <= AZ_FIG_P75)))
            return true;
    }
    return false;
}

static bool wants_tails(const struct az_grouping *g, size_t v)
{
    for (size_t c = 0; c < g->n_columns; c++)
        if (g->column[c]->value == v && g->column[c]->figure >= AZ_FIG_P95 &&
            g->column[c]->figure <= AZ_FIG_P75)
            return true;
    return false;
}

static void add_figures(struct az_figures *f, int64_t x, int64_t weight)
{
    if (x == AZ_ABSENT)
        return;
    f->n += weight;
    if (x == AZ_UNKNOWN || f->sum == AZ_UNKNOWN) {
        f->sum = AZ_UNKNOWN;
        return;
    }
    f->sum = az_add_sat(f->sum, x);
    f->min = isnan(f->min) || (double)x < f->min ? (double)x : f->min;
    f->max = isnan(f->max) || (double)x > f->max ? (double)x : f->max;
}

/* Where the figures of a group are; NULL: nowhere, as it has one item. */
static struct az_figures *place_of(const struct az_grouping *g, uint32_t group, size_t v)
{
    const uint32_t at = g->groups.v[group].figure;
    return at == AZ_NO_ID ? NULL : &g->figure[at * g->n_values + v];
}

struct scatter { /* one value of all items, by group */
    struct az_grouping *g;
    size_t v;
    int64_t *value; /* NULL: sums are enough */
    double *real;   /* instead */
    uint32_t *at;   /* group -> next place */
};

static int put_value(void *ctx, size_t i, const struct az_item *item)
{
    const struct scatter *s = ctx;
    struct az_grouping *g = s->g;
    const uint32_t group = g->of[i];
    if (group == AZ_NO_ID)
        return 0;
    struct az_figures *f = place_of(g, group, s->v);
    if (!f)
        return 0;
    const int64_t x = value_of(g, s->v, item);
    if (s->value)
        s->value[s->at[group]++] = x;
    else
        add_figures(f, x, g->spec->weight ? g->spec->weight(&g->rows, item) : 1);
    return 0;
}

/* add of a length, which is known. */
static inline void add_length(struct az_figures *f, int64_t ticks)
{
    const double x = (double)ticks;
    f->n++;
    f->sum = az_add_sat(f->sum, ticks);
    f->min = f->min <= x ? f->min : x;
    f->max = f->max >= x ? f->max : x;
}

static void scatter_lengths(const struct az_events *e, const uint32_t *of, int64_t *value,
                            uint32_t *at)
{
    const int64_t *start = e->start, *end = e->end;
    for (size_t i = 0, n = e->n; i < n; i++)
        if (of[i] != AZ_NO_ID)
            value[at[of[i]]++] = end[i] - start[i];
}

/* put_value of the length of every event, without a call per event. */
static int put_lengths(const struct scatter *s)
{
    const struct az_grouping *g = s->g;
    const uint32_t *of = g->of;
    for (size_t t = 0; t < g->rows.job->n_traces; t++) {
        for (size_t k = 0; az_grouping_has_trace(g, t) && k < g->spec->n_kinds; k++) {
            const struct az_events *e = &g->rows.job->traces[t]->ev[g->spec->kinds[k]];
            if (s->value)
                scatter_lengths(e, of, s->value, s->at);
            for (size_t i = 0; !s->value && i < e->n; i++) {
                struct az_figures *f = of[i] == AZ_NO_ID ? NULL : place_of(g, of[i], s->v);
                if (f)
                    add_length(f, e->end[i] - e->start[i]);
            }
            of += e->n;
        }
    }
    return 0;
}

#define AT_ONCE 256 /* values that a specification computes together */

static void put_events(const struct scatter *s, struct az_item item, const uint32_t *of)
{
    struct az_grouping *g = s->g;
    const size_t events = g->rows.job->traces[item.trace]->ev[item.kind].n;
    int64_t list[AT_ONCE];
    for (size_t row = 0; row < events; row += AT_ONCE) {
        const size_t n = events - row < AT_ONCE ? events - row : AT_ONCE;
        item.row = (uint32_t)row;
        g->spec->values[s->v].all(&g->rows, &item, n, list);
        for (size_t i = 0; i < n; i++) {
            const uint32_t group = of[row + i];
            struct az_figures *f = group == AZ_NO_ID ? NULL : place_of(g, group, s->v);
            if (f && s->value)
                s->value[s->at[group]++] = list[i];
            else if (f)
                add_figures(f, list[i], 1);
        }
    }
}

/* put_value of values that the specification computes together. */
static int put_all(const struct scatter *s)
{
    const struct az_grouping *g = s->g;
    const uint32_t *of = g->of;
    for (size_t t = 0; t < g->rows.job->n_traces; t++) {
        for (size_t k = 0; az_grouping_has_trace(g, t) && k < g->spec->n_kinds; k++) {
            const enum az_kind kind = g->spec->kinds[k];
            put_events(s, (struct az_item){ .trace = (uint32_t)t, .kind = kind, .name = AZ_NO_ID },
                       of);
            of += g->rows.job->traces[t]->ev[kind].n;
        }
    }
    return 0;
}

/* Moves the values that are there to the front; how many. */
static size_t present(int64_t *value, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (value[i] != AZ_ABSENT)
            value[kept++] = value[i];
    return kept;
}

/* Of the values of a row, which are put in order. */
static struct az_figures figures_of(int64_t *value, size_t n, bool tails)
{
    struct az_stats st;
    az_stats_i64(value, n, &st);
    struct az_figures f = { .n = (int64_t)n,
                            .sum = st.sum,
                            .min = n ? (double)st.min : NAN,
                            .max = n ? (double)st.max : NAN,
                            .mean = st.mean,
                            .median = st.median,
                            .std = st.std,
                            .p95 = NAN,
                            .p99 = NAN,
                            .p25 = NAN,
                            .p75 = NAN };
    if (tails) {
        f.p95 = az_percentile_i64(value, n, 95);
        f.p99 = az_percentile_i64(value, n, 99);
        f.p25 = az_percentile_i64(value, n, 25);
        f.p75 = az_percentile_i64(value, n, 75);
    }
    return f;
}

static void statistics(struct az_grouping *g, size_t v, int64_t *value)
{
    const bool tails = wants_tails(g, v);
    size_t at = 0;
    for (uint32_t k = 0; k < g->groups.n; k++) {
        const size_t all = (size_t)g->groups.v[k].n;
        struct az_figures *f = place_of(g, k, v);
        if (f)
            *f = figures_of(value + at, present(value + at, all), tails);
        at += all;
    }
}

/* group -> its first place among the values of all. */
static void begin(const struct az_grouping *g, uint32_t *at)
{
    uint32_t next = 0;
    for (size_t k = 0; k < g->groups.n; k++) {
        at[k] = next;
        next += (uint32_t)g->groups.v[k].n;
    }
}

static int put_real(void *ctx, size_t i, const struct az_item *item)
{
    const struct scatter *s = ctx;
    const uint32_t group = s->g->of[i];
    const double x = group == AZ_NO_ID ? NAN : s->g->spec->values[s->v].real(&s->g->rows, item);
    if (!isnan(x))
        s->real[s->at[group]++] = x;
    return 0;
}

/* Percentiles reorder the values, and sums of doubles depend on the order: the mean comes first. */
static struct az_figures real_figures(double *v, size_t n)
{
    struct az_figures f = { .n = (int64_t)n, .sum = AZ_UNKNOWN, .mean = az_mean_f64(v, n) };
    f.median = az_percentile_f64(v, n, 50);
    f.std = az_std_f64(v, n, 1);
    f.min = az_percentile_f64(v, n, 0);
    f.max = az_percentile_f64(v, n, 100);
    f.p25 = az_percentile_f64(v, n, 25);
    f.p75 = az_percentile_f64(v, n, 75);
    f.p95 = az_percentile_f64(v, n, 95);
    f.p99 = az_percentile_f64(v, n, 99);
    return f;
}

static int real_figures_of(struct az_grouping *g, size_t v)
{
    struct az_arena a;
    az_arena_init(&a, g->rows.job->mem);
    struct scatter s = { .g = g,
                         .v = v,
                         .real = az_arena_array(&a, g->n + 1, sizeof *s.real),
                         .at = az_arena_array(&a, g->groups.n + 1, sizeof *s.at) };
    int rc = s.real && s.at ? 0 : az_arena_error(&a);
    if (rc == 0) {
        begin(g, s.at);
        rc = az_grouping_each(g, put_real, &s);
    }
    size_t from = 0;
    for (uint32_t k = 0; rc == 0 && k < g->groups.n; k++) {
        struct az_figures *f = place_of(g, k, v);
        if (f)
            *f = real_figures(s.real + from, s.at[k] - from);
        from += (size_t)g->groups.v[k].n;
    }
    az_arena_release(&a);
    return rc;
}

static double mean_of_sum(const struct az_figures *f)
{
    return f->sum == AZ_UNKNOWN ? NAN : (double)f->sum / (double)f->n;
}

int az_grouping_figures(struct az_grouping *g, size_t v)
{
    struct az_mem *mem = g->rows.job->mem;
    const size_t bytes = (g->n + 1) * sizeof(int64_t),
                 places = (g->groups.n + 1) * sizeof(uint32_t);
    struct scatter s = { .g = g, .v = v };
    int rc = 0;
    if (g->spec->values[v].real)
        return real_figures_of(g, v);
    if (wants_order(g, v)) {
        s.value = az_mem_alloc(mem, bytes);
        s.at = az_mem_alloc(mem, places);
        rc = s.value && s.at ? 0 : az_mem_error(mem);
        if (rc == 0)
            begin(g, s.at);
    }
    if (rc == 0)
        rc = g->spec->values[v].all               ? put_all(&s)
             : !g->list && !g->spec->values[v].of ? put_lengths(&s)
                                                  : az_grouping_each(g, put_value, &s);
    if (rc == 0 && s.value)
        statistics(g, v, s.value);
    for (uint32_t k = 0; rc == 0 && !s.value && k < g->groups.n; k++) {
        struct az_figures *f = place_of(g, k, v);
        if (f)
            f->mean = mean_of_sum(f);
    }
    az_mem_free(mem, s.value, bytes);
    az_mem_free(mem, s.at, places);
    return rc;
}

struct az_figures az_grouping_item_figures(const struct az_grouping *g, size_t v,
                                           const struct az_item *item)
{
    struct az_figures f = { 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
    if (g->spec->values[v].real) {
        double x = g->spec->values[v].real(&g->rows, item);
        return real_figures(&x, isnan(x) ? 0u : 1u);
    }
    int64_t x = value_of(g, v, item);
    if (wants_order(g, v))
        return figures_of(&x, present(&x, 1), wants_tails(g, v));
    add_figures(&f, x, 1);
    f.mean = mean_of_sum(&f);
    return f;
}

int64_t az_grouping_item_sum(const struct az_grouping *g, size_t v, const struct az_item *item)
{
    if (g->spec->values[v].real)
        return AZ_UNKNOWN;
    const int64_t x = value_of(g, v, item);
    return x == AZ_ABSENT ? 0 : x;
}
