/* Comparison of results: joins, keys, status, changes, baselines, the waterfall; copies of
 * documents. */
#include "compare/compare.h"
#include "compare/compare_causes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/configurations.h"
#include "compare/side_by_side.h"
#include "document/text_table_spec.h"
#include "saved/load.h"

#define MOST 4

/* Documents of CSV tables ("id\ncsv"), and the comparison of them. */
struct fixture {
    struct az_arena arena[MOST + 1];
    struct az_document doc[MOST], out;
    struct az_compare_input in[MOST];
    struct az_compare_opts opts;
    struct az_diag diag;
    size_t n;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){ .n = 0 };
    az_diag_init(&f->diag);
    az_arena_init(&f->arena[MOST], NULL);
    az_document_init(&f->out, &f->arena[MOST]);
}

static void end(struct fixture *f)
{
    for (size_t i = 0; i < f->n; i++) {
        az_document_release(&f->doc[i]);
        az_arena_release(&f->arena[i]);
    }
    az_document_release(&f->out);
    az_arena_release(&f->arena[MOST]);
    az_diag_release(&f->diag);
}

static void input(struct fixture *f, const char *tag)
{
    size_t i = f->n++;
    az_arena_init(&f->arena[i], NULL);
    az_document_init(&f->doc[i], &f->arena[i]);
    f->in[i] = (struct az_compare_input){ .doc = &f->doc[i],
                                          .tag = az_sv_str(tag),
                                          .title = az_sv_str(tag) };
}

/* A table of the input added last. */
static void table(struct fixture *f, const char *id, const char *csv)
{
    struct az_csv_file file = { .name = az_sv_str(id), .bytes = az_sv_str(csv) };
    assert_int_equal(az_load_csv(&f->doc[f->n - 1], az_sv_str(id), &file, &f->diag), 0);
}

static int compare(struct fixture *f)
{
    return az_compare(&f->out, f->in, f->n, &f->opts, &f->diag);
}

static const struct az_table *out(const struct fixture *f, const char *id)
{
    const struct az_table *t = az_document_table(&f->out, id);
    if (!t)
        fail_msg("no table '%s'", id);
    return t;
}

static const struct az_cell *cell(const struct az_table *t, size_t row, const char *column)
{
    ptrdiff_t c = az_table_find(t, column);
    if (c < 0 || row >= t->rows)
        fail_msg("no cell %zu '%s' in '%.*s' (%zu rows)", row, column, AZ_SVF(t->id), t->rows);
    return az_table_at(t, row, (size_t)c);
}

static size_t row_of(const struct az_table *t, const char *key)
{
    for (size_t r = 0; r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, 0)), key))
            return r;
    fail_msg("no row '%s'", key);
    return 0;
}

static void is(const struct az_table *t, size_t row, const char *column, const char *want)
{
    char buf[64];
    struct az_sv got = az_cell_exact(cell(t, row, column), buf);
    if (!az_sv_is(got, want))
        fail_msg("%.*s row %zu '%s': '%.*s', wanted '%s'", AZ_SVF(t->id), row, column, AZ_SVF(got),
                 want);
}

static void titled(const struct az_table *t, const char *column, const char *want)
{
    for (size_t i = 0; i < t->columns.n; i++)
        if (az_sv_is(t->columns.v[i].name, column)) {
            if (!az_sv_is(t->columns.v[i].title, want))
                fail_msg("'%s': '%.*s', wanted '%s'", column, AZ_SVF(t->columns.v[i].title), want);
            return;
        }
    fail_msg("%.*s: no column '%s'", AZ_SVF(t->id), column);
}

#define KS   "Name,Total Time (ns),Avg (ns),Instances,Class\n"
#define OPS  "name,total_direct_kernel_time_ms,Count\n"
#define DIFF "Total Time (ns)__b_diff"

static void changes_of_two(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "x,100,50.0,2,gemm\ny,300,100.0,3,other\ngone,50,50.0,1,gemm\n");
    input(&f, "b");
    table(&f, "kern_sum",
          KS "small,1,1.0,1,other\ny,300,100.0,3,other\nbig,400,40.0,10,gemm\nx,80,40.0,2,gemm\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    assert_int_equal(t->rows, 5); /* the baseline's order, then what is new by size */
    is(t, 0, "Name", "x");
    is(t, 1, "Name", "y");
    is(t, 2, "Name", "gone");
    is(t, 3, "Name", "big");
    is(t, 4, "Name", "small");
    is(t, 0, "status", "changed");
    is(t, 1, "status", "same");
    is(t, 2, "status", "removed");
    is(t, 3, "status", "new");
    assert_int_equal(cell(t, 0, DIFF)->type, AZ_INT);
    is(t, 0, DIFF, "-20");
    is(t, 0, "Total Time (ns)__b_pct", "-20");
    is(t, 0, "Total Time (ns)__b_x", "0.8");
    is(t, 1, DIFF, "0");
    is(t, 2, DIFF, ""); /* one side is missing */
    is(t, 3, "Total Time (ns)__b_pct", "");
    is(t, 0, "a::Total Time (ns)", "100");
    is(t, 0, "b::Total Time (ns)", "80");
    is(t, 2, "b::Class", "");
    double sum = 0; /* contributions add up to the change of the total: 781 / 450 */
    for (size_t r = 0; r < t->rows; r++)
        sum += az_cell_number(cell(t, r, "contribution"));
    assert_true(fabs(sum - 100.0 * (781 - 450) / 450) < 1e-9);
    assert_true(az_sv_is(f.out.tables.v[0]->id, "verdict")); /* the answer is first */
    titled(t, "Name", "Kernel");
    titled(t, "status", "Status");
    titled(t, "contribution", "Contribution");
    titled(t, DIFF, "Diff (ns)");
    titled(t, "a::Total Time (ns)", "a (ns)"); /* an input's name stays as it is */
    titled(t, "a::Avg (ns)", "Mean kernel time: a");
    const struct az_table *s = f.out.tables.v[1];
    assert_true(az_sv_is(s->id, "compare_summary"));
    titled(s, "rows baseline", "Rows baseline");
    titled(s, "metric", "Metric");
    is(s, 0, "same", "1");
    is(s, 0, "changed", "1");
    is(s, 0, "new", "2");
    is(s, 0, "removed", "1");
    is(s, 0, "diff", "0.000331"); /* ms, as all times of this table */
    /* weighted by the baseline: exp((100 ln 0.8 + 300 ln 1) / 400) */
    assert_true(fabs(az_cell_number(cell(s, 0, "geomean x")) - exp(100 * log(0.8) / 400)) < 1e-12);
    end(&f);
}

/* Lines of the verdict of a kind; their times add up to *sum. */
static size_t lines(const struct fixture *f, const char *kind, int64_t *sum)
{
    const struct az_table *t = out(f, "verdict");
    size_t n = 0;

    for (size_t r = 0; r < t->rows; r++) {
        if (!az_sv_is(az_cell_text(cell(t, r, "line")), kind))
            continue;
        n++;
        if (sum && cell(t, r, "time (ns)")->type == AZ_INT)
            *sum += cell(t, r, "time (ns)")->i;
    }
    return n;
}

static void says(const struct fixture *f, size_t row, const char *text)
{
    is(out(f, "verdict"), row, "text", text);
}

static void waterfall_adds_up(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "x,100,50.0,2,gemm\ny,300,100.0,3,other\ngone,50,50.0,1,gemm\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "y,310,100.0,3,other\nbig,200,40.0,10,gemm\nx,80,40.0,2,gemm\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    int64_t level = 0;
    for (size_t r = 0; r < t->rows; r++) {
        int64_t change = cell(t, r, "Change (ns)")->i;
        if (cell(t, r, "Total")->b && r > 0)
            assert_true(change == level);
        else
            level += change;
        assert_true(cell(t, r, "Level (ns)")->i == level);
    }
    is(t, 0, "Change (ns)", "450");
    is(t, 1, "Step", "big"); /* largest first */
    is(t, row_of(t, "x"), "Change (ns)", "-20");
    is(t, row_of(t, "y"), "Change (ns)", "10");
    is(t, row_of(t, "big"), "Change (ns)", "200");
    is(t, row_of(t, "gone"), "Change (ns)", "-50");
    is(t, row_of(t, "x"), "Baseline (ns)", "100");
    is(t, row_of(t, "x"), "Variant (ns)", "80");
    is(t, t->rows - 1, "Change (ns)", "590");
    assert_int_equal(f.out.charts.v[0].kind, AZ_CHART_WATERFALL);
    assert_true(az_sv_is(f.out.charts.v[0].y.v[1], "Total"));
    int64_t what = 0, causes = 0;
    assert_int_equal(lines(&f, "what", &what), 1);
    assert_int_equal(lines(&f, "finding", &causes), 4);
    assert_true(what == 140 && causes == 140);
    says(&f, 0, "b is 31.1% slower than a: kernel time 450 -> 590 ns");
    is(out(&f, "verdict"), 1, "label", "+200 ns");
    says(&f, 1, "kernel big: new");
    says(&f, 2, "kernel gone: removed");
    says(&f, 3, "kernel x: 100 -> 80 ns (-20.0%)");
    end(&f);
}

static void many_causes_are_folded(void **state)
{
    struct fixture f;
    char x[8000], y[8000];
    int nx, ny;
    (void)state;
    begin(&f);
    nx = snprintf(x, sizeof x, KS);
    ny = snprintf(y, sizeof y, KS);
    for (int i = 0; i < 40; i++) {
        nx += snprintf(x + nx, sizeof x - (size_t)nx, "k%d,1000,10.0,5,class%d\n", i, i);
        ny += snprintf(y + ny, sizeof y - (size_t)ny, "k%d,%d,10.0,5,class%d\n", i,
                       1000 + 3 * i - 50, i);
    }
    input(&f, "a");
    table(&f, "kern_sum", x);
    input(&f, "b");
    table(&f, "kern_sum", y);
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    assert_int_equal(t->rows, 11); /* two totals, eight causes, the rest */
    is(t, 9, "Step", "other (32)");
    int64_t sum = 0, causes = 0;
    for (size_t r = 0; r + 1 < t->rows; r++)
        sum += cell(t, r, "Change (ns)")->i;
    assert_true(sum == cell(t, t->rows - 1, "Change (ns)")->i);
    assert_int_equal(lines(&f, "finding", &causes), 9);
    assert_true(causes == sum - 40000);
    end(&f);
}

/* Of several variants the three largest causes each, and the rest in one line. */
static void causes_of_several_variants(void **state)
{
    static const char *const titles[] = { "a", "b", "c" };
    struct fixture f;
    char text[1000];
    (void)state;
    begin(&f);
    for (int v = 0; v < 3; v++) {
        int n = snprintf(text, sizeof text, KS);
        for (int i = 0; i < 6; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "k%d,%d,10.0,5,class%d\n", i,
                          1000 + v * 100 * (i + 1), i);
        input(&f, titles[v]);
        table(&f, "kern_sum", text);
    }
    assert_int_equal(compare(&f), 0);
    int64_t causes = 0;
    assert_int_equal(lines(&f, "finding", &causes), 2 * 4);
    assert_int_equal(causes, 2100 + 4200);
    end(&f);
}

#define LINE "type,time ms\n"

