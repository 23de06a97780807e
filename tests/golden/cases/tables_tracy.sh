# Every cell of the tables of an operation report with faults.
"$ANALYZER" run -q --compat=all --csv-dir out "$SRC/example/tracy/ops_perf_results_layers.csv"
sh "$SRC/tests/golden/tables.sh" out \
    account advice coverage data_quality facts findings gpu_gaps_histogram iterations kern_sum kernels_by_name \
    nccl_exposure nccl_exposure_ranks nccl_implicit_sync nccl_long nccl_summary_implicit_sync nccl_summary_long \
    nccl_wait_heatmap op_models ops ops_stacked ops_stacked_chart signposts step_work straggler_summary time_by_family \
    trust_checks unmatched_kernels verdict verdict_facts
