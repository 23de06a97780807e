/* Reading the tables of an SQLite export: each once, no joins, no ordering (docs/performance.md 3).
 */
#include <inttypes.h>
#include <stdio.h>

#include "formats/nsys/nsys_sqlite.h"
#include "formats/shared/unsupported_formats.h"

#define ROWS_A_STEP 65536

/* Adds to the bytes of the progress line what the rows read so far stand for. */
static void report_progress(struct az_nsys_db *x)
{
    if (!x->job->progress || x->rows_total == 0)
        return;
    double share = (double)x->rows / (double)(x->rows_total + 1);
    uint64_t now = (uint64_t)((double)x->file.size * (share < 1 ? share : 1));
    if (now > x->reported) {
        atomic_fetch_add(x->job->progress, now - x->reported);
        x->reported = now;
    }
}

static int take_row(struct az_nsys_db *x)
{
    x->scan.row->number++;
    if (++x->rows % ROWS_A_STEP == 0)
        report_progress(x);
    return x->scan.error = x->scan.fn(x, x->scan.row, x->scan.ctx);
}

/* Tables are read through an aggregate function, "SELECT each_row(a,b) FROM t": the rows never
 * leave SQLite's inner loop, which saves a third of the time of stepping through a SELECT. */
static void each_row(sqlite3_context *c, int n, sqlite3_value **value)
{
    struct az_nsys_db *x = sqlite3_user_data(c);
    if (x->scan.rowids) { /* a full scan gives them ascending: else a page is damaged */
        const int64_t id = sqlite3_value_int64(value[0]);
        x->scan.disordered |= id <= x->scan.rowid;
        x->file.suspect |= x->scan.disordered;
        x->scan.rowid = id;
        value++;
        n--;
    }
    if (x->scan.given > 0) {
        x->scan.given--;
        return;
    }
    int i = 0;
    while (i < n && sqlite3_value_type(value[i]) == SQLITE_NULL)
        i++;
    x->file.suspect |= i == n && n > 1; /* as a record of zeros is read */
    x->scan.row->value = value;
    if (take_row(x) != 0)
        sqlite3_result_error(c, "stopped", -1);
}

static void all_rows(sqlite3_context *c) { sqlite3_result_null(c); }

bool az_nsys_is_table(struct az_sv name)
{
    static const char *const known[] = { "StringIds",         "NVTX_EVENTS",
                                         "OSRT_API",          "ANALYSIS_DETAILS",
                                         "META_DATA_EXPORT",  "EXPORT_META_DATA",
                                         "COMPOSITE_EVENTS",  "TARGET_INFO_GPU",
                                         "PROFILER_OVERHEAD", "ENUM_NSYS_EVENT_TYPE" };
    if (az_sv_starts(name, AZ_SV("CUPTI_ACTIVITY_KIND_")))
        return true;
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(name, known[i]))
            return true;
    return false;
}

/* Adds the names that a statement returns; those before an error stay. SQLITE_OK, or what failed.
 */
static int add_names(struct az_nsys_db *x, const char *sql, int column, struct az_vec_sv *list)
{
    sqlite3_stmt *st = NULL;
    int rc = az_sqlite_prepare(&x->file, sql, &st);
    while (rc == SQLITE_OK && (rc = az_sqlite_step(&x->file, st)) == SQLITE_ROW) {
        rc = SQLITE_OK;
        const char *name = (const char *)sqlite3_column_text(st, column);
        const struct az_sv kept = az_arena_dup(&x->scratch, az_sv_str(name ? name : ""));
        if (name && (!kept.p || az_vec_push(list, kept) != 0))
            rc = SQLITE_NOMEM;
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Does the database have tables of an export? If not, *others names some that are there. */
static int look_at_tables(struct az_nsys_db *x, bool *known, struct az_sv *others,
                          const char **foreign)
{
    unsigned shown = 0;
    *known = false;
    *others = az_sv_make("", 0);
    const int rc =
        add_names(x, "SELECT name FROM sqlite_master WHERE type IN ('table','view') ORDER BY name",
                  0, &x->tables);
    for (size_t i = 0; i < x->tables.n && !*known; i++) {
        const struct az_sv name = x->tables.v[i];
        *known = az_nsys_is_table(name);
        *foreign = *foreign ? *foreign : az_foreign_table(name);
        if (!*known && shown < 8)
            *others = az_arena_printf(&x->scratch, "%.*s%s%.*s", AZ_SVF(*others),
                                      shown++ ? ", " : "", AZ_SVF(name));
    }
    return rc;
}

static int check_tables(struct az_nsys_db *x)
{
    bool known;
    struct az_sv others;
    const char *foreign = NULL;
    int rc = look_at_tables(x, &known, &others, &foreign);
    if (rc != SQLITE_OK)
        return az_sqlite_error(&x->file, rc);
    if (known)
        return 0;
    if (foreign)
        return az_diag_fail(x->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path), "%s", foreign);
    if (others.n == 0)
        others = AZ_SV("no table at all");
    return az_diag_fail(x->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path),
                        "SQLite database is not an Nsight Systems export; its tables: %.*s",
                        AZ_SVF(others));
}

