#include "facts/groups.h"

#include "base/num.h"

int az_grouper_init(struct az_grouper *g, struct az_mem *mem, size_t keys, size_t below)
{
    *g = (struct az_grouper){ .keys = keys, .below = keys == 1 ? below : 0, .mem = mem };
    az_vec_init(&g->tuples, mem);
    if (g->below) {
        g->direct = az_mem_alloc(mem, g->below * sizeof *g->direct);
        if (!g->direct)
            return az_mem_error(mem);
        memset(g->direct, 0xff, g->below * sizeof *g->direct);
    }
    az_map_init(&g->map, mem, 64);
    return 0;
}

void az_grouper_release(struct az_grouper *g)
{
    az_mem_free(g->mem, g->direct, g->below * sizeof *g->direct);
    az_map_release(&g->map);
    az_vec_release(&g->tuples);
    *g = (struct az_grouper){ 0 };
}

/* Where the group of this key is, or is to be put (*added). Up to two numbers are the key of the
 * map; more of them are found by their hash, and compared. */
static int place_of(struct az_grouper *g, const uint64_t *key, uint32_t **at, bool *added)
{
    const uint32_t fresh = (uint32_t)g->n;
    const size_t n = g->keys, bytes = n * sizeof *key;
    if (g->direct && key[0] < g->below) {
        *at = &g->direct[key[0]];
        *added = **at == AZ_NO_ID;
        if (*added)
            **at = fresh;
        return 0;
    }
    if (n <= 2)
        return az_map_put(&g->map, n ? key[0] : fresh, n > 1 ? key[1] : 0, fresh, at, added);
    const uint64_t hash = az_hash(key, bytes);
    for (uint64_t probe = 0;; probe++) {
        const int rc = az_map_put(&g->map, hash, probe, fresh, at, added);
        if (rc || *added || memcmp(g->tuples.v + **at * n, key, bytes) == 0)
            return rc;
    }
}

int az_grouper_lookup(struct az_grouper *g, const uint64_t *key, uint32_t *group)
{
    uint32_t *at;
    bool added;
    int rc = g->n < AZ_NO_ID ? place_of(g, key, &at, &added) : AZ_ERANGE;
    if (rc)
        return rc;
    *group = g->last_group = *at;
    for (size_t k = 0; k < g->keys; k++)
        g->last[k] = key[k];
    g->n += added;
    for (size_t k = 0; rc == 0 && added && g->keys > 2 && k < g->keys; k++)
        rc = az_vec_push(&g->tuples, key[k]);
    return rc;
}

/* ---- items in group order ---- */

static int order(struct az_groups *g, const uint32_t *group)
{
    g->first = az_mem_alloc(g->mem, (g->groups + 2) * sizeof *g->first);
    g->item = az_mem_alloc(g->mem, (g->n + 1) * sizeof *g->item);
    if (!g->first || !g->item)
        return az_mem_error(g->mem);
    memset(g->first, 0, (g->groups + 2) * sizeof *g->first);
    uint32_t *at = g->first + 1; /* one ahead: filling leaves first[k] at the start of group k */
    for (size_t i = 0; i < g->n; i++) {
        if (group[i] != AZ_NO_ID)
            at[group[i] + 1]++;
    }
    for (size_t k = 0; k < g->groups; k++) {
        if (at[k + 1] > g->largest)
            g->largest = at[k + 1];
        at[k + 1] += at[k];
    }
    for (size_t i = 0; i < g->n; i++) {
        if (group[i] != AZ_NO_ID)
            g->item[at[group[i]]++] = (uint32_t)i;
    }
    return 0;
}

static int room_for_values(struct az_groups *g)
{
    g->value = az_mem_alloc(g->mem, (g->largest + 1) * sizeof *g->value);
    return g->value ? 0 : az_mem_error(g->mem);
}

int az_groups_order(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                    struct az_mem *mem)
{
    *g = (struct az_groups){ .n = n, .groups = groups, .mem = mem };
    return order(g, group);
}

int az_groups_make(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                   struct az_mem *mem)
{
    const int rc = az_groups_order(g, group, n, groups, mem);
    return rc ? rc : room_for_values(g);
}

int az_groups_by(struct az_groups *g, size_t n, az_group_key *key, void *ctx, struct az_mem *mem)
{
    struct az_grouper by;
    struct az_recent_keys recent = { 0 };
    *g = (struct az_groups){ .n = n, .mem = mem };
    g->of = az_mem_alloc(mem, (n + 1) * sizeof *g->of);
    if (!g->of)
        return az_mem_error(mem);
    int rc = az_grouper_init(&by, mem, 2, 0);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        uint64_t k[2] = { 0, 0 };
        const int in = key(ctx, i, k);
        g->of[i] = AZ_NO_ID;
        rc = in <= 0 ? in : az_grouper_recall(&by, &recent, k, &g->of[i]);
    }
    g->groups = by.n;
    az_grouper_release(&by);
    if (rc == 0)
        rc = order(g, g->of);
    return rc ? rc : room_for_values(g);
}

void az_groups_forget(struct az_groups *g)
{
    az_mem_free(g->mem, g->of, (g->n + 1) * sizeof *g->of);
    g->of = NULL;
}

void az_groups_release(struct az_groups *g)
{
    az_groups_forget(g);
    az_mem_free(g->mem, g->first, (g->groups + 2) * sizeof *g->first);
    az_mem_free(g->mem, g->item, (g->n + 1) * sizeof *g->item);
    az_mem_free(g->mem, g->value, (g->largest + 1) * sizeof *g->value);
    *g = (struct az_groups){ 0 };
}

size_t az_groups_gather(struct az_groups *g, size_t group, const int64_t *value)
{
    size_t n = 0;
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++)
        g->value[n++] = value[g->item[i]];
    return n;
}

int64_t az_groups_sum(const struct az_groups *g, size_t group, const int64_t *value)
{
    int64_t sum = 0;
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++)
        sum = az_add_sat(sum, value[g->item[i]]);
    return sum;
}
