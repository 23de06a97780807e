/* What the analyses of AMD-style dispatches share: the kernels and copies of all traces in one list, categories, small
 * helps for tables (docs/formats-rocprof.md 6, 7.3). Private to amd_*.c. */
#ifndef AZ_ANALYSES_DEVICE_DISPATCH_H
#define AZ_ANALYSES_DEVICE_DISPATCH_H

#include "base/stats.h"
#include "facts/shared.h"
#include "model/dispatch.h"

/* Events of one kind of all traces of the job that hold dispatches, one after another. Released also after a failure.
 */
struct amd_list {
    size_t n;
    struct az_mem *mem;
    uint32_t *trace, *row; /* item -> place of the event */
    uint32_t *name;        /* number of its name (az_job_name) */
    int64_t *length;       /* ns */
};
int amd_list_make(struct az_job *job, enum az_kind kind, struct amd_list *l) AZ_MUST_USE;
void amd_list_release(struct amd_list *l);
static inline const struct az_trace *amd_trace(const struct az_job *job, const struct amd_list *l, size_t i)
{
    return job->traces[l->trace[i]];
}
static inline const struct az_lane *amd_lane(const struct az_job *job, enum az_kind k, const struct amd_list *l,
                                             size_t i)
{
    const struct az_trace *t = amd_trace(job, l, i);
    return &t->lanes.v[t->ev[k].lane[l->row[i]]];
}
bool amd_has(const struct az_trace *t); /* holds dispatches */
static inline const struct az_dispatch_shape *amd_shape(const struct az_trace *t, uint32_t kernel)
{
    return &az_dispatches(t)->shapes.v[az_dispatch_of(t, kernel)->shape];
}

/* Category of a kernel by its number: the user's class map, else configs/amd_categories.rules by the short name. */
struct az_sv amd_category(struct az_job *job, uint32_t number);

/* Several traces: a first column "rank" tells them apart. */
void amd_rank_column(struct az_job *job, struct az_table *t);
void amd_put_rank(struct az_job *job, struct az_table *t, size_t trace);
int amd_emit(struct az_job *job, struct az_table *t, int rc) AZ_MUST_USE;
/* Fills columns at and at + 1 with the share of column `value` in its sum and the running sum of that, in row order. */
void amd_shares(struct az_table *t, size_t value, size_t at);

static inline double amd_us(int64_t ns) { return (double)ns / 1e3; }
static inline double amd_ms(int64_t ns) { return (double)ns / 1e6; }
/* Agents in order of appearance of their kernels over the traces: the "GPU n" of the activity reports. */
struct amd_gpu {
    size_t trace;
    int64_t agent;
};
AZ_VEC(struct amd_gpu, amd_gpus);
int amd_gpus_make(struct az_job *job, struct amd_gpus *g) AZ_MUST_USE;
size_t amd_gpu_of(const struct amd_gpus *g, size_t trace, int64_t agent); /* SIZE_MAX: none */

#endif
