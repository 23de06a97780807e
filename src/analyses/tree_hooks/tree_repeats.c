#include "analyses/tree_hooks/tree_repeats.h"

#include "base/sort.h"

struct finding {
    const struct az_trace *t;
    const struct az_calltree *c;
    struct az_map first; /* root of captures -> preorder number of its first launch */
    struct az_tree_repeats *out;
};

static uint32_t below(const struct az_calltree *c, uint32_t pre)
{
    return c->last[c->by_pre[pre]] - pre;
}

/* An operator around a launch may hold kernels of it that a rule searches for. */
static bool under_operator(const struct az_calltree *c, uint32_t node)
{
    while ((node = c->parent[node]) != AZ_NO_ROW)
        if (node < c->first_call)
            return true;
    return false;
}

static bool same_nodes(const struct finding *f, uint32_t a, uint32_t b, uint32_t size)
{
    const struct az_calltree *c = f->c;
    for (uint32_t i = 1; i <= size; i++) {
        const uint32_t x = c->by_pre[a + i], y = c->by_pre[b + i];
        uint32_t row_x, row_y;
        const enum az_kind kind = az_node_kind(c, x, &row_x);
        if (kind != az_node_kind(c, y, &row_y) || c->last[x] - a != c->last[y] - b ||
            f->t->ev[kind].name[row_x] != f->t->ev[kind].name[row_y])
            return false;
    }
    return true;
}

static bool same_kernels(const struct finding *f, uint32_t a, uint32_t b)
{
    const struct az_calltree *c = f->c;
    uint32_t first_a, end_a, first_b, end_b;
    az_node_gpu(c, c->by_pre[a], &first_a, &end_a);
    az_node_gpu(c, c->by_pre[b], &first_b, &end_b);
    if (end_a - first_a != end_b - first_b)
        return false;
    for (uint32_t i = 0; i < end_a - first_a; i++) {
        const uint32_t x = c->linked[first_a + i], y = c->linked[first_b + i];
        if (c->pre[c->gpu_node[x]] - a != c->pre[c->gpu_node[y]] - b ||
            az_gpu_event(c, x).name != az_gpu_event(c, y).name)
            return false;
    }
    return true;
}

static int visit_graft(struct finding *f, const struct az_graft *g)
{
    const uint32_t node = f->c->first_call + g->call, pre = f->c->pre[node];
    uint32_t *first;
    bool added;
    if (under_operator(f->c, node))
        return 0;
    const int rc = az_map_put(&f->first, g->root, 0, pre, &first, &added);
    if (rc || added)
        return rc;
    const uint32_t size = below(f->c, pre);
    if (size != below(f->c, *first) || !same_nodes(f, *first, pre, size) ||
        !same_kernels(f, *first, pre))
        return 0;
    return az_vec_push(&f->out->all, ((struct az_tree_repeat){ pre, *first, size }));
}

static int by_preorder(const void *a, const void *b, void *ctx)
{
    const struct az_tree_repeat *x = a, *y = b;
    (void)ctx;
    return x->pre < y->pre ? -1 : x->pre > y->pre;
}

int az_tree_repeats_find(struct az_tree_repeats *r, const struct az_trace *t)
{
    struct finding f = { .t = t, .c = az_tree(t), .out = r };
    const struct az_grafts *grafts = &az_optrace(t)->grafts;
    *r = (struct az_tree_repeats){ .c = f.c };
    az_vec_init(&r->all, t->mem);
    az_vec_init(&r->before, t->mem);
    int rc = 0;
    az_map_init(&f.first, t->mem, 16);
    for (size_t i = 0; rc == 0 && i < grafts->n; i++)
        rc = visit_graft(&f, &grafts->v[i]);
    az_map_release(&f.first);
    az_sort_cmp(r->all.v, r->all.n, sizeof *r->all.v, by_preorder, NULL, t->mem);
    for (size_t i = 0; rc == 0 && i < r->all.n; i++) {
        rc = az_vec_push(&r->before, r->hidden);
        r->hidden += r->all.v[i].size;
    }
    return rc;
}

void az_tree_repeats_release(struct az_tree_repeats *r)
{
    az_vec_release(&r->all);
    az_vec_release(&r->before);
}

