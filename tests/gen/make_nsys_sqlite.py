#!/usr/bin/env python3
"""Write Nsight Systems SQLite exports with known content, and the results that any correct analyzer must have for them.

    make_nsys_sqlite.py DIR [NAME ...]      DIR/NAME.sqlite, DIR/NAME.expected.json and the three CSVs of nsys stats
    make_nsys_sqlite.py --list              names of the sets

The expected results are computed by brute force from the lists of events in memory: no SQL, no sweeps, no interval
algebra. Columns follow real exports of the schema named; `2021` is a deliberately poor one. Standard library only,
deterministic."""
import csv
import json
import math
import os
import random
import sqlite3
import sys
from collections import defaultdict

SETS = {
    "proc1_gpu2_v3_24": dict(schema="3.24.0", gpus=2, graph="node"),  # graph nodes share one correlation id
    "proc2_gpu2_v3_4": dict(schema="3.4.0", procs=2, gpus=2, text=True, seed=2),  # equal correlation ids in both
    "graph_v3_16": dict(schema="3.16.1", procs=2, gpus=2, graph="graph", iters=2, seed=3),  # rows of whole graphs
    "old_2023": dict(schema="3.1.7", iters=2, seed=4),
    "old_2021": dict(schema="2021", iters=2, seed=5),
    "edges_v3_16": dict(schema="3.16.1", edges=True, seed=6),
    "edges_v3_4": dict(schema="3.4.0", edges=True, procs=2, gpus=2, text=True, seed=7),
    "no_nvtx": dict(schema="3.16.1", iters=1, nvtx="none", seed=8),
    "marks_only": dict(schema="3.16.1", iters=1, nvtx="marks", seed=9),
    "no_kernels": dict(schema="3.16.1", iters=1, kernels_written=False, seed=10),
}
DEFAULTS = dict(procs=1, gpus=1, iters=3, graph="none", text=False, edges=False, nvtx="all", kernels_written=True, seed=1)

VM = 1 << 48
COPY_LABELS = ["Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
               "Array-to-Device", "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer",
               "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device"]
OLD_COPY_LABELS = ["memcpy Unknown", "memcpy HtoD", "memcpy DtoH", "memcpy HtoA", "memcpy AtoH", "memcpy AtoA", "memcpy AtoD",
                   "memcpy DtoA", "memcpy DtoD", "memcpy HtoH", "memcpy PtoP", "Unified Memory memcpy HtoD",
                   "Unified Memory memcpy DtoH", "Unified Memory memcpy DtoD"]
SYNC_LABELS = ["Unknown", "Event sync", "Stream wait sync", "Stream sync", "Context sync"]
RANGE_TYPES = (59, 60, 70, 71)
DOMAIN, TAG = "TSL", "XlaModule:#hlo_module=pjit__train_step,program_id=11#"
COMPUTE = ["void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm, 4>(T1::Params)", "sm90_xmma_gemm_bf16bf16_f32_tn_n",
           "loop_add_multiply_fusion_3", "input_reduce_fusion", "void vectorized_elementwise_kernel<(int)4, Add>(int, T2)"]
COLLECTIVES = ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
               "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
               "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<(unsigned long)4096>)"]
MISSING_STRING = 999999


def version(schema):
    """(major, minor); (0, 0) where the export states none."""
    return (0, 0) if schema == "2021" else tuple(int(x) for x in schema.split(".")[:2])


# ---------------------------------------------------------------- the world: lists of events

