/* Pairing captured launches with replayed events (docs/graphs.md 3), and the words of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/intern.h"
#include "model/capture_match_check.h"
#include "model/graph_capture_attach.h"

#define ANY  ((uint32_t)AZ_KEY_KERNEL)
#define COPY ((uint32_t)AZ_KEY_COPY)

static enum az_pair_by pair_of(const uint32_t *launch, size_t n, const uint32_t *event,
                               const uint32_t *lane, size_t m, uint32_t *out)
{
    static const uint32_t one_lane[64];
    struct az_mem mem;
    int rc = -1;
    az_mem_init(&mem, 0);
    const struct az_pairing p = { .launch = launch,
                                  .n_launches = n,
                                  .event = event,
                                  .lane = lane ? lane : one_lane,
                                  .n_events = m,
                                  .launch_of = out,
                                  .mem = &mem };
    const enum az_pair_by by = az_pair_launches(&p, &rc);
    assert_int_equal(rc, 0);
    assert_int_equal(mem.used, 0);
    return by;
}

#define CASE(by, launch, event, lane, ...)                                                         \
    do {                                                                                           \
        static const uint32_t l[] = launch, e[] = event, want[] = { __VA_ARGS__ };                 \
        uint32_t got[64];                                                                          \
        assert_int_equal(pair_of(l, AZ_LENGTH(l), e, lane, AZ_LENGTH(e), got), by);                \
        assert_memory_equal(got, want, sizeof want);                                               \
    } while (0)
#define NOT(launch, event)                                                                         \
    do {                                                                                           \
        static const uint32_t l[] = launch, e[] = event;                                           \
        uint32_t got[64];                                                                          \
        assert_int_equal(pair_of(l, AZ_LENGTH(l), e, NULL, AZ_LENGTH(e), got), AZ_PAIR_DIFFERENT); \
    } while (0)
#define L(...)                                                                                     \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void rules(void **state)
{
    (void)state;
    CASE(AZ_PAIR_ORDER, L(1, 2, 1), L(1, 2, 1), NULL, 0, 1, 2);
    CASE(AZ_PAIR_ORDER, L(1, COPY, 1), L(1, COPY, 1), NULL, 0, 1, 2);
    /* without names: as many, and copies among them where they were */
    CASE(AZ_PAIR_UNNAMED, L(ANY, COPY, ANY), L(1, COPY, 2), NULL, 0, 1, 2);
    NOT(L(ANY, ANY, ANY), L(1, COPY, 2));
    NOT(L(ANY, ANY, ANY), L(1, 2));
    /* launches left over */
    CASE(AZ_PAIR_NAMES, L(1, 9, 2, 1, 3), L(1, 2, 3), NULL, 0, 2, 4);
    CASE(AZ_PAIR_NAMES, L(1, 2, 1, 2), L(2, 1), NULL, 1, 2);
    /* another order */
    CASE(AZ_PAIR_NTH, L(1, 2, 1), L(2, 1, 1), NULL, 1, 0, 2);
    CASE(AZ_PAIR_NTH, L(1, 2, 1, 7), L(2, 1, 1), NULL, 1, 0, 2);
    NOT(L(1, 2, 1, 2), L(2, 1, 1)); /* which 2? */
    NOT(L(1, 2), L(1, 3));
    NOT(L(1, 2), L(1, 2, 2));
}

static void streams(void **state)
{
    (void)state;
    /* two branches that run at the same time: 1 4 on one stream, 2 3 on the other */
    static const uint32_t lane[] = { 5, 6, 6, 5 };
    CASE(AZ_PAIR_STREAMS, L(1, 4, 9, 2, 3), L(1, 2, 3, 4), lane, 0, 3, 4, 1);
    /* both begin with 1: the first belongs to the stream that goes on as the capture does */
    static const uint32_t tie[] = { 6, 5, 5, 6, 6 };
    CASE(AZ_PAIR_STREAMS, L(1, 2, 1, 3, 4), L(1, 1, 2, 3, 4), tie, 2, 0, 1, 3, 4);
}

static int64_t batch(const char *text, bool tokens)
{
    int64_t b;
    return az_step_batch(az_sv_str(text), tokens, &b) ? b : -2;
}

