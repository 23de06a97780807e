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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(round_trips),
                                        cmocka_unit_test(others_stay) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
