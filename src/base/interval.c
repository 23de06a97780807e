/* Interval sets: sorting and sweeps. */
#include "base/interval.h"

#include "base/num.h"
#include "base/sort.h"

/* ---- sorting ---- */

enum { RADIX_BITS = 11, RADIX_SIZE = 1 << RADIX_BITS, RADIX_DIGITS = 6, SMALL = 256 };

static int by_start_end(const void *a, const void *b, void *ctx)
{
    const struct az_span *x = a, *y = b;
    (void)ctx;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool is_sorted(const struct az_span *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (by_start_end(&v[i - 1], &v[i], NULL) > 0)
            return false;
    }
    return true;
}

static inline uint64_t key_of(const struct az_span *s, bool by_end, int64_t base)
{
    return (uint64_t)(by_end ? s->end : s->start) - (uint64_t)base;
}

/* Moves n spans to their places in one stable pass over the digit at `shift`; place[d] = spans with
 * digit d. */
static void scatter(const struct az_span *from, struct az_span *to, size_t n, bool by_end,
                    int64_t base, unsigned shift, size_t place[RADIX_SIZE])
{
    for (size_t d = 0, at = 0; d < RADIX_SIZE; d++) {
        const size_t count = place[d];
        place[d] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++)
        to[place[(key_of(&from[i], by_end, base) >> shift) & (RADIX_SIZE - 1)]++] = from[i];
}

/* One stable LSD sort of v by start or end; tmp has n elements. All digits are counted in one pass;
 * those that all keys share are skipped. */
static void radix(struct az_span *v, struct az_span *tmp, size_t n, bool by_end)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const int64_t k = by_end ? v[i].end : v[i].start;
        lo = k < lo ? k : lo;
        hi = k > hi ? k : hi;
    }
    const uint64_t range = (uint64_t)hi - (uint64_t)lo;
    size_t count[RADIX_DIGITS][RADIX_SIZE];
    unsigned digits = 0;
    while (digits < RADIX_DIGITS && (range >> (digits * RADIX_BITS)) != 0)
        memset(count[digits++], 0, sizeof count[0]);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = key_of(&v[i], by_end, lo);
        for (unsigned d = 0; d < digits; d++)
            count[d][(key >> (d * RADIX_BITS)) & (RADIX_SIZE - 1)]++;
    }
    struct az_span *from = v, *to = tmp;
    for (unsigned d = 0; d < digits; d++) {
        const unsigned shift = d * RADIX_BITS;
        if (count[d][(key_of(&v[0], by_end, lo) >> shift) & (RADIX_SIZE - 1)] == n)
            continue;
        scatter(from, to, n, by_end, lo, shift, count[d]);
        struct az_span *swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
}

/* v is sorted by start: orders equal starts by end. Such runs are short in real traces; a long one
 * gets the radix. */
static void order_ends(struct az_span *v, struct az_span *tmp, size_t n)
{
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && v[j].start == v[i].start;)
            j++;
        if (j - i > 64) {
            radix(v + i, tmp, j - i, true);
            continue;
        }
        for (size_t k = i + 1; k < j; k++) {
            const struct az_span x = v[k];
            size_t at = k;
            for (; at > i && v[at - 1].end > x.end; at--)
                v[at] = v[at - 1];
            v[at] = x;
        }
    }
}

void az_spans_sort(struct az_spans *s)
{
    if (s->n < 2 || is_sorted(s->v, s->n))
        return;
    const size_t bytes = s->n * sizeof *s->v; /* no overflow: v has this size */
    struct az_span *tmp = s->n > SMALL ? az_mem_alloc(s->mem, bytes) : NULL;
    if (tmp == NULL) { /* without memory the other sort is done in place */
        az_sort_cmp(s->v, s->n, sizeof *s->v, by_start_end, NULL, s->mem);
        return;
    }
    radix(s->v, tmp, s->n, false);
    order_ends(s->v, tmp, s->n);
    az_mem_free(s->mem, tmp, bytes);
}

/* ---- sweeps ---- */

void az_spans_union(struct az_spans *s)
{
    if (s->n == 0)
        return;
    size_t last = 0;
    for (size_t i = 1; i < s->n; i++) {
        if (s->v[i].start <= s->v[last].end) {
            if (s->v[i].end > s->v[last].end)
                s->v[last].end = s->v[i].end;
        } else {
            s->v[++last] = s->v[i];
        }
    }
    s->n = last + 1;
}

static int64_t length(int64_t start, int64_t end)
{
    int64_t d;
    return __builtin_sub_overflow(end, start, &d) ? INT64_MAX : d;
}

int64_t az_spans_length(const struct az_spans *s)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum = az_add_sat(sum, length(s->v[i].start, s->v[i].end));
    return sum;
}

int az_spans_subtract(const struct az_spans *a, const struct az_spans *b, struct az_spans *out)
{
    az_vec_reset(out);
    size_t j = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct az_span x = a->v[i];
        int64_t at = x.start; /* what is left begins here */
        int err = 0;
        while (j < b->n && b->v[j].end <= x.start)
            j++;
        size_t k = j;
        for (; k < b->n && b->v[k].start < x.end; k++) {
            if (b->v[k].start == b->v[k].end)
                continue; /* an empty span removes nothing */
            if (b->v[k].start > at)
                err = az_vec_push(out, ((struct az_span){ at, b->v[k].start }));
            if (err)
                return err;
            at = b->v[k].end;
        }
        /* The last span of b may reach into the next span of a. */
        j = k > j ? k - 1 : j;
        if (at < x.end || (x.start == x.end && at == x.start))
            err = az_vec_push(out, ((struct az_span){ at, x.end }));
        if (err)
            return err;
    }
    return 0;
}

int az_spans_intersect(const struct az_spans *a, const struct az_spans *b, struct az_spans *out)
{
    az_vec_reset(out);
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        const int64_t lo = a->v[i].start > b->v[j].start ? a->v[i].start : b->v[j].start;
        const int64_t hi = a->v[i].end < b->v[j].end ? a->v[i].end : b->v[j].end;
        if (lo < hi) {
            int err = az_vec_push(out, ((struct az_span){ lo, hi }));
            if (err)
                return err;
        }
        if (a->v[i].end < b->v[j].end)
            i++;
        else
            j++;
    }
    return 0;
}

int az_spans_clip(const struct az_spans *a, int64_t lo, int64_t hi, struct az_spans *out)
{
    az_vec_reset(out);
    for (size_t i = 0; i < a->n && a->v[i].start <= hi; i++) {
        const struct az_span x = a->v[i];
        const struct az_span cut = { x.start > lo ? x.start : lo, x.end < hi ? x.end : hi };
        if (cut.start < cut.end || (x.start == x.end && cut.start == cut.end)) {
            int err = az_vec_push(out, cut);
            if (err)
                return err;
        }
    }
    return 0;
}

int64_t az_spans_overlap(const struct az_spans *a, const struct az_spans *b)
{
    int64_t sum = 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        const int64_t lo = a->v[i].start > b->v[j].start ? a->v[i].start : b->v[j].start;
        const int64_t hi = a->v[i].end < b->v[j].end ? a->v[i].end : b->v[j].end;
        if (lo < hi)
            sum = az_add_sat(sum, length(lo, hi));
        if (a->v[i].end < b->v[j].end)
            i++;
        else
            j++;
    }
    return sum;
}
