/* Forms of names: docs/performance.md 13. */
#include "classify/name_normalize.h"

#include "base/intern.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }
static bool is_letter(char c) { return (unsigned char)((c | 0x20) - 'a') < 26; }

/* Copies what is before the next digit, at most sixteen bytes, which can all be read; how many.
 */
static size_t copy_plain(const char *p, char *to)
{
#ifdef __SSE2__
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i digit = _mm_cmplt_epi8(_mm_add_epi8(x, _mm_set1_epi8((char)(0x80 - '0'))),
                                         _mm_set1_epi8((char)(0x80 + 10)));
    _mm_storeu_si128((__m128i *)(void *)to, x);
    return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8(digit) | 0x10000);
#else
    size_t i = 0;
    for (; i < 16 && !is_digit(p[i]); i++)
        to[i] = p[i];
    return i;
#endif
}

/* Writes the form of a name that is not too long; its length. */
static size_t form_of(struct az_sv name, char *out)
{
    char p[AZ_FORM_MAX + 16];
    size_t i = 0, n = 0;
    memcpy(p, name.p, name.n);
    memset(p + name.n, 0, 16);
    for (;;) {
        const size_t plain = copy_plain(p + i, out + n);
        i += plain;
        n += plain;
        if (i >= name.n)
            return n - (i - name.n);
        const size_t from = i;
        while (is_digit(p[i]))
            i++;
        if (i == from)
            continue;
        const bool begins = from > 0 && is_letter(p[from - 1]), goes_on = is_letter(p[i]);
        if (!begins && !goes_on) {
            out[n++] = '0';
            continue;
        }
        memcpy(out + n, p + from, i - from);
        n += i - from;
    }
}

struct az_form_place *az_forms_find(struct az_forms *f, struct az_sv name, bool *known)
{
    struct az_form_place *next = &f->next;
    *known = false;
    if (name.n == 0 || name.n > AZ_FORM_MAX || az_sv_starts(name, AZ_SV("_Z")))
        return NULL;
    next->n = (uint16_t)form_of(name, next->text);
    next->hash = (uint32_t)az_hash(next->text, next->n);
    struct az_form_place *at = &f->v[next->hash % AZ_FORMS];
    *known = at->n == next->n && at->hash == next->hash && memcmp(at->text, next->text, at->n) == 0;
    if (!*known)
        memcpy(at, next, offsetof(struct az_form_place, text) + next->n);
    return at;
}

static bool has_digit(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++)
        if (is_digit(s.p[i]))
            return true;
    return false;
}

bool az_forms_allow_part(struct az_sv part) { return !has_digit(part); }

/* A word of a pattern may be a number if there is no letter in it; a star alone matches any word.
 */
static bool words_allow(struct az_sv patterns)
{
    unsigned letters = 0, digits = 0, stars = 0;
    for (size_t i = 0; i < patterns.n; i++) {
        const char c = patterns.p[i];
        if (c == ' ' || c == '_' || c == '^') {
            if (letters == 0 && (digits || stars > 1))
                return false;
            letters = digits = stars = 0;
        } else if (c == '*')
            stars++;
        else if (is_digit(c))
            digits++;
        else
            letters++;
    }
    return letters || !(digits || stars > 1);
}

static bool cell_allows(const struct az_rule *r, struct az_sv patterns)
{
    if (r->how == AZ_RULE_WORDS || r->how == AZ_RULE_ONLY)
        return words_allow(patterns);
    if (r->how == AZ_RULE_GLOB &&
        (az_sv_find(patterns, AZ_SV("?")) >= 0 || az_sv_find(patterns, AZ_SV("[")) >= 0))
        return false;
    return az_forms_allow_part(patterns);
}

bool az_forms_allow(const struct az_rule *r)
{
    return cell_allows(r, r->one) && cell_allows(r, r->with) && cell_allows(r, r->without);
}
