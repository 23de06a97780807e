#include "model/graph_capture_internal.h"

#include "base/num.h"
#include "base/sort.h"

static const enum az_kind added_kinds[3] = { AZ_HOST_OP, AZ_CAPTURED, AZ_FRAME };

/* ---- device events of a launch ---- */
uint32_t az_pair_key(enum az_kind k, struct az_sv text, uint32_t name)
{
    if (k == AZ_MEMCPY || az_sv_find(text, AZ_SV("copyBuffer")) >= 0)
        return (uint32_t)AZ_KEY_COPY;
    if (k == AZ_MEMSET || az_sv_find(text, AZ_SV("fillBuffer")) >= 0)
        return (uint32_t)AZ_KEY_FILL;
    return name;
}

/* Device events of the launch in order of graph nodes, if all have one of their own; else of start.
 */
static int order_events(struct az_grafting *g, const struct az_replay *r)
{
    const size_t n = r->end - r->first;
    bool nodes = g->o->graph_nodes.n > 0;
    int64_t *key = az_mem_alloc(g->t->mem, (n + 1) * sizeof *key);
    int rc = key ? az_vec_reserve(&g->gpu, n) : az_mem_error(g->t->mem);
    for (int by = nodes ? 0 : 1; rc == 0 && by < 2; by++) {
        uint32_t *perm = g->gpu.v;
        for (size_t i = 0; i < n; i++) {
            const struct az_event e = az_gpu_event(g->c, g->c->linked[r->first + i]);
            key[i] = by ? e.start : (int64_t)az_optrace_graph_node(g->o, e.uid);
        }
        az_sort_order(key, n, perm, g->t->mem);
        nodes = n > 0 && key[perm[0]] != 0;
        for (size_t i = 1; i < n && nodes; i++)
            nodes = key[perm[i]] != key[perm[i - 1]];
        if (by == 0 && nodes)
            break;
    }
    g->gpu.n = n;
    for (size_t i = 0; rc == 0 && i < n; i++)
        g->gpu.v[i] = g->c->linked[r->first + g->gpu.v[i]];
    if (key)
        az_mem_free(g->t->mem, key, (n + 1) * sizeof *key);
    return rc;
}

static int list_events(struct az_grafting *g, const struct az_replay *r)
{
    const size_t n = r->end - r->first;
    int rc = order_events(g, r);
    if (rc == 0)
        rc = az_vec_reserve(&g->key, n);
    if (rc == 0)
        rc = az_vec_reserve(&g->lane, n);
    if (rc == 0)
        rc = az_vec_reserve(&g->launch_of, n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_event e = az_gpu_event(g->c, g->gpu.v[i]);
        g->key.v[i] = az_pair_key((enum az_kind)g->c->gpu_kind[g->gpu.v[i]],
                                  az_trace_text(g->t, e.name), e.name);
        g->lane.v[i] = e.lane;
    }
    return rc;
}

/* ---- adding ---- */
/* Sequence numbers pair a backward operator with its forward one: those of a replay are its own. */
static int side_of(struct az_grafting *g, uint32_t side, uint32_t *out)
{
    *out = side;
    const int64_t seq = side == AZ_NO_ROW ? -1 : az_op_seq(g->o, side);
    if (seq < 0)
        return 0;
    return az_optrace_op(g->o, g->o->ops.v[side].args,
                         (int64_t)(((uint64_t)seq + ((uint64_t)g->o->grafts.n << 32)) & INT64_MAX),
                         out);
}

static int add_sources(struct az_grafting *g, const struct az_captured_node *n, uint32_t uid)
{
    int rc = 0;
    if (n->coll != AZ_NO_ROW || n->args != AZ_NO_ROW)
        rc = az_vec_push(&g->o->coll_sources, ((struct az_coll_source){ uid, n->coll, n->args }));
    if (rc == 0 && n->file != AZ_NO_ID)
        rc = az_vec_push(&g->o->op_files, ((struct az_op_file){ uid, n->file }));
    return rc;
}

/* The nodes of a root below a launch; a captured call only where it has its device event. A node
 * lasts from its number to that of the last node below it. */
