/* One family table: rows of equal name and parameters. */
#include "analyses/operators/family.h"

#include "analyses/operators/group.h"
#include "analyses/operators/param_columns.h"
#include "document/record.h"

struct work {
    struct az_job *job;
    struct az_framework *fw;
    struct az_framework_metrics *metrics;
    struct az_table *t;
    const struct az_family_sheet *sheet;
    const struct az_family_events *all;
    const uint32_t *item; /* event numbers */
    size_t n;
    struct az_param_columns params;
    int64_t *time;   /* of each event, ticks */
    uint64_t failed; /* events without an estimate */
    const char *why;
};

static const struct az_family_event *event(const struct work *w, size_t i)
{
    return &w->all->v[w->item[i]];
}

static int estimate(struct work *w, size_t i, struct az_framework_estimate *e)
{
    return az_framework_estimate(w->metrics, event(w, i)->node, event(w, i)->backward, e);
}

static struct az_gpu_run own_of(const void *ctx, size_t i) { return az_family_own(event(ctx, i)); }

static uint64_t uid_of(const void *ctx, size_t i)
{
    const struct work *w = ctx;
    return az_framework_node(w->fw, event(w, i)->node).uid;
}

/* Equal names and parameters; without parameters, equal arguments. */
static int key_of(void *ctx, size_t i, uint64_t key[2])
{
    struct work *w = ctx;
    struct az_framework_estimate e;
    const struct az_op_args *a = az_framework_args(w->fw, event(w, i)->node);
    const int rc = estimate(w, i, &e);
    if (rc)
        return rc;
    const bool bad = az_framework_unreadable(&e);
    w->failed += bad;
    w->why = bad && !w->why ? e.why : w->why;
    const uint64_t rest = e.perf->n_params ? 0 : (uint64_t)(a ? a - w->fw->ops->args.v + 1 : 0);
    key[0] = rest << 33 | (uint64_t)az_framework_recompute(w->fw, event(w, i)->node) << 32;
    if (w->fw->opts->group_by_num_kernels)
        key[0] ^= (uint64_t)event(w, i)->n_gpu * 0x9e3779b97f4a7c15u;
    key[0] ^= az_framework_node(w->fw, event(w, i)->node).name;
    key[1] = az_framework_params_hash(&e);
    return 1;
}

/* The parameters that some row has. */
static int note_params(struct work *w, const struct az_groups *g)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < g->groups; k++) {
        struct az_framework_estimate e;
        rc = estimate(w, az_groups_first(g, k), &e);
        for (unsigned p = 0; rc == 0 && p < e.perf->n_params; p++)
            az_param_note(&w->params, &e.perf->param[p]); /* its name and kind */
    }
    return rc;
}

struct family_row {
    struct work *w;
    struct az_sv name;
    int64_t kernels, count, uid;
    struct az_framework_figures f;
    const struct az_lane_names *lane;
    const struct az_op_args *args; /* NULL: none */
    struct az_stats time;          /* ticks */
    double us;                     /* ticks per us */
};
#define ROW                   struct family_row
#define ROW_REAL(name, value) AZ_OF_RECORD(double, name, ROW, value)
#define LANE_NAME(name, field)                                                                     \
    AZ_TEXT_OF_RECORD(name, ROW, az_framework_text(r->w->fw, r->lane->field, "Unknown"))
#define ARGUMENT(name, field)                                                                      \
    AZ_TEXT_OF_RECORD(name, ROW,                                                                   \
                      az_framework_text(r->w->fw, r->args ? r->args->field : AZ_NO_ID, ""))
ROW_REAL(gflops_of, r->f.flops / 1e9)
ROW_REAL(megabytes_of, r->f.bytes / 1048576)
ROW_REAL(time_mean, r->time.mean *(1 / r->us))
ROW_REAL(time_median, r->time.median *(1 / r->us))
ROW_REAL(time_std, r->time.std *(1 / r->us))
ROW_REAL(time_min, (double)r->time.min *(1 / r->us))
ROW_REAL(time_max, (double)r->time.max *(1 / r->us))
ROW_REAL(time_sum, (double)r->time.sum / r->us)
LANE_NAME(process_name, process_name)
LANE_NAME(process_label, process_label)
LANE_NAME(thread_name, thread_name)
ARGUMENT(dims_of, dims)
ARGUMENT(types_of, types)
ARGUMENT(strides_of, strides)
ARGUMENT(concrete_of, concrete)

static bool by_kernels(const void *of)
{
    return ((const struct work *)of)->fw->opts->group_by_num_kernels;
}
static bool has_peaks(const void *of)
{
    return az_framework_peaks(((const struct work *)of)->metrics) != NULL;
}

