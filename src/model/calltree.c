/* Host call tree of a framework trace (docs/formulas-pytorch.md 2, the recommended rules).
 *
 * Host events of one thread, in order of start (ties: the longer first, then file order), attach to
 * the nearest event on the thread's stack that ends no earlier than they do, give or take a
 * microsecond; if there is none they are roots. None is dropped. That order is a preorder, so a
 * subtree is a run of preorder numbers, and the device events under a node are a run of the linked
 * list sorted by the preorder of their launching call. */
#include "base/sort.h"
#include "model/oplink.h"

struct open_event { /* on a thread's stack */
    int64_t end;    /* not beyond its parent's */
    uint32_t node;
    uint32_t below; /* index of the entry beneath, AZ_NO_ROW */
};
AZ_VEC(struct open_event, open_events);

struct builder {
    struct az_calltree *c;
    const struct az_trace *t;
    uint32_t *top;      /* lane -> index of its stack's top in `stack`, AZ_NO_ROW */
    uint32_t *next_pre; /* lane -> next preorder number */
    struct open_events stack;
    struct az_vec_u32 unused; /* entries of `stack` to use again */
    int64_t slack;            /* one microsecond in ticks */
};

static const enum az_kind host_kinds[3] = { AZ_HOST_OP, AZ_CALL, AZ_FRAME };

struct az_sv az_node_name(const struct az_calltree *c, uint32_t node)
{
    uint32_t row;
    enum az_kind k = az_node_kind(c, node, &row);
    return az_trace_text(c->trace, c->trace->ev[k].name[row]);
}

uint32_t az_node_op(const struct az_calltree *c, uint32_t node)
{
    while (node != AZ_NO_ROW && node >= c->first_call)
        node = c->parent[node];
    return node;
}

static void pop(struct builder *b, uint32_t lane)
{
    uint32_t at = b->top[lane];
    b->c->last[b->stack.v[at].node] = b->next_pre[lane] - 1;
    b->top[lane] = b->stack.v[at].below;
    b->unused.v[b->unused.n++] = at; /* room: as many as the stack holds */
}

static int push(struct builder *b, uint32_t lane, struct open_event e)
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

/* Nearest stack entry that holds an event of this end, AZ_NO_ROW if none; the stack is not changed.
 */
static uint32_t holder(const struct builder *b, uint32_t lane, int64_t end)
{
    uint32_t at = b->top[lane];
    while (at != AZ_NO_ROW && b->stack.v[at].end < end - b->slack)
        at = b->stack.v[at].below;
    return at;
}

static int place(struct builder *b, uint32_t node, uint32_t lane, int64_t start, int64_t end)
{
    struct az_calltree *c = b->c;
    while (b->top[lane] != AZ_NO_ROW && start >= b->stack.v[b->top[lane]].end)
        pop(b, lane);
    uint32_t at = holder(b, lane, end);
    while (b->top[lane] != at)
        pop(b, lane);
    c->parent[node] = at == AZ_NO_ROW ? AZ_NO_ROW : b->stack.v[at].node;
    if (at != AZ_NO_ROW && end > b->stack.v[at].end) {
        c->clamped++;
        c->clamped_ticks += end - b->stack.v[at].end;
        end = b->stack.v[at].end;
    }
    c->pre[node] = b->next_pre[lane]++;
    c->by_pre[c->pre[node]] = node;
    return push(b, lane, (struct open_event){ .end = end, .node = node });
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
    uint32_t *o = *out = az_mem_alloc(mem, (e->n + 1) * sizeof *o);
    int rc = o ? 0 : az_mem_error(mem);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        o[i] = i;
    for (size_t i = 0, end; rc == 0 && i < e->n; i = end) {
        bool sorted = true;
        for (end = i + 1; end < e->n && e->start[end] == e->start[i]; end++)
            sorted &= !before(e, (uint32_t)end, e, (uint32_t)end - 1);
        rc = sorted
                 ? 0
                 : az_sort_cmp(o + i, end - i, sizeof *o, compare_hosts, (void *)(uintptr_t)e, mem);
    }
    return rc;
}

