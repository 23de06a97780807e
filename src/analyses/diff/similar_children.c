/* Similarity matching of children with equal names: which occurrences under two nodes correspond.
 */
#include "analyses/diff/internal.h"

#define REPEATED   4096 /* pairs of repeated names that are scored */
#define LEVELS     4    /* levels of a subtree that are compared to score a pair */
#define LEVEL_SIZE 256  /* nodes of one level that are compared */

/* Ids of the nodes of one level, sorted. `level` holds the nodes and gets those of the next. */
static int level_ids(struct az_merger *m, int side, struct az_vec_u32 *level,
                     struct az_vec_u32 *ids)
{
    struct az_vec_u32 next, own;
    int rc = 0;
    az_vec_init(&next, m->d->mem);
    az_vec_init(&own, m->d->mem);
    for (size_t i = 0; rc == 0 && i < level->n && next.n < LEVEL_SIZE; i++) {
        rc = az_diff_children(&m->d->side[side], level->v[i], &own);
        for (size_t k = 0; rc == 0 && k < own.n && next.n < LEVEL_SIZE; k++)
            rc = az_vec_push(&next, own.v[k]);
    }
    if (rc == 0)
        rc = az_diff_ids(m, side, &next, false, ids);
    for (size_t i = 1; rc == 0 && i < ids->n; i++) { /* few */
        const uint32_t v = ids->v[i];
        size_t k = i;
        for (; k > 0 && ids->v[k - 1] > v; k--)
            ids->v[k] = ids->v[k - 1];
        ids->v[k] = v;
    }
    az_vec_release(level);
    az_vec_release(&own);
    *level = next;
    return rc;
}

static double overlap(const struct az_vec_u32 *a, const struct az_vec_u32 *b)
{
    size_t i = 0, j = 0, same = 0;
    while (i < a->n && j < b->n) {
        const uint32_t x = a->v[i], y = b->v[j];
        same += x == y;
        i += x <= y;
        j += y <= x;
    }
    const size_t most = a->n > b->n ? a->n : b->n;
    return most ? (double)same / (double)most : 1;
}

/* Similarity of two subtrees: equal levels, and the share that is equal of the first that differs.
 */
static int likeness(struct az_merger *m, uint32_t a, uint32_t b, double *score)
{
    struct az_vec_u32 level[2], ids[2];
    int rc = 0;
    *score = 0;
    for (int k = 0; k < 2; k++) {
        az_vec_init(&level[k], m->d->mem);
        az_vec_init(&ids[k], m->d->mem);
    }
    rc = az_vec_push(&level[0], a);
    if (rc == 0)
        rc = az_vec_push(&level[1], b);
    for (int n = 0; rc == 0 && n < LEVELS; n++) {
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = level_ids(m, k, &level[k], &ids[k]);
        const double part = rc ? 0 : overlap(&ids[0], &ids[1]);
        *score += part;
        if (part < 1 || ids[0].n == 0)
            break;
    }
    for (int k = 0; k < 2; k++) {
        az_vec_release(&level[k]);
        az_vec_release(&ids[k]);
    }
    return rc;
}

struct score {
    double likeness;
    size_t a, b; /* of the occurrences */
    bool was;    /* paired by the alignment */
};

