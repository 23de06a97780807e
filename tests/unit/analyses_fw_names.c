/* Names: the phases of inference. */
#include "unit/analyses_fw.h"

#include "analyses/operators/framework.h"

/* ---- phases ---- */
static void method(struct fw_fix *f, const char *name)
{
    option(f, "inference_phase_analysis", "true");
    option(f, "phase_detection_method", name);
    run(f, &az_analysis_fw_phases);
}

/* Is the operator in the table of that phase; NULL: in neither. */
static void phase(const struct fw_fix *f, const char *name, const char *want)
{
    static const char *const id[] = { "ops_summary_prefill", "ops_summary_decode" };
    for (size_t i = 0; i < 2; i++) {
        const struct az_table *t = az_document_table(&f->doc, id[i]);
        bool in = false;
        for (size_t r = 0; t && r < t->rows; r++)
            in = in || az_sv_is(az_cell_text(cell(t, r, "name")), name);
        bool wanted = want && strcmp(want, i ? "decode" : "prefill") == 0;
        if (in != wanted)
            fail_msg("%s %s in %s", name, in ? "is" : "is not", id[i]);
    }
}

static void by_kernel_names(void **state)
{
    struct fw_fix *f = *state;
    static const struct {
        const char *op, *kernel, *phase;
    } c[] = { { "aten::mm", "Cijk_Alik_Bljk_SB_MT64x64_SL1_USL1",
                NULL }, /* tile parameters are no lengths */
              { "aten::bmm", "Cijk_Ailk_UserArgs_MT256_USL1_UIOF0", NULL },
              { "attn_1", "flash_sl1_kernel", "decode" },
              { "attn_2", "flash_seqlen_128_kernel", "prefill" },
              { "attn_3", "flash_seq4_kernel", NULL }, /* between 1 and the threshold */
              { "attn_4", "fmhaBatchPrefillKernel", "prefill" },
              { "attn_5", "paged_attention_v1_kernel", "decode" },
              { "op_6", "MIOpenConvContextual", NULL }, /* context inside a word */
              { "op_7", "decoder_layer", "decode" },
              { "op_8", "sliced_copy", NULL },
              { "op_9", "prefill_then_decode", "prefill" }, /* prefill is asked first */
              { "a_10", "longestwordofthenameinfrontofallothers_seq_9_seq4096", "prefill" },
              { "a_11", "b_seq_9", NULL },
              { "seq512_12", "b",
                "prefill" } }; /* a name ends where it ends, whatever came before */
    for (int i = 0; i < (int)AZ_LENGTH(c); i++)
        launch(f, i * 100, c[i].op, "", 10000 + i * 100, 5, c[i].kernel, i + 1);
    method(f, "kernel_names");
    for (size_t i = 0; i < AZ_LENGTH(c); i++)
        phase(f, c[i].op, c[i].phase);
    const struct az_table *t = table(f, "inference_phases"); /* the undecided too: totals add up */
    near(num(f, "inference_phases", row_of(t, "Phase", "Mixed"), "Launches"), 6);
    is(f, "inference_phases", row_of(t, "Phase", "Prefill"), "Decided by", "kernel_names");
    near(num(f, "inference_phases", t->rows - 1, "Cumulative Percentage (%)"), 100);
}

static void by_threshold(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "a", "", 1000, 5, "flash_seq16", 1);
    launch(f, 100, "b", "", 1100, 5, "flash_seq64", 2);
    option(f, "decode_threshold", "32");
    method(f, "kernel_names");
    phase(f, "a", NULL);
    phase(f, "b", "prefill");
}

static void by_framework(void **state)
{
    struct fw_fix *f = *state;
    static const char *const c[][2] = { { "vllm::paged_decode", "decode" },
                                        { "vllm::prefill_fwd", "prefill" },
                                        { "vllm::rms_norm", NULL },
                                        { "reshape_and_cache_op", "decode" },
                                        { "sglang::radix_cache", "decode" },
                                        { "tgi::encode", "prefill" },
                                        { "my::decode", NULL } };
    for (int i = 0; i < 7; i++)
        launch(f, i * 100, c[i][0], "", 1000 + i * 100, 5, "k", i + 1);
    method(f, "framework_apis");
    for (size_t i = 0; i < 7; i++)
        phase(f, c[i][0], c[i][1]);
}

