/* The verdict as data, for JSON documents (document/claims.h). */
#ifndef AZ_REPORTS_JSON_CLAIMS_H
#define AZ_REPORTS_JSON_CLAIMS_H

#include "document/change.h"
#include "text/jsonw.h"

/* Members of the object that the caller has begun: devices, ranks, account, outside, steps, rates,
 * host, findings, trust. */
void az_json_claims(struct az_jsonw *w, const struct az_claims *c, struct az_arena *scratch);

/* A change of a comparison or a gate, as an object. */
void az_json_change(struct az_jsonw *w, const struct az_change *c, struct az_arena *scratch);

#endif
