/* How a kernel was launched: its grid, its blocks, and their resources. Read only where needed
 * (az_geometry_wanted); rows are unique, and an event has the number of its row (az_events.geo). */
#ifndef AZ_MODEL_GEOMETRY_H
#define AZ_MODEL_GEOMETRY_H

#include "base/intern.h"

struct az_options;
struct az_trace;

#define AZ_NO_SIZE UINT32_MAX /* not recorded */

struct az_geometry {
    uint32_t grid[3];       /* blocks (work-groups); 1 where the file has fewer dimensions */
    uint32_t block[3];      /* threads (work-items) */
    uint32_t registers;     /* of a thread; 0: not recorded */
    uint32_t static_shared; /* bytes of a block; the sum of both where the file does not distinguish
                               them */
    uint32_t dynamic_shared;
};
AZ_VEC(struct az_geometry, az_geometry_rows);

#define AZ_GEOMETRY_RECENT 16
struct az_geometries {
    struct az_geometry_rows rows;
    struct az_map row_of;                /* made with the first row */
    uint32_t recent[AZ_GEOMETRY_RECENT]; /* row numbers: programs repeat a few shapes */
};
void az_geometries_init(struct az_geometries *g, struct az_mem *mem);
void az_geometries_release(struct az_geometries *g);
/* Number of the equal row, from 1 on; added if new. 0 for one without a grid or a block. */
int az_geometries_put(struct az_geometries *g, const struct az_geometry *row,
                      uint32_t *number) AZ_MUST_USE;

/* Is it required by a requested output? */
bool az_geometry_wanted(const struct az_options *opts);
/* Adds the column to the kernels of a trace; after az_trace_columns, before the first kernel. */
void az_geometry_column(struct az_trace *t);
/* Is it being read? */
bool az_geometry_read(const struct az_trace *t);
/* Of a kernel; NULL: not recorded. */
const struct az_geometry *az_geometry_of(const struct az_trace *t, size_t kernel);
/* Blocks of the grid. */
static inline double az_geometry_blocks(const struct az_geometry *g)
{
    return (double)g->grid[0] * g->grid[1] * g->grid[2];
}
/* Bytes of shared memory of a block, static and dynamic; -1: not recorded. */
int64_t az_geometry_shared(const struct az_geometry *g);
/* A value as read; `none` for one that no launch can have. */
static inline uint32_t az_geometry_figure(int64_t x, uint32_t none)
{
    return x < 0 || x >= AZ_NO_SIZE ? none : (uint32_t)x;
}

#endif
