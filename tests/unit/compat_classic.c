/* The classic block: arithmetic per row, classes, text layout. */
#include "unit/analyses_job.h"

#include <math.h>
#include <stdio.h>

static void sum(struct az_trace *t, struct az_sums *list, const char *name, double total,
                int64_t count)
{
    struct az_sum s = { .name = name_of(t, name),
                        .total = total,
                        .total_ns = (int64_t)total,
                        .count = count,
                        .avg = NAN,
                        .med = NAN,
                        .min = NAN,
                        .max = NAN,
                        .std = NAN };
    assert_int_equal(az_vec_push(list, s), 0);
}

static void proj(struct az_trace *t, const char *name, int64_t duration)
{
    struct az_proj p = { .name = name_of(t, name),
                         .style = AZ_NO_ID,
                         .duration = duration,
                         .start = INT64_MIN,
                         .pid = -1,
                         .tid = -1,
                         .gpu_ops = -1,
                         .level = -1,
                         .children = -1,
                         .range_id = -1,
                         .parent_id = -1,
                         .stack = AZ_NO_ID };
    assert_int_equal(az_vec_push(&t->proj, p), 0);
}

static void cell_text(char *out, size_t size, const struct az_column *c, const struct az_cell *x,
                      struct az_sv (*display)(struct az_sv))
{
    struct az_sv text = az_cell_text(x);
    if (x->type == AZ_TEXT && display)
        text = display(text);
    if (x->type == AZ_TEXT)
        snprintf(out, size, "%*.*s", c->width, AZ_SVF(text));
    else if (x->type == AZ_INT)
        snprintf(out, size, "%*lld", c->width, (long long)x->i);
    else
        snprintf(out, size, "%*.*f", c->width, c->decimals, x->f);
}

/* What the text report does with a layout, in short. */
static void render(const struct fix *f, char *out, size_t size)
{
    size_t n = 0;
    char one[256];
    out[0] = 0;
#define SAY(...) n += (size_t)snprintf(out + n, size - n, __VA_ARGS__)
    for (size_t i = 0; i < f->doc.preface.n; i++)
        SAY("%.*s\n", AZ_SVF(f->doc.preface.v[i]));
    for (size_t k = 0; k < f->doc.tables.n; k++) {
        const struct az_table *t = f->doc.tables.v[k];
        if (!(t->flags & AZ_TABLE_CLASSIC))
            continue;
        for (size_t i = 0; i < t->layout->before.n; i++)
            SAY("%.*s\n", AZ_SVF(t->layout->before.v[i]));
        for (size_t c = 0; c < t->columns.n; c++)
            SAY("%*.*s", t->columns.v[c].title_width, AZ_SVF(t->columns.v[c].name));
        SAY("\n");
        for (size_t r = 0; r < t->rows; r++) {
            for (size_t c = 0; c < t->columns.n; c++) {
                cell_text(one, sizeof one, &t->columns.v[c], az_table_at(t, r, c),
                          t->layout->display);
                SAY("%s", one);
            }
            SAY("\n");
        }
    }
    for (size_t i = 0; i < f->doc.epilogue.n; i++)
        SAY("%.*s\n", AZ_SVF(f->doc.epilogue.v[i]));
#undef SAY
}

static void whole_block(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    char text[8192];
    rule(f, "gemm", "math");
    rule(f, "softmax", "attention");
    f->opts.iters = 3;
    f->opts.gpus = 2;
    f->opts.nvtx_tag = AZ_SV("step");
    t->has_mem = t->has_nvtx = true;
    sum(t, &t->kernel_sums, "big_GEMM_a", 6000000, 13); /* 13 / 6 = 2, rounded down */
    sum(t, &t->kernel_sums, "big_gemm_b", 3000000, 11); /* 1: 3 in all, though 24 / 6 = 4 */
    sum(t, &t->kernel_sums, "ncclDevKernel_AllReduce_Sum(x)", 1200000, 12);
    sum(t, &t->kernel_sums, "plain", 1000000, 6);
    sum(t, &t->mem_sums, "[CUDA memcpy Host-to-Device]", 60000, 6);
    sum(t, &t->mem_sums, "[CUDA memset]", 6000, 60);
    proj(t, "step", 2000000);
    proj(t, "step", 4000000);
    proj(t, "other", 9);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    render(f, text, sizeof text);
    assert_string_equal(
        text,
        "[Warning]: The count of NVTX iterations 2 does not equal to the given num_of_iters 3. It "
        "could led to mis-statistic.\n"
        "Kernel time per iteration: 1.667 (ms)\n"
        "Kernel instances per iteration: 4\n"
        "Kernel total time: 10.000 (ms)\n"
        "Kernel total instances: 30\n"
        "Kernel Statistic:\n"
        "Class            TimePerIter(ms)  InstancePerIter  TimePerIter(%)   TotalTime(ms)    "
        "TotalInstance  TotalTime(%)   \n"
        "others                      0.17                1           10.00            1.00         "
        "    "
        "   6         10.00\n"
        "math                        1.50                3           90.00            9.00         "
        "    "
        "  24         90.00\n"
        "attention                   0.00                0            0.00            0.00         "
        "    "
        "   0          0.00\n"
        "\n"
        "NCCL time per iteration: 0.200 (ms)\n"
        "NCCL instances per iteration: 2\n"
        "NCCL total time: 1.200 (ms)\n"
        "NCCL total instances: 12\n"
        "NCCL Statistic:\n"
        "Class            TimePerIter(ms)  InstancePerIter  TotalTime(ms)    TotalInstance  \n"
        "AllReduce                   0.20                2           1.20               12\n"
        "\n"
        "Mem Ops Statistic:\n"
        "Class                  TimePerIter(ms)  InstancePerIter  TotalTime(ms)    TotalInstance  "
        "\n"
        "[CUDA memcpy H2D]                 0.01                1           0.06                6\n"
        "[CUDA memset]                     0.00               10           0.01               60\n"
        "\n"
        "NVTX range count: 2\n"
        "NVTX average range time: 3.000 (ms)\n"
        "NVTX total range time: 6.000 (ms)\n"
        "\n"
        "Estimated non-hidden NCCL, mem ops and bubble time per range: 1.333 (ms)\n"
        "Estimated non-hidden NCCL, mem ops and bubble time per range: 44.44 (%)\n"
        "Estimated non-hidden NCCL, mem ops and bubble total time: -4.000 (ms)\n"
        "Estimated non-hidden NCCL, mem ops and bubble total time: -66.67 (%)\n"
        "\n\n");
    /* the name stays whole in the data */
    is_text(az_document_table(&f->doc, "memops"), 0, "Class", "[CUDA memcpy Host-to-Device]");
    assert_true(fabs(number(f, "iterations", 4, "Value") - 10.0) < 1e-12);
}

