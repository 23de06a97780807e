# Kernels that a user's class alone makes NCCL: words of their names, not collectives; a whole number written as a real, as
# the command of the other program takes it; the steps found in a profile divide what is per iteration.
cat >sum.csv <<'CSV'
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
40.0,6000000,6,1,1,1,1,1,loop_add_fusion_2
10.0,3000000,3,1,1,1,1,1,input_reduce_fusion
10.0,3000000,3,1,1,1,1,1,input_Scatter_fusion
10.0,3000000,3,1,1,1,1,1,my_allreduce_fusion
10.0,3000000,3,1,1,1,1,1,BroadcastFusion
10.0,3000000,3,1,1,1,1,1,ncclDevKernel_Reduce_RING_LL(int)
10.0,3000000,3,1,1,1,1,1,gemm
CSV
cat >map.json <<'JSON'
{"inputs": [{"format": "csv", "title": "T", "nsys_csv_file_path": {"kernel_sum": "sum.csv"}, "analysis_args": {"num_of_iters": 3.0}}],
 "kernel_to_class_map": {"fusion": "NCCL"}}
JSON
"$ANALYZER" gpu-perf-analyzer --config=map.json | sed -n '/^NCCL Statistic/,$p'
"$ANALYZER" --config=map.json
echo "$?"
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . proc1_gpu2_v3_24 no_nvtx >/dev/null || exit 99
for f in *.sqlite; do
    echo "== $f"
    "$ANALYZER" init "$f" 2>/dev/null | grep num_of_iters
    "$ANALYZER" run "$f" --compat=all --csv-dir out -q 2>/dev/null
    head -3 out/iterations.csv
    rm -r out
done
