#!/usr/bin/env python3
"""How often the verdict on stragglers is right, over seeded runs of which the truth is known (tests/tools/rank_runs.c).

    straggler_rates.py --analyzer FILE --tool FILE [--quick | --full] [--only TEXT] [--share F] [--jobs N] [--bound F]

Each row of the table is a kind of run: how many runs, the delay of the slow rank in us a step, what it costs in % of a
step (median), how many runs flag the slow rank, how many flag another one, how many ranks those are, and how wrong
the waits are (us a collective, the worst rank; median and maximum of the runs). A run counts for the rate of right
verdicts when the delay is above the bound that the report itself states (found_from_us for a rank that is slow in two
thirds of the steps, found_seldom_from_us for one that is in seldom_steps), and costs more than --bound of a step: a
delay that hides in the slack of a pipeline is nobody's wait. "Any": those above found_from_us on average, in however
few steps. --quick holds the rates to RIGHT and WRONG, checks clocks of send and recv and hosts in the names of files, and
ends with "N passed, N failed".
"""
import argparse
import collections
import csv
import json
import multiprocessing
import os
import re
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

BOUND = 0.03  # of a step: what a straggler must cost at least to be called one
RIGHT, WRONG = 0.95, 0.01
CLOCKS = {
    "offsets": {},
    "drift 5": {"drift": 5, "gap": 800000, "own_clocks": 1},
    "drift 20": {"drift": 20, "gap": 800000, "own_clocks": 1},
    "jumps": {"jumps": 1, "own_clocks": 1},
    "drift, jumps": {"drift": 20, "gap": 800000, "jumps": 1},
    "lost": {"lost": 0.02},
    "ragged": {"ragged": 0.3},
}
VARIANTS = {  # noise and recordings of other kinds
    "noisy": {"jitter": 0.03, "tail": 0.01},
    "uneven": {"hetero": 0.005},
    "loose ends": {"end_us": 5},
    "no steps": {"no_steps": 1},
    "5 steps": {"steps": 5},
    "40 steps": {"steps": 40},
    "long steps": {"scale": 10, "delay": 10000},
}
PATTERNS = {"fsdp": {"pattern": "fsdp"}, "moe": {"pattern": "moe"}, "pp": {"pattern": "pp"}, "p2p": {"pattern": "p2p"},
            "tp": {"pattern": "tp", "steps": 8}, "tp, 2 steps": {"pattern": "tp", "steps": 2}}


