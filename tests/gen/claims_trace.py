"""A simulated program for the claims tests: host threads that launch, devices that work off their streams in order, and the
files that three profilers write of it (PyTorch JSON, Nsight Systems SQLite, rocprofv3 JSON or CSV). Times are integer ns.

Every piece of device work can carry a tag: the fault that the gap before it comes from. The tag is never written.
"""
import contextlib
import csv
import gzip
import json
import os
import sqlite3

KERNELS = {
    "cuda": ["ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
             "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
             "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
             "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float)",
             "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 9, false, false>(int)",
             "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >(float)",
             "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_kernel__5x_cublas",
             "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(flash::Flash_fwd_params)",
             "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(int)"],
    "hip": ["Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB0",
            "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x96x64_MI16x16x1_SN_LDSB1",
            "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)",
            "void at::native::(anonymous namespace)::cuComputeLayerNormGradInput<float, float>(float const*)",
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float> > >(float)",
            "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*)"]}
COMM = ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"]
CALLS = {
    "cuda": {"launch": "cudaLaunchKernel", "copy": "cudaMemcpyAsync", "bcopy": "cudaMemcpy", "fill": "cudaMemsetAsync",
             "graph": "cudaGraphLaunch", "ssync": "cudaStreamSynchronize", "dsync": "cudaDeviceSynchronize",
             "esync": "cudaEventSynchronize", "alloc": "cudaMalloc", "free": "cudaFree", "load": "cuModuleLoadData",
             "begin": "cudaStreamBeginCapture", "end": "cudaStreamEndCapture"},
    "hip": {"launch": "hipLaunchKernel", "copy": "hipMemcpyAsync", "bcopy": "hipMemcpy", "fill": "hipMemsetAsync",
            "graph": "hipGraphLaunch", "ssync": "hipStreamSynchronize", "dsync": "hipDeviceSynchronize",
            "esync": "hipEventSynchronize", "alloc": "hipMalloc", "free": "hipFree", "load": "hipModuleLoadData",
            "begin": "hipStreamBeginCapture", "end": "hipStreamEndCapture"}}
GRID = [528, 1, 1]  # blocks of a kernel without its own
DEVICES = {"cuda": ("NVIDIA H100 80GB HBM3", 132, 85017755648), "hip": ("AMD Instinct MI300X", 304, 206141652992)}


class Trace:
    """What a profiler recorded of one process, and the state of its devices."""

    def __init__(self, rng, fmt, vendor=None):
        self.rng, self.fmt = rng, fmt
        self.vendor = vendor or ("cuda" if fmt == "nsys" else "hip" if fmt.startswith("rocprof") else rng.choice(["cuda", "hip"]))
        self.calls, self.work, self.ranges, self.frames, self.ops, self.overhead = [], [], [], [], [], []
        self.free, self.corr, self.pid = {}, rng.randint(1, 9000), rng.randint(300, 4000000)
        self.device = DEVICES[self.vendor]
        self.base = rng.choice([rng.randint(10**12, 7 * 10**15), rng.randint(10**9, 10**11)])
        self.devices, self.extra, self.host_calls = 1, {}, True
        self.pool = rng.sample(KERNELS[self.vendor], len(KERNELS[self.vendor]))

    def number(self):
        self.corr += self.rng.randint(1, 3)
        return self.corr


