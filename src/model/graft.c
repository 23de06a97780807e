#include "model/graft.h"

#include "base/num.h"
#include "base/sort.h"

/* A graph launch that has device events. */
struct replay {
    uint32_t call;       /* row of AZ_CALL */
    uint32_t first, end; /* its run of tree.linked */
    uint32_t step;       /* row of AZ_RANGE: the step it is in; AZ_NO_ROW */
    uint32_t position;   /* of the step's launches */
    uint32_t of;         /* how many they are */
};
AZ_VEC(struct replay, replays);

AZ_VEC(struct az_event, added);

struct grafting {
    struct az_trace *t;
    struct az_calltree *c;
    struct az_optrace *o;
    struct replays list;
    struct az_vec_u32 steps; /* rows of AZ_RANGE that are steps, by start */
    bool has_full, has_parts;
    /* of one launch */
    struct az_vec_u32 gpu, key, lane, launch_of;
    struct az_vec_u32 event_of; /* by launch: device event, AZ_NO_ROW */
    /* events to add */
    struct added add[3]; /* by added_kinds */
};
static const enum az_kind added_kinds[3] = { AZ_HOST_OP, AZ_CAPTURED, AZ_FRAME };

/* ---- steps ---- */
static bool number_after(struct az_sv text, const char *word, int64_t *out)
{
    ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    size_t n = 0;
    if (at < 0)
        return false;
    const size_t skip = (size_t)at + strlen(word);
    text = az_sv_make(text.p + skip, text.n - skip);
    while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
        n++;
    return az_parse_i64(az_sv_make(text.p, n), out) == 0;
}

/* execute_context_<n>(<tokens>)_generation_<n>(<tokens>): the sum; else the first number. */
static int64_t batch_of_execute(struct az_sv text)
{
    int64_t sum = 0, v;
    if (!az_sv_starts(text, AZ_SV("execute_context_"))) {
        for (; text.n && (text.p[0] < '0' || text.p[0] > '9'); text.n--)
            text.p++;
        return number_after(text, "", &v) ? v : -1;
    }
    for (ptrdiff_t at; (at = az_sv_find(text, AZ_SV("("))) >= 0;) {
        text = az_sv_make(text.p + at + 1, text.n - (size_t)at - 1);
        if (!number_after(text, "", &v))
            return -1;
        sum += v;
    }
    return sum > 0 ? sum : -1;
}

bool az_step_batch(struct az_sv text, bool tokens, int64_t *batch)
{
    static const char *const counts[] = { "bs=", "batch=", "batch_size=" },
                             *const token_counts[] = { "toks=", "tok=", "tokens=" };
    *batch = -1;
    if (az_sv_starts(text, AZ_SV("execute_"))) {
        *batch = batch_of_execute(text);
        return true;
    }
    if (!az_sv_starts(text, AZ_SV("step[")) && !az_sv_starts(text, AZ_SV("prefill[")) &&
        !az_sv_starts(text, AZ_SV("decode[")))
        return false;
    for (size_t i = 0; tokens && i < AZ_LENGTH(token_counts); i++)
        if (number_after(text, token_counts[i], batch))
            return true;
    for (size_t i = 0; i < AZ_LENGTH(counts); i++)
        if (number_after(text, counts[i], batch))
            return true;
    return true;
}

static struct az_sv text_of(const struct grafting *g, enum az_kind k, uint32_t row)
{
    return az_trace_text(g->t, g->t->ev[k].name[row]);
}

static int list_steps(struct grafting *g)
{
    const struct az_events *e = &g->t->ev[AZ_RANGE];
    int64_t batch;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        if (az_step_batch(text_of(g, AZ_RANGE, i), false, &batch))
            rc = az_vec_push(&g->steps, i);
    return rc;
}

/* The step around a call on its thread, else on any. Steps of other threads may be between: so many
 * are passed. */
static uint32_t step_of(const struct grafting *g, uint32_t call)
{
    enum { PASSED = 64 };
    const struct az_events *c = &g->t->ev[AZ_CALL], *r = &g->t->ev[AZ_RANGE];
    size_t lo = 0, hi = g->steps.n;
    uint32_t other = AZ_NO_ROW;
    while (lo < hi) { /* first that starts after the call */
        const size_t mid = lo + (hi - lo) / 2;
        if (r->start[g->steps.v[mid]] <= c->start[call])
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int tries = 0; lo > 0 && tries < PASSED; tries++) {
        const uint32_t row = g->steps.v[--lo];
        if (r->end[row] < c->start[call])
            continue;
        if (r->lane[row] == c->lane[call])
            return row;
        other = other == AZ_NO_ROW ? row : other;
    }
    return other;
}

