/* Tables of TPU cores (docs/formats-xplane.md 9): timeline, operations and categories by self
 * time, programs, asynchronous operations. */
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "facts/families.h"

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

static void put_time(struct az_hlo *h, struct az_table *t, uint32_t device, const char *name,
                     int64_t ps, int64_t total)
{
    az_hlo_put_device(h, t, device);
    az_put_text(t, az_sv_str(name));
    az_put_f64(t, az_ms_from_ps(ps));
    az_put_f64(t, total > 0 ? (double)ps / (double)total * 100 : 0);
}

static const struct az_record_column tpu_timeline_columns[] = {
    { "type", AZ_TEXT, .flags = AZ_KEY },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE },
};

static int timeline(struct az_hlo *h)
{
    struct az_table *t = az_table_new(h->job->arena, "tpu_timeline", "TPU timeline",
                                      AZ_TABLE_SUMMARY | AZ_TABLE_SHORT);
    struct az_tally *of;
    if (!t)
        return az_arena_error(h->job->arena);
    int rc = tallies(h, &of);
    az_hlo_device_column(h, t);
    az_record_columns(t, tpu_timeline_columns, AZ_LENGTH(tpu_timeline_columns));
    for (uint32_t d = 0; rc == 0 && d < h->devices.n; d++) {
        struct az_account a;
        if (h->devices.v[d].kind != AZ_PLANE_TPU || of[d].events == 0)
            continue;
        az_tally_account(&of[d], &a);
        put_time(h, t, d, "computation_time", a.compute, a.total);
        put_time(h, t, d, "communication_time", a.comm, a.total);
        put_time(h, t, d, "memcpy_time", a.copies, a.total);
        put_time(h, t, d, "busy_time", a.busy, a.total);
        put_time(h, t, d, "idle_time", a.idle, a.total);
        put_time(h, t, d, "total_time", a.total, a.total);
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
    /* programs are numbered small or by a hash: an odd factor keeps those of two devices apart */
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
    int rc = last ? az_map_init(&of, h->job->mem, 64) : az_arena_error(h->job->arena);
    if (rc)
        return rc;
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
    int rc = az_map_init(&of, h->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < ops->n; i++) {
        const struct sum *op = &ops->v[i];
        const struct az_xrow *row = az_hlo_row(h, &op->first);
        uint32_t *at;
        bool added;
        rc = az_map_put(&of, az_hlo_device_of(h, &op->first),
                        row ? az_hlo_id(h, op->first.trace, row->category) : AZ_NO_ID,
                        (uint32_t)out->n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(out, ((struct sum){ .first = op->first }));
        if (rc)
            break;
        struct sum *to = &out->v[*at];
        to->count += op->count;
        to->ticks = az_add_sat(to->ticks, op->ticks);
        to->self = az_add_sat(to->self, op->self);
    }
    az_map_release(&of);
    return rc;
}

static const struct az_record_column op_column_list[] = {
    { "program_id", AZ_TEXT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "op", AZ_TEXT, .flags = AZ_KEY },
    { "hlo_category", AZ_TEXT, .flags = AZ_KEY },
    { "count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "total_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "self_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "flops", AZ_INT, AZ_UNIT_FLOP, .flags = AZ_DETAIL },
    { "bytes_accessed", AZ_INT, AZ_UNIT_BYTES, .flags = AZ_DETAIL },
    { "tf_op", AZ_TEXT, .flags = AZ_DETAIL },
    { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, .flags = AZ_HIGHER_BETTER },
    { "percent_of_peak_flops", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "gb_per_s", AZ_REAL, AZ_UNIT_GBPS, .flags = AZ_HIGHER_BETTER | AZ_DETAIL },
    { "percent_of_peak_hbm", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER | AZ_DETAIL },
};

static void op_columns(struct az_hlo *h, struct az_table *t)
{
    az_hlo_device_column(h, t);
    az_record_columns(t, op_column_list, AZ_LENGTH(op_column_list));
}

static void put_op(struct az_hlo *h, struct az_table *t, const struct sum *s)
{
    const double none = 0.0 / 0.0;
    const struct az_trace *tr = h->tr[s->first.trace].t;
    const struct az_xrow *row = az_hlo_row(h, &s->first);
    const uint32_t device = az_hlo_device_of(h, &s->first);
    const struct az_plane *p = &h->tr[s->first.trace].x->planes.v[h->devices.v[device].plane];
    const double ps = (double)s->self, n = (double)s->count;
    const double tflops = row && row->flops > 0 && ps > 0 ? (double)row->flops * n / ps : none;
    const double gbps = row && row->bytes > 0 && ps > 0 ? (double)row->bytes * n / ps * 1e3 : none;
    az_hlo_put_device(h, t, device);
    az_hlo_put_program(t, row);
    az_put_text(t, az_trace_text(tr, row ? row->op : AZ_NO_ID));
    az_put_given(t, row ? az_trace_text(tr, row->category) : AZ_SV(""));
    az_put_i64(t, (int64_t)s->count);
    az_put_f64(t, az_us_from_ps(s->ticks));
    az_put_f64(t, az_us_from_ps(s->self));
    az_put_known(t, row ? row->flops : -1);
    az_put_known(t, row ? row->bytes : -1);
    az_put_given(t, row ? az_trace_text(tr, row->scope) : AZ_SV(""));
    az_put_f64(t, tflops);
    az_put_f64(t, p->peak_tflops > 0 ? tflops / p->peak_tflops * 100 : none);
    az_put_f64(t, gbps);
    az_put_f64(t, p->peak_hbm_gbps > 0 ? gbps / p->peak_hbm_gbps * 100 : none);
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

static int operations(struct az_hlo *h, struct sums *ops)
{
    struct az_table *t =
        az_table_new(h->job->arena, "tpu_op_summary", "TPU operations", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(h->job->arena);
    op_columns(h, t);
    int rc = az_sort_cmp(ops->v, ops->n, sizeof *ops->v, order, h, h->job->mem);
    for (size_t i = 0; rc == 0 && i < ops->n; i++)
        put_op(h, t, &ops->v[i]);
    return az_job_add(h->job, t, rc);
}

static const struct az_record_column tpu_category_summary_columns[] = {
    { "hlo_category", AZ_TEXT, .flags = AZ_KEY },
    { "count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "self_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
};

static int categories(struct az_hlo *h, struct sums *all)
{
    struct az_table *t = az_table_new(h->job->arena, "tpu_category_summary",
                                      "TPU operations by category", AZ_TABLE_SUMMARY);
    az_hlo_device_column(h, t);
    az_record_columns(t, tpu_category_summary_columns, AZ_LENGTH(tpu_category_summary_columns));
    int rc = az_sort_cmp(all->v, all->n, sizeof *all->v, order, h, h->job->mem);
    for (size_t i = 0; rc == 0 && i < all->n; i++) {
        const struct sum *s = &all->v[i];
        const struct az_xrow *row = az_hlo_row(h, &s->first);
        az_hlo_put_device(h, t, az_hlo_device_of(h, &s->first));
        az_put_given(t, row ? az_trace_text(h->tr[s->first.trace].t, row->category) : AZ_SV(""));
        az_put_i64(t, (int64_t)s->count);
        az_put_f64(t, az_us_from_ps(s->self));
    }
    return az_job_add(h->job, t, rc);
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
    if (rc == 0)
        rc = categories(h, &all);
    if (rc == 0)
        rc = operations(h, &ops);
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
    int rc = az_map_init(&of, h->job->mem, 64);
    for (size_t k = 0; rc == 0 && k < h->n; k++) {
        const struct az_events *ev = &h->tr[k].t->ev[AZ_GPU_RANGE];
        for (size_t i = 0; rc == 0 && i < ev->n; i++) {
            const uint32_t plane = (uint32_t)h->tr[k].t->lanes.v[ev->lane[i]].context,
                           device = h->tr[k].device[plane];
            const int64_t ps = ev->end[i] - ev->start[i];
            uint32_t *at;
            bool added;
            if (h->tr[k].x->roles.v[ev->lane[i]] != role || device == AZ_NO_ID ||
                h->devices.v[device].kind != AZ_PLANE_TPU)
                continue;
            rc = az_map_put(&of, device, ev->name[i], (uint32_t)out->n, &at, &added);
            if (rc == 0 && added)
                rc = az_vec_push(out, ((struct range_sum){ k, device, ev->name[i], 0, INT64_MAX,
                                                           INT64_MIN, 0 }));
            if (rc)
                break;
            struct range_sum *s = &out->v[*at];
            s->count++;
            s->ticks = az_add_sat(s->ticks, ps);
            s->min = ps < s->min ? ps : s->min;
            s->max = ps > s->max ? ps : s->max;
        }
    }
    az_map_release(&of);
    return rc ? rc : az_sort_cmp(out->v, out->n, sizeof *out->v, range_order, NULL, h->job->mem);
}

static const struct az_record_column ranges_columns[] = {
    { "count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "total_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "min_us", AZ_REAL, .unit = AZ_UNIT_US },
    { "max_us", AZ_REAL, .unit = AZ_UNIT_US },
};

static int ranges(struct az_hlo *h, enum az_xlane_role role, const char *id, const char *title,
                  const char *column)
{
    struct az_table *t =
        az_table_new(h->job->arena, id, title, role == AZ_XLANE_MODULES ? AZ_TABLE_SUMMARY : 0);
    struct range_sums sums;
    az_vec_init(&sums, h->job->mem);
    az_hlo_device_column(h, t);
    az_table_column(t, column, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_record_columns(t, ranges_columns, AZ_LENGTH(ranges_columns));
    const int rc = sum_ranges(h, role, &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        const struct range_sum *s = &sums.v[i];
        az_hlo_put_device(h, t, s->device);
        az_put_text(t, az_trace_text(h->tr[s->trace].t, s->name));
        az_put_i64(t, (int64_t)s->count);
        az_put_f64(t, az_us_from_ps(s->ticks));
        az_put_f64(t, az_us_from_ps(s->min));
        az_put_f64(t, az_us_from_ps(s->max));
    }
    az_vec_release(&sums);
    return az_job_add(h->job, t, rc);
}

static int run(struct az_job *job)
{
    struct az_hlo h;
    int rc = az_hlo_open(&h, job);
    if (rc == 0 && az_hlo_has(&h, AZ_PLANE_TPU)) {
        rc = timeline(&h);
        if (rc == 0)
            rc = ranges(&h, AZ_XLANE_MODULES, "tpu_modules", "TPU programs", "module");
        if (rc == 0)
            rc = summaries(&h);
        if (rc == 0)
            rc = ranges(&h, AZ_XLANE_ASYNC, "tpu_async_ops", "TPU asynchronous operations", "op");
    }
    return az_hlo_close(&h, rc);
}

const struct az_analysis az_analysis_hlo_tpu = {
    .name = "hlo_tpu",
    .help = "TPU timeline, programs, operations and categories by self time",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
