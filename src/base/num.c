/* Reading numbers exactly, and integer arithmetic that cannot overflow. Writing is in numfmt.c. */
#include "base/num.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/swar.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- integers ---- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* One to eight bytes as the last of eight, after zeros. */
static uint64_t after_zeros(struct az_sv s)
{
    const unsigned room = 8 * (8 - (unsigned)s.n);
    uint64_t x = 0;
    if (s.n >= 4) { /* two halves that may overlap */
        uint32_t first, last;
        memcpy(&first, s.p, sizeof first);
        memcpy(&last, s.p + s.n - sizeof last, sizeof last);
        x = (uint64_t)last << 32 | (uint64_t)first << room;
    } else {
        for (size_t i = 0; i < s.n; i++)
            x |= (uint64_t)(unsigned char)s.p[i] << (room + 8 * i);
    }
    return room ? x | AZ_EIGHT('0') >> (64 - room) : x;
}

/* Are they eight digits, the first one in the lowest byte? Then their value. */
static bool value_of_eight(uint64_t x, uint64_t *value)
{
    x -= AZ_EIGHT('0');
    if ((x | (x + AZ_EIGHT(0x76))) & AZ_EIGHT(0x80))
        return false;
    x = x * 10 + (x >> 8); /* pairs, then fours, then all */
    x = ((x & UINT64_C(0xff000000ff)) * UINT64_C(0xf424000000064) +
         (x >> 16 & UINT64_C(0xff000000ff)) * UINT64_C(0x271000000001)) >>
        32;
    *value = (uint32_t)x;
    return true;
}

/* parse_integer of one to sixteen digits without a sign, eight at once. */
static bool parse_short(struct az_sv s, uint64_t *value)
{
    uint64_t high = 0, low;
    if (s.n < 1 || s.n > 16)
        return false;
    if (s.n > 8 && !value_of_eight(after_zeros(az_sv_make(s.p, s.n - 8)), &high))
        return false;
    const size_t n = s.n > 8 ? 8 : s.n;
    if (!value_of_eight(after_zeros(az_sv_make(s.p + s.n - n, n)), &low))
        return false;
    *value = high * 100000000 + low;
    return true;
}
#else
static bool parse_short(struct az_sv s, uint64_t *value)
{
    (void)s;
    (void)value;
    return false;
}
#endif

/* Sign and digits of a whole view; the magnitude is checked against 64 bits only. */
static int parse_integer(struct az_sv s, bool *negative, uint64_t *magnitude)
{
    size_t i = 0;
    *negative = s.n > 0 && s.p[0] == '-';
    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        i = 1;
    if (i == s.n)
        return AZ_EFORMAT;
    uint64_t v = 0;
    bool over = false;
    for (; i < s.n; i++) {
        if (!is_digit(s.p[i]))
            return AZ_EFORMAT;
        over = over || __builtin_mul_overflow(v, UINT64_C(10), &v) ||
               __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v);
    }
    *magnitude = v;
    return over ? AZ_ERANGE : 0;
}

/* magnitude with its sign, or AZ_ERANGE. */
static int to_i64(bool negative, uint64_t magnitude, int64_t *out)
{
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return AZ_ERANGE;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return 0;
}

int az_parse_i64(struct az_sv s, int64_t *out)
{
    bool negative = false;
    uint64_t v;
    int err = parse_short(s, &v) ? 0 : parse_integer(s, &negative, &v);
    return err ? err : to_i64(negative, v, out);
}

int az_parse_u64(struct az_sv s, uint64_t *out)
{
    bool negative = false;
    uint64_t v;
    int err = parse_short(s, &v) ? 0 : parse_integer(s, &negative, &v);
    if (err)
        return err;
    if (negative && v != 0)
        return AZ_ERANGE;
    *out = v;
    return 0;
}

/* ---- decimal numbers ---- */

