/* Launchers by name, category, lane and arguments (docs/formulas-pytorch.md 5.3), and the same
 * split by what ran at the same time (5.4). */
#include "analyses/ops/args.h"

#include "analyses/ops/group.h"
#include "analyses/ops/overlap.h"

static void key_args(const struct az_fw *fw, const void *ctx, uint32_t i, uint64_t key[2])
{
    const struct az_launcher *l = &fw->launchers->rows.v[i];
    struct az_event e = az_fw_node(fw, l->node);
    const struct az_op_args *a = az_fw_args(fw, l->node);
    uint32_t args = a ? (uint32_t)(a - fw->ops->args.v) : AZ_NO_ROW;
    (void)ctx;
    key[0] = (uint64_t)e.name << 32 | args;
    key[1] = (uint64_t)fw->category[i] << 58 | (uint64_t)az_fw_recompute(fw, l->node) << 57 |
             (uint64_t)(fw->lane_group[e.lane] & 0x1ffffff) << 32 |
             (fw->opts->group_by_num_kernels ? l->count : 0);
}

struct split {
    const struct az_fw_group *base;
    const struct az_overlap_ops *o;
};

static void key_split(const struct az_fw *fw, const void *ctx, uint32_t i, uint64_t key[2])
{
    const struct split *s = ctx;
    (void)fw;
    key[0] = s->base->of[i];
    key[1] = s->o->names[i];
}

