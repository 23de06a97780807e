# Options of the commands of TraceLens for Perfetto traces of rocprofv3: what each changes in the tables, and the Markdown.
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
cp "$EXAMPLE_DATA/rocprof/train_results.pftrace" .
touch stamp
sleep 0.02
for of in hip-api hip-activity memory-copy; do
    call tracelens-pftrace-$of --trace_path train_results.pftrace -q --traceconv x
    call tracelens-pftrace-$of --trace_path train_results.pftrace -q --output_csvs_dir $of
    call tracelens-pftrace-$of
    wc -l $of/*.csv
done
written | grep -v '^./[a-z-]*/'
sheets train_results_pftrace_*.xlsx
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
exit 0
