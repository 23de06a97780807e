/* Launchers summed by category and by name (docs/formulas-pytorch.md 5.1, 5.2). By arguments: fw_args.c. */
#include "analyses/list.h"
#include "analyses/ops/args.h"
#include "analyses/ops/group.h"
#include "facts/shared.h"

/* ---- by category ---- */
static void key_category(const struct az_fw *fw, const void *ctx, uint32_t i, uint64_t key[2])
{
    (void)ctx;
    key[0] = fw->category[i];
    key[1] = az_fw_recompute(fw, fw->launchers->rows.v[i].node);
}

static void category_rows(const struct az_fw *fw, const struct az_fw_group *x, struct az_table *t)
{
    az_table_column(t, "op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_fw_recompute_column(fw, t);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_fw_share_columns(t);
    for (size_t g = 0; g < x->n; g++) {
        uint32_t first = az_fw_group_first(x, g);
        az_put_text(t, az_fw_category(fw, first));
        az_fw_put_recompute(fw, t, az_fw_recompute(fw, fw->launchers->rows.v[first].node));
        az_put_i64(t, (int64_t)az_fw_group_count(x, g));
        az_put_f64(t, az_ms(fw->trace, az_fw_group_sum(x, g, x->direct)));
        az_fw_put_share(t);
    }
}

static int by_category(struct az_job *job, const struct az_fw *fw)
{
    struct az_fw_group x;
    struct az_table *t =
        az_table_new(job->arena, "ops_summary_by_category", "Operations by category", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    int rc = az_fw_group_make(&x, job, fw, key_category, NULL);
    if (rc == 0) {
        category_rows(fw, &x, t);
        int ms = (int)az_table_find(t, "total_direct_kernel_time_ms");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(ms), AZ_UP(0) }, 2);
        az_fw_shares(t, ms);
    }
    az_fw_group_release(&x);
    return az_fw_emit(job, t, rc);
}

/* ---- by name ---- */
static void key_name(const struct az_fw *fw, const void *ctx, uint32_t i, uint64_t key[2])
{
    uint32_t node = fw->launchers->rows.v[i].node;
    (void)ctx;
    key[0] = az_fw_node(fw, node).name;
    key[1] = az_fw_recompute(fw, node);
}

/* Sorted distinct categories of a group as a JSON list. */
static struct az_sv category_list(struct az_job *job, const struct az_fw_group *x, size_t g)
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

static void name_rows(struct az_job *job, const struct az_fw *fw, const struct az_fw_group *x, struct az_table *t)
{
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_fw_recompute_column(fw, t);
    az_table_column(t, "total_direct_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL);
    az_table_column(t, "total_subtree_kernel_time_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL);
    az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "total_subtree_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER | AZ_DETAIL);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Categories", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_fw_share_columns(t);
    for (size_t g = 0; g < x->n; g++) {
        uint32_t node = fw->launchers->rows.v[az_fw_group_first(x, g)].node;
        int64_t direct = az_fw_group_sum(x, g, x->direct), subtree = az_fw_group_sum(x, g, x->subtree);
        az_put_text(t, az_node_name(fw->tree, node));
        az_fw_put_recompute(fw, t, az_fw_recompute(fw, node));
        az_put_f64(t, az_us(fw->trace, direct));
        az_put_f64(t, az_us(fw->trace, subtree));
        az_put_f64(t, az_ms(fw->trace, direct));
        az_put_f64(t, az_ms(fw->trace, subtree));
        az_put_i64(t, (int64_t)az_fw_group_count(x, g));
        az_put_text(t, category_list(job, x, g));
        az_fw_put_share(t);
    }
}

static int by_name(struct az_job *job, const struct az_fw *fw)
{
    struct az_fw_group x;
    struct az_table *t = az_table_new(job->arena, "ops_summary", "Operations", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    int rc = az_fw_group_make(&x, job, fw, key_name, NULL);
    if (rc == 0) {
        name_rows(job, fw, &x, t);
        int us = (int)az_table_find(t, "total_direct_kernel_time_sum");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(us), AZ_UP(0) }, 2);
        az_fw_shares(t, us);
    }
    az_fw_group_release(&x);
    return az_fw_emit(job, t, rc);
}

static int run(struct az_job *job)
{
    int rc;
    struct az_fw *fw = az_fw_get(job, &rc);
    if (!fw || fw->launchers->rows.n == 0)
        return rc;
    if (!fw->ops->has_ops) {
        az_cover(job, "operator tables left out", (double)fw->launchers->rows.n, "count",
                 AZ_SV("launches: the trace has no operators (only the device was recorded), see kernel_summary"));
        return 0;
    }
    rc = by_category(job, fw);
    if (rc == 0)
        rc = by_name(job, fw);
    if (rc == 0)
        rc = az_fw_args_tables(job, fw);
    if (rc == 0)
        rc = az_job_chart(job, AZ_CHART_PIE, "ops_summary_by_category", "Kernel time by category", "op category",
                          (const char *const[]){ "total_direct_kernel_time_ms", NULL }, "ms");
    return rc;
}

const struct az_analysis az_analysis_fw_ops = {
    .name = "ops_summary",
    .help = "operations by category, by name, by name and arguments: kernel time they launched",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run,
};
