# Options of tt-perf-report and GPU-Perf-Analyzer: what each changes in the text and the outputs; wrong values.
exec 2>&1
unset COLUMNS
call() {
    echo "== $*"
    "$ANALYZER" "$@"
    echo "exit $?"
}
written() { # the files that came since the last call, and the sheets of books
    find . -newer stamp -type f ! -name stamp | sort
    touch stamp
}
cp "$SRC/example/tracy/ops_perf_results_layers.csv" ops.csv
touch stamp
sleep 0.02
echo "-- tt-perf-report"
t() { call tt-perf-report ops.csv "$@"; }
t --print-signposts --no-color | head -n 30
t -q --csv flat.csv --no-summary
t -q --csv flat.csv --summary-file stacked.csv --group-by category
written | grep -v '^./[a-z-]*[ /]'
wc -l flat*.csv stacked*.csv
"$ANALYZER" tt-perf-report ops.csv --no-color >default 2>&1
for option in --ignore-signposts '--min-percentage 5' '--id-range 3-6' --no-advice --tracing-mode --raw-op-codes --no-host-ops --no-stacked-report --no-stack-by-in0 \
    --no-merge-devices '--arch wormhole' '--start-signpost x' '--end-signpost x' '--signpost x' '--active-experts 2' --classic-colors; do
    echo "== $option"
    # shellcheck disable=SC2086 # an option and its value
    "$ANALYZER" tt-perf-report ops.csv $option --no-color >text 2>&1
    echo "exit $?, $(diff default text | grep -c '^[<>]') lines differ"
    diff default text | grep '^> .*[a-z]' | head -n 4
done
t --arch none
t --active-experts 0
t --id-range 6-3 -q
t --id-range x -q
t --group-by none
t --min-percentage x
echo "-- GPU-Perf-Analyzer"
call gpu-perf-analyzer
call gpu-perf-analyzer --config ''
call gpu-perf-analyzer --config none.json
call gpu-perf-analyzer --config none.json x
