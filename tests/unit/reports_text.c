/* Text report: the classic block byte for byte, and the summary for people. */
#include "unit/reports_common.h"

#include <math.h>

#include "document/rows.h"
#include "document/verdict_table.h"

static struct az_sv rename_copy(struct az_sv cell)
{
    return az_sv_is(cell, "[CUDA memcpy Device-to-Device]") ? AZ_SV("D2D") : cell;
}

static void line(struct az_vec_sv *list, const char *s)
{
    assert_int_equal(az_vec_push(list, az_sv_str(s)), 0);
}

/* The kernel table of docs/formats-nsight.md 1.5. */
static struct az_table *classic_table(struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "classic_kernels", "Kernels", AZ_TABLE_CLASSIC);
    struct az_layout *layout = az_table_layout(t);
    assert_non_null(layout);
    layout->titles = layout->rows = true;
    layout->display = rename_copy;
    line(&layout->before, "Kernel Statistic:");
    line(&layout->after, "");
    az_table_column(t, "Class", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_width(t, 17, -17, 0);
    az_table_column(t, "TimePerIter(ms)", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_width(t, 17, 15, 2);
    az_table_column(t, "InstancePerIter", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_width(t, 17, 17, 0);
    az_table_column(t, "Left", AZ_INT, AZ_UNIT_COUNT, AZ_LEFT);
    az_table_width(t, 15, 6, 0);
    az_put_text(t, AZ_SV("others"));
    az_put_f64(t, 1234.565);
    az_put_i64(t, -3);
    az_put_i64(t, 42);
    az_put_text(t, AZ_SV("[CUDA memcpy Device-to-Device]"));
    az_put_f64(t, 1e15);
    az_put_empty(t);
    az_put_i64(t, 1);
    az_put_text(t, AZ_SV("\xc3\xa9t\xc3\xa9 \xe6\xa0\xb8")); /* five code points, nine bytes */
    az_put_f64(t, -0.004);
    az_put_i64(t, INT64_C(123456789012345678));
    az_put_i64(t, 1);
    az_put_text(t, AZ_SV("a class name longer than its column"));
    az_put_f64(t, 0);
    az_put_i64(t, 0);
    az_put_i64(t, 0);
    return t;
}

static void classic_block_is_exact(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    static const char want[] =
        "[Warning]: first\n"
        "===== T\xc3\xaftle =====\n"
        "Kernel Statistic:\n"
        "Class            TimePerIter(ms)  InstancePerIter  Left           \n"
        "others                   1234.57               -342    \n"
        "D2D              1000000000000000.00                 1     \n"
        "\xc3\xa9t\xc3\xa9 \xe6\xa0\xb8                      -0.00123456789012345678"
        "1     \n"
        "a class name longer than its column           0.00                00     \n"
        "\n"
        "\n\n";
    sample_begin(&s);
    s.doc.title = AZ_SV("T\xc3\xaftle");
    s.doc.classic = true;
    line(&s.doc.preface, "[Warning]: first");
    line(&s.doc.epilogue, "");
    line(&s.doc.epilogue, "");
    assert_int_equal(az_document_add(&s.doc, classic_table(&s.arena)), 0);
    assert_int_equal(
        az_document_add(&s.doc, sample_kernels(&s.arena, "kern_sum", 20, AZ_TABLE_SUMMARY)), 0);
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, true),
                     0); /* color never enters the classic block */
    assert_int_equal(out.n, strlen(want));
    assert_memory_equal(out.v, want, out.n);

    az_vec_reset(&out);
    s.doc.no_heading = true;
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    assert_int_equal(out.n, strlen(want) - strlen("===== T\xc3\xaftle =====\n"));

    az_vec_reset(&out);
    s.doc.text_full = true;
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    assert_true(az_sv_find(az_text_view(&out), AZ_SV("Kernels by total time")) > 0);
    assert_true(az_sv_find(az_text_view(&out), AZ_SV("classic_kernels")) < 0);
    az_vec_release(&out);
    sample_end(&s);
}

static void rounding_is_that_of_printf(void **state)
{
    (void)state;
    char want[64];
    snprintf(want, sizeof want, "%15.2f", 1234.565);
    assert_string_equal(want, "        1234.57"); /* the line above relies on it */
}

