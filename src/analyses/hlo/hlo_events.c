/* Devices, ids and classes across the traces of compiled programs. */
#include "analyses/hlo/hlo_events.h"
#include "classify/rules.h"

#include <inttypes.h>

/* ---- devices ---- */

struct az_sv az_hlo_host(const struct az_hlo *h, size_t k)
{
    const struct az_sv host = h->tr[k].x->host_name;
    unsigned before = 0;
    for (size_t i = 0; i < k; i++)
        before += az_sv_eq(h->tr[i].x->host_name, host);
    return before ? az_arena_printf(h->job->arena, "%.*s#%u", AZ_SVF(host), before + 1) : host;
}

static struct az_sv label_of(const struct az_hlo *h, size_t k, const struct az_plane *p)
{
    const struct az_sv host = az_hlo_host(h, k);
    return az_arena_printf(h->job->arena, "%.*s/%s:%" PRId64, AZ_SVF(host),
                           p->kind == AZ_PLANE_GPU ? "GPU" : "TPU", p->ordinal);
}

/* Marks the planes that have events: the bits of their kinds. */
static void mark_trace(const struct az_hlo_trace *tr, uint8_t *seen)
{
    const unsigned bits = 1u << AZ_KERNEL | 1u << AZ_MEMCPY | 1u << AZ_MEMSET;
    for (size_t l = 0; l < tr->t->lanes.n; l++)
        if (az_trace_lane_kinds(tr->t, l) & bits)
            seen[tr->t->lanes.v[l].context] |= (uint8_t)(az_trace_lane_kinds(tr->t, l) & bits);
}

static int add_devices(struct az_hlo *h, size_t k)
{
    struct az_hlo_trace *tr = &h->tr[k];
    const size_t planes = tr->x->planes.n, from = h->devices.n;
    uint8_t *seen = az_arena_array(h->job->arena, planes + 1, 1);
    tr->device = az_arena_array(h->job->arena, planes + 1, sizeof *tr->device);
    if (!seen || !tr->device)
        return az_arena_error(h->job->arena);
    mark_trace(tr, seen);
    for (uint32_t p = 0; p < planes; p++) {
        const struct az_plane *plane = &tr->x->planes.v[p];
        const struct az_hlo_device d = {
            k, p, plane->kind, plane->ordinal, label_of(h, k, plane), seen[p] & 1u << AZ_KERNEL
        };
        size_t at = h->devices.n;
        tr->device[p] = AZ_NO_ID;
        if (!seen[p])
            continue;
        if (!d.label.p)
            return az_arena_error(h->job->arena);
        int rc = az_vec_push(&h->devices, d);
        if (rc)
            return rc;
        for (; at > from &&
               (h->devices.v[at - 1].kind > d.kind ||
                (h->devices.v[at - 1].kind == d.kind && h->devices.v[at - 1].ordinal > d.ordinal));
             at--)
            h->devices.v[at] = h->devices.v[at - 1];
        h->devices.v[at] = d;
    }
    for (size_t i = from; i < h->devices.n; i++)
        tr->device[h->devices.v[i].plane] = (uint32_t)i;
    return AZ_OK;
}

int az_hlo_init(struct az_hlo *h, struct az_job *job)
{
    *h = (struct az_hlo){ .job = job, .n = job->n_traces, .several = job->n_traces > 1 };
    az_vec_init(&h->devices, job->mem);
    az_vec_init(&h->categories, job->mem);
    h->tr = az_arena_array(job->arena, job->n_traces, sizeof *h->tr);
    int rc = h->tr ? 0 : az_arena_error(job->arena);
    az_intern_init(&h->names, job->arena, job->mem);
    az_map_init(&h->category_of, job->mem, 64);
    for (size_t k = 0; rc == 0 && k < h->n; k++) {
        struct az_hlo_trace *tr = &h->tr[k];
        const size_t names = job->traces[k]->names.text.n + 1;
        tr->t = job->traces[k];
        tr->x = az_xtrace(tr->t);
        tr->id = az_arena_array(job->arena, names, sizeof *tr->id);
        tr->last = az_arena_array(job->arena, tr->x->rows.n + 1, sizeof *tr->last);
        if (!tr->id || !tr->last)
            return az_arena_error(job->arena);
        memset(tr->id, 0xff, names * sizeof *tr->id);
        rc = add_devices(h, k);
    }
    return rc;
}

