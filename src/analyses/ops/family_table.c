/* One family table: rows of equal name and parameters. */
#include "analyses/ops/family.h"

#include "analyses/ops/overlap.h"
#include "analyses/ops/param_columns.h"
#include "facts/groups.h"

struct work {
    struct az_job *job;
    struct az_fw *fw;
    struct az_fw_metrics *metrics;
    struct az_table *t;
    const struct az_family_events *all;
    const uint32_t *item; /* event numbers */
    size_t n;
    struct az_param_columns params;
    struct az_arena scratch; /* of one table */
    int64_t *time;           /* of each event, ticks */
    uint32_t *plain;         /* event -> row of the plain table */
    uint32_t n_plain;
    struct az_overlap_ops *overlap; /* NULL: the plain table */
    uint64_t failed;                /* events without an estimate */
    const char *why;
    struct az_fw_details details;
};

static const struct az_family_event *event(const struct work *w, size_t i)
{
    return &w->all->v[w->item[i]];
}

static int estimate(struct work *w, size_t i, struct az_fw_estimate *e)
{
    return az_fw_estimate(w->metrics, event(w, i)->node, event(w, i)->backward, e);
}

/* Rows of one group of the plain table with equal overlapping names. */
static int group_overlaps(struct work *w, uint32_t *of, uint32_t *n)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&map, w->plain[i], w->overlap->names[i], *n, &at, &added);
        if (rc == 0) {
            of[i] = *at;
            *n += added;
        }
    }
    az_map_release(&map);
    return rc;
}

/* Group of every event: equal names and parameters; without parameters, equal arguments. */
static int group(struct work *w, uint32_t *of, uint32_t *n)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        struct az_fw_estimate e;
        const struct az_op_args *a = az_fw_args(w->fw, event(w, i)->node);
        uint32_t *at;
        bool added;
        rc = estimate(w, i, &e);
        if (rc)
            break;
        bool bad = az_fw_unreadable(&e);
        w->failed += bad;
        w->why = bad && !w->why ? e.why : w->why;
        uint64_t rest = e.perf->n_params ? 0 : (uint64_t)(a ? a - w->fw->ops->args.v + 1 : 0);
        uint64_t key = rest << 33 | (uint64_t)az_fw_recompute(w->fw, event(w, i)->node) << 32;
        if (w->fw->opts->group_by_num_kernels)
            key ^= (uint64_t)event(w, i)->n_gpu * 0x9e3779b97f4a7c15u;
        rc = az_map_put(&map, key ^ az_fw_node(w->fw, event(w, i)->node).name, e.params_hash, *n,
                        &at, &added);
        if (rc == 0) {
            of[i] = *at;
            *n += added;
            for (unsigned k = 0; added && k < e.perf->n_params; k++)
                az_param_note(&w->params, &e.perf->param[k]);
        }
    }
    az_map_release(&map);
    return rc;
}

static void stat_columns(struct work *w, const char *what, enum az_unit unit, unsigned flags)
{
    static const char *const stat[] = { "mean", "median", "std", "min", "max" };
    for (int i = 0; i < 5; i++)
        az_table_columnsv(w->t, az_arena_printf(w->job->arena, "%s_%s", what, stat[i]), AZ_REAL,
                          unit, flags | (i ? AZ_DETAIL : 0));
}

