/* category_summary, xla_top, kernel_summary_by_shape, hip_summary: the activity report of a trace
 * of dispatches, made from the common model (docs/formats-rocprof.md 7.3 A; overlap by unions). */
#include "analyses/kernels/dispatch.h"
#include "analyses/registry_list.h"
#include "base/interval.h"
#include "base/time_units.h"
#include "classify/rules.h"
#include "document/record.h"
#include "facts/groups.h"
#include "tables/keys.h"
#include "tables/views.h"

/* In the order of the rows; the last three rows are sums. */
static const char *const classes[] = { "xla",   "aiterfwd", "aiterbwd",      "gemm",       "ckbwd",
                                       "ckfwd", "te",       "memcpy/memset", "fillBuffer", "rccl" };
enum { CLASSES = AZ_LENGTH(classes), RCCL = CLASSES - 1, ROWS = CLASSES + 4 };
static const char *const sums[] = { "overlapped_comm", "non_overlapped_comm", "compute_total",
                                    "total_incl_comm" };

struct work {
    struct az_job *job;
    struct az_dispatch_list kernels;
    struct az_dispatch_gpus gpus;
    struct az_groups of_gpu; /* places in `kernels` by GPU */
    struct decided {
        uint8_t *cls;     /* name id -> place in `classes` + 1 */
        uint32_t *number; /* name id -> number in `names` */
    } * of;               /* trace -> by whole name */
    struct az_rule_list rules;
    struct az_intern names; /* whole names, without digits where merge_kernels requests it */
    int64_t total_incl, total_compute; /* ns, all GPUs */
};

static bool long_enough(const struct work *w, int64_t ns)
{
    return ns >= w->job->opts->min_event_ns;
}

static int class_number(const struct work *w, const struct az_trace *t, uint32_t kernel,
                        struct az_sv whole)
{
    if (az_trace_is_comm(t, t->ev[AZ_KERNEL].name[kernel]))
        return RCCL;
    const struct az_sv c = az_rules_class_of(&w->rules, "activity", whole);
    for (int i = 0; i < CLASSES; i++)
        if (az_sv_is(c, classes[i]))
            return i;
    return 0;
}

/* Text without its digits, in the arena. */
static struct az_sv without_digits(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; out && i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            out[n++] = s.p[i];
    return az_sv_make(out, out ? n : 0);
}

/* Decides class and name once a shape's name, not once a kernel. */
static int prepare_trace(struct work *w, size_t trace)
{
    const struct az_trace *t = w->job->traces[trace];
    size_t n = t->names.text.n + 1;
    struct decided *d = &w->of[trace];
    d->cls = az_arena_array(w->job->arena, n, 1);
    d->number = az_arena_array(w->job->arena, n, sizeof *d->number);
    int rc = d->cls && d->number ? 0 : az_arena_error(w->job->arena);
    for (size_t k = 0; rc == 0 && k < t->ev[AZ_KERNEL].n; k++) {
        uint32_t id = az_dispatch_list_shape(t, (uint32_t)k)->whole;
        struct az_sv name = az_trace_text(t, id);
        if (d->cls[id])
            continue;
        d->cls[id] = (uint8_t)(1 + class_number(w, t, (uint32_t)k, name));
        rc = az_intern(&w->names,
                       w->job->opts->merge_kernels ? without_digits(w->job->arena, name) : name,
                       &d->number[id]);
    }
    return rc;
}

static int sort_by_gpu(struct work *w)
{
    const size_t n = w->kernels.n, bytes = (n + 1) * sizeof(uint32_t);
    uint32_t *gpu = az_mem_alloc(w->job->mem, bytes);
    if (!gpu)
        return az_mem_error(w->job->mem);
    for (size_t i = 0; i < n; i++)
        gpu[i] = (uint32_t)az_dispatch_gpu_of(
            &w->gpus, w->kernels.trace[i],
            az_dispatch_lane(w->job, AZ_KERNEL, &w->kernels, i)->device);
    const int rc = az_groups_order(&w->of_gpu, gpu, n, w->gpus.list.n, w->job->mem);
    az_mem_free(w->job->mem, gpu, bytes);
    return rc;
}