class Host:
    """One thread of the program; `t` is its clock."""

    def __init__(self, trace, tid=None, t=None):
        self.tr, self.rng = trace, trace.rng
        self.t = trace.base if t is None else t
        self.tid = tid or self.rng.randint(100, 90000)
        self.cost, self.latency = self.rng.randint(3000, 6500), self.rng.randint(1200, 4000)
        self.device_gap = self.rng.choice([0, self.rng.randint(300, 900)])
        self.stream, self.tag, self.wrap_ops = self.rng.choice([7, 7, 20, 3]), None, trace.fmt == "kineto" and self.rng.random() < 0.7

    def call(self, kind, dur, corr=None):
        name = CALLS[self.tr.vendor].get(kind, kind)
        c = {"name": name, "start": self.t, "end": self.t + dur, "tid": self.tid, "corr": corr or self.tr.number()}
        self.tr.calls.append(c)
        self.t += dur
        return c

    def busy(self, dur):
        self.t += dur

    @contextlib.contextmanager
    def span(self, where, name):
        s = {"name": name, "start": self.t, "tid": self.tid}
        where.append(s)
        yield s
        s["end"] = self.t

    def lead(self, dev=0):
        """How far the device still has work, seen from now."""
        return max(0, max([e for (d, _), e in self.tr.free.items() if d == dev] or [0]) - self.t)

    def launch(self, dur, name=None, kind="kernel", dev=0, stream=None, cost=None, after=0, lost=False, call=None, op=None,
               **facts):
        """One call and the work that it queues; returns the work."""
        stream = self.stream if stream is None else stream
        o = None
        if self.wrap_ops and call is None:
            o = {"name": op or self.rng.choice(["aten::mm", "aten::add_", "aten::mul", "aten::copy_"]), "start": self.t, "tid": self.tid}
            self.t += self.rng.randint(300, 900)
        c = self.call(call or {"kernel": "launch", "copy": "copy", "fill": "fill"}[kind], cost or self.cost + self.rng.randint(0, 800))
        if o:
            self.t += self.rng.randint(200, 600)
            o["end"] = self.t
            self.tr.ops.append(o)
        w = self.put(c, dur, name, kind, dev, stream, after, lost, **facts)
        self.t += self.rng.randint(200, 1200)
        return w

    def put(self, c, dur, name, kind, dev, stream, after=0, lost=False, **facts):
        start = max(c["end"] + self.latency, self.tr.free.get((dev, stream), 0) + self.device_gap, after)
        self.tr.free[(dev, stream)] = start + dur
        w = {"kind": kind, "name": name or self.rng.choice(self.tr.pool), "start": start, "end": start + dur, "dev": dev,
             "stream": stream, "corr": c["corr"], "tag": self.tag, "call": c}
        w.update(facts)
        self.tag = None
        if not lost:
            self.tr.work.append(w)
        return w

    def sync(self, kind=None, late=None, dev=0):
        """Waits for the device; returns `late` after its last work."""
        late = self.rng.randint(1000, 3000) if late is None else late
        self.call(kind or self.rng.choice(["ssync", "dsync"]), self.lead(dev) + late)


