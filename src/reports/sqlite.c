/* SQLite report: one database with every table of the report, for any tool that opens such files.
 *   meta     schema, title, input, format of the report
 *   tables   the tables in order: name in the database, id, title, rows
 *   columns  of each table: name (the canonical id), header and title, type, unit, direction, key
 * and each table under its id; an id in use, ignoring case, gets "_2" after it. Whole numbers
 * are INTEGER, others REAL, flags BOOLEAN (0, 1). A table with keys has an index of them. The file
 * is one page after the other without a journal, written under a temporary name, and equal reports
 * have equal bytes. It is read back by saved/load_sqlite.c. */
#include <sqlite3.h>

#include "base/intern.h"
#include "io/outfile.h"
#include "reports/report.h"
#include "reports/shared/fields.h"
#include "saved/load.h"

#define INDEXED      3   /* key columns of an index at most */
#define OWN_NAMES    4   /* meta, tables, columns, names */
#define INDEXED_ROWS 64  /* fewer are on a few pages, and found as fast without an index */
#define SMALL_BLOCK  512 /* bytes, and number, of the blocks that SQLite recycles for its parser */
#define SMALL_BLOCKS 512

struct writer {
    struct az_intern names; /* texts of events */
    sqlite3 *db;
    sqlite3_stmt *table, *column; /* a row of 'tables', of 'columns' */
    struct az_arena *scratch;
    struct az_mem *mem;
    struct az_vec_sv used;
    int code; /* of SQLite: the first that is wrong */
    int error;
};

/* Columns of a table that a database can have (SQLITE_MAX_COLUMN). */
static size_t columns_of(const struct writer *w, const struct az_table *t)
{
    const int most = sqlite3_limit(w->db, SQLITE_LIMIT_COLUMN, -1);
    return t->columns.n < (size_t)most ? t->columns.n : (size_t)most;
}

static bool good(const struct writer *w)
{
    return w->code == SQLITE_OK && !w->error && !w->scratch->failed;
}

static void run(struct writer *w, const char *sql)
{
    if (good(w))
        w->code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(struct writer *w, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (good(w))
        w->code = sql ? sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) : SQLITE_NOMEM;
    return st;
}

static void bind_text(struct writer *w, sqlite3_stmt *st, int at, struct az_sv s)
{
    const struct az_sv clean = az_field_text(w->scratch, s);
    if (st && good(w))
        w->code = sqlite3_bind_text64(st, at, clean.p ? clean.p : "", clean.n, SQLITE_STATIC,
                                      SQLITE_UTF8);
}

static void bind_number(struct writer *w, sqlite3_stmt *st, int at, int64_t x)
{
    if (st && good(w))
        w->code = sqlite3_bind_int64(st, at, x);
}

static void insert(struct writer *w, sqlite3_stmt *st)
{
    if (!st || !good(w))
        return;
    const int code = sqlite3_step(st);
    if (code != SQLITE_DONE)
        w->code = code;
    sqlite3_reset(st);
}

/* ---- facts about the tables ---- */

static void meta(struct writer *w, const struct az_document *doc)
{
    const struct {
        const char *key;
        struct az_sv value;
    } all[] = { { "schema", doc->schema.n ? doc->schema : AZ_SV("analyzer-result/1") },
                { "title", doc->title },
                { "input", doc->input },
                { "format", doc->format } };
    sqlite3_stmt *st = prepare(w, "INSERT INTO meta VALUES(?, ?)");

    for (size_t i = 0; i < AZ_LENGTH(all); i++) {
        bind_text(w, st, 1, az_sv_str(all[i].key));
        bind_text(w, st, 2, all[i].value);
        insert(w, st);
    }
    sqlite3_finalize(st);
}

/* A name for a table that SQLite does not reserve and that no other has. */
static struct az_sv table_name(struct writer *w, struct az_sv id)
{
    struct az_sv name = az_arena_dup(w->scratch, az_field_line(w->scratch, id));
    struct az_sv out = name;
    size_t k = 1;

    for (size_t i = 0; out.p && i < w->used.n; i++)
        if (az_sv_ieq(w->used.v[i], out)) {
            out = az_arena_printf(w->scratch, "%.*s_%zu", AZ_SVF(name), ++k);
            i = (size_t)-1; /* against all again */
        }
    if (out.p && az_sv_starts(out, AZ_SV("sqlite_")))
        out = az_arena_printf(w->scratch, "table_%.*s", AZ_SVF(out));
    if (out.p && az_vec_push(&w->used, out))
        w->error = az_mem_error(w->mem);
    return out;
}

