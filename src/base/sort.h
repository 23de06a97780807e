/* Sorting and searching by keys. Sorting by integers: insertion where they are nearly in order,
 * else LSD radix, 11 bits a digit, constant digits skipped; stable. Scratch is charged to mem and
 * freed. Without memory for it all are sorted in place, which is slower: sorting cannot fail. */
#ifndef AZ_BASE_SORT_H
#define AZ_BASE_SORT_H

#include "base/vec.h"

/* Order of n signed keys: perm[i] = index of the i-th smallest; ties keep index order. perm has
 * room for n < 2^32. */
void az_sort_order(const int64_t *key, size_t n, uint32_t *perm, struct az_mem *mem);
/* perm (already filled) is re-ordered by key[perm[i]], stable: call from the least to the most
 * significant key. */
void az_sort_by(const int64_t *key, uint32_t *perm, size_t n, struct az_mem *mem);
/* Stable merge sort with a context, for small lists and compound orders. */
void az_sort_cmp(void *base, size_t n, size_t size, int (*cmp)(const void *, const void *, void *),
                 void *ctx, struct az_mem *mem);

/* ---- searching what is sorted ---- */
/* Of n values at v, or of n records by their member `field` (int64_t, uint64_t, uint32_t or
 * double): how many are less than x (AZ_LOWER: the index of the first that is not, n if there is
 * none), and how many are not greater (AZ_UPPER: the index of the first that is greater). v may be
 * NULL where n is 0; v and n are evaluated once. */
#define AZ_LOWER(v, n, x) AZ_BOUND_(lower, *(v))(v, n, sizeof *(v), 0, x)
#define AZ_UPPER(v, n, x) AZ_BOUND_(upper, *(v))(v, n, sizeof *(v), 0, x)
#define AZ_LOWER_BY(v, n, field, x)                                                                \
    AZ_BOUND_(lower, (v)->field)                                                                   \
    (v, n, sizeof *(v), offsetof(__typeof__(*(v)), field), x)
#define AZ_UPPER_BY(v, n, field, x)                                                                \
    AZ_BOUND_(upper, (v)->field)                                                                   \
    (v, n, sizeof *(v), offsetof(__typeof__(*(v)), field), x)
/* The first of n records of `size` bytes that is not less than x in the order of cmp(record, x). */
size_t az_lower_cmp(const void *v, size_t n, size_t size, const void *x,
                    int (*cmp)(const void *, const void *, void *), void *ctx);

#define AZ_BOUND_(which, value)                                                                    \
    _Generic((value), int64_t                                                                      \
             : az_##which##_i64, uint64_t                                                          \
             : az_##which##_u64, uint32_t                                                          \
             : az_##which##_u32, double                                                            \
             : az_##which##_f64)
#define AZ_BOUND_OF_(name, T, before)                                                              \
    static inline size_t name(const void *v, size_t n, size_t size, size_t at, T x)                \
    {                                                                                              \
        size_t lo = 0;                                                                             \
        while (lo < n) {                                                                           \
            const size_t mid = lo + (n - lo) / 2;                                                  \
            T y;                                                                                   \
            memcpy(&y, (const char *)v + mid * size + at, sizeof y);                               \
            if (y before x)                                                                        \
                lo = mid + 1;                                                                      \
            else                                                                                   \
                n = mid;                                                                           \
        }                                                                                          \
        return lo;                                                                                 \
    }
AZ_BOUND_OF_(az_lower_i64, int64_t, <)
AZ_BOUND_OF_(az_upper_i64, int64_t, <=)
AZ_BOUND_OF_(az_lower_u64, uint64_t, <)
AZ_BOUND_OF_(az_upper_u64, uint64_t, <=)
AZ_BOUND_OF_(az_lower_u32, uint32_t, <)
AZ_BOUND_OF_(az_upper_u32, uint32_t, <=)
AZ_BOUND_OF_(az_lower_f64, double, <)
AZ_BOUND_OF_(az_upper_f64, double, <=)

#endif
