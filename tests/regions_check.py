#!/usr/bin/env python3
"""Regions against brute force (src/docs/regions.md): seeded trees of ranges, modules and steps with launches in them, as
PyTorch, Nsight Systems and rocprofv3 profiles. Inclusive and exclusive device time, backward time, launches, host time and
instances of every region must be those of a quadratic search over the events, and exclusive times with what is outside must
add up to the device time exactly.

    regions_check.py --analyzer ANALYZER [--seeds N] [--verbose]

The last line is "N passed, N failed".
"""
import argparse
import csv
import gzip
import io
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from decimal import Decimal
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "gen"))
import make_rocprof_examples  # noqa: E402
import make_tracy_example  # noqa: E402
import make_xplane_example  # noqa: E402
from xplane_to_viewer import Plane, fields, one, signed, text  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
passed = failed = 0
verbose = False
MAIN, AUTOGRAD, OTHER = 11, 12, 13
NAMES = ["forward", "backward", "layer.%d", "iter %d", "stage[%d]", "attention", "mlp", "conv2d", "bf16_cast", "head_%d",
         "block%d", "load batch", "h.%d.attn"]
MODULES = ["nn.Module: Linear_%d", "nn.Module: Block_%d", "nn.Module: Norm_%d"]


def verdict(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good or verbose:
        print("%s %s%s" % ("ok  " if good else "FAIL", what, ": " + detail if detail else ""))


def fold(name):
    """Digits that stand for themselves, or after a word that is counted."""
    words = {"layer", "block", "iter", "iteration", "step", "epoch", "batch", "stage", "chunk", "microbatch", "expert"}

    def one(m):
        before = re.search(r"[A-Za-z\u0080-\uffff]+$", name[:m.start()])
        after = name[m.end():m.end() + 1]
        if after and re.match(r"[A-Za-z\u0080-\uffff]", after):
            return m.group()
        return "*" if not before or before.group().lower() in words else m.group()

    return re.sub(r"[0-9]+", one, name)


STEP = re.compile(r"(step|iter|iteration|batch|train_step)( \d+)?|ProfilerStep#\d+")


class Tree:
    """Events of one made-up program. A range is (thread, start, end, name, kind), a launch (thread, start, end, corr)."""

    def __init__(self, seed, pytorch):
        self.rng = random.Random(seed)
        self.pytorch = pytorch
        self.ranges, self.launches, self.kernels, self.ops = [], [], [], []
        self.corr, self.seq, self.free = 0, 0, 5000
        self.backward = {}  # corr -> (thread, start) of the forward operator
        at = self.fill(MAIN, 1000, 0)
        self.fill(OTHER, 1500, 1)
        if pytorch:
            self.gradients(at)

    def launch(self, thread, at):
        self.corr += 1
        length = self.rng.randint(2, 9) * 100
        self.launches.append((thread, at, at + length, self.corr))
        for _ in range(1 if self.rng.random() < 0.9 else 2):
            start = max(self.free, at + length) + self.rng.choice([0, 0, 50, 3000])
            self.free = start + self.rng.randint(1, 40) * 137
            self.kernels.append((start, self.free, self.corr, self.rng.choice(["gemm", "relu", "ncclDevKernel_AllReduce_Sum_f32"])))
        return at + length

    def operator(self, thread, at):
        """A forward operator with a number, whose gradient is run later."""
        self.seq += 1
        end = self.launch(thread, at + 100) + 100
        self.ops.append((thread, at, end, "aten::mm", self.seq))
        return end

    def fill(self, thread, at, depth):
        """Children from a time on; the time after them."""
        for _ in range(self.rng.randint(1, 4)):
            at += self.rng.randint(0, 5) * 100
            what = self.rng.random()
            if what < 0.45 and depth < 6:
                start = at
                at = self.fill(thread, at + self.rng.choice([0, 100]), depth + 1) + self.rng.choice([0, 100])
                modules = self.pytorch and self.rng.random() < 0.4
                name = self.rng.choice(MODULES if modules else NAMES)
                if "%d" in name:
                    name %= self.rng.randint(0, 3)
                if at > start:
                    self.ranges.append((thread, start, at, name, "module" if modules else "range"))
            elif self.pytorch and thread == MAIN and what < 0.75:
                at = self.operator(thread, at)
            elif what < 0.9:
                at = self.launch(thread, at)
            else:
                at += 700
        return at

    def gradients(self, at):
        """On a thread of its own, inside a range of the main thread."""
        start = at + 100
        forward = [x for x in self.ops if x[0] == MAIN]
        if not forward:
            return
        at = start + 200
        for thread, begin, _, _, seq in reversed(forward):
            first = at
            own = self.rng.random() < 0.3
            at = self.launch(AUTOGRAD, at + 100) + 100
            self.backward[self.corr] = (thread, begin)
            if own:
                self.ranges.append((AUTOGRAD, first + 50, at - 50, "hook %d" % seq, "range"))
            self.ops.append((AUTOGRAD, first, at, "autograd::engine::evaluate_function: MmBackward0", seq))
            at += 100
        self.ranges.append((MAIN, start, at + 200, "backward pass", "range"))

    # ---- the answer ----

    def open_at(self, thread, at):
        """Ranges of a thread that are open, the innermost last: by start, the longest first, as written."""
        rows = [(s, -e, i) for i, (t, s, e, _, _) in enumerate(self.ranges) if t == thread and s <= at < e]
        return [i for _, _, i in sorted(rows)]

    def path(self, i):
        thread, start, end, _, kind = self.ranges[i]
        key = (start, -end, i)
        around = [k for k in self.open_at(thread, start) if (self.ranges[k][1], -self.ranges[k][2], k) < key]
        if not around and thread == AUTOGRAD:
            around = self.open_at(MAIN, start)
        around = [k for k in around if self.ranges[k][2] + 1000 >= end]
        name = self.ranges[i][3]
        name = fold(name[len("nn.Module: "):] if kind == "module" else name)
        return (self.path(around[-1]) if around else ()) + ((name, kind),)

    def region(self, thread, at):
        found = self.open_at(thread, at)
        if not found and thread == AUTOGRAD:
            found = self.open_at(MAIN, at)
        if not found:
            found = self.step_at(at)
        return self.path(found[-1]) if found else ()

    def step_at(self, at):
        """The step open on the thread with the most of them: what a thread without a region launches is in it."""
        steps = [(s, -e, i) for i, (_, s, e, name, kind) in enumerate(self.ranges) if kind == "range" and STEP.fullmatch(name)]
        counts = defaultdict(int)
        for _, _, i in steps:
            counts[self.ranges[i][0]] += 1
        main = max(counts, key=lambda t: (counts[t], -t), default=None)
        end, found = 0, []
        for start, minus, i in sorted(x for x in steps if self.ranges[x[2]][0] == main):
            if start >= end:
                end = -minus
                found += [i] if start <= at < end else []
        return found

    def expected(self):
        own, back, calls, kernels, host, count = (defaultdict(int) for _ in range(6))
        where = {c: self.region(t, s) for t, s, _, c in self.launches}
        for start, end, corr, _ in self.kernels:
            own[where[corr]] += end - start
            kernels[where[corr]] += 1
            if corr in self.backward:
                back[self.region(*self.backward[corr])] += end - start
        for corr in where:
            calls[where[corr]] += 1
        for i, (_, start, end, _, _) in enumerate(self.ranges):
            host[self.path(i)] += end - start
            count[self.path(i)] += 1
        rows = {}
        for path in set(host) | ({()} if own[()] else set()):
            def inside(of):
                return sum(v for p, v in of.items() if (p[:len(path)] == path if path else not p))
            rows[path] = dict(device_ns=inside(own), device_self_ns=own[path], backward_ns=inside(back), launches=inside(calls),
                              kernels=inside(kernels), host_ns=host.get(path), instances=count.get(path))
        if not any(back.values()):
            for row in rows.values():
                row["backward_ns"] = None
        return rows


    def modules(self):
        """The same of modules alone, by their own names: (forward, backward, host, instances) by path."""
        was = self.ranges
        self.ranges = [r for r in was if r[4] == "module"]
        own, back, host, count = (defaultdict(int) for _ in range(4))
        ids = {}

        def path(i):
            thread, start, end, name, _ = self.ranges[i]
            around = [k for k in self.open_at(thread, start)
                      if (self.ranges[k][1], -self.ranges[k][2], k) < (start, -end, i) and self.ranges[k][2] + 1000 >= end]
            return (path(around[-1]) if around else ()) + (name[len("nn.Module: "):],)

        def region(thread, at):
            found = self.open_at(thread, at) or (self.open_at(MAIN, at) if thread == AUTOGRAD else [])
            return path(found[-1]) if found else ()

        where = {c: region(t, s) for t, s, _, c in self.launches}
        for start, end, corr, _ in self.kernels:
            own[where[corr]] += end - start
            if corr in self.backward:
                back[region(*self.backward[corr])] += end - start
        for i, (_, start, end, _, _) in enumerate(self.ranges):
            host[path(i)] += end - start
            count[path(i)] += 1
        self.ranges = was

        def inside(of, p):
            return sum(v for q, v in of.items() if q[:len(p)] == p)

        return {p: (inside(own, p), inside(back, p), host[p], count[p]) for p in host}


# ---- as files ----

def us(ns):
    return "%d.%03d" % (ns // 1000, ns % 1000)


def write_pytorch(t, path):
    out = []

    def add(cat, name, tid, start, end, args=None, pid=7):
        out.append('{"ph":"X","cat":%s,"name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":%s}' % (
            json.dumps(cat), json.dumps(name), pid, tid, us(start), us(end - start), json.dumps(args or {})))

    for tid, start, end, name, kind in t.ranges:
        add("python_function" if kind == "module" else "user_annotation", name, tid, start, end)
    for tid, start, end, name, seq in t.ops:
        add("cpu_op", name, tid, start, end, {"Sequence number": seq, "Fwd thread id": 1 if "autograd" in name else 0})
    for tid, start, end, corr in t.launches:
        add("cuda_runtime", "cudaLaunchKernel", tid, start, end, {"correlation": corr})
    for start, end, corr, name in t.kernels:
        stream = getattr(t, "streams", {}).get(corr, 7)
        add("kernel", name, stream, start, end, {"correlation": corr, "stream": stream, "device": 0}, pid=0)
    with open(path, "w") as f:
        f.write('{"schemaVersion":1,"traceEvents":[\n%s\n]}\n' % ",\n".join(out))


def write_nsys(t, path):
    db = sqlite3.connect(path)
    strings = {}

    def text(s):
        return strings.setdefault(s, len(strings))

    db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
               " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
               " correlationId INTEGER, nameId INTEGER, returnValue INTEGER)")
    db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, text TEXT,"
               " globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER)")
    for late in getattr(t, "late", [0]):  # of each process
        pid = 9 + late << 24
        for start, end, corr, name in t.kernels:
            stream = getattr(t, "streams", {}).get(corr, 7)
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,?,?,?,?,?)",
                       (start + late, end + late, stream, corr, pid, text(name), text(name)))
        for tid, start, end, corr in t.launches:
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)",
                       (start + late, end + late, pid + tid, corr, text("cudaLaunchKernel")))
        for tid, start, end, name, _ in t.ranges:
            db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,NULL,?,?,NULL,NULL,0)", (start + late, end + late, name, pid + tid))
    db.executemany("INSERT INTO StringIds VALUES (?,?)", [(v, k) for k, v in strings.items()])
    db.commit()
    db.close()


