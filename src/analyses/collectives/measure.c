/* Metrics of one collective: latency, skews, waits, bandwidth, overlap with other kernels.
 * docs/formulas-collectives.md 3 and 5. */
#include "analyses/collectives/clock.h"
#include "analyses/collectives/collectives.h"
#include "base/sort.h"

#include <math.h>

/* From its file's time to the common clock; start and end of an event are shifted by the same
 * amount. */
static int64_t shift_of(const struct az_coll_run *c, uint32_t g)
{
    const int64_t shift = c->shift[c->rank[g]];
    const struct az_coll_track *k = c->clock[c->rank[g]].track;
    return k ? shift - az_coll_ahead(k, az_coll_file_end(c, g) + shift) : shift;
}

int64_t az_coll_start(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_file_start(c, g) + shift_of(c, g);
}

int64_t az_coll_end(const struct az_coll_run *c, uint32_t g)
{
    return az_coll_file_end(c, g) + shift_of(c, g);
}

static int64_t duration(const struct az_coll_run *c, uint32_t g) { return az_coll_length(c, g); }

int64_t az_coll_wait_clock(const struct az_coll_run *c, const struct az_coll_coll *x, uint32_t g)
{
    return x->earliest + x->skew_start - az_coll_start(c, g);
}

int64_t az_coll_wait_duration(const struct az_coll_run *c, const struct az_coll_coll *x, uint32_t g)
{
    return duration(c, g) - x->latency;
}

/* Of the members of one collective: what is in parts of as many ranks is read once. */
struct members {
    int64_t *start, *length;
};

static void times(const struct az_coll_run *c, struct az_coll_coll *x, const struct members *m)
{
    int64_t s0 = INT64_MAX, s1 = INT64_MIN, e0 = INT64_MAX, e1 = INT64_MIN;
    x->latency = INT64_MAX;
    x->longest = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t g = az_coll_member(c, x, i);
        const int64_t d = duration(c, g), s = az_coll_start(c, g), e = s + d;
        m->start[i] = s;
        m->length[i] = d;
        s0 = s < s0 ? s : s0;
        s1 = s > s1 ? s : s1;
        e0 = e < e0 ? e : e0;
        e1 = e > e1 ? e : e1;
        x->latency = d < x->latency ? d : x->latency;
        x->longest = d > x->longest ? d : x->longest;
    }
    x->earliest = s0;
    x->skew_start = s1 - s0;
    x->skew_end = e1 - e0;
    x->wall = e1 - s0;
}

/* Last: least wait, lowest rank of several. First: greatest wait, highest rank of several. */
static void arrivals(const struct az_coll_run *c, struct az_coll_coll *x, const struct members *m)
{
    const bool by_duration = c->groups.v[x->group].by_duration;
    int64_t least = INT64_MAX, second = INT64_MAX, most = INT64_MIN;
    x->clock_sum = x->duration_sum = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const int64_t clock = x->earliest + x->skew_start - m->start[i],
                      longer = m->length[i] - x->latency, w = by_duration ? longer : clock;
        x->clock_sum = az_add_sat(x->clock_sum, clock);
        x->duration_sum = az_add_sat(x->duration_sum, longer);
        if (w < least) {
            second = least;
            least = w;
            x->last = i;
        } else if (w < second) {
            second = w;
        }
        if (w >= most) {
            most = w;
            x->first_in = i;
        }
    }
    x->delay = x->n > 1 ? second - least : 0;
    x->wait_sum = by_duration ? x->duration_sum : x->clock_sum;
}

/* What most members of a synchronizing collective wait; uses up their lengths. */
static void usual_wait(struct az_coll_coll *x, const struct members *m)
{
    int64_t mid[2];
    x->usual = NAN;
    if (!(x->flags & AZ_COLL_SYNC))
        return;
    az_middle_i64(m->length, x->n, mid);
    const double low = (double)(mid[0] - x->latency), high = (double)(mid[1] - x->latency);
    x->usual = x->n == 2 ? high : (low + high) / 2;
}

static int64_t bytes_of(const struct az_coll_what *w, int64_t nelems)
{
    const int64_t size = az_coll_dtype_bytes(w->dtype);
    int64_t v;
    return size > 0 && nelems >= 0 && !__builtin_mul_overflow(size, nelems, &v) ? v : -1;
}

double az_coll_mb(const struct az_coll_what *w, int64_t nelems)
{
    const int64_t b = bytes_of(w, nelems);
    return b < 0 ? NAN : (double)b / (1024.0 * 1024.0);
}

