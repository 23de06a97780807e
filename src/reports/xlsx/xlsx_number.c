/* Numbers of workbooks as text: what printf's "%.16G" writes, exactly, in 128-bit integers, and the
 * width that a column needs for them. */
#include <math.h>
#include <stdio.h>

#include "reports/xlsx/xlsx.h"

#define LEAST 1e-7 /* 53 bits and 10 to the 22nd, 74, fit in 128 */
#define MOST  1e15
#define FIXED (-4) /* powers of ten below it are written with an exponent */

/* Digits of v, 16 of them, and the power of ten of the first of them: LEAST <= v < MOST. Exact,
 * ties to even, as printf does it. */
static int sixteen_digits(double v, uint64_t *digits)
{
    static const double decade[] = { 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
                                     1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                     1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int e2 = (int)(bits >> 52) - 1023; /* -24 to 49; times log10(2), or one less: */
    int e10 = (e2 * 1233 - (e2 < 0 ? 4095 : 0)) / 4096;
    e10 += v >= decade[e10 + 1 + 7];
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int shift = 52 - e2, ten = 15 - e10; /* 3 to 76; 1 to 22 */
    const unsigned __int128 all = (unsigned __int128)m * az_ten_to[ten > 19 ? 19 : ten] *
                                  az_ten_to[ten > 19 ? ten - 19 : 0],
                            half = (unsigned __int128)1 << (shift - 1);
    uint64_t d = (uint64_t)(all >> shift);
    const unsigned __int128 rest = all - ((unsigned __int128)d << shift);
    d += rest > half || (rest == half && (d & 1));
    *digits = d == az_ten_to[16] ? az_ten_to[15] : d;
    return e10 + (d == az_ten_to[16]);
}

/* Eight digits, a byte each, the first one lowest: halves, quarters, digits side by side. */
static uint64_t eight_digits(uint64_t v)
{
    uint64_t x = v / 10000 | v % 10000 << 32, q = ((x * 10486) >> 20) & UINT64_C(0x7f0000007f);
    x = q | (x - q * 100) << 16;
    q = ((x * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return q | (x - q * 10) << 8;
}

/* Digits from the first to the last that is no zero; out is filled up with zeros. */
static int put_digits(uint64_t digits, char out[16])
{
    const uint64_t high = eight_digits(digits / az_ten_to[8]),
                   low = eight_digits(digits % az_ten_to[8]);
    const uint64_t text[2] = { high + UINT64_C(0x3030303030303030),
                               low + UINT64_C(0x3030303030303030) };
    memcpy(out, text, sizeof text);
    return low ? 16 - __builtin_clzll(low) / 8 : 8 - __builtin_clzll(high) / 8;
}

static char *with_exponent(char *p, const char *digit, int n, int e10)
{
    *p++ = digit[0];
    if (n > 1)
        *p++ = '.';
    memcpy(p, digit + 1, (size_t)n - 1);
    p += n - 1;
    memcpy(p, "E-0", 3);
    p[3] = (char)('0' - e10);
    return p + 4;
}

size_t az_xlsx_number_text(double v, char out[AZ_NUM_MAX])
{
    const double size = fabs(v);
    if (size < MOST && size == floor(size) && !(v == 0 && signbit(v)))
        return az_format_i64((int64_t)v, out);
    if (!(size >= LEAST && size < MOST))
        return (size_t)snprintf(out, AZ_NUM_MAX, "%.16G", v);
    char digit[16], *p = out;
    uint64_t digits;
    const int e10 = sixteen_digits(size, &digits), n = put_digits(digits, digit);
    if (v < 0)
        *p++ = '-';
    if (e10 < FIXED)
        return (size_t)(with_exponent(p, digit, n, e10) - out);
    if (e10 < 0) {
        memcpy(p, "0.000", 5);
        p += 1 - e10;
        memcpy(p, digit, sizeof digit);
        return (size_t)(p + n - out);
    }
    memcpy(p, digit, sizeof digit);
    p += e10 + 1;
    if (n > e10 + 1) {
        *p++ = '.';
        memcpy(p, digit + e10 + 1, (size_t)(n - e10 - 1));
        p += n - e10 - 1;
    }
    return (size_t)(p - out);
}

size_t az_xlsx_whole_width(double v, int decimals)
{
    const double size = fabs(v), whole = floor(size);
    size_t n = 1;
    while (size < MOST && n < 16 && (uint64_t)whole >= az_ten_to[n])
        n++;
    if (size < MOST && (size - whole < 0.5 || (uint64_t)whole + 1 < az_ten_to[n]))
        return n + (signbit(v) != 0); /* rounding makes no digit more */
    char text[AZ_XLSX_REAL];
    n = (size_t)snprintf(text, sizeof text, "%.*f", decimals, v);
    return n - (decimals ? (size_t)decimals + 1 : 0);
}
