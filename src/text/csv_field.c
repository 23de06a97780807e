/* The value of a CSV field: its text, numbers, and the way back into CSV. */
#include "base/ascii_copy.h"
#include "base/num.h"
#include "base/swar.h"
#include "text/csv.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NUMBER_MAX 128 /* bytes of a number with its thousands separators */

/* ---- text ---- */

struct az_sv az_csv_text(struct az_arena *a, const struct az_csv_field *f)
{
    if (!f->doubled)
        return f->raw;
    char *out = az_arena_alloc(a, f->raw.n + 1);
    if (!out)
        return (struct az_sv){ NULL, 0 };
    size_t n = 0;
    bool closed = false;
    for (size_t i = 0; i < f->raw.n; i++) {
        char ch = f->raw.p[i];
        if (ch == '"' && !closed) {
            closed = i + 1 >= f->raw.n || f->raw.p[i + 1] != '"';
            if (closed)
                continue; /* the closing quote of "a"b; what follows is plain text */
            i++;
        }
        out[n++] = ch;
    }
    return az_sv_make(out, n);
}

/* Must a text with these bytes be quoted? */
static inline bool special(uint64_t x, char sep)
{
    return (az_eight_has(x, sep) | az_eight_has(x, '"') | az_eight_has(x, '\r') |
            az_eight_has(x, '\n')) != 0;
}

#ifdef __SSE2__
static inline __m128i sixteen(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* The same of sixteen. */
static inline bool special_sixteen(__m128i x, __m128i sep)
{
    const __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
                  cr = _mm_cmpeq_epi8(x, _mm_set1_epi8('\r')),
                  lf = _mm_cmpeq_epi8(x, _mm_set1_epi8('\n'));
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, _mm_cmpeq_epi8(x, sep)),
                                          _mm_or_si128(cr, lf))) != 0;
}
#endif

bool az_csv_needs_quotes(struct az_sv text, char sep)
{
    if (text.n == 0)
        return false;
    const char first = text.p[0], last = text.p[text.n - 1];
    if (first == ' ' || first == '\t' || last == ' ' || last == '\t')
        return true;
    if (text.n < 8) {
        for (size_t i = 0; i < text.n; i++)
            if (text.p[i] == sep || text.p[i] == '"' || text.p[i] == '\r' || text.p[i] == '\n')
                return true;
        return false;
    }
    size_t i = 0;
#ifdef __SSE2__
    for (const __m128i x = _mm_set1_epi8(sep); i + 16 <= text.n; i += 16)
        if (special_sixteen(sixteen(text.p + i), x))
            return true;
#endif
    for (; i + 8 < text.n; i += 8)
        if (special(az_eight(text.p + i), sep))
            return true;
    return special(az_eight(text.p + text.n - 8), sep);
}

/* How many quotes there are at most: a long text is checked, a short one can be nothing else. */
static size_t most_quotes(struct az_sv text)
{
    enum { SHORT = 4096 };
    size_t quotes = 0;
    if (text.n <= SHORT)
        return text.n;
    for (size_t i = 0; i < text.n; i++)
        quotes += text.p[i] == '"';
    return quotes;
}

/* Room for `more` bytes after it. */
static int double_quotes(struct az_vec_char *out, struct az_sv text, size_t more)
{
    const size_t quotes = most_quotes(text);
    int r = az_vec_reserve(out, text.n + quotes + more + 16); /* sixteen bytes written at a time */
    if (r)
        return r;
    char *to = out->v + out->n;
    size_t i = 0;
#ifdef __SSE2__
    while (i + 16 <= text.n) { /* each quote is doubled */
        const __m128i x = sixteen(text.p + i);
        const unsigned m = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
        const size_t n = m ? (size_t)__builtin_ctz(m) + 1 : 16;
        _mm_storeu_si128((__m128i *)(void *)to, x);
        to += n;
        i += n;
        if (m)
            *to++ = '"';
    }
#endif
    for (; i < text.n; i++) {
        *to++ = text.p[i];
        if (text.p[i] == '"')
            *to++ = '"';
    }
    out->n = (size_t)(to - out->v);
    return 0;
}

