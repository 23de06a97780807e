#!/usr/bin/env python3
"""Comparison of the shared reports: `golden/compare/<case>/*.csv` by key, 1e-9 relative, from the report folders in
`data/compare` whose names begin like the case, or from profiles in `data` (see CASES); and what holds for any comparison:
with itself all is the same, swapping the sides negates changes and swaps new and removed, waterfalls add up.

    compare_shared.py ANALYZER SHARED        the last line is "N passed, N failed"
"""
import csv
import glob
import math
import os
import subprocess
import sys
import tempfile

import check_lib

REL = 1e-9
# case -> (names, inputs below `data`); a case without its golden or data is not run, and said so
CASES = {
    "compare_56ch_rank7": (["256thread", "512thread"], ["compare/56ch_rank7_256thread", "compare/56ch_rank7_512thread"]),
    "compare_28ch_rank0": (["256thread", "512thread"], ["compare/28ch_rank0_256thread", "compare/28ch_rank0_512thread"]),
    "compare_h100_mi300_qwen": (["h100", "mi300"], ["compare/h100_qwen", "compare/mi300_qwen"]),
    "compare_3way": (["a", "b", "c"], ["compare/3way_a", "compare/3way_b", "compare/3way_c"]),
}
KEYS = {"gpu_timeline": ["type"], "ops_summary": ["name"], "kernel_summary": ["Kernel name", "name"]}


class Checks(check_lib.Checks):
    def __init__(self, analyzer):
        super().__init__()
        self.analyzer = os.path.abspath(analyzer)

    def compare(self, out, args, want=0):
        p = subprocess.run([self.analyzer, "compare", *args, "--csv-dir", out], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL)
        self.hold(p.returncode == want, "compare %s: exit status %d" % (" ".join(os.path.basename(a) for a in args), want),
                  "%d, %s" % (p.returncode, p.stderr[-300:]))
        return p.returncode == want


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def number(text):
    try:
        return float(text) if text.strip().lower() not in ("", "nan") else None
    except ValueError:
        return text


def close(a, b):
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return a == b
    return math.isclose(a, b, rel_tol=REL, abs_tol=1e-9)


def against_golden(c, golden, out):
    for path in sorted(glob.glob(os.path.join(golden, "*.csv"))):
        name = os.path.basename(path)
        ours_path = os.path.join(out, name)
        if not os.path.exists(ours_path):
            c.hold(False, "%s is written" % name)
            continue
        want, ours = read(path), read(ours_path)
        keys = [k for k in KEYS.get(name[:-4], []) if want and k in want[0]]
        keys = keys or [k for k in want[0] if not isinstance(number(want[0][k]), (float, type(None)))]
        index = {}
        for row in ours:
            index.setdefault(tuple(row.get(k, "") for k in keys), []).append(row)
        c.hold(len(want) == len(ours), "%s: %d rows" % (name, len(want)), len(ours))
        missing = [k for k in want[0] if ours and k not in ours[0]]
        c.hold(not missing, "%s: has the columns" % name, missing)
        bad, cells = [], 0
        for row in want:
            k = tuple(row[x] for x in keys)
            found = index.get(k)
            if not found:
                bad.append(("no row", k))
                continue
            mine = found.pop(0)
            for column, text in row.items():
                cells += 1
                if column not in missing and not close(number(text), number(mine[column])):
                    bad.append((column, k, text, mine[column]))
        c.hold(not bad and cells > 0, "%s: %d cells" % (name, cells), bad[:3])


def key_of(row):
    """The columns before `status` are the key."""
    names = list(row)
    return tuple(row[k] for k in names[:names.index("status")])


