/* gpu_timeline of a Genesis simulation as TraceLens reports it: without the compilation before its
 * steps (docs/from-tracelens-programs.md). The other sheets are of the whole run. */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "base/interval.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"

/* Dispatches that start at or after a time, of spans in start order. */
struct window {
    struct az_sv name;
    int64_t from; /* ns */
    size_t n;
    int64_t total, busy; /* ns */
};

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_span *a = x, *b = y;

    (void)ctx;
    return (a->start > b->start) - (a->start < b->start);
}

static int gather(struct az_job *job, struct az_spans *out)
{
    struct az_dispatch_list l;
    int rc = az_dispatch_list_make(job, AZ_KERNEL, &l);

    for (size_t i = 0; rc == 0 && i < l.n; i++) {
        const struct az_trace *t = az_dispatch_trace(job, &l, i);
        const struct az_events *e = &t->ev[AZ_KERNEL];
        rc = az_vec_push(
            out, ((struct az_span){ az_ns(t, e->start[l.row[i]]), az_ns(t, e->end[l.row[i]]) }));
    }
    az_dispatch_list_release(&l);
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_start, NULL, job->mem);
    return rc;
}

static void measure(const struct az_spans *s, struct window *w)
{
    int64_t first = 0, end = 0; /* end: of what came before */

    w->n = 0;
    w->busy = w->total = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct az_span *k = &s->v[i];
        if (k->start < w->from)
            continue;
        if (w->n++ == 0)
            first = end = k->start;
        if (k->end > end) {
            w->busy += k->end - (k->start > end ? k->start : end);
            end = k->end;
        }
    }
    w->total = end - first;
}

/* Start after the largest gap, if it is long enough; else before the last end by the fallback. */
static void after_gap(const struct az_spans *s, int64_t limit, int64_t fallback, struct window *w,
                      struct az_arena *a)
{
    int64_t gap = -1, end = s->v[0].end;

    for (size_t i = 1; i < s->n; i++) {
        if (az_add_sat(s->v[i].start, -end) > gap) {
            gap = az_add_sat(s->v[i].start, -end);
            w->from = s->v[i].start;
        }
        end = s->v[i].end; /* of the one before, as there */
    }
    if (gap >= limit) {
        w->name = az_arena_printf(a, "after_max_gap_%.1fms", az_ms_from_ns(gap));
        return;
    }
    w->name = AZ_SV("");
    w->from = fallback;
}

static double share(const struct window *w)
{
    return w->total > 0 ? (double)w->busy / (double)w->total : 0;
}

struct row {
    const char *type;
    double ms, percent;
};
static const struct az_record_column columns[] = {
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct row, type) },
    { "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct row, ms) },
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct row, percent) },
};

static int put_table(struct az_job *job, const struct window *w)
{
    const double total = az_ms_from_ns(w->total), busy = az_ms_from_ns(w->busy);
    const double k = total > 0 ? 100 / total : 0;
    const struct row rows[] = { { "total_time", total, total * k },
                                { "kernel", busy, busy * k },
                                { "memory", 0, 0 },
                                { "busy_time", busy, busy * k },
                                { "idle", total - busy, (total - busy) * k } };
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "genesis_timeline", "GPU timeline of the steps",
                        AZ_TABLE_SHORT | AZ_TABLE_SUMMARY, columns);

    if (t) {
        AZ_PUT_ROWS(t, rows, AZ_LENGTH(rows));
        t->note = az_arena_printf(job->arena, "Window %.*s: %zu dispatches", AZ_SVF(w->name), w->n);
    }
    az_cover(job, "dispatches in the window of gpu_timeline", (double)w->n, "count", w->name);
    return az_job_add(job, t, 0);
}

static int make_genesis(struct az_job *job)
{
    const struct az_options *o = job->opts;
    struct az_spans s;

    if (!az_sv_is(o->sheets_as, "tracelens-genesis"))
        return 0;
    az_vec_init(&s, job->mem);
    int rc = gather(job, &s);
    if (rc == 0 && s.n) {
        int64_t last = INT64_MIN;
        for (size_t i = 0; i < s.n; i++)
            last = s.v[i].end > last ? s.v[i].end : last;
        const int64_t back = -(int64_t)(o->steady_state_fallback_s * 1e9);
        struct window b = { .from = az_add_sat(last, back) }, a = b;
        b.name = az_arena_printf(job->arena, "last_%.1fs", o->steady_state_fallback_s);
        after_gap(&s, (int64_t)(o->steady_state_gap_ms * 1e6), b.from, &a, job->arena);
        if (!a.name.n)
            a.name = b.name;
        measure(&s, &a);
        measure(&s, &b);
        rc = put_table(job, share(&b) > share(&a) ? &b : &a);
    }
    az_vec_release(&s);
    return rc;
}

const struct az_analysis az_analysis_genesis = {
    .name = "genesis",
    .help = "sheets of TraceLens for Genesis simulations (sheets_as): GPU timeline of the steps",
    .needs = AZ_CAP_DISPATCHES,
    .run = make_genesis,
};
