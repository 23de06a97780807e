#!/usr/bin/env python3
"""Write one made-up workload the way rocprofv3 writes it: results JSON, CSV set, rocpd database, Perfetto trace (protobuf,
encoded here by hand, and the JSON of traceconv). The same facts in all of them, as far as a format can hold them; so every
report of them must agree. Standard library only; the same bytes on every run.

    make_rocprof_examples.py DIR [--steps N] [--prefix NAME] [--only json|csv|rocpd|pftrace|traceconv]
"""
import argparse
import csv
import json
import os
import random
import sqlite3
import struct
import zlib

PID = 4711
THREADS = (4711, 4712)
T0 = 71000000000000
GUID = "0000abcd-0001-7001-8001-00000000beef"

# (short name, formatted name, mangled, LDS, scratch, VGPR, AGPR, SGPR, ns, grid, block)
KERNELS = [
    ("Cijk_Ailk_Bljk_HB_MT64x64x32", "Cijk_Ailk_Bljk_HB_MT64x64x32", "Cijk_Ailk_Bljk_HB_MT64x64x32.kd", 16384, 0, 128, 0, 96, 42000, (16384, 4, 1), (256, 1, 1)),
    ("elementwise_kernel", "void at::native::elementwise_kernel<128, 4, at::native::add_op(int, float)::{lambda(int)#1}>(int, float*)", "_ZN2at6native18elementwise_kernelILi128EEEvi.kd", 0, 0, 24, 0, 32, 4200, (65536, 1, 1), (128, 1, 1)),
    ("reduce_kernel", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, (anonymous namespace)::Sum> >(at::native::ReduceOp<float, (anonymous namespace)::Sum>)", "_ZN2at6native13reduce_kernelEv.kd", 2048, 0, 48, 0, 64, 7300, (4096, 1, 1), (512, 1, 1)),
    ("layer_norm_kernel", "void layer_norm_kernel<float>(int, float const*, float*)", "_Z17layer_norm_kernelIfEviPKfPf.kd", 512, 64, 32, 8, 48, 9100, (8192, 1, 1), (64, 4, 1)),
    ("fmha_fwd_d128", "fmha_fwd_d128", "fmha_fwd_d128.kd", 65536, 0, 256, 128, 102, 31000, (2048, 8, 2), (256, 1, 1)),
    ("ncclDevKernel_Generic_1", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "_Z23ncclDevKernel_Generic_124ncclDevKernelArgsStorageILm4096EE.kd", 32768, 0, 96, 0, 112, 55000, (14336, 1, 1), (256, 1, 1)),
    ("__amd_rocclr_fillBufferAligned", "__amd_rocclr_fillBufferAligned", "__amd_rocclr_fillBufferAligned.kd", 0, 0, 12, 0, 32, 1900, (512, 1, 1), (256, 1, 1)),
]
AGENTS = [(9000, 1, "Example CPU", "Example CPU"), (9001, 2, "gfx942", "Example Accelerator"), (9002, 2, "gfx942", "Example Accelerator")]
STRINGS = [
    ("NONE", []), ("HSA_CORE_API", ["hsa_init", "hsa_queue_create"]), ("HIP_RUNTIME_API_EXT", ["HIP_NONE", "hipLaunchKernel", "hipMemcpyAsync", "hipMalloc"]),
    ("MARKER_CORE_RANGE_API", ["MARKER_NONE", "roctxThreadRangeA", "roctxMarkA"]), ("MEMORY_COPY", ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"]),
    ("KERNEL_DISPATCH", ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"]), ("MEMORY_ALLOCATION", ["MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_VMEM_ALLOCATE", "MEMORY_ALLOCATION_FREE"]),
    ("SCRATCH_MEMORY", ["SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE"]), ("RCCL_API", ["RCCL_NONE", "ncclAllReduce"]),
]
HSA, HIP, MARK, COPY, KERNEL, ALLOC, SCRATCH, RCCL = range(1, 9)
COUNTERS = [(101, "SQ_WAVES"), (102, "TCC_HIT_sum")]


class Workload:
    def __init__(self, steps):
        rnd = random.Random(5)
        self.kernels, self.copies, self.calls, self.marks, self.allocs, self.scratch, self.counters = [], [], [], [], [], [], []
        self.text = {}
        corr = 0
        t = T0 + 5000000
        for gpu in (1, 2):
            corr += 1
            self.calls.append(dict(kind=HIP, op=3, corr=corr, start=t, end=t + 800, tid=THREADS[0], stream=0))
            self.allocs.append(dict(op=1, corr=corr, start=t + 100, end=t + 700, tid=THREADS[0], agent=gpu, address=0xffff800000000000 + gpu * 4096, size=1 << 20))
            t += 1000
        self.scratch.append(dict(op=1, start=t, end=t + 5000, tid=THREADS[0], agent=1, queue=3, size=65536))
        free = {1: t, 2: t}
        for step in range(steps):
            begin = t
            for i, k in enumerate(KERNELS):
                for gpu in (1, 2):
                    corr += 1
                    tid = THREADS[gpu - 1]
                    api = 1500 + rnd.randrange(400)
                    self.calls.append(dict(kind=HIP, op=1, corr=corr, start=t, end=t + api, tid=tid, stream=gpu * 10))
                    if i == 5 and gpu == 1:
                        self.calls.append(dict(kind=RCCL, op=1, corr=100000 + corr, start=t - 200, end=t + api + 300, tid=tid, stream=0))
                    # communication runs beside computation on a stream of its own
                    start = max(free[gpu], t + api + 900 + rnd.randrange(300)) if i != 5 else t + api + 700
                    end = start + k[8] + rnd.randrange(k[8] // 7)
                    n = len(self.kernels) + 1
                    self.kernels.append(dict(kernel=i, corr=corr, start=start, end=end, tid=tid, agent=gpu, queue=2 + gpu, stream=gpu * 10 + (i == 5), dispatch=n))
                    for c, (handle, _) in enumerate(COUNTERS):
                        if i < 2:
                            self.counters.append(dict(dispatch=n, counter=handle, values=[64 * (c + 1), 32 + n % 3]))
                    if i != 5:
                        free[gpu] = end + 400
                    t += api + 300
            for direction, src, dst in ((2, 0, 1), (3, 2, 0), (4, 1, 2)):
                corr += 1
                size = 4096 * (1 + (step + direction) % 5)
                self.calls.append(dict(kind=HIP, op=2, corr=corr, start=t, end=t + 2100, tid=THREADS[0], stream=0))
                self.copies.append(dict(op=direction, corr=corr, start=t + 2600, end=t + 2600 + size // 20 + 700, tid=THREADS[0], src=src, dst=dst, size=size, stream=0))
                t += 2500
            for name, a, b in (("step %d" % step if step < 2 else "step", begin - 300, t + 300), ("forward", begin - 200, begin + (t - begin) * 2 // 3)):
                corr += 1
                self.marks.append(dict(op=1, corr=corr, start=a, end=b, tid=THREADS[0], text=name))
            corr += 1
            self.marks.append(dict(op=2, corr=corr, start=begin - 250, end=begin - 250, tid=THREADS[0], text="begin \u00e9tape"))
            t = max(t, free[1], free[2]) + 3000
        self.init, self.fini = T0, t + 4000000
        rnd.shuffle(self.kernels)  # records come in the order in which they were flushed


def api_rows(w):
    return w.calls


# ---- results JSON
def write_json(w, path):
    handle = {i: AGENTS[i][0] for i in range(3)}
    corr = lambda e: {"internal": e.get("corr", 0), "external": 0}
    xyz = lambda v: dict(zip("xyz", v))

    def dispatch(e):
        k = KERNELS[e["kernel"]]
        return {"size": 72, "agent_id": {"handle": handle[e["agent"]]}, "queue_id": {"handle": e["queue"]}, "kernel_id": e["kernel"] + 1,
                "dispatch_id": e["dispatch"], "private_segment_size": k[4], "group_segment_size": k[3], "workgroup_size": xyz(k[10]), "grid_size": xyz(k[9])}

    def times(e):
        return {"start_timestamp": e["start"], "end_timestamp": e["end"]}

    def call(e):
        r = {"size": 0, "kind": e["kind"], "operation": e["op"], "correlation_id": dict(corr(e), ancestor=0), **times(e), "thread_id": e["tid"]}
        return dict(r, stream_id={"handle": e["stream"]}) if e["kind"] == HIP else r

    by_dispatch = {e["dispatch"]: e for e in w.kernels}
    counted = {}
    for c in w.counters:
        counted.setdefault(c["dispatch"], []).extend({"counter_id": {"handle": c["counter"]}, "value": float(v)} for v in c["values"])
    process = {
        "metadata": {"node": {"id": 0, "hash": 1, "machine_id": "0" * 32, "system_name": "Linux", "hostname": "example-host", "release": "6.1.0", "version": "#1", "hardware_name": "x86_64", "domain_name": "(none)"},
                     "pid": PID, "init_time": w.init, "fini_time": w.fini, "command": ["./train", "--config", "a b.json"], "config": {"kernel_rename": False, "group_by_queue": False}},
        "agents": [{"size": 312, "id": {"handle": h}, "type": kind, "name": name, "product_name": product, "cu_count": 304 if kind == 2 else 64, "node_id": i, "logical_node_id": i,
                    "mem_banks": [{"heap_type": 1, "size_in_bytes": 206141652992}] if kind == 2 else []} for i, (h, kind, name, product) in enumerate(AGENTS)],
        "counters": [{"id": {"handle": h}, "name": n, "description": "", "is_constant": 0} for h, n in COUNTERS],
        "strings": {"callback_records": [], "buffer_records": [{"kind": k, "operations": o} for k, o in STRINGS], "marker_api": [{"key": m["corr"], "value": m["text"]} for m in w.marks],
                    "correlation_id": {"external": []}, "counters": {"dimension_ids": []}},
        "code_objects": [{"size": 0, "code_object_id": 0, "agent_id": {"handle": 0}, "uri": ""}],
        "kernel_symbols": [{"size": 0, "kernel_id": 0, "code_object_id": 0, "kernel_name": "", "formatted_kernel_name": "0", "demangled_kernel_name": "0", "truncated_kernel_name": "0"}] +
                          [{"size": 88, "kernel_id": i + 1, "code_object_id": 1, "kernel_name": k[2], "kernel_object": 2 ** 63 + i, "group_segment_size": k[3], "private_segment_size": k[4], "sgpr_count": k[7],
                            "arch_vgpr_count": k[5], "accum_vgpr_count": k[6], "formatted_kernel_name": k[1], "demangled_kernel_name": demangled(k), "truncated_kernel_name": k[0] + (".kd" if k[0] == k[1] else "")} for i, k in enumerate(KERNELS)],
        "host_functions": [], "summary": [],
        "callback_records": {"counter_collection": [{"thread_id": by_dispatch[d]["tid"], "arch_vgpr_count": 0, "dispatch_data": {"size": 0, "correlation_id": corr(by_dispatch[d]), **times(by_dispatch[d]), "dispatch_info": dispatch(by_dispatch[d])},
                                                     "records": r} for d, r in sorted(counted.items())]},
        "buffer_records": {
            "kernel_dispatch": [{"size": 184, "kind": KERNEL, "operation": 2, "thread_id": e["tid"], "correlation_id": corr(e), **times(e), "dispatch_info": dispatch(e), "stream_id": {"handle": e["stream"]}} for e in w.kernels],
            "hip_api": [call(e) for e in w.calls if e["kind"] == HIP], "hsa_api": [],
            "marker_api": [dict(call(dict(e, kind=MARK))) for e in w.marks],
            "rccl_api": [call(e) for e in w.calls if e["kind"] == RCCL],
            "memory_copy": [{"size": 88, "kind": COPY, "operation": e["op"], "thread_id": e["tid"], "correlation_id": corr(e), **times(e), "dst_agent_id": {"handle": handle[e["dst"]]}, "src_agent_id": {"handle": handle[e["src"]]}, "bytes": e["size"], "stream_id": {"handle": 0}} for e in w.copies],
            "memory_allocation": [{"size": 0, "kind": ALLOC, "operation": e["op"], "thread_id": e["tid"], "correlation_id": corr(e), **times(e), "agent_id": {"handle": handle[e["agent"]]}, "address": "0x%016x" % e["address"], "allocation_size": e["size"]} for e in w.allocs],
            "scratch_memory": [{"size": 0, "kind": SCRATCH, "operation": e["op"], "agent_id": {"handle": handle[e["agent"]]}, "queue_id": {"handle": e["queue"]}, "thread_id": e["tid"], **times(e), "correlation_id": corr(e), "flags": 0, "allocation_size": e["size"]} for e in w.scratch],
        },
    }
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"rocprofiler-sdk-tool": [process]}, f, separators=(",", ":"), ensure_ascii=False)


def demangled(k):
    return k[2] if k[0] == k[1] else k[1] + " [clone .kd]"


# ---- CSV set
def write_csv(w, prefix):
    def out(name, head, rows):
        with open("%s_%s.csv" % (prefix, name), "w", newline="", encoding="utf-8") as f:
            c = csv.writer(f, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            c.writerow(head)
            c.writerows(rows)

    agent = lambda i: "Agent %d" % i
    xyz = ["X", "Y", "Z"]
    out("kernel_trace", ["Kind", "Agent_Id", "Queue_Id", "Stream_Id", "Thread_Id", "Dispatch_Id", "Kernel_Id", "Kernel_Name", "Correlation_Id", "Start_Timestamp", "End_Timestamp", "LDS_Block_Size", "Scratch_Size",
                         "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count"] + ["Workgroup_Size_" + a for a in xyz] + ["Grid_Size_" + a for a in xyz],
        [["KERNEL_DISPATCH", agent(e["agent"]), e["queue"], e["stream"], e["tid"], e["dispatch"], e["kernel"] + 1, KERNELS[e["kernel"]][1], e["corr"], e["start"], e["end"]] +
         [*KERNELS[e["kernel"]][3:8]] + [*KERNELS[e["kernel"]][10]] + [*KERNELS[e["kernel"]][9]] for e in w.kernels])
    out("memory_copy_trace", ["Kind", "Direction", "Stream_Id", "Source_Agent_Id", "Destination_Agent_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp"],
        [["MEMORY_COPY", STRINGS[COPY][1][e["op"]], 0, agent(e["src"]), agent(e["dst"]), e["corr"], e["start"], e["end"]] for e in w.copies])
    out("memory_allocation_trace", ["Kind", "Operation", "Agent_Id", "Allocation_Size", "Address", "Correlation_Id", "Start_Timestamp", "End_Timestamp"],
        [["MEMORY_ALLOCATION", STRINGS[ALLOC][1][e["op"]], agent(e["agent"]), e["size"], "0x%016x" % e["address"], e["corr"], e["start"], e["end"]] for e in w.allocs])
    out("scratch_memory_trace", ["Kind", "Operation", "Agent_Id", "Queue_Id", "Thread_Id", "Alloc_Flags", "Start_Timestamp", "End_Timestamp", "Allocation_Size"],
        [["SCRATCH_MEMORY", STRINGS[SCRATCH][1][e["op"]], agent(e["agent"]), e["queue"], e["tid"], 0, e["start"], e["end"], e["size"]] for e in w.scratch])
    api = ["Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp"]
    for name, kind in (("hip_api_trace", HIP), ("rccl_api_trace", RCCL)):
        out(name, api, [[STRINGS[kind][0], STRINGS[kind][1][e["op"]], PID, e["tid"], e["corr"], e["start"], e["end"]] for e in w.calls if e["kind"] == kind])
    out("marker_api_trace", api, [[STRINGS[MARK][0], e["text"], PID, e["tid"], e["corr"], e["start"], e["end"]] for e in w.marks])
    by_dispatch = {e["dispatch"]: e for e in w.kernels}
    names = dict(COUNTERS)
    rows = []
    for c in w.counters:
        e = by_dispatch[c["dispatch"]]
        k = KERNELS[e["kernel"]]
        rows.append([e["corr"], e["dispatch"], agent(e["agent"]), e["queue"], PID, e["tid"], product(k[9]), e["kernel"] + 1, k[1], product(k[10]), k[3], k[4], k[5], k[6], k[7], names[c["counter"]], float(sum(c["values"])), e["start"], e["end"]])
    out("counter_collection", ["Correlation_Id", "Dispatch_Id", "Agent_Id", "Queue_Id", "Process_Id", "Thread_Id", "Grid_Size", "Kernel_Id", "Kernel_Name", "Workgroup_Size", "LDS_Block_Size", "Scratch_Size", "VGPR_Count", "Accum_VGPR_Count", "SGPR_Count", "Counter_Name", "Counter_Value", "Start_Timestamp", "End_Timestamp"], rows)
    out("agent_info", ["Node_Id", "Logical_Node_Id", "Agent_Type", "Cu_Count", "Name", "Vendor_Name", "Product_Name", "Model_Name"],
        [[i, i, "GPU" if kind == 2 else "CPU", 304 if kind == 2 else 64, name, "AMD", prod, ""] for i, (_, kind, name, prod) in enumerate(AGENTS)])


def product(v):
    return v[0] * v[1] * v[2]


# ---- rocpd
def write_rocpd(w, path):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    u = "_" + GUID.replace("-", "_")
    ids = {}

    def table(name, columns, rows, guid=True):
        first = columns[0] + " INTEGER PRIMARY KEY"
        db.execute('CREATE TABLE "%s%s" (%s)' % (name, u, ", ".join([first] + (['guid TEXT DEFAULT "%s" NOT NULL' % GUID] if guid else []) + ['"%s"' % c for c in columns[1:]])))
        db.executemany('INSERT INTO "%s%s" (%s) VALUES (%s)' % (name, u, ",".join('"%s"' % c for c in columns), ",".join("?" * len(columns))), rows)
        db.execute('CREATE VIEW "%s" AS SELECT * FROM "%s%s"' % (name, name, u))

    def string(s):
        return ids.setdefault(s, len(ids) + 1)

    events = []

    def event(category, corr):
        events.append((len(events) + 1, string(category), corr, 0, 0))
        return len(events)

    string("")
    kernels = []
    event_of = {}
    for i, e in enumerate(w.kernels):
        k = KERNELS[e["kernel"]]
        event_of[e["dispatch"]] = event("KERNEL_DISPATCH", e["corr"])
        kernels.append((i + 1, 1, PID, e["tid"], e["agent"], e["kernel"] + 1, e["dispatch"], e["queue"], e["stream"], e["start"], e["end"], k[4], k[3], *k[10], *k[9], 1, event_of[e["dispatch"]]))
    copies = [(i + 1, 1, PID, e["tid"], e["start"], e["end"], string(STRINGS[COPY][1][e["op"]]), e["dst"], 0, e["src"], 0, e["size"], 0, 0, event("MEMORY_COPY", e["corr"])) for i, e in enumerate(w.copies)]
    signed = lambda a: a - (1 << 64) if a >= 1 << 63 else a
    allocs = [(i + 1, 1, PID, e["tid"], e["agent"], "ALLOC", "REAL", e["start"], e["end"], signed(e["address"]), e["size"], None, None, event("MEMORY_ALLOCATION", e["corr"])) for i, e in enumerate(w.allocs)]
    allocs += [(len(allocs) + i + 1, 1, PID, e["tid"], e["agent"], "ALLOC", "SCRATCH", e["start"], e["end"], 0, e["size"], e["queue"], None, event("SCRATCH_MEMORY", 0)) for i, e in enumerate(w.scratch)]
    regions = [(e["kind"], STRINGS[e["kind"]][1][e["op"]], e) for e in w.calls] + [(MARK, e["text"], e) for e in w.marks]
    regions = [(i + 1, 1, PID, e["tid"], e["start"], e["end"], string(name), event(STRINGS[kind][0], e["corr"])) for i, (kind, name, e) in enumerate(regions)]
    pmc = []
    for c in w.counters:
        for v in c["values"]:
            pmc.append((len(pmc) + 1, event_of[c["dispatch"]], c["counter"], float(v)))
    table("rocpd_metadata", ["id", "tag", "value"], [(1, "schema_version", "3"), (2, "uuid", u)], guid=False)
    table("rocpd_string", ["id", "string"], [(n, s) for s, n in sorted(ids.items(), key=lambda x: x[1])])
    table("rocpd_info_node", ["id", "hash", "machine_id", "system_name", "hostname", "release", "version", "hardware_name"], [(1, 1, "0" * 32, "Linux", "example-host", "6.1.0", "#1", "x86_64")])
    table("rocpd_info_process", ["id", "nid", "ppid", "pid", "init", "fini", "start", "end", "command"], [(PID, 1, 1, PID, w.init, w.fini, w.init, w.fini, "./train --config a b.json")])
    table("rocpd_info_thread", ["id", "nid", "pid", "tid", "name"], [(t, 1, PID, t, None) for t in THREADS])
    table("rocpd_info_agent", ["id", "nid", "pid", "type", "absolute_index", "logical_index", "type_index", "name", "product_name", "extdata"],
          [(i, 1, PID, "GPU" if kind == 2 else "CPU", i, i, max(0, i - 1), name, prod, json.dumps({"cu_count": 304 if kind == 2 else 64})) for i, (_, kind, name, prod) in enumerate(AGENTS)])
    table("rocpd_info_kernel_symbol", ["id", "nid", "pid", "code_object_id", "kernel_name", "display_name", "sgpr_count", "arch_vgpr_count", "accum_vgpr_count", "extdata"],
          [(i + 1, 1, PID, 1, k[2], k[1], k[7], k[5], k[6], json.dumps({"formatted_kernel_name": k[1], "demangled_kernel_name": demangled(k), "truncated_kernel_name": k[0] + (".kd" if k[0] == k[1] else "")})) for i, k in enumerate(KERNELS)])
    table("rocpd_info_pmc", ["id", "agent_id", "name", "symbol"], [(h, 1, n, n) for h, n in COUNTERS])
    table("rocpd_event", ["id", "category_id", "stack_id", "parent_stack_id", "correlation_id"], events)
    table("rocpd_pmc_event", ["id", "event_id", "pmc_id", "value"], pmc)
    table("rocpd_kernel_dispatch", ["id", "nid", "pid", "tid", "agent_id", "kernel_id", "dispatch_id", "queue_id", "stream_id", "start", "end", "private_segment_size", "group_segment_size",
                                    "workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z", "region_name_id", "event_id"], kernels)
    table("rocpd_memory_copy", ["id", "nid", "pid", "tid", "start", "end", "name_id", "dst_agent_id", "dst_address", "src_agent_id", "src_address", "size", "queue_id", "stream_id", "event_id"], copies)
    table("rocpd_memory_allocate", ["id", "nid", "pid", "tid", "agent_id", "type", "level", "start", "end", "address", "size", "queue_id", "stream_id", "event_id"], allocs)
    table("rocpd_region", ["id", "nid", "pid", "tid", "start", "end", "name_id", "event_id"], regions)
    db.commit()
    db.execute("VACUUM")
    db.close()


# ---- Perfetto
def slices(w):
    """(category, name, track, begin, end, annotations) of everything, by start."""
    names = dict(COUNTERS)
    sums = {}
    for c in w.counters:
        sums.setdefault(c["dispatch"], []).append((names[c["counter"]], float(sum(c["values"]))))
    out = []

    def add(cat, name, track, e, notes):
        head = [("begin_ns", e["start"]), ("end_ns", e["end"]), ("delta_ns", e["end"] - e["start"])]
        out.append((e["start"], len(out), cat, name, track, e["end"], head + notes))

    for e in w.kernels:
        k = KERNELS[e["kernel"]]
        add("kernel_dispatch", demangled(k), ("stream", e["stream"]), e,
            [("kind", KERNEL), ("agent", "Agent-%d" % e["agent"]), ("agent_type", "GPU"), ("corr_id", e["corr"]), ("queue", e["queue"] - 1), ("tid", e["tid"]), ("kernel_id", e["kernel"] + 1),
             ("Scratch_Size", k[4]), ("LDS_Block_Size", k[3]), ("VGPR_Count", k[5]), ("Accum_VGPR_Count", k[6]), ("SGPR_Count", k[7]), ("workgroup_size", product(k[10])), ("grid_size", product(k[9])),
             ("stream_ID", e["stream"])] + sums.get(e["dispatch"], []))
    for e in w.copies:
        add("memory_copy", STRINGS[COPY][1][e["op"]], ("stream", 0), e,
            [("kind", COPY), ("operation", e["op"]), ("src_agent", str(e["src"])), ("dst_agent", str(e["dst"])), ("copy_bytes", e["size"]), ("corr_id", e["corr"]), ("tid", e["tid"]), ("stream_ID", 0)])
    for e in w.calls:
        add("hip_api" if e["kind"] == HIP else "rccl_api", STRINGS[e["kind"]][1][e["op"]], ("thread", e["tid"]), e, [("tid", e["tid"]), ("kind", e["kind"]), ("operation", e["op"]), ("corr_id", e["corr"]), ("ancestor_id", 0)])
    for e in w.marks:
        add("marker_api", e["text"], ("thread", e["tid"]), e, [("tid", e["tid"]), ("kind", MARK), ("operation", e["op"]), ("corr_id", e["corr"]), ("ancestor_id", 0)])
    return [(cat, name, track, start, end, notes) for start, _, cat, name, track, end, notes in sorted(out, key=lambda x: x[:2])]


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out + bytes([v]))


def number(field, v):
    return varint(field << 3) + varint(v)


def block(field, b):
    b = b.encode() if isinstance(b, str) else b
    return varint(field << 3 | 2) + varint(len(b)) + b


def write_pftrace(w, path):
    tracks, packets, interned = {}, [], {}

    def intern(kind, text, fresh):
        key = (kind, text)
        if key not in interned:
            interned[key] = 1 + sum(k == kind for k, _ in interned)
            fresh.append(block(kind, number(1, interned[key]) + block(2, text)))
        return interned[key]

    packets.append(number(10, 1) + block(60, number(1, 1) + block(3, number(1, PID))))
    rows = slices(w)
    for n, (cat, name, track, start, end, notes) in enumerate(rows):
        if n == len(rows) // 2:
            interned.clear()  # a sequence may forget what it has interned
        if track not in tracks:
            tracks[track] = 1000 + len(tracks)
            label = "STREAM [\" %d \"] " % track[1] if track[0] == "stream" else "THREAD 0 (%d)" % track[1]
            packets.append(number(10, 1) + block(60, number(1, tracks[track]) + number(5, 1) + block(2, label)))
        fresh = []
        body = number(3, intern(1, cat, fresh)) + number(9, 1) + number(10, intern(2, name, fresh)) + number(11, tracks[track])
        for key, value in notes:
            iid = number(1, intern(3, key, fresh))
            if isinstance(value, str):
                body += block(4, iid + block(6, value))
            elif isinstance(value, float):
                body += block(4, iid + varint(5 << 3 | 1) + struct.pack("<d", value))
            else:
                body += block(4, iid + number(3, value))
        clear = 3 if n in (0, len(rows) // 2) else 2
        packets.append(number(8, start) + number(10, 1) + block(12, b"".join(fresh)) + number(13, clear) + block(11, body))
        packets.append(number(8, end) + number(10, 1) + number(13, 2) + block(11, number(9, 2) + number(11, tracks[track])))
    # the last quarter in one compressed packet
    cut = len(packets) * 3 // 4
    tail = b"".join(block(1, p) for p in packets[cut:])
    with open(path, "wb") as f:
        for p in packets[:cut]:
            f.write(block(1, p))
        f.write(block(1, block(50, zlib.compress(tail, 9))))


def write_pftrace_json(w, path):
    events = [{"ph": "M", "cat": "__metadata", "name": "process_name", "pid": PID, "tid": 0, "ts": 0, "args": {"name": "./train"}}]
    for cat, name, track, start, end, notes in slices(w):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": track[1], "ts": start / 1000, "dur": (end - start) / 1000, "args": dict(notes)})
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"traceEvents": events}, f, separators=(",", ":"), ensure_ascii=False)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("--steps", type=int, default=4)
    ap.add_argument("--prefix", default="train")
    ap.add_argument("--only")
    a = ap.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    at = lambda name: os.path.join(a.dir, a.prefix + name)
    w = Workload(a.steps)
    writers = {"json": (write_json, "_results.json"), "csv": (write_csv, ""), "rocpd": (write_rocpd, "_results.db"),
               "pftrace": (write_pftrace, "_results.pftrace"), "traceconv": (write_pftrace_json, "_pftrace.json")}
    for name, (write, ending) in writers.items():
        if a.only in (None, name):
            write(w, at(ending))


if __name__ == "__main__":
    main()
