// A library to be preloaded: the n-th call of a kind fails, or something happens at it. Built and
// used by campaign.py.
//   FAULT=CALL:N[:ACTION]   CALL: malloc (with calloc, realloc), read, write, fsync, rename, close,
//                           open (for writing), mmap, input (open for reading, folders too),
//                           readdir, stat, seek, unlink, mkdir, truncate, stdio (fread, fgets,
//                           fwrite, fflush, fclose), thread; any: read to mmap; all: counts of
//                           each. ACTION: an errno by its number, +NUMBER for this call and all
//                           after it; s<NUMBER> a signal to this process; t truncates FAULT_FILE, g
//                           appends to it, c changes it; h: reads and writes half of what they are
//                           asked
//   FAULT_COUNT=FILE        at the end, how many calls of the kind there were
//   FAULT_PLACES=N          (with FAULT_COUNT) the call of the kind and a hash of its N callers, a
//                           line for each new hash
//   FAULT_ALONE=1           the machine has one processor: no threads but those asked for, so that
//                           the n-th call is the same one in every run
//   FAULT_TRACE=1           where it was, on standard error (addr2line -f -e PROGRAM)
//   FAULT_TRY=1             at every open for reading of FAULT_FILE: what of the network and of new
//                           processes can be reached, on standard error
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
    NONE,
    MALLOC,
    READ,
    WRITE,
    FSYNC,
    RENAME,
    CLOSE,
    OPEN,
    MMAP,
    INPUT,
    READDIR,
    STAT,
    SEEK,
    UNLINK,
    MKDIR,
    TRUNCATE,
    STDIO,
    THREAD,
    ANY,
    ALL
};
static const char *const names[] = { "",         "malloc", "read",   "write",  "fsync",
                                     "rename",   "close",  "open",   "mmap",   "input",
                                     "readdir",  "stat",   "seek",   "unlink", "mkdir",
                                     "truncate", "stdio",  "thread", "any",    "all" };

static atomic_long count, each[ALL];
static long when;
static enum call kind;
static int error, sig, from_on;
static char action;
static const char *file;
static int counts = -1; /* FAULT_COUNT */
static int callers;     /* FAULT_PLACES */
static atomic_flag listing = ATOMIC_FLAG_INIT;
static struct place {
    long call;
    unsigned long hash;
} places[1 << 14];
static int n_places;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

__attribute__((constructor)) static void setup(void)
{
    const char *s = getenv("FAULT");
    file = getenv("FAULT_FILE");
    /* Opened now: at the end the program may be allowed to open its outputs only. */
    if (getenv("FAULT_COUNT"))
        counts = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULT_COUNT"),
                              O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    callers = getenv("FAULT_PLACES") ? atoi(getenv("FAULT_PLACES")) : 0;
    if (!s)
        return;
    enum call k = NONE;
    for (int i = 1; i <= ALL; i++)
        if (strncmp(s, names[i], strlen(names[i])) == 0 && s[strlen(names[i])] == ':')
            k = (enum call)i;
    s = strchr(s, ':');
    when = s ? atol(s + 1) : 0;
    s = s ? strchr(s + 1, ':') : NULL;
    if (s && s[1] == 's')
        sig = atoi(s + 2);
    else if (s && strchr("tgch", s[1]))
        action = s[1];
    else if (s) {
        from_on = s[1] == '+';
        error = atoi(s + 1 + from_on);
    }
    atomic_store(&count, 0);
    kind = k;
}

__attribute__((destructor)) static void tell(void)
{
    char text[32];
    long n = atomic_load(&count);
    const enum call was = kind;
    kind = NONE;
    const int fd = counts;
    if (fd >= 0 && syscall(SYS_ftruncate, fd, 0L) == 0) {
        (void)syscall(SYS_lseek, fd, 0L, SEEK_SET); /* a child process may have written */
        int length = snprintf(text, sizeof text, "%ld\n", n);
        (void)!syscall(SYS_write, fd, text, (size_t)length);
        for (int i = MALLOC; was == ALL && i < ANY; i++) {
            length = snprintf(text, sizeof text, "%s %ld\n", names[i], atomic_load(&each[i]));
            (void)!syscall(SYS_write, fd, text, (size_t)length);
        }
        for (int i = 0; i < n_places; i++) {
            length = snprintf(text, sizeof text, "%ld %lx\n", places[i].call, places[i].hash);
            (void)!syscall(SYS_write, fd, text, (size_t)length);
        }
        (void)syscall(SYS_close, fd);
    }
}

/* Keeps the callers of a call, by where they are in their files, which is the same in every run. */
static void keep_place(long call)
{
    void *at[32];
    unsigned long hash = 5381;
    const enum call was = kind;
    kind = NONE; /* this allocates */
    while (atomic_flag_test_and_set(&listing))
        ;
    const int n = backtrace(at, callers + 2 < 32 ? callers + 2 : 32);
    for (int i = 2; i < n; i++) {
        Dl_info of;
        const int known = dladdr(at[i], &of);
        hash = hash * 33 + (unsigned long)((char *)at[i] - (known ? (char *)of.dli_fbase : NULL));
    }
    int k = 0;
    while (k < n_places && places[k].hash != hash)
        k++;
    if (k == n_places && k < (int)(sizeof places / sizeof *places))
        places[n_places++] = (struct place){ call, hash };
    atomic_flag_clear(&listing);
    kind = was;
}

