/* Joining device events to the calls that launched them, for framework traces
 * (docs/formulas-pytorch.md 3). */
#ifndef AZ_MODEL_OPLINK_H
#define AZ_MODEL_OPLINK_H

#include "model/optrace.h"

/* Lists the device events of a call tree and finds their calls; it need not be built yet. */
int az_oplink(struct az_calltree *c, const struct az_options *o) AZ_MUST_USE;
/* Lists them by their places in the tree, which is built. */
int az_oplink_place(struct az_calltree *c) AZ_MUST_USE;
void az_oplink_release(struct az_calltree *c);
/* Puts n elements of `size` bytes (64 at most) in the order of perm, in place; perm is used up. */
void az_oplink_arrange(void *base, uint32_t *perm, size_t n, size_t size);

#endif
