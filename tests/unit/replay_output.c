/* What the benchmarks print, and what their logs hold: every form, and garbage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/parts.h"

static struct az_arena arena;
static struct az_commands list;

static int setup(void **state)
{
    (void)state;
    az_arena_init(&arena, NULL);
    az_vec_init(&list, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    az_vec_release(&list);
    az_arena_release(&arena);
    return 0;
}

static struct az_bench_result parsed(enum az_parts_group g, const char *text)
{
    struct az_bench_result r;
    if (!az_bench_parse(g, az_sv_str(text), &r))
        r.us = -1;
    return r;
}

#define HEAD                                                                                       \
    "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,lda,stride_a,beta,hipblaslt-Gflops,"   \
    "hipblaslt-GB/s,us\n"
#define VALUES "    N,N,0,1,4096,4864,32896,1,4096,134742016,0,555009,248.176,2361.71\n"
#define INFO                                                                                       \
    "    --Solution index: 73624\n    --Solution name:  Cijk_Alik\n    --kernel name:    "         \
    "Cijk_kernel\n"

static void test_gemm_single(void **state)
{
    (void)state;
    struct az_bench_result r =
        parsed(GEMM, "hipBLASLt version: 1200\nQuery device success\n" HEAD VALUES INFO);
    assert_true(r.us == 2361.71);
    assert_true(r.gflops == 555009);
    assert_true(r.gbps == 248.176);
    assert_true(az_sv_is(r.solution, "Cijk_Alik"));
    /* without kernel information, blank lines between, Windows line ends, no line end at all */
    assert_true(parsed(GEMM, HEAD "\n\n" VALUES).us == 2361.71);
    assert_true(parsed(GEMM, "[0]:m,us\r\n   1,2.5\r\n").us == 2.5);
    assert_true(parsed(GEMM, "[0]:m,us\n1,2.5").us == 2.5);
}

/* Columns before and after; one whose name ends in us. */
static void test_gemm_columns(void **state)
{
    (void)state;
    struct az_bench_result r = parsed(GEMM, "[0]:splitK,m,n,hipblaslt-Gflops,us,CPU-us,CPU-Gflops,"
                                            "norm_error\n    3,7,8,99,1.5,777,1,0.5\n");
    assert_true(r.us == 1.5);
    assert_true(r.gflops == 99);
    assert_true(isnan(r.gbps));
    assert_true(parsed(GEMM, "[0]:m,CPU-us\n    1,2\n").us == -1);
}

static void test_gemm_winner(void **state)
{
    (void)state;
    struct az_bench_result r =
        parsed(GEMM, "[0]:m,us\n   1,9\n    --Solution name:  first\n[1]:m,us\n   1,8\n"
                     "    --Solution name:  second\nWinner: \n[1]:m,us\n   1,7.5\n"
                     "    --Solution name:  best\n");
    assert_true(r.us == 7.5);
    assert_true(az_sv_is(r.solution, "best"));
    /* the winner's values without a header of their own */
    assert_true(parsed(GEMM, "[0]:m,us\n   1,9\nWinner:\n   1,6\n").us == 6);
    /* many solutions, no winner: the last one */
    assert_true(parsed(GEMM, "[0]:m,us\n   1,9\n[1]:m,us\n   1,8\n").us == 8);
}

static void test_gemm_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = { "",
                                         "\n\n\n",
                                         "error: no solution found\n",
                                         HEAD,
                                         "[0]:m,us\n   1\n",
                                         "[0]:m,us\n   1,\n",
                                         "[0]:m,us\n   1,nan\n",
                                         "[0]:m,us\n   1,inf\n",
                                         "[0]:m,us\n   1,-4\n",
                                         "[0]:m,us\n   1,12x\n",
                                         "us\n5\n",
                                         "Winner:\n   1,2\n" };
    for (size_t i = 0; i < AZ_LENGTH(texts); i++)
        assert_true(parsed(GEMM, texts[i]).us == -1);
}

#define CONV_HEAD                                                                                  \
    "stats: name, n, c, ho, wo, x, y, k, flopCnt, bytesRead, bytesWritten, GFLOPs, GB/s, timeMs\n"
#define CONV_VALUES                                                                                \
    "stats: fwd-conv3x3u1, 1, 512, 56, 56, 3, 3, 512, 1236950581248, 100, 200, 66858, 29, "        \
    "18.501274\n"