int az_csv_quote(struct az_vec_char *out, struct az_sv text, char sep)
{
    if (!az_csv_needs_quotes(text, sep))
        return az_text_append(out, text);
    int rc = az_text_append(out, AZ_SV("\""));
    if (rc == 0)
        rc = double_quotes(out, text, 1);
    return rc ? rc : az_text_append(out, AZ_SV("\""));
}

int az_csv_double_quotes(struct az_vec_char *out, struct az_sv text)
{
    return double_quotes(out, text, 0);
}

size_t az_csv_copy_plain(struct az_sv text, char *out)
{
    if (text.n == 0 ||
        (text.p[0] != ' ' && text.p[text.n - 1] != ' ' && az_copy_plain(text, '"', ',', out)))
        return text.n;
    if (!az_copy_plain(text, '"', '"', out + 1))
        return SIZE_MAX;
    out[0] = out[text.n + 1] = '"'; /* for a separator, or a blank at an end */
    return text.n + 2;
}

/* ---- numbers ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Removes thousands separators. They must divide the integer part into groups of three: "1,5" may
 * be a decimal comma, and 15 would be silently wrong. */
static int strip_thousands(struct az_sv s, char buf[NUMBER_MAX], struct az_sv *out)
{
    size_t n = 0, i = 0, group = 0;
    bool grouped = false;
    if (s.n > NUMBER_MAX)
        return AZ_EFORMAT;
    if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
        buf[n++] = s.p[i++];
    for (; i < s.n && (is_digit(s.p[i]) || s.p[i] == ','); i++) {
        if (s.p[i] != ',') {
            buf[n++] = s.p[i];
            group++;
            continue;
        }
        if (group == 0 || group > 3 || (grouped && group != 3))
            return AZ_EFORMAT;
        grouped = true;
        group = 0;
    }
    if (grouped && group != 3)
        return AZ_EFORMAT;
    for (; i < s.n; i++)
        buf[n++] = s.p[i];
    *out = az_sv_make(buf, n);
    return 0;
}

/* The digits of a field; 1: missing. */
static int number_text(const struct az_csv_field *f, char buf[NUMBER_MAX], struct az_sv *out)
{
    struct az_sv s = f->raw;
    if (s.n && (s.p[0] <= ' ' || s.p[s.n - 1] <= ' '))
        s = az_sv_trim(s);
    if (s.n == 0)
        return 1;
    if (az_sv_ieq(s, AZ_SV("none")) || az_sv_ieq(s, AZ_SV("null")) || az_sv_ieq(s, AZ_SV("nan")) ||
        az_sv_ieq(s, AZ_SV("n/a")))
        return 1;
    *out = s;
    return f->quoted && memchr(s.p, ',', s.n) ? strip_thousands(s, buf, out) : 0;
}

/* Of a field that is more than a number; apart from those that are not. */
static __attribute__((noinline)) int slow_i64(const struct az_csv_field *f, int64_t *out)
{
    char buf[NUMBER_MAX];
    struct az_sv s;
    const int r = number_text(f, buf, &s);
    return r ? r : az_parse_i64(s, out);
}

int az_csv_i64(const struct az_csv_field *f, int64_t *out)
{
    if (!f->quoted && az_parse_i64(f->raw, out) == 0) /* nothing but a number, nearly always */
        return 0;
    return slow_i64(f, out);
}

/* Of a field that is more than a number; apart from those that are not. */
static __attribute__((noinline)) int slow_f64(const struct az_csv_field *f, double *out)
{
    char buf[NUMBER_MAX];
    struct az_sv s;
    const int r = number_text(f, buf, &s);
    return r ? r : az_parse_f64(s, out);
}

int az_csv_f64(const struct az_csv_field *f, double *out)
{
    if (!f->quoted && az_parse_f64(f->raw, out) == 0)
        return 0;
    return slow_f64(f, out);
}

/* value = mantissa * 10^exp10, without trailing zeros; at most 19 digits. */
struct decimal {
    bool negative;
    uint64_t mantissa;
    int64_t exp10;
};

static int parse_exponent(struct az_sv s, int64_t *exp10)
{
    int64_t e;
    int r = az_parse_i64(s, &e);
    if (r == AZ_ERANGE || (r == 0 && (e > 100000 || e < -100000)))
        return AZ_ERANGE;
    *exp10 += r == 0 ? e : 0;
    return r;
}

