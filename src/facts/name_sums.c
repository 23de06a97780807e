/* Sums by name: counting sort of values by name, then exact statistics per group. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "facts/lazy_cache_internal.h"
#include "stats/stats.h"

struct summer {
    struct az_job *job;
    enum az_sum_of what;
    const enum az_kind *kinds;
    size_t n_kinds, n; /* events */
    size_t groups;
    uint32_t *at;   /* group -> how many; then its next place among the values, by group */
    int64_t *value; /* NULL: they are counted */
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

static void other_values(struct summer *s, size_t trace, const struct az_events *ev)
{
    for (size_t i = 0; i < ev->n; i++) {
        const uint32_t group = group_of(s, trace, ev, i);
        if (group == AZ_NO_ID)
            continue;
        if (s->value)
            s->value[s->at[group]] = s->what == AZ_SUM_BYTES
                                         ? bytes_of(s->job->traces[trace], ev, i)
                                         : ev->end[i] - ev->start[i];
        s->at[group]++;
    }
}

/* The same of lengths by name, which nearly all are. */
static void lengths(struct summer *s, size_t trace, const struct az_events *ev)
{
    const uint32_t *number = az_shared_of(s->job)->trace[trace].number, *name = ev->name;
    const size_t ids = s->job->traces[trace]->names.text.n;
    uint32_t *at = s->at;
    for (size_t i = 0; i < ev->n; i++) {
        const uint32_t group = name[i] >= ids ? AZ_NO_ID : number ? number[name[i]] : name[i];
        if (group == AZ_NO_ID)
            continue;
        if (s->value)
            s->value[at[group]] = ev->end[i] - ev->start[i];
        at[group]++;
    }
}

static void each_event(struct summer *s)
{
    for (size_t t = 0; t < s->job->n_traces; t++)
        for (size_t k = 0; k < s->n_kinds; k++) {
            const struct az_events *ev = &s->job->traces[t]->ev[s->kinds[k]];
            if (s->what == AZ_SUM_BYTES || s->what == AZ_SUM_STYLE)
                other_values(s, t, ev);
            else
                lengths(s, t, ev);
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
    row->std = n > 1 ? st.std / d : 0.0; /* of one instance: 0, as the reference values have it */
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

static int make_rows(struct summer *s, size_t used, int64_t per_unit, struct az_name_sums *out)
{
    const size_t styles = s->what == AZ_SUM_STYLE ? 2 : 1;
    size_t from = 0, n = 0;
    struct az_name_sum *row = az_arena_array(s->job->arena, used, sizeof *row);
    if (!row)
        return az_arena_error(s->job->arena);
    for (size_t k = 0; k < s->groups; k++) {
        const size_t events = s->at[k] - from;
        if (events == 0)
            continue;
        row[n].name = (uint32_t)(k / styles);
        row[n].style = (unsigned)(k % styles);
        figures(&row[n++], s->value + from, events, per_unit);
        from = s->at[k];
    }
    *out = (struct az_name_sums){ .v = row, .n = n, .exact = per_unit <= 1 };
    az_sort_cmp(row, n, sizeof *row, compare_sums, &(struct by_total){ s->job }, s->job->mem);
    return 0;
}

/* Counts the events of each group, and puts the values in the order of the groups. */
static int gather(struct summer *s, size_t *used)
{
    uint32_t next = 0;
    memset(s->at, 0, s->groups * sizeof *s->at);
    each_event(s);
    for (size_t k = 0; k < s->groups; k++) {
        const uint32_t n = s->at[k];
        *used += n > 0;
        s->at[k] = next;
        next += n;
    }
    s->n = next;
    s->value = az_mem_alloc(s->job->mem, (s->n + 1) * sizeof *s->value);
    if (!s->value)
        return az_mem_error(s->job->mem);
    each_event(s);
    return 0;
}

int az_job_sum(struct az_job *job, const enum az_kind *kinds, size_t n_kinds, enum az_sum_of what,
               struct az_name_sums *out)
{
    struct summer s = { .job = job, .what = what, .kinds = kinds, .n_kinds = n_kinds };
    const int64_t per_unit = ticks_of(&s, &s.n);
    size_t used = 0;
    *out = (struct az_name_sums){ 0 };
    if (!az_shared_of(job))
        return az_arena_error(job->arena);
    if (s.n >= UINT32_MAX)
        return AZ_ERANGE;
    s.groups = az_job_names(job) * (what == AZ_SUM_STYLE ? 2 : 1);
    const size_t bytes = (s.groups + 1) * sizeof *s.at;
    s.at = az_mem_alloc(job->mem, bytes);
    if (!s.at)
        return az_mem_error(job->mem);
    int rc = gather(&s, &used);
    if (rc == 0)
        rc = make_rows(&s, used, per_unit, out);
    az_mem_free(job->mem, s.value, (s.n + 1) * sizeof *s.value);
    az_mem_free(job->mem, s.at, bytes);
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

static struct az_name_sum given_sum(const struct az_sum *f, uint32_t name)
{
    return (struct az_name_sum){ .name = name,
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

const struct az_name_sum *az_name_sum_at(const struct az_name_sums *s, size_t i,
                                         struct az_name_sum *room)
{
    if (s->v)
        return &s->v[i];
    *room = given_sum(&s->given[i], s->given[i].name); /* of one trace ids are numbers */
    return room;
}

static int given_sums(struct az_job *job, enum given what, struct az_name_sums *out)
{
    size_t n = 0;
    if (job->n_traces == 1) {
        const struct az_sums *only = sums_of(job->traces[0], what);
        *out = (struct az_name_sums){ .given = only->v, .n = only->n };
        return 0;
    }
    for (size_t k = 0; k < job->n_traces; k++)
        n += sums_of(job->traces[k], what)->n;
    struct az_name_sum *row = az_arena_array(job->arena, n, sizeof *row);
    *out = (struct az_name_sums){ .v = row };
    if (!row)
        return az_arena_error(job->arena);
    for (size_t k = 0; k < job->n_traces; k++) {
        const struct az_sums *from = sums_of(job->traces[k], what);
        for (size_t i = 0; i < from->n; i++)
            row[out->n++] = given_sum(&from->v[i], az_job_name(job, k, from->v[i].name));
    }
    return 0;
}

static int find_sums(struct az_job *job, enum given what, const enum az_kind *kinds, size_t n_kinds,
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
        s ? find_sums(job, KERNEL_TIMES, kinds, 1, &s->kernels, out) : az_arena_error(job->arena);
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
        s ? find_sums(job, MEMORY_TIMES, kinds, 2, &s->memops, out) : az_arena_error(job->arena);
    az_job_leave(job, slot);
    return rc;
}

int az_job_summed_sizes(struct az_job *job, struct az_name_sums *out)
{
    return given_sums(job, MEMORY_SIZES, out);
}
