# Profiles of GPUs and TPUs in which kernels begin, end and last alike: verdicts whole, of all tables the rows and a digest.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    "$PYTHON" "$SRC/tests/gen/make_ties_xplane.py" $seed.xplane.pb $seed || exit 99
    COLUMNS=200 "$ANALYZER" $seed.xplane.pb | sed -n '1,/^$/p'
    "$ANALYZER" run -q --compat=all --csv-dir out/$seed $seed.xplane.pb --opt gap_threshold_us=1
done
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
"$ANALYZER" compare 2.xplane.pb 4.xplane.pb --csv-dir pairs | head -n 20
"$PYTHON" "$SRC/tests/golden/digests.py" pairs
