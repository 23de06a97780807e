# A window of a file that is a window, and windows without device work, of each format.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" amd || exit 99
for f in "$SRC/example/pytorch/train_step.json" amd/train_results.json amd/train_results.db "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb"; do
    name=$(basename "$f")
    echo "== $name"
    "$ANALYZER" cut "$f" --from 20% --to 80% -o part_"$name"
    "$ANALYZER" cut part_"$name" --from 50% -o half_"$name" 2>&1
    # the second half of the part, which ends where the part does
    "$ANALYZER" part_"$name" --from 50% | sed '1d; s/ part: from 50%,//' >a.txt
    "$ANALYZER" half_"$name" | sed 1d >b.txt
    head -n 2 a.txt
    cmp a.txt b.txt && echo equal
    "$ANALYZER" cut "$f" --from 5s -o none_"$name"
    "$ANALYZER" none_"$name" 2>&1 || echo "exit status $?"
done
"$ANALYZER" "$SRC/example/pytorch/train_step.json" --from 5s 2>&1 || echo "exit status $?"
# a cut that has nothing but the span of the profiler's recording is a window, too
"$PYTHON" - "$SRC/example/pytorch/train_step.json" <<'PY'
import json
import sys
trace = json.load(open(sys.argv[1]))
times = [e["ts"] for e in trace["traceEvents"] if e.get("ph") == "X"]
trace["traceEvents"].append({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
                             "ts": min(times), "dur": 2000})
json.dump(trace, open("spans.json", "w"))
PY
"$ANALYZER" cut spans.json --from 1500us -o bare.json
grep -o '"cat": "[A-Za-z_]*"' bare.json | sort | uniq -c
"$ANALYZER" bare.json 2>&1 | head -n 1
# a trace of another tool, without events of the profiler: the reason is that of a report
echo '{"traceEvents":[{"ph":"B","cat":"train","name":"fwd","pid":1,"tid":1,"ts":1},{"ph":"E","cat":"train","name":"fwd","pid":1,"tid":1,"ts":5}]}' >foreign.json
"$ANALYZER" foreign.json 2>&1 || echo "exit status $?"
"$ANALYZER" cut foreign.json --from 10% -o none.json 2>&1 || echo "exit status $?"
