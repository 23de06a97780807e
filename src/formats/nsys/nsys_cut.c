/* A window of an SQLite export as an SQLite export (docs/regions.md 8): a copy of the database from
 * which the rows outside are deleted by the rules of windows (model/window.h). The window is found
 * by reading the profile. */
#include "formats/nsys/nsys_sqlite.h"

#include <stdio.h>

#include "io/outfile.h"
#include "model/window.h"

/* Rows of temp.span of a process (an expression), or of all where it has none. */
#define OF_PROCESS                                                                                 \
    "(pid IS NULL OR pid = (%s) OR NOT EXISTS (SELECT 1 FROM temp.span WHERE pid = (%s)))"

struct cutting {
    struct az_cut *job;
    sqlite3 *db;
    struct az_arena arena;
};

static int fail(struct cutting *c, const char *what)
{
    return az_diag_fail(c->job->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(c->job->out)),
                        "cannot write the database: %s (%s)", sqlite3_errmsg(c->db), what);
}

static int run_sql(struct cutting *c, const char *sql)
{
    if (c->job->cancelled && c->job->cancelled())
        return AZ_EINTR;
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? AZ_OK : fail(c, "statement");
}

/* Result of a query with one number and one text parameter. */
static int64_t number_of(struct cutting *c, const char *sql, const char *text)
{
    sqlite3_stmt *st = NULL;
    int64_t v = 0;
    if (sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK) {
        if (text)
            sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW)
            v = sqlite3_column_int64(st, 0);
    }
    sqlite3_finalize(st);
    return v;
}

static bool has_column(struct cutting *c, const char *table, const char *column)
{
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info(?) WHERE name = '%s'",
             column);
    return number_of(c, sql, table) > 0;
}

/* ---- the window ---- */

static int find_spans(struct az_cut *job, struct az_trace *t)
{
    const struct az_file file = { .path = job->in };
    struct az_parse p = { .files = &file,
                          .n_files = 1,
                          .opts = job->opts,
                          .trace = t,
                          .diag = job->diag,
                          .mem = job->mem,
                          .threads = 1 };
    t->path = job->in;
    t->window = job->window;
    int rc = az_nsys_sqlite_read(&p, job->in);
    if (rc == 0)
        rc = az_trace_finalize(t);
    t->window = NULL;
    if (rc == 0 && t->window_miss != AZ_WINDOW_FOUND)
        rc = az_diag_fail(job->diag, AZ_EEMPTY, AZ_AT_FILE(job->in), "%s",
                          az_window_miss_text((enum az_window_miss)t->window_miss));
    return rc;
}

