/* HTML: well formed whatever the names are, every cell as in the CSV, nothing of a profile can
 * become markup, at most 2,000 marks a chart, equal bytes for equal documents, failed writes leave
 * nothing. tests/check_html.py parses; the browser test is tests/html_check.py. */
#include <math.h>

#include "document/flame.h"
#include "document/tracks.h"
#include "reports/html/html.h"
#include "reports/list.h"
#include "reports/shared/palette.h"
#include "unit/reports_common.h"

static void write_html(struct sample *s, const char *name)
{
    int rc = az_report_html.write(&s->doc, sample_path(s, name), &s->scratch, &s->diag);
    for (size_t i = 0; i < s->diag.list.n; i++)
        print_message("%.*s\n", AZ_SVF(s->diag.list.v[i].text));
    assert_int_equal(rc, 0);
    assert_int_equal(s->diag.list.n, 0);
}

/* Runs the checker over *.html of the sample's folder. */
static void check(struct sample *s, const char *more)
{
    const char *python = python_with("html.parser");
    char command[2048];
    if (!python) {
        print_message("no Python: reports are not parsed\n");
        return;
    }
    snprintf(command, sizeof command, "%s %s/tests/check_html.py %s %s/*.html", python, root_dir(),
             more, s->dir.p);
    assert_int_equal(system(command), 0);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

static void whole_document_agrees_with_csv(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    char more[256];
    sample_fill(&s, 300);
    sample_history(&s);
    write_html(&s, "r.html");
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    snprintf(more, sizeof more, "--csv %s/csv", s.dir.p);
    check(&s, more);
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_int_equal(count(got, "<figure "), 7); /* the chart of no table is skipped */
    assert_int_equal(count(got, "<canvas "), 6); /* a heat map is a table */
    assert_int_equal(count(got, "<script>"), 3);
    assert_non_null(strstr(got, "title=\"9007199254740993\"") || strstr(got, ">9007199254740993<"));
    assert_null(strstr(got, "nan"));
    free(got);
    sample_end(&s);
}

/* Tables of 13 MB in all and one of 5,000 columns make a page of less than 3 MB, of which each has
 * a part; the small one is whole. */
static void pages_stay_small(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    static char text[5000];
    memset(text, 'k', sizeof text);
    sample_begin(&s);
    for (size_t k = 0; k < 9; k++) {
        struct az_table *t =
            az_table_new(&s.arena, az_arena_printf(&s.arena, "t%zu", k).p, "T", AZ_TABLE_WHOLE);
        az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        for (size_t c = 0; k == 8 && c < 5000; c++)
            az_table_column(t, az_arena_printf(&s.arena, "c%zu", c).p, AZ_INT, AZ_UNIT_COUNT, 0);
        for (size_t i = 0; i < (k == 0 ? 11 : 300); i++) {
            az_put_text(t, az_sv_make(text, k == 0 ? 7 : k == 8 ? 9 : sizeof text));
            for (size_t c = 0; k == 8 && c < 5000; c++)
                az_put_i64(t, 1);
        }
        assert_int_equal(az_document_add(&s.doc, t), 0);
    }
    write_html(&s, "r.html");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_true(n < 3000000 && n > 1500000);
    assert_int_equal(count(got, ">kkkkkkk<"), 11);
    assert_true(count(got, "(5000 bytes, whole in CSV and JSON)") > 7 * 5);
    assert_non_null(strstr(got, "The first 300 of 5001 columns"));
    free(got);
    s.doc.html_rows = 0;
    write_html(&s, "r.html");
    got = read_file(sample_path(&s, "r.html"), &n);
    assert_int_equal(count(got, "bytes, whole"), 0);
    assert_true(n > 13000000);
    free(got);
    sample_end(&s);
}

static void release_tracks(void *t) { az_tracks_release(t); }
static void release_flame(void *f) { az_flame_release(f); }

/* A stream of kernels with gaps, whose names would end the script that holds them. */
static void sample_drawings(struct sample *s)
{
    static const char *const names[] = { "</script><script>alert(1)</script>", "copy <b>",
                                         "host in hipMemcpyWithStream & more" };
    struct az_tracks *t = az_arena_alloc(&s->arena, sizeof *t);
    struct az_flame *f = az_arena_alloc(&s->arena, sizeof *f);
    struct az_lod lod;
    bool exact;
    assert_non_null(t);
    assert_non_null(f);
    az_tracks_init(t, &s->mem);
    assert_int_equal(az_document_own(&s->doc, t, release_tracks), 0);
    t->span = 1000000;
    for (uint8_t i = 0; i < 3; i++) {
        const struct az_track_lane lane = { .kind = (enum az_track_kind)i,
                                            .rank = -1,
                                            .device = 1 };
        assert_int_equal(az_vec_push(&t->lanes, lane), 0);
        assert_int_equal(az_vec_push(&t->names, az_sv_str(names[i])), 0);
        assert_int_equal(az_vec_push(&t->families, i), 0);
    }
    assert_int_equal(az_lod_init(&lod, 0, t->span, 3, 5000, &s->mem), 0);
    for (int64_t i = 0; i < 100; i++)
        for (uint32_t lane = 0; lane < 3; lane++) {
            const struct az_track_mark m = { i * 10000, 9000, 9000, lane, lane, 1, 1 };
            assert_int_equal(az_lod_add(&lod, &m), 0);
            t->lanes.v[lane].busy += m.busy;
            t->lanes.v[lane].family[1] += m.busy;
            t->lanes.v[lane].events++;
        }
    assert_int_equal(az_lod_finish(&lod, t, &exact), 0);
    az_lod_release(&lod);
    s->doc.tracks = t;
    assert_int_equal(az_flame_init(f, &s->mem), 0);
    assert_int_equal(az_document_own(&s->doc, f, release_flame), 0);
    for (size_t i = 0; i < 3; i++) {
        uint32_t node = 0;
        assert_int_equal(az_flame_child(f, &node, AZ_SV("layer")), 0);
        assert_int_equal(az_flame_child(f, &node, az_sv_str(names[i])), 0);
        az_flame_add(f, node, 1000, AZ_FAMILY_GEMM);
    }
    f->of = "operators";
    assert_int_equal(az_flame_finish(f), 0);
    s->doc.flame = f;
}

/* Verdict, timeline and flame view: their elements without scripts, their data, what a finding is
 * about; equal bytes for equal documents. */
static void drawings_and_verdict(void **state)
{
    (void)state;
    char *got[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        struct sample s;
        sample_fill(&s, 20);
        sample_verdict(&s.doc, &s.arena);
        sample_drawings(&s);
        write_html(&s, "r.html");
        check(&s, "");
        got[i] = read_file(sample_path(&s, "r.html"), &n[i]);
        sample_end(&s);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(got[0], got[1], n[0]);
    assert_int_equal(count(got[0], "<td class=\"strip\">"), 3);
    assert_int_equal(count(got[0], "<svg class=\"account\""), 1);
    assert_non_null(strstr(got[0], "<strong>63.5%</strong> idle"));
    assert_non_null(strstr(got[0],
                           "<li class=\"finding warning\" data-about=\"0\" data-row=\"host in "
                           "hipMemcpyWithStream\">"));
    assert_non_null(strstr(got[0], "\"about\":[{\"idle\":true,"));
    assert_non_null(strstr(got[0], "layer \xe2\x80\xba &lt;/script&gt;"));
    assert_null(strstr(got[0], "alert(1)</script>"));
    free(got[0]);
    free(got[1]);
}

/* Streams are numbered from 0; only those that are not shown one by one are the others. */
static void lanes_are_named(void **state)
{
    (void)state;
    static const struct {
        struct az_track_lane lane;
        const char *name;
    } all[] = {
        { { .kind = AZ_TRACK_STREAM, .rank = -1, .device = 0, .stream = 0 }, "device 0 stream 0" },
        { { .kind = AZ_TRACK_STREAM, .rank = 0, .device = -1, .stream = 7 },
          "rank 0, device stream 7" },
        { { .kind = AZ_TRACK_STREAM, .rank = 2, .device = 1, .stream = -1 },
          "rank 2, device 1 other streams" },
        { { .kind = AZ_TRACK_GAPS, .rank = -1, .device = 0 }, "device 0 idle" },
        { { .kind = AZ_TRACK_STEPS, .rank = 0, .device = -1 }, "rank 0, steps" },
    };
    for (size_t first = 0; first < 3; first += 2) { /* three lanes a document */
        struct sample s;
        size_t n;
        sample_fill(&s, 20);
        sample_drawings(&s);
        struct az_tracks *t = (struct az_tracks *)s.doc.tracks;
        assert_int_equal(t->lanes.n, 3);
        for (size_t i = 0; i < 3; i++)
            t->lanes.v[i] = all[first + i].lane;
        write_html(&s, "r.html");
        char *got = read_file(sample_path(&s, "r.html"), &n);
        for (size_t i = 0; i < 3; i++) {
            char text[128];
            snprintf(text, sizeof text, ">%s<", all[first + i].name);
            assert_int_equal(count(got, text), 1);
            snprintf(text, sizeof text, "\"%s\"", all[first + i].name); /* of the script */
            assert_int_equal(count(got, text), 1);
        }
        free(got);
        sample_end(&s);
    }
}

static void texts_are_escaped(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    s.doc.title = AZ_SV("<title> & \"it's\"");
    struct az_table *t = az_table_new(&s.arena, "a'b\"c<d", "T < U", 0);
    az_table_column(t, "col <i>", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "v", AZ_REAL, AZ_UNIT_MS, 0);
    az_put_text(t, AZ_SV("</td><script>alert('&lt;')</script>"));
    az_put_f64(t, NAN);
    az_put_text(t, AZ_SV("x\xff\001y\xe2\x80\xa8z"));
    az_put_f64(t, 1.5);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    sample_chart(&s, AZ_CHART_BAR, "a'b\"c<d", "</script><b>", "col <i>", "v", 0);
    write_html(&s, "r.html");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_non_null(strstr(got, "<title>&lt;title&gt; &amp; &quot;it&#39;s&quot;</title>"));
    assert_non_null(
        strstr(got, "&lt;/td&gt;&lt;script&gt;alert(&#39;&amp;lt;&#39;)&lt;/script&gt;"));
    assert_non_null(strstr(got, "x\xef\xbf\xbd\xef\xbf\xbdy\xe2\x80\xa8z</td>"));
    assert_non_null(strstr(got, "x\xef\xbf\xbd\xef\xbf\xbdy\\u2028z\""));
    assert_non_null(strstr(got, "\\u003c/td>\\u003cscript>alert('&lt;')\\u003c/script>"));
    assert_non_null(strstr(got, "\"values\":[null,1.5]"));
    assert_non_null(strstr(got, "<td></td>"));
    assert_int_equal(count(got, "alert"), 2); /* cell and label; words name what has a value */
    free(got);
    check(&s, "");
    sample_end(&s);
}

/* Changes against limits are a picture in each row, with no script; what has no number has no bar.
 */
static void limits_need_no_script(void **state)
{
    (void)state;
    static const char *const more[] = { "low", "high", "limit", "state", "of", "words" };
    static const double rows[][4] = { { 20, 18, 22, 5 },
                                      { -10, NAN, NAN, 5 },
                                      { 9000, NAN, NAN, 5 },
                                      { NAN, NAN, NAN, 5 },
                                      { 4, NAN, NAN, NAN } };
    struct sample s;
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(
        &s.arena, "changes", "Changes of a night (against the night before, in percent)", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "change", AZ_REAL, AZ_UNIT_PERCENT, 0);
    for (size_t i = 0; i < 6; i++)
        az_table_column(t, more[i], i < 3 ? AZ_REAL : AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t r = 0; r < 5; r++) {
        az_put_text(t, AZ_SV("<b>same</b>")); /* equal names stay */
        for (size_t i = 0; i < 4; i++)
            az_put_f64(t, rows[r][i]);
        az_put_text(t, r ? AZ_SV("pass") : AZ_SV("fail"));
        az_put_text(t, AZ_SV("t / \"x\""));
        az_put_text(t, AZ_SV("1 -> 2 <ms>"));
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    sample_chart(&s, AZ_CHART_LIMITS, "changes", "", "name", "change", 0);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(az_vec_push(&s.doc.charts.v[0].y, az_sv_str(more[i])), 0);
    write_html(&s, "r.html");
    check(&s, "");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_int_equal(count(got, "<svg "), 6); /* the axis, too */
    assert_int_equal(count(got, "<rect "), 4);
    assert_int_equal(count(got, "<polygon "), 1);         /* cut off */
    assert_int_equal(count(got, "<line class=\"i\""), 3); /* one interval and its ends */
    assert_int_equal(count(got, "<line class=\"k\""), 4);
    assert_int_equal(count(got, "<span class=\"badge error\">fail"), 1);
    assert_int_equal(count(got, "<script>"), 1);
    assert_null(strstr(got, "chartjs"));
    assert_null(strstr(got, "nan"));
    assert_null(strstr(got, "\"inf"));
    /* the contents name it shortly, its heading in full */
    assert_non_null(strstr(got, "title=\"Changes of a night (against the night before, in "
                                "percent)\">Changes of a night</a>"));
    assert_non_null(strstr(got, ">Changes of a night (against the night before, in percent)</h3>"));
    free(got);
    sample_end(&s);
}

/* A column without a value is behind the switch of its table, as details are. */
static void empty_columns_are_hidden(void **state)
{
    (void)state;
    static const char *const names[] = { "name", "time", "comment", "count" };
    struct sample s;
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "changes", "Changes", 0);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, names[i], i % 2 ? AZ_REAL : AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t r = 0; r < 2; r++) {
        az_put_text(t, AZ_SV("row"));
        az_put_empty(t);
        az_put_text(t, AZ_SV(""));
        az_put_f64(t, 1);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    write_html(&s, "r.html");
    check(&s, "");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_non_null(strstr(got, "all 4 columns <span>(2 hidden)"));
    assert_int_equal(count(got, " class=\"d\""), 3);
    assert_int_equal(count(got, " class=\"t d\""), 3);
    free(got);
    sample_end(&s);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    s.doc.title = s.doc.input = s.doc.format = AZ_SV("");
    write_html(&s, "empty.html");
    char *got = read_file(sample_path(&s, "empty.html"), &n);
    assert_non_null(strstr(got, "<title>Report</title>"));
    assert_null(strstr(got, "chartjs")); /* the library is only there for charts */
    assert_true(n < 40000);
    free(got);
    struct az_table *t = az_table_new(&s.arena, "findings", "Findings", AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Severity", AZ_TEXT, AZ_UNIT_NONE, 0);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    sample_chart(&s, AZ_CHART_PIE, "findings", "of no rows", "Rule", "Severity", 0);
    write_html(&s, "none.html");
    got = read_file(sample_path(&s, "none.html"), &n);
    assert_non_null(strstr(got, "(none)"));
    assert_null(strstr(got, "<figure"));
    free(got);
    check(&s, "");
    sample_end(&s);
}

/* A long title is its head in the contents, unless another one begins like it. */
static void titles_in_the_contents(void **state)
{
    (void)state;
    static const struct {
        const char *title, *entry;
    } cases[] = {
        { "Thirty-six bytes: a title that stays", "\">Thirty-six bytes: a title that stays</a>" },
        { "Thirty-seven bytes: one that does not",
          "\" title=\"Thirty-seven bytes: one that does not\">Thirty-seven bytes</a>" },
        { "Seven b: a head that is too short for an entry",
          "\">Seven b: a head that is too short for an entry</a>" },
        { "Eight by: a head that is as long as one has to be",
          "\" title=\"Eight by: a head that is as long as one has to be\">Eight by</a>" },
        { "Kernels by name; of all streams, of a device (sum)",
          "\" title=\"Kernels by name; of all streams, of a device (sum)\">Kernels by name</a>" },
        { "Launches by call (of all streams, each of its own)",
          "\">Launches by call (of all streams, each of its own)</a>" },
        { "Launches by call (of one stream, all of its calls) and more of them",
          "\" title=\"Launches by call (of one stream, all of its calls) and more of them\">" },
    };
    struct sample s;
    size_t n;
    sample_begin(&s);
    s.doc.title = s.doc.input = s.doc.format = AZ_SV("");
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        const struct az_sv id = az_arena_printf(&s.arena, "t%zu", i);
        struct az_table *t = az_table_new(&s.arena, id.p, cases[i].title, 0);
        az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_put_text(t, AZ_SV("x"));
        assert_int_equal(az_document_add(&s.doc, t), 0);
    }
    write_html(&s, "titles.html");
    char *got = read_file(sample_path(&s, "titles.html"), &n);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        if (!strstr(got, cases[i].entry))
            fail_msg("no entry %s", cases[i].entry);
    assert_null(strstr(got, ">Launches by call</a>"));
    free(got);
    sample_end(&s);
}

/* A subject that repeats its rule is left out, a table that an advice names is a link to it. */
static void findings_in_words(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    assert_int_equal(
        az_document_add(&s.doc, sample_kernels(&s.arena, "kern_sum", 3, AZ_TABLE_SUMMARY)), 0);
    struct az_table *t = az_table_new(&s.arena, "findings", "Findings", AZ_TABLE_SUMMARY);
    static const char *const columns[] = { "Rule", "Severity", "Subject", "Advice" };
    static const char *const rows[][4] = {
        { "graph_hidden", "info", "graph launches", "see table kern_sum first" },
        { "graph_hidden", "warning", "graph launch 7", "see table gone" },
    };
    for (size_t i = 0; i < AZ_LENGTH(columns); i++)
        az_table_column(t, columns[i], AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < AZ_LENGTH(rows) * AZ_LENGTH(columns); i++)
        az_put_text(t, az_sv_str(rows[i / AZ_LENGTH(columns)][i % AZ_LENGTH(columns)]));
    assert_int_equal(az_document_add(&s.doc, t), 0);
    write_html(&s, "words.html");
    char *got = read_file(sample_path(&s, "words.html"), &n);
    assert_null(strstr(got, "<span class=\"subject\">graph launches</span>"));
    assert_non_null(strstr(got, "<span class=\"subject\">graph launch 7</span>"));
    assert_non_null(
        strstr(got, "see <a href=\"#t-kern_sum\">Kernels by total time</a> first</span>"));
    assert_non_null(strstr(got, "<span class=\"advice\">see table gone</span>"));
    free(got);
    sample_end(&s);
}

/* Lists of names and shapes are words in cells, and each amount of a finding has its name: a time
 * without an estimated saving is none. */
static void lists_and_amounts_in_words(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "ops", "Operations", AZ_TABLE_SUMMARY);
    az_table_column(t, "Category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Input dims", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_put_text(t, AZ_SV("[\"GEMM\"]"));
    az_put_text(t, AZ_SV("[[1024],[512,1024],[],[]]"));
    assert_int_equal(az_document_add(&s.doc, t), 0);
    t = az_table_new(&s.arena, "findings", "Findings", AZ_TABLE_SUMMARY);
    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Severity", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Recoverable (ns)", AZ_INT, AZ_UNIT_NS, 0);
    for (int i = 0; i < 2; i++) {
        az_put_text(t, i ? AZ_SV("host_sync") : AZ_SV("idle"));
        az_put_text(t, AZ_SV("info"));
        az_put_i64(t, 2);
        az_put_i64(t, 166600);
        if (i)
            az_put_empty(t);
        else
            az_put_i64(t, 34900);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    write_html(&s, "lists.html");
    char *got = read_file(sample_path(&s, "lists.html"), &n);
    assert_non_null(strstr(got, ">GEMM</td>"));
    assert_non_null(strstr(got, ">[1024] [512,1024]</td>"));
    assert_int_equal(count(got, "<span class=\"amount\">saving 34.9 us</span>"), 1);
    assert_int_equal(count(got, "<span class=\"amount\">time 166.6 us</span>"), 1);
    assert_int_equal(count(got, "<span class=\"amount\">count 2</span>"), 2);
    free(got);
    sample_end(&s);
}

static void long_tables_are_cut_and_said(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    static const struct {
        size_t limit, rows;
    } cases[] = { { 1000, 1000 }, { 7, 7 }, { 0, 20000 }, { 30000, 20000 } };
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", AZ_TABLE_WHOLE);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int64_t i = 0; i < 20000; i++)
        az_put_i64(t, i);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    assert_int_equal(s.doc.html_rows, 1000);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        s.doc.html_rows = cases[i].limit;
        write_html(&s, "r.html");
        char *got = read_file(sample_path(&s, "r.html"), &n), said[80];
        assert_int_equal(count(got, "<tr><td"), cases[i].rows);
        snprintf(said, sizeof said, "The first %zu of 20000 rows; the other %zu are", cases[i].rows,
                 20000 - cases[i].rows);
        if (cases[i].rows < 20000)
            assert_non_null(strstr(got, said));
        else
            assert_null(strstr(got, "The first"));
        free(got);
    }
    sample_end(&s);
}

/* ---- charts ---- */
struct plotted {
    struct az_html h;
    struct az_plot p;
    bool drawn;
};

static struct plotted plot(struct sample *s, enum az_chart_kind kind, const char *x,
                           const char *const *y, size_t n)
{
    struct plotted r = { .h = { .scratch = &s->scratch, .doc = &s->doc } };
    static struct az_sv anchor[] = { { "t-t", 3 } };
    r.h.anchor = anchor;
    sample_chart(s, kind, "t", "Chart", x, y[0], 0);
    struct az_chart *c = &s->doc.charts.v[s->doc.charts.n - 1];
    for (size_t i = 1; i < n; i++)
        assert_int_equal(az_vec_push(&c->y, az_sv_str(y[i])), 0);
    r.drawn = az_html_plot(&r.h, c, &r.p);
    assert_int_equal(r.h.error, 0);
    return r;
}

static void big_table(struct sample *s, size_t rows)
{
    struct az_table *t = az_table_new(&s->arena, "t", "T", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "x", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, 0);
    az_table_column(t, "y", AZ_REAL, AZ_UNIT_TFLOPS, 0);
    az_table_column(t, "change", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "total", AZ_BOOL, AZ_UNIT_NONE, 0);
    az_table_column(t, "one", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < rows; i++) {
        az_put_text(t, az_arena_printf(&s->arena, "n%zu", i));
        az_put_f64(t, pow(10, (double)(i % 701) / 100 - 2));
        az_put_f64(t, i % 10 == 9 ? 0 : pow(10, (double)(i % 499) / 100));
        az_put_f64(t, i == 0 || i + 1 == rows ? 1000 : (double)(i % 7) - 3);
        az_put_bool(t, i == 0 || i + 1 == rows);
        az_put_i64(t, 1);
    }
    assert_int_equal(az_document_add(&s->doc, t), 0);
}

static double sum(const struct az_plot *p, size_t series)
{
    double all = 0;
    for (size_t i = 0; i < p->marks.n; i++)
        all += p->series[series].v[i];
    return all;
}

static void points_are_folded(void **state)
{
    (void)state;
    struct sample s;
    const char *y = "y";
    sample_begin(&s);
    big_table(&s, 5000);
    struct plotted r = plot(&s, AZ_CHART_SCATTER_LOG, "x", &y, 1);
    size_t rows = 0;
    assert_true(r.drawn);
    assert_true(r.p.marks.n > 500 && r.p.marks.n <= AZ_HTML_MARKS);
    for (size_t i = 0; i < r.p.marks.n; i++)
        rows += r.p.marks.v[i].rows;
    assert_int_equal(rows, 4500); /* those with two positive values */
    assert_true(az_sv_starts(r.p.note, AZ_SV("4500 points are drawn as ")));
    assert_true(az_sv_ends(r.p.note, AZ_SV("500 rows without two positive values are not drawn.")));
    az_vec_release(&r.p.marks);
    s.doc.charts.v[0].max_rows = 100; /* few are not folded */
    assert_true(az_html_plot(&r.h, &s.doc.charts.v[0], &r.p));
    assert_int_equal(r.p.marks.n, 90);
    az_vec_release(&r.p.marks);
    const char *const line[] = { "y", "one" }; /* rows without a point are on the line */
    r = plot(&s, AZ_CHART_SCATTER_LOG, "x", line, 2);
    assert_true(r.drawn);
    size_t on = 0;
    for (size_t i = 0; i < r.p.marks.n; i++)
        on += isnan(r.p.series[0].v[i]) || !(r.p.series[0].v[i] > 0);
    assert_true(on > 0);
    az_vec_release(&r.p.marks);
    sample_end(&s);
}

static void sums_survive_folding(void **state)
{
    (void)state;
    struct sample s;
    static const char *const ones[] = { "one" }, *const changes[] = { "change", "total" };
    sample_begin(&s);
    big_table(&s, 5000);
    struct plotted r = plot(&s, AZ_CHART_COLUMN, "name", ones, 1);
    assert_int_equal(r.p.marks.n, 1667);
    assert_true(sum(&r.p, 0) == 5000);
    assert_true(
        az_sv_is(r.p.note, "Each mark is the sum of 3 neighboring rows (5000 rows in all)."));
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_LINE, "name", ones, 1);
    assert_true(r.p.series[0].v[1666] == 1); /* a mean */
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_PIE, "name", ones, 1);
    assert_int_equal(r.p.marks.n, 10);
    assert_true(sum(&r.p, 0) == 5000);
    assert_true(az_sv_is(r.p.label[9], "4991 others"));
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_WATERFALL, "name", changes, 2);
    assert_int_equal(r.p.marks.n, 43); /* two totals, forty changes, the others */
    double all = 0;
    for (size_t i = 1; i < 4999; i++)
        all += (double)(i % 7) - 3;
    assert_true(fabs(sum(&r.p, 0) - 2000 - all) < 1e-9);
    assert_true(az_sv_is(r.p.label[41], "4958 others"));
    assert_true(az_sv_is(r.p.label[42], "n4999"));
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_BAR, "name", ones, 1);
    assert_int_equal(r.p.marks.n, 40);
    assert_true(az_sv_is(r.p.note, "The first 40 of 5000 rows are drawn."));
    az_vec_release(&r.p.marks);
    sample_end(&s);
}

