# Linear layers of Transformer Engine launch their products without operators: enable_pseudo_ops puts one around each, with
# the shapes of the forward operator of equal sequence number.
"$PYTHON" - <<'PY'
import json
events, corr = [], 0
def span(cat, name, pid, tid, ts, dur, args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
def op(name, tid, ts, sequence, dims, kernels):
    global corr
    span("cpu_op", name, 1, tid, ts, 90, {"Sequence number": sequence, "Input Dims": dims, "Input type": ["c10::BFloat16" if d else "" for d in dims]})
    for i, (kernel, dur) in enumerate(kernels):
        corr += 1
        span("cuda_runtime", "cudaLaunchKernel", 1, tid, ts + 10 * i + 1, 5, {"correlation": corr})
        span("kernel", kernel, 0, 7, ts + 1000 + 40 * i, dur, {"correlation": corr, "device": 0, "stream": 7})
GEMM = "nvjet_tst_128x128_64x4_1x2_h_bz_TNT"
op("_Linear", 1, 0, 3, [[96, 64], [2, 16, 64], [96]], [(GEMM, 20)])
op("_LayerNormLinear", 1, 100, 4, [[2, 16, 96], [96], [96], [192, 96], [192]], [("ln_fwd_general_kernel", 3), (GEMM, 30)])
op("_Linear", 1, 200, 5, [[96, 64], [2, 16, 32]], [(GEMM, 5)])  # shapes that do not fit
op("_Linear", 1, 300, 6, [[96, 64], [2, 16, 64], [96]], [(GEMM, 7), (GEMM, 8)])  # which of two is open
op("_LayerNormLinearBackward", 2, 2000, 4, [[2, 16, 192]], [(GEMM, 21), (GEMM, 22), ("ln_bwd_general_kernel", 4)])
op("_LinearBackward", 2, 2100, 3, [[2, 16, 96]], [(GEMM, 11), (GEMM, 12)])
op("_LinearBackward", 2, 2200, 99, [[2, 16, 96]], [(GEMM, 1), (GEMM, 2)])  # forward is not in the trace
json.dump({"schemaVersion": 1, "traceEvents": events}, open("te.json", "w"))
PY
show() { # folder
    "$PYTHON" - "$1" <<'PY'
import csv, sys
for r in csv.DictReader(open(sys.argv[1] + "/unified_perf_summary.csv", newline="")):
    print(r["name"], r["operation_count"], r["Input Dims"], r["Kernel Time (µs)_sum"], r["GFLOPS"] or "blank", r["has_perf_model"])
PY
}
"$ANALYZER" run te.json -q --csv-dir plain || echo "exit status $?"
show plain
[ -f plain/GEMM.csv ] || echo "no GEMM"
echo "== enable_pseudo_ops"
"$ANALYZER" run te.json -q --csv-dir pseudo --opt enable_pseudo_ops=true || echo "exit status $?"
show pseudo
cut -d, -f1-4 pseudo/GEMM.csv
