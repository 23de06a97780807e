/* The verdict as JSON: every member has its own number, of long histories the newest values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "regression/verdict.h"
#include "reports/list.h"

#define PATH "unit_verdict.json"

struct env {
    struct az_arena arena;
    struct az_diag diag;
    struct az_document doc;
    struct az_gate_verdict verdict;
    char text[16384];
};

static int setup(void **state)
{
    static struct env e;
    memset(&e, 0, sizeof e);
    az_arena_init(&e.arena, NULL);
    az_diag_init(&e.diag);
    az_document_init(&e.doc, &e.arena);
    az_gate_verdict_init(&e.verdict, &e.arena);
    e.doc.verdict = &e.verdict;
    *state = &e;
    return 0;
}

static int teardown(void **state)
{
    struct env *e = *state;
    az_gate_verdict_release(&e->verdict);
    az_document_release(&e->doc);
    az_diag_release(&e->diag);
    az_arena_release(&e->arena);
    unlink(PATH);
    return 0;
}

static struct az_gate_result full(void)
{
    static const double base[] = { 1, 2, 3 }, cand[] = { 4 };
    return (struct az_gate_result){ .rule_name = AZ_SV("time"),
                                    .input = AZ_SV("in"),
                                    .sheet = AZ_SV("t"),
                                    .key = AZ_SV("{\"name\":\"k\"}"),
                                    .metric = AZ_SV("Total"),
                                    .unit = AZ_SV("ns"),
                                    .base = { 3, 2, 1, base },
                                    .cand = { 1, 4, NAN, cand },
                                    .delta = 5,
                                    .rel = 0.25,
                                    .limit_abs = 6,
                                    .limit_rel = 7,
                                    .max = 8,
                                    .min = 9,
                                    .test = "bootstrap",
                                    .u = 10,
                                    .p = 11,
                                    .effect = 12,
                                    .low = 13,
                                    .high = 14,
                                    .status = AZ_GATE_FAIL,
                                    .level = AZ_LEVEL_FAIL,
                                    .note = AZ_SV("note"),
                                    .text = AZ_SV("text"),
                                    .cause = AZ_SV("cause"),
                                    .course = { .known = true,
                                                .kind = AZ_BASELINE_STEP,
                                                .runs = 15,
                                                .held = 16,
                                                .since = AZ_SV("run 17"),
                                                .commits = AZ_SV("a..b"),
                                                .total = 18,
                                                .noise = 19,
                                                .correlation = 20,
                                                .drift = 21,
                                                .least = 22,
                                                .least_run = 23 } };
}

/* What is written, without blanks. */
static const char *written(struct env *e, const struct az_gate_result *x)
{
    if (x)
        assert_int_equal(az_vec_push(&e->verdict.results, *x), 0);
    assert_int_equal(az_report_verdict.write(&e->doc, PATH, &e->arena, &e->diag), 0);
    FILE *f = fopen(PATH, "r");
    size_t n = 0;
    assert_non_null(f);
    for (int c; n + 1 < sizeof e->text && (c = getc(f)) != EOF;)
        if (c != ' ' && c != '\n')
            e->text[n++] = (char)c;
    fclose(f);
    e->text[n] = '\0';
    return e->text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s\nlacks %s", text, part);
}

static void all_members(void **state)
{
    struct env *e = *state;
    const struct az_gate_result x = full();
    e->verdict.base_id = AZ_SV("b1");
    e->verdict.base_label = AZ_SV("b2");
    e->verdict.cand_id = AZ_SV("c1");
    e->verdict.cand_label = AZ_SV("c2");
    e->verdict.count[AZ_GATE_ERROR] = 31;
    e->verdict.count[AZ_GATE_WARN] = 32;
    const char *text = written(e, &x);
    has(text, "{\"baseline\":{\"id\":\"b1\",\"label\":\"b2\"},\"candidate\":{\"id\":\"c1\","
              "\"label\":\"c2\"},\"changes\":[],\"counts\":{\"error\":31,\"fail\":0,");
    has(text, "\"unstable\":0,\"warn\":32}");
    has(text, "{\"baseline\":{\"mad\":1,\"median\":2,\"n\":3,\"values\":[1,2,3]},"
              "\"candidate\":{\"mad\":null,\"median\":4,\"n\":1,\"values\":[4]},"
              "\"cause\":\"cause\",\"delta\":5,\"input\":\"in\",\"key\":{\"name\":\"k\"},"
              "\"level\":\"fail\",\"metric\":\"Total\",\"nights\":{\"commits\":\"a..b\","
              "\"correlation\":20,\"drift\":21,\"held\":16,\"kind\":\"step\",\"least\":22,"
              "\"least_run\":23,\"noise\":19,\"runs\":15,\"since\":\"run17\",\"total\":18},"
              "\"note\":\"note\",\"rel\":0.25,\"rule\":\"time\",\"sheet\":\"t\","
              "\"status\":\"fail\",\"test\":{\"U\":10,\"effect\":12,\"high\":14,\"low\":13,"
              "\"name\":\"bootstrap\",\"p\":11},\"text\":\"text\",\"threshold\":{\"abs\":6,"
              "\"max\":8,\"min\":9,\"rel\":7},\"unit\":\"ns\"}");
    has(text, "\"schema\":\"analyzer.verdict/1\"");
}

static void little_is_known(void **state)
{
    struct az_gate_result x = full();
    x.key = x.note = x.cause = AZ_SV("");
    x.course.known = false;
    x.rel = NAN;
    x.delta = INFINITY;
    const char *text = written(*state, &x);
    has(text, "\"key\":null,");
    has(text, "\"delta\":null,");
    has(text, "\"rel\":null,");
    has(text, "\"note\":\"thebaselineis0:thereisnorelativechange\"");
    assert_null(strstr(text, "\"nights\""));
    assert_null(strstr(text, "\"cause\""));
}

static void no_note(void **state)
{
    struct env *e = *state;
    struct az_gate_result x = full();
    x.note = AZ_SV("");
    x.course.kind = AZ_BASELINE_SAME;
    x.course.since = AZ_SV("never");
    const char *text = written(e, &x);
    assert_null(strstr(text, "\"note\""));
    has(text, "\"kind\":\"same\"");
    has(text, "\"since\":\"\"");
    x.delta = x.rel = NAN;
    e->verdict.results.n = 0;
    assert_null(strstr(written(e, &x), "\"note\""));
}

/* Forty values are all there, of one more the first is left out. */
static void the_newest_values(void **state)
{
    struct env *e = *state;
    static double v[41];
    for (size_t i = 0; i < AZ_LENGTH(v); i++)
        v[i] = (double)i;
    for (size_t n = 39; n <= 41; n++) {
        struct az_gate_result x = full();
        x.base = (struct az_gate_side){ n, 2, 1, v };
        e->verdict.results.n = 0;
        const char *text = written(e, &x);
        has(text, n == 41   ? "\"n\":41,\"values\":[1,2,"
                  : n == 40 ? "\"n\":40,\"values\":[0,1,"
                            : "\"n\":39,\"values\":[0,1,");
        has(text, n == 41 ? "39,40]" : n == 40 ? "38,39]" : "37,38]");
    }
}

static void no_verdict(void **state)
{
    struct env *e = *state;
    e->doc.verdict = NULL;
    assert_int_equal(az_report_verdict.write(&e->doc, PATH, &e->arena, &e->diag), AZ_EUSAGE);
    assert_int_equal(access(PATH, F_OK), -1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = { T(all_members), T(little_is_known), T(no_note),
                                        T(the_newest_values), T(no_verdict) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
