/* The common model: growing columns, lanes, sealing. */
#include "model/trace.h"

#include "base/num.h"
#include "base/pool.h"
#include "base/sort.h"
#include "model/clean.h"
#include "model/window.h"

const char *az_kind_text(enum az_kind k)
{
    static const char *const text[AZ_KIND_COUNT] = {
        [AZ_KERNEL] = "kernel",       [AZ_MEMCPY] = "memcpy",
        [AZ_MEMSET] = "memset",       [AZ_GRAPH] = "graph launch",
        [AZ_HOST_OP] = "host op",     [AZ_CALL] = "API call",
        [AZ_OSRT] = "OS call",        [AZ_RANGE] = "range",
        [AZ_GPU_RANGE] = "GPU range", [AZ_FRAME] = "frame",
        [AZ_SYNC] = "sync",           [AZ_OVERHEAD] = "overhead",
        [AZ_ALLOC] = "allocation",    [AZ_CAPTURED] = "captured call",
        [AZ_GAP_FRAME] = "frame",     [AZ_MODULE] = "module",
    };
    return (unsigned)k < AZ_KIND_COUNT ? text[k] : "unknown";
}

const char *az_cap_text(unsigned one_cap)
{
    switch (one_cap) {
    case AZ_CAP_KERNEL_SUMS:
        return "kernel times";
    case AZ_CAP_TIMELINE:
        return "timeline";
    case AZ_CAP_CALLS:
        return "API calls";
    case AZ_CAP_RANGES:
        return "ranges";
    case AZ_CAP_PROJ:
        return "projected ranges";
    case AZ_CAP_MEM:
        return "memory operations";
    case AZ_CAP_HOST_OPS:
        return "host operators";
    case AZ_CAP_LAUNCHES:
        return "launches";
    case AZ_CAP_OSRT:
        return "OS calls";
    case AZ_CAP_OPREPORT:
        return "operation report";
    case AZ_CAP_DISPATCHES:
        return "dispatches of kernels";
    case AZ_CAP_CLASSIC:
        return "classic Nsight block";
    case AZ_CAP_PROGRAMS:
        return "operations of compiled programs";
    case AZ_CAP_CALLTREE:
        return "call tree";
    case AZ_CAP_GEOMETRY:
        return "launch geometry of kernels";
    case AZ_CAP_SAMPLES:
        return "sampled counters";
    default:
        return "unknown";
    }
}

/* ---- life ---- */

int az_trace_init(struct az_trace *t, struct az_mem *mem)
{
    *t = (struct az_trace){ .mem = mem, .ticks_per_ns = 1, .rank = -1, .world_size = -1 };
    az_arena_init(&t->arena, mem);
    az_vec_init(&t->lanes, mem);
    az_vec_init(&t->lane_kinds, mem);
    az_vec_init(&t->runs, mem);
    az_vec_init(&t->full_name, mem);
    az_vec_init(&t->copies, mem);
    az_geometries_init(&t->geometries, mem);
    az_samples_init(&t->samples, mem);
    az_vec_init(&t->ranges, mem);
    az_vec_init(&t->comm_notes, mem);
    az_vec_init(&t->devices, mem);
    az_vec_init(&t->kernel_sums, mem);
    az_vec_init(&t->mem_sums, mem);
    az_vec_init(&t->mem_sizes, mem);
    az_vec_init(&t->proj, mem);
    az_vec_init(&t->drops, mem);
    az_vec_init(&t->skipped, mem);
    t->in_order = 1u << AZ_KERNEL;
    az_vec_init(&t->notes, mem);
    az_vec_init(&t->facts, mem);
    az_vec_init(&t->window_work, mem);
    az_vec_init(&t->recorded_window, mem);
    az_vec_init(&t->window_process, mem);
    az_vec_init(&t->window_others, mem);
    az_intern_init(&t->names, &t->arena, mem);
    az_map_init(&t->lane_of, mem, 0);
    return 0;
}

/* ---- columns ---- */

enum { COLUMNS = 9 };

/* A column of a kind: where its pointer is stored, and the size of an element. The pointer is read
 * and written by memcpy, because the columns have different types. */
struct column {
    void *at;
    size_t size;
};

