# Every cell of the tables of a server with mixtures of experts.
"$ANALYZER" run -q --compat=all --csv-dir out "$SRC/example/pytorch/moe.json"
sh "$SRC/tests/golden/tables.sh" out \
    account api_sum coverage data_quality findings gpu_timeline gpu_timeline_by_device gpu_utilization host_operators \
    idle_causes idle_gaps kern_exec_sum kern_sum kernel_class_summary kernel_summary kernels_by_name ops_all ops_summary \
    ops_summary_by_category time_by_family trust_checks unified_perf_summary unmatched_kernels verdict