static int add_nodes(struct az_grafting *g, const struct az_replay *r,
                     const struct az_capture_root *root)
{
    const struct az_events *calls = &g->t->ev[AZ_CALL];
    const uint32_t number = (uint32_t)(root - g->o->captures.roots.v);
    const struct az_captured_node *node = g->o->captures.nodes.v + root->first_node;
    int rc = root->n_nodes < AZ_NO_ROW - 1 - g->o->graft_end ? 0 : AZ_ERANGE;
    if (rc == 0)
        rc = az_vec_push(&g->o->grafts, ((struct az_graft){ r->call, number, g->o->graft_end }));
    for (uint32_t i = 0; rc == 0 && i < root->n_nodes; i++) {
        const uint32_t gpu =
            node[i].kind == AZ_CAPTURED ? g->event_of.v[node[i].launch] : AZ_NO_ROW;
        struct az_event e = { .start = calls->start[r->call] + i,
                              .end = calls->start[r->call] + node[i].last + 1,
                              .name = node[i].name,
                              .lane = calls->lane[r->call],
                              .side = AZ_NO_ROW,
                              .uid = g->o->graft_end++ };
        if (node[i].kind == AZ_CAPTURED && gpu == AZ_NO_ROW) {
            g->o->grafted.surplus++;
            continue;
        }
        if (gpu != AZ_NO_ROW)
            e.node = (uint64_t)az_gpu_event(g->c, gpu).uid + 1;
        size_t k = 0;
        while (added_kinds[k] != node[i].kind)
            k++;
        if (k == 0)
            rc = side_of(g, node[i].side, &e.side);
        if (rc == 0)
            rc = add_sources(g, &node[i], e.uid);
        if (rc == 0)
            rc = az_vec_push(&g->add[k], e);
    }
    return rc;
}

struct sum {
    uint64_t launches, events;
    int64_t ticks, kernels; /* kernels: without copies and fills */
};

static int count_one(struct az_grafting *g, const struct az_replay *r, enum az_pair_by by,
                     size_t root, const struct sum *s)
{
    const struct az_capture_root *x =
        az_paired(by) || by == AZ_PAIR_BETWEEN ? &g->o->captures.roots.v[root] : NULL;
    const bool parts = g->has_parts && (r->of > 1 || !g->has_full);
    struct az_capture_attach_sums *sums = &g->o->grafted;
    struct az_capture_attach_row row = { .batch =
                                             x ? x->batch : az_replay_batch(&g->replays, r, parts),
                                         .mode = x             ? x->mode
                                                 : parts       ? AZ_CAPTURE_PIECEWISE
                                                 : g->has_full ? AZ_CAPTURE_FULL
                                                               : AZ_CAPTURE_ANY,
                                         .by = (uint8_t)by };
    const uint32_t at = az_map_number(&g->row_of, (uint64_t)row.batch,
                                      (uint64_t)row.mode << 8 | row.by, g->o->graft_rows.n);
    if (at == g->o->graft_rows.n)
        az_vec_add(&g->o->graft_rows, row);
    if (at >= g->o->graft_rows.n)
        return az_mem_error(g->o->graft_rows.mem);
    struct az_capture_attach_row *to = &g->o->graft_rows.v[at];
    to->launches += s->launches;
    to->events += s->events;
    to->ticks = az_add_sat(to->ticks, s->ticks);
    sums->launches[by] += s->launches;
    sums->events[by] += s->events;
    sums->ticks[by] = az_add_sat(sums->ticks[by], s->ticks);
    sums->kernels[by] = az_add_sat(sums->kernels[by], s->kernels);
    return 0;
}

static int by_shape_and_rule(const void *a, const void *b, void *ctx)
{
    const struct az_capture_attach_row *x = a, *y = b;
    (void)ctx;
    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return x->mode != y->mode ? x->mode - y->mode : x->by - y->by;
}

/* Of a launch that is paired in part, the events that are not are those of a reason of their own.
 */
static int count_events(struct az_grafting *g, const struct az_replay *r, enum az_pair_by by,
                        size_t root)
{
    struct sum own = { 0 }, left = { 0 };
    for (size_t i = 0; i < g->gpu.n; i++) {
        const struct az_event e = az_gpu_event(g->c, g->gpu.v[i]);
        const bool out = by == AZ_PAIR_MARKS && g->launch_of.v[i] == AZ_NO_ROW;
        struct sum *to = out ? &left : &own;
        to->events++;
        to->ticks = az_add_sat(to->ticks, e.end - e.start);
        if (g->c->gpu_kind[g->gpu.v[i]] == AZ_KERNEL)
            to->kernels = az_add_sat(to->kernels, e.end - e.start);
    }
    own.launches = 1;
    const int rc = count_one(g, r, by, root, &own);
    return rc || left.events == 0 ? rc : count_one(g, r, AZ_PAIR_BETWEEN, root, &left);
}

