#include "run_files.h"

static int paths(struct setting *s, size_t n, const char *const *list)
{
    return az_plan_paths(&s->config, list, n, &s->diag);
}
#define PATHS(s, ...)                                                                              \
    paths((s), sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),                           \
          (const char *[]){ __VA_ARGS__ })

static void one_run_is_one_input(void **state)
{
    struct setting *s = *state;

    write_file("a_cuda_gpu_kern_sum.csv", KERNELS);
    write_file(
        "a_cuda_gpu_mem_time_sum.csv",
        "Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
        "100.0,5000,2,2500.0,2500.0,2000,3000,707.1,[CUDA memcpy Device-to-Host]\n");
    write_file("b_cuda_gpu_kern_sum.csv", KERNELS);
    assert_int_equal(PATHS(s, "a_cuda_gpu_kern_sum.csv", "b_cuda_gpu_kern_sum.csv",
                           "a_cuda_gpu_mem_time_sum.csv"),
                     0);
    assert_int_equal(s->config.inputs.n, 2);
    assert_int_equal(s->config.inputs.v[0].files.n, 2);
    assert_sv(s->config.inputs.v[0].title, "a");
    assert_sv(s->config.inputs.v[0].files.v[1].path, "a_cuda_gpu_mem_time_sum.csv");
    assert_int_equal(s->config.inputs.v[1].files.n, 1);
    assert_sv(s->config.inputs.v[1].title, "b");
    assert_sv(s->config.inputs.v[1].format, "csv");
}

#define OPS "OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\nUnary,tt_dnn_device,0,1000\n"

/* Names that differ in the host only; other digits (the time of a run, its number) part runs. */
static void hosts_of_one_run_are_one_input(void **state)
{
    struct setting *s = *state;
    static const char *const names[] = { "h0.csv",
                                         "h1.csv",
                                         "ops_host_a.csv",
                                         "ops_host_b.csv",
                                         "ops_2025_09_18.csv",
                                         "ops_2025_09_19.csv",
                                         "bh20.csv",
                                         "bh64.csv",
                                         "node-3_x.csv",
                                         "node-3_y.csv" };
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        write_file(names[i], OPS);
    assert_int_equal(paths(s, AZ_LENGTH(names), names), 0);
    assert_int_equal(s->config.inputs.n, 8);
    assert_int_equal(s->config.inputs.v[0].files.n, 2);
    assert_sv(s->config.inputs.v[0].title, "h0");
    assert_sv(s->config.inputs.v[0].files.v[1].path, "h1.csv");
    assert_int_equal(s->config.inputs.v[1].files.n, 2);
    assert_sv(s->config.inputs.v[1].files.v[1].path, "ops_host_b.csv");
    for (size_t i = 2; i < 8; i++)
        assert_int_equal(s->config.inputs.v[i].files.n, 1);
}

static void folder_is_its_profiles(void **state)
{
    struct setting *s = *state;

    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkdir("d/below", 0777), 0);
    write_file("d/notes.txt", "nothing to see\n");
    write_file("d/z_cuda_gpu_kern_sum.csv", KERNELS);
    write_file("d/y_cuda_gpu_kern_sum.csv", KERNELS);
    write_file("d/below/x_cuda_gpu_kern_sum.csv", KERNELS);
    assert_int_equal(PATHS(s, "d"), 0);
    assert_int_equal(s->config.inputs.n, 2);
    assert_sv(s->config.inputs.v[0].title, "y");
    assert_sv(s->config.inputs.v[1].title, "z");
}

static void folder_without_profiles(void **state)
{
    struct setting *s = *state;

    assert_int_equal(mkdir("d", 0777), 0);
    write_file("d/notes.txt", "nothing to see\n");
    assert_int_equal(PATHS(s, "d"), AZ_ECONFIG);
    assert_true(said(&s->diag, "d: no profile of a supported format"));
}

