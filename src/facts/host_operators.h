/* Operators on the host: exact self time, its duration minus the union of the operators inside it
 * on its thread. */
#ifndef AZ_FACTS_HOST_OPERATORS_H
#define AZ_FACTS_HOST_OPERATORS_H

#include "facts/job.h"

struct az_host_op_row {
    int64_t count, total_ns, self_ns, threads;
    struct az_sv name;
};

struct az_host_ops {
    int64_t operator_ns;              /* self time of all operators */
    int64_t threads;                  /* that ran any */
    const struct az_host_op_row *row; /* by name, most self time first */
    size_t n;
};

/* Operators of a framework trace; marks of steps that are recorded as such are none. Without any:
 * all zero. Stored in the job. NULL on failure, the error is in *rc. */
const struct az_host_ops *az_job_host_ops(struct az_job *job, size_t trace, int *rc);

/* The same of ranges (record_function, annotations; data loading is among them). */
const struct az_host_ops *az_job_host_ranges(struct az_job *job, size_t trace, int *rc);

/* The content of a trace without device work. */
enum az_no_device {
    AZ_NO_DEVICE_EMPTY,    /* nothing that a report could be made of */
    AZ_NO_DEVICE_HOST,     /* operators, ranges, frames or calls of a program that used no device */
    AZ_NO_DEVICE_LAUNCHES, /* launches whose device events are all missing */
    AZ_NO_DEVICE_TOTALS,   /* totals of calls or copies, without kernels */
};
enum az_no_device az_trace_no_device(const struct az_trace *t);

#endif
