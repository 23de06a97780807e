/* The index of the host's events by thread. */
#include "analyses/verdict/host.h"

#include "facts/shared.h"
#include "facts/threads.h"

#define RULES "trace_names.rules"
#define BACK  24 /* rows looked at before a time for one that is still running */

/* ---- threads ---- */
static uint32_t row_at(const struct az_vd_rows *r, size_t i)
{
    return r->row ? r->row[i] : (uint32_t)i;
}

static int by_thread(struct az_vd_host *h, enum az_kind kind, struct az_vd_rows *out)
{
    const struct az_events *e = &h->t->ev[kind];
    bool in_order = true;
    out->first = az_arena_array(&h->arena, h->threads + 2, sizeof *out->first);
    if (!out->first)
        return az_arena_error(&h->arena);
    uint32_t *next = out->first + 1; /* first[k + 1] is where thread k goes on, then its end */
    const uint32_t *thread = h->thread, *lane = e->lane;
    for (size_t i = 0, n = e->n; i < n;) { /* one thread is mostly in a row */
        const uint32_t one = thread[lane[i]];
        const size_t from = i;
        while (++i < n && (lane[i] == lane[i - 1] || thread[lane[i]] == one))
            ;
        next[one] += (uint32_t)(i - from);
        in_order &= i == n || one <= thread[lane[i]];
    }
    for (size_t k = 1; k <= h->threads; k++)
        next[k] += next[k - 1];
    if (in_order)
        return 0;
    out->row = az_arena_array(&h->arena, e->n + 1, sizeof *out->row);
    if (!out->row)
        return az_arena_error(&h->arena);
    for (size_t k = h->threads; k > 0; k--)
        next[k] = next[k - 1];
    next[0] = 0;
    for (size_t i = 0; i < e->n; i++)
        out->row[next[h->thread[e->lane[i]]]++] = (uint32_t)i;
    return 0;
}

/* Rows of a thread that start before `at` (at: included): one past the last of them. */
static size_t up_to(const struct az_vd_rows *r, const struct az_events *e, uint32_t thread,
                    int64_t at)
{
    size_t lo = r->first[thread], hi = r->first[thread + 1];
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (e->start[row_at(r, mid)] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- graphs without kernels ---- */
static int find_bare(struct az_vd_host *h)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_events *c = &h->t->ev[AZ_CALL];
    size_t graphs = 0;
    for (uint32_t i = 0; i < c->n; i++)
        graphs += az_vd_call_of(h, i) == AZ_VD_CALL_GRAPH;
    uint8_t *has = graphs ? az_arena_array(&h->arena, c->n + 1, 1) : NULL;
    if (!has)
        return graphs ? az_arena_error(&h->arena) : 0;
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; h->link->call[kinds[k]] && i < h->t->ev[kinds[k]].n; i++)
            if (h->link->call[kinds[k]][i] != AZ_NO_ROW)
                has[h->link->call[kinds[k]][i]] = 1;
    h->bare = az_arena_array(&h->arena, graphs, sizeof *h->bare);
    if (!h->bare)
        return az_arena_error(&h->arena);
    uint32_t outer = AZ_NO_ROW; /* a call of the driver within one of the runtime is no launch */
    for (uint32_t i = 0; i < c->n; i++) {
        if (az_vd_call_of(h, i) != AZ_VD_CALL_GRAPH)
            continue;
        if (outer != AZ_NO_ROW && c->end[i] <= c->end[outer] &&
            az_vd_thread(h, i) == az_vd_thread(h, outer)) {
            h->n_bare -= has[i] && h->n_bare && h->bare[h->n_bare - 1] == outer;
            continue;
        }
        outer = i;
        h->n_graphs++;
        if (!has[i])
            h->bare[h->n_bare++] = i;
    }
    return 0;
}

