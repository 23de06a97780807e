/* Charts of the page: order and width, how each kind is drawn, and every value of the data that the
 * script draws: the largest value of stacks, titles of axes, marks, points, paints. */
#include <math.h>

#include "reports/html/html.h"
#include "reports/list.h"
#include "unit/reports_common.h"

/* A plot that only has what its place depends on. */
static struct az_plot bare(struct az_chart *c, enum az_chart_kind kind, size_t marks, size_t series)
{
    *c = (struct az_chart){ .kind = kind };
    struct az_plot p = { .c = c, .n_series = series };
    p.marks.n = marks;
    return p;
}

/* Stacks, trends, changes and limits first; large ones last; equal ones stay in order. */
static void order_of_the_page(void **state)
{
    (void)state;
    struct az_chart c[14];
    struct az_plot plots[] = {
        bare(&c[0], AZ_CHART_HEAT, 1, 1),
        bare(&c[1], AZ_CHART_COLUMN, 40, 8),
        bare(&c[2], AZ_CHART_TREND, 1, 1),
        bare(&c[3], AZ_CHART_COLUMN, 41, 1),
        bare(&c[4], AZ_CHART_BAR, 41, 9),
        bare(&c[5], AZ_CHART_LINE, 40, 9),
        bare(&c[6], AZ_CHART_PIE, 1, 1),
        bare(&c[7], AZ_CHART_BAR, 100, 9),
        bare(&c[8], AZ_CHART_SCATTER_LOG, 1, 1),
        bare(&c[9], AZ_CHART_WATERFALL, 50, 9),
        bare(&c[10], AZ_CHART_LIMITS, 50, 9),
        bare(&c[11], AZ_CHART_STACKED_BAR, 50, 9),
        bare(&c[12], AZ_CHART_STACKED_COLUMN, 9, 9),
        bare(&c[13], AZ_CHART_LINE, 2, 1),
    };
    static const int order[] = { 2, 7, 9, 10, 11, 12, 1, 4, 6, 13, 0, 3, 5, 8 };
    struct az_html h = { .plot = plots, .n_plots = AZ_LENGTH(plots) };
    c[4].small = true; /* side by side, however many marks */
    c[7].n_parts = 2;
    az_html_order(&h);
    for (size_t i = 0; i < AZ_LENGTH(order); i++)
        assert_ptr_equal(plots[i].c, &c[order[i]]);
}

