/* Values by group: items with a group number are put in group order, then each group's values are
 * gathered for exact statistics. Private to the analyses. */
#ifndef AZ_FACTS_GROUPS_H
#define AZ_FACTS_GROUPS_H

#include "base/stats.h"

struct az_groups {
    size_t n, groups, largest;
    uint32_t *first; /* group -> place in item; groups + 1 entries */
    uint32_t *item;  /* items by group, in item order within one */
    int64_t *value;  /* room for the largest group; NULL after az_groups_order */
    struct az_mem *mem;
};
/* group[i] < groups, or AZ_NO_ID: item i is skipped. n and groups below 2^32. */
int az_groups_make(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                   struct az_mem *mem) AZ_MUST_USE;
/* The same for a caller that wants the items only. */
int az_groups_order(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                    struct az_mem *mem) AZ_MUST_USE;
void az_groups_release(struct az_groups *g);
/* Gathers value[item] of one group into g->value; returns how many. */
size_t az_groups_take(struct az_groups *g, size_t group, const int64_t *value);

#endif
