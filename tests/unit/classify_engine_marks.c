/* Marks of serving engines: phase, requests, tokens, context. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "classify/engine_marks.h"

static void marks(void **state)
{
    static const struct {
        const char *name;
        struct az_engine_mark want;
    } each[] = {
        { "execute_context_1(512)_generation_0(0)", { AZ_ENGINE_PREFILL, 1, 512, -1 } },
        { "execute_context_0(0)_generation_8(8)", { AZ_ENGINE_DECODE, 8, 8, -1 } },
        { "execute_context_2(600)_generation_3(3)", { AZ_ENGINE_MIXED, 5, 603, -1 } },
        { "execute_context_0(0)_generation_0(0)", { AZ_ENGINE_IDLE, 0, 0, -1 } },
        { "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
          { AZ_ENGINE_DECODE, 32, 32, 55086 } },
        { "execute_15360_context_15(sq15360sk15360sqsq1sqsk1)_generation_0(sq0sk0sqsq0sqsk0)",
          { AZ_ENGINE_PREFILL, 15, 15360, 15360 } },
        { "execute_new_2_cached_14", { AZ_ENGINE_MIXED, 16, -1, -1 } },
        { "execute_model", { AZ_ENGINE_UNKNOWN, -1, -1, -1 } },
        { "step[EXTEND bs=15 toks=15360]", { AZ_ENGINE_PREFILL, 15, 15360, -1 } },
        { "step[DECODE bs=8 ctx=4096]", { AZ_ENGINE_DECODE, 8, -1, 4096 } },
        { "step[TARGET_VERIFY bs=4]", { AZ_ENGINE_DECODE, 4, -1, -1 } },
        { "step[12]", { AZ_ENGINE_UNKNOWN, -1, -1, -1 } },
        { "prefill[bs=1 tokens=256]", { AZ_ENGINE_PREFILL, 1, 256, -1 } },
        { "decode[batch=8]", { AZ_ENGINE_DECODE, 8, -1, -1 } },
        { "decode[nbs=9]", { AZ_ENGINE_DECODE, -1, -1, -1 } },
        { "[Executor] _forward_step 12: 1 ctx reqs, 512 ctx tokens, 3 gen reqs",
          { AZ_ENGINE_MIXED, 4, 512, -1 } },
        { "[Executor] _forward_step 13: 0 ctx reqs, 3 gen reqs", { AZ_ENGINE_DECODE, 3, -1, -1 } },
        { "step[", { AZ_ENGINE_UNKNOWN, -1, -1, -1 } },
        { "execute_99999999999999999999_context_1(", { AZ_ENGINE_PREFILL, 1, -1, -1 } },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_engine_mark m;
        assert_true(az_engine_mark_read(az_sv_str(each[i].name), &m));
        assert_int_equal(m.phase, each[i].want.phase);
        assert_int_equal(m.batch, each[i].want.batch);
        assert_int_equal(m.tokens, each[i].want.tokens);
        assert_int_equal(m.context, each[i].want.context);
    }
}

static void others(void **state)
{
    static const char *const names[] = { "", "train_step", "ProfilerStep#1", "executed",
                                         "steps[1]" };
    struct az_engine_mark m;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        assert_false(az_engine_mark_read(az_sv_str(names[i]), &m));
    assert_string_equal(az_engine_phase_text(AZ_ENGINE_MIXED), "mixed");
    assert_string_equal(az_engine_phase_text(AZ_ENGINE_UNKNOWN), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(marks), cmocka_unit_test(others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
