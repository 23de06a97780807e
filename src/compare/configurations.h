/* The inputs of one report next to each other. */
#ifndef AZ_COMPARE_CONFIGURATIONS_H
#define AZ_COMPARE_CONFIGURATIONS_H

#include "compare/compare.h"

struct az_configurations_opts {
    struct az_sv baseline; /* title; "first"; empty: no ratios */
    bool fold;             /* text shows many inputs by the pattern of their titles */
};

/* Adds the table `configurations`: a row per input (also of one that could not be read): title,
 * device, devices, ranks, steps, step_ns, shares of the account, FLOP/s, MFU, the family with the
 * most time, the rule of the first finding and its sentence; with a baseline the ratio of the times
 * per step, or why there is none. What is not known is empty, never 0. 0, AZ_EUSAGE for a baseline
 * that is none of the inputs, or an error of memory. */
int az_configurations(struct az_document *doc, const struct az_compare_input *in, size_t n,
                      const struct az_configurations_opts *opts) AZ_MUST_USE;

/* Adds the verdict (document/verdict_table.h) that az_configurations puts before its table: which
 * input has the shortest step, by how much next to the input `base` (n or more: the one that most
 * others can be compared with), the part of the time that differs most, and why inputs are not
 * compared. Nothing for one input. 0 or an error of memory. */
int az_configurations_verdict(struct az_document *doc, const struct az_compare_input *in, size_t n,
                              size_t base) AZ_MUST_USE;

#endif
