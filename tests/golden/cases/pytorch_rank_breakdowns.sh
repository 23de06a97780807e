# Breakdowns over the ranks of one input: two small traces as ranks, figures that can be followed by eye. Rank 1's collective
# waits; the last step of three is left out unless asked for.
rank() { # rank, start of the collective
    cat <<JSON
{ "distributedInfo": { "backend": "nccl", "rank": $1, "world_size": 2 }, "baseTimeNanoseconds": 0, "traceEvents": [
JSON
    n=0
    for t in 1000 2000 3000; do
        n=$((n + 1))
        cat <<JSON
{ "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#$n", "pid": 1, "tid": 1, "ts": $t, "dur": 1000, "args": {} },
{ "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": $((t + 10)), "dur": 20, "args": {} },
{ "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": $((t + 12)), "dur": 5, "args": { "correlation": ${n}1 } },
{ "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": $((t + 30)), "dur": 400, "args": { "device": 0, "stream": 7, "correlation": ${n}1 } },
{ "ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": $((t + 35)), "dur": 5, "args": { "correlation": ${n}2 } },
{ "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": $((t + 440)), "dur": 8, "args": { "device": 0, "stream": 7, "correlation": ${n}2, "bytes": 80000 } },
{ "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": $((t + 45)), "dur": 5, "args": { "correlation": ${n}3 } },
{ "ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 16, "ts": $((t + $2)), "dur": $((700 - $2)), "args": { "device": 0, "stream": 16, "correlation": ${n}3 } },
{ "ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 1, "tid": 1, "ts": $((t + 60)), "dur": 645, "args": { "correlation": ${n}4 } }$([ $n -lt 3 ] && echo ,)
JSON
    done
    echo "] }"
}
rank 0 400 >rank0.json
rank 1 100 >rank1.json
cat >config.json <<JSON
{ "inputs": [ { "format": "pytorch", "title": "two ranks", "paths": ["rank*.json"] } ],
  "options": { "critical_path": true, "launch_details": true, "sequence_op": "mm", "sequence_min_kernels": 1 } }
JSON
"$ANALYZER" --config=config.json --compat=all -v --csv-dir out | sed -n '1,/^Findings/p'
echo "== $?"
for t in temporal_breakdown kernel_type_breakdown_by_rank kernel_breakdown comm_comp_overlap exposed_communication idle_time_breakdown \
    queue_length_summary memory_bw_summary launch_stats op_launches frequent_sequences straggler_candidates critical_path_summary critical_path; do
    echo "-- $t"
    cat "out/$t.csv"
done
grep 'breakdowns of ranks' out/coverage.csv
"$ANALYZER" --config=config.json --compat=all --csv-dir all -q --opt last_step=keep && cut -d, -f1-5,12 all/temporal_breakdown.csv
"$ANALYZER" run rank1.json --compat=all -q --csv-dir one
[ -e one/temporal_breakdown.csv ] || echo "one file has no tables over ranks"
"$ANALYZER" run rank1.json --compat=all -q --csv-dir one1 --opt rank_tables=always && cut -d, -f1-5 one1/temporal_breakdown.csv
for j in 1 2 4; do "$ANALYZER" --config=config.json --compat=all -j $j -q --csv-dir "j$j"; done
diff -r j1 j2 && diff -r j1 j4 && echo equal
