# Rules of tt-perf-report by brute force; what sub devices, invalid durations, rates above the peak and trace replays print.
"$PYTHON" "$SRC/tests/tracy_rules_check.py" "$ANALYZER"
for kind in sub_devices impossible rate replays; do
    echo "== $kind"
    "$PYTHON" "$SRC/tests/gen/make_tracy_claims.py" --seed 1 --kind $kind --out $kind.csv || exit 99
    "$ANALYZER" tt-perf-report $kind.csv --no-summary >text 2>err || exit 99
    sed -n '/^layout/,/^Operation models/p' text | grep -v '^Operation models' | cut -c1-230
done
echo "== invalid rows go, the rows after them stay"
"$ANALYZER" tt-perf-report impossible.csv --drop-impossible --no-advice --no-summary 2>&1 | grep -E 'invalid|device ops'
echo "== active experts"
"$ANALYZER" tt-perf-report rate.csv --active-experts 0
echo "$?"
echo "== texts that a spreadsheet would run"
printf 'OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n=1+1,tt_dnn_device,0,1000\n' >formula.csv
"$ANALYZER" tt-perf-report formula.csv --csv ops.csv
cut -d, -f1,4 ops.csv
cut -d, -f2 ops_stacked.csv
tail -c 2 ops.csv | od -An -c
echo "== hosts of one run, one without devices, whatever their names"
head='OP CODE,OP TYPE,DEVICE ID,GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns]\n'
printf '%b' "${head}(torch) add,python_fallback,,1,\n" >login.csv
printf '%b' "${head}Unary,tt_dnn_device,0,1024,1000\nUnary,tt_dnn_device,1,1025,3000\n" >first.csv
printf '%b' "${head}Unary,tt_dnn_device,0,1024,9000\nUnary,tt_dnn_device,1,1025,2000\n" >other.csv
"$ANALYZER" tt-perf-report login.csv first.csv other.csv --csv ops.csv
cut -d, -f1,4-6 ops.csv
echo "== control characters"
printf '%b' "${head}\033[31mRe\001d,tt_dnn_device,0,1024,1000\n" >red.csv
"$ANALYZER" tt-perf-report red.csv --csv ops.csv
cut -d, -f4 ops.csv
echo "== savings by cause, as in the verdict"
for kind in compiled untraced; do
    "$PYTHON" "$SRC/tests/gen/make_tracy_claims.py" --seed 1 --kind $kind --out $kind.csv || exit 99
    "$ANALYZER" tt-perf-report $kind.csv --no-summary 2>err | grep -A3 -E '^Est. saving|^Estimated saving'
done
echo "== categories that tt-perf-report does not know"
{
    printf '%b' "$head"
    for name in TopKDeviceOperation RotaryEmbeddingHfDeviceOperation MorehSumOperation MeshPartitionDeviceOperation PagedFillCacheDeviceOperation Mystery; do
        echo "$name,tt_dnn_device,0,,1000"
    done
} >names.csv
"$ANALYZER" run names.csv --no-summary -q --csv-dir out >err 2>&1
cut -d, -f4,25 out/ops.csv
"$ANALYZER" tt-perf-report names.csv --no-summary --csv there.csv
cut -d, -f25 there.csv | sort | uniq -c
