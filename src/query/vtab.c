/* Tables of facts as virtual tables of SQLite. A cursor is a run of positions, straight or through
 * an index, and conditions that are decided here so that SQLite sees fewer rows; what it requested
 * it checks again, so a run may be too long but never too short. */
#include <math.h>

#include "base/num.h"
#include "query/internal.h"

#define MOST_FILTERS 8
#define MOST_ORDERS  8
#define AHEAD        16 /* rows whose memory is requested before they are read */
enum {
    PLAN_EQ = 1,
    PLAN_LOW = 2,
    PLAN_HIGH = 4,
    PLAN_DESC = 8,
    PLAN_COLUMN = 8 /* bits to shift */
};

struct table {
    sqlite3_vtab base;
    const struct az_query_module *m;
    const struct az_query_table *t;
};
struct filter {
    size_t column;
    int64_t number;   /* of an integer column */
    uint8_t *matches; /* by name number; NULL: an integer */
    size_t n;
};
struct cursor {
    sqlite3_vtab_cursor base;
    struct az_query_rows *rows;
    struct az_query_index index;
    size_t at, stop, hint; /* positions of the index; stop is not among them */
    bool desc, end;
    size_t position;
    struct az_query_row row;
    struct filter filter[MOST_FILTERS];
    size_t n_filters;
    uint32_t *sorted; /* positions in the order of columns without an index; NULL: there are none */
};

/* ---- declaring ---- */

int az_query_declare(sqlite3 *db, const struct az_query_declared *columns, size_t n,
                     bool *declaring)
{
    static const char *const type[] = { [AZ_EMPTY] = "",
                                        [AZ_TEXT] = " TEXT",
                                        [AZ_INT] = " INTEGER",
                                        [AZ_REAL] = " REAL",
                                        [AZ_BOOL] = " INTEGER" };
    sqlite3_str *s = sqlite3_str_new(db);

    sqlite3_str_appendall(s, "CREATE TABLE x(");
    for (size_t i = 0; i < n; i++)
        sqlite3_str_appendf(s, "%s\"%.*w\"%s%s", i ? "," : "", AZ_SVF(columns[i].name),
                            type[columns[i].type], columns[i].always ? " NOT NULL" : "");
    sqlite3_str_appendall(s, ")");
    char *sql = sqlite3_str_finish(s);
    *declaring = true;
    const int rc = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
    *declaring = false;
    sqlite3_free(sql);
    return rc;
}

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **error)
{
    const struct az_query_module *m = aux;
    const struct az_query_table *t = az_query_table_list[m->table];
    struct az_query_declared columns[64];
    (void)argc;
    (void)argv;
    (void)error;

    for (size_t i = 0; i < t->n_columns; i++)
        columns[i] =
            (struct az_query_declared){ az_sv_str(t->columns[i].name), t->columns[i].type,
                                        (t->columns[i].flags & (AZ_QC_ID | AZ_QC_START)) != 0 };
    const int rc = az_query_declare(db, columns, t->n_columns, m->declaring);
    struct table *x = rc == SQLITE_OK ? sqlite3_malloc(sizeof *x) : NULL;
    if (!x)
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    *x = (struct table){ .m = m, .t = t };
    *out = &x->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *v)
{
    sqlite3_free(v);
    return SQLITE_OK;
}

/* ---- planning ---- */

struct bounds { /* places of constraints on one column; -1: none */
    int eq, low, high;
};

static bool by_bytes(sqlite3_index_info *info, int constraint)
{
    const char *collation = sqlite3_vtab_collation(info, constraint);
    return collation && sqlite3_stricmp(collation, "BINARY") == 0;
}

static size_t column_of(int column) { return column < 0 ? 0 : (size_t)column; }

static bool is_ordered(const struct az_query_table_column *c)
{
    return (c->flags & (AZ_QC_ID | AZ_QC_START | AZ_QC_INDEX)) != 0;
}

