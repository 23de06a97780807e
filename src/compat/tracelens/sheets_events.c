/* Counts of one rank: device events with and without an External id, short kernels, calls. */
#include "compat/tracelens/sheets_common.h"

#include "analyses/operators/kernels.h"
#include "analyses/short.h"
#include "base/num.h"
#include "facts/lazy_cache.h"

/* Rows by (name, category) while they are made. */
struct tally {
    struct az_map of;
    struct az_tracelens_event_rows rows;
};

static void tally_init(struct tally *t, struct az_mem *mem)
{
    az_vec_init(&t->rows, mem);
    az_map_init(&t->of, mem, 32);
}

static void tally_release(struct tally *t)
{
    az_map_release(&t->of);
    az_vec_release(&t->rows);
}

/* name: id in the trace, AZ_NO_ID: none. */
static int count_event(struct tally *t, struct az_tracelens_rank *r, uint32_t name, uint32_t cat,
                       int64_t ns)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&t->of, name, cat, (uint32_t)t->rows.n, &at, &added);
    if (rc == 0 && added) {
        struct az_tracelens_events e = { .name = AZ_NO_ID, .cat = cat, .min = ns, .max = ns };
        if (name != AZ_NO_ID)
            e.name = az_tracelens_text(&r->texts, az_trace_text(r->fw->trace, name));
        rc = az_vec_push(&t->rows, e);
    }
    if (rc)
        return rc;
    struct az_tracelens_events *e = &t->rows.v[*at];
    e->count++;
    e->sum = az_add_sat(e->sum, ns);
    e->min = ns < e->min ? ns : e->min;
    e->max = ns > e->max ? ns : e->max;
    return 0;
}

static int keep_rows(struct az_tracelens_rank *r, const struct tally *t,
                     const struct az_tracelens_events **out, size_t *n)
{
    *n = t->rows.n;
    *out = az_tracelens_copy_array(r->keep, t->rows.v, t->rows.n, sizeof *t->rows.v);
    return *out ? 0 : az_arena_error(r->keep);
}

static int count_device(struct az_tracelens_rank *r, struct tally *unlinked, int64_t limit)
{
    const struct az_calltree *c = r->fw->tree;
    struct az_tracelens_part *p = r->part;
    int rc = 0;
    for (uint32_t g = 0; rc == 0 && g < c->n_gpu; g++) {
        const struct az_event e = az_gpu_event(c, g);
        const bool is_short = e.end - e.start < limit;
        if (c->gpu_ext[g]) {
            p->linked++;
            p->short_linked += is_short;
        } else {
            p->unlinked++;
            p->short_unlinked += is_short;
            rc = count_event(unlinked, r, e.name, c->gpu_kind[g],
                             az_ns(r->fw->trace, e.end - e.start));
        }
    }
    return rc;
}

static int count_short(struct az_tracelens_rank *r, struct tally *t, int64_t limit)
{
    struct az_framework_kernels k = { 0 };
    int rc = az_framework_kernels_get(&k, r->job);
    for (size_t i = 0; rc == 0 && i < k.ev->n; i++) {
        uint32_t call;
        if (az_framework_kernel_ticks(&k, i) >= limit)
            continue;
        const uint32_t op = az_framework_kernel_owner(&k, i, &call);
        rc = count_event(t, r, op == AZ_NO_ROW ? AZ_NO_ID : az_framework_node(r->fw, op).name, 0,
                         az_ns(r->fw->trace, az_framework_kernel_ticks(&k, i)));
    }
    return rc;
}

static int count_calls(struct az_tracelens_rank *r, struct tally *t)
{
    const struct az_events *e = &r->fw->trace->ev[AZ_CALL];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        rc = count_event(t, r, e->name[i], az_is_driver_call(r->fw->ops, e->name[i]),
                         az_ns(r->fw->trace, e->end[i] - e->start[i]));
    return rc;
}

int az_tracelens_reduce_events(struct az_tracelens_rank *r)
{
    struct tally unlinked = { 0 }, calls = { 0 }, short_of = { 0 };
    struct az_tracelens_part *p = r->part;
    const int64_t limit = az_short_limit(r->job, r->job->traces[0]->ticks_per_ns);
    tally_init(&unlinked, r->job->mem);
    tally_init(&calls, r->job->mem);
    tally_init(&short_of, r->job->mem);
    int rc = count_device(r, &unlinked, limit);
    if (rc == 0)
        rc = count_short(r, &short_of, limit);
    if (rc == 0)
        rc = count_calls(r, &calls);
    if (rc == 0)
        rc = keep_rows(r, &unlinked, &p->unlinked_of, &p->n_unlinked);
    if (rc == 0)
        rc = keep_rows(r, &short_of, &p->short_of, &p->n_short);
    if (rc == 0)
        rc = keep_rows(r, &calls, &p->calls, &p->n_calls);
    tally_release(&unlinked);
    tally_release(&calls);
    tally_release(&short_of);
    return rc;
}
