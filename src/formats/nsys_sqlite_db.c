/* Opening an SQLite export and reading its tables: read-only, each table once, no joins, no ordering (spec/speed.md 3).
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "formats/nsys_sqlite.h"
#include "io/path.h"

#define BUSY_MS      1000   /* a writer holds its lock for moments only, unless it is in the middle of an export */
#define PROGRESS_OPS 200000 /* virtual machine steps between two looks at `cancelled`: a few milliseconds */
#define ROWS_A_STEP  65536

/* ---- opening ---- */

static int on_progress(void *ctx)
{
    const struct az_parse *job = ctx;
    return job->cancelled && job->cancelled(job->ctx);
}

/* Adds to the bytes of the progress line what the rows read so far stand for. */
static void report_progress(struct nsys_db *x)
{
    if (!x->job->progress || x->rows_total == 0)
        return;
    double share = (double)x->rows / (double)(x->rows_total + 1);
    uint64_t now = (uint64_t)((double)x->size * (share < 1 ? share : 1));
    if (now > x->reported) {
        atomic_fetch_add(x->job->progress, now - x->reported);
        x->reported = now;
    }
}

static bool beside(struct nsys_db *x, const char *suffix)
{
    struct az_sv p = az_arena_printf(&x->scratch, "%.*s%s", AZ_SVF(x->path), suffix);
    struct az_path_info info = p.p ? az_path_stat(p.p) : (struct az_path_info){ .kind = AZ_PATH_MISSING };
    return info.kind == AZ_PATH_FILE && info.size > 0;
}

/* The path as SQLite takes it: no name is special (":memory:", "file:..."). With `immutable` a URI: blanks and other
 * bytes with a meaning there are escaped. */
static struct az_sv sqlite_name(struct nsys_db *x, bool immutable)
{
    const char *lead = x->path.n && x->path.p[0] == '/' ? "" : "./";
    if (!immutable)
        return az_arena_printf(&x->scratch, "%s%.*s", lead, AZ_SVF(x->path));
    char *out = az_arena_alloc(&x->scratch, 3 * x->path.n + 64);
    if (!out)
        return az_sv_make(NULL, 0);
    int n = snprintf(out, 16, "file:%s", lead);
    char *at = out + n;
    for (size_t i = 0; i < x->path.n; i++) {
        unsigned char c = (unsigned char)x->path.p[i];
        if (c == '?' || c == '#' || c == '%' || c < 0x21)
            at += snprintf(at, 4, "%%%02X", c);
        else
            *at++ = (char)c;
    }
    at += snprintf(at, 40, "?mode=ro&immutable=1");
    return az_sv_make(out, (size_t)(at - out));
}

/* Tables are read through an aggregate function, "SELECT each_row(a,b) FROM t": the rows never leave SQLite's inner
 * loop, which saves a third of the time of stepping through a SELECT. */
static void each_row(sqlite3_context *c, int n, sqlite3_value **value)
{
    struct nsys_db *x = sqlite3_user_data(c);
    (void)n;
    x->scan.row->value = value;
    x->scan.row->number++;
    if (++x->rows % ROWS_A_STEP == 0)
        report_progress(x);
    x->scan.error = x->scan.fn(x, x->scan.row, x->scan.ctx);
    if (x->scan.error != 0)
        sqlite3_result_error(c, "stopped", -1);
}

static void all_rows(sqlite3_context *c) { sqlite3_result_null(c); }

/* Result code of opening and of the first read (SQLite opens lazily). */
static int try_open(struct nsys_db *x, bool immutable)
{
    struct az_sv name = sqlite_name(x, immutable);
    if (!name.p)
        return SQLITE_NOMEM;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0);
    sqlite3_close(x->db);
    x->db = NULL;
    int rc = sqlite3_open_v2(name.p, &x->db, flags, NULL);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_extended_result_codes(x->db, 1);
    sqlite3_busy_timeout(x->db, BUSY_MS);
    sqlite3_progress_handler(x->db, PROGRESS_OPS, on_progress, x->job);
    rc = sqlite3_create_function(x->db, "each_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, x, NULL, each_row, all_rows);
    if (rc != SQLITE_OK)
        return rc;
    /* A transaction: the file cannot change under us, however long the reading takes. */
    return sqlite3_exec(x->db,
                        "PRAGMA trusted_schema=OFF; PRAGMA mmap_size=2147418112; BEGIN; "
                        "SELECT count(*) FROM sqlite_master",
                        NULL, NULL, NULL);
}

