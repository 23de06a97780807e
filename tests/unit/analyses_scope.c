/* What a report covers: a part of the recording, a truncated input. */
#include "unit/analyses_job.h"

#include "analyses/verdict/report.h"
#include "document/verdict_table.h"

#define US 1000

/* Two kernels, and the host in an allocation between them. */
static void report(struct fix *f)
{
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 6 * US, 40 * US, 1);
    add(t, AZ_CALL, "cudaMalloc", h, 40 * US, 195 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 196 * US, 199 * US, 2);
    add(t, AZ_KERNEL, "gemm", g, 200 * US, 240 * US, 2);
    f->opts.device_gap_us = 10;
    f->opts.launch_spacing_us = 100;
    make_job(f, 1);
    assert_int_equal(az_verdict_report(&f->job), 0);
}

static struct az_line line_of(const struct fix *f, size_t row)
{
    return az_headline_line(az_headline_of(&f->doc), row);
}

static void a_range(void **state)
{
    struct fix *f = *state;
    f->opts.range = AZ_SV("forward*");
    report(f);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV(", part: range 'forward*', ")) > 0);
}

static void one_step(void **state)
{
    struct fix *f = *state;
    f->opts.steps = AZ_SV("12");
    report(f);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV(", part: step 12, ")) > 0);
}

static void several_steps(void **state)
{
    struct fix *f = *state;
    f->opts.steps = AZ_SV("10-12");
    report(f);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV(", part: steps 10-12, ")) > 0);
}

static void all_steps(void **state)
{
    struct fix *f = *state;
    f->opts.steps = AZ_SV("auto");
    report(f);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV("part")) < 0);
}

static void times(void **state)
{
    struct fix *f = *state;
    f->opts.from = AZ_SV("1ms");
    f->opts.to = AZ_SV("50%");
    report(f);
    assert_true(az_sv_find(line_of(f, 0).text, AZ_SV(", part: from 1ms to 50%, ")) > 0);
}

/* Savings of an account that is not trustworthy are labeled as such, above them and in the table.
 */
static void a_truncated_input(void **state)
{
    struct fix *f = *state;
    f->t[0].truncated = true;
    report(f);
    assert_int_equal(line_of(f, 2).kind, AZ_LINE_NOTE);
    assert_true(az_sv_is(line_of(f, 2).label, "Savings"));
    assert_true(az_sv_is(line_of(f, 2).text, "not trustworthy: input is truncated"));
    assert_int_equal(line_of(f, 3).kind, AZ_LINE_FINDING);
    assert_true(
        az_sv_is(f->job.findings->note, "Savings are not trustworthy: input is truncated."));
}

static void a_whole_input(void **state)
{
    struct fix *f = *state;
    report(f);
    assert_int_equal(line_of(f, 2).kind, AZ_LINE_FINDING);
    assert_true(az_sv_is(f->job.findings->note, ""));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_range), T(one_step),          T(several_steps), T(all_steps),
        T(times),   T(a_truncated_input), T(a_whole_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
