#!/usr/bin/env python3
"""Hold the difference of two traces by call tree against reference results.

    treediff_shared.py ANALYZER SHARED      SHARED: the folder with data/ and golden/

For each golden/compare/tracediff_FIRST_SECOND_NAME the traces data/pytorch/FIRST__NAME... and SECOND__NAME... are compared; the two
tables of device events must agree row by row (argument lists read as values, times to 1e-9), the merged tree line by line, the
kernels of each operator name by name. A reference cell that tests/deviations.json names is not compared. Prints one line a check
and "N passed, N failed".
"""
import ast
import csv
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = ("Input Dims", "Input Strides", "Input type", "Concrete Inputs")
TIMES = ("kernel_time", "busy_time", "kernel_time_mean", "kernel_time_sum")


def listed(x):
    return [listed(v) for v in x] if isinstance(x, (list, tuple)) else x


def cell(column, text, ours):
    if column in LISTS:
        if not text:
            return None
        return listed(json.loads(text) if ours else ast.literal_eval(text))
    if column in TIMES:
        return round(float(text), 6)
    return text


def rows(path, ours):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", newline="") as f:
        csv.field_size_limit(1 << 30)
        return [{c: cell(c, v, ours) for c, v in r.items()} for r in csv.DictReader(f)]


def excused(case, table):
    """Values of cpu_op_name that the reference means otherwise."""
    with open(os.path.join(HERE, "deviations.json")) as f:
        return {d["key"] for d in json.load(f) if d["case"] == "compare/" + case and d["table"] == table and d["column"] == "cpu_op_name"}


def same_rows(want, got, ordered, other=()):
    key = lambda r: json.dumps(r, sort_keys=True)
    got = [{c: r.get(c) for c in want[0]} for r in got] if want else got
    if other:  # compared without the name where the reference has another
        named = {r["cpu_op_name"] for r in want} - set(other)
        for r in want + got:
            r["cpu_op_name"] = r["cpu_op_name"] if r["cpu_op_name"] in named else None
    a, b = [key(r) for r in want], [key(r) for r in got]
    if not ordered:
        a, b = sorted(a), sorted(b)
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return "row %d: want %.300s got %.300s" % (i, x, y)
    return None if len(a) == len(b) else "want %d rows, got %d" % (len(a), len(b))


def same_tree(path, got):
    with gzip.open(path, "rt") as f:
        want = [line.rstrip("\n") for line in f if line.strip()]
    ours = [r["tree"] for r in got]
    for i, (x, y) in enumerate(zip(want, ours)):
        if x.rstrip() != y.rstrip():
            return "line %d: want %.200s got %.200s" % (i + 1, x, y)
    return None if len(want) == len(ours) else "want %d lines, got %d" % (len(want), len(ours))


def same_kernels(path, got, other):
    with open(path) as f:
        want = json.load(f)
    pairs = {(op, side, k) for op, sides in want.items() for side, x in sides.items() for k in x["kernels"]}
    ours = {(r["cpu_op_name"], r["source"], r["kernel"]) for r in got}
    if other:
        pairs, ours = ({(op if op in set(want) - other else None, side, k) for op, side, k in x} for x in (pairs, ours))
    left, more = sorted(pairs - ours), sorted(ours - pairs)
    return None if not left and not more else "missing %.200s, too many %.200s" % (left[:2], more[:2])


def main():
    analyzer, shared = sys.argv[1:3]
    passed = failed = 0
    for golden in sorted(glob.glob(os.path.join(shared, "golden", "compare", "tracediff_*"))):
        case = os.path.basename(golden)
        first, second, name = os.path.basename(golden).split("_", 3)[1:]
        trace = [glob.glob(os.path.join(shared, "data", "pytorch", "%s__%s*" % (x, name)))[0] for x in (first, second)]
        with tempfile.TemporaryDirectory() as out:
            p = subprocess.run([analyzer, "run", trace[0], "--opt", "comparison_json_path=" + trace[1], "--csv-dir", out, "-q"],
                               capture_output=True, text=True)
            table = lambda id: rows(os.path.join(out, id + ".csv"), True)
            at = lambda file: os.path.join(golden, file)
            checks = [("exit status", lambda: None if p.returncode == 0 else "%d %s" % (p.returncode, p.stderr)),
                      ("diff_stats", lambda: same_rows(rows(at("diff_stats.csv.gz"), False), table("diff_stats"), True)),
                      ("summary", lambda: same_rows(rows(at("diff_stats_unique_args_summary.csv.gz"), False),
                                                    table("diff_stats_unique_args_summary"), False, excused(case, "diff_stats_unique_args_summary"))),
                      ("merged tree", lambda: same_tree(at("merged_tree_output.txt.gz"), table("merged_tree"))),
                      ("kernels", lambda: same_kernels(at("cpu_op_map.json"), table("op_kernel_map"), excused(case, "cpu_op_map")))]
            for what, check in checks:
                wrong = check()
                print("%-4s %s: %s%s" % ("FAIL" if wrong else "ok", os.path.basename(golden), what, ": " + wrong if wrong else ""))
                passed, failed = passed + (not wrong), failed + bool(wrong)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
