#!/usr/bin/env python3
"""Hold the report of operations against what other tools printed: numbers of the first version (op_rules=first), printed
tables with their colors, and the tables of rules (through the unit test that implements them). Differences are allowed
only where a rule of ours wants them, and are looked at one by one.

    tracy_shared.py ANALYZER SHARED      last line "N passed, N failed"; exit status 0 only if nothing failed
"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

passed = failed = 0


def verdict(ok, what, notes=()):
    global passed, failed
    passed += ok
    failed += not ok
    print("%s %s" % ("ok  " if ok else "FAIL", what))
    for n in list(notes)[:5] if not ok else []:
        print("     " + n)


def number(s):
    try:
        v = float(s)
    except ValueError:
        return None
    return None if math.isnan(v) else v


def run(analyzer, path, opts, *more):
    args = [analyzer, "run", path] + [x for k, v in opts.items() for x in ("--opt", "%s=%s" % (k, v))]
    p = subprocess.run(args + list(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


# ---- the first version's CSV: values joined by bare commas, so a precision with a comma has one field more
def first_version_rows(path):
    lines = open(path, encoding="utf-8").read().split("\n")
    head = lines[0].split(",")
    at = head.index("Math Fidelity")
    for line in lines[1:]:
        if line:
            c = line.split(",")
            more = len(c) - len(head)
            yield dict(zip(head, c[:at] + [",".join(c[at:at + 1 + more])] + c[at + 1 + more:]))


def first_version(analyzer, shared):
    data, gold = os.path.join(shared, "data", "tracy"), os.path.join(shared, "golden", "tracy", "seed")
    for name, path in (("v1_seed", "synth/v1_seed.csv"), ("multi_blocks", "synth/multi_blocks.csv"),
                       ("int_img", "bh20_oft_integral_image_trace.csv"), ("seg2024", "seg_encoder_2024_10_04.csv")):
        with tempfile.TemporaryDirectory() as out:
            rc, _, err = run(analyzer, os.path.join(data, path), {"op_rules": "first", "ignore_signposts": "true"}, "--csv-dir", out, "--format", "csv")
            notes = ["exit status %d: %s" % (rc, err)] if rc else []
            ours = {r["ID"]: r for r in csv.DictReader(open(os.path.join(out, "ops.csv"), encoding="utf-8", newline=""))}
        for r in first_version_rows(os.path.join(gold, name + ".csv")):
            o = ours.pop(r["ID"], None)
            if o is None:
                notes.append("row %s is missing" % r["ID"])
                continue
            for k, a in r.items():
                x, y = number(a), number(o[k])
                same = ("" if a in ("None", "nan") else a).replace(" ", "") == o[k].replace(" ", "") if x is None and y is None else \
                    x is not None and y is not None and abs(x - y) <= max(1e-12, 1e-9 * max(abs(x), abs(y)))
                if not same:
                    notes.append("row %s, %s: wanted %s, got %s" % (r["ID"], k, a, o[k]))
        notes += ["row %s is too much" % i for i in ours]
        verdict(not notes, "first version: " + name, notes)


# ---- printed tables
COLOUR = re.compile(r"\x1b\[(?:38;5;)?(\d+)m")


def painted(line):
    """[(character, color)] without blanks, so that what is colored together does not matter."""
    out, colour, at = [], "0", 0
    for m in list(COLOUR.finditer(line)) + [None]:
        out += [(c, colour) for c in line[at:m.start() if m else len(line)] if c != " "]
        if m:
            colour, at = m.group(1), m.end()
    return out


def table(text, stacked):
    """Lines of the table of operations, or of the stacked report, from its titles to the footer."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        plain = COLOUR.sub("", line)
        if re.match(r"\s*Total %\s+(Op Code|Device)" if stacked else r"\s*ID +Total %", plain):
            rules = [k for k in range(i, len(lines)) if re.match(r"-{20,}$", COLOUR.sub("", lines[k]).strip())]
            return lines[i:rules[1] + (1 if stacked else 2)]
    return []


