/* The database of a window: SQLite makes the schema and copies what is not plain; rows of plain
 * tables, which are nearly all, are copied as they are stored (formats/shared/sqlite_append.h). */
#include <errno.h>
#include <stdio.h>

#include "formats/nsys/nsys_cut.h"
#include "formats/shared/sqlite_append.h"

struct table {
    const char *name, *sql;
    enum az_nsys_rule rule;
    bool plain;               /* has row numbers, and no index that SQLite makes by itself */
    bool left;                /* plain, but SQLite has to read its last rows */
    uint32_t root;            /* in the output */
    int64_t last;             /* row that was copied last */
    int at[NSYS_CUT_COLUMNS]; /* place among the columns that are read; -1: none */
};
AZ_VEC(struct table, tables);

struct writing {
    struct az_nsys_cutting *c;
    const char *path;
    sqlite3 *db; /* the output; NULL: not open */
    struct az_append *append;
    struct az_pages pages; /* of the table that is copied */
    struct table *now;
    struct tables tables;
};

static int fail_output(struct writing *w, const char *what)
{
    return az_diag_fail(w->c->job->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(w->c->job->out)),
                        "cannot write the database: %s (%s)", sqlite3_errmsg(w->db), what);
}

static int run_sql(struct writing *w, const char *sql)
{
    if (w->c->job->cancelled && w->c->job->cancelled())
        return AZ_EINTR;
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK ? AZ_OK
                                                                   : fail_output(w, "statement");
}

static int prepare(struct writing *w, struct az_sv sql, sqlite3_stmt **st)
{
    *st = NULL;
    if (!sql.p)
        return az_arena_error(&w->c->arena);
    return az_sqlite_prepare(&w->c->x.file, sql.p, st) == SQLITE_OK
               ? AZ_OK
               : az_sqlite_error(&w->c->x.file, sqlite3_errcode(w->c->x.db));
}

/* The first number of a query of the input about a table. */
static int64_t number_of(struct writing *w, const char *sql, const char *table)
{
    sqlite3_stmt *st = NULL;
    int64_t v = 0;
    if (sqlite3_prepare_v2(w->c->x.db, sql, -1, &st, NULL) == SQLITE_OK) {
        if (table)
            sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW)
            v = sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return v;
}

/* ---- the tables of the input ---- */

static enum az_nsys_rule rule_of(struct az_nsys_db *x, const char *table)
{
    static const struct {
        const char *name;
        enum az_nsys_rule rule;
    } known[] = { { "CUPTI_ACTIVITY_KIND_KERNEL", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_MEMCPY", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_MEMSET", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NSYS_SYNCS },
                  { "CUPTI_ACTIVITY_KIND_RUNTIME", NSYS_CALLS },
                  { "NVTX_EVENTS", NSYS_NVTX } };
    if (!az_nsys_has_column(x, table, "start") || !az_nsys_has_column(x, table, "end"))
        return NSYS_ALL;
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (strcmp(known[i].name, table) == 0 &&
            (known[i].rule != NSYS_NVTX || az_nsys_has_column(x, table, "eventType")))
            return known[i].rule;
    return NSYS_TIMED;
}

static int add_table(struct writing *w, const char *name, const char *sql)
{
    struct az_arena *a = &w->c->arena;
    struct table t = { .name = az_arena_str(a, az_sv_str(name)),
                       .sql = az_arena_str(a, az_sv_str(sql)) };
    if (!t.name || !t.sql)
        return az_arena_error(a);
    t.rule = rule_of(&w->c->x, t.name);
    t.plain = number_of(w, "SELECT count(*) FROM pragma_index_list(?1) WHERE origin <> 'c'",
                        t.name) == 0 &&
              number_of(w, "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden", t.name) == 0;
    return az_vec_push(&w->tables, t);
}

