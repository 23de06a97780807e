/* The verdict and a change as JSON: every member, what is not known is null. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "reports/json_claims.h"

static struct az_arena arena;

/* What is written for the claims, or the change, with so many blanks of indent. */
static const char *indented(const struct az_claims *claims, const struct az_change *change,
                            int indent)
{
    struct az_vec_char json;
    struct az_jsonw w;
    az_vec_init(&json, NULL);
    az_jsonw_init(&w, NULL, &json, indent);
    if (claims) {
        az_jsonw_object(&w);
        az_json_claims(&w, claims, &arena);
        az_jsonw_end_object(&w);
    } else {
        az_json_change(&w, change, &arena);
    }
    assert_int_equal(az_jsonw_finish(&w), 0);
    const char *text = az_arena_printf(&arena, "%.*s", (int)json.n, json.v).p;
    az_vec_release(&json);
    return text;
}

/* Without the line breaks between members. */
static const char *written(const struct az_claims *claims, const struct az_change *change)
{
    return indented(claims, change, 0);
}

/* Each member of the verdict is a line. */
static void check_lines(const struct az_claims *c)
{
    size_t lines = 0, members = 0, depth = 0;
    for (const char *p = indented(c, NULL, 2); *p; p++) {
        lines += *p == '\n';
        depth += *p == '{' || *p == '[';
        members += depth == 1 && *p == ':';
        depth -= *p == '}' || *p == ']';
    }
    assert_int_equal(lines, members + 1);
}

static void check_text(const char *got, const char *want)
{
    if (!strstr(got, want))
        print_message("%s\nlacks %s\n", got, want);
    assert_non_null(strstr(got, want));
}

static struct az_claims nothing(void)
{
    struct az_claims c = { .ranks.world = -1,
                           .rates = { NAN, NAN, NAN, AZ_SV("") },
                           .steps.period_ns = -1 };
    return c;
}

static void nothing_is_known(void **state)
{
    (void)state;
    const struct az_claims c = nothing();
    az_arena_init(&arena, NULL);
    const char *got = written(&c, NULL);
    check_text(
        got, "{\"devices\":{\"count\":0,\"idle\":[],\"name\":null,\"peaks\":null},\"ranks\":{\"pre"
             "sent\":[],\"world\":null,\"missing\":[]},\"account\":null,\"outside\":{\"before_ns\""
             ":0,\"after_ns\":0},\"steps\":null,\"rates\":{\"flops_per_s\":null,\"flops_known_shar"
             "e\":null,\"mfu\":null,\"precision\":null},\"host\":{\"operator_ns\":0,\"threads\":0}"
             ",\"findings\":[],\"trust\":[{\"check\":\"lost_device_events\",\"status\":\"not_appli"
             "cable\",\"count\":0,\"of\":0,\"time_ns\":0},");
    check_text(got, "\"count\":0,\"of\":0,\"time_ns\":0}]}");
    check_lines(&c);
    az_arena_release(&arena);
}

