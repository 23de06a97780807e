/* Tables of TPU cores (docs/formats-xplane.md 9): timeline, operations and categories by self
 * time, programs, asynchronous operations. */
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/families.h"

#include <math.h>

/* ---- timeline ---- */
/* Adds the operations of a trace to the accounts of its cores. */
static int add_operations(struct az_hlo *h, size_t trace, struct az_tally *of)
{
    const struct az_events *ev = &h->tr[trace].t->ev[AZ_KERNEL];
    int rc = AZ_OK;
    const struct az_row_work *work = az_job_row_work(h->job, trace, &rc);
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        const uint64_t node = ev->node ? ev->node[i] : 0;
        const uint32_t d = az_hlo_device_of(h, &(struct az_hlo_event){ trace, i, AZ_KERNEL });
        az_tally_add(&of[d], node ? work[node - 1].part : AZ_PART_COMPUTE, ev->start[i],
                     ev->end[i]);
    }
    return rc;
}

static int tallies(struct az_hlo *h, struct az_tally **out)
{
    struct az_tally *of = az_arena_array(h->job->arena, h->devices.n + 1, sizeof *of);
    int rc = of ? AZ_OK : az_arena_error(h->job->arena);
    for (size_t d = 0; rc == 0 && d < h->devices.n; d++)
        az_tally_init(&of[d], 0);
    for (size_t k = 0; rc == 0 && k < h->n; k++)
        rc = add_operations(h, k, of);
    *out = of;
    return rc;
}

struct time_row {
    const struct az_hlo_device *device;
    const char *type;
    int64_t ps;
    double percent;
};
static const struct az_record_column timeline_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(struct time_row, device),
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct time_row, type) },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct time_row, ps), .ps = true },
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct time_row, percent) },
};

static void put_times(struct az_table *t, const struct az_hlo_device *device,
                      const struct az_account *a)
{
    const struct {
        const char *type;
        int64_t ps;
    } row[] = { { "computation_time", a->compute }, { "communication_time", a->comm },
                { "memcpy_time", a->copies },       { "busy_time", a->busy },
                { "idle_time", a->idle },           { "total_time", a->total } };
    for (size_t i = 0; i < AZ_LENGTH(row); i++)
        az_put_row(
            t, &(struct time_row){ device, row[i].type, row[i].ps,
                                   a->total > 0 ? (double)row[i].ps / (double)a->total * 100 : 0 });
}

static int timeline(struct az_hlo *h)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(h->job->arena, "tpu_timeline", "TPU timeline",
                                            AZ_TABLE_SUMMARY | AZ_TABLE_SHORT, timeline_columns, h);
    struct az_tally *of;
    int rc = tallies(h, &of);
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++) {
        struct az_account a;
        if (h->devices.v[d].kind != AZ_PLANE_TPU || of[d].events == 0)
            continue;
        az_tally_account(&of[d], &a);
        put_times(t, &h->devices.v[d], &a);
    }
    static const struct az_sv parts[] = { { "busy_time", 9 }, { "idle_time", 9 } };
    rc = az_job_add(h->job, t, rc);
    return rc ? rc
              : az_job_chart_parts(h->job, AZ_CHART_BAR, "tpu_timeline", "TPU timeline", "time_ms",
                                   "device", parts, 2);
}

/* ---- sums by device and operation, or category ---- */
struct sum {
    struct az_hlo_event first;
    uint64_t count;
    int64_t ticks, self;
};
AZ_VEC(struct sum, sums);

static void key_of(struct az_hlo *h, const struct az_hlo_event *e, uint64_t k[2])
{
    const struct az_xrow *row = az_hlo_row(h, e);
    const uint64_t device = az_hlo_device_of(h, e);
    /* programs are numbered small or by a hash: an odd factor separates those of two devices */
    k[0] = (row ? row->program : 0) + device * UINT64_C(0x9e3779b97f4a7c15);
    k[1] = (uint64_t)(row ? az_hlo_id(h, e->trace, row->category) : AZ_NO_ID) << 32 |
           az_hlo_name(h, e);
}