static int prepare(struct work *w)
{
    int rc = az_dispatch_list_make(w->job, AZ_KERNEL, &w->kernels);
    if (rc == 0)
        rc = az_dispatch_gpus_make(w->job, &w->gpus);
    if (rc == 0)
        rc = sort_by_gpu(w);
    if (rc == 0)
        rc = az_rules_read_group("amd_activity.rules", "activity", w->job->arena, &w->rules);
    w->of = az_arena_array(w->job->arena, w->job->n_traces, sizeof *w->of);
    if (rc == 0 && !w->of)
        rc = az_arena_error(w->job->arena);
    for (size_t i = 0; rc == 0 && i < w->job->n_traces; i++)
        if (az_dispatch_has(w->job->traces[i]))
            rc = prepare_trace(w, i);
    return rc;
}

static int class_of(const struct work *w, size_t trace, uint32_t kernel)
{
    return w->of[trace].cls[az_dispatch_list_shape(w->job->traces[trace], kernel)->whole] - 1;
}

/* ---- category_summary ---- */

struct figures {
    double ms[ROWS], count[ROWS];
};

static int measure(struct work *w, size_t gpu, struct figures *f)
{
    struct az_spans comm, compute;
    int64_t ns[ROWS] = { 0 };
    int rc = 0;
    *f = (struct figures){ .ms = { 0 } };
    az_vec_init(&comm, w->job->mem);
    az_vec_init(&compute, w->job->mem);
    for (uint32_t at = w->of_gpu.first[gpu]; rc == 0 && at < w->of_gpu.first[gpu + 1]; at++) {
        const uint32_t i = w->of_gpu.item[at];
        const struct az_events *e = &az_dispatch_trace(w->job, &w->kernels, i)->ev[AZ_KERNEL];
        if (!long_enough(w, w->kernels.length[i]))
            continue;
        int c = class_of(w, w->kernels.trace[i], w->kernels.row[i]);
        struct az_span s = { e->start[w->kernels.row[i]], e->end[w->kernels.row[i]] };
        ns[c] += w->kernels.length[i];
        f->count[c]++;
        rc = c == RCCL ? az_vec_push(&comm, s) : az_vec_push(&compute, s);
    }
    az_spans_union(&comm); /* in start order: the list of a trace is sealed */
    az_spans_union(&compute);
    ns[CLASSES] = az_spans_overlap(&comm, &compute);
    ns[CLASSES + 1] = ns[RCCL] - ns[CLASSES];
    for (int c = 0; c < RCCL; c++)
        ns[CLASSES + 2] += ns[c];
    ns[CLASSES + 3] = ns[CLASSES + 2] + ns[RCCL];
    w->total_incl += ns[CLASSES + 3];
    w->total_compute += ns[CLASSES + 2];
    for (int c = 0; c < ROWS; c++)
        f->ms[c] = az_ms_from_ns(ns[c]);
    az_vec_release(&comm);
    az_vec_release(&compute);
    return rc;
}

static double share(double part, double whole) { return whole == 0 ? 0.0 : part / whole; }

struct row {
    struct az_sv gpu;
    const char *category;
    double ms, count, of_compute, of_total;
};
static const struct az_record_column category_summary_columns[] = {
    { "GPU ID", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct row, gpu) },
    { "Category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct row, category) },
    { "Total runtime (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct row, ms) },
    { "Total count", AZ_REAL, AZ_UNIT_COUNT, AZ_FIELD(struct row, count) },
    { "Fraction of compute runtime", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct row, of_compute) },
    { "Fraction of total runtime", AZ_REAL, AZ_UNIT_RATIO, AZ_SHARE,
      AZ_FIELD(struct row, of_total) },
};

static const char *row_name(int c) { return c < CLASSES ? classes[c] : sums[c - CLASSES]; }

/* Rows of the means over the GPUs, by the byte order of the category. */
static void put_means(struct work *w, struct az_table *t, const struct row *mean)
{
    bool done[ROWS] = { false };
    for (int n = 0; n < ROWS; n++) {
        int next = -1;
        for (int c = 0; c < ROWS; c++)
            if (!done[c] && (next < 0 || strcmp(row_name(c), row_name(next)) < 0))
                next = c;
        done[next] = true;
        double d = (double)w->gpus.list.n;
        az_put_row(t, &(struct row){ AZ_SV("Avg"), row_name(next), mean[next].ms / d,
                                     mean[next].count / d, mean[next].of_compute / d,
                                     mean[next].of_total / d });
    }
}

/* Does the report have a table of classes already that is better? */
static bool is_replaced(const struct az_job *job)
{
    const struct az_view_choice choice = { .compat = job->opts->compat };
    return az_sv_is(job->opts->sheets_as, "own") &&
           !az_views_wanted(job->doc, "category_summary", choice);
}

