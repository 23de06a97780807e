/* The call tree of a framework trace as scripts see and change it. */
#include "analyses/tree_hooks/tree_hook.h"
#include "analyses/tree_hooks/tree_repeats.h"
#include "base/data.h"
#include "extend/extend.h"
#include "facts/forward_links.h"
#include "model/treeedit.h"

#define PSEUDO_OPS "pseudo_ops.lua" /* shipped rules, in configs/ */

struct view {
    bool unloaded; /* the user's script could not be loaded */
    struct az_trace *t;
    const struct az_calltree *c;
    const struct az_optrace *o;
    struct az_tree_edits *edits;
    struct az_arena *a;
    /* Links of backward operators, created when a script requests the first one: its forward
     * operator, the first backward operator of one, and the next of the same; AZ_NO_ROW: none. */
    uint32_t *forward, *first, *next;
    struct az_tree_repeats repeats; /* not shown */
    int rc;                         /* memory ended */
};

/* Scripts number nodes in preorder, so that a subtree is a run of numbers. */
static uint32_t node_of(const struct view *v, uint32_t n)
{
    return v->c->by_pre[az_tree_shown_pre(&v->repeats, n)];
}

static uint32_t number_of(const struct view *v, uint32_t node)
{
    return az_tree_shown_number(&v->repeats, v->c->pre[node]);
}

static const struct az_events *events_of(const struct view *v, uint32_t n, uint32_t *row)
{
    return &v->t->ev[az_node_kind(v->c, node_of(v, n), row)];
}

static struct az_sv node_name(void *ctx, uint32_t n)
{
    const struct view *v = ctx;
    return az_node_name(v->c, node_of(v, n));
}

static const char *node_kind(void *ctx, uint32_t n)
{
    const struct view *v = ctx;
    uint32_t row;
    const enum az_kind k = az_node_kind(v->c, node_of(v, n), &row);
    return k == AZ_HOST_OP ? "op" : k == AZ_FRAME ? "frame" : "call";
}

static uint32_t parent(void *ctx, uint32_t n)
{
    const struct view *v = ctx;
    const uint32_t up = v->c->parent[node_of(v, n)];
    return up == AZ_NO_ROW ? AZ_EXTEND_NO_NODE : number_of(v, up);
}

static uint32_t child(void *ctx, uint32_t n, uint32_t after)
{
    const struct view *v = ctx;
    const uint32_t last = az_tree_shown_number(&v->repeats, v->c->last[node_of(v, n)]),
                   next =
                       after == AZ_EXTEND_NO_NODE
                           ? n + 1
                           : az_tree_shown_number(&v->repeats, v->c->last[node_of(v, after)]) + 1;
    return next <= last ? next : AZ_EXTEND_NO_NODE;
}

static void node_span(void *ctx, uint32_t n, int64_t *start, int64_t *end)
{
    const struct view *v = ctx;
    uint32_t row;
    const struct az_events *e = events_of(v, n, &row);
    *start = e->start[row] / v->t->ticks_per_ns;
    *end = e->end[row] / v->t->ticks_per_ns;
}

static uint32_t kernels(void *ctx, uint32_t n, uint32_t *first)
{
    const struct view *v = ctx;
    uint32_t end;
    az_node_gpu(v->c, node_of(v, n), first, &end);
    return end - *first;
}

static struct az_extend_kernel kernel(void *ctx, uint32_t i)
{
    const struct view *v = ctx;
    const struct az_event e = az_gpu_event(v->c, v->c->linked[i]);
    return (struct az_extend_kernel){ .name = e.name == AZ_NO_ID ? AZ_SV("")
                                                                 : az_trace_text(v->t, e.name),
                                      .ns = (e.end - e.start) / v->t->ticks_per_ns,
                                      .call = number_of(v, v->c->gpu_node[v->c->linked[i]]) };
}

static struct az_sv text_of(const struct view *v, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(v->t, id);
}

static struct az_extend_args node_args(void *ctx, uint32_t n)
{
    const struct view *v = ctx;
    const uint32_t node = node_of(v, n),
                   side = node < v->c->first_call ? az_op_side(v->t, node) : AZ_NO_ROW,
                   row = side == AZ_NO_ROW ? AZ_NO_ROW : v->o->ops.v[side].args;
    const struct az_sv none = { "", 0 };
    if (row == AZ_NO_ROW)
        return (struct az_extend_args){ none, none, none, none, none };
    const struct az_op_args *a = &v->o->args.v[row];
    return (struct az_extend_args){ text_of(v, a->dims), text_of(v, a->types),
                                    text_of(v, a->strides), text_of(v, a->concrete), none };
}