/* Kernels of more than 64 times the busy time are not of this timeline: none of them is a cause. */
static void kernels_of_another_timeline(void **state)
{
    static const struct {
        const char *busy;
        int ns;
        bool fits;
    } of[] = {
        { "0", 64, true }, { "0", 65, false }, { "0.000001", 128, true }, { "0.000001", 129, false }
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++)
        for (int side = 0; side < 2; side++) {
            struct fixture f;
            char text[128];
            begin(&f);
            for (int k = 0; k < 2; k++) {
                input(&f, k ? "b" : "a");
                snprintf(text, sizeof text,
                         LINE "computation_time,%s\nbusy_time,%s\nidle_time,7\ntotal_time,%s\n",
                         k == side ? of[i].busy : "1", k == side ? of[i].busy : "1", k ? "8" : "7");
                table(&f, "gpu_timeline", text);
                snprintf(text, sizeof text, KS "x,%d,1.0,1,c\n", k == side ? of[i].ns : 1000000);
                table(&f, "kern_sum", text);
            }
            assert_int_equal(compare(&f), 0);
            bool is_cause = false;
            const struct az_table *t = az_document_table(&f.out, "waterfall");
            for (size_t r = 0; t && r < t->rows; r++)
                is_cause |= az_sv_is(az_cell_text(az_table_at(t, r, 0)), "x");
            if (is_cause != of[i].fits)
                fail_msg("case %zu, side %d", i, side);
            end(&f);
        }
}

/* Timelines of both: idle, communication and copies are causes, kernels those that compute, and
 * what runs at the same time. */
static void account_of_both(void **state)
{
    struct fixture f;
    int64_t what = 0, causes = 0;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "gpu_timeline",
          LINE "computation_time,10\nexposed_comm_time,2\nexposed_memcpy_time,1\nbusy_time,13\n"
               "idle_time,7\ntotal_time,20\n");
    table(&f, "kern_sum",
          KS "x,8000000,1.0,1,c\ny,3000000,1.0,1,c\nncclKernel_AllReduce,5000000,1.0,1,c\n");
    input(&f, "b");
    table(&f, "gpu_timeline",
          LINE "computation_time,9\nexposed_comm_time,4\nexposed_memcpy_time,0\nbusy_time,13\n"
               "idle_time,2\ntotal_time,15\n");
    table(&f, "kern_sum",
          KS "x,7000000,1.0,1,c\ny,2000000,1.0,1,c\nncclKernel_AllReduce,9000000,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "b is 25.0% faster than a: 20.0 -> 15.0 ms; busy unchanged, idle -5.00 ms");
    says(&f, 1,
         "compute 10.0 -> 9.00 ms, exposed communication 2.00 -> 4.00 ms, "
         "exposed copies 1.00 -> 0 ms, idle 7.00 -> 2.00 ms");
    assert_int_equal(lines(&f, "what", &what), 1);
    assert_int_equal(lines(&f, "finding", &causes), 6);
    assert_true(what == -5000000 && causes == what);
    const struct az_table *t = out(&f, "waterfall");
    is(t, row_of(t, "idle"), "Change (ns)", "-5000000");
    is(t, row_of(t, "exposed communication"), "Change (ns)", "2000000");
    is(t, row_of(t, "exposed copies"), "Change (ns)", "-1000000");
    is(t, row_of(t, "overlap"), "Change (ns)", "1000000");
    is(t, row_of(t, "x"), "Change (ns)", "-1000000");
    says(&f, 7, "less overlap"); /* there are no steps that it could be outside of */
    end(&f);
}

/* Families of kernels without copies: exposed copies are a cause of their own, not overlap. */
static void families_without_copies(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "gpu_timeline",
          LINE "computation_time,10\nexposed_comm_time,0\nexposed_memcpy_time,1\nbusy_time,11\n"
               "idle_time,4\ntotal_time,15\n");
    table(&f, "kern_sum",
          KS "sm90_xmma_gemm_bf16,8000000,1.0,1,c\nflash_fwd_kernel,2000000,1.0,1,c\n");
    input(&f, "b");
    table(&f, "gpu_timeline",
          LINE "computation_time,9\nexposed_comm_time,0\nexposed_memcpy_time,6\nbusy_time,15\n"
               "idle_time,4\ntotal_time,19\n");
    table(&f, "kern_sum", KS "Cijk_Ailk_Bljk_BBS,6000000,1.0,1,c\nfmha_fwd_ck,3000000,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    is(t, row_of(t, "gemm"), "Change (ns)", "-2000000");
    is(t, row_of(t, "exposed copies"), "Change (ns)", "5000000");
    end(&f);
}

/* Kernels that copy are computation, and are not called as the copies of the account are. */
static void families_with_copy_kernels(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "gpu_timeline",
          LINE "computation_time,8\nexposed_comm_time,0\nexposed_memcpy_time,1\nbusy_time,9\n"
               "idle_time,4\ntotal_time,13\n");
    table(&f, "kern_sum",
          KS "sm90_xmma_gemm_bf16,8000000,1.0,1,c\n[CUDA memcpy HtoD],1000000,1.0,1,c\n");
    input(&f, "b");
    table(&f, "gpu_timeline",
          LINE "computation_time,9\nexposed_comm_time,0\nexposed_memcpy_time,1\nbusy_time,10\n"
               "idle_time,4\ntotal_time,14\n");
    table(&f, "kern_sum",
          KS "Cijk_Ailk_Bljk_BBS,6000000,1.0,1,c\ndirect_copy_kernel_cuda,3000000,1.0,1,c\n"
             "[CUDA memcpy HtoD],1000000,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    is(t, row_of(t, "copy kernels"), "Change (ns)", "3000000");
    is(t, row_of(t, "gemm"), "Change (ns)", "-2000000");
    end(&f);
}

/* Copies in the list of kernels: one that other work hid, and now no longer. */
static void copies_no_longer_hidden(void **state)
{
    static const char kernels[] =
        KS "sm90_xmma_gemm_bf16,10000000,1.0,1,c\n[CUDA memcpy Host-to-Device],3000000,1.0,1,c\n";
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "gpu_timeline",
          LINE "computation_time,10\nexposed_comm_time,0\nexposed_memcpy_time,0\nbusy_time,10\n"
               "idle_time,5\ntotal_time,15\n");
    table(&f, "kern_sum", kernels);
    input(&f, "b");
    table(&f, "gpu_timeline",
          LINE "computation_time,10\nexposed_comm_time,0\nexposed_memcpy_time,3\nbusy_time,13\n"
               "idle_time,5\ntotal_time,18\n");
    table(&f, "kern_sum", kernels);
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    assert_int_equal(t->rows, 3);
    is(t, row_of(t, "exposed copies"), "Change (ns)", "3000000");
    end(&f);
}

/* Groups of ranks are means already; where they have no operators, families of kernels, which are
 * sums. */
static void groups_of_two_ranks(void **state)
{
    static const char *const group[] = { "GEMM", "Other" };
    for (size_t i = 0; i < AZ_LENGTH(group); i++) {
        struct fixture f;
        char rows[200];
        (void)state;
        begin(&f);
        for (int side = 0; side < 2; side++) {
            const int ms = side ? 12 : 10;
            input(&f, side ? "b" : "a");
            snprintf(rows, sizeof rows,
                     LINE "busy_time,%d\ntotal_time,20\nbusy_time,%d\ntotal_time,20\n", ms, ms);
            table(&f, "gpu_timeline", rows);
            snprintf(rows, sizeof rows,
                     "Group,Time (s),Exposed (s)\n%s,0.0%d,0.0%d\nTotal,0.0%d,0.0%d\n", group[i],
                     ms, ms, ms, ms);
            table(&f, "grouped_breakdown", rows);
            snprintf(rows, sizeof rows, "Family,Kernel time (ms)\nnorm,%d\n", 2 * ms);
            table(&f, "time_by_family", rows);
        }
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "waterfall");
        is(t, row_of(t, i ? "norm" : "GEMM"), "Change (ns)", "2000000");
        end(&f);
    }
}

/* Reports of operations say themselves what counts, in one row of their checks; a table with more
 * time than that, as the advice has it, is no list of the work. */
static void account_of_operations(void **state)
{
    struct fixture f;
    static const char *const times[] = { "10", "12" };
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        input(&f, i ? "b" : "a");
        table(&f, "advice",
              "Section,OP Code,Bound,Advice,Rows,Device Time\nproduct,x,,do this,1,90000\n"
              "product,x,,do that,1,90000\n");
        snprintf(text, sizeof text,
                 "ID,OP Code,Device Time,Op-to-Op Gap\n1,x,%s,5000000\n2,y,2,1\n3,z,7000000,0\n",
                 times[i]);
        table(&f, "ops", text);
        snprintf(text, sizeof text, "OP Code,Cores,Count,Device Time Sum\nx,8,1,%s\ny,8,1,2\n",
                 times[i]);
        table(&f, "op_models", text);
        snprintf(text, sizeof text,
                 "Check,Rows,Device Time,Op-to-Op Gap\nall rows,3,7000012,5000001\n"
                 "account of time,2,%d,1\n",
                 i ? 14 : 12);
        table(&f, "data_quality", text);
    }
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "b is 15.4% slower than a: 13.0 -> 15.0 us; busy +2.00 us, idle unchanged");
    const struct az_table *t = out(&f, "waterfall");
    is(t, row_of(t, "x"), "Change (ns)", "2000");
    end(&f);
}

/* Names of two vendors pair nothing: operators do, and where these are unlike, too, families. */
static void key_is_chosen(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "nvidia");
    table(&f, "kernel_summary",
          "Kernel name,Kernel duration (ns)_sum,Count\n"
          "sm90_xmma_gemm_bf16,800,1\nflash_fwd_kernel,200,1\n");
    table(&f, "ops_summary",
          "name,total_direct_kernel_time_ns,Count\naten::mm,800,1\n"
          "aten::cudnn_convolution,200,1\n");
    input(&f, "amd");
    table(&f, "kernel_summary",
          "Kernel name,Kernel duration (ns)_sum,Count\n"
          "Cijk_Ailk_Bljk_BBS,900,1\nfmha_fwd_ck,300,1\n");
    table(&f, "ops_summary",
          "name,total_direct_kernel_time_ns,Count\naten::mm,900,1\n"
          "aten::miopen_convolution,300,1\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    assert_int_equal(t->rows, 4);
    is(t, row_of(t, "aten::mm"), "Change (ns)", "100");
    is(t, row_of(t, "aten::cudnn_convolution replaced by aten::miopen_convolution"), "Change (ns)",
       "100");
    end(&f);
    begin(&f);
    input(&f, "nvidia");
    table(&f, "kern_sum", KS "sm90_xmma_gemm_bf16,800,1.0,1,c\nflash_fwd_kernel,200,1.0,1,c\n");
    input(&f, "amd");
    table(&f, "kern_sum", KS "Cijk_Ailk_Bljk_BBS,900,1.0,1,c\nfmha_fwd_ck,350,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    t = out(&f, "waterfall");
    assert_int_equal(t->rows, 4);
    is(t, row_of(t, "gemm"), "Change (ns)", "100");
    is(t, row_of(t, "attention"), "Change (ns)", "150");
    end(&f);
}

/* A side that is many times the other; no kernel in common on two devices that may be one;
 * operators in common. */
static void not_the_same_work(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "x,12258700,1.0,1,c\ny,100,1.0,1,c\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "x,210500,1.0,1,c\ny,1234,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "b is 57.9x as fast as a: kernel time 12.3 ms -> 212 us");
    says(&f, 2, "kernel y: 100 ns -> 1.23 us (12.3x)");
    end(&f);
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "x,1000,1.0,1,c\ny,100,1.0,1,c\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "z,200,1.0,1,c\ny,20,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0,
         "a and b may not be the same work, 9% of kernel time has kernel names in common: "
         "kernel time 1.10 us -> 220 ns");
    end(&f);
    begin(&f);
    input(&f, "a");
    table(&f, "kernel_summary", "Kernel name,Kernel duration (ns)_sum,Count\nx,1000,1\n");
    table(&f, "ops_summary", "name,total_direct_kernel_time_ns,Count\naten::mm,1000,1\n");
    input(&f, "b");
    table(&f, "kernel_summary", "Kernel name,Kernel duration (ns)_sum,Count\nz,800,1\n");
    table(&f, "ops_summary", "name,total_direct_kernel_time_ns,Count\naten::mm,800,1\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "b is 20.0% faster than a: kernel time 1.00 us -> 800 ns");
    end(&f);
}

