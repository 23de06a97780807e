/* Classes and families of kernel names, of libraries and compilers in use; what the user says comes
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/data.h"
#include "classify/kernels.h"
#include "classify/name_heads.h"
#include "classify/rules.h"

static void builtin_classes(void **state)
{
    static const char *const c[][2] = {
        { "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
          "Comm-AllReduce" },
        { "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "Comm-ReduceScatter" },
        { "ncclDevKernel_Generic(x)", "Comm-Generic" },
        { "userbuffers_fp16_sum_inplace_gpu_rw_ag", "Comm-AllGather" },
        { "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop", "Comm-ReduceScatter" },
        { "nvshmemx_fcollect_on_stream", "Comm-AllGather" },
        { "collective-broadcast.1", "Comm-Broadcast" },
        { "ncclDevKernel_SendRecv(x)", "Comm-SendRecv" },
        { "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(x)", "Comm-AllReduce" },
        { "Memcpy DtoD (Device -> Device)", "Memory-Copy" },
        { "__amd_rocclr_fillBufferAligned", "Memory-Set" },
        { "aten_addmm_kernel", "GEMM-Generic" }, /* addmm is no Elementwise */
        { "void at::native::argmax_kernel<float>(x)", "Reduce" },
        { "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, x> >(x)", "Reduce" },
        { "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> "
          ">(x)",
          "Elementwise" },
        { "julia_broadcast_kernel_3894", "Elementwise" },
        { "broadcast_kernel", "Elementwise" },
        { "broadcast_to_kernel", "Memory-Pad" },
        { "Cijk_Alik_Bljk_BBS_BH_MT128x256x32_SL1_USL1", "GEMM-Tensile" },
        { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
          "GEMM-Generic" },
        { "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT", "GEMM-NVJET" },
        { "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128> >(x)", "Attention-Forward" },
        { "fmha_bwd_d64_bf16", "Attention-Backward" },
        { "void (anonymous namespace)::softmax_warp_forward<float>(x)", "Softmax" },
        { "void vllm::rms_norm_kernel<c10::BFloat16>(x)", "Norm-RMS" },
        { "void vllm::act_and_mul_kernel<c10::BFloat16, x>(x)", "Activation-Gated" },
        { "void vllm::paged_attention_v2_reduce_kernel<x>(x)", "PagedAttention-Reduce" },
        { "void vllm::reshape_and_cache_flash_kernel<x>(x)", "KVCache-Update" },
        { "void vllm::rotary_embedding_kernel<x>(x)", "RoPE" },
        { "triton_poi_fused__to_copy_1", "Triton-Copy" },
        { "triton_per_fused_add_layer_norm_2", "Triton-Norm" },
        { "triton_tem_fused_mm_3", "GEMM-Generic" },
        { "_ZN2ck6device11gemm_kernelIfLi4EEEvv", "GEMM-CK" },
        { "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_3FwdEEEEvDpT1_",
          "Attention-Forward" },
        { "void cudnn::ops::nchwToNhwcKernel<float, float>(x)", "Memory-Transpose" },
        { "cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4", "Conv-Backward" },
        { "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1", "Conv-Backward" },
        { "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi64EEEvPT0_", "Norm-RMS" },
        { "void vllm::dynamic_per_token_scaled_quant_kernel<x>(x)", "Quant-Generic" },
        { "summary_of_things", "others" }, /* sum, min, max, add, sub inside words */
        { "minimal_addressing_subtle", "others" },
        { "", "others" },
    };
    struct az_kernel_rules *rules =
        az_kernel_rules_new(&(struct az_user_names){ .map = NULL }, NULL);
    (void)state;
    assert_non_null(rules);
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct az_sv got = az_kernel_class_of(rules, az_sv_str(c[i][0]))->name;
        if (!az_sv_is(got, c[i][1]))
            fail_msg("%s: got %.*s, want %s", c[i][0], AZ_SVF(got), c[i][1]);
    }
    az_kernel_rules_free(rules, NULL);
}

