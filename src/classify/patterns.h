/* All patterns of words of many rules (classify/word_match.h), matched together: a name is scanned
 * once, letter by letter, whatever the number of patterns. A pattern is indexed by the three
 * letters that its first word begins with (or fewer, if it has no more), or the two after its
 * `*`.
 */
#ifndef AZ_CLASSIFY_PATTERNS_H
#define AZ_CLASSIFY_PATTERNS_H

#include "base/mem.h"
#include "classify/word_match.h"

enum { AZ_PATTERNS = 4096, AZ_PATTERN_PAIRS = 4096, AZ_PATTERN_RULES = 512 };

/* The patterns of one cell: numbers from..to. */
struct az_pattern_cell {
    uint32_t from, to;
};

struct az_pattern {
    uint64_t first, mask; /* the first eight letters of its first word, without `^` and `*` */
    uint64_t second, second_mask; /* those of its second word; no mask: nothing is known of it */
    struct az_sv letters;         /* all of them */
    struct az_sv text;
    uint16_t rule; /* which it is of the first cell of; AZ_PATTERN_RULES: another cell */
    uint16_t next; /* of its pair + 1; 0: none */
    bool tail;     /* the word may go on after the letters */
    bool alone;    /* it is that word and nothing else */
};

struct az_pattern_index {
    struct az_pattern *v; /* AZ_PATTERNS of them, of an arena */
    size_t n;
    bool full;                 /* a pattern or a rule did not fit: not to be used */
    struct az_affixes affixes; /* what a `*` stands for */
    /* the first pattern + 1, by how a word begins, by its pair if it has no third letter, by a pair
     * anywhere in a word; patterns without such letters */
    uint16_t three[AZ_PATTERN_PAIRS], head[AZ_PATTERN_PAIRS], inner[AZ_PATTERN_PAIRS], other;
};

/* Which patterns are in a name, and which rules have one in their first cell. */
struct az_pattern_hits {
    uint64_t pattern[AZ_PATTERNS / 64], rule[AZ_PATTERN_RULES / 64];
};

/* What was found for words of at most sixteen letters: names of one file have most words in common.
 * All 0 before the first name; of one index. */
enum { AZ_PATTERN_WORDS = 128, AZ_PATTERN_FEW = 7 };
struct az_pattern_memo {
    struct az_pattern_word {
        char letters[16];            /* 0 after the last one */
        uint16_t n;                  /* patterns */
        uint16_t at[AZ_PATTERN_FEW]; /* whose first word is this */
    } v[AZ_PATTERN_WORDS];
};

/* AZ_ENOMEM, AZ_ELIMIT. */
int az_patterns_init(struct az_pattern_index *x, struct az_arena *a) AZ_MUST_USE;
/* Adds the patterns of a cell; rule: AZ_PATTERN_RULES if it is not the first one. */
struct az_pattern_cell az_patterns_add(struct az_pattern_index *x, struct az_sv cell, size_t rule);
/* Adds what begins with these words to *hits: with those of scopes, or with the others. The words
 * have the affixes of the index. memo: of a thread, or NULL. */
void az_patterns_find(const struct az_pattern_index *x, const struct az_words *w, bool scopes,
                      struct az_pattern_memo *memo, struct az_pattern_hits *hits);
/* Is one of the cell's patterns among them? */
bool az_patterns_hit(const struct az_pattern_hits *hits, struct az_pattern_cell cell);

#endif
