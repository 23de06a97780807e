/* A run of `analyzer map`, for its command (map.c) and for the workers (map_part.c). */
#ifndef AZ_DRIVER_MAP_H
#define AZ_DRIVER_MAP_H

#include "driver/parts.h"

#include <stdatomic.h>

struct az_map_run {
    const struct az_map_opts *opts;
    struct az_diag *said; /* by file of the job; messages of each */
    int *error;           /* the same: of writing */
    _Atomic size_t failed, written;
};

/* Name of a trace's part: its own, and what distinguishes it from others of that name. */
struct az_sv az_map_part_name(const struct az_map_opts *m, struct az_sv path, struct az_arena *a);

#endif