COUNTS = re.compile(r"\d+ device ops, \d+ host ops, \d+ signposts *")


def last_digit(a, b):
    """Equal but for the last digit of a number that ends in a rounded half."""
    x, y = a.split(), b.split()
    return len(x) == len(y) and all(p == q or (number(p.replace(",", "")) is not None and number(q.replace(",", "")) is not None and
                                               abs(number(p.replace(",", "")) - number(q.replace(",", ""))) < 0.0101) for p, q in zip(x, y))


CONV = re.compile(r"OptimizedConvNew|Conv2d")
CATEGORY = re.compile(r"\b(Compute|CCL|DM|TM|Other)\b")


def newer(line):
    """A row without what the newest version computes otherwise (its rules 1, 2, 7): shares of the peak of
    convolutions, operations' categories, cores and shares of DRAM-sharded products (12 and 8 workers)."""
    line = CATEGORY.sub("", line)
    if CONV.search(line):
        stacked = re.search(r"μs +\d+ ", line)
        line = re.sub(r" [\d.]+ %", "", line[:stacked.end()] if stacked else line)
    return line.split()


def sharded(a, b):
    """Rows of a DRAM-sharded product on a Blackhole, 12 cores and 8, with what follows from them; sums over such."""
    if re.search(r"μs +\d+ +(Compute|CCL)", a):
        return "Matmul" in a and re.sub(r" [\d.]+ %", "", a).split() == re.sub(r" [\d.]+ %", "", b).split()
    x, y = (re.sub(r"\b(SLOW|FLOP|DRAM|BOTH)\b| [\d.]+ %", "", t).split() for t in (a, b))
    return "Matmul" in a and "12" in x and [("8" if v == "12" else v) for v in x] == y


def wanted(ours, gold, workers, blackhole):
    """Is the difference of a row one that is wanted? Bound of products all in L1; green for the whole grid, not for 64;
    counts in the footer after all filters; sums rounded once; rules of the newest version."""
    a, b = COLOUR.sub("", gold), COLOUR.sub("", ours)
    if " device ops, " in b:  # the footer has DRAM rates since
        b = re.sub(r"\s+[\d,]+ GB/s\s+[\d.]+ %\s*$", "", b)
        if a.split() == b.split():
            return True
    if a.split() != b.split() and (newer(a) == newer(b) or (blackhole and sharded(a, b))):
        return True
    if (COUNTS.search(a) and COUNTS.sub("", a).split() == COUNTS.sub("", b).split()) or (" μs" in a and "GB/s" not in a and last_digit(a, b)):
        return a != b
    if "Matmul" in a and " GB/s" not in a and re.sub(r"\b(SLOW|FLOP)\b", "    ", b, count=1).split() == a.split():
        return True
    differs = "".join(x[0] for x, y in zip(painted(gold), painted(ours)) if x != y)
    return a.split() == b.split() and differs in ("64", str(workers), "64" + str(workers), "12")


def compare_tables(what, ours, gold, workers, colour, blackhole):
    notes = []
    if len(ours) != len(gold):
        notes.append("%d lines wanted, got %d" % (len(gold), len(ours)))
    for g, o in zip(gold, ours):
        same = painted(g) == painted(o) if colour else COLOUR.sub("", g).rstrip() == COLOUR.sub("", o).rstrip()
        if not same and not wanted(o, g, workers, blackhole):
            notes += ["wanted " + repr(COLOUR.sub("", g).rstrip()), "got    " + repr(COLOUR.sub("", o).rstrip())]
    verdict(not notes, what, notes)