static int graft_one(struct az_grafting *g, const struct az_replay *r, bool again)
{
    size_t root = 0;
    int rc = list_events(g, r);
    if (rc)
        return rc;
    const enum az_pair_by by = az_capture_attach_choose(g, r, &root, &rc);
    const size_t n = g->gpu.n;
    if (rc == 0 && !again && az_capture_attach_may_learn(g, by))
        return az_vec_push(&g->again, (uint32_t)(r - g->replays.all.v));
    if (rc == 0)
        rc = count_events(g, r, by, root);
    if (rc || !az_paired(by))
        return rc;
    const struct az_capture_root *x = &g->o->captures.roots.v[root];
    rc = az_vec_reserve(&g->event_of, x->n_launches);
    if (rc)
        return rc;
    memset(g->event_of.v, 0xff, x->n_launches * sizeof *g->event_of.v);
    for (size_t i = 0; i < n; i++)
        if (g->launch_of.v[i] != AZ_NO_ROW)
            g->event_of.v[g->launch_of.v[i]] = g->gpu.v[i];
    return add_nodes(g, r, x);
}

static int put_events(struct az_grafting *g)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < 3; k++) {
        const size_t old = g->t->ev[added_kinds[k]].n;
        uint8_t *gone = az_mem_alloc(g->t->mem, old + 1);
        if (!gone)
            return az_mem_error(g->t->mem);
        memset(gone, 0, old + 1);
        if (g->add[k].n)
            rc = az_trace_replace(g->t, added_kinds[k], gone, g->add[k].v, g->add[k].n);
        az_mem_free(g->t->mem, gone, old + 1);
        az_vec_release(&g->add[k]);
    }
    return rc;
}

static int rebuild(struct az_grafting *g)
{
    g->o->n_events = g->o->graft_end;
    if (g->t->ev[AZ_HOST_OP].n) { /* the trace itself may have none */
        g->o->has_ops = true;
        g->t->caps |= AZ_CAP_HOST_OPS;
    }
    az_calltree_release(g->c);
    const int rc = az_calltree_build(g->c, g->t, g->o->opts);
    if (rc)
        g->o->tree = NULL;
    return rc;
}

static void init_graft(struct az_grafting *g)
{
    struct az_mem *mem = g->t->mem;
    az_replays_init(&g->replays, g->t, g->c);
    az_plausible_init(&g->plausible, g->t);
    az_vec_init(&g->learned, mem);
    az_vec_init(&g->gpu, mem);
    az_vec_init(&g->key, mem);
    az_vec_init(&g->lane, mem);
    az_vec_init(&g->launch_of, mem);
    az_vec_init(&g->op_name, mem);
    az_vec_init(&g->again, mem);
    az_vec_init(&g->event_of, mem);
    for (size_t k = 0; k < 3; k++)
        az_vec_init(&g->add[k], mem);
}

static void release(struct az_grafting *g)
{
    az_replays_release(&g->replays);
    az_plausible_release(&g->plausible);
    az_map_release(&g->row_of);
    az_vec_release(&g->learned);
    az_vec_release(&g->gpu);
    az_vec_release(&g->key);
    az_vec_release(&g->lane);
    az_vec_release(&g->launch_of);
    az_vec_release(&g->op_name);
    az_vec_release(&g->again);
    az_vec_release(&g->event_of);
    for (size_t k = 0; k < 3; k++)
        az_vec_release(&g->add[k]);
    az_captures_release(&g->o->captures);
}

int az_graft(struct az_trace *t, struct az_calltree *tree)
{
    struct az_grafting g = { .t = t, .c = tree, .o = az_optrace(t) };
    init_graft(&g);
    g.o->graft_end = (uint32_t)g.o->n_events;
    az_map_init(&g.row_of, t->mem, 16);
    int rc = az_capture_attach_prepare(&g);
    if (rc == 0)
        rc = az_replays_list(&g.replays);
    for (size_t i = 0; rc == 0 && i < g.replays.all.n; i++)
        rc = graft_one(&g, &g.replays.all.v[i], false);
    for (size_t i = 0; rc == 0 && i < g.again.n; i++) /* kernels may have names now */
        rc = graft_one(&g, &g.replays.all.v[g.again.v[i]], true);
    if (rc == 0 && g.o->grafts.n) {
        rc = put_events(&g);
        if (rc == 0)
            rc = rebuild(&g);
    }
    az_sort_cmp(g.o->graft_rows.v, g.o->graft_rows.n, sizeof *g.o->graft_rows.v, by_shape_and_rule,
                NULL, t->mem);
    release(&g);
    return rc;
}

void az_captures_release(struct az_captures *c)
{
    az_vec_release(&c->roots);
    az_vec_release(&c->nodes);
    az_vec_release(&c->launches);
}
