#!/usr/bin/env python3
"""What a report of many ranks costs: the processor time of finishing grows with the ranks and not with their square, the memory is at
most 1.2 times the parts, a row of the list of collectives stays below 100 bytes, 1,024 made-up traces go from end to end. Of ranks
with many collectives each needs at most 64 bytes of memory per rank, and 45 of its part.

usage: growth_check.py --analyzer PROGRAM --tools DIR [--long]
--long: also 100,000 ranks, whole and merged by `reduce --partial` first (1 GB of disk, a minute). Last line: N passed, N failed."""
import argparse
import glob
import os
import shutil
import subprocess

from common import Check


class Cost:
    """Processor time and peak memory of one run."""

    def __init__(self, c, *args):
        with open(c.path("stderr"), "w+") as f:
            p = subprocess.Popen([c.analyzer] + list(args), stdout=subprocess.DEVNULL, stderr=f, cwd=c.dir)
            _, status, used = os.wait4(p.pid, 0)
            f.seek(0)
            self.said = f.read()
        p.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.time, self.memory = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def made(c, tools, one, n):
    """Parts of so many ranks: their bytes."""
    shutil.rmtree(c.path("made"), ignore_errors=True)
    os.makedirs(c.path("made"))
    subprocess.run([tools + "/make_parts", one, c.path("made", "run"), "ranks=%d" % n, "world=cut"], check=True)
    return sum(os.path.getsize(x) for x in glob.glob(c.path("made") + "/*"))


def reduce(c, source="made"):
    shutil.rmtree(c.path("out"), ignore_errors=True)
    return Cost(c, "reduce", c.path(source), "--format", "csv", "--csv-dir", c.path("out"), "-q", "-j", "2")


def width(c):
    rows = size = 0
    with open(c.path("out", "long.csv")) as f:
        next(f)
        for line in f:
            rows += 1
            size += len(line)
    return size / max(1, rows)


def sizes(c, tools, one, program):
    cost = {}
    for n in (1024, 4096, 16384):
        size = made(c, tools, one, n)
        runs = [reduce(c) for _ in range(2 if n < 16384 else 1)]
        cost[n], memory = min(r.time for r in runs), max(r.memory for r in runs)
        w = width(c)
        c.ok(runs[0].status == 0 and 0 < w < 100, "%d ranks: a row of long has %.1f bytes" % (n, w))
        c.ok(memory - (program if n < 16384 else 0) <= 1.2 * size, "%d ranks: %.1f MB of parts, %.1f MB of memory, %.2f times%s" %
             (n, size / 1e6, memory / 1e6, memory / size, "" if n == 16384 else ", of which %.1f MB are the program's" % (program / 1e6)))
        print("%6d ranks: %6.2f s of processor time, %.3f ms a rank" % (n, cost[n], cost[n] / n * 1e3))
        if n > 1024:
            c.ok(cost[n] < cost[n // 4] * 4 * 1.6 + 0.2, "%d ranks: %.1f times the time of %d" % (n, cost[n] / cost[n // 4], n // 4))
    return cost[16384] / 16384


def collectives(c, tools, program):
    """Ranks whose parts are mostly collectives: bytes of each."""
    os.makedirs(c.path("few"))
    subprocess.run([tools + "/rank_runs", c.path("few"), "ranks=2", "steps=32", "layers=10", "names=rank"], check=True,
                   stdout=subprocess.DEVNULL)
    c.run("map", c.path("few"), "-o", c.path("few_parts"))
    size = made(c, tools, glob.glob(c.path("few_parts") + "/rank1_*.part")[0], 512)
    r = reduce(c)
    with open(c.path("out", "long.csv")) as f:
        n = sum(1 for _ in f) - 1
    c.ok(r.status == 0 and n >= 512 * 900, "512 ranks of %.0f collectives, %.2f us of processor time each" % (n / 512, r.time / n * 1e6))
    c.ok((r.memory - program) / n <= 64, "%.1f bytes of memory for each above the program's" % ((r.memory - program) / n))
    c.ok(size / n <= 45, "%.1f bytes of the parts" % (size / n))


def simulation(c, tools, one, each):
    """100,000 ranks, and the same after each 8,192 were merged."""
    size = made(c, tools, one, 100000)
    r = reduce(c)
    c.ok(r.status == 0, "100,000 ranks: %.0f MB of parts, %.1f s of processor time, %.3f ms a rank, %.0f MB of memory" %
         (size / 1e6, r.time, r.time / 100, r.memory / 1e6))
    c.ok(r.time < each * 100000 * 1.6 and r.memory <= 1.2 * size, "in %.2f times the time a rank of 16,384, %.2f times the parts" %
         (r.time / 100000 / each, r.memory / size))
    os.rename(c.path("out"), c.path("whole"))
    files, merging = sorted(glob.glob(c.path("made") + "/*")), 0
    os.makedirs(c.path("merged"))
    for i in range(0, len(files), 8):
        m = Cost(c, "reduce", "--partial", "-o", c.path("merged", "%03d.part" % i), *files[i:i + 8])
        merging = max(merging, m.time)
    r = reduce(c, "merged")
    c.ok(r.status == 0, "merged by 8,192 first: %.1f s each, then %.1f s, %.0f MB" % (merging, r.time, r.memory / 1e6))
    c.same("whole", "out", "and the report is the same")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--analyzer", required=True)
    a.add_argument("--tools", required=True)
    a.add_argument("--long", action="store_true")
    a = a.parse_args()
    c, tools = Check(a.analyzer), os.path.abspath(a.tools)
    os.makedirs(c.path("traces"))
    subprocess.run([tools + "/rank_runs", c.path("traces"), "ranks=1024", "steps=3", "layers=1", "names=rank"], check=True,
                   stdout=subprocess.DEVNULL)
    traces = glob.glob(c.path("traces") + "/*.json")
    for k in range(4):
        m = Cost(c, "map", c.path("traces"), "-o", c.path("parts"), "--task", "%d/4" % k)
        c.ok(m.status == 0, "share %d of 4: %.1f s of processor time %s" % (k, m.time, m.said[:200]))
    r = reduce(c, "parts")
    with open(c.path("out", "ranks.csv")) as f:
        ok = sum(1 for line in f if line.rstrip().endswith("ok"))
    c.ok(r.status == 0 and ok == len(traces) == 1024, "1,024 ranks from end to end: %d in the report, %.1f s" % (ok, r.time))
    one = sorted(glob.glob(c.path("parts") + "/rank5_*.part"))[0]
    made(c, tools, one, 8)
    program = reduce(c).memory
    each = sizes(c, tools, one, program)
    collectives(c, tools, program)
    if a.long:
        simulation(c, tools, one, each)
    c.end()


main()
