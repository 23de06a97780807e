/* Rule files of `configs/`: lines of cells between `;`, comments begin with `#`. */
#ifndef AZ_ANALYSES_RULES_H
#define AZ_ANALYSES_RULES_H

#include "analyses/words.h"

#define AZ_RULE_CELLS 4

/* Cuts the next rule off the text; cells the line lacks are empty. False at the end. */
bool az_rules_next(struct az_sv *text, struct az_sv cell[AZ_RULE_CELLS]);
/* Do two cells of patterns match: some pattern of each, the second only if it is not empty. */
static inline bool az_rule_matches(const struct az_words *w, struct az_sv one, struct az_sv and_one)
{
    return az_words_any(w, one) && (and_one.n == 0 || az_words_any(w, and_one));
}

#endif
