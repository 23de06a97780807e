"""What is read of a file that lacks one of its keys or columns, or has an odd value there: the exit status,
the tables that differ, the messages.
    usage: without.py FILE [VALUE...]       FILE.json: keys by their path, of events by category; FILE.csv, .sqlite: columns
"""
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys

ANALYZER, source, values = os.environ["ANALYZER"], sys.argv[1], sys.argv[2:]
copy = "less" + os.path.splitext(source)[1] if source.endswith((".json", ".sqlite")) else os.path.join("less", os.path.basename(source))


whole = {}  # of the first report, with which the others are compared


def tables_of(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as f:
                found[name[:-4]] = b"".join(row for row in f if not row.startswith((b"tool,", b"input ")))
    return found


def report(what):
    shutil.rmtree("out", ignore_errors=True)
    done = subprocess.run([ANALYZER, "run", "-q", "--csv-dir", "out", copy], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          text=True, check=False)
    tables = tables_of("out")
    if not whole:
        whole.update(tables)
    differ = sorted(n for n in whole.keys() | tables.keys() if whole.get(n) != tables.get(n))
    print("%-64s %d %3d of %d tables differ%s%s%s" % (
        what, done.returncode, len(differ), len(whole), ": " if differ else "", " ".join(differ) if len(differ) <= 6 else " ".join(differ[:3]) + " ...",
        "".join("\n    " + line[:160] for line in done.stderr.replace("analyzer: ", "").strip().split("\n") if line)))


def of_csv():
    with open(source, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    os.makedirs("less", exist_ok=True)

    def write(rows):
        with open(copy, "w", newline="", encoding="utf-8") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)

    write(rows)
    report("whole")
    for i, name in enumerate(rows[0]):
        write([r[:i] + r[i + 1:] for r in rows])
        report("without " + name)
        for value in values:
            write([rows[0]] + [r[:i] + [value] + r[i + 1:] for r in rows[1:]])
            report("%s = '%s'" % (name, value))


def walk(node, path, found):
    """All paths of keys, with the objects that have them; of events by category."""
    if isinstance(node, list):
        for x in node:
            walk(x, path, found)
    elif isinstance(node, dict):
        where = path + ("" if "ph" not in node else "%s/%s" % (node["ph"], node.get("cat", node.get("name", ""))))
        for k, v in node.items():
            found.setdefault(where + "/" + k, []).append((node, k))
            walk(v, where + "/" + k, found)


def of_json():
    with open(source, encoding="utf-8") as f:
        doc = json.load(f)
    found = {}
    walk(doc, "", found)

    def write():
        with open(copy, "w", encoding="utf-8") as f:
            json.dump(doc, f)

    write()
    report("whole")
    for path, places in sorted(found.items()):
        kept = [(node, list(node.items())) for node, _ in places]
        for what in ["without", *(json.loads(v) for v in values)]:
            for node, key in places:
                if what == "without":
                    node.pop(key, None)
                else:
                    node[key] = what
            write()
            report("%s%s" % ("without " if what == "without" else "", path + ("" if what == "without" else " = %s" % json.dumps(what))))
            for node, items in kept:
                node.clear()
                node.update(items)


def of_database():
    def change(what, statement):
        shutil.copy(source, copy)
        db = sqlite3.connect(copy, isolation_level=None)
        db.execute(statement)
        db.close()
        report(what)

    db = sqlite3.connect(source)
    tables = [t for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    columns = [(t, c[1]) for t in tables for c in db.execute("PRAGMA table_info(%s)" % t) if not c[5]]
    db.close()
    change("whole", "SELECT 1")
    for t in tables:
        change("without " + t, "DROP TABLE %s" % t)
        change("empty " + t, "DELETE FROM %s" % t)
    for t, c in columns:
        change("without %s.%s" % (t, c), 'ALTER TABLE %s RENAME COLUMN "%s" TO other' % (t, c))
    for t, c in [x for x in columns if x[0] != "StringIds"]:
        change("%s.%s = NULL" % (t, c), 'UPDATE %s SET "%s" = NULL' % (t, c))


(of_database if source.endswith(".sqlite") else of_json if source.endswith(".json") else of_csv)()