class World:
    def __init__(self, o):
        self.o, self.rng = o, random.Random(o["seed"])
        self.kernels, self.copies, self.fills, self.graphs, self.syncs, self.calls, self.nvtx = ([] for _ in range(7))
        self.strings = {"[Unknown]": 0}
        self.correlation = defaultdict(int)  # restarts in every process
        self.free = defaultdict(int)         # (device, stream) -> time from which the stream is free

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def call(self, at, thread, name, duration=None):
        process = thread & ~0xffffff
        self.correlation[process] += 1
        end = at + (duration or self.rng.randrange(2000, 6000))
        self.calls.append(dict(start=at, end=end, eventClass=0, globalTid=thread, correlationId=self.correlation[process],
                               nameId=self.string(name), name=name, returnValue=0))
        return end, self.correlation[process]

    def device_row(self, rows, who, stream, corr, after, duration, **more):
        process, _, device, context = who
        start = max(after, self.free[device, stream] + self.rng.randrange(300, 900))
        self.free[device, stream] = start + duration
        rows.append(dict(start=start, end=start + duration, deviceId=device, contextId=context, greenContextId=0,
                         streamId=stream, correlationId=corr, globalPid=process, **more))

    def kernel(self, who, stream, corr, after, duration, name, node=None):
        short = name.split("(")[0].split("<")[0].split("::")[-1]
        self.device_row(self.kernels, who, stream, corr, after, duration, demangledName=self.string(name),
                        shortName=self.string(short), mangledName=self.string("_Z" + short), graphNodeId=node, name=name,
                        registersPerThread=64, gridX=self.rng.choice([1, 64]), gridY=1, gridZ=1, blockX=128, blockY=1,
                        blockZ=1, staticSharedMemory=0, dynamicSharedMemory=0, localMemoryPerThread=0,
                        localMemoryTotal=0, gridId=len(self.kernels) + 1)

    def copy(self, who, stream, corr, after, duration, kind, size):
        self.device_row(self.copies, who, stream, corr, after, duration, bytes=size, copyKind=kind,
                        srcKind=1 if kind == 1 else 2, dstKind=2)

    def annotation(self, start, end, thread, text, kind=59, domain=0, end_thread=None):
        by_id = not self.o["text"]
        self.nvtx.append(dict(start=start, end=end, eventType=kind, rangeId=None, text=None if by_id else text,
                              textId=self.string(text) if by_id else None, globalTid=thread, endGlobalTid=end_thread,
                              domainId=domain, label=text))
        return self.nvtx[-1]


