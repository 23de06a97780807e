/* UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"

#define FFFD "\xef\xbf\xbd"

static void decodes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t cp;
        size_t n;
    } row[] = {
        { "a", 'a', 1 },
        { "\x7f", 0x7f, 1 },
        { "\xc2\x80", 0x80, 2 },
        { "\xc3\xa9", 0xe9, 2 },
        { "\xdf\xbf", 0x7ff, 2 },
        { "\xe0\xa0\x80", 0x800, 3 },
        { "\xed\x9f\xbf", 0xd7ff, 3 },
        { "\xee\x80\x80", 0xe000, 3 },
        { "\xef\xbf\xbf", 0xffff, 3 },
        { "\xf0\x90\x80\x80", 0x10000, 4 },
        { "\xf4\x8f\xbf\xbf", 0x10ffff, 4 },
        /* bad: U+FFFD, and how far it goes */
        { "\x80", 0xfffd, 1 },
        { "\xbf", 0xfffd, 1 },
        { "\xc0\x80", 0xfffd, 1 }, /* overlong */
        { "\xc1\xbf", 0xfffd, 1 },
        { "\xe0\x9f\xbf", 0xfffd, 1 }, /* overlong */
        { "\xed\xa0\x80", 0xfffd, 1 }, /* surrogate */
        { "\xf0\x8f\xbf\xbf", 0xfffd, 1 },
        { "\xf4\x90\x80\x80", 0xfffd, 1 }, /* above U+10FFFF */
        { "\xf5\x80\x80\x80", 0xfffd, 1 },
        { "\xff", 0xfffd, 1 },
        { "\xc3", 0xfffd, 1 }, /* cut */
        { "\xe2\x82", 0xfffd, 2 },
        { "\xe2\x82"
          "a",
          0xfffd, 2 },
        { "\xf0\x9f\x98", 0xfffd, 3 },
        { "\xf0\x9f\x98"
          "ab",
          0xfffd, 3 },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        size_t at = 0;
        const struct az_sv s = az_sv_str(row[i].bytes);
        const uint32_t cp = az_utf8_next(s, &at);
        if (cp != row[i].cp || at != row[i].n)
            fail_msg("row %zu gives U+%04X, %zu bytes", i, cp, at);
        assert_int_equal(az_utf8_valid(az_sv_make(s.p, row[i].n)), row[i].cp != 0xfffd);
    }
    assert_true(az_utf8_valid(AZ_SV("")));
    assert_true(az_utf8_valid(AZ_SV("a\0b")));
    size_t at = 0;
    assert_int_equal(az_utf8_next(AZ_SV("\0"), &at), 0);
    assert_int_equal(at, 1);
}

/* Every byte string of two and a sample of longer ones is walked to its end, and the cleaned form
 * is valid. */
static void never_trusts(void **state)
{
    (void)state;
    struct az_arena a;
    az_arena_init(&a, NULL);
    uint64_t s = 1;
    for (unsigned k = 0; k < 65536 + 20000; k++) {
        char bytes[6];
        size_t n = 2;
        bytes[0] = (char)(k >> 8);
        bytes[1] = (char)k;
        if (k >= 65536) {
            n = 6;
            for (size_t i = 0; i < n; i++) {
                s = s * UINT64_C(6364136223846793005) + 1442695040888963407u;
                bytes[i] = (char)(0x80 | (s >> 56));
            }
        }
        const struct az_sv v = az_sv_make(bytes, n), clean = az_utf8_clean(&a, v);
        assert_true(az_utf8_valid(clean));
        assert_int_equal(az_utf8_valid(v), clean.p == v.p);
        assert_int_equal(az_utf8_count(v), az_utf8_count(clean));
        assert_int_equal(az_utf8_width(v), az_utf8_width(clean));
        assert_true(az_utf8_valid(az_utf8_lower(&a, clean)));
        if (k % 4096 == 0)
            az_arena_reset(&a);
    }
    az_arena_release(&a);
}