static size_t columns_of(struct az_events *ev, struct column out[COLUMNS])
{
    size_t n = 0;
    out[n++] = (struct column){ &ev->start, sizeof *ev->start };
    out[n++] = (struct column){ &ev->end, sizeof *ev->end };
    out[n++] = (struct column){ &ev->name, sizeof *ev->name };
    out[n++] = (struct column){ &ev->lane, sizeof *ev->lane };
    if (ev->cols & AZ_COL_CORR)
        out[n++] = (struct column){ &ev->corr, sizeof *ev->corr };
    if (ev->cols & AZ_COL_SIDE)
        out[n++] = (struct column){ &ev->side, sizeof *ev->side };
    if (ev->cols & AZ_COL_UID)
        out[n++] = (struct column){ &ev->uid, sizeof *ev->uid };
    if (ev->cols & AZ_COL_NODE)
        out[n++] = (struct column){ &ev->node, sizeof *ev->node };
    if (ev->cols & AZ_COL_GEO)
        out[n++] = (struct column){ &ev->geo, sizeof *ev->geo };
    return n;
}

static void *column_get(struct column c)
{
    void *p;
    memcpy(&p, c.at, sizeof p);
    return p;
}

static void column_set(struct column c, void *p) { memcpy(c.at, &p, sizeof p); }

/* Changes the room of all columns. The first `done` columns of a failed growth retain the larger
 * block; they are shrunk to `cap`, which is what is charged. */
static int resize(struct az_trace *t, struct az_events *ev, size_t cap)
{
    struct column c[COLUMNS];
    const size_t n = columns_of(ev, c);
    size_t bytes, done = 0;
    if (!az_size_mul(cap, sizeof(uint64_t), &bytes))
        return AZ_ERANGE;
    for (; done < n; done++) {
        void *p =
            az_mem_realloc(t->mem, column_get(c[done]), ev->cap * c[done].size, cap * c[done].size);
        if (p == NULL)
            break;
        column_set(c[done], p);
    }
    if (done == n) {
        ev->cap = cap;
        return 0;
    }
    while (done-- > 0) {
        /* Shrinking; where even that fails the block just stays larger than charged. */
        void *p =
            az_mem_realloc(t->mem, column_get(c[done]), cap * c[done].size, ev->cap * c[done].size);
        if (p != NULL)
            column_set(c[done], p);
    }
    return az_mem_error(t->mem);
}

void az_trace_columns(struct az_trace *t, enum az_kind k, unsigned cols)
{
    if (t->ev[k].cap == 0) /* later the columns would have holes */
        t->ev[k].cols = cols | (t->cut_log ? AZ_COL_UID : 0u);
}

int az_trace_add_node(struct az_trace *t, enum az_kind k)
{
    struct az_events *ev = &t->ev[k];
    const size_t bytes = ev->cap * sizeof *ev->node; /* of the other columns as well */
    if (ev->cols & AZ_COL_NODE)
        return 0;
    if (bytes > 0 && !(ev->node = az_mem_alloc(t->mem, bytes)))
        return az_mem_error(t->mem);
    if (bytes > 0)
        memset(ev->node, 0, bytes);
    ev->cols |= AZ_COL_NODE;
    return 0;
}

static void put_row(struct az_events *ev, size_t i, const struct az_event *e)
{
    ev->start[i] = e->start;
    ev->end[i] = e->end;
    ev->name[i] = e->name;
    ev->lane[i] = e->lane;
    if (ev->cols & AZ_COL_CORR)
        ev->corr[i] = e->corr;
    if (ev->cols & AZ_COL_SIDE)
        ev->side[i] = e->side;
    if (ev->cols & AZ_COL_UID)
        ev->uid[i] = e->uid;
    if (ev->cols & AZ_COL_NODE)
        ev->node[i] = e->node;
    if (ev->cols & AZ_COL_GEO)
        ev->geo[i] = e->geo;
}

/* Rows up to which the columns are doubled: later they grow without being copied (base/mem.c). */
#define DOUBLED 32768