static void test_conv(void **state)
{
    (void)state;
    struct az_bench_result r = parsed(
        CONV,
        "MIOpenDriver conv -n 1\nMIOpen Forward Conv. Algorithm: 1, Solution: 85/ConvAsm1x1U\n"
        "GPU Kernel Time Forward Conv. Elapsed: 18.501274 ms (average)\n" CONV_HEAD CONV_VALUES
        "Forward Convolution Verifies OK on GPU reference (1.1e-05 < 1.5e-06)\n");
    assert_true(r.us > 18501.273 && r.us < 18501.275);
    assert_true(r.gflops == 66858);
    assert_true(r.gbps == 29);
    assert_true(az_sv_is(r.solution, "85/ConvAsm1x1U"));
}

static void test_conv_3d_and_order(void **state)
{
    (void)state;
    assert_true(parsed(CONV, "stats: name  , n, c, do, ho, wo, z, y, x, k, flopCnt, bytesRead, "
                             "bytesWritten, GFLOPs, "
                             "GB/s, timeMs\nstats: fwd-conv1x3x3u1, 1, 2, 3, 4, 5, 1, 3, 3, 6, 7, "
                             "8, 9, 10, 11, 2.5\n")
                    .us == 2500);
    /* the time is before the end */
    struct az_bench_result r = parsed(CONV, "stats: name, timeMs, GFLOPs\nstats: fwd, 1.25, 10\n");
    assert_true(r.us == 1250);
    assert_true(r.gflops == 10);
    /* another number of fields than the header: the last one */
    assert_true(parsed(CONV, "stats: name, n, timeMs\nstats: fwd, 1, 2, 3, 0.5\n").us == 500);
    assert_true(parsed(CONV, "stats: fwd, 1, 0.75\n").us == 750);
    /* several: the last one */
    assert_true(parsed(CONV, CONV_HEAD "stats: name, timeMs\nstats: a, 1\nstats: b, 2\n").us ==
                2000);
}

static void test_conv_without_stats(void **state)
{
    (void)state;
    assert_true(
        parsed(CONV, "GPU Kernel Time Backward Data Conv. Elapsed: 0.5 ms (average)\n").us == 500);
    assert_true(parsed(CONV, "").us == -1);
    assert_true(parsed(CONV, CONV_HEAD).us == -1);
    assert_true(parsed(CONV, "stats: fwd, 1, x\n").us == -1);
    assert_true(parsed(CONV, "stats: fwd, 1, -3\n").us == -1);
    assert_true(parsed(CONV, "GPU Kernel Time Forward Conv. Elapsed: soon\n").us == -1);
    assert_true(parsed(CONV, HEAD VALUES).us == -1);
}

static void test_torch(void **state)
{
    (void)state;
    double us = 0;
    assert_true(
        az_torch_parse(AZ_SV("warning: slow\n{\"index\": 3, \"mean_us\": 12.5}\n"), 3, &us));
    assert_true(us == 12.5);
    assert_false(az_torch_parse(AZ_SV("{\"index\": 2, \"mean_us\": 12.5}\n"), 3, &us));
    assert_false(az_torch_parse(AZ_SV("{\"index\": 3, \"mean_us\": null}\n"), 3, &us));
    assert_false(az_torch_parse(AZ_SV("{\"index\": 3}"), 3, &us));
    assert_false(az_torch_parse(AZ_SV("Traceback\n"), 3, &us));
    assert_false(az_torch_parse(AZ_SV(""), 3, &us));
}

/* ---- logs ---- */

static bool contains(struct az_sv text, const char *part)
{
    return az_sv_find(text, az_sv_str(part)) >= 0;
}

static const struct az_command *commands(enum az_parts_group g, const char *log, size_t n)
{
    az_vec_reset(&list);
    assert_int_equal(az_commands_read(g, az_sv_str(log), &arena, &list), 0);
    assert_int_equal(list.n, n);
    return list.v;
}

static void test_gemm_edits(void **state)
{
    (void)state;
    const struct az_command *c =
        commands(GEMM,
                 "hipblaslt-bench --api_method c -m 5 --aux_type f32_r --cold_iters 2 --iters 10 "
                 "--rotating 0 "
                 "--algo_method index --solution_index 1234 --activation_type none\n",
                 1);
    assert_non_null(c->argv);
    assert_true(az_sv_is(c->text, "hipblaslt-bench --api_method c -m 5 --cold_iters 100 --iters "
                                  "100 --rotating 512 --algo_method "
                                  "heuristic --requested_solution 1 --activation_type none --flush "
                                  "--initialization trig_float "
                                  "--use_gpu_timer --print_kernel_info"));
    assert_string_equal(c->argv[0], "hipblaslt-bench");
    assert_string_equal(c->argv[3], "-m");
    assert_string_equal(c->argv[4], "5");
    /* no --iters: none is added */
    c = commands(GEMM, "hipblaslt-bench -m 5\n", 1);
    assert_false(contains(c->text, "--iters"));
    /* --iters of --cold_iters is not touched; a type of another kind stays */
    c = commands(GEMM, "hipblaslt-bench --cold_iters x --aux_type bf16_r", 1);
    assert_true(contains(c->text, "--cold_iters x --aux_type bf16_r --flush"));
}

