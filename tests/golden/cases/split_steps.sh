# Steps of a serving engine as traces: one by one, windows of the steady state, phases; what cannot be split.
for form in vllm vllm-detailed sglang atom; do
    "$PYTHON" "$SRC/tests/gen/make_engine_steps.py" $form.pt.trace.json $form || exit 1
done
gzip -k vllm.pt.trace.json
split() {
    "$ANALYZER" tracelens-split "$@" 2>&1 || echo "exit status $?"
}
split vllm.pt.trace.json.gz -o single -i 20:22 --store-single-iteration
cat single/execution_details.json
gzip -dc single/*_20_*
split vllm.pt.trace.json -o steady --find-steady-state --num-steps 10
cat steady/execution_details.csv
split vllm.pt.trace.json -o load --find-steady-state --num-steps 4 --CONC 16 --OSL 100 --R 0.5
split vllm.pt.trace.json -o range -i 40:200 --find-steady-state
for form in vllm-detailed sglang atom; do
    split $form.pt.trace.json -o phases-$form --divide-phases
done
"$ANALYZER" TraceLens_split_inference_trace vllm.pt.trace.json --output-dir script --iterations 3 --store-single-iteration -q
ls script
"$ANALYZER" steady/mixed_*.json.gz | head -n 3
sed "s/execute_context_1(512)_generation_3(3)/&_$(printf %0300d 0)/" vllm.pt.trace.json >long.json
split long.json -o long -i 3 --store-single-iteration
split vllm.pt.trace.json -o none
split vllm.pt.trace.json --find-steady-state
split -o none --find-steady-state
split vllm.pt.trace.json -o none -i 60 --store-single-iteration
split vllm.pt.trace.json -o none -i 5:3 --store-single-iteration
split vllm.pt.trace.json -o none --find-steady-state --num-steps 0
split vllm.pt.trace.json -o none --find-steady-state --OSL many
split missing.json -o none --find-steady-state
for form in loop threads; do
    "$PYTHON" "$SRC/tests/gen/make_engine_steps.py" $form.json $form || exit 1
    split $form.json -o $form -i 5:8 --store-single-iteration
    cat $form/execution_details.csv
done
split loop.json -o loop --find-steady-state
printf '{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}' >single.json
split single.json -o none --find-steady-state
ls none 2>&1 || :
cp vllm.pt.trace.json 'odd, "name".pt.trace.json'
split 'odd, "name".pt.trace.json' -o 'odd, "steps"' --find-steady-state --num-steps 10
cat 'odd, "steps"/execution_details.csv'