def write_nsys_new(t, path):
    """Of a schema whose names of the default domain have a colon in front."""
    write_nsys(t, path)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    db.executemany("INSERT INTO META_DATA_EXPORT VALUES (?,?)", [("EXPORT_SCHEMA_VERSION", "3.24.0"),
                   ("EXPORT_SCHEMA_VERSION_MAJOR", "3"), ("EXPORT_SCHEMA_VERSION_MINOR", "24")])
    db.commit()
    db.close()


def write_rocprof(t, path):
    os.makedirs(path)

    def rows(name, head, lines):
        with open(os.path.join(path, "7_%s.csv" % name), "w", newline="") as f:
            w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
            w.writerow(head)
            w.writerows(lines)

    rows("hip_api_trace", ["Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp"],
         [["HIP_RUNTIME_API", "hipLaunchKernel", 7, tid, corr, start, end] for tid, start, end, corr in t.launches])
    rows("kernel_trace", ["Kind", "Agent_Id", "Queue_Id", "Kernel_Id", "Kernel_Name", "Correlation_Id", "Start_Timestamp",
                          "End_Timestamp", "Private_Segment_Size", "Group_Segment_Size", "Workgroup_Size_X", "Workgroup_Size_Y",
                          "Workgroup_Size_Z", "Grid_Size_X", "Grid_Size_Y", "Grid_Size_Z"],
         [["KERNEL_DISPATCH", 1, 1, 1, name, corr, start, end, 0, 0, 64, 1, 1, 64, 1, 1] for start, end, corr, name in t.kernels])
    rows("marker_api_trace", ["Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp"],
         [["MARKER_CORE_API", name, 7, tid, 1000000 + i, start, end] for i, (tid, start, end, name, _) in enumerate(t.ranges)])


