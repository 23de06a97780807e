/* Output files under a temporary name, renamed when complete, and the list of temporary names. */
#include "io/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "io/oserror.h"
#include "io/path.h"
#include "io/temp_registry.h"

#define BUFFER   ((size_t)64 << 10)
#define TRIES    100
#define BASE_MAX 180 /* bytes of the target's name used in the temporary one: NAME_MAX is 255 */

/* ---- the list ----
 * A spin lock, because pthread.h stays out of this room and a C11 mtx_t cannot be initialized
 * statically. It is locked for a few pointer moves only, never around a system call. */

struct temp {
    struct temp *next;
    size_t size;
    bool is_dir;
    char path[];
};

static struct {
    atomic_flag lock;
    struct temp *head;
    unsigned long number;
} temps = { .lock = ATOMIC_FLAG_INIT };

static void temps_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&temps.lock, memory_order_acquire))
        (void)sched_yield();
}

static void temps_unlock(void) { atomic_flag_clear_explicit(&temps.lock, memory_order_release); }

int az_temps_add(const char *path, bool is_dir)
{
    size_t n = strlen(path) + 1, size = sizeof(struct temp) + n;
    struct temp *t = az_mem_alloc(NULL, size);
    if (!t)
        return AZ_ENOMEM;
    t->size = size;
    t->is_dir = is_dir;
    memcpy(t->path, path, n);
    temps_lock();
    t->next = temps.head;
    temps.head = t;
    temps_unlock();
    return 0;
}

bool az_temps_forget(const char *path)
{
    temps_lock();
    struct temp **at = &temps.head;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    struct temp *t = *at;
    if (t)
        *at = t->next;
    temps_unlock();
    if (t)
        az_mem_free(NULL, t, t->size);
    return t != NULL;
}

/* A number no other call in this process got. */
static unsigned long temps_number(void)
{
    temps_lock();
    unsigned long n = temps.number++;
    temps_unlock();
    return n;
}

void az_temps_each(void (*f)(const char *path, bool is_dir))
{
    for (const struct temp *t = temps.head; t; t = t->next)
        f(t->path, t->is_dir);
}

void az_temps_left(const char *path, int error)
{
    const struct az_log log = { .level = AZ_LOG_QUIET };
    char text[128];

    az_log_line(&log, AZ_LOG_QUIET,
                "warning: %s: cannot remove this temporary file: %s; remove it manually", path,
                az_errno_text(error, text));
}

void az_temps_unlink(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        az_temps_left(path, errno);
}

void az_out_cleanup(void)
{
    for (;;) {
        temps_lock();
        struct temp *t = temps.head;
        if (t)
            temps.head = t->next;
        temps_unlock();
        if (!t)
            return;
        if (t->is_dir)
            az_tmpdir_remove(t->path);
        else
            az_temps_unlink(t->path);
        az_mem_free(NULL, t, t->size);
    }
}

/* ---- targets and temporary names ---- */

/* /dev/stdout and its relatives: the descriptor number, or -1. Opening these names again would
 * start at offset 0 of a file the shell redirected to. */
static int fd_target(const char *path)
{
    struct az_sv p = az_sv_str(path), dir = az_sv_str("/dev/fd/");
    if (az_sv_is(p, "/dev/stdout"))
        return STDOUT_FILENO;
    if (az_sv_is(p, "/dev/stderr"))
        return STDERR_FILENO;
    if (!az_sv_starts(p, dir) || p.n == dir.n || p.n > dir.n + 4)
        return -1;
    int fd = 0;
    for (size_t i = dir.n; i < p.n; i++) {
        if (p.p[i] < '0' || p.p[i] > '9')
            return -1;
        fd = fd * 10 + (p.p[i] - '0');
    }
    return fd;
}

/* Where the bytes go: *direct for what is no regular file; else the file of that name is replaced,
 * a link as well: what it points to is not of this run. */
static int find_target(const char *path, bool *direct, struct az_diag *diag)
{
    char text[128];
    struct stat own;
    struct az_path_info info = az_path_stat(path);
    *direct = fd_target(path) >= 0 || info.kind == AZ_PATH_OTHER;
    if (*direct)
        return 0;
    if (info.kind == AZ_PATH_DIR)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)),
                       "cannot write: is a folder; name a file");
    if (info.kind == AZ_PATH_MISSING || (lstat(path, &own) == 0 && S_ISLNK(own.st_mode)))
        return 0;
    if (access(path, W_OK) != 0)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot write: %s",
                       az_errno_text(errno, text));
    return 0;
}

