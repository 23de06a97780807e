/* Names as words: how rules of `configs/` match names, by whole words rather than by any part of
 * one. */
#ifndef AZ_CLASSIFY_WORDS_H
#define AZ_CLASSIFY_WORDS_H

#include <stdint.h>

#include "base/sv.h"

#define AZ_WORDS_MAX   512
#define AZ_WORDS_BYTES 4096

/* The lower-case words of a name, cut at every character that is no letter or digit, and where a
 * capital follows a small letter or digit. Of an Itanium-mangled name (_Z...): of its identifiers
 * only. Names over AZ_WORDS_BYTES count by their beginning. */
struct az_words {
    char text[AZ_WORDS_BYTES + 16]; /* sixteen bytes can be read at each letter */
    uint16_t from[AZ_WORDS_MAX], to[AZ_WORDS_MAX];
    size_t n;
};
void az_words_cut(struct az_sv name, struct az_words *w);
/* The i-th word. */
static inline struct az_sv az_word(const struct az_words *w, size_t i)
{
    return az_sv_make(w->text + w->from[i], (size_t)(w->to[i] - w->from[i]));
}

/* A pattern is words joined by `_` that must follow each other, with `^` in front: from the first
 * word of the name on. A word of it that ends in `*` matches words that begin so; one that begins
 * with `*`, words that end so; both: words that hold it; `*` alone: any word. */

/* Number of words of the name that the pattern takes from word i on; 0: it does not match there. */
size_t az_words_at(const struct az_words *w, size_t i, struct az_sv pattern);
/* Is any of the patterns (separated by blanks) in the name? */
bool az_words_any(const struct az_words *w, struct az_sv patterns);
/* Is every word of the name part of one of the patterns, numbers apart? */
bool az_words_only(const struct az_words *w, struct az_sv patterns);

#endif
