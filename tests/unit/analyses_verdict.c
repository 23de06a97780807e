/* The verdict: causes of gaps, findings that add up to the account, lines. */
#include "unit/analyses_job.h"

#include "analyses/verdict/report.h"
#include "results/headline.h"

#define US 1000

static struct az_line line_of(const struct fix *f, size_t row)
{
    return az_headline_line(az_headline_of(&f->doc), row);
}

static void judge(struct fix *f)
{
    f->opts.short_kernel_us = 10;
    make_job(f, 1);
    assert_int_equal(az_vd_report(&f->job), 0);
    assert_non_null(az_headline_of(&f->doc));
}

/* Cause of the row of idle_causes with that call. */
static int cause_of(const struct fix *f, const char *cause, double ns)
{
    const struct az_table *t = az_document_table(&f->doc, "idle_causes");
    assert_non_null(t);
    for (size_t i = 0; i < t->rows; i++)
        if (az_sv_is(az_cell_text(az_table_at(t, i, (size_t)az_table_find(t, "Cause"))), cause))
            return number(f, "idle_causes", i, "Idle (ns)") == ns;
    return 0;
}

/* Three gaps: the host was in a copy, had waited, loaded code. */
static void gaps_have_causes(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t h = host_lane(t, 1, 1), g = stream_lane(t, 1, 0, 7);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 0, 5 * US, 1);
    add(t, AZ_KERNEL, "gemm", g, 10 * US, 100 * US, 1);
    add(t, AZ_CALL, "hipMemcpyWithStream", h, 50 * US, 500 * US, 2);
    add_copy(t, AZ_MEMCPY, "H2D", g, 400 * US, 490 * US, 2,
             (struct az_copy){ .bytes = 600000, .src = 0, .dst = 2 });
    add(t, AZ_CALL, "cudaLaunchKernel", h, 501 * US, 505 * US, 3);
    add(t, AZ_KERNEL, "gemm", g, 506 * US, 600 * US, 3);
    add(t, AZ_CALL, "cudaStreamSynchronize", h, 510 * US, 602 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 690 * US, 695 * US, 4);
    add(t, AZ_KERNEL, "gemm", g, 700 * US, 800 * US, 4);
    add(t, AZ_CALL, "cuModuleLoadData", h, 700 * US, 995 * US, 0);
    add(t, AZ_CALL, "cudaLaunchKernel", h, 996 * US, 999 * US, 5);
    add(t, AZ_KERNEL, "gemm", g, 1000 * US, 1010 * US, 5);
    judge(f);
    assert_true(cause_of(f, "in a copy", 300 * US));
    assert_true(cause_of(f, "after a synchronous call", 100 * US));
    assert_true(cause_of(f, "compiling", 200 * US));
    assert_true(found(f, "idle", "host in hipMemcpyWithStream", "Recoverable (ns)") == 300 * US);
    assert_int_equal(finding(f, "idle", "host in hipMemcpyWithStream"), 0); /* most time first */
    assert_int_equal(line_of(f, 0).kind, AZ_LINE_WHAT);
    assert_int_equal(line_of(f, 0).ns, 1000 * US);
    assert_int_equal(line_of(f, 1).kind, AZ_LINE_TIME);
    assert_true(
        az_sv_find(line_of(f, 1).text, AZ_SV("29.4 % computing, 0.0 % waiting for "
                                             "communication, 9.0 % copying, 61.6 % idle")) == 0);
    assert_true(az_sv_is(line_of(f, 2).rule, "idle"));
    assert_true(az_sv_is(line_of(f, 2).severity, "warning"));
    assert_true(az_sv_is(line_of(f, 2).label, "-30.0 %"));
}

/* Exposed parts add up to the account, an event that two share counting once. */
static void exposed_parts_add_up(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t a = stream_lane(t, 1, 0, 7), b = stream_lane(t, 1, 0, 8),
                   c = stream_lane(t, 1, 0, 9);
    add(t, AZ_KERNEL, "gemm", a, 0, 400 * US, 0);
    add(t, AZ_KERNEL, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", b, 300 * US, 600 * US, 0);
    add(t, AZ_KERNEL, "ncclDevKernel_AllGather_RING_LL", c, 500 * US, 700 * US, 0);
    add_copy(t, AZ_MEMCPY, "H2D", a, 650 * US, 1000 * US, 0,
             (struct az_copy){ .bytes = 1000000, .src = 1, .dst = 2 });
    judge(f);
    assert_true(found(f, "exposed_communication", "ncclDevKernel_AllReduce", "Recoverable (ns)") ==
                200 * US);
    assert_true(found(f, "exposed_communication", "ncclDevKernel_AllGather", "Recoverable (ns)") ==
                100 * US);
    assert_true(found(f, "exposed_copy", "H2D", "Recoverable (ns)") == 300 * US);
    assert_true(az_sv_find(line_of(f, 1).text,
                           AZ_SV("40.0 % computing, 30.0 % waiting for communication, 30.0 % "
                                 "copying, 0.0 % idle")) == 0);
}

static void nothing_stands_out(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t g = stream_lane(t, 1, 0, 7);
    for (int i = 0; i < 50; i++)
        add(t, AZ_KERNEL, "gemm", g, i * 100 * US, i * 100 * US + 99900, 0);
    judge(f);
    assert_int_equal(line_of(f, 2).kind, AZ_LINE_NOTE);
    assert_int_equal(line_of(f, 3).kind, AZ_LINE_TRUST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gaps_have_causes, setup, teardown),
        cmocka_unit_test_setup_teardown(exposed_parts_add_up, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_stands_out, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
