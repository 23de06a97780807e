/* Bit-parallel indexing of CSV: a mask of 64 bits per character class and 64 bytes; the prefix XOR
 * of the quote mask marks the bytes inside quotes, and a doubled quote flips it twice, so that it
 * needs no care. */
#include "text/csv_index.h"

void az_csv_index_start(struct az_csv_index *x, size_t at)
{
    x->base = x->scanned = at;
    x->blocks = x->block = 0;
    x->left = 0;
    x->in_quote = 0;
    x->may_open = 1;
    x->was_closed = 0;
    x->doubled = x->breaks = x->irregular = false;
}

#if AZ_CSV_SIMD
#include <emmintrin.h>

/* Unrolled by hand: at -O2 the compiler leaves the loops, and the block in memory. */
struct block {
    __m128i a, b, c, d;
};

static inline struct block load_block(const char *p)
{
    const __m128i *q = (const __m128i *)(const void *)p;
    return (struct block){ _mm_loadu_si128(q), _mm_loadu_si128(q + 1), _mm_loadu_si128(q + 2),
                           _mm_loadu_si128(q + 3) };
}

static inline uint64_t equal16(__m128i v, __m128i k)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, k));
}

static inline uint64_t equal(const struct block *b, char c)
{
    __m128i k = _mm_set1_epi8(c);
    return equal16(b->a, k) | equal16(b->b, k) << 16 |
           (equal16(b->c, k) | equal16(b->d, k) << 16) << 32;
}

/* Bit i of the result: XOR of bits 0..i. */
static inline uint64_t prefix_xor(uint64_t m)
{
    m ^= m << 1;
    m ^= m << 2;
    m ^= m << 4;
    m ^= m << 8;
    m ^= m << 16;
    return m ^ m << 32;
}

/* What one block hands to the next, in registers while a chunk is indexed. */
struct carry {
    uint64_t in_quote, may_open, was_closed; /* as in struct az_csv_index */
    uint64_t doubled, breaks;                /* not 0: seen in some block */
};

/* Ends of fields in one block of which the bytes of `valid` count. *wrong: irregular quotes; ends
 * stop before them. */
static inline uint64_t index_block(struct carry *k, const char *p, uint64_t valid, char sep,
                                   uint64_t *wrong)
{
    struct block b = load_block(p);
    uint64_t quote = equal(&b, '"') & valid, newline = equal(&b, '\n');
    uint64_t inside =
        prefix_xor(quote) ^ k->in_quote; /* 1 from the opening quote up to before the closing one */
    uint64_t open = quote & inside, close = quote ^ open;
    uint64_t ends = (equal(&b, sep) | newline) & valid & ~inside;
    *wrong = open & ~((ends | close) << 1 | k->may_open);
    k->doubled |= open & (close << 1 | k->was_closed);
    k->breaks |= newline & valid & inside;
    k->in_quote = (uint64_t)0 - (inside >> 63);
    k->may_open = (ends | close) >> 63;
    k->was_closed = close >> 63;
    return ends;
}

void az_csv_index_chunk(struct az_csv_index *x, const char *w, size_t end, bool last, char sep)
{
    struct carry k = { .in_quote = x->in_quote,
                       .may_open = x->may_open,
                       .was_closed = x->was_closed };
    size_t at = x->scanned, blocks = 0;
    uint64_t wrong = 0;
    if (end - at > AZ_CSV_CHUNK) {
        end = at + AZ_CSV_CHUNK;
        last = false;
    }
    x->base = at;
    for (; end - at >= AZ_CSV_BLOCK && !wrong; at += AZ_CSV_BLOCK)
        x->ends[blocks++] = index_block(&k, w + at, ~(uint64_t)0, sep, &wrong);
    if (last && at < end && !wrong) {
        x->ends[blocks++] = index_block(&k, w + at, ((uint64_t)1 << (end - at)) - 1, sep, &wrong);
        at = end;
    }
    if (wrong)
        x->ends[blocks - 1] &= (wrong & -wrong) - 1;
    x->scanned = at;
    x->blocks = blocks;
    x->block = 0;
    x->left = blocks ? x->ends[0] : 0;
    x->in_quote = k.in_quote;
    x->may_open = k.may_open;
    x->was_closed = k.was_closed;
    x->doubled = k.doubled != 0;
    x->breaks = k.breaks != 0;
    x->irregular = wrong != 0;
}
#else
void az_csv_index_chunk(struct az_csv_index *x, const char *w, size_t end, bool last, char sep)
{
    (void)x, (void)w, (void)end, (void)last, (void)sep;
}
#endif
