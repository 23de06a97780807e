/* Child processes without a shell. */
/* pipe2: without it another thread's child could inherit the report pipe and leave it open */
#define _GNU_SOURCE
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "io/oserror.h"
#include "io/path.h"

static atomic_int running; /* read by the watchdog, which the library does not have */

#define POLL_MAX_NS    ((int64_t)50 * 1000000)
#define GRACE_NS       ((int64_t)2 * 1000000000)
#define TAIL_BYTES_MAX ((size_t)64 << 10)

/* ---- finding programs ---- */

static bool is_program(const char *path)
{
    return az_path_stat(path).kind == AZ_PATH_FILE && access(path, X_OK) == 0;
}

struct az_sv az_child_find(struct az_arena *a, const char *name)
{
    const struct az_sv none = { "", 0 };
    if (!*name)
        return none;
    if (strchr(name, '/'))
        return is_program(name) ? az_arena_dup(a, az_sv_str(name)) : none;
    const char *path = az_env("PATH");
    struct az_sv rest = az_sv_str(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (;;) {
        size_t n = 0;
        while (n < rest.n && rest.p[n] != ':')
            n++;
        struct az_sv dir =
            n ? az_sv_make(rest.p, n) : AZ_SV("."); /* an empty element is the current folder */
        struct az_sv full = az_path_join(a, dir, az_sv_str(name));
        if (full.p && is_program(full.p))
            return full;
        if (n >= rest.n)
            return none;
        rest = az_sv_make(rest.p + n + 1, rest.n - n - 1);
    }
}

/* ---- running ---- */

struct launch {
    const char *program;
    const char *const *argv;
    const char *workdir;
    int in, out;   /* become 0, and 1 and 2 */
    int report[2]; /* closes at exec; carries errno if that fails */
};

/* In the child: only async-signal-safe calls, since other threads of the parent may have owned any
 * lock. */
static void child_side(const struct launch *l)
{
    static const int restore[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                                   SIGPIPE, SIGXFSZ, SIGXCPU, SIGCHLD };
    sigset_t nothing;
    (void)setpgid(0, 0);
    for (size_t i = 0; i < AZ_LENGTH(restore); i++)
        (void)signal(restore[i], SIG_DFL);
    (void)sigemptyset(&nothing);
    (void)sigprocmask(SIG_SETMASK, &nothing, NULL);
    if (dup2(l->in, 0) >= 0 && dup2(l->out, 1) >= 0 && dup2(l->out, 2) >= 0 &&
        (!l->workdir || chdir(l->workdir) == 0))
        (void)execv(l->program, (char *const *)(uintptr_t)l->argv);
    int e = errno;
    ssize_t ignored = write(l->report[1], &e, sizeof e);
    (void)ignored;
    _exit(127);
}

/* Returns 0 and the process, or errno. */
static int spawn(struct launch *l, pid_t *pid)
{
    int e = 0;
    if (pipe2(l->report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0)
        child_side(l);
    e = *pid < 0 ? errno : 0;
    (void)close(l->report[1]);
    if (e == 0) {
        (void)setpgid(*pid, *pid); /* both sides do it: whoever is first */
        int theirs = 0;
        ssize_t n;
        do
            n = read(l->report[0], &theirs, sizeof theirs);
        while (n < 0 && errno == EINTR);
        if (n == (ssize_t)sizeof theirs) {
            e = theirs;
            while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
                ;
        }
    }
    (void)close(l->report[0]);
    return e;
}

static int64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
    struct timespec t = { .tv_nsec = (long)ns };
    (void)nanosleep(&t, NULL);
}

/* 1: ended (*raw is its wait status), 0: still running, negative: lost. */
static int poll_child(pid_t pid, int *raw)
{
    pid_t r = waitpid(pid, raw, WNOHANG);
    if (r == pid)
        return 1;
    return r < 0 && errno != EINTR ? AZ_ECHILD : 0;
}

/* SIGTERM to the group, SIGKILL 2 s later to what is left of it. */
static void stop_child(pid_t pid, int *raw)
{
    int64_t until = now_ns() + GRACE_NS;
    int ended = 0;
    (void)kill(-pid, SIGTERM);
    while (!ended && now_ns() < until) {
        sleep_ns(POLL_MAX_NS / 10);
        ended = poll_child(pid, raw);
    }
    (void)kill(-pid, SIGKILL);
    while (!ended) {
        sleep_ns(POLL_MAX_NS / 10);
        ended = poll_child(pid, raw);
    }
}

static int wait_child(pid_t pid, const struct az_child_opts *o, int *raw)
{
    int64_t step = 1000000,
            end = o->timeout_s ? now_ns() + (int64_t)o->timeout_s * 1000000000 : INT64_MAX;
    for (;;) {
        int r = poll_child(pid, raw);
        if (r != 0)
            return r < 0 ? r : 0;
        if (o->cancelled && o->cancelled(o->ctx)) {
            stop_child(pid, raw);
            return AZ_EINTR;
        }
        if (now_ns() >= end) {
            stop_child(pid, raw);
            return AZ_ELIMIT;
        }
        sleep_ns(step);
        step = step * 2 > POLL_MAX_NS ? POLL_MAX_NS : step * 2;
    }
}

static int start_and_wait(struct launch *l, const struct az_child_opts *o, int *status,
                          struct az_diag *diag)
{
    char text[128];
    pid_t pid = -1;
    int raw = 0, e = spawn(l, &pid);
    struct az_sv name = az_sv_str(l->argv[0]);
    if (e)
        return IO_FAIL(diag, AZ_ECHILD, AZ_NOWHERE, "cannot start '%.*s': %s", AZ_SVF(name),
                       az_errno_text(e, text));
    (void)atomic_fetch_add(&running, 1);
    int r = wait_child(pid, o, &raw);
    (void)atomic_fetch_sub(&running, 1);
    if (WIFEXITED(raw))
        *status = WEXITSTATUS(raw);
    else if (WIFSIGNALED(raw))
        *status = 128 + WTERMSIG(raw);
    if (r == AZ_ELIMIT)
        return IO_FAIL(diag, AZ_ECHILD, AZ_NOWHERE,
                       "'%.*s' stopped after %u s; raise its time limit", AZ_SVF(name),
                       o->timeout_s);
    if (r == AZ_ECHILD)
        return IO_FAIL(diag, r, AZ_NOWHERE,
                       "cannot wait for '%.*s'; check whether SIGCHLD is ignored", AZ_SVF(name));
    return r;
}

/* dup2 onto itself would leave close-on-exec set: avoid 0, 1, 2, which may have been closed
 * when we started. */
static int above_stderr(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), e = errno;
    (void)close(fd);
    errno = e;
    return high;
}

