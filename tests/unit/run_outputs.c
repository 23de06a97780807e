#include "run_files.h"

static const struct az_target *target(const struct setting *s, size_t job, const char *report)
{
    const struct az_targets *t = &s->plan.jobs.v[job].targets;
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].report->name, report) == 0)
            return &t->v[i];
    return NULL;
}

static void names_are_safe(void **state)
{
    struct az_arena a;

    (void)state;
    az_arena_init(&a, NULL);
    assert_sv(az_name_safe(&a, AZ_SV("plain name 2")), "plain name 2");
    assert_sv(az_name_safe(&a, AZ_SV("a/b\\c:d*e?f\"g<h>i|j\n")), "a_b_c_d_e_f_g_h_i_j");
    assert_sv(az_name_safe(&a, AZ_SV("..")), "_.");
    assert_sv(az_name_safe(&a, AZ_SV("  ")), "input");
    assert_sv(az_name_safe(&a, AZ_SV("caf\xc3\xa9")), "caf\xc3\xa9");
    char wide[301];
    for (size_t i = 0; i < 300; i += 3)
        memcpy(wide + i, "\xe6\x97\xa5", 3);
    struct az_sv cut = az_name_safe(&a, az_sv_make(wide, 300));
    assert_int_equal(cut.n, 99); /* whole code points only */
    az_arena_release(&a);
}

static void beside_the_input(void **state)
{
    struct setting *s = *state;

    assert_int_equal(mkdir("in", 0777), 0);
    write_file("in/job_cuda_gpu_kern_sum.csv", KERNELS);
    add_input(s, "T", "auto", "in/job_cuda_gpu_kern_sum.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(s->plan.jobs.v[0].error, 0);
    assert_true(s->plan.jobs.v[0].text);
    assert_int_equal(s->plan.jobs.v[0].targets.n, 1);
    assert_sv(target(s, 0, "xlsx")->path, "in/job_perf_report.xlsx");
}

static void into_a_folder(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    add_input(s, "T", "auto", "a.csv");
    s->config.outputs.dir = AZ_SV("out");
    assert_int_equal(az_vec_push(&s->config.outputs.formats, AZ_SV("json")), 0);
    assert_int_equal(az_vec_push(&s->config.outputs.formats, AZ_SV("CSV")), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_false(s->plan.jobs.v[0].text);
    assert_null(target(s, 0, "xlsx"));
    assert_sv(target(s, 0, "json")->path, "out/a_perf_report.json");
    assert_sv(target(s, 0, "csv")->path, "out/a_perf_report_csvs");
}

/* Formats of a verdict without gates are left out, or refused where nothing else is written. */
static void verdicts_without_gates(void **state)
{
    static const struct {
        const char *formats[3];
        int rc;
        unsigned errors, warnings;
    } c[] = {
        { { "junit" }, AZ_ECONFIG, 1, 0 },
        { { "junit", "github" }, AZ_ECONFIG, 1, 1 },
        { { "github", "junit", "md" }, AZ_OK, 0, 2 },
        { { "md", "junit" }, AZ_OK, 0, 1 },
        { { "junit", "md" }, AZ_OK, 0, 1 },
        { { "openmetrics" }, AZ_OK, 0, 0 },
        { { "md", "csv", "json" }, AZ_OK, 0, 0 },
    };
    struct setting *s = *state;
    write_file("a.csv", KERNELS);
    add_input(s, "T", "auto", "a.csv");
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const size_t errors = s->diag.errors, warnings = s->diag.warnings;
        s->config.outputs.formats.n = 0;
        for (size_t k = 0; k < 3 && c[i].formats[k]; k++)
            assert_int_equal(az_vec_push(&s->config.outputs.formats, az_sv_str(c[i].formats[k])),
                             0);
        assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), c[i].rc);
        if (s->diag.errors - errors != c[i].errors || s->diag.warnings - warnings != c[i].warnings)
            fail_msg("case %zu: %zu errors, %zu warnings", i, (size_t)s->diag.errors - errors,
                     (size_t)s->diag.warnings - warnings);
        az_plan_release(&s->plan);
        az_plan_init(&s->plan);
    }
}

