/* String views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/sv.h"
#include "text/typo.h"

#define S AZ_SV

static void compares(void **state)
{
    (void)state;
    assert_true(az_sv_cmp(S("a"), S("b")) < 0);
    assert_true(az_sv_cmp(S("b"), S("a")) > 0);
    assert_true(az_sv_cmp(S("ab"), S("abc")) < 0);
    assert_true(az_sv_cmp(S("abc"), S("ab")) > 0);
    assert_int_equal(az_sv_cmp(S(""), (struct az_sv){ NULL, 0 }), 0);
    assert_true(az_sv_cmp(S("\xff"), S("a")) > 0); /* bytes are unsigned */
    assert_true(az_sv_cmp(S("a\0b"), S("a\0c")) < 0);
    assert_true(az_sv_eq(S(""), (struct az_sv){ NULL, 0 }));
    assert_false(az_sv_eq(S("a"), S("b")));
    assert_true(az_sv_is(S("abc"), "abc"));
    assert_true(az_sv_ieq(S("NcCl_1"), S("nCcL_1")));
    assert_false(az_sv_ieq(S("nccl"), S("nccl1")));
    assert_false(az_sv_ieq(S("@"), S("`"))); /* 0x40 and 0x60 differ by the case bit only */
    assert_false(az_sv_ieq(S("\xc9"), S("\xe9")));
}

static void searches(void **state)
{
    (void)state;
    assert_true(az_sv_starts(S("abc"), S("ab")) && az_sv_starts(S("abc"), S("")) &&
                az_sv_starts(S(""), S("")));
    assert_false(az_sv_starts(S("ab"), S("abc")));
    assert_true(az_sv_ends(S("abc"), S("bc")) && az_sv_ends(S("abc"), S("")) &&
                !az_sv_ends(S("abc"), S("ab")));
    assert_false(az_sv_ends(S("bc"), S("abc")));
    assert_int_equal(az_sv_find(S("aabaac"), S("aac")), 3);
    assert_int_equal(az_sv_find(S("aabaac"), S("")), 0);
    assert_int_equal(az_sv_find(S(""), S("")), 0);
    assert_int_equal(az_sv_find(S(""), S("a")), -1);
    assert_int_equal(az_sv_find(S("aaab"), S("b")), 3);
    assert_int_equal(az_sv_find(S("aaa"), S("aaaa")), -1);
    assert_int_equal(az_sv_find(S("x\0yz"), S("\0y")), 1);
    assert_int_equal(az_sv_ifind(S("ncclDevKERNEL"), S("devKernel")), 4);
    assert_int_equal(az_sv_ifind(S("abc"), S("d")), -1);
    assert_int_equal(az_sv_ifind(S("ab"), S("B")), 1);
    assert_int_equal(az_sv_ifind(S("ab"), S("abc")), -1);
    assert_int_equal(az_sv_ifind(S("ab"), S("")), 0);
}

/* Eight and sixteen letters at a time, at every place of texts of every length. */
static void searches_any_case(void **state)
{
    static const char needles[][4] = { "ab", "aB", "A", "a_", "@a", "abA", "`a" };
    char text[80];
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        const size_t n = (size_t)(round % 80);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[i] = "aAbB_@`\x01\xe1 .........."[(seed >> 33) % (round % 2 ? 10 : 20)];
        }
        const struct az_sv needle = az_sv_str(needles[round % 7]);
        ptrdiff_t want = -1;
        for (size_t i = 0; want < 0 && i + needle.n <= n; i++)
            if (az_sv_ieq(az_sv_make(text + i, needle.n), needle))
                want = (ptrdiff_t)i;
        char *exact = malloc(n + 1); /* a sanitizer sees what is read beyond the end */
        assert_non_null(exact);
        char *at = exact + 1;
        memcpy(at, text, n);
        assert_int_equal(az_sv_ifind(az_sv_make(at, n), needle), want);
        free(exact);
    }
}

static void trims(void **state)
{
    (void)state;
    assert_true(az_sv_is(az_sv_trim(S(" \t a b\r\n")), "a b"));
    assert_int_equal(az_sv_trim(S(" \n ")).n, 0);
    assert_int_equal(az_sv_trim(S("")).n, 0);
    assert_true(az_sv_eq(az_sv_trim(S("\va")), S("\va")));
}

