# DIR/HOST/PID_*: the processes of a host are one trace, the hosts of a folder one run. Their clocks are days apart.
"$PYTHON" "$SRC/tests/gen/make_rocprof_examples.py" made || exit 99
cat >later.py <<'PY'
import csv
import sys
rows = list(csv.reader(open(sys.argv[1])))
times = [i for i, title in enumerate(rows[0]) if title.endswith("_Timestamp")]
for row in rows[1:]:
    for i in times:
        row[i] = str(int(row[i]) + 250000000000000)
csv.writer(open(sys.argv[2], "w"), lineterminator="\n").writerows(rows)
PY
for pid in 4711 4712; do
    mkdir -p runs/one/node1 runs/one/node2 runs/two/node1 data/node1 data/node2
    for f in kernel_trace memory_copy_trace hip_api_trace agent_info; do
        cp made/train_$f.csv runs/one/node1/${pid}_$f.csv
        cp made/train_$f.csv runs/two/node1/${pid}_$f.csv
        "$PYTHON" later.py made/train_$f.csv runs/one/node2/${pid}_$f.csv
    done
    cp made/train_results.db data/node1/${pid}_results.db
    cp made/train_results.db data/node2/${pid}_results.db
done
for d in runs/one runs/one/node1 runs/one/node2 data; do
    "$ANALYZER" $d | head -n 3
done
"$ANALYZER" run runs --dry-run | grep -v reads
# both hosts by name are two inputs
"$ANALYZER" run runs/one/node1 runs/one/node2 --dry-run | grep -v reads
"$ANALYZER" cut runs/one --from 10% --to 60% -o part
(cd part && ls ./*)
"$ANALYZER" part | sed 1d >cut.txt
"$ANALYZER" runs/one --from 10% --to 60% | sed 1d | cmp - cut.txt && echo equal
