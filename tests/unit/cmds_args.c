/* Options and operands of a command line. Messages go to stderr, which these tests do not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cmds/internal.h"

enum { LONG_ONLY = 256 };
static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "" },
                                             { 'o', "output", "FILE", "" },
                                             { 'q', "quiet", NULL, "" },
                                             { LONG_ONLY, "wide", NULL, "" },
                                             { LONG_ONLY + 1, "color", "W", "" } };
static const struct az_cmd command = {
    .name = "list", .args = "X", .help = "", .opts = options, .n_opts = AZ_LENGTH(options)
};

#define WORDS(...)                                                                                 \
    (char *[]){ (char[]){ "list" }, __VA_ARGS__, NULL },                                           \
        (int)AZ_LENGTH(((const char *[]){ "", __VA_ARGS__ }))
#define W(text) ((char[]){ text })

static void begin(struct az_args *a, char **argv, int argc)
{
    az_args_init(a, &command, argc, argv);
}

static void expect(struct az_args *a, int id, const char *value)
{
    assert_int_equal(az_args_next(a), id);
    if (value)
        assert_string_equal(a->value, value);
    else
        assert_null(a->value);
}

static void letters_and_words(void **state)
{
    struct az_args a;
    (void)state;
    begin(&a, WORDS(W("-qo"), W("x"), W("--wide"), W("--output=y"), W("--outp"), W("z"), W("in")));
    expect(&a, 'q', NULL);
    expect(&a, 'o', "x");
    expect(&a, LONG_ONLY, NULL);
    expect(&a, 'o', "y");
    expect(&a, 'o', "z");
    assert_int_equal(az_args_next(&a), ARG_END);
    assert_int_equal(a.n_operands, 1);
    assert_string_equal(a.operands[0], "in");
}

static void no_operands(void **state)
{
    struct az_args a;
    (void)state;
    begin(&a, WORDS(W("-q")));
    expect(&a, 'q', NULL);
    assert_int_equal(az_args_next(&a), ARG_END);
    assert_int_equal(a.n_operands, 0);
}

/* Alone, before an option and before a file it is `always`; another word is its value. */
static void color(void **state)
{
    struct az_args a;
    const int id = LONG_ONLY + 1;
    (void)state;
    begin(&a, WORDS(W("--color")));
    expect(&a, id, "always");
    assert_int_equal(az_args_next(&a), ARG_END);
    begin(&a, WORDS(W("--color"), W("-q")));
    expect(&a, id, "always");
    expect(&a, 'q', NULL);
    begin(&a, WORDS(W("--color"), W("/")));
    expect(&a, id, "always");
    assert_int_equal(az_args_next(&a), ARG_END);
    assert_int_equal(a.n_operands, 1);
    begin(&a, WORDS(W("--color"), W("never")));
    expect(&a, id, "never");
    assert_int_equal(az_args_next(&a), ARG_END);
    assert_int_equal(a.n_operands, 0);
    begin(&a, WORDS(W("--color=auto"), W("never")));
    expect(&a, id, "auto");
    assert_int_equal(az_args_next(&a), ARG_END);
    assert_int_equal(a.n_operands, 1);
    begin(&a, WORDS(W("--no-color")));
    expect(&a, id, "never");
}

static void errors(void **state)
{
    static const char *const words[] = { "-x",         "-qx",      "--wode",
                                         "--zzzzzzzz", "--wide=3", "--no-color=1",
                                         "-o",         "--output", "--wide-more=1" };
    struct az_args a;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(words); i++) {
        char word[32];
        strcpy(word, words[i]);
        begin(&a, WORDS(word));
        int id = az_args_next(&a);
        if (id == 'q')
            id = az_args_next(&a);
        if (id != ARG_ERROR)
            fail_msg("%s: %d", words[i], id);
    }
}

static int count(void *ctx, int id, const char *value)
{
    int *n = ctx;
    (void)value;
    (*n)++;
    return id == 'o' ? AZ_EXIT_USAGE : AZ_EXIT_OK;
}

static void all_options(void **state)
{
    struct az_args a;
    bool help = true;
    int n = 0;
    (void)state;
    begin(&a, WORDS(W("-q"), W("--wide"), W("x")));
    assert_int_equal(az_args_parse(&a, count, &n, &help), AZ_EXIT_OK);
    assert_false(help);
    assert_int_equal(n, 2);
    assert_int_equal(a.n_operands, 1);
    /* what fails is the last one */
    begin(&a, WORDS(W("-o"), W("x"), W("-q")));
    n = 0;
    assert_int_equal(az_args_parse(&a, count, &n, &help), AZ_EXIT_USAGE);
    assert_int_equal(n, 1);
    begin(&a, WORDS(W("--zzzzzzzz"), W("-q")));
    n = 0;
    assert_int_equal(az_args_parse(&a, count, &n, &help), AZ_EXIT_USAGE);
    assert_int_equal(n, 0);
    /* what comes after --help is not looked at */
    begin(&a, WORDS(W("-q"), W("--help"), W("--zzzzzzzz")));
    assert_int_equal(az_args_parse(&a, count, &n, &help), AZ_EXIT_OK);
    assert_true(help);
    assert_int_equal(n, 1);
}

static void only_help(void **state)
{
    static const struct {
        const char *words[3];
        bool done;
        int rc;
    } of[] = {
        { { "a" }, false, 7 },
        { { "a", "b" }, false, 7 },
        { { NULL }, true, AZ_EXIT_USAGE },
        { { "a", "b", "c" }, true, AZ_EXIT_USAGE },
        { { "--help" }, true, AZ_EXIT_OK },
        { { "--zzzzzzzz" }, true, AZ_EXIT_USAGE },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        char text[3][16], *argv[5] = { W("list") };
        struct az_args a;
        int argc = 1, rc = 7;
        for (; argc <= 3 && of[i].words[argc - 1]; argc++)
            argv[argc] = strcpy(text[argc - 1], of[i].words[argc - 1]);
        begin(&a, argv, argc);
        assert_int_equal(az_args_only_help(&a, 1, 2, &rc), of[i].done);
        assert_int_equal(rc, of[i].rc);
    }
}

static void lists(void **state)
{
    static const char *const of[] = { "-f", "--filter" };
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "-f a b", "-f a -f b" },
        { "-f a b c -q d", "-f a -f b -f c -q d" },
        { "--filter a b", "--filter a --filter b" },
        { "--filter=a b", "--filter=a --filter b" },
        { "--filters a b", "--filters a b" },
        { "-f -1 -2 b", "-f -1 -2 b" }, /* its first value may begin with a dash */
        { "-f a -", "-f a -f -" },      /* standard input is no option */
        { "a b -f", "a b -f" },
        { "a", "a" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        char text[64], joined[128] = "", *argv[16], *save = NULL;
        struct az_arena arena;
        int argc = 0, n = 0;
        az_arena_init(&arena, NULL);
        strcpy(text, cases[i].in);
        for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
            argv[argc++] = w;
        char **out = az_args_part_lists(argc, argv, of, AZ_LENGTH(of), &n, &arena);
        for (int k = 0; k < n; k++) {
            strcat(joined, k ? " " : "");
            strcat(joined, out[k]);
        }
        assert_string_equal(joined, cases[i].out);
        az_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_and_words),
        cmocka_unit_test(no_operands),
        cmocka_unit_test(color),
        cmocka_unit_test(errors),
        cmocka_unit_test(all_options),
        cmocka_unit_test(only_help),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
