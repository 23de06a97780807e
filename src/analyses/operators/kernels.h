/* Kernels with what launched them. */
#ifndef AZ_ANALYSES_OPERATORS_KERNELS_H
#define AZ_ANALYSES_OPERATORS_KERNELS_H

#include "analyses/operators/framework.h"
#include "facts/groups.h"

struct az_framework_kernels {
    struct az_framework *fw;
    const struct az_events *ev; /* AZ_KERNEL */
    const uint32_t *gpu;        /* kernel row -> gpu number */
};
static inline int64_t az_framework_kernel_ticks(const struct az_framework_kernels *k, size_t kernel)
{
    return k->ev->end[kernel] - k->ev->start[kernel];
}
int az_framework_kernels_get(struct az_framework_kernels *k, struct az_job *job) AZ_MUST_USE;
/* The operator a kernel was launched under, AZ_NO_ROW if there is none; *call: its launch,
 * AZ_NO_ROW if unlinked. */
uint32_t az_framework_kernel_owner(const struct az_framework_kernels *k, size_t kernel,
                                   uint32_t *call);
/* Category of the owner: of its own launch if it is a launcher, else by name alone; `graph` or
 * `runtime` for a call without an operator above it; empty for a kernel whose launch is not in the
 * trace. */
struct az_sv az_framework_owner_category(const struct az_framework *fw, uint32_t call, uint32_t op);

#endif