static struct bounds bounds_of(const struct az_query_table *t, sqlite3_index_info *info,
                               size_t column)
{
    struct bounds b = { -1, -1, -1 };

    for (int i = 0; i < info->nConstraint; i++) {
        if (!info->aConstraint[i].usable || column_of(info->aConstraint[i].iColumn) != column ||
            (t->columns[column].type == AZ_TEXT && !by_bytes(info, i)))
            continue;
        switch (info->aConstraint[i].op) {
        case SQLITE_INDEX_CONSTRAINT_EQ:
            b.eq = i;
            break;
        case SQLITE_INDEX_CONSTRAINT_GT:
        case SQLITE_INDEX_CONSTRAINT_GE:
            b.low = i;
            break;
        case SQLITE_INDEX_CONSTRAINT_LT:
        case SQLITE_INDEX_CONSTRAINT_LE:
            b.high = i;
            break;
        default:
            break;
        }
    }
    return b;
}

/* Rows that are expected of a run; HUGE_VAL: none is possible. */
static double expected(const struct az_query_table_column *c, struct bounds b, double n)
{
    if (b.eq >= 0)
        return c->flags & AZ_QC_ID ? 1 : c->type == AZ_TEXT ? n / 64 + 1 : n / 1000 + 1;
    if (b.low >= 0 && b.high >= 0)
        return n / 16 + 1;
    return b.low >= 0 || b.high >= 0 ? n / 3 + 1 : HUGE_VAL;
}

static void use_constraint(sqlite3_index_info *info, int constraint, int *arguments)
{
    if (constraint >= 0)
        info->aConstraintUsage[constraint].argvIndex = ++*arguments;
}

/* Columns by which rows are to be sorted or grouped, where no index has their order: SQLite then
 * neither sorts rows nor copies them. */
static void add_order(const struct az_query_table *t, sqlite3_index_info *info, sqlite3_str *s)
{
    bool can = info->nOrderBy > 0 && info->nOrderBy <= MOST_ORDERS && !info->orderByConsumed;

    for (int i = 0; can && i < info->nOrderBy; i++)
        can = az_query_can_order(&t->columns[column_of(info->aOrderBy[i].iColumn)]);
    if (!can)
        return;
    sqlite3_str_appendall(s, "|");
    for (int i = 0; i < info->nOrderBy; i++)
        sqlite3_str_appendf(s, "%c%d;", info->aOrderBy[i].desc ? 'd' : 'a',
                            (int)column_of(info->aOrderBy[i].iColumn));
    info->orderByConsumed = 1;
}

/* Conditions on other columns: equal integers, names by = LIKE and GLOB; after a bar the order. */
static char *add_filters(const struct az_query_table *t, sqlite3_index_info *info, int *arguments)
{
    sqlite3_str *s = sqlite3_str_new(NULL);
    size_t n = 0;

    for (int i = 0; i < info->nConstraint && n < MOST_FILTERS; i++) {
        const int op = info->aConstraint[i].op;
        const size_t column = column_of(info->aConstraint[i].iColumn);
        const struct az_query_table_column *c = &t->columns[column];
        char what = 0;
        if (!info->aConstraint[i].usable || info->aConstraintUsage[i].argvIndex)
            continue;
        if (op == SQLITE_INDEX_CONSTRAINT_EQ && c->type == AZ_INT)
            what = 'i';
        else if (op == SQLITE_INDEX_CONSTRAINT_EQ && c->name_of && by_bytes(info, i))
            what = 'e';
        else if (op == SQLITE_INDEX_CONSTRAINT_LIKE && c->name_of)
            what = 'l';
        else if (op == SQLITE_INDEX_CONSTRAINT_GLOB && c->name_of)
            what = 'g';
        if (!what)
            continue;
        sqlite3_str_appendf(s, "%c%d;", what, (int)column);
        use_constraint(info, i, arguments);
        n++;
    }
    add_order(t, info, s);
    if (!sqlite3_str_length(s)) {
        sqlite3_free(sqlite3_str_finish(s));
        return NULL;
    }
    return sqlite3_str_finish(s);
}

