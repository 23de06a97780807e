/* Steps of an operation report that replays captured traces: each replay of one trace
 * (docs/steps.md 2.5). */
#include <math.h>

#include "base/sort.h"
#include "facts/steps_internal.h"
#include "model/opreport.h"

#define LEAST 2 /* replays of a trace */

struct replay {
    int64_t start, end;
    uint32_t name;     /* id of "TRACE/SESSION" */
    uint32_t trace;    /* number of its trace */
    struct az_sv text; /* of the trace id */
};
AZ_VEC(struct replay, replays);

/* The trace id in "TRACE/SESSION". */
static struct az_sv trace_id(const struct az_trace *t, uint32_t name)
{
    const struct az_sv both = az_trace_text(t, name);
    size_t n = both.n;
    while (n > 0 && both.p[n - 1] != '/')
        n--;
    return az_sv_make(both.p, n > 0 ? n - 1 : 0);
}

/* One entry per replay: from its first operation to the end of its last one, on any device. Of
 * several hosts those of the first one count, as with signposts. */
static int list_replays(struct az_step_search *s, struct replays *out)
{
    const struct az_oprows *rows = &az_opreport(s->t)->rows;
    struct az_map of;
    int rc = 0;
    az_map_init(&of, s->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < rows->n; i++) {
        const struct az_oprow *r = &rows->v[i];
        if (r->file != 0 || r->replay == AZ_NO_ID || !az_oprow_counts(r))
            continue;
        const int64_t start = r->at * s->t->ticks_per_ns,
                      end = start + llround(r->kernel) * s->t->ticks_per_ns;
        const uint32_t at = az_map_number(&of, r->replay, 0, out->n);
        if (at == out->n)
            az_vec_add(out,
                       ((struct replay){ start, end, r->replay, 0, trace_id(s->t, r->replay) }));
        rc = at < out->n ? 0 : az_mem_error(out->mem);
        if (rc)
            break;
        struct replay *x = &out->v[at];
        x->start = start < x->start ? start : x->start;
        x->end = end > x->end ? end : x->end;
    }
    az_map_release(&of);
    return rc;
}

/* Numbers traces; *best: the one with the most time of those replayed twice or more. */
static int choose(struct az_step_search *s, struct replays *r, uint32_t *best)
{
    struct az_vec_i64 time, count;
    struct az_map of;
    int rc = 0;
    az_map_init(&of, s->job->mem, 16);
    az_vec_init(&time, s->job->mem);
    az_vec_init(&count, s->job->mem);
    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        struct replay *x = &r->v[i];
        uint32_t *at;
        bool added = false;
        rc = az_map_put(&of, az_hash(x->text.p, x->text.n), x->text.n, (uint32_t)time.n, &at,
                        &added);
        if (rc == 0 && added)
            rc = az_vec_push(&time, 0);
        if (rc == 0 && added)
            rc = az_vec_push(&count, 0);
        if (rc)
            break;
        x->trace = *at;
        time.v[*at] += x->end - x->start;
        count.v[*at]++;
    }
    *best = AZ_NO_ID;
    for (uint32_t i = 0; rc == 0 && i < time.n; i++)
        if (count.v[i] >= LEAST && (*best == AZ_NO_ID || time.v[i] > time.v[*best]))
            *best = i;
    az_vec_release(&time);
    az_vec_release(&count);
    az_map_release(&of);
    return rc;
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct replay *a = x, *b = y;
    (void)ctx;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* A replay of another device may have begun before the one before it has ended. */
static int64_t end_of(const struct az_step_list *f, const struct replay *x)
{
    const struct az_step *last = &f->v[f->n - 1];
    return last->mark_end > x->start ? x->start : last->mark_end;
}

int az_steps_by_replays(struct az_step_search *s)
{
    struct replays r;
    uint32_t best = AZ_NO_ID;
    az_vec_init(&r, s->job->mem);
    int rc = list_replays(s, &r);
    if (rc == 0)
        rc = choose(s, &r, &best);
    if (rc == 0 && best != AZ_NO_ID)
        az_sort_cmp(r.v, r.n, sizeof *r.v, by_start, NULL, s->job->mem);
    for (size_t i = 0; rc == 0 && best != AZ_NO_ID && i < r.n; i++) {
        const struct replay *x = &r.v[i];
        if (x->trace != best)
            continue;
        if (s->found.n)
            s->found.v[s->found.n - 1].mark_end = s->found.v[s->found.n - 1].end =
                end_of(&s->found, x);
        s->out->mark = x->text;
        rc = az_vec_push(&s->found, ((struct az_step){ .start = x->start,
                                                       .end = x->end,
                                                       .mark_start = x->start,
                                                       .mark_end = x->end,
                                                       .mark = az_trace_text(s->t, x->name) }));
    }
    az_vec_release(&r);
    if (rc || s->found.n == 0)
        return rc;
    s->out->how = AZ_STEPS_REPLAYS;
    rc = az_steps_attach(s);
    return rc ? rc : az_steps_number(s, "replay");
}
