/* Selection for one element type: included by stats.c once for each SELECT_T, which defines
 * SELECT_NAME(x) too. Quickselect with the median of three as pivot; a list that defeats it is
 * heap-sorted, so the time stays n log n. */

static void SELECT_NAME(sift)(SELECT_T *v, size_t root, size_t n)
{
    const SELECT_T x = v[root];
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && v[child] < v[child + 1])
            child++;
        if (v[child] <= x)
            break;
        v[root] = v[child];
    }
    v[root] = x;
}

static void SELECT_NAME(heap_sort)(SELECT_T *v, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        SELECT_NAME(sift)(v, i, n);
    for (size_t i = n; i-- > 1;) {
        const SELECT_T top = v[0];
        v[0] = v[i];
        v[i] = top;
        SELECT_NAME(sift)(v, 0, i);
    }
}

static SELECT_T SELECT_NAME(median3)(SELECT_T a, SELECT_T b, SELECT_T c)
{
    if (a < b)
        return b < c ? b : (a < c ? c : a);
    return a < c ? a : (b < c ? c : b);
}

/* Afterwards v[k] is the k-th smallest, nothing before it is larger and nothing after it smaller. k
 * < n. */
static void SELECT_NAME(select)(SELECT_T *v, size_t n, size_t k)
{
    size_t lo = 0, hi = n - 1; /* k is in [lo, hi] */
    for (unsigned rounds = 0; lo < hi; rounds++) {
        if (rounds > 120) {
            SELECT_NAME(heap_sort)(v + lo, hi - lo + 1);
            return;
        }
        const SELECT_T pivot = SELECT_NAME(median3)(v[lo], v[lo + (hi - lo) / 2], v[hi]);
        size_t i = lo, j = hi;
        for (;;) { /* Hoare: equal elements are split evenly */
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i >= j)
                break;
            const SELECT_T x = v[i];
            v[i++] = v[j];
            v[j--] = x;
        }
        if (k <= j)
            hi = j;
        else
            lo = j + 1;
    }
}

/* Value at the fractional rank (n - 1) * p / 100 between its neighbors; numpy's order of
 * operations. n > 0. */
static double SELECT_NAME(percentile)(SELECT_T *v, size_t n, double p)
{
    const double rank = (double)(n - 1) * (p / 100.0);
    if (!(rank > 0)) {
        SELECT_NAME(select)(v, n, 0);
        return (double)v[0];
    }
    if (rank >= (double)(n - 1)) {
        SELECT_NAME(select)(v, n, n - 1);
        return (double)v[n - 1];
    }
    const size_t k = (size_t)rank;
    const double t = rank - (double)k;
    SELECT_NAME(select)(v, n, k);
    size_t least = k + 1; /* the next larger one is the least of the rest */
    for (size_t i = k + 2; i < n; i++) {
        if (v[i] < v[least])
            least = i;
    }
    const double a = (double)v[k], b = (double)v[least], gap = SELECT_GAP(v[k], v[least]);
    return t >= 0.5 ? b - gap * (1 - t) : a + gap * t;
}
