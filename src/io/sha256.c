#include "io/sha256.h"

#define BLOCK 64

static const uint32_t constants[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static void block(uint32_t h[8], const uint8_t *p)
{
    uint32_t w[BLOCK], s[8];

    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (size_t i = 16; i < BLOCK; i++) {
        uint32_t a = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, h, sizeof s);
    for (size_t i = 0; i < BLOCK; i++) {
        uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        uint32_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t m = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + a + m;
    }
    for (size_t i = 0; i < 8; i++)
        h[i] += s[i];
}

void az_sha256(struct az_sv data, uint8_t digest[AZ_SHA256_BYTES])
{
    uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    uint8_t tail[2 * BLOCK] = { 0 };
    size_t whole = data.n / BLOCK * BLOCK, rest = data.n - whole,
           end = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    const uint64_t bits = (uint64_t)data.n * 8;

    for (size_t at = 0; at < whole; at += BLOCK)
        block(h, (const uint8_t *)data.p + at);
    if (rest)
        memcpy(tail, data.p + whole, rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[end - 1 - i] = (uint8_t)(bits >> 8 * i);
    for (size_t at = 0; at < end; at += BLOCK)
        block(h, tail + at);
    for (size_t i = 0; i < AZ_SHA256_BYTES; i++)
        digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

size_t az_base64(const uint8_t *bytes, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t at = 0;

    for (size_t i = 0; i < n; i += 3) {
        uint32_t b = (uint32_t)bytes[i] << 16;
        b |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        b |= i + 2 < n ? bytes[i + 2] : 0;
        out[at++] = digits[b >> 18];
        out[at++] = digits[b >> 12 & 63];
        out[at++] = '=';
        out[at++] = '=';
        if (i + 1 < n)
            out[at - 2] = digits[b >> 6 & 63];
        if (i + 2 < n)
            out[at - 1] = digits[b & 63];
    }
    out[at] = '\0';
    return at;
}
