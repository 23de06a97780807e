/* Steps as the rules need them, and the rules about whole steps. */
#include "facts/steps.h"
#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/sort.h"

#define WARM   1.5  /* times the median step: it warms up */
#define JITTER 0.10 /* robust spread of steps from which they are uneven */
#define LEAST  5    /* steps for a spread */

/* What is asked for mostly follows what was asked for before. */
static bool still_in(const struct az_vd_steps *s, int64_t tick)
{
    return s->at > 0 && s->v[s->at - 1].start <= tick && tick < s->v[s->at - 1].end &&
           (s->at == s->n || s->v[s->at].start > tick);
}

ptrdiff_t az_vd_step_at(struct az_vd *v, int64_t tick)
{
    size_t lo = 0, hi = v->steps.n;
    if (still_in(&v->steps, tick))
        return (ptrdiff_t)v->steps.at - 1;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (v->steps.v[mid].start <= tick)
            lo = mid + 1;
        else
            hi = mid;
    }
    v->steps.at = lo;
    return lo > 0 && tick < v->steps.v[lo - 1].end ? (ptrdiff_t)lo - 1 : -1;
}

static int ascending(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* Lengths from step `from` on, sorted, in the arena of the job. */
static int64_t *lengths(struct az_vd *v, size_t from, int *rc)
{
    int64_t *x = az_arena_array(v->job->arena, v->steps.n + 1, sizeof *x);
    *rc = x ? 0 : az_arena_error(v->job->arena);
    for (size_t i = from; x && i < v->steps.n; i++)
        x[i - from] = v->steps.v[i].end - v->steps.v[i].start;
    if (x && from < v->steps.n)
        *rc = az_sort_cmp(x, v->steps.n - from, sizeof *x, ascending, NULL, v->job->mem);
    return x;
}

int az_vd_steps_make(struct az_vd *v)
{
    int rc;
    const struct az_steps *all = az_job_steps(v->job, v->trace, &rc);
    if (!all || all->n == 0)
        return rc;
    struct az_span *s = az_arena_array(v->job->arena, all->n, sizeof *s);
    if (!s)
        return az_arena_error(v->job->arena);
    for (size_t i = 0; i < all->n; i++)
        s[i] = (struct az_span){ all->v[i].start, all->v[i].end };
    v->steps.v = s;
    v->steps.n = all->n;
    v->steps.how = az_sv_str(az_step_how_text(all->how));
    const size_t from = v->steps.n > 2; /* the first is judged by the others */
    const int64_t *x = lengths(v, from, &rc);
    if (rc)
        return rc;
    const size_t n = v->steps.n - from;
    v->steps.median = x[n / 2];
    v->steps.fastest = x[n / 10];
    v->steps.warm_up = from && (double)(s[0].end - s[0].start) > WARM * (double)v->steps.median;
    return 0;
}

int az_vd_find_warm_up(struct az_vd *v)
{
    if (!v->steps.warm_up)
        return 0;
    const int64_t first = az_vd_ns(v, v->steps.v[0].end - v->steps.v[0].start),
                  median = az_vd_ns(v, v->steps.median);
    char a[AZ_HUMAN_MAX], b[AZ_HUMAN_MAX];
    az_human_time(first, a);
    az_human_time(median, b);
    const struct az_vd_found f = { .subject = AZ_SV("the first step is longer than the others"),
                                   .detail =
                                       az_arena_printf(v->job->arena, ": %s, median %s", a, b),
                                   .count = 1,
                                   .ns = first,
                                   .gain = first - median };
    return az_vd_add(v, "warm_up", &f);
}

int az_vd_find_jitter(struct az_vd *v)
{
    int rc;
    const size_t from = v->steps.warm_up, n = v->steps.n - from;
    if (n < LEAST || v->drop) /* steps that get slower are uneven by that */
        return 0;
    const int64_t *x = lengths(v, from, &rc);
    if (rc)
        return rc;
    const int64_t median = x[n / 2], fast = x[n / 10];
    const int64_t quartiles = x[3 * n / 4] - x[n / 4];
    const double spread = (double)quartiles / 1.349 / (double)median;
    if (median <= 0 || spread < JITTER)
        return 0;
    char lo[AZ_HUMAN_MAX], hi[AZ_HUMAN_MAX];
    az_human_time(az_vd_ns(v, fast), lo);
    az_human_time(az_vd_ns(v, x[n - 1 - n / 10]), hi);
    const struct az_vd_found f = {
        .subject = AZ_SV("steps are uneven"),
        .detail = az_arena_printf(v->job->arena, ": 10 %% are below %s, 10 %% above %s", lo, hi),
        .count = (int64_t)n,
        .ns = az_vd_ns(v, median) * (int64_t)n,
        .gain = az_vd_ns(v, median - fast) * (int64_t)n
    };
    return az_vd_add(v, "step_jitter", &f);
}
