/* The parts of the wire reader that are not on every field's path. */
#include "text/protowire.h"

int az_protobuf_varint_long(struct az_protobuf *m, uint64_t *value)
{
    uint64_t v = 0;
    if (m->end - m->p >= 8) {
        const unsigned n = az_protobuf_varint_word(m->p, value);
        if (n > 0) {
            m->p += n;
            return AZ_OK;
        }
    }
    for (unsigned i = 0; i < AZ_PROTOBUF_VARINT; i++) {
        if (m->end - m->p <= (ptrdiff_t)i) {
            m->p = m->end; /* the message ends inside the number */
            return AZ_EFORMAT;
        }
        const uint8_t b = m->p[i];
        if (i == AZ_PROTOBUF_VARINT - 1 && b > 1)
            break; /* more than 64 bits */
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (b < 0x80) {
            m->p += i + 1;
            *value = v;
            return AZ_OK;
        }
    }
    m->p += AZ_PROTOBUF_VARINT - 1;
    return AZ_EFORMAT;
}

int az_protobuf_fixed(struct az_protobuf *m, unsigned wire, const uint8_t *tag, uint64_t *value)
{
    const size_t n = wire == AZ_PROTOBUF_FIXED64 ? 8 : wire == AZ_PROTOBUF_FIXED32 ? 4 : 0;
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

double az_protobuf_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

float az_protobuf_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

int az_protobuf_number(struct az_protobuf_numbers *it, uint64_t *value)
{
    if (it->has_single) {
        it->has_single = false;
        *value = it->single;
        return 1;
    }
    if (it->packed.p >= it->packed.end)
        return 0;
    const int rc = az_protobuf_varint(&it->packed, value);
    return rc ? rc : 1;
}

struct az_sv az_protobuf_find(struct az_sv message, uint32_t field)
{
    struct az_protobuf m = az_protobuf_of(message);
    struct az_sv bytes = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t value;
    while (az_protobuf_next(&m, &f, &wire, &value, &bytes) > 0)
        if (f == field && wire == AZ_PROTOBUF_BYTES)
            return bytes;
    return (struct az_sv){ NULL, 0 };
}

int az_protobuf_pick(const struct az_protobuf *m, struct az_sv message,
                     const struct az_protobuf_field *want, size_t n, struct az_protobuf *sub)
{
    struct az_protobuf in;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, message, &in);

    if (sub)
        *sub = in;
    while (rc == 0 && (rc = az_protobuf_next(&in, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        for (size_t i = 0; i < n; i++) {
            if (want[i].field == field && want[i].number && wire == AZ_PROTOBUF_INT)
                *want[i].number = value;
            else if (want[i].field == field && want[i].bytes && wire == AZ_PROTOBUF_BYTES)
                *want[i].bytes = bytes;
        }
    }
    return rc;
}
