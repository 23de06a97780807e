/* Numbers as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "stats/log_buckets.h"

/* xorshift64*: the same numbers on every machine. */
static uint64_t next_random(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return *s * UINT64_C(2685821657736338717);
}

static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int err;
        int64_t value;
    } row[] = {
        { "0", 0, 0 },
        { "-0", 0, 0 },
        { "+7", 0, 7 },
        { "007", 0, 7 },
        { "9223372036854775807", 0, INT64_MAX },
        { "9223372036854775808", AZ_ERANGE, 0 },
        { "-9223372036854775808", 0, INT64_MIN },
        { "-9223372036854775809", AZ_ERANGE, 0 },
        { "99999999999999999999999", AZ_ERANGE, 0 },
        { "18446744073709551616", AZ_ERANGE, 0 },
        { "0000000000000000000000000000001", 0, 1 },
        { "", AZ_EFORMAT, 0 },
        { "-", AZ_EFORMAT, 0 },
        { "+", AZ_EFORMAT, 0 },
        { "+-1", AZ_EFORMAT, 0 },
        { "1 ", AZ_EFORMAT, 0 },
        { " 1", AZ_EFORMAT, 0 },
        { "1.0", AZ_EFORMAT, 0 },
        { "0x10", AZ_EFORMAT, 0 },
        { "99999999999999999999999z", AZ_EFORMAT, 0 },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        int64_t v = 0;
        const int err = az_parse_i64(az_sv_str(row[i].text), &v);
        if (err != row[i].err || v != row[i].value)
            fail_msg("'%s' gives %d, %lld", row[i].text, err, (long long)v);
    }
    uint64_t u;
    assert_int_equal(az_parse_u64(AZ_SV("18446744073709551615"), &u), 0);
    assert_true(u == UINT64_MAX);
    assert_int_equal(az_parse_u64(AZ_SV("18446744073709551616"), &u), AZ_ERANGE);
    assert_int_equal(az_parse_u64(AZ_SV("-1"), &u), AZ_ERANGE);
    assert_int_equal(az_parse_u64(AZ_SV("-0"), &u), 0);
    assert_int_equal(az_parse_i64((struct az_sv){ NULL, 0 }, &(int64_t){ 0 }), AZ_EFORMAT);
}

/* Of every length, and with another byte at every place. */
static void reads_digits_at_once(void **state)
{
    static const char digits[] = "90715263849150273648";
    static const char others[] = { '/', ':', '-', ' ', 'a', '\0', (char)0x80, (char)0xb5 };
    (void)state;
    for (size_t n = 1; n <= 18; n++) {
        char text[20];
        int64_t v = -1, want = 0;
        for (size_t i = 0; i < n; i++)
            want = want * 10 + (digits[i] - '0');
        memcpy(text, digits, n);
        assert_int_equal(az_parse_i64(az_sv_make(text, n), &v), 0);
        assert_true(v == want);
        for (size_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof others; k++) {
                text[at] = others[k];
                if (at || others[k] != '-' || n == 1)
                    assert_int_equal(az_parse_i64(az_sv_make(text, n), &v), AZ_EFORMAT);
            }
            text[at] = digits[at];
        }
    }
}

static void writes_integers(void **state)
{
    (void)state;
    static const int64_t value[] = { 0,    1,    -1,         9,         10,       99,
                                     100,  -100, 12345,      -7,        101,      999,
                                     1000, 9999, 1234567890, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < AZ_LENGTH(value); i++) {
        char out[AZ_NUM_MAX], want[40];
        const size_t n = az_format_i64(value[i], out);
        snprintf(want, sizeof want, "%lld", (long long)value[i]);
        assert_string_equal(out, want);
        assert_int_equal(n, strlen(want));
    }
}

static void rejects_what_is_no_number(void **state)
{
    (void)state;
    static const char *const bad[] = { "",     ".",   "-",        "e5",    "1e",   "1e+", "1.2.3",
                                       "inf",  "nan", "Infinity", "0x1p3", "1,5",  "1 ",  " 1",
                                       "1e5x", "--1", "1e1.5",    "+",     "-.e1", "1_0", "1f" };
    double d = 5;
    int64_t i = 5;
    for (size_t k = 0; k < AZ_LENGTH(bad); k++) {
        if (az_parse_f64(az_sv_str(bad[k]), &d) != AZ_EFORMAT ||
            az_parse_decimal(az_sv_str(bad[k]), 0, &i) != AZ_EFORMAT)
            fail_msg("'%s' passes", bad[k]);
    }
    assert_true(d == 5 && i == 5);
    assert_int_equal(az_parse_f64(az_sv_make("1\0", 2), &d), AZ_EFORMAT);
}