int64_t az_coll_message(double bytes, int64_t count)
{
    double mean = count > 0 ? bytes / (double)count : 0, unit = 1;
    while (mean / unit >= 1000)
        unit *= 10;
    return mean > 0 ? llround(mean / unit) * (int64_t)unit : 0;
}

struct az_coll_spread az_coll_spread(double *v, size_t n)
{
    struct az_coll_spread s = { NAN, NAN, NAN, NAN, NAN };
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[known++] = v[i];
    if (known == 0)
        return s;
    s = (struct az_coll_spread){ az_mean_f64(v, known), NAN, v[0], v[0], az_std_f64(v, known, 1) };
    for (size_t i = 1; i < known; i++) {
        s.least = v[i] < s.least ? v[i] : s.least;
        s.most = v[i] > s.most ? v[i] : s.most;
    }
    s.median = az_percentile_f64(v, known, 50);
    return s;
}

/* Full message: what is gathered for an all-gather, else what goes in; of gather and scatter, which
 * only the root has whole, the larger one of any member. */
static int64_t full_bytes(const struct az_coll_run *c, const struct az_coll_coll *x)
{
    const struct az_coll_what *w = az_coll_what(c, az_coll_member(c, x, 0));
    int64_t most = -1, each;
    switch (x->kind) {
    case AZ_COLL_ALLGATHER:
        if (w->out < 0 && w->in >= 0 && !__builtin_mul_overflow(w->in, x->expected, &each))
            return bytes_of(w, each);
        return bytes_of(w, w->out);
    case AZ_COLL_GATHER:
    case AZ_COLL_SCATTER:
        for (uint32_t i = 0; i < x->n; i++) {
            const struct az_coll_what *m = az_coll_what(c, az_coll_member(c, x, i));
            const int64_t b = bytes_of(m, m->in > m->out ? m->in : m->out);
            most = b > most ? b : most;
        }
        return most;
    default:
        return bytes_of(w, w->in);
    }
}

/* After times(). Its kind is that of the first member. */
static void bandwidth(const struct az_coll_run *c, struct az_coll_coll *x)
{
    const struct az_coll_what *w = az_coll_what(c, az_coll_member(c, x, 0));
    const int64_t n = (x->flags & AZ_COLL_PAIR) ? 2 : w->size > 0 ? w->size : x->expected;
    const double factor = az_coll_factor(x->kind, n);
    x->bytes = full_bytes(c, x);
    x->gbps = x->bus_gbps = NAN;
    if (x->bytes < 0 || x->latency <= 0 || isnan(factor))
        return;
    x->gbps = (double)x->bytes / (double)x->latency; /* bytes a nanosecond */
    x->bus_gbps = x->gbps * factor;
}

static const struct az_coll_coll *coll_of(const struct az_coll_run *c, uint32_t g)
{
    return c->coll[g] == AZ_NO_ROW ? NULL : &c->colls.v[c->coll[g]];
}

/* wait: of the i-th event of a part in its collective. */
static inline struct az_coll_exposed exposed_of(const struct az_coll_part *p, size_t i,
                                                int64_t wait)
{
    const int64_t start = az_coll_part_start(p, i), d = az_coll_part_length(p, i);
    const int64_t all = start + (wait < 0 ? 0 : wait > d ? d : wait); /* the last one arrives */
    struct az_coll_exposed out = { .hidden = az_coll_part_compute(p, i, start, start + d) };
    const bool same = all == start + d || out.hidden == 0; /* what is hidden of it */
    out.wait = all - start - (same ? out.hidden : az_coll_part_compute(p, i, start, all));
    out.transfer = d - out.hidden - out.wait;
    return out;
}

struct az_coll_exposed az_coll_exposed(const struct az_coll_run *c, uint32_t g)
{
    const struct az_coll_coll *x = coll_of(c, g);
    return exposed_of(az_coll_part_of(c, g), az_coll_place(c, g), x ? az_coll_wait(c, x, g) : 0);
}

static void add_exposures(struct az_coll_exposures *to, const struct az_coll_exposures *x)
{
    to->n += x->n;
    to->time = az_add_sat(to->time, x->time);
    to->part.hidden = az_add_sat(to->part.hidden, x->part.hidden);
    to->part.wait = az_add_sat(to->part.wait, x->part.wait);
    to->part.transfer = az_add_sat(to->part.transfer, x->part.transfer);
}

