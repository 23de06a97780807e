#!/usr/bin/env python3
"""Error rates of the judgement of nights as the table of src/docs/nightly.md: false alarms in 1,000 figure-nights, and the
percentage of the histories in which a change was found in time, for the noise models and methods of
tests/tools/nightly_rates.c.

    nightly_rates.py TOOL [--histories N] [--nights N] [--only-ours]     the last line is "N passed, N failed"
"""
import argparse
import subprocess
import sys

# noise model: false alarms allowed in 1,000 figure-nights, and more for what so few histories scatter by
MOST = {"white": 1, "two modes": 1, "AR(1) 0.8": 2, "t(3)": 3, "1 % outlier nights": 3}
SLACK = 2.5
# noise model and change: column of the line, percent of the histories at least, less what so few scatter by
FOUND = {("white", "+3 %"): (3, 95), ("white", "+5 %"): (3, 98), ("white", "+10 %"): (2, 98), ("white", "+1 % a night"): (4, 95),
         ("two modes", "+3 %"): (3, 95), ("t(3)", "+5 %"): (3, 95), ("AR(1) 0.8", "+5 %"): (3, 90)}
MISSED = 12


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("--histories", type=int, default=100)
    p.add_argument("--nights", type=int, default=60)
    p.add_argument("--only-ours", action="store_true")
    a = p.parse_args()
    out = subprocess.run([a.tool, str(a.histories), str(a.nights), "1" if a.only_ours else "5"], capture_output=True, text=True,
                         check=True).stdout
    passed = failed = 0
    rows = {}
    for line in out.splitlines():
        cell = line.split("|")
        rows.setdefault((cell[0], cell[2]), {})[cell[1]] = cell[3:]
    print("| noise | method | false alarms | run again | +3 %, 5 nights | +5 %, 5 nights (median delay) | +10 %, same night | "
          "+1 % a night, 15 nights |")
    print("|---|---|---|---|---|---|---|---|")
    for (noise, method), of in rows.items():
        step = {c: of.get(c, ["-"] * 6) for c in ("+3 %", "+5 %", "+10 %", "+1 % a night")}
        print("| %s | %s | %s | %s | %s | %s (%s) | %s | %s |" % (noise, method, of["none"][0], of["none"][1], step["+3 %"][3], step["+5 %"][3],
              step["+5 %"][5], step["+10 %"][2], step["+1 % a night"][4]))
        if method != "nights" or noise not in MOST:
            continue
        good = float(of["none"][0]) <= SLACK * MOST[noise]
        passed += good
        failed += not good
        for (model, change), (column, least) in FOUND.items():
            if model != noise or change not in of:
                continue
            good = float(of[change][column]) >= least - MISSED
            print("" if good else "FAIL %s, %s: %s of 100 found" % (noise, change, of[change][column]), end="" if good else "\n")
            passed += good
            failed += not good
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
