/* Statistics over iterations: mean, median, p95, minimum, maximum per device. Private to
 * the analyses. */
#ifndef AZ_ANALYSES_TIMELINE_ITERATION_SUMMARY_H
#define AZ_ANALYSES_TIMELINE_ITERATION_SUMMARY_H

#include "analyses/analysis.h"

#define ITERATION_FIGURES 10

struct az_iteration_row {
    size_t trace;
    int64_t rank, device;
    int64_t x[ITERATION_FIGURES]; /* ns */
};
AZ_VEC(struct az_iteration_row, az_iteration_rows);

/* Table device_iterations_summary; the first warmup_iters rows of each device are skipped. Sorts
 * the rows by trace and device. */
int az_iteration_summary(struct az_job *job, struct az_iteration_rows *rows,
                         const char *const names[ITERATION_FIGURES]) AZ_MUST_USE;

#endif
