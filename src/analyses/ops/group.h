/* Launchers in groups, and what is summed of a group. */
#ifndef AZ_ANALYSES_OPS_GROUP_H
#define AZ_ANALYSES_OPS_GROUP_H

#include "analyses/ops/framework.h"
#include "facts/groups.h"

/* Group numbers in order of first appearance (launchers are in order of start), so a group's first
 * launcher is its earliest. */
struct az_fw_group {
    const struct az_fw *fw;
    uint32_t *of; /* launcher -> group */
    uint32_t n;   /* groups */
    struct az_groups g;
    int64_t *direct, *subtree; /* launcher -> ticks */
    size_t launchers;          /* room in these and `of` */
    struct az_mem *mem;
};
typedef void az_fw_key(const struct az_fw *fw, const void *ctx, uint32_t launcher, uint64_t key[2]);

/* Groups all launchers by a pair of numbers. To be released also when it fails. */
int az_fw_group_make(struct az_fw_group *x, struct az_job *job, const struct az_fw *fw,
                     az_fw_key *key, const void *ctx) AZ_MUST_USE;
void az_fw_group_release(struct az_fw_group *x);
static inline uint32_t az_fw_group_first(const struct az_fw_group *x, size_t group)
{
    return x->g.item[x->g.first[group]];
}
static inline size_t az_fw_group_count(const struct az_fw_group *x, size_t group)
{
    return x->g.first[group + 1] - x->g.first[group];
}
int64_t az_fw_group_sum(const struct az_fw_group *x, size_t group, const int64_t *value);

#endif
