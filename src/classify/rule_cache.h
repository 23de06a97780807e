/* Cache of a group of rules applied to many names: rules are read once and evaluated once per form
 * of names where no rule tests a number (classify/name_normalize.h). */
#ifndef AZ_CLASSIFY_RULE_CACHE_H
#define AZ_CLASSIFY_RULE_CACHE_H

#include "classify/name_normalize.h"

/* All 0 before the first question; of one file and group, and of one thread. */
struct az_rule_cache {
    struct az_rule_list rules; /* v: NULL before they are read */
    bool forms;
    struct az_forms known; /* value: place of the rule + 1; 0: none matches */
};
/* Class by the first rule of the group that matches; empty: none. Rules live in the arena; without
 * memory for them they are read again, as in az_rules_class. */
struct az_sv az_rule_cache_class(struct az_rule_cache *q, const char *file, const char *group,
                                 struct az_arena *arena, struct az_sv name);

#endif
