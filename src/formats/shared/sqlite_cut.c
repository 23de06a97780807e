/* A database with some rows of another one: see the header. */
#include "formats/shared/sqlite_cut.h"

#include <errno.h>
#include <stdio.h>

#include "formats/shared/sqlite_append.h"
#include "io/outfile.h"
#include "io/path.h"

struct table {
    const char *name, *sql;
    int rule;               /* 0: all rows */
    bool plain;             /* has row numbers, and no index that SQLite makes by itself */
    bool left;              /* plain, but SQLite has to read its last rows */
    uint32_t root;          /* in the output */
    int64_t last;           /* row that was copied last */
    int at[AZ_ROW_NUMBERS]; /* place among all columns, where SQLite reads it; -1: none */
    int text;               /* the same */
};
AZ_VEC(struct table, tables);

struct writing {
    const struct az_sqlite_cut *c;
    const char *path;
    sqlite3 *db; /* the output; NULL: not open */
    struct az_append *append;
    struct az_sqlite_table source; /* the table that is copied */
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
        return az_arena_error(w->c->arena);
    return az_sqlite_prepare(w->c->file, sql.p, st) == SQLITE_OK
               ? AZ_OK
               : az_sqlite_error(w->c->file, sqlite3_errcode(w->c->file->db));
}

