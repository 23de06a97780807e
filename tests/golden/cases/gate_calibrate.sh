# Limits from repeated runs; the block is accepted in a configuration, and the runs pass under it.
. "$SRC/tests/golden/gate_inputs.sh"
kernels 1.csv gemm:50000000 attention:30000000 norm:1000
kernels 2.csv gemm:50400000 attention:29900000 norm:1300
kernels 3.csv gemm:49900000 attention:30300000 norm:1100
analyzer gate --calibrate 1.csv 2.csv 3.csv --opt num_of_iters=1 --rule "table=kern_sum,column=Total Time (ns)" | tee block
{
    echo '{ "inputs": ['
    input old 1.csv
    input new 2.csv
    echo '],'
    grep -v '^exit' block
    echo '}'
} >c.json
analyzer check-config c.json
analyzer gate --config=c.json --set gates.baseline=old --set gates.rules.0.min_share=0
analyzer gate --calibrate 1.csv --opt num_of_iters=1
cp 1.csv copy.csv
analyzer gate --calibrate 1.csv copy.csv --opt num_of_iters=1 --rule "table=kern_sum,column=Total Time (ns)" 2>&1
echo "runs of different work"
kernels 4.csv gemm:150000000 attention:30000000 norm:1000
analyzer gate --calibrate 1.csv 4.csv --opt num_of_iters=1 --rule "table=kern_sum,column=Total Time (ns)" 2>&1 | grep calibration