/* A wrong file fails in its turn, the others go on. */
static void wrong_files_are_inputs(void **state)
{
    struct setting *s = *state;

    write_file("notes.txt", "nothing to see\n");
    write_file("empty.csv", "");
    write_file("ok_cuda_gpu_kern_sum.csv", KERNELS);
    assert_int_equal(PATHS(s, "notes.txt", "missing.csv", "empty.csv", "ok_cuda_gpu_kern_sum.csv"),
                     0);
    assert_int_equal(s->config.inputs.n, 4);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(s->plan.jobs.v[0].error, AZ_EFORMAT);
    assert_int_equal(s->plan.jobs.v[1].error, AZ_EIO);
    assert_int_equal(s->plan.jobs.v[2].error, AZ_EEMPTY);
    assert_int_equal(s->plan.jobs.v[3].error, AZ_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s->plan.jobs.v[i].diag.errors, 1);
    assert_true(said(&s->plan.jobs.v[1].diag, "missing.csv: no such file or folder"));
    assert_true(said(&s->plan.jobs.v[2].diag, "empty.csv: empty file (0 bytes)"));
}

static void twice_is_once(void **state)
{
    struct setting *s = *state;

    write_file("a_cuda_gpu_kern_sum.csv", KERNELS);
    assert_int_equal(PATHS(s, "a_cuda_gpu_kern_sum.csv", "a_cuda_gpu_kern_sum.csv", "*.csv"), 0);
    assert_int_equal(s->config.inputs.n, 1);
    assert_int_equal(s->config.inputs.v[0].files.n, 1);
}

static void glob_without_match(void **state)
{
    struct setting *s = *state;

    assert_int_equal(PATHS(s, "nothing-*.csv"), AZ_ECONFIG);
    assert_int_equal(s->diag.errors, 1);
}

static void equal_titles_are_parted(void **state)
{
    struct setting *s = *state;

    assert_int_equal(mkdir("m", 0777), 0);
    assert_int_equal(mkdir("n", 0777), 0);
    write_file("m/a_cuda_gpu_kern_sum.csv", KERNELS);
    write_file("n/a_cuda_gpu_kern_sum.csv", KERNELS);
    assert_int_equal(PATHS(s, "m", "n"), 0);
    assert_int_equal(s->config.inputs.n, 2);
    assert_sv(s->config.inputs.v[0].title, "m/a_cuda_gpu_kern_sum.csv");
    assert_sv(s->config.inputs.v[1].title, "n/a_cuda_gpu_kern_sum.csv");
    s->config.outputs.dir = AZ_SV("out");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(s->plan.jobs.v[0].targets.v[0].path, "out/a_perf_report_m_a_cuda_gpu_kern_sum.xlsx");
}

static void standard_input_once(void **state)
{
    struct setting *s = *state;

    assert_int_equal(PATHS(s, "-", "-"), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "duplicate standard input"));
}

/* The plan as it was before az_plan_make. */
static void again(struct setting *s)
{
    az_plan_release(&s->plan);
    az_plan_init(&s->plan);
}

