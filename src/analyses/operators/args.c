/* Launchers by name, category, lane and arguments (docs/formulas-pytorch.md 5.3), and the same
 * split by what ran at the same time (5.4). */
#include "analyses/operators/args.h"

#include "analyses/operators/group.h"
#include "analyses/operators/stack.h"
#include "document/record.h"

struct work {
    const struct az_framework *fw;
    uint32_t *module; /* launcher -> number of the module around it; NULL: not requested */
    int64_t *direct;  /* launcher -> ticks; only where the companion needs them */
    int64_t origin;   /* start of the first launcher */
};

static int key_args(void *ctx, size_t i, uint64_t key[2])
{
    const struct az_framework *fw = ((const struct work *)ctx)->fw;
    const struct az_launcher *l = &fw->launchers->rows.v[i];
    struct az_event e = az_framework_node(fw, l->node);
    const struct az_op_args *a = az_framework_args(fw, l->node);
    uint32_t args = a ? (uint32_t)(a - fw->ops->args.v) : AZ_NO_ROW;
    const uint32_t *module = ((const struct work *)ctx)->module;
    key[0] = (uint64_t)e.name << 32 | args;
    if (module) /* as another name */
        key[0] ^= (uint64_t)(module[i] + 1) * 0x9e3779b97f4a7c15u;
    key[1] = (uint64_t)fw->category[i] << 58 | (uint64_t)az_framework_recompute(fw, l->node) << 57 |
             (uint64_t)(fw->lane_group[e.lane] & 0x1ffffff) << 32 |
             (fw->opts->group_by_num_kernels ? az_launcher_count(l) : 0);
    return 1;
}

static struct az_gpu_run own_of(const void *ctx, size_t i)
{
    const struct az_launchers *l = ((const struct work *)ctx)->fw->launchers;
    return (struct az_gpu_run){ l->own.v + l->rows.v[i].first, az_launcher_count(&l->rows.v[i]) };
}

static uint64_t uid_of(const void *ctx, size_t i)
{
    const struct az_framework *fw = ((const struct work *)ctx)->fw;
    return az_framework_node(fw, fw->launchers->rows.v[i].node).uid;
}

struct arg_row {
    struct az_sv module, stack;
    int64_t kernels, count, uid;
    double first_us;
    double us[12]; /* mean, median, std, min, max, sum, each of the launcher and of its subtree */
};
static bool by_module(const void *opts)
{
    return ((const struct az_options *)opts)->group_by_parent_module;
}
static bool by_kernels(const void *opts)
{
    return ((const struct az_options *)opts)->group_by_num_kernels;
}
static bool with_first(const void *opts)
{
    return ((const struct az_options *)opts)->include_first_occurrence_time;
}

#define ROW struct arg_row
static const struct az_record_column module_column[] = {
    { "parent_module", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, module), .when = by_module },
};
static const struct az_record_column kernels_column[] = {
    { "num_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_KEY, AZ_FIELD(ROW, kernels), .when = by_kernels },
};
#define STATISTIC(name, i)                                                                         \
    {                                                                                              \
        name, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL, AZ_FIELD(ROW, us[i])               \
    }
static const struct az_record_column stat_columns[] = {
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    { "first_occurrence_time", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, first_us), .when = with_first },
    STATISTIC("total_direct_kernel_time_mean", 0),
    STATISTIC("total_subtree_kernel_time_mean", 1),
    STATISTIC("total_direct_kernel_time_median", 2),
    STATISTIC("total_subtree_kernel_time_median", 3),
    STATISTIC("total_direct_kernel_time_std", 4),
    STATISTIC("total_subtree_kernel_time_std", 5),
    STATISTIC("total_direct_kernel_time_min", 6),
    STATISTIC("total_subtree_kernel_time_min", 7),
    STATISTIC("total_direct_kernel_time_max", 8),
    STATISTIC("total_subtree_kernel_time_max", 9),
};
static const struct az_record_column sum_columns[] = {
    { "total_direct_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, us[10]),
      .sort = -1 },
    STATISTIC("total_subtree_kernel_time_sum", 11),
    { "ex_UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(ROW, uid), .sort = 2 },
    { "call_stack", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, stack), .when = by_module },
    { "kernel_details_summary", AZ_TEXT, .flags = AZ_DETAIL },
    { "trunc_kernel_details", AZ_TEXT, .flags = AZ_DETAIL },
};

static struct az_table *open_table(void *ctx, const struct az_op_groups *x)
{
    const struct az_framework *fw = ((const struct work *)ctx)->fw;
    struct az_table *t = az_framework_key_table(
        x->job->arena, x->overlap ? "ops_all_kl_overlap" : "ops_all",
        x->overlap ? "Operations by arguments, kernel overlap" : "Operations by arguments", 0);
    if (!t)
        return NULL;
    AZ_RECORD_COLUMNS_OF(t, module_column, fw->opts);
    az_op_overlap_column(x, t);
    AZ_RECORD_COLUMNS_OF(t, kernels_column, fw->opts);
    az_framework_recompute_column(fw, t);
    AZ_RECORD_COLUMNS_OF(t, stat_columns, fw->opts);
    AZ_RECORD_COLUMNS_OF(t, sum_columns, fw->opts);
    if (x->overlap)
        az_framework_overlap_columns(t);
    az_framework_share_columns(t);
    return t;
}

