/* Identifiers and texts of claims: each has its own, and there are none beyond the last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "document/claims.h"

static void advice(void **state)
{
    (void)state;
    assert_string_equal(az_advice_text(AZ_ADVICE_NONE), "");
    assert_string_equal(az_advice_text(AZ_ADVICES), "");
    assert_null(az_advice_id(AZ_ADVICES));
    for (int a = AZ_ADVICE_NONE + 1; a < AZ_ADVICES; a++) {
        assert_true(*az_advice_text((enum az_advice)a));
        assert_true(*az_advice_id((enum az_advice)a));
        for (int b = AZ_ADVICE_NONE + 1; b < a; b++)
            assert_string_not_equal(az_advice_id((enum az_advice)a),
                                    az_advice_id((enum az_advice)b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(advice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
