# Every cell of the tables of a made-up rank of four: frames, ranges, copies, collectives.
"$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" trace.json --steps 2 --layers 1 --frames --rank 1 --world 4 || exit 99
"$ANALYZER" run -q --compat=all --csv-dir out trace.json
sh "$SRC/tests/golden/tables.sh" out \
    BinaryElementwise DataMovement GEMM Normalization UnaryElementwise account api_sum counters counters_by_step \
    coverage data_quality facts findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device gpu_timeline_by_step \
    gpu_utilization host_operators idle_causes idle_gaps kern_exec_sum kern_sum kernel_class_summary kernel_summary \
    kernels_by_grid kernels_by_name mem_size_sum mem_time_sum nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum \
    nvtx_sum ops_all ops_summary ops_summary_by_category roofline step_work steps time_by_family trust_checks \
    unified_perf_summary unmatched_kernels verdict verdict_facts
