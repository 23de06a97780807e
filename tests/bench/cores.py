#!/usr/bin/env python3
"""What further cores would give to the report of one trace, counted in instructions, so that a busy machine says the same.

    cores.py ANALYZER TRACE [THREADS ...]

Runs the report under callgrind with one file of counts a thread. The longest path is what the thread of the input runs,
and in each job that it divides (the functions of TASKS) what the busiest thread runs beyond its own share. Prints, for one
thread and for each number of threads (2 and 16), the instructions of that path by phase, the gain, and the peak of memory.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

# Functions that several threads run at a time -> phase
TASKS = {"read_part": "read", "seal_or_digest": "seal, digest", "run_member": "analyses"}
# Inclusive, of the thread that runs the most of it
PHASES = [("read", "az_pytorch_parse"), ("join", "az_pytorch_join"), ("seal", "az_trace_finalize_on"), ("analyses", "az_input_analyse"),
          ("verdict", "az_verdict_report"), ("write", "az_outputs_write")]


def counts(path):
    """Total and inclusive instructions by function of one thread."""
    out = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path], capture_output=True, text=True).stdout
    total, of = 0, {}
    for line in out.splitlines():
        m = re.match(r"\s*([\d,]+) \(.*?\)\s+(.*)$", line)
        if not m:
            continue
        n, what = int(m.group(1).replace(",", "")), m.group(2)
        if "PROGRAM TOTALS" in what:
            total = n
        else:
            name = re.sub(r"'\d+$", "", re.sub(r" \[.*", "", what).split(":")[-1].strip())
            of[name] = max(of.get(name, 0), n)
    return total, of


def measure(analyzer, trace, threads):
    with tempfile.TemporaryDirectory() as tmp:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", "--fair-sched=try",
                               "--callgrind-out-file=" + os.path.join(tmp, "cg"), analyzer, "run", "-v", "-j", str(threads),
                               "--format", "csv", "-o", os.path.join(tmp, "out"), trace], capture_output=True, text=True)
        memory = re.search(r"([\d.]+) MB memory", done.stderr)
        all_threads = [counts(p) for p in sorted(glob.glob(os.path.join(tmp, "cg-*")))]
    if done.returncode or not all_threads:
        sys.exit("cores.py: %s failed: %s" % (analyzer, done.stderr[-400:]))
    job = max(all_threads, key=lambda t: t[1].get("run_job", 0))
    others = [t for t in all_threads if t is not job]
    beyond = {task: max([t[1].get(task, 0) for t in others] + [0]) - job[1].get(task, 0) for task in TASKS}
    path = sum(t[0] for t in all_threads if "main" in t[1] or t is job) + sum(max(0, n) for n in beyond.values())
    most = {function: max(t[1].get(function, 0) for t in all_threads) for _, function in PHASES}
    return path, sum(t[0] for t in all_threads), job[1], most, beyond, float(memory.group(1)) if memory else 0


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    base = None
    for threads in [1] + [int(t) for t in sys.argv[3:] or ("2", "16")]:
        path, spent, job, most, beyond, memory = measure(sys.argv[1], sys.argv[2], threads)
        base = base or path
        print("%3d threads: path %8.1f M, in all %8.1f M, gain %.2f, memory %.1f MB" % (threads, path / 1e6, spent / 1e6, base / path, memory))
        for name, function in PHASES:
            print("      %-9s %8.1f M" % (name, most[function] / 1e6))
        for task, phase in TASKS.items():
            if threads > 1:
                print("      %-13s own share %8.1f M, busiest beyond it %8.1f M" % (phase, job.get(task, 0) / 1e6, beyond[task] / 1e6))


if __name__ == "__main__":
    main()
