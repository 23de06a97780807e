/* Time by family over traces made by hand: events, rows that came summed, a user's classes,
 * operations that an analysis adds. Operations of a TPU: analyses_hlo.c. */
#include "unit/analyses_job.h"

#include <math.h>

#include "facts/families.h"

static void row_is(const struct az_name_sums *s, size_t i, enum az_family f, int64_t count,
                   int64_t ns)
{
    assert_true(i < s->n);
    assert_int_equal(s->v[i].style, f);
    assert_int_equal(s->v[i].count, count);
    assert_int_equal(s->v[i].total, ns);
}

static void events(void **state)
{
    struct fix *f = *state;
    struct az_name_sums s;
    for (int i = 0; i < 2; i++) {
        struct az_trace *t = &f->t[i];
        const uint32_t l = stream_lane(t, 1, 0, 7);
        add(t, AZ_KERNEL, "sgemm_128x64", l, 0, 100, 0);
        add(t, AZ_KERNEL, "ncclDevKernel_AllReduce", l, 100, 130, 0);
        add(t, AZ_KERNEL, "__amd_rocclr_copyBuffer", l, 130, 140, 0); /* a copy by its name */
        add_copy(t, AZ_MEMCPY, "[CUDA memcpy HtoD]", l, 140, 160, 0,
                 (struct az_copy){ 8, 0, -1, -1, -1, false });
        add_copy(t, AZ_MEMSET, "[CUDA memset]", l, 160, 162, 0,
                 (struct az_copy){ 8, 0, -1, -1, -1, false });
        add(t, AZ_GRAPH, "graph 1", l, 170, 175, 0);
        add(t, AZ_KERNEL, "mystery", l, 180, 181, 0);
    }
    make_job(f, 2);
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 5);
    row_is(&s, 0, AZ_FAMILY_GEMM, 2, 200);
    row_is(&s, 1, AZ_FAMILY_COMMUNICATION, 2, 60);
    row_is(&s, 2, AZ_FAMILY_COPY, 4, 60);
    row_is(&s, 3, AZ_FAMILY_OTHER, 4, 12);
    row_is(&s, 4, AZ_FAMILY_FILL, 2, 4);
}

/* By time, then in the order of the families; none without events. */
static void equal_times(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_name_sums s;
    const uint32_t l = stream_lane(t, 1, 0, 7);
    add(t, AZ_KERNEL, "mystery", l, 0, 10, 0);
    add(t, AZ_KERNEL, "softmax_kernel", l, 10, 20, 0);
    add(t, AZ_KERNEL, "sgemm", l, 20, 30, 0);
    add(t, AZ_KERNEL, "layer_norm_kernel", l, 30, 41, 0);
    make_job(f, 1);
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.v[0].total, 11);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(s.v[i].total, 10);
    assert_true(s.v[1].style < s.v[2].style && s.v[2].style < s.v[3].style);
    assert_true(isnan(s.v[0].avg) && isnan(s.v[0].med) && isnan(s.v[0].min));
}

static void no_work(void **state)
{
    struct fix *f = *state;
    struct az_name_sums s;
    make_job(f, 1);
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 0);
}

/* A class of the user's that is called as a family moves its kernels there. */
static void classes_of_the_user(void **state)
{
    struct fix *f = *state;
    struct az_name_sums s;
    rule(f, "mystery", "softmax");
    rule(f, "sgemm", "mine");
    add(&f->t[0], AZ_KERNEL, "mystery", stream_lane(&f->t[0], 1, 0, 7), 0, 10, 0);
    add(&f->t[0], AZ_KERNEL, "sgemm", stream_lane(&f->t[0], 1, 0, 7), 10, 15, 0);
    make_job(f, 1);
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 2);
    row_is(&s, 0, AZ_FAMILY_SOFTMAX, 1, 10);
    row_is(&s, 1, AZ_FAMILY_GEMM, 1, 5);
}

static void given(struct az_trace *t, struct az_sums *to, const char *name, int64_t count,
                  int64_t ns)
{
    const struct az_sum s = { .name = name_of(t, name), .count = count, .total_ns = ns };
    assert_int_equal(az_vec_push(to, s), 0);
}

static void rows_that_came_summed(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_name_sums s;
    given(t, &t->kernel_sums, "sgemm", 3, 300);
    given(t, &t->mem_sums, "[CUDA memcpy Device-to-Host]", 2, 20);
    given(t, &t->mem_sums, "[CUDA memset]", 1, 5);
    make_job(f, 1);
    assert_int_equal(az_job_families_add(&f->job, AZ_FAMILY_GEMM, 1, 7), 0);
    assert_int_equal(az_job_families(&f->job, &s), 0);
    assert_int_equal(s.n, 3);
    row_is(&s, 0, AZ_FAMILY_GEMM, 4, 307);
    row_is(&s, 1, AZ_FAMILY_COPY, 2, 20);
    row_is(&s, 2, AZ_FAMILY_FILL, 1, 5);
}

/* Each device by itself; rows that came summed are of none. */
static void by_device(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_family_times all;
    const uint32_t one = stream_lane(t, 1, 1, 7), zero = stream_lane(t, 1, 0, 7);
    add(t, AZ_KERNEL, "sgemm_128x64", one, 0, 100, 0);
    add(t, AZ_KERNEL, "sgemm_128x64", zero, 10, 40, 0);
    add(t, AZ_KERNEL, "ncclDevKernel_AllReduce", one, 100, 130, 0);
    add(t, AZ_KERNEL, "sgemm_128x64", one, 130, 131, 0);
    given(t, &t->mem_sums, "[CUDA memset]", 1, 5);
    make_job(f, 1);
    assert_int_equal(az_job_families_by_device(&f->job, 0, &all), 0);
    assert_int_equal(all.n, 3);
    const struct az_family_time wanted[] = { { 0, 1, 30, AZ_FAMILY_GEMM },
                                             { 1, 2, 101, AZ_FAMILY_GEMM },
                                             { 1, 1, 30, AZ_FAMILY_COMMUNICATION } };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(all.v[i].device, wanted[i].device);
        assert_int_equal(all.v[i].family, wanted[i].family);
        assert_int_equal(all.v[i].count, wanted[i].count);
        assert_int_equal(all.v[i].ns, wanted[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_times, setup, teardown),
        cmocka_unit_test_setup_teardown(no_work, setup, teardown),
        cmocka_unit_test_setup_teardown(classes_of_the_user, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_that_came_summed, setup, teardown),
        cmocka_unit_test_setup_teardown(by_device, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
