# Categories of other backends of the profiler: calls of any runtime and driver, synchronization, queues of XPU in place of
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
echo "== two queues of one tid at the same time"
"$PYTHON" - <<'P'
import json
e = []
for k in range(40):
    at = 1000 * (k // 2) + 10 * (k % 2)
    e += [{"ph": "X", "cat": "xpu_runtime", "name": "urEnqueueKernelLaunch", "pid": 1, "tid": 1, "ts": at, "dur": 5, "args": {"correlation": k + 1}},
          {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 9, "ts": at + 20, "dur": 900, "args": {"device": 0, "correlation": k + 1, "sycl queue": k % 2}}]
json.dump({"traceEvents": e}, open("queues.json", "w"))
P
"$ANALYZER" run queues.json --csv-dir queues -q
cut -d, -f1 queues/findings.csv
echo "== the CUPTI monitor: kinds of copies in arguments"
"$PYTHON" - <<'P'
import json
def copy(ts, name="Memcpy", **args):
    return [{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 1, "tid": 1, "ts": ts, "dur": 2, "args": {"correlation": ts + 1}},
            {"ph": "X", "cat": "gpu_memcpy", "name": name, "pid": 0, "tid": 7, "ts": ts + 5, "dur": 3, "args": dict(args, correlation=ts + 1, stream=7, bytes=4096)}]
e = copy(0, **{"copy kind": "HtoD", "src kind": "pageable", "dst kind": "device"}) + copy(20, **{"copy kind": "PtoP"}) + copy(40)
e += copy(60, "Memcpy DtoH (Device -> Pinned)", **{"copy kind": "HtoD"})
e.append({"ph": "X", "cat": "graph_host_node", "name": "HostNode: f", "pid": 0, "tid": 7, "ts": 80, "dur": 1, "args": {}})
json.dump({"traceEvents": e}, open("cuspy.json", "w"))
P
"$ANALYZER" run cuspy.json --csv-dir cuspy -q
cut -d, -f8 cuspy/idle_gaps.csv
grep dropped cuspy/coverage.csv
echo "== Ascend"
echo '[{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "Ascend Hardware"}}, {"ph": "X", "name": "MatMul", "pid": 7, "tid": 1,
  "ts": "1704161511420306.491", "dur": 3.2, "args": {"Task Type": "AI_CORE"}}]' >trace_view.json
"$ANALYZER" run trace_view.json; echo "exit status $?"
"$ANALYZER" probe trace_view.json; echo "exit status $?"
echo "== other programs"
echo '[{"cat":"Session","pid":1,"tid":1,"dur":10,"ts":1,"ph":"X","name":"session_initialization","args":{}}]' >onnx.json
echo '{"traceEvents":[{"ph":"X","cat":"FEE","name":"f","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"work","name":"g","pid":1,"tid":1,"ts":1,"dur":2}]}' >unknown.json
"$PYTHON" - <<'P'
import json
def span(cat, name, pid=1, **more):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": 1, "ts": 10, "dur": 5, **more}
def name(process, pid=1):
    return {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": process}}
files = {
    "ascend_late": [span("cpu_op", "aten::mm")] * 3000 + [name("Ascend Hardware", 9), span("", "MatMul", 9)],
    "clang": [span("", "Source", args={"detail": "/usr/include/stdio.h"}), span("", "ParseClass", args={"detail": "A"})],
    "node": [span("node,node.bootstrap", "environment")],
    "tensorflow": [name("/job:localhost/replica:0/task:0/device:GPU:0 Compute"), span("Op", "MatMul")],
    "autograd": [span("", "aten::mm", "CPU functions"), span("", "gemm", "CUDA functions")],
    "rocprof1": [span("", "k", args={"BeginNs": "1", "EndNs": "2", "DurationNs": "1"})],
    "unitrace": [name("HOST<h>"), span("cpu_op", "zeCommandListAppendLaunchKernel"), span("gpu_op", "gemm")],
    "gaudi": [name("TPC"), span("TPC", "add_fwd", args={"recipe": "r"})],
    "ray": [span("task:execute", "f", "Node 10.0.0.1")],
    "viztracer": {"traceEvents": [span("FEE", "f (a.py:1)")], "viztracer_metadata": {"version": "1.0"}},
    "nothing": {"schemaVersion": 1, "traceEvents": [span("Trace", "PyTorch Profiler (0)", args={"Op count": 0})]},
    "no_categories": [span("", "a"), span("", "b")],
    "halves": [{"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1}, {"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 4}],
}
for f, x in files.items():
    json.dump(x, open(f + ".json", "w"))
P
for f in onnx unknown ascend_late clang node tensorflow autograd rocprof1 unitrace gaudi ray viztracer no_categories halves nothing; do
    "$ANALYZER" run $f.json; echo "exit status $?"
done
