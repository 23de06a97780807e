/* A verdict as JUnit XML, whole: suites, cases, what each level has, times, escapes, and the limits
 * of lines and cases. */
#include <math.h>

#include "regression/verdict.h"
#include "reports/list.h"
#include "unit/reports_common.h"

struct gates {
    struct sample s;
    struct az_gate_verdict v;
    struct az_gate_rule rule;
};

static void begin(struct gates *g)
{
    memset(g, 0, sizeof *g);
    sample_begin(&g->s);
    az_gate_verdict_init(&g->v, &g->s.arena);
    g->v.created = -1;
    g->s.doc.verdict = &g->v;
}

static void end(struct gates *g)
{
    az_gate_verdict_release(&g->v);
    sample_end(&g->s);
}

static struct az_gate_result *add(struct gates *g, const char *input, const char *rule,
                                  enum az_gate_status status, enum az_gate_level level,
                                  const char *text)
{
    const struct az_gate_result x = { .rule = *rule ? &g->rule : NULL,
                                      .rule_name = az_sv_str(rule),
                                      .input = az_sv_str(input),
                                      .metric = AZ_SV("Total"),
                                      .cand = { .center = NAN },
                                      .status = status,
                                      .level = level,
                                      .text = az_sv_str(text) };
    assert_int_equal(az_vec_push(&g->v.results, x), 0);
    return &g->v.results.v[g->v.results.n - 1];
}

static char *written(struct gates *g)
{
    size_t n;
    assert_int_equal(
        az_report_junit.write(&g->s.doc, sample_path(&g->s, "g.xml"), &g->s.scratch, &g->s.diag),
        0);
    return read_file(sample_path(&g->s, "g.xml"), &n);
}

static void check(struct gates *g, const char *want)
{
    char *text = written(g);
    assert_string_equal(text, want);
    free(text);
}

#define XML  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define NONE " tests=\"0\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000000000\""
#define SUMS(t, f, e, s, time)                                                                     \
    " tests=\"" t "\" failures=\"" f "\" errors=\"" e "\" skipped=\"" s "\" time=\"" time "\""
#define PROPERTIES(n, more)                                                                        \
    "      <properties>\n        <property name=\"metrics\" value=\"" n "\"/>\n" more              \
    "      </properties>\n"
#define PROPERTY(name, n) "        <property name=\"" name "\" value=\"" n "\"/>\n"
#define SUITES(sums, text)                                                                         \
    XML "<testsuites name=\"analyzer gates\"" sums ">\n" text "</testsuites>\n"
#define CASE(class, name, time, text)                                                              \
    "    <testcase classname=\"" class "\" name=\"" name "\" time=\"" time "\">\n" text            \
                                       "    </testcase>\n"

static void nothing(void **state)
{
    (void)state;
    struct gates g;
    begin(&g);
    check(&g, SUITES(NONE, ""));
    sample_verdict(&g.s.doc, &g.s.arena);
    check(&g, XML
          "<testsuites name=\"analyzer gates: MI300X, 1 rank, 12 steps, 908.3 ms (pytorch)\"" NONE
          ">\n</testsuites>\n");
    g.s.doc.verdict = NULL;
    assert_int_equal(
        az_report_junit.write(&g.s.doc, sample_path(&g.s, "x.xml"), &g.s.scratch, &g.s.diag),
        AZ_EUSAGE);
    assert_int_equal(g.s.diag.list.n, 1);
    assert_true(
        az_sv_ends(g.s.diag.list.v[0].text, AZ_SV("x.xml: no verdict to write; add \"gates\"")));
    end(&g);
}

