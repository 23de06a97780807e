# Every cell of the tables of Nsight Systems exports with graphs, and of those of old releases.
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . graph_v3_16 old_2021 no_kernels >/dev/null || exit 99
for f in graph_v3_16 old_2021 no_kernels; do
    "$ANALYZER" run -q --compat=all --csv-dir $f $f.sqlite
done
sh "$SRC/tests/golden/tables.sh" graph_v3_16 \
    account api_sum classes coverage facts findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step idle_causes iterations kern_exec_sum kern_sum kernels_by_grid kernels_by_name mem_size_sum \
    mem_time_sum memops nccl nccl_exposure nccl_exposure_ranks nccl_implicit_sync nccl_long nccl_summary_implicit_sync \
    nccl_summary_long nccl_wait_heatmap nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum step_work steps \
    straggler_summary time_by_family trust_checks unmatched_kernels verdict verdict_facts
sh "$SRC/tests/golden/tables.sh" old_2021 \
    account api_sum classes coverage findings gpu_gaps_histogram gpu_timeline gpu_timeline_by_device \
    gpu_timeline_by_step idle_causes iterations kern_exec_sum kern_sum kernels_by_grid kernels_by_name mem_size_sum \
    mem_time_sum memops nccl nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum step_work steps time_by_family \
    trust_checks unmatched_kernels verdict
sh "$SRC/tests/golden/tables.sh" no_kernels \
    api_sum coverage facts nvtx_sum trust_checks verdict verdict_facts
