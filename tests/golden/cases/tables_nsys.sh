# Every cell of the tables of two Nsight Systems exports: two processes on two devices, and events at the edges.
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . proc2_gpu2_v3_4 edges_v3_4 >/dev/null || exit 99
"$ANALYZER" run -q --compat=all --csv-dir out proc2_gpu2_v3_4.sqlite
sh "$SRC/tests/golden/tables.sh" out \
    account api_sum classes coverage facts findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step gpu_utilization idle_causes iterations kern_exec_sum kern_sum kernels_by_grid kernels_by_name \
    mem_size_sum mem_time_sum memops nccl nccl_exposure nccl_exposure_ranks nccl_implicit_sync nccl_long \
    nccl_summary_implicit_sync nccl_summary_long nccl_wait_heatmap nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum \
    nvtx_sum step_work steps straggler_summary time_by_family trust_checks unmatched_kernels verdict verdict_facts
"$ANALYZER" run -q --compat=all --csv-dir edges edges_v3_4.sqlite
sh "$SRC/tests/golden/tables.sh" edges \
    account api_sum classes coverage findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step idle_causes iterations kern_exec_sum kern_sum kernels_by_grid kernels_by_name mem_size_sum \
    mem_time_sum memops nccl nccl_exposure nccl_exposure_ranks nccl_implicit_sync nccl_long nccl_summary_implicit_sync \
    nccl_summary_long nccl_unmatched nccl_wait_heatmap nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum \
    step_work steps straggler_summary time_by_family unmatched_kernels verdict
