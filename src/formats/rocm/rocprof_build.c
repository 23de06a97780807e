/* AMD profiles into the common model: what the containers (JSON, CSV, SQLite, Perfetto) have in
 * common. */
#include "formats/rocm/rocprof.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "model/cut_sieve.h"

int az_rocprof_init(struct az_rocprof *r, struct az_parse *job)
{
    memset(r, 0, sizeof *r);
    r->job = job;
    r->t = job->trace;
    r->full_names = az_sv_ieq(job->opts->kernel_names, AZ_SV("full"));
    az_arena_init(&r->scratch, job->mem);
    az_shown_names_init(&r->shown, r->t);
    r->t->ticks_per_ns = 1;
    int rc = az_dispatches_init(r->t);
    az_map_init(&r->sum_of, job->mem, 16);
    az_map_init(&r->process_of, job->mem, 16);
    if (!r->t->cut_log)
        az_geometry_column(r->t);
    r->d = az_dispatches(r->t);
    return rc;
}

bool az_rocprof_has(const struct az_rocprof *r, enum az_kind kind)
{
    return r->t->ev[kind].n || (r->t->cut_log && r->t->cut_log->seen[kind]);
}

bool az_rocprof_is_counted_cut(const struct az_rocprof *r)
{
    const struct az_cut_log *log = r->t->cut_log;
    return log && log->sieve && log->sieve->counted;
}

static void drop_pending(struct az_rocprof *r)
{
    az_mem_free(r->job->mem, r->pending, r->cap_pending * sizeof *r->pending);
    r->pending = NULL;
    r->n_pending = r->cap_pending = 0;
}

void az_rocprof_release(struct az_rocprof *r)
{
    az_arena_release(&r->scratch);
    az_shown_names_release(&r->shown);
    az_map_release(&r->sum_of);
    az_map_release(&r->process_of);
    drop_pending(r);
}

int az_rocprof_process(struct az_rocprof *r, int64_t pid, int64_t init, int64_t fini)
{
    struct az_process p = { .pid = pid, .init = init, .fini = fini };
    if (r->d->processes.n >= UINT32_MAX - 1)
        return AZ_ERANGE;
    r->proc = (uint32_t)r->d->processes.n + 1;
    r->pid = pid;
    return az_vec_push(&r->d->processes, p);
}

int az_rocprof_select(struct az_rocprof *r, int64_t pid)
{
    const uint32_t set = r->set ? r->set : 1;
    struct az_process *first = r->d->processes.n >= set ? &r->d->processes.v[set - 1] : NULL;
    uint32_t *proc;
    bool added = false;
    if (pid == r->pid && r->proc >= set && pid)
        return 0;
    if (first && (pid == 0 || first->pid == 0 || first->pid == pid)) {
        first->pid = first->pid ? first->pid : pid;
        r->proc = set;
        r->pid = first->pid;
        return 0;
    }
    int rc = az_map_put(&r->process_of, (uint64_t)pid, set, (uint32_t)r->d->processes.n + 1, &proc,
                        &added);
    if (rc == 0 && added)
        return az_rocprof_process(r, pid, 0, 0);
    r->proc = rc ? r->proc : *proc;
    r->pid = rc ? r->pid : pid;
    return rc;
}

int az_rocprof_agent(struct az_rocprof *r, int64_t index, bool gpu, struct az_sv name, int64_t cus,
                     int64_t bytes)
{
    struct az_agent a = { .proc = r->proc, .index = index, .gpu = gpu };
    struct az_device dev = { .id = index, .sm_count = cus, .memory_bytes = bytes };
    int rc = az_agent_find(r->d, r->proc, index) ? 0 : az_vec_push(&r->d->agents, a);
    for (size_t i = 0; i < r->t->devices.n; i++) /* the processes of a node share its devices */
        if (r->t->devices.v[i].id == index && az_sv_eq(r->t->devices.v[i].name, name))
            return rc;
    if (rc || !gpu || (name.n == 0 && cus == 0)) /* nothing is known of it */
        return rc;
    dev.name = az_arena_dup(&r->t->arena, name);
    return dev.name.p ? az_vec_push(&r->t->devices, dev) : az_arena_error(&r->t->arena);
}

