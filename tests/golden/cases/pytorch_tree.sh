# Changes to the call tree: the shipped rules, a script's own, and scripts that fail.
"$ANALYZER" --config="$SRC/example/pytorch_moe.json" --csv-dir ok >/dev/null || echo "exit status $?"
for title in moe_shipped_rules moe_own_rules; do
    echo "== $title"
    cut -d, -f1-2 ok/$title/unified_perf_summary.csv
    cut -d, -f1-8 ok/$title/MoE_unfused_fwd.csv
    cut -d, -f1-2 ok/$title/ops_summary.csv
done
"$ANALYZER" run "$SRC/example/pytorch/moe.json" --csv-dir plain >/dev/null
grep -c . plain/unified_perf_summary.csv
for body in 'while true do end' 'tree.insert("x", {})' 'tree.rename(tree.size + 1, "x")' 'tree.rename(1, "")' 'tree.rename(2, "x")' \
    'tree.insert("x", { 1, 2 })' 'tree.rename(1, "gone") error("too late")' 'tree.insert("x", { 1 }, { dims = {} })' \
    'for i = 1, 2000000 do tree.rename(1, "x") end' 'tree.remove(2)' 'tree.kernels("x")'; do
    echo "== $body"
    printf 'function tree_postprocess(tree)\n  %s\nend\n' "$body" >script.lua
    printf '{ "inputs": [ { "format": "pytorch", "path": "%s" } ], "extension_file": "script.lua" }\n' "$SRC/example/pytorch/moe.json" >config.json
    rm -rf bad
    "$ANALYZER" --config=config.json --csv-dir bad >/dev/null 2>err; echo "exit status $?"
    sed 's|^.*script.lua|script.lua|' err
    diff -r plain bad >/dev/null && echo "as without the script"
done
echo "== taken out, regrouped"
cat >script.lua <<'L'
function tree_postprocess(tree)
    local op = tree.find("vllm::outplace_fused_experts")[1]
    local calls = tree.children(op)
    assert(#calls == 3 and tree.kind(calls[1]) == "call" and tree.parent(calls[2]) == op and tree.parent(op) == nil)
    local from, to = tree.span(op)
    assert(to - from == 100000 and tree.args(op).types ~= nil and tree.args(calls[1]).dims == nil)
    assert(#tree.kernels(op) == 3 and tree.kernels(op)[1].ns == 300000 and #tree.find("hipLaunch", "call") == 9)
    tree.insert("first two", { calls[2], calls[1] }, { dims = "[[3,4]]", types = '["float"]' })
    tree.insert("all", calls)
    tree.remove(op)
end
L
rm -rf bad
"$ANALYZER" --config=config.json --csv-dir bad >/dev/null || echo "exit status $?"
cut -d, -f1,5-6 bad/ops_all.csv | cut -c1-90
