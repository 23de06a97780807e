/* Idle gaps of a trace in one pass over its device work. */
#include "facts/idle.h"
#include "model/window.h"

struct last { /* by slot */
    int64_t end;
    uint32_t op;
    bool any;
};

static int sweep(struct az_job *job, size_t trace, const struct az_devices_of *dev,
                 struct last *last, az_idle_each *each, void *ctx)
{
    const struct az_trace *t = job->traces[trace];
    struct az_sweep s = { .t = t };
    enum az_kind kind;
    size_t row, to;
    int rc;
    const struct az_counted *c = az_job_counted(job, trace, AZ_ALL_WORK, &rc);
    while (c && rc == 0 && az_sweep_rows(&s, &kind, &row, &to)) {
        const struct az_events *e = &t->ev[kind];
        const uint8_t *skip = c->skip[kind];
        for (; rc == 0 && row < to; row++) {
            if (skip && skip[row])
                continue;
            const uint32_t slot = dev->slot_of_lane.v[e->lane[row]], op = az_op_word(kind, row);
            const int64_t start = e->start[row], end = e->end[row];
            struct last *l = &last[slot];
            if (l->any && start > l->end && az_window_between(t, l->end, start) < start - l->end)
                rc = each(ctx, &(struct az_idle_gap){ l->end, start, l->op, op, slot });
            if (!l->any || end >= l->end)
                *l = (struct last){ end, op, true };
        }
    }
    return rc;
}

int az_idle_gaps(struct az_job *job, size_t trace, az_idle_each *each, void *ctx)
{
    struct az_devices_of dev;
    int rc = az_devices_make(&dev, job->traces[trace], AZ_BY_DEVICE, job->mem);
    const size_t bytes = (dev.slots.n + 1) * sizeof(struct last);
    struct last *last = rc == 0 ? az_mem_alloc(job->mem, bytes) : NULL;
    if (rc == 0 && !last)
        rc = az_mem_error(job->mem);
    if (last) {
        memset(last, 0, bytes);
        rc = sweep(job, trace, &dev, last, each, ctx);
    }
    az_mem_free(job->mem, last, last ? bytes : 0);
    az_devices_release(&dev);
    return rc;
}
