# Every cell of the tables of a rocprofv3 result; counters, markers and allocations in it.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" . --steps 2 --only json || exit 99
"$ANALYZER" run -q --compat=all --csv-dir out train_results.json
sh "$SRC/tests/golden/tables.sh" out \
    account api_kernel_summary api_sum api_summary category_summary comm_overlap counter_summary coverage facts findings \
    gpu_gaps_histogram gpu_timeline gpu_timeline_by_agent gpu_utilization hip_summary idle_causes kern_exec_sum kern_sum \
    kernel_summary kernel_summary_by_category kernel_summary_by_shape kernels_by_grid kernels_by_name mem_size_sum \
    mem_time_sum memory_allocations memory_copy_by_copy_bytes memory_copy_summary nccl_exposure nccl_exposure_ranks \
    nccl_implicit_sync nccl_long nccl_summary_implicit_sync nccl_summary_long nccl_wait_heatmap nvtx_gpu_proj_sum \
    nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum roctx_summary step_work steps time_by_family trust_checks \
    unmatched_kernels verdict verdict_facts xla_top
