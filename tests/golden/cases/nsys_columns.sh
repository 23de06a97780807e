# Exports of Nsight Systems without one of their tables or columns: what is read of each, or the message.
"$PYTHON" "$SRC/tests/gen/make_ties.py" a.json --seed 25 --steps 3 || exit 99
"$PYTHON" "$SRC/tests/gen/make_ties_nsys.py" a.json a.sqlite || exit 99
"$PYTHON" - <<'P'
import hashlib, os, shutil, sqlite3, subprocess

ANALYZER = os.environ["ANALYZER"]


def report(what, statement):
    shutil.copy("a.sqlite", "b.sqlite")
    db = sqlite3.connect("b.sqlite", isolation_level=None)
    db.execute(statement)
    db.close()
    shutil.rmtree("out", ignore_errors=True)
    done = subprocess.run([ANALYZER, "run", "-q", "--csv-dir", "out", "b.sqlite"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False)
    h = hashlib.sha256()
    for name in sorted(os.listdir("out")) if os.path.isdir("out") else []:
        with open(os.path.join("out", name), "rb") as f:
            h.update(name.encode() + b"".join(row for row in f if not row.startswith((b"tool,", b"input "))))
    print("%-60s %d %s %s" % (what, done.returncode, h.hexdigest()[:12], done.stderr.strip().replace("analyzer: ", "")))


db = sqlite3.connect("a.sqlite")
tables = [t for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
columns = [(t, c[1]) for t in tables for c in db.execute("PRAGMA table_info(%s)" % t) if not c[5]]
db.close()
report("whole", "SELECT 1")
for t in tables:
    report(t, "DROP TABLE %s" % t)
    report(t + " empty", "DELETE FROM %s" % t)
for t, c in columns:
    report(t + "." + c, 'ALTER TABLE %s RENAME COLUMN "%s" TO other' % (t, c))
for t, c in [x for x in columns if x[0] != "StringIds"]:
    report(t + "." + c + " NULL", 'UPDATE %s SET "%s" = NULL' % (t, c))
P
