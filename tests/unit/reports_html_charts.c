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
        az_put_f64(t, (double)(600 + 10 * i));
        if (i == 1)
            az_put_empty(t);
        else
            az_put_f64(t, i == 2 ? -500 : 500);
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
 * 620 + 500 us are ms, 630 alone us. What is no number counts nothing. */
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
        got, "[{\"kind\":\"stacked bars\",\"x\":\"Name\",\"y\":\"Compute (ms)\",\"divide\":1000,");
    check_text(got, "\"unit\":\"ms\",\"labels\":[\"n0\",\"n1\",\"n2\",\"n3\"],\"series\":["
                    "{\"name\":\"Compute\",\"values\":[600,610,620,630]},"
                    "{\"name\":\"Copy\",\"values\":[500,null,-500,500]}],"
                    "\"paint\":{\"Compute\":\"f1\",\"Copy\":\"f11\"}}]");
    add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Compute (us)", "Copy (us)");
    check_text(data_of(&s), "{\"kind\":\"stacked bars\",\"x\":\"Name\",\"y\":\"Compute (ms)\"");
    add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", "Copy (us)");
    check_text(
        data_of(&s),
        "{\"kind\":\"columns\",\"x\":\"Name\",\"y\":\"Compute (us)\",\"divide\":1,\"unit\":\"us\"");
    add_chart(&s, AZ_CHART_BAR, "name", "Copy (us)", NULL);
    check_text(
        data_of(&s),
        "{\"kind\":\"bars\",\"x\":\"Name\",\"y\":\"Copy (us)\",\"divide\":1,\"unit\":\"us\"");
    add_chart(&s, AZ_CHART_PIE, "name", "Compute (us)", NULL);
    check_text(data_of(&s), "{\"kind\":\"pie\",\"x\":\"Name\",\"y\":\"Compute (us)\"");
    add_chart(&s, AZ_CHART_LINE, "name", "Compute (us)", NULL);
    check_text(data_of(&s), "{\"kind\":\"line\",\"x\":\"Name\",\"y\":\"Compute (us)\"");
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
                    "\"unit\":\"TFLOP/s\",");
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

/* Of many changes the largest have a bar each, wherever their rows are and whatever their sign; the
 * others are one bar of their sum, before the last total. */
