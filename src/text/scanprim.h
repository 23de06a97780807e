/* Byte-scanning primitives of the JSON scanner: SSE2 and a portable form of each, with equal
 * results (a unit test compares them). All read at most 64 bytes beyond the first
 * byte that ends them, so the caller has 64 readable zero bytes after its data. */
#ifndef AZ_TEXT_SCANPRIM_H
#define AZ_TEXT_SCANPRIM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/num.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Masks of one 64-byte block, bit i for byte i. */
struct az_block {
    uint64_t quote, bracket; /* of any of the four kinds */
    bool backslash;          /* any */
};

/* ---- portable ---- */
static inline const char *az_find_string_end_portable(const char *p)
{
    for (;;) { /* eight bytes at once: a zero byte marks a hit in x ^ pattern */
        uint64_t x, ones = 0x0101010101010101u, high = 0x8080808080808080u;
        memcpy(&x, p, 8);
        uint64_t q = x ^ (ones * '"'), b = x ^ (ones * '\\');
        uint64_t hit = (((x - ones) & ~x) | ((q - ones) & ~q) | ((b - ones) & ~b)) & high;
        if (hit)
            break;
        p += 8;
    }
    while (*p != '"' && *p != '\\' && *p != 0)
        p++;
    return p;
}

/* The first n bytes, of a mask of n bits; b is aligned to 16. */
static inline bool az_equal32_portable(const char *a, const char *b, uint32_t mask)
{
    unsigned n = mask == UINT32_MAX ? 32 : (unsigned)__builtin_ctz(~mask);
    return memcmp(a, b, n) == 0; /* masks are always of the form 2^n - 1 */
}

static inline struct az_block az_block_portable(const char *p)
{
    struct az_block m = { 0, 0, false };
    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = (uint64_t)1 << i;
        char c = p[i];
        m.quote |= c == '"' ? bit : 0;
        m.backslash |= c == '\\';
        m.bracket |= c == '{' || c == '[' || c == '}' || c == ']' ? bit : 0;
    }
    return m;
}

#ifdef __SSE2__
static inline const char *az_find_string_end_sse2(const char *p)
{
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'),
                  zero = _mm_setzero_si128();
    for (;; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, back)),
                                   _mm_cmpeq_epi8(x, zero));
        unsigned m = (unsigned)_mm_movemask_epi8(hit);
        if (m)
            return p + __builtin_ctz(m);
    }
}

static inline bool az_equal32_sse2(const char *a, const char *b, uint32_t mask)
{
    const __m128i *x = (const __m128i *)(const void *)a, *y = (const __m128i *)(const void *)b;
    unsigned lo =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(x), _mm_load_si128(y)));
    unsigned hi =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(x + 1), _mm_load_si128(y + 1)));
    return (~(lo | hi << 16) & mask) ==
           0; /* one branch: literals of up to 16 bytes and longer ones are mixed */
}

#ifdef __AVX2__
static inline bool az_equal32_avx2(const char *a, const char *b, uint32_t mask)
{
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)a);
    const __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)b);
    return (~(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)) & mask) == 0;
}
#endif

static inline uint64_t az_mask64_sse2(const __m128i x[4])
{
    uint64_t m = 0;
    for (int i = 3; i >= 0; i--)
        m = m << 16 | (uint64_t)(unsigned)_mm_movemask_epi8(x[i]);
    return m;
}

/* '{' 0x7b and '[' 0x5b differ in bit 0x20 only, '}' and ']' the same: one compare finds both.
 * Bytes that differ from these in that bit and are no brackets do not exist. */
static inline struct az_block az_block_sse2(const char *p)
{
    const __m128i fold = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                  quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\');
    __m128i quotes[4], brackets[4], any = _mm_setzero_si128();
    for (int i = 0; i < 4; i++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p + i),
                      y = _mm_or_si128(x, fold);
        quotes[i] = _mm_cmpeq_epi8(x, quote);
        brackets[i] = _mm_or_si128(_mm_cmpeq_epi8(y, open), _mm_cmpeq_epi8(y, close));
        any = _mm_or_si128(any, _mm_cmpeq_epi8(x, back));
    }
    return (struct az_block){ az_mask64_sse2(quotes), az_mask64_sse2(brackets),
                              _mm_movemask_epi8(any) != 0 };
}
#define az_find_string_end az_find_string_end_sse2
#ifdef __AVX2__ /* a file whose name ends in _v3 (base/cpu.h) */
#define az_equal32 az_equal32_avx2
#else
#define az_equal32 az_equal32_sse2
#endif
#define az_block_masks az_block_sse2
#else
#define az_find_string_end az_find_string_end_portable
#define az_equal32         az_equal32_portable
#define az_block_masks     az_block_portable
#endif

