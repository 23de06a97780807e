/* Tables by family of operators: which events belong to which (family.c), and the tables
 * (family_table.c). */
#ifndef AZ_ANALYSES_OPERATORS_FAMILY_H
#define AZ_ANALYSES_OPERATORS_FAMILY_H

#include "analyses/operators/details.h"
#include "analyses/operators/metrics.h"

struct az_family_event { /* small: there are as many as operators */
    int64_t time;        /* union of its device events, ticks */
    const uint32_t *gpu; /* its device events */
    uint32_t n_gpu;
    uint32_t node;  /* operator; of a backward row the forward one */
    uint32_t sheet; /* number of its table */
    bool backward;  /* metrics and time of its backward pass */
};
AZ_VEC(struct az_family_event, az_family_events);
static inline struct az_gpu_run az_family_own(const struct az_family_event *e)
{
    return (struct az_gpu_run){ e->gpu, e->n_gpu };
}

struct az_family_sheet {
    struct az_sv name;
    struct az_sv family;
    bool backward;
};
AZ_VEC(struct az_family_sheet, az_family_sheets);

/* One table of the events of a sheet (numbers into all->v). */
int az_family_table(struct az_job *job, struct az_framework *fw, struct az_framework_metrics *m,
                    const struct az_family_sheet *s, const struct az_family_events *all,
                    const uint32_t *item, size_t n) AZ_MUST_USE;

#endif
