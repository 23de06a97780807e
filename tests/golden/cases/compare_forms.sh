# Comparisons of profiles of different profilers, saved in different forms, with equal and unlike steps, devices and ranks:
# the whole text, of the tables rows and digests.
gen=$SRC/tests/gen
for s in 41 42; do
    "$PYTHON" "$gen/make_ties.py" $s.json --seed $s --steps $((s - 38)) || exit 99
    "$PYTHON" "$gen/make_ties_nsys.py" $s.json $s.sqlite || exit 99
    "$PYTHON" "$gen/make_ties_xplane.py" $s.xplane.pb $s || exit 99
    "$PYTHON" "$gen/make_ties_tracy.py" "$SRC/example/tracy/ops_perf_results_layers.csv" ops$s.csv $s || exit 99
done
"$PYTHON" "$gen/make_ties_rocprof.py" roc 41 42 || exit 99
mkdir ranks
for r in 0 1; do
    "$PYTHON" "$gen/make_ties.py" ranks/rank_$r.json --seed 41 --rank $r --world 2 || exit 99
done
for s in 41 42; do
    "$ANALYZER" run $s.json -q -o saved --format json,csv,xlsx,sqlite || exit 99
done
n=0
pair() { # inputs and options
    n=$((n + 1))
    echo "######## $*"
    COLUMNS=110 "$ANALYZER" compare "$@" --csv-dir out/$n 2>&1
    echo "exit $?"
}
pair 41.json 42.json
pair 42.json 41.json
pair 41.json 41.json
pair 41.json 41.sqlite
pair 41.sqlite 42.sqlite 41.json --baseline best
pair 41.json saved/42_perf_report_csvs
pair saved/41_perf_report_csvs 42.json
pair saved/41_perf_report_csvs saved/42_perf_report_csvs
pair saved/41_perf_report.json saved/42_perf_report.xlsx
pair saved/41_perf_report.sqlite saved/42_perf_report.json
pair 41.json saved/41_perf_report.sqlite
pair 41.xplane.pb 42.xplane.pb
pair 42.xplane.pb 41.json
pair ops41.csv ops42.csv
pair ops41.csv 41.json
pair roc/ties_results.json roc/ties_results.db
pair roc/ties_results.json 42.json
pair ranks 41.json
pair 41.json ranks --basis recording
pair 41.json 42.json --normalize --basis step --tree --all-sheets -v
pair 41.json 42.json --sheets 'ops_*,kernel_summary' --names long,short
"$PYTHON" "$SRC/tests/golden/digests.py" out/*
