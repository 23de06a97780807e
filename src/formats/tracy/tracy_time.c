/* Tracy operation CSV: where device operations are on the timeline, and which of them have
 * impossible times (docs/formats-tracy.md 3.1, 3.2). */
#include <math.h>

#include "base/interval.h"
#include "base/num.h"
#include "base/sort.h"
#include "formats/tracy/tracy_csv.h"

#define CLOCKS   65536  /* devices whose clocks are followed */
#define TIMES    4e18   /* ns: times that can be compared */
#define BACK     -1e9   /* ns: a clock that goes back further than that began again */
#define AHEAD    3.6e12 /* ns: the same ahead */
#define GAP      1e6    /* ns: a gap that is impossible is longer than that */
#define OVERLAP  1000   /* ns: operations of one sub device overlap by less than that */
#define MOST     0.5    /* of an operation's length */
#define SIMILAR  2      /* times its length: an operation that can be under it */
#define CLUSTERS 1000   /* operations that are compared one by one */

/* ---- the timeline ---- */
/* The clock of a device: cycles against ns. */
struct clock {
    int64_t cycle, ns, last; /* of an operation's end; the last one's end, cycles */
    int64_t end;             /* of the last operation, ns */
    struct az_span before;   /* the operation before, ns; of those in order */
    bool runs;
};

/* Where possible operations of a device end: the two latest of different sub devices. */
struct others {
    int64_t end[2];
    uint32_t sub[2];
    bool any[2];
};

struct line {
    struct az_parse *job;
    struct az_opreport *r;
    struct clock *clock;
    struct others *others;
    size_t n; /* of both, by device */
    double rate;
    uint64_t jumps;
};

#define ROUNDED 2 /* cycles by which a duration in cycles may be off */

/* Cycles a ns. Durations are rounded: the longest operation gives it best, and clocks are whole
 * MHz. */
static double rate_of(const struct az_opreport *r)
{
    double longest = 0, rate = 1;
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct az_oprow *x = &r->rows.v[i];
        if (x->kind != AZ_OPROW_DEVICE || x->first < 0 || x->last <= x->first ||
            !(x->firmware > longest))
            continue;
        longest = x->firmware;
        rate = (double)(x->last - x->first) / x->firmware;
    }
    const double mhz = round(rate * 1000);
    return mhz > 0 && fabs(rate * 1000 - mhz) * longest <= ROUNDED * 1000 ? mhz / 1000 : rate;
}

static int64_t shifted(int64_t ns, double by)
{
    const double sum = (double)ns + by;
    return fabs(by) < TIMES / 2 && fabs(sum) < TIMES ? ns + llround(by) : ns;
}

/* By cycles: each end is as far from that of the device's first operation as in cycles of its
 * clock. */
static int64_t end_by_cycles(struct line *l, struct clock *c, const struct az_oprow *r)
{
    const double step = c->runs ? (double)(r->last - c->last) / l->rate : 0;
    if (c->runs && !(step > BACK && step < AHEAD)) {
        c->runs = false;
        l->jumps++;
    }
    if (!c->runs)
        *c = (struct clock){ .cycle = r->last,
                             .ns = shifted(r->at > c->end ? r->at : c->end, r->kernel),
                             .end = c->end,
                             .runs = true };
    c->last = r->last;
    return shifted(c->ns, (double)(r->last - c->cycle) / l->rate);
}

/* A device without cycles runs one operation after another, after the gaps that are recorded, else
 * not before the host called. Where sub devices are named, a gap is from the end of the operation
 * before, during which this one may begin. */
static int64_t end_in_order(const struct clock *c, const struct az_oprow *r)
{
    int64_t start = r->at > c->end ? r->at : c->end;
    if (c->end > INT64_MIN && r->sub != AZ_NO_ID && !isnan(r->gap) &&
        shifted(c->before.end, r->gap) >= c->before.start)
        start = shifted(c->before.end, r->gap);
    else if (c->end > INT64_MIN && r->gap >= 0)
        start = shifted(c->end, r->gap);
    return shifted(start, r->kernel);
}

static void place(struct line *l, struct az_oprow *r)
{
    struct clock none = { .end = INT64_MIN }, *c = &none;
    if (r->device >= 0 && (size_t)r->device < l->n)
        c = &l->clock[r->device];
    r->timed = !isnan(r->kernel) && fabs(r->kernel) < 9e17;
    if (!r->timed) {
        r->at = c->end > INT64_MIN ? c->end : r->at;
        return;
    }
    const bool cycles = r->first >= 0 && r->last > r->first && r->firmware > 0;
    const int64_t end = cycles && c != &none ? end_by_cycles(l, c, r) : end_in_order(c, r);
    r->at = shifted(end, -r->kernel);
    c->end = end > c->end ? end : c->end;
    c->before = (struct az_span){ r->at, end };
}

