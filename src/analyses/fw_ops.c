/* Launchers summed by category, by name, by name and arguments (spec: PyTorch-profiler report, section 5). */
#include "analyses/fw_details.h"
#include "analyses/groups.h"
#include "analyses/list.h"

/* Launchers in groups: group numbers in order of first appearance (launchers are in order of start). */
struct grouping {
    struct az_fw *fw;
    uint32_t *of; /* launcher -> group */
    uint32_t n;   /* groups */
    struct az_groups g;
    int64_t *direct, *subtree; /* launcher -> ticks */
};

/* Groups by keys k0, k1 of a launcher. */
static int group(struct az_job *job, struct az_fw *fw, struct grouping *x,
                 void (*key)(const struct az_job *, const struct az_fw *, uint32_t, uint64_t *))
{
    struct az_map map;
    size_t n = fw->launchers->rows.n;
    *x = (struct grouping){ .fw = fw };
    x->of = az_arena_array(job->arena, n + 1, sizeof *x->of);
    x->direct = az_arena_array(job->arena, n + 1, sizeof *x->direct);
    x->subtree = az_arena_array(job->arena, n + 1, sizeof *x->subtree);
    if (!x->of || !x->direct || !x->subtree)
        return az_arena_error(job->arena);
    int rc = az_map_init(&map, job->mem, 256);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        uint64_t k[2];
        uint32_t *at;
        bool added;
        key(job, fw, i, k);
        x->direct[i] = fw->launchers->rows.v[i].direct;
        x->subtree[i] = fw->launchers->rows.v[i].subtree;
        rc = az_map_put(&map, k[0], k[1], x->n, &at, &added);
        if (rc == 0) {
            x->of[i] = *at;
            x->n += added;
        }
    }
    az_map_release(&map);
    return rc ? rc : az_groups_make(&x->g, x->of, n, x->n, job->mem);
}

static uint32_t first_of(const struct grouping *x, size_t g) { return x->g.item[x->g.first[g]]; }
static size_t count_of(const struct grouping *x, size_t g) { return x->g.first[g + 1] - x->g.first[g]; }
static int64_t sum_of(const struct grouping *x, size_t g, const int64_t *v)
{
    int64_t sum = 0;
    for (uint32_t i = x->g.first[g]; i < x->g.first[g + 1]; i++)
        sum += v[x->g.item[i]];
    return sum;
}

/* ---- by category ---- */
static void key_category(const struct az_job *job, const struct az_fw *fw, uint32_t i, uint64_t *k)
{
    (void)job;
    k[0] = fw->category[i];
    k[1] = az_fw_launcher_recompute(fw, i);
}

static void put_recompute(const struct az_job *job, const struct az_fw *fw, struct az_table *t, uint32_t launcher)
{
    if (job->opts->detect_recompute)
        az_put_text(t, az_fw_launcher_recompute(fw, launcher) ? AZ_SV("True") : AZ_SV("False"));
}

static void recompute_column(const struct az_job *job, struct az_table *t)
{
    if (job->opts->detect_recompute)
        az_table_column(t, "is_recompute", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
}

static void share_columns(struct az_table *t)
{
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
}

static int by_category(struct az_job *job, struct az_fw *fw)
{
    struct grouping x;
    int rc = group(job, fw, &x, key_category);
    struct az_table *t =
        az_table_new(job->arena, "ops_summary_by_category", "Operations by category", AZ_TABLE_SUMMARY);
    if (rc == 0 && !t)
        rc = az_arena_error(job->arena);
    if (rc == 0) {
        az_table_column(t, "op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        recompute_column(job, t);
        az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
        az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
        share_columns(t);
        for (size_t g = 0; g < x.n; g++) {
            az_put_text(t, az_fw_category(fw, first_of(&x, g)));
            put_recompute(job, fw, t, first_of(&x, g));
            az_put_i64(t, (int64_t)count_of(&x, g));
            az_put_f64(t, az_ms(fw->trace, sum_of(&x, g, x.direct)));
            az_put_empty(t);
            az_put_empty(t);
        }
        int ms = (int)az_table_find(t, "total_direct_kernel_time_ms");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(ms), AZ_UP(0) }, 2);
        az_fw_shares(t, (size_t)ms, (size_t)ms + 1, 0);
    }
    az_groups_release(&x.g);
    return az_fw_emit(job, t, rc);
}

