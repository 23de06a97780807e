/* How far a misspelled word may be from the one that is suggested ("did you mean"). */
#ifndef AZ_TEXT_TYPO_H
#define AZ_TEXT_TYPO_H

#include <stddef.h>

/* Edits (az_sv_distance) by which a word of n bytes may be off: a third of it, two for words of
 * four to eight bytes, one for shorter words. */
static inline unsigned az_typo_limit(size_t n)
{
    return n < 2 ? 0 : n < 4 ? 1 : n < 9 ? 2 : n > 30 ? 10 : (unsigned)(n / 3);
}

#endif
