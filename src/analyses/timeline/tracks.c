/* The tracks of a run (document/tracks.h): lanes of steps, gaps and streams with levels of detail,
 * for reports that draw. Only computed when a report needs them; no table depends on them. */
#include "analyses/timeline/tracks.h"

#include "analyses/registry_list.h"
#include "base/sort.h"
#include "facts/account.h"

#define CLOSER      30 /* percent of the marks: for the part of the run that is shown closer */
#define STEPS_LEAST 3  /* from which one of them is typical */

struct work {
    struct az_job *job;
    struct az_tracks *out;
    size_t trace;
    const struct az_trace *t;
    const struct az_counted *counted;
    const struct az_accounts *accounts;
    struct az_devices_of dev;
    int64_t begin, end;         /* ticks */
    int64_t offset;             /* ns from the begin of the run to that of the trace */
    uint32_t steps, steps_name; /* lane of the steps, AZ_NO_ID: none; the first one's name */
    uint32_t *gaps, *stream;    /* lanes: by slot, AZ_NO_ID: none; by lane of the trace */
    uint32_t others;            /* lane of the devices without one of their own; AZ_NO_ID: none */
    int64_t *busy_to;           /* by slot */
    struct az_vec_u32 *name;    /* number -> name of the tracks + 1 */
    struct az_lod *lod;
    bool counting; /* the first pass: sums of lanes */
    size_t events; /* of it */
};

/* ---- names ---- */
static int add_name(struct work *w, struct az_sv text, enum az_family f, uint32_t *id)
{
    *id = (uint32_t)w->out->names.n;
    az_vec_add(&w->out->names, text);
    az_vec_add(&w->out->families, (uint8_t)f);
    return w->out->names.failed ? az_vec_error(&w->out->names) : az_vec_error(&w->out->families);
}

static int name_of(struct work *w, const struct az_work_event *e, enum az_family f, uint32_t *id)
{
    const uint32_t number = az_job_name(w->job, w->trace, e->name);
    *id = AZ_NO_ID;
    if (number == AZ_NO_ID)
        return 0;
    while (w->name->n <= number) {
        int rc = az_vec_push(w->name, 0);
        if (rc)
            return rc;
    }
    if (w->name->v[number] == 0) {
        int rc = add_name(w, az_job_text(w->job, number), f, id);
        if (rc)
            return rc;
        w->name->v[number] = *id + 1;
    }
    *id = w->name->v[number] - 1;
    return 0;
}

static enum az_family family_of(struct work *w, enum az_kind kind, uint32_t name)
{
    const uint32_t number = az_job_name(w->job, w->trace, name);
    return kind == AZ_MEMCPY                        ? AZ_FAMILY_COPY
           : kind == AZ_MEMSET                      ? AZ_FAMILY_FILL
           : kind == AZ_GRAPH || number == AZ_NO_ID ? AZ_FAMILY_OTHER
                                                    : az_job_family(w->job, number);
}

/* ---- lanes ---- */
static int add_lane(struct work *w, enum az_track_kind kind, int64_t device, int64_t stream,
                    uint32_t *index)
{
    const int64_t rank = w->job->n_traces > 1 ? az_job_rank(w->job, w->trace) : -1;
    *index = (uint32_t)w->out->lanes.n;
    return az_vec_push(
        &w->out->lanes,
        ((struct az_track_lane){ .kind = kind, .rank = rank, .device = device, .stream = stream }));
}

/* A stream of a device: rows of `order` with one device and number. */
static size_t stream_end(const struct work *w, const uint32_t *order, size_t from)
{
    const uint32_t slot = w->dev.slot_of_lane.v[order[from]];
    const uint64_t tid = w->t->lanes.v[order[from]].tid;
    size_t to = from + 1;
    while (to < w->t->lanes.n && w->dev.slot_of_lane.v[order[to]] == slot &&
           w->t->lanes.v[order[to]].tid == tid)
        to++;
    return to;
}

/* The streams of a device, which are the rows of `order` from *at on: `most` of them have a lane,
 * the last of which is that of all others. Without room all are on the lane of other devices. */