static void trends_show_the_last_runs(void **state)
{
    (void)state;
    struct sample s;
    static const char *const y[] = { "x", "y", "change", "one", "name" };
    sample_begin(&s);
    big_table(&s, 5000);
    struct plotted r = plot(&s, AZ_CHART_TREND, "name", y, 5);
    assert_int_equal(r.p.n_series, 4);
    assert_int_equal(r.p.marks.n, 400);
    assert_true(az_sv_is(r.p.label[399], "n4999"));
    az_vec_release(&r.p.marks);
    sample_end(&s);
}

/* Labels that are not unique get the rest of the key. */
static void labels_tell_rows_apart(void **state)
{
    (void)state;
    struct sample s;
    const char *y = "time (ns)";
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "step", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "device", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "from", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    for (int64_t i = 0; i < 4; i++) {
        az_put_i64(t, i / 2);
        az_put_i64(t, i % 2);
        az_put_i64(t, i == 3 ? 2000000 : i * 500);
        az_put_i64(t, 10 - i);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    struct plotted r = plot(&s, AZ_CHART_BAR, "step", &y, 1);
    assert_true(az_sv_is(r.p.label[1], "0 \xc2\xb7 1"));
    assert_true(az_sv_is(az_html_series_name(&r.h, &r.p, 0), "time"));
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_COLUMN, "from", &y, 1);
    assert_true(az_sv_is(r.p.label[0], "0\xc2\xa0ns"));
    assert_true(az_sv_is(r.p.label[1], "500\xc2\xa0ns"));
    assert_true(az_sv_is(r.p.label[2], "1\xc2\xa0us"));
    assert_true(az_sv_is(r.p.label[3], "2\xc2\xa0ms"));
    az_vec_release(&r.p.marks);
    sample_end(&s);
}