/* The parts of a decimal number: value = 0.DDDD * 10^point, D the `n` significant digits from
 * `first` on (a '.' between them is to be skipped), no leading zeros; n = 0 is zero. */
struct decimal {
    bool negative;
    const char *first;
    size_t n;
    int64_t point;
};

enum { EXPONENT_CAP = 1000000000 }; /* larger exponents are as good as infinite */

static int parse_exponent(const char *p, const char *end, int64_t *out)
{
    const bool negative = p < end && *p == '-';
    int64_t e = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end)
        return AZ_EFORMAT;
    for (; p < end; p++) {
        if (!is_digit(*p))
            return AZ_EFORMAT;
        e = e >= EXPONENT_CAP ? EXPONENT_CAP : e * 10 + (*p - '0');
    }
    *out = negative ? -e : e;
    return 0;
}

/* [sign] digits [. digits] [e [sign] digits], or with digits only after the point. */
static int parse_parts(struct az_sv s, struct decimal *d)
{
    const char *p = s.n ? s.p : "", *end = p + s.n; /* an empty view may have no address */
    *d = (struct decimal){ .negative = false };
    if (p < end && (*p == '-' || *p == '+'))
        d->negative = *p++ == '-';
    bool any = false, dot = false;
    int64_t exponent = 0;
    for (; p < end; p++) {
        if (*p == '.' && !dot) {
            dot = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        any = true;
        if (d->first == NULL && *p != '0')
            d->first = p;
        d->n += d->first != NULL;
        d->point += d->first != NULL ? !dot : -(int64_t)dot;
    }
    if (!any)
        return AZ_EFORMAT;
    if (p < end) {
        if (*p != 'e' && *p != 'E')
            return AZ_EFORMAT;
        int err = parse_exponent(p + 1, end, &exponent);
        if (err)
            return err;
    }
    d->point += exponent;
    return 0;
}

const uint64_t az_ten_to[20] = { UINT64_C(1),
                                 UINT64_C(10),
                                 UINT64_C(100),
                                 UINT64_C(1000),
                                 UINT64_C(10000),
                                 UINT64_C(100000),
                                 UINT64_C(1000000),
                                 UINT64_C(10000000),
                                 UINT64_C(100000000),
                                 UINT64_C(1000000000),
                                 UINT64_C(10000000000),
                                 UINT64_C(100000000000),
                                 UINT64_C(1000000000000),
                                 UINT64_C(10000000000000),
                                 UINT64_C(100000000000000),
                                 UINT64_C(1000000000000000),
                                 UINT64_C(10000000000000000),
                                 UINT64_C(100000000000000000),
                                 UINT64_C(1000000000000000000),
                                 UINT64_C(10000000000000000000) };

/* Exact powers: 10^22 is the largest that a double represents. */
static const double power_of_ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* strtod of digits and an exponent without a point, so that no locale matters. Beyond 800
 * digits only "not zero" counts: the midpoint of two doubles has at most 767 significant digits. */
static double by_strtod(const struct decimal *d)
{
    enum { KEEP = 800 };
    char buf[KEEP + 32];
    size_t n = 0, seen = 0;
    bool rest = false;
    for (const char *p = d->first; seen < d->n; p++) {
        if (*p == '.')
            continue;
        if (seen++ < KEEP)
            buf[n++] = *p;
        else
            rest = rest || *p != '0';
    }
    int64_t exponent = d->point - (int64_t)n;
    if (rest) {
        buf[n++] = '1';
        exponent--;
    }
    snprintf(buf + n, sizeof buf - n, "e%lld", (long long)exponent);
    return strtod(buf, NULL);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* parse_short_f64 of two to eight bytes without a sign, all at once. */
static bool parse_eight_f64(struct az_sv s, double *out)
{
    uint64_t x = after_zeros(s), behind = 0;
    const uint64_t point = az_eight_has(x, '.'); /* its lowest bit is that of the first */
    if (point) {
        const unsigned at = (unsigned)__builtin_ctzll(point) & ~7u;
        const uint64_t before = x & ((UINT64_C(1) << at) - 1);
        x = (x & (~UINT64_C(0xff) << at)) | before << 8 | '0';
        behind = 7 - at / 8;
    }
    uint64_t whole;
    if (!value_of_eight(x, &whole))
        return false;
    *out = (double)whole / power_of_ten[behind];
    return true;
}
#else
static bool parse_eight_f64(struct az_sv s, double *out)
{
    (void)s;
    (void)out;
    return false;
}
#endif

/* The usual case of az_parse_f64: digits with a point at most, of an exact whole number and an
 * exact power. False: take the long way, also for what is not a number. */
static bool parse_short_f64(struct az_sv s, double *out)
{
    if (s.n >= 2 && s.n <= 8 && parse_eight_f64(s, out))
        return true;
    if (s.n == 0) /* of an empty text the address may be NULL */
        return false;
    const bool negative = s.p[0] == '-';
    const char *p = s.p + negative, *const end = s.p + s.n;
    const char *point = NULL;
    uint64_t m = 0;
    if (s.n - negative < 1 || s.n - negative > 19)
        return false;
    for (; p < end && is_digit(*p); p++)
        m = m * 10 + (uint64_t)(*p - '0');
    if (p < end && *p == '.')
        for (point = p++; p < end && is_digit(*p); p++)
            m = m * 10 + (uint64_t)(*p - '0');
    if (p < end)
        return false;
    if (m > UINT64_C(1) << 53 || (point && s.n - negative == 1))
        return false;
    const double v = point ? (double)m / power_of_ten[end - point - 1] : (double)m;
    *out = negative ? -v : v;
    return true;
}

int az_parse_f64(struct az_sv s, double *out)
{
    if (parse_short_f64(s, out))
        return 0;
    struct decimal d;
    int err = parse_parts(s, &d);
    if (err)
        return err;
    double v = 0;
    if (d.n > 0 && d.n <= 19) {
        uint64_t m = 0;
        size_t seen = 0;
        for (const char *p = d.first; seen < d.n; p++) {
            if (*p == '.')
                continue;
            m = m * 10 + (uint64_t)(*p - '0');
            seen++;
        }
        const int64_t e = d.point - (int64_t)d.n;
        /* Both operands are exact, so one correctly rounded operation returns the correctly rounded
         * result (Clinger 1990). */
        if (m <= UINT64_C(1) << 53 && e >= -22 && e <= 22)
            v = e < 0 ? (double)m / power_of_ten[-e] : (double)m * power_of_ten[e];
        else
            v = by_strtod(&d);
    } else if (d.n > 0) {
        v = by_strtod(&d);
    }
    if (isinf(v))
        return AZ_ERANGE;
    *out = d.negative ? -v : v;
    return 0;
}

/* The usual case of az_parse_decimal, digits with a point at most, that fits 18 digits with nothing
 * to round. False: take the long way, also for what is not a number. */
static bool parse_short_decimal(struct az_sv s, int scale10, int64_t *out)
{
    enum { MOST = 9 };
    size_t i = s.n > 0 && s.p[0] == '-';
    const size_t first = i;
    int64_t v = 0;
    int behind = -1; /* digits after the point; -1: no point yet */
    if (scale10 < 0 || scale10 > MOST || s.n - i < 1 || s.n - i > (size_t)(18 - scale10))
        return false;
    for (; i < s.n; i++) {
        if (s.p[i] == '.' && behind < 0 && i > first) {
            behind = 0;
            continue;
        }
        if (!is_digit(s.p[i]))
            return false;
        v = v * 10 + (s.p[i] - '0');
        behind += behind >= 0;
    }
    const int missing = scale10 - (behind > 0 ? behind : 0);
    if (missing < 0)
        return false;
    v *= (int64_t)az_ten_to[missing];
    *out = first ? -v : v;
    return true;
}

int az_parse_decimal(struct az_sv s, int scale10, int64_t *out)
{
    if (parse_short_decimal(s, scale10, out))
        return 0;
    struct decimal d;
    int err = parse_parts(s, &d);
    if (err)
        return err;
    const int64_t whole = d.point + scale10; /* digits in front of the point of the result */
    if (d.n == 0 || whole < 0) {             /* below 0.1 */
        *out = 0;
        return 0;
    }
    if (whole > 20)
        return AZ_ERANGE;
    uint64_t v = 0;
    size_t seen = 0;
    const char *p = d.first;
    for (int64_t i = 0; i < whole; i++) {
        uint64_t digit = 0;
        if (seen < d.n) {
            p += *p == '.';
            digit = (uint64_t)(*p++ - '0');
            seen++;
        }
        if (__builtin_mul_overflow(v, UINT64_C(10), &v) || __builtin_add_overflow(v, digit, &v))
            return AZ_ERANGE;
    }
    /* The rest against one half: more, less, or equal (then to even). */
    int half = 0;
    if (seen < d.n) {
        p += *p == '.';
        half = (*p > '5') - (*p < '5');
        p++;
        seen++;
    } else {
        half = -1;
    }
    for (; half == 0 && seen < d.n; p++) {
        if (*p == '.')
            continue;
        half = *p != '0';
        seen++;
    }
    if ((half > 0 || (half == 0 && (v & 1))) && __builtin_add_overflow(v, UINT64_C(1), &v))
        return AZ_ERANGE;
    return to_i64(d.negative, v, out);
}

int az_parse_size(struct az_sv s, uint64_t *out)
{
    size_t i = 0;
    while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '.'))
        i++;
    struct decimal d;
    int err = parse_parts(az_sv_make(s.p, i), &d);
    if (err)
        return err;
    struct az_sv unit = az_sv_trim(az_sv_make(s.p + i, s.n - i));
    unsigned shift = 0;
    if (unit.n > 0 && (unit.p[0] | 0x20) != 'b') {
        static const char letters[] = "kmgt";
        const char *found = memchr(letters, unit.p[0] | 0x20, 4);
        if (found == NULL)
            return AZ_EFORMAT;
        shift = 10 * (unsigned)(found - letters + 1);
        unit = az_sv_make(unit.p + 1, unit.n - 1);
    }
    if (unit.n > 0 && !az_sv_ieq(unit, AZ_SV("b")) && !(shift > 0 && az_sv_ieq(unit, AZ_SV("ib"))))
        return AZ_EFORMAT;
    /* Fixed point: the number in 10^-6, so that it fits in 128 bits; finer parts are truncated. */
    unsigned __int128 v = 0;
    const char *p = d.first;
    size_t seen = 0;
    for (int64_t k = 0; k < d.point + 6; k++) {
        unsigned digit = 0;
        if (seen < d.n) {
            p += *p == '.';
            digit = (unsigned)(*p++ - '0');
            seen++;
        }
        v = v * 10 + digit;
        if (v >> 100 != 0)
            return AZ_ERANGE;
    }
    if (v >> (127 - shift) != 0)
        return AZ_ERANGE;
    v = (v << shift) / 1000000;
    if (v > UINT64_MAX)
        return AZ_ERANGE;
    *out = (uint64_t)v;
    return 0;
}

/* ---- arithmetic ---- */

int64_t az_muldiv(int64_t a, int64_t b, int64_t c)
{
    const __int128 q = (__int128)a * b / c;
    return q > INT64_MAX ? INT64_MAX : q < INT64_MIN ? INT64_MIN : (int64_t)q;
}

int64_t az_whole(double x)
{
    const double beyond = 9223372036854775808.0; /* 2^63: the first that does not fit */
    if (!(x > -beyond))
        return x <= -beyond ? INT64_MIN : 0;
    return x < beyond ? (int64_t)x : INT64_MAX;
}
