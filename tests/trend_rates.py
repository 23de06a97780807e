#!/usr/bin/env python3
"""Steps, gradual changes and unchanged levels of seeded histories as the table of src/docs/nightly.md: percent described
correctly, from tests/tools/trend_rates.c.

    trend_rates.py TOOL [--histories N] [--seed N]     the last line is "N passed, N failed"
"""
import argparse
import math
import subprocess
import sys

# percent of the histories that are described correctly at least, of the noises without correlation
LEAST = {"unchanged": 98, "one run off by 12%": 97, "step of 3%": 82, "step of 5%": 94, "step of 10%": 98, "step of -5%": 94,
         "step of 8%, and back": 95, "drift, then a step of 6%": 93, "drift, then back at once": 98, "0.1% per run": 92,
         "0.2% per run": 93, "0.4% per run": 94, "1% per run": 94, "0.5% per run for 15 runs": 93,
         "step of 8%, then 0.4% per run": 94, "step of 8%, back, then 0.4% per run": 83}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("--histories", type=int, default=400)
    p.add_argument("--seed", type=int, default=7)
    a = p.parse_args()
    out = subprocess.run([a.tool, str(a.histories), str(a.seed)], capture_output=True, text=True, check=True).stdout
    passed, failed, noises, rows = 0, 0, [], {}
    for line in out.splitlines():
        noise, kind, right = line.split("|")[:3]
        noises += [noise] if noise not in noises else []
        rows.setdefault(kind, {})[noise] = float(right)
        if noise.startswith("AR"):
            continue
        least = LEAST[kind] - 3 * math.sqrt(LEAST[kind] * (100 - LEAST[kind]) / a.histories)
        good = float(right) >= least
        print("" if good else "FAIL %s, %s: %s of 100 correct\n" % (noise, kind, right), end="")
        passed += good
        failed += not good
    print("| history of 60 runs | " + " | ".join(noises) + " |\n|---" * 1 + "|" + "---|" * len(noises))
    for kind, of in rows.items():
        print("| %s | %s |" % (kind, " | ".join("%.1f" % of[n] for n in noises)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
