/* Names as words: how rules of `configs/` match names, by whole words rather than by any part of one. */
#ifndef AZ_ANALYSES_WORDS_H
#define AZ_ANALYSES_WORDS_H

#include <stdint.h>

#include "base/sv.h"

#define AZ_WORDS_MAX 512

/* The lower-case words of a name, cut at every character that is no letter or digit, and where a capital follows a
 * small letter or digit. Of an Itanium-mangled name (_Z...): of its identifiers only. Names over 4096 bytes count by
 * their beginning. */
struct az_words {
    char text[4096];
    uint16_t from[AZ_WORDS_MAX], to[AZ_WORDS_MAX];
    size_t n;
    uint64_t initials; /* first characters of the words, one bit each (by the low six bits of the character) */
};
void az_words_cut(struct az_sv name, struct az_words *w);
/* Is any of the patterns (separated by blanks) in the name? A pattern is words joined by `_` that must follow each
 * other; a word ending in `*` matches words that begin so. */
bool az_words_any(const struct az_words *w, struct az_sv patterns);

#endif