static void parts_become_stacks(void **state)
{
    (void)state;
    struct sample s;
    static const struct az_sv parts[] = { { "idle", 4 }, { "busy", 4 }, { "never", 5 } };
    static const char *const type[] = { "busy", "all", "idle" };
    const char *y = "ms";
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "ms", AZ_REAL, AZ_UNIT_MS, 0);
    for (int i = 0; i < 9; i++) {
        az_put_i64(t, i / 3);
        az_put_text(t, az_sv_str(type[i % 3]));
        az_put_f64(t, i);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    struct plotted r = plot(&s, AZ_CHART_BAR, "type", &y, 1);
    az_vec_release(&r.p.marks);
    struct az_chart *c = &s.doc.charts.v[0];
    c->parts = parts;
    c->n_parts = 3;
    c->stack = AZ_SV("rank");
    assert_true(az_html_plot(&r.h, c, &r.p));
    assert_int_equal(r.p.marks.n, 3);
    assert_int_equal(r.p.n_series, 2); /* a part that never is has none */
    assert_true(az_sv_is(r.p.series[0].name, "idle"));
    assert_true(r.p.series[0].v[1] == 5 && r.p.series[1].v[1] == 3);
    assert_true(az_sv_is(r.p.label[2], "2"));
    az_vec_release(&r.p.marks);
    sample_end(&s);
}

