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
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

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

static void takes_away(void **state)
{
    (void)state;
    if (!az_sandbox_known()) /* another machine, or a sanitizer's build */
        return;
    assert_int_equal(below(AZ_SANDBOX_NETWORK), FILES | THREADS | LOCAL | CHILDREN);
    assert_int_equal(below(AZ_SANDBOX_CHILDREN), FILES | THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(takes_away) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
