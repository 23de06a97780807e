/* Which children of two merged nodes belong together. */
#include "analyses/diff/internal.h"

#define UNWRAP 64 /* left-over nodes of one side that are looked into */

/* A child with device work on the other side only is still its counterpart: adds those of `side`.
 */
static int add_counterparts(struct az_merger *m, int side, uint32_t node)
{
    const struct az_diff_side *s = &m->d->side[side];
    struct az_vec_u32 *list = &m->list[side], joined;
    size_t at = 0;
    int rc = 0;
    if (az_diff_is_gpu(s, node) || m->ids[!side].n == 0)
        return 0;
    az_vec_init(&joined, m->d->mem);
    for (uint32_t c = az_diff_next_child(s->tree, node, AZ_NO_ROW); rc == 0 && c != AZ_NO_ROW;
         c = az_diff_next_child(s->tree, node, c)) {
        uint32_t id;
        bool take = at < list->n && list->v[at] == c;
        at += take;
        if (!take) {
            rc = az_diff_name_id(m, side, c, false, &id);
            take = id != AZ_NO_ID && az_diff_has_id(&m->ids[!side], id) &&
                   !az_diff_has_id(&m->ids[side], id);
        }
        if (rc == 0 && take)
            rc = az_vec_push(&joined, c);
    }
    for (; rc == 0 && at < list->n; at++) /* device events */
        rc = az_vec_push(&joined, list->v[at]);
    az_vec_release(list);
    *list = joined;
    return rc ? rc : az_diff_ids(m, side, list, false, &m->ids[side]);
}

/* Through operators and frames that hold nothing but one other: the first that branches or
 * launches. */
static uint32_t unwrapped(const struct az_diff_side *s, uint32_t node)
{
    for (;;) {
        uint32_t only = AZ_NO_ROW, n = 0;
        if (az_diff_is_gpu(s, node) || az_diff_is_call(s, node))
            return node;
        for (uint32_t c = az_diff_next_child(s->tree, node, AZ_NO_ROW); c != AZ_NO_ROW && n < 2;
             c = az_diff_next_child(s->tree, node, c))
            if (az_diff_on_path(s, c)) {
                only = c;
                n++;
            }
        if (n != 1 || az_diff_is_call(s, only))
            return node;
        node = only;
    }
}

static int both_children(struct az_merger *m, const uint32_t node[2])
{
    int rc = 0;
    for (int k = 0; rc == 0 && k < 2; k++) {
        rc = az_diff_children(&m->d->side[k], node[k], &m->list[k]);
        if (rc == 0)
            rc = az_diff_ids(m, k, &m->list[k], false, &m->ids[k]);
    }
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = add_counterparts(m, k, node[k]);
    for (int k = 0; rc == 0 && k < 2;
         k++) { /* one against many: what the one holds is against them */
        const struct az_diff_side *s = &m->d->side[k];
        if (m->list[k].n != 1 || m->list[!k].n < 2 || az_diff_has_id(&m->ids[!k], m->ids[k].v[0]) ||
            az_diff_is_gpu(s, m->list[k].v[0]) || az_diff_is_call(s, m->list[k].v[0]))
            continue;
        rc = az_diff_children(s, unwrapped(s, m->list[k].v[0]), &m->list[k]);
        if (rc == 0)
            rc = az_diff_ids(m, k, &m->list[k], false, &m->ids[k]);
        break;
    }
    return rc;
}

/* ---- pairing ---- */

static int pair_by_order(struct az_merger *m)
{
    struct az_map next;
    int rc = 0;
    az_map_init(&next, m->d->mem, m->list[0].n);
    m->d->paired_by_order++;
    for (size_t i = 0; i < m->list[0].n; i++)
        m->match.v[i] = AZ_NO_ROW;
    for (int side = 0; rc == 0 && side < 2; side++)
        for (size_t i = 0; rc == 0 && i < m->list[side].n; i++) {
            uint32_t *count, *at;
            bool added;
            rc = az_map_put(&next, m->ids[side].v[i], (uint64_t)side, 0, &count, &added);
            const uint32_t k = rc ? 0 : (*count)++;
            if (rc == 0)
                rc =
                    az_map_put(&next, m->ids[side].v[i], 2 + (uint64_t)k, (uint32_t)i, &at, &added);
            if (rc == 0 && side == 1 && !added && *at != AZ_NO_ROW) {
                m->match.v[*at] = (uint32_t)i;
                *at = AZ_NO_ROW;
            }
        }
    az_map_release(&next);
    return rc;
}

int az_diff_align_lists(struct az_merger *m)
{
    size_t left = 0;
    if (m->list[0].n == 0 || m->list[1].n == 0)
        return 0;
    az_vec_reset(&m->match);
    int rc = az_vec_reserve(&m->match, m->list[0].n);
    if (rc)
        return rc;
    if (m->list[0].n > AZ_DIFF_CHILDREN || m->list[1].n > AZ_DIFF_CHILDREN)
        rc = pair_by_order(m);
    else
        rc = az_diff_align(m->ids[0].v, m->list[0].n, m->ids[1].v, m->list[1].n, m->match.v,
                           m->d->mem);
    for (size_t i = 0; rc == 0 && i < m->list[0].n; i++) {
        const uint32_t j = m->match.v[i];
        if (j == AZ_NO_ROW) {
            m->list[0].v[left] = m->list[0].v[i];
            m->ids[0].v[left++] = m->ids[0].v[i];
            continue;
        }
        rc = az_diff_add_pair(m, m->list[0].v[i], m->list[1].v[j]);
        m->list[1].v[j] = AZ_NO_ROW;
    }
    m->list[0].n = m->ids[0].n = left;
    left = 0;
    for (size_t j = 0; j < m->list[1].n; j++)
        if (m->list[1].v[j] != AZ_NO_ROW) {
            m->list[1].v[left] = m->list[1].v[j];
            m->ids[1].v[left++] = m->ids[1].v[j];
        }
    m->list[1].n = m->ids[1].n = left;
    return rc;
}

