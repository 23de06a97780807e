/* Requests and tokens of a step of a serving engine, prompts and generation apart, by the grammars
 * of TraceLens (docs/steps.md 2.6): stricter than az_engine_mark_read, which accepts more engines.
 */
#ifndef AZ_CLASSIFY_ENGINE_COUNTS_H
#define AZ_CLASSIFY_ENGINE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sv.h"

/* Of a trace, the marks of the best grammar that occurs are its steps. */
enum az_engine_grammar {
    AZ_ENGINE_NO_STEP,
    AZ_ENGINE_NATIVE,  /* requests, and maybe tokens */
    AZ_ENGINE_DETAILED /* and sums of query and key lengths */
};
struct az_engine_counts {
    int64_t context_requests, context_tokens;       /* prompts */
    int64_t generation_requests, generation_tokens; /* generation */
    int64_t tokens;                                 /* of both; a step of unknown counts: 1 */
};
static inline int64_t az_engine_requests(const struct az_engine_counts *c)
{
    return c->context_requests + c->generation_requests;
}
/* A step of neither requests nor tokens counts as one request of generation. */
enum az_engine_grammar az_engine_counts_read(struct az_sv name, struct az_engine_counts *out);

/* Kinds of steps: has prompts; generation only. A step of no requests is neither. */
static inline bool az_engine_has_context(const struct az_engine_counts *c)
{
    return c->context_requests > 0;
}
static inline bool az_engine_decodes_only(const struct az_engine_counts *c)
{
    return c->context_requests == 0 && c->generation_requests > 0;
}

#endif
