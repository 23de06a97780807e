/* Launchers and the classes of device events (docs/formulas-pytorch.md 4 and 5). */
#include "base/interval.h"
#include "base/sort.h"
#include "model/oplink.h"

#define NESTED 16 /* launchers around an event from which their times are measured together */

/* The operator that launched what call `r` launched, or r itself: `execute` and interpreter frames
 * are stepped over. */
static uint32_t launcher_node(const struct az_calltree *c, uint32_t r)
{
    for (uint32_t n = c->parent[r]; n != AZ_NO_ROW; n = c->parent[n]) {
        if (n >= c->first_frame)
            continue;
        if (n >= c->first_call)
            return r;
        if (!az_sv_is(az_node_name(c, n), "execute"))
            return n;
    }
    return r;
}

/* Whether an event is communication by its name, whatever its kind. */
static bool is_comm(const struct az_calltree *c, uint32_t gpu)
{
    return az_trace_is_comm(c->trace, az_gpu_event(c, gpu).name);
}

/* Walks device events in file order; makes a launcher where its node has none yet and counts its
 * events. */
static int find_launchers(struct az_launchers *l, const struct az_calltree *c, uint32_t *of_node)
{
    for (uint32_t i = 0; i < c->n; i++)
        of_node[i] = AZ_NO_ROW;
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        l->of_gpu[g] = AZ_NO_ROW;
        if (c->gpu_node[g] == AZ_NO_ROW || is_comm(c, g))
            continue;
        uint32_t node = launcher_node(c, c->gpu_node[g]);
        if (of_node[node] == AZ_NO_ROW) {
            of_node[node] = (uint32_t)l->rows.n;
            int rc = az_vec_push(&l->rows, ((struct az_launcher){ .node = node }));
            if (rc)
                return rc;
        }
        l->of_gpu[g] = of_node[node];
        l->rows.v[of_node[node]].count++;
    }
    return 0;
}

/* Orders launchers by the start of their node, ties by first device event (their present order). */
static int order_launchers(struct az_launchers *l, const struct az_calltree *c)
{
    size_t n = l->rows.n;
    int64_t *start = az_mem_alloc(l->mem, (n + 1) * sizeof *start);
    uint32_t *perm = az_mem_alloc(l->mem, (n + 1) * sizeof *perm),
             *where = az_mem_alloc(l->mem, (n + 1) * sizeof *where);
    int rc = start && perm && where ? 0 : az_mem_error(l->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        uint32_t row;
        enum az_kind k = az_node_kind(c, l->rows.v[i].node, &row);
        start[i] = c->trace->ev[k].start[row];
    }
    if (rc == 0)
        rc = az_sort_order(start, n, perm, l->mem);
    uint32_t at = 0;
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        where[perm[i]] = i;
    if (rc == 0) {
        az_oplink_arrange(l->rows.v, perm, n, sizeof *l->rows.v);
        for (size_t i = 0; i < n; i++) {
            l->rows.v[i].first = at;
            at += l->rows.v[i].count;
        }
        for (uint32_t g = 0; g < l->n_gpu; g++)
            if (l->of_gpu[g] != AZ_NO_ROW)
                l->of_gpu[g] = where[l->of_gpu[g]];
    }
    if (start)
        az_mem_free(l->mem, start, (n + 1) * sizeof *start);
    if (perm)
        az_mem_free(l->mem, perm, (n + 1) * sizeof *perm);
    if (where)
        az_mem_free(l->mem, where, (n + 1) * sizeof *where);
    return rc;
}

static int by_start(const void *a, const void *b, void *ctx)
{
    const struct az_calltree *c = ctx;
    const int64_t x = az_gpu_event(c, *(const uint32_t *)a).start,
                  y = az_gpu_event(c, *(const uint32_t *)b).start;
    return x < y ? -1 : x > y;
}

/* Most runs are in order as they stand; those of a graph launch are long and may be in any. */
static int order_run(uint32_t *run, size_t n, const struct az_calltree *c, struct az_mem *mem)
{
    size_t i = 1;
    while (i < n && az_gpu_event(c, run[i - 1]).start <= az_gpu_event(c, run[i]).start)
        i++;
    return i < n ? az_sort_cmp(run, n, sizeof *run, by_start, (void *)(uintptr_t)c, mem) : 0;
}

/* Fills `own`, each launcher's run ordered by (start, file order). */
static int fill_own(struct az_launchers *l, const struct az_calltree *c)
{
    size_t total = 0;
    for (size_t i = 0; i < l->rows.n; i++)
        total += l->rows.v[i].count;
    int rc = az_vec_reserve(&l->own, total + 1);
    if (rc)
        return rc;
    l->own.n = total;
    for (size_t i = 0; i < l->rows.n; i++)
        l->rows.v[i].count = 0;
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        if (l->of_gpu[g] == AZ_NO_ROW)
            continue;
        struct az_launcher *r = &l->rows.v[l->of_gpu[g]];
        l->own.v[r->first + r->count++] = g;
    }
    for (size_t i = 0; rc == 0 && i < l->rows.n; i++)
        rc = order_run(l->own.v + l->rows.v[i].first, l->rows.v[i].count, c, l->mem);
    return rc;
}

