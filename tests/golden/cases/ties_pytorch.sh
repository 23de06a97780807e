# Traces in which many events begin, end or last alike: verdicts whole, of all tables the rows and a digest.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" $seed.json --seed $seed --steps $((seed % 5 + 1)) || exit 99
    COLUMNS=200 "$ANALYZER" $seed.json | sed -n '1,/^$/p'
    "$ANALYZER" run -q --compat=all --csv-dir out/$seed $seed.json --opt short_kernel_study=true \
        --opt short_kernel_threshold_us=2 --opt short_kernel_histogram_bins=3 --opt include_first_occurrence_time=true \
        --opt detect_recompute=true --opt include_overlap_info=true --opt include_unlinked_kernels=true --opt gap_threshold_us=1
done
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
