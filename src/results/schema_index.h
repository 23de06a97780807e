/* What single words mean by the rules of the canonical columns, found by the word: a report has
 * hundreds of columns, and looking through all rules for each was a quarter of a small report.
 * Private to schema*.c. */
#ifndef AZ_RESULTS_SCHEMA_INDEX_H
#define AZ_RESULTS_SCHEMA_INDEX_H

#include "results/schema.h"

#define AZ_SCHEMA_MASKS 2 /* words of 64 rules */

struct az_schema_meaning {
    struct az_sv text;               /* the word, or the core of a header */
    uint64_t rules[AZ_SCHEMA_MASKS]; /* those that have it as a core, by their place */
    const char *word;                /* its one spelling; NULL: this one */
    const char *summary;             /* canonical; NULL: no word of a summary */
    bool acronym;
    struct az_schema_meaning *next;
};

/* NULL: it has none. */
const struct az_schema_meaning *az_schema_meaning(const struct az_schema_index *x,
                                                  struct az_sv text);

#endif
