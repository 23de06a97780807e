/* A timer that ends the process: for what neither polls nor returns, for example one SQL function
 * over a huge text, or a read from a pipe after SIGINT. Temporary files are removed. */
#ifndef AZ_IO_WATCHDOG_H
#define AZ_IO_WATCHDOG_H

#include <stdint.h>

#include "base/sv.h"

/* Installs the timer and its signal, one that no library uses (SIGRTMIN); without it the calls
 * below have no effect. */
void az_watchdog_install(void);
/* From a signal handler: the process ends with `status` in less than half a second, unless it ends
 * before. While a child runs it has the time to stop it. Overrides az_watchdog_start. */
void az_watchdog_interrupt(int status);
/* In `ms` the process writes `text` to `fd` and ends with `status`. `text` is borrowed until
 * az_watchdog_stop. */
void az_watchdog_start(int64_t ms, int fd, struct az_sv text, int status);
void az_watchdog_stop(void);

#endif
