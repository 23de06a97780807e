/* Texts without vsnprintf: equal to what it writes, or left to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <math.h>

#include <cmocka.h>

#include "base/print.h"
#include "base/sv.h"

static char got[64], want[64];

/* Both ways into `room` bytes; returns the length of the first. */
static int both(size_t room, const char *fmt, ...)
{
    va_list ap, same;
    va_start(ap, fmt);
    va_copy(same, ap);
    memset(got, 'x', sizeof got);
    const int n = az_print_plain(got, room, fmt, &ap);
    vsnprintf(want, sizeof want, fmt, same);
    va_end(same);
    va_end(ap);
    return n;
}

#define SAME(...)                                                                                  \
    do {                                                                                           \
        const int n = both(sizeof got, __VA_ARGS__);                                               \
        assert_int_equal(n, (int)strlen(want));                                                    \
        assert_string_equal(got, want);                                                            \
    } while (0)
#define LEFT(...) assert_int_equal(both(sizeof got, __VA_ARGS__), -1)

static void equals_printf(void **state)
{
    (void)state;
    SAME("plain");
    SAME("");
    SAME("%s", "");
    SAME("a %s b", "text");
    SAME("%.*s|%.*s", 2, "text", 0, "text");
    SAME("%c%%%c", 'x', 'y');
    SAME("%d %d %d", 0, -1, INT32_MIN);
    SAME("%u %lu %zu", 4294967295u, 18446744073709551615ul, (size_t)10);
    SAME("%ld %lld", INT64_MIN, (long long)INT64_MAX);
    SAME("%llu", 9ull);
    SAME("%.0f %.1f %.2f", 12.4, 12.34, 12.346);
    SAME("%.0f %.1f %.2f", 0.0, 0.05001, 999999999.9);
    SAME("%.1f %.2f", 9.96, 0.996);
    SAME("%.*f", 2, 3.14159);
}

static void others_are_left(void **state)
{
    (void)state;
    LEFT("%.1f", -0.5);
    LEFT("%.1f", 1e9);
    LEFT("%.1f", 0.25); /* between two */
    LEFT("%.0f", 0.5);
    LEFT("%.3f", 1.0);
    LEFT("%.*f", 3, 1.0);
    LEFT("%.1f", (double)NAN);
    LEFT("%5d", 1);
    LEFT("%x", 1u);
    LEFT("%.1d", 1);
    LEFT("%g", 1.0);
    LEFT("%f", 1.0);
    LEFT("%s", (const char *)NULL);
    LEFT("%p", (void *)got);
}

/* Room for the text and its NUL, and not one byte less. */
static void room_for_all(void **state)
{
    (void)state;
    assert_int_equal(both(7, "ab%d%s", 12, "cd"), 6);
    assert_string_equal(got, "ab12cd");
    assert_int_equal(got[7], 'x');
    assert_int_equal(both(6, "ab%d%s", 12, "cd"), -1);
    assert_int_equal(got[6], 'x');
    assert_int_equal(both(3, "abc"), -1);
    assert_int_equal(both(4, "abc"), 3);
    assert_int_equal(both(1, "%s", ""), 0);
    assert_int_equal(got[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equals_printf),
                                        cmocka_unit_test(others_are_left),
                                        cmocka_unit_test(room_for_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
