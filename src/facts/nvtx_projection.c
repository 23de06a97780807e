/* Projection in O((calls + ranges) log n) without assuming that calls or ranges of a thread nest:
 * both questions
 * ("first start and last end of the launches inside", "shortest enclosing range") are prefix
 * queries on a binary indexed tree, evaluated while sweeping by start. Calls of a thread that end
 * in the order in which they start need none. */
#include "facts/nvtx_projection.h"
#include "base/sort.h"

struct work {
    const struct az_trace *t;
    const struct az_launches *l;
    struct az_projection *p;
    struct az_mem *mem;
    uint32_t *
        range; /* ranges that can be projected, by thread, then (start asc, end desc, file order) */
    size_t *first; /* thread -> first in range; n_threads + 1 */
    size_t n_range;
};

uint64_t az_range_id(const struct az_trace *t, size_t row)
{
    const struct az_range *r = az_range_side(t, row);
    return r ? r->id : t->ev[AZ_RANGE].uid ? t->ev[AZ_RANGE].uid[row] : row;
}

/* ---- scratch arrays: charged, freed together ---- */
struct scratch {
    struct az_mem *mem;
    struct {
        void *p;
        size_t bytes;
    } block[8];
    size_t n;
    int error;
};

static void *alloc_scratch(struct scratch *s, size_t n, size_t size)
{
    size_t bytes;
    if (s->error != 0)
        return NULL;
    if (!az_size_mul(n ? n : 1, size, &bytes)) {
        s->error = AZ_ERANGE;
        return NULL;
    }
    void *p = az_mem_alloc(s->mem, bytes);
    if (!p) {
        s->error = az_mem_error(s->mem);
        return NULL;
    }
    s->block[s->n].p = p;
    s->block[s->n++].bytes = bytes;
    return p;
}

static void free_scratch(struct scratch *s)
{
    while (s->n > 0) {
        s->n--;
        az_mem_free(s->mem, s->block[s->n].p, s->block[s->n].bytes);
    }
}

/* Number of sorted v[] that are <= x. */
static size_t upper(const int64_t *v, size_t n, int64_t x) { return AZ_UPPER(v, n, x); }

/* value[i] -> sorted[] (ascending) and rank[i] in 0..n-1. */
static int rank_values(const int64_t *value, size_t n, int64_t *sorted, uint32_t *rank,
                       struct az_mem *mem)
{
    bool ascending = true;
    for (size_t i = 1; i < n && ascending; i++)
        ascending = value[i - 1] <= value[i];
    if (ascending) { /* the normal case: calls of one thread follow each other */
        for (size_t i = 0; i < n; i++) {
            sorted[i] = value[i];
            rank[i] = (uint32_t)i;
        }
        return 0;
    }
    struct scratch s = { .mem = mem };
    uint32_t *perm = alloc_scratch(&s, n, sizeof *perm);
    int rc = s.error;
    if (rc == 0)
        az_sort_order(value, n, perm, mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        sorted[i] = value[perm[i]];
        rank[perm[i]] = (uint32_t)i;
    }
    free_scratch(&s);
    return rc;
}

/* ---- ranges by thread ---- */
static int list_ranges(struct work *w, struct scratch *s)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    struct scratch tmp = { .mem = w->mem };
    uint32_t *perm = alloc_scratch(&tmp, e->n, sizeof *perm);
    int64_t *key = alloc_scratch(&tmp, e->n, sizeof *key);
    w->range = alloc_scratch(s, e->n, sizeof *w->range);
    w->first = alloc_scratch(s, w->l->n_threads + 1, sizeof *w->first);
    int rc = tmp.error ? tmp.error : s->error;
    if (rc != 0)
        goto out;
    for (size_t i = 0; i < e->n; i++)
        key[i] = ~e->end[i]; /* reverses the order and cannot overflow */
    az_sort_order(key, e->n, perm, w->mem);
    if (rc == 0)
        az_sort_by(e->start, perm, e->n, w->mem);
    if (rc != 0)
        goto out;
    memset(w->first, 0, (w->l->n_threads + 1) * sizeof *w->first);
    for (size_t i = 0; i < e->n; i++) {
        const struct az_range *r = az_range_side(w->t, i);
        if (!r || !r->crosses)
            w->first[w->l->thread_of_lane[e->lane[i]] + 1]++;
    }
    for (size_t i = 0; i < w->l->n_threads; i++)
        w->first[i + 1] += w->first[i];
    w->n_range = w->first[w->l->n_threads];
    for (size_t i = 0; i < e->n; i++) {
        const struct az_range *r = az_range_side(w->t, perm[i]);
        if (!r || !r->crosses)
            w->range[w->first[w->l->thread_of_lane[e->lane[perm[i]]]]++] = perm[i];
    }
    for (size_t i = w->l->n_threads; i > 0; i--)
        w->first[i] = w->first[i - 1];
    w->first[0] = 0;
