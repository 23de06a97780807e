# Every cell of the tables of one trace as a run: graph nodes with dependencies, counters, the critical path.
"$PYTHON" "$SRC/tests/gen/make_backends.py" cuspy cuspy.json --steps 2 || exit 99
"$ANALYZER" run -q --compat=all --csv-dir out cuspy.json --opt critical_path=true --opt rank_tables=always
sh "$SRC/tests/golden/tables.sh" out \
    UnaryElementwise account api_sum comm_comp_overlap counters counters_by_step counters_of_kernels \
    counters_of_operations counters_of_ranges coverage critical_path critical_path_summary cuda_events_summary \
    cuda_kernel_launch_stats_describe data_quality findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step gpu_timelines gpu_timelines_by_rank grouped_breakdown host_operators idle_causes idle_gaps \
    idle_interval_stats idle_time_breakdown kern_exec_sum kern_sum kernel_breakdown kernel_class_summary \
    kernel_launchers kernel_summary kernel_type_breakdown kernel_type_breakdown_by_rank kernels_by_grid \
    kernels_by_module kernels_by_name launch_stats linked_and_short_kernels mem_size_sum mem_time_sum memory_bw_summary \
    nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum op_launches ops_all ops_summary ops_summary_by_category \
    queue_length_summary rank_summary ranks roofline short_cpu_op_counts step_work steps temporal_breakdown \
    time_by_family time_by_family_by_rank trust_checks un_elemwise unified_perf_summary unlinked_short_kernels_summary \
    unmatched_kernels user_annotations verdict verdict_facts
"$PYTHON" "$SRC/tests/gen/make_backends.py" xpu xpu.json --steps 2 || exit 99
"$ANALYZER" run -q --csv-dir xpu xpu.json
sh "$SRC/tests/golden/tables.sh" xpu \
    account coverage findings gpu_timeline host_operators idle_causes idle_gaps kernel_summary mem_time_sum ops_summary \
    ops_summary_by_category step_work steps time_by_family verdict
