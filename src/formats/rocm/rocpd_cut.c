/* A window of a rocpd database as one: a copy without the rows that the window omits
 * (docs/regions.md 8). */
#include "formats/rocm/rocpd.h"

#include <stdio.h>

#include "formats/shared/cut_records.h"
#include "io/outfile.h"

struct cutting {
    struct az_cut *job;
    const struct az_trace *t;
    const struct az_cut_log *log;
    sqlite3 *db;
};

static int fail_database(struct cutting *c, const char *what)
{
    return az_diag_fail(c->job->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(c->job->out)),
                        "cannot write the database: %s (%s)", sqlite3_errmsg(c->db), what);
}

static int run_sql(struct cutting *c, const char *sql)
{
    if (c->job->cancelled && c->job->cancelled())
        return AZ_EINTR;
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? AZ_OK
                                                                   : fail_database(c, "statement");
}

/* Page by page: rows have the numbers that the log has. */
static int copy_database(struct cutting *c)
{
    sqlite3 *from = NULL;
    int rc = sqlite3_open_v2(c->job->in.p, &from, SQLITE_OPEN_READONLY, NULL);
    sqlite3_backup *b = rc == SQLITE_OK ? sqlite3_backup_init(c->db, "main", from, "main") : NULL;
    if (b)
        rc = sqlite3_backup_step(b, -1);
    const int done = b ? sqlite3_backup_finish(b) : SQLITE_ERROR;
    sqlite3_close(from);
    return rc == SQLITE_DONE && done == SQLITE_OK ? AZ_OK : fail_database(c, "copy");
}

/* Runs a statement for the rows that go of [from, to) of the log, run by run of row numbers that
 * follow each other: the first and the last are its parameters. */
static int for_runs(struct cutting *c, sqlite3_stmt *st, size_t from, size_t to)
{
    const struct az_cut_log *log = c->log;
    for (size_t i = from, end; i < to; i = end) {
        end = i + 1;
        if (!az_cut_log_is_gone(log, i))
            continue;
        while (end < to && az_cut_log_is_gone(log, end) && log->to.v[end] == log->to.v[end - 1] + 1)
            end++;
        sqlite3_bind_int64(st, 1, (int64_t)log->to.v[i]);
        sqlite3_bind_int64(st, 2, (int64_t)log->to.v[end - 1]);
        const int rc = sqlite3_step(st) == SQLITE_DONE ? AZ_OK : fail_database(c, "row");
        sqlite3_reset(st);
        if (rc)
            return rc;
    }
    return AZ_OK;
}

/* The end of the name of a table of dispatches, with its quote: that of their counters, too. */
static struct az_sv ending_of(struct az_sv dispatches)
{
    static const struct az_sv base = { "\"rocpd_kernel_dispatch", 22 };
    return az_sv_make(dispatches.p + base.n, dispatches.n - base.n);
}

static bool has_counters(struct cutting *c, struct az_sv dispatches)
{
    sqlite3_stmt *st = NULL;
    char *sql = sqlite3_mprintf("SELECT 1 FROM main.\"rocpd_pmc_event%.*s LIMIT 1",
                                AZ_SVF(ending_of(dispatches)));
    const bool any = sql && sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK &&
                     sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return any;
}

/* Counters of dispatches that go: rows of events, which name no time. */
static int delete_counters(struct cutting *c, struct az_sv dispatches)
{
    static const char *const same[] = { "(event_id, guid) IN (SELECT id, guid FROM temp.gone)",
                                        "event_id IN (SELECT id FROM temp.gone)" };
    const struct az_sv ending = ending_of(dispatches);
    bool done = false;
    for (size_t i = 0; !done && i < AZ_LENGTH(same); i++) { /* where there are any */
        char *sql = sqlite3_mprintf("DELETE FROM main.\"rocpd_pmc_event%.*s WHERE %s",
                                    AZ_SVF(ending), same[i]);
        if (!sql)
            return AZ_ENOMEM;
        done = sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
        sqlite3_free(sql);
    }
    return AZ_OK;
}

