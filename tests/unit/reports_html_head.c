/* The head of a page, whole: title, facts of the devices and labels, verdict of gates, paragraphs;
 * the contents and the list of tables without rows. */
#include "regression/verdict.h"
#include "reports/list.h"
#include "unit/reports_common.h"

static void add_facts(struct sample *s, const char *const (*rows)[2], size_t n)
{
    struct az_table *t = az_table_new(&s->arena, "facts", "Facts", AZ_TABLE_LAST);
    az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < n; i++) {
        az_put_text(t, az_sv_str(rows[i][0]));
        az_put_text(t, az_sv_str(rows[i][1]));
    }
    assert_int_equal(az_document_add(&s->doc, t), 0);
}

/* A table of these rows and one column. */
static void add_table(struct sample *s, const char *id, const char *title, size_t rows)
{
    struct az_table *t = az_table_new(&s->arena, id, title, AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < rows; i++)
        az_put_text(t, AZ_SV("x"));
    assert_int_equal(az_document_add(&s->doc, t), 0);
}

/* What is between two texts of the page. */
static void check_part(struct sample *s, const char *from, const char *to, const char *want)
{
    size_t n;
    assert_int_equal(az_report_html.write(&s->doc, sample_path(s, "r.html"), &s->scratch, &s->diag),
                     0);
    char *page = read_file(sample_path(s, "r.html"), &n);
    char *begin = strstr(page, from);
    assert_non_null(begin);
    begin += strlen(from);
    char *end = strstr(begin, to);
    assert_non_null(end);
    *end = 0;
    assert_string_equal(begin, want);
    free(page);
}

#define PAIR(name, value) "<div><dt>" name "</dt><dd>" value "</dd></div>\n"
#define INPUT             PAIR("Input", "runs/sample.sqlite") PAIR("Format", "nsys-sqlite")

static void check_facts(const char *const (*rows)[2], size_t n, const char *want)
{
    struct sample s;
    sample_begin(&s);
    add_facts(&s, rows, n);
    check_part(&s, "<dl>\n", "</dl>", want);
    sample_end(&s);
}

static void facts_of_devices(void **state)
{
    (void)state;
    static const char *const one[][2] = { { "tool", "analyzer" },     { "device 0", "H100" },
                                          { "label branch", "main" }, { "labels", "none" },
                                          { "device 1", "" },         { "label empty", "" },
                                          { "device <x>", "A & B" } };
    check_facts(one, AZ_LENGTH(one),
                INPUT PAIR("Device 0", "H100") PAIR("branch", "main")
                    PAIR("Device &lt;x&gt;", "A &amp; B"));
    static const char *const two[][2] = { { "device 0", "H100" }, { "device 1", "H100" },
                                          { "label a", "H100" },  { "device 2", "A100" },
                                          { "device 3", "H100" }, { "device 4", "A100" } };
    check_facts(two, AZ_LENGTH(two),
                INPUT PAIR("Devices", "3 of H100") PAIR("a", "H100") PAIR("Devices", "2 of A100"));
}

/* Eight of them are shown. */
static void most_facts(void **state)
{
    (void)state;
    static const char *const many[][2] = {
        { "label 1", "a" }, { "label 2", "b" },  { "label 3", "" },   { "device 4", "d" },
        { "label 5", "e" }, { "label 6", "f" },  { "label 7", "g" },  { "device 8", "d" },
        { "label 9", "i" }, { "label 10", "j" }, { "label 11", "k" }, { "label 12", "l" },
    };
#define SEVEN                                                                                      \
    INPUT PAIR("1", "a") PAIR("2", "b") PAIR("Devices", "2 of d") PAIR("5", "e") PAIR("6", "f")    \
        PAIR("7", "g") PAIR("9", "i")
    check_facts(many, 9, SEVEN);
    check_facts(many, 10, SEVEN PAIR("10", "j"));
    check_facts(many, 11, SEVEN PAIR("10", "j"));
    check_facts(many, 12, SEVEN PAIR("10", "j"));
}

static void verdict_of_gates(void **state)
{
    (void)state;
    static const struct {
        int outcome;
        const char *want;
    } cases[] = {
        { AZ_GATES_PASS,
          "<div><dt>Verdict</dt><dd><span class=\"badge\">pass</span></dd></div>\n" },
        { AZ_GATES_FAIL,
          "<div><dt>Verdict</dt><dd><span class=\"badge error\">fail</span></dd></div>\n" },
        { AZ_GATES_INCONCLUSIVE, "<div><dt>Verdict</dt><dd><span class=\"badge "
                                 "warning\">inconclusive</span></dd></div>\n" },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct sample s;
        char want[1000];
        struct az_gate_verdict v = { .outcome = cases[i].outcome,
                                     .base_label = AZ_SV("old"),
                                     .cand_label = AZ_SV("new") };
        sample_begin(&s);
        s.doc.verdict = &v;
        s.doc.input = AZ_SV("");
        snprintf(want, sizeof want, "%s%s", PAIR("Format", "nsys-sqlite"), cases[i].want);
        check_part(&s, "<dl>\n", PAIR("Baseline", "old") PAIR("Candidate", "new") "</dl>", want);
        v.cand_label = AZ_SV("");
        v.count[AZ_GATE_PASS] = 3;
        check_part(&s, PAIR("Baseline", "old"), "</dl>", PAIR("Results", "3 pass"));
        v.count[AZ_GATE_FAIL] = 1;
        v.count[AZ_GATE_INCONCLUSIVE] = 2;
        check_part(&s, PAIR("Baseline", "old"), "</dl>",
                   PAIR("Results", "3 pass, 1 fail, 2 inconclusive"));
        sample_end(&s);
    }
}

