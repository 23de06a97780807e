/* Sorting by integer keys: insertion where they are nearly in order, else LSD radix, 11 bits a
 * digit, constant digits skipped; stable. Scratch is charged to mem and freed. Without memory for
 * it all are sorted in place, which is slower: sorting cannot fail. */
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

#endif
