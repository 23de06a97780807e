/* unified_perf_summary: every device event once, under the operation that a performance engineer
 * would name (docs/formulas-pytorch.md 8). */
#include "analyses/operators/unified.h"

#include "analyses/operators/metrics.h"
#include "analyses/registry_list.h"
#include "facts/forward_links.h"

struct work {
    struct az_job *job;
    struct az_framework *fw;
    struct az_framework_metrics *metrics;
    const struct az_forward *forward;
    uint8_t *model;                /* operator -> 1 has a model */
    struct az_rank_word *modelled; /* preorder numbers of models with GPU work */
    uint8_t *covered;              /* gpu -> 1 */
    uint8_t *leaf; /* operator -> 1 reaches a device event through calls and frames only */
    struct az_unified u;
    size_t cap; /* of u.rows */
    struct az_arena scratch;
    struct az_vec_u32 stack;
    struct az_spans spans;
};

static bool is_op(const struct work *w, uint32_t node) { return node < w->fw->tree->first_call; }

/* Device events below a node: a run of `linked`. */
struct range {
    uint32_t first, end;
};

static struct range range_of(const struct work *w, uint32_t node)
{
    struct range r;
    az_node_gpu(w->fw->tree, node, &r.first, &r.end);
    return r;
}

static bool has_gpu(const struct work *w, uint32_t node)
{
    const struct range r = range_of(w, node);
    return r.first < r.end;
}

/* Some operator strictly below has a model and GPU work. */
static bool model_below(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    return az_rank(w->modelled, (size_t)c->last[node] + 1) >
           az_rank(w->modelled, (size_t)c->pre[node] + 1);
}

enum by_name { UNASKED, NEVER, ALWAYS, BY_ARGUMENTS };

/* Has an operator of that name a model? Of those without an entry in the table of categories: one
 * of the user's script, or a kernel of a compiler whose name and arguments define its work
 * (docs/formulas-pytorch.md 8, rule 2). */
static enum by_name model_by_name(struct work *w, uint32_t node, uint32_t name)
{
    const struct az_op_category *known = az_framework_known(w->fw, node);
    const struct az_op_model *m = az_framework_model(w->metrics, name);
    if ((known && known->has_model) || az_framework_scripted(w->metrics, name))
        return ALWAYS;
    return m && az_sv_is(m->model, "triton") ? BY_ARGUMENTS : NEVER;
}

static int find_models(struct work *w)
{
    const uint32_t *name = w->fw->trace->ev[AZ_HOST_OP].name;
    const size_t names = w->fw->trace->names.text.n;
    uint8_t *by_name = az_arena_array(&w->scratch, names + 1, 1);
    int rc = by_name ? 0 : az_arena_error(&w->scratch);
    for (uint32_t n = 0; rc == 0 && n < w->fw->tree->first_call; n++) {
        uint8_t *what = &by_name[name[n] < names ? name[n] : names]; /* no name is one, too */
        struct az_framework_estimate e;
        if (*what == UNASKED)
            *what = (uint8_t)model_by_name(w, n, name[n]);
        w->model[n] = *what == ALWAYS;
        if (*what == BY_ARGUMENTS) {
            rc = az_framework_estimate(w->metrics, n, false, &e);
            w->model[n] = rc == 0 && !isnan(e.flops);
        }
    }
    return rc;
}