def us(t):
    return "%d.%03d" % (t // 1000, t % 1000) if t >= 0 else "-%d.%03d" % (-t // 1000, -t % 1000)


def event(cat, name, pid, tid, s, e, args, extra=""):
    return '{"ph":"X","cat":%s,"name":%s,"pid":%s,"tid":%s,"ts":%s,"dur":%s%s,"args":%s}' % (
        json.dumps(cat), json.dumps(name), json.dumps(pid), json.dumps(tid), us(s), us(e - s), extra, json.dumps(args))


def kineto_copy(w):
    kind = "Memcpy %s (%s -> %s)" % (w["way"], w.get("src", "Pageable"), w.get("dst", "Device"))
    return "gpu_memcpy", kind, {"bytes": w["bytes"]}


def kineto_events(tr):
    ev, pid, mark = [], tr.pid, tr.extra.get("mark_category", "user_annotation")
    for i, o in enumerate(tr.ops):
        ev.append(event("cpu_op", o["name"], pid, o["tid"], o["start"], o["end"],
                        dict({"External id": i + 1, "Record function id": 0, "Ev Idx": i}, **o.get("args", {}))))
    for r in tr.ranges:
        ev.append(event(mark if r.get("mark") else r.get("cat", "user_annotation"), r["name"], pid, r["tid"], r["start"], r["end"], {}))
    for i, f in enumerate(tr.frames):
        ev.append(event("python_function", f["name"], pid, f["tid"], f["start"], f["end"], {"Python id": i + 1, "Python parent id": None}))
    for o in tr.overhead:
        ev.append(event("overhead", o["name"], -1, 0, o["start"], o["end"], {}))
    flows = tr.rng.random() < 0.7
    for c in tr.calls:
        cat = "cuda_driver" if c["name"].startswith("cu") and not c["name"].startswith("cuda") else "cuda_runtime"
        ev.append(event(cat, c["name"], pid, c["tid"], c["start"], c["end"], {"correlation": c["corr"], "cbid": 211}))
    for w in tr.work:
        args = {"device": w["dev"], "stream": w["stream"], "correlation": w["corr"], "context": 1}
        if w["kind"] == "copy":
            cat, name, more = kineto_copy(w)
            args.update(more)
        elif w["kind"] == "fill":
            cat, name = "gpu_memset", "Memset (Device)"
            args["bytes"] = w.get("bytes", 4096)
        else:
            cat, name = "kernel", w["name"]
            if w.get("grid", GRID):
                args.update({"grid": w.get("grid", GRID), "block": [256, 1, 1]})
            args.update(w.get("args", {}))
        if w.get("node"):
            args["graph node id"] = w["node"]
        ev.append(event(cat, name, w["dev"], w["stream"], w["start"], w["end"], args))
        if flows and w["corr"] is not None and not w.get("node"):
            c = w["call"]
            ev.append('{"ph":"s","id":%d,"pid":%d,"tid":%d,"ts":%s,"cat":"ac2g","name":"ac2g"}' % (w["corr"], pid, c["tid"], us(c["start"])))
            ev.append('{"ph":"f","id":%d,"pid":%d,"tid":%d,"ts":%s,"cat":"ac2g","name":"ac2g","bp":"e"}' % (
                w["corr"], w["dev"], w["stream"], us(w["start"])))
    ev.append('{"ph":"M","name":"process_name","pid":%d,"tid":0,"ts":%s,"args":{"name":"python"}}' % (pid, us(tr.base)))
    return ev


def write_kineto(tr, folder, stem="trace"):
    ev = kineto_events(tr)
    order = tr.rng.random()
    if order < 0.4:
        tr.rng.shuffle(ev)
    elif order < 0.6:
        ev.reverse()
    name, sms, memory = tr.device
    head = {"schemaVersion": 1, "deviceProperties": [{"id": i, "name": name, "totalGlobalMem": memory, "warpSize": 32, "computeMajor": 9,
                                                      "computeMinor": 0} for i in range(tr.devices)]}
    for p in head["deviceProperties"] if sms else []:
        p["numSms"] = sms
    head["with_stack"] = 1 if tr.frames else 0
    head.update({("cuda_runtime_version" if tr.vendor == "cuda" else "hip_runtime_version"): 12040})
    head.update(tr.extra.get("head", {}))
    body = '"traceEvents":[\n' + ",\n".join(ev) + "\n]"
    meta = json.dumps(head)[1:-1]
    text = "{" + (meta + "," + body if tr.rng.random() < 0.7 else body + "," + meta) + "}"
    cut = tr.extra.get("cut")
    data = (text[:int(len(text) * cut)] if cut else text).encode()
    packed = not cut and tr.rng.random() < 0.3
    path = os.path.join(folder, stem + (".pt.trace" if tr.rng.random() < 0.3 else "") + ".json" + (".gz" if packed else ""))
    with (gzip.open(path, "wb", 1) if packed else open(path, "wb")) as f:
        f.write(data)
    return path


NSYS = """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
CREATE TABLE TARGET_INFO_GPU(vmId INT, id INT, name TEXT, busLocation TEXT, isDiscrete INT, totalMemory INT, memoryBandwidth INT,
 clockRate INT, smCount INT, uuid TEXT, cuDevice INT, computeMajor INT, computeMinor INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, "end" INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
 globalPid INT, demangledName INT, shortName INT, launchType INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT,
 blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT, graphNodeId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, "end" INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
 globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT, migrationCause INT, graphNodeId INT, virtualAddress INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INT, "end" INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
 globalPid INT, value INT, bytes INT, graphNodeId INT, memKind INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, "end" INT, eventClass INT, globalTid INT, correlationId INT, nameId INT,
 returnValue INT, callchainId INT);
CREATE TABLE NVTX_EVENTS(start INT, "end" INT, eventType INT, rangeId INT, category INT, color INT, text TEXT, globalTid INT,
 endGlobalTid INT, textId INT, domainId INT);
CREATE TABLE PROFILER_OVERHEAD(start INT, "end" INT, globalTid INT, nameId INT);"""
COPY_KIND = {"HtoD": 1, "DtoH": 2, "DtoD": 8, "UHtoD": 11, "UDtoH": 12}
MEMORY_KIND = {"Pageable": 0, "Pinned": 1, "Device": 2, "Managed": 4}


def write_nsys(tr, folder, stem="trace"):
    path = os.path.join(folder, stem + ".sqlite")
    db, ids = sqlite3.connect(":memory:"), {}
    db.executescript(NSYS)

    def text(s):
        if s not in ids:
            ids[s] = len(ids) + 1
            db.execute("INSERT INTO StringIds VALUES(?,?)", (ids[s], s))
        return ids[s]

    def gp(w):
        return (1 << 56) | (w.get("pid", tr.pid & 0xFFFF) << 24)

    def put(table, *row):
        db.execute("INSERT INTO %s VALUES(%s)" % (table, ",".join("?" * len(row))), row)
    name, sms, memory = tr.device
    db.execute("INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.6.0')")
    for i in range(tr.devices):
        put("TARGET_INFO_GPU", 0, i, name, "0", 1, memory, 3 * 10**12, 1980000000, sms, "", i, 9, 0)
    work, calls = list(tr.work), list(tr.calls)
    if tr.rng.random() < 0.5:
        tr.rng.shuffle(work)
        tr.rng.shuffle(calls)
    for w in work:
        head = (w["start"], w["end"], w["dev"], 1, w["stream"], w["corr"], gp(w))
        if w["kind"] == "copy":
            put("CUPTI_ACTIVITY_KIND_MEMCPY", *head, w["bytes"], COPY_KIND[w["way"]], MEMORY_KIND[w.get("src", "Pageable")],
                MEMORY_KIND[w.get("dst", "Device")], 0, None, 0)
        elif w["kind"] == "fill":
            put("CUPTI_ACTIVITY_KIND_MEMSET", *head, 0, w.get("bytes", 4096), None, 2)
        else:
            t = text(w["name"])
            put("CUPTI_ACTIVITY_KIND_KERNEL", *head, t, t, 1, 64, *w.get("grid", GRID), 256, 1, 1, 0, 0, w.get("node"))
    for c in calls:
        put("CUPTI_ACTIVITY_KIND_RUNTIME", c["start"], c["end"], 0, gp(c) | (c["tid"] & 0xFFFFFF), c["corr"],
            text(c["name"] + tr.extra.get("suffix", "_v7000")), 0, None)
    for r in tr.ranges:
        put("NVTX_EVENTS", r["start"], r["end"], 59, None, None, None, r["name"], gp(r) | (r["tid"] & 0xFFFFFF), None, None, 0)
    for o in tr.overhead:
        put("PROFILER_OVERHEAD", o["start"], o["end"], gp(o) | 1, text(o["name"]))
    for t in ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "NVTX_EVENTS", "PROFILER_OVERHEAD"):
        if not db.execute("SELECT count(*) FROM " + t).fetchone()[0]:
            db.execute("DROP TABLE " + t)
    db.commit()
    if os.path.exists(path):
        os.remove(path)
    db.execute("VACUUM INTO ?", (path,))
    db.close()
    return path


