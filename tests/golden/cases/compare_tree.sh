# --tree: the comparison of two PyTorch traces takes over their difference by call tree; what are no two such traces.
cp "$SRC/example/pytorch/train_step.json" a.json
sed 's/cublas"/cublas_v2"/g' a.json >b.json
"$ANALYZER" compare a.json b.json --tree --csv-dir out -q
echo "status $?"
for t in diff_by_op diff_stats diff_stats_unique_args_summary op_kernel_map merged_tree names_diff; do
    [ -f "out/$t.csv" ] && echo "$t"
done
cat out/diff_by_op.csv
grep -c "^diff_\|^merged_tree\|^names_diff" out/compare_summary.csv
"$ANALYZER" run a.json --opt comparison_json_path=b.json --csv-dir one -q
for t in diff_by_op diff_stats diff_stats_unique_args_summary op_kernel_map merged_tree names_diff; do
    cmp "out/$t.csv" "one/$t.csv"
done
echo "== the other one is the baseline"
"$ANALYZER" compare a.json b.json --tree --baseline b --sheets ops_summary,diff_by_op --csv-dir back -q
echo "status $?"
cat back/diff_by_op.csv
echo "== itself"
"$ANALYZER" compare a.json a.json --tree --csv-dir self -q
echo "status $?"
find self -name 'diff_*' -o -name merged_tree.csv | sort
echo "== in a configuration, one input alone, results that hold a difference"
cat >c.json <<'J'
{ "inputs": [ { "title": "before", "path": "a.json" }, { "title": "after", "path": "b.json" } ],
  "compare": { "tree": true, "baseline": "before", "outputs": { "csv_dir": "conf", "formats": ["csv"] } },
  "outputs": { "formats": ["json"], "dir": "rep" } }
J
"$ANALYZER" --config=c.json
echo "status $?"
cmp conf/diff_by_op.csv out/diff_by_op.csv
"$ANALYZER" --config=c.json --only before -o alone
echo "status $?"
grep -c '"diff_by_op"' rep/a_*.json alone/a_*.json
"$ANALYZER" compare rep/a_*.json rep/a_*.json --names x,y --csv-dir saved -q
grep "^diff_by_op" saved/compare_summary.csv
echo "== no two traces"
mkdir s
printf 'type,time ms\nbusy_time,1\n' >s/gpu_timeline.csv
cp a.json rank_0.json
cp b.json rank_1.json
cat >r.json <<'J'
{ "inputs": [ { "title": "run", "path": ["rank_0.json", "rank_1.json"] }, { "title": "one", "path": "a.json" } ] }
J
try() {
    "$ANALYZER" compare "$@" -q 2>&1
    echo "status $?"
}
try a.json s --tree
try a.json "$SRC/example/nsys/llama2_70b_cuda_gpu_kern_sum.csv" --tree
try a.json b.json rank_1.json --tree
try a.json b.json --tree --baseline best
try a.json b.json --tree --opt comparison_json_path=b.json
try --config=r.json run one --tree
try a.json - --tree <b.json
echo '{}' >empty.json
try a.json empty.json --tree
echo "== the first table of the first screen"
"$ANALYZER" compare a.json "$SRC/example/pytorch/train_step_pageable.json" --tree 2>/dev/null | sed -n 's/^[A-Z].*(\([a-z_]*\))$/\1/p' | head -n 1
