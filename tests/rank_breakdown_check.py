#!/usr/bin/env python3
"""Hold the breakdowns over ranks against reference tables.

usage: rank_breakdown_check.py ANALYZER SHARED
References named *_nsexact were made from times as written (as doubles of microseconds, so a time is off by up to an ulp of
its magnitude); the others from times rounded inward to whole microseconds (start up, end down): for these the traces are
rounded so before the analyzer reads them, and everything must agree. Differences listed in tests/deviations.json with the
case "multirank/NAME" are counted apart. Last line: N passed, N failed."""
import csv
import fnmatch
import glob
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {  # reference: (traces, rounded inward)
    "synth_fsdp8_straggler3_hta_nsexact": ("data/multirank/synth_fsdp8_straggler3/*", False),
    "synth_moe8_hta_nsexact": ("data/multirank/synth_moe8/*", False),
    "synth_pp8_hta_nsexact": ("data/multirank/synth_pp8/*", False),
    "synth_fsdp8_straggler3_hta": ("data/multirank/synth_fsdp8_straggler3/*", True),
    "synth_moe8_hta": ("data/multirank/synth_moe8/*", True),
    "synth_pp8_hta": ("data/multirank/synth_pp8/*", True),
    "synth_vllm4_hta": ("data/multirank/synth_vllm4/*", True),
    "hta_nccl_parser_config": ("data/pytorch/hta_nccl_parser_config.json.gz", True),
    "hta_amd_trace": ("data/pytorch/hta_amd_mi250_minitoy.json.gz", True),
}
# table: key columns, lines before the header in the reference, decimals that its columns are rounded to
TABLES = {
    "temporal_breakdown": (["rank"], 0, {"_pctg": 2}),
    "kernel_type_breakdown": (["kernel_type"], 0, {"percentage": 1}),
    "kernel_breakdown": (["name", "kernel_type", "rank"], 0, {}),
    "idle_time_breakdown": (["rank", "stream", "idle_category"], 0, {"": 2}),
    "idle_interval_stats": (["rank", "stream", "idle_category"], 0, {"": 2, "count": 0}),
    "comm_comp_overlap": (["rank"], 0, {"": 2}),
    "queue_length_summary": (["rank", "stream"], 3, {}),
    "blocked_on_full_queue": (["rank", "stream"], 0, {}),
    "memory_bw_summary": (["rank", "name"], 3, {}),
    "cuda_kernel_launch_stats": (["rank", "correlation"], 0, {}),
    "cuda_kernel_launch_stats_describe": (["rank", "statistic"], 0, {}),
}
STATS = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]


def inward(trace):
    """Times of all spans, whole microseconds inside the span."""
    for e in trace["traceEvents"]:
        if e.get("ph") != "X" or "dur" not in e:
            continue
        ts = Decimal(repr(e["ts"]))
        start, end = math.ceil(ts), math.floor(ts + Decimal(repr(e["dur"])))
        e["ts"], e["dur"] = start, max(0, end - start)
    return trace


def prepare(pattern, rounded, folder):
    paths = sorted(glob.glob(pattern))
    if not rounded:
        return paths
    out = []
    for p in paths:
        text = gzip.open(p, "rb").read() if p.endswith(".gz") else open(p, "rb").read()
        out.append(os.path.join(folder, os.path.basename(p).replace(".gz", "")))
        with open(out[-1], "w") as f:
            json.dump(inward(json.loads(text)), f)
    return out


def reference(path, name):
    keys, skip, _ = TABLES[name]
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    if skip:
        return [dict(zip(keys + STATS, r)) for r in rows[skip:]]
    head = [h or "statistic" for h in rows[0]]
    return [dict(zip(head, r)) for r in rows[1:]]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def same(want, got, column, rounding, noise):
    if want == got:
        return True
    w, g = number(want), number(got)
    if w is None or g is None:
        return False
    slack = noise + 1e-9 * abs(w)
    for suffix, decimals in rounding.items():
        if column.endswith(suffix) and decimals:
            slack = max(slack, 0.5 * 10 ** -decimals + 1e-9 + noise)
    return abs(w - g) <= slack


