#include "model/link.h"

#include "model/optrace.h"

/* Correlation ids are counters, so per process a table from (id - smallest id) to the call is
 * smaller and faster than a hash. A process whose ids are spread wider than DENSE_FACTOR slots a
 * call falls back to the map, but for the first DENSE_SPARE slots in all: small profiles never need
 * it. */
#define DENSE_FACTOR 8
#define DENSE_SPARE  ((uint64_t)1 << 16)

static const enum az_kind joined[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH, AZ_SYNC };

struct process {
    uint64_t lo, hi; /* ids of its calls */
    size_t calls;
    size_t base; /* of its dense table; SIZE_MAX: in the map */
};
AZ_VEC(struct process, processes);

struct joiner {
    const struct az_trace *t;
    struct az_mem *mem;
    struct az_vec_u32 proc_of_lane;
    struct processes procs;
    struct az_map ids;    /* lane process identity -> index into procs */
    struct az_map sparse; /* (process index, correlation id) -> call row */
    uint32_t *dense;
    size_t n_dense;
    struct az_same_ids same;
};

static int number_processes(struct joiner *j)
{
    for (size_t i = 0; i < j->t->lanes.n; i++) {
        uint32_t *index;
        bool added;
        int rc =
            az_map_put(&j->ids, j->t->lanes.v[i].proc, 0, (uint32_t)j->procs.n, &index, &added);
        if (rc == 0)
            rc = az_vec_push(&j->proc_of_lane, *index);
        if (rc == 0 && added)
            rc = az_vec_push(&j->procs, ((struct process){ .lo = UINT64_MAX }));
        if (rc != 0)
            return rc;
    }
    return 0;
}

static void measure(struct joiner *j, const struct az_events *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        if (calls->corr[i] == 0)
            continue;
        struct process *p = &j->procs.v[j->proc_of_lane.v[calls->lane[i]]];
        p->calls++;
        if (calls->corr[i] < p->lo)
            p->lo = calls->corr[i];
        if (calls->corr[i] > p->hi)
            p->hi = calls->corr[i];
    }
}

/* Decides dense or sparse for each process and makes the tables. */
static int make_tables(struct joiner *j)
{
    size_t sparse = 0, bytes;
    for (size_t i = 0; i < j->procs.n; i++) {
        struct process *p = &j->procs.v[i];
        p->base = SIZE_MAX;
        if (p->calls == 0)
            continue;
        bool spare = p->hi - p->lo < DENSE_SPARE && j->n_dense < DENSE_SPARE;
        if (spare || (p->hi - p->lo) / DENSE_FACTOR <= p->calls) {
            p->base = j->n_dense;
            j->n_dense += (size_t)(p->hi - p->lo) + 1;
        } else {
            sparse += p->calls;
        }
    }
    az_map_init(&j->sparse, j->mem, sparse);
    if (j->n_dense == 0)
        return 0;
    if (!az_size_mul(j->n_dense, sizeof *j->dense, &bytes))
        return AZ_ERANGE;
    j->dense = az_mem_alloc(j->mem, bytes);
    if (!j->dense)
        return az_mem_error(j->mem);
    memset(j->dense, 0xff, bytes); /* AZ_NO_ROW */
    return 0;
}

static int enter_calls(struct joiner *j, const struct az_events *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        uint32_t pi = j->proc_of_lane.v[calls->lane[i]], *slot;
        const struct process *p = &j->procs.v[pi];
        bool added;
        if (calls->corr[i] == 0)
            continue;
        if (p->base != SIZE_MAX) {
            slot = &j->dense[p->base + (size_t)(calls->corr[i] - p->lo)];
            added = *slot == AZ_NO_ROW;
            if (added)
                *slot = (uint32_t)i;
        } else {
            const int rc = az_map_put(&j->sparse, pi, calls->corr[i], (uint32_t)i, &slot, &added);
            if (rc != 0)
                return rc;
        }
        if (!added && az_vec_push(&j->same, ((struct az_same_id){ *slot, (uint32_t)i })) != 0)
            return az_mem_error(j->mem);
    }
    return 0;
}

