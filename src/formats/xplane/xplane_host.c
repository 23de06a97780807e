/* XPlane: host planes. Host events are many and are summed by name; stored are those that launch
 * device work (they carry a correlation), those of compilation, step annotations, the program's own
 * annotations, and Python frames that are long enough to explain idle time. */
#include "base/num.h"
#include "classify/rules.h"
#include "formats/shared/cut_records.h"
#include "formats/xplane/xplane.h"

#define FRAME_PS 10000000 /* shorter frames are not stored */

/* What an event is by its name: class of group `host`, else an annotation of the program. */
enum { META_RUNTIME = 1, META_COMPILE, META_FRAME, META_DISPATCH, META_ANNOTATION };

/* The lane of the thread, which is made with its first stored event. */
static int thread_lane(struct az_xplane *r, const struct az_xplane_line *l, int64_t *lane)
{
    uint32_t index;
    if (*lane >= 0)
        return 0;
    const int rc = az_xplane_lane(r, l, 0, AZ_XLANE_HOST, &index);
    *lane = index;
    return rc;
}

static bool is_range(const struct az_xplane_host_line *h, const struct az_xplane_meta *m,
                     const struct az_event *e, const struct az_xplane_host_stats *s)
{
    switch (m->kind) {
    case META_COMPILE:
        return true;
    case META_FRAME:
        return h->python && e->end - e->start >= FRAME_PS;
    case META_DISPATCH:
        return h->python;
    case META_ANNOTATION:
        return h->python && s->step < 0 && e->start >= h->runs;
    default:
        return false;
    }
}

static int add_event(struct az_xplane *r, struct az_xplane_host_line *h,
                     struct az_xplane_meta *meta, struct az_event *e,
                     const struct az_xplane_host_stats *s)
{
    const bool range = is_range(h, meta, e, s), summed = !e->corr && !range && s->step < 0;
    if (summed && r->passes)
        az_xplane_pass_sum(r->passes, e->start, e->end);
    if (summed && (r->passes || !r->t->cut_log))
        return 0;
    int rc = thread_lane(r, h->of, &h->lane);
    e->lane = (uint32_t)h->lane;
    if (summed)
        return rc ? rc : az_cut_sum(r->t, e->lane, e->start, e->end);
    e->node = s->device;
    e->name = az_xplane_meta_name(r, meta);
    if (rc == 0 && s->step >= 0)
        rc = az_vec_push(&r->x->steps,
                         ((struct az_xstep){ e->start, e->end, s->step, e->name, e->lane }));
    if (rc || (!e->corr && !range))
        return rc;
    return az_trace_add(r->t, e->corr ? AZ_CALL : AZ_RANGE, e);
}

/* A step number is a number, or a text that is one. */
static int64_t step_of(const struct az_xplane *r, const struct az_xplane_value *v)
{
    int64_t number;
    const struct az_sv text = az_xplane_text(r, v);
    if (text.n)
        return az_parse_i64(text, &number) == 0 ? number : -1;
    return az_xplane_whole(v);
}

static int read_stats(struct az_xplane *r, struct az_protobuf *stats,
                      struct az_xplane_host_stats *out)
{
    struct az_xplane_value v;
    int rc;
    while ((rc = az_xplane_next_stat(r, stats, 4, &v)) > 0) {
        if (v.role == XP_CORRELATION)
            out->correlation = v.number;
        else if (v.role == XP_DEVICE)
            out->device = v.number + 1;
        else if (v.role == XP_STEP)
            out->step = step_of(r, &v);
    }
    return rc;
}

static void classify(struct az_xplane *r, struct az_xplane_meta *m)
{
    const struct az_sv c =
        az_rule_cache_class(&r->host, "xla_events.rules", "host", &r->t->arena, m->name);
    m->kind = az_sv_is(c, "compile")    ? META_COMPILE
              : az_sv_is(c, "frame")    ? META_FRAME
              : az_sv_is(c, "dispatch") ? META_DISPATCH
              : az_sv_is(c, "runtime")  ? META_RUNTIME
                                        : META_ANNOTATION;
}

