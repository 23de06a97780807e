# Files that are not whole: what is said, and the exit status.
head='OP CODE,OP TYPE,DEVICE ID,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]'
say() {
    echo "== $1"
    printf "%b" "$2" >x.csv
    "$ANALYZER" run x.csv --format text 2>&1 | grep -v '^$'
}
say 'header only' "$head\n"
say 'signposts only' "$head\nstart,signpost,,1,,\n"
say 'host only' "$head\n(torch) add,python_fallback,,1,,\n"
say 'last row cut' "$head\nUnary,tt_dnn_device,0,1,0,1000\nUnary,tt_dnn_dev"
say 'a quote left open' "$head\nUnary,tt_dnn_device,0,1,0,1000\n\"Unary,tt_dnn_device"
say 'a word for a number' "$head\nUnary,tt_dnn_device,0,1,0,soon\n"
say 'no name column' 'OP TYPE,DEVICE ID\ntt_dnn_device,0\n'
printf 'OP TYPE,DEVICE ID\ntt_dnn_device,0\n' >x.csv
printf '{"inputs": [{"format": "tracy", "path": "x.csv"}]}' >c.json
"$ANALYZER" --config=c.json 2>&1
echo "$?"
