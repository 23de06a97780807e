# Neither pass nor fail: a missing input, other facts, a failed input; fail beats it.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
kernels a.csv gemm:50000000 nccl_x:10000000
kernels b.csv gemm:80000000 nccl_x:10000000
both() {
    echo '{ "inputs": ['
    input one a.csv
    input two "$1"
    echo "]$2, \"gates\": { $3 \"rules\": [ { \"table\": \"kern_sum\", \"column\": \"Total Time (ns)\" } ] } }"
}
both a.csv >base.json
"$ANALYZER" run --config=base.json --format json -o base >/dev/null
base='"baseline": "base",'
echo "== the same"
both a.csv '' "$base" >c.json
analyzer gate --config=c.json
echo "== an input is gone"
analyzer gate --config=c.json --set 'inputs.1.title=three'
echo "== an input cannot be read"
: >empty.csv
both empty.csv '' "$base" >c.json
analyzer gate --config=c.json
echo "== another class map"
both a.csv ', "kernel_to_class_map": { "gemm": "matrix" }' "$base" >c.json
analyzer gate --config=c.json
echo "== fail beats inconclusive"
both b.csv '' "$base" >c.json
analyzer gate --config=c.json --set 'inputs.0.title=zero'
echo "== the baseline would be overwritten before it is read"
both a.csv '' "$base" >c.json
analyzer run --config=c.json --format json -o base
echo "== so would a baseline that is a file, by whatever name"
ln -s base/a_perf_report_one.json link.json
for b in base/a_perf_report_one.json ./base/../base/a_perf_report_one.json link.json; do
    both a.csv '' "\"baseline\": \"$b\"," >c.json
    analyzer run --config=c.json --format json -o base
done
echo "== the same of results that are named"
cp base/a_perf_report_one.json gates.json
analyzer gate gates.json base/a_perf_report_one.json --format json -o .
cmp gates.json base/a_perf_report_one.json
