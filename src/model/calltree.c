/* Host call tree of a framework trace (docs/formulas-pytorch.md 2, the recommended rules).
 *
 * Host events of one thread, in order of start (ties: the longer first, then file order), attach to
 * the nearest event on the thread's stack that ends no earlier than they do, give or take a
 * microsecond; if there is none they are roots. None is dropped. That order is a preorder, so a
 * subtree is a run of preorder numbers, and the device events under a node are a run of the linked
 * list sorted by the preorder of their launching call. What was captured of a graph launch
 * (model/capture.h) is placed the same way below that launch, which none of it can leave. */
#include "base/sort.h"
#include "model/link.h"
#include "model/optrace.h"

struct open_event { /* on a thread's stack */
    int64_t end;    /* not beyond its parent's */
    uint32_t node;
    uint32_t below; /* index of the entry beneath, AZ_NO_ROW */
};
AZ_VEC(struct open_event, open_events);

#define CLIMB 16 /* steps per node from which the operators above calls are cached */

enum { HOST_KINDS = 4 };
static const enum az_kind host_kinds[HOST_KINDS] = { AZ_HOST_OP, AZ_CALL, AZ_CAPTURED, AZ_FRAME };

struct builder {
    struct az_calltree *c;
    const struct az_trace *t;
    uint32_t *top;      /* lane -> index of its stack's top in `stack`, AZ_NO_ROW */
    uint32_t *next_pre; /* lane -> next preorder number */
    struct open_events stack;
    struct az_vec_u32 unused;    /* entries of `stack` to use again */
    uint32_t *order[HOST_KINDS]; /* NULL: rows as they are */
    /* captured nodes, launch by launch; NULL: none */
    uint32_t *grafted, *graft_from; /* nodes; launch -> where its own begin */
    uint32_t *graft_of;             /* row of AZ_CALL -> its launch, AZ_NO_ROW */
    size_t last_graft;
    int64_t slack; /* one microsecond in ticks */
};

struct az_sv az_node_name(const struct az_calltree *c, uint32_t node)
{
    uint32_t row;
    enum az_kind k = az_node_kind(c, node, &row);
    return az_trace_text(c->trace, c->trace->ev[k].name[row]);
}

uint32_t az_node_op(const struct az_calltree *c, uint32_t node)
{
    if (c->op && node != AZ_NO_ROW && node >= c->first_call)
        return c->op[node - c->first_call];
    while (node != AZ_NO_ROW && node >= c->first_call)
        node = c->parent[node];
    return node;
}

/* Where calls are deep in one another, their operators are cached: climbing from each would visit
 * the same calls repeatedly. A parent comes before what is in it. */
static int keep_ops(struct az_calltree *c)
{
    const uint32_t others = c->n - c->first_call;
    uint64_t steps = 0;
    for (uint32_t node = c->first_call; node < c->n && steps <= CLIMB * (uint64_t)c->n; node++)
        for (uint32_t at = node;
             at != AZ_NO_ROW && at >= c->first_call && steps <= CLIMB * (uint64_t)c->n;
             at = c->parent[at])
            steps++;
    if (steps <= CLIMB * (uint64_t)c->n)
        return 0;
    c->op = az_mem_alloc(c->trace->mem, ((size_t)others + 1) * sizeof *c->op);
    if (!c->op)
        return az_mem_error(c->trace->mem);
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t node = c->by_pre[i], up = node < c->first_call ? 0 : c->parent[node];
        if (node >= c->first_call)
            c->op[node - c->first_call] =
                up == AZ_NO_ROW || up < c->first_call ? up : c->op[up - c->first_call];
    }
    return 0;
}

static void pop_event(struct builder *b, uint32_t lane)
{
    uint32_t at = b->top[lane];
    b->c->last[b->stack.v[at].node] = b->next_pre[lane] - 1;
    b->top[lane] = b->stack.v[at].below;
    b->unused.v[b->unused.n++] = at; /* room: as many as the stack has */
}

static int push_event(struct builder *b, uint32_t lane, struct open_event e)
{
    uint32_t at;
    e.below = b->top[lane];
    if (b->unused.n) {
        at = b->unused.v[--b->unused.n];
        b->stack.v[at] = e;
    } else {
        at = (uint32_t)b->stack.n;
        int rc = az_vec_push(&b->stack, e);
        if (rc == 0)
            rc = az_vec_reserve(&b->unused, b->stack.n - b->unused.n);
        if (rc)
            return rc;
    }
    b->top[lane] = at;
    return 0;
}

