/* Eight bytes at a time: is there one of some kind among them? Exact for that question; which of
 * the bytes it is requires a search. */
#ifndef AZ_BASE_SWAR_H
#define AZ_BASE_SWAR_H

#include <stdint.h>
#include <string.h>

#define AZ_EIGHT(byte) (UINT64_C(0x0101010101010101) * (unsigned char)(byte))

static inline uint64_t az_eight(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}
/* Not 0 if one of them is below `limit`, which is at most 128. */
static inline uint64_t az_eight_below(uint64_t x, unsigned char limit)
{
    return (x - AZ_EIGHT(limit)) & ~x & AZ_EIGHT(0x80);
}
static inline uint64_t az_eight_has(uint64_t x, char byte)
{
    return az_eight_below(x ^ AZ_EIGHT(byte), 1);
}

#endif
