/* The steady part of a run of a serving engine, and parts of it that represent it
 * (docs/from-tracelens-programs.md, splitting traces): a part is a number of steps in a row. */
#ifndef AZ_ANALYSES_PHASES_STEADY_H
#define AZ_ANALYSES_PHASES_STEADY_H

#include "base/vec.h"
#include "classify/engine_counts.h"

struct az_steady_part {
    size_t from, to; /* steps; empty where they are equal */
};
AZ_VEC(struct az_steady_part, az_steady_parts);

/* Parts in which the number of requests is near its maximum: within a tenth (a fifth, of fewer
 * steps than `wanted`), for more than five steps. Without one, the middle of the run. n > 0. */
int az_steady_regions(const struct az_engine_counts *step, size_t n, size_t wanted,
                      struct az_steady_parts *out) AZ_MUST_USE;

/* What is known of the load: concurrent requests, tokens that are generated for one, and the share
 * of that length of the shortest one. */
struct az_steady_load {
    int64_t concurrency; /* 0: not known */
    double length, ratio;
};
enum { AZ_STEADY_MIXED, AZ_STEADY_DECODE, AZ_STEADY_PREFILL, AZ_STEADY_PARTS };
struct az_steady_choice {
    struct az_steady_part part[AZ_STEADY_PARTS];
    double reference; /* share of steps with prompts that the mixed part is to have */
    size_t steps;     /* required of the mixed part */
};
/* In the largest region: the window of `wanted` steps whose share of steps with prompts is nearest
 * to that of all regions, or of the load; the longest rows of steps that only generate, and of
 * steps with prompts, as far as `wanted`. */
void az_steady_choose(const struct az_engine_counts *step, const struct az_steady_parts *regions,
                      size_t wanted, const struct az_steady_load *load,
                      struct az_steady_choice *out);

#endif