static int best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    const struct table *x = (const struct table *)v;
    int rc, arguments = 0, flags = 0;
    struct az_query_rows *rows = az_query_rows_of(x->m->facts, x->m->table, &rc);
    struct bounds chosen = { -1, -1, -1 };
    double n, best;
    size_t column = 0;

    if (!rows)
        return SQLITE_NOMEM;
    n = (double)az_query_rows_n(rows);
    best = n + 1;
    for (size_t c = 0; c < x->t->n_columns; c++) {
        const struct bounds b = is_ordered(&x->t->columns[c]) ? bounds_of(x->t, info, c)
                                                              : (struct bounds){ -1, -1, -1 };
        const double rows_of = expected(&x->t->columns[c], b, n);
        if (rows_of < best) {
            best = rows_of;
            column = c;
            chosen = b;
        }
    }
    const bool bound = chosen.eq >= 0 || chosen.low >= 0 || chosen.high >= 0;
    if (info->nOrderBy == 1) {
        const size_t by = column_of(info->aOrderBy[0].iColumn);
        if (is_ordered(&x->t->columns[by]) && (!bound || by == column)) {
            column = by;
            info->orderByConsumed = 1;
            flags |= info->aOrderBy[0].desc ? PLAN_DESC : 0;
        }
    }
    flags |= chosen.eq >= 0 ? PLAN_EQ : 0;
    if (chosen.eq >= 0)
        chosen.low = chosen.high = -1;
    flags |= (chosen.low >= 0 ? PLAN_LOW : 0) | (chosen.high >= 0 ? PLAN_HIGH : 0);
    use_constraint(info, chosen.eq, &arguments);
    use_constraint(info, chosen.low, &arguments);
    use_constraint(info, chosen.high, &arguments);
    info->idxStr = add_filters(x->t, info, &arguments);
    info->needToFreeIdxStr = info->idxStr != NULL;
    info->idxNum = flags | (int)(column << PLAN_COLUMN);
    if (chosen.eq >= 0 && (x->t->columns[column].flags & AZ_QC_ID))
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    /* a condition decided here costs less than a row passed on */
    const bool filtered = info->idxStr && *info->idxStr != '|';
    info->estimatedCost = best * (filtered ? 0.6 : 1.0) * (info->orderByConsumed ? 1.1 : 1.0);
    info->estimatedRows = (sqlite3_int64)(filtered ? best / 8 + 1 : best);
    return SQLITE_OK;
}

/* ---- values of a statement ---- */

/* A bound of an ordered column by a value: false: no row meets it. A value that is not a number
 * leaves the bound as it is, and SQLite decides. */
static bool number_bound(sqlite3_value *v, bool low, int64_t *bound)
{
    const int type = sqlite3_value_type(v);
    double x;

    if (type == SQLITE_NULL)
        return false;
    if (type == SQLITE_INTEGER) {
        *bound = sqlite3_value_int64(v);
        return true;
    }
    if (type != SQLITE_FLOAT)
        return true;
    x = low ? floor(sqlite3_value_double(v)) : ceil(sqlite3_value_double(v));
    *bound = x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN + 1 : (int64_t)x;
    return true;
}

static struct az_sv text_of(sqlite3_value *v)
{
    const unsigned char *s = sqlite3_value_text(v);
    return az_sv_make(s ? (const char *)s : "", (size_t)sqlite3_value_bytes(v));
}

static int bound(const struct cursor *c, const struct table *x, size_t column, sqlite3_value *v,
                 bool low, int64_t *out, bool *none)
{
    bool equal;

    if (!x->t->columns[column].name_of) {
        *none |= !number_bound(v, low, out);
        return 0;
    }
    (void)c;
    if (sqlite3_value_type(v) == SQLITE_NULL) {
        *none = true;
        return 0;
    }
    if (sqlite3_value_type(v) == SQLITE_BLOB)
        return 0; /* after all texts, whichever way: SQLite decides */
    return az_query_name_place(x->m->facts, text_of(v), out, &equal);
}

static void clear_filters(struct cursor *c)
{
    for (size_t i = 0; i < c->n_filters; i++)
        sqlite3_free(c->filter[i].matches);
    c->n_filters = 0;
}

