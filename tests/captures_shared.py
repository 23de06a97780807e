#!/usr/bin/env python3
"""Traces with graph replays and their captures against tables of TraceLens: the modelled share of kernel time, and kernel time
and count of every operator by shapes; and what a capture costs: at most what it takes to analyse the capture alone.

    captures_shared.py ANALYZER SHARED

TraceLens adds (ts + dur) - ts in float64, which rounds each duration to the spacing of numbers of the size of ts: a row of n
kernels may differ by half of that n times, which is computed from the trace (src/docs/graphs.md 5). Nothing else may; with
--compat=tracelens, which rounds so, too, not even that.
The last line is "N passed, N failed".
"""
import collections
import csv
import glob
import gzip
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 27)


def table(path):
    """(operator, shapes) -> kernel time in us, operations, kernels; and the modelled share."""
    rows, total, modelled = collections.defaultdict(lambda: [0.0, 0, 0]), 0.0, 0.0
    for r in csv.DictReader(open(path)):
        us = float(r["Kernel Time (µs)_sum"] or 0)
        dims = re.sub(r"[\s']", "", r["Input Dims"] or "").replace("[", "(").replace("]", ")").replace(",)", ")")
        x = rows[r["name"], dims]
        kernels = sum(int(n) for n in re.findall(r"[\"']count[\"']: *(\d+)", r["kernel_details_summary"]))
        rows[r["name"], dims] = [x[0] + us, x[1] + int(float(r["operation_count"])), x[2] + kernels]
        total += us
        modelled += us if r["has_perf_model"].lower() == "true" else 0
    return rows, 100 * modelled / total


def spacing(trace):
    """Between float64 numbers of the size of the time stamps, us."""
    with gzip.open(trace) as f:
        return math.ulp(max(e["ts"] for e in json.load(f)["traceEvents"] if e.get("cat") == "kernel"))


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
            subprocess.run([analyzer, "run", trace, "--csv-dir", out, "-q", "--compat=tracelens"], check=True, capture_output=True)
            rounded, _ = table(os.path.join(out, "unified_perf_summary.csv"))
        wanted, wanted_share = table(os.path.join(shared, "golden", "capture", name, "unified_perf_summary.csv"))
        hold(share >= wanted_share - 1, "%s: modelled %.1f %% of kernel time, there %.1f %%" % (name, share, wanted_share))
        half, near = spacing(trace) / 2, 0.0
        for key, want in wanted.items():
            got = ours.get(key, [0.0, 0, 0])
            if got[1] == want[1] and abs(got[0] - want[0]) <= want[2] * half + 1e-9 * want[0]:
                near += want[0]
            else:
                print("     %.90s: %s, not %s" % (" ".join(key), got, want))
        whole = sum(x[0] for x in wanted.values())
        same = [k for k, x in wanted.items() if k in rounded and abs(rounded[k][0] - x[0]) <= 1e-9 * x[0] and rounded[k][1] == x[1]]
        hold(same == list(wanted) and len(rounded) == len(wanted), "%s: %d of %d rows equal with compat tracelens" % (name, len(same), len(wanted)))
        hold(near >= 0.99 * whole, "%s: %.2f %% of kernel time in equal rows" % (name, 100 * near / whole))
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
