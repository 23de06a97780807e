/* One rank's trace reduced to its collectives and to when other kernels ran at the same time as
 * them. */
#include "analyses/collectives/path.h"
#include "base/intern.h"
#include "base/sort.h"
#include "facts/lazy_cache.h"
#include "model/optrace.h"

enum { COLLECTIVE, COMPUTE, OTHER };

AZ_VEC(struct az_coll_event, events);
AZ_VEC(struct az_coll_lane_of, lanes);

struct device {
    int64_t id;
    uint32_t lane;   /* of its first collective; AZ_NO_ROW: none yet */
    uint32_t number; /* among those with collectives, by id */
    struct az_spans comm, compute;
};
AZ_VEC(struct device, devices);

struct work {
    struct az_job *job;
    const struct az_trace *t;
    struct az_coll_reader *source;
    const struct az_link *link; /* NULL: calls are not known */
    struct az_sv *given;        /* name id -> collective by its name */
    struct events ev;
    uint32_t *lane; /* lane of the trace -> row of `lanes` + 1; 0: none yet */
    size_t *place;  /* lane of the trace -> place of its device + 1; 0: not known yet */
    struct lanes lanes;
    struct devices devices;
    struct az_map device_at; /* number of a device -> its place */
    struct az_coll_ops ops;  /* all device work; none of a trace that is alone: it has no path over
                                ranks */
    struct az_coll_part *part;
};

static int64_t ns_of_ticks(const struct work *w, int64_t ticks)
{
    return ticks / w->t->ticks_per_ns;
}

/* Computation is what is neither communication nor a copy (docs/formulas-multirank.md 3.3). */
static uint8_t sort_of(struct work *w, enum az_kind kind, uint32_t name)
{
    const enum az_work work = az_trace_work(w->t, kind, name);
    if (work == AZ_WORK_COMPUTE)
        return COMPUTE;
    if (kind != AZ_KERNEL || work != AZ_WORK_COMM)
        return OTHER;
    if (!w->given[name].p && !az_coll_match_pattern(w->job->opts->coll_patterns,
                                                    az_trace_text(w->t, name), &w->given[name]))
        w->given[name] = az_coll_of_class(az_trace_class(w->t, name)->name);
    return COLLECTIVE;
}

static int64_t stream_of(const struct az_trace *t, uint32_t lane)
{
    const struct az_lane *l = &t->lanes.v[lane];
    const uint64_t s = t->caps & AZ_CAP_CALLTREE ? l->context : l->tid;
    return s > INT64_MAX ? -1 : (int64_t)s;
}

static int new_device(struct work *w, uint32_t lane, size_t *place)
{
    const int64_t id = w->t->lanes.v[lane].device;
    uint32_t *at;
    bool added;
    const int rc = az_map_put(&w->device_at, (uint64_t)id, 0, (uint32_t)w->devices.n, &at, &added);
    if (rc)
        return rc;
    *place = *at;
    if (!added)
        return 0;
    struct device d = { .id = id, .lane = AZ_NO_ROW };
    az_vec_init(&d.comm, w->job->mem);
    az_vec_init(&d.compute, w->job->mem);
    return az_vec_push(&w->devices, d);
}

/* Place of a lane's device. */
static int device_of(struct work *w, uint32_t lane, size_t *place)
{
    int rc = 0;
    if (w->place[lane] == 0 && (rc = new_device(w, lane, place)) == 0)
        w->place[lane] = *place + 1;
    *place = w->place[lane] - 1;
    return rc;
}

static int collective(struct work *w, uint32_t row, size_t place)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL];
    struct az_coll_event e = { .start = ns_of_ticks(w, k->start[row]),
                               .end = ns_of_ticks(w, k->end[row]) };
    struct device *d = &w->devices.v[place];
    uint32_t *lane = &w->lane[k->lane[row]];
    int rc = az_coll_source_of(w->source, row, w->given[k->name[row]], &e);
    if (rc == 0 && *lane == 0) {
        rc = az_vec_push(&w->lanes, ((struct az_coll_lane_of){ stream_of(w->t, k->lane[row]),
                                                               (uint32_t)place }));
        *lane = (uint32_t)w->lanes.n;
    }
    if (rc)
        return rc;
    e.lane = *lane - 1;
    d->lane = d->lane == AZ_NO_ROW ? k->lane[row] : d->lane;
    w->part->one_stream &= d->lane == k->lane[row];
    rc = az_vec_push(&d->comm, ((struct az_span){ e.start, e.end }));
    return rc ? rc : az_vec_push(&w->ev, e);
}

static uint8_t family_of(const struct work *w, enum az_kind kind, uint32_t name)
{
    if (kind != AZ_KERNEL)
        return kind == AZ_MEMCPY ? AZ_FAMILY_COPY : AZ_FAMILY_FILL;
    return (uint8_t)az_trace_class(w->t, name)->family;
}