static void cleans(void **state)
{
    (void)state;
    struct az_arena a;
    az_arena_init(&a, NULL);
    struct az_sv v = AZ_SV("plain \xc3\xa9 \x01");
    assert_ptr_equal(az_utf8_clean(&a, v).p, v.p);
    assert_true(
        az_sv_eq(az_utf8_clean(&a, AZ_SV("a\xff\xc3(\xe2\x82")), AZ_SV("a" FFFD FFFD "(" FFFD)));
    assert_true(az_sv_eq(az_utf8_printable(&a,
                                           AZ_SV("a\x01"
                                                 "b\tc\n\x7f\0d"),
                                           "\t\n"),
                         AZ_SV("a" FFFD "b\tc\n" FFFD FFFD "d")));
    assert_true(az_sv_eq(az_utf8_printable(&a, AZ_SV("a\tb"), ""), AZ_SV("a" FFFD "b")));
    assert_true(az_sv_eq(az_utf8_printable(&a, AZ_SV("a\tb"), NULL), AZ_SV("a" FFFD "b")));
    v = AZ_SV("good");
    assert_ptr_equal(az_utf8_printable(&a, v, "").p, v.p);
    assert_true(az_sv_eq(az_utf8_one_line(&a, AZ_SV("\r\n a\tb \n\nc \n")), AZ_SV("a b c")));
    assert_true(az_sv_eq(az_utf8_one_line(&a, AZ_SV("a")), AZ_SV("a")));
    assert_int_equal(az_utf8_one_line(&a, AZ_SV("")).n, 0);
    assert_int_equal(az_utf8_one_line(&a, AZ_SV(" \n")).n, 0);
    az_arena_release(&a);
    struct az_mem m;
    az_mem_init(&m, 1);
    az_arena_init(&a, &m);
    assert_null(az_utf8_clean(&a, AZ_SV("\xff")).p);
    assert_null(az_utf8_lower(&a, AZ_SV("a")).p);
    assert_null(az_utf8_one_line(&a, AZ_SV("a")).p);
    az_arena_release(&a);
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(az_utf8_visible(&t, AZ_SV("a\n\xc3\xa9\xc2\x85\xff\0")), 0);
    assert_true(az_sv_is(az_text_view(&t), "a\\x0a\xc3\xa9\\xc2\\x85\\xff\\x00"));
    az_vec_reset(&t);
    assert_int_equal(az_utf8_visible(&t, AZ_SV("::error::x")), 0);
    assert_int_equal(az_utf8_visible(&t, AZ_SV("::")), 0); /* no beginning of a line */
    assert_true(az_sv_is(az_text_view(&t), "\\x3a:error::x::"));
    az_vec_release(&t);
}

static void measures(void **state)
{
    (void)state;
    assert_int_equal(az_utf8_count(AZ_SV("")), 0);
    assert_int_equal(az_utf8_count(AZ_SV("h\xc3\xa9llo")), 5);
    assert_int_equal(az_utf8_count(AZ_SV("\xff\xfe")), 2);
    static const struct {
        const char *text;
        size_t width;
    } row[] = {
        { "", 0 },
        { "abc", 3 },
        { "h\xc3\xa9llo", 5 },
        { "e\xcc\x81", 1 },                        /* combining acute */
        { "\xe4\xb8\xad\xe6\x96\x87", 4 },         /* two ideographs */
        { "\xed\x95\x9c", 2 },                     /* Hangul syllable */
        { "\xef\xbc\xa1", 2 },                     /* full-width A */
        { "\xef\xbd\xb1", 1 },                     /* half-width kana */
        { "\xf0\x9f\x9a\x80", 2 },                 /* rocket */
        { "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", 2 }, /* thumb with a skin tone */
        { "\xe2\x9c\x85", 2 },                     /* white heavy check mark */
        { "\xe2\x9c\x94", 1 },                     /* heavy check mark: text by default */
        { "a\xe2\x80\x8b"
          "b",
          2 },                             /* zero-width space */
        { "\xce\xbcs", 2 },                /* micro sign in Greek */
        { "\xe2\x94\x80\xe2\x96\x88", 2 }, /* box and block */
        { "\xd7\x90\xd6\xb8", 1 },         /* Hebrew letter with a vowel */
        { "\xe0\xb8\x81\xe0\xb8\xb4", 1 }, /* Thai letter with a vowel */
        { "\x01\x7f", 0 },
        { "\xff", 1 },             /* shown as U+FFFD */
        { "\xf0\xa0\x80\x80", 2 }, /* ideograph of plane 2 */
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        if (az_utf8_width(az_sv_str(row[i].text)) != row[i].width)
            fail_msg("row %zu: %zu columns", i, az_utf8_width(az_sv_str(row[i].text)));
    }
}

