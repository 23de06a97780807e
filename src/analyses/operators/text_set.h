/* Texts that are stored once each, for who has an arena and nothing that ends it: all of the set is
 * in that arena. A set that can be released is an az_intern (base/intern.h). */
#ifndef AZ_OPERATORS_TEXT_SET_H
#define AZ_OPERATORS_TEXT_SET_H

#include "base/vec.h"

struct az_text_set {
    struct az_arena *arena;
    struct az_text_set_entry **page; /* of equal size, which stay where they are */
    uint32_t *slot;                  /* number of an entry + 1; 0: free */
    size_t n, mask;
};

void az_text_set_init(struct az_text_set *s, struct az_arena *arena);
/* The text of the set that equals v, a copy of v where there was none; {NULL,0} without memory. */
struct az_sv az_text_set_add(struct az_text_set *s, struct az_sv v);
/* The same of a text that az_text_set_begin has begun, which is then empty. It has the budget of
 * the arena: a long text becomes part of that without a copy. */
void az_text_set_begin(struct az_vec_char *text);
struct az_sv az_text_set_end(struct az_text_set *s, struct az_vec_char *text);

#endif
