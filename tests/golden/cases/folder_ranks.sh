# A folder per rank, with one trace each: one run, by the names of the folders.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" 'trial/rank{rank}/trace.json' --ranks 3 --steps 3 >/dev/null || exit 99
"$ANALYZER" trial | head -n 2
"$ANALYZER" trial/rank0/trace.json trial/rank2/trace.json | head -n 2
cp -r trial other
"$ANALYZER" trial other | grep '^=====\|ranks,'
mkdir cycles && cp trial/rank0/trace.json cycles/a.json && cp trial/rank0/trace.json cycles/b.json
"$ANALYZER" cycles | grep '^====='