def one(job):
    """Makes a run, has it judged; (scenario, seed, truth, flagged ranks, findings) or what went wrong."""
    analyzer, tool, name, keys, seed, keep = job
    folder = tempfile.mkdtemp(prefix="ranks", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        runs, out = os.path.join(folder, "run"), os.path.join(folder, "out")
        subprocess.run([tool, runs] + ["%s=%s" % kv for kv in sorted(keys.items())], check=True)
        with open(os.path.join(runs, "truth"), encoding="utf-8") as f:
            truth = json.load(f)
        os.remove(os.path.join(runs, "truth"))
        done = subprocess.run([analyzer, "multirank", "-b", runs, "--all-ranks", "-j", "1", "-q", "--compat=all",
                               "--format", "csv", "--csv-dir", out], capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            return name, seed, truth, None, done.stderr
        return name, seed, truth, table(out, "straggler_summary"), table(out, "findings"), table(out, "clock_offsets"), keys
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def table(out, name):
    path = os.path.join(out, name + ".csv")
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def flagged(rows):
    return {int(r["rank"]) for r in rows if r.get("straggler", "").lower() == "true"}


def scenarios(a):
    """(name, keys without seed, number of seeds)"""
    def row(pattern, ranks, clock, delay, n, who=-2):
        keys = dict(PATTERNS[pattern], ranks=ranks)
        if delay:
            keys.update(straggler=who, delay=delay)
        keys.update(CLOCKS.get(clock) or VARIANTS.get(clock, {}))
        if pattern == "moe":
            keys["group"] = 4 if ranks <= 8 else 8
        return ("%s" % pattern, ranks, clock, delay), keys, max(1, round(n * a.share))
    if a.quick:
        for pattern, delay in (("fsdp", 800), ("moe", 800), ("pp", 2000), ("tp", 500), ("tp, 2 steps", 0)):
            yield row(pattern, 8, "offsets", 0, 12)
            if delay:
                yield row(pattern, 8, "drift 20", delay, 8)
        yield row("moe", 32, "offsets", 1000, 4)
        yield row("pp", 8, "offsets", 1000, 4, 7)
        yield row("pp", 8, "drift, jumps", 0, 4)
        yield row("p2p", 4, "offsets", 0, 4)
        return
    for pattern in PATTERNS:
        small = 4 if pattern.startswith("tp") else 8
        for clock in CLOCKS:
            yield row(pattern, small, clock, 0, 40)
            for delay in (200, 1000):
                yield row(pattern, small, clock, delay, 20)
        for delay in (20, 50, 100, 300, 500):
            yield row(pattern, small, "offsets", delay, 20)
        for variant in VARIANTS:
            if "steps" not in PATTERNS[pattern] or "steps" not in VARIANTS[variant]:
                yield row(pattern, small, variant, 0, 20)
                yield row(pattern, small, variant, 1000, 10)
        for ranks, n in ((8, 40), (16, 40)) if pattern.startswith("tp") else ((32, 24), (128, 4), (256, 3)):
            for delay in (0, 200, 1000) + ((50, 100, 500) if ranks <= 32 else ()):
                yield row(pattern, ranks, "offsets", delay, n * (1 if delay else 2))
            yield row(pattern, ranks, "drift, jumps", 0, n)
            yield row(pattern, ranks, "drift, jumps", 1000, n)


def jobs(a):
    for i, (name, keys, n) in enumerate(scenarios(a)):
        if a.only and not any(t in "%s %s %s %s" % name for t in a.only.split("|")):
            continue
        for k in range(n):
            seed = 1000 * i + k + 1 + a.first_seed
            g = random.Random(seed)
            more = dict(keys, seed=seed, how=g.choice(["spread", "place", "host"]), seq=g.choice([0, 1]),
                        names=g.choice(["rank", "host"]))
            more.setdefault("own_clocks", g.choice([0, 1]))
            more.setdefault("often", g.choice([1, 1, 0.4]))
            yield a.analyzer, a.tool, name, more, seed, a.keep


class Row:
    def __init__(self):
        self.n = self.slow = self.big = self.right_big = self.right = self.wrong_runs = self.wrong_ranks = 0
        self.dishonest = self.alarms = self.any = self.right_any = 0
        self.costs, self.errors, self.bad = [], [], []


def ranks_of(subject):
    """Ranks of "rank 3", "ranks 8-15, 17 of node1, 2 ms per step": numbers up to the first word after them."""
    out = set()
    for part in re.match(r"ranks? ([-0-9, ]+)", subject).group(1).strip(" ,").split(","):
        low, _, high = part.strip().partition("-")
        out.update(range(int(low), int(high or low) + 1))
    return out


def count(a, results):
    rows = collections.OrderedDict()
    for r in results:
        x = rows.setdefault(r[0], Row())
        x.n += 1
        if r[3] is None:
            x.bad.append((r[1], "no report: " + r[4][:200]))
            continue
        name, seed, truth, summary, findings, clocks, keys = r
        who, hit = int(truth["straggler"]), flagged(summary)
        told = {r for f in findings if f["Rule"] == "straggler" for r in ranks_of(f["Subject"])}
        if told != hit and not (told < hit and keys.get("gap")):  # next to long gaps between steps a delay is a trifle of the account
            x.bad.append((seed, "findings name %s, the table %s" % (sorted(told), sorted(hit))))
        error = wait_error(truth, summary)
        if error is not None:
            x.errors.append(error)
            said = max([float(c.get("error_us") or 0) for c in clocks] + [0])
            x.dishonest += error > 20 + 3 * said
            if error > 20:
                x.bad.append((seed, "waits wrong by %.1f us a collective, clocks by %.1f as they say: %s" % (error, said, words(keys))))
        cost = truth["cost_us"] / truth["step_us"]
        others = hit - {who}
        x.wrong_runs += bool(others)
        x.wrong_ranks += len(others)
        if others:
            x.bad.append((seed, "wrong %s, slow %d, cost %.1f %%: %s" % (sorted(others)[:8], who, 100 * cost, words(keys))))
        if who >= 0:
            x.slow += 1
            x.costs.append(cost)
            x.right += who in hit
            mine = [r for r in summary if int(r["rank"]) == who]
            above, anyhow = is_above(truth, mine[0] if mine else {})
            if cost >= a.bound and anyhow:
                x.any += 1
                x.right_any += who in hit
            if cost >= a.bound and above:
                x.big += 1
                x.right_big += who in hit
                if who not in hit:
                    x.bad.append((seed, "missed %d, cost %.1f %%: %s" % (who, 100 * cost, words(keys))))
    return rows


def is_above(truth, row):
    """Is the delay above what the report says that it finds; would it be if the number of slow steps did not matter?"""
    mean = truth["delay"] * truth["slow_steps"] / truth["steps"]
    always, seldom = (float(row.get(k) or "inf") for k in ("found_from_us", "found_seldom_from_us"))
    few = float(row.get("seldom_steps") or "inf")
    return (mean >= always if 3 * truth["slow_steps"] >= 2 * truth["steps"] else
            mean >= max(seldom, always) and truth["slow_steps"] >= few), mean >= always


def wait_error(truth, summary):
    """us a collective that the waits of a rank are wrong at most; None where not all events are there."""
    if truth["lost"] or truth["ragged"] or not summary:
        return None
    worst = []
    for with_all_to_all in (0, 1):
        off = 0
        for row in summary:
            r, n = int(row["rank"]), int(row["collectives_of_rank"])
            want = truth["wait_us"][r] + with_all_to_all * truth["all_to_all_wait_us"][r]
            off = max(off, abs(float(row["total_wait_time_us"]) - want) / n if n else 0)
        worst.append(off)
    return min(worst)


def words(keys):
    return " ".join("%s=%s" % kv for kv in sorted(keys.items()))


def report(a, folder, **keys):
    """Tables of one run of these keys."""
    runs, out = os.path.join(folder, "run"), os.path.join(folder, "out")
    shutil.rmtree(runs, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([a.tool, runs] + ["%s=%s" % kv for kv in keys.items()], check=True)
    os.remove(os.path.join(runs, "truth"))
    subprocess.run([a.analyzer, "multirank", "-b", runs, "--all-ranks", "-q", "--compat=all", "--format", "csv",
                    "--csv-dir", out], check=True)
    return {name: table(out, name) for name in ("nccl_exposure", "straggler_summary", "findings", "clock_offsets")}


def checks(a):
    """What else must hold: (name, whether, what was found)."""
    with tempfile.TemporaryDirectory() as folder:
        for pattern in ("p2p", "pp"):
            shares = []
            for more in ({"offset": 0}, {"offset": 1500}, {"offset": 1500, "drift": 20, "gap": 200000}):
                t = report(a, folder, pattern=pattern, ranks=8, seed=5, own_clocks=1, **more)
                shares.append({r["Collective"]: float(r["exposed_wait (%)"]) for r in t["nccl_exposure"]})
            off = max(abs(shares[0][k] - s[k]) for s in shares for k in ("send", "recv"))
            yield "%s: exposed waits of send and recv do not depend on offsets and drifts of clocks" % pattern, off < 3, shares
        for names, want in (("host", lambda r: r // 4), ("rank", lambda r: r // 8)):
            t = report(a, folder, pattern="fsdp", ranks=16, per_host=4, devices=8, names=names, steps=4)
            bad = [r for r in t["straggler_summary"] if r["node_id"] != str(want(int(r["rank"])))]
            yield "nodes of files named by %s" % names, t["straggler_summary"] and not bad, bad
        t = report(a, folder, pattern="fsdp", ranks=8, jumps=6, jump_us=800, own_clocks=1, seed=3)
        off = [float(r["error_us"]) for r in t["clock_offsets"]]
        told = [f for f in t["findings"] if f["Rule"] == "clock_uncertain"]
        yield "clocks that are not known well are told", max(off) < 20 or told, (off, told)
        t = report(a, folder, pattern="fsdp", ranks=8, straggler=3, delay=1000, how="place", seed=3)
        told = [f for f in t["findings"] if f["Rule"] == "straggler"]
        last = float([r for r in t["straggler_summary"] if r["rank"] == "3"][0]["pct_arrived_last"])
        yield "'most collectives' is said of more than half", told and (last > 50 or "most" not in told[0]["Advice"]), told


def held(a, rows):
    """Prints what fails; (passed, failed)."""
    right = wrong = big = n = none = alarms = 0
    for x in rows.values():
        right, wrong, big, n = right + x.right_big, wrong + x.wrong_runs * (x.slow > 0), big + x.big, n + x.n * (x.slow > 0)
        none, alarms = none + x.n * (not x.slow), alarms + x.wrong_runs * (not x.slow)
    drifting = sorted(e for name, x in rows.items() if name[2] == "drift 20" for e in x.errors)
    results = [("the slow rank is found", big and right >= RIGHT * big, "%d of %d" % (right, big)),
               ("no other rank is flagged", wrong <= WRONG * n, "%d of %d" % (wrong, n)),
               ("no rank is flagged where none is slow", alarms <= WRONG * none, "%d of %d" % (alarms, none)),
               ("waits are wrong by what the clocks' errors say, at most", sum(x.dishonest for x in rows.values()) <= WRONG * (n + none),
                sum(x.dishonest for x in rows.values())),
               ("waits are right where clocks drift", drifting and max(drifting) < 20, drifting[-3:]),
               ("every run is reported", not any("no report" in b[1] or "findings name" in b[1] for x in rows.values() for b in x.bad),
                [b for x in rows.values() for b in x.bad if "no report" in b[1] or "findings name" in b[1]][:3])]
    results += list(checks(a))
    for name, good, found in results:
        if not good:
            print("FAIL %s: %s" % (name, str(found)[:600]))
    return sum(bool(g) for _, g, _ in results), sum(not g for _, g, _ in results)


def show(rows, out):
    line = "%-14s %5s  %-13s %6s %5s %7s %9s %13s %12s %11s %14s"
    print(line % ("pattern", "ranks", "clocks", "delay", "runs", "cost %", "flagged", "above bound", "wrong runs",
                  "wrong ranks", "wait error us"), file=out)
    for name, x in rows.items():
        print(line % (name + (x.n, "%.1f" % (100 * statistics.median(x.costs)) if x.costs else "-",
                              "%d/%d" % (x.right, x.slow) if x.slow else "-",
                              "%d/%d" % (x.right_big, x.big) if x.slow else "-",
                              x.wrong_runs, x.wrong_ranks, "%.1f max %.1f" % (statistics.median(x.errors), max(x.errors))
                              if x.errors else "-")), file=out)
    total = Row()
    by = collections.OrderedDict()
    for name, x in rows.items():
        for t in (total, by.setdefault((name[0], "slow" if x.slow else "none"), Row())):
            for k in ("n", "slow", "big", "right_big", "any", "right_any", "right", "wrong_runs", "wrong_ranks"):
                setattr(t, k, getattr(t, k) + getattr(x, k))
    print("", file=out)
    for name, x in list(by.items()) + [(("all", ""), total)]:
        print("%-14s %-5s %6d runs: wrong in %d (%.1f %%), right above the bound %d/%d%s, any %d/%d" % (
            name + (x.n, x.wrong_runs, 100 * x.wrong_runs / x.n, x.right_big, x.big,
                    " (%.1f %%)" % (100 * x.right_big / x.big) if x.big else "", x.right_any, x.any)), file=out)


def markdown(rows, f):
    """The table of src/docs/stragglers.md: kinds of runs put together."""
    kinds = {"offsets": "offsets", "lost": "lost events, ragged", "ragged": "lost events, ragged"}
    kinds.update({k: "drift, steps of clocks" for k in CLOCKS if k not in kinds})
    kinds.update({k: "other noise and lengths" for k in VARIANTS})
    put = collections.OrderedDict()
    for name, x in list(rows.items()) + [(("all", "", "", 0), x) for x in rows.values()]:
        large = name[1] and name[1] >= 128
        t = put.setdefault((name[0], "128, 256" if large else name[1], "all" if large else kinds.get(name[2], "")), Row())
        none = not x.slow
        t.n, t.slow, t.alarms = t.n + x.n * none, t.slow + x.slow, t.alarms + x.wrong_runs * none
        t.wrong_runs += x.wrong_runs * (not none)
        for k in ("big", "right_big", "any", "right_any"):
            setattr(t, k, getattr(t, k) + getattr(x, k))
        t.errors += x.errors
    print("| pattern | ranks | clocks, events | none slow: runs | alarms | one slow: runs | above the bound | found | "
          "in any steps | found | wrong rank | wait error, us | most |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|",
          file=f)
    for name, t in put.items():
        error = ("%.1f" % statistics.median(t.errors), "%.1f" % max(t.errors)) if t.errors else ("", "")
        print("| %s | %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %s | %s |" % (
            name + (t.n, t.alarms, t.slow, t.big, t.right_big, t.any, t.right_any, t.wrong_runs) + error), file=f)
    print("\nwaits wrong by more than 20 us and three times what is said: %d" % sum(x.dishonest for x in rows.values()), file=f)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default="build/analyzer")
    p.add_argument("--tool", default="build/tools/rank_runs")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--full", action="store_true")
    p.add_argument("--only", help="kinds of runs whose 'pattern ranks clocks delay' holds one of these texts, separated by |")
    p.add_argument("--share", type=float, default=1, help="of the seeds")
    p.add_argument("--first-seed", type=int, default=0)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--bound", type=float, default=BOUND)
    p.add_argument("--markdown", help="file for the table of src/docs/stragglers.md")
    p.add_argument("--keep", action="store_true")
    p.add_argument("--bad", help="file for the runs that went wrong, with their keys")
    a = p.parse_args()
    a.analyzer, a.tool = os.path.abspath(a.analyzer), os.path.abspath(a.tool)
    with multiprocessing.Pool(a.jobs) as pool:
        rows = count(a, pool.imap(one, list(jobs(a)), chunksize=1))
    passed, failed = held(a, rows) if a.quick and not a.only else (0, 0)
    bad = ["%s %s %s %s: seed %s: %s" % (name + b) for name, x in rows.items() for b in x.bad]
    if not a.quick or a.only or failed:
        show(rows, sys.stdout)
        print("\n".join(bad) if a.quick else "")
    if a.markdown:
        with open(a.markdown, "w", encoding="utf-8") as f:
            markdown(rows, f)
    if a.bad:
        with open(a.bad, "w", encoding="utf-8") as f:
            f.writelines(b + "\n" for b in bad)
    if passed or failed:
        print("%d passed, %d failed" % (passed, failed))
        return 1 if failed else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
