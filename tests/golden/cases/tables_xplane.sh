# Every cell of the tables of the TPU profile of the example, and of its GPU profile.
"$ANALYZER" run -q --compat=all --csv-dir tpu "$SRC/example/xplane/tpu"
sh "$SRC/tests/golden/tables.sh" tpu \
    account coverage facts findings gpu_gaps_histogram gpu_utilization idle_causes kern_sum kernels_by_name step_times \
    step_work steps time_by_family tpu_async_ops tpu_category_summary tpu_modules tpu_op_summary tpu_timeline \
    trust_checks unmatched_kernels verdict verdict_facts
"$ANALYZER" run -q --compat=all --csv-dir gpu "$SRC/example/xplane/plugins"
sh "$SRC/tests/golden/tables.sh" gpu \
    account api_sum clock_offsets collectives collectives_by_op collectives_by_type comm_comp_overlap coverage \
    cuda_kernel_launch_stats_describe exposed_communication facts findings gpu_events gpu_events_averages \
    gpu_gaps_histogram gpu_timeline hlo_op_perf hlo_op_summary hlo_roofline host_compile host_summary idle_causes \
    idle_interval_stats idle_time_breakdown kern_exec_sum kern_sum kernel_breakdown kernel_summary \
    kernel_summary_by_category kernel_type_breakdown kernel_type_breakdown_by_rank kernels_by_grid kernels_by_name \
    launch_stats mem_size_sum mem_time_sum memcpy_summary memory_bw_summary nccl_exposure nccl_exposure_ranks \
    nccl_implicit_sync nccl_long nccl_summary_implicit_sync nccl_summary_long nccl_wait_heatmap nvtx_gpu_proj_sum \
    nvtx_gpu_proj_trace nvtx_sum ops_summary ops_summary_by_category queue_length_over_time queue_length_summary ranks \
    step_times steps straggler_summary temporal_breakdown time_by_family time_by_family_by_rank trust_checks \
    unmatched_kernels verdict verdict_facts xla_summary
"$ANALYZER" run -q --format html -o page "$SRC/example/xplane/plugins"
"$PYTHON" - <<'P'
import glob, re
page = open(glob.glob("page/*.html")[0], encoding="utf-8").read()
print(re.search(r'<section id="timeline">.*?</section>', page, re.S)[0].replace("</tr>", "</tr>\n"))
P
