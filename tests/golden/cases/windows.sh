# Windows: one screen of a part of a profile, and what is no window.
T=$SRC/example/pytorch/train_step.json
"$ANALYZER" "$T" --range 'Block_*'
"$ANALYZER" "$T" --range 'ProfilerStep#* / Block_*' | head -n 2
"$ANALYZER" "$T" --steps 1 | head -n 3
"$ANALYZER" "$T" --from 50% --to @ProfilerStep* | head -n 3
"$ANALYZER" query "$T" --steps 1 "SELECT count(*) FROM kernels"
for bad in '--range none' '--steps 77' '--steps 2-1' '--from soon' '--steps 6-' '--steps 6,7' '--from 2s --to 1s' '--from 60% --to 50%' '--from 5s' '--to @none' '--from @ProfilerStep* --to @none'; do
    # shellcheck disable=SC2086 # options
    "$ANALYZER" "$T" $bad 2>&1 || echo "exit status $?"
done
"$ANALYZER" "$SRC/example/tracy/ops_perf_results_layers.csv" --from 1ms 2>&1 || echo "exit status $?"
"$ANALYZER" "$SRC/example/tracy/ops_perf_results_layers.csv" --from 50% 2>&1 || echo "exit status $?"
"$ANALYZER" "$SRC/example/xplane/plugins/profile/train_step" --range 'jit(*) / *dot*' | head -n 4
"$ANALYZER" "$SRC/example/xplane/plugins/profile/train_step" --range none 2>&1 | tail -n 2
# Steps of a window that the trace does not have: a warning and a note, of a report and of a cut.
"$ANALYZER" query "$T" --steps 0-3 "SELECT item, value, note FROM coverage WHERE item LIKE 'missing%'" 2>&1
for file in "$T" "$EXAMPLE_DATA/llama2_70b.sqlite" "$EXAMPLE_DATA/rocprof/train_results.db" "$EXAMPLE_DATA/rocprof/train_results.json" \
    "$EXAMPLE_DATA/rocprof/train_kernel_trace.csv" "$SRC/example/tracy/ops_perf_results_layers.csv"; do
    "$ANALYZER" cut "$file" --steps 2-9 -o "made/${file##*/}" 2>&1 >/dev/null | sed "s,[^ ]*/,,"
done