/* ---- by name ---- */
static void key_name(const struct az_job *job, const struct az_fw *fw, uint32_t i, uint64_t *k)
{
    (void)job;
    k[0] = az_fw_node(fw, fw->launchers->rows.v[i].node).name;
    k[1] = az_fw_launcher_recompute(fw, i);
}

/* Sorted distinct categories of a group as a JSON list. */
static struct az_sv category_list(struct az_job *job, const struct grouping *x, size_t g)
{
    struct az_sv text = AZ_SV("[");
    uint64_t seen = 0; /* at most 64 categories */
    for (uint32_t i = x->g.first[g]; i < x->g.first[g + 1]; i++)
        seen |= (uint64_t)1 << x->fw->category[x->g.item[i]];
    while (seen && text.p) {
        uint32_t best = (uint32_t)__builtin_ctzll(seen);
        for (uint32_t c = best + 1; c < x->fw->n_categories; c++)
            if ((seen >> c & 1) && az_sv_cmp(x->fw->category_text[c], x->fw->category_text[best]) < 0)
                best = c;
        seen &= ~((uint64_t)1 << best);
        text = az_arena_printf(job->arena, "%.*s%s\"%.*s\"%s", AZ_SVF(text), text.n > 1 ? "," : "",
                               AZ_SVF(x->fw->category_text[best]), seen ? "" : "]");
    }
    return text;
}

