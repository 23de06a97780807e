/* Opening the SQLite database that a profiler wrote (docs/performance.md 3). */
#include "formats/shared/sqlite_open.h"

#include <errno.h>
#include <stdio.h>

#include "io/path.h"

#define BUSY_MS                                                                                    \
    1000 /* a writer has its lock for moments only, unless it is in the middle of its work */
#define PROGRESS_OPS                                                                               \
    200000 /* virtual machine steps between two checks of `cancelled`: a few milliseconds */

/* Reading a table needs some steps per row, and a row at least a few bytes of the file; a view may
 * need any number, or never end. */
#define STEPS_A_BYTE  64
#define STEPS_ANYWAY  20000000
#define LONGEST_VALUE 1000000000

static int on_progress(void *ctx)
{
    struct az_sqlite *x = ctx;

    x->steps += PROGRESS_OPS;
    x->endless = x->steps / STEPS_A_BYTE > x->size + STEPS_ANYWAY / STEPS_A_BYTE;
    return x->endless || (x->job->cancelled && x->job->cancelled(x->job->ctx));
}

/* The statements are ours, and the views are not: a function of a view can take any time, inside
 * which nothing is canceled. */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *db,
                     const char *view)
{
    static const char *const ours[] = { "each_row", "max", "count", "length", "substr" };
    struct az_sqlite *x = ctx;
    bool good = !view || (x->kind->views && (action == SQLITE_SELECT || action == SQLITE_READ));
    (void)a;
    (void)db;

    if (action == SQLITE_FUNCTION && !view) {
        good = false;
        for (size_t i = 0; i < AZ_LENGTH(ours); i++)
            good |= sqlite3_stricmp(b, ours[i]) == 0;
    }
    if (!good)
        (void)snprintf(x->denied, sizeof x->denied, "%s", view ? view : b);
    return good ? SQLITE_OK : SQLITE_DENY;
}

static bool beside(const struct az_sqlite *x, const char *suffix)
{
    struct az_arena a;
    az_arena_init(&a, x->job->mem);
    struct az_sv p = az_arena_printf(&a, "%.*s%s", AZ_SVF(x->path), suffix);
    struct az_path_info info =
        p.p ? az_path_stat(p.p) : (struct az_path_info){ .kind = AZ_PATH_MISSING };
    az_arena_release(&a);
    return info.kind == AZ_PATH_FILE && info.size > 0;
}

/* The path in SQLite's form: no name is special (":memory:", "file:..."). With `immutable` a URI:
 * blanks and other bytes with a meaning there are escaped. */