int az_trace_add(struct az_trace *t, enum az_kind k, const struct az_event *e)
{
    struct az_events *ev = &t->ev[k];
    if (e->end < e->start)
        return AZ_EFORMAT;
    if (e->start < -AZ_TIME_MAX || e->end > AZ_TIME_MAX) {
        int64_t ticks;
        az_trace_lost(t, k, "times out of range", 1,
                      __builtin_sub_overflow(e->end, e->start, &ticks) ? INT64_MAX : ticks);
        return 0;
    }
    if (t->cut_log && t->cut_log->pass) {
        const int rc = t->cut_log->pass(t->cut_log->ctx, k, e);
        if (rc <= 0)
            return rc;
    } else if (t->cut_log && az_cut_log_sift(t->cut_log, k, t->lanes.v[e->lane].proc, e))
        return 0;
    if (ev->n == ev->cap) {
        if (ev->n >= AZ_NO_ROW - 1)
            return AZ_ERANGE;
        int err = t->names.error;
        if (err == 0)
            err =
                resize(t, ev, ev->cap < 64 ? 64 : ev->cap + ev->cap / (ev->cap < DOUBLED ? 1 : 2));
        if (err)
            return err;
    }
    put_row(ev, ev->n++, e);
    if (t->cut_log && ev->uid)
        ev->uid[ev->n - 1] = az_cut_log_event(t->cut_log);
    return 0;
}

int az_trace_reserve(struct az_trace *t, enum az_kind k, size_t more)
{
    struct az_events *ev = &t->ev[k];
    if (more > AZ_NO_ROW - 1 - ev->n)
        return AZ_ERANGE;
    return ev->cap - ev->n >= more ? 0 : resize(t, ev, ev->n + more);
}

void az_trace_drop_columns(struct az_trace *t, enum az_kind k, unsigned cols)
{
    struct az_events *ev = &t->ev[k];
    struct column c[COLUMNS];
    const unsigned kept = ev->cols & ~cols;
    ev->cols &= cols;
    const size_t n = columns_of(ev, c);
    for (size_t i = 4; i < n; i++) /* after start, end, name, lane */
        az_mem_free(t->mem, column_get(c[i]), ev->cap * c[i].size);
    ev->corr = cols & AZ_COL_CORR ? NULL : ev->corr;
    ev->side = cols & AZ_COL_SIDE ? NULL : ev->side;
    ev->uid = cols & AZ_COL_UID ? NULL : ev->uid;
    ev->node = cols & AZ_COL_NODE ? NULL : ev->node;
    ev->geo = cols & AZ_COL_GEO ? NULL : ev->geo;
    ev->cols = kept;
}

void az_trace_clear(struct az_trace *t, enum az_kind k)
{
    struct column c[COLUMNS];
    const size_t n = columns_of(&t->ev[k], c);
    for (size_t i = 0; i < n; i++)
        az_mem_free(t->mem, column_get(c[i]), t->ev[k].cap * c[i].size);
    t->ev[k] = (struct az_events){ .n = 0 };
}

void az_trace_release(struct az_trace *t)
{
    if (t->ext_ops)
        t->ext_ops->release(t);
    t->ext_ops = NULL;
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        az_trace_clear(t, (enum az_kind)k);
    az_vec_release(&t->lanes);
    az_vec_release(&t->lane_kinds);
    az_vec_release(&t->runs);
    az_vec_release(&t->full_name);
    az_vec_release(&t->copies);
    az_geometries_release(&t->geometries);
    az_samples_release(&t->samples);
    az_vec_release(&t->ranges);
    az_vec_release(&t->comm_notes);
    az_vec_release(&t->devices);
    az_vec_release(&t->kernel_sums);
    az_vec_release(&t->mem_sums);
    az_vec_release(&t->mem_sizes);
    az_vec_release(&t->proj);
    az_vec_release(&t->drops);
    az_vec_release(&t->skipped);
    az_vec_release(&t->notes);
    az_vec_release(&t->facts);
    az_vec_release(&t->window_work);
    az_vec_release(&t->recorded_window);
    az_vec_release(&t->window_process);
    az_vec_release(&t->window_others);
    az_map_release(&t->lane_of);
    az_intern_release(&t->names);
    az_arena_release(&t->arena);
}

/* ---- names, lanes, facts ---- */

static bool same_lane(const struct az_lane *a, const struct az_lane *b)
{
    return a->device_side == b->device_side && a->pid == b->pid && a->tid == b->tid &&
           a->device == b->device && a->context == b->context && a->proc == b->proc &&
           a->thread == b->thread && a->label == b->label;
}