static void reads_doubles(void **state)
{
    (void)state;
    static const char *const good[] = {
        "0",
        "-0",
        "1",
        "+1.5",
        ".5",
        "5.",
        "-.25",
        "1e3",
        "1E-3",
        "1e+05",
        "123456789012345678",
        "0.1",
        "0.3",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000001",
        "179769313486231570000e288",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "5e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1e-400",
        "0e999999999999",
        "00000000000000000000001",
        "0.000000000000000000000000000000000000000000001",
        "123.456",
        "1690000000123456.789",
        "3.14159265358979323846",
        "100000000000000000000000000000000000000000000000000000000000000000000000e-71",
        "8.5",
        "1e-22",
        "1e-23",
        "7.2057594037927933e16",
        "1.7976931348623157e308",
    };
    for (size_t k = 0; k < AZ_LENGTH(good); k++) {
        double v, want = strtod(good[k], NULL);
        assert_int_equal(az_parse_f64(az_sv_str(good[k]), &v), 0);
        if (v != want || signbit(v) != signbit(want))
            fail_msg("'%s' reads as %.17g, not %.17g", good[k], v, want);
    }
    double v = 3;
    assert_int_equal(az_parse_f64(AZ_SV("1e309"), &v), AZ_ERANGE);
    assert_int_equal(az_parse_f64(AZ_SV("-1e99999999999999999999999"), &v), AZ_ERANGE);
    assert_true(v == 3);
    assert_int_equal(az_parse_f64(AZ_SV("1e-99999999999999999999999"), &v), 0);
    assert_true(v == 0);
    /* The view ends where it ends. */
    assert_int_equal(az_parse_f64(az_sv_make("12345", 3), &v), 0);
    assert_true(v == 123);
}

/* Midpoint of 1 and its successor, written with thousands of digits: the last one decides. */
static void reads_long_doubles(void **state)
{
    (void)state;
    static char text[5000];
    double v;
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    assert_int_equal(az_parse_f64(az_sv_str(text), &v), 0);
    assert_true(v == 1.0); /* tie to even */
    memset(text + strlen(text), '0', 4000);
    text[4054] = '\0';
    assert_int_equal(az_parse_f64(az_sv_str(text), &v), 0);
    assert_true(v == 1.0);
    text[4053] = '1';
    assert_int_equal(az_parse_f64(az_sv_str(text), &v), 0);
    assert_true(v == 1.0 + DBL_EPSILON);
    memset(text, '9', 4000);
    text[4000] = '\0';
    assert_int_equal(az_parse_f64(az_sv_str(text), &v), AZ_ERANGE);
    memcpy(text + 4000, "e-3990", 7);
    assert_int_equal(az_parse_f64(az_sv_str(text), &v), 0);
    assert_true(v == 1e10);
}

static void reads_random_doubles(void **state)
{
    (void)state;
    uint64_t s = 42;
    for (int k = 0; k < 60000; k++) {
        char text[64];
        const uint64_t bits = next_random(&s);
        double x, v;
        memcpy(&x, &bits, sizeof x);
        if (k % 2)
            snprintf(text, sizeof text, "%llu.%03llue%d", (unsigned long long)(bits >> (bits % 60)),
                     (unsigned long long)(bits % 1000), (int)(bits % 61) - 30);
        else if (!isfinite(x))
            continue;
        else
            snprintf(text, sizeof text, "%.*e", (int)(bits % 18), x);
        if (!isfinite(strtod(text, NULL)))
            continue;
        assert_int_equal(az_parse_f64(az_sv_str(text), &v), 0);
        if (v != strtod(text, NULL))
            fail_msg("'%s' reads as %.17g", text, v);
    }
}

