/* Events of a report through SQLite: texts are numbers in the tables, and texts in the views. */
#include "reports/sqlite_events.h"

#include <sqlite3.h>

#include "base/intern.h"
#include "reports/shared/fields.h"

struct writer {
    const struct az_sqlite_more *more;
    struct az_intern texts; /* of events */
    sqlite3 *db;
    struct az_arena *scratch;
    struct az_mem *mem;
    int code; /* of SQLite: the first that is wrong */
    int error;
};

static bool is_usable(const struct writer *w)
{
    return w->code == SQLITE_OK && !w->error && !w->scratch->failed;
}

static void run_sql(struct writer *w, const char *sql)
{
    if (is_usable(w))
        w->code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(struct writer *w, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (is_usable(w))
        w->code = sql ? sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) : SQLITE_NOMEM;
    return st;
}

static void bind_text(struct writer *w, sqlite3_stmt *st, int at, struct az_sv s)
{
    const struct az_sv clean = az_field_text(w->scratch, s);
    if (st && is_usable(w))
        w->code = sqlite3_bind_text64(st, at, clean.p ? clean.p : "", clean.n, SQLITE_STATIC,
                                      SQLITE_UTF8);
}

static void bind_number(struct writer *w, sqlite3_stmt *st, int at, int64_t x)
{
    if (st && is_usable(w))
        w->code = sqlite3_bind_int64(st, at, x);
}

static void insert(struct writer *w, sqlite3_stmt *st)
{
    if (!st || !is_usable(w))
        return;
    const int code = sqlite3_step(st);
    if (code != SQLITE_DONE)
        w->code = code;
    sqlite3_reset(st);
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
            if (is_usable(w))
                w->code = sqlite3_bind_double(st, at, cells[i].f);
            break;
        case AZ_EMPTY:
            if (is_usable(w))
                w->code = sqlite3_bind_null(st, at);
            break;
        }
    }
    insert(w, st);
}

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
        run_sql(w, sql);
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
        w->error = az_intern(&w->texts, az_cell_text(&cells[i]), &id);
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
    for (size_t r = 0; st && out && is_usable(w) && r < t->rows; r++) {
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
            run_sql(w, sql);
        sqlite3_free(sql);
    }
}

static void write_events(struct writer *w, const struct az_table_list *events)
{
    az_intern_init(&w->texts, w->scratch, w->mem);
    run_sql(w, "CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT)");
    for (size_t i = 0; is_usable(w) && i < events->n; i++) {
        const struct az_table *t = events->v[i];
        bool taken = false;
        for (size_t k = 0; k < w->more->names->n; k++)
            taken |= az_sv_ieq(w->more->names->v[k], t->id);
        create_events(w, t, !taken);
        fill_events(w, t);
        index_events(w, t);
    }
    sqlite3_stmt *st = prepare(w, "INSERT INTO names VALUES(?, ?)");
    for (size_t i = 0; is_usable(w) && i < w->texts.text.n; i++) {
        bind_number(w, st, 1, (int64_t)i + 1);
        bind_text(w, st, 2, w->texts.text.v[i]);
        insert(w, st);
    }
    sqlite3_finalize(st);
    az_intern_release(&w->texts);
}

static void add_all(struct writer *w)
{
    const struct az_vec_sv *statements = w->more->statements;

    run_sql(w, "PRAGMA locking_mode=EXCLUSIVE"); /* the name is temporary: nobody else opens it */
    run_sql(w, "PRAGMA journal_mode=OFF");
    run_sql(w, "PRAGMA synchronous=OFF");
    run_sql(w, "BEGIN");
    for (size_t i = 0; is_usable(w) && i < statements->n; i++) {
        const char *sql = az_arena_str(w->scratch, statements->v[i]);
        if (sql)
            run_sql(w, sql);
    }
    if (is_usable(w) && w->more->events)
        write_events(w, w->more->events);
    run_sql(w, "COMMIT");
}

static int failed(const struct writer *w, struct az_diag *diag)
{
    const struct az_where at = AZ_AT_FILE(az_sv_str(w->more->path));

    if (w->error || w->scratch->failed || w->code == SQLITE_NOMEM)
        return az_diag_memory(diag, w->error ? w->error : az_arena_error(w->scratch), at, w->mem);
    return az_diag_fail(diag, AZ_EIO, at, "cannot write the database: %s",
                        w->db ? sqlite3_errmsg(w->db) : sqlite3_errstr(w->code));
}

int az_sqlite_add(const struct az_sqlite_more *more, struct az_arena *scratch, struct az_mem *mem,
                  struct az_diag *diag)
{
    struct writer w = { .more = more, .scratch = scratch, .mem = mem };
    int rc = 0;

    w.code = sqlite3_open_v2(more->file, &w.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    add_all(&w);
    if (!is_usable(&w))
        rc = failed(&w, diag);
    if (sqlite3_close(w.db) != SQLITE_OK && !rc)
        rc = AZ_EINTERNAL;
    return rc;
}
