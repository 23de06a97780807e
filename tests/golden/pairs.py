"""Compares copies of edits.py in pairs, or gates them and keeps a history of them. Prints exit statuses, digests of all texts,
and of each table a digest of all cells in all comparisons.
    usage: pairs.py compare|gate NAME NAME...     copies/NAME-0, NAME-1, ...: each with that of the next name, and with its neighbor
"""
import glob
import hashlib
import json
import os
import subprocess
import sys


def digest(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]


def run(*words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_") and k != "SOURCE_DATE_EPOCH"}
    done = subprocess.run([os.environ["ANALYZER"], *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=dict(env, COLUMNS="120"))
    return done.returncode, "\n".join(line for line in done.stdout.decode().split("\n") if "wrote " not in line and " MB read, " not in line)


def path_of(name, i):
    return "".join(glob.glob("copies/%s-%d/*" % (name, i)))


def report_of(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not path.endswith(".json"):
        return text
    doc = json.loads(text)
    return {k: v for k, v in doc.items() if k not in ("analyzer", "generator", "version")}


def compare(number, left, right, tables):
    more = [[], ["--tree"], ["--normalize", "--all-sheets"], ["--basis", "recording"]][number % 4]
    status, text = run("compare", left, right, "--names", "a,b", "-v", "--format", "text,json", "-o", "compared/%d" % number, *more)
    for path in glob.glob("compared/%d/*.json" % number):
        for table in report_of(path)["tables"]:
            rows = [row for row in table["rows"] if not str(row[0]).startswith(("tool", "input "))]
            tables.setdefault(table["id"], []).append((number, rows))
    return "%d %s" % (status, digest(text))


def gate(number, sides):
    out = "gated/%d" % number
    status, text = run("gate", *sides, "-v", "--format", "text,verdict,junit,openmetrics,md", "-o", out)
    reports = [report_of(path) for path in sorted(glob.glob(out + "/gates.*"))]
    return "%d %s %s" % (status, digest(text), digest(reports))


def history(name, count):
    for i in range(count):
        with open("night.json", "w", encoding="utf-8") as f:
            json.dump({"inputs": [{"title": "night", "path": path_of(name, i)}], "gates": {},
                       "labels": {"branch": "main", "host": "node", "commit": "c%d" % i, "created": "2026-01-%02d" % (i + 1)},
                       "history": {"path": "nights.db", "accept_after": 3}}, f)
        status, text = run("gate", "--config=night.json", "-v")
        print("night %-2d %d %s" % (i, status, digest(text)))
    for words in (["list", "-v"], ["trend", "*", "--most", "40", "-v"], ["export", "*", "-o", "export"], ["accept", str(count // 2)],
                  ["rejudge"], ["list", "-v"]):
        status, text = run("history", *words, "--db", "nights.db")
        files = [report_of(path) for path in sorted(glob.glob("export/**/*.csv", recursive=True))]
        print("history %-8s %d %s %s" % (words[0], status, digest(text), digest(files)))


def main():
    kind, names, tables, number = sys.argv[1], sys.argv[2:], {}, 0
    count = len(glob.glob("copies/%s-*" % names[0]))
    for a, b in zip(names, names[1:]):
        for i in range(count):
            for left, right in ((path_of(a, i), path_of(b, i)), (path_of(a, i), path_of(a, (i + 1) % count))):
                done = compare(number, left, right, tables) if kind == "compare" else gate(number, [left, right])
                print("%s %s: %s" % (os.path.dirname(left), os.path.dirname(right), done))
                number += 1
    for name in sorted(tables):
        print("%-40s %3d pairs %s" % (name, len(tables[name]), digest(tables[name])))
    if kind == "gate":
        paths = [path_of(names[0], i) for i in range(count)]
        half = count // 2
        print("repeated runs: %s" % gate(number, [paths[0], *paths[half:], *(w for path in paths[1:half] for w in ("-b", path))]))
        print("limits: %s" % digest(run("gate", "--calibrate", *paths)))
        history(names[0], count)


main()
