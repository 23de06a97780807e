/* Mutations that leave the syntax of JSON and of protobuf as it is, three of four times; else, and
 * for other bytes, those of libFuzzer. */
#ifndef AZ_TESTS_MUTATE_H
#define AZ_TESTS_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum fuzz_syntax { FUZZ_BYTES, FUZZ_JSON, FUZZ_PROTOBUF };

/* Of libFuzzer; a replay is linked without it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

struct fuzz_random {
    uint64_t state;
};
static inline size_t fuzz_below(struct fuzz_random *r, size_t n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(r->state >> 33) % n : 0;
}

/* Puts `by` in place of the bytes from..to. The new size, or the old one where there is no room. */
static inline size_t fuzz_splice(uint8_t *data, size_t size, size_t most, size_t from, size_t to,
                                 const void *by, size_t n)
{
    if (size - (to - from) + n > most)
        return size;
    memmove(data + from + n, data + to, size - to);
    memcpy(data + from, by, n);
    return size - (to - from) + n;
}

/* ---- JSON ---- */

static inline size_t fuzz_json_string(const uint8_t *d, size_t size, size_t at)
{
    for (at++; at < size && d[at] != '"'; at++)
        at += d[at] == '\\';
    return at < size ? at + 1 : size;
}

/* The end of the value that begins at `at`. */
static inline size_t fuzz_json_end(const uint8_t *d, size_t size, size_t at)
{
    size_t depth = 0;
    while (at < size) {
        if (d[at] == '"') {
            at = fuzz_json_string(d, size, at);
        } else if (d[at] == '[' || d[at] == '{') {
            depth++;
            at++;
        } else if (d[at] == ']' || d[at] == '}') {
            at += depth > 0;
            depth -= depth > 0;
        } else if (depth == 0) {
            while (at < size && !strchr(",]}: \n", d[at]))
                at++;
        } else {
            at++;
        }
        if (depth == 0)
            return at;
    }
    return size;
}

/* The start of a value behind a random place: after a colon, a comma or a bracket. */
static inline size_t fuzz_json_value(const uint8_t *d, size_t size, struct fuzz_random *r)
{
    size_t at = fuzz_below(r, size);
    while (at < size && d[at] != ':' && d[at] != ',' && d[at] != '[')
        at++;
    for (at++; at < size && (d[at] == ' ' || d[at] == '\n');)
        at++;
    return at < size ? at : size;
}

static inline size_t fuzz_json(uint8_t *d, size_t size, size_t most, struct fuzz_random *r)
{
    static const char *const values[] = { "0",
                                          "-1",
                                          "1e308",
                                          "NaN",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "1e-300",
                                          "0.1",
                                          "null",
                                          "true",
                                          "\"\"",
                                          "\"\\u006bernel\"",
                                          "\"kernel\"",
                                          "[]",
                                          "{}",
                                          "\"X\"",
                                          "\"B\"",
                                          "\"E\"",
                                          "\"gpu_memcpy\"",
                                          "\"cuda_runtime\"",
                                          "[[]]",
                                          "\"\\n\"",
                                          "1.5",
                                          "4294967296",
                                          "\"18446744073709551615\"" };
    const size_t from = fuzz_json_value(d, size, r), to = fuzz_json_end(d, size, from);
    uint8_t copy[4096];
    if (from >= size || to <= from)
        return size;
    switch (fuzz_below(r, 4)) {
    case 0: { /* another value */
        const char *v = values[fuzz_below(r, sizeof values / sizeof *values)];
        return fuzz_splice(d, size, most, from, to, v, strlen(v));
    }
    case 1: /* a value without its comma is left out */
        return fuzz_splice(d, size, most, from, to + (to < size && d[to] == ','), "", 0);
    case 2: { /* once more */
        const size_t n = to - from < sizeof copy - 1 ? to - from : 0;
        memcpy(copy, d + from, n);
        copy[n] = ',';
        return n ? fuzz_splice(d, size, most, from, from, copy, n + 1) : size;
    }
    default: { /* a value of another place */
        const size_t other = fuzz_json_value(d, size, r), end = fuzz_json_end(d, size, other);
        const size_t n = other < size && end - other < sizeof copy ? end - other : 0;
        memcpy(copy, d + (n ? other : 0), n);
        return n ? fuzz_splice(d, size, most, from, to, copy, n) : size;
    }
    }
}

/* ---- protobuf ---- */

enum { FUZZ_DEPTH = 8 };
struct fuzz_field {
    size_t tag, value, end;    /* places */
    size_t length[FUZZ_DEPTH]; /* places of the lengths around it, outermost first */
    size_t depth;
    unsigned wire;
};

