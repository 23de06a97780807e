/* Idle time of devices: gaps between operations per process and device, from its first to its last
 * operation, profiler overhead counted as busy (docs/formats-nsight.md 3.5); the long ones as rows,
 * all of them as a histogram. */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/devices.h"

struct gap {
    int64_t start, length; /* ticks */
    uint32_t trace, slot;
    uint32_t before, after; /* name numbers; AZ_NO_ID */
};
AZ_VEC(struct gap, gap_list);

/* Bins of the histogram: lower limits in ns, 1-2-5 steps from 1 us to 10 s; below 1 us one bin. */
#define BINS 23

struct work {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    struct az_devices_of dev;
    struct az_spans *overhead; /* merged, by slot */
    struct az_spans pieces;
    struct gap_list list;
    /* Of the rows, by (trace, slot), for sorting: index base[trace] + slot. */
    struct az_vec_i64 device;
    struct az_vec_u64 pid;
    struct az_vec_u32 base;
    int64_t limit[BINS], count[BINS], ns[BINS];
    int64_t threshold; /* ticks */
};

static void make_bins(struct work *w)
{
    static const int64_t step[] = { 1, 2, 5 };
    int64_t decade = 1000;
    for (size_t i = 1; i < BINS; i++) {
        w->limit[i] = decade * step[(i - 1) % 3];
        if (i % 3 == 0)
            decade *= 10;
    }
}

static void count_gap(struct work *w, int64_t ns)
{
    size_t i = 0;
    while (i + 1 < BINS && ns >= w->limit[i + 1]) /* most are short */
        i++;
    w->count[i]++;
    w->ns[i] = az_add_sat(w->ns[i], ns);
}

/* ---- profiler overhead per slot ---- */

/* Of a window also the work that runs next to its own, and the time between its parts. */
static int outside_window(const struct work *w, size_t slot, struct az_spans *s)
{
    const struct az_other_works *others = &w->t->window_others;
    const struct az_spans *parts = &w->t->window_work;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < others->n; i++)
        if (w->dev.slot_of_lane.v[others->v[i].lane] == slot)
            rc = az_vec_push(s, ((struct az_span){ others->v[i].start, others->v[i].end }));
    for (size_t i = 1; rc == 0 && i < parts->n; i++)
        rc = az_vec_push(s, ((struct az_span){ parts->v[i - 1].end, parts->v[i].start }));
    az_spans_sort(s);
    return rc;
}

static int overhead(struct work *w)
{
    const struct az_events *e = &w->t->ev[AZ_OVERHEAD];
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < w->dev.slots.n; k++) {
        struct az_spans *s = &w->overhead[k];
        az_vec_init(s, w->job->mem);
        for (size_t i = 0; rc == 0 && i < e->n; i++) { /* rows of another process do not count */
            const struct az_lane *l = &w->t->lanes.v[e->lane[i]];
            if (l->proc == w->dev.slots.v[k].proc || l->proc == 0)
                rc = az_vec_push(s, ((struct az_span){ e->start[i], e->end[i] }));
        }
        if (rc == 0 && w->t->windowed)
            rc = outside_window(w, k, s);
        if (rc == 0)
            az_spans_union(s);
    }
    return rc;
}

/* ---- gaps ---- */
struct last { /* per slot */
    int64_t end;
    uint32_t name; /* id */
    bool any;
};

static inline int take_gap(struct work *w, uint32_t slot, struct az_span gap, uint32_t before,
                           uint32_t after)
{
    const int64_t length = gap.end - gap.start;
    if (length <= 0)
        return 0;
    count_gap(w, az_ns(w->t, length));
    if (length < w->threshold)
        return 0;
    return az_vec_push(&w->list, ((struct gap){ gap.start, length, (uint32_t)w->trace, slot,
                                                az_job_name(w->job, w->trace, before),
                                                az_job_name(w->job, w->trace, after) }));
}

