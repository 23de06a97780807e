/* String views: comparison, search, glob, edit distance. Nothing here allocates. */
#include "base/sv.h"

#include <stdint.h>

#include "base/swar.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static unsigned char lower_case(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool same_folded(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (lower_case(a[i]) != lower_case(b[i]))
            return false;
    }
    return true;
}

int az_sv_cmp(struct az_sv a, struct az_sv b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c != 0)
        return c;
    return (a.n > b.n) - (a.n < b.n);
}

bool az_sv_ieq(struct az_sv a, struct az_sv b) { return a.n == b.n && same_folded(a.p, b.p, a.n); }

bool az_sv_starts(struct az_sv a, struct az_sv prefix)
{
    return a.n >= prefix.n && (prefix.n == 0 || memcmp(a.p, prefix.p, prefix.n) == 0);
}

bool az_sv_ends(struct az_sv a, struct az_sv suffix)
{
    return a.n >= suffix.n &&
           (suffix.n == 0 || memcmp(a.p + (a.n - suffix.n), suffix.p, suffix.n) == 0);
}

ptrdiff_t az_sv_find(struct az_sv hay, struct az_sv needle)
{
    if (needle.n == 0)
        return 0;
    if (needle.n > hay.n)
        return -1;
    const char *at = hay.p, *last = hay.p + (hay.n - needle.n);
#ifdef __SSE2__
    /* sixteen places at a time where the first and the last byte stand */
    const __m128i first = _mm_set1_epi8(needle.p[0]), end = _mm_set1_epi8(needle.p[needle.n - 1]);
    for (; last - at >= 15; at += 16) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(at + needle.n - 1));
        const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(a, first), _mm_cmpeq_epi8(b, end));
        for (unsigned m = (unsigned)_mm_movemask_epi8(both); m; m &= m - 1) {
            const char *p = at + __builtin_ctz(m);
            if (memcmp(p, needle.p, needle.n) == 0)
                return p - hay.p;
        }
    }
#endif
    while (at <= last) {
        at = memchr(at, needle.p[0], (size_t)(last - at) + 1);
        if (at == NULL)
            return -1;
        if (memcmp(at, needle.p, needle.n) == 0)
            return at - hay.p;
        at++;
    }
    return -1;
}

/* May the needle begin at one of the places from `at` on? Decided for eight of them by its first
 * two letters, whose cases differ in one bit; a letter and another byte that differ in it count as
 * equal here. */
static bool may_begin(const char *at, uint64_t first, uint64_t second)
{
    const uint64_t bit = AZ_EIGHT(0x20), x = (az_eight(at) | bit) ^ first,
                   y = (az_eight(at + 1) | bit) ^ second;
    return (az_eight_below(x, 1) & az_eight_below(y, 1)) != 0;
}

#ifdef __SSE2__
/* The first of sixteen places at which the needle is; -1: none. Only those are compared where its
 * first and its last letter may be: both in any case, and what differs from them by the same bit.
 */
static ptrdiff_t ifind_sixteen(const char *at, struct az_sv needle)
{
    const __m128i bit = _mm_set1_epi8(0x20), first = _mm_set1_epi8((char)(needle.p[0] | 0x20)),
                  end = _mm_set1_epi8((char)(needle.p[needle.n - 1] | 0x20));
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(at + needle.n - 1));
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(_mm_or_si128(a, bit), first),
                                       _mm_cmpeq_epi8(_mm_or_si128(b, bit), end));
    for (unsigned m = (unsigned)_mm_movemask_epi8(both); m; m &= m - 1)
        if (same_folded(at + __builtin_ctz(m), needle.p, needle.n))
            return __builtin_ctz(m);
    return -1;
}
#endif

