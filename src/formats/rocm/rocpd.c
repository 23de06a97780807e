/* Format "rocpd": the SQLite database of rocprofv3, and of rocmProfileData (docs/formats-rocprof.md
 * 4). Opening, sets of tables. */
#include "formats/rocm/rocpd.h"
#include "formats/rocm/rocprof_machine.h"

#include <inttypes.h>
#include <stdio.h>

#include "formats/list.h"
#include "formats/shared/unsupported_formats.h"
#include "io/path.h"

static int probe(struct az_sv head, struct az_sv path)
{
    if (head.n < 16 || memcmp(head.p, "SQLite format 3", 16) != 0)
        return 0;
    if (az_sv_find(head, AZ_SV("rocpd_")) >= 0)
        return 96;
    return az_sv_ends(path, AZ_SV("_results.db")) || az_sv_ends(path, AZ_SV(".rpd")) ? 60
           : az_sv_ends(path, AZ_SV(".db"))                                          ? 30
                                                                                     : 0;
}

static bool knows_table(struct az_sv name) { return az_sv_starts(name, AZ_SV("rocpd_")); }

/* ---- sets of tables ---- */

#define TABLE "rocpd_kernel_dispatch"

static bool plain_text(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '_' || c == '-'))
            return false;
    }
    return true;
}

static struct az_sv column_text(sqlite3_stmt *st, int i)
{
    const char *p = (const char *)sqlite3_column_text(st, i);
    int n = sqlite3_column_bytes(st, i);
    return p && n > 0 ? az_sv_make(p, (size_t)n) : AZ_SV("");
}

/* Endings of the tables called `base`..., as sets. */
static int suffixed(struct az_rocpd *x, const char *base, struct az_rocpd_sets *sets)
{
    sqlite3_stmt *st = NULL;
    int rc = 0,
        src = az_sqlite_prepare(
            &x->file,
            "SELECT name FROM sqlite_master WHERE type='table' AND substr(name,1,length(?1))=?1 "
            "ORDER BY rowid",
            &st);
    if (src == SQLITE_OK)
        (void)sqlite3_bind_text(st, 1, base, -1, SQLITE_STATIC);
    while (src == SQLITE_OK && rc == 0 && az_sqlite_step(&x->file, st) == SQLITE_ROW) {
        struct az_sv name = column_text(st, 0);
        struct az_rocpd_set s = { .guid = AZ_SV("") };
        if (name.n <= strlen(base) || name.p[strlen(base)] != '_')
            continue;
        s.suffix =
            az_arena_dup(&x->arena, az_sv_make(name.p + strlen(base), name.n - strlen(base)));
        if (plain_text(s.suffix))
            rc = s.suffix.p ? az_vec_push(sets, s) : az_arena_error(&x->arena);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Plain tables may contain the rows of several databases, distinguished by their guid. */
static int plain(struct az_rocpd *x, struct az_rocpd_sets *sets)
{
    sqlite3_stmt *st = NULL;
    int rc = 0;
    if (az_sqlite_prepare(&x->file, "SELECT DISTINCT guid FROM " TABLE " ORDER BY 1", &st) ==
        SQLITE_OK)
        while (rc == 0 && az_sqlite_step(&x->file, st) == SQLITE_ROW) {
            struct az_rocpd_set s = { .suffix = AZ_SV(""),
                                      .guid = az_arena_dup(&x->arena, column_text(st, 0)) };
            if (plain_text(s.guid))
                rc = az_vec_push(sets, s);
        }
    sqlite3_finalize(st);
    bool table =
        rc == 0 && sets->n == 0 &&
        sqlite3_exec(x->db, "SELECT 1 FROM " TABLE " LIMIT 1", NULL, NULL, NULL) == SQLITE_OK;
    return table ? az_vec_push(sets, ((struct az_rocpd_set){ AZ_SV(""), AZ_SV("") })) : rc;
}

static int not_ours(struct az_rocpd *x)
{
    sqlite3_stmt *st = NULL;
    struct az_sv names = AZ_SV("");
    bool compute = false;
    const char *foreign = NULL;
    int shown = 0;
    if (az_sqlite_prepare(&x->file,
                          "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name",
                          &st) == SQLITE_OK)
        while (az_sqlite_step(&x->file, st) == SQLITE_ROW) {
            struct az_sv name = column_text(st, 0);
            compute |= az_sv_starts(name, AZ_SV("compute_"));
            foreign = foreign ? foreign : az_foreign_table(name);
            if (shown < 8)
                names = az_arena_printf(&x->arena, "%.*s%s%.*s", AZ_SVF(names), shown++ ? ", " : "",
                                        AZ_SVF(name));
        }
    sqlite3_finalize(st);
    if (foreign)
        return az_diag_fail(x->r->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path), "%s", foreign);
    if (compute)
        return az_diag_fail(
            x->r->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path),
            "database of rocprof-compute, not of rocprofv3; use the *_results.db of rocprofv3");
    return az_diag_fail(x->r->job->diag, AZ_EFORMAT, AZ_AT_FILE(x->path),
                        "SQLite database is not of rocprofv3 or rocmProfileData: no table '" TABLE
                        "...' or 'rocpd_op' (tables: %.*s)",
                        AZ_SVF(names.n ? names : AZ_SV("no table at all")));
}

