/* A bounded, ordered worker pool. Jobs are numbered 0..n-1; workers run them in the order of
 * `order` (or by number), results are passed to `done` strictly by number, on the calling thread.
 */
#ifndef AZ_BASE_POOL_H
#define AZ_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct az_mem;

struct az_pool_ops {
    /* On a worker: do job i. */
    void (*run)(void *ctx, size_t i, unsigned worker);
    /* On the calling thread, in job order: job i is finished (or was skipped because of cancel: ran
     * = false). */
    void (*done)(void *ctx, size_t i, bool ran);
    /* On the calling thread, about every `tick_ms` while waiting; may be NULL. Also where cancel is
     * noticed. */
    void (*tick)(void *ctx);
    /* May job i (cost[i] units) start while `in_use` units of started jobs are in use? NULL:
     * always. One job can always run, so a job above the budget runs alone. */
    bool (*admit)(void *ctx, size_t i, uint64_t in_use);
    /* True once no further job may start. Called under the pool's lock: only reads a flag. NULL:
     * never. */
    bool (*cancelled)(void *ctx);
    unsigned tick_ms;
};

/* Runs n jobs on `workers` threads (>= 1; capped at n). `order`: n job numbers in starting order,
 * NULL for 0..n-1. `cost`: units per job, NULL for 1 each; a job's cost is in use until its `done`
 * has returned. Returns 0, or AZ_ENOMEM if no thread could be started. */
int az_pool_run(size_t n, unsigned workers, const size_t *order, const uint64_t *cost,
                const struct az_pool_ops *ops, void *ctx) AZ_MUST_USE;

/* Splits one job: runs fn(ctx, part) for part 0..parts-1 on up to `workers` threads and waits. */
int az_pool_split(unsigned workers, unsigned parts, void (*fn)(void *ctx, unsigned part),
                  void *ctx) AZ_MUST_USE;

/* What is read from an embedded file, once in a process, for all inputs and threads; it is not
 * changed and stays to the end. `file` and `part` identify it. `make` runs
 * under a lock, calls no az_shared, and returns NULL on failure; so does this then. */
const void *az_shared(const char *file, const char *part,
                      const void *(*make)(const char *file, const char *part)) AZ_MUST_USE;

/* A lock with a place to wait, for what several threads of a split make for each other. */
struct az_monitor;
struct az_monitor *az_monitor_new(struct az_mem *mem) AZ_MUST_USE; /* NULL on failure */
void az_monitor_free(struct az_monitor *m);                        /* NULL is fine */
void az_monitor_enter(struct az_monitor *m);
void az_monitor_leave(struct az_monitor *m);
/* Inside: leaves, and enters again after a notification (or for no reason: check again). */
void az_monitor_wait(struct az_monitor *m);
void az_monitor_notify(struct az_monitor *m); /* wakes all who wait */

#endif
