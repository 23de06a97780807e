/* Device time by call path, for flame graphs: a tree whose paths are call stacks, modules,
 * ranges or scopes, outermost first, ending in what ran on the device. Bounded: what is below a
 * five-thousandth of the whole, or beyond AZ_FLAME_NODES nodes (largest first), is in its parent's
 * time only. Equal inputs have equal trees. */
#ifndef AZ_DOCUMENT_FLAME_H
#define AZ_DOCUMENT_FLAME_H

#include "base/intern.h"
#include "classify/family.h"

#define AZ_FLAME_NODES 4000
#define AZ_FLAME_DEPTH 120 /* of a path; deeper levels are skipped */

struct az_flame_node {
    uint32_t parent; /* AZ_NO_ID: the root */
    uint32_t name, depth;
    int64_t total, self, count; /* ns with and without what is below; device events below */
    uint8_t family;             /* of the event, or of most of what is below */
};
AZ_VEC(struct az_flame_node, az_flame_nodes);

struct az_flame {
    struct az_arena arena; /* of the names */
    struct az_intern names;
    struct az_flame_nodes nodes; /* before az_flame_finish as added, then each parent before its
                                    children, those by time; the first is the root */
    struct az_map child;         /* (parent, name) -> node; until az_flame_finish */
    const char *of;              /* "Python frames and operators" */
};
int az_flame_init(struct az_flame *f, struct az_mem *mem) AZ_MUST_USE;
void az_flame_release(struct az_flame *f);
/* *node (0: the root) becomes its child of that name. */
int az_flame_child(struct az_flame *f, uint32_t *node, struct az_sv name) AZ_MUST_USE;
/* A device event of that path, whose last name is its own. */
void az_flame_add(struct az_flame *f, uint32_t node, int64_t ns, enum az_family family);
int az_flame_finish(struct az_flame *f) AZ_MUST_USE;

#endif