/* Marks: name, three times, a flag and a text. */
static struct az_table *times(struct sample *s, size_t rows)
{
    struct az_table *t = az_table_new(&s->arena, "times", "Times", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Compute (us)", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Copy (us)", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "total", AZ_BOOL, AZ_UNIT_NONE, 0);
    az_table_column(t, "mark", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "TFLOPS/s", AZ_REAL, AZ_UNIT_TFLOPS, 0);
    az_table_column(t, "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, 0);
    az_table_column(t, "Bytes", AZ_INT, AZ_UNIT_BYTES, 0);
    for (size_t i = 0; i < rows; i++) {
        az_put_text(t, az_arena_printf(&s->arena, "n%zu", i));
        az_put_f64(t, (double)(6000 + 100 * i));
        if (i == 1)
            az_put_empty(t);
        else
            az_put_f64(t, i == 2 ? -5000 : 5000);
        az_put_bool(t, i == 0 || i + 1 == rows);
        az_put_text(t, i == 2 ? AZ_SV("regressed") : AZ_SV(""));
        az_put_f64(t, (double)(i + 1));
        az_put_f64(t, (double)(10 * (i + 1)));
        az_put_i64(t, (int64_t)(3000000 * (i + 1)));
    }
    assert_int_equal(az_document_add(&s->doc, t), 0);
    return t;
}

static void drop_charts(struct sample *s)
{
    for (size_t i = 0; i < s->doc.charts.n; i++)
        az_vec_release(&s->doc.charts.v[i].y);
    s->doc.charts.n = 0;
}

/* The data of the document's charts, each drawn. */
static const char *data_of(struct sample *s)
{
    static struct az_plot plots[16];
    static struct az_sv anchor[] = { { "t-times", 7 }, { "t-parts", 7 } };
    struct az_html h = { .scratch = &s->scratch, .doc = &s->doc, .anchor = anchor, .plot = plots };
    struct az_vec_char json;
    az_vec_init(&json, &s->mem);
    for (size_t i = 0; i < s->doc.charts.n; i++) {
        assert_true(az_html_plot(&h, &s->doc.charts.v[i], &plots[i]));
        h.n_plots++;
    }
    assert_int_equal(az_html_chart_data(&h, &json), 0);
    struct az_sv text = az_arena_dup(&s->arena, az_sv_make(json.v, json.n));
    az_vec_release(&json);
    for (size_t i = 0; i < h.n_plots; i++)
        az_vec_release(&plots[i].marks);
    drop_charts(s);
    return az_arena_printf(&s->arena, "%.*s", AZ_SVF(text)).p;
}

static struct az_chart *add_chart(struct sample *s, enum az_chart_kind kind, const char *x,
                                  const char *y, const char *more)
{
    sample_chart(s, kind, "times", "Chart", x, y, 0);
    struct az_chart *c = &s->doc.charts.v[s->doc.charts.n - 1];
    if (more)
        assert_int_equal(az_vec_push(&c->y, az_sv_str(more)), 0);
    return c;
}

static void check_text(const char *got, const char *want)
{
    if (!strstr(got, want))
        print_message("%s\nlacks %s\n", got, want);
    assert_non_null(strstr(got, want));
}

/* A stack counts the sum of its absolute values for the unit of the axis, the others their largest:
 * 6,200 + 5,000 us are ms, 6,300 alone us. What is no number counts nothing. */
static void values_and_units(void **state)
{
    (void)state;
    struct sample s;
    const char *got;
    sample_begin(&s);
    times(&s, 4);
    add_chart(&s, AZ_CHART_STACKED_COLUMN, "name", "Compute (us)", "Copy (us)");
    got = data_of(&s);
    check_text(
        got, "[{\"kind\":\"stacked bars\",\"x\":\"name\",\"y\":\"Compute (ms)\",\"divide\":1000.");
    check_text(got, "\"unit\":\"ms\",\"labels\":[\"n0\",\"n1\",\"n2\",\"n3\"],\"series\":["
                    "{\"name\":\"Compute\",\"values\":[6000,6100,6200,6300]},"
                    "{\"name\":\"Copy\",\"values\":[5000,null,-5000,5000]}],"
                    "\"paint\":{\"Compute\":\"f1\",\"Copy\":\"f11\"}}]");
    add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Compute (us)", "Copy (us)");
    check_text(data_of(&s), "{\"kind\":\"stacked bars\",\"x\":\"name\",\"y\":\"Compute (ms)\"");
    add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", "Copy (us)");
    check_text(
        data_of(&s),
        "{\"kind\":\"columns\",\"x\":\"name\",\"y\":\"Compute (us)\",\"divide\":1,\"unit\":\"us\"");
    add_chart(&s, AZ_CHART_BAR, "name", "Copy (us)", NULL);
    check_text(
        data_of(&s),
        "{\"kind\":\"bars\",\"x\":\"name\",\"y\":\"Copy (us)\",\"divide\":1,\"unit\":\"us\"");
    add_chart(&s, AZ_CHART_PIE, "name", "Compute (us)", NULL);
    check_text(data_of(&s), "{\"kind\":\"pie\",\"x\":\"name\",\"y\":\"Compute (us)\"");
    add_chart(&s, AZ_CHART_LINE, "name", "Compute (us)", NULL);
    check_text(data_of(&s), "{\"kind\":\"line\",\"x\":\"name\",\"y\":\"Compute (us)\"");
    sample_end(&s);
}

/* The flags of totals, the text at a trend's runs, the second axis and the size of points. */
static void more_of_some_kinds(void **state)
{
    (void)state;
    struct sample s;
    const char *got;
    sample_begin(&s);
    times(&s, 4);
    add_chart(&s, AZ_CHART_WATERFALL, "name", "Compute (us)", "total");
    got = data_of(&s);
    check_text(got, "{\"kind\":\"waterfall\",");
    check_text(got, "\"totals\":[true,false,false,true]}]");
    assert_null(strstr(got, "\"marked\""));
    assert_null(strstr(got, "\"xs\""));
    add_chart(&s, AZ_CHART_WATERFALL, "name", "Compute (us)", NULL);
    check_text(data_of(&s), "\"totals\":[false,false,false,false]}]");
    struct az_chart *c = add_chart(&s, AZ_CHART_SCATTER_LOG, "FLOPS/Byte", "TFLOPS/s", NULL);
    c->size = AZ_SV("Bytes");
    got = data_of(&s);
    check_text(got, "{\"kind\":\"scatter\",\"x\":\"FLOPS/Byte\",\"y\":\"TFLOPS/s\",\"divide\":1,"
                    "\"unit\":\"TFLOPS/s\",");
    check_text(got, "\"values\":[1,2,3,4]}],\"paint\":{},\"xs\":[10,20,30,40],\"counts\":[1,1,1,1],"
                    "\"size\":\"Size (MB)\",\"sizeDivide\":1000000,"
                    "\"sizes\":[3000000,6000000,9000000,12000000]}]");
    add_chart(&s, AZ_CHART_SCATTER_LOG, "FLOPS/Byte", "TFLOPS/s", NULL);
    check_text(data_of(&s), "\"counts\":[1,1,1,1]}]");
    for (int marked = 0; marked < 2; marked++) {
        c = add_chart(&s, AZ_CHART_TREND, "name", "Compute (us)", "Copy (us)");
        assert_int_equal(az_vec_push(&c->y, AZ_SV("Copy (us)")), 0);
        assert_int_equal(az_vec_push(&c->y, AZ_SV("Copy (us)")), 0);
        if (marked)
            assert_int_equal(az_vec_push(&c->y, AZ_SV("mark")), 0);
        got = data_of(&s);
        check_text(got, "{\"kind\":\"trend\",");
        check_text(got, marked ? "\"marked\":[\"\",\"\",\"regressed\",\"\"]}]"
                               : "\"marked\":[\"\",\"\",\"\",\"\"]}]");
    }
    sample_end(&s);
}

/* Small charts of one table end at the same value, which those of normal size do not count for. */
static void small_charts_share_an_end(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    times(&s, 4);
    add_chart(&s, AZ_CHART_COLUMN, "name", "Copy (us)", NULL)->small = true;
    add_chart(&s, AZ_CHART_COLUMN, "name", "TFLOPS/s", NULL)->small = true;
    add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
    const char *got = data_of(&s), *first = strstr(got, "\"end\":5000}");
    assert_non_null(first);
    check_text(first + 1, "\"end\":5000}");
    assert_null(strstr(got, "\"end\":6300}"));
    check_text(got, "\"unit\":\"TFLOPS/s\"");
    sample_end(&s);
}

/* Titles of axes: with the unit that is drawn, once, before what follows it. */
static void titles_of_axes(void **state)
{
    (void)state;
    static const struct {
        const char *title, *want;
    } cases[] = {
        { "Time (us)", "\"y\":\"Time (us)\"" },
        { "us", "\"y\":\"us\"" },
        { "us, all ranks", "\"y\":\"us, all ranks\"" },
        { "", "\"y\":\"us\"" },
        { "Time", "\"y\":\"Time\"" },
    };
    static const char *const in_ms[] = { "\"y\":\"Time (ms)\"", "\"y\":\"ms\"",
                                         "\"y\":\"ms, all ranks\"", "\"y\":\"ms\"",
                                         "\"y\":\"Time (ms)\"" };
    struct sample s;
    sample_begin(&s);
    times(&s, 45);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_chart *c = add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
        c->y_title = az_sv_str(cases[i].title);
        c->max_rows = 40; /* 9,900 us */
        check_text(data_of(&s), cases[i].want);
        c = add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
        c->y_title = az_sv_str(cases[i].title);
        c->max_rows = 41; /* 10,000 us */
        check_text(data_of(&s), in_ms[i]);
    }
    sample_end(&s);
}

