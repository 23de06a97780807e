# Ranks and pairs of traces in which many events begin, end or last alike: all tables by rows and a digest, verdicts whole.
for seed in 1 2 3 4; do
    mkdir run$seed
    for rank in 0 1 2 3; do
        "$PYTHON" "$SRC/tests/gen/make_ties.py" run$seed/rank_$rank.json --seed $seed --rank $rank --world 4 || exit 99
    done
    COLUMNS=200 "$ANALYZER" multirank -b run$seed --all-ranks -o ranks/$seed --format text,csv | sed -n '1,/^$/p'
    "$ANALYZER" run run$seed/*.json --csv-dir ranks/timeline$seed -q
done
"$PYTHON" "$SRC/tests/golden/digests.py" ranks/*
echo "== comparisons"
for pair in 1:2 2:1 3:4 1:1; do
    a=run${pair%:*}/rank_0.json b=run${pair#*:}/rank_1.json
    COLUMNS=200 "$ANALYZER" compare "$a" "$b" --csv-dir "pairs/$pair" | head -n 30
    "$ANALYZER" gate "$a" "$b" | head -n 12
done
"$PYTHON" "$SRC/tests/golden/digests.py" pairs/*
