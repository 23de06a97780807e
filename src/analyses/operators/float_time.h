/* Kernel times as tools count them that keep times as float64 microseconds
 * (docs/formulas-pytorch.md 12). */
#ifndef AZ_ANALYSES_OPERATORS_FLOAT_TIME_H
#define AZ_ANALYSES_OPERATORS_FLOAT_TIME_H

#include "analyses/operators/details.h"
#include "analyses/operators/framework.h"

#define AZ_FLOAT_UNITS (1 << 20) /* of a microsecond: what is smaller is truncated */

/* The union of device events whose start and end are rounded to float64 microseconds, in units.
 * `spans`: scratch. */
int az_float_union(const struct az_framework *fw, struct az_gpu_run run, struct az_spans *spans,
                   int64_t *units) AZ_MUST_USE;

#endif
