/* Facts that columns need: what launched what, the step of a time. */
#include "base/human.h"
#include "model/link.h"
#include "model/optrace.h"
#include "query/columns.h"

static const struct az_link *link_of(struct az_query_trace *tr)
{
    int rc = 0;

    if (!tr->link && !az_facts_of_error(tr->of)) {
        tr->link = az_job_link(tr->job, tr->index, &rc);
        if (!tr->link)
            az_query_fail(tr, rc ? rc : AZ_ENOMEM);
    }
    return tr->link;
}

uint32_t az_query_call_of(struct az_query_trace *tr, enum az_kind k, size_t row)
{
    const struct az_link *l = link_of(tr);
    return l && l->call[k] ? l->call[k][row] : AZ_NO_ROW;
}

/* Where each device event is in the call tree. */
static int make_nodes(struct az_query_trace *tr)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    const struct az_calltree *c = az_tree(tr->t);

    for (size_t i = 0; i < AZ_LENGTH(kinds); i++) {
        const size_t n = tr->t->ev[kinds[i]].n;
        uint32_t *node = az_arena_array(tr->job->arena, n + 1, sizeof *node);
        if (!node)
            return az_arena_error(tr->job->arena);
        memset(node, 0xff, n * sizeof *node); /* AZ_NO_ROW */
        tr->node[kinds[i]] = node;
    }
    for (uint32_t g = 0; g < c->n_gpu; g++)
        tr->node[c->gpu_kind[g]][c->gpu_row[g]] = c->gpu_node[g];
    return 0;
}

uint32_t az_query_op_of(struct az_query_trace *tr, enum az_kind k, size_t row)
{
    uint32_t op;

    if (!(tr->t->caps & AZ_CAP_CALLTREE) || !az_tree(tr->t) || k > AZ_MEMSET)
        return AZ_NO_ROW;
    if (!tr->node[AZ_KERNEL]) {
        const int rc = make_nodes(tr);
        if (rc) {
            az_query_fail(tr, rc);
            return AZ_NO_ROW;
        }
    }
    if (tr->node[k][row] == AZ_NO_ROW)
        return AZ_NO_ROW;
    op = az_node_op(az_tree(tr->t), tr->node[k][row]);
    return op != AZ_NO_ROW && op < az_tree(tr->t)->first_call ? op : AZ_NO_ROW;
}

const struct az_steps *az_query_steps_of(struct az_query_trace *tr)
{
    int rc = 0;

    if (!tr->steps && !az_facts_of_error(tr->of)) {
        tr->steps = az_job_steps(tr->job, tr->index, &rc);
        if (!tr->steps)
            az_query_fail(tr, rc ? rc : AZ_ENOMEM);
    }
    return tr->steps;
}

const struct az_step *az_query_step_at(struct az_query_trace *tr, int64_t ticks, bool host)
{
    const struct az_steps *s = az_query_steps_of(tr);
    size_t lo = 0, hi = s ? s->n : 0;

    while (lo < hi) { /* the first that begins after it */
        const size_t mid = lo + (hi - lo) / 2;
        if ((host ? s->v[mid].mark_start : s->v[mid].start) <= ticks)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return NULL;
    const struct az_step *last = &s->v[lo - 1];
    return ticks < (host ? last->mark_end : last->end) ? last : NULL;
}
