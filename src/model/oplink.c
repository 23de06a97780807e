/* Launch links. By correlation (default): a device event belongs to the call with its correlation
 * id; of several such calls, to the latest that starts no later than it does, else to the first. By
 * flow (the rule of the other tool): only calls that have an arrow's start and end
 * count, and calls named cuda/hipGraphLaunch. */
#include "model/link.h"
#include "model/optrace.h"

#include "base/sort.h"

static const enum az_kind gpu_kinds[3] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };

/* A list of (key, position) sorted by key, positions in file order within a key. */
struct keyed { /* as many as launches: no padding */
    uint64_t key;
    uint32_t at;
} __attribute__((packed, aligned(4)));
AZ_VEC(struct keyed, keyed_list);

static uint64_t link_key(const struct az_calltree *c, enum az_kind k, uint32_t row)
{
    const struct az_events *e = &c->trace->ev[k];
    return az_optrace(c->trace)->key_is_ext
               ? e->node[row]
               : e->corr[row]; /* 0: none (External id is stored plus one) */
}

/* Numbers are unique within a rank; those of ranks in one file are made so. */
static uint64_t scoped_key(const struct az_calltree *c, enum az_kind k, uint32_t row)
{
    enum { SCOPE_SHIFT = 44 };
    const struct az_vec_u32 *scopes = &az_optrace(c->trace)->lane_scopes;
    const uint64_t key = link_key(c, k, row);
    if (scopes->n == 0 || key == 0 || key >> SCOPE_SHIFT)
        return key;
    return key | (uint64_t)scopes->v[c->trace->ev[k].lane[row]] << SCOPE_SHIFT;
}

static void *column(struct az_mem *mem, size_t n, size_t size)
{
    return az_mem_alloc(mem, (n + 1) * size);
}

static void put_gpu(struct az_calltree *c, size_t g, enum az_kind kind, uint32_t row)
{
    const uint64_t *ext = c->trace->ev[kind].node;
    c->gpu_kind[g] = (uint8_t)kind;
    c->gpu_row[g] = row;
    c->gpu_call[g] = AZ_NO_ROW;
    c->gpu_ext[g] = ext && ext[row] != 0;
}

/* uids are places in the file: an event's number is how many of them are less. *done stays false
 * where that needs more memory than sorting, or where uids are not unique. */
static int number_by_rank(struct az_calltree *c, bool *done)
{
    enum { SORTED = 32 }; /* bytes per event that sorting needs */
    const struct az_trace *t = c->trace;
    uint32_t most = 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < t->ev[gpu_kinds[k]].n; i++)
            most = t->ev[gpu_kinds[k]].uid[i] > most ? t->ev[gpu_kinds[k]].uid[i] : most;
    const size_t bytes = az_rank_words(most) * sizeof(struct az_rank_word);
    if (bytes > SORTED * ((size_t)c->n_gpu + 1))
        return 0;
    struct az_rank_word *before = az_mem_alloc(t->mem, bytes);
    if (!before)
        return az_mem_error(t->mem);
    memset(before, 0, bytes);
    *done = true;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < t->ev[gpu_kinds[k]].n; i++) {
            const uint32_t uid = t->ev[gpu_kinds[k]].uid[i];
            *done = *done && !az_rank_has(before, uid);
            az_rank_set(before, uid);
        }
    az_rank_close(before, most);
    for (int k = 0; *done && k < 3; k++)
        for (uint32_t i = 0; i < t->ev[gpu_kinds[k]].n; i++)
            put_gpu(c, az_rank(before, t->ev[gpu_kinds[k]].uid[i]), gpu_kinds[k], i);
    az_mem_free(t->mem, before, bytes);
    return 0;
}

