# Results of rocprofv3 of which each key is missing.
"$PYTHON" "$SRC/tests/gen/make_ties_rocprof.py" in 3 1 || exit 99
"$PYTHON" "$SRC/tests/golden/without.py" in/ties_results.json
