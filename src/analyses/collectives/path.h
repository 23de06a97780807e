/* The critical path over all ranks (docs/formulas-collectives.md 7): the chain of work that ended
 * last, followed back in time. On a rank, before a moment comes the device operation that ended
 * last until then; time between the two is idle. Before the end of a collective comes its transfer,
 * and before that the start of the member that arrived last. Of idle time that is the host's in
 * which the operation after it was not yet launched. So the pieces follow each other
 * without gap or overlap, and their sum is the step, exactly; no other chain is longer, as every
 * other one has waited somewhere.
 *
 * A rank leaves for each of its collectives, steps and its end the way back to the collective (or
 * the begin of a step) that the chain meets next, as time by family; that is all the path needs of
 * it. */
#ifndef AZ_ANALYSES_COLLECTIVES_PATH_H
#define AZ_ANALYSES_COLLECTIVES_PATH_H

#include "analyses/collectives/collectives.h"
#include "classify/family.h"

/* A device operation of a rank, ns. */
struct az_coll_op {
    int64_t start, end;
    uint32_t event; /* of the part, if it is a collective; AZ_NO_ROW */
    uint8_t family;
    int64_t launch; /* start of the call that launched it; INT64_MIN: unknown */
};
/* Of a part's shares: a family, or time before an operation in which its call had not begun. */
#define AZ_COLL_HOST  AZ_FAMILIES
#define AZ_COLL_PARTS (AZ_FAMILIES + 1)
AZ_VEC(struct az_coll_op, az_coll_ops);

/* Fills the part's local, share, first and last, in `keep`; ev, n, steps are there. */
int az_coll_local_make(const struct az_coll_op *op, size_t n, struct az_coll_part *p,
                       struct az_arena *scratch, struct az_arena *keep,
                       struct az_mem *mem) AZ_MUST_USE;

/* A path; sums in ns. */
struct az_coll_path {
    int64_t step;                                      /* number; -1: the whole recording */
    int64_t begin, end;                                /* on the common clock */
    int64_t length;                                    /* of its pieces, added up */
    int64_t idle, host, transfer, family[AZ_FAMILIES]; /* of it; host is not in idle */
    int64_t *by_rank;                                  /* by index: its local pieces */
    int64_t *by_group;                                 /* transfers */
    size_t hops;                                       /* collectives on it */
    size_t last;                                       /* rank at its end, index */
};
/* The path from `begin` to `end` on the common clock, from the local piece `local` of a rank, which
 * ends there. by_rank and by_group are there, zero. */
void az_coll_path_walk(const struct az_coll_run *c, size_t rank, size_t local,
                       struct az_coll_path *out);
int az_coll_path_tables(struct az_coll_run *c) AZ_MUST_USE;

#endif