static int number_by_sorting(struct az_calltree *c)
{
    const struct az_trace *t = c->trace;
    const size_t n = c->n_gpu;
    int64_t *uid = column(t->mem, n, 8);
    uint32_t *perm = column(t->mem, n, 4);
    int rc = uid && perm ? 0 : az_mem_error(t->mem);
    size_t at = 0;
    for (int k = 0; rc == 0 && k < 3; k++)
        for (size_t i = 0; i < t->ev[gpu_kinds[k]].n; i++)
            uid[at++] = t->ev[gpu_kinds[k]].uid[i];
    if (rc == 0)
        az_sort_order(uid, n, perm, t->mem);
    const uint32_t copies = (uint32_t)t->ev[AZ_KERNEL].n,
                   fills = copies + (uint32_t)t->ev[AZ_MEMCPY].n;
    for (uint32_t g = 0; rc == 0 && g < n; g++) {
        const uint32_t p = perm[g];
        put_gpu(c, g,
                p < copies  ? AZ_KERNEL
                : p < fills ? AZ_MEMCPY
                            : AZ_MEMSET,
                p < copies  ? p
                : p < fills ? p - copies
                            : p - fills);
    }
    if (uid)
        az_mem_free(t->mem, uid, (n + 1) * 8);
    if (perm)
        az_mem_free(t->mem, perm, (n + 1) * 4);
    return rc;
}

/* All device events in file order. */
static int list_gpu(struct az_calltree *c)
{
    const struct az_trace *t = c->trace;
    size_t n = 0;
    bool done = false;
    for (int k = 0; k < 3; k++)
        n += t->ev[gpu_kinds[k]].n;
    if (n >= AZ_NO_ROW)
        return AZ_ERANGE;
    c->n_gpu = (uint32_t)n;
    c->gpu_kind = column(t->mem, n, 1);
    c->gpu_row = column(t->mem, n, 4);
    c->gpu_call = column(t->mem, n, 4);
    c->gpu_ext = column(t->mem, n, 1);
    if (!c->gpu_kind || !c->gpu_row || !c->gpu_call || !c->gpu_ext)
        return az_mem_error(t->mem);
    const int rc = number_by_rank(c, &done);
    return rc || done ? rc : number_by_sorting(c);
}

/* Each cycle of places is gone round once, and its places marked as done: perm[i] == i. */
void az_oplink_arrange(void *base, uint32_t *perm, size_t n, size_t size)
{
    char *v = base, first[64];
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        if (perm[i] == i)
            continue;
        memcpy(first, v + i * size, size);
        while (perm[at] != i) {
            const size_t from = perm[at];
            memcpy(v + at * size, v + from * size, size);
            perm[at] = (uint32_t)at;
            at = from;
        }
        memcpy(v + at * size, first, size);
        perm[at] = (uint32_t)at;
    }
}

static bool sorted(const struct keyed_list *l)
{
    for (size_t i = 1; i < l->n; i++)
        if (l->v[i - 1].key > l->v[i].key)
            return false;
    return true;
}

static int sort_keyed(struct keyed_list *l, struct az_mem *mem)
{
    if (sorted(l)) /* as most profilers write them */
        return 0;
    int64_t *key = column(mem, l->n, 8);
    uint32_t *perm = column(mem, l->n, 4);
    int rc = key && perm ? 0 : az_mem_error(mem);
    for (size_t i = 0; rc == 0 && i < l->n; i++)
        key[i] = (int64_t)(l->v[i].key ^ ((uint64_t)1 << 63)); /* unsigned order */
    if (rc == 0)
        az_sort_order(key, l->n, perm, mem);
    if (rc == 0)
        az_oplink_arrange(l->v, perm, l->n, sizeof *l->v);
    if (key)
        az_mem_free(mem, key, (l->n + 1) * 8);
    if (perm)
        az_mem_free(mem, perm, (l->n + 1) * 4);
    return rc;
}

static size_t first_of(const struct keyed_list *l, uint64_t key)
{
    return AZ_LOWER_BY(l->v, l->n, key, key);
}

/* Device events (numbers) by key. */
static int keyed_gpu(const struct az_calltree *c, bool flow, struct keyed_list *l)
{
    int rc = az_vec_reserve(l, c->n_gpu + 1);
    for (uint32_t g = 0; rc == 0 && g < c->n_gpu; g++) {
        uint64_t key = flow ? link_key(c, c->gpu_kind[g], c->gpu_row[g])
                            : scoped_key(c, c->gpu_kind[g], c->gpu_row[g]);
        if (key)
            l->v[l->n++] = (struct keyed){ key, g };
    }
    return rc ? rc : sort_keyed(l, c->trace->mem);
}

/* Calls (rows, in order of start) by key; only the keys that device events have matter, and calls
 * that never launch are many. */
