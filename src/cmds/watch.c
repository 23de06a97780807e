/* `analyzer --watch DIR`: a line for each profile that appears in a folder, with the result of a
 * gate if there is a baseline. Each profile is analyzed by a child process, whose memory is
 * returned when it ends. */
#define _GNU_SOURCE /* F_SETLEASE, ppoll */
#include "cmds/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/utf8.h"
#include "cmds/wrap.h"
#include "document/verdict_table.h"
#include "io/path.h"
#include "read/skipped_files.h"

#define EVENTS      (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR)
#define MOST_LENGTH 4096 /* of the text of a gate */

/* A file that came with a new folder. The folder is watched before it is listed, so an event may
 * come for the same file, too, with what is written here unchanged. */
struct found {
    uint64_t dev, ino, size;
    int64_t mtime_ns;
};

struct watching {
    const char *baseline;
    const struct az_log *log;
    int fd;
    struct az_arena arena;
    struct az_vec_sv folders; /* by watch descriptor; p is NULL: none */
    struct az_map found;      /* in new folders: the device and the hash of struct found */
    int worst;                /* exit status of a profile */
    bool warned;              /* of a folder that cannot be watched */
};

/* ---- one profile, in a child process ---- */

static void put_part(struct az_vec_char *line, const char *before, struct az_sv text)
{
    az_text_add(line, az_sv_str(before));
    az_text_add(line, text);
}

/* A line for each profile; where it does not fit the terminal, its rest is indented below. */
static void print_whole(const struct az_vec_char *line, const char *path)
{
    enum { INDENT = 4 };
    struct az_vec_char shown, lines;

    az_vec_init(&shown, NULL);
    az_vec_init(&lines, NULL);
    int rc = az_vec_error(line);
    rc = rc ? rc : az_utf8_visible(&shown, az_text_view(line));
    rc = rc ? rc : az_utf8_wrap(&lines, az_text_view(&shown), INDENT, az_wrap_width());
    if (rc == AZ_OK) {
        fwrite(lines.v, 1, lines.n, stdout);
    } else {
        az_print_name(az_sv_str(path));
        puts(": error: out of memory");
    }
    fflush(stdout);
    az_vec_release(&shown);
    az_vec_release(&lines);
}

/* "2 steps, 450.8 us apart (ProfilerStep); 73.6% compute, ...": the first lines of the verdict. */
static void put_verdict(struct az_vec_char *line, const struct az_document *doc)
{
    const struct az_table *t = az_headline_of(doc);

    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_line l = az_headline_line(t, r);
        if (l.kind != AZ_LINE_WHAT && l.kind != AZ_LINE_TIME)
            continue;
        put_part(line, l.kind == AZ_LINE_WHAT ? ": " : "; ", l.text);
    }
}

/* The first paragraph below the heading: "fail: gemm: ..." with its continued lines. */
static void put_paragraph(struct az_vec_char *to, FILE *from)
{
    char line[MOST_LENGTH];
    bool began = false;

    rewind(from);
    while (fgets(line, sizeof line, from)) {
        const struct az_sv text = az_sv_trim(az_sv_str(line));
        if (!began && (!text.n || text.p[0] == '='))
            continue;
        if (began && line[0] != ' ')
            return;
        put_part(to, began ? " " : "; ", text);
        began = true;
    }
}

/* Runs the gate with its text in a file; its exit status. */
static int run_gate(const char *baseline, const char *path, FILE *text)
{
    char name[] = "gate", color[] = "--color=never",
         end[] = "--"; /* options are respelled in place */
    char *argv[] = { name, color, end, (char *)baseline, (char *)path, NULL };
    const int out = dup(STDOUT_FILENO);
    int rc;

    if (out < 0 || dup2(fileno(text), STDOUT_FILENO) < 0)
        return AZ_EXIT_INTERNAL;
    rc = az_cmd_gate.run(&az_cmd_gate, 5, argv);
    fflush(stdout);
    return dup2(out, STDOUT_FILENO) < 0 ? AZ_EXIT_INTERNAL : rc;
}

/* The first error without its place, which the line begins with; else that of the code. */
static struct az_sv first_error(const struct az_diag *d, struct az_sv path, int rc)
{
    for (size_t i = 0; i < d->list.n; i++) {
        const struct az_message *m = &d->list.v[i];
        const ptrdiff_t colon = az_sv_find(m->text, AZ_SV(": "));
        if (m->severity != AZ_ERROR)
            continue;
        return az_sv_starts(m->text, path) && colon >= (ptrdiff_t)path.n
                   ? az_sv_make(m->text.p + colon + 2, m->text.n - (size_t)colon - 2)
                   : m->text;
    }
    return az_sv_str(az_err_text(rc));
}