/* ---- lanes ---- */

static int find_lane(struct az_rocprof *r, struct az_lane *l, uint32_t *out)
{
    const uint64_t key[4] = { l->device_side, (uint64_t)l->device, l->tid, l->context };
    size_t slot = (size_t)(key[0] * 7 + key[1] * 31 + key[2] * 13 + key[3]) % ROC_LANE_CACHE;
    if (r->lanes[slot].used && r->lanes[slot].proc == r->proc &&
        memcmp(r->lanes[slot].key, key, sizeof key) == 0) {
        *out = r->lanes[slot].lane;
        return 0;
    }
    l->pid = (uint64_t)r->pid;
    l->proc = r->proc;
    l->label = AZ_NO_ID;
    int rc = az_trace_lane(r->t, l, out);
    memcpy(r->lanes[slot].key, key, sizeof key);
    r->lanes[slot].lane = *out;
    r->lanes[slot].proc = r->proc;
    r->lanes[slot].used = rc == 0;
    return rc;
}

static int device_lane(struct az_rocprof *r, int64_t agent, int64_t queue, int64_t stream,
                       uint32_t *out)
{
    struct az_lane l = {
        .device_side = true, .device = agent, .tid = (uint64_t)queue, .context = (uint64_t)stream
    };
    return find_lane(r, &l, out);
}

int az_rocprof_host_lane(struct az_rocprof *r, int64_t thread, uint32_t *out)
{
    struct az_lane l = { .device = -1, .tid = (uint64_t)thread };
    return find_lane(r, &l, out);
}

/* ---- events ---- */

static int add_event(struct az_rocprof *r, enum az_kind kind, struct az_event *e)
{
    r->t->read++;
    if (e->end < e->start && kind <= AZ_GRAPH) {
        az_trace_impossible(r->t, kind, e->start, e->end);
        return 0;
    }
    if (e->end < e->start) {
        e->end = e->start;
        r->negative++;
    }
    int rc = az_trace_add(r->t, kind, e);
    r->t->kept += rc == 0;
    return rc;
}

/* A dispatch of a cut that is not stored: of a process, from the first to the last in a row. */
static int note_dispatch(struct az_rocprof *r, uint64_t id)
{
    struct az_cut_log *log = r->t->cut_log;
    struct az_vec_u64 *ids = log ? &log->ids : NULL;
    if (!log || !log->runs || !log->inside)
        return AZ_OK;
    if (ids->n && ids->v[ids->n - 3] == r->proc && ids->v[ids->n - 1] + 1 == id) {
        ids->v[ids->n - 1] = id;
        return AZ_OK;
    }
    int rc = az_vec_push(ids, r->proc);
    if (rc == 0)
        rc = az_vec_push(ids, id);
    return rc ? rc : az_vec_push(ids, id);
}

int az_rocprof_kernel_row(struct az_rocprof *r, const struct az_rocprof_kernel *k, uint32_t shape)
{
    struct az_dispatch row = { .id = k->dispatch, .thread = k->thread, .shape = shape };
    struct az_event e = { .start = k->start, .end = k->end, .name = k->name, .corr = k->corr };
    const size_t n = r->t->ev[AZ_KERNEL].n;
    int rc = device_lane(r, k->agent, k->queue, k->stream, &e.lane);
    e.side = (uint32_t)r->d->rows.n;
    if (rc == 0)
        rc = az_vec_push(&r->d->rows, row);
    if (rc == 0)
        rc = add_event(r, AZ_KERNEL, &e);
    if (rc == 0 && r->t->ev[AZ_KERNEL].n == n) {
        r->d->rows.n--;
        rc = note_dispatch(r, k->dispatch);
    }
    return rc;
}