/* A file shorter than its header says is refused as a whole, unless the schema may be written: a switch that has no
 * other use on this read-only connection. */
static int try_shortened(struct nsys_db *x)
{
    return sqlite3_exec(x->db, "PRAGMA writable_schema=ON; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

static int open_error(struct nsys_db *x, int rc)
{
    struct az_diag *d = x->job->diag;
    struct az_where at = AZ_AT_FILE(x->path);
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return az_diag_memory(d, AZ_ENOMEM, at, x->job->mem);
    case SQLITE_INTERRUPT:
        return AZ_EINTR;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return az_diag_fail(
            d, AZ_EIO, at, "the database is locked: another program is writing it (wait until the export is finished)");
    case SQLITE_NOTADB:
        return az_diag_fail(d, AZ_EFORMAT, at,
                            "not a readable SQLite database (encrypted, or its first page is damaged)");
    case SQLITE_CORRUPT:
        return az_diag_fail(d, AZ_EFORMAT, at, "the database is damaged and cannot be read (export it again)");
    default:
        break;
    }
    if (beside(x, "-journal"))
        return az_diag_fail(
            d, AZ_EIO, at,
            "an unfinished transaction lies beside the database ('-journal'): the export was broken off "
            "(export it again)");
    if (beside(x, "-wal"))
        return az_diag_fail(d, AZ_EIO, at,
                            "changes not yet written back lie beside the database ('-wal') and cannot be read here: %s "
                            "(copy both files to a folder that can be written)",
                            sqlite3_errstr(rc));
    return az_diag_fail(d, AZ_EIO, at, "cannot open the database: %s", sqlite3_errstr(rc));
}

/* Size and magic before SQLite sees the file, for better words. */
static int check_file(struct nsys_db *x)
{
    struct az_diag *d = x->job->diag;
    struct az_where at = AZ_AT_FILE(x->path);
    if (az_sv_is(x->path, "-"))
        return az_diag_fail(d, AZ_EIO, at, "an SQLite database cannot be read from standard input (give its path)");
    errno = 0;
    struct az_path_info info = az_path_stat(x->path.p);
    if (info.kind == AZ_PATH_MISSING)
        return az_diag_fail(d, AZ_EIO, at, "cannot open: %s", strerror(errno ? errno : ENOENT));
    if (info.kind == AZ_PATH_DIR)
        return az_diag_fail(d, AZ_EIO, at, "is a folder, not a database");
    x->size = info.size;
    if (info.kind == AZ_PATH_FILE && info.size == 0)
        return az_diag_fail(d, AZ_EEMPTY, at, "empty file");
    FILE *f = fopen(x->path.p, "rb");
    if (!f)
        return az_diag_fail(d, AZ_EIO, at, "cannot open: %s", strerror(errno));
    char head[16] = { 0 };
    size_t n = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    if (n == sizeof head && memcmp(head, "SQLite format 3", 16) == 0)
        return 0;
    if (n >= 2 && memcmp(head, "\x1f\x8b", 2) == 0)
        return az_diag_fail(d, AZ_EFORMAT, at, "compressed database (unpack it first: gunzip)");
    return az_diag_fail(d, AZ_EFORMAT, at, "not an SQLite database (expected the output of nsys export --type sqlite)");
}

static bool known_table(struct az_sv name)
{
    static const char *const known[] = { "StringIds",           "NVTX_EVENTS",      "OSRT_API",
                                         "ANALYSIS_DETAILS",    "META_DATA_EXPORT", "EXPORT_META_DATA",
                                         "COMPOSITE_EVENTS",    "TARGET_INFO_GPU",  "PROFILER_OVERHEAD",
                                         "ENUM_NSYS_EVENT_TYPE" };
    if (az_sv_starts(name, AZ_SV("CUPTI_ACTIVITY_KIND_")))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (az_sv_is(name, known[i]))
            return true;
    return false;
}

/* Does the database hold tables of an export? If not, *others names some that are there. */
static int look_at_tables(struct nsys_db *x, bool *known, struct az_sv *others)
{
    sqlite3_stmt *st = NULL;
    unsigned shown = 0;
    *known = false;
    *others = az_sv_make("", 0);
    int rc = sqlite3_prepare_v2(x->db, "SELECT name FROM sqlite_master WHERE type IN ('table','view') ORDER BY name",
                                -1, &st, NULL);
    while (rc == SQLITE_OK && !*known && sqlite3_step(st) == SQLITE_ROW) {
        struct az_sv name = az_sv_str((const char *)sqlite3_column_text(st, 0));
        *known = known_table(name);
        if (!*known && shown < 8)
            *others = az_arena_printf(&x->scratch, "%.*s%s%.*s", AZ_SVF(*others), shown++ ? ", " : "", AZ_SVF(name));
    }
    sqlite3_finalize(st);
    return rc;
}

static int check_tables(struct nsys_db *x)
{
    bool known;
    struct az_sv others;
    int rc = look_at_tables(x, &known, &others);
    if (rc != SQLITE_OK)
        return open_error(x, rc);
    if (known)
        return 0;
    if (others.n == 0)
        others = AZ_SV("no table at all");
    return az_diag_fail(x->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path),
                        "an SQLite database, but no Nsight Systems export: none of its tables is known (there: %.*s)",
                        AZ_SVF(others));
}

