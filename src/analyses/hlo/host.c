/* Steps, and the host: step_times, host_compile, host_summary (docs/formats-xplane.md 11). */
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

/* ---- steps ---- */

enum { OTHER = AZ_NO_ID - 1 }; /* no operation */

struct run_of { /* executions of a program on one device */
    uint64_t program;
    uint32_t module, set; /* set: of one of its kernels */
    bool has;
    int64_t ticks;
};

/* Of each set of equal kernels: the number of its program on the device + 1; 0: it has
 * none, or is of another device. */
static int number_programs(struct az_hlo *h, uint32_t device, uint32_t **out)
{
    const size_t k = h->devices.v[device].trace;
    int rc = az_hlo_group_kernels(h);
    const struct az_hlo_sets *a = h->tr[k].same_kernels;
    struct az_map of;
    uint32_t n = 0,
             *number = rc == 0 ? az_arena_array(h->job->arena, a->n + 1, sizeof *number) : NULL;
    *out = number;
    if (!number)
        return rc ? rc : az_arena_error(h->job->arena);
    az_map_init(&of, h->job->mem, 16);
    for (size_t i = 0; rc == 0 && i < a->n; i++) {
        const struct az_hlo_event e = { k, a->v[i].first, AZ_KERNEL };
        const struct az_xrow *row = az_hlo_row(h, &e);
        uint32_t *at;
        bool added;
        if (!row || !row->has_program || a->v[i].plane != h->devices.v[device].plane)
            continue;
        rc = az_map_put(&of, row->program, 0, n, &at, &added);
        n += rc == 0 && added;
        number[i] = rc ? 0 : *at + 1;
    }
    az_map_release(&of);
    return rc;
}

/* The program with the most kernel time on a device. */
static int main_program(struct az_hlo *h, uint32_t device, struct run_of *best)
{
    const size_t k = h->devices.v[device].trace;
    const struct az_events *ev = &h->tr[k].t->ev[AZ_KERNEL];
    uint32_t *number;
    *best = (struct run_of){ .ticks = -1 };
    int rc = number_programs(h, device, &number);
    int64_t *sum =
        rc == 0 ? az_arena_array(h->job->arena, h->tr[k].same_kernels->n + 2, sizeof *sum) : NULL;
    if (!sum)
        return rc ? rc : az_arena_error(h->job->arena);
    const uint32_t *set_of = h->tr[k].same_kernels->of;
    for (size_t i = 0; i < ev->n; i++) {
        const uint32_t at = number[set_of[i]];
        if (at == 0)
            continue;
        sum[at] = az_add_sat(sum[at], ev->end[i] - ev->start[i]);
        if (sum[at] > best->ticks)
            *best = (struct run_of){ .set = set_of[i], .has = true, .ticks = sum[at] };
    }
    if (best->has) {
        const struct az_hlo_event e = { k, h->tr[k].same_kernels->v[best->set].first, AZ_KERNEL };
        const struct az_xrow *row = az_hlo_row(h, &e);
        best->program = row->program;
        best->module = row->module;
    }
    return AZ_OK;
}

/* Operations of the sets of a program on a device; AZ_NO_ID - 1: of others. */
static uint32_t *operations_of(struct az_hlo *h, uint32_t device, const struct run_of *p)
{
    const size_t k = h->devices.v[device].trace;
    const struct az_hlo_sets *a = h->tr[k].same_kernels;
    uint32_t *op = az_arena_array(h->job->arena, a->n + 1, sizeof *op);
    for (size_t i = 0; op && i < a->n; i++) {
        const struct az_hlo_event e = { k, a->v[i].first, AZ_KERNEL };
        const struct az_xrow *row = az_hlo_row(h, &e);
        const bool its = row && row->has_program && row->program == p->program &&
                         a->v[i].plane == h->devices.v[device].plane;
        op[i] = its ? row->op : OTHER;
    }
    return op;
}

/* Executions of a program: a new one begins where its first operation comes again. */
static int program_runs(struct az_hlo *h, uint32_t device, const struct run_of *p,
                        struct az_vec_i64 *out)
{
    const size_t k = h->devices.v[device].trace;
    const struct az_events *ev = &h->tr[k].t->ev[AZ_KERNEL];
    const uint32_t *op = operations_of(h, device, p), *set_of = h->tr[k].same_kernels->of;
    uint32_t first = AZ_NO_ID;
    int64_t begin = 0, end = 0;
    int rc = op ? AZ_OK : az_arena_error(h->job->arena);
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        const uint32_t own = op[set_of[i]];
        if (own == OTHER)
            continue;
        if (first == AZ_NO_ID) {
            first = own;
            begin = ev->start[i];
        } else if (own == first && ev->start[i] >= end) {
            rc = az_vec_push(out, end - begin);
            begin = ev->start[i];
        }
        end = ev->end[i] > end || begin == ev->start[i] ? ev->end[i] : end;
    }
    return rc == 0 && p->has ? az_vec_push(out, end - begin) : rc;
}

