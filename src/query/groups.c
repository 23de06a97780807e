/* Rows of one name grouped by columns: the result of GROUP BY, without a row passed on for each. */
#include "base/num.h"
#include "base/sort.h"
#include "query/internal.h"

struct group {
    size_t at; /* position of its first row */
    int64_t n, sum, min, max;
};
AZ_VEC(struct group, groups);

struct grouping {
    const struct az_query_rows *rows;
    const struct az_query_table *table;
    const struct az_query_grouping *of;
    const struct az_query_table_column *by[AZ_QUERY_GROUP_COLUMNS], *dur;
    struct az_vec_char key; /* bytes of the values of one row */
    struct az_intern keys;  /* such bytes -> number of the group */
    struct groups groups;
};

static const struct az_query_table_column *column_named(const struct az_query_table *t,
                                                        const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return &t->columns[i];
    return NULL;
}

/* Appends the bytes by which a cell differs from others. */
static int add_key(struct az_vec_char *key, const struct az_cell *c)
{
    const char type = (char)c->type;
    int rc = az_vec_push(key, type);

    if (rc || c->type == AZ_EMPTY)
        return rc;
    if (c->type != AZ_TEXT)
        return az_text_append(key, az_sv_make((const char *)&c->i, sizeof c->i));
    const uint32_t length = c->len;
    rc = az_text_append(key, az_sv_make((const char *)&length, sizeof length));
    return rc ? rc : az_text_append(key, az_sv_make(c->s, c->len));
}

static int add_row(struct grouping *g, size_t at, const struct az_query_row *row)
{
    struct az_cell cell;
    bool any = false;
    uint32_t id;
    int rc = 0;

    g->key.n = 0;
    for (size_t i = 0; !rc && i < g->of->n_by; i++) {
        az_query_cell(row, g->by[i], &cell);
        any |= cell.type != AZ_EMPTY;
        rc = add_key(&g->key, &cell);
    }
    if (rc || (!any && g->of->known))
        return rc;
    az_query_cell(row, g->dur, &cell);
    const struct group fresh = { at, 0, 0, cell.i, cell.i };
    rc = az_intern(&g->keys, az_text_view(&g->key), &id);
    if (!rc && id == g->groups.n)
        rc = az_vec_push(&g->groups, fresh);
    if (rc)
        return rc;
    struct group *to = &g->groups.v[id];
    to->n++;
    to->sum = az_add_sat(to->sum, cell.i);
    to->min = cell.i < to->min ? cell.i : to->min;
    to->max = cell.i > to->max ? cell.i : to->max;
    return 0;
}

/* Longest first; of equal ones the one that comes first. */
static int longest_first(const void *a, const void *b, void *ctx)
{
    const struct group *x = a, *y = b;
    (void)ctx;
    return x->sum != y->sum ? (x->sum < y->sum) - (x->sum > y->sum)
                            : (x->at > y->at) - (x->at < y->at);
}

static int put_groups(struct grouping *g, const struct az_query_sink *sink)
{
    static const char *const sums[] = { "n", "sum_ns", "min_ns", "max_ns", "mean_ns" };
    struct az_query_column column[AZ_QUERY_GROUP_COLUMNS + AZ_LENGTH(sums)];
    struct az_cell cell[AZ_QUERY_GROUP_COLUMNS + AZ_LENGTH(sums)];
    const size_t n = g->of->n_by;
    size_t hint = 0;

    for (size_t i = 0; i < n; i++)
        column[i].name = az_sv_str(g->of->by[i]);
    for (size_t i = 0; i < AZ_LENGTH(sums); i++)
        column[n + i].name = az_sv_str(sums[i]);
    int rc = sink->begin(sink->ctx, column, n + AZ_LENGTH(sums));
    for (size_t k = 0; !rc && k < g->groups.n; k++) {
        const struct group *x = &g->groups.v[k];
        struct az_query_row row;
        az_query_rows_at(g->rows, x->at, &hint, &row);
        for (size_t i = 0; i < n; i++)
            az_query_cell(&row, g->by[i], &cell[i]);
        cell[n] = (struct az_cell){ .type = AZ_INT, .i = x->n };
        cell[n + 1] = (struct az_cell){ .type = AZ_INT, .i = x->sum };
        cell[n + 2] = (struct az_cell){ .type = AZ_INT, .i = x->min };
        cell[n + 3] = (struct az_cell){ .type = AZ_INT, .i = x->max };
        cell[n + 4] = (struct az_cell){ .type = AZ_REAL, .f = (double)x->sum / (double)x->n };
        rc = sink->row(sink->ctx, cell, n + AZ_LENGTH(sums));
    }
    return rc ? rc : sink->end(sink->ctx, false);
}

/* Rows of the name, by the index of names: positions first to stop of it. */
static int add_rows(struct grouping *g, struct az_facts_of *f, struct az_query_rows *rows)
{
    const size_t column = (size_t)(column_named(g->table, "name") - g->table->columns);
    struct az_query_index index = { 0 };
    size_t at, stop, hint = 0;
    int64_t place = 0;
    bool known = false;
    int rc = az_query_index_of(rows, column, &index);

    if (!rc)
        rc = az_query_name_place(f, g->of->name, &place, &known);
    if (rc || !known || !index.n)
        return rc;
    at = az_query_index_find(rows, column, &index, place);
    stop = az_query_index_find(rows, column, &index, place + 1);
    for (; !rc && at < stop; at++) {
        const size_t position = index.order ? index.order[at] : at;
        struct az_query_row row;
        az_query_rows_at(rows, position, &hint, &row);
        rc = add_row(g, position, &row);
    }
    return rc ? rc : az_facts_of_error(f);
}

int az_query_group_list(struct az_facts_of *f, const struct az_query_grouping *of,
                        const struct az_query_sink *sink)
{
    struct grouping g = { .of = of };
    size_t table = 0;
    int rc;

    while (strcmp(az_query_table_list[table]->name, of->table) != 0)
        table++;
    g.table = az_query_table_list[table];
    struct az_query_rows *rows = az_query_rows_of(f, table, &rc);
    if (!rows)
        return rc;
    g.rows = rows;
    g.dur = column_named(g.table, "dur_ns");
    for (size_t i = 0; i < of->n_by; i++)
        g.by[i] = column_named(g.table, of->by[i]);
    struct az_arena arena;
    az_arena_init(&arena, NULL);
    az_vec_init(&g.key, NULL);
    az_vec_init(&g.groups, NULL);
    az_intern_init(&g.keys, &arena, NULL);
    rc = add_rows(&g, f, rows);
    az_sort_cmp(g.groups.v, g.groups.n, sizeof *g.groups.v, longest_first, NULL, NULL);
    if (!rc)
        rc = put_groups(&g, sink);
    az_intern_release(&g.keys);
    az_vec_release(&g.groups);
    az_vec_release(&g.key);
    az_arena_release(&arena);
    return rc;
}