static void families(void **state)
{
    static const char *const c[][2] = {
        { "attention", "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, "
                       "4, false, false, "
                       "cutlass::bfloat16_t> >(flash::Flash_fwd_params)" },
        { "attention",
          "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4> "
          ">(flash::Flash_fwd_params)" },
        { "attention",
          "void flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, 8> "
          ">(flash::Flash_bwd_params)" },
        { "attention",
          "void flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8> "
          ">(flash::Flash_bwd_params, int)" },
        { "attention",
          "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64> "
          ">(flash::Flash_bwd_params)" },
        { "attention",
          "void "
          "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
          "CollectiveMainloopFwdSm90<2> > > >(flash::Params)" },
        { "attention",
          "void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<8> > > "
          ">(flash::Params)" },
        { "attention", "void "
                       "flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<("
                       "flashinfer::MaskMode)1> "
                       ">(flashinfer::PagedParams)" },
        { "attention",
          "void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinfer::PosEncodingMode)0, 2u, "
          "4u>(flashinfer::Params)" },
        { "attention",
          "void flashinfer::BatchPrefillWithRaggedKVCacheKernel<X>(flashinfer::RaggedParams)" },
        { "attention",
          "void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u>(float*)" },
        { "attention", "void flashinfer::MergeStateKernel<8u>(float*)" },
        { "attention", "void flash::flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, "
                       "64> >(Flash_fwd_mla_params)" },
        { "attention",
          "fmhaSm100aKernel_QkvE4m3OBfloat16HQk128HV128PagedKvDenseStaticSwapsAbForGen" },
        { "attention", "fmha_v2_flash_attention_bf16_64_128_S_qkv_128_causal_tma_ws_sm90_kernel" },
        { "attention",
          "void tensorrt_llm::kernels::mmha::masked_multihead_attention_kernel<__nv_bfloat16, "
          "128>(x)" },
        { "attention", "kernel_mha" },
        { "attention", "_fwd_kernel_stage1_mla_attention" },
        { "attention", "_attn_fwd" },
        { "attention", "_attn_bwd_dkdv" },
        { "attention", "_attn_bwd_preprocess" },
        { "attention", "void pytorch_flash::flash_bwd_kernel<X>(pytorch_flash::Flash_bwd_params)" },
        { "attention", "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::"
                       "AttentionKernel<cutlass::"
                       "bfloat16_t>::Params)" },
        { "attention", "fmha_cutlassB_bf16_aligned_128x64_k64_dropout_sm80(PyTorchMemEffAttention::"
                       "AttentionBackwardKernel<X>::Params)" },
        { "attention", "triton_tem_fused_flex_attention_3" },
        { "attention", "triton_flex_attention_backward_7" },
        { "attention", "aiter::fmha_fwd_hd128_bf16_causal" },
        { "attention", "_ZN5aiter18fmha_fwd_hd128_bf16E" },
        { "attention", "_ZN7ck_tile6kentryILi2ENS_13FmhaFwdKernelIXEEEEvT_" },
        { "attention", "_ZN7ck_tile6kentryILi2ENS_22FmhaBwdOGradDotOKernelIXEEEEvT_" },
        { "attention", "mla_a16w16_qh16_m16x4_n16x1_coex0_mask1" },
        { "attention", "void sglang::merge_state_v2<X>(x)" },
        { "attention", "cudnn_generated_flash_fprop" },
        { "attention", "cudnn_generated_flash_bprop" },
        { "attention", "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_"
                       "64x128x128_4x1x1_cga1x1x1_kernel0_0" },
        { "attention",
          "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_7_64x64x128_1x1x1" },
        { "attention", "_fwd_grouped_kernel_stage1_attention_decode" },
        { "attention", "void vllm::merge_attn_states_kernel<unsigned short, 128u>(x)" },
        { "attention",
          "void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16, 128>(x)" },
        { "attention", "void xla::gpu::flash_attention_kernel(x)" },
        { "gemm", "void gemv2N_kernel<int, int, float2, float2>(x)" },
        { "gemm", "void cublasLt::epilogue::impl::globalKernel<8, 32, float>(x)" },
        { "gemm", "void gemmSN_TN_kernel<float, 128, 16, 2, 4>(cublasGemmSmallNParams<X>)" },
        { "gemm", "void gemmk1_kernel<int, float, 256, 5>(cublasGemmk1Params<float>)" },
        { "gemm", "nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT" },
        { "gemm",
          "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, "
          "int, int>, "
          "X> >(X::Params)" },
        { "gemm",
          "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_1x2x1" },
        { "gemm", "void deep_gemm::fp8_gemm_kernel<4096u, 7168u, 64u>(x)" },
        { "gemm", "sm100_fp8_gemm_1d1d_impl" },
        { "gemm", "void marlin::Marlin<__nv_bfloat16, 256, 1, 8, 8>(x)" },
        { "gemm", "void gptq_marlin::Marlin<half>(x)" },
        { "gemm", "void vllm::awq::gemm_forward_4bit_cuda_m16nXk32<128>(x)" },
        { "gemm", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN" },
        { "gemm", "Cijk_SB_Bias_PostGSU4_VW4" },
        { "gemm", "_ZN7ck_tile6kentryILi1ENS_19QuantGemmKernelIXEEEEvT_" },
        { "gemm", "void ck::kernel_gemm_xdl_cshuffle_v3_multi_d<X>(x)" },
        { "gemm", "_w8a8_block_fp8_matmul" },
        { "gemm", "_gemm_a8w8_blockscale_kernel" },
        { "gemm", "triton_tem_fused_addmm_relu_5" },
        { "gemm", "triton_tem_fused__to_copy_mm_2" },
        { "gemm", "triton_mm" },
        { "gemm", "matmul_kernel_persistent" },
        { "gemm", "gemm_fusion_dot_12" },
        { "gemm", "triton_gemm_dot.3" },
        { "gemm", "wvSplitK_hf_sml_<__hip_bfloat16, 64, 2>" },
        { "gemm", "void wvSplitKQ_hf_sml_<X>(x)" },
        { "gemm", "gemm_kernel (oneDNN)" },
        { "gemm", "void rocblas_gemvn_kernel<64, 16, float>(x)" },
        { "gemm", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn" },
        { "gemm", "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn" },
        { "gemm", "volta_h884gemm_128x128_tn" },
        { "gemm", "maxwell_sgemm_fp16_128x64_nn" },
        { "gemm", "void dequantize_gemv_kernel<x>(x)" },
        { "gemm", "fp8_gemm_1d2d" },
        { "gemm", "void tensorrt_llm::kernels::weight_only::gemv_kernel<X>(x)" },
        { "gemm", "bmm_E2m1_E2m1E2m1_Fp32_t128x8x512_s7_et128x8_m128x8x64" },
        { "gemm", "void machete::kernel<X>" },
        { "gemm", "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage6_warpsize2x2x1_"
                  "tensor16x8x16_kernel" },
        { "gemm", "hgemm_bf16_splitk_tn" },
        { "moe", "fused_moe_kernel" },
        { "moe", "fused_moe_kernel_gptq_awq" },
        { "moe", "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, 32>(x)" },
        { "moe", "void vllm::moe::moe_align_block_size_kernel<int>(x)" },
        { "moe", "void vllm::moe::moe_sum_kernel<c10::BFloat16, 8>(x)" },
        { "moe", "void moe_align_block_size_kernel<int>(x)" },
        { "moe", "void tensorrt_llm::kernels::cutlass_kernels::expandInputRowsKernel<X>(x)" },
        { "moe", "void tensorrt_llm::kernels::cutlass_kernels::finalizeMoeRoutingKernel<X>(x)" },
        { "moe", "void moe::dev::routing::routingDeepSeek::routingMainKernel<X>(x)" },
        { "moe", "_ZN7ck_tile6kentryILi1ENS_16MoeSortingKernelIXEEEEvT_" },
        { "moe", "_ZN5aiter19grouped_topk_kernelIfEEvPT_" },
        { "moe", "_ZN2ck12_GLOBAL__N_134kernel_moe_gemm_2lds_xdl_cshuffle_v3IXEEvT_" },
        { "moe", "aiter::fmoe_bf16_pertokenFp8_g1u1_vs_silu_1tg_32x256" },
        { "moe", "void permute_kernel_moe<x>" },
        { "moe", "_permute_tokens_kernel" },
        { "communication", "ncclSymkDevKernel_AllReduce_RSxLD_AGxST_sum_bf16" },
        { "communication", "ncclDevKernel_AllToAll_RING" },
        { "communication", "void vllm::cross_device_reduce_1stage<__nv_bfloat16, "
                           "8>(vllm::RankData*, vllm::RankSignals)" },
        { "communication",
          "void c10d::symmetric_memory::multimem_all_reduce_kernel<c10::BFloat16, 16>(x)" },
        { "communication", "multimem_one_shot_all_reduce_kernel" },
        { "communication", "void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16>(x)" },
        { "communication", "void (anonymous namespace)::two_shot_all_reduce_kernel<float, 16>(x)" },
        { "communication",
          "void tensorrt_llm::kernels::oneShotAllReduceKernel<__nv_bfloat16, 8, true>(x)" },
        { "communication",
          "void "
          "tensorrt_llm::kernels::reduce_fusion::lamport::one_shot_all_reduce_norm_kernel<X>(x)" },
        { "communication",
          "void "
          "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<X>(x)" },
        { "communication",
          "void flashinfer::trtllm_mnnvl_allreduce::twoshot_allreduce_kernel<8>(x)" },
        { "communication", "void flashinfer::trtllm_mnnvl_allreduce::RMSNorm_lamport<8>(x)" },
        { "communication",
          "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<X> >(x)" },
        { "communication", "void aiter::cross_device_reduce_2stage_naive<x>(aiter::RankData*)" },
        { "communication", "void aiter::reduce_scatter_cross_device_store<x>(x)" },
        { "communication", "_ZN5aiter26cross_device_reduce_1stageIDF16bLi8EEEvPNS_8RankDataE" },
        { "communication", "void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)" },
        { "communication", "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(x)" },
        { "communication", "void deep_ep::internode_ll::dispatch<true, true, 7168>(x)" },
        { "communication", "void deep_ep::internode::notify_dispatch<false, 8>(x)" },
        { "communication", "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(x)" },
        { "copy", "layout_transform_kernel" },
        { "other",
          "void K::launch<K::For<Mine, K::View<double**, K::LayoutRight, K::Cuda> > >(x)" },
        { "fill", "void K::launch<K::For<K::ViewFill<K::View<int*, K::LayoutLeft> > > >(x)" },
        { "communication", "nvshmemi_transfer_rma_kernel" },
        { "communication", "barrier_on_stream_kernel_threadgroup_nvshmem" },
        { "communication", "void nvshmemi_reduce_kernel(x)" },
        { "communication", "void mscclpp::allreduce6<float>(x)" },
        { "communication",
          "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)" },
        { "communication", "rcclGenericKernel<4, false>(rccl_args)" },
        { "communication", "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)" },
        { "communication", "oneccl_allreduce_large" },
        { "communication", "ccl::allreduce_kernel" },
        { "communication", "EpDispatchIntraNodeKernel" },
        { "communication", "EpCombineInterNodeV1Kernel" },
        { "communication", "kuserbuffers_pushrecv" },
        { "communication", "userbuffers_fp16_sum_inplace_gpu_rw_ag" },
        { "communication", "all-reduce.12" },
        { "communication", "collective-broadcast.1" },
        { "communication", "all-gather-start.1" },
        { "communication", "collective-permute-start.3" },
        { "communication", "reduce-scatter.7" },
        { "communication", "ragged-all-to-all.2" },
        { "communication", "void xla::gpu::RaggedAllToAllKernelImpl<8l>(x)" },
        { "communication", "void stream_executor::gpu::AllReduceKernelImpl<X>(x)" },
        { "communication", "AllGatherAsyncDeviceOperation" },
        { "communication", "ReduceScatterMinimalAsyncDeviceOperation" },
        { "reduce", "input_reduce_fusion_7" },
        { "index", "loop_gather_fusion_2" },
        { "index", "input_scatter_fusion" },
        { "index", "wrapped_scatter_1" },
        { "index", "wrapped_gather" },
        { "copy", "loop_broadcast_fusion" },
        { "copy", "wrapped_concatenate" },
        { "elementwise", "loop_exponential_fusion" },
        { "elementwise", "loop_select_fusion.4" },
        { "fill", "loop_iota_fusion" },
        { "softmax", "triton_softmax.5" },
        { "sort", "wrapped_sort" },
        { "elementwise", "triton_poi_fused_add_all_reduce_mul_4" },
        { "elementwise", "triton_poi_fused_mul_silu_1" },
        { "copy", "triton_poi_fused_cat_3" },
        { "copy", "triton_poi_fused_clone_view_1" },
        { "index", "triton_poi_fused_embedding_0" },
        { "norm", "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0" },
        { "norm", "triton_per_fused_native_layer_norm_backward_4" },
        { "norm", "triton_red_fused_native_group_norm_2" },
        { "softmax", "triton_per_fused__softmax_div_1" },
        { "loss", "triton_per_fused_nll_loss_forward_4" },
        { "reduce", "triton_red_fused_sum_6" },
        { "reduce", "triton_per_fused_linalg_vector_norm_1" },
        { "norm", "void rms_norm_kernel<__nv_bfloat16>(x)" },
        { "norm", "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(x)" },
        { "norm", "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(x)" },
        { "norm", "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi64EEEvPT0_" },
        { "norm", "_layer_norm_fwd_1pass_kernel" },
        { "norm", "_layer_norm_bwd_dx_fused" },
        { "norm", "void cuApplyLayerNorm<float, float, float>(x)" },
        { "norm", "void transformer_engine::normalization::rmsnorm_fwd_general_kernel<X>(x)" },
        { "norm", "void transformer_engine::layer_norm::ln_bwd_tuned_kernel<X>(x)" },
        { "norm", "MIOpenBatchNormFwdTrainSpatial" },
        { "norm", "void at::native::batch_norm_collect_statistics_channels_last_kernel<X>(x)" },
        { "norm", "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(x)" },
        { "norm", "void group_norm_nhwc_sum_kernel<X>(x)" },
        { "softmax",
          "void at::native::(anonymous namespace)::cunn_SoftMaxForwardSmem<8, float>(x)" },
        { "softmax", "void (anonymous namespace)::softmax_warp_forward<float>(x)" },
        { "softmax", "void cudnn::ops::softmax_fw_small_kernel<X>(x)" },
        { "softmax", "void scaled_upper_triang_masked_softmax_warp_forward<half>(x)" },
        { "loss", "void at::native::(anonymous "
                  "namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>(x)" },
        { "loss", "_cross_entropy_forward" },
        { "loss", "liger_cross_entropy_kernel" },
        { "loss", "void at::native::vectorized_elementwise_kernel<4, "
                  "at::native::mse_kernel_cuda(at::TensorIteratorBase&)::{lambda()#1}>(x)" },
        { "rope", "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(x)" },
        { "rope", "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheEnhancedKernel<X>(x)" },
        { "rope", "_rope_kernel" },
        { "rope", "fused_rope_forward" },
        { "rope", "_triton_mrope_forward" },
        { "kv_cache", "void vllm::reshape_and_cache_kernel<X>(x)" },
        { "kv_cache", "void vllm::concat_and_cache_mla_kernel<X>(x)" },
        { "kv_cache", "set_mla_kv_buffer_kernel" },
        { "kv_cache", "void flashinfer::AppendPagedKVCacheKernel<128u, X>(x)" },
        { "kv_cache", "void store_kv_cache<256, 1>(x)" },
        { "sort", "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(x)" },
        { "sort",
          "void at::native::mbtopk::radixFindKthValues<float, unsigned int, unsigned int, 2>(x)" },
        { "sort", "void at::native::mbtopk::computeBlockwiseWithinKCounts<unsigned int>(x)" },
        { "sort", "void at::native::bitonicSortKVInPlace<-2, -1, 16, 16, float, long>(x)" },
        { "sort", "void cub::DeviceSegmentedRadixSortKernel<X>(x)" },
        { "sort", "_ZN7rocprim6detail25onesweep_histograms_kernelIXEEvT_" },
        { "sort", "void rocprim::detail::sort_single_kernel<X>(x)" },
        { "reduce", "void cub::DeviceReduceKernel<X>(x)" },
        /* a primitive over someone else's types: they are not its work */
        { "reduce", "void cub::DeviceScanKernel<Policy, graph::csr_t<int> >(x)" },
        { "reduce", "void rocprim::detail::trampoline_kernel<rocprim::detail::wrapped_scan_config<"
                    "int>, graph::graph_csr_t<int> >(x)" },
        { "reduce", "void cub::DeviceReduceSingleTileKernel<X>(x)" },
        { "reduce",
          "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(x)" },
        { "reduce", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                    "at::native::ArgMaxOps<float>, "
                    "unsigned int, long, 4> >(x)" },
        { "reduce", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                    "at::native::NormTwoOps<float> > >(x)" },
        { "quantize", "void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<X>(x)" },
        { "quantize", "void per_token_group_quant_8bit_kernel<X>(x)" },
        { "quantize", "_per_token_group_quant_fp8" },
        { "quantize", "void transformer_engine::detail::cast_transpose_optimized_kernel<X>(x)" },
        { "quantize", "void dequantize_block_q4_0<X>(x)" },
        { "quantize", "dynamic_per_group_scaled_quant_kernel" },
        { "index", "void at::native::(anonymous namespace)::indexFuncLargeIndex<float, long>(x)" },
        { "index", "void at::native::index_elementwise_kernel<128, 4, X>(x)" },
        { "index",
          "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<X>(x)" },
        { "index", "void at::native::_scatter_gather_elementwise_kernel<128, 8, X>(x)" },
        { "index", "void at::native::(anonymous namespace)::write_indices<int>(x)" },
        { "index", "void cub::DeviceSelectSweepKernel<X>(x)" },
        { "pool", "void at::native::(anonymous namespace)::avg_pool2d_out_cuda_frame<float>(x)" },
        { "pool", "void at::native::(anonymous namespace)::adaptive_average_pool<float>(x)" },
        { "pool", "void at::native::(anonymous namespace)::upsample_bilinear2d_out_frame<float, "
                  "float>(x)" },
        { "pool", "void at::native::(anonymous namespace)::grid_sampler_2d_kernel<float, int>(x)" },
        { "pool", "void cudnn::pooling_fw_4d_kernel<float>(x)" },
        { "pool", "roi_align_forward_kernel_impl" },
        { "random", "void at::native::(anonymous "
                    "namespace)::distribution_elementwise_grid_stride_kernel<float, 4, X>(x)" },
        { "random", "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<X>(x)" },
        { "random", "void flashinfer::sampling::TopPSamplingFromProbKernel<X>(x)" },
        { "random", "void gen_sequenced<curandStatePhilox4_32_10, float>(x)" },
        { "optimizer", "void at::native::(anonymous "
                       "namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, "
                       "FusedAdamMathFunctor<float, 4> >(x)" },
        { "optimizer", "multi_tensor_apply_kernel_adam" },
        { "optimizer", "void deepspeed::adam_update_kernel<X>(x)" },
        { "copy", "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<X>(x)" },
        { "copy",
          "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(x)>" },
        { "copy", "void at::native::(anonymous namespace)::reflection_pad2d_out_kernel<float>(x)" },
        { "copy", "void at::native::roll_cuda_kernel<float>(x)" },
        { "copy", "void cudnn::ops::nhwcToNchwKernel<float>(x)" },
        { "copy", "SubTensorOpWithScalar1d_copy" },
        { "elementwise",
          "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(x)>" },
        { "elementwise", "void vllm::act_and_mul_kernel<c10::BFloat16, "
                         "&vllm::silu_kernel<c10::BFloat16>, true>(x)" },
        { "elementwise", "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, "
                         "float, unsigned int, "
                         "1, 4, bool>(x)" },
        { "elementwise", "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, "
                         "&silu(float const&)>(x)" },
        { "elementwise", "Op2dTensorGeneric" },
        { "elementwise", "BinaryNgDeviceOperation" },
        { "elementwise", "UnaryDeviceOperation" },
        { "fill", "void at::native::vectorized_elementwise_kernel<4, "
                  "at::native::FillFunctor<float>, std::array<char*, "
                  "1ul> >(x)" },
        { "fill", "__amd_rocclr_fillBufferAligned" },
        { "fill",
          "void elementwise_kernel_with_index<int, at::native::arange_cuda_out(at::Tensor)>(x)" },
        { "fft", "void regular_fft<1024u, EPT<16u>, 4u>(kernel_arguments_t<unsigned int>)" },
        { "fft", "void vector_fft<512u, EPT<8u> >(x)" },
        { "fft", "fft_fwd_len256_factors_4_4_4_4_wgs_64_tpt_64_sp_op_CI_CI_unitstride_sbrr" },
        { "ssm", "_chunk_scan_fwd_kernel" },
        { "ssm", "_chunk_state_fwd_kernel" },
        { "ssm", "_state_passing_fwd_kernel" },
        { "ssm", "_selective_scan_update_kernel" },
        { "ssm",
          "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128> >(SSMParamsBase)" },
        { "ssm", "void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, 4> "
                 ">(ConvParamsBase)" },
        { "ssm", "_causal_conv1d_update_kernel" },
        { "ssm", "fused_recurrent_gated_delta_rule_fwd_kernel" },
        { "ssm", "chunk_gated_delta_rule_fwd_kernel_h_blockdim64" },
        { "ssm", "chunk_fwd_kernel_o" },
        { "ssm", "recompute_w_u_fwd_kernel" },
        { "ssm", "_bmm_chunk_fwd_kernel" },
        { "ssm", "_chunk_cumsum_fwd_kernel" },
        { "ssm", "chunk_local_cumsum_scalar_kernel" },
        { "ssm", "kernel_wkv6_forward" },
        { "sparse", "void cusparse::csrmv_v3_kernel<X>(x)" },
        { "sparse", "void cusparse::load_balancing_kernel<csr>(x)" },
        { "sparse", "void rocsparse::csrmvn_general_kernel<X>(x)" },
        { "sparse", "_bsr_strided_addmm_kernel" },
        { "conv", "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1>(x)" },
        { "conv", "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(x)" },
        { "conv", "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f3x2_stride1" },
        { "conv", "xmma_fprop_implicit_gemm_indexed_f32" },
        { "conv", "void cudnn::cnn::wgrad2d_grouped_direct_kernel<float>(x)" },
        { "conv",
          "void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float>(x)" },
        { "conv", "naive_conv_ab_nonpacked_fwd_nchw_half_double_half" },
        { "conv", "gen_conv_kernel" },
        { "conv", "OptimizedConvNew" },
        { "conv", "Conv2dDeviceOperation" },
        { "conv",
          "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_"
          "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn" },
        { "gemm", "MatmulDeviceOperation" },
        { "gemm", "MatmulMultiCoreReuseMultiCast1DProgramConfig" },
        { "norm", "LayerNormDeviceOperation" },
        { "softmax", "SoftmaxDeviceOperation" },
        { "attention", "ScaledDotProductAttentionDecode" },
        { "copy", "InterleavedToShardedDeviceOperation" },
        { "copy", "TilizeWithValPaddingDeviceOperation" },
        { "copy", "UntilizeWithUnpadding" },
        { "copy", "NLPConcatHeadsDecodeDeviceOperation" },
        { "copy", "PermuteDeviceOperation" },
        { "copy", "ReshardDeviceOperation" },
        { "rope", "RotaryEmbeddingLlamaFusedQK" },
        { "kv_cache", "PagedUpdateCacheDeviceOperation" },
        { "pool", "Pool2D" },
        { "gemm", "aten::addmm" },
        { "gemm", "aten::bmm" },
        { "gemm", "aten::_scaled_mm" },
        { "conv", "aten::convolution_backward" },
        { "attention", "aten::_scaled_dot_product_flash_attention" },
        { "attention", "aten::_flash_attention_backward" },
        { "norm", "aten::native_layer_norm" },
        { "softmax", "aten::_softmax" },
        { "loss", "aten::nll_loss_forward" },
        { "index", "aten::index_select" },
        { "index", "aten::embedding" },
        { "copy", "aten::copy_" },
        { "elementwise", "aten::add_" },
        { "elementwise", "aten::gelu_backward" },
        { "reduce", "aten::sum" },
        { "copy", "aten::cat" },
        { "pool", "aten::max_pool2d_with_indices" },
        { "optimizer", "aten::_foreach_add_" },
        { "fill", "aten::fill_" },
        { "sort", "aten::topk" },
        { "other", "summary_of_things" },
        { "other", "minimal_addressing_subtle" },
        { "other", "k3" },
    };
    struct az_kernel_rules *rules =
        az_kernel_rules_new(&(struct az_user_names){ .map = NULL }, NULL);
    (void)state;
    assert_non_null(rules);
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const struct az_kernel_class *got = az_kernel_class_of(rules, az_sv_str(c[i][1]));
        if (!az_sv_is(az_family_text(got->family), c[i][0]))
            fail_msg("%s: got %.*s (%.*s), want %s", c[i][1], AZ_SVF(az_family_text(got->family)),
                     AZ_SVF(got->name), c[i][0]);
    }
    az_kernel_rules_free(rules, NULL);
}

static void by_the_user(void **state)
{
    struct az_class_rules map;
    (void)state;
    az_vec_init(&map, NULL);
    assert_int_equal(
        az_vec_push(&map, ((struct az_class_rule){ AZ_SV("Mine"), AZ_SV("mine"), AZ_SV("nccl") })),
        0);
    assert_int_equal(
        az_vec_push(&map, ((struct az_class_rule){ AZ_SV("gemm"), AZ_SV("gemm"), AZ_SV("big") })),
        0);
    const struct az_user_names user = { .collectives = AZ_SV("one_thing=all_gather other=strange"),
                                        .map = &map };
    struct az_kernel_rules *rules = az_kernel_rules_new(&user, NULL);
    assert_non_null(rules);
    static const struct {
        const char *name, *class_name;
        bool comm;
    } c[] = { { "ONE_THING_gemm", "Comm-AllGather", true },
              { "another_kernel", "Comm-Generic", true },
              { "mine_reduce_kernel", "Comm-Generic", true },
              { "mine_allreduce", "Comm-AllReduce", true },
              { "sgemm", "GEMM-Generic", false },
              { "reduce_kernel", "Reduce", false } };
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const struct az_kernel_class *got = az_kernel_class_of(rules, az_sv_str(c[i].name));
        if (!az_sv_is(got->name, c[i].class_name) ||
            (got->family == AZ_FAMILY_COMMUNICATION) != c[i].comm)
            fail_msg("%s: got %.*s", c[i].name, AZ_SVF(got->name));
    }
    az_kernel_rules_free(rules, NULL);
    az_vec_release(&map);
}

