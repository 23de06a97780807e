# Part files as inputs: of a configuration, a folder, a pattern; of other options, of another format, without numbers of ranks.
"$PYTHON" "$SRC/tests/gen/make_ranks.py" "run/rank_{rank}.json" --ranks 3 --steps 2 --layers 1 --slow 1 || exit 99
"$ANALYZER" map run/*.json -o parts -q || exit 99
for f in parts/*.part; do mv "$f" "${f%.json-*}.part"; done
r() {
    echo "== $*"
    "$ANALYZER" "$@" -q 2>&1
    echo "exit $?"
}
same() { diff -r -x coverage.csv -x facts.csv -x ranks.csv "$1" whole >/dev/null && echo "$1: equal to the traces"; }
r multirank -b run --all-ranks --compat=all --csv-dir whole
r reduce 'parts/*.part' --compat=all --csv-dir pattern && same pattern
r reduce 'parts/rank_?.part' run/rank_1.json --compat=all --csv-dir twice
r reduce 'none/*.part' --csv-dir none
r reduce parts/rank_0.part none.part --csv-dir missing
r map 'run/rank_[01].json' -o some && find some -name '*.part' | sed 's/-[0-9a-f]*\.part/-ID.part/' | sort
r map 'no/*.json' -o some

echo "== a configuration: a folder of parts, each part as an input, all of them as one"
cat >folder.json <<'J'
{"inputs": [{"title": "all", "base_dir": "parts"}], "compat": "all", "outputs": {"dir": "of_folder", "formats": ["csv"]}}
J
cat >each.json <<'J'
{"inputs": [{"title": "first", "path": "parts/rank_0.part"}, {"title": "pattern", "path": "parts/*.part"}],
 "compat": "all", "outputs": {"dir": "of_each", "formats": ["csv"]}}
J
cat >options.json <<'J'
{"inputs": [{"title": "all", "base_dir": "parts", "options": {"last_step": "drop", "gap_threshold_us": 7}}],
 "outputs": {"dir": "of_options", "formats": ["csv"]}}
J
for c in folder each options; do
    r --config $c.json
    find of_$c -name '*.csv' 2>/dev/null | sort | sed 's/.*/&/' | head -n 5
done
for d in of_folder/*_csvs of_each/*pattern_csvs; do
    diff -r -q -x facts.csv -x ranks.csv "$d" pattern | sed 's/^Only in/only in/' | sort
done

echo "== mapped with other options"
r map run/rank_2.json -o other --opt last_step=drop --opt gap_threshold_us=3 && mv other/rank_2*.part other/rank_2.part
r reduce parts/rank_0.part parts/rank_1.part other/rank_2.part --csv-dir odd
r reduce other/rank_2.part parts/rank_0.part --csv-dir odd
r reduce other/rank_2.part --opt gap_threshold_us=4 --csv-dir odd

echo "== without numbers, or twice the same"
mkdir plain
i=0
for n in one two three; do sed 's/"rank": *[0-9]*,*//; s/"distributedInfo": *{[^}]*},//' run/rank_$i.json >plain/$n.json && i=$((i + 1)); done
r map plain/*.json -o plain_parts
r reduce plain_parts --csv-dir plain_out && cat plain_out/ranks.csv | sed 's/-[0-9a-f]*\.part/-ID.part/g'
cp parts/rank_1.part parts/again.part
r reduce parts --csv-dir again_out
for how in first last each-step; do
    r reduce parts --csv-dir again_$how --opt duplicate_rank=$how
    sed 's/-[0-9a-f]*\.part/-ID.part/g' again_$how/ranks.csv
done
r --config folder.json

echo "== damaged parts"
rm parts/again.part
for n in 0 10 200; do
    head -c $n parts/rank_1.part >cut.part
    r reduce parts/rank_0.part cut.part --csv-dir cut
done
printf 'x' | dd of=parts/rank_2.part bs=1 seek=300 conv=notrunc 2>/dev/null
r reduce parts --csv-dir flipped
r --config folder.json
