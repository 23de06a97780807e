/* kernel_summary, kernel_summary_by_category, kernel_details, and the study of short kernels
 * (docs/formats-rocprof.md 6.2 to 6.5). */
#include "analyses/device/dispatch.h"

#include <math.h>

#include "analyses/short.h"
#include "analyses/list.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/groups.h"

static void put_std(struct az_table *t, const struct az_stats *s)
{
    if (s->n < 2)
        az_put_empty(t);
    else
        az_put_f64(t, s->std / 1e3);
}

static struct az_table *summary_table(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "kernel_summary", "Kernels by name and category",
                                      AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    if (!t)
        return NULL;
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Mean Kernel Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Median Kernel Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Std Kernel Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Min Kernel Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Max Kernel Time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    az_table_column(t, "Total Kernel Time (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "Category", AZ_TEXT, AZ_UNIT_NONE, 0);
    return t;
}

struct by_name { /* number -> sums, to add up categories */
    uint32_t number;
    int64_t sum, count;
    struct az_sv category;
};
AZ_VEC(struct by_name, by_names);

/* Kernels that the profiler summed (kernel_stats CSV), where their dispatches are not there: no median of more
 * than two. */
static int summed(struct az_job *job, size_t trace, struct az_table *t, struct by_names *names)
{
    const struct az_sums *sums = &job->traces[trace]->kernel_sums;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sums->n; i++) {
        const struct az_sum *s = &sums->v[i];
        const uint32_t k = az_job_name(job, trace, s->name);
        const struct by_name b = {
            .number = k, .sum = s->total_ns, .count = s->count, .category = amd_category(job, k)
        };
        rc = az_vec_push(names, b);
        az_put_text(t, az_job_text(job, k));
        az_put_i64(t, s->count);
        const double mean = s->count > 0 ? (double)s->total_ns / (double)s->count : s->avg;
        az_put_f64(t, mean / 1e3);
        az_put_f64(t, s->count <= 2 ? mean / 1e3 : NAN);
        az_put_f64(t, s->count > 1 ? s->std / 1e3 : NAN);
        az_put_f64(t, s->min / 1e3);
        az_put_f64(t, s->max / 1e3);
        az_put_f64(t, 0);
        az_put_f64(t, 0);
        az_put_f64(t, amd_ms(s->total_ns));
        az_put_text(t, b.category);
    }
    return rc;
}

static int kernel_summary(struct az_job *job, const struct amd_list *l, struct by_names *names)
{
    struct az_table *t = summary_table(job);
    struct az_groups g;
    if (!t)
        return az_arena_error(job->arena);
    int rc = az_groups_make(&g, l->name, l->n, az_job_names(job), job->mem);
    for (uint32_t k = 0; rc == 0 && k < g.groups; k++) {
        struct az_stats s;
        size_t n = az_groups_take(&g, k, l->length);
        if (n == 0)
            continue;
        az_stats_i64(g.value, n, &s);
        struct by_name b = { .number = k, .sum = s.sum, .count = (int64_t)n, .category = amd_category(job, k) };
        rc = az_vec_push(names, b);
        az_put_text(t, az_job_text(job, k));
        az_put_i64(t, (int64_t)n);
        az_put_f64(t, s.mean / 1e3);
        az_put_f64(t, s.median / 1e3);
        put_std(t, &s);
        az_put_f64(t, amd_us(s.min));
        az_put_f64(t, amd_us(s.max));
        az_put_f64(t, 0);
        az_put_f64(t, 0);
        az_put_f64(t, amd_ms(s.sum));
        az_put_text(t, b.category);
    }
    az_groups_release(&g);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (amd_has(job->traces[i]) && job->traces[i]->ev[AZ_KERNEL].n == 0)
            rc = summed(job, i, t, names);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -10, 0 }, 2);
    amd_shares(t, 9, 7);
    return amd_emit(job, t, rc);
}

