/* Many inputs as few groups: those whose titles differ in numbers only. */
#ifndef AZ_COMPARE_TITLE_GROUPS_H
#define AZ_COMPARE_TITLE_GROUPS_H

#include "compare/compare.h"

#define AZ_SCREEN_INPUTS 16 /* rows of a screen; more inputs are grouped */

struct az_title_groups {
    struct az_sv *name; /* pattern of the titles, numbers that differ as `*`: "bs8_run*" */
    size_t *of;         /* input -> group */
    size_t n;
};
/* The last number of the titles is replaced, else the first, else all: the first way with no more
 * groups than a screen has rows. In the arena. 0 or an error of memory. */
int az_title_groups_make(struct az_arena *a, const struct az_compare_input *in, size_t n,
                         struct az_title_groups *out) AZ_MUST_USE;
/* The median of n numbers, which are sorted; NaN of none, or without memory. */
double az_median_of(double *v, size_t n, struct az_mem *mem);

#endif