static int union_of(const struct az_calltree *c, const uint32_t *gpu, size_t n,
                    struct az_spans *spans, int64_t *out)
{
    az_vec_reset(spans);
    for (size_t i = 0; i < n; i++) {
        struct az_event e = az_gpu_event(c, gpu[i]);
        int rc = az_vec_push(spans, ((struct az_span){ e.start, e.end }));
        if (rc)
            return rc;
    }
    int rc = n > 1 ? az_spans_sort(spans) : 0;
    if (rc)
        return rc;
    az_spans_union(spans);
    *out = az_spans_length(spans);
    return 0;
}

/* The subtrees' times together: where launchers are nested, each by itself would look at
 * the events of the inner ones again and again. */
static int measure_nested(struct az_launchers *l, const struct az_calltree *c)
{
    const size_t n = l->rows.n, spans = ((size_t)c->n_linked + 1) * sizeof(struct az_span),
                 ranges = (n + 1) * sizeof(struct az_span_range), times = (n + 1) * sizeof(int64_t);
    struct az_span *v = az_mem_alloc(l->mem, spans);
    struct az_span_range *range = az_mem_alloc(l->mem, ranges);
    int64_t *out = az_mem_alloc(l->mem, times);
    int rc = v && range && out ? 0 : az_mem_error(l->mem);
    for (size_t i = 0; rc == 0 && i < c->n_linked; i++) {
        const struct az_event e = az_gpu_event(c, c->linked[i]);
        v[i] = (struct az_span){ e.start, e.end };
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        az_node_gpu(c, l->rows.v[i].node, &range[i].first, &range[i].end);
    if (rc == 0)
        rc = az_spans_unions(v, c->n_linked, range, n, out, l->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        l->rows.v[i].subtree = out[i];
    az_mem_free(l->mem, v, v ? spans : 0);
    az_mem_free(l->mem, range, range ? ranges : 0);
    az_mem_free(l->mem, out, out ? times : 0);
    return rc;
}

/* Events of all subtrees, each counted as often as launchers hold it. */
static uint64_t looks(const struct az_launchers *l, const struct az_calltree *c)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l->rows.n; i++) {
        uint32_t first, end;
        az_node_gpu(c, l->rows.v[i].node, &first, &end);
        n += end - first;
    }
    return n;
}

static int measure(struct az_launchers *l, const struct az_calltree *c)
{
    struct az_spans spans;
    az_vec_init(&spans, l->mem);
    const bool nested = looks(l, c) > NESTED * (uint64_t)c->n_linked;
    int rc = nested ? measure_nested(l, c) : 0;
    for (size_t i = 0; rc == 0 && i < l->rows.n; i++) {
        struct az_launcher *r = &l->rows.v[i];
        uint32_t first, end;
        az_node_gpu(c, r->node, &first, &end);
        int64_t direct = 0, subtree = r->subtree;
        rc = union_of(c, l->own.v + r->first, r->count, &spans, &direct);
        if (rc == 0 && !nested)
            rc = union_of(c, c->linked + first, end - first, &spans, &subtree);
        r->direct = direct;
        r->subtree = subtree;
    }
    az_vec_release(&spans);
    return rc;
}

int az_launchers_build(struct az_launchers *l, const struct az_calltree *c)
{
    memset(l, 0, sizeof *l);
    l->mem = c->trace->mem;
    l->n_gpu = c->n_gpu;
    az_vec_init(&l->rows, l->mem);
    az_vec_init(&l->own, l->mem);
    size_t nodes = ((size_t)c->n + 1) * sizeof(uint32_t);
    uint32_t *of_node = az_mem_alloc(l->mem, nodes);
    l->of_gpu = az_mem_alloc(l->mem, ((size_t)l->n_gpu + 1) * sizeof *l->of_gpu);
    int rc = of_node && l->of_gpu ? 0 : az_mem_error(l->mem);
    if (rc == 0)
        rc = find_launchers(l, c, of_node);
    if (of_node)
        az_mem_free(l->mem, of_node, nodes);
    az_vec_trim(&l->rows);
    if (rc == 0)
        rc = order_launchers(l, c);
    if (rc == 0)
        rc = fill_own(l, c);
    if (rc == 0)
        rc = measure(l, c);
    if (rc)
        az_launchers_release(l);
    return rc;
}

void az_launchers_release(struct az_launchers *l)
{
    az_vec_release(&l->rows);
    az_vec_release(&l->own);
    if (l->of_gpu)
        az_mem_free(l->mem, l->of_gpu, ((size_t)l->n_gpu + 1) * sizeof *l->of_gpu);
    l->of_gpu = NULL;
}