/* Bit i = parity of bits 0..i: from quotes to "inside a string". */
static inline uint64_t az_prefix_xor(uint64_t x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    x ^= x << 32;
    return x;
}

/* First byte that ends a number or word: white space or another byte <= 0x20, `,`, `]` or `}`. */
static inline const char *az_find_token_end_portable(const char *p)
{
    while ((unsigned char)*p > ' ' && *p != ',' && *p != ']' && *p != '}')
        p++;
    return p;
}
#ifdef __SSE2__
static inline const char *az_find_token_end_sse2(const char *p)
{
    const __m128i comma = _mm_set1_epi8(','), square = _mm_set1_epi8(']'),
                  curly = _mm_set1_epi8('}'), space = _mm_set1_epi8(' ');
    for (;; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        __m128i hit =
            _mm_or_si128(_mm_cmpeq_epi8(x, comma), _mm_cmpeq_epi8(_mm_min_epu8(x, space), x));
        hit = _mm_or_si128(hit, _mm_or_si128(_mm_cmpeq_epi8(x, square), _mm_cmpeq_epi8(x, curly)));
        unsigned m = (unsigned)_mm_movemask_epi8(hit);
        if (m)
            return p + __builtin_ctz(m);
    }
}
#define az_find_token_end az_find_token_end_sse2
#else
#define az_find_token_end az_find_token_end_portable
#endif

/* First quote or bracket, or the zero byte that ends the data. */
static inline const char *az_find_bracket_portable(const char *p)
{
    while (*p != '"' && *p != '[' && *p != ']' && *p != '{' && *p != '}' && *p != 0)
        p++;
    return p;
}
#ifdef __SSE2__
static inline const char *az_find_bracket_sse2(const char *p)
{
    const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                  fold = _mm_set1_epi8(0x20);
    for (;; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p), y = _mm_or_si128(x, fold);
        __m128i hit =
            _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, _mm_setzero_si128()));
        hit = _mm_or_si128(hit, _mm_or_si128(_mm_cmpeq_epi8(y, open), _mm_cmpeq_epi8(y, close)));
        unsigned m = (unsigned)_mm_movemask_epi8(hit);
        if (m)
            return p + __builtin_ctz(m);
    }
}
#define az_find_bracket az_find_bracket_sse2
#else
#define az_find_bracket az_find_bracket_portable
#endif

static inline unsigned az_digits_portable(const char *p, uint64_t *value)
{
    unsigned n = 0;
    uint64_t v = 0;
    while (n < 16 && p[n] >= '0' && p[n] <= '9')
        v = v * 10 + (uint64_t)(p[n++] - '0');
    *value = v;
    return n;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Leading digits of the eight bytes x (0..8) and their value, without a branch on the digits: the
 * first byte that is no digit is found by arithmetic on all eight, the digits are moved to the high
 * end and folded pairwise. */
static inline unsigned az_digits8(uint64_t x, uint64_t *value)
{
    uint64_t y = x ^ 0x3030303030303030u; /* digits become 0..9 */
    uint64_t bad = ((y + 0x7676767676767676u) | y) &
                   0x8080808080808080u; /* 10 and more; a carry only spoils later bytes */
    unsigned n = 8;
    if (bad) {
        const unsigned bit = (unsigned)__builtin_ctzll(bad); /* 8 n + 7 */
        n = bit / 8;
        y = y << 1
              << (70 - bit); /* by 64 - 8 n, in two steps as it may be 64: only digits are left */
    }
    y = y * 2561 >> 8;
    y = (y & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    *value = (y & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
    return n;
}

/* Decimal digits at p, at most 16: their number and value. */
static inline unsigned az_digits(const char *p, uint64_t *value)
{
    uint64_t x, low;
    memcpy(&x, p, 8);
    unsigned n = az_digits8(x, value);
    if (n < 8)
        return n;
    memcpy(&x, p + 8, 8);
    n = az_digits8(x, &low);
    *value = *value * az_ten_to[n] + low;
    return 8 + n;
}
#else
#define az_digits az_digits_portable
#endif

#endif
