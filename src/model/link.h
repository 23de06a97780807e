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

/* ---- oplink.c: the same for framework traces (docs/formulas-pytorch.md 3) ---- */
struct az_calltree;
struct az_options;
/* Lists the device events of a call tree and finds their calls; it need not be built yet. */
int az_oplink(struct az_calltree *c, const struct az_options *o) AZ_MUST_USE;
/* Lists them by their places in the tree, which is built. */
int az_oplink_place(struct az_calltree *c) AZ_MUST_USE;
void az_oplink_release(struct az_calltree *c);
/* Puts n elements of `size` bytes (64 at most) in the order of perm, in place; perm is used up. */
void az_oplink_arrange(void *base, uint32_t *perm, size_t n, size_t size);

#endif
