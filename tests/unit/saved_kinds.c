/* What a saved result looks like, by the first bytes of a file; names of results. */
#include "saved/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum kind { NONE, RESULT, HISTORY };

static void kind_is(const char *path, struct az_sv head, enum kind want)
{
    const char *got = az_saved_why_no_profile(path, head);
    const enum kind is = !got ? NONE : strstr(got, "analyzer compare") ? RESULT : HISTORY;
    if (is != want)
        fail_msg("'%.*s': %d", AZ_SVF(head), (int)is);
}

static void documents(void **state)
{
    static const struct {
        const char *text;
        enum kind kind;
    } each[] = {
        { "{\"schema\": \"analyzer-result/1\"}", RESULT },
        { "{\"schema\":\"analyzer-comparison/2\"", RESULT },
        { "\r\n {\"title\": \"x\",\n\t\"schema\" \n:\t\"analyzer-result/", RESULT },
        { "{\"schema\": \"analyzer-result/", RESULT },
        { "{\"schema\": \"analyzer-result", NONE },
        { "{\"schema\": \"analyzer-gates/1\"}", NONE },
        { "{\"schema\": \"other/1\"}", NONE },
        { "{\"schema\" \"analyzer-result/1\"}", NONE },
        { "{\"schema\"", NONE },
        { "{\"schema\":", NONE },
        { "{\"schemas\": \"analyzer-result/1\"}", NONE },
        { "{\"a\": \"analyzer-result/1\"}", NONE },
        { "[{\"schema\": \"analyzer-result/1\"}]", NONE },
        { "\"schema\": \"analyzer-result/1\"", NONE },
        { "", NONE },
        { "{", NONE },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        kind_is("r.json", az_sv_str(each[i].text), each[i].kind);
    /* only the beginning of a file counts */
    char far[5000];
    memset(far, ' ', sizeof far);
    far[0] = '{';
    memcpy(far + 4096 - 27, "\"schema\":\"analyzer-result/1\"", 28);
    kind_is("r.json", az_sv_make(far, sizeof far), RESULT);
    memset(far + 1, ' ', sizeof far - 1);
    memcpy(far + 4096 - 25, "\"schema\":\"analyzer-result/1\"", 28);
    kind_is("r.json", az_sv_make(far, sizeof far), NONE);
}

static void books(void **state)
{
    (void)state;
    kind_is("a.xlsx", AZ_SV("PK\003\004"), RESULT);
    kind_is("a.zip", AZ_SV("PK\003\004"), NONE);
    kind_is("a.zip", AZ_SV("PK\003\004....[Content_Types].xml"), RESULT);
    kind_is("a", AZ_SV("PK\003\004....xl/"), RESULT);
    kind_is("a.xlsx", AZ_SV("xl/"), NONE);
    kind_is("a.xlsx", AZ_SV("PK\003"), NONE);
    kind_is("a.xlsx", AZ_SV("\xd0\xcf\x11\xe0"), RESULT);
    kind_is("a.doc", AZ_SV("\xd0\xcf\x11\xe0"), NONE);
}

static void databases(void **state)
{
    char head[256];
    const size_t end = AZ_DATABASE_AT + 4;
    (void)state;
    memset(head, 0, sizeof head);
    memcpy(head, "SQLite format 3", 16);
    kind_is("a.db", az_sv_make(head, sizeof head), NONE);
    memcpy(head + AZ_DATABASE_AT, "AZLY", 4);
    kind_is("a.db", az_sv_make(head, sizeof head), RESULT);
    kind_is("a.db", az_sv_make(head, end), RESULT);
    kind_is("a.db", az_sv_make(head, end - 1), NONE);
    head[end - 1] = 'Z';
    kind_is("a.db", az_sv_make(head, sizeof head), NONE);
    head[end - 1] = 'Y';
    head[15] = 'x';
    kind_is("a.db", az_sv_make(head, sizeof head), NONE);
    kind_is("h.db",
            AZ_SV("SQLite format 3 CREATE TABLE sample(run_id INTEGER REFERENCES run(id),x)"),
            HISTORY);
    kind_is("h.db", AZ_SV("SQLite format 3 CREATE TABLE sample(run_id INTEGER)"), NONE);
    kind_is("h.db", AZ_SV("CREATE TABLE sample(run_id INTEGER REFERENCES run(id)"), NONE);
}

static void names(void **state)
{
    static const char *const each[][2] = {
        { "d/step_perf_report.xlsx", "step" },
        { "step.json", "step" },
        { "d.e/step_perf_report.json", "step" },
        { "_perf_report.json", "_perf_report" },
        { "a_perf_report.db", "a" },
        { "perf_report.csv", "perf_report" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        const struct az_sv got = az_saved_name(az_sv_str(each[i][0]));
        if (!az_sv_is(got, each[i][1]))
            fail_msg("%s: %.*s", each[i][0], AZ_SVF(got));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents),
        cmocka_unit_test(books),
        cmocka_unit_test(databases),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