/* Operators with equal shapes are the same work whatever their kernels are called; those with other
 * shapes are not. */
static void work_by_shapes(void **state)
{
    static const char *const kernels[] = {
        "Kernel name,Kernel duration (ns)_sum,Count\nx,1000,1\n",
        "Kernel name,Kernel duration (ns)_sum,Count\nz,800,1\n",
        "Kernel name,Kernel duration (ns)_sum,Count\nx,800,1\n"
    };
    static const char *const shapes[] = {
        "name,Input Dims,Kernel Time (\xc2\xb5s)_sum\naten::mm,\"[[8,8],[8,8]]\",1\n",
        "name,Input Dims,Kernel Time (\xc2\xb5s)_sum\naten::mm,\"[[8,8],[8,8]]\",0.8\n",
        "name,Input Dims,Kernel Time (\xc2\xb5s)_sum\naten::mm,\"[[4,8],[8,8]]\",0.8\n"
    };
    struct fixture f;
    (void)state;
    for (size_t other = 1; other < 3; other++) {
        begin(&f);
        input(&f, "a");
        table(&f, "kernel_summary", kernels[0]);
        table(&f, "unified_perf_summary", shapes[0]);
        input(&f, "b");
        table(&f, "kernel_summary", kernels[other]);
        table(&f, "unified_perf_summary", shapes[other]);
        assert_int_equal(compare(&f), 0);
        says(&f, 0,
             other == 1 ? "b is 20.0% faster than a: kernel time 1.00 us -> 800 ns"
                        : "a and b may not be the same work, no operators with "
                          "equal shapes in common: kernel time 1.00 us -> 800 ns");
        end(&f);
    }
}

/* Operators without shapes say nothing of the work: then the names of kernels do on one device. */
static void work_without_shapes(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int side = 0; side < 2; side++) {
        input(&f, side ? "b" : "a");
        table(&f, "kernel_summary",
              side ? "Kernel name,Kernel duration (ns)_sum,Count\nz,9000,1\n"
                   : "Kernel name,Kernel duration (ns)_sum,Count\nx,1000,1\n");
        table(&f, "unified_perf_summary",
              side ? "name,Input Dims,Kernel Time (\xc2\xb5s)_sum\naten::mm,,9\n"
                   : "name,Input Dims,Kernel Time (\xc2\xb5s)_sum\naten::mm,,1\n");
        table(&f, "verdict_facts",
              side ? "Fact,Value,Text\ndevice_name,,X1\nkernels,1,\nkernel_ns,9000,\n"
                   : "Fact,Value,Text\ndevice_name,,X1\nkernels,1,\nkernel_ns,1000,\n");
    }
    assert_int_equal(compare(&f), 0);
    says(&f, 0,
         "a and b may not be the same work, no kernel names in common: "
         "kernel time 1.00 -> 9.00 us");
    end(&f);
}

/* At most twelve sheets: the answer, what is drawn and the main tables come first; all by option or
 * for tables asked for. */
static void sheets_of_the_workbook(void **state)
{
    const char *const families[] = { "GEMM", "Reduce_fwd", "Normalization", "SDPA_fwd" };
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct fixture f;
        size_t sheets = 0, left_out = 0;
        begin(&f);
        f.opts.all_sheets = all;
        for (int side = 0; side < 2; side++) {
            input(&f, side ? "b" : "a");
            table(&f, "kern_sum", side ? KS "x,100,50.0,2,c\n" : KS "x,90,50.0,2,c\n");
            for (size_t i = 0; i < sizeof families / sizeof *families; i++)
                table(&f, families[i],
                      "name,param: M,Kernel Time (ns)_sum,name_count\nmm,64,5,1\n");
            table(&f, "time_by_family", "Family,Kernel Time (ns)\ngemm,100\nnorm,20\n");
            if (side)
                table(&f, "ops_summary", OPS "x,1.0,1\n");
        }
        assert_int_equal(compare(&f), 0);
        for (size_t i = 0; i < f.out.tables.n; i++) {
            const unsigned flags = f.out.tables.v[i]->flags;
            sheets += !(flags & (AZ_TABLE_TEXT_ONLY | AZ_TABLE_NO_SHEET));
            left_out += (flags & AZ_TABLE_NO_SHEET) != 0;
        }
        assert_int_equal(all ? sheets > 12 : sheets == 10, 1);
        assert_int_equal(left_out > 0, !all);
        assert_int_equal(f.out.sheets_note.n > 0, !all);
        assert_false(out(&f, "verdict")->flags & AZ_TABLE_NO_SHEET);
        assert_false(out(&f, "waterfall")->flags & AZ_TABLE_NO_SHEET);
        assert_false(out(&f, "kern_sum")->flags & AZ_TABLE_NO_SHEET);
        assert_false(out(&f, "side_by_side_families")->flags & AZ_TABLE_NO_SHEET);
        assert_int_equal(!!(out(&f, "GEMM_only_variant_b")->flags & AZ_TABLE_NO_SHEET), !all);
        is(out(&f, "compare_unmatched"), 0, "why", "only in b");
        end(&f);
    }
}

static void equal_inputs(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "before_the_change_of_today");
    table(&f, "kern_sum", KS "x,100,50.0,2,gemm\n");
    input(&f, "after_the_change_of_today");
    table(&f, "kern_sum", KS "x,100,50.0,2,gemm\n");
    assert_int_equal(compare(&f), 0);
    assert_int_equal(out(&f, "verdict")->rows, 1);
    says(&f, 0, /* the words in which the names differ */
         "no difference between before and after: 100 ns each; 1 row in 1 table, none differs");
    end(&f);
}

static void with_itself(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int i = 0; i < 2; i++) {
        input(&f, i ? "b" : "a");
        table(&f, "kern_sum",
              KS
              "x,100,50.0,2,gemm\nx,7,7.0,1,gemm\n,5,5.0,1,\n,5,5.0,1,\n,6,6.0,1,\ny,0,0.0,0,\n");
        table(&f, "empty", "");
        table(&f, "ops_summary", OPS);
    }
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    assert_int_equal(t->rows, 5); /* x twice added up; rows without a key stay apart */
    for (size_t r = 0; r < t->rows; r++) {
        is(t, r, "status", "same");
        is(t, r, DIFF, "0");
    }
    is(t, 0, "a::Total Time (ns)", "107");
    is(t, row_of(t, "y"), "Total Time (ns)__b_pct", "");        /* the baseline is 0 */
    assert_null(az_document_table(&f.out, "kern_sum changes")); /* nothing for the text */
    assert_int_equal(out(&f, "ops_summary")->rows, 0);
    end(&f);
}

static void swapped(void **state)
{
    static const char *const csv[2] = { KS "x,100,50.0,2,g\ny,300,100.0,3,o\ngone,50,50.0,1,g\n",
                                        KS "y,311,103.5,3,o\nbig,400,40.0,10,g\nx,80,40.0,2,g\n" };
    struct fixture f[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin(&f[k]);
        for (int i = 0; i < 2; i++) {
            input(&f[k], i ? "b" : "a");
            table(&f[k], "kern_sum", csv[i ^ k]);
        }
        assert_int_equal(compare(&f[k]), 0);
    }
    const struct az_table *t = out(&f[0], "kern_sum"), *u = out(&f[1], "kern_sum");
    assert_int_equal(t->rows, u->rows);
    for (size_t r = 0; r < t->rows; r++) {
        size_t s = row_of(u, az_cell_text(cell(t, r, "Name")).p);
        double d = az_cell_number(cell(t, r, DIFF)), e = az_cell_number(cell(u, s, DIFF));
        struct az_sv st = az_cell_text(cell(t, r, "status"));
        assert_true(d == -e || (isnan(d) && isnan(e)));
        is(u, s, "status",
           az_sv_is(st, "new")       ? "removed"
           : az_sv_is(st, "removed") ? "new"
                                     : st.p);
    }
    end(&f[0]);
    end(&f[1]);
}

static void keys_in_one_spelling(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "GEMM",
          "name,param: M,param: shape,Kernel Time (\xc2\xb5s)_sum,name_count\nmm,64,\"(1, "
          "2)\",5.5,2\n");
    input(&f, "b");
    table(&f, "GEMM",
          "name,param: M,param: shape,Kernel Time "
          "(\xc2\xb5s)_sum,name_count\nmm,64.0,\"(1,2)\",5.5,2\n"
          "mm,128.0,\"(1,2)\",1.5,1\n");
    assert_int_equal(compare(&f), 0);
    assert_int_equal(out(&f, "GEMM_intersect_b")->rows, 1);
    assert_int_equal(out(&f, "GEMM_only_baseline_b")->rows, 0);
    const struct az_table *t = out(&f, "GEMM_only_variant_b");
    assert_int_equal(t->rows, 1);
    is(t, 0, "param: M", "128");
    assert_true(az_table_find(t, "a::name_count") <
                0); /* columns of the other side are not there */
    end(&f);
}

/* Lists of Python and of JSON are one spelling; what only begins or ends like one stays. */
static void lists_as_keys(void **state)
{
    static const char *const pairs[][2] = {
        { "(1, 2)", "[1,2]" },
        { "((1024, 1024), (1,))", "[[1024,1024],[1]]" },
        { "('c10::BFloat16', 'it\"s', '')", "[\"c10::BFloat16\",\"it\"s\",\"\"]" },
        { "(None, True, ('a', False))", "[null,true,[\"a\",false]]" },
        { "()", "[]" },
        { "(NoneType, Trueish)", "[NoneType,Trueish]" },
        { "(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)" },
        { "(a", "(a" },
        { "f(1, 2)", "f(1,2)" },
        { "('a", "('a" },
    };
    struct az_arena a;
    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct az_cell cell = { .type = AZ_TEXT,
                                      .len = (uint32_t)strlen(pairs[i][0]),
                                      .s = pairs[i][0] };
        const struct az_sv key = az_compare_key(&a, &cell);
        if (!az_sv_is(key, pairs[i][1]))
            fail_msg("%s: '%.*s', wanted '%s'", pairs[i][0], AZ_SVF(key), pairs[i][1]);
    }
    az_arena_release(&a);
}

