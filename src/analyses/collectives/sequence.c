/* Collectives by the sequence numbers that the library gives to the operations of a group.
 * docs/formulas-collectives.md 2, rule 1. */
#include "analyses/collectives/match.h"
#include "base/sort.h"

/* The lanes' events by number, all lanes at a time: a heap of lanes by the number of their next
 * event. */
struct merge {
    struct az_coll_matching *m;
    uint32_t **g; /* by lane: its events by number */
    size_t *next; /* by lane */
    uint32_t *heap;
    size_t n;
};

static int64_t number_of(const struct az_coll_run *c, uint32_t g)
{
    return az_packed_at(&az_coll_part_of(c, g)->seq, az_coll_place(c, g));
}

static int64_t head_number(const struct merge *x, uint32_t lane)
{
    return number_of(x->m->c, x->g[lane][x->next[lane]]);
}

static void sift_down(struct merge *x, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < x->n; at = child) {
        child +=
            child + 1 < x->n && head_number(x, x->heap[child + 1]) < head_number(x, x->heap[child]);
        if (head_number(x, x->heap[at]) <= head_number(x, x->heap[child]))
            return;
        const uint32_t lane = x->heap[at];
        x->heap[at] = x->heap[child];
        x->heap[child] = lane;
    }
}

/* The events of a lane by number, which need not be their order of launch. *usable: all have one,
 * none has that of another. */
static int sort_lane(struct merge *x, const struct az_coll_lane *l, uint32_t **g, bool *usable)
{
    struct az_coll_matching *m = x->m;
    uint32_t *order = az_arena_array(&m->room, l->n + 1, sizeof *order);
    int64_t *key = az_mem_alloc(m->c->job->mem, (l->n + 1) * sizeof *key);
    int rc = order && key ? 0 : az_mem_error(m->c->job->mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        key[i] = number_of(m->c, l->g[i]);
    if (rc == 0)
        az_sort_order(key, l->n, order, m->c->job->mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        *usable &= key[order[i]] >= 0 && (i == 0 || key[order[i]] != key[order[i - 1]]);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        order[i] = l->g[order[i]];
    az_mem_free(m->c->job->mem, key, (l->n + 1) * sizeof *key);
    *g = order;
    return rc;
}

/* Most runs launch the same operations in the same order: then the numbers of each lane, which are
 * those of the first one, are in ascending order already. */
static bool equal_numbers(const struct az_coll_matching *m, int64_t *key)
{
    const struct az_coll_lane *a = m->lanes.v;
    for (size_t l = 0; l < m->lanes.n; l++) {
        const struct az_coll_lane *b = &m->lanes.v[l];
        const struct az_packed *seq = &m->c->part[b->rank]->seq;
        const uint32_t base = m->c->base[b->rank];
        if (b->n != a->n)
            return false;
        for (size_t i = 0; l == 0 && i < a->n; i++) {
            key[i] = az_packed_at(seq, a->g[i] - base);
            if (key[i] < 0 || (i && key[i] <= key[i - 1]))
                return false;
        }
        for (size_t i = 0; l && i < a->n; i++)
            if (az_packed_at(seq, b->g[i] - base) != key[i])
                return false;
    }
    return true;
}

static void number_equal_lanes(struct az_coll_matching *m)
{
    m->n_at = (uint32_t)m->lanes.v[0].n;
    for (size_t l = 0; l < m->lanes.n; l++)
        for (uint32_t i = 0; i < m->n_at; i++)
            m->lanes.v[l].at[i] = i;
}

static void number_lanes(struct merge *x)
{
    struct az_coll_matching *m = x->m;
    int64_t last = 0;
    uint32_t at = 0;
    for (size_t i = x->n; i > 0; i--)
        sift_down(x, i - 1);
    for (bool first = true; x->n; first = false) {
        const uint32_t lane = x->heap[0];
        const int64_t seq = head_number(x, lane);
        at += !first && seq != last;
        last = seq;
        m->lanes.v[lane].at[x->next[lane]++] = at;
        if (x->next[lane] == m->lanes.v[lane].n)
            x->heap[0] = x->heap[--x->n];
        sift_down(x, 0);
    }
    m->n_at = at + 1;
    for (size_t l = 0; l < m->lanes.n; l++)
        m->lanes.v[l].g = x->g[l];
}

int az_coll_match_by_sequence(struct az_coll_matching *m, bool *done)
{
    const size_t lanes = m->lanes.n;
    struct merge x = { .m = m,
                       .g = az_arena_array(&m->room, lanes + 1, sizeof *x.g),
                       .next = az_arena_array(&m->room, lanes + 1, sizeof *x.next),
                       .heap = az_arena_array(&m->room, lanes + 1, sizeof *x.heap) };
    int64_t *key = az_mem_alloc(m->c->job->mem, (m->lanes.v[0].n + 1) * sizeof *key);
    int rc = x.g && x.next && x.heap ? 0 : az_arena_error(&m->room);
    if (!key)
        return az_mem_error(m->c->job->mem);
    *done = !m->pair;
    const bool equal = rc == 0 && *done && equal_numbers(m, key);
    az_mem_free(m->c->job->mem, key, (m->lanes.v[0].n + 1) * sizeof *key);
    if (equal)
        number_equal_lanes(m);
    if (equal)
        return 0;
    for (uint32_t l = 0; rc == 0 && *done && l < lanes; l++) {
        rc = sort_lane(&x, &m->lanes.v[l], &x.g[l], done);
        if (m->lanes.v[l].n)
            x.heap[x.n++] = l;
    }
    if (rc == 0 && *done)
        number_lanes(&x);
    return rc;
}
