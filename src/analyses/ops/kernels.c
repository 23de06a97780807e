/* kernel_summary (docs/formulas-pytorch.md 10.1) and the kernels by class. */
#include "analyses/ops/kernels.h"
#include "analyses/list.h"
#include "facts/shared.h"

int az_fw_kernels_get(struct az_fw_kernels *k, struct az_job *job)
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

uint32_t az_fw_kernel_owner(const struct az_fw_kernels *k, size_t kernel, uint32_t *call)
{
    *call = k->fw->tree->gpu_call[k->gpu[kernel]];
    return *call == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(k->fw->tree, *call);
}

struct az_sv az_fw_owner_category(const struct az_fw *fw, uint32_t call, uint32_t op)
{
    if (call == AZ_NO_ROW)
        return AZ_SV("");
    if (op != AZ_NO_ROW)
        return az_fw_op_category(fw, op);
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
static int group_kernels(struct az_job *job, struct az_fw_kernels *k, uint32_t *of, struct kernel_groups *groups)
{
    const struct az_fw *fw = k->fw;
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 256);
    for (size_t i = 0; rc == 0 && i < k->ev->n; i++) {
        uint32_t call, op = az_fw_kernel_owner(k, i, &call), *at;
        struct kernel_group g = { .category = az_fw_owner_category(fw, call, op),
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

static int summary_rows(struct az_job *job, struct az_fw_kernels *k, struct az_table *t, struct kernel_groups *groups)
{
    struct az_groups g = { 0 };
    const size_t bytes = (k->ev->n + 1) * sizeof(uint32_t);
    uint32_t *of = az_mem_alloc(job->mem, bytes);
    if (!of)
        return az_mem_error(job->mem);
    int rc = group_kernels(job, k, of, groups);
    if (rc == 0)
        rc = az_groups_make(&g, of, k->ev->n, groups->n, job->mem);
    az_mem_free(job->mem, of, bytes);
    double us = 1e3 * (double)k->fw->trace->ticks_per_ns;
    for (size_t i = 0; rc == 0 && i < groups->n; i++) {
        struct az_stats s;
        az_stats_i64(g.value, az_groups_take(&g, i, k->length), &s);
        az_put_given(t, groups->v[i].category);
        if (k->fw->ops->has_ops)
            az_put_given(t, groups->v[i].op);
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

static int kernel_summary(struct az_job *job, struct az_fw_kernels *k)
{
    struct az_table *t = az_table_new(job->arena, "kernel_summary", "Kernels by launching operation", AZ_TABLE_SUMMARY);
    struct kernel_groups groups;
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&groups, job->mem);
    az_table_column(t, "Parent op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    if (k->fw->ops->has_ops)
        az_table_column(t, "Parent cpu_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kernel class", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Kernel stream", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Kernel duration (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Kernel duration (µs)_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Kernel duration (µs)_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL);
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

/* Kernel time by class of kernel name: what graph launches hide from the tables of operations. */
static int class_rows(struct az_job *job, struct az_fw_kernels *k, struct az_table *t)
{
    struct az_map map;
    struct az_groups g = { 0 };
    const size_t bytes = (k->ev->n + 1) * sizeof(uint32_t);
    uint32_t *of = az_mem_alloc(job->mem, bytes), groups = 0;
    int rc = of ? az_map_init(&map, job->mem, 64) : az_mem_error(job->mem);
    if (rc) {
        az_mem_free(job->mem, of, bytes);
        return rc;
    }
    for (size_t i = 0; rc == 0 && i < k->ev->n; i++) {
        struct az_sv c = az_fw_kernel_class(k->fw, k->ev->name[i]);
        uint32_t *at;
        bool added;
        rc = az_map_put(&map, az_hash(c.p, c.n), 0, groups, &at, &added);
        if (rc == 0) {
            of[i] = *at;
            groups += added;
        }
    }
    az_map_release(&map);
    if (rc == 0)
        rc = az_groups_make(&g, of, k->ev->n, groups, job->mem);
    az_mem_free(job->mem, of, bytes);
    for (size_t i = 0; rc == 0 && i < groups; i++) {
        struct az_stats s;
        az_stats_i64(g.value, az_groups_take(&g, i, k->length), &s);
        az_put_text(t, az_fw_kernel_class(k->fw, k->ev->name[g.item[g.first[i]]]));
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, az_ms(k->fw->trace, s.sum));
        az_fw_put_share(t);
    }
    az_groups_release(&g);
    return rc;
}

static int class_summary(struct az_job *job, struct az_fw_kernels *k)
{
    struct az_table *t =
        az_table_new(job->arena, "kernel_class_summary", "Kernels by class of their names", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    az_table_column(t, "kernel class", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Kernel duration (ms)_sum", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_fw_share_columns(t);
    int rc = class_rows(job, k, t);
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ AZ_DOWN(2), AZ_UP(0) }, 2);
    if (rc == 0)
        az_fw_shares(t, 2);
    rc = az_fw_emit(job, t, rc);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_PIE, "kernel_class_summary", "Kernel time by class", "kernel class",
                             (const char *const[]){ "Kernel duration (ms)_sum", NULL }, "ms");
}

static int run(struct az_job *job)
{
    struct az_fw_kernels k = { 0 };
    if (!job->opts->enable_kernel_summary)
        return 0;
    int rc = az_fw_kernels_get(&k, job);
    if (rc == 0)
        rc = class_summary(job, &k);
    return rc ? rc : kernel_summary(job, &k);
}

const struct az_analysis az_analysis_fw_kernels = {
    .name = "kernel_summary",
    .help = "kernels by class, and by launching operation, name and stream",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