static int64_t launch_of(const struct work *w, enum az_kind kind, uint32_t row)
{
    const uint32_t call = w->link && w->link->call[kind] ? w->link->call[kind][row] : AZ_NO_ROW;
    return call == AZ_NO_ROW ? INT64_MIN : ns_of_ticks(w, w->t->ev[AZ_CALL].start[call]);
}

/* What runs on the device next to collectives, and the collectives. */
static int one_event(struct work *w, enum az_kind kind, uint32_t row)
{
    const struct az_events *k = &w->t->ev[kind];
    const uint8_t sort = sort_of(w, kind, k->name[row]);
    const struct az_coll_op op = { .start = ns_of_ticks(w, k->start[row]),
                                   .end = ns_of_ticks(w, k->end[row]),
                                   .event = sort == COLLECTIVE ? (uint32_t)w->ev.n : AZ_NO_ROW,
                                   .family = family_of(w, kind, k->name[row]),
                                   .launch = launch_of(w, kind, row) };
    size_t place;
    int rc = w->job->alone ? 0 : az_vec_push(&w->ops, op);
    if (rc || sort == OTHER)
        return rc;
    rc = device_of(w, k->lane[row], &place);
    if (rc)
        return rc;
    if (sort == COLLECTIVE)
        return collective(w, row, place);
    return az_vec_push(
        &w->devices.v[place].compute,
        ((struct az_span){ ns_of_ticks(w, k->start[row]), ns_of_ticks(w, k->end[row]) }));
}

static int scan_window(struct work *w)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (enum az_kind kind = AZ_KERNEL; kind <= AZ_MEMSET; kind++) {
        const struct az_events *k = &w->t->ev[kind];
        for (uint32_t i = 0; i < k->n; i++) {
            lo = k->start[i] < lo ? k->start[i] : lo;
            hi = k->end[i] > hi ? k->end[i] : hi;
            int rc = one_event(w, kind, i);
            if (rc)
                return rc;
        }
    }
    w->part->span = hi > lo ? ns_of_ticks(w, hi) - ns_of_ticks(w, lo) : 0;
    return 0;
}

/* Devices with collectives get their numbers in ascending order, whatever came first in time. */
static int number_devices(struct work *w, struct az_arena *keep)
{
    const size_t n = w->devices.n;
    int64_t *id = az_arena_array(keep, n + 1, sizeof *id),
            *ids = az_arena_array(w->job->arena, n + 1, sizeof *ids);
    uint32_t *order = az_arena_array(w->job->arena, n + 1, sizeof *order);
    if (!id || !ids || !order)
        return az_arena_error(id ? w->job->arena : keep);
    for (size_t i = 0; i < n; i++)
        ids[i] = w->devices.v[i].id;
    az_sort_order(ids, n, order, w->job->mem);
    for (size_t i = 0; i < n; i++) {
        struct device *d = &w->devices.v[order[i]];
        d->number = w->part->n_devices; /* how many with collectives are before it */
        if (d->lane != AZ_NO_ROW)
            id[w->part->n_devices++] = d->id;
    }
    for (size_t i = 0; i < w->lanes.n; i++)
        w->lanes.v[i].device = w->devices.v[w->lanes.v[i].device].number;
    w->part->device_id = id;
    return 0;
}

static int overlap_of(struct work *w, struct device *d, struct az_arena *keep,
                      struct az_spans *both)
{
    struct az_coll_busy *b = &w->part->compute[d->number];
    az_spans_sort(&d->comm);
    az_spans_sort(&d->compute);
    az_spans_union(&d->comm);
    az_spans_union(&d->compute);
    w->part->busy += az_spans_length(&d->comm);
    int rc = az_spans_intersect(&d->compute, &d->comm, both);
    if (rc)
        return rc;
    struct az_coll_busy_span *v = az_arena_array(w->job->arena, both->n + 1, sizeof *v);
    if (!v)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < both->n; i++) {
        v[i].start = both->v[i].start;
        v[i + 1].before = v[i].before + both->v[i].end - both->v[i].start;
    }
    w->part->overlap += v[both->n].before;
    return az_coll_busy_set(b, v, both->n, keep, w->job->mem);
}

static int overlap(struct work *w, struct az_arena *keep)
{
    struct az_spans both;
    int rc = 0;
    w->part->compute =
        az_arena_array(keep, (size_t)w->part->n_devices + 1, sizeof *w->part->compute);
    if (!w->part->compute)
        return az_arena_error(keep);
    az_vec_init(&both, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->devices.n; i++)
        if (w->devices.v[i].lane != AZ_NO_ROW)
            rc = overlap_of(w, &w->devices.v[i], keep, &both);
    az_vec_release(&both);
    return rc;
}

