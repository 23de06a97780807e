#!/usr/bin/env python3
"""Write the same few kernel launches, with known grids, in the forms of several profilers.

    make_launches.py DIR

DIR/pytorch.json, nsys.sqlite, nsys_cuda_gpu_trace.csv, jax.xplane.pb, rocprof_kernel_trace.csv. Names are short, and sizes
of shared memory are multiples of 1000, so that no form shortens or rounds them.
"""
import csv
import json
import os
import sqlite3
import sys

from make_xplane_example import Plane, space

# name, grid in blocks, block, registers, static and dynamic shared memory, start, duration (ns); the same total with another share
# of static memory is one row of the table
LAUNCHES = [
    ("gemm_tile", (128, 4, 2), (256, 1, 1), 128, 0, 48000, 1000, 700),
    ("gemm_tile", (128, 4, 2), (256, 1, 1), 128, 0, 48000, 3000, 900),
    ("gemm_tile", (128, 4, 2), (256, 1, 1), 128, 16000, 32000, 5000, 800),
    ("gemm_tile", (64, 4, 2), (256, 1, 1), 128, 0, 48000, 7000, 410),
    ("gemm_tile", (64, 4, 2), (128, 2, 1), 128, 0, 48000, 8000, 405),
    ("gemm_tile", (64, 4, 2), (128, 2, 1), 96, 0, 48000, 9000, 404),
    ("softmax_row", (1000, 1, 1), (1024, 1, 1), 40, 1000, 0, 10000, 333),
    ("softmax_row", (1000, 1, 1), (1024, 1, 1), 40, 1000, 0, 11000, 334),
    ("tail_kernel", (1, 1, 1), (32, 1, 1), 16, 0, 0, 12000, 50),
]


def pytorch(path):
    events = []
    for i, (name, grid, block, regs, static, dynamic, start, dur) in enumerate(LAUNCHES):
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start / 1000, "dur": dur / 1000,
                       "args": {"device": 0, "stream": 7, "correlation": i + 1, "registers per thread": regs,
                                "shared memory": static + dynamic, "grid": list(grid), "block": list(block)}})
    with open(path, "w") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def nsys_sqlite(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
               "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, "
               "registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, "
               "blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER)")
    names = sorted({k[0] for k in LAUNCHES})
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", list(enumerate(names, 1)))
    for i, (name, grid, block, regs, static, dynamic, start, dur) in enumerate(LAUNCHES):
        n = names.index(name) + 1
        row = (start, start + dur, 0, 1, 7, i + 1, 1 << 24, n, n, regs) + grid + block + (static, dynamic)
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%s)" % ", ".join("?" * len(row)), row)
    db.commit()
    db.close()


def nsys_csv(path):
    head = ("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
            "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name")
    with open(path, "w") as f:
        f.write(head + "\n")
        for i, (name, grid, block, regs, static, dynamic, start, dur) in enumerate(LAUNCHES):
            sizes = ["%.3f" % (x / 1e6) for x in (static, dynamic)]
            f.write(",".join(map(str, (start, dur, i + 1) + grid + block + (regs,))) + "," + ",".join(sizes) +
                    ",,,,,NVIDIA H100 (0),1,7,%s\n" % name)


def xplane(path):
    p = Plane("/device:GPU:0")
    events = []
    for i, (name, grid, block, regs, static, dynamic, start, dur) in enumerate(LAUNCHES):
        details = "regs:%d static_shared:%d dynamic_shared:%d grid:%d,%d,%d block:%d,%d,%d occ_pct:50" % (
            (regs, static, dynamic) + grid + block)
        events.append(p.event(p.meta(name), start * 1000, dur * 1000, correlation_id=i + 1, kernel_details=details))
    p.line(7, "Stream #7(Kernel)", 0, events)
    with open(path, "wb") as f:
        f.write(space([p], "alpha"))


def rocprof(path):
    """Grids in work-items; one allocation of local memory."""
    head = ["Kind", "Agent_Id", "Queue_Id", "Stream_Id", "Thread_Id", "Dispatch_Id", "Kernel_Id", "Kernel_Name",
            "Correlation_Id", "Start_Timestamp", "End_Timestamp", "LDS_Block_Size", "Scratch_Size", "VGPR_Count",
            "Accum_VGPR_Count", "SGPR_Count", "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z", "Grid_Size_X",
            "Grid_Size_Y", "Grid_Size_Z"]
    with open(path, "w", newline="") as f:
        w = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC)
        w.writerow(head)
        for i, (name, grid, block, regs, static, dynamic, start, dur) in enumerate(LAUNCHES):
            items = tuple(g * b for g, b in zip(grid, block))
            w.writerow(("KERNEL_DISPATCH", "Agent 1", 1, 1, 10, i + 1, 1, name, i + 1, start, start + dur, static + dynamic, 0,
                        regs - 8, 8, 32) + block + items)


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for name, write in (("pytorch.json", pytorch), ("nsys.sqlite", nsys_sqlite), ("nsys_cuda_gpu_trace.csv", nsys_csv),
                        ("jax.xplane.pb", xplane), ("rocprof_kernel_trace.csv", rocprof)):
        write(os.path.join(out, name))


if __name__ == "__main__":
    main()
