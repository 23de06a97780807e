cp "$SRC"/tests/data/nsys/tiny_*.csv .
echo hello >notes.txt
: >empty.csv
"$ANALYZER" probe "$SRC/example/nsys/llama2_70b_cuda_gpu_mem_time_sum.csv" | tail -1
echo "-- the CSV files of one report, alone and with a file that is missing"
"$ANALYZER" probe "$SRC"/example/nsys/*.csv | sed "s|$SRC/||"
"$ANALYZER" probe "$SRC"/example/nsys/*.csv missing.csv 2>&1 | sed "s|$SRC/||"
echo "-- shapes are recorded, though no operator has a model"
"$ANALYZER" probe "$SRC/example/pytorch/moe.json" | grep shapes
echo "-- the same without shapes"
"$PYTHON" - "$SRC/example/pytorch/moe.json" <<'PY'
import json, sys
trace = json.load(open(sys.argv[1]))
for event in trace["traceEvents"]:
    for key in [k for k in event.get("args", {}) if k.startswith("Input ")]:
        del event["args"][key]
json.dump(trace, open("bare.json", "w"))
PY
"$ANALYZER" probe bare.json | grep shapes
echo "-- files and a folder, some of them wrong"
"$ANALYZER" probe tiny_cuda_gpu_kern_sum.csv notes.txt . missing.csv empty.csv