class Late:
    """Steps whose work on two of three streams runs in the time of the next steps; for nsys, of two processes half a step apart."""

    def __init__(self, steps=7):
        names = ["gemm", "ncclDevKernel_AllReduce_Sum_f32", "relu"]
        self.ranges, self.ops, self.launches, self.kernels, self.streams, self.late = [], [], [], [], {}, [0, 5000]
        for i in range(steps):
            at = 1000 + i * 10000
            self.ranges.append((1, at, at + 9900, "step %d" % i, "range"))
            for k in range(6):
                corr = i * 6 + k + 1
                self.launches.append((1, at + 100 + k * 1000, at + 300 + k * 1000, corr))
                start = at + 400 + k * 1000 + [0, 9000, 16000][k % 3]
                self.kernels.append((start, start + 1500 + 700 * (k % 3), corr, names[k % 3]))
                self.streams[corr] = 7 + k % 3


class AsWorkload:
    """A tree as the maker of rocprofv3 files has its facts."""

    def __init__(self, t):
        self.kernels = [dict(kernel=0, corr=c, start=s, end=e, tid=MAIN, agent=1, queue=3, stream=10, dispatch=i + 1) for i, (s, e, c, _) in enumerate(t.kernels)]
        self.calls = [dict(kind=make_rocprof_examples.HIP, op=1, corr=c, start=s, end=e, tid=tid, stream=10) for tid, s, e, c in t.launches]
        self.marks = [dict(op=1, corr=1000000 + i, start=s, end=e, tid=tid, text=name) for i, (tid, s, e, name, _) in enumerate(t.ranges)]
        self.copies, self.allocs, self.scratch, self.counters = [], [], [], []
        self.init, self.fini = 0, 0


def write_rocprof_json(t, path):
    make_rocprof_examples.write_json(AsWorkload(t), path)


def write_rocpd(t, path):
    make_rocprof_examples.write_rocpd(AsWorkload(t), path)


def write_jax(t, path):
    """A trace.json of JAX: annotations of the host, the steps with their numbers, launches, and a stream."""
    events = []
    for pid, name, threads in ((1, "/device:GPU:0", {14: "Stream #14(Compute)"}), (701, "/host:CPU", {MAIN: "python3"})):
        events.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
        events += [{"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": thread}} for tid, thread in threads.items()]

    def span(pid, tid, start, end, name, **args):
        events.append({"ph": "X", "pid": pid, "tid": tid, "ts": start / 1000, "dur": (end - start) / 1000, "name": name, "args": args})
    for tid, start, end, name, _ in sorted(t.ranges, key=lambda r: (r[1], -r[2])):
        step = re.match(r"iteration (\d+)$", name)
        span(701, tid, start, end, "train" if step else name, **({"step_num": step[1], "_r": "1"} if step else {}))
    for tid, start, end, corr in t.launches:
        span(701, tid, start, end, "cuLaunchKernel", correlation_id=str(corr))
    for start, end, corr, name in t.kernels:
        span(1, 14, start, end, name, correlation_id=str(corr), hlo_op="dot." + str(corr), hlo_module="jit_step")
    with open(path, "w") as f:
        json.dump({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}, "traceEvents": events + [{}]}, f)


def write_xplane(t, path):
    """An XPlane of a host and a GPU: annotations, the steps with their numbers, launches, and a stream."""
    gpu, host = make_xplane_example.Plane("/device:GPU:0"), make_xplane_example.Plane("/host:CPU")
    gpu.line(14, "Stream #14(Compute)", 0, [
        gpu.event(gpu.meta(name), start * 1000, (end - start) * 1000, correlation_id=corr, hlo_module="jit_step", hlo_op="dot.%d" % corr)
        for start, end, corr, name in t.kernels])
    spans = [(start, -end, "cuLaunchKernelEx", {"correlation_id": corr}) for _, start, end, corr in t.launches]
    for _, start, end, name, _ in t.ranges:
        step = re.match(r"iteration (\d+)$", name)
        spans.append((start, -end, "train" if step else name, {"step_num": int(step[1])} if step else {}))
    host.line(MAIN, "python3", 0, [host.event(host.meta(name), start * 1000, (-end - start) * 1000, **stats)
                                   for start, end, name, stats in sorted(spans, key=lambda s: s[:2])])
    with open(path, "wb") as f:
        f.write(make_xplane_example.space([gpu, host], "host"))


WRITERS = {"pytorch": (write_pytorch, ".json", True), "nsys": (write_nsys, ".sqlite", False),
           "nsys 3.24": (write_nsys_new, ".sqlite", False), "rocprof": (write_rocprof, "", False)}


# the same of other containers, for the questions of the cookbook
MORE_WRITERS = {"rocprof JSON": (write_rocprof_json, "_results.json", False), "rocpd": (write_rocpd, ".db", False),
                "JAX": (write_jax, ".trace.json", False), "XPlane": (write_xplane, ".xplane.pb", False)}


