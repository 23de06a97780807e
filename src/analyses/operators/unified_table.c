/* Tables of the unified summary. */
#include "analyses/operators/float_time.h"
#include "analyses/operators/group.h"
#include "analyses/operators/metrics.h"
#include "analyses/operators/stack.h"
#include "analyses/operators/unified.h"
#include "document/record.h"

struct az_sv az_unified_name(const struct az_unified *u, const struct az_unified_row *r)
{
    return r->synthetic ? u->names.v[r->what] : az_node_name(u->fw->tree, r->node);
}

int64_t az_unified_time(const struct az_unified *u, const struct az_unified_row *r)
{
    if (r->synthetic) {
        const struct az_event e = az_gpu_event(u->fw->tree, r->of);
        return e.end - e.start;
    }
    if (r->what != AZ_UNIFIED_LONG)
        return r->what;
    const size_t row = (size_t)(r - u->rows.v);
    size_t lo = 0, hi = u->longer.n;
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        *(u->longer.v[mid].row <= row ? &lo : &hi) = mid;
    }
    return u->longer.v[lo].ticks;
}

int az_unified_estimate(struct az_framework_metrics *metrics, const struct az_unified *u,
                        size_t row, struct az_framework_estimate *e)
{
    const struct az_unified_row *r = &u->rows.v[row];
    const bool backward = az_unified_forward(r) != AZ_NO_ROW;
    uint32_t *known;
    const int rc = r->synthetic ? 0 : az_framework_known_rows(metrics, u->rows.n, &known);
    if (r->synthetic || rc) {
        *e = (struct az_framework_estimate){
            .flops = NAN, .bytes = NAN, .spec = { "", 0 }, .params = { "", 0 }
        };
        return rc;
    }
    return az_framework_estimate_again(metrics, backward ? r->of : r->node, backward, &known[row],
                                       e);
}

uint32_t *az_unified_chain(struct az_vec_u32 *first, const struct az_framework_estimate *e,
                           const struct az_unified_row *r)
{
    const size_t at = (size_t)e->number * 2 + (az_unified_forward(r) != AZ_NO_ROW);
    if (at >= first->n) {
        if (az_vec_reserve(first, at + 1 - first->n) != 0)
            return NULL;
        memset(first->v + first->n, 0, (at + 1 - first->n) * sizeof *first->v);
        first->n = at + 1;
    }
    return &first->v[at];
}

int az_unified_keys_get(struct az_unified_keys *k, struct az_framework_metrics *metrics,
                        const struct az_unified *u)
{
    uint32_t *known = NULL;
    const int rc = az_framework_known_rows(metrics, u->rows.n, &known);
    *k = (struct az_unified_keys){ metrics, u->rows.v, known };
    return rc;
}

bool az_unified_only_copies(const struct az_framework *fw, const struct az_unified_row *r)
{
    uint32_t first, end;
    az_node_gpu(fw->tree, r->node, &first, &end);
    for (uint32_t i = first; i < end; i++)
        if (fw->tree->gpu_kind[fw->tree->linked[i]] != AZ_MEMCPY)
            return false;
    return end > first;
}

int64_t az_unified_kernel_time(const struct az_framework *fw, const struct az_unified_row *r,
                               int64_t time)
{
    const struct az_calltree *c = fw->tree;
    const uint32_t only = az_unified_gpu(r);
    uint32_t first = 0, end = 0;
    int64_t others = 0;
    bool any = false;
    if (only != AZ_NO_ROW)
        return c->gpu_kind[only] == AZ_KERNEL ? time : 0;
    az_node_gpu(c, r->node, &first, &end);
    for (uint32_t k = first; k < end; k++) {
        const uint32_t gpu = c->linked[k];
        const struct az_event e = az_gpu_event(c, gpu);
        if (c->gpu_kind[gpu] == AZ_KERNEL)
            any = true;
        else
            others = az_add_sat(others, e.end - e.start);
    }
    return any && others < time ? time - others : 0;
}

