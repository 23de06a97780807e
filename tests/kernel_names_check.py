#!/usr/bin/env python3
"""Families of kernel names: tests/data/kernel_names.tsv has names of public source code and profiles (and words that only look like
keywords) with the families that a reader gave them by what the kernel does for a model; `a|b`: both are right. Wanted: 97% of
the names of each part. All names are read from one trace, as AMD's short names too.
usage: kernel_names_check.py --analyzer PATH [--verbose]"""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

WANTED = 0.97
HERE = os.path.dirname(os.path.abspath(__file__))


def read_names():
    with open(os.path.join(HERE, "data", "kernel_names.tsv")) as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_trace(path, names):
    events = []
    for i, name in enumerate(names):
        args = {"device": 0, "stream": 7, "correlation": i + 1}
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10.0 * i + 100, "dur": 1.0, "args": args})
    device = {"id": 0, "name": "NVIDIA H100 80GB HBM3"}
    with open(path, "w") as f:
        json.dump({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events}, f)


def write_rocprof(path, names):
    """A kernel trace of rocprofv3, whose names are shown shortened."""
    with open(path, "w", newline="") as f:
        out = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        out.writerow(["Kind", "Agent_Id", "Queue_Id", "Kernel_Id", "Kernel_Name", "Correlation_Id", "Start_Timestamp", "End_Timestamp"])
        for i, name in enumerate(names):
            out.writerow(["KERNEL_DISPATCH", 1, 1, i + 1, name, i + 1, 10000 + 100 * i, 10050 + 100 * i])


def query(analyzer, path, sql):
    run = subprocess.run([analyzer, "query", path, sql, "--format", "csv"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return list(csv.reader(run.stdout.splitlines()))[1:]


def main():
    csv.field_size_limit(1 << 26)
    parser = argparse.ArgumentParser()
    parser.add_argument("--analyzer", required=True)
    parser.add_argument("--verbose", action="store_true", help="print all misses of parts that pass, too")
    args = parser.parse_args()
    analyzer = os.path.abspath(args.analyzer)
    rows = read_names()
    with tempfile.TemporaryDirectory() as folder:
        trace, short = os.path.join(folder, "names.json"), os.path.join(folder, "x_kernel_trace.csv")
        write_trace(trace, [r["name"] for r in rows])
        got = dict(query(analyzer, trace, "select distinct name, family from kernels"))
        entries = [r for r in rows if "::kentry<" in r["name"] or "device_kernel<" in r["name"]]
        write_rocprof(short, [r["name"] for r in entries])
        shown = query(analyzer, short, "select name, family from kernels order by start_ns")
    parts = collections.defaultdict(list)
    for r in rows:
        parts[r["part"]].append((r["name"], r["family"], got.get(r["name"], "missing")))
    for r, (name, family) in zip(entries, shown):
        parts["short names"].append((name, r["family"], family))
    passed = failed = 0
    for part, names in sorted(parts.items()):
        wrong = [n for n in names if n[2] not in n[1].split("|")]
        good = len(names) - len(wrong) >= WANTED * len(names)
        passed, failed = passed + good, failed + (not good)
        print("%-12s %d of %d names" % (part, len(names) - len(wrong), len(names)))
        for name, want, have in wrong if args.verbose or not good else []:
            print("  want %-22s is %-14s %s" % (want, have, name[:110]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
