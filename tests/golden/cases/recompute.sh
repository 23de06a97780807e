# Operators computed again in the backward pass: those below CheckpointFunctionBackward that are of no backward function.
"$PYTHON" - <<'P' || exit 99
import json
events, n = [], 0


def op(name, ts, dur, tid=1):
    events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": tid, "ts": ts, "dur": dur, "args": {}})


def launch(ts, at, dur, tid=1, name="gemm"):
    global n
    n += 1
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": tid, "ts": ts, "dur": 1, "args": {"correlation": n}})
    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": dur, "args": {"correlation": n, "device": 0, "stream": 7}})


for step in range(2):
    t = 1000 * step
    op("aten::mm", t, 10)
    launch(t + 1, t + 20, 100)
    op("autograd::engine::evaluate_function: CheckpointFunctionBackward", t + 20, 80)
    op("CheckpointFunctionBackward", t + 21, 78)
    op("aten::mm", t + 22, 8)  # again
    launch(t + 23, t + 130, 101)
    launch(t + 30, t + 240, 7)  # of no operator
    op("autograd::engine::evaluate_function: MmBackward0", t + 40, 30)
    op("MmBackward0", t + 41, 28)
    op("aten::mm", t + 42, 8)
    launch(t + 43, t + 250, 203)
    op("aten::add", t + 75, 8)
    launch(t + 76, t + 460, 19)
    op("autograd::engine::evaluate_function: AddBackward0", t + 110, 10)
    op("aten::sum", t + 111, 8)
    launch(t + 112, t + 480, 31)
json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": events}, open("again.json", "w"))
for e in events:
    if e["name"] == "CheckpointFunctionBackward":
        e["name"] = "CheckpointBackward"
json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": events}, open("other.json", "w"))
P
for f in again other; do
    COLUMNS=120 "$ANALYZER" $f.json | sed -n '1,/^$/p'
    "$ANALYZER" run -q --csv-dir $f --opt detect_recompute=true $f.json
    cat $f/findings.csv
    grep -h -i recompute $f/*.csv | sort | uniq -c
done
