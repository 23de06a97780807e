/* Names for people: lists as words, kernels by what tells them apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text/names.h"

static void same(struct az_arena *a, struct az_sv got, const char *want)
{
    assert_string_equal(az_arena_str(a, got), want);
}

static void lists_are_words(void **state)
{
    static const char *const row[][2] = {
        { "[\"GEMM\"]", "GEMM" },
        { "[\"a\",\"b, c\"]", "a, b, c" },
        { "[\"\",\"1\",null]", "-, 1, -" },
        { "[[64,128],[128],[]]", "[64,128] [128]" },
        { "[[[1,2],[3]],[4]]", "[[1,2],[3]] [4]" },
        { "[[]]", "-" },
        { "[]", "-" },
        { "[64,128]", "[64,128]" },
        { "[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]" },
        { "[\"open", "[\"open" },
        { "[\"x\\\"]\"]", "x\\\"]" },
        { "", "" },
        { "[", "[" },
    };
    struct az_arena a;

    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        same(&a, az_name_plain(&a, az_sv_str(row[i][0])), row[i][1]);
    az_arena_release(&a);
}

static void names_lose_what_all_have(void **state)
{
    static const char *const row[][3] = {
        { "void at::native::(anonymous namespace)::layer_norm<float, 4>(int, float const*)",
          "layer_norm", "layer_norm<float,4>" },
        { "void at::native::vectorized_elementwise_kernel<4, "
          "at::native::Gelu(at::TensorIteratorBase&)::{lambda()#1}, std::array<char*, 2ul> >",
          "vectorized_elementwise_kernel",
          "vectorized_elementwise_kernel<4,Gelu,array<char,2ul>>" },
        { "void at::native::vectorized_elementwise_kernel<4, at::native::Gelu(at::Base&, at::Type)"
          "::{lambda()#2}::operator()() const::{lambda()#7}::operator()() "
          "const::{lambda(float)#1}, "
          "unsigned int>(int)",
          "vectorized_elementwise_kernel", "vectorized_elementwise_kernel<4,Gelu,unsigned int>" },
        { "void f<at::operators::scale, const at::Fill<4>::operator()<at::Assign>(at::Base&) const>"
          "(int)",
          "f", "f<scale,const Fill<4><Assign>>" },
        { "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL" },
        { "aten::mm", "aten::mm", "aten::mm" },
        { "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)",
          "Memcpy HtoD (Pinned -> Device)" },
        { "model.py(1116): forward", "model.py(1116): forward", "model.py(1116): forward" },
        { "Matmul (in0:dram)", "Matmul (in0:dram)", "Matmul (in0:dram)" },
        { "hipGraphLaunch->void f<int>(int) (Synthetic Op)", "f (in hipGraphLaunch)",
          "f<int> (in hipGraphLaunch)" },
        { "void ", "void ", "void " },
        { "a<b", "a", "a<>" },
        { "f(", "f", "f" },
        { "::", "::", "::" },
        { "<unknown>", "<unknown>", "<unknown>" },
    };
    struct az_arena a;

    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        same(&a, az_name_short(&a, az_sv_str(row[i][0]), false), row[i][1]);
        if (strcmp(row[i][0], "a<b") != 0)
            same(&a, az_name_short(&a, az_sv_str(row[i][0]), true), row[i][2]);
    }
    az_arena_release(&a);
}

static void different_names_stay_different(void **state)
{
    struct az_arena a;
    struct az_sv name[] = {
        AZ_SV("void at::k<1, at::Add>(int)"),
        AZ_SV("void at::k<1, at::Mul>(int)"),
        AZ_SV("void at::one<2>(int)"),
        AZ_SV("void at::k<1, at::Mul>(int)"),
        AZ_SV("step(3)"),
        AZ_SV("step(4)"),
    };
    struct az_sv made[] = {
        AZ_SV("sm90_xmma_gemm_bf16_tn_n_tile256x128x64_stage4_warpgroup2_execute_kernel"),
        AZ_SV("sm90_xmma_gemm_bf16_nn_n_tile256x128x64_stage4_warpgroup2_execute_kernel"),
        AZ_SV("sm90_xmma_gemm_bf16_nn_n_tile128x128x64_stage4_warpgroup2_execute_kernel"),
        AZ_SV("short"),
        AZ_SV("one_name_that_is_alone_of_its_kind_and_longer_than_wanted"),
    };

    (void)state;
    az_arena_init(&a, NULL);
    az_names_shorten(&a, name, 6);
    same(&a, name[0], "k<1,Add>");
    same(&a, name[1], "k<1,Mul>");
    same(&a, name[2], "one<2>");
    same(&a, name[3], "k<1,Mul>");
    same(&a, name[4], "step(3)");
    same(&a, name[5], "step(4)");
    az_names_cut(&a, made, 5, 30);
    same(&a, made[0], "sm90_xmma_gemm_bf16_tn_n\xe2\x80\xa6");
    same(&a, made[1], "sm90_xmma\xe2\x80\xa6nn\xe2\x80\xa6tile256x128x64\xe2\x80\xa6");
    same(&a, made[2], "sm90_xmma_gemm\xe2\x80\xa6tile128x128x64\xe2\x80\xa6");
    same(&a, made[3], "short");
    same(&a, made[4],
         "one_name_that_is_alo\xe2\x80\xa6"
         "an_wanted");
    az_arena_release(&a);
}

/* Names of which no words are left that tell them apart. */
static void alike_when_cut(void **state)
{
    struct az_arena a;
    struct az_sv made[] = {
        AZ_SV("EigenMetaKernel<TensorEvaluator<TensorAssignOp<TensorMap, sum>, GpuDevice>, long>"),
        AZ_SV("EigenMetaKernel<TensorEvaluator<TensorAssignOp<TensorMap, max>, GpuDevice>, long>"),
        AZ_SV("EigenMetaKernel<TensorEvaluator<TensorAssignOp<TensorMap, max>, GpuDevice>, long>"),
        AZ_SV("other"),
    };

    (void)state;
    az_arena_init(&a, NULL);
    az_names_cut(&a, made, 4, 30);
    same(&a, made[0], "EigenMetaKerne\xe2\x80\xa6sum>, GpuDevic\xe2\x80\xa6");
    same(&a, made[1], "EigenMetaKerne\xe2\x80\xa6max>, GpuDevic\xe2\x80\xa6");
    assert_true(az_sv_eq(made[1], made[2]));
    same(&a, made[3], "other");
    az_arena_release(&a);
}

/* Arguments that end with "::", as of names that were cut. */
static void nothing_after_a_namespace(void **state)
{
    struct az_arena a;
    struct az_sv name[] = { AZ_SV("k<1, a::>(int)"), AZ_SV("k<2, a::>(int)"),
                            AZ_SV("one<1, a::b>(int)"), AZ_SV("one<2, a::{b}>(int)") };

    (void)state;
    az_arena_init(&a, NULL);
    az_names_shorten(&a, name, 4);
    same(&a, name[0], "k<1,>");
    same(&a, name[1], "k<2,>");
    same(&a, name[2], "one<1,b>");
    same(&a, name[3], "one<2,a>");
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_words),
        cmocka_unit_test(names_lose_what_all_have),
        cmocka_unit_test(different_names_stay_different),
        cmocka_unit_test(alike_when_cut),
        cmocka_unit_test(nothing_after_a_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