/* Nearest stack entry that contains an event of this end, `floor` if none above that one; the stack
 * is not changed. */
static uint32_t holder(const struct builder *b, uint32_t lane, int64_t end, uint32_t floor)
{
    uint32_t at = b->top[lane];
    while (at != floor && b->stack.v[at].end < end - b->slack)
        at = b->stack.v[at].below;
    return at;
}

/* `floor`: the entry below which nothing is popped, whatever the times; AZ_NO_ROW. */
static int place(struct builder *b, uint32_t node, const struct az_event *e, uint32_t floor)
{
    struct az_calltree *c = b->c;
    const uint32_t lane = e->lane;
    int64_t end = e->end;
    while (b->top[lane] != floor && e->start >= b->stack.v[b->top[lane]].end)
        pop_event(b, lane);
    uint32_t at = holder(b, lane, end, floor);
    while (b->top[lane] != at)
        pop_event(b, lane);
    c->parent[node] = at == AZ_NO_ROW ? AZ_NO_ROW : b->stack.v[at].node;
    if (at != floor && end > b->stack.v[at].end) {
        c->clamped++;
        c->clamped_ticks += end - b->stack.v[at].end;
        end = b->stack.v[at].end;
    }
    c->pre[node] = b->next_pre[lane]++;
    c->by_pre[c->pre[node]] = node;
    return push_event(b, lane, (struct open_event){ .end = end, .node = node });
}

/* Order of two host events of one start: the longer first, then by place in the file. */
static bool before(const struct az_events *a, uint32_t i, const struct az_events *b, uint32_t j)
{
    if (a->start[i] != b->start[j])
        return a->start[i] < b->start[j];
    if (a->end[i] != b->end[j])
        return a->end[i] > b->end[j];
    return a->uid[i] < b->uid[j];
}

static int compare_hosts(const void *a, const void *b, void *ctx)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return before(ctx, i, ctx, j) ? -1 : before(ctx, j, ctx, i);
}

/* Rows of one kind in that order: sealed columns are sorted by start, so only runs of equal starts
 * are sorted here. */
static int order_of(const struct az_events *e, struct az_mem *mem, uint32_t **out)
{
    uint32_t at = 1;
    while (at < e->n && !before(e, at, e, at - 1))
        at++;
    if (at >= e->n)
        return 0;
    uint32_t *o = *out = az_mem_alloc(mem, (e->n + 1) * sizeof *o);
    int rc = o ? 0 : az_mem_error(mem);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        o[i] = i;
    for (size_t i = 0, end; rc == 0 && i < e->n; i = end) {
        bool sorted = true;
        for (end = i + 1; end < e->n && e->start[end] == e->start[i]; end++)
            sorted &= !before(e, (uint32_t)end, e, (uint32_t)end - 1);
        if (!sorted)
            az_sort_cmp(o + i, end - i, sizeof *o, compare_hosts, (void *)(uintptr_t)e, mem);
    }
    return rc;
}

/* The next node in that order, over all kinds; `at` counts those visited of each. */
static uint32_t next_node(const struct builder *b, uint32_t at[HOST_KINDS], struct az_event *out)
{
    int best = -1;
    uint32_t row = 0;
    for (int k = 0; k < HOST_KINDS; k++) {
        const struct az_events *e = &b->t->ev[host_kinds[k]];
        if (at[k] >= e->n)
            continue;
        const uint32_t i = b->order[k] ? b->order[k][at[k]] : at[k];
        if (best < 0 || before(e, i, &b->t->ev[host_kinds[best]], row)) {
            best = k;
            row = i;
        }
    }
    const uint32_t first[HOST_KINDS] = { 0, b->c->first_call, b->c->first_captured,
                                         b->c->first_frame };
    at[best]++;
    const struct az_events *e = &b->t->ev[host_kinds[best]];
    *out = (struct az_event){
        .start = e->start[row], .end = e->end[row], .lane = e->lane[row], .uid = e->uid[row]
    };
    return first[best] + row;
}

/* The launch that a captured event is below; AZ_NO_ROW: it is none. Events of one launch follow
 * each other: *last is tried first. */
static uint32_t graft_of_uid(const struct az_optrace *o, uint32_t uid, size_t *last)
{
    size_t lo = 0, hi = o->grafts.n;
    if (hi == 0 || uid < o->grafts.v[0].first_uid || uid >= o->graft_end)
        return AZ_NO_ROW;
    for (size_t i = *last; i < hi && i < *last + 2; i++)
        if (o->grafts.v[i].first_uid <= uid && (i + 1 == hi || uid < o->grafts.v[i + 1].first_uid))
            return (uint32_t)(*last = i);
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        if (o->grafts.v[mid].first_uid <= uid)
            lo = mid;
        else
            hi = mid;
    }
    return (uint32_t)(*last = lo);
}

