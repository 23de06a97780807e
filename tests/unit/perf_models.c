/* Models of operators over recorded arguments: every family by hand, and arguments that do not fit.
 */
#pragma GCC diagnostic ignored                                                                     \
    "-Wmissing-field-initializers" /* rows leave out what they do not need */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/data.h"
#include "perf/peaks.h"

struct fixture {
    struct az_arena arena;
    struct az_op_models models;
};

static int begin(void **state)
{
    static struct fixture f;
    az_arena_init(&f.arena, NULL);
    assert_int_equal(az_op_models_load(&f.models, az_data("op_models.csv"), &f.arena), 0);
    *state = &f;
    return 0;
}

static int end(void **state)
{
    az_arena_release(&((struct fixture *)*state)->arena);
    return 0;
}

struct row {
    const char *op, *dims, *types, *concrete;
    double flops, bytes; /* -1: no estimate */
    const char *spec;
    const char *kernel; /* one name, or NULL */
    const char *fact;   /* "name=value" or NULL */
    const char *step;   /* annotation of the step, or NULL */
};

static int run(struct fixture *f, const struct row *r, struct az_perf *p)
{
    struct az_perf_call c = { .op = az_sv_str(r->op), .annotation = az_sv_str(r->step) };
    struct az_sv kernel = az_sv_str(r->kernel);
    struct az_perf_fact fact;
    const struct az_op_model *m = az_op_model_find(&f->models, c.op);
    if (!m)
        fail_msg("%s: no model", r->op);
    if (r->kernel) {
        c.kernels = &kernel;
        c.n_kernels = 1;
    }
    if (r->fact) {
        const char *eq = strchr(r->fact, '=');
        fact =
            (struct az_perf_fact){ az_sv_make(r->fact, (size_t)(eq - r->fact)), az_sv_str(eq + 1) };
        c.fact = &fact;
        c.n_facts = 1;
    }
    assert_true(az_perf_parse(&c, az_sv_str(r->dims), az_sv_str(r->types), AZ_SV(""),
                              az_sv_str(r->concrete)));
    return az_perf_eval(&c, m, &f->arena, p);
}

static void check(void **state, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct az_perf p;
        const struct row *r = &rows[i];
        assert_int_equal(run(*state, r, &p), 0);
        struct az_sv spec = az_perf_spec(&p, &((struct fixture *)*state)->arena);
        bool ok = (r->flops < 0 ? isnan(p.flops) && p.why : p.flops == r->flops) &&
                  (r->bytes < 0 ? isnan(p.bytes) : p.bytes == r->bytes) && az_sv_is(spec, r->spec);
        if (!ok)
            fail_msg("row %zu, %s: %.17g FLOPs, %.17g bytes, '%.*s', %s", i, r->op, p.flops,
                     p.bytes, AZ_SVF(spec), p.why ? p.why : "");
    }
}
#define CHECK(rows) check(state, rows, sizeof(rows) / sizeof *(rows))
#define BF16        "\"c10::BFloat16\""
#define HALF        "\"c10::Half\""
#define FLOAT       "\"float\""
#define FP8         "\"c10::Float8_e4m3fn\""
#define BYTE        "\"unsigned char\""
#define NUM         "\"Scalar\""

#define PER_TOKEN                                                                                  \
    "sglang_profiler::batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant_"    \
    "batched_gemm_a8w8_a_per_token_group_prequant_w_per_batched_tensor_quant"
#define TE_DIMS(a, b) "[" a ",[],[],[],[]," b ",[],[],[],[],[2,3],[],[],[],[],[],[],[],[3]]"
#define TE_TYPES                                                                                   \
    "[" FP8 ",\"\",\"\",\"\"," NUM "," FP8 ",\"\",\"\",\"\"," NUM "," BF16 ",\"\",\"\",\"\"," NUM  \
    ",\"\",\"\",\"\"," BF16 "]"
#define TE_FLAGS(a, b, bias)                                                                       \
    "[\"\",\"\",\"\",\"\",\"" a "\",\"\",\"\",\"\",\"\",\"" b "\",\"\",\"\",\"\",\"\",\"" bias "\"]"
#define FLAG_TYPES     "[" FP8 "," FLOAT "," FP8 "," FLOAT "," NUM "," NUM "," NUM "," NUM "]"
#define FLAGS(a, b, c) "[\"\",\"\",\"\",\"\",\"\",\"" a "\",\"" b "\",\"" c "\"]"

