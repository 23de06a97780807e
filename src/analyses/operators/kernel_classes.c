/* Class of a kernel name: the user's map first, then the built-in rules. */
#include "analyses/operators/framework.h"

struct az_sv az_framework_kernel_class(struct az_framework *f, uint32_t name)
{
    if (name == AZ_NO_ID)
        return AZ_SV("others");
    const struct az_sv *known = atomic_load_explicit(&f->kernel_class[name], memory_order_relaxed);
    if (!known) {
        const uint32_t user = f->classes->rules->n
                                  ? az_classify(f->classes, az_trace_text(f->trace, name))
                                  : AZ_CLASS_OTHERS;
        known = user != AZ_CLASS_OTHERS && user != f->classes->nccl
                    ? &f->classes->names.v[user]
                    : &az_trace_class(f->trace, name)->name;
        atomic_store_explicit(&f->kernel_class[name], known, memory_order_relaxed);
    }
    return *known;
}