static void duplicates_are_numbered(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "ops", "ID,OP Code,Device Time\n1,mm,10.0\n2,add,1.0\n3,mm,12.0\n");
    input(&f, "b");
    table(&f, "ops", "ID,OP Code,Device Time\n9,mm,11.0\n10,mm,12.0\n11,mm,3.0\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "ops");
    assert_int_equal(t->rows, 4);
    is(t, row_of(t, "mm"), "Device Time__b_diff", "1");
    is(t, row_of(t, "mm #2"), "status", "same");
    is(t, row_of(t, "mm #3"), "status", "new");
    is(t, row_of(t, "add"), "status", "removed");
    end(&f);
}

static void means_of_duplicates(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int i = 0; i < 2; i++) {
        input(&f, i ? "b" : "a");
        table(&f, "kern_sum",
              i ? KS "x,400,40.0,10,\n" : KS "x,100,50.0,2,\nx,60,20.0,3,\nx,40,40.0,1,\n");
    }
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    is(t, 0, "a::Total Time (ns)", "200");
    is(t, 0, "a::Instances", "6");
    assert_true(fabs(az_cell_number(cell(t, 0, "a::Avg (ns)")) - 200.0 / 6) <
                1e-9); /* weighted by count */
    end(&f);
}

static void units_and_names_across(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "py");
    table(&f, "kernel_summary",
          "Parent cpu_op,Kernel name,Kernel duration (\xc2\xb5s)_sum,Kernel duration "
          "(\xc2\xb5s)_count\n"
          "aten::mm,k1,1500.5,3\naten::add,k1,499.5,1\naten::add,k2,7.0,1\n");
    input(&f, "roc");
    table(&f, "kernel_summary", "name,Count,Total Kernel Time (ms)\nk1,4,2.5\nk2,1,0.007\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kernel_summary");
    assert_int_equal(t->rows,
                     2); /* the operation is no key where one side has none: k1 is added up */
    is(t, 0, "Kernel duration (\xc2\xb5s)_sum__roc_diff", "500"); /* in the baseline's unit */
    is(t, 0, "Kernel duration (\xc2\xb5s)_count__roc_diff", "0");
    is(t, 1, "status", "same"); /* 0.007 ms is 7 us but for rounding */
    is(t, 0, "roc::Total Kernel Time (ms)", "2.5");
    end(&f);
}

static void three_ways(void **state)
{
    static const struct {
        const char *baseline;
        size_t rank;
    } cases[] = { { "", 0 }, { "first", 0 }, { "best", 2 }, { "median", 0 }, { "slow", 1 } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        begin(&f);
        f.opts.baseline = az_sv_str(cases[i].baseline);
        input(&f, "mid");
        table(&f, "kern_sum", KS "x,200,100.0,2,\n");
        input(&f, "slow");
        table(&f, "kern_sum", KS "x,300,150.0,2,\n");
        input(&f, "fast");
        table(&f, "kern_sum", KS "x,100,50.0,2,\nnew,1,1.0,1,\n");
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "compare_inputs");
        for (size_t k = 0; k < 3; k++)
            is(t, k, "role", k == cases[i].rank ? "baseline" : "variant");
        if (cases[i].rank == 0) {
            t = out(&f, "kern_sum");
            titled(t, "status__slow", "slow status");
            titled(t, "contribution__fast", "fast contribution (%)");
            titled(t, "Total Time (ns)__slow_pct", "slow diff (%)");
            titled(t, "Instances__slow_diff", "Count: slow diff");
            is(t, 0, "Total Time (ns)__slow_diff", "100");
            is(t, 0, "Total Time (ns)__fast_diff", "-100");
            is(t, 1, "status__slow", "");
            is(t, 1, "status__fast", "new");
            is(out(&f, "waterfall__fast"), 0, "Change (ns)", "200");
            out(&f, "waterfall__slow");
        }
        end(&f);
    }
}

static void refused(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS);
    assert_int_equal(compare(&f), AZ_EEMPTY);
    end(&f);
    begin(&f);
    f.opts.baseline = AZ_SV("c");
    input(&f, "a");
    input(&f, "b");
    assert_int_equal(compare(&f), AZ_EUSAGE);
    end(&f);
    begin(&f); /* nothing in common is a comparison all the same */
    struct az_sv only[] = { AZ_SV("kern_sum") };
    f.opts.tables = only;
    f.opts.n_tables = 1;
    input(&f, "a");
    table(&f, "kern_sum", KS "x,100,50.0,2,\n");
    table(&f, "ops_summary", OPS "x,1.0,1\n");
    input(&f, "b");
    table(&f, "ops_summary", OPS "x,1.0,1\n");
    assert_int_equal(compare(&f), AZ_EFORMAT); /* asked for by name, and missing in b */
    is(out(&f, "compare_unmatched"), 0, "why", "only in a");
    is(out(&f, "compare_unmatched"), 0, "which", "kern_sum");
    assert_null(az_document_table(&f.out, "ops_summary"));
    end(&f);
}

static void renamed_rows(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "old_gemm,100,50.0,2,\nother,100,25.0,4,\nkept,9,9.0,1,\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "new_gemm,115,57.5,2,\ntoo_long,130,32.5,4,\nkept,9,9.0,1,\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    is(t, row_of(t, "old_gemm"), "status", "renamed?");
    is(t, row_of(t, "old_gemm"), "counterpart", "new_gemm");
    is(t, row_of(t, "new_gemm"), "counterpart", "old_gemm");
    is(t, row_of(t, "other"), "status", "removed"); /* 30 % apart */
    is(t, row_of(t, "kept"), "counterpart", "");
    end(&f);
}

static void normal_names(void **state)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        { "triton_poi_fused_add_12", "triton_poi_fused_add" },
        { "void k<float, 4>(float*)", "void k(float*)" },
        { "k<a<b>, c>::run<int>", "k::run" },
        { "fusion.123", "fusion" },
        { "loop_add_fusion_3", "loop_add_fusion" },
        { "sgemm_128", "sgemm_128" }, /* not generated: the number says something */
        { "handler_0x7ffe01ab", "handler_" },
        { "operator<<", "operator<<" },
        { "<int>", "<int>" }, /* nothing would be left */
        { "", "" },
    };
    struct az_arena a;
    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_sv got = az_compare_normal(&a, az_sv_str(cases[i].name));
        if (!az_sv_is(got, cases[i].want))
            fail_msg("'%s': '%.*s', wanted '%s'", cases[i].name, AZ_SVF(got), cases[i].want);
    }
    az_arena_release(&a);
    struct fixture f;
    begin(&f);
    f.opts.normalize = true;
    input(&f, "a");
    table(&f, "kern_sum", KS "triton_a_1,10,5.0,2,\ntriton_a_2,20,5.0,4,\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "triton_a_7,30,5.0,6,\n");
    assert_int_equal(compare(&f), 0);
    is(out(&f, "kern_sum"), 0, "Name", "triton_a");
    is(out(&f, "kern_sum"), 0, "status", "same");
    end(&f);
}

static void unique_tags(void **state)
{
    struct az_sv tags[] = { AZ_SV("x"), AZ_SV("x"), AZ_SV(""), AZ_SV("x~2"), AZ_SV("x") };
    struct az_arena a;
    (void)state;
    az_arena_init(&a, NULL);
    assert_int_equal(az_compare_unique(&a, tags, 5), 0);
    assert_true(az_sv_is(tags[1], "x~2") && az_sv_is(tags[2], "input") &&
                az_sv_is(tags[3], "x~2~2") && az_sv_is(tags[4], "x~3"));
    az_arena_release(&a);
}

#define ACCOUNT                                                                                    \
    "Scope,Span (ns),Computing (ns),Exposed communication (ns),Exposed copy (ns),Idle (ns),"       \
    "Communication (ns),Copy (ns)\n"

static void side_by_side(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a"); /* steps: the median one by name */
    table(&f, "account",
          ACCOUNT "steps,4000000,2000000,1000000,0,1000000,1000000,0\n"
                  "step,2000000,1000000,500000,0,500000,500000,0\n");
    table(&f, "verdict_facts",
          "Fact,Value,Text\ndevices_counted,2,\nsteps,2,\n"
          "step_source,,user_range\n");
    table(&f, "step_work",
          "Kernel,Family,Count,Kernel time (ns)\nx,gemm,1,1000000\n"
          "y,gemm,1,500000\nz,communication,1,500000\n");
    table(&f, "time_by_family", "family,count,time_ms\ngemm,9,100\n");
    input(&f, "b"); /* no steps: the recording, by device */
    table(&f, "account", ACCOUNT "recording,8000000,8000000,0,0,0,0,0\n");
    table(&f, "verdict_facts", "Fact,Value,Text\ndevices_counted,2,\n");
    table(&f, "time_by_family", "family,count,time_ms\ngemm,9,12\nnorm,1,4\n");
    input(&f, "c"); /* iterations that the user names */
    table(&f, "facts", "Fact,Value\noption num_of_iters,5\noption num_of_gpus,2\n");
    table(&f, "time_by_family", "family,count,time_ms\ncopy,9,20\n");
    assert_int_equal(az_side_by_side(&f.out, f.in, f.n, true), 0);
    const struct az_table *t = out(&f, "side_by_side_families");
    is(t, row_of(t, "gemm"), "a (ms)", "1.5");
    is(t, row_of(t, "gemm"), "a share (%)", "75");
    is(t, row_of(t, "gemm"), "b, recording (ms)", "6");
    is(t, row_of(t, "norm"), "a (ms)", ""); /* not recorded, which is not 0 */
    is(t, row_of(t, "copy"), "c (ms)", "2");
    assert_int_equal(az_sv_find(t->note, AZ_SV("blank: not recorded")) > 0, 1);
    assert_true(az_sv_starts(
        t->note,
        AZ_SV("Of one step and device, or of the recording where the heading names it; ")));
    t = out(&f, "side_by_side_account"); /* c has no account, and no bar */
    assert_int_equal(t->rows, 2);
    is(t, 0, "Compute (%)", "50");
    is(t, 0, "input", "a, 4.0 ms, 2 steps");
    is(t, 1, "input", "b, 8.0 ms recorded");
    assert_int_equal(f.out.charts.v[0].kind, AZ_CHART_STACKED_BAR);
    assert_int_equal(f.out.charts.v[0].y.n, 4);
    assert_true(f.out.charts.v[1].small);
    assert_null(az_document_table(&f.out, "side_by_side_classes")); /* nobody gave a map */
    end(&f);
}

static void recordings_side_by_side(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 2; i++) {
        input(&f, i ? "b" : "a");
        table(&f, "account", ACCOUNT "recording,8000000,8000000,0,0,0,0,0\n");
        table(&f, "verdict_facts", "Fact,Value,Text\ndevices_counted,2,\n");
        table(&f, "time_by_family", "family,count,time_ms\ngemm,9,16\n");
    }
    assert_int_equal(az_side_by_side(&f.out, f.in, f.n, true), 0);
    const struct az_table *t = out(&f, "side_by_side_families");
    is(t, row_of(t, "gemm"), "a, recording (ms)", "8");
    assert_true(az_sv_starts(t->note, AZ_SV("Of one device; ")));
    end(&f);
}