/* ---- impossible times ---- */
static int64_t end_of(const struct az_oprow *r) { return r->at + llround(r->kernel); }

static bool is_long(const struct az_oprow *r, double back)
{
    return back > GAP && back > r->kernel * MOST;
}

/* By the recorded gap the operation began long before the one before it ended. Where the
 * file names sub devices, that one may be of another. */
static bool gap_is_impossible(const struct line *l, const struct az_oprow *r)
{
    if (!is_long(r, -r->gap))
        return false;
    if (r->sub == AZ_NO_ID || r->device < 0 || (size_t)r->device >= l->n)
        return true;
    const struct others *o = &l->others[r->device];
    for (int i = 0; i < 2; i++)
        if (o->any[i] && o->sub[i] != r->sub && (double)(o->end[i] - r->at) >= -r->gap * MOST)
            return false;
    return true;
}

static void note_end(struct line *l, const struct az_oprow *r)
{
    if (r->device < 0 || (size_t)r->device >= l->n)
        return;
    struct others *o = &l->others[r->device];
    const int64_t end = end_of(r);
    const int at = o->any[0] && o->sub[0] != r->sub;
    if (!o->any[at] || (o->sub[at] == r->sub && end > o->end[at]) ||
        (o->sub[at] != r->sub && end > o->end[at])) {
        o->any[at] = true;
        o->sub[at] = r->sub;
        o->end[at] = end;
    }
    if (at == 1 && o->end[1] > o->end[0]) {
        const struct others x = *o;
        o->end[0] = x.end[1], o->sub[0] = x.sub[1];
        o->end[1] = x.end[0], o->sub[1] = x.sub[0];
    }
}

static bool is_impossible(const struct line *l, const struct az_oprow *r)
{
    return r->kernel < 0 || r->kernel > r->firmware || gap_is_impossible(l, r);
}

struct edge {
    int64_t at, twice; /* ns; time before it in which two or more operations run */
    int by;            /* +1: one begins, -1: one ends */
};

static int edge_order(const void *x, const void *y, void *ctx)
{
    const struct edge *a = x, *b = y;
    (void)ctx;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int64_t twice_until(const struct edge *e, size_t n, int64_t at)
{
    const size_t lo = AZ_LOWER_BY(e, n, at, at);
    return lo < n ? e[lo].twice : n ? e[n - 1].twice : 0;
}

static bool is_most(const struct az_oprow *r, int64_t covered)
{
    return (double)covered > (r->sub == AZ_NO_ID ? GAP : OVERLAP) &&
           (double)covered > r->kernel * MOST;
}

/* Marks operations of a cluster that others of it cover: without those whose gap is impossible,
 * which would cover everything. */
static int cover(struct line *l, const uint32_t *row, size_t n)
{
    struct az_mem *mem = l->job->mem;
    struct az_oprow *v = l->r->rows.v;
    struct edge *e = az_mem_alloc(mem, 2 * n * sizeof *e);
    size_t k = 0;
    int depth = 0;
    if (!e)
        return az_mem_error(mem);
    for (size_t i = 0; i < n; i++) {
        const struct az_oprow *r = &v[row[i]];
        if (r->impossible)
            continue;
        e[k++] = (struct edge){ .at = r->at, .by = 1 };
        e[k++] = (struct edge){ .at = end_of(r), .by = -1 };
    }
    az_sort_cmp(e, k, sizeof *e, edge_order, NULL, mem);
    for (size_t i = 0; i + 1 < k; i++) {
        depth += e[i].by;
        e[i + 1].twice = e[i].twice + (depth > 1 ? e[i + 1].at - e[i].at : 0);
    }
    for (size_t i = 0; i < n; i++) {
        struct az_oprow *r = &v[row[i]];
        if (!r->impossible)
            r->impossible = is_most(r, twice_until(e, k, end_of(r)) - twice_until(e, k, r->at));
    }
    az_mem_free(mem, e, 2 * n * sizeof *e);
    return 0;
}

/* The first of several impossible operations has no such gap: it is under the others, which
 * are as long. */
static void cover_by_impossible(struct line *l, const uint32_t *row, size_t n)
{
    struct az_oprow *v = l->r->rows.v;
    for (size_t i = 0; n <= CLUSTERS && i < n; i++) {
        struct az_oprow *r = &v[row[i]];
        int64_t covered = 0, until = r->at;
        if (r->impossible)
            continue;
        for (size_t k = 0; k < n; k++) { /* by start */
            const struct az_oprow *x = &v[row[k]];
            const int64_t from = x->at > until ? x->at : until,
                          to = end_of(x) < end_of(r) ? end_of(x) : end_of(r);
            if (!x->impossible || x->kernel > SIMILAR * r->kernel || to <= from)
                continue;
            covered += to - from;
            until = to;
        }
        r->impossible = is_most(r, covered);
    }
}

static int by_sub_device(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx, *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->sub != b->sub)
        return a->sub < b->sub ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Operations of a sub device that overlap, one after the other. */
static int clusters(struct line *l, const uint32_t *row, size_t n)
{
    const struct az_oprow *v = l->r->rows.v;
    int rc = 0;
    for (size_t i = 0, k; rc == 0 && i < n; i = k) {
        const struct az_oprow *a = &v[row[i]];
        int64_t end = end_of(a);
        for (k = i + 1; k < n && v[row[k]].device == a->device && v[row[k]].sub == a->sub &&
                        v[row[k]].at < end;
             k++)
            end = end_of(&v[row[k]]) > end ? end_of(&v[row[k]]) : end;
        if (k - i < 2)
            continue;
        rc = cover(l, row + i, k - i);
        cover_by_impossible(l, row + i, k - i);
    }
    return rc;
}

static int by_end(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx, *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->sub != b->sub)
        return a->sub < b->sub ? -1 : 1;
    return end_of(a) < end_of(b) ? -1 : end_of(a) > end_of(b);
}