int64_t az_unified_unlinked_time(const struct az_framework *fw, uint32_t gpu)
{
    const struct az_event e = az_gpu_event(fw->tree, gpu);
    return fw->tree->gpu_call[gpu] == AZ_NO_ROW && fw->tree->gpu_kind[gpu] == AZ_KERNEL &&
                   !az_framework_is_comm(fw, gpu)
               ? e.end - e.start
               : 0;
}

/* uid of the node; synthetic rows are numbered on after the file's events. */
static uint64_t uid_of_row(const struct az_unified *u, const struct az_unified_row *r)
{
    return r->synthetic ? u->fw->ops->n_events + (size_t)(r - u->rows.v) - u->first_synthetic
                        : az_framework_node(u->fw, r->node).uid;
}

struct work {
    const struct az_unified_more *more; /* NULL: none */
    struct az_job *job;
    struct az_framework *fw;
    const struct az_unified *u;
    struct az_arena scratch;
    int64_t *kernel; /* row -> ticks of its device events; only where the companion needs them */
    int64_t *shown;  /* row -> its device events in the unit of the table; NULL: their ticks */
    double shown_us; /* so many of them a us */
    struct az_framework_metrics *metrics;
    struct az_unified_keys keys;
};

/* Device events of a row. */
static struct az_gpu_run own_of(const void *ctx, size_t row)
{
    const struct work *w = ctx;
    const struct az_unified_row *r = &w->u->rows.v[row];
    uint32_t first, end;
    if (r->synthetic)
        return (struct az_gpu_run){ &r->of, 1 };
    az_node_gpu(w->fw->tree, r->node, &first, &end);
    return (struct az_gpu_run){ w->fw->tree->linked + first, end - first };
}

/* Kernel times are rounded as TraceLens rounds them where its users request it, and in graphs read
 * through their captures, which are compared with its reports (docs/formulas-pytorch.md 12). */
static bool rounds_times(const struct work *w)
{
    for (enum az_pair_by by = 0; by < AZ_PAIR_COUNT; by++)
        if (az_paired(by) && w->fw->ops->grafted.events[by])
            return true;
    return w->fw->opts->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL);
}

/* What is rounded is the table's column alone: the order of the rows and the rates are of the exact
 * times. */
