/* Base64 (base64.h). */
#include "io/base64.h"

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
