# Gates of a configuration: baseline is another input; exit statuses; what is written.
. "$SRC/tests/golden/gate_inputs.sh"
kernels old.csv gemm:50000000 attention:30000000 norm:10000000 gone:9000000 tiny:10
kernels new.csv gemm:52500000 attention:36000000 norm:8000000 fresh:9000000 tiny:99
config() {
    echo '{ "inputs": ['
    input old old.csv
    input new new.csv
    echo "], \"gates\": { \"baseline\": \"$1\", \"rules\": [ $2 ] }, \"outputs\": { \"dir\": \"out\", \"formats\": [\"text\", \"json\", \"junit\", \"openmetrics\"] } }"
}
config old '{ "table": "kern_sum", "column": "Total Time (ns)" }' >c.json
echo "== gemm is at the limit, attention above it"
analyzer gate --config=c.json
ls out
cat out/gates.prom out/gates.xml
echo "== only a warning"
analyzer gate --config=c.json --warn-only -q
echo "== by --set"
analyzer gate --config=c.json --set gates.rules.0.rel=0.2 --set gates.rules.0.on_removed=info
config old '{ "table": "kern_sum", "column": "Total Time (ns)", "key": "gemm", "max": 52500000 }, { "name": "least", "table": "kern_sum", "column": "Instances", "key": "gemm", "min": 11 }' >c.json
echo "== hard limits"
analyzer gate --config=c.json -v
echo "== itself"
config new '{ "table": "kern_sum", "column": "*" }' | sed 's/"kernel_sum": "old.csv"/"kernel_sum": "new.csv"/' >c.json
analyzer gate --config=c.json
echo "== a run says the same, behind the reports of its inputs"
analyzer run --config=c.json -o out --format text | sed -n '/= Gates/,$p'