/* By the timeline: operations of a sub device in the order of their ends. Whatever else is wrong,
 * these are right. */
static void find_early(struct line *l, const uint32_t *row, size_t n)
{
    struct az_oprow *v = l->r->rows.v;
    const struct az_oprow *last = NULL;
    for (size_t i = 0; i < n; i++) {
        struct az_oprow *r = &v[row[i]];
        if (last && last->device == r->device && last->sub == r->sub)
            r->impossible |= is_long(r, (double)(end_of(last) - r->at));
        last = r->impossible ? last : r;
    }
}

static int find_covered(struct line *l)
{
    const size_t bytes = (l->r->rows.n + 1) * sizeof(uint32_t);
    uint32_t *row = az_mem_alloc(l->job->mem, bytes);
    size_t n = 0;
    if (!row)
        return az_mem_error(l->job->mem);
    for (size_t i = 0; i < l->r->rows.n; i++)
        if (l->r->rows.v[i].kind == AZ_OPROW_DEVICE && l->r->rows.v[i].timed &&
            l->r->rows.v[i].kernel >= 0)
            row[n++] = (uint32_t)i;
    az_sort_cmp(row, n, sizeof *row, by_end, l->r->rows.v, l->job->mem);
    find_early(l, row, n);
    az_sort_cmp(row, n, sizeof *row, by_sub_device, l->r->rows.v, l->job->mem);
    const int rc = clusters(l, row, n);
    az_mem_free(l->job->mem, row, bytes);
    return rc;
}

/* ---- the events ---- */
static int add_kernels(const struct line *l)
{
    struct az_trace *t = l->job->trace;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < l->r->rows.n; i++) {
        const struct az_oprow *r = &l->r->rows.v[i];
        const struct az_lane lane = { .device_side = true,
                                      .device = r->device < 0 ? -1 : r->device,
                                      .label = AZ_NO_ID };
        struct az_event e = { .name = r->code, .start = r->at, .end = r->at };
        if (!az_oprow_counts(r))
            continue;
        e.end = end_of(r);
        rc = az_trace_lane(t, &lane, &e.lane);
        if (rc == 0)
            rc = az_trace_add(t, AZ_KERNEL, &e);
    }
    return rc;
}

static int open_line(struct line *l)
{
    for (size_t i = 0; i < l->r->rows.n; i++) {
        const int32_t d = l->r->rows.v[i].device;
        if (d < CLOCKS && d >= 0 && (size_t)d >= l->n)
            l->n = (size_t)d + 1;
    }
    l->rate = rate_of(l->r);
    l->clock = az_mem_alloc(l->job->mem, (l->n + 1) * sizeof *l->clock);
    l->others = az_mem_alloc(l->job->mem, (l->n + 1) * sizeof *l->others);
    if (!l->clock || !l->others)
        return az_mem_error(l->job->mem);
    memset(l->others, 0, (l->n + 1) * sizeof *l->others);
    for (size_t i = 0; i < l->n; i++)
        l->clock[i] = (struct clock){ .end = INT64_MIN };
    return 0;
}