static int list_tables(struct writing *w)
{
    sqlite3_stmt *st;
    int rc = prepare(w,
                     AZ_SV("SELECT name,sql FROM sqlite_master WHERE type='table' AND rootpage>0"
                           " ORDER BY rowid"),
                     &st),
        code = SQLITE_ROW;
    while (rc == 0 && (code = az_sqlite_step(&w->c->x.file, st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0),
                   *sql = (const char *)sqlite3_column_text(st, 1);
        if (name && sql && sqlite3_strnicmp(name, "sqlite_", 7) != 0 &&
            strcmp(name, AZ_NSYS_WINDOW_TABLE) != 0)
            rc = add_table(w, name, sql);
    }
    sqlite3_finalize(st);
    return rc || code == SQLITE_DONE ? rc : az_sqlite_error(&w->c->x.file, code);
}

/* ---- the schema ---- */

/* Statements of the file make tables and indexes, and read nothing. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *db,
                     const char *trigger)
{
    (void)ctx, (void)a, (void)b, (void)db, (void)trigger;
    return action == SQLITE_SELECT || action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
}

/* The first statement of a text of the file. */
static int make_one(struct writing *w, const char *sql)
{
    sqlite3_stmt *st = NULL;
    sqlite3_set_authorizer(w->db, authorize, NULL);
    const bool done = sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) == SQLITE_OK &&
                      sqlite3_step(st) == SQLITE_DONE;
    sqlite3_finalize(st);
    const int rc = done ? AZ_OK : fail_output(w, "schema");
    sqlite3_set_authorizer(w->db, NULL, NULL);
    return rc;
}

static uint32_t root_of(struct writing *w, const char *table)
{
    sqlite3_stmt *st = NULL;
    uint32_t root = 0;
    if (sqlite3_prepare_v2(w->db,
                           "SELECT rootpage FROM sqlite_master WHERE type='table' AND name=?1"
                           " COLLATE NOCASE",
                           -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW)
            root = (uint32_t)sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return root;
}

/* Nothing that the database says of itself is run: no triggers, no views. */
static int open_output(struct writing *w)
{
    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return fail_output(w, "open");
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    return run_sql(w, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;"
                      "PRAGMA temp_store=MEMORY; PRAGMA ignore_check_constraints=ON");
}

static void close_output(struct writing *w)
{
    sqlite3_close(w->db);
    w->db = NULL;
}

static int set_format(struct writing *w)
{
    const char *encoding = "UTF-8";
    char sql[160];
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(w->c->x.db, "PRAGMA encoding", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        encoding = (const char *)sqlite3_column_text(st, 0);
    (void)snprintf(sql, sizeof sql,
                   "PRAGMA page_size=%lld; PRAGMA encoding='%s'; PRAGMA user_version=%lld;"
                   "PRAGMA application_id=%lld; BEGIN",
                   (long long)number_of(w, "PRAGMA page_size", NULL), encoding ? encoding : "UTF-8",
                   (long long)number_of(w, "PRAGMA user_version", NULL),
                   (long long)number_of(w, "PRAGMA application_id", NULL));
    sqlite3_finalize(st);
    return run_sql(w, sql);
}

static int put_window(struct writing *w)
{
    static const char columns[] = "(start INTEGER, \"end\" INTEGER, globalPid INTEGER)",
                      with_open[] = "(start INTEGER, \"end\" INTEGER, globalPid INTEGER,"
                                    " " AZ_NSYS_OPEN_END " INTEGER)";
    const struct az_window_parts *p = &w->c->parts;
    const bool open = w->c->open;
    char sql[160];
    sqlite3_stmt *st = NULL;
    (void)snprintf(sql, sizeof sql, "CREATE TABLE %s %s", AZ_NSYS_WINDOW_TABLE,
                   open ? with_open : columns);
    int rc = run_sql(w, sql);
    (void)snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?,?,?%s)", AZ_NSYS_WINDOW_TABLE,
                   open ? ",?" : "");
    if (rc == 0 && sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) != SQLITE_OK)
        rc = fail_output(w, "window");
    for (size_t i = 0; rc == 0 && i < p->spans.n; i++) {
        sqlite3_bind_int64(st, 1, p->spans.v[i].start);
        sqlite3_bind_int64(st, 2, p->spans.v[i].end);
        if (p->process.n)
            sqlite3_bind_int64(st, 3, (int64_t)p->process.v[i]);
        if (open)
            sqlite3_bind_int64(st, 4, w->c->open_end);
        if (sqlite3_step(st) != SQLITE_DONE)
            rc = fail_output(w, "window");
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc;
}

/* ---- rows by SQLite ---- */