out:
    free_scratch(&tmp);
    return rc;
}

/* ---- parents ---- */
/* tree[]: per node the shortest range so far whose end is among the node's ends; later ones win
 * ties, so that of two equal ranges the later in the file is the inner one. Position 1 is the
 * latest end, so a prefix is "ends at or after".
 */
static uint32_t shortest(const struct az_events *e, uint32_t a, uint32_t b)
{
    if (a == AZ_NO_ROW)
        return b;
    return e->end[b] - e->start[b] <= e->end[a] - e->start[a] ? b : a;
}

static void nest_range(struct work *w, uint32_t row, size_t at_or_after, size_t position,
                       uint32_t *tree, size_t n)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    uint32_t best = AZ_NO_ROW;
    for (size_t i = at_or_after; i > 0; i &= i - 1) {
        if (tree[i] == AZ_NO_ROW)
            continue;
        int64_t have = best == AZ_NO_ROW ? INT64_MAX : e->end[best] - e->start[best];
        int64_t len = e->end[tree[i]] - e->start[tree[i]];
        if (len < have || (len == have &&
                           tree[i] > best)) /* of equal length the later: rows are in start order */
            best = tree[i];
    }
    w->p->parent[row] = best;
    w->p->level[row] = best == AZ_NO_ROW ? 0 : w->p->level[best] + 1;
    for (size_t i = position; i <= n; i += i & (~i + 1))
        tree[i] = shortest(e, tree[i], row);
}

static int nest_thread(struct work *w, size_t first, size_t n)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    struct scratch s = { .mem = w->mem };
    int64_t *end = alloc_scratch(&s, n, sizeof *end),
            *sorted = alloc_scratch(&s, n, sizeof *sorted);
    uint32_t *rank = alloc_scratch(&s, n, sizeof *rank),
             *tree = alloc_scratch(&s, n + 1, sizeof *tree);
    int rc = s.error;
    if (rc != 0)
        goto out;
    for (size_t i = 0; i < n; i++)
        end[i] = e->end[w->range[first + i]];
    rc = rank_values(end, n, sorted, rank, w->mem);
    if (rc != 0)
        goto out;
    memset(tree, 0xff, (n + 1) * sizeof *tree);
    for (size_t i = 0; i < n; i++) {
        size_t shorter =
            end[i] == INT64_MIN ? 0 : upper(sorted, n, end[i] - 1); /* ends before this one */
        nest_range(w, w->range[first + i], n - shorter, n - rank[i], tree, n);
    }
out:
    free_scratch(&s);
    return rc;
}

/* ---- spans ---- */
struct span_tree { /* prefix minimum, maximum and count over launches by end */
    int64_t *lo, *hi;
    uint32_t *count;
    size_t n;
};

/* Extent of a launch's kernels, copies and fills; false if it has only graph rows. */
static bool extent(const struct work *w, size_t launch, int64_t *lo, int64_t *hi)
{
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (uint32_t i = w->l->op_first[launch]; i < w->l->op_first[launch + 1]; i++) {
        uint32_t op = w->l->op[i];
        const struct az_events *e = &w->t->ev[az_op_kind(op)];
        if (az_op_code(op) == AZ_OP_GRAPH)
            continue;
        if (e->start[az_op_row(op)] < *lo)
            *lo = e->start[az_op_row(op)];
        if (e->end[az_op_row(op)] > *hi)
            *hi = e->end[az_op_row(op)];
    }
    return *lo <= *hi;
}

static void insert(struct span_tree *b, size_t rank, int64_t lo, int64_t hi)
{
    for (size_t i = rank + 1; i <= b->n; i += i & (~i + 1)) {
        b->count[i]++;
        if (lo < b->lo[i])
            b->lo[i] = lo;
        if (hi > b->hi[i])
            b->hi[i] = hi;
    }
}

static void query_prefix(const struct work *w, const struct span_tree *b, size_t prefix,
                         uint32_t row)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    uint32_t count = 0;
    for (size_t i = prefix; i > 0; i &= i - 1) {
        count += b->count[i];
        if (b->lo[i] < lo)
            lo = b->lo[i];
        if (b->hi[i] > hi)
            hi = b->hi[i];
    }
    w->p->ops[row] = count;
    w->p->start[row] = count ? lo : 0;
    w->p->end[row] = count ? hi : 0;
}

