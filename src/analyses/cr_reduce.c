/* One rank's trace reduced to its collectives and to when other kernels ran beside them. */
#include "analyses/cr.h"
#include "model/optrace.h"

enum { NOT_SEEN, COLLECTIVE, COMPUTE, OTHER };

AZ_VEC(struct cr_event, events);

struct work {
    struct az_job *job;
    const struct az_trace *t;
    struct cr_source *source;
    uint8_t *seen;       /* name id -> one of the above */
    struct az_sv *given; /* name id -> collective by a pattern */
    struct events ev;
    struct az_spans comm, compute;
    struct az_vec_i64 devices;
    uint32_t lane; /* of the first collective */
    struct cr_part *part;
};

static int64_t ns(const struct work *w, int64_t ticks) { return ticks / w->t->ticks_per_ns; }

/* Computation is what is neither communication nor a copy (spec multirank 3.3). */
static uint8_t sort_of(struct work *w, enum az_kind kind, uint32_t name)
{
    const struct az_sv text = name == AZ_NO_ID ? AZ_SV("") : az_trace_text(w->t, name);
    if (kind != AZ_KERNEL || name == AZ_NO_ID)
        return az_gpu_class_of(text, kind) == AZ_GPU_COMPUTE ? COMPUTE : OTHER;
    if (w->seen[name] == NOT_SEEN) {
        const bool is = az_coll_is_kernel(text, w->job->opts->coll_patterns, &w->given[name]);
        w->seen[name] = is ? COLLECTIVE : az_gpu_class_of(text, kind) == AZ_GPU_COMPUTE ? COMPUTE : OTHER;
    }
    return w->seen[name];
}

static int64_t stream_of(const struct az_trace *t, uint32_t lane)
{
    const struct az_lane *l = &t->lanes.v[lane];
    const uint64_t s = t->caps & AZ_CAP_FRAMEWORK ? l->context : l->tid;
    return s > INT64_MAX ? -1 : (int64_t)s;
}

static int collective(struct work *w, uint32_t row)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL];
    struct cr_event e = { .start = ns(w, k->start[row]), .end = ns(w, k->end[row]) };
    const int64_t device = w->t->lanes.v[k->lane[row]].device;
    size_t d = 0;
    int rc = cr_source_of(w->source, row, w->given[k->name[row]], &e);
    if (rc)
        return rc;
    e.stream = stream_of(w->t, k->lane[row]);
    if (w->ev.n == 0)
        w->lane = k->lane[row];
    w->part->one_stream &= w->lane == k->lane[row];
    while (d < w->devices.n && w->devices.v[d] != device)
        d++;
    if (d == w->devices.n)
        rc = az_vec_push(&w->devices, device);
    e.device = (uint32_t)d;
    if (rc == 0)
        rc = az_vec_push(&w->comm, ((struct az_span){ e.start, e.end }));
    return rc ? rc : az_vec_push(&w->ev, e);
}

static int scan(struct work *w)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (enum az_kind kind = AZ_KERNEL; kind <= AZ_MEMSET; kind++) {
        const struct az_events *k = &w->t->ev[kind];
        for (uint32_t i = 0; i < k->n; i++) {
            const uint8_t sort = sort_of(w, kind, k->name[i]);
            int rc = 0;
            lo = k->start[i] < lo ? k->start[i] : lo;
            hi = k->end[i] > hi ? k->end[i] : hi;
            if (sort == COLLECTIVE)
                rc = collective(w, i);
            else if (sort == COMPUTE)
                rc = az_vec_push(&w->compute, ((struct az_span){ ns(w, k->start[i]), ns(w, k->end[i]) }));
            if (rc)
                return rc;
        }
    }
    w->part->span = hi > lo ? ns(w, hi) - ns(w, lo) : 0;
    return 0;
}

/* Devices get their numbers in ascending order, whatever came first in time. */
static int number_devices(struct work *w)
{
    uint32_t *place = az_arena_array(w->job->arena, w->devices.n + 1, sizeof *place);
    if (!place)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < w->devices.n; i++)
        for (size_t k = 0; k < w->devices.n; k++)
            place[i] += w->devices.v[k] < w->devices.v[i];
    for (size_t i = 0; i < w->ev.n; i++)
        w->ev.v[i].device = place[w->ev.v[i].device];
    w->part->n_devices = (uint32_t)w->devices.n;
    return 0;
}

