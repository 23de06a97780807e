/* The parts of the wire reader that are not on every field's path. */
#include "text/protowire.h"

/* One load on the machines that store numbers so. */
static uint64_t little_endian(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

/* Up to 8 bytes at once: the first byte without its top bit ends the number; the groups of seven
 * bits are then pushed together, pairwise. 0 where the number is longer. */
static unsigned varint_word(uint64_t word, uint64_t *value)
{
    const uint64_t stops = ~word & UINT64_C(0x8080808080808080);
    if (!stops)
        return 0;
    const unsigned bits = (unsigned)__builtin_ctzll(stops) + 1; /* 8 per byte */
    uint64_t x = word & (UINT64_MAX >> (64 - bits)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x7f007f007f007f00)) >> 1;
    x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x3fff00003fff0000)) >> 2;
    *value = (x & UINT64_C(0x000000000fffffff)) | (x & UINT64_C(0x0fffffff00000000)) >> 4;
    return bits / 8;
}

int az_pb_varint_long(struct az_pb *m, uint64_t *value)
{
    uint64_t v = 0;
    if (m->end - m->p >= 8) {
        const unsigned n = varint_word(little_endian(m->p), value);
        if (n > 0) {
            m->p += n;
            return AZ_OK;
        }
    }
    for (unsigned i = 0; i < AZ_PB_VARINT; i++) {
        if (m->end - m->p <= (ptrdiff_t)i) {
            m->p = m->end; /* the message ends inside the number */
            return AZ_EFORMAT;
        }
        const uint8_t b = m->p[i];
        if (i == AZ_PB_VARINT - 1 && b > 1)
            break; /* more than 64 bits */
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (b < 0x80) {
            m->p += i + 1;
            *value = v;
            return AZ_OK;
        }
    }
    m->p += AZ_PB_VARINT - 1;
    return AZ_EFORMAT;
}

int az_pb_fixed(struct az_pb *m, unsigned wire, const uint8_t *tag, uint64_t *value)
{
    const size_t n = wire == AZ_PB_FIXED64 ? 8 : wire == AZ_PB_FIXED32 ? 4 : 0;
    uint64_t v = 0;
    if (n == 0) {
        m->p = tag; /* a group, or nothing at all */
        return AZ_EFORMAT;
    }
    if ((size_t)(m->end - m->p) < n) {
        m->p = m->end;
        return AZ_EFORMAT;
    }
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)m->p[i] << (8 * i);
    m->p += n;
    *value = v;
    return AZ_OK;
}

double az_pb_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

float az_pb_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

int az_pb_number(struct az_pb_numbers *it, uint64_t *value)
{
    if (it->has_single) {
        it->has_single = false;
        *value = it->single;
        return 1;
    }
    if (it->packed.p >= it->packed.end)
        return 0;
    const int rc = az_pb_varint(&it->packed, value);
    return rc ? rc : 1;
}

struct az_sv az_pb_find(struct az_sv message, uint32_t field)
{
    struct az_pb m = az_pb_of(message);
    struct az_sv bytes = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t value;
    while (az_pb_next(&m, &f, &wire, &value, &bytes) > 0)
        if (f == field && wire == AZ_PB_BYTES)
            return bytes;
    return (struct az_sv){ NULL, 0 };
}

int az_pb_pick(const struct az_pb *m, struct az_sv message, const struct az_pb_want *want, size_t n,
               struct az_pb *sub)
{
    struct az_pb in;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0;
    struct az_sv bytes = AZ_SV("");
    int rc = az_pb_sub(m, message, &in);

    if (sub)
        *sub = in;
    while (rc == 0 && (rc = az_pb_next(&in, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        for (size_t i = 0; i < n; i++) {
            if (want[i].field == field && want[i].number && wire == AZ_PB_INT)
                *want[i].number = value;
            else if (want[i].field == field && want[i].bytes && wire == AZ_PB_BYTES)
                *want[i].bytes = bytes;
        }
    }
    return rc;
}