static int names_init(struct nsys_names *n, struct az_mem *mem, bool cut_version)
{
    az_vec_init(&n->dense, mem);
    n->cut_version = cut_version;
    return az_map_init(&n->sparse, mem, 0);
}

int nsys_db_open(struct nsys_db *x, struct az_parse *job, struct az_sv path)
{
    memset(x, 0, sizeof *x);
    x->job = job;
    x->t = job->trace;
    x->path = path;
    x->unknown = AZ_NO_ID;
    az_arena_init(&x->scratch, job->mem);
    int rc = names_init(&x->names, job->mem, false);
    if (rc == 0)
        rc = names_init(&x->api_names, job->mem, true);
    if (rc == 0)
        rc = az_map_init(&x->thread_names, job->mem, 0);
    if (rc != 0)
        return az_diag_memory(job->diag, rc, AZ_AT_FILE(path), job->mem);
    rc = check_file(x);
    if (rc != 0)
        return rc;
    int src = try_open(x, false);
    bool quiet = !beside(x, "-wal") && !beside(x, "-journal");
    if ((src & 0xff) == SQLITE_CORRUPT && try_shortened(x) == SQLITE_OK) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(path),
                    "the file is shorter than the database says: what is left is read, the result is partial");
        x->partial = true;
        src = SQLITE_OK;
    }
    /* A folder that cannot be written (a log of the WAL kind wants a helper file) or a file system without locks. */
    if (quiet && ((src & 0xff) == SQLITE_CANTOPEN || (src & 0xff) == SQLITE_IOERR || (src & 0xff) == SQLITE_READONLY))
        src = try_open(x, true);
    if (src != SQLITE_OK)
        return open_error(x, src);
    return check_tables(x);
}

void nsys_db_close(struct nsys_db *x)
{
    sqlite3_finalize(x->string);
    sqlite3_close(x->db);
    az_vec_release(&x->names.dense);
    az_vec_release(&x->api_names.dense);
    az_map_release(&x->names.sparse);
    az_map_release(&x->api_names.sparse);
    az_map_release(&x->thread_names);
    az_arena_release(&x->scratch);
    memset(x, 0, sizeof *x);
}

bool nsys_db_usable(struct az_sv path)
{
    struct az_diag quiet;
    struct az_parse job = { .diag = &quiet };
    struct nsys_db x;
    az_diag_init(&quiet);
    bool ok = nsys_db_open(&x, &job, path) == 0 && !x.partial;
    nsys_db_close(&x);
    az_diag_release(&quiet);
    return ok;
}

/* ---- tables and columns ---- */

bool nsys_has_table(struct nsys_db *x, const char *table)
{
    sqlite3_stmt *st = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(x->db, "SELECT 1 FROM sqlite_master WHERE type IN ('table','view') AND name=?1", -1, &st,
                           NULL) == SQLITE_OK) {
        (void)sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
        found = sqlite3_step(st) == SQLITE_ROW;
    }
    sqlite3_finalize(st);
    return found;
}

