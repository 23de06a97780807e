/* Sums by name: counting sort of events by name, then exact figures per group. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "facts/groups.h"
#include "facts/shared_internal.h"

struct summer {
    struct az_job *job;
    enum az_sum_of what;
    const enum az_kind *kinds;
    size_t n_kinds, n; /* events */
    uint32_t *of;      /* event -> group, in the order of traces and kinds; AZ_NO_ID: in none */
    int64_t *value;    /* of each event; made when `of` is gone */
};

static int64_t bytes_of(const struct az_trace *t, const struct az_events *ev, size_t i)
{
    const uint32_t side = ev->side ? ev->side[i] : AZ_NO_ROW;
    return side == AZ_NO_ROW ? -1 : t->copies.v[side].bytes;
}

static uint32_t group_of(const struct summer *s, size_t trace, const struct az_events *ev, size_t i)
{
    const uint32_t number = az_job_name(s->job, trace, ev->name[i]);
    if (number == AZ_NO_ID ||
        (s->what == AZ_SUM_BYTES && bytes_of(s->job->traces[trace], ev, i) < 0))
        return AZ_NO_ID;
    if (s->what != AZ_SUM_STYLE)
        return number;
    const struct az_range *r = az_range_side(s->job->traces[trace], i);
    return number * 2 + (r && r->style == 1);
}

static void each_event(struct summer *s)
{
    size_t at = 0;
    for (size_t t = 0; t < s->job->n_traces; t++)
        for (size_t k = 0; k < s->n_kinds; k++) {
            const struct az_events *ev = &s->job->traces[t]->ev[s->kinds[k]];
            for (size_t i = 0; i < ev->n; i++, at++) {
                if (!s->value)
                    s->of[at] = group_of(s, t, ev, i);
                else
                    s->value[at] = s->what == AZ_SUM_BYTES ? bytes_of(s->job->traces[t], ev, i)
                                                           : ev->end[i] - ev->start[i];
            }
        }
}

/* Of the first trace that has such events; *n: events of all. */
static int64_t ticks_of(const struct summer *s, size_t *n)
{
    int64_t ticks = 1;
    *n = 0;
    for (size_t t = 0; t < s->job->n_traces; t++)
        for (size_t k = 0; k < s->n_kinds; k++) {
            const size_t events = s->job->traces[t]->ev[s->kinds[k]].n;
            ticks = events && *n == 0 ? s->job->traces[t]->ticks_per_ns : ticks;
            *n += events;
        }
    return s->what == AZ_SUM_BYTES ? 1 : ticks;
}

static void figures(struct az_name_sum *row, int64_t *v, size_t n, int64_t per_unit)
{
    struct az_stats st;
    double d = per_unit > 1 ? (double)per_unit : 1.0;
    az_stats_i64(v, n, &st);
    row->count = (int64_t)n;
    row->total = per_unit > 1 ? az_add_sat(st.sum, per_unit / 2) / per_unit : st.sum;
    row->raw = (double)row->total;
    row->avg = st.mean / d;
    row->med = st.median / d;
    row->min = (double)st.min / d;
    row->max = (double)st.max / d;
    row->std = n > 1 ? st.std / d : 0.0; /* of one instance: 0, as the reference figures have it */
    row->p95 = az_percentile_i64(v, n, 95) / d;
    row->p99 = az_percentile_i64(v, n, 99) / d;
}

struct by_total {
    struct az_job *job;
};

static int compare_sums(const void *pa, const void *pb, void *ctx)
{
    const struct az_name_sum *a = pa, *b = pb;
    struct by_total *c = ctx;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    int names = az_sv_cmp(az_job_text(c->job, a->name), az_job_text(c->job, b->name));
    return names != 0 ? names : (int)a->style - (int)b->style;
}

static int rows(struct summer *s, struct az_groups *g, int64_t per_unit, struct az_name_sums *out)
{
    const size_t styles = s->what == AZ_SUM_STYLE ? 2 : 1;
    size_t used = 0, n = 0;
    for (size_t k = 0; k < g->groups; k++)
        used += g->first[k + 1] > g->first[k];
    struct az_name_sum *row = az_arena_array(s->job->arena, used, sizeof *row);
    if (!row)
        return az_arena_error(s->job->arena);
    for (size_t k = 0; k < g->groups; k++) {
        const size_t events = az_groups_take(g, k, s->value);
        if (events == 0)
            continue;
        row[n].name = (uint32_t)(k / styles);
        row[n].style = (unsigned)(k % styles);
        figures(&row[n++], g->value, events, per_unit);
    }
    *out = (struct az_name_sums){ .v = row, .n = n, .exact = per_unit <= 1 };
    return az_sort_cmp(row, n, sizeof *row, compare_sums, &(struct by_total){ s->job },
                       s->job->mem);
}

