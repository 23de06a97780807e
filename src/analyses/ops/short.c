/* The study of short kernels (docs/formulas-pytorch.md 10.2). */
#include "analyses/short.h"
#include "analyses/list.h"
#include "analyses/ops/kernels.h"
#include "facts/shared.h"

#include <math.h>

/* Groups short kernels by (owner, its dims, strides, concrete inputs, kernel name); kernels without an owner keep empty
 * keys. */
static int group_short(struct az_job *job, struct az_fw_kernels *k, int64_t limit, uint32_t *of,
                       struct az_vec_u32 *first)
{
    const struct az_fw *fw = k->fw;
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 256);
    for (uint32_t i = 0; rc == 0 && i < k->ev->n; i++) {
        of[i] = AZ_NO_ID;
        if (k->length[i] >= limit)
            continue;
        uint32_t call, op = az_fw_kernel_owner(k, i, &call), *at;
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

static void put_short_keys(struct az_fw_kernels *k, struct az_table *t, uint32_t kernel)
{
    const struct az_fw *fw = k->fw;
    uint32_t call, op = az_fw_kernel_owner(k, kernel, &call);
    if (fw->ops->has_ops) {
        const struct az_op_args *a = op == AZ_NO_ROW ? NULL : az_fw_args(fw, op);
        az_put_given(t, op == AZ_NO_ROW ? AZ_SV("") : az_node_name(fw->tree, op));
        az_put_given(t, a ? az_fw_text(fw, a->dims, "") : AZ_SV(""));
        az_put_given(t, a ? az_fw_text(fw, a->strides, "") : AZ_SV(""));
        az_put_given(t, a ? az_fw_text(fw, a->concrete, "") : AZ_SV(""));
    }
    az_put_text(t, az_fw_text(fw, k->ev->name[kernel], ""));
}

static void short_columns(struct az_fw_kernels *k, struct az_table *t)
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
    az_table_column(t, "Short Kernel duration (µs) mean", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "Short Kernel duration (µs) percent of total time", AZ_REAL, AZ_UNIT_PERCENT,
                    AZ_SHARE | AZ_DETAIL);
}

static int short_rows(struct az_job *job, struct az_fw_kernels *k, struct az_table *t, int64_t limit)
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

static int short_table(struct az_job *job, struct az_fw_kernels *k, int64_t limit)
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
    if (rc == 0)
        az_fw_keep(job, t, job->opts->topk_short_kernels, "topk_short_kernels");
    return az_fw_emit(job, t, rc);
}

static int run(struct az_job *job)
{
    struct az_fw_kernels k = { 0 };
    if (!job->opts->short_kernel_study)
        return 0;
    int rc = az_fw_kernels_get(&k, job);
    if (rc == 0)
        rc = az_short_histogram(job, "short_kernels_histogram", k.length, k.ev->n, k.fw->trace->ticks_per_ns);
    if (rc == 0)
        rc = short_table(job, &k, az_short_limit(job, k.fw->trace->ticks_per_ns));
    if (rc)
        return rc;
    return az_job_chart(job, AZ_CHART_COLUMN, "short_kernels_histogram", "Short kernels (duration in µs)", "bin_start",
                        (const char *const[]){ "count", NULL }, "kernels");
}

const struct az_analysis az_analysis_fw_short = {
    .name = "short_kernels",
    .help = "kernels below short_kernel_threshold_us: histogram and table (short_kernel_study)",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