static void globs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool match;
    } row[] = {
        { "", "", true },
        { "", "a", false },
        { "*", "", true },
        { "**", "abc", true },
        { "a*c", "abbbc", true },
        { "a*c", "abbbd", false },
        { "*.json", "trace.json", true },
        { "*.json", ".json", true },
        { "*.json", "trace.json.gz", false },
        { "?", "", false },
        { "?", "a", true },
        { "a?c", "abc", true },
        { "rank[0-9].csv", "rank7.csv", true },
        { "rank[0-9].csv", "rankx.csv", false },
        { "[!a-c]", "d", true },
        { "[^a-c]", "b", false },
        { "[]]", "]", true },
        { "[]a]", "a", true },
        { "[a-]", "-", true },
        { "[abc", "[abc", true }, /* no closing bracket: a letter */
        { "[", "[", true },
        { "[", "a", false },
        { "*[", "a[", true },
        { "*a*b*c*", "xxaxxbxxcxx", true },
        { "*a*b*c*", "xxaxxcxxbxx", false },
        { "a/b*", "a/b/c", true },
        { "*ab", "aab", true },
        { "*[ab]c", "ac bc", true },
        { "[\x80-\xff]", "\xc3", true },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        if (az_sv_glob(az_sv_str(row[i].pattern), az_sv_str(row[i].text)) != row[i].match)
            fail_msg("glob %s %s", row[i].pattern, row[i].text);
    }
}

/* A pattern that takes exponential time where every star is tried again. */
static void globs_fast(void **state)
{
    (void)state;
    char text[4000], pattern[81];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < 80; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[80] = 'b';
    assert_false(az_sv_glob(az_sv_make(pattern, 81), az_sv_make(text, sizeof text)));
}

/* A word of three letters is not near one that shares a letter with it. */
static void limits_typos(void **state)
{
    static const struct {
        size_t n;
        unsigned limit;
    } of[] = { { 0, 0 }, { 1, 0 }, { 2, 1 },   { 3, 1 },  { 4, 2 },
               { 8, 2 }, { 9, 3 }, { 30, 10 }, { 99, 10 } };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(az_typo_limit(of[i].n), of[i].limit);
    assert_true(az_sv_distance(S("foo"), S("op"), 9) > az_typo_limit(3));
}

static void measures_distance(void **state)
{
    (void)state;
    assert_int_equal(az_sv_distance(S(""), S(""), 3), 0);
    assert_int_equal(az_sv_distance(S("abc"), S("abc"), 0), 0);
    assert_int_equal(az_sv_distance(S("abc"), S("abd"), 0), 1);
    assert_int_equal(az_sv_distance(S("kitten"), S("sitting"), 5), 3);
    assert_int_equal(az_sv_distance(S("kitten"), S("sitting"), 2), 3); /* max + 1 */
    assert_int_equal(az_sv_distance(S(""), S("abc"), 5), 3);
    assert_int_equal(az_sv_distance(S("abc"), S(""), 2), 3);
    assert_int_equal(az_sv_distance(S("num_of_iter"), S("num_of_iters"), 3), 1);
    assert_int_equal(az_sv_distance(S("flaw"), S("lawn"), 5), 2);
    char a[1000], b[1000];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    assert_int_equal(az_sv_distance(az_sv_make(a, 1000), az_sv_make(b, 1000), 4), 5);
    assert_int_equal(az_sv_distance(az_sv_make(a, 1000), az_sv_make(a, 998), 4), 2);
}

static void cuts(void **state)
{
    (void)state;
    struct az_sv rest = AZ_SV("a;;bc");
    assert_true(az_sv_is(az_sv_cut(&rest, ';'), "a"));
    assert_int_equal(az_sv_cut(&rest, ';').n, 0);
    assert_true(az_sv_is(az_sv_cut(&rest, ';'), "bc"));
    assert_int_equal(rest.n, 0);
    assert_int_equal(az_sv_cut(&rest, ';').n, 0);
    rest = AZ_SV("end;");
    assert_true(az_sv_is(az_sv_cut(&rest, ';'), "end"));
    assert_int_equal(rest.n, 0);
}

/* Sixteen places at a time, and one by one. */
static void searches_long_texts(void **state)
{
    (void)state;
    char text[63 + 20];
    uint32_t s = 5;
    for (int round = 0; round < 20000; round++) {
        const size_t n = (s = s * 1664525 + 1013904223) >> 8 & 63, m = 1 + (s >> 16) % 20;
        for (size_t i = 0; i < n + m; i++)
            text[i] = "aab"[((s = s * 1664525 + 1013904223) >> 20) % 3];
        const struct az_sv hay = az_sv_make(text, n), needle = az_sv_make(text + n, m);
        ptrdiff_t want = -1;
        for (size_t i = 0; want < 0 && i + m <= n; i++)
            want = memcmp(text + i, needle.p, m) == 0 ? (ptrdiff_t)i : -1;
        assert_int_equal(az_sv_find(hay, needle), want);
    }
}

static void tells_errors(void **state)
{
    (void)state;
    for (int code = 0; code >= AZ_EINTERNAL; code--) {
        assert_true(az_err_text(code)[0] != '\0');
        assert_string_not_equal(az_err_text(code), "unknown error");
    }
    assert_string_equal(az_err_text(-999), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(searches),
        cmocka_unit_test(searches_any_case),
        cmocka_unit_test(searches_long_texts),
        cmocka_unit_test(trims),
        cmocka_unit_test(globs),
        cmocka_unit_test(globs_fast),
        cmocka_unit_test(measures_distance),
        cmocka_unit_test(limits_typos),
        cmocka_unit_test(tells_errors),
        cmocka_unit_test(cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