/* Of each file by the time of the call; rows without one follow the row before them. */
static int by_call(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx;
    const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    if (v[i].file != v[k].file)
        return v[i].file < v[k].file ? -1 : 1;
    if (v[i].at != v[k].at)
        return v[i].at < v[k].at ? -1 : 1;
    return i < k ? -1 : i > k;
}

/* Hosts whose clocks have nothing in common: their first device operations are at the same time. */
static int align_hosts(struct line *l)
{
    struct az_oprow *v = l->r->rows.v;
    const size_t files = l->r->files.n;
    struct az_span *range = az_mem_alloc(l->job->mem, (files + 1) * sizeof *range);
    if (!range)
        return az_mem_error(l->job->mem);
    for (size_t f = 0; f < files; f++)
        range[f] = (struct az_span){ INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < l->r->rows.n; i++) {
        struct az_span *x = &range[v[i].file];
        if (v[i].kind != AZ_OPROW_DEVICE)
            continue;
        x->start = v[i].at < x->start ? v[i].at : x->start;
        x->end = v[i].at > x->end ? v[i].at : x->end;
    }
    for (size_t i = 0; i < l->r->rows.n; i++) {
        const struct az_span *a = &range[0], *b = &range[v[i].file];
        if (v[i].kind == AZ_OPROW_DEVICE && a->end >= a->start &&
            (b->start > a->end || b->end < a->start))
            v[i].at = shifted(v[i].at, (double)a->start - (double)b->start);
    }
    az_mem_free(l->job->mem, range, (files + 1) * sizeof *range);
    return 0;
}

/* Device operations in the order of their calls, one device after its own last operation. Replays
 * have the times of the calls that were captured: then in the order of the file. */
static int place_all(struct line *l)
{
    struct az_oprow *v = l->r->rows.v;
    const size_t bytes = (l->r->rows.n + 1) * sizeof(uint32_t);
    uint32_t *row = az_mem_alloc(l->job->mem, bytes);
    size_t n = 0;
    if (!row)
        return az_mem_error(l->job->mem);
    for (size_t i = 0; i < l->r->rows.n; i++)
        if (v[i].kind == AZ_OPROW_DEVICE)
            row[n++] = (uint32_t)i;
    if (!l->r->replayed)
        az_sort_cmp(row, n, sizeof *row, by_call, v, l->job->mem);
    for (size_t i = 0; i < n; i++) {
        struct az_oprow *r = &v[row[i]];
        r->at = fabs((double)r->at) < TIMES ? r->at : 0;
        place(l, r);
        if (!r->timed)
            continue;
        r->impossible = is_impossible(l, r);
        if (!r->impossible)
            note_end(l, r);
    }
    az_mem_free(l->job->mem, row, bytes);
    return 0;
}

/* Rows that are missing in the account, by their cells. */
static void warn_untimed(const struct line *l)
{
    const struct az_where at = AZ_AT_FILE(l->job->files[0].path);
    unsigned long long untimed = 0, negative = 0;
    for (size_t i = 0; i < l->r->rows.n; i++) {
        const struct az_oprow *r = &l->r->rows.v[i];
        untimed += r->kind == AZ_OPROW_DEVICE && !r->timed;
        negative += r->kind == AZ_OPROW_DEVICE && r->timed && r->kernel < 0;
    }
    if (untimed)
        az_diag_add(l->job->diag, AZ_WARNING, at,
                    "%llu device operation(s) without a duration are in no sum; check the device "
                    "profiler's buffers",
                    untimed);
    if (negative)
        az_diag_add(l->job->diag, AZ_WARNING, at,
                    "%llu device operation(s) with a negative duration are in no sum", negative);
}

int az_tracy_time_line(struct az_parse *job)
{
    struct line l = { .job = job, .r = az_opreport(job->trace) };
    int rc = open_line(&l);
    if (rc == 0 && l.r->files.n > 1)
        rc = align_hosts(&l);
    if (rc == 0)
        rc = place_all(&l);
    if (rc == 0)
        warn_untimed(&l);
    if (rc == 0)
        rc = find_covered(&l);
    if (rc == 0)
        rc = add_kernels(&l);
    if (rc == 0 && l.jumps)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(job->files[0].path),
                    "device clock jumps %llu time(s); the timeline continues at the host call: "
                    "check for a device reset or several runs",
                    (unsigned long long)l.jumps);
    az_mem_free(job->mem, l.clock, (l.n + 1) * sizeof *l.clock);
    az_mem_free(job->mem, l.others, (l.n + 1) * sizeof *l.others);
    return rc;
}
