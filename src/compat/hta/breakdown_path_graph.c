/* The graph of a critical path: events of the window, edges along threads, launches, streams; the
 * longest path. */
#include "compat/hta/breakdown_path.h"

void az_hta_path_init(struct az_hta_path_graph *g, struct az_job *job, struct az_hta *b, int64_t lo,
                      int64_t hi)
{
    *g = (struct az_hta_path_graph){ .b = b, .job = job, .lo = lo, .hi = hi };
    az_vec_init(&g->ev, job->mem);
    az_vec_init(&g->edges, job->mem);
    az_vec_init(&g->path, job->mem);
}

void az_hta_path_release(struct az_hta_path_graph *g)
{
    az_vec_release(&g->ev);
    az_vec_release(&g->edges);
    az_vec_release(&g->path);
}

/* ---- host ---- */
static bool waits(struct az_hta *b, uint32_t call)
{
    const enum az_hta_call c = az_hta_call_of(b, call);
    return c == AZ_HTA_DEVICE_SYNC || c == AZ_HTA_STREAM_SYNC || c == AZ_HTA_EVENT_SYNC ||
           c == AZ_HTA_BLOCKING_COPY;
}

static int list_host(struct az_hta_path_graph *g)
{
    const struct az_calltree *tree = g->b->tree;
    int rc = 0;
    for (uint32_t p = 0; rc == 0 && p < tree->n; p++) {
        const uint32_t node = tree->by_pre[p];
        uint32_t row;
        if (node >= tree->first_frame)
            continue;
        const enum az_kind kind = az_node_kind(tree, node, &row);
        const struct az_events *e = &g->b->trace->ev[kind];
        if (e->start[row] < g->lo || e->start[row] >= g->hi)
            continue;
        struct az_hta_path_event x = { .start = e->start[row],
                                       .end = e->end[row],
                                       .name = e->name[row],
                                       .lane = e->lane[row],
                                       .uid = e->uid[row],
                                       .at = node,
                                       .waits = kind == AZ_CALL && waits(g->b, row) };
        x.loads = kind == AZ_HOST_OP && az_hta_rule("op", az_hta_text(g->b, x.name)).n > 0;
        rc = g->ev.n >= UINT32_MAX / 4 ? AZ_ERANGE : az_vec_push(&g->ev, x);
        if (kind == AZ_CALL && rc == 0)
            g->of_call[row] = (uint32_t)g->ev.n;
    }
    g->n_host = (uint32_t)g->ev.n;
    return rc;
}

/* From one node of a thread to the next: the time belongs to the innermost event around both, if
 * there is one. */
static int add_step(struct az_hta_path_graph *g, uint32_t from, uint32_t to, uint32_t inside)
{
    if (from == UINT32_MAX)
        return AZ_OK;
    if (inside == UINT32_MAX)
        return az_hta_path_edge(g, from, to, AZ_HTA_PATH_DEPENDENCY, 0, to / 2);
    const int64_t time = az_hta_path_time(g, to) - az_hta_path_time(g, from);
    const bool own = !g->ev.v[inside].waits;
    return az_hta_path_edge(g, from, to, AZ_HTA_PATH_OPERATOR, own ? time : 0, inside);
}

/* Host events are in nesting order by thread: a stack gives the order of their starts and ends. */
static int chain_threads(struct az_hta_path_graph *g)
{
    const struct az_calltree *tree = g->b->tree;
    struct az_vec_u32 open;
    uint32_t from = UINT32_MAX;
    int rc = 0;
    az_vec_init(&open, g->job->mem);
    for (uint32_t i = 0; rc == 0 && i <= g->n_host; i++) {
        const uint32_t pre = i < g->n_host ? tree->pre[g->ev.v[i].at] : UINT32_MAX;
        while (rc == 0 && open.n && tree->last[g->ev.v[open.v[open.n - 1]].at] < pre) {
            const uint32_t done = open.v[open.n - 1];
            rc = add_step(g, from, 2 * done + 1, done);
            from = 2 * done + 1;
            open.n--;
        }
        if (rc || i == g->n_host)
            break;
        if (i && g->ev.v[i].lane != g->ev.v[i - 1].lane)
            from = UINT32_MAX;
        rc = add_step(g, from, 2 * i, open.n ? open.v[open.n - 1] : UINT32_MAX);
        from = 2 * i;
        if (rc == 0)
            rc = az_vec_push(&open, i);
    }
    az_vec_release(&open);
    return rc;
}