static void paragraphs(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    check_part(&s, "</dl>\n", "</header>", "");
    assert_int_equal(az_vec_push(&s.doc.preface, AZ_SV("one & only")), 0);
    assert_int_equal(az_vec_push(&s.doc.preface, AZ_SV("second")), 0);
    check_part(&s, "</dl>\n", "</header>",
               "<p class=\"message\">one &amp; only</p>\n<p class=\"message\">second</p>\n");
    check_part(&s, "<h1>", "</h1>", "Sample \xe2\x82\xac run");
    check_part(&s, "<title>", "</title>", "Sample \xe2\x82\xac run");
    s.doc.no_heading = true;
    check_part(&s, "<h1>", "</h1>", "runs/sample.sqlite");
    s.doc.input = AZ_SV("");
    check_part(&s, "<title>", "</title>", "Report");
    sample_end(&s);
}

#define NAV "<details open><summary>Contents</summary>\n"
static void contents_of_tables(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    check_part(&s, NAV, "</nav>", "<ol>\n</ol>\n<h2>Tables</h2>\n<ol>\n</ol>\n</details>\n");
    check_part(&s, "<section id=\"tables\">\n<h2>Tables</h2>\n", "</section>", "");
    add_table(&s, "a", "First <table>", 2);
    add_table(&s, "b", "", 1);
    add_table(&s, "c", "Nothing & none", 0);
    add_table(&s, "A", "Same file name", 3);
    add_table(&s, "d", "", 0);
    check_part(&s, NAV, "</nav>",
               "<ol>\n</ol>\n<h2>Tables</h2>\n<ol>\n"
               "<li><a href=\"#t-a\">First &lt;table&gt;</a> <span class=\"count\">2</span></li>\n"
               "<li><a href=\"#t-b\">b</a> <span class=\"count\">1</span></li>\n"
               "<li><a href=\"#t-A~2\">Same file name</a> <span class=\"count\">3</span></li>\n"
               "</ol>\n</details>\n");
    check_part(&s, "<p class=\"note\">Without rows: ", "</p>", "Nothing &amp; none; d.");
    sample_verdict(&s.doc, &s.arena);
    assert_int_equal(az_document_add(&s.doc, sample_findings(&s.arena)), 0);
    sample_chart(&s, AZ_CHART_BAR, "findings", "Times", "Rule", "Time (ns)", 0);
    check_part(&s, NAV, "</ol>",
               "<ol>\n<li><a href=\"#verdict\">Verdict</a></li>\n"
               "<li><a href=\"#top-findings\">Findings</a></li>\n"
               "<li><a href=\"#charts\">Charts</a></li>\n");
    sample_end(&s);
}

/* Titles break after their parts; text wraps in tables of few columns and in wide ones of few rows.
 */
static void layout_of_tables(void **state)
{
    (void)state;
    static const struct {
        size_t columns, rows;
        const char *want;
    } of[] = { { 8, 3, " class=\"few\"" }, { 9, 24, " class=\"fit\"" }, { 9, 25, "" } };
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        struct sample s;
        sample_begin(&s);
        struct az_table *t = az_table_new(&s.arena, "times", "Times", 0);
        az_table_column(t, "in0:train_step::aA__b", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        az_table_column(t, "Hidden", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
        while (t->columns.n < of[i].columns + 1)
            az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
        for (size_t k = 0; k < of[i].rows * t->columns.n; k++)
            if (k % t->columns.n == 0)
                az_put_text(t, AZ_SV("x"));
            else
                az_put_i64(t, 1);
        assert_int_equal(az_document_add(&s.doc, t), 0);
        check_part(&s, "aria-labelledby=\"h0\"><table", ">", of[i].want);
        check_part(&s, "<tr><th scope=\"col\" class=\"t\">", "</th>",
                   "in0:<wbr>train_<wbr>step::<wbr>a<wbr>A__<wbr>b");
        sample_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_devices),   cmocka_unit_test(most_facts),
        cmocka_unit_test(verdict_of_gates),   cmocka_unit_test(paragraphs),
        cmocka_unit_test(contents_of_tables), cmocka_unit_test(layout_of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
