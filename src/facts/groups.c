#include "facts/groups.h"

#include "base/intern.h"

int az_groups_order(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                    struct az_mem *mem)
{
    *g = (struct az_groups){ .n = n, .groups = groups, .mem = mem };
    g->first = az_mem_alloc(mem, (groups + 2) * sizeof *g->first);
    g->item = az_mem_alloc(mem, (n + 1) * sizeof *g->item);
    if (!g->first || !g->item)
        return az_mem_error(mem);
    memset(g->first, 0, (groups + 2) * sizeof *g->first);
    uint32_t *at = g->first + 1; /* one ahead: filling leaves first[k] at the start of group k */
    for (size_t i = 0; i < n; i++) {
        if (group[i] != AZ_NO_ID)
            at[group[i] + 1]++;
    }
    for (size_t k = 0; k < groups; k++) {
        if (at[k + 1] > g->largest)
            g->largest = at[k + 1];
        at[k + 1] += at[k];
    }
    for (size_t i = 0; i < n; i++) {
        if (group[i] != AZ_NO_ID)
            g->item[at[group[i]]++] = (uint32_t)i;
    }
    return 0;
}

int az_groups_make(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                   struct az_mem *mem)
{
    const int rc = az_groups_order(g, group, n, groups, mem);
    if (rc)
        return rc;
    g->value = az_mem_alloc(mem, (g->largest + 1) * sizeof *g->value);
    return g->value ? 0 : az_mem_error(mem);
}

void az_groups_release(struct az_groups *g)
{
    az_mem_free(g->mem, g->first, g->first ? (g->groups + 2) * sizeof *g->first : 0);
    az_mem_free(g->mem, g->item, g->item ? (g->n + 1) * sizeof *g->item : 0);
    az_mem_free(g->mem, g->value, g->value ? (g->largest + 1) * sizeof *g->value : 0);
    *g = (struct az_groups){ 0 };
}

size_t az_groups_take(struct az_groups *g, size_t group, const int64_t *value)
{
    size_t n = 0;
    for (uint32_t i = g->first[group]; i < g->first[group + 1]; i++)
        g->value[n++] = value[g->item[i]];
    return n;
}
