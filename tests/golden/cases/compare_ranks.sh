# Two runs of several ranks: what adds up and what does not, tables that say what the run was, the faster one as baseline.
cat >c.json <<J
{ "inputs": [ { "title": "slow", "path": "$SRC/example/multirank/step_120/*.json*" }, { "title": "fast", "path": "fast/*.json*" } ],
  "compare": { "outputs": { "formats": ["csv"], "csv_dir": "out" } }, "outputs": { "formats": ["json"], "dir": "rep" } }
J
mkdir fast
cp "$SRC"/example/multirank/step_120/*.json* fast
"$PYTHON" - <<'P'
import glob, gzip, json
for name in glob.glob("fast/*"):
    opener = gzip.open if name.endswith(".gz") else open
    with opener(name, "rt", encoding="utf-8") as f:
        t = json.load(f)
    for e in t["traceEvents"]:
        if e.get("cat") == "kernel" and "nccl" not in e["name"].lower():
            e["dur"] = e["dur"] / 2
    with opener(name, "wt", encoding="utf-8") as f:
        json.dump(t, f)
P
"$ANALYZER" --config=c.json --set compat=all 2>/dev/null
echo "status $?"
cut -d, -f1,2,5-13,16 out/compare_summary.csv
"$ANALYZER" --config=c.json --set compat=all --set compare.baseline=best --set compare.outputs.csv_dir=best 2>&1
cut -d, -f1-2 best/compare_inputs.csv
cat best/side_by_side_account.csv