static void everything_is_known(void **state)
{
    (void)state;
    static const struct az_sv idle[] = { { "3", 1 }, { "1:0", 3 }, { "x", 1 } };
    static const struct az_sv excluded[] = { { "step 0", 6 }, { "step \"1\"", 8 } };
    static const int64_t present[] = { 0, 2 }, missing[] = { 1 }, ranks[] = { 4, 5 };
    struct az_claim findings[] = {
        { .rule = AZ_SV("idle"),
          .saving_ns = 0,
          .share = 0.25,
          .count = 0,
          .rank = 0,
          .ranks = ranks,
          .n_ranks = 2,
          .device = 0,
          .group = AZ_SV("3,11"),
          .groups = 0,
          .cause = AZ_CAUSE_BLOCKING_COPY,
          .call = AZ_SV("cudaMemcpy"),
          .range = AZ_SV("forward"),
          .frame = AZ_SV("f.py"),
          .operation = AZ_SV("aten::mm"),
          .part_of = 0,
          .outside_scope = true,
          .table = AZ_SV("idle_causes"),
          .row = AZ_SV("7") },
        { .rule = AZ_SV("lone"),
          .saving_ns = -1,
          .share = NAN,
          .count = -1,
          .rank = AZ_NO_RANK,
          .device = AZ_NO_RANK,
          .groups = -1,
          .part_of = -1 },
    };
    struct az_claims c = nothing();
    c.devices.count = 2;
    c.devices.idle = idle;
    c.devices.n_idle = 3;
    c.devices.name = AZ_SV("GPU <1>");
    c.devices.peaks = AZ_SV("scaled");
    c.ranks.present = present;
    c.ranks.n_present = 2;
    c.ranks.missing = missing;
    c.ranks.n_missing = 1;
    c.ranks.world = 0;
    c.has_account = true;
    c.scope = AZ_SCOPE_STEPS;
    c.account.span = 100;
    c.account.computing = 61;
    c.account.exposed_communication = 12;
    c.account.exposed_copy = 7;
    c.account.idle = 20;
    c.account.communication = 30;
    c.account.copy = 9;
    c.before.span = 5;
    c.after.span = 6;
    c.qualified_by = 1u << AZ_CHECK_LOST_DEVICE_EVENTS | 1u << AZ_CHECK_EARLIER_WORK;
    c.steps.count = 1;
    c.steps.period_ns = 0;
    c.steps.source = AZ_SV("profiler_step");
    c.steps.first = AZ_SV("step 0");
    c.steps.excluded = excluded;
    c.steps.n_excluded = 2;
    c.rates.flops_per_s = 1.5e12;
    c.rates.flops_known_share = 0.5;
    c.rates.mfu = 0;
    c.rates.precision = AZ_SV("bf16");
    c.host.operator_ns = 77;
    c.host.threads = 3;
    c.findings = findings;
    c.n_findings = 2;
    c.trust[AZ_CHECK_STEP_MARKS] = (struct az_check_result){ AZ_CHECK_WARN, 1, 2, 3 };
    c.trust[AZ_CHECK_EARLIER_WORK] = (struct az_check_result){ AZ_CHECK_FAIL, 4, 5, 6 };
    az_arena_init(&arena, NULL);
    const char *got = written(&c, NULL);
    check_text(
        got, "{\"devices\":{\"count\":2,\"idle\":[3,\"1:0\",\"x\"],\"name\":\"GPU <1>\",\"peaks\":"
             "\"scaled\"},\"ranks\":{\"present\":[0,2],\"world\":0,\"missing\":[1]},\"account\":{"
             "\"scope\":\"steps\",\"span_ns\":100,\"computing_ns\":61,\"exposed_communication_ns\""
             ":12,\"exposed_copy_ns\":7,\"idle_ns\":20,\"communication_ns\":30,\"copy_ns\":9,\"qua"
             "lified_by\":[\"lost_device_events\",\"earlier_work\"]},\"outside\":{\"before_ns\":5,"
             "\"after_ns\":6},\"steps\":{\"count\":1,\"period_ns\":0,\"source\":\"profiler_step\","
             "\"first\":\"step 0\",\"excluded\":[\"step 0\",\"step \\\"1\\\"\"]},\"rates\":{\"flop"
             "s_per_s\":1500000000000,\"flops_known_share\":0.5,\"mfu\":0,\"precision\":\"bf16\"},"
             "\"host\":{\"operator_ns\":77,\"threads\":3},\"findings\":[{\"rule\":\"idle\",\"savin"
             "g_ns\":0,\"share\":0.25,\"count\":0,\"rank\":0,\"ranks\":[4,5],\"device\":0,\"group"
             "\":\"3,11\",\"groups\":0,\"cause\":\"blocking_copy\",\"call\":\"cudaMemcpy\",\"range"
             "\":\"forward\",\"frame\":\"f.py\",\"operation\":\"aten::mm\",\"part_of\":0,\"outside"
             "_scope\":true,\"advice\":null,\"evidence\":{\"table\":\"idle_causes\",\"row\":\"7\"}"
             "},{\"rule\":\"lone\",\"saving_ns\":null,\"share\":null,\"count\":null,\"rank\":null,"
             "\"ranks\":[],\"device\":null,\"group\":null,\"groups\":null,\"cause\":null,\"call\":"
             "null,\"range\":null,\"frame\":null,\"operation\":null,\"part_of\":null,\"outside_sco"
             "pe\":false,\"advice\":null,\"evidence\":{\"table\":null,\"row\":null}}],\"trust\":[");
    check_text(
        got, "{\"check\":\"step_marks\",\"status\":\"warn\",\"count\":1,\"of\":2,\"time_ns\":3},");
    check_text(
        got,
        "{\"check\":\"earlier_work\",\"status\":\"fail\",\"count\":4,\"of\":5,\"time_ns\":6}]}");
    check_lines(&c);
    az_arena_release(&arena);
}

static void changes(void **state)
{
    (void)state;
    struct az_change c = {
        .input = AZ_SV("b"), .comparable = true, .share = NAN, .unmatched_share = NAN
    };
    az_arena_init(&arena, NULL);
    assert_string_equal(
        written(NULL, &c),
        "{\"input\":\"b\",\"basis\":\"recording\",\"comparable\":true,\"reason\":null,\"a_ns"
        "\":null,\"b_ns\":null,\"share\":null,\"a_steps\":null,\"b_steps\":null,\"unmatched_s"
        "hare\":null,\"parts\":[]}");
    c = (struct az_change){ .input = AZ_SV("b"),
                            .per_step = true,
                            .reason = AZ_CHANGE_DIFFERENT_LENGTH,
                            .a_ns = 1,
                            .b_ns = 2,
                            .share = 1,
                            .a_steps = 1,
                            .b_steps = 3,
                            .unmatched_share = 0,
                            .has_parts = true,
                            .part = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } } };
    assert_string_equal(
        written(NULL, &c),
        "{\"input\":\"b\",\"basis\":\"step\",\"comparable\":false,\"reason\":\"different_leng"
        "th\",\"a_ns\":1,\"b_ns\":2,\"share\":1,\"a_steps\":1,\"b_steps\":3,\"unmatched_share"
        "\":0,\"parts\":[{\"part\":\"computing\",\"a_ns\":1,\"b_ns\":2},{\"part\":\"exposed_c"
        "ommunication\",\"a_ns\":3,\"b_ns\":4},{\"part\":\"exposed_copy\",\"a_ns\":5,\"b_ns\""
        ":6},{\"part\":\"idle\",\"a_ns\":7,\"b_ns\":8}]}");
    az_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_is_known),
                                        cmocka_unit_test(everything_is_known),
                                        cmocka_unit_test(changes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
