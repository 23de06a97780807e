/* gpu_events: every event of the GPUs with the program it belongs to; memcpy_summary. */
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "document/rows.h"
#include "tables/keys.h"

#include <math.h>

static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
enum { FIRST_COPY = 1, ALL_KINDS = 3 };

/* Events of GPUs by device and start; ties in the order of kinds and rows. */
struct order {
    struct az_hlo_event *e;
    uint32_t *perm;
    size_t n, room;
    struct az_mem *mem;
};

static void order_release(struct order *o)
{
    az_mem_free(o->mem, o->e, o->room * sizeof *o->e);
    az_mem_free(o->mem, o->perm, o->room * sizeof *o->perm);
    *o = (struct order){ .mem = o->mem };
}

static bool of_gpu(const struct az_hlo *h, const struct az_hlo_event *e)
{
    return h->devices.v[az_hlo_device_of(h, e)].kind == AZ_PLANE_GPU;
}

/* Events of GPUs of the kinds from `from` on, to `e` if it is not NULL; how many. */
static size_t gather(const struct az_hlo *h, size_t from, struct az_hlo_event *to)
{
    size_t n = 0;
    for (size_t k = 0; k < h->n; k++) {
        for (size_t i = from; i < ALL_KINDS; i++) {
            for (size_t r = 0; r < h->tr[k].t->ev[kinds[i]].n; r++) {
                const struct az_hlo_event e = { k, r, kinds[i] };
                if (!of_gpu(h, &e))
                    continue;
                if (to)
                    to[n] = e;
                n++;
            }
        }
    }
    return n;
}

static int order_make(struct az_hlo *h, size_t from, struct order *o)
{
    *o = (struct order){ .n = gather(h, from, NULL), .mem = h->job->mem };
    o->room = o->n + 1;
    o->e = az_mem_alloc(o->mem, o->room * sizeof *o->e);
    o->perm = az_mem_alloc(o->mem, o->room * sizeof *o->perm);
    int64_t *key = az_mem_alloc(o->mem, o->room * sizeof *key);
    int rc = o->e && o->perm && key ? AZ_OK : az_mem_error(o->mem);
    if (rc == 0) {
        (void)gather(h, from, o->e);
        for (size_t i = 0; i < o->n; i++)
            key[i] = az_hlo_events(h, &o->e[i])->start[o->e[i].row];
        az_sort_order(key, o->n, o->perm, o->mem);
    }
    for (size_t i = 0; rc == 0 && i < o->n; i++)
        key[i] = az_hlo_device_of(h, &o->e[i]);
    if (rc == 0)
        az_sort_by(key, o->perm, o->n, o->mem);
    az_mem_free(o->mem, key, o->room * sizeof *key);
    return rc;
}

/* Start of the call that launched an event, by (device, correlation); the first of several. */
struct calls {
    struct az_map of; /* (correlation, device + 1) -> call row; device 0: unknown */
};

static int calls_make(const struct az_trace *t, struct calls *c, struct az_mem *mem)
{
    const struct az_events *ev = &t->ev[AZ_CALL];
    int rc = 0;
    az_map_init(&c->of, mem, ev->n);
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&c->of, ev->corr[i], ev->node[i], (uint32_t)i, &at, &added);
    }
    return rc;
}

static uint32_t call_of(const struct calls *c, uint64_t correlation, int64_t device)
{
    const uint32_t exact =
        correlation ? az_map_get(&c->of, correlation, (uint64_t)device + 1) : AZ_NO_ID;
    return exact != AZ_NO_ID || !correlation ? exact : az_map_get(&c->of, correlation, 0);
}