static void by_attention(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "sdpa_long", "\"Input Dims\":[[1,8,77,64],[1,8,77,64]]", 1000, 5, "k", 1);
    launch(f, 100, "sdpa_short", "\"Input Dims\":[[1,8,1,64],[1,8,77,64]]", 1100, 5, "k", 2);
    launch(f, 200, "varlen_attn", "\"Input Dims\":[[500,8,64]]", 1200, 5, "k", 3);
    launch(f, 300, "attention_odd", "\"Input Dims\":[[5,8]]", 1300, 5, "k", 4);
    launch(f, 400, "attention_bad", "\"Input Dims\":[\"x\",7]", 1350, 5, "k", 5);
    launch(f, 500, "other_op", "\"Input Dims\":[[1,8,77,64]]", 1400, 5, "k", 6);
    launch(f, 600, "attn_prefill_attention", "", 1500, 5, "k", 7);
    method(f, "attention_patterns");
    phase(f, "sdpa_long", "prefill");
    phase(f, "sdpa_short", "decode");
    phase(f, "varlen_attn", "prefill");
    phase(f, "attention_odd", NULL);
    phase(f, "attention_bad", NULL);
    phase(f, "other_op", NULL);
    phase(f, "attn_prefill_attention", "prefill");
}

static void by_gemm(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "aten::mm", "\"Input Dims\":[[4096,8],[8,8]]", 1000, 5, "k", 1);
    launch(f, 100, "aten::addmm", "\"Input Dims\":[[8],[4,8],[8,8]]", 1100, 5, "k",
           2); /* M is of the second */
    launch(f, 200, "aten::bmm", "\"Input Dims\":[[32,16,8],[32,8,8]]", 1200, 5, "k", 3);
    launch(f, 300, "aten::add", "\"Input Dims\":[[4096,8],[4096,8]]", 1300, 5, "k",
           4); /* no product */
    method(f, "gemm_params");
    phase(f, "aten::mm", "prefill");
    phase(f, "aten::addmm", "decode");
    phase(f, "aten::bmm", "prefill");
    phase(f, "aten::add", NULL);
}

static void by_frequency(void **state)
{
    struct fw_fix *f = *state;
    static const int count[] = { 1, 5, 6, 7, 9, 9, 9, 9 }; /* 15 % quantile 5.05, median 8 */
    int id = 1;
    for (int i = 0; i < 8; i++) {
        char name[8] = { 'o', 'p', (char)('a' + i), 0 };
        for (int k = 0; k < count[i]; k++, id++)
            launch(f, id * 20, name, "", 10000 + id * 20, 5, "k", id);
    }
    method(f, "operation_frequency");
    phase(f, "opa", "prefill");
    phase(f, "opb", "prefill");
    phase(f, "opc", "decode");
    phase(f, "oph", "decode");
}

static void hybrid_order(void **state)
{
    struct fw_fix *f = *state;
    launch(f, 0, "vllm::decode", "", 1000, 5, "batch_prefill_kernel",
           1); /* kernel names win over the framework */
    launch(f, 100, "vllm::decode", "", 1100, 5, "k", 2);
    launch(f, 200, "plain", "", 1200, 5, "k", 3); /* the frequency decides all that is left */
    launch(f, 300, "plain", "", 1300, 5, "k", 4);
    option(f, "enable_kernel_summary", "true");
    method(f, "hybrid");
    const struct az_table *t = table(f, "inference_phases");
    assert_int_equal(t->rows, 3);
    phase(f, "plain", "decode");
    assert_int_equal(table(f, "kernel_summary_prefill")->rows,
                     1); /* a kernel has its launcher's phase */
    is(f, "kernel_summary_prefill", 0, "Kernel name", "batch_prefill_kernel");
    near(num(f, "kernel_summary_prefill", 0, "Percent of kernels time (%)"), 100);
    assert_int_equal(table(f, "kernel_summary_decode")->rows, 2);
    is(f, "ops_summary_prefill", 0, "Kernel categories", "Attention-Generic");
}