static void only_by_title(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    add_input(s, "alpha2", "auto", "a.csv");
    add_input(s, "b", "auto", "a.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(az_plan_count(&s->plan), 2);
    again(s);
    assert_int_equal(az_vec_push(&s->config.only, AZ_SV("b")), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(az_plan_count(&s->plan), 1);
    assert_true(s->plan.jobs.v[0].skip);
    assert_int_equal(s->plan.jobs.v[0].targets.n, 0);
    assert_sv(s->plan.jobs.v[1].targets.v[0].path,
              "a_perf_report_b.xlsx"); /* the name it has next to the other */
    again(s);
    s->config.outputs.xlsx = AZ_SV("one.xlsx"); /* of the one input that is run */
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(s->plan.jobs.v[1].targets.v[0].path, "one.xlsx");
    again(s);
    assert_int_equal(az_vec_push(&s->config.only, AZ_SV("alpha1")), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_EUSAGE);
    assert_true(said(&s->diag, "did you mean 'alpha2'?"));
}

static void empty_path(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    assert_int_equal(PATHS(s, "a.csv", ""), AZ_ECONFIG);
    assert_true(said(&s->diag, "empty path ''"));
}

static void file_among_tables(void **state)
{
    struct setting *s = *state;

    write_file("a.csv", KERNELS);
    add_input(s, "a", "auto", "a.csv");
    s->config.outputs.csv_dir = AZ_SV("out");
    s->config.outputs.xlsx = AZ_SV("./out/../out/nccl.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), AZ_ECONFIG);
    assert_true(said(&s->diag, "may conflict with a table in 'out'"));
    again(s);
    s->config.outputs.xlsx = AZ_SV("out/all.xlsx");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
}

static void costs_grow_with_gzip(void **state)
{
    struct setting *s = *state;
    char big[4096];

    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    write_file("a.csv", big);
    write_file("a.csv.gz", big);
    add_input(s, "plain", "csv", "a.csv");
    add_input(s, "zip", "csv", "a.csv.gz");
    add_input(s, "odd", "no-such-format", "a.csv");
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(s->plan.jobs.v[0].bytes, 4095);
    assert_int_equal(s->plan.jobs.v[1].cost - s->plan.jobs.v[0].cost, 4095 / 4 * 14);
    assert_int_equal(s->plan.jobs.v[2].error, AZ_ECONFIG);
}

static int yes(struct az_sv head, struct az_sv path)
{
    (void)path;
    return head.n ? 50 : 0;
}
static int surer(struct az_sv head, struct az_sv path)
{
    (void)path;
    return head.n > 3 ? 80 : 0;
}

static void surest_format_wins_and_ties_are_told(void **state)
{
    static const struct az_format one = { .name = "one", .probe = yes },
                                  two = { .name = "two", .probe = yes },
                                  three = { .name = "three", .probe = surer };
    const struct az_format *const list[] = { &one, &three, &two, NULL };
    const struct az_format *found = NULL;
    struct setting *s = *state;
    int score = 0;

    assert_int_equal(az_format_choose(list, AZ_SV("abcd"), AZ_SV("f"), &found, &score, &s->diag),
                     0);
    assert_ptr_equal(found, &three);
    assert_int_equal(score, 80);
    assert_int_equal(az_format_choose(list, AZ_SV("ab"), AZ_SV("f"), &found, &score, &s->diag),
                     AZ_EFORMAT);
    assert_true(said(&s->diag, "f: may be 'one' or 'two'"));
    assert_int_equal(az_format_choose(list, AZ_SV(""), AZ_SV("f"), &found, &score, &s->diag),
                     AZ_EEMPTY);
}

static void every_row_of_the_registry_is_whole(void **state)
{
    (void)state;
    for (const struct az_format *const *f = az_formats; *f; f++) {
        assert_true((*f)->name && (*f)->help && (*f)->probe && (*f)->parse);
        assert_ptr_equal(az_format_find(az_sv_str((*f)->name)), *f);
    }
    for (const struct az_report *const *r = az_reports; *r; r++)
        assert_true((*r)->name && (*r)->extension && (*r)->help && (*r)->write);
    for (struct az_entry s = az_entries_of(az_analyses); az_entry_next(&s);)
        assert_true(s.name && s.help && (s.spec || (*s.at)->run));
    assert_non_null(az_format_find(AZ_SV("CSV")));
    assert_non_null(az_format_find(AZ_SV("nsys-rep")));
    assert_null(az_format_find(AZ_SV("")));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(one_run_is_one_input),
        T(hosts_of_one_run_are_one_input),
        T(folder_is_its_profiles),
        T(folder_without_profiles),
        T(wrong_files_are_inputs),
        T(twice_is_once),
        T(glob_without_match),
        T(equal_titles_are_parted),
        T(standard_input_once),
        T(only_by_title),
        T(empty_path),
        T(file_among_tables),
        T(costs_grow_with_gzip),
        T(surest_format_wins_and_ties_are_told),
        cmocka_unit_test(every_row_of_the_registry_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
