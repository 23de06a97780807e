# Options of the commands of other tools: what each changes in the outputs and their names; what is ignored; wrong values.
exec 2>&1
unset COLUMNS
call() {
    echo "== $*"
    "$ANALYZER" "$@"
    echo "exit $?"
}
written() { # the files that came since the last call, and the sheets of books
    find . -newer stamp -type f ! -name stamp | sort
    touch stamp
}
sheets() {
    for b in "$@"; do
        "$PYTHON" -c 'import openpyxl, sys; b = openpyxl.load_workbook(sys.argv[1]); print(sys.argv[1], b.sheetnames, [s.max_row for s in b])' "$b"
    done
}
cp "$SRC/example/pytorch/train_step.json" train.json
cp "$SRC/example/pytorch/inference.json" serve.json
cp "$EXAMPLE_DATA/rocprof/train_results.json" "$EXAMPLE_DATA/rocprof/train_results.pftrace" .
cp "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb" .
cp "$SRC/example/tracy/ops_perf_results_layers.csv" ops.csv
touch stamp
sleep 0.02
echo "-- TraceLens: PyTorch"
call tracelens-pytorch --profile_json_path train.json -q
written
sheets train_perf_report.xlsx
call tracelens-pytorch --profile_json_path train.json -q --output_xlsx_path book.xlsx
call tracelens-pytorch --profile_json_path train.json -q --output_csvs_dir csvs --disable_coll_analysis --format md
call tracelens-pytorch --profile_json_path train.json -q --output_xlsx_path both.xlsx --output_csvs_dir both --format json
written | grep -v '^./csvs/\|^./both/'
sheets book.xlsx both.xlsx
diff -rq csvs both
call tracelens-pytorch --profile_json_path train.json --enable_origami --python_path x --inductor_cache_dir y --dry-run
call tracelens-pytorch --profile_json_path train.json -q --enable_origami --dry-run
call tracelens-pytorch --profile_json_path train.json serve.json
call tracelens-pytorch --profile_json_path train.json --profile_json_path serve.json --dry-run
call tracelens-pytorch --profile_json_path train.json --compat hta -q --output_csvs_dir hta
diff -rq both hta
call tracelens-pytorch --profile_json_path train.json --topk_ops -1
call tracelens-pytorch --profile_json_path train.json --opt topk_ops
call tracelens-pytorch --profile_json_path train.json --phase_detection_method none
call tracelens-pytorch --profile_json_path train.json --format xyz
call tracelens-inference --profile_json_path serve.json --comparison_capture_folder x
call tracelens-inference --profile_json_path serve.json -q
written | grep -v '^./hta/'
sheets serve_perf_report.xlsx
echo "-- TraceLens: others"
call tracelens-rocprof --profile_json_path train_results.json -q --disable_kernel_summary --output_csvs_dir rocprof
call tracelens-rocprof --profile_json_path train_results.json -q --kernel_details --topk_kernels 2 --short_kernel_study --output_csvs_dir details
diff -rq rocprof details
wc -l details/kernel*.csv details/short*.csv
call tracelens-jax --profile_path alpha.xplane.pb -q --kernel_metadata_keyword_filters dot fusion
call tracelens-jax --profile_path alpha.xplane.pb -q --kernel_metadata_keyword_filters none --output_csvs_dir jax
call tracelens-jax --kernel_metadata_keyword_filters dot -q
wc -l jax/*.csv | sed 's/ *$//'
written | grep -v '^./[a-z]*/'
sheets alpha_perf_report.xlsx
for of in hip-api hip-activity memory-copy; do
    call tracelens-pftrace-$of --trace_path train_results.pftrace -q --traceconv x
    call tracelens-pftrace-$of --trace_path train_results.pftrace -q --output_csvs_dir $of
    call tracelens-pftrace-$of
    wc -l $of/*.csv
done
written | grep -v '^./[a-z-]*/'
sheets *pftrace*.xlsx
a() { call tracelens-pftrace-hip-activity --trace_path train_results.pftrace -q "$@"; }
a --write_md
written
grep -c '^|' train_results_report.md
a --write_md --kernel_summary_top 2
grep -c '^|' train_results_report.md
a --output_md_path other.md --hip_summary_top 3
grep -c '^|' other.md
a --output_md_path more.md --write_md
written
a --output_md_path ''
for option in --no_kernel_summary --no_hip_summary --merge_kernels --kernel_summary_include_rccl --kernel_summary_group '--min_event_ns 0' '--min_event_ns 100000' \
    '--top_xla 1' '--min_tid 1' '--max_tid 1' '--hip_summary_group x' '--kernel_summary_baseline x'; do
    # shellcheck disable=SC2086 # an option and its value
    a $option --output_csvs_dir "activity$option"
    (cd "activity$option" 2>/dev/null && diff -rq . ../hip-activity)
done
(cd "activity--top_xla 1" && cat -- *.csv)
written >new
for option in '--exclude_kernel_regex gemm' --allow_multi_kernel_per_api --include_nonlaunch_apis '--exclude_kernel_regex ('; do
    # shellcheck disable=SC2086 # an option and its value
    call tracelens-pftrace-hip-api --trace_path train_results.pftrace -q $option --output_csvs_dir "api$option"
    (cd "api$option" 2>/dev/null && diff -r . ../hip-api | grep '^[<>]' | cut -d, -f1-4)
done
echo "-- tt-perf-report"
t() { call tt-perf-report ops.csv "$@"; }
t --print-signposts --no-color | head -n 30
t -q --csv flat.csv --no-summary
t -q --csv flat.csv --summary-file stacked.csv --group-by category
written | grep -v '^./[a-z-]*[ /]'
wc -l flat*.csv stacked*.csv
"$ANALYZER" tt-perf-report ops.csv --no-color >default 2>&1
for option in --ignore-signposts '--min-percentage 5' '--id-range 3-6' --no-advice --tracing-mode --raw-op-codes --no-host-ops --no-stacked-report --no-stack-by-in0 \
    --no-merge-devices '--arch wormhole' '--start-signpost x' '--end-signpost x' '--signpost x' '--active-experts 2' --classic-colors; do
    echo "== $option"
    # shellcheck disable=SC2086 # an option and its value
    "$ANALYZER" tt-perf-report ops.csv $option --no-color >text 2>&1
    echo "exit $?, $(diff default text | grep -c '^[<>]') lines differ"
    diff default text | grep '^> .*[a-z]' | head -n 4
done
t --arch none
t --active-experts 0
t --id-range 6-3 -q
t --id-range x -q
t --group-by none
t --min-percentage x
echo "-- GPU-Perf-Analyzer"
call gpu-perf-analyzer
call gpu-perf-analyzer --config ''
call gpu-perf-analyzer --config none.json
call gpu-perf-analyzer --config none.json x
