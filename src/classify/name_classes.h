/* The classes of many names on several threads. */
#ifndef AZ_CLASSIFY_NAME_CLASSES_H
#define AZ_CLASSIFY_NAME_CLASSES_H

#include "classify/kernels.h"

/* az_name_classes_make on so many threads: each name by itself, so that the results are the same.
 */
int az_name_classes_make_on(struct az_name_classes *c, const struct az_sv *text,
                            const uint8_t *wanted, size_t ids, const struct az_user_names *user,
                            struct az_arena *arena, struct az_mem *mem,
                            unsigned threads) AZ_MUST_USE;

#endif