/* ---- spans where calls end in the order in which they start ----
 * Those within a range are in a row then. Extents of some launches are joined, and a tree is made
 * over these. */
#define JOINED 8
struct joined {
    int64_t *lo, *hi; /* of `n` leaves, from place n on, and of their parents */
    uint32_t *before; /* leaf -> launches with an extent in all before it */
    size_t n;
};
struct reach {
    int64_t lo, hi;
    uint32_t count;
};

static bool ends_ascend(const struct work *w, size_t base, size_t n)
{
    const int64_t *end = w->t->ev[AZ_CALL].end;
    for (size_t i = 1; i < n; i++)
        if (end[w->l->call[base + i - 1]] > end[w->l->call[base + i]])
            return false;
    return true;
}

static void reach_to(struct reach *r, int64_t lo, int64_t hi)
{
    r->lo = lo < r->lo ? lo : r->lo;
    r->hi = hi > r->hi ? hi : r->hi;
}

static void reach_launches(const struct work *w, size_t from, size_t to, struct reach *r)
{
    int64_t lo, hi;
    for (size_t i = from; i < to; i++) {
        if (!extent(w, i, &lo, &hi))
            continue;
        r->count++;
        reach_to(r, lo, hi);
    }
}

static void join_range(const struct work *w, size_t base, size_t n, struct joined *j)
{
    j->before[0] = 0;
    for (size_t k = 0; k < j->n; k++) {
        struct reach r = { INT64_MAX, INT64_MIN, 0 };
        const size_t end = (k + 1) * JOINED;
        reach_launches(w, base + k * JOINED, base + (end < n ? end : n), &r);
        j->lo[j->n + k] = r.lo;
        j->hi[j->n + k] = r.hi;
        j->before[k + 1] = j->before[k] + r.count;
    }
    for (size_t i = j->n; i-- > 1;) {
        struct reach r = { j->lo[2 * i], j->hi[2 * i], 0 };
        reach_to(&r, j->lo[2 * i + 1], j->hi[2 * i + 1]);
        j->lo[i] = r.lo;
        j->hi[i] = r.hi;
    }
}

/* Launches from one on, to before another. */
static struct reach reach_of(const struct work *w, const struct joined *j, size_t base, size_t from,
                             size_t to)
{
    struct reach r = { INT64_MAX, INT64_MIN, 0 };
    const size_t first = (from + JOINED - 1) / JOINED, last = to / JOINED;
    if (first >= last) {
        reach_launches(w, base + from, base + to, &r);
        return r;
    }
    reach_launches(w, base + from, base + first * JOINED, &r);
    reach_launches(w, base + last * JOINED, base + to, &r);
    r.count += j->before[last] - j->before[first];
    for (size_t a = first + j->n, b = last + j->n; a < b; a /= 2, b /= 2) {
        if (a & 1) {
            reach_to(&r, j->lo[a], j->hi[a]);
            a++;
        }
        if (b & 1) {
            b--;
            reach_to(&r, j->lo[b], j->hi[b]);
        }
    }
    return r;
}

static int span_in_order(struct work *w, size_t thread)
{
    const struct az_events *calls = &w->t->ev[AZ_CALL], *e = &w->t->ev[AZ_RANGE];
    const size_t base = w->l->first[thread], n = w->l->first[thread + 1] - base;
    struct scratch s = { .mem = w->mem };
    struct joined j = { .n = (n + JOINED - 1) / JOINED };
    j.lo = alloc_scratch(&s, 2 * j.n, sizeof *j.lo);
    j.hi = alloc_scratch(&s, 2 * j.n, sizeof *j.hi);
    j.before = alloc_scratch(&s, j.n + 1, sizeof *j.before);
    if (s.error == 0)
        join_range(w, base, n, &j);
    size_t next = n;
    for (size_t i = w->first[thread + 1]; s.error == 0 && i > w->first[thread]; i--) {
        const uint32_t row = w->range[i - 1];
        while (next > 0 && calls->start[w->l->call[base + next - 1]] >= e->start[row])
            next--;
        size_t lo = next, hi = n; /* first that ends after the range */
        while (lo < hi) {
            const size_t mid = lo + (hi - lo) / 2;
            if (calls->end[w->l->call[base + mid]] <= e->end[row])
                lo = mid + 1;
            else
                hi = mid;
        }
        const struct reach r = reach_of(w, &j, base, next, lo);
        w->p->ops[row] = r.count;
        w->p->start[row] = r.count ? r.lo : 0;
        w->p->end[row] = r.count ? r.hi : 0;
    }
    free_scratch(&s);
    return s.error;
}

