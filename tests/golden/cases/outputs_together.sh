# The outputs of one input are together: -o names their folder, or the workbook, whose name the others take. A look at files
# writes nothing; a reader that has gone is no failure.
cp "$SRC"/example/pytorch/train_step.json trace.json
cp -r "$SRC"/example/multirank/step_120 ranks
gzip -n ranks/rank_2.json
a() { "$ANALYZER" "$@" >/dev/null 2>&1; echo "$*: $?"; }
a run trace.json
a run trace.json --opt top_rows=3 -v
a multirank -b ranks -d
a multirank -b ranks
a multirank --base-dir ranks --all-ranks -j 2 -v
ls . ranks
a run trace.json -o one/book.xlsx --format json,md
a run trace.json -o two
a run trace.json -o three --format html,json
a multirank -b ranks -o four/ --format xlsx,json
a multirank -b ranks -o five/run.xlsx --format json,csv
a run trace.json -o six/page.html --format json
a multirank -b ranks -o seven
a multirank -b ranks -o eight/page.html
a compare trace.json trace.json -o nine/page.md --format json
a run trace.json ranks/rank_0.json -o ten/page.html
find one two three four five six seven eight nine ten -maxdepth 1 -mindepth 1 | sort
echo "== packed or not, every rank"
cut -d, -f1,2 five/run_csvs/ranks.csv
echo "== a look, a filter, an extension"
"$ANALYZER" multirank -b ranks -d
"$ANALYZER" multirank -b ranks -f rank_0 -d
"$ANALYZER" multirank -b ranks -e gz -d
{
    "$ANALYZER" run trace.json --format text,json -o piped -v 2>err
    echo "status $?" >status
} | head -n 1
cat status err | grep -v "MB memory"
ls piped
