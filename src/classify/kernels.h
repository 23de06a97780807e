/* What kernels are by their names: the rules of configs/kernel_classes.rules prepared, and the
 * classes of the names of one trace, one lookup each. */
#ifndef AZ_CLASSIFY_KERNELS_H
#define AZ_CLASSIFY_KERNELS_H

#include "base/mem.h"
#include "classify/classmap.h"
#include "classify/family.h"

struct az_kernel_class {
    struct az_sv name; /* "GEMM-cuBLAS"; static text */
    enum az_family family;
    bool copies; /* a copy of the runtime that its profiler records as a kernel */
};

/* The user's settings for names; it comes before the rules. Views. */
struct az_user_names {
    struct az_sv collectives;         /* "part=collective ...", parts in any case */
    const struct az_class_rules *map; /* its class nccl is communication; NULL: none */
};

struct az_kernel_rules;
/* Reads the rules. NULL: out of memory. */
struct az_kernel_rules *az_kernel_rules_new(const struct az_user_names *user, struct az_mem *mem);
void az_kernel_rules_free(struct az_kernel_rules *r, struct az_mem *mem);
/* Class of a name; `others` where no rule matches. Lives as long as the rules. */
const struct az_kernel_class *az_kernel_class_of(const struct az_kernel_rules *r,
                                                 struct az_sv name);

/* The classes of names with ids. */
struct az_name_classes {
    const struct az_kernel_class *v; /* the first: others */
    uint16_t *of;                    /* name id -> place in v */
    size_t ids;
};
/* Classes of the marked names (`wanted[id]` != 0) of `text`, in the arena. */
int az_name_classes_make(struct az_name_classes *c, const struct az_sv *text, const uint8_t *wanted,
                         size_t ids, const struct az_user_names *user, struct az_arena *arena,
                         struct az_mem *mem) AZ_MUST_USE;
/* Class `others`. */
const struct az_kernel_class *az_kernel_class_none(void);
/* Is a marked name of that family? */
bool az_name_classes_have(const struct az_name_classes *c, enum az_family family);
/* `others` for names that were not marked. */
static inline const struct az_kernel_class *az_name_class(const struct az_name_classes *c,
                                                          uint32_t id)
{
    return id < c->ids ? &c->v[c->of[id]] : az_kernel_class_none();
}

#endif