static void large_changes_have_a_bar(void **state)
{
    enum { ROWS = 61, MIX = 37 };
    (void)state;
    struct sample s;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "times", "Times", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Change (us)", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "total", AZ_BOOL, AZ_UNIT_NONE, 0);
    int sum = 0;
    for (int i = 0; i < ROWS; i++) {
        const int size = 1 + i * MIX % ROWS, change = i % 2 ? -size : size;
        const bool total = i == 0 || i == ROWS - 1;
        az_put_text(t, az_arena_printf(&s.arena, "c%d", total ? 0 : size));
        az_put_f64(t, total ? 1000 : change);
        az_put_bool(t, total);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    add_chart(&s, AZ_CHART_WATERFALL, "name", "Change (us)", "total");
    const char *got = data_of(&s);
    size_t bars = 0;
    int least = INT32_MAX;
    for (int i = 1; i < ROWS - 1; i++) {
        const int size = 1 + i * MIX % ROWS;
        char label[16];
        snprintf(label, sizeof label, "\"c%d\"", size);
        if (strstr(got, label)) {
            bars++;
            least = size < least ? size : least;
        } else {
            sum += i % 2 ? -size : size;
        }
    }
    assert_int_equal(bars, AZ_HTML_BARS);
    size_t larger = 0;
    for (int i = 1; i < ROWS - 1; i++)
        larger += 1 + i * MIX % ROWS >= least;
    assert_int_equal(larger, AZ_HTML_BARS);
    check_text(got, az_arena_printf(&s.arena, "\"%d others\",\"c0\"]", ROWS - 2 - AZ_HTML_BARS).p);
    check_text(got, az_arena_printf(&s.arena, ",%d,1000]", sum).p);
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
    const char *got = data_of(&s), *first = strstr(got, "\"end\":500}");
    assert_non_null(first);
    check_text(first + 1, "\"end\":500}");
    assert_null(strstr(got, "\"end\":6300}"));
    check_text(got, "\"unit\":\"TFLOP/s\"");
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
        { "us", "\"y\":\"Time (us)\"" },
        { "us, all ranks", "\"y\":\"Time, all ranks (us)\"" },
        { "", "\"y\":\"Time (us)\"" },
        { "Time", "\"y\":\"Time\"" },
    };
    static const char *const in_ms[] = { "\"y\":\"Time (ms)\"", "\"y\":\"Time (ms)\"",
                                         "\"y\":\"Time, all ranks (ms)\"", "\"y\":\"Time (ms)\"",
                                         "\"y\":\"Time (ms)\"" };
    struct sample s;
    sample_begin(&s);
    times(&s, 45);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_chart *c = add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
        c->y_title = az_sv_str(cases[i].title);
        c->max_rows = 40; /* 990 us */
        check_text(data_of(&s), cases[i].want);
        c = add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
        c->y_title = az_sv_str(cases[i].title);
        c->max_rows = 41; /* 1,000 us */
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
        az_put_f64(t, i % 2 ? 500 : 499);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    for (size_t rows = 80; rows <= 82; rows += 2) {
        sample_chart(&s, AZ_CHART_BAR, "parts", "Chart", "type", "ms", rows);
        struct az_chart *c = &s.doc.charts.v[0];
        c->parts = parts;
        c->n_parts = 2;
        c->stack = AZ_SV("rank");
        const char *got = data_of(&s);
        check_text(
            got,
            rows == 80
                ? "{\"kind\":\"stacked bars\",\"x\":\"Rank\",\"y\":\"Time (ms)\",\"divide\":1,"
                : "{\"kind\":\"stacked columns\",\"x\":\"Rank\",\"y\":\"Time (ms)\",\"divide\":1,");
        check_text(got, "{\"name\":\"busy\",\"values\":[499,499,");
        check_text(got, "{\"name\":\"idle\",\"values\":[500,500,");
    }
    sample_end(&s);
}

/* One bar of the timeline's parts is the verdict's; several are those of devices or ranks. */
static void account_is_drawn_once(void **state)
{
    (void)state;
    static const struct az_sv parts[] = { { "busy", 4 }, { "idle", 4 } };
    struct sample s;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "gpu_timeline", "GPU timeline", 0);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "ms", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    for (size_t i = 0; i < 4; i++) {
        az_put_text(t, parts[i % 2]);
        az_put_f64(t, 5);
        az_put_i64(t, (int64_t)i / 2);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    sample_chart(&s, AZ_CHART_BAR, "gpu_timeline", "Chart", "type", "ms", 0);
    struct az_chart *c = &s.doc.charts.v[0];
    c->parts = parts;
    c->n_parts = 2;
    for (int account = 0; account < 2; account++) {
        struct az_sv anchor[] = { AZ_SV("t-gpu_timeline"), AZ_SV("t-account") };
        struct az_html h = { .scratch = &s.scratch, .doc = &s.doc, .anchor = anchor };
        struct az_plot plot;
        if (account)
            times(&s, 1)->id = AZ_SV("account");
        for (int stacks = 0; stacks < 2; stacks++) {
            c->stack = stacks ? AZ_SV("rank") : AZ_SV("");
            assert_int_equal(az_html_plot(&h, c, &plot), !account || stacks);
            az_vec_release(&plot.marks);
        }
    }
    drop_charts(&s);
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
        check_text(got, last == 3 ? "<figure id=\"chart4\" class=\"scatter wide\">"
                                  : "<figure id=\"chart4\" class=\"pie\">");
        check_text(got, "<canvas role=\"img\" aria-labelledby=\"chart2-title\" "
                        "aria-describedby=\"chart2-text\" data-chart=\"2\">");
        check_text(got, "<noscript>");
        free(got);
        drop_charts(&s);
    }
    sample_end(&s);
}