int az_trace_lane(struct az_trace *t, const struct az_lane *lane, uint32_t *index)
{
    /* Field by field: the padding of the struct is undefined. */
    const uint64_t fields[] = {
        lane->device_side, lane->pid,  lane->tid,    (uint64_t)lane->device,
        lane->context,     lane->proc, lane->thread, lane->label,
    };
    const uint64_t hash = az_hash(fields, sizeof fields);
    for (uint64_t same_hash = 0;; same_hash++) {
        uint32_t *at;
        bool added;
        int err = az_vec_reserve(&t->lanes, 1);
        if (err == 0)
            err = az_map_put(&t->lane_of, hash, same_hash, (uint32_t)t->lanes.n, &at, &added);
        if (err != 0)
            return err;
        if (added)
            t->lanes.v[t->lanes.n++] = *lane; /* there is room */
        if (added || same_lane(&t->lanes.v[*at], lane)) {
            *index = *at;
            return 0;
        }
    }
}

const char *az_drop_kind_text(enum az_drop_kind kind)
{
    static const char *const text[] = { "lost", "filtered", "not modeled", "out of scope" };
    return text[kind];
}

static void add_drop(struct az_trace *t, struct az_drops *to, const struct az_drop *add)
{
    struct az_drop d = *add;
    for (size_t i = 0; i < to->n; i++) {
        struct az_drop *same = &to->v[i];
        if (same->kind == d.kind && az_sv_eq(same->reason, d.reason)) {
            same->count += d.count;
            same->ticks = az_add_sat(same->ticks, d.ticks);
            same->device += d.device;
            return;
        }
    }
    d.reason = az_arena_dup(&t->arena, d.reason);
    if (d.reason.p == NULL || az_vec_push(to, d) != 0)
        t->arena.failed =
            true; /* detected where the caller checks its arena, at the latest when sealing */
}

void az_trace_drop_add(struct az_trace *t, const struct az_drop *d) { add_drop(t, &t->drops, d); }

void az_trace_skipped_work(struct az_trace *t, struct az_sv what, uint64_t events, int64_t ticks)
{
    add_drop(t, &t->skipped,
             &(struct az_drop){
                 .reason = what, .count = events, .ticks = ticks, .kind = AZ_DROP_NOT_MODELLED });
}

void az_trace_impossible(struct az_trace *t, enum az_kind k, int64_t start, int64_t end)
{
    int64_t ticks;
    if (__builtin_sub_overflow(end, start, &ticks))
        ticks = end > start ? INT64_MAX : 0;
    ticks = ticks > 0 ? ticks : 0;
    t->quality.impossible++;
    t->quality.impossible_ticks = az_add_sat(t->quality.impossible_ticks, ticks);
    az_trace_lost(t, k, "events with invalid timestamps", 1, ticks);
}

void az_trace_dropped(struct az_trace *t, enum az_drop_kind kind, const char *reason,
                      uint64_t count, int64_t ticks)
{
    az_trace_drop_add(
        t, &(struct az_drop){
               .reason = az_sv_str(reason), .count = count, .ticks = ticks, .kind = kind });
}

void az_trace_lost(struct az_trace *t, enum az_kind k, const char *reason, uint64_t count,
                   int64_t ticks)
{
    const bool device = k == AZ_KERNEL || k == AZ_MEMCPY || k == AZ_MEMSET || k == AZ_GRAPH;
    az_trace_drop_add(t, &(struct az_drop){ .reason = az_sv_str(reason),
                                            .count = count,
                                            .ticks = ticks,
                                            .kind = AZ_DROP_LOST,
                                            .device = device ? count : 0 });
}

void az_trace_truncated(struct az_trace *t, const char *reason)
{
    t->truncated = true;
    az_trace_dropped(t, AZ_DROP_LOST, reason, 1, 0);
}

void az_trace_note(struct az_trace *t, const char *item, uint64_t count, const char *text)
{
    const struct az_note n = { az_arena_dup(&t->arena, az_sv_str(item)),
                               az_arena_dup(&t->arena, az_sv_str(text)), count };
    if (n.item.p == NULL || n.text.p == NULL || az_vec_push(&t->notes, n) != 0)
        t->arena.failed = true;
}

void az_trace_fact(struct az_trace *t, const char *key, struct az_sv value)
{
    const struct az_fact f = { az_arena_dup(&t->arena, az_sv_str(key)),
                               az_arena_dup(&t->arena, value) };
    if (f.key.p == NULL || f.value.p == NULL || az_vec_push(&t->facts, f) != 0)
        t->arena.failed = true;
}

/* ---- sealing ---- */

