# A trace of which each key, by the category of its events, is missing or null.
"$PYTHON" "$SRC/tests/gen/make_ties.py" a.json --seed 41 --steps 2 || exit 99
"$PYTHON" "$SRC/tests/golden/without.py" a.json null