/* Creates an empty file ".<base>.<pid>.<n>.tmp" next to the target and remembers it. Returns its
 * descriptor, or -1 with errno. */
static int create_temp(struct az_arena *a, const char *target, struct az_sv *tmp)
{
    struct az_sv base = az_path_base(az_sv_str(target)), dir = az_path_dir(az_sv_str(target));
    if (base.n > BASE_MAX)
        base.n = BASE_MAX;
    for (int i = 0; i < TRIES; i++) {
        *tmp = az_arena_printf(a, "%.*s/.%.*s.%ld.%lu.tmp", AZ_SVF(dir), AZ_SVF(base),
                               (long)getpid(), temps_number());
        if (!tmp->p || az_temps_add(tmp->p, false) != 0) {
            errno = ENOMEM;
            return -1;
        }
        int fd = open(tmp->p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (fd >= 0)
            return fd;
        int e = errno;
        (void)az_temps_forget(tmp->p);
        errno = e;
        if (e != EEXIST)
            return -1;
    }
    return -1;
}

/* The folder and the open temporary file; or the path itself where it is written directly (tmp
 * empty). */
static int open_target(struct az_arena *a, const char *path, struct az_sv *tmp, int *fd,
                       struct az_diag *diag)
{
    char text[128];
    bool direct;
    *tmp = (struct az_sv){ NULL, 0 };
    int r = find_target(path, &direct, diag);
    if (r)
        return r;
    if (direct) {
        int old = fd_target(path);
        *fd =
            old >= 0 ? fcntl(old, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        struct az_sv dir = az_path_dir(az_sv_str(path));
        const char *d = az_arena_str(a, dir);
        if (!d)
            return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), a->mem);
        r = az_path_mkdirs(d, diag);
        if (r)
            return r;
        *fd = create_temp(a, path, tmp);
    }
    if (*fd < 0)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)),
                       "cannot write: %s; choose another output folder (-o)",
                       az_errno_text(errno, text));
    return 0;
}

/* Without this a crash of the system after the rename may leave an empty file under the new name.
 * A file system that cannot do it has nothing to lose. */
static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == EROFS ? 0 : errno;
}

/* The same of a file that a library has written and closed. */
static int sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno;
    const int e = sync_file(fd);
    (void)close(fd);
    return e;
}

/* Renames tmp to target; removes tmp on failure, also an earlier one. Returns 0 or errno. */
static int finish_temp(const char *tmp, const char *target, int e)
{
    if (!e)
        e = rename(tmp, target) == 0 ? 0 : errno;
    if (e)
        az_temps_unlink(tmp);
    (void)az_temps_forget(tmp);
    return e;
}

/* ---- az_outfile ---- */

struct az_outfile {
    struct az_arena arena; /* the names */
    struct az_diag *diag;
    struct az_sv path;
    struct az_sv tmp; /* empty: written directly */
    int fd;           /* -1: closed */
    int error;        /* first errno */
    size_t n;
    char *buf; /* BUFFER bytes; NULL: closed */
};

static void outfile_free(struct az_outfile *f)
{
    az_arena_release(&f->arena);
    az_mem_free(NULL, f->buf, f->buf ? BUFFER : 0);
    az_mem_free(NULL, f, sizeof *f);
}

int az_outfile_open(struct az_outfile **out, const char *path, struct az_diag *diag)
{
    *out = NULL;
    struct az_outfile *f = az_mem_alloc(NULL, sizeof *f);
    if (!f)
        return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), NULL);
    f->diag = diag;
    f->error = 0;
    f->n = 0;
    f->fd = -1;
    f->buf = az_mem_alloc(NULL, BUFFER);
    az_arena_init(&f->arena, NULL);
    int r = 0;
    f->path = az_arena_dup(&f->arena, az_sv_str(path));
    if (f->path.p && f->buf)
        r = open_target(&f->arena, f->path.p, &f->tmp, &f->fd, diag);
    else
        r = IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), NULL);
    if (r) {
        outfile_free(f);
        return r;
    }
    *out = f;
    return 0;
}

static void write_out(struct az_outfile *f, const char *p, size_t n)
{
    while (n && !f->error) {
        ssize_t r = write(f->fd, p, n > ((size_t)1 << 30) ? (size_t)1 << 30 : n);
        if (r >= 0) {
            p += r;
            n -= (size_t)r;
        } else if (errno != EINTR) {
            f->error = errno;
        }
    }
}

static void flush(struct az_outfile *f)
{
    write_out(f, f->buf, f->n);
    f->n = 0;
}

