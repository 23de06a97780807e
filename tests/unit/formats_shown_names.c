/* Names of kernels that are shown for whole names and their short ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/shared/shown_names.h"

static void shown(const char *whole, const char *shorter, const char *expected)
{
    struct az_mem mem;
    struct az_trace t;
    struct az_shown_names s;
    uint32_t name, again;

    az_mem_init(&mem, 0);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    az_shown_names_init(&s, &t);
    const uint32_t of = az_trace_name(&t, az_sv_str(whole)),
                   is = az_trace_name(&t, az_sv_str(shorter));
    assert_int_equal(az_shown_name(&s, of, is, &name), 0);
    if (!az_sv_is(az_trace_text(&t, name), expected))
        fail_msg("'%s' is shown as '%.*s', not '%s'", whole, AZ_SVF(az_trace_text(&t, name)),
                 expected);
    assert_int_equal(az_shown_name(&s, of, is, &again), 0);
    assert_int_equal(again, name);
    az_shown_names_release(&s);
    assert_int_equal(az_trace_finalize(&t), 0);
    az_trace_release(&t);
    assert_int_equal(mem.used, 0);
}

static void short_names_stay(void **state)
{
    (void)state;
    shown("void softmax_fwd<float>(float*)", "softmax_fwd", "softmax_fwd"); /* a rule matches */
    shown("void mine<float>(float*)", "mine", "mine");                      /* none does */
    shown("mine(float*)", "mine", "mine");
}

static void arguments_decide_the_family(void **state)
{
    (void)state;
    shown("void ck::kentry<2, ck::GemmKernel<P>, A>(A)", "kentry", "kentry<2, GemmKernel, A>");
}

static void launchers_are_shown_with_their_function(void **state)
{
    static const char *const whole[] = {
        "void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::ParallelFor<MyForce>, 1u>(T)",
        "void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::ParallelFor<Copy>, 1u>(T)",
    };
    (void)state;
    for (size_t i = 0; i < 2; i++)
        shown(whole[i], "cuda_parallel_launch_local_memory", whole[i]);
    shown("void forall_hip_kernel<256, main::{lambda(int)#3}>(int)", "forall_hip_kernel",
          "void forall_hip_kernel<256, main::{lambda(int)#3}>(int)");
    shown("forall_hip_kernel", "forall_hip_kernel", "forall_hip_kernel");
    shown("void my_forall<int>(int)", "my_forall", "my_forall"); /* no launcher */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_names_stay),
        cmocka_unit_test(arguments_decide_the_family),
        cmocka_unit_test(launchers_are_shown_with_their_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
