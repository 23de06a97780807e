# Operation reports at limits of rules and with equal times: verdicts whole, of all tables the rows and a digest, by
# operation, by category, by device, with and without small ones.
seed=0
for options in "" "group_by=category" "group_by=op" "no_merge_devices=true" "min_percentage=5" "hide_small=true" \
    "signpost=iteration" "no_merge_devices=true --opt group_by=category" "drop_impossible=true" "no_host_ops=true"; do
    seed=$((seed + 1))
    "$PYTHON" "$SRC/tests/gen/make_ties_tracy.py" "$SRC/example/tracy/ops_perf_results_layers.csv" $seed.csv $seed || exit 99
    set -- $seed.csv
    for o in $options; do [ "$o" = --opt ] || set -- "$@" --opt "$o"; done
    echo "== $options"
    COLUMNS=200 "$ANALYZER" "$@" | sed -n '1,/^$/p'
    "$ANALYZER" run -q "$@" --compat=all --csv-dir out/$seed 2>&1
done
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
COLUMNS=260 "$ANALYZER" run -v --text=full 4.csv --opt no_merge_devices=true 2>/dev/null | sed -e '/^Data coverage/,/^$/d' -e '/^Facts/,/^$/d'