bool nsys_has_column(struct nsys_db *x, const char *table, const char *column)
{
    sqlite3_stmt *st = NULL;
    bool found = false;
    if (strcmp(column, "rowid") == 0)
        return true; /* 0 where there is none (views) */
    struct az_sv sql = az_arena_printf(&x->scratch, "PRAGMA table_info(\"%s\")", table);
    if (sql.p && sqlite3_prepare_v2(x->db, sql.p, -1, &st, NULL) == SQLITE_OK)
        while (!found && sqlite3_step(st) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(st, 1);
            found = name && strcmp(name, column) == 0;
        }
    sqlite3_finalize(st);
    return found;
}

/* Columns that exist, as arguments of each_row. False: a required one is missing. */
static bool choose_columns(struct nsys_db *x, const char *table, const struct nsys_want *want, size_t n,
                           struct nsys_row *row, struct az_sv *list)
{
    int at = 0;
    *list = AZ_SV("");
    for (size_t i = 0; i < n; i++) {
        row->at[i] = -1;
        if (nsys_has_column(x, table, want[i].column)) {
            *list = az_arena_printf(&x->scratch, "%.*s%s\"%s\"", AZ_SVF(*list), at ? "," : "", want[i].column);
            row->at[i] = at++;
        } else if (want[i].required) {
            az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                        "table '%s' has no column '%s': the table is left out (unknown export version?)", table,
                        want[i].column);
            az_trace_dropped(x->t, "table without a needed column", 1, 0);
            return false;
        }
    }
    return at > 0;
}

static int scan_error(struct nsys_db *x, const char *table, uint64_t rows, int rc)
{
    struct az_where at = AZ_AT_FILE(x->path);
    if (x->scan.error != 0)
        return x->scan.error;
    switch (rc & 0xff) {
    case SQLITE_INTERRUPT:
        return AZ_EINTR;
    case SQLITE_NOMEM:
        return AZ_ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return open_error(x, rc);
    case SQLITE_IOERR:
        return az_diag_fail(x->job->diag, AZ_EIO, at, "reading table '%s' failed after %" PRIu64 " rows: %s", table,
                            rows, sqlite3_errmsg(x->db));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        az_diag_add(x->job->diag, AZ_WARNING, at,
                    "table '%s' is damaged after %" PRIu64 " rows: the result is partial (%s; export it again)", table,
                    rows, sqlite3_errmsg(x->db));
        az_trace_dropped(x->t, "rest of a damaged table", 1, 0);
        x->partial = true;
        return 0;
    default:
        break;
    }
    az_diag_add(x->job->diag, AZ_WARNING, at, "table '%s' cannot be read and is left out: %s", table,
                sqlite3_errmsg(x->db));
    az_trace_dropped(x->t, "table that cannot be read", 1, 0);
    return 0;
}

int nsys_each(struct nsys_db *x, const char *table, const struct nsys_want *want, size_t n, nsys_row_fn fn, void *ctx)
{
    struct nsys_row row = { .number = 0 };
    struct az_sv columns;
    sqlite3_stmt *st = NULL;
    if (!nsys_has_table(x, table) || !choose_columns(x, table, want, n, &row, &columns))
        return 0;
    /* NOT INDEXED: an index that someone added must not change the order of the rows. */
    struct az_sv sql =
        az_arena_printf(&x->scratch, "SELECT each_row(%.*s) FROM \"%s\" NOT INDEXED", AZ_SVF(columns), table);
    if (!columns.p || !sql.p)
        return az_arena_error(&x->scratch);
    x->scan.row = &row;
    x->scan.fn = fn;
    x->scan.ctx = ctx;
    x->scan.error = 0;
    int rc = sqlite3_prepare_v2(x->db, sql.p, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    int result = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : scan_error(x, table, row.number, rc);
    (void)sqlite3_finalize(st);
    return result;
}

struct az_sv nsys_text(const struct nsys_row *r, int i)
{
    if (r->at[i] < 0)
        return az_sv_make("", 0);
    const char *p = (const char *)sqlite3_value_text(r->value[r->at[i]]);
    int n = sqlite3_value_bytes(r->value[r->at[i]]);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : az_sv_make("", 0);
}
