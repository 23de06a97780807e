"""What is read of a file that lacks one of its keys or columns, or has an odd value there: the exit status, a digest of all
tables, the messages.
    usage: without.py FILE [VALUE...]       FILE.json: keys by their path, of events by category; FILE.csv: columns
"""
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys

ANALYZER, source, values = os.environ["ANALYZER"], sys.argv[1], sys.argv[2:]
copy = "less" + os.path.splitext(source)[1] if source.endswith(".json") else os.path.join("less", os.path.basename(source))


def report(what):
    shutil.rmtree("out", ignore_errors=True)
    done = subprocess.run([ANALYZER, "run", "-q", "--csv-dir", "out", copy], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          text=True, check=False)
    h = hashlib.sha256()
    for folder, _, names in sorted(os.walk("out")):
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as f:
                h.update(name.encode() + b"".join(row for row in f if not row.startswith((b"tool,", b"input "))))
    print("%-64s %d %s %s" % (what, done.returncode, h.hexdigest()[:12], " | ".join(done.stderr.replace("analyzer: ", "").split("\n"))[:200].rstrip(" |")))


def of_csv():
    with open(source, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    os.makedirs("less", exist_ok=True)

    def write(rows):
        with open(copy, "w", newline="", encoding="utf-8") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)

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


(of_json if source.endswith(".json") else of_csv)()
