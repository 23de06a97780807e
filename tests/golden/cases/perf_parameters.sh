# Operators of tests/data/perf_ops.tsv (name, shapes, types, values, kernel), each as one call with one kernel of 10 us: FLOPs,
# bytes and parameters of their models.
"$PYTHON" - "$SRC/tests/data/perf_ops.tsv" <<'P'
import json, sys

events, ts = [], 1000
for i, line in enumerate(open(sys.argv[1], encoding="utf-8"), 1):
    op, dims, types, concrete, kernel = line.rstrip("\n").split("\t")
    args = {"Input Dims": json.loads(dims), "Input type": json.loads(types), "Concrete Inputs": json.loads(concrete)}
    events.append({"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": ts, "dur": 9, "args": args})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": ts + 2, "dur": 3, "args": {"correlation": i}})
    events.append({"ph": "X", "cat": "kernel", "name": kernel or "kernel", "pid": 0, "tid": 7, "ts": ts + 12, "dur": 10,
                   "args": {"correlation": i, "device": 0, "stream": 7}})
    ts += 30
json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85 * 10**9}], "traceEvents": events}, open("ops.json", "w"))
P
"$ANALYZER" run -q --csv-dir out ops.json || exit 99
"$PYTHON" - <<'P'
import csv

for r in sorted(csv.DictReader(open("out/unified_perf_summary.csv", encoding="utf-8")), key=lambda r: (r["name"], r["Input Dims"], r["Concrete Inputs"])):
    print(*(r[k] for k in ("name", "op category", "Input Dims", "operation_count", "GFLOPS", "Data Moved (MB)", "Compute Spec", "perf_params", "has_perf_model")), sep=" | ")
P
grep '^no model' out/coverage.csv
