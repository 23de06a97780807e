# Records of a JSON file that is longer than what its reader has in memory: each is kept or left out as a whole.
"$PYTHON" - <<'P'
import json
agents = [{"id": {"handle": 7}, "type": 2, "node_id": 1, "logical_node_id": 1, "name": "gfx", "product_name": "Acc"}]
symbols = [{"kernel_id": 1, "kernel_name": "k" * 200, "formatted_kernel_name": "k" * 200, "truncated_kernel_name": "k"}]
records = [{"size": 64, "kind": 1, "operation": 1, "thread_id": 5, "correlation_id": {"internal": i + 1, "external": 0},
            "start_timestamp": 1000000 + i * 1000, "end_timestamp": 1000500 + i * 1000,
            "dispatch_info": {"size": 1, "agent_id": {"handle": 7}, "queue_id": {"handle": 1}, "kernel_id": 1, "dispatch_id": i + 1,
                              "private_segment_size": 0, "group_segment_size": 0, "workgroup_size": {"x": 64, "y": 1, "z": 1},
                              "grid_size": {"x": 64, "y": 1, "z": 1}}} for i in range(4000)]
tool = {"metadata": {"pid": 1, "init_time": 1, "fini_time": 9}, "agents": agents, "kernel_symbols": symbols,
        "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "KERNEL_DISPATCH", "operations": ["NONE", "COMPLETE"]}]},
        "buffer_records": {"kernel_dispatch": records}}
json.dump({"rocprofiler-sdk-tool": [tool]}, open("long_results.json", "w"))
names = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
         {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "Stream #7(Kernel)"}}]
spans = [{"ph": "X", "pid": 1, "tid": 7, "ts": i, "dur": 0.5, "name": "k", "args": {"hlo_op": "dot." + "1" * 300}} for i in range(4000)]
json.dump({"displayTimeUnit": "ns", "traceEvents": names + spans + [{}]}, open("long.trace.json", "w"))
P
for f in long_results.json long.trace.json; do
    "$ANALYZER" cut $f --from 1ms --to 3ms -o part_$f 2>&1
    "$ANALYZER" run $f --from 1ms --to 3ms --csv-dir window_$f -q
    "$ANALYZER" run part_$f --csv-dir part_$f.csvs -q
    cmp window_$f/kernel_summary.csv part_$f.csvs/kernel_summary.csv && cut -d, -f1-3 part_$f.csvs/kernel_summary.csv
    "$PYTHON" -c "
import json, sys
d = json.load(open(sys.argv[1]))
print(len(d['traceEvents'] if 'traceEvents' in d else d['rocprofiler-sdk-tool'][0]['buffer_records']['kernel_dispatch']))" part_$f
done
echo "== truncated gzip"
"$PYTHON" - "$SRC/example/pytorch/train_step.json" <<'PY'
import gzip, sys
packed = gzip.compress(open(sys.argv[1], "rb").read(), mtime=0)
open("half.json.gz", "wb").write(packed[:len(packed) // 2])
PY
"$ANALYZER" cut half.json.gz --from 0 --to 50% -o half_cut.json.gz 2>&1 | sed "s/+[0-9]*:/+N:/"
ls half_cut* 2>/dev/null || echo "nothing written"