/* Few stacks are bars, many are columns. */
static void stacks_by_their_number(void **state)
{
    (void)state;
    static const struct az_sv parts[] = { { "busy", 4 }, { "idle", 4 } };
    struct sample s;
    sample_begin(&s);
    times(&s, 60);
    for (size_t rows = 4; rows <= 5; rows++) {
        add_chart(&s, AZ_CHART_STACKED_COLUMN, "name", "Compute (us)", "Copy (us)")->max_rows =
            rows;
        check_text(data_of(&s),
                   rows == 4 ? "{\"kind\":\"stacked bars\"," : "{\"kind\":\"stacked columns\",");
    }
    for (size_t rows = 40; rows <= 41; rows++) {
        add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Compute (us)", "Copy (us)")->max_rows = rows;
        check_text(data_of(&s),
                   rows == 40 ? "{\"kind\":\"stacked bars\"," : "{\"kind\":\"stacked columns\",");
    }
    struct az_table *t = az_table_new(&s.arena, "parts", "Parts", 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "ms", AZ_REAL, AZ_UNIT_MS, 0);
    for (size_t i = 0; i < 82; i++) {
        az_put_i64(t, (int64_t)i / 2);
        az_put_text(t, parts[i % 2]);
        az_put_f64(t, i % 2 ? 5000 : 4999);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    for (size_t rows = 80; rows <= 82; rows += 2) {
        sample_chart(&s, AZ_CHART_BAR, "parts", "Chart", "type", "ms", rows);
        struct az_chart *c = &s.doc.charts.v[0];
        c->parts = parts;
        c->n_parts = 2;
        c->stack = AZ_SV("rank");
        const char *got = data_of(&s);
        check_text(got,
                   rows == 80
                       ? "{\"kind\":\"stacked bars\",\"x\":\"rank\",\"y\":\"ms\",\"divide\":1,"
                       : "{\"kind\":\"stacked columns\",\"x\":\"rank\",\"y\":\"ms\",\"divide\":1,");
        check_text(got, "{\"name\":\"busy\",\"values\":[4999,4999,");
        check_text(got, "{\"name\":\"idle\",\"values\":[5000,5000,");
    }
    sample_end(&s);
}

/* Two charts share a row; the last of an odd number has one of its own, small ones never. */
static void width_of_figures(void **state)
{
    (void)state;
    static const enum az_chart_kind kinds[] = { AZ_CHART_TREND, AZ_CHART_COLUMN, AZ_CHART_BAR,
                                                AZ_CHART_LINE, AZ_CHART_SCATTER_LOG };
    struct sample s;
    size_t n;
    sample_begin(&s);
    times(&s, 4);
    for (size_t last = 3; last <= 4; last++) {
        for (size_t i = 0; i < AZ_LENGTH(kinds); i++)
            if (i < last || i == 4)
                add_chart(&s, kinds[i], i == 4 ? "FLOPS/Byte" : "name", "TFLOPS/s", NULL);
        add_chart(&s, AZ_CHART_PIE, "name", "TFLOPS/s", NULL);
        assert_int_equal(
            az_report_html.write(&s.doc, sample_path(&s, "r.html"), &s.scratch, &s.diag), 0);
        char *got = read_file(sample_path(&s, "r.html"), &n);
        check_text(got, "<figure id=\"chart0\" class=\" wide\">");
        check_text(got, "<figure id=\"chart1\" class=\"\">");
        check_text(got, "<figure id=\"chart2\" class=\"\">");
        check_text(got, last == 3 ? "<figure id=\"chart3\" class=\"pie wide\">"
                                  : "<figure id=\"chart3\" class=\"\">");
        check_text(got, last == 3 ? "<figure id=\"chart4\" class=\" wide\">"
                                  : "<figure id=\"chart4\" class=\"pie\">");
        check_text(got, "<canvas role=\"img\" aria-labelledby=\"chart2-title\" "
                        "aria-describedby=\"chart2-text\" data-chart=\"2\">");
        check_text(got, "<noscript>");
        free(got);
        drop_charts(&s);
    }
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_the_page),  cmocka_unit_test(values_and_units),
        cmocka_unit_test(more_of_some_kinds), cmocka_unit_test(small_charts_share_an_end),
        cmocka_unit_test(titles_of_axes),     cmocka_unit_test(stacks_by_their_number),
        cmocka_unit_test(width_of_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
