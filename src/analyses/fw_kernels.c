/* kernel_summary and the study of short kernels (spec: PyTorch-profiler report, 10.1, 10.2). */
#include "analyses/fw.h"
#include "analyses/groups.h"
#include "analyses/list.h"
#include "base/num.h"

struct kernels {
    struct az_fw *fw;
    const struct az_events *ev; /* AZ_KERNEL */
    uint32_t *gpu;              /* kernel row -> gpu number */
    int64_t *length;            /* kernel row -> ticks */
};

static int prepare(struct az_job *job, struct kernels *k)
{
    int rc;
    k->fw = az_fw_get(job, &rc);
    if (!k->fw)
        return rc;
    k->ev = &k->fw->trace->ev[AZ_KERNEL];
    k->gpu = az_arena_array(job->arena, k->ev->n + 1, sizeof *k->gpu);
    k->length = az_arena_array(job->arena, k->ev->n + 1, sizeof *k->length);
    if (!k->gpu || !k->length)
        return az_arena_error(job->arena);
    for (uint32_t g = 0; g < k->fw->tree->n_gpu; g++)
        if (k->fw->tree->gpu_kind[g] == AZ_KERNEL)
            k->gpu[k->fw->tree->gpu_row[g]] = g;
    for (size_t i = 0; i < k->ev->n; i++)
        k->length[i] = k->ev->end[i] - k->ev->start[i];
    return 0;
}

/* Category of the owner: of its own launch if it is a launcher, else by name alone; `graph` or `runtime` for a call
 * without an operator above it; empty for a kernel whose launch is not in the trace. */
static struct az_sv owner_category(const struct az_fw *fw, uint32_t call, uint32_t op)
{
    if (call == AZ_NO_ROW)
        return AZ_SV("");
    if (op != AZ_NO_ROW) {
        uint32_t l = az_fw_launcher_of(fw, op);
        return l != AZ_NO_ROW ? az_fw_category(fw, l) : az_fw_categorise(fw, az_node_name(fw->tree, op), AZ_SV(""));
    }
    struct az_sv name = az_node_name(fw->tree, call);
    bool graph = az_sv_ifind(name, AZ_SV("cudagraph")) >= 0 || az_sv_ifind(name, AZ_SV("graphlaunch")) >= 0;
    return graph ? AZ_SV("graph") : AZ_SV("runtime");
}

struct kernel_group {
    struct az_sv category, op;
    uint32_t kernel; /* name id */
    int64_t stream;
};
AZ_VEC(struct kernel_group, kernel_groups);

/* Groups kernels by (category of the owner, owner, name, stream). The category is a text decided per owner node: it
 * enters the key by its hash. */
static int group_kernels(struct az_job *job, struct kernels *k, uint32_t *of, struct kernel_groups *groups)
{
    const struct az_fw *fw = k->fw;
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 256);
    for (size_t i = 0; rc == 0 && i < k->ev->n; i++) {
        uint32_t call = fw->tree->gpu_call[k->gpu[i]], op = call == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(fw->tree, call),
                 *at;
        struct kernel_group g = { .category = owner_category(fw, call, op),
                                  .kernel = k->ev->name[i],
                                  .stream = az_lane_stream(fw->trace, k->ev->lane[i]) };
        uint32_t owner_name = AZ_NO_ID;
        bool added;
        if (call != AZ_NO_ROW) {
            owner_name = az_fw_node(fw, op != AZ_NO_ROW ? op : call).name;
            g.op = fw->ops->has_ops ? az_trace_text(fw->trace, owner_name) : AZ_SV("");
        }
        if (!fw->ops->has_ops)
            owner_name = AZ_NO_ID;
        uint64_t k1 = (az_hash(g.category.p, g.category.n) & 0xffffffff) << 32 | (uint32_t)g.stream;
        rc = az_map_put(&map, (uint64_t)owner_name << 32 | g.kernel, k1, (uint32_t)groups->n, &at, &added);
        if (rc == 0)
            of[i] = *at;
        if (rc == 0 && added)
            rc = az_vec_push(groups, g);
    }
    az_map_release(&map);
    return rc;
}

static void put_or_empty(struct az_table *t, struct az_sv s)
{
    if (s.n)
        az_put_text(t, s);
    else
        az_put_empty(t);
}

static int summary_rows(struct az_job *job, struct kernels *k, struct az_table *t, struct kernel_groups *groups)
{
    struct az_groups g;
    uint32_t *of = az_arena_array(job->arena, k->ev->n + 1, sizeof *of);
    if (!of)
        return az_arena_error(job->arena);
    int rc = group_kernels(job, k, of, groups);
    if (rc)
        return rc;
    rc = az_groups_make(&g, of, k->ev->n, groups->n, job->mem);
    double us = 1e3 * (double)k->fw->trace->ticks_per_ns;
    for (size_t i = 0; rc == 0 && i < groups->n; i++) {
        struct az_stats s;
        az_stats_i64(g.value, az_groups_take(&g, i, k->length), &s);
        put_or_empty(t, groups->v[i].category);
        if (k->fw->ops->has_ops)
            put_or_empty(t, groups->v[i].op);
        az_put_text(t, az_fw_text(k->fw, groups->v[i].kernel, ""));
        az_put_text(t, az_fw_kernel_class(k->fw, groups->v[i].kernel));
        az_put_i64(t, groups->v[i].stream);
        az_put_f64(t, (double)s.sum / us);
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, s.mean / us);
        az_put_f64(t, (double)s.min / us);
        az_put_f64(t, (double)s.max / us);
        az_put_f64(t, k->fw->kernels ? (double)s.sum / (double)k->fw->kernels * 100.0 : 0.0);
        if (k->fw->total)
            az_put_f64(t, (double)s.sum / (double)k->fw->total * 100.0);
        else
            az_put_empty(t);
    }
    az_groups_release(&g);
    return rc;
}

