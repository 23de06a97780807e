# The trace for a viewer that the XLA profiler writes next to an .xplane.pb: alone it is an input with the same sums.
"$PYTHON" "$SRC/tests/gen/make_xplane_example.py" --dir log || exit 99
viewer() { "$PYTHON" "$SRC/tests/gen/xplane_to_viewer.py" "$@" || exit 99; }
run=log/plugins/profile/train_step
mkdir one
viewer $run/alpha.xplane.pb one/alpha.trace.json.gz
viewer --perfetto $run/alpha.xplane.pb one/perfetto_trace.json.gz
viewer log/tpu/tpu.xplane.pb one/tpu.trace.json
"$ANALYZER" one/alpha.trace.json.gz
echo "== equal to the .xplane.pb file"
"$ANALYZER" run --compat=all $run/alpha.xplane.pb --csv-dir alpha.pb -q
"$ANALYZER" run --compat=all log/tpu/tpu.xplane.pb --csv-dir tpu.pb -q
"$ANALYZER" run --compat=all one/alpha.trace.json.gz --csv-dir alpha.json -q
"$ANALYZER" run --compat=all one/perfetto_trace.json.gz --csv-dir alpha.perfetto -q
"$ANALYZER" run --compat=all one/tpu.trace.json --csv-dir tpu.json -q
for t in kernel_summary gpu_timeline gpu_events_averages memcpy_summary host_summary host_compile api_sum kern_sum; do
    cmp alpha.pb/$t.csv alpha.json/$t.csv && cmp alpha.pb/$t.csv alpha.perfetto/$t.csv && echo "alpha $t"
done
for t in tpu_timeline tpu_modules tpu_category_summary host_summary; do
    [ ! -e tpu.pb/$t.csv ] || cmp tpu.pb/$t.csv tpu.json/$t.csv && echo "tpu $t"
done
grep -e "viewer" alpha.json/coverage.csv
echo "== folders: copies are omitted, a host without another form is read"
mkdir -p mixed/plugins/profile/r only/plugins/profile/r last
cp $run/alpha.xplane.pb one/alpha.trace.json.gz one/perfetto_trace.json.gz mixed/plugins/profile/r
viewer $run/beta.xplane.pb mixed/plugins/profile/r/beta.trace.json.gz
cp one/alpha.trace.json.gz one/perfetto_trace.json.gz only/plugins/profile/r
cp one/perfetto_trace.json.gz last
for d in mixed only last; do
    "$ANALYZER" run $d --dry-run
done
echo '{"inputs": [{"title": "mixed", "path": "mixed"}, {"title": "only", "path": "only"}]}' >config.json
"$ANALYZER" --config=config.json --csv-dir out -q
cut -d, -f1-3 out/mixed/gpu_timeline.csv | grep total_time
cut -d, -f1-3 out/only/gpu_timeline.csv | grep total_time
echo "== a part of it"
"$ANALYZER" cut one/alpha.trace.json.gz --from 300us --to 1200us -o part.trace.json 2>&1
"$ANALYZER" run --compat=all one/alpha.trace.json.gz --from 300us --to 1200us --csv-dir window -q
"$ANALYZER" run --compat=all part.trace.json --csv-dir part -q
for t in kernel_summary gpu_timeline memcpy_summary verdict_facts idle_causes; do
    cmp window/$t.csv part/$t.csv && echo "equal $t"
done
"$PYTHON" -c "import json; print(len(json.load(open('part.trace.json'))['traceEvents']))"
echo "== damaged"
"$PYTHON" - <<'P'
import gzip
whole = gzip.open("one/alpha.trace.json.gz").read()
cut = whole[:len(whole) * 3 // 4]
open("cut.trace.json", "wb").write(cut)
open("cut.trace.json.gz", "wb").write(gzip.compress(whole)[:1500])
late = whole.replace(b'{"ph":"M","pid":1,"name":"process_name"', b'{"ph":"N","pid":1,"name":"process_name"')
open("late.trace.json", "wb").write(late)
bad = whole.replace(b'"dur":41.25', b'"dur":-41.25').replace(b'{"ph":"X","pid":2', b'{"ph":"X","pid":!2', 1)
open("bad.trace.json", "wb").write(bad)
head = b'{"traceEvents":[{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},' \
       b'{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},' \
       b'{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"Stream #7(Kernel)"}},' \
       b'{"ph":"X","pid":1,"tid":7,"ts":1,"dur":2.5,"name":"k"},'
span = b'{"ph":"X","pid":701,"tid":7,"ts":1,"dur":2,"name":"f"},'
open("most.trace.json", "wb").write(head + span * 999999 + b'{}]}')
open("empty.trace.json", "wb").write(head[:head.index(b'{"ph":"X"')] + b'{}]}')
P
for f in cut.trace.json cut.trace.json.gz late.trace.json bad.trace.json most.trace.json empty.trace.json; do
    { "$ANALYZER" run "$f" --csv-dir "d_$f" >/dev/null; } 2>&1
    echo "$f: $?"
done
{ "$ANALYZER" run cut.trace.json --strict >/dev/null; } 2>&1
echo "strict: $?"
rm -f most.trace.json
