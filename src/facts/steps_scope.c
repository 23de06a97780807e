/* Is a repeated pattern a loop of the program, or a block of a model (docs/steps.md 3.6)? By the
 * innermost range, operator or Python frame that contains the launches of all repeats. */
#include "classify/rules.h"
#include "facts/steps_internal.h"
#include "model/optrace.h"
#include "stats/stats.h"

#define LAUNCHED 0.5 /* of the kernels: with fewer launches recorded nothing is known */

struct scope {
    const struct az_trace *t;
    int64_t from, to;  /* launches of the repeats */
    uint32_t *of_lane; /* launches by thread */
    size_t launched;
    int64_t length; /* of the innermost one so far; -1: none */
    struct az_sv name;
};

static void add_launch(struct scope *x, const struct az_events *calls, uint32_t call)
{
    const int64_t at = calls->start[call];
    x->from = at < x->from ? at : x->from;
    x->to = at > x->to ? at : x->to;
    x->of_lane[calls->lane[call]]++;
    x->launched++;
}

static void consider(struct scope *x, uint32_t lane, int64_t start, int64_t end, struct az_sv name)
{
    if (start > x->from || end < x->to || !x->of_lane[lane])
        return;
    if (x->length < 0 || end - start < x->length) {
        x->length = end - start;
        x->name = name;
    }
}

static void consider_kind(struct scope *x, enum az_kind kind)
{
    const struct az_events *e = &x->t->ev[kind];
    for (size_t i = 0; i < e->n && e->start[i] <= x->from; i++)
        if (e->end[i] >= x->to && e->name[i] != AZ_NO_ID)
            consider(x, e->lane[i], e->start[i], e->end[i], az_trace_text(x->t, e->name[i]));
}

static void innermost(struct scope *x)
{
    consider_kind(x, AZ_RANGE);
    consider_kind(x, AZ_HOST_OP);
    consider_kind(x, AZ_FRAME);
    if (!(x->t->caps & AZ_CAP_CALLTREE))
        return;
    const struct az_long_frames *f = &az_optrace(x->t)->long_frames;
    for (size_t i = 0; i < f->n; i++)
        consider(x, f->v[i].lane, f->v[i].start, f->v[i].end, f->v[i].name);
}

/* The function of "train.py(88): Trainer.fit": fit. */
static struct az_sv function_of(struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV("): "));
    if (at >= 0)
        name = az_sv_make(name.p + at + 3, name.n - (size_t)at - 3);
    size_t from = name.n;
    while (from > 0 && name.p[from - 1] != '.' && name.p[from - 1] != '/')
        from--;
    return az_sv_make(name.p + from, name.n - from);
}

static bool is_loop(struct az_sv name)
{
    if (az_sv_starts(name, AZ_SV("<built-in")) || az_sv_starts(name, AZ_SV("nn.Module:")))
        return false;
    return az_rules_class("trace_names.rules", "scope", function_of(name)).n > 0;
}

static int64_t median_period(struct az_step_search *s, int64_t *scratch)
{
    int64_t middle[2];
    for (size_t i = 0; i + 1 < s->found.n; i++)
        scratch[i] = s->found.v[i + 1].start - s->found.v[i].start;
    az_middle_i64(scratch, s->found.n - 1, middle);
    return middle[0] + (middle[1] - middle[0]) / 2;
}

static int reject(struct az_step_search *s, struct az_sv name)
{
    const size_t bytes = (s->found.n + 1) * sizeof(int64_t);
    int64_t *scratch = az_mem_alloc(s->job->mem, bytes);
    if (!scratch)
        return az_mem_error(s->job->mem);
    s->out->repeats = (struct az_step_repeats){ s->found.n, 0, name };
    if (s->found.n > 1)
        s->out->repeats.period = median_period(s, scratch);
    az_mem_free(s->job->mem, scratch, bytes);
    s->found.n = 0;
    s->out->agreement = s->out->inside = 0.0 / 0.0;
    return 0;
}

static void list_launches(struct scope *x, const struct az_link *link, const struct az_kernels *k,
                          size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const enum az_kind kind = az_op_kind(k->op[i]);
        const uint32_t call = link->call[kind] ? link->call[kind][az_op_row(k->op[i])] : AZ_NO_ROW;
        if (call != AZ_NO_ROW)
            add_launch(x, &x->t->ev[AZ_CALL], call);
    }
}

int az_steps_in_scope(struct az_step_search *s, const struct az_kernels *k, const struct az_cuts *c)
{
    int rc = 0;
    const struct az_link *link =
        s->t->caps & AZ_CAP_LAUNCHES ? az_job_link(s->job, s->trace, &rc) : NULL;
    const size_t bytes = (s->t->lanes.n + 1) * sizeof(uint32_t), from = c->v[0].from,
                 to = c->v[c->n - 1].end;
    struct scope x = { .t = s->t, .from = INT64_MAX, .to = INT64_MIN, .length = -1 };
    s->out->in_loop = false;
    if (!link)
        return rc;
    x.of_lane = az_mem_alloc(s->job->mem, bytes);
    if (!x.of_lane)
        return az_mem_error(s->job->mem);
    memset(x.of_lane, 0, bytes);
    list_launches(&x, link, k, from, to);
    if (x.launched > 0 && (double)x.launched >= LAUNCHED * (double)(to - from))
        innermost(&x);
    az_mem_free(s->job->mem, x.of_lane, bytes);
    if (x.length < 0)
        return 0;
    s->out->in_loop = is_loop(x.name);
    return s->out->in_loop ? 0 : reject(s, x.name);
}