static void test_edits_are_done_once(void **state)
{
    (void)state;
    const char *done =
        "hipblaslt-bench -m 5 --algo_method heuristic --requested_solution 1 --cold_iters 100 "
        "--iters 100 "
        "--rotating 512 --flush --initialization trig_float --use_gpu_timer --print_kernel_info";
    assert_true(az_sv_is(commands(GEMM, done, 1)->text, done));
    assert_true(az_sv_is(commands(CONV, "MIOpenDriver conv -n 1 -V 0\n", 1)->text,
                         "MIOpenDriver conv -n 1 -V 0"));
    assert_true(az_sv_is(commands(CONV, "MIOpenDriver conv -n 1 -V 1\n", 1)->text,
                         "MIOpenDriver conv -n 1 -V 1"));
}

static void test_conv_log(void **state)
{
    (void)state;
    const struct az_command *c =
        commands(CONV,
                 "Warning: something\nMIOpen(HIP): Command [LogCmdFindConvolution] "
                 "./bin/MIOpenDriver conv -n 9 -t 1\n"
                 "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 8 -t 1\n"
                 "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 8 -t 1\n"
                 "MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 7 -t 1\n",
                 2);
    assert_true(az_sv_is(c[0].text, "MIOpenDriver conv -n 8 -t 1 -V 0"));
    assert_true(az_sv_is(c[1].text, "MIOpenDriver conv -n 7 -t 1 -V 0"));
    assert_true(az_sv_is(commands(CONV, "MIOpenDriver conv -n 6\n", 1)->text,
                         "MIOpenDriver conv -n 6 -V 0"));
}

/* Whatever is not one of the two programs with plain arguments is refused, never run. */
static void test_hostile_logs(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "rm -rf /\n",
        "./hipblaslt-bench -m 5",
        "/tmp/evil/hipblaslt-bench -m 5",
        "hipblaslt-bench2 -m 5",
        "hipblaslt-bench -m 5; rm x",
        "hipblaslt-bench -m $(id)",
        "hipblaslt-bench -m `id`",
        "hipblaslt-bench -m 5 > /etc/passwd",
        "hipblaslt-bench -m 5 | sh",
        "hipblaslt-bench --yaml /etc/shadow",
        "hipblaslt-bench --data ../x",
        "hipblaslt-bench ..",
        "hipblaslt-bench -m 5 & id",
        "hipblaslt-bench -m 'a b'",
        "hipblaslt-bench -m \x01",
        "LD_PRELOAD=x hipblaslt-bench -m 5",
        "MIOpenDriver conv -n 1",
    };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        const struct az_command *c = commands(GEMM, bad[i], 1);
        assert_null(c->argv);
        assert_non_null(c->why);
    }
    assert_null(commands(CONV, "[LogCmdConvolution] ./bin/sh -c id\n", 1)->argv);
    assert_null(commands(CONV, "[LogCmdConvolution] MIOpenDriver conv; id\n", 1)->argv);
    (void)commands(GEMM, "", 0);
    (void)commands(GEMM, "\n \n\r\n", 0);
    (void)commands(CONV, "only talk [LogCmdConvolution]", 1);
}

static void test_many_words(void **state)
{
    (void)state;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    assert_int_equal(az_text_append(&text, AZ_SV("hipblaslt-bench")), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(az_text_append(&text, AZ_SV(" -m")), 0);
    assert_int_equal(az_commands_read(GEMM, az_text_view(&text), &arena, &list), 0);
    assert_int_equal(list.n, 1);
    assert_null(list.v[0].argv);
    az_vec_release(&text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_gemm_single),         T(test_gemm_columns), T(test_gemm_winner),
        T(test_gemm_nothing),        T(test_conv),         T(test_conv_3d_and_order),
        T(test_conv_without_stats),  T(test_torch),        T(test_gemm_edits),
        T(test_edits_are_done_once), T(test_conv_log),     T(test_hostile_logs),
        T(test_many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