static void cuts(void **state)
{
    (void)state;
    const struct az_sv s =
        AZ_SV("a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x9a\x80z"); /* starts at 0 1 3 6 10 */
    static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };
    for (size_t i = 0; i < AZ_LENGTH(want); i++)
        assert_int_equal(az_utf8_cut(s, i).n, want[i]);
    assert_int_equal(az_utf8_cut(AZ_SV("\x80\x80\x80\x80\x80"), 3).n,
                     3); /* bad bytes are cut anywhere */
    assert_int_equal(az_utf8_cut(AZ_SV("a\xe4"
                                       "bcd"),
                                 3)
                         .n,
                     3);
    assert_int_equal(az_utf8_cut(AZ_SV(""), 0).n, 0);
}

static void lowers(void **state)
{
    (void)state;
    struct az_arena a;
    az_arena_init(&a, NULL);
    static const struct {
        const char *in, *out;
    } row[] = {
        { "", "" },
        { "NcclKernel_42", "ncclkernel_42" },
        { "[@`{", "[@`{" },
        { "\xc3\x89", "\xc3\xa9" },                 /* E acute */
        { "\xc3\x97\xc3\xb7", "\xc3\x97\xc3\xb7" }, /* times and divide have no case */
        { "\xc3\x9f", "\xc3\x9f" },                 /* sharp s stays */
        { "\xc3\x9e\xc3\x80", "\xc3\xbe\xc3\xa0" },
        { "\xc5\x81\xc4\x80\xc5\xb8\xc5\xbd", "\xc5\x82\xc4\x81\xc3\xbf\xc5\xbe" },
        { "\xc4\xb1\xc4\xb8", "\xc4\xb1\xc4\xb8" }, /* dotless i, kra: lower already */
        { "\xc4\xb0", "i" },                        /* I with dot: one byte less */
        { "\xce\x91\xce\xa9\xce\xa3\xce\x8c", "\xce\xb1\xcf\x89\xcf\x83\xcf\x8c" },
        { "\xd0\x80\xd0\x90\xd0\xaf\xd3\x80", "\xd1\x90\xd0\xb0\xd1\x8f\xd3\x8f" },
        { "\xd4\xb1\xd5\x96", "\xd5\xa1\xd6\x86" },
        { "\xe1\xb8\x80\xe1\xbb\xbe", "\xe1\xb8\x81\xe1\xbb\xbf" },
        { "\xe1\xba\x9e", "\xc3\x9f" },              /* capital sharp s */
        { "\xe2\x84\xaa\xe2\x84\xab", "k\xc3\xa5" }, /* Kelvin, Angstrom */
        { "\xef\xbc\xa1", "\xef\xbd\x81" },
        { "\xe4\xb8\xad\xf0\x9f\x9a\x80", "\xe4\xb8\xad\xf0\x9f\x9a\x80" },
        { "A\xff"
          "B\xc3",
          "a\xff"
          "b\xc3" }, /* bad bytes stay */
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        const struct az_sv v = az_utf8_lower(&a, az_sv_str(row[i].in));
        assert_non_null(v.p);
        if (!az_sv_is(v, row[i].out))
            fail_msg("row %zu gives '%.*s'", i, AZ_SVF(v));
        assert_int_equal(v.p[v.n], '\0');
        assert_true(az_sv_eq(az_utf8_lower(&a, v), v)); /* lower case is a fixed point */
    }
    az_arena_release(&a);
}