ptrdiff_t az_sv_ifind(struct az_sv hay, struct az_sv needle)
{
    if (needle.n == 0)
        return 0;
    if (needle.n > hay.n)
        return -1;
    const unsigned char first = lower_case(needle.p[0]);
    const size_t places = hay.n - needle.n + 1;
    size_t i = 0;
#ifdef __SSE2__
    while (places >= 16 && i < places) {
        i = i + 16 <= places ? i : places - 16; /* the last ones: some of them once more */
        const ptrdiff_t at = ifind_sixteen(hay.p + i, needle);
        if (at >= 0)
            return (ptrdiff_t)i + at;
        i += 16;
    }
#endif
    const uint64_t one = AZ_EIGHT(needle.p[0] | 0x20),
                   two = AZ_EIGHT(needle.n > 1 ? needle.p[1] | 0x20 : 0);
    for (; i < places; i++) {
        while (needle.n > 1 && i + 9 <= hay.n && !may_begin(hay.p + i, one, two))
            i += 8;
        const size_t until = i + 8 < places ? i + 8 : places;
        for (; i < until; i++)
            if (lower_case(hay.p[i]) == first &&
                same_folded(hay.p + i + 1, needle.p + 1, needle.n - 1))
                return (ptrdiff_t)i;
        i--;
    }
    return -1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

struct az_sv az_sv_trim(struct az_sv a)
{
    while (a.n > 0 && is_blank(a.p[0])) {
        a.p++;
        a.n--;
    }
    while (a.n > 0 && is_blank(a.p[a.n - 1]))
        a.n--;
    return a;
}

struct az_sv az_sv_cut(struct az_sv *rest, char separator)
{
    const char *at = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    const struct az_sv head = az_sv_make(rest->p, at ? (size_t)(at - rest->p) : rest->n);
    const size_t used = head.n + (at ? 1 : 0);
    if (used) /* an empty view may have no address */
        *rest = az_sv_make(rest->p + used, rest->n - used);
    return head;
}

/* Set at pattern.p[*at] == '[': 1 matches c, 0 does not, -1 there is no closing bracket, so the '['
 * is a letter.
 * `]` as the first member stands for itself; `!` or `^` negates. *at moves after the set. */
static int match_set(struct az_sv pattern, size_t *at, char c)
{
    size_t i = *at + 1;
    bool negate = i < pattern.n && (pattern.p[i] == '!' || pattern.p[i] == '^');
    if (negate)
        i++;
    bool hit = false, first = true;
    const unsigned char u = (unsigned char)c;
    while (i < pattern.n && (first || pattern.p[i] != ']')) {
        first = false;
        unsigned char lo = (unsigned char)pattern.p[i], hi = lo;
        if (i + 2 < pattern.n && pattern.p[i + 1] == '-' && pattern.p[i + 2] != ']') {
            hi = (unsigned char)pattern.p[i + 2];
            i += 2;
        }
        hit = hit || (u >= lo && u <= hi);
        i++;
    }
    if (i >= pattern.n)
        return -1;
    *at = i + 1;
    return hit != negate;
}

/* One pattern element other than `*` against c; *at moves after it on a match. */
static bool match_one(struct az_sv pattern, size_t *at, char c)
{
    const char p = pattern.p[*at];
    if (p == '[') {
        size_t behind = *at;
        int m = match_set(pattern, &behind, c);
        if (m >= 0) {
            *at = behind;
            return m == 1;
        }
    }
    if (p != '?' && p != c)
        return false;
    (*at)++;
    return true;
}

/* Only the last `*` needs to be tried again, so the time is at most pattern times text. */
bool az_sv_glob(struct az_sv pattern, struct az_sv text)
{
    size_t p = 0, t = 0, star_p = SIZE_MAX, star_t = 0;
    while (t < text.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star_p = ++p;
            star_t = t;
            continue;
        }
        size_t next = p;
        if (p < pattern.n && match_one(pattern, &next, text.p[t])) {
            p = next;
            t++;
            continue;
        }
        if (star_p == SIZE_MAX)
            return false;
        p = star_p;
        t = ++star_t;
        const char first = p < pattern.n ? pattern.p[p] : '*';
        if (first != '*' && first != '?' && first != '[') { /* on to where it can match at all */
            const char *at = t < text.n ? memchr(text.p + t, first, text.n - t) : NULL;
            if (!at)
                return false;
            t = star_t = (size_t)(at - text.p);
        }
    }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

enum { DISTANCE_MAX = 128 }; /* longer words (after cutting common ends) count as different */

unsigned az_sv_distance(struct az_sv a, struct az_sv b, unsigned max)
{
    while (a.n > 0 && b.n > 0 && a.p[0] == b.p[0])
        a = az_sv_make(a.p + 1, a.n - 1), b = az_sv_make(b.p + 1, b.n - 1);
    while (a.n > 0 && b.n > 0 && a.p[a.n - 1] == b.p[b.n - 1])
        a.n--, b.n--;
    const size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > max)
        return max + 1;
    if (a.n == 0 || b.n == 0)
        return (unsigned)gap;
    if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
        return max + 1;
    unsigned row[DISTANCE_MAX + 1]; /* distance of a[0..i) to b[0..j) */
    for (size_t j = 0; j <= b.n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.n; j++) {
            unsigned best = diagonal + (a.p[i - 1] != b.p[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b.n] > max ? max + 1 : row[b.n];
}
