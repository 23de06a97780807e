# Which rank a file is: by its metadata, by its name; twice, missing, mixed up.
ranks() { "$PYTHON" "$SRC/tests/gen/make_ranks.py" "$@" --layers 1 --steps 1; }
m() { echo "== $*"; echo "== $*" >&2; "$ANALYZER" multirank "$@"; echo "exit $?"; }
table() { sed -e 's/,17600000[0-9]*,17600000[0-9]*,/,T,T,/' "$1"; }
show() { table out/ranks.csv; rm -rf out; }

ranks "steps/run/rank_{rank}_step_9.json" --ranks 2 --first-step 9
ranks "steps/run/rank_{rank}_step_10.json" --ranks 2 --first-step 10
m -b steps --all-ranks --format csv
m -b steps --all-ranks --duplicate-rank first --csv-dir out && show
m -b steps --all-ranks --duplicate-rank last --csv-dir out && show
m -b steps --all-ranks --duplicate-rank each-step --format text
m -b steps --all-ranks --duplicate-rank each-step -d

echo "== times in the names"
ranks "times/worker{rank}_step_12.1694128201545.pt.trace.json" --ranks 2
mv times/worker1_step_12.1694128201545.pt.trace.json times/worker1_step_12.1694128201556.pt.trace.json
m -b times -p worker -f worker --duplicate-rank each-step -d

echo "== names and metadata disagree"
ranks "odd/rank_{rank}.json" --ranks 4 --only 0,1
ranks "odd/rank_{rank}.json" --ranks 4 --only 2 --add 1
m -b odd --all-ranks --csv-dir out && show
ranks "odd/rank_{rank}.json" --ranks 4 --only 3
m -b odd --all-ranks --csv-dir out
ranks "odd/rank_{rank}.json" --ranks 4 --only 2 --world 16 --device "NVIDIA A100-SXM4-80GB"
m -b odd --all-ranks --csv-dir out && cat out/findings.csv && grep device out/facts.csv && show

echo "== without a rank"
ranks "plain/rank_{rank}.json" --ranks 2 --anonymous
ranks "plain/other.json" --ranks 1 --anonymous
m -b plain --all-ranks --csv-dir out && show
rm plain/rank_*
m -b plain --all-ranks --csv-dir out

echo "== a list of files"
ranks "list/{rank}.json" --ranks 2 --anonymous
echo '{ "inputs": [ { "title": "two", "paths": ["list/0.json", "list/1.json"] } ] }' >list.json
"$ANALYZER" --config=list.json --csv-dir out && show
echo '{ "inputs": [ { "base_dir": "steps", "filters": ["step_9"], "output": "x.xlsx" }, { "base_dir": "plain" },
  { "base_dir": "list", "path": "x" } ] }' >bad.json
"$ANALYZER" --config=bad.json
echo '{ "inputs": [ { "base_dir": "steps", "filters": "step_9", "output": "x.xlsx" }, { "base_dir": "none" } ] }' >good.json
"$ANALYZER" --config=good.json --dry-run
echo "exit $?"
echo "== listed files of several steps"
echo '{ "inputs": [ { "paths": ["steps/run/rank_*.json"], "duplicate_rank": "each-step" },
  { "title": "job", "paths": ["steps/run/rank_*_9.json"], "duplicate_rank": "each-step" },
  { "title": "odd", "paths": ["odd/rank_*.json", "list/*.json"], "duplicate_rank": "each-step", "rank_pattern": "" } ] }' >steps.json
"$ANALYZER" --config=steps.json --dry-run
"$ANALYZER" --config=steps.json --csv-dir out --only "step_9"
for d in out/*; do echo "-- $d"; table "$d"/ranks.csv; done
rm -rf out
"$ANALYZER" --config=steps.json --only "step_9" --only "step_10" --set inputs.0.output=x.xlsx
echo "exit $?"
mkdir few && echo '{"traceEvents":[]}' >few/rank_1.json && cp steps/run/rank_0_step_9.json few/rank_0.json
echo "== a rank without device work"
m -b few --all-ranks --format text,csv | grep -A 9 -e '^Findings' -e 'ranks present'
table few/few_performance_report_csvs/ranks.csv
mkdir dup
for s in 1 2 3; do ranks "dup/rank_{rank}_$s.json" --ranks 3; done
m -b dup --all-ranks --format xlsx -q
echo "== run names several ranks"
"$ANALYZER" run steps/run/rank_0_step_9.json steps/run/rank_1_step_9.json --format csv -o byrun
ls byrun
echo "== also where some are packed"
gzip -n steps/run/rank_1_step_9.json
"$ANALYZER" run steps/run/rank_0_step_9.json steps/run/rank_1_step_9.json.gz --format csv -o packed
