# Every cell of the tables of metrics, memory, MPI and payloads of NCCL.
"$PYTHON" "$SRC/tests/gen/make_nsys_more.py" . --ranks 2 >/dev/null || exit 99
"$ANALYZER" run -q --compat=all --csv-dir out rank0.sqlite
sh "$SRC/tests/golden/tables.sh" out \
    account api_sum classes counters counters_by_step counters_of_kernels counters_of_ranges coverage facts findings \
    gpu_gaps_histogram gpu_timeline gpu_timeline_by_device gpu_timeline_by_step idle_causes iterations kern_exec_sum \
    kern_sum kernels_by_grid kernels_by_name nccl nvtx_gpu_proj_sum nvtx_gpu_proj_trace nvtx_kern_sum nvtx_sum step_work \
    steps time_by_family trust_checks unmatched_kernels verdict verdict_facts
# The rank is that of the calls of MPI, whatever the name of the file.
mv rank1.sqlite other.sqlite
"$ANALYZER" run -q --csv-dir other other.sqlite
grep '^ranks' out/verdict_facts.csv other/verdict_facts.csv