static struct az_sv sqlite_name(const struct az_sqlite *x, bool immutable, struct az_arena *a)
{
    const char *lead = x->path.n && x->path.p[0] == '/' ? "" : "./";
    if (!immutable)
        return az_arena_printf(a, "%s%.*s", lead, AZ_SVF(x->path));
    char *out = az_arena_alloc(a, 3 * x->path.n + 64);
    if (!out)
        return az_sv_make(NULL, 0);
    char *at = out + snprintf(out, 16, "file:%s", lead);
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

/* Result code of opening and of the first read (SQLite opens lazily). */
static int try_open(struct az_sqlite *x, bool immutable)
{
    const int flags =
        SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0);
    struct az_arena a;
    az_arena_init(&a, x->job->mem);
    struct az_sv name = sqlite_name(x, immutable, &a);
    sqlite3_close(x->db);
    x->db = NULL;
    const int rc = name.p ? sqlite3_open_v2(name.p, &x->db, flags, az_sqlite_vfs()) : SQLITE_NOMEM;
    az_arena_release(&a);
    if (rc != SQLITE_OK)
        return rc;
    if (AZ_MOVES) /* texts of a row are then freed with it */
        (void)sqlite3_db_config(x->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
    sqlite3_extended_result_codes(x->db, 1);
    sqlite3_busy_timeout(x->db, BUSY_MS);
    sqlite3_progress_handler(x->db, PROGRESS_OPS, on_progress, x);
    if (sqlite3_set_authorizer(x->db, authorize, x) != SQLITE_OK)
        return SQLITE_NOMEM;
    /* no value is longer than the file, but those that a view makes */
    (void)sqlite3_limit(x->db, SQLITE_LIMIT_LENGTH,
                        x->size < LONGEST_VALUE ? (int)x->size + 1024 : LONGEST_VALUE);
    /* A transaction: the file cannot change under us, however long the reading lasts. */
    return sqlite3_exec(x->db,
                        "PRAGMA trusted_schema=OFF; PRAGMA ignore_check_constraints=ON; BEGIN; "
                        "SELECT count(*) FROM sqlite_master",
                        NULL, NULL, NULL);
}

/* A file shorter than in its header is rejected as a whole, unless the schema may be written: a
 * switch that has no other use on this read-only connection. */
static int try_shortened(struct az_sqlite *x)
{
    return sqlite3_exec(x->db, "PRAGMA writable_schema=ON; SELECT count(*) FROM sqlite_master",
                        NULL, NULL, NULL);
}

static int noted(struct az_sqlite *x, int code)
{
    x->starved |= (code & 0xff) == SQLITE_NOMEM;
    return code;
}

int az_sqlite_prepare(struct az_sqlite *x, const char *sql, sqlite3_stmt **st)
{
    return noted(x, sqlite3_prepare_v2(x->db, sql, -1, st, NULL));
}

int az_sqlite_step(struct az_sqlite *x, sqlite3_stmt *st) { return noted(x, sqlite3_step(st)); }

int az_sqlite_error(const struct az_sqlite *x, int code)
{
    struct az_diag *d = x->job->diag;
    struct az_where at = AZ_AT_FILE(x->path);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return az_diag_memory(d, AZ_ENOMEM, at, x->job->mem);
    case SQLITE_INTERRUPT:
        if (x->endless)
            return az_diag_fail(d, AZ_EFORMAT, at,
                                "reading exceeds the limit for a file of this size, for example "
                                "because a table is an endless view (%s)",
                                x->kind->again);
        return AZ_EINTR;
    case SQLITE_AUTH:
        return az_diag_fail(d, AZ_EFORMAT, at,
                            "view '%s' in place of a table, not read: it may run any function (%s)",
                            x->denied, x->kind->again);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return az_diag_fail(d, AZ_EIO, at,
                            "database locked by another program; wait until it is finished");
    case SQLITE_NOTADB:
        return az_diag_fail(d, AZ_EFORMAT, at,
                            "invalid SQLite database: encrypted, or its first page is damaged");
    case SQLITE_CORRUPT:
        return az_diag_fail(d, AZ_EFORMAT, at, "damaged database (%s)", x->kind->again);
    default:
        break;
    }
    if (beside(x, "-journal"))
        return az_diag_fail(d, AZ_EIO, at,
                            "unfinished transaction next to the database ('-journal'), left by an "
                            "interrupted writer (%s)",
                            x->kind->again);
    if (beside(x, "-wal"))
        return az_diag_fail(d, AZ_EIO, at,
                            "cannot read the write-ahead log ('-wal') next to the database: %s; "
                            "copy both files to a writable folder",
                            sqlite3_errstr(code));
    return az_diag_fail(d, AZ_EIO, at, "cannot read the database: %s", sqlite3_errstr(code));
}

