#!/usr/bin/env python3
"""The verdict of reports against traces whose cause of lost time is known (tests/gen/make_causes.py): is it named first,
with the recoverable time within 5 % of the truth; do healthy traces stay without a warning? Prints the confusion table.

    findings_check.py [--analyzer FILE] [--seeds N] [--first N] [--update] [-v]     --update writes the table to src/docs/verdict-accuracy.md
The last line is "N passed, N failed".
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gen"))
import causes_nsys  # noqa: E402
import causes_rocprof  # noqa: E402
import make_causes  # noqa: E402

PAGE = os.path.join(os.path.dirname(HERE), "src", "docs", "verdict-accuracy.md")
MARKS = ("<!-- generated: tests/findings_check.py -->\n", "<!-- /generated -->")
NAMED, WITHIN, HEALTHY = 0.95, 0.05, 30
# Before a cause: the trace as another profiler writes it (module, file, the vendor's seeds).
OTHERS = {"nsys ": (causes_nsys, "trace.sqlite", 0), "rocprof ": (causes_rocprof, "trace_results.json", 1)}
NO_SHAPES = ("misaligned_shape", "fusible_chain", "unfused_attention")  # rules that need operators and shapes


def rows(folder, table):
    path = next((os.path.join(d, table + ".csv") for d, _, f in os.walk(folder) if table + ".csv" in f), None)
    if not path:
        return []
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def judge(analyzer, cause, seed, folder):
    """Runs one trace; (verdict lines, findings, trust checks that fail, truths)."""
    if cause == "straggler":
        traces, truth = make_causes.ranks(seed)
        truths = [truth]
        for r, trace in enumerate(traces):
            with open(os.path.join(folder, "rank_%d.json" % r), "w", encoding="utf-8") as f:
                json.dump(trace, f)
        command = ["multirank", "-b", folder, "--all-ranks"]
    else:
        other = next((x for x in OTHERS if cause.startswith(x)), None)
        if other:
            module, name, vendor = OTHERS[other]
            trace, truths = make_causes.make(cause[len(other):], 2 * seed + vendor)
            path = os.path.join(folder, name)
            module.save(trace, path)
        else:
            trace, truths = make_causes.make(cause, seed)
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump(trace, f)
        command = ["run", path]
    out = os.path.join(folder, "out")
    done = subprocess.run([analyzer] + command + ["--csv-dir", out, "-q"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("%s %d: exit status %d: %s" % (cause, seed, done.returncode, done.stderr[-300:]))
    fails = [r["Check"] for r in rows(out, "trust_checks") if r["Status"] == "fail"]
    return rows(out, "verdict"), rows(out, "findings"), fails, truths


def first_line(lines):
    found = [r for r in lines if r["line"] == "finding"]
    return found[0] if found else None


def cause_of(line, findings):
    """The cause of a line about idle time: that of its finding, by its time."""
    return next((r["Evidence row"] for r in findings if r["Rule"] == "idle" and r["Recoverable (ns)"] == line["time (ns)"]), "")


def second(lines, findings, truth):
    """The smaller of two causes has a line, too: its relative error; None: no line."""
    for r in lines:
        if r["line"] == "finding" and r["rule"] in truth["rule"] and (r["rule"] != "idle" or cause_of(r, findings) == truth["cause"]):
            return abs(float(r["time (ns)"]) - truth["recoverable"]) / truth["recoverable"]
    return None


def right(lines, findings, fails, truths):
    """(named first, relative error of the recoverable time or None, what was named)."""
    first, truth = first_line(lines), truths[0]
    if truth["rule"][0] == "graph_unrecorded":
        told = any("not trustworthy" in r["text"] for r in lines if r["line"] == "time")
        return told and "graph_unrecorded" in fails, None, "graph_unrecorded" if told else (first or {}).get("rule", "nothing")
    if not first:
        return False, None, "nothing"
    named = first["rule"] in truth["rule"]
    if first["rule"] == "idle" and truth["cause"]:
        named = named and cause_of(first, findings) == truth["cause"]
    if "rank" in truth and first["rule"] == "straggler":
        named = named and str(truth["rank"]) in first["text"]
    got = float(first["time (ns)"])
    for r in findings if "rank" in truth or truth["rule"][0] == "device_imbalance" else []:
        if r["Rule"] == truth["rule"][0] and r["Recoverable (ns)"]:
            got = float(r["Recoverable (ns)"])
    error = abs(got - truth["recoverable"]) / truth["recoverable"]
    for other in truths[1:]:
        its = second(lines, findings, other)
        if its is None:
            return False, error, "not " + other["rule"][0]
        error = max(error, its)
    return named, error, first["rule"] + (" (%s)" % cause_of(first, findings) if first["rule"] == "idle" else "")


def one(job):
    analyzer, cause, seed = job
    with tempfile.TemporaryDirectory() as folder:
        lines, findings, fails, truths = judge(analyzer, cause, seed, folder)
    if not truths:
        return cause, seed, [r["Rule"] + ": " + r["Subject"] for r in findings if r["Severity"] in ("warning", "error")], None, None
    return (cause, seed) + right(lines, findings, fails, truths)


def table(results):
    """Markdown: how often each cause was named first, what was named instead, the worst error."""
    by = collections.OrderedDict()
    for cause, _, named, error, what in results:
        by.setdefault(cause, []).append((named, error, what))
    out = ["| cause | traces | named first | error of recoverable, largest | named instead |", "|---|---|---|---|---|"]
    for cause, of in by.items():
        wrong = collections.Counter(w for n, _, w in of if not n)
        errors = [e for n, e, _ in of if n and e is not None]
        out.append("| %s | %d | %d | %s | %s |" % (cause.replace("+", " and "), len(of), sum(bool(n) for n, _, _ in of),
                                               "%.1f %%" % (100 * max(errors)) if errors else "",
                                               ", ".join("%s %d" % x for x in sorted(wrong.items()))))
    return "\n".join(out) + "\n"


def update(text):
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    head, rest = page.split(MARKS[0], 1)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(head + MARKS[0] + text + MARKS[1] + rest.split(MARKS[1], 1)[1])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--analyzer", default=os.path.join(os.path.dirname(HERE), "build", "analyzer"))
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--first", type=int, default=0, help="the first seed: fresh ones now and then")
    p.add_argument("--only")
    p.add_argument("--update", action="store_true")
    p.add_argument("-v", action="store_true")
    a = p.parse_args()
    causes = make_causes.SINGLE + make_causes.WHOLE + make_causes.RANKS + ["+".join(x) for x in make_causes.PAIRS]
    causes += [x + c for x in OTHERS for c in make_causes.SINGLE + make_causes.WHOLE if c not in NO_SHAPES]
    if a.only:
        causes = [c for c in causes if c in a.only.split(",")]
    jobs = [(os.path.abspath(a.analyzer), c, s) for c in causes for s in range(a.first, a.first + a.seeds)]
    for kind in ["healthy"] + [x + "healthy" for x in OTHERS]:
        jobs += [(os.path.abspath(a.analyzer), kind, s) for s in range(a.first, a.first + (HEALTHY if not a.only or kind in a.only.split(",") else 0))]
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(one, jobs, chunksize=4))
    passed = failed = 0
    causal, healthy = [r for r in results if "healthy" not in r[0]], [r for r in results if "healthy" in r[0]]
    for cause, seed, named, error, what in causal:
        if a.v or not named or (error is not None and error > WITHIN):
            print("%s %s %d: %s%s" % ("ok  " if named else "MISS", cause, seed, what, "" if error is None else ", error %.1f %%" % (100 * error)))
    for cause in causes:
        mine = [r for r in causal if r[0] == cause]
        good = sum(bool(r[2]) for r in mine) >= NAMED * len(mine)
        near = sum(r[3] is None or r[3] <= WITHIN for r in mine) >= NAMED * len(mine)
        for ok, what in ((good, "is named first"), (near, "has its recoverable time within %.0f %%" % (100 * WITHIN))):
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print("FAIL %s %s" % (cause, what))
    for kind, seed, warnings, _, _ in healthy:
        passed, failed = passed + (not warnings), failed + bool(warnings)
        if warnings:
            print("FAIL %s %d: %s" % (kind, seed, "; ".join(warnings)))
    text = table(causal) + "\n%d healthy traces: %d with a warning.\n" % (len(healthy), sum(bool(r[2]) for r in healthy))
    print(text)
    if a.update:
        update(text)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