static void classes_side_by_side(void **state)
{
    struct az_class_rule rule = { AZ_SV("mm"), AZ_SV("mm"), AZ_SV("product") };
    const struct az_class_rules map = { .v = &rule, .n = 1 };
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "account",
          ACCOUNT "steps,4000000,2000000,1000000,0,1000000,1000000,0\n"
                  "step,2000000,1000000,500000,0,500000,500000,0\n");
    table(&f, "verdict_facts", "Fact,Value,Text\ndevices_counted,1,\nsteps,2,\n");
    table(&f, "step_work",
          "Kernel,Family,Count,Kernel time (ns)\nmm_1,gemm,1,1000000\n"
          "ncclAll,communication,1,500000\nMemcpy,copy,1,250000\n"
          "z,other,1,250000\n");
    f.in[0].classes = &map;
    input(&f, "b"); /* Nsight Systems: communication and copies have tables of their own */
    table(&f, "classes", "Class,TotalTime(ms)\nproduct,3.0\nothers,1.0\n");
    table(&f, "nccl", "Class,TotalTime(ms)\nAllReduce,0.5\nAllGather,0.25\n");
    table(&f, "memops", "Class,TotalTime(ms)\nD2H,0.125\n");
    input(&f, "c"); /* another tool's classes */
    table(&f, "grouped_breakdown",
          "Group,Time (s),Exposed (s)\nproduct,3.0,2.0\nNorm,0,0\nTotal,3.0,2.0\n");
    assert_int_equal(az_side_by_side(&f.out, f.in, f.n, true), 0);
    const struct az_table *t = out(&f, "side_by_side_classes");
    assert_int_equal(t->rows, 4);
    is(t, row_of(t, "product"), "a (ms)", "1");
    is(t, row_of(t, "nccl"), "a (ms)", "0.5");
    is(t, row_of(t, "memory operations"), "a (ms)", "0.25");
    is(t, row_of(t, "others"), "a (ms)", "0.25");
    is(t, row_of(t, "nccl"), "b, recording (ms)", "0.75");
    is(t, row_of(t, "memory operations"), "b, recording (ms)", "0.125");
    is(t, row_of(t, "product"), "c, recording (ms)", "3000");
    end(&f);
}

#define STEPPED(n, of) "Fact,Value,Text\ndevices_counted,2,\nsteps," n ",\nstep_source,," of "\n"

/* Of whole recordings the families of all their steps, not those of the median step, whose table
 * is next to them; a list of a part of the work (operations of the last step) is none of it. */
static void families_of_recordings(void **state)
{
    struct fixture f;
    (void)state;
    for (int part = 0; part < 2; part++) {
        begin(&f);
        input(&f, "a");
        table(&f, "account", ACCOUNT "recording,10000,9000,0,1000,0,0,1000\n");
        table(&f, "verdict_facts", "Fact,Value,Text\ndevices_counted,1,\n");
        table(&f, "kern_sum", KS "sm90_xmma_gemm_bf16,9000,1.0,1,c\n");
        table(&f, "time_by_family", "family,count,kernel_time_ns\ngemm,9,9000\ncopy,1,1000\n");
        input(&f, "b");
        table(&f, "account",
              ACCOUNT "steps,12000,9000,0,0,3000,0,0\nstep,4000,3000,0,0,1000,0,0\n");
        table(&f, "verdict_facts", STEPPED("3", "program_runs"));
        table(&f, "step_work", "Kernel,Family,Count,Kernel time (ns)\nx,conv,1,3000\n");
        table(&f, "time_by_family",
              part ? "family,count,kernel_time_ns\nconv,9,15000\n"
                   : "family,count,kernel_time_ns\nconv,9,18000\n");
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "waterfall");
        if (part) {
            is(t, row_of(t, "exposed copies"), "Change (ns)", "-1000");
            is(t, row_of(t, "idle"), "Change (ns)", "3000");
            assert_int_equal(t->rows, 4); /* compute is the same, however little is listed */
        } else {
            is(t, row_of(t, "conv"), "Change (ns)", "9000");
            is(t, row_of(t, "gemm"), "Change (ns)", "-9000");
            is(t, row_of(t, "exposed copies"), "Change (ns)", "-1000");
        }
        end(&f);
    }
}

/* A window with one whole step and parts of others has no step to be compared; one that is a step
 * has. */
static void windows_with_parts_of_steps(void **state)
{
    static const char *const windows[] = {
        ACCOUNT "window,1100000,550000,0,0,550000,0,0\nstep,990000,500000,0,0,490000,0,0\n",
        ACCOUNT "window,1101000,550000,0,0,551000,0,0\nstep,990000,500000,0,0,490000,0,0\n",
    };
    struct fixture f;
    (void)state;
    for (int parts = 0; parts < 2; parts++) {
        begin(&f);
        input(&f, "a");
        table(&f, "account",
              ACCOUNT "steps,3000000,3000000,0,0,0,0,0\nstep,990000,990000,0,0,0,0,0\n");
        table(&f, "verdict_facts", STEPPED("3", "program_runs") "step_period_ns,990000,\n");
        input(&f, "b");
        table(&f, "account", windows[parts]);
        table(&f, "verdict_facts", STEPPED("1", "program_runs"));
        assert_int_equal(compare(&f), 0);
        says(&f, 0,
             parts ? "a and b are not comparable: 3 steps (program runs) in the baseline, 1 step "
                     "and parts of others (program runs) in the candidate"
                   : "a and b take the same time per step: 990 us (median of 3 and 1 step)");
        end(&f);
    }
}

/* A single step ends with its last event: the step of the other side, too, then. */
static void a_single_step(void **state)
{
    struct fixture f;
    (void)state;
    for (size_t single = 0; single < 2; single++) {
        begin(&f);
        for (size_t side = 0; side < 2; side++) {
            input(&f, side ? "b" : "a");
            table(&f, "verdict_facts",
                  side == single ? STEPPED("1", "user_range") : STEPPED("3", "user_range"));
            table(&f, "account",
                  side == single ? ACCOUNT "steps,900000,870000,0,0,30000,0,0\n"
                                 : ACCOUNT "steps,2900000,2610000,0,0,290000,0,0\n"
                                           "step,1000000,870000,0,0,130000,0,0\n");
            table(
                &f, "steps",
                side == single
                    ? "step,idle (ns),period (ns)\n0,30000,\n"
                    : "step,idle (ns),period (ns)\n0,130000,1000000\n1,130000,1000000\n2,30000,\n");
        }
        assert_int_equal(compare(&f), 0);
        says(&f, 0,
             single ? "a and b take the same time per step: 900 us (median of 3 and 1 step)"
                    : "a and b take the same time per step: 900 us (median of 1 and 3 steps)");
        says(&f, 2, "a single step has no idle time after its last event: not compared (100 us)");
        end(&f);
    }
}

/* One side without device work is not faster. */
static void no_device_work(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "account", ACCOUNT "recording,3000000,3000000,0,0,0,0,0\n");
    table(&f, "verdict_facts", "Fact,Value,Text\nkernels,3,\n");
    table(&f, "kern_sum", KS "x,3000000,1.0,1,c\n");
    input(&f, "b");
    table(&f, "verdict_facts", "Fact,Value,Text\nkernels,0,\n");
    table(&f, "kern_sum", KS "x,0,1.0,0,c\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "a and b are not comparable: the candidate has no device activity");
    end(&f);
}

/* The median is that of the steps without the one excluded as warm-up. */
static void steps_of_the_median(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    for (int side = 0; side < 2; side++) {
        input(&f, side ? "b" : "a");
        table(&f, "account",
              ACCOUNT "steps,3000000,3000000,0,0,0,0,0\nstep,1000000,1000000,0,0,0,0,0\n");
        table(&f, "verdict_facts",
              side ? "Fact,Value,Text\nsteps,3,\nstep_source,,user_range\ndevices_counted,1,\n"
                   : "Fact,Value,Text\nsteps,4,\nstep_source,,user_range\ndevices_counted,1,\n"
                     "excluded_step,,train_0\n");
    }
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "a and b take the same time per step: 1.00 ms (median of 3 and 3 steps)");
    end(&f);
}

/* Steps whose scatter explains the difference of the two medians: neither side is faster. */
static void change_within_the_spread(void **state)
{
    static const char *const steps[] = {
        "step,period (ns)\n1,900000\n2,1000000\n3,1100000\n",
        "step,period (ns)\n1,1100000\n2,1150000\n3,1600000\n",
        "step,period (ns)\n1,1990000\n2,2000000\n3,2010000\n",
    };
    struct fixture f;
    (void)state;
    for (int far = 0; far < 2; far++) {
        begin(&f);
        for (int side = 0; side < 2; side++) {
            input(&f, side ? "b" : "a");
            table(
                &f, "account",
                !side ? ACCOUNT "steps,3000000,3000000,0,0,0,0,0\nstep,1000000,1000000,0,0,0,0,0\n"
                : far ? ACCOUNT "steps,6000000,6000000,0,0,0,0,0\nstep,2000000,2000000,0,0,0,0,0\n"
                      : ACCOUNT
                    "steps,3850000,3850000,0,0,0,0,0\nstep,1150000,1150000,0,0,0,0,0\n");
            table(&f, "verdict_facts",
                  "Fact,Value,Text\nsteps,3,\nstep_source,,user_range\ndevices_counted,1,\n");
            table(&f, "steps", steps[side ? 1 + far : 0]);
        }
        assert_int_equal(compare(&f), 0);
        says(&f, 0,
             far ? "b is 100.0% slower per step than a: 1.00 -> 2.00 ms (median of 3 and 3 steps; "
                   "spread 10.7%)"
                 : "a and b do not differ beyond the spread of their steps: 1.00 -> 1.15 ms "
                   "(median of 3 and 3 steps; spread 11.7%)");
        end(&f);
    }
}

