/* Launchers and the classes of device events (docs/formulas-pytorch.md 4 and 5). */
#include "base/interval.h"
#include "base/sort.h"
#include "model/link.h"
#include "model/optrace.h"

#define NESTED 16 /* launchers around an event from which their times are measured together */

/* Was it put in by a hook that leaves launches to the operator around it, in a report where that
 * holds (configs/pseudo_ops.lua)? */
static bool leaves_launches(const struct az_calltree *c, uint32_t op)
{
    const struct az_optrace *o = c->trace->ext;
    if (!az_sv_is(o->opts->sheets_as, "tracelens-inference"))
        return false;
    const uint32_t side = az_op_side(c->trace, op);
    const uint32_t args = side == AZ_NO_ROW ? AZ_NO_ROW : o->ops.v[side].args;
    const uint32_t facts = args == AZ_NO_ROW ? AZ_NO_ID : o->args.v[args].facts;
    return facts != AZ_NO_ID &&
           az_sv_find(az_trace_text(c->trace, facts), AZ_SV("launcher=parent")) >= 0;
}

/* The operator that launched what call `r` launched, or r itself: `execute` and interpreter frames
 * are stepped over. */
static uint32_t launcher_node(const struct az_calltree *c, uint32_t r)
{
    for (uint32_t n = c->parent[r]; n != AZ_NO_ROW; n = c->parent[n]) {
        if (n >= c->first_frame)
            continue;
        if (n >= c->first_call)
            return r;
        if (!az_sv_is(az_node_name(c, n), "execute") && !leaves_launches(c, n))
            return n;
    }
    return r;
}

/* Whether an event is communication by its name, whatever its kind. */
static bool is_comm(const struct az_calltree *c, uint32_t gpu)
{
    return az_trace_is_comm(c->trace, az_gpu_event(c, gpu).name);
}

uint32_t az_launcher_node(const struct az_calltree *c, uint32_t gpu)
{
    return c->gpu_node[gpu] == AZ_NO_ROW || is_comm(c, gpu) ? AZ_NO_ROW
                                                            : launcher_node(c, c->gpu_node[gpu]);
}

/* What building needs next to the rows. */
struct building {
    struct az_launchers *l;
    const struct az_calltree *c;
    uint32_t *of_gpu; /* gpu number -> launcher, AZ_NO_ROW */
};

/* Walks device events in file order; makes a launcher where its node has none yet and counts its
 * events, in `first` until the runs are laid out. */
static int find_launchers(struct building *b, uint32_t *of_node)
{
    struct az_launchers *l = b->l;
    memset(of_node, 0xff, (size_t)b->c->n * sizeof *of_node); /* AZ_NO_ROW */
    for (uint32_t g = 0; g < b->c->n_gpu; g++) {
        const uint32_t node = az_launcher_node(b->c, g);
        b->of_gpu[g] = AZ_NO_ROW;
        if (node == AZ_NO_ROW)
            continue;
        if (of_node[node] == AZ_NO_ROW) {
            of_node[node] = (uint32_t)l->rows.n;
            int rc = az_vec_push(&l->rows, ((struct az_launcher){ .node = node }));
            if (rc)
                return rc;
        }
        b->of_gpu[g] = of_node[node];
        l->rows.v[of_node[node]].first++;
    }
    return 0;
}

/* Orders launchers by the start of their node, ties by first device event (their present order). */
static int order_launchers(struct building *b)
{
    struct az_launchers *l = b->l;
    size_t n = l->rows.n;
    int64_t *start = az_mem_alloc(l->mem, (n + 1) * sizeof *start);
    uint32_t *perm = az_mem_alloc(l->mem, (n + 1) * sizeof *perm),
             *where = az_mem_alloc(l->mem, (n + 1) * sizeof *where);
    int rc = start && perm && where ? 0 : az_mem_error(l->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        uint32_t row;
        enum az_kind k = az_node_kind(b->c, l->rows.v[i].node, &row);
        start[i] = b->c->trace->ev[k].start[row];
    }
    if (rc == 0)
        az_sort_order(start, n, perm, l->mem);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        where[perm[i]] = i;
    if (rc == 0) {
        az_oplink_arrange(l->rows.v, perm, n, sizeof *l->rows.v);
        for (uint32_t g = 0; g < b->c->n_gpu; g++)
            if (b->of_gpu[g] != AZ_NO_ROW)
                b->of_gpu[g] = where[b->of_gpu[g]];
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
    if (i < n)
        az_sort_cmp(run, n, sizeof *run, by_start, (void *)(uintptr_t)c, mem);
    return 0;
}

/* Lays out the runs of `own` and fills them, each ordered by (start, file order). */
static int fill_own(struct building *b)
{
    struct az_launchers *l = b->l;
    struct az_launcher *rows = l->rows.v;
    const size_t n = l->rows.n;
    uint32_t total = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t count = rows[i].first;
        rows[i].first = total;
        total += count;
    }
    int rc = az_vec_reserve(&l->own, (size_t)total + 1);
    if (rc)
        return rc;
    l->own.n = total;
    for (uint32_t g = 0; g < b->c->n_gpu; g++)
        if (b->of_gpu[g] != AZ_NO_ROW)
            l->own.v[rows[b->of_gpu[g]].first++] = g;
    for (size_t i = n; i > 0; i--) /* each stands where the next one begins */
        rows[i].first = rows[i - 1].first;
    rows[0].first = 0;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = order_run(l->own.v + rows[i].first, az_launcher_count(&rows[i]), b->c, l->mem);
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
    if (n > 1)
        az_spans_sort(spans);
    az_spans_union(spans);
    *out = az_spans_length(spans);
    return 0;
}