static const struct az_sqlite_kind kind = {
    "the *_results.db of rocprofv3, or the .rpd of rocmProfileData", "profile again", .views = true
};

int az_rocpd_open(struct az_rocpd *x, struct az_rocprof *r, struct az_sv path,
                  struct az_rocpd_sets *sets)
{
    memset(x, 0, sizeof *x);
    x->r = r;
    x->path = path;
    az_arena_init(&x->arena, r->job->mem);
    int rc = az_sqlite_open(&x->file, r->job, &kind, path);
    x->db = x->file.db;
    x->partial = x->file.partial;
    x->file.suspect =
        true; /* rows are found by number, so a damaged page loses them without a word */
    x->r->t->truncated |= x->file.partial;
    if (rc)
        return rc;
    rc = suffixed(x, TABLE, sets);
    if (rc == 0 && sets->n == 0)
        rc = plain(x, sets);
    if (rc == 0 && sets->n == 0)
        rc = suffixed(x, "rocpd_string", sets);
    if (rc == 0 && x->file.endless) /* some of it was queried from a view */
        rc = az_sqlite_error(&x->file, SQLITE_INTERRUPT);
    if (rc == 0 && x->file.denied[0])
        rc = az_sqlite_error(&x->file, SQLITE_AUTH);
    if (rc)
        return rc;
    if (sets->n || az_rpd_is(x))
        return 0;
    return x->file.starved || x->arena.failed ? az_sqlite_error(&x->file, SQLITE_NOMEM)
                                              : not_ours(x);
}

void az_rocpd_close(struct az_rocpd *x)
{
    az_sqlite_close(&x->file);
    az_arena_release(&x->arena);
}

/* ---- tables ---- */

struct az_sv az_rocpd_table(struct az_rocpd *x, const char *table)
{
    return az_arena_printf(&x->arena, "\"%s%.*s\"", table, AZ_SVF(x->set->suffix));
}

struct az_sv az_rocpd_where(struct az_rocpd *x, const char *alias)
{
    return x->set->guid.n
               ? az_arena_printf(&x->arena, " WHERE %s.guid='%.*s'", alias, AZ_SVF(x->set->guid))
               : AZ_SV("");
}

bool az_rocpd_columns(struct az_rocpd *x, const char *table, const char *alias,
                      const char *const *columns, size_t n, struct az_sv *list)
{
    bool there[32] = { false }, any = false;
    sqlite3_stmt *st = NULL;
    struct az_sv sql =
        az_arena_printf(&x->arena, "PRAGMA table_info(%.*s)", AZ_SVF(az_rocpd_table(x, table)));
    if (sql.p && az_sqlite_prepare(&x->file, sql.p, &st) == SQLITE_OK)
        while (az_sqlite_step(&x->file, st) == SQLITE_ROW) {
            any = true;
            for (size_t i = 0; i < n && i < 32; i++)
                there[i] |= az_sv_ieq(column_text(st, 1), az_sv_str(columns[i]));
        }
    sqlite3_finalize(st);
    *list = AZ_SV("");
    for (size_t i = 0; i < n && i < 32; i++)
        *list = there[i] ? az_arena_printf(&x->arena, "%.*s%s%s.\"%s\"", AZ_SVF(*list),
                                           i ? "," : "", alias, columns[i])
                         : az_arena_printf(&x->arena, "%.*s%sNULL", AZ_SVF(*list), i ? "," : "");
    return any && list->p;
}