static int by_category(struct az_job *job, const struct by_names *names)
{
    struct az_table *t = az_table_new(job->arena, "kernel_summary_by_category", "Kernel time by category",
                                      AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    struct by_names sums;
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&sums, job->mem);
    az_table_column(t, "op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < names->n; i++) {
        size_t k = 0;
        while (k < sums.n && !az_sv_eq(sums.v[k].category, names->v[i].category))
            k++;
        if (k == sums.n)
            rc = az_vec_push(&sums, ((struct by_name){ .category = names->v[i].category }));
        if (rc)
            break;
        sums.v[k].sum = az_add_sat(sums.v[k].sum, names->v[i].sum);
        sums.v[k].count = az_add_sat(sums.v[k].count, names->v[i].count);
    }
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        az_put_text(t, sums.v[i].category);
        az_put_i64(t, sums.v[i].count);
        az_put_f64(t, amd_ms(sums.v[i].sum));
        az_put_f64(t, 0);
        az_put_f64(t, 0);
    }
    az_vec_release(&sums);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -3, 0 }, 2);
    amd_shares(t, 2, 3);
    return amd_emit(job, t, rc);
}

static int run_kernels(struct az_job *job)
{
    struct amd_list l;
    struct by_names names;
    if (job->opts->disable_kernel_summary)
        return 0;
    az_vec_init(&names, job->mem);
    int rc = amd_list_make(job, AZ_KERNEL, &l);
    if (rc == 0)
        rc = kernel_summary(job, &l, &names);
    if (rc == 0)
        rc = by_category(job, &names);
    amd_list_release(&l);
    az_vec_release(&names);
    if (rc == 0)
        rc = az_job_chart(job, AZ_CHART_PIE, "kernel_summary_by_category", "Kernel time by category", "op category",
                          (const char *const[]){ "total_direct_kernel_time_ms", NULL }, "ms");
    return rc;
}

/* ---- every dispatch ---- */

/* Rows by duration (longest first), start, dispatch id. */
static int details_order(struct az_job *job, const struct amd_list *l, uint32_t *perm)
{
    int64_t *key = az_arena_array(job->arena, l->n + 1, sizeof *key);
    if (!key)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < l->n; i++)
        key[i] = (int64_t)(az_dispatch_of(amd_trace(job, l, i), l->row[i])->id & INT64_MAX);
    int rc = az_sort_order(key, l->n, perm, job->mem);
    for (size_t i = 0; i < l->n; i++)
        key[i] = amd_trace(job, l, i)->ev[AZ_KERNEL].start[l->row[i]];
    if (rc == 0)
        rc = az_sort_by(key, perm, l->n, job->mem);
    for (size_t i = 0; i < l->n; i++)
        key[i] = -l->length[i];
    return rc ? rc : az_sort_by(key, perm, l->n, job->mem);
}

static void details_row(struct az_job *job, struct az_table *t, const struct amd_list *l, size_t i)
{
    const struct az_trace *tr = amd_trace(job, l, i);
    const struct az_lane *lane = amd_lane(job, AZ_KERNEL, l, i);
    const struct az_dispatch *d = az_dispatch_of(tr, l->row[i]);
    const struct az_dispatch_shape *s = amd_shape(tr, l->row[i]);
    amd_put_rank(job, t, l->trace[i]);
    az_put_text(t, az_job_text(job, l->name[i]));
    az_put_f64(t, amd_us(l->length[i]));
    az_put_i64(t, (int64_t)lane->context);
    az_put_i64(t, (int64_t)d->id);
    for (int k = 0; k < 3; k++)
        az_put_i64(t, s->grid[k]);
    for (int k = 0; k < 3; k++)
        az_put_i64(t, s->block[k]);
    az_put_i64(t, lane->device);
    az_put_i64(t, d->thread);
}

