/* Which host call launched a device operation: the join on (process, correlation id). Ids restart
 * in every process, so the id alone is never enough (docs/formats-nsight.md 3.1). */
#ifndef AZ_MODEL_LINK_H
#define AZ_MODEL_LINK_H

#include "model/trace.h"

struct az_link {
    /* operation row -> row of ev[AZ_CALL], AZ_NO_ROW where there is none. NULL for kinds that are
     * not joined (all but kernel, memcpy, memset, graph, sync) and for kinds without events. In the
     * arena. */
    uint32_t *call[AZ_KIND_COUNT];
    const struct az_same_id *same; /* calls that share their id, in the arena */
    size_t n_same;
};

/* Joins every device operation of a sealed trace to its call: by the call tree where there is one,
 * else by ids. Of several calls with one id (a runtime call around a driver call) the first to
 * start is used. Scratch is charged to mem and freed. AZ_ENOMEM, AZ_ELIMIT. */
int az_link_make(struct az_link *l, const struct az_trace *t, struct az_arena *arena,
                 struct az_mem *mem) AZ_MUST_USE;

#endif
