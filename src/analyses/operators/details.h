/* The list of device events of a group of launches as JSON text: one entry per (name, occurrence
 * within a launch). */
#ifndef AZ_ANALYSES_OPERATORS_DETAILS_H
#define AZ_ANALYSES_OPERATORS_DETAILS_H

#include "analyses/operators/framework.h"

struct az_framework_details_name { /* of device events */
    uint32_t launch, times;        /* the launch last seen in, times seen there */
    uint32_t list, entry;          /* the list last seen in, its entry of first occurrences there */
};
AZ_VEC(struct az_framework_details_name, az_framework_details_names);
struct az_framework_details {
    const struct az_framework *fw;
    struct az_text_set *kept; /* has the texts made */
    struct az_mem *mem;
    uint32_t *place; /* name id -> place in `names` plus one; 0: of no device event yet */
    struct az_framework_details_names names;
    uint32_t launch, list;
    struct az_vec_char text, brief;
};
int az_framework_details_init(struct az_framework_details *d, struct az_framework *fw,
                              struct az_arena *arena, struct az_mem *mem) AZ_MUST_USE;
void az_framework_details_release(struct az_framework_details *d);
/* Runs of device events (gpu numbers), one per launch: entries in the order of first appearance.
 * *full: count, total, mean, median, population deviation, minimum, maximum in microseconds;
 * *brief: names cut to 64 bytes, mean to 2 decimals. Both empty without events. */
struct az_gpu_run {
    const uint32_t *gpu;
    size_t n;
};
int az_framework_details_make(struct az_framework_details *d, const struct az_gpu_run *runs,
                              size_t n, struct az_sv *full, struct az_sv *brief) AZ_MUST_USE;

#endif
