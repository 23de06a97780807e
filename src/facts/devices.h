/* Device operations of a trace in start order, and which device each is on. Private to the analyses
 * of device time. */
#ifndef AZ_FACTS_DEVICES_H
#define AZ_FACTS_DEVICES_H

#include "base/interval.h"
#include "facts/lazy_cache.h"

struct az_device_slot {
    int64_t device;
    uint64_t pid;  /* 0: unknown */
    uint64_t proc; /* AZ_BY_PROCESS: the process it is seen from */
};
AZ_VEC(struct az_device_slot, az_device_slots);

struct az_devices_of {              /* of one trace */
    struct az_vec_u32 slot_of_lane; /* lane -> slot; AZ_NO_ID for lanes without device operations */
    struct az_device_slots slots;   /* by device number, then process */
};
enum az_devices_by { AZ_BY_DEVICE, AZ_BY_PROCESS };

int az_devices_make(struct az_devices_of *d, const struct az_trace *t, enum az_devices_by by,
                    struct az_mem *mem) AZ_MUST_USE;
void az_devices_release(struct az_devices_of *d);

/* Kernels, copies, fills and graph rows of a sealed trace merged by start; of equal starts in that
 * order of kinds. */
struct az_sweep {
    const struct az_trace *t;
    size_t at[4];
    /* az_sweep_next's own: the run of one kind, and the next one */
    uint32_t kind;
    size_t until, run;
};
static inline bool az_sweep_run(struct az_sweep *s) /* az_sweep_next's own */
{
    if (s->run >= s->t->runs.n)
        return false;
    const uint32_t run = s->t->runs.v[s->run++];
    s->kind = run & 3;
    s->until = s->at[s->kind] + (run >> 2);
    return true;
}
/* Next operation as az_op_code/az_op_row word; false at the end. */
static inline bool az_sweep_next(struct az_sweep *s, uint32_t *op)
{
    if (s->at[s->kind] >= s->until && !az_sweep_run(s))
        return false;
    *op = az_op_word(s->kind, s->at[s->kind]++);
    return true;
}

/* The next operations of one kind, rows *from to *to - 1, which come before any of another. */
static inline bool az_sweep_rows(struct az_sweep *s, enum az_kind *kind, size_t *from, size_t *to)
{
    if (s->at[s->kind] >= s->until && !az_sweep_run(s))
        return false;
    *kind = (enum az_kind)s->kind;
    *from = s->at[s->kind];
    *to = s->at[s->kind] = s->until;
    return true;
}

/* The part of a merged list that can touch [lo, hi]: a view, not to be released. */
struct az_spans az_spans_window(const struct az_spans *s, int64_t lo, int64_t hi);

#endif