/* Means and medians of ticks keep their fraction: scaled as doubles. */
static void find_stats(const struct work *w, struct az_op_groups *x, size_t group, double us[12])
{
    struct az_stats d, s;
    double k = 1e3 * (double)w->fw->trace->ticks_per_ns;
    size_t n;
    const uint32_t *item = az_groups_items(&x->g, group, &n);
    bool same = true; /* nothing is below a launch but its own events */
    for (size_t i = 0; i < n; i++) {
        const struct az_launcher_times t =
            az_launcher_times(w->fw->launchers, w->fw->tree, item[i]);
        x->g.value[i] = t.direct;
        same = same && t.direct == t.subtree;
    }
    az_stats_i64(x->g.value, n, &d);
    for (size_t i = 0; !same && i < n; i++)
        x->g.value[i] = az_launcher_times(w->fw->launchers, w->fw->tree, item[i]).subtree;
    if (same)
        s = d;
    else
        az_stats_i64(x->g.value, n, &s);
    const double v[] = { d.mean,        s.mean,        d.median,      s.median,
                         d.std,         s.std,         (double)d.min, (double)s.min,
                         (double)d.max, (double)s.max, (double)d.sum, (double)s.sum };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        us[i] = v[i] / k;
}

static int put_row(void *ctx, struct az_op_groups *x, size_t group)
{
    const struct work *w = ctx;
    const struct az_framework *fw = w->fw;
    const uint32_t first = az_groups_first(&x->g, group);
    const struct az_launcher *l = &fw->launchers->rows.v[first];
    struct az_event e = az_framework_node(fw, l->node);
    size_t n;
    (void)az_groups_items(&x->g, group, &n);
    struct arg_row r = { .kernels = az_launcher_count(l),
                         .count = (int64_t)n,
                         .uid = (int64_t)e.uid,
                         .first_us = az_us(fw->trace, e.start - w->origin) };
    if (w->module) {
        r.module = az_framework_module_around(x->job->arena, fw, l->node);
        r.stack = az_framework_module_stack(x->job, fw, l->node);
    }
    find_stats(w, x, group, r.us);
    az_framework_put_keys(fw, x->t, az_node_name(fw->tree, l->node),
                          az_framework_category(fw, first), l->node);
    AZ_PUT_COLUMNS(x->t, module_column, &r);
    az_op_put_overlap(x, group);
    AZ_PUT_COLUMNS(x->t, kernels_column, &r);
    az_framework_put_recompute(fw, x->t, az_framework_recompute(fw, l->node));
    az_put_row(x->t, &r);
    const int rc = az_op_put_details(x, group);
    az_framework_put_share(x->t);
    return rc;
}

static int number_modules(struct az_job *job, struct work *w, struct az_arena *a)
{
    const struct az_launchers *l = w->fw->launchers;
    struct az_intern names;
    int rc = 0;
    az_intern_init(&names, a, job->mem);

    w->module = az_arena_array(a, l->rows.n + 1, sizeof *w->module);
    if (!w->module)
        rc = az_arena_error(a);
    for (size_t i = 0; rc == 0 && i < l->rows.n; i++)
        rc = az_intern(&names, az_framework_module_around(a, w->fw, l->rows.v[i].node),
                       &w->module[i]);
    if (rc == 0 && a->failed) /* a name without its text is another group */
        rc = az_arena_error(a);
    az_intern_release(&names);
    return rc;
}

int az_framework_args_tables(struct az_job *job, struct az_framework *fw)
{
    const struct az_op_kind kind = { key_args, own_of,          uid_of,     open_table,
                                     put_row,  &sum_columns[0], "topk_ops", job->opts->topk_ops };
    const size_t n = fw->launchers->rows.n;
    struct az_arena a;
    az_arena_init(&a, job->mem);
    struct work w = { .fw = fw,
                      .origin = az_framework_node(fw, fw->launchers->rows.v[0].node).start };
    int rc = 0;
    if (fw->opts->include_overlap_info) {
        w.direct = az_arena_array(&a, n + 1, sizeof *w.direct);
        rc = w.direct ? 0 : az_arena_error(&a);
        for (size_t i = 0; rc == 0 && i < n; i++)
            w.direct[i] = az_launcher_times(fw->launchers, fw->tree, i).direct;
    }
    if (rc == 0 && fw->opts->group_by_parent_module)
        rc = number_modules(job, &w, &a);
    if (rc == 0)
        rc = az_op_tables(&(struct az_op_groups){
            .job = job, .fw = fw, .kind = &kind, .ctx = &w, .n = n, .time = w.direct });
    az_arena_release(&a);
    return rc;
}
