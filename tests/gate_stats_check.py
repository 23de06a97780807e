#!/usr/bin/env python3
"""Holds the rank test against vectors made with SciPy: U exactly, p to 1e-6.

usage: gate_stats_check.py GATE_STATS VECTORS.json
GATE_STATS is the program of tests/tools/gate_stats.c. Prints a line for each case that differs and `N passed, N failed` last.
"""
import json, subprocess, sys


def main():
    tool, vectors = sys.argv[1], json.load(open(sys.argv[2]))
    lines = ["%s %s %s" % (v["alternative"], ",".join(map(repr, v["baseline"])), ",".join(map(repr, v["candidate"]))) for v in vectors]
    q = subprocess.run([tool, "mwu"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    passed = failed = 0
    out = q.stdout.splitlines()
    for v, got in zip(vectors, out):
        u, p, effect = map(float, got.split())
        want = 2 * v["U_candidate"] / (len(v["baseline"]) * len(v["candidate"])) - 1
        if u == v["U_candidate"] and abs(p - v["p_auto"]) <= 1e-6 and abs(effect - want) <= 1e-12:
            passed += 1
        else:
            failed += 1
            print("FAIL %s %s: U %g p %.9g, wanted %g %.9g" % (v["case"], v["alternative"], u, p, v["U_candidate"], v["p_auto"]))
    if len(out) != len(vectors):
        failed += 1
        print("FAIL %d answers for %d cases" % (len(out), len(vectors)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