static int by_name(struct az_job *job, struct az_fw *fw)
{
    struct grouping x;
    int rc = group(job, fw, &x, key_name);
    struct az_table *t = az_table_new(job->arena, "ops_summary", "Operations", AZ_TABLE_SUMMARY);
    if (rc == 0 && !t)
        rc = az_arena_error(job->arena);
    if (rc == 0) {
        az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        recompute_column(job, t);
        az_table_column(t, "total_direct_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL);
        az_table_column(t, "total_subtree_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL);
        az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
        az_table_column(t, "total_subtree_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
        az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
        az_table_column(t, "Categories", AZ_TEXT, AZ_UNIT_NONE, 0);
        share_columns(t);
        for (size_t g = 0; g < x.n; g++) {
            int64_t direct = sum_of(&x, g, x.direct), subtree = sum_of(&x, g, x.subtree);
            az_put_text(t, az_node_name(fw->tree, fw->launchers->rows.v[first_of(&x, g)].node));
            put_recompute(job, fw, t, first_of(&x, g));
            az_put_f64(t, az_us(fw->trace, direct));
            az_put_f64(t, az_us(fw->trace, subtree));
            az_put_f64(t, az_ms(fw->trace, direct));
            az_put_f64(t, az_ms(fw->trace, subtree));
            az_put_i64(t, (int64_t)count_of(&x, g));
            az_put_text(t, category_list(job, &x, g));
            az_put_empty(t);
            az_put_empty(t);
        }
        int us = (int)az_table_find(t, "total_direct_kernel_time_sum");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(us), AZ_UP(0) }, 2);
        az_fw_shares(t, (size_t)us, (size_t)az_table_find(t, "Percentage (%)"), 0);
        if (job->opts->topk_ops != AZ_UNSET_I64)
            az_table_keep(t, (size_t)job->opts->topk_ops);
    }
    az_groups_release(&x.g);
    return az_fw_emit(job, t, rc);
}

/* ---- by name and arguments ---- */
/* The triple of lane names as one number: the number of the first lane with equal names. */
static uint32_t lane_group(const struct az_fw *fw, uint32_t lane)
{
    const struct az_lane_names *all = fw->ops->lane_names.v, *n = &all[lane];
    for (uint32_t l = 0; l < lane; l++)
        if (all[l].process_name == n->process_name && all[l].process_label == n->process_label &&
            all[l].thread_name == n->thread_name)
            return l;
    return lane;
}

static void key_args(const struct az_job *job, const struct az_fw *fw, uint32_t i, uint64_t *k)
{
    const struct az_launcher *l = &fw->launchers->rows.v[i];
    struct az_event e = az_fw_node(fw, l->node);
    const struct az_op_args *a = az_fw_args(fw, l->node);
    uint32_t args = a ? (uint32_t)(a - fw->ops->args.v) : AZ_NO_ROW;
    k[0] = (uint64_t)e.name << 32 | args;
    k[1] = (uint64_t)fw->category[i] << 58 | (uint64_t)az_fw_launcher_recompute(fw, i) << 57 |
           (uint64_t)(lane_group(fw, e.lane) & 0x1ffffff) << 32 | (job->opts->group_by_num_kernels ? l->count : 0);
}

static void args_columns(const struct az_job *job, struct az_table *t)
{
    static const char *const key[] = { "name",       "op category", "process_name",  "process_label",  "thread_name",
                                       "Input Dims", "Input type",  "Input Strides", "Concrete Inputs" };
    static const char *const stat[] = { "mean", "median", "std", "min", "max", "sum" };
    for (size_t i = 0; i < 9; i++)
        az_table_column(t, key[i], AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | (i >= 2 ? AZ_DETAIL : 0));
    if (job->opts->group_by_num_kernels)
        az_table_column(t, "num_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    recompute_column(job, t);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
    if (job->opts->include_first_occurrence_time)
        az_table_column(t, "first_occurrence_time", AZ_REAL, AZ_UNIT_US, 0);
    for (size_t i = 0; i < 12; i++) {
        struct az_sv name =
            az_arena_printf(t->arena, "total_%s_kernel_time_%s", i % 2 ? "subtree" : "direct", stat[i / 2]);
        az_table_columnsv(t, name, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | (i == 10 ? 0 : AZ_DETAIL));
    }
    az_table_column(t, "ex_UID", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "kernel_details_summary", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    share_columns(t);
}

static void put_id_text(const struct az_fw *fw, struct az_table *t, uint32_t id)
{
    if (id == AZ_NO_ID)
        az_put_empty(t);
    else
        az_put_text(t, az_trace_text(fw->trace, id));
}

static void put_keys(const struct az_fw *fw, struct az_table *t, uint32_t launcher)
{
    uint32_t node = fw->launchers->rows.v[launcher].node;
    struct az_event e = az_fw_node(fw, node);
    const struct az_lane_names *n = &fw->ops->lane_names.v[e.lane];
    const struct az_op_args *a = az_fw_args(fw, node);
    az_put_text(t, az_node_name(fw->tree, node));
    az_put_text(t, az_fw_category(fw, launcher));
    az_put_text(t, az_fw_text(fw, n->process_name, "Unknown"));
    az_put_text(t, az_fw_text(fw, n->process_label, "Unknown"));
    az_put_text(t, az_fw_text(fw, n->thread_name, "Unknown"));
    put_id_text(fw, t, a ? a->dims : AZ_NO_ID);
    put_id_text(fw, t, a ? a->types : AZ_NO_ID);
    put_id_text(fw, t, a ? a->strides : AZ_NO_ID);
    put_id_text(fw, t, a ? a->concrete : AZ_NO_ID);
}

/* Means and medians of ticks keep their fraction: scaled as doubles. */
static void put_stats(struct grouping *x, struct az_table *t, size_t g)
{
    struct az_stats d, s;
    double k = 1e3 * (double)x->fw->trace->ticks_per_ns;
    az_stats_i64(x->g.value, az_groups_take(&x->g, g, x->direct), &d);
    az_stats_i64(x->g.value, az_groups_take(&x->g, g, x->subtree), &s);
    az_put_f64(t, d.mean / k);
    az_put_f64(t, s.mean / k);
    az_put_f64(t, d.median / k);
    az_put_f64(t, s.median / k);
    az_put_f64(t, d.std / k);
    az_put_f64(t, s.std / k);
    az_put_f64(t, (double)d.min / k);
    az_put_f64(t, (double)s.min / k);
    az_put_f64(t, (double)d.max / k);
    az_put_f64(t, (double)s.max / k);
    az_put_f64(t, (double)d.sum / k);
    az_put_f64(t, (double)s.sum / k);
}

static int put_details(struct az_job *job, struct grouping *x, struct az_fw_details *d, struct az_table *t, size_t g)
{
    size_t n = count_of(x, g);
    struct az_gpu_run *runs = az_mem_alloc(job->mem, (n + 1) * sizeof *runs);
    struct az_sv full, brief;
    if (!runs)
        return az_mem_error(job->mem);
    for (size_t i = 0; i < n; i++) {
        const struct az_launcher *l = &x->fw->launchers->rows.v[x->g.item[x->g.first[g] + i]];
        runs[i] = (struct az_gpu_run){ x->fw->launchers->own.v + l->first, l->count };
    }
    int rc = az_fw_details_make(d, runs, n, &full, &brief);
    az_mem_free(job->mem, runs, (n + 1) * sizeof *runs);
    az_put_text(t, full);
    az_put_text(t, brief);
    return rc;
}

static int args_rows(struct az_job *job, struct grouping *x, struct az_table *t)
{
    struct az_fw_details d;
    int rc = az_fw_details_init(&d, x->fw, job->arena, job->mem);
    int64_t origin = x->n ? az_fw_node(x->fw, x->fw->launchers->rows.v[0].node).start : 0;
    for (size_t g = 0; rc == 0 && g < x->n; g++) {
        uint32_t first = first_of(x, g);
        struct az_event e = az_fw_node(x->fw, x->fw->launchers->rows.v[first].node);
        put_keys(x->fw, t, first);
        if (job->opts->group_by_num_kernels)
            az_put_i64(t, x->fw->launchers->rows.v[first].count);
        put_recompute(job, x->fw, t, first);
        az_put_i64(t, (int64_t)count_of(x, g));
        if (job->opts->include_first_occurrence_time)
            az_put_f64(t, az_us(x->fw->trace, e.start - origin));
        put_stats(x, t, g);
        az_put_i64(t, e.uid);
        rc = put_details(job, x, &d, t, g);
        az_put_empty(t);
        az_put_empty(t);
    }
    az_fw_details_release(&d);
    return rc;
}

static int by_args(struct az_job *job, struct az_fw *fw)
{
    struct grouping x;
    int rc = group(job, fw, &x, key_args);
    struct az_table *t = az_table_new(job->arena, "ops_all", "Operations by arguments", 0);
    if (rc == 0 && !t)
        rc = az_arena_error(job->arena);
    if (rc == 0) {
        args_columns(job, t);
        rc = args_rows(job, &x, t);
    }
    if (rc == 0) {
        int sum = (int)az_table_find(t, "total_direct_kernel_time_sum"), uid = (int)az_table_find(t, "ex_UID");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), AZ_UP(uid) }, 2);
        az_fw_shares(t, (size_t)sum, (size_t)az_table_find(t, "Percentage (%)"), 0);
        if (job->opts->topk_ops != AZ_UNSET_I64)
            az_table_keep(t, (size_t)job->opts->topk_ops);
    }
    az_groups_release(&x.g);
    return az_fw_emit(job, t, rc);
}

static int chart(struct az_job *job)
{
    struct az_chart c = { .kind = AZ_CHART_PIE,
                          .table = AZ_SV("ops_summary_by_category"),
                          .title = AZ_SV("Kernel time by category"),
                          .x = AZ_SV("op category"),
                          .max_rows = 12 };
    az_vec_init(&c.y, job->mem);
    int rc = az_vec_push(&c.y, AZ_SV("total_direct_kernel_time_ms"));
    return rc ? rc : az_document_chart(job->doc, c);
}

static int run(struct az_job *job)
{
    int rc;
    struct az_fw *fw = az_fw_get(job, &rc);
    if (!fw)
        return rc;
    if (fw->launchers->rows.n == 0)
        return 0;
    rc = by_category(job, fw);
    if (rc == 0)
        rc = by_name(job, fw);
    if (rc == 0)
        rc = by_args(job, fw);
    return rc ? rc : chart(job);
}

const struct az_analysis az_analysis_fw_ops = {
    .name = "ops_summary",
    .help = "operations by category, by name, by name and arguments: kernel time they launched",
    .needs = AZ_CAP_FRAMEWORK | AZ_CAP_HOST_OPS,
    .run = run,
};
