/* Where the host is in a gap: an operator over half of it, Python code, a wait before the launch.
 */
#include "unit/analyses_job.h"

#include "analyses/verdict/report.h"
#include "document/claims.h"
#include "document/verdict_table.h"

#define US     1000
#define SECOND 1010 /* us: the kernel after a gap of 1,000 us */

static const struct az_claim *judge(struct fix *f)
{
    f->opts.short_kernel_us = 10;
    f->opts.device_gap_us = 10;
    f->opts.launch_spacing_us = 100;
    make_job(f, 1);
    assert_int_equal(az_verdict_report(&f->job), 0);
    assert_non_null(f->doc.claims);
    assert_true(f->doc.claims->n_findings > 0);
    return &f->doc.claims->findings[0];
}

/* Two kernels with a gap of 1,000 us in code of one frame. */
static uint32_t two_kernels(struct az_trace *t)
{
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 10 * US, 1);
    add(t, AZ_RANGE, "$train.py:30 plan", h, 7 * US, (SECOND + 10) * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, (SECOND - 6) * US, (SECOND - 1) * US, 2);
    add(t, AZ_KERNEL, "gemm", g, SECOND * US, (SECOND + 50) * US, 2);
    return h;
}

/* An operator over so many of the 1,000 us. */
static const struct az_claim *in_an_operator(struct fix *f, int64_t us)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = two_kernels(t);
    add(t, AZ_HOST_OP, "aten::sort", h, (SECOND - us) * US, SECOND * US, 0);
    return judge(f);
}

static struct az_sv sentence(const struct fix *f)
{
    return az_headline_line(az_headline_of(&f->doc), 2).text;
}

static void an_operator_over_half(void **state)
{
    struct fix *f = *state;
    const struct az_claim *c = in_an_operator(f, 500);
    assert_int_equal(c->cause, AZ_CAUSE_HOST_COMPUTE);
    assert_true(az_sv_is(c->operation, "aten::sort"));
    assert_true(az_sv_starts(sentence(f), AZ_SV("host-bound, GPU idle during an operator: 1 gap of "
                                                "1.0 ms, in aten::sort. ")));
}

static void an_operator_under_half(void **state)
{
    struct fix *f = *state;
    const struct az_claim *c = in_an_operator(f, 499);
    assert_int_equal(c->cause, AZ_CAUSE_HOST_FRAME);
    assert_true(az_sv_starts(sentence(f), AZ_SV("host-bound, GPU idle during Python code: 1 gap of "
                                                "1.0 ms, in $train.py:30 plan. ")));
}

/* Python code that an operator runs is nearer to the gap. */
static void code_in_an_operator(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = two_kernels(t);
    add(t, AZ_HOST_OP, "Function", h, 6 * US, SECOND * US, 0);
    assert_int_equal(judge(f)->cause, AZ_CAUSE_HOST_FRAME);
}

/* A wait for the work that ends the gap begins after its launch: the one before it is the cause. */
static void a_wait_after_the_launch(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 100 * US, 1);
    add(t, AZ_CALL, "cudaStreamSynchronize", h, 7 * US, 103 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 105 * US, 109 * US, 2);
    add(t, AZ_CALL, "cudaDeviceSynchronize", h, 110 * US, 150 * US, 0);
    add(t, AZ_KERNEL, "gemm", g, 112 * US, 150 * US, 2);
    const struct az_claim *c = judge(f);
    assert_int_equal(c->cause, AZ_CAUSE_SYNCHRONIZATION);
    assert_true(az_sv_is(c->call, "cudaStreamSynchronize"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_operator_over_half, setup, teardown),
        cmocka_unit_test_setup_teardown(an_operator_under_half, setup, teardown),
        cmocka_unit_test_setup_teardown(code_in_an_operator, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wait_after_the_launch, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