/* Of many stacks the caption says between which values a part is, and names the first of equal
 * ones. */
static void captions_name_the_first(void **state)
{
    (void)state;
    struct sample s;
    static const struct az_sv parts[] = { { "busy", 4 }, { "flat", 4 }, { "zero", 4 } };
    static const double busy[] = { 5, 2, 9, 2, 9 };
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "ms", AZ_REAL, AZ_UNIT_MS, 0);
    for (size_t i = 0; i < 15; i++) {
        az_put_i64(t, (int64_t)i / 3 + 8);
        az_put_text(t, parts[i % 3]);
        az_put_f64(t, i % 3 == 0 ? busy[i / 3] : i % 3 == 1 ? 3 : 0);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    sample_chart(&s, AZ_CHART_BAR, "t", "Chart", "type", "ms", 0);
    struct az_chart *c = &s.doc.charts.v[0];
    c->parts = parts;
    c->n_parts = 3;
    c->stack = AZ_SV("rank");
    write_html(&s, "r.html");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_non_null(strstr(got,
                           "<bdi>busy</bdi> 2.00\xc2\xa0ms (<bdi>rank 9</bdi>) to 9.00\xc2\xa0ms "
                           "(<bdi>rank 10</bdi>), <bdi>flat</bdi> 3.00\xc2\xa0ms.<"));
    free(got);
    sample_end(&s);
}