def write_rocprof_json(tr, folder, stem="trace"):
    agents = [{"id": {"handle": 900 + i}, "type": 2 if i else 1, "node_id": i, "logical_node_id": i, "logical_node_type_id": max(0, i - 1),
               "gpu_index": i - 1, "name": "gfx942" if i else "cpu", "product_name": tr.device[0] if i else "EPYC",
               "cu_count": tr.device[1] or 0 if i else 0, "num_xcc": 8, "simd_count": 4 * (tr.device[1] or 0)} for i in range(tr.devices + 1)]
    names = sorted({w["name"] for w in tr.work if w["kind"] == "kernel"})
    ident = {n: i + 1 for i, n in enumerate(names)}
    apis = sorted({c["name"] for c in tr.calls}) or ["hipLaunchKernel"]
    kinds = [{"kind": "NONE", "operations": ["NONE"]}, {"kind": "HIP_RUNTIME_API", "operations": apis},
             {"kind": "KERNEL_DISPATCH", "operations": ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_COMPLETE"]},
             {"kind": "MEMORY_COPY", "operations": ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                                                    "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"]},
             {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxThreadRangeA"]}]
    b = {"kernel_dispatch": [], "memory_copy": [], "hip_api": [], "marker_api": [], "hsa_api": [], "scratch_memory": [],
         "memory_allocation": []}
    texts = []

    def cid(n):
        return {"internal": n if n is not None else 0, "external": 0}
    for i, w in enumerate(tr.work):
        r = {"size": 1, "correlation_id": cid(w["corr"]), "start_timestamp": w["start"], "end_timestamp": w["end"],
             "thread_id": w["call"]["tid"], "stream_id": {"handle": w["stream"]}}
        if w["kind"] == "kernel":
            x, y, z = w.get("grid", [1216, 1, 1])
            r.update({"kind": 2, "operation": 1, "dispatch_info": {
                "size": 1, "agent_id": {"handle": 901 + w["dev"]}, "queue_id": {"handle": w["stream"]}, "kernel_id": ident[w["name"]],
                "dispatch_id": i + 1, "private_segment_size": 0, "group_segment_size": 0, "workgroup_size": {"x": 256, "y": 1, "z": 1},
                "grid_size": {"x": 256 * x, "y": y, "z": z}}})
            b["kernel_dispatch"].append(r)
        else:
            op = {"HtoD": 2, "DtoH": 3, "DtoD": 4}[w["way"]]
            r.update({"kind": 3, "operation": op, "bytes": w["bytes"], "src_agent_id": {"handle": 900 if op == 2 else 901 + w["dev"]},
                      "dst_agent_id": {"handle": 900 if op == 3 else 901 + w["dev"]}})
            b["memory_copy"].append(r)
    for c in tr.calls:
        b["hip_api"].append({"size": 1, "kind": 1, "operation": apis.index(c["name"]), "correlation_id": cid(c["corr"]),
                             "start_timestamp": c["start"], "end_timestamp": c["end"], "thread_id": c["tid"]})
    for r in tr.ranges:
        n = tr.number()
        texts.append({"key": n, "value": r["name"]})
        b["marker_api"].append({"size": 1, "kind": 4, "operation": 0, "correlation_id": cid(n), "start_timestamp": r["start"],
                                "end_timestamp": r["end"], "thread_id": r["tid"]})
    for rows in b.values():
        tr.rng.shuffle(rows)
    symbols = [{"kernel_id": i, "code_object_id": 1, "kernel_name": n, "demangled_kernel_name": n, "formatted_kernel_name": n,
                "truncated_kernel_name": "" if "<" in n else n} for n, i in ident.items()]
    times = [x for r in tr.work + tr.calls for x in (r["start"], r["end"])]
    doc = {"rocprofiler-sdk-tool": [{
        "metadata": {"node": {"hostname": "n1"}, "pid": tr.pid, "init_time": min(times) - 5000, "fini_time": max(times) + 5000},
        "agents": agents, "counters": [], "strings": {"callback_records": kinds, "buffer_records": kinds, "marker_api": texts},
        "code_objects": [], "kernel_symbols": symbols, "buffer_records": b, "callback_records": {"counter_collection": []}}]}
    path = os.path.join(folder, stem + "_results.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(doc, f)
    return path


def write_rocprof_csv(tr, folder, stem="trace"):
    kernel = "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp," \
        "LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z," \
        "Grid_Size_X,Grid_Size_Y,Grid_Size_Z"
    copy = "Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,Start_Timestamp,End_Timestamp"
    api = "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp"
    names = {"HtoD": "HOST_TO_DEVICE", "DtoH": "DEVICE_TO_HOST", "DtoD": "DEVICE_TO_DEVICE"}

    def agent(i):
        return "Agent %d" % i

    def table(domain, header, rows):
        with open(os.path.join(folder, "%s_%s.csv" % (stem, domain)), "w", newline="", encoding="utf-8") as f:
            f.write(",".join('"%s"' % h for h in header.split(",")) + "\n")
            csv.writer(f, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(rows)
        return f.name
    work = list(tr.work)
    tr.rng.shuffle(work)
    path = table("kernel_trace", kernel, [
        ["KERNEL_DISPATCH", agent(1 + w["dev"]), w["stream"], w["stream"], w["call"]["tid"], i + 1, 1, w["name"], w["corr"] or 0, w["start"],
         w["end"], 0, 0, 32, 0, 32, 256, 1, 1, 256 * 1216, 1, 1] for i, w in enumerate(work) if w["kind"] == "kernel"])
    rows = [["MEMORY_COPY", "MEMORY_COPY_" + names[w["way"]], w["stream"], agent(0 if w["way"] == "HtoD" else 1 + w["dev"]),
             agent(0 if w["way"] == "DtoH" else 1 + w["dev"]), w["corr"] or 0, w["start"], w["end"]] for w in work if w["kind"] == "copy"]
    if rows:
        table("memory_copy_trace", copy, rows)
    if tr.calls:
        table("hip_api_trace", api, [["HIP_RUNTIME_API", c["name"], tr.pid, c["tid"], c["corr"], c["start"], c["end"]] for c in tr.calls])
    if tr.ranges:
        table("marker_api_trace", api, [["MARKER_CORE_RANGE_API", r["name"], tr.pid, r["tid"], tr.number(), r["start"], r["end"]]
                                        for r in tr.ranges])
    return path


def write(tr, folder, stem="trace"):
    return {"kineto": write_kineto, "nsys": write_nsys, "rocprof": write_rocprof_json, "rocprof_csv": write_rocprof_csv}[tr.fmt](tr, folder, stem)