static int details(struct az_job *job, const struct amd_list *l)
{
    static const char *const ids[] = { "stream", "dispatch_id" };
    static const char *const sizes[] = { "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z" };
    uint32_t *perm = az_arena_array(job->arena, l->n + 1, sizeof *perm);
    struct az_table *t =
        az_table_new(job->arena, "kernel_details", "Dispatches (grid in work-items)", AZ_TABLE_KEEP_EMPTY);
    if (!perm || !t)
        return az_arena_error(job->arena);
    amd_rank_column(job, t);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel duration (µs)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    for (size_t i = 0; i < 2; i++)
        az_table_column(t, ids[i], AZ_INT, AZ_UNIT_ID, i ? AZ_KEY : 0);
    for (size_t i = 0; i < 6; i++)
        az_table_column(t, sizes[i], AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "agent_id", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "thread_id", AZ_INT, AZ_UNIT_ID, 0);
    int rc = details_order(job, l, perm);
    size_t n = job->opts->topk_kernels != AZ_UNSET_I64 && (uint64_t)job->opts->topk_kernels < l->n
                   ? (size_t)job->opts->topk_kernels
                   : l->n;
    for (size_t i = 0; rc == 0 && i < n; i++)
        details_row(job, t, l, perm[i]);
    if (n < l->n)
        az_cover(job, "kernel_details: rows left out", (double)(l->n - n), "count", AZ_SV("topk_kernels"));
    return amd_emit(job, t, rc);
}

static int run_details(struct az_job *job)
{
    struct amd_list l;
    if (!job->opts->kernel_details)
        return 0;
    int rc = amd_list_make(job, AZ_KERNEL, &l);
    if (rc == 0)
        rc = details(job, &l);
    amd_list_release(&l);
    return rc;
}

/* ---- short kernels ---- */

static int short_summary(struct az_job *job, const struct amd_list *l)
{
    struct az_table *t =
        az_table_new(job->arena, "short_kernels_summary", "Short kernels", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    size_t names = az_job_names(job);
    int64_t all = 0, limit = az_short_limit(job, 1), *sum = az_arena_array(job->arena, names + 1, sizeof *sum),
            *count = az_arena_array(job->arena, names + 1, sizeof *count);
    if (!t || !sum || !count)
        return az_arena_error(job->arena);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Short Kernel count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Short Kernel duration (µs) sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Short Kernel duration (µs) mean", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Short Kernel duration (µs) percent of total time", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < l->n; i++) {
        all = az_add_sat(all, l->length[i]);
        if (l->length[i] >= limit)
            continue;
        sum[l->name[i]] += l->length[i];
        count[l->name[i]]++;
    }
    for (uint32_t k = 0; k < names; k++) {
        if (!count[k])
            continue;
        az_put_text(t, az_job_text(job, k));
        az_put_i64(t, count[k]);
        az_put_f64(t, amd_us(sum[k]));
        az_put_f64(t, amd_us(sum[k]) / (double)count[k]);
        az_put_f64(t, az_percent((double)sum[k], (double)all));
    }
    return amd_emit(job, t, az_table_sort(t, (int[]){ -3, 0 }, 2));
}

static int run_short(struct az_job *job)
{
    struct amd_list l;
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = amd_list_make(job, AZ_KERNEL, &l);
    if (rc == 0)
        rc = short_summary(job, &l);
    if (rc == 0)
        rc = az_short_histogram(job, "short_kernel_histogram", l.length, l.n, 1);
    amd_list_release(&l);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_COLUMN, "short_kernel_histogram", "Durations of short kernels", "bin_start",
                             (const char *const[]){ "count", NULL }, "count");
}

const struct az_analysis az_analysis_amd_kernels = {
    .name = "dispatch_kernels",
    .help = "kernel time by name and category",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_kernels,
};
const struct az_analysis az_analysis_amd_details = {
    .name = "dispatch_details",
    .help = "every dispatch, longest first (option kernel_details)",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_details,
};
const struct az_analysis az_analysis_amd_short = {
    .name = "dispatch_short",
    .help = "short kernels and the histogram of their durations (option short_kernel_study)",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_short,
};
