/* Steps as the rules need them, and the rules about whole steps (docs/verdict.md 3.3). */
#include "classify/steps.h"
#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/sort.h"

#define JITTER 0.10 /* robust spread of steps from which they are uneven */
#define LEAST  5    /* known times of steps for a spread */

int az_verdict_steps_make(struct az_verdict *v)
{
    int rc;
    struct az_verdict_part *p = v->part;
    const struct az_steps *all = az_job_steps(v->job, v->trace, &rc);
    if (!all)
        return rc;
    v->steps.all = all;
    p->repeats = all->repeats.n;
    p->repeat_ns = az_verdict_ns(v, all->repeats.period);
    p->repeats_inside = az_verdict_copy_text(v, az_range_plain_name(all->repeats.inside));
    if (all->n == 0)
        return 0;
    struct az_span *s = az_arena_array(v->job->arena, all->n, sizeof *s);
    if (!s)
        return az_arena_error(v->job->arena);
    for (size_t i = all->excluded; i < all->n; i++)
        s[v->steps.n++] = (struct az_span){ all->v[i].start, all->v[i].end };
    v->steps.v = s;
    p->steps = all->n;
    p->period = all->period < 0 ? -1 : az_verdict_ns(v, all->period);
    const bool on_host = all->how != AZ_STEPS_SIGNPOSTS && all->how != AZ_STEPS_REPLAYS;
    p->step_ns = az_verdict_ns(v, all->n == 1 && on_host ? all->v[0].length : all->median);
    p->source = az_sv_str(az_step_source_id(all->how));
    p->first = az_verdict_copy_text(v, all->v[0].name);
    p->excluded = all->excluded ? p->first : AZ_SV("");
    p->excluded_phase = all->excluded_phase;
    return 0;
}

int az_verdict_find_warm_up(struct az_verdict *v)
{
    const struct az_steps *all = v->steps.all;
    if (!all || all->warm_up == 0)
        return 0;
    const int64_t first = az_verdict_ns(v, all->v[0].length), more = az_verdict_ns(v, all->warm_up);
    const int64_t period = az_step_period(all, 0);
    char a[AZ_HUMAN_MAX], b[AZ_HUMAN_MAX], c[AZ_HUMAN_MAX];
    az_human_time(first, a);
    az_human_time(first - more, b);
    az_human_time(az_verdict_ns(v, period), c);
    const struct az_sv detail =
        period == all->v[0].length
            ? az_arena_printf(v->job->arena, " begins %s before the next, the others are %s apart",
                              a, b)
        : period < 0
            ? az_arena_printf(v->job->arena, " takes %s, the median of the others is %s", a, b)
            : az_arena_printf(v->job->arena,
                              " takes %s by its mark (device: %s), the median of the others is %s",
                              a, c, b);
    const struct az_verdict_found f = { .subject = az_arena_printf(v->job->arena, "%.*s",
                                                                   AZ_SVF(all->v[0].name)),
                                        .detail = detail,
                                        .count = 1,
                                        .ns = first,
                                        .gain = more,
                                        .outside_scope = true };
    return az_verdict_add(v, "warm_up", &f);
}

static int ascending(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* The time that the scope loses to a step: where work is linked, up to the first device event of
 * the next one, of the last one unknown (-1). The mark of a host that runs ahead lasts as long as
 * the step before it, so that lengths by marks count the time of a slow step twice. */
static int64_t time_in_scope(const struct az_steps *all, size_t i)
{
    const int64_t period = all->linked ? az_step_period(all, i) : -1;
    return period >= 0 || (all->linked && i + 1 == all->n) ? period : all->v[i].length;
}

/* Known times of the *n steps that are not excluded, sorted, in the arena of the job. */
static int64_t *times(struct az_verdict *v, size_t *n, int *rc)
{
    const struct az_steps *all = v->steps.all;
    int64_t *x = az_arena_array(v->job->arena, all->n + 1, sizeof *x);
    *n = 0;
    *rc = x ? 0 : az_arena_error(v->job->arena);
    for (size_t i = all->excluded; x && i < all->n; i++) {
        const int64_t time = time_in_scope(all, i);
        if (time >= 0)
            x[(*n)++] = time;
    }
    if (x)
        az_sort_cmp(x, *n, sizeof *x, ascending, NULL, v->job->mem);
    return x;
}

int az_verdict_find_jitter(struct az_verdict *v)
{
    int rc;
    size_t n;
    if (v->steps.n < LEAST || !v->steps.all->in_loop ||
        v->drop) /* steps that get slower are uneven by that */
        return 0;
    const int64_t *x = times(v, &n, &rc);
    if (rc || n < LEAST)
        return rc;
    const int64_t median = n % 2 ? x[n / 2] : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2,
                  fast = x[n / 10];
    const int64_t quartiles = x[3 * n / 4] - x[n / 4];
    const double spread = (double)quartiles / 1.349 / (double)median;
    if (median <= 0 || spread < JITTER)
        return 0;
    char lo[AZ_HUMAN_MAX], hi[AZ_HUMAN_MAX];
    az_human_time(az_verdict_ns(v, fast), lo);
    az_human_time(az_verdict_ns(v, x[n - 1 - n / 10]), hi);
    const struct az_verdict_found f = {
        .subject = AZ_SV(""),
        .detail = az_arena_printf(v->job->arena, "10%% below %s, 10%% above %s", lo, hi),
        .count = (int64_t)v->steps.n,
        .ns = az_verdict_ns(v, median) * (int64_t)v->steps.n,
        .gain = az_verdict_ns(v, median - fast) * (int64_t)v->steps.n
    };
    return az_verdict_add(v, "step_jitter", &f);
}