/* A change has its sign and its mark by the direction of its column, a level among changes has
 * neither; hidden columns are after the switch like details. */
static void changes_are_marked(void **state)
{
    (void)state;
    struct sample s;
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "Step", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "cost", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER | AZ_CHANGE);
    az_table_column(t, "gain", AZ_INT, AZ_UNIT_COUNT, AZ_HIGHER_BETTER | AZ_CHANGE);
    az_table_column(t, "Total", AZ_BOOL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Foot", AZ_INT, AZ_UNIT_COUNT, AZ_HIDDEN);
    for (int i = -1; i <= 2; i++) {
        az_put_text(t, AZ_SV("step"));
        az_put_i64(t, i * 11);
        az_put_i64(t, i * 13);
        az_put_bool(t, i == 2);
        az_put_i64(t, 777);
    }
    assert_int_equal(az_field_worse(t, 0, 1), -1);
    assert_int_equal(az_field_worse(t, 1, 1), 0);
    assert_int_equal(az_field_worse(t, 2, 1), 1);
    assert_int_equal(az_field_worse(t, 2, 2), -1);
    assert_int_equal(az_field_worse(t, 3, 1), 0); /* a level */
    assert_int_equal(az_field_worse(t, 2, 4), 0);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    write_html(&s, "r.html");
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "csv"), &s.scratch, &s.diag), 0);
    char more[256];
    snprintf(more, sizeof more, "--csv %s/csv", s.dir.p);
    check(&s, more);
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_int_equal(count(got, "<td class=\"worse\">+11</td><td class=\"better\">+13</td>"), 1);
    assert_int_equal(count(got, "<td class=\"better\">-11</td><td class=\"worse\">-13</td>"), 1);
    assert_int_equal(count(got, "<td>22</td><td>26</td>"), 1);
    assert_int_equal(count(got, "<td class=\"d\">777</td>"), 4);
    assert_int_equal(count(got, "<span>(2 hidden)</span>"), 1);
    free(got);
    sample_end(&s);
}

