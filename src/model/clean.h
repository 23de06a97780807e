/* Device events with impossible times are skipped, those that overlap in a stream clipped, when a
 * trace is sealed (docs/verdict.md 4). */
#ifndef AZ_MODEL_CLEAN_H
#define AZ_MODEL_CLEAN_H

#include "model/trace.h"

/* Of a trace whose kinds are in order of start, before anything refers to row numbers.
 *
 * Leaves out device events that start before tick 0, and those that start at tick 0, unless they
 * have a length and the rest of the recording is near: then the clock began with it (`relative`:
 * known). Clips, at the next start of their lane, events of the kinds that are `in_order` that end
 * more than 1 us after the end of an event that starts later on the lane: the work of a stream runs
 * one after the other. Nodes of a graph run concurrently and are left alone: events with a node, or
 * that share their launch. Counts go to `quality`. One pass; a second one, and a table of launches,
 * only where something may be clipped. AZ_ENOMEM, AZ_ELIMIT. */
int az_trace_clean(struct az_trace *t) AZ_MUST_USE;

/* az_trace_clean's own: removes the marked ones (gone[row] != 0) of the first n rows of a kind. */
void az_trace_remove_first(struct az_trace *t, enum az_kind k, const uint8_t *gone, size_t n);

#endif
