#!/usr/bin/env python3
"""The commands for programs of TraceLens on the public traces of the shared folder, against the tables that these programs write:
every table, every column, rows by key, tolerances by unit (tools/conform.py). Differences that are errors or rounding of theirs are
in tests/deviations.json under the case COMMAND/TRACE; they are counted and printed.

    tracelens_shared.py ANALYZER SHARED [PATTERN]      the last line is "N passed, N failed", a case each
"""
import fnmatch
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def cases(shared):
    """(case, arguments, folder of the tables of the program)"""
    for folder in sorted(glob.glob(os.path.join(shared, "golden", "pytorch", "*"))):
        name = os.path.basename(folder)
        trace = os.path.join(shared, "data", "pytorch", name + ".json.gz")
        yield "tracelens-pytorch/" + name, ["--profile_json_path", trace, "--enable_kernel_summary", "--short_kernel_study"], folder
    for folder in sorted(glob.glob(os.path.join(shared, "golden", "capture", "*"))):
        name = os.path.basename(folder)
        data = os.path.join(shared, "data", "capture", name)
        trace = sorted(glob.glob(os.path.join(data, "*.json.gz")))[0]
        yield "tracelens-inference/" + name, ["--profile_json_path", trace, "--capture_folder", os.path.join(data, "capture_traces"),
                                              "--enable_pseudo_ops", "--group_by_parent_module", "--group_by_num_kernels",
                                              "--include_call_stack"], folder


class Deviations:
    def __init__(self, rows, case):
        self.rows, self.count = [r for r in rows if fnmatch.fnmatch(case, r["case"])], 0

    def of(self, table):
        mine = [r for r in self.rows if fnmatch.fnmatch(table, r["table"])]

        def excuse(column, key):
            hit = any(fnmatch.fnmatch(column, r["column"]) and r.get("key", "") in key for r in mine)
            self.count += hit
            return hit
        return excuse if mine else None


def check(conform, rules, case, folder, ours, deviations):
    """(cells, different cells, text of what differs)"""
    cells, bad, text = 0, 0, []
    known = Deviations(deviations, case)
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        table = os.path.basename(path)[:-4]
        reference = conform.read(path)
        names = [n for n in [table] + rules.sheet_names(table) if os.path.exists(os.path.join(ours, n + ".csv"))]
        if not reference[1] or table == "perf_expected":
            continue
        if not names:
            text.append("no table " + table)
            continue
        have = conform.read(os.path.join(ours, names[0] + ".csv"))
        good, what, n, wrong, _ = conform.compare(table, reference, have, rules, 3, known.of(table))
        cells, bad = cells + n, bad + wrong
        if not good:
            text.append(what)
    return cells, bad, text, known.count


def main():
    analyzer, shared = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    pattern = sys.argv[3] if len(sys.argv) > 3 else "*"
    sys.path.insert(0, os.path.join(shared, "tools"))
    import conform
    rules = conform.Rules(os.path.join(shared, "tools", "conform-rules.json"))
    with open(os.path.join(ROOT, "tests", "deviations.json"), encoding="utf-8") as f:
        deviations = json.load(f)
    passed = failed = total = equal = excused = 0
    for case, arguments, folder in cases(shared):
        if not fnmatch.fnmatch(case, pattern):
            continue
        with tempfile.TemporaryDirectory(prefix="tracelens.") as out:
            command = [analyzer, case.split("/")[0], *arguments, "--output_csvs_dir", out, "-q"]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            cells, bad, text, known = check(conform, rules, case, folder, out, deviations)
        if done.returncode:
            text.append("exit status %d: %s" % (done.returncode, done.stderr[-200:]))
        print("%s %s  cells %d/%d" % ("FAIL" if text else "ok  ", case, cells - bad, cells))
        for line in text:
            print("  " + line.replace("\n", "\n  "))
        passed, failed = passed + (not text), failed + bool(text)
        total, equal, excused = total + cells, equal + cells - bad, excused + known
    print("cells %d/%d, excused by tests/deviations.json: %d" % (equal, total, excused))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
