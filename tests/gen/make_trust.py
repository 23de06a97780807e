#!/usr/bin/env python3
"""Profiles with faults that the trust checks must find, and healthy ones that look like them: make_trust.py FOLDER SEED N.

A host thread launches kernels one after the other; a stream runs them in order. Faults are put in while the events are made, so that
the counts are known; they are written as a PyTorch trace, an Nsight Systems export or tables of rocprofv3. truth.json: a list of
{"file", "faults", "expect": {check: [status, count, of, time_ns or null]}}; checks that it does not name must not warn or fail.
Written from the rules in src/docs/verdict.md ("Trust checks"), not from the program.
"""
import csv
import json
import os
import random
import sqlite3
import sys

US = 1000
DEVICE = {"pytorch": "NVIDIA H100 80GB HBM3", "nsys": "NVIDIA H100 80GB HBM3", "rocprof": "AMD Instinct MI300X"}
NAMES = ["ampere_sgemm_128x64_nn", "void at::native::vectorized_elementwise_kernel<4>(int)", "softmax_warp_forward"]


class Profile:
    """Calls (name, start, end, number), kernels (name, start, end, number) in ns."""

    def __init__(self, rng, form):
        self.rng, self.form, self.calls, self.kernels, self.number = rng, form, [], [], 0
        self.world, self.cut = None, None
        self.hip = form == "rocprof" or (form == "pytorch" and rng.random() < 0.4)

    def call(self, name, start, dur=4 * US, number=None):
        self.number += 1
        number = self.number if number is None else number
        self.calls.append((("hip" if self.hip else "cuda") + name, start, start + dur, number))
        return number

    def kernel(self, name, start, end, number):
        self.kernels.append([name, start, end, number])