def phase(w, h, who, name, iteration):
    """Launches of one pass: kernels on stream 7, collectives on stream 20; every fifth kernel starts before its launch
    call returns."""
    thread, device, rng = who[1], who[2], w.rng
    outer = w.annotation(h, None, thread, name)
    h += 400
    inner = w.annotation(h, None, thread, "layer_0") if name == "fwd" else None
    h += 200
    for k in range(7):
        before = h
        h, corr = w.call(h, thread, "cudaLaunchKernel_v7000")
        after = before + 900 if k % 5 == 4 else h + rng.randrange(500, 4000)
        w.kernel(who, 7, corr, after, rng.randrange(8000, 60000), COMPUTE[(k + iteration) % len(COMPUTE)])
        h += rng.randrange(200, 1500)
        if k % 3 == 2:
            h, corr = w.call(h, thread, "cuLaunchKernelEx")
            w.kernel(who, 20, corr, max(h + 600, w.free[device, 7]), rng.randrange(20000, 90000),
                     COLLECTIVES[(k // 3 + iteration) % len(COLLECTIVES)])
            h += 300
        if k == 1 and inner:
            inner["end"] = h
            h += 100
    return h, outer


def graph_launch(w, h, who):
    h, corr = w.call(h, who[1], "cudaGraphLaunch_v10000")
    if w.o["graph"] == "node":
        for n in range(3):
            w.kernel(who, 7, corr, h + 500, w.rng.randrange(4000, 9000), COMPUTE[n], node=(1 << 33) + n)
    else:
        w.device_row(w.graphs, who, 7, corr, h + 500, w.rng.randrange(15000, 25000), graphId=1, graphExecId=2)
    return h + 200


def iteration(w, h, who, it):
    thread, device = who[1], who[2]
    module = w.annotation(h, None, thread, TAG, domain=1)
    step = w.annotation(h + 700, None, thread, "Train_step")
    pair = w.annotation(h + 1200, None, thread, "iter_se", kind=60)
    h, corr = w.call(h + 1500, thread, "cudaMemcpyAsync_v3020")
    w.copy(who, 13, corr, h + 800, w.rng.randrange(3000, 9000), 1, 4096 * (1 + it))
    h, corr = w.call(h + 600, thread, "cudaMemsetAsync_v3020")
    w.device_row(w.fills, who, 7, corr, h + 700, 1200 + it, value=0, bytes=65536, memKind=2)
    h, forward = phase(w, h + 600, who, "fwd", it)
    forward["end"] = h
    h, backward = phase(w, h + 150, who, "bwd", it)
    h, corr = w.call(h, thread, "cudaMemcpyAsync_v3020")
    w.copy(who, 7, corr, h + 500, w.rng.randrange(2000, 30000), 8, 1 << 20)
    if w.o["graph"] != "none":
        h = graph_launch(w, h + 300, who)
    backward["end"] = h
    w.annotation(h + 100, h + 900, thread, "host_only")
    w.annotation(h + 950, None, thread, "a mark", kind=34)
    h += 1000
    pair["end"], step["end"], module["end"] = h + 100, h + 200, h + 300
    idle = max(w.free[device, s] for s in (7, 13, 20)) + 3000
    h += 400
    end, corr = w.call(h, thread, "cudaDeviceSynchronize_v3020", duration=max(idle - h, 2000))
    w.syncs.append(dict(start=h + 100, end=end - 100, deviceId=device, contextId=who[3], greenContextId=0,
                        streamId=0xffffffff, correlationId=corr, globalPid=who[0], syncType=4, eventId=0))
    w.annotation(h + 10, end - 10, thread, "cross_thread", kind=60, end_thread=thread + 50)  # gets no projection
    return end + w.rng.randrange(5000, 80000)


def add_edges(w, who, h):
    """The list of docs/formats-nsight.md 5: what real exports contain beside the ordinary."""
    thread = who[1]
    first = w.annotation(h, None, thread, "twin")
    second = w.annotation(h, None, thread, "twin")  # identical limits: the later one is the child
    inside = w.annotation(h + 100, None, thread, "Gr\u00f6\u00dfe \u91cf \U0001f680")
    h, corr = w.call(h + 200, thread, "cudaLaunchKernel_v7000")
    w.kernel(who, 7, corr, h + 500, 4000, "kernel_\u00e9\u00df_\u91cf<int, 3>")
    inside["end"] = h + 100
    h, corr = w.call(h + 300, thread, "cudaLaunchKernel_v7000")
    w.kernel(who, 7, corr, h + 500, 4100, "lost name")
    w.kernels[-1].update(name="[Unknown]", demangledName=MISSING_STRING)
    w.kernel(who, 7, None, h + 900, 4200, COMPUTE[0])  # not launched by anything that was recorded
    first["end"] = second["end"] = h + 400
    return h + 1000


def build(o):
    w = World(o)
    pids = [1000 + 7 * i for i in range(o["procs"])]
    threads = []  # (globalPid, globalTid, device, context)
    for d in range(o["gpus"]):
        pid = pids[d % o["procs"]]
        process = VM | pid << 24
        threads.append((process, process | (pid + 11 * (d // o["procs"])), d, 1 + d // o["procs"]))
    for process in sorted({t[0] for t in threads}):
        w.annotation(5000, None, process | (process >> 24 & 0xffffff), DOMAIN, kind=75, domain=1)
    at = []
    for who in threads:  # work outside every range, and of a thread without ranges
        h, corr = w.call(100000 + 3000 * who[2], who[1], "cudaLaunchKernel_v7000")
        w.kernel(who, 7, corr, h + 1500, 20000, COMPUTE[3])
        _, corr = w.call(h + 4000, who[1] + 50, "cudaLaunchKernel_v7000")
        w.kernel(who, 9, corr, h + 13000, 15000, COMPUTE[4])
        at.append(h + 24000)
    for it in range(o["iters"]):
        for i, who in enumerate(threads):
            at[i] = iteration(w, at[i] + w.rng.randrange(1000, 9000), who, it)
    who, h = threads[0], max(at) + 1000
    if o["edges"]:
        h = add_edges(w, who, h)
    w.annotation(h, None, who[1], "open_range")  # never closed: ends with the last range
    h, corr = w.call(h + 200, who[1], "cudaLaunchKernel_v7000")
    w.kernel(who, 7, corr, h + 900, 7000, COMPUTE[2])
    w.annotation(h + 5000, h + 6000, who[1], "tail_host")
    if o["edges"]:  # everything before the session's start
        shift_all(w, -(h // 2))
    if not o["kernels_written"]:
        w.kernels, w.copies, w.fills, w.graphs = [], [], [], []
    w.nvtx = [n for n in w.nvtx if o["nvtx"] == "all" or (o["nvtx"] == "marks" and n["eventType"] == 34)]
    w.nvtx.sort(key=lambda n: n["start"])  # row order is start order in real files
    w.calls.sort(key=lambda r: r["start"])
    for i, n in enumerate(w.nvtx):
        n["rowid"] = i + 1
    w.threads = threads
    return w


def shift_all(w, by):
    for rows in (w.kernels, w.copies, w.fills, w.graphs, w.syncs, w.calls, w.nvtx):
        for r in rows:
            r["start"] += by
            if r["end"] is not None:
                r["end"] += by


# ---------------------------------------------------------------- the database

def columns(schema):
    """Table -> column names, by schema."""
    v, poor = version(schema), schema == "2021"
    green = ["greenContextId"] if v >= (3, 16) else []
    new = v >= (3, 24)
    head = ["start", "end", "deviceId", "contextId"] + green + ["streamId", "correlationId", "globalPid"]
    kernel = head + ["demangledName", "shortName"] + ([] if poor else ["mangledName", "launchType", "cacheConfig"])
    kernel += ["registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
               "dynamicSharedMemory", "localMemoryPerThread", "localMemoryTotal", "gridId"]
    kernel += [] if poor else ["sharedMemoryExecuted", "graphNodeId", "sharedMemoryLimitConfig"]
    kernel += ["qmdBulkReleaseDone", "graphId", "clusterX", "maxActiveClusters"] if new else []
    copy = head + ["bytes", "copyKind"] + ([] if poor else ["deprecatedSrcId"]) + ["srcKind", "dstKind", "srcDeviceId"]
    copy += ([] if poor else ["migrationCause", "graphNodeId", "virtualAddress"]) + (["copyCount"] if new else [])
    return {
        "CUPTI_ACTIVITY_KIND_KERNEL": kernel,
        "CUPTI_ACTIVITY_KIND_MEMCPY": copy,
        "CUPTI_ACTIVITY_KIND_MEMSET": head + ["value", "bytes"] + ([] if poor else ["graphNodeId"]) + ["memKind"],
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": head + (["deprecatedSyncType"] if new else []) + ["syncType", "eventId"],
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": head + ["graphId", "graphExecId"],
        "CUPTI_ACTIVITY_KIND_RUNTIME": ["start", "end", "eventClass", "globalTid", "correlationId", "nameId",
                                        "returnValue"] + ([] if poor else ["callchainId"]),
        "NVTX_EVENTS": ["start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid", "endGlobalTid",
                        "textId", "domainId", "uint64Value", "doubleValue", "jsonText"] + ([] if poor else ["binaryData"]),
    }


def write_table(db, name, names, rows):
    db.execute("CREATE TABLE %s (%s)" % (name, ", ".join('"%s" %s' % (c, "TEXT" if c in ("text", "name", "value", "label")
                                                                       else "INTEGER") for c in names)))
    db.executemany("INSERT INTO %s VALUES (%s)" % (name, ",".join("?" * len(names))), rows)


def write_db(w, path):
    schema = w.o["schema"]
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    data = dict(CUPTI_ACTIVITY_KIND_KERNEL=w.kernels, CUPTI_ACTIVITY_KIND_MEMCPY=w.copies,
                CUPTI_ACTIVITY_KIND_MEMSET=w.fills, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION=w.syncs,
                CUPTI_ACTIVITY_KIND_GRAPH_TRACE=w.graphs, CUPTI_ACTIVITY_KIND_RUNTIME=w.calls, NVTX_EVENTS=w.nvtx)
    for table, names in columns(schema).items():
        if data[table]:  # tables are made when they get their first row
            write_table(db, table, names, [[r.get(c) for c in names] for r in data[table]])
    db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
    db.executemany("INSERT INTO StringIds VALUES (?,?)", [(i, s) for s, i in w.strings.items()])
    write_table(db, "TARGET_INFO_GPU", ["vmId", "id", "name", "smCount", "cuDevice"],
                [(VM, d, "NVIDIA H100 80GB HBM3", 132, d) for d in range(w.o["gpus"])])
    write_table(db, "TARGET_INFO_SESSION_START_TIME", ["utcEpochNs", "utcTime"], [(1700000000000000000, 0)])
    if schema != "2021":
        write_table(db, "ENUM_CUDA_MEMCPY_OPER", ["id", "name", "label"], [(i, x, x) for i, x in enumerate(COPY_LABELS)])
        write_table(db, "ENUM_CUPTI_SYNC_TYPE", ["id", "name", "label"], [(i, x, x) for i, x in enumerate(SYNC_LABELS)])
        meta = [("EXPORT_SCHEMA_VERSION", schema)] + [("EXPORT_SCHEMA_VERSION_" + p, x) for p, x in
                                                      zip(("MAJOR", "MINOR", "MICRO"), schema.split("."))]
        write_table(db, "META_DATA_EXPORT" if version(schema) >= (3, 4) else "EXPORT_META_DATA", ["name", "value"], meta)
    db.commit()
    db.close()


# ---------------------------------------------------------------- brute force

def figures(values):
    v = sorted(values)
    n, total = len(v), sum(v)
    mean = total / n
    median = v[n // 2] if n % 2 else (v[n // 2 - 1] + v[n // 2]) / 2
    deviation = math.sqrt(sum((x - mean) ** 2 for x in v) / (n - 1)) if n > 1 else 0.0
    return dict(total=total, n=n, avg=round(mean, 1), med=round(float(median), 1), min=v[0], max=v[-1],
                stddev=round(deviation, 1))


def grouped(pairs):
    d = {}
    for key, x in pairs:
        d.setdefault(key, []).append(x)
    return d


def sum_table(pairs, key="name"):
    groups = grouped(pairs)
    total = sum(sum(v) for v in groups.values())
    rows = [dict(figures(v), pct=round(100.0 * sum(v) / total, 1) if total else 0.0, **{key: k}) for k, v in groups.items()]
    return sorted(rows, key=lambda r: (-r["total"], r["n"], r[key]))


def api_name(name):
    return name[:-6] if name[-6:-4] == "_v" else name


def pid(g):
    return g >> 24 & 0xffffff


def tid(g):
    return g & 0xffffff


def style(n):
    return "PushPop" if n["eventType"] in (59, 70) else "StartEnd"


class Oracle:
    def __init__(self, w):
        self.w = w
        self.domains = {(n["domainId"], pid(n["globalTid"])): n["label"] for n in w.nvtx if n["eventType"] == 75}
        ranges = [n for n in w.nvtx if n["eventType"] in RANGE_TYPES]
        self.latest = max((max(n["start"], n["end"] or n["start"]) for n in ranges), default=0)
        self.ops = [("k", k) for k in w.kernels] + [("m", c) for c in w.copies + w.fills]
        self.call_of = {(r["globalTid"] & ~0xffffff, r["correlationId"]): r for r in w.calls}
        self.ranges = [dict(id=n["rowid"], s=n["start"], e=self.end(n), tid=n["globalTid"], name=self.label(n), style=style(n))
                       for n in ranges if n["endGlobalTid"] is None]
        self.nest()
        for x in self.ranges:
            x["ops"] = [(t, o, self.call(o)) for t, o in self.ops if self.launched_in(o, x)]
            x["graphs"] = [g for g in w.graphs if self.launched_in(g, x)]
        self.projected = [x for x in self.ranges if x["ops"]]

    def end(self, n):
        return self.latest if n["end"] is None else n["end"]

    def label(self, n):
        domain = self.domains.get((n["domainId"], pid(n["globalTid"])))
        if version(self.w.o["schema"]) >= (3, 16):
            return (domain or "") + ":" + n["label"]
        return domain + ":" + n["label"] if domain else n["label"]

    def call(self, op):
        return self.call_of.get((op["globalPid"], op["correlationId"]))

    def launched_in(self, op, x):
        r = self.call(op)
        return r is not None and r["globalTid"] == x["tid"] and r["start"] >= x["s"] and r["end"] <= x["e"]

    def nest(self):
        """Parent: the shortest other range of the thread around it; of equal limits the earlier row is the parent."""
        for x in self.ranges:
            around = [p for p in self.ranges if p is not x and p["tid"] == x["tid"] and p["s"] <= x["s"] and p["e"] >= x["e"]
                      and not (p["s"] == x["s"] and p["e"] == x["e"] and p["id"] > x["id"])]
            x["parent"] = min(around, key=lambda p: (p["e"] - p["s"], -p["id"])) if around else None

    def stack(self, x):
        return (self.stack(x["parent"]) if x["parent"] else []) + [x["id"]]

    def projection(self):
        rows = []
        for x in self.projected:
            start, end = min(o["start"] for _, o, _ in x["ops"]), max(o["end"] for _, o, _ in x["ops"])
            stack = self.stack(x)
            rows.append(dict(Name=x["name"], ProjStart=start, ProjDur=end - start, OrigStart=x["s"], OrigDur=x["e"] - x["s"],
                             Style=x["style"], PID=pid(x["tid"]), TID=tid(x["tid"]),
                             NumGPUOps=len({r["correlationId"] for _, _, r in x["ops"]}), Lvl=len(stack) - 1,
                             NumChild=sum(y["parent"] is x for y in self.projected), RangeId=x["id"],
                             ParentId=x["parent"]["id"] if x["parent"] else None,
                             RangeStack="".join(":%d" % i for i in stack)))
        return sorted(rows, key=lambda r: r["RangeId"])

    def projection_sum(self, rows):
        out = []
        for (name, kind), v in sorted(grouped(((r["Name"], r["Style"]), r) for r in rows).items()):
            n = len(v)
            out.append(dict(figures([r["ProjDur"] for r in v]), name=name, style=kind,
                            total_range=sum(r["OrigDur"] for r in v), total_gpu_ops=sum(r["NumGPUOps"] for r in v),
                            avg_gpu_ops=round(sum(r["NumGPUOps"] for r in v) / n, 1),
                            avg_lvl=round(sum(r["Lvl"] for r in v) / n, 1),
                            avg_num_child=round(sum(r["NumChild"] for r in v) / n, 1)))
        return out

    def kernels_of_ranges(self):
        pairs = [((x["name"], pid(x["tid"]), tid(x["tid"]), x["style"], o["name"]), (x["id"], o["end"] - o["start"]))
                 for x in self.projected for t, o, _ in x["ops"] if t == "k"]
        return [dict(figures([d for _, d in v]), range=k[0], pid=k[1], tid=k[2], style=k[3], kernel=k[4],
                     nvtx_inst=len({i for i, _ in v})) for k, v in sorted(grouped(pairs).items())]

    def launches(self):
        pairs = []
        for k in self.w.kernels:
            r = self.call(k)
            if r:
                key = (pid(r["globalTid"]), tid(r["globalTid"]), k["deviceId"], api_name(r["name"]), k["name"])
                pairs.append((key, (k, r)))
        out = []
        for key, v in sorted(grouped(pairs).items()):
            queue = [k["start"] - r["end"] for k, r in v if k["start"] >= r["end"]]
            out.append(dict(zip(("pid", "tid", "dev", "api", "kernel"), key), count=len(v), qcount=len(queue),
                            T=figures([max(r["end"], k["end"]) - r["start"] for k, r in v]),
                            A=figures([r["end"] - r["start"] for _, r in v]), Q=figures(queue) if queue else None,
                            K=figures([k["end"] - k["start"] for k, _ in v])))
        return out

    def by_device(self):
        d = defaultdict(list)
        for t, o in self.ops + [("g", g) for g in self.w.graphs]:
            kind = "mem" if t == "m" else "nccl" if t == "k" and "nccl" in o["name"].lower() else "compute"
            d[o["deviceId"]].append((o["start"], o["end"], kind))
        return d

    def device_iterations(self, tag):
        """Every stretch between two event limits is looked at by itself: which kinds of work cover it?"""
        out, by_device = [], self.by_device()
        for x in (x for x in self.projected if x["name"] == tag):
            own = [o for _, o, _ in x["ops"]] + x["graphs"]
            for dev in sorted({o["deviceId"] for o in own}):
                lo = min(o["start"] for o in own if o["deviceId"] == dev)
                hi = max(o["end"] for o in own if o["deviceId"] == dev)
                cuts = sorted({min(max(t, lo), hi) for s, e, _ in by_device[dev] for t in (s, e)} | {lo, hi})
                time = defaultdict(int)
                for p, q in zip(cuts, cuts[1:]):
                    time[frozenset(k for s, e, k in by_device[dev] if s <= p and e >= q)] += q - p
                total = lambda test: sum(t for kinds, t in time.items() if test(kinds))
                out.append(dict(range_id=x["id"], device=dev, window_start=lo, window_ns=hi - lo, host_ns=x["e"] - x["s"],
                                compute_union=total(lambda k: "compute" in k), nccl_union=total(lambda k: "nccl" in k),
                                mem_union=total(lambda k: "mem" in k), compute_and_nccl=total(lambda k: {"compute", "nccl"} <= k),
                                nccl_exposed_vs_compute=total(lambda k: "nccl" in k and "compute" not in k),
                                mem_exposed=total(lambda k: k == {"mem"}), busy=total(bool), idle=total(lambda k: not k)))
        return out

    def gaps(self):
        out = []
        for dev, events in sorted(self.by_device().items()):
            events.sort()
            end = events[0][1]
            for s, e, _ in events[1:]:
                if s > end:
                    out.append(dict(device=dev, start=end, dur=s - end))
                end = max(end, e)
        return sorted(out, key=lambda g: (-g["dur"], g["device"], g["start"]))

    def everything(self):
        w, length = self.w, lambda r: r["end"] - r["start"]
        labels = OLD_COPY_LABELS if w.o["schema"] == "2021" else ["memcpy " + x for x in COPY_LABELS]
        copy_name = lambda c: "[CUDA %s]" % labels[c["copyKind"]]
        proj, tag = self.projection(), DOMAIN + ":" + TAG
        return dict(
            tag=tag,
            kern_sum=sum_table([(k["name"], length(k)) for k in w.kernels]),
            mem_time_sum=sum_table([(copy_name(c), length(c)) for c in w.copies] +
                                   [("[CUDA memset]", length(s)) for s in w.fills]),
            mem_size_sum=sum_table([(copy_name(c), c["bytes"]) for c in w.copies] +
                                   [("[CUDA memset]", s["bytes"]) for s in w.fills]),
            api_sum=sum_table([(api_name(r["name"]), length(r)) for r in w.calls]),
            nvtx_sum=sum_table([(self.label(n) + "|" + style(n), self.end(n) - n["start"]) for n in w.nvtx
                                if n["eventType"] in RANGE_TYPES], "name_style"),
            nvtx_gpu_proj_trace=proj, nvtx_gpu_proj_sum=self.projection_sum(proj),
            nvtx_kern_sum=self.kernels_of_ranges(), kern_exec_sum=self.launches(),
            device_iterations=self.device_iterations(tag), gpu_gaps=self.gaps(),
            counts=dict(kernels=len(w.kernels), copies=len(w.copies), fills=len(w.fills), graphs=len(w.graphs),
                        calls=len(w.calls), annotations=len(w.nvtx)))


# ---------------------------------------------------------------- the CSVs of nsys stats

def write_csv(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(head)
        out.writerows([["" if x is None else x for x in r] for r in rows])


def write_csvs(e, prefix):
    stats = ["avg", "med", "min", "max", "stddev"]
    titles = ["Time (%)", "Total Time (ns)", "Instances"] + [s + " (ns)" for s in ("Avg", "Med", "Min", "Max", "StdDev")]
    row = lambda r: [r["pct"], r["total"], r["n"]] + [r[s] for s in stats] + [r["name"]]
    write_csv(prefix + "_cuda_gpu_kern_sum.csv", titles + ["Name"], [row(r) for r in e["kern_sum"]])
    write_csv(prefix + "_cuda_gpu_mem_time_sum.csv", titles[:2] + ["Count"] + titles[3:] + ["Operation"],
              [row(r) for r in e["mem_time_sum"]])
    head = {"Name": "Name", "ProjStart": "Projected Start (ns)", "ProjDur": "Projected Duration (ns)",
            "OrigStart": "Orig Start (ns)", "OrigDur": "Orig Duration (ns)"}
    keys = ["Name", "ProjStart", "ProjDur", "OrigStart", "OrigDur", "Style", "PID", "TID", "NumGPUOps", "Lvl", "NumChild",
            "RangeId", "ParentId", "RangeStack"]
    write_csv(prefix + "_nvtx_gpu_proj_trace.csv", [head.get(k, k) for k in keys],
              [[r[k] for k in keys] for r in e["nvtx_gpu_proj_trace"]])


def main():
    args = sys.argv[1:]
    if args == ["--list"]:
        print("\n".join(SETS))
        return 0
    if not args or args[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    os.makedirs(args[0], exist_ok=True)
    for name in args[1:] or SETS:
        w = build(dict(DEFAULTS, **SETS[name]))
        prefix = os.path.join(args[0], name)
        write_db(w, prefix + ".sqlite")
        e = Oracle(w).everything()
        with open(prefix + ".expected.json", "w", encoding="utf-8") as f:
            json.dump(e, f, indent=1)
        write_csvs(e, prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
