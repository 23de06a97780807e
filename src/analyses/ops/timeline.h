/* Where device time goes (docs/formulas-pytorch.md 4). */
#ifndef AZ_ANALYSES_OPS_TIMELINE_H
#define AZ_ANALYSES_OPS_TIMELINE_H

#include "analyses/ops/framework.h"

/* Lengths of unions of device events, ticks. compute + exposed_comm + exposed_memcpy = busy. */
struct az_fw_figures {
    int64_t compute, comm, exposed_comm, memcpy_time, exposed_memcpy, busy, total, micro;
    int64_t first, last;
    size_t events;
};
/* Of the device events that count (az_fw_counts): the figures of gpu_timeline, of one rank as of a single trace. */
int az_fw_timeline(struct az_job *job, struct az_fw *fw, struct az_fw_figures *f) AZ_MUST_USE;

#endif
