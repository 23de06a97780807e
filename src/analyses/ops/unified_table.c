/* Tables of the unified summary. */
#include "analyses/ops/metrics.h"
#include "analyses/ops/overlap.h"
#include "analyses/ops/stack.h"
#include "analyses/ops/unified.h"
#include "facts/groups.h"

/* Rows in groups. */
struct grouping {
    uint32_t *of; /* row -> group */
    uint32_t n;
    struct az_groups g;
};

struct work {
    struct az_job *job;
    struct az_fw *fw;
    const struct az_unified *u;
    const struct az_unified_rows *rows; /* of u */
    struct az_arena scratch;
    int64_t *span, *kernel;         /* row -> ticks of the host event, of its device events */
    struct az_overlap_ops *overlap; /* NULL: the plain table */
    struct az_fw_details details;
    struct az_fw_metrics *metrics;
    struct grouping *x;
    struct az_table *t;
};

/* Device events of a row. */
static struct az_gpu_run own_of(const struct work *w, size_t row)
{
    const struct az_unified_row *r = &w->rows->v[row];
    uint32_t first, end;
    if (r->gpu != AZ_NO_ROW)
        return (struct az_gpu_run){ &r->gpu, 1 };
    az_node_gpu(w->fw->tree, r->node, &first, &end);
    return (struct az_gpu_run){ w->fw->tree->linked + first, end - first };
}

static int prepare(struct work *w)
{
    size_t n = w->rows->n;
    w->span = az_arena_array(&w->scratch, n + 1, sizeof *w->span);
    w->kernel = az_arena_array(&w->scratch, n + 1, sizeof *w->kernel);
    if (!w->span || !w->kernel)
        return az_arena_error(&w->scratch);
    for (size_t i = 0; i < n; i++) {
        const struct az_unified_row *r = &w->rows->v[i];
        struct az_event e = az_fw_node(w->fw, r->node);
        w->span[i] = e.end - e.start;
        w->kernel[i] = r->time;
    }
    return 0;
}

/* Groups rows of equal names, categories, lanes' names and arguments; with base, rows of one group
 * of it with equal overlapping names. */
static int group(struct work *w, struct grouping *x, const struct grouping *base)
{
    struct az_map map;
    *x = (struct grouping){ .of = az_arena_array(&w->scratch, w->rows->n + 1, sizeof *x->of) };
    if (!x->of)
        return az_arena_error(&w->scratch);
    int rc = az_map_init(&map, w->job->mem, 256);
    for (size_t i = 0; rc == 0 && i < w->rows->n; i++) {
        const struct az_unified_row *r = &w->rows->v[i];
        const struct az_op_args *a = az_fw_args(w->fw, r->node);
        uint32_t args = a ? (uint32_t)(a - w->fw->ops->args.v) : AZ_NO_ROW, *at;
        uint32_t rest[] = { w->fw->lane_group[az_fw_node(w->fw, r->node).lane],
                            az_fw_recompute(w->fw, r->node), 0, 0 };
        if (w->fw->opts->group_by_parent_module) {
            struct az_sv module = az_fw_parent_module(&w->scratch, w->fw, r->node);
            uint64_t hash = az_hash(module.p, module.n);
            rest[2] = (uint32_t)hash;
            rest[3] = (uint32_t)(hash >> 32);
        }
        uint64_t k0 = (uint64_t)r->name_group << 32 | args;
        uint64_t k1 = az_hash(rest, sizeof rest) ^ r->category;
        bool added;
        if (base) {
            k0 = base->of[i];
            k1 = w->overlap->names[i];
        }
        rc = az_map_put(&map, k0, k1, x->n, &at, &added);
        if (rc == 0) {
            x->of[i] = *at;
            x->n += added;
        }
    }
    az_map_release(&map);
    return rc ? rc : az_groups_make(&x->g, x->of, w->rows->n, x->n, w->job->mem);
}

