/* Peaks of accelerators (configs/gpu_arch.csv). */
#ifndef AZ_PERF_ARCH_H
#define AZ_PERF_ARCH_H

#include "base/mem.h"

struct az_arch {
    struct az_sv name, vendor, match, peaks; /* views into the data */
    double memory_gb, bandwidth_gbps, units;
};

/* The row whose name, or whose longest part of a device name, is in `device` (without case); without a device name the
 * nearest by units (within 10 %) and memory (within 25 %) of that vendor (empty: any). False: none. */
bool az_arch_find(struct az_sv device, struct az_sv vendor, double units, double memory_bytes, struct az_arch *out);
/* Peak of a unit and type, "matrix_bf16", in TFLOP/s; 0: not offered or not known. */
double az_arch_peak(const struct az_arch *a, struct az_sv spec);

#endif