/* Which names meet a condition: each is computed once, and not for each row. */
static int match_names(const struct table *x, struct filter *f, char what, sqlite3_value *v)
{
    const struct az_sv *text;
    const struct az_sv pattern = text_of(v);
    const char *p = (const char *)sqlite3_value_text(v);
    size_t n;
    const int rc = az_query_names(x->m->facts, &text, &n);

    if (rc)
        return SQLITE_NOMEM;
    f->matches = sqlite3_malloc64(n + 1);
    if (!f->matches || !p)
        return SQLITE_NOMEM;
    f->n = n;
    for (size_t i = 0; i < n; i++)
        f->matches[i] = what == 'e'   ? az_sv_eq(text[i], pattern)
                        : what == 'l' ? sqlite3_strlike(p, text[i].p, 0) == 0
                                      : sqlite3_strglob(p, text[i].p) == 0;
    return SQLITE_OK;
}

static int set_filters(struct cursor *c, const struct table *x, const char *list,
                       sqlite3_value **argv, bool *none)
{
    int rc = SQLITE_OK;

    for (; list && *list && *list != '|' && rc == SQLITE_OK; argv++) {
        struct filter f = { 0 };
        const char what = *list++;
        for (; *list != ';'; list++)
            f.column = f.column * 10 + (size_t)(*list - '0');
        list++;
        const int type = sqlite3_value_type(*argv);
        if (type == SQLITE_NULL)
            *none = true;
        if (what == 'i' && type == SQLITE_INTEGER)
            f.number = sqlite3_value_int64(*argv);
        else if (what != 'i' && type == SQLITE_TEXT)
            rc = match_names(x, &f, what, *argv);
        else
            continue; /* SQLite decides */
        c->filter[c->n_filters++] = f;
    }
    return rc;
}

static bool passes(const struct cursor *c, const struct table *x)
{
    for (size_t i = 0; i < c->n_filters; i++) {
        const struct filter *f = &c->filter[i];
        const struct az_query_table_column *col = &x->t->columns[f->column];
        if (f->matches) {
            const uint32_t number = az_query_name_number(c->row.seg->tr, col->name_of(&c->row));
            if (number >= f->n || !f->matches[number])
                return false;
        } else {
            struct az_cell cell;
            az_query_cell(&c->row, col, &cell);
            if (cell.type != AZ_INT || cell.i != f->number)
                return false;
        }
    }
    return true;
}

/* ---- walking ---- */

static int open_cursor(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    struct cursor *c = sqlite3_malloc(sizeof *c);
    (void)v;
    if (!c)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof *c);
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *b)
{
    clear_filters((struct cursor *)b);
    sqlite3_free(((struct cursor *)b)->sorted);
    sqlite3_free(b);
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *b)
{
    struct cursor *c = (struct cursor *)b;
    const struct table *x = (const struct table *)b->pVtab;

    while (c->at < c->stop) {
        const size_t i = c->desc ? --c->stop : c->at++;
        c->position = c->index.order ? c->index.order[i] : i;
        if (c->index.order && !c->desc && i + AHEAD < c->stop)
            az_query_rows_prefetch(c->rows, c->index.order[i + AHEAD], c->hint);
        az_query_rows_at(c->rows, c->position, &c->hint, &c->row);
        if (c->n_filters == 0 || passes(c, x))
            return SQLITE_OK;
    }
    c->end = true;
    return az_facts_of_error(x->m->facts) ? SQLITE_ERROR : SQLITE_OK;
}

static int range(struct cursor *c, const struct table *x, int plan, sqlite3_value **argv)
{
    const size_t column = (size_t)plan >> PLAN_COLUMN;
    int64_t low = INT64_MIN + 1, high = INT64_MAX;
    bool none = false;
    int rc = 0;

    if (plan & (PLAN_EQ | PLAN_LOW))
        rc = bound(c, x, column, argv[0], true, &low, &none);
    if (rc == 0 && (plan & PLAN_EQ))
        rc = bound(c, x, column, argv[0], false, &high, &none);
    if (rc == 0 && (plan & PLAN_HIGH))
        rc = bound(c, x, column, argv[plan & PLAN_LOW ? 1 : 0], false, &high, &none);
    if (rc)
        return SQLITE_NOMEM;
    if (plan & (PLAN_EQ | PLAN_LOW | PLAN_HIGH)) {
        c->at = none ? 0 : az_query_index_find(c->rows, column, &c->index, low);
        c->stop = none                ? 0
                  : high == INT64_MAX ? c->index.n
                                      : az_query_index_find(c->rows, column, &c->index, high + 1);
    }
    return SQLITE_OK;
}

