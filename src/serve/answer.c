/* Results of tools: arguments, rows within their bounds, SQL made of arguments. */
#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"
#include "base/utf8.h"
#include "document/rows.h"
#include "serve/internal.h"

/* ---- arguments ---- */

int az_call_wrong(struct az_call *c, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return az_diag_fail(c->diag, AZ_EUSAGE, AZ_NOWHERE, "%s", text);
}

bool az_call_text(struct az_call *c, const char *name, struct az_sv *to)
{
    const struct az_sv raw = az_rpc_member(c->args, name);

    *to = AZ_SV("");
    if (!raw.p || az_sv_is(raw, "null") || az_rpc_text(c->a, raw, to))
        return true;
    az_call_wrong(c, "'%s' must be a string", name);
    return false;
}

bool az_call_number(struct az_call *c, const char *name, int64_t *to)
{
    const struct az_sv raw = az_rpc_member(c->args, name);

    if (!raw.p || az_sv_is(raw, "null") || az_parse_i64(raw, to) == 0)
        return true;
    az_call_wrong(c, "'%s' must be a whole number", name);
    return false;
}

int az_call_input(struct az_call *c, const char *name, size_t *input)
{
    const struct az_query_source *s = az_server_source(c->s);
    struct az_sv title;

    if (!az_call_text(c, name, &title))
        return AZ_EUSAGE;
    if (!title.n && s->n == 1) {
        *input = 0;
        return AZ_OK;
    }
    for (size_t i = 0; i < s->n; i++)
        if (az_sv_eq(s->inputs[i].title, title)) {
            *input = i;
            return AZ_OK;
        }
    return az_call_wrong(c, "no input '%.*s' for '%s'; list inputs with the tool 'inputs'",
                         AZ_SVF(title), name);
}

/* ---- SQL ---- */

static int quoted(struct az_vec_char *sql, struct az_sv s, char quote)
{
    az_vec_add(sql, quote);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == quote)
            az_vec_add(sql, quote);
        az_vec_add(sql, s.p[i]);
    }
    az_vec_add(sql, quote);
    return az_vec_error(sql);
}

int az_sql_text(struct az_vec_char *sql, struct az_sv s) { return quoted(sql, s, '\''); }
int az_sql_name(struct az_vec_char *sql, struct az_sv s) { return quoted(sql, s, '"'); }

/* ---- rows ---- */

struct rows {
    struct az_call *c;
    int64_t offset, limit, seen, put;
    size_t most; /* bytes of the text */
    bool cut;
};

static void put_cell(struct az_call *c, const struct az_cell *cell)
{
    switch (cell->type) {
    case AZ_TEXT:
        az_jsonw_text(c->w, az_utf8_printable(c->a, az_cell_text(cell), "\t\n"));
        break;
    case AZ_INT:
        az_jsonw_i64(c->w, cell->i);
        break;
    case AZ_REAL:
        az_jsonw_f64(c->w, cell->f);
        break;
    case AZ_BOOL:
        az_jsonw_bool(c->w, cell->b);
        break;
    case AZ_EMPTY:
        az_jsonw_null(c->w);
        break;
    }
}

static int begin(void *ctx, const struct az_query_column *columns, size_t n)
{
    struct rows *r = ctx;

    az_jsonw_key(r->c->w, "columns");
    az_jsonw_array(r->c->w);
    for (size_t i = 0; i < n; i++)
        az_jsonw_text(r->c->w, columns[i].name);
    az_jsonw_end_array(r->c->w);
    az_jsonw_key(r->c->w, "rows");
    az_jsonw_array(r->c->w);
    return r->c->w->error;
}

/* A row that would not fit is not written, unless it is the first: then its long texts are
 * truncated. */
static int put_row(void *ctx, const struct az_cell *cells, size_t n)
{
    struct rows *r = ctx;
    size_t bytes = 2;

    if (r->seen++ < r->offset || r->cut)
        return AZ_OK;
    for (size_t i = 0; i < n; i++)
        bytes += cells[i].type == AZ_TEXT ? cells[i].len + 3 : 12;
    r->cut = r->put == r->limit || (r->put && r->c->text->n + bytes > r->most);
    if (r->cut)
        return AZ_OK;
    const size_t longest = bytes > r->most ? r->most / (n ? n : 1) : SIZE_MAX;
    az_jsonw_array(r->c->w);
    for (size_t i = 0; i < n; i++) {
        struct az_cell cell = cells[i];
        if (cell.type == AZ_TEXT && cell.len > longest)
            cell.len = AZ_CELL_LENGTH(az_utf8_cut(az_cell_text(&cell), longest).n);
        put_cell(r->c, &cell);
    }
    az_jsonw_end_array(r->c->w);
    r->put++;
    return r->c->w->error;
}