/* ---- device ---- */
static int list_device(struct az_hta_path_graph *g)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < g->b->n; i++) {
        const struct az_hta_op *op = &g->b->op[i];
        if (op->call == AZ_NO_ROW || !g->of_call[op->call])
            continue;
        const struct az_events *e = &g->b->trace->ev[op->kind];
        struct az_hta_path_event x = { .start = op->start,
                                       .end = op->end,
                                       .name = op->name,
                                       .lane = op->lane,
                                       .uid = e->uid[op->row],
                                       .at = i,
                                       .gpu = true };
        rc = g->ev.n >= UINT32_MAX / 4 ? AZ_ERANGE : az_vec_push(&g->ev, x);
        g->of_op[i] = (uint32_t)g->ev.n;
    }
    return rc;
}

#define LONGEST_GAP_NS                                                                             \
    1500000 /* between kernels of a stream: above, the launch is what was waited for */

/* A node of a graph starts when the one that it waited for has ended; clocks of the two may differ,
 * so that it starts before: then the time until it does is of the other. */
static int node_edge(struct az_hta_path_graph *g, uint32_t x, uint32_t op)
{
    const uint32_t p = g->of_op[op] - 1;
    const int64_t start = g->ev.v[x].start, ended = g->ev.v[p].end;
    g->exact++;
    return start >= ended
               ? az_hta_path_edge(g, 2 * p + 1, 2 * x, AZ_HTA_PATH_KERNEL_DELAY, start - ended, x)
               : az_hta_path_edge(g, 2 * p, 2 * x, AZ_HTA_PATH_OPERATOR, start - g->ev.v[p].start,
                                  p);
}

/* What starts device work: its launch where the stream had nothing left to do by then, else the
 * work before it. */
static int stream_edges(struct az_hta_path_graph *g, const struct az_hta_stream *s)
{
    const int64_t longest = LONGEST_GAP_NS * g->b->trace->ticks_per_ns;
    int64_t outside = INT64_MIN; /* end of what was launched before the window */
    uint32_t before = UINT32_MAX;
    int rc = 0;
    for (uint32_t k = 0; rc == 0 && k < s->n; k++) {
        const uint32_t i = g->b->by_stream[s->first + k];
        if (!g->of_op[i]) {
            outside = g->b->op[i].end;
            continue;
        }
        const uint32_t x = g->of_op[i] - 1, call = g->of_call[g->b->op[i].call] - 1;
        const int64_t start = g->ev.v[x].start, called = g->ev.v[call].start;
        rc = az_hta_path_edge(g, 2 * x, 2 * x + 1, AZ_HTA_PATH_OPERATOR, g->ev.v[x].end - start, x);
        if (rc)
            break;
        const int64_t ended = before == UINT32_MAX ? 0 : g->ev.v[before].end;
        const uint32_t after = g->after ? g->after[i] : AZ_NO_ROW;
        if (after != AZ_NO_ROW && g->of_op[after])
            rc = node_edge(g, x, after);
        else if (before == UINT32_MAX &&
                 outside > called) /* waiting for that is none of this window's time */
            rc = az_hta_path_edge(g, 2 * call, 2 * x, AZ_HTA_PATH_KERNEL_DELAY,
                                  start > outside ? start - outside : 0, x);
        else if (before == UINT32_MAX || ended <= called || start - ended >= longest)
            rc = az_hta_path_edge(g, 2 * call, 2 * x, AZ_HTA_PATH_LAUNCH_DELAY, start - called, x);
        else
            rc = az_hta_path_edge(g, 2 * before + 1, 2 * x, AZ_HTA_PATH_KERNEL_DELAY, start - ended,
                                  x);
        before = x;
    }
    return rc;
}

int az_hta_path_build(struct az_hta_path_graph *g)
{
    g->of_call = az_arena_array(g->job->arena, g->b->trace->ev[AZ_CALL].n + 1, sizeof *g->of_call);
    g->of_op = az_arena_array(g->job->arena, g->b->n + 1, sizeof *g->of_op);
    if (!g->of_call || !g->of_op)
        return az_arena_error(g->job->arena);
    int rc = list_host(g);
    if (rc == 0)
        rc = list_device(g);
    if (rc == 0)
        rc = az_hta_path_nodes(g);
    if (rc == 0)
        rc = chain_threads(g);
    for (size_t k = 0; rc == 0 && k < g->b->n_streams; k++)
        rc = stream_edges(g, &g->b->stream[k]);
    return rc ? rc : az_hta_path_syncs(g);
}