PRINTED = [
    ("synth/v1_rules.csv", "synth/v1_rules", 64, {"default": {}, "all": {"ignore_signposts": "true"}, "arch_n1": {"arch": "n1"},
                                                  "arch_blackhole": {"arch": "blackhole"},
                                                  "op": {"ignore_signposts": "true", "group_by": "op"}, "color": {},
                                                  "nohost": {"ignore_signposts": "true", "no_host_ops": "true"},
                                                  "tracing": {"ignore_signposts": "true", "tracing_mode": "true"},
                                                  "id": {"ignore_signposts": "true", "id_range": "8-20"},
                                                  "print_sp": {"start_signpost": "warmup", "print_signposts": "true"}}),
    ("synth/v21_bh_rules.csv", "synth/v21_bh_rules", 110, {"default": {}, "op": {"ignore_signposts": "true", "group_by": "op"}, "color": {}}),
    ("synth/multi_interleaved.csv", "synth/multi_interleaved", 64, {"default": {}, "all": {"ignore_signposts": "true"}, "color": {}}),
    ("bh_64_clip_encoder_1.csv", "bh_64_clip_encoder_1", 64, {"default": {}, "group_op": {"group_by": "op"}, "group_category": {"group_by": "category"},
                                                              "id_5_10": {"id_range": "5-10"}, "id__12": {"id_range": "-12"}}),
    ("seg_encoder_2024_10_04.csv", "seg_encoder_2024_10_04", 64, {"default": {}, "nohost": {"no_host_ops": "true"}, "op": {"group_by": "op"},
                                                                  "id_500_600": {"id_range": "500-600"}}),
    ("ops_perf_results_2025_09_18_11_39_20.csv", "ops_2025_09_18", 64, {"sp_start": {"start_signpost": "ResNet module started"},
                                                                        "sp_end": {"end_signpost": "ResNet module finished"},
                                                                        "sp_both": {"start_signpost": "ResNet module started", "end_signpost": "ResNet module finished"},
                                                                        "ignore_signposts": {"ignore_signposts": "true"}}),
]


def printed(analyzer, shared):
    for path, gold, workers, cases in PRINTED:
        for name, opts in cases.items():
            want = open(os.path.join(shared, "golden", "tracy", gold, name + ".txt"), encoding="utf-8").read()
            colour = name == "color"
            rc, text, err = run(analyzer, os.path.join(shared, "data", "tracy", path), opts, "--format", "text", "-v", "--color", "always" if colour else "never")
            if rc:
                verdict(False, "printed: %s %s" % (gold, name), [err])
                continue
            for stacked in (False, True):
                lines = table(want, stacked)
                if lines:
                    compare_tables("printed: %s %s%s" % (gold, name, ", stacked" if stacked else ""), table(text, stacked), lines, workers, colour,
                                   "bh" in gold or name.startswith("arch_"))


# ---- values of the newest version, computed from its source
NEWEST = [
    ("field/sparse.csv", {}, "3", {"DRAM": 231.014, "DRAM %": 80.213, "FLOPs": 14.1558, "FLOPs %": 10.760, "Bound": "DRAM"}),
    ("field/sparse.csv", {}, "4", {"DRAM %": "", "FLOPs %": "", "Bound": ""}),
    ("field/sparse.csv", {"active_experts": "4"}, "4", {"DRAM": 231.014, "DRAM %": 80.213, "FLOPs %": 10.760, "Bound": "DRAM"}),
    ("field/ds_bh.csv", {}, "3", {"Cores": "8", "DRAM": 425.984, "FLOPs %": 60.681, "Bound": "DRAM"}),
    ("field/ds_bh.csv", {"arch": "p100"}, "3", {"Cores": "7", "DRAM %": 95.086, "FLOPs %": 69.350, "Bound": "BOTH"}),
    ("field/ds_bh.csv", {}, "4", {"FLOPs %": 112.98}),
    ("field/invalid.csv", {}, "3", {"Device Time": "", "FLOPs %": "", "Bound": ""}),
    ("field/invalid.csv", {}, "6", {"Device Time": 17.477, "Op-to-Op Gap": "", "Total %": 28.30}),
    ("field/invalid.csv", {}, "7", {"Device Time": 2.742, "Op-to-Op Gap": 0.79, "Total %": 5.72}),
    ("field/invalid.csv", {}, "9", {"Device Time": 30.0, "Op-to-Op Gap": 0.9, "Total %": 50.04}),
    ("field/subdev.csv", {}, "2", {"Overlap": "", "Total %": 4.52, "Available Cores": "55"}),
    ("field/subdev.csv", {}, "4", {"Overlap": 100.0, "Op-to-Op Gap": -99.3, "Total %": 45.19, "DRAM %": 24.576, "FLOPs %": 56.489, "Bound": "SLOW"}),
    ("ops_perf_results_2025_09_18_11_39_20.csv", {"ignore_signposts": "true"}, "11", {"FLOPs %": 33.2605, "Bound Analysis": "flops_only"}),
]


