/* First to last operation of a device cut into util_chunks equal chunks; the busy share is that of
 * the union, so it never exceeds 100 % (adding concurrent operations up would); low neighbors
 * become one row (docs/formats-nsight.md 3.5). */
#include "analyses/timeline/utilization.h"

#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "model/window.h"

struct state {                /* of one device during the sweep */
    int64_t first, last, end; /* end: of the busy time so far */
    bool any;
    int64_t *busy;           /* ticks per chunk */
    int64_t chunk, from, to; /* where the operation before ended */
};

struct work {
    struct az_job *job;
    const struct az_trace *t;
    struct az_devices_of dev;
    size_t from, n; /* slots of the devices that are measured together */
    struct state *state;
    int64_t *busy;
    int64_t chunks;
    size_t other; /* next of the trace's window_others */
};

/* Of the device of a lane; NULL: it has none, or is not among those that are measured. */
static inline struct state *state_of(const struct work *w, uint32_t lane)
{
    const uint32_t slot = w->dev.slot_of_lane.v[lane];
    return slot - w->from < w->n ? &w->state[slot - w->from] : NULL;
}

static int64_t limit_of(const struct state *s, int64_t chunk, int64_t chunks)
{
    return s->first + az_muldiv(s->last - s->first, chunk, chunks);
}

/* Spreads busy time over the chunks it touches. */
static void spread(const struct work *w, struct state *s, int64_t start, int64_t end)
{
    int64_t width = s->last - s->first;
    if (width <= 0 || end <= start)
        return;
    int64_t i = az_muldiv(start - s->first, w->chunks, width);
    if (i < 0 || i >= w->chunks)
        i = w->chunks - 1;
    while (i > 0 && limit_of(s, i, w->chunks) > start)
        i--;
    while (i + 1 < w->chunks && limit_of(s, i + 1, w->chunks) <= start)
        i++;
    for (; i < w->chunks && start < end; i++) {
        int64_t stop = i + 1 == w->chunks ? s->last : limit_of(s, i + 1, w->chunks);
        if (stop > end)
            stop = end;
        if (stop > start)
            s->busy[i] += stop - start;
        s->chunk = i;
        s->from = limit_of(s, i, w->chunks);
        s->to = i + 1 == w->chunks ? s->last : limit_of(s, i + 1, w->chunks);
        start = stop > start ? stop : start;
    }
}

/* First and last moment of each device: the order of the kinds does not matter. */
static void measure(struct work *w, enum az_kind kind)
{
    const struct az_events *e = &w->t->ev[kind];
    for (size_t i = 0; i < e->n; i++) {
        struct state *s = state_of(w, e->lane[i]);
        if (!s)
            continue;
        s->first = s->any && s->first < e->start[i] ? s->first : e->start[i];
        s->last = s->any && s->last > e->end[i] ? s->last : e->end[i];
        s->any = true;
    }
}

static inline void add_busy(const struct work *w, uint32_t lane, int64_t start, int64_t end)
{
    struct state *s = state_of(w, lane);
    if (!s)
        return;
    start = start > s->end ? start : s->end;
    if (end <= start)
        return;
    s->end = end;
    end = end < s->last ? end : s->last;
    if (start >= s->from && start < s->to && end <= s->to) /* as the one before */
        s->busy[s->chunk] += end > start ? end - start : 0;
    else
        spread(w, s, start, end);
}

/* Work outside the window that runs next to it, up to a time. */
static void add_others(struct work *w, int64_t until)
{
    const struct az_other_works *others = &w->t->window_others;
    for (; w->other < others->n && others->v[w->other].start <= until; w->other++) {
        const struct az_other_work *x = &others->v[w->other];
        add_busy(w, x->lane, x->start, x->end);
    }
}

static void sweep(struct work *w)
{
    const bool others = w->t->window_others.n > 0;
    struct az_sweep sw = { .t = w->t };
    enum az_kind kind;
    size_t row, to;
    while (az_sweep_rows(&sw, &kind, &row, &to)) {
        const struct az_events *e = &w->t->ev[kind];
        for (; row < to; row++) {
            if (others)
                add_others(w, e->start[row]);
            add_busy(w, e->lane[row], e->start[row], e->end[row]);
        }
    }
    add_others(w, INT64_MAX);
}

