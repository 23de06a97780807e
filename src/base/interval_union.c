/* Lengths of the unions of many ranges of one list of spans, in n log n however they are
 * nested. The spans are laid on the timeline one after another, each over what was there, so that
 * every piece of the line has the last span that covers it. A range that ends with the span just
 * laid is as long as the pieces whose last span is not before its first one; a sum tree over the
 * spans adds them up. */
#include "base/interval.h"
#include "base/sort.h"

struct line {
    const int64_t *at;      /* places where a span begins or ends, in order, without repetition */
    size_t n;               /* places */
    uint32_t *owner;        /* piece -> last span that covers it + 1; 0: none */
    uint64_t *begins, *sum; /* where a piece begins; which words of that are not 0 */
    int64_t *tree;          /* spans -> lengths, as a sum tree from 1 on */
    size_t spans;
};

static void mark_begin(struct line *l, size_t i)
{
    l->begins[i / 64] |= (uint64_t)1 << i % 64;
    l->sum[i / 4096] |= (uint64_t)1 << i / 64 % 64;
}

static void unmark(struct line *l, size_t i)
{
    l->begins[i / 64] &= ~((uint64_t)1 << i % 64);
    if (l->begins[i / 64] == 0)
        l->sum[i / 4096] &= ~((uint64_t)1 << i / 64 % 64);
}

/* The last piece that begins at i or before; the first one begins at 0. */
static size_t piece_at(const struct line *l, size_t i)
{
    uint64_t w = l->begins[i / 64] << (63 - i % 64);
    if (w)
        return i - (size_t)__builtin_clzll(w);
    size_t word = i / 64, top = word / 64;
    w = word % 64 ? l->sum[top] << (64 - word % 64) : 0;
    if (w)
        word -= 1 + (size_t)__builtin_clzll(w);
    else {
        while (l->sum[--top] == 0)
            ;
        word = top * 64 + 63 - (size_t)__builtin_clzll(l->sum[top]);
    }
    return word * 64 + 63 - (size_t)__builtin_clzll(l->begins[word]);
}

/* Where the piece after the one at i begins; n - 1, the end of the line, always does. */
static size_t piece_after(const struct line *l, size_t i)
{
    i++;
    uint64_t w = l->begins[i / 64] >> i % 64;
    if (w)
        return i + (size_t)__builtin_ctzll(w);
    size_t word = i / 64 + 1, top = word / 64;
    w = l->sum[top] >> word % 64;
    if (w)
        word += (size_t)__builtin_ctzll(w);
    else {
        while (l->sum[++top] == 0)
            ;
        word = top * 64 + (size_t)__builtin_ctzll(l->sum[top]);
    }
    return word * 64 + (size_t)__builtin_ctzll(l->begins[word]);
}

static int64_t between(const struct line *l, size_t from, size_t to)
{
    return (int64_t)((uint64_t)l->at[to] - (uint64_t)l->at[from]);
}

static void add_length(struct line *l, uint32_t owner, int64_t length)
{
    for (size_t i = owner; i > 0 && i <= l->spans; i += i & (~i + 1))
        l->tree[i] = (int64_t)((uint64_t)l->tree[i] + (uint64_t)length);
}

/* Of all spans before the first `n`. */
static int64_t sum_before(const struct line *l, size_t n)
{
    uint64_t s = 0;
    for (; n > 0; n -= n & (~n + 1))
        s += (uint64_t)l->tree[n];
    return (int64_t)s;
}

static void split(struct line *l, size_t i)
{
    const size_t piece = piece_at(l, i);
    if (piece != i) {
        l->owner[i] = l->owner[piece];
        mark_begin(l, i);
    }
}

/* Lays a span, the `owner`-th from 1 on, over the pieces from a to b. */
static void lay_span(struct line *l, size_t a, size_t b, uint32_t owner)
{
    split(l, a);
    split(l, b);
    for (size_t i = a; i < b;) {
        const size_t next = piece_after(l, i);
        add_length(l, l->owner[i], -between(l, i, next));
        if (i > a)
            unmark(l, i);
        i = next;
    }
    l->owner[a] = owner;
    add_length(l, owner, between(l, a, b));
}

/* ---- the whole ---- */

struct room { /* scratch of one call */
    int64_t *time;
    uint32_t *order, *place; /* end of a span -> number of its place: starts first, then ends */
    uint32_t *first, *next;  /* end of a range -> ranges that end there, as lists */
    struct line line;
};

static int make_room(struct room *r, size_t n, size_t ranges, struct az_arena *a)
{
    r->time = az_arena_array(a, 2 * n + 1, sizeof *r->time);
    r->order = az_arena_array(a, 2 * n + 1, sizeof *r->order);
    r->place = az_arena_array(a, 2 * n + 1, sizeof *r->place);
    r->first = az_arena_array(a, n + 1, sizeof *r->first);
    r->next = az_arena_array(a, ranges + 1, sizeof *r->next);
    r->line.owner = az_arena_array(a, 2 * n + 1, sizeof *r->line.owner);
    r->line.begins = az_arena_array(a, 2 * n / 64 + 2, sizeof *r->line.begins);
    r->line.sum = az_arena_array(a, 2 * n / 4096 + 2, sizeof *r->line.sum);
    r->line.tree = az_arena_array(a, n + 1, sizeof *r->line.tree);
    return a->failed ? az_arena_error(a) : 0;
}

/* Numbers the places of all starts and ends in order; time[] is left with one value a place. */
static void number_places(struct room *r, const struct az_span *v, size_t n, struct az_mem *mem)
{
    size_t places = 0;
    for (size_t i = 0; i < n; i++) {
        r->time[i] = v[i].start;
        r->time[n + i] = v[i].end;
    }
    az_sort_order(r->time, 2 * n, r->order, mem);
    int64_t before = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        const uint32_t k = r->order[i];
        const int64_t t = k < n ? v[k].start : v[k - n].end;
        places += places == 0 || t != before;
        before = t;
        r->place[k] = (uint32_t)places - 1;
    }
    for (size_t k = 0; k < 2 * n; k++)
        r->time[r->place[k]] = k < n ? v[k].start : v[k - n].end;
    r->line.at = r->time;
    r->line.n = places;
    r->line.spans = n;
}

int az_spans_unions(const struct az_span *v, size_t n, const struct az_span_range *range,
                    size_t ranges, int64_t *out, struct az_mem *mem)
{
    struct az_arena a;
    struct room r;
    if (n >= UINT32_MAX / 2 || ranges >= UINT32_MAX)
        return AZ_ERANGE;
    az_arena_init(&a, mem);
    int rc = make_room(&r, n, ranges, &a);
    if (rc == 0 && n)
        number_places(&r, v, n, mem);
    for (size_t i = ranges; rc == 0 && i > 0; i--) { /* range i is number i: 0 ends a list */
        const struct az_span_range *q = &range[i - 1];
        out[i - 1] = 0;
        if (q->end <= q->first || q->end > n)
            continue;
        r.next[i] = r.first[q->end];
        r.first[q->end] = (uint32_t)i;
    }
    if (rc == 0 && n) {
        mark_begin(&r.line, 0);
        mark_begin(&r.line, r.line.n - 1);
    }
    for (size_t k = 0; rc == 0 && k < n; k++) {
        if (r.place[k] < r.place[n + k])
            lay_span(&r.line, r.place[k], r.place[n + k], (uint32_t)k + 1);
        for (uint32_t i = r.first[k + 1]; i; i = r.next[i])
            out[i - 1] = sum_before(&r.line, k + 1) - sum_before(&r.line, range[i - 1].first);
    }
    az_arena_release(&a);
    return rc;
}