def tables(analyzer, path, out):
    run = subprocess.run([analyzer, "run", path, "--format", "csv", "-o", out], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = {}
    for folder, _, files in os.walk(out):
        for name in files:
            if name in ("regions.csv", "regions_by_family.csv", "modules.csv"):
                with open(os.path.join(folder, name), newline="") as f:
                    found[name[:-4]] = list(csv.DictReader(f))
    return found, run


def number(text):
    return int(text) if text != "" else None


def check(analyzer, tmp, seed, kind):
    write, ending, pytorch = WRITERS[kind]
    t = Tree(seed * 31 + len(kind), pytorch)
    path = os.path.join(tmp, "%s_%d%s" % (kind, seed, ending))
    write(t, path)
    found, run = tables(analyzer, path, os.path.join(tmp, "out_%s_%d" % (kind, seed)))
    got = found.get("regions", [])
    want = t.expected()
    what = "%s tree %d" % (kind, seed)
    if not t.ranges:
        verdict(not got, what, "regions without ranges")
        return
    if not got:
        verdict(False, what, "no table: " + run.stdout.decode(errors="replace")[-300:])
        return
    rows = {}
    for r in got:
        rows.setdefault((r["path"], r["source"] == "module"), r)
    total = sum(e - s for s, e, _, _ in t.kernels)
    verdict(sum(int(r["device_self_ns"]) for r in got) == total, what + ": exclusive times add up",
            "%d of %d" % (sum(int(r["device_self_ns"]) for r in got), total))
    verdict(len(got) == len(want), what + ": regions", "%d of %d" % (len(got), len(want)))
    wrong = []
    for p, row in want.items():
        key = (" / ".join(n for n, _ in p) if p else "(outside)", bool(p) and p[-1][1] == "module")
        r = rows.get(key)
        if not r:
            wrong.append("%s missing" % key[0])
            continue
        wrong += ["%s %s: %s instead of %s" % (key[0], c, r[c], v) for c, v in row.items() if number(r[c]) != v]
    verdict(not wrong, what + ": values", "; ".join(wrong[:4]))
    own_time = {(r["path"], r["source"]): int(r["device_self_ns"] or 0) for r in got}
    families = defaultdict(int)
    for r in found.get("regions_by_family", []):
        families[r["path"], r["source"]] += int(r["device_ns"])
        families[()] += int(r["device_self_ns"])
    # regions whose work is that of one in them, or of all, are last
    device = {(r["path"], r["source"]): int(r["device_ns"] or 0) for r in got}
    around = {(r["path"].rpartition(" / ")[0], int(r["device_ns"] or 0)) for r in got}
    last = [(r["path"], device[r["path"], r["source"]]) in around
            or (device[r["path"], r["source"]] == total and not own_time.get((r["path"], r["source"])))
            for r in found.get("regions_by_family", [])]
    verdict(last == sorted(last), what + ": repeats are last")
    wrong = [r["path"] for r in got if families.get((r["path"], r["source"]), 0) != int(r["device_ns"] or 0)]
    verdict(not wrong and families[()] == total, what + ": families add up", "; ".join(wrong[:4]))
    check_modules(t, found.get("modules", []), what)


def check_modules(t, got, what):
    want = t.modules() if t.pytorch else {}
    back = any(v[1] for v in want.values())
    wrong = [] if len(got) == len(want) else ["%d modules instead of %d" % (len(got), len(want))]
    for r in got:
        have = tuple(number(r[c]) for c in ("forward_ns", "backward_ns", "host_ns", "instances"))
        forward, backward, host, count = want.get(tuple(r["path"].split(" / ")), (None,) * 4)
        if have != (forward, backward if back or have[1] is not None else None, host, count):
            wrong.append("%s: %s instead of %s" % (r["path"], have, want.get(tuple(r["path"].split(" / ")))))
        elif int(r["device_ns"]) != forward + backward:
            wrong.append(r["path"] + ": device_ns")
    verdict(not wrong, what + ": modules", "; ".join(wrong[:4]))


def check_ranks(analyzer, tmp):
    """Ranks of a run: each region of each rank, and mean and extremes over ranks."""
    folder = os.path.join(tmp, "ranks")
    os.makedirs(folder)
    trees = [Tree(seed, True) for seed in (3, 4, 5)]
    for rank, t in enumerate(trees):
        write_pytorch(t, os.path.join(folder, "rank_%d.json" % rank))
    out = os.path.join(tmp, "out_ranks")
    run = subprocess.run([analyzer, "run", folder, "--format", "csv", "-o", out], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = {}
    for where, _, files in os.walk(out):
        for name in files:
            if name in ("regions_by_rank.csv", "region_spread.csv"):
                with open(os.path.join(where, name), newline="") as f:
                    found[name[:-4]] = list(csv.DictReader(f))
    want = {}
    for rank, t in enumerate(trees):
        for p, row in t.expected().items():
            if p:
                want[rank, " / ".join(n for n, _ in p), p[-1][1] == "module"] = row["device_ns"]
    got = {(int(r["rank"]), r["path"], r["source"] == "module"): int(r["device_ns"]) for r in found.get("regions_by_rank", [])}
    verdict(bool(want) and got == want, "ranks: device time of each", "%d of %d, %s" % (
        sum(got.get(k) == v for k, v in want.items()), len(want), run.stdout.decode(errors="replace")[-200:] if not got else ""))
    wrong = []
    for r in found.get("region_spread", []):
        times = [v for (_, p, m), v in want.items() if (p, m) == (r["path"], r["source"] == "module")]
        if (int(r["mean_ns"]), int(r["min_ns"]), int(r["max_ns"])) != (sum(times) // max(len(times), 1), min(times), max(times)):
            wrong.append(r["path"])
    verdict(len(found.get("region_spread", [])) == len({k[1:] for k in want}) and not wrong, "ranks: spread", "; ".join(wrong[:4]))


# ---- windows: the commands of the cookbook, on profiles of each vendor ----

def program(pytorch, gap=0):
    """Steps 10 to 14 of loading, forward with attention, backward, a gap apart; ends of time are events."""
    t = Tree(1, False)
    t.ranges, t.launches, t.kernels, t.ops, t.corr, t.free = [], [], [], [], 0, 0
    at = 1000
    for step in range(10, 15):
        start = at
        for name in ("data loader", "forward", "backward"):
            begin = at
            for _ in range(3):
                at = t.launch(MAIN, at + 12000)
                if name == "forward":
                    inner = at
                    at = t.launch(MAIN, at + 12000) + 50
                    t.ranges.append((MAIN, inner, at, "self attention", "range"))
            at += 400
            t.ranges.append((MAIN, begin, at, name, "range"))
        t.ranges.append((MAIN, start, at, "iteration %d" % step, "range"))
        at += gap
    return t


def in_windows(t, windows):
    inside = {c for _, s, _, c in t.launches if any(lo <= s < hi for lo, hi in windows)}
    return sum(e - s for s, e, c, _ in t.kernels if c in inside), sum(c in inside for _, _, c, _ in t.kernels)


def spans(t, test):
    return [(s, e) for _, s, e, name, _ in t.ranges if test(name)]


def work_of(analyzer, path, option, what, out):
    """Device time in ns and number of kernels of a window, by its families, and the scope of the account; or what was printed."""
    run = subprocess.run([analyzer, path, option, what, "--format", "json", "-o", out], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = [os.path.join(d, f) for d, _, fs in os.walk(out) for f in fs if f.endswith(".json")]
    if found:
        with open(found[0]) as f:
            doc = json.load(f)
        rows = {x["id"]: x for x in doc["tables"]}.get("time_by_family")
    if not found or not rows:
        return run.stdout.decode(errors="replace")[-200:]
    names = [c["id"] for c in rows["columns"]]
    at = next(k for k, n in enumerate(names) if n.startswith("kernel_time"))
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[names[at].rsplit("_", 1)[1]]
    return round(sum(r[at] for r in rows["rows"]) * scale), sum(r[names.index("count")] for r in rows["rows"]), doc["verdict"]["account"]["scope"]


def write_operations(path):
    """A report of operations with a signpost for each step and each part of it; its rows: host time, signposts, device time."""
    rows, here = [], {}
    with open(path, "w", newline="") as f:
        w = make_tracy_example.Writer(SimpleNamespace(rows=1 << 30, devices=1, host=0, plain=False, wide=False), f)
        put = w.put

        def noted(v, *more):
            if v["OP TYPE"] == "signpost":
                here["step" if v["OP CODE"].startswith("iteration") else "part"] = v["OP CODE"]
            rows.append((v["HOST START TS"], dict(here), v.get("DEVICE KERNEL DURATION [ns]")))
            put(v, *more)
        w.put = noted
        for step in range(10, 15):
            w.signpost("iteration %d" % step)
            for part in ("data loader", "forward", "self attention", "backward"):
                w.signpost(part)
                for op in make_tracy_example.LAYER[:3]:
                    w.op(op)
    return rows


def cookbook_operations(analyzer, tmp, lines):
    """The five questions of a report of operations, whose parts are those between signposts."""
    path = os.path.join(tmp, "ops_perf_results_cookbook.csv")
    rows = write_operations(path)
    half = rows[0][0] + (rows[-1][0] - rows[0][0] + 1) // 2
    inside = {"forward*": lambda at, here: here.get("part") == "forward", "*attention*": lambda at, here: here.get("part") == "self attention",
              "*loader*": lambda at, here: here.get("part") == "data loader", "12": lambda at, here: here["step"] == "iteration 12",
              "50%": lambda at, here: at >= half}
    for i, words in enumerate(lines):
        what = words[-1].strip("'")
        want = [length for at, here, length in rows if length and inside[what](at, here)]
        have = work_of(analyzer, path, words[2], what, os.path.join(tmp, "cookbook_tracy_%d" % i))
        verdict(have == (sum(want), len(want), "window"), "cookbook: Tracy %s" % what, "%s instead of %s" % (have, (sum(want), len(want))))


def cookbook(analyzer, tmp):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "docs", "cookbook.md")) as f:
        lines = [x.split("#")[0].split() for x in f if re.match(r"analyzer \S+ --(range|steps|from) ", x)]
    verdict(len(lines) == 5, "cookbook: five questions", "%d" % len(lines))
    for kind, (write, ending, pytorch) in {**WRITERS, **MORE_WRITERS}.items():
        t = program(pytorch)
        path = os.path.join(tmp, "cookbook_%s%s" % (kind, ending))
        write(t, path)
        first = min([r[1] for r in t.ranges] + [k[0] for k in t.kernels])
        last = max([r[2] for r in t.ranges] + [k[1] for k in t.kernels])
        wants = {"forward*": spans(t, lambda n: n == "forward"), "*attention*": spans(t, lambda n: "attention" in n),
                 "*loader*": spans(t, lambda n: "loader" in n), "12": spans(t, lambda n: n == "iteration 12"),
                 "50%": [(first + (last - first) // 2, last + 1)]}
        for i, words in enumerate(lines):
            what = words[-1].strip("'")
            out = os.path.join(tmp, "cookbook_%s_%d" % (kind, i))
            time, count = in_windows(t, wants[what])
            have = work_of(analyzer, path, words[2], what, out)
            verdict(have == (time, count, "window"), "cookbook: %s %s" % (kind, what), "%s instead of %s" % (have, (time, count)))
    cookbook_operations(analyzer, tmp, lines)


def some_steps(analyzer, tmp):
    """Steps of a window are steps, also with time between them."""
    for kind, (write, ending, _) in WRITERS.items():
        t = program(False, gap=5000)
        path = os.path.join(tmp, "steps_%s%s" % (kind, ending))
        write(t, path)
        out = os.path.join(tmp, "out_steps_%s" % kind)
        subprocess.run([analyzer, "run", path, "--steps", "11-13", "--format", "csv", "-o", out], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = [os.path.join(d, f) for d, _, fs in os.walk(out) for f in fs if f == "steps.csv"]
        rows = []
        if found:
            with open(found[0], newline="") as f:
                rows = [r["step"] for r in csv.DictReader(f)]
        verdict(rows == ["iteration %d" % i for i in (11, 12, 13)], "steps 11-13: %s" % kind, str(rows))


def host_only(analyzer, tmp):
    """Without device work the table is of host time, also by its title."""
    t = program(True)
    t.ranges.append((MAIN, 1000, 9000, "nn.Module: Linear_0", "module"))
    for kernels, word in ((t.kernels, "Device"), ([], "Host")):
        t.kernels = kernels
        path = os.path.join(tmp, "title_%d.json" % len(kernels))
        write_pytorch(t, path)
        run = subprocess.run([analyzer, "run", path, "-v"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        titles = re.findall(r"^(\S+) time by (region|module)(?: \(\S+\))?$", run.stdout.decode(), re.M)
        verdict(sorted(titles) == [(word, "module"), (word, "region")], "title: %s time" % word, str(titles))


def rates(analyzer, tmp):
    """FLOPs and bytes of a matrix product by its region's device time, and the cause of the idle time in it."""
    path, out = os.path.join(tmp, "rates.json"), []

    def add(cat, name, tid, start, dur, args, pid=7):
        out.append(json.dumps({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": dur, "args": args}))

    add("user_annotation", "block", 1, 100, 900, {})
    for i, at in enumerate((110, 800)):  # between them the host computes in the range
        add("cpu_op", "aten::mm", 1, at, 20, {"External id": i + 1, "Input Dims": [[128, 256], [256, 64]], "Input type": ["float", "float"],
                                              "Input Strides": [[256, 1], [64, 1]], "Sequence number": i})
        add("cuda_runtime", "cudaLaunchKernel", 1, at + 5, 5, {"correlation": i + 1, "External id": i + 1})
        add("kernel", "gemm_kernel", 7, at + 20, 10, {"correlation": i + 1, "External id": i + 1, "stream": 7, "device": 0}, pid=0)
    with open(path, "w") as f:
        f.write('{"schemaVersion":1,"traceEvents":[\n%s\n]}\n' % ",\n".join(out))
    found, run = tables(analyzer, path, os.path.join(tmp, "rates"))
    row = next((r for r in found.get("regions", []) if r["path"] == "block"), {})
    flops = 2 * 128 * 256 * 64 / 10e-6 / 1e12
    bytes_per_s = 4 * (128 * 256 + 256 * 64 + 128 * 64) / 10e-6 / 1e9
    said = [row.get(k, "") for k in ("tflops", "gbps", "idle_ns", "idle_cause")]
    verdict(said[2:] == ["680000", "host_range"] and abs(float(said[0] or 0) - flops) < 1e-9 and abs(float(said[1] or 0) - bytes_per_s) < 1e-9,
            "rates and idle cause", "%s instead of %g, %g; %s" % (said, flops, bytes_per_s, run.stdout.decode()[-200:]))


def every_table(analyzer, path, out):
    run = subprocess.run([analyzer, "run", path, "--format", "csv", "--compat=all", "-o", out], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    found = {}
    for folder, _, files in os.walk(out):
        for name in files:
            if name.endswith(".csv"):
                with open(os.path.join(folder, name), newline="") as f:
                    found[name[:-4]] = list(csv.DictReader(f))
    return found, run


def rank_columns(analyzer, tmp):
    """What regions_by_rank has of a rank is what `regions` has of its trace, with cause and rates."""
    folder, want = os.path.join(tmp, "recorded"), {}
    os.makedirs(folder)
    for rank, name in enumerate(("data_range", "item_sync", "layers")):
        path = os.path.join(folder, "rank_%d.pt.trace.json.gz" % rank)
        with open(os.path.join(HERE, "data", "recorded", name + ".pt.trace.json.gz"), "rb") as f, open(path, "wb") as g:
            g.write(f.read())
        for r in every_table(analyzer, path, os.path.join(tmp, "alone%d" % rank))[0]["regions"]:
            want[str(rank), r["path"]] = r
    got, run = every_table(analyzer, folder, os.path.join(tmp, "together"))
    rows = got.get("regions_by_rank", [])
    both = [c for c in (rows[0] if rows else {}) if c != "rank" and c in want["0", rows[0]["path"]]]
    wrong = ["%s %s: %s instead of %s" % (r["path"], c, r[c], want[r["rank"], r["path"]][c]) for r in rows for c in both
             if r[c] != want[r["rank"], r["path"]][c] and (r[c] or "0", want[r["rank"], r["path"]][c] or "0") != ("0", "0")]
    verdict({"idle_cause", "tflops", "gbps"} <= set(both) and any(r["idle_cause"] for r in rows) and any(r["tflops"] for r in rows) and not wrong,
            "ranks: columns of the trace alone", "; ".join(wrong[:4]) + run.stdout.decode()[-200:])


def program_rates(analyzer, tmp):
    """XPlane of a GPU: FLOPs of the operations in a scope by its device time; bytes of what is no fusion."""
    path = os.path.join(HERE, "..", "example", "xplane", "plugins", "profile", "train_step", "alpha.xplane.pb")
    found, run = every_table(analyzer, path, os.path.join(tmp, "programs"))
    row = found["regions"][0]
    ops = [r for r in found["hlo_op_perf"] if r["framework_name"].startswith(row["path"] + "/")]
    flops = sum(int(r["flops_per_execution"] or 0) * int(r["executions"]) for r in ops)
    moved = sum(int(r["bytes_per_execution"]) * int(r["executions"]) for r in ops if r["kind"] in ("gemm", "conv", "attention_fwd", "attention_bwd"))
    ns = int(row["device_ns"])
    verdict(flops > 0 and abs(float(row["tflops"] or 0) * ns * 1e3 / flops - 1) < 1e-9 and abs(float(row["gbps"] or 0) * ns / moved - 1) < 1e-9,
            "rates of compiled programs", "%s and %s instead of %g and %g; %s" % (row["tflops"], row["gbps"], flops / ns / 1e3, moved / ns,
                                                                                  run.stdout.decode()[-200:]))


# ---- the examples, read here ----

class Recorded(Tree):
    """Events of a recording, as a tree."""

    def __init__(self):
        self.pytorch, self.backward = True, {}
        self.ranges, self.launches, self.kernels, self.ops = [], [], [], []

    def name_threads(self):
        """The thread with the most forward operators is MAIN, those of gradients are AUTOGRAD, as in Tree."""
        back = {t for t, _, _, name, _ in self.ops if name.startswith("autograd::engine::evaluate_function")}
        count = defaultdict(int)
        for t, _, _, name, _ in self.ops:
            if t not in back:
                count[t] += 1
        main = max(count, key=lambda t: (count[t], str(t)), default=None)
        others = {}
        number = lambda t: MAIN if t == main else AUTOGRAD if t in back else others.setdefault(t, 100 + len(others))
        for rows in (self.ranges, self.launches, self.ops):
            rows[:] = [(number(r[0]),) + tuple(r[1:]) for r in rows]

    def rows(self):
        """(device, own device, host, instances) by path; the work of no region is (outside). Marks without length are none."""
        self.ranges = sorted((r for r in self.ranges if r[2] > r[1]), key=lambda r: (r[1], -r[2]))
        self.where = {}
        for t, s, _, c in self.launches:
            self.where.setdefault(c, self.region(t, s))
        own, host, count = defaultdict(int), defaultdict(int), defaultdict(int)
        for start, end, corr, _ in self.kernels:
            own[self.where.get(corr, ())] += end - start  # without a recorded call it is in no region
        for i, (_, start, end, _, _) in enumerate(self.ranges):
            host[self.path(i)] += end - start
            count[self.path(i)] += 1
        paths = {p[:k] for p in list(own) + list(host) for k in range(1, len(p) + 1)}
        text = lambda p: " / ".join(n for n, _ in p)
        found = {text(p): (sum(v for q, v in own.items() if q[:len(p)] == p), own[p], host[p], count[p]) for p in paths}
        if own[()]:
            found["(outside)"] = (own[()], own[()], None, None)
        return found


def load_pytorch(path):
    t, ns = Recorded(), lambda x: int((Decimal(str(x)) * 1000).to_integral_value())
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        events = json.load(f, parse_float=Decimal)
    for e in events["traceEvents"]:
        cat, args = e.get("cat"), e.get("args", {})
        if e.get("ph") != "X" or e.get("dur") is None:
            continue
        start = ns(e["ts"])
        end, tid = start + ns(e["dur"]), (e["pid"], e["tid"])
        if cat == "user_annotation":
            t.ranges.append((tid, start, end, e["name"], "range"))
        elif cat == "python_function" and e["name"].startswith("nn.Module: "):
            t.ranges.append((tid, start, end, e["name"], "module"))
        elif cat == "cpu_op":
            t.ops.append((tid, start, end, e["name"], 0))
        elif cat in ("cuda_runtime", "cuda_driver") and "correlation" in args:
            t.launches.append((tid, start, end, args["correlation"]))
        elif cat in ("kernel", "gpu_memcpy", "gpu_memset"):
            t.kernels.append((start, end, args.get("correlation"), e["name"]))
    t.name_threads()
    return t


def load_nsys(path):
    t, db = Recorded(), sqlite3.connect(path)
    tables = {n for n, in db.execute("SELECT name FROM sqlite_master")}
    names = dict(db.execute("SELECT id, value FROM StringIds"))
    columns = {c[1] for c in db.execute("PRAGMA table_info(NVTX_EVENTS)")}
    value = lambda text, ref: text if text is not None else names.get(ref)
    what = "text, %s" % ("textId" if "textId" in columns else "NULL")
    domains = {n: value(text, ref) for text, ref, n in db.execute("SELECT %s, domainId FROM NVTX_EVENTS WHERE eventType = 75" % what)}
    for start, end, text, ref, tid, domain in db.execute("SELECT start, end, %s, globalTid, domainId FROM NVTX_EVENTS WHERE end IS NOT NULL AND "
                                                         "eventType IN (59, 60)" % what):
        name = (domains[domain] + ":" if domains.get(domain) else "") + value(text, ref)
        t.ranges.append((tid, start, end, name[1:] if name.startswith(":") else name, "range"))
    for start, end, tid, corr in db.execute("SELECT start, end, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        t.launches.append((tid, start, end, corr))
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        if "CUPTI_ACTIVITY_KIND_" + table in tables:
            t.kernels += [(s, e, c, "") for s, e, c in db.execute("SELECT start, end, correlationId FROM CUPTI_ACTIVITY_KIND_" + table)]
    t.name_threads()
    return t


def load_rocprof(prefix):
    """A set of CSV files."""
    t = Recorded()

    def rows(name):
        path = prefix + name + ".csv"
        with open(path, newline="") if os.path.exists(path) else io.StringIO("") as f:
            for r in csv.DictReader(f):
                yield r, int(r["Start_Timestamp"]), int(r["End_Timestamp"]), int(r["Correlation_Id"])
    for r, start, end, corr in rows("_marker_api_trace"):
        t.ranges.append((r["Thread_Id"], start, end, r["Function"], "range"))
    for name in ("_hip_api_trace", "_rccl_api_trace"):
        t.launches += [(r["Thread_Id"], start, end, corr) for r, start, end, corr in rows(name)]
    for name in ("_kernel_trace", "_memory_copy_trace"):
        t.kernels += [(start, end, corr, "") for _, start, end, corr in rows(name)]
    t.name_threads()
    return t


class Signposts:
    """An operation report: a region lasts from a signpost to the next one; host times are not those of ranges."""

    def __init__(self, path):
        self.device, self.count, at = defaultdict(int), defaultdict(int), "(outside)"
        with open(path, newline="") as f:
            for r in csv.DictReader(f):
                if r["OP TYPE"] == "signpost":
                    at = fold(r["OP CODE"])
                    self.count[at] += 1
                elif int(r["DEVICE KERNEL DURATION [ns]"] or 0) <= int(r["DEVICE FW DURATION [ns]"] or 0):  # else impossible
                    self.device[at] += int(r["DEVICE KERNEL DURATION [ns]"] or 0)

    def rows(self):
        return {p: (self.device[p], self.device[p], None, self.count.get(p)) for p in set(self.device) | set(self.count) if p != "(outside)" or self.device[p]}


def examples(analyzer, tmp, data):
    """Table regions of every example with ranges of the host, against the events as they are read here."""
    folder = os.path.join(HERE, "..", "example")
    inputs = [(load_pytorch, os.path.join(folder, "pytorch", n)) for n in ("train_step.json", "train_step_pageable.json", "inference.json", "moe.json")]
    inputs += [(load_pytorch, os.path.join(folder, "multirank", "step_120", "rank_%d.json" % r)) for r in range(4)]
    inputs += [(Signposts, os.path.join(folder, "tracy", "ops_perf_results_%s.csv" % n)) for n in ("layers", "host0", "host1")]
    recorded = os.path.join(HERE, "data", "recorded")
    inputs += [(load_pytorch, os.path.join(recorded, n)) for n in sorted(os.listdir(recorded)) if n.endswith(".pt.trace.json.gz")]
    if data:
        inputs += [(load_nsys, os.path.join(data, "llama2_70b.sqlite")), (load_rocprof, os.path.join(data, "rocprof", "train"))]
    for i, (load, path) in enumerate(inputs):
        want = load(path).rows()
        found, run = tables(analyzer, path + "_kernel_trace.csv" if load is load_rocprof else path, os.path.join(tmp, "example%d" % i))
        got = {r["path"]: tuple(number(r[c]) for c in ("device_ns", "device_self_ns", "host_ns", "instances"))
               for r in found.get("regions", [])}
        if load is Signposts:
            got = {p: v[:2] + (None,) + v[3:] for p, v in got.items()}
        known = lambda v: tuple(x or 0 for x in v)
        wrong = ["%s: %s instead of %s" % (p, got.get(p), want.get(p)) for p in sorted(set(got) | set(want)) if p not in got or p not in want
                 or known(got[p]) != known(want[p])] if got or [p for p in want if p != "(outside)"] else []
        verdict(not wrong, "example %s: %d regions" % (os.path.basename(path), len(got)), "; ".join(wrong[:4]) + run.stdout.decode()[-100:])


class Scopes:
    """An XPlane profile: device operations by the scope of each, else by its program. Picoseconds."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            planes = [Plane(v) for n, v in fields(f.read()) if n == 1]
        self.device, self.backward, self.scopes = defaultdict(int), defaultdict(int), {}
        for p in planes:
            if p.name == "/host:metadata":
                self.read_programs(p)
        for p in planes:
            for line in p.lines if re.match(r"/device:(GPU|TPU):\d+", p.name) else []:
                name = text(one(line, 2, b"") or one(line, 11, b""))
                if name.startswith("Stream #") or (name == "XLA Ops" and ":TPU:" in p.name):
                    self.read_line(p, line, ":TPU:" in p.name)

    def read_programs(self, p):
        """Scopes of instructions, by program and name."""
        for key, meta in p.metas.items():
            for n, stat in fields(meta):
                if n != 5 or text(one(p.stats.get(one(stat, 1, 0), b""), 2, b"")) != "Hlo Proto":
                    continue
                module = one(one(stat, 6, b""), 1, b"")
                for computation in (v for k, v in fields(module) if k == 3):
                    for instruction in (v for k, v in fields(computation) if k == 2):
                        scope = text(one(one(instruction, 7, b""), 2, b""))
                        self.scopes[key & (1 << 64) - 1, text(one(instruction, 1, b""))] = scope

    def read_line(self, p, line, tpu):
        rows = []
        for e in (v for n, v in fields(line) if n == 4):
            meta = p.metas.get(one(e, 1, 0), b"")
            stats = {**values(p, meta, 5), **values(p, e, 4)}
            rows.append([signed(one(e, 2, 0)), signed(one(e, 3, 0)), stats, 0, text(one(meta, 4, b"") or one(meta, 2, b""))])
        rows = [r for r in rows if r[1] >= 0]  # a negative duration is impossible
        open_ones = []
        for r in sorted(rows, key=lambda r: (r[0], -r[1])) if tpu else []:
            while open_ones and open_ones[-1][0] + open_ones[-1][1] <= r[0]:
                open_ones.pop()
            if r[2].get("hlo_category") in ("while", "call", "conditional"):
                continue
            if open_ones:
                open_ones[-1][3] += r[1]
            open_ones.append(r)
        for _, length, stats, inside, name in rows:
            if tpu and stats.get("hlo_category") in ("while", "call", "conditional"):
                continue
            scope = stats.get("tf_op" if tpu else "name") or self.scopes.get((int(stats.get("program_id", 0)) & (1 << 64) - 1, stats.get("hlo_op", name)), "")
            parts = re.findall(r"(?:[^/()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+", scope)[:-1]
            program = stats.get("hlo_module", "")
            if not parts and program:
                parts = ["jit(%s)" % program[4:] if program.startswith("jit_") else program]
            self.device[tuple(fold(x) for x in parts)] += length - inside

    def rows(self):
        paths = {p[:k] for p in self.device for k in range(1, len(p) + 1)}
        found = {" / ".join(p): (sum(v for q, v in self.device.items() if q[:len(p)] == p), self.device.get(p, 0), None, None) for p in paths}
        if () in self.device:
            found["(outside)"] = (self.device[()], self.device[()], None, None)
        return found


def values(p, body, number):
    """Stats of an event or of its metadata, by name, as text."""
    found = {}
    for stat in (v for n, v in fields(body) if n == number):
        value = ""
        for k, v in fields(stat):
            value = text(one(p.stats.get(v, b""), 2, b"")) if k == 7 else text(v) if k == 5 else str(v) if k in (2, 3, 4) else value
        found[text(one(p.stats.get(one(stat, 1, 0), b""), 2, b""))] = value
    return found


def xplane_scopes(analyzer, tmp, data):
    """Regions of compiled programs: exclusive times with what is outside are the device time, and those of a region with those in it its own."""
    example = os.path.join(HERE, "..", "example", "xplane", "plugins", "profile", "train_step")
    recorded = os.path.join(HERE, "data", "recorded")
    made = os.path.join(tmp, "made")
    os.makedirs(made)
    for seed in range(8):  # GPUs, and cores of a TPU
        subprocess.run([sys.executable, os.path.join(HERE, "gen", "make_ties_xplane.py"), os.path.join(made, "%d.xplane.pb" % seed), str(seed)], check=True)
    inputs = [os.path.join(d, n) for d in [example, recorded, made] + data for n in sorted(os.listdir(d)) if re.search(r"\.xplane\.pb(\.gz)?$", n)]
    for i, path in enumerate(inputs):
        want = Scopes(path).rows()
        found, run = tables(analyzer, path, os.path.join(tmp, "scopes%d" % i))
        got = {r["path"]: (int(r["device_ns"] or 0), int(r["device_self_ns"] or 0)) for r in found.get("regions", [])}
        wrong = ["%s: %s instead of %s ps" % (p, got.get(p), want.get(p)) for p in sorted(set(got) | set(want)) if p not in got or p not in want
                 or any(abs(a * 1000 - b) >= 1000 for a, b in zip(got[p], want[p]))] if set(want) - {"(outside)"} else list(got)
        verdict(not wrong, "scopes of %s: %d regions" % (os.path.basename(path), len(got)), "; ".join(wrong[:4]) + run.stdout.decode()[-100:])
        total, own = sum(v[1] for v in want.values()), sum(v[1] for v in got.values())
        verdict(not got or own == (total + 500) // 1000, "scopes of %s: add up to the device time" % os.path.basename(path), "%d ns of %d ps" % (own, total))
        inside = defaultdict(int)
        for p, v in got.items():
            inside[p.rpartition(" / ")[0]] += v[0]
        wrong = [p for p, v in got.items() if v[0] != v[1] + inside[p]]
        verdict(not wrong, "scopes of %s: inclusive times are those of the parts" % os.path.basename(path), "; ".join(wrong[:4]))


def main():
    global verbose
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--analyzer", required=True)
    p.add_argument("--seeds", type=int, default=8)
    p.add_argument("--example-data", help="folder that `make` fills with larger examples")
    p.add_argument("--profiles", action="append", help="further folders with XPlane profiles")
    p.add_argument("--verbose", action="store_true")
    o = p.parse_args()
    verbose = o.verbose
    with tempfile.TemporaryDirectory() as tmp:
        rates(os.path.abspath(o.analyzer), tmp)
        rank_columns(os.path.abspath(o.analyzer), tmp)
        program_rates(os.path.abspath(o.analyzer), tmp)
        xplane_scopes(os.path.abspath(o.analyzer), tmp, o.profiles or [])
        examples(os.path.abspath(o.analyzer), tmp, o.example_data)
        for seed in range(o.seeds):
            for kind in WRITERS:
                check(os.path.abspath(o.analyzer), tmp, seed, kind)
        check_ranks(os.path.abspath(o.analyzer), tmp)
        cookbook(os.path.abspath(o.analyzer), tmp)
        some_steps(os.path.abspath(o.analyzer), tmp)
        host_only(os.path.abspath(o.analyzer), tmp)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