/* The figure of the only chart, from its caption's text on. */
static const char *figure_of(struct sample *s, const char *from, const char *to)
{
    size_t n;
    assert_int_equal(az_report_html.write(&s->doc, sample_path(s, "r.html"), &s->scratch, &s->diag),
                     0);
    char *page = read_file(sample_path(s, "r.html"), &n), *a = strstr(page, "<figure ");
    a = a ? strstr(a, from) : a;
    char *b = a ? strstr(a, to) : a;
    assert_non_null(b);
    const char *text =
        az_arena_printf(&s->arena, "%.*s", (int)(b - a - (ptrdiff_t)strlen(from)), a + strlen(from))
            .p;
    free(page);
    drop_charts(s);
    return text;
}

static const char *caption(struct sample *s)
{
    return figure_of(s, "<p class=\"words\" id=\"chart0-text\">", "</p>");
}

/* Compares it; a ~ stands for the blank before a unit, at which no line is broken. */
static void check_caption(struct sample *s, const char *want)
{
    const char *got = caption(s);
    char text[1000];
    size_t n = 0;
    for (; *want && n < sizeof text - 3; want++) {
        if (*want == '~') {
            text[n++] = '\xc2';
            text[n++] = '\xa0';
        } else {
            text[n++] = *want;
        }
    }
    text[n] = 0;
    assert_string_equal(got, text);
}

/* The three largest with their shares; equal ones in the order of the table, nothing twice. */
static void captions_of_values(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    times(&s, 6);
    add_chart(&s, AZ_CHART_PIE, "name", "Compute (us)", NULL);
    check_caption(&s, "Largest: <bdi>n5</bdi> 650~us (17.3%), <bdi>n4</bdi> 640~us (17.1%), "
                      "<bdi>n3</bdi> 630~us (16.8%).");
    add_chart(&s, AZ_CHART_COLUMN, "name", "Compute (us)", NULL);
    check_caption(&s, "Largest: from <bdi>n5</bdi>: 650~us (17.3%), from <bdi>n4</bdi>: 640~us "
                      "(17.1%), from <bdi>n3</bdi>: 630~us (16.8%).");
    add_chart(&s, AZ_CHART_BAR, "name", "Copy (us)", NULL); /* n1 has no value, n2 a negative one */
    check_caption(&s, "Largest: <bdi>n0</bdi> 500~us, <bdi>n2</bdi> -500~us, <bdi>n3</bdi> "
                      "500~us.");
    add_chart(&s, AZ_CHART_BAR, "name", "Copy (us)", NULL)->max_rows = 2;
    check_caption(&s, "Largest: <bdi>n0</bdi> 500~us.");
    add_chart(&s, AZ_CHART_LINE, "name", "Compute (us)", NULL);
    check_caption(&s, "First 600~us (<bdi>n0</bdi>), last 650~us (<bdi>n5</bdi>), lowest "
                      "600~us (<bdi>n0</bdi>), highest 650~us (<bdi>n5</bdi>).");
    add_chart(&s, AZ_CHART_LINE, "name", "Copy (us)", NULL)->max_rows = 2;
    check_caption(&s, "First 500~us (<bdi>n0</bdi>), last nothing (<bdi>n1</bdi>), lowest 500~us "
                      "(<bdi>n0</bdi>), highest 500~us (<bdi>n0</bdi>).");
    add_chart(&s, AZ_CHART_LINE, "name", "Copy (us)", NULL); /* the first of equal ones */
    check_caption(&s, "First 500~us (<bdi>n0</bdi>), last 500~us (<bdi>n5</bdi>), lowest "
                      "-500~us (<bdi>n2</bdi>), highest 500~us (<bdi>n0</bdi>).");
    add_chart(&s, AZ_CHART_SCATTER_LOG, "FLOPS/Byte", "TFLOPS/s", NULL);
    check_caption(&s, "6 points; highest: <bdi>n5</bdi> with 6.00~TFLOP/s at 60.0~FLOP/B.");
    add_chart(&s, AZ_CHART_SCATTER_LOG, "FLOPS/Byte", "TFLOPS/s", NULL)->max_rows = 1;
    check_caption(&s, "1 point; highest: <bdi>n0</bdi> with 1.00~TFLOP/s at 10.0~FLOP/B.");
    sample_end(&s);
}