static int add_streams(struct work *w, uint32_t slot, size_t most, const uint32_t *order,
                       size_t *at)
{
    uint32_t lane = w->others;
    int rc = 0;
    for (size_t n = 0, to;
         rc == 0 && *at < w->t->lanes.n && w->dev.slot_of_lane.v[order[*at]] == slot; n++) {
        const int64_t tid = (int64_t)(w->t->lanes.v[order[*at]].tid & INT64_MAX);
        to = stream_end(w, order, *at);
        const bool last = to == w->t->lanes.n || w->dev.slot_of_lane.v[order[to]] != slot;
        if (n < most)
            rc = add_lane(w, AZ_TRACK_STREAM, w->dev.slots.v[slot].device,
                          n + 1 < most || last ? tid : -1, &lane);
        for (; *at < to; ++*at)
            w->stream[order[*at]] = lane;
        w->out->streams++;
    }
    return rc;
}

/* Lanes of the trace by device, then number of the stream; those without device work last. */
static int order_lanes(struct work *w, uint32_t *order)
{
    const size_t n = w->t->lanes.n;
    int64_t *key = az_arena_array(w->job->arena, n + 1, sizeof *key);
    if (!key)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < n; i++)
        key[i] = (int64_t)(w->t->lanes.v[i].tid ^ (uint64_t)INT64_MIN);
    az_sort_order(key, n, order, w->job->mem);
    for (size_t i = 0; i < n; i++)
        key[i] = w->dev.slot_of_lane.v[i];
    az_sort_by(key, order, n, w->job->mem);
    return 0;
}

/* The gaps and streams of a device; beyond AZ_TRACK_LANES_MOST lanes devices share one. */
static int add_device(struct work *w, uint32_t slot, size_t most, const uint32_t *order, size_t *at)
{
    const size_t left = AZ_TRACK_LANES_MOST - w->out->lanes.n;
    int rc = 0;
    w->gaps[slot] = AZ_NO_ID;
    w->out->devices++;
    if (w->others == AZ_NO_ID && left > most + 1)
        rc = add_lane(w, AZ_TRACK_GAPS, w->dev.slots.v[slot].device, -1, &w->gaps[slot]);
    else if (w->others == AZ_NO_ID)
        rc = add_lane(w, AZ_TRACK_STREAM, AZ_TRACK_OTHER_DEVICES, -1, &w->others);
    return rc ? rc : add_streams(w, slot, w->others == AZ_NO_ID ? most : 0, order, at);
}

static int add_lanes(struct work *w)
{
    const size_t most = AZ_TRACK_LANES / (w->dev.slots.n * w->job->n_traces + 1);
    uint32_t *order = az_arena_array(w->job->arena, w->t->lanes.n + 1, sizeof *order);
    size_t at = 0;
    w->gaps = az_arena_array(w->job->arena, w->dev.slots.n + 1, sizeof *w->gaps);
    w->busy_to = az_arena_array(w->job->arena, w->dev.slots.n + 1, sizeof *w->busy_to);
    w->stream = az_arena_array(w->job->arena, w->t->lanes.n + 1, sizeof *w->stream);
    if (!order || !w->gaps || !w->busy_to || !w->stream)
        return az_arena_error(w->job->arena);
    int rc = order_lanes(w, order);
    w->steps = w->others = AZ_NO_ID;
    if (rc == 0 && w->accounts->n_steps)
        rc = add_lane(w, AZ_TRACK_STEPS, -1, -1, &w->steps);
    for (uint32_t s = 0; rc == 0 && s < w->dev.slots.n; s++)
        rc = add_device(w, s, most ? most : 1, order, &at);
    return rc;
}

/* ---- events ---- */
static int put_mark(struct work *w, uint32_t lane, int64_t start, int64_t end, uint32_t name,
                    enum az_family f)
{
    const int64_t at = w->offset + az_ns(w->t, start - w->begin);
    const struct az_track_mark m = { .start = at,
                                     .duration = w->offset + az_ns(w->t, end - w->begin) - at,
                                     .busy = az_ns(w->t, end - start),
                                     .lane = lane,
                                     .name = name,
                                     .count = 1,
                                     .family = (uint8_t)f };
    struct az_track_lane *l = &w->out->lanes.v[lane];
    if (!w->counting)
        return az_lod_add(w->lod, &m);
    w->events++;
    l->busy += m.busy;
    l->events++;
    l->family[f] += m.busy;
    return az_lod_add(w->lod, &m);
}

