/* Projected ranges of a job from either source, and the iteration tag. */
#include "base/num.h"
#include "facts/lazy_cache_internal.h"

/* A file may contain the projection itself; otherwise it is computed. */
static bool given(const struct az_trace *t) { return t->proj.n > 0 || !(t->caps & AZ_CAP_RANGES); }

int64_t az_job_ranges(struct az_job *job, size_t trace)
{
    const struct az_trace *t = job->traces[trace];
    int rc;
    if (given(t))
        return (int64_t)t->proj.n;
    const struct az_projection *p = az_job_projection(job, trace, &rc);
    return p ? (int64_t)p->n : rc;
}

static struct az_job_range from_file(struct az_job *job, size_t trace, size_t i)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_proj *p = &t->proj.v[i];
    struct az_job_range r = {
        .name = az_job_name(job, trace, p->name),
        .start = p->start,
        .duration = p->duration,
        .orig_start = p->orig_start,
        .orig_duration = p->orig_duration,
        .pid = p->pid,
        .tid = p->tid,
        .ops = p->gpu_ops,
        .level = p->level,
        .children = p->children,
        .id = p->range_id,
        .parent = p->parent_id,
        .row = (uint32_t)i,
    };
    r.style = az_job_text(job, az_job_name(job, trace, p->style));
    return r;
}

struct az_job_range az_job_range_at(struct az_job *job, size_t trace, size_t i)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *e = &t->ev[AZ_RANGE];
    struct az_shared *s = az_shared_of(job);
    if (given(t))
        return from_file(job, trace, i);
    const struct az_projection *p = s->trace[trace].projection;
    uint32_t row = p->order[i], up = p->parent[row];
    const struct az_range *side = az_range_side(t, row);
    const struct az_lane *lane = &t->lanes.v[e->lane[row]];
    return (struct az_job_range){
        .name = az_job_name(job, trace, e->name[row]),
        .style = side && side->style == 1 ? AZ_SV("StartEnd") : AZ_SV("PushPop"),
        .start = az_ns(t, p->start[row]),
        .duration = az_ns(t, p->end[row] - p->start[row]),
        .orig_start = az_ns(t, e->start[row]),
        .orig_duration = az_ns(t, e->end[row] - e->start[row]),
        .pid = (int64_t)lane->pid,
        .tid = (int64_t)lane->tid,
        .ops = p->ops[row],
        .level = p->level[row],
        .children = p->children[row],
        .id = (int64_t)az_range_id(t, row),
        .parent = up == AZ_NO_ROW ? -1 : (int64_t)az_range_id(t, up),
        .row = row,
    };
}

/* Ranges of one name in one trace, added to the tag's count and time. */
static int count_tag(struct az_job *job, size_t trace, uint32_t id, struct az_job_tag *tag,
                     int64_t *count)
{
    uint32_t number = az_job_name(job, trace, id);
    int64_t n = az_job_ranges(job, trace);
    *count = 0;
    for (int64_t i = 0; i < n; i++) {
        struct az_job_range r = az_job_range_at(job, trace, (size_t)i);
        if (r.name != number)
            continue;
        ++*count;
        tag->duration = az_add_sat(tag->duration, r.duration);
    }
    tag->count += *count;
    return n < 0 ? (int)n : 0;
}

/* The first spelling that has ranges in this trace. */
static int match_trace(struct az_job *job, size_t trace, const struct az_sv *form, size_t forms,
                       struct az_job_tag *tag)
{
    struct az_shared *s = az_shared_of(job);
    s->trace[trace].tag = AZ_NO_ID;
    for (size_t i = 0; i < forms; i++) {
        uint32_t id = az_intern_find(&job->traces[trace]->names, form[i]);
        int64_t count = 0, before = tag->count;
        int rc = id == AZ_NO_ID ? 0 : count_tag(job, trace, id, tag, &count);
        if (rc != 0)
            return rc;
        if (count == 0)
            continue;
        s->trace[trace].tag = id;
        if (before == 0)
            tag->text = form[i];
        break;
    }
    return 0;
}

uint32_t az_job_tag_name(struct az_job *job, size_t trace)
{
    struct az_shared *s = az_shared_of(job);
    return s && s->tag ? s->trace[trace].tag : AZ_NO_ID;
}

static int tag_of(struct az_job *job, struct az_job_tag *out)
{
    struct az_shared *s = az_shared_of(job);
    struct az_sv wanted = job->opts->nvtx_tag, form[3] = { wanted };
    size_t forms = 1;
    int rc = 0;
    *out = (struct az_job_tag){ .text = wanted, .given = wanted.n > 0 };
    if (!s)
        return az_arena_error(job->arena);
    if (s->tag)
        *out = *s->tag;
    if (s->tag || wanted.n == 0)
        return 0;
    form[forms++] = az_arena_printf(job->arena, ":%.*s", AZ_SVF(wanted));
    if (wanted.p[0] == ':')
        form[forms++] = az_sv_make(wanted.p + 1, wanted.n - 1);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++)
        rc = match_trace(job, k, form, forms, out);
    s->tag = az_arena_alloc(job->arena, sizeof *s->tag);
    if (rc == 0 && !s->tag)
        rc = az_arena_error(job->arena);
    if (rc == 0)
        *s->tag = *out;
    return rc;
}

int az_job_tag(struct az_job *job, struct az_job_tag *out)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const int rc = tag_of(job, out);
    az_job_leave(job, slot);
    return rc;
}