/* Texts of a profiler contain no zero bytes; those of a page that was overwritten with zeros do. */
static bool has_zero_bytes(sqlite3_stmt *row)
{
    const int n = sqlite3_column_count(row);
    for (int i = 0; i < n; i++) {
        if (sqlite3_column_type(row, i) != SQLITE_TEXT)
            continue;
        const char *text = (const char *)sqlite3_column_text(row, i);
        const int bytes = sqlite3_column_bytes(row, i);
        if (text && bytes > 0 && memchr(text, 0, (size_t)bytes))
            return true;
    }
    return false;
}

static void report_zero_bytes(struct az_rocpd *x, const char *table, uint64_t rows)
{
    if (rows == 0)
        return;
    az_diag_add(x->r->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                "the database is damaged: %" PRIu64 " rows of table '%s' have zero bytes in their "
                "texts (%s)",
                rows, table, kind.again);
    az_trace_dropped(x->r->t, AZ_DROP_LOST, "rows of a damaged database", rows, 0);
    x->partial = true;
}

/* Rows of a table after the first `given`: as many as there are numbers up to its last row. 0: not
 * known, as rows of other sets are among them, or the end is damaged, too. */
static uint64_t rows_after(struct az_rocpd *x, const char *table, uint64_t given)
{
    const struct az_sv name = az_arena_printf(&x->arena, "%s%.*s", table, AZ_SVF(x->set->suffix));
    int64_t last = 0;

    if (x->set->guid.n || !name.p || !az_sqlite_last_row(&x->file, name.p, &last))
        return 0;
    if (last <= 0 || (uint64_t)last <= given || (uint64_t)last - given > x->file.size)
        return 0;
    return (uint64_t)last - given;
}

/* Which events the rows of a table become, as far as it matters for lost ones. */
static enum az_kind kind_of(const char *table)
{
    static const char *const device[] = { "rocpd_kernel_dispatch", "rocpd_memory_copy",
                                          "rocpd_op" };
    for (size_t i = 0; i < AZ_LENGTH(device); i++)
        if (strcmp(table, device[i]) == 0)
            return AZ_KERNEL;
    return AZ_CALL;
}

/* One warning, and the rows that were not read as lost. */
static void report_rest(struct az_rocpd *x, const char *table, uint64_t given)
{
    char problem[128];

    (void)snprintf(problem, sizeof problem, "%s", sqlite3_errmsg(x->db));
    const uint64_t known = rows_after(x, table, given), lost = known + (known == 0);
    az_diag_add(x->r->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                "table '%s' is damaged after %" PRIu64 " rows: %s%" PRIu64
                " row%s lost, the result is partial (%s)",
                table, given, known ? "" : "at least ", lost, lost == 1 ? "" : "s", problem);
    az_trace_lost(x->r->t, kind_of(table), "rows of a damaged table", lost, 0);
    x->partial = true;
}

int az_rocpd_each(struct az_rocpd *x, const char *table, struct az_sv sql,
                  int (*fn)(struct az_rocpd *x, sqlite3_stmt *row))
{
    sqlite3_stmt *st = NULL;
    uint64_t zero = 0, given = 0;
    int rc = 0, src;
    if (!sql.p)
        return az_arena_error(&x->arena);
    src = az_sqlite_prepare(&x->file, sql.p, &st);
    while (rc == 0 && src != SQLITE_DONE && (src == SQLITE_OK || src == SQLITE_ROW)) {
        src = az_sqlite_step(&x->file, st);
        if (src == SQLITE_ROW) {
            zero += has_zero_bytes(st);
            given++;
            rc = fn(x, st);
        }
    }
    sqlite3_finalize(st);
    report_zero_bytes(x, table, zero);
    if (rc || src == SQLITE_DONE)
        return rc;
    switch (src & 0xff) {
    case SQLITE_NOMEM:
        return AZ_ENOMEM;
    case SQLITE_INTERRUPT:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return az_sqlite_error(&x->file, src);
    default:
        break;
    }
    report_rest(x, table, given);
    return 0;
}

