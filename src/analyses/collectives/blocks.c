/* The run cut into blocks of time, by which verdicts are tested: the profiler's steps by their
 * numbers, or equal times. All members of a collective are in the same block. */
#include "analyses/collectives/straggler_attrib.h"
#include "base/sort.h"

#define MOST_BLOCKS  256
#define FREE_BLOCKS  12 /* of a run without steps */
#define LEAST_EVENTS 8  /* of each rank in such a block */

size_t az_coll_step_at(const struct az_coll_part *p, size_t i)
{
    const int64_t launch = az_coll_part_launch(p, i),
                  at = launch == INT64_MIN ? az_coll_part_start(p, i) : launch;
    const size_t low = AZ_UPPER_BY(p->steps, p->n_steps, start, at); /* first that begins later */
    return low == 0 || (low == p->n_steps && at > p->steps[low - 1].end) ? SIZE_MAX : low - 1;
}

static int numbers(struct az_coll_blame *m)
{
    const struct az_coll_run *c = m->c;
    struct az_vec_i64 v;
    bool all = true;
    int rc = 0;
    az_vec_init(&v, c->job->mem);
    for (size_t r = 0; r < m->ranks && rc == 0; r++)
        for (size_t i = 0; c->part[r] && rc == 0 && i < c->part[r]->n_steps; i++) {
            all &= c->part[r]->steps[i].number >= 0;
            rc = az_vec_push(&v, c->part[r]->steps[i].number);
        }
    uint32_t *order = rc ? NULL : az_arena_array(m->a, v.n + 1, sizeof *order);
    m->number = rc ? NULL : az_arena_array(m->a, v.n + 1, sizeof *m->number);
    if (rc == 0 && (!order || !m->number))
        rc = az_arena_error(m->a);
    if (rc == 0)
        az_sort_order(v.v, v.n, order, c->job->mem);
    for (size_t i = 0; rc == 0 && all && i < v.n; i++)
        if (m->n_numbers == 0 || m->number[m->n_numbers - 1] != v.v[order[i]])
            m->number[m->n_numbers++] = v.v[order[i]];
    az_vec_release(&v);
    return rc;
}

/* A run without steps is truncated into equal numbers of collectives, if there is enough in each.
 */
static void shares(struct az_coll_blame *m)
{
    const struct az_coll_run *c = m->c;
    size_t least = SIZE_MAX;
    for (size_t r = 0; r < m->ranks; r++)
        if (c->part[r] && c->part[r]->n < least)
            least = c->part[r]->n;
    m->blocks = least == SIZE_MAX || c->colls.n < least ? 0 : least / LEAST_EVENTS;
    m->blocks = m->blocks > FREE_BLOCKS ? FREE_BLOCKS : m->blocks;
    m->merged = 1;
}

static uint32_t block_of_step(const struct az_coll_blame *m, uint32_t g)
{
    const struct az_coll_part *p = m->c->part[m->c->rank[g]];
    const size_t s = az_coll_step_at(p, g - m->c->base[m->c->rank[g]]);
    if (s == SIZE_MAX)
        return AZ_NO_ROW;
    const size_t low = AZ_LOWER(m->number, m->n_numbers, p->steps[s].number);
    return (uint32_t)(low / m->merged);
}

/* Of the collective at x: they are by time. */
static uint32_t block_of_order(const struct az_coll_blame *m, size_t x)
{
    const size_t n = m->c->colls.n, b = x / (n / m->blocks);
    return (uint32_t)(b < m->blocks ? b : m->blocks - 1);
}

/* All members of a collective are in the block of the first that is in one. */
static void place(struct az_coll_blame *m)
{
    const struct az_coll_run *c = m->c;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *k = &c->colls.v[x];
        m->block[x] = AZ_NO_ROW;
        if (m->n_numbers == 0)
            m->block[x] = block_of_order(m, x);
        for (uint32_t i = 0; m->n_numbers && i < k->n && m->block[x] == AZ_NO_ROW; i++)
            m->block[x] = block_of_step(m, az_coll_member(c, k, i));
    }
}

uint32_t az_coll_block_of(const struct az_coll_blame *m, uint32_t g)
{
    const struct az_coll_run *c = m->c;
    if (c->coll[g] != AZ_NO_ROW)
        return m->block[c->coll[g]];
    if (m->n_numbers)
        return block_of_step(m, g);
    /* without a partner: with the collectives of its time */
    const size_t low = AZ_LOWER_BY(c->colls.v, c->colls.n, earliest, az_coll_start(c, g));
    return block_of_order(m, low < c->colls.n ? low : c->colls.n - 1);
}

int az_coll_blocks(struct az_coll_blame *m)
{
    int rc = numbers(m);
    m->block = az_arena_array(m->a, m->c->colls.n + 1, sizeof *m->block);
    if (rc == 0 && !m->block)
        rc = az_arena_error(m->a);
    if (rc)
        return rc;
    m->merged = m->n_numbers / MOST_BLOCKS + (m->n_numbers % MOST_BLOCKS != 0);
    m->blocks = m->n_numbers ? (m->n_numbers + m->merged - 1) / m->merged : 0;
    if (m->n_numbers == 0)
        shares(m);
    if (m->blocks)
        place(m);
    return 0;
}
