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
cat >other.py <<'PY'
import sqlite3
import sys
with sqlite3.connect(sys.argv[1]) as db:
    table, = db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name LIKE 'rocpd_info_node%'").fetchone()
    db.execute(f'UPDATE "{table}" SET hostname = "other-host", machine_id = "1"')
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
    "$PYTHON" other.py data/node2/${pid}_results.db
    for run in run1 run2; do # of one machine: two runs, and no hosts
        mkdir -p same/db/$run same/json/$run
        cp made/train_results.db same/db/$run/${pid}_results.db
        cp made/train_results.json same/json/$run/${pid}_results.json
    done
done
for d in runs/one runs/one/node1 runs/one/node2 data; do
    "$ANALYZER" $d | head -n 3
done
"$ANALYZER" run runs --dry-run | grep -v reads
"$ANALYZER" run same/db --dry-run | grep -v reads
"$ANALYZER" run same/json --dry-run | grep -v reads
"$ANALYZER" run runs/one --dry-run -v 2>&1 | grep "form one"
"$ANALYZER" run data --dry-run -v 2>&1 | grep "form one"
# both hosts by name are two inputs
"$ANALYZER" run runs/one/node1 runs/one/node2 --dry-run | grep -v reads
"$ANALYZER" cut runs/one --from 10% --to 60% -o part
(cd part && ls ./*)
"$ANALYZER" part | sed 1d >cut.txt
"$ANALYZER" runs/one --from 10% --to 60% | sed '1d; s/ part: [^,]*,//' | cmp - cut.txt && echo equal