/* ---- longest path ---- */
struct search {
    uint32_t *first, *out; /* node -> its run of out: edges in the order they were added */
    uint32_t *waiting;     /* node -> edges into it that are not done */
    uint32_t *best;        /* node -> edge by which it is reached; UINT32_MAX: a start */
    uint32_t *queue;
    int64_t *length;
};

static int alloc(struct az_hta_path_graph *g, struct search *s, struct az_arena *a)
{
    const size_t nodes = 2 * g->ev.n;
    s->first = az_arena_array(a, nodes + 2, sizeof *s->first);
    s->out = az_arena_array(a, g->edges.n + 1, sizeof *s->out);
    s->waiting = az_arena_array(a, nodes + 1, sizeof *s->waiting);
    s->best = az_arena_array(a, nodes + 1, sizeof *s->best);
    s->queue = az_arena_array(a, nodes + 1, sizeof *s->queue);
    s->length = az_arena_array(a, nodes + 1, sizeof *s->length);
    if (a->failed)
        return az_arena_error(a);
    for (size_t i = 0; i < g->edges.n; i++) {
        s->first[g->edges.v[i].from + 1]++;
        s->waiting[g->edges.v[i].to]++;
    }
    for (size_t i = 0; i < nodes; i++) {
        s->first[i + 1] += s->first[i];
        s->best[i] = UINT32_MAX;
    }
    for (size_t i = g->edges.n; i-- > 0;) /* backwards, so that runs come out in order */
        s->out[--s->first[g->edges.v[i].from + 1]] = (uint32_t)i;
    for (size_t i = 0; i < nodes;
         i++) /* each entry is now the start of its own run, one place too far */
        s->first[i] = s->first[i + 1];
    s->first[nodes] = (uint32_t)g->edges.n;
    return AZ_OK;
}

/* Nodes in an order in which every edge leads onwards; what is part of a cycle (events of one time)
 * is never reached.
 */
static void sweep(const struct az_hta_path_graph *g, struct search *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * g->ev.n; i++)
        if (!s->waiting[i])
            s->queue[n++] = i;
    for (uint32_t at = 0; at < n; at++) {
        const uint32_t node = s->queue[at];
        for (uint32_t k = s->first[node]; k < s->first[node + 1]; k++) {
            const struct az_hta_path_edge *e = &g->edges.v[s->out[k]];
            const int64_t length = s->length[node] + e->weight;
            const uint32_t now = s->best[e->to];
            if (now == UINT32_MAX || length > s->length[e->to] ||
                (length == s->length[e->to] && s->out[k] < now)) {
                s->length[e->to] = length;
                s->best[e->to] = s->out[k];
            }
            if (--s->waiting[e->to] == 0)
                s->queue[n++] = e->to;
        }
    }
}

int az_hta_path_longest(struct az_hta_path_graph *g)
{
    struct az_arena a;
    struct search s;
    uint32_t end = UINT32_MAX;
    az_arena_init(&a, g->job->mem);
    int rc = alloc(g, &s, &a);
    if (rc == 0) {
        sweep(g, &s);
        for (uint32_t i = 0; i < 2 * g->ev.n; i++)
            if (!s.waiting[i] && (end == UINT32_MAX || s.length[i] > s.length[end] ||
                                  (s.length[i] == s.length[end] &&
                                   az_hta_path_time(g, i) > az_hta_path_time(g, end))))
                end = i;
        az_vec_reset(&g->path);
        while (rc == 0 && end != UINT32_MAX && s.best[end] != UINT32_MAX) {
            rc = az_vec_push(&g->path, s.best[end]);
            end = g->edges.v[s.best[end]].from;
        }
        for (size_t i = 0; i < g->path.n / 2; i++) {
            const uint32_t x = g->path.v[i];
            g->path.v[i] = g->path.v[g->path.n - 1 - i];
            g->path.v[g->path.n - 1 - i] = x;
        }
    }
    az_arena_release(&a);
    return rc;
}
