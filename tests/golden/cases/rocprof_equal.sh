# One workload in every format of rocprofv3: the tables are equal to the byte where the formats hold the same facts.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" data --steps 7 || exit 99
run() { # name file
    "$ANALYZER" run --compat=all "data/$2" --csv-dir "$1" --opt short_kernel_study=true --opt kernel_details=true -q || exit 98
}
run json train_results.json
run csv train_kernel_trace.csv
run rocpd train_results.db
run perfetto train_results.pftrace
run traceconv train_pftrace.json
for other in csv rocpd perfetto traceconv; do
    for t in json/*.csv; do
        t=$(basename "$t")
        cmp -s "json/$t" "$other/$t" || echo "$other: $t differs"
    done
done
gzip -k data/train_results.json data/train_kernel_trace.csv data/train_results.pftrace
mkdir zipped && mv data/*.gz zipped
for f in zipped/*; do "$ANALYZER" probe "$f"; done
"$ANALYZER" run --compat=all zipped/train_results.json.gz --csv-dir json_gz --opt short_kernel_study=true --opt kernel_details=true -q
cmp json/kernel_details.csv json_gz/kernel_details.csv && echo same
cat json/kernel_summary_by_category.csv json/gpu_timeline.csv csv/gpu_timeline.csv
