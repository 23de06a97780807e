/* Difference of two framework traces by their call trees (docs/formulas-compare.md 2).
 *
 * The trees are merged from the roots down: operators that match become one node, what is on one
 * side only keeps its side. A merged node with children on one side only is a point of difference;
 * the device events below those children are what one trace does another way than the other there.
 *
 * Order of a merged tree: parents before children; below a node first what both have, then the
 * first trace's own, then the second's. Node ids are that order. */
#ifndef AZ_ANALYSES_DIFF_TREE_H
#define AZ_ANALYSES_DIFF_TREE_H

#include "analyses/analysis.h"
#include "model/optrace.h"

#define AZ_DIFF_CHILDREN                                                                           \
    20000 /* children of one node that are aligned; more are paired by name and order */

/* One of the two trees. Nodes are host nodes, and after them device events (n_host + gpu number).
 */
struct az_diff_side {
    const struct az_trace *trace;
    const struct az_calltree *tree;
    uint32_t n_host;
    /* Name id of the trace -> id in az_diff.names + 1; 0: not examined. */
    struct az_vec_u32 name_of;
};

struct az_diff_node {
    uint32_t node[2]; /* in the first, second tree; AZ_NO_ROW: not there */
    uint32_t parent;  /* merged node; AZ_NO_ROW */
    uint32_t depth;
    uint32_t end;      /* after its subtree */
    bool last_sibling; /* for drawing */
};
AZ_VEC(struct az_diff_node, az_diff_nodes);

struct az_diff {
    struct az_diff_side side[2];
    struct az_intern names; /* normalized: addresses, line numbers and vendors' spellings apart */
    struct az_diff_nodes nodes;
    uint64_t paired_by_order; /* nodes with too many children to align */
    struct az_mem *mem;
};

/* Merges the trees of two sealed framework traces. az_diff_release also after an error. */
int az_diff_make(struct az_diff *d, const struct az_trace *first, const struct az_trace *second,
                 struct az_arena *arena, struct az_mem *mem) AZ_MUST_USE;
void az_diff_release(struct az_diff *d);
struct az_sv az_diff_name(const struct az_diff_side *s, uint32_t node);
/* Normalized name; loose: of interpreter frames the file alone. */
int az_diff_normal(struct az_arena *a, struct az_sv name, bool loose,
                   struct az_sv *out) AZ_MUST_USE;
bool az_diff_on_path(const struct az_diff_side *s, uint32_t node); /* device work at or below */
/* Device events at and below a node, appended in the order of their launches. */
int az_diff_events(const struct az_diff_side *s, uint32_t node, struct az_vec_u32 *gpu) AZ_MUST_USE;

/* Pairs equal ids of two sequences so that the fewest insertions, deletions and replacements remain
 * (Wagner and Fischer; among the cheapest: a match at the end first, then a deletion, then an
 * insertion). match[i]: index in b, AZ_NO_ROW. Memory: two bits a cell, beyond 64 million cells in
 * halves (Hirschberg). */
int az_diff_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *match,
                  struct az_mem *mem) AZ_MUST_USE;

/* Tables diff_stats, diff_stats_unique_args_summary, diff_by_op, op_kernel_map, merged_tree,
 * names_diff. */
int az_diff_tables(struct az_job *job, const struct az_diff *d) AZ_MUST_USE;

#endif
