/* Every kernel, the same tables for any format: by name with its class and family, and by how it
 * was launched. Kernels without a grid have rows, too, so that counts and times add up to those by
 * name. */
#include <inttypes.h>

#include "analyses/registry_list.h"
#include "model/optrace.h"
#include "tables/keys.h"

/* ---- geometry: rows of all traces, as the table distinguishes them ---- */
struct grids {
    const struct az_geometry *v;
    struct az_sv *grid, *block; /* texts of v, computed on first use */
    uint32_t **number;          /* trace -> its row + 1 -> row of v + 1; 0: not recorded */
};

/* Only some formats distinguish static from dynamic shared memory: rows are distinguished by the
 * sum. */
static struct az_geometry in_table(const struct az_geometry *g)
{
    struct az_geometry t = *g;
    t.static_shared = az_geometry_figure(az_geometry_shared(g), AZ_NO_SIZE);
    t.dynamic_shared = AZ_NO_SIZE;
    return t;
}

static int number_all(struct az_job *job, struct grids *g, struct az_geometries *all)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        const struct az_geometry_rows *from = &job->traces[k]->geometries.rows;
        g->number[k] = az_arena_array(job->arena, from->n + 1, sizeof **g->number);
        rc = g->number[k] ? 0 : az_arena_error(job->arena);
        for (size_t i = 0; rc == 0 && i < from->n; i++) {
            const struct az_geometry row = in_table(&from->v[i]);
            rc = az_geometries_put(all, &row, &g->number[k][i + 1]);
        }
    }
    return rc;
}

static void *number_grids(struct az_job *job, int *rc)
{
    *rc = 0;
    if (!az_geometry_wanted(job->opts))
        return NULL;
    struct grids *g = az_arena_alloc(job->arena, sizeof *g);
    struct az_geometries all;
    if (g)
        g->number = az_arena_array(job->arena, job->n_traces + 1, sizeof *g->number);
    az_geometries_init(&all, job->mem);
    *rc = g && g->number ? number_all(job, g, &all) : az_arena_error(job->arena);
    struct az_geometry *v = az_arena_array(job->arena, all.rows.n + 1, sizeof *v);
    if (g) {
        g->grid = az_arena_array(job->arena, all.rows.n + 1, sizeof *g->grid);
        g->block = az_arena_array(job->arena, all.rows.n + 1, sizeof *g->block);
    }
    if (*rc == 0 && (!v || !g->grid || !g->block))
        *rc = az_arena_error(job->arena);
    if (*rc == 0 && all.rows.n)
        memcpy(v, all.rows.v, all.rows.n * sizeof *v);
    az_geometries_release(&all);
    if (*rc)
        return NULL;
    g->v = v;
    return g;
}

static int64_t grid_number(const struct az_scope *r, const struct az_item *i)
{
    const struct az_trace *t = az_item_trace(r, i);
    const struct grids *g = r->ctx;
    return az_geometry_read(t) ? g->number[i->trace][t->ev[AZ_KERNEL].geo[i->row]] : 0;
}

static const struct az_geometry *geometry(const struct az_scope *r, const struct az_item *i)
{
    const int64_t number = grid_number(r, i);
    return number ? &((const struct grids *)r->ctx)->v[number - 1] : NULL;
}

static struct az_sv three(const struct az_scope *r, const uint32_t v[3], struct az_sv *text)
{
    if (!text->p)
        *text =
            az_arena_printf(r->job->arena, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, v[0], v[1], v[2]);
    return *text;
}
static struct az_sv grid_of(const struct az_scope *r, const struct az_item *i)
{
    const struct grids *g = r->ctx;
    const int64_t k = grid_number(r, i);
    return k ? three(r, g->v[k - 1].grid, &g->grid[k - 1]) : AZ_SV("");
}
static struct az_sv block_of(const struct az_scope *r, const struct az_item *i)
{
    const struct grids *g = r->ctx;
    const int64_t k = grid_number(r, i);
    return k ? three(r, g->v[k - 1].block, &g->block[k - 1]) : AZ_SV("");
}
static int64_t registers_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_geometry *g = geometry(r, i);
    return g && g->registers ? g->registers : AZ_UNKNOWN;
}
static int64_t shared_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_geometry *g = geometry(r, i);
    return g && g->static_shared != AZ_NO_SIZE ? g->static_shared : AZ_UNKNOWN;
}