static void names_init(struct az_nsys_names *n, struct az_mem *mem, bool cut_version)
{
    az_vec_init(&n->dense, mem);
    n->cut_version = cut_version;
    az_map_init(&n->sparse, mem, 0);
}

static const struct az_sqlite_kind kind = { "the output of nsys export --type sqlite",
                                            "export the report again", .views = false };

int az_nsys_db_open(struct az_nsys_db *x, struct az_parse *job, struct az_sv path)
{
    memset(x, 0, sizeof *x);
    x->job = job;
    x->t = job->trace;
    x->path = path;
    x->unknown = AZ_NO_ID;
    az_arena_init(&x->scratch, job->mem);
    az_vec_init(&x->tables, job->mem);
    az_vec_init(&x->columns, job->mem);
    names_init(&x->names, job->mem, false);
    int rc = 0;
    names_init(&x->api_names, job->mem, true);
    az_map_init(&x->thread_names, job->mem, 0);
    if (rc != 0)
        return az_diag_memory(job->diag, rc, AZ_AT_FILE(path), job->mem);
    rc = az_sqlite_open(&x->file, job, &kind, path);
    x->db = x->file.db;
    x->partial = x->file.partial;
    if (x->t)
        x->t->truncated |= x->file.partial;
    if (rc != 0)
        return rc;
    rc = sqlite3_create_function(x->db, "each_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, x, NULL,
                                 each_row, all_rows);
    if (rc != SQLITE_OK)
        return az_sqlite_error(&x->file, rc);
    return check_tables(x);
}

void az_nsys_db_close(struct az_nsys_db *x)
{
    az_texts_close(&x->texts);
    sqlite3_finalize(x->string);
    az_sqlite_close(&x->file);
    az_vec_release(&x->tables);
    az_vec_release(&x->columns);
    az_vec_release(&x->names.dense);
    az_vec_release(&x->api_names.dense);
    az_map_release(&x->names.sparse);
    az_map_release(&x->api_names.sparse);
    az_map_release(&x->thread_names);
    az_arena_release(&x->scratch);
    memset(x, 0, sizeof *x);
}

bool az_nsys_db_usable(struct az_sv path)
{
    struct az_diag quiet;
    struct az_parse job = { .diag = &quiet };
    struct az_nsys_db x;
    az_diag_init(&quiet);
    bool ok = az_nsys_db_open(&x, &job, path) == 0 && !x.partial;
    az_nsys_db_close(&x);
    az_diag_release(&quiet);
    return ok;
}

/* ---- tables and columns ---- */

static bool is_in(const struct az_vec_sv *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (az_sv_is(list->v[i], name))
            return true;
    return false;
}

bool az_nsys_has_table(struct az_nsys_db *x, const char *table) { return is_in(&x->tables, table); }

bool az_nsys_has_column(struct az_nsys_db *x, const char *table, const char *column)
{
    if (strcmp(column, "rowid") == 0)
        return true; /* 0 where there is none (views) */
    if (!x->columns_of || strcmp(x->columns_of, table) != 0) {
        const struct az_sv sql = az_arena_printf(&x->scratch, "PRAGMA table_info(\"%s\")", table);
        x->columns.n = 0;
        const int rc = sql.p ? add_names(x, sql.p, 1, &x->columns) : SQLITE_NOMEM;
        x->columns_of = rc == SQLITE_OK ? table : NULL; /* what was read in part is read again */
        x->file.starved |= rc == SQLITE_NOMEM;
    }
    return is_in(&x->columns, column);
}

