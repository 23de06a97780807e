#!/usr/bin/env python3
"""Ask profiles in SQL: the questions of src/docs/query.md are answered on an example of every profiler that is named with
them, and on no other; statements over the virtual tables give what the same statements give over plain tables of SQLite
with the same rows; nothing but reading is possible; limits and an interrupt end a statement.

    query_check.py --analyzer FILE --example-data DIR
The last line is "N passed, N failed".
"""
import argparse
import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "src", "docs", "query.md")
VENDORS = {
    "Nsight Systems": ["@/llama2_70b.sqlite"],
    "PyTorch": ["example/pytorch/train_step.json", "example/multirank/step_120"],
    "ROCm": ["@/rocprof/train_results.json"],
    "JAX": ["example/xplane/plugins/profile/train_step", "example/xplane/tpu"],
    "Tenstorrent": ["example/tracy/ops_perf_results_layers.csv"],
}
FACTS = ("kernels copies graphs ops calls os_calls ranges device_ranges frames syncs overheads allocs captured counters "
         "launches gaps steps lanes devices ranks args").split()

# Kineto's benchmark asks three: search by name, aggregate by name, select a window.
STATEMENTS = """
SELECT id, name, start_ns, dur_ns FROM kernels WHERE name LIKE '%gemm%' ORDER BY id
SELECT name, count(*), sum(dur_ns), avg(dur_ns), min(dur_ns), max(dur_ns) FROM kernels GROUP BY name ORDER BY name
SELECT id, name, dur_ns FROM kernels WHERE start_ns >= (SELECT min(start_ns) + 1000 FROM kernels) AND end_ns <= (SELECT min(start_ns) + 900000 FROM kernels) ORDER BY id
SELECT count(*) FROM kernels
SELECT count(*), sum(dur_ns) FROM kernels WHERE name = (SELECT name FROM kernels ORDER BY dur_ns DESC, id LIMIT 1)
SELECT id FROM kernels WHERE name GLOB '*a*' AND dur_ns > 100 ORDER BY id LIMIT 50
SELECT id FROM kernels WHERE name LIKE '%A%' AND device = 0 ORDER BY id LIMIT 50
SELECT id FROM kernels WHERE name IN (SELECT name FROM kernels WHERE id < 5) ORDER BY id
SELECT id FROM kernels WHERE name > 'm' AND name <= 's' ORDER BY name, id LIMIT 60
SELECT name FROM kernels ORDER BY name DESC LIMIT 7
SELECT id FROM kernels WHERE id BETWEEN 3 AND 9 ORDER BY id DESC
SELECT id FROM kernels WHERE id = 4 OR id = 7 ORDER BY id
SELECT id FROM kernels WHERE id = 4.0
SELECT id FROM kernels WHERE id > 3.5 AND id < 8.5 ORDER BY id
SELECT id FROM kernels WHERE id = '5'
SELECT id FROM kernels WHERE id = NULL OR name = NULL
SELECT start_ns FROM kernels ORDER BY start_ns DESC, id LIMIT 5
SELECT min(start_ns), max(end_ns), total(dur_ns) FROM kernels
SELECT step, family, count(*), sum(dur_ns) FROM kernels GROUP BY step, family ORDER BY step, family
SELECT work, class, count(*) FROM kernels GROUP BY work, class ORDER BY work, class
SELECT device, stream, sum(dur_ns) FROM kernels GROUP BY device, stream ORDER BY device, stream
SELECT op_name, sum(dur_ns) FROM kernels GROUP BY op_name ORDER BY op_name
SELECT count(*) FROM kernels WHERE op_name IS NULL
SELECT k.id, c.name FROM kernels k JOIN calls c ON c.id = k.call ORDER BY k.id LIMIT 100
SELECT c.id, count(k.id) FROM calls c LEFT JOIN kernels k ON k.call = c.id GROUP BY c.id ORDER BY c.id LIMIT 100
SELECT o.name, sum(k.dur_ns) FROM kernels k JOIN ops o ON o.id = k.op GROUP BY o.name ORDER BY o.name
SELECT p.name, o.name, count(*) FROM ops o JOIN ops p ON p.id = o.parent GROUP BY p.name, o.name ORDER BY p.name, o.name
SELECT name, bytes, gb_per_s FROM copies ORDER BY bytes DESC, id LIMIT 20
SELECT kind, source, destination, count(*), sum(bytes) FROM copies GROUP BY kind, source, destination ORDER BY kind, source, destination
SELECT call_name, count(*), max(wait_ns) FROM launches GROUP BY call_name ORDER BY call_name
SELECT cause, count(*), sum(dur_ns) FROM gaps GROUP BY cause ORDER BY cause
SELECT s.step, count(*) FROM steps s JOIN gaps g ON g.start_ns >= s.start_ns AND g.start_ns < s.end_ns AND g.rank = s.rank GROUP BY s.step ORDER BY s.step
SELECT l.side, l.device, l.stream, l.thread, count(*) FROM lanes l GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
SELECT DISTINCT name FROM calls ORDER BY 1
SELECT name, rank() OVER (ORDER BY sum(dur_ns) DESC, name) FROM kernels GROUP BY name ORDER BY 2, 1 LIMIT 10
SELECT name FROM kernels WHERE name = 'x' COLLATE NOCASE UNION SELECT name FROM calls ORDER BY 1 LIMIT 20
""".strip().splitlines()

