# Writing a replay folder from a trace, and running it: no tools, tools, accidents, recorded logs.
op() { # name, id, start, dims, types, strides, concrete
    printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s,"dur":8,"args":{"External id":%s,"Input Dims":%s,"Input type":%s,"Input Strides":%s,"Concrete Inputs":%s}},\n' \
        "$1" "$3" "$2" "$4" "$5" "$6" "$7"
    printf '{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":2,"args":{"External id":%s,"correlation":%s}},\n' \
        "$(($3 + 1))" "$2" "$2"
    printf '{"ph":"s","id":%s,"pid":1,"tid":1,"ts":%s,"cat":"ac2g","name":"ac2g"},\n' "$2" "$(($3 + 1))"
    printf '{"ph":"f","id":%s,"pid":0,"tid":7,"ts":%s,"cat":"ac2g","name":"ac2g","bp":"e"},\n' "$2" "$(($3 + 3))"
    printf '{"ph":"X","cat":"kernel","name":"Cijk_%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"External id":%s,"correlation":%s,"device":0,"stream":7}}' \
        "$2" "$(($3 + 3))" "$8" "$2" "$2"
}
b='"c10::BFloat16"'
{
    echo '{"schemaVersion":1,"traceEvents":['
    op aten::mm 1 100 '[[64,128],[128,256]]' "[$b,$b]" '[[128,1],[1,128]]' '["",""]' 20
    echo ,
    op aten::addmm 2 200 '[[256],[64,128],[128,256],[],[]]' "[$b,$b,$b,\"Scalar\",\"Scalar\"]" '[[1],[128,1],[256,1],[],[]]' '["","","","1","1"]' 30
    echo ,
    op aten::convolution 3 300 '[[2,8,16,16],[4,8,3,3],[],[],[],[],[],[],[]]' \
        "[$b,$b,\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]" \
        '[[2048,256,16,1],[72,9,3,1],[],[],[],[],[],[],[]]' '["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"]' 50
    echo ']}'
} >trace.json
"$ANALYZER" replay --emit=out --rule=reach --share=0.999 trace.json
echo "exit $?"
ls out
cat out/gemm-0.hipblaslt.sh out/gemm-0.tuning.sh out/conv-0.miopen.sh
"$PYTHON" -c "
import json, jsonschema
jsonschema.validate(json.load(open('out/replay.json')), json.load(open('$SRC/schemas/replay.schema.json')))
print('replay.json is valid')"
"$PYTHON" -m py_compile out/replay_torch.py && rm -rf out/__pycache__ && echo "replay_torch.py compiles"
echo "== again, into the same folder"
"$ANALYZER" replay --emit=out trace.json
echo "exit $?"
"$ANALYZER" replay --emit=out --force -q trace.json
echo "exit $?"
echo "== what would be run"
"$ANALYZER" replay --dry-run out
echo "exit $?"
mkdir bin
for t in env sh cat rm; do ln -s "$(command -v $t)" bin/$t; done
echo "== no tools"
PATH=$PWD/bin "$ANALYZER" replay --format csv out
echo "exit $?"
cut -d, -f1-7 out/replay_report/gemm_node_replay.csv
echo "== tools"
cat >bin/hipblaslt-bench <<'TOOL'
#!/bin/sh
case "$*" in
*bias_vector*) echo "no solution found" >&2; exit 3 ;;
esac
echo "[0]:transA,transB,m,n,k,hipblaslt-Gflops,hipblaslt-GB/s,us"
echo "    T,N,256,64,128,209.7,5.7,20.5"
TOOL
cat >bin/MIOpenDriver <<'TOOL'
#!/bin/sh
echo "MIOpen Forward Conv. Algorithm: 5, Solution: 85/ConvHipImplicitGemm"
echo "stats: name, n, c, ho, wo, x, y, k, flopCnt, bytesRead, bytesWritten, GFLOPs, GB/s, timeMs"
echo "stats: fwd-conv3x3u1, 2, 8, 16, 16, 3, 3, 4, 294912, 100, 200, 6, 3, 0.045"
TOOL
chmod +x bin/hipblaslt-bench bin/MIOpenDriver
PATH=$PWD/bin "$ANALYZER" replay --no-torch --csv-dir csv --xlsx out.xlsx out
echo "exit $?"
cat csv/conv_node_replay.csv
cat out/hipblaslt-bench-0.out
echo "== recorded logs, one that is no benchmark"
mkdir logs
echo 'hipblaslt-bench -m 1 -n 2 -k 3 --cold_iters 2 --iters 10 --algo_method index --solution_index 5' >logs/hipblaslt-bench-0.log
echo 'MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv -n 1 -t 1' >logs/miopen-driver-4.log
echo 'hipblaslt-bench -m 1; touch /tmp/x' >logs/hipblaslt-bench-1.log
PATH=$PWD/bin "$ANALYZER" replay -q --csv-dir csv2 logs
echo "exit $?"
cut -d, -f1-4,16 csv2/gemm_node_replay.csv csv2/conv_node_replay.csv
echo "== nothing to do, wrong use"
mkdir empty
"$ANALYZER" replay empty
echo "exit $?"
echo '[{]' >empty/replay.json
"$ANALYZER" replay empty
echo "exit $?"
"$ANALYZER" replay none
echo "exit $?"
"$ANALYZER" replay
echo "exit $?"
"$ANALYZER" replay --rule=all --emit=x trace.json
echo "exit $?"
"$ANALYZER" replay --timeout=0 out
echo "exit $?"
printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":1,"ts":1,"dur":5}]}\n' >nothing.json
"$ANALYZER" replay --emit=x nothing.json
echo "exit $?"
ls x 2>/dev/null || echo "nothing was written"