static void gemm(void **state)
{
    static const struct row rows[] = {
        /* 2*2*3*4 = 48; (2*4 + 4*3 + 2*3) * 4 = 104 */
        { "aten::mm", "[[2,4],[4,3]]", "[" FLOAT "," FLOAT "]", "[\"\",\"\"]", 48, 104,
          "matrix_fp32" },
        /* 48 + 2*3 for the bias; 104 + 3*4 */
        { "aten::addmm", "[[3],[2,4],[4,3],[],[]]",
          "[" FLOAT "," FLOAT "," FLOAT "," NUM "," NUM "]", "[\"\",\"\",\"\",\"1\",\"1\"]", 54,
          116, "matrix_fp32" },
        /* a C of no dimensions is one element, read and added */
        { "aten::addmm", "[[],[2,4],[4,3],[],[]]",
          "[" FLOAT "," FLOAT "," FLOAT "," NUM "," NUM "]", "[\"\",\"\",\"\",\"1\",\"1\"]", 54,
          108, "matrix_fp32" },
        /* beta 0: neither read nor added */
        { "aten::addmm", "[[3],[2,4],[4,3],[],[]]",
          "[" FLOAT "," FLOAT "," FLOAT "," NUM "," NUM "]", "[\"\",\"\",\"\",\"0.\",\"1\"]", 48,
          104, "matrix_fp32" },
        /* 5 times 48; 5 * (8 + 12 + 6) * 2 */
        { "aten::bmm", "[[5,2,4],[5,4,3]]", "[" HALF "," HALF "]", "[\"\",\"\"]", 240, 260,
          "matrix_fp16" },
        /* C of 5*2*3 elements: 240 + 30; 260 + 30*2 */
        { "aten::baddbmm", "[[5,2,3],[5,2,4],[5,4,3],[],[]]",
          "[" HALF "," HALF "," HALF "," NUM "," NUM "]", "[\"\",\"\",\"\",\"1\",\"1\"]", 270, 320,
          "matrix_fp16" },
        /* weights [N,K]; bias 3: 48 + 6; (8 + 12 + 6 + 3) * 2 */
        { "aiter::gemm_a16w16", "[[2,4],[3,4],[3]]", "[" BF16 "," BF16 "," BF16 "]", "[]", 54, 58,
          "matrix_bf16" },
        /* leading dims are rows: M = 2*2; 2*4*3*4 = 96; (16 + 12 + 12) * 2 */
        { "aten::linear", "[[2,2,4],[3,4],[]]", "[" BF16 "," BF16 ",\"\"]", "[]", 96, 80,
          "matrix_bf16" },
        /* leading dims broadcast: 5 * 48; (8 + 5*12 + 5*6) * 4 */
        { "aten::matmul", "[[2,4],[5,4,3]]", "[" FLOAT "," FLOAT "]", "[]", 240, 392,
          "matrix_fp32" },
        /* 1-byte operands, 2-byte result, two scales of 4 bytes: 8 + 12 + 6*2 + 8 */
        { "aten::_scaled_mm", "[[2,4],[4,3],[],[],[],[],[],[]]",
          "[" FP8 "," FP8 "," FLOAT "," FLOAT ",\"\",\"\"," NUM "," NUM "]",
          "[\"\",\"\",\"\",\"\",\"\",\"\",\"15\",\"\"]", 48, 40, "matrix_fp8" },
        /* quantized: bytes hold fp8; but not where nothing says so */
        { "aten::_scaled_mm", "[[2,4],[4,3],[],[],[],[],[],[]]",
          "[" BYTE "," BYTE "," FLOAT "," FLOAT ",\"\",\"\"," NUM "," NUM "]",
          "[\"\",\"\",\"\",\"\",\"\",\"\",\"15\",\"\"]", 48, 40, "matrix_fp8" },
        { "aiter::gemm_a8w8_ck", "[[2,4],[3,4]]", "[" BYTE "," BYTE "]", "[]", 48, 32,
          "matrix_fp8" },
        { "aten::mm", "[[2,4],[4,3]]", "[" BYTE "," BYTE "]", "[]", 48, 26, "" },
        /* leading dims next to one matrix of weights are rows, the weights are read once:
           2*2*2*4*3; 16 + 12 + 12*4 */
        { "bitsandbytes::int8_linear_matmul", "[[2,2,4],[3,4]]",
          "[\"signed char\",\"signed char\"]", "[]", 96, 76, "matrix_int8" },
        /* 4-bit operands, K = 2*4: 2*2*3*8 = 96; 2*8/2 + 3*8/2 + 2*3*2 */
        { "aiter::gemm_afp4wfp4_", "[[2,4],[3,4]]", "[" BYTE "," BYTE "]", "[]", 96, 32,
          "matrix_fp4" },
        /* M*K*N with 2 groups: 2*4*3*5 = 120; (4*3 + 2*3*5)*2 + 4*5*2 */
        { "primus_turbo::grouped_gemm", "[[4,3],[2,3,5]]", "[" BF16 "," BF16 "]", "[]", 120, 124,
          "matrix_bf16" },
        /* lists of pairs: 2*(4*3*5 + 2*3*5) = 180; (12 + 6 + 2*15)*2 + (20 + 10)*2 */
        { "primus_turbo::grouped_gemm", "[[[4,3],[2,3]],[[3,5],[5,3]]]", "[" BF16 "," BF16 "]",
          "[]", 180, 156, "matrix_bf16" },
        { "primus_turbo::grouped_gemm", "[[[4,3],[2,3]],[[3,5],[5,4]]]", "[" BF16 "," BF16 "]",
          "[]", -1, -1, "" },
        { "primus_turbo::grouped_gemm", "[[[4,3]],[[3,5],[5,3]]]", "[" BF16 "," BF16 "]", "[]", -1,
          -1, "" },
        /* dW of 2 groups [3,5]: 2*4*3*5; (4*3 + 4*5)*2 + 2*15*2 */
        { "primus_turbo::grouped_gemm_variable_k", "[[4,3],[4,5],[2]]",
          "[" BF16 "," BF16 ",\"long int\"]", "[]", 120, 124, "matrix_bf16" },
        /* batches first, or rows first: 5 * 2*2*3*4; 5 * (8 + 12 + 6*2) */
        { PER_TOKEN, "[[5,2,4],[5,3,4]]", "[" FP8 "," FP8 "]", "[]", 240, 160, "matrix_fp8" },
        { PER_TOKEN, "[[2,5,4],[5,3,4]]", "[" FP8 "," FP8 "]", "[]", 240, 160, "matrix_fp8" },
        { PER_TOKEN, "[[2,4],[5,3,4]]", "[" FP8 "," FP8 "]", "[]", -1, -1, "" },
        /* column-major: A [K,M], transposed [M,K], B [N,K], transposed [K,N]; bias 3: 48 + 6; 8 +
           12 + 6*2 + 3*2 */
        { "tex_ts::te_gemm_ts", TE_DIMS("[2,4]", "[3,4]"), TE_TYPES, TE_FLAGS("True", "False", "1"),
          54, 38, "matrix_fp8" },
        { "tex_ts::te_gemm_ts", TE_DIMS("[4,2]", "[4,3]"), TE_TYPES, TE_FLAGS("False", "True", "1"),
          54, 38, "matrix_fp8" },
        { "tex_ts::te_gemm_ts", TE_DIMS("[4,2]", "[4,3]"), TE_TYPES, TE_FLAGS("False", "True", ""),
          48, 32, "matrix_fp8" },
        { "tex_ts::te_gemm_ts", TE_DIMS("[8]", "[4,3]"), TE_TYPES, TE_FLAGS("False", "True", ""),
          -1, -1, "" },
        /* flags of A, B, C; 48; 8 + 12 + 6*2 */
        { "primus_turbo::hipblaslt_gemm_fp8", "[[2,4],[1],[4,3],[1],[],[],[],[]]", FLAG_TYPES,
          FLAGS("False", "False", "False"), 48, 32, "matrix_fp8" },
        { "primus_turbo::hipblaslt_gemm_fp8", "[[4,2],[1],[3,4],[1],[],[],[],[]]", FLAG_TYPES,
          FLAGS("True", "True", "False"), 48, 32, "matrix_fp8" },
        { "primus_turbo::hipblaslt_gemm_fp8", "[[4,2],[1],[3,4],[1],[],[],[],[]]", FLAG_TYPES,
          FLAGS("True", "True", "True"), 48, 32, "matrix_fp8" },
        { "primus_turbo::hipblaslt_gemm_fp8", "[[4,2],[1],[12],[1],[],[],[],[]]", FLAG_TYPES,
          FLAGS("True", "True", "False"), -1, -1, "" },
        /* two values a byte: K = 8: 96; 2*8/2 + 3*8/2 + 6*2 + (2 + 3) scales of one byte */
        { "aiter::gemm_a4w4", "[[2,4],[3,4],[2,1],[3,1]]", "[" BYTE "," BYTE "," BYTE "," BYTE "]",
          "[]", 96, 37, "matrix_fp4" },
        /* K = 32 * 2 + 2 has 3 scales a row: 2*2*3*66; 66 + 99 + 12 + 5*3 of 4 bytes */
        { "aiter::gemm_a4w4", "[[2,33],[3,33],[2,3],[3,3]]",
          "[" BYTE "," BYTE "," FLOAT "," FLOAT "]", "[]", 792, 237, "matrix_fp4" },
        /* weights packed, 5 batches: 5 * 2*2*3*8; 5 * (16*2 + 24/2 + 6*2) */
        { "aiter::batched_gemm_a16wfp4_", "[[5,2,8],[5,3,4]]", "[" BF16 "," BYTE "]", "[]", 480,
          280, "matrix_fp4" },
        { "aiter::batched_gemm_a16wfp4_", "[[5,2,8],[3,4]]", "[" BF16 "," BYTE "]", "[]", -1, -1,
          "" },
        /* packed weights and scales as they are: 96; 16*2 + 6*2 + 12 + 3 */
        { "vllm::gemm_with_dynamic_quant", "[[2,8],[7],[3,4],[3,1],[9,9]]",
          "[" BF16 "," BYTE "," BYTE "," BYTE "," BYTE "]", "[]", 96, 59, "matrix_fp4" },
        { "vllm::gemm_with_dynamic_quant", "[[2,8],[3]]", "[" BF16 "," BYTE "]", "[]", -1, -1, "" },
        { "aten::mm", "[[2,4],[5,3]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1,
          "" }, /* inner dimensions differ */
        { "aten::matmul", "[[2,4],[5,3]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1, "" },
        { "aten::matmul", "[[4],[4,3]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1, "" },
        { "aten::matmul", "[[2,4],[4]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1, "" },
        /* of the leading dimensions 2 and 3 none is 1; 1 is as many as the other */
        { "aten::matmul", "[[2,2,4],[3,4,3]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1, "" },
        { "aten::matmul", "[[5,2,4],[1,4,3]]", "[" FLOAT "," FLOAT "]", "[]", 240, 328,
          "matrix_fp32" },
        { "aten::mm", "[[],[]]", "[" NUM "," NUM "]", "[]", -1, -1, "" },
        { "aten::mm", "[]", "[]", "[]", -1, -1, "" },
        { "aten::mm", "[[0,4],[4,3]]", "[" FLOAT "," FLOAT "]", "[]", 0, 48,
          "matrix_fp32" }, /* no rows: the weights are still read */
    };
    CHECK(rows);
}

static void conv(void **state)
{
    static const struct row rows[] = {
        /* 1x1 filter over 4x4, 2 -> 3 channels: y = 3*16 = 48, 2*48*2 = 192, bias + 48; (32 + 6 +
           48 + 3) * 4 */
        { "aten::convolution", "[[1,2,4,4],[3,2,1,1],[3],[],[],[],[],[],[]]",
          "[" FLOAT "," FLOAT "," FLOAT ",\"ScalarList\",\"ScalarList\",\"ScalarList\"," NUM
          ",\"ScalarList\"," NUM "]",
          "[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]", 240, 356,
          "matrix_fp32" },
        /* length 10, filter 3, dilation 2, stride 2, padding 1: (10 + 2 - 4 - 1)/2 + 1 = 4;
           2*(3*4)*(2*3) = 144; (20 + 18 + 12) * 4 */
        { "aten::convolution", "[[1,2,10],[3,2,3],[]]", "[" FLOAT "," FLOAT ",\"\"]",
          "[\"\",\"\",\"\",\"[2]\",\"[1]\",\"[2]\",\"False\",\"[0]\",\"1\"]", 144, 200,
          "matrix_fp32" },
        /* transposed: (3 - 1)*2 + 1 + 1 = 6, 2 groups of 2: 4 channels; 2*(2*3)*(2*2) = 48; (6 + 8
           + 24) * 4 */
        { "aten::convolution", "[[1,2,3],[2,2,2],[]]", "[" FLOAT "," FLOAT ",\"\"]",
          "[\"\",\"\",\"\",\"[2]\",\"[0]\",\"[1]\",\"True\",\"[0]\",\"2\"]", 48, 152,
          "matrix_fp32" },
        /* only dW: half of both; 192 FLOPs, (48 + 6 + 32) * 4 */
        { "aten::convolution_backward", "[[1,3,4,4],[1,2,4,4],[3,2,1,1]]",
          "[" FLOAT "," FLOAT "," FLOAT "]",
          "[\"\",\"\",\"\",\"[0]\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, "
          "0]\",\"1\",\"[False, True, "
          "False]\"]",
          192, 344, "matrix_fp32" },
        /* all three: 2*192 + 48 of the bias; 344 twice, (48 + 3) * 4 */
        { "aten::convolution_backward", "[[1,3,4,4],[1,2,4,4],[3,2,1,1]]",
          "[" FLOAT "," FLOAT "," FLOAT "]",
          "[\"\",\"\",\"\",\"[3]\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, "
          "0]\",\"1\",\"[True, True, "
          "True]\"]",
          432, 892, "matrix_fp32" },
        { "aten::convolution", "[[1,2,10],[3,2,3],[]]", "[" FLOAT "," FLOAT ",\"\"]",
          "[\"\",\"\",\"\",\"[0]\",\"[1]\",\"[2]\",\"False\",\"[0]\",\"1\"]", -1, -1, "" },
        { "aten::convolution", "[[1,2,10],[3,2,3],[]]", "[" FLOAT "," FLOAT ",\"\"]",
          "[\"\",\"\",\"\",\"[1, 1, 1, 1]\",\"\",\"\",\"\",\"\",\"\"]", -1, -1, "" },
    };
    CHECK(rows);
}

/* A stride that is not recorded may be any: the work is not certain. */
static void conv_without_stride(void **state)
{
    static const struct row rows[] = {
        { "aten::convolution", "[[1,2,10],[3,2,3],[]]", "[" FLOAT "," FLOAT ",\"\"]", "[]", 288,
          248, "matrix_fp32" },
        { "aten::convolution", "[[1,2,10],[3,2,3],[]]", "[" FLOAT "," FLOAT ",\"\"]",
          "[\"\",\"\",\"\",\"[1]\",\"[0]\",\"[1]\",\"False\",\"[0]\",\"1\"]", 288, 248,
          "matrix_fp32" },
    };
    CHECK(rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct az_perf p;
        assert_int_equal(run(*state, &rows[i], &p), 0);
        assert_int_equal(p.assumed, i == 0);
    }
}

static void attention(void **state)
{
    static const struct row rows[] = {
        /* 1*2*2*4*4*(8+8) = 1024; (4*2*16 + 4*2*16) * 2 */
        { "aten::_scaled_dot_product_flash_attention", "[[1,2,4,8],[1,2,4,8],[1,2,4,8],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," NUM "," NUM "]", "[\"\",\"\",\"\",\"0.\",\"False\"]", 1024,
          512, "matrix_bf16" },
        /* causal: half */
        { "aten::_scaled_dot_product_flash_attention", "[[1,2,4,8],[1,2,4,8],[1,2,4,8],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," NUM "," NUM "]", "[\"\",\"\",\"\",\"0.\",\"True\"]", 512,
          512, "matrix_bf16" },
        /* causal 2 x 4, top left: 1 + 2 = 3 pairs; 2*2*3*16 = 192; (2*2 + 4*2)*16*2 */
        { "aten::_scaled_dot_product_flash_attention", "[[1,2,2,8],[1,2,4,8],[1,2,4,8],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," NUM "," NUM "]", "[\"\",\"\",\"\",\"0.\",\"True\"]", 192,
          384, "matrix_bf16" },
        /* bottom right: 3 + 4 = 7 pairs: 2*2*7*16; layout B,N,H,D */
        { "flash_attn::_flash_attn_forward", "[[1,2,2,8],[1,4,2,8],[1,4,2,8],[],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," NUM "," NUM "," NUM "]",
          "[\"\",\"\",\"\",\"0.\",\"1\",\"True\"]", 448, 384, "matrix_bf16" },
        /* backward with recomputation: 2 heads * 2 * 16 pairs * 5 * 8; 4*2*24 + 2*4*2*16 elements
         */
        { "aiter::mha_bwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8],[1,4,2,8],[],[],[],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," BF16 ",\"\",\"\"," NUM "," NUM "," NUM "]",
          "[\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"1\",\"False\"]", 2560, 896, "matrix_bf16" },
        { "aten::_scaled_dot_product_flash_attention", "[[1,2,4,8],[2,2,4,8],[1,2,4,8],[],[]]",
          "[" BF16 "," BF16 "," BF16 "," NUM "," NUM "]", "[]", -1, -1, "" },
        /* keys as the query, whatever is recorded: 2*2 * 2*4*4 * 16; 2*2 * (4 + 4) * 16 * 2 */
        { "EvoformerAttention", "[[1,2,4,2,8],[1,2,6,2,8]]", "[" BF16 "," BF16 "]", "[]", 2048,
          1024, "matrix_bf16" },
        { "EvoformerAttention", "[[2,4,2,8],[1,2,6,2,8]]", "[" BF16 "," BF16 "]", "[]", -1, -1,
          "" },
        { "vllm::unified_attention_with_output", "[[4,2,8],[4,2,8],[4,2,8]]",
          "[" BF16 "," BF16 "," BF16 "]", "[]", -1, -1, "" }, /* no annotation */
    };
    CHECK(rows);
}

#define VARLEN(t, seqs)                                                                            \
    "flash_attn::_flash_attn_varlen_forward",                                                      \
        "[[" t ",2,8],[" t ",2,8],[" t ",2,8],[" seqs "],[" seqs "],[],[],[],[],[]]",              \
        "[" BF16 "," BF16 "," BF16 ",\"int\",\"int\"," NUM "," NUM "," NUM "," NUM "," NUM "]"
#define LONGEST(q, k) "[\"\",\"\",\"\",\"\",\"\",\"" q "\",\"" k "\",\"0.\",\"1\",\"False\"]"

/* One sequence of the largest length, the others equal. */
static void packed_attention(void **state)
{
    static const struct row rows[] = {
        /* 2 heads * 2 * 16 pairs * (8 + 8); 4 * 4*2*8 elements */
        { VARLEN("4", "2"), LONGEST("4", "4"), 1024, 512, "matrix_bf16" },
        /* and 2*2 * 9 pairs * 16 */
        { VARLEN("7", "3"), LONGEST("4", "4"), 1600, 896, "matrix_bf16" },
        /* and twice 2*2 * 4 pairs * 16: (9 - 4) / 2 of a sequence */
        { VARLEN("9", "4"), LONGEST("4", "4"), 1536, 1152, "matrix_bf16" },
        { VARLEN("4", "1"), LONGEST("4", "4"), -1, -1, "" }, /* no sequence */
        { VARLEN("4", "2"), "[]", -1, -1, "" },
        { "flash_attn::_flash_attn_varlen_forward", "[[4,2,8],[5,2,8],[4,2,8],[2],[2]]",
          "[" BF16 "," BF16 "," BF16 ",\"int\",\"int\"]", LONGEST("4", "4"), -1, -1, "" },
    };
    CHECK(rows);
}

#define MAMBA(d)                                                                                   \
    "MambaSplitConv1dScanCombinedFn", "[[2,4," d "],[5,3],[5],[2],[2],[2],[]]",                    \
        "[" BF16 "," BF16 "," BF16 "," FLOAT "," FLOAT "," FLOAT "," NUM "]"
#define MAMBA_OPTS                                                                                 \
    "[\"\",\"\",\"\",\"\",\"\",\"\",\"2\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"2\",\"1\"]"

/* 2 heads of 2, one group, states of 3: 16 = 2*2*2 + 2 + 2*3. */
static void state_space(void **state)
{
    static const struct row rows[] = {
        /* 2*2*5*4*3 + 2*2*4*2*3 + 2*2*2*4*2*2 + 4*2*2*4*3*2;
         * (2*4*16 + 5*3 + 5 + 2*4*2*2) * 2 + 2 * 3*4 */
        { MAMBA("16"), MAMBA_OPTS, 848, 384, "matrix_bf16" },
        { MAMBA("17"), MAMBA_OPTS, -1, -1, "" }, /* states of 3.5 */
        { MAMBA("10"), MAMBA_OPTS, -1, -1, "" }, /* none */
    };
    CHECK(rows);
}

static void elements(void **state)
{
    static const struct row rows[] = {
        { "aten::silu", "[[2,3]]", "[" BF16 "]", "[\"\"]", 6, 24, "vector_bf16" }, /* 6 * (2 + 2) */
        { "aten::add", "[[2,3],[3],[]]", "[" FLOAT "," FLOAT "," NUM "]", "[\"\",\"\",\"1\"]", 6,
          60, "vector_fp32" }, /* (6 + 3 + 6) * 4 */
        { "aten::mul", "[[2,3],[]]", "[" BF16 "," NUM "]", "[\"\",\"2\"]", 6, 24,
          "vector_bf16" }, /* a number is no memory */
        { "aten::mul", "[[],[2,3]]", "[\"double\"," FLOAT "]", "[\"\",\"\"]", 6, 56,
          "vector_fp32" }, /* 8 + 24 + 24: the tensor's type */
        { "aten::mul", "[[4],[4]]", "[\"c10::complex<float>\",\"c10::complex<float>\"]", "[]", 24,
          96, "vector_fp32" }, /* 6 each; 3*4*8 */
        { "aten::add_", "[[4],[4]]", "[" BF16 "," FLOAT "]", "[]", 4, 32,
          "vector_bf16" }, /* 4 * (2 + 4 + 2) */
        { "aten::eq", "[[4],[4]]", "[" FLOAT "," FLOAT "]", "[]", 4, 36,
          "vector_fp32" }, /* 4 * (4 + 4 + 1) */
        { "aten::where", "[[4],[4],[]]", "[\"bool\"," FLOAT "," FLOAT "]", "[]", 4, 40,
          "vector_fp32" }, /* 4*1 + 4*4 + 4 + 4*4 */
        { "aten::copy_", "[[2,3],[3],[]]", "[" BF16 "," FLOAT "," NUM "]", "[]", 6, 24,
          "vector_bf16" }, /* 6*2 + 3*4 */
        { "aten::pow", "[[4],[4]]", "[" BF16 "," FLOAT "]", "[]", 4, 40,
          "vector_bf16" }, /* 4 * (2 + 4 + 4) */
        { "aten::replication_pad1d", "[[1,2,4],[]]", "[" FLOAT ",\"ScalarList\"]",
          "[\"\",\"[1, 2]\"]", 14, 88, "vector_fp32" }, /* 2*7 out; (8 + 14) * 4 */
        { "aten::upsample_nearest1d", "[[1,2,4],[],[]]", "[" FLOAT ",\"\",\"ScalarList\"]",
          "[\"\",\"\",\"[2.]\"]", 16, 96, "vector_fp32" },
        { "aten::_softmax", "[[2,3],[],[]]", "[" FLOAT "," NUM "," NUM "]",
          "[\"\",\"-1\",\"False\"]", 30, 48, "vector_fp32" }, /* 5*6; 2*6*4 */
        { "aten::_softmax_backward_data", "[[2,3],[2,3]]", "[" FLOAT "," FLOAT "]", "[]", 24, 72,
          "vector_fp32" }, /* 4*6; 3*6*4 */
        { "sgl_kernel::silu_and_mul", "[[2,3],[2,6]]", "[" BF16 "," BF16 "]", "[]", 30, 36,
          "vector_bf16" }, /* 5*6; 12*2 + 6*2 */
        { "aten::native_dropout", "[[4],[],[]]", "[" FLOAT "," NUM "," NUM "]", "[]", 4, 36,
          "vector_fp32" }, /* 2*4*4 + 4 */
        { "aten::add", "[[2,3],[4]]", "[" FLOAT "," FLOAT "]", "[]", -1, -1, "" },
        { "aten::add", "[[4],[4]]", "[\"odd\"," FLOAT "]", "[]", 4, -1,
          "" }, /* an unknown type has no bytes */
    };
    CHECK(rows);
}

static void moves(void **state)
{
    static const struct row rows[] = {
        { "aten::fill_", "[[4],[]]", "[" FLOAT "," NUM "]", "[]", 0, 16, "vector_fp32" },
        { "aten::cat", "[[[2,3],[3]],[]]", "[\"TensorList\"," NUM "]", "[]", 0, 36, "",
          "CatArrayBatchedCopy<OpaqueType<2u>, int>" }, /* 2 * 9 * 2: the kernel says so */
        { "aten::cat", "[[[2,3],[3]],[]]", "[\"TensorList\"," NUM "]", "[]", 0, 72,
          "" }, /* 4 bytes assumed */
        { "aten::embedding", "[[1000,8],[3]]", "[" FLOAT ",\"long int\"]", "[]", 0, 216,
          "vector_fp32" }, /* 3*8 + 2*3*8*4 */
        { "aten::index_select", "[[10,8],[],[3]]", "[" FLOAT "," NUM ",\"long int\"]",
          "[\"\",\"0\",\"\"]", 0, 216, "vector_fp32" },
        { "aten::index_select", "[[10,8],[],[3]]", "[" FLOAT "," NUM ",\"long int\"]",
          "[\"\",\"-1\",\"\"]", 0, 264, "vector_fp32" }, /* 3*8 + 2*10*3*4 */
        { "aten::index_select", "[[10,8],[],[3]]", "[" FLOAT "," NUM ",\"long int\"]",
          "[\"\",\"-3\",\"\"]", -1, -1, "" },
        { "aten::gather", "[[10,8],[],[3,8]]", "[" FLOAT "," NUM ",\"long int\"]",
          "[\"\",\"0\",\"\"]", 0, 384, "vector_fp32" }, /* 24*8 + 2*24*4 */
        { "aten::index", "[[10,8],[[3]]]", "[" FLOAT ",\"TensorList\"]", "[]", 0, 216,
          "vector_fp32" }, /* as embedding */
        { "aten::max_pool2d_with_indices", "[[1,1,4,4],[],[],[],[],[]]",
          "[" FLOAT ",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"ScalarList\"," NUM "]",
          "[\"\",\"[2, 2]\",\"[2, 2]\",\"[0, 0]\",\"[1, 1]\",\"False\"]", 16, 112,
          "vector_fp32" }, /* 4 windows of 4; 16*4 + 4*4 + 4*8 */
        { "aten::_foreach_add_", "[[[4],[2]],[[4],[2]],[]]",
          "[\"TensorList\",\"TensorList\"," NUM "]", "[]", 6, 72, "",
          "multi_tensor_apply_kernel<float" }, /* 6 * 4 * (2 + 1) */
        { "aten::_fused_adamw_", "[[[4]],[[4]],[[4]],[[4]]]",
          "[\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\"]", "[]", 48, 112, "",
          "<float" }, /* 4*4 * (2+1+2+2) */
        { "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function",
          "[[0],[80],[0],[0,0],[1],[1],[2],[],[],[2],[],[3],[3],[],[],[],[0],[],[],[],[10]]",
          "[\"float\",\"c10::Half\",\"c10::Half\",\"c10::Half\",\"int\",\"long\",\"int\",\"\",\"\","
          "\"long\",\"\","
          "\"long\",\"long\",\"\",\"\",\"\",\"int\",\"\",\"\",\"\",\"float\"]",
          "[]", 24, 160, "vector_fp16" }, /* rows of 80/10 = 8: 3*8; indices 24 + offsets 24 + rows
                                             3*8*2 + 2 bags of 8*4 */
        { "_C_custom_ar::all_reduce", "[[],[4,2]]", "[" NUM "," BF16 "]", "[]", 0, 32, "" },
        { "MoEDispatch", "[[4,2]]", "[" BF16 "]", "[]", 0, 16, "" },
        { "sglang::store_cache", "[[4,2],[4,2]]", "[" BF16 "," BF16 "]", "[]", 0, 64,
          "vector_bf16" },
        { "aten::cat", "[[],[]]", "[\"TensorList\"," NUM "]", "[]", -1, -1, "" },
        { "aten::index_select", "[[10,8],[],[3]]", "[" FLOAT "," NUM ",\"long int\"]",
          "[\"\",\"5\",\"\"]", -1, -1, "" },
    };
    CHECK(rows);
}

static void norms(void **state)
{
    static const struct row rows[] = {
        { "aten::sum", "[[2,3],[],[],[]]", "[" FLOAT ",\"ScalarList\"," NUM ",\"\"]",
          "[\"\",\"[-1]\",\"False\",\"\"]", 6, 32, "vector_fp32" }, /* 24 + 2*4 */
        { "aten::sum", "[[2,3],[]]", "[" FLOAT ",\"\"]", "[\"\",\"\"]", 6, 28,
          "vector_fp32" }, /* 24 + 4 */
        { "aten::max", "[[2,3],[],[]]", "[" FLOAT "," NUM "," NUM "]", "[\"\",\"1\",\"False\"]", 6,
          48, "vector_fp32" }, /* 24 + 8 + 2*8 */
        { "aten::max", "[[2,3],[2,3]]", "[" FLOAT "," FLOAT "]", "[\"\",\"\"]", 6, 72,
          "vector_fp32" }, /* of two tensors: by element */
        { "aten::argmax", "[[2,3],[],[]]", "[" FLOAT "," NUM "," NUM "]", "[\"\",\"1\",\"False\"]",
          6, 40, "vector_fp32" }, /* 24 + 2*8 */
        { "aten::sum", "[[2,3],[]]", "[" FLOAT ",\"ScalarList\"]", "[\"\",\"[7]\"]", -1, -1, "" },
        /* C = 3, E = 6: 6*3 + 5*6 = 48; 2*24 + 3*4*(2 + 1 + 1 + 2) */
        { "aten::layer_norm", "[[2,3],[],[3],[3],[],[]]",
          "[" FLOAT ",\"ScalarList\"," FLOAT "," FLOAT "," NUM "," NUM "]",
          "[\"\",\"[3]\",\"\",\"\",\"1e-5\",\"True\"]", 48, 120, "vector_fp32" },
        /* not training: 18 + 12; 48 + 12*(2 + 2) */
        { "aten::batch_norm", "[[2,3],[3],[3],[3],[3],[]]",
          "[" FLOAT "," FLOAT "," FLOAT "," FLOAT "," FLOAT "," NUM "]",
          "[\"\",\"\",\"\",\"\",\"\",\"False\"]", 30, 96, "vector_fp32" },
        /* (E/C)(2C + 2) + 2E = 2*8 + 12; 48 + 12 */
        { "aten::_fused_rms_norm", "[[2,3],[],[3]]", "[" FLOAT ",\"ScalarList\"," FLOAT "]",
          "[\"\",\"[3]\",\"\"]", 28, 60, "vector_fp32" },
        /* M(2N + 2) + 2E = 2*8 + 12; (2*6 + 3) * 2 */
        { "aiter::rms_norm", "[[2,3],[3]]", "[" BF16 "," BF16 "]", "[]", 28, 30, "vector_bf16" },
        /* training: 9*E = 54; 3*24 + 12 + 24 + 12 */
        { "aten::miopen_batch_norm_backward", "[[2,3],[2,3],[3]]",
          "[" FLOAT "," FLOAT "," FLOAT "]", "[]", 54, 120, "vector_fp32" },
        { "aten::layer_norm", "[[2,3],[]]", "[" FLOAT ",\"ScalarList\"]", "[\"\",\"\"]", -1, -1,
          "" },
#define RMS_BACKWARD(mask)                                                                         \
    "aten::_fused_rms_norm_backward", "[[2,3],[2,3],[],[2,1],[3],[]]",                             \
        "[" FLOAT "," FLOAT ",\"ScalarList\"," FLOAT "," FLOAT ",\"ScalarList\"]",                 \
        "[\"\",\"\",\"[3]\",\"\",\"\",\"" mask "\"]"
        /* E = 6: 2*6, of the input 6*6, of the weight 6 and 6 for its sum over rows; 3*24 + 2*12 */
        { RMS_BACKWARD("[True, True]"), 60, 96, "vector_fp32" },
        { RMS_BACKWARD("[True, False]"), 48, 96, "vector_fp32" },
        { RMS_BACKWARD("[False, True]"), 24, 96, "vector_fp32" },
        { RMS_BACKWARD("[True]"), -1, -1, "" },
    };
    CHECK(rows);
}

static void others(void **state)
{
    static const struct row rows[] = {
        { "FusedRoPEFunc", "[[2,4],[4]]", "[" BF16 "," FLOAT "]", "[]", 24, 32,
          "vector_bf16" }, /* 3*8; 2*8*2 */
        { "CrossEntropyFunction", "[[2,5],[2]]", "[" FLOAT ",\"long int\"]", "[]", 50, 64,
          "vector_fp32" }, /* 5*10; 40 + 12*2 */
        { "DaoAILab::_causal_conv1d_fwd_cpp", "[[1,2,5],[2,3],[2]]", "[" BF16 "," BF16 "," BF16 "]",
          "[]", 60, 56, "matrix_bf16" }, /* 2*10*3; (20 + 6 + 2) * 2 */
        { "vllm::triton_per_token_group_quant_fp8", "[[2,4],[]]", "[" BF16 "," NUM "]",
          "[\"\",\"4\"]", 48, 32, "vector_bf16" }, /* 6*8; 16 + 8 + 4*2*1 */
        { "aiter::dynamic_per_tensor_quant", "[[4],[4],[1]]", "[" FP8 "," BF16 "," FLOAT "]", "[]",
          10.375, 16, "vector_bf16" }, /* 2.59375*4; 4 + 8 + 4 */
        { "triton_poi_fused_add_mul_0", "[[4],[4],[]]", "[" FLOAT "," FLOAT "," NUM "]",
          "[\"\",\"\",\"4\"]", 8, 48, "vector_fp32" }, /* 2*4; 32 + one more write of 16 */
        { "triton_red_fused_sum_3", "[[2,8],[2],[],[]]", "[" FLOAT "," FLOAT "," NUM "," NUM "]",
          "[\"\",\"\",\"2\",\"8\"]", 16, 72, "vector_fp32" },
        { "triton_poi_fused_add_0", "[[],[]]", "[" NUM "," NUM "]", "[\"1\",\"2\"]", -1, -1, "" },
        /* one token, 2 of 2 experts: all are in use; 2*1*4*4*2*2 = 128; 4*2 + 2*2*16*0.5 + 4*2*2 */
        { "pseudo_op::moe_triton_unfused_up", "[[1,4],[1,2]]", "[" BF16 "," BF16 "]", "[]", 128, 56,
          "matrix_fp4", "matmul_mxfp4", "MoE topk=2" },
        /* no choices recorded */
        { "pseudo_op::moe_triton_unfused_up", "[[1,4],[1,2]]", "[" BF16 "," BF16 "]", "[]", -1, -1,
          "", "matmul_mxfp4" },
        /* M=2, K=4, N=3, E=2, k=1, gated: active 2*(1 - 0.25) = 1.5; 2*2*4*3*2 + 2*2*4*3 + 2*4*1 =
           152; 16 + 1.5*12*2*3
           + 16 */
        { "pseudo_op::moe_aiter_fused_1stage", "[[2,4],[2,6,4],[2,4,3],[2,1]]",
          "[" BF16 "," BF16 "," BF16 "," FLOAT "]", "[]", 152, 140, "matrix_bf16" },
        /* the same, output first: quantized tokens and weights, a wide result: 2*4 + 1.5*12*3 +
           2*4*2 */
        { "aiter::fmoe_g1u1", "[[2,4],[2,4],[2,6,4],[2,4,3],[],[],[],[],[]]",
          "[" BF16 "," FP8 "," FP8 "," FP8 ",\"int\",\"float\",\"int\",\"int\"," NUM "]",
          "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"1\"]", 152, 78, "matrix_fp8" },
        { "aiter::topk_softmax", "[[2,3],[4]]", "[" FLOAT ",\"int\"]", "[]", 6, 40, "vector_fp32" },
    };
    CHECK(rows);
}

static void malformed(void **state)
{
    (void)state;
    static const char *const bad[] = { "[",
                                       "[[1,2]",
                                       "[[1,[2]]]",
                                       "[[-1]]",
                                       "[[1.5]]",
                                       "[[99999999999999999999]]",
                                       "[[1,2,3,4,5,6,7,8,9]]",
                                       "{}",
                                       "[[1] [2]]",
                                       "[[[[1]]]]",
                                       "x",
                                       "[[1],]" };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct az_perf_call c = { 0 };
        if (az_perf_parse(&c, az_sv_str(bad[i]), AZ_SV("[\"float\"]"), AZ_SV(""), AZ_SV("")))
            fail_msg("'%s' was taken", bad[i]);
    }
    struct az_perf_call c = { 0 };
    assert_false(az_perf_parse(&c, AZ_SV("[[1]]"), AZ_SV("[1]"), AZ_SV(""), AZ_SV("")));
    assert_true(az_perf_parse(&c, AZ_SV(""), AZ_SV(""), AZ_SV(""), AZ_SV("")));
    assert_int_equal(c.n, 0);
}

static void transposes(void **state)
{
    (void)state;
    bool a = false, b = false;
    assert_true(az_perf_transpose(AZ_SV("Cijk_Alik_Bjlk_BBS"), &a, &b));
    assert_true(a && b);
    assert_true(az_perf_transpose(AZ_SV("nvjet_tst_128x64_TNT"), &a, &b));
    assert_true(a && !b);
    assert_false(az_perf_transpose(AZ_SV("ampere_sgemm_128x64_tn"), &a, &b));
    assert_false(az_perf_transpose(AZ_SV("nvjet"), &a, &b));
}

static void rooflines(void **state)
{
    (void)state;
    struct az_peaks p;
    struct az_roofline r;
    struct az_sv bad;
    az_peaks_none(&p);
    assert_true(
        az_peaks_override(&p, AZ_SV("mem_bw_gbps=1000, matrix_bf16=100 vector_fp32=10"), &bad));
    /* 1e9 FLOP at 100 TFLOP/s: 10 us; 1e6 bytes at 1 TB/s: 1 us */
    az_roofline(&p, "matrix", AZ_SV("bf16"), AZ_SV(""), false, 1e9, 1e6, &r);
    assert_string_equal(r.bound, "COMPUTE_BOUND");
    assert_true(r.compute_us == 10 && r.memory_us == 1 && r.time_us == 10 && !r.assumed);
    az_roofline(&p, "matrix", AZ_SV("fp16"), AZ_SV(""), false, 1e9, 1e6, &r);
    assert_string_equal(r.peak, "matrix_bf16");
    assert_true(r.assumed);
    az_roofline(&p, "vector", AZ_SV("bf16"), AZ_SV(""), false, 1e6, 1e6,
                &r); /* 0.1 us against 1 us */
    assert_string_equal(r.peak, "vector_fp32");
    assert_string_equal(r.bound, "MEMORY_BOUND");
    az_roofline(&p, "matrix", AZ_SV("fp4"), AZ_SV("bf16"), false, 1e9, 1e6, &r);
    assert_string_equal(r.peak, "matrix_bf16");
    az_roofline(&p, "matrix", AZ_SV("int8"), AZ_SV(""), false, 1e9, 1e6,
                &r); /* no rate: no roofline */
    assert_true(isnan(r.time_us));
    az_roofline(&p, "", AZ_SV(""), AZ_SV(""), false, 0, 1e6, &r); /* a copy: memory alone */
    assert_true(r.time_us == 1);
    assert_false(az_peaks_override(&p, AZ_SV("matrix_bf16=fast"), &bad));
    assert_false(az_peaks_override(&p, AZ_SV("speed=3"), &bad));
    assert_true(az_sv_is(bad, "speed=3"));
}

static void devices(void **state)
{
    (void)state;
    struct az_peaks p;
    struct az_sv csv = az_data("devices.csv"), no = AZ_SV("");
    struct az_device_facts h100 = { AZ_SV("NVIDIA H100 80GB HBM3"), 132, 85018279936.0 },
                           nameless = { AZ_SV(""), 304, 206141652992.0 },
                           odd = { AZ_SV("Voodoo 2"), 3, 12e6 };
    struct az_device_facts a40 = { AZ_SV("NVIDIA A100"), 108, 42e9 },
                           a80 = { AZ_SV("NVIDIA A100"), 108, 85e9 };
    assert_true(az_peaks_find(csv, no, no, &h100, &p));
    assert_true(az_sv_is(p.name, "H100-SXM5") && p.bw == 3350 && p.rate[3] == 989.4);
    assert_true(az_peaks_find(csv, no, no, &nameless, &p));
    assert_true(az_sv_is(p.name, "MI300X"));
    assert_string_equal(p.how, "size");
    assert_true(az_peaks_find(csv, no, AZ_SV("achievable"), &nameless, &p));
    assert_true(p.rate[3] == 708);
    assert_true(az_peaks_find(csv, no, no, &a40, &p) && az_sv_is(p.name, "A100-SXM4-40GB"));
    assert_true(az_peaks_find(csv, no, no, &a80, &p) && az_sv_is(p.name, "A100-SXM4-80GB"));
    assert_true(az_peaks_find(csv, AZ_SV("mi325x"), no, &h100, &p) &&
                az_sv_is(p.name, "MI325X")); /* the config wins */
    assert_false(az_peaks_find(csv, no, no, &odd, &p));
    assert_false(az_peaks_find(csv, AZ_SV("H100"), AZ_SV("achievable"), &h100, &p));
}

/* A name is held by another only as words of its own; a wanted name that is none is reported the
 * nearest. */
static void device_names(void **state)
{
    (void)state;
    struct az_peaks p;
    const struct az_sv csv = az_data("devices.csv"), no = AZ_SV("");
    const struct az_device_facts none = { AZ_SV(""), 0, 0 };
    static const char *const known[][2] = { { "H200", "H200-SXM" },
                                            { "nvidia h200 nvl", "H200-NVL" },
                                            { "H200-SXM", "H200-SXM" },
                                            { "NVIDIA GB200", "GB200-GPU" },
                                            { "NVIDIA B200", "B200-HGX" },
                                            { "AMD Instinct MI300X VF", "MI300X" },
                                            { "MI355X", "MI355X" },
                                            { "wormhole_b0", "Wormhole-n150" },
                                            { "AMD Instinct MI350X", "MI350X" },
                                            { "H100 SXM5", "H100-SXM5" },
                                            { "NVIDIA H100 80GB HBM3", "H100-SXM5" },
                                            { "Tesla V100-PCIE-32GB", "V100-PCIe" },
                                            { "Tesla V100-SXM2-32GB", "V100-SXM2" },
                                            { "NVIDIA H100 PCIe", "H100-PCIe" },
                                            { "NVIDIA A100 80GB PCIe", "A100-PCIe-80GB" },
                                            { "NVIDIA A100-PCIE-40GB", "A100-PCIe-40GB" },
                                            { "NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB" },
                                            { "A100-80GB", "A100-SXM4-80GB" },
                                            { "NVIDIA GeForce RTX 4090", "RTX4090" } };
    static const char *const unknown[][2] = { { "H200X", "H200-SXM" }, { "GH20", "GH200-96GB" },
                                              { "MI350", "MI350X" },   { "H100", "H100-SXM5" },
                                              { "mi-300x", "MI300X" }, { "NVIDIA L41", "L4" },
                                              { "Voodoo 2", "" },      { "x", "" } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++) {
        const struct az_device_facts f = { az_sv_str(known[i][0]), 0, 0 };
        assert_true(az_peaks_find(csv, f.name, no, &none, &p) && az_sv_is(p.name, known[i][1]));
        assert_true(az_peaks_find(csv, no, no, &f, &p) && az_sv_is(p.name, known[i][1]));
    }
    for (size_t i = 0; i < AZ_LENGTH(unknown); i++) {
        const struct az_sv name = az_sv_str(unknown[i][0]);
        const struct az_device_facts f = { name, 0, 0 };
        assert_false(az_peaks_find(csv, name, no, &none, &p) || az_peaks_find(csv, no, no, &f, &p));
        const struct az_sv near = az_peaks_nearest(csv, no, name);
        if (!az_sv_is(near, unknown[i][1]))
            fail_msg("%s: nearest is '%.*s'", unknown[i][0], AZ_SVF(near));
    }
    const struct az_device_facts nameless = { AZ_SV(""), 256, 309220868096.0 };
    assert_true(az_peaks_find(csv, no, no, &nameless, &p) && az_sv_is(p.name, "MI355X"));
    assert_string_equal(p.how, "size (ambiguous)");
    assert_int_equal(p.source, AZ_PEAKS_SCALED);
}

#define GIB 1073741824.0

/* The peaks of a whole card count for that card alone: name, compute units and memory (GiB) of the
 * device; the row, the source, and the shares of its bf16 or fp16 rate and of its bandwidth. */
static void device_parts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double units, gib;
        const char *row; /* NULL: unknown */
        enum az_peaks_source source;
        double rate, bw;
    } c[] = {
        { "NVIDIA H100 80GB HBM3", 132, 79.2, "H100-SXM5", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA H100 80GB HBM3", 0, 0, "H100-SXM5", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA H100", 114, 79.2, "H100-PCIe", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 16, 10, "H100-SXM5", AZ_PEAKS_SCALED, 16. / 132,
          .125 },
        { "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 0, 0, NULL, AZ_PEAKS_UNKNOWN, 0, 0 },
        { "NVIDIA A100-SXM4-40GB MIG 3g.20gb", 42, 20, "A100-SXM4-40GB", AZ_PEAKS_SCALED, 42. / 108,
          .5 },
        { "NVIDIA H100 NVL", 132, 93.1, "H100-NVL", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GeForce RTX 4090 Laptop GPU", 76, 16, "RTX4090", AZ_PEAKS_SCALED, 76. / 128,
          16. / 24 },
        { "NVIDIA GeForce RTX 4090 D", 114, 23.6, "RTX4090D", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GeForce RTX 3090 Ti", 84, 23.7, "RTX3090Ti", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GeForce RTX 5090 D v2", 170, 24, "RTX5090", AZ_PEAKS_SCALED, 1, 1 },
        { "NVIDIA H20", 78, 95.6, "H20", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA H20-3e", 78, 140, "H20-3e", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA A10G", 80, 22.1, "A10G", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA A10-24Q", 72, 24, "A10", AZ_PEAKS_SCALED, 1, 1 },
        { "Tesla T4", 40, 14.6, "T4", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "Tesla V100-SXM2-16GB", 80, 15.8, "V100-SXM2", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GH200 480GB", 132, 95, "GH200-96GB", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GH200 144G HBM3e", 132, 140, "GH200-144GB", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA GB200", 152, 185, "GB200-GPU", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "AMD Instinct MI300X", 304, 192, "MI300X", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "AMD Instinct MI300X", 38, 48, "MI300X", AZ_PEAKS_SCALED, .125, .25 },
        { "AMD Instinct MI250X", 110, 64, "MI250X", AZ_PEAKS_SCALED, .5, .5 },
        { "AMD Instinct MI250X", 110, 0, "MI250X", AZ_PEAKS_SCALED, .5, .5 },
        { "AMD Instinct MI308X", 80, 192, "MI308X", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "AMD Radeon RX 7900 XTX", 48, 24, "RX7900XTX", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "AMD Radeon RX 7900 XTX", 96, 24, "RX7900XTX", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "gfx942", 304, 192, "MI300X", AZ_PEAKS_DATA_SHEET, 1, 1 },
        { "NVIDIA H100 PCIe Plus", 120, 80, NULL, AZ_PEAKS_UNKNOWN, 0, 0 },
        { "NVIDIA Frobnitz 9000", 132, 80, NULL, AZ_PEAKS_UNKNOWN, 0, 0 },
        { "TPU v5 lite", 0, 16, "TPU-v5e", AZ_PEAKS_DATA_SHEET, 1, 1 },
    };
    const struct az_sv csv = az_data("devices.csv"), no = AZ_SV("");
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const struct az_device_facts f = { az_sv_str(c[i].name), c[i].units, c[i].gib * GIB };
        struct az_peaks p, row;
        const bool found = az_peaks_find(csv, no, no, &f, &p);
        if (found != (c[i].row != NULL) || p.source != c[i].source ||
            (found && !az_sv_is(p.name, c[i].row)))
            fail_msg("%s: '%.*s', %s", c[i].name, AZ_SVF(p.name), az_peaks_source_id(p.source));
        if (!found)
            continue;
        const struct az_device_facts none = { no, 0, 0 };
        assert_true(az_peaks_find(csv, p.name, no, &none, &row));
        assert_true(fabs(p.rate[4] - c[i].rate * row.rate[4]) < 1e-9 * row.rate[4] ||
                    isnan(row.rate[4]));
        if (fabs(p.bw - c[i].bw * row.bw) > 1e-9 * row.bw)
            fail_msg("%s: bandwidth %g of %g", c[i].name, p.bw, row.bw);
    }
}

/* Rates above a peak, with what is uncertain in both (docs/formulas-models.md 13). */
static void impossible_rates(void **state)
{
    (void)state;
    const struct az_sv no = AZ_SV(""), bf16 = AZ_SV("bf16"), fp32 = AZ_SV("fp32");
    const struct az_device_facts f = { AZ_SV("NVIDIA H100 80GB HBM3"), 132, 80 * GIB };
    struct az_peaks p;
    assert_true(az_peaks_find(az_data("devices.csv"), no, no, &f, &p));
    const struct {
        struct az_rate rate;
        enum az_rate_result result;
    } c[] = {
        { { "matrix", bf16, 137e9, NAN, 50 }, AZ_RATE_IMPOSSIBLE }, /* 2,700 TFLOP/s */
        { { "matrix", bf16, 137e9, NAN, 140 }, AZ_RATE_POSSIBLE },  /* 979 */
        { { "matrix", bf16, 137e9, NAN, 135 }, AZ_RATE_POSSIBLE },  /* 1,015: a higher clock */
        { { "matrix", bf16, 137e9, NAN, 115 }, AZ_RATE_IMPOSSIBLE },
        { { "matrix", fp32, 137e9, NAN, 400 }, AZ_RATE_POSSIBLE }, /* as TF32 */
        { { "matrix", fp32, 137e9, NAN, 200 }, AZ_RATE_IMPOSSIBLE },
        { { "matrix", bf16, 1e6, NAN, 0.5 }, AZ_RATE_POSSIBLE }, /* within a tick */
        { { "matrix", AZ_SV("fp4"), 1e15, NAN, 1 }, AZ_RATE_UNKNOWN },
        { { "matrix", bf16, 1e9, NAN, 0 }, AZ_RATE_UNKNOWN },
        { { "vector", fp32, 1e6, 60e6, 3 }, AZ_RATE_POSSIBLE }, /* 20 TB/s out of the cache */
        { { "vector", fp32, 1e8, 1e9, 310 }, AZ_RATE_POSSIBLE },
        { { "vector", fp32, 1e8, 1e9, 200 }, AZ_RATE_IMPOSSIBLE }, /* 5 TB/s */
        { { "", no, 0, 1e9, 200 }, AZ_RATE_POSSIBLE },             /* may read a part twice */
        { { "", no, 0, 1e9, 100 }, AZ_RATE_IMPOSSIBLE },
        { { "vector", fp32, NAN, NAN, 5 }, AZ_RATE_UNKNOWN },
    };
    for (size_t i = 0; i < AZ_LENGTH(c); i++)
        if (az_rate_check(&p, &c[i].rate) != c[i].result)
            fail_msg("rate %zu", i);
    p.source = AZ_PEAKS_SCALED; /* clocks of another variant */
    assert_int_equal(az_rate_check(&p, &c[3].rate), AZ_RATE_POSSIBLE);
    p.cache_mb = NAN;
    assert_int_equal(az_rate_check(&p, &c[11].rate), AZ_RATE_UNKNOWN);
}

/* A device that the user names: its rates hold where the trace does not contradict. */
static void device_wishes(void **state)
{
    (void)state;
    const struct az_sv csv = az_data("devices.csv"), no = AZ_SV("");
    struct az_device_facts f = { AZ_SV("AMD Instinct MI300X"), 38, 24 * GIB };
    struct az_peaks p;
    struct az_sv bad;
    assert_true(az_peaks_find(csv, AZ_SV("MI300X"), no, &f, &p) && p.source == AZ_PEAKS_SCALED);
    assert_true(az_peaks_find(csv, AZ_SV("H200-SXM"), no, &f, &p) && p.source == AZ_PEAKS_USER);
    assert_true(p.share == 1 && p.rate[3] == 989.4);
    f = (struct az_device_facts){ no, 0, 0 };
    assert_true(az_peaks_find(csv, AZ_SV("MI300X"), no, &f, &p) && p.source == AZ_PEAKS_DATA_SHEET);
    assert_true(az_peaks_override(&p, AZ_SV("matrix_bf16=900"), &bad) && p.source == AZ_PEAKS_USER);
    assert_false(az_peaks_find(csv, AZ_SV("MI300X MIG"), no, &f, &p));
}

/* Every row of the table names a model that exists, and no operator is there twice. */
static void table(void **state)
{
    struct fixture *f = *state;
    assert_true(f->models.n > 300 && f->models.plain < f->models.n);
    for (size_t i = 0; i < f->models.n; i++) {
        static const struct az_perf_call none = { .op = { "x", 1 } };
        struct az_perf p;
        if (az_perf_eval(&none, &f->models.v[i], &f->arena, &p) != 0)
            fail_msg("%.*s: no such model '%.*s'", AZ_SVF(f->models.v[i].op),
                     AZ_SVF(f->models.v[i].model));
        assert_non_null(p.why); /* without arguments there is no estimate */
        if (i && i < f->models.plain)
            assert_true(az_sv_cmp(f->models.v[i - 1].op, f->models.v[i].op) < 0);
    }
    assert_null(az_op_model_find(&f->models, AZ_SV("aten::nothing")));
    assert_non_null(az_op_model_find(&f->models, AZ_SV("triton_per_fused_x")));
}

#define PREFILL "prefill[tok=4 sk=4 sqsq=16 sqsk=16]"
#define DECODE  "decode[tok=2 sk=10 sqsq=2 sqsk=10]"
#define BOTH    "step[c_sq=4 c_sk=4 c_sqsq=16 c_sqsk=16 g_sq=2 g_sk=10 g_sqsq=2 g_sqsk=10]"
#define EXECUTE "execute_1_context_1(sq4sk4sqsq16sqsk16)_generation_2(sq2sk10sqsq2sqsk10)"

/* Attention whose key lengths are in the annotation of the step (docs/formulas-models.md); 2 query
 * heads, 1 of keys. */
static void inference(void **state)
{
#define ATTENTION(flops, bytes, spec, step)                                                        \
    {                                                                                              \
        "vllm::unified_attention_with_output", "[[4,2,8],[4,1,8]]", "[" BF16 "," BF16 "]",         \
            "[\"\",\"\"]", flops, bytes, spec, NULL, NULL, step                                    \
    }
#define PAGED(flops, bytes, spec, step)                                                            \
    {                                                                                              \
        "aiter::pa_decode_gluon", "[[2,2,8],[2,2,8],[7,1,4,8]]", "[" BF16 "," BF16 "," BF16 "]",   \
            "[\"\",\"\",\"\"]", flops, bytes, spec, NULL, NULL, step                               \
    }
#define GDN(width, flops, bytes, spec, step)                                                       \
    {                                                                                              \
        "vllm::gdn_attention_core", "[[4," width "],[4,2],[4,2],[4,2,4]]",                         \
            "[" BF16 "," BF16 "," BF16 "," BF16 "]", "[\"\",\"\",\"\",\"\"]", flops, bytes, spec,  \
            NULL, NULL, step                                                                       \
    }
    static const struct row rows[] = {
        /* 2 * 16 * (2*16 - 16); 4 * 3 * 16 * 2 */
        ATTENTION(512, 384, "matrix_bf16", PREFILL),
        /* 2 * 16 * 2*10; 2 * 3 * 16 * 2 + (10 - 2) * 16 * 2 */
        ATTENTION(640, 448, "matrix_bf16", DECODE),
        ATTENTION(1152, 832, "matrix_bf16", BOTH),
        ATTENTION(1152, 832, "matrix_bf16", EXECUTE),
        ATTENTION(-1, -1, "", NULL),
        ATTENTION(-1, -1, "", "execute_1_context_1(sq4sk4"),
        ATTENTION(-1, -1, "", "decode[tok=0 sk=10 sqsq=0 sqsk=0]"),
        PAGED(640, 448, "matrix_bf16", DECODE),
        PAGED(640, 448, "matrix_bf16", BOTH), /* its generation alone */
        PAGED(-1, -1, "", PREFILL),
        /* 6 + 4 pairs: 10 * 2 * 4 * 8; 2 * 4*2*8 * 2 + 10 * 8 * 2 */
        { "aiter::pa_sparse_prefill_opus_fwd", "[[4,2,8],[9,8],[6],[1],[1],[4]]",
          "[" BF16 "," BF16 ",\"int\",\"int\",\"int\",\"int\"]", "[\"\",\"\",\"\",\"\",\"\",\"\"]",
          640, 416, "matrix_bf16" },
        { "aiter::pa_sparse_prefill_opus_fwd", "[[8,8],[9,8],[6],[1],[1],[4]]",
          "[" BF16 "," BF16 ",\"int\",\"int\",\"int\",\"int\"]", "[\"\",\"\",\"\",\"\",\"\",\"\"]",
          -1, -1, "" },
        /* d_k = (14 - 2*4) / 2 = 3: 7 * 4*2*4*3; 2 * 4*2 * (3 + 8 + 2) */
        GDN("14", 672, 208, "matrix_bf16", PREFILL),
        GDN("8", -1, -1, "", PREFILL),
        GDN("14", -1, -1, "", NULL),
    };
    CHECK(rows);
}

/* Decoding that sees a window, and of the rest one in 4 (at most topk) or one in 128; 2 query
 * heads, 1 of keys. */
static void windows(void **state)
{
#define V4(mode, query, flops, bytes, spec, fact, step)                                            \
    {                                                                                              \
        "pseudo_v4_paged_decode_" mode, "[" query ",[9,8]]", "[" BF16 "," BF16 "]", "[\"\",\"\"]", \
            flops, bytes, spec, NULL, fact, step                                                   \
    }
#define ONE(n) "decode[tok=1 sk=" n " sqsq=1 sqsk=" n "]"
    static const struct row rows[] = {
        /* 2 * 16 * 2*4; 3 * 16 * 2 + (4 - 1) * 16 * 2 */
        V4("swa", "[1,2,8]", 256, 192, "matrix_bf16", "window=4", ONE("128")),
        V4("swa", "[1,2,8]", 192, 160, "matrix_bf16", "window=4", ONE("3")),     /* all of 3 */
        V4("hca", "[1,2,8]", 320, 224, "matrix_bf16", "window=4", ONE("128")),   /* 4 + 1 */
        V4("hca", "[1,2,8]", 384, 256, "matrix_bf16", "window=4", ONE("129")),   /* 4 + 2 */
        V4("csa", "[1,2,8]", 2304, 1216, "matrix_bf16", "window=4", ONE("128")), /* 4 + 32 */
        V4("csa", "[1,2,8]", 2368, 1248, "matrix_bf16", "window=4", ONE("129")), /* 4 + 33 */
        V4("csa", "[1,2,8]", 8320, 4224, "matrix_bf16", "topk=2", ONE("1000")),  /* 128 + 2 */
        /* 2 * 16 * 2*10; 2 * 3 * 16 * 2 + (10 - 2) * 16 * 2 */
        V4("hca", "[2,2,8]", 640, 448, "matrix_bf16", "window=4",
           "decode[tok=2 sk=256 sqsq=2 sqsk=256]"),
        V4("hca", "[2,8]", -1, -1, "", "window=4", ONE("128")),
        V4("hca", "[1,2,8]", -1, -1, "", "window=4", PREFILL),
        V4("hca", "[1,2,8]", -1, -1, "", "window=4", NULL),
    };
    CHECK(rows);
}

/* Where there is no estimate, it is said what is missing. */
static void reasons(void **state)
{
#define SPARSE(query)                                                                              \
    "aiter::pa_sparse_prefill_opus_fwd", "[" query ",[9,8],[6],[1],[1],[4]]",                      \
        "[" BF16 "," BF16 ",\"int\",\"int\",\"int\",\"int\"]", "[\"\",\"\",\"\",\"\",\"\",\"\"]"
    static const struct {
        struct row row;
        const char *why;
    } t[] = {
        { { SPARSE("[8,8]") }, "3 dimensions" },
        { { SPARSE("[1,4,2,8]") }, "3 dimensions" },
        { { "EvoformerAttention", "[[2,4,2,8],[1,2,6,2,8]]", "[" BF16 "," BF16 "]", "[]" },
          "5 dimensions" },
        { { RMS_BACKWARD("[True]") }, "output_mask" },
    };
    for (size_t i = 0; i < AZ_LENGTH(t); i++) {
        struct az_perf p;
        assert_int_equal(run(*state, &t[i].row, &p), 0);
        assert_true(isnan(p.flops));
        assert_non_null(strstr(p.why, t[i].why));
    }
}

/* Names of data types by what an element takes; other spellings of case are the same. */
static void data_types(void **state)
{
    static const struct {
        double bytes;
        const char *prec, *names;
    } c[] = {
        { 8, "fp64", "double f64" },
        { 4, "fp32", "float f32 FLOAT" },
        { 2, "fp16", "c10::Half f16" },
        { 2, "bf16", "c10::BFloat16 bf16" },
        { 1, "fp8",
          "c10::Float8_e4m3fn c10::Float8_e4m3fnuz c10::Float8_e5m2 c10::Float8_e5m2fnuz fp8 f8 "
          "f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz" },
        { 1, "fp4", "c10::Float4_e2m1fn_x2 fp4 mxfp4" },
        { 1, "int8", "c10::qint8" },
        { 16, "fp64", "c10::complex<double>" },
        { 8, "fp32", "c10::complex<float>" },
        { 4, "fp16", "c10::complex<c10::Half>" },
        { 8, "", "long" },
        { 4, "", "int" },
        { 2, "", "short" },
        { 1, "", "bool c10::quint8 c10::Float8_e8m0fnu" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct az_sv left = az_sv_str(c[i].names);
        while (left.n) {
            const struct az_sv name = az_sv_cut(&left, ' ');
            const struct az_dtype *t = az_dtype_find(name);
            if (t->bytes != c[i].bytes || !az_sv_is(az_sv_str(t->prec), c[i].prec) || !t->tensor ||
                t->complex != (az_sv_find(name, AZ_SV("complex")) >= 0))
                fail_msg("%.*s: %g bytes, '%s'", AZ_SVF(name), t->bytes, t->prec);
        }
    }
    static const char *const none[] = { "", "Scalar", "ScalarList" };
    for (size_t i = 0; i < AZ_LENGTH(none); i++)
        assert_true(az_dtype_find(az_sv_str(none[i]))->bytes == 0 &&
                    !az_dtype_find(az_sv_str(none[i]))->tensor);
    assert_true(isnan(az_dtype_find(AZ_SV("f7"))->bytes) && az_dtype_find(AZ_SV("f7"))->tensor);
}

/* Every model over arguments of every number of dimensions: an estimate, or the reason why there is
 * none. */
static void estimate_or_reason(void **state)
{
    static const char *const dims[] = { "",          "[]",          "[4]",          "[0,4]",
                                        "[4,4]",     "[2,4,4]",     "[2,0,4]",      "[2,2,4,4]",
                                        "[2,3,4,5]", "[2,2,2,4,4]", "[2,2,2,2,4,4]" };
    static const char *const steps[] = { NULL, PREFILL, DECODE };
    struct fixture *f = *state;
    for (size_t i = 0; i < 3 * AZ_LENGTH(dims) * AZ_LENGTH(dims); i++) {
        char shapes[400] = "[", types[400] = "[";
        const char *first = dims[i / 3 % AZ_LENGTH(dims)], *others = dims[i / 3 / AZ_LENGTH(dims)];
        for (size_t k = 0; *first && (k == 0 || (k < 18 && *others)); k++) {
            (void)strcat(strcat(shapes, k ? "," : ""), k ? others : first);
            (void)strcat(strcat(types, k ? "," : ""), BF16);
        }
        (void)strcat(shapes, "]");
        (void)strcat(types, "]");
        for (size_t k = 0; k < f->models.n; k++) {
            struct az_perf_call c = { .op = f->models.v[k].op,
                                      .annotation = az_sv_str(steps[i % 3]) };
            struct az_arena a;
            struct az_perf p;
            az_arena_init(&a, NULL);
            assert_true(
                az_perf_parse(&c, az_sv_str(shapes), az_sv_str(types), AZ_SV(""), AZ_SV("")));
            assert_int_equal(az_perf_eval(&c, &f->models.v[k], &a, &p), 0);
            if (isnan(p.flops) && isnan(p.bytes)
                    ? !p.why || !*p.why || strcmp(p.why, "unsupported form of arguments") == 0
                    : p.why != NULL)
                fail_msg("%.*s of %s: %g, %g, '%s'", AZ_SVF(c.op), shapes, p.flops, p.bytes,
                         p.why ? p.why : "");
            az_arena_release(&a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_types),
        cmocka_unit_test(estimate_or_reason),
        cmocka_unit_test(windows),
        cmocka_unit_test(packed_attention),
        cmocka_unit_test(state_space),
        cmocka_unit_test(gemm),
        cmocka_unit_test(conv),
        cmocka_unit_test(attention),
        cmocka_unit_test(elements),
        cmocka_unit_test(moves),
        cmocka_unit_test(norms),
        cmocka_unit_test(others),
        cmocka_unit_test(malformed),
        cmocka_unit_test(transposes),
        cmocka_unit_test(rooflines),
        cmocka_unit_test(devices),
        cmocka_unit_test(device_names),
        cmocka_unit_test(device_parts),
        cmocka_unit_test(impossible_rates),
        cmocka_unit_test(device_wishes),
        cmocka_unit_test(table),
        cmocka_unit_test(inference),
        cmocka_unit_test(reasons),
        cmocka_unit_test(conv_without_stride),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