static void touch(void)
{
    if (!file || action == 'h')
        return;
    if (action == 't') {
        (void)!truncate(file, 10);
        return;
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | (action == 'g' ? O_APPEND : 0), 0);
    for (int i = 0; i < 200; i++)
        (void)!syscall(SYS_write, fd, "{\"x\":[]}, 1,2,3\n", 16);
    (void)syscall(SYS_close, fd);
}

/* Within a library; json-c does not survive a failed allocation: the program looks for room before
 * it asks it for anything (src/docs/faults.md). Finding out allocates, too. */
static int spared(const char *library)
{
    void *at[20];
    int found = 0;
    const enum call was = kind;
    kind = NONE;
    for (int i = 0, n = backtrace(at, 20); i < n && !found; i++) {
        Dl_info of;
        found = dladdr(at[i], &of) && of.dli_fname && strstr(of.dli_fname, library);
    }
    kind = was;
    return found;
}

/* Does this call fail? errno is set. */
static int hit(enum call k)
{
    if (kind == ALL)
        atomic_fetch_add(&each[k], 1);
    if (kind == NONE || kind == ALL || (kind != k && !(kind == ANY && k != MALLOC && k <= MMAP)))
        return 0;
    long n = atomic_fetch_add(&count, 1) + 1;
    if (callers)
        keep_place(n);
    if (!when || (from_on ? n < when : n != when))
        return 0;
    if (k == MALLOC && spared("libjson-c"))
        return 0;
    if (sig) {
        (void)syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
        return 0;
    }
    if (action) {
        touch();
        return 0;
    }
    if (getenv("FAULT_TRACE")) {
        void *at[30];
        const enum call was = kind;
        kind = NONE; /* this allocates */
        backtrace_symbols_fd(at, backtrace(at, 30), 2);
        kind = was;
    }
    errno = error ? error : k == MALLOC ? ENOMEM : EIO;
    return 1;
}

void *malloc(size_t n) { return hit(MALLOC) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return hit(MALLOC) ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return n && hit(MALLOC) ? NULL : __libc_realloc(p, n); }

/* What is left of a request: with action h the first half, at the n-th call. */
static int part(enum call k, size_t *n)
{
    const long before = atomic_load(&count);
    if (hit(k))
        return -1;
    if (action == 'h' && kind == k && when && before + 1 >= when && *n > 1)
        *n /= 2;
    return 0;
}

ssize_t read(int fd, void *p, size_t n)
{
    return part(READ, &n) ? -1 : syscall(SYS_read, fd, p, n);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    return part(READ, &n) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}
ssize_t pread(int fd, void *p, size_t n, off_t at) { return pread64(fd, p, n, at); }
ssize_t write(int fd, const void *p, size_t n) /* messages go their own way */
{
    return fd != 2 && part(WRITE, &n) ? -1 : syscall(SYS_write, fd, p, n);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    return part(WRITE, &n) ? -1 : syscall(SYS_pwrite64, fd, p, n, at);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { return pwrite64(fd, p, n, at); }
int fsync(int fd) { return hit(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return hit(FSYNC) ? -1 : (int)syscall(SYS_fdatasync, fd); }
int rename(const char *a, const char *b)
{
    return hit(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0);
}
int close(int fd)
{
    int failed = hit(CLOSE), e = errno; /* it is closed nevertheless */
    int rc = (int)syscall(SYS_close, fd);
    if (!failed)
        return rc;
    errno = e;
    return -1;
}

static void try_all(void)
{
    char text[200];
    if (!getenv("FAULT_TRY"))
        return;
    int s = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0), se = s < 0 ? errno : 0;
    pid_t p = fork();
    if (p == 0)
        _exit(0);
    int pe = p < 0 ? errno : 0;
    const char *outside = getenv("FAULT_OUTSIDE");
    int w = outside ? (int)syscall(SYS_openat, AT_FDCWD, outside, O_WRONLY | O_CREAT, 0600) : -1;
    int we = w < 0 ? errno : 0;
    if (w >= 0)
        (void)syscall(SYS_close, w);
    const char *secret = getenv("FAULT_SECRET");
    int r = secret ? (int)syscall(SYS_openat, AT_FDCWD, secret, O_RDONLY) : -1,
        re = r < 0 ? errno : 0;
    if (r >= 0)
        (void)syscall(SYS_close, r);
    int n = snprintf(text, sizeof text, "network %d fork %d write %d read %d\n", se, pe, we, re);
    (void)!syscall(SYS_write, 2, text, (size_t)n);
}

static int open_mode(int at, const char *path, int flags, va_list ap)
{
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
    int writes = (flags & O_ACCMODE) != O_RDONLY;
    if (!writes && file && strcmp(path, file) == 0)
        try_all();
    return hit(writes ? OPEN : INPUT) ? -1 : (int)syscall(SYS_openat, at, path, flags, mode);
}
#define OPENER(name, ...)                                                                          \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        int fd = open_mode(__VA_ARGS__, ap);                                                       \
        va_end(ap);                                                                                \
        return fd;                                                                                 \
    }
