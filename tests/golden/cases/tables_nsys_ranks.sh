# Every cell of the tables of two Nsight Systems exports as one run: payloads of NCCL, MPI, metrics, memory in use.
"$PYTHON" "$SRC/tests/gen/make_nsys_more.py" . --ranks 2 --kernels 12 >/dev/null || exit 99
"$ANALYZER" run rank0.sqlite rank1.sqlite -q --csv-dir out --compat=all
sh "$SRC/tests/golden/tables.sh" out \
    account api_sum classes clock_offsets comm_comp_overlap counters counters_of_kernels counters_of_ranges coverage \
    critical_path_of_run critical_path_shares cuda_kernel_launch_stats_describe exposed_communication findings \
    gpu_gaps_histogram gpu_timeline gpu_timeline_by_device gpu_timelines gpu_timelines_by_rank idle_causes \
    idle_interval_stats idle_time_breakdown iterations kern_exec_sum kern_sum kernel_breakdown kernel_type_breakdown \
    kernel_type_breakdown_by_rank kernels_by_grid kernels_by_name launch_stats nccl nccl_exposure nccl_exposure_ranks \
    nccl_implicit_sync nccl_long nccl_summary_implicit_sync nccl_summary_long nccl_wait_heatmap nvtx_gpu_proj_sum \
    nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum queue_length_summary rank_summary ranks straggler_summary \
    temporal_breakdown time_by_family time_by_family_by_rank trust_checks unmatched_kernels verdict verdict_facts
"$ANALYZER" run rank0.sqlite rank1.sqlite -q --format html -o page
"$PYTHON" - <<'P'
import glob, re
page = open(glob.glob("page/*.html")[0], encoding="utf-8").read()
print(re.search(r'<section id="timeline">.*?</section>', page, re.S)[0].replace("</tr>", "</tr>\n"))
P
