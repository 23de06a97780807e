# Nodes with more children than are aligned: these are paired by name and order.
"$PYTHON" - <<'P' || exit 99
import json
MOST = 20000


def trace(path, names, slow):
    events = [{"ph": "X", "cat": "cpu_op", "name": "loop", "pid": 9, "tid": 1, "ts": 0, "dur": 100 * len(names) + 10, "args": {}}]
    for i, name in enumerate(names):
        t = 10 + 100 * i
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 9, "tid": 1, "ts": t, "dur": 50, "args": {}})
        if i % 50 == 0:
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 1, "ts": t + 1, "dur": 1, "args": {"correlation": i + 1}})
            events.append({"ph": "X", "cat": "kernel", "name": "k_" + name, "pid": 0, "tid": 7, "ts": t + 20, "dur": slow,
                           "args": {"correlation": i + 1, "device": 0, "stream": 7}})
    json.dump({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": events}, open(path, "w"))


cycle = ["aten::mm", "aten::add", "aten::mul", "aten::mm", "aten::exp"]
names = [cycle[i % 5] for i in range(MOST + 1)]
trace("a.json", names, 30)
trace("same.json", names, 33)
trace("moved.json", names[7:] + ["aten::new"] + names[:3], 30)
trace("few.json", ["aten::add", "aten::mm", "aten::other"], 30)
P
for b in same moved few; do
    for pair in "a.json $b.json" "$b.json a.json"; do
        echo "== $pair"
        # shellcheck disable=SC2086
        "$ANALYZER" compare $pair --tree --csv-dir "out" -q 2>&1
        echo "exit $?"
        cat out/diff_by_op.csv
        "$PYTHON" "$SRC/tests/golden/digests.py" out | grep -E '^(diff|merged|op_kernel|names)'
        rm -r out
    done
done
