/* gpu_timeline: where the time of each GPU goes, and the mean over the devices (docs/formats-xplane.md 6). Exact in
 * picoseconds. */
#include "analyses/compiled/compiled.h"
#include "analyses/list.h"
#include "base/num.h"
#include "facts/shared.h"

struct figures { /* ps */
    int64_t compute, exposed_comm, exposed_memory, busy, idle, micro, total, comm, memory;
};

struct sets {
    struct az_spans compute, comm, memory, all, tmp, rest;
};

static void sets_init(struct sets *s, struct az_mem *mem)
{
    az_vec_init(&s->compute, mem);
    az_vec_init(&s->comm, mem);
    az_vec_init(&s->memory, mem);
    az_vec_init(&s->all, mem);
    az_vec_init(&s->tmp, mem);
    az_vec_init(&s->rest, mem);
}

static void sets_release(struct sets *s)
{
    az_vec_release(&s->compute);
    az_vec_release(&s->comm);
    az_vec_release(&s->memory);
    az_vec_release(&s->all);
    az_vec_release(&s->tmp);
    az_vec_release(&s->rest);
}

static int gather(struct az_hx *h, uint32_t device, struct sets *s)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    const size_t trace = h->devices.v[device].trace;
    int rc = AZ_OK;
    az_vec_reset(&s->compute);
    az_vec_reset(&s->comm);
    az_vec_reset(&s->memory);
    az_vec_reset(&s->all);
    for (size_t k = 0; k < 3; k++) {
        const struct az_events *ev = &h->tr[trace].t->ev[kinds[k]];
        for (size_t i = 0; rc == 0 && i < ev->n; i++) {
            const struct az_hx_event e = { trace, i, kinds[k] };
            const struct az_span span = { ev->start[i], ev->end[i] };
            if (az_hx_device_of(h, &e) != device)
                continue;
            struct az_spans *to = kinds[k] != AZ_KERNEL ? &s->memory : az_hx_is_comm(h, &e) ? &s->comm : &s->compute;
            rc = az_vec_push(to, span);
            if (rc == 0)
                rc = az_vec_push(&s->all, span);
        }
    }
    return rc;
}

static int measure(struct sets *s, int64_t micro, struct figures *f)
{
    struct az_spans *const each[] = { &s->compute, &s->comm, &s->memory, &s->all };
    int rc = AZ_OK;
    *f = (struct figures){ 0 };
    for (size_t i = 0; rc == 0 && i < 4; i++) {
        rc = az_spans_sort(each[i]);
        az_spans_union(each[i]);
    }
    if (rc || s->all.n == 0)
        return rc;
    f->compute = az_spans_length(&s->compute);
    f->comm = az_spans_length(&s->comm);
    f->memory = az_spans_length(&s->memory);
    f->busy = az_spans_length(&s->all);
    f->total = s->all.v[s->all.n - 1].end - s->all.v[0].start;
    f->idle = f->total - f->busy;
    for (size_t i = 1; i < s->all.n; i++) {
        const int64_t gap = s->all.v[i].start - s->all.v[i - 1].end;
        f->micro += gap < micro ? gap : 0;
    }
    rc = az_spans_subtract(&s->comm, &s->compute, &s->tmp);
    f->exposed_comm = az_spans_length(&s->tmp);
    if (rc == 0)
        rc = az_spans_subtract(&s->memory, &s->compute, &s->tmp);
    if (rc == 0)
        rc = az_spans_subtract(&s->tmp, &s->comm, &s->rest);
    f->exposed_memory = az_spans_length(&s->rest);
    return rc;
}

enum { ROWS = 10 };

/* The rows in their order; `shown` without the split of idle time, or with it. */
static size_t rows_of(const struct figures *f, bool split, const char *names[ROWS], int64_t value[ROWS])
{
    const struct {
        const char *name;
        int64_t v;
        bool shown;
    } r[] = { { "computation_time", f->compute, true },
              { "exposed_comm_time", f->exposed_comm, true },
              { "exposed_memcpy_time", f->exposed_memory, true },
              { "busy_time", f->busy, true },
              { "idle_time", f->idle, !split },
              { "micro_idle_time", f->micro, split },
              { "macro_idle_time", f->idle - f->micro, split },
              { "total_time", f->total, true },
              { "total_comm_time", f->comm, true },
              { "total_memcpy_time", f->memory, true } };
    size_t n = 0;
    for (size_t i = 0; i < sizeof r / sizeof *r; i++) {
        if (!r[i].shown)
            continue;
        names[n] = r[i].name;
        value[n++] = r[i].v;
    }
    return n;
}

