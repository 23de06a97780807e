/* Work of operations from their shapes, and peaks of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/data.h"
#include "perf/hlo.h"
#include "perf/peaks.h"

static void products(void **state)
{
    (void)state;
    /* 4 x [8, 16] x [16, 32]: batch first in lhs, last in rhs */
    const int64_t a[] = { 4, 8, 16 }, b[] = { 16, 32, 4 }, two[] = { 2 }, zero[] = { 0 };
    struct az_gemm g;
    const struct az_gemm_side lhs = { a, two, zero, 3, 1, 1 }, rhs = { b, zero, two, 3, 1, 1 };
    assert_true(az_gemm_of(&lhs, &rhs, &g));
    assert_int_equal(g.b, 4);
    assert_int_equal(g.m, 8);
    assert_int_equal(g.n, 32);
    assert_int_equal(g.k, 16);
    assert_int_equal(az_gemm_flops(&g), 2 * 4 * 8 * 32 * 16);
}

static void products_that_are_none(void **state)
{
    (void)state;
    const int64_t a[] = { 8, 16 }, b[] = { 17, 4 }, one[] = { 1 }, zero[] = { 0 }, five[] = { 5 },
                  minus[] = { -1 };
    struct az_gemm g;
    const struct az_gemm_side rhs = { b, zero, NULL, 2, 1, 0 };
    assert_false(
        az_gemm_of(&(struct az_gemm_side){ a, one, NULL, 2, 1, 0 }, &rhs, &g)); /* 16 against 17 */
    assert_false(az_gemm_of(&(struct az_gemm_side){ a, five, NULL, 2, 1, 0 }, &rhs, &g));
    assert_false(az_gemm_of(&(struct az_gemm_side){ a, minus, NULL, 2, 1, 0 }, &rhs, &g));
}

static void counts_saturate(void **state)
{
    (void)state;
    const struct az_gemm g = { 1, INT64_MAX / 2, 1 << 20, 1 << 20 };
    assert_true(az_gemm_flops(&g) == INT64_MAX);
}

static void convolutions(void **state)
{
    (void)state;
    /* y [1,5120,34,31,53], w [5120,16,1,2,2]: every output element takes 16 * 4 products */
    const int64_t y = (int64_t)5120 * 34 * 31 * 53, w = (int64_t)5120 * 16 * 4;
    assert_true(az_conv_flops(y, w, 5120) == INT64_C(36609720320));
    /* two groups: the filter holds half the input features */
    assert_true(az_conv_flops(1000, 64 * 8 * 9, 64) == 2 * 1000 * 8 * 9);
    assert_true(az_conv_flops(1000, 64, 0) == -1);
}

static void attention(void **state)
{
    (void)state;
    struct az_attention a = { 2, 16, 1024, 2048, 128, 64 };
    const int64_t pairs = (int64_t)2 * 16 * 1024 * 2048;
    assert_true(az_attention_flops(&a, false) == 2 * pairs * (128 + 64));
    assert_true(az_attention_flops(&a, true) == 2 * pairs * (3 * 128 + 2 * 64));
    a.v_dim = -1;
    assert_true(az_attention_flops(&a, true) == -1);
}

static void bus_factors(void **state)
{
    (void)state;
    assert_true(az_bus_factor(AZ_BUS_ALL_REDUCE, 8) == 1.75);
    assert_true(az_bus_factor(AZ_BUS_PART, 8) == 0.875);
    assert_true(az_bus_factor(AZ_BUS_ONE, 8) == 1);
    assert_true(az_bus_factor(AZ_BUS_PART, 1) == 0);
}

/* By name; without one by units and memory. */
static void devices(void **state)
{
    (void)state;
    struct az_peaks p;
    const struct az_sv none = AZ_SV(""), csv = az_data("devices.csv");
    struct az_device_facts f = { .name = AZ_SV("NVIDIA H100 80GB HBM3") };
    assert_true(az_peaks_find(csv, none, none, &f, &p));
    assert_true(az_sv_is(p.name, "H100-SXM5"));
    f = (struct az_device_facts){ .name = none, .units = 304, .memory_bytes = 206141652992.0 };
    assert_true(az_peaks_find(csv, none, none, &f, &p));
    assert_true(az_sv_is(p.name, "MI300X"));
    f.units = 0;
    assert_false(az_peaks_find(csv, none, none, &f, &p));
    f.name = AZ_SV("abacus");
    assert_false(az_peaks_find(csv, none, none, &f, &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),        cmocka_unit_test(products_that_are_none),
        cmocka_unit_test(counts_saturate), cmocka_unit_test(convolutions),
        cmocka_unit_test(attention),       cmocka_unit_test(bus_factors),
        cmocka_unit_test(devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
