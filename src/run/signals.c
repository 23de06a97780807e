/* Interruption: the one mutable global of the program. A handler only sets it; everyone else polls.
 */
#include "run/internal.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "io/outfile.h"
#include "io/watchdog.h"

/* Lock-free, so a handler may set it; atomic, because the handler runs in one thread and workers
 * poll in others. */
static volatile _Atomic sig_atomic_t interrupted;

static void on_signal(int sig)
{
    (void)sig;
    if (interrupted)
        _exit(AZ_EXIT_INTERRUPTED);
    interrupted = 1;
    az_watchdog_interrupt(AZ_EXIT_INTERRUPTED);
}

#ifndef AZ_SANITIZED
/* A defect of the program or of a library: its temporary files go, and the signal is raised again,
 * for the exit status and the dump that it has without this. */
static void on_crash(int sig)
{
    static const char text[] = "analyzer: error: crash; temporary files removed, no output is "
                               "truncated: please report it\n";
    static const char gone[] =
        "analyzer: error: an input became shorter, or its disk failed, while "
        "it was read; temporary files removed, no output is truncated\n";
    if (sig == SIGBUS) /* of a mapped file */
        (void)!write(STDERR_FILENO, gone, sizeof gone - 1);
    else
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    az_out_crash();
    (void)raise(sig);
}

static void watch_crashes(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
    struct sigaction sa = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };

    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < AZ_LENGTH(fatal); i++)
        sigaction(fatal[i], &sa, NULL);
}
#else
static void watch_crashes(void) {}
#endif

static bool is_requested(void *ctx)
{
    (void)ctx;
    return az_interrupted();
}

struct az_cancel az_signals_install(void)
{
    struct sigaction sa = { .sa_handler =
                                on_signal }; /* no SA_RESTART: a read from a pipe is to end */
    struct sigaction old;

    az_watchdog_install();
    sigemptyset(&sa.sa_mask);
    /* A background job whose shell set SIGINT to be ignored continues to ignore it. */
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGXCPU, &sa, NULL); /* the soft limit of processor time; the hard one kills */
    /* A terminal that is closed; nohup leaves it ignored. */
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &sa, NULL);
    sa.sa_handler = SIG_IGN; /* a closed stdout is a write error like any other */
    sigaction(SIGPIPE, &sa, NULL);
    sigaction(SIGXFSZ, &sa, NULL); /* so is a file that may not grow */
    watch_crashes();
    return (struct az_cancel){ .is_requested = is_requested };
}

bool az_interrupted(void) { return interrupted != 0; }

_Noreturn void az_signals_quit(void)
{
    az_out_cleanup();
    fflush(stdout);
    _exit(AZ_EXIT_INTERRUPTED);
}
