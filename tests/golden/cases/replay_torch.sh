# Replays with a python3 that has torch, or seems to: times, a failure, an output that is none, another index, a time-out; logs
# of several commands, an output that is a link, one that is too long; links and odd entries in replay.json.
op() { # name, id, start, dims, types, strides, concrete, duration
    printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s,"dur":8,"args":{"External id":%s,"Input Dims":%s,"Input type":%s,"Input Strides":%s,"Concrete Inputs":%s}},\n' \
        "$1" "$3" "$2" "$4" "$5" "$6" "$7"
    printf '{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":2,"args":{"External id":%s,"correlation":%s}},\n' \
        "$(($3 + 1))" "$2" "$2"
    printf '{"ph":"X","cat":"kernel","name":"Cijk_%s","pid":0,"tid":7,"ts":%s,"dur":%s,"args":{"External id":%s,"correlation":%s,"device":0,"stream":7}},\n' \
        "$2" "$(($3 + 3))" "$8" "$2" "$2"
}
b='"c10::BFloat16"'
{
    echo '{"schemaVersion":1,"traceEvents":['
    i=1
    for m in 16 32 48 64 80 96; do
        op aten::mm $i $((100 * i)) "[[$m,128],[128,256]]" "[$b,$b]" '[[128,1],[1,128]]' '["",""]' $((10 * i))
        i=$((i + 1))
    done
    echo '{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}]}'
} >trace.json
"$ANALYZER" replay --emit=out --rule=reach --share=1 -q trace.json
echo "exit $?"
ls out
mkdir bin
for t in env sh cat rm sleep head yes tr; do ln -s "$(command -v $t)" bin/$t; done
cat >bin/python3 <<'TOOL'
#!/bin/sh
[ "$1" = -c ] && exit "${TORCH:-0}"
shift 4
case $1 in
0) echo 'a note'; echo '{"index": 0, "mean_us": 44.5}'; echo '{"index": 0, "mean_us": 62.25, "more": [1]}'; echo '{"index": 1, "mean_us": 1}' ;;
1) echo "first"; echo "second"; echo "third"; echo "out of memory"; echo "at last" >&2; exit 4 ;;
2) echo "no result" ;;
3) echo '{"index": 4, "mean_us": 7}' ;;
4) sleep 20 ;;
*) echo '{"index": 5, "mean_us": -1}' ;;
esac
TOOL
cat >bin/hipblaslt-bench <<'TOOL'
#!/bin/sh
case "$*" in
*" 32 "*) echo "[0]:transA,m,hipblaslt-Gflops,hipblaslt-GB/s,us"; echo "    T,256,1.5,2.5,abc" ;;
*" 48 "*) echo "[0]:transA,m,us"; echo "    T,256,31.5" ;;
*" 64 "*) sleep 20 ;;
*" 80 "*) echo "no kernel"; exit 7 ;;
*" 96 "*) yes "a long line of nothing at all" | head -c 17000000 ;;
*) echo "[0]:transA,m,hipblaslt-Gflops,hipblaslt-GB/s,us"; echo "    T,256,209.7,5.7,20.5" ;;
esac
TOOL
chmod +x bin/python3 bin/hipblaslt-bench
ln -s elsewhere out/hipblaslt-bench-1.out
run() {
    PATH=$PWD/bin "$ANALYZER" replay --timeout=1 --csv-dir csv "$@" out >said 2>&1
    status=$?
    sed 's|/[^ ]*/replay\.[A-Za-z0-9]*/|TMP/|' said
    echo "exit $status"
}
echo "== torch"
run
cut -d, -f1-16 csv/gemm_node_replay.csv
ls out/*.out
[ -e elsewhere ] || echo "the link was not followed"
echo "== no torch"
TORCH=1 run -q
cut -d, -f1-11 csv/gemm_node_replay.csv
echo "== several commands in a log"
cp out/hipblaslt-bench-3.log three
cat out/hipblaslt-bench-4.log >>out/hipblaslt-bench-3.log
cat three >>out/hipblaslt-bench-5.log
run --no-torch -q
cut -d, -f1-10 csv/gemm_node_replay.csv 
cat out/hipblaslt-bench-3.out out/hipblaslt-bench-5.out