/* Merges low neighbors. */
static int list_chunks(const struct work *w, const struct state *s, struct az_device_use *u)
{
    double low = w->job->opts->low_util_percent;
    for (int64_t i = 0; i < w->chunks; i++) {
        struct az_util_chunk c = { .start = limit_of(s, i, w->chunks),
                                   .end = limit_of(s, i + 1, w->chunks),
                                   .busy = s->busy[i],
                                   .chunks = 1 };
        struct az_util_chunk *before = u->chunks.n ? &u->chunks.v[u->chunks.n - 1] : NULL;
        c.length = c.end - c.start - az_window_between(w->t, c.start, c.end);
        if (c.length <= 0) /* fewer ticks than chunks, or between the parts of a window */
            continue;
        c.low = az_percent((double)c.busy, (double)c.length) < low;
        u->busy += c.busy;
        u->length += c.length;
        if (before && before->low && c.low) {
            before->end = c.end;
            before->busy += c.busy;
            before->length += c.length;
            before->chunks++;
            continue;
        }
        int rc = az_vec_push(&u->chunks, c);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int list_devices(struct work *w, int (*fn)(void *, const struct az_device_use *), void *ctx)
{
    struct az_util_chunks chunks;
    int rc = 0;

    az_vec_init(&chunks, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        const struct state *s = &w->state[i];
        struct az_device_use u = { .device = w->dev.slots.v[w->from + i].device,
                                   .first = s->first,
                                   .last = s->last,
                                   .chunks = chunks };
        u.chunks.n = 0;
        rc = list_chunks(w, s, &u);
        chunks = u.chunks; /* its room serves the next one */
        if (rc == 0)
            rc = fn(ctx, &u);
    }
    az_vec_release(&chunks);
    return rc;
}

/* All devices are measured in one pass over the events; more than AT_ONCE in at most PASSES, so
 * that the chunks of few are in memory. */
enum { AT_ONCE = 1024, PASSES = 8 };

static int measure_some(struct work *w, int (*fn)(void *, const struct az_device_use *), void *ctx)
{
    static const enum az_kind work[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };

    memset(w->state, 0, w->n * sizeof *w->state);
    memset(w->busy, 0, w->n * (size_t)w->chunks * sizeof *w->busy);
    for (size_t i = 0; i < w->n; i++)
        w->state[i].busy = w->busy + i * (size_t)w->chunks;
    for (size_t k = 0; k < AZ_LENGTH(work); k++)
        measure(w, work[k]);
    for (size_t i = 0; i < w->n; i++)
        w->state[i].end = w->state[i].first;
    w->other = 0;
    sweep(w);
    return list_devices(w, fn, ctx);
}

int az_utilization_each(struct az_job *job, size_t trace,
                        int (*fn)(void *ctx, const struct az_device_use *u), void *ctx)
{
    struct work w = { .job = job, .t = job->traces[trace] };
    size_t bytes_s = 0, bytes_b = 0, cells = 0, most = 0;
    w.chunks = job->opts->util_chunks > 0 ? job->opts->util_chunks : 30;
    int rc = az_devices_make(&w.dev, w.t, AZ_BY_DEVICE, job->mem);
    if (rc != 0)
        goto out;
    most = w.dev.slots.n <= AT_ONCE ? w.dev.slots.n : AT_ONCE + w.dev.slots.n / PASSES;
    bytes_s = (most + 1) * sizeof *w.state;
    if (!az_size_mul(most + 1, (size_t)w.chunks, &cells) ||
        !az_size_mul(cells, sizeof *w.busy, &bytes_b)) {
        rc = AZ_ERANGE;
        goto out;
    }
    w.state = az_mem_alloc(job->mem, bytes_s);
    w.busy = az_mem_alloc(job->mem, bytes_b);
    if (!w.state || !w.busy)
        rc = az_mem_error(job->mem);
    for (; rc == 0 && w.from < w.dev.slots.n; w.from += w.n) {
        const size_t rest = w.dev.slots.n - w.from;
        w.n = rest < most ? rest : most;
        rc = measure_some(&w, fn, ctx);
    }
out:
    az_mem_free(job->mem, w.state, bytes_s);
    az_mem_free(job->mem, w.busy, bytes_b);
    az_devices_release(&w.dev);
    return rc;
}

struct chunk_row {
    int64_t device, start, duration; /* ns */
    double percent;
    int64_t chunks, rank;
    bool low;
};
#define ROW struct chunk_row
static const struct az_record_column columns[] = {
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, device) },
    { "Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_KEY, AZ_FIELD(ROW, start) },
    { "Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, duration) },
    { "In Use (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE | AZ_HIGHER_BETTER, AZ_FIELD(ROW, percent) },
    { "Chunks", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, chunks) },
    { "Low", AZ_BOOL, AZ_FIELD(ROW, low) },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

struct use_table {
    struct az_job *job;
    struct az_table *t;
    size_t trace;
};

static int put_device(void *ctx, const struct az_device_use *u)
{
    const struct use_table *x = ctx;
    const struct az_trace *of = x->job->traces[x->trace];

    for (size_t i = 0; i < u->chunks.n; i++) {
        const struct az_util_chunk *c = &u->chunks.v[i];
        az_put_row(x->t, &(ROW){ .device = u->device,
                                 .start = az_ns(of, c->start),
                                 .duration = az_ns(of, c->length),
                                 .percent = az_percent((double)c->busy, (double)c->length),
                                 .chunks = c->chunks,
                                 .low = c->low,
                                 .rank = az_job_rank(x->job, x->trace) });
    }
    return 0;
}

static int run_utilization(struct az_job *job)
{
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "gpu_utilization", "Device utilization", 0, columns, job);
    int rc = AZ_OK;
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++)
        rc = az_utilization_each(job, k, put_device,
                                 &(struct use_table){ .job = job, .t = t, .trace = k });
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_gpu_utilization = {
    .name = "gpu_utilization",
    .tables = { "gpu_utilization" },
    .help = "device utilization in equal time chunks",
    .needs = AZ_CAP_TIMELINE,
    .run = run_utilization,
};