/* Visible columns, "a","b"; their places by the names of the rules. */
static int list_columns(struct writing *w, struct table *t, struct az_sv *list, int *n, bool *keyed)
{
    sqlite3_stmt *st;
    int rc = prepare(w,
                     AZ_SV("SELECT name,pk FROM pragma_table_xinfo(?1) WHERE hidden=0"
                           " ORDER BY cid"),
                     &st);
    *list = AZ_SV("");
    *n = 0;
    *keyed = false;
    for (size_t k = 0; k < NSYS_CUT_COLUMNS; k++)
        t->at[k] = -1;
    if (rc == 0)
        sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    while (rc == 0 && az_sqlite_step(&w->c->x.file, st) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        char *text = sqlite3_mprintf("%s\"%w\"", *n ? "," : "", name);
        *list = az_arena_printf(&w->c->arena, "%.*s%s", AZ_SVF(*list), text ? text : "");
        *keyed |= sqlite3_column_int(st, 1) != 0 || sqlite3_stricmp(name, "rowid") == 0;
        for (size_t k = 0; k < NSYS_CUT_COLUMNS; k++)
            if (strcmp(name, az_nsys_cut_columns[k]) == 0)
                t->at[k] = *n;
        ++*n;
        rc = text && list->p ? AZ_OK : AZ_ENOMEM;
        sqlite3_free(text);
    }
    sqlite3_finalize(st);
    return rc;
}

