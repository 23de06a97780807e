/* A database of the report `sqlite` (reports/sqlite.c) back into a document. The file is not
 * trusted: it is opened for reading only, views and triggers are off, and a statement ends after
 * more steps than reading so much can need. */
#include <sqlite3.h>

#include "io/path.h"
#include "saved/load.h"

#define MOST_TABLES   4096
#define LONGEST_VALUE (64 << 20) /* bytes */

struct reader {
    sqlite3 *db;
    struct az_document *doc;
    struct az_sv path;
    struct az_diag *diag;
    uint64_t calls, most; /* times that the machine was checked */
};

static int wrong(const struct reader *r)
{
    if (sqlite3_errcode(r->db) == SQLITE_NOMEM)
        return az_diag_memory(r->diag, AZ_ENOMEM, AZ_AT_FILE(r->path), r->doc->mem);
    return az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                        "is not a report database: %s; write it again", sqlite3_errmsg(r->db));
}

/* No statement of this file calls a function, and a view or recursion is none of them. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *db,
                     const char *view)
{
    (void)ctx;
    (void)a;
    (void)b;
    (void)db;
    return !view && (action == SQLITE_SELECT || action == SQLITE_READ) ? SQLITE_OK : SQLITE_DENY;
}

static int watch(void *ctx)
{
    struct reader *r = ctx;
    return ++r->calls > r->most;
}

static int prepare(const struct reader *r, const char *sql, sqlite3_stmt **st)
{
    if (!sql)
        return az_diag_memory(r->diag, AZ_ENOMEM, AZ_AT_FILE(r->path), NULL);
    return sqlite3_prepare_v2(r->db, sql, -1, st, NULL) == SQLITE_OK ? AZ_OK : wrong(r);
}

/* 1: a row; 0: the end; negative: an error. */
static int next_row(const struct reader *r, sqlite3_stmt *st)
{
    const int code = sqlite3_step(st);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : wrong(r);
}

static struct az_sv column_text(const struct reader *r, sqlite3_stmt *st, int column)
{
    const unsigned char *s = sqlite3_column_text(st, column);
    return az_arena_dup(r->doc->arena, az_sv_make(s ? (const char *)s : "",
                                                  (size_t)sqlite3_column_bytes(st, column)));
}

static int read_columns(const struct reader *r, struct az_table *t, struct az_sv name)
{
    sqlite3_stmt *st = NULL;
    int rc = prepare(r,
                     "SELECT header, type, unit, direction, \"key\" FROM columns WHERE "
                     "table_name = ? ORDER BY rowid",
                     &st);

    if (rc == AZ_OK)
        sqlite3_bind_text64(st, 1, name.p, name.n, SQLITE_STATIC, SQLITE_UTF8);
    while (rc == AZ_OK && (rc = next_row(r, st)) == 1) {
        enum az_cell_type type;
        enum az_unit unit;
        const struct az_sv header = column_text(r, st, 0), type_word = column_text(r, st, 1),
                           unit_word = column_text(r, st, 2);
        rc = AZ_OK;
        if (!az_cell_type_named(type_word, &type) || !az_unit_named(unit_word, &unit)) {
            rc = az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                              "table '%.*s' has a column of an unknown type or unit '%.*s'",
                              AZ_SVF(name), AZ_SVF(unit_word));
            break;
        }
        az_table_columnsv(t, header, type, unit,
                          az_direction_named(column_text(r, st, 3)) |
                              (sqlite3_column_int(st, 4) ? AZ_KEY : 0));
    }
    sqlite3_finalize(st);
    return rc;
}

static void put_column(const struct reader *r, struct az_table *t, sqlite3_stmt *st, int i)
{
    const enum az_cell_type type = t->columns.v[i].type;
    const int stored = sqlite3_column_type(st, i);

    if (stored == SQLITE_NULL)
        az_put_empty(t);
    else if (type == AZ_TEXT || type == AZ_EMPTY)
        az_put_text(t, column_text(r, st, i));
    else if (type == AZ_INT)
        az_put_i64(t, sqlite3_column_int64(st, i));
    else if (type == AZ_BOOL)
        az_put_bool(t, sqlite3_column_int(st, i) != 0);
    else
        az_put_f64(t, sqlite3_column_double(st, i));
}

