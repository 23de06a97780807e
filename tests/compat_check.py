#!/usr/bin/env python3
"""One question has one answer: every command over the examples, without and with each value of the option `compat`. Tables of
other tools may be added; verdicts, changes, gates, exit statuses, the history and replay files stay as they are.
usage: compat_check.py --analyzer PROGRAM --example-data DIR     last line: "N passed, N failed"
docs/compare.md, docs/account.md"""
import argparse
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EX = os.path.join(SRC, "example")
TOOLS = ("hta", "nsys", "tracelens", "tt-perf-report", "all")
# What a document answers; the rest of it is tables, of which compat adds some.
ANSWERS = ("verdict", "change", "gates", "status", "skipped", "dropped")
# Tables of TraceLens: with it they hold the device work that it counts, rounded as it rounds (docs/account.md).
OWN = ("gpu_timeline", "unified_perf_summary")
TABLE = 8  # place of a sample's table
passed = failed = 0


def check(ok, what):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAIL " + what)


def read_json(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def answers(folder):
    """Of every JSON file that a command wrote what compat must not change; of other files of a replay all."""
    out = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        name = os.path.relpath(path, folder)
        if "node_replay" in name and os.path.isfile(path):
            with open(path, "rb") as f:
                out[name] = f.read()
        elif name.endswith(".json") and not name.startswith("traces"):
            document = read_json(path)
            out[name] = {k: document[k] for k in ANSWERS if k in document} if isinstance(document, dict) else document
        elif name.endswith(".csv"): # but for the times at which the runs were kept
            with open(path, encoding="utf-8", newline="") as f:
                out[name] = sorted([v for k, v in row.items() if k != "Created"] for row in csv.DictReader(f))
    return out


def lacking(rows, of):
    """Rows that `of` does not have; values as close as TraceLens rounds (float32) are equal."""
    have = {tuple(row[:-1]): row[-1] for row in of}

    def same(a, b):
        return a == b or (a and b and abs(float(a) - float(b)) <= 1e-4 * abs(float(a)))

    return [row for row in rows if not row[TABLE].startswith(OWN) and not same(row[-1], have.get(tuple(row[:-1]), ""))]


def difference(a, b, at=""):
    """Where two answers differ first."""
    if isinstance(a, dict) and isinstance(b, dict):
        for k in [*a, *(k for k in b if k not in a)]:
            if a.get(k) != b.get(k):
                return difference(a.get(k), b.get(k), "%s.%s" % (at, k))
    if isinstance(a, list) and isinstance(b, list):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return difference(x, y, "%s[%d]" % (at, i))
    return "%s: %.200s, then %.200s" % (at, a, b)


def run(analyzer, command, data, tool):
    """(exit status, answers, text of commands whose whole text is the answer)"""
    folder = tempfile.mkdtemp(prefix="compat.")
    args = [a.replace("OUT", folder) for a in command["args"]]
    for path, copy in command.get("copies", ()):
        os.makedirs(os.path.join(folder, os.path.dirname(copy)))
        shutil.copy(path, os.path.join(folder, copy))
    if tool:
        args += [command["how"] % tool]
    env = dict(os.environ, EXAMPLE_DATA=data, COLUMNS="100", LC_ALL="C.UTF-8")
    p = subprocess.run([analyzer] + args, env=env, capture_output=True, text=True, cwd=SRC, check=False)
    for more in command.get("then", ()):
        q = subprocess.run([analyzer] + [a.replace("OUT", folder) for a in more], env=env, capture_output=True, text=True,
                           cwd=SRC, check=False)
        p.stdout += q.stdout
    result = (p.returncode, answers(folder), p.stdout.replace(folder, "OUT") if command.get("text") else "")
    shutil.rmtree(folder)
    return result, p.stderr


def commands():
    flag, opt = "--compat=%s", "--opt=compat=%s"
    step, more = os.path.join(EX, "pytorch", "train_step.json"), os.path.join(EX, "pytorch", "inference.json")
    ranks = os.path.join(EX, "multirank", "step_120")
    host0, host1 = (os.path.join(EX, "tracy", "ops_perf_results_host%d.csv" % k) for k in (0, 1))
    for config in sorted(glob.glob(os.path.join(EX, "*.json"))):
        yield {"name": "run " + os.path.basename(config), "how": flag,
               "args": ["run", "--config=" + config, "--format=json", "-o", "OUT"]}
    for name, path in (("pytorch", step), ("ranks", ranks), ("tracy", host0), ("xplane", os.path.join(EX, "xplane", "tpu"))):
        yield {"name": "run " + name, "how": flag, "args": ["run", path, "--format=json", "-o", "OUT"]}
    yield {"name": "multirank", "how": flag, "args": ["multirank", "-b", os.path.join(EX, "multirank"), "--all-ranks",
                                                      "--format=json", "-o", "OUT"]}
    for name, a, b in (("pytorch", step, more), ("tracy", host0, host1), ("ranks", ranks, step)):
        for command in ("compare", "gate"):
            form = "--format=json"
            yield {"name": "%s %s" % (command, name), "how": opt, "args": [command, a, b, form, "-o", "OUT"],
                   "text": command == "gate"}
    yield {"name": "replay", "how": flag, "copies": [(step, "traces/run/rank_1.json")],
           "args": ["multirank", "-b", "OUT/traces", "-r", "--format=json"], "needs": "node_replay/replay.json"}
    for what in ("verdict", "findings", "account", "trust_checks", "idle_causes"):
        yield {"name": "query " + what, "how": flag, "args": ["query", step, "SELECT * FROM %s" % what], "text": True}
    yield {"name": "history", "how": flag,
           "args": ["run", "--config=" + os.path.join(EX, "pytorch.json"), "--format=json", "-o", "OUT", "--set=history.path=OUT/h.db"],
           "then": [["history", "export", "--db", "OUT/h.db", "-o", "OUT"]], "needs": "samples.csv"}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--example-data", required=True)
    o = p.parse_args()
    for command in commands():
        base, said = run(o.analyzer, command, o.example_data, None)
        check(base[0] in (0, 1, 3) and (base[1] or base[2]), "%s: exit status %d: %s" % (command["name"], base[0], said[-300:]))
        check(any(name.endswith(command.get("needs", "")) for name in [*base[1], ""]), "%s: no %s" % (command["name"], command.get("needs")))
        for tool in TOOLS:
            got, said = run(o.analyzer, command, o.example_data, tool)
            check(got[0] == base[0], "%s, compat %s: exit status %d for %d: %s" % (command["name"], tool, got[0], base[0], said[-300:]))
            check(got[1].keys() == base[1].keys(), "%s, compat %s: other files" % (command["name"], tool))
            for name in base[1]:
                if name.endswith(".csv") and name in got[1]: # of the history, figures of tables that compat adds are more rows
                    check(not lacking(base[1][name], got[1][name]),
                          "%s, compat %s: %s" % (command["name"], tool, lacking(base[1][name], got[1][name])[:3]))
                    continue
                check(got[1].get(name) == base[1][name], "%s, compat %s, %s: %s" % (command["name"], tool, name,
                                                                                difference(base[1][name], got[1].get(name))))
            check(got[2] == base[2], "%s, compat %s: other text" % (command["name"], tool))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
