#!/usr/bin/env python3
"""A history that is written by several at once, and by a process that is killed at random moments (50 times): the
database is whole, every run in it is whole, and no half report stands under a final name.

    history_stress.py [--analyzer FILE] [--kills N]
The last line is "N passed, N failed".
"""
import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from check_lib import Checks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = 300


def make_inputs(d):
    with open(os.path.join(d, "k.csv"), "w") as f:
        f.write("Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n")
        for i in range(ROWS):
            f.write("0.1,%d,10,%d.0,1.0,1,2,0.0,kernel_%d\n" % (10000000 + i, 1000000 + i, i))
    config = {"inputs": [{"format": "csv", "title": "night", "analysis_args": {"num_of_iters": 1}, "nsys_csv_file_path": {"kernel_sum": "k.csv"}}],
              "labels": {"branch": "main", "created": "${DAY}"}, "gates": {"baseline": "last"},
              "history": {"path": "h.db", "rows": 0}, "outputs": {"dir": "out", "formats": ["verdict", "junit", "openmetrics", "json"]}}
    with open(os.path.join(d, "c.json"), "w") as f:
        json.dump(config, f)


def start(analyzer, d, day):
    env = dict(os.environ, DAY=str(1700000000 + 86400 * day))
    return subprocess.Popen([analyzer, "--config=c.json", "-q"], cwd=d, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def database(c, path):
    """Integrity, and that every run has all its figures. Returns the number of runs."""
    db = sqlite3.connect(path)
    state = db.execute("PRAGMA integrity_check").fetchall()
    c.hold(state == [("ok",)], "PRAGMA integrity_check", state)
    c.hold(not db.execute("PRAGMA foreign_key_check").fetchall(), "PRAGMA foreign_key_check")
    per_run = db.execute("SELECT run.id, count(metric_id) FROM run LEFT JOIN sample ON run_id = run.id GROUP BY run.id").fetchall()
    c.hold(len({n for _, n in per_run}) <= 1 and all(n >= 2 * ROWS for _, n in per_run), "every run is whole", per_run[:5])
    db.close()
    return len(per_run)


def reports(c, folder):
    """Every file under a final name can be read to its end."""
    names = [n for n in (os.listdir(folder) if os.path.isdir(folder) else []) if not n.startswith(".")]
    for name in names:
        path = os.path.join(folder, name)
        try:
            if name.endswith(".json"):
                json.load(open(path))
            elif name.endswith(".xml"):
                xml.etree.ElementTree.parse(path)
            elif name.endswith(".prom"):
                assert open(path).read().endswith("# EOF\n"), "no # EOF"
            else:
                raise AssertionError("an unexpected file")
        except (ValueError, AssertionError, xml.etree.ElementTree.ParseError) as e:
            c.hold(False, "half a report: " + name, e)
            return
    c.hold(True, "no half report")


def killed(c, analyzer, d, kills):
    rng = random.Random(20240229)
    first = start(analyzer, d, 0)
    error = first.communicate()[1]
    c.hold(first.returncode == 0, "the first night has no baseline, and passes", error)
    begin = time.monotonic()
    start(analyzer, d, 0).communicate()
    whole = time.monotonic() - begin
    stopped = 0
    for i in range(kills):
        p = start(analyzer, d, i + 1)
        time.sleep((0.3 + 0.9 * rng.random()) * whole)
        p.kill()
        p.communicate()
        stopped += p.returncode == -9
    runs = database(c, os.path.join(d, "h.db"))
    reports(c, os.path.join(d, "out"))
    print("%d of %d runs were killed, %d were stored" % (stopped, kills, runs - 2))
    c.hold(stopped >= kills // 5, "enough runs were killed on their way", stopped)
    c.hold(runs >= 2 + kills - stopped, "what ended by itself was stored", runs)
    last = start(analyzer, d, kills + 1)
    error = last.communicate()[1]
    c.hold(last.returncode == 0 and database(c, os.path.join(d, "h.db")) == runs + 1, "the night after works", error)


def together(c, analyzer, d, writers, rounds):
    """Processes that make and fill one database at the same time."""
    failures = []
    for r in range(rounds):
        for p in [start(analyzer, d, r) for _ in range(writers)]:
            error = p.communicate()[1]
            if p.returncode not in (0, 3) or error:
                failures.append((p.returncode, error))
    c.hold(not failures, "writers do not disturb each other", failures)
    runs = database(c, os.path.join(d, "h.db"))
    c.hold(runs == writers * rounds, "all runs were stored", runs)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(ROOT, "build", "analyzer"))
    p.add_argument("--kills", type=int, default=50)
    a = p.parse_args()
    analyzer = os.path.abspath(a.analyzer)
    c = Checks(quiet=True)
    with tempfile.TemporaryDirectory(prefix="history.") as d:
        make_inputs(d)
        killed(c, analyzer, d, a.kills)
    with tempfile.TemporaryDirectory(prefix="history.") as d:
        make_inputs(d)
        together(c, analyzer, d, 4, 3)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
