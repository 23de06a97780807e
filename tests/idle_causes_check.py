#!/usr/bin/env python3
"""Causes of idle time against traces whose cause is known (tests/gen/make_idle_causes.py), as three profilers write them:
is the largest finding of the rule `idle` the cause, with its place, count and time? Near misses are healthy: the cause that
does not quite hold must not be named. Prints a row per cause.

    idle_causes_check.py [--analyzer FILE] [--seeds N] [--first N] [--update] [-v]     --update writes the table to src/docs/verdict-accuracy.md
The last line is "N passed, N failed".
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
import causes_nsys  # noqa: E402
import causes_rocprof  # noqa: E402
import make_idle_causes as gen  # noqa: E402

PAGE = os.path.join(os.path.dirname(HERE), "src", "docs", "verdict-accuracy.md")
MARKS = ("<!-- generated: tests/idle_causes_check.py -->\n", "<!-- /generated idle -->")
FORMS = {"pytorch": ("cuda", "trace.json"), "nsys": ("cuda", "trace.sqlite"), "rocprof": ("hip", "trace_results.json")}


def judge(analyzer, name, form, seed):
    """What is wrong with the largest finding of idle time; empty: nothing."""
    vendor, file = FORMS[form]
    trace, truth = gen.make(name, seed, vendor)
    with tempfile.TemporaryDirectory(prefix="idle.") as folder:
        path = os.path.join(folder, file)
        if form == "pytorch":
            with open(path, "w", encoding="utf-8") as f:
                json.dump(trace, f)
        else:
            (causes_nsys if form == "nsys" else causes_rocprof).save(trace, path)
        out = os.path.join(folder, "out")
        done = subprocess.run([analyzer, "run", path, "--format", "json", "-o", out, "-q"], capture_output=True, text=True, check=False)
        if done.returncode:
            return "exit status %d: %s" % (done.returncode, done.stderr[-200:])
        document = next(os.path.join(d, x) for d, _, files in os.walk(out) for x in files if x.endswith(".json"))
        with open(document, encoding="utf-8") as f:
            found = [x for x in json.load(f)["verdict"]["findings"] if x["rule"] == "idle"]
    if not found:
        return "no finding"
    first = found[0]
    if first["cause"] not in truth["cause"]:
        return "cause %s" % first["cause"]
    if truth["count"] is not None and first["count"] != truth["count"]:
        return "count %s for %s" % (first["count"], truth["count"])
    if truth["saving_ns"] is not None and abs(first["saving_ns"] - truth["saving_ns"]) > 0.01 * truth["saving_ns"]:
        return "saving %s for %s" % (first["saving_ns"], truth["saving_ns"])
    for field in ("range", "frame", "call", "operation"):
        want = truth.get(field, first[field])
        if first[field] != want and not (form == "nsys" and field == "call" and want and str(first[field]).startswith(want)):
            return "%s %r for %r" % (field, first[field], want)
    return ""


def update(table):
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    head, rest = text.split(MARKS[0])
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(head + MARKS[0] + table + MARKS[1] + rest.split(MARKS[1], 1)[1])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--analyzer", default=os.path.join(os.path.dirname(HERE), "build", "analyzer"))
    ap.add_argument("--seeds", type=int, default=4)
    ap.add_argument("--first", type=int, default=0)
    ap.add_argument("--update", action="store_true")
    ap.add_argument("-v", action="store_true")
    a = ap.parse_args()
    jobs = [(n, f, s) for n in gen.NAMES for f in FORMS for s in range(a.first, a.first + a.seeds)
            if not (f != "pytorch" and n in gen.KINETO_ONLY) and not (f == "rocprof" and n in gen.CUDA_ONLY)
            and not (f != "nsys" and n in gen.NSYS_ONLY)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: judge(a.analyzer, *j), jobs))
    total, wrong, instead = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    for (name, form, seed), bad in zip(jobs, results):
        total[name] += 1
        if bad:
            wrong[name] += 1
            instead[name][bad.split(" for ")[0]] += 1
            if a.v:
                print("%s %s %d: %s" % (name, form, seed, bad))
    table = "| cause | traces | wrong | instead |\n|---|---|---|---|\n" + "".join(
        "| %s | %d | %d | %s |\n" % (n, total[n], wrong[n], ", ".join("%s (%d)" % x for x in instead[n].most_common(3))) for n in gen.NAMES)
    print(table)
    if a.update:
        update(table)
    print("%d passed, %d failed" % (sum(total.values()) - sum(wrong.values()), sum(wrong.values())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