static int keyed_calls(const struct az_calltree *c, const struct keyed_list *gpu,
                       struct keyed_list *l)
{
    uint64_t lo = gpu->n ? gpu->v[0].key : 1, hi = gpu->n ? gpu->v[gpu->n - 1].key : 0;
    const struct az_events *e = &c->trace->ev[AZ_CALL];
    size_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const uint64_t key = scoped_key(c, AZ_CALL, i);
        n += key >= lo && key <= hi && key;
    }
    const int rc = az_vec_reserve(l, n + 1);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < e->n; i++) {
        const uint64_t key = scoped_key(c, AZ_CALL, i);
        if (key >= lo && key <= hi && key)
            l->v[l->n++] = (struct keyed){ key, i };
    }
    return sort_keyed(l, c->trace->mem);
}

/* Calls with the number of another one. */
static int find_same(const struct az_calltree *c, const struct keyed_list *calls)
{
    struct az_same_ids *same = &az_optrace(c->trace)->same_ids;
    size_t first = 0;
    int rc = 0;
    same->n = 0; /* linked again */
    for (size_t i = 1; rc == 0 && i < calls->n; i++) {
        first = calls->v[i].key == calls->v[i - 1].key ? first : i;
        if (first < i)
            rc = az_vec_push(same, ((struct az_same_id){ calls->v[first].at, calls->v[i].at }));
    }
    return rc;
}

static int link_by_correlation(struct az_calltree *c, const struct keyed_list *gpu)
{
    const struct az_events *call = &c->trace->ev[AZ_CALL];
    struct keyed_list calls;
    az_vec_init(&calls, c->trace->mem);
    int rc = keyed_calls(c, gpu, &calls);
    size_t k = 0;
    if (rc == 0)
        rc = find_same(c, &calls);
    for (size_t i = 0; rc == 0 && i < gpu->n; i++) { /* both lists are sorted by key */
        while (k < calls.n && calls.v[k].key < gpu->v[i].key)
            k++;
        if (k == calls.n || calls.v[k].key != gpu->v[i].key)
            continue;
        const uint32_t g = gpu->v[i].at;
        const int64_t start = az_gpu_event(c, g).start;
        size_t lo = k, hi = calls.n; /* calls of one key are in order of start */
        while (hi - lo > 1) {        /* the result is in [lo, hi) */
            size_t mid = lo + (hi - lo) / 2;
            if (calls.v[mid].key == gpu->v[i].key && call->start[calls.v[mid].at] <= start)
                lo = mid;
            else
                hi = mid;
        }
        c->gpu_call[g] = c->first_call + calls.v[lo].at;
    }
    az_vec_release(&calls);
    return rc;
}

/* ---- by flow ---- */
struct flow_index {
    struct keyed_list starts, ends; /* by flow id; `at`: index of the flow */
    struct keyed_list syncs;        /* by correlation; `at`: row of AZ_SYNC */
};

static int index_flows(const struct az_trace *t, struct flow_index *x, struct az_mem *mem)
{
    const struct az_optrace *o = az_optrace(t);
    const struct az_events *sync = &t->ev[AZ_SYNC];
    for (uint32_t i = 0; i < o->flows.n; i++) {
        const struct az_flow *f = &o->flows.v[i];
        int rc = f->lane == AZ_NO_ROW ? az_vec_push(&x->starts, ((struct keyed){ f->id, i }))
                                      : az_vec_push(&x->ends, ((struct keyed){ f->id, i }));
        if (rc)
            return rc;
    }
    for (uint32_t i = 0; i < sync->n; i++) {
        int rc = az_vec_push(&x->syncs, ((struct keyed){ sync->corr[i], i }));
        if (rc)
            return rc;
    }
    int rc = sort_keyed(&x->starts, mem);
    if (rc == 0)
        rc = sort_keyed(&x->ends, mem);
    return rc ? rc : sort_keyed(&x->syncs, mem);
}

/* Device-side synchronization of that key on that lane later in the file than `uid`: then the arrow
 * points at it instead. */
