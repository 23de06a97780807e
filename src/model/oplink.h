/* Joining device events to the calls that launched them, for framework traces
 * (docs/formulas-pytorch.md 3). */
#ifndef AZ_MODEL_OPLINK_H
#define AZ_MODEL_OPLINK_H

#include "model/optrace.h"

/* Fills the device part of a call tree whose host part is built. */
int az_oplink(struct az_calltree *c, const struct az_options *o) AZ_MUST_USE;
void az_oplink_release(struct az_calltree *c);

#endif
