# What was probably meant: a table, a column, a format, a topic.
T="$SRC/example/pytorch/train_step.json"
for sql in "SELECT * FROM kernel" "SELECT naem FROM kernels" "SELECT duration FROM steps" "SELECT x FROM nowhere_near_a_table"; do
    "$ANALYZER" query "$T" "$sql" 2>&1
done
"$ANALYZER" "$T" --format pdf 2>&1
"$ANALYZER" "$T" --format htlm 2>&1
"$ANALYZER" gate "$T" --format junti 2>&1
"$ANALYZER" help formts 2>&1
"$ANALYZER" help exit 2>&1
"$ANALYZER" help topics
"$ANALYZER" help exit-status
# Words of other tools; outputs and statements in the wrong place.
for word in report stats diff sql export; do
    "$ANALYZER" $word "$T" 2>&1 | head -n 1
    "$ANALYZER" help $word 2>&1 | head -n 1
done
for option in --html --json --top=5 --kernel -f; do
    "$ANALYZER" "$T" $option 2>&1 | head -n 1
done
"$ANALYZER" "$T" -q -o report.html 2>&1 && ls report.html
mkdir folder.html && "$ANALYZER" "$T" -q --format json -o folder.html && ls folder.html
: >file && "$ANALYZER" "$T" -q -o file 2>&1
"$ANALYZER" query "SELECT 1" "$T" 2>&1
"$ANALYZER" query "$T" kernels 2>&1
true