struct event_row {
    struct az_hlo_row row;
    const struct az_lane *lane;
    struct az_sv kind, category, name;
    int64_t start, ticks, correlation; /* start: after the first event of the trace */
    int64_t latency;                   /* INT64_MIN: its call is not known */
};
#define ROW struct event_row
AZ_TEXT_OF_RECORD(line_of, ROW, az_trace_text(r->row.trace, r->lane->label))
AZ_OF_RECORD(double, latency_us, ROW, r->latency == INT64_MIN ? NAN : az_us_from_ps(r->latency))
static const struct az_record_column event_columns[] = {
    AZ_HLO_DEVICE_COLUMNS(ROW, row.device),
    { "line_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_VIA(ROW, lane, tid) },
    { "line", AZ_TEXT, .text = line_of },
    { "kind", AZ_TEXT, AZ_FIELD(ROW, kind) },
    { "category", AZ_TEXT, AZ_KNOWN(ROW, category) },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
    { "start_us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, start), .ps = true },
    { "dur_us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, ticks), .ps = true },
    { "correlation_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN(ROW, correlation) },
    { "launch_latency_us", AZ_REAL, AZ_UNIT_US, .real = latency_us },
    { "hlo_module", AZ_TEXT, .text = az_hlo_cell_module, .known = true },
    { "program_id", AZ_TEXT, AZ_UNIT_ID, .text = az_hlo_cell_program, .known = true },
    { "hlo_op", AZ_TEXT, .text = az_hlo_cell_op, .known = true },
    { "framework_name", AZ_TEXT, .text = az_hlo_cell_scope, .known = true },
    { "details", AZ_TEXT, .flags = AZ_DETAIL, .text = az_hlo_cell_details, .known = true },
};

static void put_event(struct az_hlo *h, struct az_table *t, const struct az_hlo_event *e,
                      const struct calls *calls, int64_t origin)
{
    const struct az_trace *tr = h->tr[e->trace].t;
    const struct az_events *ev = az_hlo_events(h, e);
    const struct az_lane *lane = &tr->lanes.v[ev->lane[e->row]];
    const uint32_t call = call_of(calls, ev->corr[e->row], lane->device);
    const struct event_row r = {
        .row = az_hlo_row_of(h, e),
        .lane = lane,
        .kind = e->kind == AZ_MEMCPY   ? AZ_SV("memcpy")
                : e->kind == AZ_MEMSET ? AZ_SV("memset")
                : az_hlo_is_comm(h, e) ? AZ_SV("comm")
                                       : AZ_SV("kernel"),
        .category = e->kind == AZ_KERNEL ? az_hlo_category_text(h, e) : AZ_SV(""),
        .name = az_trace_text(tr, ev->name[e->row]),
        .start = ev->start[e->row] - origin,
        .ticks = ev->end[e->row] - ev->start[e->row],
        .correlation = ev->corr[e->row] ? (int64_t)ev->corr[e->row] : -1,
        .latency = call == AZ_NO_ID ? INT64_MIN : ev->start[e->row] - tr->ev[AZ_CALL].start[call],
    };
    az_put_row(t, &r);
}

/* Start of the first event of the GPUs of a trace: times count from there. */
static int64_t origin_of(struct az_hlo *h, size_t trace)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < 3; i++) { /* sorted by start */
        const struct az_events *ev = &h->tr[trace].t->ev[kinds[i]];
        for (size_t r = 0; r < ev->n && ev->start[r] < first; r++) {
            const struct az_hlo_event e = { trace, r, kinds[i] };
            if (of_gpu(h, &e))
                first = ev->start[r];
        }
    }
    return first;
}

/* What rows are made of. Most reports do not show this table: order and calls are found when the
 * first row is requested. */
struct listing {
    struct az_job job;
    struct az_arena arena; /* its own: rows are made when other writers may be at work */
    struct az_hlo h;
    struct order order;
    struct calls *calls; /* one a trace, with the origin of its times */
    int64_t *origin;
    bool ready;
};

static void release(void *what)
{
    struct listing *l = what;
    for (size_t k = 0; l->calls && k < l->h.n; k++)
        az_map_release(&l->calls[k].of);
    order_release(&l->order);
    const int rc = az_hlo_release(&l->h, 0); /* reported with the row that it stopped */
    (void)rc;
    az_arena_release(&l->arena);
}

static int make_ready(struct listing *l)
{
    l->calls = az_arena_array(&l->arena, l->h.n + 1, sizeof *l->calls);
    l->origin = az_arena_array(&l->arena, l->h.n + 1, sizeof *l->origin);
    int rc = l->calls && l->origin ? AZ_OK : az_arena_error(&l->arena);
    for (size_t k = 0; rc == 0 && k < l->h.n; k++) {
        l->origin[k] = origin_of(&l->h, k);
        rc = calls_make(l->h.tr[k].t, &l->calls[k], l->job.mem);
    }
    if (rc == 0)
        rc = order_make(&l->h, 0, &l->order);
    l->ready = rc == 0;
    return rc;
}

static void make_row(const void *of, size_t row, struct az_table *t)
{
    struct listing *l = (struct listing *)of; /* a table is read by one thread at a time */
    const int rc = l->ready ? AZ_OK : make_ready(l);
    if (rc) {
        t->error = t->error ? t->error : rc;
        return;
    }
    const struct az_hlo_event *e = &l->order.e[l->order.perm[row]];
    put_event(&l->h, t, e, &l->calls[e->trace], l->origin[e->trace]);
    t->error = t->error ? t->error : l->h.error;
}

static int events(struct az_job *job)
{
    struct listing *l = az_arena_alloc(job->arena, sizeof *l);
    if (!l)
        return az_arena_error(job->arena);
    *l = (struct listing){ .job = *job, .order = { .mem = job->mem } };
    az_arena_init(&l->arena, job->mem);
    l->job.arena = &l->arena;
    int rc = az_hlo_init(&l->h, &l->job);
    if (rc) {
        release(l);
        return rc;
    }
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "gpu_events", "GPU events", 0, event_columns, &l->h);
    az_table_make(t, gather(&l->h, 0, NULL), make_row, l);
    rc = az_document_own(job->doc, l, release); /* releases it when it fails */
    return az_job_add(job, t, rc);
}

/* ---- copies ---- */

static uint32_t device_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = { i->trace, i->row, (enum az_kind)i->kind };
    return az_hlo_device_of(r->ctx, &e);
}

