#include "facts/forward_links.h"

#include "base/sort.h"

#define WRAPPER "autograd::engine::evaluate_function:"

static bool is_wrapper(const struct az_op_links *f, uint32_t op)
{
    return az_sv_starts(az_node_name(f->tree, op), AZ_SV(WRAPPER));
}

/* Where sequence numbers are; computed once for all operators. */
struct seqs {
    const struct az_op *op;
    const int64_t *longer;
    const uint32_t *side; /* NULL: by operator */
    bool any;
};

static struct seqs seqs_of(const struct az_op_links *f)
{
    const uint32_t *side = f->trace->ev[AZ_HOST_OP].side;
    return (struct seqs){ f->ops->ops.v, f->ops->long_seqs.v, side,
                          side || az_optrace(f->trace)->ops_by_row };
}

static inline int64_t seq_at(const struct seqs *s, uint32_t op)
{
    const uint32_t side = s->side ? s->side[op] : op;
    return s->any && side != AZ_NO_ROW ? az_seq_of(&s->op[side], s->longer) : -1;
}

static int64_t seq_of(const struct az_op_links *f, uint32_t op)
{
    const struct seqs s = seqs_of(f);
    return seq_at(&s, op);
}

#define MAX_NESTED 4096 /* operators of one start that are examined */

/* Operator that begins at a place; the outermost of several. AZ_NO_ROW if none. Operators are
 * sorted by start. */
static uint32_t op_at(const struct az_op_links *f, uint32_t lane, int64_t at)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    size_t lo = AZ_LOWER(e->start, e->n, at);
    uint32_t best = AZ_NO_ROW;
    const size_t hi = lo + MAX_NESTED < e->n ? lo + MAX_NESTED : e->n;
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
        az_sort_order(id, n, perm, mem);
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

/* Operators that have a sequence number, in the order of these. */
struct numbered {
    size_t n;
    int64_t lo, hi; /* least and largest number */
    uint32_t *op;
};

/* Numbers are counters: a place for each between the least and the largest. */
static int group_dense(struct az_mem *mem, const struct az_op_links *f, struct numbered *x)
{
    const size_t places = (size_t)(x->hi - x->lo) + 2;
    uint32_t *at = az_mem_alloc(mem, places * sizeof *at);
    if (!at)
        return az_mem_error(mem);
    memset(at, 0, places * sizeof *at);
    const struct seqs s = seqs_of(f);
    const uint32_t ops = f->tree->first_call;
    const int64_t lo = x->lo;
    uint32_t *op = x->op;
    for (uint32_t i = 0; i < ops; i++) {
        const int64_t seq = seq_at(&s, i);
        if (seq >= 0)
            at[seq - lo + 1]++;
    }
    for (size_t i = 1; i < places; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < ops; i++) {
        const int64_t seq = seq_at(&s, i);
        if (seq >= 0)
            op[at[seq - lo]++] = i;
    }
    az_mem_free(mem, at, places * sizeof *at);
    return 0;
}

static int group_sparse(struct az_mem *mem, const struct az_op_links *f, struct numbered *x)
{
    const size_t bytes = ((size_t)f->tree->first_call + 1) * sizeof(int64_t);
    int64_t *key = az_mem_alloc(mem, bytes);
    size_t n = 0;
    if (!key)
        return az_mem_error(mem);
    for (uint32_t i = 0; i < f->tree->first_call; i++) {
        key[i] = seq_of(f, i);
        if (key[i] >= 0)
            x->op[n++] = i;
    }
    az_sort_by(key, x->op, n, mem);
    az_mem_free(mem, key, bytes);
    return 0;
}

