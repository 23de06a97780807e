# A script that cannot be loaded, or fails, is an error whatever the input is: without operators nothing else would load it,
# and of ranks each says so. check-config loads it, too.
printf 'x = = 1\n' >broken.lua
printf 'perf_models = { ["aten::mm"] = function(e) error("no") end }\n' >fails.lua
printf 'categories = { mine = { "aten::mm" } }\n' >good.lua
for script in broken fails good; do
    for input in nsys/llama2_70b_cuda_gpu_kern_sum.csv xplane/tpu/tpu.xplane.pb tracy/ops_perf_results_host0.csv pytorch/moe.json multirank/step_120/rank_0.json; do
        echo "== $script: $input"
        "$ANALYZER" run "$SRC/example/$input" --extension-file $script.lua -q 2>&1 || echo "exit status $?"
        printf '{ "inputs": [ { "path": "%s" } ], "extension_file": "%s.lua" }\n' "$SRC/example/$input" $script >config.json
        "$ANALYZER" check-config config.json 2>&1 || echo "exit status $?"
    done
    echo "== $script: ranks"
    "$ANALYZER" run "$SRC/example/multirank/step_120" --extension-file $script.lua -q 2>&1 || echo "exit status $?"
    "$ANALYZER" map "$SRC/example/multirank/step_120" -o parts_$script -q --set extension_file=$script.lua 2>&1 || echo "exit status $?"
    "$ANALYZER" reduce parts_$script -q --set extension_file=$script.lua --format csv -o out 2>&1 || echo "exit status $?"
done