static void columns(struct az_table *t)
{
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
}

static void put(struct az_table *t, const char *name, double ps, double total)
{
    az_put_text(t, az_sv_str(name));
    az_put_f64(t, ps / 1e9);
    az_put_f64(t, total > 0 ? ps / total * 100 : 0);
}

static void check(struct az_hx *h, const struct figures *f)
{
    const int64_t rest = f->total - (f->compute + f->exposed_comm + f->exposed_memory + f->idle);
    if (rest)
        az_cover(h->job, "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)", (double)rest,
                 "ps", AZ_SV("must be 0: a defect of this program"));
}

static int by_device(struct az_hx *h, struct sets *s, bool split, int64_t micro, struct figures *sum, size_t *n)
{
    struct az_table *t = az_table_new(h->job->arena, "gpu_timeline", "GPU time line", AZ_TABLE_SUMMARY);
    int rc = t ? AZ_OK : az_arena_error(h->job->arena);
    if (!t)
        return rc;
    az_hx_device_column(h, t);
    columns(t);
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++) {
        const char *name[ROWS];
        int64_t value[ROWS];
        struct figures f;
        if (h->devices.v[d].kind != AZ_PLANE_GPU)
            continue;
        rc = gather(h, d, s);
        if (rc == 0)
            rc = measure(s, micro, &f);
        if (rc)
            break;
        check(h, &f);
        const size_t rows = rows_of(&f, split, name, value);
        for (size_t i = 0; i < rows; i++) {
            az_hx_put_device(h, t, d);
            put(t, name[i], (double)value[i], (double)f.total);
        }
        const int64_t *from = (const int64_t *)&f;
        int64_t *to = (int64_t *)sum;
        for (size_t i = 0; i < sizeof f / sizeof *from; i++)
            to[i] = az_add_sat(to[i], from[i]);
        ++*n;
    }
    return az_hx_emit(h->job, t, rc);
}

/* Means over the devices that have events; shares of the mean total. */
static int averages(struct az_hx *h, const struct figures *sum, size_t n, bool split)
{
    struct az_table *t = az_table_new(h->job->arena, "gpu_events_averages", "GPU time line, mean of the devices",
                                      h->devices.n > 1 ? AZ_TABLE_SUMMARY : 0);
    const char *name[ROWS];
    int64_t value[ROWS];
    if (!t)
        return az_arena_error(h->job->arena);
    columns(t);
    const size_t rows = rows_of(sum, split, name, value);
    for (size_t i = 0; n && i < rows; i++)
        put(t, name[i], (double)value[i] / (double)n, (double)sum->total / (double)n);
    return az_hx_emit(h->job, t, AZ_OK);
}

static int charts(struct az_job *job)
{
    static const struct az_sv parts[] = { { "computation_time", 16 },    { "exposed_comm_time", 17 },
                                          { "exposed_memcpy_time", 19 }, { "idle_time", 9 },
                                          { "micro_idle_time", 15 },     { "macro_idle_time", 15 } };
    const size_t n = sizeof parts / sizeof *parts;
    int rc = az_job_chart_parts(job, AZ_CHART_BAR, "gpu_events_averages", "GPU time line, mean of the devices",
                                "time_ms", NULL, parts, n);
    if (rc == 0)
        rc = az_job_chart_parts(job, AZ_CHART_STACKED_BAR, "gpu_timeline", "GPU time line by device", "time_ms",
                                "device", parts, n);
    return rc;
}

static int run(struct az_job *job)
{
    const bool split = job->opts->micro_idle_us != AZ_UNSET_I64;
    struct figures sum = { 0 };
    struct az_hx h;
    struct sets s;
    size_t n = 0;
    int rc = az_hx_open(&h, job);
    sets_init(&s, job->mem);
    if (rc == 0 && az_hx_has(&h, AZ_PLANE_GPU)) {
        rc = by_device(&h, &s, split, split ? job->opts->micro_idle_us * 1000000 : 0, &sum, &n);
        if (rc == 0)
            rc = averages(&h, &sum, n, split);
        if (rc == 0)
            rc = charts(job);
    }
    sets_release(&s);
    az_hx_close(&h);
    return rc;
}

const struct az_analysis az_analysis_hlo_timeline = {
    .name = "hlo_timeline",
    .help = "device time of GPUs by computation, communication, copies and idle, and its mean",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