/* Which operators have a model, and where in the preorder those with GPU work are. */
static int prepare(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    struct az_arena *a = &w->scratch;
    int rc;
    w->metrics = az_framework_metrics_get(w->job, w->fw, &rc);
    if (rc)
        return rc;
    w->model = az_arena_array(a, (size_t)c->n + 1, 1);
    w->modelled = az_arena_array(a, az_rank_words((size_t)c->n + 1), sizeof *w->modelled);
    w->covered = az_arena_array(a, (size_t)c->n_gpu + 1, 1);
    w->leaf = az_arena_array(a, (size_t)c->first_call + 1, 1);
    if (!w->model || !w->modelled || !w->covered || !w->leaf)
        return az_arena_error(a);
    for (uint32_t i = 0; i < c->n_linked; i++) {
        const uint32_t op = az_node_op(c, c->parent[c->gpu_node[c->linked[i]]]);
        if (op != AZ_NO_ROW)
            w->leaf[op] = 1;
    }
    rc = find_models(w);
    if (rc)
        return rc;
    for (uint32_t p = 0; p < c->n; p++) {
        uint32_t n = c->by_pre[p];
        if (w->model[n] && has_gpu(w, n))
            az_rank_set(w->modelled, p);
    }
    az_rank_close(w->modelled, (size_t)c->n + 1);
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

/* Backward category of the modeled forward operator whose only main backward operator this is;
 * empty otherwise. */
static struct az_sv sole_backward(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    uint32_t up = node;
    for (int level = 0; level <= 5 && up != AZ_NO_ROW; level++, up = c->parent[up]) {
        if (!is_op(w, up) || az_forward_of(w->forward, up) == AZ_NO_ROW)
            continue;
        const struct az_op_category *f = az_framework_known(w->fw, az_forward_of(w->forward, up));
        struct az_sv target = wrapper_target(az_node_name(c, up));
        if (!f || !f->has_model || f->bwd_category.n == 0 ||
            !az_sv_eq(target, az_node_name(c, node)) || up == node)
            return AZ_SV("");
        return count_named(w, up, target) == 1 ? f->bwd_category : AZ_SV("");
    }
    return AZ_SV("");
}

static bool comm_below(const struct work *w, struct range in)
{
    for (uint32_t i = in.first; i < in.end; i++)
        if (az_framework_is_comm(w->fw, w->fw->tree->linked[i]))
            return true;
    return false;
}

static int64_t union_of(struct work *w, struct range in, int *rc)
{
    const struct az_calltree *c = w->fw->tree;
    if (in.end - in.first == 1) {
        const struct az_event e = az_gpu_event(c, c->linked[in.first]);
        return e.end > e.start ? e.end - e.start : 0;
    }
    az_vec_reset(&w->spans);
    for (uint32_t i = in.first; *rc == 0 && i < in.end; i++) {
        struct az_event e = az_gpu_event(c, c->linked[i]);
        *rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    return az_spans_length(&w->spans);
}

/* Categories are few, and their texts are mostly the same bytes. */
static int category_index(struct az_unified *u, struct az_sv category, uint16_t *index)
{
    for (size_t i = 0; i < u->categories.n; i++)
        if (u->categories.v[i].p == category.p && u->categories.v[i].n == category.n) {
            *index = (uint16_t)i;
            return 0;
        }
    for (size_t i = 0; i < u->categories.n; i++)
        if (az_sv_eq(u->categories.v[i], category)) {
            *index = (uint16_t)i;
            return 0;
        }
    *index = (uint16_t)u->categories.n;
    return u->categories.n < UINT16_MAX ? az_vec_push(&u->categories, category) : AZ_ERANGE;
}

/* In the job's arena, where the rows stay with it. */
static int push_row(struct work *w, struct az_unified_row r)
{
    if (w->u.rows.n == w->cap) {
        const size_t cap = w->cap + w->cap / 2 + 16;
        struct az_unified_row *v = az_arena_array(w->job->arena, cap, sizeof *v);
        if (!v)
            return az_arena_error(w->job->arena);
        if (w->cap)
            memcpy(v, w->u.rows.v, w->u.rows.n * sizeof *v);
        w->u.rows.v = v;
        w->cap = cap;
    }
    w->u.rows.v[w->u.rows.n++] = r;
    return 0;
}

static int take_node(struct work *w, uint32_t node, struct range in, struct az_sv category)
{
    int rc = 0;
    struct az_unified_row r = { .node = node,
                                .model = w->model[node],
                                .of = category.n ? az_framework_backward_of(w->fw, w->forward, node)
                                                 : AZ_NO_ROW };
    const int64_t time = union_of(w, in, &rc);
    r.what = time < AZ_UNIFIED_LONG ? (uint32_t)time : AZ_UNIFIED_LONG;
    if (rc == 0 && r.what == AZ_UNIFIED_LONG)
        rc = az_vec_push(&w->u.longer, ((struct az_unified_long){ (uint32_t)w->u.rows.n, time }));
    for (uint32_t i = in.first; i < in.end; i++)
        w->covered[w->fw->tree->linked[i]] = 1;
    if (rc == 0)
        rc = category_index(&w->u, category.n ? category : az_framework_op_category(w->fw, node),
                            &r.category);
    return rc ? rc : push_row(w, r);
}

static int descend(struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    size_t from = w->stack.n;
    for (uint32_t p = c->pre[node] + 1; p <= c->last[node];
         p = c->last[c->by_pre[p]] + 1) { /* children are subtrees in a row */
        int rc = az_vec_push(&w->stack, c->by_pre[p]);
        if (rc)
            return rc;
    }
    for (size_t a = from, b = w->stack.n; a + 1 < b; a++) { /* the first child is examined first */
        uint32_t t = w->stack.v[a];
        w->stack.v[a] = w->stack.v[--b];
        w->stack.v[b] = t;
    }
    return 0;
}

/* A call ends the way down, but for the launch of a graph whose captured operators are below it. */
static bool is_end(const struct work *w, uint32_t node)
{
    const struct az_calltree *c = w->fw->tree;
    return !is_op(w, node) && node < c->first_frame &&
           (node >= c->first_captured || w->fw->ops->grafts.n == 0);
}

static int visit(struct work *w, uint32_t node)
{
    const struct range in = range_of(w, node);
    if (in.first >= in.end || is_end(w, node))
        return 0;
    if (!is_op(w, node))
        return descend(w, node);
    if (w->model[node]) /* one whose metrics are its forward operator's: `ConvBias_Backward` records
                           no shapes */
        return take_node(w, node, in,
                         az_framework_model(w->metrics, az_framework_node(w->fw, node).name)
                             ? AZ_SV("")
                             : sole_backward(w, node));
    bool below = model_below(w, node);
    struct az_sv backward = below ? AZ_SV("") : sole_backward(w, node);
    if (backward.n)
        return take_node(w, node, in, backward);
    if (below || !w->leaf[node])
        return descend(w, node);
    return comm_below(w, in) ? 0 : take_node(w, node, in, AZ_SV(""));
}

/* Roots in order of start: host nodes without a parent; operators only, or the frames above them.
 */
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

/* Name and category of a synthetic row, made once per (owner's name, kernel's name). */
static int name_synthetic(struct work *w, struct az_map *seen, struct az_unified_row *r)
{
    uint32_t owner = az_framework_node(w->fw, r->node).name,
             kernel = az_gpu_event(w->fw->tree, r->of).name, *first;
    struct az_sv kernel_name = az_framework_text(w->fw, kernel, "");
    bool added;
    int rc = az_map_put(seen, owner, kernel, (uint32_t)w->u.rows.n, &first, &added);
    if (rc)
        return rc;
    if (!added) {
        r->what = w->u.rows.v[*first].what;
        r->category = w->u.rows.v[*first].category;
        return 0;
    }
    const struct az_sv name =
        az_arena_printf(w->job->arena, "%.*s->%.*s (Synthetic Op)",
                        AZ_SVF(az_node_name(w->fw->tree, r->node)), AZ_SVF(kernel_name));
    r->what = (uint32_t)w->u.names.n;
    rc = name.p ? az_vec_push(&w->u.names, name) : az_arena_error(w->job->arena);
    return rc ? rc
              : category_index(&w->u, az_framework_categorise(w->fw, name, kernel_name),
                               &r->category);
}

/* Device events that no taken operator covers: one row each, under their owner's name. */
static int add_synthetic(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, w->job->mem, 64);
    w->u.first_synthetic = w->u.rows.n;
    for (uint32_t g = 0; rc == 0 && g < c->n_gpu; g++) {
        if (w->covered[g] || az_framework_is_comm(w->fw, g) || c->gpu_node[g] == AZ_NO_ROW)
            continue;
        uint32_t op = az_node_op(c, c->gpu_node[g]);
        struct az_unified_row r = { .node = op != AZ_NO_ROW ? op : c->gpu_node[g],
                                    .of = g,
                                    .synthetic = true };
        rc = name_synthetic(w, &seen, &r);
        if (rc == 0)
            rc = push_row(w, r);
    }
    az_map_release(&seen);
    return rc;
}

/* Direct kernel time of the launchers against this table's: equal but for events that overlap
 * inside one launch. */
static void self_check(struct work *w)
{
    int64_t direct = 0, here = 0;
    for (size_t i = 0; i < w->fw->launchers->rows.n; i++)
        direct += az_launcher_times(w->fw->launchers, w->fw->tree, i).direct;
    for (size_t i = 0; i < w->u.rows.n; i++)
        here += az_unified_time(&w->u, &w->u.rows.v[i]);
    az_cover(w->job, "unified_perf_summary kernel time - ops_all direct kernel time",
             (double)(here - direct) / (double)w->fw->trace->ticks_per_ns, "ns",
             AZ_SV("nonzero if device events of one launch overlap or an operator launches "
                   "communication and other kernels"));
}

/* Copies n elements into the job's arena, where they stay with it; NULL without memory. */
static void *settled(struct work *w, const void *v, size_t n, size_t size)
{
    void *to = az_arena_array(w->job->arena, n + 1, size);
    if (to && n)
        memcpy(to, v, n * size);
    return to;
}

static int settle(struct work *w)
{
    struct az_vec_sv *names = &w->u.names, *categories = &w->u.categories;
    struct az_unified_longs *longer = &w->u.longer;
    struct az_unified out = w->u;
    out.names =
        (struct az_vec_sv){ .v = settled(w, names->v, names->n, sizeof *names->v), .n = names->n };
    out.categories =
        (struct az_vec_sv){ .v = settled(w, categories->v, categories->n, sizeof *categories->v),
                            .n = categories->n };
    out.longer =
        (struct az_unified_longs){ .v = settled(w, longer->v, longer->n, sizeof *longer->v),
                                   .n = longer->n };
    if (!out.names.v || !out.categories.v || !out.longer.v)
        return az_arena_error(w->job->arena);
    az_vec_release(names);
    az_vec_release(categories);
    az_vec_release(longer);
    w->u = out;
    return 0;
}

static int make_unified(struct work *w)
{
    int rc;
    w->forward = az_job_forward(w->job, 0, &rc);
    if (rc == 0)
        rc = prepare(w);
    if (rc == 0)
        rc = traverse(w);
    if (rc == 0)
        rc = add_synthetic(w);
    az_arena_release(&w->scratch);
    return rc ? rc : settle(w);
}

static const struct az_unified *unified_of(struct az_job *job, struct az_framework *fw, void **slot,
                                           int *rc)
{
    struct work w = { .job = job, .fw = fw, .u.fw = fw };
    *rc = slot ? 0 : az_arena_error(job->arena);
    if (*rc || *slot)
        return slot ? *slot : NULL;
    az_arena_init(&w.scratch, job->mem);
    az_vec_init(&w.u.longer, job->mem);
    az_vec_init(&w.u.names, job->mem);
    az_vec_init(&w.u.categories, job->mem);
    az_vec_init(&w.stack, job->mem);
    az_vec_init(&w.spans, job->mem);
    w.cap = fw->launchers->rows.n + 1; /* often one a launcher */
    w.u.rows.v = az_arena_array(job->arena, w.cap, sizeof *w.u.rows.v);
    *rc = w.u.rows.v ? make_unified(&w) : az_arena_error(job->arena);
    struct az_unified *u = *rc ? NULL : az_arena_alloc(job->arena, sizeof *u);
    if (u)
        *u = w.u;
    else
        *rc = *rc ? *rc : az_arena_error(job->arena);
    if (w.u.names.mem) {
        az_vec_release(&w.u.longer);
        az_vec_release(&w.u.names);
        az_vec_release(&w.u.categories);
    }
    az_vec_release(&w.stack);
    az_vec_release(&w.spans);
    az_arena_release(&w.scratch);
    *slot = u;
    return u;
}

const struct az_unified *az_unified_of(struct az_job *job, struct az_framework *fw, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_unified *u = unified_of(job, fw, slot, rc);
    az_job_leave(job, slot);
    return u;
}

static int run_unified(struct az_job *job)
{
    int rc;
    struct work w = { .job = job, .fw = az_framework_get(job, &rc) };
    if (!w.fw || w.fw->launchers->rows.n == 0 || !w.fw->ops->has_ops)
        return rc;
    const struct az_unified *u = az_unified_of(job, w.fw, &rc);
    if (!u)
        return rc;
    w.u = *u;
    rc = az_unified_compared(job) ? 0 : az_unified_tables(job, w.fw, u, NULL);
    if (rc == 0)
        rc = az_unified_roofline(job, w.fw, u);
    if (rc == 0)
        self_check(&w);
    return rc;
}

const struct az_analysis az_analysis_fw_unified = {
    .name = "unified_perf_summary",
    .help = "kernel time by operation, each device event counted once",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .run = run_unified,
    .part = 40,
};
