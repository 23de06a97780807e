# Operation reports of which each column is missing or a text.
"$PYTHON" "$SRC/tests/gen/make_ties_tracy.py" "$SRC/example/tracy/ops_perf_results_layers.csv" a.csv 5 || exit 99
head -n 30 a.csv >ops.csv
"$PYTHON" "$SRC/tests/golden/without.py" ops.csv x
