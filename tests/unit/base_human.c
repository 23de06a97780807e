/* Numbers in the units that a person reads, at the edges of each unit; names of embedded files. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/data.h"
#include "base/err.h"
#include "base/human.h"

static void times(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        { 0, "0 ns" },
        { 1, "1 ns" },
        { -1, "-1 ns" },
        { 999, "999 ns" },
        { 1000, "1.0 us" },
        { -1000, "-1.0 us" },
        { 1049, "1.0 us" },
        { 1051, "1.1 us" },
        { 999949, "999.9 us" },
        { 999950, "1.0 ms" },
        { 99950000, "100.0 ms" },
        { 999949999, "999.9 ms" },
        { 999950000, "1.0 s" },
        { INT64_C(119900000000), "119.9 s" },
        { INT64_C(119993999999), "120.0 s" },
        { INT64_C(119994000000), "2.0 min" },
        { INT64_C(7199600000000), "120.0 min" },
        { INT64_C(7199640000000), "2.0 h" },
        { INT64_C(-7200000000000), "-2.0 h" },
        { INT64_MAX, "2562047.8 h" },
        { INT64_MIN, "-2562047.8 h" },
    };
    char text[AZ_HUMAN_MAX];
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        assert_int_equal(az_human_time(cases[i].ns, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {
        { 0, "0 B" },           { 1, "1 B" },
        { 999, "999 B" },       { 999.94, "1000 B" },
        { 999.95, "1.0 kB" },   { 1000, "1.0 kB" },
        { 1049, "1.0 kB" },     { 1051, "1.1 kB" },
        { 999949, "999.9 kB" }, { 999950, "1.0 MB" },
        { 1e9, "1.0 GB" },      { 1e12, "1.0 TB" },
        { 1e15, "1.0 PB" },     { 1e18, "1.0 EB" },
        { 1e21, "1000.0 EB" },  { 5e24, "5000000.0 EB" },
        { 1.25e3, "1.2 kB" },   { 1.35e3, "1.4 kB" },
    };
    char text[AZ_HUMAN_MAX];
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        assert_int_equal(az_human_bytes(cases[i].bytes, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void rates(void **state)
{
    (void)state;
    static const struct {
        double per_second;
        const char *text;
    } cases[] = {
        { 0, "0 FLOP/s" },           { 1, "1 FLOP/s" },      { 999, "999 FLOP/s" },
        { 999.4, "999 FLOP/s" },     { 999.5, "1 kFLOP/s" }, { 1000, "1 kFLOP/s" },
        { 1234, "1.23 kFLOP/s" },    { 1e6, "1 MFLOP/s" },   { 1e9, "1 GFLOP/s" },
        { 9.895e14, "990 TFLOP/s" }, { 1e15, "1 PFLOP/s" },  { 1e18, "1 EFLOP/s" },
        { 1e21, "1e+03 EFLOP/s" },
    };
    char text[AZ_HUMAN_MAX];
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        assert_int_equal(az_human_flops(cases[i].per_second, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void counts(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 9, "9" },
        { 999, "999" },
        { 1000, "1,000" },
        { -1, "-1" },
        { -999, "-999" },
        { -1000, "-1,000" },
        { 999999, "999,999" },
        { 1000000, "1,000,000" },
        { INT64_MAX, "9,223,372,036,854,775,807" },
        { INT64_MIN, "-9,223,372,036,854,775,808" },
    };
    char text[AZ_HUMAN_MAX];
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        assert_int_equal(az_human_count(cases[i].n, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

static void embedded_files(void **state)
{
    (void)state;
    assert_true(az_data("devices.csv").n > 0);
    assert_true(az_sv_ends(az_data("devices.csv"), AZ_SV("\n")));
    assert_null(az_data("none.csv").p);
    assert_int_equal(az_data("none.csv").n, 0);
    assert_int_equal(az_data("").n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times),  cmocka_unit_test(sizes),          cmocka_unit_test(rates),
        cmocka_unit_test(counts), cmocka_unit_test(embedded_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