int az_job_sum(struct az_job *job, const enum az_kind *kinds, size_t n_kinds, enum az_sum_of what,
               struct az_name_sums *out)
{
    struct summer s = { .job = job, .what = what, .kinds = kinds, .n_kinds = n_kinds };
    struct az_groups g = { 0 };
    const size_t groups = az_job_names(job) * (what == AZ_SUM_STYLE ? 2 : 1);
    const int64_t per_unit = ticks_of(&s, &s.n);
    *out = (struct az_name_sums){ 0 };
    if (!az_shared_of(job))
        return az_arena_error(job->arena);
    if (s.n >= UINT32_MAX)
        return AZ_ERANGE;
    s.of = az_mem_alloc(job->mem, (s.n + 1) * sizeof *s.of);
    if (!s.of)
        return az_mem_error(job->mem);
    each_event(&s);
    int rc = az_groups_make(&g, s.of, s.n, groups, job->mem);
    az_mem_free(job->mem, s.of, (s.n + 1) * sizeof *s.of);
    s.value = rc == 0 ? az_mem_alloc(job->mem, (s.n + 1) * sizeof *s.value) : NULL;
    if (s.value) {
        each_event(&s);
        rc = rows(&s, &g, per_unit, out);
        az_mem_free(job->mem, s.value, (s.n + 1) * sizeof *s.value);
    } else if (rc == 0) {
        rc = az_mem_error(job->mem);
    }
    az_groups_release(&g);
    return rc;
}

/* ---- rows that came summed ---- */
enum given { KERNEL_TIMES, MEMORY_TIMES, MEMORY_SIZES };

static const struct az_sums *sums_of(const struct az_trace *t, enum given what)
{
    return what == KERNEL_TIMES   ? &t->kernel_sums
           : what == MEMORY_TIMES ? &t->mem_sums
                                  : &t->mem_sizes;
}

static int given_sums(struct az_job *job, enum given what, struct az_name_sums *out)
{
    size_t n = 0;
    for (size_t k = 0; k < job->n_traces; k++)
        n += sums_of(job->traces[k], what)->n;
    struct az_name_sum *row = az_arena_array(job->arena, n, sizeof *row);
    *out = (struct az_name_sums){ .v = row };
    if (!row)
        return az_arena_error(job->arena);
    for (size_t k = 0; k < job->n_traces; k++) {
        const struct az_sums *from = sums_of(job->traces[k], what);
        for (size_t i = 0; i < from->n; i++) {
            const struct az_sum *f = &from->v[i];
            row[out->n++] = (struct az_name_sum){ .name = az_job_name(job, k, f->name),
                                                  .count = f->count,
                                                  .total = f->total_ns,
                                                  .raw = f->total,
                                                  .avg = f->avg,
                                                  .med = f->med,
                                                  .min = f->min,
                                                  .max = f->max,
                                                  .std = f->std,
                                                  .p95 = NAN,
                                                  .p99 = NAN };
        }
    }
    return 0;
}

static int sums(struct az_job *job, enum given what, const enum az_kind *kinds, size_t n_kinds,
                struct az_name_sums **slot, struct az_name_sums *out)
{
    bool summed = false;
    int rc = 0;
    for (size_t k = 0; k < job->n_traces; k++)
        summed = summed || sums_of(job->traces[k], what)->n > 0;
    if (!*slot) {
        struct az_name_sums *made = az_arena_alloc(job->arena, sizeof *made);
        if (!made)
            return az_arena_error(job->arena);
        rc = summed ? given_sums(job, what, made)
                    : az_job_sum(job, kinds, n_kinds, AZ_SUM_DURATION, made);
        if (rc == 0)
            *slot = made;
    }
    if (rc == 0)
        *out = **slot;
    return rc;
}

int az_job_kernels(struct az_job *job, struct az_name_sums *out)
{
    static const enum az_kind kinds[] = { AZ_KERNEL };
    static const char what;
    struct az_shared *s = az_shared_of(job);
    void **slot = az_job_slot(job, &what);
    const int rc =
        s ? sums(job, KERNEL_TIMES, kinds, 1, &s->kernels, out) : az_arena_error(job->arena);
    az_job_leave(job, slot);
    return rc;
}

int az_job_memops(struct az_job *job, struct az_name_sums *out)
{
    static const enum az_kind kinds[] = { AZ_MEMCPY, AZ_MEMSET };
    static const char what;
    struct az_shared *s = az_shared_of(job);
    void **slot = az_job_slot(job, &what);
    const int rc =
        s ? sums(job, MEMORY_TIMES, kinds, 2, &s->memops, out) : az_arena_error(job->arena);
    az_job_leave(job, slot);
    return rc;
}

int az_job_given_sizes(struct az_job *job, struct az_name_sums *out)
{
    return given_sums(job, MEMORY_SIZES, out);
}
