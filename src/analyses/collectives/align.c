/* Which elements of two sequences are the same collective: an edit-distance alignment in a band
 * around the diagonal that is widened until it is sure to hold the best one (Ukkonen), so that the
 * work grows with how much they differ. */
#include "analyses/collectives/collectives.h"
#include "base/sort.h"

#define FIRST_BAND 8
#define MAX_CELLS  ((size_t)1 << 26) /* of the band: one byte each */
#define MAX_VOTES  ((size_t)1 << 21)
#define WINDOW_NS  50000 /* ends of one collective are closer together than this */
#define GAP_COST   (INT64_C(1) << 36)
#define NEVER      (INT64_MAX / 4)

enum { STEP_BOTH = 1, STEP_A, STEP_B };

/* ---- offset of the clocks ---- */
/* Of all differences of ends that could belong together, the value around which most are; the
 * smallest such. */
static int64_t densest(int64_t *d, size_t n)
{
    size_t best = 0, from = 0;
    int64_t offset = 0, far = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        while ((uint64_t)d[i] - (uint64_t)d[from] > WINDOW_NS)
            from++;
        const size_t count = i - from + 1;
        const int64_t middle = d[from + (i - from) / 2], away = middle < 0 ? -middle : middle;
        if (count > best || (count == best && away < far)) {
            best = count;
            offset = middle;
            far = away;
        }
    }
    return offset;
}

static int vote_offset(const struct az_coll_seq *a, const struct az_coll_seq *b, int64_t *offset,
                       struct az_mem *mem)
{
    const int64_t more = (int64_t)b->n - (int64_t)a->n;
    const int64_t lo = (more < 0 ? more : 0) - FIRST_BAND, hi = (more > 0 ? more : 0) + FIRST_BAND;
    const size_t pairs = a->n * (size_t)(hi - lo + 1), stride = pairs / MAX_VOTES + 1;
    struct az_vec_i64 d, sorted;
    int rc = 0;
    az_vec_init(&d, mem);
    az_vec_init(&sorted, mem);
    for (size_t i = 0; rc == 0 && i < a->n; i += stride)
        for (int64_t j = (int64_t)i + lo; rc == 0 && j <= (int64_t)i + hi; j++)
            if (j >= 0 && j < (int64_t)b->n && a->sig[i] == b->sig[j])
                rc = az_vec_push(&d, b->t[j] - a->t[i]);
    uint32_t *order = rc || !d.n ? NULL : az_mem_alloc(mem, d.n * sizeof *order);
    *offset = 0;
    if (rc == 0 && d.n) {
        rc = order ? 0 : az_mem_error(mem);
        if (rc == 0)
            az_sort_order(d.v, d.n, order, mem);
        for (size_t i = 0; rc == 0 && i < d.n; i++)
            rc = az_vec_push(&sorted, d.v[order[i]]);
        if (rc == 0)
            *offset = densest(sorted.v, sorted.n);
    }
    if (order)
        az_mem_free(mem, order, d.n * sizeof *order);
    az_vec_release(&d);
    az_vec_release(&sorted);
    return rc;
}

/* ---- the band ---- */
struct band {
    const struct az_coll_seq *a, *b;
    int64_t lo, offset, cap; /* first diagonal j - i; cost of a wrong time at most */
    size_t width;
    int64_t *cost[2]; /* of the row before, of this row */
    uint8_t *step;    /* (a->n + 1) x width */
};

static int64_t mistimed(const struct band *w, size_t i, size_t j)
{
    const __int128 off = (__int128)w->b->t[j] - w->a->t[i] - w->offset, away = off < 0 ? -off : off;
    return away > w->cap ? w->cap : (int64_t)away;
}

/* Best way to row i, place d of the band: from the three neighbors. */
static void fill_band_cell(struct band *w, size_t i, size_t d)
{
    const int64_t j = (int64_t)i + w->lo + (int64_t)d;
    int64_t best = NEVER;
    uint8_t step = 0;
    if (j >= 0 && j <= (int64_t)w->b->n) {
        if (i == 0 && j == 0)
            best = 0;
        if (i > 0 && j > 0 && w->a->sig[i - 1] == w->b->sig[j - 1]) {
            const int64_t x = w->cost[0][d] + mistimed(w, i - 1, (size_t)j - 1);
            if (x < best) {
                best = x;
                step = STEP_BOTH;
            }
        }
        if (i > 0 && d + 1 < w->width && w->cost[0][d + 1] + GAP_COST < best) {
            best = w->cost[0][d + 1] + GAP_COST;
            step = STEP_A;
        }
        if (j > 0 && d > 0 && w->cost[1][d - 1] + GAP_COST < best) {
            best = w->cost[1][d - 1] + GAP_COST;
            step = STEP_B;
        }
    }
    w->cost[1][d] = best;
    w->step[i * w->width + d] = step;
}

/* Number of elements without partner on the best way; fills b_to_a. */
static size_t trace_back(const struct band *w, uint32_t *b_to_a)
{
    size_t i = w->a->n, j = w->b->n, gaps = 0;
    while (i > 0 || j > 0) {
        const uint8_t step = w->step[i * w->width + (size_t)((int64_t)j - (int64_t)i - w->lo)];
        if (step == STEP_BOTH) {
            i--;
            b_to_a[--j] = (uint32_t)i;
        } else if (step == STEP_A) {
            i--;
            gaps++;
        } else {
            b_to_a[--j] = AZ_NO_ROW;
            gaps++;
        }
    }
    return gaps;
}

static int in_band(struct band *w, uint32_t *b_to_a, size_t *gaps, struct az_mem *mem)
{
    const size_t rows = w->a->n + 1, bytes = rows * w->width;
    w->step = az_mem_alloc(mem, bytes);
    w->cost[0] = az_mem_alloc(mem, w->width * sizeof *w->cost[0]);
    w->cost[1] = az_mem_alloc(mem, w->width * sizeof *w->cost[1]);
    int rc = w->step && w->cost[0] && w->cost[1] ? 0 : az_mem_error(mem);
    for (size_t d = 0; rc == 0 && d < w->width; d++)
        w->cost[0][d] = NEVER;
    for (size_t i = 0; rc == 0 && i < rows; i++) {
        for (size_t d = 0; d < w->width; d++)
            fill_band_cell(w, i, d);
        int64_t *swap = w->cost[0];
        w->cost[0] = w->cost[1];
        w->cost[1] = swap;
    }
    if (rc == 0)
        *gaps = trace_back(w, b_to_a);
    az_mem_free(mem, w->step, bytes);
    az_mem_free(mem, w->cost[0], w->width * sizeof *w->cost[0]);
    az_mem_free(mem, w->cost[1], w->width * sizeof *w->cost[1]);
    return rc;
}

/* Too long and too different: equal beginnings and equal ends only. */
static void ends_only(const struct az_coll_seq *a, const struct az_coll_seq *b, uint32_t *b_to_a)
{
    const size_t least = a->n < b->n ? a->n : b->n;
    size_t head = 0, tail = 0;
    for (size_t j = 0; j < b->n; j++)
        b_to_a[j] = AZ_NO_ROW;
    while (head < least && a->sig[head] == b->sig[head]) {
        b_to_a[head] = (uint32_t)head;
        head++;
    }
    while (tail < least - head && a->sig[a->n - 1 - tail] == b->sig[b->n - 1 - tail]) {
        b_to_a[b->n - 1 - tail] = (uint32_t)(a->n - 1 - tail);
        tail++;
    }
}

int az_coll_align(const struct az_coll_seq *a, const struct az_coll_seq *b, uint32_t *b_to_a,
                  int64_t *offset, struct az_mem *mem)
{
    const int64_t more = (int64_t)b->n - (int64_t)a->n;
    const size_t apart = (size_t)(more < 0 ? -more : more), longest = a->n > b->n ? a->n : b->n;
    int rc = vote_offset(a, b, offset, mem);

    for (size_t extra = FIRST_BAND; rc == 0; extra *= 4) {
        struct band w = {
            .a = a, .b = b, .lo = (more < 0 ? more : 0) - (int64_t)extra, .offset = *offset
        };
        size_t gaps = 0, next = apart + 8 * extra + 1;
        w.width = apart + 2 * extra + 1;
        w.cap = GAP_COST / 2 / (int64_t)(longest + 1);
        if (w.width > MAX_CELLS / (a->n + 1)) {
            ends_only(a, b, b_to_a);
            return 0;
        }
        rc = in_band(&w, b_to_a, &gaps, mem);
        /* a way out of the band and back leaves more than this without a partner */
        if (rc || gaps <= apart + 2 * (extra + 1) || next > MAX_CELLS / (a->n + 1))
            return rc;
    }
    return rc;
}
