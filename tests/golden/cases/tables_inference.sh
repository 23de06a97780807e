# Every cell of the tables of the inference example, and of its phases.
"$ANALYZER" run -q --compat=all --csv-dir out "$SRC/example/pytorch/inference.json" --opt inference_phase_analysis=true \
    --opt decode_threshold=32
sh "$SRC/tests/golden/tables.sh" out \
    BinaryElementwise GEMM RMSNorm_fwd Reduce_fwd RoPE_fwd UnaryElementwise account api_sum coll_analysis coverage \
    data_quality facts findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device gpu_timeline_by_step \
    host_operators idle_causes idle_gaps inference_phases kern_exec_sum kern_sum kernel_class_summary kernel_summary \
    kernel_summary_decode kernel_summary_prefill kernels_by_name nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum \
    nvtx_sum ops_all ops_summary ops_summary_by_category ops_summary_decode ops_summary_prefill roofline step_work steps \
    time_by_family trust_checks unified_perf_summary unmatched_kernels verdict verdict_facts