int az_sqlite_check_damage(struct az_sqlite *x, bool *damaged)
{
    sqlite3_stmt *st = NULL;
    *damaged = false;
    if (x->denied[0])
        return az_sqlite_error(x, SQLITE_AUTH);
    if (!x->suspect || x->partial)
        return 0;
    int rc = az_sqlite_prepare(x, "PRAGMA quick_check(1)", &st);
    if (rc == SQLITE_OK)
        rc = az_sqlite_step(x, st);
    const char *check = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL,
               *line = check ? strrchr(check, '\n') : NULL; /* the first names the database */
    *damaged = check ? strcmp(check, "ok") != 0 : (rc & 0xff) == SQLITE_CORRUPT;
    if (*damaged)
        az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                    "the database is damaged, rows are missing or wrong: %s (%s)",
                    line    ? line + 1
                    : check ? check
                            : sqlite3_errmsg(x->db),
                    x->kind->again);
    sqlite3_finalize(st);
    const bool ends = (rc & 0xff) == SQLITE_INTERRUPT || (rc & 0xff) == SQLITE_NOMEM;
    return ends && !x->endless ? az_sqlite_error(x, rc) : 0;
}

void az_sqlite_lost_some(struct az_trace *t)
{
    for (size_t i = 0; i < t->drops.n; i++)
        if (t->drops.v[i].kind == AZ_DROP_LOST)
            return;
    az_trace_dropped(t, AZ_DROP_LOST, "rows of a damaged database", 1, 0);
}

/* Size and magic before SQLite sees the file, for better words. */
static int check_file(struct az_sqlite *x)
{
    struct az_diag *d = x->job->diag;
    struct az_where at = AZ_AT_FILE(x->path);
    if (az_sv_is(x->path, "-"))
        return az_diag_fail(d, AZ_EIO, at,
                            "cannot read an SQLite database from standard input; use its path");
    errno = 0;
    struct az_path_info info = az_path_stat(x->path.p);
    if (info.kind == AZ_PATH_MISSING && (errno == 0 || errno == ENOENT))
        return az_diag_fail(d, AZ_EIO, at, "no such file or folder");
    if (info.kind == AZ_PATH_MISSING)
        return az_diag_fail(d, AZ_EIO, at, "cannot read: %s", strerror(errno));
    if (info.kind == AZ_PATH_DIR)
        return az_diag_fail(d, AZ_EIO, at, "is a folder, not a database");
    x->size = info.size;
    if (info.kind == AZ_PATH_FILE && info.size == 0)
        return az_diag_fail(d, AZ_EEMPTY, at, "empty file");
    FILE *f = fopen(x->path.p, "rb");
    if (!f)
        return az_diag_fail(d, AZ_EIO, at, "cannot read: %s", strerror(errno));
    char head[16] = { 0 };
    size_t n = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    if (n == sizeof head && memcmp(head, "SQLite format 3", 16) == 0)
        return 0;
    if (n >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)
        return az_diag_fail(d, AZ_EFORMAT, at, "compressed database; decompress it with unzstd");
    if (n >= 2 && memcmp(head, "\x1f\x8b", 2) == 0)
        return az_diag_fail(d, AZ_EFORMAT, at, "compressed database; decompress it with gunzip");
    return az_diag_fail(d, AZ_EFORMAT, at, "not an SQLite database; use %s", x->kind->expected);
}

int az_sqlite_open(struct az_sqlite *x, struct az_parse *job, const struct az_sqlite_kind *kind,
                   struct az_sv path)
{
    *x = (struct az_sqlite){ .job = job, .kind = kind, .path = path };
    const int rc = check_file(x);
    if (rc)
        return rc;
    int code = try_open(x, false);
    const bool quiet = !beside(x, "-wal") && !beside(x, "-journal");
    if ((code & 0xff) == SQLITE_CORRUPT && try_shortened(x) == SQLITE_OK) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(path),
                    "file shorter than its header specifies: truncated, the result is partial");
        x->partial = true;
        return 0;
    }
    /* A folder that cannot be written (a log of the WAL kind needs a helper file) or a file system
     * without locks. */
    if (quiet && ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_IOERR ||
                  (code & 0xff) == SQLITE_READONLY))
        code = try_open(x, true);
    return code == SQLITE_OK ? 0 : az_sqlite_error(x, code);
}

void az_sqlite_close(struct az_sqlite *x)
{
    sqlite3_close(x->db);
    x->db = NULL;
}
