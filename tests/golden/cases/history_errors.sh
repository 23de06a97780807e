# The history command: what it takes, what it refuses.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
analyzer history
analyzer history lst --db h.db
analyzer history list
analyzer history list more --db h.db
analyzer history list --db missing.db
analyzer history prune --db missing.db --keep 3
analyzer history show x --db h.db
analyzer history pin 1 --db h.db
analyzer history list --db h.db --label colour=red
analyzer history import nothing --db h.db
ls
echo "no database" >text.db
analyzer history list --db text.db
analyzer history import . --db text.db
kernels a.csv gemm:50000000
"$ANALYZER" run a.csv --opt num_of_iters=1 --format json,csv -o a >/dev/null
analyzer history import a/a_perf_report.json a/a_perf_report_csvs --db h.db --label created=2026-01-01 --label commit=abc
analyzer history import a/a_perf_report.json a/a_perf_report_csvs --db h.db --label created=2026-01-02 --one-run
analyzer history list --db h.db
analyzer history prune --db h.db
analyzer history mark-bad 9 --db h.db
analyzer history trend nothing --db h.db
analyzer history trend gemm --db h.db --most 1
analyzer history list --db h.db --format junit
echo "== export: every sample, oldest run first"
analyzer history export --db h.db -o flat
cat flat/history_export/samples.csv
analyzer history export 'gemm / Inst*' --db h.db --format text
analyzer history export nothing --db h.db
analyzer history export a b --db h.db
echo "== a damaged history: hard limits are still judged, reports written, the damage said once"
{
    echo '{ "inputs": ['
    input a a.csv
    echo '], "gates": { "baseline": "last-good", "rules": [ { "table": "kern_sum", "column": "Total Time (ns)", "rel": 0.05 },'
    echo '{ "table": "kern_sum", "column": "Instances", "max": 1000000 } ] },'
    echo '"history": { "path": "damaged.db" }, "outputs": { "dir": "gated", "formats": ["text", "junit"] } }'
} >damaged.json
head -c 6000 h.db >damaged.db
cp damaged.db before.db
analyzer gate --config=damaged.json
ls gated
cmp damaged.db before.db && echo "it is left as it was"
