/* Captured operators put under the launches of their graphs, while a framework trace is sealed
 * (model/capture.h, docs/graphs.md 2 to 4). */
#ifndef AZ_MODEL_GRAPH_CAPTURE_ATTACH_H
#define AZ_MODEL_GRAPH_CAPTURE_ATTACH_H

#include "model/optrace.h"

/* Pairs every graph launch of the tree with its capture, adds what was captured to the events, and
 * builds the tree again. Frees the captures. After an error the trace can only be released. */
int az_graft(struct az_trace *t, struct az_calltree *tree) AZ_MUST_USE;
void az_captures_release(struct az_captures *c);

/* The batch that a step of an inference engine runs, by its annotation: execute_<batch>_...,
 * execute_context_<n>(<tokens>)_generation_<n>(<tokens>), step[... bs=<batch> toks=<tokens>],
 * prefill[bs=..], decode[bs=..]. `tokens`: of a step that is launched in parts, if named. False: no
 * such annotation; -1: not in it. */
bool az_step_batch(struct az_sv text, bool tokens, int64_t *batch);
/* The key of a device event, or of a captured launch, of that name (model/pairing.h). */
uint32_t az_pair_key(enum az_kind k, struct az_sv text, uint32_t name);

#endif