/* One that is replaced has no more rows than it takes to be listed as replaced. */
static int category_summary(struct work *w)
{
    struct az_table *t =
        AZ_RECORD_TABLE(w->job->arena, "category_summary", "Kernel time by class and GPU", 0,
                        category_summary_columns);
    struct row mean[ROWS] = { { .ms = 0 } };
    struct figures f;
    const size_t listed = is_replaced(w->job) ? 0 : w->gpus.list.n;
    int rc = 0;
    for (size_t g = 0; rc == 0 && g < w->gpus.list.n; g++) {
        rc = measure(w, g, &f);
        struct az_sv id = az_arena_printf(w->job->arena, "%zu", g);
        for (int c = 0; rc == 0 && c < ROWS; c++) {
            const struct row r = { id,
                                   row_name(c),
                                   f.ms[c],
                                   f.count[c],
                                   share(f.ms[c], f.ms[CLASSES + 2]),
                                   share(f.ms[c], f.ms[CLASSES + 3]) };
            if (g < listed)
                az_put_row(t, &r);
            mean[c].ms += r.ms;
            mean[c].count += r.count;
            mean[c].of_compute += r.of_compute;
            mean[c].of_total += r.of_total;
        }
    }
    if (rc == 0 && w->gpus.list.n)
        put_means(w, t, mean);
    return az_job_add(w->job, t, rc);
}

/* ---- xla_top: kernels of no class, however short ---- */

static bool no_class(const struct az_scope *r, const struct az_item *i)
{
    return class_of(r->ctx, i->trace, i->row) == 0;
}

static bool whole_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const struct work *w = r->ctx;
    *number = w->of[i->trace].number[az_dispatch_list_shape(az_item_trace(r, i), i->row)->whole];
    return true;
}

static void put_whole(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    const struct work *w = r->ctx;
    uint64_t number = 0;
    whole_of(r, i, &number);
    az_put_copy(t, az_intern_text(&w->names, (uint32_t)number));
}

/* All that distinguishes rows is of the shape. */
static uint32_t shape_of(const struct az_scope *r, const struct az_item *i)
{
    return az_dispatch_of(az_item_trace(r, i), i->row)->shape;
}

static const struct az_key whole = { AZ_TEXT, .of = whole_of, .put = put_whole };

static const struct az_table_spec xla_top = {
    "xla_top",
    "Largest unclassified kernels",
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = no_class,
    .number_of = shape_of,
    .columns = { { "Kernel", &whole, .flags = AZ_KEY, .sort = 2 },
                 { "Total time (ms)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Count", .figure = AZ_FIG_COUNT },
                 { "Fraction of XLA", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_RATIO,
                   .flags = AZ_SHARE } },
};

/* ---- statistics by name and shape ---- */

/* "982 ns", "13.555 μs", "1.210 ms", "2.000 s" */
static struct az_sv time_text(struct az_arena *a, double ns)
{
    if (ns < 1e3)
        return az_arena_printf(a, "%lld ns", (long long)ns);
    if (ns < 1e6)
        return az_arena_printf(a, "%.3f μs", ns / 1e3);
    return ns < 1e9 ? az_arena_printf(a, "%.3f ms", ns / 1e6)
                    : az_arena_printf(a, "%.3f s", ns / 1e9);
}

static void put_percent(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_text(t, az_arena_printf(r->job->arena, "%.1f%%", g->percent));
}

#define PUT_TIME(what, x)                                                                          \
    static void put_##what(const struct az_scope *r, const struct az_group *g, struct az_table *t) \
    {                                                                                              \
        az_put_text(t, time_text(r->job->arena, x));                                               \
    }
PUT_TIME(sum, (double)g->value->sum)
PUT_TIME(mean, g->value->mean)
PUT_TIME(median, g->value->median)
PUT_TIME(min, g->value->min)
PUT_TIME(max, g->value->max)
PUT_TIME(std, g->n < 2 ? 0.0 : g->value->std * __builtin_sqrt((double)(g->n - 1) / (double)g->n))

/* clang-format off */
#define TEXT(header, how) { header, .figure = AZ_FIG_OWN, .type = AZ_TEXT, .flags = AZ_DETAIL, .put = how }
#define TEXTS                                                                                                          \
    TEXT("Time", put_percent), TEXT("Total Time", put_sum),                                                            \
    { "Instances", .figure = AZ_FIG_COUNT, .flags = AZ_DETAIL },                                                       \
    TEXT("Avg", put_mean), TEXT("Med", put_median), TEXT("Min", put_min), TEXT("Max", put_max), TEXT("StdDev", put_std)
