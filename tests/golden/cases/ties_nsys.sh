# Exports of Nsight Systems in which many events begin, end or last alike: verdicts whole, of all tables the rows and a
# digest, also per range and per iteration.
for seed in 21 22 23 24 25 26 27 28; do
    "$PYTHON" "$SRC/tests/gen/make_ties.py" $seed.json --seed $seed --steps $((seed % 5 + 2)) || exit 99
    "$PYTHON" "$SRC/tests/gen/make_ties_nsys.py" $seed.json $seed.sqlite || exit 99
    COLUMNS=200 "$ANALYZER" $seed.sqlite | sed -n '1,/^$/p'
    "$ANALYZER" run -q --compat=all --csv-dir out/$seed $seed.sqlite --opt nvtx_tag_of_iter=forward --opt gap_threshold_us=1 \
        --opt short_kernel_study=true --opt short_kernel_threshold_us=2
done
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
"$ANALYZER" compare 21.sqlite 22.sqlite 21.json --csv-dir pairs | head -n 30
"$PYTHON" "$SRC/tests/golden/digests.py" pairs
