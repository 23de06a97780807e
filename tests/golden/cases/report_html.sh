# HTML reports: one file an input, every cell as in the CSV, equal bytes for equal inputs, rows left out are said.
for f in pytorch/inference.json xplane/tpu tracy/ops_perf_results_layers.csv nsys/llama2_70b_cuda_gpu_kern_sum.csv; do
    for out in one two; do
        $ANALYZER run -q "$SRC/example/$f" -o $out --format html,csv --csv-dir csv
    done
    "$PYTHON" "$SRC/tests/check_html.py" --csv csv one/*.html && echo "$(cd one && ls) agrees with the CSV"
    cmp one/*.html two/*.html && echo "equal bytes"
    rm -rf one two csv
done
$ANALYZER run -q "$SRC/example/pytorch/inference.json" -o cut --format html --set outputs.html_rows=3
grep -o 'The first 3 of [0-9]* rows; the other [0-9]* are' cut/*.html | head -n 2
$ANALYZER run -q "$SRC/example/pytorch/inference.json" -o all --format html --set outputs.html_rows=0
grep 'The first [0-9]* of' all/*.html || echo 'nothing is left out'
echo "== series of operations have the colors of the timeline; axes have titles in words"
"$ANALYZER" "$SRC/example/tracy/ops_perf_results_layers.csv" -q --format html -o tracy 2>/dev/null
grep -o '"paint":{"Matmul[^}]*}' tracy/*.html
"$ANALYZER" "$SRC/example/pytorch/train_step.json" -q --format html -o short --short_kernel_study 2>/dev/null
grep -o '"x":"[^"]*in start[^"]*"' short/*.html
