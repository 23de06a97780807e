/* Rules of one group, and what was found by them. */
#include "classify/rule_cache.h"

static bool read_rules(struct az_rule_cache *q, const char *file, const char *group,
                       struct az_arena *arena)
{
    if (q->rules.v)
        return true;
    if (az_rules_read_group(file, group, arena, &q->rules) != 0)
        return false;
    q->forms = q->rules.n < UINT16_MAX;
    for (size_t i = 0; q->forms && i < q->rules.n; i++)
        q->forms = az_forms_allow(&q->rules.v[i]);
    return true;
}

struct az_sv az_rule_cache_class(struct az_rule_cache *q, const char *file, const char *group,
                                 struct az_arena *arena, struct az_sv name)
{
    if (!read_rules(q, file, group, arena))
        return az_rules_class(file, group, name);
    bool known = false;
    struct az_form_place *place = q->forms ? az_forms_find(&q->known, name, &known) : NULL;
    const size_t at = known ? place->value : az_rules_first(&q->rules, group, name) + 1;
    if (place)
        place->value = (uint16_t)at;
    return at ? q->rules.v[at - 1].name : AZ_SV("");
}
