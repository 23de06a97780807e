# Options of the commands of TraceLens: what each changes in the outputs and their names; what is ignored; wrong values.
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
cp "$EXAMPLE_DATA/rocprof/train_results.json" .
cp "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb" .
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