/* A gap in a device's work, without what the profiler took of it. */
static int cut_gap(struct work *w, uint32_t slot, const struct last *last, int64_t until,
                   uint32_t after)
{
    struct az_span whole = { last->end, until };
    struct az_spans gap = { .v = &whole, .n = 1 };
    struct az_spans busy = az_spans_window(&w->overhead[slot], last->end, until);
    int rc = az_spans_subtract(&gap, &busy, &w->pieces);
    for (size_t i = 0; rc == 0 && i < w->pieces.n; i++)
        rc = take_gap(w, slot, w->pieces.v[i], last->name, after);
    return rc;
}

static int sweep(struct work *w, struct last *last)
{
    struct az_sweep s = { .t = w->t };
    enum az_kind kind;
    size_t row, to;
    int rc = 0;
    while (rc == 0 && az_sweep_rows(&s, &kind, &row, &to)) {
        const struct az_events *e = &w->t->ev[kind];
        for (; rc == 0 && row < to; row++) {
            const uint32_t slot = w->dev.slot_of_lane.v[e->lane[row]], name = e->name[row];
            struct last *l = &last[slot];
            if (l->any && e->start[row] > l->end)
                rc = w->overhead[slot].n
                         ? cut_gap(w, slot, l, e->start[row], name)
                         : take_gap(w, slot, (struct az_span){ l->end, e->start[row] }, l->name,
                                    name);
            if (!l->any || e->end[row] > l->end)
                *l = (struct last){ e->end[row], name, true };
        }
    }
    return rc;
}

static int use_trace(struct work *w)
{
    size_t n, bytes_o = 0, bytes_l = 0;
    struct last *last = NULL;
    w->t = w->job->traces[w->trace];
    double threshold = w->job->opts->gap_threshold_us * 1000.0 * (double)w->t->ticks_per_ns;
    w->threshold = threshold < (double)(2 * AZ_TIME_MAX) ? (int64_t)threshold
                                                         : 2 * AZ_TIME_MAX; /* none is longer */
    int rc = az_devices_make(&w->dev, w->t, AZ_BY_PROCESS, w->job->mem);
    if (rc == 0)
        rc = az_vec_push(&w->base, (uint32_t)w->device.n);
    n = w->dev.slots.n;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        rc = az_vec_push(&w->device, w->dev.slots.v[i].device);
        if (rc == 0)
            rc = az_vec_push(&w->pid, w->dev.slots.v[i].pid);
    }
    if (rc != 0)
        goto out;
    bytes_o = (n + 1) * sizeof *w->overhead;
    bytes_l = (n + 1) * sizeof *last;
    w->overhead = az_mem_alloc(w->job->mem, bytes_o);
    if (w->overhead)
        memset(w->overhead, 0, bytes_o);
    last = az_mem_alloc(w->job->mem, bytes_l);
    if (!w->overhead || !last) {
        rc = az_mem_error(w->job->mem);
        goto out;
    }
    memset(last, 0, bytes_l);
    rc = overhead(w);
    if (rc == 0)
        rc = sweep(w, last);
out:
    for (size_t i = 0; w->overhead && i < n; i++)
        az_vec_release(&w->overhead[i]);
    az_mem_free(w->job->mem, w->overhead, bytes_o);
    az_mem_free(w->job->mem, last, bytes_l);
    w->overhead = NULL;
    az_devices_release(&w->dev);
    return rc;
}

/* ---- tables ---- */
static size_t slot_of(const struct work *w, const struct gap *g)
{
    return w->base.v[g->trace] + g->slot;
}

