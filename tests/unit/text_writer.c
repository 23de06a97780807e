/* A text made piece by piece: in order, numbers as in JSON, and the first failure stays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/text_writer.h"

static void pieces_in_order(void **state)
{
    struct az_vec_char text;
    (void)state;
    az_vec_init(&text, NULL);
    az_text_add(&text, AZ_SV("{"));
    az_text_quoted(&text, AZ_SV("a\"b"));
    az_text_format(&text, ":[%d,", 3);
    az_text_number(&text, 0.5);
    az_text_add(&text, AZ_SV(","));
    az_text_number(&text, NAN);
    az_text_add(&text, AZ_SV("]}"));
    assert_int_equal(az_vec_error(&text), 0);
    assert_true(az_sv_is(az_text_view(&text), "{\"a\\\"b\":[3,0.5,null]}"));
    az_vec_release(&text);
}

/* What does not fit the budget is an error, and nothing is added after it. */
static void the_first_error_stays(void **state)
{
    static char large[4096];
    struct az_mem mem;
    struct az_vec_char text;
    (void)state;
    az_mem_init(&mem, 1024);
    az_vec_init(&text, &mem);
    az_text_add(&text, AZ_SV("kept"));
    az_text_add(&text, az_sv_make(large, sizeof large));
    assert_int_equal(az_vec_error(&text), AZ_ELIMIT);
    az_text_add(&text, AZ_SV("x"));
    az_text_quoted(&text, AZ_SV("x"));
    az_text_format(&text, "%d", 1);
    az_text_number(&text, 1);
    assert_int_equal(az_vec_error(&text), AZ_ELIMIT);
    assert_true(az_sv_is(az_text_view(&text), "kept"));
    az_vec_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_in_order),
        cmocka_unit_test(the_first_error_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
