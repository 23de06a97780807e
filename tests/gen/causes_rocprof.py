#!/usr/bin/env python3
"""The traces of make_causes.py as result JSONs of rocprofv3: dispatches, copies, calls and marks; operators and shapes are lost.

    causes_rocprof.save(trace, path)
"""
import json

CPU, GPU = 9000, 9001  # handles of agents; devices count on
COPIES = ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"]
DIRECTION = {"HtoD": 2, "DtoH": 3, "DtoD": 4}
HIP, MARK, COPY, KERNEL = 1, 2, 3, 4


def ns(us):
    return round(us * 1000)


def agent(handle, number, kind, product):
    return {"size": 312, "id": {"handle": handle}, "type": kind, "name": "gfx942" if kind == 2 else product, "product_name": product,
            "cu_count": 304, "node_id": number, "logical_node_id": number, "mem_banks": [{"heap_type": 1, "size_in_bytes": 1 << 37}]}


def save(trace, path):
    names, calls, marks = {}, ["HIP_NONE"], []
    out = {"kernel_dispatch": [], "hip_api": [], "hsa_api": [], "marker_api": [], "rccl_api": [], "memory_copy": [], "memory_allocation": [], "scratch_memory": []}

    for e in trace["traceEvents"]:
        a = e["args"]
        row = {"start_timestamp": ns(e["ts"]), "end_timestamp": ns(e["ts"]) + ns(e["dur"]), "thread_id": 4711,
               "correlation_id": {"internal": a.get("correlation", 0), "external": 0, "ancestor": 0}}
        if e["cat"] == "kernel":
            number = names.setdefault(e["name"], len(names) + 1)
            xyz = {"x": 65536, "y": 1, "z": 1}
            out["kernel_dispatch"].append(dict(row, size=184, kind=KERNEL, operation=2, stream_id={"handle": a["stream"]}, dispatch_info={
                "size": 72, "agent_id": {"handle": GPU + a["device"]}, "queue_id": {"handle": a["stream"]}, "kernel_id": number,
                "dispatch_id": len(out["kernel_dispatch"]) + 1, "private_segment_size": 0, "group_segment_size": 0,
                "workgroup_size": {"x": 256, "y": 1, "z": 1}, "grid_size": xyz}))
        elif e["cat"] == "gpu_memcpy":
            way = e["name"].split()[1]
            device = {"handle": GPU + a["device"]}
            out["memory_copy"].append(dict(row, size=88, kind=COPY, operation=DIRECTION[way], bytes=a["bytes"], stream_id={"handle": a["stream"]},
                                           src_agent_id={"handle": CPU} if way[0] == "H" else device,
                                           dst_agent_id={"handle": CPU} if way[-1] == "H" else device))
        elif e["cat"] == "cuda_runtime":
            if e["name"] not in calls:
                calls.append(e["name"])
            out["hip_api"].append(dict(row, size=0, kind=HIP, operation=calls.index(e["name"]), stream_id={"handle": 0}))
        elif e["cat"] == "user_annotation" or "DataLoader" in e["name"]:
            key = 10 ** 7 + len(marks)
            marks.append({"key": key, "value": e["name"]})
            row["correlation_id"] = {"internal": key, "external": 0, "ancestor": 0}
            out["marker_api"].append(dict(row, size=0, kind=MARK, operation=1))
    strings = [("NONE", []), ("HIP_RUNTIME_API_EXT", calls), ("MARKER_CORE_RANGE_API", ["MARKER_NONE", "roctxThreadRangeA"]),
               ("MEMORY_COPY", COPIES), ("KERNEL_DISPATCH", ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"])]
    times = [t for r in out.values() for e in r for t in (e["start_timestamp"], e["end_timestamp"])]
    symbols = [{"size": 0, "kernel_id": 0, "code_object_id": 0, "kernel_name": "", "formatted_kernel_name": "0", "demangled_kernel_name": "0",
                "truncated_kernel_name": "0"}]
    symbols += [dict(symbols[0], kernel_id=i, code_object_id=1, kernel_name=n + ".kd", formatted_kernel_name=n, demangled_kernel_name=n,
                     truncated_kernel_name=n.split("(")[0].split("<")[0]) for n, i in names.items()]
    process = {"metadata": {"node": {"id": 0, "hostname": "example-host"}, "pid": 4711, "init_time": min(times) - 1000, "fini_time": max(times) + 1000,
                            "command": ["./train"], "config": {}},
               "agents": [agent(CPU, 0, 1, "Example CPU")] + [agent(GPU + d["id"], 1 + d["id"], 2, d["name"]) for d in trace["deviceProperties"]],
               "counters": [], "code_objects": [], "kernel_symbols": symbols, "host_functions": [], "summary": [],
               "strings": {"callback_records": [], "buffer_records": [{"kind": k, "operations": o} for k, o in strings], "marker_api": marks,
                           "correlation_id": {"external": []}, "counters": {"dimension_ids": []}},
               "callback_records": {"counter_collection": []}, "buffer_records": out}
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"rocprofiler-sdk-tool": [process]}, f)