/* Every text of digits, points and what is neither, up to nine bytes, against strtod. */
static void reads_short_numbers(void **state)
{
    (void)state;
    uint64_t s = 7;
    for (int k = 0; k < 400000; k++) {
        char text[10] = { 0 };
        const size_t n = 1 + next_random(&s) % 9;
        size_t digits = 0, points = 0, others = 0;
        for (size_t i = 0; i < n; i++) {
            const int r = (int)(next_random(&s) % 64);
            text[i] = (char)(r < 56 ? '0' + r % 10 : r < 62 ? '.' : "/:-\x80"[r % 4]);
            digits += r < 56;
            points += r >= 56 && r < 62;
            others += r >= 62;
        }
        double v = 0;
        const int rc = az_parse_f64(az_sv_make(text, n), &v);
        if (others == 0)
            assert_int_equal(rc, digits && points < 2 ? 0 : AZ_EFORMAT);
        if (rc == 0 && v != strtod(text, NULL))
            fail_msg("'%s' reads as %.17g", text, v);
    }
}

static void decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int scale, err;
        int64_t value;
    } row[] = {
        { "12.3456", 3, 0, 12346 },
        { "0.5", 0, 0, 0 }, /* half to even */
        { "1.5", 0, 0, 2 },
        { "2.5", 0, 0, 2 },
        { "2.50000000000000000000000000001", 0, 0, 3 },
        { "2.5000000000000000000", 0, 0, 2 },
        { "-2.5", 0, 0, -2 },
        { "-3.5", 0, 0, -4 },
        { "0.4999999999999999999999", 0, 0, 0 },
        { "0.05", 0, 0, 0 },
        { "0.9", 0, 0, 1 },
        { "9.5", 0, 0, 10 },
        { "1690000000123456.789", 3, 0, 1690000000123456789 },
        { "1e3", 3, 0, 1000000 },
        { "12345e-3", 3, 0, 12345 },
        { "12345e-3", 0, 0, 12 },
        { "1.5e1", 0, 0, 15 },
        { "1234", -2, 0, 12 },
        { "1250", -2, 0, 12 },
        { "1350", -2, 0, 14 },
        { "49", -2, 0, 0 },
        { "51", -2, 0, 1 },
        { "50", -2, 0, 0 },
        { "9223372036854775807", 0, 0, INT64_MAX },
        { "9223372036854775807.5", 0, AZ_ERANGE, 0 },
        { "9223372036854775807.4", 0, 0, INT64_MAX },
        { "-9223372036854775808", 0, 0, INT64_MIN },
        { "-9223372036854775808.5", 0, 0, INT64_MIN },
        { "-9223372036854775809", 0, AZ_ERANGE, 0 },
        { "9223372036854775.808", 3, AZ_ERANGE, 0 },
        { "18446744073709551615.9", 0, AZ_ERANGE, 0 },
        { "1e30", 0, AZ_ERANGE, 0 },
        { "1e999999999999999", 0, AZ_ERANGE, 0 },
        { "1e-999999999999999", 9, 0, 0 },
        { "0e999", 0, 0, 0 },
        { "0.000", 3, 0, 0 },
        { "000123.4000", 1, 0, 1234 },
        { ".5e1", 0, 0, 5 },
        { "5.", 1, 0, 50 },
        { "0.001", 3, 0, 1 },
        { "0.0005", 3, 0, 0 },
        { "0.0015", 3, 0, 2 },
        { "1.2345678901234567890123456789", 18, 0, 1234567890123456789 },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        int64_t v = 0;
        const int err = az_parse_decimal(az_sv_str(row[i].text), row[i].scale, &v);
        if (err != row[i].err || v != row[i].value)
            fail_msg("'%s' scale %d gives %d, %lld", row[i].text, row[i].scale, err, (long long)v);
    }
}

