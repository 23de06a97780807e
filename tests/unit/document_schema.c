/* Canonical columns: ids and titles of headers, unique in a table. */
#include "unit/document_env.h"

#include "base/intern.h"
#include "document/schema.h"

static void expect(struct az_sv got, const char *want)
{
    if (!az_sv_is(got, want))
        fail_msg("'%.*s', not '%s'", AZ_SVF(got), want);
}

static void headers_become_ids(void **state)
{
    static const struct {
        const char *table, *header;
        enum az_unit unit;
        const char *id, *title;
    } rows[] = {
        /* one figure in the words of several tools */
        { "kernel_summary", "Kernel duration (\xc2\xb5s)_sum", AZ_UNIT_US, "kernel_time_us",
          "Kernel time (us)" },
        { "kernel_summary", "Total Kernel Time (ms)", AZ_UNIT_MS, "kernel_time_ms",
          "Kernel time (ms)" },
        { "kernel_summary", "total_us", AZ_UNIT_US, "kernel_time_us", "Kernel time (us)" },
        { "kern_sum", "Total Time (ns)", AZ_UNIT_NS, "kernel_time_ns", "Kernel time (ns)" },
        { "ops_summary", "total_direct_kernel_time_sum", AZ_UNIT_US, "kernel_time_us",
          "Kernel time (us)" },
        { "ops_stacked", "Device Time Sum [\xce\xbcs]", AZ_UNIT_US, "kernel_time_us",
          "Kernel time (us)" },
        { "classes", "TotalTime(ms)", AZ_UNIT_MS, "kernel_time_ms", "Kernel time (ms)" },
        { "tpu_op_summary", "self_us", AZ_UNIT_US, "kernel_time_us", "Kernel time (us)" },
        { "api_sum", "Total Time (ns)", AZ_UNIT_NS, "time_ns", "Time (ns)" },
        /* summaries */
        { "kern_sum", "Avg (ns)", AZ_UNIT_NS, "kernel_time_mean_ns", "Mean kernel time (ns)" },
        { "kern_exec_sum", "KStdDev (ns)", AZ_UNIT_NS, "kernel_time_std_ns",
          "Standard deviation of kernel time (ns)" },
        { "kernel_summary", "Kernel duration (\xc2\xb5s)_count", AZ_UNIT_COUNT, "count", "Count" },
        { "api_sum", "Num Calls", AZ_UNIT_COUNT, "count", "Count" },
        { "memory_bw_summary", "25%", AZ_UNIT_GBPS, "bandwidth_p25_gb_per_s",
          "25th percentile of bandwidth (GB/s)" },
        { "time_by_family", "time_ms", AZ_UNIT_MS, "kernel_time_ms", "Device time (ms)" },
        { "time_by_family", "mean_ms", AZ_UNIT_MS, "kernel_time_mean_ms",
          "Mean time per device (ms)" },
        { "kernel_launchers", "time_ms_avg", AZ_UNIT_MS, "kernel_time_mean_ms",
          "Mean kernel time per rank (ms)" },
        { "kernel_launchers", "count_avg", AZ_UNIT_COUNT, "count_mean", "Mean count per rank" },
        /* shares and rates */
        { "kern_sum", "Time (%)", AZ_UNIT_PERCENT, "share_percent", "Share (%)" },
        { "kernel_summary", "cum_percent", AZ_UNIT_PERCENT, "cumulative_share_percent",
          "Cumulative share (%)" },
        { "roofline", "TB/s", AZ_UNIT_TBPS, "bandwidth_tb_per_s", "Bandwidth (TB/s)" },
        { "GEMM", "TFLOPS/s_mean", AZ_UNIT_TFLOPS, "compute_rate_mean_tflop_per_s",
          "Mean compute rate (TFLOP/s)" },
        /* names */
        { "kern_sum", "Name", AZ_UNIT_NONE, "kernel", "Kernel" },
        { "ops", "OP Code", AZ_UNIT_NONE, "operation", "Operation" },
        { "api_kernel_summary", "DevId", AZ_UNIT_ID, "device", "Device" },
        /* what no rule knows, comparisons, names of the user's */
        { "mine", "NumGPUOps here", AZ_UNIT_COUNT, "n_gpu_ops_here_count", "N GPU ops here" },
        { "kern_sum", "base::Total Time (ns)", AZ_UNIT_NS, "base__kernel_time_ns",
          "base::Total Time (ns)" },
        { "kern_sum", "Total Time (ns)__b_pct", AZ_UNIT_PERCENT, "kernel_time__b_pct_percent",
          "Total Time (ns)__b_pct" },
        { "gpu_timelines_by_rank", "total_time", AZ_UNIT_MS, "total_time_ms", "total_time" },
        { "mine", "\xe6\x97\xb6", AZ_UNIT_NONE, "column", "Column" },
        { "mine", "", AZ_UNIT_NONE, "column", "Column" },
    };
    struct env *e = *state;

    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        struct az_table *t = az_table_new(&e->arena, rows[i].table, "", 0);
        az_table_column(t, rows[i].header, rows[i].unit <= AZ_UNIT_ID ? AZ_TEXT : AZ_REAL,
                        rows[i].unit, 0);
        assert_int_equal(az_schema_apply(t, az_schema_index_new(t->arena)), 0);
        expect(t->columns.v[0].id, rows[i].id);
        expect(t->columns.v[0].title, rows[i].title);
        assert_true(az_sv_starts(t->columns.v[0].id, t->columns.v[0].stem));
        az_table_free(t);
    }
}