static bool sync_after(const struct az_calltree *c, const struct flow_index *x, uint64_t key,
                       uint32_t lane, uint32_t uid)
{
    const struct az_events *s = &c->trace->ev[AZ_SYNC];
    for (size_t i = first_of(&x->syncs, key); i < x->syncs.n && x->syncs.v[i].key == key; i++)
        if (s->lane[x->syncs.v[i].at] == lane && s->uid[x->syncs.v[i].at] > uid)
            return true;
    return false;
}

static void link_one_by_flow(struct az_calltree *c, const struct flow_index *x,
                             const struct keyed_list *gpu, uint32_t row)
{
    const struct az_optrace *o = az_optrace(c->trace);
    uint64_t key = link_key(c, AZ_CALL, row), id = o->key_is_ext && key ? key - 1 : key;
    struct az_sv name = az_trace_text(c->trace, c->trace->ev[AZ_CALL].name[row]);
    bool graph = az_sv_is(name, "cudaGraphLaunch") || az_sv_is(name, "hipGraphLaunch");
    size_t s = first_of(&x->starts, id), e = first_of(&x->ends, id),
           g = key ? first_of(gpu, key) : gpu->n;
    if (!graph) {
        if (s == x->starts.n || x->starts.v[s].key != id || e == x->ends.n ||
            x->ends.v[e].key != id)
            return;
        while (e + 1 < x->ends.n && x->ends.v[e + 1].key == id)
            e++; /* the last arrow of an id counts */
    }
    uint32_t partner = AZ_NO_ROW;
    for (; g < gpu->n && gpu->v[g].key == key; g++) {
        uint32_t at = gpu->v[g].at;
        if (graph)
            c->gpu_call[at] = c->first_call + row;
        else if (az_gpu_event(c, at).lane == o->flows.v[x->ends.v[e].at].lane)
            partner = at;
    }
    if (partner != AZ_NO_ROW &&
        !sync_after(c, x, key, o->flows.v[x->ends.v[e].at].lane, az_gpu_event(c, partner).uid))
        c->gpu_call[partner] = c->first_call + row;
}

static int link_by_flow(struct az_calltree *c, const struct keyed_list *gpu)
{
    const struct az_trace *t = c->trace;
    const struct az_events *call = &t->ev[AZ_CALL];
    struct flow_index x;
    az_vec_init(&x.starts, t->mem);
    az_vec_init(&x.ends, t->mem);
    az_vec_init(&x.syncs, t->mem);
    int64_t *uid = column(t->mem, call->n, 8);
    uint32_t *perm = column(t->mem, call->n, 4);
    int rc = uid && perm ? index_flows(t, &x, t->mem) : az_mem_error(t->mem);
    for (size_t i = 0; rc == 0 && i < call->n; i++)
        uid[i] = call->uid[i];
    if (rc == 0)
        az_sort_order(uid, call->n, perm, t->mem);
    for (size_t i = 0; rc == 0 && i < call->n; i++)
        link_one_by_flow(c, &x, gpu, perm[i]);
    if (uid)
        az_mem_free(t->mem, uid, (call->n + 1) * 8);
    if (perm)
        az_mem_free(t->mem, perm, (call->n + 1) * 4);
    az_vec_release(&x.starts);
    az_vec_release(&x.ends);
    az_vec_release(&x.syncs);
    return rc;
}

/* Which nodes launched something, and where in `linked` what each launched begins. */
static int index_linked(struct az_calltree *c)
{
    struct az_mem *mem = c->trace->mem;
    const size_t bytes = az_rank_words(c->n) * sizeof *c->launching;
    uint32_t n = 0, last = AZ_NO_ROW;
    for (uint32_t i = 0; i < c->n_linked; i++) {
        const uint32_t pre = c->pre[c->gpu_node[c->linked[i]]];
        n += pre != last;
        last = pre;
    }
    c->n_launching = n;
    c->launching = az_mem_alloc(mem, bytes);
    c->linked_from = column(mem, n, 4);
    if (!c->launching || !c->linked_from)
        return az_mem_error(mem);
    memset(c->launching, 0, bytes);
    n = 0;
    last = AZ_NO_ROW;
    for (uint32_t i = 0; i < c->n_linked; i++) {
        const uint32_t pre = c->pre[c->gpu_node[c->linked[i]]];
        if (pre != last)
            c->linked_from[n++] = i;
        az_rank_set(c->launching, pre);
        last = pre;
    }
    c->linked_from[n] = c->n_linked;
    az_rank_close(c->launching, c->n);
    return 0;
}

