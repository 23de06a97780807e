/* Exposed time by what it is: what the rules exposed_communication, exposed_copy and page_faults
 * share. Private to this folder. */
#ifndef AZ_ANALYSES_VERDICT_EXPOSED_H
#define AZ_ANALYSES_VERDICT_EXPOSED_H

#include "analyses/verdict/verdict.h"

/* Copies of one name between memories of the same kinds, or fills of one name. */
struct az_verdict_copies {
    uint32_t name;
    int src, dst;     /* memory kinds of struct az_copy; -1: not recorded */
    bool fill, sized; /* sized: their sizes are recorded, of all or of none */
    int64_t count, ticks, exposed;
    struct az_verdict_lengths lengths;
    int64_t with_kernels; /* of exposed: on lanes that kernels run on */
    double bytes;
    int64_t smallest, largest; /* bytes of one; 0: not recorded */
};
AZ_VEC(struct az_verdict_copies, az_verdict_copy_sums);

/* Findings of exposed_copy and page_faults. The sums are joined in place. */
int az_verdict_find_copies(struct az_verdict *v, const struct az_counted *counted,
                           struct az_verdict_copy_sums *sums) AZ_MUST_USE;

/* Is it a copy to the host, by its name? */
bool az_verdict_is_to_host(struct az_sv name);

#endif