static void describe(struct writer *w, const struct az_table *t, struct az_sv name)
{
    bind_text(w, w->table, 1, name);
    bind_text(w, w->table, 2, t->id);
    bind_text(w, w->table, 3, t->title);
    bind_number(w, w->table, 4, (int64_t)t->rows);
    insert(w, w->table);
    for (size_t i = 0; i < columns_of(w, t); i++) {
        const struct az_column *c = &t->columns.v[i];
        bind_text(w, w->column, 1, name);
        bind_text(w, w->column, 2, c->id);
        bind_text(w, w->column, 3, c->name);
        bind_text(w, w->column, 4, c->title);
        bind_text(w, w->column, 5, az_sv_str(az_cell_type_text(c->type)));
        bind_text(w, w->column, 6, az_sv_str(az_unit_name(c->unit)));
        bind_text(w, w->column, 7, az_sv_str(az_direction_text(c->flags)));
        bind_number(w, w->column, 8, (c->flags & AZ_KEY) != 0);
        insert(w, w->column);
    }
}

/* Of all tables before the first is created: a statement is compiled again after each change of the
 * schema. Their names follow those of the writer's own in 'used'. */
static void describe_all(struct writer *w, const struct az_document *doc)
{
    w->table = prepare(w, "INSERT INTO tables VALUES(?, ?, ?, ?)");
    w->column = prepare(w, "INSERT INTO columns VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    for (size_t i = 0; good(w) && i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (!(t->flags & AZ_TABLE_TEXT_ONLY))
            describe(w, t, table_name(w, t->id));
    }
    sqlite3_finalize(w->table);
    sqlite3_finalize(w->column);
}

/* ---- tables ---- */

static const char *declared(enum az_cell_type t)
{
    static const char *const text[] = { [AZ_EMPTY] = "",
                                        [AZ_TEXT] = " TEXT",
                                        [AZ_INT] = " INTEGER",
                                        [AZ_REAL] = " REAL",
                                        [AZ_BOOL] = " BOOLEAN" };
    return text[t];
}

static void create(struct writer *w, const struct az_table *t, struct az_sv name)
{
    sqlite3_str *s = sqlite3_str_new(w->db);

    sqlite3_str_appendf(s, "CREATE TABLE \"%.*w\"(", AZ_SVF(name));
    for (size_t i = 0; i < columns_of(w, t); i++) {
        const struct az_sv id = az_field_line(w->scratch, t->columns.v[i].id);
        sqlite3_str_appendf(s, "%s\"%.*w\"%s", i ? ", " : "", AZ_SVF(id),
                            declared(t->columns.v[i].type));
    }
    sqlite3_str_appendall(s, ")");
    char *sql = sqlite3_str_finish(s);
    if (sql)
        run(w, sql);
    else
        w->error = AZ_ENOMEM;
    sqlite3_free(sql);
}

static void put_row(struct writer *w, sqlite3_stmt *st, const struct az_cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int at = (int)i + 1;
        switch (cells[i].type) {
        case AZ_TEXT:
            bind_text(w, st, at, az_cell_text(&cells[i]));
            break;
        case AZ_INT:
            bind_number(w, st, at, cells[i].i);
            break;
        case AZ_BOOL:
            bind_number(w, st, at, cells[i].b);
            break;
        case AZ_REAL:
            if (good(w))
                w->code = sqlite3_bind_double(st, at, cells[i].f);
            break;
        case AZ_EMPTY:
            if (good(w))
                w->code = sqlite3_bind_null(st, at);
            break;
        }
    }
    insert(w, st);
}

static void fill(struct writer *w, const struct az_table *t, struct az_sv name)
{
    sqlite3_str *s = sqlite3_str_new(w->db);
    struct az_rows rows;

    const size_t columns = columns_of(w, t);
    sqlite3_str_appendf(s, "INSERT INTO \"%.*w\" VALUES(", AZ_SVF(name));
    for (size_t i = 0; i < columns; i++)
        sqlite3_str_appendall(s, i ? ", ?" : "?");
    sqlite3_str_appendall(s, ")");
    char *sql = sqlite3_str_finish(s);
    sqlite3_stmt *st = prepare(w, sql);
    az_rows_open(&rows, t, w->mem);
    for (size_t r = 0; st && good(w) && r < t->rows; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        if (cells)
            put_row(w, st, cells, columns);
        else
            w->error = az_rows_error(&rows);
    }
    az_rows_close(&rows);
    sqlite3_finalize(st);
    sqlite3_free(sql);
}