static void csv_folder_of_one_and_of_many(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    write_file("b.csv", KERNELS);
    add_input(s, "x/1", "auto", "a.csv");
    s->config.outputs.csv_dir = AZ_SV("tables");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(target(s, 0, "csv")->path, "tables");
    assert_null(target(s, 0, "xlsx"));
    assert_true(s->plan.jobs.v[0].text);

    az_plan_release(&s->plan);
    az_plan_init(&s->plan);
    add_input(s, "x 2", "auto", "b.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(target(s, 0, "csv")->path, "tables/x_1");
    assert_sv(target(s, 1, "csv")->path, "tables/x 2");
}

static void equal_bases_get_titles(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    write_file("b.csv", KERNELS);
    add_input(s, "fp16", "auto", "a.csv");
    add_input(s, "fp32", "auto", "a.csv");
    add_input(s, "other", "auto", "b.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(target(s, 0, "xlsx")->path, "a_perf_report_fp16.xlsx");
    assert_sv(target(s, 1, "xlsx")->path, "a_perf_report_fp32.xlsx");
    assert_sv(target(s, 2, "xlsx")->path, "b_perf_report.xlsx");
}

static void equal_titles_collide(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    add_input(s, "same", "auto", "a.csv");
    add_input(s, "same", "auto", "a.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "both write"));
}

static void links_collide(void **state)
{
    struct setting *s = *state;
    struct az_input *in;

    write_file("a.csv", KERNELS);
    write_file("b.csv", KERNELS);
    assert_int_equal(mkdir("real", 0777), 0);
    assert_int_equal(symlink("real", "alias"), 0);
    in = add_input(s, "one", "auto", "a.csv");
    in->outputs.xlsx = AZ_SV("real/r.xlsx");
    in = add_input(s, "two", "auto", "b.csv");
    in->outputs.xlsx = AZ_SV("alias/../alias/r.xlsx");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "'one' and 'two'"));
}

static void one_workbook_for_two(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    write_file("b.csv", KERNELS);
    add_input(s, "one", "auto", "a.csv");
    add_input(s, "two", "auto", "b.csv");
    s->config.outputs.xlsx = AZ_SV("r.xlsx");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "2 inputs"));
}

static void output_is_an_input(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    assert_int_equal(link("a.csv", "hard.xlsx"), 0);
    add_input(s, "one", "auto", "a.csv");
    s->config.outputs.xlsx = AZ_SV("./a.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "is an input"));

    az_plan_release(&s->plan);
    az_plan_init(&s->plan);
    s->config.outputs.xlsx = AZ_SV("hard.xlsx");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);

    az_plan_release(&s->plan);
    az_plan_init(&s->plan);
    write_file("run.json", "{}");
    s->config.path = AZ_SV("run.json");
    s->config.outputs.xlsx = AZ_SV("run.json");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
}

/* A device can be written by all. */
static void devices_do_not_collide(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    write_file("b.csv", KERNELS);
    add_input(s, "one", "auto", "a.csv")->outputs.xlsx = AZ_SV("/dev/null");
    add_input(s, "two", "auto", "b.csv")->outputs.xlsx = AZ_SV("/dev/null");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
}

static void tables_do_not_replace_inputs(void **state)
{
    struct setting *s = *state;
    struct az_document doc;
    struct az_arena arena;
    struct az_table *t;

    write_file("kern_sum.csv", KERNELS);
    add_input(s, "one", "auto", "kern_sum.csv");
    s->config.outputs.csv_dir = AZ_SV(".");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_arena_init(&arena, NULL);
    az_document_init(&doc, &arena);
    t = az_table_new(&arena, "mem_sum", "m", AZ_TABLE_KEEP_EMPTY);
    assert_int_equal(az_document_add(&doc, t), 0);
    assert_int_equal(az_outputs_guard(&s->plan, target(s, 0, "csv"), &doc, &s->diag), 0);
    t = az_table_new(&arena, "kern_sum", "k", AZ_TABLE_KEEP_EMPTY);
    assert_int_equal(az_document_add(&doc, t), 0);
    assert_int_equal(az_outputs_guard(&s->plan, target(s, 0, "csv"), &doc, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "kern_sum.csv"));
    az_document_release(&doc);
    az_arena_release(&arena);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_safe),
        T(beside_the_input),
        T(into_a_folder),
        T(csv_folder_of_one_and_of_many),
        T(verdicts_without_gates),
        T(equal_bases_get_titles),
        T(equal_titles_collide),
        T(links_collide),
        T(one_workbook_for_two),
        T(output_is_an_input),
        T(devices_do_not_collide),
        T(tables_do_not_replace_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
