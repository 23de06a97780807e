/* Device time of several inputs next to each other: by family, by the user's classes, and the
 * account, with charts. */
#ifndef AZ_COMPARE_SIDE_BY_SIDE_H
#define AZ_COMPARE_SIDE_BY_SIDE_H

#include "compare/compare.h"

/* Is a table of the document read here, or by az_configurations? Of a result that is stored for the
 * side-by-side report only, nothing else is needed. */
bool az_side_by_side_reads(const struct az_document *d, const struct az_table *t);
/* Steps of a result: those found, else the iterations that its configuration names; NaN. */
double az_side_by_side_steps(const struct az_document *d, const struct az_change_side *side);

/* Adds the tables side_by_side_families and side_by_side_classes (a row per family or class, time
 * per step and share per input, in one unit), side_by_side_account (a row per input), and charts of
 * them. Time is that of one step on one device: of the median step, else the recording's divided by
 * its steps and devices. An input without steps counts as a whole, as its heading states. What an
 * input does not have is empty. fold: text shows many inputs by the pattern of their titles. 0 or
 * an error of memory. */
int az_side_by_side(struct az_document *doc, const struct az_compare_input *in, size_t n,
                    bool fold) AZ_MUST_USE;

#endif
