/* A set of numbers below a bound that also counts those below a number: a table over many numbers
 * of which few have an entry stores the entries one after another, by rank. A quarter of a byte per
 * number. */
#ifndef AZ_BASE_RANK_BITMAP_H
#define AZ_BASE_RANK_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct az_rank_word {
    uint64_t bits;
    uint64_t before; /* members in the words before; after az_rank_close */
};
/* Words for numbers up to and including `most`; the caller's room, zeroed. */
static inline size_t az_rank_words(size_t most) { return most / 64 + 1; }
static inline void az_rank_set(struct az_rank_word *v, size_t i)
{
    v[i / 64].bits |= (uint64_t)1 << (i % 64);
}
static inline bool az_rank_has(const struct az_rank_word *v, size_t i)
{
    return v[i / 64].bits >> (i % 64) & 1;
}
/* Bits that are set; without an instruction for it, which not every processor has. */
static inline uint64_t az_rank_count(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}
static inline void az_rank_close(struct az_rank_word *v, size_t most)
{
    uint64_t before = 0;
    for (size_t i = 0; i < az_rank_words(most); i++) {
        v[i].before = before;
        before += az_rank_count(v[i].bits);
    }
}
/* Members below i. */
static inline size_t az_rank(const struct az_rank_word *v, size_t i)
{
    const uint64_t below = v[i / 64].bits & (((uint64_t)1 << (i % 64)) - 1);
    return (size_t)(v[i / 64].before + az_rank_count(below));
}

#endif