static void index_keys(struct writer *w, const struct az_table *t, struct az_sv name)
{
    size_t n = 0;

    if (t->rows < INDEXED_ROWS)
        return;
    sqlite3_str *s = sqlite3_str_new(w->db);
    sqlite3_str_appendf(s, "CREATE INDEX \"%.*w_by_key\" ON \"%.*w\"(", AZ_SVF(name), AZ_SVF(name));
    for (size_t i = 0; i < columns_of(w, t) && n < INDEXED; i++)
        if (t->columns.v[i].flags & AZ_KEY) {
            const struct az_sv id = az_field_line(w->scratch, t->columns.v[i].id);
            sqlite3_str_appendf(s, "%s\"%.*w\"", n++ ? ", " : "", AZ_SVF(id));
        }
    sqlite3_str_appendall(s, ")");
    char *sql = sqlite3_str_finish(s);
    if (!sql)
        w->error = AZ_ENOMEM;
    else if (n)
        run(w, sql);
    sqlite3_free(sql);
}

/* ---- events ---- */

static void create_events(struct writer *w, const struct az_table *t, bool view)
{
    sqlite3_str *s = sqlite3_str_new(w->db);

    sqlite3_str_appendf(s, "CREATE TABLE \"events_%.*w\"(", AZ_SVF(t->id));
    for (size_t i = 0; i < t->columns.n; i++)
        sqlite3_str_appendf(s, "%s\"%.*w\"%s", i ? ", " : "", AZ_SVF(t->columns.v[i].name),
                            t->columns.v[i].type == AZ_REAL ? " REAL" : " INTEGER");
    sqlite3_str_appendall(s, ");");
    if (view)
        sqlite3_str_appendf(s, "CREATE VIEW \"%.*w\" AS SELECT ", AZ_SVF(t->id));
    for (size_t i = 0; view && i < t->columns.n; i++) {
        const struct az_sv name = t->columns.v[i].name;
        sqlite3_str_appendall(s, i ? ", " : "");
        if (t->columns.v[i].type == AZ_TEXT)
            sqlite3_str_appendf(s, "(SELECT text FROM names WHERE id = e.\"%.*w\") AS ",
                                AZ_SVF(name));
        sqlite3_str_appendf(s, "\"%.*w\"", AZ_SVF(name));
    }
    if (view)
        sqlite3_str_appendf(s, " FROM \"events_%.*w\" e", AZ_SVF(t->id));
    char *sql = sqlite3_str_finish(s);
    if (sql)
        run(w, sql);
    else
        w->error = AZ_ENOMEM;
    sqlite3_free(sql);
}

/* Texts become numbers, from 1 on. */
static void put_event(struct writer *w, sqlite3_stmt *st, const struct az_cell *cells, size_t n,
                      struct az_cell *out)
{
    for (size_t i = 0; i < n && !w->error; i++) {
        uint32_t id = 0;
        out[i] = cells[i];
        if (cells[i].type != AZ_TEXT)
            continue;
        w->error = az_intern(&w->names, az_cell_text(&cells[i]), &id);
        out[i] = (struct az_cell){ .type = AZ_INT, .i = (int64_t)id + 1 };
    }
    put_row(w, st, out, n);
}

static void fill_events(struct writer *w, const struct az_table *t)
{
    sqlite3_str *s = sqlite3_str_new(w->db);
    struct az_cell *out = az_arena_array(w->scratch, t->columns.n, sizeof *out);
    struct az_rows rows;

    sqlite3_str_appendf(s, "INSERT INTO \"events_%.*w\" VALUES(", AZ_SVF(t->id));
    for (size_t i = 0; i < t->columns.n; i++)
        sqlite3_str_appendall(s, i ? ", ?" : "?");
    sqlite3_str_appendall(s, ")");
    char *sql = sqlite3_str_finish(s);
    sqlite3_stmt *st = prepare(w, sql);
    az_rows_open(&rows, t, w->mem);
    for (size_t r = 0; st && out && good(w) && r < t->rows; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        if (cells)
            put_event(w, st, cells, t->columns.n, out);
        else
            w->error = az_rows_error(&rows);
    }
    az_rows_close(&rows);
    sqlite3_finalize(st);
    sqlite3_free(sql);
}

static void index_events(struct writer *w, const struct az_table *t)
{
    static const char *const columns[] = { "id", "start_ns", "name" };

    for (size_t i = 0; i < AZ_LENGTH(columns); i++) {
        if (az_table_find(t, columns[i]) < 0)
            continue;
        char *sql = sqlite3_mprintf("CREATE INDEX \"events_%.*w_%s\" ON \"events_%.*w\"(%s)",
                                    AZ_SVF(t->id), columns[i], AZ_SVF(t->id), columns[i]);
        if (sql)
            run(w, sql);
        sqlite3_free(sql);
    }
}

