/* Packed columns of integers. */
#include "analyses/collectives/packed.h"

static uint64_t mask_of(uint32_t bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Wider ones than 57 bits would not be within one load wherever they begin. */
static uint32_t width_of(uint64_t range)
{
    uint32_t bits = 0;
    while (bits <= 57 && range > mask_of(bits))
        bits++;
    return bits <= 57 ? bits : 64;
}

static bool size_of(size_t n, uint32_t bits, size_t *bytes)
{
    size_t all;
    if (!az_size_mul(n, bits, &all))
        return false;
    *bytes = all / 8 + (all % 8 != 0) + AZ_PACKED_SPARE;
    return true;
}

static int make_room(struct az_packed *p, size_t n, struct az_arena *keep)
{
    size_t bytes;
    p->mask = mask_of(p->bits);
    if (!size_of(n, p->bits, &bytes))
        return AZ_ENOMEM;
    p->v = az_arena_alloc(keep, bytes);
    p->bytes = bytes;
    return p->v ? AZ_OK : az_arena_error(keep);
}

int az_packed_room(struct az_packed *p, size_t n, uint64_t most, struct az_arena *keep)
{
    *p = (struct az_packed){ .bits = width_of(most) };
    return make_room(p, n, keep);
}

void az_packed_set(struct az_packed *p, size_t i, uint64_t raw)
{
    const uint64_t at = (uint64_t)i * p->bits;
    unsigned char *to = (unsigned char *)(uintptr_t)p->v + (at >> 3);
    uint64_t word;
    memcpy(&word, to, sizeof word);
    word |= raw << (at & 7);
    memcpy(to, &word, sizeof word);
}

int az_packed_make(struct az_packed *p, const int64_t *v, size_t n, bool counts,
                   struct az_arena *keep)
{
    int64_t least = n ? v[0] : 0, most = least;
    for (size_t i = 1; i < n; i++) {
        least = v[i] < least ? v[i] : least;
        most = v[i] > most ? v[i] : most;
    }
    *p = (struct az_packed){ .base = (uint64_t)least,
                             .bits = width_of((uint64_t)most - (uint64_t)least) };
    p->bits = counts && p->bits < AZ_PACKED_BYTE ? AZ_PACKED_BYTE : p->bits;
    const int rc = make_room(p, n, keep);
    for (size_t i = 0; rc == 0 && p->bits && i < n; i++)
        az_packed_set(p, i, (uint64_t)v[i] - p->base);
    return rc;
}

bool az_packed_is(const struct az_packed *p, size_t n, int64_t least, int64_t most)
{
    size_t bytes;
    if (!p->v || (p->bits > 57 && p->bits != 64) || p->mask != mask_of(p->bits) ||
        !size_of(n, p->bits, &bytes) || bytes != p->bytes)
        return false;
    const int64_t base = (int64_t)p->base;
    if (base < least || base > most)
        return n == 0;
    const uint64_t room = (uint64_t)most - (uint64_t)base;
    for (size_t i = 0; p->mask > room && i < n; i++)
        if (az_packed_raw(p, i) > room)
            return false;
    return true;
}

static const struct az_shape_field packed_fields[] = {
    AZ_LIST_OF(struct az_packed, v, bytes, az_shape_u8), AZ_PLAIN(struct az_packed, base),
    AZ_PLAIN(struct az_packed, mask), AZ_PLAIN(struct az_packed, bits)
};
const struct az_shape az_packed_shape = AZ_SHAPE(struct az_packed, packed_fields);
