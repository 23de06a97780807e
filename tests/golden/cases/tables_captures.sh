# Every cell of the tables that graph replays get from their captures.
"$ANALYZER" run -q --compat=all --csv-dir out "$SRC/example/pytorch/decode"
sh "$SRC/tests/golden/tables.sh" out \
    GEMM MoE_unfused_fwd UnaryElementwise account api_sum coverage data_quality facts findings gpu_gaps_histogram \
    gpu_timeline gpu_timeline_by_device graph_captures host_operators idle_causes kern_exec_sum kern_sum \
    kernel_class_summary kernel_summary kernels_by_name mem_time_sum nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum \
    nvtx_sum ops_all ops_summary ops_summary_by_category roofline step_work steps time_by_family trust_checks \
    unified_perf_summary unmatched_kernels verdict verdict_facts