/* Of many names the few that have something; numbered bars stay in their row. And values in units
 * that can be read. */
static void bars_without_value(void **state)
{
    (void)state;
    struct sample s;
    const char *y = "Time (s)";
    size_t n;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "group", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "Time (s)", AZ_REAL, AZ_UNIT_S, 0);
    for (int i = 0; i < 9; i++) {
        az_put_text(t, az_arena_printf(&s.arena, "g%d", i));
        az_put_i64(t, i);
        az_put_f64(t, i % 4 == 1 ? 4e-4 : 0);
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    struct plotted r = plot(&s, AZ_CHART_BAR, "group", &y, 1);
    assert_int_equal(r.p.marks.n, 2);
    assert_true(az_sv_is(r.p.label[1], "g5"));
    assert_true(az_sv_is(r.p.note, "2 of 9 rows are drawn, 7 have no value."));
    az_vec_release(&r.p.marks);
    r = plot(&s, AZ_CHART_BAR, "rank", &y, 1);
    assert_int_equal(r.p.marks.n, 9);
    az_vec_release(&r.p.marks);
    s.doc.charts.v[1].x_title = AZ_SV("rank");
    s.doc.charts.v[1].y_title = AZ_SV("Time (s)");
    write_html(&s, "r.html");
    char *got = read_file(sample_path(&s, "r.html"), &n);
    assert_int_equal(
        count(got, "Largest: <bdi>g1</bdi> 400\xc2\xa0us, <bdi>g5</bdi> 400\xc2\xa0us."), 1);
    assert_int_equal(count(got, "Largest: <bdi>rank 1</bdi> 400\xc2\xa0us"), 1);
    assert_int_equal(count(got, "\"y\":\"Time (us)\""), 2);
    assert_int_equal(count(got, ">400.0</td>"), 2); /* in the unit in which it is read */
    free(got);
    sample_end(&s);
}