static inline bool fuzz_varint(const uint8_t *d, size_t end, size_t *at, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        *v |= (uint64_t)(d[*at] & 0x7f) << shift;
        if (!(d[(*at)++] & 0x80))
            return true;
    }
    return false;
}

static inline bool fuzz_field_at(const uint8_t *d, size_t end, size_t at, struct fuzz_field *f)
{
    uint64_t tag, n = 0;
    f->tag = at;
    if (!fuzz_varint(d, end, &at, &tag) || !(tag >> 3))
        return false;
    f->wire = tag & 7;
    f->value = at;
    if (f->wire == 0)
        return fuzz_varint(d, end, &at, &n) && (f->end = at) != 0;
    if (f->wire == 2 && !fuzz_varint(d, end, &at, &n))
        return false;
    if (f->wire != 1 && f->wire != 2 && f->wire != 5)
        return false;
    n = f->wire == 1 ? 8 : f->wire == 5 ? 4 : n;
    f->end = at + (size_t)n;
    return n <= end - at;
}

/* A random field, at a random depth. */
static inline bool fuzz_pick(const uint8_t *d, size_t size, struct fuzz_random *r,
                             struct fuzz_field *out)
{
    size_t from = 0, end = size;
    *out = (struct fuzz_field){ .depth = 0 };
    for (;;) {
        struct fuzz_field f = *out, chosen = *out;
        size_t n = 0;
        for (size_t at = from; at < end && fuzz_field_at(d, end, at, &f); at = f.end)
            if (fuzz_below(r, ++n) == 0)
                chosen = f;
        if (!n)
            return out->depth > 0;
        *out = chosen;
        if (chosen.wire != 2 || out->depth + 1 == FUZZ_DEPTH || fuzz_below(r, 4) == 0)
            return true;
        struct fuzz_field inner;
        size_t at = chosen.value;
        uint64_t length;
        if (!fuzz_varint(d, size, &at, &length) || !fuzz_field_at(d, chosen.end, at, &inner))
            return true;
        out->length[out->depth++] = chosen.value;
        from = at;
        end = chosen.end;
    }
}

static inline size_t fuzz_put_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t)(v | 0x80);
    to[n++] = (uint8_t)v;
    return n;
}

/* The lengths around a place grow by `more`, the innermost first, since a length may grow itself.
 */
static inline size_t fuzz_fix_lengths(uint8_t *d, size_t size, size_t most,
                                      const struct fuzz_field *f, ptrdiff_t more)
{
    for (size_t i = f->depth; i-- > 0;) {
        size_t at = f->length[i];
        uint64_t n;
        uint8_t text[10];
        if (!fuzz_varint(d, size, &at, &n))
            return size;
        const size_t k = fuzz_put_varint(text, n + (uint64_t)(int64_t)more), was = size;
        size = fuzz_splice(d, size, most, f->length[i], at, text, k);
        more += (ptrdiff_t)size - (ptrdiff_t)was;
    }
    return size;
}

static inline size_t fuzz_protobuf(uint8_t *d, size_t size, size_t most, struct fuzz_random *r)
{
    static const uint64_t numbers[] = { 0,     1,          2,         127,        128,
                                        65535, UINT32_MAX, INT64_MAX, UINT64_MAX, 1000000000000 };
    struct fuzz_field f;
    uint8_t copy[4096];
    size_t n;
    if (!fuzz_pick(d, size, r, &f))
        return size;
    const size_t was = size;
    if (f.wire == 0 && fuzz_below(r, 2)) { /* another number */
        n = fuzz_put_varint(copy, numbers[fuzz_below(r, sizeof numbers / sizeof *numbers)]);
        size = fuzz_splice(d, size, most, f.value, f.end, copy, n);
    } else if (fuzz_below(r, 2)) { /* left out */
        size = fuzz_splice(d, size, most, f.tag, f.end, "", 0);
    } else { /* once more */
        n = f.end - f.tag < sizeof copy ? f.end - f.tag : 0;
        memcpy(copy, d + f.tag, n);
        size = fuzz_splice(d, size, most, f.end, f.end, copy, n);
    }
    return fuzz_fix_lengths(d, size, most, &f, (ptrdiff_t)size - (ptrdiff_t)was);
}

static inline size_t fuzz_mutate(enum fuzz_syntax syntax, uint8_t *data, size_t size, size_t most,
                                 unsigned seed)
{
    struct fuzz_random r = { seed };
    const bool keeps = syntax != FUZZ_BYTES && size > 0 && fuzz_below(&r, 4) > 0;
    if (!keeps)
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    return syntax == FUZZ_JSON ? fuzz_json(data, size, most, &r)
                               : fuzz_protobuf(data, size, most, &r);
}

#endif
