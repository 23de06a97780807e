/* From groups to a table: columns, cells, order, shares, charts. */
#include "tables/engine.h"

#include <math.h>

#include "base/num.h"
#include "tables/engine_group.h"

static bool in_ticks(const struct az_grouping *g, size_t value)
{
    const struct az_spec_value *v = &g->spec->values[value];
    return !g->spec->sums && !v->real && (!v->of || v->ticks);
}

/* A value's own unit per unit of the column. */
static double divisor(const struct az_grouping *g, const struct az_spec_column *c)
{
    const double ticks = in_ticks(g, c->value) ? (double)g->ticks : 1.0;
    if (g->spec->values[c->value].real)
        return 1;
    switch (c->unit) {
    case AZ_UNIT_US:
        return 1e3 * ticks;
    case AZ_UNIT_MS:
        return 1e6 * ticks;
    case AZ_UNIT_S:
        return 1e9 * ticks;
    default:
        return ticks;
    }
}

static bool own_unit(enum az_unit u)
{
    return u == AZ_UNIT_NS || u == AZ_UNIT_BYTES || u == AZ_UNIT_COUNT;
}

static enum az_cell_type type_of(const struct az_grouping *g, const struct az_spec_column *c)
{
    switch (c->figure) {
    case AZ_FIG_KEY:
        return c->key->type;
    case AZ_FIG_COUNT:
        return AZ_INT;
    case AZ_FIG_SUM:
        return own_unit(c->unit) ? AZ_INT : AZ_REAL;
    case AZ_FIG_MIN:
    case AZ_FIG_MAX:
        return own_unit(c->unit) && (g->exact || !(in_ticks(g, c->value) || g->spec->sums))
                   ? AZ_INT
                   : AZ_REAL;
    case AZ_FIG_OWN:
        return c->type != AZ_EMPTY ? c->type : AZ_REAL;
    default:
        return AZ_REAL;
    }
}

static bool columns_of(struct az_grouping *g)
{
    const struct az_table_spec *s = g->spec;
    g->n_values = 1;
    for (size_t i = 0; i < AZ_SPEC_COLUMNS; i++) {
        const struct az_spec_column *c = &s->columns[i];
        if (!c->header && !c->key && c->figure == AZ_FIG_KEY)
            break;
        if (c->when && !c->when(&g->rows))
            continue;
        if (c->figure == AZ_FIG_KEY && !c->follows) {
            if (g->n_keys == AZ_GROUP_KEYS)
                return false;
            g->key[g->n_keys++] = c->key;
        }
        if (c->value >= g->n_values)
            g->n_values = c->value + 1;
        if (c->header)
            g->column[g->n_columns++] = c;
    }
    return g->n_values <= AZ_SPEC_VALUES;
}

static struct az_table *new_table(struct az_grouping *g)
{
    struct az_table *t =
        az_table_new(g->rows.job->arena, g->spec->id, g->spec->title, g->spec->flags);
    for (size_t i = 0; t && i < g->n_columns; i++) {
        const struct az_spec_column *c = g->column[i];
        g->type[i] = type_of(g, c);
        g->divisor[i] = divisor(g, c);
        const enum az_unit unit = c->figure == AZ_FIG_KEY     ? c->key->unit
                                  : c->figure == AZ_FIG_COUNT ? AZ_UNIT_COUNT
                                                              : c->unit;
        az_table_column(t, c->header, g->type[i], unit, c->flags);
    }
    return t;
}

/* ---- cells ---- */

/* To nearest. */
static int64_t whole_units(int64_t x, int64_t d)
{
    return d <= 1 ? x : az_add_sat(x, x < 0 ? -d / 2 : d / 2) / d;
}

/* A column's cells. */
struct cells {
    enum az_cell_type type;
    double divisor;
};

static void put_sum(struct cells c, int64_t sum, struct az_table *t)
{
    if (sum == AZ_UNKNOWN)
        az_put_empty(t);
    else if (c.type == AZ_INT)
        az_put_i64(t, whole_units(sum, (int64_t)c.divisor));
    else
        az_put_f64(t, (double)sum / c.divisor);
}

static void put_extreme(struct cells c, double x, struct az_table *t)
{
    if (c.type == AZ_INT && isfinite(x))
        az_put_i64(t, (int64_t)x);
    else
        az_put_f64(t, x / c.divisor);
}

/* The sample's deviation from that of the whole, which is what tools on arrays print. */
static double population(const struct az_figures *f)
{
    return f->n < 2 ? 0.0 : f->std * sqrt((double)(f->n - 1) / (double)f->n);
}

