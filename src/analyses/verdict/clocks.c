/* clock_drop by sampled counters (docs/verdict.md 3.6): the device ran below the clock that it had
 * before, while it had work. */
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/interval.h"

#define BELOW 0.9  /* of the highest clock: a drop */
#define LEAST 0.03 /* of the busy time that it must cost */

/* Of the units that compute: "SM Clock (MHz)", "GPC Clock Frequency [MHz]". */
static bool is_clock(struct az_sv name)
{
    return az_sv_ifind(name, AZ_SV("clock")) >= 0 &&
           (az_sv_starts(name, AZ_SV("SM ")) || az_sv_starts(name, AZ_SV("GPC ")) ||
            az_sv_starts(name, AZ_SV("Graphics ")));
}

static int busy_of(const struct az_verdict *v, int64_t device, struct az_spans *out)
{
    const struct az_events *e = &v->t->ev[AZ_KERNEL];
    int rc = 0;
    az_vec_reset(out);
    for (size_t i = 0; rc == 0 && i < e->n; i++) /* by start */
        if (device < 0 || v->t->lanes.v[e->lane[i]].device == device)
            rc = az_vec_push(out, ((struct az_span){ e->start[i], e->end[i] }));
    az_spans_union(out);
    return rc;
}

struct drop {
    int64_t busy, below; /* ticks that samples cover; of these at a lower clock */
    double top, area,
        lost; /* highest clock while busy; clock by time; ticks that the rest would save */
    int64_t count;
};

/* Samples one by one, each with the busy time of its period. */
static void follow(const struct az_samples *s, const struct az_sampled *c,
                   const struct az_spans *busy, struct drop *d, bool measure)
{
    const struct az_sample *v = s->rows.v + c->first;
    size_t k = 0;
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        int64_t held = 0;
        while (k < busy->n && busy->v[k].end <= v[i].at)
            k++;
        for (size_t j = k; j < busy->n && busy->v[j].start < v[i + 1].at; j++) {
            const int64_t lo = busy->v[j].start > v[i].at ? busy->v[j].start : v[i].at,
                          hi = busy->v[j].end < v[i + 1].at ? busy->v[j].end : v[i + 1].at;
            held += hi > lo ? hi - lo : 0;
        }
        if (held == 0)
            continue;
        if (!measure) {
            d->top = v[i].value > d->top ? v[i].value : d->top;
            d->busy += held;
            d->area += v[i].value * (double)held;
        } else if (v[i].value < BELOW * d->top) {
            d->below += held;
            d->lost += (double)held * (1 - v[i].value / d->top);
            d->count++;
        }
    }
}

static int emit_finding(struct az_verdict *v, const struct az_sampled *c, const struct drop *d)
{
    const struct az_sv name = az_trace_text(v->t, c->name);
    if (d->top <= 0 || d->lost <= LEAST * (double)d->busy)
        return 0;
    const struct az_verdict_found f = {
        .subject = c->device < 0 ? AZ_SV("during kernels")
                                 : az_arena_printf(v->job->arena, "device %lld during kernels",
                                                   (long long)c->device),
        .detail = az_arena_printf(v->job->arena, ", mean %.0f of %.0f (%.*s)",
                                  d->area / (double)d->busy, d->top, AZ_SVF(name)),
        .row = name,
        .count = d->count,
        .ns = az_verdict_ns(v, d->below),
        .gain = az_verdict_ns(v, llround(d->lost))
    };
    return az_verdict_add(v, "clock_samples", &f);
}

int az_verdict_find_clock_samples(struct az_verdict *v)
{
    const struct az_samples *s = &v->t->samples;
    struct az_spans busy;
    int rc = 0;
    if (v->drop) /* the kernels show it */
        return 0;
    az_vec_init(&busy, v->job->mem);
    for (size_t i = 0; rc == 0 && i < s->counters.n; i++) {
        const struct az_sampled *c = &s->counters.v[i];
        struct drop d = { 0 };
        if (c->n < 2 || !is_clock(az_trace_text(v->t, c->name)))
            continue;
        rc = busy_of(v, c->device, &busy);
        follow(s, c, &busy, &d, false);
        follow(s, c, &busy, &d, true);
        if (rc == 0)
            rc = emit_finding(v, c, &d);
    }
    az_vec_release(&busy);
    return rc;
}
