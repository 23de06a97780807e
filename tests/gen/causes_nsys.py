#!/usr/bin/env python3
"""The traces of make_causes.py as exports of Nsight Systems: kernels, copies, calls and ranges; operators and shapes are lost.

    causes_nsys.save(trace, path)
"""
import os
import sqlite3

import make_nsys_sqlite as nsys

SCHEMA, VM, PROCESS = "3.16.1", 0, 4242
GLOBAL_PID = PROCESS << 24
KINDS = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
MEMORY = {"Pageable": 0, "Pinned": 1, "Device": 2, "Host": 1}


def ns(us):
    return round(us * 1000)


def copy_row(name, row, size):
    words = name.replace("(", "").replace(")", "").split()  # Memcpy HtoD (Pageable -> Device)
    row.update(bytes=size, copyKind=KINDS[words[1]], srcKind=MEMORY[words[2]], dstKind=MEMORY[words[4]])
    return row


def save(trace, path):
    columns = dict(nsys.columns(SCHEMA), OSRT_API=["start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"])
    strings, tables = {}, {t: [] for t in columns}

    def string(text):
        return strings.setdefault(text, len(strings) + 1)

    for e in trace["traceEvents"]:
        start, end, a = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["args"]
        thread = GLOBAL_PID | e["tid"] if isinstance(e["tid"], int) else GLOBAL_PID
        device = {"start": start, "end": end, "deviceId": a.get("device"), "contextId": 1, "streamId": a.get("stream"),
                  "correlationId": a.get("correlation"), "globalPid": GLOBAL_PID}
        if e["cat"] == "kernel":
            device.update(demangledName=string(e["name"]), shortName=string(e["name"].split("(")[0].split("<")[0]), gridX=128, gridY=1, gridZ=1,
                          blockX=256, blockY=1, blockZ=1)
            tables["CUPTI_ACTIVITY_KIND_KERNEL"].append(device)
        elif e["cat"] == "gpu_memcpy":
            tables["CUPTI_ACTIVITY_KIND_MEMCPY"].append(copy_row(e["name"], device, a["bytes"]))
        elif e["cat"] == "cuda_runtime":
            tables["CUPTI_ACTIVITY_KIND_RUNTIME"].append({"start": start, "end": end, "eventClass": 0, "globalTid": thread, "returnValue": 0,
                                                          "correlationId": a.get("correlation"), "nameId": string(e["name"] + "_v3020")})
        elif e["cat"] == "os_runtime":
            tables["OSRT_API"].append({"start": start, "end": end, "eventClass": 27, "globalTid": thread, "returnValue": 0, "nameId": string(e["name"])})
        elif e["cat"] == "user_annotation" or "DataLoader" in e["name"]:
            tables["NVTX_EVENTS"].append({"start": start, "end": end, "eventType": 59, "text": e["name"], "globalTid": thread, "domainId": 0})
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    for table, names in columns.items():
        if tables[table]:
            nsys.write_table(db, table, names, [[r.get(c) for c in names] for r in tables[table]])
    nsys.write_table(db, "StringIds", ["id", "value"], [(i, s) for s, i in strings.items()])
    nsys.write_table(db, "TARGET_INFO_GPU", ["vmId", "id", "name", "smCount", "cuDevice"],
                     [(VM, d["id"], d["name"], 132, d["id"]) for d in trace["deviceProperties"]])
    nsys.write_table(db, "META_DATA_EXPORT", ["name", "value"], [("EXPORT_SCHEMA_VERSION", SCHEMA)] + [
        ("EXPORT_SCHEMA_VERSION_" + p, x) for p, x in zip(("MAJOR", "MINOR", "MICRO"), SCHEMA.split("."))])
    db.commit()
    db.close()