static void captions_of_changes(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    times(&s, 6);
    add_chart(&s, AZ_CHART_WATERFALL, "name", "Copy (us)", "total"); /* n0 and n5 are levels */
    check_caption(&s, "<bdi>n0</bdi> 500~us, <bdi>n5</bdi> 500~us. Largest changes: "
                      "<bdi>n2</bdi> -500~us, <bdi>n3</bdi> +500~us, <bdi>n4</bdi> +500~us.");
    add_chart(&s, AZ_CHART_WATERFALL, "name", "Compute (us)", NULL)->max_rows = 2;
    check_caption(&s, "Largest changes: <bdi>n1</bdi> +610~us, <bdi>n0</bdi> +600~us.");
    for (size_t rows = 2; rows <= 3; rows++) {
        struct az_chart *c = add_chart(&s, AZ_CHART_TREND, "name", "Compute (us)", "Copy (us)");
        for (int i = 0; i < 2; i++)
            assert_int_equal(az_vec_push(&c->y, AZ_SV("Copy (us)")), 0);
        assert_int_equal(az_vec_push(&c->y, AZ_SV("mark")), 0);
        c->max_rows = rows;
        check_caption(
            &s, rows == 2
                    ? "First 600~us (run <bdi>n0</bdi>), last 610~us (run <bdi>n1</bdi>), lowest "
                      "600~us (run <bdi>n0</bdi>), highest 610~us (run <bdi>n1</bdi>)."
                    : "First 600~us (run <bdi>n0</bdi>), last 620~us (run <bdi>n2</bdi>), lowest "
                      "600~us (run <bdi>n0</bdi>), highest 620~us (run <bdi>n2</bdi>). "
                      "Marked: 1 run, the last run <bdi>n2</bdi> (<bdi>regressed</bdi>).");
    }
    struct az_chart *c = add_chart(&s, AZ_CHART_TREND, "name", "Compute (us)", "Copy (us)");
    for (int i = 0; i < 2; i++)
        assert_int_equal(az_vec_push(&c->y, AZ_SV("Copy (us)")), 0);
    assert_int_equal(az_vec_push(&c->y, AZ_SV("name")), 0);
    check_text(caption(&s),
               " Marked: 6 runs, the last run <bdi>n5</bdi> (<bdi>n5</bdi>), "
               "run <bdi>n4</bdi> (<bdi>n4</bdi>), run <bdi>n3</bdi> (<bdi>n3</bdi>).");
    sample_end(&s);
}

