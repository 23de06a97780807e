/* Terms of reports and what they mean, for tooltips. */
#ifndef AZ_REPORTS_SHARED_GLOSSARY_H
#define AZ_REPORTS_SHARED_GLOSSARY_H

#include "base/sv.h"

struct az_term {
    const char *word;    /* as reports have it: "MFU", "operator time" */
    const char *meaning; /* that of docs/glossary.md */
};
/* The first term in the text that begins a word, the longest of those at one place; *at: where.
 * NULL: there is none. */
const struct az_term *az_glossary_find(struct az_sv text, size_t *at);
/* By its word; NULL. */
const struct az_term *az_glossary_term(struct az_sv word);

#endif
