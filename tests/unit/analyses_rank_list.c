/* Lists of ranks packed as sequences, and what cannot be packed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyses/collectives/rank_list.h"

static struct az_arena arena;

static struct az_sv list(int first, int step, int count, const char *separator, bool brackets)
{
    struct az_sv s = AZ_SV("");
    for (int i = 0; i < count; i++)
        s = az_arena_printf(&arena, "%.*s%s%d", AZ_SVF(s), i ? separator : "", first + i * step);
    return brackets ? az_arena_printf(&arena, "[%.*s]", AZ_SVF(s)) : s;
}

static void round_trips(void **state)
{
    (void)state;
    static const struct {
        int first, step, count;
        const char *separator;
        bool brackets;
    } cases[] = {
        { 0, 1, 4096, ", ", true },  { 0, 1, 64, ",", true },  { 7, 8, 512, ", ", false },
        { 500, -1, 100, ",", true }, { 3, 0, 64, ", ", true }, { 0, 1024, 64, ",", false }
    };
    az_arena_init(&arena, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        const struct az_sv text = list(cases[i].first, cases[i].step, cases[i].count,
                                       cases[i].separator, cases[i].brackets);
        char out[AZ_RANK_LIST_PACKED];
        struct az_sv packed;
        assert_true(az_rank_list_pack(text, out, &packed));
        assert_true(packed.n < 32);
        assert_true(az_sv_eq(az_rank_list_text(&arena, packed), text));
    }
    az_arena_release(&arena);
}

static void others_stay(void **state)
{
    (void)state;
    static const char *const suffix[] = { ", 99999]", ",4096]", ", 4097", ", -1]",
                                          ", 04096]", ", ...]", ", x]",   ", 4096 ]" };
    static const char *const plain[] = { "",
                                         "[0, 1]",
                                         "~",
                                         "~0:1:4096:2",
                                         "~0:1:9999999999:1:1",
                                         "~-1:1:10:1:1",
                                         "~5:-1:10:1:1",
                                         "~0:1:16:3:1",
                                         "~0:1:16:1:1:",
                                         "~0:1:2:1:1" };
    az_arena_init(&arena, NULL);
    const struct az_sv text = list(0, 1, 4096, ", ", false);
    for (size_t i = 0; i < AZ_LENGTH(suffix); i++) {
        char out[AZ_RANK_LIST_PACKED];
        struct az_sv packed;
        assert_false(az_rank_list_pack(az_arena_printf(&arena, "[%.*s%s", AZ_SVF(text), suffix[i]),
                                       out, &packed));
    }
    for (size_t i = 0; i < AZ_LENGTH(plain); i++)
        assert_true(az_sv_eq(az_rank_list_text(&arena, az_sv_str(plain[i])), az_sv_str(plain[i])));
    az_arena_release(&arena);
}

/* Signs and blanks before a number, seven numbers, and a number of 13 digits are not packed; eight
 * long numbers and a list as long as the packed text are. */
static void limits_of_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *packed;
    } cases[] = {
        { "-100, -99, -98, -97, -96, -95, -94, -93, -92, -91, -90, -89, -88, -87, -86, -85, -84, "
          "-83, -82, -81",
          NULL },
        { " 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, "
          "117, 118",
          NULL },
        { "100000000000, 100000000001, 100000000002, 100000000003, 100000000004, 100000000005, "
          "100000000006, 100000000007",
          "~100000000000:1:8:2:0" },
        { "100000000000, 100000000001, 100000000002, 100000000003, 100000000004, 100000000005, "
          "100000000006",
          NULL },
        { "1000000000000, 1000000000001, 1000000000002, 1000000000003, 1000000000004, "
          "1000000000005, 1000000000006, 1000000000007",
          NULL },
        { "[100000000000,99999999999,99999999998,99999999997,99999999996,99999999995,99999999994,"
          "99999999993]",
          "~100000000000:-1:8:1:1" },
        { "[100000000000,100000000001,100000000002,100000000003,100000000004,100000000005,"
          "100000000006,100000000008]",
          NULL },
        { "100000000000,100000000001,100000000002,100000000003,100000000004,100000000005,"
          "100000000006,100000000007,",
          NULL },
        { "[100000000000,100000000001,100000000002,100000000003,100000000004,100000000005,"
          "100000000006,100000000007",
          NULL },
        { "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
          "32,33,34,35",
          "~0:1:36:1:0" },
        { "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,"
          "32,33,34",
          NULL },
    };
    az_arena_init(&arena, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        char out[AZ_RANK_LIST_PACKED];
        struct az_sv packed = AZ_SV("");
        assert_int_equal(az_rank_list_pack(az_sv_str(cases[i].text), out, &packed),
                         cases[i].packed != NULL);
        if (!cases[i].packed)
            continue;
        assert_true(az_sv_is(packed, cases[i].packed));
        assert_true(az_sv_is(az_rank_list_text(&arena, packed), cases[i].text));
    }
    az_arena_release(&arena);
}

/* What a packed list may have: eight numbers, none below zero, the first below 2^40. */
static void limits_of_packed(void **state)
{
    (void)state;
    static const struct {
        const char *packed, *text;
    } cases[] = {
        { "~7:-1:8:2:1", "[7, 6, 5, 4, 3, 2, 1, 0]" },
        { "~6:-1:8:2:1", NULL },
        { "~0:1:7:1:0", NULL },
        { "~0:0:8:1:0", "0,0,0,0,0,0,0,0" },
        { "~1099511627775:-1:8:1:0",
          "1099511627775,1099511627774,1099511627773,1099511627772,1099511627771,1099511627770,"
          "1099511627769,1099511627768" },
        { "~1099511627776:-1:8:1:0", NULL },
        { "~0:1099511627776:8:1:0", NULL },
        { "~0:1:8:0:0", NULL },
        { "~0:1:8:3:0", NULL },
        { "~0:1:8:1:0:", NULL },
        { "~0:1:8:1:0:1", NULL },
        { "0:1:8:1:0", NULL },
        { "~0:1:8:1:x", NULL },
        { "~0:1:1048577:1:0", NULL },
    };
    az_arena_init(&arena, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_true(az_sv_is(az_rank_list_text(&arena, az_sv_str(cases[i].packed)),
                             cases[i].text ? cases[i].text : cases[i].packed));
    assert_int_equal(az_rank_list_text(&arena, AZ_SV("~0:0:1048576:1:0")).n, 2 * 1048576 - 1);
    az_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(round_trips),
                                        cmocka_unit_test(others_stay),
                                        cmocka_unit_test(limits_of_lists),
                                        cmocka_unit_test(limits_of_packed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