static int kernel_summary(struct az_job *job, struct kernels *k)
{
    struct az_table *t = az_table_new(job->arena, "kernel_summary", "Kernels by launching operation", AZ_TABLE_SUMMARY);
    struct kernel_groups groups;
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&groups, job->mem);
    az_table_column(t, "Parent op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (k->fw->ops->has_ops)
        az_table_column(t, "Parent cpu_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kernel class", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Kernel stream", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Kernel duration (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Kernel duration (µs)_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Kernel duration (µs)_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Kernel duration (µs)_min", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Kernel duration (µs)_max", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Percent of kernels time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Percent of total time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    int rc = summary_rows(job, k, t, &groups);
    int sum = (int)az_table_find(t, "Kernel duration (µs)_sum"), stream = (int)az_table_find(t, "Kernel stream");
    int name = (int)az_table_find(t, "Kernel name");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), 0, 1, AZ_UP(name), AZ_UP(stream) }, 5);
    az_vec_release(&groups);
    return az_fw_emit(job, t, rc);
}

static int run_kernels(struct az_job *job)
{
    struct kernels k = { 0 };
    if (!job->opts->enable_kernel_summary)
        return 0;
    int rc = prepare(job, &k);
    return rc ? rc : kernel_summary(job, &k);
}

/* ---- short kernels ---- */
static int64_t threshold_ticks(const struct az_job *job)
{
    return (int64_t)(job->opts->short_kernel_us * 1e3 * (double)job->traces[0]->ticks_per_ns);
}

/* Equal bins over [min, max]: bin = floor((x - min) * bins / (max - min)) in integers, the last one closed. */
static int histogram(struct az_job *job, struct kernels *k, int64_t limit)
{
    int64_t bins = job->opts->short_kernel_histogram_bins, lo = INT64_MAX, hi = INT64_MIN;
    struct az_table *t =
        az_table_new(job->arena, "short_kernels_histogram", "Durations of short kernels (µs)", AZ_TABLE_KEEP_EMPTY);
    int64_t *count = az_arena_array(job->arena, (size_t)bins, sizeof *count);
    if (!t || !count)
        return az_arena_error(job->arena);
    az_table_column(t, "bin_start", AZ_REAL, AZ_UNIT_US, AZ_KEY);
    az_table_column(t, "bin_end", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, AZ_SHARE);
    for (size_t i = 0; i < k->ev->n; i++) {
        if (k->length[i] >= limit)
            continue;
        lo = k->length[i] < lo ? k->length[i] : lo;
        hi = k->length[i] > hi ? k->length[i] : hi;
    }
    if (hi < lo)
        return az_fw_emit(job, t, 0);
    double us = 1e3 * (double)k->fw->trace->ticks_per_ns;
    double from = (double)lo / us - (hi == lo ? 0.5 : 0),
           width = (hi == lo ? 1.0 : (double)(hi - lo) / us) / (double)bins;
    for (size_t i = 0; i < k->ev->n; i++) {
        if (k->length[i] >= limit)
            continue;
        int64_t b = hi == lo ? bins / 2 : az_muldiv(k->length[i] - lo, bins, hi - lo);
        count[b < bins ? b : bins - 1]++;
    }
    for (int64_t b = 0; b < bins; b++) {
        az_put_f64(t, from + width * (double)b);
        az_put_f64(t, from + width * (double)(b + 1));
        az_put_i64(t, count[b]);
    }
    return az_fw_emit(job, t, 0);
}

/* Groups short kernels by (owner, its dims, strides, concrete inputs, kernel name); kernels without an owner keep empty
 * keys. */
static int group_short(struct az_job *job, struct kernels *k, int64_t limit, uint32_t *of, struct az_vec_u32 *first)
{
    const struct az_fw *fw = k->fw;
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 256);
    for (uint32_t i = 0; rc == 0 && i < k->ev->n; i++) {
        of[i] = AZ_NO_ID;
        if (k->length[i] >= limit)
            continue;
        uint32_t call = fw->tree->gpu_call[k->gpu[i]], op = call == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(fw->tree, call),
                 *at;
        const struct az_op_args *a = op == AZ_NO_ROW ? NULL : az_fw_args(fw, op);
        uint32_t owner = op == AZ_NO_ROW ? AZ_NO_ID : az_fw_node(fw, op).name;
        bool added;
        uint64_t args[2] = { a ? (uint64_t)a->dims << 32 | a->strides : UINT64_MAX, a ? a->concrete : UINT64_MAX };
        rc = az_map_put(&map, (uint64_t)owner << 32 | k->ev->name[i], az_hash(args, sizeof args), (uint32_t)first->n,
                        &at, &added);
        if (rc == 0)
            of[i] = *at;
        if (rc == 0 && added)
            rc = az_vec_push(first, i);
    }
    az_map_release(&map);
    return rc;
}