static bool is_graph_launch(const struct grafting *g, uint32_t call)
{
    return az_sv_ifind(text_of(g, AZ_CALL, call), AZ_SV("graphlaunch")) >= 0;
}

/* Graph launches in order of start; those of one step are numbered, as are those without device
 * events, which are not listed. The driver's call within the runtime's is the same launch. */
static int list_replays(struct grafting *g)
{
    const struct az_events *e = &g->t->ev[AZ_CALL];
    struct az_map count;
    int rc = az_map_init(&count, g->t->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t up = g->c->parent[g->c->first_call + i];
        const bool inner = up != AZ_NO_ROW && up >= g->c->first_call && up < g->c->first_captured &&
                           is_graph_launch(g, up - g->c->first_call);
        struct replay r = { .call = i };
        uint32_t *n;
        bool added;
        if (inner || !is_graph_launch(g, i))
            continue;
        r.step = step_of(g, i);
        rc = az_map_put(&count, r.step, 0, 0, &n, &added);
        if (rc == 0)
            r.position = (*n)++;
        az_node_gpu(g->c, g->c->first_call + i, &r.first, &r.end);
        if (rc == 0 && r.first < r.end)
            rc = az_vec_push(&g->list, r);
    }
    for (size_t i = 0; i < g->list.n; i++)
        g->list.v[i].of = az_map_get(&count, g->list.v[i].step, 0);
    az_map_release(&count);
    return rc;
}

/* ---- which capture ---- */
static void look_at_modes(struct grafting *g)
{
    for (size_t i = 0; i < g->o->captures.roots.n; i++) {
        g->has_full |= g->o->captures.roots.v[i].mode == AZ_CAPTURE_FULL;
        g->has_parts |= g->o->captures.roots.v[i].mode == AZ_CAPTURE_PIECEWISE;
    }
}

/* The roots of the smallest captured batch that holds the step's: a run, as they are sorted. Of a
 * step that does not say its batch only where all roots are of one. */
static size_t roots_of(const struct grafting *g, const struct replay *r, size_t *first)
{
    const struct az_capture_roots *all = &g->o->captures.roots;
    const bool parts = g->has_parts && (r->of > 1 || !g->has_full);
    int64_t wanted = -1;
    size_t n = 0;
    if (r->step != AZ_NO_ROW)
        az_step_batch(text_of(g, AZ_RANGE, r->step), parts, &wanted);
    const uint8_t other = !g->has_full || !g->has_parts ? AZ_CAPTURE_MODES
                          : parts                       ? AZ_CAPTURE_FULL
                                                        : AZ_CAPTURE_PIECEWISE;
    for (size_t i = 0; i < all->n; i++) {
        const struct az_capture_root *x = &all->v[i];
        if (x->mode == other || (wanted >= 0 && x->batch >= 0 && x->batch < wanted))
            continue;
        if (n && x->batch != all->v[*first].batch)
            return wanted < 0 || all->v[*first].batch < 0 ? 0 : n;
        if (n && i != *first + n)
            return n;
        *first = n ? *first : i;
        n++;
    }
    return n;
}

/* ---- pairing ---- */
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
static int order_events(struct grafting *g, const struct replay *r)
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
        rc = az_sort_order(key, n, perm, g->t->mem);
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

static int list_events(struct grafting *g, const struct replay *r)
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

static enum az_pair_by pair_root(struct grafting *g, size_t n, const struct az_capture_root *root,
                                 int *rc)
{
    const struct az_pairing p = { .launch = g->o->captures.launches.v + root->first_launch,
                                  .n_launches = root->n_launches,
                                  .event = g->key.v,
                                  .lane = g->lane.v,
                                  .n_events = n,
                                  .launch_of = g->launch_of.v,
                                  .mem = g->t->mem };
    return az_pair_launches(&p, rc);
}

/* One root serves every launch; of as many as the step has launches, that of the same place. Else
 * the only one whose kernels' names are those of the launch. */
static enum az_pair_by choose(struct grafting *g, const struct replay *r, size_t *root, int *rc)
{
    size_t first = 0, fitting = 0;
    const struct az_capture_root *all = g->o->captures.roots.v;
    const size_t n = r->end - r->first, roots = roots_of(g, r, &first);
    *root = first + (roots == r->of ? r->position : 0);
    if (roots == 0)
        return AZ_PAIR_NO_CAPTURE;
    if (roots == 1 || roots == r->of)
        return pair_root(g, n, &all[*root], rc);
    for (size_t i = first; *rc == 0 && i < first + roots; i++)
        if (pair_root(g, n, &all[i], rc) < AZ_PAIR_UNNAMED && ++fitting == 1)
            *root = i;
    return fitting == 1 && *rc == 0 ? pair_root(g, n, &all[*root], rc) : AZ_PAIR_NO_CAPTURE;
}

