/* Is it likely that these kernels are those of these captured operators? For captures whose
 * launches do not name their kernels (docs/graphs.md 3). */
#ifndef AZ_MODEL_CAPTURE_MATCH_CHECK_H
#define AZ_MODEL_CAPTURE_MATCH_CHECK_H

#include "model/optrace.h"

struct az_plausible {
    const struct az_trace *t;
    struct az_kernel_rules *rules; /* made when first needed */
    struct az_vec_u8 family;       /* name id -> az_family + 1; 0: not classified */
    struct az_vec_u32 op_of; /* launch of the root at hand -> node of its operator, AZ_NO_ROW */
    struct az_vec_u32 is_op; /* name id -> the last root that has an operator of the name, + 1 */
};
void az_plausible_init(struct az_plausible *p, const struct az_trace *t);
void az_plausible_release(struct az_plausible *p);

/* Fills op_of for a root. */
int az_plausible_ops(struct az_plausible *p, const struct az_captures *c, size_t root) AZ_MUST_USE;

enum az_likeness { AZ_ALIKE, AZ_UNLIKE, AZ_CANNOT_SAY };
/* Kernels by name id, and the launch of the root that each is paired with, AZ_NO_ROW: none; by
 * families of their names and those of the operators, and by operators that have the name of their
 * kernel. */
int az_plausible_pairing(struct az_plausible *p, const struct az_captures *c, size_t root,
                         const uint32_t *name, const uint32_t *launch_of, size_t n,
                         enum az_likeness *out) AZ_MUST_USE;
/* Does a kernel of one family contradict an operator of another? */
bool az_family_contradicts(enum az_family op, enum az_family kernel);

#endif
