/* Word matching: rules of `configs/` match whole words of names rather than any part of one. */
#ifndef AZ_CLASSIFY_WORD_MATCH_H
#define AZ_CLASSIFY_WORD_MATCH_H

#include <stdint.h>

#include "base/sv.h"

/* Letters and digits, capitals as small letters; 0: no part of a word. */
extern const char az_word_letter[256];

#define AZ_WORDS_MAX   2048
#define AZ_WORDS_BYTES 4096

/* What can precede or follow a keyword within one word: `softmax` is in `softmaxforward`,
 * `loss` is not in `lossless`. A hash table of words of at most sixteen letters. */
enum { AZ_AFFIXES = 1024, AZ_AFFIX_LETTERS = 16 };
struct az_affixes {
    struct az_sv v[AZ_AFFIXES]; /* views; empty: free */
    size_t n;
};
/* Adds words that blanks divide. False: too long, or too many. */
bool az_affixes_add(struct az_affixes *a, struct az_sv words);
/* Is the text before (or after) a keyword nothing but affixes and digits? One letter is an affix at
 * the outer end of the word only. */
bool az_affixes_cover(const struct az_affixes *a, struct az_sv text, bool before);

/* The lower-case words of a name, split at every character that is no letter or digit, and where a
 * capital begins a word: after a small letter, or before one (RMSNormFwd2D: rms norm fwd2d). Of an
 * Itanium-mangled name (_Z...): of its identifiers only. Names over AZ_WORDS_BYTES count by their
 * beginning. */
struct az_words {
    char text[AZ_WORDS_BYTES + 16]; /* sixteen bytes can be read at each letter */
    uint16_t from[AZ_WORDS_MAX + 2], to[AZ_WORDS_MAX + 2];
    uint8_t scope[AZ_WORDS_MAX + 2]; /* 1: of a namespace or class, with `::` after it */
    size_t n;
    const struct az_affixes *affixes; /* what a `*` of a pattern stands for; NULL: any letters */
};
void az_words_cut(struct az_sv name, struct az_words *w);
/* The same of a C++ function without its parameters, which name types, not its work. */
void az_words_cut_function(struct az_sv name, struct az_words *w);
/* The i-th word. */
static inline struct az_sv az_word(const struct az_words *w, size_t i)
{
    return az_sv_make(w->text + w->from[i], (size_t)(w->to[i] - w->from[i]));
}

/* A pattern is words joined by `_` that must follow each other, with `^` in front: from the first
 * word of the name on. A word of it that ends in `*` matches words that begin so; one that begins
 * with `*`, words that end so; both: words that contain it; `*` alone: any word. Where the words
 * have affixes, the rest of the word must be made of them. */

/* Number of words of the name that the pattern matches from word i on; 0: it does not match there.
 */
size_t az_words_at(const struct az_words *w, size_t i, struct az_sv pattern);
/* Is any of the patterns (separated by blanks) in the name? */
bool az_words_any(const struct az_words *w, struct az_sv patterns);
/* Is every word of the name part of one of the patterns, numbers apart? */
bool az_words_only(const struct az_words *w, struct az_sv patterns);

#endif
