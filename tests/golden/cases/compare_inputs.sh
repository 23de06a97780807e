# Profiles, saved results, folders of CSV files and titles against each other; what cannot be read.
py=$SRC/example/pytorch/train_step.json
cp "$py" copy.json
"$ANALYZER" run "$py" --format json,csv,xlsx -o saved -q
echo "saved: $?"
for other in "$py" copy.json saved/train_step_perf_report.json saved/train_step_perf_report_csvs; do
    "$ANALYZER" compare "$py" "$other" --names a,b --csv-dir out -q
    echo "itself as $(basename "$other"): $?"
    "$PYTHON" - <<'PY'
import csv, glob
rows = [r for f in glob.glob("out/*.csv") for r in csv.DictReader(open(f, encoding="utf-8")) if "status" in r]
print(len(rows) > 50, {r["status"] for r in rows}, {v for r in rows for k, v in r.items() if k.endswith("_diff")} <= {"", "0"})
PY
done
"$ANALYZER" compare "$py" saved/train_step_perf_report.xlsx --csv-dir book -q
echo "workbook: $?"
sed -n 2p book/verdict.csv
printf 'type,time ms\nbusy_time,1.5\ntotal_time,2\n' >gpu_timeline.csv
mkdir slow fast
mv gpu_timeline.csv fast
printf 'type,time ms\nbusy_time,3\ntotal_time,4\n' >slow/gpu_timeline.csv
"$ANALYZER" compare slow fast gone.json damaged.json
echo "one is missing: $?"
printf '{"schema": "analyzer-result/1", "tables": [{"id": "x"' >damaged.json
"$ANALYZER" compare slow fast damaged.json -q --format text | sed -n 's/^=====/&/p'
echo "damaged: the rest is compared"
"$ANALYZER" compare slow damaged.json
echo "one is left: $?"
"$ANALYZER" run damaged.json -o none
echo "run: $?"
cat >c.json <<'JSON'
{ "inputs": [ { "title": "S", "path": "slow" }, { "title": "F", "format": "result", "path": "fast" } ],
  "compare": { "baseline": "best", "outputs": { "formats": ["text"] } } }
JSON
"$ANALYZER" --config=c.json
echo "config: $?"
"$ANALYZER" compare --config=c.json S F slow --baseline first --names x,y,z
echo "titles and a folder: $?"
"$ANALYZER" compare --config=c.json --dry-run
"$ANALYZER" --config=c.json --only S
echo "only one: $?"
# one name, two endings
cp "$py" same.json
gzip -kn same.json
"$ANALYZER" compare same.json same.json.gz "$py" --csv-dir ends -q
echo "endings: $?"
cut -d, -f1-2 ends/compare_inputs.csv