/* Where the last event of a row went: most rows are of one name on one device. */
struct last {
    uint32_t name, device, at; /* at: + 1; 0: there was none */
};

static int find_sum(struct az_hlo *h, const struct az_hlo_event *e, struct az_map *of,
                    struct sums *out, uint32_t *where)
{
    uint64_t k[2];
    uint32_t *at;
    bool added;
    key_of(h, e, k);
    int rc = az_map_put(of, k[0], k[1], (uint32_t)out->n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(out, ((struct sum){ .first = *e }));
    *where = rc ? 0 : *at;
    return rc;
}

/* Time of each container (docs/formats-xplane.md 9) without the operations and containers directly
 * in it. */
struct open_container {
    size_t row;
    int64_t end;
};
AZ_VEC(struct open_container, open_containers);

static bool is_container(const struct az_hlo *h, size_t trace, size_t row)
{
    const struct az_events *ev = &h->tr[trace].t->ev[AZ_GPU_RANGE];
    return h->tr[trace].x->roles.v[ev->lane[row]] == AZ_XLANE_WORK;
}

/* Takes what starts and ends there from the innermost container of its lane. */
static void subtract_from(struct open_containers *open, int64_t start, int64_t end, int64_t *self)
{
    while (open->n && open->v[open->n - 1].end <= start)
        open->n--;
    if (open->n && end <= open->v[open->n - 1].end)
        self[open->v[open->n - 1].row] -= end - start;
}

/* Both kinds are sorted by start; of equal starts a container comes first, the longer one before.
 */
static int container_self(struct az_hlo *h, size_t trace, struct open_containers *open,
                          int64_t *self)
{
    const struct az_events *in = &h->tr[trace].t->ev[AZ_GPU_RANGE],
                           *ev = &h->tr[trace].t->ev[AZ_KERNEL];
    size_t at = 0;
    int rc = AZ_OK;
    for (size_t i = 0; i <= ev->n; i++) {
        for (; rc == 0 && at < in->n && (i == ev->n || in->start[at] <= ev->start[i]); at++) {
            struct open_containers *of = &open[in->lane[at]];
            self[at] = in->end[at] - in->start[at];
            if (!is_container(h, trace, at))
                continue;
            subtract_from(of, in->start[at], in->end[at], self);
            rc = az_vec_push(of, ((struct open_container){ at, in->end[at] }));
        }
        if (rc || i == ev->n)
            break;
        subtract_from(&open[ev->lane[i]], ev->start[i], ev->end[i], self);
    }
    return rc;
}

static int containers_self(struct az_hlo *h, size_t trace, int64_t **out)
{
    const struct az_trace *t = h->tr[trace].t;
    struct open_containers *open = az_arena_array(h->job->arena, t->lanes.n + 1, sizeof *open);
    *out = az_arena_array(h->job->arena, t->ev[AZ_GPU_RANGE].n + 1, sizeof **out);
    if (!open || !*out)
        return az_arena_error(h->job->arena);
    for (size_t i = 0; i < t->lanes.n; i++)
        az_vec_init(&open[i], h->job->mem);
    const int rc = container_self(h, trace, open, *out);
    for (size_t i = 0; i < t->lanes.n; i++)
        az_vec_release(&open[i]);
    return rc;
}

/* Operations, or containers by AZ_GPU_RANGE. */
static int sum_operations(struct az_hlo *h, size_t trace, enum az_kind kind, const int64_t *self,
                          struct sums *out)
{
    const struct az_events *ev = &h->tr[trace].t->ev[kind];
    const size_t rows = h->tr[trace].x->rows.n;
    struct last *last = az_arena_array(h->job->arena, rows + 1, sizeof *last);
    struct az_map of;
    int rc = 0;
    if (!last)
        return az_arena_error(h->job->arena);
    az_map_init(&of, h->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        const struct az_hlo_event e = { trace, i, kind };
        if (kind == AZ_GPU_RANGE && !is_container(h, trace, i))
            continue;
        const uint32_t device = az_hlo_device_of(h, &e);
        struct last *l = &last[ev->node ? ev->node[i] : 0];
        if (device == AZ_NO_ID || h->devices.v[device].kind != AZ_PLANE_TPU)
            continue;
        if (l->at == 0 || l->name != ev->name[i] || l->device != device) {
            uint32_t at;
            rc = find_sum(h, &e, &of, out, &at);
            *l = (struct last){ ev->name[i], device, at + 1 };
        }
        if (rc)
            break;
        struct sum *to = &out->v[l->at - 1];
        to->count++;
        to->ticks = az_add_sat(to->ticks, ev->end[i] - ev->start[i]);
        to->self = az_add_sat(to->self, self[i]);
    }
    az_map_release(&of);
    return rc;
}

/* Operations by category. */
static int sum_categories(struct az_hlo *h, const struct sums *ops, struct sums *out)
{
    struct az_map of;
    int rc = 0;
    az_map_init(&of, h->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < ops->n; i++) {
        const struct sum *op = &ops->v[i];
        const struct az_xrow *row = az_hlo_row(h, &op->first);
        const uint32_t at =
            az_map_number(&of, az_hlo_device_of(h, &op->first),
                          row ? az_hlo_id(h, op->first.trace, row->category) : AZ_NO_ID, out->n);
        if (at == out->n)
            az_vec_add(out, ((struct sum){ .first = op->first }));
        rc = at < out->n ? 0 : az_mem_error(out->mem);
        if (rc)
            break;
        struct sum *to = &out->v[at];
        to->count += op->count;
        to->ticks = az_add_sat(to->ticks, op->ticks);
        to->self = az_add_sat(to->self, op->self);
    }
    az_map_release(&of);
    return rc;
}

struct op_row {
    struct az_hlo_row row;
    const struct sum *sum;
    const struct az_plane *plane;
    double tflops, gbps; /* NaN: not known */
};
#define ROW struct op_row
AZ_OF_RECORD(double, percent_of_flops, ROW,
             r->plane->peak_tflops > 0 ? r->tflops / r->plane->peak_tflops * 100 : NAN)
AZ_OF_RECORD(double, percent_of_hbm, ROW,
             r->plane->peak_hbm_gbps > 0 ? r->gbps / r->plane->peak_hbm_gbps * 100 : NAN)
static const struct az_record_column op_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(ROW, row.device),
    { "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY, .text = az_hlo_cell_program, .known = true },
    { "op", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_op },
    { "hlo_category", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_category, .known = true },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, sum, count) },
    { "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, sum, ticks), .ps = true },
    { "self_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, sum, self), .ps = true },
    { "flops", AZ_INT, AZ_UNIT_FLOP, AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.row, flops) },
    { "bytes_accessed", AZ_INT, AZ_UNIT_BYTES, AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.row, bytes) },
    { "tf_op", AZ_TEXT, .flags = AZ_DETAIL, .text = az_hlo_cell_scope, .known = true },
    { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, AZ_FIELD(ROW, tflops) },
    { "percent_of_peak_flops", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER,
      .real = percent_of_flops },
    { "gb_per_s", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER | AZ_DETAIL, AZ_FIELD(ROW, gbps) },
    { "percent_of_peak_hbm", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER | AZ_DETAIL,
      .real = percent_of_hbm },
};
static const struct az_record_column category_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(ROW, row.device),
    { "hlo_category", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_category, .known = true },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, sum, count) },
    { "self_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, sum, self), .ps = true },
};

