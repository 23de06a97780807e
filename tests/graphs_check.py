#!/usr/bin/env python3
"""Graph replays with their captures (src/docs/graphs.md) against what the maker of the traces says: every layout of captures,
every rule of pairing, lost kernels.

    graphs_check.py --analyzer ANALYZER
The last line is "N passed, N failed".
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

SRC = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAKER = os.path.join(SRC, "tests", "gen", "make_graph_captures.py")
csv.field_size_limit(1 << 27)
passed = failed = 0


def hold(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL %s: %s" % (what, detail))


def rows(folder, table):
    path = os.path.join(folder, table + ".csv")
    return list(csv.DictReader(open(path))) if os.path.exists(path) else []


def run(a, tmp, options, more=()):
    data, out = os.path.join(tmp, "data"), os.path.join(tmp, "out")
    subprocess.run(["rm", "-rf", data, out], check=True)
    subprocess.run([sys.executable, MAKER, data] + options, check=True)
    p = subprocess.run([a.analyzer, "run", os.path.join(data, "trace.json.gz"), "--csv-dir", out] + list(more), capture_output=True,
                       text=True)
    p.stderr = "".join(line for line in p.stderr.splitlines(True) if ": note: " not in line)
    return out, json.load(open(os.path.join(data, "truth.json"))), p


def operators(out):
    t = {}
    for r in rows(out, "unified_perf_summary"):
        x = t.setdefault("%s %s" % (r["name"], r["Input Dims"]), [0, 0])
        x[0], x[1] = x[0] + int(r["operation_count"]), x[1] + round(1000 * float(r["Kernel Time (µs)_sum"]))
    return t


def share(out, text):
    return sum(float(r["Value"]) for r in rows(out, "coverage") if text in r["Item"])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--analyzer", required=True)
    a = ap.parse_args()
    a.analyzer = os.path.abspath(a.analyzer)
    rules = (("full", "same", "by order, names equal"), ("full", "surplus", "by name, forward"), ("full", "streams", "by name, each stream"),
             ("none", "same", "by order, unchecked"), ("nodes", "same", "by order, unchecked"))
    with tempfile.TemporaryDirectory() as tmp:
        for layout in ("vllm", "sglang", "atom", "xdit"):
            for names, order, rule in rules:
                what = "%s, names %s, order %s" % (layout, names, order)
                ranks = [] if layout == "xdit" else ["--ranks", "2"]
                out, truth, p = run(a, tmp, ["--layout", layout, "--names", names, "--order", order] + ranks)
                hold(p.returncode == 0 and not p.stderr, what, p.stderr)
                hold(operators(out) == truth["operators"], what, "%s, not %s" % (operators(out), truth["operators"]))
                hold(share(out, rule) > 0 and abs(share(out, "paired with their capture") - 100) < 1e-9, what + ": rule", p.stderr)
        # Kernels in any order: those of one name are told apart by their order only, so only their sums are known.
        out, truth, p = run(a, tmp, ["--order", "mixed"])
        hold(share(out, "paired with their capture") == 100, "mixed order")
        hold(sum(x[1] for x in operators(out).values()) == sum(x[1] for x in truth["operators"].values()), "mixed order: time")
        out, truth, p = run(a, tmp, ["--layout", "sglang", "--other-thread"])
        hold(operators(out) == truth["operators"], "steps on another thread", p.stderr)
        # Another folder; one without captures; none.
        out, truth, p = run(a, tmp, ["--layout", "sglang"], ["--opt", "capture_folder=" + os.path.join(tmp, "data", "capture_traces")])
        hold(operators(out) == truth["operators"], "capture_folder", p.stderr)
        os.makedirs(os.path.join(tmp, "empty"))
        out, truth, p = run(a, tmp, [], ["--opt", "capture_folder=" + os.path.join(tmp, "empty")])
        hold(p.returncode == 0 and "no graph capture in this folder" in p.stderr and share(out, "paired") == 0, "no capture", p.stderr)
        out, truth, p = run(a, tmp, [], ["--opt", "capture_folder=" + os.path.join(tmp, "gone")])
        hold(p.returncode != 0 and "capture_folder is no folder" in p.stderr, "capture_folder that is not there", p.stderr)
        # Graph launches whose kernels were lost are said; where none was, nothing is.
        for seed in range(1, 31):
            for lost in (seed % 4 + 1, 0):
                out, truth, p = run(a, tmp, ["--seed", str(seed), "--lost", str(lost), "--steps", "12"])
                said = share(out, "graph launches without device events")
                found = any(r["Rule"] == "graph_unrecorded" for r in rows(out, "findings"))
                hold(said == truth["lost"] and found == (lost > 0), "seed %d, %d lost" % (seed, lost), "said %s" % said)
                hold(operators(out) == truth["operators"], "seed %d, %d lost: operators" % (seed, lost))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