static int put_steps(struct work *w)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && w->steps != AZ_NO_ID && i < w->accounts->n_steps; i++) {
        const struct az_step_account *s = &w->accounts->step[i];
        uint32_t name = (uint32_t)i;
        if (w->counting)
            rc = add_name(w, s->name, AZ_FAMILY_OTHER, &name);
        if (w->counting && i == 0)
            w->steps_name = name;
        if (rc == 0)
            rc = put_mark(w, w->steps, s->a.first, s->a.last, w->steps_name + (uint32_t)i,
                          AZ_FAMILY_OTHER);
    }
    return rc;
}

static int put_events(struct work *w)
{
    struct az_work_sweep sweep = az_work_sweep(w->job, w->trace, w->counted);
    struct az_work_event e;
    int rc = put_steps(w);
    for (size_t s = 0; s < w->dev.slots.n; s++)
        w->busy_to[s] = INT64_MAX;
    while (rc == 0 && az_work_next(&sweep, &e)) {
        const uint32_t slot = w->dev.slot_of_lane.v[e.lane];
        const enum az_family f = family_of(w, e.kind, e.name);
        int64_t *to = &w->busy_to[slot];
        uint32_t name;
        rc = name_of(w, &e, f, &name);
        if (rc == 0 && e.start > *to && w->gaps[slot] != AZ_NO_ID)
            rc = put_mark(w, w->gaps[slot], *to, e.start, name, AZ_FAMILY_OTHER);
        if (rc == 0)
            rc = put_mark(w, w->stream[e.lane], e.start, e.end, name, f);
        *to = *to == INT64_MAX || e.end > *to ? e.end : *to;
    }
    return rc;
}

/* ---- one build of levels ---- */
struct track_build {
    struct az_job *job;
    struct az_tracks *out;
    struct work *w; /* by trace */
    struct az_vec_u32 name;
};

static int levels(struct track_build *r, struct az_span part, size_t budget, bool counting,
                  bool *exact)
{
    struct az_lod lod;
    int rc = az_lod_init(&lod, part.start, part.end, r->out->lanes.n, budget, r->job->mem);
    for (size_t i = 0; rc == 0 && i < r->job->n_traces; i++) {
        r->w[i].lod = &lod;
        r->w[i].counting = counting;
        if (r->w[i].accounts)
            rc = put_events(&r->w[i]);
    }
    if (rc == 0)
        rc = az_lod_finish(&lod, r->out, exact);
    az_lod_release(&lod);
    return rc;
}

/* Of the first trace that has some, the step of median length. */
static int typical_step(const struct track_build *r, struct az_span *out)
{
    for (size_t i = 0; i < r->job->n_traces; i++) {
        const struct work *w = &r->w[i];
        const size_t n = w->accounts ? w->accounts->n_steps : 0;
        int64_t *length = az_arena_array(r->job->arena, n + 1, sizeof *length);
        uint32_t *order = az_arena_array(r->job->arena, n + 1, sizeof *order);
        if (!length || !order)
            return az_arena_error(r->job->arena);
        for (size_t k = 0; k < n; k++)
            length[k] = w->accounts->step[k].a.last - w->accounts->step[k].a.first;
        if (n < STEPS_LEAST)
            continue;
        az_sort_order(length, n, order, r->job->mem);
        const struct az_account *a = &w->accounts->step[order[n / 2]].a;
        *out = (struct az_span){ w->offset + az_ns(w->t, a->first - w->begin),
                                 w->offset + az_ns(w->t, a->last - w->begin) };
        return 0;
    }
    return 0;
}

/* All of the run; where that is not every event, closer a typical step, or without steps as much of
 * the middle as half of the marks suffice for. */
static int make_both_tracks(struct track_build *r)
{
    const size_t closer = r->job->draw * CLOSER / 100;
    const int64_t mid = r->out->span / 2;
    struct az_span part = { 0, 0 };
    size_t events = 1;
    bool exact;
    int rc = levels(r, (struct az_span){ 0, r->out->span }, r->job->draw - closer, true, &exact);
    if (rc || exact)
        return rc;
    for (size_t i = 0; i < r->job->n_traces; i++)
        events += r->w[i].events;
    const int64_t half = (int64_t)((double)r->out->span * (double)closer / (double)events / 4);
    rc = typical_step(r, &part);
    if (part.end == 0)
        part = (struct az_span){ mid - half, mid + half };
    return rc ? rc : levels(r, part, closer, false, &exact);
}