static int round_times(struct work *w)
{
    const size_t n = w->u->rows.n;
    struct az_spans spans;
    int rc = 0;
    w->shown_us = 1e3 * (double)w->fw->trace->ticks_per_ns;
    if (!rounds_times(w))
        return 0;
    w->shown = az_arena_array(&w->scratch, n + 1, sizeof *w->shown);
    w->shown_us = AZ_FLOAT_UNITS;
    if (!w->shown)
        return az_arena_error(&w->scratch);
    az_vec_init(&spans, w->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = az_float_union(w->fw, own_of(w, i), &spans, &w->shown[i]);
    az_vec_release(&spans);
    return rc;
}

static int prepare(struct work *w)
{
    const size_t n = w->u->rows.n;
    if (w->fw->opts->include_overlap_info) {
        w->kernel = az_arena_array(&w->scratch, n + 1, sizeof *w->kernel);
        if (!w->kernel)
            return az_arena_error(&w->scratch);
        for (size_t i = 0; i < n; i++)
            w->kernel[i] = az_unified_time(w->u, &w->u->rows.v[i]);
    }
    return round_times(w);
}

/* Ticks of the device events of one group, into its values; returns how many. */
static size_t take_times(const struct work *w, struct az_groups *g, size_t group)
{
    size_t n;
    const uint32_t *item = az_groups_items(g, group, &n);
    for (size_t i = 0; i < n; i++)
        g->value[i] = az_unified_time(w->u, &w->u->rows.v[item[i]]);
    return n;
}

/* The report of inference has rows by module in the other tables of operators, not in this one. */
static bool by_module(const struct work *w)
{
    return w->fw->opts->group_by_parent_module &&
           !az_sv_is(w->fw->opts->sheets_as, "tracelens-inference");
}

static bool is_graft(const struct az_framework *fw, uint32_t node)
{
    const struct az_optrace *o = fw->ops;
    const uint64_t uid = az_framework_node(fw, node).uid;

    return o->grafts.n && uid >= o->grafts.v[0].first_uid && uid < o->graft_end;
}

/* Was the operator recorded on the host? Not if it comes from the capture of a graph, or was put
 * around such operators. */
static bool is_recorded(const struct az_framework *fw, uint32_t node)
{
    const struct az_calltree *c = fw->tree;
    const uint64_t put_in = fw->ops->ops.n - fw->ops->first_made; /* numbered last */
    const bool made = az_framework_node(fw, node).uid + put_in >= fw->ops->n_events;
    const uint32_t below = c->pre[node] < c->last[node] ? c->by_pre[c->pre[node] + 1] : node;

    return !is_graft(fw, node) && !(made && is_graft(fw, below));
}

/* Ticks of the host events of one group. Returns how many rows it has; out->n: those recorded. */
static size_t host_stats(const struct work *w, struct az_groups *g, size_t group,
                         struct az_stats *out)
{
    size_t n, recorded = 0;
    const uint32_t *item = az_groups_items(g, group, &n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t node = w->u->rows.v[item[i]].node;
        const struct az_event e = az_framework_node(w->fw, node);
        if (is_recorded(w->fw, node))
            g->value[recorded++] = e.end - e.start;
    }
    az_stats_i64(g->value, recorded, out);
    return n;
}

static uint64_t uid_of(const void *ctx, size_t row)
{
    const struct work *w = ctx;
    return uid_of_row(w->u, &w->u->rows.v[row]);
}

/* Equal names, categories, lanes' names and arguments. */
static int key_of(void *ctx, size_t i, uint64_t key[2])
{
    struct work *w = ctx;
    const struct az_unified_row *r = &w->u->rows.v[i];
    const struct az_op_args *a = az_framework_args(w->fw, r->node);
    uint32_t args = a ? (uint32_t)(a - w->fw->ops->args.v) : AZ_NO_ROW;
    const uint32_t lane = w->fw->lane_group[az_framework_node(w->fw, r->node).lane];
    key[0] = (uint64_t)az_unified_group(w->u, r) << 32 | args;
    key[1] =
        (uint64_t)lane << 32 | (uint64_t)az_framework_recompute(w->fw, r->node) << 16 | r->category;
    if (by_module(w)) {
        const struct az_sv module = az_framework_parent_module(&w->scratch, w->fw, r->node);
        const uint64_t parts[] = { key[1], az_hash(module.p, module.n) };
        key[1] = az_hash(parts, sizeof parts);
    }
    return 1;
}

#define ROUNDED ", rounded as in TraceLens"

struct unified_row {
    struct az_sv module, entry_point, call_stack;
    int64_t uid, count;
    /* us: sum, mean, std of the host and mean, std, sum of kernels; then median, min, max */
    double host[6], kernel[6];
    bool model;
};
static bool with_stack(const void *opts)
{
    return ((const struct az_options *)opts)->include_call_stack;
}
AZ_TEXT_OF_RECORD(has_model, struct unified_row, r->model ? AZ_SV("True") : AZ_SV("False"))

#define ROW struct unified_row
#define HOST(name, i)                                                                              \
    {                                                                                              \
        name, AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, host[i])                               \
    }
#define DURATION(name, values, i)                                                                  \
    {                                                                                              \
        name, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL, AZ_FIELD(ROW, values[i])           \
    }