static void put_short_keys(struct kernels *k, struct az_table *t, uint32_t kernel)
{
    const struct az_fw *fw = k->fw;
    uint32_t call = fw->tree->gpu_call[k->gpu[kernel]], op = call == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(fw->tree, call);
    if (fw->ops->has_ops) {
        const struct az_op_args *a = op == AZ_NO_ROW ? NULL : az_fw_args(fw, op);
        put_or_empty(t, op == AZ_NO_ROW ? AZ_SV("") : az_node_name(fw->tree, op));
        put_or_empty(t, a ? az_fw_text(fw, a->dims, "") : AZ_SV(""));
        put_or_empty(t, a ? az_fw_text(fw, a->strides, "") : AZ_SV(""));
        put_or_empty(t, a ? az_fw_text(fw, a->concrete, "") : AZ_SV(""));
    }
    az_put_text(t, az_fw_text(fw, k->ev->name[kernel], ""));
}

static void short_columns(struct kernels *k, struct az_table *t)
{
    if (k->fw->ops->has_ops) {
        az_table_column(t, "Parent cpu_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_table_column(t, "Input dims", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
        az_table_column(t, "Input strides", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
        az_table_column(t, "Concrete Inputs", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    }
    az_table_column(t, "Kernel name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Short Kernel duration (µs) sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Short Kernel count", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER);
    az_table_column(t, "Short Kernel duration (µs) mean", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Short Kernel duration (µs) percent of total time", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
}

static int short_rows(struct az_job *job, struct kernels *k, struct az_table *t, int64_t limit)
{
    struct az_groups g = { 0 };
    struct az_vec_u32 first;
    az_vec_init(&first, job->mem);
    uint32_t *of = az_arena_array(job->arena, k->ev->n + 1, sizeof *of);
    int rc = of ? group_short(job, k, limit, of, &first) : az_arena_error(job->arena);
    if (rc == 0)
        rc = az_groups_make(&g, of, k->ev->n, first.n, job->mem);
    double us = 1e3 * (double)k->fw->trace->ticks_per_ns;
    for (size_t i = 0; rc == 0 && i < first.n; i++) {
        struct az_stats s;
        az_stats_i64(g.value, az_groups_take(&g, i, k->length), &s);
        put_short_keys(k, t, first.v[i]);
        az_put_f64(t, (double)s.sum / us);
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, s.mean / us);
        if (k->fw->total)
            az_put_f64(t, (double)s.sum / (double)k->fw->total * 100.0);
        else
            az_put_empty(t);
    }
    az_groups_release(&g);
    az_vec_release(&first);
    return rc;
}

static int short_table(struct az_job *job, struct kernels *k, int64_t limit)
{
    struct az_table *t =
        az_table_new(job->arena, "short_kernels_all_details", "Short kernels", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    if (!t)
        return az_arena_error(job->arena);
    short_columns(k, t);
    int rc = short_rows(job, k, t, limit);
    int sum = (int)az_table_find(t, "Short Kernel duration (µs) sum");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), AZ_UP(sum + 1), AZ_UP(sum + 2) }, 3);
    if (rc == 0 && job->opts->topk_short_kernels != AZ_UNSET_I64)
        az_table_keep(t, (size_t)job->opts->topk_short_kernels);
    return az_fw_emit(job, t, rc);
}

static int run_short(struct az_job *job)
{
    struct kernels k = { 0 };
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = prepare(job, &k);
    if (rc == 0)
        rc = histogram(job, &k, threshold_ticks(job));
    if (rc == 0)
        rc = short_table(job, &k, threshold_ticks(job));
    if (rc)
        return rc;
    struct az_chart c = { .kind = AZ_CHART_COLUMN,
                          .table = AZ_SV("short_kernels_histogram"),
                          .title = AZ_SV("Short kernels"),
                          .x_title = AZ_SV("duration (µs)"),
                          .y_title = AZ_SV("kernels"),
                          .x = AZ_SV("bin_start") };
    az_vec_init(&c.y, job->mem);
    rc = az_vec_push(&c.y, AZ_SV("count"));
    return rc ? rc : az_document_chart(job->doc, c);
}

const struct az_analysis az_analysis_fw_kernels = {
    .name = "kernel_summary",
    .help = "kernels by launching operation, name and stream",
    .needs = AZ_CAP_FRAMEWORK,
    .run = run_kernels,
};

const struct az_analysis az_analysis_fw_short = {
    .name = "short_kernels",
    .help = "kernels below short_kernel_threshold_us: histogram and table (short_kernel_study)",
    .needs = AZ_CAP_FRAMEWORK,
    .run = run_short,
};
