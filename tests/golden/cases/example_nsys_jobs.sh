# Several inputs on several workers: the text comes in the order of the configuration, whatever finishes first.
"$PYTHON" "$SRC/tests/gen/make_example_nsys.py" --sqlite data/llama2_70b.sqlite || exit 99
export EXAMPLE_DATA="$PWD/data"
for j in 1 2 8; do
    "$ANALYZER" --config="$SRC/example/config.json" -j "$j" -o "out$j" >"stdout$j" || exit 98
done
cmp stdout1 stdout2 && cmp stdout1 stdout8 && diff -r out1 out2 && diff -r out1 out8 && echo same
