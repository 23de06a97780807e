#!/usr/bin/env python3
"""Write a trace of make_ties.py as an Nsight Systems SQLite export: operators and annotations are NVTX ranges.

    make_ties_nsys.py IN.json OUT.sqlite
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_nsys_sqlite import VM, World, write_db  # noqa: E402

KINDS = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
PROCESS = VM | 9 << 24
THREAD = PROCESS | 9


def add(w, e):
    start, end, args = 1000 * e["ts"], 1000 * (e["ts"] + e["dur"]), e["args"]
    if e["cat"] == "cuda_runtime":
        w.calls.append(dict(start=start, end=end, eventClass=0, globalTid=THREAD, correlationId=args["correlation"],
                            nameId=w.string(e["name"] + "_v3020"), name=e["name"], returnValue=0))
    elif e["cat"] in ("cpu_op", "user_annotation"):
        w.annotation(start, end, THREAD, e["name"])
    else:
        row = dict(start=start, end=end, deviceId=args["device"], contextId=1, greenContextId=0, streamId=args["stream"],
                   correlationId=args["correlation"], globalPid=PROCESS)
        if e["cat"] == "kernel":
            short = e["name"].split("(")[0].split("<")[0].split("::")[-1]
            w.kernels.append(dict(row, demangledName=w.string(e["name"]), shortName=w.string(short), mangledName=w.string("_Z" + short),
                                  registersPerThread=32, gridX=args["grid"][0], gridY=1, gridZ=1, blockX=args["block"][0], blockY=1,
                                  blockZ=1, staticSharedMemory=0, dynamicSharedMemory=0, localMemoryPerThread=0,
                                  localMemoryTotal=0, gridId=len(w.kernels) + 1))
        elif e["cat"] == "gpu_memcpy":
            kind = KINDS[e["name"].split()[1]]
            w.copies.append(dict(row, bytes=args["bytes"], copyKind=kind, srcKind=1 if kind == 1 else 2, dstKind=0 if kind == 2 else 2))
        else:
            w.fills.append(dict(row, bytes=args["bytes"], value=0, memKind=2))


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    w = World({"seed": 1, "schema": "3.16.1", "gpus": 2, "text": False})
    for e in events:
        if e["ph"] == "X":
            add(w, e)
    for rows in (w.kernels, w.copies, w.fills, w.calls, w.nvtx):
        rows.sort(key=lambda r: r["start"])
    write_db(w, sys.argv[2])


if __name__ == "__main__":
    main()
