/* Index of the rules of the canonical columns by word: a report has hundreds of columns, and a
 * linear search through all rules was a quarter of the time of a small report. Private to
 * schema*.c. */
#ifndef AZ_DOCUMENT_SCHEMA_INDEX_H
#define AZ_DOCUMENT_SCHEMA_INDEX_H

#include "document/schema.h"
#include "document/schema_rules.h"

#define AZ_SCHEMA_MASKS  2   /* words of 64 rules */
#define AZ_SCHEMA_CHAINS 512 /* power of two; there are some 250 words */

struct az_schema_meaning {
    struct az_sv text;               /* the word, or the core of a header */
    uint64_t rules[AZ_SCHEMA_MASKS]; /* those that have it as a core, by their place */
    const char *word;                /* its one spelling; NULL: this one */
    const char *summary;             /* canonical; NULL: no word of a summary */
    bool acronym;
    struct az_schema_meaning *next;
};

struct az_schema_index {
    struct az_arena *arena;
    struct az_schema_meaning *chain[AZ_SCHEMA_CHAINS];
    uint8_t unit_row[AZ_SCHEMA_SUFFIXES]; /* first of the unit's rows in az_schema_units, which
                                             stand together; the end: none */
    bool begins_phrase[256];              /* by first byte, both cases */
};

/* NULL: it has none. */
const struct az_schema_meaning *az_schema_meaning(const struct az_schema_index *x,
                                                  struct az_sv text);

#endif
