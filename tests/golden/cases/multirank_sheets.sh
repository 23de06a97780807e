# The sheets of several ranks: two of four are there; classes of the user's map are groups; any number of workers.
mkdir -p runs/job
for r in 0 3; do
    "$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" runs/job/rank_$r.json --steps 1 --layers 2 --seed $r --rank $r --world 4
done
cat >config.json <<'JSON'
{ "inputs": [ { "title": "job", "format": "pytorch", "base_dir": "runs", "all_kernels": true } ],
  "kernel_to_class_map": { "layer_norm": "Norm", "softmax": "Softmax" } }
JSON
"$ANALYZER" --config=config.json --compat=all --csv-dir one -j 1 -q 2>&1
for t in kernel_launchers gpu_timelines grouped_breakdown linked_and_short_kernels short_cpu_op_counts cuda_events_summary; do
    echo "-- $t"
    cat one/$t.csv
done
grep -E 'grouped_breakdown|gpu_timelines|averages' one/coverage.csv
for t in gemm bin_elemwise kernels_3; do
    echo "-- $t"
    sed -n '1,3p' one/$t.csv | cut -c 1-300
done
"$ANALYZER" --config=config.json --compat=all --csv-dir four -j 4 >/dev/null 2>&1
diff -r one four && echo "the same with four workers"
"$ANALYZER" --config=config.json --compat=all --format json -o titled >/dev/null 2>&1
"$PYTHON" -c 'import collections, glob, json
titles = [t["title"] for t in json.load(open(glob.glob("titled/*.json")[0]))["tables"]]
print("titles that two tables have:", [t for t, n in collections.Counter(titles).items() if n > 1])'
