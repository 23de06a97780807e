/* Launches of one captured graph have equal subtrees: what the shipped rules do in the first one
 * they do in each, so the rules see the first and their changes are copied (docs/graphs.md 4). */
#ifndef AZ_ANALYSES_TREE_HOOKS_TREE_REPEATS_H
#define AZ_ANALYSES_TREE_HOOKS_TREE_REPEATS_H

#include "model/treeedit.h"

struct az_tree_repeat {
    uint32_t pre;   /* of the launch; what is below it comes next in preorder */
    uint32_t first; /* preorder number of the launch that is like it */
    uint32_t size;  /* nodes below it */
};
AZ_VEC(struct az_tree_repeat, az_tree_repeat_list);

/* Nodes are numbered in preorder without those below repeated launches. */
struct az_tree_repeats {
    const struct az_calltree *c;
    struct az_tree_repeat_list all; /* by pre */
    struct az_vec_u32 before;       /* by repeat: hidden nodes before it */
    uint32_t hidden;
};
/* To be released also after an error. */
int az_tree_repeats_find(struct az_tree_repeats *r, const struct az_trace *t) AZ_MUST_USE;
void az_tree_repeats_release(struct az_tree_repeats *r);

/* Number -> preorder number, and back; of a hidden one that of the launch above it. */
uint32_t az_tree_shown_pre(const struct az_tree_repeats *r, uint32_t number);
uint32_t az_tree_shown_number(const struct az_tree_repeats *r, uint32_t pre);

/* Adds what changes below a first launch are below those like it. */
int az_tree_repeats_copy(const struct az_tree_repeats *r, const struct az_trace *t,
                         struct az_tree_edits *e) AZ_MUST_USE;

#endif
