/* Regions of a framework's trace: which kinds of host events are some. */
#include "unit/analyses_fw.h"

#include "facts/regions.h"

enum { RANGE = 1, MODULE = 2, OPERATOR = 4, FRAME = 8, ALL = 16 };

/* One event of each of these kinds, each in the one before it, around a launch of 100 us. */
static void events_of(struct fw_fix *f, int kinds)
{
    static const char *const of[][2] = { { "user_annotation", "range" },
                                         { "python_function", "nn.Module: module_0" },
                                         { "cpu_op", "ProfilerStep#1" },
                                         { "python_function", "model.py(1): frame" } };
    for (int k = 0; k < 4; k++)
        if (kinds & 1 << k)
            span(f, of[k][0], 100, 1, 10 + 10 * k, 900 - 20 * k, of[k][1], "");
    call(f, 500, 5, "cudaLaunchKernel", 1);
    kernel(f, 7, 2000, 100, "gemm", 1);
}

/* Modules and ranges always, marks of steps that are operators where there are no ranges, frames
 * where there are no modules. */
static void kinds_of_instances(void **state)
{
    (void)state;
    for (int given = 0; given < ALL; given++) {
        void *own;
        int rc;
        assert_int_equal(fw_setup(&own), 0);
        struct fw_fix *f = own;
        option(f, "include_call_stack", "true");
        events_of(f, given);
        ready(f);
        const int regions = given & (RANGE | MODULE | (given & RANGE ? 0 : OPERATOR) |
                                     (given & MODULE ? 0 : FRAME));
        const struct az_regions *r = az_job_regions(&f->job, 0, &rc);
        assert_non_null(r);
        assert_int_equal(r->n, __builtin_popcount((unsigned)regions));
        assert_int_equal(r->outside.device, 0);
        for (size_t i = 0; i < r->n; i++) {
            assert_int_equal(r->v[i].depth, i);
            assert_int_equal(r->v[i].instances, 1);
            assert_int_equal(r->v[i].all.device, 100000);
            assert_int_equal(r->v[i].own.device, i + 1 < r->n ? 0 : 100000);
        }
        const struct az_regions *m = az_job_modules(&f->job, 0, &rc);
        assert_non_null(m);
        assert_int_equal(m->n, given & MODULE ? 1 : 0);
        assert_int_equal(fw_teardown(&own), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_of_instances) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