#define NS(header, what) AZ_FIGURE(header, what, 0, AZ_UNIT_NS, AZ_DETAIL)
#define NUMBERS                                                                                                        \
    { "Time %", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE },                                  \
    { "Total Time (ns)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .flags = AZ_LOWER_BETTER, .sort = -1 },             \
    NS("Avg (ns)", AZ_FIG_MEAN), NS("Med (ns)", AZ_FIG_MEDIAN), NS("Min (ns)", AZ_FIG_MIN),                            \
    NS("Max (ns)", AZ_FIG_MAX), NS("StdDev (ns)", AZ_FIG_STD_POPULATION)
/* clang-format on */

static int64_t product(const uint32_t v[3])
{
    int64_t p = 1;
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(p, v[i] ? (int64_t)v[i] : 1, &p))
            return INT64_MAX;
    return p;
}

static bool long_kernel(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *ev = az_item_events(r, i);
    const struct work *w = r->ctx;
    return (w->job->opts->kernel_summary_include_rccl || class_of(w, i->trace, i->row) != RCCL) &&
           long_enough(w, az_ns(az_item_trace(r, i), ev->end[i->row] - ev->start[i->row]));
}

static double all_kernels(const struct az_scope *r)
{
    const struct work *w = r->ctx;
    const bool compute = az_sv_is(w->job->opts->kernel_summary_baseline, "compute");

    return (double)(compute ? w->total_compute : w->total_incl);
}

#define SHAPE_KEY(what, x)                                                                         \
    static int64_t what##_of(const struct az_scope *r, const struct az_item *i)                    \
    {                                                                                              \
        const struct az_dispatch_shape *s = az_dispatch_list_shape(az_item_trace(r, i), i->row);   \
        return (x);                                                                                \
    }
SHAPE_KEY(grid, product(s->grid))
SHAPE_KEY(block, product(s->block))
SHAPE_KEY(vgpr, s->vgpr)
SHAPE_KEY(agpr, s->agpr)
SHAPE_KEY(sgpr, s->sgpr)
SHAPE_KEY(lds, s->lds)
SHAPE_KEY(scratch, s->scratch)
SHAPE_KEY(one, s ? 1 : 1) /* of sizes only the product is known */

static struct az_sv grid_text(const struct az_scope *r, const struct az_item *i)
{
    return az_arena_printf(r->job->arena, "%7lld%5d%5d", (long long)grid_of(r, i), 1, 1);
}

static struct az_sv block_text(const struct az_scope *r, const struct az_item *i)
{
    return az_arena_printf(r->job->arena, "%7lld%5d%5d", (long long)block_of(r, i), 1, 1);
}

#define SHAPE(unit, what)                                                                          \
    &(const struct az_key) { AZ_INT, unit, .integer = what##_of }
#define REGISTERS(header, what, unit, n)                                                           \
    {                                                                                              \
        header, SHAPE(unit, what), .flags = AZ_KEY | AZ_DETAIL, .sort = n                          \
    }
#define SIZE(header, what, n)                                                                      \
    {                                                                                              \
        header, SHAPE(AZ_UNIT_COUNT, what), .flags = AZ_DETAIL, .sort = n                          \
    }

#define ONE(header)                                                                                \
    {                                                                                              \
        header, SHAPE(AZ_UNIT_COUNT, one), .flags = AZ_DETAIL, .follows = true                     \
    }

static const struct az_table_spec by_shape = {
    "kernel_summary_by_shape",
    "Compute kernels by launch configuration",
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = long_kernel,
    .number_of = shape_of,
    .whole = all_kernels,
    .columns = { TEXTS,
                 { "GridXYZ", &(const struct az_key){ AZ_TEXT, .text = grid_text }, .flags = AZ_KEY,
                   .follows = true },
                 { "BlockXYZ", &(const struct az_key){ AZ_TEXT, .text = block_text },
                   .flags = AZ_KEY, .follows = true },
                 REGISTERS("VGPR", vgpr, AZ_UNIT_COUNT, 5),
                 REGISTERS("AccumVGPR", agpr, AZ_UNIT_COUNT, 6),
                 REGISTERS("SGPR", sgpr, AZ_UNIT_COUNT, 7),
                 REGISTERS("LDS", lds, AZ_UNIT_BYTES, 8),
                 REGISTERS("Scratch", scratch, AZ_UNIT_BYTES, 9),
                 { "Name", &whole, .flags = AZ_KEY, .sort = 2 },
                 NUMBERS,
                 SIZE("GridX", grid, 3),
                 ONE("GridY"),
                 ONE("GridZ"),
                 SIZE("BlockX", block, 4),
                 ONE("BlockY"),
                 ONE("BlockZ") },
};

/* The same without configurations. */
static const struct az_table_spec by_name = {
    "kernel_summary_by_shape",
    "Compute kernels by name",
    .needs = AZ_CAP_DISPATCHES,
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .keep = long_kernel,
    .number_of = shape_of,
    .whole = all_kernels,
    .columns = { TEXTS, { "Name", &whole, .flags = AZ_KEY, .sort = 2 }, NUMBERS },
};

/* ---- hip_summary: calls of the HIP domain by name, stream, operation ---- */

static bool long_hip(const struct az_scope *r, const struct az_item *i)
{
    const struct az_events *ev = az_item_events(r, i);
    const struct az_sv domain = az_trace_text(az_item_trace(r, i), ev->side[i->row]);
    return domain.n >= 3 && az_sv_ieq(az_sv_make(domain.p, 3), AZ_SV("hip")) &&
           long_enough(r->ctx, az_ns(az_item_trace(r, i), ev->end[i->row] - ev->start[i->row]));
}

/* Zeros where the file has none. */
static struct az_call_note note_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_trace *t = az_item_trace(r, i);
    const struct az_call_notes *notes = &az_dispatches(t)->call_notes;
    const uint32_t *uid = t->ev[AZ_CALL].uid;

    return uid && uid[i->row] < notes->n ? notes->v[uid[i->row]] : (struct az_call_note){ 0, 0 };
}

