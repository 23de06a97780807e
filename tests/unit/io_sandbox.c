/* The sandbox: what it takes away, what it leaves, in processes of their own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "io/sandbox.h"

/* Bits of what still works. */
enum { FILES = 1, THREADS = 2, LOCAL = 4, CHILDREN = 8, NETWORK = 16, PTRACE = 32, ODD = 64 };

static void *nothing(void *x) { return x; }

/* 1: works; 0: refused as it is meant to be; ODD: another failure. */
static int outcome(int rc) { return rc >= 0 ? 1 : errno == EACCES ? 0 : ODD; }

static int what_works(void)
{
    int works = 0, fd = open("/dev/null", O_RDONLY);
    pthread_t thread;
    if (fd >= 0)
        works |= FILES;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0)
        works |= THREADS;
    static const struct {
        int family, bit;
    } sockets[] = {
        { AF_UNIX, LOCAL }, { AF_INET, NETWORK }, { AF_INET6, NETWORK }, { AF_NETLINK, NETWORK }
    };
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
        int r = outcome(socket(sockets[i].family, SOCK_STREAM, 0));
        works |= r == 1 ? sockets[i].bit : sockets[i].family == AF_NETLINK ? 0 : r;
    }
    if (outcome((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL)) == 1)
        works |= PTRACE;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        works |= CHILDREN;
    else if (child >= 0 || errno != EACCES)
        works |= ODD;
    return works;
}

static int below(int how)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i <= how; i++)
            if (!az_sandbox_enter((enum az_sandbox)i))
                _exit(127);
        _exit(what_works());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What the kernel reports of itself; a build for a sanitizer has nothing. */
static void has_what_the_kernel_has(void **state)
{
    (void)state;
#if !defined AZ_SANITIZED
    char line[256] = "";
    FILE *f = fopen("/proc/sys/kernel/seccomp/actions_avail", "r");
    if (f && fgets(line, sizeof line, f))
        assert_int_equal((az_sandbox_has() & AZ_SANDBOX_HAS_SECCOMP) != 0,
                         strstr(line, "errno") != NULL);
    if (f)
        fclose(f);
#endif
}

static void takes_away(void **state)
{
    (void)state;
    if (!(az_sandbox_has() & AZ_SANDBOX_HAS_SECCOMP)) /* another machine, or a sanitizer's build */
        return;
    assert_int_equal(below(AZ_SANDBOX_NETWORK), FILES | THREADS | LOCAL | CHILDREN);
    assert_int_equal(below(AZ_SANDBOX_PROGRAMS), FILES | THREADS | LOCAL);
    assert_int_equal(below(AZ_SANDBOX_CHILDREN), FILES | THREADS);
}

/* Bits of what is refused beneath a folder that is not allowed. */
enum { MAKE = 1, OVERWRITE = 2, REMOVE = 4, FOLDER = 8, READ = 16, INSIDE = 32 };

static int makes(const char *dir, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int refused(const char *in, const char *other)
{
    char old[64], dir[64];
    snprintf(old, sizeof old, "%s/old", other);
    snprintf(dir, sizeof dir, "%s/dir", other);
    const struct az_sandbox_path allowed = { in, AZ_SANDBOX_WRITE };
    if (!makes(other, "old") || !az_sandbox_files(&allowed, 1, AZ_SANDBOX_WRITE))
        return 127;
    return (makes(other, "new") ? 0 : MAKE) | (makes(other, "old") ? 0 : OVERWRITE) |
           (unlink(old) == 0 ? 0 : REMOVE) | (mkdir(dir, 0700) == 0 ? 0 : FOLDER) |
           (open(old, O_RDONLY) >= 0 ? 0 : READ) | (makes(in, "x") && makes(in, "y") ? 0 : INSIDE);
}

static void writes_beneath(void **state)
{
    char in[] = "/tmp/sandbox_in.XXXXXX", other[] = "/tmp/sandbox_other.XXXXXX", path[64];
    static const char *const made[] = { "old", "new", "x", "y", "dir" };
    int status = -1;
    (void)state;
    if (!(az_sandbox_has() & AZ_SANDBOX_HAS_LANDLOCK))
        return;
    assert_non_null(mkdtemp(in));
    assert_non_null(mkdtemp(other));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(refused(in, other));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), MAKE | OVERWRITE | REMOVE | FOLDER);
    for (size_t i = 0; i < 2 * AZ_LENGTH(made); i++) {
        snprintf(path, sizeof path, "%s/%s", i % 2 ? in : other, made[i / 2]);
        (void)remove(path);
    }
    assert_int_equal(rmdir(in) | rmdir(other), 0);
}

static bool reads(const char *dir, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Bits of what can be read. */
enum {
    ALLOWED_FILE = 1,
    OTHER_FILE = 2,
    ALLOWED_FOLDER = 4,
    SYSTEM = 8,
    PASSWORDS = 16,
    WRITTEN = 32
};

static int readable(const char *in, const char *other)
{
    char file[64];
    snprintf(file, sizeof file, "%s/old", other);
    const struct az_sandbox_path allowed[] = { { in, AZ_SANDBOX_READ | AZ_SANDBOX_WRITE },
                                               { file, AZ_SANDBOX_READ },
                                               { "/missing/folder", AZ_SANDBOX_READ } };
    if (!makes(other, "old") || !makes(other, "new") || !makes(in, "x") ||
        !az_sandbox_files(allowed, AZ_LENGTH(allowed), AZ_SANDBOX_READ | AZ_SANDBOX_WRITE))
        return 127;
    return (reads(other, "old") ? ALLOWED_FILE : 0) | (reads(other, "new") ? OTHER_FILE : 0) |
           (reads(in, "x") ? ALLOWED_FOLDER : 0) | (reads("/proc/self", "status") ? SYSTEM : 0) |
           (reads("/etc", "passwd") ? PASSWORDS : 0) | (makes(other, "old") ? WRITTEN : 0);
}

static void reads_beneath(void **state)
{
    char in[] = "/tmp/sandbox_in.XXXXXX", other[] = "/tmp/sandbox_other.XXXXXX", path[64];
    static const char *const made[] = { "old", "new", "x" };
    int status = -1;
    (void)state;
    if (!(az_sandbox_has() & AZ_SANDBOX_HAS_LANDLOCK))
        return;
    assert_non_null(mkdtemp(in));
    assert_non_null(mkdtemp(other));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(readable(in, other));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), ALLOWED_FILE | ALLOWED_FOLDER | SYSTEM);
    for (size_t i = 0; i < 2 * AZ_LENGTH(made); i++) {
        snprintf(path, sizeof path, "%s/%s", i % 2 ? in : other, made[i / 2]);
        (void)remove(path);
    }
    assert_int_equal(rmdir(in) | rmdir(other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(has_what_the_kernel_has),
                                        cmocka_unit_test(takes_away),
                                        cmocka_unit_test(writes_beneath),
                                        cmocka_unit_test(reads_beneath) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
