/* The steps of a trace: which way of finding them comes first, and what is common to all. */
#include "base/sort.h"
#include "facts/steps_internal.h"
#include "stats/stats.h"

const char *az_step_how_text(enum az_step_how how)
{
    static const char *const text[AZ_STEP_HOWS] = {
        [AZ_STEPS_TAG] = "from configured ranges",
        [AZ_STEPS_PROFILER] = "from ProfilerStep marks",
        [AZ_STEPS_DEVICE] = "from profiled device steps",
        [AZ_STEPS_ANNOTATION] = "from step annotations",
        [AZ_STEPS_PROGRAM] = "from main program runs",
        [AZ_STEPS_ENGINE] = "from serving engine marks",
        [AZ_STEPS_RANGES] = "from step ranges",
        [AZ_STEPS_SIGNPOSTS] = "from signposts",
        [AZ_STEPS_REPLAYS] = "from trace replays",
        [AZ_STEPS_PATTERN] = "from repeating kernels",
        [AZ_STEPS_NONE] = "no loop found",
        [AZ_STEPS_OFF] = "step detection disabled (steps: none)",
    };
    return how < AZ_STEP_HOWS ? text[how] : "";
}

const char *az_step_source_id(enum az_step_how how)
{
    static const char *const id[AZ_STEP_HOWS] = {
        [AZ_STEPS_TAG] = "user_range",       [AZ_STEPS_PROFILER] = "profiler_step",
        [AZ_STEPS_DEVICE] = "device_steps",  [AZ_STEPS_ANNOTATION] = "step_annotation",
        [AZ_STEPS_PROGRAM] = "program_runs", [AZ_STEPS_ENGINE] = "serving_mark",
        [AZ_STEPS_RANGES] = "named_range",   [AZ_STEPS_SIGNPOSTS] = "signpost",
        [AZ_STEPS_REPLAYS] = "trace_replay", [AZ_STEPS_PATTERN] = "kernel_pattern",
    };
    return how < AZ_STEP_HOWS && id[how] ? id[how] : "";
}

int64_t az_step_begin(const struct az_steps *s, size_t i)
{
    return s->linked ? s->v[i].work_start : s->v[i].mark_start;
}

int64_t az_step_period(const struct az_steps *s, size_t i)
{
    const int64_t begin = az_step_begin(s, i);
    if (s->linked && s->v[i].work_end < 0)
        return -1;
    for (size_t k = i + 1; k < s->n; k++)
        if (!s->linked || s->v[k].work_end >= 0)
            return az_step_begin(s, k) - begin;
    return -1;
}

struct az_sv az_steps_text(struct az_job *job, const struct az_steps *s)
{
    if (s->n == 0)
        return az_sv_str(az_step_how_text(s->how));
    return az_arena_printf(job->arena, "%zu step%s %s%s%.*s%s", s->n, s->n == 1 ? "" : "s",
                           az_step_how_text(s->how), s->mark.n ? " '" : "", AZ_SVF(s->mark),
                           s->mark.n ? "'" : "");
}

int az_steps_number(struct az_step_search *s, const char *what)
{
    for (size_t i = 0; i < s->found.n; i++) {
        s->found.v[i].number = (int64_t)i;
        s->found.v[i].name = az_arena_printf(s->job->arena, "%s %zu", what, i);
        if (!s->found.v[i].name.p)
            return az_arena_error(s->job->arena);
    }
    return 0;
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_step *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->mark_start < b->mark_start ? -1 : a->mark_start > b->mark_start;
}

/* Median and robust deviation of the durations of steps with work. */
static int measure(struct az_step_search *s)
{
    struct az_steps *out = s->out;
    out->median = out->spread = -1;
    if (s->found.n == 0)
        return 0;
    const size_t bytes = s->found.n * sizeof(int64_t);
    int64_t *v = az_mem_alloc(s->job->mem, bytes);
    if (!v)
        return az_mem_error(s->job->mem);
    size_t n = 0;
    for (size_t i = 0; i < s->found.n; i++)
        if (!s->linked || s->found.v[i].work_end >= 0)
            v[n++] = s->found.v[i].end - s->found.v[i].start;
    out->median = (int64_t)az_percentile_i64(v, n, 50);
    const double low = az_percentile_i64(v, n, 25), high = az_percentile_i64(v, n, 75);
    out->spread = (int64_t)((high - low) / AZ_STEP_QUARTILES);
    az_mem_free(s->job->mem, v, bytes);
    return 0;
}

static int store_steps(struct az_step_search *s)
{
    struct az_step *v = az_arena_array(s->job->arena, s->found.n + 1, sizeof *v);
    int rc = v ? measure(s) : az_arena_error(s->job->arena);
    if (rc == 0 && s->found.n)
        rc = az_steps_measure(s);
    az_sort_cmp(s->found.v, s->found.n, sizeof *s->found.v, by_start, NULL, s->job->mem);
    if (rc)
        return rc;
    if (s->found.n)
        memcpy(v, s->found.v, s->found.n * sizeof *v);
    s->out->v = v;
    s->out->n = s->found.n;
    s->out->linked = s->linked;
    if (s->found.n == 0) {
        s->out->how = AZ_STEPS_NONE;
        s->out->mark = AZ_SV("");
    }
    return 0;
}

static int find_steps(struct az_step_search *s)
{
    const struct az_sv how = s->job->opts->steps;
    const bool marks = !az_sv_is(how, "pattern"), pattern = !az_sv_is(how, "marks");
    int rc = marks ? az_steps_by_tag(s) : 0;
    if (rc == 0 && marks && s->found.n == 0)
        rc = az_steps_by_framework(s);
    if (rc == 0 && s->found.n == 0)
        s->out->marks = s->out->empty_marks = s->only_zero;
    if (rc == 0 && pattern && s->found.n == 0 && s->only_zero == 0 && s->out->cut == 0)
        rc = az_steps_by_pattern(s);
    return rc ? rc : store_steps(s);
}

static int make_steps(struct az_job *job, size_t trace, struct az_steps *out)
{
    struct az_step_search s = { .job = job, .trace = trace, .t = job->traces[trace], .out = out };
    *out = (struct az_steps){ .mark = AZ_SV(""),
                              .agreement = 0.0 / 0.0,
                              .inside = 0.0 / 0.0,
                              .median = -1,
                              .spread = -1,
                              .period = -1,
                              .in_loop = true,
                              .scope = { INT64_MAX, INT64_MIN },
                              .how = AZ_STEPS_NONE };
    az_vec_init(&s.found, job->mem);
    az_vec_init(&s.process, job->mem);
    if (az_sv_is(job->opts->steps, "none")) {
        out->how = AZ_STEPS_OFF;
        return 0;
    }
    /* between the instances of a window nothing is known of time */
    const int rc = s.t->window_work.n > 1 ? AZ_OK : find_steps(&s);
    az_vec_release(&s.found);
    az_vec_release(&s.process);
    return rc;
}

static const struct az_steps *steps_of(struct az_job *job, void **slot, size_t trace, int *rc)
{
    struct az_steps **of = NULL;
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    *rc = slot && *slot ? 0 : az_arena_error(job->arena);
    if (*rc)
        return NULL;
    of = *slot;
    if (!of[trace]) {
        struct az_steps *s = az_arena_alloc(job->arena, sizeof *s);
        *rc = s ? make_steps(job, trace, s) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : s;
    }
    return of[trace];
}

const struct az_steps *az_job_steps(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_steps *s = steps_of(job, slot, trace, rc);
    az_job_leave(job, slot);
    return s;
}