static void by_annotation(void **state)
{
    struct fw_fix *f = *state;
    span(f, "user_annotation", 100, 1, 0, 100, "execute_32_context_2(sq5sk5)_generation_0()", "");
    span(f, "user_annotation", 100, 1, 200, 100, "step[DECODE bs=4 toks=4]", "");
    span(f, "user_annotation", 100, 1, 400, 100, "step[MIXED bs=4 toks=90]", "");
    span(f, "user_annotation", 100, 1, 600, 100, "prefill[7]", "");
    span(f, "user_annotation", 100, 1, 800, 100, "execute_diffusion_1",
         ""); /* none of the labels */
    launch(f, 10, "in_context", "", 1000, 5, "k", 1);
    op(f, 210, 10, "in_decode", "");
    call(f, 212, 5, "cudaGraphLaunch", 2);
    kernel(f, 7, 1100, 5, "g1", 2);
    kernel(f, 7, 1110, 5, "g2", 2);
    launch(f, 410, "in_mixed", "", 1200, 5, "decode_kernel", 3);
    launch(f, 610, "in_prefill", "", 1300, 5, "decode_kernel", 4);
    launch(f, 810, "outside", "", 1400, 5, "decode_kernel", 5);
    span(f, "cpu_op", 100, 2, 620, 10, "other_thread", "");
    span(f, "cuda_runtime", 100, 2, 621, 3, "cudaLaunchKernel", "\"correlation\":6");
    kernel(f, 7, 1500, 5, "k", 6);
    method(f, "auto");
    phase(f, "in_context", "prefill");
    phase(f, "in_decode", "decode");
    phase(f, "in_mixed", NULL); /* the engine says so: its names are not asked */
    phase(f, "in_prefill", "prefill");
    phase(f, "outside", "decode"); /* by its kernel's name */
    phase(f, "other_thread", NULL);
    assert_int_equal(table(f, "kernel_summary_decode")->rows,
                     3); /* graph kernels through their launch */
    const struct az_table *t = table(f, "inference_phases");
    is(f, "inference_phases", row_of(t, "Phase", "Prefill"), "Decided by", "annotation");
}

/* As in kernel_summary: a launch without an operator is a graph's or a plain call's, and `execute`
 * is an owner. */
static void parents_of_phase_kernels(void **state)
{
    struct fw_fix *f = *state;
    static const char *const id = "kernel_summary_decode";
    span(f, "user_annotation", 100, 1, 0, 100, "decode[1]", "");
    call(f, 10, 5, "cudaGraphLaunch", 1);
    kernel(f, 7, 1000, 5, "g1", 1);
    kernel(f, 7, 1010, 6, "g2", 1);
    call(f, 20, 5, "cudaLaunchKernel", 2);
    kernel(f, 7, 1020, 7, "plain", 2);
    op(f, 30, 30, "fused", "");
    op(f, 31, 20, "execute", "");
    call(f, 32, 5, "cudaLaunchKernel", 3);
    kernel(f, 7, 1030, 8, "inner", 3);
    option(f, "enable_kernel_summary", "true");
    method(f, "annotation");
    const struct az_table *t = table(f, id);
    assert_int_equal(t->rows, 4);
    is(f, id, row_of(t, "Kernel name", "g1"), "Parent op category", "graph");
    is(f, id, row_of(t, "Kernel name", "g1"), "Parent cpu_op", "cudaGraphLaunch");
    is(f, id, row_of(t, "Kernel name", "plain"), "Parent op category", "runtime");
    is(f, id, row_of(t, "Kernel name", "inner"), "Parent cpu_op", "execute");
}

static void annotation_alone(void **state)
{
    struct fw_fix *f = *state;
    span(f, "user_annotation", 100, 1, 0, 100, "decode[1]", "");
    launch(f, 10, "in_decode", "", 1000, 5, "prefill_kernel", 1);
    launch(f, 110, "outside", "", 1100, 5, "prefill_kernel", 2);
    method(f, "annotation");
    phase(f, "in_decode", "decode");
    phase(f, "outside", NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fw_setup, fw_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(by_kernel_names),  TEST(by_threshold),  TEST(by_framework),
        TEST(by_attention),     TEST(by_gemm),       TEST(by_frequency),
        TEST(hybrid_order),     TEST(by_annotation), TEST(parents_of_phase_kernels),
        TEST(annotation_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