static int parse_decimal(struct az_sv s, struct decimal *d)
{
    size_t i = 0, digits = 0;
    unsigned kept = 0, zeros = 0;
    bool point = false;
    *d = (struct decimal){ .negative = s.n && s.p[0] == '-' };
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        i++;
    for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !point)); i++) {
        if (s.p[i] == '.') {
            point = true;
            continue;
        }
        digits++;
        d->exp10 -= point;
        zeros++; /* counted as a zero until a later digit shows that it matters */
        if (s.p[i] == '0')
            continue;
        if (d->mantissa == 0)
            zeros = 1;
        if (kept + zeros > 19)
            return AZ_ERANGE;
        for (kept += zeros; zeros > 0; zeros--)
            d->mantissa *= 10;
        d->mantissa += (uint64_t)(s.p[i] - '0');
    }
    d->exp10 += zeros;
    if (digits == 0)
        return AZ_EFORMAT;
    if (i == s.n)
        return 0;
    if (s.p[i] != 'e' && s.p[i] != 'E')
        return AZ_EFORMAT;
    return parse_exponent(az_sv_make(s.p + i + 1, s.n - i - 1), &d->exp10);
}

/* mantissa * scale * 10^exp10 in 128 bits: the product of two 64-bit numbers is below 2^127, 10^38
 * below 2^127. */
static int scale_decimal(const struct decimal *d, int64_t scale, int64_t *out)
{
    unsigned __int128 v = (unsigned __int128)d->mantissa * (uint64_t)scale, div = 1;
    int64_t e = d->exp10;
    *out = 0;
    if (v == 0 || e < -38) /* below 2^127 / 10^39 < 0.2 */
        return 0;
    for (; e > 0; e--) {
        if (v > INT64_MAX)
            return AZ_ERANGE;
        v *= 10;
    }
    for (; e < 0; e++)
        div *= 10;
    unsigned __int128 q = v / div, rest = v % div;
    if (rest * 2 > div || (rest * 2 == div && (q & 1)))
        q++;
    if (q > (unsigned __int128)INT64_MAX + d->negative)
        return AZ_ERANGE;
    *out = d->negative ? -(int64_t)(q - (q > 0)) - (q > 0) : (int64_t)q;
    return 0;
}

static unsigned digit_of(char c) { return (unsigned)(unsigned char)c - '0'; }

/* Numbers as profilers write them, at most 18 bytes without exponent, times 10^ten, without a
 * division. false: use the general case. */
static bool quick_decimal(struct az_sv s, int ten, int64_t *out)
{
    const char *p = s.p, *end = s.p + s.n;
    bool negative = *p == '-';
    p += negative;
    if (s.n > 18 || ten > 9 || p == end || digit_of(*p) > 9)
        return false;
    int64_t v = 0;
    for (; p < end && digit_of(*p) <= 9; p++)
        v = v * 10 + digit_of(*p);
    if (p < end && *p == '.') {
        for (p++; ten > 0 && p < end && digit_of(*p) <= 9; p++, ten--)
            v = v * 10 + digit_of(*p);
        unsigned next = p < end ? digit_of(*p) : 0,
                 rest = 0; /* the first digit rounded away, and all after it */
        for (p += p < end; p < end && digit_of(*p) <= 9; p++)
            rest |= digit_of(*p);
        if (next > 9)
            return false;
        v += next > 5 || (next == 5 && (rest || (v & 1)));
    }
    if (p != end || __builtin_mul_overflow(v, (int64_t)az_ten_to[ten], &v))
        return false;
    *out = negative ? -v : v;
    return true;
}

int az_csv_scaled(const struct az_csv_field *f, int64_t scale, int64_t *out)
{
    char buf[NUMBER_MAX];
    struct az_sv s;
    struct decimal d;
    int r = number_text(f, buf, &s), ten = 0;
    if (r)
        return r;
    if (scale <= 0)
        return AZ_EINTERNAL;
    while (scale % 10 == 0) {
        scale /= 10;
        ten++;
    }
    if (scale == 1)
        return quick_decimal(s, ten, out) ? 0 : az_parse_decimal(s, ten, out);
    r = parse_decimal(s, &d);
    d.exp10 += ten;
    return r ? r : scale_decimal(&d, scale, out);
}
