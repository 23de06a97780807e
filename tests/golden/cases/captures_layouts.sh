# Graph replays with captures of every layout, names that are there or not, orders that differ: how each graph was paired.
make() {
    rm -rf run out
    echo "== $*"
    "$PYTHON" "$SRC/tests/gen/make_graph_captures.py" run "$@" || exit 99
    "$ANALYZER" run -q run/trace.json.gz --compat=all --csv-dir out 2>&1
    sh "$SRC/tests/golden/tables.sh" out graph_captures ops_summary 2>/dev/null
    grep -i -e captur -e graph out/coverage.csv
}
for layout in vllm sglang atom xdit; do
    for names in full none nodes; do
        make --layout $layout --names $names --steps 2
    done
done
for order in same surplus streams mixed later cut; do
    make --layout vllm --order $order --names none --steps 3
    make --layout sglang --order $order --names full --steps 3
done
make --layout vllm --foreign
make --layout vllm --speculator --steps 2
make --layout atom --latent --lost 2
make --layout sglang --experts --other-thread --ranks 2
