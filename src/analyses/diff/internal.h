/* Private parts of the tree difference: state of the merge, children, pairs. */
#ifndef AZ_ANALYSES_DIFF_INTERNAL_H
#define AZ_ANALYSES_DIFF_INTERNAL_H

#include "analyses/diff/tree.h"

struct az_internal_item { /* a merged node to be made */
    uint32_t node[2], parent, depth;
    bool last_sibling;
};
AZ_VEC(struct az_internal_item, az_items);

struct az_pair {
    uint32_t node[2];
};
AZ_VEC(struct az_pair, az_pairs);

struct az_merger {
    struct az_diff *d;
    struct az_items stack;
    struct az_vec_u32 list[2], ids[2], match;
    struct az_pairs pairs;
    struct az_arena scratch;
};

/* ---- nodes.c ---- */
bool az_diff_is_call(const struct az_diff_side *s, uint32_t node);
static inline bool az_diff_is_gpu(const struct az_diff_side *s, uint32_t node)
{
    return node >= s->n_host;
}
/* Id of a node's normalized name in m->d->names; AZ_NO_ID without a name. */
int az_diff_name_id(struct az_merger *m, int side, uint32_t node, bool loose,
                    uint32_t *id) AZ_MUST_USE;
int az_diff_ids(struct az_merger *m, int side, const struct az_vec_u32 *nodes, bool loose,
                struct az_vec_u32 *out) AZ_MUST_USE;
bool az_diff_has_id(const struct az_vec_u32 *ids, uint32_t id);
/* Next host child of a node after `after` (AZ_NO_ROW: the first); AZ_NO_ROW at the end. */
uint32_t az_diff_next_child(const struct az_calltree *c, uint32_t node, uint32_t after);
/* Children with device work, and the device events a call launched itself. */
int az_diff_children(const struct az_diff_side *s, uint32_t node,
                     struct az_vec_u32 *out) AZ_MUST_USE;

int az_diff_add_pair(struct az_merger *m, uint32_t a, uint32_t b) AZ_MUST_USE;

/* ---- pair.c ---- */
/* Aligns the lists by their ids; pairs go to m->pairs, what is left over stays in the lists. */
int az_diff_align_lists(struct az_merger *m) AZ_MUST_USE;
/* Pairs of the children of two nodes in m->pairs, the rest in m->list. */
int az_diff_pair_children(struct az_merger *m, const uint32_t node[2]) AZ_MUST_USE;

/* ---- similar_children.c ---- */
/* A name with more occurrences on one side: the most similar ones are paired, whatever their order.
 */
int az_diff_repeated_names(struct az_merger *m) AZ_MUST_USE;

/* ---- unified.c ---- */
/* Points of difference by device event. Of a merged node, or n_nodes: above the roots. */
struct az_diff_points {
    const struct az_diff *d;
    uint32_t *of_gpu; /* device event of the first trace -> its point; AZ_NO_ROW: none */
    int64_t *busy[2]; /* of each point: ticks of each trace */
    uint32_t *last;   /* scratch: the row of the table that a point was last seen in */
    struct az_sv (*name)(void *ctx, uint32_t at);
    void *ctx; /* of name */
};
/* unified_perf_summary of the first trace with what the second one needs for the same work. */
int az_diff_unified(struct az_job *job, struct az_diff_points *p) AZ_MUST_USE;

#endif
