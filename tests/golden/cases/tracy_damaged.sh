# Files that are not whole: what is said, and the exit status.
head='OP CODE,OP TYPE,DEVICE ID,HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]'
say() {
    echo "== $1"
    printf "%b" "$2" >x.csv
    "$ANALYZER" run x.csv --format text -v 2>&1 | grep -v -e '^$' -e "MB memory"
}
say 'header only' "$head\n"
say 'signposts only' "$head\nstart,signpost,,1,,\n"
say 'host only' "$head\n(torch) add,python_fallback,,1,,\n"
say 'an end marker last' "$head\nstart,signpost,,1,,\nUnary,tt_dnn_device,0,2,0,1000\nend,signpost,,3,,\nend,signpost,,4,,\n"
echo '== and of the other program'
"$ANALYZER" run x.csv --format text --compat=tt-perf-report 2>&1 | sed -n '1,3p;/device ops/p'
say 'last row cut' "$head\nUnary,tt_dnn_device,0,1,0,1000\nUnary,tt_dnn_dev"
say 'a quote left open' "$head\nUnary,tt_dnn_device,0,1,0,1000\n\"Unary,tt_dnn_device"
say 'a word for a number' "$head\nUnary,tt_dnn_device,0,1,0,soon\n"
say 'no name column' 'OP TYPE,DEVICE ID\ntt_dnn_device,0\n'
printf 'OP TYPE,DEVICE ID\ntt_dnn_device,0\n' >x.csv
printf '{"inputs": [{"format": "tracy", "path": "x.csv"}]}' >c.json
"$ANALYZER" --config=c.json 2>&1
echo "$?"

# A matrix product that lacks its second input, or where the result lies, has no rate: not one of the bytes that are known.
tensor() { printf ',%s_W,%s_Z,%s_Y,%s_X,%s_DATATYPE,%s_MEMORY' "$1" "$1" "$1" "$1" "$1" "$1"; }
dram=,1,1,32,64,BFLOAT16,DEV_0_DRAM_INTERLEAVED blank=,,,,,,
row() { echo "Matmul,tt_dnn_device,0,$1,0,1000,HiFi4,64$2$3$4"; }
{
    echo "$head,MATH FIDELITY,CORE COUNT$(tensor INPUT_0)$(tensor INPUT_1)$(tensor OUTPUT_0)"
    row 1 $dram ,1,1,64,64,BFLOAT16,DEV_0_DRAM_INTERLEAVED $dram
    row 2 $dram $blank $dram
    row 3 $dram ,,,,,BFLOAT16,DEV_0_L1_INTERLEAVED $dram
    row 4 $dram ,1,1,64,64,BFLOAT16,DEV_0_DRAM_INTERLEAVED $blank
} >m.csv
"$ANALYZER" run m.csv --csv-dir m >/dev/null && cut -d, -f1-4,9-12 m/ops.csv
# Two hosts of one run are one input, by their names.
cp m.csv h0.csv && mv m.csv h1.csv
"$ANALYZER" run h0.csv h1.csv --csv-dir h >/dev/null && cut -d, -f1-6,9-12 h/ops.csv
# Sums are of whole ns: 0.1 and 0.2 us are 0.3.
printf "%s\nUnary,tt_dnn_device,0,1,,100\nUnary,tt_dnn_device,0,2,100,200\n" "$head" >n.csv
"$ANALYZER" run n.csv --csv-dir n >/dev/null && sed -n 2p n/data_quality.csv
