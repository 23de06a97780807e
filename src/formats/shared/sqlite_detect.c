/* A database in a folder: of a profiler, or of anything else that stores its rows in SQLite. */
#include "formats/shared/sqlite_open.h"

#include "formats/shared/unsupported_formats.h"

static const struct az_sqlite_kind kind = { "the database of a profiler", "copy it again",
                                            .views = false };

/* Reads the names of all tables; what cannot be read to its end stays undecided. */
static const char *judge(struct az_sqlite *x, bool (*known)(struct az_sv table))
{
    const char *why = NULL;
    sqlite3_stmt *st = NULL;
    bool any = false;
    int rc = az_sqlite_prepare(
        x, "SELECT name FROM sqlite_master WHERE type IN ('table','view') ORDER BY name", &st);

    while (rc == SQLITE_OK && (rc = az_sqlite_step(x, st)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(st, 0);
        const struct az_sv name = az_sv_str(text ? text : "");
        any |= !text || known(name);
        why = why ? why : az_foreign_table(name);
        rc = SQLITE_OK;
    }
    sqlite3_finalize(st);
    if (any || rc != SQLITE_DONE)
        return NULL;
    return why ? why : "unsupported SQLite database: no tables of a supported profiler";
}

const char *az_sqlite_alien(const char *path, bool (*known)(struct az_sv table))
{
    struct az_diag silent;
    struct az_mem mem;
    struct az_parse job = { .diag = &silent, .mem = &mem };
    struct az_sqlite x;
    const char *why = NULL;

    az_diag_init(&silent);
    az_mem_init(&mem, 0);
    if (az_sqlite_open(&x, &job, &kind, az_sv_str(path)) == AZ_OK && !x.partial)
        why = judge(&x, known);
    az_sqlite_close(&x);
    az_diag_release(&silent);
    return why;
}
