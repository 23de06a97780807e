/* What steps have in common, whatever marks them: the device work of each, its length, the period,
 * a first step that warms up, and the scope of the account (docs/steps.md 4). */
#include "base/sort.h"
#include "classify/engine_marks.h"
#include "classify/steps.h"
#include "facts/steps_internal.h"
#include "stats/stats.h"

#define WARM 1.5 /* x the median of the other steps: the first one warms up; */
#define FAR  10  /* so many times, where no range marks the repeats as a loop */

static const enum az_kind work_kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
static const struct az_span nothing = { INT64_MAX, INT64_MIN };

/* ---- device work ---- */
struct attach {
    struct az_step_search *s;
    const struct az_counted *counted;
    struct az_devices_of dev;
    bool any;
};

static void extend(struct az_span *x, int64_t start, int64_t end)
{
    x->start = start < x->start ? start : x->start;
    x->end = end > x->end ? end : x->end;
}

static void add_work(struct attach *a, size_t step, const struct az_events *e, size_t row)
{
    struct az_step *x = &a->s->found.v[step];
    struct az_span w = { x->work_start, x->work_end };
    extend(&w, e->start[row], e->end[row]);
    x->work_start = w.start;
    x->work_end = w.end;
    const uint32_t slot = a->dev.slot_of_lane.v[e->lane[row]];
    if (slot != AZ_NO_ID)
        extend(&a->s->by_device[2 * slot + (step > 0)], e->start[row], e->end[row]);
    a->any = true;
}

/* The mark that is open at `at`; n: none. *last: number of marks that start before the previous
 * time, which usually has the same mark. */
static size_t mark_at(const struct az_step_list *m, int64_t at, size_t *last)
{
    const bool same = *last > 0 && m->v[*last - 1].mark_start <= at &&
                      (*last == m->n || m->v[*last].mark_start > at);
    const size_t a = same ? *last : AZ_UPPER_BY(m->v, m->n, mark_start, at);
    *last = a;
    return a > 0 && at < m->v[a - 1].mark_end ? a - 1 : m->n;
}

/* Work of the launches of any thread of the mark's process. */
static int add_launched(struct attach *a, const struct az_link *link)
{
    const struct az_trace *t = a->s->t;
    const struct az_events *calls = &t->ev[AZ_CALL];
    for (size_t k = 0; k < AZ_LENGTH(work_kinds); k++) {
        const struct az_events *e = &t->ev[work_kinds[k]];
        const uint32_t *call = link->call[work_kinds[k]];
        const uint8_t *skip = a->counted->skip[work_kinds[k]];
        size_t last = 0;
        for (size_t i = 0; call && i < e->n; i++) {
            if (call[i] == AZ_NO_ROW || (skip && skip[i]))
                continue;
            const size_t at = mark_at(&a->s->found, calls->start[call[i]], &last);
            if (at < a->s->found.n && t->lanes.v[calls->lane[call[i]]].proc == a->s->process.v[at])
                add_work(a, at, e, i);
        }
    }
    return 0;
}

/* Work that starts in the marks. */
static void add_started(struct attach *a)
{
    for (size_t k = 0; k < AZ_LENGTH(work_kinds); k++) {
        const struct az_events *e = &a->s->t->ev[work_kinds[k]];
        const uint8_t *skip = a->counted->skip[work_kinds[k]];
        size_t last = 0;
        for (size_t i = 0; i < e->n; i++) {
            const size_t at =
                skip && skip[i] ? a->s->found.n : mark_at(&a->s->found, e->start[i], &last);
            if (at < a->s->found.n)
                add_work(a, at, e, i);
        }
    }
}

static int open_devices(struct attach *a)
{
    struct az_step_search *s = a->s;
    int rc = az_devices_make(&a->dev, s->t, AZ_BY_DEVICE, s->job->mem);
    if (rc)
        return rc;
    s->n_devices = a->dev.slots.n;
    s->by_device = az_arena_array(s->job->arena, 2 * s->n_devices + 1, sizeof *s->by_device);
    if (!s->by_device)
        return az_arena_error(s->job->arena);
    for (size_t i = 0; i < 2 * s->n_devices; i++)
        s->by_device[i] = nothing;
    return 0;
}

int az_steps_attach(struct az_step_search *s)
{
    struct attach a = { .s = s };
    int rc;
    a.counted = az_job_counted(s->job, s->trace, AZ_ALL_WORK, &rc);
    if (!a.counted)
        return rc;
    rc = open_devices(&a);
    for (size_t i = 0; i < s->found.n; i++) {
        s->found.v[i].work_start = nothing.start;
        s->found.v[i].work_end = nothing.end;
    }
    if (rc == 0 && s->process.n == s->found.n && s->t->caps & AZ_CAP_LAUNCHES) {
        const struct az_link *link = az_job_link(s->job, s->trace, &rc);
        if (link)
            rc = add_launched(&a, link);
    }
    s->linked = a.any;
    if (rc == 0 && !a.any)
        add_started(&a);
    for (size_t i = 0; i < s->found.n; i++)
        if (s->found.v[i].work_start > s->found.v[i].work_end)
            s->found.v[i].work_start = s->found.v[i].work_end = -1;
    az_devices_release(&a.dev);
    return rc;
}

/* ---- lengths ---- */
static bool has_work(const struct az_step *x) { return x->work_end >= 0; }

