# Nights: the first has no baseline, a slow one fails and is kept as bad, the next is held against the last good one.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
{
    echo '{ "inputs": ['
    input night night.csv
    cat <<'JSON'
  ], "labels": { "branch": "main", "host": "node7", "commit": "${COMMIT}", "created": "${DAY}" },
  "gates": { "rules": [ { "table": "kern_sum", "column": "Total Time (ns)" } ] },
  "history": { "path": "nights.db" } }
JSON
} >c.json
night() { # day commit time
    kernels night.csv "gemm:$3" attention:30000000
    echo "== night $1"
    DAY=2026-01-0$1 COMMIT=$2 analyzer gate --config=c.json
}
night 1 aaa 50000000
night 2 bbb 51000000
night 3 ccc 60000000
night 4 ddd 52000000
analyzer history list --db nights.db
analyzer history show 3 --db nights.db
analyzer history trend gemm*Total --db nights.db
echo "== marks and pins"
analyzer history mark-good 3 --db nights.db
analyzer history mark-bad 4 --db nights.db
analyzer history pin 1 first --db nights.db
DAY=2026-01-05 COMMIT=eee analyzer gate --config=c.json --set history.store=false
DAY=2026-01-05 COMMIT=eee analyzer gate --config=c.json --set history.store=false --set gates.baseline=pinned:first
DAY=2026-01-05 COMMIT=eee analyzer gate --config=c.json --set history.store=false --set gates.baseline=pinned:none
DAY=2026-01-05 COMMIT=eee analyzer gate --config=c.json --set history.store=false --set gates.baseline=window:5
DAY=2026-01-05 COMMIT=eee analyzer gate --config=c.json --set history.store=false --set labels.branch=other
DAY=2026-02-05 COMMIT=fff analyzer gate --config=c.json --set history.store=false --set history.drift_rel=0.01 --set gates.rules.0.rel=0.5
analyzer history prune --keep 1 --db nights.db
analyzer history list --db nights.db --format csv -o list
cat list/history_list/*.csv
DAY=yesterday COMMIT=x analyzer gate --config=c.json