/* Columns that exist, as arguments of each_row. False: a required one is missing. */
static bool choose_columns(struct az_nsys_db *x, const char *table,
                           const struct az_nsys_column *want, size_t n, struct az_nsys_row *row,
                           struct az_sv *list)
{
    int at = 0;
    *list = AZ_SV("");
    for (size_t i = 0; i < n; i++) {
        row->at[i] = -1;
        if (az_nsys_has_column(x, table, want[i].column)) {
            *list = az_arena_printf(&x->scratch, "%.*s%s\"%s\"", AZ_SVF(*list), at ? "," : "",
                                    want[i].column);
            row->at[i] = at++;
        } else if (want[i].required) {
            az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                        "table '%s' skipped: missing column '%s'; export the report again with a "
                        "supported nsys version",
                        table, want[i].column);
            az_trace_dropped(x->t, AZ_DROP_LOST, "table without a required column", 1, 0);
            return false;
        }
    }
    return at > 0;
}

static int scan_error(struct az_nsys_db *x, const char *table, uint64_t rows, int rc)
{
    struct az_where at = AZ_AT_FILE(x->path);
    if (x->scan.error != 0)
        return x->scan.error;
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return AZ_ENOMEM;
    case SQLITE_INTERRUPT:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_AUTH:
        return az_sqlite_error(&x->file, rc);
    case SQLITE_IOERR:
        return az_diag_fail(x->job->diag, AZ_EIO, at,
                            "reading table '%s' failed after %" PRIu64 " rows: %s", table, rows,
                            sqlite3_errmsg(x->db));
    default:
        break;
    }
    az_diag_add(x->job->diag, AZ_WARNING, at, "table '%s' skipped: %s", table,
                sqlite3_errmsg(x->db));
    az_trace_dropped(x->t, AZ_DROP_LOST, "unreadable table", 1, 0);
    return 0;
}

/* What a damaged table lacks. */
struct damage {
    uint64_t after; /* rows before the first place */
    uint64_t lost;  /* at all places */
    bool open;      /* the last is at the end, and its rows cannot be counted */
    char problem[64];
};

/* What the rows of a table become, as far as it matters for lost ones. */
static enum az_kind kind_of(const char *table)
{
    static const char *const device[] = { "_KERNEL", "_MEMCPY", "_MEMSET", "_GRAPH_TRACE" };
    for (size_t i = 0; i < AZ_LENGTH(device); i++)
        if (az_sv_ends(az_sv_str(table), az_sv_str(device[i])))
            return AZ_KERNEL;
    return AZ_CALL;
}

/* One warning per table, and the rows as lost. */
static void report_damage(struct az_nsys_db *x, const char *table, const struct damage *d)
{
    const uint64_t lost = d->lost + (d->lost == 0); /* one, of an end that cannot be counted */
    az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                "table '%s' is damaged after %" PRIu64 " rows: %s%" PRIu64
                " row%s lost, the result is partial (%s); export the report again",
                table, d->after, d->open ? "at least " : "", lost, lost == 1 ? "" : "s",
                d->problem);
    az_trace_lost(x->t, kind_of(table), "rows of a damaged table", lost, 0);
    x->t->truncated |= d->open;
    x->partial = true;
}

/* Statements of the rows from a number on; rowids: the table has numbers. SQLite's code. */
static int prepare_scan(struct az_nsys_db *x, const char *table, struct az_sv columns,
                        sqlite3_stmt **st)
{
    /* NOT INDEXED: an index that someone added must not change the order of the rows. */
    static const char *const form[] = {
        "SELECT each_row(rowid,%.*s) FROM \"%s\" NOT INDEXED WHERE rowid>=?1",
        "SELECT each_row(%.*s) FROM \"%s\" NOT INDEXED" /* a table may have none */
    };
    int rc = SQLITE_ERROR;
    for (size_t i = 0; rc == SQLITE_ERROR && i < AZ_LENGTH(form); i++) {
        const struct az_sv sql = az_arena_printf(&x->scratch, form[i], AZ_SVF(columns), table);
        x->scan.rowids = i == 0;
        rc = sql.p ? az_sqlite_prepare(&x->file, sql.p, st) : SQLITE_NOMEM;
    }
    return rc;
}

