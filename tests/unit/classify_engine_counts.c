/* Requests and tokens of the steps of serving engines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "classify/engine_counts.h"

static void counts(void **state)
{
    static const struct {
        const char *name;
        enum az_engine_grammar grammar;
        struct az_engine_counts want;
    } each[] = {
        { "execute_context_2(6144)_generation_3(3)", AZ_ENGINE_NATIVE, { 2, 6144, 3, 3, 6147 } },
        { "execute_context_0(0)_generation_0(0)", AZ_ENGINE_NATIVE, { 0, 0, 0, 0, 0 } },
        { "execute_6147_context_2(sq6144sk7144sqsq1sqsk2)_generation_3(sq4sk5sqsq6sqsk7) and more",
          AZ_ENGINE_DETAILED,
          { 2, 6144, 3, 4, 6148 } },
        { "step[EXTEND bs=2 toks=14721]", AZ_ENGINE_NATIVE, { 2, 14721, 0, 0, 14721 } },
        { "step[MIXED bs=2]", AZ_ENGINE_NATIVE, { 2, 0, 0, 0, 2 } },
        { "step[DECODE bs=64]", AZ_ENGINE_NATIVE, { 0, 0, 64, 64, 64 } },
        { "step[DECODE bs=64 ctx=1]", AZ_ENGINE_NATIVE, { 0, 0, 1, 1, 1 } },
        { "step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=1 g_sk=2]",
          AZ_ENGINE_DETAILED,
          { 0, 0, 64, 128, 128 } },
        { "step[EXTEND bs=2 toks=9 c_sq=7 c_sqsq=1 c_sqsk=1 c_sk=1]",
          AZ_ENGINE_DETAILED,
          { 2, 7, 0, 0, 7 } },
        { "step[MIXED bs=3 c=1 g=2 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=2]",
          AZ_ENGINE_DETAILED,
          { 1, 5, 2, 2, 7 } },
        { "prefill[bs=2 tok=14721 ctx=[7803, 6918]]", AZ_ENGINE_NATIVE, { 2, 14721, 0, 0, 14721 } },
        { "decode[bs=117/128 tok=118 d=117]", AZ_ENGINE_NATIVE, { 0, 0, 117, 118, 118 } },
        { "decode[bs=32 tok=128 sqsq=512 sqsk=1 sk=2]",
          AZ_ENGINE_DETAILED,
          { 0, 0, 32, 128, 128 } },
        { "execute_diffusion_4_1024x768", AZ_ENGINE_NATIVE, { 0, 0, 0, 0, 4 } },
        { "step[EXTENDED bs=2]", AZ_ENGINE_NO_STEP, { 0, 0, 1, 1, 1 } },
        { "step[DECODE bs=2", AZ_ENGINE_NO_STEP, { 0, 0, 1, 1, 1 } },
        { "decode[bs=2", AZ_ENGINE_NO_STEP, { 0, 0, 1, 1, 1 } },
        { "execute_context_2(6144)_generation_3(", AZ_ENGINE_NO_STEP, { 0, 0, 1, 1, 1 } },
        { "execute_context_99999999999999999999(1)_generation_3(3)",
          AZ_ENGINE_NO_STEP,
          { 0, 0, 1, 1, 1 } },
        { "ProfilerStep#3", AZ_ENGINE_NO_STEP, { 0, 0, 1, 1, 1 } },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_engine_counts c;
        assert_int_equal(az_engine_counts_read(az_sv_str(each[i].name), &c), each[i].grammar);
        assert_int_equal(c.context_requests, each[i].want.context_requests);
        assert_int_equal(c.context_tokens, each[i].want.context_tokens);
        assert_int_equal(c.generation_requests, each[i].want.generation_requests);
        assert_int_equal(c.generation_tokens, each[i].want.generation_tokens);
        assert_int_equal(c.tokens, each[i].want.tokens);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
