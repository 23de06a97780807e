/* Iterations of a loop without annotations: calls of one caller whose names repeat, as TraceLens
 * finds the steps of a trace without marks of a serving engine (docs/from-tracelens-programs.md).
 */
#ifndef AZ_FORMATS_PYTORCH_LOOP_H
#define AZ_FORMATS_PYTORCH_LOOP_H

#include "formats/pytorch/pytorch.h"
#include "formats/pytorch/pytorch_steps.h"

struct az_pytorch_call { /* a span of the host */
    int64_t start, end;  /* ns */
    uint64_t pid, tid;
    uint64_t corr;   /* AZ_PYTORCH_NO_CORR: none */
    uint32_t name;   /* of the reader */
    uint32_t parent; /* AZ_NO_ROW: an outermost call of its thread */
    bool launches;   /* it has device work, or a call inside it */
    bool frame;      /* of Python */
};
#define AZ_PYTORCH_NO_CORR UINT64_MAX
AZ_VEC(struct az_pytorch_call, az_pytorch_calls);

struct az_pytorch_loop {
    struct az_pytorch_calls calls;
    struct az_vec_u64 device_ids; /* correlation ids of device work */
    uint32_t caller;              /* of the iterations: a name; AZ_NO_ROW: outermost calls */
    uint32_t length;              /* calls of an iteration; 0: nothing repeats */
};
void az_pytorch_loop_init(struct az_pytorch_loop *l, struct az_mem *mem);
void az_pytorch_loop_release(struct az_pytorch_loop *l);

/* Stores an event if it is a call (operators, runtime and driver calls, Python frames) or the
 * device work of one; end: of the event. */
int az_pytorch_loop_add(struct az_pytorch_loop *l, struct az_pytorch_reader *r,
                        const struct az_pytorch_event *e, int64_t end) AZ_MUST_USE;

/* Adds the iterations as steps without a name. Callers with device work are searched from the
 * outermost inward, by start; the first one decides of whose calls a sequence of at most
 * AZ_PYTORCH_LOOP_LONGEST names occurs three times or more in a row, which is more than half of
 * its calls from there on. If there is none, outermost calls of a thread are searched in the same
 * way. Nothing repeats: no step. */
#define AZ_PYTORCH_LOOP_LONGEST 4096
int az_pytorch_loop_find(struct az_pytorch_loop *l, struct az_pytorch_step_list *out) AZ_MUST_USE;

#endif
