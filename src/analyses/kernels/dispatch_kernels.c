/* kernel_summary, kernel_summary_by_category, kernel_details, and the study of short kernels
 * (docs/formats-rocprof.md 6.2 to 6.5). */
#include "analyses/kernels/dispatch.h"

#include "analyses/registry_list.h"
#include "analyses/short.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "tables/keys.h"

static struct az_sv category_of(const struct az_scope *r, const struct az_item *i)
{
    return az_dispatch_category(r->job, az_item_name(r, i));
}

static const struct az_key category = { AZ_TEXT, .text = category_of, .by_name = true };

/* The categories of TraceLens are coarser than families and differ for some names: a report has
 * one of the two. Classes of the user are categories. */
static bool has_categories(const struct az_scope *r)
{
    const struct az_job *job = r->job;
    return (job->opts->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL)) != 0 ||
           (job->classes && job->classes->rules->n > 0);
}
static bool has_families(const struct az_scope *r) { return !has_categories(r); }

/* Kernels that the profiler summed (kernel_stats CSV), where their dispatches are not there: no
 * median of more than two. */
static const struct az_sums *kernel_sums(const struct az_trace *t) { return &t->kernel_sums; }

#define US(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_US, flag)
static bool summary_asked(const struct az_options *o) { return !o->disable_kernel_summary; }

static const struct az_table_spec specs[] = {
    {
        "kernel_summary",
        "Kernels by name",
        AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY,
        .help = "kernel time by name (formats with dispatches)",
        .is_requested = summary_asked,
        .needs = AZ_CAP_DISPATCHES,
        .n_kinds = 1,
        .kinds = { AZ_KERNEL },
        .given = kernel_sums,
        .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                     { "Count", .figure = AZ_FIG_COUNT },
                     US("Mean Kernel Time (µs)", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                     US("Median Kernel Time (µs)", AZ_FIG_MEDIAN, AZ_DETAIL),
                     US("Std Kernel Time (µs)", AZ_FIG_STD, AZ_DETAIL),
                     US("Min Kernel Time (µs)", AZ_FIG_MIN, AZ_DETAIL),
                     US("Max Kernel Time (µs)", AZ_FIG_MAX, AZ_DETAIL),
                     AZ_SHARE_COLUMNS,
                     { "Total Kernel Time (ms)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS,
                       .flags = AZ_LOWER_BETTER, .sort = -1 },
                     { "Category", &category, .follows = true, .when = has_categories },
                     { "Family", &az_key_family, .follows = true, .when = has_families } },
        .shares = AZ_SHARES_CELLS,
    },
    {
        "kernel_summary_by_category",
        "Kernel time by category",
        AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY,
        .help = "kernel time by category",
        .is_requested = summary_asked,
        .needs = AZ_CAP_DISPATCHES,
        .n_kinds = 1,
        .kinds = { AZ_KERNEL },
        .given = kernel_sums,
        .merge_given = true,
        .columns = { { "op category", &category, .flags = AZ_KEY, .sort = 2 },
                     { "Count", .figure = AZ_FIG_COUNT },
                     { "total_direct_kernel_time_ms", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS,
                       .flags = AZ_LOWER_BETTER, .sort = -1 },
                     AZ_SHARE_COLUMNS },
        .shares = AZ_SHARES_CELLS,
    },
    { NULL }
};

/* ---- every dispatch ---- */

/* Rows by duration (longest first), start, dispatch id. */
static int details_order(struct az_job *job, const struct az_dispatch_list *l, uint32_t *perm)
{
    int64_t *key = az_arena_array(job->arena, l->n + 1, sizeof *key);
    if (!key)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < l->n; i++)
        key[i] = (int64_t)(az_dispatch_of(az_dispatch_trace(job, l, i), l->row[i])->id & INT64_MAX);
    az_sort_order(key, l->n, perm, job->mem);
    for (size_t i = 0; i < l->n; i++)
        key[i] = az_dispatch_trace(job, l, i)->ev[AZ_KERNEL].start[l->row[i]];
    az_sort_by(key, perm, l->n, job->mem);
    for (size_t i = 0; i < l->n; i++)
        key[i] = -l->length[i];
    az_sort_by(key, perm, l->n, job->mem);
    return 0;
}

