/* Launch geometry: unique rows, and the column that refers to them. */
#include "model/geometry.h"

#include <string.h>

#include "model/options.h"
#include "model/trace.h"

void az_geometries_init(struct az_geometries *g, struct az_mem *mem)
{
    az_vec_init(&g->rows, mem);
    g->row_of = (struct az_map){ .mem = mem };
    memset(g->recent, 0, sizeof g->recent);
}

void az_geometries_release(struct az_geometries *g)
{
    az_vec_release(&g->rows);
    az_map_release(&g->row_of);
}

static bool says_nothing(const struct az_geometry *g)
{
    for (int i = 0; i < 3; i++)
        if (g->grid[i] == 0 || g->block[i] == 0)
            return true;
    return false;
}

int az_geometries_put(struct az_geometries *g, const struct az_geometry *row, uint32_t *number)
{
    uint32_t *recent =
        &g->recent[(row->grid[0] + row->grid[1] * 7 + row->block[0] / 32 * 3) % AZ_GEOMETRY_RECENT];
    *number = *recent;
    if (*recent && memcmp(&g->rows.v[*recent - 1], row, sizeof *row) == 0)
        return 0;
    *number = 0;
    if (says_nothing(row))
        return 0;
    const uint64_t hash = az_hash(row, sizeof *row); /* nine words without padding */
    if (g->rows.n >= AZ_NO_ROW - 1)
        return AZ_ERANGE;
    int rc = 0;
    if (!g->row_of.cell)
        az_map_init(&g->row_of, g->rows.mem, 0);
    for (uint64_t same_hash = 0; rc == 0; same_hash++) {
        uint32_t *at;
        bool added;
        rc = az_vec_reserve(&g->rows, 1);
        if (rc == 0)
            rc = az_map_put(&g->row_of, hash, same_hash, (uint32_t)g->rows.n, &at, &added);
        if (rc)
            return rc;
        *number = *recent = *at + 1;
        if (added)
            g->rows.v[g->rows.n++] = *row; /* there is room */
        if (added || memcmp(&g->rows.v[*at], row, sizeof *row) == 0)
            return 0;
    }
    return rc;
}

bool az_geometry_wanted(const struct az_options *opts)
{
    return opts->kernel_geometry || (opts->compat & (AZ_TOOL_NSYS | AZ_TOOL_ALL));
}

void az_geometry_column(struct az_trace *t)
{
    az_trace_columns(t, AZ_KERNEL, t->ev[AZ_KERNEL].cols | AZ_COL_GEO);
}

bool az_geometry_read(const struct az_trace *t) { return t->ev[AZ_KERNEL].cols & AZ_COL_GEO; }

const struct az_geometry *az_geometry_of(const struct az_trace *t, size_t kernel)
{
    const uint32_t number = az_geometry_read(t) ? t->ev[AZ_KERNEL].geo[kernel] : 0;
    return number ? &t->geometries.rows.v[number - 1] : NULL;
}

int64_t az_geometry_shared(const struct az_geometry *g)
{
    const int64_t dynamic = g->dynamic_shared == AZ_NO_SIZE ? 0 : g->dynamic_shared;
    return g->static_shared == AZ_NO_SIZE ? (dynamic ? dynamic : -1) : g->static_shared + dynamic;
}
