/* Recorded dependencies of a graph node (docs/formulas-collectives.md 6.2): of
 * its predecessors the one that ended last, also through nodes that are no device work. */
#include "base/sort.h"
#include "compat/hta/breakdown_path.h"

struct ends { /* both ends of an arrow */
    uint32_t from, to;
};

struct waits {
    struct az_hta_path_graph *g;
    const struct az_graph_wait *wait;
    const struct az_graph_pass *pass;
    struct az_map op_start, op_end, pass_start, pass_end; /* (lane, time) -> index */
    struct ends *arrow;                                   /* by start of the later node */
    size_t n;
    uint32_t *through; /* pass -> op that ended last before it; AZ_NO_ROW */
};

static int put_node(struct az_map *m, uint32_t lane, int64_t at, uint32_t index)
{
    uint32_t *v;
    bool added;
    return az_map_put(m, lane, (uint64_t)at, index, &v, &added);
}

/* Times of spans and of arrows are rounded apart. */
static uint32_t find_node(const struct az_map *m, const struct az_graph_wait *w)
{
    static const int64_t off[] = { 0, -1, 1 };
    uint32_t at = AZ_NO_ID;
    for (size_t i = 0; at == AZ_NO_ID && i < AZ_LENGTH(off); i++)
        at = az_map_get(m, w->lane, (uint64_t)(w->at + off[i]));
    return at;
}

static int index_nodes(struct waits *w)
{
    const struct az_optrace *o = az_optrace(w->g->b->trace);
    struct az_map *const maps[] = { &w->op_start, &w->op_end, &w->pass_start, &w->pass_end };
    int rc = 0;
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_init(maps[i], w->g->job->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < w->g->b->n; i++) {
        const struct az_hta_op *op = &w->g->b->op[i];
        if (!w->g->of_op[i])
            continue;
        rc = put_node(&w->op_start, op->lane, op->start, i);
        if (rc == 0)
            rc = put_node(&w->op_end, op->lane, op->end, i);
    }
    for (uint32_t i = 0; rc == 0 && i < o->graph_passes.n; i++) {
        rc = put_node(&w->pass_start, w->pass[i].lane, w->pass[i].start, i);
        if (rc == 0)
            rc = put_node(&w->pass_end, w->pass[i].lane, w->pass[i].end, i);
    }
    return rc;
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct waits *w = ctx;
    const int64_t a = w->wait[((const struct ends *)x)->to].at,
                  b = w->wait[((const struct ends *)y)->to].at;
    return (a > b) - (a < b);
}

static int pair_ends(struct waits *w, size_t n)
{
    struct az_map begins;
    int rc = 0;
    az_map_init(&begins, w->g->job->mem, 64);
    w->arrow = az_arena_array(w->g->job->arena, n + 1, sizeof *w->arrow);
    if (!w->arrow)
        rc = az_arena_error(w->g->job->arena);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        if (w->wait[i].start)
            rc = put_node(&begins, 0, (int64_t)w->wait[i].id, i);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        const uint32_t from = w->wait[i].start ? AZ_NO_ID : az_map_get(&begins, 0, w->wait[i].id);
        if (from != AZ_NO_ID)
            w->arrow[w->n++] = (struct ends){ from, i };
    }
    if (rc == 0)
        az_sort_cmp(w->arrow, w->n, sizeof *w->arrow, by_time, w, w->g->job->mem);
    az_map_release(&begins);
    return rc;
}

static void later(const struct az_hta *b, uint32_t *known, uint32_t op)
{
    if (op != AZ_NO_ROW && (*known == AZ_NO_ROW || b->op[op].end > b->op[*known].end))
        *known = op;
}

/* In the order of the later nodes, so that what went through a node is known when it is requested.
 */
static void resolve(struct waits *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct az_graph_wait *from = &w->wait[w->arrow[i].from],
                                   *to = &w->wait[w->arrow[i].to];
        uint32_t before = find_node(&w->op_end, from);
        if (before == AZ_NO_ID) {
            const uint32_t pass = find_node(&w->pass_end, from);
            before = pass == AZ_NO_ID ? AZ_NO_ROW : w->through[pass];
        }
        const uint32_t op = find_node(&w->op_start, to),
                       pass = op == AZ_NO_ID ? find_node(&w->pass_start, to) : AZ_NO_ID;
        if (op != AZ_NO_ID && op != before)
            later(w->g->b, &w->g->after[op], before);
        else if (pass != AZ_NO_ID)
            later(w->g->b, &w->through[pass], before);
    }
}

int az_hta_path_nodes(struct az_hta_path_graph *g)
{
    const struct az_optrace *o = az_optrace(g->b->trace);
    struct waits w = { .g = g, .wait = o->graph_waits.v, .pass = o->graph_passes.v };
    if (o->graph_waits.n == 0 || g->b->n == 0)
        return 0;
    g->after = az_arena_array(g->job->arena, g->b->n, sizeof *g->after);
    w.through = az_arena_array(g->job->arena, o->graph_passes.n + 1, sizeof *w.through);
    int rc = g->after && w.through ? index_nodes(&w) : az_arena_error(g->job->arena);
    for (size_t i = 0; rc == 0 && i < g->b->n; i++)
        g->after[i] = AZ_NO_ROW;
    for (size_t i = 0; rc == 0 && i < o->graph_passes.n; i++)
        w.through[i] = AZ_NO_ROW;
    if (rc == 0)
        rc = pair_ends(&w, o->graph_waits.n);
    if (rc == 0)
        resolve(&w);
    az_map_release(&w.op_start);
    az_map_release(&w.op_end);
    az_map_release(&w.pass_start);
    az_map_release(&w.pass_end);
    return rc;
}