static void every_level(void **state)
{
    (void)state;
    struct gates g;
    begin(&g);
    g.v.created = 86400;
    add(&g, "b", "time", AZ_GATE_PASS, AZ_LEVEL_INFO, "fine");
    add(&g, "a", "time", AZ_GATE_FAIL, AZ_LEVEL_FAIL, "worse");
    add(&g, "a", "time", AZ_GATE_WARN, AZ_LEVEL_WARN, "nearly");
    add(&g, "a", "time", AZ_GATE_SKIP, AZ_LEVEL_INFO, "small");
    add(&g, "a", "rows", AZ_GATE_REMOVED, AZ_LEVEL_FAIL, "gone");
    add(&g, "a", "more", AZ_GATE_NEW, AZ_LEVEL_FAIL, "new");
    add(&g, "b", "skips", AZ_GATE_SKIP, AZ_LEVEL_INFO, "few");
    add(&g, "b", "skips", AZ_GATE_SKIP, AZ_LEVEL_INFO, "fewer");
    add(&g, "b", "some", AZ_GATE_SKIP, AZ_LEVEL_INFO, "few");
    add(&g, "b", "some", AZ_GATE_PASS, AZ_LEVEL_INFO, "fine");
    add(&g, "", "", AZ_GATE_INCONCLUSIVE, AZ_LEVEL_INCONCLUSIVE, "truncated");
#define TIMESTAMP " timestamp=\"1970-01-02T00:00:00\""
    check(&g,
          SUITES(
              SUMS("7", "3", "1", "1", "0.000000000"),
              "  <testsuite name=\"gates\"" SUMS("1", "0", "1", "0", "0.000000000") TIMESTAMP
              ">\n" CASE(
                  "gates", "comparable", "0.000000000",
                  PROPERTIES("1",
                             PROPERTY("inconclusive",
                                      "1")) "      <error message=\"Total: truncated\" "
                                            "type=\"inconclusive\">inconclusive: Total: "
                                            "truncated</error>\n") "  </testsuite>\n"
                                                                   "  <testsuite name=\"a\"" SUMS(
                                                                       "3", "3", "0", "0",
                                                                       "0.000000000") TIMESTAMP
              ">\n" CASE(
                  "a", "more", "0.000000000",
                  PROPERTIES("1",
                             PROPERTY("new", "1")) "      <failure message=\"Total: new\" "
                                                   "type=\"presence\">new: Total: new</failure>\n")
                  CASE("a", "rows", "0.000000000",
                       PROPERTIES(
                           "1", PROPERTY("removed",
                                         "1")) "      <failure message=\"Total: gone\" "
                                               "type=\"presence\">removed: Total: gone</failure>\n")
                      CASE("a", "time", "0.000000000",
                           PROPERTIES(
                               "3", PROPERTY("fail", "1") PROPERTY("warn", "1") PROPERTY(
                                        "skip",
                                        "1")) "      <failure message=\"Total: worse\" "
                                              "type=\"regression\">fail: Total: worse</failure>\n"
                                              "      <system-out>warn: Total: "
                                              "nearly</system-out>\n") "  </testsuite>\n"
                                                                       "  <testsuite "
                                                                       "name=\"b\"" SUMS(
                                                                           "3", "0", "0", "1",
                                                                           "0.000000000") TIMESTAMP
              ">\n" CASE("b", "skips", "0.000000000",
                         PROPERTIES("2", PROPERTY("skip",
                                                  "2")) "      <skipped message=\"Total: few\"/>\n")
                  CASE("b", "some", "0.000000000",
                       PROPERTIES("2", PROPERTY("pass", "1") PROPERTY("skip", "1")))
                      CASE("b", "time", "0.000000000",
                           PROPERTIES("1", PROPERTY("pass", "1"))) "  </testsuite>\n"));
    end(&g);
}

