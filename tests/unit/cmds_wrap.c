/* Lines broken at blanks: whole words, the indent of what goes on below, words that are too long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmds/wrap.h"

static void check(const char *line, size_t indent, size_t width, const char *want)
{
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    assert_int_equal(az_utf8_wrap(&out, az_sv_str(line), indent, width), 0);
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    assert_string_equal(out.v, want);
    az_vec_release(&out);
}

static void lines_fit(void **state)
{
    (void)state;
    check("", 2, 10, "\n");
    check("  a bb ccc", 4, 10, "  a bb ccc\n");
    check("  a bb cccc", 4, 10, "  a bb\n    cccc\n");
    check("  a   bb   cccc", 4, 10, "  a   bb\n    cccc\n");
    check("what longer_than_the_line x", 5, 10, "what longer_than_the_line\n     x\n");
    check("what a b", 5, SIZE_MAX, "what a b\n");
    check("  a   bb    cccc", 4, 11, "  a   bb\n    cccc\n");
    check("a bb ::add-mask::x", 2, 8, "a bb\n  \\x3a:add-mask::x\n");
    check("\xc3\xa4 bb cccc", 1, 7, "\xc3\xa4 bb\n cccc\n");
    check("\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4", 1, 7,
          "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4\n");
}

static void check_page(const char *text, const char *want)
{
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    assert_int_equal(az_wrap_page(&out, az_sv_str(text)), 0);
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    assert_string_equal(out.v, want);
    az_vec_release(&out);
}

#define FORTY "a word and another word, and one more ok"

/* A paragraph is filled where a line of it is too long, rows go on in their second column, and
 * nothing is changed that fits. */
static void pages_fit(void **state)
{
    (void)state;
    check_page("", "");
    check_page("short\nlines\n\nstay\n", "short\nlines\n\nstay\n");
    check_page(FORTY " " FORTY "\nmore\n\nnext\n",
               FORTY " a word and another word, and one more\nok more\n\nnext\n");
    check_page("  -o, --output=PATH       " FORTY " " FORTY "\n",
               "  -o, --output=PATH       " FORTY " a word and\n"
               "                          another word, and one more ok\n");
    check_page("  key (" FORTY " " FORTY ")\n      " FORTY " " FORTY "\n",
               "  key (" FORTY " a word and another word, and one\n      more ok)\n"
               "      " FORTY " a word and another word, and one\n      more ok\n");
    check_page("usage: analyzer x [" FORTY "] [" FORTY "]\nwhat it is\n",
               "usage: analyzer x [" FORTY "] [a word and another\n"
               "       word, and one more ok]\nwhat it is\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lines_fit), cmocka_unit_test(pages_fit) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