/* The positions of the run that pass, sorted by the columns of the list. */
static int sort_rows(struct cursor *c, const struct table *x, const char *list)
{
    struct az_query_by by[MOST_ORDERS];
    size_t n_by = 0, n = 0;

    c->sorted = sqlite3_malloc64((c->stop - c->at + 1) * sizeof *c->sorted);
    if (!c->sorted)
        return SQLITE_NOMEM;
    for (; *list; list++) {
        by[n_by] = (struct az_query_by){ .desc = *list++ == 'd' };
        for (; *list != ';'; list++)
            by[n_by].column = by[n_by].column * 10 + (size_t)(*list - '0');
        n_by++;
    }
    for (; c->at < c->stop; c->at++) {
        const uint32_t at = c->index.order ? c->index.order[c->at] : (uint32_t)c->at;
        if (c->n_filters)
            az_query_rows_at(c->rows, at, &c->hint, &c->row);
        if (c->n_filters == 0 || passes(c, x))
            c->sorted[n++] = at;
    }
    clear_filters(c);
    c->index = (struct az_query_index){ .order = c->sorted, .n = n };
    c->at = 0;
    c->stop = n;
    return az_query_sort_rows(c->rows, by, n_by, c->sorted, n) ? SQLITE_NOMEM : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *b, int plan, const char *list, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)b;
    const struct table *x = (const struct table *)b->pVtab;
    const int used =
        (plan & PLAN_EQ ? 1 : 0) + (plan & PLAN_LOW ? 1 : 0) + (plan & PLAN_HIGH ? 1 : 0);
    bool none = false;
    int rc;
    (void)argc;

    clear_filters(c);
    sqlite3_free(c->sorted);
    c->sorted = NULL;
    c->rows = az_query_rows_of(x->m->facts, x->m->table, &rc);
    if (!c->rows)
        return SQLITE_NOMEM;
    c->end = false;
    c->hint = 0;
    if (az_query_index_of(c->rows, (size_t)plan >> PLAN_COLUMN, &c->index))
        return SQLITE_NOMEM;
    c->at = 0;
    c->stop = c->index.n;
    c->desc = (plan & PLAN_DESC) != 0;
    rc = range(c, x, plan, argv);
    if (rc == SQLITE_OK)
        rc = set_filters(c, x, list, argv + used, &none);
    if (none)
        c->stop = c->at;
    const char *order = rc == SQLITE_OK && list ? strchr(list, '|') : NULL;
    if (order)
        rc = sort_rows(c, x, order + 1);
    return rc == SQLITE_OK ? next_row(b) : rc;
}

static int at_end(sqlite3_vtab_cursor *b) { return ((const struct cursor *)b)->end; }

void az_query_result(sqlite3_context *ctx, const struct az_cell *c)
{
    switch (c->type) {
    case AZ_TEXT:
        sqlite3_result_text64(ctx, c->s, c->len, SQLITE_STATIC, SQLITE_UTF8);
        break;
    case AZ_INT:
        sqlite3_result_int64(ctx, c->i);
        break;
    case AZ_REAL:
        sqlite3_result_double(ctx, c->f);
        break;
    case AZ_BOOL:
        sqlite3_result_int(ctx, c->b);
        break;
    case AZ_EMPTY:
        break;
    }
}

static int column(sqlite3_vtab_cursor *b, sqlite3_context *ctx, int i)
{
    const struct cursor *c = (const struct cursor *)b;
    const struct table *x = (const struct table *)b->pVtab;
    struct az_cell cell;

    az_query_cell(&c->row, &x->t->columns[i], &cell);
    az_query_result(ctx, &cell);
    return cell.type == AZ_EMPTY && az_facts_of_error(x->m->facts) ? SQLITE_ERROR : SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *b, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((const struct cursor *)b)->position + 1;
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

int az_query_vtab_add(sqlite3 *db, const struct az_query_module *m)
{
    return sqlite3_create_module_v2(db, az_query_table_list[m->table]->name, &module, (void *)m,
                                    NULL);
}