static size_t longest_line(struct az_sv s)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < s.n; i++) {
        n = s.p[i] == '\n' ? 0 : n + (((unsigned char)s.p[i] & 0xc0) != 0x80);
        most = n > most ? n : most;
    }
    return most;
}

static void summary_is_readable(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    sample_fill(&s, 30);
    s.doc.text_rows = 14;
    s.doc.text_full = true;
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    struct az_sv text = az_text_view(&out);
    assert_int_equal(az_sv_find(text, AZ_SV("===== Sample \xe2\x82\xac run =====\n")), 0);
    assert_true(az_sv_find(text, AZ_SV("input: runs/sample.sqlite (nsys-sqlite)\n")) > 0);
    assert_true(az_sv_find(text, AZ_SV("(ms)")) > 0);
    assert_true(az_sv_find(text, AZ_SV("  ... 16 more rows\n")) > 0);
    assert_true(az_sv_find(text, AZ_SV("error    many short kernels (3.2 ms)\n")) > 0);
    assert_true(
        az_sv_find(text, AZ_SV("warning  many short kernels: stream 7 (count 12, 3.2 ms)\n")) > 0);
    assert_true(az_sv_find(text, AZ_SV("           fuse them, or capture the step in a graph\n")) >
                0);
    assert_true(az_sv_find(text, AZ_SV("big id")) < 0);   /* AZ_DETAIL */
    assert_true(az_sv_find(text, AZ_SV("Roofline")) < 0); /* not in the summary */
    assert_true(longest_line(text) <= 100);
    for (size_t i = 0; i < text.n; i++)
        assert_true(text.p[i] == '\n' || (unsigned char)text.p[i] >= 0x20);
    if (getenv("SHOW"))
        fwrite(text.p, 1, text.n, stdout);

    az_vec_reset(&out);
    assert_int_equal(az_text_write(&s.doc, &out, true), 0);
    assert_true(az_sv_find(az_text_view(&out), AZ_SV("\033[31merror\033[0m")) > 0);
    az_vec_release(&out);
    sample_end(&s);
}

static void wide_tables_lose_columns_and_say_so(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "wide", "Wide", AZ_TABLE_SUMMARY);
    for (int c = 0; c < 40; c++)
        az_table_columnsv(t, az_arena_printf(&s.arena, "column %d", c), AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "key", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (int c = 0; c < 40; c++)
        az_put_i64(t, c);
    az_put_text(t, AZ_SV("here I am"));
    assert_int_equal(az_document_add(&s.doc, t), 0);
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    struct az_sv text = az_text_view(&out);
    assert_true(az_sv_find(text, AZ_SV("more columns (CSV)\n")) > 0);
    assert_true(az_sv_find(text, AZ_SV("here I am")) > 0);
    assert_true(longest_line(text) <= 100);
    az_vec_release(&out);
    sample_end(&s);
}

/* A comparison whose keys alone fill the line: both sides and the change stay, and one line names
 * the width that all columns need. */
static void comparisons_drop_their_sides_last(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "sides", "Sides", AZ_TABLE_SUMMARY);
    for (int c = 0; c < 5; c++)
        az_table_columnsv(t, az_arena_printf(&s.arena, "key %d", c), AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "status", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "before", AZ_REAL, AZ_UNIT_US, AZ_COMPARED);
    az_table_column(t, "after", AZ_REAL, AZ_UNIT_US, AZ_COMPARED);
    for (int c = 0; c < 5; c++)
        az_put_text(t, az_arena_printf(&s.arena, "argument %d of twenty-five", c));
    az_put_text(t, AZ_SV("changed"));
    az_put_f64(t, 123.4);
    az_put_f64(t, 567.8);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    s.doc.text_columns = 80;
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    struct az_sv text = az_text_view(&out);
    assert_true(az_sv_find(text, AZ_SV("123.4")) > 0);
    assert_true(az_sv_find(text, AZ_SV("567.8")) > 0);
    assert_true(az_sv_find(text, AZ_SV("argument 0")) > 0);
    assert_true(az_sv_find(text, AZ_SV("more columns (COLUMNS=159 or CSV)\n")) > 0);
    assert_true(longest_line(text) <= 80);
    az_vec_reset(&out);
    s.doc.text_columns = 159;
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    assert_true(az_sv_find(az_text_view(&out), AZ_SV("more column")) < 0);
    assert_true(az_sv_find(az_text_view(&out), AZ_SV("changed")) > 0);
    az_vec_release(&out);
    sample_end(&s);
}

