/* Format "nsys-rep": a report of Nsight Systems, which only its own program can read. A database
 * next to it is used if it is newer; else `nsys export` writes one into a private folder
 * (docs/formats-nsight.md 4). */
#include <errno.h>

#include "base/env.h"
#include "formats/list.h"
#include "formats/nsys/nsys_sqlite.h"
#include "io/child.h"
#include "io/outfile.h"
#include "io/path.h"

#define TAIL_LINES 8

static int probe(struct az_sv head, struct az_sv path)
{
    (void)head; /* the format is not documented */
    return az_sv_ends(path, AZ_SV(".nsys-rep")) ? 90 : az_sv_ends(path, AZ_SV(".qdrep")) ? 90 : 0;
}

/* "dir/x.nsys-rep" -> "dir/x.sqlite", as nsys itself names it. */
static struct az_sv neighbour(struct az_arena *a, struct az_sv path)
{
    struct az_sv stem = path;
    if (az_sv_ends(path, AZ_SV(".nsys-rep")))
        stem.n -= sizeof ".nsys-rep" - 1;
    else if (az_sv_ends(path, AZ_SV(".qdrep")))
        stem.n -= sizeof ".qdrep" - 1;
    return az_arena_printf(a, "%.*s.sqlite", AZ_SVF(stem));
}

/* Is there a file older than the report? */
static bool is_older(struct az_sv sqlite, struct az_sv report)
{
    const struct az_path_info db = az_path_stat(sqlite.p);
    return db.kind == AZ_PATH_FILE && db.mtime_ns < az_path_stat(report.p).mtime_ns;
}

/* The export next to the report, if it is not older and can be read. */
static bool neighbour_serves(struct az_parse *job, struct az_sv report, struct az_sv sqlite)
{
    if (az_path_stat(sqlite.p).kind != AZ_PATH_FILE)
        return false;
    if (is_older(sqlite, report)) {
        az_diag_add(job->diag, AZ_NOTE, AZ_AT_FILE(sqlite), "older than the report, not used");
        return false;
    }
    return az_nsys_db_usable(sqlite);
}

/* The executable: the option, then the environment, then PATH. Empty with a message if there is
 * none. */
static struct az_sv find_nsys(struct az_parse *job, struct az_arena *a, struct az_sv report)
{
    const char *env = az_env("NSYS");
    struct az_sv given = job->opts->nsys_path.n ? job->opts->nsys_path : az_sv_str(env ? env : "");
    char *name = az_arena_str(a, given.n ? given : AZ_SV("nsys"));
    const struct az_sv sqlite = neighbour(a, report);
    struct az_sv exe = name ? az_child_find(a, name) : az_sv_make("", 0);
    if (exe.n)
        return exe;
    if (given.n)
        az_diag_add(job->diag, AZ_ERROR, AZ_AT_FILE(report),
                    "cannot run '%.*s' (%s); set the path of nsys", AZ_SVF(given),
                    job->opts->nsys_path.n ? "option nsys_path" : "environment variable NSYS");
    else if (sqlite.p && is_older(sqlite, report))
        az_diag_add(job->diag, AZ_ERROR, AZ_NOWHERE,
                    "cannot read %.*s without nsys, and its export '%.*s' is older; install Nsight "
                    "Systems, or analyze the export itself if it is of this report",
                    AZ_SVF(report), AZ_SVF(sqlite));
    else
        az_diag_add(job->diag, AZ_ERROR, AZ_NOWHERE,
                    "cannot read %.*s without nsys; install Nsight Systems, or export the report "
                    "with \"nsys export --type sqlite %.*s\" and use format \"nsys-sqlite\"",
                    AZ_SVF(report), AZ_SVF(report));
    return az_sv_make("", 0);
}

/* A path that nsys cannot read as an option. */
static const char *as_argument(struct az_arena *a, struct az_sv path)
{
    return path.n && path.p[0] == '-' ? az_arena_printf(a, "./%.*s", AZ_SVF(path)).p : path.p;
}

/* Messages about the temporary database would name a file that is gone, those about nsys none: they
 * get the report in front. */
static void take_messages(struct az_parse *job, const struct az_diag *from, struct az_sv report,
                          struct az_sv sqlite)
{
    for (size_t i = 0; i < from->list.n; i++) {
        struct az_sv text = from->list.v[i].text;
        if (az_sv_starts(text, sqlite)) {
            text = az_sv_make(text.p + sqlite.n, text.n - sqlite.n);
            while (text.n && (text.p[0] == ':' || text.p[0] == ' '))
                text = az_sv_make(text.p + 1, text.n - 1);
        }
        az_diag_add(job->diag, from->list.v[i].severity, AZ_AT_FILE(report), "%.*s", AZ_SVF(text));
    }
}

/* "; its last lines: a | b" of what nsys printed, on one line as messages are; nothing if it
 * printed nothing. */
static struct az_sv last_lines(struct az_arena *a, struct az_sv log)
{
    struct az_sv tail = az_sv_trim(az_file_tail(a, log.p, TAIL_LINES)), text = AZ_SV("");
    while (tail.n && text.p) {
        const struct az_sv line = az_sv_trim(az_sv_cut(&tail, '\n'));
        if (line.n)
            text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text),
                                   text.n ? " | " : "; its last lines: ", AZ_SVF(line));
    }
    return text.p ? text : AZ_SV("");
}