static int merge_and_place(struct builder *b, uint32_t *const order[3])
{
    uint32_t at[3] = { 0, 0, 0 };
    const uint32_t first[3] = { 0, b->c->first_call, b->c->first_frame };
    for (uint32_t done = 0; done < b->c->n; done++) {
        int best = -1;
        for (int k = 0; k < 3; k++) {
            const struct az_events *e = &b->t->ev[host_kinds[k]];
            if (at[k] < e->n && (best < 0 || before(e, order[k][at[k]], &b->t->ev[host_kinds[best]],
                                                    order[best][at[best]])))
                best = k;
        }
        const struct az_events *e = &b->t->ev[host_kinds[best]];
        uint32_t row = order[best][at[best]++];
        int rc = place(b, first[best] + row, e->lane[row], e->start[row], e->end[row]);
        if (rc)
            return rc;
    }
    return 0;
}

/* Preorder numbers are given lane by lane: each lane's first number is the count of events on the
 * lanes before it. */
static void number_lanes(struct builder *b)
{
    uint32_t sum = 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < b->t->ev[host_kinds[k]].n; i++)
            b->next_pre[b->t->ev[host_kinds[k]].lane[i]]++;
    for (size_t l = 0; l < b->t->lanes.n; l++) {
        uint32_t n = b->next_pre[l];
        b->next_pre[l] = sum;
        b->top[l] = AZ_NO_ROW;
        sum += n;
    }
}

static int build_tree(struct az_calltree *c, const struct az_trace *t)
{
    struct builder b = { .c = c, .t = t, .slack = 1000 * t->ticks_per_ns };
    uint32_t *order[3] = { NULL, NULL, NULL };
    size_t lanes = (t->lanes.n + 1) * sizeof *b.top;
    int rc = 0;
    az_vec_init(&b.stack, t->mem);
    az_vec_init(&b.unused, t->mem);
    b.top = az_mem_alloc(t->mem, lanes);
    b.next_pre = az_mem_alloc(t->mem, lanes);
    if (!b.top || !b.next_pre)
        rc = az_mem_error(t->mem);
    for (int k = 0; rc == 0 && k < 3; k++)
        rc = order_of(&t->ev[host_kinds[k]], t->mem, &order[k]);
    if (rc == 0) {
        memset(b.next_pre, 0, lanes);
        number_lanes(&b);
        rc = merge_and_place(&b, order);
    }
    for (uint32_t l = 0; rc == 0 && l < t->lanes.n; l++)
        while (b.top[l] != AZ_NO_ROW)
            pop(&b, l);
    for (int k = 0; k < 3; k++)
        if (order[k])
            az_mem_free(t->mem, order[k], (t->ev[host_kinds[k]].n + 1) * sizeof *order[k]);
    if (b.top)
        az_mem_free(t->mem, b.top, lanes);
    if (b.next_pre)
        az_mem_free(t->mem, b.next_pre, lanes);
    az_vec_release(&b.stack);
    az_vec_release(&b.unused);
    return rc;
}

static int alloc_column(struct az_mem *mem, uint32_t n, uint32_t **out)
{
    *out = az_mem_alloc(mem, ((size_t)n + 1) * sizeof **out);
    return *out ? 0 : az_mem_error(mem);
}

int az_calltree_build(struct az_calltree *c, const struct az_trace *t, const struct az_options *o)
{
    memset(c, 0, sizeof *c);
    size_t n = t->ev[AZ_HOST_OP].n + t->ev[AZ_CALL].n + t->ev[AZ_FRAME].n;
    if (n >= AZ_NO_ROW)
        return AZ_ERANGE;
    c->trace = t;
    c->n = (uint32_t)n;
    c->first_call = (uint32_t)t->ev[AZ_HOST_OP].n;
    c->first_frame = c->first_call + (uint32_t)t->ev[AZ_CALL].n;
    int rc = alloc_column(t->mem, c->n, &c->parent);
    if (rc == 0)
        rc = alloc_column(t->mem, c->n, &c->pre);
    if (rc == 0)
        rc = alloc_column(t->mem, c->n, &c->last);
    if (rc == 0)
        rc = alloc_column(t->mem, c->n, &c->by_pre);
    if (rc == 0)
        rc = build_tree(c, t);
    if (rc == 0)
        rc = az_oplink(c, o);
    if (rc)
        az_calltree_release(c);
    return rc;
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
    az_oplink_release(c);
    memset(c, 0, sizeof *c);
}