/* Lists captured nodes launch by launch, in order within each. */
static int list_grafted(struct builder *b)
{
    const struct az_optrace *o = az_optrace(b->t);
    const size_t n = o->grafts.n, calls = b->t->ev[AZ_CALL].n;
    struct az_event e;
    if (n == 0)
        return 0;
    b->grafted = az_mem_alloc(b->t->mem, ((size_t)b->c->n + 1) * sizeof *b->grafted);
    b->graft_from = az_mem_alloc(b->t->mem, (n + 2) * sizeof *b->graft_from);
    b->graft_of = az_mem_alloc(b->t->mem, (calls + 1) * sizeof *b->graft_of);
    if (!b->grafted || !b->graft_from || !b->graft_of)
        return az_mem_error(b->t->mem);
    memset(b->graft_from, 0, (n + 2) * sizeof *b->graft_from);
    memset(b->graft_of, 0xff, (calls + 1) * sizeof *b->graft_of);
    for (uint32_t i = 0; i < n; i++)
        b->graft_of[o->grafts.v[i].call] = i;
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills */
        uint32_t at[HOST_KINDS] = { 0 };
        for (uint32_t i = 0; i < b->c->n; i++) {
            const uint32_t node = next_node(b, at, &e), g = graft_of_uid(o, e.uid, &b->last_graft);
            if (g != AZ_NO_ROW && pass == 0)
                b->graft_from[g + 2]++;
            else if (g != AZ_NO_ROW)
                b->grafted[b->graft_from[g + 1]++] = node;
        }
        for (size_t i = 2; pass == 0 && i < n + 2; i++)
            b->graft_from[i] += b->graft_from[i - 1];
    }
    return 0;
}

/* What was captured of a launch that was just placed. */
static int place_grafted(struct builder *b, uint32_t graft, uint32_t lane)
{
    const uint32_t floor = b->top[lane];
    int rc = 0;
    for (uint32_t i = b->graft_from[graft]; rc == 0 && i < b->graft_from[graft + 1]; i++) {
        uint32_t row;
        const struct az_events *e = &b->t->ev[az_node_kind(b->c, b->grafted[i], &row)];
        const struct az_event x = { .start = e->start[row], .end = e->end[row], .lane = lane };
        rc = place(b, b->grafted[i], &x, floor);
    }
    while (b->top[lane] != floor)
        pop_event(b, lane);
    return rc;
}

static int merge_and_place(struct builder *b)
{
    const struct az_optrace *o = az_optrace(b->t);
    uint32_t at[HOST_KINDS] = { 0 };
    int rc = list_grafted(b);
    for (uint32_t i = 0; rc == 0 && i < b->c->n; i++) {
        struct az_event e;
        const uint32_t node = next_node(b, at, &e);
        if (b->grafted && graft_of_uid(o, e.uid, &b->last_graft) != AZ_NO_ROW)
            continue;
        rc = place(b, node, &e, AZ_NO_ROW);
        const bool call = node >= b->c->first_call && node < b->c->first_captured;
        if (rc == 0 && b->grafted && call && b->graft_of[node - b->c->first_call] != AZ_NO_ROW)
            rc = place_grafted(b, b->graft_of[node - b->c->first_call], e.lane);
    }
    return rc;
}

/* Preorder numbers are assigned lane by lane: each lane's first number is the count of events on
 * the lanes before it. */
static void number_lanes(struct builder *b)
{
    uint32_t sum = 0;
    for (int k = 0; k < HOST_KINDS; k++)
        for (size_t i = 0; i < b->t->ev[host_kinds[k]].n; i++)
            b->next_pre[b->t->ev[host_kinds[k]].lane[i]]++;
    for (size_t l = 0; l < b->t->lanes.n; l++) {
        uint32_t n = b->next_pre[l];
        b->next_pre[l] = sum;
        b->top[l] = AZ_NO_ROW;
        sum += n;
    }
}