static const struct az_record_column module_column[] = {
    { "parent_module", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, module) },
};
static const struct az_record_column host_columns[] = {
    { "ex_UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(ROW, uid), .sort = 2 },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    HOST("total_duration_us", 0),
    HOST("mean_duration_us", 1),
    HOST("std_duration_us", 2),
    DURATION("Kernel Time (µs)_mean", kernel, 0),
    DURATION("Kernel Time (µs)_std", kernel, 1),
};
static const struct az_record_column sum_column[] = {
    { "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, kernel[2]),
      .sort = -1 },
};
static const struct az_record_column more_columns[] = {
    DURATION("duration_us_median", host, 3),
    DURATION("duration_us_min", host, 4),
    DURATION("duration_us_max", host, 5),
    DURATION("Kernel Time (µs)_median", kernel, 3),
    DURATION("Kernel Time (µs)_min", kernel, 4),
    DURATION("Kernel Time (µs)_max", kernel, 5),
    { "kernel_details_summary", AZ_TEXT, .flags = AZ_DETAIL },
    { "trunc_kernel_details", AZ_TEXT, .flags = AZ_DETAIL },
};
static const struct az_record_column last_columns[] = {
    { "has_perf_model", AZ_TEXT, .flags = AZ_DETAIL, .text = has_model },
    { "entry_point", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, entry_point), .when = with_stack },
    { "call_stack_full", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, call_stack),
      .when = with_stack },
};

static struct az_table *open_table(void *ctx, const struct az_op_groups *x)
{
    static const char *const id[] = { "unified_perf_summary", "unified_perf_summary_kl_overlap" };
    static const char *const title[2][2] = {
        { "Kernel time by operation", "Kernel time by operation" ROUNDED },
        { "Kernel time by operation, overlap", "Kernel time by operation, overlap" ROUNDED }
    };
    const struct work *w = ctx;
    const bool split = x->overlap != NULL;
    struct az_table *t = az_framework_key_table(
        w->job->arena, id[split], title[split][rounds_times(w)], split ? 0 : AZ_TABLE_SUMMARY);
    if (!t)
        return NULL;
    az_op_overlap_column(x, t);
    if (by_module(w))
        AZ_RECORD_COLUMNS(t, module_column);
    az_framework_recompute_column(w->fw, t);
    AZ_RECORD_COLUMNS(t, host_columns);
    AZ_RECORD_COLUMNS(t, sum_column);
    if (w->more && !split)
        az_record_columns(t, w->more->columns, w->more->n_columns);
    AZ_RECORD_COLUMNS(t, more_columns);
    if (split)
        az_framework_overlap_columns(t);
    az_framework_metric_columns(w->metrics, t);
    AZ_RECORD_COLUMNS_OF(t, last_columns, w->fw->opts);
    az_framework_share_columns(t);
    return t;
}

/* What unified_row has of host events and of kernels; NaN where no value is known. */
static void scale_times(double to[6], const double first[3], const struct az_stats *s, double scale,
                        bool known)
{
    const double v[] = { first[0], first[1], first[2], s->median, (double)s->min, (double)s->max };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        to[i] = known ? v[i] / scale : NAN;
}

/* Cells of the columns of another analysis. */
static int put_more(struct work *w, struct az_op_groups *x, size_t group, double kernel_us)
{
    size_t n;
    const uint32_t *item = az_groups_items(&x->g, group, &n);
    struct az_gpu_run *runs = az_mem_alloc(w->job->mem, n * sizeof *runs);
    if (!runs)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < n; i++)
        runs[i] = own_of(w, item[i]);
    const int rc = w->more->put(w->more->ctx, x->t, runs, n, kernel_us);
    az_mem_free(w->job->mem, runs, n * sizeof *runs);
    return rc;
}

/* Returns the sum of kernel times in us. */
static double find_times(struct work *w, struct az_op_groups *x, size_t group,
                         struct unified_row *r)
{
    struct az_stats s, d; /* of the host events, of device time */
    r->count = (int64_t)host_stats(w, &x->g, group, &s);
    if (w->shown)
        az_groups_stats(&x->g, group, w->shown, &d);
    else
        az_stats_i64(x->g.value, take_times(w, &x->g, group), &d);
    const double sum = (double)d.sum;
    scale_times(r->host, (double[]){ (double)s.sum, s.mean, s.std }, &s,
                1e3 * (double)w->fw->trace->ticks_per_ns, s.n > 0);
    scale_times(r->kernel, (double[]){ d.mean, d.std, sum }, &d, w->shown_us, true);
    return sum / w->shown_us;
}