def make(rng, form, faults):
    """A profile and what its checks must say."""
    p = Profile(rng, form)
    n = rng.randrange(40, 400)
    epoch = rng.choice([10**9, 10**12, 1_700_000_000 * 10**9])
    dur, period = rng.randrange(20, 60) * US, rng.randrange(70, 120) * US
    ahead = rng.randrange(10, 3000) * US
    expect, lost, gone, clipped = {}, set(), set(), None
    few = lambda top: rng.sample(range(2, n - 2), max(1, min(n - 4, int(top))))
    if "lost" in faults:
        lost = set(few(n * rng.choice([0.02, 0.3, 0.6])))
    if "zero" in faults:
        gone = set(few(n * rng.choice([0.02, 0.3]))) - lost
    unlinked = set(few(n * rng.choice([0.2, 0.5]))) - lost - gone if "unlinked" in faults else set()
    early = set(few(n * rng.choice([0.05, 0.5]))) - lost - gone - unlinked if "early" in faults else set()
    unknown = set(few(n * rng.choice([0.2, 0.6]))) - lost - gone if "unknown" in faults else set()
    if "overlap" in faults:
        clipped = rng.choice([i for i in range(3, n - 6) if not {i, *range(i + 1, n)} & early and i not in lost | gone])
    bad = ["queued"] if "queued" in faults else []
    leads, rows, unlinked_time, unknown_time = [], [], 0, 0
    if "capture" in faults:
        p.call("StreamBeginCapture", epoch)
        for i in range(rng.randrange(5, 60)):
            p.call("LaunchKernel", epoch + (i + 1) * 10 * US)
        p.call("StreamEndCapture", epoch + 900 * US)
    base = epoch + 1000 * US + ahead
    graphs = 0
    for i in range(n):
        start = base + i * period
        name = "unit_%08x" % rng.randrange(2**32) if i in unknown else rng.choice(NAMES)
        end = start + dur
        launched = start - ahead
        if i in early:
            lead = rng.randrange(5, 5000) * US
            while any(abs(start + lead - base + ahead - j * period) < 20 * US for j in range(n)) or any(abs(start + lead - c[1]) < 20 * US for c in p.calls):
                lead += 7 * US  # calls of a thread do not overlap
            launched = start + lead
            leads.append(lead)
        if i in unlinked:
            p.number += 1
            number = p.number
            unlinked_time += dur
        elif "slow_call" in faults and i not in early:
            launched = start - 2 * US
            number = p.call("LaunchKernel", launched, 15 * US)
        else:
            number = p.call("LaunchKernel", launched)
        if i in lost:
            continue
        if i in gone:
            p.kernel(name, 0, 0, number)
            unlinked_time -= dur if i in unlinked else 0
            continue
        unknown_time += dur if i in unknown else 0
        rows.append((i, start, end))
        p.kernel(name, start, end, number)
    if "dependent" in faults:
        for k in p.kernels[:-1]:
            if k[1]:
                k[2] = k[1] + period + 2 * US if k[1] + period in {x[1] for x in p.kernels} and "overlap" not in faults else k[2]
        for k in p.kernels:
            unknown_time = sum(k[2] - k[1] for k in p.kernels if k[0].startswith("unit_"))
            unlinked_time = sum(k[2] - k[1] for k in p.kernels if k[3] not in {c[3] for c in p.calls})
    for _ in range(len(bad) and rng.randrange(2, 40)):
        p.call("LaunchKernel", max(c[1] for c in p.calls) + 20 * US)
    if "fills" in faults:
        for _ in range(rng.randrange(3, 30)):
            p.call("MemsetAsync", base + rng.randrange(n) * period + 6 * US, 300)
    if "graphs" in faults:
        inside = [x for x, y in zip(rows, rows[1:]) if y[0] == x[0] + 1 and y[1] > x[2]]
        chosen = rng.sample(inside, max(1, len(inside) // rng.choice([2, 10])))
        for x in chosen:
            graphs += 1
            p.call("GraphLaunch", x[2] + 3 * US)
    if "graphs_outside" in faults:
        p.call("GraphLaunch", epoch + 950 * US)
        p.call("GraphLaunch", rows[-1][2] + 500 * US)
    if "same" in faults:
        at = [j for j, c in enumerate(p.calls) if c[0].endswith("LaunchKernel") and c[3] in {k[3] for k in p.kernels}]
        pair = rng.sample(at, 2)
        one, other = p.calls[pair[0]], p.calls[pair[1]]
        for k in p.kernels:
            k[3] = one[3] if k[3] == other[3] else k[3]
        p.calls[pair[1]] = other[:3] + (one[3],)
    cut_time = 0
    if clipped is not None:
        at = next(j for j, r in enumerate(rows) if r[0] == clipped)
        k = next(k for k in p.kernels if k[1] == rows[at][1])
        before = k[2]
        k[2] = rows[at + 4][2] + rng.randrange(10, 100000) * US
        cut_time = k[2] - rows[at + 1][1]
        shift = rows[at + 1][1] - before  # what the account still has of it
        unknown_time += shift if clipped in unknown else 0
        unlinked_time += shift if clipped in unlinked else 0
    times = [(k[1], k[2]) for k in p.kernels if k[1]]
    if clipped is not None:
        times = [(a, min(b, rows[at + 1][1])) if a == rows[at][1] else (a, b) for a, b in times]
    busy, span = sum(b - a for a, b in times), max(b for _, b in times) - min(a for a, _ in times)
    rate = lambda k, of, share: "pass" if k == 0 else "fail" if k >= of * share else "warn"
    launches = sum(c[0].endswith("LaunchKernel") for c in p.calls) - (0 if "capture" not in faults else sum(
        c[0].endswith("LaunchKernel") and c[1] < epoch + 900 * US and c[3] not in {k[3] for k in p.kernels} for c in p.calls))
    last = max((c[1] for c in p.calls if c[3] in {k[3] for k in p.kernels if k[1]}), default=0)
    # a device event that was left out is none: its launch is lost, too
    seen = {k[3] for k in p.kernels if k[1]}
    missing = sum(c[0].endswith("LaunchKernel") and c[3] not in seen and epoch + 900 * US < c[1] < last for c in p.calls)
    expect["lost_device_events"] = [rate(missing, launches, 0.05), missing, launches, None]
    expect["impossible_times"] = [rate(len(gone), len(p.kernels), 0.05), len(gone), len(p.kernels), None]
    k = len(unlinked)
    expect["unlinked_device_work"] = ["warn" if k and unlinked_time * 20 >= busy else "pass", k, len(times), unlinked_time]
    linked = len(times) - k
    expect["launch_order"] = [rate(len(leads), linked, 0.1), len(leads), linked, max(leads, default=0)] if "same" not in faults else None
    expect["stream_overlap"] = [rate(clipped is not None, 1, 2) if cut_time * 20 < span else "fail", int(clipped is not None), len(times), cut_time]
    if "world" in faults and form == "pytorch":
        p.world = 8
    share = unknown_time / busy
    expect["unknown_kernels"] = ["fail" if p.world and share >= 0.25 else "warn" if share > 0.05 else "pass", sum(k[0].startswith("unit_") and k[1] > 0 for k in p.kernels),
                                 len(times), unknown_time]
    expect["graph_unrecorded"] = None if graphs else ["any", 0, None, None]
    if graphs:
        held = sum(max(0, y[1] - max(x[2], 0)) for x, y in zip(rows, rows[1:]) if x in chosen)
        # between the launches around a gap, too: the host is ahead
        expect["graph_unrecorded"] = ["bad", graphs, graphs, None]
        expect["held"] = held
    expect["correlation_collisions"] = ["bad", 2, None, None] if "same" in faults else ["any", 0, None, None]
    expect["truncated_input"] = ["pass", 0, 1, None]
    return p, expect


def write_pytorch(p, path):
    us = lambda ns: ns // 1000 if ns % 1000 == 0 else ns / 1000
    events = [{"ph": "X", "cat": "hip_runtime" if p.hip else "cuda_runtime", "name": n, "pid": 9, "tid": 9, "ts": us(a), "dur": us(b - a), "args": {"correlation": c}}
              for n, a, b, c in p.calls]
    events += [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": us(a), "dur": us(b - a), "args": {"correlation": c, "device": 0, "stream": 7}}
               for n, a, b, c in p.kernels]
    p.rng.shuffle(events)
    doc = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": DEVICE["pytorch"]}], "traceEvents": events}
    if p.world:
        doc["distributedInfo"] = {"backend": "nccl", "rank": 0, "world_size": p.world}
    with open(path, "w") as f:
        json.dump(doc, f)


def write_nsys(p, path):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    names = {n: i + 1 for i, n in enumerate(sorted({c[0] for c in p.calls} | {k[0] for k in p.kernels}))}
    db.executescript("""CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, cuDevice INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
 demangledName INTEGER, shortName INTEGER);""")
    db.executemany("insert into META_DATA_EXPORT values(?,?)", [("EXPORT_SCHEMA_VERSION", "3.16.1"), ("EXPORT_SCHEMA_VERSION_MAJOR", "3"), ("EXPORT_SCHEMA_VERSION_MINOR", "16")])
    db.execute("insert into TARGET_INFO_GPU values(0,?,132,85000000000,0)", (DEVICE["nsys"],))
    db.executemany("insert into StringIds values(?,?)", [(i, n) for n, i in names.items()])
    process = 0x1000000000000 | 77 << 24
    db.executemany("insert into CUPTI_ACTIVITY_KIND_RUNTIME values(?,?,0,?,?,?,0)", [(a, b, process | 77, c, names[n]) for n, a, b, c in p.calls])
    db.executemany("insert into CUPTI_ACTIVITY_KIND_KERNEL values(?,?,0,1,7,?,?,?,?)", [(a, b, c, process, names[n], names[n]) for n, a, b, c in p.kernels])
    db.commit()
    db.close()


def write_rocprof(p, path):
    head = "Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name Correlation_Id Start_Timestamp End_Timestamp".split()
    with open(path, "w", newline="") as f:
        w = csv.writer(f, quoting=csv.QUOTE_ALL)
        w.writerow(head)
        w.writerows([["KERNEL_DISPATCH", "Agent 1", 1, 1, 9, i + 1, 1, n, c, a, b] for i, (n, a, b, c) in enumerate(p.kernels)])
    with open(path.replace("kernel_trace", "hip_api_trace"), "w", newline="") as f:
        w = csv.writer(f, quoting=csv.QUOTE_ALL)
        w.writerow("Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp".split())
        w.writerows([["HIP_RUNTIME_API", n, 9, 9, c, a, b] for n, a, b, c in p.calls])


WRITE = {"pytorch": (write_pytorch, ".json"), "nsys": (write_nsys, ".sqlite"), "rocprof": (write_rocprof, "_kernel_trace.csv")}
FAULTS = ["lost", "zero", "unlinked", "early", "overlap", "unknown", "graphs", "same"]
HEALTHY = ["capture", "queued", "fills", "slow_call", "dependent", "graphs_outside", "world"]


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    truth = []
    for i in range(count):
        rng = random.Random(seed * 100003 + i)
        form = ("pytorch", "nsys", "rocprof")[i % 3]
        faults = rng.sample(FAULTS, rng.choice([0, 0, 1, 1, 1, 2])) + rng.sample(HEALTHY, rng.choice([0, 1, 2, 3]))
        if "overlap" in faults and {"early", "lost", "zero", "dependent"} & set(faults):
            faults.remove("overlap")  # its later events must be there
        if "early" in faults and "slow_call" in faults:
            faults.remove("slow_call")  # its calls are where the early ones may be
        p, expect = make(rng, form, faults)
        name = "t%04d" % i + WRITE[form][1]
        WRITE[form][0](p, os.path.join(folder, name))
        truth.append({"file": name, "faults": faults, "expect": expect})
    with open(os.path.join(folder, "truth.json"), "w") as f:
        json.dump(truth, f)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