static void steps(void **state)
{
    (void)state;
    assert_int_equal(batch("execute_32_context_0(sq0sk0)_generation_32(sq32sk55)", false), 32);
    assert_int_equal(batch("execute_context_1(100)_generation_28(28)", false), 128);
    assert_int_equal(batch("execute_context_0(0)_generation_28(28)", true), 28);
    assert_int_equal(batch("execute_diffusion_1_256x256", false), 1);
    /* requests: the prompts of new ones are of any length */
    assert_int_equal(batch("execute_new_0_cached_28", false), 28);
    assert_int_equal(batch("execute_new_0_cached_28", true), 28);
    assert_int_equal(batch("execute_new_1_cached_28", false), -1);
    assert_int_equal(batch("execute_new_0", false), -1);
    /* of a step in parts: its tokens */
    assert_int_equal(batch("execute_3_context_1(sq100sk100)_generation_2(sq2sk55)", true), 102);
    assert_int_equal(batch("execute_3_context_1(sq100sk100)_generation_2(sq2sk55)", false), 3);
    assert_int_equal(batch("execute_32_context_0(sqsk)_generation_32(sq32sk55)", true), 32);
    assert_int_equal(batch("step[DECODE bs=16 toks=64]", false), 16);
    assert_int_equal(batch("step[EXTEND bs=3 toks=512]", true), 512);
    assert_int_equal(batch("decode[bs=8 tok=8 sk=99]", false), 8);
    assert_int_equal(batch("prefill[x]", false), -1);
    assert_int_equal(batch("execute_model", false), -1);
    assert_int_equal(batch("ProfilerStep#3", false), -2);
}

static void keys(void **state)
{
    (void)state;
    assert_int_equal(az_pair_key(AZ_KERNEL, AZ_SV("k"), 7), 7);
    assert_int_equal(az_pair_key(AZ_MEMCPY, AZ_SV("Memcpy DtoD"), 7), COPY);
    assert_int_equal(az_pair_key(AZ_KERNEL, AZ_SV("__amd_rocclr_copyBuffer"), 7), COPY);
    assert_int_equal(az_pair_key(AZ_KERNEL, AZ_SV("__amd_rocclr_fillBufferAligned"), 7),
                     (uint32_t)AZ_KEY_FILL);
}

static void families(void **state)
{
    (void)state;
    assert_true(az_family_contradicts(AZ_FAMILY_ELEMENTWISE, AZ_FAMILY_GEMM));
    assert_true(az_family_contradicts(AZ_FAMILY_GEMM, AZ_FAMILY_ATTENTION));
    assert_true(az_family_contradicts(AZ_FAMILY_COMMUNICATION, AZ_FAMILY_GEMM));
    assert_true(az_family_contradicts(AZ_FAMILY_ATTENTION, AZ_FAMILY_COMMUNICATION));
    /* equal, not known, parts of others, kernels that many operators have */
    assert_false(az_family_contradicts(AZ_FAMILY_GEMM, AZ_FAMILY_GEMM));
    assert_false(az_family_contradicts(AZ_FAMILY_OTHER, AZ_FAMILY_COMMUNICATION));
    assert_false(az_family_contradicts(AZ_FAMILY_GEMM, AZ_FAMILY_OTHER));
    assert_false(az_family_contradicts(AZ_FAMILY_CONV, AZ_FAMILY_GEMM));
    assert_false(az_family_contradicts(AZ_FAMILY_ATTENTION, AZ_FAMILY_SOFTMAX));
    assert_false(az_family_contradicts(AZ_FAMILY_COMMUNICATION, AZ_FAMILY_NORM));
    assert_false(az_family_contradicts(AZ_FAMILY_GEMM, AZ_FAMILY_COPY));
}

#define NONE AZ_NO_ID

static size_t marked(const uint32_t *launch, const uint32_t *op, size_t n, const uint32_t *event,
                     size_t n_events, uint32_t *out)
{
    struct az_mem mem;
    size_t paired = 99;
    az_mem_init(&mem, 0);
    const struct az_marks m = { .launch = launch,
                                .op = op,
                                .n_launches = n,
                                .event = event,
                                .n_events = n_events,
                                .launch_of = out,
                                .mem = &mem };
    assert_int_equal(az_pair_marks(&m, &paired), 0);
    assert_int_equal(mem.used, 0);
    return paired;
}

static void marks(void **state)
{
    (void)state;
    uint32_t got[8];
    /* 5 is an operator and its kernel: before it as many, between it and the copy not, after that
     * again */
    const uint32_t launch[] = { ANY, ANY, ANY, ANY, COPY, ANY }, op[] = { 1, 5, 2, 3, NONE, 4 },
                   event[] = { 11, 5, 12, COPY, 14 };
    const uint32_t wanted[] = { 0, 1, NONE, 4, 5 };
    assert_int_equal(marked(launch, op, 6, event, 5, got), 4);
    assert_memory_equal(got, wanted, sizeof wanted);
    /* other marks, or none */
    const uint32_t swapped[] = { 11, COPY, 12, 5, 14 }, more[] = { 11, 5, 12, COPY, COPY },
                   plain[] = { 11, 12, 13 };
    assert_int_equal(marked(launch, op, 6, swapped, 5, got), 0);
    assert_int_equal(marked(launch, op, 6, more, 5, got), 0);
    assert_int_equal(marked(launch, op, 4, plain, 3, got), 0);
    assert_int_equal(marked(launch, op, 0, plain, 0, got), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules), cmocka_unit_test(streams),  cmocka_unit_test(steps),
        cmocka_unit_test(keys),  cmocka_unit_test(families), cmocka_unit_test(marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
