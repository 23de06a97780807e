# Results by path: profiles, result JSONs, folders of tables; repeated runs.
. "$SRC/tests/golden/gate_inputs.sh"
kernels a.csv gemm:50000000 attention:30000000
kernels b.csv gemm:60000000 attention:30000000
for f in a b; do "$ANALYZER" run $f.csv --opt num_of_iters=1 --format json,csv -o $f >/dev/null || exit 9; done
rule="table=kern_sum,column=Total Time (ns)"
for pair in "a.csv b.csv" "a/a_perf_report.json b/b_perf_report.json" "a/a_perf_report_csvs b/b_perf_report_csvs" "a b" "a/a_perf_report_csvs b.csv" "a.csv b/b_perf_report.json"; do
    echo "== $pair"
    # shellcheck disable=SC2086 # two words
    analyzer gate $pair --opt num_of_iters=1 --rule "$rule" | grep -v '^baseline'
done
echo "== swapped"
analyzer gate b a --rule "$rule"
echo "== itself"
analyzer gate a/a_perf_report.json a/a_perf_report.json
echo "== five runs a side"
set --
for i in 1 2 3 4 5; do
    kernels b$i.csv gemm:5000000$i attention:3000000$i
    kernels c$i.csv gemm:5500000$i attention:3000000$i
    set -- "$@" --baseline b$i.csv c$i.csv
done
analyzer gate "$@" --opt num_of_iters=1 --rule "$rule" -v
echo "== the verdict file, twice the same"
"$ANALYZER" gate "$@" --opt num_of_iters=1 --rule "$rule" --format verdict,junit,openmetrics -o 1 >/dev/null
"$ANALYZER" gate "$@" --opt num_of_iters=1 --rule "$rule" --format verdict,junit,openmetrics -o 2 -j 1 >/dev/null
ls 1
cmp 1/gates.json 2/gates.json && cmp 1/gates.xml 2/gates.xml && cmp 1/gates.prom 2/gates.prom && echo equal
cat 1/gates.json
echo "== one profile twice, with outputs that an input would have, too"
cp "$SRC/example/pytorch/train_step.json" t.json
analyzer gate t.json t.json --format md,csv,junit,openmetrics,verdict -o twice
analyzer gate t.json t.json --format md,csv,junit,openmetrics,verdict -o again
diff -r twice again && find twice -maxdepth 1 | sort
echo "== folders of CSV tables as inputs of a configuration"
mkdir d1 d2
printf 'type,time ms\nbusy_time,100\ntotal_time,200\n' >d1/gpu_timeline.csv
printf 'type,time ms\nbusy_time,120\ntotal_time,200\n' >d2/gpu_timeline.csv
cat >two.json <<'J'
{ "inputs": [ { "title": "x", "format": "result", "path": "d1" }, { "title": "y", "path": "d2" } ],
  "gates": { "baseline": "x" }, "compare": {}, "outputs": { "formats": ["text"] } }
J
analyzer --config=two.json
# Ranks of one run, packed or not, are one input; what has no rank in its name is one each.
mkdir ranks more
cp "$SRC"/example/multirank/step_120/*.json ranks
cp "$SRC"/example/multirank/step_120/*.json more
gzip more/rank_2.json
"$ANALYZER" gate ranks more
echo "ranks: $?"
cp ranks/rank_0.json ranks/alone.json
cp ranks/rank_0.json more/alone.json
"$ANALYZER" gate ranks more --format json -o both -q
echo "and one beside: $?"
"$PYTHON" -c 'import json; print(sorted({r["input"] for r in json.load(open("both/gates.json"))["results"]}))'
# Quietly, and asked for nothing, it writes nothing.
mkdir quiet && cp ranks/rank_0.json ranks/rank_1.json quiet && cd quiet && "$ANALYZER" gate rank_0.json rank_1.json -q
echo "quiet: $?, $(printf '%s ' *)"