def laws(c, d, a, b):
    """Self, swap, waterfall."""
    own, there, back = (os.path.join(d, x) for x in ("own", "there", "back"))
    if c.compare(own, [a, a, "--names", "A,B"]):
        rows = [r for f in glob.glob(os.path.join(own, "*.csv")) for r in read(f) if "status" in r]
        c.hold(rows and all(r["status"] == "same" for r in rows), "self: every status is same")
        diffs = [(k, v) for r in rows for k, v in r.items() if k.endswith("_diff")]
        c.hold(diffs and all(v in ("", "0") for _, v in diffs), "self: every difference is 0")
        pcts = [v for r in rows for k, v in r.items() if k.endswith("_pct") and "__B_" in k]
        c.hold(all(v in ("", "0") for v in pcts), "self: every percentage is 0 or empty")
    if c.compare(there, [a, b, "--names", "A,B"]) and c.compare(back, [b, a, "--names", "B,A"]):
        turned, seen = {"new": "removed", "removed": "new"}, 0
        for f in sorted(glob.glob(os.path.join(there, "*.csv"))):
            name, bad = os.path.basename(f), []
            rows = read(f)
            if not rows or "status" not in rows[0] or not os.path.exists(os.path.join(back, name)):
                continue
            other = {key_of(r): r for r in read(os.path.join(back, name))}
            for r in rows:
                o = other.get(key_of(r))
                if o is None or turned.get(r["status"], r["status"]) != o["status"]:
                    bad.append((key_of(r), r["status"], o and o["status"]))
                    continue
                for k, v in r.items():
                    mirror = k.replace("__B_diff", "__A_diff")
                    if k.endswith("__B_diff") and mirror in o:
                        seen += 1
                        x, y = number(v), number(o[mirror])
                        if not (x is None and y is None) and (x is None or y is None or x != -y):
                            bad.append((key_of(r), k, v, o[mirror]))
            c.hold(not bad, "swap: %s" % name, bad[:3])
        c.hold(seen > 0, "swap: differences were looked at")
        falls = [f for f in glob.glob(os.path.join(there, "waterfall*.csv"))]
        c.hold(falls, "there is a waterfall")
        for f in falls:
            rows = read(f)
            steps = [int(r["Change (ns)"]) for r in rows]
            c.hold(sum(steps[:-1]) == steps[-1] and rows[0]["Total"] == rows[-1]["Total"] == "True",
                   "the waterfall adds up exactly", steps)


def profiles(c, d, shared):
    """Two profiles of one format, analyzed in memory; JSON against profile; two formats."""
    py = sorted(glob.glob(os.path.join(shared, "data", "pytorch", "**", "*.json*"), recursive=True))
    py = [p for p in py if os.path.getsize(p) < 3 << 20][:2]
    if len(py) < 2:
        print("not run: no two small traces in data/pytorch")
        return
    laws(c, os.path.join(d, "py"), *py)
    out = os.path.join(d, "json")
    p = subprocess.run([c.analyzer, "run", py[0], "--format", "json", "-o", out], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    saved = glob.glob(os.path.join(out, "*.json"))
    c.hold(p.returncode == 0 and len(saved) == 1, "a result JSON is written", p.stderr[-300:])
    if saved and c.compare(os.path.join(d, "saved"), [saved[0], py[0], "--names", "A,B"]):
        rows = [r for f in glob.glob(os.path.join(d, "saved", "*.csv")) for r in read(f) if "status" in r]
        c.hold(rows and all(r["status"] == "same" for r in rows), "a saved result equals its profile")
    tables = os.path.join(d, "tables")
    p = subprocess.run([c.analyzer, "run", py[0], "--csv-dir", tables], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL)
    if c.compare(os.path.join(d, "tables-cmp"), [tables, py[0], "--names", "A,B"]):
        rows = [(os.path.basename(f), r) for f in glob.glob(os.path.join(d, "tables-cmp", "*.csv")) for r in read(f)
                if "status" in r]
        bad = [(f, key_of(r), r["status"]) for f, r in rows if r["status"] != "same"]
        c.hold(rows and not bad, "its CSV files equal it, too", bad[:5])
    rocm = sorted(glob.glob(os.path.join(shared, "data", "rocprof", "**", "*_results.json*"), recursive=True))
    rocm = [p for p in rocm if os.path.getsize(p) < 8 << 20][:1]
    if rocm and c.compare(os.path.join(d, "cross"), [py[0], rocm[0], "--names", "A,B"]):
        names = {os.path.basename(f) for f in glob.glob(os.path.join(d, "cross", "*.csv"))}
        c.hold({"kernel_summary.csv", "gpu_timeline.csv"} & names, "two formats share tables", sorted(names))


def main():
    c, shared = Checks(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="compare.") as d:
        for case, (names, inputs) in CASES.items():
            golden = os.path.join(shared, "golden", "compare", case)
            paths = [os.path.join(shared, "data", i) for i in inputs]
            if not os.path.isdir(golden) or not all(map(os.path.exists, paths)):
                print("not run: %s is not there" % case)
                continue
            out = os.path.join(d, case)
            if c.compare(out, [*paths, "--names", ",".join(names)]):
                against_golden(c, golden, out)
            laws(c, os.path.join(d, case + "-laws"), *paths[:2])
        profiles(c, d, shared)
    print("%d passed, %d failed" % (c.passed, c.failed))
    return 1 if c.failed else 0


if __name__ == "__main__":
    sys.exit(main())
