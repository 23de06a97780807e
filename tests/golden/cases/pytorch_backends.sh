# Categories of other backends of the profiler: calls of any runtime and driver, synchronisation, queues of XPU in place of
# streams; what is not known is counted by category.
"$PYTHON" - <<'P'
import json
def span(cat, name, pid, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
def write(backend, kernel="kernel", call="launch", driver=True, **more):
    e = []
    for i in range(4):
        at, corr = 100 * i, 10 + i
        e += [span("cpu_op", "aten::mm", 1, 1, at, 50, **{"Input Dims": [[8, 16], [16, 4]], "Input type": ["float", "float"]}),
              span(backend + "_runtime", call, 1, 1, at + 10, 20, correlation=corr)]
        if driver:
            e.append(span(backend + "_driver", call + "Driver", 1, 1, at + 15, 5, correlation=corr))
        e.append(span(kernel, "gemm", 0, 5, at + 60, 30, device=0, correlation=corr, **more))
    e += [span(backend + "_sync", "Context Sync", 0, 5, 400, 10, device=0, stream=5, correlation=99),
          span(backend + "_scope_profiler", "x", 0, 5, 400, 10)]
    json.dump({"traceEvents": e}, open(backend + ".json", "w"))
write("xpu", call="urEnqueueKernelLaunch", **{"sycl queue": 64, "l0 queue": "0x55", "context": "0x7", "sycl_node_id": 1})
write("mtia", kernel="mtia_ccp_events", driver=False)
write("privateuse1", stream=3)
write("newone", stream=2)
P
for b in xpu mtia privateuse1 newone; do
    echo "== $b"
    "$ANALYZER" run $b.json --csv-dir $b -q || echo "exit status $?"
    grep -E 'linked|dropped' $b/coverage.csv
    cut -d, -f1-3,6-8 $b/kernel_summary.csv
done
