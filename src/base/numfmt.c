/* Writing numbers: shortest decimal text that reads back as the same double.
 *
 * Required: the fewest digits D such that some D-digit decimal is in the rounding interval of
 * x, and of those the one nearest to x. A normal double distinguishes all decimals of 15 digits, so
 * D = 15 (without trailing zeros), 16 and 17 are all there is. Few decimals are tried first: what
 * has at most 15 digits and reads back is the one. For 1e-9 <= |x| < 1e16 the rest is done exactly
 * in 128-bit integers; outside that range by snprintf and strtod. All produce the same text
 * (tests/unit/base_num.c compares them). */
#include "base/num.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Two digits at a time. */
static const char pair[] = "00010203040506070809101112131415161718192021222324252627282930313233343"
                           "536373839404142434445464748"
                           "49505152535455565758596061626364656667686970717273747576777879808182838"
                           "485868788899091929394959697"
                           "9899";

/* How many decimal digits v has. */
static size_t count_digits(uint64_t v)
{
    /* 1233/4096 is log10(2) closely enough for 64 bits */
    const unsigned n = (64u - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;
    return n + ((v | 1) >= az_ten_to[n]);
}

/* The last n digits of v at out. */
static void put_digits(uint64_t v, size_t n, char *out)
{
    for (; n >= 2; v /= 100)
        memcpy(out + (n -= 2), pair + 2 * (v % 100), 2);
    if (n)
        *out = (char)('0' + v % 10);
}

/* Decimal digits of v at out; returns how many. */
static size_t put_u64(uint64_t v, char out[20])
{
    const size_t n = count_digits(v);
    put_digits(v, n, out);
    return n;
}

size_t az_format_i64(int64_t x, char out[AZ_NUM_MAX])
{
    size_t n = 0;
    if (x < 0)
        out[n++] = '-';
    n += put_u64(x < 0 ? 0 - (uint64_t)x : (uint64_t)x, out + n);
    out[n] = '\0';
    return n;
}

/* A positive decimal: digits (no trailing zeros) times 10^(point - number of digits). */
struct shortest {
    char digit[40]; /* more than there are: sixteen bytes can be read at each */
    int n;
    int point; /* value = 0.digits * 10^point */
};

static const uint64_t power_of_five[] = { UINT64_C(1),
                                          UINT64_C(5),
                                          UINT64_C(25),
                                          UINT64_C(125),
                                          UINT64_C(625),
                                          UINT64_C(3125),
                                          UINT64_C(15625),
                                          UINT64_C(78125),
                                          UINT64_C(390625),
                                          UINT64_C(1953125),
                                          UINT64_C(9765625),
                                          UINT64_C(48828125),
                                          UINT64_C(244140625),
                                          UINT64_C(1220703125),
                                          UINT64_C(6103515625),
                                          UINT64_C(30517578125),
                                          UINT64_C(152587890625),
                                          UINT64_C(762939453125),
                                          UINT64_C(3814697265625),
                                          UINT64_C(19073486328125),
                                          UINT64_C(95367431640625),
                                          UINT64_C(476837158203125),
                                          UINT64_C(2384185791015625),
                                          UINT64_C(11920928955078125),
                                          UINT64_C(59604644775390625),
                                          UINT64_C(298023223876953125) };

/* The decimal for x = m * 2^e (m < 2^53), k the number of places after the point of 17 digits:
 * N * 10^-places, which is returned. All lengths are in units of 10^-k * 2^-(s+2), where s = -(e
 * + k) >= -2: x is 4m5^k, half the gap to the next double is 2*5^k, to the one below also, or 5^k
 * if m = 2^52. 4m5^k < 2^55 * 2^58.1, so 128 bits do; s + 2 < 64. The rounding interval has its
 * ends if m is even; lo and hi are the first and the last N of 17 digits in it. Of 15 digits at
 * most one is in it. Of several of 16 or 17 digits it is the nearest, which is next to x. */
static uint64_t nearest(uint64_t m, int e, int k, int *places)
{
    typedef unsigned __int128 wide;
    const unsigned s = (unsigned)(2 - e - k);
    const wide x = (wide)(4 * m) * power_of_five[k];
    const uint64_t above = 2 * power_of_five[k];
    const uint64_t below = m == UINT64_C(1) << 52 ? power_of_five[k] : above;
    const unsigned open = m & 1;
    const uint64_t lo = (uint64_t)((x - below + ((wide)1 << s) - 1 + open) >> s),
                   hi = (uint64_t)((x + above - open) >> s);
    *places = k - 2;
    if (hi / 100 * 100 >= lo)
        return hi / 100;
    const uint64_t floor = (uint64_t)(x >> s);
    for (unsigned ten = 10; ten; ten /= 10) {
        const uint64_t low = floor / ten * ten, high = low + ten;
        const bool low_ok = low >= lo, high_ok = high <= hi;
        const wide under = x - ((wide)low << s), over = ((wide)ten << s) - under;
        ++*places;
        if (low_ok || high_ok) {
            const bool odd = low / ten & 1;
            return low / ten + (high_ok && (!low_ok || over < under || (over == under && odd)));
        }
    }
    return 0;
}

static void set_digits(struct shortest *r, uint64_t v, int point_behind)
{
    r->n = (int)put_u64(v, r->digit);
    r->point = r->n + point_behind;
    while (r->n > 1 && r->digit[r->n - 1] == '0')
        r->n--;
}

/* False where x is outside the range of the integers. */
static bool by_integers(double x, struct shortest *r)
{
    static const double decade[] = { 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
                                     1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                     1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16 };
    enum { LOWEST = -9, HIGHEST = 16 };
    if (!(x >= decade[0] && x < decade[HIGHEST - LOWEST]))
        return false;
    uint64_t bits; /* of a normal number: the range has no other */
    memcpy(&bits, &x, sizeof bits);
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int e = (int)(bits >> 52) - 1075, e2 = e + 53;
    /* floor(log10(x)): 1233/4096 is log10(2) closely enough for 2^-30..2^54, then one comparison.
     */
    int e10 = (e2 - 1) * 1233;
    e10 = (e10 - (e10 < 0 ? 4095 : 0)) / 4096;
    if (e10 < HIGHEST && x >= decade[e10 + 1 - LOWEST])
        e10++;
    int places;
    const uint64_t v = nearest(m, e, 16 - e10, &places);
    if (v)
        set_digits(r, v, -places);
    return v != 0;
}

/* Digits and exponent of printf's "d.ddde+xx", whatever the locale's point. */
static void take_apart(const char *text, struct shortest *r)
{
    const char *exponent = strchr(text, 'e');
    r->n = 0;
    for (const char *p = text; p < exponent; p++) {
        if (*p >= '0' && *p <= '9' && r->n < 17)
            r->digit[r->n++] = *p;
    }
    int e = 0;
    for (const char *p = exponent + 2; *p; p++)
        e = e * 10 + (*p - '0');
    r->point = (exponent[1] == '-' ? -e : e) + 1;
    while (r->n > 1 && r->digit[r->n - 1] == '0')
        r->n--;
}

static bool reads_back(const struct shortest *r, double x)
{
    char text[48];
    double back;
    int n = snprintf(text, sizeof text, "%.*se%d", r->n, r->digit, r->point - r->n);
    return az_parse_f64(az_sv_make(text, (size_t)n), &back) == 0 && back == x;
}

/* The decimal one unit in the last of `digits` places up. At a power of two the gap below is half
 * the one above, so the nearest decimal can miss the interval where the next one up does not. */
static void step_up(struct shortest *r, int digits)
{
    uint64_t v = 0;
    for (int i = 0; i < digits; i++)
        v = v * 10 + (uint64_t)(i < r->n ? r->digit[i] - '0' : 0);
    set_digits(r, v + 1, r->point - digits);
}

static void by_printf(double x, struct shortest *r)
{
    char text[48];
    /* Subnormals have less than 15 digits, so all lengths must be tried. */
    for (int digits = x < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        take_apart(text, r);
        if (digits == 17 || reads_back(r, x))
            return;
        step_up(r, digits);
        if (reads_back(r, x))
            return;
    }
}

/* At most 17 digits, of which more are copied than there are: calls for a few bytes cost more. */
static size_t put_plain(const struct shortest *r, char *out)
{
    if (r->point <= 0) { /* at most four zeros after the point */
        const size_t n = 2 + (size_t)-r->point;
        memcpy(out, "0.0000", 6);
        memcpy(out + n, r->digit, 20);
        return n + (size_t)r->n;
    }
    memcpy(out, r->digit, 20);
    if (r->point < r->n) {
        out[r->point] = '.';
        memcpy(out + r->point + 1, r->digit + r->point, 16);
        return (size_t)r->n + 1;
    }
    for (int i = r->n; i < r->point; i++)
        out[i] = '0';
    return (size_t)r->point;
}

/* Of at most `places` decimals, a constant at each call; 0: it has more. */
static inline size_t put_decimals(double x, unsigned places, uint64_t scale, char *out)
{
    const uint64_t v = (uint64_t)(int64_t)(x * (double)scale + 0.5);
    if ((double)v / (double)scale != x)
        return 0;
    size_t n = put_u64(v / scale, out);
    out[n] = '.';
    put_digits(v % scale, places, out + n + 1);
    for (n += places + 1; out[n - 1] == '0';)
        n--;
    return n;
}

/* Decimals so short that no two are one double, so that what reads back is the shortest; 0: other
 * numbers. Of at most 15 digits every decimal is. Most have three, as times in us, those since the
 * clock began, too: below 2^43 the next double is nearer than 0.001. */
static size_t put_short_decimals(double x, char *out)
{
    const size_t few = x >= 1e-3 && x < 8796093022208.0 ? put_decimals(x, 3, 1000, out) : 0;
    return few == 0 && x >= 1e-5 && x < 1e9 ? put_decimals(x, 6, 1000000, out) : few;
}

static size_t put_scientific(const struct shortest *r, char *out)
{
    size_t n = 0;
    out[n++] = r->digit[0];
    if (r->n > 1)
        out[n++] = '.';
    for (int i = 1; i < r->n; i++)
        out[n++] = r->digit[i];
    const int e = r->point - 1, size = e < 0 ? -e : e;
    out[n++] = 'e';
    out[n++] = e < 0 ? '-' : '+';
    if (size < 10)
        out[n++] = '0';
    return n + put_u64((uint64_t)size, out + n);
}

/* Of a number that is no integer, or a large one; apart from what is done for integers. */
static __attribute__((noinline)) size_t put_real(double x, char *out)
{
    const size_t few = put_short_decimals(x, out);
    if (few)
        return few;
    struct shortest r = { .n = 0 };
    if (!by_integers(x, &r))
        by_printf(x, &r);
    return x >= 1e-5 && x < 1e16 ? put_plain(&r, out) : put_scientific(&r, out);
}

size_t az_format_f64(double x, char out[AZ_NUM_MAX])
{
    const double size = fabs(x);
    size_t n = 0;
    out[0] = '\0';
    if (!(size <= DBL_MAX))
        return 0;
    if (signbit(x))
        out[n++] = '-';
    if (size < 9007199254740992.0 &&
        size == (double)(int64_t)size) /* below 2^53 every integer is exact */
        n += put_u64((uint64_t)(int64_t)size, out + n);
    else
        n += put_real(size, out + n);
    out[n] = '\0';
    return n;
}