struct az_xplane_host_line az_xplane_host_line(const struct az_xplane_line *l)
{
    const bool python = az_rules_class("xla_events.rules", "host_thread", l->name).n > 0;
    return (struct az_xplane_host_line){ l, python, -1, INT64_MIN };
}

static void add_to_sums(struct az_xplane_meta *meta, int64_t ticks)
{
    meta->count++;
    meta->ticks = az_add_sat(meta->ticks, ticks);
    meta->min = ticks < meta->min ? ticks : meta->min;
    meta->max = ticks > meta->max ? ticks : meta->max;
}

int az_xplane_host_event(struct az_xplane *r, struct az_xplane_host_line *h,
                         struct az_xplane_meta *meta, struct az_event *e,
                         const struct az_xplane_host_stats *s)
{
    if (!r->passes)
        add_to_sums(meta, e->end - e->start);
    r->t->kept++;
    if (!meta->kind)
        classify(r, meta);
    e->corr = s->correlation;
    const int rc = add_event(r, h, meta, e, s);
    if ((meta->kind == META_RUNTIME || meta->kind == META_DISPATCH) && e->end > h->runs)
        h->runs = e->end;
    return rc;
}

static int thread(struct az_xplane *r, const struct az_xplane_line *l)
{
    struct az_protobuf m = az_protobuf_of(l->body);
    struct az_xplane_event x;
    struct az_xplane_host_line h = az_xplane_host_line(l);
    int rc;
    if (r->passes)
        az_xplane_pass_thread(r->passes, &h);
    while ((rc = az_xplane_next_event(r, &m, &x)) > 0) {
        struct az_event e = { .side = AZ_NO_ROW };
        struct az_xplane_meta *meta = az_xplane_meta_of(r, &x);
        struct az_xplane_host_stats s = { .step = -1 };
        r->t->read++;
        if (!meta || !az_xplane_times(r, l, &x, &e.start, &e.end))
            continue;
        rc = x.look ? read_stats(r, &x.stats, &s) : AZ_OK;
        if (rc == 0)
            rc = az_xplane_host_event(r, &h, meta, &e, &s);
        if (rc)
            return rc;
    }
    return rc;
}

/* Sums of this plane to those of the trace, by name. `row` of a name id: its place + 1. */
int az_xplane_host_sums(struct az_xplane *r)
{
    struct az_xtrace *x = r->x;
    struct az_map of;
    int rc = 0;
    az_map_init(&of, r->job->mem, x->host.n + r->metas.n);
    for (size_t i = 0; rc == 0 && i < x->host.n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&of, x->host.v[i].name, 0, (uint32_t)i, &at, &added);
    }
    for (size_t i = 0; rc == 0 && i < r->metas.n; i++) {
        struct az_xplane_meta *m = &r->metas.v[i];
        if (!m->count)
            continue;
        const uint32_t name = az_xplane_meta_name(r, m);
        const uint32_t at = az_map_number(&of, name, 0, x->host.n);
        if (at == x->host.n)
            az_vec_add(&x->host,
                       ((struct az_xhost){ .name = name, .min = INT64_MAX, .max = INT64_MIN }));
        rc = at < x->host.n ? 0 : az_mem_error(x->host.mem);
        if (rc)
            break;
        struct az_xhost *h = &x->host.v[at];
        h->count += m->count;
        h->ticks = az_add_sat(h->ticks, m->ticks);
        h->min = m->min < h->min ? m->min : h->min;
        h->max = m->max > h->max ? m->max : h->max;
    }
    az_map_release(&of);
    return rc;
}

int az_xplane_host(struct az_xplane *r)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        struct az_xplane_line l;
        rc = az_xplane_line(r, r->lines.v[i], &l);
        if (rc == 0)
            rc = thread(r, &l);
    }
    if (r->passes)
        az_xplane_pass_thread(r->passes, NULL);
    return rc ? rc : az_xplane_host_sums(r);
}
