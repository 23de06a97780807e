/* Base64 against the published examples (RFC 4648). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "io/base64.h"

static void base64_pads(void **state)
{
    (void)state;
    static const char *const want[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
    char out[AZ_BASE64_SIZE(6)];
    for (size_t n = 0; n < AZ_LENGTH(want); n++) {
        assert_int_equal(az_base64((const uint8_t *)"foobar", n, out), strlen(want[n]));
        assert_string_equal(out, want[n]);
    }
    assert_int_equal(az_base64((const uint8_t *)"\xff\xff\xfe", 3, out), 4);
    assert_string_equal(out, "///+");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_pads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