/* Per picosecond is per second in units of 1e12. */
static double rate_per_second(const struct sum *s, int64_t amount)
{
    return amount > 0 && s->self > 0 ? (double)amount * (double)s->count / (double)s->self : NAN;
}

static void put_op(struct az_hlo *h, struct az_table *t, const struct sum *s)
{
    struct op_row r = { az_hlo_row_of(h, &s->first), s, .tflops = NAN, .gbps = NAN };
    r.plane = &h->tr[s->first.trace].x->planes.v[r.row.device->plane];
    if (r.row.row) {
        r.tflops = rate_per_second(s, r.row.row->flops);
        r.gbps = rate_per_second(s, r.row.row->bytes) * 1e3;
    }
    az_put_row(t, &r);
}

static int order(const void *a, const void *b, void *ctx)
{
    struct az_hlo *h = ctx;
    const struct sum *x = a, *y = b;
    const uint32_t dx = az_hlo_device_of(h, &x->first), dy = az_hlo_device_of(h, &y->first);
    if (dx != dy)
        return dx < dy ? -1 : 1;
    return (y->self > x->self) - (y->self < x->self);
}

/* Rows of the sums, most self time of a device first. */
static int sums_table(struct az_hlo *h, struct sums *sums, struct az_table *t)
{
    az_sort_cmp(sums->v, sums->n, sizeof *sums->v, order, h, h->job->mem);
    for (size_t i = 0; t && i < sums->n; i++)
        put_op(h, t, &sums->v[i]);
    return az_job_add(h->job, t, AZ_OK);
}