static void put_figure(const struct az_grouping *g, size_t column, const struct az_group *r,
                       struct az_table *t)
{
    const struct az_spec_column *c = g->column[column];
    const struct az_figures *f = &r->value[c->value];
    const struct cells cells = { g->type[column], g->divisor[column] };
    const double d = cells.divisor;
    switch (c->figure) {
    case AZ_FIG_SUM:
        put_sum(cells, f->sum, t);
        break;
    case AZ_FIG_MEAN:
        az_put_f64(t, f->mean / d);
        break;
    case AZ_FIG_MEDIAN:
        az_put_f64(t, f->median / d);
        break;
    case AZ_FIG_MIN:
        put_extreme(cells, f->min, t);
        break;
    case AZ_FIG_MAX:
        put_extreme(cells, f->max, t);
        break;
    case AZ_FIG_STD:
        az_put_f64(t, f->std / d);
        break;
    case AZ_FIG_STD_ZERO:
        az_put_f64(t, f->n == 1 ? 0.0 : f->std / d);
        break;
    case AZ_FIG_STD_POPULATION:
        az_put_f64(t, population(f) / d);
        break;
    case AZ_FIG_P95:
        az_put_f64(t, f->p95 / d);
        break;
    case AZ_FIG_P25:
        az_put_f64(t, f->p25 / d);
        break;
    case AZ_FIG_P75:
        az_put_f64(t, f->p75 / d);
        break;
    default:
        az_put_f64(t, f->p99 / d);
        break;
    }
}

/* Shares of exact sums are there before the order; the others come after it. */
static double share_of(const struct az_grouping *g, const struct az_spec_column *c,
                       const struct az_group *r, double all)
{
    if (c->whole)
        all = c->whole(&g->rows);
    else if (c->value == 0 && c->unit != AZ_UNIT_RATIO)
        return r->percent;
    const double part = (double)r->value[c->value].sum;
    if (r->value[c->value].sum == AZ_UNKNOWN)
        return NAN;
    if (c->unit == AZ_UNIT_RATIO)
        return all == 0 ? 0.0 : part / all;
    return az_percent(part, all);
}

static double total_of(const struct az_grouping *g, size_t value)
{
    const size_t rows = az_grouping_rows(g);
    double all = 0;
    if (g->spec->whole)
        return g->spec->whole(&g->rows);
    for (size_t k = 0; k < rows; k++) {
        const int64_t sum = az_grouping_sum(g, k, value);
        all += sum != AZ_UNKNOWN ? (double)sum : 0.0;
    }
    return all;
}

static void put_key(const struct az_grouping *g, const struct az_key *k,
                    const struct az_item *first, struct az_table *t)
{
    const int64_t x = k->integer ? k->integer(&g->rows, first) : 0;
    if (k->integer && x != AZ_UNKNOWN)
        az_put_i64(t, x);
    else if (k->integer)
        az_put_empty(t);
    else if (k->name)
        az_put_optional(t, az_job_text(g->rows.job, az_job_name(g->rows.job, first->trace,
                                                                k->name(&g->rows, first))));
    else if (k->text)
        az_put_optional(t, k->text(&g->rows, first));
    else
        k->put(&g->rows, first, t);
}

static void put_row(const struct az_grouping *g, const struct az_group *r, double all,
                    struct az_table *t)
{
    for (size_t i = 0; i < g->n_columns; i++) {
        const struct az_spec_column *c = g->column[i];
        if (c->figure == AZ_FIG_KEY)
            put_key(g, c->key, &r->first, t);
        else if (c->figure == AZ_FIG_OWN)
            c->put(&g->rows, r, t);
        else if (c->figure == AZ_FIG_SHARE)
            az_put_f64(t, share_of(g, c, r, all));
        else if (c->figure == AZ_FIG_CUMULATIVE)
            az_put_f64(t, 0);
        else if (c->figure != AZ_FIG_COUNT)
            put_figure(g, i, r, t);
        else if (r->value[c->value].n == AZ_UNKNOWN)
            az_put_empty(t);
        else
            az_put_i64(t, r->value[c->value].n);
    }
}

/* ---- order and shares ---- */

static int sort_rows(const struct az_grouping *g, struct az_table *t)
{
    int keys[AZ_SPEC_COLUMNS], n = 0;
    for (int want = 1; want <= (int)g->n_columns; want++)
        for (size_t i = 0; i < g->n_columns; i++) {
            const int sort = g->column[i]->sort;
            if (sort == want || sort == -want)
                keys[n++] = sort > 0 ? (int)i : -((int)i + 1);
        }
    return az_table_sort(t, keys, (size_t)n);
}