static void scales_of_columns(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    static const struct {
        enum az_unit unit;
        const char *name;
        int64_t value;
        const char *want;
    } cases[] = {
        { AZ_UNIT_NS, "t", 999, "  T (ns)\n     999\n" },
        { AZ_UNIT_NS, "t (ns)", 1500, "  T (us)\n   1.500\n" },
        { AZ_UNIT_NS, "t_ns", 1500000, "  T (ms)\n   1.500\n" },
        { AZ_UNIT_NS, "t", INT64_C(15000000000), "  T (s)\n  15.00\n" },
        { AZ_UNIT_PS, "t", 2500, "  T (ns)\n   2.500\n" },
        { AZ_UNIT_US, "t", 78415440, "  T (s)\n  78.42\n" },
        { AZ_UNIT_MS, "t", 1, "  T (ms)\n       1\n" },
        { AZ_UNIT_S, "t", 0, "  T (s)\n      0\n" },
        { AZ_UNIT_BYTES, "moved", 9999, "  Moved (B)\n       9999\n" },
        { AZ_UNIT_BYTES, "moved", 25000000, "  Moved (MB)\n      25.000\n" },
        { AZ_UNIT_US, "Kernel Time (\xc2\xb5s)_sum", 5,
          "  Kernel time (us)\n             5.000\n" },
        { AZ_UNIT_ID, "stream", INT64_MAX, "               Stream\n  9223372036854775807\n" },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        sample_begin(&s);
        struct az_table *t = az_table_new(&s.arena, "t", "T", AZ_TABLE_SUMMARY);
        az_table_column(t, cases[i].name, AZ_INT, cases[i].unit, 0);
        az_put_i64(t, cases[i].value);
        assert_int_equal(az_document_add(&s.doc, t), 0);
        az_vec_init(&out, &s.mem);
        assert_int_equal(az_text_write(&s.doc, &out, false), 0);
        if (az_sv_find(az_text_view(&out), az_sv_str(cases[i].want)) < 0)
            fail_msg("case %zu: not found in\n%.*s", i, AZ_SVF(az_text_view(&out)));
        az_vec_release(&out);
        sample_end(&s);
    }
}