REFUSED = ["DELETE FROM kernels", "UPDATE kernels SET name = ''", "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "DROP TABLE kernels",
           "ATTACH 'x.db' AS y", "VACUUM INTO 'x.db'", "VACUUM", "PRAGMA journal_mode", "PRAGMA temp_store_directory = '/'",
           "PRAGMA writable_schema = 1", "SELECT load_extension('x')", "SELECT writefile('x.db', 'a')", "BEGIN", "SAVEPOINT a", "ANALYZE",
           "SELECT randomblob(10)", "INSERT INTO sqlite_master VALUES(1, 2, 3, 4, 5)", "SELECT * FROM pragma_journal_mode",
           "CREATE VIEW v AS SELECT 1", "DETACH main", "SELECT \"not a column\" FROM kernels", "SELECT 1 FROM kernels WHERE", "nonsense"]


class Asker:
    def __init__(self, analyzer, data):
        self.analyzer, self.data = analyzer, data

    def path(self, name):
        return name.replace("@", self.data) if name.startswith("@") else os.path.join(ROOT, name)

    def run(self, name, sql, *options, **more):
        return subprocess.run([self.analyzer, "query", "-q", self.path(name)] + ([sql] if sql is not None else []) + list(options),
                              capture_output=True, text=True, timeout=120, stdin=more.get("stdin", subprocess.DEVNULL))

    def rows(self, name, sql):
        r = self.run(name, sql, "--format", "json", "--max-rows", "0")
        return json.loads(r.stdout)["rows"] if r.returncode == 0 and r.stdout else None


def questions():
    text = open(PAGE, encoding="utf-8").read()
    for m in re.finditer(r"^### (3\.\d+ [^\n]*)\n(.*?)```sql\n(.*?)```", text, re.S | re.M):
        named = [v for v in VENDORS if v in m.group(2)]
        yield m.group(1), named, m.group(3).strip()


def check_page(c, ask):
    n = 0
    for title, named, sql in questions():
        n += 1
        for vendor, inputs in VENDORS.items():
            results = [ask.run(i, sql, "--format", "csv") for i in inputs]
            lines = max(len(r.stdout.splitlines()) for r in results)
            bad = [r.stderr for r in results if r.returncode]
            c.hold(not bad, "%s runs on %s" % (title, vendor), bad and bad[0])
            c.hold((lines > 1) == (vendor in named), "%s %s %s" % (title, "is answered by" if vendor in named else "is not of", vendor),
                   "%d lines, as the page does not say" % lines)
    c.hold(n >= 20, "the page has twenty questions", n)


def plain(ask, name):
    """The tables of facts as plain tables with the usual indexes."""
    db = sqlite3.connect(":memory:")
    for table in FACTS:
        schema = ask.run(name, ".schema " + table).stdout
        db.execute(re.sub(r" -- .*", "", schema))
        rows = ask.rows(name, "SELECT * FROM " + table)
        if rows:
            db.executemany("INSERT INTO %s VALUES(%s)" % (table, ",".join("?" * len(rows[0]))), rows)
        for column in ("id", "start_ns", "name", "call", "op"):
            if '"%s"' % column in schema:
                db.execute("CREATE INDEX %s_%s ON %s(%s)" % (table, column, table, column))
    return db


def check_equal(c, ask):
    for vendor, inputs in VENDORS.items():
        for name in inputs:
            db = plain(ask, name)
            for sql in STATEMENTS:
                want = [list(r) for r in db.execute(sql).fetchall()]
                got = ask.rows(name, sql)
                c.hold(got == want, "%s, %s: %s" % (vendor, os.path.basename(name), sql[:60]), "%s instead of %s" % (str(got)[:150], str(want)[:150]))
            db.close()


def check_refused(c, ask):
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        for sql in REFUSED:
            r = ask.run("example/pytorch/train_step.json", sql + " ;")
            c.hold(r.returncode == 2 and r.stderr and not r.stdout, "refused: " + sql, r.stdout + r.stderr)
        c.hold(os.listdir(folder) == [], "nothing was written", os.listdir(folder))
        os.chdir(here)


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


