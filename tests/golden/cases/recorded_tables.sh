# Recorded traces, each with its causes (tests/data/recorded): verdicts in short, of all tables together rows and a digest.
for f in "$SRC"/tests/data/recorded/*.gz; do
    name=$(basename "$f")
    name=${name%%.*}
    echo "== $name"
    cp "$f" . || exit 99
    COLUMNS=160 "$ANALYZER" "$(basename "$f")" 2>&1 | sed -n '1,/^$/p'
    "$ANALYZER" run -q --compat=all --csv-dir "out/$name" "$(basename "$f")" --opt micro_idle_thresh_us=10 --opt short_kernel_study=true \
        --opt include_call_stack=true --opt include_first_occurrence_time=true --opt detect_recompute=true --opt gap_threshold_us=1 2>&1
done
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
"$ANALYZER" run -q --format html,sqlite,md,json -o made overlapped_copy.pt.trace.json.gz jax_scan.xplane.pb.gz 2>&1
ls made
