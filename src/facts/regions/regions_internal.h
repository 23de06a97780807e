/* Between the files of the fact of regions. */
#ifndef AZ_FACTS_REGIONS_REGIONS_INTERNAL_H
#define AZ_FACTS_REGIONS_REGIONS_INTERNAL_H

#include "facts/regions.h"

#define AZ_REGION_DEPTH 64
#define AZ_REGIONS_MOST 65536 /* names below each other: more are not names from source code */

AZ_VEC(struct az_region, az_region_list);

struct az_instance { /* of a region on a host thread */
    int64_t start, end;
    int64_t covered;     /* up to where instances inside it were taken off its own host time */
    int64_t first, last; /* device work inside it; last < first: none */
    uint32_t thread, name, up, region; /* up: instance around it; AZ_NO_ID */
    int32_t slot;                      /* device of the work; -1: none, -2: several */
    uint8_t source;
};
AZ_VEC(struct az_instance, az_instance_list);

struct az_region_search {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    bool modules; /* only these, names not folded */
    struct az_region_list regions;
    struct az_map children; /* (parent + 1, name and source) -> region */
    struct az_intern names; /* folded */
    uint32_t *name_of;      /* name id of the trace and source -> folded name + 1; 0: not yet */
    /* instances by thread, then start, longest first */
    struct az_instance_list instances;
    uint32_t *thread_of_lane;
    size_t n_threads;
    uint32_t *first, *last; /* thread -> its first instance, and after its last one */
    uint32_t *serves;       /* thread -> the thread whose backward work it runs; AZ_NO_ID */
    struct az_regions *out;
    uint32_t *of[AZ_KIND_COUNT]; /* as in the result */
};

/* Region of a name below another one (AZ_NO_ID: none), new or known; the parent itself where the
 * tree is full. */
int az_regions_child(struct az_region_search *s, uint32_t parent, struct az_sv name,
                     enum az_region_source source, uint32_t *region) AZ_MUST_USE;
/* Lists and nests the instances on host threads, with their regions. Sets `serves` before. */
int az_regions_nest(struct az_region_search *s) AZ_MUST_USE;
/* Innermost instance open on a thread at a time, or on the thread that it serves; AZ_NO_ID. */
uint32_t az_regions_at(const struct az_region_search *s, uint32_t thread, int64_t at);
/* The same for times that do not fall on a thread; at[thread] is 0 at first. *until: up to where it
 * is the same one for later times of the thread. */
uint32_t az_regions_next(const struct az_region_search *s, uint32_t *at, uint32_t thread,
                         int64_t time, int64_t *until);
/* Device events of host launches, of scopes of compiled programs, between signposts. */
int az_regions_of_launches(struct az_region_search *s) AZ_MUST_USE;
int az_regions_of_scopes(struct az_region_search *s) AZ_MUST_USE;
int az_regions_of_signposts(struct az_region_search *s) AZ_MUST_USE;
/* After that: exposed communication by region, idle time inside instances. */
int az_regions_measure(struct az_region_search *s) AZ_MUST_USE;
/* Sums of a device event's region, or of what is outside. */
static inline struct az_region_sums *az_regions_sums(struct az_region_search *s, uint32_t region)
{
    return region == AZ_NO_ID ? &s->out->outside : &s->regions.v[region].own;
}

#endif
