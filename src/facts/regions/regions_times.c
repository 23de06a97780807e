/* Exposed communication by region, and idle time inside instances: one pass over the device work in
 * order of start, then one over its communication. */
#include "base/sort.h"
#include "facts/account.h"
#include "facts/regions/regions_internal.h"
#include "model/window.h"

struct gap_sum {      /* of one device, by end */
    int64_t end, sum; /* sum: of the gaps up to this one */
};
AZ_VEC(struct gap_sum, gap_sums);
struct device_work {
    struct az_spans compute;
    struct gap_sums gaps;
    int64_t end;  /* of the work so far; INT64_MIN: none */
    size_t at;    /* first span of computation that may touch what comes */
    int64_t seen; /* up to where communication was checked */
};
#define OTHER_REGION (AZ_NO_ID - 1) /* outside the window: exposed at no region's cost */
struct comm_event {
    int64_t start, end;
    uint32_t slot, region;
};
AZ_VEC(struct comm_event, comm_events);

struct timing {
    struct az_region_search *s;
    struct az_devices_of devices;
    struct device_work *of;
    struct comm_events comm;
    const struct az_counted *counted;
    size_t other; /* next of the trace's window_others */
};

/* Time between the parts of a window is no gap. */
static inline int add_gap(const struct az_trace *t, struct device_work *d, int64_t start,
                          int64_t end)
{
    int rc = AZ_OK;
    if (d->end != INT64_MIN && start > d->end) {
        const int64_t before = d->gaps.n ? d->gaps.v[d->gaps.n - 1].sum : 0,
                      between = t->window_work.n ? az_window_between(t, d->end, start) : 0,
                      idle = start - d->end - between;
        rc = az_vec_push(&d->gaps, ((struct gap_sum){ start, before + idle }));
    }
    d->end = end > d->end ? end : d->end;
    return rc;
}

static inline int add_compute(struct az_spans *c, int64_t start, int64_t end)
{
    struct az_span *last = c->n ? &c->v[c->n - 1] : NULL;
    if (!last || start > last->end)
        return az_vec_push(c, ((struct az_span){ start, end }));
    last->end = end > last->end ? end : last->end;
    return AZ_OK;
}

static inline int add_work(struct timing *x, uint32_t slot, enum az_part part, int64_t start,
                           int64_t end)
{
    struct device_work *d = &x->of[slot];
    int rc = add_gap(x->s->t, d, start, end);
    return rc == 0 && part == AZ_PART_COMPUTE ? add_compute(&d->compute, start, end) : rc;
}

static inline int add_event(struct timing *x, enum az_kind kind, size_t row)
{
    const struct az_events *e = &x->s->t->ev[kind];
    const uint32_t slot = x->devices.slot_of_lane.v[e->lane[row]];
    const int64_t start = e->start[row], end = e->end[row];
    const enum az_part part = az_part_of(x->s->job, x->s->trace, kind, e->name[row]);
    int rc = add_work(x, slot, part, start, end);
    if (rc == 0 && part == AZ_PART_COMM)
        rc = az_vec_push(&x->comm, ((struct comm_event){ start, end, slot, x->s->of[kind][row] }));
    return rc;
}

/* Work outside the window that runs next to it: up to a time. Its communication is of no region. */
static int add_others(struct timing *x, int64_t until)
{
    const struct az_other_works *others = &x->s->t->window_others;
    int rc = AZ_OK;
    for (; rc == 0 && x->other < others->n && others->v[x->other].start <= until; x->other++) {
        const struct az_other_work *o = &others->v[x->other];
        const uint32_t slot = x->devices.slot_of_lane.v[o->lane];
        const enum az_part part =
            az_part_of(x->s->job, x->s->trace, (enum az_kind)o->kind, o->name);
        if (slot == AZ_NO_ID)
            continue;
        rc = add_work(x, slot, part, o->start, o->end);
        if (rc == 0 && part == AZ_PART_COMM)
            rc = az_vec_push(&x->comm,
                             ((struct comm_event){ o->start, o->end, slot, OTHER_REGION }));
    }
    return rc;
}

static int list_work(struct timing *x)
{
    const bool others = x->s->t->window_others.n > 0;
    struct az_sweep w = { .t = x->s->t };
    enum az_kind kind;
    size_t row, to;
    int rc = AZ_OK;
    while (rc == 0 && az_sweep_rows(&w, &kind, &row, &to)) {
        const uint8_t *skip = x->counted->skip[kind];
        const int64_t *start = x->s->t->ev[kind].start;
        for (; rc == 0 && row < to; row++) {
            if (skip && skip[row])
                continue;
            if (others)
                rc = add_others(x, start[row]);
            if (rc == 0)
                rc = add_event(x, kind, row);
        }
    }
    return rc ? rc : add_others(x, INT64_MAX);
}

/* ---- exposed communication ---- */

/* Time of [start, end) without computation; starts do not fall. */
static int64_t exposed_of(struct device_work *d, int64_t start, int64_t end)
{
    int64_t left = end - start;
    while (d->at < d->compute.n && d->compute.v[d->at].end <= start)
        d->at++;
    for (size_t i = d->at; i < d->compute.n && d->compute.v[i].start < end; i++) {
        const struct az_span *c = &d->compute.v[i];
        left -= (c->end < end ? c->end : end) - (c->start > start ? c->start : start);
    }
    return left;
}

