# The examples of the pages for users of other tools (src/docs/from-*.md), each run as it stands.
E=$SRC/example
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$ANALYZER" >bin/analyzer
chmod +x bin/analyzer
PATH=$PWD/bin:$PATH
examples() { # page: its blocks marked `sh`
    # shellcheck disable=SC2016 # the marks of a block
    sed -n '/^```sh$/,/^```$/p' "$SRC/src/docs/$1" | grep -v '^```' >lines
    while IFS= read -r line; do
        echo "\$ $line"
        touch stamp
        sh -c "$line" >out 2>err
        echo "exit $?, $(wc -l <out | awk '{ print ($1 > 0 ? "text" : "no text") }')"
        sed 's/^/  /' err
        # not touched by an earlier line
        find . -newer stamp \( -name '*.csv' -o -name '*.xlsx' -o -name '*.txt' \) | sed 's/^/  /' | sort >new
        if [ "$(wc -l <new)" -gt 4 ]; then awk -F/ '{ n[$2]++ } END { for (d in n) printf "  %s: %d files\n", d, n[d] }' new; else cat new; fi
    done <lines
}
echo "== TraceLens"
mkdir t && cd t || exit 1
cp "$E/pytorch/train_step.json" profile.json
cp "$E/pytorch/inference.json" other.json
cp "$EXAMPLE_DATA/rocprof/train_results.json" 908_results.json
cp "$E/xplane/plugins/profile/train_step/alpha.xplane.pb" host.xplane.pb
cp "$E/pytorch_megatron.lua" extension.lua
echo '{ "name": "mine", "mem_bw_gbps": 3350, "max_achievable_tflops": { "matrix_bf16": 700 } }' >arch.json
examples from-tracelens.md
head -n 1 short/ops_unique_args.csv | cut -c1-60
for t in ops_all:ops_unique_args short_kernels_histogram:short_kernel_histogram short_kernels_all_details:short_kernels_summary; do
    cmp "short/${t%:*}.csv" "short/${t#*:}.csv" && wc -l <"short/${t#*:}.csv"
done
echo "== an older report of TraceLens with ours"
mkdir old
cp short/gpu_timeline.csv short/ops_unique_args.csv short/short_kernels_summary.csv short/short_kernel_histogram.csv old
"$PYTHON" - <<'PY'
import csv
rows = list(csv.DictReader(open("short/kernel_summary.csv", newline="")))
with open("old/kernel_summary.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["name", "Count", "Total Kernel Time (ms)", "Mean Kernel Time (µs)"])
    for r in rows:
        s, n = float(r["Kernel duration (µs)_sum"]), int(r["Kernel duration (µs)_count"])
        w.writerow([r["Kernel name"], n, s / 1000, s / n])
PY
analyzer run profile.json -q --short-kernel-study --short-kernel-threshold-us 20 --short-kernel-histogram-bins 50 --csv-dir ours
analyzer compare old ours -q --csv-dir paired
cut -d, -f1,4-9 paired/compare_summary.csv
cd ..
echo "== tt-perf-report"
mkdir tt && cd tt || exit 1
cp "$E/tracy/ops_perf_results_layers.csv" ops_perf_results.csv
cp "$E/tracy/ops_perf_results_host0.csv" host_0.csv
cp "$E/tracy/ops_perf_results_host1.csv" host_1.csv
examples from-tt-perf-report.md
head -n 2 stacked.csv
cd ..
echo "== GPU-Perf-Analyzer"
mkdir gpa && cd gpa || exit 1
cp "$SRC"/tests/data/nsys/tiny_*.csv .
cat >config.json <<'END'
{ "inputs": [ { "format": "csv", "title": "tiny", // as its README has it
    "nsys_csv_file_path": { "kernel_sum": "tiny_cuda_gpu_kern_sum.csv", "mem_time_sum": "tiny_cuda_gpu_mem_time_sum.csv", },
    "analysis_args": { "num_of_iters": 2, "num_of_gpus": 1 } } ],
  "kernel_to_class_map": { "gemm": "gemm" } }
END
examples from-gpu-perf-analyzer.md
cat report.txt
cd ..
echo "== what is wrong"
for line in "tracelens-pytorch t/profile.json" "tracelens-pytorch" "tracelens-pytorch --profile_json_path t/profile.json --topk_opz 3" \
    "tracelens-pytorch --profile_json_path tt/ops_perf_results.csv" "tt-perf-report" "tt-perf-report t/profile.json" \
    "gpu-perf-analyzer gpa/config.json" "tracelens-jax --profile_path t/host.xplane.pb --output_csvs_dir j more"; do
    echo "\$ analyzer $line"
    # shellcheck disable=SC2086
    analyzer $line 2>err >/dev/null
    rc=$?
    cat err
    echo "exit $rc"
done
