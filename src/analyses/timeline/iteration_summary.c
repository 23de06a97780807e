#include "analyses/timeline/iteration_summary.h"

#include <inttypes.h>

#include "base/sort.h"
#include "document/record.h"
#include "stats/stats.h"

struct figure_row {
    int64_t device, rank, count;
    struct az_sv name;
    struct az_stats s; /* std: 0 for one iteration */
    double p95, percent;
};
#define ROW struct figure_row
static const struct az_record_column columns[] = {
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, device) },
    { "Figure", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .copy = true },
    { "Iterations", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    { "Mean (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, s.mean) },
    { "Median (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, s.median) },
    { "P95 (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, p95) },
    { "Min (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, s.min) },
    { "Max (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, s.max) },
    { "StdDev (ns)", AZ_REAL, AZ_UNIT_NS, AZ_FIELD(ROW, s.std) },
    { "Share of Window (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

static void put_device(struct az_table *t, const struct az_iteration_row *row, size_t n,
                       const char *const names[ITERATION_FIGURES], int64_t *v)
{
    double window = 0;
    for (size_t k = 0; k < ITERATION_FIGURES; k++) {
        struct figure_row r = { .device = row->device, .rank = row->rank, .count = (int64_t)n };
        for (size_t i = 0; i < n; i++)
            v[i] = row[i].x[k];
        az_stats_i64(v, n, &r.s);
        if (k == 0)
            window = r.s.mean;
        r.name = az_sv_make(names[k], strlen(names[k]) - strlen(" (ns)"));
        r.p95 = az_percentile_i64(v, n, 95);
        r.s.std = n > 1 ? r.s.std : 0.0;
        r.percent = window > 0 ? r.s.mean / window * 100.0 : 0.0;
        az_put_row(t, &r);
    }
}

static int by_device(const void *pa, const void *pb, void *ctx)
{
    const struct az_iteration_row *a = pa, *b = pb;
    (void)ctx;
    if (a->trace != b->trace)
        return a->trace < b->trace ? -1 : 1;
    return a->device < b->device ? -1 : a->device > b->device;
}

static void put_devices(struct az_job *job, struct az_table *t,
                        const struct az_iteration_rows *rows,
                        const char *const names[ITERATION_FIGURES], int64_t *v)
{
    int64_t warmup = job->opts->warmup_iters > 0 ? job->opts->warmup_iters : 0;
    for (size_t i = 0, stop; i < rows->n; i = stop) {
        stop = i + 1;
        while (stop < rows->n && by_device(&rows->v[i], &rows->v[stop], NULL) == 0)
            stop++;
        if ((int64_t)(stop - i) > warmup)
            put_device(t, &rows->v[i + (size_t)warmup], stop - i - (size_t)warmup, names, v);
    }
}

int az_iteration_summary(struct az_job *job, struct az_iteration_rows *rows,
                         const char *const names[ITERATION_FIGURES])
{
    size_t bytes = (rows->n + 1) * sizeof(int64_t);
    int64_t *v = az_mem_alloc(job->mem, bytes);
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "device_iterations_summary", "Iterations by device",
                           AZ_TABLE_SUMMARY | AZ_TABLE_WHOLE, columns, job);
    if (!v || !t) {
        int failed = v ? az_arena_error(job->arena) : az_mem_error(job->mem);
        az_mem_free(job->mem, v, bytes);
        az_table_free(t);
        return failed;
    }
    az_sort_cmp(rows->v, rows->n, sizeof *rows->v, by_device, NULL, job->mem);
    put_devices(job, t, rows, names, v);
    az_mem_free(job->mem, v, bytes);
    if (t->rows == 0 && rows->n > 0 && job->opts->warmup_iters > 0)
        az_diag_add(job->diag, AZ_WARNING, AZ_NOWHERE,
                    "warmup_iters %" PRId64 " excludes all iterations found; reduce warmup_iters",
                    job->opts->warmup_iters);
    return az_document_add(job->doc, t);
}
