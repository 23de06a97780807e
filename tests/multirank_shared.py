#!/usr/bin/env python3
"""Runs of ranks in the shared data through `analyzer multirank`: which ranks are there, which are missing, nothing is written
beside the inputs, and the tables are the same on one thread and on three.

    multirank_shared.py --analyzer FILE --data DIR        the last line is "N passed, N failed"
"""
import argparse
import csv
import filecmp
import glob
import os
import re
import subprocess
import sys
import tempfile

passed = failed = 0


def hold(good, what, why=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL %s%s" % (what, ": " + str(why) if why else ""))


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def check(a, folder, scratch):
    name = os.path.basename(folder)
    names = sorted(os.path.basename(f) for f in glob.glob(os.path.join(folder, "*.json*")))
    pattern = "worker" if names[0].startswith("worker") else "rank"
    there = sorted(int(re.match(pattern + r"(\d+)", n).group(1)) for n in names)
    before = sorted(os.listdir(folder))
    out = {}
    for threads in ("1", "3"):
        out[threads] = os.path.join(scratch, name, threads)
        p = subprocess.run([a.analyzer, "multirank", "-b", folder, "-p", pattern, "-e", "auto", "--all-ranks", "-j", threads, "--format",
                            "csv", "--csv-dir", out[threads]], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        hold(p.returncode == 0, "%s on %s thread(s): exit status %d" % (name, threads, p.returncode), p.stderr[:300])
    hold(sorted(os.listdir(folder)) == before, name + ": nothing is written beside the inputs")
    files = sorted(os.listdir(out["1"]))
    same, other, errors = filecmp.cmpfiles(out["1"], out["3"], files, shallow=False)
    hold(sorted(os.listdir(out["3"])) == files and not other and not errors, name + ": the same on any number of threads", other + errors)
    rows = table(os.path.join(out["1"], "ranks.csv"))
    hold([int(r["rank"]) for r in rows if r["status"].startswith("ok")] == there, name + ": the ranks that are there", rows)
    summary = {r["item"]: r["value"] for r in table(os.path.join(out["1"], "rank_summary.csv"))}
    world = int(summary["world size"])
    missing = sorted(set(range(world)) - set(there))
    hold(sorted(int(r["rank"]) for r in rows if r["status"] == "missing") == missing, name + ": the missing ranks", rows)
    hold(int(summary["ranks missing"]) == len(missing) and int(summary["ranks present"]) == len(there), name + ": the summary", summary)
    numbers = re.search(r"(\d+)(_|$)", name)
    if numbers and "of" not in name:
        hold(world == int(numbers.group(1)), "%s: world size %d" % (name, world))
    for n, r in zip(names, [r for r in rows if r["file"]]):
        hold(r["file"] == n, name + ": files in rank order", r)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", required=True)
    p.add_argument("--data", required=True)
    a = p.parse_args()
    runs = sorted(f for f in glob.glob(os.path.join(a.data, "*")) if os.path.isdir(f) and glob.glob(os.path.join(f, "*.json*")))
    hold(runs, "there are runs below " + a.data)
    with tempfile.TemporaryDirectory(prefix="ranks.") as scratch:
        for folder in runs:
            check(a, folder, scratch)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
