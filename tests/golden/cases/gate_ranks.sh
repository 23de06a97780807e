# Runs of several ranks: one input, figures with a rank have its label, and a folder that holds reports, too, says so.
mkdir old new
cp "$SRC"/example/multirank/step_120/*.json old
cp "$SRC"/example/multirank/step_120/*.json new
"$ANALYZER" gate old new --opt compat=all --format openmetrics,csv -o out
echo "itself: $?"
grep -E 'rank="(2|mean)"' out/gates.prom
"$PYTHON" - <<'P'
import collections, re
sums, names = collections.defaultdict(float), collections.Counter()
for line in open("out/gates.prom", encoding="utf-8"):
    m = re.fullmatch(r'(\w+)\{(.*)\} (\S+)\n', line)
    if m:
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2]))
        names[m[1]] += 1
        sums[(m[1], labels.get("rank"), labels.get("part", ""))] += float(m[3])
print(dict(names))
for rank in "0123":
    parts = [sums[("analyzer_timeline_seconds", rank, p)] for p in ("computation_time", "exposed_comm_time", "exposed_memcpy_time", "idle_time", "total_time")]
    print(rank, abs(sum(parts[:4]) - parts[4]) < 1e-12)
P
cp "$SRC"/example/pytorch/train_step.json new/other.json
"$ANALYZER" gate old new -q
echo "one beside: $?"
rm new/other.json
"$ANALYZER" run old/rank_0.json -o old --format json -q
"$ANALYZER" gate old new -q --warn-only
echo "results and profiles: $?"
"$ANALYZER" gate old new --warn-only 2>notes >/dev/null
cat notes
"$ANALYZER" compare old new --format junit
echo "no verdict: $?"
cat >c.json <<'J'
{ "inputs": [ { "title": "old", "base_dir": "old", "rank_pattern": "rank_" }, { "title": "new", "base_dir": "new" } ],
  "gates": { "baseline": "old", "rules": [ { "table": "gpu_timelines_by_rank", "key": "2", "column": "busy_time*" } ] } }
J
"$ANALYZER" gate --config=c.json
echo "base_dir: $?"
# A rank that cannot be read is no rank that was not there.
rm -rf old/*perf*
mkdir broken
cp "$SRC"/example/multirank/step_120/*.json broken
: >broken/rank_2.json
echo 'not a trace' >broken/notes.json
for what in gate compare; do
    "$ANALYZER" $what old broken >out.txt 2>err.txt
    echo "$what: $?"
    sort -u err.txt
done
# Tables for dashboards are bounded; what is cut is said.
"$PYTHON" - <<'P'
import json
time = {"type": "real", "unit": "us", "key": False, "direction": "lower"}
columns = [{"name": "rank", "type": "int", "unit": "", "key": True, "direction": "none"},
           {"name": "total_wait_time_us", **time}]
table = {"id": "straggler_summary", "title": "t", "columns": columns, "rows": [[r, 1] for r in range(20001)]}
json.dump({"schema": "analyzer-result/1", "title": "many", "tables": [table]}, open("many.json", "w"))
P
"$ANALYZER" gate many.json many.json --format openmetrics -o many -r table=straggler_summary,rel=0.02 2>notes >/dev/null
echo "many ranks: $?"
cat notes
grep -c '^analyzer_collective_wait_seconds' many/gates.prom