/* How many repeated launches have at most this preorder number, or number. */
static size_t up_to(const struct az_tree_repeats *r, uint32_t at, bool numbers)
{
    size_t lo = 0, hi = r->all.n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (r->all.v[mid].pre - (numbers ? r->before.v[mid] : 0) <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t az_tree_shown_pre(const struct az_tree_repeats *r, uint32_t number)
{
    const size_t n = up_to(r, number, true);
    if (n == 0)
        return number;
    /* the launch itself is before what it hides */
    const struct az_tree_repeat *x = &r->all.v[n - 1];
    const uint32_t before = r->before.v[n - 1];
    return number == x->pre - before ? x->pre : number + before + x->size;
}

uint32_t az_tree_shown_number(const struct az_tree_repeats *r, uint32_t pre)
{
    const size_t n = up_to(r, pre, false);
    if (n == 0)
        return pre;
    const struct az_tree_repeat *x = &r->all.v[n - 1];
    return pre <= x->pre + x->size ? x->pre - r->before.v[n - 1]
                                   : pre - r->before.v[n - 1] - x->size;
}

/* ---- changes ---- */
struct copying {
    const struct az_trace *t;
    const struct az_calltree *c;
    struct az_tree_edits own; /* those below a first launch */
    struct az_tree_edits *to;
};

/* Preorder number -> 1 below the first of several launches. */
static uint8_t *mark_repeats(const struct az_tree_repeats *r, const struct az_trace *t)
{
    uint8_t *marked = az_mem_alloc(t->mem, (size_t)r->c->n + 1);
    if (!marked)
        return NULL;
    memset(marked, 0, (size_t)r->c->n + 1);
    for (size_t i = 0; i < r->all.n; i++) {
        const struct az_tree_repeat *x = &r->all.v[i];
        if (x->size && !marked[x->first + 1])
            memset(marked + x->first + 1, 1, x->size);
    }
    return marked;
}

static int take_own(struct copying *k, const uint8_t *marked)
{
    const struct az_tree_edits *e = k->to;
    const uint32_t *pre = k->c->pre;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->renames.n; i++)
        if (marked[pre[e->renames.v[i].op]])
            rc = az_vec_push(&k->own.renames, e->renames.v[i]);
    for (size_t i = 0; rc == 0 && i < e->removed.n; i++)
        if (marked[pre[e->removed.v[i]]])
            rc = az_vec_push(&k->own.removed, e->removed.v[i]);
    for (size_t i = 0; rc == 0 && i < e->inserts.n; i++)
        if (marked[pre[e->inserts.v[i].first]])
            rc = az_vec_push(&k->own.inserts, e->inserts.v[i]);
    return rc;
}

/* The node that is to a launch what `node` is to the first one like it; AZ_NO_ROW: that is not
 * below the first one. */
static uint32_t counterpart_of(const struct copying *k, const struct az_tree_repeat *x,
                               uint32_t node)
{
    const uint32_t pre = k->c->pre[node];
    return pre > x->first && pre <= x->first + x->size ? k->c->by_pre[pre - x->first + x->pre]
                                                       : AZ_NO_ROW;
}

static int64_t start_of(const struct copying *k, uint32_t node)
{
    uint32_t row;
    const enum az_kind kind = az_node_kind(k->c, node, &row);
    return k->t->ev[kind].start[row];
}

static int copy_to(const struct copying *k, const struct az_tree_repeat *to)
{
    uint32_t node;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < k->own.renames.n; i++) {
        struct az_tree_rename x = k->own.renames.v[i];
        if ((node = counterpart_of(k, to, x.op)) == AZ_NO_ROW)
            continue;
        x.op = node;
        rc = az_vec_push(&k->to->renames, x);
    }
    for (size_t i = 0; rc == 0 && i < k->own.removed.n; i++)
        if ((node = counterpart_of(k, to, k->own.removed.v[i])) != AZ_NO_ROW)
            rc = az_vec_push(&k->to->removed, node);
    for (size_t i = 0; rc == 0 && i < k->own.inserts.n; i++) {
        struct az_tree_insert x = k->own.inserts.v[i];
        if ((node = counterpart_of(k, to, x.first)) == AZ_NO_ROW)
            continue;
        const int64_t later = start_of(k, node) - start_of(k, x.first);
        x.first = node;
        x.start += later;
        x.end += later;
        rc = az_vec_push(&k->to->inserts, x);
    }
    return rc;
}

int az_tree_repeats_copy(const struct az_tree_repeats *r, const struct az_trace *t,
                         struct az_tree_edits *e)
{
    struct copying k = { .t = t, .c = r->c, .to = e };
    if (r->all.n == 0 || !az_tree_edits_any(e))
        return 0;
    uint8_t *marked = mark_repeats(r, t);
    if (!marked)
        return az_mem_error(t->mem);
    az_tree_edits_init(&k.own, t->mem);
    int rc = take_own(&k, marked);
    for (size_t i = 0; rc == 0 && i < r->all.n; i++)
        rc = copy_to(&k, &r->all.v[i]);
    az_tree_edits_release(&k.own);
    az_mem_free(t->mem, marked, (size_t)r->c->n + 1);
    return rc;
}
