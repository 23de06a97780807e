/* Sums by name: counting sort of events by name, then exact figures per group. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/stats.h"
#include "facts/shared_internal.h"

struct source { /* events of one kind in one trace */
    size_t trace;
    const struct az_events *ev;
    size_t base; /* place of its first event in the job's numbering */
};
AZ_VEC(struct source, sources);

struct summer {
    struct az_job *job;
    enum az_sum_of what;
    struct sources src;
    size_t n, groups, used, largest;
    uint32_t *first; /* group -> place in order; groups + 1 */
    uint32_t *order; /* events by group */
    size_t first_bytes, order_bytes;
};

static uint32_t group_of(const struct summer *s, const struct source *src, size_t i)
{
    uint32_t number = az_job_name(s->job, src->trace, src->ev->name[i]);
    if (number == AZ_NO_ID)
        return AZ_NO_ID;
    if (s->what == AZ_SUM_BYTES) {
        uint32_t side = src->ev->side ? src->ev->side[i] : AZ_NO_ROW;
        if (side == AZ_NO_ROW || s->job->traces[src->trace]->copies.v[side].bytes < 0)
            return AZ_NO_ID;
    }
    if (s->what == AZ_SUM_STYLE) {
        const struct az_range *r = az_range_side(s->job->traces[src->trace], i);
        return number * 2 + (r && r->style == 1);
    }
    return number;
}

static int64_t value_of(const struct summer *s, const struct source *src, size_t i)
{
    if (s->what == AZ_SUM_BYTES)
        return s->job->traces[src->trace]->copies.v[src->ev->side[i]].bytes;
    return src->ev->end[i] - src->ev->start[i];
}

static int gather_sources(struct summer *s, const enum az_kind *kinds, size_t n_kinds)
{
    for (size_t t = 0; t < s->job->n_traces; t++) {
        for (size_t k = 0; k < n_kinds; k++) {
            const struct az_events *ev = &s->job->traces[t]->ev[kinds[k]];
            int rc = ev->n ? az_vec_push(&s->src, ((struct source){ t, ev, s->n })) : 0;
            if (rc != 0)
                return rc;
            s->n += ev->n;
        }
    }
    return s->n < UINT32_MAX ? 0 : AZ_ERANGE;
}

static int bucket(struct summer *s)
{
    s->groups = az_job_names(s->job) * (s->what == AZ_SUM_STYLE ? 2 : 1);
    s->first_bytes = (s->groups + 2) * sizeof *s->first;
    s->order_bytes = (s->n + 1) * sizeof *s->order;
    s->first = az_mem_alloc(s->job->mem, s->first_bytes);
    s->order = az_mem_alloc(s->job->mem, s->order_bytes);
    if (!s->first || !s->order)
        return az_mem_error(s->job->mem);
    memset(s->first, 0, s->first_bytes);
    uint32_t *at =
        s->first + 1; /* one ahead, so that filling leaves first[g] at the group's start */
    for (size_t k = 0; k < s->src.n; k++) {
        for (size_t i = 0; i < s->src.v[k].ev->n; i++) {
            uint32_t g = group_of(s, &s->src.v[k], i);
            if (g != AZ_NO_ID)
                at[g + 1]++;
        }
    }
    for (size_t g = 0; g < s->groups; g++) {
        s->used += at[g + 1] > 0;
        if (at[g + 1] > s->largest)
            s->largest = at[g + 1];
        at[g + 1] += at[g];
    }
    for (size_t k = 0; k < s->src.n; k++) {
        for (size_t i = 0; i < s->src.v[k].ev->n; i++) {
            uint32_t g = group_of(s, &s->src.v[k], i);
            if (g != AZ_NO_ID)
                s->order[at[g]++] = (uint32_t)(s->src.v[k].base + i);
        }
    }
    return 0;
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

static int rows(struct summer *s, struct az_name_sums *out)
{
    size_t bytes = (s->largest + 1) * sizeof(int64_t), n = 0;
    int64_t *v = az_mem_alloc(s->job->mem, bytes);
    struct az_name_sum *row = az_arena_array(s->job->arena, s->used, sizeof *row);
    int64_t per_unit = s->what == AZ_SUM_BYTES || s->src.n == 0
                           ? 1
                           : s->job->traces[s->src.v[0].trace]->ticks_per_ns;
    int rc = !v ? az_mem_error(s->job->mem) : !row ? az_arena_error(s->job->arena) : 0;
    for (size_t g = 0; rc == 0 && g < s->groups; g++) {
        size_t k = 0, m = 0;
        for (uint32_t i = s->first[g]; i < s->first[g + 1]; i++, m++) {
            while (k + 1 < s->src.n && s->order[i] >= s->src.v[k + 1].base)
                k++; /* places rise within a group */
            v[m] = value_of(s, &s->src.v[k], s->order[i] - s->src.v[k].base);
        }
        if (m == 0)
            continue;
        row[n].name = (uint32_t)(s->what == AZ_SUM_STYLE ? g / 2 : g);
        row[n].style = s->what == AZ_SUM_STYLE ? g % 2 : 0;
        figures(&row[n++], v, m, per_unit);
    }
    if (rc == 0)
        rc = az_sort_cmp(row, n, sizeof *row, compare_sums, &(struct by_total){ s->job },
                         s->job->mem);
    *out = (struct az_name_sums){ .v = row, .n = rc == 0 ? n : 0, .exact = per_unit <= 1 };
    az_mem_free(s->job->mem, v, v ? bytes : 0);
    return rc;
}

int az_job_sum(struct az_job *job, const enum az_kind *kinds, size_t n_kinds, enum az_sum_of what,
               struct az_name_sums *out)
{
    struct summer s = { .job = job, .what = what };
    *out = (struct az_name_sums){ 0 };
    if (!az_shared_of(job))
        return az_arena_error(job->arena);
    az_vec_init(&s.src, job->mem);
    int rc = gather_sources(&s, kinds, n_kinds);
    if (rc == 0)
        rc = bucket(&s);
    if (rc == 0)
        rc = rows(&s, out);
    az_mem_free(job->mem, s.first, s.first ? s.first_bytes : 0);
    az_mem_free(job->mem, s.order, s.order ? s.order_bytes : 0);
    az_vec_release(&s.src);
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
    struct az_shared *s = az_shared_of(job);
    return s ? sums(job, KERNEL_TIMES, kinds, 1, &s->kernels, out) : az_arena_error(job->arena);
}

int az_job_memops(struct az_job *job, struct az_name_sums *out)
{
    static const enum az_kind kinds[] = { AZ_MEMCPY, AZ_MEMSET };
    struct az_shared *s = az_shared_of(job);
    return s ? sums(job, MEMORY_TIMES, kinds, 2, &s->memops, out) : az_arena_error(job->arena);
}

int az_job_given_sizes(struct az_job *job, struct az_name_sums *out)
{
    return given_sums(job, MEMORY_SIZES, out);
}