struct detail_row {
    int64_t rank;
    struct az_sv name;
    int64_t ns;
    const struct az_lane *lane;
    const struct az_dispatch *dispatch;
    const struct az_dispatch_shape *shape;
};
#define ROW struct detail_row
static const struct az_record_column detail_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
    { "Kernel duration (µs)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, ns) },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, lane, context) },
    { "dispatch_id", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, dispatch, id) },
    { "grid_x", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, grid[0]) },
    { "grid_y", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, grid[1]) },
    { "grid_z", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, grid[2]) },
    { "block_x", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, block[0]) },
    { "block_y", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, block[1]) },
    { "block_z", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, shape, block[2]) },
    { "agent_id", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, lane, device) },
    { "thread_id", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, dispatch, thread) },
};

static void put_dispatch(struct az_job *job, struct az_table *t, const struct az_dispatch_list *l,
                         size_t i)
{
    const struct az_trace *tr = az_dispatch_trace(job, l, i);
    az_put_row(t, &(ROW){ az_job_rank(job, l->trace[i]), az_job_text(job, l->name[i]), l->length[i],
                          az_dispatch_lane(job, AZ_KERNEL, l, i), az_dispatch_of(tr, l->row[i]),
                          az_dispatch_list_shape(tr, l->row[i]) });
}

static int details(struct az_job *job, const struct az_dispatch_list *l)
{
    uint32_t *perm = az_arena_array(job->arena, l->n + 1, sizeof *perm);
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "kernel_details", "Kernel dispatches",
                                            AZ_TABLE_KEEP_EMPTY, detail_columns, job);
    if (!perm || !t)
        return az_arena_error(job->arena);
    int rc = details_order(job, l, perm);
    size_t n = job->opts->topk_kernels != AZ_UNSET_I64 && (uint64_t)job->opts->topk_kernels < l->n
                   ? (size_t)job->opts->topk_kernels
                   : l->n;
    for (size_t i = 0; rc == 0 && i < n; i++)
        put_dispatch(job, t, l, perm[i]);
    if (n < l->n)
        az_cover(job, "kernel_details: rows skipped", (double)(l->n - n), "count",
                 AZ_SV("topk_kernels"));
    return az_job_add(job, t, rc);
}

static int run_details(struct az_job *job)
{
    struct az_dispatch_list l;
    if (!job->opts->kernel_details)
        return 0;
    int rc = az_dispatch_list_make(job, AZ_KERNEL, &l);
    if (rc == 0)
        rc = details(job, &l);
    az_dispatch_list_release(&l);
    return rc;
}

/* ---- short kernels ---- */

struct short_kernels {
    int64_t limit; /* ns */
    int64_t all;   /* time of every kernel */
};

static bool is_short(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *ev = az_item_events(r, i);
    const struct short_kernels *s = r->ctx;
    return az_ns(az_item_trace(r, i), ev->end[i->row] - ev->start[i->row]) < s->limit;
}

static double all_kernels(const struct az_scope *r)
{
    return (double)((const struct short_kernels *)r->ctx)->all;
}

static void put_mean(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    (void)r;
    az_put_f64(t, az_us_from_ns(g->value->sum) / (double)g->n);
}

static const struct az_table_spec short_summary = {
    "short_kernels_summary",
    "Short kernels",
    AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY,
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = is_short,
    .whole = all_kernels,
    .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 { "Short Kernel count", .figure = AZ_FIG_COUNT },
                 { "Short Kernel duration (µs) sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Short Kernel duration (µs) mean", .figure = AZ_FIG_OWN, .unit = AZ_UNIT_US,
                   .put = put_mean },
                 { "Short Kernel duration (µs) percent of total time", .figure = AZ_FIG_SHARE,
                   .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE } },
};

static int run_short(struct az_job *job)
{
    struct az_dispatch_list l;
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = az_dispatch_list_make(job, AZ_KERNEL, &l);
    struct short_kernels s = { az_short_limit(job, 1), 0 };
    for (size_t i = 0; rc == 0 && i < l.n; i++)
        s.all = az_add_sat(s.all, l.length[i]);
    if (rc == 0)
        rc = az_spec_make(job, &short_summary, &s, NULL);
    if (rc == 0)
        rc = az_short_histogram(job, "short_kernel_histogram", l.length, l.n, 1);
    az_dispatch_list_release(&l);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_COLUMN, "short_kernel_histogram",
                             "Short kernel durations", "bin_start",
                             (const char *const[]){ "count", NULL }, "count");
}

const struct az_analysis az_analysis_amd_kernels = { .specs = specs };
const struct az_analysis az_analysis_amd_details = {
    .name = "dispatch_details",
    .help = "kernel dispatches, longest first (kernel_details)",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_details,
};
const struct az_analysis az_analysis_amd_short = {
    .name = "dispatch_short",
    .help = "short kernels and duration histogram (short_kernel_study)",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_short,
};
