/* kernels_by_grid: kernels by name and by how they were launched, the same table for any format
 * that records grids. Kernels without a grid have rows, too, so that counts and times add up to
 * those of kernels_by_name. */
#include <inttypes.h>

#include "analyses/list.h"
#include "base/num.h"
#include "facts/shared.h"

struct row {
    uint32_t name, geometry; /* number of the job; number in grid.all, 0: not recorded */
    int64_t count, total, min, max;
};
AZ_VEC(struct row, rows);

struct grid {
    struct az_job *job;
    struct az_geometries all; /* of every trace, as the table distinguishes them */
    struct az_map row_of;     /* (name, geometry) -> row */
    struct rows rows;
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

static int add(struct grid *g, uint32_t name, uint32_t geometry, int64_t ns)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&g->row_of, name, geometry, (uint32_t)g->rows.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(
            &g->rows, ((struct row){ .name = name, .geometry = geometry, .min = ns, .max = ns }));
    if (rc)
        return rc;
    struct row *r = &g->rows.v[*at];
    r->count++;
    r->total = az_add_sat(r->total, ns);
    r->min = ns < r->min ? ns : r->min;
    r->max = ns > r->max ? ns : r->max;
    return 0;
}

static int add_trace(struct grid *g, size_t trace)
{
    const struct az_trace *t = g->job->traces[trace];
    const struct az_events *e = &t->ev[AZ_KERNEL];
    const struct az_geometry_rows *from = &t->geometries.rows;
    uint32_t *number = az_arena_array(g->job->arena, from->n + 1, sizeof *number);
    int rc = number ? 0 : az_arena_error(g->job->arena);
    for (size_t i = 0; rc == 0 && i < from->n; i++) {
        const struct az_geometry whole = in_table(&from->v[i]);
        rc = az_geometries_put(&g->all, &whole, &number[i + 1]);
    }
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t name = az_job_name(g->job, trace, e->name[i]);
        if (name != AZ_NO_ID)
            rc = add(g, name, number[az_geometry_read(t) ? e->geo[i] : 0],
                     az_ns(t, e->end[i] - e->start[i]));
    }
    return rc;
}

static void put_three(struct az_job *job, struct az_table *t, const uint32_t v[3])
{
    az_put_text(t,
                az_arena_printf(job->arena, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, v[0], v[1], v[2]));
}

static void put_geometry(struct grid *g, struct az_table *t, uint32_t number)
{
    if (number == 0) {
        for (int i = 0; i < 4; i++)
            az_put_empty(t);
        return;
    }
    const struct az_geometry *v = &g->all.rows.v[number - 1];
    put_three(g->job, t, v->grid);
    put_three(g->job, t, v->block);
    if (v->registers)
        az_put_i64(t, v->registers);
    else
        az_put_empty(t);
    if (v->static_shared != AZ_NO_SIZE)
        az_put_i64(t, v->static_shared);
    else
        az_put_empty(t);
}

static struct az_table *new_table(struct az_job *job)
{
    struct az_table *t =
        az_table_new(job->arena, "kernels_by_grid", "Kernels by grid and block", 0);
    if (!t)
        return NULL;
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "grid", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "block", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "registers", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    az_table_column(t, "shared_memory_bytes", AZ_INT, AZ_UNIT_BYTES, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "mean_ns", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "min_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "max_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    return t;
}

static int emit(struct grid *g)
{
    struct az_table *t = new_table(g->job);
    double all = 0;
    if (!t)
        return az_arena_error(g->job->arena);
    for (size_t i = 0; i < g->rows.n; i++)
        all += (double)g->rows.v[i].total;
    for (size_t i = 0; i < g->rows.n; i++) {
        const struct row *r = &g->rows.v[i];
        az_put_text(t, az_job_text(g->job, r->name));
        put_geometry(g, t, r->geometry);
        az_put_i64(t, r->count);
        az_put_i64(t, r->total);
        az_put_f64(t, (double)r->total / (double)r->count);
        az_put_i64(t, r->min);
        az_put_i64(t, r->max);
        az_put_f64(t, az_percent((double)r->total, all));
    }
    /* by total, then by the keys; an order over columns counts from 1 where it descends */
    return az_job_emit(g->job, t, 0, (int[]){ -7, 0, 1, 2, 3, 4 }, 6);
}

static int run(struct az_job *job)
{
    struct grid g = { .job = job };
    az_geometries_init(&g.all, job->mem);
    az_vec_init(&g.rows, job->mem);
    int rc = az_map_init(&g.row_of, job->mem, 64);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = add_trace(&g, i);
    if (rc == 0)
        rc = emit(&g);
    az_map_release(&g.row_of);
    az_vec_release(&g.rows);
    az_geometries_release(&g.all);
    return rc;
}

const struct az_analysis az_analysis_kernels_by_grid = {
    .name = "kernels_by_grid",
    .help = "kernels by grid, block, registers and shared memory (kernel_geometry)",
    .tables = { "kernels_by_grid" },
    .needs = AZ_CAP_GEOMETRY,
    .run = run,
};