/* Up to three stacks one by one, of more the range of each part; numbers have the axis's name. */
static void captions_of_stacks(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    times(&s, 6);
    add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Compute (us)", "Copy (us)")->max_rows = 3;
    check_caption(&s, "<bdi>n0</bdi> 1.10~ms: <bdi>Compute</bdi> 600~us (54.5%), "
                      "<bdi>Copy</bdi> 500~us (45.5%). <bdi>n1</bdi> 610~us: "
                      "<bdi>Compute</bdi> 610~us (100.0%). <bdi>n2</bdi> 120~us: "
                      "<bdi>Compute</bdi> 620~us (516.7%), <bdi>Copy</bdi> -500~us (-416.7%).");
    add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Compute (us)", "Copy (us)")->max_rows = 4;
    check_caption(&s, "<bdi>Compute</bdi> 600~us (<bdi>n0</bdi>) to 630~us (<bdi>n3</bdi>), "
                      "<bdi>Copy</bdi> -500~us (<bdi>n2</bdi>) to 500~us (<bdi>n0</bdi>).");
    add_chart(&s, AZ_CHART_STACKED_BAR, "name", "Copy (us)", NULL)->max_rows = 1;
    check_caption(&s, "<bdi>Copy</bdi> 500~us (100.0%).");
    add_chart(&s, AZ_CHART_STACKED_BAR, "none", "Copy (us)", NULL)->max_rows =
        2; /* rows by number */
    check_caption(&s, "<bdi>none 1</bdi> 500~us. <bdi>none 2</bdi> 0.00~us.");
    sample_end(&s);
}

/* Rules: their state, change and limit in percent, the interval. */
static struct az_table *changes(struct sample *s)
{
    static const struct {
        const char *name, *state, *of, *words;
        double change, low, high, limit;
    } rows[] = {
        { "slower", "fail", "kern_sum", "+30%", 30, 25, 40, 10 },
        { "faster", "pass", "kern_sum", "-8%", -8, NAN, NAN, 10 },
        { "far", "warn", "gpu_timeline", "x 9", 900, 800, 1000, 5 },
        { "void at::gelu_kernel<float>(int)", "unstable", "steps", "0%", 0, -3, 3, 5 },
        { "unknown", "error", "steps", "none", NAN, NAN, NAN, NAN },
    };
    struct az_table *t = az_table_new(&s->arena, "times", "Rules", 0);
    az_table_column(t, "metric", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "change", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "low", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "high", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "limit", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "state", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "of", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "words", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        az_put_text(t, az_sv_str(rows[i].name));
        az_put_f64(t, rows[i].change);
        az_put_f64(t, rows[i].low);
        az_put_f64(t, rows[i].high);
        az_put_f64(t, rows[i].limit);
        az_put_text(t, az_sv_str(rows[i].state));
        az_put_text(t, az_sv_str(rows[i].of));
        az_put_text(t, az_sv_str(rows[i].words));
    }
    assert_int_equal(az_document_add(&s->doc, t), 0);
    return t;
}

/* Bars on one axis of round steps. A change of many times the median is truncated, with a tip; the
 * axis then ends at the round step after 12 times the median of 0, 8, 30 and 900. */
