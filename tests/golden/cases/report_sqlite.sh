# A report as a database: equal runs give equal files, and compare, gate and query read it back.
"$ANALYZER" run -q "$SRC"/example/pytorch/train_step.json --format sqlite,json -o one
"$ANALYZER" run -q "$SRC"/example/pytorch/train_step.json --format sqlite -o two
cmp one/train_step_perf_report.sqlite two/train_step_perf_report.sqlite && echo equal
"$PYTHON" - <<'END'
import json, sqlite3
db = sqlite3.connect("file:one/train_step_perf_report.sqlite?mode=ro", uri=True)
print(db.execute("PRAGMA integrity_check").fetchall(), db.execute("SELECT * FROM meta WHERE key != 'input' ORDER BY key").fetchall())
print(db.execute("SELECT column_name, header, title, type, unit, direction, key FROM columns WHERE table_name = 'gpu_timeline'").fetchall())
print(*[r[0] for r in db.execute("SELECT sql FROM sqlite_master WHERE tbl_name IN ('meta', 'tables', 'columns', 'gpu_timeline', 'findings') OR type = 'index' ORDER BY name")], sep="\n")
print("indexed:", [r[0] for r in db.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'index' AND name LIKE '%_by_key' ORDER BY 1")])
print("at least 256 rows and a key:", [r[0] for r in db.execute("SELECT name FROM tables t WHERE rows >= 256 AND (SELECT max(key) FROM columns WHERE table_name = t.name) ORDER BY 1")])
for t in json.load(open("one/train_step_perf_report.json"))["tables"]:
    name = db.execute("SELECT name FROM tables WHERE id = ?", (t["id"],)).fetchone()[0]
    rows = [list(r) for r in db.execute('SELECT * FROM "%s" ORDER BY rowid' % name)]
    if rows != [[int(v) if isinstance(v, bool) else v for v in r] for r in t["rows"]]:
        print("not equal", t["id"])
END
"$ANALYZER" query one/train_step_perf_report.sqlite "SELECT type, time_ms FROM gpu_timeline LIMIT 3"
"$ANALYZER" compare one/train_step_perf_report.sqlite one/train_step_perf_report.json | head -3
"$ANALYZER" gate one/train_step_perf_report.sqlite one/train_step_perf_report.json | head -2
head -c 9000 one/train_step_perf_report.sqlite >cut.sqlite
"$ANALYZER" query cut.sqlite "SELECT 1 FROM gpu_timeline" 2>&1
echo "$?"
"$ANALYZER" run -q "$SRC"/example/pytorch/train_step.json --format sqlite --opt database_events=true -o events
"$PYTHON" - <<'END'
import sqlite3
db = sqlite3.connect("file:events/train_step_perf_report.sqlite?mode=ro", uri=True)
print(db.execute("SELECT o.name, count(*), sum(k.dur_ns) FROM kernels k JOIN ops o ON o.id = k.op GROUP BY o.name ORDER BY 3 DESC LIMIT 3").fetchall())
print(db.execute("SELECT count(*) FROM events_steps").fetchall(), db.execute("PRAGMA integrity_check").fetchall())
END
