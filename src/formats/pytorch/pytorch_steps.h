/* Steps of a serving engine in a PyTorch trace, or the iterations of a loop, and the events of some
 * of them as a trace of their own: spans of the step's thread inside it, and arrows and device work
 * of the calls among them. The trace is read twice, without marks three times; what is kept is in
 * memory. */
#ifndef AZ_FORMATS_PYTORCH_STEPS_H
#define AZ_FORMATS_PYTORCH_STEPS_H

#include "base/diag.h"
#include "classify/engine_counts.h"
#include "model/options.h"

struct az_pytorch_step {
    struct az_sv name; /* of the annotation */
    struct az_engine_counts counts;
    uint64_t pid, tid;
    int64_t start, end; /* ns */
    bool named;         /* by an annotation of an engine */
};
AZ_VEC(struct az_pytorch_step, az_pytorch_step_list);

struct az_pytorch_steps;
struct az_pytorch_steps_opts {
    const char *path; /* a regular file */
    const struct az_options *opts;
    struct az_mem *mem;
    struct az_diag *diag;
    bool (*cancelled)(void); /* polled; NULL: never */
};
/* Finds the steps: annotations of the best grammar (classify/engine_counts.h) that occurs, by
 * start; without any the iterations of a loop (pytorch_loop.h). None: an empty list. Errors of
 * reading with a message. */
int az_pytorch_steps_open(struct az_pytorch_steps **out,
                          const struct az_pytorch_steps_opts *opts) AZ_MUST_USE;
const struct az_pytorch_step_list *az_pytorch_steps_of(const struct az_pytorch_steps *s);
/* Calls of an iteration where the steps are those of a loop, else 0; caller: whose calls they are,
 * empty for outermost calls. */
size_t az_pytorch_steps_loop(const struct az_pytorch_steps *s, struct az_sv *caller);
void az_pytorch_steps_close(struct az_pytorch_steps *s);

/* Reads the events of steps [from, to), before any is written. */
int az_pytorch_steps_read(struct az_pytorch_steps *s, size_t from, size_t to) AZ_MUST_USE;

struct az_pytorch_steps_sum {
    uint64_t events, device_events;
    int64_t device_span, device_time; /* ns: sums over the steps of the span of their device work,
                                         and of its durations */
};
/* Writes these steps, which were read, in the order of the file; compressed. */
int az_pytorch_steps_write(const struct az_pytorch_steps *s, const size_t *step, size_t n,
                           const char *out, struct az_pytorch_steps_sum *sum) AZ_MUST_USE;

#endif
