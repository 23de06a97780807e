/* Keys of the option table as long options of a command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmds/run_args.h"

static bool has(const struct option *of, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(of[i].name, name) == 0)
            return true;
    return false;
}

/* Each key once; none that the command has itself, and none of another place of the file. */
static void flags_of_a_command(void **state)
{
    static const struct az_cmd_opt own[] = { { .id = 'k', .name = "topk_ops" } };
    const struct az_cmd bare = { .name = "bare" },
                        other = { .name = "other", .opts = own, .n_opts = 1 };
    struct option all[FLAGS_MAX], some[FLAGS_MAX];
    (void)state;
    const size_t n = az_flags_add(&bare, all, FLAGS_MAX);
    assert_true(n > 50 && n < FLAGS_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct az_option *o = az_flag_option(all[i].val);
        assert_string_equal(o->key, all[i].name);
        assert_true(o->places & (AZ_AT_OPTIONS | AZ_AT_THRESHOLDS | AZ_AT_ARGS));
        assert_int_equal(all[i].has_arg,
                         o->type == AZ_OPT_BOOL ? optional_argument : required_argument);
        assert_false(has(all, i, all[i].name));
        assert_ptr_equal(az_flag_named(all[i].name), o);
    }
    assert_true(has(all, n, "topk_ops"));
    assert_int_equal(az_flags_add(&other, some, FLAGS_MAX), n - 1);
    assert_false(has(some, n - 1, "topk_ops"));
    assert_int_equal(az_flags_add(&bare, some, 3), 3);
    assert_null(az_flag_option('k'));
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(az_flag_named("topk-ops=3")->key, "topk_ops");
    assert_null(az_flag_named("topk"));
    assert_null(az_flag_named(""));
    assert_string_equal(az_flag_nearest("topk_opss"), "topk_ops");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flags_of_a_command),
                                        cmocka_unit_test(names) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