int open(const char *path, int flags, ...)
    OPENER(open, AT_FDCWD, path, flags) int open64(const char *path, int flags, ...)
        OPENER(open64, AT_FDCWD, path, flags) int openat(int at, const char *path, int flags, ...)
            OPENER(openat, at, path, flags) int openat64(int at, const char *path, int flags, ...)
                OPENER(openat64, at, path, flags)

                    void *mmap64(void *p, size_t n, int prot, int flags, int fd, off64_t at)
{
    if (fd < 0) /* memory, not a file */
        return (void *)syscall(SYS_mmap, p, n, prot, flags, fd, at);
    void *q = (void *)syscall(SYS_mmap, p, n, prot, flags, fd, at);
    if (!hit(MMAP))
        return q;
    int e = errno;
    (void)munmap(q, n);
    errno = e;
    return MAP_FAILED;
}
void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t at)
{
    return mmap64(p, n, prot, flags, fd, at);
}

/* ---- what the C library has a form of its own for: the next in line is asked ---- */

/* A function's address as it is used: POSIX has dlsym for functions too. */
#define NEXT(name) (*(__typeof__(&name) *)next(#name, &(static_##name)))
static void **next(const char *name, void **kept)
{
    if (!*kept)
        *kept = dlsym(RTLD_NEXT, name);
    return kept;
}
#define PASS(k, failed, type, name, params, ...)                                                   \
    static void *static_##name;                                                                    \
    type name params { return hit(k) ? failed : NEXT(name)(__VA_ARGS__); }

PASS(STAT, -1, int, stat64, (const char *p, struct stat64 *s), p, s)
PASS(STAT, -1, int, lstat64, (const char *p, struct stat64 *s), p, s)
PASS(STAT, -1, int, fstat64, (int fd, struct stat64 *s), fd, s)
PASS(STAT, -1, int, access, (const char *p, int mode), p, mode)
PASS(SEEK, -1, off64_t, lseek64, (int fd, off64_t at, int from), fd, at, from)
PASS(UNLINK, -1, int, unlink, (const char *p), p)
PASS(UNLINK, -1, int, unlinkat, (int fd, const char *p, int flags), fd, p, flags)
PASS(UNLINK, -1, int, rmdir, (const char *p), p)
PASS(MKDIR, -1, int, mkdir, (const char *p, mode_t mode), p, mode)
PASS(TRUNCATE, -1, int, ftruncate64, (int fd, off64_t n), fd, n)
PASS(READDIR, NULL, struct dirent64 *, readdir64, (DIR * d), d)
PASS(INPUT, NULL, DIR *, opendir, (const char *p), p)

/* Streams of files; messages go their own way, and the library of workbooks, which looks at its
 * temporary files at their ends only, is spared. The stream remembers that something failed. */
static int hit_stream(FILE *f)
{
    if (f == stderr || ((kind == STDIO || kind == ALL) && spared("libxlsxwriter")) || !hit(STDIO))
        return 0;
    const int e = errno;
    if (f)
        f->_flags |= 0x20; /* what ferror() asks for */
    errno = e;
    return 1;
}
static void *static_fwrite, *static_fflush, *static_fclose, *static_fopen64, *static_fread,
    *static_fgets, *static_pthread_create, *static_sysconf;
size_t fwrite(const void *p, size_t size, size_t n, FILE *f)
{
    return hit_stream(f) ? 0 : NEXT(fwrite)(p, size, n, f);
}
size_t fread(void *p, size_t size, size_t n, FILE *f)
{
    return hit_stream(f) ? 0 : NEXT(fread)(p, size, n, f);
}
char *fgets(char *p, int n, FILE *f) { return hit_stream(f) ? NULL : NEXT(fgets)(p, n, f); }
int fflush(FILE *f) { return hit_stream(f) ? EOF : NEXT(fflush)(f); }
int fclose(FILE *f)
{
    const int failed = hit_stream(f), e = errno; /* it is closed nevertheless */
    const int rc = NEXT(fclose)(f);
    if (!failed)
        return rc;
    errno = e;
    return EOF;
}
FILE *fopen64(const char *path, const char *mode)
{
    return hit(strpbrk(mode, "wa+") ? OPEN : INPUT) ? NULL : NEXT(fopen64)(path, mode);
}
int pthread_create(pthread_t *t, const pthread_attr_t *how, void *(*f)(void *), void *ctx)
{
    return hit(THREAD) ? EAGAIN : NEXT(pthread_create)(t, how, f, ctx);
}
long sysconf(int what)
{
    return what == _SC_NPROCESSORS_ONLN && getenv("FAULT_ALONE") ? 1 : NEXT(sysconf)(what);
}