static const struct az_key number = { AZ_INT, .integer = grid_number };
static const struct az_key grid = { AZ_TEXT, .text = grid_of };
static const struct az_key block = { AZ_TEXT, .text = block_of };
static const struct az_key registers = { AZ_INT, AZ_UNIT_COUNT, .integer = registers_of };
static const struct az_key shared = { AZ_INT, AZ_UNIT_BYTES, .integer = shared_of };

/* ---- modules of nodes of graphs ---- */
static uint32_t module_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_trace *t = az_item_trace(r, i);
    return t->caps & AZ_CAP_CALLTREE
               ? az_optrace_graph_module(az_optrace(t), az_item_events(r, i)->uid[i->row])
               : AZ_NO_ID;
}
static bool has_module(const struct az_scope *r, const struct az_item *i)
{
    return module_of(r, i) != AZ_NO_ID;
}
static bool marks_modules(const struct az_trace *t)
{
    const struct az_graph_nodes *n = t->caps & AZ_CAP_CALLTREE ? &az_optrace(t)->graph_nodes : NULL;
    for (size_t i = 0; n && i < n->n; i++)
        if (n->v[i].module != AZ_NO_ID)
            return true;
    return false;
}
/* NULL without an error: the table has no row. */
static void *with_modules(struct az_job *job, int *rc)
{
    *rc = 0;
    for (size_t i = 0; i < job->n_traces; i++)
        if (marks_modules(job->traces[i]))
            return job;
    return NULL;
}
static const struct az_key module = { AZ_TEXT, .name = module_of };

/* ---- tables ---- */
static const struct az_sums *kernel_sums(const struct az_trace *t) { return &t->kernel_sums; }

#define NS(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_NS, flag)
static const struct az_table_spec specs[] = {
    { "kernels_by_name", "Kernels by name", .help = "kernels by name with class and family",
      .any = AZ_CAP_KERNEL_SUMS, .n_kinds = 1, .kinds = { AZ_KERNEL }, .given = kernel_sums,
      .merge_given = true,
      .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                   { "class", &az_key_class, .follows = true },
                   { "family", &az_key_family, .follows = true },
                   { "count", .figure = AZ_FIG_COUNT },
                   { "total_ns", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .flags = AZ_LOWER_BETTER,
                     .sort = -1 },
                   { "share_percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                     .flags = AZ_SHARE } } },
    { "kernels_by_grid", "Kernels by grid and block",
      .help = "kernels by grid, block, registers and shared memory (kernel_geometry)",
      .any = AZ_CAP_GEOMETRY, .prepare = number_grids, .n_kinds = 1, .kinds = { AZ_KERNEL },
      .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                   { NULL, &number },
                   { "grid", &grid, .flags = AZ_KEY, .follows = true, .sort = 3 },
                   { "block", &block, .flags = AZ_KEY, .follows = true, .sort = 4 },
                   { "registers", &registers, .flags = AZ_KEY, .follows = true, .sort = 5 },
                   { "shared_memory_bytes", &shared, .flags = AZ_KEY, .follows = true, .sort = 6 },
                   { "count", .figure = AZ_FIG_COUNT },
                   { "total_ns", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .flags = AZ_LOWER_BETTER,
                     .sort = -1 },
                   NS("mean_ns", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                   NS("min_ns", AZ_FIG_MIN, AZ_DETAIL),
                   NS("max_ns", AZ_FIG_MAX, AZ_DETAIL),
                   { "share_percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                     .flags = AZ_SHARE } } },
    { "kernels_by_module", "Graph device work by module",
      .help = "graph device work by annotated module", .any = AZ_CAP_KERNEL_SUMS,
      .prepare = with_modules, .n_kinds = 3, .kinds = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET },
      .keep = has_module,
      .columns = { { "module", &module, .flags = AZ_KEY, .sort = 2 },
                   { "count", .figure = AZ_FIG_COUNT },
                   { "total_ns", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .flags = AZ_LOWER_BETTER,
                     .sort = -1 },
                   NS("mean_ns", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                   { "share_percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT,
                     .flags = AZ_SHARE } } },
    { NULL }
};

const struct az_analysis az_analysis_kernels = { .specs = specs };
