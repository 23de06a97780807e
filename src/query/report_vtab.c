/* Tables of documents as virtual tables of SQLite: those of one id in several inputs are one, with
 * the columns of all. */
#include "document/rows.h"
#include "document/schema.h"
#include "query/internal.h"

struct table {
    sqlite3_vtab base;
    const struct az_query_report *r;
};
struct cursor {
    sqlite3_vtab_cursor base;
    const struct az_query_report *r;
    size_t part, row, number;
    struct az_rows rows;
    bool open;
    const struct az_cell *cells; /* NULL: at the end */
};

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    const struct az_query_report *r = aux;
    struct az_query_declared *d =
        sqlite3_malloc64((r->n_columns + 1) * sizeof *d); /* NOLINT: an array of n_columns + 1 */
    size_t n = 0;
    int rc = d ? SQLITE_OK : SQLITE_NOMEM;
    (void)argc;
    (void)argv;
    (void)error;

    if (d && r->has_input)
        d[n++] = (struct az_query_declared){ AZ_SV("input"), AZ_TEXT, true };
    for (size_t i = 0; d && i < r->n_columns; i++)
        d[n++] = (struct az_query_declared){ r->columns[i].id, r->columns[i].type, false };
    if (rc == SQLITE_OK)
        rc = az_query_declare(db, d, n, r->declaring);
    sqlite3_free(d);
    struct table *x = rc == SQLITE_OK ? sqlite3_malloc(sizeof *x) : NULL;
    if (!x)
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    *x = (struct table){ .r = r };
    *out = &x->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *v)
{
    sqlite3_free(v);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    const struct az_query_report *r = ((const struct table *)v)->r;
    info->estimatedCost = (double)r->n + 1;
    info->estimatedRows = (sqlite3_int64)r->n + 1;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    struct cursor *c = sqlite3_malloc(sizeof *c);
    if (!c)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    c->r = ((const struct table *)v)->r;
    *out = &c->base;
    return SQLITE_OK;
}

static void end_part(struct cursor *c)
{
    if (c->open)
        az_rows_close(&c->rows);
    c->open = false;
}

static int close_cursor(sqlite3_vtab_cursor *b)
{
    end_part((struct cursor *)b);
    sqlite3_free(b);
    return SQLITE_OK;
}

/* The row at hand, or the first of the next part that has one. */
static int settle(struct cursor *c)
{
    c->cells = NULL;
    while (c->part < c->r->n_parts && c->row >= c->r->parts[c->part].table->rows) {
        end_part(c);
        c->part++;
        c->row = 0;
    }
    if (c->part >= c->r->n_parts)
        return SQLITE_OK;
    if (!c->open) {
        az_rows_open(&c->rows, c->r->parts[c->part].table, NULL);
        c->open = true;
    }
    c->cells = az_rows_at(&c->rows, c->row);
    return c->cells ? SQLITE_OK : SQLITE_NOMEM;
}

static int filter(sqlite3_vtab_cursor *b, int plan, const char *list, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)b;
    (void)plan;
    (void)list;
    (void)argc;
    (void)argv;
    end_part(c);
    c->part = c->row = c->number = 0;
    return settle(c);
}

static int next_row(sqlite3_vtab_cursor *b)
{
    struct cursor *c = (struct cursor *)b;
    c->row++;
    c->number++;
    return settle(c);
}

static int at_end(sqlite3_vtab_cursor *b) { return ((const struct cursor *)b)->cells == NULL; }

/* Texts of rows that are made when they are read live until the next row, as long as SQLite needs
 * them where it copies; it does of the transient ones. */