static int read_rows(const struct reader *r, struct az_table *t, struct az_sv name)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%.*w\" ORDER BY rowid", AZ_SVF(name));
    sqlite3_stmt *st = NULL;
    int rc = prepare(r, sql, &st);

    if (rc == AZ_OK && (size_t)sqlite3_column_count(st) != t->columns.n)
        rc = az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                          "table '%.*s' has %d columns, and %zu are described", AZ_SVF(name),
                          sqlite3_column_count(st), t->columns.n);
    while (rc == AZ_OK && (rc = next_row(r, st)) == 1) {
        for (int i = 0; i < (int)t->columns.n; i++)
            put_column(r, t, st, i);
        rc = t->error;
    }
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return rc;
}

static int read_table(const struct reader *r, sqlite3_stmt *st)
{
    const struct az_sv name = column_text(r, st, 0);
    struct az_table *t = az_table_new(r->doc->arena, "", "", AZ_TABLE_KEEP_EMPTY);

    if (!t || !name.p)
        return az_diag_memory(r->diag, az_arena_error(r->doc->arena), AZ_AT_FILE(r->path),
                              r->doc->mem);
    t->id = column_text(r, st, 1);
    t->title = column_text(r, st, 2);
    int rc = read_columns(r, t, name);
    if (rc == AZ_OK)
        rc = read_rows(r, t, name);
    if (rc == AZ_OK && az_document_has(r->doc, t->id))
        rc = az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                          "has a duplicate table '%.*s'; write it again", AZ_SVF(t->id));
    if (rc)
        az_table_free(t);
    else
        rc = az_document_add(r->doc, t);
    return rc == AZ_ENOMEM || rc == AZ_ELIMIT
               ? az_diag_memory(r->diag, rc, AZ_AT_FILE(r->path), r->doc->mem)
               : rc;
}

static int read_meta(const struct reader *r)
{
    const struct {
        const char *key;
        struct az_sv *to;
    } all[] = { { "schema", &r->doc->schema },
                { "title", &r->doc->title },
                { "format", &r->doc->format } };
    sqlite3_stmt *st = NULL;
    int rc = prepare(r, "SELECT key, value FROM meta", &st);

    while (rc == AZ_OK && (rc = next_row(r, st)) == 1) {
        const struct az_sv key = column_text(r, st, 0);
        for (size_t i = 0; i < AZ_LENGTH(all); i++)
            if (az_sv_is(key, all[i].key))
                *all[i].to = column_text(r, st, 1);
        rc = AZ_OK;
    }
    sqlite3_finalize(st);
    return rc;
}

/* A generated column is a function of the database, inside which nothing is interrupted. */
static int refuse_generated(const struct reader *r)
{
    sqlite3_stmt *st = NULL;
    int rc = prepare(r,
                     "SELECT m.name FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE "
                     "m.type = 'table' AND x.hidden > 1 LIMIT 1",
                     &st);

    if (rc == AZ_OK)
        rc = next_row(r, st);
    if (rc == 1)
        rc = az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                          "table '%.*s' has generated columns: not a report database; write it "
                          "again",
                          AZ_SVF(column_text(r, st, 0)));
    sqlite3_finalize(st);
    return rc;
}

static int read_all(const struct reader *r)
{
    sqlite3_stmt *st = NULL;
    size_t n = 0;
    int rc = read_meta(r);

    if (rc == AZ_OK)
        rc = prepare(r, "SELECT name, id, title FROM tables ORDER BY rowid", &st);
    while (rc == AZ_OK && (rc = next_row(r, st)) == 1)
        rc = ++n > MOST_TABLES ? az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_FILE(r->path),
                                              "has more than %d tables", MOST_TABLES)
                               : read_table(r, st);
    sqlite3_finalize(st);
    return rc;
}

int az_load_database(struct az_document *doc, const char *path, struct az_diag *diag)
{
    struct reader r = { .doc = doc, .path = az_sv_str(path), .diag = diag };
    int rc;

    r.most = az_path_stat(path).size / 100 + 10000; /* a step a tenth of a byte, and more */
    if (sqlite3_open_v2(path, &r.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        rc = wrong(&r);
    } else {
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
        sqlite3_progress_handler(r.db, 1000, watch, &r);
        sqlite3_limit(r.db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
        rc = refuse_generated(&r);
        if (rc == AZ_OK && sqlite3_set_authorizer(r.db, authorize, NULL) != SQLITE_OK)
            rc = wrong(&r);
        if (rc == AZ_OK)
            rc = read_all(&r);
    }
    sqlite3_close(r.db);
    return rc;
}
