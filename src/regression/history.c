/* The history: opening, schema, statements, times. */
#include "regression/history.h"

#include <math.h>
#include <time.h>

#include "base/num.h"
#include "io/path.h"
#include "regression/history_db.h"

#define DAMAGED       "damaged: restore a copy, or run `sqlite3 FILE .recover`"
#define CHECKED_WHOLE (16 << 20) /* bytes up to which indexes are compared with their tables */
#define BUSY_MS       10000
#define LONGEST_VALUE (16 << 20) /* bytes; keys and facts are far shorter */

/* Version 1 is the schema of the specification; 2 adds labels pinned to runs, and what must be
 * equal for a comparison.
 */
static const char schema_1[] =
    "CREATE TABLE meta(k TEXT PRIMARY KEY, v TEXT);"
    "CREATE TABLE run(id INTEGER PRIMARY KEY, created TEXT, label TEXT, commit_id TEXT, branch "
    "TEXT, host TEXT,"
    " device TEXT, stack TEXT, config_hash TEXT, good INTEGER DEFAULT 1);"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, input TEXT, sheet TEXT, key_json TEXT, name TEXT, "
    "unit TEXT,"
    " better TEXT, UNIQUE(input,sheet,key_json,name));"
    "CREATE TABLE sample(run_id INTEGER REFERENCES run(id) ON DELETE CASCADE, metric_id INTEGER "
    "REFERENCES metric(id),"
    " rep INTEGER, value REAL, PRIMARY KEY(run_id,metric_id,rep)) WITHOUT ROWID;"
    "CREATE TABLE verdict(run_id INTEGER REFERENCES run(id) ON DELETE CASCADE, metric_id INTEGER "
    "REFERENCES metric(id),"
    " baseline_run INTEGER, rule TEXT, status TEXT, rel REAL, p REAL, PRIMARY "
    "KEY(run_id,metric_id,rule));"
    "CREATE INDEX sample_metric ON sample(metric_id, run_id);"
    "INSERT INTO meta VALUES('schema_version','1');";
static const char schema_2[] =
    "CREATE TABLE pin(label TEXT PRIMARY KEY, run_id INTEGER REFERENCES run(id) ON DELETE CASCADE);"
    "CREATE TABLE fact(run_id INTEGER REFERENCES run(id) ON DELETE CASCADE, input TEXT, k TEXT, v "
    "TEXT,"
    " PRIMARY KEY(run_id,input,k,v)) WITHOUT ROWID;"
    "CREATE INDEX run_created ON run(created, id);"
    "CREATE INDEX verdict_metric ON verdict(metric_id, run_id);"
    "UPDATE meta SET v='2' WHERE k='schema_version';";

/* Version 3: changes that were accepted, and what a value scatters by within its run. */
static const char schema_3[] =
    "CREATE TABLE accept(id INTEGER PRIMARY KEY, run_id INTEGER REFERENCES run(id) ON DELETE "
    "CASCADE, figure TEXT, reason TEXT);"
    "CREATE TABLE spread(run_id INTEGER REFERENCES run(id) ON DELETE CASCADE, metric_id INTEGER "
    "REFERENCES metric(id), value REAL, PRIMARY KEY(run_id,metric_id)) WITHOUT ROWID;"
    "UPDATE meta SET v='3' WHERE k='schema_version';";

/* Version 4: what runs claim. Runs of older versions have none. */
static const char schema_4[] =
    "CREATE TABLE claim(run_id INTEGER REFERENCES run(id) ON DELETE CASCADE, input TEXT, rep "
    "INTEGER, k TEXT, v, PRIMARY KEY(run_id,input,rep,k)) WITHOUT ROWID;"
    "UPDATE meta SET v='4' WHERE k='schema_version';";

/* ---- statements ---- */

static int db_error(struct az_history *h)
{
    int code = sqlite3_errcode(h->db), rc = AZ_EIO;
    const char *hint = "";

    if (code == SQLITE_NOMEM)
        return az_diag_memory(h->diag, AZ_ENOMEM, AZ_AT_FILE(h->path), NULL);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        hint = "; locked by another program for 10 seconds: try again";
    else if (code == SQLITE_READONLY)
        hint = "; make the file and its folder writable";
    else if (code == SQLITE_CANTOPEN)
        hint = "; check that its folder exists and is writable";
    else if (code == SQLITE_FULL)
        hint = " (free some space)";
    else if (code == SQLITE_NOTADB)
        hint = "; not a history database: choose another file";
    else if (code == SQLITE_CORRUPT)
        hint = "; " DAMAGED;
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR)
        rc = AZ_EFORMAT;
    return az_diag_fail(h->diag, rc, AZ_AT_FILE(h->path), "%s%s", sqlite3_errmsg(h->db), hint);
}

