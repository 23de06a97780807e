# SQL over two formats at once, of the report, and what is refused; prompt and files are in tests/query_check.py.
a() { "$ANALYZER" query "$@"; echo "$?"; }
T=$SRC/example/pytorch/train_step.json
a "$T" "SELECT name, count(*) AS n, sum(dur_ns) AS ns FROM kernels GROUP BY name ORDER BY ns DESC, name LIMIT 4"
a "$T" "$SRC/example/tracy/ops_perf_results_layers.csv" --format csv "SELECT input, count(*) FROM kernels GROUP BY input ORDER BY 1"
a "$T" --format json "SELECT type, time_ms FROM gpu_timeline LIMIT 2"
a "$T" ".schema steps"
a "$T" .schema steps 2>&1
a "$T" --max-rows 1 "SELECT id FROM kernels" 2>&1
a "$T" "DELETE FROM kernels" 2>&1
a "$T" "ATTACH 'x.db' AS x" 2>&1
a "$T" "SELECT nothing FROM kernels" 2>&1
a missing.json "SELECT 1" 2>&1
a 2>&1
ls
