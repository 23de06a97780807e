/* The timer is a global of the process, as its signal is; a handler reads what was set before the
 * timer was armed. */
#include "io/watchdog.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "io/child.h"
#include "io/outfile.h"

#ifdef AZ_SANITIZED /* several times slower */
#define SLOWER 8
#else
#define SLOWER 1
#endif
#define INTERRUPT_MS 400
#define CHILDREN_MS  3000 /* SIGTERM, two seconds, SIGKILL (io/child.c) */

static struct {
    timer_t timer;
    atomic_bool installed, interrupted;
    atomic_int status; /* of a run that is interrupted */
    int late;          /* status of what runs too long */
    int fd;
    struct az_sv text;
} dog;

static void on_alarm(int sig)
{
    static const char interrupted[] = "analyzer: interrupted\n";
    (void)sig;

    const bool ends = atomic_load(&dog.interrupted);
    if (ends)
        (void)!write(STDERR_FILENO, interrupted, sizeof interrupted - 1);
    else
        (void)!write(dog.fd, dog.text.p, dog.text.n);
    az_out_crash();
    _exit(ends ? atomic_load(&dog.status) : dog.late);
}

/* 0: never. */
static void arm_timer(int64_t ms)
{
    const struct itimerspec at = { .it_value = { .tv_sec = (time_t)(ms / 1000),
                                                 .tv_nsec = (long)(ms % 1000) * 1000000 } };
    if (atomic_load(&dog.installed))
        (void)timer_settime(dog.timer, 0, &at, NULL);
}

void az_watchdog_install(void)
{
    struct sigaction sa = { .sa_handler = on_alarm };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };

    sigemptyset(&sa.sa_mask);
    if (!atomic_load(&dog.installed) && sigaction(SIGRTMIN, &sa, NULL) == 0 &&
        timer_create(CLOCK_MONOTONIC, &event, &dog.timer) == 0)
        atomic_store(&dog.installed, true);
}

void az_watchdog_interrupt(int status)
{
    atomic_store(&dog.status, status);
    atomic_store(&dog.interrupted, true);
    arm_timer(SLOWER * (az_child_running() > 0 ? CHILDREN_MS : INTERRUPT_MS));
}

void az_watchdog_start(int64_t ms, int fd, struct az_sv text, int status)
{
    if (atomic_load(&dog.interrupted))
        return;
    dog.fd = fd;
    dog.text = text;
    dog.late = status;
    arm_timer(ms);
    if (atomic_load(&dog.interrupted)) /* in between */
        az_watchdog_interrupt(atomic_load(&dog.status));
}

void az_watchdog_stop(void)
{
    if (!atomic_load(&dog.interrupted))
        arm_timer(0);
}
