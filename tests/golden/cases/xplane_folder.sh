# A folder as the profiler writes it: runs below it, one input a run, the hosts of a run together, twins in JSON left out.
"$PYTHON" "$SRC/tests/gen/make_xplane_example.py" --dir log || exit 99
mkdir log/plugins/profile/older
cp log/plugins/profile/train_step/alpha.xplane.pb log/plugins/profile/older/
gzip -c >log/plugins/profile/train_step/alpha.trace.json.gz <<JSON
{"traceEvents": []}
JSON
"$ANALYZER" run log --dry-run
echo "$?"
echo '{"inputs": [{"title": "newest", "path": "log"}]}' >config.json
"$ANALYZER" --config=config.json --dry-run
echo "$?"
"$ANALYZER" run log/plugins/profile/train_step --csv-dir out -q
echo "$?"
cut -d, -f1-2,4 out/gpu_timeline.csv | head -n 4
grep -e "^all-reduce" out/collectives.csv | cut -d, -f1-8
grep -e "HLO" out/coverage.csv
"$ANALYZER" probe log/tpu
gzip -c log/tpu/tpu.xplane.pb >packed.bin
"$ANALYZER" run packed.bin --csv-dir packed -q
echo "$?"
cut -d, -f1-3 packed/tpu_timeline.csv