FOOTERS = [("field/sparse.csv", {}, "112 GB/s  38.8 %"), ("field/ds_bh.csv", {}, "208 GB/s  40.6 %"), ("field/ds_bh.csv", {"arch": "p100"}, "208 GB/s  46.4 %"),
           ("field/subdev.csv", {}, "210 GB/s  41.0 %"), ("bh_64_clip_encoder_1.csv", {}, "50 GB/s   9.8 %")]


def footers(analyzer, shared):
    for path, opts, want in FOOTERS:
        rc, text, err = run(analyzer, os.path.join(shared, "data", "tracy", path), opts, "--format", "text", "-v", "--color", "never")
        lines = [x for x in text.split("\n") if " device ops, " in x]
        verdict(rc == 0 and len(lines) == 1 and lines[0].split()[-4:] == want.split(), "footer: %s %s" % (os.path.basename(path), opts or ""), lines + [err])


def windows(analyzer, shared):
    """The command begins at the first row with the text of the last signpost."""
    with tempfile.TemporaryDirectory() as out:
        target = os.path.join(out, "ops.csv")
        subprocess.run([analyzer, "tt-perf-report", os.path.join(shared, "data", "tracy", "bh20_oft_integral_image_trace.csv"), "--csv", target], stderr=subprocess.PIPE)
        ids = [r["ID"] for r in csv.DictReader(open(target, encoding="utf-8", newline=""))]
    verdict(ids == [str(i) for i in list(range(12, 19)) + list(range(21, 28))], "window after the last signpost", [" ".join(ids)])


def newest(analyzer, shared):
    for path, opts, key, want in NEWEST:
        with tempfile.TemporaryDirectory() as out:
            rc, _, err = run(analyzer, os.path.join(shared, "data", "tracy", path), opts, "--csv-dir", out, "--format", "csv", "--compat=tt-perf-report")
            rows = {r["ID"]: r for r in csv.DictReader(open(os.path.join(out, "ops.csv"), encoding="utf-8", newline=""))} if rc == 0 else {}
        row = rows.get(key, {})
        notes = ["%s: wanted %s, got %s" % (k, v, row.get(k)) for k, v in want.items()
                 if (row.get(k) != v if isinstance(v, str) else number(row.get(k, "")) is None or abs(number(row[k]) - v) > 0.006)]
        verdict(not notes, "newest version: %s %s %s" % (os.path.basename(path), key, opts or ""), notes + ([err] if rc else []))


def matrix(analyzer, shared):
    unit = os.path.join(os.path.dirname(analyzer), "unit", "analyses_tt")
    if not os.path.exists(unit):
        verdict(False, "tables of rules", ["no %s (make units)" % unit])
        return
    p = subprocess.run([unit, os.path.join(shared, "golden", "tracy", "matrix")], capture_output=True, text=True)
    for line in p.stdout.splitlines():
        verdict(line.startswith("ok"), "rules: " + line[5:])
    if p.returncode and not p.stdout:
        verdict(False, "tables of rules", [p.stderr])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    analyzer, shared = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.environ["HOME"] = os.environ.get("HOME", "/")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        first_version(analyzer, shared)
        printed(analyzer, shared)
        newest(analyzer, shared)
        footers(analyzer, shared)
        windows(analyzer, shared)
        matrix(analyzer, shared)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