/* What repeats without a mark is called no step, in any sentence. */
static void repeats_of_kernels(void **state)
{
    static const struct {
        const char *b, *want;
    } cases[] = {
        { "3000000",
          "b is 50.0% slower per repeat than a: 2.00 -> 3.00 ms (median of 3 and 3 repeats)" },
        { "2000000", "a and b take the same time per repeat: 2.00 ms (median of 3 and 3 repeats)" },
        { "2001000", "a and b differ by less than 0.05% per repeat: 2.000 -> 2.001 ms (median of 3 "
                     "and 3 repeats)" },
        { "9000000",
          "b is 350.0% slower per repeat than a: 2.00 -> 9.00 ms (median of 3 and 3 repeats)" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        begin(&f);
        for (int side = 0; side < 2; side++) {
            char account[256];
            const char *step = side ? cases[i].b : "2000000";
            input(&f, side ? "b" : "a");
            snprintf(account, sizeof account,
                     ACCOUNT "steps,27000000,27000000,0,0,0,0,0\nstep,%s,%s,0,0,0,0,0\n", step,
                     step);
            table(&f, "account", account);
            table(&f, "verdict_facts",
                  "Fact,Value,Text\nsteps,3,\nstep_source,,kernel_pattern\ndevices_counted,1,\n");
        }
        assert_int_equal(compare(&f), 0);
        says(&f, 0, cases[i].want);
        const struct az_table *t = out(&f, "verdict");
        for (size_t r = 0; r < t->rows; r++)
            assert_true(az_sv_find(az_cell_text(cell(t, r, "text")), AZ_SV("step")) < 0);
        end(&f);
    }
}

static void configurations(void **state)
{
    struct az_configurations_opts opts = { .baseline = AZ_SV("a"), .fold = true };
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "account",
          ACCOUNT "steps,4000000,2000000,1000000,0,1000000,1000000,0\n"
                  "step,2000000,1000000,500000,0,500000,500000,0\n");
    table(&f, "verdict_facts",
          "Fact,Value,Text\ndevices_counted,1,\nsteps,2,\nstep_source,,user_range\n"
          "flops_per_s,2e12,\nfirst_finding,,idle\n");
    table(&f, "verdict",
          "line,label,text\nwhat,,one\n"
          "finding,25.0%,\"idle GPU, much: 3 gaps. Do this\"\n");
    input(&f, "b");
    table(&f, "account",
          ACCOUNT "steps,6000000,6000000,0,0,0,0,0\n"
                  "step,3000000,3000000,0,0,0,0,0\n");
    table(&f, "verdict_facts",
          "Fact,Value,Text\ndevices_counted,1,\nsteps,2,\nstep_source,,user_range\n");
    input(&f, "c");
    table(&f, "account", ACCOUNT "recording,8000000,8000000,0,0,0,0,0\n");
    table(&f, "verdict_facts", "Fact,Value,Text\nkernels,3,\n");
    assert_int_equal(az_configurations(&f.out, f.in, f.n, &opts), 0);
    const struct az_table *t = out(&f, "configurations");
    is(t, 0, "Step (ns)", "2000000");
    is(t, 0, "Computing share", "0.5");
    is(t, 0, "Finding", "25.0% idle GPU, much");
    is(t, 0, "First finding", "idle");
    is(t, 1, "Step ratio", "1.5");
    is(t, 1, "MFU", "");
    is(t, 2, "Step (ns)", "");
    assert_int_equal(az_table_find(t, "Span (ns)"), -1);
    is(t, 2, "Step ratio", "");
    is(t, 1, "Scope", "steps");
    is(t, 2, "Scope", "recording");
    is(t, 2, "Comparison", "2 steps (configured range) in the baseline, no steps in the candidate");
    says(&f, 0,
         "of 2 inputs that can be compared, a has the shortest step; that of b is 50.0% longer: "
         "2.00 -> 3.00 ms (one period each)");
    opts.baseline = AZ_SV("nobody");
    assert_int_equal(az_configurations(&f.out, f.in, f.n, &opts), AZ_EUSAGE);
    end(&f);
}

/* Where no input has steps, the span of each is the time there is. */
static void configurations_without_steps(void **state)
{
    struct az_configurations_opts opts = { .baseline = AZ_SV("") };
    struct fixture f;
    (void)state;
    begin(&f);
    for (int side = 0; side < 2; side++) {
        input(&f, side ? "b" : "a");
        table(&f, "account",
              side ? ACCOUNT "recording,8000000,8000000,0,0,0,0,0\n"
                   : ACCOUNT "recording,4000000,3000000,0,0,1000000,0,0\n");
        table(&f, "verdict_facts", "Fact,Value,Text\nkernels,3,\n");
    }
    assert_int_equal(az_configurations(&f.out, f.in, f.n, &opts), 0);
    is(out(&f, "configurations"), 0, "Span (ns)", "4000000");
    is(out(&f, "configurations"), 1, "Span (ns)", "8000000");
    end(&f);
}

static void steps_of(struct fixture *f, const char *tag, const char *source, const char *step)
{
    char text[256];

    input(f, tag);
    snprintf(text, sizeof text, ACCOUNT "steps,6000000,6000000,0,0,0,0,0\nstep,%s,%s,0,0,0,0,0\n",
             step, step);
    table(f, "account", text);
    snprintf(text, sizeof text, "Fact,Value,Text\ndevices_counted,1,\nsteps,2,\nstep_source,,%s\n",
             source);
    table(f, "verdict_facts", text);
}

/* Without a baseline the inputs that can be compared are, whichever is first; the reason names
 * inputs, none of which is a baseline. */
static void configurations_without_baseline(void **state)
{
    const struct az_configurations_opts none = { .fold = true },
                                        first = { .baseline = AZ_SV("first"), .fold = true };
    (void)state;
    for (int chosen = 0; chosen < 2; chosen++) {
        struct fixture f;
        begin(&f);
        steps_of(&f, "a", "signpost", "1000000");
        steps_of(&f, "b", "user_range", "2000000");
        steps_of(&f, "c", "user_range", "3000000");
        assert_int_equal(az_configurations(&f.out, f.in, f.n, chosen ? &first : &none), 0);
        says(&f, 0,
             chosen ? "times per step are not comparable, a and b: different kinds of steps, "
                      "signposts in the baseline, configured range in the candidate; 1 more input"
                    : "of 2 inputs that can be compared, b has the shortest step; that of c is "
                      "50.0% longer: 2.00 -> 3.00 ms (one period each)");
        const struct az_table *t = out(&f, "verdict");
        if (!chosen)
            says(&f, t->rows - 1,
                 "steps not compared, different kinds of steps, configured range in b, signposts "
                 "in a");
        /* all shares are of steps: no column for what they are of */
        assert_true(az_table_find(out(&f, "configurations"), "Scope") < 0);
        end(&f);
    }
}

/* Ranks: the class table with its total next to the parts; collectives by their historic names;
 * figures of kinds. */
static void tables_of_ranks(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "grouped_breakdown",
          "Group,Time (s),Exposed (s)\nGEMM,3.0,2.0\nComms,4.0,1.0\nNorm,0,0\nTotal,7.0,3.0\n");
    table(&f, "summary_nccl_implicit_sync_cat",
          "Collective name,dtype,comm_latency_mean\nallreduce,f,10.5\n");
    table(&f, "iterations", "Metric,Unit,Value\nGPUs,,8\nKernel time,ms,2.5\n");
    table(&f, "kernels_3", "UID,Kernel name,us\n1,x,2.0\n");
    input(&f, "b");
    table(&f, "grouped_breakdown",
          "Group,Time (s),Exposed (s)\nGEMM,3.0,2.5\nComms,6.0,0.5\nNorm,0,0\nTotal,9.0,3.0\n");
    table(&f, "nccl_summary_implicit_sync",
          "Collective name,dtype,comm_latency_mean\nallreduce,f,11.5\n");
    table(&f, "iterations", "Metric,Unit,Value\nGPUs,,8\nKernel time,ms,2.0\n");
    table(&f, "kernels_3", "UID,Kernel name,us\n1,x,3.0\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "waterfall");
    assert_int_equal(t->rows, 4); /* what is exposed adds up, and the total is no part of itself */
    is(t, 0, "Change (ns)", "3000000000");
    is(t, row_of(t, "GEMM"), "Change (ns)", "500000000");
    is(t, row_of(t, "Comms"), "Change (ns)", "-500000000");
    is(t, 3, "Change (ns)", "3000000000");
    t = out(&f, "side_by_side_classes");
    assert_int_equal(t->rows, 2); /* neither the total nor what nothing ran of */
    is(t, row_of(t, "Comms"), "b, recording (ms)", "6000");
    t = out(&f, "compare_summary");
    is(t, row_of(t, "summary_nccl_implicit_sync_cat"), "changed", "1");
    is(t, row_of(t, "summary_nccl_implicit_sync_cat"), "baseline total",
       ""); /* means do not add up */
    is(t, row_of(t, "iterations"), "changed", "1");
    is(t, row_of(t, "iterations"), "baseline total", "");
    is(t, row_of(t, "iterations"), "geomean x", "");
    is(out(&f, "iterations"), 1, "contribution", "");
    is(t, row_of(t, "grouped_breakdown"), "baseline total", "7000");
    t = out(&f, "compare_unmatched");
    is(t, row_of(t, "not compared: single events"), "which", "kernels_3");
    end(&f);
}

/* Kernels of two profilers: one table in two forms, with parents on one side, times in two units.
 */
static void kernels_in_two_forms(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "nsys");
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\ny,1000,1000.0,1,other\n");
    input(&f, "torch");
    table(&f, "kernel_summary",
          "Kernel name,Parent cpu_op,Kernel duration (\xc2\xb5s)_sum,Kernel duration "
          "(\xc2\xb5s)_count\n"
          "x,aten::mm,1.5,1\nx,aten::bmm,1.0,1\ny,aten::add,1.0,1\n");
    input(&f, "both"); /* has its own kern_sum: kernels are compared in the form that all have */
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\n");
    table(&f, "kernel_summary",
          "Kernel name,Parent cpu_op,Kernel duration (\xc2\xb5s)_sum\nx,aten::mm,6.0\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    is(t, row_of(t, "x"), "Total Time (ns)__torch_diff", "-500");
    is(t, row_of(t, "y"), "status__torch", "same");
    is(t, row_of(t, "x"), "Total Time (ns)__both_diff", "3000");
    is(out(&f, "waterfall__torch"), 0, "Change (ns)", "4000");
    end(&f);
    begin(&f); /* two forms on one side only: each by itself */
    input(&f, "a");
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\n");
    table(&f, "kernel_summary", "Kernel name,Kernel duration (\xc2\xb5s)_sum\nx,6.0\n");
    assert_int_equal(compare(&f), 0);
    is(out(&f, "kern_sum"), 0, "status", "same");
    t = out(&f, "compare_unmatched");
    is(t, row_of(t, "only in b"), "which", "kernel_summary");
    end(&f);
}

/* One device on each side, numbered otherwise, is the same thing; of several each is its own. */
static void lone_devices(void **state)
{
    static const char *const second[] = {
        "device,type,time ms\n3,busy_time,2.0\n3,total_time,4.0\n",
        "device,type,time ms\n0,busy_time,2.0\n0,total_time,4.0\n",
        "device,type,time ms\n3,busy_time,2.0\n4,busy_time,4.0\n"
    };
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        (void)state;
        begin(&f);
        input(&f, "a");
        table(&f, "gpu_timeline_by_device",
              "device,type,time ms\n0,busy_time,1.0\n0,total_time,4.0\n");
        table(&f, "gpu_timeline_by_agent", "agent,time ms\n0,1.0\n");
        input(&f, "b");
        table(&f, "gpu_timeline_by_device", second[i]);
        table(&f, "gpu_timeline_by_agent", "agent,time ms\n1,1.0\n");
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "gpu_timeline_by_device");
        assert_int_equal(t->rows, i < 2 ? 2 : 4);
        is(t, 0, "status", i < 2 ? "changed" : "removed");
        if (i == 0) {
            is(t, 0, "a::device", "0");
            is(t, 0, "b::device", "3");
        }
        is(out(&f, "compare_summary"), 0, "note", i ? "" : "one device each, not the same one");
        assert_int_equal(out(&f, "gpu_timeline_by_agent")->rows,
                         2); /* nothing else distinguishes its rows */
        end(&f);
    }
}

