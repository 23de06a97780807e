/* Columns of integers in as few bits as their range needs: each is the least one plus an unsigned
 * number of equal width, which one unaligned load reads. Exact for any values. */
#ifndef AZ_COLLECTIVES_PACKED_H
#define AZ_COLLECTIVES_PACKED_H

#include <string.h>

#include "base/struct_layout.h"

struct az_packed {
    const unsigned char *v;
    uint64_t bytes; /* of v: those of the values, and AZ_PACKED_SPARE zeros */
    uint64_t base;  /* the least value, as it is stored */
    uint64_t mask;  /* of the lowest `bits` */
    uint32_t bits;  /* 0 to 57, or 64 */
};
#define AZ_PACKED_SPARE 8 /* a load of the last value ends in them */
extern const struct az_shape az_packed_shape;

/* The i-th value as it is stored: without the least one. */
static inline uint64_t az_packed_raw(const struct az_packed *p, size_t i)
{
    const uint64_t at = (uint64_t)i * p->bits;
    uint64_t x;
    memcpy(&x, p->v + (at >> 3), sizeof x);
    return (x >> (at & 7)) & p->mask;
}
static inline int64_t az_packed_at(const struct az_packed *p, size_t i)
{
    return (int64_t)(p->base + az_packed_raw(p, i));
}

/* A column of n values up to `most`, all 0 at first; each may be set once. AZ_ENOMEM, AZ_ELIMIT. */
int az_packed_room(struct az_packed *p, size_t n, uint64_t most, struct az_arena *keep) AZ_MUST_USE;
void az_packed_set(struct az_packed *p, size_t i, uint64_t raw);
/* Packs n values, in AZ_PACKED_BYTE bits at least where by `counts` their number is known by
 * them: so that a damaged file cannot claim more than it has bytes. AZ_ENOMEM, AZ_ELIMIT. */
int az_packed_make(struct az_packed *p, const int64_t *v, size_t n, bool counts,
                   struct az_arena *keep) AZ_MUST_USE;
#define AZ_PACKED_BYTE 8
/* Of a column from a file: are there n values, all within least to most? One that counts has to
 * have AZ_PACKED_BYTE bits, which is the caller's to check. */
bool az_packed_is(const struct az_packed *p, size_t n, int64_t least, int64_t most);

#endif