/* The subtrees' times together, of all launchers, into `out`: where launchers are nested, each by
 * itself would visit the events of the inner ones repeatedly. */
static int measure_nested(const struct az_launchers *l, const struct az_calltree *c, int64_t *out)
{
    const size_t n = l->rows.n, spans = ((size_t)c->n_linked + 1) * sizeof(struct az_span),
                 ranges = (n + 1) * sizeof(struct az_span_range);
    struct az_span *v = az_mem_alloc(l->mem, spans);
    struct az_span_range *range = az_mem_alloc(l->mem, ranges);
    int rc = v && range ? 0 : az_mem_error(l->mem);
    for (size_t i = 0; rc == 0 && i < c->n_linked; i++) {
        const struct az_event e = az_gpu_event(c, c->linked[i]);
        v[i] = (struct az_span){ e.start, e.end };
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        az_node_gpu(c, l->rows.v[i].node, &range[i].first, &range[i].end);
    if (rc == 0)
        rc = az_spans_unions(v, c->n_linked, range, n, out, l->mem);
    az_mem_free(l->mem, v, spans);
    az_mem_free(l->mem, range, ranges);
    return rc;
}

/* Marks which rows have more than one event below them. Returns the events of all subtrees, each
 * counted once per launcher above it. */
static uint64_t note_several(struct az_launchers *l, const struct az_calltree *c)
{
    uint64_t looks = 0;
    for (size_t i = 0; i < l->rows.n; i++) {
        uint32_t first, end;
        az_node_gpu(c, l->rows.v[i].node, &first, &end);
        looks += end - first;
        if (end - first != 1) {
            az_rank_set(l->measured, i);
            l->n_times++;
        }
    }
    az_rank_close(l->measured, l->rows.n);
    return looks;
}

static int measure_rows(struct az_launchers *l, const struct az_calltree *c, const int64_t *nested)
{
    struct az_spans spans;
    size_t at = 0;
    int rc = 0;
    az_vec_init(&spans, l->mem);
    for (size_t i = 0; rc == 0 && i < l->rows.n; i++) {
        const struct az_launcher *r = &l->rows.v[i];
        struct az_launcher_times *t = &l->times[at];
        uint32_t first, end;
        if (!az_rank_has(l->measured, i))
            continue;
        at++;
        az_node_gpu(c, r->node, &first, &end);
        rc = union_of(c, l->own.v + r->first, az_launcher_count(r), &spans, &t->direct);
        if (nested)
            t->subtree = nested[i];
        else if (rc == 0)
            rc = union_of(c, c->linked + first, end - first, &spans, &t->subtree);
    }
    az_vec_release(&spans);
    return rc;
}

static int measure(struct az_launchers *l, const struct az_calltree *c)
{
    const size_t n = l->rows.n, words = az_rank_words(n) * sizeof *l->measured,
                 bytes = (n + 1) * sizeof(int64_t);
    l->measured = az_mem_alloc(l->mem, words);
    if (!l->measured)
        return az_mem_error(l->mem);
    memset(l->measured, 0, words);
    int64_t *nested = NULL;
    int rc = 0;
    if (note_several(l, c) > NESTED * (uint64_t)c->n_linked) {
        nested = az_mem_alloc(l->mem, bytes);
        rc = nested ? measure_nested(l, c, nested) : az_mem_error(l->mem);
    }
    if (rc == 0) {
        l->times = az_mem_alloc(l->mem, (l->n_times + 1) * sizeof *l->times);
        rc = l->times ? measure_rows(l, c, nested) : az_mem_error(l->mem);
    }
    az_mem_free(l->mem, nested, bytes);
    return rc;
}

int az_launchers_build(struct az_launchers *l, const struct az_calltree *c)
{
    struct building b = { .l = l, .c = c };
    memset(l, 0, sizeof *l);
    l->mem = c->trace->mem;
    az_vec_init(&l->rows, l->mem);
    az_vec_init(&l->own, l->mem);
    const size_t nodes = ((size_t)c->n + 1) * sizeof(uint32_t),
                 gpus = ((size_t)c->n_gpu + 1) * sizeof *b.of_gpu;
    uint32_t *of_node = az_mem_alloc(l->mem, nodes);
    b.of_gpu = az_mem_alloc(l->mem, gpus);
    int rc = of_node && b.of_gpu ? 0 : az_mem_error(l->mem);
    if (rc == 0)
        rc = find_launchers(&b, of_node);
    if (of_node)
        az_mem_free(l->mem, of_node, nodes);
    if (rc == 0)
        rc = az_vec_push(&l->rows, ((struct az_launcher){ .node = AZ_NO_ROW }));
    if (rc == 0) {
        az_vec_trim(&l->rows);
        l->rows.n--; /* the one after the last */
        rc = order_launchers(&b);
    }
    if (rc == 0)
        rc = fill_own(&b);
    if (b.of_gpu)
        az_mem_free(l->mem, b.of_gpu, gpus);
    if (rc == 0)
        rc = measure(l, c);
    if (rc)
        az_launchers_release(l);
    return rc;
}

void az_launchers_release(struct az_launchers *l)
{
    if (l->measured)
        az_mem_free(l->mem, l->measured, az_rank_words(l->rows.n) * sizeof *l->measured);
    if (l->times)
        az_mem_free(l->mem, l->times, (l->n_times + 1) * sizeof *l->times);
    l->measured = NULL;
    l->times = NULL;
    az_vec_release(&l->rows);
    az_vec_release(&l->own);
}