/* One rank: its columns are read from top to bottom. */
static void expose_rank(struct az_coll_run *c, size_t r)
{
    const struct az_coll_part *p = c->part[r];
    struct az_coll_exposures by_kind[AZ_COLL_KINDS] = { { 0 } };
    int64_t *kinds = c->wait + r * AZ_COLL_KINDS;
    for (size_t i = 0; p && i < p->n; i++) {
        const uint32_t g = c->base[r] + (uint32_t)i;
        struct az_coll_coll *of = c->coll[g] == AZ_NO_ROW ? NULL : &c->colls.v[c->coll[g]];
        const int64_t wait = of ? az_coll_wait(c, of, g) : 0;
        const struct az_coll_exposed one = exposed_of(p, i, wait);
        const struct az_coll_exposures x = { 1, az_coll_part_length(p, i), one };
        add_exposures(&by_kind[p->what[az_coll_part_what(p, i)].kind], &x);
        if (!of)
            continue;
        of->hidden = az_add_sat(of->hidden, one.hidden);
        of->exposed_wait = az_add_sat(of->exposed_wait, one.wait);
        of->exposed_transfer = az_add_sat(of->exposed_transfer, one.transfer);
        if (of->flags & AZ_COLL_SYNC)
            c->sync_wait[r] = az_add_sat(c->sync_wait[r], wait);
        if (of->n > 1)
            kinds[of->kind] = az_add_sat(kinds[of->kind], wait);
    }
    for (size_t k = 0; k < AZ_COLL_KINDS; k++) {
        add_exposures(&c->exposed[r], &by_kind[k]);
        add_exposures(&c->exposed[c->ranks->n + k], &by_kind[k]);
        add_exposures(&c->exposed[c->ranks->n + AZ_COLL_KINDS], &by_kind[k]);
    }
}

static void swap_two(int64_t *v)
{
    const int64_t first = v[0];
    v[0] = v[1];
    v[1] = first;
}

/* Members of a pair, sender first so far, by rank as all others are. */
static void sort_pair(struct az_coll_run *c, struct az_coll_coll *x, const struct members *of)
{
    uint32_t *m = c->member.v + x->first;
    if (x->n != 2 || c->rank[m[0]] <= c->rank[m[1]])
        return;
    const uint32_t sender = m[0];
    m[0] = m[1];
    m[1] = sender;
    swap_two(of->start);
    swap_two(of->length);
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct az_coll_coll *x = a, *y = b;
    (void)ctx;
    if (x->earliest != y->earliest)
        return x->earliest < y->earliest ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int measure_each(struct az_coll_run *c)
{
    struct az_mem *mem = c->job->mem;
    size_t most = 2;
    for (size_t i = 0; i < c->colls.n; i++)
        most = c->colls.v[i].n > most ? c->colls.v[i].n : most;
    int64_t *room = az_mem_alloc(mem, 2 * most * sizeof *room);
    if (!room)
        return az_mem_error(mem);
    const struct members m = { room, room + most };
    for (size_t i = 0; i < c->colls.n; i++) {
        struct az_coll_coll *x = &c->colls.v[i];
        times(c, x, &m);
        bandwidth(c, x);
        sort_pair(c, x, &m);
        arrivals(c, x, &m);
        usual_wait(x, &m);
    }
    az_mem_free(mem, room, 2 * most * sizeof *room);
    return 0;
}

int az_colls_measure(struct az_coll_run *c)
{
    const size_t ranks = c->ranks->n;
    c->exposed = az_arena_array(c->arena, ranks + AZ_COLL_KINDS + 1, sizeof *c->exposed);
    c->wait = az_arena_array(c->arena, (ranks + 1) * AZ_COLL_KINDS, sizeof *c->wait);
    c->sync_wait = az_arena_array(c->arena, ranks + 1, sizeof *c->sync_wait);
    const int rc =
        c->exposed && c->wait && c->sync_wait ? measure_each(c) : az_arena_error(c->arena);
    if (rc)
        return rc;
    for (size_t r = 0; r < ranks; r++)
        expose_rank(c, r);
    az_sort_cmp(c->colls.v, c->colls.n, sizeof *c->colls.v, by_time, NULL, c->job->mem);
    for (uint32_t i = 0; i < c->colls.n; i++)
        for (uint32_t k = 0; k < c->colls.v[i].n; k++)
            c->coll[az_coll_member(c, &c->colls.v[i], k)] = i;
    return 0;
}
