# Folders of ranks against each other: each folder is one run, whatever else lies in it, and is named as it was given.
mkdir a b three solo
cp -r "$SRC/example/multirank/step_120" a
cp "$SRC"/example/multirank/step_120/*.json b
cp "$SRC"/example/multirank/step_120/rank_[013].json three
cp "$SRC/example/multirank/step_120/rank_0.json" solo/trace.json
"$PYTHON" - <<'P'
import glob, json
for name in glob.glob("b/*.json"): # computes twice as fast
    t = json.load(open(name, encoding="utf-8"))
    for e in t["traceEvents"]:
        if e.get("cat") == "kernel" and "nccl" not in e["name"].lower():
            e["dur"] = e["dur"] / 2
    json.dump(t, open(name, "w", encoding="utf-8"))
P
"$ANALYZER" compare -v a/ b --opt compat=all 2> /dev/null | sed -n '/^What was/,/^GPU time/p'
"$ANALYZER" compare a b --opt compat=all -q --csv-dir out
echo "csv $?"
grep -c , out/kernel_breakdown.csv
cut -d, -f1-4 out/gpu_timelines_by_rank.csv
cut -d, -f1-5 out/waterfall.csv
sed 's/^.*,COMP/COMP/' out/top_changes.csv
# Results of runs beside the traces are no ranks.
"$ANALYZER" multirank -b b --all-ranks --compat=all --format json,csv -q
"$ANALYZER" compare a b --opt compat=all -q --csv-dir again
cmp out/compare_summary.csv again/compare_summary.csv && echo "reports among the traces change nothing"
# A saved report of the same ranks, whose collectives have their historic names.
"$ANALYZER" compare --opt compat=all b b/b_performance_report.json -q --csv-dir saved
cut -d, -f1,5-8,16 saved/compare_summary.csv | grep -E 'nccl|long'
# Itself: nothing changes.
"$ANALYZER" compare a a/step_120 --opt compat=all -q --csv-dir same
cut -d, -f6-8 same/compare_summary.csv | sort -u
# Three and one rank: what is missing is said; a trace alone is a run of one rank.
"$ANALYZER" compare a three solo --opt compat=all -q --csv-dir n
cat n/compare_facts.csv n/compare_inputs.csv
cut -d, -f1-4 n/gpu_timelines_by_rank.csv
"$ANALYZER" compare solo/trace.json three a --opt compat=all -q --csv-dir file
cut -d, -f1,5 file/compare_inputs.csv
# Names: of the folder that is meant.
(cd a && "$ANALYZER" compare . ../b | head -n 1)
"$ANALYZER" compare 'a/step_120/*.json' b | head -n 1
# What is no run of ranks.
mkdir -p two/x two/y none/deep
cp solo/trace.json two/x
cp solo/trace.json two/y
cp b/rank_0.json two/x
"$ANALYZER" compare a two
echo "two runs: $?"
"$ANALYZER" compare a none
echo "none: $?"
"$ANALYZER" compare b two/x
echo "a rank twice: $?"
# In a configuration.
cat >c.json <<'J'
{ "inputs": [ { "title": "old", "base_dir": "a" }, { "title": "new", "base_dir": "b" } ], "compare": {} }
J
"$ANALYZER" compare -v --config=c.json new old 2> /dev/null | sed -n '1p;/^From/,/^$/p'
"$ANALYZER" compare --config=c.json --dry-run | sed -n '1p;$p'