/* The short way gives what the long way gives: an exponent of zero forces the long one. */
static void short_decimals(void **state)
{
    (void)state;
    uint64_t s = 77;
    for (int k = 0; k < 100000; k++) {
        char text[48];
        const int scale = (int)(next_random(&s) % 12);
        const uint64_t whole = next_random(&s) >> (next_random(&s) % 64),
                       part = next_random(&s) % 1000000000000;
        const int behind = (int)(next_random(&s) % 13);
        const char *sign = k % 3 ? "" : "-";
        if (k % 5)
            snprintf(text, sizeof text, "%s%llu.%0*llu", sign, (unsigned long long)whole, behind,
                     (unsigned long long)part);
        else
            snprintf(text, sizeof text, "%s%llu%s", sign, (unsigned long long)whole,
                     k % 2 ? "." : "");
        int64_t a = 0, b = 0;
        const int err = az_parse_decimal(az_sv_str(text), scale, &a);
        strcat(text, "e0");
        assert_int_equal(az_parse_decimal(az_sv_str(text), scale, &b), err);
        assert_int_equal(a, b);
    }
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int err;
        uint64_t value;
    } row[] = {
        { "4096", 0, 4096 },
        { "64M", 0, 64u << 20 },
        { "64m", 0, 64u << 20 },
        { "64MB", 0, 64u << 20 },
        { "64MiB", 0, 64u << 20 },
        { "64 MiB", 0, 64u << 20 },
        { "1.5G", 0, UINT64_C(3) << 29 },
        { "1.5K", 0, 1536 },
        { "0.5", 0, 0 },
        { "2T", 0, UINT64_C(2) << 40 },
        { "7B", 0, 7 },
        { "0", 0, 0 },
        { "16777215T", 0, UINT64_C(16777215) << 40 },
        { "16777216T", AZ_ERANGE, 0 },
        { "18446744073709551615", 0, UINT64_MAX },
        { "18446744073709551616", AZ_ERANGE, 0 },
        { "99999999999999999999999999999999999999999999T", AZ_ERANGE, 0 },
        { "", AZ_EFORMAT, 0 },
        { "M", AZ_EFORMAT, 0 },
        { "-1M", AZ_EFORMAT, 0 },
        { "1X", AZ_EFORMAT, 0 },
        { "1MX", AZ_EFORMAT, 0 },
        { "1iB", AZ_EFORMAT, 0 },
        { "1MiBs", AZ_EFORMAT, 0 },
        { "1.2.3M", AZ_EFORMAT, 0 },
        { "1e3", AZ_EFORMAT, 0 },
        { ".M", AZ_EFORMAT, 0 },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        uint64_t v = 0;
        const int err = az_parse_size(az_sv_str(row[i].text), &v);
        if (err != row[i].err || v != row[i].value)
            fail_msg("'%s' gives %d, %llu", row[i].text, err, (unsigned long long)v);
    }
}

static void writes_doubles(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } row[] = {
        { 0.0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1.5, "-1.5" },
        { 0.1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 2.0 / 3, "0.6666666666666666" },
        { 100, "100" },
        { 1e15, "1000000000000000" },
        { 9007199254740991.0, "9007199254740991" },
        { 9007199254740992.0, "9007199254740992" },
        { 9007199254740994.0, "9007199254740994" },
        { 9999999999999998.0, "9999999999999998" },
        { 1e16, "1e+16" },
        { 12345678901234567.0, "1.2345678901234568e+16" },
        { 1e22, "1e+22" },
        { 1e23, "1e+23" },
        { 1e100, "1e+100" },
        { 1e-5, "0.00001" },
        { 1.5e-5, "0.000015" },
        { 9.999e-6, "9.999e-06" },
        { 1e-9, "1e-09" },
        { 1.2345678901234567e-8, "1.2345678901234567e-08" },
        { 1.2345678901234567e-5, "0.000012345678901234568" },
        { 0.001, "0.001" },
        { 123.456, "123.456" },
        { 5e-324, "5e-324" },
        { 1e-323, "1e-323" },
        { DBL_MIN, "2.2250738585072014e-308" },
        { DBL_MAX, "1.7976931348623157e+308" },
        { -DBL_MAX, "-1.7976931348623157e+308" },
        { 5.684341886080802e-14,
          "5.684341886080802e-14" }, /* 2^-44: the nearest of 16 digits misses */
        { 0x1p-44, "5.684341886080802e-14" },
        { 4503599627370495.5, "4503599627370495.5" },
        { 1e15 + 0.125, "1000000000000000.1" },
        { 999999999999999.9, "999999999999999.9" },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        char out[AZ_NUM_MAX];
        const size_t n = az_format_f64(row[i].x, out);
        assert_string_equal(out, row[i].text);
        assert_int_equal(n, strlen(out));
    }
    char out[AZ_NUM_MAX] = "x";
    assert_int_equal(az_format_f64(NAN, out), 0);
    assert_string_equal(out, "");
    assert_int_equal(az_format_f64(-INFINITY, out), 0);
}

