# Gates and a history of traces of which some times differ: exit statuses, digests of texts and reports.
for seed in 65 66; do
    "$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" $seed.json --steps 3 --layers 1 --seed $seed || exit 99
done
"$PYTHON" "$SRC/tests/golden/edits.py" 12 10 65.json 66.json only=dur >/dev/null
"$PYTHON" "$SRC/tests/golden/pairs.py" gate 65 66
