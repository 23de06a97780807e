/* Runs a plan on the pool: parse, seal, analyze, write; prints text and messages in config order;
 * exit code. */
#ifndef AZ_RUN_RUN_H
#define AZ_RUN_RUN_H

#include "base/log.h"
#include "read/result.h"
#include "run/plan.h"

enum {
    AZ_EXIT_OK = 0,
    AZ_EXIT_GATE = 1,
    AZ_EXIT_USAGE = 2,
    AZ_EXIT_PARTIAL = 3,
    AZ_EXIT_INTERNAL = 4,
    AZ_EXIT_INTERRUPTED = 130
};

/* Exit code by product rules: 0, 1 (a gate failed), 3 (some input, output or step failed), 4, 130.
 * stdout is flushed and checked. */
int az_run(const struct az_plan *plan, const struct az_run_opts *opts);

/* Prints all messages through the log: errors always, warnings unless quiet, notes when verbose. */
void az_diag_print(const struct az_diag *d, const struct az_log *log);

/* Called between a plan and the reading of its inputs. */
typedef void az_on_plan(void *ctx, const struct az_plan *plan);

/* Installs the handlers: SIGINT and SIGTERM set a flag, the second one exits at once with 130, and
 * so does the watchdog within half a second (io/watchdog.h);
 * SIGPIPE is ignored. Returns the check of the flag, for az_config.cancel. */
struct az_cancel az_signals_install(void);
bool az_interrupted(void);
/* Use color on this descriptor: --color, NO_COLOR, TERM=dumb, terminal. */
bool az_use_color(enum az_when when, int fd);

#endif