static void take_columns(sqlite3_stmt *st, const struct table *t, int first,
                         struct az_nsys_cut_row *r)
{
    for (size_t k = 0; k < NSYS_CUT_COLUMNS; k++)
        r->v[k] = t->at[k] < 0 ? 0 : sqlite3_column_int64(st, first + t->at[k]);
    r->no_end = t->at[NSYS_CUT_END] < 0 ||
                sqlite3_column_type(st, first + t->at[NSYS_CUT_END]) == SQLITE_NULL;
    const int start = t->at[NSYS_CUT_START],
              type = start < 0 ? SQLITE_NULL : sqlite3_column_type(st, first + start);
    if (start >= 0 && type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        az_nsys_cut_untime(r);
}

static int copy_selected(struct writing *w, struct table *t, sqlite3_stmt *from, sqlite3_stmt *to,
                         int n, int first)
{
    struct az_cut *job = w->c->job;
    struct az_nsys_cut_row r;
    int rc = AZ_OK, code = SQLITE_ROW;
    while (rc == 0 && (code = az_sqlite_step(&w->c->x.file, from)) == SQLITE_ROW) {
        take_columns(from, t, first, &r);
        const bool kept = az_nsys_cut_keeps(w->c, t->rule, &r);
        job->read += t->rule != NSYS_ALL;
        job->kept += t->rule != NSYS_ALL && kept;
        if (!kept)
            continue;
        for (int i = 0; i < n; i++)
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
        rc = sqlite3_step(to) == SQLITE_DONE ? AZ_OK : fail_output(w, t->name);
        sqlite3_reset(to);
    }
    return rc || code == SQLITE_DONE ? rc : az_sqlite_error(&w->c->x.file, code);
}

/* Rows of a table after the last one that was copied as it is stored, if any. */
static int copy_by_sqlite(struct writing *w, struct table *t)
{
    sqlite3_stmt *from = NULL, *to = NULL;
    struct az_sv columns;
    struct az_vec_char sql;
    bool keyed;
    int n;
    az_vec_init(&sql, w->c->job->mem);
    int rc = list_columns(w, t, &columns, &n, &keyed);
    const char *number = keyed ? "" : "rowid,";
    char *select = sqlite3_mprintf("SELECT %s%.*s FROM \"%w\" NOT INDEXED%s", number,
                                   AZ_SVF(columns), t->name, t->left ? " WHERE rowid>?1" : "");
    n += keyed ? 0 : 1;
    char *target =
        sqlite3_mprintf("INSERT INTO \"%w\"(%s%.*s) VALUES(", t->name, number, AZ_SVF(columns));
    if (rc == 0 && (!select || !target))
        rc = AZ_ENOMEM;
    if (rc == 0)
        rc = az_text_append(&sql, az_sv_str(target));
    for (int i = 0; rc == 0 && i < n; i++)
        rc = az_text_append(&sql, i + 1 < n ? AZ_SV("?,") : AZ_SV("?)"));
    if (rc == 0)
        rc = prepare(w, az_sv_str(select), &from);
    if (rc == 0 && t->left)
        sqlite3_bind_int64(from, 1, t->last);
    if (rc == 0 && sqlite3_prepare_v2(w->db, sql.v, (int)sql.n, &to, NULL) != SQLITE_OK)
        rc = fail_output(w, t->name);
    if (rc == 0)
        rc = copy_selected(w, t, from, to, n, keyed ? 0 : 1);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    sqlite3_free(select);
    sqlite3_free(target);
    az_vec_release(&sql);
    return rc;
}

/* ---- rows as they are stored ---- */

static int take_stored(void *ctx, const struct az_pages_row *row)
{
    struct writing *w = ctx;
    struct table *t = w->now;
    struct az_cut *job = w->c->job;
    struct az_nsys_cut_row r;
    const int start = t->at[NSYS_CUT_START], end = t->at[NSYS_CUT_END];
    for (size_t k = 0; k < NSYS_CUT_COLUMNS; k++)
        r.v[k] = t->at[k] < 0 ? 0 : row->value[t->at[k]];
    r.no_end = end < 0 || (row->null >> end & 1);
    if (start >= 0 && (row->null >> start & 1))
        az_nsys_cut_untime(&r);
    const bool kept = az_nsys_cut_keeps(w->c, t->rule, &r);
    const int rc = kept ? az_append_row(w->append, &w->pages, row) : AZ_OK;
    if (rc)
        return rc;
    t->last = row->rowid;
    job->read += t->rule != NSYS_ALL;
    job->kept += t->rule != NSYS_ALL && kept;
    return AZ_OK;
}

/* Can the pages of a table be copied? */
static bool open_pages(struct writing *w, struct table *t)
{
    const char *columns[NSYS_CUT_COLUMNS];
    const unsigned wants = az_nsys_cut_wants(t->rule);
    size_t n = 0;
    for (size_t k = 0; k < NSYS_CUT_COLUMNS; k++) {
        const bool any =
            (wants >> k & 1) && az_nsys_has_column(&w->c->x, t->name, az_nsys_cut_columns[k]);
        t->at[k] = any ? (int)n : -1;
        if (any)
            columns[n++] = az_nsys_cut_columns[k];
    }
    return az_pages_open(&w->pages, &w->c->x.file, t->name, columns, n) &&
           w->pages.usable == w->pages.page_size;
}

static int copy_stored(struct writing *w, struct table *t)
{
    uint64_t given;
    if (!open_pages(w, t))
        return AZ_EINTERNAL; /* it could be opened before */
    w->now = t;
    t->last = INT64_MIN;
    az_append_begin(w->append, t->root);
    const int rc = az_pages_read(&w->pages, take_stored, w, &given);
    t->left = rc > 0;
    az_append_end(w->append);
    return rc < 0 ? rc : AZ_OK;
}

static int close_append(struct writing *w, int rc)
{
    const int closed = az_append_close(w->append);
    if (rc && rc != closed) /* the reading failed */
        return rc;
    if (closed == AZ_EFORMAT)
        return az_diag_fail(w->c->job->diag, AZ_EFORMAT, AZ_AT_FILE(w->c->job->in),
                            "damaged database: its tables are longer than the file; export the "
                            "report again");
    if (closed == AZ_EIO)
        return az_diag_fail(w->c->job->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(w->c->job->out)),
                            "cannot write the database: %s", strerror(errno));
    return closed;
}

/* ---- the order of it ---- */

/* Views and triggers are texts; nothing compiles them here. */
static int copy_texts(struct writing *w)
{
    sqlite3_stmt *from = NULL, *to = NULL;
    int rc = prepare(w,
                     AZ_SV("SELECT type,name,tbl_name,sql FROM sqlite_master WHERE type IN"
                           " ('view','trigger') ORDER BY rowid"),
                     &from);
    if (rc == 0)
        rc = run_sql(w, "PRAGMA writable_schema=ON");
    if (rc == 0 && sqlite3_prepare_v2(w->db, "INSERT INTO sqlite_master VALUES(?,?,?,0,?)", -1, &to,
                                      NULL) != SQLITE_OK)
        rc = fail_output(w, "schema");
    while (rc == 0 && az_sqlite_step(&w->c->x.file, from) == SQLITE_ROW) {
        for (int i = 0; i < 4; i++)
            sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
        rc = sqlite3_step(to) == SQLITE_DONE ? AZ_OK : fail_output(w, "schema");
        sqlite3_reset(to);
    }
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return rc ? rc : run_sql(w, "PRAGMA writable_schema=OFF");
}