int az_rocprof_kernel(struct az_rocprof *r, const struct az_rocprof_kernel *k)
{
    if (r->n_pending && az_rocprof_has(r, AZ_KERNEL) && !r->counted) /* it is traced */
        drop_pending(r);
    struct az_rocprof_kernel named = *k;
    uint32_t shape;
    int rc = az_dispatch_shape(r->d, &named.shape, &shape);
    if (rc == 0 && k->name == AZ_NO_ID)
        rc = az_rocprof_kernel_name(r, k->shape.whole, &named.name);
    return rc ? rc : az_rocprof_kernel_row(r, &named, shape);
}

int az_rocprof_counted(struct az_rocprof *r, const struct az_rocprof_kernel *k)
{
    struct az_sieve *sieve = r->t->cut_log ? r->t->cut_log->sieve : NULL;
    r->any_counted = true;
    r->counted_proc = r->proc;
    r->counted_dispatch = k->dispatch;
    if (az_rocprof_is_counted_cut(r))
        return az_rocprof_kernel(r, k);
    if (sieve)
        sieve->counters = true;
    if (sieve || az_rocprof_has(r, AZ_KERNEL)) /* traced: see take_counted */
        return 0;
    if (r->n_pending == r->cap_pending) {
        size_t cap = r->cap_pending ? r->cap_pending * 2 : 256, bytes;
        if (!az_size_mul(cap, sizeof *r->pending, &bytes))
            return AZ_ERANGE;
        void *p =
            az_mem_realloc(r->job->mem, r->pending, r->cap_pending * sizeof *r->pending, bytes);
        if (!p)
            return az_mem_error(r->job->mem);
        r->pending = p;
        r->cap_pending = cap;
    }
    r->pending[r->n_pending++] = (struct az_rocprof_pending){
        .proc = r->proc, .record = r->t->cut_log ? r->t->cut_log->now : 0, .pid = r->pid, .k = *k
    };
    return 0;
}

int az_rocprof_copy_lane(struct az_rocprof *r, const struct az_rocprof_copy *c,
                         struct az_sv direction, uint32_t *out)
{
    const struct az_agent *dst =
        c->dst == AZ_NO_AGENT ? NULL : az_agent_find(r->d, r->proc, c->dst);
    const bool to_gpu =
        c->dst != AZ_NO_AGENT && (dst ? dst->gpu : !az_sv_ends(direction, AZ_SV("TO_HOST")));
    const int32_t agent = to_gpu ? c->dst : c->src;
    return device_lane(r, agent == AZ_NO_AGENT ? -1 : agent, c->queue, c->stream, out);
}

int az_rocprof_copy(struct az_rocprof *r, const struct az_rocprof_copy *c)
{
    struct az_copy side = { .bytes = c->bytes, .op = -1, .src = -1, .dst = -1 };
    struct az_route route = { .src = c->src, .dst = c->dst };
    struct az_event e = { .start = c->start, .end = c->end, .name = c->name, .corr = c->corr };
    const size_t n = r->t->ev[AZ_MEMCPY].n;
    int rc = az_rocprof_copy_lane(r, c, az_trace_text(r->t, c->name), &e.lane);
    e.side = (uint32_t)r->t->copies.n;
    az_vec_add(&r->t->copies, side);
    az_vec_add(&r->d->routes, route);
    if (rc || r->t->copies.failed || r->d->routes.failed)
        return rc ? rc : az_mem_error(r->t->mem);
    rc = add_event(r, AZ_MEMCPY, &e);
    if (r->t->ev[AZ_MEMCPY].n == n) {
        r->t->copies.n--;
        r->d->routes.n--;
    }
    return rc;
}

static int host_event(struct az_rocprof *r, enum az_kind kind, const struct az_rocprof_span *s,
                      uint32_t side)
{
    struct az_event e = { .start = s->start,
                          .end = s->end,
                          .name = s->name,
                          .corr = s->corr,
                          .side = side,
                          .uid = s->uid };
    int rc = az_rocprof_host_lane(r, s->thread, &e.lane);
    return rc ? rc : add_event(r, kind, &e);
}

int az_rocprof_call(struct az_rocprof *r, const struct az_rocprof_span *s)
{
    return host_event(r, AZ_CALL, s, s->domain);
}

