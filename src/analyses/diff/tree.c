/* Two call trees become one. */
#include "analyses/diff/internal.h"

static int64_t start_of(const struct az_diff_side *s, uint32_t node)
{
    uint32_t row;
    if (az_diff_is_gpu(s, node))
        return az_gpu_event(s->tree, node - s->n_host).start;
    const enum az_kind k = az_node_kind(s->tree, node, &row);
    return s->trace->ev[k].start[row];
}

/* Pairs in the order of the first trace. Already so, but for those of later rounds. */
static void sort_pairs(struct az_merger *m)
{
    const struct az_diff_side *s = &m->d->side[0];
    for (size_t i = 1; i < m->pairs.n; i++) {
        const struct az_pair p = m->pairs.v[i];
        const int64_t at = start_of(s, p.node[0]);
        size_t k = i;
        for (; k > 0 && start_of(s, m->pairs.v[k - 1].node[0]) > at; k--)
            m->pairs.v[k] = m->pairs.v[k - 1];
        m->pairs.v[k] = p;
    }
}

/* Puts what comes below node `id` on the stack, last first. */
static int push_below(struct az_merger *m, uint32_t id)
{
    const struct az_diff_node n = m->d->nodes.v[id];
    int rc = 0;
    bool last = true;
    az_vec_reset(&m->pairs);
    if (n.node[0] != AZ_NO_ROW && n.node[1] != AZ_NO_ROW) {
        rc = az_diff_pair_children(m, n.node);
        sort_pairs(m);
    } else {
        const int side = n.node[0] == AZ_NO_ROW;
        az_vec_reset(&m->list[!side]);
        rc = az_diff_children(&m->d->side[side], n.node[side], &m->list[side]);
    }
    for (int k = 1; k >= 0; k--)
        for (size_t i = m->list[k].n; rc == 0 && i-- > 0; last = false) {
            struct az_internal_item x = { .node = { AZ_NO_ROW, AZ_NO_ROW },
                                          .parent = id,
                                          .depth = n.depth + 1,
                                          .last_sibling = last };
            x.node[k] = m->list[k].v[i];
            rc = az_vec_push(&m->stack, x);
        }
    for (size_t i = m->pairs.n; rc == 0 && i-- > 0; last = false)
        rc = az_vec_push(&m->stack, ((struct az_internal_item){
                                        .node = { m->pairs.v[i].node[0], m->pairs.v[i].node[1] },
                                        .parent = id,
                                        .depth = n.depth + 1,
                                        .last_sibling = last }));
    return rc;
}

static int make_tree(struct az_merger *m)
{
    struct az_diff *d = m->d;
    int rc = 0;
    while (rc == 0 && m->stack.n) {
        const struct az_internal_item x = m->stack.v[--m->stack.n];
        const uint32_t id = (uint32_t)d->nodes.n;
        if (id >= AZ_NO_ROW - 1)
            return AZ_ERANGE;
        rc = az_vec_push(&d->nodes, ((struct az_diff_node){ .node = { x.node[0], x.node[1] },
                                                            .parent = x.parent,
                                                            .depth = x.depth,
                                                            .last_sibling = x.last_sibling }));
        if (rc == 0)
            rc = push_below(m, id);
        az_arena_reset(&m->scratch);
    }
    for (size_t i = d->nodes.n; i-- > 0;) {
        struct az_diff_node *n = &d->nodes.v[i];
        n->end = n->end ? n->end : (uint32_t)i + 1;
        struct az_diff_node *up = n->parent == AZ_NO_ROW ? NULL : &d->nodes.v[n->parent];
        if (up && up->end < n->end)
            up->end = n->end;
    }
    return rc;
}

