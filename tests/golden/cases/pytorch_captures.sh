# Kernels of graph launches with the traces of their captures: tables of operators, how each was paired, modules, a step whose
# batch is larger than any captured; runs of a folder leave captures out.
make() { "$PYTHON" "$SRC/tests/gen/make_graph_captures.py" "$@" || echo "exit status $?"; }
make run --layout vllm --order surplus --lost 1 --ranks 2
"$ANALYZER" run run/trace.json.gz --csv-dir out --opt include_call_stack=true -q
grep -iE 'captur|graph' out/coverage.csv
cut -d, -f1-2 out/ops_summary.csv
"$PYTHON" - <<'P'
import csv
for r in list(csv.DictReader(open("out/unified_perf_summary.csv")))[:4]:
    print(r["name"], r["Input Dims"], r["operation_count"], r["Kernel Time (µs)_sum"], r["has_perf_model"], r["call_stack_full"])
P
echo "== a folder"
mkdir runs && cp -r run runs/step_1 && rm runs/step_1/truth.json
"$ANALYZER" multirank -b runs --all-ranks -e gz --format csv --csv-dir all -q
grep -E '^"?graph kernels|^captured' all/coverage.csv
"$ANALYZER" run runs/step_1 --csv-dir folder -q && ls folder/*unified*
echo "== a batch that was not captured, names that differ, a file that is no capture"
"$PYTHON" - <<'P'
import gzip, json
t = json.loads(gzip.open("run/trace.json.gz").read())
for e in t["traceEvents"]:
    e["name"] = e["name"].replace("execute_11_", "execute_99_").replace("gemm_256", "gemm_other")
gzip.open("run/trace.json.gz", "w").write(json.dumps(t).encode())
gzip.open("run/capture_traces/other.json.gz", "w").write(b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "x", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}')
P
"$ANALYZER" run run/trace.json.gz --csv-dir two >/dev/null
grep -iE 'captur|graph' two/coverage.csv
echo "== malformed list"
echo '{"file": 1}' >run/capture_traces/execution_details.json
"$ANALYZER" run run/trace.json.gz --csv-dir three -q >/dev/null; echo "exit status $?"
echo '[{"file": "other.json.gz", "batch_size": "x"}, 3, {"file": "gone.json"}]' >run/capture_traces/execution_details.json
"$ANALYZER" run run/trace.json.gz --csv-dir four >/dev/null; echo "exit status $?"
echo "== the example is what its maker writes"
make example --layout sglang --experts --steps 3 --plain && rm example/truth.json
diff -r example "$SRC/example/pytorch/decode" && echo "the same"
