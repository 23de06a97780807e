/* unified_perf_summary: every device event once, under the operation that a performance engineer would name (spec: PyTorch-profiler
 * report, section 8). */
#include "analyses/fw_backward.h"
#include "analyses/fw_details.h"
#include "analyses/fw_stack.h"
#include "analyses/groups.h"
#include "analyses/list.h"

struct row {
    uint32_t node; /* operator taken, or owner of a synthetic row */
    uint32_t gpu;  /* synthetic: its device event; AZ_NO_ROW: all under the node */
    uint64_t uid;  /* of the node; synthetic rows are numbered on behind the file's events */
    struct az_sv category;
    int64_t time;  /* union of its device events, ticks */
};
AZ_VEC(struct row, rows);

struct work {
    struct az_job *job;
    struct az_fw *fw;
    uint32_t *forward;
    uint8_t *model;       /* operator -> 1 has a model, 2 and GPU work */
    uint32_t *models_below; /* preorder -> models with GPU work at smaller preorder numbers */
    uint8_t *covered;     /* gpu -> 1 */
    uint8_t *comm;        /* gpu -> 1 communication */
    struct rows rows;
    struct az_vec_u32 stack;
    struct az_spans spans;
};

static const struct az_op_category *registered(const struct az_fw *f, struct az_sv name)
{
    for (size_t i = 0; i < f->n_known; i++)
        if (az_sv_eq(f->known[i].name, name))
            return &f->known[i];
    return NULL;
}

static bool is_op(const struct work *w, uint32_t node) { return node < w->fw->tree->first_call; }

static bool has_gpu(const struct work *w, uint32_t node)
{
    uint32_t a, b;
    az_node_gpu(w->fw->tree, node, &a, &b);
    return a < b;
}

/* Some operator strictly below has a model and GPU work. */
static bool model_below(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    return w->models_below[c->last[node] + 1] > w->models_below[c->pre[node] + 1];
}

static int prepare(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    struct az_arena *a = w->job->arena;
    size_t names = w->fw->trace->names.text.n + 1;
    uint8_t *known = az_arena_array(a, names, 1);
    w->model = az_arena_array(a, (size_t)c->n + 1, 1);
    w->models_below = az_arena_array(a, (size_t)c->n + 2, sizeof *w->models_below);
    w->covered = az_arena_array(a, (size_t)c->n_gpu + 1, 1);
    w->comm = az_arena_array(a, (size_t)c->n_gpu + 1, 1);
    if (!known || !w->model || !w->models_below || !w->covered || !w->comm)
        return az_arena_error(a);
    for (uint32_t n = 0; n < c->first_call; n++) {
        uint32_t name = w->fw->trace->ev[AZ_HOST_OP].name[n];
        if (name == AZ_NO_ID)
            continue;
        if (!known[name]) {
            const struct az_op_category *r = registered(w->fw, az_trace_text(w->fw->trace, name));
            known[name] = r && r->has_model ? 2 : 1;
        }
        w->model[n] = known[name] == 2;
    }
    for (uint32_t p = 0; p < c->n; p++) {
        uint32_t n = c->by_pre[p];
        if (w->model[n] && has_gpu(w, n))
            w->model[n] = 2;
        w->models_below[p + 1] = w->models_below[p] + (w->model[n] == 2);
    }
    memset(known, 0, names);
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        uint32_t name = az_gpu_event(c, g).name;
        if (name == AZ_NO_ID)
            continue;
        if (!known[name])
            known[name] = az_gpu_class_of(az_trace_text(w->fw->trace, name), AZ_KERNEL) == AZ_GPU_COMM ? 2 : 1;
        w->comm[g] = known[name] == 2;
    }
    return 0;
}

static struct az_sv wrapper_target(struct az_sv name)
{
    const size_t n = sizeof "autograd::engine::evaluate_function:" - 1;
    return az_sv_trim(az_sv_make(name.p + n, name.n - n));
}

