# What is refused, and with which exit status.
. "$SRC/tests/golden/gate_inputs.sh"
exec 2>&1
kernels a.csv gemm:50000000
analyzer gate
analyzer gate a.csv
analyzer gate --config=x.json a.csv b.csv
analyzer gate --calibrate
analyzer gate a.csv a.csv --rule rel
analyzer gate a.csv a.csv --rule colum=x,rel=2
analyzer gate a.csv a.csv --rule better=up
analyzer gate a.csv a.csv --format yaml
analyzer gate a.csv missing.json
{
    echo '{ "inputs": ['
    input a a.csv
    echo '] }'
} >none.json
analyzer gate --config=none.json
for gates in '{ "rules": [] }' '{ "rules": [ { "max": 1, "min": 2 } ] }' '{ "baseline": "last" }' '{ "rule": [] }' \
    '[ { "test": "t" }, 5 ]' '{ "baseline": "window:2" }' '{ "rules": [ { "rel": -1, "alpha": "x" } ] }'; do
    sed "s/\\] }\$/], \"gates\": $gates }/" none.json >c.json
    analyzer check-config c.json
done
sed 's/] }$/], "gates": { "baseline": "none.json" } }/' none.json >c.json
echo "== a baseline that is no result"
analyzer gate --config=c.json
echo "== a baseline that is missing"
sed 's/] }$/], "gates": { "baseline": "gone.json" } }/' none.json >c.json
analyzer check-config c.json
echo "== gates is a list of rules; there is no baseline"
sed 's/] }$/], "gates": [ { "table": "kern_sum", "column": "Instances", "max": 10 } ] }/' none.json >c.json
analyzer gate --config=c.json
echo "== the rule that meets nothing"
analyzer gate a.csv a.csv --opt num_of_iters=1 --rule table=kern_sums
echo "== a saved run that was cut: an input that failed, no usage error"
printf '{"schema": "analyzer-result/1", "tables": [{"id": "x"' >cut.json
analyzer gate a.csv cut.json
analyzer gate cut.json a.csv
echo "== just beyond the limit: with as many digits as show it"
mkdir was now
printf 'type,time ms\nbusy_time,100\n' >was/gpu_timeline.csv
printf 'type,time ms\nbusy_time,105.0001\n' >now/gpu_timeline.csv
analyzer gate was now --rule table=gpu_timeline,rel=0.05
