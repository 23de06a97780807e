# Traces of several ranks, copied with some seeded changes: rows and messages of each copy, a digest of each table.
for rank in 0 1 2; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" rank_$rank.json --seed 61 --rank $rank --world 3 --steps 3 || exit 99
done
"$PYTHON" "$SRC/tests/golden/edits.py" 9 24 rank_0.json+rank_1.json+rank_2.json sheets_as=tracelens-multirank,tracelens-collectives \
    align_clocks=always,never gpus_per_node=1,2 all_kernels=true launcher_events=all node_replay=true collective_sheets=current,both \
    collective_arguments=kernel critical_path=true include_unlinked_kernels=true steps=pattern,none,2
echo "== stragglers"
"$PYTHON" "$SRC/tests/gen/make_claims.py" made 1 'ranks: slow' 'ranks: late' 'ranks: two' 'ranks: missing' >/dev/null || exit 99
set --
for folder in made/*/fault; do
    set -- "$@" "$(find "$folder" -type f | sort | head -n 4 | paste -s -d + -)"
done
"$PYTHON" "$SRC/tests/golden/edits.py" 10 3 "$@" gpus_per_node=2 align_clocks=never
