/* Sums of kernels by the host range that launched them: the groups of one trace at work. Private to
 * range_kernels.c and nested_kernels.c. */
#ifndef AZ_ANALYSES_RANGE_KERNELS_H
#define AZ_ANALYSES_RANGE_KERNELS_H

#include "facts/groups.h"
#include "facts/lazy_cache.h"

struct az_kernel_use {   /* one kernel name within the group at work */
    uint32_t name;       /* id in the trace */
    uint32_t last_range; /* to count range instances */
    int64_t instances;
};
AZ_VEC(struct az_kernel_use, az_kernel_uses);

struct az_range_kernels {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const struct az_projection *p;
    const struct az_launches *l;
    struct az_vec_u32 slot; /* name id -> its place in uses; AZ_NO_ID */
    struct az_kernel_uses uses;
    struct az_vec_u32 group;    /* launched kernel -> place in uses */
    struct az_vec_i64 duration; /* the same, ns */
    struct az_table *out;
};

/* Gives a kernel name a place in uses. */
int az_range_kernel_place(struct az_range_kernels *w, uint32_t name) AZ_MUST_USE;
/* A row of the table: a kernel name in the group of `range`. */
void az_range_kernel_row(struct az_range_kernels *w, uint32_t range, const struct az_kernel_use *u,
                         const struct az_stats *st);
/* The rows of a group (item[]: places in the projection's order) whose ranges overlap each other:
 * in O((ranges + kernels) log n), memory of the kernels of the thread. */
int az_nested_kernels(struct az_range_kernels *w, const uint32_t *item, size_t n) AZ_MUST_USE;

#endif
