/* Sequences of several ranks put side by side: the longest first, then each aligned to all that is
 * known so far. docs/formulas-collectives.md 2, third rule. */
#include "analyses/collectives/match.h"

/* What is known so far, in order: nodes, each with what it is and when it ended on the clock of the
 * first rank. */
struct known {
    struct az_vec_u32 sig, order; /* by node; node numbers in order */
    struct az_vec_i64 t;          /* by node */
};

static int add_node(struct known *k, uint32_t sig, int64_t t)
{
    int rc = az_vec_push(&k->sig, sig);
    return rc ? rc : az_vec_push(&k->t, t);
}

/* Puts a lane's events to those known: at[] becomes node numbers. b_to_a: by az_coll_align. */
static int merge(struct known *k, struct az_coll_lane *l, const uint32_t *b_to_a, const int64_t *t,
                 int64_t offset, struct az_vec_u32 *order)
{
    size_t next = 0;
    int rc = 0;
    az_vec_reset(order);
    for (size_t j = 0; rc == 0 && j < l->n; j++) {
        if (b_to_a[j] == AZ_NO_ROW) {
            l->at[j] = (uint32_t)k->sig.n;
            rc = add_node(k, l->sig[j], t[j] - offset);
            if (rc == 0)
                rc = az_vec_push(order, l->at[j]);
            continue;
        }
        for (; rc == 0 && next <= b_to_a[j]; next++)
            rc = az_vec_push(order, k->order.v[next]);
        if (rc == 0)
            l->at[j] = order->v[order->n - 1];
    }
    for (; rc == 0 && next < k->order.n; next++)
        rc = az_vec_push(order, k->order.v[next]);
    struct az_vec_u32 old = k->order;
    k->order = *order;
    *order = old;
    return rc;
}

static int64_t *ends_of(struct az_coll_matching *m, const struct az_coll_lane *l)
{
    int64_t *t = az_arena_array(&m->room, l->n + 1, sizeof *t);
    for (size_t i = 0; t && i < l->n; i++)
        t[i] = az_coll_file_end(m->c, l->g[i]) + m->c->shift[l->rank];
    return t;
}

static int align_lane(struct az_coll_matching *m, struct known *k, struct az_coll_lane *l,
                      struct az_vec_u32 *order)
{
    const int64_t *t = ends_of(m, l);
    uint32_t *sig = az_arena_array(&m->room, k->order.n + 1, sizeof *sig),
             *b_to_a = az_arena_array(&m->room, l->n + 1, sizeof *b_to_a);
    int64_t *at = az_arena_array(&m->room, k->order.n + 1, sizeof *at), offset = 0;
    if (!t || !sig || !b_to_a || !at)
        return az_arena_error(&m->room);
    for (size_t i = 0; i < k->order.n; i++) {
        sig[i] = k->sig.v[k->order.v[i]];
        at[i] = k->t.v[k->order.v[i]];
    }
    const struct az_coll_seq a = { sig, at, k->order.n }, b = { l->sig, t, l->n };
    int rc = az_coll_align(&a, &b, b_to_a, &offset, m->c->job->mem);
    return rc ? rc : merge(k, l, b_to_a, t, offset, order);
}

int az_coll_match_by_alignment(struct az_coll_matching *m)
{
    struct known k;
    struct az_vec_u32 order;
    size_t first = 0;
    int rc = 0;
    az_vec_init(&k.sig, m->c->job->mem);
    az_vec_init(&k.order, m->c->job->mem);
    az_vec_init(&k.t, m->c->job->mem);
    az_vec_init(&order, m->c->job->mem);
    for (size_t l = 1; l < m->lanes.n; l++)
        first = m->lanes.v[l].n > m->lanes.v[first].n ? l : first;
    for (size_t x = 0; rc == 0 && x <= m->lanes.n;
         x++) { /* the longest, then the others as they come */
        if (x == first + 1)
            continue;
        rc = align_lane(m, &k, &m->lanes.v[x ? x - 1 : first], &order);
    }
    uint32_t *place = rc ? NULL : az_arena_array(&m->room, k.order.n + 1, sizeof *place);
    if (rc == 0 && !place)
        rc = az_arena_error(&m->room);
    for (uint32_t i = 0; rc == 0 && i < k.order.n; i++)
        place[k.order.v[i]] = i;
    for (size_t l = 0; rc == 0 && l < m->lanes.n; l++)
        for (size_t i = 0; i < m->lanes.v[l].n; i++)
            m->lanes.v[l].at[i] = place[m->lanes.v[l].at[i]];
    m->n_at = (uint32_t)k.order.n;
    az_vec_release(&k.sig);
    az_vec_release(&k.order);
    az_vec_release(&k.t);
    az_vec_release(&order);
    return rc;
}