static bool device_number(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    *number = device_of(r, i);
    return true;
}

static void put_device(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_hlo_put_device(r->ctx, t, device_of(r, i));
}

static bool several(const struct az_scope *r) { return az_hlo_several(r->ctx); }
static bool single(const struct az_scope *r) { return !several(r); }

static bool on_gpu(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = { i->trace, i->row, (enum az_kind)i->kind };
    return of_gpu(r->ctx, &e);
}

static void put_rate(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    const int64_t bytes = az_value_bytes(r, &g->first), ticks = g->value->sum;
    az_put_f64(t, ticks > 0 ? (double)bytes * (double)g->n / (double)ticks * 1e3 : 0.0 / 0.0);
}

static const struct az_key device = { AZ_INT, AZ_UNIT_ID, .of = device_number, .put = put_device };
static const struct az_key device_label = { AZ_TEXT, .of = device_number, .put = put_device };

/* Copies whose size the profile has: name, size, rate (1e9). */
static const struct az_table_spec copies = {
    "memcpy_summary",
    "Copies and fills",
    AZ_TABLE_SUMMARY,
    .keep = on_gpu,
    .columns = { { "device", &device, .flags = AZ_KEY, .when = single },
                 { "device", &device_label, .flags = AZ_KEY, .when = several },
                 { "name", &az_key_name, .flags = AZ_KEY },
                 { "size_bytes", &az_key_bytes, .flags = AZ_KEY },
                 { "count", .figure = AZ_FIG_COUNT },
                 { "total_us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
                 { "gb_per_s", .figure = AZ_FIG_OWN, .unit = AZ_UNIT_GBPS,
                   .flags = AZ_HIGHER_BETTER, .put = put_rate } },
};

AZ_VEC(struct az_item, items);

/* Rows in the order of the events. */
static int copy_summary(struct az_hlo *h, const struct order *o)
{
    struct items v;
    int rc = AZ_OK;
    az_vec_init(&v, h->job->mem);
    for (size_t i = 0; rc == 0 && i < o->n; i++) {
        const struct az_hlo_event *e = &o->e[o->perm[i]];
        rc = az_vec_push(
            &v, ((struct az_item){ (uint32_t)e->trace, (uint32_t)e->row, e->kind, 0, AZ_NO_ID }));
    }
    if (rc == 0)
        rc = az_spec_make(h->job, &copies, h, &(struct az_item_list){ v.v, v.n });
    az_vec_release(&v);
    return rc;
}

static int run_events(struct az_job *job)
{
    struct az_hlo h;
    struct order o = { .mem = job->mem };
    int rc = az_hlo_init(&h, job);
    const bool any = rc == 0 && az_hlo_has(&h, AZ_PLANE_GPU);
    if (any) {
        rc = order_make(&h, FIRST_COPY, &o);
        if (rc == 0)
            rc = copy_summary(&h, &o);
        order_release(&o);
    }
    rc = az_hlo_release(&h, rc);
    return rc || !any ? rc : events(job);
}

const struct az_analysis az_analysis_hlo_events = {
    .name = "hlo_events",
    .help = "GPU events with program and launch latency, copies by size",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_events,
};
