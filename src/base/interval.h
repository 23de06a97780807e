/* Sets of half-open or closed time intervals in integer ticks. A set is sorted by start and
 * disjoint after az_union. */
#ifndef AZ_BASE_INTERVAL_H
#define AZ_BASE_INTERVAL_H

#include "base/vec.h"

struct az_span {
    int64_t start, end; /* end >= start */
};
AZ_VEC(struct az_span, az_spans);

/* Sorts by (start, end): LSD radix on start where it pays, comparison sort below that. Stable.
 * Cannot fail (base/sort.h). */
void az_spans_sort(struct az_spans *s);
/* Merges in place a list sorted by start; touching spans merge (start <= last end), empty spans
 * stay. */
void az_spans_union(struct az_spans *s);
/* Sum of lengths. */
int64_t az_spans_length(const struct az_spans *s);
/* out = a without b, a and b merged; only open overlap is removed (an empty span of b removes
 * nothing, one of a disappears only where it is strictly inside b). out must differ from both; it
 * is reset first. AZ_ENOMEM, AZ_ELIMIT. */
int az_spans_subtract(const struct az_spans *a, const struct az_spans *b,
                      struct az_spans *out) AZ_MUST_USE;
/* out = the common parts of positive length. Rules as above. */
int az_spans_intersect(const struct az_spans *a, const struct az_spans *b,
                       struct az_spans *out) AZ_MUST_USE;
/* out = the parts of a inside [lo, hi]; spans that only touch its ends go, empty spans inside it
 * stay. a sorted (need not be merged). */
int az_spans_clip(const struct az_spans *a, int64_t lo, int64_t hi,
                  struct az_spans *out) AZ_MUST_USE;
/* out[i] = length of the union of the spans range[i].first to range[i].end - 1 of v, which need no
 * order: for many nested ranges, in n log n. AZ_ENOMEM, AZ_ELIMIT, AZ_ERANGE. */
struct az_span_range {
    uint32_t first, end;
};
int az_spans_unions(const struct az_span *v, size_t n, const struct az_span_range *range,
                    size_t ranges, int64_t *out, struct az_mem *mem) AZ_MUST_USE;
/* Length of the intersection of two merged lists, nothing allocated. */
int64_t az_spans_overlap(const struct az_spans *a, const struct az_spans *b);

#endif
