#!/usr/bin/env python3
"""Hold the collectives of compiled programs against reference figures.

usage: jax_collectives_check.py EXPECTED.csv ANALYZER
For every row of the reference a host is made whose ranks show its durations and skew (tests/gen/make_xplane_example.py); the
program reads all hosts as one input and must find sizes, times and bandwidths. Last line: N passed, N failed."""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    expected, analyzer = sys.argv[1], os.path.abspath(sys.argv[2])
    passed = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([sys.executable, os.path.join(HERE, "gen", "make_xplane_example.py"), "--collectives", expected,
                        "--dir", tmp], check=True)
        out = os.path.join(tmp, "out")
        subprocess.run([analyzer, "run", "-q", tmp, "--csv-dir", out], check=True)
        key = ("collective_name", "collective_id", "group_idx")
        mine = {tuple(r[k] for k in key): r for r in csv.DictReader(open(os.path.join(out, "collectives.csv")))}
    for want in csv.DictReader(open(expected)):
        name = tuple(want[k] for k in key)
        got = mine.get(name)
        bad = []
        for column, text in want.items():
            if column in key:
                continue
            if got is None or abs(float(got[column]) - float(text)) > 5e-7 + 1e-9 * abs(float(text)):  # six decimals
                bad.append("%s: want %s, got %s" % (column, text, got and got[column]))
        print("%s %s" % ("FAIL" if bad else "ok  ", " ".join(name)))
        for b in bad:
            print("     " + b)
        failed += bool(bad)
        passed += not bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