static double cell_or_zero(const struct az_table *t, size_t row, size_t column)
{
    const double x = az_cell_number(az_table_at(t, row, column));
    return isnan(x) ? 0.0 : x;
}

/* Does the column have a share that is known when all rows are? */
static bool is_late(const struct az_grouping *g, const struct az_spec_column *c)
{
    return c->figure == AZ_FIG_CUMULATIVE ||
           (c->figure == AZ_FIG_SHARE && !c->whole && g->spec->shares != AZ_SHARES_EXACT);
}

/* Shares of column `of` by its cells, in row order. */
static void fill_shares(const struct az_grouping *g, struct az_table *t, size_t of)
{
    const bool add_percents = g->spec->shares == AZ_SHARES_PERCENTS;
    size_t late[AZ_SPEC_COLUMNS], n = 0;
    double all = 0, running = 0;
    for (size_t i = 0; i < g->n_columns; i++)
        if (is_late(g, g->column[i]))
            late[n++] = i;
    for (size_t r = 0; n && r < t->rows; r++)
        all += cell_or_zero(t, r, of);
    for (size_t r = 0; n && r < t->rows; r++) {
        const double x = cell_or_zero(t, r, of);
        running += add_percents ? az_percent(x, all) : x;
        for (size_t i = 0; i < n; i++) {
            const bool share = g->column[late[i]]->figure == AZ_FIG_SHARE;
            const double percent = share          ? az_percent(x, all)
                                   : add_percents ? running
                                                  : az_percent(running, all);
            t->cells.v[r * t->columns.n + late[i]] =
                (struct az_cell){ .type = AZ_REAL, .f = percent };
        }
    }
}

static size_t first_sum(const struct az_grouping *g)
{
    for (size_t i = 0; i < g->n_columns; i++)
        if (g->column[i]->figure == AZ_FIG_SUM && g->column[i]->value == 0)
            return i;
    return SIZE_MAX;
}

static void cut_to_top(const struct az_grouping *g, struct az_table *t)
{
    const int64_t rows =
        g->spec->option_top ? g->spec->option_top(g->rows.job->opts) : AZ_UNSET_I64;
    if (rows != AZ_UNSET_I64 && rows >= 0 && (uint64_t)rows < t->rows) {
        const struct az_sv item =
            az_arena_printf(g->rows.job->arena, "%s: rows skipped", g->spec->id);
        if (item.p)
            az_cover(g->rows.job, item.p, (double)(t->rows - (size_t)rows), "count",
                     az_sv_str(g->spec->option));
        az_table_truncate(t, (size_t)rows);
    }
    if (g->spec->top)
        az_table_truncate(t, g->spec->top);
}

static int fill_table(struct az_grouping *g, struct az_table *t)
{
    const size_t of = first_sum(g);
    const double all = total_of(g, 0);
    const size_t rows = az_grouping_rows(g);
    az_table_reserve(t, rows);
    for (size_t k = 0; k < rows; k++) {
        struct az_group *r = az_grouping_row(g, k);
        r->percent = r->value[0].sum == AZ_UNKNOWN ? NAN : az_percent((double)r->value[0].sum, all);
        put_row(g, r, all, t);
    }
    int rc = az_table_finish(t);
    if (rc == 0)
        rc = sort_rows(g, t);
    if (rc == 0 && of != SIZE_MAX)
        fill_shares(g, t, of);
    if (rc == 0)
        cut_to_top(g, t);
    return rc;
}

static int charts(struct az_job *job, const struct az_table_spec *s)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < AZ_SPEC_CHARTS && s->charts[i].title; i++) {
        const struct az_spec_chart *c = &s->charts[i];
        rc = az_job_chart(job, c->kind, s->id, c->title, c->x, (const char *const[]){ c->y, NULL },
                          c->y_title);
    }
    return rc;
}

int az_spec_make(struct az_job *job, const struct az_table_spec *s, void *ctx,
                 const struct az_item_list *list)
{
    struct az_grouping g = { .spec = s, .rows = { job, ctx }, .list = list };
    struct az_table *t = NULL;
    int rc = 0;
    if (s->prepare && !(g.rows.ctx = s->prepare(job, &rc)))
        return rc;
    if (!columns_of(&g))
        return AZ_EINTERNAL;
    rc = az_grouping_make(&g);
    if (rc == 0)
        rc = (t = new_table(&g)) ? fill_table(&g, t) : az_arena_error(job->arena);
    az_grouping_release(&g);
    if (rc == 0)
        rc = az_document_add(job->doc, t);
    else
        az_table_free(t);
    return rc ? rc : charts(job, s);
}