void az_outfile_write(struct az_outfile *f, const void *p, size_t n)
{
    if (n > BUFFER - f->n)
        flush(f);
    if (n >= BUFFER) {
        write_out(f, p, n);
    } else if (n) {
        memcpy(f->buf + f->n, p, n);
        f->n += n;
    }
}

char *az_outfile_room(struct az_outfile *f, size_t n)
{
    if (n > BUFFER - f->n)
        flush(f);
    return n <= BUFFER ? f->buf + f->n : NULL;
}

void az_outfile_used(struct az_outfile *f, size_t n) { f->n += n; }

void az_outfile_rewrite(struct az_outfile *f, uint64_t offset, const void *p, size_t n)
{
    const char *from = p;

    flush(f);
    while (n && !f->error) {
        const ssize_t r = pwrite(f->fd, from, n, (off_t)offset);
        if (r >= 0) {
            from += r;
            n -= (size_t)r;
            offset += (uint64_t)r;
        } else if (errno != EINTR) {
            f->error = errno;
        }
    }
}

void az_outfile_puts(struct az_outfile *f, struct az_sv s) { az_outfile_write(f, s.p, s.n); }

/* Text longer than the buffer: through memory of its own. */
static void print_large(struct az_outfile *f, size_t n, const char *fmt, va_list args)
{
    char *p = az_mem_alloc(NULL, n + 1);
    if (!p) {
        f->error = f->error ? f->error : ENOMEM;
        return;
    }
    (void)vsnprintf(p, n + 1, fmt, args);
    az_outfile_write(f, p, n);
    az_mem_free(NULL, p, n + 1);
}

void az_outfile_printf(struct az_outfile *f, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int r = vsnprintf(f->buf + f->n, BUFFER - f->n, fmt, args);
    if (r < 0) {
        f->error = f->error ? f->error : EILSEQ;
    } else if ((size_t)r < BUFFER - f->n) {
        f->n += (size_t)r;
    } else {
        flush(f);
        if ((size_t)r < BUFFER)
            f->n = (size_t)vsnprintf(f->buf, BUFFER, fmt, again);
        else
            print_large(f, (size_t)r, fmt, again);
    }
    va_end(again);
    va_end(args);
}

void az_outfile_finish(struct az_outfile *f)
{
    if (f->fd < 0)
        return;
    flush(f);
    if (f->tmp.p && !f->error)
        f->error = sync_file(f->fd);
    if (close(f->fd) != 0 && !f->error && errno != EINTR)
        f->error = errno;
    f->fd = -1;
    az_mem_free(NULL, f->buf, BUFFER);
    f->buf = NULL;
}

int az_outfile_commit(struct az_outfile *f)
{
    char text[128];
    az_outfile_finish(f);
    if (f->tmp.p && !f->error) {
        f->error = finish_temp(f->tmp.p, f->path.p, 0);
    } else if (f->tmp.p && az_temps_forget(f->tmp.p)) {
        az_temps_unlink(f->tmp.p);
    }
    int r = 0;
    if (f->error)
        r = IO_FAIL(f->diag, AZ_EIO, AZ_AT_FILE(f->path), "cannot write: %s%s",
                    az_errno_text(f->error, text),
                    f->error == ENOSPC ? "; free some space, or choose another output folder" : "");
    outfile_free(f);
    return r;
}

void az_outfile_abort(struct az_outfile *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        (void)close(f->fd);
    if (f->tmp.p && az_temps_forget(f->tmp.p))
        az_temps_unlink(f->tmp.p);
    outfile_free(f);
}

/* ---- names for libraries ---- */

int az_outname_reserve(struct az_arena *a, const char *path, struct az_sv *tmp,
                       struct az_diag *diag)
{
    int fd;
    int r = open_target(a, path, tmp, &fd, diag);
    if (r)
        return r;
    (void)close(fd);
    if (!tmp->p)
        *tmp = az_arena_dup(a, az_sv_str(path)); /* written directly, under its own name */
    return tmp->p ? 0 : IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), a->mem);
}

int az_outname_commit(const char *tmp, const char *path, struct az_diag *diag)
{
    char text[128];
    if (strcmp(tmp, path) == 0)
        return 0;
    bool direct;
    int r = find_target(path, &direct, diag);
    if (r == 0) {
        int e = finish_temp(tmp, path, sync_path(tmp));
        if (e)
            r = IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot write: %s",
                        az_errno_text(e, text));
    } else {
        az_outname_discard(tmp);
    }
    return r;
}

void az_outname_discard(const char *tmp)
{
    if (az_temps_forget(tmp)) /* a target written directly is not in the list, and stays */
        az_temps_unlink(tmp);
}
