#!/usr/bin/env python3
"""What a report of many ranks costs: the processor time of finishing grows with the ranks and not with their square, a row of
the list of collectives stays below 100 bytes, 1,024 made-up traces go from end to end.

usage: growth_check.py --analyzer PROGRAM --tools DIR [--most RANKS] [--print]
--print: figures of each size. Last line: N passed, N failed."""
import argparse
import glob
import os
import resource
import shutil
import subprocess

from common import Check


def cpu(c, *args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = c.run(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return p, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", required=True)
    a.add_argument("--tools", required=True)
    a.add_argument("--most", type=int, default=4096)
    a.add_argument("--print", action="store_true")
    a = a.parse_args()
    c, tools = Check(a.analyzer), os.path.abspath(a.tools)
    os.makedirs(c.path("traces"))
    subprocess.run([tools + "/rank_runs", c.path("traces"), "ranks=1024", "steps=3", "layers=1", "names=rank"], check=True,
                   stdout=subprocess.DEVNULL)
    traces = glob.glob(c.path("traces") + "/*.json")
    for k in range(4):
        p, t = cpu(c, "map", c.path("traces"), "-o", c.path("parts"), "--task", "%d/4" % k)
        c.ok(p.returncode == 0, "share %d of 4: %.1f s of processor time %s" % (k, t, p.stderr[:200]))
    p, t = cpu(c, "reduce", c.path("parts"), "--format", "csv", "--csv-dir", c.path("out"))
    with open(c.path("out", "ranks.csv")) as f:
        ok = sum(1 for line in f if line.rstrip().endswith("ok"))
    c.ok(p.returncode == 0 and ok == len(traces) == 1024, "1,024 ranks from end to end: %d in the report, %.1f s" % (ok, t))
    one = sorted(glob.glob(c.path("parts") + "/rank5_*.part"))[0]
    cost, n = {}, 1024
    while n <= a.most:
        shutil.rmtree(c.path("made"), ignore_errors=True)
        shutil.rmtree(c.path("out"), ignore_errors=True)
        os.makedirs(c.path("made"))
        subprocess.run([tools + "/make_parts", one, c.path("made", "run"), "ranks=%d" % n, "world=cut"], check=True)
        size = sum(os.path.getsize(x) for x in glob.glob(c.path("made") + "/*"))
        best = None
        for _ in range(2):
            p, t = cpu(c, "reduce", c.path("made"), "--format", "csv", "--csv-dir", c.path("out"), "-q")
            best = t if best is None else min(best, t)
        cost[n] = best
        rows = open(c.path("out", "long.csv")).read().splitlines()[1:]
        width = sum(len(r) + 1 for r in rows) / max(1, len(rows))
        c.ok(p.returncode == 0 and 0 < width < 100, "%d ranks: a row of long has %.1f bytes" % (n, width))
        print("%6d ranks: %7.1f MB of parts, %6.2f s of processor time, %.3f ms a rank" % (n, size / 1e6, best, best / n * 1e3))
        if n > 1024:
            c.ok(best < cost[n // 4] * 4 * 1.6 + 0.2, "%d ranks: %.1f times the time of %d" % (n, best / cost[n // 4], n // 4))
        n *= 4
    c.end()


main()