static void with_ids(void **state)
{
    static const struct az_sv text[] = {
        { "gemm", 4 }, { "not asked for", 13 }, { "__amd_rocclr_copyBuffer.kd", 26 }, { "nccl", 4 }
    };
    const uint8_t wanted[] = { 1, 0, 1, 1 };
    struct az_name_classes c;
    struct az_arena a;
    (void)state;
    az_arena_init(&a, NULL);
    assert_int_equal(
        az_name_classes_make(&c, text, wanted, 4, &(struct az_user_names){ .map = NULL }, &a, NULL),
        0);
    assert_int_equal(az_name_class(&c, 0)->family, AZ_FAMILY_GEMM);
    assert_true(az_sv_is(az_name_class(&c, 1)->name, "others"));
    assert_true(az_name_class(&c, 2)->copies && az_name_class(&c, 2)->family == AZ_FAMILY_COPY);
    assert_false(az_name_class(&c, 0)->copies);
    assert_int_equal(az_name_class(&c, 3)->family, AZ_FAMILY_COMMUNICATION);
    assert_true(az_sv_is(az_name_class(&c, UINT32_MAX)->name, "others")); /* no name */
    az_arena_release(&a);
}

static void out_of_memory(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 64000; limit += 4000) {
        struct az_mem m;
        az_mem_init(&m, limit + 1);
        struct az_kernel_rules *r = az_kernel_rules_new(&(struct az_user_names){ .map = NULL }, &m);
        az_kernel_rules_free(r, &m);
        assert_int_equal(m.used, 0);
    }
}