/* ---- adding ---- */
/* Sequence numbers pair a backward operator with its forward one: those of a replay are its own. */
static int side_of(struct grafting *g, uint32_t side, uint32_t *out)
{
    *out = side;
    if (side == AZ_NO_ROW || g->o->ops.v[side].seq < 0)
        return 0;
    struct az_op op = g->o->ops.v[side];
    op.seq += (int64_t)(g->o->grafts.n) << 32;
    *out = (uint32_t)g->o->ops.n;
    return az_vec_push(&g->o->ops, op);
}

static int add_sources(struct grafting *g, const struct az_captured_node *n, uint32_t uid)
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
static int add_nodes(struct grafting *g, const struct replay *r, const struct az_capture_root *root)
{
    const struct az_events *calls = &g->t->ev[AZ_CALL];
    const struct az_captured_node *node = g->o->captures.nodes.v + root->first_node;
    int rc = root->n_nodes < AZ_NO_ROW - 1 - g->o->graft_end ? 0 : AZ_ERANGE;
    if (rc == 0)
        rc = az_vec_push(&g->o->grafts, ((struct az_graft){ r->call, g->o->graft_end }));
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

static int graft_one(struct grafting *g, const struct replay *r)
{
    struct az_graft_sums *sums = &g->o->grafted;
    size_t root;
    int rc = list_events(g, r);
    if (rc)
        return rc;
    const enum az_pair_by by = choose(g, r, &root, &rc);
    const size_t n = r->end - r->first;
    sums->launches[by]++;
    sums->events[by] += n;
    for (size_t i = 0; i < n; i++) {
        const struct az_event e = az_gpu_event(g->c, g->gpu.v[i]);
        sums->ticks[by] = az_add_sat(sums->ticks[by], e.end - e.start);
    }
    if (rc || !az_paired(by))
        return rc;
    const struct az_capture_root *x = &g->o->captures.roots.v[root];
    rc = az_vec_reserve(&g->event_of, x->n_launches);
    if (rc)
        return rc;
    memset(g->event_of.v, 0xff, x->n_launches * sizeof *g->event_of.v);
    for (size_t i = 0; i < n; i++)
        g->event_of.v[g->launch_of.v[i]] = g->gpu.v[i];
    return add_nodes(g, r, x);
}

static int put_events(struct grafting *g)
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

static int rebuild(struct grafting *g)
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

static void init(struct grafting *g)
{
    struct az_mem *mem = g->t->mem;
    az_vec_init(&g->list, mem);
    az_vec_init(&g->steps, mem);
    az_vec_init(&g->gpu, mem);
    az_vec_init(&g->key, mem);
    az_vec_init(&g->lane, mem);
    az_vec_init(&g->launch_of, mem);
    az_vec_init(&g->event_of, mem);
    for (size_t k = 0; k < 3; k++)
        az_vec_init(&g->add[k], mem);
}

static void release(struct grafting *g)
{
    az_vec_release(&g->list);
    az_vec_release(&g->steps);
    az_vec_release(&g->gpu);
    az_vec_release(&g->key);
    az_vec_release(&g->lane);
    az_vec_release(&g->launch_of);
    az_vec_release(&g->event_of);
    for (size_t k = 0; k < 3; k++)
        az_vec_release(&g->add[k]);
    az_captures_release(&g->o->captures);
}

int az_graft(struct az_trace *t, struct az_calltree *tree)
{
    struct grafting g = { .t = t, .c = tree, .o = az_optrace(t) };
    init(&g);
    g.o->graft_end = (uint32_t)g.o->n_events;
    look_at_modes(&g);
    int rc = list_steps(&g);
    if (rc == 0)
        rc = list_replays(&g);
    for (size_t i = 0; rc == 0 && i < g.list.n; i++)
        rc = graft_one(&g, &g.list.v[i]);
    if (rc == 0 && g.o->grafts.n) {
        rc = put_events(&g);
        if (rc == 0)
            rc = rebuild(&g);
    }
    release(&g);
    return rc;
}

void az_captures_release(struct az_captures *c)
{
    az_vec_release(&c->roots);
    az_vec_release(&c->nodes);
    az_vec_release(&c->launches);
}
