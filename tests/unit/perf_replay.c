/* Benchmark commands derived from shapes: each branch of the rules by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perf/replay.h"

static struct az_vec_char out;
static unsigned notes;
static const char *why;

static int setup(void **state)
{
    (void)state;
    az_vec_init(&out, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    az_vec_release(&out);
    return 0;
}

static int derive_as(enum az_replay_form form, const char *op, const char *dims, const char *types,
                     const char *strides, const char *concrete)
{
    struct az_perf_call c = { .op = az_sv_str(op) };
    az_vec_reset(&out);
    why = NULL;
    assert_true(az_perf_parse(&c, az_sv_str(dims), az_sv_str(types), az_sv_str(strides),
                              az_sv_str(concrete)));
    int rc = az_replay_command(&c, form, &out, &notes, &why);
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    return rc;
}

static const char *derive(const char *op, const char *dims, const char *types, const char *strides,
                          const char *concrete)
{
    int rc = derive_as(AZ_REPLAY_LOGGED, op, dims, types, strides, concrete);
    if (rc)
        print_message("%s: %s\n", op, why);
    assert_int_equal(rc, 0);
    return out.v;
}

static void refused(const char *op, const char *dims, const char *types, const char *strides,
                    const char *concrete, const char *reason)
{
    assert_int_equal(derive_as(AZ_REPLAY_LOGGED, op, dims, types, strides, concrete), AZ_EFORMAT);
    assert_non_null(why);
    assert_string_equal(why, reason);
}

#define BF16_2 "[\"c10::BFloat16\",\"c10::BFloat16\"]"
#define BF16_5 "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\",\"Scalar\"]"
#define TAIL                                                                                       \
    " --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r --scale_type f32_r "         \
    "--bias_type f32_r "                                                                           \
    "--compute_type f32_r"

/* [3,5] x [5,7]: the library computes the transposed product, m = 7, n = 3, k = 5, its A is our
 * second operand. */
static void test_plain_product(void **state)
{
    (void)state;
    assert_string_equal(derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[5,1],[7,1]]", "[\"\",\"\"]"),
                        "hipblaslt-bench --api_method c -m 7 -n 3 -k 5 --lda 7 --ldb 5 --ldc 7 "
                        "--ldd 7 --stride_a 0 "
                        "--stride_b 0 --stride_c 0 --stride_d 0 --alpha 1.000000 --beta 0.000000 "
                        "--transA N --transB N "
                        "--batch_count 1" TAIL);
    assert_int_equal(notes, 0);
}

/* The second operand is a transposed view [5,7] of a [7,5] matrix: T with its row length; the first
 * one has a longer row than its columns need: N with that length. */
static void test_transposed_and_padded(void **state)
{
    (void)state;
    const char *c = derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[64,1],[1,5]]", "");
    assert_non_null(strstr(c, "--lda 5 --ldb 64 --ldc 7"));
    assert_non_null(strstr(c, "--transA T --transB N"));
    c = derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[1,3],[7,1]]", "");
    assert_non_null(strstr(c, "--lda 7 --ldb 3 --ldc 7"));
    assert_non_null(strstr(c, "--transA N --transB T"));
}

/* Neither rows nor columns are contiguous: copied, so its rows are as long as they have columns. */
static void test_copied_operand(void **state)
{
    (void)state;
    const char *c = derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[10,2],[7,1]]", "");
    assert_non_null(strstr(c, "--ldb 5 "));
    assert_non_null(strstr(c, "--transB N"));
    assert_int_equal(notes, AZ_REPLAY_COPIED);
    /* a row stride shorter than a row (overlapping rows) is no matrix either */
    derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[2,1],[7,1]]", "");
    assert_int_equal(notes, AZ_REPLAY_COPIED);
}

/* Dimensions of size 1 have any stride. */
static void test_single_rows_and_columns(void **state)
{
    (void)state;
    const char *c = derive("aten::mm", "[[1,5],[5,1]]", BF16_2, "[[99,1],[1,7]]", "");
    assert_non_null(strstr(c, "-m 1 -n 1 -k 5 --lda 1 --ldb 99 "));
    assert_non_null(strstr(c, "--transA N --transB N"));
}