static int print_line(const struct watching *w, const char *path)
{
    struct az_preview l;
    struct az_run_opts opts = { .memory_limit = 0 };
    struct az_result res;
    int rc = az_preview_begin(&l, &path, 1), status = AZ_EXIT_OK;
    FILE *text = w->baseline ? tmpfile() : NULL;
    struct az_vec_char line;
    struct az_plan_job *job = rc == 0 && l.plan.jobs.n ? &l.plan.jobs.v[0] : NULL;

    az_result_init(&res, 0);
    if (job)
        rc = job->error ? job->error : az_analyze_input(job, &opts, 1, &res, &job->diag, NULL);
    if (rc == 0 && text)
        status = run_gate(w->baseline, path, text);
    az_vec_init(&line, NULL);
    az_text_add(&line, az_sv_str(path));
    if (res.reportable)
        put_verdict(&line, &res.doc);
    else
        put_part(&line, ": error: ", first_error(job ? &job->diag : &l.diag, az_sv_str(path), rc));
    az_result_release(&res);
    if (rc == 0 && text) {
        put_paragraph(&line, text);
    } else if (rc == 0 && w->baseline) {
        put_part(&line, "; ", AZ_SV("error: no temporary file for the gate"));
        rc = AZ_EIO;
    }
    if (text)
        fclose(text);
    print_whole(&line, path);
    az_vec_release(&line);
    az_diag_print(&l.diag, w->log);
    if (job)
        az_diag_print(&job->diag, w->log);
    az_preview_end(&l);
    if (rc == AZ_EINTR) /* no fault of the profile */
        return AZ_EXIT_OK;
    return rc ? AZ_EXIT_PARTIAL : status;
}

/* Is it a profile? */
static bool is_profile(const char *path)
{
    const struct az_format *f;
    struct az_diag silent;
    int score;

    if (az_path_stat(path).kind != AZ_PATH_FILE)
        return false;
    az_diag_init(&silent);
    const int rc = az_format_probe_found(path, &f, &score, &silent);
    az_diag_release(&silent);
    return rc == AZ_OK;
}

/* A file with contents that is named like a profile. */
static void report_skipped(const struct watching *w, const char *path)
{
    struct az_sv name = az_sv_str(path);
    const struct az_vec_sv paths = { .v = &name, .n = 1 };
    const struct az_path_info info = az_path_stat(path);
    struct az_diag diag;

    if (info.kind != AZ_PATH_FILE || info.size == 0)
        return;
    az_diag_init(&diag);
    az_passed_report(&paths, NULL, az_path_dir(name), &diag);
    az_diag_print(&diag, w->log);
    az_diag_release(&diag);
}

static void report(struct watching *w, const char *path)
{
    int status = 0;
    pid_t child;

    if (!is_profile(path)) {
        report_skipped(w, path);
        return;
    }
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(print_line(w, path));
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        az_log_line(w->log, AZ_LOG_QUIET, "error: %s: %s", path, strerror(errno));
    const int end = child >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : AZ_EXIT_INTERNAL;
    if (w->worst != AZ_EXIT_GATE) /* takes precedence */
        w->worst = end == AZ_EXIT_GATE || end > w->worst ? end : w->worst;
}

/* ---- folders ---- */

static int watch_folder(struct watching *w, const char *path)
{
    const int wd = inotify_add_watch(w->fd, path, EVENTS);
    int rc = AZ_OK;

    if (wd < 0)
        return AZ_EIO;
    while (!rc && w->folders.n <= (size_t)wd)
        rc = az_vec_push(&w->folders, ((struct az_sv){ NULL, 0 }));
    if (!rc)
        w->folders.v[wd] = az_arena_dup(&w->arena, az_sv_str(path));
    return rc;
}

static uint64_t hash_of(const struct az_path_info *info)
{
    const struct found f = { info->dev, info->ino, info->size, info->mtime_ns };
    return az_hash(&f, sizeof f);
}

static bool was_found(const struct watching *w, const struct az_path_info *info)
{
    return az_map_get(&w->found, info->dev, hash_of(info)) != AZ_NO_ID;
}

/* Is somebody writing it? A lease for reading fails then. An event follows when it is closed.
 * No where a lease fails for another reason (another owner, a file system without leases). */
static bool is_being_written(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool refused = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;

    if (fd >= 0)
        close(fd);
    return refused;
}

static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    (void)depth;
    return info->kind == AZ_PATH_DIR ? watch_folder(ctx, path) : AZ_OK;
}

static int visit_new(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    (void)depth;
    struct watching *w = ctx;
    int rc;

    if (info->kind == AZ_PATH_DIR)
        return watch_folder(w, path);
    if (was_found(w, info) || is_being_written(path))
        return AZ_OK;
    uint32_t *value;
    bool added;
    rc = az_map_put(&w->found, info->dev, hash_of(info), 1, &value, &added);
    if (!rc)
        report(w, path);
    return rc;
}

