# A configuration for files, to begin with: one trace, the ranks of a run, the CSVs of an Nsight report with a class map,
# operation reports, a mixed folder; each passes check-config. What has no profile has no configuration.
cp "$SRC"/example/pytorch/train_step.json trace.json
cp -r "$SRC"/example/multirank/step_120 ranks
cp "$SRC"/tests/data/nsys/tiny_*.csv .
cp "$SRC"/example/tracy/ops_perf_results_host0.csv ops.csv
mkdir mixed && cp trace.json ops.csv mixed && echo text >mixed/notes.txt
i() {
    echo "== $*"
    "$ANALYZER" init "$@" >config.json
    echo "exit $?"
    "$ANALYZER" check-config config.json && cat config.json
}
i trace.json
i ranks
i tiny_*.csv
i ops.csv
i mixed
sed 's/sm90_xmma_gemm_[a-z0-9_]*/own_product_v2/g' trace.json >own.json
i own.json
sed -i 's|^    // \("kernel\|    "\|}\)|    \1|' config.json # as the comment says
"$ANALYZER" check-config config.json
echo "== nothing there"
echo text >notes.txt
"$ANALYZER" init notes.txt missing.json
echo "exit $?"
echo "== probe says what they hold"
"$ANALYZER" probe trace.json ranks ops.csv