struct members { /* of a group */
    struct work *w;
    const uint32_t *row;
};

static int estimate(void *ctx, size_t i, struct az_framework_estimate *e)
{
    const struct members *x = ctx;
    return az_unified_estimate(x->w->metrics, x->w->u, x->row[i], e);
}

static int key_of_estimate(void *ctx, size_t i, uint64_t *key)
{
    const struct members *x = ctx;
    return az_unified_key(&x->w->keys, x->row[i], key);
}

static int put_estimate(struct work *w, struct az_op_groups *x, size_t group)
{
    struct az_framework_figures f;
    const size_t n = take_times(w, &x->g, group);
    struct members m = { w, x->g.item + x->g.first[group] };
    const int rc = az_framework_figures(
        w->metrics, &(struct az_framework_members){ estimate, key_of_estimate, &m }, x->g.value, n,
        &f);
    if (rc == 0)
        az_framework_put_metrics(x->t, &f);
    return rc;
}

static int put_row(void *ctx, struct az_op_groups *x, size_t group)
{
    struct work *w = ctx;
    struct az_table *t = x->t;
    const struct az_unified_row *r = &w->u->rows.v[az_groups_first(&x->g, group)];
    struct unified_row c = { .uid = (int64_t)uid_of_row(w->u, r), .model = r->model };
    const double kernel_us = find_times(w, x, group, &c);
    if (by_module(w))
        c.module = az_framework_parent_module(w->job->arena, w->fw, r->node);
    if (w->fw->opts->include_call_stack) {
        c.entry_point = az_framework_entry_point(w->fw, r->node);
        c.call_stack = az_framework_call_stack(w->job, w->fw, r->node, az_unified_gpu(r));
    }
    az_framework_put_keys(w->fw, t, az_unified_name(w->u, r), az_unified_category(w->u, r),
                          r->node);
    az_op_put_overlap(x, group);
    AZ_PUT_COLUMNS(t, module_column, &c);
    az_framework_put_recompute(w->fw, t, az_framework_recompute(w->fw, r->node));
    AZ_PUT_COLUMNS(t, host_columns, &c);
    AZ_PUT_COLUMNS(t, sum_column, &c);
    int rc = w->more && !x->overlap ? put_more(w, x, group, kernel_us) : 0;
    AZ_PUT_COLUMNS(t, more_columns, &c);
    if (rc == 0)
        rc = az_op_put_details(x, group);
    if (rc == 0)
        rc = put_estimate(w, x, group);
    AZ_PUT_COLUMNS(t, last_columns, &c);
    az_framework_put_share(t);
    return rc;
}

int az_unified_tables(struct az_job *job, struct az_framework *fw, const struct az_unified *u,
                      const struct az_unified_more *more)
{
    const struct az_op_kind kind = { key_of,
                                     own_of,
                                     uid_of,
                                     open_table,
                                     put_row,
                                     &sum_column[0],
                                     "topk_roofline_ops",
                                     fw->opts->topk_roofline_ops };
    struct work w = { .job = job, .fw = fw, .u = u, .more = more };
    int rc;
    az_arena_init(&w.scratch, job->mem);
    w.metrics = az_framework_metrics_get(job, fw, &rc);
    if (rc == 0)
        rc = az_unified_keys_get(&w.keys, w.metrics, u);
    if (rc == 0)
        rc = prepare(&w);
    if (rc == 0)
        rc = az_op_tables(&(struct az_op_groups){
            .job = job, .fw = fw, .kind = &kind, .ctx = &w, .n = u->rows.n, .time = w.kernel });
    az_arena_release(&w.scratch);
    return rc;
}
