# What a newcomer does first: more tables with -v and all with -vv, ids of tables as the verdict cites them, rows that look
# the same, saved results named as their profiles, a gate of one step each.
E=$SRC/example/pytorch
COLUMNS=100
export COLUMNS
count() { grep -c '^[A-Z][A-Za-z ]* ([a-z_]*)$'; }
"$ANALYZER" "$E/train_step.json" >screen 2>/dev/null
"$ANALYZER" "$E/train_step.json" -v >main 2>/dev/null
"$ANALYZER" "$E/train_step.json" -vv >all 2>/dev/null
"$ANALYZER" "$E/train_step.json" -q --csv-dir csv
echo "tables: $(count <screen), $(count <main), $(count <all); files: $(find csv -name '*.csv' | wc -l)"
grep -h 'more tables' screen main all
echo "== tables that the verdict cites and -vv does not print"
"$ANALYZER" "$E/train_step.json" -q --format json -o . && for id in $("$PYTHON" -c '
import json
print(*sorted({f["table"] for f in json.load(open("train_step_perf_report.json"))["verdict"]["findings"] if f.get("table")}))'); do
    grep -q "($id)\$" all || echo "$id"
done
grep -h 'Equal rows' screen main
echo "== names of saved results"
"$ANALYZER" compare train_step_perf_report.json "$E/train_step_pageable.json" 2>/dev/null | sed '/^$/,$d'
"$ANALYZER" compare train_step_perf_report.json "$E/train_step.json" 2>/dev/null | sed -n 2p
"$ANALYZER" gate train_step_perf_report.json "$E/train_step_pageable.json" 2>/dev/null
echo '{ "inputs": [ { "title": "new", "path": "'"$E"'/train_step.json" } ], "gates": { "baseline": "train_step_perf_report.json" } }' >gate.json
"$ANALYZER" gate --config=gate.json 2>/dev/null | head -n 2
echo "== the history has no other files"
echo '{ "inputs": [ { "title": "new", "path": "'"$E"'/train_step.json" } ], "history": { "path": "h.db" } }' >history.json
"$ANALYZER" run --config=history.json -q -o out 2>/dev/null
"$ANALYZER" history list --db=h.db | grep -c pytorch
"$ANALYZER" history list h.db 2>&1 | head -n 1
ls h.db*
echo "== a session of several hosts is named by its folder"
"$ANALYZER" "$SRC/example/xplane/plugins/profile/train_step" 2>/dev/null | head -n 1

echo "== hosts in files of their own: what their names have in common, else the folder"
mkdir -p run7/hosts
for h in 0 1; do
    cp "$SRC/example/tracy/ops_perf_results_host$h.csv" run7/
    cp "$SRC/example/tracy/ops_perf_results_host$h.csv" run7/hosts/host$h.csv
done
"$ANALYZER" run7/ops*.csv 2>/dev/null | head -n 1
"$ANALYZER" run7/hosts 2>/dev/null | head -n 1
echo "== a session next to a file of its name: the folder, not the file of its first host"
mkdir -p both/jax/plugins/profile both/torch
cp -r "$SRC/example/xplane/plugins/profile/train_step" both/jax/plugins/profile/
cp "$E/train_step.json" both/torch/
"$ANALYZER" both 2>/dev/null | grep '^====='
