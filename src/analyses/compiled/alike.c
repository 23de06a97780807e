/* Kernels that are alike: what is asked of kernels by name, operation and device is asked once of
 * each such set, not of each event. */
#include "analyses/compiled/compiled.h"
#include "base/num.h"

struct sets {
    struct az_hx_trace *tr;
    const struct az_events *ev;
    uint32_t *last; /* row of the trace + 1 -> the set of its last kernel + 1 */
    struct az_map of;
};

static bool is_of(const struct az_hx_set *s, uint32_t name, uint32_t plane)
{
    return s->name == name && s->plane == plane;
}

static int find_set(struct sets *s, size_t i, uint32_t *set)
{
    struct az_hx_sets *v = &s->tr->sets;
    const uint64_t node = s->ev->node[i];
    const uint32_t name = s->ev->name[i],
                   plane = (uint32_t)s->tr->t->lanes.v[s->ev->lane[i]].context;
    uint32_t *last = &s->last[node], *at;
    bool added;
    if (*last && is_of(&v->v[*last - 1], name, plane)) {
        *set = *last - 1;
        return 0;
    }
    int rc = az_map_put(&s->of, node << 32 | plane, name, (uint32_t)v->n, &at, &added);
    if (rc)
        return rc;
    *set = *at;
    *last = *at + 1;
    if (added)
        rc = az_vec_push(
            v, ((struct az_hx_set){ .first = (uint32_t)i,
                                    .name = name,
                                    .plane = plane,
                                    .gpu = s->tr->x->planes.v[plane].kind == AZ_PLANE_GPU }));
    return rc;
}

static int make(struct az_hx *h, struct az_hx_trace *tr)
{
    struct sets s = { .tr = tr, .ev = &tr->t->ev[AZ_KERNEL] };
    const size_t rows = tr->x->rows.n + 1;
    if (tr->set_of)
        return 0;
    if (s.ev->n >= AZ_NO_ID)
        return AZ_ERANGE;
    int rc = az_map_init(&s.of, h->job->mem, 64);
    if (rc)
        return rc;
    tr->set_of = az_mem_alloc(h->job->mem, (s.ev->n + 1) * sizeof *tr->set_of);
    s.last = az_mem_alloc(h->job->mem, rows * sizeof *s.last);
    rc = tr->set_of && s.last ? 0 : az_mem_error(h->job->mem);
    if (rc == 0)
        memset(s.last, 0, rows * sizeof *s.last);
    for (size_t i = 0; rc == 0 && i < s.ev->n; i++) {
        rc = find_set(&s, i, &tr->set_of[i]);
        if (rc)
            break;
        struct az_hx_set *set = &tr->sets.v[tr->set_of[i]];
        set->n++;
        set->ticks = az_add_sat(set->ticks, s.ev->end[i] - s.ev->start[i]);
    }
    az_map_release(&s.of);
    az_mem_free(h->job->mem, s.last, s.last ? rows * sizeof *s.last : 0);
    return rc;
}

int az_hx_alike(struct az_hx *h)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < h->n; k++)
        rc = make(h, &h->tr[k]);
    return rc;
}
