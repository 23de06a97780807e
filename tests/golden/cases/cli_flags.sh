# Keys of the option table as long options, in the spelling of the tools they come from; words of a configuration that are
# misspelled, contradict one another or mean nothing to the format.
run() { echo "== $*"; "$ANALYZER" "$@" 2>&1; echo "exit $?"; }
json=$SRC/example/pytorch/train_step.json
tracy=$SRC/example/tracy/ops_perf_results_layers.csv
cp "$json" trace.json
cp "$tracy" ops.csv

echo "== spellings"
for flag in --topk_ops=3 --topk-ops=3 "--topk_ops 3" "--opt topk_ops=3"; do
    # shellcheck disable=SC2086 # some are two words
    "$ANALYZER" run trace.json $flag -q --csv-dir t && wc -l <t/ops_all.csv && rm -r t
done
echo "== booleans without a value, or with one"
for flag in --short_kernel_study --short-kernel-study=true --short_kernel_study=no; do
    "$ANALYZER" run trace.json "$flag" -q --csv-dir t && find t -name '*short*' | sort && rm -r t
done
echo "== places of outputs and inputs by their names in TraceLens"
"$ANALYZER" run --profile_json_path trace.json --output_xlsx_path x.xlsx --output_csvs_dir t -q
ls x.xlsx t/gpu_timeline.csv
"$ANALYZER" run --profile_path "$SRC/example/xplane/tpu/tpu.xplane.pb" --dry-run | head -n 1
echo "== files of tt-perf-report"
run run ops.csv --csv report.csv --signpost end --no-color -q
run run ops.csv --csv report.csv --summary-file sums --start-signpost "warm-up" --end_signpost "iteration" --no-advice -q
run run ops.csv --csv report.csv --no-summary --ignore-signposts --id-range 5-12 --min-percentage 1 --dry-run
run run ops.csv ops.csv "$json" --csv report.csv --dry-run
cat >two.json <<END
{ "inputs": [ { "path": "ops.csv" }, { "path": "ops.csv", "title": "b" } ] }
END
run run --config=two.json --csv report.csv --dry-run
head -n 2 report.csv sums.csv report_stacked.csv
echo "== colour"
for flag in --color --color=always "--color always" --no-color "--color never"; do
    # shellcheck disable=SC2086
    "$ANALYZER" run $flag trace.json | head -n 1 | grep -c "$(printf '\033')"
done
run run --color sometimes trace.json
run run --no-color=yes trace.json
echo "== the nearest"
run run trace.json --topk-opz 3
run run trace.json --min_percantage=3
run run trace.json --confg x
run run trace.json --opt topk_opz=3
run run trace.json --topk_ops
run run trace.json --topk_ops many
run run trace.json --group-by memry
run gate trace.json trace.json --topk-opz 3
run classify ops.csv --num_of_itres=2

echo "== options of another format"
"$ANALYZER" run trace.json --id-range 3-4 --opt topk_kernels=3 --topk_ops=3 -q --strict --dry-run
"$ANALYZER" run trace.json ops.csv --id-range 3-4 --topk-ops 3 --topk_kernels 3 --dry-run 2>&1 | grep effect
cat >auto.json <<END
{ "options": { "id_range": "1-2", "topk_kernels": 3 }, "inputs": [
  { "path": "trace.json", "options": { "id_range": "1-3" } },
  { "path": "ops.csv", "thresholds": { "short_kernel_us": 3, "low_cores": 3 } } ] }
END
run check-config auto.json

echo "== words"
bad() { cat >bad.json && run check-config bad.json; }
bad <<END
{ "inputs": [ { "path": "trace.json", "format": "pytorh", "outputs": { "formats": [ "jsn", "text" ] } } ] }
END
bad <<END
{ "inputs": [ { "path": "trace.json", "thresholds": { "short_kernel_us": 5 }, "options": { "short_kernel_threshold_us": 3 } },
              { "path": "trace.json", "thresholds": { "short_kernel_us": 5 }, "options": { "short_kernel_threshold_us": 5.0 } },
              { "path": "ops.csv", "device": "n150", "options": { "gpu_arch_platform": "p150" } } ] }
END
bad <<END
{ "inputs": [ { "path": "trace.json" } ],
  "gates": { "baseline": "b.json", "rules": [ { "rel": 5, "severity": "fial" }, { "rel": 1 }, { "max": 1, "min": 2 } ] } }
END
bad <<END
{ "inputs": [ { "path": "trace.json" }, { "path": "missing.json" }, { "path": "none*.json", "optional": true } ] }
END
echo "== a profile as configuration"
run --config=trace.json
run check-config ops.csv
run compare --config trace.json
echo "== a script of another tool"
echo 'x = 1' >hooks.py
run run trace.json ops.csv --extension_file hooks.py
bad <<END
{ "extension_file": "hooks.py", "inputs": [ { "path": "trace.json" } ] }
END
echo "== hyphens, and booleans without a value, after --opt, too; a number that is too large"
run run trace.json -q --opt topk-ops=3 --opt include-unlinked-kernels
run run trace.json -q --opt topk-ops
run run trace.json -q --num-of-iters=1e15
echo "== a path that cannot be reached is no unknown command"
ln -s loop loop
"$ANALYZER" loop 2>&1
echo "exit $?"
"$ANALYZER" compare loop loop 2>&1
echo "exit $?"
rm loop