/* Does one of the patterns begin with a word that is of no scope? */
static bool own_words(const struct az_words *w, struct az_sv patterns)
{
    while (patterns.n) {
        const struct az_sv pattern = az_sv_cut(&patterns, ' ');
        for (size_t i = 0; pattern.n && i < w->n; i++)
            if (!w->scope[i] && az_words_at(w, i, pattern))
                return true;
    }
    return false;
}

/* Class of a name by the rules one after the other: of all words, unless its family is one that a
 * scope does not decide and the words of no scope have another one. */
static struct az_sv one_by_one(const struct az_rule_list *l, const struct az_affixes *affixes,
                               struct az_sv name)
{
    static const bool context[AZ_FAMILIES] = {
        [AZ_FAMILY_COMMUNICATION] = true, [AZ_FAMILY_ATTENTION] = true, [AZ_FAMILY_MOE] = true
    };
    struct az_words w;
    az_words_cut_function(name, &w);
    w.affixes = affixes;
    size_t all = 0, own = 0;
    while (all < l->n && !az_rule_matches(&l->v[all], name, &w))
        all++;
    if (all == l->n)
        return AZ_SV("others");
    while (own < l->n && (!az_rule_matches(&l->v[own], name, &w) ||
                          (l->v[own].how == AZ_RULE_WORDS && !own_words(&w, l->v[own].one))))
        own++;
    return l->v[own < l->n && !context[l->v[all].family] ? own : all].name;
}

