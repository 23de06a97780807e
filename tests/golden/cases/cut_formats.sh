# Windows of each format as profiles: their tables are those of the input with the same window.
same() {
    input=$1
    shift
    rm -rf whole part made
    echo "== $(basename "$input") $*"
    "$ANALYZER" cut "$input" "$@" -o made 2>&1 || return
    "$ANALYZER" run "$input" "$@" --csv-dir whole -q
    "$ANALYZER" run made --csv-dir part -q
    # what is said of the file
    sed -i 's/, part: [^,"]*//' whole/verdict.csv part/verdict.csv 2>/dev/null
    diff -rq -x coverage.csv -x facts.csv whole part
    find part -name '*.csv' | wc -l
}
R=$EXAMPLE_DATA/rocprof
mkdir set counters run
for f in "$R"/train_*.csv; do
    cp "$f" set
    name=${f##*/train_}
    cp "$f" "run/4711_$name"
    cp "$f" "run/4712_$name"
    case $name in *counter* | *agent*) cp "$f" counters ;; esac
done
# Ids that several calls share, the later call in an earlier row: the first one counts.
cp "$EXAMPLE_DATA/llama2_70b.sqlite" repeated.sqlite
"$PYTHON" - <<'END'
import sqlite3
with sqlite3.connect("repeated.sqlite") as db:
    calls = "CUPTI_ACTIVITY_KIND_RUNTIME"
    names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % calls)]
    rows = db.execute("SELECT %s FROM %s" % (", ".join(names), calls)).fetchall()
    start, end = names.index("start"), names.index("end")
    last = max(r[end] for r in rows)
    late = []
    for i, row in enumerate(rows[::3]):
        row = list(row)
        row[start], row[end] = last - 10 * i, last - 10 * i + 5
        late.append(row)
    db.execute("DELETE FROM %s" % calls)
    db.executemany("INSERT INTO %s VALUES (%s)" % (calls, ", ".join("?" * len(names))), late + rows)
END
same repeated.sqlite --from 20% --to 60%
for window in "--from 20% --to 60%" "--steps 1-2"; do
    # shellcheck disable=SC2086 # words
    set -- $window
    same "$EXAMPLE_DATA/llama2_70b.sqlite" "$@"
    same "$R/train_results.db" "$@"
    same "$R/train_results.json" "$@"
    same set "$@"
    same run "$@"
    same counters "$@"
    same "$SRC/example/xplane/tpu/tpu.xplane.pb" "$@"
    same "$SRC/example/xplane/plugins/profile/train_step/alpha.xplane.pb" "$@"
done
:
