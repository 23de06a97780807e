/* Sorting by integer keys (LSD radix over key and index columns) and a stable merge sort, both in
 * place where there is no memory for scratch. */
#include "base/sort.h"

struct order {
    int (*cmp)(const void *, const void *, void *);
    void *ctx;
    size_t size;
};

/* ---- merge sort in place: slower, and needs no memory ---- */

static void swap_bytes(char *a, char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

static void reverse(char *v, size_t n, size_t size)
{
    for (size_t i = 0; i < n / 2; i++)
        swap_bytes(v + i * size, v + (n - 1 - i) * size, size);
}

/* First of v[0..n), sorted, that comes after x; `equal`: or is equal to it. */
static size_t bound(const char *v, size_t n, const char *x, bool equal, const struct order *o)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (o->cmp(v + mid * o->size, x, o->ctx) < (equal ? 0 : 1))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Merges v[0..mid) and v[mid..n): halves the longer one, finds the place of its middle in the
 * other, exchanges what is between them, and merges both sides. */
static void merge_in_place(char *v, size_t mid, size_t n, const struct order *o)
{
    const size_t size = o->size;
    if (mid == 0 || mid == n || o->cmp(v + (mid - 1) * size, v + mid * size, o->ctx) <= 0)
        return;
    if (n == 2) {
        swap_bytes(v, v + size, size);
        return;
    }
    size_t left = mid / 2, right = mid + (n - mid) / 2;
    if (mid > n - mid)
        right = mid + bound(v + mid * size, n - mid, v + left * size, true, o);
    else
        left = bound(v, mid, v + right * size, false, o);
    reverse(v + left * size, mid - left, size);
    reverse(v + mid * size, right - mid, size);
    reverse(v + left * size, right - left, size);
    const size_t middle = left + right - mid;
    merge_in_place(v, left, middle, o);
    merge_in_place(v + middle * size, right - middle, n - middle, o);
}

static void sort_in_place(char *v, size_t n, const struct order *o)
{
    for (size_t width = 1; width < n; width *= 2)
        for (size_t i = 0; i + width < n; i += 2 * width)
            merge_in_place(v + i * o->size, width, n - i < 2 * width ? n - i : 2 * width, o);
}

/* ---- sorting by keys ---- */

enum { RADIX_BITS = 11, RADIX_SIZE = 1 << RADIX_BITS, RADIX_DIGITS = 6 };

/* Key and index travel in two arrays each: 12 bytes an element instead of 16. */
struct pairs {
    uint64_t *key;
    uint32_t *index;
};

/* One stable pass over the digit at `shift`; place[d] = elements with digit d. */
static void scatter(struct pairs from, struct pairs to, size_t n, unsigned shift,
                    uint32_t place[RADIX_SIZE])
{
    uint32_t at = 0;
    for (size_t d = 0; d < RADIX_SIZE; d++) {
        const uint32_t count = place[d];
        place[d] = at;
        at += count;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t k = place[(from.key[i] >> shift) & (RADIX_SIZE - 1)]++;
        to.key[k] = from.key[i];
        to.index[k] = from.index[i];
    }
}

/* Sorts from[0..n) by key, n < 2^32; the result may end in `spare`. Returns which. All digits are
 * counted in one pass; those that all keys share are skipped. */
static struct pairs radix(struct pairs from, struct pairs spare, size_t n, uint64_t range)
{
    uint32_t count[RADIX_DIGITS][RADIX_SIZE];
    unsigned digits = 0;
    while (digits < RADIX_DIGITS && (range >> (digits * RADIX_BITS)) != 0)
        memset(count[digits++], 0, sizeof count[0]);
    for (size_t i = 0; i < n; i++) {
        for (unsigned d = 0; d < digits; d++)
            count[d][(from.key[i] >> (d * RADIX_BITS)) & (RADIX_SIZE - 1)]++;
    }
    const uint64_t first = from.key[0];
    for (unsigned d = 0; d < digits; d++) {
        const unsigned shift = d * RADIX_BITS;
        if (count[d][(first >> shift) & (RADIX_SIZE - 1)] == n)
            continue;
        scatter(from, spare, n, shift, count[d]);
        const struct pairs swap = from;
        from = spare;
        spare = swap;
    }
    return from;
}

/* First place of perm[0..end), sorted, whose key is larger than k; searched from the end. */
static size_t place_behind(const int64_t *key, const uint32_t *perm, size_t end, int64_t k)
{
    size_t hi = end, step = 1; /* all from hi on are larger */
    while (hi >= step && key[perm[hi - step]] > k) {
        hi -= step;
        step *= 2;
    }
    size_t lo = hi >= step ? hi - step + 1 : 0;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (key[perm[mid]] > k)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

/* Events are in files nearly in order of time: most at most a few places from where they belong,
 * some far away. Moves those there one by one, and stops (false) when that gets expensive; what
 * it did so far is stable. */
static bool insert_few(const int64_t *key, uint32_t *perm, size_t n)
{
    enum { MOVES = 32 }; /* an element, on average; four bytes each */
    size_t left = MOVES * n;
    for (size_t i = 1; i < n; i++) {
        const uint32_t one = perm[i];
        if (key[perm[i - 1]] <= key[one])
            continue;
        const size_t to = place_behind(key, perm, i, key[one]);
        if (i - to > left)
            return false;
        left -= i - to;
        memmove(perm + to + 1, perm + to, (i - to) * sizeof *perm);
        perm[to] = one;
    }
    return true;
}

enum { RUNS = 16 }; /* up to which merging them is cheaper than sorting */

/* perm[a..mid) and perm[mid..b), each sorted, become one; of equal keys the former come first.
 * spare: room for the first of them. */
static void merge_runs(const int64_t *key, uint32_t *perm, size_t a, size_t mid, size_t b,
                       uint32_t *spare)
{
    a += place_behind(key, perm + a, mid - a, key[perm[mid]]);
    const size_t left = mid - a;
    size_t i = 0, j = mid, to = a;
    memcpy(spare, perm + a, left * sizeof *perm);
    while (i < left && j < b) { /* without a jump: what comes next is not to be foretold */
        const uint32_t x = spare[i], y = perm[j];
        const bool second = key[y] < key[x];
        perm[to++] = second ? y : x;
        j += second;
        i += !second;
    }
    memcpy(perm + to, spare + i, (left - i) * sizeof *perm);
}

/* first[k]: where the k-th of `runs` sorted runs begins; first[runs] = n. Events of a few lanes
 * come so, one lane after the other. False: no memory. */
static bool merge_all(const int64_t *key, uint32_t *perm, size_t first[RUNS + 1], size_t runs,
                      struct az_mem *mem)
{
    const size_t n = first[runs];
    uint32_t *spare = az_mem_alloc(mem, n * sizeof *spare);
    if (!spare)
        return false;
    for (; runs > 1; runs = (runs + 1) / 2) {
        for (size_t k = 0; k + 1 < runs; k += 2)
            merge_runs(key, perm, first[k], first[k + 1], first[k + 2], spare);
        for (size_t k = 0; 2 * k < runs; k++)
            first[k] = first[2 * k];
        first[(runs + 1) / 2] = n;
    }
    az_mem_free(mem, spare, n * sizeof *spare);
    return true;
}

/* Sorts by the radix of the keys, of which lo is the least and hi the largest. False: no memory. */
static bool sort_radix(const int64_t *key, uint32_t *perm, size_t n, int64_t lo, int64_t hi,
                       struct az_mem *mem)
{
    /* One block: two key columns, then the second index column. n < 2^32, so no overflow on 64-bit
     * sizes. */
    size_t bytes;
    if (!az_size_mul(n, 2 * sizeof(uint64_t) + sizeof(uint32_t), &bytes))
        return false;
    uint64_t *block = az_mem_alloc(mem, bytes);
    if (block == NULL)
        return false;
    const struct pairs from = { block, perm };
    const struct pairs spare = { block + n, (uint32_t *)(void *)(block + 2 * n) };
    for (size_t i = 0; i < n; i++)
        from.key[i] = (uint64_t)key[perm[i]] - (uint64_t)lo;
    const struct pairs sorted_pairs = radix(from, spare, n, (uint64_t)hi - (uint64_t)lo);
    if (sorted_pairs.index != perm)
        memcpy(perm, sorted_pairs.index, n * sizeof *perm);
    az_mem_free(mem, block, bytes);
    return true;
}

static int by_key(const void *a, const void *b, void *ctx)
{
    const int64_t *key = ctx, x = key[*(const uint32_t *)a], y = key[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

void az_sort_by(const int64_t *key, uint32_t *perm, size_t n, struct az_mem *mem)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, before = INT64_MIN;
    size_t first[RUNS + 1] = { 0 }, runs = 1;
    for (size_t i = 0; i < n; i++) {
        const int64_t k = key[perm[i]];
        if (k < before && runs++ < RUNS)
            first[runs - 1] = i;
        before = k;
        lo = k < lo ? k : lo;
        hi = k > hi ? k : hi;
    }
    if (runs == 1)
        return;
    if (runs <= RUNS) {
        first[runs] = n;
        if (merge_all(key, perm, first, runs, mem))
            return;
    } else if (insert_few(key, perm, n) || sort_radix(key, perm, n, lo, hi, mem)) {
        return;
    }
    sort_in_place((char *)perm, n, &(struct order){ by_key, (void *)key, sizeof *perm });
}

void az_sort_order(const int64_t *key, size_t n, uint32_t *perm, struct az_mem *mem)
{
    for (size_t i = 0; i < n; i++)
        perm[i] = (uint32_t)i;
    az_sort_by(key, perm, n, mem);
}

/* ---- merge sort ---- */

/* Insertion sort of n elements at v; `one` has room for one element. */
static void insertion(char *v, size_t n, char *one, const struct order *o)
{
    for (size_t i = 1; i < n; i++) {
        size_t at = i;
        while (at > 0 && o->cmp(v + (at - 1) * o->size, v + i * o->size, o->ctx) > 0)
            at--;
        if (at == i)
            continue;
        memcpy(one, v + i * o->size, o->size);
        memmove(v + (at + 1) * o->size, v + at * o->size, (i - at) * o->size);
        memcpy(v + at * o->size, one, o->size);
    }
}

static bool is_in_order(const char *v, size_t n, const struct order *o)
{
    size_t i = 1;
    while (i < n && o->cmp(v + (i - 1) * o->size, v + i * o->size, o->ctx) <= 0)
        i++;
    return i >= n;
}

/* out = merge of [a, b) and [b, end); equal elements: the left one first. */
static void merge(const char *a, const char *b, const char *end, char *out, const struct order *o)
{
    const char *l = a, *r = b;
    while (l < b && r < end) {
        const char **take = o->cmp(l, r, o->ctx) <= 0 ? &l : &r;
        memcpy(out, *take, o->size);
        *take += o->size;
        out += o->size;
    }
    memcpy(out, l, (size_t)(b - l));
    memcpy(out + (b - l), r, (size_t)(end - r));
}

void az_sort_cmp(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *),
                 void *ctx, struct az_mem *mem)
{
    enum { RUN = 8 };
    const struct order o = { cmp, ctx, size };
    if (n < 2 || size == 0 || is_in_order(base, n, &o))
        return;
    const size_t bytes = n * size; /* no overflow: base has this size */
    char *tmp = az_mem_alloc(mem, bytes);
    if (tmp == NULL) {
        sort_in_place(base, n, &o);
        return;
    }
    for (size_t i = 0; i < n; i += RUN)
        insertion((char *)base + i * size, n - i < RUN ? n - i : RUN, tmp, &o);
    char *from = base, *to = tmp;
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            const size_t mid = n - i < width ? n : i + width;
            const size_t end = n - mid < width ? n : mid + width;
            merge(from + i * size, from + mid * size, from + end * size, to + i * size, &o);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != (char *)base)
        memcpy(base, from, bytes);
    az_mem_free(mem, tmp, bytes);
}

size_t az_lower_cmp(const void *v, size_t n, size_t size, const void *x,
                    int (*cmp)(const void *, const void *, void *), void *ctx)
{
    return bound(v, n, x, true, &(struct order){ .size = size, .cmp = cmp, .ctx = ctx });
}