static int column(sqlite3_vtab_cursor *b, sqlite3_context *ctx, int i)
{
    const struct cursor *c = (const struct cursor *)b;
    const struct az_query_part *p = &c->r->parts[c->part];
    size_t at = (size_t)i;

    if (c->r->has_input && at-- == 0) {
        const struct az_sv title = c->r->source->inputs[p->input].title;
        sqlite3_result_text64(ctx, title.p, title.n, SQLITE_STATIC, SQLITE_UTF8);
        return SQLITE_OK;
    }
    if (p->at[at] < 0)
        return SQLITE_OK;
    const struct az_cell *cell = &c->cells[p->at[at]];
    if (cell->type == AZ_TEXT)
        sqlite3_result_text64(ctx, cell->s, cell->len, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        az_query_result(ctx, cell);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *b, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((const struct cursor *)b)->number + 1;
    return SQLITE_OK;
}

static const sqlite3_module module = { .iVersion = 0,
                                       .xConnect = connect_table,
                                       .xBestIndex = best_index,
                                       .xDisconnect = disconnect,
                                       .xDestroy = disconnect,
                                       .xOpen = open_cursor,
                                       .xClose = close_cursor,
                                       .xFilter = filter,
                                       .xNext = next_row,
                                       .xEof = at_end,
                                       .xColumn = column,
                                       .xRowid = rowid };

int az_query_report_add(sqlite3 *db, const struct az_query_report *r)
{
    const char *name = r->name.p; /* ends in a NUL byte */
    return sqlite3_create_module_v2(db, name, &module, (void *)r, NULL);
}

/* ---- tables of one id, one table ---- */

static bool is_fact(struct az_sv id)
{
    for (size_t i = 0; i < az_query_n_tables; i++)
        if (az_sv_ieq(id, az_sv_str(az_query_table_list[i]->name)))
            return true;
    return az_sv_is(id, "tables") || az_sv_is(id, "columns");
}

static const struct az_table *of_id(const struct az_document *d, struct az_sv id)
{
    for (size_t i = 0; d && i < d->tables.n; i++)
        if (az_sv_eq(d->tables.v[i]->id, id))
            return d->tables.v[i];
    return NULL;
}

static ptrdiff_t column_at(const struct az_column *c, size_t n, struct az_sv id)
{
    for (size_t i = 0; i < n; i++)
        if (az_sv_ieq(c[i].id, id))
            return (ptrdiff_t)i;
    return -1;
}

/* A column that is whole in one input and a real in another is one of reals. */
static void add_columns(struct az_column *all, size_t *n, const struct az_table *t)
{
    for (size_t i = 0; i < t->columns.n; i++) {
        const struct az_column *c = &t->columns.v[i];
        const ptrdiff_t at = column_at(all, *n, c->id);
        if (at < 0)
            all[(*n)++] = *c;
        else if (all[at].type != c->type)
            all[at].type = all[at].type != AZ_TEXT && c->type != AZ_TEXT ? AZ_REAL : AZ_TEXT;
    }
}

static int make_report(struct az_arena *a, const struct az_query_source *s,
                       const struct az_document *const *docs, struct az_sv id,
                       struct az_query_report *out)
{
    struct az_query_part *parts = az_arena_array(a, s->n, sizeof *parts);
    struct az_column *all;
    size_t most = 0;

    *out = (struct az_query_report){ .source = s, .has_input = true, .parts = parts };
    out->name = az_arena_printf(a, "%s%.*s", is_fact(id) ? "report_" : "", AZ_SVF(id));
    for (size_t i = 0; parts && i < s->n; i++) {
        const struct az_table *t = of_id(docs[i], id);
        if (!t)
            continue;
        parts[out->n_parts++] = (struct az_query_part){ .table = t, .input = i };
        most += t->columns.n;
        out->n += t->rows;
    }
    all = az_arena_array(a, most + 1, sizeof *all);
    for (size_t i = 0; all && parts && i < out->n_parts; i++)
        add_columns(all, &out->n_columns, parts[i].table);
    out->columns = all;
    for (size_t i = 0; all && parts && i < out->n_parts; i++) {
        ptrdiff_t *at = az_arena_array(a, out->n_columns + 1, sizeof *at);
        for (size_t c = 0; at && c < out->n_columns; c++)
            at[c] = column_at(parts[i].table->columns.v, parts[i].table->columns.n, all[c].id);
        parts[i].at = at;
    }
    return a->failed ? az_arena_error(a) : 0;
}

int az_query_reports_make(struct az_arena *a, const struct az_query_source *source,
                          const struct az_document *const *docs, bool *declaring,
                          struct az_query_report **out, size_t *n)
{
    size_t most = 0, done = 0;
    int rc = 0;

    for (size_t i = 0; i < source->n; i++)
        most += docs[i] ? docs[i]->tables.n : 0;
    struct az_query_report *r = az_arena_array(a, most + 1, sizeof *r);
    if (!r)
        return az_arena_error(a);
    for (size_t i = 0; rc == 0 && i < source->n; i++)
        for (size_t k = 0; rc == 0 && docs[i] && k < docs[i]->tables.n; k++) {
            const struct az_table *t = docs[i]->tables.v[k];
            bool before = (t->flags & AZ_TABLE_TEXT_ONLY) != 0;
            for (size_t e = 0; e < i; e++)
                before |= of_id(docs[e], t->id) != NULL;
            if (before)
                continue;
            rc = make_report(a, source, docs, t->id, &r[done]);
            r[done++].declaring = declaring;
        }
    *out = r;
    *n = done;
    return rc;
}