/* Runs nsys export; the database is at `sqlite` then. */
static int export_report(struct az_parse *job, struct az_arena *a, struct az_sv report,
                         struct az_sv dir, struct az_sv sqlite)
{
    struct az_where at = AZ_AT_FILE(report);
    struct az_sv exe = find_nsys(job, a, report), log = az_path_join(a, dir, AZ_SV("nsys.log"));
    const char *file = as_argument(a, report);
    if (!exe.n)
        return AZ_ECHILD;
    if (!log.p || !file)
        return az_arena_error(a);
    const char *const argv[] = { exe.p,  "export",   "--type", "sqlite", "--force-overwrite",
                                 "true", "--output", sqlite.p, file,     NULL };
    int64_t limit = job->opts->nsys_timeout_s;
    struct az_child_opts o = { .output = log.p,
                               .timeout_s = limit > 0 ? (unsigned)limit : 0,
                               .cancelled = job->cancelled,
                               .ctx = job->ctx };
    int status = 0;
    struct az_diag own;
    az_diag_init(&own);
    int rc = az_child_run(argv, &o, &status, &own);
    take_messages(job, &own, report, sqlite);
    az_diag_release(&own);
    if (rc != 0)
        return rc;
    if (status == 0 && az_path_stat(sqlite.p).kind == AZ_PATH_FILE)
        return 0;
    const struct az_sv tail = last_lines(a, log);
    if (status == 0)
        return az_diag_fail(job->diag, AZ_ECHILD, at, "nsys export wrote no database%.*s",
                            AZ_SVF(tail));
    return az_diag_fail(
        job->diag, AZ_ECHILD, at,
        "nsys export failed with status %d; check that nsys is at least as new as the report%.*s",
        status, AZ_SVF(tail));
}

static int read_exported(struct az_parse *job, struct az_arena *a, struct az_sv report)
{
    struct az_diag own;
    struct az_parse inner = *job;
    struct az_sv dir;
    int rc = az_tmpdir_make(a, "analyzer-nsys-", &dir, job->diag);
    if (rc != 0)
        return rc;
    struct az_sv sqlite = az_path_join(a, dir, AZ_SV("x.sqlite"));
    rc = sqlite.p ? export_report(job, a, report, dir, sqlite) : az_arena_error(a);
    if (rc == 0) {
        az_diag_init(&own);
        inner.diag = &own;
        rc = az_nsys_sqlite_read(&inner, sqlite);
        take_messages(job, &own, report, sqlite);
        az_diag_release(&own);
    }
    az_tmpdir_remove(dir.p);
    return rc;
}

static int read_report(struct az_parse *job, struct az_sv report)
{
    struct az_arena scratch;
    struct az_parse inner = *job;
    inner.progress = NULL; /* counts bytes of the report, not of the database */
    az_arena_init(&scratch, job->mem);
    struct az_sv sqlite = neighbour(&scratch, report);
    struct az_path_info info = az_path_stat(report.p);
    int rc;
    if (!sqlite.p)
        rc = az_diag_memory(job->diag, az_arena_error(&scratch), AZ_AT_FILE(report), job->mem);
    else if (info.kind == AZ_PATH_MISSING)
        rc = az_diag_fail(job->diag, AZ_EIO, AZ_AT_FILE(report), "no such file or folder");
    else if (info.kind == AZ_PATH_DIR)
        rc = az_diag_fail(job->diag, AZ_EIO, AZ_AT_FILE(report), "is a folder, not a report");
    else if (info.kind == AZ_PATH_FILE && info.size == 0)
        rc = az_diag_fail(job->diag, AZ_EEMPTY, AZ_AT_FILE(report), "empty file");
    else if (neighbour_serves(job, report, sqlite))
        rc = az_nsys_sqlite_read(&inner, sqlite);
    else
        rc = read_exported(&inner, &scratch, report);
    if (rc == 0 && job->progress)
        atomic_fetch_add(job->progress, info.size);
    az_arena_release(&scratch);
    return rc;
}

static int parse(struct az_parse *job)
{
    struct az_trace *t = job->trace;
    int rc = 0;
    for (size_t i = 0; i < job->n_files && rc == 0; i++)
        rc = read_report(job, job->files[i].path);
    t->has_mem = job->opts->with_mem && t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n > 0;
    t->has_nvtx = job->opts->with_nvtx && t->ev[AZ_RANGE].n > 0;
    return rc;
}

static const char *const aliases[] = { "nsys_rep", "qdrep", NULL };

const struct az_format az_format_nsys_rep = {
    .name = "nsys-rep",
    .tool = AZ_TOOL_NSYS,
    .record_host =
        "add NVTX ranges around the host work, or sample its stacks (--sample=process-tree)",
    .help = "Nsight Systems: report (.nsys-rep, .qdrep), converted by nsys export",
    .aliases = aliases,
    .files_are_ranks = true,
    .numbered = "report",
    .converts = true,
    .text_classic = true,
    .probe = probe,
    .parse = parse,
};
