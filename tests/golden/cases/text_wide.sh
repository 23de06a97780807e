# The whole text of one input of each format on a wide terminal: decimals, units and columns that narrow lines leave out.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" . --steps 2 --only json || exit 99
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . edges_v3_4 >/dev/null || exit 99
for f in "$SRC/example/tracy/ops_perf_results_layers.csv" train_results.json edges_v3_4.sqlite "$SRC/example/xplane/tpu/tpu.xplane.pb"; do
    COLUMNS=260 "$ANALYZER" run -v --compat=all --text=full "$f" 2>/dev/null | sed -e '/^Data coverage/,/^$/d' -e '/^Facts/,/^$/d'
done
