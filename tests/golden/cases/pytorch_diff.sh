# A trace against another one by call tree: itself, other names, a wrapper more, an operator less; and what cannot be compared.
cp "$SRC/example/pytorch/train_step.json" a.json
sed 's/"aten::linear"/"my::linear"/g' a.json >renamed.json
sed 's/cublas"/cublas_v2"/g' a.json >kernels.json
"$PYTHON" - <<'P'
import json
with open("a.json") as f:
    t = json.load(f)
ops = [e for e in t["traceEvents"] if e.get("cat") == "cpu_op"]
gelu = next(e for e in ops if e["name"] == "aten::gelu")
less = dict(t, traceEvents=[e for e in t["traceEvents"] if e is not gelu])
json.dump(less, open("less.json", "w"))
wrap = dict(gelu, name="my::wrapper", ts=gelu["ts"] - 0.001, dur=gelu["dur"] + 0.002, args={})
json.dump(dict(t, traceEvents=t["traceEvents"] + [wrap]), open("more.json", "w"))
P
for other in a renamed kernels less more; do
    echo "== $other"
    rm -rf out
    "$ANALYZER" run a.json --opt comparison_json_path=$other.json --csv-dir out >/dev/null || echo "exit status $?"
    grep "^merged tree" out/coverage.csv
    [ -f out/diff_by_op.csv ] && cat out/diff_by_op.csv
    [ -f out/diff_stats.csv ] && cut -d, -f1-4 out/diff_stats.csv | cut -c1-100 | sort | uniq -c | sed 's/^ *//'
    grep -E ',(added|deleted|increased|decreased)$' out/names_diff.csv | cut -c1-60
done
grep -n "my::wrapper" -B2 -A3 out/merged_tree.csv | cut -d, -f1-3 | cut -c1-90
echo "== a launch against another and what it needs first: a left-over chain is shown by what it holds"
"$PYTHON" - <<'P'
import json
def trace(name, calls):
    e = [{"ph": "X", "cat": "cpu_op", "name": n, "pid": 1, "tid": 1, "ts": at, "dur": to - at} for n, at, to in calls["ops"]]
    for k, (call, at, kernel) in enumerate(calls["launches"], 1):
        e.append({"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 1, "tid": 1, "ts": at, "dur": 1, "args": {"correlation": k}})
        e.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 1000 + 10 * k, "dur": 5,
                  "args": {"correlation": k, "device": 0, "stream": 7}})
    json.dump({"traceEvents": e}, open(name, "w"))
trace("one.json", {"ops": [("my::attention", 0, 50)], "launches": [("cudaLaunchKernel", 40, "flash")]})
trace("two.json", {"ops": [("my::attention", 0, 50), ("aten::zeros", 1, 20), ("aten::zero_", 2, 19), ("aten::fill_", 3, 18)],
                   "launches": [("hipLaunchKernel", 5, "fill"), ("hipModuleLaunchKernel", 40, "attn_fwd")]})
P
"$ANALYZER" run one.json --opt comparison_json_path=two.json --csv-dir left >/dev/null
cut -d, -f2,3 left/merged_tree.csv
echo "== the other way"
"$ANALYZER" run kernels.json --opt comparison_json_path=a.json --csv-dir back >/dev/null
cat back/diff_by_op.csv
echo "== not there, no trace"
echo '{}' >empty.json
for other in none.json empty.json; do
    rm -rf out
    "$ANALYZER" run a.json --opt comparison_json_path=$other --csv-dir out >/dev/null || echo "exit status $?"
    find out -name '*.csv' | wc -l | tr -d ' '
    find out -name 'diff_*'
done
