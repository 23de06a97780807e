/* Rules that detect problems. Each adds rows to job->findings. Private to findings*.c. */
#ifndef AZ_ANALYSES_FINDINGS_FINDINGS_H
#define AZ_ANALYSES_FINDINGS_FINDINGS_H

#include "facts/lazy_cache.h"

/* ---- findings_calls.c: what blocks the host ---- */
int az_find_blocking_copies(struct az_job *job,
                            size_t trace) AZ_MUST_USE; /* copies and fills against their calls */
int az_find_blocking_calls(struct az_job *job, size_t trace) AZ_MUST_USE;

/* ---- findings_device.c: what the device shows ---- */
int az_find_low_use(struct az_job *job, size_t trace) AZ_MUST_USE;
int az_find_graphs(struct az_job *job, size_t trace) AZ_MUST_USE;
int az_find_mixed_streams(struct az_job *job, size_t trace) AZ_MUST_USE;
int az_find_long_gaps(struct az_job *job) AZ_MUST_USE;
int az_find_exposed_nccl(struct az_job *job) AZ_MUST_USE;

/* ---- findings_ranges.c: ranges and the iteration tag ---- */
int az_find_tag_trouble(struct az_job *job) AZ_MUST_USE;
int az_find_outside_ranges(struct az_job *job, size_t trace) AZ_MUST_USE;

/* " (rank 3)" or nothing: which trace a subject belongs to. */
struct az_sv az_finding_rank(struct az_job *job, size_t trace);
/* Time of all kernels, copies, fills and graph rows of a trace, ticks, and of one kind. */
int64_t az_device_ticks(const struct az_trace *t);
int64_t az_kind_ticks(const struct az_trace *t, enum az_kind kind);

#endif