static void limits_are_pictures(void **state)
{
    (void)state;
    static const char *const more[] = { "low", "high", "limit", "state", "of", "words" };
    struct sample s;
    const char *got[3];
    sample_begin(&s);
    changes(&s);
    for (int part = 0; part < 3; part++) {
        struct az_chart *c = add_chart(&s, AZ_CHART_LIMITS, "metric", "change", NULL);
        for (size_t i = 0; i < AZ_LENGTH(more); i++)
            assert_int_equal(az_vec_push(&c->y, az_sv_str(more[i])), 0);
        c->max_rows = part == 2 ? 1 : part == 1 ? 2 : 0;
        got[part] = figure_of(&s, "<table class=\"limits\">\n", "</tbody>");
    }
    check_text(got[0], "<text x=\"93.6\" y=\"14\" text-anchor=\"middle\">0</text>"
                       "<text x=\"248.8\" y=\"14\" text-anchor=\"middle\">+200</text>"
                       "<text x=\"404.0\" y=\"14\" text-anchor=\"middle\">+400</text></svg>");
    check_text(
        got[0],
        "<tr><td class=\"t\"><span class=\"badge warning\">warn</span></td><th scope=\"row\" "
        "class=\"t l\"><div>far</div><span class=\"of\">gpu_timeline</span></th>");
    check_text(got[0],
               "<line class=\"r\" x1=\"404.0\" y1=\"0.0\" x2=\"404.0\" y2=\"22.0\"/>"
               "<rect class=\"w\" x=\"93.6\" y=\"5\" width=\"310.4\" height=\"12\"/>"
               "<polygon class=\"w\" points=\"404.0,3 404.0,19 410.0,11.0\"/>"
               "<line class=\"i\" x1=\"404.0\" y1=\"11.0\" x2=\"404.0\" y2=\"11.0\"/>"
               "<line class=\"i\" x1=\"404.0\" y1=\"8.0\" x2=\"404.0\" y2=\"14.0\"/>"
               "<line class=\"i\" x1=\"404.0\" y1=\"8.0\" x2=\"404.0\" y2=\"14.0\"/>"
               "<line class=\"h\" x1=\"97.5\" y1=\"0.0\" x2=\"97.5\" y2=\"22.0\"/>"
               "<line class=\"k\" x1=\"97.5\" y1=\"0.0\" x2=\"97.5\" y2=\"22.0\"/></svg></td>"
               "<td class=\"t l\">x 9</td></tr>");
    check_text(got[0], "<rect class=\"b\" x=\"93.6\" y=\"5\" width=\"1.0\" height=\"12\"/>"
                       "<line class=\"i\" x1=\"91.3\" y1=\"11.0\" x2=\"95.9\" y2=\"11.0\"/>"
                       "<line class=\"i\" x1=\"91.3\" y1=\"8.0\" x2=\"91.3\" y2=\"14.0\"/>"
                       "<line class=\"i\" x1=\"95.9\" y1=\"8.0\" x2=\"95.9\" y2=\"14.0\"/>");
    check_text(got[0], "x1=\"404.0\" y1=\"0.0\" x2=\"404.0\" y2=\"22.0\"/></svg></td>"
                       "<td class=\"t l\">none</td></tr>"); /* no bar, no limit */
    check_text(got[0], "<span class=\"badge error\">error</span>");
    check_text(got[0], "<span class=\"badge warning\">unstable</span>");
    check_text(got[0], "<span class=\"badge\">pass</span>");
    /* without the far one: from -8 to 40, in steps of 10 */
    check_text(got[1], "<text x=\"16.0\" y=\"14\" text-anchor=\"middle\">-10</text>"
                       "<text x=\"113.0\" y=\"14\" text-anchor=\"middle\">0</text>"
                       "<text x=\"210.0\" y=\"14\" text-anchor=\"middle\">+10</text>"
                       "<text x=\"307.0\" y=\"14\" text-anchor=\"middle\">+20</text>"
                       "<text x=\"404.0\" y=\"14\" text-anchor=\"middle\">+30</text></svg>");
    check_text(got[1], "<rect class=\"w\" x=\"113.0\" y=\"5\" width=\"291.0\" height=\"12\"/>"
                       "<line class=\"i\" x1=\"355.5\" y1=\"11.0\" x2=\"404.0\" y2=\"11.0\"/>");
    check_text(got[1], "<rect class=\"b\" x=\"35.4\" y=\"5\" width=\"77.6\" height=\"12\"/>"
                       "<line class=\"h\" x1=\"210.0\" y1=\"0.0\" x2=\"210.0\" y2=\"22.0\"/>");
    assert_null(strstr(got[1], "<polygon"));
    /* nothing below zero: steps of 5 */
    check_text(got[2], "text-anchor=\"middle\">0</text>");
    check_text(got[2], "text-anchor=\"middle\">+30</text></svg>");
    check_text(got[2], "<text x=\"145.3\" y=\"14\" text-anchor=\"middle\">+10</text>");
    assert_null(strstr(got[2], ">+5</text>")); /* every second text, where there are many */
    sample_end(&s);
}

/* Without a limit the bars are shares of one total: the far one is not truncated, the axis ends
 * behind its 900. Kernels have their short names. */
