/* Peaks of a job's device: of the options, the table, and the profile; what no kernel exceeds. */
#include "unit/analyses_job.h"

#include "analyses/rates.h"

#define GIB (1024LL * 1024 * 1024)

enum { BF16 = 3 };

static void add_device(struct az_trace *t, int64_t id, const char *name, int64_t units,
                       int64_t bytes)
{
    const struct az_device d = { id, az_sv_str(name), units, bytes };
    assert_int_equal(az_vec_push(&t->devices, d), 0);
}

static struct az_peaks peaks_of(struct fix *f, enum az_peaks_source source)
{
    const struct az_device_facts facts = az_trace_device(&f->t[0]);
    struct az_peaks p;
    bool found;
    assert_int_equal(az_job_peaks(&f->job, &facts, &p, &found), 0);
    assert_int_equal(found, source != AZ_PEAKS_UNKNOWN);
    assert_int_equal(p.source, source);
    return p;
}

/* Rates are of the device that has events, not of the first that the file names. */
static void used_device(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add_device(t, 0, "NVIDIA A100-SXM4-40GB", 108, 40 * GIB);
    add_device(t, 1, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16, 10 * GIB);
    add(t, AZ_KERNEL, "k", stream_lane(t, 1, 1, 7), 0, 10, 1);
    make_job(f, 1);
    const struct az_peaks p = peaks_of(f, AZ_PEAKS_SCALED);
    assert_true(az_sv_is(p.name, "H100-SXM5") && fabs(p.rate[BF16] - 989.4 * 16 / 132) < 1e-6);
    assert_true(fabs(p.bw - 3350. / 8) < 1e-6);
}

/* Rates of the user's count, but do not make faster kernels impossible. */
static void limits(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_peaks limit;
    add_device(t, 0, "NVIDIA H100 80GB HBM3", 132, 80 * GIB);
    add(t, AZ_KERNEL, "k", stream_lane(t, 1, 0, 7), 0, 10, 1);
    f->opts.device_peaks = AZ_SV("matrix_bf16=600 mem_bw_gbps=4000");
    make_job(f, 1);
    const struct az_peaks p = peaks_of(f, AZ_PEAKS_USER);
    assert_true(p.rate[BF16] == 600 && p.bw == 4000);
    const struct az_device_facts facts = az_trace_device(t);
    assert_true(az_job_limits(&f->job, &facts, &limit));
    assert_true(limit.rate[BF16] == 989.4 && limit.bw == 4000);
}

/* Nothing is known of an unlisted device; the user's rates are then its limits. */
static void unlisted(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_peaks limit;
    add_device(t, 0, "NVIDIA Frobnitz 9000", 132, 80 * GIB);
    add(t, AZ_KERNEL, "k", stream_lane(t, 1, 0, 7), 0, 10, 1);
    make_job(f, 1);
    (void)peaks_of(f, AZ_PEAKS_UNKNOWN);
    const struct az_device_facts facts = az_trace_device(t);
    assert_false(az_job_limits(&f->job, &facts, &limit));
    f->opts.device_peaks = AZ_SV("matrix_bf16=600");
    assert_true(az_job_limits(&f->job, &facts, &limit) && limit.rate[BF16] == 600);
}

/* A profile that states its peaks is believed: one core of a chip that the table has whole. */
static void stated(void **state)
{
    struct fix *f = *state;
    make_job(f, 1);
    const struct az_device_facts core = { AZ_SV("TPU v3"), 0, 0, 61.5, 450 };
    struct az_peaks p;
    bool found;
    assert_int_equal(az_job_peaks(&f->job, &core, &p, &found), 0);
    assert_true(found && p.source == AZ_PEAKS_DATA_SHEET && p.rate[BF16] == 61.5 && p.bw == 450);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(used_device, setup,
                                                                        teardown),
                                        cmocka_unit_test_setup_teardown(limits, setup, teardown),
                                        cmocka_unit_test_setup_teardown(unlisted, setup, teardown),
                                        cmocka_unit_test_setup_teardown(stated, setup, teardown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