static int compare_uids(const void *a, const void *b, void *ctx)
{
    const uint32_t *uid = ctx, x = uid[*(const uint32_t *)a], y = uid[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* Most are few, and in order as they stand. */
static int in_file_order(struct az_mem *mem, const struct az_op_links *f, uint32_t *op, size_t n)
{
    uint32_t *uid = f->trace->ev[AZ_HOST_OP].uid;
    size_t i = 1;
    while (i < n && uid[op[i - 1]] <= uid[op[i]])
        i++;
    if (i < n)
        az_sort_cmp(op, n, sizeof *op, compare_uids, uid, mem);
    return 0;
}

static int by_sequence(struct az_mem *mem, const struct az_op_links *f, uint32_t *forward)
{
    struct numbered x = { .lo = INT64_MAX };
    const struct seqs s = seqs_of(f);
    for (uint32_t i = 0, ops = f->tree->first_call; i < ops; i++) {
        const int64_t seq = seq_at(&s, i);
        x.n += seq >= 0;
        x.lo = seq >= 0 && seq < x.lo ? seq : x.lo;
        x.hi = seq > x.hi ? seq : x.hi;
    }
    if (x.n == 0)
        return 0;
    x.op = az_mem_alloc(mem, x.n * sizeof *x.op);
    if (!x.op)
        return az_mem_error(mem);
    int rc =
        (uint64_t)(x.hi - x.lo) / 4 <= x.n ? group_dense(mem, f, &x) : group_sparse(mem, f, &x);
    for (size_t i = 0, j; rc == 0 && i < x.n; i = j) {
        const int64_t seq = seq_at(&s, x.op[i]);
        for (j = i + 1; j < x.n && seq_at(&s, x.op[j]) == seq;)
            j++;
        rc = in_file_order(mem, f, x.op + i, j - i);
        if (rc)
            break;
        match_run(f, x.op + i, j - i, forward);
        if (f->named)
            match_named(f, x.op + i, j - i, forward);
    }
    az_mem_free(mem, x.op, x.n * sizeof *x.op);
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

/* Few operators have one: stored by rank. */
static int store_links(struct az_forward *to, struct az_arena *a, const uint32_t *forward,
                       uint32_t ops)
{
    size_t n = 0;
    to->has = az_arena_array(a, az_rank_words(ops), sizeof *to->has);
    if (!to->has)
        return az_arena_error(a);
    for (uint32_t i = 0; i < ops; i++)
        if (forward[i] != AZ_NO_ROW) {
            az_rank_set(to->has, i);
            n++;
        }
    az_rank_close(to->has, ops);
    to->of = az_arena_array(a, n + 1, sizeof *to->of);
    if (!to->of)
        return az_arena_error(a);
    n = 0;
    for (uint32_t i = 0; i < ops; i++)
        if (forward[i] != AZ_NO_ROW)
            to->of[n++] = forward[i];
    return 0;
}

static int make_links(struct az_job *job, const struct az_trace *t, struct az_forward *to)
{
    const struct az_op_links links = { .trace = t, .tree = az_tree(t), .ops = az_optrace(t) };
    const size_t bytes = ((size_t)links.tree->first_call + 1) * sizeof(uint32_t);
    uint32_t *forward = az_mem_alloc(job->mem, bytes);
    int rc = forward ? az_forward_links(&links, job->mem, forward) : az_mem_error(job->mem);
    if (rc == 0)
        rc = store_links(to, job->arena, forward, links.tree->first_call);
    az_mem_free(job->mem, forward, bytes);
    return rc;
}

static const struct az_forward *forward_of(struct az_job *job, size_t trace, void **slot, int *rc)
{
    const struct az_trace *t = job->traces[trace];
    *rc = 0;
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    void **of = slot ? *slot : NULL;
    if (!of) {
        *rc = az_arena_error(job->arena);
        return NULL;
    }
    if (of[trace] || !(t->caps & AZ_CAP_CALLTREE) || !has_wrappers(t))
        return of[trace];
    struct az_forward *to = az_arena_alloc(job->arena, sizeof *to);
    *rc = to ? make_links(job, t, to) : az_arena_error(job->arena);
    return of[trace] = *rc ? NULL : to;
}

const struct az_forward *az_job_forward(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_forward *forward = forward_of(job, trace, slot, rc);
    az_job_leave(job, slot);
    return forward;
}
