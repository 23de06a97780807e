/* Counters that a profiler sampled while the program ran: clocks, power, use of
 * memory and units. A sample is valid from its time to that of the next one of its counter; the
 * last one of a counter has no length. */
#ifndef AZ_MODEL_SAMPLES_H
#define AZ_MODEL_SAMPLES_H

#include <math.h>

#include "base/intern.h"

struct az_trace;

/* One counter of one device. */
struct az_sampled {
    uint32_t name;  /* name id of the trace */
    int64_t device; /* -1: of none, or not recorded */
    uint32_t first; /* of a sealed trace: its run of rows, by time */
    uint32_t n;
};
AZ_VEC(struct az_sampled, az_sampled_rows);

struct az_sample {
    int64_t at; /* ticks */
    double value;
    uint32_t counter; /* index of az_sampled */
};
AZ_VEC(struct az_sample, az_sample_rows);

struct az_samples {
    struct az_sampled_rows counters; /* in order of first appearance */
    struct az_sample_rows rows;
    struct az_map counter_of; /* (name, device) -> index */
};
void az_samples_init(struct az_samples *s, struct az_mem *mem);
void az_samples_release(struct az_samples *s);

/* Adds a sample to a trace that is not sealed. One that is no finite number, or whose time is
 * beyond AZ_TIME_MAX, is counted as dropped and not added: 0. AZ_ENOMEM, AZ_ELIMIT; AZ_ERANGE
 * beyond 2^32 - 2 samples. */
int az_trace_sample(struct az_trace *t, uint32_t name, int64_t device, int64_t at,
                    double value) AZ_MUST_USE;
/* By counter, then time; samples of one time in the order in which they were added. Called by
 * az_trace_finalize. */
int az_samples_seal(struct az_samples *s, struct az_mem *mem) AZ_MUST_USE;

/* What a counter was within [from, to]. */
struct az_sample_sum {
    double area;        /* value times ticks, added up over the ticks that samples cover */
    int64_t ticks;      /* of these */
    double least, most; /* of the values that were valid there; of a window without any NaN */
};
/* Adds the window to *sum, which begins as AZ_SAMPLE_SUM. A sample that is valid at `from` or
 * begins within the window counts; a window of no length has the value that was valid then, and no
 * ticks. *near: where the last window of the counter was, 0 at first; windows that follow each
 * other are found without a search. */
#define AZ_SAMPLE_SUM ((struct az_sample_sum){ 0, 0, NAN, NAN })
void az_sample_add(const struct az_samples *s, uint32_t counter, int64_t from, int64_t to,
                   uint32_t *near, struct az_sample_sum *sum);
/* Mean by time; NaN where no sample covers any. */
static inline double az_sample_mean(const struct az_sample_sum *s)
{
    return s->ticks > 0 ? s->area / (double)s->ticks : NAN;
}

#endif