static void columns(const struct az_fw *fw, struct az_table *t, bool overlap)
{
    static const char *const stat[] = { "mean", "median", "std", "min", "max", "sum" };
    az_fw_key_columns(t);
    if (overlap)
        az_table_column(t, "overlapping_kernel_names", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (fw->opts->group_by_num_kernels)
        az_table_column(t, "num_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    az_fw_recompute_column(fw, t);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
    if (fw->opts->include_first_occurrence_time)
        az_table_column(t, "first_occurrence_time", AZ_REAL, AZ_UNIT_US, 0);
    for (size_t i = 0; i < 12; i++) {
        struct az_sv name = az_arena_printf(t->arena, "total_%s_kernel_time_%s",
                                            i % 2 ? "subtree" : "direct", stat[i / 2]);
        az_table_columnsv(t, name, AZ_REAL, AZ_UNIT_US,
                          AZ_LOWER_BETTER | (i == 10 ? 0 : AZ_DETAIL));
    }
    az_table_column(t, "ex_UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "kernel_details_summary", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (overlap)
        az_fw_overlap_columns(t);
    az_fw_share_columns(t);
}

/* Means and medians of ticks keep their fraction: scaled as doubles. */
static void put_stats(struct az_fw_group *x, struct az_table *t, size_t g)
{
    struct az_stats d, s;
    double k = 1e3 * (double)x->fw->trace->ticks_per_ns;
    az_stats_i64(x->g.value, az_groups_take(&x->g, g, x->direct), &d);
    az_stats_i64(x->g.value, az_groups_take(&x->g, g, x->subtree), &s);
    const double v[] = { d.mean,        s.mean,        d.median,      s.median,
                         d.std,         s.std,         (double)d.min, (double)s.min,
                         (double)d.max, (double)s.max, (double)d.sum, (double)s.sum };
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        az_put_f64(t, v[i] / k);
}

static int put_details(struct az_job *job, struct az_fw_group *x, struct az_fw_details *d,
                       struct az_table *t, size_t g)
{
    size_t n = az_fw_group_count(x, g);
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

struct rows {
    struct az_job *job;
    struct az_fw_group *x;
    struct az_overlap_ops *overlap; /* NULL: the plain table */
    struct az_fw_details details;
    struct az_table *t;
    int64_t origin; /* start of the first launcher */
};

static int put_row(struct rows *r, size_t g)
{
    const struct az_fw *fw = r->x->fw;
    uint32_t first = az_fw_group_first(r->x, g);
    const struct az_launcher *l = &fw->launchers->rows.v[first];
    struct az_event e = az_fw_node(fw, l->node);
    az_fw_put_keys(fw, r->t, az_node_name(fw->tree, l->node), az_fw_category(fw, first), l->node);
    if (r->overlap)
        az_put_given(r->t, az_overlap_text(r->overlap, first));
    if (fw->opts->group_by_num_kernels)
        az_put_i64(r->t, l->count);
    az_fw_put_recompute(fw, r->t, az_fw_recompute(fw, l->node));
    az_put_i64(r->t, (int64_t)az_fw_group_count(r->x, g));
    if (fw->opts->include_first_occurrence_time)
        az_put_f64(r->t, az_us(fw->trace, e.start - r->origin));
    put_stats(r->x, r->t, g);
    az_put_i64(r->t, e.uid);
    int rc = put_details(r->job, r->x, &r->details, r->t, g);
    if (rc == 0 && r->overlap)
        rc = az_fw_put_overlap(r->overlap, r->t, r->x->g.item + r->x->g.first[g],
                               az_fw_group_count(r->x, g), &r->details);
    az_fw_put_share(r->t);
    return rc;
}

/* The groups in the order of the overlap table. */
static int put_in_order(struct rows *r, const struct az_fw_group *base)
{
    const struct az_fw *fw = r->x->fw;
    struct az_overlap_row *row = az_arena_array(r->job->arena, r->x->n + (size_t)1, sizeof *row);
    if (!row)
        return az_arena_error(r->job->arena);
    for (uint32_t g = 0; g < r->x->n; g++) {
        uint32_t first = az_fw_group_first(r->x, g);
        row[g] =
            (struct az_overlap_row){ .row = g,
                                     .base = base->of[first],
                                     .time = az_fw_group_sum(r->x, g, r->x->direct),
                                     .uid = az_fw_node(fw, fw->launchers->rows.v[first].node).uid };
    }
    int rc = az_fw_overlap_order(row, r->x->n, base->n, r->job->mem);
    for (uint32_t g = 0; rc == 0 && g < r->x->n; g++)
        rc = put_row(r, row[g].row);
    return rc;
}

/* The table of the groups x; base and overlap: NULL for the plain one. */
static int table(struct az_job *job, const char *id, const char *title, struct az_fw_group *x,
                 const struct az_fw_group *base, struct az_overlap_ops *overlap)
{
    const struct az_fw *fw = x->fw;
    struct rows r = {
        .job = job, .x = x, .overlap = overlap, .t = az_table_new(job->arena, id, title, 0)
    };
    if (!r.t)
        return az_arena_error(job->arena);
    columns(fw, r.t, overlap);
    r.origin = az_fw_node(fw, fw->launchers->rows.v[0].node).start;
    int sum = (int)az_table_find(r.t, "total_direct_kernel_time_sum"),
        uid = (int)az_table_find(r.t, "ex_UID");
    int rc = az_fw_details_init(&r.details, fw, job->arena, job->mem);
    if (rc == 0 && overlap)
        rc = put_in_order(&r, base);
    for (size_t g = 0; rc == 0 && !overlap && g < x->n; g++)
        rc = put_row(&r, g);
    if (rc == 0 && !overlap)
        rc = az_table_sort(r.t, (int[]){ AZ_DOWN(sum), AZ_UP(uid) }, 2);
    if (rc == 0)
        az_fw_shares(r.t, sum);
    if (rc == 0 && !overlap)
        az_fw_keep(job, r.t, job->opts->topk_ops, "topk_ops");
    az_fw_details_release(&r.details);
    return az_fw_emit(job, r.t, rc);
}

static int overlap_table(struct az_job *job, struct az_fw *fw, const struct az_fw_group *base)
{
    struct az_fw_group x = { 0 };
    struct az_overlap_ops o = { 0 };
    size_t n = fw->launchers->rows.n;
    struct az_gpu_run *own = az_arena_array(job->arena, n + 1, sizeof *own);
    if (!own)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < n; i++) {
        const struct az_launcher *l = &fw->launchers->rows.v[i];
        own[i] = (struct az_gpu_run){ fw->launchers->own.v + l->first, l->count };
    }
    int rc = az_fw_overlap_ops(&o, job, fw, own, n);
    if (rc == 0)
        rc = az_fw_group_make(&x, job, fw, key_split, &(struct split){ base, &o });
    if (rc == 0)
        rc = table(job, "ops_all_kl_overlap", "Operations by arguments and overlapping kernels", &x,
                   base, &o);
    az_fw_group_release(&x);
    az_fw_overlap_ops_release(&o);
    return rc;
}

int az_fw_args_tables(struct az_job *job, struct az_fw *fw)
{
    struct az_fw_group x;
    int rc = az_fw_group_make(&x, job, fw, key_args, NULL);
    if (rc == 0)
        rc = table(job, "ops_all", "Operations by arguments", &x, NULL, NULL);
    if (rc == 0 && job->opts->include_overlap_info)
        rc = overlap_table(job, fw, &x);
    az_fw_group_release(&x);
    return rc;
}