static int64_t stream_of(const struct az_scope *r, const struct az_item *i)
{
    return note_of(r, i).stream;
}

static int64_t operation_of(const struct az_scope *r, const struct az_item *i)
{
    return note_of(r, i).operation;
}

#define HIP_CALLS(...)                                                                             \
    {                                                                                              \
        "hip_summary", "HIP calls",                                                                \
            .needs = AZ_CAP_DISPATCHES, .n_kinds = 1, .kinds = { AZ_CALL }, .keep = long_hip,      \
            .columns = { TEXTS, __VA_ARGS__{ "Name", &az_key_name, .flags = AZ_KEY, .sort = 2 },   \
                         NUMBERS },                                                                \
    }
#define CALL_KEY(header, what, n)                                                                  \
    { header, SHAPE(AZ_UNIT_COUNT, what), .flags = AZ_KEY | AZ_DETAIL, .sort = n },
#define STREAM    CALL_KEY("Stream", stream, 3)
#define OPERATION CALL_KEY("Op", operation, 4)

static const struct {
    const char *group;
    struct az_table_spec spec;
} hip_summaries[] = { { "name", HIP_CALLS() },
                      { "name+stream", HIP_CALLS(STREAM) },
                      { "name+op", HIP_CALLS(OPERATION) },
                      { "name+stream+op", HIP_CALLS(STREAM OPERATION) } };

static const struct az_table_spec *hip_summary(struct az_sv group)
{
    size_t i = AZ_LENGTH(hip_summaries) - 1;

    while (i && !az_sv_is(group, hip_summaries[i].group))
        i--;
    return &hip_summaries[i].spec;
}

static int run_dispatch_activity(struct az_job *job)
{
    struct work w = { .job = job };
    az_intern_init(&w.names, job->arena, job->mem);
    int rc = prepare(&w);
    if (rc == 0)
        rc = category_summary(&w);
    struct az_table_spec top = xla_top;
    top.top = (size_t)job->opts->top_xla;
    const bool named = az_sv_is(job->opts->kernel_summary_group, "name");
    if (rc == 0)
        rc = az_spec_make(job, &top, &w, NULL);
    if (rc == 0 && !job->opts->no_kernel_summary)
        rc = az_spec_make(job, named ? &by_name : &by_shape, &w, NULL);
    az_dispatch_list_release(&w.kernels);
    if (rc == 0 && !job->opts->no_hip_summary)
        rc = az_spec_make(job, hip_summary(job->opts->hip_summary_group), &w, NULL);
    az_dispatch_gpus_release(&w.gpus);
    az_groups_release(&w.of_gpu);
    az_intern_release(&w.names);
    return rc;
}

const struct az_analysis az_analysis_amd_activity = {
    .name = "dispatch_activity",
    .help =
        "kernel time by class and GPU, largest kernels, kernels by launch configuration, HIP calls",
    .needs = AZ_CAP_DISPATCHES,
    .run = run_dispatch_activity,
};
