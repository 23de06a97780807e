# The AMD example: one job in every format of rocprofv3, the text of all of them.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" data/rocprof || exit 99
EXAMPLE_DATA=$PWD/data "$ANALYZER" --config="$SRC/example/rocprof.json" -o out
rc=$?
ls out
exit $rc
