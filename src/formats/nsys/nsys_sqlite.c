/* Format "nsys-sqlite": the database of `nsys export --type sqlite` (docs/formats-nsight.md 3). */
#include "formats/nsys/nsys_sqlite.h"

#include "formats/list.h"

/* ---- recognizing ---- */

static int probe(struct az_sv head, struct az_sv path)
{
    static const char *const marks[] = { "CUPTI_ACTIVITY_KIND_", "ENUM_NSYS_EVENT_",
                                         "TARGET_INFO_GPU",      "StringIds",
                                         "META_DATA_EXPORT",     "EXPORT_META_DATA",
                                         "NVTX_EVENTS" };
    if (head.n < 16 || memcmp(head.p, "SQLite format 3", 16) != 0)
        return 0;
    for (size_t i = 0; i < AZ_LENGTH(marks); i++)
        if (az_sv_find(head, az_sv_str(marks[i])) >= 0)
            return 95;
    return az_sv_ends(path, AZ_SV(".sqlite"))
               ? 40
               : 20; /* the names of the tables may be further after */
}

/* ---- reading ---- */

/* Rows to be read, for the progress line: the largest row number is found without a scan. */
static void count_rows(struct az_nsys_db *x)
{
    static const char *const big[] = { "SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_KERNEL",
                                       "SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_MEMSET",
                                       "SELECT max(rowid) FROM NVTX_EVENTS",
                                       "SELECT max(rowid) FROM OSRT_API",
                                       "SELECT max(rowid) FROM GPU_METRICS" };
    for (size_t i = 0; x->job->progress && i < AZ_LENGTH(big); i++) {
        sqlite3_stmt *st = NULL;
        if (az_sqlite_prepare(&x->file, big[i], &st) == SQLITE_OK &&
            az_sqlite_step(&x->file, st) == SQLITE_ROW) {
            int64_t n = sqlite3_column_int64(st, 0);
            x->rows_total += n > 0 && n < INT64_MAX / 16 ? (uint64_t)n : 0;
        }
        sqlite3_finalize(st);
    }
}

/* Spans that `analyzer cut` kept. */
static int read_window(struct az_nsys_db *x)
{
    sqlite3_stmt *st = NULL;
    int rc = AZ_OK;
    if (!az_nsys_has_table(x, AZ_NSYS_WINDOW_TABLE) ||
        az_sqlite_prepare(&x->file, "SELECT * FROM " AZ_NSYS_WINDOW_TABLE " ORDER BY rowid", &st) !=
            SQLITE_OK)
        return AZ_OK;
    while (rc == 0 && az_sqlite_step(&x->file, st) == SQLITE_ROW) {
        const struct az_span s = { sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1) };
        if (s.end < s.start)
            continue;
        rc = az_vec_push(&x->t->recorded_window, s);
        if (rc == 0 && sqlite3_column_type(st, 2) == SQLITE_INTEGER) /* of one process */
            rc = az_vec_push(&x->t->window_process, (uint64_t)sqlite3_column_int64(st, 2));
    }
    if (x->t->window_process.n != x->t->recorded_window.n)
        az_vec_reset(&x->t->window_process);
    sqlite3_finalize(st);
    return rc;
}

static int read_all(struct az_nsys_db *x)
{
    count_rows(x);
    int rc = az_nsys_strings_open(x);
    if (rc == 0)
        rc = az_nsys_read_meta(x);
    if (rc == 0)
        rc = az_nsys_read_gpu(x);
    if (rc == 0)
        rc = az_nsys_read_host(x);
    if (rc == 0)
        rc = az_nsys_read_nvtx(x, NULL);
    if (rc == 0)
        rc = az_nsys_read_mpi(x);
    if (rc == 0)
        rc = az_nsys_read_samples(x);
    if (rc == 0)
        rc = az_nsys_read_devices(x);
    if (rc == 0)
        rc = read_window(x);
    bool damaged = false;
    if (rc == 0)
        rc = az_sqlite_check_damage(&x->file, &damaged);
    if (damaged)
        az_sqlite_lost_some(x->t);
    x->partial |= damaged;
    return rc;
}

/* Counts of stored rows. */
static void settle(struct az_nsys_db *x)
{
    struct az_trace *t = x->t;
    t->classic = true;
    t->kept = 0;
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        t->kept += t->ev[k].n;
    t->kept += t->samples.rows.n;
    if (x->partial)
        az_trace_fact(t, "partial", AZ_SV("yes: the database is damaged"));
    if (x->job->progress && x->file.size > x->reported)
        atomic_fetch_add(x->job->progress, x->file.size - x->reported);
}

int az_nsys_sqlite_read(struct az_parse *job, struct az_sv path)
{
    struct az_nsys_db x;
    size_t errors = job->diag->errors;
    job->trace->ticks_per_ns = 1;
    int rc = az_nsys_db_open(&x, job, path);
    if (rc == 0)
        rc = read_all(&x);
    if (rc == 0)
        settle(&x);
    if (rc == 0 && (x.file.starved || x.scratch.failed))
        rc = az_sqlite_error(&x.file, SQLITE_NOMEM);
    az_nsys_db_close(&x);
    if ((rc == AZ_ENOMEM || rc == AZ_ELIMIT) && job->diag->errors == errors)
        return az_diag_memory(job->diag, rc, AZ_AT_FILE(path), job->mem);
    if (rc == AZ_ERANGE && job->diag->errors == errors)
        return az_diag_fail(job->diag, rc, AZ_AT_FILE(path), "more than 2^32 rows or names");
    return rc;
}

static int parse(struct az_parse *job)
{
    struct az_trace *t = job->trace;
    int rc = 0;
    for (size_t i = 0; i < job->n_files && rc == 0; i++)
        rc = az_nsys_sqlite_read(job, job->files[i].path);
    t->has_mem = t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n > 0;
    t->has_nvtx = job->opts->nvtx_tag.n > 0 && t->ev[AZ_RANGE].n > 0;
    return rc;
}

static const char *const aliases[] = { "nsys_sqlite", NULL };

const struct az_format az_format_nsys_sqlite = {
    .name = "nsys-sqlite",
    .tool = AZ_TOOL_NSYS,
    .record_host =
        "add NVTX ranges around the host work, or sample its stacks (--sample=process-tree)",
    .help = "Nsight Systems: database of nsys export --type sqlite (schemas of 2021 to 2025)",
    .aliases = aliases,
    .files_are_ranks = true,
    .numbered = "report",
    .text_classic = true,
    .probe = probe,
    .knows_table = az_nsys_is_table,
    .parse = parse,
    .cut = az_nsys_cut,
};
