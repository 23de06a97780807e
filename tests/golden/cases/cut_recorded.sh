# Windows of recorded traces, packed and unpacked, as profiles: their tables are those of the input with the same window, but for
# the numbers of events in the file.
for f in jax_input jax_scan jax_unrolled; do
    cp "$SRC/tests/data/recorded/$f.xplane.pb.gz" . && gzip -dk $f.xplane.pb.gz || exit 99
done
for f in data_range graph_replay; do
    cp "$SRC/tests/data/recorded/$f.pt.trace.json.gz" . && gzip -dk $f.pt.trace.json.gz || exit 99
done
for window in "--from 20% --to 60%" "--from 55% --to 56%" "--steps 1-2" "--steps 3"; do
    for input in *.gz *.pb *.json; do
        # shellcheck disable=SC2086 # words
        set -- $window
        rm -rf whole part made
        echo "== $input $*"
        "$ANALYZER" cut "$input" "$@" -o made 2>&1 || continue
        "$ANALYZER" run "$input" "$@" --csv-dir whole -q 2>/dev/null
        "$ANALYZER" run made --csv-dir part -q 2>/dev/null
        sed -i 's/, part: [^,"]*//' whole/verdict.csv part/verdict.csv 2>/dev/null
        diff -rq -x coverage.csv -x facts.csv whole part | sed 's/^Only/only/'
        find part -name '*.csv' | wc -l
    done
done
