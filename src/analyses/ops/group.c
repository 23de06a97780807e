#include "analyses/ops/group.h"

int az_fw_group_make(struct az_fw_group *x, struct az_job *job, const struct az_fw *fw,
                     az_fw_key *key, const void *ctx)
{
    struct az_map map;
    size_t n = fw->launchers->rows.n;
    *x = (struct az_fw_group){ .fw = fw, .launchers = n + 1, .mem = job->mem };
    x->of = az_mem_alloc(x->mem, x->launchers * sizeof *x->of);
    x->direct = az_mem_alloc(x->mem, x->launchers * sizeof *x->direct);
    x->subtree = az_mem_alloc(x->mem, x->launchers * sizeof *x->subtree);
    if (!x->of || !x->direct || !x->subtree)
        return az_mem_error(x->mem);
    int rc = az_map_init(&map, job->mem, 256);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        uint64_t k[2];
        uint32_t *at;
        bool added;
        key(fw, ctx, i, k);
        x->direct[i] = fw->launchers->rows.v[i].direct;
        x->subtree[i] = fw->launchers->rows.v[i].subtree;
        rc = az_map_put(&map, k[0], k[1], x->n, &at, &added);
        if (rc == 0) {
            x->of[i] = *at;
            x->n += added;
        }
    }
    az_map_release(&map);
    return rc ? rc : az_groups_make(&x->g, x->of, n, x->n, job->mem);
}

void az_fw_group_release(struct az_fw_group *x)
{
    az_groups_release(&x->g);
    if (x->of)
        az_mem_free(x->mem, x->of, x->launchers * sizeof *x->of);
    if (x->direct)
        az_mem_free(x->mem, x->direct, x->launchers * sizeof *x->direct);
    if (x->subtree)
        az_mem_free(x->mem, x->subtree, x->launchers * sizeof *x->subtree);
    x->of = NULL;
    x->direct = x->subtree = NULL;
}

int64_t az_fw_group_sum(const struct az_fw_group *x, size_t group, const int64_t *value)
{
    int64_t sum = 0;
    for (uint32_t i = x->g.first[group]; i < x->g.first[group + 1]; i++)
        sum += value[x->g.item[i]];
    return sum;
}