/* A folder and what is below it. Of a new one the files count that were there before it was
 * watched.
 */
static int watch_all(struct watching *w, const char *path, bool new)
{
    const struct az_walk walk = { .visit = new ? visit_new : visit, .ctx = w };
    struct az_diag diag;
    int rc = watch_folder(w, path);

    az_diag_init(&diag);
    if (!rc)
        rc = az_path_walk(path, &walk, &diag);
    az_diag_print(&diag, w->log);
    az_diag_release(&diag);
    return rc;
}

/* A folder that cannot be watched is a warning, the first of them, unless it is gone again. */
static int watch_new(struct watching *w, const char *path)
{
    const int rc = watch_all(w, path, true), error = errno;

    if (rc != AZ_EIO || w->warned || az_path_stat(path).kind != AZ_PATH_DIR)
        return rc == AZ_ENOMEM ? rc : AZ_OK;
    w->warned = true;
    az_log_line(w->log, AZ_LOG_QUIET,
                "warning: %s: cannot watch: %s; its profiles are not reported, %s", path,
                strerror(error),
                error == ENOSPC ? "raise fs.inotify.max_user_watches" : "grant read permission");
    return AZ_OK;
}

static void report_file(struct watching *w, const char *path)
{
    const struct az_path_info info = az_path_stat(path);

    if (!was_found(w, &info))
        report(w, path);
}

static int take_event(struct watching *w, const struct inotify_event *e)
{
    struct az_arena a;
    int rc = AZ_OK;

    if (e->mask & IN_Q_OVERFLOW) {
        az_log_line(w->log, AZ_LOG_QUIET, "warning: too many new files at once; some were missed");
        return AZ_OK;
    }
    if (e->len == 0 || e->wd < 0 || (size_t)e->wd >= w->folders.n || !w->folders.v[e->wd].p)
        return AZ_OK;
    az_arena_init(&a, NULL);
    const struct az_sv path = az_path_join(&a, w->folders.v[e->wd], az_sv_str(e->name));
    if (!path.p)
        rc = AZ_ENOMEM;
    else if (e->mask & IN_ISDIR)
        rc = watch_new(w, path.p);
    else if (e->mask & (IN_CLOSE_WRITE | IN_MOVED_TO) && e->name[0] != '.')
        report_file(w, path.p);
    az_arena_release(&a);
    return rc;
}

static int take_events(struct watching *w)
{
    _Alignas(struct inotify_event) char buffer[16384];
    const ssize_t n = read(w->fd, buffer, sizeof buffer);
    int rc = n < 0 && errno != EINTR && errno != EAGAIN ? AZ_EIO : AZ_OK;

    for (ssize_t at = 0; !rc && at < n && !az_interrupted();) {
        const struct inotify_event *e = (const void *)(buffer + at);
        rc = take_event(w, e);
        at += (ssize_t)(sizeof *e + e->len);
    }
    return rc;
}

/* Waits for an event or a signal: signals are blocked between the check and the waiting. */
static bool wait_for_event(int fd)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGXCPU };
    struct pollfd p = { .fd = fd, .events = POLLIN };
    sigset_t blocked, was;

    sigemptyset(&blocked);
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_BLOCK, &blocked, &was);
    const bool ready = !az_interrupted() && ppoll(&p, 1, NULL, &was) > 0;
    sigprocmask(SIG_SETMASK, &was, NULL);
    return ready;
}

int az_watch(const char *dir, const char *baseline, const struct az_log *log)
{
    struct watching w = { .baseline = baseline, .log = log, .fd = inotify_init1(IN_CLOEXEC) };
    int rc = w.fd < 0 ? AZ_EIO : AZ_OK;

    az_arena_init(&w.arena, NULL);
    az_vec_init(&w.folders, NULL);
    az_map_init(&w.found, NULL, 0);
    (void)az_signals_install();
    if (!rc)
        rc = watch_all(&w, dir, false);
    if (rc == AZ_EIO)
        az_log_line(log, AZ_LOG_QUIET, "error: %s: cannot watch: %s", dir, strerror(errno));
    else if (!rc)
        az_log_line(log, AZ_LOG_NORMAL, "note: watching %s; interrupt to end", dir);
    while (!rc && !az_interrupted())
        if (wait_for_event(w.fd))
            rc = take_events(&w);
    if (w.fd >= 0)
        close(w.fd);
    az_vec_release(&w.folders);
    az_map_release(&w.found);
    az_arena_release(&w.arena);
    if (rc)
        return rc == AZ_EIO ? AZ_EXIT_PARTIAL : AZ_EXIT_INTERNAL;
    return w.worst;
}
