# Annotations for GitHub Actions: escapes, ten a level, the step summary.
. "$SRC/tests/golden/gate_inputs.sh"
set --
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do set -- "$@" "k$i:50000000"; done
kernels a.csv "$@" "odd%name:50000000" ok:60000000 faster:60000000
set --
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do set -- "$@" "k$i:600000$i"; done
kernels b.csv "$@" "odd%name:90000000" ok:60000000 faster:40000000
{
    echo '{ "inputs": ['
    input 'old' a.csv
    input 'new: 100%, all' b.csv
    echo '], "gates": { "baseline": "old", "rules": [ { "table": "kern_sum", "column": "Total Time (ns)" } ] } }'
} >c.json
echo "before" >summary.md
GITHUB_STEP_SUMMARY=summary.md analyzer gate --config=c.json --format github -o out | grep -v '^fail'
cat summary.md
GITHUB_ACTIONS=true analyzer gate --config=c.json -o out2 --format text | grep -c '^::'
echo "== dry run"
analyzer run --config=c.json --format text,json,md,junit -o out3 --dry-run
analyzer gate --config=c.json --format md -o out3 -q
ls out3
head -n 3 out3/gates.md