/* The first number of a query of the input about a table. */
static int64_t number_of(struct writing *w, const char *sql, const char *table)
{
    sqlite3_stmt *st = NULL;
    int64_t v = 0;
    if (az_sqlite_prepare(w->c->file, sql, &st) == SQLITE_OK) {
        if (table)
            sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
        if (az_sqlite_step(w->c->file, st) == SQLITE_ROW)
            v = sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return v;
}

/* ---- the tables of the input ---- */

static int add_table(struct writing *w, const char *name, const char *sql)
{
    struct az_arena *a = w->c->arena;
    struct table t = { .name = az_arena_str(a, az_sv_str(name)),
                       .sql = az_arena_str(a, az_sv_str(sql)) };
    if (!t.name || !t.sql)
        return az_arena_error(a);
    t.rule = w->c->rule_of(w->c->ctx, t.name);
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
    while (rc == 0 && (code = az_sqlite_step(w->c->file, st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0),
                   *sql = (const char *)sqlite3_column_text(st, 1);
        if (name && sql && sqlite3_strnicmp(name, "sqlite_", 7) != 0 &&
            sqlite3_stricmp(name, w->c->window) != 0)
            rc = add_table(w, name, sql);
    }
    sqlite3_finalize(st);
    return rc || code == SQLITE_DONE ? rc : az_sqlite_error(w->c->file, code);
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

/* The first page of a table of the output; 0: it has none of this name. */
static int find_root(struct writing *w, const char *table, uint32_t *root)
{
    static const char sql[] = "SELECT rootpage FROM sqlite_master WHERE type='table' AND name=?1"
                              " COLLATE NOCASE";
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(w->db, sql, -1, &st, NULL);
    *root = 0;
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        *root = (uint32_t)sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return code == SQLITE_ROW || code == SQLITE_DONE ? AZ_OK : fail_output(w, table);
}

/* Nothing in the database is executed: no triggers, no views. */
static int open_output(struct writing *w)
{
    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return fail_output(w, "open");
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    sqlite3_db_config(w->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    return run_sql(w, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF;"
                      "PRAGMA ignore_check_constraints=ON");
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
    if (az_sqlite_prepare(w->c->file, "PRAGMA encoding", &st) == SQLITE_OK &&
        az_sqlite_step(w->c->file, st) == SQLITE_ROW)
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
    const struct az_sqlite_cut *c = w->c;
    const struct az_window_parts *p = c->parts;
    char sql[160];
    sqlite3_stmt *st = NULL;
    (void)snprintf(sql, sizeof sql,
                   "CREATE TABLE %s (start INTEGER, \"end\" INTEGER, %s INTEGER%s%s%s)", c->window,
                   c->process, c->more ? ", " : "", c->more ? c->more : "",
                   c->more ? " INTEGER" : "");
    int rc = run_sql(w, sql);
    (void)snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?,?,?%s)", c->window,
                   c->more ? ",?" : "");
    if (rc == 0 && sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) != SQLITE_OK)
        rc = fail_output(w, "window");
    for (size_t i = 0; rc == 0 && i < p->spans.n; i++) {
        sqlite3_bind_int64(st, 1, p->spans.v[i].start);
        sqlite3_bind_int64(st, 2, p->spans.v[i].end);
        if (p->process.n)
            sqlite3_bind_int64(st, 3, (int64_t)p->process.v[i]);
        if (c->more)
            sqlite3_bind_int64(st, 4, c->more_value);
        if (sqlite3_step(st) != SQLITE_DONE)
            rc = fail_output(w, "window");
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc;
}

/* ---- rows by SQLite ---- */

static void note_column(struct writing *w, struct table *t, const char *name, int n)
{
    const struct az_sqlite_columns *c = &w->c->columns;
    const unsigned wants = t->rule ? w->c->wants(w->c->ctx, t->rule) : 0;
    for (size_t k = 0; k < c->n; k++)
        if ((wants >> k & 1) && sqlite3_stricmp(name, c->number[k]) == 0)
            t->at[k] = n;
    if (c->text && sqlite3_stricmp(name, c->text) == 0)
        t->text = n;
}

/* Visible columns, "a","b"; their places by the names of the rules. */
static int list_columns(struct writing *w, struct table *t, struct az_sv *list, int *n, bool *keyed)
{
    sqlite3_stmt *st;
    int code = SQLITE_ROW;
    int rc = prepare(w,
                     AZ_SV("SELECT name,pk FROM pragma_table_xinfo(?1) WHERE hidden=0"
                           " ORDER BY cid"),
                     &st);
    *list = AZ_SV("");
    *n = 0;
    *keyed = false;
    for (size_t k = 0; k < w->c->columns.n; k++)
        t->at[k] = -1;
    t->text = -1;
    if (rc == 0)
        sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    while (rc == 0 && (code = az_sqlite_step(w->c->file, st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        char *text = sqlite3_mprintf("%s\"%w\"", *n ? "," : "", name);
        *list = az_arena_printf(w->c->arena, "%.*s%s", AZ_SVF(*list), text ? text : "");
        *keyed |= sqlite3_column_int(st, 1) != 0 || sqlite3_stricmp(name, "rowid") == 0;
        note_column(w, t, name, *n);
        ++*n;
        rc = text && list->p ? AZ_OK : AZ_ENOMEM;
        sqlite3_free(text);
    }
    sqlite3_finalize(st);
    if (rc == 0 && code != SQLITE_DONE)
        rc = az_sqlite_error(w->c->file, code);
    return rc;
}

static void take_columns(const struct writing *w, sqlite3_stmt *st, const struct table *t,
                         int first, struct az_sqlite_row *r)
{
    r->null = r->odd = 0;
    r->text = AZ_SV("");
    for (size_t k = 0; k < w->c->columns.n; k++)
        az_sqlite_row_number(r, k, st, t->at[k] < 0 ? -1 : first + t->at[k]);
    const char *text = t->text < 0 ? NULL : (const char *)sqlite3_column_text(st, first + t->text);
    if (text)
        r->text = az_sv_make(text, (size_t)sqlite3_column_bytes(st, first + t->text));
}

/* 1: kept; 0; or an error. */
static int is_kept(const struct writing *w, const struct table *t, const struct az_sqlite_row *r)
{
    return t->rule ? w->c->keeps(w->c->ctx, t->rule, r) : 1;
}

/* The first n values of a row into another one. */
static int copy_values(struct writing *w, sqlite3_stmt *from, sqlite3_stmt *to, int n,
                       const char *table)
{
    int code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < n; i++)
        code = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
    if (code == SQLITE_OK)
        code = sqlite3_step(to);
    sqlite3_reset(to);
    return code == SQLITE_DONE ? AZ_OK : fail_output(w, table);
}

static int copy_selected(struct writing *w, struct table *t, sqlite3_stmt *from, sqlite3_stmt *to,
                         int n, int first)
{
    struct az_sqlite_row r;
    int rc = AZ_OK, code = SQLITE_ROW;
    while (rc == 0 && (code = az_sqlite_step(w->c->file, from)) == SQLITE_ROW) {
        take_columns(w, from, t, first, &r);
        const int kept = is_kept(w, t, &r);
        rc = kept < 0 ? kept : AZ_OK;
        if (kept <= 0)
            continue;
        rc = copy_values(w, from, to, n, t->name);
    }
    return rc || code == SQLITE_DONE ? rc : az_sqlite_error(w->c->file, code);
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
    /* rows that a page does not name are missing without an error */
    return rc ? rc : az_pages_check(w->c->file, t->name);
}

/* ---- rows as they are stored ---- */

static int take_stored(void *ctx, const struct az_pages_row *row)
{
    struct writing *w = ctx;
    struct table *t = w->now;
    struct az_sqlite_row r;
    if (!az_record_is_whole(row) || (t->rule && !az_sqlite_row_parse(&w->source, row, &r)))
        return 1;
    const int kept = is_kept(w, t, &r),
              rc = kept > 0 ? az_append_row(w->append, &w->source.pages, row) : kept;
    if (rc == 0)
        t->last = row->rowid;
    return rc;
}

/* Can the pages of a table be copied? */
static bool open_pages(struct writing *w, struct table *t)
{
    const unsigned wants = t->rule ? w->c->wants(w->c->ctx, t->rule) : 0;
    return az_sqlite_table_open(&w->source, w->c->file, t->name, &w->c->columns, wants) &&
           w->source.plain && w->source.pages.usable == w->source.pages.page_size;
}

static int copy_stored(struct writing *w, struct table *t)
{
    uint64_t given;
    if (!open_pages(w, t)) /* it could be opened before */
        return w->c->file->starved ? az_sqlite_error(w->c->file, SQLITE_NOMEM) : AZ_EINTERNAL;
    w->now = t;
    t->last = INT64_MIN;
    az_append_begin(w->append, t->root);
    const int rc = az_pages_read(&w->source.pages, take_stored, w, &given);
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
                            "damaged database: its tables are longer than the file; %s",
                            w->c->file->kind->again);
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
    int code = SQLITE_ROW;
    int rc = prepare(w,
                     AZ_SV("SELECT type,name,tbl_name,sql FROM sqlite_master WHERE type IN"
                           " ('view','trigger') ORDER BY rowid"),
                     &from);
    if (rc == 0)
        rc = run_sql(w, "PRAGMA writable_schema=ON");
    if (rc == 0 && sqlite3_prepare_v2(w->db, "INSERT INTO sqlite_master VALUES(?,?,?,0,?)", -1, &to,
                                      NULL) != SQLITE_OK)
        rc = fail_output(w, "schema");
    while (rc == 0 && (code = az_sqlite_step(w->c->file, from)) == SQLITE_ROW) {
        if (sqlite3_stricmp((const char *)sqlite3_column_text(from, 1), w->c->window) == 0)
            continue;
        rc = copy_values(w, from, to, 4, "schema");
    }
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    if (rc == 0 && code != SQLITE_DONE)
        rc = az_sqlite_error(w->c->file, code);
    return rc ? rc : run_sql(w, "PRAGMA writable_schema=OFF");
}

/* Numbers that AUTOINCREMENT continues after. */
static int copy_sequences(struct writing *w)
{
    struct table t = { .name = "sqlite_sequence", .rule = 0 };
    int rc = find_root(w, t.name, &t.root);
    if (rc || !t.root)
        return rc;
    rc = run_sql(w, "DELETE FROM sqlite_sequence");
    return rc ? rc : copy_by_sqlite(w, &t);
}

static int fail_schema(struct writing *w, const char *table)
{
    return az_diag_fail(w->c->job->diag, AZ_EFORMAT, AZ_AT_FILE(w->c->job->in),
                        "damaged database: the statement of table '%s' makes another table; %s",
                        table, w->c->file->kind->again);
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
        rc = find_root(w, t->name, &t->root);
        if (rc == 0 && !t->root)
            rc = fail_schema(w, t->name);
        if (rc == 0 && !t->plain)
            rc = copy_by_sqlite(w, t);
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
    const uint32_t size = (uint32_t)number_of(w, "PRAGMA page_size", NULL);
    int rc = AZ_OK;
    if (!size)
        return az_sqlite_error(w->c->file, SQLITE_NOMEM);
    w->append = az_append_open(w->path, size, w->c->job->mem);
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
    while (rc == 0 && (code = az_sqlite_step(w->c->file, st)) == SQLITE_ROW)
        rc = make_one(w, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    if (rc == 0 && code != SQLITE_DONE)
        rc = az_sqlite_error(w->c->file, code);
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

static int write_database(const struct az_sqlite_cut *c, const char *to)
{
    struct writing w = { .c = c, .path = to };
    bool damaged;
    az_vec_init(&w.tables, c->job->mem);
    int rc = list_tables(&w);
    if (rc == 0)
        rc = make_tables(&w);
    if (rc == 0)
        rc = fill_tables(&w);
    if (rc == 0 && has_rest(&w))
        rc = finish_tables(&w);
    if (rc == 0 && c->file->starved)
        rc = az_sqlite_error(c->file, SQLITE_NOMEM);
    close_output(&w);
    az_vec_release(&w.tables);
    return rc ? rc : az_sqlite_check_damage(c->file, &damaged);
}

int az_sqlite_cut_write(const struct az_sqlite_cut *c)
{
    const char *out = c->job->out;
    struct az_sv tmp;
    const bool direct = az_path_stat(out).kind == AZ_PATH_OTHER;
    int rc = direct ? AZ_OK : az_outname_reserve(c->arena, out, &tmp, c->job->diag);
    if (rc)
        return rc;
    if (direct || az_sv_is(tmp, out)) /* it would be written at places that are not at its end */
        return az_diag_fail(c->job->diag, AZ_EUSAGE, AZ_AT_FILE(az_sv_str(out)),
                            "a database cannot be written to a pipe or device; name a file");
    rc = write_database(c, tmp.p);
    if (rc == 0)
        return az_outname_commit(tmp.p, out, c->job->diag);
    az_outname_discard(tmp.p);
    return rc;
}