static int64_t sequence(void *ctx, uint32_t n)
{
    const struct view *v = ctx;
    const uint32_t node = node_of(v, n),
                   side = node < v->c->first_call ? az_op_side(v->t, node) : AZ_NO_ROW;
    return side == AZ_NO_ROW ? -1 : az_op_seq(v->o, side);
}

/* ---- links ---- */

static bool has_links(struct view *v)
{
    const size_t n = (size_t)v->c->first_call + 1;
    const struct az_op_links from = { .trace = v->t, .tree = v->c, .ops = v->o, .named = true };
    if (v->forward)
        return true;
    uint32_t *forward = az_arena_array(v->a, n, sizeof *forward);
    v->first = az_arena_array(v->a, n, sizeof *v->first);
    v->next = az_arena_array(v->a, n, sizeof *v->next);
    v->rc = forward && v->first && v->next ? az_forward_links(&from, v->t->mem, forward)
                                           : az_arena_error(v->a);
    if (v->rc)
        return false;
    for (size_t i = 0; i < n; i++)
        v->first[i] = v->next[i] = AZ_NO_ROW;
    for (uint32_t i = v->c->first_call; i-- > 0;) {
        if (forward[i] == AZ_NO_ROW)
            continue;
        v->next[i] = v->first[forward[i]];
        v->first[forward[i]] = i;
    }
    v->forward = forward;
    return true;
}

static uint32_t forward(void *ctx, uint32_t n)
{
    struct view *v = ctx;
    uint32_t node = node_of(v, n);
    if (!has_links(v))
        return AZ_EXTEND_NO_NODE;
    for (; node != AZ_NO_ROW; node = v->c->parent[node])
        if (node < v->c->first_call && v->forward[node] != AZ_NO_ROW)
            return number_of(v, v->forward[node]);
    return AZ_EXTEND_NO_NODE;
}

static uint32_t backward(void *ctx, uint32_t n, uint32_t after)
{
    struct view *v = ctx;
    const bool more = after != AZ_EXTEND_NO_NODE;
    const uint32_t node = node_of(v, more ? after : n);
    if (node >= v->c->first_call || !has_links(v))
        return AZ_EXTEND_NO_NODE;
    const uint32_t next = more ? v->next[node] : v->first[node];
    return next == AZ_NO_ROW ? AZ_EXTEND_NO_NODE : number_of(v, next);
}

/* ---- changes ---- */

static const char *keep_error(struct view *v, int rc)
{
    if (rc)
        v->rc = rc;
    return rc ? "out of memory" : NULL;
}

static const char *rename_op(void *ctx, uint32_t n, struct az_sv text)
{
    struct view *v = ctx;
    struct az_tree_rename x = { .op = node_of(v, n) };
    if (x.op >= v->c->first_call)
        return "rename: the node is not an operator";
    if (text.n == 0)
        return "rename: the name is empty";
    x.name = az_trace_name(v->t, text);
    return keep_error(v,
                      v->t->names.error ? v->t->names.error : az_vec_push(&v->edits->renames, x));
}

static const char *remove_op(void *ctx, uint32_t n)
{
    struct view *v = ctx;
    const uint32_t node = node_of(v, n);
    return node >= v->c->first_call ? "remove: the node is not an operator"
                                    : keep_error(v, az_vec_push(&v->edits->removed, node));
}

static uint32_t text_id(struct view *v, struct az_sv text)
{
    return text.n ? az_trace_name(v->t, text) : AZ_NO_ID;
}

static const char *insert(void *ctx, struct az_sv text, const uint32_t *nodes, size_t n,
                          const struct az_extend_args *a)
{
    struct view *v = ctx;
    struct az_tree_insert x = { .start = INT64_MAX, .end = INT64_MIN };
    uint32_t row, lane = 0;
    if (text.n == 0)
        return "insert: the name is empty";
    for (size_t i = 0; i < n; i++) {
        const struct az_events *e = events_of(v, nodes[i], &row);
        if (v->c->parent[node_of(v, nodes[i])] != v->c->parent[node_of(v, nodes[0])] ||
            (i && e->lane[row] != lane))
            return "insert: the nodes have more than one parent";
        lane = e->lane[row];
        if (e->start[row] < x.start ||
            (e->start[row] == x.start && node_of(v, nodes[i]) != x.first &&
             v->c->pre[node_of(v, nodes[i])] < v->c->pre[x.first]))
            x.first = node_of(v, nodes[i]);
        x.start = e->start[row] < x.start ? e->start[row] : x.start;
        x.end = e->end[row] > x.end ? e->end[row] : x.end;
    }
    x.name = az_trace_name(v->t, text);
    x.args.dims = text_id(v, a->dims);
    x.args.types = text_id(v, a->types);
    x.args.strides = text_id(v, a->strides);
    x.args.concrete = text_id(v, a->concrete);
    x.args.facts = text_id(v, a->facts);
    return keep_error(v,
                      v->t->names.error ? v->t->names.error : az_vec_push(&v->edits->inserts, x));
}

