#!/usr/bin/env python3
"""Claims about waiting over the ranks of a run, tested on made-up runs of which the truth is known (gen/make_waiting.py).

usage: ranks_claims_check.py --analyzer ANALYZER [--seeds N] [--first-seed N] [--rates] [-j N]
Each seed makes runs with one fault, with two, and healthy ones, of 2 to 64 ranks and other noise and lengths. A fault counts as found if the
finding names the rule, who, and a saving within 40% of what the fault costs; a false positive is a finding of a waiting rule that no fault explains.
--rates prints the table of src/docs/stragglers.md. Standard library only; the last line is `N passed, N failed`.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
sys.dont_write_bytecode = True
import make_waiting as mw  # noqa: E402

WAITING = ("straggler", "slow_group", "pipeline_bubble", "stage_imbalance", "device_imbalance")
RATE_FOUND, RATE_WRONG = 0.9, 0.02  # of faults found at least; of runs with a finding that no fault explains at most


def scenarios(seed):
    """(name, run, faults to be found: (rule, ranks or group, cost in us or None, cause or None), ranks without a file)."""
    g = random.Random(seed)
    p = {"us": g.choice([150.0, 300.0, 700.0]), "transfer": g.choice([60.0, 120.0, 260.0]), "noise": g.choice([0.002, 0.01, 0.02])}
    steps = g.choice([4, 5, 7])

    def one(name, pattern, n, faults, truth, missing=(), **more):
        q = dict(p, **more)
        run, cost = mw.worth(pattern, n, steps, seed, faults, **q)
        return name, run, [(rule, who, cost if limit else None, cause) for rule, who, limit, cause in truth], missing
    n = g.choice([2, 4, 8, 12])
    yield one("even: buckets", "buckets", n, mw.Faults(), [])
    yield one("even: tensor", "tensor", 16, mw.Faults(), [], node=4)
    yield one("even: experts", "experts", 16, mw.Faults(), [])
    yield one("jitter: nobody is named", "buckets", 8, mw.Faults(jitter=0.15), [])
    n, r = g.choice([(4, g.randrange(4)), (8, g.randrange(8)), (16, g.randrange(16))])
    yield one("slow kernels", "buckets", n, mw.Faults(factor={r: g.uniform(1.12, 1.4)}), [("straggler", [r], True, "slow_kernels")])
    r = g.randrange(8)
    yield one("more work", "buckets", 8, mw.Faults(more={r: 3}), [("straggler", [r], True, "more_work")])
    r = g.randrange(8)
    yield one("late host", "buckets", 8, mw.Faults(host={r: g.uniform(0.4, 2) * 8 * p["us"]}), [("straggler", [r], True, None)])
    node, count = g.choice([(4, 3), (4, 4), (8, 2)])
    k = g.randrange(count)
    members = list(range(k * node, k * node + node))
    yield one("slow host", "tensor", node * count, mw.Faults(factor={q: g.uniform(1.1, 1.3) for q in members}), [("straggler", members, True, None)], node=node)
    place = g.randrange(4)
    members = list(range(place, 16, 4))
    yield one("slow place", "tensor", 16, mw.Faults(factor={q: 1.25 for q in members}), [("straggler", members, True, None)], node=4)
    place = g.randrange(4)
    group = tuple(range(place, 32, 4))
    yield one("slow link", "tensor", 32, mw.Faults(link={group: g.uniform(2.5, 6)}), [("slow_group", group, True, None)], node=4)
    stages = g.choice([3, 4, 8])
    yield one("pipeline", "gpipe", stages, mw.Faults(), [("pipeline_bubble", None, False, None)], node=stages)
    heavy = g.randrange(stages)
    yield one("heavy stage", "gpipe", stages, mw.Faults(stage=[1.5 if i == heavy else 1 for i in range(stages)]),
              [("pipeline_bubble", None, False, None), ("stage_imbalance", [heavy], False, None)], node=stages)
    a, b = g.sample(range(12), 2)
    yield one("two faults: kernels and host", "buckets", 12, mw.Faults(factor={a: 1.35}, host={b: 5 * p["us"]}),
              [("straggler", [a], False, None), ("straggler", [b], False, None)])
    place, r = g.randrange(4), g.randrange(16)
    group = tuple(range(place, 16, 4))
    yield one("two faults: rank and link", "tensor", 16, mw.Faults(factor={r: 1.3}, link={group: 5}),
              [("straggler", [r], False, None), ("slow_group", group, False, None)], node=4)
    r = g.randrange(8)
    yield one("missing rank, late", "tensor", 8, mw.Faults(host={r: 12 * p["us"]}), [("straggler", [r], True, None)], missing=(r,), node=4)
    yield one("missing rank, even", "buckets", 8, mw.Faults(), [], missing=(g.randrange(8),))
    if seed % 4 == 0:
        r = g.randrange(64)
        yield one("64 ranks", "experts", 64, mw.Faults(factor={r: 1.3}), [("straggler", [r], True, None)])


def who_of(f):
    if f["rule"] == "slow_group":
        return tuple(int(x) for x in f["group"].split(","))
    return [f["rank"]] if f["rank"] is not None else f["ranks"] or None


def judge(job):
    """(name, seed, faults, found, wrong findings, remarks)."""
    analyzer, (name, run, truth, missing), seed = job
    folder = tempfile.mkdtemp(prefix="waiting", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        run.write(os.path.join(folder, "run"), missing)
        done = subprocess.run([analyzer, "multirank", "-b", os.path.join(folder, "run"), "-j", "1", "-q", "--format", "json", "-o", os.path.join(folder, "out")],
                              capture_output=True, text=True, check=False, timeout=120)
        names = glob.glob(os.path.join(folder, "out", "*.json")) + glob.glob(os.path.join(folder, "out*.json"))
        if done.returncode or not names:
            return name, seed, len(truth), 0, 0, ["no report: " + done.stderr[-200:]]
        with open(names[0], encoding="utf-8") as f:
            verdict = json.load(f)["verdict"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return (name, seed, len(truth)) + compare(verdict, truth)


def compare(verdict, truth):
    waiting = [f for f in verdict["findings"] if f["rule"] in WAITING]
    explained, found, remarks = set(), 0, []
    for rule, who, cost, cause in truth:
        hits = [i for i, f in enumerate(waiting) if f["rule"] == rule and (who is None or who_of(f) == who)]
        explained.update(hits)
        problems = [] if hits else ["no %s of %s" % (rule, who)]
        if hits and cost is not None and abs(waiting[hits[0]]["saving_ns"] / 1e3 - cost) > 0.4 * cost:
            problems.append("%s saves %.0f us, costs %.0f" % (rule, waiting[hits[0]]["saving_ns"] / 1e3, cost))
        if hits and cause and waiting[hits[0]]["cause"] != cause:
            problems.append("cause of %s %s is %s, not %s" % (rule, who, waiting[hits[0]]["cause"], cause))
        found += not problems
        remarks += problems
    wrong = [f for i, f in enumerate(waiting) if i not in explained]
    remarks += ["wrong: %s %s %.2f%%" % (f["rule"], who_of(f), 100 * f["share"]) for f in wrong]
    top = sum(f["share"] for f in verdict["findings"] if f["part_of"] is None and not f["outside_scope"])
    if top > 1 + 1e-9:
        remarks.append("savings add up to %.2f" % top)
    return found, len(wrong), remarks


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--analyzer", required=True)
    ap.add_argument("--seeds", type=int, default=3)
    ap.add_argument("--first-seed", type=int, default=1)
    ap.add_argument("--rates", action="store_true")
    ap.add_argument("-j", "--jobs", type=int, default=2)
    a = ap.parse_args()
    analyzer = os.path.abspath(a.analyzer)
    rows = collections.OrderedDict()
    over = []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        jobs = ((analyzer, s, seed) for seed in range(a.first_seed, a.first_seed + a.seeds) for s in scenarios(seed))
        for name, seed, faults, found, wrong, remarks in pool.map(judge, jobs):
            row = rows.setdefault(name, [0, 0, 0, 0])
            row[0] += 1
            row[1] += faults
            row[2] += found
            row[3] += wrong > 0
            over += ["%s, seed %d: %s" % (name, seed, r) for r in remarks if r.startswith(("savings", "no report"))]
            for r in remarks:
                print("note %s, seed %d: %s" % (name, seed, r))
    if a.rates:
        print("| run | runs | faults | found | runs with a wrong finding |\n|---|---|---|---|---|")
        for name, row in rows.items():
            print("| %s | %d | %d | %d | %d |" % ((name,) + tuple(row)))
    runs, faults, found, wrong = (sum(r[i] for r in rows.values()) for i in range(4))
    checks = [("faults are found: %d of %d" % (found, faults), found >= RATE_FOUND * faults),
              ("no finding without a fault: %d of %d runs" % (wrong, runs), wrong <= max(1, RATE_WRONG * runs)), ("savings add up to the whole at most", not over)]
    for text, ok in checks:
        print("%s %s" % ("ok  " if ok else "FAIL", text))
    good = sum(ok for _, ok in checks)
    print("%d passed, %d failed" % (good, len(checks) - good))
    sys.exit(good < len(checks))


if __name__ == "__main__":
    main()