static void release(struct builder *b, size_t lanes)
{
    struct az_mem *mem = b->t->mem;
    for (int k = 0; k < HOST_KINDS; k++)
        if (b->order[k])
            az_mem_free(mem, b->order[k], (b->t->ev[host_kinds[k]].n + 1) * sizeof **b->order);
    if (b->grafted)
        az_mem_free(mem, b->grafted, ((size_t)b->c->n + 1) * sizeof *b->grafted);
    if (b->graft_from)
        az_mem_free(mem, b->graft_from, (az_optrace(b->t)->grafts.n + 2) * sizeof *b->graft_from);
    if (b->graft_of)
        az_mem_free(mem, b->graft_of, (b->t->ev[AZ_CALL].n + 1) * sizeof *b->graft_of);
    if (b->top)
        az_mem_free(mem, b->top, lanes);
    if (b->next_pre)
        az_mem_free(mem, b->next_pre, lanes);
    az_vec_release(&b->stack);
    az_vec_release(&b->unused);
}

static int build_tree(struct az_calltree *c, const struct az_trace *t)
{
    struct builder b = { .c = c, .t = t, .slack = 1000 * t->ticks_per_ns };
    size_t lanes = (t->lanes.n + 1) * sizeof *b.top;
    int rc = 0;
    az_vec_init(&b.stack, t->mem);
    az_vec_init(&b.unused, t->mem);
    b.top = az_mem_alloc(t->mem, lanes);
    b.next_pre = az_mem_alloc(t->mem, lanes);
    if (!b.top || !b.next_pre)
        rc = az_mem_error(t->mem);
    for (int k = 0; rc == 0 && k < HOST_KINDS; k++)
        rc = order_of(&t->ev[host_kinds[k]], t->mem, &b.order[k]);
    if (rc == 0) {
        memset(b.next_pre, 0, lanes);
        number_lanes(&b);
        rc = merge_and_place(&b);
    }
    for (uint32_t l = 0; rc == 0 && l < t->lanes.n; l++)
        while (b.top[l] != AZ_NO_ROW)
            pop_event(&b, l);
    release(&b, lanes);
    return rc;
}

static int alloc_column(struct az_mem *mem, uint32_t n, uint32_t **out)
{
    *out = az_mem_alloc(mem, ((size_t)n + 1) * sizeof **out);
    return *out ? 0 : az_mem_error(mem);
}

int az_calltree_link(struct az_calltree *c, const struct az_trace *t, const struct az_options *o)
{
    memset(c, 0, sizeof *c);
    size_t n = t->ev[AZ_HOST_OP].n + t->ev[AZ_CALL].n + t->ev[AZ_CAPTURED].n + t->ev[AZ_FRAME].n;
    if (n >= AZ_NO_ROW)
        return AZ_ERANGE;
    c->trace = t;
    c->n = (uint32_t)n;
    c->first_call = (uint32_t)t->ev[AZ_HOST_OP].n;
    c->first_captured = c->first_call + (uint32_t)t->ev[AZ_CALL].n;
    c->first_frame = c->first_captured + (uint32_t)t->ev[AZ_CAPTURED].n;
    const int rc = az_oplink(c, o);
    if (rc)
        az_calltree_release(c);
    return rc;
}

int az_calltree_nest(struct az_calltree *c)
{
    struct az_mem *mem = c->trace->mem;
    int rc = alloc_column(mem, c->n, &c->parent);
    if (rc == 0)
        rc = alloc_column(mem, c->n, &c->pre);
    if (rc == 0)
        rc = alloc_column(mem, c->n, &c->last);
    if (rc == 0)
        rc = alloc_column(mem, c->n, &c->by_pre);
    if (rc == 0)
        rc = build_tree(c, c->trace);
    if (rc == 0)
        rc = keep_ops(c);
    if (rc == 0)
        rc = az_oplink_place(c);
    if (rc)
        az_calltree_release(c);
    return rc;
}

int az_calltree_build(struct az_calltree *c, const struct az_trace *t, const struct az_options *o)
{
    const int rc = az_calltree_link(c, t, o);
    return rc ? rc : az_calltree_nest(c);
}

static void free_column(struct az_calltree *c, uint32_t **p, uint32_t n)
{
    if (*p)
        az_mem_free(c->trace->mem, *p, ((size_t)n + 1) * sizeof **p);
    *p = NULL;
}

void az_calltree_release(struct az_calltree *c)
{
    if (!c->trace)
        return;
    free_column(c, &c->parent, c->n);
    free_column(c, &c->pre, c->n);
    free_column(c, &c->last, c->n);
    free_column(c, &c->by_pre, c->n);
    free_column(c, &c->op, c->n - c->first_call);
    az_oplink_release(c);
    memset(c, 0, sizeof *c);
}
