/* Forward operators of backward ones (docs/formulas-pytorch.md 9). */
#ifndef AZ_FACTS_FORWARD_LINKS_H
#define AZ_FACTS_FORWARD_LINKS_H

#include "facts/job.h"
#include "model/optrace.h"

/* What links are made from. */
struct az_op_links {
    const struct az_trace *trace;
    const struct az_calltree *tree;
    const struct az_optrace *ops;
    bool named; /* also of operators without a wrapper that are called X...Backward */
};
/* What az_job_forward finds, into room for tree->first_call rows. 0 or AZ_ENOMEM, AZ_ELIMIT.
 */
int az_forward_links(const struct az_op_links *l, struct az_mem *mem,
                     uint32_t *forward) AZ_MUST_USE;

struct az_forward {
    struct az_rank_word *has; /* operators that have one */
    uint32_t *of;             /* by their rank */
};
/* For operator nodes: the forward operator of an `autograd::engine::evaluate_function: X` wrapper,
 * AZ_NO_ROW elsewhere. By arrows of the file
 * where it has them; else wrappers and forward operators meet by sequence number: the latest
 * operator of that number on another thread. In the job's arena. NULL where the trace has no such
 * wrapper, and on failure: the error is in *rc. */
const struct az_forward *az_job_forward(struct az_job *job, size_t trace, int *rc);
static inline uint32_t az_forward_of(const struct az_forward *forward, uint32_t op)
{
    return forward && az_rank_has(forward->has, op) ? forward->of[az_rank(forward->has, op)]
                                                    : AZ_NO_ROW;
}

#endif