/* Of communication that runs at the same time the first to begin is the one that is exposed. */
static void sum_exposed(struct timing *x)
{
    for (size_t i = 0; i < x->comm.n; i++) {
        const struct comm_event *e = &x->comm.v[i];
        struct device_work *d = &x->of[e->slot];
        const int64_t start = e->start > d->seen ? e->start : d->seen;
        if (e->end <= start)
            continue;
        d->seen = e->end;
        if (e->region != OTHER_REGION)
            az_regions_sums(x->s, e->region)->exposed_comm += exposed_of(d, start, e->end);
    }
}

/* ---- idle time ---- */

/* Gaps that end by a time. */
static int64_t idle_until(const struct gap_sums *v, int64_t at)
{
    const size_t lo = AZ_UPPER_BY(v->v, v->n, end, at);
    return lo ? v->v[lo - 1].sum : 0;
}

/* The work of an instance is also that of the ones around it, which come before it. */
static void pass_up(struct az_region_search *s)
{
    struct az_instance *v = s->instances.v;
    for (size_t i = s->instances.n; i-- > 0;) {
        if (v[i].up == AZ_NO_ID || v[i].slot == -1)
            continue;
        struct az_instance *up = &v[v[i].up];
        up->first = v[i].first < up->first ? v[i].first : up->first;
        up->last = v[i].last > up->last ? v[i].last : up->last;
        up->slot = up->slot == -1 || up->slot == v[i].slot ? v[i].slot : -2;
    }
}

/* Ticks without work of the device of an instance, which has one. */
static int64_t idle_in(const struct timing *x, const struct az_instance *a)
{
    const struct gap_sums *gaps = &x->of[a->slot].gaps;
    return idle_until(gaps, a->last) - idle_until(gaps, a->first);
}

static int list_works(struct timing *x)
{
    struct az_region_search *s = x->s;
    size_t n = 0;
    for (size_t i = 0; i < s->instances.n; i++) {
        const struct az_instance *a = &s->instances.v[i];
        n += a->region != AZ_NO_ID && a->slot >= 0 && idle_in(x, a) > 0;
    }
    struct az_region_span *v = az_arena_array(s->job->arena, n + 1, sizeof *v);
    if (!v)
        return az_arena_error(s->job->arena);
    n = 0;
    for (size_t i = 0; i < s->instances.n; i++) {
        const struct az_instance *a = &s->instances.v[i];
        if (a->region != AZ_NO_ID && a->slot >= 0 && idle_in(x, a) > 0)
            v[n++] = (struct az_region_span){ a->region, (uint32_t)a->slot, a->first, a->last };
    }
    s->out->works = v;
    s->out->n_works = n;
    return AZ_OK;
}

static void sum_idle(struct timing *x)
{
    struct az_region_search *s = x->s;
    for (size_t i = 0; i < s->regions.n; i++)
        s->regions.v[i].idle = -1;
    for (size_t i = 0; i < s->instances.n; i++) {
        const struct az_instance *a = &s->instances.v[i];
        if (a->region == AZ_NO_ID || a->slot == -1)
            continue;
        int64_t *idle = &s->regions.v[a->region].idle;
        if (a->slot == -2)
            *idle = INT64_MIN;
        if (*idle == INT64_MIN)
            continue;
        *idle = (*idle < 0 ? 0 : *idle) + idle_in(x, a);
    }
    for (size_t i = 0; i < s->regions.n; i++)
        if (s->regions.v[i].idle < 0)
            s->regions.v[i].idle = -1;
}

static int open_timing(struct timing *x, size_t bytes)
{
    int rc;
    x->counted = az_job_counted(x->s->job, x->s->trace, AZ_ALL_WORK, &rc);
    if (rc)
        return rc;
    x->of = az_mem_alloc(x->s->job->mem, bytes);
    if (!x->of)
        return az_mem_error(x->s->job->mem);
    for (size_t i = 0; i < x->devices.slots.n; i++) {
        x->of[i] = (struct device_work){ .end = INT64_MIN, .seen = INT64_MIN };
        az_vec_init(&x->of[i].compute, x->s->job->mem);
        az_vec_init(&x->of[i].gaps, x->s->job->mem);
    }
    return AZ_OK;
}

int az_regions_measure(struct az_region_search *s)
{
    struct timing x = { .s = s };
    az_vec_init(&x.comm, s->job->mem);
    int rc = az_devices_make(&x.devices, s->t, AZ_BY_DEVICE, s->job->mem);
    const size_t bytes = (x.devices.slots.n + 1) * sizeof *x.of;
    if (rc == 0)
        rc = open_timing(&x, bytes);
    if (rc == 0)
        rc = list_work(&x);
    if (rc == 0) {
        sum_exposed(&x);
        pass_up(s);
        sum_idle(&x);
        rc = list_works(&x);
    }
    for (size_t i = 0; x.of && i < x.devices.slots.n; i++) {
        az_vec_release(&x.of[i].compute);
        az_vec_release(&x.of[i].gaps);
    }
    az_mem_free(s->job->mem, x.of, bytes);
    az_vec_release(&x.comm);
    az_devices_release(&x.devices);
    return rc;
}
