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
    key[1] = e.params_hash;
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
            az_param_note(&w->params, &e.perf->param[p]);
    }
    return rc;
}

static void stat_columns(struct work *w, const char *what, enum az_unit unit, unsigned flags)
{
    static const char *const stat[] = { "mean", "median", "std", "min", "max" };
    for (int i = 0; i < 5; i++)
        az_table_columnsv(w->t, az_arena_printf(w->job->arena, "%s_%s", what, stat[i]), AZ_REAL,
                          unit, flags | (i ? AZ_DETAIL : 0));
}

static const struct az_record_column table_columns[] = {
    { "GFLOPS_first", AZ_REAL, .unit = AZ_UNIT_GFLOP },
    { "Data Moved (MB)_first", AZ_REAL, .unit = AZ_UNIT_MB },
    { "FLOPS/Byte_first", AZ_REAL, .unit = AZ_UNIT_FLOP_PER_BYTE },
};

static const struct az_record_column table_columns_2[] = {
    { "Kernel Time (µs)_sum", AZ_REAL, .unit = AZ_UNIT_US },
    { "name_count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "UID_first", AZ_INT, AZ_UNIT_ID, .flags = AZ_DETAIL },
};

static void columns(struct work *w, const struct az_op_groups *x)
{
    static const char *const lane[] = { "process_name_first", "process_label_first",
                                        "thread_name_first", "Compute Spec" };
    static const char *const args[] = { "Input Dims_first", "Input type_first",
                                        "Input Strides_first", "Concrete Inputs_first" };
    struct az_table *t = w->t;
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_param_columns_make(&w->params, t);
    if (w->fw->opts->group_by_num_kernels)
        az_table_column(t, "num_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    az_op_overlap_column(x, t);
    az_framework_recompute_column(w->fw, t);
    az_record_columns(t, table_columns, AZ_LENGTH(table_columns));
    stat_columns(w, "TB/s", AZ_UNIT_TBPS, AZ_HIGHER_BETTER);
    stat_columns(w, "TFLOPS/s", AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, lane[i], AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (az_framework_peaks(w->metrics)) {
        az_table_column(t, "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, 0);
        az_table_column(t, "Roofline Bound_first", AZ_TEXT, AZ_UNIT_NONE, 0);
        stat_columns(w, "Pct Roofline", AZ_UNIT_PERCENT, AZ_HIGHER_BETTER);
    }
    az_table_column(t, "kernel_details__summarize_kernel_stats", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (x->overlap)
        az_framework_overlap_columns(t);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, args[i], AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    stat_columns(w, "Kernel Time (µs)", AZ_UNIT_US, AZ_LOWER_BETTER);
    az_record_columns(t, table_columns_2, AZ_LENGTH(table_columns_2));
}

static struct az_table *open_table(void *ctx, const struct az_op_groups *x)
{
    struct work *w = ctx;
    const char *split = x->overlap ? ", kernel overlap" : "";
    struct az_arena *a = w->job->arena;
    const struct az_sv name = w->sheet->name,
                       title = az_arena_printf(a, "%.*s by parameters%s", AZ_SVF(name), split),
                       id = az_arena_printf(a, "%.*s%s", AZ_SVF(name),
                                            x->overlap ? "_kl_overlap" : "");
    w->t = id.p && title.p ? az_table_new(a, id.p, title.p, 0) : NULL;
    if (!w->t)
        return NULL;
    w->t->kind = AZ_SV("families");
    if (!x->overlap)
        w->t->error = note_params(w, &x->g);
    columns(w, x);
    return w->t;
}

static void put_rates(struct work *w, const struct az_framework_rates *r, double scale)
{
    az_put_f64(w->t, r->mean * scale);
    az_put_f64(w->t, r->median * scale);
    az_put_f64(w->t, r->std * scale);
    az_put_f64(w->t, r->min * scale);
    az_put_f64(w->t, r->max * scale);
}

static void put_lane(struct work *w, uint32_t node)
{
    const struct az_lane_names *l = &w->fw->ops->lane_names.v[az_framework_node(w->fw, node).lane];
    az_put_text(w->t, az_framework_text(w->fw, l->process_name, "Unknown"));
    az_put_text(w->t, az_framework_text(w->fw, l->process_label, "Unknown"));
    az_put_text(w->t, az_framework_text(w->fw, l->thread_name, "Unknown"));
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

static void put_figures(struct work *w, const struct az_framework_figures *f, uint32_t node)
{
    az_put_f64(w->t, f->flops / 1e9);
    az_put_f64(w->t, f->bytes / 1048576);
    az_put_f64(w->t, f->intensity);
    put_rates(w, &f->byte_rate, 1e-12);
    put_rates(w, &f->flop_rate, 1e-12);
    put_lane(w, node);
    az_put_given(w->t, f->spec);
    if (az_framework_peaks(w->metrics)) {
        az_put_f64(w->t, f->roof_us);
        az_put_given(w->t, az_sv_str(f->bound));
        put_rates(w, &f->roof_part, 100);
    }
}

static int put_row(void *ctx, struct az_op_groups *g, size_t group)
{
    struct work *w = ctx;
    const uint32_t *row = g->g.item + g->g.first[group];
    size_t n = az_groups_take(&g->g, group, w->time);
    const struct az_family_event *x = event(w, row[0]);
    const struct az_op_args *a = az_framework_args(w->fw, x->node);
    struct az_framework_estimate e;
    struct az_framework_figures f;
    struct az_stats s;
    int rc = estimate(w, row[0], &e); /* its parameters are those of all */
    if (rc == 0)
        rc = az_framework_figures(w->metrics,
                                  &(struct az_framework_members){
                                      .estimate = member, .ctx = &(struct members){ w, row } },
                                  g->g.value, n, &f);
    if (rc)
        return rc;
    az_put_text(w->t, az_node_name(w->fw->tree, x->node));
    az_param_put(&w->params, w->t, e.perf ? e.perf->param : NULL, e.perf ? e.perf->n_params : 0);
    if (w->fw->opts->group_by_num_kernels)
        az_put_i64(w->t, (int64_t)x->n_gpu);
    az_op_put_overlap(g, group);
    az_framework_put_recompute(w->fw, w->t, az_framework_recompute(w->fw, x->node));
    put_figures(w, &f, x->node);
    rc = az_op_put_details(g, group);
    az_framework_put_id(w->fw, w->t, a ? a->dims : AZ_NO_ID);
    az_framework_put_id(w->fw, w->t, a ? a->types : AZ_NO_ID);
    az_framework_put_id(w->fw, w->t, a ? a->strides : AZ_NO_ID);
    az_framework_put_id(w->fw, w->t, a ? a->concrete : AZ_NO_ID);
    az_stats_i64(g->g.value, n, &s);
    double us = 1e3 * (double)w->fw->trace->ticks_per_ns;
    put_rates(w,
              &(struct az_framework_rates){ s.mean, s.median, s.std, (double)s.min, (double)s.max },
              1 / us);
    az_put_f64(w->t, (double)s.sum / us);
    az_put_i64(w->t, (int64_t)n);
    az_put_i64(w->t, (int64_t)az_framework_node(w->fw, x->node).uid);
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
                                     "Kernel Time (µs)_sum",
                                     "UID_first",
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
