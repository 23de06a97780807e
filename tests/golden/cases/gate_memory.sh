# What a device has in use (instants `[memory]` of profile_memory) is a counter, and its peak a key figure of gates.
"$PYTHON" - "$SRC/example/pytorch/train_step.json" <<'END'
import json, sys

def write(name, peak):
    trace = json.load(open(sys.argv[1], encoding="utf-8"))
    ts = min(e["ts"] for e in trace["traceEvents"] if e.get("ph") == "X")
    for i, (held, device, kind) in enumerate(((2 << 20, 0, 1), (peak, 0, 1), (1 << 20, 0, 1), (9 << 30, -1, 0), (9 << 30, 0, 0))):
        trace["traceEvents"].append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1,
            "ts": ts + 100 * i, "args": {"Total Reserved": 16 << 20, "Total Allocated": held, "Bytes": 512, "Addr": 4096,
            "Device Id": device, "Device Type": kind}})
    json.dump(trace, open(name, "w", encoding="utf-8"))

write("before.json", 8 << 20)
write("after.json", 12 << 20)
END
"$ANALYZER" run after.json -q --format csv --csv-dir out
cat out/counters.csv
ls out/counters*
"$ANALYZER" gate before.json before.json >/dev/null 2>&1
echo "the same: $?"
"$ANALYZER" gate before.json after.json
echo "more memory: $?"
