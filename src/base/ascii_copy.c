/* Texts copied sixteen or eight bytes at a time. */
#include "base/ascii_copy.h"

#include "base/swar.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool copy_eight(const char *p, char a, char b, char *to)
{
    const uint64_t x = az_eight(p);
    memcpy(to, &x, sizeof x);
    return ((x & AZ_EIGHT(0x80)) | az_eight_below(x, 0x20) | az_eight_has(x, 0x7f) |
            az_eight_has(x, a) | az_eight_has(x, b)) == 0;
}

static bool copy_short(struct az_sv text, char a, char b, char *to)
{
    char eight[8] = "        ";
    for (size_t i = 0; i < text.n; i++)
        eight[i] = text.p[i];
    return copy_eight(eight, a, b, to);
}

bool az_copy_plain(struct az_sv text, char a, char b, char *to)
{
    const size_t n = text.n;
    size_t i = 0;
    if (n < 8)
        return copy_short(text, a, b, to);
#ifdef __SSE2__
    const __m128i not_a = _mm_set1_epi8(a), not_b = _mm_set1_epi8(b);
    for (; i + 16 <= n; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(text.p + i));
        const __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20)), /* not ASCII, too */
            high = _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f)),
                      either = _mm_or_si128(_mm_cmpeq_epi8(x, not_a), _mm_cmpeq_epi8(x, not_b));
        _mm_storeu_si128((__m128i *)(void *)(to + i), x);
        if (_mm_movemask_epi8(_mm_or_si128(either, _mm_or_si128(low, high))))
            return false;
    }
#endif
    for (; i + 8 <= n; i += 8)
        if (!copy_eight(text.p + i, a, b, to + i))
            return false;
    return copy_eight(text.p + n - 8, a, b, to + n - 8);
}
