# The fact tables of each format: their first rows whole.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" . --steps 1 --only json || exit 99
"$PYTHON" "$SRC/tests/gen/make_pytorch_trace.py" trace.json --steps 2 --layers 1 --frames --rank 1 --world 4 || exit 99
"$PYTHON" "$SRC/tests/gen/make_nsys_sqlite.py" . edges_v3_4 >/dev/null || exit 99
facts='kernels copies graphs ops calls os_calls ranges device_ranges frames syncs overheads allocs captured counters launches gaps
    steps lanes devices ranks args'
for f in trace.json edges_v3_4.sqlite train_results.json "$SRC/example/xplane/tpu/tpu.xplane.pb" "$SRC/example/pytorch/inference.json"; do
    for t in $facts; do
        echo "-- $(basename "$f") $t"
        "$ANALYZER" query -q "$f" --format csv "SELECT * FROM $t ORDER BY id LIMIT 3" 2>&1
    done
done
q() {
    echo "-- $*"
    "$ANALYZER" query trace.json --format csv "$@" 2>&1
    echo "$?"
}
q "SELECT count(*), min(start_ns), max(end_ns), sum(dur_ns) FROM kernels WHERE start_ns >= (SELECT min(start_ns) + 100000 FROM kernels) AND start_ns < (SELECT max(start_ns) - 100000 FROM kernels)"
q "SELECT count(*) FROM kernels WHERE id = 0 OR id = 3"
q "SELECT id, name FROM ops WHERE parent IS NULL AND dur_ns > 20000 ORDER BY start_ns DESC LIMIT 3"
q "SELECT k.name, c.name, o.name FROM kernels k JOIN calls c ON c.id = k.call JOIN ops o ON o.id = k.op WHERE k.id BETWEEN 2 AND 4"
q "SELECT family, count(*), sum(dur_ns) FROM kernels GROUP BY family HAVING count(*) > 1 ORDER BY 3 DESC"
q "SELECT step, count(*), sum(bytes) FROM copies GROUP BY step"
q "SELECT 1.5, 'a,b', NULL, x'00ff', -9223372036854775808, 1e300"
q "SELECT 1; SELECT 2"
q --max-rows 2 "SELECT id FROM kernels"
q --timeout 1 "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r"
q --query-memory 1M "SELECT length(group_concat(a.name || b.name || c.name)) FROM kernels a, kernels b, kernels c"
printf 'SELECT count(*) FROM ops;\n-- comment\nSELECT count(*) FROM\n calls;\n.tables\n.schema steps\n.odd\n' >s.sql
"$ANALYZER" query trace.json --file s.sql 2>&1 | grep -v ' report '
