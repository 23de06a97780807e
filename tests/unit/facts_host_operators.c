/* Self time of operators; what a trace without device events has. */
#include "facts_job.h"

#include "facts/host_operators.h"
#include "model/optrace.h"

static void add_event(struct az_trace *t, enum az_kind k, const char *name, uint64_t pid,
                      uint64_t tid, int64_t start, int64_t end, uint64_t corr)
{
    const struct az_lane l = {
        .pid = pid, .tid = tid, .device = -1, .proc = pid, .thread = tid, .label = AZ_NO_ID
    };
    struct az_event e = {
        .start = start, .end = end, .side = AZ_NO_ROW, .corr = corr, .uid = (uint32_t)t->ev[k].n
    };
    assert_int_equal(az_trace_lane(t, &l, &e.lane), 0);
    e.name = az_trace_name(t, az_sv_str(name));
    assert_int_equal(az_trace_add(t, k, &e), 0);
}

static const struct az_host_op_row *row_of(const struct az_host_ops *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++)
        if (az_sv_is(h->row[i].name, name))
            return &h->row[i];
    fail_msg("no row %s", name);
    return NULL;
}

/* Children, grandchildren, one that begins with its parent and is written first, one that outlasts
 * it, another thread. */
static void self_time(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    int rc;
    assert_int_equal(az_optrace_init(t, &f->opts), 0);
    az_trace_columns(t, AZ_HOST_OP, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(t, AZ_FRAME, AZ_COL_UID);
    az_trace_columns(t, AZ_SYNC, AZ_COL_CORR | AZ_COL_UID);
    for (int k = AZ_KERNEL; k <= AZ_MEMSET; k++)
        az_trace_columns(t, (enum az_kind)k, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID | AZ_COL_NODE);
    add_event(t, AZ_HOST_OP, "child", 1, 1, 0, 30, 0);
    add_event(t, AZ_HOST_OP, "parent", 1, 1, 0, 100, 0);
    add_event(t, AZ_HOST_OP, "grandchild", 1, 1, 10, 20, 0);
    add_event(t, AZ_HOST_OP, "child", 1, 1, 50, 60, 0);
    add_event(t, AZ_HOST_OP, "late", 1, 1, 90, 130, 0);
    add_event(t, AZ_HOST_OP, "child", 1, 2, 50, 60, 0);
    add_event(t, AZ_HOST_OP, "ProfilerStep#3", 1, 1, 0, 200, 0);
    assert_int_equal(az_trace_finalize(t), 0);
    f->job = (struct az_job){ .opts = &f->opts,
                              .arena = &f->arena,
                              .mem = &f->mem,
                              .diag = &f->diag,
                              .doc = &f->doc,
                              .traces = f->views,
                              .n_traces = 1 };
    const struct az_host_ops *h = az_job_host_ops(&f->job, 0, &rc);
    assert_non_null(h);
    assert_int_equal(h->n, 4);
    assert_int_equal(h->threads, 2);
    assert_int_equal(row_of(h, "parent")->self_ns, 50);
    assert_int_equal(row_of(h, "parent")->total_ns, 100);
    assert_int_equal(row_of(h, "child")->self_ns, 40);
    assert_int_equal(row_of(h, "child")->count, 3);
    assert_int_equal(row_of(h, "child")->threads, 2);
    assert_int_equal(row_of(h, "late")->self_ns, 40);
    assert_int_equal(h->operator_ns, 140);
    assert_int_equal(az_trace_no_device(t), AZ_NO_DEVICE_HOST);
}

static void launches_alone(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    add_event(t, AZ_CALL, "cudaLaunchKernel", 1, 1, 0, 10, 7);
    add_event(t, AZ_CALL, "cudaStreamSynchronize", 1, 1, 40, 50, 9);
    assert_int_equal(az_trace_finalize(t), 0);
    assert_int_equal(az_trace_no_device(t), AZ_NO_DEVICE_LAUNCHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(self_time, setup, teardown),
                                        cmocka_unit_test_setup_teardown(launches_alone, setup,
                                                                        teardown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