bool az_vd_bare(const struct az_vd_host *h, int64_t from, int64_t to)
{
    const int64_t *start = h->t->ev[AZ_CALL].start;
    size_t lo = 0, hi = h->n_bare;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (start[h->bare[mid]] < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < h->n_bare && start[h->bare[lo]] < to;
}

int az_vd_host_make(struct az_vd_host *h, struct az_vd *v)
{
    int rc;
    *h = (struct az_vd_host){ .v = v, .t = v->t };
    az_arena_init(&h->arena, v->job->mem);
    const size_t names = v->t->names.text.n + 1;
    h->tree = v->t->caps & AZ_CAP_CALLTREE ? az_tree(v->t) : NULL;
    h->link = az_job_link(v->job, v->trace, &rc);
    h->call_class = az_arena_array(&h->arena, names, 1);
    h->op_cause = az_arena_array(&h->arena, names, 1);
    if (!h->link)
        return rc;
    if (!h->call_class || !h->op_cause)
        return az_arena_error(&h->arena);
    rc = az_rules_read_group(RULES, "host_call", &h->arena, &h->call_rules);
    if (rc == 0)
        h->thread = az_threads_of_lanes(h->t, &h->arena, v->job->mem, &h->threads, &rc);
    if (rc == 0)
        rc = by_thread(h, AZ_CALL, &h->calls);
    if (rc == 0)
        rc = by_thread(h, AZ_HOST_OP, &h->ops);
    if (rc == 0)
        rc = by_thread(h, AZ_RANGE, &h->ranges);
    return rc ? rc : find_bare(h);
}

void az_vd_host_release(struct az_vd_host *h) { az_arena_release(&h->arena); }

/* ---- names ---- */
struct az_sv az_vd_call_class(const struct az_vd_host *h, struct az_sv name)
{
    return az_rules_class_of(&h->call_rules, "host_call", name);
}

enum az_vd_call az_vd_call_of(struct az_vd_host *h, uint32_t call)
{
    static const char *const text[AZ_VD_CALLS] = { "",      "launch",        "synchronise",
                                                   "graph", "prepare_graph", "copy",
                                                   "fill",  "allocate",      "load_code" };
    const uint32_t name = h->t->ev[AZ_CALL].name[call];
    if (name == AZ_NO_ID)
        return AZ_VD_CALL_OTHER;
    if (!h->call_class[name]) {
        const struct az_sv is = az_vd_call_class(h, az_trace_text(h->t, name));
        int k = AZ_VD_CALLS - 1;
        while (k > 0 && !az_sv_is(is, text[k]))
            k--;
        h->call_class[name] = (uint8_t)(k + 1);
    }
    return (enum az_vd_call)(h->call_class[name] - 1);
}

enum az_vd_cause az_vd_op_cause(struct az_vd_host *h, uint32_t name)
{
    if (name == AZ_NO_ID)
        return AZ_IDLE_UNKNOWN;
    if (!h->op_rules_read &&
        az_rules_read_group(RULES, "host_op", h->v->job->arena, &h->op_rules) != 0)
        return AZ_IDLE_UNKNOWN; /* the arena has failed: az_vd_add says so */
    h->op_rules_read = true;
    if (!h->op_cause[name]) {
        const struct az_sv is =
            az_rules_class_of(&h->op_rules, "host_op", az_trace_text(h->t, name));
        const enum az_vd_cause c = az_sv_is(is, "data_loading") ? AZ_IDLE_LOADING
                                   : az_sv_is(is, "compiling")  ? AZ_IDLE_COMPILING
                                   : az_sv_is(is, "saving")     ? AZ_IDLE_SAVING
                                                                : AZ_IDLE_UNKNOWN;
        h->op_cause[name] = (uint8_t)(c + 1);
    }
    return (enum az_vd_cause)(h->op_cause[name] - 1);
}

/* ---- what runs when ---- */
uint32_t az_vd_running(const struct az_vd_host *h, uint32_t thread, int64_t at)
{
    const struct az_events *c = &h->t->ev[AZ_CALL];
    const size_t end = up_to(&h->calls, c, thread, at), first = h->calls.first[thread];
    uint32_t found = AZ_NO_ROW;
    for (size_t i = end; i > first && end - i < BACK; i--)
        if (c->end[row_at(&h->calls, i - 1)] >= at)
            found = row_at(&h->calls, i - 1);
    return found;
}

uint32_t az_vd_busiest(const struct az_vd_host *h, uint32_t thread, int64_t from, int64_t to,
                       int64_t *share)
{
    const struct az_events *c = &h->t->ev[AZ_CALL];
    const size_t end = h->calls.first[thread + 1], first = h->calls.first[thread];
    size_t i = up_to(&h->calls, c, thread, from);
    uint32_t best = AZ_NO_ROW;
    *share = 0;
    i = i - first > BACK ? i - BACK : first;
    for (; i < end && c->start[row_at(&h->calls, i)] < to; i++) {
        const uint32_t row = row_at(&h->calls, i);
        const int64_t lo = c->start[row] > from ? c->start[row] : from;
        const int64_t hi = c->end[row] < to ? c->end[row] : to;
        if (hi - lo > *share) {
            *share = hi - lo;
            best = row;
        }
    }
    return best;
}

static bool covers(int64_t start, int64_t end, int64_t from, int64_t to)
{
    const int64_t lo = start > from ? start : from, hi = end < to ? end : to;
    return hi - lo >= (to - from + 1) / 2;
}

uint32_t az_vd_doing(const struct az_vd_host *h, uint32_t thread, int64_t from, int64_t to)
{
    const int64_t middle = from + (to - from) / 2;
    const struct az_events *o = &h->t->ev[AZ_HOST_OP], *r = &h->t->ev[AZ_RANGE];
    size_t i = up_to(&h->ops, o, thread, middle), first = h->ops.first[thread];
    uint32_t node = h->tree && i > first ? row_at(&h->ops, i - 1) : AZ_NO_ROW;
    for (; node != AZ_NO_ROW; node = h->tree->parent[node])
        if (node < h->tree->first_call && covers(o->start[node], o->end[node], from, to))
            return o->name[node];
    for (size_t back = 0; !h->tree && i > first && back < BACK; back++, i--)
        if (covers(o->start[row_at(&h->ops, i - 1)], o->end[row_at(&h->ops, i - 1)], from, to))
            return o->name[row_at(&h->ops, i - 1)];
    i = up_to(&h->ranges, r, thread, middle);
    first = h->ranges.first[thread];
    for (size_t back = 0; i > first && back < BACK; back++, i--)
        if (covers(r->start[row_at(&h->ranges, i - 1)], r->end[row_at(&h->ranges, i - 1)], from,
                   to))
            return r->name[row_at(&h->ranges, i - 1)];
    return AZ_NO_ID;
}

uint32_t az_vd_op_of(const struct az_vd_host *h, uint32_t call)
{
    if (h->tree) {
        const uint32_t op = az_node_op(h->tree, h->tree->first_call + call);
        return op == AZ_NO_ROW ? AZ_NO_ID : h->t->ev[AZ_HOST_OP].name[op];
    }
    const struct az_events *c = &h->t->ev[AZ_CALL];
    return az_vd_doing(h, az_vd_thread(h, call), c->start[call], c->end[call] + 1);
}
