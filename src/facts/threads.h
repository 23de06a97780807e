/* Lanes of one host thread. */
#ifndef AZ_FACTS_THREADS_H
#define AZ_FACTS_THREADS_H

#include "model/trace.h"

/* A number for each lane, equal for lanes of one thread, in order of first appearance; in the
 * arena. Streams that have device work alone have one together, of which there may be many. NULL on
 * failure, the error is in *rc. */
uint32_t *az_threads_of_lanes(const struct az_trace *t, struct az_arena *arena, struct az_mem *mem,
                              size_t *n_threads, int *rc);

#endif