/* Self time of containers is no work: the accounts have it as idle time. */
static struct az_sv control_flow_note(struct az_hlo *h, const struct sums *ops)
{
    int64_t ps = 0;
    char time[AZ_HUMAN_MAX];
    for (size_t i = 0; i < ops->n; i++)
        if (ops->v[i].first.kind == AZ_GPU_RANGE)
            ps = az_add_sat(ps, ops->v[i].self);
    if (ps <= 0)
        return AZ_SV("");
    az_human_time(ps / 1000, time);
    return az_arena_printf(h->job->arena,
                           "Control flow (while, call, conditional): %s between the operations in "
                           "it, counted as idle.",
                           time);
}

static int operations(struct az_hlo *h, struct sums *ops, struct az_sv note)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(h->job->arena, "tpu_op_summary", "TPU operations",
                                            AZ_TABLE_SUMMARY, op_columns, h);
    if (t)
        t->note = note;
    return sums_table(h, ops, t);
}

static int categories(struct az_hlo *h, struct sums *all, struct az_sv note)
{
    struct az_table *t =
        AZ_RECORD_TABLE_OF(h->job->arena, "tpu_category_summary", "TPU operations by category",
                           AZ_TABLE_SUMMARY, category_columns, h);
    if (t)
        t->note = note;
    return sums_table(h, all, t);
}

static int summaries(struct az_hlo *h)
{
    struct sums ops, all;
    int rc = AZ_OK;
    az_vec_init(&ops, h->job->mem);
    az_vec_init(&all, h->job->mem);
    for (size_t k = 0; rc == 0 && k < h->n; k++) {
        const int64_t *self = az_job_self_ticks(h->job, k, &rc);
        int64_t *around;
        if (rc == 0)
            rc = sum_operations(h, k, AZ_KERNEL, self, &ops);
        if (rc == 0)
            rc = containers_self(h, k, &around);
        if (rc == 0)
            rc = sum_operations(h, k, AZ_GPU_RANGE, around, &ops);
    }
    if (rc == 0)
        rc = sum_categories(h, &ops, &all);
    const struct az_sv note = control_flow_note(h, &ops);
    if (rc == 0)
        rc = categories(h, &all, note);
    if (rc == 0)
        rc = operations(h, &ops, note);
    az_vec_release(&ops);
    az_vec_release(&all);
    return rc;
}

/* ---- programs, asynchronous operations ---- */
struct range_sum {
    size_t trace;
    uint32_t device, name;
    int64_t ticks, min, max;
    uint64_t count;
};
AZ_VEC(struct range_sum, range_sums);

static int range_order(const void *a, const void *b, void *ctx)
{
    const struct range_sum *x = a, *y = b;
    (void)ctx;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (y->ticks > x->ticks) - (y->ticks < x->ticks);
}

