# A night on another device: it is compared with the newest run, by its number, and not comparable.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
trace() { # device duration
    printf '{"deviceProperties":[{"id":0,"name":"%s"}],"traceEvents":[' "$1"
    for i in 1 2 3 4; do
        printf '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d,"dur":%d,"args":{"device":0,"stream":7,"correlation":%d}},' $((1000 * i)) "$2" $i
    done
    echo '{}]}'
}
cat >c.json <<'JSON'
{ "inputs": [ { "path": "trace.json", "title": "night", "format": "pytorch" } ],
  "labels": { "branch": "main", "host": "node7", "created": "${DAY}" },
  "gates": { "rules": [ { "table": "gpu_timeline", "column": "time ms", "key": "busy_time" } ] },
  "history": { "path": "nights.db" } }
JSON
night() { # day device duration
    trace "$2" "$3" >trace.json
    echo "== night $1 on $2"
    DAY=2026-01-0$1 analyzer gate --config=c.json --format verdict -o "night$1"
    grep -A 2 "^ \"baseline\"" "night$1/gates.json"
}
night 1 H100 500
night 2 H100 500
night 3 H200 400
night 4 H200 400