int az_rocprof_range(struct az_rocprof *r, const struct az_rocprof_span *s)
{
    struct az_range side = { .id = s->corr };
    const size_t n = r->t->ev[AZ_RANGE].n;
    int rc = az_vec_push(&r->t->ranges, side);
    if (rc == 0)
        rc = host_event(r, AZ_RANGE, s, (uint32_t)r->t->ranges.n - 1);
    r->t->ranges.n -= rc == 0 && r->t->ev[AZ_RANGE].n == n;
    return rc;
}

int az_rocprof_alloc(struct az_rocprof *r, const struct az_rocprof_alloc *a)
{
    const size_t n = r->t->ev[AZ_ALLOC].n;
    int rc = az_vec_push(&r->d->allocs, a->what);
    if (rc == 0)
        rc = host_event(r, AZ_ALLOC, &a->at, (uint32_t)r->d->allocs.n - 1);
    r->d->allocs.n -= rc == 0 && r->t->ev[AZ_ALLOC].n == n;
    return rc;
}

/* ---- names ---- */

struct az_sv az_rocprof_formatted(struct az_sv whole)
{
    static const struct az_sv clone = { " [clone .kd]", 12 }, mark = { ".kd", 3 };
    if (whole.n > clone.n && az_sv_ends(whole, clone))
        whole.n -= clone.n;
    if (whole.n > mark.n && az_sv_ends(whole, mark))
        whole.n -= mark.n;
    return whole;
}

void az_rocprof_choose_names(const struct az_rocprof *r, const struct az_rocprof_symbol_names *n,
                             struct az_sv *whole, struct az_sv *shown)
{
    *whole = n->demangled.n ? n->demangled : n->formatted.n ? n->formatted : n->mangled;
    *shown = AZ_SV("");
    if (r->full_names)
        *shown = n->formatted.n ? n->formatted : az_rocprof_formatted(*whole);
    if (shown->n == 0)
        *shown = n->truncated;
    if (shown->n == 0)
        *shown = az_kernel_short_name(n->formatted);
    if (shown->n == 0)
        *shown = az_kernel_short_name(n->mangled);
    if (shown->n > 3 && az_sv_ends(*shown, AZ_SV(".kd")))
        shown->n -= 3;
}

int az_rocprof_shown_name(struct az_rocprof *r, uint32_t whole, uint32_t shorter, uint32_t *name)
{
    *name = shorter;
    return r->full_names ? 0 : az_shown_name(&r->shown, whole, shorter, name);
}

int az_rocprof_kernel_name(struct az_rocprof *r, uint32_t whole, uint32_t *name)
{
    const struct az_sv text = az_trace_text(r->t, whole);
    *name = az_shown_name_known(&r->shown, whole);
    if (*name != AZ_NO_ID)
        return 0;
    const struct az_sv shown =
        r->full_names ? az_rocprof_formatted(text) : az_kernel_short_name(text);
    *name = az_trace_name(r->t, shown.n ? shown : text);
    if (r->t->names.error)
        return r->t->names.error;
    if (r->full_names)
        return az_shown_name_set(&r->shown, whole, *name);
    return az_shown_name(&r->shown, whole, *name, name);
}

uint32_t az_rocprof_unknown_kernel(struct az_rocprof *r, uint64_t id)
{
    char text[48];
    int n = snprintf(text, sizeof text, "unknown_kernel_%" PRIu64, id);
    return az_trace_name(r->t, az_sv_make(text, (size_t)n));
}

int32_t az_rocprof_agent_number(struct az_sv text)
{
    size_t from = 0, end;
    int64_t v;
    while (from < text.n && (text.p[from] < '0' || text.p[from] > '9'))
        from++;
    for (end = from; end < text.n && text.p[end] >= '0' && text.p[end] <= '9';)
        end++;
    if (end == from || az_parse_i64(az_sv_make(text.p + from, end - from), &v) != 0 ||
        v > INT32_MAX)
        return AZ_NO_AGENT;
    return (int32_t)v;
}

