# What a trace does not hold is said: graphs whose kernels were not recorded, and other phases that are left out; of one
# trace, and of ranks.
mkdir ranks steps
"$PYTHON" - <<'P'
import json
def launch(call, at, corr, kernels):
    e = [{"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 1, "tid": 1, "ts": at, "dur": 2, "args": {"correlation": corr}}]
    return e + [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at + 10 + 2 * k, "dur": 1,
                 "args": {"correlation": corr, "device": 0, "stream": 7}} for k in range(kernels)]
for rank in (0, 1):
    e = launch("cudaLaunchKernel", 0, 1, 1)
    for i in range(8):
        e += launch("cudaGraphLaunch", 100 * (i + 1), 10 + i, 0 if i < 6 else 3)
    e += [{"ph": "C", "name": "GPU memory", "pid": 0, "tid": 0, "ts": i, "args": {"used": i}} for i in range(5)]
    e += [{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 3, "s": "t"}, {"ph": "b", "id": 1, "name": "x", "pid": 1, "tid": 1, "ts": 4},
          {"ph": "e", "id": 1, "name": "x", "pid": 1, "tid": 1, "ts": 5}, {"ph": "s", "cat": "other", "id": 2, "pid": 1, "tid": 1, "ts": 6}]
    with open("ranks/rank_%d.json" % rank, "w") as f:
        json.dump({"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": e}, f)
    e += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % i, "pid": 1, "tid": 1, "ts": 250 * i + 50, "dur": 240}
          for i in range(4 - rank)]
    with open("steps/rank_%d.json" % rank, "w") as f:
        json.dump({"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": e}, f)
P
"$ANALYZER" run ranks/rank_0.json --format csv --csv-dir one -q
"$ANALYZER" multirank -b ranks --all-ranks --format csv --csv-dir all -q
"$ANALYZER" run steps/rank_0.json --format csv --csv-dir one_steps -q
"$ANALYZER" multirank -b steps --all-ranks --format csv --csv-dir all_steps -q
for d in one all one_steps all_steps; do
    echo "== $d"
    grep -E '^"?dropped|graph launches' $d/coverage.csv
    grep graph_unrecorded $d/findings.csv
done
grep idle_time one/gpu_timeline.csv
cat one/counters.csv all/counters.csv
