# Two devices of a trace, one of which begins later and ends earlier: its idle time there is no gap, and is named.
cat >make.py <<'PY'
import json
import sys
events = []
def add(device, start, dur):
    at = len(events)
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 1 + device, "ts": start - 20, "dur": 5,
                   "args": {"correlation": at}})
    events.append({"ph": "X", "cat": "kernel", "name": "gemm_kernel", "pid": device, "tid": 7, "ts": start, "dur": dur,
                   "args": {"correlation": at, "stream": 7, "device": device}})
first, last = int(sys.argv[1]), int(sys.argv[2])
for i in range(40):
    add(0, 1000 + i * 100, 95)
    if first <= i < last:
        add(1, 1000 + i * 100, 95)
print(json.dumps({"traceEvents": events}))
PY
"$PYTHON" make.py 15 30 >late.json
"$PYTHON" make.py 0 40 >equal.json
for f in late equal; do
    "$ANALYZER" $f.json | head -n 4
    "$ANALYZER" query $f.json 'SELECT device, cause, gaps_count, idle_ns, longest_ns FROM idle_causes'
    # the rows add up to the idle time of the account, which is a mean
    "$ANALYZER" query $f.json 'SELECT sum(idle_ns) = 2 * (SELECT idle_ns FROM account) AS equal FROM idle_causes'
done