/* Times in seconds: the longest of a case, the sum of cases. */
static void times(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        bool timed;
        double center;
        const char *seconds;
    } cases[] = {
        { "s", true, 2, "2.000000000" },     { "ms", true, 2, "0.002000000" },
        { "us", true, 3, "0.000003000" },    { "ns", true, 4, "0.000000004" },
        { "ps", true, 5000, "0.000000005" }, { "s", false, 2, "0.000000000" },
        { "s", true, NAN, "0.000000000" },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct gates g;
        char want[100];
        begin(&g);
        for (int k = 0; k < 2; k++) {
            struct az_gate_result *x = add(&g, "a", "time", AZ_GATE_PASS, AZ_LEVEL_INFO, "fine");
            x->timed = cases[i].timed;
            x->unit = az_sv_str(cases[i].unit);
            x->cand.center = k ? cases[i].center / 2 : cases[i].center;
        }
        char *text = written(&g);
        snprintf(want, sizeof want, "name=\"time\" time=\"%s\">", cases[i].seconds);
        assert_non_null(strstr(text, want));
        snprintf(want, sizeof want, "skipped=\"0\" time=\"%s\"", cases[i].seconds);
        assert_non_null(strstr(text, want));
        free(text);
        struct az_gate_result *x = add(&g, "a", "second", AZ_GATE_PASS, AZ_LEVEL_INFO, "fine");
        x->timed = true;
        x->unit = AZ_SV("s");
        x->cand.center = 10;
        text = written(&g);
        snprintf(want, sizeof want,
                 "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"1%c%s",
                 *cases[i].seconds, cases[i].seconds + 1);
        assert_non_null(strstr(text, want));
        free(text);
        end(&g);
    }
}

static void escapes(void **state)
{
    (void)state;
    struct gates g;
    begin(&g);
    add(&g, "a<b>&\"c\"'\t\n\r\x01\x1f\x7f \xc3\xa9\xff\xef\xbf\xbf\xef\xbf\xbe!", "r",
        AZ_GATE_PASS, AZ_LEVEL_INFO, "");
    char *text = written(&g);
    assert_non_null(strstr(text, "<testsuite name=\"a&lt;b&gt;&amp;&quot;c&quot;'&#9;&#10;&#13; "
                                 "\xc3\xa9\xef\xbf\xbd!\""));
    free(text);
    end(&g);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

/* Ten results of a case are lines. */
static void most_lines(void **state)
{
    (void)state;
    for (size_t n = 9; n <= 12; n++) {
        struct gates g;
        begin(&g);
        for (size_t i = 0; i < n; i++)
            add(&g, "a", "time", AZ_GATE_FAIL, AZ_LEVEL_FAIL, "worse");
        char *text = written(&g);
        assert_int_equal(count(text, "fail: Total: worse"), n < 10 ? n : 10);
        assert_int_equal(count(text, "fail: Total: worse\n"), n <= 10 ? n - 1 : 10);
        assert_int_equal(count(text, "\nand 1 more</failure>"), n == 11);
        assert_int_equal(count(text, "\nand 2 more</failure>"), n == 12);
        assert_int_equal(count(text, " more</failure>"), n > 10);
        free(text);
        end(&g);
    }
}

/* From 200 cases on the last of an input has the rest of it, with the worst of them; a further
 * input has its own. */
static void most_cases(void **state)
{
    (void)state;
    for (size_t n = 199; n <= 203; n++) {
        struct gates g;
        begin(&g);
        for (size_t i = 0; i < n; i++)
            add(&g, "a", az_arena_printf(&g.s.arena, "rule %03zu", i).p,
                i == 201 ? AZ_GATE_FAIL : AZ_GATE_PASS, i == 201 ? AZ_LEVEL_FAIL : AZ_LEVEL_INFO,
                "text");
        add(&g, "b", "rule", AZ_GATE_PASS, AZ_LEVEL_INFO, "text");
        add(&g, "b", "second", AZ_GATE_PASS, AZ_LEVEL_INFO, "text");
        char *text = written(&g);
        const size_t of_a = n < 200 ? n : 200;
        assert_int_equal(count(text, "<testcase classname=\"a\""), of_a);
        assert_int_equal(count(text, "<testcase classname=\"b\""), n < 199 ? 2 : 1);
        assert_int_equal(count(text, "<failure "), n > 201);
        assert_int_equal(count(text, "name=\"rule 201\""), n > 201);
        char value[60];
        snprintf(value, sizeof value, "name=\"metrics\" value=\"%zu\"", n - 199);
        if (n > 201)
            assert_int_equal(count(text, value), 1);
        free(text);
        end(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing), cmocka_unit_test(every_level), cmocka_unit_test(times),
        cmocka_unit_test(escapes), cmocka_unit_test(most_lines),  cmocka_unit_test(most_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