static int span_thread(struct work *w, size_t thread)
{
    const struct az_events *calls = &w->t->ev[AZ_CALL], *e = &w->t->ev[AZ_RANGE];
    size_t base = w->l->first[thread], n = w->l->first[thread + 1] - base, next = n;
    if (ends_ascend(w, base, n))
        return span_in_order(w, thread);
    struct scratch s = { .mem = w->mem };
    struct span_tree b = { .n = n };
    int64_t *end = alloc_scratch(&s, n, sizeof *end),
            *sorted = alloc_scratch(&s, n, sizeof *sorted), lo, hi;
    uint32_t *rank = alloc_scratch(&s, n, sizeof *rank);
    b.lo = alloc_scratch(&s, n + 1, sizeof *b.lo);
    b.hi = alloc_scratch(&s, n + 1, sizeof *b.hi);
    b.count = alloc_scratch(&s, n + 1, sizeof *b.count);
    int rc = s.error;
    if (rc != 0)
        goto out;
    for (size_t i = 0; i < n; i++)
        end[i] = calls->end[w->l->call[base + i]];
    rc = rank_values(end, n, sorted, rank, w->mem);
    if (rc != 0)
        goto out;
    for (size_t i = 0; i <= n; i++) {
        b.lo[i] = INT64_MAX;
        b.hi[i] = INT64_MIN;
        b.count[i] = 0;
    }
    /* By falling start: launches that start at or after the range's start are in the tree, the
     * prefix has those that end at or before its end. */
    for (size_t i = w->first[thread + 1]; i > w->first[thread]; i--) {
        uint32_t row = w->range[i - 1];
        for (; next > 0 && calls->start[w->l->call[base + next - 1]] >= e->start[row]; next--) {
            if (extent(w, base + next - 1, &lo, &hi))
                insert(&b, rank[next - 1], lo, hi);
        }
        query_prefix(w, &b, upper(sorted, n, e->end[row]), row);
    }
out:
    free_scratch(&s);
    return rc;
}

static int list_rows(struct work *w, struct az_arena *arena)
{
    struct az_projection *p = w->p;
    for (size_t i = 0; i < p->n_ranges; i++)
        p->n += p->ops[i] > 0;
    p->order = az_arena_array(arena, p->n, sizeof *p->order);
    if (!p->order)
        return az_arena_error(arena);
    struct scratch s = { .mem = w->mem };
    int64_t *id = alloc_scratch(&s, p->n, sizeof *id);
    uint32_t *row = alloc_scratch(&s, p->n, sizeof *row);
    int rc = s.error;
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < p->n_ranges; i++) {
        if (p->ops[i] == 0)
            continue;
        if (p->parent[i] != AZ_NO_ROW)
            p->children[p->parent[i]]++;
        id[n] = (int64_t)az_range_id(w->t, i);
        row[n++] = (uint32_t)i;
    }
    if (rc == 0)
        az_sort_order(id, n, p->order, w->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        p->order[i] = row[p->order[i]];
    free_scratch(&s);
    return rc;
}

int az_project(struct az_projection *p, const struct az_trace *t, const struct az_launches *l,
               struct az_arena *arena, struct az_mem *mem)
{
    size_t n = t->ev[AZ_RANGE].n;
    struct scratch s = { .mem = mem };
    struct work w = { .t = t, .l = l, .p = p, .mem = mem };
    *p = (struct az_projection){ .n_ranges = n };
    p->parent = az_arena_array(arena, n, sizeof *p->parent);
    p->level = az_arena_array(arena, n, sizeof *p->level);
    p->ops = az_arena_array(arena, n, sizeof *p->ops);
    p->children = az_arena_array(arena, n, sizeof *p->children);
    p->start = az_arena_array(arena, n, sizeof *p->start);
    p->end = az_arena_array(arena, n, sizeof *p->end);
    if (!p->parent || !p->level || !p->ops || !p->children || !p->start || !p->end)
        return az_arena_error(arena);
    memset(p->parent, 0xff, n * sizeof *p->parent);
    int rc = list_ranges(&w, &s);
    for (size_t i = 0; rc == 0 && i < l->n_threads; i++) {
        if (w.first[i + 1] == w.first[i])
            continue;
        rc = nest_thread(&w, w.first[i], w.first[i + 1] - w.first[i]);
        if (rc == 0)
            rc = span_thread(&w, i);
    }
    if (rc == 0)
        rc = list_rows(&w, arena);
    free_scratch(&s);
    return rc;
}