static void ids_are_unique_in_a_table(void **state)
{
    struct env *e = *state;
    struct az_document d;
    struct az_table *t = az_table_new(&e->arena, "kernel_summary", "", AZ_TABLE_KEEP_EMPTY);

    az_document_init(&d, &e->arena);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Total Kernel Time (ms)", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "Kernel Time (us)", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, 0);
    assert_int_equal(az_document_add(&d, t), 0);
    expect(t->columns.v[0].title, "Kernel time (us)");
    expect(t->columns.v[0].id, "kernel_time_us");
    expect(t->columns.v[1].id, "kernel_time_ms");
    expect(t->columns.v[2].id, "kernel_time_2_us");
    expect(t->columns.v[3].id, "kernel_time_3_us");
    assert_int_equal(az_schema_find(t, AZ_SV("kernel_time")), 0);
    assert_int_equal(az_schema_find(t, AZ_SV("kernel_time_ms")), 1);
    assert_int_equal(az_schema_find(t, AZ_SV("time")), -1);
    az_document_release(&d);

    t = az_table_new(&e->arena, "diff", "",
                     AZ_TABLE_KEEP_EMPTY); /* in a comparison inputs name the columns */
    az_document_init(&d, &e->arena);
    d.schema = AZ_SV("analyzer-comparison/1");
    az_table_column(t, "my_run_us", AZ_REAL, AZ_UNIT_US, 0);
    assert_int_equal(az_document_add(&d, t), 0);
    expect(t->columns.v[0].title, "my_run_us");
    az_document_release(&d);
}

/* Thousands of columns of one name are numbered in no time. */
static void equal_headers_are_many(void **state)
{
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "mine", "", 0);
    struct az_intern ids;
    uint32_t id;

    for (size_t i = 0; i < 20000; i++)
        az_table_column(t, "time", AZ_REAL, AZ_UNIT_US, 0);
    assert_int_equal(az_schema_apply(t, az_schema_index_new(t->arena)), 0);
    az_intern_init(&ids, &e->arena, &e->mem);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_int_equal(az_intern(&ids, t->columns.v[i].id, &id), 0);
        assert_int_equal(id, i);
    }
    az_intern_release(&ids);
    az_table_free(t);
}

/* A header may be of any length and of any bytes. */
static void long_headers_are_cut(void **state)
{
    struct env *e = *state;
    char name[20000];
    struct az_table *t = az_table_new(&e->arena, "mine", "", 0);

    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (char)(i % 251 + 1);
    name[sizeof name - 1] = 0;
    az_table_column(t, name, AZ_REAL, AZ_UNIT_US, 0);
    memset(name, 'A', sizeof name - 1);
    az_table_column(t, name, AZ_REAL, AZ_UNIT_US, 0);
    memset(name, '(', sizeof name - 1);
    az_table_column(t, name, AZ_REAL, AZ_UNIT_US, 0);
    assert_int_equal(az_schema_apply(t, az_schema_index_new(t->arena)), 0);
    for (size_t c = 0; c < 3; c++) {
        assert_true(t->columns.v[c].id.n > 3 && t->columns.v[c].id.n < 2048);
        for (size_t i = 0; i < t->columns.v[c].id.n; i++)
            assert_non_null(
                strchr("abcdefghijklmnopqrstuvwxyz0123456789_", t->columns.v[c].id.p[i]));
    }
    az_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(headers_become_ids, setup, teardown),
        cmocka_unit_test_setup_teardown(ids_are_unique_in_a_table, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_headers_are_many, setup, teardown),
        cmocka_unit_test_setup_teardown(long_headers_are_cut, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
