/* The chart of a roofline, of any format: operations as dots, and the peak rates of the device as
 * lines. */
#ifndef AZ_ANALYSES_ROOFLINE_CHART_H
#define AZ_ANALYSES_ROOFLINE_CHART_H

#include "analyses/analysis.h"

struct az_roofline_dot {
    struct az_sv name;
    double intensity, tflops, us; /* FLOP per byte, TFLOP/s, time by which its area is chosen */
};
AZ_VEC(struct az_roofline_dot, az_roofline_dots);

struct az_roof {
    struct az_sv name; /* "matrix_bf16" */
    double tflops, bw; /* TFLOP/s, NaN: not known; GB/s */
};
AZ_VEC(struct az_roof, az_roofs);

/* Adds the table roofline_chart and the chart of it: `time` is the header of its times. Nothing
 * without dots or roofs. */
int az_roofline_chart(struct az_job *job, const struct az_roofline_dots *dots,
                      const struct az_roofs *roofs, const char *time) AZ_MUST_USE;

#endif
