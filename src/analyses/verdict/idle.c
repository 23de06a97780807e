/* The rule `idle`: gaps of a device by cause and place (docs/verdict.md 3.1). */
#include "analyses/verdict/idle.h"

struct work {
    struct az_verdict *v;
    struct az_verdict_judge judge;
    struct az_verdict_groups *groups;
    const struct az_devices_of *devices;
    struct az_region_causes *causes; /* NULL: of no region */
    struct az_gap_causes *longest;   /* NULL: no table has them */
};

/* A device that did next to nothing is in no account, and has no gaps. */
static bool counts(const struct az_verdict *v, int64_t device)
{
    const struct az_accounts *a = v->accounts;
    const size_t i = a ? az_accounts_device(a, device) : 0;
    return !a || i == a->n_devices || !a->idle[i];
}

static int one_gap(void *ctx, const struct az_idle_gap *gap)
{
    struct work *w = ctx;
    const struct az_trace *t = w->v->t;
    const struct az_span *window = &w->v->window;
    const int64_t from = gap->start > window->start ? gap->start : window->start,
                  to = gap->end < window->end ? gap->end : window->end;
    struct az_verdict_why why;
    if (from >= to || !counts(w->v, w->devices->slots.v[gap->slot].device))
        return 0;
    az_verdict_judge_gap(&w->judge, gap, from, to, &why);
    const uint32_t next = t->ev[az_op_kind(gap->after)].name[az_op_row(gap->after)];
    az_gap_causes_add(w->longest, &w->judge, w->devices->slots.v[gap->slot].device, gap, &why);
    const int rc = az_region_causes_add(w->causes, gap->slot, why.cause, from, to);
    return rc ? rc : az_verdict_groups_add(w->groups, &why, gap->slot, next, from, to - from);
}

static int find_idle(struct work *w)
{
    struct az_verdict *v = w->v;
    w->groups = az_verdict_groups_new(v);
    if (!w->groups)
        return az_arena_error(v->job->arena);
    int rc = az_region_causes_open(&w->causes, v, w->devices->slots.n);
    if (rc == 0)
        rc = az_gap_causes_open(&w->longest, v);
    if (rc == 0)
        rc = az_idle_gaps_of(v->job, v->trace, w->devices, one_gap, w);
    if (rc == 0)
        rc = az_region_causes_finish(w->causes);
    az_region_causes_close(w->causes);
    if (rc == 0)
        rc = az_gap_causes_finish(w->longest, v->job);
    if (rc == 0)
        rc = az_verdict_groups_finish(w->groups, &w->devices->slots);
    az_verdict_groups_free(w->groups);
    return rc ? rc : az_verdict_idle_findings(v);
}

int az_verdict_find_idle(struct az_verdict *v)
{
    struct az_verdict_host h = { .n_graphs = 0 };
    struct az_devices_of devices;
    struct work w = { .v = v, .devices = &devices };
    const bool calls = v->t->ev[AZ_CALL].n > 0;
    int rc = az_devices_make(&devices, v->t, AZ_BY_DEVICE, v->job->mem);
    if (rc == 0 && calls)
        rc = az_verdict_host_make(&h, v);
    v->part->graphs = h.n_graphs;
    v->part->bare = h.n_bare;
    if (rc == 0)
        rc = az_verdict_judge_make(&w.judge, v, calls ? &h : NULL);
    if (rc == 0)
        rc = find_idle(&w);
    if (calls)
        az_verdict_host_release(&h);
    az_devices_release(&devices);
    return rc;
}
