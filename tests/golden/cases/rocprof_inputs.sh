# Sets, ranks, options and failures of AMD profiles.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" data || exit 99
cd data || exit 99
"$ANALYZER" probe train_*.csv train_results.json train_results.db train_results.pftrace train_pftrace.json
# all files of a set are one input, named by its prefix
"$ANALYZER" run train_*.csv --dry-run
# files that differ in digits are the ranks of one run
cp train_results.db 1_results.db && cp train_results.db 2_results.db
"$ANALYZER" run 1_results.db 2_results.db --compat=all --csv-dir ranks -q
cat ranks/gpu_timeline_by_agent.csv
# options under the names of the tool that users know
cat >c.json <<'JSON'
{ "inputs": [ { "format": "rocprof", "title": "t", "profile_json_path": "train_results.json",
    "options": { "output_csvs_dir": "named", "disable_kernel_summary": true, "kernel_details": true, "topk_kernels": 2,
                 "short_kernel_study": true, "short_kernel_threshold_us": 2.5, "short_kernel_histogram_bins": 2 } } ] }
JSON
"$ANALYZER" --config=c.json -q
ls named
cat named/kernel_details.csv named/short_kernels_summary.csv named/short_kernel_histogram.csv
# what is no profile of ours
printf '{"rocprofiler-sdk-tool":[{"metadata":{"pid":1},"buffer_records":{"kernel_dispatch":[]}}]}' >empty_results.json
printf '{"other":1}' >wrong_results.json
printf 'Kernel_Name,Start_Timestamp\nf,1\n' >lacks_kernel_trace.csv
for f in empty_results.json wrong_results.json lacks_kernel_trace.csv; do
    cat >w.json <<JSON
{ "inputs": [ { "format": "rocprof", "path": "$f" } ] }
JSON
    "$ANALYZER" --config=w.json --compat=all --csv-dir w
    echo "status $?"
done
cat w/kernel_summary.csv