/* Spans that `analyzer cut` kept. */
static int read_window(struct az_rocpd *x)
{
    struct az_trace *t = x->r->t;
    sqlite3_stmt *st = NULL;
    int rc = AZ_OK;
    if (az_sqlite_prepare(&x->file,
                          "SELECT start, \"end\", process FROM " AZ_ROCPD_WINDOW_TABLE
                          " ORDER BY rowid",
                          &st) != SQLITE_OK)
        return AZ_OK;
    while (rc == 0 && az_sqlite_step(&x->file, st) == SQLITE_ROW) {
        const struct az_span s = { sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1) };
        if (s.end < s.start)
            continue;
        rc = az_vec_push(&t->recorded_window, s);
        if (rc == 0 && sqlite3_column_type(st, 2) == SQLITE_INTEGER)
            rc = az_vec_push(&t->window_process, (uint64_t)sqlite3_column_int64(st, 2));
    }
    if (t->window_process.n != t->recorded_window.n)
        az_vec_reset(&t->window_process);
    sqlite3_finalize(st);
    return rc;
}

static int read_file(struct az_rocprof *r, struct az_sv path)
{
    struct az_rocpd x;
    struct az_rocpd_sets sets;
    az_vec_init(&sets, r->job->mem);
    int rc = az_rocpd_open(&x, r, path, &sets);
    if (rc == 0)
        rc = read_window(&x);
    if (rc == 0 && sets.n == 0)
        rc = az_rpd_read(&x);
    for (size_t i = 0; rc == 0 && i < sets.n; i++) {
        x.set = &sets.v[i];
        rc = az_rocpd_read_set(&x);
    }
    report_zero_bytes(&x, "rocpd_string", x.zero_strings);
    bool damaged = false;
    if (rc == 0)
        rc = az_sqlite_check_damage(&x.file, &damaged);
    if (damaged)
        az_sqlite_lost_some(r->t);
    x.partial |= damaged;
    if (rc == 0 && (x.file.starved || x.arena.failed))
        rc = az_sqlite_error(&x.file, SQLITE_NOMEM);
    if (rc == 0 && x.partial)
        az_trace_fact(r->t, "partial", AZ_SV("yes: the database is damaged"));
    if (rc == 0 && r->job->progress)
        atomic_fetch_add(r->job->progress, az_path_stat(path.p).size);
    az_rocpd_close(&x);
    az_vec_release(&sets);
    return rc;
}

static int parse(struct az_parse *job)
{
    struct az_rocprof r;
    size_t errors = job->diag->errors;
    int rc = az_rocprof_init(&r, job);
    for (size_t i = 0; rc == 0 && i < job->n_files; i++)
        rc = read_file(&r, job->files[i].path);
    if (rc == 0)
        rc = az_rocprof_finish(&r);
    if (rc && job->diag->errors == errors)
        rc = az_rocprof_error(&r, rc, job->files[0].path);
    az_rocprof_release(&r);
    return rc;
}

static struct az_sv file_stem(struct az_sv path)
{
    struct az_sv s = az_path_stem(path);
    if (s.n > 8 && az_sv_ends(s, AZ_SV("_results")))
        s.n -= 8;
    return s;
}

const struct az_format az_format_rocpd = {
    .cut = az_rocpd_cut,
    .name = "rocpd",
    .tool = AZ_TOOL_TRACELENS,
    .record_host = "add ROCTx ranges around the host work (recorded by --marker-trace)",
    .help = "AMD rocprofv3: rocpd database (*_results.db); rocmProfileData (.rpd)",
    .files_are_ranks = true,
    .processes = true,
    .machine = az_rocpd_machine,
    .probe = probe,
    .knows_table = knows_table,
    .parse = parse,
    .stem = file_stem,
};
