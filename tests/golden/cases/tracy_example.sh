# The example of operation reports, as printed; its committed CSVs are what the generator writes.
gen() { "$PYTHON" "$SRC/tests/gen/make_tracy_example.py" "$@"; }
gen --out ops_perf_results_layers.csv --rows 89 --devices 2 --faults
gen --out ops_perf_results_host0.csv --rows 36 --host 0
gen --out ops_perf_results_host1.csv --rows 36 --host 1
for f in *.csv; do cmp "$f" "$SRC/example/tracy/$f" || exit 9; done
"$ANALYZER" --config="$SRC/example/tracy.json" --csv-dir out -o .
echo "$?"
ls out/*
cat out/ops_perf_results_layers/ops.csv out/ops_perf_results_layers/data_quality.csv out/ops_perf_results_host0/iterations.csv