/* Events of the rows that go. */
static int list_gone(struct cutting *c, struct az_sv table, size_t from, size_t to)
{
    sqlite3_stmt *st = NULL;
    char *sql = sqlite3_mprintf("INSERT INTO temp.gone SELECT event_id, guid FROM main.%.*s WHERE"
                                " rowid BETWEEN ? AND ?",
                                AZ_SVF(table));
    int rc = sql ? run_sql(c, "CREATE TEMP TABLE IF NOT EXISTS gone (id INTEGER, guid TEXT);"
                              "DELETE FROM temp.gone")
                 : AZ_ENOMEM;
    const bool any = rc == 0 && sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK;
    if (any)
        rc = for_runs(c, st, from, to);
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return rc ? rc : delete_counters(c, table);
}

/* Records of a table follow each other. */
static int delete_rows(struct cutting *c)
{
    static const struct az_sv dispatches = { "\"rocpd_kernel_dispatch", 22 };
    const struct az_cut_log *log = c->log;
    int rc = AZ_OK;
    for (size_t i = 0, to; rc == 0 && i < log->what.n; i = to) {
        const struct az_sv table = az_trace_text(c->t, (uint32_t)log->from.v[i]);
        sqlite3_stmt *st = NULL;
        for (to = i; to < log->what.n && log->from.v[to] == log->from.v[i]; to++)
            ;
        if (az_sv_starts(table, dispatches) && has_counters(c, table))
            rc = list_gone(c, table, i, to);
        char *sql =
            sqlite3_mprintf("DELETE FROM main.%.*s WHERE rowid BETWEEN ? AND ?", AZ_SVF(table));
        if (rc == 0 && !sql)
            rc = AZ_ENOMEM;
        else if (rc == 0 && sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) != SQLITE_OK)
            rc = fail_database(c, "table");
        if (rc == 0)
            rc = for_runs(c, st, i, to);
        sqlite3_finalize(st);
        sqlite3_free(sql);
    }
    return rc;
}

static int put_window(struct cutting *c)
{
    sqlite3_stmt *st = NULL;
    int rc = run_sql(c, "DROP TABLE IF EXISTS main." AZ_ROCPD_WINDOW_TABLE ";"
                        "CREATE TABLE main." AZ_ROCPD_WINDOW_TABLE
                        " (start INTEGER, \"end\" INTEGER, process INTEGER)");
    if (rc == 0 &&
        sqlite3_prepare_v2(c->db, "INSERT INTO main." AZ_ROCPD_WINDOW_TABLE " VALUES (?, ?, ?)", -1,
                           &st, NULL) != SQLITE_OK)
        rc = fail_database(c, "window");
    for (size_t i = 0; rc == 0 && i < c->t->recorded_window.n; i++) {
        sqlite3_bind_int64(st, 1, c->t->recorded_window.v[i].start);
        sqlite3_bind_int64(st, 2, c->t->recorded_window.v[i].end);
        if (c->t->window_process.n)
            sqlite3_bind_int64(st, 3, (int64_t)c->t->window_process.v[i]);
        if (sqlite3_step(st) != SQLITE_DONE)
            rc = fail_database(c, "window");
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Nothing that the database says of itself is run: no triggers, no views. */
static int write_copy(struct cutting *c, const char *path)
{
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        return fail_database(c, "open");
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    int rc = copy_database(c);
    if (rc == 0)
        rc = run_sql(c, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                        "PRAGMA temp_store = MEMORY; BEGIN");
    if (rc == 0)
        rc = put_window(c);
    if (rc == 0)
        rc = delete_rows(c);
    return rc ? rc : run_sql(c, "COMMIT; VACUUM");
}

int az_rocpd_write_cut(struct az_cut *job, const struct az_trace *t, const struct az_cut_log *log)
{
    struct cutting c = { .job = job, .t = t, .log = log };
    struct az_arena a;
    struct az_sv tmp;
    az_arena_init(&a, job->mem);
    int rc = az_outname_reserve(&a, job->out, &tmp, job->diag);
    if (rc == 0) {
        remove(tmp.p); /* the copy makes it */
        rc = write_copy(&c, tmp.p);
        sqlite3_close(c.db);
        if (rc == 0)
            rc = az_outname_commit(tmp.p, job->out, job->diag);
        else
            az_outname_discard(tmp.p);
    }
    if (rc == 0)
        az_cut_count(job, t, log);
    az_arena_release(&a);
    return rc;
}
