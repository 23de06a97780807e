/* Changes to the operators of a framework trace that a hook requests while the trace is sealed:
 * renamed, removed, wrapped around others. They are recorded against the tree as it was read and
 * applied together; then the tree is built again.
 */
#ifndef AZ_MODEL_TREEEDIT_H
#define AZ_MODEL_TREEEDIT_H

#include "model/optrace.h"

struct az_tree_rename {
    uint32_t op, name; /* operator node; name id */
};
AZ_VEC(struct az_tree_rename, az_tree_renames);

/* An operator around nodes of one thread, from the start of the first to the end of the last. */
struct az_tree_insert {
    uint32_t first; /* the node that starts first: names thread and place */
    uint32_t name;
    int64_t start, end;
    struct az_op_args args; /* all AZ_NO_ID: none */
};
AZ_VEC(struct az_tree_insert, az_tree_inserts);

struct az_tree_edits {
    struct az_tree_renames renames;
    struct az_tree_inserts inserts;
    struct az_vec_u32 removed; /* operator nodes; what is below them moves up */
};
void az_tree_edits_init(struct az_tree_edits *e, struct az_mem *mem);
void az_tree_edits_release(struct az_tree_edits *e);
/* Drops what was recorded. */
void az_tree_edits_reset(struct az_tree_edits *e);
static inline bool az_tree_edits_any(const struct az_tree_edits *e)
{
    return e->renames.n || e->inserts.n || e->removed.n;
}
/* Applies them to the events of a sealed trace whose tree is not built (node numbers are those of
 * `tree`). Inserted operators get uids after the file's, in the order of the list, by
 * az_tree_edits_number once the tree is built. */
int az_tree_edits_apply(const struct az_tree_edits *e, struct az_trace *t,
                        const struct az_calltree *tree) AZ_MUST_USE;
void az_tree_edits_number(struct az_trace *t);

#endif
