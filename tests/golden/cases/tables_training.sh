# Every cell of the tables of the training example, with all optional parts of the analyses.
"$ANALYZER" run -q --compat=all --csv-dir out "$SRC/example/pytorch/train_step.json" --opt short_kernel_study=true \
    --opt short_kernel_threshold_us=6 --opt short_kernel_histogram_bins=4 --opt topk_short_kernels=2 \
    --opt group_by_num_kernels=true --opt include_first_occurrence_time=true --opt include_call_stack=true \
    --opt detect_recompute=true --opt include_overlap_info=true --opt include_unlinked_kernels=true
sh "$SRC/tests/golden/tables.sh" out \
    BinaryElementwise BinaryElementwise_kl_overlap GEMM GEMM_kl_overlap MultiTensor MultiTensor_kl_overlap Normalization \
    Normalization_kl_overlap Reduce_fwd Reduce_fwd_kl_overlap UnaryElementwise UnaryElementwise_kl_overlap account \
    api_sum coll_analysis coverage data_quality facts findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step gpu_utilization host_operators idle_causes idle_gaps kern_exec_sum kern_sum \
    kernel_class_summary kernel_summary kernels_by_name mem_size_sum mem_time_sum nvtx_gpu_proj_sum nvtx_gpu_proj_trace \
    nvtx_kern_sum nvtx_sum ops_all ops_all_kl_overlap ops_summary ops_summary_by_category ops_unique_args_kl_overlap \
    roofline short_kernel_histogram short_kernels_all_details short_kernels_histogram short_kernels_summary step_work \
    steps time_by_family trust_checks unified_perf_summary unified_perf_summary_kl_overlap unmatched_kernels verdict \
    verdict_facts
