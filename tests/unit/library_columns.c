/* Columns of the library, whole: values of each type and of several, what has none, texts and
 * their offsets. */
#include "library/columns.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE                                                                                       \
    {                                                                                              \
        .type = AZ_EMPTY                                                                           \
    }
#define INT(x)                                                                                     \
    {                                                                                              \
        .type = AZ_INT, .i = (x)                                                                   \
    }
#define REAL(x)                                                                                    \
    {                                                                                              \
        .type = AZ_REAL, .f = (x)                                                                  \
    }
#define BOOL(x)                                                                                    \
    {                                                                                              \
        .type = AZ_BOOL, .b = (x)                                                                  \
    }
#define TEXT(x)                                                                                    \
    {                                                                                              \
        .type = AZ_TEXT, .len = sizeof(x) - 1, .s = (x)                                            \
    }

/* "type nulls valid: values". */
static void column_is(const struct az_cell *cells, size_t n, enum az_cell_type declared,
                      const char *want)
{
    static const char types[] = "etirb";
    struct analyzer_columns *c;
    struct analyzer_column x;
    char text[1024];
    size_t at = 0;

    assert_int_equal(az_columns_new(&c, 2), 0);
    assert_int_equal(az_columns_name(c, 0, AZ_SV("first"), "us", AZ_INT), 0);
    assert_int_equal(az_columns_name(c, 1, AZ_SV("x"), "ms", declared), 0);
    for (size_t i = 0; i < n; i++) {
        const struct az_cell row[2] = { INT((int64_t)i), cells[i] };
        assert_int_equal(az_columns_row(c, row), 0);
    }
    assert_int_equal(az_columns_finish(c), 0);
    assert_int_equal(analyzer_columns_count(c), 2);
    assert_int_equal(analyzer_columns_rows(c), n);
    assert_int_equal(analyzer_columns_at(c, 2, &x), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_columns_at(c, 0, NULL), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_columns_at(c, 0, &x), 0);
    assert_string_equal(x.name, "first");
    assert_string_equal(x.unit, "us");
    assert_int_equal(x.type, AZ_INT);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(((const int64_t *)x.values)[i], i);
    assert_int_equal(analyzer_columns_at(c, 1, &x), 0);
    assert_string_equal(x.name, "x");
    assert_string_equal(x.unit, "ms");
    at += (size_t)snprintf(text + at, sizeof text - at, "%c %" PRId64, types[x.type], x.nulls);
    for (size_t i = 0; x.valid && i < (n + 7) / 8; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %02x", x.valid[i]);
    at += (size_t)snprintf(text + at, sizeof text - at, ":");
    for (size_t i = 0; i < n; i++) {
        if (x.type == AZ_TEXT)
            at += (size_t)snprintf(text + at, sizeof text - at, " [%.*s]",
                                   (int)(x.offsets[i + 1] - x.offsets[i]),
                                   (const char *)x.values + x.offsets[i]);
        else if (x.type == AZ_BOOL)
            at += (size_t)snprintf(text + at, sizeof text - at, " %u",
                                   ((const uint8_t *)x.values)[i]);
        else if (x.type == AZ_INT)
            at += (size_t)snprintf(text + at, sizeof text - at, " %" PRId64,
                                   ((const int64_t *)x.values)[i]);
        else
            at +=
                (size_t)snprintf(text + at, sizeof text - at, " %g", ((const double *)x.values)[i]);
    }
    assert_int_equal(x.type == AZ_TEXT, x.offsets != NULL);
    assert_int_equal(x.type == AZ_TEXT && x.offsets[0] != 0, 0);
    if (strcmp(text, want) != 0)
        fail_msg("'%s', not '%s'", text, want);
    analyzer_columns_close(c);
}

static void values_of_each_type(void **state)
{
    static const struct {
        struct az_cell cells[10];
        size_t n;
        enum az_cell_type declared;
        const char *want;
    } each[] = {
        { { NONE }, 0, AZ_EMPTY, "r 0:" },
        { { NONE }, 0, AZ_TEXT, "t 0:" },
        { { NONE, NONE }, 2, AZ_EMPTY, "r 2 00: nan nan" },
        { { NONE, NONE }, 2, AZ_INT, "i 2 00: 0 0" },
        { { INT(1), INT(-2) }, 2, AZ_EMPTY, "i 0: 1 -2" },
        { { INT(INT64_MAX), NONE }, 2, AZ_INT, "i 1 01: 9223372036854775807 0" },
        { { REAL(1.5), NONE, REAL(-0.25) }, 3, AZ_REAL, "r 1 05: 1.5 nan -0.25" },
        { { BOOL(true), BOOL(false), NONE }, 3, AZ_BOOL, "b 1 03: 1 0 0" },
        { { TEXT("ab"), TEXT(""), NONE, TEXT("c") }, 4, AZ_TEXT, "t 1 0b: [ab] [] [] [c]" },
        { { TEXT("a\x01z\t\n\xff") }, 1, AZ_TEXT, "t 0: [a\xef\xbf\xbdz\t\n\xef\xbf\xbd]" },
        /* several types: the one that has all values */
        { { INT(3), REAL(0.5), NONE }, 3, AZ_EMPTY, "r 1 03: 3 0.5 nan" },
        { { REAL(0.5), BOOL(true), INT(7) }, 3, AZ_EMPTY, "r 0: 0.5 1 7" },
        { { BOOL(true), INT(7), BOOL(false) }, 3, AZ_EMPTY, "i 0: 1 7 0" },
        { { INT(7) }, 1, AZ_REAL, "r 0: 7" },
        { { TEXT("ab"), INT(12), NONE, REAL(0.1), BOOL(true), BOOL(false), TEXT("c") },
          7,
          AZ_EMPTY,
          "t 1 7b: [ab] [12] [] [0.1] [True] [False] [c]" },
        { { INT(-5), TEXT("x") }, 2, AZ_INT, "t 0: [-5] [x]" },
        /* bits of the second byte */
        { { INT(1), NONE, INT(3), INT(4), INT(5), INT(6), INT(7), INT(8), INT(9), NONE },
          10,
          AZ_INT,
          "i 2 fd 01: 1 0 3 4 5 6 7 8 9 0" },
        { { NONE, INT(2), INT(3), INT(4), INT(5), INT(6), INT(7), INT(8) },
          8,
          AZ_INT,
          "i 1 fe: 0 2 3 4 5 6 7 8" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        column_is(each[i].cells, each[i].n, each[i].declared, each[i].want);
}

/* Columns are freed by the last of their owners. */
static void owners(void **state)
{
    struct analyzer_columns *c;
    (void)state;
    assert_int_equal(az_columns_new(&c, 0), 0);
    az_columns_share(c);
    analyzer_columns_close(c);
    assert_int_equal(analyzer_columns_count(c), 0);
    assert_int_equal(analyzer_columns_rows(c), 0);
    analyzer_columns_close(c);
    analyzer_columns_close(NULL);
    assert_int_equal(analyzer_columns_count(NULL), 0);
    assert_int_equal(analyzer_columns_rows(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_type),
        cmocka_unit_test(owners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
