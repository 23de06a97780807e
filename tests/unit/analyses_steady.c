/* The steady part of a run of a serving engine, and the windows that represent it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyses/phases/steady.h"
#include "base/err.h"

#define STEPS 60

static struct az_engine_counts step[STEPS];

static void set(size_t i, int64_t prompts, int64_t others)
{
    step[i] =
        (struct az_engine_counts){ prompts, 512 * prompts, others, others, 512 * prompts + others };
}

/* Rises to 16 requests, remains there, falls; a prompt in the first 16 steps and every tenth. */
static void make_run(void)
{
    for (size_t i = 0; i < STEPS; i++) {
        const int64_t all = (int64_t)(i < 15   ? i + 1
                                      : i < 50 ? 16
                                               : 60 - i),
                      prompts = i < 16 || i % 10 == 0;
        set(i, prompts, all - prompts);
    }
}

static void is_part(struct az_steady_part p, size_t from, size_t to)
{
    assert_int_equal(p.from, from);
    assert_int_equal(p.to, to);
}

static void windows(void **state)
{
    struct az_steady_parts regions;
    struct az_steady_choice c;
    const struct az_steady_load none = { 0 }, load = { 16, 100, 0.5 }, narrow = { 16, 100, 7 };
    (void)state;
    make_run();
    az_vec_init(&regions, NULL);
    assert_int_equal(az_steady_regions(step, STEPS, 10, &regions), 0);
    assert_int_equal(regions.n, 1);
    is_part(regions.v[0], 14, 55);
    az_steady_choose(step, &regions, 10, &none, &c);
    is_part(c.part[AZ_STEADY_MIXED], 16, 26);
    is_part(c.part[AZ_STEADY_DECODE], 21, 30);
    is_part(c.part[AZ_STEADY_PREFILL], 14, 16);
    az_steady_choose(step, &regions, 4, &load, &c);
    assert_true(c.reference > 0.2133 && c.reference < 0.2134);
    is_part(c.part[AZ_STEADY_MIXED], 16, 21); /* four steps are too few for one prompt */
    is_part(c.part[AZ_STEADY_DECODE], 21, 25);
    az_steady_choose(step, &regions, 4, &narrow, &c); /* a ratio above 1 is 1 */
    assert_true(c.reference > 0.1599 && c.reference < 0.1601);
    az_steady_choose(step, &regions, 100, &none, &c);
    is_part(c.part[AZ_STEADY_MIXED], 14, 55);
    az_vec_release(&regions);
}

/* Steps far from the maximum end a region when they outnumber the near ones that began it. */
static void two_regions(void **state)
{
    struct az_steady_parts regions;
    (void)state;
    for (size_t i = 0; i < STEPS; i++)
        set(i, 0, i >= 20 && i < 34 ? 1 : 10);
    az_vec_init(&regions, NULL);
    assert_int_equal(az_steady_regions(step, STEPS, 32, &regions), 0);
    assert_int_equal(regions.n, 2);
    is_part(regions.v[0], 0, 25);
    is_part(regions.v[1], 34, 59); /* without the last step */
    az_vec_release(&regions);
}

static void no_region(void **state)
{
    static const struct {
        size_t n, from, to;
    } each[] = { { 1, 0, 1 }, { 2, 1, 2 }, { 8, 4, 5 }, { 40, 4, 36 } };
    (void)state;
    for (size_t i = 0; i < STEPS; i++)
        set(i, 0, i % 7 == 0 ? 10 + (i == 0) * 90 : 1);
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_steady_parts regions;
        az_vec_init(&regions, NULL);
        assert_int_equal(az_steady_regions(step, each[i].n, 32, &regions), 0);
        assert_int_equal(regions.n, 1);
        is_part(regions.v[0], each[i].from, each[i].to);
        az_vec_release(&regions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(windows), cmocka_unit_test(two_regions),
                                        cmocka_unit_test(no_region) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
