# Comparisons of traces with some seeded changes: of each pair a digest of the text, of each table one of all cells.
for seed in 62 63; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" $seed.json --seed $seed --steps 3 || exit 99
done
"$PYTHON" "$SRC/tests/gen/make_ties_nsys.py" 63.json 64.sqlite || exit 99
"$PYTHON" "$SRC/tests/golden/edits.py" 11 9 62.json 63.json 64.sqlite >/dev/null
"$PYTHON" "$SRC/tests/golden/pairs.py" compare 62 63 64
