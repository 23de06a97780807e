#!/usr/bin/env python3
"""How often `analyzer compare` and `analyzer gate` (limits by default) are right about pairs of profiles with a known change, and about
pairs without one (gen/compare_pairs.py).

usage: compare_rates.py ANALYZER [--seeds N] [--first-seed N] [--kind PATTERN] [--keep DIR] [--rates] [-v] [-j N]
Statements of each pair:
  percent  the change per step in the first line, within 0.1 points of the truth; no direction where there is no change; none where the
           pair is not comparable, with the reason
  parts    computation, exposed communication, exposed copies, and idle time of both sides
  sum      the rows of the waterfall lead from one total to the other, exactly
  rows     every row of the waterfall, idle time and kernels, against the time that was written
  cause    the first row is the known cause
  gate     the exit status, and a single failure: that of the cause
A statement is right, silent (missing), or wrong. --rates prints the table of src/docs/compare.md 5. Standard library only; the last
line is "N passed, N failed", a pair each.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
sys.dont_write_bytecode = True
import compare_pairs  # noqa: E402

STATEMENTS = ("percent", "parts", "sum", "rows", "cause", "gate")
HEAD = re.compile(r" is ([\d.]+)% (slower|faster)( per step)? than ")
PARTS = {"idle": "idle", "exposed communication": "exposed_communication", "exposed copies": "exposed_copy"}
ROUND_NS = 3      # means of two steps, of devices and ranks
NO_CHANGE = 0.004  # a direction below it is right if it is true


def run(words, folder):
    p = subprocess.run(words, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL, timeout=300)
    return p.returncode, p.stdout, p.stderr


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def table(doc, name):
    for t in doc["tables"]:
        if t["id"] == name:
            ids = [c["id"] for c in t["columns"]]
            return [dict(zip(ids, r)) for r in t["rows"]]
    return []


def name_of(row):
    return row["name"] or row["step"]


def is_name(printed, name):
    """Whether a row is that of a kernel: formats of AMD have short names."""
    return printed == name or (len(printed) > 9 and printed in name.split("(")[0].replace("(anonymous namespace)::", "") + name)


class Case:
    """What was printed about a pair, and what is true of it."""

    def __init__(self, analyzer, kind, seed, folder):
        self.pair, self.bad = compare_pairs.make(kind, seed), {}
        p = self.pair
        (self.path_a, self.traces_a), (self.path_b, self.traces_b) = (
            compare_pairs.save(p.a, seed * 2 + 11, os.path.join(folder, "a")), compare_pairs.save(p.b, seed * 2 + 12, os.path.join(folder, "b")))
        self.a, self.rows_a = compare_pairs.truth(self.traces_a, p.a)
        self.b, self.rows_b = compare_pairs.truth(self.traces_b, p.b)
        # medians of ranks are not of one step; devices begin equal periods one launch after the other
        self.slack = 2000 if p.a.ranks else 6000 if max(p.a.devices, p.b.devices) > 1 else ROUND_NS
        if self.a is None or self.b is None:  # a single step: spans by steps
            self.a = self.b = None
        out = os.path.join(folder, "out")
        sides = [self.path_a, self.path_b]
        self.rc, _, self.err = run([analyzer, "compare", *sides, "--names=base,cand", *p.args, "-q", "--format", "json", "-o", out], folder)
        self.doc = load(os.path.join(out, "comparison.json"))
        self.gate_rc, self.gate_text, self.gate_err = run([analyzer, "gate", *sides, *p.gate_args, "-q", "--format", "json", "-o", out + "2"], folder)
        path = os.path.join(out + "2", "gates.json")
        self.gates = load(path) if os.path.exists(path) else None
        self.change = self.doc["verdict"]["change"]
        self.head = next(x["text"] for x in self.doc["verdict"]["lines"] if x["kind"] == "what")

    def wrong(self, statement, why, silent=False):
        self.bad.setdefault(statement, ("silent" if silent else "wrong", why))

    def test(self):
        p, c = self.pair, self.change
        if p.claim is False:
            return self.test_incomparable()
        if not c["comparable"] or c["a_ns"] is None:
            return self.wrong("percent", "not comparable: %s" % c["reason"], True)
        if c["basis"] != p.basis:
            self.wrong("percent", "basis " + c["basis"])
        self.test_percent()
        self.test_waterfall()
        self.test_gate()

    def test_incomparable(self):
        c = self.change
        if c["comparable"] or c["reason"] not in self.pair.reason:
            self.wrong("percent", "comparable %s, reason %s: %s" % (c["comparable"], c["reason"], self.head))
        if "%" in self.head:
            self.wrong("percent", "a percentage: " + self.head)
        self.test_gate()

    def test_percent(self):
        m = HEAD.search(self.head)
        printed = (float(m.group(1)) / 100 * (1 if m.group(2) == "slower" else -1)) if m else 0.0
        if m and bool(m.group(3)) != (self.pair.basis == "step"):
            self.wrong("percent", "per step: " + self.head)
        if self.a is None or self.pair.args:
            if self.pair.claim is None and abs(printed) > NO_CHANGE:
                self.wrong("percent", "%+.1f%%, no change" % (100 * printed))
            return
        share = self.b / self.a - 1
        if abs(self.change["share"] - share) > 1e-4:
            self.wrong("percent", "share %.5f, written %.5f" % (self.change["share"], share))
        if m and abs(printed - share) > 0.001:
            self.wrong("percent", "%s, written %+.2f%%" % (self.head, 100 * share))
        if self.pair.claim is None and m and abs(printed) > NO_CHANGE:
            self.wrong("percent", "%s, no change" % self.head)
        if self.pair.claim and not m and abs(share) > 0.005:
            self.wrong("percent", "%s, written %+.2f%%" % (self.head, 100 * share), True)

    def truth_of(self, row):
        """Change of a row of the waterfall as written; None: unknown."""
        name = name_of(row)
        if name in PARTS:
            return self.rows_b.get(PARTS[name], 0) - self.rows_a.get(PARTS[name], 0)
        same = [n for n in sorted(set(self.rows_a) | set(self.rows_b)) if is_name(name, n)]
        return sum(self.rows_b.get(n, 0) - self.rows_a.get(n, 0) for n in same) if same else None

    def test_waterfall(self):
        rows = table(self.doc, "waterfall")
        c, steps = self.change, [r for r in rows if not r["total"]]
        at = rows[0]["level_ns"] if rows else None
        if not rows or abs(at - c["a_ns"]) > 0 or at + sum(r["change_ns"] for r in steps) != c["b_ns"] or rows[-1]["level_ns"] != c["b_ns"]:
            self.wrong("sum", "%s from %s, %s to %s" % (at, c["a_ns"], at + sum(r["change_ns"] for r in steps) if rows else None, c["b_ns"]))
        for s, key in (("a", "a_ns"), ("b", "b_ns")):
            if sum(x[key] for x in c["parts"]) != c[key]:
                self.wrong("parts", "parts of %s add up to %d of %d" % (s, sum(x[key] for x in c["parts"]), c[key]))
        if self.a is None or self.pair.args:
            return
        for x in c["parts"]:
            for r, key in ((self.rows_a, "a_ns"), (self.rows_b, "b_ns")):
                if abs(x[key] - r.get(x["part"], 0)) > self.slack:
                    self.wrong("parts", "%s %s %d, written %d" % (x["part"], key, x[key], r.get(x["part"], 0)))
        for r in steps:
            t = self.truth_of(r)
            if t is not None and abs(r["change_ns"] - t) > self.slack:
                self.wrong("rows", "%s %+d ns, written %+d" % (r["step"][:60], r["change_ns"], t))
        self.test_cause(steps)

    def test_cause(self, steps):
        want = self.pair.cause
        for name in self.pair.also:
            if not any(is_name(name_of(r), name) for r in steps):
                self.wrong("cause", "no row %s" % name[:50], True)
        if want is None:
            return
        lines = [x for x in self.doc["verdict"]["lines"] if x["kind"] == "finding"]
        if not steps or not lines:
            return self.wrong("cause", "none", True)
        first = max(steps, key=lambda r: abs(r["change_ns"]))
        named = name_of(first)
        if isinstance(want, tuple):
            new, old = self.rows_b.get(want[1], 0), self.rows_a.get(want[0], 0)
            if abs(first["change_ns"] - (new - old)) > ROUND_NS:
                self.wrong("cause", "%s %+d, replaced %+d" % (named[:60], first["change_ns"], new - old))
        elif not is_name(named, want) and not (self.pair.family and self.is_family_of(first, want)):
            self.wrong("cause", "%s %+d instead of %s" % (named[:50], first["change_ns"], want[:50]))
        if lines[0].get("row") != first["step"]:
            self.wrong("cause", "the first line is %s" % lines[0]["text"])

    def is_family_of(self, row, kernel):
        """Kernels of several ranks are summed up by family."""
        written = self.rows_b.get(kernel, 0) - self.rows_a.get(kernel, 0)
        return row["step"] not in ("idle", "overlap", "Other") and abs(row["change_ns"] - written) <= self.slack

    def test_gate(self):
        want = self.pair.gate
        if want is None:
            return
        if self.gate_rc != want:
            self.wrong("gate", "exit status %d instead of %d %s" % (self.gate_rc, want, self.failures()), self.gate_rc == 0 or want == 0 and self.gate_rc == 3)
        elif want == 1 and self.pair.failures and len(self.failures()) != self.pair.failures:
            self.wrong("gate", "%s failed" % self.failures())

    def failures(self):
        return ["/".join(r["key"].values()) for r in (self.gates or {"results": []})["results"] if r["level"] == "fail"]


def evaluate(analyzer, kind, seed, keep):
    folder = os.path.join(keep, "%s-%d" % (kind.replace(" ", "_"), seed)) if keep else tempfile.mkdtemp(
        prefix="pairs", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        case = Case(analyzer, kind, seed, folder)
        case.test()
        return kind, seed, case.pair.a.fmt, case.bad, case.head
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("analyzer")
    a.add_argument("--seeds", type=int, default=2)
    a.add_argument("--first-seed", type=int, default=1)
    a.add_argument("--kind", default="*")
    a.add_argument("--keep")
    a.add_argument("--rates", action="store_true")
    a.add_argument("-v", action="store_true")
    a.add_argument("-j", type=int, default=os.cpu_count())
    a = a.parse_args()
    analyzer, keep = os.path.abspath(a.analyzer), a.keep and os.path.abspath(a.keep)
    jobs = [(k, s) for k in compare_pairs.KINDS if fnmatch.fnmatch(k, a.kind) for s in range(a.first_seed, a.first_seed + a.seeds)]
    rates, failed = collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ProcessPoolExecutor(a.j) as pool:
        for kind, seed, fmt, bad, head in pool.map(evaluate, *zip(*[(analyzer, k, s, keep) for k, s in jobs])):
            failed += bool(bad)
            rates[kind]["pairs"] += 1
            for s in STATEMENTS:
                rates[kind][s, bad[s][0] if s in bad else "right"] += 1
            if bad or a.v:
                print("%s %s, seed %d (%s): %s%s" % ("FAIL" if bad else "ok  ", kind, seed, fmt, head if a.v else "", "".join(
                    "; %s %s: %s" % (s, how, why) for s, (how, why) in bad.items())))
    if a.rates:
        print("| pair | pairs | " + " | ".join(STATEMENTS) + " |\n|" + "---|" * (2 + len(STATEMENTS)))
        for kind, r in rates.items():
            print("| %s | %d | %s |" % (kind, r["pairs"], " | ".join(
                "%d, %d, %d" % (r[s, "right"], r[s, "silent"], r[s, "wrong"]) for s in STATEMENTS)))
    print("%d passed, %d failed" % (len(jobs) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