static void nothing_but_nccl_divides_by_nothing(void **state)
{
    struct fix *f = *state;
    char text[8192];
    f->opts.iters = 1;
    sum(&f->t[0], &f->t[0].kernel_sums, "nccl", 5000000, 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    render(f, text, sizeof text);
    assert_non_null(strstr(
        text, "others                      0.00                0            0.00            0.00"
              "                0          0.00\n"));
    assert_non_null(strstr(text, "\nnccl                        5.00                1           "
                                 "5.00                1\n\n\n\n"));
    assert_null(az_document_table(&f->doc, "memops"));
}

static void iterations_not_given(void **state)
{
    struct fix *f = *state;
    sum(&f->t[0], &f->t[0].kernel_sums, "k", 5000000, 3);
    f->t[0].has_nvtx = true;
    f->opts.nvtx_tag = AZ_SV("s");
    proj(&f->t[0], ":s", 1);
    proj(&f->t[0], ":s", 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    assert_int_equal(f->doc.preface.n, 0); /* nothing was given that the count could differ from */
    is_text(f->job.coverage, 0, "Item", "iterations assumed");
    const struct az_table *t = az_document_table(&f->doc, "classes"); /* no values per iteration */
    assert_int_equal(az_table_find(t, "InstancePerIter"), -1);
    assert_int_equal((int)number(f, "classes", 0, "TotalInstance"), 3);
    assert_int_equal((int)number(f, "iterations", 5, "Value"), 2); /* with the colon */
}

static void tag_without_match(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    sum(t, &t->kernel_sums, "k", 5000000, 3);
    t->has_nvtx = true;
    t->caps = AZ_CAP_PROJ | AZ_CAP_CLASSIC;
    f->opts.nvtx_tag = AZ_SV("missing");
    f->opts.iters = 2;
    for (int i = 0; i < 3; i++)
        proj(t, "often", 1);
    proj(t, "once", 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    assert_int_equal(f->doc.preface.n, 1);
    assert_int_equal(f->doc.epilogue.n, 3); /* no block, three empty lines */
    assert_int_equal(az_analysis_findings.run(&f->job), 0);
    int row = finding(f, "tag_no_match", "missing");
    assert_true(row >= 0);
    is_text(f->job.findings, (size_t)row, "Advice",
            "most frequent range names: 'often' (3), 'once' (1)");
    assert_int_equal(f->diag.warnings, 1);
}

static void exact_tag_wins_over_colon(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    sum(t, &t->kernel_sums, "k", 5000000, 3);
    t->has_nvtx = true;
    f->opts.nvtx_tag = AZ_SV(":s");
    f->opts.iters = 1;
    proj(t, "s", 7);
    proj(t, ":s", 1000000);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    assert_int_equal(f->doc.preface.n, 0);
    assert_true(number(f, "iterations", 12, "Value") == 1.0);
}

static void own_scale_and_own_nccl_class(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    rule(f, "allreduce", "nccl");
    rule(f, "other", "x");
    f->opts.iters = 1;
    f->opts.time_scale_given = true;
    f->opts.time_scale_to_ms = 0.5;
    sum(t, &t->kernel_sums, "my_allreduce", 8, 1);
    sum(t, &t->kernel_sums, "other", 4, 1);
    make_job(f, 1);
    assert_int_equal(az_analysis_classic.run(&f->job), 0);
    const struct az_table *c = az_document_table(&f->doc, "classes");
    assert_int_equal(c->rows, 2); /* others, x: nccl has its own table */
    is_text(c, 1, "Class", "x");
    assert_true(number(f, "classes", 1, "TotalTime(ms)") == 2.0);
    assert_true(number(f, "nccl", 0, "TotalTime(ms)") == 4.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_block, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_but_nccl_divides_by_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(iterations_not_given, setup, teardown),
        cmocka_unit_test_setup_teardown(tag_without_match, setup, teardown),
        cmocka_unit_test_setup_teardown(exact_tag_wins_over_colon, setup, teardown),
        cmocka_unit_test_setup_teardown(own_scale_and_own_nccl_class, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
