/* What an event is, by its category: those of every backend of the profiler
 * (docs/formats-pytorch.md 1.3). */
#include "formats/pytorch.h"

#define CATEGORY(text, kind)                                                                       \
    {                                                                                              \
        text, sizeof(text) - 1, kind                                                               \
    }
static const struct {
    const char *cat;
    size_t n;
    enum az_kind kind;
} categories[] = {
    CATEGORY("cpu_op", AZ_HOST_OP),
    CATEGORY("Operator", AZ_HOST_OP),
    CATEGORY("cuda_runtime", AZ_CALL),
    CATEGORY("cuda_driver", AZ_CALL),
    CATEGORY("Runtime", AZ_CALL),
    CATEGORY("kernel", AZ_KERNEL),
    CATEGORY("Kernel", AZ_KERNEL),
    CATEGORY("gpu_memcpy", AZ_MEMCPY),
    CATEGORY("Memcpy", AZ_MEMCPY),
    CATEGORY("gpu_memset", AZ_MEMSET),
    CATEGORY("Memset", AZ_MEMSET),
    CATEGORY("python_function", AZ_FRAME),
    CATEGORY("user_annotation", AZ_RANGE),
    CATEGORY("gpu_user_annotation", AZ_GPU_RANGE),
    CATEGORY("cuda_sync", AZ_SYNC),
    CATEGORY("overhead", AZ_OVERHEAD),
    CATEGORY("mtia_ccp_events", AZ_KERNEL), /* on the device */
    CATEGORY("hpu_op", AZ_CALL),            /* of the host's runtime */
};

/* Backends name their categories alike: xpu_runtime, mtia_runtime, privateuse1_driver, xpu_sync. */
static const struct {
    struct az_sv end;
    enum az_kind kind;
} patterns[] = {
    { { "_runtime", 8 }, AZ_CALL },
    { { "_driver", 7 }, AZ_CALL },
    { { "_sync", 5 }, AZ_SYNC },
};

enum az_kind az_pt_kind_of(struct az_sv cat)
{
    for (size_t i = 0; i < AZ_LENGTH(categories); i++)
        if (cat.n == categories[i].n && memcmp(cat.p, categories[i].cat, cat.n) == 0)
            return categories[i].kind;
    for (size_t i = 0; i < AZ_LENGTH(patterns); i++)
        if (az_sv_ends(cat, patterns[i].end))
            return patterns[i].kind;
    return AZ_KIND_COUNT;
}
