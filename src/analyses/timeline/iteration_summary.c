#include "analyses/timeline/iteration_summary.h"

#include <inttypes.h>

#include "base/sort.h"
#include "document/record.h"
#include "stats/stats.h"

static const struct az_record_column device_iterations_summary_columns[] = {
    { "Device", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "Figure", AZ_TEXT, .flags = AZ_KEY },
    { "Iterations", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Mean (ns)", AZ_REAL, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Median (ns)", AZ_REAL, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "P95 (ns)", AZ_REAL, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Min (ns)", AZ_INT, .unit = AZ_UNIT_NS },
    { "Max (ns)", AZ_INT, .unit = AZ_UNIT_NS },
    { "StdDev (ns)", AZ_REAL, .unit = AZ_UNIT_NS },
    { "Share of Window (%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE },
};

static struct az_table *new_table(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "device_iterations_summary",
                                      "Iterations by device", AZ_TABLE_SUMMARY | AZ_TABLE_WHOLE);
    if (!t)
        return NULL;
    az_record_columns(t, device_iterations_summary_columns,
                      AZ_LENGTH(device_iterations_summary_columns));
    if (job->n_traces > 1)
        az_table_column(t, "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    return t;
}

static void put_device(struct az_job *job, struct az_table *t, const struct az_iteration_row *row,
                       size_t n, const char *const names[ITERATION_FIGURES], int64_t *v)
{
    double window = 0;
    for (size_t k = 0; k < ITERATION_FIGURES; k++) {
        struct az_stats st;
        for (size_t i = 0; i < n; i++)
            v[i] = row[i].x[k];
        az_stats_i64(v, n, &st);
        if (k == 0)
            window = st.mean;
        az_put_i64(t, row->device);
        az_put_copy(t, az_sv_make(names[k], strlen(names[k]) - strlen(" (ns)")));
        az_put_i64(t, (int64_t)n);
        az_put_f64(t, st.mean);
        az_put_f64(t, st.median);
        az_put_f64(t, az_percentile_i64(v, n, 95));
        az_put_i64(t, st.min);
        az_put_i64(t, st.max);
        az_put_f64(t, n > 1 ? st.std : 0.0);
        az_put_f64(t, window > 0 ? st.mean / window * 100.0 : 0.0);
        if (job->n_traces > 1)
            az_put_i64(t, row->rank);
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
            put_device(job, t, &rows->v[i + (size_t)warmup], stop - i - (size_t)warmup, names, v);
    }
}

int az_iteration_summary(struct az_job *job, struct az_iteration_rows *rows,
                         const char *const names[ITERATION_FIGURES])
{
    size_t bytes = (rows->n + 1) * sizeof(int64_t);
    int64_t *v = az_mem_alloc(job->mem, bytes);
    struct az_table *t = new_table(job);
    if (!v || !t) {
        int failed = v ? az_arena_error(job->arena) : az_mem_error(job->mem);
        az_mem_free(job->mem, v, v ? bytes : 0);
        az_table_free(t);
        return failed;
    }
    int rc = az_sort_cmp(rows->v, rows->n, sizeof *rows->v, by_device, NULL, job->mem);
    if (rc == 0)
        put_devices(job, t, rows, names, v);
    az_mem_free(job->mem, v, bytes);
    if (rc != 0) {
        az_table_free(t);
        return rc;
    }
    if (t->rows == 0 && rows->n > 0 && job->opts->warmup_iters > 0)
        az_diag_add(job->diag, AZ_WARNING, AZ_NOWHERE,
                    "warmup_iters %" PRId64 " excludes all iterations found; reduce warmup_iters",
                    job->opts->warmup_iters);
    return az_document_add(job->doc, t);
}
