/* What a program used: used PROGRAM ARGUMENT...
 * Prints "CPU-MICROSECONDS PEAK-KILOBYTES" as the last line of standard error and ends as the
 * program did. A large parent cannot ask this itself: the system counts the parent's memory, which
 * a new process has until it becomes the program, for the program. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long microseconds(struct timeval t) { return t.tv_sec * 1000000LL + t.tv_usec; }

int main(int argc, char **argv)
{
    struct rusage use;
    int status;
    const pid_t child = argc > 1 ? fork() : -1;

    if (child == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) != child)
        return 126;
    (void)fprintf(stderr, "%lld %ld\n", microseconds(use.ru_utime) + microseconds(use.ru_stime),
                  use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
