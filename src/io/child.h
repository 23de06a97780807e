/* Child processes: argument vector (no shell), output to a file, time limit. */
#ifndef AZ_IO_CHILD_H
#define AZ_IO_CHILD_H

#include "base/diag.h"

struct az_child_opts {
    const char *output;  /* stdout and stderr go to this file; NULL: /dev/null */
    const char *workdir; /* NULL: unchanged */
    unsigned timeout_s;  /* 0: none; then SIGTERM, 2 s later SIGKILL to its process group */
    bool (*cancelled)(void *ctx); /* polled; NULL: never */
    void *ctx;
};
/* argv[0] is searched on PATH. *status: exit status, 128 + signal. AZ_ECHILD if it cannot be
 * started or was stopped by the time limit, AZ_EINTR if canceled. */
int az_child_run(const char *const argv[], const struct az_child_opts *o, int *status,
                 struct az_diag *diag) AZ_MUST_USE;
/* Children that are running now, in any thread. */
int az_child_running(void);
/* First executable `name` on PATH (or itself if it has a slash), in the arena; empty view if there
 * is none. */
struct az_sv az_child_find(struct az_arena *a, const char *name);
/* Last `lines` lines of a (small or huge) text file. */
struct az_sv az_file_tail(struct az_arena *a, const char *path, unsigned lines);

#endif
