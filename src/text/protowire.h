/* Protocol buffer wire format: a cursor over the fields of one message. Bounded (no length passes
 * the end of its message), depth-limited, without allocation: length-delimited fields are views
 * into the input.
 *
 *     struct az_protobuf m = az_protobuf_of(bytes), sub;
 *     while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0)
 *         if (field == 3 && wire == AZ_PROTOBUF_BYTES && (rc = az_protobuf_sub(&m, bytes, &sub)) ==
 * 0) ...
 *
 * Every error is AZ_EFORMAT with the cursor at the byte that is wrong; `p - start of input` is the
 * offset for a message. */
#ifndef AZ_TEXT_PROTOWIRE_H
#define AZ_TEXT_PROTOWIRE_H

#include <stdint.h>

#include "base/err.h"
#include "base/sv.h"

#define AZ_PROTOBUF_DEPTH  64 /* messages within messages */
#define AZ_PROTOBUF_VARINT 10 /* bytes of the longest varint */

enum {
    AZ_PROTOBUF_INT = 0,
    AZ_PROTOBUF_FIXED64 = 1,
    AZ_PROTOBUF_BYTES = 2,
    AZ_PROTOBUF_FIXED32 = 5
}; /* 3, 4 (groups), 6, 7 are errors */

struct az_protobuf {
    const uint8_t *p, *end;
    unsigned depth; /* of this message; 0: outermost */
};

static inline struct az_protobuf az_protobuf_of(struct az_sv bytes)
{
    const uint8_t *p = (const uint8_t *)(bytes.p ? bytes.p : "");
    return (struct az_protobuf){ p, p + bytes.n, 0 };
}

/* Cursor over a message that is in a field of `m`. AZ_EFORMAT beyond AZ_PROTOBUF_DEPTH. */
static inline int az_protobuf_sub(const struct az_protobuf *m, struct az_sv bytes,
                                  struct az_protobuf *out)
{
    *out = az_protobuf_of(bytes);
    out->depth = m->depth + 1;
    return out->depth > AZ_PROTOBUF_DEPTH ? AZ_EFORMAT : AZ_OK;
}

/* A varint of any length up to 10 bytes; the 10th may only have one bit. What is after 64 bits is
 * an error, as is the end of the message inside it. */
int az_protobuf_varint_long(struct az_protobuf *m, uint64_t *value) AZ_MUST_USE;
static inline int az_protobuf_varint(struct az_protobuf *m, uint64_t *value)
{
    if (m->p < m->end && *m->p < 0x80) {
        *value = *m->p++;
        return AZ_OK;
    }
    if (m->end - m->p >= 2 && m->p[1] < 0x80) {
        *value = (uint64_t)(m->p[0] & 0x7f) | (uint64_t)m->p[1] << 7;
        m->p += 2;
        return AZ_OK;
    }
    return az_protobuf_varint_long(m, value);
}

/* Writes one, of AZ_PROTOBUF_VARINT bytes at most: returns the place after it. */
static inline uint8_t *az_protobuf_put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

/* A varint of up to 8 bytes where 8 bytes can be read at p: the first byte without its top bit ends
 * the number; the groups of seven bits are then pushed together, pairwise. How many bytes it has;
 * 0: it is longer. */
static inline unsigned az_protobuf_varint_word(const uint8_t *p, uint64_t *value)
{
    /* One load on the machines that store numbers so. */
    const uint64_t word = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
                          (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
                          (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
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

/* The rest of a field whose tag is read: fixed64, fixed32, or a wire type that is none. */
int az_protobuf_fixed(struct az_protobuf *m, unsigned wire, const uint8_t *tag,
                      uint64_t *value) AZ_MUST_USE;

/* Next field: 1 and its number and wire type; 0 at the end; AZ_EFORMAT. `value` is for numbers
 * (also the bits of fixed32 and fixed64), `bytes` length-delimited fields; the other is left as it
 * was.
 */
static inline int az_protobuf_next(struct az_protobuf *m, uint32_t *field, unsigned *wire,
                                   uint64_t *value, struct az_sv *bytes)
{
    const uint8_t *tag = m->p;
    uint64_t v;
    int rc;
    *field = 0;
    *wire = 0;
    if (m->p >= m->end)
        return 0;
    if ((rc = az_protobuf_varint(m, &v)) != 0)
        return rc;
    *field = (uint32_t)(v >> 3);
    *wire = (unsigned)(v & 7);
    if (v < 8 || v > UINT32_MAX) {
        m->p = tag;
        return AZ_EFORMAT;
    }
    if (*wire == AZ_PROTOBUF_INT) {
        rc = az_protobuf_varint(m, value);
        return rc ? rc : 1;
    }
    if (*wire != AZ_PROTOBUF_BYTES) {
        rc = az_protobuf_fixed(m, *wire, tag, value);
        return rc ? rc : 1;
    }
    const uint8_t *length = m->p;
    if ((rc = az_protobuf_varint(m, &v)) != 0)
        return rc;
    if (v > (uint64_t)(m->end - m->p)) {
        m->p = length;
        return AZ_EFORMAT;
    }
    *bytes = az_sv_make((const char *)m->p, (size_t)v);
    m->p += v;
    return 1;
}

/* ---- values ---- */
static inline int64_t az_protobuf_zigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
/* Writes a difference of either sign, as two's complement, in that form. */
static inline uint8_t *az_protobuf_put_zigzag(uint8_t *p, uint64_t v)
{
    return az_protobuf_put_varint(p, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}
double az_protobuf_double(uint64_t bits); /* of a fixed64 */
float az_protobuf_float(uint64_t bits);   /* of a fixed32 */

/* Numbers of a repeated varint field: one for a field of wire type AZ_PROTOBUF_INT, all for a
 * packed one. struct az_protobuf_numbers it = az_protobuf_numbers(wire, value, bytes); while ((rc =
 * az_protobuf_number(&it, &x)) > 0) ... */
struct az_protobuf_numbers {
    struct az_protobuf packed;
    uint64_t single;
    bool has_single;
};
static inline struct az_protobuf_numbers az_protobuf_numbers(unsigned wire, uint64_t value,
                                                             struct az_sv bytes)
{
    if (wire == AZ_PROTOBUF_BYTES)
        return (struct az_protobuf_numbers){ .packed = az_protobuf_of(bytes) };
    return (struct az_protobuf_numbers){ .single = value, .has_single = wire == AZ_PROTOBUF_INT };
}
/* 1 and the next number, 0 at the end, AZ_EFORMAT. */
int az_protobuf_number(struct az_protobuf_numbers *it, uint64_t *value) AZ_MUST_USE;

/* The required fields of a small message: the last of each, the others are skipped. What
 * is not in the message is left as it was. Cursor over it (for messages in it) in *sub; NULL. */
struct az_protobuf_field {
    uint32_t field;
    uint64_t *number;    /* of wire type AZ_PROTOBUF_INT; NULL: not a number */
    struct az_sv *bytes; /* of AZ_PROTOBUF_BYTES; NULL */
};
int az_protobuf_pick(const struct az_protobuf *m, struct az_sv message,
                     const struct az_protobuf_field *want, size_t n,
                     struct az_protobuf *sub) AZ_MUST_USE;

/* The first length-delimited field of that number, or the empty view with p NULL where there is
 * none (also where the message is damaged before it). For messages of which only one part is
 * required. */
struct az_sv az_protobuf_find(struct az_sv message, uint32_t field);

#endif