static void columns(struct work *w)
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
    if (w->overlap)
        az_table_column(t, "overlapping_kernel_names", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_fw_recompute_column(w->fw, t);
    az_table_column(t, "GFLOPS_first", AZ_REAL, AZ_UNIT_GFLOP, 0);
    az_table_column(t, "Data Moved (MB)_first", AZ_REAL, AZ_UNIT_MB, 0);
    az_table_column(t, "FLOPS/Byte_first", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, 0);
    stat_columns(w, "TB/s", AZ_UNIT_TBPS, AZ_HIGHER_BETTER);
    stat_columns(w, "TFLOPS/s", AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, lane[i], AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (az_fw_peaks(w->metrics)) {
        az_table_column(t, "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, 0);
        az_table_column(t, "Roofline Bound_first", AZ_TEXT, AZ_UNIT_NONE, 0);
        stat_columns(w, "Pct Roofline", AZ_UNIT_PERCENT, AZ_HIGHER_BETTER);
    }
    az_table_column(t, "kernel_details__summarize_kernel_stats", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (w->overlap)
        az_fw_overlap_columns(t);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, args[i], AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    stat_columns(w, "Kernel Time (µs)", AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "name_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "UID_first", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
}

static void put_rates(struct work *w, const struct az_fw_rates *r, double scale)
{
    az_put_f64(w->t, r->mean * scale);
    az_put_f64(w->t, r->median * scale);
    az_put_f64(w->t, r->std * scale);
    az_put_f64(w->t, r->min * scale);
    az_put_f64(w->t, r->max * scale);
}

static void put_lane(struct work *w, uint32_t node)
{
    const struct az_lane_names *l = &w->fw->ops->lane_names.v[az_fw_node(w->fw, node).lane];
    az_put_text(w->t, az_fw_text(w->fw, l->process_name, "Unknown"));
    az_put_text(w->t, az_fw_text(w->fw, l->process_label, "Unknown"));
    az_put_text(w->t, az_fw_text(w->fw, l->thread_name, "Unknown"));
}

static int put_details(struct work *w, const uint32_t *row, size_t n)
{
    struct az_gpu_run *runs = az_mem_alloc(w->job->mem, (n + 1) * sizeof *runs);
    struct az_sv full = AZ_SV(""), brief = AZ_SV("");
    if (!runs)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < n; i++)
        runs[i] = az_family_own(event(w, row[i]));
    int rc = az_fw_details_make(&w->details, runs, n, &full, &brief);
    az_mem_free(w->job->mem, runs, (n + 1) * sizeof *runs);
    az_put_text(w->t, full);
    az_put_text(w->t, brief);
    return rc;
}

struct members { /* of a group */
    struct work *w;
    const uint32_t *row;
};

static int member(void *ctx, size_t i, struct az_fw_estimate *e)
{
    const struct members *x = ctx;
    return estimate(x->w, x->row[i], e);
}

static void put_figures(struct work *w, const struct az_fw_figures *f, uint32_t node)
{
    az_put_f64(w->t, f->flops / 1e9);
    az_put_f64(w->t, f->bytes / 1048576);
    az_put_f64(w->t, f->intensity);
    put_rates(w, &f->byte_rate, 1e-12);
    put_rates(w, &f->flop_rate, 1e-12);
    put_lane(w, node);
    az_put_given(w->t, f->spec);
    if (az_fw_peaks(w->metrics)) {
        az_put_f64(w->t, f->roof_us);
        az_put_given(w->t, az_sv_str(f->bound));
        put_rates(w, &f->roof_part, 100);
    }
}

static int put_row(struct work *w, struct az_groups *g, size_t k)
{
    const uint32_t *row = g->item + g->first[k];
    size_t n = az_groups_take(g, k, w->time);
    const struct az_family_event *x = event(w, row[0]);
    const struct az_op_args *a = az_fw_args(w->fw, x->node);
    struct az_fw_estimate e;
    struct az_fw_figures f;
    struct az_stats s;
    int rc = estimate(w, row[0], &e); /* its parameters are those of all */
    if (rc == 0)
        rc = az_fw_figures(w->metrics, member, &(struct members){ w, row }, g->value, n, &f);
    if (rc)
        return rc;
    az_put_text(w->t, az_node_name(w->fw->tree, x->node));
    az_param_put(&w->params, w->t, e.perf ? e.perf->param : NULL, e.perf ? e.perf->n_params : 0);
    if (w->fw->opts->group_by_num_kernels)
        az_put_i64(w->t, (int64_t)x->n_gpu);
    if (w->overlap)
        az_put_given(w->t, az_overlap_text(w->overlap, row[0]));
    az_fw_put_recompute(w->fw, w->t, az_fw_recompute(w->fw, x->node));
    put_figures(w, &f, x->node);
    rc = put_details(w, row, n);
    if (rc == 0 && w->overlap)
        rc = az_fw_put_overlap(w->overlap, w->t, row, n, &w->details);
    az_fw_put_id(w->fw, w->t, a ? a->dims : AZ_NO_ID);
    az_fw_put_id(w->fw, w->t, a ? a->types : AZ_NO_ID);
    az_fw_put_id(w->fw, w->t, a ? a->strides : AZ_NO_ID);
    az_fw_put_id(w->fw, w->t, a ? a->concrete : AZ_NO_ID);
    az_stats_i64(g->value, n, &s);
    double us = 1e3 * (double)w->fw->trace->ticks_per_ns;
    put_rates(w, &(struct az_fw_rates){ s.mean, s.median, s.std, (double)s.min, (double)s.max },
              1 / us);
    az_put_f64(w->t, (double)s.sum / us);
    az_put_i64(w->t, (int64_t)n);
    az_put_i64(w->t, (int64_t)az_fw_node(w->fw, x->node).uid);
    return rc;
}

/* Rows that differ only by what overlaps them stay together. */
static int put_in_order(struct work *w, struct az_groups *g)
{
    struct az_overlap_row *order = az_arena_array(&w->scratch, g->groups + 1, sizeof *order);
    if (!order)
        return az_arena_error(&w->scratch);
    for (uint32_t k = 0; k < g->groups; k++) {
        const uint32_t first = g->item[g->first[k]];
        order[k] = (struct az_overlap_row){ .row = k,
                                            .base = w->plain[first],
                                            .uid = az_fw_node(w->fw, event(w, first)->node).uid };
        for (uint32_t i = g->first[k]; i < g->first[k + 1]; i++)
            order[k].time += w->time[g->item[i]];
    }
    int rc = az_fw_overlap_order(order, g->groups, w->n_plain, w->job->mem);
    for (size_t k = 0; rc == 0 && k < g->groups; k++)
        rc = put_row(w, g, order[k].row);
    return rc;
}

static int fill(struct work *w)
{
    struct az_groups g = { 0 };
    uint32_t *of = az_arena_array(&w->scratch, w->n + 1, sizeof *of), n = 0;
    int rc = of ? 0 : az_arena_error(&w->scratch);
    if (rc == 0)
        rc = w->overlap ? group_overlaps(w, of, &n) : group(w, of, &n);
    if (rc == 0)
        rc = az_groups_make(&g, of, w->n, n, w->job->mem);
    if (rc == 0)
        columns(w);
    if (rc == 0 && w->overlap)
        rc = put_in_order(w, &g);
    for (size_t k = 0; rc == 0 && !w->overlap && k < n; k++)
        rc = put_row(w, &g, k);
    az_groups_release(&g);
    if (!w->overlap) {
        w->plain = of;
        w->n_plain = n;
    }
    return rc;
}

static int table(struct work *w, const struct az_family_sheet *s)
{
    const char *twin = w->overlap ? " and overlapping kernels" : "";
    struct az_arena *a = w->job->arena;
    struct az_sv title = az_arena_printf(a, "%.*s by parameters%s", AZ_SVF(s->name), twin),
                 id =
                     az_arena_printf(a, "%.*s%s", AZ_SVF(s->name), w->overlap ? "_kl_overlap" : "");
    w->t = id.p && title.p ? az_table_new(a, id.p, title.p, 0) : NULL;
    if (!w->t)
        return az_arena_error(a);
    int rc = az_fw_details_init(&w->details, w->fw, a, w->job->mem);
    if (rc == 0)
        rc = fill(w);
    az_fw_details_release(&w->details);
    if (rc == 0 && !w->overlap) {
        int sum = (int)az_table_find(w->t, "Kernel Time (µs)_sum"),
            uid = (int)az_table_find(w->t, "UID_first");
        rc = az_table_sort(w->t, (int[]){ AZ_DOWN(sum), AZ_UP(uid) }, 2);
    }
    return az_fw_emit(w->job, w->t, rc);
}

static int overlap_table(struct work *w, const struct az_family_sheet *s)
{
    struct az_overlap_ops o = { 0 };
    struct az_gpu_run *own = az_arena_array(&w->scratch, w->n + 1, sizeof *own);
    if (!own)
        return az_arena_error(&w->scratch);
    for (size_t i = 0; i < w->n; i++)
        own[i] = az_family_own(event(w, i));
    int rc = az_fw_overlap_ops(&o, w->job, w->fw, own, w->n);
    w->overlap = &o;
    if (rc == 0)
        rc = table(w, s);
    w->overlap = NULL;
    az_fw_overlap_ops_release(&o);
    return rc;
}

int az_family_table(struct az_job *job, struct az_fw *fw, struct az_fw_metrics *m,
                    const struct az_family_sheet *s, const struct az_family_events *all,
                    const uint32_t *item, size_t n)
{
    struct work w = { .job = job, .fw = fw, .metrics = m, .all = all, .item = item, .n = n };
    az_arena_init(&w.scratch, job->mem);
    w.time = az_arena_array(&w.scratch, n + 1, sizeof *w.time);
    int rc = w.time ? 0 : az_arena_error(&w.scratch);
    for (size_t i = 0; rc == 0 && i < n; i++)
        w.time[i] = event(&w, i)->time;
    if (rc == 0)
        rc = table(&w, s);
    if (rc == 0 && w.failed)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(fw->trace->path),
                    "%.*s: %llu of %zu operations without an estimate: %s", AZ_SVF(s->name),
                    (unsigned long long)w.failed, n, w.why);
    if (rc == 0 && job->opts->include_overlap_info)
        rc = overlap_table(&w, s);
    az_arena_release(&w.scratch);
    return rc;
}
