#!/usr/bin/env python3
"""Error rates of a gate without rules (src/docs/gates.md): seeded runs of a training loop, as folders of CSV tables, held
against runs of the same distribution (false alarms) and against runs whose matrix products or idle gaps make the total
5 % slower (found). Two designs: one run a side, and five runs a side.

    gate_rates.py ANALYZER [--trials N]          prints one line a design and kind; the last is "N passed, N failed"
Noise of a run: 0.5 % common to all kernels (clock), 0.5 % of each family, 4 % of the idle time. Idle is 20 % of the total.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

FAMILIES = {"ampere_bf16_s16816gemm_128x128": 420, "flash_fwd_kernel": 180, "vectorized_layer_norm_kernel": 80,
            "vectorized_elementwise_kernel": 90, "multi_tensor_apply_kernel": 30}
IDLE = 200.0
KINDS = ("equal", "gemm", "idle")


def write_run(folder, rng, kind):
    os.makedirs(folder)
    clock = rng.gauss(1, 0.005)
    total = sum(FAMILIES.values()) + IDLE
    times = {}
    for name, ms in FAMILIES.items():
        if kind == "gemm" and "gemm" in name:
            ms += 0.05 * total
        times[name] = ms * clock * rng.gauss(1, 0.005)
    idle = (IDLE + (0.05 * total if kind == "idle" else 0)) * max(0.2, rng.gauss(1, 0.04))
    busy = sum(times.values())
    with open(os.path.join(folder, "gpu_timeline.csv"), "w", encoding="utf-8") as f:
        f.write("type,time ms\n")
        for name, ms in (("computation_time", busy), ("exposed_comm_time", 0), ("exposed_memcpy_time", 0), ("busy_time", busy),
                         ("idle_time", idle), ("total_time", busy + idle)):
            f.write("%s,%.6f\n" % (name, ms))
    with open(os.path.join(folder, "kern_sum.csv"), "w", encoding="utf-8") as f:
        f.write("Total Time (ns),Instances,Name\n")
        for name, ms in times.items():
            f.write("%d,100,%s\n" % (round(ms * 1e6), name))


def trial(analyzer, folder, seed, runs, kind):
    """Exit status of a gate over seeded runs."""
    rng = random.Random(seed)
    names = {"base": [], "cand": []}
    for side in names:
        for i in range(runs):
            path = os.path.join(folder, "%s%d" % (side, i))
            write_run(path, rng, kind if side == "cand" else "equal")
            names[side].append(path)
    baseline = [w for p in names["base"] for w in ("--baseline", p)]
    p = subprocess.run([analyzer, "gate", *baseline, *names["cand"], "-q"], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL, cwd=folder)
    if p.returncode not in (0, 1):
        sys.exit("gate: exit status %d: %s" % (p.returncode, p.stderr))
    return p.returncode


def main():
    a = argparse.ArgumentParser()
    a.add_argument("analyzer")
    a.add_argument("--trials", type=int, default=100)
    a = a.parse_args()
    passed = failed = 0
    for runs in (1, 5):
        for kind in KINDS:
            alarms = 0
            for seed in range(a.trials):
                with tempfile.TemporaryDirectory(prefix="gate.") as d:
                    alarms += trial(os.path.abspath(a.analyzer), d, seed * 10 + runs, runs, kind)
            rate = alarms / a.trials
            good = rate <= 0.05 if kind == "equal" else rate >= 0.95
            print("%s %d run%s a side, %-5s: %3d of %d failed (%s)" %
                  ("ok  " if good else "FAIL", runs, " " if runs == 1 else "s", kind, alarms, a.trials,
                   "false alarms" if kind == "equal" else "5 % slower, found"))
            passed += good
            failed += not good
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