int az_history_db_prepare(struct az_history *h, const char *sql, sqlite3_stmt **st)
{
    *st = NULL;
    return sqlite3_prepare_v2(h->db, sql, -1, st, NULL) == SQLITE_OK ? 0 : db_error(h);
}

int az_history_db_step(struct az_history *h, sqlite3_stmt *st)
{
    int rc = sqlite3_step(st);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : db_error(h);
}

int az_history_db_exec(struct az_history *h, const char *sql)
{
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_error(h);
}

void az_history_db_bind_text(sqlite3_stmt *st, int at, struct az_sv s)
{
    (void)sqlite3_bind_text64(st, at, s.p ? s.p : "", s.n, SQLITE_STATIC, SQLITE_UTF8);
}

struct az_sv az_history_db_text(sqlite3_stmt *st, int col, struct az_arena *a)
{
    const unsigned char *p = sqlite3_column_text(st, col);
    int n = sqlite3_column_bytes(st, col);
    return p ? az_arena_dup(a, az_sv_make((const char *)p, (size_t)n)) : AZ_SV("");
}

double az_history_db_real(sqlite3_stmt *st, int col)
{
    return sqlite3_column_type(st, col) == SQLITE_NULL ? NAN : sqlite3_column_double(st, col);
}

/* ---- opening ---- */

/* First number of a query's first row; `missing` if there is no row. */
static int one_number(struct az_history *h, const char *sql, int64_t missing, int64_t *out)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, sql, &st);
    if (rc)
        return rc;
    rc = az_history_db_step(h, st);
    *out = rc == 1 ? sqlite3_column_int64(st, 0) : missing;
    (void)sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static int find_version(struct az_history *h)
{
    int64_t tables, meta;
    int rc = one_number(h, "SELECT count(*) FROM sqlite_master", 0, &tables);
    if (!rc)
        rc = one_number(h,
                        "SELECT count(*) FROM sqlite_master WHERE type='table' AND name IN "
                        "('meta','run','metric','sample','verdict')",
                        0, &meta);
    h->version = 0;
    if (rc || tables == 0)
        return rc;
    if (meta != 5)
        return az_diag_fail(h->diag, AZ_EFORMAT, AZ_AT_FILE(h->path),
                            "not a history database; choose another file");
    rc = one_number(h, "SELECT CAST(v AS INTEGER) FROM meta WHERE k='schema_version'", 0,
                    &h->version);
    if (!rc && h->version < 1)
        return az_diag_fail(h->diag, AZ_EFORMAT, AZ_AT_FILE(h->path),
                            "no schema version in the table 'meta'");
    if (!rc && h->version > AZ_HISTORY_VERSION)
        return az_diag_fail(
            h->diag, AZ_EFORMAT, AZ_AT_FILE(h->path),
            "schema version %lld is newer than the supported version %d; use a newer analyzer",
            (long long)h->version, AZ_HISTORY_VERSION);
    return rc;
}

/* Makes or renews the schema. Another writer may do the same at this moment: checked again inside
 * the transaction. */
static int migrate(struct az_history *h)
{
    int rc = find_version(h);
    if (rc || h->version == AZ_HISTORY_VERSION)
        return rc;
    rc = az_history_db_exec(h, "BEGIN IMMEDIATE");
    if (rc)
        return rc;
    rc = find_version(h);
    if (!rc && h->version < 1)
        rc = az_history_db_exec(h, schema_1);
    if (!rc && h->version < 2)
        rc = az_history_db_exec(h, schema_2);
    if (!rc && h->version < 3)
        rc = az_history_db_exec(h, schema_3);
    if (!rc && h->version < 4)
        rc = az_history_db_exec(h, schema_4);
    if (rc) {
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
        return rc;
    }
    h->version = AZ_HISTORY_VERSION;
    return az_history_db_exec(h, "COMMIT");
}

