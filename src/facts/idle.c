/* Idle gaps of a trace in one pass over its device work. */
#include "facts/idle.h"

struct last { /* by slot */
    int64_t end;
    uint32_t op;
    size_t other; /* first of the trace's window_others that may be in a gap to come */
    bool any;
};

struct gaps {
    const struct az_trace *t;
    const struct az_devices_of *dev;
    struct last *last;
    az_idle_each *each;
    void *ctx;
};

/* A gap without the work outside the window in it. Gaps of a slot come by start: what ended before
 * one is over for the next. */
static int cut_gap(struct gaps *g, struct az_idle_gap gap)
{
    const struct az_other_works *others = &g->t->window_others;
    const int64_t end = gap.end;
    size_t *from = &g->last[gap.slot].other;
    int rc = AZ_OK;
    while (*from < others->n && (g->dev->slot_of_lane.v[others->v[*from].lane] != gap.slot ||
                                 others->v[*from].end <= gap.start))
        (*from)++;
    for (size_t i = *from; rc == 0 && i < others->n && others->v[i].start < end; i++) {
        const struct az_other_work *x = &others->v[i];
        if (g->dev->slot_of_lane.v[x->lane] != gap.slot || x->end <= gap.start)
            continue;
        gap.end = x->start;
        if (gap.end > gap.start)
            rc = g->each(g->ctx, &gap);
        gap.start = x->end;
    }
    gap.end = end;
    return rc == 0 && gap.end > gap.start ? g->each(g->ctx, &gap) : rc;
}

/* As far as it is in the window, of which it may span several parts. */
static int take_gap(struct gaps *g, const struct az_idle_gap *gap)
{
    const struct az_spans *parts = &g->t->window_work;
    int rc = AZ_OK;
    if (!parts->n)
        return g->each(g->ctx, gap);
    for (size_t i = 0; rc == 0 && i < parts->n && parts->v[i].start < gap->end; i++) {
        struct az_idle_gap piece = *gap;
        piece.start = gap->start > parts->v[i].start ? gap->start : parts->v[i].start;
        piece.end = gap->end < parts->v[i].end ? gap->end : parts->v[i].end;
        if (piece.start < piece.end)
            rc = cut_gap(g, piece);
    }
    return rc;
}

static int sweep(struct az_job *job, size_t trace, struct gaps *g)
{
    const struct az_trace *t = g->t;
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
            const uint32_t slot = g->dev->slot_of_lane.v[e->lane[row]], op = az_op_word(kind, row);
            const int64_t start = e->start[row], end = e->end[row];
            struct last *l = &g->last[slot];
            if (l->any && start > l->end)
                rc = take_gap(g, &(struct az_idle_gap){ l->end, start, l->op, op, slot });
            if (!l->any || end >= l->end)
                *l = (struct last){ end, op, l->other, true };
        }
    }
    return rc;
}

int az_idle_gaps_of(struct az_job *job, size_t trace, const struct az_devices_of *devices,
                    az_idle_each *each, void *ctx)
{
    struct gaps g = { .t = job->traces[trace], .dev = devices, .each = each, .ctx = ctx };
    const size_t bytes = (devices->slots.n + 1) * sizeof *g.last;
    g.last = az_mem_alloc(job->mem, bytes);
    if (!g.last)
        return az_mem_error(job->mem);
    memset(g.last, 0, bytes);
    const int rc = sweep(job, trace, &g);
    az_mem_free(job->mem, g.last, bytes);
    return rc;
}

int az_idle_gaps(struct az_job *job, size_t trace, az_idle_each *each, void *ctx)
{
    struct az_devices_of devices;
    int rc = az_devices_make(&devices, job->traces[trace], AZ_BY_DEVICE, job->mem);
    if (rc == 0)
        rc = az_idle_gaps_of(job, trace, &devices, each, ctx);
    az_devices_release(&devices);
    return rc;
}
