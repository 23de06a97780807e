/* A run of `analyzer map`, for its command (map.c) and for the workers (map_part.c). */
#ifndef AZ_READ_MAP_RUN_H
#define AZ_READ_MAP_RUN_H

#include "read/part_file.h"

#include <stdatomic.h>

struct az_map_opts {
    const char *dir;         /* of the parts; made if it is not there */
    const char *list;        /* a file that names traces, one a line; NULL: none */
    const char *const *path; /* files, folders, globs */
    size_t n;
    int64_t task, tasks; /* of the files, the task-th share of so many, from 0; tasks 0: all */
    const char *tag;     /* goes into the names of the parts; NULL: none */
    bool force;          /* also what has a part already */
    bool draw;           /* retain what a timeline is drawn of */
    bool dry_run;
};
struct az_map_run {
    const struct az_map_opts *opts;
    struct az_diag *messages; /* by file of the job; messages of each */
    int *error;               /* the same: of writing */
    _Atomic size_t failed, written;
};

/* Name of a trace's part: its own, and what distinguishes it from others of that name. */
struct az_sv az_map_part_name(const struct az_map_opts *m, struct az_sv path, struct az_arena *a);

#endif