/* Changing to WAL needs the file alone for a moment and does not wait by itself. */
static int use_wal(struct az_history *h)
{
    const struct timespec nap = { 0, 20 * 1000 * 1000 };
    for (int i = 0; i < BUSY_MS / 20; i++) {
        int code = sqlite3_exec(h->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return 0;
        if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
            break;
        (void)nanosleep(&nap, NULL);
    }
    return db_error(h);
}

static int open_db(struct az_history *h, struct az_sv name, int flags)
{
    if (h->db)
        (void)sqlite3_close(h->db);
    h->db = NULL;
    if (sqlite3_open_v2(name.p, &h->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return h->db ? db_error(h) : az_diag_memory(h->diag, AZ_ENOMEM, AZ_AT_FILE(h->path), NULL);
    if (AZ_MOVES) /* texts of a row are then freed with it */
        (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0);
    (void)sqlite3_busy_timeout(h->db, BUSY_MS);
    /* a database from elsewhere may contain views and triggers that call what they should not */
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_limit(h->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    return az_history_db_exec(h, "PRAGMA ignore_check_constraints=ON");
}

/* "file:" URI with what the syntax needs escaped. */
static struct az_sv uri_of(struct az_history *h, const char *tail)
{
    struct az_vec_char t;
    int rc;
    az_vec_init(&t, NULL);
    rc = az_text_append(&t, AZ_SV("file:"));
    for (size_t i = 0; !rc && i < h->path.n; i++) {
        unsigned char c = (unsigned char)h->path.p[i];
        rc = strchr("%?#", c) ? az_text_printf(&t, "%%%02X", c) : az_vec_push(&t, (char)c);
    }
    if (!rc)
        rc = az_text_append(&t, az_sv_str(tail));
    struct az_sv out = rc ? (struct az_sv){ NULL, 0 } : az_arena_dup(&h->arena, az_text_view(&t));
    az_vec_release(&t);
    return out;
}

/* Opened to write where that is permitted, without writing: the last connection that may write
 * deletes the log and its index when it is closed, one that may only read leaves them there.
 * A database in WAL mode cannot be read in a folder that cannot be written, unless it is declared
 * read-only; that is so if there is no log next to it. */
static int open_read(struct az_history *h)
{
    struct az_sv log = az_arena_printf(&h->arena, "%.*s-wal", AZ_SVF(h->path));
    struct az_diag first;
    struct az_diag *real = h->diag;
    int rc;

    az_diag_init(&first);
    h->diag = &first;
    rc = open_db(h, uri_of(h, "?mode=rw"), SQLITE_OPEN_READWRITE);
    if (!rc)
        rc = az_history_db_exec(h, "PRAGMA query_only=ON");
    if (!rc)
        rc = find_version(h);
    h->diag = real;
    bool retry = rc == AZ_EIO && log.p && az_path_stat(log.p).kind == AZ_PATH_MISSING;
    if (rc && !retry)
        for (size_t i = 0; i < first.list.n; i++)
            az_diag_add(real, AZ_ERROR, AZ_NOWHERE, "%.*s", AZ_SVF(first.list.v[i].text));
    az_diag_release(&first);
    if (!retry)
        return rc;
    rc = open_db(h, uri_of(h, "?mode=ro&immutable=1"), SQLITE_OPEN_READONLY);
    return rc ? rc : find_version(h);
}

int az_history_db_damaged(struct az_history *h, const char *what)
{
    const char *line = strrchr(what, '\n'); /* the first line names the database "main" */
    return az_diag_fail(h->diag, AZ_EFORMAT, AZ_AT_FILE(h->path), "%s; " DAMAGED,
                        line ? line + 1 : what);
}

/* A damaged database accepts rows without an error, and loses others. */
static int check_pages(struct az_history *h)
{
    const bool whole = az_path_stat(h->path.p).size <= CHECKED_WHOLE;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, whole ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)",
                                   &st);

    if (rc)
        return rc;
    rc = az_history_db_step(h, st);
    const char *found = rc == 1 ? (const char *)sqlite3_column_text(st, 0) : NULL;
    rc = rc < 0 ? rc : found && strcmp(found, "ok") != 0 ? az_history_db_damaged(h, found) : 0;
    (void)sqlite3_finalize(st);
    return rc;
}

static int open_write(struct az_history *h)
{
    const char *dir = az_arena_str(&h->arena, az_path_dir(h->path));
    int rc = dir ? az_path_mkdirs(dir, h->diag) : AZ_ENOMEM;
    if (!rc)
        rc = open_db(h, uri_of(h, ""), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!rc)
        rc = find_version(h); /* before the file is changed: it may be another program's */
    if (!rc)
        rc = check_pages(h);
    if (!rc)
        rc = use_wal(h);
    if (!rc)
        rc = az_history_db_exec(h, "PRAGMA foreign_keys=ON");
    return rc ? rc : migrate(h);
}

int az_history_open(struct az_history **out, const char *path, enum az_history_mode mode,
                    struct az_diag *diag)
{
    struct az_history *h = az_mem_alloc(NULL, sizeof *h);
    struct az_path_info info = az_path_stat(path);
    int rc = 0;

    *out = NULL;
    if (!h)
        return az_diag_memory(diag, AZ_ENOMEM, AZ_AT_FILE(az_sv_str(path)), NULL);
    *h = (struct az_history){ .diag = diag };
    az_arena_init(&h->arena, NULL);
    h->path = az_arena_dup(&h->arena, az_sv_str(path));
    if (!h->path.p)
        rc = AZ_ENOMEM;
    else if (info.kind == AZ_PATH_DIR || info.kind == AZ_PATH_OTHER)
        rc = az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(h->path),
                          "is not a file; name the history database");
    else if (mode == AZ_HISTORY_READ && info.kind == AZ_PATH_MISSING)
        rc = az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(h->path),
                          "no such file; record runs in it with the key \"history\" of a "
                          "configuration, or with 'analyzer history import'");
    else
        rc = mode == AZ_HISTORY_READ ? open_read(h) : open_write(h);
    if (!rc && h->version == 0)
        rc = az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(h->path), "empty database: no runs stored");
    if (rc)
        az_history_close(h);
    else
        *out = h;
    return rc;
}