const char *az_rocprof_direction(const struct az_rocprof *r, int32_t src, int32_t dst)
{
    static const char *const text[] = { "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                                        "MEMORY_COPY_DEVICE_TO_HOST",
                                        "MEMORY_COPY_DEVICE_TO_DEVICE" };
    const struct az_agent *s = az_agent_find(r->d, r->proc, src),
                          *d = az_agent_find(r->d, r->proc, dst);
    return s && d ? text[2 * s->gpu + d->gpu] : "MEMORY_COPY_NONE";
}

/* ---- end ---- */

/* Dispatches that are known from their counters only. */
static int take_counted(struct az_rocprof *r)
{
    bool traced = az_rocprof_has(r, AZ_KERNEL);
    int rc = 0;
    r->counted = true;
    for (size_t i = 0; rc == 0 && !traced && i < r->n_pending; i++) {
        r->proc = r->pending[i].proc;
        r->pid = r->pending[i].pid;
        if (r->t->cut_log)
            r->t->cut_log->now = r->pending[i].record;
        rc = az_rocprof_kernel(r, &r->pending[i].k);
    }
    return rc;
}

static void report_skipped(struct az_rocprof *r)
{
    struct az_diag *diag = r->job->diag;
    struct az_where at = AZ_AT_FILE(r->job->files[0].path);
    if (r->negative)
        az_diag_add(diag, AZ_WARNING, at,
                    "%" PRIu64 " event(s) end before they start: duration set to 0", r->negative);
    if (r->unnamed)
        az_diag_add(diag, AZ_WARNING, at,
                    "%" PRIu64
                    " dispatch(es) of kernels without a symbol: named unknown_kernel_<id>",
                    r->unnamed);
    if (az_rocprof_has(r, AZ_MEMCPY) && !az_rocprof_has(r, AZ_KERNEL) && !r->t->kernel_sums.n)
        az_diag_add(diag, AZ_WARNING, at,
                    "copies only, no kernels; record with --kernel-trace, or add its file");
}

/* Grids count work-items in these files: in work-groups, the last one of a dimension may be filled
 * in part. */
static struct az_geometry geometry_of(const struct az_dispatch_shape *s)
{
    const uint64_t registers = (uint64_t)s->vgpr + s->agpr;
    struct az_geometry g = { .registers = az_geometry_figure((int64_t)registers, 0),
                             .static_shared = s->lds,
                             .dynamic_shared = AZ_NO_SIZE };
    for (int i = 0; i < 3; i++) {
        g.block[i] = s->block[i];
        g.grid[i] = s->block[i] ? s->grid[i] / s->block[i] + (s->grid[i] % s->block[i] != 0) : 0;
    }
    return g;
}

/* From the shapes, which are complete when all is read. */
static int take_geometry(struct az_rocprof *r)
{
    const struct az_dispatch_shapes *shapes = &r->d->shapes;
    struct az_events *e = &r->t->ev[AZ_KERNEL];
    if (!az_geometry_read(r->t) || e->n == 0)
        return 0;
    uint32_t *row = az_mem_alloc(r->job->mem, (shapes->n + 1) * sizeof *row);
    int rc = row ? 0 : az_mem_error(r->job->mem);
    for (size_t i = 0; rc == 0 && i < shapes->n; i++) {
        const struct az_geometry g = geometry_of(&shapes->v[i]);
        rc = az_geometries_put(&r->t->geometries, &g, &row[i]);
    }
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        e->geo[i] = row[r->d->rows.v[e->side[i]].shape];
    az_mem_free(r->job->mem, row, (shapes->n + 1) * sizeof *row);
    return rc;
}

int az_rocprof_finish(struct az_rocprof *r)
{
    int rc = take_counted(r);
    if (rc == 0)
        rc = take_geometry(r);
    if (rc == 0)
        report_skipped(r);
    return rc;
}

int az_rocprof_error(struct az_rocprof *r, int rc, struct az_sv path)
{
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(r->job->diag, rc, AZ_AT_FILE(path), r->job->mem);
    if (rc == AZ_ERANGE)
        return az_diag_fail(r->job->diag, rc, AZ_AT_FILE(path), "more than 2^32 rows or names");
    return rc;
}
