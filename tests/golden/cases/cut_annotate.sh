# What a report says of a window, as events for viewers: idle time as the query has it, queues that end empty, the path.
T=$SRC/example/pytorch/train_step.json
"$ANALYZER" cut "$T" --steps 1 --annotate -o part.json
"$PYTHON" - <<'P'
import collections, json
own = [e for e in json.load(open("part.json"))["traceEvents"] if e.get("cat") == "analyzer"]
for e in own:
    if e["ph"] == "M":
        print(e.get("tid", ""), e["name"], e["args"]["name"])
spans = collections.defaultdict(list)
for e in own:
    if e["ph"] == "X":
        spans[e["tid"]].append(e)
for tid, of in sorted(spans.items()):
    print(tid, len(of), "events,", round(sum(e["dur"] for e in of), 3), "us;", of[0]["name"][:60], of[0]["args"])
counters = collections.defaultdict(list)
for e in own:
    if e["ph"] == "C":
        counters[e["name"]].append(*e["args"].values())
for name, values in sorted(counters.items()):
    print(name, len(values), "values,", min(values), "to", max(values), "at the end", values[-1])
P
"$ANALYZER" query "$T" --steps 1 --format csv "SELECT device, count(*), sum(dur_ns) FROM gaps GROUP BY device"
"$ANALYZER" cut "$SRC/example/multirank/step_120" --ranks 0-1 --from 50% --annotate -o ranks 2>&1
grep -c '"cat":"analyzer"' ranks/* | head -n 2
"$ANALYZER" cut "$T" --steps 9 --annotate -o none.json 2>&1 || echo "exit status $?"
"$ANALYZER" cut "$SRC/example/tracy/ops_perf_results_layers.csv" --steps 1 --annotate -o none.csv 2>&1 || echo "exit status $?"
ls
