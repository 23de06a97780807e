/* Payload of the range that a collective library opens around a launch, in traces without a
 * framework (docs/formulas-collectives.md 1). Private to source.c. */
#ifndef AZ_ANALYSES_COLLECTIVES_PAYLOAD_H
#define AZ_ANALYSES_COLLECTIVES_PAYLOAD_H

#include "model/trace.h"

struct az_coll_payloads;
/* NULL where the trace has none, and on failure (*rc). In the arena. */
struct az_coll_payloads *az_coll_payloads_of(const struct az_trace *t, struct az_arena *a, int *rc);
struct az_coll_payload {
    uint64_t comm;
    int64_t bytes, peer; /* -1: unknown, or of several calls different ones */
    uint32_t name;       /* of the range; AZ_NO_ID: of several calls */
};
/* Of the call of that row; false: unknown. */
bool az_coll_payload_at(const struct az_coll_payloads *p, uint32_t call,
                        struct az_coll_payload *out);
/* Ranks of a communicator; -1: unknown. */
int64_t az_coll_payload_ranks(const struct az_coll_payloads *p, uint64_t comm);

#endif
