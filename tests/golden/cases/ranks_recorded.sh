# Recorded traces of different kinds as the ranks of one run: every table of every tool, the page without its style, the database.
mkdir run jax
n=0
for f in graph_replay data_range unfused_attention overlapped_copy zero_fills fp32; do
    cp "$SRC/tests/data/recorded/$f.pt.trace.json.gz" run/rank_$n.json.gz || exit 99
    n=$((n + 1))
done
COLUMNS=120 "$ANALYZER" multirank -b run --all-ranks --compat=all --csv-dir ranks --opt detect_recompute=true --opt include_overlap_info=true 2>&1
echo "exit $?"
cat ranks/ranks.csv ranks/coverage.csv
"$ANALYZER" map run/*.json.gz --draw -o parts -q --opt detect_recompute=true && "$ANALYZER" reduce parts -q --compat=all --csv-dir reduced --opt detect_recompute=true 2>&1
echo "exit $?"
for f in jax_scan jax_unrolled jax_input; do
    cp "$SRC/tests/data/recorded/$f.xplane.pb.gz" jax/$f.xplane.pb.gz || exit 99
done
COLUMNS=120 "$ANALYZER" run jax/jax_scan.xplane.pb.gz --compat=all --csv-dir jax_one -q 2>&1
"$ANALYZER" compare jax/jax_scan.xplane.pb.gz jax/jax_unrolled.xplane.pb.gz --all-sheets --csv-dir jax_two -q 2>&1
"$ANALYZER" compare run/rank_1.json.gz run/rank_2.json.gz --tree --all-sheets --csv-dir compared -q 2>&1
echo "exit $?"
for d in ranks reduced jax_one jax_two compared; do
    echo "== $d"
    "$PYTHON" "$SRC/tests/golden/digests.py" $d
done