static int sum_ranges(struct az_hlo *h, enum az_xlane_role role, struct range_sums *out)
{
    struct az_map of;
    int rc = 0;
    az_map_init(&of, h->job->mem, 64);
    for (size_t k = 0; rc == 0 && k < h->n; k++) {
        const struct az_events *ev = &h->tr[k].t->ev[AZ_GPU_RANGE];
        for (size_t i = 0; rc == 0 && i < ev->n; i++) {
            const uint32_t plane = (uint32_t)h->tr[k].t->lanes.v[ev->lane[i]].context,
                           device = h->tr[k].device[plane];
            const int64_t ps = ev->end[i] - ev->start[i];
            if (h->tr[k].x->roles.v[ev->lane[i]] != role || device == AZ_NO_ID ||
                h->devices.v[device].kind != AZ_PLANE_TPU)
                continue;
            const uint32_t at = az_map_number(&of, device, ev->name[i], out->n);
            if (at == out->n)
                az_vec_add(out, ((struct range_sum){ k, device, ev->name[i], 0, INT64_MAX,
                                                     INT64_MIN, 0 }));
            rc = at < out->n ? 0 : az_mem_error(out->mem);
            if (rc)
                break;
            struct range_sum *s = &out->v[at];
            s->count++;
            s->ticks = az_add_sat(s->ticks, ps);
            s->min = ps < s->min ? ps : s->min;
            s->max = ps > s->max ? ps : s->max;
        }
    }
    az_map_release(&of);
    az_sort_cmp(out->v, out->n, sizeof *out->v, range_order, NULL, h->job->mem);
    return rc;
}

struct range_row {
    const struct az_hlo_device *device;
    struct az_sv name;
    const struct range_sum *sum;
};
#undef ROW
#define ROW struct range_row
/* clang-format off */
#define RANGE_COLUMNS(header)                                                                      \
    AZ_HLO_DEVICE_COLUMNS(ROW, device),                                                            \
    { header, AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },                                     \
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, sum, count) },                                   \
    { "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, sum, ticks), .ps = true },     \
    { "min_us", AZ_REAL, AZ_UNIT_US, AZ_VIA(ROW, sum, min), .ps = true },                          \
    { "max_us", AZ_REAL, AZ_UNIT_US, AZ_VIA(ROW, sum, max), .ps = true }
/* clang-format on */
static const struct az_record_column module_columns[] = { RANGE_COLUMNS("module") };
static const struct az_record_column async_columns[] = { RANGE_COLUMNS("op") };

static int ranges(struct az_hlo *h, enum az_xlane_role role, struct az_table *t)
{
    struct range_sums sums;
    az_vec_init(&sums, h->job->mem);
    const int rc = sum_ranges(h, role, &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        const struct range_sum *s = &sums.v[i];
        az_put_row(t, &(struct range_row){ &h->devices.v[s->device],
                                           az_trace_text(h->tr[s->trace].t, s->name), s });
    }
    az_vec_release(&sums);
    return az_job_add(h->job, t, rc);
}

static int run_tpu(struct az_job *job)
{
    struct az_hlo h;
    int rc = az_hlo_init(&h, job);
    if (rc == 0 && az_hlo_has(&h, AZ_PLANE_TPU)) {
        rc = timeline(&h);
        if (rc == 0)
            rc = ranges(&h, AZ_XLANE_MODULES,
                        AZ_RECORD_TABLE_OF(job->arena, "tpu_modules", "TPU programs",
                                           AZ_TABLE_SUMMARY, module_columns, &h));
        if (rc == 0)
            rc = summaries(&h);
        if (rc == 0)
            rc = ranges(&h, AZ_XLANE_ASYNC,
                        AZ_RECORD_TABLE_OF(job->arena, "tpu_async_ops",
                                           "TPU asynchronous operations", 0, async_columns, &h));
    }
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_tpu = {
    .name = "hlo_tpu",
    .help = "TPU timeline, programs, operations and categories by self time",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_tpu,
};
