/* Between the files of the fact of steps. */
#ifndef AZ_FACTS_STEPS_INTERNAL_H
#define AZ_FACTS_STEPS_INTERNAL_H

#include "facts/account.h"
#include "facts/steps.h"

AZ_VEC(struct az_step, az_step_list);

struct az_step_search {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    struct az_step_list found; /* by start */
    struct az_steps *out;      /* how, mark, agreement, inside: set by who finds steps */
};
/* Each adds steps to `found`, or none. */
int az_steps_by_tag(struct az_step_search *s) AZ_MUST_USE;
int az_steps_by_framework(struct az_step_search *s) AZ_MUST_USE;

#endif
