# What was probably meant: a table, a column, a format, a topic.
T="$SRC/example/pytorch/train_step.json"
for sql in "SELECT * FROM kernel" "SELECT naem FROM kernels" "SELECT duration FROM steps" "SELECT x FROM nowhere_near_a_table"; do
    "$ANALYZER" query "$T" "$sql" 2>&1
done
"$ANALYZER" "$T" --format pdf 2>&1
"$ANALYZER" help formts 2>&1
"$ANALYZER" help topics
"$ANALYZER" help exit-status