static bool any_call(const struct az_merger *m)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < m->list[k].n; i++)
            if (az_diff_is_call(&m->d->side[k], m->list[k].v[i]))
                return true;
    return false;
}

/* ---- wrappers ---- */

static int replace_by_children(struct az_merger *m, int side, size_t at)
{
    struct az_vec_u32 own, *list = &m->list[side];
    az_vec_init(&own, m->d->mem);
    int rc = az_diff_children(&m->d->side[side], list->v[at], &own);
    if (rc == 0)
        rc = az_vec_reserve(list, own.n + 1);
    if (rc == 0) {
        memmove(list->v + at + own.n, list->v + at + 1, (list->n - at - 1) * sizeof *list->v);
        for (size_t i = 0; i < own.n; i++)
            list->v[at + i] = own.v[i];
        list->n += own.n - 1;
        rc = az_diff_ids(m, side, list, false, &m->ids[side]);
    }
    az_vec_release(&own);
    return rc;
}

static int child_ids(struct az_merger *m, int side, uint32_t node, struct az_vec_u32 *ids)
{
    struct az_vec_u32 own;
    const struct az_diff_side *s = &m->d->side[side];
    az_vec_init(&own, m->d->mem);
    int rc =
        az_diff_is_gpu(s, node) || az_diff_is_call(s, node) ? 0 : az_diff_children(s, node, &own);
    if (rc == 0)
        rc = az_diff_ids(m, side, &own, false, ids);
    az_vec_release(&own);
    return rc;
}

static bool equal_ids(const struct az_vec_u32 *a, const struct az_vec_u32 *b)
{
    return a->n && a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

/* One node holds the other's like, or both hold the same: wrappers give way to what they hold.
 * *found: one did. */
static int unwrap_one(struct az_merger *m, bool *found)
{
    struct az_vec_u32 held[2];
    int rc = 0;
    *found = false;
    az_vec_init(&held[0], m->d->mem);
    az_vec_init(&held[1], m->d->mem);
    for (size_t i = 0; rc == 0 && !*found && i < m->list[0].n && i < UNWRAP; i++) {
        rc = child_ids(m, 0, m->list[0].v[i], &held[0]);
        for (size_t j = 0; rc == 0 && !*found && j < m->list[1].n && j < UNWRAP; j++) {
            rc = child_ids(m, 1, m->list[1].v[j], &held[1]);
            if (rc)
                break;
            const bool first_in = az_diff_has_id(&held[1], m->ids[0].v[i]),
                       second_in = az_diff_has_id(&held[0], m->ids[1].v[j]),
                       both = equal_ids(&held[0], &held[1]);
            *found = first_in || second_in || both;
            if (second_in || both)
                rc = replace_by_children(m, 0, i);
            if (rc == 0 && *found && !second_in)
                rc = replace_by_children(m, 1, j);
        }
    }
    az_vec_release(&held[0]);
    az_vec_release(&held[1]);
    return rc;
}

/* What is left over on both sides is collapsed through wrappers and aligned again. What finds no
 * partner stays collapsed in the merged tree: a wrapper of one trace alone is no difference of its
 * own. */
static int align_collapsed(struct az_merger *m, bool loose)
{
    int rc = 0;
    if (m->list[0].n == 0 || m->list[1].n == 0)
        return 0;
    for (int k = 0; rc == 0 && k < 2; k++) {
        for (size_t i = 0; i < m->list[k].n; i++)
            m->list[k].v[i] = unwrapped(&m->d->side[k], m->list[k].v[i]);
        rc = az_diff_ids(m, k, &m->list[k], loose, &m->ids[k]);
    }
    if (rc == 0)
        rc = az_diff_align_lists(m);
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = az_diff_ids(m, k, &m->list[k], false, &m->ids[k]);
    return rc;
}

int az_diff_pair_children(struct az_merger *m, const uint32_t node[2])
{
    az_vec_reset(&m->pairs);
    int rc = both_children(m, node);
    if (rc == 0 && m->list[0].n == m->list[1].n && !any_call(m)) {
        for (size_t i = 0; rc == 0 && i < m->list[0].n; i++)
            rc = az_diff_add_pair(m, m->list[0].v[i], m->list[1].v[i]);
        m->list[0].n = m->list[1].n = 0;
        return rc;
    }
    if (rc == 0)
        rc = az_diff_align_lists(m);
    if (rc == 0)
        rc = az_diff_repeated_names(m);
    for (bool more = true; rc == 0 && more;) {
        rc = unwrap_one(m, &more);
        if (rc == 0 && more)
            rc = az_diff_align_lists(m);
    }
    if (rc == 0)
        rc = align_collapsed(m, false);
    return rc ? rc : align_collapsed(m, true);
}