void az_history_messages(struct az_history *h, struct az_diag *diag) { h->diag = diag; }

void az_history_close(struct az_history *h)
{
    if (!h)
        return;
    (void)sqlite3_close(h->db);
    az_arena_release(&h->arena);
    az_mem_free(NULL, h, sizeof *h);
}

/* ---- times ---- */

/* Days since 1970-01-01 of a civil date (Howard Hinnant's algorithm). */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* Is there such a day? */
static bool is_date(int64_t y, int64_t m, int64_t d)
{
    return m >= 1 && m <= 12 && d >= 1 && days_of(y, m, d) < days_of(y + m / 12, m % 12 + 1, 1);
}

static bool digits(struct az_sv s, size_t at, size_t n, int64_t *out)
{
    *out = 0;
    for (size_t i = at; i < at + n; i++) {
        if (i >= s.n || s.p[i] < '0' || s.p[i] > '9')
            return false;
        *out = *out * 10 + (s.p[i] - '0');
    }
    return true;
}

static bool is_char_at(struct az_sv s, size_t i, char c) { return i < s.n && s.p[i] == c; }

bool az_history_time(struct az_sv s, int64_t *seconds)
{
    int64_t y, mo, d, h = 0, mi = 0, sec = 0, oh = 0, om = 0;
    size_t i = 10;

    s = az_sv_trim(s);
    if (!is_char_at(s, 4, '-'))
        return az_parse_i64(s, seconds) == 0 && *seconds >= 0;
    if (!digits(s, 0, 4, &y) || !digits(s, 5, 2, &mo) || !is_char_at(s, 7, '-') ||
        !digits(s, 8, 2, &d) || !is_date(y, mo, d))
        return false;
    if (is_char_at(s, 10, 'T') || is_char_at(s, 10, ' ')) {
        if (!digits(s, 11, 2, &h) || !is_char_at(s, 13, ':') || !digits(s, 14, 2, &mi) || h > 23 ||
            mi > 59)
            return false;
        i = 16;
        if (is_char_at(s, 16, ':')) {
            if (!digits(s, 17, 2, &sec) || sec > 60)
                return false;
            i = 19;
        }
        while (is_char_at(s, 19, '.') && i < s.n && (i == 19 || (s.p[i] >= '0' && s.p[i] <= '9')))
            i++;
    }
    if (is_char_at(s, i, '+') || is_char_at(s, i, '-')) {
        size_t colon = is_char_at(s, i + 3, ':');
        if (!digits(s, i + 1, 2, &oh) || !digits(s, i + 3 + colon, 2, &om))
            return false;
        if (s.p[i] == '-') {
            oh = -oh;
            om = -om;
        }
        i += 5 + colon;
    } else if (is_char_at(s, i, 'Z')) {
        i++;
    }
    *seconds = days_of(y, mo, d) * 86400 + (h - oh) * 3600 + (mi - om) * 60 + sec;
    return i == s.n;
}

struct az_sv az_history_time_text(struct az_arena *a, int64_t seconds)
{
    int64_t days = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
            doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1,
            m = mp < 10 ? mp + 3 : mp - 9;
    int64_t y = yoe + era * 400 + (m <= 2);
    return az_arena_printf(a, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ", (long long)y,
                           (long long)m, (long long)d, (long long)(rest / 3600),
                           (long long)(rest / 60 % 60), (long long)(rest % 60));
}