int az_child_running(void) { return atomic_load(&running); }

int az_child_run(const char *const argv[], const struct az_child_opts *o, int *status,
                 struct az_diag *diag)
{
    static const struct az_child_opts none;
    char text[128];
    struct az_arena a;
    o = o ? o : &none;
    *status = -1;
    az_arena_init(&a, NULL);
    struct launch l = { .argv = argv, .workdir = o->workdir, .in = -1, .out = -1 };
    struct az_sv program = az_child_find(&a, argv[0]);
    const char *output = o->output ? o->output : "/dev/null";
    int r = 0;
    l.program = program.p;
    if (program.n == 0) {
        r = IO_FAIL(diag, AZ_ECHILD, AZ_NOWHERE, "cannot start '%s': %s", argv[0],
                    strchr(argv[0], '/') ? "no such program" : "not found on PATH");
        goto out;
    }
    l.in = above_stderr(open("/dev/null", O_RDONLY | O_CLOEXEC));
    l.out = above_stderr(open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
    if (l.in < 0 || l.out < 0)
        r = IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(output)), "cannot write: %s",
                    az_errno_text(errno, text));
    else
        r = start_and_wait(&l, o, status, diag);
out:
    if (l.in >= 0)
        (void)close(l.in);
    if (l.out >= 0)
        (void)close(l.out);
    az_arena_release(&a);
    return r;
}

/* ---- what it printed ---- */

/* The last bytes of the file; -1 on failure. */
static ssize_t read_end(const char *path, char *buf, size_t max, bool *cut)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return -1;
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)max ? size - (off_t)max : 0;
    size_t have = 0;
    *cut = from > 0;
    while (size >= 0 && have < max) {
        ssize_t n = pread(fd, buf + have, max - have, from + (off_t)have);
        if (n > 0)
            have += (size_t)n;
        else if (n == 0 || errno != EINTR)
            break;
    }
    (void)close(fd);
    return size < 0 ? -1 : (ssize_t)have;
}

struct az_sv az_file_tail(struct az_arena *a, const char *path, unsigned lines)
{
    struct az_sv out = { "", 0 };
    bool cut = false;
    char *buf = az_mem_alloc(NULL, TAIL_BYTES_MAX);
    ssize_t got = buf && lines ? read_end(path, buf, TAIL_BYTES_MAX, &cut) : -1;
    if (got > 0) {
        size_t n = (size_t)got;
        while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == '\r'))
            n--;
        size_t i = n;
        while (i > 0 && (buf[i - 1] != '\n' || --lines > 0))
            i--;
        out = az_arena_dup(a, az_sv_make(buf + i, n - i));
    }
    if (buf)
        az_mem_free(NULL, buf, TAIL_BYTES_MAX);
    return out.p ? out : (struct az_sv){ "", 0 };
}