/* Significant digits of a text (no sign, point, exponent, zeros at either end). */
static void significant(const char *text, char *out)
{
    size_t n = 0;
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9' && (n > 0 || *p != '0'))
            out[n++] = *p;
    }
    while (n > 0 && out[n - 1] == '0')
        n--;
    out[n] = '\0';
}

/* The wanted digits by brute force: the fewest for which the nearest decimal, or its neighbor up,
 * reads back. */
static void brute_force(double x, char *out)
{
    x = fabs(x);
    for (int digits = 1; digits <= 17; digits++) {
        char text[64], up[80];
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        if (strtod(text, NULL) == x) {
            significant(text, out);
            return;
        }
        uint64_t v = 0;
        for (char *p = text; *p != 'e'; p++)
            v = *p == '.' ? v : v * 10 + (uint64_t)(*p - '0');
        snprintf(up, sizeof up, "%llue%d", (unsigned long long)v + 1,
                 atoi(strchr(text, 'e') + 1) - digits + 1);
        if (strtod(up, NULL) == x) {
            significant(up, out);
            return;
        }
    }
    fail_msg("no decimal for %a", x);
}

static void check_shortest(double x)
{
    char out[AZ_NUM_MAX], got[40], want[40];
    const size_t n = az_format_f64(x, out);
    if (n == 0 || n >= AZ_NUM_MAX || strlen(out) != n || strtod(out, NULL) != x)
        fail_msg("%a becomes '%s'", x, out);
    significant(out, got);
    brute_force(x, want);
    if (strcmp(got, want) != 0)
        fail_msg("%a becomes '%s', wanted digits %s", x, out, want);
    double back;
    assert_int_equal(az_parse_f64(az_sv_make(out, n), &back), 0);
    assert_true(back == x);
    const bool plain = fabs(x) >= 1e-5 && fabs(x) < 1e16;
    assert_true((strchr(out, 'e') == NULL) == plain);
}

static void writes_the_shortest(void **state)
{
    (void)state;
    uint64_t s = 7;
    for (int k = 0; k < 3000; k++) { /* any bits */
        const uint64_t bits = next_random(&s);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x) && x != 0)
            check_shortest(x);
    }
    for (int k = 0; k < 10000; k++) { /* the range of the integer path and beyond its ends */
        const double x = ldexp((double)(next_random(&s) >> 11), (int)(next_random(&s) % 100) - 97);
        if (x != 0)
            check_shortest(x);
    }
    for (int k = 0; k < 4000; k++) { /* few decimals, as in tables */
        const uint64_t r = next_random(&s);
        check_shortest((double)(int64_t)(r >> 20) / pow(10, (double)(r % 16)) + 1e-7);
    }
    for (int k = 0; k < 4000; k++) { /* times of three decimals, around the last of that path */
        const uint64_t r = next_random(&s) >> (11 + k % 12);
        const double x = (double)r / 1e3;
        if (r == 0)
            continue;
        check_shortest(x);
        check_shortest(nextafter(x, INFINITY));
        check_shortest(8796093022208.0 + (double)(r % 4096) / 1e3);
        check_shortest(8796093022208.0 - (double)(1 + r % 4096) / 1e3);
    }
    for (int k = 0; k < 1000; k++) { /* subnormals */
        const uint64_t bits = next_random(&s) >> (12 + k % 52);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (x != 0)
            check_shortest(x);
    }
}

/* Powers of two (uneven gaps), powers of ten and the doubles next to them. */
static void writes_the_edges(void **state)
{
    (void)state;
    for (int e = -1074; e <= 1023; e++) {
        const double x = ldexp(1, e);
        check_shortest(x);
        check_shortest(nextafter(x, INFINITY));
        if (nextafter(x, 0) != 0)
            check_shortest(nextafter(x, 0));
    }
    for (int e = -320; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        const double x = strtod(text, NULL);
        check_shortest(x);
        check_shortest(nextafter(x, INFINITY));
        check_shortest(nextafter(x, 0));
        check_shortest(-x);
    }
}