/* Top nodes that are operators, or hold one, in order of start. */
static int roots(struct az_merger *m, int side)
{
    const struct az_calltree *c = m->d->side[side].tree;
    int rc = 0;
    az_vec_reset(&m->list[side]);
    for (uint32_t p = 0; rc == 0 && p < c->n; p = c->last[c->by_pre[p]] + 1) {
        const uint32_t node = c->by_pre[p];
        if (node < c->first_call ||
            (node >= c->first_frame && az_diff_on_path(&m->d->side[side], node)))
            rc = az_vec_push(&m->list[side], node);
    }
    return rc ? rc : az_diff_ids(m, side, &m->list[side], false, &m->ids[side]);
}

/* As many roots: by position. Else by name, and what is left over stays on its side. */
static int push_roots(struct az_merger *m)
{
    int rc = roots(m, 0);
    bool last = true;
    if (rc == 0)
        rc = roots(m, 1);
    if (rc == 0 && m->list[0].n == m->list[1].n) {
        for (size_t i = 0; rc == 0 && i < m->list[0].n; i++)
            rc = az_diff_add_pair(m, m->list[0].v[i], m->list[1].v[i]);
        m->list[0].n = m->list[1].n = 0;
    } else if (rc == 0) {
        rc = az_diff_align_lists(m);
    }
    for (int k = 1; k >= 0; k--)
        for (size_t i = m->list[k].n; rc == 0 && i-- > 0; last = false) {
            struct az_internal_item x = { .node = { AZ_NO_ROW, AZ_NO_ROW },
                                          .parent = AZ_NO_ROW,
                                          .last_sibling = last };
            x.node[k] = m->list[k].v[i];
            rc = az_vec_push(&m->stack, x);
        }
    for (size_t i = m->pairs.n; rc == 0 && i-- > 0; last = false)
        rc = az_vec_push(&m->stack, ((struct az_internal_item){
                                        .node = { m->pairs.v[i].node[0], m->pairs.v[i].node[1] },
                                        .parent = AZ_NO_ROW,
                                        .last_sibling = last }));
    return rc;
}

static int side_init(struct az_diff_side *s, const struct az_trace *t, struct az_mem *mem)
{
    *s = (struct az_diff_side){ .trace = t, .tree = az_tree(t), .n_host = az_tree(t)->n };
    az_vec_init(&s->name_of, mem);
    const size_t n = t->names.text.n + 1;
    int rc = az_vec_reserve(&s->name_of, n);
    if (rc == 0) {
        memset(s->name_of.v, 0, n * sizeof *s->name_of.v);
        s->name_of.n = n;
    }
    return rc;
}

int az_diff_make(struct az_diff *d, const struct az_trace *first, const struct az_trace *second,
                 struct az_arena *arena, struct az_mem *mem)
{
    struct az_merger m = { .d = d };
    *d = (struct az_diff){ .mem = mem };
    az_vec_init(&d->nodes, mem);
    az_vec_init(&m.stack, mem);
    az_vec_init(&m.pairs, mem);
    az_vec_init(&m.match, mem);
    az_arena_init(&m.scratch, mem);
    for (int k = 0; k < 2; k++) {
        az_vec_init(&m.list[k], mem);
        az_vec_init(&m.ids[k], mem);
    }
    int rc = side_init(&d->side[0], first, mem);
    if (rc == 0)
        rc = side_init(&d->side[1], second, mem);
    az_intern_init(&d->names, arena, mem);
    if (rc == 0)
        rc = push_roots(&m);
    if (rc == 0)
        rc = make_tree(&m);
    for (int k = 0; k < 2; k++) {
        az_vec_release(&m.list[k]);
        az_vec_release(&m.ids[k]);
    }
    az_vec_release(&m.stack);
    az_vec_release(&m.pairs);
    az_vec_release(&m.match);
    az_arena_release(&m.scratch);
    return rc;
}

void az_diff_release(struct az_diff *d)
{
    az_intern_release(&d->names);
    az_vec_release(&d->nodes);
    az_vec_release(&d->side[0].name_of);
    az_vec_release(&d->side[1].name_of);
}
