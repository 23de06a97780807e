/* Pairing a replay with a capture whose launches do not name their kernels and are of another
 * number: between marks, which are launches of known kernels (docs/graphs.md 3.2). */
#ifndef AZ_MODEL_ANCHOR_MATCH_H
#define AZ_MODEL_ANCHOR_MATCH_H

#include "base/mem.h"

struct az_marks {
    const uint32_t *launch; /* keys in order of capture (model/pairing.h) */
    const uint32_t *op;     /* of each the name of its innermost operator; AZ_NO_ID */
    size_t n_launches;
    const uint32_t *event; /* keys in order */
    size_t n_events;
    uint32_t *launch_of; /* out: by event; AZ_NO_ID: not paired */
    struct az_mem *mem;
};
/* paired: how many events were; 0: there are no marks, or not the same ones. AZ_ENOMEM, AZ_ELIMIT.
 */
int az_pair_marks(const struct az_marks *m, size_t *paired) AZ_MUST_USE;

#endif