static uint32_t find_call(const struct joiner *j, uint32_t proc, uint64_t corr)
{
    const struct process *p = &j->procs.v[proc];
    if (corr == 0 || p->calls == 0 || corr < p->lo || corr > p->hi)
        return AZ_NO_ROW;
    if (p->base != SIZE_MAX)
        return j->dense[p->base + (size_t)(corr - p->lo)];
    return az_map_get(&j->sparse, proc, corr); /* AZ_NO_ID is AZ_NO_ROW */
}

static int join_kinds(struct joiner *j, struct az_link *l, struct az_arena *arena)
{
    for (size_t k = 0; k < AZ_LENGTH(joined); k++) {
        const struct az_events *e = &j->t->ev[joined[k]];
        if (e->n == 0)
            continue;
        uint32_t *call = az_arena_array(arena, e->n, sizeof *call);
        if (!call)
            return az_arena_error(arena);
        if (j->t->ev[AZ_CALL].n == 0)
            memset(call, 0xff, e->n * sizeof *call); /* AZ_NO_ROW */
        for (size_t i = 0; j->t->ev[AZ_CALL].n && i < e->n; i++)
            call[i] = e->corr ? find_call(j, j->proc_of_lane.v[e->lane[i]], e->corr[i]) : AZ_NO_ROW;
        l->call[joined[k]] = call;
    }
    return 0;
}

static int keep_same(struct az_link *l, const struct az_same_ids *same, struct az_arena *arena)
{
    struct az_same_id *v = az_arena_array(arena, same->n + 1, sizeof *v);
    if (!v)
        return az_arena_error(arena);
    if (same->n)
        memcpy(v, same->v, same->n * sizeof *v);
    l->same = v;
    l->n_same = same->n;
    return 0;
}

/* The call tree joined them when it was built, and freed the ids. */
static int take_from_tree(struct az_link *l, const struct az_trace *t, struct az_arena *arena)
{
    const struct az_calltree *tree = az_tree(t);
    for (size_t k = 0; k < AZ_LENGTH(joined); k++) {
        const size_t n = t->ev[joined[k]].n;
        if (n == 0)
            continue;
        l->call[joined[k]] = az_arena_array(arena, n, sizeof *l->call[joined[k]]);
        if (!l->call[joined[k]])
            return az_arena_error(arena);
        memset(l->call[joined[k]], 0xff, n * sizeof *l->call[joined[k]]); /* AZ_NO_ROW */
    }
    for (uint32_t g = 0; g < tree->n_gpu; g++)
        if (tree->gpu_call[g] != AZ_NO_ROW)
            l->call[tree->gpu_kind[g]][tree->gpu_row[g]] = tree->gpu_call[g] - tree->first_call;
    return keep_same(l, &az_optrace(t)->same_ids, arena);
}

int az_link_make(struct az_link *l, const struct az_trace *t, struct az_arena *arena,
                 struct az_mem *mem)
{
    const struct az_events *calls = &t->ev[AZ_CALL];
    struct joiner j = { .t = t, .mem = mem };
    *l = (struct az_link){ 0 };
    if (t->caps & AZ_CAP_CALLTREE)
        return take_from_tree(l, t, arena);
    az_vec_init(&j.proc_of_lane, mem);
    az_vec_init(&j.procs, mem);
    az_vec_init(&j.same, mem);
    az_map_init(&j.ids, mem, 16);
    int rc = number_processes(&j);
    if (rc == 0 && calls->corr)
        measure(&j, calls);
    if (rc == 0)
        rc = make_tables(&j);
    if (rc == 0 && calls->corr)
        rc = enter_calls(&j, calls);
    if (rc == 0)
        rc = join_kinds(&j, l, arena);
    if (rc == 0)
        rc = keep_same(l, &j.same, arena);
    az_mem_free(mem, j.dense, j.n_dense * sizeof *j.dense);
    az_map_release(&j.sparse);
    az_map_release(&j.ids);
    az_vec_release(&j.same);
    az_vec_release(&j.procs);
    az_vec_release(&j.proc_of_lane);
    return rc;
}
