/* Samples of counters: added in any order, sorted when the trace is sealed. */
#include "model/samples.h"
#include "base/sort.h"
#include "model/trace.h"

void az_samples_init(struct az_samples *s, struct az_mem *mem)
{
    az_vec_init(&s->counters, mem);
    az_vec_init(&s->rows, mem);
    s->counter_of = (struct az_map){ .mem = mem };
}

void az_samples_release(struct az_samples *s)
{
    az_vec_release(&s->counters);
    az_vec_release(&s->rows);
    az_map_release(&s->counter_of);
}

static int counter_of(struct az_samples *s, uint32_t name, int64_t device, uint32_t *counter)
{
    uint32_t *at;
    bool added;
    if (!s->counter_of.cell)
        az_map_init(&s->counter_of, s->rows.mem, 0);
    int rc = az_vec_reserve(&s->counters, 1);
    if (rc == 0)
        rc = az_map_put(&s->counter_of, name, (uint64_t)device, (uint32_t)s->counters.n, &at,
                        &added);
    if (rc)
        return rc;
    *counter = *at;
    if (added)
        s->counters.v[s->counters.n++] = (struct az_sampled){ .name = name, .device = device };
    return 0;
}

int az_trace_sample(struct az_trace *t, uint32_t name, int64_t device, int64_t at, double value)
{
    struct az_sample x = { .at = at, .value = value };
    if (!isfinite(value) || at > AZ_TIME_MAX || at < -AZ_TIME_MAX) {
        az_trace_dropped(t, AZ_DROP_LOST,
                         "samples of counters without a value or with a time out of range", 1, 0);
        return 0;
    }
    if (t->samples.rows.n >= AZ_NO_ROW - 1)
        return AZ_ERANGE;
    const int rc = counter_of(&t->samples, name, device, &x.counter);
    if (rc)
        return rc;
    t->kept++;
    return az_vec_push(&t->samples.rows, x);
}

static bool sorted(const struct az_samples *s)
{
    for (size_t i = 1; i < s->rows.n; i++) {
        const struct az_sample *a = &s->rows.v[i - 1], *b = &s->rows.v[i];
        if (a->counter > b->counter || (a->counter == b->counter && a->at > b->at))
            return false;
    }
    return true;
}

static int sort_samples(struct az_samples *s, struct az_mem *mem)
{
    const size_t n = s->rows.n;
    int64_t *key = az_mem_alloc(mem, n * sizeof *key);
    uint32_t *perm = az_mem_alloc(mem, n * sizeof *perm);
    struct az_sample *to = az_mem_alloc(mem, n * sizeof *to);
    int rc = key && perm && to ? 0 : az_mem_error(mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        key[i] = s->rows.v[i].at;
    if (rc == 0)
        az_sort_order(key, n, perm, mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        key[i] = s->rows.v[i].counter;
    if (rc == 0)
        az_sort_by(key, perm, n, mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        to[i] = s->rows.v[perm[i]];
    if (rc == 0)
        memcpy(s->rows.v, to, n * sizeof *to);
    az_mem_free(mem, key, n * sizeof *key);
    az_mem_free(mem, perm, n * sizeof *perm);
    az_mem_free(mem, to, n * sizeof *to);
    return rc;
}

int az_samples_seal(struct az_samples *s, struct az_mem *mem)
{
    az_map_release(&s->counter_of);
    if (s->rows.n == 0)
        return 0;
    az_vec_trim(&s->rows);
    const int rc = sorted(s) ? 0 : sort_samples(s, mem);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->rows.n; i++) {
        struct az_sampled *c = &s->counters.v[s->rows.v[i].counter];
        if (c->n++ == 0)
            c->first = (uint32_t)i;
    }
    return 0;
}

/* The sample that is valid at a time: the last one that begins by then, else the first of all. From
 * `near` on, if that is before, in steps that double, then by halves. */
static uint32_t holds_at(const struct az_sample *v, uint32_t n, int64_t at, uint32_t near)
{
    uint32_t lo = near < n && v[near].at <= at ? near : 0, hi = n;
    for (uint32_t step = 1; lo < n - 1 && step < n - lo; step *= 2) {
        if (v[lo + step].at > at) {
            hi = lo + step;
            break;
        }
        lo += step;
    }
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (v[mid].at <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : 0;
}

static inline void add_value(struct az_sample_sum *sum, double value, int64_t ticks)
{
    sum->area += value * (double)ticks;
    sum->ticks += ticks;
    sum->least = sum->least <= value ? sum->least : value;
    sum->most = sum->most >= value ? sum->most : value;
}

void az_sample_add(const struct az_samples *s, uint32_t counter, int64_t from, int64_t to,
                   uint32_t *near, struct az_sample_sum *sum)
{
    const struct az_sampled *c = &s->counters.v[counter];
    const struct az_sample *v = s->rows.v + c->first;
    if (c->n == 0)
        return;
    if (*near + 1 >= c->n || v[*near].at > from || v[*near + 1].at <= from)
        *near = holds_at(v, c->n, from, *near);
    if (*near + 1 < c->n && v[*near].at <= from && v[*near + 1].at > to && to > from) {
        add_value(sum, v[*near].value, to - from); /* one sample is valid all the time */
        return;
    }
    for (uint32_t i = *near; i < c->n && v[i].at <= to; i++) {
        const bool last = i + 1 == c->n;
        const int64_t end = last ? v[i].at : v[i + 1].at, lo = v[i].at > from ? v[i].at : from,
                      hi = end < to ? end : to;
        /* One replaced by another at the same time was never valid, nor was one that ended before;
         * the end of a window that has a length is not part of it. */
        if (hi < lo || (!last && end <= lo) || (lo == to && to > from))
            continue;
        add_value(sum, v[i].value, hi - lo);
    }
}
