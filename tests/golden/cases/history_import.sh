# Results are added to a history: what describes a run comes from the command line, else from the labels of its input.
cat >c.json <<J
{ "inputs": [ { "title": "moe", "path": "$SRC/example/pytorch/moe.json",
    "labels": { "label": "night", "commit": "abc1", "branch": "main", "host": "n1", "stack": "torch 2", "created": "2026-02-03T04:05:06Z", "other": "x" } } ],
  "outputs": { "dir": "made", "formats": ["json", "csv"] } }
J
"$ANALYZER" --config=c.json -q 2>&1 || exit 99
n=0
h() {
    "$ANALYZER" history "$@" --db h.db 2>&1
    echo "exit $?"
}
h import made/*.json
h import made/*_csvs --label created=2026-02-04
for key in label commit branch host stack; do
    h import made/*.json --label $key=given --label created=2026-03-0$((n = n + 1))
done
h import made/*.json --label created=never
h import made/*.json --label created=
for id in 1 2 3 4 5 6 7; do
    h show $id | head -n 14
done
h list
