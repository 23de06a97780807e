/* Groups of equal kernels: queries by name, operation and device run once per group, not once per
 * event. */
#include "analyses/hlo/hlo_events.h"
#include "base/num.h"

AZ_VEC(struct az_hlo_set, sets);

struct making {
    const struct az_trace *t;
    const struct az_events *ev;
    uint32_t *last; /* row of the trace + 1 -> the set of its last kernel + 1 */
    struct az_map number;
    struct sets v;
};

static int find_set(struct making *m, size_t i, uint32_t *set)
{
    const uint64_t node = m->ev->node ? m->ev->node[i] : 0;
    const uint32_t name = m->ev->name[i], plane = (uint32_t)m->t->lanes.v[m->ev->lane[i]].context;
    uint32_t *last = &m->last[node], *at;
    bool added;
    if (*last && m->v.v[*last - 1].name == name && m->v.v[*last - 1].plane == plane) {
        *set = *last - 1;
        return 0;
    }
    int rc = az_map_put(&m->number, node << 32 | plane, name, (uint32_t)m->v.n, &at, &added);
    if (rc)
        return rc;
    *set = *at;
    *last = *at + 1;
    const bool gpu = az_xtrace(m->t)->planes.v[plane].kind == AZ_PLANE_GPU;
    return added ? az_vec_push(
                       &m->v, ((struct az_hlo_set){
                                  .first = (uint32_t)i, .name = name, .plane = plane, .gpu = gpu }))
                 : 0;
}

static int each_kernel(struct making *m, uint32_t *of)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->ev->n; i++) {
        rc = find_set(m, i, &of[i]);
        if (rc)
            break;
        struct az_hlo_set *set = &m->v.v[of[i]];
        set->n++;
        set->ticks = az_add_sat(set->ticks, m->ev->end[i] - m->ev->start[i]);
    }
    return rc;
}

static int make_kernel_group(struct az_job *job, const struct az_trace *t, struct az_hlo_sets *out)
{
    struct making m = { .t = t, .ev = &t->ev[AZ_KERNEL] };
    const size_t rows = az_xtrace(t)->rows.n + 1;
    uint32_t *of = az_arena_array(job->arena, m.ev->n + 1, sizeof *of);
    if (!of)
        return az_arena_error(job->arena);
    az_vec_init(&m.v, job->mem);
    int rc = 0;
    az_map_init(&m.number, job->mem, 64);
    m.last = rc == 0 ? az_mem_alloc(job->mem, rows * sizeof *m.last) : NULL;
    if (m.last) {
        memset(m.last, 0, rows * sizeof *m.last);
        rc = each_kernel(&m, of);
    } else if (rc == 0) {
        rc = az_mem_error(job->mem);
    }
    struct az_hlo_set *v = rc == 0 ? az_arena_array(job->arena, m.v.n + 1, sizeof *v) : NULL;
    if (v && m.v.n)
        memcpy(v, m.v.v, m.v.n * sizeof *v);
    *out = (struct az_hlo_sets){ v, m.v.n, of };
    az_mem_free(job->mem, m.last, rows * sizeof *m.last);
    az_map_release(&m.number);
    az_vec_release(&m.v);
    return rc ? rc : v ? 0 : az_arena_error(job->arena);
}

/* Of all traces. */
static int make_all(struct az_job *job, void **slot)
{
    struct az_hlo_sets *all = slot ? *slot : NULL;
    int rc = 0;
    if (all)
        return 0;
    all = slot ? az_arena_array(job->arena, job->n_traces + 1, sizeof *all) : NULL;
    if (!all)
        return az_arena_error(job->arena);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++)
        rc = make_kernel_group(job, job->traces[k], &all[k]);
    *slot = rc ? NULL : all;
    return rc;
}

int az_hlo_group_kernels(struct az_hlo *h)
{
    static const char what;
    void **slot = az_job_slot(h->job, &what);
    const int rc = make_all(h->job, slot);
    const struct az_hlo_sets *all = rc ? NULL : *slot;
    az_job_leave(h->job, slot);
    for (size_t k = 0; all && k < h->n; k++)
        h->tr[k].same_kernels = &all[k];
    return rc;
}