/* Names made of pieces of the rules themselves: the answer of the patterns that are sought together
 * is that of the rules, asked one after the other. */
static void as_rule_by_rule(void **state)
{
    static const char *const glue[] = { "_", "", "<", "::", "X", "12", "_of_" };
    const struct az_sv text = az_data("kernel_classes.rules");
    struct az_kernel_rules *rules =
        az_kernel_rules_new(&(struct az_user_names){ .map = NULL }, NULL);
    struct az_arena arena;
    struct az_rule_list list, affix_list;
    static struct az_affixes affixes;
    uint64_t seed = 11;
    size_t classed = 0;
    enum { NAMES = 4000 };
    static struct az_sv names[NAMES];
    static uint8_t wanted[NAMES];
    struct az_name_classes c;
    (void)state;
    az_arena_init(&arena, NULL);
    assert_int_equal(az_rules_read_group("kernel_classes.rules", "kernel", &arena, &list), 0);
    assert_int_equal(az_rules_read_group("kernel_classes.rules", "affix", &arena, &affix_list), 0);
    for (size_t i = 0; i < affix_list.n; i++)
        assert_true(az_affixes_add(&affixes, affix_list.v[i].one));
    for (int i = 0; i < NAMES; i++) {
        char name[256];
        size_t n = 0;
        for (int part = 0; part < 1 + i % 5; part++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t at = (size_t)(seed >> 33) % (text.n - 24);
            const char *between = glue[(seed >> 24) % AZ_LENGTH(glue)];
            for (size_t k = at; k < at + 2 + (seed >> 40) % 14; k++)
                if (text.p[k] != '*' && text.p[k] != ' ' && text.p[k] != ';' && text.p[k] != '\n')
                    name[n++] = text.p[k];
            memcpy(name + n, between, strlen(between));
            n += strlen(between);
        }
        const struct az_sv s = az_sv_make(name, n), want = one_by_one(&list, &affixes, s),
                           got = az_kernel_class_of(rules, s)->name;
        classed += !az_sv_is(want, "others");
        if (!az_sv_eq(got, want))
            fail_msg("%.*s: got %.*s, want %.*s", AZ_SVF(s), AZ_SVF(got), AZ_SVF(want));
        names[i] = az_arena_dup(&arena, s);
        wanted[i] = 1;
    }
    assert_true(classed > 1000);
    /* words of other names are remembered: the same answers */
    assert_int_equal(az_name_classes_make(&c, names, wanted, NAMES,
                                          &(struct az_user_names){ .map = NULL }, &arena, NULL),
                     0);
    for (uint32_t i = 0; i < NAMES; i++)
        assert_true(
            az_sv_eq(az_name_class(&c, i)->name, az_kernel_class_of(rules, names[i])->name));
    az_arena_release(&arena);
    az_kernel_rules_free(rules, NULL);
}