static void changes_without_limit(void **state)
{
    (void)state;
    static const char *const more[] = { "state", "of", "words" };
    struct sample s;
    sample_begin(&s);
    changes(&s);
    struct az_chart *c = add_chart(&s, AZ_CHART_LIMITS, "metric", "change", NULL);
    for (size_t i = 0; i < AZ_LENGTH(more); i++)
        assert_int_equal(az_vec_push(&c->y, az_sv_str(more[i])), 0);
    const char *got = figure_of(&s, "<table class=\"limits\">\n", "</tbody>");
    assert_null(strstr(got, "<polygon"));
    check_text(got, ">+800</text></svg>"); /* every second one of -200 to 1000 */
    check_text(got, "<div>gelu_kernel</div>");
    sample_end(&s);
}

/* Steps of a sixth of the largest distance from the median (106 us, 42 us), which is at least 5% of
 * it (of 1,000: 50). */
static void heat_by_distance(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "times", "Nights", 0);
    az_table_column(t, "night", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "wide (us)", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "narrow", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "equal", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int i = 0; i < 7; i++) {
        az_put_text(t, az_arena_printf(&s.arena, "n%d", i));
        if (i == 5)
            az_put_empty(t);
        else
            az_put_f64(t, 100 + 12 * (i - 2));
        az_put_i64(t, 1000 + (i - 3) * 5);
        az_put_i64(t, 4);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    struct az_chart *c = add_chart(&s, AZ_CHART_HEAT, "night", "wide (us)", "narrow");
    assert_int_equal(az_vec_push(&c->y, AZ_SV("equal")), 0);
    static const char *const rows[] = {
        "n0</th><td class=\"m4\" title=\"76 us\">76.000</td><td class=\"m2\" "
        "title=\"985\">985</td>",
        "n1</th><td class=\"m3\" title=\"88 us\">88.000</td><td class=\"m1\" "
        "title=\"990\">990</td>",
        "n2</th><td class=\"m1\" title=\"100 us\">100.000</td><td class=\"m1\" "
        "title=\"995\">995</td>",
        "n3</th><td class=\"p1\" title=\"112 us\">112.000</td><td class=\"p0\" "
        "title=\"1000\">1,000</td>",
        "n4</th><td class=\"p3\" title=\"124 us\">124.000</td><td class=\"p1\" "
        "title=\"1005\">1,005</td>",
        "n5</th><td></td><td class=\"p1\" title=\"1010\">1,010</td>",
        "n6</th><td class=\"p6\" title=\"148 us\">148.000</td><td class=\"p2\" "
        "title=\"1015\">1,015</td>",
    };
    const char *got = figure_of(&s, "<table class=\"heat\">\n", "</tbody>");
    check_text(got,
               "<thead><tr><th scope=\"col\" class=\"t\">Night</th><th scope=\"col\">Wide "
               "(us)</th><th scope=\"col\">Narrow</th><th scope=\"col\">Equal</th></tr></thead>");
    for (size_t i = 0; i < AZ_LENGTH(rows); i++)
        check_text(got, az_arena_printf(&s.arena,
                                        "<tr><th scope=\"row\" class=\"t\">%s<td class=\"p0\" "
                                        "title=\"4\">4</td></tr>",
                                        rows[i])
                            .p);
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_the_page),         cmocka_unit_test(values_and_units),
        cmocka_unit_test(more_of_some_kinds),        cmocka_unit_test(large_changes_have_a_bar),
        cmocka_unit_test(small_charts_share_an_end), cmocka_unit_test(titles_of_axes),
        cmocka_unit_test(stacks_by_their_number),    cmocka_unit_test(account_is_drawn_once),
        cmocka_unit_test(width_of_figures),          cmocka_unit_test(captions_of_values),
        cmocka_unit_test(captions_of_changes),       cmocka_unit_test(captions_of_stacks),
        cmocka_unit_test(limits_are_pictures),       cmocka_unit_test(changes_without_limit),
        cmocka_unit_test(heat_by_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
