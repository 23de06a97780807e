/* Short kernel names (docs/formats-rocprof.md 2.3) and the side tables of dispatches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/dispatch.h"

static void check(const char *whole, const char *want)
{
    struct az_sv got = az_kernel_short_name(az_sv_str(whole));
    if (!az_sv_is(got, want))
        fail_msg("'%s' -> '%.*s', wanted '%s'", whole, AZ_SVF(got), want);
}

static void short_names(void **state)
{
    (void)state;
    check("gemm", "gemm");
    check("gemm.kd", "gemm");
    check("void ns::f<int, g<4> >(int*, a::b)", "f");
    check("void at::native::(anonymous namespace)::copy<float>(float*) [clone .kd]", "copy");
    check("f(int) const ", "const"); /* what is after the group is the last word */
    check("void h<k(1)>::run()", "run");
    check("Cijk_Ailk_Bljk_HB.kd", "Cijk_Ailk_Bljk_HB");
    check(".kd", ".kd");
    check("", "");
    check("f)", ""); /* a group that never opens */
    check(")))>>>", "");
    check("a b\tc", "a b\tc"); /* text */
    check("Unknown command type", "Unknown command type");
    check("void f [clone .kd]", "f");
    check("void f::g", "g");
    check("x::y<[1]>", "y");
    check("noyau_\xc3\xa9t\xc3\xa9<1>(int)", "noyau_\xc3\xa9t\xc3\xa9");
    /* the rule is idempotent: CSV files may hold names that are short already */
    check("elementwise_kernel", "elementwise_kernel");
}

static void shapes(void **state)
{
    struct az_mem mem;
    struct az_trace t;
    (void)state;
    az_mem_init(&mem, 0);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    assert_int_equal(az_dispatches_init(&t), 0);
    struct az_dispatches *d = az_dispatches(&t);
    struct az_dispatch_shape a = { .whole = 1, .grid = { 2, 3, 4 }, .lds = 512 }, b = a;
    uint32_t first, again, other;
    b.vgpr = 8;
    assert_int_equal(az_dispatch_shape(d, &a, &first), 0);
    assert_int_equal(az_dispatch_shape(d, &b, &other), 0);
    assert_int_equal(az_dispatch_shape(d, &a, &again), 0);
    assert_int_equal(first, again);
    assert_int_not_equal(first, other);
    assert_int_equal(d->shapes.n, 2);
    struct az_agent agent = { .proc = 2, .index = 5, .gpu = true };
    assert_int_equal(az_vec_push(&d->agents, agent), 0);
    assert_non_null(az_agent_find(d, 2, 5));
    assert_null(az_agent_find(d, 1, 5));
    assert_int_equal(az_trace_finalize(&t), 0);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(short_names), cmocka_unit_test(shapes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
