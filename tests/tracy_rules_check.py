#!/usr/bin/env python3
"""Hold `tt-perf-report --csv` against the rules of tt-perf-report, computed by brute force on reports from random numbers
(tests/gen/make_tracy_rules.py).

    tracy_rules_check.py ANALYZER [--seeds N] [--first SEED]      last line "N passed, N failed"
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "gen"))
import make_tracy_rules as maker  # noqa: E402

ROUGH = {"Overlap": 0.02}  # us: cycles are whole, and so are our MHz


def differs(column, want, got):
    if want is None or isinstance(want, str):
        return got != (want or "").replace("=", "'=", 1 if (want or "").startswith("=") else 0)
    try:
        return abs(float(got) - want) > max(ROUGH.get(column, 1e-9), 1e-9 * abs(want))
    except ValueError:
        return True


def compare(want, got):
    if [str(r["ID"]) for r in want] != [r["ID"] for r in got]:
        return ["ids %s, not %s" % ([r["ID"] for r in got], [r["ID"] for r in want])]
    return ["row %d, %s: %r, not %r" % (w["ID"], k, g.get(k), v) for w, g in zip(want, got) for k, v in w.items()
            if k not in ("_", "Busy", "Label") and differs(k, v, g.get(k))]


def compare_stacked(want, got):
    """Deviations of equal rates are rounding."""
    if [r["Op Code"] for r in want] != [r["Op Code"] for r in got]:
        return ["stacked: %s, not %s" % ([r["Op Code"] for r in got], [r["Op Code"] for r in want])]
    return ["stacked %s, %s: %r, not %r" % (w["Op Code"], k, g.get(k), v) for w, g in zip(want, got) for k, v in w.items() if differs(k, v, g.get(k))]


def stacked_rows(path):
    """And removes the file, which is not written where nothing is left."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    os.remove(path)
    return rows


def only_ours(notes, rows):
    """Products in L1 have a bound, which tt-perf-report leaves blank."""
    return [n for n in notes if not (", Bound: 'SLOW', not ''" in n or ", Bound: 'FLOP', not ''" in n or ", Bound: 'DRAM', not ''" in n)]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("analyzer")
    ap.add_argument("--seeds", type=int, default=40)
    ap.add_argument("--first", type=int, default=1)
    a = ap.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        source, target = os.path.join(work, "x.csv"), os.path.join(work, "out.csv")
        for seed in range(a.first, a.first + a.seeds):
            header, rows, options = maker.make(seed)
            with open(source, "w", newline="") as f:
                w = csv.DictWriter(f, header, restval="", extrasaction="ignore")
                w.writeheader()
                w.writerows(rows)
            want = maker.rows_of(header, rows, options)
            more = ["--" + k if v is True else "--%s=%s" % (k, v) for k, v in options.items()]
            p = subprocess.run([a.analyzer, "tt-perf-report", source, "--csv", target] + more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            notes = ["exit status %d: %s" % (p.returncode, p.stderr.decode("utf-8", "replace"))]
            if p.returncode == 0:
                with open(target, encoding="utf-8", newline="") as f:
                    got = list(csv.DictReader(f))
                notes = only_ours(compare(want, got), want)
                stacked = stacked_rows(target[:-4] + "_stacked.csv")
                notes += [] if options.get("no-merge-devices") else compare_stacked(maker.stacked_of(want), stacked)
            passed, failed = passed + (not notes), failed + bool(notes)
            if notes:
                print("FAIL seed %d %s: %s" % (seed, " ".join(more), "; ".join(notes[:6])))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
