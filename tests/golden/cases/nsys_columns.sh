# Exports of Nsight Systems of which each table or column is missing or empty.
"$PYTHON" "$SRC/tests/gen/make_ties.py" a.json --seed 25 --steps 3 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ties_nsys.py" a.json a.sqlite || exit 99
"$PYTHON" "$SRC/tests/golden/without.py" a.sqlite
