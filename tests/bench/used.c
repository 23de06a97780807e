/* What a program used: used PROGRAM ARGUMENT...
 * Prints "CPU-MICROSECONDS PEAK-KILOBYTES" as the last line of standard error and ends as the
 * program did. A large parent cannot ask this itself: the system counts the parent's memory, which
 * a new process has until it becomes the program, for the program. */
#define _GNU_SOURCE /* wait4, environ */
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long microseconds(struct timeval t) { return t.tv_sec * 1000000LL + t.tv_usec; }

int main(int argc, char **argv)
{
    struct rusage use;
    int status;
    pid_t child;

    /* not fork(): its copies of pages would be time of the program */
    if (argc < 2 || posix_spawn(&child, argv[1], NULL, NULL, argv + 1, environ) != 0)
        return 127;
    if (wait4(child, &status, 0, &use) != child)
        return 126;
    (void)fprintf(stderr, "%lld %ld\n", microseconds(use.ru_utime) + microseconds(use.ru_stime),
                  use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