static void test_missing_strides(void **state)
{
    (void)state;
    const char *c = derive("aten::mm", "[[3,5],[5,7]]", BF16_2, "", "");
    assert_non_null(strstr(c, "--lda 7 --ldb 5 "));
    assert_int_equal(notes, AZ_REPLAY_NO_STRIDES);
}

static void test_addmm(void **state)
{
    (void)state;
    const char *c = derive("aten::addmm", "[[7],[3,5],[5,7],[],[]]", BF16_5,
                           "[[1],[5,1],[7,1],[],[]]", "[\"\",\"\",\"\",\"1\",\"1\"]");
    assert_non_null(strstr(c, "--alpha 1.000000 --beta 0.000000"));
    assert_non_null(strstr(c, "--batch_count 1 --bias_vector --bias_source d --a_type bf16_r"));
    assert_non_null(strstr(c, "--bias_type bf16_r"));
    assert_int_equal(notes, 0);
    /* a matrix is added, not a bias: as C */
    c = derive("aten::addmm", "[[3,7],[3,5],[5,7],[],[]]", BF16_5, "[[7,1],[5,1],[7,1],[],[]]",
               "[\"\",\"\",\"\",\"1\",\"2.5\"]");
    assert_null(strstr(c, "--bias_vector"));
    assert_non_null(strstr(c, "--alpha 2.500000 --beta 1.000000"));
    assert_non_null(strstr(c, "--bias_type f32_r"));
    assert_int_equal(notes, AZ_REPLAY_UNCERTAIN);
    /* a bias that is scaled cannot be one of the library's */
    c = derive("aten::addmm", "[[7],[3,5],[5,7],[],[]]", BF16_5, "[[1],[5,1],[7,1],[],[]]",
               "[\"\",\"\",\"\",\"0.5\",\"1\"]");
    assert_null(strstr(c, "--bias_vector"));
    assert_non_null(strstr(c, "--beta 0.500000"));
    /* nothing was recorded: the defaults */
    c = derive("aten::addmm", "[[7],[3,5],[5,7],[],[]]", BF16_5, "", "");
    assert_non_null(strstr(c, "--bias_vector"));
}

/* 4 x [3,5] x [5,7]: strides of the batch, and of the result m x n. */
static void test_batched(void **state)
{
    (void)state;
    const char *c = derive("aten::bmm", "[[4,3,5],[4,5,7]]", BF16_2, "[[15,5,1],[35,7,1]]", "");
    assert_non_null(
        strstr(c, "-m 7 -n 3 -k 5 --lda 7 --ldb 5 --ldc 7 --ldd 7 --stride_a 35 --stride_b 15 "
                  "--stride_c 21 --stride_d 21"));
    assert_non_null(strstr(c, "--transA N --transB N --batch_count 4"));
    c = derive("aten::bmm", "[[4,3,5],[4,5,7]]", BF16_2, "[[15,1,3],[35,1,5]]", "");
    assert_non_null(strstr(c, "--lda 5 --ldb 3 "));
    assert_non_null(strstr(c, "--transA T --transB T"));
    c = derive("aten::bmm", "[[4,3,5],[4,5,7]]", BF16_2, "[[60,20,2],[35,7,1]]", "");
    assert_non_null(strstr(c, "--ldb 5 --ldc 7 --ldd 7 --stride_a 35 --stride_b 15 "));
    assert_int_equal(notes, AZ_REPLAY_COPIED);
}

/* One column: as it stands, m = 3, n = 1, the library's A is ours. Its rows are contiguous, so it
 * is transposed. */
static void test_batched_one_column(void **state)
{
    (void)state;
    const char *c = derive("aten::bmm", "[[1,3,5],[1,5,1]]", BF16_2, "[[15,5,1],[5,1,1]]", "");
    assert_non_null(strstr(
        c, "-m 3 -n 1 -k 5 --lda 5 --ldb 1 --ldc 3 --ldd 3 --stride_a 15 --stride_b 5 --stride_c 0 "
           "--stride_d 0"));
    assert_non_null(strstr(c, "--transA T --transB T --batch_count 1"));
    /* column-major already */
    c = derive("aten::bmm", "[[2,3,5],[2,5,1]]", BF16_2, "[[15,1,3],[5,1,5]]", "");
    assert_non_null(strstr(c, "--lda 3 --ldb 5 --ldc 3 "));
    assert_non_null(strstr(c, "--transA N --transB N"));
    /* neither: copied row-major, which is T here */
    c = derive("aten::bmm", "[[2,3,5],[2,5,1]]", BF16_2, "[[60,20,2],[5,1,5]]", "");
    assert_non_null(strstr(c, "--lda 5 "));
    assert_non_null(strstr(c, "--stride_a 15 "));
    assert_non_null(strstr(c, "--transA T"));
}