int az_hlo_release(struct az_hlo *h, int rc)
{
    rc = rc ? rc : h->error;
    az_vec_release(&h->devices);
    az_vec_release(&h->categories);
    az_intern_release(&h->names);
    az_map_release(&h->category_of);
    return rc;
}

/* An error of a function without a status is stored until the end; true if it failed. */
static bool failed(struct az_hlo *h, int rc)
{
    h->error = h->error ? h->error : rc;
    return rc != 0;
}

bool az_hlo_has(const struct az_hlo *h, enum az_plane_kind kind)
{
    for (size_t i = 0; i < h->devices.n; i++)
        if (h->devices.v[i].kind == kind)
            return true;
    return false;
}

/* ---- events ---- */

uint32_t az_hlo_id(struct az_hlo *h, size_t k, uint32_t name)
{
    struct az_hlo_trace *tr = &h->tr[k];
    if (name == AZ_NO_ID)
        return AZ_NO_ID;
    if (tr->id[name] == AZ_NO_ID &&
        failed(h, az_intern(&h->names, az_trace_text(tr->t, name), &tr->id[name])))
        tr->id[name] = AZ_NO_ID;
    return tr->id[name];
}

struct az_sv az_hlo_text(const struct az_hlo *h, uint32_t id)
{
    return az_intern_text(&h->names, id);
}

uint32_t az_hlo_name(struct az_hlo *h, const struct az_hlo_event *e)
{
    return az_hlo_id(h, e->trace, az_hlo_events(h, e)->name[e->row]);
}

const struct az_hlo_op *az_hlo_event_op(const struct az_hlo *h, const struct az_hlo_event *e)
{
    const struct az_xrow *row = az_hlo_row(h, e);
    return row && row->hlo != AZ_NO_ROW ? &h->tr[e->trace].x->hlo.v[row->hlo] : NULL;
}

bool az_hlo_is_comm(struct az_hlo *h, const struct az_hlo_event *e)
{
    const uint32_t name = az_hlo_events(h, e)->name[e->row];
    return e->kind == AZ_KERNEL && az_trace_is_comm(h->tr[e->trace].t, name);
}

/* Category of a kernel by its name and its HLO operation (empty: none). */
static struct az_sv category_of(struct az_hlo *h, struct az_sv kernel, struct az_sv op)
{
    static const char file[] = "xla_events.rules", group[] = "category";
    struct az_arena *a = h->job->arena;
    const struct az_sv by_name = az_rule_cache_class(&h->category_rules, file, group, a, kernel);
    if (az_sv_starts(by_name, AZ_SV("FA ")))
        return by_name;
    const struct az_sv by_op = az_rule_cache_class(&h->category_rules, file, group, a, op);
    return by_op.n ? by_op : by_name.n ? by_name : AZ_SV("Uncategorized Events/XLA");
}

static uint32_t find_category(struct az_hlo *h, const struct az_hlo_event *e,
                              const struct az_xrow *row)
{
    const uint32_t name = az_hlo_name(h, e), op = row ? az_hlo_id(h, e->trace, row->op) : AZ_NO_ID;
    uint32_t *at, k = 0;
    bool added;
    if (failed(h, az_map_put(&h->category_of, name, op, 0, &at, &added)))
        return 0;
    if (!added)
        return *at;
    const struct az_sv c = category_of(h, az_hlo_text(h, name), az_hlo_text(h, op));
    while (k < h->categories.n && !az_sv_eq(h->categories.v[k], c))
        k++;
    if (k == h->categories.n && failed(h, az_vec_push(&h->categories, c)))
        return 0;
    return *at = k;
}

/* A row has one operation, and nearly always one kernel. */
uint32_t az_hlo_category(struct az_hlo *h, const struct az_hlo_event *e)
{
    const struct az_xrow *row = az_hlo_row(h, e);
    if (!row)
        return find_category(h, e, row);
    struct az_hlo_trace *tr = &h->tr[e->trace];
    struct az_hlo_last_kernel *s = &tr->last[row - tr->x->rows.v];
    const uint32_t name = az_hlo_events(h, e)->name[e->row];
    if (s->category == 0 || s->name != name)
        *s = (struct az_hlo_last_kernel){ name, find_category(h, e, row) + 1 };
    return s->category - 1;
}
