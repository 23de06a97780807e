#!/usr/bin/env python3
"""Traces with graph replays and their captures against tables of TraceLens: the modeled share of kernel time, and kernel time
and count of every operator by shapes; and what a capture costs: at most what it takes to analyze the capture alone.

    captures_shared.py ANALYZER SHARED

TraceLens adds (ts + dur) - ts in float64, as this program does in that table of a captured run (src/docs/graphs.md 5).
The last line is "N passed, N failed".
"""
import collections
import csv
import glob
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 27)


def table(path):
    """(operator, shapes) -> kernel time in us, operations; and the modeled share."""
    rows, total, modelled = collections.defaultdict(lambda: [0.0, 0]), 0.0, 0.0
    for r in csv.DictReader(open(path)):
        us = float(r["Kernel Time (µs)_sum"] or 0)
        dims = re.sub(r"[\s']", "", r["Input Dims"] or "").replace("[", "(").replace("]", ")").replace(",)", ")")
        x = rows[r["name"], dims]
        rows[r["name"], dims] = [x[0] + us, x[1] + int(float(r["operation_count"]))]
        total += us
        modelled += us if r["has_perf_model"].lower() == "true" else 0
    return rows, 100 * modelled / total


def processor(analyzer, trace):
    """Least time of three runs, s."""
    least = math.inf
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([analyzer, "run", trace, "--csv-dir", out, "-q"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main():
    analyzer, shared = os.path.abspath(sys.argv[1]), sys.argv[2]
    passed = failed = 0

    def hold(good, what):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        print("%s %s" % ("ok  " if good else "FAIL", what))

    for case in sorted(glob.glob(os.path.join(shared, "data", "capture", "*"))):
        name, trace = os.path.basename(case), glob.glob(os.path.join(case, "*.json.gz"))[0]
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([analyzer, "run", trace, "--csv-dir", out, "-q"], check=True, capture_output=True)
            ours, share = table(os.path.join(out, "unified_perf_summary.csv"))
        wanted, wanted_share = table(os.path.join(shared, "golden", "capture", name, "unified_perf_summary.csv"))
        hold(share >= wanted_share - 1, "%s: modeled %.1f %% of kernel time, there %.1f %%" % (name, share, wanted_share))
        near = 0.0
        for key, want in wanted.items():
            got = ours.get(key, [0.0, 0])
            if got[1] == want[1] and abs(got[0] - want[0]) <= 1e-9 * want[0]:
                near += want[0]
            else:
                print("     %.90s: %s, not %s" % (" ".join(key), got, want))
        whole = sum(x[0] for x in wanted.values())
        hold(near >= 0.99 * whole and len(ours) == len(wanted), "%s: %.2f %% of kernel time in equal rows" % (name, 100 * near / whole))
        with tempfile.TemporaryDirectory() as alone:
            os.symlink(os.path.abspath(trace), os.path.join(alone, "trace.json.gz"))
            without = processor(analyzer, os.path.join(alone, "trace.json.gz"))
        capture = processor(analyzer, glob.glob(os.path.join(case, "capture_traces", "*.json.gz"))[0])
        whole = processor(analyzer, trace)
        # a figure to look at, not to fail by: times depend on the machine
        print("%s: %.3f s with the capture, %.3f s without, capture alone %.3f s" % (name, whole, without, capture))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