/* ---- traces ---- */
static int prepare(struct work *w)
{
    int rc = 0;
    w->t = w->job->traces[w->trace];
    if (!(w->t->caps & AZ_CAP_TIMELINE))
        return 0;
    w->counted = az_job_counted(w->job, w->trace, AZ_ALL_WORK, &rc);
    const struct az_accounts *a = rc ? NULL : az_job_accounts(w->job, w->trace, AZ_ALL_WORK, &rc);
    if (!a || a->all.events == 0)
        return rc;
    w->accounts = a;
    w->begin = a->all.first;
    w->end = a->all.last;
    for (size_t i = 0; i < a->n_steps; i++) {
        w->begin = a->step[i].a.first < w->begin ? a->step[i].a.first : w->begin;
        w->end = a->step[i].a.last > w->end ? a->step[i].a.last : w->end;
    }
    rc = az_devices_make(&w->dev, w->t, AZ_BY_DEVICE, w->job->mem);
    return rc ? rc : add_lanes(w);
}

static int64_t begin_ns(const struct work *w) { return w->t->base_ns + az_ns(w->t, w->begin); }

/* Traces with a recorded start keep their distance; others begin together. */
static void place(struct track_build *r)
{
    int64_t first = INT64_MAX;
    bool all = true;
    for (size_t i = 0; i < r->job->n_traces; i++) {
        const struct work *w = &r->w[i];
        all &= !w->accounts || w->t->base_ns != 0;
        if (w->accounts && begin_ns(w) < first)
            first = begin_ns(w);
    }
    for (size_t i = 0; i < r->job->n_traces; i++) {
        struct work *w = &r->w[i];
        if (!w->accounts)
            continue;
        w->offset = all ? begin_ns(w) - first : 0;
        const int64_t end = w->offset + az_ns(w->t, w->end - w->begin);
        r->out->span = end > r->out->span ? end : r->out->span;
    }
}

int az_tracks_make(struct az_job *job, struct az_tracks *out, int64_t *begin)
{
    struct track_build r = { .job = job, .out = out };
    int rc = 0;
    r.w = az_arena_array(job->arena, job->n_traces + 1, sizeof *r.w);
    if (!r.w)
        return az_arena_error(job->arena);
    az_vec_init(&r.name, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        r.w[i] = (struct work){ .job = job, .out = out, .trace = i, .name = &r.name };
        rc = prepare(&r.w[i]);
    }
    if (rc == 0)
        place(&r);
    *begin = rc == 0 && job->n_traces && r.w[0].accounts ? begin_ns(&r.w[0]) : 0;
    if (rc == 0 && job->n_traces == 1 && r.w[0].accounts)
        out->begin = az_ns(r.w[0].t, r.w[0].begin);
    if (rc == 0 && out->span > 0)
        rc = make_both_tracks(&r);
    for (size_t i = 0; i < job->n_traces; i++)
        az_devices_release(&r.w[i].dev);
    az_vec_release(&r.name);
    return rc;
}

static void release(void *tracks) { az_tracks_release(tracks); }

int az_tracks_attach(struct az_job *job, struct az_tracks *t, int rc)
{
    if (rc == 0)
        rc = az_document_own(job->doc, t, release);
    else
        az_tracks_release(t);
    if (rc == 0 && t->marks.n)
        job->doc->tracks = t;
    return rc;
}

static int run_tracks(struct az_job *job)
{
    struct az_tracks *t = job->draw ? az_arena_alloc(job->arena, sizeof *t) : NULL;
    int64_t begin;
    if (!t)
        return job->draw ? az_arena_error(job->arena) : 0;
    az_tracks_init(t, job->mem);
    return az_tracks_attach(job, t, az_tracks_make(job, t, &begin));
}

const struct az_analysis az_analysis_tracks = {
    .name = "tracks",
    .help = "timeline of steps, gaps and streams by device",
    .run = run_tracks,
};