static void biggest_changes(void **state)
{
    struct fixture f;
    char x[6000], y[6000];
    int nx, ny;
    (void)state;
    begin(&f);
    nx = snprintf(x, sizeof x, KS "same,500,1.0,1,c\ngone,3000,1.0,1,c\n");
    ny = snprintf(y, sizeof y, KS "same,500,1.0,1,c\nnew,2500000,1.0,1,c\n");
    for (int i = 0; i < 30; i++) {
        nx += snprintf(x + nx, sizeof x - (size_t)nx, "k%d,1000,10.0,5,c\n", i);
        ny += snprintf(y + ny, sizeof y - (size_t)ny, "k%d,%d,10.0,5,c\n", i, 1000 + 10 * i);
    }
    input(&f, "a");
    table(&f, "kern_sum", x);
    input(&f, "b");
    table(&f, "kern_sum", y);
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "top_changes");
    assert_int_equal(t->rows, 20);
    is(t, 0, "Row", "new");
    is(t, 0, "What", "2.5 ms");
    is(t, 0, "Status", "new");
    is(t, 1, "Row", "gone");
    is(t, 1, "What", "was 3 us");
    is(t, 1, "Change", "-3000");
    is(t, 2, "Row", "k29");
    is(t, 2, "What", "1 -> 1.29 us, +29%");
    assert_true(fabs(az_cell_number(cell(t, 2, "Of total (%)")) - 100.0 * 290 / 33500) < 1e-12);
    size_t drawn = 0;
    for (size_t i = 0; i < f.out.charts.n; i++)
        drawn += f.out.charts.v[i].kind == AZ_CHART_LIMITS &&
                 az_sv_is(f.out.charts.v[i].table, "top_changes");
    assert_int_equal(drawn, 1);
    end(&f);
    begin(&f); /* nothing changed: nothing to show */
    input(&f, "a");
    table(&f, "kern_sum", x);
    input(&f, "b");
    table(&f, "kern_sum", x);
    assert_int_equal(compare(&f), 0);
    assert_null(az_document_table(&f.out, "top_changes"));
    end(&f);
}

static void nothing_in_common(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\n");
    input(&f, "b");
    table(&f, "ops", "OP Code,Device Time\nmatmul,5\n");
    input(&f, "c");
    table(&f, "kern_sum", KS "x,3000,1500.0,2,gemm\n");
    assert_int_equal(compare(&f), AZ_EFORMAT);
    assert_int_equal(f.diag.errors, 1); /* of b alone */
    assert_true(az_sv_find(f.diag.list.v[0].text, AZ_SV("'a' and 'b' have no table in common")) >=
                0);
    is(out(&f, "kern_sum"), 0, "status__c", "same"); /* the rest is compared */
    end(&f);
}

static void copies_of_documents(void **state)
{
    struct az_arena from_arena, to_arena;
    struct az_document from, to;
    struct az_mem mem;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&from_arena, &mem);
    az_arena_init(&to_arena, NULL);
    az_document_init(&from, &from_arena);
    az_document_init(&to, &to_arena);
    struct az_table *t =
        az_table_new(&from_arena, "t", "T", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_width(t, 5, -7, 2);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_put_copy(t, AZ_SV("x"));
    az_put_i64(t, 5);
    az_put_empty(t);
    az_put_empty(t);
    struct az_layout *l = az_table_layout(t);
    l->titles = true;
    assert_int_equal(az_vec_push(&l->before, az_arena_dup(&from_arena, AZ_SV("before"))), 0);
    t->form = az_arena_alloc(&from_arena, sizeof *t->form);
    *t->form = (struct az_form){ .title = az_arena_dup(&from_arena, AZ_SV("form")) };
    az_vec_init(&t->form->before, &mem);
    az_vec_init(&t->form->after, &mem);
    assert_int_equal(az_form_text(t->form, az_arena_dup(&from_arena, AZ_SV("behind")), true), 0);
    assert_int_equal(az_document_add(&from, t), 0);
    struct az_chart c = {
        .kind = AZ_CHART_TREND, .table = AZ_SV("t"), .x = AZ_SV("name"), .max_rows = 3
    };
    az_vec_init(&c.y, &mem);
    assert_int_equal(az_vec_push(&c.y, AZ_SV("n")), 0);
    assert_int_equal(az_document_chart(&from, c), 0);
    from.title = az_arena_dup(&from_arena, AZ_SV("title"));
    from.classic = true;
    assert_int_equal(az_document_copy(&to, &from), 0);
    az_document_release(&from);
    az_arena_release(&from_arena);
    assert_int_equal(mem.used, 0); /* whatever the copy shows from here on is its own */
    t = az_document_table(&to, "t");
    assert_non_null(t);
    assert_true(to.classic && az_sv_is(to.title, "title"));
    assert_int_equal(t->flags, AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->columns.v[0].width, -7);
    assert_int_equal(t->columns.v[1].flags, AZ_LOWER_BETTER);
    is(t, 0, "name", "x");
    is(t, 0, "n", "5");
    is(t, 1, "n", "");
    assert_true(t->layout->titles && az_sv_is(t->layout->before.v[0], "before"));
    assert_true(az_sv_is(t->form->title, "form") &&
                memcmp(t->form->after.v[0].p, "behind", 6) == 0);
    assert_true(to.charts.v[0].kind == AZ_CHART_TREND && az_sv_is(to.charts.v[0].y.v[0], "n"));
    az_document_release(&to);
    az_arena_release(&to_arena);
}

/* Both names of work that has another name on the other side. */
static void renamed(void **state)
{
    const struct az_sv name[2] = { AZ_SV("ampere_sgemm_128x64_tn"),
                                   AZ_SV("void gemmk::gemm_new<float, 128>(gemmk::Params)") };
    struct az_arena a;

    (void)state;
    az_arena_init(&a, NULL);
    assert_string_equal(az_arena_str(&a, az_words_renamed(&a, name)),
                        "ampere_sgemm_128x64_tn replaced by gemm_new");
    az_arena_release(&a);
}

/* Rows without a key are the same where all their cells are: the borders of cells count. */
static void blank_keys(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS ",1,23.0,4,gemm\n,5,6.0,7,other\n");
    input(&f, "b");
    table(&f, "kern_sum", KS ",12,3.0,4,gemm\n,5,6.0,7,other\n");
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "kern_sum");
    assert_int_equal(t->rows, 3);
    is(t, 0, "status", "removed");
    is(t, 1, "status", "same");
    is(t, 2, "status", "new");
    end(&f);
}

/* Ranges nest: their table has a kernel once for each range around its launch. */
static void kernels_of_nested_ranges_count_once(void **state)
{
    static const char head[] = "NVTX Range,Kernel Name,Total Time (ns)\n";
    static const char *const kernels[] = { KS "x,100,50.0,2,gemm\n", KS "x,150,75.0,2,gemm\n" };
    static const char *const rows[] = { ":step,x,100\n:layer,x,100\n",
                                        ":step,x,150\n:layer,x,150\n" };
    (void)state;
    for (int order = 0; order < 3; order++) {
        struct fixture f;
        begin(&f);
        for (size_t side = 0; side < 2; side++) {
            char csv[120];
            snprintf(csv, sizeof csv, "%s%s", head, rows[side]);
            input(&f, side ? "b" : "a");
            if (order == 0)
                table(&f, "nvtx_kern_sum", csv);
            if (order < 2)
                table(&f, "kern_sum", kernels[side]);
            if (order > 0)
                table(&f, "nvtx_kern_sum", csv);
        }
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "waterfall");
        is(t, 0, "Change (ns)", order < 2 ? "100" : "200"); /* the last has no other table */
        is(t, row_of(t, "x"), "Change (ns)", order < 2 ? "50" : "100");
        end(&f);
    }
}

/* The line `Data` of two inputs whose median steps have 10 us of computation, and `to`. */
static void data_is(int64_t to, const char *steps, int64_t before, int64_t after, const char *words)
{
    struct fixture f;

    begin(&f);
    for (int side = 0; side < 2; side++) {
        const long long n = atoll(steps), one = side ? to : 10000, all = side ? after : before;
        char account[300], facts[120];
        snprintf(account, sizeof account,
                 ACCOUNT "steps,%lld,%lld,0,0,0,0,0\nstep,%lld,%lld,0,0,0,0,0\n", all, all, one,
                 one);
        snprintf(facts, sizeof facts,
                 "Fact,Value,Text\nsteps,%lld,\nstep_source,,user_range\ndevices_counted,1,\n", n);
        input(&f, side ? "b" : "a");
        table(&f, "account", account);
        table(&f, "verdict_facts", facts);
    }
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "verdict");
    const struct az_sv last = az_cell_text(cell(t, t->rows - 1, "text"));
    const bool found = az_sv_starts(last, AZ_SV("means of all steps"));
    if (words[0] ? !az_sv_is(last, words) : found)
        fail_msg("'%.*s', wanted '%s'", AZ_SVF(last), words);
    end(&f);
}

/* The median step may change otherwise than the mean of all: by more than half of its change. */
static void means_of_steps(void **state)
{
    (void)state;
    data_is(12000, "4", 40000, 48000, ""); /* as the median step */
    data_is(12000, "4", 40000, 44000, ""); /* half of it */
    data_is(12000, "4", 40000, 43996, "means of all steps: compute 10.0 -> 11.0 us");
    data_is(12000, "4", 40000, 52004, "means of all steps: compute 10.0 -> 13.0 us");
    data_is(12000, "4", 40000, 36000, "means of all steps: compute 10.0 -> 9.00 us");
    data_is(10199, "4", 40000, 36000, ""); /* less than 2% of the step */
    data_is(10200, "4", 40000, 36000, "means of all steps: compute 10.0 -> 9.00 us");
    data_is(12000, "2", 20000, 18000, ""); /* the median of two is their mean */
    data_is(12000, "3", 30000, 27000, "means of all steps: compute 10.0 -> 9.00 us");
}

/* A function with other parameters is the same kernel, unless a side has several of its name. */
static void changed_parameters(void **state)
{
    struct fixture f;
    (void)state;
    for (int overloads = 0; overloads < 2; overloads++) {
        begin(&f);
        input(&f, "a");
        table(&f, "kern_sum",
              KS "\"g(uint *, int)\",9000,1.0,1,c\n\"h<(int)2>(float *)\",1000,1.0,1,c\n");
        input(&f, "b");
        table(&f, "kern_sum",
              overloads ? KS "\"g(int *, int)\",6000,1.0,1,c\n\"g(char *)\",1000,1.0,1,c\n"
                             "\"h<(int)2>(float *)\",1000,1.0,1,c\n"
                        : KS
                  "\"g(int *, int)\",6000,1.0,1,c\n\"h<(int)3>(float *)\",1000,1.0,1,c\n");
        assert_int_equal(compare(&f), 0);
        if (overloads) {
            is(out(&f, "waterfall"), row_of(out(&f, "waterfall"), "g(uint *, int)"), "Change (ns)",
               "-9000");
        } else {
            says(&f, 0, "b is 30.0% faster than a: kernel time 10.0 -> 7.00 us");
            says(&f, 1, "kernel g: 9.00 -> 6.00 us (-33.3%)");
            assert_int_equal(lines(&f, "finding", NULL), 3); /* h<2> and h<3> are two */
        }
        end(&f);
    }
}

/* Without a common table there is no result, and no claim that both are equal. */
static void nothing_to_compare(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "osrt_sum", "Name,Total Time (ns),Num Calls\npoll,5,1\n");
    input(&f, "b");
    table(&f, "api_sum", "Name,Total Time (ns),Num Calls\ncudaFree,5,1\n");
    assert_int_not_equal(compare(&f), 0);
    says(&f, 0, "nothing to compare: a and b have no table in common");
    end(&f);
}

