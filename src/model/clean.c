#include "model/clean.h"

#include "base/interval.h"
#include "base/num.h"
#include "model/optrace.h"

static const enum az_kind device_kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
#define KINDS 3 /* of them have a place on a stream: all but graph rows */

/* ---- impossible times ---- */
/* From the first start after tick 0 to the last end, of host and device; lo > hi: nothing. */
static struct az_span recording(const struct az_trace *t)
{
    struct az_span s = { INT64_MAX, INT64_MIN };
    for (size_t k = 0; k < AZ_KIND_COUNT; k++) {
        const struct az_events *e = &t->ev[k];
        size_t i = 0;
        while (i < e->n && e->start[i] <= 0)
            i++;
        if (i < e->n && e->start[i] < s.start)
            s.start = e->start[i];
        for (; i < e->n; i++)
            s.end = e->end[i] > s.end ? e->end[i] : s.end;
    }
    return s;
}

/* An event at tick 0 with a length: can it be that the clock began with the recording? Then the
 * rest of it is near. */
static bool begins_recording(const struct az_span *rest, int64_t end)
{
    if (end == 0 || rest->start > rest->end)
        return end > 0;
    const int64_t length = rest->end - rest->start;
    return end <= rest->start ? rest->start - end <= az_add_sat(length, end)
                              : rest->start <= length;
}

static int leave_out(struct az_trace *t, enum az_kind k)
{
    const struct az_events *e = &t->ev[k];
    size_t n = 0, removed = 0;
    while (n < e->n && e->start[n] <= 0)
        n++;
    if (n == 0)
        return 0;
    uint8_t *gone = az_mem_alloc(t->mem, n);
    if (!gone)
        return az_mem_error(t->mem);
    const struct az_span rest = recording(t);
    for (size_t i = 0; i < n; i++) {
        gone[i] = e->start[i] < 0 || !begins_recording(&rest, e->end[i]);
        removed += gone[i];
        if (gone[i])
            az_trace_impossible(t, k, e->start[i], e->end[i]);
    }
    az_trace_remove_first(t, k, gone, n);
    t->kept -= t->kept < removed ? t->kept : removed;
    az_mem_free(t->mem, gone, n);
    return 0;
}

/* ---- overlap in a stream ---- */
struct stream {        /* a lane, seen from the end of the recording */
    int64_t start;     /* of the event seen last */
    int64_t next;      /* the first later start */
    int64_t ends;      /* the earliest end of events that start later than `start` */
    int64_t ends_here; /* of those that start at `start` */
};
struct overlap {
    struct az_trace *t;
    struct stream *lane;
    int64_t slack; /* ticks */
    size_t found;
    bool clips;             /* else only counted */
    struct az_map launches; /* (process, correlation id) -> events of the launch */
};

static uint64_t corr_of(const struct az_events *e, size_t row)
{
    return e->cols & AZ_COL_CORR ? e->corr[row] : 0;
}

static bool is_node(const struct overlap *o, const struct az_events *e, size_t row)
{
    const struct az_trace *t = o->t;
    const bool framework = t->ext_ops && (t->ext_ops->caps & AZ_CAP_CALLTREE);
    if (!t->ext_ops && (e->cols & AZ_COL_NODE) && e->node[row])
        return true;
    if (framework && (e->cols & AZ_COL_UID) &&
        az_optrace_graph_node(az_optrace(t), e->uid[row]) != 0)
        return true;
    const uint64_t corr = corr_of(e, row);
    const uint32_t n = az_map_get(&o->launches, t->lanes.v[e->lane[row]].proc, corr);
    return corr != 0 && n != AZ_NO_ID && n > 1;
}

static void clip_event(struct overlap *o, struct az_events *e, size_t row, int64_t at)
{
    o->t->quality.clipped++;
    o->t->quality.clipped_ticks = az_add_sat(o->t->quality.clipped_ticks, e->end[row] - at);
    e->end[row] = at;
}

/* The event before the one seen last. */
static void check_pair(struct overlap *o, struct az_events *e, size_t row)
{
    const int64_t start = e->start[row], end = e->end[row];
    if (e->lane[row] >= o->t->lanes.n || (o->clips && is_node(o, e, row)))
        return;
    struct stream *s = &o->lane[e->lane[row]];
    if (start < s->start) {
        s->ends = s->ends_here < s->ends ? s->ends_here : s->ends;
        s->next = s->start;
        s->start = start;
        s->ends_here = end;
    } else if (end < s->ends_here) {
        s->ends_here = end;
    }
    if (end <= s->ends || end - s->ends <= o->slack)
        return;
    o->found++;
    if (o->clips)
        clip_event(o, e, row, s->next);
}

/* All events of the kinds that are in order, the last to start first. */
static void sweep(struct overlap *o)
{
    struct az_trace *t = o->t;
    size_t left[KINDS];
    for (size_t k = 0; k < KINDS; k++)
        left[k] = t->in_order & (1u << device_kinds[k]) ? t->ev[device_kinds[k]].n : 0;
    for (size_t i = 0; i < t->lanes.n; i++)
        o->lane[i] = (struct stream){ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };
    for (;;) {
        size_t at = KINDS;
        int64_t latest = INT64_MIN;
        for (size_t k = 0; k < KINDS; k++) {
            if (left[k] == 0 || t->ev[device_kinds[k]].start[left[k] - 1] < latest)
                continue;
            at = k;
            latest = t->ev[device_kinds[k]].start[left[k] - 1];
        }
        if (at == KINDS)
            return;
        check_pair(o, &t->ev[device_kinds[at]], --left[at]);
    }
}

static int count_launches(struct overlap *o)
{
    const struct az_trace *t = o->t;
    int rc = 0;
    for (size_t k = 0; k < AZ_LENGTH(device_kinds); k++) {
        const struct az_events *e = &t->ev[device_kinds[k]];
        for (size_t i = 0; rc == 0 && i < e->n; i++) {
            uint32_t *n;
            bool added;
            rc =
                az_map_put(&o->launches, t->lanes.v[e->lane[i]].proc, corr_of(e, i), 0, &n, &added);
            if (rc == 0)
                *n += *n < AZ_NO_ID - 1;
        }
    }
    return rc;
}

static int clip_overlap(struct az_trace *t)
{
    struct overlap o = { .t = t, .slack = 1000 * t->ticks_per_ns };
    const size_t bytes = (t->lanes.n + 1) * sizeof *o.lane;
    o.lane = az_mem_alloc(t->mem, bytes);
    if (!o.lane)
        return az_mem_error(t->mem);
    sweep(&o);
    int rc = 0;
    if (o.found) {
        az_map_init(&o.launches, t->mem, 1024);
        rc = count_launches(&o);
        o.clips = true;
        if (rc == 0)
            sweep(&o);
        az_map_release(&o.launches);
    }
    az_mem_free(t->mem, o.lane, bytes);
    return rc;
}

int az_trace_clean(struct az_trace *t)
{
    t->quality.device_events = t->quality.impossible;
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_OPREPORT))
        return 0; /* rows of a table, not times of a clock */
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(device_kinds); k++) {
        t->quality.device_events += t->ev[device_kinds[k]].n;
        rc = t->relative ? 0 : leave_out(t, device_kinds[k]);
    }
    return rc ? rc : clip_overlap(t);
}
