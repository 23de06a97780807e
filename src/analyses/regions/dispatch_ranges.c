/* roctx_summary: host ranges by name with the device time launched inside; counter_summary:
 * hardware counters by kernel (docs/formats-rocprof.md 2.5, 6). */
#include <math.h>

#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "base/interval.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "tables/keys.h"

/* ---- ranges ---- */

struct inside { /* of all ranges of a name */
    int64_t kernels, kernel_ns, copies, copy_ns, busy_ns;
};

/* Device work whose launching call is in the range, on the range's thread. */
static int look_inside(struct az_job *job, size_t trace, uint32_t range, struct az_spans *busy,
                       struct inside *in)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *r = &t->ev[AZ_RANGE], *calls = &t->ev[AZ_CALL];
    int rc = 0;
    size_t stop;
    const struct az_launches *l = az_job_launches(job, trace, &rc);
    if (!l)
        return rc;
    az_vec_reset(busy);
    for (size_t i = az_launch_from(l, t, r->lane[range], r->start[range], &stop);
         rc == 0 && i < stop; i++) {
        if (calls->start[l->call[i]] > r->end[range])
            break;
        if (calls->end[l->call[i]] > r->end[range])
            continue;
        for (uint32_t k = l->op_first[i]; rc == 0 && k < l->op_first[i + 1]; k++) {
            const struct az_events *e = &t->ev[az_op_kind(l->op[k])];
            uint32_t row = az_op_row(l->op[k]);
            int64_t ns = az_ns(t, e->end[row] - e->start[row]);
            bool kernel = az_op_code(l->op[k]) == AZ_OP_KERNEL;
            in->kernels += kernel;
            in->copies += !kernel;
            in->kernel_ns += kernel ? ns : 0;
            in->copy_ns += kernel ? 0 : ns;
            rc = az_vec_push(busy, ((struct az_span){ e->start[row], e->end[row] }));
        }
    }
    az_spans_sort(busy);
    az_spans_union(busy);
    in->busy_ns += az_ns(t, az_spans_length(busy));
    return rc;
}

struct range_work {
    struct inside *in; /* by name */
    bool known;        /* without calls the work that a range launched is unknown */
};

#define INSIDE(what, x, div)                                                                       \
    static void put_##what(const struct az_scope *r, const struct az_group *g, struct az_table *t) \
    {                                                                                              \
        const struct range_work *w = r->ctx;                                                       \
        const struct inside *in = &w->in[az_item_name(r, &g->first)];                              \
        if (!w->known)                                                                             \
            az_put_empty(t);                                                                       \
        else if (div)                                                                              \
            az_put_f64(t, az_us_from_ns(in->x));                                                   \
        else                                                                                       \
            az_put_i64(t, in->x);                                                                  \
    }
INSIDE(kernels, kernels, false)
INSIDE(kernel_time, kernel_ns, true)
INSIDE(copies, copies, false)
INSIDE(copy_time, copy_ns, true)
INSIDE(busy, busy_ns, true)

#define US(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_US, flag)
#define COUNTED(header, how, flag)                                                                 \
    {                                                                                              \
        header, .figure = AZ_FIG_OWN, .type = AZ_INT, .unit = AZ_UNIT_COUNT, .flags = flag,        \
                .put = how                                                                         \
    }
#define TIMED(header, how, flag)                                                                   \
    {                                                                                              \
        header, .figure = AZ_FIG_OWN, .unit = AZ_UNIT_US, .flags = flag, .put = how                \
    }
static const struct az_table_spec range_summary = {
    "roctx_summary",
    "Device time by ROCTx range",
    AZ_TABLE_SUMMARY,
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_RANGE },
    .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "Total (µs)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER,
                   .sort = -1 },
                 US("Mean (µs)", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                 US("Median (µs)", AZ_FIG_MEDIAN, AZ_DETAIL),
                 US("Min (µs)", AZ_FIG_MIN, AZ_DETAIL),
                 US("Max (µs)", AZ_FIG_MAX, AZ_DETAIL),
                 COUNTED("Kernels", put_kernels, 0),
                 TIMED("Kernel time inside (µs)", put_kernel_time, AZ_SHARE),
                 COUNTED("Copies", put_copies, AZ_DETAIL),
                 TIMED("Copy time inside (µs)", put_copy_time, AZ_DETAIL),
                 TIMED("GPU busy inside (µs)", put_busy, 0) },
};