/* "ProfilerStep#12" -> 12; -1: no number. */
static int64_t step_number(struct az_sv name)
{
    int64_t n;
    size_t at = name.n;
    while (at > 0 && name.p[at - 1] >= '0' && name.p[at - 1] <= '9')
        at--;
    return az_parse_i64(az_sv_make(name.p + at, name.n - at), &n) == 0 && n >= 0 ? n : -1;
}

static int steps(struct work *w, struct az_arena *keep)
{
    const struct az_events *r = &w->t->ev[AZ_RANGE];
    struct az_coll_part *p = w->part;
    struct az_coll_step *v = NULL;
    for (int pass = 0; pass < 2; pass++) {
        p->n_steps = 0;
        for (size_t i = 0; i < r->n; i++) {
            if (r->name[i] == AZ_NO_ID ||
                !az_sv_starts(az_trace_text(w->t, r->name[i]), AZ_SV("ProfilerStep")))
                continue;
            if (pass)
                v[p->n_steps] =
                    (struct az_coll_step){ ns_of_ticks(w, r->start[i]), ns_of_ticks(w, r->end[i]),
                                           step_number(az_trace_text(w->t, r->name[i])) };
            p->n_steps++;
        }
        if (pass == 0 && !(v = az_arena_array(keep, p->n_steps + 1, sizeof *v)))
            return az_arena_error(keep);
    }
    p->steps = v;
    return 0;
}

static int make_lists(struct work *w, struct az_arena *keep)
{
    const size_t names = w->t->names.text.n + 1;
    w->given = az_arena_array(w->job->arena, names, sizeof *w->given);
    w->lane = az_arena_array(w->job->arena, w->t->lanes.n + 1, sizeof *w->lane);
    w->place = az_arena_array(w->job->arena, w->t->lanes.n + 1, sizeof *w->place);
    int rc = w->given && w->lane && w->place ? 0 : az_arena_error(w->job->arena);
    if (rc == 0 && (w->t->caps & (AZ_CAP_CALLS | AZ_CAP_CALLTREE)))
        w->link = az_job_link(w->job, 0, &rc);
    if (rc == 0)
        rc = scan_window(w);
    if (rc == 0)
        rc = number_devices(w, keep);
    if (rc == 0)
        rc = overlap(w, keep);
    if (rc == 0)
        rc = steps(w, keep);
    if (rc)
        return rc;
    w->part->lane = az_arena_array(keep, w->lanes.n + 1, sizeof *w->part->lane);
    if (!w->part->lane)
        return az_arena_error(keep);
    if (w->lanes.n)
        memcpy(w->part->lane, w->lanes.v, w->lanes.n * sizeof *w->part->lane);
    w->part->n_lanes = w->lanes.n;
    rc = az_coll_part_set_events(w->part, w->ev.v, w->ev.n, keep, w->job->mem);
    if (rc || w->job->alone)
        return rc;
    return az_coll_local_make(w->ops.v, w->ops.n, w->part, w->job->arena, keep, w->job->mem);
}

static bool has_collectives(const struct az_trace *t)
{
    const struct az_events *k = &t->ev[AZ_KERNEL];
    for (size_t i = 0; i < k->n; i++)
        if (az_trace_work(t, AZ_KERNEL, k->name[i]) == AZ_WORK_COMM)
            return true;
    return false;
}

int az_coll_reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    struct work w = { .job = job,
                      .t = job->traces[0],
                      .part = az_arena_alloc(keep, sizeof *w.part) };
    if (!w.part)
        return az_arena_error(keep);
    if (job->opts->disable_coll_analysis ||
        !az_trace_has_activity(w.t)) /* without work it is as good as missing */
        return 0;
    if (job->alone && !has_collectives(w.t)) /* no other rank waits for its work either */
        return 0;
    w.part->one_stream = true;
    az_vec_init(&w.ev, job->mem);
    az_vec_init(&w.lanes, job->mem);
    az_vec_init(&w.ops, job->mem);
    az_vec_init(&w.devices, job->mem);
    az_map_init(&w.device_at, job->mem, 16);
    int rc = az_coll_source_open(&w.source, job, keep);
    if (rc == 0)
        rc = make_lists(&w, keep);
    az_map_release(&w.device_at);
    const int closed = az_coll_source_close(w.source, w.part);
    az_vec_release(&w.ev);
    az_vec_release(&w.lanes);
    az_vec_release(&w.ops);
    for (size_t i = 0; i < w.devices.n; i++) {
        az_vec_release(&w.devices.v[i].comm);
        az_vec_release(&w.devices.v[i].compute);
    }
    az_vec_release(&w.devices);
    if (rc == 0 && closed == 0)
        *part = w.part;
    return rc ? rc : closed;
}