def check_limits(c, ask):
    one = "example/pytorch/train_step.json"
    r = ask.run(one, "SELECT id FROM kernels", "--max-rows", "3", "--format", "csv")
    c.hold(r.returncode == 3 and r.stdout == "id\n1\n2\n3\n", "--max-rows cuts and says so by the exit status", r)
    r = ask.run(one, "SELECT id FROM kernels LIMIT 3", "--max-rows", "3", "--format", "json")
    c.hold(r.returncode == 0 and json.loads(r.stdout) == {"columns": ["id"], "rows": [[1], [2], [3]], "cut": False}, "a result as long as the limit is whole", r)
    begin = time.monotonic()
    r = ask.run(one, ENDLESS, "--timeout", "0.5")
    c.hold(r.returncode == 3 and "0.5 s" in r.stderr and time.monotonic() - begin < 20, "--timeout ends a statement", r)
    r = ask.run(one, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000000) SELECT count(*) FROM (SELECT x FROM c ORDER BY -x LIMIT 3000000)",
                "--query-memory", "8M")
    c.hold(r.returncode == 3 and "memory" in r.stderr, "--query-memory ends a statement", r)
    r = ask.run(one, "SELECT '%s'" % ("x" * 100000) + " " * 20000)
    c.hold(r.returncode == 0, "a long statement", r.stderr)
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as f:
        f.write("SELECT 1" + " " * 1100000 + ";\n")
        f.flush()
        r = ask.run(one, None, "-f", f.name)
        c.hold(r.returncode == 3 and "bytes" in r.stderr, "a statement above a million bytes", r)
    r = ask.run(one, "SELECT length(replace(printf('%900000s', ''), ' ', 'xxxx'))")
    c.hold(r.returncode != 0 and r.stderr, "a value that is too long", r.stderr)
    p = subprocess.Popen([ask.analyzer, "query", ask.path(one), ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    c.hold(p.returncode == 130 and "interrupted" in err, "SIGINT ends a statement", (p.returncode, out, err))


def check_forms(c, ask):
    one = "example/pytorch/train_step.json"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as f:
        f.write("-- two statements\nSELECT 1 AS a;\nSELECT\n 2 AS b,\n 'x' AS c;\n.tables\nSELECT 3")
        f.flush()
        r = ask.run(one, None, "-f", f.name, "--format", "csv")
        c.hold(r.returncode == 0 and r.stdout.startswith("a\n1\nb,c\n2,x\nname,kind,rows,title\nkernels,fact,") and r.stdout.endswith("3\n3\n"), "statements of a file", r)
        with open(f.name) as again:
            s = ask.run(one, None, "--format", "csv", stdin=again)
        c.hold(s.stdout == r.stdout and s.returncode == 0, "statements of standard input", s)
    text = ask.run(one, "SELECT name, dur_ns, NULL AS n, 1.5 AS r FROM kernels ORDER BY dur_ns DESC, id LIMIT 2")
    c.hold(text.stdout.splitlines()[0].split() == ["name", "dur_ns", "n", "r"] and len(set(map(len, text.stdout.splitlines()))) == 1, "aligned text", text.stdout)
    two = subprocess.run([ask.analyzer, "query", "-q", ask.path(one), ask.path("example/xplane/tpu"), "--format", "csv",
                          "SELECT input, count(*) FROM kernels GROUP BY input ORDER BY 1"], capture_output=True, text=True, timeout=60)
    c.hold(two.returncode == 0 and len(two.stdout.splitlines()) == 3, "two inputs of two formats in one table", two)
    both = subprocess.run([ask.analyzer, "query", "-q", ask.path(one), ask.path("example/xplane/tpu"), "--format", "csv",
                           "SELECT count(DISTINCT input) FROM time_by_family"], capture_output=True, text=True, timeout=60)
    c.hold(both.stdout.splitlines()[-1:] == ["2"], "a table of two reports", both)
    missing = ask.run("no/such/file.json", "SELECT 1")
    c.hold(missing.returncode in (2, 3) and missing.stderr, "an input that is not there", missing)


def check_report(c, ask):
    """A table of the report has the rows that the JSON report has."""
    for inputs in VENDORS.values():
        name = inputs[0]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ask.analyzer, "run", "-q", ask.path(name), "--format", "json", "-o", folder], timeout=120, check=False, stdout=subprocess.DEVNULL)
            files = [os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".json")]
            tables = [t for t in json.load(open(files[0]))["tables"]]
        facts = set(FACTS) | {"tables", "columns"}
        script = "".join('SELECT * FROM "%s";\n' % (("report_" if t["id"] in facts else "") + t["id"]) for t in tables)
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as f:
            f.write(script)
            f.flush()
            r = ask.run(name, None, "-f", f.name, "--format", "json")
        docs, decoder, at = [], json.JSONDecoder(), 0
        while at < len(r.stdout):
            one, end = decoder.raw_decode(r.stdout, at)
            docs.append(one)
            at = end + 1
        same = len(docs) == len(tables) and all(
            [[int(v) if isinstance(v, bool) else v for v in row] for row in t["rows"]] == [row[1:] for row in d["rows"]] for t, d in zip(tables, docs))
        c.hold(same, "tables of the report of " + os.path.basename(name), r.stderr or [t["id"] for t, d in zip(tables, docs) if len(t["rows"]) != len(d["rows"])])


def main():
    # ignored where this runs in the background, and so by what it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--example-data", default=os.path.join(ROOT, "build", "example-data"))
    p.add_argument("--only", default="page equal refused limits forms report")
    a = p.parse_args()
    c, ask = Checks(quiet=True), Asker(os.path.abspath(a.analyzer), os.path.abspath(a.example_data))
    for name in a.only.split():
        globals()["check_" + name](c, ask)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