/* c = c in the order of perm; tmp has room for n elements. */
static void gather(struct column c, const uint32_t *perm, size_t n, void *tmp)
{
    void *v = column_get(c);
    if (c.size == sizeof(uint64_t)) {
        const uint64_t *from = v;
        uint64_t *to = tmp;
        for (size_t i = 0; i < n; i++)
            to[i] = from[perm[i]];
    } else {
        const uint32_t *from = v;
        uint32_t *to = tmp;
        for (size_t i = 0; i < n; i++)
            to[i] = from[perm[i]];
    }
    memcpy(v, tmp, n * c.size);
}

static bool sorted_by_start(const struct az_events *ev)
{
    for (size_t i = 1; i < ev->n; i++) {
        if (ev->start[i - 1] > ev->start[i])
            return false;
    }
    return true;
}

/* One permutation and one temporary column next to the events. */
static int sort_events(struct az_trace *t, struct az_events *ev)
{
    struct column c[COLUMNS];
    const size_t n = columns_of(ev, c), perm_bytes = ev->n * sizeof(uint32_t),
                 tmp_bytes = ev->n * sizeof(uint64_t);
    void *tmp = NULL;
    uint32_t *perm = az_mem_alloc(t->mem, perm_bytes);
    if (perm) {
        az_sort_order(ev->start, ev->n, perm, t->mem);
        tmp = az_mem_alloc(t->mem, tmp_bytes);
    }
    const int err = tmp ? 0 : az_mem_error(t->mem);
    for (size_t i = 0; tmp && i < n; i++)
        gather(c[i], perm, ev->n, tmp);
    az_mem_free(t->mem, tmp, tmp_bytes);
    az_mem_free(t->mem, perm, perm_bytes);
    return err;
}

/* Unused memory is freed, and rows are put in order of their start. */
struct sorting {
    struct az_trace *t;
    int rc[AZ_KIND_COUNT];
};

static void sort_kind(void *ctx, unsigned k)
{
    struct sorting *s = ctx;
    struct az_events *ev = &s->t->ev[k];
    if (ev->cap > ev->n)
        s->rc[k] = resize(s->t, ev, ev->n);
    if (s->rc[k] == 0 && !sorted_by_start(ev))
        s->rc[k] = sort_events(s->t, ev);
}

static int sort_kinds(struct az_trace *t, unsigned threads)
{
    struct sorting s = { .t = t };
    int rc = az_pool_split(threads, AZ_KIND_COUNT, sort_kind, &s);
    for (size_t k = 0; rc == 0 && k < AZ_KIND_COUNT; k++)
        rc = s.rc[k];
    return rc;
}

int az_trace_finalize(struct az_trace *t) { return az_trace_finalize_on(t, 1); }

/* The part that is chosen, of the window that the file holds; else that one. */
static int apply_windows(struct az_trace *t)
{
    enum az_window_miss miss = AZ_WINDOW_FOUND;
    const int rc = az_window_apply(t, t->window, &miss);
    t->window_miss = miss;
    return rc;
}

int az_trace_finalize_on(struct az_trace *t, unsigned threads)
{
    if (t->sealed)
        return 0;
    if (t->arena.failed)
        return az_arena_error(&t->arena);
    if (t->names.error)
        return t->names.error;
    if (t->geometries.rows.n == 0) /* required, but the file has none */
        az_trace_drop_columns(t, AZ_KERNEL, AZ_COL_GEO);
    az_map_release(&t->geometries.row_of);
    az_map_release(&t->lane_of);
    az_vec_trim(&t->lanes);
    int err = sort_kinds(t, threads);
    if (err == 0 && (t->window || t->recorded_window.n))
        err = apply_windows(t);
    if (err == 0)
        err = az_trace_clean(t);
    if (err == 0)
        err = az_samples_seal(&t->samples, t->mem);
    if (err == 0)
        err = az_trace_index_work(t);
    if (err != 0)
        return err;
    t->sealed = true;
    t->caps = az_trace_facts(t); /* before the extension frees columns */
    const int rc = az_trace_classify_on(t, threads);
    return rc ? rc : t->ext_ops ? t->ext_ops->seal(t) : 0;
}