static int run_ranges(struct az_job *job)
{
    struct range_work w = { az_arena_array(job->arena, az_job_names(job) + 1, sizeof *w.in),
                            az_job_has(job, AZ_CAP_DISPATCHES | AZ_CAP_CALLS) };
    struct az_spans busy;
    int rc = w.in ? 0 : az_arena_error(job->arena);
    az_vec_init(&busy, job->mem);
    for (size_t k = 0; rc == 0 && w.known && k < job->n_traces; k++) {
        const struct az_trace *t = job->traces[k];
        const size_t n = az_dispatch_has(t) && (t->caps & AZ_CAP_CALLS) ? t->ev[AZ_RANGE].n : 0;
        for (uint32_t i = 0; rc == 0 && i < n; i++) {
            const uint32_t name = az_job_name(job, k, t->ev[AZ_RANGE].name[i]);
            if (name != AZ_NO_ID)
                rc = look_inside(job, k, i, &busy, &w.in[name]);
        }
    }
    az_vec_release(&busy);
    return rc ? rc : az_spec_make(job, &range_summary, &w, NULL);
}

/* ---- counters ---- */

struct counted {              /* a counter of one dispatch, its instances added up */
    uint32_t kernel, counter; /* numbers */
    double value;
};
AZ_VEC(struct counted, counteds);

static int add_instances(struct az_job *job, size_t trace, struct az_map *map, struct counteds *out)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_counters *c = &az_dispatches(t)->counters;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->n; i++) {
        const uint64_t key[] = { trace, c->v[i].proc, c->v[i].dispatch, c->v[i].kernel };
        uint32_t *at;
        bool added;
        struct counted one = { az_job_name(job, trace, c->v[i].kernel),
                               az_job_name(job, trace, c->v[i].counter), 0 };
        rc = az_map_put(map, az_hash(key, sizeof key), one.counter, (uint32_t)out->n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(out, one);
        if (rc == 0)
            out->v[*at].value += c->v[i].value;
    }
    return rc;
}

static int compare_counted(const void *pa, const void *pb, void *ctx)
{
    const struct counted *a = pa, *b = pb;
    (void)ctx;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    return a->kernel < b->kernel ? -1 : a->kernel > b->kernel;
}

struct counter_row {
    struct az_sv counter, kernel;
    int64_t dispatches;
    double sum, mean, least, most, std;
};
#define ROW struct counter_row
static const struct az_record_column counter_columns[] = {
    { "counter", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, counter), .sort = 1 },
    { "kernel", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, kernel), .sort = 3 },
    { "Dispatches", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, dispatches) },
    { "Sum", AZ_REAL, AZ_FIELD(ROW, sum), .sort = -2 },
    { "Mean", AZ_REAL, AZ_FIELD(ROW, mean) },
    { "Min", AZ_REAL, .flags = AZ_DETAIL, AZ_FIELD(ROW, least) },
    { "Max", AZ_REAL, .flags = AZ_DETAIL, AZ_FIELD(ROW, most) },
    { "Std", AZ_REAL, .flags = AZ_DETAIL, AZ_FIELD(ROW, std) },
};

static int counter_rows(struct az_job *job, struct az_table *t, struct counteds *c)
{
    double *values = az_arena_array(job->arena, c->n + 1, sizeof *values);
    int rc = values ? 0 : az_arena_error(job->arena);
    if (rc == 0)
        az_sort_cmp(c->v, c->n, sizeof *c->v, compare_counted, NULL, job->mem);
    for (size_t i = 0, end; rc == 0 && i < c->n; i = end) {
        double sum = 0, lo = INFINITY, hi = -INFINITY;
        for (end = i; end < c->n && compare_counted(&c->v[i], &c->v[end], NULL) == 0; end++) {
            double v = c->v[end].value;
            values[end - i] = v;
            sum += v;
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        az_put_row(t, &(ROW){ az_job_text(job, c->v[i].counter), az_job_text(job, c->v[i].kernel),
                              (int64_t)(end - i), sum, az_mean_f64(values, end - i), lo, hi,
                              az_std_f64(values, end - i, 1) });
    }
    return rc;
}

static int run_counters(struct az_job *job)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "counter_summary", "Hardware counters by kernel",
                        AZ_TABLE_SUMMARY, counter_columns);
    struct counteds c;
    struct az_map map;
    az_vec_init(&c, job->mem);
    int rc = 0;
    az_map_init(&map, job->mem, 64);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (az_dispatch_has(job->traces[i]))
            rc = add_instances(job, i, &map, &c);
    if (rc == 0)
        rc = counter_rows(job, t, &c);
    az_map_release(&map);
    az_vec_release(&c);
    return az_job_add(job, t, rc ? rc : az_record_sort(t));
}

const struct az_analysis az_analysis_amd_ranges = {
    .name = "dispatch_ranges",
    .help = "launched device time by ROCTx range",
    .needs = AZ_CAP_DISPATCHES | AZ_CAP_RANGES,
    .run = run_ranges,
};
const struct az_analysis az_analysis_amd_counters = {
    .name = "dispatch_counters",
    .help = "hardware counters by kernel",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_counters,
};
