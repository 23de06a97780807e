/* Events matched step by step: the profiler gives a step the same number on all ranks, so that a
 * recording that lacks a step, or events of it, does not shift what comes after. */
#include "analyses/collectives/match.h"
#include "base/sort.h"

/* ---- rule 2: ordinals ---- */
static bool equal_lengths(const struct az_coll_matching *m)
{
    for (size_t l = 1; l < m->lanes.n; l++)
        if (m->lanes.v[l].n != m->lanes.v[0].n)
            return false;
    return true;
}

/* All are of the same kinds in the same order; and where sizes do not agree, more than half of them
 * do not: then ranks have sizes of their own, and no event is missing. */
bool az_coll_match_by_ordinal(struct az_coll_matching *m)
{
    const struct az_coll_lane *a = m->lanes.v;
    if (!equal_lengths(m))
        return false;
    for (size_t l = 1; l < m->lanes.n; l++) {
        const struct az_coll_lane *b = &m->lanes.v[l];
        size_t differ = 0;
        for (size_t i = 0; i < a->n; i++) {
            if (m->kind.v[a->sig[i]] != m->kind.v[b->sig[i]])
                return false;
            differ += a->sig[i] != b->sig[i];
        }
        if (differ && differ * 2 <= a->n)
            return false;
    }
    for (size_t l = 0; l < m->lanes.n; l++)
        for (uint32_t i = 0; i < m->lanes.v[l].n; i++)
            m->lanes.v[l].at[i] = i;
    m->n_at = (uint32_t)a->n;
    return true;
}

/* Number of the step in which an event was launched; before the first and after the last: one less,
 * one more. */
static int64_t step_of(const struct az_coll_part *p, size_t i)
{
    const size_t s = az_coll_step_at(p, i);
    if (s != SIZE_MAX)
        return p->steps[s].number;
    return az_coll_part_launch(p, i) < p->steps[0].start ? p->steps[0].number - 1
                                                         : p->steps[p->n_steps - 1].number + 1;
}

/* Every event was launched at a known time, and steps are numbered upwards. */
static bool numbered(const struct az_coll_run *c, const struct az_coll_lane *l)
{
    const struct az_coll_part *p = c->part[l->rank];
    if (p->n_steps == 0 || p->steps[0].number < 0)
        return false;
    for (size_t i = 1; i < p->n_steps; i++)
        if (p->steps[i].number <= p->steps[i - 1].number)
            return false;
    for (size_t i = 0; i < l->n; i++)
        if (az_coll_launch(c, l->g[i]) == INT64_MIN)
            return false;
    return true;
}

static int64_t step_at(const struct az_coll_run *c, const struct az_coll_lane *l, size_t i)
{
    return step_of(c->part[l->rank], l->g[i] - c->base[l->rank]);
}

/* Of lanes of equal length: do most events with the same place belong to different steps? */
static bool shifted(const struct az_coll_run *c, const struct az_coll_lanes *v)
{
    size_t differ = 0;
    for (size_t i = 0; i < v->v[0].n; i++) {
        const int64_t step = step_at(c, &v->v[0], i);
        size_t l = 1;
        while (l < v->n && step_at(c, &v->v[l], i) == step)
            l++;
        differ += l < v->n;
    }
    return differ * 2 > v->v[0].n;
}

/* One step: the next events of each lane that belong to it. Moves `next` after them. */
static int one_step(struct az_coll_matching *m, const struct az_coll_lanes *all, int64_t step,
                    size_t *next)
{
    const struct az_coll_run *c = m->c;
    const uint32_t before = m->n_at;
    int rc = 0;
    az_vec_reset(&m->lanes);
    for (size_t l = 0; rc == 0 && l < all->n; l++) {
        const struct az_coll_lane *x = &all->v[l];
        const size_t from = next[l];
        while (next[l] < x->n && step_at(c, x, next[l]) <= step)
            next[l]++;
        if (next[l] > from)
            rc = az_vec_push(&m->lanes, ((struct az_coll_lane){ .rank = x->rank,
                                                                .g = x->g + from,
                                                                .n = next[l] - from,
                                                                .at = x->at + from,
                                                                .sig = x->sig + from }));
    }
    if (rc == 0 && !az_coll_match_by_ordinal(m))
        rc = az_coll_match_by_alignment(m);
    for (size_t l = 0; rc == 0 && l < m->lanes.n; l++)
        for (size_t i = 0; i < m->lanes.v[l].n; i++)
            m->lanes.v[l].at[i] += before;
    m->n_at += before;
    return rc;
}

int az_coll_match_by_steps(struct az_coll_matching *m, bool ordinal, bool *done)
{
    const struct az_coll_run *c = m->c;
    struct az_coll_lanes all = m->lanes;
    *done = false;
    for (size_t l = 0; l < all.n; l++)
        if (!numbered(c, &all.v[l]))
            return 0;
    if (ordinal && !shifted(c, &all))
        return 0;
    size_t *next = az_arena_array(&m->room, all.n + 1, sizeof *next);
    if (!next)
        return az_arena_error(&m->room);
    az_vec_init(&m->lanes, c->job->mem);
    m->n_at = 0;
    int rc = 0;
    for (bool more = true; rc == 0 && more;) {
        int64_t step = INT64_MAX;
        more = false;
        for (size_t l = 0; l < all.n; l++)
            if (next[l] < all.v[l].n) {
                const int64_t s = step_at(c, &all.v[l], next[l]);
                step = s < step ? s : step;
                more = true;
            }
        if (more)
            rc = one_step(m, &all, step, next);
    }
    az_vec_release(&m->lanes);
    m->lanes = all;
    *done = rc == 0;
    return rc;
}