static int end_rows(void *ctx, bool cut)
{
    struct rows *r = ctx;

    az_jsonw_end_array(r->c->w);
    az_jsonw_key(r->c->w, "first_row");
    az_jsonw_i64(r->c->w, r->offset);
    az_jsonw_key(r->c->w, "cut");
    az_jsonw_bool(r->c->w, r->cut || cut);
    if (r->cut || cut) {
        const int64_t next = r->offset + r->put;
        az_jsonw_key(r->c->w, "more");
        az_jsonw_text(r->c->w,
                      az_arena_printf(r->c->a, "repeat with offset %lld", (long long)next));
    }
    return r->c->w->error;
}

static struct rows rows_of(struct az_call *c, int64_t offset, int64_t limit)
{
    const struct az_server_limits *l = az_server_limits(c->s);
    return (struct rows){ .c = c,
                          .offset = offset < 0 ? 0 : offset,
                          .limit = limit < 0 || limit > l->rows ? l->rows : limit,
                          .most = c->begin + (size_t)l->bytes };
}

int az_call_rows(struct az_call *c, struct az_sv sql, int64_t offset, int64_t limit)
{
    struct rows r = rows_of(c, offset, limit);
    const struct az_query_sink sink = { begin, put_row, end_rows, &r };
    const struct az_server_limits *l = az_server_limits(c->s);
    struct az_query_limits q = { .ms = l->ms, .bytes = l->memory, .length = 100000 };

    q.rows =
        r.offset > INT64_MAX / 2 ? 0 : r.offset + r.limit + 1; /* one more shows there is one */
    az_query_limit(az_server_query(c->s), &q);
    return az_query_run(az_server_query(c->s), sql, &sink, NULL, c->diag);
}

int az_call_part(struct az_call *c, const char *key, struct az_sv sql, int64_t limit)
{
    az_jsonw_key(c->w, key);
    az_jsonw_object(c->w);
    const int rc = az_call_rows(c, sql, 0, limit);
    az_jsonw_end_object(c->w);
    return rc;
}

int az_call_groups(struct az_call *c, const char *key, const struct az_query_grouping *of,
                   int64_t limit, bool *any)
{
    struct rows r = rows_of(c, 0, limit);
    const struct az_query_sink sink = { begin, put_row, end_rows, &r };

    az_jsonw_key(c->w, key);
    az_jsonw_object(c->w);
    const int rc = az_query_groups(az_server_query(c->s), of, &sink);
    az_jsonw_end_object(c->w);
    *any = r.seen > 0;
    return rc;
}

static int no_columns(void *ctx, const struct az_query_column *columns, size_t n)
{
    (void)ctx;
    (void)columns;
    (void)n;
    return AZ_OK;
}
static int one_row(void *ctx, const struct az_cell *cells, size_t n)
{
    if (n && cells[0].type == AZ_INT)
        *(int64_t *)ctx = cells[0].i;
    return AZ_OK;
}
static int no_end(void *ctx, bool cut)
{
    (void)ctx;
    (void)cut;
    return AZ_OK;
}

int az_call_one(struct az_call *c, struct az_sv sql, int64_t *to)
{
    const struct az_query_sink sink = { no_columns, one_row, no_end, to };
    *to = INT64_MIN;
    return az_query_run(az_server_query(c->s), sql, &sink, NULL, c->diag);
}

int az_call_table(struct az_call *c, const struct az_table *t, int64_t limit)
{
    struct rows r = rows_of(c, 0, limit);
    struct az_query_column *columns = az_arena_array(c->a, t->columns.n, sizeof *columns);
    struct az_rows rows;
    int rc = columns ? AZ_OK : AZ_ENOMEM;

    for (size_t i = 0; columns && i < t->columns.n; i++)
        columns[i].name = t->columns.v[i].id.n ? t->columns.v[i].id : t->columns.v[i].name;
    if (!rc)
        rc = begin(&r, columns, t->columns.n);
    az_rows_open(&rows, t, NULL);
    for (size_t i = 0; !rc && !r.cut && i < t->rows; i++) {
        const struct az_cell *cells = az_rows_at(&rows, i);
        rc = cells ? put_row(&r, cells, t->columns.n) : az_rows_error(&rows);
    }
    az_rows_close(&rows);
    return rc ? rc : end_rows(&r, false);
}