/* Ranges of one role on a device; with MODULES those of the name that takes the most time. */
static int range_runs(struct az_hlo *h, uint32_t device, enum az_xlane_role role, uint32_t *name,
                      struct az_vec_i64 *out)
{
    const struct az_hlo_device *d = &h->devices.v[device];
    const struct az_trace *t = h->tr[d->trace].t;
    const struct az_events *ev = &t->ev[AZ_GPU_RANGE];
    int64_t *sum = az_arena_array(h->job->arena, t->names.text.n + 1, sizeof *sum), most = -1;
    int rc = sum ? AZ_OK : az_arena_error(h->job->arena);
    *name = AZ_NO_ID;
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        if (h->tr[d->trace].x->roles.v[ev->lane[i]] != role ||
            t->lanes.v[ev->lane[i]].context != d->plane)
            continue;
        sum[ev->name[i]] = az_add_sat(sum[ev->name[i]], ev->end[i] - ev->start[i]);
        if (sum[ev->name[i]] > most) {
            most = sum[ev->name[i]];
            *name = ev->name[i];
        }
    }
    for (size_t i = 0; rc == 0 && i < ev->n; i++)
        if (h->tr[d->trace].x->roles.v[ev->lane[i]] == role &&
            t->lanes.v[ev->lane[i]].context == d->plane &&
            (role == AZ_XLANE_STEPS || ev->name[i] == *name))
            rc = az_vec_push(out, ev->end[i] - ev->start[i]);
    return rc;
}

struct step_row {
    const struct az_hlo_device *device;
    const char *source;
    struct az_sv program;
    struct az_stats runs; /* ps */
    int64_t iterations;
    double busy_ms; /* per iteration; NaN */
};
#define ROW struct step_row
#define RUNS(header, flags, field)                                                                 \
    {                                                                                              \
        header, AZ_REAL, AZ_UNIT_US, flags, AZ_FIELD(ROW, runs.field), .ps = true                  \
    }
static const struct az_record_column step_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(ROW, device),
    { "source", AZ_TEXT, AZ_FIELD(ROW, source) },
    { "program", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, program) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, runs.n) },
    RUNS("total_us", AZ_LOWER_BETTER, sum),
    RUNS("mean_us", AZ_LOWER_BETTER, mean),
    RUNS("median_us", AZ_DETAIL, median),
    RUNS("std_us", AZ_DETAIL, std),
    RUNS("min_us", AZ_DETAIL, min),
    RUNS("max_us", AZ_DETAIL, max),
    { "iterations", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, iterations) },
    { "busy_ms_per_iteration", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, busy_ms) },
};

static void put_steps(struct az_hlo *h, struct az_table *t, uint32_t device, const char *source,
                      struct az_sv program, struct az_vec_i64 *runs, int64_t busy)
{
    struct step_row r = { .device = &h->devices.v[device], .source = source, .program = program };
    r.iterations = h->job->opts->iters > 0 ? h->job->opts->iters : (int64_t)runs->n;
    r.busy_ms = r.iterations > 0 ? az_ms_from_ps(busy) / (double)r.iterations : NAN;
    az_stats_i64(runs->v, runs->n, &r.runs);
    az_put_row(t, &r);
}

/* Time in which any kernel of the device ran: operations of a TPU nest. */
static int64_t busy_time(struct az_hlo *h, uint32_t device)
{
    const size_t k = h->devices.v[device].trace;
    const struct az_events *ev = &h->tr[k].t->ev[AZ_KERNEL];
    int64_t busy = 0, until = INT64_MIN;
    for (size_t i = 0; i < ev->n; i++) { /* sorted by start */
        const struct az_hlo_event e = { k, i, AZ_KERNEL };
        if (az_hlo_device_of(h, &e) != device || ev->end[i] <= until)
            continue;
        busy = az_add_sat(busy, ev->end[i] - (ev->start[i] > until ? ev->start[i] : until));
        until = ev->end[i];
    }
    return busy;
}

/* By the profiler's steps, else its runs of programs, else repetitions of the program with the most
 * time. */
static int device_steps(struct az_hlo *h, struct az_table *t, uint32_t device,
                        struct az_vec_i64 *runs)
{
    const struct az_trace *tr = h->tr[h->devices.v[device].trace].t;
    const char *source = "profiler steps";
    struct run_of p;
    uint32_t name;
    az_vec_reset(runs);
    int rc = range_runs(h, device, AZ_XLANE_STEPS, &name, runs);
    struct az_sv program = { "", 0 };
    if (rc == 0 && runs->n == 0) {
        source = "main program runs";
        rc = range_runs(h, device, AZ_XLANE_MODULES, &name, runs);
        program = az_trace_text(tr, name);
    }
    if (rc == 0 && runs->n == 0 && h->devices.v[device].kind == AZ_PLANE_GPU) {
        source = "main program repetitions (estimated)";
        rc = main_program(h, device, &p);
        if (rc == 0)
            rc = program_runs(h, device, &p, runs);
        program = p.has ? az_arena_printf(h->job->arena, "%.*s(%llu)",
                                          AZ_SVF(az_trace_text(tr, p.module)),
                                          (unsigned long long)p.program)
                        : AZ_SV("");
    }
    if (rc == 0 && runs->n)
        put_steps(h, t, device, source, program, runs, busy_time(h, device));
    return rc;
}

