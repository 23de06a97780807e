#!/usr/bin/env python3
"""Sampled counters, calls of MPI, and other backends of the PyTorch profiler against what the makers of the inputs compute by
brute force (docs/formulas-pytorch.md 16): in files of a few kilobytes and of megabytes, with members, rows and columns in
any order.

    counters_check.py --analyzer ANALYZER [--seeds N]
The last line is "N passed, N failed".
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

GEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gen")
passed = failed = 0


def hold(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL %s: %s" % (what, detail))


def rows(out, table):
    path = os.path.join(out, table + ".csv")
    return list(csv.DictReader(open(path, encoding="utf-8"))) if os.path.exists(path) else []


def near(text, wanted):
    if wanted is None:
        return text == ""
    return text != "" and abs(float(text) - wanted) <= 1e-12 * max(1, abs(wanted))


def run(analyzer, out, *args):
    subprocess.run(["rm", "-rf", out], check=True)
    p = subprocess.run([analyzer, "run", *args, "--csv-dir", out, "-q", "--compat", "all"], capture_output=True, text=True)
    hold(p.returncode == 0, "exit status of " + " ".join(args), p.stderr)


def counters(out, wanted, what):
    table = {r["counter"]: r for r in rows(out, "counters")}
    hold(set(table) == set(wanted), what + ": counters", (sorted(table), sorted(wanted)))
    for name, w in wanted.items():
        r = table.get(name, {})
        good = r and int(r["samples"]) == w["samples"] and near(r["value_mean"], w["mean"]) and near(r["value_min"], w["min"]) \
            and near(r["value_max"], w["max"]) and ("busy" not in w or near(r["busy_value_mean"], w["busy"]))
        hold(good, "%s: %s" % (what, name), (r, w))


def of_kernels(out, wanted, what):
    table = {r["kernel"]: r for r in rows(out, "counters_of_kernels")}
    for kernel, means in wanted.items():
        hold(kernel in table and all(near(table[kernel][m], v) for m, v in means.items()), "%s: %s" % (what, kernel),
             (table.get(kernel), means))


def nsight(analyzer, tmp, seed, more):
    data, out, what = os.path.join(tmp, "nsys"), os.path.join(tmp, "out"), "nsight seed %d %s" % (seed, more)
    subprocess.run([sys.executable, os.path.join(GEN, "make_nsys_more.py"), data, "--seed", str(seed), *more], check=True)
    wanted = json.load(open(os.path.join(data, "expected.json")))[0]
    run(analyzer, out, os.path.join(data, "rank0.sqlite"))
    counters(out, wanted["counters"], what)
    of_kernels(out, wanted["kernels"], what)
    ranges = {r["Range"]: int(r["Instances"]) for r in rows(out, "nvtx_sum")}
    hold(all(ranges.get(k) == n for k, n in wanted["mpi"].items()), what + ": calls of MPI", ranges)


def nccl(analyzer, tmp, seed, more):
    """Size and communicator of every collective, the match over ranks, and the rates that follow."""
    data, out, what = os.path.join(tmp, "nsys"), os.path.join(tmp, "out"), "NCCL seed %d %s" % (seed, more)
    subprocess.run(["rm", "-rf", data], check=True)
    subprocess.run([sys.executable, os.path.join(GEN, "make_nsys_more.py"), data, "--seed", str(seed), "--ranks", "4", *more], check=True)
    wanted = json.load(open(os.path.join(data, "expected.json")))
    run(analyzer, out, data)
    calls = {}
    for rank in wanted:
        for x in rank["collectives"]:
            calls[tuple(x)] = calls.get(tuple(x), 0) + 1
    table = rows(out, "nccl_implicit_sync")
    got = {}
    for r in table:
        n, latency = int(r["Group size"]), float(r["comm_latency"]) * 1000
        gathers, reduces = r["Collective name"] == "AllGather", r["Collective name"] == "AllReduce"
        size = int(r["Out msg nelems"])
        full = int(r["In msg nelems"]) * (n if gathers else 1)
        size = int(r["In msg nelems"]) if gathers else size
        hold(near(r["algo bw (GB/s)"], full / latency) and near(r["bus bw (GB/s)"], full / latency * (2 if reduces else 1) * (n - 1) / n),
             what + ": rates", r)
        hold(r["status"] == "complete" and int(r["n_present"]) == n, what + ": members", r)
        key = (r["Process Group Name"], n, r["Collective name"], size, round(latency))
        got[key] = got.get(key, 0) + n
    hold(got == calls, what + ": collectives", (sorted(got.items()), sorted(calls.items())))


def pytorch(analyzer, tmp, kind, seed, more):
    data, out, what = os.path.join(tmp, kind + ".json"), os.path.join(tmp, "out"), "%s seed %d %s" % (kind, seed, more)
    subprocess.run([sys.executable, os.path.join(GEN, "make_backends.py"), kind, data, "--seed", str(seed), *more], check=True)
    wanted = json.load(open(data + ".expected.json"))
    run(analyzer, out, data)
    cover = {r["Item"]: r for r in rows(out, "coverage")}
    hold(float(cover.get("device time not linked", {"Value": "0"})["Value"]) == 0, what + ": nothing is left unlinked")
    if kind == "xpu":
        linked = cover.get("device time linked to calls", {"Value": "0"})
        hold(float(linked["Value"]) == wanted["device_ns"], what + ": all device time is linked", linked)
        for category, n in wanted["dropped"].items():
            r = cover.get("dropped: category " + category, {"Value": "0"})
            hold(float(r["Value"]) == n, what + ": categories that are not understood are counted", r)
        return
    counters(out, {k: v for k, v in wanted["counters"].items()}, what)
    kernels = {}
    for name, c in wanted["counters"].items():
        for k, v in c["kernels"].items():
            kernels.setdefault(k, {})[name] = v
    of_kernels(out, kernels, what)
    modules = {r["module"]: [int(r["count"]), int(r["total_ns"])] for r in rows(out, "kernels_by_module")}
    hold(modules == wanted["modules"], what + ": modules", (modules, wanted["modules"]))
    hold(not any("category graph_" in k for k in cover), what + ": nodes that are no device work are known", sorted(cover))


def graph_paths(analyzer, tmp, seed, more):
    """What a graph waited for inside, by its arrows: the path goes through the slower branch."""
    what, out = "path seed %d %s" % (seed, more), os.path.join(tmp, "out")
    for rank in (0, 1):
        data = os.path.join(tmp, "path_%d.json" % rank)
        subprocess.run([sys.executable, os.path.join(GEN, "make_backends.py"), "cuspy", data, "--seed", str(seed), "--rank", str(rank),
                        *more], check=True)
    wanted = json.load(open(data + ".expected.json"))["graph_paths"]
    forms = ["json", "pftrace"]
    for rank in (0, 1):
        data = os.path.join(tmp, "path_%d." % rank)
        subprocess.run([sys.executable, os.path.join(GEN, "make_torch_pftrace.py"), data + "json", data + "pftrace"], check=True)
    for step, form, path in [(i, f, p) for i, p in enumerate(wanted) for f in forms]:
        config = os.path.join(tmp, "path.cfg.json")
        with open(config, "w", encoding="utf-8") as f:
            json.dump({"inputs": [{"format": "auto", "title": "path", "paths": [os.path.join(tmp, "path_[01]." + form)]}],
                       "options": {"critical_path": True, "critical_path_instance": step, "last_step": "keep"}}, f)
        subprocess.run(["rm", "-rf", out], check=True)
        p = subprocess.run([analyzer, "--config=" + config, "--compat=all", "--csv-dir", out, "-q"], capture_output=True, text=True)
        got = [[r["s_name"], round(float(r["duration"]) * 1000)] for r in rows(out, "critical_path")
               if r["s_name"].startswith("node_") and r["type"] == "critical_path_operator"]
        hold(p.returncode == 0 and got == path, "%s %s step %d" % (what, form, step), (p.stderr, got, path))


def clocks(analyzer, tmp, low, found):
    """Ten kernels of 1 ms that take equal times; the clock is at `low` of 2000 MHz during the last four."""
    events = [{"ph": "C", "name": "SM Clock (MHz)", "pid": "GPU 0 Counters", "ts": t, "args": {"": 2000 if t < 9000 else low}}
              for t in range(0, 15001, 100)]
    events += [{"ph": "X", "cat": "kernel", "name": "k%d" % (k % 3), "pid": 0, "tid": 7, "ts": 1500 * k, "dur": 1000,
                "args": {"device": 0, "stream": 7, "correlation": k + 1}} for k in range(10)]
    data, out = os.path.join(tmp, "clock.json"), os.path.join(tmp, "out")
    with open(data, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events}, f)
    run(analyzer, out, data)
    got = [(r["Count"], r["Time (ns)"], r["Recoverable (ns)"]) for r in rows(out, "findings") if r["Rule"] == "clock_samples"]
    wanted = [("40", "4000000", str(round(4e6 * (1 - low / 2000))))] if found else []
    hold(got == wanted, "a clock of %d" % low, (got, wanted))


SAME = ["kernels_by_name", "kernels_by_module", "counters", "counters_by_step", "counters_of_kernels", "counters_of_operations", "gpu_timeline",
        "ops_summary", "api_sum", "steps", "nvtx_sum", "time_by_family"]


def perfetto(analyzer, tmp, seed, flags, more=()):
    """The native Perfetto output says what the JSON of the same run says, but for directions of copies."""
    data, form, what = os.path.join(tmp, "t.json"), os.path.join(tmp, "t.pftrace"), "Perfetto seed %d %s" % (seed, flags)
    subprocess.run([sys.executable, os.path.join(GEN, "make_backends.py"), "cuspy", data, "--seed", str(seed), *more], check=True)
    subprocess.run([sys.executable, os.path.join(GEN, "make_torch_pftrace.py"), data, form, *flags], check=True)
    ours, theirs = os.path.join(tmp, "p"), os.path.join(tmp, "j")
    run(analyzer, ours, form)
    run(analyzer, theirs, data)
    for table in SAME:
        a, b = rows(ours, table), rows(theirs, table)
        hold(a == b and a, "%s: %s" % (what, table), [(x, y) for x, y in zip(a, b) if x != y][:2] or (len(a), len(b)))
    cover = {r["Item"]: r for r in rows(ours, "coverage")}
    hold("device events with truncated durations" in cover, what + ": cut ends are said", sorted(cover))
    hold(not any(k.startswith("dropped") for k in cover), what + ": all is read", sorted(cover))


def packed(analyzer, tmp):
    """Packets that zstd compressed cannot be looked into: said where they are all, counted and said where they are some."""
    data, form = os.path.join(tmp, "z.json"), os.path.join(tmp, "z.pftrace")
    subprocess.run([sys.executable, os.path.join(GEN, "make_backends.py"), "cuspy", data], check=True)
    subprocess.run([sys.executable, os.path.join(GEN, "make_torch_pftrace.py"), data, form, "--plain"], check=True)
    packet = b"\xaa\x08\xc8\x01" + bytes(200)  # field 133
    packet = b"\x0a" + bytes([len(packet) & 127 | 128, len(packet) >> 7]) + packet
    with open(form, "rb") as f:
        content = f.read()
    with open(form, "wb") as f:
        f.write(packet)
    p = subprocess.run([analyzer, "run", form], capture_output=True, text=True)
    hold(p.returncode == 3 and "zstd packets" in p.stderr, "packets of zstd: all", p.stderr)
    with open(form, "wb") as f:
        f.write(content + packet)
    out = os.path.join(tmp, "out")
    subprocess.run(["rm", "-rf", out], check=True)
    p = subprocess.run([analyzer, "run", form, "--csv-dir", out], capture_output=True, text=True)
    lost = [r["Value"] for r in rows(out, "coverage") if "zstd" in r["Item"]]
    hold(p.returncode == 0 and "1 packet(s) compressed with zstd" in p.stderr and lost == ["1"] and rows(out, "gpu_timeline"),
         "packets of zstd: some", (p.stderr, lost))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--analyzer", required=True)
    ap.add_argument("--seeds", type=int, default=3)
    a = ap.parse_args()
    a.analyzer = os.path.abspath(a.analyzer)
    with tempfile.TemporaryDirectory() as tmp:
        for seed in range(1, a.seeds + 1):
            for more in ([], ["--shuffle"]):
                nsight(a.analyzer, tmp, seed, more)
                nccl(a.analyzer, tmp, seed, more)
                for kind in ("xpu", "cuspy"):
                    pytorch(a.analyzer, tmp, kind, seed, more)
                graph_paths(a.analyzer, tmp, seed, more)
            for flags in ([], ["--plain", "--shuffle"], ["--deflate"]):
                perfetto(a.analyzer, tmp, seed, flags)
        perfetto(a.analyzer, tmp, 1, ["--plain"], ["--steps", "300"])
        packed(a.analyzer, tmp)
        for low, found in ((1200, True), (1500, True), (1900, False), (2000, False)):
            clocks(a.analyzer, tmp, low, found)
        for kind in ("xpu", "cuspy"):
            pytorch(a.analyzer, tmp, kind, 1, ["--pad", "3000000", "--shuffle"])
        nsight(a.analyzer, tmp, 1, ["--kernels", "500", "--shuffle"])
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
