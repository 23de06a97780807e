/* The replay folder of an input: where it is, and from which table it is made. */
#include "unit/io_temp.h"

#include "run/internal.h"

static struct az_document doc;
static struct az_vec_char text;

static int setup(void **state)
{
    int rc = temp_setup(state);
    az_document_init(&doc, &t_arena);
    az_vec_init(&text, NULL);
    return rc;
}

static int teardown(void **state)
{
    az_vec_release(&text);
    az_document_release(&doc);
    return temp_teardown(state);
}

/* One product, in the columns of a report of one input or of many ranks. */
static void add(const char *id, const char *suffix, const char *count)
{
    static const char *const names[] = { "Input Dims", "Input type", "Input Strides",
                                         "Concrete Inputs" };
    static const char *const cells[] = { "[[3,5],[5,7]]", "[\"float\",\"float\"]", "[[5,1],[7,1]]",
                                         "[\"\",\"\"]" };
    struct az_table *t = az_table_new(&t_arena, id, id, 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < 4; i++)
        az_table_columnsv(t, az_arena_printf(&t_arena, "%s%s", names[i], suffix), AZ_TEXT,
                          AZ_UNIT_NONE, 0);
    az_table_column(t, "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, count, AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_text(t, AZ_SV("aten::mm"));
    for (size_t i = 0; i < 4; i++)
        az_put_text(t, az_sv_str(cells[i]));
    az_put_f64(t, 30);
    az_put_i64(t, 3);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&doc, t), 0);
}

static struct az_input input;

static int write_folder(bool force, bool output)
{
    struct az_target target = { .path = az_sv_str(temp_path("out/run_perf_report.xlsx")) };
    struct az_file file = { .path = az_sv_str(temp_path("trace.json.gz")) };
    struct az_plan_job job = { .input = &input,
                               .targets = { .v = &target, .n = output },
                               .files = { .v = &file, .n = 1 } };
    return az_outputs_replay(&job, &doc, force, &text, &t_diag);
}

static void test_of_many_ranks(void **state)
{
    (void)state;
    add("gemm", "_first", "name_count");
    assert_int_equal(write_folder(false, true), 0);
    assert_non_null(temp_read("out/run_perf_report_node_replay/hipblaslt-bench-0.log"));
    assert_non_null(
        strstr(temp_read("out/run_perf_report_node_replay/replay.json"), "\"count\": 3"));
    assert_int_equal(write_folder(false, true), AZ_EUSAGE);
    assert_int_equal(write_folder(true, true), 0);
}

static void test_of_one_input(void **state)
{
    (void)state;
    add("unified_perf_summary", "", "operation_count");
    assert_int_equal(write_folder(false, false), 0);
    assert_non_null(strstr(temp_read("trace_node_replay/replay.json"), "\"profile_us\": 10"));
    input.stem =
        AZ_SV("job_rank_0_performance_report"); /* of a run: not the name of one of its files */
    assert_int_equal(write_folder(false, false), 0);
    input.stem = AZ_SV("");
    assert_non_null(temp_read("job_rank_0_performance_report_node_replay/replay.json"));
}

static void test_nothing(void **state)
{
    (void)state;
    assert_int_equal(write_folder(false, true), AZ_EEMPTY);
    assert_null(temp_read("out/run_perf_report_node_replay/replay.json"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = { T(test_of_many_ranks), T(test_of_one_input),
                                        T(test_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