/* Spreadsheets count UTF-16: what is beyond U+FFFF counts twice and is not cut in two; a bad byte
 * counts as U+FFFD.
 */
static void counts_and_cuts_units(void **state)
{
    (void)state;
    const struct az_sv s = AZ_SV("a\xc3\xa9\xf0\x9f\x98\x80\xffz");
    static const size_t bytes[] = { 0, 1, 3, 3, 7, 8, 9, 9 };
    assert_int_equal(az_utf8_units(s), 6);
    assert_int_equal(az_utf8_units(AZ_SV("")), 0);
    for (size_t units = 0; units < AZ_LENGTH(bytes); units++)
        assert_int_equal(az_utf8_cut_units(s, units).n, bytes[units]);
}

/* A text of words loses inner words; a name without blanks its middle; a word too long for that is
 * truncated, too. */
static void fits_by_words(void **state)
{
    static const struct {
        const char *text, *want;
        size_t width;
    } row[] = {
        { "Memcpy HtoD (Pageable -> Device)",
          "Memcpy HtoD (Pageable\xe2\x80\xa6"
          "Device)",
          30 },
        { "[1024] [512,1024] [1024,1024]", "[1024]\xe2\x80\xa6[1024,1024]", 25 },
        { "host code", "host code", 9 },
        { "aten::native_layer_norm", "aten::na\xe2\x80\xa6norm", 13 },
        { "a averyveryverylongword b",
          "a aver\xe2\x80\xa6"
          "d b",
          10 },
    };
    struct az_arena a;

    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(row); i++) {
        const struct az_sv got = az_utf8_fit(&a, az_sv_str(row[i].text), row[i].width, true);
        assert_string_equal(az_arena_str(&a, got), row[i].want);
        assert_true(az_utf8_width(got) <= row[i].width);
    }
    az_arena_release(&a);
}

/* Eight bytes at a time or one: a text is as wide, and has as many units, as its characters. */
static void characters_at_every_place(void **state)
{
    (void)state;
    static const struct {
        struct az_sv bytes;
        size_t width, units;
    } c[] = { { { "x", 1 }, 1, 1 },
              { { "\x7f", 1 }, 0, 1 },
              { { "\t", 1 }, 0, 1 },
              { { "\xc3\xa4", 2 }, 1, 1 },
              { { "\xe4\xb8\xad", 3 }, 2, 1 },
              { { "\xf0\x9f\x98\x80", 4 }, 2, 2 } };
    for (size_t k = 0; k < AZ_LENGTH(c); k++)
        for (size_t before = 0; before < 20; before++)
            for (size_t after = 0; after < 20; after++) {
                char text[48];
                memset(text, 'a', sizeof text);
                memcpy(text + before, c[k].bytes.p, c[k].bytes.n);
                const struct az_sv s = az_sv_make(text, before + c[k].bytes.n + after);
                assert_int_equal(az_utf8_width(s), before + after + c[k].width);
                assert_int_equal(az_utf8_units(s), before + after + c[k].units);
                assert_int_equal(az_utf8_cut_units(s, before + after + c[k].units).n, s.n);
                assert_int_equal(az_utf8_cut_units(s, before).n, before);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes),
        cmocka_unit_test(never_trusts),
        cmocka_unit_test(cleans),
        cmocka_unit_test(fits_by_words),
        cmocka_unit_test(measures),
        cmocka_unit_test(cuts),
        cmocka_unit_test(lowers),
        cmocka_unit_test(counts_and_cuts_units),
        cmocka_unit_test(characters_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