/* Names of the user in a path are no names of kernels, and a row repeats none of the row above. */
static void paths_are_a_tree(void **state)
{
    static const char *const path[] = {
        "at::native::train / layer.* / at::mm<int>", "at::native::train / layer.*",
        "at::native::train / layer.* / b",           "at::native::train / layer.* / b",
        "at::native::train / layer.* / b / c / d",   "at::native::train2 / layer.*"
    };
    static const char want[] = "  Path                                       N\n"
                               "  at::native::train / layer.* / at::mm<int>  0\n"
                               "  at::native::train / layer.*                1\n"
                               "    b                                        2\n"
                               "    b                                        3\n"
                               "      c / d                                  4\n"
                               "  at::native::train2 / layer.*               5\n";
    struct sample s;
    struct az_vec_char out;
    (void)state;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", AZ_TABLE_SUMMARY);
    az_table_column(t, "path", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 6; i++) {
        az_put_text(t, az_sv_str(path[i]));
        az_put_i64(t, i);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    if (az_sv_find(az_text_view(&out), az_sv_str(want)) < 0)
        fail_msg("not found in\n%.*s", AZ_SVF(az_text_view(&out)));
    az_vec_release(&out);
    sample_end(&s);
}

/* A report of an input: the verdict of three lines, kernels, findings that it does not have. */
static void fill_screen(struct sample *s)
{
    struct az_line what = { .kind = AZ_LINE_WHAT,
                            .text = AZ_SV("H100, 1 rank, 1 step, 908.3 ms (pytorch)"),
                            .ns = 908300000,
                            .percent = NAN };
    struct az_line found = { .kind = AZ_LINE_FINDING,
                             .label = AZ_SV("-62.1 %"),
                             .text =
                                 AZ_SV("idle: 4 gaps of 141.0 ms, the host in hipMemcpyWithStream "
                                       "before HtoD copies of 0.6 MB"),
                             .rule = AZ_SV("idle"),
                             .severity = AZ_SV("warning"),
                             .evidence = AZ_SV("idle_gaps"),
                             .ns = 564000000,
                             .percent = 62.1 };
    struct az_table *verdict, *t;

    sample_begin(s);
    s->doc.title = AZ_SV("step");
    s->doc.format = AZ_SV("pytorch");
    t = az_table_new(&s->arena, "kernel_summary", "Kernels", AZ_TABLE_SUMMARY);
    az_table_column(t, "Parent cpu_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel duration (\xc2\xb5s)_sum", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Percent of kernels time (%)", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_put_text(t, AZ_SV("aten::mean"));
    az_put_text(t, AZ_SV("void at::native::reduce_kernel<512, 1, at::native::MeanOps>(int)"));
    az_put_f64(t, 4000);
    az_put_f64(t, 80);
    az_put_text(t, AZ_SV("aten::sum"));
    az_put_text(t, AZ_SV("void at::native::reduce_kernel<512, 1, at::native::SumOps>(int)"));
    az_put_f64(t, 1000);
    az_put_f64(t, 20);
    assert_int_equal(az_document_add(&s->doc, t), 0);
    t = az_table_new(&s->arena, "other", "Another table", AZ_TABLE_SUMMARY);
    az_table_column(t, "x", AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(t, 1);
    assert_int_equal(az_document_add(&s->doc, t), 0);
    assert_int_equal(az_document_add(&s->doc, sample_findings(&s->arena)), 0);
    verdict = az_headline_table(&s->arena);
    az_headline_put(verdict, &what);
    az_headline_put(verdict, &found);
    found = (struct az_line){ .kind = AZ_LINE_TRUST,
                              .label = AZ_SV("trust"),
                              .text = AZ_SV("nothing dropped"),
                              .ns = -1,
                              .percent = NAN };
    az_headline_put(verdict, &found);
    assert_int_equal(az_headline_add(&s->doc, verdict), 0);
}

static void the_first_screen_begins_with_the_verdict(void **state)
{
    static const char want[] =
        "===== step =====\n"
        "H100, 1 rank, 1 step, 908.3 ms (pytorch)\n"
        "-62.1 %   idle: 4 gaps of 141.0 ms, the host in hipMemcpyWithStream before HtoD\n"
        "          copies of 0.6 MB (idle_gaps)\n"
        "trust     nothing dropped\n"
        "\n"
        "Kernels (kernel_summary)\n"
        "  Kernel                        Kernel time (ms)  % of kernel time  Parent operation\n"
        "  reduce_kernel<512,1,MeanOps>             4.000              80.0  aten::mean\n";
    struct sample s;
    struct az_vec_char out;

    (void)state;
    fill_screen(&s);
    s.doc.text_columns = 84;
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    struct az_sv text = az_text_view(&out);
    if (getenv("SHOW"))
        fwrite(text.p, 1, text.n, stdout);
    assert_true(text.n > sizeof want);
    assert_string_equal(az_arena_str(&s.arena, az_sv_make(text.p, sizeof want - 1)), want);
    assert_true(az_sv_find(text, AZ_SV("1 more table: -v\n")) > 0);
    assert_true(longest_line(text) <= 84);
    az_vec_release(&out);
    sample_end(&s);
}

/* With text_all, tables that are no summary, too; without, how many there are. The id follows a
 * title that is not it; rows that look the same are distinguished by a key that is not shown. */
static void every_table_on_request(void **state)
{
    static const char want[] = "Details (kernel_details)\n"
                               "  Kernel  Count\n"
                               "  copy        1\n"
                               "  copy        1\n"
                               "  Equal rows differ in stream: s1; s2.\n";
    struct az_vec_char out;
    struct sample s;

    (void)state;
    sample_begin(&s);
    s.doc.text_full = true;
    struct az_table *t = az_table_new(&s.arena, "kernel_details", "Details", 0);
    az_table_column(t, "Kernel", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "stream", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int i = 0; i < 2; i++) {
        az_put_text(t, AZ_SV("copy"));
        az_put_text(t, i ? AZ_SV("s2") : AZ_SV("s1"));
        az_put_i64(t, 1);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    for (int all = 0; all < 2; all++) {
        s.doc.text_all = all;
        az_vec_init(&out, &s.mem);
        assert_int_equal(az_text_write(&s.doc, &out, false), 0);
        const struct az_sv text = az_text_view(&out);
        assert_int_equal(az_sv_find(text, az_sv_str(want)) >= 0, all);
        assert_int_equal(az_sv_find(text, AZ_SV("\n1 more table: -vv\n")) > 0, !all);
        az_vec_release(&out);
    }
    sample_end(&s);
}

/* A table of blocks goes on below, with its key; a share stays with its figure. */
static void blocks_lose_no_column(void **state)
{
    struct sample s;
    struct az_vec_char out;
    (void)state;
    sample_begin(&s);
    s.doc.text_full = true;
    s.doc.text_columns = 44;
    struct az_table *t =
        az_table_new(&s.arena, "t", "Wide", AZ_TABLE_SUMMARY | AZ_TABLE_BLOCKS | AZ_TABLE_ONE_UNIT);
    assert_non_null(t);
    t->note = AZ_SV("blank: not recorded");
    az_table_column(t, "Family", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (int i = 0; i < 3; i++) {
        az_table_columnsv(t, az_arena_printf(&s.arena, "in%d (ms)", i), AZ_REAL, AZ_UNIT_MS, 0);
        az_table_columnsv(t, az_arena_printf(&s.arena, "in%d share (%%)", i), AZ_REAL,
                          AZ_UNIT_PERCENT, AZ_SHARE);
    }
    az_put_text(t, AZ_SV("gemm"));
    for (int i = 0; i < 3; i++) {
        az_put_f64(t, i == 1 ? 12000.5 : (double)NAN);
        az_put_f64(t, i == 1 ? 100 : (double)NAN);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    static const char want[] = "Wide (t)\n"
                               "  Family  In0 (ms)  In1 (ms)      %\n"
                               "  gemm               12000.5  100.0\n"
                               "\n"
                               "  Family  In2 (ms)\n"
                               "  gemm\n"
                               "  blank: not recorded\n";
    if (az_sv_find(az_text_view(&out), az_sv_str(want)) < 0)
        fail_msg("%.*s", (int)out.n, out.v);
    az_vec_release(&out);
    sample_end(&s);
}

static void put_number(const void *of, size_t row, struct az_table *into)
{
    (void)of;
    az_put_i64(into, (int64_t)row + 41);
}

/* Tables whose rows are made when they are read are among all tables. */
static void made_rows_are_printed(void **state)
{
    (void)state;
    struct sample s;
    struct az_vec_char out;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "made", "Made", 0);
    az_table_column(t, "number", AZ_INT, AZ_UNIT_COUNT, AZ_KEY);
    az_table_make(t, 2, put_number, NULL);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    s.doc.text_full = s.doc.text_all = true;
    az_vec_init(&out, &s.mem);
    assert_int_equal(az_text_write(&s.doc, &out, false), 0);
    static const char want[] = "Made\n"
                               "  Number\n"
                               "      41\n"
                               "      42\n";
    if (az_sv_find(az_text_view(&out), az_sv_str(want)) < 0)
        fail_msg("%.*s", (int)out.n, out.v);
    az_vec_release(&out);
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classic_block_is_exact),
        cmocka_unit_test(rounding_is_that_of_printf),
        cmocka_unit_test(summary_is_readable),
        cmocka_unit_test(wide_tables_lose_columns_and_say_so),
        cmocka_unit_test(comparisons_drop_their_sides_last),
        cmocka_unit_test(scales_of_columns),
        cmocka_unit_test(paths_are_a_tree),
        cmocka_unit_test(every_table_on_request),
        cmocka_unit_test(made_rows_are_printed),
        cmocka_unit_test(blocks_lose_no_column),
        cmocka_unit_test(the_first_screen_begins_with_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