static void test_baddbmm(void **state)
{
    (void)state;
    const char *c =
        derive("aten::baddbmm", "[[4,3,7],[4,3,5],[4,5,7],[],[]]", BF16_5,
               "[[21,7,1],[15,5,1],[35,7,1],[],[]]", "[\"\",\"\",\"\",\"0\",\"0.125\"]");
    assert_non_null(strstr(c, "--alpha 0.125000 --beta 0.000000"));
    assert_int_equal(notes, 0);
}

static void test_types(void **state)
{
    (void)state;
    static const char *const want[][3] = {
        { "float", "--a_type f32_r", "--compute_type f32_r" },
        { "double", "--a_type f64_r", "--compute_type f64_r" },
        { "c10::Half", "--a_type f16_r", "--compute_type f32_r" },
        { "signed char", "--a_type i8_r --b_type i8_r --c_type i32_r --d_type i32_r",
          "--compute_type i32_r" },
        { "c10::Float8_e4m3fn", "--a_type f8_r", "--compute_type f32_r" },
        { "c10::Float8_e5m2fnuz", "--a_type bf8_fnuz_r", "--compute_type f32_r" },
    };
    for (size_t i = 0; i < AZ_LENGTH(want); i++) {
        char types[100];
        snprintf(types, sizeof types, "[\"%s\",\"%s\"]", want[i][0], want[i][0]);
        const char *c = derive("aten::mm", "[[3,5],[5,7]]", types, "[[5,1],[7,1]]", "");
        assert_non_null(strstr(c, want[i][1]));
        assert_non_null(strstr(c, want[i][2]));
        assert_int_equal(notes, i >= 4 ? AZ_REPLAY_UNCERTAIN : 0);
    }
    refused("aten::mm", "[[3,5],[5,7]]", "[\"long int\",\"long int\"]", "", "",
            "data type not supported by the benchmark");
}

/* The result of a scaled product by its code. */
static void test_codes(void **state)
{
    (void)state;
    static const char *const want[][2] = {
        { "5", "f16_r" }, { "6", "f32_r" },       { "15", "bf16_r" },    { "23", "bf8_r" },
        { "24", "f8_r" }, { "25", "bf8_fnuz_r" }, { "26", "f8_fnuz_r" },
    };
    for (size_t i = 0; i < AZ_LENGTH(want); i++) {
        char concrete[100], type[60];
        snprintf(concrete, sizeof concrete, "[\"\",\"\",\"\",\"\",\"\",\"\",\"%s\",\"True\"]",
                 want[i][0]);
        snprintf(type, sizeof type, "--d_type %s ", want[i][1]);
        const char *c = derive("aten::_scaled_mm", "[[16,32],[32,48],[],[],[],[],[],[]]",
                               "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\",\"float\",\"float\","
                               "\"\",\"\",\"Scalar\",\"Scalar\"]",
                               "[[32,1],[1,32],[],[],[],[],[],[]]", concrete);
        if (!strstr(c, type))
            fail_msg("%s: %s", want[i][0], c);
    }
}

/* 8-bit operands with scales; the result is bfloat16 (code 15), the bias too. */
static void test_scaled(void **state)
{
    (void)state;
    const char *c = derive(
        "aten::_scaled_mm", "[[16,32],[32,48],[],[],[48],[],[],[]]",
        "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\",\"float\",\"float\",\"c10::BFloat16\",\"\","
        "\"Scalar\",\"Scalar\"]",
        "[[32,1],[1,32],[],[],[1],[],[],[]]", "[\"\",\"\",\"\",\"\",\"\",\"\",\"15\",\"True\"]");
    assert_non_null(
        strstr(c, "--transA T --transB N --batch_count 1 --scaleA 1 --scaleB 1 --bias_vector"));
    assert_non_null(
        strstr(c, "--c_type bf16_r --d_type bf16_r --scale_type f32_r --bias_type bf16_r"));
}