static int run_tree(struct view *v, struct az_extend *e, struct az_diag *messages)
{
    const struct az_extend_tree tree = { .ctx = v,
                                         .n = v->c->n - v->repeats.hidden,
                                         .name = node_name,
                                         .kind = node_kind,
                                         .parent = parent,
                                         .child = child,
                                         .span = node_span,
                                         .kernels = kernels,
                                         .kernel = kernel,
                                         .args = node_args,
                                         .sequence = sequence,
                                         .forward = forward,
                                         .backward = backward,
                                         .rename = rename_op,
                                         .remove = remove_op,
                                         .insert = insert };
    const int rc = az_extend_run_tree(e, &tree, messages);
    return v->rc ? v->rc : rc;
}

/* The shipped rules, or the user's script. One that cannot be loaded is reported with its
 * categories and models. */
static int run_script(struct view *v, struct az_arena *a, const char *path,
                      struct az_diag *messages)
{
    struct az_extend *e = NULL;
    struct az_diag loading;
    az_diag_init(&loading);
    int rc = path
                 ? az_extend_open(&e, path, a, v->t->mem, &loading)
                 : az_extend_open_text(&e, PSEUDO_OPS, az_data(PSEUDO_OPS), a, v->t->mem, &loading);
    az_diag_release(&loading);
    if (rc == AZ_ECONFIG) {
        v->unloaded = true;
        return path ? 0 : AZ_EINTERNAL;
    }
    if (rc == 0 && az_extend_has_tree(e))
        rc = run_tree(v, e, messages);
    az_extend_close(e);
    return rc;
}

/* The shipped rules, which do the same in each launch of a graph. */
static int run_shipped(struct view *v, struct az_arena *a, struct az_diag *messages)
{
    int rc = az_tree_repeats_find(&v->repeats, v->t);
    if (rc == 0)
        rc = run_script(v, a, NULL, messages);
    if (rc == 0)
        rc = az_tree_repeats_copy(&v->repeats, v->t, v->edits);
    az_tree_repeats_release(&v->repeats);
    v->repeats = (struct az_tree_repeats){ .c = v->c };
    return rc;
}

int az_framework_tree_hook(struct az_trace *t, struct az_tree_edits *edits, void *ctx)
{
    struct az_hook_job *job = ctx;
    struct view v = { .t = t, .c = az_tree(t), .o = az_optrace(t), .edits = edits };
    struct az_arena a;
    int rc = 0;
    /* The steps of captured mixtures of experts have no operator of their own either. */
    const bool shipped = job->opts->enable_pseudo_ops ||
                         (v.o->grafts.n && !az_sv_is(job->opts->sheets_as, "tracelens-inference"));
    if (v.c->n == 0 || (!shipped && job->opts->extension_file.n == 0))
        return 0;
    job->loaded = job->opts->extension_file.n > 0;
    az_arena_init(&a, t->mem);
    v.a = &a;
    if (shipped)
        rc = run_shipped(&v, &a, job->diag);
    if (rc == 0 && job->opts->extension_file.n) {
        const char *path = az_arena_str(&a, job->opts->extension_file);
        rc = path ? run_script(&v, &a, path, job->diag) : az_arena_error(&a);
    }
    az_arena_release(&a);
    job->unloaded |= v.unloaded;
    if (rc == AZ_ECONFIG) { /* reported; the report is made of the trace as it is */
        az_tree_edits_reset(edits);
        job->failed = rc;
        rc = 0;
    }
    return rc;
}

int az_framework_script_check(const struct az_options *opts, struct az_diag *diag)
{
    struct az_arena a;
    struct az_extend *e = NULL;
    int rc = 0;

    if (opts->extension_file.n == 0)
        return 0;
    az_arena_init(&a, NULL);
    const char *path = az_arena_str(&a, opts->extension_file);
    rc = path ? az_extend_open(&e, path, &a, NULL, diag) : az_arena_error(&a);
    az_extend_close(e);
    az_arena_release(&a);
    return rc;
}
