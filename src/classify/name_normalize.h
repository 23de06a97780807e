/* Names that differ in numbers alone (`fusion.12`, `void kernel<float, (int)7>(float*)`) have one
 * form, in which every number that is a word of its own is a single 0. Where no rule tests a
 * number, the class of a form is that of all its names. */
#ifndef AZ_CLASSIFY_NAME_NORMALIZE_H
#define AZ_CLASSIFY_NAME_NORMALIZE_H

#include <stdint.h>

#include "classify/rules.h"

enum { AZ_FORM_MAX = 368, AZ_FORMS = 16 };

/* What was found for forms; n of each is 0 before the first name (az_forms_init). */
struct az_forms {
    struct az_form_place {
        uint32_t hash;
        uint16_t n; /* bytes; 0: free */
        uint16_t value;
        char text[AZ_FORM_MAX + 16]; /* sixteen bytes are written at a time */
    } v[AZ_FORMS];
    struct az_form_place next; /* the form of the last call */
};
static inline void az_forms_init(struct az_forms *f)
{
    for (size_t i = 0; i < AZ_FORMS; i++)
        f->v[i].n = 0;
}
/* The place of a name's form: its value is that of the form if *known. NULL: it has none, as it is
 * mangled (numbers in it are lengths) or too long. */
struct az_form_place *az_forms_find(struct az_forms *f, struct az_sv name, bool *known);
/* Is a rule the same of all names of a form? Not if it tests a digit, or any one character.
 */
bool az_forms_allow(const struct az_rule *r);
/* The same of a part that is sought anywhere in names. */
bool az_forms_allow_part(struct az_sv part);

#endif