static void whole_numbers_nearby(void **state)
{
    (void)state;
    static const double edges[] = { 0,
                                    -0.0,
                                    0.49999999999999994,
                                    0.5,
                                    0.50000000000000011,
                                    1.5,
                                    2.5,
                                    4503599627370495.5,
                                    4503599627370496.5,
                                    4503599627370497,
                                    9007199254740993,
                                    0x1p61,
                                    0x1.fffffffffffffp61,
                                    0x1p62,
                                    0x1.fffffffffffffp62,
                                    DBL_MIN,
                                    DBL_TRUE_MIN };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_int_equal(az_llround(edges[i]), llround(edges[i]));
        assert_int_equal(az_llround(-edges[i]), llround(-edges[i]));
    }
    uint64_t seed = 7;
    for (int i = 0; i < 1000000; i++) {
        const uint64_t r = next_random(&seed);
        const double x = ldexp((double)(int64_t)r, -(int)(next_random(&seed) % 70) - 1),
                     half = floor(x) + 0.5;
        assert_int_equal(az_llround(x), llround(x));
        assert_int_equal(az_llround(half), llround(half));
        assert_int_equal(az_llround(nextafter(half, 0)), llround(nextafter(half, 0)));
    }
}

static void arithmetic(void **state)
{
    (void)state;
    assert_int_equal(az_muldiv(7, 3, 2), 10);
    assert_int_equal(az_muldiv(-7, 3, 2), -10);
    assert_int_equal(az_muldiv(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
    assert_int_equal(az_muldiv(INT64_MAX, 2, 1), INT64_MAX);
    assert_int_equal(az_muldiv(INT64_MIN, 2, 1), INT64_MIN);
    assert_int_equal(az_muldiv(INT64_MIN, -1, 1), INT64_MAX);
    assert_int_equal(az_muldiv(INT64_MIN, 1, 1), INT64_MIN);
    assert_int_equal(az_muldiv(INT64_C(1) << 62, 1000, 1000), INT64_C(1) << 62);
    assert_true(az_quotient(1694128201425808000, 1000) ==
                1694128201425808.0); /* (double)a is 128 too small */
    assert_true(az_quotient(-1694128201425808000, 1000) == -1694128201425808.0);
    assert_true(az_quotient(1694128201425808250, 1000) == 1694128201425808.25);
    assert_true(az_quotient(INT64_MAX, 1) == 9223372036854775807.0);
    assert_true(az_quotient(1234567, 1000) == 1234.567);
    assert_int_equal(az_whole(-2.9), -2);
    assert_int_equal(az_whole(1e30), INT64_MAX);
    assert_int_equal(az_whole(-INFINITY), INT64_MIN);
    assert_int_equal(az_whole(-9223372036854775808.0), INT64_MIN);
    assert_int_equal(az_whole(9223372036854775808.0), INT64_MAX);
    assert_int_equal(az_whole(NAN), 0);
    assert_int_equal(az_add_sat(1, 2), 3);
    assert_int_equal(az_add_sat(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(az_add_sat(INT64_MIN, -1), INT64_MIN);
    assert_int_equal(az_add_sat(INT64_MIN, INT64_MAX), -1);
}

/* Buckets follow each other without a hole, and are at most 1/32 of their length wide. */
static void log_buckets(void **state)
{
    (void)state;
    for (int64_t x = -2; x < 64; x++)
        assert_int_equal(az_log_bucket(x), x < 0 ? 0 : x);
    assert_int_equal(az_log_bucket(65), 64);
    assert_int_equal(az_log_bucket(66), 65);
    assert_true(az_log_bucket(INT64_MAX) < AZ_LOG_BUCKETS);
    const uint32_t last = az_log_bucket(INT64_MAX);
    for (uint32_t b = 0; b <= last; b++) {
        const int64_t start = az_log_bucket_start(b);
        assert_int_equal(az_log_bucket(start), b);
        assert_true(b == 0 || az_log_bucket(start - 1) == b - 1);
        assert_true(b < 32 || b == last || (az_log_bucket_start(b + 1) - start) * 32 <= start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(reads_digits_at_once),
        cmocka_unit_test(writes_integers),
        cmocka_unit_test(rejects_what_is_no_number),
        cmocka_unit_test(reads_doubles),
        cmocka_unit_test(reads_long_doubles),
        cmocka_unit_test(reads_random_doubles),
        cmocka_unit_test(reads_short_numbers),
        cmocka_unit_test(decimals),
        cmocka_unit_test(short_decimals),
        cmocka_unit_test(sizes),
        cmocka_unit_test(writes_doubles),
        cmocka_unit_test(writes_the_shortest),
        cmocka_unit_test(writes_the_edges),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(whole_numbers_nearby),
        cmocka_unit_test(log_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
