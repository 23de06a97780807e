/* Reading on after a damaged page of a table: where its next readable row is. A row's place
 * follows from its number alone, so that a seek fails exactly where the number leads to a damaged
 * page. */
#include "formats/shared/sqlite_pages.h"

enum seek_result { SEEK_ROW, SEEK_NONE, SEEK_DAMAGED, SEEK_FAILED };

/* The first row after a number. */
static enum seek_result seek_row(struct az_sqlite *x, sqlite3_stmt *st, int64_t after,
                                 int64_t *rowid)
{
    (void)sqlite3_bind_int64(st, 1, after);
    const int rc = az_sqlite_step(x, st);
    if (rc == SQLITE_ROW)
        *rowid = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    if (rc == SQLITE_ROW)
        return SEEK_ROW;
    if (rc == SQLITE_DONE)
        return SEEK_NONE;
    return (rc & 0xff) == SQLITE_CORRUPT ? SEEK_DAMAGED : SEEK_FAILED;
}

static sqlite3_stmt *statement(struct az_sqlite *x, const char *format, const char *table)
{
    sqlite3_stmt *st = NULL;
    char *sql = sqlite3_mprintf(format, table);
    x->starved |= !sql;
    const bool good = sql && az_sqlite_prepare(x, sql, &st) == SQLITE_OK;
    sqlite3_free(sql);
    return good ? st : NULL;
}

static bool last_row(struct az_sqlite *x, const char *table, int64_t *rowid)
{
    sqlite3_stmt *st = statement(x, "SELECT max(rowid) FROM \"%w\" NOT INDEXED", table);
    const bool found =
        st && az_sqlite_step(x, st) == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_INTEGER;
    if (found)
        *rowid = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return found;
}

/* Steps of doubled width over the damage, then the middle of what is between. */
static bool find_next(struct az_sqlite *x, sqlite3_stmt *st, int64_t last, int64_t end,
                      int64_t *next)
{
    int64_t bad = last, good = last, width = 1;
    enum seek_result r = SEEK_DAMAGED;
    while (r == SEEK_DAMAGED && good < end - 1) {
        bad = good;
        good = width < end - 1 - good ? good + width : end - 1;
        width = width < INT64_MAX / 2 ? 2 * width : width;
        r = seek_row(x, st, good, next);
    }
    if (r != SEEK_ROW)
        return false;
    while (good - bad > 1) {
        const int64_t middle = bad + (good - bad) / 2;
        int64_t row;
        r = seek_row(x, st, middle, &row);
        if (r != SEEK_ROW && r != SEEK_DAMAGED)
            return false;
        if (r == SEEK_ROW)
            *next = row;
        *(r == SEEK_ROW ? &good : &bad) = middle;
    }
    return true;
}

bool az_sqlite_last_row(struct az_sqlite *x, const char *table, int64_t *rowid)
{
    return last_row(x, table, rowid) || az_pages_last_key(x, table, rowid);
}

bool az_sqlite_resume(struct az_sqlite *x, const char *table, int64_t last, int64_t *next)
{
    int64_t end;
    *next = last + 1;
    const bool whole = last_row(x, table, &end);
    if (!whole && !az_pages_last_key(x, table, &end))
        return false;
    /* more rows than bytes: a number that is damaged itself */
    if (end <= last || (uint64_t)(end - last) > x->size)
        return false;
    sqlite3_stmt *st =
        statement(x, "SELECT rowid FROM \"%w\" NOT INDEXED WHERE rowid > ?1 LIMIT 1", table);
    const bool found = st && find_next(x, st, last, end, next);
    (void)sqlite3_finalize(st);
    if (!found)
        *next = end + 1;
    return found;
}
