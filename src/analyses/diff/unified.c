/* Columns of unified_perf_summary over a second trace: for the points of difference of a row's
 * device events the time of both traces (docs/formulas-compare.md 2). */
#include "analyses/operators/unified.h"
#include "analyses/diff/internal.h"
#include "base/sort.h"

#include <math.h>

struct cells {
    double speedup, delta_us;
    int64_t count;
    struct az_sv ids, names;
    double us[2];
};
#define ROW struct cells
static const struct az_record_column columns[] = {
    { "speedup (trace2/trace1)", AZ_REAL, AZ_UNIT_RATIO, AZ_LOWER_BETTER, AZ_FIELD(ROW, speedup) },
    { "delta_us (trace2 - trace1)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, delta_us) },
    { "lca_count_trace2", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN(ROW, count) },
    { "lca_id", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, ids) },
    { "lca_name", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, names) },
    { "lca_total_kernel_time_trace1_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, us[0]) },
    { "lca_total_kernel_time_trace2_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, us[1]) },
};

struct work {
    struct az_job *job;
    struct az_diff_points *p;
    struct az_vec_u32 at; /* points of the row, each once */
    uint32_t row;
};

static int ascending(const void *x, const void *y, void *ctx)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

    (void)ctx;
    return (a > b) - (a < b);
}

/* The points of the row's events in w->at, ascending. */
static int gather(struct work *w, const struct az_gpu_run *runs, size_t n)
{
    struct az_diff_points *p = w->p;
    int rc = 0;

    w->row++;
    az_vec_reset(&w->at);
    for (size_t i = 0; rc == 0 && i < n; i++)
        for (size_t k = 0; rc == 0 && k < runs[i].n; k++) {
            const uint32_t at = p->of_gpu[runs[i].gpu[k]];
            if (at == AZ_NO_ROW || p->last[at] == w->row)
                continue;
            p->last[at] = w->row;
            rc = az_vec_push(&w->at, at);
        }
    az_sort_cmp(w->at.v, w->at.n, sizeof *w->at.v, ascending, NULL, w->job->mem);
    return rc;
}

static int put_row(void *ctx, struct az_table *t, const struct az_gpu_run *runs, size_t n,
                   double kernel_us)
{
    struct work *w = ctx;
    const struct az_diff_points *p = w->p;
    struct cells c = { NAN, NAN, -1, { "", 0 }, { "", 0 }, { NAN, NAN } };
    int64_t ticks[2] = { 0, 0 };
    int rc = gather(w, runs, n);

    for (size_t i = 0; rc == 0 && i < w->at.n; i++) {
        const uint32_t at = w->at.v[i];
        const bool root = at == p->d->nodes.n;
        c.count = (i ? c.count : 0) + (p->busy[1][at] > 0);
        for (int side = 0; side < 2; side++)
            ticks[side] += p->busy[side][at];
        if (!root)
            c.ids =
                az_arena_printf(w->job->arena, "%.*s%s%u", AZ_SVF(c.ids), c.ids.n ? "; " : "", at);
        const struct az_sv name = root ? AZ_SV("") : p->name(p->ctx, at);
        c.names = az_arena_printf(w->job->arena, "%.*s%s%.*s", AZ_SVF(c.names), i ? "; " : "",
                                  AZ_SVF(name));
    }
    if (rc == 0 && w->at.n) {
        for (int side = 0; side < 2; side++)
            c.us[side] = az_us(p->d->side[side].trace, ticks[side]);
        c.speedup = ticks[0] > 0 ? c.us[1] / c.us[0] : NAN;
        c.delta_us = c.us[1] - kernel_us;
    }
    az_put_cells(t, AZ_LENGTH(columns), &c);
    return rc;
}

int az_diff_unified(struct az_job *job, struct az_diff_points *p)
{
    struct work w = { .job = job, .p = p };
    const struct az_unified_more more = { columns, AZ_LENGTH(columns), put_row, &w };
    int rc;
    struct az_framework *fw = az_framework_get(job, &rc);

    if (!fw || fw->launchers->rows.n == 0 || !fw->ops->has_ops)
        return rc;
    const struct az_unified *u = az_unified_of(job, fw, &rc);
    if (!u)
        return rc;
    az_vec_init(&w.at, job->mem);
    rc = az_unified_tables(job, fw, u, &more);
    az_vec_release(&w.at);
    return rc;
}
