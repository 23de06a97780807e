# Arguments that a model cannot read: the row keeps its times, figures are blank, one counted warning a table.
cat >trace.json <<'JSON'
{ "schemaVersion": 1, "deviceProperties": [ { "id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "totalGlobalMem": 85018279936 } ], "traceEvents": [
 { "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": { "External id": 1, "Input Dims": "three", "Input type": ["float", "float"], "Concrete Inputs": ["", ""] } },
 { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": { "External id": 1, "correlation": 1 } },
 { "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 10, "args": { "External id": 1, "correlation": 1, "device": 0, "stream": 7 } },
 { "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 9, "args": { "External id": 2, "Input Dims": [[2, 4], [5, 3]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""] } },
 { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 11, "dur": 2, "args": { "External id": 2, "correlation": 2 } },
 { "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 5, "args": { "External id": 2, "correlation": 2, "device": 0, "stream": 7 } },
 { "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 20, "dur": 9, "args": { "External id": 3, "Input Dims": [[2, 4], [4, 3]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""] } },
 { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 21, "dur": 2, "args": { "External id": 3, "correlation": 3 } },
 { "ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 50, "dur": 2, "args": { "External id": 3, "correlation": 3, "device": 0, "stream": 7 } }
] }
JSON
"$ANALYZER" run trace.json --csv-dir out 2>messages >/dev/null
rc=$?
cat messages
echo "exit status $rc"
"$PYTHON" - <<'PY'
import csv
for r in csv.DictReader(open("out/unified_perf_summary.csv", newline="")):
    print(r["Input Dims"], r["Kernel Time (µs)_sum"], r["GFLOPS"] or "blank", r["Data Moved (MB)"] or "blank")
for r in csv.reader(open("out/coverage.csv", newline="")):
    if "model" in r[0]:
        print(r)
PY
echo "== sizes that no memory has, and none: parameters stay blank, the report is made"
cat >sizes.json <<'JSON'
{ "schemaVersion": 1, "traceEvents": [
 { "ph": "X", "cat": "cpu_op", "name": "aten::sum", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": { "Input Dims": [[4611686018427387904, 8]], "Input type": ["float"], "Concrete Inputs": [""] } },
 { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": { "correlation": 1 } },
 { "ph": "X", "cat": "kernel", "name": "sum", "pid": 0, "tid": 7, "ts": 20, "dur": 10, "args": { "correlation": 1, "device": 0, "stream": 7 } },
 { "ph": "X", "cat": "cpu_op", "name": "aten::_fused_rms_norm_backward", "pid": 1, "tid": 1, "ts": 10, "dur": 9, "args": { "Input Dims": [[0, 0], [8, 0], [], [], []], "Input type": ["float", "float", "ScalarList", "float", ""], "Concrete Inputs": ["", "", "[0]", "", "", "[True, True]"] } },
 { "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 11, "dur": 2, "args": { "correlation": 2 } },
 { "ph": "X", "cat": "kernel", "name": "rms", "pid": 0, "tid": 7, "ts": 40, "dur": 5, "args": { "correlation": 2, "device": 0, "stream": 7 } }
] }
JSON
"$ANALYZER" run sizes.json --csv-dir sizes -q
echo "exit status $?"
cut -d, -f1,2,3 sizes/Reduce_fwd.csv
"$PYTHON" - <<'PY'
import csv, json
for r in csv.DictReader(open("sizes/unified_perf_summary.csv", newline="")):
    print(r["name"], r["GFLOPS"] or "blank", json.loads(r["perf_params"]) if r["perf_params"] else "no parameters")
PY