unsigned az_trace_facts(const struct az_trace *t)
{
    const size_t kernels = t->ev[AZ_KERNEL].n + t->ev[AZ_GRAPH].n,
                 memory = t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n;
    const bool calls = t->ev[AZ_CALL].n > 0, ranges = t->ev[AZ_RANGE].n > 0,
               device = kernels + memory > 0;
    const bool linked = calls && device && (t->ev[AZ_CALL].cols & AZ_COL_CORR);
    unsigned caps = t->ext_ops ? t->ext_ops->caps : 0;

    caps |= kernels || t->kernel_sums.n || t->has_kernels ? AZ_CAP_KERNEL_SUMS : 0u;
    caps |= device ? AZ_CAP_TIMELINE : 0u;
    caps |= memory || t->mem_sums.n || t->mem_sizes.n || t->has_mem ? AZ_CAP_MEM : 0u;
    caps |= calls ? AZ_CAP_CALLS : 0u;
    caps |= linked ? AZ_CAP_LAUNCHES : 0u;
    caps |= ranges ? AZ_CAP_RANGES : 0u;
    caps |= t->proj.n || (t->has_nvtx && !ranges) || (ranges && linked) ? AZ_CAP_PROJ : 0u;
    caps |= t->ev[AZ_HOST_OP].n ? AZ_CAP_HOST_OPS : 0u;
    caps |= t->ev[AZ_OSRT].n ? AZ_CAP_OSRT : 0u;
    caps |= t->classic ? AZ_CAP_CLASSIC : 0u;
    caps |= kernels && t->geometries.rows.n ? AZ_CAP_GEOMETRY : 0u;
    caps |= t->samples.rows.n ? AZ_CAP_SAMPLES : 0u;
    return caps;
}

int az_trace_replace(struct az_trace *t, enum az_kind k, const uint8_t *gone,
                     const struct az_event *add, size_t n)
{
    struct az_events *ev = &t->ev[k];
    struct column c[COLUMNS];
    const size_t old = ev->n;
    size_t kept = 0, room;
    if (!az_size_add(old, n, &room) || room >= AZ_NO_ROW)
        return AZ_ERANGE;
    int rc = ev->cap < room ? resize(t, ev, room) : 0;
    if (rc)
        return rc;
    for (size_t k2 = columns_of(ev, c); k2-- > 0;) {
        char *v = column_get(c[k2]);
        kept = 0;
        for (size_t i = 0; i < old; i++)
            if (!gone[i])
                memmove(v + kept++ * c[k2].size, v + i * c[k2].size, c[k2].size);
        memmove(v + n * c[k2].size, v, kept * c[k2].size);
    }
    ev->n = kept + n;
    for (size_t i = 0; i < n; i++)
        put_row(ev, i, &add[i]);
    rc = sorted_by_start(ev) ? 0 : sort_events(t, ev);
    return rc || k > AZ_GRAPH || !t->sealed ? rc : az_trace_index_work(t);
}

void az_trace_remove_first(struct az_trace *t, enum az_kind k, const uint8_t *gone, size_t n)
{
    struct az_events *ev = &t->ev[k];
    struct column c[COLUMNS];
    size_t kept = 0;
    for (size_t i = columns_of(ev, c); i-- > 0;) {
        char *v = column_get(c[i]);
        kept = 0;
        for (size_t row = 0; row < n; row++)
            if (!gone[row])
                memmove(v + kept++ * c[i].size, v + row * c[i].size, c[i].size);
        memmove(v + kept * c[i].size, v + n * c[i].size, (ev->n - n) * c[i].size);
    }
    ev->n -= n - kept;
}

bool az_trace_has_activity(const struct az_trace *t)
{
    return t->ev[AZ_KERNEL].n > 0 || t->ev[AZ_MEMCPY].n > 0 || t->ev[AZ_MEMSET].n > 0 ||
           t->ev[AZ_GRAPH].n > 0 || t->kernel_sums.n > 0 || t->mem_sums.n > 0 ||
           ((t->caps & AZ_CAP_OPREPORT) && t->ev[AZ_HOST_OP].n > 0);
}

bool az_trace_has_call(const struct az_trace *t, struct az_sv part)
{
    const struct az_events *e = &t->ev[AZ_CALL];
    uint32_t last[8]; /* names classified last: calls have few */
    memset(last, 0xff, sizeof last);
    for (size_t i = 0; i < e->n; i++) {
        uint32_t *seen = &last[e->name[i] % AZ_LENGTH(last)];
        if (*seen == e->name[i])
            continue;
        if (az_sv_ifind(az_trace_text(t, e->name[i]), part) >= 0)
            return true;
        *seen = e->name[i];
    }
    return false;
}
