# The example: one job as the CSVs of nsys stats and as the SQLite export, a PyTorch and a JAX trace, side by side.
"$PYTHON" "$SRC/tests/gen/make_example_nsys.py" --sqlite data/llama2_70b.sqlite || exit 99
EXAMPLE_DATA=$PWD/data "$ANALYZER" --config="$SRC/example/config.json" -o out
rc=$?
ls out
exit $rc