/* Number of the device event of that uid: they are numbered in the order of their uids. */
static uint32_t gpu_of_uid(const struct az_calltree *c, uint64_t uid)
{
    uint32_t lo = 0, hi = c->n_gpu;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (az_gpu_event(c, mid).uid < uid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Events of captured calls are below these. */
static int place_captured(struct az_calltree *c)
{
    const struct az_events *e = &c->trace->ev[AZ_CAPTURED];
    c->gpu_node = c->gpu_call;
    if (e->n == 0)
        return 0;
    c->gpu_node = column(c->trace->mem, c->n_gpu, 4);
    if (!c->gpu_node)
        return az_mem_error(c->trace->mem);
    memcpy(c->gpu_node, c->gpu_call, (size_t)c->n_gpu * 4);
    for (uint32_t i = 0; i < e->n; i++)
        c->gpu_node[gpu_of_uid(c, e->node[i] - 1)] = c->first_captured + i;
    return 0;
}

/* The linked events by preorder of their place; file order within it. */
static int sort_linked(struct az_calltree *c)
{
    struct az_mem *mem = c->trace->mem;
    const size_t calls = c->trace->ev[AZ_CALL].n + 1;
    c->linked = column(mem, c->n_gpu, 4);
    c->graph_launch = az_mem_alloc(mem, calls);
    int64_t *key = column(mem, c->n_gpu, 8);
    if (!key || !c->linked || !c->graph_launch) {
        az_mem_free(mem, key, ((size_t)c->n_gpu + 1) * 8);
        return az_mem_error(mem);
    }
    memset(c->graph_launch, 0, calls);
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        if (c->gpu_call[g] == AZ_NO_ROW)
            continue;
        key[g] = c->pre[c->gpu_node[g]];
        c->linked[c->n_linked++] = g;
    }
    az_sort_by(key, c->linked, c->n_linked, mem);
    az_mem_free(mem, key, ((size_t)c->n_gpu + 1) * 8);
    for (uint32_t i = 1; i < c->n_linked; i++)
        if (c->gpu_call[c->linked[i]] == c->gpu_call[c->linked[i - 1]])
            c->graph_launch[c->gpu_call[c->linked[i]] - c->first_call] = 1;
    return index_linked(c);
}

int az_oplink(struct az_calltree *c, const struct az_options *o)
{
    struct keyed_list gpu;
    az_vec_init(&gpu, c->trace->mem);
    const bool flow = az_sv_is(o->link_by, "flow");
    int rc = list_gpu(c);
    if (rc == 0)
        rc = keyed_gpu(c, flow, &gpu);
    if (rc == 0)
        rc = flow ? link_by_flow(c, &gpu) : link_by_correlation(c, &gpu);
    az_vec_release(&gpu);
    return rc;
}

int az_oplink_place(struct az_calltree *c)
{
    const int rc = place_captured(c);
    return rc ? rc : sort_linked(c);
}

void az_oplink_release(struct az_calltree *c)
{
    struct az_mem *mem = c->trace->mem;
    size_t n = (size_t)c->n_gpu + 1;
    if (c->gpu_kind)
        az_mem_free(mem, c->gpu_kind, n);
    if (c->gpu_row)
        az_mem_free(mem, c->gpu_row, n * 4);
    if (c->gpu_node && c->gpu_node != c->gpu_call)
        az_mem_free(mem, c->gpu_node, n * 4);
    if (c->gpu_call)
        az_mem_free(mem, c->gpu_call, n * 4);
    if (c->gpu_ext)
        az_mem_free(mem, c->gpu_ext, n);
    if (c->linked)
        az_mem_free(mem, c->linked, n * 4);
    if (c->launching)
        az_mem_free(mem, c->launching, az_rank_words(c->n) * sizeof *c->launching);
    if (c->linked_from)
        az_mem_free(mem, c->linked_from, ((size_t)c->n_launching + 1) * 4);
    if (c->graph_launch)
        az_mem_free(mem, c->graph_launch, c->trace->ev[AZ_CALL].n + 1);
}
