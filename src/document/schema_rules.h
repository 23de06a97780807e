/* Data of the canonical columns (schema.c). Private to schema*.c. Lists end with a row of NULL. */
#ifndef AZ_DOCUMENT_SCHEMA_RULES_H
#define AZ_DOCUMENT_SCHEMA_RULES_H

#include "document/table.h"

/* Spellings of units; word: also without brackets around. */
struct az_schema_unit {
    const char *text;
    enum az_unit unit;
    bool word;
};
/* Words of one spelling, and parts of headers that are no words. */
struct az_schema_word {
    const char *text, *words;
};
/* Words of summaries; canonical "": of a total, which is what a stem without any is. */
struct az_schema_summary {
    const char *text, *canonical;
};
/* A stem for what is left of a header. Lists are divided by '|'. */
struct az_schema_rule {
    const char *tables; /* globs of table ids; NULL: all */
    enum az_unit unit;  /* any of its dimension; AZ_UNIT_NONE: of all */
    const char *cores;
    const char *stem;
};

#define AZ_SCHEMA_SUFFIXES ((size_t)AZ_UNIT_PER_S + 1)
extern const char *const az_schema_suffixes[AZ_SCHEMA_SUFFIXES];
extern const struct az_schema_unit az_schema_units[];
extern const struct az_schema_word az_schema_phrases[], az_schema_words[];
extern const struct az_schema_summary az_schema_summaries[];
extern const struct az_schema_rule az_schema_rules[];
extern const char *const az_schema_whole_words[]; /* not divided at their capitals */
extern const char *const az_schema_acronyms[];    /* titles have them in capitals */
extern const char
    az_schema_open_tables[]; /* globs: columns are names of the user's, not of metrics */
extern const char az_schema_worded_tables[]; /* of comparisons, whose columns are constant words */

#endif
