/* Launches that cannot be told apart by their correlation numbers. */
#ifndef AZ_FACTS_COLLISIONS_H
#define AZ_FACTS_COLLISIONS_H

#include "model/trace.h"

/* *count: launches of one process that share their number with another one; *of: all launches. A
 * call of the driver inside the call of the runtime that made it is the same launch. Numbers of
 * different processes may be equal: device events are matched within the process. AZ_ENOMEM,
 * AZ_ELIMIT. */
int az_trace_collisions(const struct az_trace *t, uint64_t *count, uint64_t *of) AZ_MUST_USE;

#endif