/* The next row that can be read, where a scan from `from` on met damage. False: there is none. */
static bool skip_damage(struct az_nsys_db *x, const char *table, int64_t *from, struct damage *d)
{
    const int64_t read = x->scan.rowid > *from ? x->scan.rowid : *from;
    const int64_t last = read > 0 ? read : 0;
    int64_t next = last + 2;

    if (!d->lost && !d->open) {
        d->after = x->scan.row->number;
        (void)snprintf(d->problem, sizeof d->problem, "%s", sqlite3_errmsg(x->db));
    }
    /* numbers out of order lead nowhere: rows would be read twice */
    d->open =
        !x->scan.rowids || x->scan.disordered || !az_sqlite_resume(&x->file, table, last, &next);
    /* the row that a scan began with without reading it is lost, too; those that were read from the
     * pages are not */
    const uint64_t lost = (uint64_t)(next - last) - (x->scan.rowid >= *from);
    const uint64_t given = x->scan.given < lost ? x->scan.given : lost;
    x->scan.given -= given;
    d->lost += lost - given;
    *from = next;
    return !d->open;
}

/* The rows of a table by SQLite, but for the first that were returned already. */
static int each_behind(struct az_nsys_db *x, const char *table, struct az_sv columns,
                       uint64_t given)
{
    sqlite3_stmt *st = NULL;
    struct damage d = { .lost = 0 };
    int64_t from = INT64_MIN;
    if (!columns.p)
        return az_arena_error(&x->scratch);
    x->scan.given = given;
    x->scan.rowid = INT64_MIN;
    x->scan.disordered = false;
    int rc = prepare_scan(x, table, columns, &st);
    bool again = rc == SQLITE_OK;
    while (again) {
        if (x->scan.rowids)
            (void)sqlite3_bind_int64(st, 1, from);
        rc = az_sqlite_step(&x->file, st);
        (void)sqlite3_reset(st);
        again = !x->scan.error && (rc & 0xff) == SQLITE_CORRUPT && skip_damage(x, table, &from, &d);
    }
    const bool damaged = d.lost || d.open;
    if (damaged && !x->file.starved)
        report_damage(x, table, &d);
    const bool done = rc == SQLITE_ROW || rc == SQLITE_DONE ||
                      (damaged && !x->scan.error && (rc & 0xff) == SQLITE_CORRUPT);
    const int result = done ? 0 : scan_error(x, table, x->scan.row->number, rc);
    (void)sqlite3_finalize(st);
    /* rows that a page does not name are missing without an error */
    return result ? result : az_pages_check(&x->file, table);
}

static int take_plain(void *ctx, const struct az_pages_row *values)
{
    struct az_nsys_db *x = ctx;
    x->scan.row->plain = values;
    return take_row(x);
}

/* The rows that can be read without SQLite. 1: those after the first *given are left. */
static int each_plain(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                      size_t n, uint64_t *given)
{
    const char *columns[NSYS_MAX_WANT];
    struct az_pages pages;
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (x->scan.row->at[i] >= 0)
            columns[found++] = want[i].column;
    return az_pages_open(&pages, &x->file, table, columns, found)
               ? az_pages_read(&pages, take_plain, x, given)
               : 1;
}

static int for_each_row(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                        size_t n, nsys_row_fn fn, void *ctx, bool numbers)
{
    struct az_nsys_row row = { .number = 0 };
    struct az_sv columns;
    uint64_t given = 0;
    if (!az_nsys_has_table(x, table) || !choose_columns(x, table, want, n, &row, &columns))
        return 0;
    x->scan.row = &row;
    x->scan.fn = fn;
    x->scan.ctx = ctx;
    x->scan.error = 0;
    const int rc = numbers ? each_plain(x, table, want, n, &given) : 1;
    return rc <= 0 ? rc : each_behind(x, table, columns, given);
}

int az_nsys_each(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                 size_t n, nsys_row_fn fn, void *ctx)
{
    return for_each_row(x, table, want, n, fn, ctx, false);
}

int az_nsys_each_numbers(struct az_nsys_db *x, const char *table, const struct az_nsys_column *want,
                         size_t n, nsys_row_fn fn, void *ctx)
{
    return for_each_row(x, table, want, n, fn, ctx, true);
}

struct az_sv az_nsys_text(const struct az_nsys_row *r, int i)
{
    if (r->at[i] < 0)
        return az_sv_make("", 0);
    const char *p = (const char *)sqlite3_value_text(r->value[r->at[i]]);
    int n = sqlite3_value_bytes(r->value[r->at[i]]);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : az_sv_make("", 0);
}

struct az_sv az_nsys_blob(const struct az_nsys_row *r, int i)
{
    if (r->at[i] < 0)
        return az_sv_make("", 0);
    const char *p = sqlite3_value_blob(r->value[r->at[i]]);
    const int n = sqlite3_value_bytes(r->value[r->at[i]]);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : az_sv_make("", 0);
}
