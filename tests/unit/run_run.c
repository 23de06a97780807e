#include "run_files.h"

#include <fcntl.h>

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
    fclose(f);
    return text;
}

/* Runs the plan with stdout and stderr in files; both are returned (to be freed). */
static int run_captured(struct setting *s, struct az_run_opts *opts, char **out, char **err)
{
    int saved_out, saved_err, fd_out, fd_err, rc;

    fflush(stdout);
    saved_out = dup(1);
    saved_err = dup(2);
    fd_out = open("captured.out", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    fd_err = open("captured.err", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    assert_true(saved_out >= 0 && saved_err >= 0 && fd_out >= 0 && fd_err >= 0);
    dup2(fd_out, 1);
    dup2(fd_err, 2);
    rc = az_run(&s->plan, opts);
    fflush(stdout);
    dup2(saved_out, 1);
    dup2(saved_err, 2);
    close(saved_out);
    close(saved_err);
    close(fd_out);
    close(fd_err);
    *out = read_all("captured.out");
    *err = read_all("captured.err");
    return rc;
}

#define N 12

/* Inputs of very different size, some wrong: text in order, every good output there, exit 3. */
static void order_whatever_finishes_first(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 4, .color = AZ_NEVER, .progress = AZ_NEVER };
    static char path[N][32], title[N][32];
    char *out, *err, *at;

    for (size_t i = 0; i < N; i++) {
        snprintf(path[i], sizeof path[i], "f%zu.csv", i);
        snprintf(title[i], sizeof title[i], "title-%zu", i);
        FILE *f = fopen(path[i], "w");
        assert_non_null(f);
        fputs(i == 5 ? "" : HEADER_ONLY, f);
        for (size_t k = 0; i != 5 && i != 7 && k < (i % 3 == 0 ? 20000 : 1); k++)
            fprintf(f, "0.0,%zu,1,1.0,1.0,1,1,0.0,kernel_%zu\n", 1000 + k, k);
        fclose(f);
        add_input(s, title[i], "csv", path[i]);
    }
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(run_captured(s, &opts, &out, &err), AZ_EXIT_PARTIAL);
    at = out;
    for (size_t i = 0; i < N; i++) {
        char line[64];
        if (i == 5)
            continue;
        snprintf(line, sizeof line, "===== %s =====\n", title[i]);
        at = strstr(at, line);
        assert_non_null(at);
        assert_null(strstr(at + 1, line));
        snprintf(line, sizeof line, "f%zu_perf_report.xlsx", i);
        assert_int_equal(access(line, R_OK), 0);
    }
    assert_non_null(strstr(err, "error: f5.csv: empty file"));
    assert_non_null(strstr(err, "error: f7.csv: no device work recorded"));
    assert_true(strstr(err, "f5.csv") < strstr(err, "f7.csv"));
    assert_non_null(strstr(err, "2 of 12 inputs failed"));
    free(out);
    free(err);
}

static void limit_ends_one_input_only(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = {
        .workers = 2, .color = AZ_NEVER, .progress = AZ_NEVER, .memory_limit = 2 << 20
    };
    char *out, *err;
    FILE *f = fopen("big.csv", "w");

    assert_non_null(f);
    fputs(HEADER_ONLY, f);
    for (size_t k = 0; k < 100000; k++)
        fprintf(f, "0.0,%zu,1,1.0,1.0,1,1,0.0,a_kernel_name_that_takes_some_room_%zu\n", 1000 + k,
                k);
    fclose(f);
    write_file("small.csv", KERNELS);
    add_input(s, "big", "csv", "big.csv");
    add_input(s, "small", "csv", "small.csv");
    assert_int_equal(az_vec_push(&s->config.outputs.formats, AZ_SV("text")), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(run_captured(s, &opts, &out, &err), AZ_EXIT_PARTIAL);
    assert_null(strstr(out, "===== big"));
    assert_non_null(strstr(out, "===== small ====="));
    assert_non_null(strstr(err, "error: big.csv"));
    free(out);
    free(err);
}

static void quiet_and_strict(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = {
        .workers = 1, .color = AZ_NEVER, .progress = AZ_NEVER, .quiet = true
    };
    char *out, *err;

    write_file("small.csv", KERNELS);
    add_input(s, "small", "csv", "small.csv");
    assert_int_equal(az_vec_push(&s->config.outputs.formats, AZ_SV("text")), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_diag_add(&s->plan.jobs.v[0].diag, AZ_WARNING, AZ_NOWHERE, "something is odd");
    assert_int_equal(run_captured(s, &opts, &out, &err), AZ_EXIT_OK);
    assert_string_equal(out, "");
    free(out);
    free(err);
    opts.quiet = false;
    opts.strict = true;
    assert_int_equal(run_captured(s, &opts, &out, &err), AZ_EXIT_PARTIAL);
    assert_non_null(strstr(err, "warning: something is odd"));
    assert_non_null(strstr(out, "===== small ====="));
    free(out);
    free(err);
}

static void document_ends_with_coverage_and_facts(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 1 };
    struct az_result res;
    const struct az_document *doc = &res.doc;
    const struct az_table *facts;
    bool digest = false, option = false, tool = false;

    write_file("small_cuda_gpu_kern_sum.csv", KERNELS);
    add_input(s, "small", "auto", "small_cuda_gpu_kern_sum.csv")->opts.gpus = 4;
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_result_init(&res, 0);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 1, &res, &s->diag, NULL), 0);
    assert_true(res.reportable);
    assert_true(doc->tables.n > 3);
    assert_sv(doc->tables.v[doc->tables.n - 1]->id, "facts");
    assert_sv(doc->tables.v[doc->tables.n - 2]->id, "coverage");
    facts = doc->tables.v[doc->tables.n - 1];
    for (size_t r = 0; r < facts->rows; r++) {
        struct az_sv key = az_cell_text(az_table_at(facts, r, 0)),
                     value = az_cell_text(az_table_at(facts, r, 1));
        tool |= az_sv_is(key, "tool") && az_sv_starts(value, AZ_SV("analyzer "));
        digest |= az_sv_is(key, "input 1 xxh3-128") && value.n == 32;
        option |= az_sv_is(key, "option num_of_gpus") && az_sv_is(value, "4");
        assert_true(az_sv_find(value, az_sv_str(s->dir)) < 0);
    }
    assert_true(tool);
    assert_true(digest);
    assert_true(option);
    az_result_release(&res);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(order_whatever_finishes_first),
        T(limit_ends_one_input_only),
        T(quiet_and_strict),
        T(document_ends_with_coverage_and_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