static int compare_gaps(const void *pa, const void *pb, void *ctx)
{
    const struct gap *a = pa, *b = pb;
    const struct work *w = ctx;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    if (w->device.v[slot_of(w, a)] != w->device.v[slot_of(w, b)])
        return w->device.v[slot_of(w, a)] < w->device.v[slot_of(w, b)] ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

struct gap_row {
    int64_t device, start, duration; /* ns */
    struct az_sv before, after;
    uint64_t pid; /* 0: unknown */
    int64_t rank;
};
#define ROW struct gap_row
AZ_OF_RECORD(int64_t, pid_of, ROW, r->pid ? (int64_t)r->pid : -1)
static const struct az_record_column gap_columns[] = {
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, device) },
    { "Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_KEY, AZ_FIELD(ROW, start) },
    { "Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, duration) },
    { "Before", AZ_TEXT, AZ_FIELD(ROW, before) },
    { "After", AZ_TEXT, AZ_FIELD(ROW, after) },
    { "PID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, .integer = pid_of, .known = true },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

static int gap_table(struct work *w)
{
    struct az_job *job = w->job;
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "gpu_gaps", "Idle gaps", AZ_TABLE_SUMMARY, gap_columns, job);
    for (size_t i = 0; i < w->list.n; i++) {
        const struct gap *g = &w->list.v[i];
        const struct az_trace *of = job->traces[g->trace];
        az_put_row(t, &(ROW){ w->device.v[slot_of(w, g)], az_ns(of, g->start), az_ns(of, g->length),
                              az_job_text(job, g->before), az_job_text(job, g->after),
                              w->pid.v[slot_of(w, g)], az_job_rank(job, g->trace) });
    }
    return az_document_add(job->doc, t);
}

struct bin_row {
    int64_t from, to, count, ns; /* to: -1: without end */
};
static const struct az_record_column bin_columns[] = {
    { "From (ns)", AZ_INT, AZ_UNIT_NS, AZ_KEY, AZ_FIELD(struct bin_row, from) },
    { "To (ns)", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(struct bin_row, to) },
    { "Gaps", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct bin_row, count) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct bin_row, ns) },
};

static int histogram(struct work *w)
{
    static const char *const y[] = { "Time (ns)", NULL };
    struct az_job *job = w->job;
    size_t lo = 0, hi = BINS;
    while (lo < hi && w->count[lo] == 0)
        lo++;
    while (hi > lo && w->count[hi - 1] == 0)
        hi--;
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "gpu_gaps_histogram", "Gaps by length",
                                         AZ_TABLE_WHOLE, bin_columns);
    for (size_t i = lo; i < hi; i++)
        az_put_row(t, &(struct bin_row){ w->limit[i], i + 1 < BINS ? w->limit[i + 1] : -1,
                                         w->count[i], w->ns[i] });
    int rc = az_document_add(job->doc, t);
    return rc == 0 ? az_job_chart(job, AZ_CHART_COLUMN, "gpu_gaps_histogram",
                                  "Idle time by gap length", "From (ns)", y, "ns")
                   : rc;
}

static int run_gaps(struct az_job *job)
{
    struct work w = { .job = job };
    int rc = 0;
    make_bins(&w);
    az_vec_init(&w.pieces, job->mem);
    az_vec_init(&w.list, job->mem);
    az_vec_init(&w.device, job->mem);
    az_vec_init(&w.pid, job->mem);
    az_vec_init(&w.base, job->mem);
    for (w.trace = 0; rc == 0 && w.trace < job->n_traces; w.trace++)
        rc = use_trace(&w);
    if (rc == 0)
        az_sort_cmp(w.list.v, w.list.n, sizeof *w.list.v, compare_gaps, &w, job->mem);
    if (rc == 0)
        rc = gap_table(&w);
    if (rc == 0)
        rc = histogram(&w);
    az_vec_release(&w.pieces);
    az_vec_release(&w.list);
    az_vec_release(&w.device);
    az_vec_release(&w.pid);
    az_vec_release(&w.base);
    return rc;
}

const struct az_analysis az_analysis_gpu_gaps = {
    .name = "gpu_gaps",
    .tables = { "gpu_gaps", "gpu_gaps_histogram" },
    .help = "device idle gaps, longest first",
    .needs = AZ_CAP_TIMELINE,
    .run = run_gaps,
};
