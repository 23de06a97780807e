/* Runs a plan on the pool: parse, seal, analyse, write; prints text and messages in config order; exit code. */
#ifndef AZ_DRIVER_RUN_H
#define AZ_DRIVER_RUN_H

#include "base/log.h"
#include "driver/plan.h"

enum az_when { AZ_AUTO, AZ_ALWAYS, AZ_NEVER };
enum {
    AZ_EXIT_OK = 0,
    AZ_EXIT_GATE = 1,
    AZ_EXIT_USAGE = 2,
    AZ_EXIT_PARTIAL = 3,
    AZ_EXIT_INTERNAL = 4,
    AZ_EXIT_INTERRUPTED = 130
};

struct az_run_opts {
    unsigned workers; /* 0: processors */
    enum az_when color, progress;
    uint64_t memory_limit; /* an input */
    struct az_log log;
    bool dry_run;
    bool strict;
    bool text_full; /* -v: everything, not only the classic block */
};

/* Exit code by product rules: 0, 3 (some input failed), 4, 130. stdout is checked when it is closed. */
int az_run(const struct az_plan *plan, const struct az_config *config, const struct az_run_opts *opts);

/* One input, without a pool: the building block, also for tests. *doc belongs to the arena given and must be released.
 */
int az_run_one(const struct az_plan_job *job, const struct az_run_opts *opts, struct az_arena *arena,
               struct az_mem *mem, struct az_diag *diag, struct az_document *doc,
               _Atomic uint64_t *progress) AZ_MUST_USE;

#endif
