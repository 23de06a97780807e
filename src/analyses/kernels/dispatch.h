/* What the analyses of AMD-style dispatches share: the kernels and copies of all traces in one
 * list, categories, small helps for tables (docs/formats-rocprof.md 6, 7.3). Private to
 * dispatch*.c. */
#ifndef AZ_ANALYSES_KERNELS_DISPATCH_H
#define AZ_ANALYSES_KERNELS_DISPATCH_H

#include "base/intern.h"
#include "facts/lazy_cache.h"
#include "model/dispatch.h"
#include "stats/stats.h"

/* Events of one kind of all traces of the job that hold dispatches, one after another. Released
 * also after a failure.
 */
struct az_dispatch_list {
    size_t n;
    struct az_mem *mem;
    uint32_t *trace, *row; /* item -> place of the event */
    uint32_t *name;        /* number of its name (az_job_name) */
    int64_t *length;       /* ns */
};
int az_dispatch_list_make(struct az_job *job, enum az_kind kind,
                          struct az_dispatch_list *l) AZ_MUST_USE;
void az_dispatch_list_release(struct az_dispatch_list *l);
static inline const struct az_trace *az_dispatch_trace(const struct az_job *job,
                                                       const struct az_dispatch_list *l, size_t i)
{
    return job->traces[l->trace[i]];
}
static inline const struct az_lane *az_dispatch_lane(const struct az_job *job, enum az_kind k,
                                                     const struct az_dispatch_list *l, size_t i)
{
    const struct az_trace *t = az_dispatch_trace(job, l, i);
    return &t->lanes.v[t->ev[k].lane[l->row[i]]];
}
bool az_dispatch_has(const struct az_trace *t); /* holds dispatches */
static inline const struct az_dispatch_shape *az_dispatch_list_shape(const struct az_trace *t,
                                                                     uint32_t kernel)
{
    return &az_dispatches(t)->shapes.v[az_dispatch_of(t, kernel)->shape];
}

/* Category of a kernel by its number: the user's class map, else configs/amd_categories.rules by
 * the short name. */
struct az_sv az_dispatch_category(struct az_job *job, uint32_t number);

/* Agents in order of appearance of their kernels over the traces: the "GPU n" of the activity
 * reports. */
struct az_dispatch_gpu {
    size_t trace;
    int64_t agent;
};
AZ_VEC(struct az_dispatch_gpu, az_dispatch_gpu_list);
struct az_dispatch_gpus {
    struct az_dispatch_gpu_list list;
    struct az_map at; /* trace, agent -> place in the list */
};
int az_dispatch_gpus_make(struct az_job *job, struct az_dispatch_gpus *g) AZ_MUST_USE;
/* Adds one that may be there already. */
int az_dispatch_gpus_add(struct az_dispatch_gpus *g, size_t trace, int64_t agent) AZ_MUST_USE;
/* Puts them in the order of traces, then numbers. */
int az_dispatch_gpus_sort(struct az_dispatch_gpus *g, struct az_mem *mem) AZ_MUST_USE;
void az_dispatch_gpus_release(struct az_dispatch_gpus *g);
size_t az_dispatch_gpu_of(const struct az_dispatch_gpus *g, size_t trace,
                          int64_t agent); /* SIZE_MAX: none */

#endif