/* Times of the host alone are no time that both take. */
static void host_time_alone(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "gpu_timeline", LINE "busy_time,0\nidle_time,0\ntotal_time,0\n");
    table(&f, "osrt_sum", "Name,Total Time (ns),Num Calls\npoll,5,1\n");
    input(&f, "b");
    table(&f, "gpu_timeline", LINE "busy_time,0\nidle_time,0\ntotal_time,0\n");
    table(&f, "osrt_sum", "Name,Total Time (ns),Num Calls\npoll,9,1\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 0, "a and b have no device time to compare; 1 of 4 rows in 2 tables differ");
    end(&f);
}

/* Where a copy is from is no parameter of a function. */
static void changed_memory(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    input(&f, "a");
    table(&f, "kern_sum", KS "Memcpy HtoD (Pinned -> Device),9000,1.0,1,c\n");
    input(&f, "b");
    table(&f, "kern_sum", KS "Memcpy HtoD (Pageable -> Device),6000,1.0,1,c\n");
    assert_int_equal(compare(&f), 0);
    says(&f, 1, "copy: 9.00 -> 6.00 us (-33.3%)"); /* no name in common */
    end(&f);
}

/* ---- by which cause idle time changes ---- */

#define CAUSES "Cause,Frame,Host call,Idle (ns)\n"

/* The text of idle time, in a comparison of recordings of 10 us computation each. */
static void idle_is(int64_t from, const char *a, int64_t to, const char *b, const char *words)
{
    const int64_t idle[2] = { from, to };
    const char *const causes[2] = { a, b };
    const char *text = NULL;
    struct fixture f;

    begin(&f);
    for (int side = 0; side < 2; side++) {
        char account[200];
        snprintf(account, sizeof account, ACCOUNT "recording,%lld,10000,0,0,%lld,0,0\n",
                 (long long)(10000 + idle[side]), (long long)idle[side]);
        input(&f, side ? "b" : "a");
        table(&f, "account", account);
        table(&f, "verdict_facts", "Fact,Value,Text\nkernels,3,\n");
        table(&f, "kern_sum", KS "x,10000,1.0,1,c\n");
        if (causes[side])
            table(&f, "idle_causes", causes[side]);
    }
    assert_int_equal(compare(&f), 0);
    const struct az_table *t = out(&f, "verdict");
    for (size_t r = 0; r < t->rows; r++)
        if (az_sv_starts(az_cell_text(cell(t, r, "text")), AZ_SV("idle: ")))
            text = az_cell_text(cell(t, r, "text")).p;
    assert_non_null(text);
    const char *found = strstr(text, "; ");
    if (strcmp(found ? found + 2 : "", words) != 0)
        fail_msg("'%s', wanted '%s'", text, words);
    end(&f);
}

static void idle_time_by_cause(void **state)
{
    static const char *const before = CAUSES "host_compute,,,600\npage_fault,,,400\n";
    (void)state;
    /* more than half of the change, in either direction */
    idle_is(1000, before, 3000, CAUSES "host_compute,,,1601\npage_fault,,,1399\n",
            "most of the change: idle between host calls");
    idle_is(1000, before, 3000, CAUSES "host_compute,,,1600\npage_fault,,,1400\n", "");
    idle_is(1000, before, 400, CAUSES "host_compute,,,200\npage_fault,,,200\n",
            "most of the change: idle between host calls");
    idle_is(1000, before, 3000, CAUSES "launch_bound,,,2600\npage_fault,,,400\n",
            "most of the change: launch-bound");
    idle_is(1000, before, 3000, CAUSES "unknown,,,2600\npage_fault,,,400\n", "");
    /* where the host is, if most of the change is in one place */
    idle_is(1000, before, 3000,
            CAUSES "host_frame,load,,1001\nhost_frame,save,,999\n"
                   "host_compute,,,600\npage_fault,,,400\n",
            "most of the change: idle during Python code, in load");
    idle_is(1000, before, 3000,
            CAUSES "host_frame,load,,1000\nhost_frame,save,,1000\n"
                   "host_compute,,,600\npage_fault,,,400\n",
            "most of the change: idle during Python code");
    idle_is(1000, before, 3000,
            CAUSES "module_loading,,cudaLaunchKernel,2000\n"
                   "host_compute,,,600\npage_fault,,,400\n",
            "most of the change: idle during module loading, in cudaLaunchKernel");
    idle_is(1000, before, 3000, CAUSES "host_compute,step,,2600\npage_fault,,,400\n",
            "most of the change: idle during operators, in step");
    /* a side without the table has no idle time, or is not known */
    idle_is(0, NULL, 3000, CAUSES "page_fault,,,3000\n",
            "most of the change: idle during page faults");
    idle_is(1000, NULL, 3000, CAUSES "page_fault,,,3000\n", "");
    idle_is(1000, CAUSES "page_fault,,,0\n", 3000, CAUSES "page_fault,,,3000\n", "");
}

/* Causes are sums of all steps: they are of the step that is compared if that is like the others.
 */
static void idle_time_of_steps(void **state)
{
    struct fixture f;
    (void)state;
    for (int like = 0; like < 2; like++) {
        begin(&f);
        for (int side = 0; side < 2; side++) {
            input(&f, side ? "b" : "a");
            table(&f, "account",
                  !side  ? ACCOUNT "steps,33000,30000,0,0,3000,0,0\nstep,11000,10000,0,0,1000,0,0\n"
                  : like ? ACCOUNT "steps,46500,30000,0,0,16500,0,0\n"
                                   "step,15000,10000,0,0,5000,0,0\n"
                         : ACCOUNT "steps,48003,30000,0,0,18003,0,0\n"
                                   "step,15000,10000,0,0,5000,0,0\n");
            table(&f, "verdict_facts",
                  "Fact,Value,Text\nsteps,3,\nstep_source,,user_range\ndevices_counted,1,\n");
            table(&f, "idle_causes",
                  !side  ? CAUSES "page_fault,,,3000\n"
                  : like ? CAUSES "page_fault,,,3000\nhost_compute,,,13500\n"
                         : CAUSES "page_fault,,,3000\nhost_compute,,,15003\n");
        }
        assert_int_equal(compare(&f), 0);
        says(&f, 2,
             like ? "idle: 1.00 -> 5.00 us (+400.0%); most of the change: idle between host calls"
                  : "idle: 1.00 -> 5.00 us (+400.0%)");
        end(&f);
    }
}

/* Equal numbers of copies of other sizes: the work may have another size. */
static void copies_of_other_sizes(void **state)
{
    static const struct {
        const char *a, *b, *words;
        bool amd;
    } c[] = {
        { "1000000,2,HOST_TO_DEVICE\n", "2000000,2,HOST_TO_DEVICE\n",
          "equal numbers of copies, of 1.0 MB and 2.0 MB in all", true },
        { "1000000,2,[CUDA memcpy Host-to-Device]\n", "2000000,2,[CUDA memcpy Host-to-Device]\n",
          "equal numbers of copies, of 1.0 MB and 2.0 MB in all", false },
        { "1000000,2,[CUDA memcpy Host-to-Device]\n", "1999999,2,[CUDA memcpy Host-to-Device]\n",
          "", false },
        { "1000000,2,[CUDA memcpy Host-to-Device]\n", "9000000,3,[CUDA memcpy Host-to-Device]\n",
          "", false },
        { "1000000,2,[CUDA memset]\n", "9000000,2,[CUDA memset]\n", "", false },
        { "1000000,2,[CUDA memcpy Unified Host-to-Device]\n",
          "9000000,2,[CUDA memcpy Unified Host-to-Device]\n", "", false },
    };
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        begin(&f);
        for (int side = 0; side < 2; side++) {
            char csv[200];
            snprintf(csv, sizeof csv, "Total (B),Count,%s\n%s",
                     c[i].amd ? "Direction" : "Operation", side ? c[i].b : c[i].a);
            input(&f, side ? "b" : "a");
            table(&f, "account", ACCOUNT "recording,10000,10000,0,0,0,0,0\n");
            table(&f, "verdict_facts", "Fact,Value,Text\nkernels,3,\n");
            table(&f, c[i].amd ? "memory_copy_summary" : "mem_size_sum", csv);
        }
        assert_int_equal(compare(&f), 0);
        const struct az_table *t = out(&f, "verdict");
        const struct az_sv last = az_cell_text(cell(t, t->rows - 1, "text"));
        if (c[i].words[0] ? !az_sv_starts(last, az_sv_str(c[i].words))
                          : az_sv_find(last, AZ_SV("copies")) >= 0)
            fail_msg("%zu: '%.*s'", i, AZ_SVF(last));
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renamed),
        cmocka_unit_test(changes_of_two),
        cmocka_unit_test(blank_keys),
        cmocka_unit_test(waterfall_adds_up),
        cmocka_unit_test(kernels_of_nested_ranges_count_once),
        cmocka_unit_test(many_causes_are_folded),
        cmocka_unit_test(causes_of_several_variants),
        cmocka_unit_test(account_of_both),
        cmocka_unit_test(means_of_steps),
        cmocka_unit_test(changed_parameters),
        cmocka_unit_test(changed_memory),
        cmocka_unit_test(host_time_alone),
        cmocka_unit_test(nothing_to_compare),
        cmocka_unit_test(idle_time_by_cause),
        cmocka_unit_test(idle_time_of_steps),
        cmocka_unit_test(copies_of_other_sizes),
        cmocka_unit_test(families_without_copies),
        cmocka_unit_test(families_with_copy_kernels),
        cmocka_unit_test(copies_no_longer_hidden),
        cmocka_unit_test(groups_of_two_ranks),
        cmocka_unit_test(kernels_of_another_timeline),
        cmocka_unit_test(account_of_operations),
        cmocka_unit_test(key_is_chosen),
        cmocka_unit_test(equal_inputs),
        cmocka_unit_test(not_the_same_work),
        cmocka_unit_test(work_by_shapes),
        cmocka_unit_test(work_without_shapes),
        cmocka_unit_test(sheets_of_the_workbook),
        cmocka_unit_test(with_itself),
        cmocka_unit_test(swapped),
        cmocka_unit_test(keys_in_one_spelling),
        cmocka_unit_test(lists_as_keys),
        cmocka_unit_test(duplicates_are_numbered),
        cmocka_unit_test(means_of_duplicates),
        cmocka_unit_test(units_and_names_across),
        cmocka_unit_test(three_ways),
        cmocka_unit_test(refused),
        cmocka_unit_test(renamed_rows),
        cmocka_unit_test(normal_names),
        cmocka_unit_test(unique_tags),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(recordings_side_by_side),
        cmocka_unit_test(classes_side_by_side),
        cmocka_unit_test(a_single_step),
        cmocka_unit_test(no_device_work),
        cmocka_unit_test(steps_of_the_median),
        cmocka_unit_test(families_of_recordings),
        cmocka_unit_test(windows_with_parts_of_steps),
        cmocka_unit_test(change_within_the_spread),
        cmocka_unit_test(repeats_of_kernels),
        cmocka_unit_test(configurations),
        cmocka_unit_test(configurations_without_steps),
        cmocka_unit_test(configurations_without_baseline),
        cmocka_unit_test(tables_of_ranks),
        cmocka_unit_test(kernels_in_two_forms),
        cmocka_unit_test(lone_devices),
        cmocka_unit_test(biggest_changes),
        cmocka_unit_test(nothing_in_common),
        cmocka_unit_test(copies_of_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
