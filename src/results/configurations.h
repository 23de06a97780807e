/* The inputs of one report next to each other. */
#ifndef AZ_RESULTS_CONFIGURATIONS_H
#define AZ_RESULTS_CONFIGURATIONS_H

#include "results/compare.h"

/* Adds the table `configurations`: a row per input (also of one that could not be read): title,
 * device, devices, ranks, steps, step_ns, shares of the account, FLOP/s, MFU, the family with the
 * most time, the rule of the first finding. What is not known is empty, never 0. */
int az_configurations(struct az_document *doc, const struct az_compare_input *in,
                      size_t n) AZ_MUST_USE;

#endif
