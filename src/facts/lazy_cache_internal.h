/* Private to shared*.c: the fact that az_shared_of makes. */
#ifndef AZ_FACTS_LAZY_CACHE_INTERNAL_H
#define AZ_FACTS_LAZY_CACHE_INTERNAL_H

#include "facts/lazy_cache.h"

struct az_shared_trace {
    uint32_t *number; /* name id -> number; NULL: the same */
    struct az_link *link;
    struct az_launches *launches;
    struct az_projection *projection;
    uint32_t tag; /* name id that the iteration tag matched here; AZ_NO_ID. Set by az_job_tag */
};

struct az_shared {
    struct az_shared_trace *trace;
    size_t n_names;
    const struct az_sv *text; /* number -> text that lasts; NULL: of one trace that does not */
    /* What several parts of a job may fill at a time: whoever is first. */
    _Atomic(const char *) *copy; /* where there is no `text`: number -> copy; NULL: not yet */
    _Atomic uint32_t *class_of;  /* number -> class of the user's map + 1; 0: not computed yet */
    const struct az_kernel_class **kernel; /* number -> built-in class; NULL: no kernel's name */
    struct az_name_sums *kernels, *memops;
    struct az_job_tag *tag;
};

/* Made on first use; NULL on failure, which the arena remembers. */
struct az_shared *az_shared_of(struct az_job *job);

#endif
