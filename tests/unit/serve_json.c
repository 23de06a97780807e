/* Messages as JSON: what is one value, and what is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serve/internal.h"

static void whole_values(void **state)
{
    static const char *const good[] = { "{}",
                                        "[]",
                                        "\"\"",
                                        "0",
                                        "-0",
                                        "10",
                                        "-1.5",
                                        "0.25",
                                        "1e5",
                                        "1E+05",
                                        "1e-5",
                                        "0e0",
                                        "true",
                                        "false",
                                        "null",
                                        " \t\r\n[ 1 , 2 ] \n",
                                        "{\"a\":1}",
                                        "{ \"a\" : { } , \"b\" : [ ] }",
                                        "[true,false,null]",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00aF\\u09Af\"",
                                        "\"\xc3\xa9\"",
                                        "[[[[]]]]" };
    static const char *const bad[] = { "",
                                       " ",
                                       "{",
                                       "[",
                                       "\"",
                                       "\"a",
                                       "-",
                                       "+1",
                                       "01",
                                       "-01",
                                       "00",
                                       "1.",
                                       ".5",
                                       "1.e5",
                                       "1e",
                                       "1e+",
                                       "1e-",
                                       "tru",
                                       "truE",
                                       "nul",
                                       "nulll",
                                       "fals",
                                       "{} {}",
                                       "1 2",
                                       "[1,]",
                                       "[,1]",
                                       "[1 2]",
                                       "[1",
                                       "[1,",
                                       "{\"a\"}",
                                       "{\"a\":}",
                                       "{\"a\":1,}",
                                       "{\"a\" 1}",
                                       "{a:1}",
                                       "{1:1}",
                                       "{\"a\":1",
                                       "{,}",
                                       "{\"a\":1]",
                                       "[1}",
                                       "\"\\x\"",
                                       "\"\\",
                                       "\"\\u12\"",
                                       "\"\\u123g\"",
                                       "\"\\u123G\"",
                                       "\"\\u123/\"",
                                       "\"\\u123:\"",
                                       "\"\\u123@\"",
                                       "\"\\u123`\"",
                                       "\"\\u1234",
                                       "\"\n\"",
                                       "\"\x1f\"",
                                       "\"\xff\"",
                                       "]",
                                       "}",
                                       "NaN",
                                       "'a'",
                                       "\v1" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(good); i++)
        if (!az_rpc_valid(az_sv_str(good[i])))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        if (az_rpc_valid(az_sv_str(bad[i])))
            fail_msg("taken: %s", bad[i]);
    assert_false(az_rpc_valid(AZ_SV("\"\\\0\"")));
    assert_false(az_rpc_valid(AZ_SV("1\0")));
    /* nothing after the end of the text is read */
    for (size_t i = 0; i < AZ_LENGTH(good); i++)
        if (strchr("{[\"tfn", good[i][0]))
            for (size_t n = 0; n < strlen(good[i]); n++)
                assert_false(az_rpc_valid(az_sv_make(good[i], n)));
}

static void nested(void **state)
{
    char text[300];
    (void)state;
    for (size_t depth = 60; depth < 70; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(az_rpc_valid(az_sv_make(text, 2 * depth)), depth <= 65);
        text[depth] = '1'; /* one level more */
        memset(text + depth + 1, ']', depth);
        assert_int_equal(az_rpc_valid(az_sv_make(text, 2 * depth + 1)), depth <= 64);
    }
}

static void members(void **state)
{
    const struct az_sv object = AZ_SV("{\"a\":1,\"b\":\"x\\n\",\"a\":[2],\"c\":{}}");
    struct az_arena a;
    struct az_sv text;
    (void)state;
    az_arena_init(&a, NULL);
    assert_true(az_sv_is(az_rpc_member(object, "a"), "[2]")); /* the last one */
    assert_true(az_sv_is(az_rpc_member(object, "c"), "{}"));
    assert_null(az_rpc_member(object, "d").p);
    assert_null(az_rpc_member(AZ_SV("[1]"), "a").p);
    assert_null(az_rpc_member((struct az_sv){ NULL, 0 }, "a").p);
    assert_true(az_rpc_text(&a, az_rpc_member(object, "b"), &text) && az_sv_is(text, "x\n"));
    assert_true(az_rpc_text(&a, AZ_SV("\"\""), &text) && text.n == 0);
    assert_false(az_rpc_text(&a, AZ_SV("1"), &text));
    assert_false(az_rpc_text(&a, AZ_SV("12"), &text));
    assert_false(az_rpc_text(&a, AZ_SV("\""), &text));
    assert_false(az_rpc_text(&a, (struct az_sv){ NULL, 0 }, &text));
    assert_true(az_rpc_is_object(AZ_SV("{}")));
    assert_false(az_rpc_is_object(AZ_SV("[]")));
    assert_false(az_rpc_is_object(AZ_SV("{")));
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whole_values), cmocka_unit_test(nested),
                                        cmocka_unit_test(members) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
