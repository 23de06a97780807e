/* Short forms of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/name_words.h"

struct tags {
    const char *of[3], *want[3]; /* NULL: no further one */
};

/* Where a tag is longer than 20 bytes, whole words that all begin and end with are left out; not
 * where nothing of one would be left, or one begins with another. */
static void tags_without_common_words(void **state)
{
    static const struct tags rows[] = {
        { { "train_step_of_model_a", "train_step_of_model_b" }, { "a", "b" } },
        { { "train_step_of_model_", "train_step_of_model-" },
          { "train_step_of_model_", "train_step_of_model-" } }, /* 20 bytes */
        { { "nightly/2026-01-01/rank0", "nightly/2026-01-02/rank0" }, { "01", "02" } },
        { { "run_alpha_of_the_cluster", "run_beta_of_the_cluster" }, { "alpha", "beta" } },
        { { "run_alpha.x_of_the_cluster", "run_beta_of_the_cluster", "run_c_of_the_cluster" },
          { "alpha.x", "beta", "c" } },
        { { "a_first_and_a_longer_run", "b_second_and_longer_run" },
          { "a_first_and_a", "b_second_and" } },
        { { "a_very_long_name_of_a_run" }, { "a_very_long_name_of_a_run" } },
        { { "a_very_long_name_of_a", "a_very_long_name_of_a_run" },
          { "a_very_long_name_of_a", "a_very_long_name_of_a_run" } },
        { { "x_the_end_of_all_names", "_the_end_of_all_names" },
          { "x_the_end_of_all_names", "_the_end_of_all_names" } },
        { { "configuration_a_x_long", "configuration_cd__x_long" }, { "a", "cd" } },
        { { "configuration__ab__long", "configuration__c__long" }, { "ab", "c" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct az_sv tags[3];
        size_t n = 0;
        for (; n < 3 && rows[i].of[n]; n++)
            tags[n] = az_sv_str(rows[i].of[n]);
        az_words_tags(tags, n);
        for (size_t k = 0; k < n; k++)
            if (!az_sv_is(tags[k], rows[i].want[k]))
                fail_msg("row %zu: '%.*s', not '%s'", i, AZ_SVF(tags[k]), rows[i].want[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tags_without_common_words) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