/* Operators of that name with GPU work below a node. */
static unsigned count_named(const struct work *w, uint32_t node, struct az_sv name)
{
    const struct az_calltree *c = w->fw->tree;
    unsigned found = 0;
    for (uint32_t p = c->pre[node] + 1; p <= c->last[node] && found < 2; p++) {
        uint32_t n = c->by_pre[p];
        found += is_op(w, n) && az_sv_eq(az_node_name(c, n), name) && has_gpu(w, n);
    }
    return found;
}

/* Backward category of the modelled forward operator whose only main backward operator this is; empty otherwise. */
static struct az_sv sole_backward(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t up = node;
    for (int level = 0; level <= 5 && up != AZ_NO_ROW; level++, up = c->parent[up]) {
        if (!is_op(w, up) || w->forward[up] == AZ_NO_ROW)
            continue;
        const struct az_op_category *f = registered(w->fw, az_node_name(c, w->forward[up]));
        struct az_sv target = wrapper_target(az_node_name(c, up));
        if (!f || !f->has_model || f->bwd_category.n == 0 || !az_sv_eq(target, az_node_name(c, node)) || up == node)
            return AZ_SV("");
        return count_named(w, up, target) == 1 ? f->bwd_category : AZ_SV("");
    }
    return AZ_SV("");
}

/* Reaches a device event through calls and frames only. */
static bool is_leaf(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t first, end;
    az_node_gpu(c, node, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        uint32_t up = c->parent[c->gpu_call[c->linked[i]]];
        while (up != AZ_NO_ROW && !is_op(w, up))
            up = c->parent[up];
        if (up == node)
            return true;
    }
    return false;
}

static bool comm_below(const struct work *w, uint32_t node)
{
    uint32_t first, end;
    az_node_gpu(w->fw->tree, node, &first, &end);
    for (; first < end; first++)
        if (w->comm[w->fw->tree->linked[first]])
            return true;
    return false;
}