static void test_forms(void **state)
{
    (void)state;
    assert_int_equal(
        derive_as(AZ_REPLAY_BENCH, "aten::mm", "[[3,5],[5,7]]", BF16_2, "[[5,1],[7,1]]", ""), 0);
    assert_non_null(strstr(
        out.v, "--compute_type f32_r --algo_method heuristic --requested_solution 1 --cold_iters "
               "100 --iters 100 --rotating 512 --flush --initialization trig_float "
               "--use_gpu_timer --print_kernel_info"));
    assert_int_equal(
        derive_as(AZ_REPLAY_TUNE, "aten::mm", "[[3,5],[5,7]]", BF16_2, "[[5,1],[7,1]]", ""), 0);
    assert_non_null(strstr(out.v, "--requested_solution 200 --cold_iters 5 --iters 30"));
}

static void test_refused_products(void **state)
{
    (void)state;
    refused("aten::mm", "[[3,5],[6,7]]", BF16_2, "", "", "operand shapes do not match");
    refused("aten::mm", "[[3],[5,7]]", BF16_2, "", "", "operands are not matrices");
    refused("aten::bmm", "[[3,5],[5,7]]", BF16_2, "", "", "operands are not batched matrices");
    refused("aten::bmm", "[[2,3,5],[3,5,7]]", BF16_2, "", "", "operand shapes do not match");
    refused("aten::mm", "[[0,5],[5,7]]", BF16_2, "", "", "size is 0 or too large");
    refused("aten::mm", "[[9223372036854775807,5],[5,9223372036854775807]]", BF16_2, "", "",
            "size is 0 or too large");
    refused("aten::mm", "[[3,5],[5,7]]", BF16_2, "[[-5,1],[7,1]]", "", "invalid strides");
    refused("aten::addmm", "[[7],[3,5],[5,7],[],[]]", BF16_5, "", "[\"\",\"\",\"\",\"x\",\"1\"]",
            "invalid alpha or beta");
    refused("my::gemm", "[[3,5],[5,7]]", BF16_2, "", "", "unsupported operator");
    refused("aten::mm", "[]", "[]", "", "", "operands are not matrices");
}

/* ---- convolutions ---- */

#define CONV_TYPES(t)                                                                              \
    "[\"" t "\",\"" t                                                                              \
    "\",\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]"
#define EMPTY7 ",[],[],[],[],[],[],[]]"