static int steps(struct az_hlo *h)
{
    struct az_table *t =
        AZ_RECORD_TABLE_OF(h->job->arena, "step_times", "Steps", AZ_TABLE_SUMMARY, step_columns, h);
    struct az_vec_i64 runs;
    int rc = AZ_OK;
    az_vec_init(&runs, h->job->mem);
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++)
        if (h->devices.v[d].kernels)
            rc = device_steps(h, t, d, &runs);
    az_vec_release(&runs);
    return az_job_add(h->job, t, rc);
}

/* ---- host ---- */

struct host_row {
    struct az_sv host, name;
    int64_t count, ticks;
    int64_t min, max; /* not of compilation */
};
#undef ROW
#define ROW struct host_row
AZ_OF_RECORD(double, mean_us, ROW, az_us_from_ps(r->ticks) / (double)r->count)
/* clang-format off */
#define HOST_COLUMNS                                                                               \
    { "host", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, host), .when = az_hlo_several, .sort = 2 },  \
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .sort = 3 },                          \
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count), .sort = 4 },                           \
    { "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, ticks), .ps = true,          \
      .sort = -1 }
/* clang-format on */
static const struct az_record_column compile_columns[] = { HOST_COLUMNS };
static const struct az_record_column summary_columns[] = {
    HOST_COLUMNS,
    { "mean_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = mean_us },
    { "min_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, min), .ps = true },
    { "max_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, max), .ps = true },
};

static int host_summary(struct az_hlo *h)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(h->job->arena, "host_summary", "Host events by name", 0,
                                            summary_columns, h);
    for (size_t k = 0; k < h->n; k++) {
        for (size_t i = 0; i < h->tr[k].x->host.n; i++) {
            const struct az_xhost *x = &h->tr[k].x->host.v[i];
            az_put_row(t, &(struct host_row){ az_hlo_host(h, k), az_trace_text(h->tr[k].t, x->name),
                                              (int64_t)x->count, x->ticks, x->min, x->max });
        }
    }
    return az_job_add(h->job, t, az_record_sort(t));
}

/* Events of compilation by name; they nest, so that the last row counts each moment once. */
static int compile_rows(struct az_hlo *h, struct az_table *t, size_t k)
{
    const struct az_trace *tr = h->tr[k].t;
    const struct az_events *ev = &tr->ev[AZ_RANGE];
    const size_t names = tr->names.text.n + 1;
    struct az_spans all;
    int64_t *sum = az_arena_array(h->job->arena, names, sizeof *sum);
    int64_t *count = az_arena_array(h->job->arena, names, sizeof *count);
    int rc = sum && count ? AZ_OK : az_arena_error(h->job->arena);
    az_vec_init(&all, h->job->mem);
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        sum[ev->name[i]] = az_add_sat(sum[ev->name[i]], ev->end[i] - ev->start[i]);
        count[ev->name[i]]++;
        rc = az_vec_push(&all, ((struct az_span){ ev->start[i], ev->end[i] }));
    }
    for (size_t n = 0; rc == 0 && n < names; n++) {
        if (!count[n])
            continue;
        az_put_row(t, &(struct host_row){ .host = az_hlo_host(h, k),
                                          .name = az_trace_text(tr, (uint32_t)n),
                                          .count = count[n],
                                          .ticks = sum[n] });
    }
    if (rc == 0 && ev->n) {
        az_spans_sort(&all);
        az_spans_union(&all);
        az_put_row(t, &(struct host_row){ .host = az_hlo_host(h, k),
                                          .name = AZ_SV("(any of these)"),
                                          .count = (int64_t)ev->n,
                                          .ticks = az_spans_length(&all) });
    }
    az_vec_release(&all);
    return rc;
}

static int host_compile(struct az_hlo *h)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(h->job->arena, "host_compile", "Host compilation",
                                            AZ_TABLE_SUMMARY, compile_columns, h);
    int rc = AZ_OK;
    for (size_t k = 0; rc == 0 && k < h->n; k++)
        rc = compile_rows(h, t, k);
    return az_job_add(h->job, t, rc ? rc : az_record_sort(t));
}

static int run_host(struct az_job *job)
{
    struct az_hlo h;
    int rc = az_hlo_init(&h, job);
    if (rc == 0)
        rc = steps(&h);
    if (rc == 0)
        rc = host_compile(&h);
    if (rc == 0)
        rc = host_summary(&h);
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_host = {
    .name = "hlo_host",
    .help = "steps, compilation and other host events by name",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_host,
};