/* Numbers that AUTOINCREMENT continues after. */
static int copy_sequences(struct writing *w)
{
    struct table t = { .name = "sqlite_sequence", .rule = NSYS_ALL };
    if (!root_of(w, t.name))
        return AZ_OK;
    const int rc = run_sql(w, "DELETE FROM sqlite_sequence");
    return rc ? rc : copy_by_sqlite(w, &t);
}

static int fail_schema(struct writing *w, const char *table)
{
    return az_diag_fail(w->c->job->diag, AZ_EFORMAT, AZ_AT_FILE(w->c->job->in),
                        "damaged database: the statement of table '%s' makes another table; export "
                        "the report again",
                        table);
}

/* The schema without its indexes, and tables that are not plain. */
static int make_tables(struct writing *w)
{
    int rc = open_output(w);
    if (rc == 0)
        rc = set_format(w);
    for (size_t i = 0; rc == 0 && i < w->tables.n; i++)
        rc = make_one(w, w->tables.v[i].sql);
    for (size_t i = 0; rc == 0 && i < w->tables.n; i++) {
        struct table *t = &w->tables.v[i];
        t->plain = t->plain && open_pages(w, t);
        t->root = root_of(w, t->name);
        rc = !t->root ? fail_schema(w, t->name) : t->plain ? AZ_OK : copy_by_sqlite(w, t);
    }
    if (rc == 0)
        rc = copy_sequences(w);
    if (rc == 0)
        rc = put_window(w);
    if (rc == 0)
        rc = run_sql(w, "COMMIT");
    close_output(w);
    return rc;
}

static int fill_tables(struct writing *w)
{
    int rc = AZ_OK;
    w->append =
        az_append_open(w->path, (uint32_t)number_of(w, "PRAGMA page_size", NULL), w->c->job->mem);
    if (!w->append && errno)
        return az_diag_fail(w->c->job->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(w->c->job->out)),
                            "cannot write the database: %s", strerror(errno));
    if (!w->append)
        return az_mem_error(w->c->job->mem);
    for (size_t i = 0; rc == 0 && i < w->tables.n; i++)
        if (w->tables.v[i].plain)
            rc = copy_stored(w, &w->tables.v[i]);
    return close_append(w, rc);
}

/* Rows that only SQLite can read, indexes, and the texts of views and triggers. */
static int finish_tables(struct writing *w)
{
    sqlite3_stmt *st = NULL;
    int rc = open_output(w), code = SQLITE_ROW;
    if (rc == 0)
        rc = run_sql(w, "BEGIN");
    for (size_t i = 0; rc == 0 && i < w->tables.n; i++)
        if (w->tables.v[i].left)
            rc = copy_by_sqlite(w, &w->tables.v[i]);
    if (rc == 0)
        rc = prepare(w,
                     AZ_SV("SELECT sql FROM sqlite_master WHERE type='index' AND sql IS NOT NULL"
                           " AND rootpage>0 ORDER BY rowid"),
                     &st);
    while (rc == 0 && (code = az_sqlite_step(&w->c->x.file, st)) == SQLITE_ROW)
        rc = make_one(w, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    if (rc == 0 && code != SQLITE_DONE)
        rc = az_sqlite_error(&w->c->x.file, code);
    if (rc == 0)
        rc = copy_texts(w);
    if (rc == 0)
        rc = run_sql(w, "COMMIT");
    close_output(w);
    return rc;
}

static bool has_rest(struct writing *w)
{
    bool rest = number_of(w, "SELECT count(*) FROM sqlite_master WHERE type<>'table'", NULL) != 0;
    for (size_t i = 0; i < w->tables.n; i++)
        rest |= w->tables.v[i].left;
    return rest;
}

int az_nsys_cut_write(struct az_nsys_cutting *c, const char *to)
{
    struct writing w = { .c = c, .path = to };
    az_vec_init(&w.tables, c->job->mem);
    int rc = list_tables(&w);
    if (rc == 0)
        rc = make_tables(&w);
    if (rc == 0)
        rc = fill_tables(&w);
    if (rc == 0 && has_rest(&w))
        rc = finish_tables(&w);
    close_output(&w);
    az_vec_release(&w.tables);
    return rc;
}