static void set_lengths(struct az_step_search *s)
{
    int64_t next = INT64_MIN; /* first work of a later step */
    for (size_t i = s->found.n; i-- > 0;) {
        struct az_step *x = &s->found.v[i];
        x->length = x->mark_end - x->mark_start;
        if (!has_work(x))
            continue;
        const int64_t until = next == INT64_MIN ? x->work_end : next;
        x->length = until - x->work_start > x->length ? until - x->work_start : x->length;
        next = x->work_start;
    }
}

/* Unknown but of the marks of a serving engine. */
static enum az_engine_phase phase_of(const struct az_step_search *s, size_t i)
{
    struct az_engine_mark m = { .phase = AZ_ENGINE_UNKNOWN };
    if (s->out->how == AZ_STEPS_ENGINE)
        (void)az_engine_mark_read(az_step_mark_name(s->found.v[i].mark), &m);
    return m.phase;
}

/* Lengths of the steps after the first one of its phase, or of all of them. */
static size_t list_others(const struct az_step_search *s, bool same_phase, int64_t *lengths)
{
    const enum az_engine_phase first = phase_of(s, 0);
    size_t n = 0;
    for (size_t i = 1; i < s->found.n; i++)
        if (!same_phase || phase_of(s, i) == first)
            lengths[n++] = s->found.v[i].length;
    return n;
}

/* A step is a warm-up only next to steps of its own phase: a prefill is longer than a decode step.
 * The only one of its phase is excluded for its phase; next to one other it stays. */
static void set_excluded(struct az_step_search *s, int64_t *scratch)
{
    int64_t middle[2];
    if (s->found.n < 3 || s->t->windowed) /* what the user chose is all of it */
        return;
    const size_t same = list_others(s, true, scratch);
    const size_t n = same ? same : list_others(s, false, scratch);
    if (n < 2)
        return;
    az_middle_i64(scratch, n, middle);
    const int64_t first = s->found.v[0].length;
    const double median = (double)middle[0] + (double)(middle[1] - middle[0]) / 2;
    if ((double)first <= (s->out->in_loop ? WARM : FAR) * median)
        return;
    s->out->excluded = 1;
    if (same)
        s->out->warm_up = first - (middle[0] + (middle[1] - middle[0]) / 2);
    else
        s->out->excluded_phase = az_sv_str(az_engine_phase_text(phase_of(s, 0)));
}

/* The next step from *at on that has a first device event, or a mark where no work is linked. */
static bool next_begin(const struct az_step_search *s, size_t *at, int64_t *begin)
{
    for (; *at < s->found.n; (*at)++) {
        const struct az_step *x = &s->found.v[*at];
        if (s->linked && !has_work(x))
            continue;
        *begin = s->linked ? x->work_start : x->mark_start;
        (*at)++;
        return true;
    }
    return false;
}

static void set_middle(struct az_step_search *s, const int64_t middle[2])
{
    bool found[2] = { false, false };
    int64_t from, to;
    size_t at = s->out->excluded;
    for (bool any = next_begin(s, &at, &from); any && next_begin(s, &at, &to); from = to)
        for (int k = 0; k < 2; k++)
            if (!found[k] && to - from == middle[k]) {
                found[k] = true;
                s->out->middle[k] = (struct az_span){ from, to };
            }
}

static void set_period(struct az_step_search *s, int64_t *scratch)
{
    size_t distances = 0, at = s->out->excluded;
    int64_t from, to, middle[2];
    for (bool any = next_begin(s, &at, &from); any && next_begin(s, &at, &to); from = to)
        scratch[distances++] = to - from;
    s->out->period = -1;
    if (distances == 0)
        return;
    az_middle_i64(scratch, distances, middle);
    s->out->period = middle[0] + (middle[1] - middle[0]) / 2;
    set_middle(s, middle);
}

static int set_scope(struct az_step_search *s)
{
    struct az_span *of = az_arena_array(s->job->arena, s->n_devices + 1, sizeof *of);
    if (!of)
        return az_arena_error(s->job->arena);
    s->out->scope = nothing;
    for (size_t i = 0; i < s->n_devices; i++) {
        const struct az_span *first = &s->by_device[2 * i], *others = first + 1;
        of[i] = *others;
        if (!s->out->excluded)
            extend(&of[i], first->start, first->end);
        extend(&s->out->scope, of[i].start, of[i].end);
    }
    s->out->device_scope = of;
    s->out->n_devices = s->n_devices;
    return 0;
}

static void count_marks(struct az_step_search *s)
{
    size_t without = 0;
    for (size_t i = 0; i < s->found.n; i++)
        without += !has_work(&s->found.v[i]);
    s->out->marks = s->found.n + s->zero_marks;
    s->out->empty_marks = s->zero_marks + (without < s->found.n ? without : 0);
}

int az_steps_measure(struct az_step_search *s)
{
    const size_t bytes = (s->found.n + 1) * sizeof(int64_t);
    int64_t *scratch = az_mem_alloc(s->job->mem, bytes);
    if (!scratch)
        return az_mem_error(s->job->mem);
    set_lengths(s);
    set_excluded(s, scratch);
    set_period(s, scratch);
    az_mem_free(s->job->mem, scratch, bytes);
    if (s->out->how != AZ_STEPS_PATTERN)
        count_marks(s);
    return set_scope(s);
}

int az_job_steps_scope(struct az_job *job, size_t trace, const uint8_t *counts, struct az_span *out)
{
    int rc;
    const struct az_steps *s = az_job_steps(job, trace, &rc);
    *out = nothing;
    for (size_t i = 0; s && i < s->n_devices; i++)
        if (!counts || counts[i])
            extend(out, s->device_scope[i].start, s->device_scope[i].end);
    return s ? 0 : rc;
}
