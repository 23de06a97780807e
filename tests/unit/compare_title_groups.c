/* Inputs grouped by the pattern of their titles, and medians. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "compare/title_groups.h"

#define MOST 64

/* Groups the titles, which are separated by blanks; returns "NAME:n,n NAME:n". */
static void groups_are(const char *titles, const char *want)
{
    static struct az_compare_input in[MOST];
    struct az_arena a;
    struct az_title_groups g;
    struct az_sv rest = az_sv_str(titles), got = AZ_SV("");
    size_t n = 0;
    az_arena_init(&a, NULL);
    while (rest.n) {
        assert_true(n < MOST);
        in[n++] = (struct az_compare_input){ .tag = az_sv_cut(&rest, ' ') };
    }
    assert_int_equal(az_title_groups_make(&a, in, n, &g), 0);
    for (size_t k = 0; k < g.n; k++) {
        got = az_arena_printf(&a, "%.*s%s%.*s", AZ_SVF(got), k ? " " : "", AZ_SVF(g.name[k]));
        const char *mark = ":";
        for (size_t i = 0; i < n; i++) {
            if (g.of[i] != k)
                continue;
            got = az_arena_printf(&a, "%.*s%s%zu", AZ_SVF(got), mark, i);
            mark = ",";
        }
    }
    assert_string_equal(az_arena_str(&a, got), want);
    az_arena_release(&a);
}

/* The last number first; if there are too many groups the first one, then all. */
static void titles_to_groups(void **state)
{
    (void)state;
    groups_are("step1 step2 eval7 step10", "step*:0,1,3 eval*:2");
    groups_are("a1b2c a1b3c a2b2c a22b4c", "a1b*c:0,1 a2b*c:2 a22b*c:3");
    groups_are("x y x", "x:0,2 y:1");
    groups_are("7 8 09", "*:0,1,2");
    groups_are("3a 4a a5 6", "*a:0,1 a*:2 *:3");
}

/* Sixteen groups are shown; of seventeen the first number is replaced, then all are. */
static void many_groups(void **state)
{
    (void)state;
    groups_are("a0_b0 a1_b1 a2_b2 a3_b0 a4_b1 a5_b2 a6_b0 a7_b1 a8_b2 a9_b0 a10_b1 a11_b2 a12_b0 "
               "a13_b1 a14_b2 a15_b0",
               "a0_b*:0 a1_b*:1 a2_b*:2 a3_b*:3 a4_b*:4 a5_b*:5 a6_b*:6 a7_b*:7 a8_b*:8 a9_b*:9 "
               "a10_b*:10 a11_b*:11 a12_b*:12 a13_b*:13 a14_b*:14 a15_b*:15");
    groups_are("a0_b0 a1_b1 a2_b2 a3_b0 a4_b1 a5_b2 a6_b0 a7_b1 a8_b2 a9_b0 a10_b1 a11_b2 a12_b0 "
               "a13_b1 a14_b2 a15_b0 a16_b1",
               "a*_b0:0,3,6,9,12,15 a*_b1:1,4,7,10,13,16 a*_b2:2,5,8,11,14");
    groups_are("a0_b0 a1_b1 a2_b2 a3_b3 a4_b4 a5_b5 a6_b6 a7_b7 a8_b8 a9_b9 a10_b10 a11_b11 "
               "a12_b12 a13_b13 a14_b14 a15_b15 a16_b16",
               "a*_b*:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
}

static void medians(void **state)
{
    (void)state;
    struct az_mem mem;
    double odd[] = { 9, -1, 4 }, even[] = { 8, 1, 2, 7 }, two[] = { 3, 5 }, one[] = { 6 };
    az_mem_init(&mem, 0);
    assert_true(az_median_of(odd, 3, &mem) == 4);
    assert_true(odd[0] == -1 && odd[1] == 4 && odd[2] == 9);
    assert_true(az_median_of(even, 4, &mem) == 4.5);
    assert_true(az_median_of(two, 2, &mem) == 4);
    assert_true(az_median_of(one, 1, &mem) == 6);
    assert_true(isnan(az_median_of(one, 0, &mem)));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(titles_to_groups),
                                        cmocka_unit_test(many_groups), cmocka_unit_test(medians) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