static void columns(struct work *w)
{
    static const char *const stat[] = { "Kernel Time (µs)_mean",   "Kernel Time (µs)_std",
                                        "Kernel Time (µs)_sum",    "duration_us_median",
                                        "duration_us_min",         "duration_us_max",
                                        "Kernel Time (µs)_median", "Kernel Time (µs)_min",
                                        "Kernel Time (µs)_max" };
    struct az_table *t = w->t;
    az_fw_key_columns(t);
    if (w->overlap)
        az_table_column(t, "overlapping_kernel_names", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (w->fw->opts->group_by_parent_module)
        az_table_column(t, "parent_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_fw_recompute_column(w->fw, t);
    az_table_column(t, "ex_UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "mean_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "std_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    for (size_t i = 0; i < AZ_LENGTH(stat); i++)
        az_table_column(t, stat[i], AZ_REAL, AZ_UNIT_US,
                        AZ_LOWER_BETTER | (i == 2 ? 0 : AZ_DETAIL));
    az_table_column(t, "kernel_details_summary", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (w->overlap)
        az_fw_overlap_columns(t);
    az_fw_metric_columns(w->metrics, t);
    az_table_column(t, "has_perf_model", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (w->fw->opts->include_call_stack) {
        az_table_column(t, "entry_point", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
        az_table_column(t, "call_stack_full", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    }
    az_fw_share_columns(t);
}

static void put_stats(struct work *w, size_t k)
{
    struct az_stats s, d; /* of the host events, of device time */
    double us = 1e3 * (double)w->fw->trace->ticks_per_ns;
    az_stats_i64(w->x->g.value, az_groups_take(&w->x->g, k, w->span), &s);
    az_stats_i64(w->x->g.value, az_groups_take(&w->x->g, k, w->kernel), &d);
    const double v[] = { (double)s.sum, s.mean,        s.std,         d.mean,
                         d.std,         (double)d.sum, s.median,      (double)s.min,
                         (double)s.max, d.median,      (double)d.min, (double)d.max };
    az_put_i64(w->t, (int64_t)s.n);
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        az_put_f64(w->t, v[i] / us);
}

static int put_details(struct work *w, const uint32_t *row, size_t n)
{
    struct az_gpu_run *runs = az_mem_alloc(w->job->mem, (n + 1) * sizeof *runs);
    struct az_sv full, brief;
    if (!runs)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < n; i++)
        runs[i] = own_of(w, row[i]);
    int rc = az_fw_details_make(&w->details, runs, n, &full, &brief);
    az_mem_free(w->job->mem, runs, (n + 1) * sizeof *runs);
    az_put_text(w->t, full);
    az_put_text(w->t, brief);
    return rc;
}

struct members { /* of a group */
    struct work *w;
    const uint32_t *row;
};

static int estimate(void *ctx, size_t i, struct az_fw_estimate *e)
{
    const struct members *x = ctx;
    const struct az_unified_row *r = &x->w->rows->v[x->row[i]];
    const bool backward = r->forward != AZ_NO_ROW;
    *e = (struct az_fw_estimate){
        .flops = NAN, .bytes = NAN, .spec = { "", 0 }, .params = { "", 0 }
    };
    return r->gpu == AZ_NO_ROW
               ? az_fw_estimate(x->w->metrics, backward ? r->forward : r->node, backward, e)
               : 0;
}

static int put_estimate(struct work *w, size_t k, const uint32_t *row)
{
    struct az_fw_figures f;
    const size_t n = az_groups_take(&w->x->g, k, w->kernel);
    const int rc =
        az_fw_figures(w->metrics, estimate, &(struct members){ w, row }, w->x->g.value, n, &f);
    if (rc == 0)
        az_fw_put_metrics(w->metrics, w->t, &f);
    return rc;
}

static int put_row(struct work *w, size_t k)
{
    const uint32_t *row = w->x->g.item + w->x->g.first[k];
    size_t n = w->x->g.first[k + 1] - w->x->g.first[k];
    const struct az_unified_row *r = &w->rows->v[row[0]];
    az_fw_put_keys(w->fw, w->t, az_unified_name(w->u, r), az_unified_category(w->u, r), r->node);
    if (w->overlap)
        az_put_given(w->t, az_overlap_text(w->overlap, row[0]));
    if (w->fw->opts->group_by_parent_module)
        az_put_text(w->t, az_fw_parent_module(w->job->arena, w->fw, r->node));
    az_fw_put_recompute(w->fw, w->t, az_fw_recompute(w->fw, r->node));
    az_put_i64(w->t, (int64_t)az_unified_uid(w->u, r));
    put_stats(w, k);
    int rc = put_details(w, row, n);
    if (rc == 0 && w->overlap)
        rc = az_fw_put_overlap(w->overlap, w->t, row, n, &w->details);
    if (rc == 0)
        rc = put_estimate(w, k, row);
    az_put_text(w->t, r->model ? AZ_SV("True") : AZ_SV("False"));
    if (w->fw->opts->include_call_stack) {
        az_put_text(w->t, az_fw_entry_point(w->fw, r->node));
        az_put_text(w->t, az_fw_call_stack(w->job, w->fw, r->node, r->gpu));
    }
    az_fw_put_share(w->t);
    return rc;
}

/* The groups in the order of the overlap table. */
static int put_in_order(struct work *w, const struct grouping *base)
{
    const struct az_groups *g = &w->x->g;
    struct az_overlap_row *order = az_arena_array(w->job->arena, g->groups + 1, sizeof *order);
    if (!order)
        return az_arena_error(w->job->arena);
    for (uint32_t k = 0; k < g->groups; k++) {
        uint32_t first = g->item[g->first[k]];
        order[k] = (struct az_overlap_row){ .row = k,
                                            .base = base->of[first],
                                            .uid = az_unified_uid(w->u, &w->rows->v[first]) };
        for (uint32_t i = g->first[k]; i < g->first[k + 1]; i++)
            order[k].time += w->kernel[g->item[i]];
    }
    int rc = az_fw_overlap_order(order, g->groups, base->n, w->job->mem);
    for (size_t k = 0; rc == 0 && k < g->groups; k++)
        rc = put_row(w, order[k].row);
    return rc;
}

static int table(struct work *w, const char *id, const char *title, unsigned flags,
                 struct grouping *x, const struct grouping *base)
{
    w->x = x;
    w->t = az_table_new(w->job->arena, id, title, flags);
    if (!w->t)
        return az_arena_error(w->job->arena);
    columns(w);
    int sum = (int)az_table_find(w->t, "Kernel Time (µs)_sum"),
        uid = (int)az_table_find(w->t, "ex_UID");
    int rc = 0;
    if (base)
        rc = put_in_order(w, base);
    for (size_t k = 0; rc == 0 && !base && k < x->n; k++)
        rc = put_row(w, k);
    if (rc == 0 && !base)
        rc = az_table_sort(w->t, (int[]){ AZ_DOWN(sum), AZ_UP(uid) }, 2);
    if (rc == 0)
        az_fw_shares(w->t, sum);
    if (rc == 0 && !base)
        az_fw_keep(w->job, w->t, w->fw->opts->topk_roofline_ops, "topk_roofline_ops");
    return az_fw_emit(w->job, w->t, rc);
}

static int overlap_table(struct work *w, const struct grouping *base)
{
    struct grouping x = { 0 };
    struct az_overlap_ops o = { 0 };
    struct az_gpu_run *own = az_arena_array(&w->scratch, w->rows->n + 1, sizeof *own);
    if (!own)
        return az_arena_error(&w->scratch);
    for (size_t i = 0; i < w->rows->n; i++)
        own[i] = own_of(w, i);
    int rc = az_fw_overlap_ops(&o, w->job, w->fw, own, w->rows->n);
    w->overlap = &o;
    if (rc == 0)
        rc = group(w, &x, base);
    if (rc == 0)
        rc = table(w, "unified_perf_summary_kl_overlap",
                   "Kernel time by operation and overlapping kernels", 0, &x, base);
    w->overlap = NULL;
    az_groups_release(&x.g);
    az_fw_overlap_ops_release(&o);
    return rc;
}

int az_unified_tables(struct az_job *job, struct az_fw *fw, const struct az_unified *u)
{
    struct work w = { .job = job, .fw = fw, .u = u, .rows = &u->rows };
    struct grouping x = { 0 };
    az_arena_init(&w.scratch, job->mem);
    int rc = az_fw_details_init(&w.details, fw, job->arena, job->mem);
    if (rc == 0)
        w.metrics = az_fw_metrics_get(job, fw, &rc);
    if (rc == 0)
        rc = prepare(&w);
    if (rc == 0)
        rc = group(&w, &x, NULL);
    if (rc == 0)
        rc = table(&w, "unified_perf_summary", "Kernel time by operation", AZ_TABLE_SUMMARY, &x,
                   NULL);
    if (rc == 0 && job->opts->include_overlap_info)
        rc = overlap_table(&w, &x);
    az_groups_release(&x.g);
    az_fw_details_release(&w.details);
    az_arena_release(&w.scratch);
    return rc;
}