def compare(case, name, want_path, got_path, noise, excuses):
    keys, _, rounding = TABLES[name]
    want = {tuple(r[k] for k in keys): r for r in reference(want_path, name)}
    got = {}
    if os.path.exists(got_path):
        with open(got_path, newline="") as f:
            got = {tuple(r[k] for k in keys): r for r in csv.DictReader(f)}
    bad, excused = [], 0

    def differs(key, column, text):
        nonlocal excused
        for x in excuses:
            if fnmatch.fnmatch("multirank/" + case, x["case"]) and fnmatch.fnmatch(name, x["table"]) and \
               fnmatch.fnmatch(column, x.get("column", "*")) and fnmatch.fnmatch(" | ".join(key), x.get("key", "*")):
                excused += 1
                return
        bad.append("%s, %s: %s" % (" | ".join(key), column, text))

    for key, row in want.items():
        if key not in got:
            differs(key, "(row)", "missing")
            continue
        for column, text in row.items():
            if column not in got[key]:
                differs(key, column, "no such column")
            elif column not in keys and not same(text, got[key][column], column, rounding, noise):
                differs(key, column, "want %s, got %s" % (text, got[key][column]))
    for key in got:
        if key not in want:
            differs(key, "(row)", "not in the reference")
    return bad, excused


def known_figures(analyzer, shared):
    """Figures the specification gives for a real run (collectives across ranks, 5): microseconds of rank 0."""
    want = {"communication(us)": 5798.0, "exposed(us)": 5537.0}
    with tempfile.TemporaryDirectory() as tmp:
        config = os.path.join(tmp, "config.json")
        with open(config, "w") as f:
            json.dump({"inputs": [{"format": "pytorch", "paths": [os.path.join(shared, "data/multirank/dlrm4of8/*")]}],
                       "options": {"last_step": "keep"}}, f)
        subprocess.run([analyzer, "--config", config, "--compat=all", "-q", "--csv-dir", os.path.join(tmp, "out")], check=True)
        with open(os.path.join(tmp, "out", "comm_comp_overlap.csv"), newline="") as f:
            row = next(r for r in csv.DictReader(f) if r["rank"] == "0")
    bad = ["%s: want %s, got %s" % (k, v, row[k]) for k, v in want.items() if float(row[k]) != v]
    print("%s dlrm4of8 comm_comp_overlap%s" % ("FAIL" if bad else "ok  ", "".join("\n     " + b for b in bad)))
    return bad


def main():
    analyzer, shared = os.path.abspath(sys.argv[1]), sys.argv[2]
    excuses = [x for x in json.load(open(os.path.join(HERE, "deviations.json"))) if x["case"].startswith("multirank/")]
    passed = failed = total_excused = 0
    for case, (pattern, rounded) in CASES.items():
        golden = os.path.join(shared, "golden", "multirank", case)
        with tempfile.TemporaryDirectory() as tmp:
            paths = prepare(os.path.join(shared, pattern), rounded, tmp)
            config = os.path.join(tmp, "config.json")
            with open(config, "w") as f:
                json.dump({"inputs": [{"format": "pytorch", "paths": paths}],
                           "options": {"rank_tables": "always", "launch_details": True}}, f)
            subprocess.run([analyzer, "--config", config, "--compat=all", "-q", "--csv-dir", os.path.join(tmp, "out")], check=True)
            for name in TABLES:
                want = os.path.join(golden, name + ".csv")
                if not os.path.exists(want):
                    continue
                bad, excused = compare(case, name, want, os.path.join(tmp, "out", name + ".csv"),
                                       0 if rounded else 0.0025, excuses)
                total_excused += excused
                passed += not bad
                failed += bool(bad)
                print("%s %s %s%s" % ("FAIL" if bad else "ok  ", case, name, ", %d excused" % excused if excused else ""))
                for b in bad[:6]:
                    print("     " + b[:300])
                if len(bad) > 6:
                    print("     ... %d in all" % len(bad))
    bad = known_figures(analyzer, shared)
    passed += not bad
    failed += bool(bad)
    print("%d differences excused (tests/deviations.json)" % total_excused)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
