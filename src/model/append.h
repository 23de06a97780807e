/* Joining what several threads read of one file. */
#ifndef AZ_MODEL_APPEND_H
#define AZ_MODEL_APPEND_H

#include "model/optrace.h"

/* Where what a part numbers for itself is found in the whole. */
struct az_append {
    const uint32_t *name; /* name id of the part -> of the whole */
    const uint32_t *lane; /* lane of the part -> of the whole */
    uint32_t uid;         /* is added to uids */
};
/* Appends a part to a framework trace of the same columns, both not sealed. Events of the part are
 * freed on the way, so that no more than one kind is there twice; the part can only be released
 * afterwards. After an error both can only be released. The result is what one reader of both would
 * have made. */
int az_optrace_append(struct az_trace *whole, struct az_trace *part,
                      const struct az_append *map) AZ_MUST_USE;

#endif