static void write_events(struct writer *w, const struct az_table_list *events)
{
    az_intern_init(&w->names, w->scratch, w->mem);
    run(w, "CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT)");
    for (size_t i = 0; good(w) && i < events->n; i++) {
        const struct az_table *t = events->v[i];
        bool taken = false;
        for (size_t k = 0; k < w->used.n; k++)
            taken |= az_sv_ieq(w->used.v[k], t->id);
        create_events(w, t, !taken);
        fill_events(w, t);
        index_events(w, t);
    }
    sqlite3_stmt *st = prepare(w, "INSERT INTO names VALUES(?, ?)");
    for (size_t i = 0; good(w) && i < w->names.text.n; i++) {
        bind_number(w, st, 1, (int64_t)i + 1);
        bind_text(w, st, 2, w->names.text.v[i]);
        insert(w, st);
    }
    sqlite3_finalize(st);
    az_intern_release(&w->names);
}

static void write_all(struct writer *w, const struct az_document *doc)
{
    run(w, "PRAGMA locking_mode=EXCLUSIVE"); /* the name is temporary: nobody else opens it */
    run(w, "PRAGMA journal_mode=OFF");
    run(w, "PRAGMA synchronous=OFF");
    run(w, "PRAGMA application_id=1096436825"); /* AZ_DATABASE_ID */
    run(w, "PRAGMA user_version=1");
    run(w, "BEGIN");
    run(w, "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID");
    run(w, "CREATE TABLE tables(name TEXT, id TEXT, title TEXT, \"rows\" INTEGER)");
    run(w, "CREATE TABLE columns(table_name TEXT, column_name TEXT, header TEXT, title TEXT, "
           "type TEXT, unit TEXT, direction TEXT, \"key\" BOOLEAN)");
    meta(w, doc);
    describe_all(w, doc);
    for (size_t i = 0, k = OWN_NAMES; good(w) && i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (t->flags & AZ_TABLE_TEXT_ONLY)
            continue;
        const struct az_sv name = w->used.v[k++];
        create(w, t, name);
        fill(w, t, name);
        index_keys(w, t, name);
    }
    run(w, "CREATE INDEX columns_by_key ON columns(table_name, column_name)");
    if (good(w) && doc->events)
        write_events(w, doc->events);
    run(w, "COMMIT");
}

static void warn_columns(const struct writer *w, const struct az_document *doc, const char *path,
                         struct az_diag *diag)
{
    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (columns_of(w, t) < t->columns.n)
            az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(az_sv_str(path)),
                        "table '%.*s' has %zu columns, of which a database holds %zu; use CSV or "
                        "JSON for all",
                        AZ_SVF(t->id), t->columns.n, columns_of(w, t));
    }
}

static int failed(const struct writer *w, const char *path, struct az_diag *diag)
{
    const struct az_where at = AZ_AT_FILE(az_sv_str(path));

    if (w->error || w->scratch->failed || w->code == SQLITE_NOMEM)
        return az_diag_memory(diag, w->error ? w->error : az_arena_error(w->scratch), at, w->mem);
    return az_diag_fail(diag, AZ_EIO, at, "cannot write the database: %s",
                        w->db ? sqlite3_errmsg(w->db) : sqlite3_errstr(w->code));
}

static int sqlite_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                        struct az_diag *diag)
{
    struct writer w = { .scratch = scratch, .mem = doc->mem };
    static const struct az_sv own[OWN_NAMES] = {
        { "meta", 4 }, { "tables", 6 }, { "columns", 7 }, { "names", 5 }
    };
    struct az_sv tmp;
    int rc = az_outname_reserve(scratch, path, &tmp, diag);

    if (rc)
        return rc;
    az_vec_init(&w.used, doc->mem);
    for (size_t i = 0; i < AZ_LENGTH(own) && !w.error; i++)
        w.error = az_vec_push(&w.used, own[i]);
    w.code = sqlite3_open_v2(
        tmp.p, &w.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (w.code == SQLITE_OK)
        w.code =
            sqlite3_db_config(w.db, SQLITE_DBCONFIG_LOOKASIDE, NULL, SMALL_BLOCK, SMALL_BLOCKS);
    write_all(&w, doc);
    if (good(&w))
        warn_columns(&w, doc, path, diag);
    else
        rc = failed(&w, path, diag);
    if (sqlite3_close(w.db) != SQLITE_OK && !rc)
        rc = AZ_EINTERNAL;
    az_vec_release(&w.used);
    if (rc) {
        az_outname_discard(tmp.p);
        return rc;
    }
    return az_outname_commit(tmp.p, path, diag);
}

const struct az_report az_report_sqlite = {
    .name = "sqlite",
    .extension = ".sqlite",
    .help = "one SQLite database with every table and column descriptions (docs/query.md 4)",
    .events = true,
    .write = sqlite_write,
};
