#include "analyses/ops/backward.h"

#include "base/sort.h"

#define WRAPPER "autograd::engine::evaluate_function:"

static bool is_wrapper(const struct az_op_links *f, uint32_t op)
{
    return az_sv_starts(az_node_name(f->tree, op), AZ_SV(WRAPPER));
}

static int64_t seq_of(const struct az_op_links *f, uint32_t op)
{
    uint32_t side = f->trace->ev[AZ_HOST_OP].side[op];
    return side == AZ_NO_ROW ? -1 : f->ops->ops.v[side].seq;
}

#define MAX_NESTED 4096 /* operators of one start that are looked at */

/* Operator that begins at a place; the outermost of several. AZ_NO_ROW if none. Operators are
 * sorted by start. */
static uint32_t op_at(const struct az_op_links *f, uint32_t lane, int64_t at)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    size_t lo = 0, hi = e->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (e->start[mid] < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    uint32_t best = AZ_NO_ROW;
    hi = lo + MAX_NESTED < e->n ? lo + MAX_NESTED : e->n;
    for (; lo < hi && e->start[lo] == at; lo++)
        if (e->lane[lo] == lane && (best == AZ_NO_ROW || e->end[lo] > e->end[best]))
            best = (uint32_t)lo;
    return best;
}

/* Arrows: the two ends of one id; the backward end is the wrapper at or above the operator found
 * there. */
static int by_arrows(struct az_mem *mem, const struct az_op_links *f, uint32_t *forward)
{
    const struct az_fwdbwd *v = f->ops->fwdbwd.v;
    size_t n = f->ops->fwdbwd.n;
    int64_t *id = az_mem_alloc(mem, (n + 1) * sizeof *id);
    uint32_t *perm = az_mem_alloc(mem, (n + 1) * sizeof *perm);
    int rc = id && perm ? 0 : az_mem_error(mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        id[i] = (int64_t)v[i].id;
    if (rc == 0)
        rc = az_sort_order(id, n, perm, mem);
    for (size_t i = 0; rc == 0 && i + 1 < n; i++) {
        const struct az_fwdbwd *a = &v[perm[i]], *b = &v[perm[i + 1]];
        if (a->id != b->id || a->start == b->start)
            continue;
        const struct az_fwdbwd *from = a->start ? a : b, *to = a->start ? b : a;
        uint32_t fwd = op_at(f, from->lane, from->at), bwd = op_at(f, to->lane, to->at);
        while (bwd != AZ_NO_ROW && !is_wrapper(f, bwd))
            bwd = az_node_op(f->tree, f->tree->parent[bwd]);
        if (fwd != AZ_NO_ROW && bwd != AZ_NO_ROW && seq_of(f, fwd) == seq_of(f, bwd))
            forward[bwd] = fwd;
    }
    if (id)
        az_mem_free(mem, id, (n + 1) * sizeof *id);
    if (perm)
        az_mem_free(mem, perm, (n + 1) * sizeof *perm);
    return rc;
}

/* Operators of a backward step that has no wrapper: named so, with a forward operator that began
 * earlier on another thread. */
static void match_named(const struct az_op_links *f, const uint32_t *op, size_t n,
                        uint32_t *forward)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    for (size_t k = 0; k < n; k++) {
        uint32_t best = AZ_NO_ROW;
        if (forward[op[k]] != AZ_NO_ROW || is_wrapper(f, op[k]) ||
            az_sv_find(az_node_name(f->tree, op[k]), AZ_SV("Backward")) < 0)
            continue;
        for (size_t i = 0; i < n && i < MAX_NESTED; i++)
            if (e->lane[op[i]] != e->lane[op[k]] && e->start[op[i]] < e->start[op[k]] &&
                (best == AZ_NO_ROW || e->start[op[i]] > e->start[best]))
                best = op[i];
        forward[op[k]] = best;
    }
}

/* One run of operators of equal sequence number, in file order. */
static void match_run(const struct az_op_links *f, const uint32_t *op, size_t n, uint32_t *forward)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    uint32_t wrapper = AZ_NO_ROW, best = AZ_NO_ROW;
    for (size_t i = 0; i < n && wrapper == AZ_NO_ROW; i++)
        if (is_wrapper(f, op[i]))
            wrapper = op[i];
    if (wrapper == AZ_NO_ROW || forward[wrapper] != AZ_NO_ROW)
        return;
    for (size_t i = 0; i < n; i++)
        if (e->lane[op[i]] != e->lane[wrapper] &&
            (best == AZ_NO_ROW || e->start[op[i]] > e->start[best]))
            best = op[i];
    forward[wrapper] = best;
}

static int by_sequence(struct az_mem *mem, const struct az_op_links *f, uint32_t *forward)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    const size_t bytes = (e->n + 1) * sizeof(int64_t), perm_bytes = (e->n + 1) * sizeof(uint32_t);
    int64_t *key = az_mem_alloc(mem, bytes);
    uint32_t *perm = az_mem_alloc(mem, perm_bytes);
    size_t n = 0;
    int rc = key && perm ? 0 : az_mem_error(mem);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
        key[i] = e->uid[i];
        if (seq_of(f, i) >= 0)
            perm[n++] = i;
    }
    if (rc == 0)
        rc = az_sort_by(key, perm, n, mem);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        key[i] = seq_of(f, i);
    if (rc == 0)
        rc = az_sort_by(key, perm, n, mem);
    for (size_t i = 0; rc == 0 && i < n;) {
        size_t j = i + 1;
        while (j < n && key[perm[j]] == key[perm[i]])
            j++;
        match_run(f, perm + i, j - i, forward);
        if (f->named)
            match_named(f, perm + i, j - i, forward);
        i = j;
    }
    az_mem_free(mem, key, bytes);
    az_mem_free(mem, perm, perm_bytes);
    return rc;
}

int az_forward_links(const struct az_op_links *f, struct az_mem *mem, uint32_t *forward)
{
    for (uint32_t i = 0; i < f->tree->first_call; i++)
        forward[i] = AZ_NO_ROW;
    const int rc = by_arrows(mem, f, forward);
    return rc ? rc : by_sequence(mem, f, forward);
}

/* Only these have a forward operator. */
static bool has_wrappers(const struct az_trace *t)
{
    for (uint32_t i = 0; i < t->names.text.n; i++)
        if (az_sv_starts(az_trace_text(t, i), AZ_SV(WRAPPER)))
            return true;
    return false;
}

static const uint32_t *forward_of(struct az_job *job, const struct az_fw *f, void **slot, int *rc)
{
    *rc = slot ? 0 : az_arena_error(job->arena);
    if (*rc || *slot || !has_wrappers(f->trace))
        return slot ? *slot : NULL;
    uint32_t *forward =
        az_arena_array(job->arena, (size_t)f->tree->first_call + 1, sizeof *forward);
    if (!forward) {
        *rc = az_arena_error(job->arena);
        return NULL;
    }
    const struct az_op_links links = { .trace = f->trace, .tree = f->tree, .ops = f->ops };
    *rc = az_forward_links(&links, job->mem, forward);
    *slot = *rc ? NULL : forward;
    return *slot;
}

const uint32_t *az_fw_forward(struct az_job *job, const struct az_fw *f, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const uint32_t *forward = forward_of(job, f, slot, rc);
    az_job_leave(job, slot);
    return forward;
}
