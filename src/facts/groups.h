/* Group-by, the one of the program: items are numbered by what distinguishes them, put in group
 * order, and each group's values gathered for exact statistics. */
#ifndef AZ_FACTS_GROUPS_H
#define AZ_FACTS_GROUPS_H

#include "base/intern.h"
#include "stats/stats.h"

/* ---- which group a key is of: groups are numbered in order of first appearance ---- */
enum { AZ_GROUP_KEYS = 12 };
struct az_grouper {
    size_t keys;              /* numbers of a key; 0: every item is a group of its own */
    size_t n;                 /* groups */
    struct az_map map;        /* keys, or their hash and a count of others of that hash -> group */
    struct az_vec_u64 tuples; /* group -> its keys, where there are more than two */
    uint32_t *direct;         /* number -> group, for one bounded key; AZ_NO_ID: none */
    size_t below;
    uint64_t last[AZ_GROUP_KEYS]; /* of the item before, and its group */
    uint32_t last_group;
    struct az_mem *mem;
};
/* below: of one key, if not 0, all numbers are less, and none is hashed. To be released also when
 * it fails. */
int az_grouper_init(struct az_grouper *g, struct az_mem *mem, size_t keys,
                    size_t below) AZ_MUST_USE;
void az_grouper_release(struct az_grouper *g);
int az_grouper_lookup(struct az_grouper *g, const uint64_t *key, uint32_t *group) AZ_MUST_USE;
/* Group of a key; the last one, n - 1, where it is new. */
AZ_MUST_USE static inline int az_grouper_find(struct az_grouper *g, const uint64_t *key,
                                              uint32_t *group)
{
    bool same = g->n && g->keys;
    for (size_t k = 0; same && k < g->keys; k++)
        same = key[k] == g->last[k];
    if (same) {
        *group = g->last_group;
        return 0;
    }
    return az_grouper_lookup(g, key, group);
}

/* Keys of two numbers that were met lately: mostly the next ones are among them. All zero at first.
 */
enum { AZ_RECENT_BITS = 10 };
struct az_recent_keys {
    struct {
        uint64_t key[2];
        uint32_t group; /* plus one; 0: none */
    } v[1 << AZ_RECENT_BITS];
};
/* az_grouper_find for such keys, without a search of the others where it is one of these. */
AZ_MUST_USE static inline int az_grouper_recall(struct az_grouper *g, struct az_recent_keys *r,
                                                const uint64_t key[2], uint32_t *group)
{
    const uint64_t mixed =
        key[0] * UINT64_C(0x9e3779b97f4a7c15) ^ key[1] * UINT64_C(0xc2b2ae3d27d4eb4f);
    const size_t at = (size_t)(mixed >> (64 - AZ_RECENT_BITS));
    if (r->v[at].group && r->v[at].key[0] == key[0] && r->v[at].key[1] == key[1]) {
        *group = r->v[at].group - 1;
        return 0;
    }
    const int rc = az_grouper_find(g, key, group);
    if (rc == 0) {
        r->v[at].key[0] = key[0];
        r->v[at].key[1] = key[1];
        r->v[at].group = *group + 1;
    }
    return rc;
}

/* ---- items in group order ---- */
struct az_groups {
    size_t n, groups, largest;
    uint32_t *of;    /* item -> group, AZ_NO_ID: in none; only of az_groups_by */
    uint32_t *first; /* group -> place in item; groups + 1 entries */
    uint32_t *item;  /* items by group, in item order within one */
    int64_t *value;  /* room for the largest group; NULL after az_groups_order */
    struct az_mem *mem;
};
/* The two words that distinguish item i: 1; 0: it is in no group; negative: error. Called once per
 * item, in order. */
typedef int az_group_key(void *ctx, size_t i, uint64_t key[2]);
/* Items by their keys. All of these are to be released also when they fail; n and groups are below
 * 2^32. */
int az_groups_by(struct az_groups *g, size_t n, az_group_key *key, void *ctx,
                 struct az_mem *mem) AZ_MUST_USE;
/* group[i] < groups, or AZ_NO_ID: item i is skipped. */
int az_groups_make(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                   struct az_mem *mem) AZ_MUST_USE;
/* The same for a caller that needs the items only. */
int az_groups_order(struct az_groups *g, const uint32_t *group, size_t n, size_t groups,
                    struct az_mem *mem) AZ_MUST_USE;
void az_groups_release(struct az_groups *g);
/* Frees `of`, for a caller that uses groups only. */
void az_groups_forget(struct az_groups *g);
static inline const uint32_t *az_groups_items(const struct az_groups *g, size_t group, size_t *n)
{
    *n = g->first[group + 1] - g->first[group];
    return g->item + g->first[group];
}
static inline uint32_t az_groups_first(const struct az_groups *g, size_t group)
{
    return g->item[g->first[group]];
}
/* Gathers value[item] of one group into g->value; returns how many. */
size_t az_groups_gather(struct az_groups *g, size_t group, const int64_t *value);
/* The same, and their statistics. */
static inline void az_groups_stats(struct az_groups *g, size_t group, const int64_t *value,
                                   struct az_stats *out)
{
    az_stats_i64(g->value, az_groups_gather(g, group, value), out);
}
int64_t az_groups_sum(const struct az_groups *g, size_t group, const int64_t *value);

#endif