static int overlap(struct work *w, struct az_arena *keep)
{
    struct cr_part *p = w->part;
    struct az_spans both;
    az_vec_init(&both, w->job->mem);
    int rc = az_spans_sort(&w->comm);
    if (rc == 0)
        rc = az_spans_sort(&w->compute);
    if (rc == 0) {
        az_spans_union(&w->comm);
        az_spans_union(&w->compute);
        p->busy = az_spans_length(&w->comm);
        rc = az_spans_intersect(&w->compute, &w->comm, &both);
    }
    if (rc == 0) {
        p->compute = az_arena_array(keep, both.n + 1, sizeof *p->compute);
        p->before = az_arena_array(keep, both.n + 1, sizeof *p->before);
        rc = p->compute && p->before ? 0 : az_arena_error(keep);
    }
    for (size_t i = 0; rc == 0 && i < both.n; i++) {
        p->compute[i] = both.v[i];
        p->before[i + 1] = p->before[i] + both.v[i].end - both.v[i].start;
    }
    p->n_compute = rc == 0 ? both.n : 0;
    az_vec_release(&both);
    return rc;
}

int64_t cr_compute_in(const struct cr_part *p, int64_t from, int64_t to)
{
    size_t low = 0, high = p->n_compute;
    if (to <= from)
        return 0;
    while (low < high) { /* first that ends after `from` */
        const size_t mid = low + (high - low) / 2;
        if (p->compute[mid].end <= from)
            low = mid + 1;
        else
            high = mid;
    }
    const size_t first = low;
    high = p->n_compute;
    while (low < high) { /* first that begins at `to` or later */
        const size_t mid = low + (high - low) / 2;
        if (p->compute[mid].start < to)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == first)
        return 0;
    int64_t sum = p->before[low] - p->before[first];
    if (p->compute[first].start < from)
        sum -= from - p->compute[first].start;
    if (p->compute[low - 1].end > to)
        sum -= p->compute[low - 1].end - to;
    return sum;
}

static int steps(struct work *w, struct az_arena *keep)
{
    const struct az_events *r = &w->t->ev[AZ_RANGE];
    struct cr_part *p = w->part;
    for (int pass = 0; pass < 2; pass++) {
        p->n_steps = 0;
        for (size_t i = 0; i < r->n; i++) {
            if (r->name[i] == AZ_NO_ID || !az_sv_starts(az_trace_text(w->t, r->name[i]), AZ_SV("ProfilerStep")))
                continue;
            if (pass)
                p->steps[p->n_steps] = ns(w, r->end[i] - r->start[i]);
            p->n_steps++;
        }
        if (pass == 0 && !(p->steps = az_arena_array(keep, p->n_steps + 1, sizeof *p->steps)))
            return az_arena_error(keep);
    }
    return 0;
}

static int make(struct work *w, struct az_arena *keep)
{
    const size_t names = w->t->names.text.n + 1;
    w->seen = az_arena_array(w->job->arena, names, sizeof *w->seen);
    w->given = az_arena_array(w->job->arena, names, sizeof *w->given);
    int rc = w->seen && w->given ? 0 : az_arena_error(w->job->arena);
    if (rc == 0)
        rc = scan(w);
    if (rc == 0)
        rc = number_devices(w);
    if (rc == 0)
        rc = overlap(w, keep);
    if (rc == 0)
        rc = steps(w, keep);
    if (rc)
        return rc;
    w->part->ev = az_arena_array(keep, w->ev.n + 1, sizeof *w->part->ev);
    if (!w->part->ev)
        return az_arena_error(keep);
    if (w->ev.n)
        memcpy(w->part->ev, w->ev.v, w->ev.n * sizeof *w->part->ev);
    w->part->n = w->ev.n;
    return 0;
}

int cr_reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    struct work w = { .job = job, .t = job->traces[0], .part = az_arena_alloc(keep, sizeof *w.part) };
    if (!w.part)
        return az_arena_error(keep);
    if (job->opts->disable_coll_analysis)
        return 0;
    w.part->one_stream = true;
    az_vec_init(&w.ev, job->mem);
    az_vec_init(&w.comm, job->mem);
    az_vec_init(&w.compute, job->mem);
    az_vec_init(&w.devices, job->mem);
    int rc = cr_source_open(&w.source, job, keep);
    if (rc == 0)
        rc = make(&w, keep);
    const int closed = cr_source_close(w.source, w.part);
    az_vec_release(&w.ev);
    az_vec_release(&w.comm);
    az_vec_release(&w.compute);
    az_vec_release(&w.devices);
    if (rc == 0 && closed == 0)
        *part = w.part;
    return rc ? rc : closed;
}