static int insert(struct cutting *c, const char *sql, const struct az_spans *spans,
                  const struct az_vec_u64 *process)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK ? AZ_OK : fail(c, "span");
    for (size_t i = 0; rc == 0 && i < spans->n; i++) {
        sqlite3_bind_int64(st, 1, spans->v[i].start);
        sqlite3_bind_int64(st, 2, spans->v[i].end);
        if (process && process->n)
            sqlite3_bind_int64(st, 3, (int64_t)process->v[i]);
        if (sqlite3_step(st) != SQLITE_DONE)
            rc = fail(c, "span");
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Spans of the window, and of the device work in it. */
static int put_spans(struct cutting *c, const struct az_trace *t)
{
    int rc = run_sql(c, "CREATE TEMP TABLE span (lo INTEGER, hi INTEGER, pid INTEGER);"
                        "CREATE TEMP TABLE part (lo INTEGER, hi INTEGER);"
                        "CREATE TEMP TABLE other (corr INTEGER, pid INTEGER);"
                        "DROP TABLE IF EXISTS main." AZ_NSYS_WINDOW_TABLE ";"
                        "CREATE TABLE main." AZ_NSYS_WINDOW_TABLE
                        " (start INTEGER, \"end\" INTEGER, globalPid INTEGER)");
    if (rc == 0)
        rc = insert(c, "INSERT INTO temp.span VALUES (?, ?, ?)", &t->recorded_window,
                    &t->window_process);
    if (rc == 0)
        rc = insert(c, "INSERT INTO temp.part VALUES (?, ?)", &t->window_work, NULL);
    return rc ? rc
              : run_sql(c, "INSERT INTO main." AZ_NSYS_WINDOW_TABLE
                           " SELECT lo, hi, pid FROM temp.span");
}

/* ---- the rows ---- */

#define RUNTIME "CUPTI_ACTIVITY_KIND_RUNTIME"

static bool is_device(struct az_sv table)
{
    static const char *const names[] = { "KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE",
                                         "SYNCHRONIZATION" };
    static const struct az_sv prefix = { "CUPTI_ACTIVITY_KIND_", 20 };
    for (size_t i = 0; az_sv_starts(table, prefix) && i < AZ_LENGTH(names); i++)
        if (az_sv_is(az_sv_make(table.p + prefix.n, table.n - prefix.n), names[i]))
            return true;
    return false;
}

/* Where the first call of each id begins. */
static int list_launches(struct cutting *c)
{
    if (!has_column(c, RUNTIME, "correlationId"))
        return run_sql(c, "CREATE TEMP TABLE launch (pid, corr, at)");
    return run_sql(c, "CREATE TEMP TABLE launch AS SELECT globalTid & ~16777215 AS pid,"
                      " correlationId AS corr, min(start) AS at FROM " RUNTIME " GROUP BY 1, 2;"
                      "CREATE INDEX temp.launch_by_id ON launch (corr, pid)");
}

/* Process of a row, as an expression. */
static const char *process_of(struct cutting *c, const char *table)
{
    return has_column(c, table, "globalPid")   ? "globalPid"
           : has_column(c, table, "globalTid") ? "globalTid & ~16777215"
                                               : "NULL";
}

/* Overlap with a span, as an expression; of an open end `last`. */
static char *overlap(const char *process, const char *last)
{
    return sqlite3_mprintf("EXISTS (SELECT 1 FROM temp.span WHERE hi > start AND"
                           " lo < max(coalesce(\"end\", %s), start + 1) AND " OF_PROCESS ")",
                           last, process, process);
}

/* A time in a span. */
static char *begins(const char *process, const char *at)
{
    return sqlite3_mprintf(
        "EXISTS (SELECT 1 FROM temp.span WHERE lo <= %s AND hi > %s AND " OF_PROCESS ")", at, at,
        process, process);
}

/* With its call; without a call where it begins. */
static char *device_begins(struct cutting *c, const char *table)
{
    const char *process = process_of(c, table);
    char *at = sqlite3_mprintf(
        "coalesce((SELECT at FROM temp.launch WHERE corr = correlationId%s), start)",
        has_column(c, table, "globalPid") ? " AND launch.pid = globalPid" : "");
    char *inside = at ? begins(process, at) : NULL;
    sqlite3_free(at);
    return inside;
}

#define NEXT_TO "EXISTS (SELECT 1 FROM temp.part WHERE hi > start AND lo < \"end\")"

static bool is_sync(struct az_sv table) { return az_sv_ends(table, AZ_SV("SYNCHRONIZATION")); }

/* What is kept of a table; NULL: no memory. */
static char *condition(struct cutting *c, const char *table)
{
    const struct az_sv name = az_sv_str(table);
    const char *process = process_of(c, table);
    char *inside, *where;
    if (is_device(name) && has_column(c, table, "correlationId")) {
        inside = device_begins(c, table);
        where = inside && !is_sync(name) ? sqlite3_mprintf("(%s OR " NEXT_TO ")", inside)
                                         : sqlite3_mprintf("%s", inside);
    } else if (az_sv_is(name, RUNTIME)) {
        inside = begins(process, "start");
        where = sqlite3_mprintf("(%s OR EXISTS (SELECT 1 FROM temp.other AS o WHERE o.corr ="
                                " correlationId AND (o.pid IS NULL OR o.pid = (%s))))",
                                inside, process);
    } else if (az_sv_is(name, "NVTX_EVENTS") && has_column(c, table, "eventType")) {
        /* other rows name domains and categories; a range without an end is open */
        inside = overlap(process, "CASE eventType WHEN 34 THEN start ELSE 9223372036854775807 END");
        where = sqlite3_mprintf("(eventType NOT IN (34, 59, 60, 70, 71) OR %s)", inside);
    } else {
        inside = overlap(process, "start");
        where = sqlite3_mprintf("%s", inside);
    }
    sqlite3_free(inside);
    return inside ? where : NULL;
}

/* Launches of work that runs next to that of the window: their calls are kept, which say that it is
 * outside. */
static int list_others(struct cutting *c, const char *table)
{
    char *inside = device_begins(c, table);
    char *sql = inside ? sqlite3_mprintf("INSERT INTO temp.other SELECT correlationId, %s FROM"
                                         " main.\"%w\" WHERE " NEXT_TO " AND NOT %s",
                                         has_column(c, table, "globalPid") ? "globalPid" : "NULL",
                                         table, inside)
                       : NULL;
    const int rc = sql ? run_sql(c, sql) : AZ_ENOMEM;
    sqlite3_free(inside);
    sqlite3_free(sql);
    return rc;
}

static bool has_times(struct cutting *c, const char *table)
{
    return has_column(c, table, "start") && has_column(c, table, "end") &&
           !az_sv_is(az_sv_str(table), AZ_NSYS_WINDOW_TABLE);
}

static int cut_table(struct cutting *c, const char *table)
{
    char *where = condition(c, table);
    char *sql = sqlite3_mprintf("DELETE FROM main.\"%w\" WHERE NOT %s", table, where);
    char *count = sqlite3_mprintf("SELECT count(*) FROM main.\"%w\"", table);
    int rc = where && sql && count ? AZ_OK : AZ_ENOMEM;
    if (rc == 0) {
        c->job->read += (uint64_t)number_of(c, count, NULL);
        rc = run_sql(c, sql);
        c->job->kept += (uint64_t)number_of(c, count, NULL);
    }
    sqlite3_free(where);
    sqlite3_free(sql);
    sqlite3_free(count);
    return rc;
}

static int cut_tables(struct cutting *c)
{
    sqlite3_stmt *st = NULL;
    struct az_vec_sv tables;
    int rc = AZ_OK;
    az_vec_init(&tables, c->job->mem);
    if (sqlite3_prepare_v2(c->db,
                           "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name",
                           -1, &st, NULL) != SQLITE_OK)
        rc = fail(c, "tables");
    while (rc == 0 && sqlite3_step(st) == SQLITE_ROW) {
        const char *name =
            az_arena_str(&c->arena, az_sv_str((const char *)sqlite3_column_text(st, 0)));
        rc = name ? az_vec_push(&tables, az_sv_str(name)) : az_arena_error(&c->arena);
    }
    sqlite3_finalize(st);
    for (size_t i = 0; rc == 0 && i < tables.n; i++)
        if (is_device(tables.v[i]) && !is_sync(tables.v[i]) && has_times(c, tables.v[i].p) &&
            has_column(c, tables.v[i].p, "correlationId"))
            rc = list_others(c, tables.v[i].p);
    if (rc == 0)
        rc = run_sql(c, "CREATE INDEX temp.other_by_id ON other (corr)");
    for (size_t i = 0; rc == 0 && i < tables.n; i++)
        if (has_times(c, tables.v[i].p))
            rc = cut_table(c, tables.v[i].p);
    az_vec_release(&tables);
    return rc;
}

/* ---- the copy ---- */

static int copy_database(struct cutting *c, const char *to)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_open_v2(c->job->in.p, &c->db, SQLITE_OPEN_READONLY, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(c->db, "VACUUM INTO ?", -1, &st, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(st, 1, to, -1, SQLITE_STATIC);
        rc = sqlite3_step(st) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    }
    sqlite3_finalize(st);
    const int failed = rc == SQLITE_OK ? AZ_OK : fail(c, "copy");
    sqlite3_close(c->db);
    c->db = NULL;
    return failed;
}

/* Nothing that the database says of itself is run: no triggers, no views. */
static int open_copy(struct cutting *c, const char *path)
{
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return fail(c, "open");
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    return run_sql(c, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                      "PRAGMA temp_store = MEMORY; BEGIN");
}

static int write_copy(struct cutting *c, const char *path, const struct az_trace *t)
{
    int rc = copy_database(c, path);
    if (rc == 0)
        rc = open_copy(c, path);
    if (rc == 0)
        rc = put_spans(c, t);
    if (rc == 0)
        rc = list_launches(c);
    if (rc == 0)
        rc = cut_tables(c);
    if (rc == 0)
        rc = run_sql(c, "COMMIT; VACUUM");
    sqlite3_close(c->db);
    return rc;
}

int az_nsys_cut(struct az_cut *job)
{
    struct cutting c = { .job = job };
    struct az_trace t;
    struct az_sv tmp;
    if (job->keep != AZ_CUT_ALL)
        return az_diag_fail(job->diag, AZ_EUSAGE, AZ_AT_FILE(job->in),
                            "an SQLite export is cut whole; use a window without --keep");
    az_arena_init(&c.arena, job->mem);
    int rc = az_trace_init(&t, job->mem);
    if (rc == 0)
        rc = find_spans(job, &t);
    if (rc == 0)
        rc = az_outname_reserve(&c.arena, job->out, &tmp, job->diag);
    if (rc == 0) {
        remove(tmp.p); /* the copy makes it */
        rc = write_copy(&c, tmp.p, &t);
        if (rc == 0)
            rc = az_outname_commit(tmp.p, job->out, job->diag);
        else
            az_outname_discard(tmp.p);
    }
    az_trace_release(&t);
    az_arena_release(&c.arena);
    return rc;
}