#define RATE(name, unit, flags, field, factor)                                                     \
    {                                                                                              \
        name, AZ_REAL, unit, AZ_HIGHER_BETTER | (flags), AZ_FIELD(ROW, f.field), .scale = factor   \
    }
#define RATES(name, unit, rates)                                                                   \
    RATE(name "_mean", unit, 0, rates.mean, 1e-12),                                                \
        RATE(name "_median", unit, AZ_DETAIL, rates.median, 1e-12),                                \
        RATE(name "_std", unit, AZ_DETAIL, rates.std, 1e-12),                                      \
        RATE(name "_min", unit, AZ_DETAIL, rates.min, 1e-12),                                      \
        RATE(name "_max", unit, AZ_DETAIL, rates.max, 1e-12)
#define ROOF_SHARE(name, flags, field)                                                             \
    {                                                                                              \
        name, AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER | (flags),                                \
            AZ_FIELD(ROW, f.roof_part.field), .scale = 100, .when = has_peaks                      \
    }
#define TIME(name, flags, of)                                                                      \
    {                                                                                              \
        name, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | (flags), .real = of                           \
    }
static const struct az_record_column name_column[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
};
static const struct az_record_column kernels_column[] = {
    { "num_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_KEY, AZ_FIELD(ROW, kernels), .when = by_kernels },
};
static const struct az_record_column rate_columns[] = {
    { "GFLOPS_first", AZ_REAL, AZ_UNIT_GFLOP, .real = gflops_of },
    { "Data Moved (MB)_first", AZ_REAL, AZ_UNIT_MB, .real = megabytes_of },
    { "FLOPS/Byte_first", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_FIELD(ROW, f.intensity) },
    RATES("TB/s", AZ_UNIT_TBPS, byte_rate),
    RATES("TFLOPS/s", AZ_UNIT_TFLOPS, flop_rate),
    { "process_name_first", AZ_TEXT, .flags = AZ_DETAIL, .text = process_name },
    { "process_label_first", AZ_TEXT, .flags = AZ_DETAIL, .text = process_label },
    { "thread_name_first", AZ_TEXT, .flags = AZ_DETAIL, .text = thread_name },
    { "Compute Spec", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(ROW, f.spec) },
    { "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, f.roof_us),
      .when = has_peaks },
    { "Roofline Bound_first", AZ_TEXT, AZ_KNOWN(ROW, f.bound), .when = has_peaks },
    ROOF_SHARE("Pct Roofline_mean", 0, mean),
    ROOF_SHARE("Pct Roofline_median", AZ_DETAIL, median),
    ROOF_SHARE("Pct Roofline_std", AZ_DETAIL, std),
    ROOF_SHARE("Pct Roofline_min", AZ_DETAIL, min),
    ROOF_SHARE("Pct Roofline_max", AZ_DETAIL, max),
    { "kernel_details__summarize_kernel_stats", AZ_TEXT, .flags = AZ_DETAIL },
    { "trunc_kernel_details", AZ_TEXT, .flags = AZ_DETAIL },
};
static const struct az_record_column last_columns[] = {
    { "Input Dims_first", AZ_TEXT, .flags = AZ_DETAIL, .text = dims_of, .known = true },
    { "Input type_first", AZ_TEXT, .flags = AZ_DETAIL, .text = types_of, .known = true },
    { "Input Strides_first", AZ_TEXT, .flags = AZ_DETAIL, .text = strides_of, .known = true },
    { "Concrete Inputs_first", AZ_TEXT, .flags = AZ_DETAIL, .text = concrete_of, .known = true },
    TIME("Kernel Time (µs)_mean", 0, time_mean),
    TIME("Kernel Time (µs)_median", AZ_DETAIL, time_median),
    TIME("Kernel Time (µs)_std", AZ_DETAIL, time_std),
    TIME("Kernel Time (µs)_min", AZ_DETAIL, time_min),
    TIME("Kernel Time (µs)_max", AZ_DETAIL, time_max),
};
static const struct az_record_column sum_columns[] = {
    { "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, .real = time_sum, .sort = -1 },
    { "name_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    { "UID_first", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(ROW, uid), .sort = 2 },
};

static struct az_table *open_table(void *ctx, const struct az_op_groups *x)
{
    struct work *w = ctx;
    const char *split = x->overlap ? ", kernel overlap" : "";
    struct az_arena *a = w->job->arena;
    const struct az_sv name = w->sheet->name,
                       title = az_arena_printf(a, "%.*s by parameters%s", AZ_SVF(name), split),
                       id = az_arena_printf(a, "%.*s%s", AZ_SVF(name),
                                            x->overlap ? "_kl_overlap" : "");
    struct az_table *t = w->t =
        id.p && title.p ? AZ_RECORD_TABLE(a, id.p, title.p, 0, name_column) : NULL;
    if (!t)
        return NULL;
    t->kind = AZ_SV("families");
    if (!x->overlap && !t->error)
        t->error = note_params(w, &x->g);
    az_param_columns_make(&w->params, t);
    AZ_RECORD_COLUMNS_OF(t, kernels_column, w);
    az_op_overlap_column(x, t);
    az_framework_recompute_column(w->fw, t);
    AZ_RECORD_COLUMNS_OF(t, rate_columns, w);
    if (x->overlap)
        az_framework_overlap_columns(t);
    AZ_RECORD_COLUMNS(t, last_columns);
    AZ_RECORD_COLUMNS(t, sum_columns);
    return t;
}

struct members { /* of a group */
    struct work *w;
    const uint32_t *row;
};

static int member(void *ctx, size_t i, struct az_framework_estimate *e)
{
    const struct members *x = ctx;
    return estimate(x->w, x->row[i], e);
}

static int put_row(void *ctx, struct az_op_groups *g, size_t group)
{
    struct work *w = ctx;
    const uint32_t *row = g->g.item + g->g.first[group];
    size_t n = az_groups_gather(&g->g, group, w->time);
    const struct az_family_event *x = event(w, row[0]);
    const struct az_event node = az_framework_node(w->fw, x->node);
    struct family_row c = { .w = w,
                            .name = az_node_name(w->fw->tree, x->node),
                            .kernels = (int64_t)x->n_gpu,
                            .count = (int64_t)n,
                            .uid = (int64_t)node.uid,
                            .lane = &w->fw->ops->lane_names.v[node.lane],
                            .args = az_framework_args(w->fw, x->node),
                            .us = 1e3 * (double)w->fw->trace->ticks_per_ns };
    struct az_framework_estimate e;
    int rc = estimate(w, row[0], &e); /* its parameters are those of all */
    if (rc == 0)
        rc = az_framework_figures(w->metrics,
                                  &(struct az_framework_members){
                                      .estimate = member, .ctx = &(struct members){ w, row } },
                                  g->g.value, n, &c.f);
    if (rc)
        return rc;
    AZ_PUT_COLUMNS(w->t, name_column, &c);
    struct az_perf_param param[AZ_PERF_PARAMS];
    az_param_put(&w->params, w->t, param, az_framework_params_of(&e, param));
    AZ_PUT_COLUMNS(w->t, kernels_column, &c);
    az_op_put_overlap(g, group);
    az_framework_put_recompute(w->fw, w->t, az_framework_recompute(w->fw, x->node));
    AZ_PUT_COLUMNS(w->t, rate_columns, &c);
    rc = az_op_put_details(g, group);
    az_stats_i64(g->g.value, n, &c.time);
    AZ_PUT_COLUMNS(w->t, last_columns, &c);
    AZ_PUT_COLUMNS(w->t, sum_columns, &c);
    return rc;
}

int az_family_table(struct az_job *job, struct az_framework *fw, struct az_framework_metrics *m,
                    const struct az_family_sheet *s, const struct az_family_events *all,
                    const uint32_t *item, size_t n)
{
    const struct az_op_kind kind = { key_of,
                                     own_of,
                                     uid_of,
                                     open_table,
                                     put_row,
                                     &sum_columns[0],
                                     "topk_roofline_ops",
                                     fw->opts->topk_roofline_ops };
    struct work w = {
        .job = job, .fw = fw, .metrics = m, .sheet = s, .all = all, .item = item, .n = n
    };
    struct az_arena a;
    az_arena_init(&a, job->mem);
    w.time = az_arena_array(&a, n + 1, sizeof *w.time);
    int rc = w.time ? 0 : az_arena_error(&a);
    for (size_t i = 0; rc == 0 && i < n; i++)
        w.time[i] = event(&w, i)->time;
    if (rc == 0)
        rc = az_op_tables(&(struct az_op_groups){
            .job = job, .fw = fw, .kind = &kind, .ctx = &w, .n = n, .time = w.time });
    if (rc == 0 && w.failed)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(fw->trace->path),
                    "%.*s: %llu of %zu operations without an estimate: %s", AZ_SVF(s->name),
                    (unsigned long long)w.failed, n, w.why);
    az_arena_release(&a);
    return rc;
}
