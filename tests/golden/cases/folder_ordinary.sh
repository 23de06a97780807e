# Ordinary files beside profiles are passed over without a word; what is empty, cut, garbage or leads nowhere is said, by a
# command that would read it. What the system does not show makes the run fail.
mkdir mixed
cp "$SRC/example/pytorch/moe.json" mixed/
printf 'loss\n1\n2\n' >mixed/loss.csv
printf 'step,loss\n' >mixed/head.csv
printf '\010\001\022\345' >mixed/saved_model.pb
printf '\320\317\021\340' >mixed/Thumbs.db
printf '{"a": 1}\n' >mixed/config.json
ln -s nothing mixed/latest.db
{ "$ANALYZER" run mixed >/dev/null; } 2>&1 || echo "exit status $?"
echo "== damaged"
: >mixed/empty.csv
: >mixed/empty.json
printf '{"a": [1,' >mixed/cut.json
printf 'garbage' >mixed/x.xplane.pb
{ "$ANALYZER" run mixed >/dev/null; } 2>&1 || echo "exit status $?"

echo "== links"
mkdir ranks
cp "$SRC"/example/multirank/step_120/rank_[013].json ranks/
ln -s nothing ranks/latest.csv
ln -s nothing ranks/latest.db
ln -s nothing ranks/rank_2.json
for words in "multirank -b ranks" "map ranks -o parts" "merge -b ranks -o merged.json" "run ranks"; do
    # shellcheck disable=SC2086 # words
    { "$ANALYZER" $words >out; } 2>&1 || echo "exit status $?"
done
grep -o 'rank 2 is missing' out

echo "== unread" # not for the owner of all files, either: a link to a name that is too long
rm ranks/rank_2.json ranks/rank_3.json
ln -s "$(printf '%0300d' 0)" ranks/rank_2.json
for words in "multirank -b ranks" "map ranks -o parts" "merge -b ranks -o merged.json" "run ranks" "probe ranks"; do
    # shellcheck disable=SC2086 # words
    { "$ANALYZER" $words >/dev/null; } 2>&1 || echo "exit status $?"
done