static bool better(const struct score *x, const struct score *y)
{
    if (x->likeness != y->likeness)
        return x->likeness > y->likeness;
    if (x->was != y->was)
        return x->was;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* Pairs the occurrences of one name again, the most similar first. a, b: the nodes; was[i]: index
 * in b or AZ_NO_ROW; same result in was. */
static int pair_alike(struct az_merger *m, const struct az_vec_u32 *a, const struct az_vec_u32 *b,
                      uint32_t *was)
{
    const size_t n = a->n * b->n, bytes = n * sizeof(struct score);
    struct score *all = az_mem_alloc(m->d->mem, bytes);
    int rc = all ? 0 : az_mem_error(m->d->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        all[i] = (struct score){ .a = i / b->n, .b = i % b->n, .was = was[i / b->n] == i % b->n };
        rc = likeness(m, a->v[all[i].a], b->v[all[i].b], &all[i].likeness);
    }
    for (size_t i = 0; rc == 0 && i < a->n; i++)
        was[i] = AZ_NO_ROW;
    for (size_t round = 0; rc == 0 && round < a->n && round < b->n; round++) {
        const struct score *best = NULL;
        for (size_t i = 0; i < n; i++)
            if (all[i].likeness >= 0 && (!best || better(&all[i], best)))
                best = &all[i];
        if (!best)
            break;
        const size_t x = best->a, y = best->b;
        was[x] = (uint32_t)y;
        for (size_t i = 0; i < n; i++)
            if (all[i].a == x || all[i].b == y)
                all[i].likeness = -1; /* taken */
    }
    if (all)
        az_mem_free(m->d->mem, all, bytes);
    return rc;
}

/* Occurrences of one name in what was paired and what is left over. */
static int occurrences(struct az_merger *m, uint32_t id, struct az_vec_u32 out[2],
                       struct az_vec_u32 *was)
{
    int rc = 0;
    for (int k = 0; k < 2; k++)
        az_vec_reset(&out[k]);
    az_vec_reset(was);
    for (size_t i = 0; rc == 0 && i < m->pairs.n; i++) {
        uint32_t of;
        rc = az_diff_name_id(m, 0, m->pairs.v[i].node[0], false, &of);
        if (rc || of != id)
            continue;
        rc = az_vec_push(was, (uint32_t)out[1].n);
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = az_vec_push(&out[k], m->pairs.v[i].node[k]);
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; rc == 0 && i < m->list[k].n; i++) {
            if (m->ids[k].v[i] != id)
                continue;
            rc = az_vec_push(&out[k], m->list[k].v[i]);
            if (rc == 0 && k == 0)
                rc = az_vec_push(was, AZ_NO_ROW);
        }
    return rc;
}

static void drop_id(struct az_vec_u32 *nodes, struct az_vec_u32 *ids, uint32_t id)
{
    size_t n = 0;
    for (size_t i = 0; i < nodes->n; i++)
        if (ids->v[i] != id) {
            nodes->v[n] = nodes->v[i];
            ids->v[n++] = ids->v[i];
        }
    nodes->n = ids->n = n;
}

static int replace_pairs(struct az_merger *m, uint32_t id, const struct az_vec_u32 v[2],
                         const uint32_t *was)
{
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->pairs.n; i++) {
        uint32_t of;
        rc = az_diff_name_id(m, 0, m->pairs.v[i].node[0], false, &of);
        if (of != id)
            m->pairs.v[n++] = m->pairs.v[i];
    }
    m->pairs.n = n;
    for (int k = 0; k < 2; k++)
        drop_id(&m->list[k], &m->ids[k], id);
    for (size_t i = 0; rc == 0 && i < v[0].n; i++) {
        if (was[i] != AZ_NO_ROW) {
            rc = az_diff_add_pair(m, v[0].v[i], v[1].v[was[i]]);
            v[1].v[was[i]] = AZ_NO_ROW;
            continue;
        }
        rc = az_vec_push(&m->list[0], v[0].v[i]);
        if (rc == 0)
            rc = az_vec_push(&m->ids[0], id);
    }
    for (size_t i = 0; rc == 0 && i < v[1].n; i++)
        if (v[1].v[i] != AZ_NO_ROW) {
            rc = az_vec_push(&m->list[1], v[1].v[i]);
            if (rc == 0)
                rc = az_vec_push(&m->ids[1], id);
        }
    return rc;
}

int az_diff_repeated_names(struct az_merger *m)
{
    struct az_vec_u32 v[2], was, seen;
    int rc = 0;
    az_vec_init(&v[0], m->d->mem);
    az_vec_init(&v[1], m->d->mem);
    az_vec_init(&was, m->d->mem);
    az_vec_init(&seen, m->d->mem);
    for (int k = 0; rc == 0 && k < 2; k++)
        for (size_t i = 0; rc == 0 && i < m->ids[k].n && i < REPEATED;) {
            const uint32_t id = m->ids[k].v[i];
            if (az_diff_has_id(&seen, id)) {
                i++;
                continue;
            }
            rc = az_vec_push(&seen, id);
            if (rc == 0)
                rc = occurrences(m, id, v, &was);
            if (rc || v[0].n == 0 || v[1].n == 0 || v[0].n * v[1].n > REPEATED) {
                i++;
                continue;
            }
            rc = pair_alike(m, &v[0], &v[1], was.v);
            if (rc == 0)
                rc = replace_pairs(m, id, v, was.v);
            i = 0; /* the lists are others now */
        }
    az_vec_release(&v[0]);
    az_vec_release(&v[1]);
    az_vec_release(&was);
    az_vec_release(&seen);
    return rc;
}
