# Forward and backward links as scripts read them (by arrows, by sequence numbers, of wrappers and of operators called
# Backward), and the port of an extension that rests on them.
"$PYTHON" - <<'PY'
import json
events, corr = [], 0
def span(cat, name, pid, tid, ts, dur, args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
def op(name, tid, ts, dur=90, sequence=None, dims=None, kernels=()):
    global corr
    args = {} if sequence is None else {"Sequence number": sequence}
    if dims:
        args.update({"Input Dims": dims, "Input type": ["c10::BFloat16" if d else "" for d in dims]})
    span("cpu_op", name, 1, tid, ts, dur, args)
    for i, (kernel, long) in enumerate(kernels):
        corr += 1
        span("cuda_runtime", "cudaLaunchKernel", 1, tid, ts + 10 * i + 3, 5, {"correlation": corr})
        span("kernel", kernel, 0, 7, ts + 1000 + 40 * i, long, {"correlation": corr, "device": 0, "stream": 7})
def arrow(number, tid, ts, to_tid, to_ts):
    events.append({"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": number, "pid": 1, "tid": tid, "ts": ts})
    events.append({"ph": "f", "bp": "e", "cat": "fwdbwd", "name": "fwdbwd", "id": number, "pid": 1, "tid": to_tid, "ts": to_ts})
Q = [2048, 2, 16, 128]
op("FusedAttnFunc", 1, 0, sequence=3, dims=[[], [], [], [], [], Q, Q, Q], kernels=[("cudnn_generated_fort_native_sdpa_fprop", 20)])
op("FusedAttnFunc", 1, 100, sequence=4, dims=[[], [], [], [], [], Q, Q, Q], kernels=[("cudnn_generated_fort_native_sdpa_fprop", 21)])
op("aten::mul", 1, 200, sequence=5, dims=[[4], [4]], kernels=[("vectorized_elementwise_kernel", 2)])
op("aten::sub", 1, 300, sequence=6, dims=[[4], [4]])
op("autograd::engine::evaluate_function: MulBackward0", 2, 2000, sequence=5)
op("MulBackward0", 2, 2001, 80, sequence=5)
op("aten::mul", 2, 2002, 70, dims=[[4], [4]], kernels=[("vectorized_elementwise_kernel", 3)])
arrow(1, 1, 200, 2, 2001)
op("FusedAttnFuncBackward", 2, 2100, sequence=4, kernels=[("cudnn_generated_fort_native_sdpa_bprop", 50)])
op("FusedAttnFuncBackward", 2, 2200, sequence=3, kernels=[("cudnn_generated_fort_native_sdpa_bprop", 51)])
op("FusedAttnFuncBackward", 2, 2300, sequence=99, kernels=[("cudnn_generated_fort_native_sdpa_bprop", 7)])  # of another step
json.dump({"schemaVersion": 1, "traceEvents": events}, open("megatron.json", "w"))
PY
cat >links.lua <<'L'
local function text(tree, n) return n and (tree.name(n) .. " @" .. tree.span(n) // 1000) or "-" end
function tree_postprocess(tree)
    local out = {}
    for n = 1, tree.size do
        if tree.kind(n) == "op" then
            local back = {}
            for _, b in ipairs(tree.backward(n)) do back[#back + 1] = text(tree, b) end
            out[#out + 1] = string.format("%-60s sequence %-4s forward %-24s backward %s", text(tree, n),
                tostring(tree.sequence(n)), text(tree, tree.forward(n)), table.concat(back, ", "))
        end
    end
    error("\n" .. table.concat(out, "\n"))
end
L
"$ANALYZER" run megatron.json --extension-file links.lua -q 2>&1 | sed "s,\\\\x0a,\n,g"
show() { # folder
    "$PYTHON" - "$1" <<'PY'
import csv, sys
for r in csv.DictReader(open(sys.argv[1] + "/unified_perf_summary.csv", newline="")):
    print(r["name"], "|", r["op category"], "|", r["operation_count"], r["Input Dims"], r["Kernel Time (µs)_sum"], r["GFLOPS"] or "blank")
PY
}
echo "== without"
"$ANALYZER" run megatron.json -q --csv-dir plain && show plain
echo "== with the ported extension"
"$ANALYZER" run megatron.json -q --csv-dir ported --extension-file "$SRC/example/pytorch_megatron.lua" && show ported