/* Template arguments that tell kernels of one short name apart. */
static void name_heads(void **state)
{
    static const char *const c[][3] = {
        { "void ck_tile::kentry<256, 2, ck_tile::GemmKernel<P<Q>, E>, A>(A)", "kentry",
          "kentry<256, 2, GemmKernel, A>" },
        { "void a::f<(b::type)12,x,&(g(int, c::d)), true>(int)", "f",
          "f<(b::type)12, x, &(g(int, c::d)), true>" },
        { "void a::f<b::c<d>::e>(int)", "f", "f<c>" },
        { "f<cut<off, ", "f", "f<cut>" },
        { "void plain(int)", "plain", "plain" },
        { "f<>(int)", "f", "f<>" },
        { "f<x>", "", "" },
    };
    struct az_arena a;
    (void)state;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        const struct az_sv got = az_kernel_name_heads(&a, az_sv_str(c[i][0]), az_sv_str(c[i][1]));
        if (!az_sv_is(got, c[i][2]))
            fail_msg("%s: got %.*s, want %s", c[i][0], AZ_SVF(got), c[i][2]);
    }
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_classes), cmocka_unit_test(families),
        cmocka_unit_test(by_the_user),     cmocka_unit_test(with_ids),
        cmocka_unit_test(as_rule_by_rule), cmocka_unit_test(out_of_memory),
        cmocka_unit_test(name_heads)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
