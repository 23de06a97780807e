# A window of a file that is a window, and windows without device work, of each format.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" amd || exit 99
for f in "$SRC/example/pytorch/train_step.json" amd/train_results.json amd/train_results.db "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb"; do
    name=$(basename "$f")
    echo "== $name"
    "$ANALYZER" cut "$f" --from 20% --to 80% -o part_"$name"
    "$ANALYZER" cut part_"$name" --from 50% -o half_"$name"
    # the second half of the part, which ends where the part does
    "$ANALYZER" part_"$name" --from 50% | sed 1d >a.txt
    "$ANALYZER" half_"$name" | sed 1d >b.txt
    head -n 2 a.txt
    cmp a.txt b.txt && echo equal
    "$ANALYZER" cut "$f" --from 5s -o none_"$name"
    "$ANALYZER" none_"$name" 2>&1 || echo "exit status $?"
done
"$ANALYZER" "$SRC/example/pytorch/train_step.json" --from 5s 2>&1 || echo "exit status $?"
