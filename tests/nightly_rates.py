#!/usr/bin/env python3
"""Error rates of the judgment of nights as the table of src/docs/nightly.md: false alarms in 1,000 figure-nights, and the
percentage of the histories in which a change was found in time, for the noise models and methods of
tests/tools/nightly_rates.c.

    nightly_rates.py TOOL [--histories N] [--nights N] [--only-ours]     the last line is "N passed, N failed"
"""
import argparse
import math
import subprocess
import sys

# noise model: false alarms allowed in 1,000 figure-nights
MOST = {"20 steps": 1, "3 to 60 steps": 1, "3 to 60 steps by five nights": 1, "60 steps, then 5": 1, "5 steps, then 60": 1, "white": 1, "two modes": 1, "AR(1) 0.3": 2, "AR(1) 0.5": 2, "AR(1) 0.8": 2, "t(3)": 3, "1 % outlier nights": 3}
# change: column of the line, percent of the histories at least; +3 % with AR(1) 0.5 is found in 95 % by nobody (src/docs/nightly.md)
FOUND = {"+3 %": (3, 95), "+5 %": (3, 98), "+10 %": (2, 98), "+1 % a night": (4, 95)}
LEAST = {("AR(1) 0.5", "+3 %"): 90, ("60 steps, then 5", "+3 %"): 60, ("60 steps, then 5", "+10 %"): 80, ("5 steps, then 60", "+3 %"): 90}
CHANGED, NIGHTS, ALIKE = 10, 1.2, 3  # histories with a change, thousands of figure-nights of each; alarms that come together


def most_of(noise, histories):
    """What is allowed, and three deviations of so few histories."""
    most = MOST[noise]
    return min(2.5 * most, most + 3 * math.sqrt(ALIKE * most / (NIGHTS * histories)))


def least_of(noise, change, histories):
    least = LEAST.get((noise, change), FOUND[change][1])
    return least - 3 * math.sqrt(least * (100 - least) / (CHANGED * histories))


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
        good = float(of["none"][0]) <= most_of(noise, a.histories)
        print("" if good else "FAIL %s: %s false alarms\n" % (noise, of["none"][0]), end="")
        passed += good
        failed += not good
        for change, (column, _) in FOUND.items():
            good = float(of[change][column]) >= least_of(noise, change, a.histories)
            print("" if good else "FAIL %s, %s: %s of 100 found\n" % (noise, change, of[change][column]), end="")
            passed += good
            failed += not good
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