static int64_t union_below(struct work *w, uint32_t node, int *rc)
{
    uint32_t first, end;
    az_node_gpu(w->fw->tree, node, &first, &end);
    az_vec_reset(&w->spans);
    for (; *rc == 0 && first < end; first++) {
        struct az_event e = az_gpu_event(w->fw->tree, w->fw->tree->linked[first]);
        *rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    if (*rc == 0)
        *rc = az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    return az_spans_length(&w->spans);
}

static int take(struct work *w, uint32_t node, struct az_sv category)
{
    uint32_t first, end, l = az_fw_launcher_of(w->fw, node);
    int rc = 0;
    struct row r = { .node = node, .gpu = AZ_NO_ROW, .uid = az_fw_node(w->fw, node).uid,
                     .category = category, .time = union_below(w, node, &rc) };
    az_node_gpu(w->fw->tree, node, &first, &end);
    for (; first < end; first++)
        w->covered[w->fw->tree->linked[first]] = 1;
    if (category.n == 0)
        r.category = l != AZ_NO_ROW ? az_fw_category(w->fw, l) : az_fw_categorise(w->fw, az_node_name(w->fw->tree, node), AZ_SV(""));
    return rc ? rc : az_vec_push(&w->rows, r);
}

static int descend(struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    size_t from = w->stack.n;
    for (uint32_t p = c->pre[node] + 1; p <= c->last[node]; p = c->last[c->by_pre[p]] + 1) { /* children are subtrees in a row */
        int rc = az_vec_push(&w->stack, c->by_pre[p]);
        if (rc)
            return rc;
    }
    for (size_t a = from, b = w->stack.n; a + 1 < b; a++) { /* the first child is looked at first */
        uint32_t t = w->stack.v[a];
        w->stack.v[a] = w->stack.v[--b];
        w->stack.v[b] = t;
    }
    return 0;
}

static int visit(struct work *w, uint32_t node)
{
    if (!has_gpu(w, node) || (!is_op(w, node) && node < w->fw->tree->first_frame))
        return 0;
    if (!is_op(w, node))
        return descend(w, node);
    if (w->model[node])
        return take(w, node, AZ_SV(""));
    bool below = model_below(w, node);
    struct az_sv backward = below ? AZ_SV("") : sole_backward(w, node);
    if (backward.n)
        return take(w, node, backward);
    if (below || !is_leaf(w, node))
        return descend(w, node);
    return comm_below(w, node) ? 0 : take(w, node, AZ_SV(""));
}

/* Roots in order of start: host nodes without a parent; operators only, or the frames above them. */
static int traverse(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    int rc = 0;
    for (uint32_t p = 0; rc == 0 && p < c->n; p = c->last[c->by_pre[p]] + 1) {
        rc = az_vec_push(&w->stack, c->by_pre[p]);
        while (rc == 0 && w->stack.n)
            rc = visit(w, w->stack.v[--w->stack.n]);
    }
    return rc;
}

static struct az_sv synthetic_name(struct work *w, uint32_t owner, uint32_t gpu)
{
    return az_arena_printf(w->job->arena, "%.*s->%.*s (Synthetic Op)", AZ_SVF(az_node_name(w->fw->tree, owner)),
                           AZ_SVF(az_fw_text(w->fw, az_gpu_event(w->fw->tree, gpu).name, "")));
}

/* Device events that no taken operator covers: one row each, under their owner's name. */
static int add_synthetic(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    uint64_t uid = w->fw->ops->n_events;
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        if (w->covered[g] || w->comm[g] || c->gpu_call[g] == AZ_NO_ROW)
            continue;
        struct az_event e = az_gpu_event(c, g);
        uint32_t op = az_node_op(c, c->gpu_call[g]);
        struct row r = { .node = op != AZ_NO_ROW ? op : c->gpu_call[g], .gpu = g, .uid = uid++,
                         .time = e.end - e.start };
        int rc = az_vec_push(&w->rows, r);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- table ---- */
static void columns(const struct az_job *job, struct az_table *t)
{
    static const char *const key[] = { "name",       "op category",  "process_name",  "process_label",  "thread_name",
                                       "Input Dims", "Input type", "Input Strides", "Concrete Inputs" };
    static const char *const stat[] = { "Kernel Time (µs)_mean", "Kernel Time (µs)_std", "Kernel Time (µs)_sum",
                                        "duration_us_median",    "duration_us_min",      "duration_us_max",
                                        "Kernel Time (µs)_median", "Kernel Time (µs)_min", "Kernel Time (µs)_max" };
    for (size_t i = 0; i < 9; i++)
        az_table_column(t, key[i], AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | (i >= 2 ? AZ_DETAIL : 0));
    if (job->opts->detect_recompute)
        az_table_column(t, "is_recompute", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "ex_UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "operation_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "mean_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "std_duration_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    for (size_t i = 0; i < 9; i++)
        az_table_column(t, stat[i], AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | (i == 2 ? 0 : AZ_DETAIL));
    az_table_column(t, "kernel_details_summary", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "trunc_kernel_details", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "has_perf_model", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    if (job->opts->include_call_stack) {
        az_table_column(t, "entry_point", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
        az_table_column(t, "call_stack_full", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    }
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
}

static bool recompute_of(const struct work *w, const struct row *r) { return w->fw->recompute && w->fw->recompute[r->node]; }

/* Group number of every row: equal names, categories, lanes' names, arguments. Synthetic rows differ by their kernel's name. */
static int group(struct work *w, uint32_t *of, uint32_t *n)
{
    struct az_map map;
    int rc = az_map_init(&map, w->job->mem, 256);
    for (size_t i = 0; rc == 0 && i < w->rows.n; i++) {
        struct row *r = &w->rows.v[i];
        struct az_event e = az_fw_node(w->fw, r->node);
        const struct az_lane_names *l = &w->fw->ops->lane_names.v[e.lane];
        const struct az_op_args *a = az_fw_args(w->fw, r->node);
        uint32_t kernel = r->gpu == AZ_NO_ROW ? AZ_NO_ID : az_gpu_event(w->fw->tree, r->gpu).name, *at;
        bool added;
        if (r->gpu != AZ_NO_ROW && r->category.n == 0)
            r->category = az_fw_categorise(w->fw, synthetic_name(w, r->node, r->gpu), az_fw_text(w->fw, kernel, ""));
        uint32_t key[] = { l->process_name, l->process_label, l->thread_name, kernel, recompute_of(w, r),
                           r->gpu != AZ_NO_ROW };
        uint64_t h = az_hash(key, sizeof key) ^ az_hash(r->category.p, r->category.n);
        uint32_t args = a ? (uint32_t)(a - w->fw->ops->args.v) : AZ_NO_ROW;
        rc = az_map_put(&map, (uint64_t)e.name << 32 | args, h, *n, &at, &added);
        if (rc == 0) {
            of[i] = *at;
            *n += added;
        }
    }
    az_map_release(&map);
    return rc;
}

static void put_id(struct work *w, struct az_table *t, uint32_t id)
{
    if (id == AZ_NO_ID)
        az_put_empty(t);
    else
        az_put_text(t, az_trace_text(w->fw->trace, id));
}

static void put_keys(struct work *w, struct az_table *t, const struct row *r)
{
    struct az_event e = az_fw_node(w->fw, r->node);
    const struct az_lane_names *l = &w->fw->ops->lane_names.v[e.lane];
    const struct az_op_args *a = az_fw_args(w->fw, r->node);
    az_put_text(t, r->gpu == AZ_NO_ROW ? az_node_name(w->fw->tree, r->node) : synthetic_name(w, r->node, r->gpu));
    az_put_text(t, r->category);
    az_put_text(t, az_fw_text(w->fw, l->process_name, "Unknown"));
    az_put_text(t, az_fw_text(w->fw, l->process_label, "Unknown"));
    az_put_text(t, az_fw_text(w->fw, l->thread_name, "Unknown"));
    put_id(w, t, a ? a->dims : AZ_NO_ID);
    put_id(w, t, a ? a->types : AZ_NO_ID);
    put_id(w, t, a ? a->strides : AZ_NO_ID);
    put_id(w, t, a ? a->concrete : AZ_NO_ID);
    if (w->job->opts->detect_recompute)
        az_put_text(t, recompute_of(w, r) ? AZ_SV("True") : AZ_SV("False"));
    az_put_i64(t, (int64_t)r->uid);
}

static void put_stats(struct work *w, struct az_table *t, const struct az_stats *span, const struct az_stats *kernel)
{
    double us = 1e3 * (double)w->fw->trace->ticks_per_ns;
    az_put_i64(t, (int64_t)span->n);
    az_put_f64(t, (double)span->sum / us);
    az_put_f64(t, span->mean / us);
    az_put_f64(t, span->std / us);
    az_put_f64(t, kernel->mean / us);
    az_put_f64(t, kernel->std / us);
    az_put_f64(t, (double)kernel->sum / us);
    az_put_f64(t, span->median / us);
    az_put_f64(t, (double)span->min / us);
    az_put_f64(t, (double)span->max / us);
    az_put_f64(t, kernel->median / us);
    az_put_f64(t, (double)kernel->min / us);
    az_put_f64(t, (double)kernel->max / us);
}

static int put_details(struct work *w, struct az_fw_details *d, struct az_table *t, const struct az_groups *g, size_t k)
{
    size_t n = g->first[k + 1] - g->first[k];
    struct az_gpu_run *runs = az_mem_alloc(w->job->mem, n * sizeof *runs);
    struct az_sv full, brief;
    if (!runs)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &w->rows.v[g->item[g->first[k] + i]];
        uint32_t first, end;
        az_node_gpu(w->fw->tree, r->node, &first, &end);
        runs[i] = r->gpu != AZ_NO_ROW ? (struct az_gpu_run){ &r->gpu, 1 } : (struct az_gpu_run){ w->fw->tree->linked + first, end - first };
    }
    int rc = az_fw_details_make(d, runs, n, &full, &brief);
    az_mem_free(w->job->mem, runs, n * sizeof *runs);
    az_put_text(t, full);
    az_put_text(t, brief);
    return rc;
}

static int put_groups(struct work *w, struct az_table *t, struct az_groups *g, const int64_t *span, const int64_t *kernel)
{
    struct az_fw_details d;
    int rc = az_fw_details_init(&d, w->fw, w->job->arena, w->job->mem);
    for (size_t k = 0; rc == 0 && k < g->groups; k++) {
        const struct row *r = &w->rows.v[g->item[g->first[k]]];
        struct az_stats s, ks;
        az_stats_i64(g->value, az_groups_take(g, k, span), &s);
        az_stats_i64(g->value, az_groups_take(g, k, kernel), &ks);
        put_keys(w, t, r);
        put_stats(w, t, &s, &ks);
        rc = put_details(w, &d, t, g, k);
        az_put_text(t, r->gpu == AZ_NO_ROW && is_op(w, r->node) && w->model[r->node] ? AZ_SV("True") : AZ_SV("False"));
        if (rc == 0 && w->job->opts->include_call_stack) {
            az_put_text(t, az_fw_entry_point(w->job, w->fw, r->node));
            az_put_text(t, az_fw_call_stack(w->job, w->fw, r->node, r->gpu));
        }
        az_put_empty(t);
        az_put_empty(t);
    }
    az_fw_details_release(&d);
    return rc;
}

static int fill(struct work *w, struct az_table *t)
{
    size_t n = w->rows.n;
    struct az_groups g = { 0 };
    uint32_t *of = az_arena_array(w->job->arena, n + 1, sizeof *of), groups = 0;
    int64_t *span = az_arena_array(w->job->arena, n + 1, sizeof *span), *kernel = az_arena_array(w->job->arena, n + 1, sizeof *kernel);
    int rc = of && span && kernel ? group(w, of, &groups) : az_arena_error(w->job->arena);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_event e = az_fw_node(w->fw, w->rows.v[i].node);
        span[i] = e.end - e.start;
        kernel[i] = w->rows.v[i].time;
    }
    if (rc == 0)
        rc = az_groups_make(&g, of, n, groups, w->job->mem);
    if (rc == 0)
        rc = put_groups(w, t, &g, span, kernel);
    az_groups_release(&g);
    return rc;
}

/* Direct kernel time of the launchers against this table's: equal but for events that overlap inside one launch. */
static void self_check(struct work *w)
{
    int64_t direct = 0, here = 0;
    for (size_t i = 0; i < w->fw->launchers->rows.n; i++)
        direct += w->fw->launchers->rows.v[i].direct;
    for (size_t i = 0; i < w->rows.n; i++)
        here += w->rows.v[i].time;
    az_cover(w->job, "unified_perf_summary kernel time - ops_all direct kernel time", (double)(here - direct) / (double)w->fw->trace->ticks_per_ns,
             "ns", AZ_SV("not 0 where device events of one launch overlap, or where an operator holds communication besides its own kernels"));
}

static int run(struct az_job *job)
{
    int rc;
    struct work w = { .job = job, .fw = az_fw_get(job, &rc) };
    if (!w.fw || w.fw->launchers->rows.n == 0)
        return rc;
    struct az_table *t = az_table_new(job->arena, "unified_perf_summary", "Kernel time by operation", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    az_vec_init(&w.rows, job->mem);
    az_vec_init(&w.stack, job->mem);
    az_vec_init(&w.spans, job->mem);
    w.forward = az_fw_forward(job, w.fw, &rc);
    if (rc == 0)
        rc = prepare(&w);
    if (rc == 0)
        rc = traverse(&w);
    if (rc == 0)
        rc = add_synthetic(&w);
    if (rc == 0) {
        columns(job, t);
        rc = fill(&w, t);
    }
    if (rc == 0) {
        int sum = (int)az_table_find(t, "Kernel Time (µs)_sum"), uid = (int)az_table_find(t, "ex_UID");
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), AZ_UP(uid) }, 2);
        az_fw_shares(t, (size_t)sum, (size_t)az_table_find(t, "Percentage (%)"), 0);
        self_check(&w);
        if (job->opts->topk_roofline_ops != AZ_UNSET_I64)
            az_table_keep(t, (size_t)job->opts->topk_roofline_ops);
    }
    az_vec_release(&w.rows);
    az_vec_release(&w.stack);
    az_vec_release(&w.spans);
    return az_fw_emit(job, t, rc);
}

const struct az_analysis az_analysis_fw_unified = {
    .name = "unified_perf_summary",
    .help = "kernel time by operation, each device event once",
    .needs = AZ_CAP_FRAMEWORK | AZ_CAP_HOST_OPS,
    .run = run,
};
