/* XPlane: host planes. Host events are many and are summed by name; kept are those that launch
 * device work (they carry a correlation) and those of compilation. */
#include "base/num.h"
#include "classify/rules.h"
#include "formats/xplane.h"

static int add_call(struct az_xp *r, const struct az_xp_line *l, struct az_xp_meta *meta,
                    struct az_event *e, uint64_t device, int64_t *lane)
{
    int rc = AZ_OK;
    if (*lane < 0) {
        uint32_t index;
        rc = az_xp_lane(r, l, 0, AZ_XLANE_HOST, &index);
        *lane = index;
    }
    e->lane = (uint32_t)*lane;
    e->node = device;
    if (rc == 0)
        rc = az_xp_meta_name(r, meta, &e->name);
    return rc ? rc : az_trace_add(r->t, e->corr ? AZ_CALL : AZ_RANGE, e);
}

/* Correlation, and device + 1, of an event. */
static int launch_of(struct az_xp *r, struct az_pb *stats, uint64_t *correlation, uint64_t *device)
{
    struct az_xp_value v;
    int rc;
    while ((rc = az_xp_next_stat(r, stats, 4, &v)) > 0) {
        if (v.role == XP_CORRELATION)
            *correlation = v.number;
        else if (v.role == XP_DEVICE)
            *device = v.number + 1;
    }
    return rc;
}

enum { META_PLAIN = 1, META_COMPILE };

static void classify(struct az_xp *r, struct az_xp_meta *m)
{
    const struct az_sv c =
        az_asked_class(&r->host, "xla_events.rules", "host", &r->t->arena, m->name);
    m->kind = c.n ? META_COMPILE : META_PLAIN;
}

static int thread(struct az_xp *r, const struct az_xp_line *l)
{
    struct az_pb m = az_pb_of(l->body);
    struct az_xp_event x;
    int64_t lane = -1;
    int rc;
    while ((rc = az_xp_next_event(r, &m, &x)) > 0) {
        struct az_event e = { .side = AZ_NO_ROW };
        struct az_xp_meta *meta = az_xp_meta_of(r, &x);
        uint64_t device = 0;
        r->t->read++;
        if (!meta || !az_xp_times(r, l, &x, &e.start, &e.end))
            continue;
        meta->count++;
        meta->ticks = az_add_sat(meta->ticks, x.duration);
        meta->min = x.duration < meta->min ? x.duration : meta->min;
        meta->max = x.duration > meta->max ? x.duration : meta->max;
        r->t->kept++;
        if (!meta->kind)
            classify(r, meta);
        rc = x.look ? launch_of(r, &x.stats, &e.corr, &device) : AZ_OK;
        if (rc == 0 && (e.corr || meta->kind == META_COMPILE))
            rc = add_call(r, l, meta, &e, device, &lane);
        if (rc)
            return rc;
    }
    return rc;
}

/* Sums of this plane to those of the trace, by name. `row` of a name id: its place + 1. */
static int add_sums(struct az_xp *r)
{
    struct az_xtrace *x = r->x;
    struct az_map of;
    int rc = az_map_init(&of, r->job->mem, x->host.n + r->metas.n);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < x->host.n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&of, x->host.v[i].name, 0, (uint32_t)i, &at, &added);
    }
    for (size_t i = 0; rc == 0 && i < r->metas.n; i++) {
        struct az_xp_meta *m = &r->metas.v[i];
        uint32_t name, *at;
        bool added;
        if (!m->count)
            continue;
        rc = az_xp_meta_name(r, m, &name);
        if (rc == 0)
            rc = az_map_put(&of, name, 0, (uint32_t)x->host.n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(
                &x->host, ((struct az_xhost){ .name = name, .min = INT64_MAX, .max = INT64_MIN }));
        if (rc)
            break;
        struct az_xhost *h = &x->host.v[*at];
        h->count += m->count;
        h->ticks = az_add_sat(h->ticks, m->ticks);
        h->min = m->min < h->min ? m->min : h->min;
        h->max = m->max > h->max ? m->max : h->max;
    }
    az_map_release(&of);
    return rc;
}

int az_xp_host(struct az_xp *r)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        struct az_xp_line l;
        rc = az_xp_line(r, r->lines.v[i], &l);
        if (rc == 0)
            rc = thread(r, &l);
    }
    return rc ? rc : add_sums(r);
}