/* ---- random names ---- */
static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Bytes of all kinds, those that markup is made of more often. */
static struct az_sv noise(struct az_arena *a, uint32_t *state)
{
    static const char markup[] = "<>&\"'/=!-[]{}\\`$#; \n\t\r\xe2\x80\xa8\xef\xbf\xbf";
    size_t n = next(state) % 40;
    char *p = az_arena_alloc(a, n + 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        uint32_t r = next(state);
        p[i] = r % 3 ? markup[r / 3 % (sizeof markup - 1)] : (char)(r >> 8);
    }
    return az_sv_make(p, n);
}

static void random_document(struct sample *s, uint32_t *state)
{
    struct az_arena *a = &s->arena;
    struct az_sv x = noise(a, state), y = noise(a, state);
    s->doc.title = noise(a, state);
    s->doc.input = noise(a, state);
    for (int k = 0; k < 3; k++) {
        struct az_sv id = az_arena_printf(a, "%.*s", AZ_SVF(noise(a, state))),
                     title = noise(a, state);
        struct az_table *t = az_table_new(a, id.p, "x", next(state) % 4);
        t->title = title;
        az_table_columnsv(t, x, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_table_columnsv(t, y, AZ_REAL, (enum az_unit)(next(state) % 21), next(state) % 64);
        for (uint32_t r = 0; r < 5; r++) {
            az_put_text(t, noise(a, state));
            if (next(state) % 4)
                az_put_f64(t, ldexp((double)next(state), (int)(next(state) % 200) - 100) *
                                  (next(state) % 2 ? 1 : -1));
            else
                az_put_empty(t);
        }
        int rc = az_document_add(&s->doc, t); /* two tables of one id are refused */
        assert_true(rc == 0 || rc == AZ_EINTERNAL);
        struct az_chart c = { .kind = (enum az_chart_kind)(next(state) % (AZ_CHART_TREND + 1)),
                              .table = id,
                              .title = noise(a, state),
                              .x = x,
                              .size = y };
        az_vec_init(&c.y, &s->mem);
        assert_int_equal(az_vec_push(&c.y, y), 0);
        assert_int_equal(az_document_chart(&s->doc, c), 0);
    }
}

static void random_names_stay_text(void **state)
{
    (void)state;
    uint32_t seed = 20260101;
    struct sample files;
    sample_begin(&files);
    for (int i = 0; i < 80; i++) {
        struct sample s;
        char name[32];
        sample_begin(&s);
        random_document(&s, &seed);
        snprintf(name, sizeof name, "%02d.html", i);
        assert_int_equal(
            az_report_html.write(&s.doc, sample_path(&files, name), &s.scratch, &s.diag), 0);
        sample_end(&s);
    }
    check(&files, "");
    sample_end(&files);
}

/* ---- writing ---- */
static void equal_documents_give_equal_bytes(void **state)
{
    (void)state;
    char *got[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        struct sample s;
        sample_fill(&s, 100);
        sample_history(&s);
        write_html(&s, "r.html");
        got[i] = read_file(sample_path(&s, "r.html"), &n[i]);
        sample_end(&s);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(got[0], got[1], n[0]);
    free(got[0]);
    free(got[1]);
}

static void failed_writes_leave_nothing(void **state)
{
    (void)state;
    struct sample s;
    if (access("/dev/full", W_OK) != 0)
        skip();
    sample_fill(&s, 1000);
    assert_int_equal(az_report_html.write(&s.doc, "/dev/full", &s.scratch, &s.diag), AZ_EIO);
    assert_int_equal(s.diag.errors, 1);
    const char *folder = s.dir.p;
    assert_int_equal(az_report_html.write(&s.doc, folder, &s.scratch, &s.diag), AZ_EIO);
    sample_end(&s);
}

/* Whatever request is the first to be refused, it is an error and leaks nothing. */
static void memory_limits(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 200);
    sample_history(&s);
    const char *path = sample_path(&s, "r.html"); /* not within the limits */
    size_t base = s.mem.used;
    int refused = 0, rc = AZ_ELIMIT;
    for (size_t more = 0; rc == AZ_ELIMIT && more < (8u << 20); more = more * 5 / 4 + 1000) {
        struct az_arena scratch;
        az_arena_init(&scratch, &s.mem);
        s.mem.limit = base + more;
        rc = az_report_html.write(&s.doc, path, &scratch, &s.diag);
        refused += rc == AZ_ELIMIT;
        assert_true((rc == 0) == (access(path, F_OK) == 0));
        az_arena_release(&scratch);
        s.mem.limited = false;
    }
    assert_int_equal(rc, 0);
    assert_true(refused > 3);
    s.mem.limit = 0;
    sample_end(&s);
}

/* What is embedded can be in a script or style element, and is digested as a browser reads it. */
static void embedded_files_fit(void **state)
{
    (void)state;
    for (int i = 0; i < AZ_HTML_PARTS; i++) {
        struct az_sv s = az_html_part((enum az_html_part)i);
        assert_true(s.n > 1000);
        assert_true(az_sv_ifind(s, AZ_SV("</script")) < 0);
        assert_true(az_sv_ifind(s, AZ_SV("</style")) < 0);
        assert_true(az_sv_find(s, AZ_SV("<!--")) < 0);
        assert_null(memchr(s.p, '\r', s.n));
        assert_null(memchr(s.p, '\0', s.n));
    }
}

/* Workbooks have the colors of the style sheet. */
static void one_palette(void **state)
{
    static const char *const parts[] = { "Compute",        "exposed_comm_time",
                                         "Exposed copies", "Idle",
                                         "Time",           "Exposed" };
    const struct az_sv style = az_html_part(AZ_HTML_STYLE);
    struct az_paint p;
    char rule[40];
    (void)state;
    for (int f = 0; f < AZ_FAMILIES + (int)AZ_LENGTH(parts); f++) {
        const struct az_sv name =
            f < AZ_FAMILIES ? az_family_text((enum az_family)f) : az_sv_str(parts[f - AZ_FAMILIES]);
        assert_true(az_palette_find(name, &p));
        snprintf(rule, sizeof rule, "--%s: #%06x;", p.variable, p.rgb);
        if (az_sv_find(style, az_sv_str(rule)) < 0)
            fail_msg("%.*s: no %s", AZ_SVF(name), rule);
    }
    assert_false(az_palette_find(AZ_SV("step"), &p));
}

/* Categories of other tools have the colors of the families that they name. */
static void categories_in_the_palette(void **state)
{
    static const struct {
        const char *category;
        enum az_family family;
    } of[] = {
        { "COMM", AZ_FAMILY_COMMUNICATION },
        { "Comms", AZ_FAMILY_COMMUNICATION },
        { "Communication x", AZ_FAMILY_COMMUNICATION },
        { "NORM_bwd", AZ_FAMILY_NORM },
        { "layernorm", AZ_FAMILY_NORM },
        { "Reduction", AZ_FAMILY_REDUCE },
        { "Elemwise", AZ_FAMILY_ELEMENTWISE },
        { "GEMM-Generic", AZ_FAMILY_GEMM },
    };
    static const char *const none[] = { "convert", "ReduceScatter", "AllReduce", "count", "x" };
    struct az_paint p, q;
    (void)state;

    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        assert_true(az_palette_find(az_sv_str(of[i].category), &p));
        assert_true(az_palette_find(az_family_text(of[i].family), &q));
        assert_string_equal(p.variable, q.variable);
    }
    for (size_t i = 0; i < AZ_LENGTH(none); i++)
        assert_false(az_palette_find(az_sv_str(none[i]), &p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document_agrees_with_csv),
        cmocka_unit_test(pages_stay_small),
        cmocka_unit_test(drawings_and_verdict),
        cmocka_unit_test(lanes_are_named),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(limits_need_no_script),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(titles_in_the_contents),
        cmocka_unit_test(long_tables_are_cut_and_said),
        cmocka_unit_test(points_are_folded),
        cmocka_unit_test(sums_survive_folding),
        cmocka_unit_test(trends_show_the_last_runs),
        cmocka_unit_test(labels_tell_rows_apart),
        cmocka_unit_test(parts_become_stacks),
        cmocka_unit_test(captions_name_the_first),
        cmocka_unit_test(changes_are_marked),
        cmocka_unit_test(bars_without_value),
        cmocka_unit_test(random_names_stay_text),
        cmocka_unit_test(equal_documents_give_equal_bytes),
        cmocka_unit_test(failed_writes_leave_nothing),
        cmocka_unit_test(memory_limits),
        cmocka_unit_test(embedded_files_fit),
        cmocka_unit_test(one_palette),
        cmocka_unit_test(empty_columns_are_hidden),
        cmocka_unit_test(categories_in_the_palette),
        cmocka_unit_test(findings_in_words),
        cmocka_unit_test(lists_and_amounts_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