static void test_conv_2d(void **state)
{
    (void)state;
    assert_string_equal(
        derive("aten::convolution", "[[10,3,224,200],[64,3,7,5]" EMPTY7,
               CONV_TYPES("c10::BFloat16"), "[[134400,44800,200,1],[105,35,5,1]" EMPTY7,
               "[\"\",\"\",\"\",\"[2, 3]\",\"[3, 2]\",\"[1, 4]\",\"False\",\"[0, 0]\",\"1\"]"),
        "MIOpenDriver convbfp16 -n 10 -c 3 -H 224 -W 200 -k 64 -y 7 -x 5 -p 3 -q 2 -u 2 -v 3 -l 1 "
        "-j 4 "
        "-m conv -g 1 -F 1 -t 1");
    assert_int_equal(notes, 0);
    /* one number for all dimensions; groups; the word of the type */
    const char *c =
        derive("aten::convolution", "[[1,8,9,9],[8,1,3,3]" EMPTY7, CONV_TYPES("c10::Half"), "",
               "[\"\",\"\",\"\",\"[1]\",\"[1]\",\"[2]\",\"False\",\"[0]\",\"8\"]");
    assert_non_null(strstr(c, "convfp16 "));
    assert_non_null(strstr(c, "-p 1 -q 1 -u 1 -v 1 -l 2 -j 2 -m conv -g 8 "));
    assert_non_null(strstr(
        derive("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("float"), "", ""),
        "MIOpenDriver conv -n 1"));
    assert_non_null(strstr(derive("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7,
                                  CONV_TYPES("signed char"), "", ""),
                           "MIOpenDriver convint8 -n 1"));
    assert_int_equal(derive_as(AZ_REPLAY_BENCH, "aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7,
                               CONV_TYPES("float"), "", ""),
                     0);
    assert_non_null(strstr(out.v, "-F 1 -t 1 -V 0"));
}

static void test_conv_1d_and_3d(void **state)
{
    (void)state;
    assert_string_equal(derive("aten::convolution", "[[2,4,100],[6,4,5]" EMPTY7,
                               CONV_TYPES("float"), "",
                               "[\"\",\"\",\"\",\"[2]\",\"[3]\",\"[1]\",\"False\",\"[0]\",\"1\"]"),
                        "MIOpenDriver conv -n 2 -c 4 -H 1 -W 100 -k 6 -y 1 -x 5 -p 0 -q 3 -u 1 -v "
                        "2 -l 1 -j 1 -m conv "
                        "-g 1 -F 1 -t 1");
    assert_true(notes & AZ_REPLAY_UNCERTAIN);
    assert_string_equal(
        derive("aten::convolution", "[[2,4,7,8,9],[6,4,1,2,3]" EMPTY7, CONV_TYPES("float"),
               "[[2016,504,72,9,1],[24,6,6,3,1]" EMPTY7,
               "[\"\",\"\",\"\",\"[1,2,3]\",\"[4,5,6]\",\"[7,8,9]\",\"False\",\"[0,0,0]\",\"1\"]"),
        "MIOpenDriver conv -n 2 -c 4 --in_d 7 -H 8 -W 9 -k 6 --fil_d 1 -y 2 -x 3 --pad_d 4 -p 5 -q "
        "6 "
        "--conv_stride_d 1 -u 2 -v 3 --dilation_d 7 -l 8 -j 9 --spatial_dim 3 -m conv -g 1 -F 1 -t "
        "1");
    assert_int_equal(notes, 0);
}

/* [2,4,8,9] with channels last: strides 288, 1, 36, 4. */
static void test_conv_layout(void **state)
{
    (void)state;
    const char *c = derive("aten::convolution", "[[2,4,8,9],[6,4,3,3]" EMPTY7, CONV_TYPES("float"),
                           "[[288,1,36,4],[36,9,3,1]" EMPTY7, "");
    assert_non_null(strstr(c, "-j 1 --in_layout NHWC --fil_layout NHWC --out_layout NHWC -m conv"));
    c = derive("aten::convolution", "[[2,4,7,8,9],[6,4,1,1,1]" EMPTY7, CONV_TYPES("float"),
               "[[2016,1,288,36,4],[4,1,1,1,1]" EMPTY7, "");
    assert_non_null(
        strstr(c, "--spatial_dim 3 --in_layout NDHWC --fil_layout NDHWC --out_layout NDHWC"));
    /* one channel: both orders at once, which counts as the usual one */
    c = derive("aten::convolution", "[[2,1,8,9],[6,1,3,3]" EMPTY7, CONV_TYPES("float"),
               "[[72,1,9,1],[9,9,3,1]" EMPTY7, "");
    assert_null(strstr(c, "layout"));
    /* only the filter has channels last */
    c = derive("aten::convolution", "[[2,4,8,9],[6,4,3,3]" EMPTY7, CONV_TYPES("float"),
               "[[288,72,9,1],[36,1,12,4]" EMPTY7, "");
    assert_non_null(strstr(c, "--in_layout NHWC"));
}

static void test_conv_transposed(void **state)
{
    (void)state;
    const char *c =
        derive("aten::convolution", "[[2,4,8,9],[4,6,3,3]" EMPTY7, CONV_TYPES("float"), "",
               "[\"\",\"\",\"\",\"[2,2]\",\"[0,0]\",\"[1,1]\",\"True\",\"[0,0]\",\"1\"]");
    assert_non_null(strstr(c, "-c 4 -H 8 -W 9 -k 6 "));
    assert_non_null(strstr(c, "-m trans -g 1 -F 1"));
    assert_true(notes & AZ_REPLAY_UNCERTAIN);
}

/* grad_output, input, weight, bias sizes, stride, padding, dilation, transposed, output padding,
 * groups, mask */
#define BWD_DIMS "[[10,64,28,28],[10,32,56,56],[64,32,3,3],[],[],[],[],[],[],[],[]]"
#define BWD_TYPES                                                                                  \
    "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"ScalarList\","  \
    "\"Scalar\","                                                                                  \
    "\"ScalarList\",\"Scalar\",\"ScalarList\"]"
#define BWD_CONCRETE(mask)                                                                         \
    "[\"\",\"\",\"\",\"[0]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\",\"" mask  \
    "\"]"

static void test_conv_backward(void **state)
{
    (void)state;
    const char *both = "MIOpenDriver conv -n 10 -c 32 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 2 "
                       "-v 2 -l 1 -j 1 -m conv "
                       "-g 1 -F 2 -t 1\n"
                       "MIOpenDriver conv -n 10 -c 32 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 2 "
                       "-v 2 -l 1 -j 1 -m conv "
                       "-g 1 -F 4 -t 1";
    assert_string_equal(derive("aten::convolution_backward", BWD_DIMS, BWD_TYPES, "",
                               BWD_CONCRETE("[True, True, False]")),
                        both);
    const char *weights = derive("aten::convolution_backward", BWD_DIMS, BWD_TYPES, "",
                                 BWD_CONCRETE("[False, True, False]"));
    assert_non_null(strstr(weights, "-F 4 -t 1"));
    assert_null(strchr(weights, '\n'));
    refused("aten::convolution_backward", BWD_DIMS, BWD_TYPES, "",
            BWD_CONCRETE("[False, False, True]"), "unsupported form of output_mask");
}

static void test_refused_convolutions(void **state)
{
    (void)state;
    refused("aten::convolution", "[[10,3],[64,3]" EMPTY7, CONV_TYPES("float"), "", "",
            "input and filter shapes do not match");
    refused("aten::convolution", "[[0,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("float"), "", "",
            "size is 0 or too large");
    refused("aten::convolution", "[[1,8,9,9],[8,0,3,3]" EMPTY7, CONV_TYPES("float"), "", "",
            "size is 0 or too large");
    refused("aten::convolution", "[[1,8,9,9],[8,8,3]" EMPTY7, CONV_TYPES("float"), "", "",
            "input and filter shapes do not match");
    refused("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("double"), "", "",
            "data type not supported by the benchmark");
    refused("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("float"), "",
            "[\"\",\"\",\"\",\"[0, 1]\",\"[3, 2]\",\"[1, 4]\",\"False\",\"[0, 0]\",\"1\"]",
            "unsupported form of stride, padding or dilation");
    refused("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("float"), "",
            "[\"\",\"\",\"\",\"[1, 1, 1]\",\"[3, 2]\",\"[1, 4]\",\"False\",\"[0, 0]\",\"1\"]",
            "unsupported form of stride, padding or dilation");
    refused("aten::convolution", "[[1,8,9,9],[8,8,3,3]" EMPTY7, CONV_TYPES("float"), "",
            "[\"\",\"\",\"\",\"[1, 1]\",\"[3, 2]\",\"[1, 4]\",\"False\",\"[0, 0]\",\"0\"]",
            "invalid groups");
}

static void test_tools(void **state)
{
    (void)state;
    assert_int_equal(az_replay_tool(AZ_SV("aten::addmm")), AZ_REPLAY_GEMM);
    assert_int_equal(az_replay_tool(AZ_SV("aten::convolution")), AZ_REPLAY_CONV);
    assert_int_equal(az_replay_tool(AZ_SV("aten::add")), AZ_REPLAY_NONE);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_plain_product),   T(test_transposed_and_padded),
        T(test_copied_operand),  T(test_single_rows_and_columns),
        T(test_missing_strides), T(test_addmm),
        T(test_batched),         T(test_batched_one_column),
        T(test_baddbmm),         T(test_types),
        T(test_scaled),          T(test_codes),
        T(test_forms),           T(test_refused_products),
        T(test_conv_2d),         T(test_conv_1d_and_3d),
        T(test_conv_layout),     T(test_conv_transposed),
        T(test_conv_backward),   T(test_refused_convolutions),
        T(test_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
